//! Projection onto the constraints in the mass metric, positions first, then velocities.

use crate::accel::Accel;
use crate::failure::StepFailure;
use crate::problem::{Problem, Scales};

/// Projects states; owns its buffers.
pub struct Projector {
    g: Vec<f64>,
    dx: Vec<f64>,
    q_try: Vec<f64>,
    row_scale: Vec<f64>,
    n_pos: usize,
    /// A projection that stalls is accepted if |g_i| is below this times the row's scale.
    pub limit: f64,
}

/// Newton iterations of one projection. Two bring any drift a step can leave to round-off;
/// more are needed only far from the manifold, where a smaller step is the better answer.
const MAX_ITERATIONS: usize = 5;

/// Scaled residual that counts as zero.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

impl Projector {
    /// Sizes everything.
    pub fn new<P: Problem>(p: &P, limit: f64) -> Projector {
        let d = p.dims();
        let Scales { row, .. } = p.scales();
        Projector {
            g: vec![0.0; d.n_vel],
            dx: vec![0.0; d.nv],
            q_try: vec![0.0; d.nq],
            row_scale: row,
            n_pos: d.n_pos,
            limit,
        }
    }

    /// Largest scaled |g| and its row.
    fn worst(&self, n: usize) -> (f64, usize) {
        let mut worst = (0.0, 0);
        for i in 0..n {
            let x = self.g[i].abs() / self.row_scale[i];
            if !(x <= worst.0) {
                worst = (x, i);
            }
        }
        worst
    }

    /// Moves q onto g(q, t) = 0. On return the factor in `acc` belongs to the returned q and
    /// the workspace is realised there at position level.
    ///
    /// Positions are brought to round-off at every step, not merely below a tolerance: on the level set g = c the two
    /// branches of a singular position do not cross but turn away from each other within √c, so the remaining g decides
    /// how close to such a point a step may land and still continue along its own branch.
    pub fn position<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        acc: &mut Accel,
        t: f64,
        q: &mut [f64],
        z: &[f64],
    ) -> Result<(), StepFailure> {
        acc.factor_at(p, ws, t, q, z)?;
        self.drift(p, ws);
        self.position_from(p, ws, acc, t, q, z)
    }

    /// Largest scaled |g| at the position realised in `ws`.
    pub(crate) fn drift<P: Problem>(&mut self, p: &P, ws: &P::Ws) -> f64 {
        p.residual_pos(ws, &mut self.g[..self.n_pos]);
        self.worst(self.n_pos).0
    }

    /// [`Projector::position`] from a position that is realised in `ws` and factored in `acc`, and for which
    /// [`Projector::drift`] was called last.
    pub(crate) fn position_from<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        acc: &mut Accel,
        t: f64,
        q: &mut [f64],
        z: &[f64],
    ) -> Result<(), StepFailure> {
        let (mut drift, _) = self.worst(self.n_pos);
        if drift <= ROUND_OFF {
            return Ok(());
        }
        acc.work.projections += 1;
        for _ in 0..MAX_ITERATIONS {
            for g in &mut self.g[..self.n_pos] {
                *g = -*g;
            }
            // Velocity-only rows take part as G x = 0: a rolling wheel must not be slid into place.
            self.g[self.n_pos..].fill(0.0);
            acc.correct(&self.g, &mut self.dx)?;
            p.manifold().retract(q, &self.dx, &mut self.q_try);
            q.copy_from_slice(&self.q_try);
            p.realize_position(t, q, z, ws);
            p.residual_pos(ws, &mut self.g[..self.n_pos]);
            let (now, row) = self.worst(self.n_pos);
            if now <= ROUND_OFF {
                break;
            }
            if !(now < 0.5 * drift) {
                // No further improvement: round-off, or a singular position, where a row cannot be satisfied to first
                // order. The remainder is accepted if it is small.
                if now <= self.limit {
                    break;
                }
                return Err(StepFailure::Projection { row, residual: self.g[row] });
            }
            drift = now;
        }
        acc.factor_realized(p, ws)
    }

    /// Moves v onto G v + g_t = 0 with the factor of the present q; leaves the workspace
    /// realised at velocity level.
    pub fn velocity<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        acc: &mut Accel,
        v: &mut [f64],
        z: &[f64],
    ) -> Result<(), StepFailure> {
        if self.g.is_empty() {
            p.realize_velocity(v, z, ws);
            return Ok(());
        }
        p.realize_velocity(v, z, ws);
        p.residual_vel(ws, &mut self.g);
        for g in &mut self.g {
            *g = -*g;
        }
        acc.correct(&self.g, &mut self.dx)?;
        for (v, d) in v.iter_mut().zip(&self.dx) {
            *v += d;
        }
        p.realize_velocity(v, z, ws);
        Ok(())
    }
}
