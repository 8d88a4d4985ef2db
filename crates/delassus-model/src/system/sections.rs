//! Forces and moments in the sections of all beams, for the diagrams along them.

use super::{System, Workspace};
use crate::Model;

/// Largest number of elements of which section forces are recorded: beyond, a picture of a run would be gigabytes.
pub const MOST_SECTIONS: usize = 4000;

/// A beam, or an element that is a force of the file, with its elements among those of [`System::sections`].
#[derive(Debug, Clone, PartialEq)]
pub struct SectionView<'a> {
    /// Name of the beam or force.
    pub name: &'a str,
    /// Number of its first element.
    pub first: usize,
    /// Distance of the ends of its elements along the unloaded axis, m: one more than elements.
    pub stations: Vec<f64>,
}

impl System {
    /// Numbers per element in [`System::sections`]: fx, fy, tz at both of its ends where all bodies are planar, else fx, fy,
    /// fz, tx, ty, tz.
    pub fn section_width(&self) -> usize {
        if is_planar(&self.model) { 6 } else { 12 }
    }

    /// Elements of beams; 0 if there are more than pictures show.
    pub fn section_count(&self) -> usize {
        let n = self.beam_elements.len();
        if n > MOST_SECTIONS { 0 } else { n }
    }

    /// The meaning of [`System::sections`].
    pub fn section_views(&self) -> Vec<SectionView<'_>> {
        if self.section_count() == 0 {
            return Vec::new();
        }
        let lone = self.lone_elements().iter().enumerate();
        let lone = lone.map(|(first, e)| SectionView {
            name: &e.name,
            first,
            stations: vec![0.0, e.whole],
        });
        let beams = self.model.beams.iter().enumerate().map(|(k, b)| SectionView {
            name: &b.name,
            first: self.elements_of(k).start,
            stations: b.stations.clone(),
        });
        lone.chain(beams).collect()
    }

    /// What sensors of type `section` measure at both ends of every element, at the realised state, N and N·m.
    pub fn sections(&self, ws: &Workspace, out: &mut Vec<f64>) {
        let kept: &[usize] = if is_planar(&self.model) { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        for e in &self.beam_elements[..self.section_count()] {
            let strained = self.strained(ws, e);
            for part in [0.0, 1.0] {
                let (resultant, _) = e.section(&strained, part);
                out.extend(kept.iter().map(|k| resultant[*k]));
            }
        }
    }
}

fn is_planar(m: &Model) -> bool {
    m.bodies.iter().all(|b| b.kind.is_planar())
}
