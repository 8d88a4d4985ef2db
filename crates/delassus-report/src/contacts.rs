//! Contact points of the rows that are shown.

use crate::encode::Array;
use delassus_io::results::{ContactPoints, ContactRow};
use serde::Serialize;
use serde_json::{Value, json};

/// The largest number of contact points in the page: 36 bytes each before compression.
const MOST: usize = 40_000;
/// Every row may have this many, so that a long run does not lose all of them.
const LEAST: usize = 8;

/// A contact point of a run in progress: number of the frame in the message, number of the contact, place, normal,
/// force.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LiveContact(pub usize, pub usize, pub [f64; 3], pub [f64; 3], pub f64);

/// The contact points of some rows of the motion for the page: the strongest ones if there are too many. `None` if
/// there are none at all.
pub(crate) fn points(c: &ContactPoints, rows: &[usize]) -> Option<Value> {
    if c.points.is_empty() {
        return None;
    }
    let stride = (c.stride as usize).max(1);
    let most = (MOST / rows.len().max(1)).max(LEAST);
    let mut shown: Vec<(u32, ContactRow)> = Vec::new();
    let mut left_out = 0;
    for (frame, row) in rows.iter().enumerate() {
        let row = (row - row % stride) as u32;
        let from = c.points.partition_point(|p| p.row < row);
        let to = c.points.partition_point(|p| p.row <= row);
        let mut here = c.points[from..to].to_vec();
        if here.len() > most {
            left_out += here.len() - most;
            // equal forces keep their order, so that equal runs give equal pages
            here.sort_by(|a, b| b.force.abs().total_cmp(&a.force.abs()));
            here.truncate(most);
        }
        shown.extend(here.into_iter().map(|p| (frame as u32, p)));
    }
    let n = shown.len();
    let vectors = |f: fn(&ContactRow) -> [f64; 3]| {
        let all: Vec<f64> = shown.iter().flat_map(|(_, p)| f(p)).collect();
        Array::f32(&[n, 3], all.into_iter())
    };
    let mut out = json!({
        "frame": Array::u32(&[n], shown.iter().map(|(frame, _)| *frame)),
        "contact": Array::u32(&[n], shown.iter().map(|(_, p)| p.contact)),
        "at": vectors(|p| p.at),
        "normal": vectors(|p| p.normal),
        "force": Array::f32(&[n], shown.iter().map(|(_, p)| p.force)),
    });
    if left_out > 0 {
        out["per_frame"] = most.into();
        out["left_out"] = left_out.into();
    }
    Some(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::encode::tests::decode;

    fn row(row: u32, force: f64) -> ContactRow {
        ContactRow { row, contact: 1, at: [force, 0.0, 0.0], normal: [0.0, 1.0, 0.0], force }
    }

    fn array(v: &Value, key: &str) -> Vec<f64> {
        decode(&serde_json::from_value(v[key].clone()).unwrap())
    }

    #[test]
    fn rows_become_frames() {
        let points = vec![row(0, 1.0), row(4, 2.0), row(4, 3.0), row(6, 4.0)];
        let c = ContactPoints { stride: 2, points, events: Vec::new() };
        // row 5 shows what row 4 had, rows 2 and 3 were open
        let v = self::points(&c, &[0, 3, 5, 6]).unwrap();
        assert_eq!(array(&v, "frame"), [0.0, 2.0, 2.0, 3.0]);
        assert_eq!(array(&v, "force"), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(array(&v, "at")[3], 2.0);
        assert!(v.get("left_out").is_none());
        assert!(self::points(&ContactPoints::default(), &[0]).is_none());
    }

    #[test]
    fn too_many_keep_the_strongest() {
        let rows: Vec<usize> = (0..MOST / 10).collect();
        let all = rows.iter().flat_map(|r| (0..30).map(|k| row(*r as u32, f64::from(k))));
        let c = ContactPoints { stride: 1, points: all.collect(), events: Vec::new() };
        let v = self::points(&c, &rows).unwrap();
        let force = array(&v, "force");
        assert_eq!(force.len(), MOST);
        assert!(force.iter().all(|f| *f >= 20.0));
        assert_eq!((&v["per_frame"], &v["left_out"]), (&10.into(), &(2 * MOST).into()));
    }
}
