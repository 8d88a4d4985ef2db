//! Events at points, in order of time.

use delassus_dae::PointId;
use delassus_math::memory::{Memory, Remember};
use delassus_math::remember;
use delassus_math::remember_cases;
use std::ops::{Deref, DerefMut};

/// What kind of event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Points met and the velocity jumped.
    #[default]
    Impact,
    /// A point closed and stays closed.
    Close,
    /// A closed point opened.
    Release,
    /// Sliding stopped.
    Stick,
    /// Sliding began.
    Slip,
    /// Sliding reversed.
    Reverse,
    /// Another part of a shape took over: the normal changed.
    NormalChange,
    /// An impact would have gained energy under its law: its restitution was reduced.
    RestitutionReduced,
    /// Bodies of a compliant contact touched.
    Touch,
    /// They parted, or their force vanished.
    Part,
    /// Events became too dense and time-stepping took over.
    HandOver,
    /// The points are calm and the event-driven method continues.
    HandBack,
}
remember_cases!(EventKind {
    Impact,
    Close,
    Release,
    Stick,
    Slip,
    Reverse,
    NormalChange,
    RestitutionReduced,
    Touch,
    Part,
    HandOver,
    HandBack,
});

impl EventKind {
    /// Name in the event log.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Impact => "impact",
            EventKind::Close => "close",
            EventKind::Release => "release",
            EventKind::Stick => "stick",
            EventKind::Slip => "slip",
            EventKind::Reverse => "reverse",
            EventKind::NormalChange => "normal-change",
            EventKind::RestitutionReduced => "restitution-reduced",
            EventKind::Touch => "touch",
            EventKind::Part => "part",
            EventKind::HandOver => "hand-over",
            EventKind::HandBack => "hand-back",
        }
    }
}

/// An entry of the event log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Event {
    /// Number in the order in which events were found, assigned by the log of a run: 0, 1, 2, …. The log is in order of
    /// time, so an event that is dated back comes before earlier numbers.
    pub id: u64,
    /// Time, s.
    pub t: f64,
    /// What happened.
    pub kind: EventKind,
    /// Where; `None` if it concerns the whole run.
    pub point: Option<PointId>,
    /// Name of the interaction; empty if it concerns the whole run.
    pub contact: String,
    /// Normal speed before (negative: approaching), or sliding speed for stick and slip.
    pub speed_before: f64,
    /// The same after.
    pub speed_after: f64,
    /// Normal impulse, N·s.
    pub impulse: f64,
    /// Energy lost at this point, J.
    pub energy_lost: f64,
    /// Penetration of a compliant contact, m: where it touched, and the deepest where it parted.
    pub depth: f64,
}
remember!(Event {
    id,
    t,
    kind,
    point,
    contact,
    speed_before,
    speed_after,
    impulse,
    energy_lost,
    depth,
});

impl Event {
    /// An event without a jump; `point` with the name of its interaction.
    pub(crate) fn without_jump(t: f64, kind: EventKind, point: Option<(PointId, String)>) -> Event {
        let (point, contact) = point.map_or((None, String::new()), |(id, name)| (Some(id), name));
        Event {
            id: 0,
            t,
            kind,
            point,
            contact,
            speed_before: 0.0,
            speed_after: 0.0,
            impulse: 0.0,
            energy_lost: 0.0,
            depth: 0.0,
        }
    }
}

/// The events of a run in order of time, each with a number that it keeps when another one is inserted before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventLog(Vec<Event>);

impl Remember for EventLog {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.0.remember(m);
    }
}

impl EventLog {
    /// Adds an event that is later than all others.
    pub fn push(&mut self, mut e: Event) {
        e.id = self.0.len() as u64;
        self.0.push(e);
    }

    /// Adds an event at its place in time, after others of the same time.
    pub fn insert(&mut self, mut e: Event) {
        e.id = self.0.len() as u64;
        let at = self.0.partition_point(|other| other.t <= e.t);
        self.0.insert(at, e);
    }
}

impl Deref for EventLog {
    type Target = [Event];

    fn deref(&self) -> &[Event] {
        &self.0
    }
}

impl DerefMut for EventLog {
    fn deref_mut(&mut self) -> &mut [Event] {
        &mut self.0
    }
}

/// Events of the log of a run that were found after the first `known` ones, in the order in which they were found. They
/// are close to the end of the log, from where it searches for them.
pub fn found_after(log: &[Event], known: u64) -> Vec<&Event> {
    let new = (log.len() as u64).saturating_sub(known) as usize;
    let mut found: Vec<&Event> = log.iter().rev().filter(|e| e.id >= known).take(new).collect();
    found.sort_unstable_by_key(|e| e.id);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_when_events_are_inserted() {
        let event = |t: f64| Event::without_jump(t, EventKind::Close, None);
        let mut log = EventLog::default();
        log.push(event(1.0));
        log.push(event(2.0));
        assert_eq!(found_after(&log, 0).len(), 2);
        log.insert(event(1.5));
        log.insert(event(2.0));
        log.push(event(3.0));
        let seen: Vec<(f64, u64)> = log.iter().map(|e| (e.t, e.id)).collect();
        assert_eq!(seen, [(1.0, 0), (1.5, 2), (2.0, 1), (2.0, 3), (3.0, 4)]);
        let new: Vec<u64> = found_after(&log, 2).iter().map(|e| e.id).collect();
        assert_eq!(new, [2, 3, 4]);
        assert!(found_after(&log, 5).is_empty());
    }
}
