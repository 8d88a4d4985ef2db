//! The interface of a kind of pair.

use crate::spatial::closest::Hit;
use crate::{Contact, Pose};

/// Number of tolerances by which the gap of a slot may be less than the distance of the outlines.
pub(crate) const BEYOND: f64 = 4.0;

/// Memory of a search for near points, kept from search to search.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub(crate) hits: Vec<Hit>,
    /// Numbers of edges.
    pub(crate) edges: Vec<u32>,
}

/// One kind of pair, always with its two shapes in the same order; `Pair` swaps them if needed.
pub(crate) trait Kernel: Send + Sync {
    fn slots(&self) -> usize;

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, previous: Option<[u32; 2]>) -> Option<Contact>;

    /// Contacts with a gap below the margin, in the order of their slots.
    fn near(&self, pa: &Pose, pb: &Pose, margin: f64, _: &mut Search, out: &mut Vec<Contact>) {
        for slot in 0..self.slots() as u32 {
            out.extend(self.slot(slot, pa, pb, None).filter(|c| c.gap < margin));
        }
    }

    fn feature_margin(&self, contact: &Contact, pa: &Pose, pb: &Pose) -> f64;

    /// Lower bound of the gap of a slot, cheap; −∞ if none is known. A point slightly beyond the end of a feature still
    /// faces it: bounds from outlines are smaller by [`BEYOND`] tolerances.
    fn bound(&self, _slot: u32, _pa: &Pose, _pb: &Pose) -> f64 {
        f64::NEG_INFINITY
    }

    /// Whether one touching point can appear in two slots.
    fn has_twins(&self) -> bool {
        false
    }
}
