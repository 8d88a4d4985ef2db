//! Effect of the rounding of positions far from the origin on the increments of Newton's iteration.
//!
//! A position x is known to ε|x|, so the residual of a joint there has that error, and the increments of the bodies it
//! holds cannot get smaller. An iteration that asks for less continues until it sees that nothing improves: one or two
//! more iterations in each step, the longer a chain or a row of linkages is. So the allowed remainder of each increment
//! is either what was requested or a small fraction of the rounding error, whichever is larger.
//!
//! This is determined for each group ([`Problem::groups`]). A mechanism passes the error of its farthest joint on to
//! its nearest body (a straight chain along itself, a linkage of one degree of freedom to all of its bars), but not to
//! another mechanism: what is not connected cannot loosen a tolerance.

use crate::problem::Problem;

/// Rounding error of a position residual, relative to the distance of its bodies from the origin.
const FAR: f64 = 2.0 * f64::EPSILON;
/// Fraction of this that may remain of an increment. The remainder may have the same sign in many steps, rounding does
/// not, and index 3 divides both by h².
const PART: f64 = 0.02;

/// Rounding errors of position rows, per group.
#[derive(Debug, Clone)]
pub(super) struct Rounding {
    /// Coordinates that position rows hold: their index in q, their group, and ε over their scale. No residual contains
    /// the others.
    held: Vec<(usize, usize, f64)>,
    group: Vec<usize>,
    /// Rounding error of the positions of each group, relative to the scales.
    lost: Vec<f64>,
}

impl Rounding {
    pub fn new<P: Problem>(p: &P) -> Rounding {
        let (n_pos, nv) = (p.dims().n_pos, p.dims().nv);
        let jac = &p.structure().jac;
        let mut group = p.groups();
        group.truncate(nv);
        let count = group.iter().max().map_or(0, |last| last + 1);
        let mut seen = vec![false; nv];
        for &j in &jac.col[..jac.row_ptr[n_pos]] {
            seen[j] = true;
        }
        let (places, scale) = (p.manifold().places(), p.scales().q);
        let held = (0..nv)
            .filter(|j| seen[*j])
            .filter_map(|j| places[j].map(|at| (at, group[j], FAR / scale[j])))
            .collect();
        Rounding { held, group, lost: vec![0.0; count] }
    }

    /// Updates the rounding errors for the positions q.
    pub fn look(&mut self, q: &[f64]) {
        self.lost.fill(0.0);
        for &(at, group, unit) in &self.held {
            self.lost[group] = self.lost[group].max(unit * q[at].abs());
        }
    }

    /// What may always remain of increment i, relative to its scale, whatever is requested.
    pub fn part(&self, i: usize) -> f64 {
        PART * self.lost[self.group[i]]
    }

    /// Largest rounding error of increments, relative to the scales.
    pub fn most(&self) -> f64 {
        self.lost.iter().fold(0.0f64, |most, lost| most.max(*lost))
    }
}
