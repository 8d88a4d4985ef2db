//! Loads at the rows of the motion, for pictures: reactions and applied forces, or forces and moments in beams.

use delassus_math::remember;
use delassus_model::{MOST_LOADS, System};

/// Largest memory, bytes; a longer run keeps every second row, every third, ….
const LIMIT: usize = 8 << 20;

/// Vectors by row of the [`crate::MotionTrack`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadTrack {
    /// Number of vectors; 0 if they are not tracked.
    count: usize,
    stride: usize,
    data: Vec<f64>,
}
remember!(LoadTrack { stride, data } apart from { count });

impl LoadTrack {
    /// Those of [`System::loads`], for so many rows.
    pub(crate) fn of_loads(sys: &System, rows: usize) -> LoadTrack {
        let count = sys.load_views().len();
        if count > MOST_LOADS { LoadTrack::default() } else { LoadTrack::new(count, rows) }
    }

    /// Those of [`System::sections`], three numbers each.
    pub(crate) fn of_sections(sys: &System, rows: usize) -> LoadTrack {
        LoadTrack::new(sys.section_count() * sys.section_width() / 3, rows)
    }

    fn new(count: usize, rows: usize) -> LoadTrack {
        let stride = (rows.saturating_mul(24 * count)).div_ceil(LIMIT).max(1);
        let kept = rows.div_ceil(stride).saturating_mul(3 * count);
        LoadTrack { count, stride, data: Vec::with_capacity(kept.min(LIMIT / 8)) }
    }

    /// Whether there is anything to track.
    pub(crate) fn is_on(&self) -> bool {
        self.count > 0
    }

    /// Records a row of the motion, which `fill` appends; rows come one after another.
    pub(crate) fn push(&mut self, row: usize, fill: impl FnOnce(&mut Vec<f64>)) {
        if self.count == 0 || !row.is_multiple_of(self.stride) {
            return;
        }
        self.data.truncate(3 * self.count * (row / self.stride));
        fill(&mut self.data);
    }

    /// Vectors of a row.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Rows of the motion per row of this track.
    pub fn stride(&self) -> usize {
        self.stride.max(1)
    }

    /// x, y, z of all vectors at row `row` of this track, N and N·m.
    pub fn row(&self, row: usize) -> Option<&[f64]> {
        let width = 3 * self.count;
        self.data.get(row.checked_mul(width)?..row.checked_add(1)?.checked_mul(width)?)
    }
}
