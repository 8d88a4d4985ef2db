//! The first open point that closes within a step.
//!
//! Gaps are followed on the dense output of the step, at the moments that divide it into parts. A pair at a distance is
//! measured again only after its sides may have moved that far (conservative advancement), so nothing in between is
//! missed and most pairs are measured only at the ends. In the remaining parts, a crossing is bracketed by a change of
//! sign of the gap, or by a change of sign of its rate with a negative gap at the minimum in between. So a point that
//! dips below zero and comes back is found too, even if it ceases to exist in between (a corner that slides off an edge
//! while it is already inside).
//!
//! Evaluating a moment places all bodies, whatever is measured there. Hundreds of points that land at one instant must
//! not be searched one by one for this reason: those that seem to close soonest are searched first, and each of the
//! others is evaluated where the first one closes, which is one moment for all.

use super::root::{falling_bracket, falling_root, falling_root_from_zero};
use super::taking_over::Pressers;
use super::thresholds::Thresholds;
use super::watch::{Group, Measure, Node, Open, Watch, realize};
use delassus_dae::{ContactPoint, Hermite, PointId, PointLaw, State, Unilateral};

/// Gaps cannot fall further than this factor times what their rates at the ends of a step allow.
const FALL: f64 = 2.0;
/// Number of bisections to the moment where a point ceases to exist.
const HALVINGS: usize = 50;

/// A crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    pub id: PointId,
    /// Part of the step, 0 to 1.
    pub s: f64,
    /// Features that meet.
    pub features: [u32; 2],
    /// A point of compliant contact that is inside from there on, and was not before.
    pub inside: bool,
}

/// The step that is searched.
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

    fn realize<P: Unilateral>(&mut self, p: &P, s: f64, ws: &mut P::Ws) {
        realize(p, self.at(p, s), ws);
    }
}

impl Watch {
    /// The first crossing in a step that [`Watch::plan`] divided into these parts.
    pub fn first<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        span: &mut Span<'_>,
        parts: usize,
        th: &Thresholds,
        pressers: Pressers<'_>,
    ) -> Option<Crossing> {
        self.ends(p, ws, span, parts, th);
        if self.groups.iter().all(|g| g.idle) {
            return None;
        }
        for node in 1..parts {
            if !self.groups.iter().any(|g| !g.idle && g.due == node) {
                continue;
            }
            span.realize(p, node as f64 / parts as f64, ws);
            self.measure(p, ws, node, parts);
        }
        self.close(parts);
        self.soonest(parts);
        let Watch { open, groups, soon, point, .. } = self;
        let mut look = Looking { p, ws, span, here: f64::NAN, open, point, pressers };
        let courses = soon.iter().map(|(_, k, group)| {
            let (o, g) = (&open[*k], &groups[*group]);
            let step = if g.passes { g.reach / parts as f64 } else { f64::INFINITY };
            let (armed, zero, behind) = (o.armed, o.zero(th), o.behind);
            let yields = o.law == PointLaw::Compliant;
            (*k, Course { track: &o.track, armed, zero, behind, yields, step })
        });
        let (k, s) = first_of(courses, parts, &mut look)?;
        let (g, _) = look.gap(k, s);
        let inside = open[k].law == PointLaw::Compliant && g < -th.touching;
        Some(Crossing { id: open[k].id, s, features: point.features, inside })
    }

    /// Lists points that may close with their groups, in the order in which they seem to.
    fn soonest(&mut self, parts: usize) {
        let Watch { open, groups, soon, .. } = self;
        soon.clear();
        for (k, g) in groups.iter().enumerate().filter(|(_, g)| !g.idle) {
            soon.extend(g.points.clone().map(|i| (guess(&open[i].track, parts), i, k)));
        }
        // equal ones in the order of their ids
        soon.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    /// Measures at both ends; points that cannot close are idle from then on. The first entry of a track is the end of
    /// the step until [`Watch::close`] moves it behind the moments in between.
    fn ends<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        span: &mut Span<'_>,
        parts: usize,
        th: &Thresholds,
    ) {
        let h = span.to.t - span.from.t;
        let Watch { open, groups, point, surge, .. } = self;
        for (at, s) in [(parts, 1.0), (0, 0.0)] {
            span.realize(p, s, ws);
            for g in groups.iter().filter(|g| !g.idle) {
                for o in &mut open[g.points.clone()] {
                    if at == parts {
                        o.track.clear();
                    }
                    if o.far {
                        continue;
                    }
                    let (g, r) = point.measure(p, ws, o);
                    o.track.push(Node { at, g, r });
                }
            }
        }
        for g in groups.iter_mut().filter(|g| !g.idle) {
            let points = &open[g.points.clone()];
            g.due = 1;
            if g.passes {
                g.due = g.due(points, 0, parts);
                g.idle = g.due > parts || points.iter().all(|o| o.far);
                continue;
            }
            g.idle = !points.iter().any(|o| {
                let (end, start) = (&o.track[0], &o.track[1]);
                let mean = (end.g - start.g).abs() / h;
                let fall = FALL * h * start.r.abs().max(end.r.abs()).max(mean) + *surge;
                !(start.g.min(end.g) > fall + o.zero(th)) || !o.armed
            });
        }
    }

    /// Measures the pairs that are due at a moment.
    fn measure<P: Unilateral>(&mut self, p: &P, ws: &P::Ws, node: usize, parts: usize) {
        let Watch { open, groups, point, .. } = self;
        for g in groups.iter_mut().filter(|g| !g.idle && g.due == node) {
            for o in open[g.points.clone()].iter_mut().filter(|o| !o.far) {
                let (g, r) = point.measure(p, ws, o);
                o.track.push(Node { at: node, g, r });
            }
            g.due = g.due(&open[g.points.clone()], node, parts);
        }
    }

    /// Moves the ends of the step behind the earlier measurements.
    fn close(&mut self, parts: usize) {
        for g in self.groups.iter().filter(|g| !g.idle) {
            for o in self.open[g.points.clone()].iter_mut().filter(|o| !o.far) {
                if o.track[0].at == parts {
                    o.track.rotate_left(1);
                }
            }
        }
    }
}

/// Evaluates points in a step; cheap at the moment asked for last.
trait Look {
    /// Gap and rate of point k at part s of the step.
    fn gap(&mut self, k: usize, s: f64) -> (f64, f64);

    /// Whether the point takes over there, with its gap, from another one that presses its pair.
    fn takes_over(&mut self, k: usize, s: f64) -> bool;
}

struct Looking<'a, 'b, P: Unilateral> {
    p: &'a P,
    ws: &'a mut P::Ws,
    span: &'a mut Span<'b>,
    here: f64,
    open: &'a [Open],
    point: &'a mut ContactPoint,
    pressers: Pressers<'a>,
}

impl<P: Unilateral> Look for Looking<'_, '_, P> {
    fn gap(&mut self, k: usize, s: f64) -> (f64, f64) {
        if s != self.here {
            self.span.realize(self.p, s, self.ws);
            self.here = s;
        }
        self.point.measure(self.p, self.ws, &self.open[k])
    }

    fn takes_over(&mut self, k: usize, s: f64) -> bool {
        let (gap, _) = self.gap(k, s);
        let (pair, now) = (self.open[k].id.pair, (self.span.sample.t, &[][..]));
        let by = self.pressers.of(self.p, self.ws, pair, now, self.point);
        by.is_some_and(|by| by.hands_over(gap))
    }
}

/// The measurements of a point in a step, and what counts as closed.
struct Course<'a> {
    track: &'a [Node],
    armed: bool,
    zero: f64,
    /// Gap below which it is behind a one-sided wall; −∞ without one.
    behind: f64,
    /// It belongs to a compliant contact.
    yields: bool,
    /// Motion in one part, for features that must not be passed.
    step: f64,
}

/// Which point closes first, and where.
fn first_of<'a>(
    courses: impl Iterator<Item = (usize, Course<'a>)>,
    parts: usize,
    look: &mut impl Look,
) -> Option<(usize, f64)> {
    let mut first = None;
    for (k, course) in courses {
        let limit = first.map_or(1.0, |(_, s)| s);
        let closes = course.closes(parts, limit, k, look);
        first = closes.map(|s| (k, s)).or(first);
    }
    first
}

impl Course<'_> {
    /// Where the point closes first, before part `limit` of the step.
    fn closes(&self, parts: usize, limit: f64, k: usize, look: &mut impl Look) -> Option<f64> {
        let mut part = Part { armed: self.armed, zero: self.zero };
        for pair in self.track.windows(2) {
            let (a, mut b) = (pair[0], pair[1]);
            let (sa, mut sb) = (a.at as f64 / parts as f64, b.at as f64 / parts as f64);
            if sa >= limit {
                return None;
            }
            // nothing closes in the skipped parts
            if b.at > a.at + 1 || a.g > self.step {
                part.armed |= a.g > part.zero;
                continue;
            }
            // a point behind a one-sided wall, or out of its view, passes, unless it takes over from another one
            let walled = self.behind.is_finite();
            let may_take_over = walled && self.yields && a.g.is_nan();
            if walled && !(a.g >= self.behind) && !may_take_over {
                continue;
            }
            if sb > limit {
                // only a point that closes before another one counts, not one that closes together with it
                let (g, r) = look.gap(k, limit);
                if !g.is_nan() {
                    (sb, b.r) = (limit, r);
                    b.g = if g.abs() <= part.zero { f64::MIN_POSITIVE } else { g };
                }
            }
            let root = part.crossing(&mut |s| look.gap(k, s), (sa, a.g, a.r), (sb, b.g, b.r));
            // around the end of such a wall the gap jumps
            let mut acts = |s: f64| match may_take_over {
                true => look.gap(k, s).0 >= self.behind || look.takes_over(k, s),
                false => !walled || look.gap(k, s).0 >= self.behind,
            };
            if let Some(root) = root.filter(|s| acts(*s)) {
                return (root < limit || limit >= 1.0).then_some(root);
            }
        }
        None
    }
}

impl Group {
    /// When a pair that was measured at a moment must be measured again: after the motion has covered the smallest of
    /// its gaps, at least one moment later. Beyond the end if it cannot close.
    fn due(&self, points: &[Open], node: usize, parts: usize) -> usize {
        if !self.passes || self.touches {
            return node + 1;
        }
        // points that do not exist do not count: two shapes that are apart always have one that does
        let gaps = points.iter().filter_map(|o| o.track.last()).map(|n| n.g);
        let least = gaps.filter(|g| !g.is_nan()).fold(f64::INFINITY, f64::min);
        if !least.is_finite() || least <= 0.0 {
            return node + 1;
        }
        let free = least / self.reach * parts as f64;
        if free > parts as f64 { parts + 1 } else { node + (free as usize).max(1) }
    }
}

/// Where a point seems to close: part of the step, beyond its end if it does not.
fn guess(track: &[Node], parts: usize) -> f64 {
    let falls = track.windows(2).find(|w| w[0].g > 0.0 && !(w[1].g > 0.0));
    falls.map_or(f64::INFINITY, |w| {
        let (a, b) = (&w[0], &w[1]);
        let part = if b.g.is_nan() { 0.0 } else { a.g / (a.g - b.g) };
        (a.at as f64 + part * (b.at - a.at) as f64) / parts as f64
    })
}

/// A part of a step that is examined closely.
struct Part {
    /// The point was clearly open before.
    armed: bool,
    zero: f64,
}

impl Part {
    /// Where the gap falls through zero between two moments: part of the step, gap, rate.
    fn crossing(
        &mut self,
        gap: &mut impl FnMut(f64) -> (f64, f64),
        (a, ga, ra): (f64, f64, f64),
        (b, gb, rb): (f64, f64, f64),
    ) -> Option<f64> {
        match (ga.is_nan(), gb.is_nan()) {
            (true, true) => None,
            (true, false) => self.appears(gap, a, (b, gb)),
            (false, true) => {
                let (last, _) = border(|s| gap(s).0.is_nan(), a, b);
                let (g, r) = gap(last);
                if last > a { self.falls(gap, (a, ga, ra), (last, g, r)) } else { None }
            }
            (false, false) => self.falls(gap, (a, ga, ra), (b, gb, rb)),
        }
    }

    /// The point comes to face the other shape, taking over from another one: closed from there on, or closing.
    fn appears(
        &self,
        gap: &mut impl FnMut(f64) -> (f64, f64),
        a: f64,
        (b, gb): (f64, f64),
    ) -> Option<f64> {
        if gb >= -self.zero {
            return None;
        }
        let (_, begin) = border(|s| !gap(s).0.is_nan(), a, b);
        let first = gap(begin).0;
        Some(if first > 0.0 { falling_root(|s| gap(s).0, (begin, first), (b, gb)) } else { begin })
    }

    fn falls(
        &mut self,
        gap: &mut impl FnMut(f64) -> (f64, f64),
        (a, ga, ra): (f64, f64, f64),
        (b, gb, rb): (f64, f64, f64),
    ) -> Option<f64> {
        self.armed |= ga > self.zero;
        // a point that has not been clearly open may hover around zero
        let closed = if self.armed { gb <= 0.0 } else { gb < -self.zero };
        if closed {
            return Some(if ga > self.zero {
                falling_root(|s| gap(s).0, (a, ga), (b, gb))
            } else if ra > 0.0 && rb < 0.0 {
                // opens, reverses and closes again inside this part
                let top = falling_root(|s| gap(s).1, (a, ra), (b, rb));
                let g_top = gap(top).0;
                if g_top > 0.0 { falling_root(|s| gap(s).0, (top, g_top), (b, gb)) } else { a }
            } else {
                // after an impact a gap of round-off may have either sign
                falling_root_from_zero(|s| gap(s).0, (a, 0.0), (b, gb)).unwrap_or(a)
            });
        }
        if ra < 0.0 && rb > 0.0 && self.armed && ga > 0.0 {
            // a minimum in between: the rate rises through zero, or the point ceases to exist
            let (before, after) = falling_bracket(|s| -gap(s).1, (a, -ra), (b, -rb));
            let lowest = [before, after].map(|s| (s, gap(s).0)).into_iter();
            let lowest = lowest.filter(|x| x.1 < -self.zero).min_by(|x, y| x.1.total_cmp(&y.1));
            return lowest.map(|low| falling_root(|s| gap(s).0, (a, ga), low));
        }
        None
    }
}

/// The neighbours a' < b' between which a condition that is false at a becomes true at b.
fn border(mut f: impl FnMut(f64) -> bool, mut a: f64, mut b: f64) -> (f64, f64) {
    for _ in 0..HALVINGS {
        let mid = 0.5 * (a + b);
        if f(mid) { b = mid } else { a = mid }
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: f64 = 1e-14;

    /// The crossing of a gap with this value and rate between two moments.
    fn crossing(armed: bool, gap: impl Fn(f64) -> (f64, f64), a: f64, b: f64) -> Option<f64> {
        let mut gap = gap;
        let (start, end) = (gap(a), gap(b));
        Part { armed, zero: ZERO }.crossing(&mut gap, (a, start.0, start.1), (b, end.0, end.1))
    }

    #[test]
    fn a_gap_that_falls_through_zero() {
        let s = crossing(true, |s| (0.3 - s, -1.0), 0.0, 1.0).unwrap();
        assert!((s - 0.3).abs() < 1e-12);
        assert_eq!(crossing(true, |s| (1.3 - s, -1.0), 0.0, 1.0), None);
        assert_eq!(crossing(true, |s| (0.1 + s, 1.0), 0.0, 1.0), None);
    }

    /// Points that fall at one speed land at these parts of a step: which is first, where, and how many moments
    /// were looked at.
    fn landing(times: &[f64]) -> (usize, f64, usize) {
        let parts = 8;
        let gap = |k: usize, s: f64| ((times[k] - s) * (2.0 + s), -1.0);
        let node = |k: usize, at: usize| {
            let (g, r) = gap(k, at as f64 / parts as f64);
            Node { at, g, r }
        };
        let tracks: Vec<Vec<Node>> =
            (0..times.len()).map(|k| (0..=parts).map(|at| node(k, at)).collect()).collect();
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|a, b| guess(&tracks[*a], parts).total_cmp(&guess(&tracks[*b], parts)));
        let course = |k: usize| {
            let (behind, step) = (f64::NEG_INFINITY, f64::INFINITY);
            let yields = false;
            (k, Course { track: &tracks[k], armed: true, zero: ZERO, behind, yields, step })
        };
        struct Counted<F>(F, f64, usize);
        impl<F: Fn(usize, f64) -> (f64, f64)> Look for Counted<F> {
            fn gap(&mut self, k: usize, s: f64) -> (f64, f64) {
                if s != self.1 {
                    (self.1, self.2) = (s, self.2 + 1);
                }
                self.0(k, s)
            }

            fn takes_over(&mut self, _: usize, _: f64) -> bool {
                false
            }
        }
        let mut look = Counted(gap, f64::NAN, 0);
        let (k, s) = first_of(order.into_iter().map(course), parts, &mut look).unwrap();
        (k, s, look.2)
    }

    #[test]
    fn points_that_land_together_are_looked_at_together() {
        let (one, s, alone) = landing(&[0.3]);
        let (first, t, moments) = landing(&[0.3; 200]);
        assert_eq!((one, s), (first, t));
        assert!(moments <= alone + 1, "{moments} instead of {alone}");
        // one a little sooner among them, wherever it is
        for k in [0, 77, 199] {
            let mut times = [0.3; 200];
            times[k] -= 1e-9;
            let (first, t, moments) = landing(&times);
            assert_eq!(first, k);
            assert!((t - times[k]).abs() < 1e-14 && moments <= 2 * alone, "{t} {moments}");
        }
    }

    #[test]
    fn a_gap_that_dips_below_zero_and_comes_back() {
        // (s − 0.3)(s − 0.6): inside from 0.3 to 0.6
        let dip = |s: f64| ((s - 0.3) * (s - 0.6), 2.0 * s - 0.9);
        let s = crossing(true, dip, 0.0, 1.0).unwrap();
        assert!((s - 0.3).abs() < 1e-12, "{s}");
        // one that only comes close
        let near = |s: f64| ((s - 0.5) * (s - 0.5) + 1e-3, 2.0 * s - 1.0);
        assert_eq!(crossing(true, near, 0.0, 1.0), None);
    }

    #[test]
    fn a_gap_that_opens_and_closes_again() {
        let hop = |s: f64| (s * (0.7 - s), 0.7 - 2.0 * s);
        let s = crossing(false, hop, 0.0, 1.0).unwrap();
        assert!((s - 0.7).abs() < 1e-12, "{s}");
    }

    #[test]
    fn a_point_without_a_meaning_closes_where_it_appears() {
        let appears = |s: f64| if s < 0.4 { (f64::NAN, f64::NAN) } else { (0.6 - s, -1.0) };
        let s = crossing(true, appears, 0.0, 1.0).unwrap();
        assert!((s - 0.6).abs() < 1e-12, "{s}");
        let ends = |s: f64| if s > 0.4 { (f64::NAN, f64::NAN) } else { (0.6 - s, -1.0) };
        assert_eq!(crossing(true, ends, 0.0, 1.0), None);
        let ends = |s: f64| if s > 0.7 { (f64::NAN, f64::NAN) } else { (0.6 - s, -1.0) };
        let s = crossing(true, ends, 0.0, 1.0).unwrap();
        assert!((s - 0.6).abs() < 1e-12, "{s}");
        assert_eq!(crossing(true, |_| (f64::NAN, f64::NAN), 0.0, 1.0), None);
    }
}
