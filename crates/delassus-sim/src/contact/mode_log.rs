//! Log entries of a change of mode.

use super::event::{Event, EventKind};
use super::event_driven::EventDriven;
use delassus_dae::{PointId, PointLaw, Unilateral};
use delassus_nonsmooth::{Active, SlipState};

impl<P: Unilateral + 'static> EventDriven<P> {
    pub(super) fn note(&mut self, t: f64, kind: EventKind, id: PointId) {
        let name = self.base.point_name(id);
        self.log.push(Event::without_jump(t, kind, Some((id, name))));
    }

    /// Writes the changes from one mode to the next to the log.
    pub(super) fn log_changes(
        &mut self,
        t: f64,
        before: &[Active],
        after: &[Active],
        leaving: &[PointId],
        jumped: bool,
    ) {
        let rough = |id: PointId| matches!(self.base.law(id), PointLaw::DryFriction { .. });
        let mut notes = Vec::new();
        for b in before {
            match after.iter().find(|a| a.id == b.id) {
                None if !jumped || leaving.contains(&b.id) => {
                    notes.push((EventKind::Release, b.id));
                }
                None => {}
                Some(a) => match (b.motion, a.motion) {
                    (SlipState::Slip(_), SlipState::Stick) => notes.push((EventKind::Stick, a.id)),
                    (SlipState::Stick, SlipState::Slip(_)) => notes.push((EventKind::Slip, a.id)),
                    (SlipState::Slip(d), SlipState::Slip(e)) if d[0] * e[0] + d[1] * e[1] < 0.0 => {
                        notes.push((EventKind::Reverse, a.id));
                    }
                    _ => {}
                },
            }
        }
        for a in after {
            if !before.iter().any(|b| b.id == a.id) && !rough(a.id) {
                notes.push((EventKind::Close, a.id));
            }
        }
        for (kind, id) in notes {
            self.note(t, kind, id);
        }
    }
}
