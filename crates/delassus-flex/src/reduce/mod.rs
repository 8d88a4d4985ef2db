//! From finite elements to few modes.
//!
//! Owns: which modes are kept ([`Choice`]), how they are found (`shapes.rs`, for large models `krylov.rs`) and the
//! integrals of beams (`integrals.rs`). Formulas: `docs/src/theory/component-modes.md`.

#[cfg(test)]
mod brute_force;
mod choice;
mod integrals;
mod krylov;
mod pencil;
mod shapes;

pub use choice::{Boundary, Choice, Damping, Keep, Motion};
#[cfg(test)]
pub(crate) use pencil::vibrations;
pub(crate) use shapes::{Elastic, component_modes};

use crate::beam::{Beam, Element, assemble};
use crate::layout::Layout;
use crate::{FlexError, MassPoint, Modal, Node};
use delassus_math::Vec3;
use faer::Mat;
use integrals::Origin;
use nalgebra::{DMatrix, DVector};

/// The body that a beam is by its modes. They are scaled so that the largest displacement of a node is 1 m, or the
/// largest rotation 1 rad where nothing is displaced; frequencies are √(K_ii/M_ii), in ascending order.
pub fn reduce(beam: &Beam, choice: &Choice) -> Result<Modal, FlexError> {
    let layout = Layout::new(beam.nodes.iter().map(|n| (n.name.clone(), n.at, 6)));
    layout.check()?;
    let parts = beam.parts()?;
    let (k, m) = assemble(&parts);
    let elastic = Elastic { k: &k, m: &m, layout: &layout };
    let (modes, held) = component_modes(&elastic, choice)?;
    let x = &modes.shapes;
    let origin = held.map_or(Origin::Mean, Origin::Node);
    let (moments, psi) = integrals::integrate(&parts, x, choice.shortening, &origin);
    let mut modal = moments.into_modal();
    set_matrices(&mut modal, &modes.frequencies, &choice.damping)?;
    let vectors = |node: usize, from: usize| -> Vec<Vec3> {
        (0..x.ncols()).map(|j| vector(x, 6 * node + from, j)).collect()
    };
    if !psi.is_empty() {
        modal.follow(masses(&parts, beam, vectors, psi.clone()));
    }
    let named = beam.nodes.iter().enumerate().filter(|(_, node)| !node.name.is_empty());
    modal.nodes = named
        .map(|(k, node)| Node {
            name: node.name.clone(),
            at: node.at,
            displacement: vectors(k, 0),
            shortening: psi.get(k).cloned().unwrap_or_default(),
            rotation: vectors(k, 3),
        })
        .collect();
    Ok(modal)
}

/// Half the mass of each element at either end, which has the mass and the mass centre of the beam.
fn masses(
    parts: &[Element],
    beam: &Beam,
    vectors: impl Fn(usize, usize) -> Vec<Vec3>,
    psi: Vec<Vec<Vec3>>,
) -> Vec<MassPoint> {
    let half = |part: Option<&Element>| part.map_or(0.0, |p| 0.5 * p.section.mass * p.length);
    let of = |(k, shortening): (usize, Vec<Vec3>)| MassPoint {
        mass: half(k.checked_sub(1).and_then(|k| parts.get(k))) + half(parts.get(k)),
        at: beam.nodes[k].at,
        displacement: vectors(k, 0),
        shortening,
    };
    psi.into_iter().enumerate().map(of).collect()
}

fn vector(x: &Mat<f64>, row: usize, j: usize) -> Vec3 {
    Vec3::new(x[(row, j)], x[(row + 1, j)], x[(row + 2, j)])
}

/// Makes the matrices diagonal: shapes are orthogonal, so that only rounding stands beside it.
pub(crate) fn set_matrices(
    modal: &mut Modal,
    frequencies: &[f64],
    damping: &Damping,
) -> Result<(), FlexError> {
    let mass: Vec<f64> = modal.mass_matrix.diagonal().iter().copied().collect();
    let stiffness: Vec<f64> = mass.iter().zip(frequencies).map(|(m, w)| m * w * w).collect();
    let damping = damping.of(&mass, &stiffness)?;
    let diagonal = |list: Vec<f64>| DMatrix::from_diagonal(&DVector::from_vec(list));
    modal.mass_matrix = diagonal(mass);
    modal.stiffness = diagonal(stiffness);
    modal.damping = diagonal(damping);
    Ok(())
}
