//! What happened at points, in the order of time.

use delassus_dae::PointId;

/// What kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Points met and the velocity jumped.
    Impact,
    /// A point closed and stays closed.
    Close,
    /// A closed point opened.
    Release,
    /// Sliding stopped.
    Stick,
    /// Sliding began.
    Slip,
    /// Sliding turned round.
    Reverse,
    /// Another part of a shape took over: the normal changed.
    NormalChange,
    /// Events became too dense and time-stepping took over.
    HandOver,
    /// The points are calm and the event-driven method goes on.
    HandBack,
}

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
            EventKind::HandOver => "hand-over",
            EventKind::HandBack => "hand-back",
        }
    }
}

/// An entry of the event log.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Time, s.
    pub t: f64,
    /// What happened.
    pub kind: EventKind,
    /// Where; `None` for what concerns the whole run.
    pub point: Option<PointId>,
    /// Name of the interaction; empty for what concerns the whole run.
    pub contact: String,
    /// Normal speed before (negative: approaching), or sliding speed for stick and slip.
    pub speed_before: f64,
    /// The same after.
    pub speed_after: f64,
    /// Normal impulse, N·s.
    pub impulse: f64,
    /// Kinetic energy lost at this point, J.
    pub energy_lost: f64,
}

impl Event {
    /// An event without a jump; `point` with the name of its interaction.
    pub(crate) fn without_jump(t: f64, kind: EventKind, point: Option<(PointId, String)>) -> Event {
        let (point, contact) = point.map_or((None, String::new()), |(id, name)| (Some(id), name));
        Event {
            t,
            kind,
            point,
            contact,
            speed_before: 0.0,
            speed_after: 0.0,
            impulse: 0.0,
            energy_lost: 0.0,
        }
    }
}
