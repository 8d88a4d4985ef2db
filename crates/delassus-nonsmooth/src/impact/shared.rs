//! Impulses of points that share them in many ways.
//!
//! How they share affects the motion where friction, or restitution by impulses, depends on the impulse of each point:
//! like forces, impulses are spread evenly (`even.rs`). That leaves rates of the size of the residual where there
//! should be none, and a remaining rate becomes an event later on. So the rates that should vanish are made to, by one
//! linear correction of the impulses, as small as the residual.

use super::{ImpactError, Meeting, RESIDUAL, laws, solve};
use crate::basic::BasicSolver;
use crate::even;
use delassus_cone as cone;
use delassus_dae::{PointLaw, RestitutionLaw};
use delassus_math::largest;

/// Whether friction, or restitution by impulses, depends on the impulse of its own point.
pub(super) fn has_shares(law: &PointLaw) -> bool {
    matches!(law, PointLaw::Contact { mu, restitution, .. }
        if *mu > 0.0 || restitution.law != RestitutionLaw::Newton)
}

/// Solves the problem of a meeting; where points share impulses in many ways, evenly.
pub(super) fn solve_shared(
    m: &Meeting,
    b: &[f64],
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let laws = laws(m);
    if m.shares {
        let problem = cone::DenseProblem { w: &m.w, b, laws: &laws };
        let settings = cone::Settings { tolerance: RESIDUAL, ..Default::default() };
        let (mut p, mut scratch) = (vec![0.0; m.n], even::Scratch::default());
        let report = even::solve(&problem, &m.per_metre, true, &settings, &mut p, ws, &mut scratch);
        if report.status == cone::Status::Solved {
            let cleaned = clean(m, b, &p);
            let holds = cone::natural_residual(&problem, &cleaned, ws) <= RESIDUAL;
            return Ok(if holds { cleaned } else { p });
        }
    }
    solve(m, (&m.w, b), &laws, ws)
}

/// A row whose rate vanishes, and the impulse that holds it: along its own row, and for a sliding normal also along the
/// tangents.
struct Held {
    row: usize,
    along: [f64; 3],
}

/// Impulses without the solver's residue in rates that vanish, and in impulses of points that leave.
fn clean(m: &Meeting, b: &[f64], p: &[f64]) -> Vec<f64> {
    let (held, mut p) = held_rows(m, b, p);
    let mut u = b.to_vec();
    m.add_product(&p, &mut u);
    let mut system = BasicSolver::new(held.len());
    for (i, to) in held.iter().enumerate() {
        let w = &m.w[to.row * m.n..(to.row + 1) * m.n];
        system.x[i] = -u[to.row];
        for (j, by) in held.iter().enumerate() {
            let acts = w[by.row..].iter().zip(by.along);
            system.w[i * held.len() + j] = acts.map(|(w, a)| w * a).sum();
        }
    }
    system.solve();
    for (x, by) in system.x.iter().zip(&held) {
        for (p, a) in p[by.row..].iter_mut().zip(by.along) {
            *p += a * x;
        }
    }
    p
}

/// Rows of closed points whose rates are indistinguishable from zero within the solver's residue, and the impulses
/// without those of points that leave.
fn held_rows(m: &Meeting, b: &[f64], p: &[f64]) -> (Vec<Held>, Vec<f64>) {
    let mut u = b.to_vec();
    m.add_product(p, &mut u);
    let sizes = (0..m.n).map(|i| (m.root(i), b[i].abs(), p[i].abs()));
    let sizes = sizes.filter(|x| x.0 > 0.0).map(|(root, b, p)| b / root + p * root);
    let least = RESIDUAL * largest(sizes);
    let vanishes = |row: usize| u[row].abs() <= least * m.root(row);
    let (mut held, mut p) = (Vec::new(), p.to_vec());
    for point in &m.points {
        let (row, rows) = (point.row, point.law.rows());
        if !vanishes(row) && u[row] > p[row] * m.root(row).powi(2) {
            p[row..row + rows].fill(0.0);
            continue;
        }
        let mut normal = Held { row, along: [1.0, 0.0, 0.0] };
        let has_friction = matches!(point.law, PointLaw::Contact { mu, .. } if mu > 0.0);
        if has_friction && (row + 1..row + rows).all(vanishes) {
            held.extend((row + 1..row + rows).map(|row| Held { row, along: [1.0, 0.0, 0.0] }));
        } else if p[row] > 0.0 {
            // friction goes with the normal impulse
            (1..rows).for_each(|k| normal.along[k] = p[row + k] / p[row]);
        }
        held.push(normal);
    }
    (held, p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::Meets;
    use delassus_dae::{PointId, Restitution};

    /// A plank of unit mass and inertia on three feet below its middle, with one coefficient of friction, lands with
    /// speeds down and along.
    fn plank(along: f64) -> (Meeting, Vec<f64>) {
        let law = PointLaw::Contact {
            restitution: Restitution { e: 0.0, law: RestitutionLaw::Newton },
            mu: 0.4,
            mu_static: 0.4,
            tangential: 1,
        };
        let rows: Vec<[f64; 3]> =
            [-1.0, 0.0, 1.0].iter().flat_map(|x| [[0.0, 1.0, *x], [1.0, 0.0, 0.1]]).collect();
        let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let point = |k: u32| Meets {
            id: PointId { pair: u64::from(k), slot: 0 },
            law,
            row: 2 * k as usize,
        };
        let m = Meeting {
            points: (0..3).map(point).collect(),
            rows: (0..6).collect(),
            per_metre: vec![1.0; 6],
            w: rows.iter().flat_map(|a| rows.iter().map(move |b| dot(a, b))).collect(),
            n: 6,
            shares: true,
            largest: 1e6,
        };
        (m, [-1.0, along].repeat(3))
    }

    #[test]
    fn what_stops_has_no_rate_left_and_impulses_are_even() {
        for (along, sticks) in [(0.0, true), (0.2, true), (3.0, false)] {
            let (m, b) = plank(along);
            let p = solve_shared(&m, &b, &mut cone::Workspace::default()).unwrap_or_default();
            let mut u = b.clone();
            m.add_product(&p, &mut u);
            for k in 0..3 {
                assert!(u[2 * k].abs() < 4e-16, "{along}: {u:?}");
                assert!(!sticks || u[2 * k + 1].abs() < 4e-16, "{along}: {u:?}");
            }
            // normal impulses vary linearly over the feet
            let bend = p[0] - 2.0 * p[2] + p[4];
            assert!(bend.abs() < 1e-9 && (p[0] + p[2] + p[4] - 1.0).abs() < 1e-12, "{p:?}");
        }
    }
}
