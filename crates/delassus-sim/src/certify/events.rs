//! How well the times of events are known.

use crate::contact::{Event, EventKind};
use delassus_math::largest;
use serde::Serialize;
use std::collections::BTreeMap;

/// An event of the run that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventBand {
    /// Time, s.
    pub t: f64,
    /// What happened.
    pub kind: &'static str,
    /// Name of the interaction.
    pub contact: String,
    /// The time is known to this, s; `None` if another family has no such event.
    pub uncertainty: Option<f64>,
}

/// Factor on the largest difference of times, as for values.
const SAFETY: f64 = 2.0;

type Key<'a> = (&'a str, &'static str);

/// The times of all events of a kind at a contact, in order.
fn times(events: &[Event]) -> BTreeMap<Key<'_>, Vec<f64>> {
    let mut out: BTreeMap<Key<'_>, Vec<f64>> = BTreeMap::new();
    for e in events.iter().filter(|e| is_physical(e.kind)) {
        out.entry((&e.contact, e.kind.name())).or_default().push(e.t);
    }
    out
}

/// Events in the mechanism, not in the program.
fn is_physical(kind: EventKind) -> bool {
    !matches!(kind, EventKind::HandOver | EventKind::HandBack)
}

/// The time in an ascending list that is nearest to `t`, if it is within `window`.
fn nearest(times: &[f64], t: f64, window: f64) -> Option<f64> {
    let after = times.partition_point(|x| *x < t);
    let around = times[after.saturating_sub(1)..].iter().take(2);
    let distances = around.map(|x| (x - t).abs()).filter(|d| *d <= window);
    distances.min_by(f64::total_cmp)
}

/// The events of `kept` up to the time `until`, compared with those of the others: the nearest event of the same kind
/// at the same contact, no farther away than `window`, s.
pub(super) fn event_bands(
    kept: &[Event],
    others: &[&[Event]],
    until: f64,
    window: f64,
) -> Vec<EventBand> {
    let others: Vec<_> = others.iter().map(|e| times(e)).collect();
    let listed = kept.iter().filter(|e| is_physical(e.kind) && e.t <= until);
    let band = |e: &Event| {
        let key = (e.contact.as_str(), e.kind.name());
        let mut twins = others.iter().map(|o| nearest(o.get(&key)?, e.t, window));
        let worst = twins.try_fold(0.0_f64, |m, d| Some(largest([m, d?])));
        let worst = worst.filter(|_| !others.is_empty());
        EventBand {
            t: e.t,
            kind: e.kind.name(),
            contact: e.contact.clone(),
            uncertainty: worst.map(|d| SAFETY * d + 4.0 * f64::EPSILON * e.t.abs()),
        }
    };
    listed.map(band).collect()
}

/// The first event that one run has and the other does not, or that is at another place in the order.
pub(super) fn first_mismatch<'a>(a: &'a [Event], b: &'a [Event], window: f64) -> Option<&'a Event> {
    let list = |e: &'a [Event]| e.iter().filter(|e| is_physical(e.kind)).collect::<Vec<_>>();
    let (a, b) = (list(a), list(b));
    // simultaneous events may be in either order
    let has = |list: &[&Event], e: &Event| {
        list.iter()
            .any(|o| o.kind == e.kind && o.contact == e.contact && (o.t - e.t).abs() <= window)
    };
    let missing =
        |from: &[&'a Event], list: &[&Event]| from.iter().copied().find(|e| !has(list, e));
    let found = [missing(&a, &b), missing(&b, &a)].into_iter().flatten();
    found.min_by(|x, y| x.t.total_cmp(&y.t))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(t: f64, kind: EventKind, contact: &str) -> Event {
        Event { contact: contact.to_owned(), ..Event::without_jump(t, kind, None) }
    }

    #[test]
    fn an_event_is_the_nearest_one_of_its_kind() {
        let kept = [
            event(1.0, EventKind::Impact, "a"),
            event(1.5, EventKind::HandOver, ""),
            event(2.0, EventKind::Impact, "b"),
            event(3.0, EventKind::Impact, "a"),
        ];
        let other = [event(1.0 + 1e-6, EventKind::Impact, "a"), event(2.0, EventKind::Impact, "b")];
        let bands = event_bands(&kept, &[&other], 10.0, 0.1);
        assert_eq!(bands.len(), 3);
        assert!(bands[0].uncertainty.is_some_and(|u| (u - 2e-6).abs() < 1e-12));
        assert!(bands[1].uncertainty.is_some_and(|u| u < 1e-12));
        assert_eq!(bands[2].uncertainty, None);
        assert_eq!(first_mismatch(&kept, &other, 1e-3).map(|e| e.t), Some(3.0));
        assert_eq!(event_bands(&kept, &[&other], 1.2, 0.1).len(), 1);
    }
}
