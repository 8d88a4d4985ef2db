//! Laws that read time: motions, forces and targets by expression, and the expression sensors in between.
//!
//! Step control asks two questions about an interval of time. Is everything smooth in it, or does some function switch?
//! And how far is each function at most from a polynomial, in terms of its effect on the motion? Both are answered for
//! the whole interval by ranges of Taylor coefficients (`delassus_expr::Jet`), so no pulse is too short to be seen.
//! Sensors that a function reads besides the time are held at their values in the realised state.
//!
//! A force acts on a body of mass m and inertia J as if the body were free: joints can only reduce its acceleration, in
//! the sense of kinetic energy.

use super::force::ForceLaw;
use super::probe::Probe;
use super::scalar::{PairScalar, ScalarKind};
use super::sensitivity::read;
use super::{RowOffset, System, Workspace};
use crate::Control;
use crate::model::var;
use delassus_dae::{TimeLaws, TimeLook, Unseen};
use delassus_expr::{Expr, Jet, Range};
use delassus_math::memory::{Memory, Remember};

/// Number of Taylor coefficients used: enough for the interpolation between steps, polynomials of degree 5.
pub(super) const N: usize = 7;
/// Length of the intervals on which sensors that depend on time alone are kept, in steps.
const WIDE: f64 = 16.0;

/// Fraction of its total variation by which a function may leave the values at the ends of a step.
const HIDDEN: f64 = 0.1;
/// Number of bisections of a step, and of evaluations on its parts, until something hidden between its ends is found.
const HALVINGS: usize = 40;
const LOOKS: usize = 200;
/// No value at all.
const EMPTY: Range = Range { lo: f64::INFINITY, hi: f64::NEG_INFINITY };

/// A law that reads time.
#[derive(Debug, Clone)]
pub(super) struct TimeLaw {
    pub source: Source,
    /// Position or acceleration per unit of the function, in sizes of the coordinates.
    pub effect: f64,
    /// Group of bodies that it acts on.
    pub group: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// Row of a prescribed motion.
    Motion(usize),
    /// Applied force or torque, and its component.
    Applied(usize, usize),
    /// Scalar force: spring or torsion by expression, actuator.
    Scalar(usize),
}

/// All laws that read time.
#[derive(Debug, Clone, Default)]
pub(super) struct Laws {
    laws: Vec<TimeLaw>,
    /// Some law reads more than time.
    reads_state: bool,
    /// For each sensor, whether it depends on time alone.
    pure: Vec<bool>,
}

/// Ranges of each function of time, then of each law that reads the state, at the ends of steps.
#[derive(Debug, Clone, Default)]
pub struct TimeRanges(Vec<Range>);

impl TimeRanges {
    /// Those of laws that read the state.
    pub(super) fn of_state(&mut self, sys: &System) -> &mut [Range] {
        &mut self.0[sys.time.laws.len()..]
    }
}

impl Remember for TimeRanges {
    fn remember(&mut self, m: &mut Memory<'_>) {
        m.same_length(self.0.len());
        for r in &mut self.0 {
            r.lo.remember(m);
            r.hi.remember(m);
        }
    }
}

/// Sets variables to their ranges on an interval.
type SetTime = fn(&System, &Workspace, &mut Over, f64, f64);

/// Variables of expressions on an interval.
#[derive(Debug, Clone, Default)]
pub(super) struct Over {
    values: Vec<Jet<1>>,
    jets: Vec<Jet<N>>,
    /// The same for what depends on time alone, from the first to the second of these times, s.
    wide: Vec<Jet<N>>,
    wide_on: (f64, f64),
}

impl Laws {
    pub fn laws(&self) -> &[TimeLaw] {
        &self.laws
    }

    pub fn kind(&self) -> TimeLaws {
        match (self.laws.is_empty(), self.reads_state) {
            (true, _) => TimeLaws::None,
            (false, false) => TimeLaws::OfTime,
            (false, true) => TimeLaws::OfState,
        }
    }

    pub fn scratch(&self, probes: usize) -> Over {
        let n = if self.laws.is_empty() { 0 } else { var::SENSOR + probes };
        let jets = vec![Jet::constant(0.0); n];
        Over {
            values: vec![Jet::constant(0.0); n],
            wide: jets.clone(),
            jets,
            wide_on: (f64::INFINITY, f64::NEG_INFINITY),
        }
    }
}

impl System {
    pub(super) fn find_time_laws(&self) -> Laws {
        // sensors that vary with time alone, and those that read it at all
        let (mut timed, mut pure) =
            (vec![false; self.probes.len()], vec![false; self.probes.len()]);
        for &k in &self.force_inputs {
            if let Probe::Expression(e) = &self.probes[k] {
                (timed[k], pure[k]) = reads_time(e, &timed, &pure);
            }
        }
        let mut out = Laws::default();
        let mut add = |e: &Expr, source: Source, effect: f64| {
            let (is_timed, is_pure) = reads_time(e, &timed, &pure);
            if is_timed && effect > 0.0 {
                out.reads_state |= !is_pure;
                out.laws.push(TimeLaw { source, effect, group: self.group_of_law(source) });
            }
        };
        for (i, row) in self.rows.iter().enumerate() {
            if let RowOffset::Motion(e, _) = &row.offset {
                add(e, Source::Motion(i), 1.0 / self.scales.row[i]);
            }
        }
        self.visit_forces(&mut add);
        out.pure = pure;
        out
    }

    /// Forces by expression, with the acceleration per unit of each.
    pub(super) fn visit_forces(&self, mut visit: impl FnMut(&Expr, Source, f64)) {
        for (i, a) in self.applied.iter().enumerate() {
            let effect = if a.torque { self.turned(a.at) } else { self.pushed(a.at) };
            for (k, e) in a.components.iter().enumerate() {
                visit(e, Source::Applied(i, k), effect);
            }
        }
        for (i, f) in self.scalar_forces.iter().enumerate() {
            if let ForceLaw::Expression(e) | ForceLaw::Actuator { target: e, .. } = &f.law {
                visit(e, Source::Scalar(i), self.pulled(&f.scalar));
            }
        }
    }

    /// Group of bodies that a law acts on.
    pub(super) fn group_of_law(&self, source: Source) -> usize {
        let of = |s: &PairScalar| self.group_of_frames([s.a, s.b]);
        let group = match source {
            Source::Motion(i) => of(&self.terms[self.rows[i].terms.start].scalar),
            Source::Applied(i, _) => self.group_of_frames([self.applied[i].at]),
            Source::Scalar(i) => of(&self.scalar_forces[i].scalar),
        };
        group.unwrap_or(0)
    }

    /// Whether every function of time is smooth from a to b.
    pub(super) fn is_smooth(&self, ws: &mut Workspace, a: f64, b: f64) -> bool {
        let mut over = std::mem::take(&mut ws.over);
        self.set_vars(ws, &mut over.values, a, b);
        let smooth = self.time.laws.iter().all(|law| self.jet(ws, &mut over.values, law).decided);
        ws.over = over;
        smooth
    }

    /// Distance of functions of time from polynomials of this degree, from a to b.
    pub(super) fn unseen(&self, ws: &mut Workspace, look: TimeLook<'_>) -> Unseen {
        let TimeLook { span, degree, paces, rough } = look;
        let set: SetTime = if rough { Self::set_time_roughly } else { Self::set_time };
        let mut worst = Unseen::default();
        self.visit_unseen(ws, span, (degree, Some(paces)), set, |_, law, unseen| {
            let largest = match law.source {
                Source::Motion(_) => &mut worst.position,
                _ => &mut worst.acceleration,
            };
            // what is not known is not small
            *largest = if unseen.is_nan() { f64::INFINITY } else { largest.max(unseen) };
        });
        worst
    }

    /// Name of the law that varies most from a to b.
    pub(super) fn most_restless(&self, ws: &mut Workspace, a: f64, b: f64) -> Option<String> {
        let mut worst: Option<(f64, String)> = None;
        self.visit_unseen(ws, (a, b), (0, None), Self::set_time, |sys, law, unseen| {
            if worst.as_ref().is_none_or(|w| unseen > w.0) {
                worst = Some((unseen, sys.law_name(law)));
            }
        });
        worst.map(|w| w.1)
    }

    fn visit_unseen(
        &self,
        ws: &mut Workspace,
        (a, b): (f64, f64),
        (degree, paces): (u32, Option<&[f64]>),
        set: SetTime,
        mut visit: impl FnMut(&System, &TimeLaw, f64),
    ) {
        let mut over = std::mem::take(&mut ws.over);
        set(self, ws, &mut over, a, b);
        let (h, degree) = (b - a, degree as usize);
        for law in &self.time.laws {
            let jet = self.jet(ws, &mut over.jets, law);
            let unseen = match law.source {
                Source::Motion(_) => law.effect * off_hermite(&jet, h),
                _ => self.off_force(law, &jet, (h, 1.0), degree, paces),
            };
            visit(self, law, unseen);
        }
        ws.over = over;
    }

    /// Distance of the effect of a force from a polynomial, given its expression on an interval: of the acceleration in
    /// sizes of the coordinates, divided by the pace of its group, or 1 1/s; and of the integral of a controller, which
    /// remains when the interval is over, in its own size, 1/s. The length of the interval is given in units of this
    /// many seconds.
    pub(super) fn off_force(
        &self,
        law: &TimeLaw,
        jet: &Jet<N>,
        (h, unit): (f64, f64),
        degree: usize,
        paces: Option<&[f64]>,
    ) -> f64 {
        let effect = law.effect / paces.map_or(1.0, |p| p[law.group]);
        let off = off_polynomial(jet, h, degree);
        let Source::Scalar(i) = law.source else { return effect * off };
        let ForceLaw::Actuator { control, kp, ki, kd, z, .. } = &self.scalar_forces[i].law else {
            return effect * off;
        };
        let rate = match control {
            Control::Position if *kd != 0.0 => off_rate(jet, h, degree) / unit,
            _ => 0.0,
        };
        let acting = effect * ((kp.abs() + ki.abs() * h * unit) * off + kd.abs() * rate);
        let size = z.map_or(0.0, |z| self.scales.z[z]);
        acting.max(if size > 0.0 { off / size } else { 0.0 })
    }

    /// Empty ranges.
    pub fn time_ranges(&self) -> TimeRanges {
        TimeRanges(vec![EMPTY; self.time.laws.len() + self.way.len()])
    }

    /// The function of time that goes, from a to b, where neither end shows it: by more than `HIDDEN` of its total
    /// variation. For fixed steps, which cannot be made to resolve it.
    pub fn hidden_in_time(
        &self,
        ws: &mut Workspace,
        seen: &mut TimeRanges,
        a: f64,
        b: f64,
    ) -> Option<String> {
        let mut over = std::mem::take(&mut ws.over);
        let mut hidden = None;
        for (law, seen) in self.time.laws.iter().zip(&mut seen.0) {
            let mut on = |a: f64, b: f64| {
                self.set_vars(ws, &mut over.values, a, b);
                self.jet(ws, &mut over.values, law).c[0]
            };
            let ends = hull(on(a, a), on(b, b));
            *seen = hull(*seen, ends);
            if hidden.is_none() && leaves(&mut on, (a, b), ends, *seen) {
                hidden = Some(self.law_name(law));
            }
        }
        ws.over = over;
        hidden
    }

    /// A law from a to b of time, and whether nothing switches there.
    pub(super) fn law_in_time(
        &self,
        ws: &mut Workspace,
        law: &TimeLaw,
        a: f64,
        b: f64,
    ) -> (Range, bool) {
        let mut over = std::mem::take(&mut ws.over);
        self.set_vars(ws, &mut over.values, a, b);
        let jet = self.jet(ws, &mut over.values, law);
        ws.over = over;
        (jet.c[0], jet.decided)
    }

    /// Sets time to an interval, and sensors to their ranges in it.
    pub(super) fn set_time(&self, ws: &Workspace, over: &mut Over, a: f64, b: f64) {
        self.set_vars(ws, &mut over.jets, a, b);
    }

    /// The same with wider ranges of the sensors that depend on time alone: their ranges on a longer interval serve for
    /// many steps.
    pub(super) fn set_time_roughly(&self, ws: &Workspace, over: &mut Over, a: f64, b: f64) {
        let Over { jets, wide, wide_on, .. } = over;
        if !(wide_on.0 <= a && b <= wide_on.1) {
            *wide_on = (a, a + WIDE * (b - a));
            wide[var::T] = Jet::time(wide_on.0, wide_on.1);
            for &k in &self.force_inputs {
                if let (Probe::Expression(e), true) = (&self.probes[k], self.time.pure[k]) {
                    wide[var::SENSOR + k] = e.over(wide);
                }
            }
        }
        jets[var::T] = Jet::time(a, b);
        for &k in &self.force_inputs {
            jets[var::SENSOR + k] = match &self.probes[k] {
                Probe::Expression(_) if self.time.pure[k] => wide[var::SENSOR + k],
                Probe::Expression(e) => e.over(jets),
                _ => Jet::constant(ws.vars[var::SENSOR + k]),
            };
        }
    }

    fn set_vars<const M: usize>(&self, ws: &Workspace, vars: &mut [Jet<M>], a: f64, b: f64) {
        vars[var::T] = Jet::time(a, b);
        for &k in &self.force_inputs {
            vars[var::SENSOR + k] = match &self.probes[k] {
                Probe::Expression(e) => e.over(vars),
                _ => Jet::constant(ws.vars[var::SENSOR + k]),
            };
        }
    }

    /// A law on the present interval.
    fn jet<const M: usize>(&self, ws: &Workspace, vars: &mut [Jet<M>], law: &TimeLaw) -> Jet<M> {
        match law.source {
            Source::Motion(i) => match &self.rows[i].offset {
                RowOffset::Motion(e, _) => e.over(vars),
                RowOffset::Const(x) => Jet::constant(*x),
            },
            Source::Applied(i, k) => self.applied[i].components[k].over(vars),
            Source::Scalar(i) => {
                vars[var::COORDINATE] = Jet::constant(ws.forces[i].s);
                vars[var::RATE] = Jet::constant(ws.forces[i].rate);
                match &self.scalar_forces[i].law {
                    ForceLaw::Expression(e) | ForceLaw::Actuator { target: e, .. } => e.over(vars),
                    ForceLaw::Linear { .. } => Jet::constant(0.0),
                }
            }
        }
    }

    pub(super) fn law_name(&self, law: &TimeLaw) -> String {
        match law.source {
            Source::Motion(i) => {
                format!("motion \"{}\"", self.model.joints[self.origins[i].joint.0].name)
            }
            Source::Applied(i, _) => format!("force \"{}\"", self.applied[i].name),
            Source::Scalar(i) => format!("force \"{}\"", self.scalar_forces[i].name),
        }
    }

    /// Acceleration of the body of a frame per unit of force at its origin.
    pub(super) fn pushed(&self, frame: usize) -> f64 {
        let f = &self.frames[frame];
        let Some(body) = f.body().map(|b| &self.bodies[b]) else { return 0.0 };
        let lever = f.reach();
        let turned = if lever > 0.0 { lever * self.turned(frame) } else { 0.0 };
        turned.max(1.0 / (self.mass_or_lightest(body.mass) * self.length_at([frame])))
    }

    /// Angular acceleration of the body of a frame per unit of torque.
    pub(super) fn turned(&self, frame: usize) -> f64 {
        let Some(body) = self.frames[frame].body().map(|b| &self.bodies[b]) else { return 0.0 };
        let fallback = self.mass_or_lightest(body.mass) * self.length_at([frame]).powi(2);
        let Some(inertia) = body.least_inertia() else { return 0.0 };
        1.0 / if inertia > 0.0 { inertia } else { fallback }
    }

    /// Acceleration of the two bodies of a scalar per unit of pull.
    pub(super) fn pulled(&self, s: &PairScalar) -> f64 {
        let of = |frame: usize| match s.kind {
            ScalarKind::Angle(_) => self.turned(frame),
            _ => self.pushed(frame),
        };
        of(s.a).max(of(s.b))
    }

    /// A body without mass passes forces on to its neighbours.
    fn mass_or_lightest(&self, mass: f64) -> f64 {
        if mass > 0.0 {
            return mass;
        }
        let masses = self.bodies.iter().map(|b| b.mass).filter(|m| *m > 0.0);
        let lightest = masses.fold(f64::INFINITY, f64::min);
        if lightest.is_finite() { lightest } else { 1.0 }
    }
}

pub(super) fn hull(a: Range, b: Range) -> Range {
    Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }
}

/// Whether a function, whose ranges on intervals are given, leaves its values at both ends of one.
pub(super) fn leaves(
    on: &mut impl FnMut(f64, f64) -> Range,
    (a, b): (f64, f64),
    ends: Range,
    seen: Range,
) -> bool {
    let mut parts = [(a, b); HALVINGS];
    let mut n = 1;
    let mut looks = 0;
    while n > 0 && looks < LOOKS {
        n -= 1;
        let (a, b) = parts[n];
        let all = hull(on(a, b), seen);
        let apart = HIDDEN * (all.hi - all.lo);
        let beyond = |x: Range| x.hi > ends.hi + apart || x.lo < ends.lo - apart;
        looks += 1;
        if !all.hi.is_finite() || !all.lo.is_finite() || !beyond(on(a, b)) {
            continue;
        }
        let mid = 0.5 * (a + b);
        let here = on(mid, mid);
        let real = hull(here, seen);
        let apart = HIDDEN * (real.hi - real.lo);
        if here.hi > ends.hi + apart || here.lo < ends.lo - apart {
            return true;
        }
        if n + 2 <= HALVINGS && mid > a && mid < b {
            parts[n] = (a, mid);
            parts[n + 1] = (mid, b);
            n += 2;
        }
    }
    false
}

/// Whether an expression depends on time, and on nothing else that varies.
fn reads_time(e: &Expr, timed: &[bool], pure: &[bool]) -> (bool, bool) {
    let mut reads = e.variables().contains(&var::T);
    let mut alone = !e.variables().iter().any(|x| [var::COORDINATE, var::RATE].contains(x));
    for (_, k) in read(e) {
        reads |= timed[k];
        alone &= pure[k];
    }
    (reads, alone)
}

/// The smaller of two bounds; an unknown one is not a bound.
fn least(a: f64, b: f64) -> f64 {
    if b < a || a.is_nan() { b } else { a }
}

/// Distance of a function from the best polynomial of at most this degree on an interval of length h: one with
/// derivative c k! of order k is 2 c (h/4)ᵏ from the one through Chebyshev's nodes.
pub(super) fn off_polynomial<const M: usize>(jet: &Jet<M>, h: f64, degree: usize) -> f64 {
    let mut bound = jet.c[0].radius();
    if jet.decided {
        for k in 1..M.min(degree + 2) {
            bound = least(bound, 2.0 * jet.c[k].magnitude() * (0.25 * h).powi(k as i32));
        }
    }
    bound
}

/// The same for the rate of a function. That of a jump acts only as long as the jump takes.
fn off_rate(jet: &Jet<N>, h: f64, degree: usize) -> f64 {
    let jump = 2.0 * jet.c[0].radius() / h;
    if !jet.decided {
        return jump;
    }
    let mut c = [Range::ZERO; N - 1];
    for (k, c) in c.iter_mut().enumerate() {
        let (Range { lo, hi }, n) = (jet.c[k + 1], (k + 1) as f64);
        *c = Range { lo: n * lo, hi: n * hi };
    }
    least(off_polynomial(&Jet { c, decided: true }, h, degree), jump)
}

/// Distance of a prescribed motion from the quintic with its value, rate and acceleration at both
/// ends of an interval of length h, which is c₆ (h/2)⁶; with fewer derivatives about the same.
fn off_hermite(jet: &Jet<N>, h: f64) -> f64 {
    let mut bound = 2.0 * jet.c[0].radius();
    if jet.decided {
        for k in 1..N {
            bound = least(bound, jet.c[k].magnitude() * (0.5 * h).powi(k as i32));
        }
    }
    bound
}
