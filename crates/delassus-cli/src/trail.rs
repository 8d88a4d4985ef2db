//! Where the bodies are, written while the run is in progress, so that a killed run leaves something to look at.

use crate::page;
use delassus::io::results::{GrowingMotion, MotionFile};
use delassus::sim::contact::Event;
use delassus::sim::{Observer, Recorder, Simulation};
use std::path::Path;

/// Writes the motion in addition to what another observer does.
pub struct Trail<'a> {
    inner: &'a mut dyn Observer,
    /// None if it cannot be written: pictures are no reason to end a run.
    file: Option<GrowingMotion>,
    /// Rows in the file.
    rows: usize,
}

impl<'a> Trail<'a> {
    /// Writes into a new file, if one is requested and the motion is tracked.
    pub fn new(inner: &'a mut dyn Observer, path: Option<&Path>, r: &Recorder) -> Trail<'a> {
        let none = page::motion(&r.motion, 0..0);
        let path = path.filter(|_| !none.forms.is_empty());
        let file = path.and_then(|path| GrowingMotion::create(path, &none).ok());
        Trail { inner, file, rows: 0 }
    }

    fn push(&mut self, m: &MotionFile) {
        let finite = m.coordinates.iter().all(|x| x.is_finite());
        self.file.take_if(|file| !finite || file.push(m).is_err());
        self.rows += m.t.len();
    }
}

impl Observer for Trail<'_> {
    fn stepped(&mut self, t: f64, steps: u64) {
        self.inner.stepped(t, steps);
    }

    fn recorded(&mut self, r: &Recorder) {
        while self.file.is_some() && r.motion.t().len() >= self.rows + GrowingMotion::ROWS {
            let rows = self.rows..self.rows + GrowingMotion::ROWS;
            self.push(&page::motion(&r.motion, rows));
        }
        self.inner.recorded(r);
    }

    fn happened(&mut self, events: &[Event]) {
        self.inner.happened(events);
    }

    fn stop(&self) -> bool {
        self.inner.stop()
    }

    fn pause(&mut self, sim: &mut Simulation) {
        self.inner.pause(sim);
    }
}
