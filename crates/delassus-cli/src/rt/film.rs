//! Where the bodies were, in bounded memory however long the run.

use delassus::io::results::MotionFile;
use delassus::model::{Carrier, PoseForm, System, node_pose, pose_of};

/// The largest number of coordinates that are kept: beyond it every second row goes.
const NUMBERS: usize = 2 << 20;
/// Rows that are kept at least.
const ROWS: usize = 480;

/// A motion that is thinned as it grows.
pub struct Film<'a> {
    carriers: Vec<(Carrier<'a>, usize)>,
    motion: MotionFile,
    /// Samples so far.
    seen: u64,
    most: usize,
}

impl<'a> Film<'a> {
    /// A film of the bodies of a system, without a picture yet.
    pub fn new(system: &'a System) -> Film<'a> {
        let model = system.model();
        let mut at = 0;
        let first: Vec<usize> = model
            .bodies
            .iter()
            .map(|b| {
                let first = at;
                at += b.nq();
                first
            })
            .collect();
        let carriers: Vec<_> = model.carriers().map(|c| (c, first[c.number])).collect();
        let forms: Vec<PoseForm> = carriers.iter().map(|(c, _)| c.body.kind.pose_form()).collect();
        let motion = MotionFile { forms, stride: 1, ..MotionFile::default() };
        let most = (NUMBERS / motion.width().max(1)).max(ROWS);
        Film { carriers, motion, seen: 0, most }
    }

    /// Coordinates of the bodies as a row of a motion.
    pub fn pack(&self, q: &[f64], out: &mut Vec<f64>) {
        for ((c, first), form) in self.carriers.iter().zip(&self.motion.forms) {
            let own = &q[*first..first + c.body.nq()];
            let pose = match c.body.flexible.as_ref().zip(c.node) {
                Some((f, k)) => node_pose(c.body.kind, f, own, k),
                None => pose_of(c.body.kind, &c.body.com, own),
            };
            form.pack(&pose, out);
        }
    }

    /// An empty motion of the same bodies.
    pub fn empty(&self) -> MotionFile {
        MotionFile { forms: self.motion.forms.clone(), stride: 1, ..MotionFile::default() }
    }

    /// Adds a sample.
    pub fn push(&mut self, t: f64, row: &[f64]) {
        if self.motion.t.len() >= self.most {
            self.thin();
        }
        if self.seen.is_multiple_of(u64::from(self.motion.stride)) {
            self.motion.t.push(t);
            self.motion.coordinates.extend_from_slice(row);
        }
        self.seen += 1;
    }

    fn thin(&mut self) {
        let (width, m) = (self.motion.width(), &mut self.motion);
        let rows = m.t.len().div_ceil(2);
        for row in 1..rows {
            m.t[row] = m.t[2 * row];
            m.coordinates.copy_within(2 * row * width..(2 * row + 1) * width, row * width);
        }
        m.t.truncate(rows);
        m.coordinates.truncate(rows * width);
        m.stride = m.stride.saturating_mul(2);
    }

    /// The motion.
    pub fn finish(self) -> MotionFile {
        self.motion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_film_keeps_every_second_picture() {
        let motion =
            MotionFile { forms: vec![PoseForm::PlanarPoint], stride: 1, ..MotionFile::default() };
        let mut film = Film { carriers: Vec::new(), motion, seen: 0, most: 5 };
        for k in 0..23 {
            film.push(f64::from(k), &[f64::from(k), -1.0]);
        }
        let m = film.finish();
        assert_eq!((m.stride, &m.t[..]), (8, &[0.0, 8.0, 16.0][..]));
        assert_eq!(m.coordinates, [0.0, -1.0, 8.0, -1.0, 16.0, -1.0]);
    }
}
