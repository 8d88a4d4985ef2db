//! The equations next to a state: exact tangents, the independent rows, and what moving axes add.
//!
//! A variation δ moves the configuration to q ∘ exp(δ), w is that of the velocity. Seen from axes in which the state is
//! steady (`steady.rs`),
//!
//! ```text
//! δ̇ = w − N δ
//! M (ẇ + B w) + C w + K δ − F_z ζ − Gᵀ δλ = 0
//! ζ̇ = Z_q δ + Z_v w + Z_z ζ
//! G δ = 0   (position rows)      G_r w + D δ = 0   (rows that exist for velocities only)
//! ```
//!
//! K holds the curvature of all constraints with their multipliers, and the centrifugal terms. D = ∂(G_r v)/∂ξ follows from K
//! too: K is linear in λ, and its part of row r is −∂(G_rᵀ)/∂ξ.

use super::matrices::Sparse;
use super::steady::MovingAxes;
use crate::failure::StepFailure;
use crate::problem::{Problem, Quality, StateSlopes, at};
use crate::state::State;
use delassus_linalg::{KktError, rank, rank_tol};
use thiserror::Error;

/// Why there are no tangents.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LinearError {
    /// Nothing can move.
    #[error("no degree of freedom is left")]
    NoFreedom,
    /// A direction that can move has neither mass nor stiffness.
    #[error("coordinate {0} can move, but has neither mass nor stiffness")]
    Undetermined(usize),
    /// Matrices could not be solved with.
    #[error("{0}")]
    Kkt(#[from] KktError),
    /// The state could not be evaluated.
    #[error("{0}")]
    Step(#[from] StepFailure),
    /// What was asked for is not made for rolling.
    #[error("rows that exist for velocities only (rolling) are not part of this analysis")]
    Rolling,
    /// Too large for full matrices.
    #[error("the model has more than {0} velocities, too many for full matrices")]
    TooLarge(usize),
    /// An undamped vibration has the frequency of the force.
    #[error("the force has the frequency of a vibration without damping")]
    Resonance,
    /// Eigenvalues did not converge.
    #[error("the eigenvalues did not converge")]
    Eigenvalues,
}

/// The equations next to a state; see the head of this file.
#[derive(Debug, Clone)]
pub struct Linearised {
    /// M.
    pub mass: Sparse,
    /// C.
    pub damping: Sparse,
    /// K.
    pub stiffness: Sparse,
    /// N and B of the moving axes.
    pub axes: MovingAxes,
    /// G, the independent rows of position level.
    pub rows: Sparse,
    /// G_r, the independent rows that exist for velocities only.
    pub rolling: Sparse,
    /// D, in the order of G_r.
    pub drift: Sparse,
    /// Derivatives of the auxiliary states that forces follow, which are numbered anew.
    pub states: StateSlopes,
    /// Which auxiliary states these are.
    pub live: Vec<usize>,
    /// Sizes of the coordinates.
    pub scale: Vec<f64>,
    /// All terms of K and C are there.
    pub exact: bool,
    /// Directions that the rows hold here.
    pub rank: usize,
}

/// Tangents at a state with accelerations a and multipliers λ. `axes` are those in which the state is steady.
pub fn linearise<P: Problem>(
    p: &P,
    s: &State,
    a: &[f64],
    lambda: &[f64],
    axes: MovingAxes,
) -> Result<Linearised, LinearError> {
    let d = p.dims();
    let structure = p.structure();
    let mut ws = p.workspace();
    let e = at(p, &mut ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
    let mut mass_values = vec![0.0; structure.mass.value_len()];
    e.mass(&mut mass_values);
    let mut jac = vec![0.0; structure.jac.nnz()];
    e.jacobian(&mut jac);
    let nnz = structure.tangent.nnz();
    let tangent = |lambda: &[f64], ck: f64, cc: f64| {
        let mut values = vec![0.0; nnz];
        let quality = e.tangent(a, lambda, ck, cc, &mut values);
        (values, quality)
    };
    let (k, quality) = tangent(lambda, 1.0, 0.0);
    let (c, _) = tangent(lambda, 0.0, 1.0);
    let entries: Vec<(usize, usize, f64)> =
        structure.mass.entries().zip(&mass_values).map(|((i, j), x)| (i, j, *x)).collect();
    let mass = Sparse::from_entries(d.nv, d.nv, &entries)?;
    let damping = Sparse { pattern: structure.tangent.clone(), values: c };
    let mut stiffness = Sparse { pattern: structure.tangent.clone(), values: k };

    // independent rows, here
    let scales = p.scales();
    let blocks = structure.mass.sizes();
    let ranked =
        rank::row_rank_of_blocks(&structure.jac, &jac, Some(&scales.q), blocks, rank_tol::ROWS)?;
    let dependent: Vec<usize> = ranked.dependent.iter().map(|r| r.row).collect();
    let kept = |from: usize, to: usize| (from..to).filter(|i| dependent.binary_search(i).is_err());
    let pick = |rows: &[usize]| {
        let mut out = Vec::new();
        for (k, i) in rows.iter().enumerate() {
            for s in structure.jac.row_ptr[*i]..structure.jac.row_ptr[*i + 1] {
                out.push((k, structure.jac.col[s], jac[s]));
            }
        }
        Sparse::from_entries(rows.len(), d.nv, &out)
    };
    let rows = pick(&kept(0, d.n_pos).collect::<Vec<_>>())?;
    let rolling_rows: Vec<usize> = kept(d.n_pos, d.n_vel).collect();
    let rolling = pick(&rolling_rows)?;
    let moves = s.v.iter().any(|v| *v != 0.0);
    let mut drift = Vec::new();
    if moves {
        // of the size of K, so that rounding of K does not hide it
        let size = stiffness.largest().max(f64::MIN_POSITIVE);
        let mut pushed = lambda.to_vec();
        for (k, &i) in rolling_rows.iter().enumerate() {
            pushed.copy_from_slice(lambda);
            pushed[i] = lambda[i] + size;
            let (plus, _) = tangent(&pushed, 1.0, 0.0);
            pushed[i] = lambda[i] - size;
            let (minus, _) = tangent(&pushed, 1.0, 0.0);
            let t = &structure.tangent;
            for r in 0..d.nv {
                if s.v[r] == 0.0 {
                    continue;
                }
                for slot in t.row_ptr[r]..t.row_ptr[r + 1] {
                    let slope = -(plus[slot] - minus[slot]) / (2.0 * size);
                    drift.push((k, t.col[slot], s.v[r] * slope));
                }
            }
        }
    }
    let drift = Sparse::from_entries(rolling_rows.len(), d.nv, &drift)?;

    // what the tangent of a mode leaves out
    let mut rest = Vec::new();
    let quality = p.left_out(&ws, lambda, quality, &mut |i, j, x| rest.push((i, j, x)));
    if !rest.is_empty() {
        rest.extend(stiffness.entries());
        stiffness = Sparse::from_entries(d.nv, d.nv, &rest)?;
    }

    let mut all = StateSlopes::default();
    p.state_slopes(&ws, &mut all);
    let (states, live) = renumbered(&all);
    Ok(Linearised {
        mass,
        damping,
        stiffness,
        axes,
        rows,
        rolling,
        drift,
        states,
        live,
        scale: scales.q,
        exact: quality == Quality::Exact,
        rank: ranked.rank,
    })
}

/// Auxiliary states that forces follow, numbered from zero.
fn renumbered(all: &StateSlopes) -> (StateSlopes, Vec<usize>) {
    let mut live: Vec<usize> = all.force_by_z.iter().map(|e| e.1).collect();
    live.sort_unstable();
    live.dedup();
    let number = |z: usize| live.binary_search(&z).ok();
    let by_first = |list: &[(usize, usize, f64)]| {
        list.iter().filter_map(|&(z, j, x)| Some((number(z)?, j, x))).collect()
    };
    let states = StateSlopes {
        force_by_z: all
            .force_by_z
            .iter()
            .filter_map(|&(i, z, x)| Some((i, number(z)?, x)))
            .collect(),
        rate_by_q: by_first(&all.rate_by_q),
        rate_by_v: by_first(&all.rate_by_v),
        rate_by_z: all
            .rate_by_z
            .iter()
            .filter_map(|&(y, z, x)| Some((number(y)?, number(z)?, x)))
            .collect(),
    };
    (states, live)
}

impl Linearised {
    /// Velocities.
    pub fn nv(&self) -> usize {
        self.mass.pattern.nrows
    }

    /// The same without what is lost or fed in: C keeps its gyroscopic (skew) part, auxiliary states are held.
    pub fn undamped(mut self) -> Result<Linearised, KktError> {
        let n = self.nv();
        let mut skew = Vec::new();
        for (i, j, x) in self.damping.entries() {
            skew.push((i, j, 0.5 * x));
            skew.push((j, i, -0.5 * x));
        }
        self.damping = Sparse::from_entries(n, n, &skew)?;
        self.states = StateSlopes::default();
        self.live.clear();
        Ok(self)
    }

    /// K + (C + M B) N: what a displacement does that stays as it is in the moving axes.
    pub(super) fn turning_stiffness(&self) -> Result<Sparse, KktError> {
        let n = self.nv();
        let mut speed: Vec<_> = self.damping.entries().collect();
        speed.extend(self.mass.times(&self.axes.b)?.entries());
        let speed = Sparse::from_entries(n, n, &speed)?;
        let mut out: Vec<_> = self.stiffness.entries().collect();
        out.extend(speed.times(&self.axes.n)?.entries());
        Sparse::from_entries(n, n, &out)
    }

    /// C + M B + M N: what its rate does there.
    pub(super) fn turning_damping(&self) -> Result<Sparse, KktError> {
        let n = self.nv();
        let mut out: Vec<_> = self.damping.entries().collect();
        out.extend(self.mass.times(&self.axes.b)?.entries());
        out.extend(self.mass.times(&self.axes.n)?.entries());
        Sparse::from_entries(n, n, &out)
    }

    /// ∂f/∂z of the live states.
    pub(super) fn force_by_z(&self) -> Result<Sparse, KktError> {
        Sparse::from_entries(self.nv(), self.live.len(), &self.states.force_by_z)
    }

    /// ∂ż/∂ξ, ∂ż/∂v, ∂ż/∂z of the live states.
    pub(super) fn rates(&self) -> Result<[Sparse; 3], KktError> {
        let (z, n) = (self.live.len(), self.nv());
        Ok([
            Sparse::from_entries(z, n, &self.states.rate_by_q)?,
            Sparse::from_entries(z, n, &self.states.rate_by_v)?,
            Sparse::from_entries(z, z, &self.states.rate_by_z)?,
        ])
    }
}
