//! How points whose rows depend on each other share a load.
//!
//! The corners of a box on a floor bear its weight in many ways, all with the same motion. A mode solves
//! for as many forces as are independent and lets the others keep their shares, so the shares should
//! leave room on all sides: then the forces fulfil the laws for as long as the loads change little, and
//! nobody has to look for others. Of all forces that hold the points,
//!
//! ```text
//! B x = −u̇_free,   B = W of the independent rows,   x = S² Bᵀ (B S² Bᵀ)⁻¹ (−u̇_free)
//! ```
//!
//! is the smallest in the scale S. First S = 1: normal forces vary linearly over a face. Then S = r_N for
//! sticking directions: friction in proportion to the load. Where that breaks a law, the forces of the
//! selection are taken, which fulfil all laws but may be at the border of some.

use crate::basic::BasicSolver;
use crate::mode::{Mode, Motion};
use crate::release::Selector;
use crate::response::Member;
use delassus_dae::{Law, Unilateral};
use delassus_math::max_abs;

/// Part of the largest normal force that scales friction where there is none.
const LEAST: f64 = 1e-6;

/// The force problem of a mode at the state of the last selection.
struct Problem {
    /// Each force as rows of W with factors; the first row is its equation.
    parts: Vec<[(usize, f64); 3]>,
    /// B, row by row.
    rows: Vec<f64>,
    /// Right-hand sides.
    b: Vec<f64>,
}

impl Selector {
    /// Gives the dependent forces of a mode of the last selection their shares.
    pub(crate) fn share<P: Unilateral>(&self, mode: &mut Mode<P>) {
        let Some(problem) = self.force_problem(mode) else { return };
        let n = problem.parts.len();
        let mut scale = vec![1.0; n];
        let mut x = problem.smallest(&scale);
        let mut normal = 0.0;
        let largest = max_abs(&x);
        for (k, f) in mode.forces.iter().enumerate() {
            // each point has its normal force first
            if f.row == 0 {
                normal = x[k].max(LEAST * largest);
            } else {
                scale[k] = normal;
            }
        }
        if largest > 0.0 {
            let mean = scale.iter().sum::<f64>() / n as f64;
            for (f, s) in mode.forces.iter().zip(&mut scale) {
                if f.row == 0 {
                    *s = mean;
                }
            }
            x = problem.smallest(&scale);
        }
        if !mode.are_lawful(&x) {
            let forces = &self.forces;
            x = problem.parts.iter().map(|p| forces.get(p[0].0).copied().unwrap_or(0.0)).collect();
        }
        mode.share(&x);
    }

    fn force_problem<P: Unilateral>(&self, mode: &Mode<P>) -> Option<Problem> {
        let r = &self.response;
        let active = mode.active();
        let member =
            |k: usize| -> Option<&Member> { r.members.iter().find(|m| m.id == active[k].id) };
        let mut known = vec![0.0; r.n];
        for (k, a) in active.iter().enumerate() {
            if let (Some(m), Motion::Slip(d)) = (member(k), a.motion)
                && let Law::DryFriction { bound, .. } = m.law
            {
                known[m.row] = -bound * d[0];
            }
        }
        let mut u_dot = self.u_dot.clone();
        r.add_product(&known, &mut u_dot);
        let mut parts = Vec::with_capacity(mode.forces.len());
        for f in &mode.forces {
            let m = member(f.point)?;
            let own = m.row + f.row;
            let mut part = [(own, 1.0), (own, 0.0), (own, 0.0)];
            if let (Law::Contact { mu, tangential, .. }, Motion::Slip(d), 0) =
                (m.law, active[f.point].motion, f.row)
            {
                for i in 0..tangential {
                    part[1 + i] = (own + 1 + i, -mu * d[i]);
                }
            }
            parts.push(part);
        }
        let (mut rows, mut b) = (Vec::new(), Vec::new());
        for (_, part) in mode.forces.iter().zip(&parts).filter(|(f, _)| f.share.is_none()) {
            let row = &r.w[part[0].0 * r.n..(part[0].0 + 1) * r.n];
            rows.extend(parts.iter().map(|p| p.iter().map(|(j, c)| c * row[*j]).sum::<f64>()));
            b.push(-u_dot[part[0].0]);
        }
        Some(Problem { parts, rows, b })
    }
}

impl Problem {
    /// The smallest forces in a scale.
    fn smallest(&self, scale: &[f64]) -> Vec<f64> {
        let (n, all) = (self.b.len(), self.parts.len());
        let row = |i: usize| &self.rows[i * all..(i + 1) * all];
        let mut system = BasicSolver::new(n);
        for i in 0..n {
            for j in 0..n {
                let terms = row(i).iter().zip(row(j)).zip(scale);
                system.w[i * n + j] = terms.map(|((a, b), s)| a * b * s * s).sum();
            }
        }
        system.x.copy_from_slice(&self.b);
        system.solve();
        let mut x = vec![0.0; all];
        for (y, i) in system.x.iter().zip(0..n) {
            for ((x, w), s) in x.iter_mut().zip(row(i)).zip(scale) {
                *x += y * w * s * s;
            }
        }
        x
    }
}
