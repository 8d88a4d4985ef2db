//! All complementary bases of a small LCP, one after the other.
//!
//! For each choice α of the positive `z`: `M_αα z_α = −q_α`, then the signs are checked. It is used to judge the other
//! solvers in tests, and proves that a tiny problem has no solution (with a singular `M_αα` only one point of the
//! solution set of the block is examined, so the proof holds for regular blocks).

use crate::lcp::Lcp;
use crate::outcome::{Best, Outcome, Verdict};
use crate::qr::PivotedQr;
use crate::scaling::Scaled;

/// Largest number of complementary pairs: 4096 bases.
pub(crate) const LARGEST: usize = 12;
/// Signs and equations hold to this.
const TOLERANCE: f64 = 1e-9;
/// Rank decision of a block.
const RANK: f64 = 1e-11;

/// All solutions of `w = M z + q`, `0 ≤ w ⟂ z ≥ 0` that belong to a complementary basis, each once.
///
/// `m` is `n × n`, row by row, `n ≤ 12`; otherwise, or if sizes do not match, `None`.
pub fn enumerate_lcp(m: &[f64], q: &[f64]) -> Option<Vec<Vec<f64>>> {
    let n = q.len();
    if n > LARGEST || m.len() != n * n {
        return None;
    }
    let mut found = Vec::new();
    visit(n, m, q, &[], |z| {
        let known = |old: &Vec<f64>| {
            old.iter().zip(z).all(|(a, b)| (a - b).abs() <= TOLERANCE * (1.0 + b.abs()))
        };
        if !found.iter().any(known) {
            found.push(z.to_vec());
        }
        true
    });
    Some(found)
}

/// Calls `each` with every basic solution until it says no. Returns the number of bases tried.
fn visit(
    n: usize,
    m: &[f64],
    q: &[f64],
    free: &[bool],
    mut each: impl FnMut(&[f64]) -> bool,
) -> usize {
    let is_free = |i: usize| free.get(i).copied().unwrap_or(false);
    let pairs: Vec<usize> = (0..n).filter(|&i| !is_free(i)).collect();
    let size = 1.0 + q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let (mut qr, mut set, mut rhs) = (PivotedQr::default(), Vec::new(), Vec::new());
    let (mut part, mut z) = (vec![0.0; n], vec![0.0; n]);
    for mask in 0..1usize << pairs.len() {
        set.clear();
        set.extend((0..n).filter(|&i| is_free(i)));
        set.extend(
            pairs.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, &i)| i),
        );
        let k = set.len();
        qr.factor(k, RANK, |i, j| m[set[i] * n + set[j]]);
        rhs.clear();
        rhs.extend(set.iter().map(|&i| -q[i]));
        qr.solve(&mut rhs, &mut part[..k]);
        z.fill(0.0);
        for (slot, &i) in set.iter().enumerate() {
            z[i] = part[slot];
        }
        let top = z.iter().fold(size, |m, x| m.max(x.abs()));
        let fits = (0..n).all(|i| {
            let w = q[i] + (0..n).map(|j| m[i * n + j] * z[j]).sum::<f64>();
            let zero = TOLERANCE * top;
            if set.contains(&i) {
                w.abs() <= zero && (is_free(i) || z[i] >= -zero)
            } else {
                w >= -zero
            }
        });
        if fits && !each(&z) {
            return mask + 1;
        }
    }
    1 << pairs.len()
}

/// Tries all bases of the scaled problem.
pub(crate) fn run(
    s: &Scaled,
    best: &mut Best,
    lcp: &mut Lcp,
    tolerance: f64,
    u: &mut Vec<f64>,
) -> Outcome {
    let pairs = if lcp.load(s) { lcp.free.iter().filter(|f| !**f).count() } else { usize::MAX };
    if pairs > LARGEST {
        return Outcome { iterations: 0, verdict: Verdict::Unsupported };
    }
    let mut r = Vec::new();
    let mut any = false;
    let iterations = visit(lcp.n, &lcp.m, &lcp.q, &lcp.free, |z| {
        any = true;
        let clean: Vec<f64> =
            z.iter().zip(&lcp.free).map(|(&z, &free)| if free { z } else { z.max(0.0) }).collect();
        lcp.reactions(&clean, &mut r);
        let residual = s.residual(&r, u);
        best.offer(&r, residual);
        residual > tolerance
    });
    let verdict = if any { Verdict::Open } else { Verdict::NoSolution };
    Outcome { iterations, verdict }
}
