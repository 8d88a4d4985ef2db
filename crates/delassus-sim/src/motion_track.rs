//! Positions of all bodies at the sample times, for pictures of the motion.

use delassus_dae::State;
use delassus_math::{Vec3, remember};
use delassus_model::{BodyKind, Carrier, Flexible, Pose, PoseForm, System, node_pose, pose_of};
use std::sync::Arc;

/// Largest memory of a track, bytes; a longer run keeps every second sample, every third, ….
const LIMIT: u64 = 16 << 20;
/// Rows that an animation of many bodies needs, ten seconds of it, for which there may be more memory, up to this,
/// bytes.
const FILM: (u64, u64) = (240, 64 << 20);

/// Coordinates of all bodies at every sample, or at every `stride`-th of a very long run.
///
/// During the run a sample is a copy of the coordinates into memory that was allocated before; [`MotionTrack::pose`]
/// interprets them afterwards.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MotionTrack {
    bodies: Vec<Tracked>,
    width: usize,
    stride: u64,
    seen: u64,
    t: Vec<f64>,
    q: Vec<f64>,
}
remember!(MotionTrack { stride, seen, t, q } apart from { bodies, width });

#[derive(Debug, Clone, PartialEq)]
struct Tracked {
    kind: BodyKind,
    /// First coordinate, and how many there are.
    at: usize,
    nq: usize,
    /// Mass centre in the body frame, to which the coordinates refer.
    com: Vec3,
    /// A node of it instead of the body frame.
    node: Option<(Arc<Flexible>, usize)>,
}

impl MotionTrack {
    /// Room for so many samples; `None` if the system has no memory for it.
    pub(crate) fn new(sys: &System, samples: usize) -> Option<MotionTrack> {
        let row: u64 = sys.model().bodies.iter().map(|b| 8 * b.nq() as u64).sum();
        let film = FILM.0.saturating_mul(row).clamp(LIMIT, FILM.1);
        MotionTrack::bounded(sys, samples, film)
    }

    fn bounded(sys: &System, samples: usize, limit: u64) -> Option<MotionTrack> {
        let mut at = 0;
        let mut first = Vec::with_capacity(sys.model().bodies.len());
        for b in &sys.model().bodies {
            first.push(at);
            at += b.nq();
        }
        let tracked = |c: Carrier<'_>| Tracked {
            kind: c.body.kind,
            at: first[c.number],
            nq: c.body.nq(),
            com: c.body.com,
            node: c.body.flexible.clone().zip(c.node),
        };
        let bodies: Vec<Tracked> = sys.model().carriers().map(tracked).collect();
        let bytes = (samples as u64).saturating_mul(8 * (at as u64 + 1));
        let stride = bytes.div_ceil(limit.max(1)).max(1);
        let rows = (samples as u64 / stride) as usize + 1;
        let (mut t, mut q) = (Vec::new(), Vec::new());
        t.try_reserve_exact(rows).ok()?;
        q.try_reserve_exact(rows.checked_mul(at)?).ok()?;
        Some(MotionTrack { bodies, width: at, stride, seen: 0, t, q })
    }

    /// Records a sample; false if it is left out. Does not allocate.
    pub(crate) fn push(&mut self, s: &State) -> bool {
        if self.stride == 0 {
            return false;
        }
        let kept = self.seen.is_multiple_of(self.stride);
        if kept {
            self.t.push(s.t);
            self.q.extend_from_slice(&s.q[..self.width]);
        }
        self.seen += 1;
        kept
    }

    /// Removes non-finite rows and everything after them, and everything from sample `samples` on.
    pub fn truncate(&mut self, samples: usize) {
        let stride = (self.stride as usize).max(1);
        let mut rows = self.t.len().min(samples.div_ceil(stride));
        if let Some(bad) = self.q.iter().position(|x| !x.is_finite()) {
            rows = rows.min(bad / self.width.max(1));
        }
        self.t.truncate(rows);
        self.q.truncate(rows * self.width);
    }

    /// Times, s.
    pub fn t(&self) -> &[f64] {
        &self.t
    }

    /// Samples per row of the track.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// The form in which files store the poses of [`delassus_model::Model::carriers`]: bodies, then nodes.
    pub fn forms(&self) -> impl ExactSizeIterator<Item = PoseForm> + '_ {
        self.bodies.iter().map(|b| b.kind.pose_form())
    }

    /// Pose of one of them at row `row`; `None` outside the track.
    pub fn pose(&self, row: usize, body: usize) -> Option<Pose> {
        let b = self.bodies.get(body)?;
        let from = row.checked_mul(self.width)? + b.at;
        let q = self.q.get(from..from + b.nq)?;
        Some(match &b.node {
            Some((f, k)) => node_pose(b.kind, f, q, *k),
            None => pose_of(b.kind, &b.com, q),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use delassus_model::compile;
    use delassus_model::spec::{BodySpec, BodyType, InertiaSpec, ModelSpec};

    fn system() -> System {
        let mut spec = ModelSpec { schema: 1, ..ModelSpec::default() };
        for (name, kind) in [("bead", BodyType::PlanarPoint), ("disc", BodyType::Planar)] {
            let planar = kind == BodyType::Planar;
            let body = BodySpec {
                kind,
                mass: Some(1.0.into()),
                inertia: planar.then(|| InertiaSpec::Planar(1.0.into())),
                com: if planar { vec![1.0.into(), 0.5.into()] } else { vec![] },
                ..BodySpec::default()
            };
            spec.body.set(name, body);
        }
        System::new(compile(&spec).unwrap()).unwrap()
    }

    fn state(t: f64) -> State {
        let quarter = std::f64::consts::FRAC_PI_2;
        State { t, q: vec![t, 2.0, 10.0, 20.0, quarter], v: vec![], z: vec![] }
    }

    #[test]
    fn the_frame_not_the_mass_centre() {
        let mut track = MotionTrack::new(&system(), 3).unwrap();
        for k in 0..3 {
            track.push(&state(f64::from(k)));
        }
        assert_eq!(track.t(), [0.0, 1.0, 2.0]);
        let bead = track.pose(2, 0).unwrap();
        assert_eq!((bead.p.x, bead.p.y, bead.angle), (2.0, 2.0, 0.0));
        // turned by a quarter, the mass centre is at (-0.5, 1) from the origin
        let disc = track.pose(1, 1).unwrap();
        assert!((disc.p - Vec3::new(10.5, 19.0, 0.0)).norm() < 1e-14);
        assert!((disc.r.0[0] - disc.r.0[3]).abs() < 1e-15);
        assert!(track.pose(3, 0).is_none() && track.pose(0, 2).is_none());
    }

    #[test]
    fn long_runs_keep_fewer_samples_in_bounded_memory() {
        let sys = system();
        // 6 numbers of 8 bytes per sample, room for 3
        let mut track = MotionTrack::bounded(&sys, 7, 150).unwrap();
        assert_eq!(track.stride(), 3);
        let before = track.q.as_ptr();
        for k in 0..7 {
            track.push(&state(f64::from(k)));
        }
        assert_eq!(track.t(), [0.0, 3.0, 6.0]);
        assert_eq!(track.q.as_ptr(), before, "all memory is taken before");
        track.truncate(4);
        assert_eq!(track.t(), [0.0, 3.0]);
        track.truncate(3);
        assert_eq!(track.t(), [0.0]);
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let mut track = MotionTrack::new(&system(), 3).unwrap();
        track.push(&state(0.0));
        track.push(&State { q: vec![0.0, f64::NAN, 0.0, 0.0, 0.0], ..state(1.0) });
        track.push(&state(2.0));
        track.truncate(3);
        assert_eq!(track.t(), [0.0]);
        assert!(MotionTrack::default().pose(0, 0).is_none());
    }
}
