//! The contact problem of a step.
//!
//! With u = W P + b at the end of the step, b the rates without impulses minus the least ones allowed:
//! 0 ≤ u_N ⊥ P_N ≥ 0 and Coulomb's law between P_T and u_T; joints are inside W.

use super::delassus::Blocks;
use super::operator::Operator;
use super::points::{Frame, Rule};
use super::{StepReport, Stepper, StepperError};
use delassus_cone as cone;
use delassus_dae::Unilateral;

/// Factors on restitution that are tried in turn where a step would gain energy: Newton's law with
/// friction may do so, without restitution no step does.
const SOFTER: [f64; 3] = [1.0, 0.5, 0.0];

impl<P: Unilateral> Stepper<P> {
    /// Finds the impulses of all points; `dv_points` and `lambda_points` are what they do. The place
    /// of the step is realised with the velocity `v` of the start, `dv` is the free change.
    pub(super) fn resolve(
        &mut self,
        p: &P,
        frame: Frame,
        rule: Rule,
    ) -> Result<StepReport, StepperError> {
        let margin =
            2.0 * frame.h * (self.speed(&self.v) + self.speed(&self.dv)) + 1e-4 * self.length;
        self.points.collect(p, &self.ws, margin);
        self.points.pose(&self.dv, frame, rule, self.length);
        self.leave_out_passed(p, frame)?;
        self.points.number_rows();
        self.dv_points.fill(0.0);
        self.lambda_points.fill(0.0);
        let mut report = StepReport { contacts: self.points.n, ..StepReport::default() };
        if self.points.n == 0 {
            return Ok(report);
        }
        self.delassus.clear();
        for (c, e) in self.points.pool.iter().zip(&self.points.entries).take(self.points.n) {
            for k in 0..e.rows {
                self.delassus.push(&c.at, k);
            }
        }
        for factor in SOFTER {
            report.softened = factor;
            let mut error = 0.0;
            // a point that starts to slide has less friction than one at rest
            for _ in 0..3 {
                self.impulses_once(frame.h, factor, &mut report)?;
                (report.energy, error) = self.points.finish(&self.dv_points);
                if !self.points.let_slip() {
                    break;
                }
            }
            if report.energy <= error || rule == Rule::SchatzmanPaoli {
                break;
            }
        }
        report.active = self.points.active();
        Ok(report)
    }

    fn impulses_once(
        &mut self,
        h: f64,
        factor: f64,
        report: &mut StepReport,
    ) -> Result<(), StepperError> {
        let points = &mut self.points;
        self.b.clear();
        self.laws.clear();
        self.r.clear();
        for i in 0..points.n {
            let e = &points.entries[i];
            self.laws.push(points.law(i, h));
            self.b.extend_from_slice(&e.end[..e.rows]);
            self.b[e.row] -= e.bound + factor * e.bounce;
            self.r.extend_from_slice(&points.pool[i].impulse[..e.rows]);
        }
        let lambda = &mut self.lambda_points;
        let bare = self.op.bare && !self.op.implicit;
        let large = self.delassus.is_large(bare);
        let settings = cone::Settings {
            tolerance: if large { self.settings.large_tolerance } else { self.settings.tolerance },
            max_iterations: self.settings.max_iterations,
            ..Default::default()
        };
        let (nv, b, laws, r) = (self.dims.nv, &self.b, &self.laws, &mut self.r);
        let answer = if bare {
            let Operator { acc, blocks, mass, .. } = &mut self.op;
            let blocks = Some(Blocks { shape: blocks, values: mass });
            let mut respond = |f: &[f64], x: &mut [f64]| acc.respond(f, x, lambda);
            self.delassus.solve(nv, blocks, &mut respond, b, laws, r, &settings)
        } else {
            let op = &mut self.op;
            let mut respond = |f: &[f64], x: &mut [f64]| op.respond(f, x, lambda);
            self.delassus.solve(nv, None, &mut respond, b, laws, r, &settings)
        };
        let answer = answer?;
        report.status = answer.status;
        report.residual = answer.residual;
        report.loosened |= answer.residual > self.settings.tolerance;
        report.iterations += answer.iterations;
        if answer.status != cone::Status::Solved {
            return Err(StepperError::Contact {
                points: points.n,
                status: answer.status,
                residual: answer.residual,
                h,
            });
        }
        for (c, e) in points.pool.iter_mut().zip(&points.entries).take(points.n) {
            c.impulse = [0.0; 3];
            c.impulse[..e.rows].copy_from_slice(&self.r[e.row..e.row + e.rows]);
        }
        self.f.fill(0.0);
        self.delassus.add_transposed(&self.r, &mut self.f);
        self.op.respond(&self.f, &mut self.dv_points, &mut self.lambda_points)?;
        Ok(())
    }
}
