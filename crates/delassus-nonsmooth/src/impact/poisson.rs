//! Poisson's law: a phase of compression, then one of restitution.
//!
//! Compression ends with u_N ≥ 0 ⊥ P_C ≥ 0 at all points. In restitution each point gives back at
//! least e P_C; what it gives more is there to keep the points from meeting again,
//! 0 ≤ (P_N − e P_C) ⊥ u_N⁺ ≥ 0. Friction acts in both phases, bounded by the normal impulse of
//! the phase.

use super::{ImpactError, coefficient, laws, solve};
use crate::response::Response;
use delassus_cone as cone;
use delassus_dae::Law;

/// Rounds in which the bound of friction follows the normal impulse of restitution.
const ROUNDS: usize = 60;

pub(super) fn impulses(
    r: &Response,
    before: &[f64],
    factor: f64,
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let compression = solve(r, before, &laws(r), ws)?;
    let mut u = before.to_vec();
    r.add_product(&compression, &mut u);
    // given back at least
    let mut back = vec![0.0; r.n];
    for m in &r.members {
        back[m.row] = factor * coefficient(&m.law) * compression[m.row];
    }
    r.add_product(&back, &mut u);
    // what comes on top: unilateral in the normals; friction bounded by the normal impulse of
    // this phase, which is found by repetition
    let mut normal = back.clone();
    let mut last = vec![0.0; r.n];
    for _ in 0..ROUNDS {
        let mut bounded = Vec::with_capacity(r.n);
        for m in &r.members {
            match m.law {
                Law::Contact { mu, tangential, .. } => {
                    bounded.push(cone::Law::Unilateral);
                    let limit = mu * normal[m.row];
                    for _ in 0..tangential {
                        bounded.push(cone::Law::Interval { lo: -limit, hi: limit });
                    }
                }
                Law::OneWay => bounded.push(cone::Law::Unilateral),
                Law::DryFriction { .. } => bounded.push(cone::Law::Interval { lo: 0.0, hi: 0.0 }),
            }
        }
        let x = solve(r, &u, &bounded, ws)?;
        let change: f64 = x.iter().zip(&last).map(|(a, b)| (a - b).abs()).sum();
        let size: f64 = x.iter().chain(&back).map(|a| a.abs()).sum();
        for m in &r.members {
            normal[m.row] = back[m.row] + x[m.row];
        }
        last = x;
        if change <= 1e-13 * size {
            break;
        }
    }
    Ok((0..r.n).map(|i| compression[i] + back[i] + last[i]).collect())
}
