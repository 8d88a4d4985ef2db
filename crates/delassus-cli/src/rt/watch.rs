//! The live page of a loop: the server of `view --live` with rows instead of a recorder.
//!
//! A watcher sees about 25 pictures per second, and a page that is opened late the last minute.

use crate::exit::Failure;
use crate::live::{Frames, Live};
use delassus::io::results::MotionFile;
use delassus::sim::Results;
use delassus_report::Description;
use std::time::{Duration, Instant};

/// Time of the clock between two messages.
const INTERVAL: Duration = Duration::from_millis(40);
/// Pictures that a page which is opened late still gets.
const RECENT: usize = 1500;

/// Forwards rows to watchers.
pub struct Watch {
    /// Until the end.
    live: Option<Live>,
    names: Vec<String>,
    /// Number of the first picture that is still there.
    first: usize,
    motion: MotionFile,
    columns: Vec<Vec<f64>>,
    last: Instant,
}

impl Watch {
    /// Starts the server, and prints or opens its address.
    /// If standard output is for something else, the address goes to standard error.
    pub fn start(
        description: Option<&Description>,
        show: bool,
        print: bool,
    ) -> Result<Watch, Failure> {
        let live = Live::start(description)?;
        if print {
            crate::open::show(&live.address, show);
        } else {
            crate::console::warn(&format!("{}\n", live.address));
        }
        let (first, last) = (0, Instant::now());
        Ok(Watch {
            live: Some(live),
            names: Vec::new(),
            first,
            motion: MotionFile::default(),
            columns: Vec::new(),
            last,
        })
    }

    /// Adds the last of some rows, if it is time for a picture, and offers it to the watchers. Does not wait for them.
    pub fn add(&mut self, rows: &Results, motion: &MotionFile) {
        let Some(row) = rows.t.len().checked_sub(1) else { return };
        if self.names.is_empty() {
            self.names = rows.channels.iter().map(|c| c.name.clone()).collect();
            self.columns = vec![Vec::new(); self.names.len()];
            self.motion.forms.clone_from(&motion.forms);
            self.motion.stride = 1;
        } else if self.last.elapsed() < INTERVAL {
            return;
        }
        self.last = Instant::now();
        self.motion.t.push(rows.t[row]);
        self.motion.coordinates.extend_from_slice(motion.row(row).unwrap_or_default());
        for (list, column) in self.columns.iter_mut().zip(&rows.data) {
            list.extend(column.get(row));
        }
        if self.motion.t.len() > 2 * RECENT {
            let width = self.motion.width();
            self.motion.t.drain(..RECENT);
            self.motion.coordinates.drain(..RECENT * width);
            self.columns.iter_mut().for_each(|c| drop(c.drain(..RECENT)));
            self.first += RECENT;
        }
        let last = self.first + self.motion.t.len();
        if let Some(live) = &self.live {
            live.offer(last, &|from| self.frames(from));
        }
    }

    fn frames(&self, from: usize) -> Option<Frames> {
        let n = self.motion.t.len();
        let from = from.saturating_sub(self.first).min(n);
        if from == n {
            return None;
        }
        let width = self.motion.width();
        let motion = MotionFile {
            forms: self.motion.forms.clone(),
            stride: 1,
            t: self.motion.t[from..].to_vec(),
            coordinates: self.motion.coordinates[from * width..].to_vec(),
        };
        let columns = self.columns.iter().map(|c| c[from..].to_vec()).collect();
        Some(Frames::of(motion, self.names.clone().into(), columns))
    }

    /// Sends what is left and the summary, and ends when it has been received or nobody fetches it.
    pub fn finish(mut self, summary: &str) {
        if let Some(live) = self.live.take() {
            live.finish_with(&|from| self.frames(from), summary);
        }
    }
}
