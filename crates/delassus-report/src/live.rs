//! What is sent to a page while the run is in progress.

use crate::contacts::LiveContact;
use crate::payload::push_poses;
use crate::template;
use delassus_io::results::MotionFile;
use serde::Serialize;
use serde_json::{Map, Value};

/// A few more samples of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LiveFrames {
    /// Times, s.
    pub t: Vec<f64>,
    /// Ground and all bodies at each time, as in the report.
    pub poses: Vec<Vec<f64>>,
    /// Values of the columns at each time, by name.
    pub columns: Map<String, Value>,
    /// Where bodies touch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<LiveContact>,
    /// Reactions and applied forces at each time, as in the report; NaN becomes null.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Vec<f64>>,
}

impl LiveFrames {
    /// Frames of a motion. `columns` are names and values at the same times.
    pub fn new<'a>(
        motion: &MotionFile,
        columns: impl Iterator<Item = (&'a str, Vec<f64>)>,
    ) -> LiveFrames {
        let planar = motion.forms.iter().all(|f| f.is_planar());
        let pose = |row| {
            let mut out = Vec::new();
            push_poses(motion, row, planar, &mut out);
            out
        };
        LiveFrames {
            t: motion.t.clone(),
            poses: (0..motion.t.len()).map(pose).collect(),
            columns: columns.map(|(name, values)| (name.to_owned(), values.into())).collect(),
            contacts: Vec::new(),
            loads: Vec::new(),
        }
    }
}

/// The page that listens to a running simulation at this address; `None` without the viewer.
pub fn live_page(url: &str) -> Option<String> {
    template::page("delassus-live", &serde_json::json!({ "url": url }).to_string())
}
