//! Beams: which bodies and forces they are made of.

use std::ops::Range;

/// A beam. Its nodes are bodies, its elements forces between neighbouring ones.
#[derive(Debug, Clone)]
pub struct Beam {
    /// Name.
    pub name: String,
    /// Its nodes in [`super::Model::bodies`], along the axis.
    pub nodes: Range<usize>,
    /// Its elements in [`super::Model::forces`], one less.
    pub elements: Range<usize>,
    /// Distance of each node along the unloaded axis, m.
    pub stations: Vec<f64>,
    /// Half of the extent of its section along y and z, m.
    pub reach: [f64; 2],
    /// How many times larger its deformation is drawn from the start, if the file says so.
    pub exaggerate: Option<f64>,
}

impl Beam {
    /// Length of the unloaded axis, m.
    pub fn length(&self) -> f64 {
        self.stations.last().copied().unwrap_or(0.0)
    }

    /// The element at a distance along the axis, counted from 0, and how far along it, from 0 to 1. At a node it
    /// is the one before.
    pub fn element_at(&self, s: f64) -> (usize, f64) {
        let last = self.stations.len().saturating_sub(2);
        let k = self.stations.partition_point(|x| *x < s).saturating_sub(1).min(last);
        let (from, to) = (self.stations[k], self.stations[k + 1]);
        (k, ((s - from) / (to - from)).clamp(0.0, 1.0))
    }
}
