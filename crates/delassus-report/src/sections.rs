//! Forces and moments in beams at the rows that are shown.

use crate::encode::Array;
use crate::scene::Scene;
use crate::thin::evenly;
use delassus_io::results::MotionFile;
use serde_json::{Value, json};

/// The largest number of bytes in the page, before compression.
const BYTES: usize = 1_500_000;

/// Values at both ends of each element, at equally spaced rows; `None` if there are none.
pub(crate) fn sections(m: &MotionFile, scene: &Scene) -> Option<Value> {
    let elements: usize = scene.sections.iter().map(|s| s.stations.len().saturating_sub(1)).sum();
    let numbers = 3 * m.forms.len();
    if elements == 0 || m.t.is_empty() || numbers != elements * scene.section_width {
        return None;
    }
    let rows = evenly(m.t.len(), BYTES / (4 * numbers + 8));
    let none = vec![f64::NAN; numbers];
    let values: Vec<f64> = rows.iter().flat_map(|r| m.row(*r).unwrap_or(&none)).copied().collect();
    Some(json!({
        "t": Array::f64(&[rows.len()], rows.iter().map(|r| m.t[*r])),
        "values": Array::f32(&[rows.len(), elements, scene.section_width], values.into_iter()),
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::encode::tests::decode;
    use crate::scene::SceneSection;
    use delassus_model::PoseForm;

    #[test]
    fn rows_of_elements() {
        let beam = SceneSection { name: "arm".to_owned(), first: 0, stations: vec![0.0, 0.5, 1.0] };
        let scene = Scene { sections: vec![beam], section_width: 6, ..Scene::default() };
        let row: Vec<f64> = (0..12).map(f64::from).collect();
        let m = MotionFile {
            forms: vec![PoseForm::Point; 4],
            stride: 1,
            t: vec![0.0, 1.0],
            coordinates: [row.clone(), row].concat(),
        };
        let v = sections(&m, &scene).unwrap();
        assert_eq!(v["values"]["shape"], json!([2, 2, 6]));
        let values = decode(&serde_json::from_value(v["values"].clone()).unwrap());
        assert_eq!(values[12..18], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        // a file of other elements, and none at all
        assert!(sections(&m, &Scene { section_width: 12, ..scene.clone() }).is_none());
        assert!(sections(&MotionFile::default(), &scene).is_none());
        assert!(sections(&m, &Scene::default()).is_none());
    }
}
