//! The jump of the velocity when points meet.
//!
//! ```text
//! v⁺ = v⁻ + A⁻¹Hᵀ P,  u⁺ = u⁻ + W P        joints are inside A⁻¹ and take their own impulses
//! ```
//!
//! - `moreau`: Newton's law for all points at once, 0 ≤ P_N ⊥ u_N⁺ + e u_N⁻ ≥ 0.
//! - `poisson`: compression, then impulses of restitution.
//! - `energetic`: one point, with the work of the normal force (Stronge).
//! - `sequential`: one point after another, by falling speed of approach.
//!
//! Every impact is audited: for e ≤ 1 none may leave more kinetic energy than there was. The
//! known laws do not promise that for friction or different coefficients (Kane's example). Where
//! one gains, its restitution is reduced until it does not, which is told in [`Impact::softened`].

mod energetic;
mod moreau;
mod poisson;
mod sequential;

use crate::response::Response;
use delassus_cone as cone;
use delassus_dae::{Law, PointId, RestitutionLaw};
use thiserror::Error;

/// A jump of the velocity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Impact {
    /// Impulses, row by row of the response.
    pub impulse: Vec<f64>,
    /// u⁻.
    pub before: Vec<f64>,
    /// u⁺.
    pub after: Vec<f64>,
    /// Kinetic energy after minus before, J.
    pub energy: f64,
    /// Factor on all coefficients of restitution that kept the energy from growing; 1 where
    /// nothing had to be done.
    pub softened: f64,
}

/// Why there is no jump.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ImpactError {
    /// The laws could not be fulfilled.
    #[error("no impulses fulfil the laws of impact at {} points ({status})", points.len())]
    NoSolution {
        /// Points that take part.
        points: Vec<PointId>,
        /// What the solver said.
        status: String,
    },
}

/// Residual at which impulses are accepted, relative.
const RESIDUAL: f64 = 1e-10;
/// Growth of the kinetic energy that is round-off, relative to what the impulses move.
const ROUND_OFF: f64 = 1e-13;
/// Bisections of the factor on restitution.
const HALVINGS: u32 = 40;

/// Finds the jump at velocities u⁻ = `before` of the members of the response.
pub fn resolve(
    r: &Response,
    before: &[f64],
    one_by_one: bool,
    ws: &mut cone::Workspace,
) -> Result<Impact, ImpactError> {
    let attempt = |factor: f64, ws: &mut cone::Workspace| -> Result<Impact, ImpactError> {
        let impulse = by_law(r, before, one_by_one, factor, ws)?;
        let mut after = before.to_vec();
        r.add_product(&impulse, &mut after);
        let energy = r.energy_of_impulse(before, &after, &impulse);
        Ok(Impact { impulse, before: before.to_vec(), after, energy, softened: factor })
    };
    let gains = |i: &Impact| {
        let moved: f64 = i.impulse.iter().zip(&i.before).map(|(p, u)| (p * u).abs()).sum::<f64>();
        i.energy > ROUND_OFF * moved
    };
    let full = attempt(1.0, ws)?;
    if !gains(&full) {
        return Ok(full);
    }
    let (mut lo, mut hi) = (0.0, 1.0);
    let mut best = attempt(0.0, ws)?;
    for _ in 0..HALVINGS {
        let mid = 0.5 * (lo + hi);
        let i = attempt(mid, ws)?;
        if gains(&i) {
            hi = mid;
        } else {
            lo = mid;
            best = i;
        }
    }
    Ok(best)
}

/// Impulses by the laws of the points, all coefficients of restitution times `factor`.
fn by_law(
    r: &Response,
    before: &[f64],
    one_by_one: bool,
    factor: f64,
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let has = |law: RestitutionLaw| {
        r.members.iter().any(
            |m| matches!(m.law, Law::Contact { restitution, .. } if restitution.law == law && restitution.e > 0.0),
        )
    };
    if one_by_one || has(RestitutionLaw::Energetic) {
        sequential::impulses(r, before, factor, ws)
    } else if has(RestitutionLaw::Poisson) {
        poisson::impulses(r, before, factor, ws)
    } else {
        moreau::impulses(r, before, factor, ws)
    }
}

/// Solves W P + b for laws; the members of the response are named where there is no solution.
fn solve(
    r: &Response,
    (w, b): (&[f64], &[f64]),
    laws: &[cone::Law],
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let mut p = vec![0.0; b.len()];
    let problem = cone::DenseProblem { w, b, laws };
    let settings = cone::Settings { tolerance: RESIDUAL, ..Default::default() };
    let report = cone::solve(&problem, &mut p, &settings, ws);
    if report.status == cone::Status::Solved {
        return Ok(p);
    }
    Err(ImpactError::NoSolution {
        points: r.members.iter().map(|m| m.id).collect(),
        status: format!("{:?}, residual {:.1e}", report.status, report.residual),
    })
}

/// Laws of all rows for impulses. Dry friction in joints is finite and has no impulse.
fn laws(r: &Response) -> Vec<cone::Law> {
    r.members
        .iter()
        .map(|m| match m.law {
            Law::Contact { mu, tangential, .. } if tangential > 0 => {
                cone::Law::Coulomb { mu, tangential }
            }
            Law::Contact { .. } | Law::OneWay => cone::Law::Unilateral,
            Law::DryFriction { .. } => cone::Law::Interval { lo: 0.0, hi: 0.0 },
        })
        .collect()
}

/// Coefficient of restitution of a member.
fn coefficient(law: &Law) -> f64 {
    match law {
        Law::Contact { restitution, .. } => restitution.e,
        Law::OneWay | Law::DryFriction { .. } => 0.0,
    }
}
