//! A wrapper that checks what a method itself does not check: rows that were left out because others imply them must
//! hold nevertheless.
//!
//! They do where the dependency is exact and the chosen rows are well conditioned. Where lengths are wrong by less than
//! the tolerance of rank, or close to a position in which the chosen rows no longer imply the others, a method that
//! solves only the chosen rows could leave the mechanism without noticing.

use super::{ErrorScale, ErrorView, Integrator, MethodInfo, Settings};
use crate::failure::{StepFailure, Work};
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_math::remember;

/// Residual of a dependent row, relative to the scale of the row, that a step may leave, in multiples of what a
/// projection may leave.
const LIMIT: f64 = 100.0;

/// Residual of a dependent row in multiples of those of the rows that were solved, for methods that let all of them
/// drift.
const DRIFTS: f64 = 1e3;

/// The method, the rows that it left out, and where they are evaluated.
pub(super) struct Watched<P: Problem> {
    inner: Box<dyn Integrator<P>>,
    left_out: Vec<bool>,
    scale: Vec<f64>,
    g: Vec<f64>,
    limit: f64,
}
remember!(Watched<P: Problem> { inner } apart from { left_out, scale, g, limit });

/// The method itself where all rows take part.
pub(super) fn watched<P: Problem + 'static>(
    inner: Box<dyn Integrator<P>>,
    p: &P,
    settings: &Settings,
) -> Box<dyn Integrator<P>> {
    let n_pos = p.dims().n_pos;
    let mut left_out = vec![false; n_pos];
    for i in p.structure().rank.dependent.iter().copied().filter(|i| *i < n_pos) {
        left_out[i] = true;
    }
    if !left_out.contains(&true) {
        return inner;
    }
    let limit = LIMIT * settings.constraint_tol;
    Box::new(Watched { inner, left_out, scale: p.scales().row, g: vec![0.0; n_pos], limit })
}

impl<P: Problem> Watched<P> {
    /// Fails where a row that was left out is violated and those that were solved are not.
    fn check_left_out(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        if !self.inner.leaves_realized() {
            p.realize_position(s.t, &s.q, &s.z, ws);
        }
        p.residual_pos(ws, &mut self.g);
        let (mut solved, mut worst) = (0.0, (0.0, 0));
        for (i, g) in self.g.iter().enumerate() {
            let x = g.abs() / self.scale[i];
            if !self.left_out[i] {
                solved = f64::max(solved, x);
            } else if !(x <= worst.0) {
                worst = (x, i);
            }
        }
        let (residual, row) = worst;
        if residual <= self.limit.max(DRIFTS * solved) {
            return Ok(());
        }
        Err(StepFailure::Projection { row, residual: self.g[row] })
    }
}

impl<P: Problem> Integrator<P> for Watched<P> {
    fn info(&self) -> MethodInfo {
        self.inner.info()
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.inner.restart(p, ws, s)
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        self.inner.attempt(p, ws, from, h, to)?;
        self.check_left_out(p, ws, to)
    }

    fn commit(&mut self) {
        self.inner.commit();
    }

    fn error(&self) -> ErrorView<'_> {
        self.inner.error()
    }

    fn start(&self) -> &Derived {
        self.inner.start()
    }

    fn end(&self) -> &Derived {
        self.inner.end()
    }

    fn weakest_pivot(&self) -> f64 {
        self.inner.weakest_pivot()
    }

    fn pivot_is_of_rows(&self) -> bool {
        self.inner.pivot_is_of_rows()
    }

    fn work(&self) -> Work {
        self.inner.work()
    }

    fn error_order(&self) -> u32 {
        self.inner.error_order()
    }

    fn choose_order(&mut self, scale: &ErrorScale) -> Option<f64> {
        self.inner.choose_order(scale)
    }

    fn leaves_realized(&self) -> bool {
        self.inner.leaves_realized()
    }

    fn stiffness(&self) -> Option<f64> {
        self.inner.stiffness()
    }
}
