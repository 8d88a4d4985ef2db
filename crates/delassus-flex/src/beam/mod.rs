//! Beams as chains of finite elements.
//!
//! Owns: what a beam is, its checks and its matrices. An element is straight between two nodes with six degrees of
//! freedom each (`element.rs`); a curved beam is a chain of several.

mod element;

pub(crate) use element::{Element, GAUSS};

use crate::FlexError;
use crate::symmetric::Symmetric;
use delassus_math::{Vec3, Vec6};

/// Stiffness and inertia of a beam per length. Centres of mass, bending and shear are one point on the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// EA (N), GA along y and z with their shear factors (N; infinite for Euler's and Bernoulli's beam), GJ, EI about y
    /// and z (N m²).
    pub stiffness: Vec6,
    /// ρA, kg/m.
    pub mass: f64,
    /// ρI about y and z, kg m; their sum is that of the spin about the axis.
    pub inertia: [f64; 2],
}

/// Numbers of a cross-section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// A, m².
    pub area: f64,
    /// Second moments I about y and z, m⁴.
    pub second_moments: [f64; 2],
    /// Torsion constant J, m⁴.
    pub torsion: f64,
    /// Shear factors along y and z; infinite without shear.
    pub shear_factors: [f64; 2],
}

/// A linear elastic material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// E, Pa.
    pub young: f64,
    /// G, Pa.
    pub shear: f64,
    /// ρ, kg/m³.
    pub density: f64,
}

impl Section {
    /// A profile of a material.
    pub fn new(profile: &Profile, material: &Material) -> Section {
        let Material { young: e, shear: g, density } = *material;
        let [iy, iz] = profile.second_moments;
        let [ky, kz] = profile.shear_factors;
        let ga = g * profile.area;
        Section {
            stiffness: Vec6::new(
                e * profile.area,
                ky * ga,
                kz * ga,
                g * profile.torsion,
                e * iy,
                e * iz,
            ),
            mass: density * profile.area,
            inertia: [density * iy, density * iz],
        }
    }
}

/// A node of a beam.
#[derive(Debug, Clone, PartialEq)]
pub struct BeamNode {
    /// Name; empty where nothing is fastened.
    pub name: String,
    /// Place in the unloaded beam, in the axes of the body, m.
    pub at: Vec3,
}

/// The piece of a beam between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamElement {
    /// Its section.
    pub section: Section,
    /// Any vector that with the axis spans the x-y plane of the section.
    pub y: Vec3,
}

/// A chain of nodes; element k joins nodes k and k + 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Beam {
    /// Nodes along the axis, two or more.
    pub nodes: Vec<BeamNode>,
    /// One less.
    pub elements: Vec<BeamElement>,
}

impl Beam {
    /// A beam of one section, straight between each two of the points, with so many equal elements there.
    pub fn through(points: &[BeamNode], per_leg: usize, section: Section, y: Vec3) -> Beam {
        let per_leg = per_leg.max(1);
        let mut nodes: Vec<BeamNode> = points.first().cloned().into_iter().collect();
        for leg in points.windows(2) {
            for k in 1..per_leg {
                let part = k as f64 / per_leg as f64;
                let at = leg[0].at + part * (leg[1].at - leg[0].at);
                nodes.push(BeamNode { name: String::new(), at });
            }
            nodes.push(leg[1].clone());
        }
        let elements = vec![BeamElement { section, y }; nodes.len().saturating_sub(1)];
        Beam { nodes, elements }
    }

    /// Its elements, checked.
    pub(crate) fn parts(&self) -> Result<Vec<Element>, FlexError> {
        let fault = |text: String| Err(FlexError::Beam(text));
        if self.nodes.len() < 2 {
            return fault(format!("a beam has 2 nodes or more, not {}", self.nodes.len()));
        }
        if self.elements.len() + 1 != self.nodes.len() {
            let what = "the list of elements of a beam".to_owned();
            let (expected, got) = (self.nodes.len() - 1, self.elements.len());
            return Err(FlexError::Size { what, expected, got });
        }
        self.elements
            .iter()
            .enumerate()
            .map(|(k, e)| {
                let ends = [self.nodes[k].at, self.nodes[k + 1].at];
                Element::new(e, ends).map_err(|text| {
                    FlexError::Beam(format!("element {} of the beam {text}", k + 1))
                })
            })
            .collect()
    }
}

/// Stiffness and mass matrix of a chain of elements, with six unknowns per node: displacement, rotation.
pub(crate) fn assemble(parts: &[Element]) -> (Symmetric, Symmetric) {
    let n = 6 * (parts.len() + 1);
    let matrices: Vec<_> = parts.iter().map(|part| (part.stiffness(), part.mass())).collect();
    let (mut k, mut m) = (Vec::new(), Vec::new());
    for node in 0..=parts.len() {
        for i in 0..6 {
            // what a node shares with the one before, itself and the next one
            for j in 0..18 {
                let Some(other) = (6 * node + j).checked_sub(6).filter(|other| *other < n) else {
                    continue;
                };
                let before = (node > 0 && j < 12).then(|| (&matrices[node - 1], 6 + i, j));
                let after = (node < parts.len() && j >= 6).then(|| (&matrices[node], i, j - 6));
                let (mut stiff, mut mass) = (0.0, 0.0);
                for ((ke, me), a, b) in before.into_iter().chain(after) {
                    stiff += ke[(a, b)];
                    mass += me[(a, b)];
                }
                k.push((6 * node + i, other, stiff));
                m.push((6 * node + i, other, mass));
            }
        }
    }
    (Symmetric::new(n, k), Symmetric::new(n, m))
}
