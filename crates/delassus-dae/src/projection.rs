//! Projection onto the constraints in the mass metric, positions first, then velocities; or most of the way in the
//! metric of a step's matrix.

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
            self.wanted();
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

    /// Moves q towards g(q, t) = 0 in the metric of a step's matrix M + c C + c² K. In that of M alone, a pin that is off
    /// by δ strains a rod of frequency ω behind it, and its acceleration jumps by ω² δ; here it moves with the rod.
    ///
    /// `correct` finds δq with G δq = b; its G may be an old one, so that something remains for
    /// [`Projector::position_from`]. To be called like that one; afterwards the returned q is realised, but not
    /// factored, and its drift known. Returns whether q was moved.
    pub(crate) fn position_in<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        t: f64,
        q: &mut [f64],
        z: &[f64],
        mut correct: impl FnMut(&[f64], &mut [f64]) -> Result<(), StepFailure>,
    ) -> Result<bool, StepFailure> {
        let (mut drift, _) = self.worst(self.n_pos);
        let mut moved = false;
        for _ in 0..MAX_ITERATIONS {
            if drift <= ROUND_OFF {
                break;
            }
            self.wanted();
            correct(&self.g, &mut self.dx)?;
            p.manifold().retract(q, &self.dx, &mut self.q_try);
            p.realize_position(t, &self.q_try, z, ws);
            let now = self.drift(p, ws);
            if !(now < 0.5 * drift) {
                p.realize_position(t, q, z, ws);
                self.drift(p, ws);
                break;
            }
            q.copy_from_slice(&self.q_try);
            drift = now;
            moved = true;
        }
        Ok(moved)
    }

    /// Moves v towards G v + g_t = 0 in the metric of a step's matrix; [`Projector::velocity`] does the rest.
    pub(crate) fn velocity_in<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        v: &mut [f64],
        z: &[f64],
        mut correct: impl FnMut(&[f64], &mut [f64]) -> Result<(), StepFailure>,
    ) -> Result<(), StepFailure> {
        p.realize_velocity(v, z, ws);
        p.residual_vel(ws, &mut self.g);
        for g in &mut self.g {
            *g = -*g;
        }
        correct(&self.g, &mut self.dx)?;
        for (v, d) in v.iter_mut().zip(&self.dx) {
            *v += d;
        }
        Ok(())
    }

    /// Turns the residual of positions into the right-hand side of its correction. Velocity-only rows take part as
    /// G x = 0: a rolling wheel must not be slid into place.
    fn wanted(&mut self) {
        for g in &mut self.g[..self.n_pos] {
            *g = -*g;
        }
        self.g[self.n_pos..].fill(0.0);
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
