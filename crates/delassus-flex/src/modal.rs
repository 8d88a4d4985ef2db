//! A body that deforms by few modes, in its floating frame.

use crate::moments::Moments;
use delassus_math::{Mat3, Vec3};
use nalgebra::DMatrix;

/// A body whose points are displaced by modes with amplitudes q_i, all in the axes of its floating frame:
///
/// ```text
/// u(x) = Σ φ_i(x) q_i + ½ Σ ψ_ij(x) q_i q_j
/// ```
///
/// ψ is how much a beam shortens along its axis when it bends; it is what stiffens a beam that turns, and zero where it
/// is left out. With V the velocity of the frame's origin and Ω its angular velocity, in the axes of the frame,
///
/// ```text
/// T = ½ m V² + V·(Ω × S) + V·Ṡ + ½ Ω·JΩ + Ω·H q̇ + ½ q̇ᵀ M q̇        V_el = ½ qᵀ K q       dissipation ½ q̇ᵀ D q̇
/// S = m c + Σ s_i q_i + ½ Σ s_ij q_i q_j                  first moment of mass
/// J = J_0 + Σ J_i q_i + ½ Σ J_ij q_i q_j                  moments of inertia about the origin
/// H q̇ = Σ_j (h_j + Σ_i h_ij q_i) q̇_j                      angular momentum of the deformation about the origin
/// ```
///
/// Pairs ij stand at `i * modes + j`.
#[derive(Debug, Clone, PartialEq)]
pub struct Modal {
    /// Mass m, kg.
    pub mass: f64,
    /// Mass centre c of the undeformed body, m.
    pub com: Vec3,
    /// J_0 about the origin of the frame (not about the mass centre), kg m².
    pub inertia: Mat3,
    /// s_i = ∫ φ_i dm.
    pub s1: Vec<Vec3>,
    /// s_ij = ∫ ψ_ij dm, symmetric in ij.
    pub s2: Vec<Vec3>,
    /// J_i, symmetric matrices.
    pub j1: Vec<Mat3>,
    /// J_ij, symmetric matrices, symmetric in ij.
    pub j2: Vec<Mat3>,
    /// h_j = ∫ x × φ_j dm.
    pub h1: Vec<Vec3>,
    /// h_ij = ∫ φ_i × φ_j dm + ∫ x × ψ_ij dm.
    pub h2: Vec<Vec3>,
    /// M, symmetric and positive definite.
    pub mass_matrix: DMatrix<f64>,
    /// K, symmetric.
    pub stiffness: DMatrix<f64>,
    /// D, symmetric.
    pub damping: DMatrix<f64>,
    /// Where something may be fastened.
    pub nodes: Vec<Node>,
    /// Mass that is followed to all orders of q, of a body that shortens.
    pub followed: Option<Box<Followed>>,
}

/// T to the second order of q is a sum of squares only while deflections are small: what a mode has beside rigid motions
/// may be a hundredth of it, and then terms of ψ² count at deflections of a thirtieth of the length. So the mass of a body
/// that shortens is followed at points, exactly, and the integrals add what these points do not have of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// The mass, at points.
    pub points: Vec<MassPoint>,
    /// Integrals of the body less those of the points; no stiffness, damping and nodes.
    pub rest: Modal,
}

/// Mass at a point of the body.
#[derive(Debug, Clone, PartialEq)]
pub struct MassPoint {
    /// Mass, kg.
    pub mass: f64,
    /// Position in the undeformed body, m.
    pub at: Vec3,
    /// Displacement φ_i per unit of each mode.
    pub displacement: Vec<Vec3>,
    /// Second-order displacement ψ_ij.
    pub shortening: Vec<Vec3>,
}

/// A place of a modal body that carries frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name, unique in its body.
    pub name: String,
    /// Position in the undeformed body, m.
    pub at: Vec3,
    /// Displacement φ_i per unit of each mode.
    pub displacement: Vec<Vec3>,
    /// Second-order displacement ψ_ij; empty where it is left out.
    pub shortening: Vec<Vec3>,
    /// Rotation vector per unit of each mode, rad. The node is turned by exp(Σ θ_i q_i).
    pub rotation: Vec<Vec3>,
}

impl Modal {
    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.s1.len()
    }

    /// The same body with the origin of its floating frame moved to its undeformed mass centre.
    pub fn about_mass_centre(mut self) -> Modal {
        let c = std::mem::take(&mut self.com);
        self.move_origin(&c);
        if let Some(followed) = &mut self.followed {
            followed.points.iter_mut().for_each(|p| p.at -= c);
            followed.rest.move_origin(&c);
        }
        self
    }

    /// Integrals about c, the mass centre where there is mass.
    fn move_origin(&mut self, c: &Vec3) {
        // of a moment of mass s there: what J about c lacks of J about the origin
        let moved =
            |s: &Vec3| Mat3::identity() * (2.0 * c.dot(s)) - c * s.transpose() - s * c.transpose();
        // S = m c + …, of which m c vanishes
        self.inertia -= moved(c) * (0.5 * self.mass);
        for (j, s) in self.j1.iter_mut().zip(&self.s1).chain(self.j2.iter_mut().zip(&self.s2)) {
            *j -= moved(s);
        }
        for (h, s) in self.h1.iter_mut().zip(&self.s1).chain(self.h2.iter_mut().zip(&self.s2)) {
            *h -= c.cross(s);
        }
        for node in &mut self.nodes {
            node.at -= c;
        }
    }

    /// Has mass at points followed to all orders of q.
    pub(crate) fn follow(&mut self, points: Vec<MassPoint>) {
        let mut sums = Moments::zeros(self.modes());
        for p in &points {
            sums.add_point(p);
        }
        let rest = self.less(&sums.into_modal());
        self.followed = Some(Box::new(Followed { points, rest }));
    }

    /// Integrals of this body less those of another with the same mass centre.
    fn less(&self, other: &Modal) -> Modal {
        fn minus<T: Copy + std::ops::Sub<Output = T>>(a: &[T], b: &[T]) -> Vec<T> {
            a.iter().zip(b).map(|(a, b)| *a - *b).collect()
        }
        let none = || DMatrix::zeros(self.modes(), self.modes());
        Modal {
            mass: self.mass - other.mass,
            com: Vec3::zeros(),
            inertia: self.inertia - other.inertia,
            s1: minus(&self.s1, &other.s1),
            s2: minus(&self.s2, &other.s2),
            j1: minus(&self.j1, &other.j1),
            j2: minus(&self.j2, &other.j2),
            h1: minus(&self.h1, &other.h1),
            h2: minus(&self.h2, &other.h2),
            mass_matrix: &self.mass_matrix - &other.mass_matrix,
            stiffness: none(),
            damping: none(),
            nodes: Vec::new(),
            followed: None,
        }
    }

    /// Mean displacement of the mass per unit of a mode: √(M_ii / m).
    pub fn mean_displacement(&self, mode: usize) -> f64 {
        (self.mass_matrix[(mode, mode)] / self.mass).sqrt()
    }
}

impl Node {
    /// Rotation vector Σ θ_i q_i for amplitudes, rad.
    pub fn turn(&self, q: &[f64]) -> Vec3 {
        self.rotation.iter().zip(q).map(|(t, q)| t * *q).sum()
    }
}
