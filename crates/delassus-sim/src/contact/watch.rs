//! Open points: which of them are watched, and which can close at all within a step.
//!
//! Points of shapes that can pass through each other are watched by pairs: bounding balls of the shapes and a bound on
//! their speed exclude the pairs that cannot meet, and determine into how many parts the step must be divided for
//! nothing to move further than a tenth of the smallest feature in one. The search itself is in `search.rs`.

use super::taking_over::Presser;
use super::thresholds::Thresholds;
use delassus_dae::{BEHIND, ContactPoint, Crowded, PointId, PointLaw, State, Unilateral};
use delassus_math::max_abs;
use delassus_math::memory::{Memory, Remember};
use std::ops::Range;

/// Number of parts of a step, smallest and largest.
const PARTS: [usize; 2] = [8, 256];
/// Number of moments of a step for which the track of a point has room from the start.
const TRACK: usize = 32;
/// Motion in one part, in sizes of the smallest feature.
const UNSEEN: f64 = 0.1;
/// Factor on the speeds at the ends of a step that bounds those within it.
const FASTER: f64 = 2.0;

/// Approach speed of two bodies, each moving and turning by one size per second along every axis, in lengths of the
/// system per second.
pub(super) const BOTH: f64 = 8.0;

/// Rounding of a gap in parts of the place of its point: positions are sums of a few products.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A point that is open at present.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub id: PointId,
    pub law: PointLaw,
    pub features: Option<[u32; 2]>,
    /// It has been clearly open since its last event.
    pub armed: bool,
    /// Size of the smaller of the two parts that meet.
    finest: f64,
    /// It is too far away to close in this step; its track is empty.
    pub far: bool,
    /// Gap below which it is behind a one-sided wall, m; −∞ for all others.
    pub behind: f64,
    /// Side of such a wall on which it was seen last, for points of compliant contact: they may begin inside.
    side: Side,
    /// The equivalent of a metre in the unit of its gap.
    per_metre: f64,
    /// Rounding error of a gap this far from the origin, m.
    rounding: f64,
    /// The measurements in the step, in order of time.
    pub track: Vec<Node>,
}

impl Open {
    /// A point about which nothing is known yet.
    fn new<P: Unilateral>(p: &P, id: PointId) -> Open {
        Open {
            id,
            law: p.law(id),
            features: None,
            armed: false,
            finest: p.finest(id),
            far: false,
            behind: if p.one_sided(id) { -BEHIND * p.length() } else { f64::NEG_INFINITY },
            side: Side::Unseen,
            per_metre: p.gap_per_metre(id),
            rounding: 0.0,
            track: Vec::new(),
        }
    }
}

/// A side of a one-sided wall.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Side {
    /// Out of its view.
    #[default]
    Unseen,
    Front,
    /// A point behind passes until it has been elsewhere.
    Behind,
}

impl Side {
    fn of(gap: f64, behind: f64) -> Side {
        match gap {
            g if g.is_nan() => Side::Unseen,
            g if g < behind => Side::Behind,
            _ => Side::Front,
        }
    }
}

impl Remember for Side {
    fn remember(&mut self, m: &mut Memory<'_>) {
        *self = match m.case(*self as u8, 3) {
            0 => Side::Unseen,
            1 => Side::Front,
            _ => Side::Behind,
        };
    }
}

/// A point at a moment of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Number of the moment.
    pub at: usize,
    /// Gap, m (rate for a clutch), and its rate; NaN where the point does not exist.
    pub g: f64,
    pub r: f64,
}

/// The open points of a pair.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub points: Range<usize>,
    /// Lower bound of its gaps at the start of the step, m.
    clearance: f64,
    /// How far its sides may move past each other in the whole step, m.
    pub reach: f64,
    /// It may be passed through without being left where it was entered.
    pub passes: bool,
    /// Other points of it are closed.
    pub touches: bool,
    /// It cannot close in this step.
    pub idle: bool,
    /// Next moment at which it is measured.
    pub due: usize,
}

/// What is remembered about an open point: its features, whether it is armed, the side of the wall, and the rounding
/// error of its gap.
type Known = (PointId, Option<[u32; 2]>, (bool, Side, f64));

/// Watches the open points.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub(super) open: Vec<Open>,
    /// Those of the step before, while a new list is made.
    before: Vec<Open>,
    pub(super) groups: Vec<Group>,
    /// Points that are closed at present.
    closed: Vec<PointId>,
    /// Points that slid off the end of what they touched, while they are still beside it.
    slid_off: Vec<PointId>,
    ids: Vec<PointId>,
    /// Where open points seem to close, as parts of the step, with their indices and groups; soonest first.
    pub(super) soon: Vec<(f64, usize, usize)>,
    /// How much closer something may come in the step than the speeds at its ends indicate, m or rad.
    pub(super) surge: f64,
    pub(super) point: ContactPoint,
}

impl Watch {
    /// Visits what is remembered about a system: which points are watched, and what is known about them.
    pub fn remember<P: Unilateral>(&mut self, p: &P, m: &mut Memory<'_>) {
        let mut known: Vec<Known> =
            self.open.iter().map(|o| (o.id, o.features, (o.armed, o.side, o.rounding))).collect();
        known.remember(m);
        self.closed.remember(m);
        self.slid_off.remember(m);
        if m.reads() && !m.failed() {
            self.open.clear();
            self.open.extend(known.iter().map(|(id, features, (armed, side, rounding))| Open {
                features: *features,
                armed: *armed,
                side: *side,
                rounding: *rounding,
                ..Open::new(p, *id)
            }));
        }
    }

    /// The point just opened, or its features changed.
    pub fn disarm(&mut self, id: PointId) {
        if let Ok(k) = self.open.binary_search_by_key(&id, |o| o.id) {
            self.open[k].armed = false;
        }
    }

    /// The point slid off the end of what it touched. Until it has clearly left, rounding decides whether it still
    /// faces that, and it must not be mistaken for one that touches.
    pub fn slides_off(&mut self, id: PointId) {
        if !self.slid_off.contains(&id) {
            self.slid_off.push(id);
        }
    }

    /// Takes over the state after an accepted step or an event, which is realised in `ws`. Points in `closed` are not
    /// watched; points within `reach` of closing are.
    pub fn update<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        closed: impl Iterator<Item = PointId>,
        reach: f64,
        th: &Thresholds,
    ) -> Result<(), Crowded> {
        self.closed.clear();
        self.closed.extend(closed);
        p.near_at_most(ws, reach, p.most_points(), &mut self.ids)?;
        std::mem::swap(&mut self.open, &mut self.before);
        let mut old = self.before.drain(..).peekable();
        let mut clearance = Clearance::default();
        for &id in &self.ids {
            if self.closed.contains(&id) || matches!(p.law(id), PointLaw::DryFriction { .. }) {
                continue;
            }
            while old.peek().is_some_and(|o| o.id < id) {
                old.next();
            }
            let mut open = old.next_if(|o| o.id == id).unwrap_or_else(|| Open::new(p, id));
            let short = TRACK.saturating_sub(open.track.capacity());
            if self.open.try_reserve(1).is_err()
                || (short > 0 && open.track.try_reserve_exact(TRACK).is_err())
            {
                return Err(Crowded::points(self.open.len(), &self.ids));
            }
            let zero = open.zero(th);
            if clearance.of(p, ws, id) > zero || p.clearance(ws, id) > zero {
                open.armed = true;
            } else {
                let (g, _) = self.point.measure(p, ws, &open);
                if !g.is_nan() {
                    open.features = Some(self.point.features);
                    open.rounding = ROUNDING * max_abs(&self.point.at);
                    open.armed |= g > open.zero(th);
                }
                if g.is_nan() || open.armed {
                    self.slid_off.retain(|x| *x != id);
                }
            }
            if open.behind.is_finite() && open.law == PointLaw::Compliant {
                open.side = Side::of(self.point.measure(p, ws, &open).0, open.behind);
            }
            self.open.push(open);
        }
        Ok(())
    }

    /// Examines the ends of a step: which pairs can close in it, into how many parts it must be divided, and the part
    /// of it that can be searched if those are too many. A driven body may be at rest at both ends and fast in between:
    /// `surge` is by how much, sizes per second.
    pub fn plan<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        (from, to): (&State, &State),
        surge: f64,
    ) -> (usize, f64) {
        let h = to.t - from.t;
        self.surge = BOTH * h * surge * p.length().max(1.0);
        let beyond = BOTH * h * surge * p.length();
        let Watch { open, groups, closed, .. } = self;
        groups.clear();
        realize(p, from, ws);
        for k in 0..open.len() {
            open[k].far = false;
            let o = &open[k];
            match groups.last_mut() {
                Some(g) if open[g.points.start].id.pair == o.id.pair => g.points.end = k + 1,
                _ => {
                    let (clearance, reach) = p.approach(ws, o.id);
                    let passes = o.finest.is_finite();
                    let touches = closed.iter().any(|c| c.pair == o.id.pair);
                    let (points, idle, due) = (k..k + 1, false, 0);
                    groups.push(Group { points, clearance, reach, passes, touches, idle, due });
                }
            }
        }
        realize(p, to, ws);
        let mut wanted = PARTS[0] as f64;
        for g in groups.iter_mut().filter(|g| g.passes) {
            let o = &open[g.points.start];
            g.reach = FASTER * h * g.reach.max(p.approach(ws, o.id).1) + beyond;
            g.idle = g.clearance > g.reach;
            if g.idle || g.reach.is_infinite() {
                continue;
            }
            wanted = wanted.max((g.reach / (FASTER * UNSEEN * o.finest)).ceil());
            for o in &mut open[g.points.clone()] {
                o.far = p.clearance(ws, o.id) > g.reach;
            }
        }
        let most = PARTS[1] as f64;
        (wanted.min(most) as usize, (most / wanted).min(1.0))
    }

    /// A point that was outside at the start of the step that was searched, is inside by more than `depth` at its end,
    /// m, and was not found to close: it would have to be moved to touch.
    pub fn missed(&self, depth: f64) -> Option<PointId> {
        let points =
            self.groups.iter().filter(|g| !g.idle).flat_map(|g| &self.open[g.points.clone()]);
        let missed = |o: &&Open| {
            let ends = o.track.first().zip(o.track.last());
            o.law.has_gap()
                && o.behind == f64::NEG_INFINITY
                && !self.slid_off.contains(&o.id)
                && ends.is_some_and(|(a, b)| a.g > -depth && b.g < -depth)
        };
        points.into_iter().find(missed).map(|o| o.id)
    }

    /// Points that touch within `th.touching` at the realised state, with their features.
    pub fn touching<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        th: &Thresholds,
        out: &mut Vec<(PointId, [u32; 2])>,
    ) {
        let mut clearance = Clearance::default();
        for o in self.open.iter().filter(|o| o.law != PointLaw::Compliant) {
            let th = th.of_gap(o.per_metre);
            let limit = match o.law {
                PointLaw::OneWay => th.rest,
                _ => th.touching.max(o.rounding),
            };
            if self.slid_off.contains(&o.id)
                || p.clearance(ws, o.id) > limit
                || clearance.of(p, ws, o.id) > limit
            {
                continue;
            }
            let g = self.point.measure(p, ws, o).0;
            if g <= limit && g >= o.behind {
                out.push((o.id, self.point.features));
            }
        }
    }
}

impl Watch {
    /// Depth of the deepest of these open points of compliant contact at a state, m; negative if none is inside.
    pub fn deepest<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        of: impl Fn(PointId) -> bool,
    ) -> f64 {
        realize(p, s, ws);
        let mut deepest = f64::NEG_INFINITY;
        for o in self.open.iter().filter(|o| o.law == PointLaw::Compliant && of(o.id)) {
            let (g, _) = self.point.measure(p, ws, o);
            if o.is_in_front(g) {
                deepest = deepest.max(-g);
            }
        }
        deepest
    }

    /// Open points of compliant contact that touch at the realised state and approach, with their features; also those
    /// that are `inside`, whatever their motion.
    pub fn pressing<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        th: &Thresholds,
        inside: Inside,
        out: &mut Vec<(PointId, [u32; 2])>,
    ) {
        let mut clearance = Clearance::default();
        for o in self.open.iter().filter(|o| o.law == PointLaw::Compliant) {
            let zero = o.zero(th);
            if self.slid_off.contains(&o.id)
                || p.clearance(ws, o.id) > zero
                || clearance.of(p, ws, o.id) > zero
            {
                continue;
            }
            let (g, r) = self.point.measure(p, ws, o);
            let (inside, taken_over) = match inside {
                Inside::All => (g < -zero, false),
                Inside::None => (false, false),
                Inside::Of(pair, presser) => {
                    let own = o.id.pair == pair && g < -zero;
                    (
                        own,
                        own && o.side != Side::Behind && presser.is_some_and(|by| by.hands_over(g)),
                    )
                }
            };
            if taken_over || o.is_in_front(g) && (g <= zero && r < 0.0 || inside) {
                out.push((o.id, self.point.features));
            }
        }
    }
}

/// Which points inside count, whatever their motion.
#[derive(Clone, Copy)]
pub(super) enum Inside {
    None,
    All,
    /// Those of a pair, where points come to face each other, with what presses it.
    Of(u64, Option<Presser>),
}

/// Clearance of the pair that was evaluated last.
#[derive(Default)]
struct Clearance(Option<(u64, f64)>);

impl Clearance {
    fn of<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, id: PointId) -> f64 {
        match self.0 {
            Some((pair, clearance)) if pair == id.pair => clearance,
            _ => {
                let clearance = p.approach(ws, id).0;
                self.0 = Some((id.pair, clearance));
                clearance
            }
        }
    }
}

impl Open {
    /// With such a gap the point is not behind a wall, or came there through it.
    fn is_in_front(&self, gap: f64) -> bool {
        gap >= self.behind || gap < self.behind && self.side == Side::Front
    }

    /// Gap (rate of a clutch) that counts as zero.
    pub fn zero(&self, th: &Thresholds) -> f64 {
        let th = th.of_gap(self.per_metre);
        match self.law {
            PointLaw::OneWay => th.rest,
            _ => th.zero.max(self.rounding),
        }
    }
}

pub(super) trait Measure {
    fn measure<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, o: &Open) -> (f64, f64);
}

impl Measure for ContactPoint {
    /// Gap and its rate at the realised state; for a clutch its rate, whose derivative is not known here. NaN if the
    /// point does not exist.
    fn measure<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, o: &Open) -> (f64, f64) {
        if !p.position(ws, o.id, false, o.features, self) {
            return (f64::NAN, f64::NAN);
        }
        p.rates(ws, o.id, self);
        match o.law {
            PointLaw::OneWay => (self.rate[0], f64::NAN),
            _ => (self.gap, self.rate[0]),
        }
    }
}

/// Realises positions and velocities of a state.
pub(super) fn realize<P: Unilateral>(p: &P, s: &State, ws: &mut P::Ws) {
    p.realize_position(s.t, &s.q, &s.z, ws);
    p.realize_velocity(&s.v, &s.z, ws);
}
