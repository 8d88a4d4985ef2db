//! What is kept of a loop: its rows, on their way to files and watchers, in another thread than the loop.

use super::film::Film;
use super::watch::Watch;
use crate::exit::Failure;
use crate::fault::Fault;
use crate::page;
use crate::place::Place;
use crate::stage::{Shared, Stage};
use delassus::dae::Problem;
use delassus::io::results::MotionFile;
use delassus::model::System;
use delassus::sim::{Channel, Results, Sink};
use delassus_report::Description;
use delassus_rt::{ROW_HEAD, Receiver};
use std::path::Path;

/// Rows that are passed on together.
const CHUNK: usize = 2048;

/// Columns that tell about the loop: name, unit, place in the head of a row.
const OWN: [(&str, &str, usize); 4] = [
    ("rt.step_time", "s", 3),
    ("rt.delay", "s", 2),
    ("rt.status", "1", 1),
    ("drift.position", "1", 4),
];

/// Where rows go.
pub struct Keep<'a> {
    film: Film<'a>,
    /// Rows that were not passed on yet.
    chunk: Results,
    /// Their poses.
    poses: Vec<f64>,
    stage: Option<Shared>,
    watch: Option<Watch>,
    row: Vec<f64>,
    sensors: usize,
    /// Rows kept, and rows left out because a number is not finite.
    kept: u64,
    not_finite: u64,
    /// Why no more rows are written.
    fault: Option<Fault>,
}

/// The columns of the results: sensors, then the figures of the loop.
pub fn channels(system: &System) -> Vec<Channel> {
    let own = OWN.iter().map(|(name, unit, _)| Channel {
        name: (*name).to_owned(),
        unit: (*unit).to_owned(),
        frame: String::new(),
        sensor: false,
    });
    system.model().sensors.iter().map(Channel::from).chain(own).collect()
}

impl<'a> Keep<'a> {
    /// Begins the files in a place, if there is one.
    pub fn begin(
        system: &'a System,
        description: Option<&Description>,
        place: Option<&mut Place>,
        watch: Option<Watch>,
    ) -> Result<Keep<'a>, Failure> {
        let channels = channels(system);
        let stage = match place {
            Some(place) => {
                place.begin(description.map(Description::json).as_deref())?;
                Some(Stage::begin(place.dir(), &channels, true)?)
            }
            None => None,
        };
        let film = Film::new(system);
        let (sensors, width) = (system.model().sensors.len(), row_width(system));
        let data = vec![Vec::with_capacity(CHUNK); channels.len()];
        let chunk = Results { channels, t: Vec::with_capacity(CHUNK), data };
        Ok(Keep {
            film,
            chunk,
            poses: Vec::new(),
            stage,
            watch,
            row: vec![0.0; width],
            sensors,
            kept: 0,
            not_finite: 0,
            fault: None,
        })
    }

    /// Takes all rows that have come, and passes them on; returns how many there were.
    pub fn drain(&mut self, rows: &mut Receiver) -> usize {
        let mut n = 0;
        while rows.receive(&mut self.row) {
            n += 1;
            self.take();
            if self.chunk.t.len() >= CHUNK {
                self.pass_on();
            }
        }
        self.pass_on();
        n
    }

    fn take(&mut self) {
        if !self.row.iter().all(|x| x.is_finite()) {
            self.not_finite += 1;
            return;
        }
        let (head, rest) = self.row.split_at(ROW_HEAD);
        let (values, q) = rest.split_at(self.sensors);
        let own = OWN.iter().map(|(_, _, place)| head[*place]);
        for (column, x) in self.chunk.data.iter_mut().zip(values.iter().copied().chain(own)) {
            column.push(x);
        }
        self.chunk.t.push(head[0]);
        let from = self.poses.len();
        self.film.pack(q, &mut self.poses);
        self.film.push(head[0], &self.poses[from..]);
        self.kept += 1;
    }

    fn pass_on(&mut self) {
        if self.chunk.t.is_empty() {
            return;
        }
        if let (Some(stage), None) = (&mut self.stage, &self.fault)
            && let Err(e) = stage.take(&self.chunk)
        {
            let message = format!("no more rows are written from t = {} s on: {}", e.t, e.why);
            let help = "check the space on the disk; the loop went on";
            self.fault = Some(Fault::new("E_OUTPUT", "--out", message).help(help));
        }
        if let Some(watch) = &mut self.watch {
            let motion = MotionFile {
                t: self.chunk.t.clone(),
                coordinates: self.poses.clone(),
                ..self.film.empty()
            };
            watch.add(&self.chunk, &motion);
        }
        self.chunk.t.clear();
        self.chunk.data.iter_mut().for_each(Vec::clear);
        self.poses.clear();
    }

    /// What is left when the loop is over.
    pub fn finish(self) -> Kept {
        Kept {
            motion: self.film.finish(),
            stage: self.stage,
            watch: self.watch,
            rows: self.kept,
            not_finite: self.not_finite,
            fault: self.fault,
        }
    }
}

/// What was kept.
pub struct Kept {
    /// Where the bodies were.
    pub motion: MotionFile,
    /// The files, if there are any.
    pub stage: Option<Shared>,
    /// The watchers, if there may be any.
    pub watch: Option<Watch>,
    /// Rows kept.
    pub rows: u64,
    /// Rows left out because a number is not finite.
    pub not_finite: u64,
    /// Why not all rows are in the files.
    pub fault: Option<Fault>,
}

impl Kept {
    /// What a page needs.
    pub fn view(&mut self, description: Description) -> page::View {
        page::View {
            description,
            motion: std::mem::take(&mut self.motion),
            contacts: None,
            loads: None,
            sections: None,
            steps: delassus_report::Steps::default(),
        }
    }
}

/// Numbers in a row.
pub fn row_width(system: &System) -> usize {
    let d = system.dims();
    ROW_HEAD + system.model().sensors.len() + d.nq
}

/// The folder that is used where none was asked for.
pub fn default_folder(model: &Path) -> std::path::PathBuf {
    let stem = model.file_stem().unwrap_or("model".as_ref()).to_string_lossy();
    Path::new("out").join(format!("{stem}-rt"))
}
