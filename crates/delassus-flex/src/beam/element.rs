//! One straight element: interpolation, stiffness and mass.
//!
//! Displacements and rotations between the ends are those of a beam that is loaded at its ends only. With shear they
//! depend on Φ = 12 EI/(GA L²), so that nothing locks; Φ = 0 is Euler's and Bernoulli's beam, with cubic polynomials:
//!
//! J. S. Przemieniecki (1968), *Theory of Matrix Structural Analysis*, sections 5.6 and 11.5.

use super::{BeamElement, Section};
use crate::layout::LARGEST;
use delassus_math::{Mat3, Vec3};
use nalgebra::{SMatrix, SVector};

/// 12 × 12.
pub(crate) type Mat12 = SMatrix<f64, 12, 12>;
type Rows = SMatrix<f64, 3, 12>;

/// Sine of the angle between the axis and the given direction of y below which y has none.
const ALONG: f64 = 1e-6;

/// Points and weights on [0, 1] that integrate polynomials of degree 7 exactly: all products of the interpolation.
pub(crate) const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// An element with its place.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub section: Section,
    /// Start, m.
    start: Vec3,
    /// Length, m.
    pub length: f64,
    /// x along the axis, y and z those of the section, as columns.
    pub axes: Mat3,
    /// Φ of bending along y and along z.
    phi: [f64; 2],
}

/// What the twelve coordinates of the ends do at a place.
#[derive(Debug, Clone)]
pub(crate) struct Interpolation {
    pub displacement: Rows,
    /// Its derivative along the axis, 1/m.
    pub slope: Rows,
    pub rotation: Rows,
}

impl Element {
    pub fn new(e: &BeamElement, [a, b]: [Vec3; 2]) -> Result<Element, String> {
        let s = &e.section;
        let names = ["EA", "GA along y", "GA along z", "GJ", "EI about y", "EI about z"];
        for (k, (x, name)) in s.stiffness.iter().zip(names).enumerate() {
            let shear = k == 1 || k == 2;
            if !(*x > 0.0) || !(*x <= LARGEST || shear) {
                return Err(format!(
                    "has a stiffness {name} of {x}, but it must be more than 0 and a number"
                ));
            }
        }
        if !(s.mass > 0.0 && s.mass <= LARGEST) {
            return Err(format!("has {} kg per metre, but its mass must be more than 0", s.mass));
        }
        if !s.inertia.iter().all(|x| (0.0..=LARGEST).contains(x)) {
            let [y, z] = s.inertia;
            return Err(format!(
                "has moments of inertia of {y} and {z} kg m, but none may be negative"
            ));
        }
        let length = (b - a).norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err("has no length: its ends are one point".to_owned());
        }
        let x = (b - a) / length;
        let across = x.cross(&e.y);
        if !(across.norm() > ALONG * e.y.norm()) {
            return Err("has its section's y direction along its axis".to_owned());
        }
        let z = across.normalize();
        let phi = |bending: f64, shear: f64| 12.0 * bending / (shear * length * length);
        Ok(Element {
            section: *s,
            start: a,
            length,
            axes: Mat3::from_columns(&[x, z.cross(&x), z]),
            phi: [phi(s.stiffness[5], s.stiffness[1]), phi(s.stiffness[4], s.stiffness[2])],
        })
    }

    /// Place of ξ from 0 to 1 along it, m.
    pub fn place(&self, xi: f64) -> Vec3 {
        self.start + self.axes.column(0) * (xi * self.length)
    }

    /// Second moments of mass of the section, ∫ s sᵀ dm per length, kg m.
    pub fn spread(&self) -> Mat3 {
        let [iy, iz] = self.section.inertia;
        let diagonal = Mat3::from_diagonal(&Vec3::new(0.0, iz, iy));
        self.axes * diagonal * self.axes.transpose()
    }

    /// Displacement, slope and rotation at ξ from 0 to 1.
    pub fn at(&self, xi: f64) -> Interpolation {
        let l = self.length;
        let (mut displacement, mut slope, mut rotation) =
            (Rows::zeros(), Rows::zeros(), Rows::zeros());
        for (target, values) in
            [(&mut displacement, [1.0 - xi, xi]), (&mut slope, [-1.0 / l, 1.0 / l])]
        {
            target[(0, 0)] = values[0];
            target[(0, 6)] = values[1];
        }
        rotation[(0, 3)] = 1.0 - xi;
        rotation[(0, 9)] = xi;
        // bending along y turns about +z, bending along z about −y
        for (across, about, sign, phi) in [(1, 5, 1.0, self.phi[0]), (2, 4, -1.0, self.phi[1])] {
            let b = bending(xi, l, phi);
            let columns = [across, about, across + 6, about + 6];
            for (k, column) in columns.into_iter().enumerate() {
                let turned = if k % 2 == 1 { sign } else { 1.0 };
                displacement[(across, column)] = turned * b.value[k];
                slope[(across, column)] = turned * b.slope[k];
                rotation[(about - 3, column)] = sign * turned * b.angle[k];
            }
        }
        Interpolation {
            displacement: self.turned(&displacement),
            slope: self.turned(&slope),
            rotation: self.turned(&rotation),
        }
    }

    /// From the axes of the element to those of the body.
    fn turned(&self, rows: &Rows) -> Rows {
        let mut out = Rows::zeros();
        for k in (0..12).step_by(3) {
            let block = self.axes * rows.fixed_columns::<3>(k) * self.axes.transpose();
            out.fixed_columns_mut::<3>(k).copy_from(&block);
        }
        out
    }

    /// Stiffness against displacements and rotations of its ends.
    pub fn stiffness(&self) -> Mat12 {
        let (s, l) = (&self.section.stiffness, self.length);
        let mut k = Mat12::zeros();
        for (at, stiff) in [(0, s[0] / l), (3, s[3] / l)] {
            k[(at, at)] = stiff;
            k[(at, at + 6)] = -stiff;
            k[(at + 6, at)] = -stiff;
            k[(at + 6, at + 6)] = stiff;
        }
        for (across, about, sign, ei, phi) in
            [(1, 5, 1.0, s[5], self.phi[0]), (2, 4, -1.0, s[4], self.phi[1])]
        {
            let c = ei / ((1.0 + phi) * l * l * l);
            let (near, far) = ((4.0 + phi) * l * l, (2.0 - phi) * l * l);
            let local = [
                [12.0, 6.0 * l, -12.0, 6.0 * l],
                [6.0 * l, near, -6.0 * l, far],
                [-12.0, -6.0 * l, 12.0, -6.0 * l],
                [6.0 * l, far, -6.0 * l, near],
            ];
            let columns = [across, about, across + 6, about + 6];
            for (i, row) in local.iter().enumerate() {
                for (j, x) in row.iter().enumerate() {
                    let turned = if (i + j) % 2 == 1 { sign } else { 1.0 };
                    k[(columns[i], columns[j])] = turned * c * x;
                }
            }
        }
        let mut out = Mat12::zeros();
        for i in (0..12).step_by(3) {
            for j in (0..12).step_by(3) {
                let block = self.axes * k.fixed_view::<3, 3>(i, j) * self.axes.transpose();
                out.fixed_view_mut::<3, 3>(i, j).copy_from(&block);
            }
        }
        out
    }

    /// Mass matrix of the interpolated motion, rotation of sections included.
    pub fn mass(&self) -> Mat12 {
        let spread = self.spread();
        let turning = Mat3::identity() * spread.trace() - spread;
        let mut out = Mat12::zeros();
        for (xi, weight) in GAUSS {
            let at = self.at(xi);
            let (d, t) = (&at.displacement, &at.rotation);
            let w = weight * self.length;
            out +=
                (d.transpose() * d) * (w * self.section.mass) + t.transpose() * (turning * w) * t;
        }
        out
    }
}

/// Bending of v₁, θ₁, v₂, θ₂.
struct Bending {
    value: SVector<f64, 4>,
    slope: SVector<f64, 4>,
    angle: SVector<f64, 4>,
}

fn bending(x: f64, l: f64, phi: f64) -> Bending {
    let (x2, x3) = (x * x, x * x * x);
    let value = SVector::<f64, 4>::new(
        1.0 - 3.0 * x2 + 2.0 * x3 + phi * (1.0 - x),
        l * (x - 2.0 * x2 + x3 + 0.5 * phi * (x - x2)),
        3.0 * x2 - 2.0 * x3 + phi * x,
        l * (x3 - x2 + 0.5 * phi * (x2 - x)),
    );
    let slope = SVector::<f64, 4>::new(
        (6.0 * (x2 - x) - phi) / l,
        1.0 - 4.0 * x + 3.0 * x2 + 0.5 * phi * (1.0 - 2.0 * x),
        (6.0 * (x - x2) + phi) / l,
        3.0 * x2 - 2.0 * x + 0.5 * phi * (2.0 * x - 1.0),
    );
    let angle = SVector::<f64, 4>::new(
        6.0 * (x2 - x) / l,
        1.0 - 4.0 * x + 3.0 * x2 + phi * (1.0 - x),
        6.0 * (x - x2) / l,
        3.0 * x2 - 2.0 * x + phi * x,
    );
    let part = 1.0 / (1.0 + phi);
    Bending { value: value * part, slope: slope * part, angle: angle * part }
}
