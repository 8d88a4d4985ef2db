//! Whether the numbers of a modal body can belong to a body.

use crate::{FlexError, Modal};
use delassus_math::{Mat3, Vec3, largest, so3};
use nalgebra::{DMatrix, DVector};

/// Difference of an entry from its mirror image, relative to the largest entries of its row and column, that is more
/// than rounding in a file with nine digits.
const ASYMMETRY: f64 = 1e-8;
/// The same, relative to the largest entry of all, for entries that are zero but for rounding.
const ROUNDING: f64 = 1e-12;
const AXES: [&str; 3] = ["x", "y", "z"];
/// Smallest eigenvalue of a positive definite matrix with a diagonal of ones: below it, solutions have no correct digit
/// beyond the fourth, and shapes repeat each other.
const DEFINITE: f64 = 1e-12;
/// Negative eigenvalue, relative to the largest one, that is more than rounding in a file with nine digits.
const UNSTABLE: f64 = 1e-8;

impl Modal {
    /// Checks that sizes agree, that all numbers are finite, that matrices are symmetric and as definite as their
    /// meaning asks for, and that no motion of the body in the undeformed position is without kinetic energy.
    pub fn check(&self) -> Result<(), FlexError> {
        self.sizes()?;
        self.finite()?;
        if !(self.mass > 0.0) {
            return Err(FlexError::Mass(self.mass));
        }
        self.symmetric()?;
        positive(
            "the mass matrix of the modes",
            &self.mass_matrix,
            "two modes have the same shape",
        )?;
        if self.modes() > 0 {
            // of size one: squares of what a file may hold need not be finite
            let size = self.stiffness.amax().max(f64::MIN_POSITIVE);
            let k = (&self.stiffness / size).symmetric_eigenvalues() * size;
            let (least, most) = (k.min(), k.amax());
            if least < -UNSTABLE * most {
                return Err(FlexError::Unstable { least, most });
            }
        }
        positive(
            "the mass matrix of the whole body",
            &self.mass_at_rest(),
            "a rotation without moment of inertia, modes that repeat a motion of the rigid body, \
             or integrals that belong to different bodies or units",
        )
    }

    fn sizes(&self) -> Result<(), FlexError> {
        let n = self.modes();
        let size = |what: &str, got: usize, expected: usize| {
            if got == expected {
                Ok(())
            } else {
                Err(FlexError::Size { what: what.to_owned(), expected, got })
            }
        };
        size("s_ij", self.s2.len(), n * n)?;
        size("J_i", self.j1.len(), n)?;
        size("J_ij", self.j2.len(), n * n)?;
        size("h_j", self.h1.len(), n)?;
        size("h_ij", self.h2.len(), n * n)?;
        for (what, m) in self.matrices() {
            size(&format!("a row of {what}"), m.ncols(), n)?;
            size(&format!("a column of {what}"), m.nrows(), n)?;
        }
        for (k, node) in self.nodes.iter().enumerate() {
            let of = |what: &str| format!("the {what} of node `{}`", node.name);
            size(&of("displacement"), node.displacement.len(), n)?;
            size(&of("rotation"), node.rotation.len(), n)?;
            if !node.shortening.is_empty() {
                size(&of("shortening"), node.shortening.len(), n * n)?;
            }
            if self.nodes[..k].iter().any(|other| other.name == node.name) {
                return Err(FlexError::SameName(node.name.clone()));
            }
        }
        Ok(())
    }

    fn matrices(&self) -> [(&'static str, &DMatrix<f64>); 3] {
        [
            ("the mass matrix of the modes", &self.mass_matrix),
            ("the stiffness matrix", &self.stiffness),
            ("the damping matrix", &self.damping),
        ]
    }

    fn finite(&self) -> Result<(), FlexError> {
        let one = |what: &str, good: bool| {
            if good { Ok(()) } else { Err(FlexError::NotFinite { what: what.to_owned() }) }
        };
        let vectors = |list: &[Vec3]| list.iter().flat_map(|v| v.iter()).all(|x| x.is_finite());
        let matrices = |list: &[Mat3]| list.iter().flat_map(|m| m.iter()).all(|x| x.is_finite());
        one("the mass", self.mass.is_finite())?;
        one("the mass centre", vectors(&[self.com]))?;
        one("a moment of inertia", matrices(&[self.inertia]))?;
        one("an entry of s_i", vectors(&self.s1))?;
        one("an entry of s_ij", vectors(&self.s2))?;
        one("an entry of J_i", matrices(&self.j1))?;
        one("an entry of J_ij", matrices(&self.j2))?;
        one("an entry of h_j", vectors(&self.h1))?;
        one("an entry of h_ij", vectors(&self.h2))?;
        for (what, m) in self.matrices() {
            one(&format!("an entry of {what}"), m.iter().all(|x| x.is_finite()))?;
        }
        for node in &self.nodes {
            let lists = [&node.displacement, &node.shortening, &node.rotation];
            let good = vectors(&[node.at]) && lists.iter().all(|list| vectors(list));
            one(&format!("an entry of node `{}`", node.name), good)?;
        }
        Ok(())
    }

    fn symmetric(&self) -> Result<(), FlexError> {
        let n = self.modes();
        for (what, m) in self.matrices() {
            same_both_ways(what, n, 0.0, |i, j| m[(i, j)])?;
        }
        same_both_ways("the matrix of moments of inertia", 3, 0.0, |i, j| self.inertia[(i, j)])?;
        let most_of = |list: &[Mat3]| largest(list.iter().map(Mat3::amax));
        let (most, most_pairs) = (most_of(&self.j1), most_of(&self.j2));
        for (k, m) in self.j1.iter().enumerate() {
            let what = format!("J_i for i = {}", k + 1);
            same_both_ways(&what, 3, most, |i, j| m[(i, j)])?;
        }
        for (k, m) in self.j2.iter().enumerate() {
            let what = format!("J_ij for i = {}, j = {}", k / n + 1, k % n + 1);
            same_both_ways(&what, 3, most_pairs, |i, j| m[(i, j)])?;
        }
        for a in 0..3 {
            for b in 0..=a {
                let what = format!("J_ij, component {}{}", AXES[a], AXES[b]);
                same_both_ways(&what, n, most_pairs, |i, j| self.j2[i * n + j][(a, b)])?;
            }
        }
        mirrored("s_ij", n, &self.s2)?;
        let with = self.nodes.iter().filter(|node| !node.shortening.is_empty());
        for node in with {
            mirrored(&format!("the shortening of node `{}`", node.name), n, &node.shortening)?;
        }
        Ok(())
    }

    /// Mass matrix of (V, Ω, q̇) in the undeformed body.
    fn mass_at_rest(&self) -> DMatrix<f64> {
        let n = self.modes();
        let mut out = DMatrix::zeros(6 + n, 6 + n);
        let offset = so3::hat(&(self.mass * self.com));
        for i in 0..3 {
            out[(i, i)] = self.mass;
        }
        out.fixed_view_mut::<3, 3>(0, 3).copy_from(&-offset);
        out.fixed_view_mut::<3, 3>(3, 0).copy_from(&offset);
        out.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inertia);
        for j in 0..n {
            for a in 0..3 {
                out[(a, 6 + j)] = self.s1[j][a];
                out[(6 + j, a)] = self.s1[j][a];
                out[(3 + a, 6 + j)] = self.h1[j][a];
                out[(6 + j, 3 + a)] = self.h1[j][a];
            }
        }
        out.view_mut((6, 6), (n, n)).copy_from(&self.mass_matrix);
        out
    }
}

/// Whether a list of vectors is symmetric in ij.
fn mirrored(what: &str, n: usize, list: &[Vec3]) -> Result<(), FlexError> {
    let most = largest(list.iter().map(Vec3::amax));
    (0..3).try_for_each(|a| {
        same_both_ways(&format!("{what} along {}", AXES[a]), n, most, |i, j| list[i * n + j][a])
    })
}

/// Whether entries equal their mirror images, measured by the largest entries of row and column, or as rounding by the
/// largest of all that belong together.
fn same_both_ways(
    what: &str,
    n: usize,
    most: f64,
    entry: impl Fn(usize, usize) -> f64,
) -> Result<(), FlexError> {
    let size: Vec<f64> = (0..n).map(|i| largest((0..n).map(|j| entry(i, j).abs()))).collect();
    for i in 0..n {
        for j in 0..i {
            let (one, other) = (entry(i, j), entry(j, i));
            let allowed = ASYMMETRY * size[i].max(size[j]) + ROUNDING * most;
            if !((one - other).abs() <= allowed) {
                let what = what.to_owned();
                return Err(FlexError::NotSymmetric { what, row: i + 1, col: j + 1, one, other });
            }
        }
    }
    Ok(())
}

/// Whether a symmetric matrix is positive definite, in units in which its diagonal is ones.
fn positive(what: &str, m: &DMatrix<f64>, hint: &'static str) -> Result<(), FlexError> {
    let n = m.nrows();
    let failure = |least| Err(FlexError::NotPositive { what: what.to_owned(), least, hint });
    if n == 0 {
        return Ok(());
    }
    let least = m.diagonal().min();
    if !(least > 0.0) {
        return failure(least);
    }
    let unit = DVector::from_fn(n, |i, _| 1.0 / m[(i, i)].sqrt());
    let scaled = DMatrix::from_fn(n, n, |i, j| 0.5 * (m[(i, j)] + m[(j, i)]) * unit[i] * unit[j]);
    // no entry of a definite matrix is larger than those on its diagonal, which also keeps overflow out of what follows
    let most = largest(scaled.iter().map(|x| x.abs()));
    if !(most < 1.0 + ASYMMETRY) {
        return failure(1.0 - most);
    }
    let least = scaled.symmetric_eigenvalues().min();
    if least > DEFINITE { Ok(()) } else { failure(least) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Node;

    /// A point mass of 1 kg on each of six arms, one of which is a spring along x.
    fn star() -> Modal {
        let mut inertia = Mat3::zeros();
        for k in 0..3 {
            inertia[(k, k)] = 4.0;
        }
        let mut j1 = Mat3::zeros();
        j1[(1, 1)] = 2.0;
        j1[(2, 2)] = 2.0;
        Modal {
            mass: 6.0,
            com: Vec3::zeros(),
            inertia,
            s1: vec![Vec3::x()],
            s2: vec![Vec3::zeros()],
            j1: vec![j1],
            j2: vec![j1],
            h1: vec![Vec3::zeros()],
            h2: vec![Vec3::zeros()],
            mass_matrix: DMatrix::from_element(1, 1, 1.0),
            stiffness: DMatrix::from_element(1, 1, 100.0),
            damping: DMatrix::zeros(1, 1),
            nodes: vec![Node {
                name: "tip".into(),
                at: Vec3::x(),
                displacement: vec![Vec3::x()],
                shortening: Vec::new(),
                rotation: vec![Vec3::zeros()],
            }],
            followed: None,
        }
    }

    #[test]
    fn a_body_passes() {
        star().check().unwrap();
    }

    #[test]
    fn a_body_without_modes_passes() {
        let mut m = star();
        for list in [&mut m.s1, &mut m.s2, &mut m.h1, &mut m.h2] {
            list.clear();
        }
        m.j1.clear();
        m.j2.clear();
        for matrix in [&mut m.mass_matrix, &mut m.stiffness, &mut m.damping] {
            *matrix = DMatrix::zeros(0, 0);
        }
        m.nodes.clear();
        m.check().unwrap();
    }

    /// Each fault alone is found, and named.
    #[test]
    fn faults_are_named() {
        type Fault = (&'static str, fn(&mut Modal));
        let faults: [Fault; 14] = [
            ("s_ij has 0 entries, but 1", |m| m.s2.clear()),
            ("damping matrix has 2 entries", |m| m.damping = DMatrix::zeros(1, 2)),
            ("displacement of node `tip`", |m| m.nodes[0].displacement.clear()),
            ("two nodes are called `tip`", |m| m.nodes.push(m.nodes[0].clone())),
            ("h_j is not a finite", |m| m.h1[0].x = f64::NAN),
            ("mass is 0 kg", |m| m.mass = 0.0),
            ("moments of inertia is not symmetric", |m| m.inertia[(0, 1)] = 0.1),
            ("J_i for i = 1 is not symmetric", |m| m.j1[0][(0, 1)] = 0.1),
            ("modes is not positive definite", |m| m.mass_matrix[(0, 0)] = -1.0),
            ("negative eigenvalue", |m| m.stiffness[(0, 0)] = -1.0),
            ("whole body is not positive definite", |m| m.s1[0].x = 2.5),
            ("whole body is not positive definite", |m| m.inertia[(2, 2)] = 0.0),
            ("whole body is not positive definite", |m| m.s1[0].x = 1e308),
            ("negative eigenvalue -1.000e308", |m| m.stiffness[(0, 0)] = -1e308),
        ];
        for (text, spoil) in faults {
            let mut m = star();
            spoil(&mut m);
            let error = m.check().unwrap_err().to_string();
            assert!(error.contains(text), "{text}: {error}");
        }
    }
}
