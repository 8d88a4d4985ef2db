//! Event functions of closed points: forces that vanish, friction at its limit, sliding that stops, features that end,
//! and loads of sliding points that come or go where points share them.
//!
//! All but the last are positive while the mode lasts. Where points share a load in many ways their forces are not
//! known one by one, and the question is asked as a whole: do the rows that the mode does not solve with still hold,
//! and would the laws choose another mode here? That mode goes with the event: at the exact moment the forces are at
//! their limits and decide nothing.

use super::following::Answer;
use super::root::{falling_root, falling_root_from_zero};
use super::search::Span;
use super::slide::Slide;
use super::thresholds::Thresholds;
use super::trigger::Trigger;
use crate::driver::StepView;
use delassus_dae::projection::Projector;
use delassus_dae::{
    Accel, ContactPoint, Derived, KktError, PointId, PointLaw, Problem, State, StepFailure,
    Unilateral,
};
use delassus_math::largest;
use delassus_math::remember;
use delassus_nonsmooth::release::{Assume, Closed, Selector};
use delassus_nonsmooth::{Active, Burden, Mode, ModeWorkspace, SlipState, Standing};

/// Allowed remainder of a gap or a joint at an event, in sizes of the row.
const SETTLED: f64 = 1e-9;
/// How far beyond their border features are kept, in lengths of the system.
const BORDER: f64 = 1e-9;

/// Parts of a step at which forces and speeds of closed points are evaluated.
const NODES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Parts of a step, or of the time until another event, at which points that share a load are examined.
const LOOKS: [f64; 2] = [0.5, 1.0];
/// Fraction of the largest force above which a force is a load.
const LOADED: f64 = 1e-9;
/// Fraction of a step within which a kink of the forces counts as at its start.
const AT_ONCE: f64 = 1e-6;
/// Acceleration along rows that the mode does not solve with, above which they contradict it, in [`Thresholds::still`].
const CLEARLY: f64 = 3.0;
/// Speed along rows that the mode does not solve with, in multiples of that along those it does.
const STRAY: f64 = 10.0;

/// Which function of an active point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Function {
    Force,
    Friction,
    Sliding,
    Feature,
    Load,
}

/// How far the features of a closed point are from their end, m: negative beyond it. A corner that rests exactly on an
/// edge hovers around the border.
pub(super) fn feature_function<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    id: PointId,
    at: &ContactPoint,
) -> f64 {
    p.feature_margin(ws, id, at) + BORDER * p.length()
}

/// Evaluates the event functions of a mode; owns its buffers.
pub(crate) struct ClosedPoints<P: Unilateral> {
    pub(super) acc: Accel,
    projector: Projector,
    pub(super) ws: ModeWorkspace<P>,
    pub(super) a: Vec<f64>,
    lambda: Vec<f64>,
    zdot: Vec<f64>,
    functions: Vec<(usize, Function)>,
    /// Functions whose course on the dense output of the present step is not believed.
    disbelieved: Vec<bool>,
    /// Values of the functions at one moment; NaN if they are indistinguishable from zero.
    values: Vec<f64>,
    /// The same at the start of a step, for functions whose sign is not known beforehand.
    starts: Vec<f64>,
    /// Each active point that slides in space, at the start of the step.
    pub(super) slides: Vec<Slide>,
    /// The largest speed of each of them so far in a step, along its direction at the start, and the part of the step
    /// where it occurred.
    peaks: Vec<(f64, f64)>,
    /// Some points share a load.
    redundant: bool,
    /// Mass that a force along each row of each active point moves, kg for lengths.
    inertia: Vec<[f64; 3]>,
    /// Sizes of the forces on the bodies.
    burden: Burden,
    /// Largest acceleration that a unit of friction gives to each active point, 1/kg.
    pub(super) mobility: Vec<f64>,
    pub(super) point: ContactPoint,
    pub(super) answer: Answer,
}
remember!(ClosedPoints<P: Unilateral> { acc, inertia, mobility, slides } apart from { projector, ws, a, lambda, zdot, functions, disbelieved, values, starts, peaks, redundant, burden, point, answer });

impl<P: Unilateral> ClosedPoints<P> {
    pub fn new(mode: &Mode<P>) -> Result<ClosedPoints<P>, KktError> {
        let d = mode.dims();
        let mut functions = Vec::new();
        for (k, a) in mode.active().iter().enumerate() {
            let contact = matches!(mode.law(k), PointLaw::Contact { .. });
            let shared = mode.is_shared(k);
            match a.motion {
                SlipState::Slip(_) => functions.push((k, Function::Sliding)),
                SlipState::Stick if !shared => functions.push((k, Function::Friction)),
                _ => {}
            }
            if contact {
                functions.push((k, Function::Feature));
            }
            if !shared && !matches!(mode.law(k), PointLaw::DryFriction { .. }) {
                functions.push((k, Function::Force));
            }
            if contact && shared && mode.friction_follows_shares() {
                functions.push((k, Function::Load));
            }
        }
        Ok(ClosedPoints {
            values: vec![0.0; functions.len()],
            disbelieved: vec![false; functions.len()],
            starts: vec![0.0; if mode.friction_follows_shares() { functions.len() } else { 0 }],
            acc: Accel::new(mode)?,
            projector: Projector::new(mode, SETTLED),
            ws: mode.workspace(),
            a: vec![0.0; d.nv],
            lambda: vec![0.0; d.n_vel],
            zdot: vec![0.0; d.nz],
            functions,
            slides: vec![Slide::default(); mode.active().len()],
            peaks: vec![(0.0, 0.0); mode.active().len()],
            redundant: mode.is_redundant(),
            inertia: vec![[0.0; 3]; mode.active().len()],
            burden: Burden::new(mode),
            mobility: vec![0.0; mode.active().len()],
            point: ContactPoint::default(),
            answer: Answer::new(mode),
        })
    }

    /// Takes over the effective masses of the active points from the response that chose them.
    pub fn set_inertia(&mut self, mode: &Mode<P>, selector: &Selector) {
        let r = &selector.response;
        let own = |row: usize| r.w[row * r.n + row];
        for (k, a) in mode.active().iter().enumerate() {
            let Some(m) = r.members.iter().find(|m| m.id == a.id) else { continue };
            for row in 0..m.law.rows() {
                let w = own(m.row + row);
                self.inertia[k][row] = if w > 0.0 { 1.0 / w } else { 0.0 };
            }
            self.mobility[k] = largest((m.row + 1..m.row + m.law.rows()).map(own));
        }
    }

    /// Brings a state onto the rows of the mode: joints and gaps of closed points, and their speeds, to round-off.
    pub fn project_onto_mode(&mut self, mode: &Mode<P>, s: &mut State) -> Result<(), StepFailure> {
        let (ws, acc) = (&mut self.ws, &mut self.acc);
        self.projector.position(mode, ws, acc, s.t, &mut s.q, &s.z)?;
        self.projector.velocity(mode, ws, acc, &mut s.v, &s.z)
    }

    /// Accelerations and forces at a state; false if they cannot be found.
    fn evaluate(&mut self, mode: &Mode<P>, s: &State) -> bool {
        self.acc
            .eval(
                mode,
                &mut self.ws,
                s.t,
                &s.q,
                &s.v,
                &s.z,
                &mut self.a,
                &mut self.lambda,
                &mut self.zdot,
            )
            .is_ok()
    }

    /// Accelerations and multipliers of the base at a state.
    pub fn derived(
        &mut self,
        mode: &Mode<P>,
        s: &State,
        d: &mut Derived,
    ) -> Result<(), StepFailure> {
        let (a, z) = (&mut d.a, &mut d.zdot);
        self.acc.eval(mode, &mut self.ws, s.t, &s.q, &s.v, &s.z, a, &mut self.lambda, z)?;
        mode.base_multipliers(&self.lambda, &mut d.lambda);
        if !mode.pressed().is_empty() {
            self.a.copy_from_slice(a);
        }
        Ok(())
    }

    /// Shares the forces of closed points at the evaluated state, for [`ClosedPoints::force`].
    pub fn share(&mut self, mode: &Mode<P>) {
        mode.share_forces(&mut self.ws, &mut self.lambda);
    }

    /// Power lost by sliding and by compliant contact at the evaluated state, W.
    pub fn power_lost(&self) -> f64 {
        self.ws.lost + self.ws.pressing.lost()
    }

    /// Energy stored by compliant contact at the evaluated state, J.
    pub fn stored(&self, mode: &Mode<P>) -> f64 {
        mode.stored(&self.ws)
    }

    /// Gap and forces of active point k at the evaluated state.
    pub fn force(&self, mode: &Mode<P>, k: usize) -> (f64, [f64; 3]) {
        (self.ws.points[k].gap, mode.point_force(&self.ws, k, &self.lambda))
    }

    /// Gap and rates of active point k at the evaluated state.
    pub fn kinematics(&self, k: usize) -> (f64, [f64; 3]) {
        (self.ws.points[k].gap, self.ws.points[k].rate)
    }

    /// Scratch of the base at the evaluated state.
    pub fn realized(&self) -> &P::Ws {
        &self.ws.base
    }

    /// Value of a function at the evaluated state.
    pub(super) fn function(&self, mode: &Mode<P>, k: usize, f: Function) -> f64 {
        let point = &self.ws.points[k];
        let law = mode.law(k);
        match f {
            Function::Force => mode.normal_row(k).map_or(1.0, |row| self.lambda[row]),
            Function::Friction => {
                let r = mode.point_force(&self.ws, k, &self.lambda);
                let t = r[1].hypot(r[2]);
                match law {
                    PointLaw::Contact { mu, mu_static, .. } => mu.max(mu_static) * r[0] - t,
                    PointLaw::DryFriction { bound, bound_static } => bound.max(bound_static) - t,
                    PointLaw::Compliant | PointLaw::OneWay => 1.0,
                }
            }
            Function::Sliding => {
                let SlipState::Slip(d) = mode.active()[k].motion else { return 1.0 };
                match law {
                    PointLaw::DryFriction { .. } => point.rate[0] * d[0],
                    _ => point.rate[1] * d[0] + point.rate[2] * d[1],
                }
            }
            Function::Feature => {
                feature_function(&**mode.base(), &self.ws.base, mode.active()[k].id, point)
            }
            Function::Load => mode.depth(&self.ws, k).unwrap_or(1.0),
        }
    }

    fn trigger(&self, mode: &Mode<P>, k: usize, f: Function) -> Trigger {
        let id = mode.active()[k].id;
        match f {
            Function::Force => Trigger::Releases(id),
            Function::Friction => {
                let r = mode.point_force(&self.ws, k, &self.lambda);
                let size = r[1].hypot(r[2]);
                if size > 0.0 {
                    Trigger::Slides(id, [-r[1] / size, -r[2] / size])
                } else {
                    // nothing else acts: it is the load that vanishes
                    Trigger::Releases(id)
                }
            }
            Function::Sliding => Trigger::Stops(id),
            Function::Feature => Trigger::Changes(id),
            Function::Load => Trigger::Kink(id),
        }
    }

    /// The first event of closed points before part `limit` of a step; whatever happens in its part `soonest` counts as
    /// at its start.
    #[allow(clippy::too_many_arguments)]
    pub fn first(
        &mut self,
        mode: &Mode<P>,
        selector: &mut Selector,
        ws: &mut P::Ws,
        span: &mut Span<'_>,
        view: &StepView<'_>,
        limit: f64,
        soonest: f64,
        th: &Thresholds,
    ) -> Option<(f64, Trigger)> {
        if self.functions.is_empty() && !self.redundant {
            return None;
        }
        if !self.starts.is_empty() && self.evaluate(mode, view.from) {
            for (i, (k, f)) in self.functions.iter().enumerate() {
                self.starts[i] = self.function(mode, *k, *f);
            }
        }
        let mut first = self.first_function(mode, span, view, limit, soonest, th);
        // the events found so far: a force that falls and rises again, as it does where rows become dependent, may come
        // first
        let mut looked = limit;
        while let Some((root, _)) = first
            && root > soonest
            && root < NODES[0] * looked
            && let Some(before) = self.first_function(mode, span, view, root, soonest, th)
            && before.0 < root
        {
            looked = root;
            first = Some(before);
        }
        if self.redundant {
            let end = first.as_ref().map_or(limit, |f| f.0);
            if let Some(load) = self.first_reselection(mode, selector, ws, span, end, th) {
                first = Some(load);
            }
        }
        first
    }

    /// A new step begins, and with it a new dense output.
    pub fn believe_all(&mut self) {
        self.disbelieved.fill(false);
    }

    /// States at the ends of steps do not confirm an event: no more of its kind is searched for in the present step.
    pub fn disbelieve(&mut self, mode: &Mode<P>, trigger: &Trigger) {
        for (i, (k, f)) in self.functions.iter().enumerate() {
            let id = mode.active()[*k].id;
            self.disbelieved[i] |= match trigger {
                Trigger::Releases(of) => {
                    *of == id && matches!(f, Function::Force | Function::Friction)
                }
                Trigger::Slides(of, _) => *of == id && *f == Function::Friction,
                Trigger::Stops(of) => *of == id && *f == Function::Sliding,
                Trigger::Changes(of) => *of == id && *f == Function::Feature,
                _ => false,
            };
        }
    }

    /// The first function that falls through zero before part `limit` of a step.
    fn first_function(
        &mut self,
        mode: &Mode<P>,
        span: &mut Span<'_>,
        view: &StepView<'_>,
        limit: f64,
        soonest: f64,
        th: &Thresholds,
    ) -> Option<(f64, Trigger)> {
        let base = mode.base().clone();
        let mut first: Option<(f64, Trigger)> = None;
        let mut end = limit;
        for (peak, slide) in self.peaks.iter_mut().zip(&self.slides) {
            *peak = (slide.speed, 0.0);
        }
        for node in NODES {
            let node = node * limit;
            if !self.evaluate(mode, span.at(&*base, node)) {
                continue;
            }
            self.evaluate_functions(mode, th);
            for i in 0..self.functions.len() {
                if self.disbelieved[i] {
                    continue;
                }
                let ((k, f), value) = (self.functions[i], self.values[i]);
                let root = if f == Function::Load {
                    let start = self.starts[i];
                    let sign = start.signum();
                    // a load that begins or ends at a kink has no sign there
                    if !(sign * start > LOADED && sign * value < -LOADED) {
                        continue;
                    }
                    let at = |s: f64| sign * self.at(mode, span.at(&*base, s), k, f);
                    let root = falling_root(at, (0.0, sign * start), (node, sign * value));
                    if root <= soonest.max(AT_ONCE) {
                        continue;
                    }
                    root
                } else if f == Function::Sliding && mode.slides_in_space(k) {
                    let (peak, peaked) = self.peaks[k];
                    let Slide { rest, .. } = self.slides[k];
                    let floor = self.slides[k].floor(peak);
                    let u = &self.ws.points[k].rate;
                    if value < floor {
                        let at = |s: f64| self.at(mode, span.at(&*base, s), k, f) - floor;
                        falling_root(at, (peaked, peak - floor), (node, value - floor))
                    } else if node == 1.0 && peak > rest && u[1].hypot(u[2]) <= rest {
                        1.0
                    } else {
                        if value > peak {
                            self.peaks[k] = (value, node);
                        }
                        continue;
                    }
                } else {
                    if !(value < 0.0) {
                        continue;
                    }
                    let start = self.at(mode, view.from, k, f);
                    let at = |s: f64| self.at(mode, span.at(&*base, s), k, f);
                    falling_root_from_zero(at, (0.0, start), (node, value)).unwrap_or(0.0)
                };
                if root < end || first.is_none() {
                    end = root;
                    self.evaluate(mode, span.at(&*base, root));
                    first = Some((root, self.trigger(mode, k, f)));
                }
            }
            if first.is_some() {
                break;
            }
        }
        first
    }

    /// The first moment before part `end` of a step where points that share a load leave the mode.
    fn first_reselection(
        &mut self,
        mode: &Mode<P>,
        selector: &mut Selector,
        ws: &mut P::Ws,
        span: &mut Span<'_>,
        end: f64,
        th: &Thresholds,
    ) -> Option<(f64, Trigger)> {
        let base = mode.base().clone();
        let mut next = None;
        let mut goes_on = |s: f64| match self.other(mode, selector, ws, span.at(&*base, s), th) {
            None => 1.0,
            found => {
                next = found;
                -1.0
            }
        };
        let left = LOOKS.iter().map(|part| part * end).find(|s| goes_on(*s) < 0.0)?;
        let root = match goes_on(0.0) {
            start if start > 0.0 => falling_root(&mut goes_on, (0.0, start), (left, -1.0)),
            _ => 0.0,
        };
        // the root is the last place found where the mode does not continue
        Some((root, Trigger::Reselect(next?)))
    }

    /// Values of all functions at the evaluated state.
    fn evaluate_functions(&mut self, mode: &Mode<P>, th: &Thresholds) {
        let mut weighed = false;
        for i in 0..self.functions.len() {
            let (k, f) = self.functions[i];
            let mut value = self.function(mode, k, f);
            if value < 0.0 && matches!(f, Function::Force | Function::Friction) {
                if !weighed {
                    let (mass, jac, force) = self.acc.terms();
                    self.burden.begin(mass);
                    self.burden.add_forces(force);
                    self.burden.add_rows(&mode.structure().jac, jac, &self.lambda);
                    weighed = true;
                }
                if value >= -th.still * self.slack(mode, k, f) {
                    value = f64::NAN;
                }
            }
            self.values[i] = value;
        }
    }

    /// Size of the forces that add up to that of a point: points that touch without load must not open and close by
    /// round-off. Where friction has a given bound, that is enough.
    fn slack(&self, mode: &Mode<P>, k: usize, f: Function) -> f64 {
        let point = &self.ws.points[k];
        let law = mode.law(k);
        let along = |row: usize| self.inertia[k][row] * self.burden.along(point, row);
        match (f, law) {
            (Function::Friction, PointLaw::DryFriction { bound, bound_static }) => {
                along(0).min(bound.max(bound_static))
            }
            (Function::Friction, _) => largest((0..law.rows()).map(along)),
            _ => along(0),
        }
    }

    fn at(&mut self, mode: &Mode<P>, state: &State, k: usize, f: Function) -> f64 {
        if self.evaluate(mode, state) { self.function(mode, k, f) } else { f64::NAN }
    }

    /// The mode that the laws choose at a state if it is not the present one, or if the present one does not hold
    /// although they choose it.
    fn other(
        &mut self,
        mode: &Mode<P>,
        selector: &mut Selector,
        ws: &mut P::Ws,
        state: &State,
        th: &Thresholds,
    ) -> Option<Vec<Active>> {
        let p = mode;
        p.realize_position(state.t, &state.q, &state.z, &mut self.ws);
        p.realize_velocity(&state.v, &state.z, &mut self.ws);
        let Standing { lawful, moves } = p.standing(&mut self.ws, &mut self.burden);
        // the forces as shared now satisfy the laws: no others need to be looked for
        if lawful && moves <= th.still {
            return None;
        }
        let closed: Vec<Closed> = mode
            .active()
            .iter()
            .map(|a| Closed {
                id: a.id,
                features: a.features,
                slow: th.slow * mode.base().gap_per_metre(a.id),
                assume: match a.motion {
                    SlipState::Stick => Assume::Rest,
                    SlipState::Slip(d) => Assume::Slides(d),
                    SlipState::Closed => Assume::Judge,
                },
            })
            .collect();
        let Ok(next) = selector.select(&**mode.base(), ws, state, &closed, th.still) else {
            return Some(mode.active().to_vec());
        };
        // points with forces of their own have event functions of their own
        let leaves = mode.active().iter().enumerate().any(|(k, b)| {
            let goes_on = next.active.iter().any(|a| {
                a.id == b.id
                    && std::mem::discriminant(&a.motion) == std::mem::discriminant(&b.motion)
            });
            mode.is_shared(k) && !goes_on
        });
        (leaves || !(moves <= CLEARLY * th.still)).then_some(next.active)
    }

    /// Whether the realised mode is the reported one: a closed point that moves along a row which the mode does not
    /// solve with, and its speed, m/s.
    pub fn strays(&mut self, mode: &Mode<P>, s: &State, th: &Thresholds) -> Option<(usize, f64)> {
        if !self.redundant {
            return None;
        }
        mode.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        mode.realize_velocity(&s.v, &s.z, &mut self.ws);
        let (dependent, held) = mode.straying(&self.ws);
        // methods that hold only positions leave a little speed along all rows
        dependent.filter(|(_, speed)| !(*speed <= th.stray.max(STRAY * held)))
    }

    /// Value and, if known, slope in time of the function that caused an event, at a real state; `None` if there is no
    /// such function.
    pub fn value(
        &mut self,
        mode: &Mode<P>,
        ws: &mut P::Ws,
        s: &State,
        trigger: &Trigger,
    ) -> Option<(f64, Option<f64>)> {
        if let Some(value) = self.pressed_value(mode, s, trigger) {
            return Some(value);
        }
        let (id, f) = match trigger {
            Trigger::Start
            | Trigger::Reselect(_)
            | Trigger::Appears(..)
            | Trigger::Parts(_)
            | Trigger::Slackens(_)
            | Trigger::Tightens(_) => return None,
            Trigger::Closes(id, features) => {
                let p = mode.base();
                p.realize_position(s.t, &s.q, &s.z, ws);
                p.realize_velocity(&s.v, &s.z, ws);
                p.position(ws, *id, true, Some(*features), &mut self.point);
                p.rates(ws, *id, &mut self.point);
                return Some(match p.law(*id) {
                    PointLaw::OneWay => (self.point.rate[0], None),
                    _ => (self.point.gap, Some(self.point.rate[0])),
                });
            }
            Trigger::Releases(id) => (id, Function::Force),
            Trigger::Slides(id, _) => (id, Function::Friction),
            Trigger::Stops(id) => (id, Function::Sliding),
            Trigger::Changes(id) => (id, Function::Feature),
            Trigger::Kink(id) => (id, Function::Load),
        };
        let k = mode.active().iter().position(|a| a.id == *id)?;
        let value = self.at(mode, s, k, f);
        value.is_finite().then_some((value, None))
    }
}
