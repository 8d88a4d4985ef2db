//! Mass at points of a body that deforms, followed to all orders of the amplitudes q.
//!
//! In the axes of the floating frame, from the mass centre of the undeformed body, with the D_i = φ_i + Σ_j ψ_ij q_j:
//!
//! ```text
//! y = at + Σ φ_i q_i + ½ ΣΣ ψ_ij q_i q_j                                          ẏ = Σ D_i q̇_i
//! A = B + Ω̇ × y + 2 Ω × ẏ + Ω × (Ω × y) + Σ D_i q̈_i + ΣΣ ψ_ij q̇_i q̇_j           B = Rᵀ(ẍ − g)
//! ```
//!
//! and its inertia forces are m A on the origin, m y × A about it, and m D_i·A on mode i.

use super::node::row;
use delassus_flex::MassPoint;
use delassus_math::Vec3;

/// Modes up to which D_i is kept for a point instead of being computed where it is needed.
const KEPT: usize = 24;

/// All points of a body at the realised state.
pub(super) struct MassPoints<'h> {
    pub points: &'h [MassPoint],
    pub q: &'h [f64],
    pub u: &'h [f64],
    /// Ω.
    pub o: Vec3,
}

/// Accelerations: B, Ω̇ and q̈ (none where they are zero).
pub(super) struct Flow<'h> {
    pub b: Vec3,
    pub alpha: Vec3,
    pub qdd: &'h [f64],
}

/// One point.
pub(super) struct MovingPoint<'h> {
    pub mass: f64,
    /// y and ẏ.
    pub y: Vec3,
    pub rate: Vec3,
    /// ΣΣ ψ_ij q̇_i q̇_j.
    bias: Vec3,
    p: &'h MassPoint,
    q: &'h [f64],
    u: &'h [f64],
    o: Vec3,
    d: [Vec3; KEPT],
}

impl Flow<'_> {
    /// Nothing accelerates but the origin, against gravity.
    pub fn fallen(b: Vec3) -> Flow<'static> {
        Flow { b, alpha: Vec3::zeros(), qdd: &[] }
    }
}

impl<'h> MassPoints<'h> {
    pub fn placed(&self) -> impl Iterator<Item = MovingPoint<'h>> {
        let (q, u, o) = (self.q, self.u, self.o);
        self.points.iter().map(move |p| {
            let zero = Vec3::zeros();
            let (mut y, mut rate, mut bias, mut d) = (p.at, zero, zero, [zero; KEPT]);
            for i in 0..q.len() {
                let bent = row(zero, &p.shortening, i, q);
                let by = p.displacement[i] + bent;
                y += (by - bent * 0.5) * q[i];
                rate += by * u[i];
                bias += row(zero, &p.shortening, i, u) * u[i];
                if let Some(kept) = d.get_mut(i) {
                    *kept = by;
                }
            }
            MovingPoint { mass: p.mass, y, rate, bias, p, q, u, o, d }
        })
    }
}

impl MovingPoint<'_> {
    /// D_i.
    pub fn by(&self, i: usize) -> Vec3 {
        match self.d.get(i) {
            Some(by) => *by,
            None => self.p.displacement[i] + self.along(i, self.q),
        }
    }

    /// Σ_j ψ_ij x_j.
    fn along(&self, i: usize, x: &[f64]) -> Vec3 {
        row(Vec3::zeros(), &self.p.shortening, i, x)
    }

    /// ∂D_i/∂q_k = ψ_ik.
    pub fn second(&self, i: usize, k: usize) -> Vec3 {
        self.p.shortening[i * self.q.len() + k]
    }

    /// A.
    pub fn acceleration(&self, f: &Flow<'_>) -> Vec3 {
        let own: Vec3 = f.qdd.iter().enumerate().map(|(i, a)| self.by(i) * *a).sum();
        let turned = self.rate * 2.0 + self.o.cross(&self.y);
        f.b + f.alpha.cross(&self.y) + self.o.cross(&turned) + own + self.bias
    }

    /// ∂A/∂Ω along e.
    pub fn by_spin(&self, e: &Vec3) -> Vec3 {
        let turned = self.rate * 2.0 + self.o.cross(&self.y);
        e.cross(&turned) + self.o.cross(&e.cross(&self.y))
    }

    /// ∂A/∂q_k.
    pub fn by_amplitude(&self, k: usize, f: &Flow<'_>) -> Vec3 {
        let d = self.by(k);
        let turned = self.along(k, self.u) * 2.0 + self.o.cross(&d);
        f.alpha.cross(&d) + self.o.cross(&turned) + self.along(k, f.qdd)
    }

    /// ∂A/∂q̇_k.
    pub fn by_rate(&self, k: usize) -> Vec3 {
        (self.o.cross(&self.by(k)) + self.along(k, self.u)) * 2.0
    }
}
