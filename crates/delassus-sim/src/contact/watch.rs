//! Open points, and the first of them that closes within a step.
//!
//! Gaps are followed on the dense output of the step. Values and rates at its ends tell which
//! points can close at all; for those the step is divided into parts, eight or as many as it takes
//! for nothing to move further than a tenth of the smallest feature in one, and in each part a
//! crossing is bracketed by a change of sign of the gap, or by a change of sign of its rate with
//! a negative gap at the minimum between, so that a point that dips below zero and comes back is
//! found too.

use super::root::{falling_root, falling_root_from_zero};
use super::thresholds::Thresholds;
use delassus_dae::{Hermite, Law, Point, PointId, State, Unilateral};

/// Parts of a step, at least and at most.
const PARTS: [usize; 2] = [8, 256];
/// Motion in one part, in sizes of the smallest feature.
const UNSEEN: f64 = 0.1;

/// A point that is open at present.
#[derive(Debug, Clone)]
struct Open {
    id: PointId,
    law: Law,
    features: Option<[u32; 2]>,
    /// It was clearly open since its last event.
    armed: bool,
    /// Gap (rate for a clutch) and its derivative at the nodes; NaN where it has no meaning.
    g: Vec<f64>,
    r: Vec<f64>,
    candidate: bool,
    /// Size of the smaller of the two parts that meet.
    finest: f64,
    /// It may be passed through without being left where it was entered.
    passes: bool,
}

/// A crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    pub id: PointId,
    /// Part of the step, 0 to 1.
    pub s: f64,
    /// Features that meet.
    pub features: [u32; 2],
}

/// Watches the open points.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    open: Vec<Open>,
    ids: Vec<PointId>,
    point: Point,
}

/// The step that is looked at.
pub(crate) struct Span<'a> {
    pub dense: &'a mut Hermite,
    pub sample: &'a mut State,
    pub from: &'a State,
    pub to: &'a State,
}

impl Span<'_> {
    /// State at part s of the step.
    pub fn at<P: Unilateral>(&mut self, p: &P, s: f64) -> &State {
        if s <= 0.0 {
            self.sample.copy_from(self.from);
        } else if s >= 1.0 {
            self.sample.copy_from(self.to);
        } else {
            let t = self.from.t + s * (self.to.t - self.from.t);
            self.dense.at(p.manifold(), t, self.sample);
        }
        self.sample
    }

    pub fn realize<P: Unilateral>(&mut self, p: &P, s: f64, ws: &mut P::Ws) {
        let x = self.at(p, s);
        p.realize_position(x.t, &x.q, &x.z, ws);
        p.realize_velocity(&x.v, &x.z, ws);
    }
}

impl Watch {
    /// The point opened just now, or its features changed.
    pub fn disarm(&mut self, id: PointId) {
        if let Ok(k) = self.open.binary_search_by_key(&id, |o| o.id) {
            self.open[k].armed = false;
        }
    }

    /// Takes in the state after an accepted step or an event, which is realised in `ws`: `closed`
    /// are not watched. Points within `reach` of closing are.
    pub fn update<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        closed: &[PointId],
        reach: f64,
        th: &Thresholds,
    ) {
        p.near(ws, reach, &mut self.ids);
        let old = std::mem::take(&mut self.open);
        let mut old = old.into_iter().peekable();
        for &id in &self.ids {
            if closed.contains(&id) || matches!(p.law(id), Law::DryFriction { .. }) {
                continue;
            }
            while old.peek().is_some_and(|o| o.id < id) {
                old.next();
            }
            let mut open = match old.peek() {
                Some(o) if o.id == id => match old.next() {
                    Some(o) => o,
                    None => continue,
                },
                _ => Open {
                    id,
                    law: p.law(id),
                    features: None,
                    armed: false,
                    g: Vec::new(),
                    r: Vec::new(),
                    candidate: false,
                    finest: p.finest(id),
                    passes: p.finest(id).is_finite(),
                },
            };
            let (g, _) = self.point.measure(p, ws, &open);
            if !g.is_nan() {
                open.features = Some(self.point.features);
                open.armed |= g > open.zero(th);
            }
            self.open.push(open);
        }
    }

    /// Points that are watched.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// Parts into which a step must be divided in which nothing moves further than `motion`, and
    /// the part of the step that can be looked at if those are too many.
    pub fn parts(&self, motion: f64) -> (usize, f64) {
        let finest = self.open.iter().map(|o| o.finest).fold(f64::INFINITY, f64::min);
        let wanted = (motion / (UNSEEN * finest)).ceil().max(PARTS[0] as f64);
        let most = PARTS[1] as f64;
        (wanted.min(most) as usize, (most / wanted).min(1.0))
    }

    /// The first crossing in a step that is looked at in `parts`, in which no gap closes by more
    /// than `reach`.
    pub fn first<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        span: &mut Span<'_>,
        parts: usize,
        reach: f64,
        th: &Thresholds,
    ) -> Option<Crossing> {
        let h = span.to.t - span.from.t;
        let nodes = parts;
        for (node, s) in [(0, 0.0), (nodes, 1.0)] {
            span.realize(p, s, ws);
            for o in &mut self.open {
                o.g.resize(nodes + 1, f64::NAN);
                o.r.resize(nodes + 1, f64::NAN);
                (o.g[node], o.r[node]) = self.point.measure(p, ws, o);
            }
        }
        let mut any = false;
        for o in &mut self.open {
            let (g, r) = (&o.g, &o.r);
            let lowest = g[0].min(g[nodes]);
            // a gap cannot fall further than its rates allow; accelerations may double them
            let fall = 2.0 * h * r[0].abs().max(r[nodes].abs()).max((g[nodes] - g[0]).abs() / h);
            let fall = if o.passes { fall.max(reach) } else { fall };
            o.candidate = !(lowest > fall + o.zero(th)) || !o.armed;
            any |= o.candidate;
        }
        if !any {
            return None;
        }
        for node in 1..nodes {
            span.realize(p, node as f64 / nodes as f64, ws);
            for o in self.open.iter_mut().filter(|o| o.candidate) {
                (o.g[node], o.r[node]) = self.point.measure(p, ws, o);
            }
        }
        let mut first: Option<Crossing> = None;
        for k in 0..self.open.len() {
            if !self.open[k].candidate {
                continue;
            }
            let limit = first.map_or(1.0, |c| c.s);
            if let Some(s) = self.crossing(p, ws, span, k, limit, th) {
                let o = &self.open[k];
                span.realize(p, s, ws);
                self.point.measure(p, ws, o);
                first = Some(Crossing { id: o.id, s, features: self.point.features });
            }
        }
        first
    }

    /// Where point k closes first, before part `limit` of the step.
    fn crossing<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        span: &mut Span<'_>,
        k: usize,
        limit: f64,
        th: &Thresholds,
    ) -> Option<f64> {
        let o = self.open[k].clone();
        let zero = o.zero(th);
        let mut armed = o.armed;
        let point = &mut self.point;
        let mut gap = |s: f64, span: &mut Span<'_>, ws: &mut P::Ws| {
            span.realize(p, s, ws);
            point.measure(p, ws, &o)
        };
        let nodes = o.g.len() - 1;
        for i in 0..nodes {
            let (a, b) = (i as f64 / nodes as f64, (i + 1) as f64 / nodes as f64);
            if a >= limit {
                return None;
            }
            let ((ga, ra), (gb, rb)) = ((o.g[i], o.r[i]), (o.g[i + 1], o.r[i + 1]));
            if gb.is_nan() {
                continue;
            }
            if ga.is_nan() {
                // it comes to face the other shape inside this part, taking over from another
                // point: closed from there on, or closing
                if gb < -zero {
                    let (mut lo, mut hi) = (a, b);
                    for _ in 0..50 {
                        let mid = 0.5 * (lo + hi);
                        if gap(mid, span, ws).0.is_nan() { lo = mid } else { hi = mid }
                    }
                    let first = gap(hi, span, ws).0;
                    let root = if first > 0.0 {
                        falling_root(|s| gap(s, span, ws).0, (hi, first), (b, gb))
                    } else {
                        hi
                    };
                    return (root < limit || limit >= 1.0).then_some(root);
                }
                continue;
            }
            armed |= ga > zero;
            // what has not been clearly open may hover around zero
            let closed = |g: f64| if armed { g <= 0.0 } else { g < -zero };
            if closed(gb) {
                let root = if ga > 0.0 && armed {
                    falling_root(|s| gap(s, span, ws).0, (a, ga), (b, gb))
                } else if ra > 0.0 && rb < 0.0 {
                    // opens, turns round and closes again inside this part
                    let top = falling_root(|s| gap(s, span, ws).1, (a, ra), (b, rb));
                    let g_top = gap(top, span, ws).0;
                    if g_top > 0.0 {
                        falling_root(|s| gap(s, span, ws).0, (top, g_top), (b, gb))
                    } else {
                        a
                    }
                } else {
                    falling_root_from_zero(|s| gap(s, span, ws).0, (a, ga), (b, gb)).unwrap_or(a)
                };
                return (root < limit || limit >= 1.0).then_some(root);
            }
            if ra < 0.0 && rb > 0.0 && armed {
                // a minimum in between: the rate rises through zero
                let bottom = falling_root(|s| -gap(s, span, ws).1, (a, -ra), (b, -rb));
                let lowest = gap(bottom, span, ws).0;
                if lowest < -zero && ga > 0.0 {
                    let root = falling_root(|s| gap(s, span, ws).0, (a, ga), (bottom, lowest));
                    return (root < limit || limit >= 1.0).then_some(root);
                }
            }
        }
        None
    }

    /// Points that touch within `th.touching` at the realised state, with their features.
    pub fn touching<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        th: &Thresholds,
        out: &mut Vec<(PointId, [u32; 2])>,
    ) {
        for o in &self.open {
            let (g, _) = self.point.measure(p, ws, o);
            let limit = match o.law {
                Law::OneWay => th.rest,
                _ => th.touching,
            };
            if g <= limit {
                out.push((o.id, self.point.features));
            }
        }
    }
}

impl Open {
    /// Gap (rate of a clutch) that is as good as zero.
    fn zero(&self, th: &Thresholds) -> f64 {
        match self.law {
            Law::OneWay => th.rest,
            _ => th.zero,
        }
    }
}

trait Measure {
    fn measure<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, o: &Open) -> (f64, f64);
}

impl Measure for Point {
    /// Gap and its rate at the realised state; for a clutch its rate, whose derivative is not
    /// known here. NaN where the point has no meaning.
    fn measure<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, o: &Open) -> (f64, f64) {
        if !p.position(ws, o.id, false, o.features, self) {
            return (f64::NAN, f64::NAN);
        }
        p.rates(ws, o.id, self);
        match o.law {
            Law::OneWay => (self.rate[0], f64::NAN),
            _ => (self.gap, self.rate[0]),
        }
    }
}
