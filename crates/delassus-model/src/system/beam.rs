//! Elements of beams: elastic energy of the screw from one frame to another.
//!
//! With the frames g_a and g_b of the ends (x along the axis, y and z along those of the section) the screw
//! ξ = log(g_a⁻¹ g_b) over the length is the strain that is constant along the helix between them: stretch and shear,
//! then twist and curvatures. With ξ₀ of the unloaded element, the effective stiffness K and the time τ of damping
//!
//! ```text
//! V = ½ (ξ − ξ₀)ᵀ K (ξ − ξ₀)       w = K (ξ − ξ₀ + τ ξ̇)       ξ̇ = T(ξ)⁻¹ v_b − T(−ξ)⁻¹ v_a
//! wrench on b: −T(ξ)⁻ᵀ w            wrench on a: T(−ξ)⁻ᵀ w
//! ```
//!
//! with twists v and wrenches in the axes of each end. V depends on nothing but where the ends are against each
//! other, so that a rigid motion of all changes nothing and no path is remembered.

use super::beam_plane::wrenches_in_plane;
use super::body::FrameKin;
use super::scalar::Hessian;
use super::{System, Workspace};
use crate::BeamElement;
use delassus_math::se2::Screw;
use delassus_math::se3::{self, Motion};
use delassus_math::{Mat3, Mat6, Vec3, Vec6, largest, so3};
use std::ops::Range;

/// Largest turn from one end of an element to the other, rad. A logarithm has no more than half a turn, and one that
/// comes near it could jump to the other side within a step: an element that is bent as far has long stopped to
/// describe a beam, so its force is none (not a number) and methods take smaller steps, or end.
pub(crate) const MOST_TURN: f64 = 2.5;

/// An element between frames.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub name: String,
    pub a: usize,
    pub b: usize,
    /// Axes at the two frames.
    pub r_a: Mat3,
    pub r_b: Mat3,
    pub(super) rest: Vec6,
    /// Effective stiffness against the screw.
    pub(super) k: Vec6,
    pub(super) damping: f64,
    /// Of the section, per length.
    section: Vec6,
    length: f64,
    /// Length of the beam that it is part of, m.
    pub whole: f64,
    /// Nothing leaves the plane: cosine and sine of the axes at each end.
    pub(super) plane: Option<[[f64; 2]; 2]>,
}

/// An element at a realised state.
pub(crate) struct Strained {
    /// The screw, if nothing leaves the plane.
    pub(super) plane: Option<Screw>,
    /// Axes of the ends in the ground frame.
    pub(super) r: [Mat3; 2],
    pub xi: Vec6,
    /// Forces along the screw, elastic and damping.
    pub(super) w: Vec6,
    /// Twists of the ends in their axes.
    pub(super) v: [Vec6; 2],
    pub energy: f64,
    /// Power lost, W.
    pub loss: f64,
}

impl Element {
    /// `planar`: both ends stay in the plane z = 0.
    pub fn new(name: String, e: &BeamElement, a: usize, b: usize, planar: bool) -> Element {
        let about_z = |r: &Mat3| r[(2, 2)] == 1.0;
        let unloaded = [2, 3, 4].iter().all(|k| e.rest[*k] == 0.0);
        let planar = planar && unloaded && about_z(&e.a.r) && about_z(&e.b.r);
        let of = |r: &Mat3| [r[(0, 0)], r[(1, 0)]];
        Element {
            plane: planar.then(|| [of(&e.a.r), of(&e.b.r)]),
            name,
            a,
            b,
            r_a: e.a.r,
            r_b: e.b.r,
            rest: e.rest,
            k: e.effective_stiffness(),
            damping: e.damping,
            section: e.stiffness,
            length: e.length,
            whole: e.whole,
        }
    }

    pub fn is_damped(&self) -> bool {
        self.damping > 0.0
    }

    /// Screw from one end to the other.
    pub fn screw(&self, fa: &FrameKin, fb: &FrameKin) -> Vec6 {
        let at = |f: &FrameKin, r: &Mat3| Motion { p: f.p, r: f.axes * r };
        se3::log(&at(fa, &self.r_a).to(&at(fb, &self.r_b)))
    }

    /// How far it is turned from one end to the other, rad.
    pub fn turn(&self, fa: &FrameKin, fb: &FrameKin) -> f64 {
        se3::angular(&self.screw(fa, fb)).norm()
    }

    pub fn evaluate(&self, fa: &FrameKin, fb: &FrameKin) -> Strained {
        if let Some(turns) = &self.plane {
            return self.evaluate_in_plane(turns, [fa, fb]);
        }
        let mut xi = self.screw(fa, fb);
        if !(se3::angular(&xi).norm() <= MOST_TURN) {
            xi.fill(f64::NAN);
        }
        let r = [fa.axes * self.r_a, fb.axes * self.r_b];
        let twist = |f: &FrameKin, r: &Mat3| se3::joined(&r.tr_mul(&f.v), &r.tr_mul(&f.w));
        let v = [twist(fa, &r[0]), twist(fb, &r[1])];
        let strain = xi - self.rest;
        let mut w = self.k.component_mul(&strain);
        let energy = 0.5 * strain.dot(&w);
        let mut loss = 0.0;
        if self.is_damped() {
            let rate = se3::tangent_inv_mul(&xi, &v[1]) - se3::tangent_inv_mul(&-xi, &v[0]);
            let lost = self.k.component_mul(&rate) * self.damping;
            loss = rate.dot(&lost);
            w += lost;
        }
        Strained { plane: None, r, xi, w, v, energy, loss }
    }

    /// Force and moment on the first frame, then on the second, ground components.
    pub fn wrenches(&self, s: &Strained) -> [Vec3; 4] {
        if let Some(screw) = &s.plane {
            return wrenches_in_plane(s, screw);
        }
        let on_a = se3::tangent_inv_transpose_mul(&-s.xi, &s.w);
        let on_b = -se3::tangent_inv_transpose_mul(&s.xi, &s.w);
        [
            s.r[0] * se3::linear(&on_a),
            s.r[0] * se3::angular(&on_a),
            s.r[1] * se3::linear(&on_b),
            s.r[1] * se3::angular(&on_b),
        ]
    }

    /// Derivatives of these by positions and turns of the frames (at fixed twists), and by their twists if it is damped.
    pub fn slopes(&self, s: &Strained, by_pose: &mut Hessian, by_twist: &mut Hessian) {
        if let Some(screw) = &s.plane {
            return self.slopes_in_plane(s, screw, by_pose, by_twist);
        }
        // T(ξ)⁻¹ and T(−ξ)⁻¹ differ by the odd part of the series, which is ad alone
        let ahead = se3::tangent_inv(&s.xi);
        let inverse = [ahead - se3::ad_matrix(&s.xi), ahead];
        // ∂ξ by displacements of the ends in their axes
        let xi_by = [-inverse[0], inverse[1]];
        let stiff = |m: &Mat6, c: f64| Mat6::from_fn(|i, j| c * self.k[i] * m[(i, j)]);
        let mut w_by = [stiff(&xi_by[0], 1.0), stiff(&xi_by[1], 1.0)];
        if self.is_damped() {
            // ξ̇ = T(ξ)⁻¹ v_b − T(−ξ)⁻¹ v_a
            let rate_by_xi =
                se3::tangent_inv_slope(&s.xi, &s.v[1]) + se3::tangent_inv_slope(&-s.xi, &s.v[0]);
            for end in 0..2 {
                // a turned end sees its own twist turned back
                let turned = turning(&s.v[end]);
                let rate_by = rate_by_xi * xi_by[end] + xi_by[end] * turned;
                w_by[end] += stiff(&rate_by, self.damping);
            }
        }
        let wrench = [inverse[0].transpose(), -inverse[1].transpose()];
        // likewise: the even part of the series has an odd derivative
        let slope = -se3::tangent_inv_transpose_slope(&s.xi, &s.w);
        let slope = [-se3::ad_transpose_by(&s.w) - slope, slope];
        for on in 0..2 {
            for of in 0..2 {
                let mut by = wrench[on] * w_by[of] + slope[on] * xi_by[of];
                if on == of {
                    // ground components turn with the end
                    by -= turning(&(wrench[on] * s.w));
                }
                put(by_pose, &s.r, on, of, &by);
                if self.is_damped() {
                    let by = wrench[on] * stiff(&xi_by[of], self.damping);
                    put(by_twist, &s.r, on, of, &by);
                }
            }
        }
    }

    /// Force and moment in the section at a part of the length, on what is before it, in its axes; and the strain that
    /// goes with it. The wrench is the same all along the element, as nothing acts between its ends.
    pub fn section(&self, s: &Strained, part: f64) -> (Vec6, Vec6) {
        let at_end = se3::tangent_inv_transpose_mul(&s.xi, &s.w);
        // the second end, seen from the section
        let to = se3::exp(&(s.xi * (1.0 - part)));
        let force = to.r * se3::linear(&at_end);
        let moment = to.r * se3::angular(&at_end) + to.p.cross(&force);
        let resultant = se3::joined(&force, &moment);
        (resultant, resultant.component_div(&self.section))
    }

    /// Rows that give the rate of each entry of the screw, as wrenches on the two frames.
    pub fn rate_rows(&self, s: &Strained) -> [[Vec3; 4]; 6] {
        let inverse = [se3::tangent_inv(&-s.xi), se3::tangent_inv(&s.xi)];
        [0, 1, 2, 3, 4, 5].map(|k| {
            let row = |end: usize| Vec6::from_iterator(inverse[end].row(k).iter().copied());
            let (a, b) = (-row(0), row(1));
            [
                s.r[0] * se3::linear(&a),
                s.r[0] * se3::angular(&a),
                s.r[1] * se3::linear(&b),
                s.r[1] * se3::angular(&b),
            ]
        })
    }

    /// Stretch or shear, or turn in rad, in excess of the unloaded element, whichever is larger.
    pub fn excess(&self, fa: &FrameKin, fb: &FrameKin) -> f64 {
        let by = self.screw(fa, fb) - self.rest;
        (se3::linear(&by).norm() / self.length).max(se3::angular(&by).norm())
    }
}

impl System {
    /// The elements of a beam of the model; those of all beams come after those that are forces of the file.
    pub(super) fn elements_of(&self, beam: usize) -> Range<usize> {
        let beams = &self.model.beams;
        let Range { start, end } = beams[beam].elements.clone();
        let first = beams[0].elements.start;
        let before = self.beam_elements.len() - (beams[beams.len() - 1].elements.end - first);
        before + start - first..before + end - first
    }

    pub(crate) fn has_beam_elements(&self) -> bool {
        !self.beam_elements.is_empty()
    }

    /// The elements that are forces of the file.
    pub(super) fn lone_elements(&self) -> &[Element] {
        let count = match self.model.beams.is_empty() {
            true => self.beam_elements.len(),
            false => self.elements_of(0).start,
        };
        &self.beam_elements[..count]
    }

    /// Place in the model file of the element of this name: that of its beam, or its own.
    pub(crate) fn path_of_element(&self, name: &str) -> String {
        if self.lone_elements().iter().any(|e| e.name == name) {
            return format!("force.{name}");
        }
        format!("body.{}", name.rsplit_once('[').map_or(name, |(beam, _)| beam))
    }

    /// How much each element that is a force of the file is strained at a realised position, as [`System::beam_strains`]
    /// tells it.
    pub(crate) fn lone_strains<'a>(
        &'a self,
        ws: &'a Workspace,
    ) -> impl Iterator<Item = (&'a str, f64)> {
        let frames = &ws.kin.frames;
        self.lone_elements().iter().map(|e| (&*e.name, e.excess(&frames[e.a], &frames[e.b])))
    }

    /// How much each beam is strained at a realised position: the largest of stretch, shear and turn, in rad, of its elements.
    pub(crate) fn beam_strains<'a>(
        &'a self,
        ws: &'a Workspace,
    ) -> impl Iterator<Item = (&'a str, f64)> {
        self.model.beams.iter().enumerate().map(|(k, beam)| {
            let of = self.beam_elements[self.elements_of(k)].iter();
            let excess = of.map(|e| e.excess(&ws.kin.frames[e.a], &ws.kin.frames[e.b]));
            (&*beam.name, largest(excess))
        })
    }

    /// Rows of velocities that are zero while a beam moves as if it were rigid, of all beams without given velocities.
    pub(crate) fn rigid_beam_rows(&self, ws: &Workspace) -> Vec<Vec<(usize, f64)>> {
        let mut rows = Vec::new();
        for (k, beam) in self.model.beams.iter().enumerate() {
            if self.model.bodies[beam.nodes.start].velocity.is_some() {
                continue;
            }
            for e in &self.beam_elements[self.elements_of(k)] {
                for [a_lin, a_ang, b_lin, b_ang] in e.rate_rows(&self.strained(ws, e)) {
                    let mut row = Vec::new();
                    for (frame, lin, ang) in [(e.a, a_lin, a_ang), (e.b, b_lin, b_ang)] {
                        row.extend(
                            self.jac(&ws.kin, frame)
                                .map_or(Vec::new(), |j| super::entries(&j, &lin, &ang)),
                        );
                    }
                    // what a planar node cannot do
                    if !row.is_empty() {
                        rows.push(row);
                    }
                }
            }
        }
        rows
    }
}

/// Change of components of both parts of y, fixed in the ground frame, when the axes turn: −δφ × y = ŷ δφ.
fn turning(y: &Vec6) -> Mat6 {
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&so3::hat(&se3::linear(y)));
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&so3::hat(&se3::angular(y)));
    m
}

/// Puts a derivative in the axes of the ends into ground components.
fn put(out: &mut Hessian, r: &[Mat3; 2], on: usize, of: usize, by: &Mat6) {
    for i in 0..2 {
        for j in 0..2 {
            let block: Mat3 = by.fixed_view::<3, 3>(3 * i, 3 * j).into();
            out[2 * on + i][2 * of + j] = r[on] * block * r[of].transpose();
        }
    }
}
