//! The history of each compliant contact since it began, for the event log and the summary.

use super::event::{Event, EventKind};
use super::taking_over::Left;
use super::tally::{CompliantTally, FEW_STEPS};
use delassus_dae::{PointId, Unilateral};
use delassus_math::remember;
use std::collections::BTreeMap;

/// The history of a contact.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Course {
    /// Normal speed at its start, m/s, negative.
    pub speed: f64,
    /// Deepest penetration, m.
    pub deepest: f64,
    /// Energy lost, J.
    pub lost: f64,
    /// Impulse, N s.
    pub impulse: f64,
    /// Number of steps that it took.
    pub steps: u64,
}
remember!(Course { speed, deepest, lost, impulse, steps });

/// Memory of the compliant contacts of a run.
#[derive(Debug, Default)]
pub(super) struct Courses {
    pub of: BTreeMap<PointId, Course>,
    /// Longest next step, s.
    pub aim: Option<f64>,
    /// Points whose features ended, and from which others may take over.
    pub left: Vec<Left>,
}
remember!(Courses { of, aim, left });

/// Where and how a contact begins or ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instant {
    pub t: f64,
    /// Rate of the gap, m/s.
    pub rate: f64,
    /// Penetration, m.
    pub depth: f64,
}

impl Courses {
    /// Something took over in a pair at t. Of the energy that another point of it stored, the fraction is lost for which
    /// nothing acted, relative to the duration of a whole contact, s.
    pub fn take_over(&mut self, pair: u64, t: f64, duration: f64) {
        for l in self.left.iter_mut().filter(|l| l.id.pair == pair) {
            let missed = t - l.t;
            l.stored *= if missed < duration { missed.max(0.0) / duration } else { 1.0 };
        }
    }

    /// Reports contacts that ended inside and from which nothing took over up to the time t.
    pub fn give_up<P: Unilateral>(&mut self, p: &P, t: f64, tally: &mut CompliantTally) {
        self.left.retain(|l| {
            let lasts = t <= l.until;
            if !lasts && l.stored > 0.0 {
                tally.abandon(l.t, l.by.depth, l.stored, || p.point_name(l.id));
            }
            lasts
        });
    }

    /// Begins a contact, or its force acts again after being slack: the entry of the log.
    pub fn begin<P: Unilateral>(
        &mut self,
        p: &P,
        id: PointId,
        Instant { t, rate, depth }: Instant,
        tally: Option<&mut CompliantTally>,
    ) -> Event {
        let course = Course { speed: rate, deepest: depth.max(0.0), ..Course::default() };
        self.of.insert(id, course);
        let name = p.point_name(id);
        if let Some(tally) = tally {
            tally.contacts += 1;
            tally.deepest_start.observe(depth, t, || name.clone());
        }
        let event = Event::without_jump(t, EventKind::Touch, Some((id, name)));
        Event { speed_before: rate, speed_after: rate, depth, ..event }
    }

    /// The force of a contact has vanished, with this much energy still stored, J, which is lost: the entry of the log.
    /// Contacts that lasted only a few fixed steps are counted.
    pub fn end<P: Unilateral>(
        &mut self,
        p: &P,
        id: PointId,
        Instant { t, rate, .. }: Instant,
        left: f64,
        few_steps: Option<&mut CompliantTally>,
    ) -> Option<Event> {
        let course = self.of.remove(&id)?;
        let name = p.point_name(id);
        if let Some(tally) = few_steps.filter(|_| course.steps < FEW_STEPS) {
            tally.few_steps.add(t, [name.clone()]);
        }
        Some(Event {
            speed_before: course.speed,
            speed_after: rate,
            impulse: course.impulse,
            energy_lost: course.lost + left,
            depth: course.deepest,
            ..Event::without_jump(t, EventKind::Part, Some((id, name)))
        })
    }
}
