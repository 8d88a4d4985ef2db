//! Reactions and applied forces of the rows that are shown.

use crate::description::Description;
use crate::encode::Array;
use crate::thin::evenly;
use delassus_io::results::MotionFile;
use delassus_math::largest;
use serde_json::{Value, json};

/// The largest number of bytes in the page, before compression.
const BYTES: usize = 500_000;
/// Loads smaller than this fraction of the largest of their kind are only round-off.
const NOTHING: f64 = 1e-9;

/// The loads that are not zero, at equally spaced rows; `None` if there are none.
pub(crate) fn loads(m: &MotionFile, d: Option<&Description>) -> Option<Value> {
    let arrows = &d?.scene.arrows;
    let size = |k: usize, row: usize| {
        let v = m.row(row).and_then(|r| r.get(3 * k..3 * k + 3)).unwrap_or_default();
        v.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    let most = |k: usize| largest((0..m.t.len()).map(|row| size(k, row)));
    let known: Vec<(usize, &str, f64)> =
        arrows.iter().filter_map(|a| Some((a.load?, a.kind.as_str(), most(a.load?)))).collect();
    let top = |kind: &str| largest(known.iter().filter(|(_, k, _)| *k == kind).map(|(.., x)| *x));
    let (force, torque) = (top("force"), top("torque"));
    let shown: Vec<usize> = known
        .iter()
        .filter(|(_, kind, x)| *x > NOTHING * if *kind == "torque" { torque } else { force })
        .map(|(k, ..)| *k)
        .collect();
    if shown.is_empty() {
        return None;
    }
    let rows = evenly(m.t.len(), BYTES / (12 * shown.len() + 8));
    let mut values = Vec::with_capacity(3 * rows.len() * shown.len());
    for row in &rows {
        let all = m.row(*row).unwrap_or_default();
        for k in &shown {
            values.extend_from_slice(all.get(3 * k..3 * k + 3).unwrap_or(&[f64::NAN; 3]));
        }
    }
    Some(json!({
        "t": Array::f64(&[rows.len()], rows.iter().map(|r| m.t[*r])),
        "index": shown,
        "values": Array::f32(&[rows.len(), shown.len(), 3], values.into_iter()),
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::encode::tests::decode;
    use crate::scene::{Scene, SceneArrow};
    use delassus_model::PoseForm;

    #[test]
    fn round_off_is_left_out() {
        let arrow = |k: usize, kind: &str| SceneArrow {
            kind: kind.to_owned(),
            load: Some(k),
            ..SceneArrow::default()
        };
        let arrows = vec![arrow(0, "force"), arrow(1, "torque"), arrow(2, "force")];
        let mut d = Description::default();
        d.scene = Scene { arrows, ..Scene::default() };
        let row = |t: f64| [t, 0.0, 0.0, 0.0, 0.0, 1e-3 * t, 0.0, 1e-14, 0.0];
        let m = MotionFile {
            forms: vec![PoseForm::Point; 3],
            stride: 1,
            t: vec![0.0, 1.0],
            coordinates: [row(0.0), row(1.0)].concat(),
        };
        let v = loads(&m, Some(&d)).unwrap();
        assert_eq!(v["index"], json!([0, 1]));
        let values = decode(&serde_json::from_value(v["values"].clone()).unwrap());
        assert_eq!(values[6..9], [1.0, 0.0, 0.0]);
        assert!((values[11] - 1e-3).abs() < 1e-9);
        assert!(loads(&MotionFile::default(), Some(&d)).is_none() && loads(&m, None).is_none());
    }
}
