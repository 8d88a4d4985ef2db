//! Where bodies touch at the sample times and where events happened, for pictures of the motion.

use delassus_math::remember;

/// Largest number of points of a track; beyond it every second row is kept, every fourth, ….
const MOST: usize = 1 << 17;

/// A place where bodies touch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TouchPoint {
    /// Index of the interaction in [`delassus_model::Model::contacts`].
    pub contact: usize,
    /// Where, ground components, m.
    pub at: [f64; 3],
    /// Direction of the force, away from the ground if that takes part; zero for interactions that have none (stops of
    /// angles).
    pub normal: [f64; 3],
    /// Normal force, N (N·m); for an event its normal impulse, N·s (N·m·s).
    pub force: f64,
}
remember!(TouchPoint { contact, at, normal, force });

/// Points by row of the [`crate::MotionTrack`]: most contacts are open most of the time, so a list of the closed ones
/// is short.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactTrack {
    stride: usize,
    points: Vec<(usize, TouchPoint)>,
    events: Vec<(u64, TouchPoint)>,
}
remember!(ContactTrack { stride, points, events });

impl ContactTrack {
    /// Whether a row of the motion should be recorded.
    pub(crate) fn wants(&self, row: usize) -> bool {
        row.is_multiple_of(self.stride())
    }

    /// Records a point of a row, which is not below that of the last one.
    pub(crate) fn push(&mut self, row: usize, point: TouchPoint) {
        self.push_bounded(row, point, MOST);
    }

    fn push_bounded(&mut self, row: usize, point: TouchPoint, most: usize) {
        while self.points.len() >= most {
            let stride = 2 * self.stride();
            self.stride = stride;
            let before = self.points.len();
            self.points.retain(|(row, _)| row.is_multiple_of(stride));
            if self.points.len() == before && stride > before {
                return;
            }
        }
        if self.wants(row) {
            self.points.push((row, point));
        }
    }

    /// Forgets the points of a row and all after it.
    pub(crate) fn clear_from(&mut self, row: usize) {
        self.points.retain(|(r, _)| *r < row);
    }

    /// Records where the event with this number happened.
    pub(crate) fn push_event(&mut self, id: u64, point: TouchPoint) {
        if self.events.len() < MOST {
            self.events.push((id, point));
        }
    }

    /// Rows of the motion per row of this track: rows in between show the points of the one before.
    pub fn stride(&self) -> usize {
        self.stride.max(1)
    }

    /// Points with their rows of the motion, ascending.
    pub fn points(&self) -> &[(usize, TouchPoint)] {
        &self.points
    }

    /// Where events happened, with their [`crate::contact::Event::id`], ascending.
    pub fn events(&self) -> &[(u64, TouchPoint)] {
        &self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(force: f64) -> TouchPoint {
        TouchPoint { contact: 0, at: [0.0; 3], normal: [0.0, 1.0, 0.0], force }
    }

    #[test]
    fn a_long_track_keeps_fewer_rows() {
        let mut track = ContactTrack::default();
        for row in 0..100 {
            if track.wants(row) {
                track.push_bounded(row, point(row as f64), 16);
            }
        }
        assert_eq!(track.stride(), 8);
        let rows: Vec<usize> = track.points().iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, (0..100).step_by(8).collect::<Vec<_>>());
        assert!(track.points().iter().all(|(row, p)| p.force == *row as f64));
        track.clear_from(90);
        assert_eq!(track.points().last().map(|(row, _)| *row), Some(88));
    }

    #[test]
    fn one_row_with_more_points_than_fit_ends() {
        let mut track = ContactTrack::default();
        for k in 0..50 {
            track.push_bounded(0, point(f64::from(k)), 16);
        }
        assert_eq!(track.points().len(), 16);
    }
}
