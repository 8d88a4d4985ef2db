//! One point after another, the fastest approach first, until none approaches.
//!
//! This is what a row of balls does (the last one leaves), and how the energetic law is applied where several points
//! meet. Without restitution, approaches that keep recurring are ended by one simultaneous impact, and so are those
//! with restitution that have become slow: two points that throw a body at each other bring it to rest after infinitely
//! many impacts. Bounces that do not slow down have no solution.

use super::energetic::Single;
use super::{ImpactError, Meeting, stop};
use delassus_cone as cone;
use delassus_math::largest;

/// Number of single impacts per point.
const ROUNDS: usize = 2000;
/// Fraction of the initial speed that approaches have after all these rounds if they fade: half a percent less with
/// every impact.
const FADED: f64 = 1e-4;
/// Approach, relative to the fastest at the start, that counts as over.
const OVER: f64 = 1e-10;

pub(super) fn impulses(
    r: &Meeting,
    before: &[f64],
    factor: f64,
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let mut total = vec![0.0; r.n];
    let mut u = before.to_vec();
    let fastest = largest(r.points.iter().map(|m| -u[m.row]));
    let plastic = r.is_plastic(factor);
    let most = r.most(before);
    for _ in 0..ROUNDS * r.points.len() {
        let worst = r.points.iter().min_by(|a, b| u[a.row].total_cmp(&u[b.row]));
        let Some(m) = worst.filter(|m| u[m.row] < -OVER * fastest) else {
            return Ok(total);
        };
        let k = m.law.rows();
        let most = most / r.root(m.row);
        let mut single = Single { w: [[0.0; 3]; 3], u: [0.0; 3], law: m.law, factor, most };
        for i in 0..k {
            single.u[i] = u[m.row + i];
            for j in 0..k {
                single.w[i][j] = r.w[(m.row + i) * r.n + m.row + j];
            }
        }
        let p = match single.impulse() {
            Some(p) if p[0] > 0.0 => p,
            _ if plastic => break,
            _ => return Err(r.none("friction jams the impact")),
        };
        let mut step = vec![0.0; r.n];
        step[m.row..m.row + k].copy_from_slice(&p[..k]);
        r.add_product(&step, &mut u);
        for (t, s) in total.iter_mut().zip(&step) {
            *t += s;
        }
    }
    let left = largest(r.points.iter().map(|m| -u[m.row]));
    if !plastic && !(left <= FADED * fastest) {
        return Err(r.none("bounces one by one do not end"));
    }
    let rest = stop(r, &u, ws)?;
    Ok(total.iter().zip(&rest).map(|(a, b)| a + b).collect())
}
