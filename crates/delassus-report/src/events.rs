//! Events for the page: a list if there are few, packed columns if there are many.

use crate::encode::Array;
use crate::report::ReportEvent;
use delassus_io::results::ContactRow;
use serde_json::{Value, json};

/// The largest number of events that are listed one by one; a text record is ten times as long as packed numbers.
const LISTED: usize = 300;

/// Events with their places, if they are known.
pub(crate) fn events(events: &[ReportEvent], places: &[ContactRow]) -> Value {
    if events.len() > LISTED {
        return packed(events, places);
    }
    let mut list: Vec<Value> = events.iter().map(|e| json!(e)).collect();
    for place in places {
        if let Some(e) = list.get_mut(place.row as usize) {
            e["point"] = json!(place.at);
            e["normal"] = json!(place.normal);
        }
    }
    list.into()
}

/// The distinct texts, and for each event the number of its text.
fn texts<'e>(
    events: &'e [ReportEvent],
    of: fn(&'e ReportEvent) -> &'e str,
) -> (Vec<&'e str>, Array) {
    let mut names: Vec<&str> = Vec::new();
    let numbers: Vec<u32> = events
        .iter()
        .map(|e| {
            let name = of(e);
            let known = names.iter().position(|n| *n == name);
            known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            }) as u32
        })
        .collect();
    (names, Array::u32(&[events.len()], numbers.into_iter()))
}

fn packed(events: &[ReportEvent], places: &[ContactRow]) -> Value {
    let n = events.len();
    let (kinds, kind) = texts(events, |e| &e.kind);
    let (contacts, contact) = texts(events, |e| &e.contact);
    let column = |f: fn(&ReportEvent) -> f64| Array::f32(&[n], events.iter().map(f));
    let mut at = vec![f64::NAN; 6 * n];
    for place in places {
        let from = 6 * place.row as usize;
        if let Some(out) = at.get_mut(from..from + 6) {
            out[..3].copy_from_slice(&place.at);
            out[3..].copy_from_slice(&place.normal);
        }
    }
    json!({
        "kinds": kinds,
        "contacts": contacts,
        "t": Array::f64(&[n], events.iter().map(|e| e.t)),
        "kind": kind,
        "contact": contact,
        "numbers": {
            "speed_before": column(|e| e.speed_before),
            "speed_after": column(|e| e.speed_after),
            "impulse": column(|e| e.impulse),
            "energy_lost": column(|e| e.energy_lost),
            "depth": column(|e| e.depth),
        },
        "place": Array::f32(&[n, 6], at.into_iter()),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::encode::tests::decode;

    fn event(k: usize) -> ReportEvent {
        ReportEvent {
            t: k as f64,
            kind: if k.is_multiple_of(3) { "impact" } else { "release" }.to_owned(),
            contact: format!("c{}", k % 2),
            speed_before: -1.0,
            speed_after: 0.5,
            impulse: f64::NAN,
            energy_lost: 0.25,
            depth: 0.0,
        }
    }

    #[test]
    fn few_are_a_list_and_many_are_packed() {
        let all: Vec<ReportEvent> = (0..1000).map(event).collect();
        let place = ContactRow { row: 3, at: [1.0, 2.0, 3.0], ..ContactRow::default() };
        let few = events(&all[..10], &[place]);
        assert_eq!(few[3]["point"], json!([1.0, 2.0, 3.0]));
        assert!(few[2].get("point").is_none());
        let many = events(&all, &[place, ContactRow { row: 5000, ..place }]);
        assert_eq!(many["kinds"], json!(["impact", "release"]));
        assert_eq!(many["contacts"], json!(["c0", "c1"]));
        let array = |v: &Value| decode(&serde_json::from_value(v.clone()).unwrap());
        assert_eq!(array(&many["kind"])[..4], [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(array(&many["t"])[999], 999.0);
        assert!(array(&many["numbers"]["impulse"])[0].is_nan());
        let place = array(&many["place"]);
        assert!(place[17].is_nan() && place[18..21] == [1.0, 2.0, 3.0]);
        assert!(many.to_string().len() < 12_000, "{}", many.to_string().len());
    }
}
