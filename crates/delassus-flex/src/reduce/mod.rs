//! From finite elements to few modes.
//!
//! Owns: which modes are kept ([`Choice`]), how they are found (`shapes.rs`) and their integrals (`integrals.rs`).
//! Formulas: `docs/src/theory/component-modes.md`.

#[cfg(test)]
mod brute_force;
mod choice;
mod integrals;
mod pencil;
mod shapes;

pub use choice::{Boundary, Choice, Damping, Keep, Motion};

use crate::beam::{Beam, assemble};
use crate::{FlexError, Modal, Node};
use delassus_math::Vec3;
use faer::Mat;
use integrals::Origin;
use nalgebra::{DMatrix, DVector};
use shapes::{Held, Matrices};

/// Largest displacement, relative to the length of the body times the largest rotation, below which a mode only turns.
const ONLY_TURNS: f64 = 1e-3;
/// Places whose displacements differ by less than this part decide a sign by their order, not by rounding.
const EQUAL: f64 = 1e-6;
/// Force out of the plane, relative to that in it, that is more than rounding.
const OUT_OF_PLANE: f64 = 1e-10;

/// The body that a beam is by its modes. They are scaled so that the largest displacement of a node is 1 m, or the
/// largest rotation 1 rad where nothing is displaced; frequencies are √(K_ii/M_ii), in ascending order.
pub fn reduce(beam: &Beam, choice: &Choice) -> Result<Modal, FlexError> {
    let parts = beam.parts()?;
    let (k, m) = assemble(&parts);
    let places: Vec<Vec3> = beam.nodes.iter().map(|n| n.at).collect();
    let free = free(&k, &m, choice.motion, places.len())?;
    let rigid = rigid_motions(&places, choice.motion);
    let dofs = |node: usize| -> Vec<usize> { (6 * node..6 * node + 6).collect() };
    let (held, origin) = match &choice.boundary {
        Boundary::Clamped { at } => {
            let at = beam.node(at)?;
            (Held::Clamped(dofs(at)), Origin::Node(at))
        }
        Boundary::Free => (Held::Free(dofs(0)), Origin::Mean),
        Boundary::Interface { nodes } => {
            let found: Result<Vec<usize>, _> = nodes.iter().map(|n| beam.node(n)).collect();
            let found = found?;
            let repeated = (0..found.len()).find(|k| found[..*k].contains(&found[*k]));
            if let Some(k) = repeated {
                let text = format!("node `{}` is named twice as an interface", nodes[k]);
                return Err(FlexError::Option(text));
            }
            let Some((&first, others)) = found.split_first() else {
                let text = "an interface needs one node or more".to_owned();
                return Err(FlexError::Option(text));
            };
            let name = nodes.get(1).cloned().unwrap_or_default();
            let others = others.iter().flat_map(|k| dofs(*k)).collect();
            (Held::Interface(dofs(first), others, name), Origin::Node(first))
        }
    };
    let a = Matrices { k, m, free, rigid };
    let mut modes = shapes::shapes(&a, &held, &choice.keep)?;
    normalise(&mut modes.shapes, &places);
    let x = &modes.shapes;
    let n = x.ncols();

    let (moments, psi) = integrals::integrate(&parts, x, choice.shortening, &origin);
    let mut modal = moments.into_modal();
    // shapes are orthogonal, so that only rounding stands beside the diagonal
    let mass: Vec<f64> = (0..n).map(|i| modal.mass_matrix[(i, i)]).collect();
    let stiffness: Vec<f64> = (0..n).map(|i| mass[i] * modes.frequencies[i].powi(2)).collect();
    let damping = choice.damping.of(&mass, &stiffness)?;
    let diagonal = |list: Vec<f64>| DMatrix::from_diagonal(&DVector::from_vec(list));
    modal.mass_matrix = diagonal(mass);
    modal.stiffness = diagonal(stiffness);
    modal.damping = diagonal(damping);
    let vector = |row: usize, j: usize| Vec3::new(x[(row, j)], x[(row + 1, j)], x[(row + 2, j)]);
    let named = beam.nodes.iter().enumerate().filter(|(_, node)| !node.name.is_empty());
    modal.nodes = named
        .map(|(k, node)| Node {
            name: node.name.clone(),
            at: node.at,
            displacement: (0..n).map(|j| vector(6 * k, j)).collect(),
            shortening: psi.get(k).cloned().unwrap_or_default(),
            rotation: (0..n).map(|j| vector(6 * k + 3, j)).collect(),
        })
        .collect();
    Ok(modal)
}

/// Degrees of freedom that may move.
fn free(k: &Mat<f64>, m: &Mat<f64>, motion: Motion, nodes: usize) -> Result<Vec<usize>, FlexError> {
    if motion == Motion::Spatial {
        return Ok((0..6 * nodes).collect());
    }
    let in_plane = |i: &usize| matches!(i % 6, 0 | 1 | 5);
    let (free, fixed): (Vec<usize>, Vec<usize>) = (0..6 * nodes).partition(in_plane);
    for a in [k, m] {
        for &i in &free {
            for &j in &fixed {
                let size = (a[(i, i)] * a[(j, j)]).sqrt();
                if !(a[(i, j)].abs() <= OUT_OF_PLANE * size) {
                    let text = format!(
                        "the beam does not stay in the x-y plane: in node {} it is bent or twisted out of it; \
                         put it and an axis of its section into the plane, or let it move in space",
                        i / 6 + 1
                    );
                    return Err(FlexError::Beam(text));
                }
            }
        }
    }
    Ok(free)
}

/// Displacements along and rotations about the axes, as columns.
fn rigid_motions(places: &[Vec3], motion: Motion) -> Mat<f64> {
    let mean = places.iter().sum::<Vec3>() / places.len() as f64;
    let mut out = Mat::zeros(6 * places.len(), 6);
    for (k, place) in places.iter().enumerate() {
        for a in 0..3 {
            let axis = Vec3::ith(a, 1.0);
            let moved = axis.cross(&(place - mean));
            let planar = motion == Motion::Planar;
            if !planar || a < 2 {
                out[(6 * k + a, a)] = 1.0;
            }
            if !planar || a == 2 {
                out[(6 * k + 3 + a, 3 + a)] = 1.0;
                for b in 0..3 {
                    out[(6 * k + b, 3 + a)] = moved[b];
                }
            }
        }
    }
    out
}

/// Largest displacement 1 m, or rotation 1 rad; positive in its largest component.
fn normalise(shapes: &mut Mat<f64>, places: &[Vec3]) {
    let reach = places.iter().map(|p| (p - places[0]).norm()).fold(0.0, f64::max);
    for j in 0..shapes.ncols() {
        let largest = |shapes: &Mat<f64>, from: usize| {
            let at = |k: usize| Vec3::from_fn(|a, _| shapes[(6 * k + from + a, j)]);
            let size = (0..places.len()).map(|k| at(k).norm()).fold(0.0, f64::max);
            let first = (0..places.len()).find(|k| at(*k).norm() >= (1.0 - EQUAL) * size);
            let at = at(first.unwrap_or(0));
            let most = at.amax();
            let sign = at.iter().find(|x| x.abs() >= (1.0 - EQUAL) * most).copied();
            (size, sign.unwrap_or(1.0).signum())
        };
        let (moved, turned) = (largest(shapes, 0), largest(shapes, 3));
        let (size, sign) = if moved.0 >= ONLY_TURNS * reach * turned.0 { moved } else { turned };
        for i in 0..shapes.nrows() {
            shapes[(i, j)] *= sign / size;
        }
    }
}
