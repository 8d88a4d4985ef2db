//! Finite element models that other programs made, as matrices.
//!
//! Owns: texts of matrices and nodes (`market.rs`, `nodes.rs`), what of them cannot belong to a free body, and the
//! integrals that follow from a mass matrix (`inertia.rs`). The component modes are those of `crate::reduce`.

mod inertia;
mod market;
mod nodes;
#[cfg(test)]
mod tests;

pub use nodes::MatrixNode;

use crate::layout::Layout;
use crate::reduce::{Choice, Elastic, component_modes, set_matrices};
use crate::symmetric::Symmetric;
use crate::{FlexError, Modal};
use delassus_math::{Mat3, largest, so3};
use faer::Mat;
use market::Entries;

/// Names of the files of a model in a folder: mass matrix, stiffness matrix, nodes.
pub const FILES: [&str; 3] = ["mass.mtx", "stiffness.mtx", "nodes.csv"];

/// Difference of an entry from its mirror image, relative to its row and column, that is more than rounding in a file
/// with nine digits.
const ASYMMETRY: f64 = 1e-8;
/// Force of a rigid motion, relative to the forces that its displacements of single nodes make, that is more than
/// rounding in a file with nine digits.
const RIGID: f64 = 1e-7;
/// Part by which masses along the axes may differ, and inertia may be unlike that of a rigid body.
const UNLIKE: f64 = 1e-6;

/// A free, unloaded body as a finite element model: M ü + K u = 0 with three displacements of each node, and three
/// rotations after them where it has them.
#[derive(Debug, Clone)]
pub struct FiniteElements {
    mass: Symmetric,
    stiffness: Symmetric,
    layout: Layout,
}

impl FiniteElements {
    /// Reads the texts of the files named in [`FILES`] and checks them.
    pub fn parse(mass: &str, stiffness: &str, nodes: &str) -> Result<FiniteElements, FlexError> {
        let nodes = nodes::parse(FILES[2], nodes)?;
        let layout = Layout::new(nodes.into_iter().map(|n| (n.name, n.at, n.dofs)));
        if layout.len() == 0 {
            return Err(FlexError::Matrices(format!("{} has no nodes", FILES[2])));
        }
        layout.check()?;
        let matrix = |file: &str, text: &str| {
            symmetric(file, market::parse(file, text)?, layout.unknowns(), layout.len())
        };
        let mass = matrix(FILES[0], mass)?;
        let stiffness = matrix(FILES[1], stiffness)?;
        let out = FiniteElements { mass, stiffness, layout };
        out.check()?;
        Ok(out)
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.layout.unknowns()
    }

    fn check(&self) -> Result<(), FlexError> {
        for (file, matrix) in [(FILES[0], &self.mass), (FILES[1], &self.stiffness)] {
            if let Some(k) = matrix.diagonal().iter().position(|x| *x < 0.0) {
                let text = format!(
                    "{file}: entry ({0}, {0}) on the diagonal is {1}, but none may be negative",
                    k + 1,
                    matrix.entry(k, k)
                );
                return Err(FlexError::Matrices(text));
            }
        }
        let rigid = self.layout.rigid_motions(self.layout.mean());
        self.check_rigid_mass(&rigid)?;
        self.check_rigid_force(&rigid)
    }

    /// Rigid motions have the inertia of a rigid body.
    fn check_rigid_mass(&self, rigid: &Mat<f64>) -> Result<(), FlexError> {
        let m = rigid.transpose() * self.mass.times(rigid);
        let along = [m[(0, 0)], m[(1, 1)], m[(2, 2)]];
        let mass = along.iter().sum::<f64>() / 3.0;
        if along.iter().any(|x| !(*x > 0.0)) {
            return Err(FlexError::Mass(along.iter().copied().fold(f64::MAX, f64::min)));
        }
        if along.iter().any(|x| (x - mass).abs() > UNLIKE * mass) {
            let [x, y, z] = along;
            let text = format!(
                "the mass is {x} kg along x, {y} kg along y and {z} kg along z: all displacements of a node stand together, \
                 node after node (x, y, z, then rotations), and no unknown may be missing"
            );
            return Err(FlexError::Matrices(text));
        }
        let block = |r: usize, c: usize| Mat3::from_fn(|i, j| m[(r + i, c + j)]);
        let size = mass * self.layout.reach().max(f64::MIN_POSITIVE);
        let offset = block(3, 0);
        let symmetric = 0.5 * (offset + offset.transpose());
        if !(symmetric.amax() <= UNLIKE * size) {
            return Err(FlexError::Matrices(
                "the mass matrix does not see a rotation of the nodes as that of a rigid body: places of nodes, order of \
                 unknowns, or units of rotations (rad) are not those of the matrices"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Rigid motions make no force.
    fn check_rigid_force(&self, rigid: &Mat<f64>) -> Result<(), FlexError> {
        let motions = [
            "a displacement along x",
            "a displacement along y",
            "a displacement along z",
            "a rotation about x",
            "a rotation about y",
            "a rotation about z",
        ];
        let n = self.unknowns();
        let force = self.stiffness.times(rigid);
        for (j, motion) in motions.iter().enumerate() {
            // what each unknown would feel of its neighbours, without signs
            let mut size = vec![0.0; n];
            for c in 0..n {
                let x = rigid[(c, j)];
                self.stiffness.column(c).for_each(|(i, k)| size[i] += (k * x).abs());
            }
            let most = largest(size.iter().copied());
            let worst = (0..n).max_by(|a, b| force[(*a, j)].abs().total_cmp(&force[(*b, j)].abs()));
            let Some(worst) = worst.filter(|i| force[(*i, j)].abs() > RIGID * most) else {
                continue;
            };
            let node = self.layout.start.partition_point(|s| *s <= worst);
            let text = format!(
                "{motion} of the whole body makes a force of {:.3e}, most in node {node} (row {}), where single displacements \
                 make {most:.3e}: the matrix holds a support, or places of nodes, order of unknowns or units are not those \
                 of {}",
                force[(worst, j)],
                worst + 1,
                FILES[1]
            );
            return Err(FlexError::Matrices(text));
        }
        Ok(())
    }
}

/// The body that a finite element model is by its modes. They are scaled as those of [`crate::reduce`].
///
/// Mass, mass centre, J_0, s_i, h_i and M are those of the mass matrix. How they change with q is exact for solid
/// elements (mass between nodes the same along x, y and z); where nodes have rotations their moments of inertia are
/// summed up in the nodes. There is no shortening.
pub fn reduce(model: &FiniteElements, choice: &Choice) -> Result<Modal, FlexError> {
    if choice.shortening {
        return Err(FlexError::Option(
            "matrices do not tell how a body shortens when it bends: turn the shortening off, or describe it as a beam"
                .to_owned(),
        ));
    }
    let FiniteElements { mass, stiffness, layout } = model;
    let elastic = Elastic { k: stiffness, m: mass, layout };
    let (modes, _) = component_modes(&elastic, choice)?;
    let mut modal = inertia::modal(mass, layout, &modes.shapes);
    set_matrices(&mut modal, &modes.frequencies, &choice.damping)?;
    modal.nodes = inertia::nodes(stiffness, layout, &modes.shapes)?;
    Ok(modal)
}

/// A matrix of so many unknowns with both halves.
fn symmetric(
    file: &str,
    entries: Entries,
    unknowns: usize,
    nodes: usize,
) -> Result<Symmetric, FlexError> {
    let Entries { rows, cols, symmetric, list } = entries;
    if rows != unknowns || cols != unknowns {
        let text = format!(
            "{file} has {rows} rows and {cols} columns, but the {nodes} nodes of {} have {unknowns} degrees of freedom",
            FILES[2]
        );
        return Err(FlexError::Matrices(text));
    }
    let key = |i: usize, j: usize| if symmetric { (i.max(j), i.min(j)) } else { (i, j) };
    let mut all: Vec<((usize, usize), f64)> =
        list.into_iter().map(|(i, j, x)| (key(i, j), x)).collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    if let Some(pair) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (i, j) = pair[0].0;
        let text = format!("{file}: entry ({}, {}) stands there twice", i + 1, j + 1);
        return Err(FlexError::Matrices(text));
    }
    if symmetric {
        let both = all.into_iter().flat_map(|((i, j), x)| {
            let mirrored = (i != j).then_some((j, i, x));
            std::iter::once((i, j, x)).chain(mirrored)
        });
        return Ok(Symmetric::new(unknowns, both.collect()));
    }
    let mut largest = vec![0.0f64; unknowns];
    for ((i, j), x) in &all {
        largest[*i] = largest[*i].max(x.abs());
        largest[*j] = largest[*j].max(x.abs());
    }
    let mut out = Vec::with_capacity(all.len());
    for &((i, j), one) in &all {
        let mirrored = all.binary_search_by_key(&(j, i), |(key, _)| *key);
        let other = mirrored.map_or(0.0, |at| all[at].1);
        if !((one - other).abs() <= ASYMMETRY * largest[i].max(largest[j])) {
            let what = file.to_owned();
            return Err(FlexError::NotSymmetric { what, row: i + 1, col: j + 1, one, other });
        }
        let mean = 0.5 * (one + other);
        out.push((i, j, mean));
        if mirrored.is_err() {
            out.push((j, i, mean));
        }
    }
    Ok(Symmetric::new(unknowns, out))
}

/// J about the origin from that about a point, both of a rigid mass matrix: with the first moment about the point.
pub(super) fn about_origin(
    mass: f64,
    first: delassus_math::Vec3,
    j: Mat3,
    point: delassus_math::Vec3,
) -> Mat3 {
    // p = point + r: ∫ p̂ᵀ p̂ dm = m âᵀâ + âᵀ ŝ + ŝᵀ â + J
    let (a, s) = (so3::hat(&point), so3::hat(&first));
    mass * a.transpose() * a + a.transpose() * s + s.transpose() * a + j
}
