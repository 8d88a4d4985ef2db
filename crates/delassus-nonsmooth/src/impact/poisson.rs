//! Poisson's law: a phase of compression, then one of restitution.
//!
//! Compression ends with u_N ≥ 0 ⊥ P_C ≥ 0 at all points. In restitution each point gives back at least e P_C; what it
//! gives in addition keeps the points from meeting again, 0 ≤ (P_N − e P_C) ⊥ u_N⁺ ≥ 0. Friction acts in both phases,
//! bounded by the normal impulse of the phase: by the cone in compression, by a disc (in the plane an interval) in
//! restitution.
//!
//! A point among them that names Newton's law goes through the same phases, but gives back what makes it leave as that
//! law requires: 0 ≤ P_N − P_C ⊥ u_N⁺ + e u_N⁻ ≥ 0.

use super::{ImpactError, Meeting, coefficient, solve, stop};
use delassus_cone as cone;
use delassus_dae::{PointLaw, RestitutionLaw};

/// Rounds in which the bound of friction follows the normal impulse of restitution.
const ROUNDS: usize = 200;
/// Rounds after which the bound follows by halves: where strong friction couples points it oscillates.
const PATIENCE: usize = 20;
/// Relative change of the impulses with which the rounds end, and what is accepted after the last.
const SETTLED: f64 = 1e-13;
const ACCEPTED: f64 = 1e-10;

pub(super) fn impulses(
    r: &Meeting,
    before: &[f64],
    factor: f64,
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let compression = stop(r, before, ws)?;
    if r.is_plastic(factor) {
        return Ok(compression);
    }
    let mut u = before.to_vec();
    r.add_product(&compression, &mut u);
    // given back at least
    let mut back = vec![0.0; r.n];
    for m in r.points.iter().filter(|m| !is_newtons(&m.law)) {
        back[m.row] = factor * coefficient(&m.law) * compression[m.row];
    }
    r.add_product(&back, &mut u);
    // left with at least
    for m in r.points.iter().filter(|m| is_newtons(&m.law)) {
        u[m.row] += factor * coefficient(&m.law) * before[m.row].min(0.0);
    }
    // what comes on top: unilateral in the normals; friction bounded by the normal impulse of this phase, which is
    // found by iteration
    let mut rest = Restitution::new(r);
    let mut normal = back.clone();
    let mut last = vec![0.0; r.n];
    let mut converged = false;
    for round in 0..ROUNDS {
        let x = rest.solve(r, &u, &normal, ws)?;
        let change: f64 = x.iter().zip(&last).map(|(a, b)| (a - b).abs()).sum();
        let size: f64 = x.iter().chain(&back).map(|a| a.abs()).sum();
        let part = if round < PATIENCE { 1.0 } else { 0.5 };
        for m in &r.points {
            normal[m.row] += part * (back[m.row] + x[m.row] - normal[m.row]);
        }
        last = x;
        converged = change <= ACCEPTED * size;
        if change <= SETTLED * size {
            break;
        }
    }
    if !converged {
        return Err(r.none("friction in restitution does not converge"));
    }
    Ok((0..r.n).map(|i| compression[i] + back[i] + last[i]).collect())
}

fn is_newtons(law: &PointLaw) -> bool {
    matches!(law, PointLaw::Contact { restitution, .. } if restitution.law == RestitutionLaw::Newton)
}

/// The problem of restitution, with friction bounded by given normal impulses.
///
/// The bound is a section of the cone: friction gets a normal row of its own that nothing else
/// moves, and whose rate vanishes where its impulse is the given one.
struct Restitution {
    /// Row of the response for each row, `None` for the normals of friction.
    rows: Vec<Option<usize>>,
    /// Normals of friction: their rows, and those of the point's own normals in the response.
    bounds: Vec<(usize, usize)>,
    laws: Vec<cone::Law>,
    w: Vec<f64>,
    b: Vec<f64>,
}

impl Restitution {
    fn new(r: &Meeting) -> Restitution {
        let (mut rows, mut bounds, mut laws) = (Vec::new(), Vec::new(), Vec::new());
        for m in &r.points {
            rows.push(Some(m.row));
            match m.law {
                PointLaw::Contact { mu, tangential, .. } if tangential > 0 => {
                    bounds.push((rows.len(), m.row));
                    rows.push(None);
                    rows.extend((1..=tangential).map(|k| Some(m.row + k)));
                    laws.extend([cone::Law::Unilateral, cone::Law::Coulomb { mu, tangential }]);
                }
                _ => laws.push(cone::Law::Unilateral),
            }
        }
        let n = rows.len();
        let mut w = vec![0.0; n * n];
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows.iter().enumerate() {
                if let (Some(a), Some(b)) = (a, b) {
                    w[i * n + j] = r.w[a * r.n + b];
                }
            }
        }
        for &(i, _) in &bounds {
            // as heavy as the friction that follows
            w[i * n + i] = w[(i + 1) * n + i + 1];
        }
        Restitution { rows, bounds, laws, w, b: vec![0.0; n] }
    }

    /// Impulses at velocities u, row by row of the response, with friction up to μ times `normal`.
    fn solve(
        &mut self,
        r: &Meeting,
        u: &[f64],
        normal: &[f64],
        ws: &mut cone::Workspace,
    ) -> Result<Vec<f64>, ImpactError> {
        let n = self.rows.len();
        for (b, row) in self.b.iter_mut().zip(&self.rows) {
            *b = row.map_or(0.0, |k| u[k]);
        }
        for &(i, k) in &self.bounds {
            self.b[i] = -self.w[i * n + i] * normal[k];
        }
        let x = solve(r, (&self.w, &self.b), &self.laws, ws)?;
        let mut out = vec![0.0; r.n];
        for (x, row) in x.iter().zip(&self.rows) {
            if let Some(k) = row {
                out[*k] = *x;
            }
        }
        Ok(out)
    }
}
