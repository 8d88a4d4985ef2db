//! Laws that read the state, on the path of a step: forces and targets by expression that are more than polynomials of
//! sensors, coordinates and rates.
//!
//! Such a law may act in a narrow window of position, angle or speed, and a step may begin before the window and end
//! after it. So everything that the laws read is followed from one end of the step to the other: lengths and angles by
//! the quintic with their values, rates and accelerations at both ends, speeds by the cubic with their values and
//! rates. Along these, laws are functions of time, and their effect in any part of the step is known by ranges of
//! Taylor coefficients, as for functions of time itself (`time.rs`). A distance that falls and rises again within a
//! step, or a marker on a body that turns far, does not follow such a polynomial: this is detected inside the step
//! ([`System::off_tracks`]), which is then shortened.

use super::force::ForceLaw;
use super::probe::Probe;
use super::scalar::{PairScalar, continued};
use super::sensitivity::{Spread, read};
use super::time::{N, Source, TimeLaw, TimeRanges, hull, leaves};
use super::tyre::Track;
use super::{System, Workspace};
use crate::model::var;
use delassus_dae::Stretch;
use delassus_expr::{Expr, Jet, Range};

/// Polynomials of the state up to this degree have no windows: a step resolves them fully.
const PLAIN: u32 = 4;

/// How far ranges that serve for many steps extend beyond those of one, in multiples of these, and how much smaller
/// than allowed the effect of laws must be for using them.
const WIDE: f64 = 8.0;
const ROOM: f64 = 1e3;
/// Relative differences of what is read that are round-off.
const ROUND_OFF: f64 = 1e-12;
/// Fraction of wider ranges of rates that the next ones keep.
const FADING: f64 = 0.7;

/// Laws that are followed, and what they read.
#[derive(Debug, Clone, Default)]
pub(super) struct Watched {
    /// Each with its index among `forces`, if it is there.
    laws: Vec<(TimeLaw, Option<usize>)>,
    /// Sensors that they read, each after those that it reads itself.
    sensors: Vec<usize>,
    /// None of them is the target of an actuator, whose force also depends on the length of a step.
    steady: bool,
    /// Scalar forces whose coordinate or rate they read.
    forces: Vec<usize>,
    /// There are tyres on roads.
    roads: bool,
}

/// Value, rate and acceleration of what is read at one end; the last is NaN for quantities of velocity level.
pub(super) type End = [f64; 3];

/// What laws read, from one end of a step to the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Way {
    start: Vec<End>,
    end: Vec<End>,
    /// Coefficients over the part of the step, 0 to 1: sensors that are not expressions, then forces.
    tracks: Vec<[f64; 6]>,
    /// Start and length of the step, s.
    t: f64,
    h: f64,
    /// Time, the tracks and the rates of the forces in a part of the step.
    leaves: Vec<Jet<N>>,
    wide: Wide,
    jets: Vec<Jet<N>>,
    spreads: [Spread; 2],
    wheels: Vec<Track>,
}

/// Effect of laws in ranges of everything they read that are wider than a step, so that they serve for many.
#[derive(Debug, Clone, Default)]
struct Wide {
    leaves: Vec<Jet<N>>,
    /// Length of the pieces, in steps, and degree of the polynomials.
    length: f64,
    degree: u32,
    unseen: f64,
    /// Whether they are worth using.
    serves: bool,
}

impl Wide {
    /// Whether everything that laws read in a part of a step is within these ranges. A range within another one gives a
    /// result within, so the answer is the same as without.
    fn holds(&self, leaves: &[Jet<N>], part: &Stretch) -> bool {
        let within = |a: &Range, b: &Range| b.lo <= a.lo && a.hi <= b.hi;
        (part.to - part.from) / part.pieces <= self.length
            && part.degree == self.degree
            && leaves
                .iter()
                .zip(&self.leaves)
                .all(|(a, b)| a.c.iter().zip(&b.c).all(|(a, b)| within(a, b)))
    }
}

impl Watched {
    pub fn watches(&self) -> bool {
        !self.laws.is_empty() || self.roads
    }

    pub fn laws(&self) -> impl Iterator<Item = &TimeLaw> {
        self.laws.iter().map(|(law, _)| law)
    }

    pub fn len(&self) -> usize {
        self.laws.len()
    }
}

impl Way {
    pub fn keep_end(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
        self.wheels.iter_mut().for_each(Track::keep_end);
    }
}

impl System {
    pub(super) fn find_state_laws(&self) -> Watched {
        let mut degrees = vec![Some(1); self.probes.len()];
        let degree = |e: &Expr, degrees: &[Option<u32>]| {
            e.degree(|x| match x {
                // functions of time are examined separately
                var::T => Some(0),
                var::COORDINATE | var::RATE => Some(1),
                _ => degrees[x - var::SENSOR],
            })
        };
        for &k in &self.force_inputs {
            if let Probe::Expression(e) = &self.probes[k] {
                degrees[k] = degree(e, &degrees);
            }
        }
        let mut out = Watched { steady: true, roads: self.watches_roads(), ..Watched::default() };
        let mut needed = vec![false; self.probes.len()];
        self.visit_forces(|e, source, effect| {
            if effect == 0.0 || degree(e, &degrees).is_some_and(|d| d <= PLAIN) {
                return;
            }
            read(e).for_each(|(_, k)| needed[k] = true);
            let mut own = None;
            if let Source::Scalar(i) = source {
                out.steady &= !matches!(self.scalar_forces[i].law, ForceLaw::Actuator { .. });
            }
            if let (Source::Scalar(i), true) = (source, reads_own(e)) {
                own = Some(out.forces.len());
                out.forces.push(i);
            }
            let group = self.group_of_law(source);
            out.laws.push((TimeLaw { source, effect, group }, own));
        });
        for &k in self.force_inputs.iter().rev() {
            if let (Probe::Expression(e), true) = (&self.probes[k], needed[k]) {
                read(e).for_each(|(_, k)| needed[k] = true);
            }
        }
        out.sensors = self.force_inputs.iter().copied().filter(|k| needed[*k]).collect();
        out
    }

    pub(super) fn way_scratch(&self) -> Way {
        if !self.way.watches() {
            return Way::default();
        }
        let is_leaf = |k: &&usize| !matches!(self.probes[**k], Probe::Expression(_));
        let tracks = self.way.sensors.iter().filter(is_leaf).count() + self.way.forces.len();
        let vars = var::SENSOR + self.probes.len();
        let leaves = vec![Jet::constant(0.0); 1 + tracks + self.way.forces.len()];
        let widest = self.bodies.iter().map(|b| b.nv).max().unwrap_or(0);
        Way {
            start: vec![[0.0; 3]; tracks],
            end: vec![[0.0; 3]; tracks],
            tracks: vec![[0.0; 6]; tracks],
            t: 0.0,
            h: 0.0,
            wide: Wide { leaves: leaves.clone(), unseen: f64::INFINITY, ..Wide::default() },
            leaves,
            jets: vec![Jet::constant(0.0); vars],
            spreads: [Spread::with_capacity(widest), Spread::with_capacity(widest)],
            wheels: self.road_tracks(),
        }
    }

    /// Records what laws read at the realised state, at the start of a step or at its end.
    pub(super) fn take_down_sensors(&self, ws: &mut Workspace, v: &[f64], a: &[f64], end: bool) {
        let mut way = std::mem::take(&mut ws.way);
        let Way { start, end: last, spreads: [xi, dv], .. } = &mut way;
        let mut out = if end { last } else { start }.iter_mut();
        for &k in &self.way.sensors {
            let value = ws.vars[var::SENSOR + k];
            let taken = match &self.probes[k] {
                Probe::Expression(_) => continue,
                Probe::Scalar(s) => {
                    let [rate, acceleration] = self.followed(ws, s, a, xi);
                    [value, rate, acceleration]
                }
                Probe::ScalarRate(s) => {
                    let [rate, acceleration] = self.followed(ws, s, a, xi);
                    [rate, acceleration, f64::NAN]
                }
                _ => {
                    self.leaf_slopes(ws, k, xi, dv);
                    let by_states = self.leaf_states(ws, k).map(|(z, s)| s * ws.z_dot[z]);
                    let rate = Self::along(xi, v) + Self::along(dv, a) + by_states.sum::<f64>();
                    [value, rate, f64::NAN]
                }
            };
            if let Some(out) = out.next() {
                *out = taken;
            }
        }
        for (&i, out) in self.way.forces.iter().zip(out) {
            let [rate, acceleration] = self.followed(ws, &self.scalar_forces[i].scalar, a, xi);
            *out = [ws.forces[i].s, rate, acceleration];
        }
        self.take_down_wheels(ws, a, end, &mut way.wheels);
        ws.way = way;
    }

    /// Rate and acceleration of a scalar.
    fn followed(&self, ws: &Workspace, s: &PairScalar, a: &[f64], row: &mut Spread) -> [f64; 2] {
        let p = self.pair(ws, s);
        let h = s.kind.gradient(&p);
        row.set(&[self.jac(&ws.kin, s.a), self.jac(&ws.kin, s.b)], &h);
        [p.rate(&h), p.add_bias(s.kind.bias(&p), &h) + Self::along(row, a)]
    }

    /// A row over the velocities of two bodies, times x.
    fn along(row: &Spread, x: &[f64]) -> f64 {
        row.entries().map(|(i, c)| c * x[i]).sum()
    }

    /// Joins the two recorded ends, of a step from t over h.
    pub(super) fn span_sensors(&self, ws: &mut Workspace, t: f64, h: f64) {
        let Way { start, end, tracks, .. } = &mut ws.way;
        let mut at = 0;
        for &k in &self.way.sensors {
            if let Probe::Expression(_) = self.probes[k] {
                continue;
            }
            if self.wraps(&self.probes[k]) {
                end[at][0] = continued(end[at][0], start[at][0]);
            }
            at += 1;
        }
        for (track, (x0, x1)) in tracks.iter_mut().zip(start.iter().zip(&*end)) {
            *track = joined(x0, x1, h);
        }
        (ws.way.t, ws.way.h) = (t, h);
        self.span_wheels(h, &mut ws.way.wheels);
    }

    /// Distance of what laws read at the realised state, at part s of the step, from the tracks, relative to its change
    /// along the step.
    pub(super) fn off_tracks(&self, ws: &Workspace, s: f64) -> f64 {
        let mut tracks = ws.way.tracks.iter();
        let mut worst = 0.0_f64;
        let mut compare = |value: f64, wraps: bool, track: Option<&[f64; 6]>| {
            let Some(c) = track else { return };
            let on_track = c.iter().rev().fold(0.0, |x, c| x * s + c);
            let value = if wraps { continued(value, on_track) } else { value };
            let goes: f64 = c[1..].iter().sum();
            let end_rate: f64 = c[1..].iter().zip(1..).map(|(c, k)| f64::from(k) * c).sum();
            let reach = goes.abs().max(c[1].abs()).max(end_rate.abs());
            let off = (value - on_track).abs();
            // round-off of the values does not count as a distance
            if off > ROUND_OFF * (value.abs() + reach) {
                worst = worst.max(off / reach);
            }
        };
        for &k in &self.way.sensors {
            if !matches!(self.probes[k], Probe::Expression(_)) {
                compare(ws.vars[var::SENSOR + k], self.wraps(&self.probes[k]), tracks.next());
            }
        }
        for &i in &self.way.forces {
            compare(ws.forces[i].s, false, tracks.next());
        }
        worst
    }

    /// Deviation of laws from polynomials in a part of the step, as accelerations, and whether none of them switches
    /// there.
    pub(super) fn unseen_between(
        &self,
        ws: &mut Workspace,
        part: Stretch,
        paces: &[f64],
    ) -> (f64, bool) {
        let mut way = std::mem::take(&mut ws.way);
        self.set_leaves(&mut way, part.from, part.to);
        let wide = &way.wide;
        let found = if wide.unseen <= part.enough && wide.holds(&way.leaves, &part) {
            (wide.unseen, true)
        } else if wide.serves && part.enough > 0.0 && self.widen(&mut way, &part, paces) {
            (way.wide.unseen, true)
        } else {
            let found = self.unseen_by(&mut way, &part, paces);
            way.wide.serves |= self.way.steady && found.1 && found.0 * ROOM <= part.enough;
            found
        };
        let roads = self.unseen_of_roads(&way.wheels, &part, paces);
        ws.way = way;
        (found.0.max(roads.0), found.1 && roads.1)
    }

    /// The same once the values that laws read are set.
    fn unseen_by(&self, way: &mut Way, part: &Stretch, paces: &[f64]) -> (f64, bool) {
        let (mut worst, mut smooth) = (0.0_f64, true);
        let length = (part.to - part.from) / part.pieces;
        self.visit_way(way, |h, law, jet| {
            let span = (length, h);
            let unseen = self.off_force(law, jet, span, part.degree as usize, Some(paces));
            // what is not known is not small
            worst = if unseen.is_nan() { f64::INFINITY } else { worst.max(unseen) };
            smooth &= jet.decided;
        });
        (worst, smooth)
    }

    /// Examines wider ranges of everything that laws read, in which the coming steps may stay. False if those are not
    /// useful.
    fn widen(&self, way: &mut Way, part: &Stretch, paces: &[f64]) -> bool {
        std::mem::swap(&mut way.leaves, &mut way.wide.leaves);
        let Way { leaves: wide, wide: Wide { leaves: own, .. }, .. } = way;
        for (wide, own) in wide.iter_mut().zip(&*own) {
            let value = own.c[0];
            let reach = WIDE * (value.hi - value.lo);
            wide.c[0] = Range { lo: value.lo - reach, hi: value.hi + reach };
            for (wide, own) in wide.c[1..].iter_mut().zip(&own.c[1..]) {
                // rates recur, like those of oscillations
                let reach = (2.0 * own.magnitude()).max(FADING * wide.magnitude());
                *wide = Range { lo: -reach, hi: reach };
            }
        }
        let (unseen, smooth) = self.unseen_by(way, part, paces);
        std::mem::swap(&mut way.leaves, &mut way.wide.leaves);
        let serves = smooth && unseen <= part.enough;
        if !serves {
            // what is left of other ranges is forgotten
            way.wide.leaves.fill(Jet::constant(0.0));
        }
        let length = (part.to - part.from) / part.pieces;
        let wide = &mut way.wide;
        (wide.length, wide.degree, wide.serves) = (length, part.degree, serves);
        wide.unseen = if serves { unseen } else { f64::INFINITY };
        serves
    }

    /// Name of the law that varies most on the path.
    pub(super) fn most_restless_on_way(&self, ws: &mut Workspace) -> Option<String> {
        let mut way = std::mem::take(&mut ws.way);
        let mut worst: Option<(f64, String)> = None;
        self.set_leaves(&mut way, 0.0, 1.0);
        self.visit_way(&mut way, |h, law, jet| {
            let unseen = self.off_force(law, jet, (1.0, h), 0, None);
            if worst.as_ref().is_none_or(|w| unseen > w.0) {
                worst = Some((unseen, self.law_name(law)));
            }
        });
        let tyre = self.most_restless_tyre(&way.wheels);
        if tyre.as_ref().is_some_and(|t| worst.as_ref().is_none_or(|w| t.0 > w.0)) {
            worst = tyre;
        }
        ws.way = way;
        worst.map(|w| w.1)
    }

    /// The name of a law that, between the two recorded ends, takes values that neither end shows: for fixed steps,
    /// which may contain impacts.
    pub fn hidden_on_way(
        &self,
        ws: &mut Workspace,
        seen: &mut TimeRanges,
        t: f64,
        h: f64,
    ) -> Option<String> {
        self.span_straight(ws, t, h);
        let mut way = std::mem::take(&mut ws.way);
        let mut hidden = None;
        for (k, seen) in seen.of_state(self).iter_mut().enumerate() {
            let mut on = |a: f64, b: f64| {
                self.set_leaves(&mut way, a, b);
                self.set_sensors(&mut way);
                self.on_way(&mut way, k).c[0]
            };
            let ends = hull(on(0.0, 0.0), on(1.0, 1.0));
            *seen = hull(*seen, ends);
            if hidden.is_none() && leaves(&mut on, (0.0, 1.0), ends, *seen) {
                hidden = Some(self.law_name(&self.way.laws[k].0));
            }
        }
        let hidden = hidden.or_else(|| self.hidden_road(&way.wheels));
        ws.way = way;
        hidden
    }

    /// Joins the two recorded ends, of a step that may contain impacts, by straight lines.
    pub(super) fn span_straight(&self, ws: &mut Workspace, t: f64, h: f64) {
        self.span_sensors(ws, t, h);
        for c in &mut ws.way.tracks {
            *c = [c[0], c[1..].iter().sum(), 0.0, 0.0, 0.0, 0.0];
        }
    }

    /// A law in a part of the path, and whether nothing switches there.
    pub(super) fn law_on_way(
        &self,
        ws: &mut Workspace,
        law: usize,
        a: f64,
        b: f64,
    ) -> (Range, bool) {
        let mut way = std::mem::take(&mut ws.way);
        self.set_leaves(&mut way, a, b);
        self.set_sensors(&mut way);
        let jet = self.on_way(&mut way, law);
        ws.way = way;
        (jet.c[0], jet.decided)
    }

    /// All laws once the values they read are set, with the length of the step, s.
    fn visit_way(&self, way: &mut Way, mut visit: impl FnMut(f64, &TimeLaw, &Jet<N>)) {
        self.set_sensors(way);
        for (k, (law, _)) in self.way.laws.iter().enumerate() {
            let jet = self.on_way(way, k);
            visit(way.h, law, &jet);
        }
    }

    /// Sets what laws read to its range in a part of the step.
    fn set_leaves(&self, way: &mut Way, a: f64, b: f64) {
        let Way { tracks, leaves, t, h, .. } = way;
        leaves[0] = Jet::polynomial(&[*t, *h], a, b);
        let (of_tracks, rates) = leaves[1..].split_at_mut(tracks.len());
        for (jet, c) in of_tracks.iter_mut().zip(&*tracks) {
            *jet = Jet::polynomial(c, a, b);
        }
        for (jet, c) in rates.iter_mut().zip(&tracks[tracks.len() - self.way.forces.len()..]) {
            let rate = [c[1], 2.0 * c[2], 3.0 * c[3], 4.0 * c[4], 5.0 * c[5]];
            *jet = Jet::polynomial(&rate.map(|c| c / *h), a, b);
        }
    }

    /// Sensors once the values they read are set.
    fn set_sensors(&self, way: &mut Way) {
        let Way { leaves, jets: vars, .. } = way;
        vars[var::T] = leaves[0];
        let mut leaves = leaves[1..].iter();
        for &k in &self.way.sensors {
            vars[var::SENSOR + k] = match &self.probes[k] {
                Probe::Expression(e) => e.over(vars),
                _ => leaves.next().copied().unwrap_or(Jet::constant(0.0)),
            };
        }
    }

    /// The expression of a law where sensors are set.
    fn on_way(&self, way: &mut Way, law: usize) -> Jet<N> {
        let Way { leaves, jets: vars, .. } = way;
        let (TimeLaw { source, .. }, own) = &self.way.laws[law];
        match *source {
            Source::Applied(i, k) => self.applied[i].components[k].over(vars),
            Source::Scalar(i) => {
                if let Some(k) = own {
                    // coordinates come after the sensors, rates after all
                    let forces = self.way.forces.len();
                    let first = leaves.len() - 2 * forces;
                    vars[var::COORDINATE] = leaves[first + k];
                    vars[var::RATE] = leaves[first + forces + k];
                }
                match &self.scalar_forces[i].law {
                    ForceLaw::Expression(e) | ForceLaw::Actuator { target: e, .. } => e.over(vars),
                    ForceLaw::Linear { .. } => Jet::constant(0.0),
                }
            }
            Source::Motion(_) => Jet::constant(0.0),
        }
    }
}

/// Whether an expression reads the coordinate of its own force.
fn reads_own(e: &Expr) -> bool {
    e.variables().iter().any(|x| [var::COORDINATE, var::RATE].contains(x))
}

/// Coefficients of the polynomial over 0 to 1 with what is known at both ends of a step over h: the quintic, or the
/// cubic without accelerations.
pub(super) fn joined(start: &End, end: &End, h: f64) -> [f64; 6] {
    let ([x0, v0, a0], [x1, v1, a1]) = (*start, *end);
    let (d, v0, v1) = (x1 - x0, h * v0, h * v1);
    if a0.is_nan() || a1.is_nan() {
        return [x0, v0, 3.0 * d - 2.0 * v0 - v1, v0 + v1 - 2.0 * d, 0.0, 0.0];
    }
    let (a0, a1) = (h * h * a0, h * h * a1);
    [
        x0,
        v0,
        0.5 * a0,
        10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1,
        -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1,
        6.0 * d - 3.0 * (v0 + v1) - 0.5 * (a0 - a1),
    ]
}
