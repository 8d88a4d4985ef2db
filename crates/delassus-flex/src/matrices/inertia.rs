//! Integrals over a body from its mass matrix.
//!
//! What is linear in the shapes of rigid motions and modes follows from M itself: Rᵀ M R, Rᵀ M φ, φᵀ M φ. Products of
//! other components, ∫ φ_i φ_jᵀ dm, need the mass that couples two nodes whatever the direction. In solid elements it is
//! the same in all three. Between nodes of beams and shells it is least across them, where rotations share in the
//! coupling; the largest is that of linear interpolation, and is taken. Rotations of nodes carry the moments of inertia
//! that the rows of M have for them in sum, as far as they can be those of mass: cubic interpolation moves most of those
//! of sections into displacements.

use super::about_origin;
use crate::layout::Layout;
use crate::moments::Moments;
use crate::symmetric::Symmetric;
use crate::{FlexError, Modal, Node};
use delassus_math::{Mat3, Vec3, so3};
use faer::Mat;
use std::collections::{BTreeMap, BTreeSet};

/// Smallest moment of inertia of neighbours, relative to the largest, that tells how a node is turned.
const FLAT: f64 = 1e-6;

/// The body without stiffness, damping and nodes.
pub(super) fn modal(mass: &Symmetric, layout: &Layout, shapes: &Mat<f64>) -> Modal {
    let n = shapes.ncols();
    let mean = layout.mean();
    let rigid = layout.rigid_motions(mean);
    let m_rigid = mass.times(&rigid);
    let m_shapes = mass.times(shapes);
    let whole = rigid.transpose() * &m_rigid;
    let block = |r: usize, c: usize| Mat3::from_fn(|i, j| whole[(r + i, c + j)]);

    let mut moments = products(mass, layout, shapes);
    let total = block(0, 0).trace() / 3.0;
    // ∫ (Ω × r)·V dm: rows of Ω, columns of V hold ŝ
    let offset = block(3, 0);
    let first = 0.5
        * Vec3::new(
            offset[(2, 1)] - offset[(1, 2)],
            offset[(0, 2)] - offset[(2, 0)],
            offset[(1, 0)] - offset[(0, 1)],
        );
    moments.mass = total;
    moments.first = total * mean + first;
    let mut out = moments.into_modal();
    out.inertia = about_origin(total, first, block(3, 3), mean);
    let with = m_rigid.transpose() * shapes;
    for i in 0..n {
        out.s1[i] = Vec3::from_fn(|a, _| with[(a, i)]);
        out.h1[i] = Vec3::from_fn(|a, _| with[(3 + a, i)]) + mean.cross(&out.s1[i]);
    }
    let own = shapes.transpose() * m_shapes;
    out.mass_matrix = nalgebra::DMatrix::from_fn(n, n, |i, j| own[(i, j)]);
    out
}

/// Moments of pairs of shapes and of shapes with places.
fn products(mass: &Symmetric, layout: &Layout, shapes: &Mat<f64>) -> Moments {
    let (n, nodes) = (shapes.ncols(), layout.len());
    let displacement: Vec<Vec<Vec3>> =
        (0..n).map(|j| (0..nodes).map(|k| layout.displacement(shapes, k, j)).collect()).collect();
    // mass between nodes times displacements, and moments of inertia of nodes
    let mut weighted = vec![vec![Vec3::zeros(); nodes]; n];
    let mut turning = vec![Mat3::zeros(); nodes];
    for node in 0..nodes {
        let blocks = node_blocks(mass, layout, node);
        let mean = |block: &Blocks| block.moved.trace() / 3.0;
        let mut own: f64 = blocks.values().map(mean).sum();
        for (&other, block) in blocks.iter().filter(|(other, _)| **other != node) {
            let rotations = layout.turns(node) && layout.turns(other);
            let m = if rotations { most(&block.moved) } else { mean(block) };
            own -= m;
            for (weighted, moved) in weighted.iter_mut().zip(&displacement) {
                weighted[other] += moved[node] * m;
            }
        }
        for (weighted, moved) in weighted.iter_mut().zip(&displacement) {
            weighted[node] += moved[node] * own;
        }
        turning[node] = blocks.values().map(|block| block.turned).sum();
    }
    let mut out = Moments::zeros(n);
    for k in 0..nodes {
        let x = layout.places[k];
        for i in 0..n {
            out.with_place[i] += x * weighted[i][k].transpose();
            for j in 0..n {
                out.pairs[i * n + j] += displacement[i][k] * weighted[j][k].transpose();
            }
        }
        if !layout.turns(k) {
            continue;
        }
        let spread = spread(&turning[k]);
        let turns: Vec<Mat3> =
            (0..n).filter_map(|j| layout.rotation(shapes, k, j)).map(|r| so3::hat(&r)).collect();
        out.add_turned(&spread, &turns);
    }
    // F_ij and F_ji are transposes but for rounding
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out.pairs[i * n + j] + out.pairs[j * n + i].transpose());
            out.pairs[i * n + j] = mean;
            out.pairs[j * n + i] = mean.transpose();
        }
    }
    out
}

/// Entries between two nodes.
#[derive(Default)]
struct Blocks {
    /// Of displacements.
    moved: Mat3,
    /// Of rotations.
    turned: Mat3,
}

/// What a node shares with others and itself.
fn node_blocks(mass: &Symmetric, layout: &Layout, node: usize) -> BTreeMap<usize, Blocks> {
    let mut out: BTreeMap<usize, Blocks> = BTreeMap::new();
    for (b, c) in layout.of(node).enumerate() {
        for (i, m) in mass.column(c) {
            let other = layout.start.partition_point(|s| *s <= i) - 1;
            let a = i - layout.start[other];
            let block = out.entry(other).or_default();
            if a < 3 && b < 3 {
                block.moved[(a, b)] += m;
            } else if a >= 3 && b >= 3 {
                block.turned[(a - 3, b - 3)] += m;
            }
        }
    }
    out
}

/// Largest eigenvalue of a block.
fn most(block: &Mat3) -> f64 {
    (0.5 * (block + block.transpose())).symmetric_eigenvalues().max()
}

/// Second moments of mass with the moments of inertia of a node, none of them negative.
fn spread(turning: &Mat3) -> Mat3 {
    let inertia = 0.5 * (turning + turning.transpose());
    let eigen = (Mat3::identity() * (0.5 * inertia.trace()) - inertia).symmetric_eigen();
    let positive = Mat3::from_diagonal(&eigen.eigenvalues.map(|x| x.max(0.0)));
    eigen.eigenvectors * positive * eigen.eigenvectors.transpose()
}

/// The nodes that have names. One without rotations turns as its neighbours do in the mean.
pub(super) fn nodes(
    stiffness: &Symmetric,
    layout: &Layout,
    shapes: &Mat<f64>,
) -> Result<Vec<Node>, FlexError> {
    let n = shapes.ncols();
    let named = (0..layout.len()).filter(|k| !layout.names[*k].is_empty());
    named
        .map(|k| {
            let displacement = (0..n).map(|j| layout.displacement(shapes, k, j)).collect();
            let rotation = match (0..n).map(|j| layout.rotation(shapes, k, j)).collect() {
                Some(rotation) if layout.turns(k) => rotation,
                _ => mean_rotation(stiffness, layout, shapes, k)?,
            };
            Ok(Node {
                name: layout.names[k].clone(),
                at: layout.places[k],
                displacement,
                shortening: Vec::new(),
                rotation,
            })
        })
        .collect()
}

/// Rotations about a node that meet the displacements of its neighbours best (least squares).
fn mean_rotation(
    stiffness: &Symmetric,
    layout: &Layout,
    shapes: &Mat<f64>,
    node: usize,
) -> Result<Vec<Vec3>, FlexError> {
    let neighbours: BTreeSet<usize> = layout
        .of(node)
        .flat_map(|c| stiffness.column(c).filter(|(_, k)| *k != 0.0).map(|(i, _)| i))
        .map(|i| layout.start.partition_point(|s| *s <= i) - 1)
        .filter(|other| *other != node)
        .collect();
    let arms = || neighbours.iter().map(|k| (*k, layout.places[*k] - layout.places[node]));
    let inertia: Mat3 =
        arms().map(|(_, r)| Mat3::identity() * r.norm_squared() - r * r.transpose()).sum();
    let eigen = inertia.symmetric_eigenvalues();
    let inverse = inertia.try_inverse().filter(|_| eigen.min() > FLAT * eigen.max());
    let Some(inverse) = inverse else {
        return Err(FlexError::Matrices(format!(
            "node `{}` has no rotations, and its {} neighbours in the stiffness matrix stand in line with it, so that nothing \
             tells how it turns: give it 6 degrees of freedom, or no name",
            layout.names[node],
            neighbours.len()
        )));
    };
    let one = |j: usize| {
        let own = layout.displacement(shapes, node, j);
        let turned: Vec3 =
            arms().map(|(k, r)| r.cross(&(layout.displacement(shapes, k, j) - own))).sum();
        inverse * turned
    };
    Ok((0..shapes.ncols()).map(one).collect())
}
