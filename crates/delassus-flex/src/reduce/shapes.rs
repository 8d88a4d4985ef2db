//! Component modes of stiffness and mass matrices.

use super::choice::{Boundary, Choice, Keep, Motion};
use super::krylov::{self, Want};
use super::pencil::{Vibrations, vibrations};
use crate::FlexError;
use crate::layout::Layout;
use crate::symmetric::Symmetric;
use faer::Mat;
use faer::linalg::solvers::Solve;
use nalgebra::{Matrix6, Vector6};

/// Eigenvalue of the rigid mass matrix, scaled to ones, below which a motion has no mass: the spin of a beam whose
/// section has no moments of inertia.
const MASSLESS: f64 = 1e-13;
/// Unknowns up to which all modes are computed at once, with full matrices.
const FULL: usize = 400;
/// Force out of the plane, relative to that in it, that is more than rounding.
const OUT_OF_PLANE: f64 = 1e-10;
/// Part of a rigid motion that is left beside those already held, below which an unknown holds nothing new.
const HOLDS: f64 = 1e-6;
/// Largest displacement, relative to the length of the body times the largest rotation, below which a mode only turns.
const ONLY_TURNS: f64 = 1e-3;
/// Part of the stiffness of a mode that may be rounding of the matrix.
const ROUNDING: f64 = 1e-3;
/// Places whose displacements differ by less than this part decide a sign by their order, not by rounding.
const EQUAL: f64 = 1e-6;

/// A finite element model.
pub(crate) struct Elastic<'a> {
    pub k: &'a Symmetric,
    pub m: &'a Symmetric,
    pub layout: &'a Layout,
}

/// Modes in all unknowns, largest displacement 1 m or largest rotation 1 rad, and the node that the frame follows.
pub(crate) fn component_modes(
    a: &Elastic<'_>,
    choice: &Choice,
) -> Result<(Vibrations, Option<usize>), FlexError> {
    let free = a.free(choice.motion)?;
    let (mut modes, held) = match &choice.boundary {
        Boundary::Clamped { at } => {
            let at = a.holding_node(at)?;
            let free: Vec<usize> = without(&free, a.layout.of(at));
            let kept = inner(a, &free, None, &choice.keep, false)?;
            (spread(kept, &free, a.k.size()), Some(at))
        }
        Boundary::Free => (a.free_modes(&free, &choice.keep)?, None),
        Boundary::Interface { nodes } => {
            let (modes, first) = a.interface_modes(&free, nodes, &choice.keep)?;
            (modes, Some(first))
        }
    };
    a.beyond_rounding(&modes)?;
    normalise(&mut modes.shapes, a.layout);
    Ok((modes, held))
}

impl Elastic<'_> {
    /// Unknowns that may move.
    fn free(&self, motion: Motion) -> Result<Vec<usize>, FlexError> {
        let n = self.k.size();
        if motion == Motion::Spatial {
            return Ok((0..n).collect());
        }
        let mut in_plane = vec![false; n];
        for node in 0..self.layout.len() {
            for (a, i) in self.layout.of(node).enumerate() {
                in_plane[i] = matches!(a, 0 | 1 | 5);
            }
        }
        for matrix in [self.k, self.m] {
            let diagonal = matrix.diagonal();
            for j in (0..n).filter(|j| in_plane[*j]) {
                for (i, x) in matrix.column(j).filter(|(i, _)| !in_plane[*i]) {
                    if !(x.abs() <= OUT_OF_PLANE * (diagonal[i] * diagonal[j]).sqrt()) {
                        let node = self.layout.start.partition_point(|s| *s <= j);
                        let text = format!(
                            "the body does not stay in the x-y plane: in node {node} it is bent or twisted out of it; \
                             put it and an axis of its section into the plane, or let it move in space"
                        );
                        return Err(FlexError::Beam(text));
                    }
                }
            }
        }
        Ok((0..n).filter(|i| in_plane[*i]).collect())
    }

    /// Whether the stiffness of modes, of which xᵀ K x = 1 is left, is more than rounding of its parts.
    fn beyond_rounding(&self, modes: &Vibrations) -> Result<(), FlexError> {
        for x in modes.shapes.col_iter() {
            let part = |j: usize| -> f64 {
                self.k.column(j).map(|(i, k)| (k * x[i]).abs()).sum::<f64>() * x[j].abs()
            };
            let residual = f64::EPSILON * (0..self.k.size()).map(part).sum::<f64>();
            if !(residual <= ROUNDING) {
                return Err(FlexError::Rounding { unknowns: self.k.size(), residual });
            }
        }
        Ok(())
    }

    /// The number of a node that can hold a frame.
    fn holding_node(&self, name: &str) -> Result<usize, FlexError> {
        let node = self.layout.node(name)?;
        if self.layout.turns(node) {
            return Ok(node);
        }
        Err(FlexError::Loose(format!(
            "node `{name}` has no rotations, so that a frame cannot follow it alone; take free modes, or a node with 6 \
             degrees of freedom"
        )))
    }

    /// Modes of the free body without rigid motions.
    fn free_modes(&self, free: &[usize], keep: &Keep) -> Result<Vibrations, FlexError> {
        let n = self.k.size();
        let mut rigid = self.layout.rigid_motions(self.layout.mean());
        let mut may = vec![false; n];
        free.iter().for_each(|i| may[*i] = true);
        for i in (0..n).filter(|i| !may[*i]) {
            (0..6).for_each(|j| rigid[(i, j)] = 0.0);
        }
        // a motion of which the plane leaves a part is none of the plane
        if free.len() < n {
            for j in [2, 3, 4] {
                (0..n).for_each(|i| rigid[(i, j)] = 0.0);
            }
        }
        let support = support(&rigid, self.layout);
        let m_rigid = self.m.times(&rigid);
        let inverse = rigid_inverse(&(rigid.transpose() * &m_rigid));
        let free = without(free, support);
        let own = Mat::from_fn(free.len(), 6, |i, j| m_rigid[(free[i], j)]);
        let kept = inner(self, &free, Some((&own, &inverse)), keep, false)?;
        let mut kept = spread(kept, &free, n);
        // twice, so that nothing of rounding is left
        for _ in 0..2 {
            let mean = &inverse * (m_rigid.transpose() * &kept.shapes);
            kept.shapes -= &rigid * mean;
        }
        Ok(kept)
    }

    /// Modes of the body held at the first node, by shapes that the other nodes make and vibrations with all held.
    fn interface_modes(
        &self,
        free: &[usize],
        nodes: &[String],
        keep: &Keep,
    ) -> Result<(Vibrations, usize), FlexError> {
        let Some((first, others)) = nodes.split_first() else {
            return Err(FlexError::Option("an interface needs one node or more".to_owned()));
        };
        let first = self.holding_node(first)?;
        let mut edge = Vec::new();
        for (k, name) in others.iter().enumerate() {
            if nodes[..=k].contains(name) {
                let text = format!("node `{name}` is named twice as an interface");
                return Err(FlexError::Option(text));
            }
            edge.extend(self.layout.of(self.layout.node(name)?));
        }
        let kept = without(free, self.layout.of(first));
        let inside = without(&kept, edge.iter().copied());
        let edge: Vec<usize> = edge.into_iter().filter(|i| free.binary_search(i).is_ok()).collect();
        let fixed = inner(self, &inside, None, keep, true)?;
        let (n, r) = (edge.len(), fixed.frequencies.len());
        // what the inside does when the edge moves by one unit
        let follow = if inside.is_empty() || edge.is_empty() {
            Mat::zeros(inside.len(), n)
        } else {
            let factor = krylov::factor(&self.k.part(&inside))?;
            factor.solve(self.k.block(&inside, &edge)) * faer::Scale(-1.0)
        };
        let mut basis = Mat::zeros(self.k.size(), n + r);
        for (j, &e) in edge.iter().enumerate() {
            basis[(e, j)] = 1.0;
        }
        for (i, &row) in inside.iter().enumerate() {
            for j in 0..n {
                basis[(row, j)] = follow[(i, j)];
            }
            for j in 0..r {
                basis[(row, n + j)] = fixed.shapes[(i, j)];
            }
        }
        let k = basis.transpose() * self.k.times(&basis);
        let m = basis.transpose() * self.m.times(&basis);
        let own = vibrations(&k, &m)?;
        if own.frequencies.len() < basis.ncols() {
            return Err(FlexError::MasslessShape(others.first().cloned().unwrap_or_default()));
        }
        Ok((Vibrations { frequencies: own.frequencies, shapes: basis * own.shapes }, first))
    }
}

/// Vibrations in some unknowns; where the mean motion is taken out, with M R and (Rᵀ M R)⁻¹: M − M R (Rᵀ M R)⁻¹ Rᵀ M.
fn inner(
    a: &Elastic<'_>,
    free: &[usize],
    mean: Option<(&Mat<f64>, &Mat<f64>)>,
    keep: &Keep,
    or_none: bool,
) -> Result<Vibrations, FlexError> {
    let without_mean = |x: Mat<f64>, of: &Mat<f64>| match mean {
        Some((own, inverse)) => x - own * (inverse * (own.transpose() * of)),
        None => x,
    };
    let all = if free.len() <= FULL {
        let m = match mean {
            Some((own, inverse)) => a.m.block(free, free) - own * inverse * own.transpose(),
            None => a.m.block(free, free),
        };
        vibrations(&a.k.block(free, free), &m)?
    } else {
        if let Keep::Lowest(asked) = keep
            && *asked > free.len()
        {
            return Err(FlexError::TooManyModes {
                asked: *asked,
                there: free.len(),
                freedoms: free.len(),
                massless: String::new(),
            });
        }
        let m = a.m.part(free);
        let want = match keep {
            Keep::Lowest(0) => None,
            Keep::Lowest(n) => Some(Want::Lowest(*n)),
            Keep::Below(limit) => Some(Want::Below(*limit)),
            Keep::Numbers(list) => list.iter().max().map(|n| Want::Lowest(*n)),
        };
        match want {
            Some(want) => krylov::lowest(&a.k.part(free), |x| without_mean(m.times(x), x), want)?,
            None => Vibrations { frequencies: Vec::new(), shapes: Mat::zeros(free.len(), 0) },
        }
    };
    Ok(chosen(&all, &keep.of(&all.frequencies, free.len(), or_none)?))
}

/// Members of a sorted list that are not held.
fn without(free: &[usize], held: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let held: std::collections::BTreeSet<usize> = held.into_iter().collect();
    free.iter().copied().filter(|i| !held.contains(i)).collect()
}

/// Unknowns that hold the body without deforming it: one after the other that which moves most in what is left.
fn support(rigid: &Mat<f64>, layout: &Layout) -> Vec<usize> {
    let n = rigid.nrows();
    let arm = layout.reach().max(f64::MIN_POSITIVE);
    // rotations in units of displacements, among motions and among unknowns
    let motion = |j: usize| if j < 3 { 1.0 } else { 1.0 / arm };
    let mut unknown = vec![1.0; n];
    for node in 0..layout.len() {
        layout.of(node).skip(3).for_each(|i| unknown[i] = arm);
    }
    let mut left = Mat::from_fn(n, 6, |i, j| rigid[(i, j)] * motion(j) * unknown[i]);
    let mut out: Vec<usize> = Vec::new();
    for _ in 0..6 {
        let size = |i: usize| (0..6).map(|j| left[(i, j)].powi(2)).sum::<f64>().sqrt();
        let Some(best) = (0..n).max_by(|a, b| size(*a).total_cmp(&size(*b)).then(b.cmp(a))) else {
            break;
        };
        let length = size(best);
        if length < HOLDS {
            break;
        }
        let direction: Vec<f64> = (0..6).map(|j| left[(best, j)] / length).collect();
        out.push(best);
        for i in 0..n {
            let part: f64 = (0..6).map(|j| left[(i, j)] * direction[j]).sum();
            (0..6).for_each(|j| left[(i, j)] -= part * direction[j]);
        }
    }
    out
}

fn chosen(all: &Vibrations, which: &[usize]) -> Vibrations {
    Vibrations {
        frequencies: which.iter().map(|k| all.frequencies[*k]).collect(),
        shapes: Mat::from_fn(all.shapes.nrows(), which.len(), |i, j| all.shapes[(i, which[j])]),
    }
}

/// With zeros where nothing moves.
fn spread(v: Vibrations, free: &[usize], n: usize) -> Vibrations {
    let mut shapes = Mat::zeros(n, v.shapes.ncols());
    for (i, &row) in free.iter().enumerate() {
        for j in 0..v.shapes.ncols() {
            shapes[(row, j)] = v.shapes[(i, j)];
        }
    }
    Vibrations { frequencies: v.frequencies, shapes }
}

/// (Rᵀ M R)⁻¹, zero for motions without mass.
fn rigid_inverse(m: &Mat<f64>) -> Mat<f64> {
    let diagonal = |i: usize| if m[(i, i)] > 0.0 { 1.0 / m[(i, i)].sqrt() } else { 0.0 };
    let unit = Vector6::from_fn(|i, _| diagonal(i));
    let scaled = Matrix6::from_fn(|i, j| m[(i, j)] * unit[i] * unit[j]);
    let eigen = scaled.symmetric_eigen();
    let inverse = eigen.eigenvalues.map(|x| if x > MASSLESS { 1.0 / x } else { 0.0 });
    let full =
        eigen.eigenvectors * Matrix6::from_diagonal(&inverse) * eigen.eigenvectors.transpose();
    Mat::from_fn(6, 6, |i, j| full[(i, j)] * unit[i] * unit[j])
}

/// Largest displacement 1 m, or rotation 1 rad; positive in its largest component.
fn normalise(shapes: &mut Mat<f64>, layout: &Layout) {
    let reach = layout.reach();
    for j in 0..shapes.ncols() {
        let largest = |turned: bool| {
            let at = |k: usize| {
                let zero = delassus_math::Vec3::zeros();
                if turned {
                    layout.rotation(shapes, k, j).unwrap_or(zero)
                } else {
                    layout.displacement(shapes, k, j)
                }
            };
            let size = delassus_math::largest((0..layout.len()).map(|k| at(k).norm()));
            let first = (0..layout.len()).find(|k| at(*k).norm() >= (1.0 - EQUAL) * size);
            let at = at(first.unwrap_or(0));
            let most = at.amax();
            let sign = at.iter().find(|x| x.abs() >= (1.0 - EQUAL) * most).copied();
            (size, sign.unwrap_or(1.0).signum())
        };
        let (moved, turned) = (largest(false), largest(true));
        let (size, sign) = if moved.0 >= ONLY_TURNS * reach * turned.0 { moved } else { turned };
        for i in 0..shapes.nrows() {
            shapes[(i, j)] *= sign / size;
        }
    }
}
