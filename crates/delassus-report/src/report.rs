//! What a page shows, whatever its source.

use crate::channels::ChannelInfo;
use crate::description::Description;
use delassus_io::results::{ContactPoints, EventRow, MotionFile};
use serde::Serialize;
use serde_json::Value;

/// Everything about a run that a page shows. Whatever is missing is left out of the page.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The model; `None` when `scene.json` cannot be read.
    pub description: Option<Description>,
    /// `summary.json` as the run wrote it, or null.
    pub summary: Value,
    /// Where the bodies were.
    pub motion: MotionFile,
    /// Where they touched, and where events happened.
    pub contacts: ContactPoints,
    /// Reactions and applied forces: vectors instead of positions.
    pub loads: MotionFile,
    /// Forces and moments in beams: three numbers at a time instead of positions.
    pub sections: MotionFile,
    /// Number of samples of the run; columns of long runs are thinned.
    pub samples: usize,
    /// Times of the columns, s.
    pub column_t: Vec<f64>,
    /// Columns.
    pub columns: Vec<ReportColumn>,
    /// The log of the steps.
    pub steps: Steps,
    /// Impacts, releases and the like.
    pub events: Vec<ReportEvent>,
    /// The run did not end, or has not ended yet: there are samples up to some time.
    pub unfinished: bool,
    /// What was wrong with the files.
    pub problems: Vec<String>,
}

/// A column of the results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportColumn {
    /// Name, unit and place in the list.
    pub info: ChannelInfo,
    /// One value per time of the columns.
    pub values: Vec<f64>,
}

/// Steps over time, each list of the same length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Steps {
    /// End of the step, s.
    pub t: Vec<f64>,
    /// Size, s.
    pub h: Vec<f64>,
    /// Rejected attempts before it.
    pub rejected: Vec<f64>,
    /// Energy balance, J.
    pub energy_error: Vec<f64>,
    /// Largest |g|.
    pub drift_pos: Vec<f64>,
    /// Largest |G v + g_t|.
    pub drift_vel: Vec<f64>,
    /// Largest |G a + γ|.
    pub drift_acc: Vec<f64>,
}

impl Steps {
    /// Names of the lists, which are those of the columns of `steps.csv`.
    pub const NAMES: [&'static str; 7] =
        ["t", "h", "rejected", "energy_error", "drift_pos", "drift_vel", "drift_acc"];
    /// Units of the lists.
    pub const UNITS: [&'static str; 7] = ["s", "s", "1", "J", "1", "1/s", "1/s^2"];

    /// The lists in the order of [`Steps::NAMES`].
    pub fn lists(&self) -> [&Vec<f64>; 7] {
        [
            &self.t,
            &self.h,
            &self.rejected,
            &self.energy_error,
            &self.drift_pos,
            &self.drift_vel,
            &self.drift_acc,
        ]
    }

    /// The same lists, to be filled.
    pub fn lists_mut(&mut self) -> [&mut Vec<f64>; 7] {
        [
            &mut self.t,
            &mut self.h,
            &mut self.rejected,
            &mut self.energy_error,
            &mut self.drift_pos,
            &mut self.drift_vel,
            &mut self.drift_acc,
        ]
    }
}

/// One event on the time line. Numbers that are not known are NaN.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportEvent {
    /// Time, s.
    pub t: f64,
    /// `impact`, `release`, ….
    pub kind: String,
    /// Name of the contact.
    pub contact: String,
    /// Normal speed before, m/s.
    pub speed_before: f64,
    /// Normal speed after, m/s.
    pub speed_after: f64,
    /// Impulse, N s.
    pub impulse: f64,
    /// Energy lost, J.
    pub energy_lost: f64,
    /// Penetration of a compliant contact, m.
    pub depth: f64,
}

impl From<EventRow> for ReportEvent {
    fn from(e: EventRow) -> Self {
        ReportEvent {
            t: e.t,
            kind: e.kind,
            contact: e.contact,
            speed_before: e.speed_before,
            speed_after: e.speed_after,
            impulse: e.impulse,
            energy_lost: e.energy_lost,
            depth: e.depth,
        }
    }
}

impl Report {
    /// Whether all bodies move in the plane.
    pub(crate) fn planar(&self) -> bool {
        self.motion.forms.iter().all(|f| f.is_planar())
    }

    /// A text of the summary.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.summary.get(key).and_then(Value::as_str)
    }

    /// A number of the summary.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.summary.get(key).and_then(Value::as_f64)
    }

    /// Title of the page: that of the model, or its file name.
    pub(crate) fn title(&self) -> String {
        let title = self.description.as_ref().map(|d| d.model.title.as_str());
        let title = title.or_else(|| self.text("model")).filter(|t| !t.is_empty());
        let file = || self.text("model_file").unwrap_or("run").to_owned();
        title.map_or_else(file, str::to_owned)
    }

    /// `finished`, `failed`, `interrupted`, or `running`.
    pub(crate) fn status(&self) -> &'static str {
        match self.text("status") {
            Some("done") => "finished",
            Some("failed") => "failed",
            Some("running") => "running",
            _ => "interrupted",
        }
    }
}
