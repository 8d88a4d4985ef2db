//! The data of a page as JSON.

use crate::contacts;
use crate::encode::Array;
use crate::events;
use crate::loads;
use crate::report::{Report, ReportColumn, Steps};
use crate::sections;
use crate::thin;
use delassus_io::results::MotionFile;
use serde_json::{Map, Value, json};

const FORMAT: &str = "delassus-report";
const VERSION: u64 = 1;

/// Which rows of thinned columns are kept.
struct Kept {
    motion: Vec<usize>,
    columns: Vec<usize>,
}

impl Report {
    /// The data of the page.
    pub fn payload(&self) -> Value {
        let bodies = self.motion.forms.len() + 1;
        let per_body = if self.planar() { 3 } else { 7 };
        let fine = self.description.as_ref().is_some_and(|d| !d.scene.flexible.is_empty());
        let size = if fine { 8 } else { 4 };
        let kept = Kept {
            motion: thin::motion_rows(self.motion.t.len(), bodies, size * per_body),
            columns: thin::column_rows(self.column_t.len(), self.columns.len()),
        };
        let mut out = Map::new();
        out.insert("format".into(), FORMAT.into());
        out.insert("version".into(), VERSION.into());
        out.insert("meta".into(), self.meta(&kept));
        out.insert("summary".into(), self.summary.clone());
        out.insert("notes".into(), self.notes());
        out.insert("problems".into(), json!(self.problems));
        if let Some(d) = &self.description {
            out.insert("scene".into(), json!(d.scene));
        }
        if !self.motion.forms.is_empty() {
            let t = kept.motion.iter().map(|r| self.motion.t[*r]);
            let poses = poses(&self.motion, &kept.motion, self.planar(), fine);
            let mut motion = json!({ "t": Array::f64(&[kept.motion.len()], t), "poses": poses });
            if let Some(points) = contacts::points(&self.contacts, &kept.motion) {
                motion["contacts"] = points;
            }
            if let Some(loads) = loads::loads(&self.loads, self.description.as_ref()) {
                motion["loads"] = loads;
            }
            let scene = self.description.as_ref().map(|d| &d.scene);
            if let Some(list) = scene.and_then(|s| sections::sections(&self.sections, s)) {
                motion["sections"] = list;
            }
            out.insert("motion".into(), motion);
        }
        if !self.columns.is_empty() {
            let all = self.columns.iter().map(|c| column(c, &kept.columns, self.far(c)));
            out.insert("columns".into(), all.collect());
            let t = kept.columns.iter().map(|r| self.column_t[*r]);
            out.insert("column_t".into(), json!(Array::f64(&[kept.columns.len()], t)));
        }
        if !self.steps.t.is_empty() {
            out.insert("steps".into(), steps(&self.steps));
        }
        out.insert("events".into(), events::events(&self.events, &self.contacts.events));
        Value::Object(out)
    }

    fn meta(&self, kept: &Kept) -> Value {
        let model = self.description.as_ref().map(|d| &d.model);
        let error = self.summary.get("errors").and_then(|e| e.get(0)).map(|e| {
            json!({
                "code": e.get("code"),
                "t": self.number("t_end"),
                "message": e.get("message"),
                "help": e.get("help"),
            })
        });
        let samples = self.samples.max(self.column_t.len());
        let thinned = kept.motion.len() < self.motion.t.len() || kept.columns.len() < samples;
        let down_sampled = thinned.then(|| {
            json!({
                "from": self.motion.t.len(),
                "to": kept.motion.len(),
                "columns_from": samples,
                "columns_to": kept.columns.len(),
            })
        });
        json!({
            "title": self.title(),
            "model_file": model.map(|m| m.file.as_str()).or_else(|| self.text("model_file")),
            "model_text": model.map(|m| m.text.as_str()),
            "method": self.text("method"),
            "scheme": self.text("scheme"),
            "rtol": self.number("rtol"),
            "atol": self.number("atol"),
            "step": self.number("step"),
            "t_end": model.map(|m| m.t_end).or_else(|| self.number("t_end")),
            "program": self.text("version").map(|v| format!("delassus {v}")),
            "commit": option_env!("DELASSUS_COMMIT"),
            "model_hash": self.text("model_sha256").map(|h| format!("sha256:{h}")),
            "status": self.status(),
            "error": error,
            "down_sampled": down_sampled,
        })
    }

    /// The number that marked an unknown gap in folders written before such fields were left empty: a thousand lengths
    /// of the model. Infinite for other columns.
    fn far(&self, c: &ReportColumn) -> f64 {
        let gap = c.info.group.starts_with("contact/") && c.info.name.ends_with(".gap");
        let length = self.description.as_ref().map_or(0.0, |d| d.scene.length);
        if gap && length > 0.0 { 999.0 * length } else { f64::INFINITY }
    }

    fn notes(&self) -> Value {
        let notes = self.summary.get("notes").and_then(Value::as_array);
        let note = |n: &Value| json!({ "code": n.get("code"), "message": n.get("message"), "t": n.get("t") });
        notes.map(|list| list.iter().map(note).collect()).unwrap_or_else(|| json!([]))
    }
}

/// A column at some rows; values that reach `far` are left out.
fn column(c: &ReportColumn, rows: &[usize], far: f64) -> Value {
    let values = rows.iter().map(|r| c.values.get(*r).copied().unwrap_or(f64::NAN));
    let values = values.map(|x| if x < far { x } else { f64::NAN });
    json!({
        "name": c.info.name,
        "group": c.info.group,
        "unit": c.info.unit,
        "label": c.info.label,
        "values": Array::f32(&[rows.len()], values),
    })
}

fn steps(s: &Steps) -> Value {
    let arrays = Steps::NAMES.iter().zip(s.lists()).map(|(name, list)| {
        let shape = [list.len()];
        let values = list.iter().copied();
        let array =
            if *name == "t" { Array::f64(&shape, values) } else { Array::f32(&shape, values) };
        ((*name).to_owned(), json!(array))
    });
    Value::Object(arrays.collect())
}

/// Ground and bodies at some rows: x y θ of planar models, x y z and a quaternion of others. Deformations that are
/// enlarged are small differences of these numbers, so that they have more digits where bodies deform.
fn poses(m: &MotionFile, rows: &[usize], planar: bool, fine: bool) -> Array {
    let per_body = if planar { 3 } else { 7 };
    let mut out = Vec::with_capacity(rows.len() * (m.forms.len() + 1) * per_body);
    for row in rows {
        push_poses(m, *row, planar, &mut out);
    }
    let shape = [rows.len(), m.forms.len() + 1, per_body];
    if fine {
        Array::short_f64(&shape, out.into_iter())
    } else {
        Array::f32(&shape, out.into_iter())
    }
}

/// Appends the ground and all bodies at one row.
pub(crate) fn push_poses(m: &MotionFile, row: usize, planar: bool, out: &mut Vec<f64>) {
    let still: &[f64] = if planar { &[0.0; 3] } else { &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] };
    out.extend_from_slice(still);
    let mut rest = m.row(row).unwrap_or_default();
    for form in &m.forms {
        let (q, tail) = rest.split_at_checked(form.width()).unwrap_or((&[], &[]));
        rest = tail;
        let pose = form.unpack(q);
        if planar {
            out.extend([pose.p.x, pose.p.y, pose.angle]);
        } else {
            out.extend(pose.numbers());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::encode::tests::decode;
    use delassus_model::PoseForm;

    #[test]
    fn planar_poses_are_three_numbers() {
        let m = MotionFile {
            forms: vec![PoseForm::Planar, PoseForm::PlanarPoint],
            stride: 1,
            t: vec![0.0, 1.0],
            coordinates: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        };
        let a = poses(&m, &[1], true, false);
        assert_eq!(a.shape, [1, 3, 3]);
        assert_eq!(decode(&a), [0.0, 0.0, 0.0, 6.0, 7.0, 8.0, 9.0, 10.0, 0.0]);
    }

    #[test]
    fn spatial_poses_are_seven() {
        let half = std::f64::consts::PI;
        let m = MotionFile {
            forms: vec![PoseForm::Planar, PoseForm::Point, PoseForm::Spatial],
            stride: 1,
            t: vec![0.0],
            coordinates: vec![1.0, 2.0, half, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.5, 0.5, 0.5, 0.5],
        };
        let a = poses(&m, &[0], false, false);
        assert_eq!(a.shape, [1, 4, 7]);
        let x = decode(&a);
        assert_eq!(x[..7], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert!((x[7 + 6] - 1.0).abs() < 1e-7 && x[7 + 3].abs() < 1e-7);
        assert_eq!(x[14..21], [3.0, 4.0, 5.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(x[21..], [6.0, 7.0, 8.0, 0.5, 0.5, 0.5, 0.5]);
    }

    #[test]
    fn an_empty_report_is_still_one() {
        let v = Report::default().payload();
        assert_eq!((&v["format"], &v["version"]), (&"delassus-report".into(), &1.into()));
        assert!(v.get("motion").is_none() && v.get("scene").is_none());
        assert_eq!(v["meta"]["status"], "interrupted");
        assert_eq!(v["events"], json!([]));
    }
}
