//! From moments of mass over a body to the integrals of [`Modal`].

use delassus_math::{Mat3, Vec3};

use crate::{MassPoint, Modal};
use nalgebra::DMatrix;

/// Moments of mass of a body and its modes. Pairs ij stand at `i * modes + j`.
#[derive(Debug, Clone)]
pub(crate) struct Moments {
    /// ∫ dm, kg.
    pub mass: f64,
    /// ∫ x dm, kg m.
    pub first: Vec3,
    /// ∫ x xᵀ dm, kg m².
    pub second: Mat3,
    /// ∫ φ_i dm.
    pub s1: Vec<Vec3>,
    /// ∫ ψ_ij dm.
    pub s2: Vec<Vec3>,
    /// ∫ x φ_iᵀ dm.
    pub with_place: Vec<Mat3>,
    /// ∫ φ_i φ_jᵀ dm.
    pub pairs: Vec<Mat3>,
    /// ∫ x ψ_ijᵀ dm.
    pub second_order: Vec<Mat3>,
}

impl Moments {
    pub fn zeros(n: usize) -> Moments {
        Moments {
            mass: 0.0,
            first: Vec3::zeros(),
            second: Mat3::zeros(),
            s1: vec![Vec3::zeros(); n],
            s2: vec![Vec3::zeros(); n * n],
            with_place: vec![Mat3::zeros(); n],
            pairs: vec![Mat3::zeros(); n * n],
            second_order: vec![Mat3::zeros(); n * n],
        }
    }

    /// Adds mass at a point.
    pub fn add_point(&mut self, p: &MassPoint) {
        let n = p.displacement.len();
        self.mass += p.mass;
        self.first += p.mass * p.at;
        self.second += p.mass * p.at * p.at.transpose();
        for i in 0..n {
            let d = p.displacement[i] * p.mass;
            self.s1[i] += d;
            self.with_place[i] += p.at * d.transpose();
            for j in 0..n {
                let ij = i * n + j;
                self.s2[ij] += p.shortening[ij] * p.mass;
                self.pairs[ij] += d * p.displacement[j].transpose();
                self.second_order[ij] += p.mass * p.at * p.shortening[ij].transpose();
            }
        }
    }

    /// Adds what mass with these second moments ∫ s sᵀ dm about its centre contributes where the modes turn it, each by a
    /// rotation with this cross-product matrix, to the second order.
    pub fn add_turned(&mut self, spread: &Mat3, turns: &[Mat3]) {
        let n = turns.len();
        for i in 0..n {
            self.with_place[i] += spread * turns[i].transpose();
            for j in 0..n {
                let (ij, product) = (i * n + j, turns[i] * turns[j]);
                self.pairs[ij] += turns[i] * spread * turns[j].transpose();
                self.second_order[ij] += 0.5 * spread * (product + product.transpose());
            }
        }
    }

    /// Displaces the body by −ψ_ij as a whole.
    pub fn shift(&mut self, psi: &[Vec3]) {
        for (ij, psi) in psi.iter().enumerate() {
            self.s2[ij] -= psi * self.mass;
            self.second_order[ij] -= self.first * psi.transpose();
        }
    }

    /// A body with these integrals, without stiffness, damping and nodes.
    pub fn into_modal(self) -> Modal {
        let n = self.s1.len();
        let about = |m: &Mat3| Mat3::identity() * m.trace() - m;
        let both = |m: &Mat3| m + m.transpose();
        let pairs = || self.pairs.iter().zip(&self.second_order);
        Modal {
            mass: self.mass,
            com: self.first / self.mass,
            inertia: about(&self.second),
            j1: self.with_place.iter().map(|m| about(&both(m))).collect(),
            j2: pairs().map(|(f, g)| about(&(both(f) + both(g)))).collect(),
            h1: self.with_place.iter().map(turn).collect(),
            h2: pairs().map(|(f, g)| turn(f) + turn(g)).collect(),
            mass_matrix: DMatrix::from_fn(n, n, |i, j| self.pairs[i * n + j].trace()),
            stiffness: DMatrix::zeros(n, n),
            damping: DMatrix::zeros(n, n),
            nodes: Vec::new(),
            followed: None,
            s1: self.s1,
            s2: self.s2,
        }
    }
}

/// ∫ a × b from ∫ a bᵀ.
fn turn(m: &Mat3) -> Vec3 {
    Vec3::new(m[(1, 2)] - m[(2, 1)], m[(2, 0)] - m[(0, 2)], m[(0, 1)] - m[(1, 0)])
}
