//! Elements of beams whose ends stay in the plane: what `beam.rs` says, with the closed forms of the plane.
//!
//! Vectors and matrices of three are (x, y, θ); the other entries of those of six are zero.

use super::beam::{Element, MOST_TURN, Strained};
use super::body::FrameKin;
use super::scalar::Hessian;
use delassus_math::se2::Screw;
use delassus_math::{Mat3, Vec3, Vec6};

fn in_plane(x: &Vec6) -> Vec3 {
    Vec3::new(x[0], x[1], x[5])
}

fn in_space(x: &Vec3) -> Vec6 {
    Vec6::new(x.x, x.y, 0.0, 0.0, 0.0, x.z)
}

/// Ground components to those in axes with this cosine and sine.
fn seen([c, s]: [f64; 2], x: f64, y: f64) -> [f64; 2] {
    [c * x + s * y, c * y - s * x]
}

/// The rotation of these axes.
fn rotation([c, s]: [f64; 2]) -> Mat3 {
    Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

impl Element {
    pub(super) fn evaluate_in_plane(
        &self,
        turns: &[[f64; 2]; 2],
        frames: [&FrameKin; 2],
    ) -> Strained {
        let axes = |end: usize| {
            let ([c, s], f) = (turns[end], &frames[end].axes);
            let (fc, fs) = (f[(0, 0)], f[(1, 0)]);
            [fc * c - fs * s, fs * c + fc * s]
        };
        let (a, b) = (axes(0), axes(1));
        let d = frames[1].p - frames[0].p;
        let ([x, y], [cos, sin]) = (seen(a, d.x, d.y), seen(a, b[0], b[1]));
        let mut screw = Screw::leading(x, y, cos, sin);
        if !(screw.xi.z.abs() <= MOST_TURN) {
            screw = Screw::leading(f64::NAN, f64::NAN, f64::NAN, f64::NAN);
        }
        let twist = |axes: [f64; 2], f: &FrameKin| {
            let [x, y] = seen(axes, f.v.x, f.v.y);
            Vec3::new(x, y, f.w.z)
        };
        let v = [twist(a, frames[0]), twist(b, frames[1])];
        let stiffness = in_plane(&self.k);
        let strain = screw.xi - in_plane(&self.rest);
        let mut w = stiffness.component_mul(&strain);
        let energy = 0.5 * strain.dot(&w);
        let mut loss = 0.0;
        if self.is_damped() {
            let rate = screw.inverse() * v[1] - screw.opposite().inverse() * v[0];
            let lost = stiffness.component_mul(&rate) * self.damping;
            loss = rate.dot(&lost);
            w += lost;
        }
        Strained {
            plane: Some(screw),
            r: [rotation(a), rotation(b)],
            xi: in_space(&screw.xi),
            w: in_space(&w),
            v: v.map(|v| in_space(&v)),
            energy,
            loss,
        }
    }

    pub(super) fn slopes_in_plane(
        &self,
        s: &Strained,
        screw: &Screw,
        by_pose: &mut Hessian,
        by_twist: &mut Hessian,
    ) {
        let back = screw.opposite();
        let inverse = [back.inverse(), screw.inverse()];
        let (w, v) = (in_plane(&s.w), [in_plane(&s.v[0]), in_plane(&s.v[1])]);
        let xi_by = [-inverse[0], inverse[1]];
        let k = in_plane(&self.k);
        let stiff = |m: &Mat3, c: f64| Mat3::from_fn(|i, j| c * k[i] * m[(i, j)]);
        let mut w_by = [stiff(&xi_by[0], 1.0), stiff(&xi_by[1], 1.0)];
        if self.is_damped() {
            let rate_by_xi = screw.slope(&v[1]) + back.slope(&v[0]);
            for end in 0..2 {
                let rate_by = rate_by_xi * xi_by[end] + xi_by[end] * turning(&v[end]);
                w_by[end] += stiff(&rate_by, self.damping);
            }
        }
        let wrench = [inverse[0].transpose(), -inverse[1].transpose()];
        let slope = [-back.transpose_slope(&w), -screw.transpose_slope(&w)];
        for on in 0..2 {
            for of in 0..2 {
                let mut by = wrench[on] * w_by[of] + slope[on] * xi_by[of];
                if on == of {
                    by -= turning(&(wrench[on] * w));
                }
                put(by_pose, &s.r, on, of, &by);
                if self.is_damped() {
                    let by = wrench[on] * stiff(&xi_by[of], self.damping);
                    put(by_twist, &s.r, on, of, &by);
                }
            }
        }
    }
}

/// Force and moment on the first frame, then on the second, ground components.
pub(super) fn wrenches_in_plane(s: &Strained, screw: &Screw) -> [Vec3; 4] {
    let w = in_plane(&s.w);
    let on_a = screw.opposite().inverse().tr_mul(&w);
    let on_b = -screw.inverse().tr_mul(&w);
    let lin = |r: &Mat3, f: &Vec3| {
        let (c, s) = (r[(0, 0)], r[(1, 0)]);
        Vec3::new(c * f.x - s * f.y, s * f.x + c * f.y, 0.0)
    };
    let ang = |f: &Vec3| Vec3::new(0.0, 0.0, f.z);
    [lin(&s.r[0], &on_a), ang(&on_a), lin(&s.r[1], &on_b), ang(&on_b)]
}

/// Change of components fixed in the ground frame when the axes turn.
fn turning(y: &Vec3) -> Mat3 {
    Mat3::new(0.0, 0.0, y.y, 0.0, 0.0, -y.x, 0.0, 0.0, 0.0)
}

/// Puts a derivative in the axes of the ends into ground components.
fn put(out: &mut Hessian, r: &[Mat3; 2], on: usize, of: usize, by: &Mat3) {
    let ground = r[on] * by * r[of].transpose();
    let (lin, ang) = (2 * on, 2 * on + 1);
    for i in 0..2 {
        for j in 0..2 {
            out[lin][2 * of][(i, j)] = ground[(i, j)];
        }
        out[lin][2 * of + 1][(i, 2)] = ground[(i, 2)];
        out[ang][2 * of][(2, i)] = ground[(2, i)];
    }
    out[ang][2 * of + 1][(2, 2)] = ground[(2, 2)];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::contract::{Lab, Pose, Rng, scene};

    /// What both forms say of the same element; the plane leaves no other entries.
    #[test]
    fn the_forms_of_space_say_the_same() {
        for damping in ["", "damping = 0.2\n"] {
            let mut lab = Lab::new(&format!(
                "{}[force.f]\ntype = 'beam'\nbetween = ['a.m', 'b.n']\nlength = 0.7\nEA = 50\n\
                 GA = 40\nEI = 3\n{damping}",
                scene("planar")
            ));
            let e = lab.sys.beam_elements[0].clone();
            assert!(e.plane.is_some());
            let mut in_space = e.clone();
            in_space.plane = None;
            for seed in 0..4 {
                let s = lab.state(&mut Rng(seed), Pose::Free, None);
                lab.realize(&s);
                let frames = [&lab.ws.kin.frames[e.a], &lab.ws.kin.frames[e.b]];
                if e.turn(frames[0], frames[1]) > 2.0 {
                    continue;
                }
                let [x, y] = [&e, &in_space].map(|e| {
                    let s = e.evaluate(frames[0], frames[1]);
                    let (mut by_pose, mut by_twist) =
                        ([[Mat3::zeros(); 4]; 4], [[Mat3::zeros(); 4]; 4]);
                    e.slopes(&s, &mut by_pose, &mut by_twist);
                    (e.wrenches(&s), [s.energy, s.loss], s.xi, by_pose, by_twist)
                });
                assert!((x.2 - y.2).norm() < 1e-13);
                for k in 0..2 {
                    assert!((x.1[k] - y.1[k]).abs() < 1e-11 * (1.0 + y.1[k].abs()));
                }
                for i in 0..4 {
                    assert!((x.0[i] - y.0[i]).norm() < 1e-11 * (1.0 + y.0[i].norm()));
                    for j in 0..4 {
                        for (x, y) in [(&x.3, &y.3), (&x.4, &y.4)] {
                            let planar = |m: &Mat3| {
                                let (rows, cols) = (i % 2 * 2..i % 2 + 2, j % 2 * 2..j % 2 + 2);
                                let kept = |r, c| rows.contains(&r) && cols.contains(&c);
                                Mat3::from_fn(|r, c| if kept(r, c) { m[(r, c)] } else { 0.0 })
                            };
                            let (x, y) = (x[i][j], planar(&y[i][j]));
                            assert!((x - y).norm() < 1e-10 * (1.0 + y.norm()), "{i} {j} {x} {y}");
                        }
                    }
                }
            }
        }
    }
}
