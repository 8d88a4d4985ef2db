//! The contact problem of a step.
//!
//! With u = W P + b at the end of the step, b the rates without impulses minus the smallest ones allowed: 0 ≤ u_N ⊥ P_N
//! ≥ 0 and Coulomb's law between P_T and u_T; joints are inside W. Parts that are connected neither by joints nor by
//! points (nor by forces, where they are implicit) are solved separately: each group to its own tolerance, with its own
//! control of energy.

use super::points::{CLOSED, Rule, StepTimes};
use super::{StepReport, Stepper, StepperError};
use delassus_cone as cone;
use delassus_dae::Unilateral;

/// Allowed penetration of what joints hold, in lengths of the model, before joints and contact contradict each other.
const HELD: f64 = 1e-6;

/// Bisections of the factor on restitution where the law of a group would gain energy, as for impacts that are events;
/// and for groups that are solved by sweeps, where each costs as much as a step and the law is the smaller error.
const BISECTIONS: u32 = 20;
const BISECTIONS_OF_LARGE: u32 = 6;

impl<P: Unilateral> Stepper<P> {
    /// Finds the impulses of all points; `dv_points` and `lambda_points` are their effect. The place of the step is
    /// realised with the velocity `v` of the start, `dv` is the free change, to which that of compliant contacts is
    /// added.
    pub(super) fn resolve(
        &mut self,
        p: &P,
        frame: StepTimes,
        rule: Rule,
    ) -> Result<StepReport, StepperError> {
        self.points.bonds.0.clear();
        self.points.bonds.1.clear();
        self.points.keeps_hits = false;
        self.collect_points(p, frame)?;
        if self.choose_yielding(p, frame)? {
            return self.resolve_yielding(p, frame, rule);
        }
        self.resolve_rigid(p, frame, rule)
    }

    /// Points near the place of the step, which is realised.
    pub(super) fn collect_points(&mut self, p: &P, frame: StepTimes) -> Result<(), StepperError> {
        let margin =
            2.0 * frame.h * (self.speed(&self.v) + self.speed(&self.dv)) + 1e-4 * self.length;
        let (times, pressed) = ((frame.since_start, frame.h), self.yielding.known());
        Ok(self.points.collect(p, &self.ws, margin, times, pressed)?)
    }

    /// Impulses of the collected rigid points.
    pub(super) fn resolve_rigid(
        &mut self,
        p: &P,
        frame: StepTimes,
        rule: Rule,
    ) -> Result<StepReport, StepperError> {
        let groups = if self.op.implicit { &mut self.groups.1 } else { &mut self.groups.0 };
        // of feet that stand alike none may lose its load because the others penetrate deeper
        let closed = self.settings.penetration.max(CLOSED) * self.length;
        self.points.pose(&self.dv, frame, rule, closed, groups);
        self.leave_out_passed(p, frame)?;
        self.dv_points.fill(0.0);
        self.lambda_points.fill(0.0);
        self.large = false;
        let mut report = StepReport { contacts: self.points.n, ..StepReport::default() };
        if self.points.n == 0 {
            return Ok(report);
        }
        let groups = if self.op.implicit { &mut self.groups.1 } else { &mut self.groups.0 };
        self.points.group(groups);
        self.prepare_groups()?;
        self.f.fill(0.0);
        for group in 0..self.points.first.len() - 1 {
            self.resolve_group(group, frame.h, rule, &mut report)?;
            self.delassus.add_transposed(group, &self.r, &mut self.f);
        }
        self.op.respond(&self.f, &mut self.dv_points, &mut self.lambda_points)?;
        report.active = self.points.active();
        Ok(report)
    }

    /// Poses the problems of all groups.
    fn prepare_groups(&mut self) -> Result<(), StepperError> {
        let Stepper { op, delassus, points, dims, .. } = self;
        delassus.clear();
        for group in 0..points.first.len() - 1 {
            for i in &points.by_group[points.places(group)] {
                let e = &points.entries[*i];
                for k in 0..e.rows {
                    delassus.push(&points.pool[*i].at, k, e.per_metre);
                }
            }
            delassus.end_group();
        }
        if let Err(e) = op.pose(dims, delassus) {
            // the largest group is the dearest
            let group = (0..points.first.len() - 1).max_by_key(|g| points.places(*g).len());
            let some = group.and_then(|g| points.by_group.get(points.first[g]));
            return Err(e.with_example(some.map(|i| points.pool[*i].id)).into());
        }
        self.large = (0..points.first.len() - 1).any(|g| delassus.is_large(g));
        Ok(())
    }

    /// Finds the impulses of one group. Newton's law with friction may gain energy, and where two stops face each other
    /// it may require the impossible; without restitution neither happens. So the restitution of the group is then
    /// reduced, by as little as necessary.
    fn resolve_group(
        &mut self,
        group: usize,
        h: f64,
        rule: Rule,
        report: &mut StepReport,
    ) -> Result<(), StepperError> {
        let full = self.attempt(group, h, 1.0, report);
        let bounces = |i: &usize| self.points.entries[*i].bounce > 0.0;
        let may_soften = rule == Rule::Moreau
            && self.points.by_group[self.points.places(group)].iter().any(bounces);
        match full {
            Err(e) if !may_soften => return Err(e),
            Ok((energy, error)) if energy <= error || !may_soften => {
                report.energy += energy;
                return Ok(());
            }
            _ => {}
        }
        let (mut lo, mut hi) = (0.0, 1.0);
        let mut energy_of_lo = self.attempt(group, h, lo, report)?.0;
        let mut is_at_lo = true;
        let bisections = match self.delassus.is_large(group) {
            true => BISECTIONS_OF_LARGE,
            false => BISECTIONS,
        };
        for _ in 0..bisections {
            let mid = 0.5 * (lo + hi);
            let made = self.attempt(group, h, mid, report).ok();
            is_at_lo = made.is_some_and(|(energy, error)| energy <= error);
            match made {
                Some((energy, _)) if is_at_lo => (lo, energy_of_lo) = (mid, energy),
                _ => hi = mid,
            }
        }
        if !is_at_lo {
            energy_of_lo = self.attempt(group, h, lo, report)?.0;
        }
        report.energy += energy_of_lo;
        report.softened = report.softened.min(lo);
        for at in self.points.places(group) {
            let i = self.points.by_group[at];
            if self.points.entries[i].bounce > 0.0 {
                self.points.pool[i].softened = lo;
            }
        }
        Ok(())
    }

    /// Impulses of a group with all its restitutions times `factor`; returns the energy they add, and the part of it
    /// that is an error of the step.
    fn attempt(
        &mut self,
        group: usize,
        h: f64,
        factor: f64,
        report: &mut StepReport,
    ) -> Result<(f64, f64), StepperError> {
        let mut made = (0.0, 0.0);
        // a point that starts to slide has less friction than one at rest, and one that stops has more
        let mut caught = false;
        for _ in 0..5 {
            self.impulses_once(group, h, factor, report)?;
            let Stepper { op, delassus, points, du, r, .. } = self;
            delassus.product(group, &mut |f, x, l| op.respond(f, x, l), r, du)?;
            made = points.finish(group, du);
            if points.let_slip(group) {
                continue;
            }
            if caught || !points.catch(group) {
                break;
            }
            caught = true;
        }
        Ok(made)
    }

    fn impulses_once(
        &mut self,
        group: usize,
        h: f64,
        factor: f64,
        report: &mut StepReport,
    ) -> Result<(), StepperError> {
        let points = &mut self.points;
        self.b.clear();
        self.laws.clear();
        self.r.clear();
        for i in &points.by_group[points.places(group)] {
            let e = &points.entries[*i];
            self.laws.push(points.law(*i, h));
            self.b.extend_from_slice(&e.end[..e.rows]);
            self.b[e.row] -= e.bound + factor * e.bounce;
            self.r.extend_from_slice(&points.pool[*i].impulse[..e.rows]);
            // no impulse moves what joints hold: it may penetrate within errors
            let close = HELD * e.per_metre * self.length;
            if self.delassus.mobility(group, e.row) == Some(0.0) && e.reach >= -close {
                points.pool[*i].held = e.reach <= close;
                self.b[e.row] = self.b[e.row].max(0.0);
            }
        }
        let rounding = self.delassus.rounding(group, &self.v, &self.b);
        let fine = rounding.map_or(self.settings.tolerance, |r| r.max(self.settings.tolerance));
        let settings = cone::Settings {
            // told where it is more than `fine`
            tolerance: match self.delassus.is_large(group) || self.last_try {
                true => self.settings.large_tolerance.max(fine),
                false => fine,
            },
            max_iterations: self.settings.max_iterations,
            ..Default::default()
        };
        let (op, b, laws, r) = (&mut self.op, &self.b, &self.laws, &mut self.r);
        let mut respond = |f: &[f64], x: &mut [f64], l: &mut [f64]| op.respond(f, x, l);
        let answer = self.delassus.solve(group, &mut respond, b, laws, r, &settings, fine)?;
        report.status = answer.status;
        report.iterations += answer.iterations;
        let places = points.places(group);
        if answer.status != cone::Status::Solved {
            return Err(StepperError::Contact {
                points: points.by_group[places].iter().map(|i| points.pool[*i].id).collect(),
                status: answer.status,
                residual: answer.residual,
                h,
            });
        }
        report.residual = report.residual.max(answer.residual);
        report.loosened |= answer.residual > fine;
        for at in places {
            let i = points.by_group[at];
            let (c, e) = (&mut points.pool[i], &points.entries[i]);
            c.impulse = [0.0; 3];
            c.impulse[..e.rows].copy_from_slice(&self.r[e.row..e.row + e.rows]);
        }
        Ok(())
    }
}
