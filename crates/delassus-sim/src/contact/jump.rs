//! The jump of the velocity at an impact, and its entry in the log.

use super::event::{Event, EventKind};
use super::event_driven::{EventDriven, Halt};
use super::resolve::no_response;
use crate::error::{SimError, SimErrorKind};
use delassus_dae::{ContactPoint, PointId, State, Unilateral};
use delassus_math::remember;
use delassus_nonsmooth::Member;
use delassus_nonsmooth::impact::{self, ImpactError, has_impulse};
use delassus_nonsmooth::release::evaluate;

/// Number of impacts of one point whose spacing is examined.
pub(super) const HISTORY: usize = 4;
/// Distance, in lengths of the system, within which two points of a pair are logged as one.
const TWIN: f64 = 1e-7;

/// The last impacts of a point.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounces {
    /// Their times, s.
    pub times: Vec<f64>,
    /// Features that met at the last.
    pub features: [u32; 2],
}
remember!(Bounces { times, features });

impl Bounces {
    fn add(&mut self, t: f64, features: [u32; 2]) {
        self.features = features;
        self.times.push(t);
        if self.times.len() > HISTORY {
            self.times.remove(0);
        }
    }
}

/// The result of an impact.
pub(super) enum Jump {
    /// It is over; the points whose bounces are below the resolution of positions.
    Over(Vec<PointId>),
    /// It is one of infinitely many of this point, the rest of which follow within so many seconds.
    Accumulates { rest: f64, point: PointId },
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// The jump of the velocity where points of I1 approach, if there was one, with the points whose bounces are below
    /// the resolution of positions. Points that come to rest there because others are thrown join those that touch.
    pub(super) fn impacts(
        &mut self,
        s: &mut State,
        touching: &mut Vec<(PointId, [u32; 2])>,
    ) -> Result<Option<Vec<PointId>>, Halt> {
        let mut points = evaluate(&*self.base, &self.ws, touching.iter().copied());
        self.keep_groups_that_meet(&mut points, &s.v);
        if points.is_empty() {
            return Ok(None);
        }
        let accumulates = self.jump(s, points, self.base.sequential_impacts())?;
        let (rest, point) = match accumulates {
            Jump::Over(faded) => return Ok(Some(faded)),
            Jump::Accumulates { rest, point } => (rest, point),
        };
        match self.ends_in_turn(s, touching, rest, point)? {
            Some(faded) => Ok(Some(faded)),
            None => {
                // the impact itself is done: whoever takes over continues from here
                let state = s.clone();
                self.driver
                    .restart(&self.mode, None, &state)
                    .map_err(|e| Halt::Error(SimError::from_failure(&*self.base, &e, s.t, 0.0)))?;
                Err(Halt::Accumulation { rest, point })
            }
        }
    }

    /// The jump where some of these points approach, one by one or at once, and its entries in the log.
    pub(super) fn jump(
        &mut self,
        s: &mut State,
        points: Vec<(PointId, ContactPoint)>,
        one_by_one: bool,
    ) -> Result<Jump, Halt> {
        self.selector
            .response
            .set(&*self.base, &self.ws, points)
            .map_err(|e| no_response(&*self.base, &e, s.t))?;
        let r = &self.selector.response;
        let mut before = Vec::new();
        r.rates(&mut before);
        for m in r.members.iter().filter(|m| !r.moves(m.row)) {
            // no impulse moves what joints hold; its speed is only an error
            if before[m.row].abs() <= self.thresholds_at(m.id, &m.at.cols, &s.v).stray {
                before[m.row] = 0.0;
            }
        }
        let jump = impact::resolve(r, &before, one_by_one, &mut self.cone)
            .map_err(|e| self.no_impulses(e))?;
        let kinetic = |base: &P, ws: &P::Ws| base.energies(ws).unwrap_or_default().kinetic;
        let kinetic_before = kinetic(&self.base, &self.ws);
        r.apply(&jump.impulse, &mut s.v);
        self.lost -= jump.energy;
        let (mut accumulates, mut over) = (None, Vec::new());
        let logged = self.log.len();
        for m in &r.members {
            let rows = m.row..m.row + m.law.rows();
            let lost: f64 = rows
                .clone()
                .map(|i| -0.5 * jump.impulse[i] * (jump.before[i] + jump.after[i]))
                .sum();
            let th = self.thresholds_at(m.id, &m.at.cols, &s.v);
            if jump.impulse[m.row] <= 0.0 && jump.before[m.row] >= -th.rest {
                continue;
            }
            // corners of both shapes may describe one place
            let twin = |x: &&Member| {
                let d = (0..3).map(|i| (x.at.at[i] - m.at.at[i]).powi(2)).sum::<f64>().sqrt();
                x.id.pair == m.id.pair && m.at.normal != [0.0; 3] && d <= TWIN * self.base.length()
            };
            let first = r.members.iter().take_while(|x| x.id != m.id).find(twin).map(|x| x.id);
            let place =
                first.and_then(|id| self.log[logged..].iter().position(|e| e.point == Some(id)));
            match place {
                Some(k) => {
                    self.log[logged + k].impulse += jump.impulse[m.row];
                    self.log[logged + k].energy_lost += lost;
                }
                None => self.log.push(Event {
                    id: 0,
                    t: s.t,
                    kind: EventKind::Impact,
                    point: Some(m.id),
                    contact: self.base.point_name(m.id),
                    speed_before: jump.before[m.row],
                    speed_after: jump.after[m.row],
                    impulse: jump.impulse[m.row],
                    energy_lost: lost,
                    depth: 0.0,
                }),
            }
            let bounces = self.history.entry(m.id).or_default();
            bounces.add(s.t, m.at.features);
            let times = &bounces.times;
            let noise = self.driver.round_off_along(&m.at.cols, &m.at.rows[0]);
            let speeds = [jump.before[m.row], jump.after[m.row]];
            if let Some(rest) = accumulation(times, th.dense) {
                accumulates = Some(Jump::Accumulates { rest, point: m.id });
            } else if is_unresolved(times, speeds, noise) {
                over.push(m.id);
            }
            if let Some(rest) = self.squeeze.takes(m.id, s.t, -jump.before[m.row]) {
                return Err(crushed(&self.base.point_name(m.id), s.t, rest));
            }
        }
        self.count_reduced(s.t, &jump);
        self.sample.copy_from(s);
        self.realize_sample();
        // a body driven from outside (a shaking table) does work on what it hits
        self.fed += kinetic(&self.base, &self.ws) - kinetic_before - jump.energy;
        Ok(accumulates.unwrap_or(Jump::Over(over)))
    }

    /// Contacts whose laws no impulses satisfy, or that are too many.
    fn no_impulses(&self, e: ImpactError) -> Halt {
        let detail = e.to_string();
        match e {
            ImpactError::NoSolution { points, .. } => Halt::Painleve { detail, points },
            ImpactError::TooLarge { points } => self.crowd_of(points),
        }
    }

    /// Keeps only the points of groups in which one approaches: an impact has no effect on other groups.
    pub(super) fn keep_groups_that_meet(
        &mut self,
        points: &mut Vec<(PointId, ContactPoint)>,
        v: &[f64],
    ) {
        let base = &*self.base;
        points.retain(|(id, _)| has_impulse(&base.law(*id)));
        let mut of_group = Vec::new();
        let joined = points.iter().map(|(_, p)| (&p.cols[..], true));
        let n = self.selector.response.groups.number(joined, &mut of_group);
        let mut meets = vec![false; n];
        for ((id, p), group) in points.iter().zip(&of_group) {
            meets[*group] |= p.rate[0] < -self.thresholds_at(*id, &p.cols, v).rest;
        }
        let mut of_group = of_group.iter();
        points.retain(|_| of_group.next().is_some_and(|group| meets[*group]));
    }

    /// Logs and counts groups that did not get the requested restitution.
    fn count_reduced(&mut self, t: f64, jump: &impact::Impact) {
        for group in &jump.reduced {
            let mut names = Vec::new();
            for m in self.selector.response.members.iter().filter(|m| group.points.contains(&m.id))
            {
                let name = self.base.point_name(m.id);
                names.push(name.clone());
                let kind = EventKind::RestitutionReduced;
                self.log.push(Event {
                    speed_before: jump.before[m.row],
                    speed_after: jump.after[m.row],
                    ..Event::without_jump(t, kind, Some((m.id, name)))
                });
            }
            self.tally.reduce(group.factor, t, names);
        }
    }
}

/// Impacts ever sooner and faster: nothing comes after them.
fn crushed(name: &str, t: f64, rest: f64) -> Halt {
    let blame = format!("contact \"{name}\"");
    Halt::Error(SimError {
        kind: SimErrorKind::Accumulation,
        t,
        h: 0.0,
        detail: format!(
            "impacts of {blame} come ever sooner and ever faster: a body is squeezed, infinitely many impacts follow within {rest:.1e} s and no motion comes after them"
        ),
        blame: vec![blame],
        help: "stop what drives the bodies together before their gap is used up, or let something yield (a spring in the drive)".to_owned(),
    })
}

/// Time that the rest of an infinite sequence of impacts will take, if their spacing shrinks and has become shorter
/// than `dense`.
fn accumulation(times: &[f64], dense: f64) -> Option<f64> {
    let [.., a, b, c, d] = times else { return None };
    let gaps = [b - a, c - b, d - c];
    let ratio = gaps[2] / gaps[1];
    (gaps[2] < dense && gaps[2] < gaps[1] && gaps[1] < gaps[0])
        .then(|| gaps[2] * ratio / (1.0 - ratio))
}

/// Whether the flight since the last impact rose by no more than `noise`, the round-off of positions, and is no longer
/// shorter than the one before as it should be. Then the end of the next one is noise too, and impacts would follow
/// each other for ever.
fn is_unresolved(times: &[f64], [before, after]: [f64; 2], noise: f64) -> bool {
    let [.., first, last, now] = times else { return false };
    let (flight, ratio) = (now - last, after / -before);
    let lasts = flight > 0.5 * (1.0 + ratio) * (last - first);
    // a parabola rises by a quarter of its duration times its speed at the end
    before < 0.0 && ratio < 1.0 && lasts && -before * flight / 4.0 <= noise
}

#[cfg(test)]
mod tests {
    use super::{accumulation, is_unresolved};

    #[test]
    fn impacts_that_come_ever_sooner_accumulate() {
        let times = [0.0, 1.0, 1.5, 1.75];
        assert_eq!(accumulation(&times, 0.5), Some(0.25));
        assert_eq!(accumulation(&times, 0.1), None);
        assert_eq!(accumulation(&[0.0, 1.0, 2.0, 3.0], 5.0), None);
    }

    #[test]
    fn a_flight_below_round_off_is_none() {
        // 1e-8 s at 4e-8 m/s: a height of 1e-16 m
        let impacts = [1.0 - 1e-8, 1.0, 1.0 + 1e-8];
        assert!(is_unresolved(&impacts, [-4e-8, 2e-8], 1e-15));
        assert!(!is_unresolved(&impacts, [-4e-8, 2e-8], 1e-17));
        assert!(!is_unresolved(&impacts, [-4e-8, 4e-8], 1e-15));
        assert!(!is_unresolved(&impacts[1..], [-4e-8, 2e-8], 1e-15));
        // flights that still get shorter
        assert!(!is_unresolved(&[1.0 - 2e-8, 1.0, 1.0 + 1e-8], [-4e-8, 2e-8], 1e-15));
        // what leaves is not on its way back
        assert!(!is_unresolved(&impacts, [4e-8, 4e-8], 1e-15));
    }
}
