//! Where the nodes of a finite element model are, and which unknowns are theirs.

use crate::FlexError;
use delassus_math::{Vec3, largest};
use faer::Mat;

/// Numbers up to which products of a few stay finite; nothing real comes near.
pub(crate) const LARGEST: f64 = 1e60;

/// Nodes with their unknowns: three displacements, and three rotations after them or none.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub names: Vec<String>,
    pub places: Vec<Vec3>,
    /// First unknown of each node, and the number of all.
    pub start: Vec<usize>,
}

impl Layout {
    pub fn new(nodes: impl Iterator<Item = (String, Vec3, usize)>) -> Layout {
        let mut out = Layout { names: Vec::new(), places: Vec::new(), start: vec![0] };
        for (name, place, dofs) in nodes {
            out.start.push(out.unknowns() + dofs);
            out.names.push(name);
            out.places.push(place);
        }
        out
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn unknowns(&self) -> usize {
        self.start[self.start.len() - 1]
    }

    pub fn of(&self, node: usize) -> std::ops::Range<usize> {
        self.start[node]..self.start[node + 1]
    }

    pub fn turns(&self, node: usize) -> bool {
        self.of(node).len() == 6
    }

    /// Number of the node of a name.
    pub fn node(&self, name: &str) -> Result<usize, FlexError> {
        let found = self.names.iter().position(|n| !name.is_empty() && n == name);
        found.ok_or_else(|| {
            /// Names in a message.
            const MOST: usize = 12;
            let known = self.names.iter().filter(|name| !name.is_empty());
            let mut list: Vec<String> =
                known.clone().take(MOST).map(|name| format!("`{name}`")).collect();
            match known.count() {
                0 => list.push("without names".to_owned()),
                n if n > MOST => list.push(format!("and {} more", n - MOST)),
                _ => {}
            }
            FlexError::NoNode { name: name.to_owned(), known: list.join(", ") }
        })
    }

    /// Whether names are unique and places are numbers.
    pub fn check(&self) -> Result<(), FlexError> {
        let mut seen = std::collections::BTreeSet::new();
        for (k, name) in self.names.iter().enumerate() {
            if !name.is_empty() && !seen.insert(name) {
                return Err(FlexError::SameName(name.clone()));
            }
            if !self.places[k].iter().all(|x| x.abs() <= LARGEST) {
                return Err(FlexError::NotFinite { what: format!("the place of node {}", k + 1) });
            }
        }
        Ok(())
    }

    /// Largest distance from the first node, m.
    pub fn reach(&self) -> f64 {
        largest(self.places.iter().map(|p| (p - self.places[0]).norm()))
    }

    /// Displacements along and rotations about the axes through a point, as columns.
    pub fn rigid_motions(&self, about: Vec3) -> Mat<f64> {
        let mut out = Mat::zeros(self.unknowns(), 6);
        for (k, place) in self.places.iter().enumerate() {
            let at = self.start[k];
            for a in 0..3 {
                let moved = Vec3::ith(a, 1.0).cross(&(place - about));
                out[(at + a, a)] = 1.0;
                for b in 0..3 {
                    out[(at + b, 3 + a)] = moved[b];
                }
                if self.turns(k) {
                    out[(at + 3 + a, 3 + a)] = 1.0;
                }
            }
        }
        out
    }

    pub fn mean(&self) -> Vec3 {
        self.places.iter().sum::<Vec3>() / self.len() as f64
    }

    /// Displacement of a node in column j.
    pub fn displacement(&self, x: &Mat<f64>, node: usize, j: usize) -> Vec3 {
        Vec3::from_fn(|a, _| x[(self.start[node] + a, j)])
    }

    /// Its rotation, where it has one.
    pub fn rotation(&self, x: &Mat<f64>, node: usize, j: usize) -> Option<Vec3> {
        self.turns(node).then(|| Vec3::from_fn(|a, _| x[(self.start[node] + 3 + a, j)]))
    }
}
