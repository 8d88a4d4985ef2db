//! Contact problems whose points share a load in many ways.
//!
//! Where rows depend on each other, Coulomb's law alone may leave even the motion undetermined: all the load of a face
//! of a jaw may rest on one of its corners, about which the part then turns, or be spread over all of them, which hold
//! it; a block between two walls may fall, or hang by stresses that nothing has caused. What bodies do is decided by
//! their compliance. Here all points yield alike, in metres per newton, by next to nothing: of all solutions the one
//! chosen is the limit of a small compliance,
//!
//! ```text
//! u = (W + ε D) r + b        D = the same for all rows (in metres), ε → 0
//! ```
//!
//! Its forces are spread as evenly as the laws allow, and it depends neither on the order of points nor on the axes nor
//! on masses. The compliance only serves to choose; the problem that is finally solved has none. Modes share their
//! loads by the same rule (`shares.rs`).

use crate::cholesky::Cholesky;
use delassus_cone as cone;
use delassus_math::{largest, max_abs};

/// The compliance used to choose, relative to mobilities: the geometric mean of those of the points.
const SOFT: f64 = 1e-6;

/// Compliances that lead to it, if that problem is not solved at once.
const SOFTER: [f64; 3] = [1e-2, 1e-4, SOFT];

/// Pivots of W, relative to the mobility of their row, below which a row depends on those before it.
const DEPENDENT: f64 = 1e-10;

/// Iterations of Newton's method that improve a solution.
const FEW: usize = 4;

/// Number of times that points yield from where they have yielded to. Each leaves the fraction ε/λ of a motion, with
/// its mobility λ: 1/n² in a stack of n bodies, so that a hundred bodies leave a hundredth each time.
const YIELDS: usize = 20;

/// Fraction of the tolerance that this may leave.
const HELD: f64 = 0.1;

/// Fraction of the largest force that is round-off: the compliance divides it.
const UNLOADED: f64 = 10.0 * f64::EPSILON / SOFT;

/// Number of rows above which forces that hold all points are tried first. This costs digits, about ten are left where
/// rows depend on each other; with fewer rows the solver of all laws is quick and keeps all digits.
const MANY: usize = 60;

/// Compliance from which points yield repeatedly where no solver finds forces, the fraction of it that is left from one
/// time to the next, and its growth where even that problem is not solved: points that lose their load on the way are
/// passed in short steps.
const YIELDING: f64 = 1e-2;
const FIRMER: f64 = 0.25;
const WEAKER: f64 = 8.0;
/// Largest number of multiplications for it, a tenth of a second: iterations times the cube of the rows.
const WORK: f64 = 5e7;
/// Largest number of times.
const FIRMINGS: usize = 100;
/// Iterations of each solver at a time: the last solution is near.
const NEIGHBOUR: usize = 30;
/// Residual above which no forces were found.
const NO_FORCES: f64 = 1e-9;

/// Memory for [`solve`] that is reused from one problem to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    w: Vec<f64>,
    start: Vec<f64>,
    b: Vec<f64>,
}

/// Solves a problem from the start in x, with forces spread evenly if its rows are redundant. `per_metre` is the
/// equivalent of a metre in the unit of each row.
pub(crate) fn solve(
    problem: &cone::DenseProblem<'_>,
    per_metre: &[f64],
    redundant: bool,
    auto: &cone::Settings,
    x: &mut [f64],
    ws: &mut cone::Workspace,
    scratch: &mut Scratch,
) -> cone::Report {
    let report = solve_at_once(problem, per_metre, redundant, auto, x, ws, scratch);
    let open = report.status == cone::Status::IterationLimit && report.residual > NO_FORCES;
    if !open {
        return report;
    }
    let found = yield_again(problem, per_metre, auto, x, ws, scratch);
    found.map_or(report, |iterations| cone::Report {
        status: cone::Status::Solved,
        residual: cone::natural_residual(problem, x, ws),
        iterations: report.iterations + iterations,
        solver: cone::Solver::Auto,
    })
}

/// Forces by points that yield repeatedly from where they have yielded to, less each time,
///
/// ```text
/// u = W r + ε D (r − r') + b,        r' = the last r, ε smaller from one to the next
/// ```
///
/// which is a proximal point method: every problem is well conditioned although W is not, as where a heavy body lies on
/// a light one (the mobility that counts is a millionth of that of the rows), and its solution is near the last one.
/// Returns the iterations it took; x is unchanged if there is no solution to the tolerance.
fn yield_again(
    problem: &cone::DenseProblem<'_>,
    per_metre: &[f64],
    auto: &cone::Settings,
    x: &mut [f64],
    ws: &mut cone::Workspace,
    Scratch { w, start, b }: &mut Scratch,
) -> Option<usize> {
    let n = x.len();
    let settings =
        cone::Settings { solver: cone::Solver::Auto, max_iterations: NEIGHBOUR, ..*auto };
    let most = (WORK / (n as f64).powi(3)) as usize;
    let mut r = vec![0.0; n];
    let (mut soft, mut iterations) = (YIELDING, 0);
    for _ in 0..FIRMINGS {
        if iterations > most {
            break;
        }
        soften(problem, per_metre, soft, w);
        let given = |i: usize| w[i * (n + 1)] - problem.w[i * (n + 1)];
        b.clear();
        b.extend((0..n).map(|i| problem.b[i] - given(i) * r[i]));
        start.clear();
        start.extend_from_slice(&r);
        let report = cone::solve(&cone::DenseProblem { w, b, ..*problem }, &mut r, &settings, ws);
        iterations += report.iterations;
        if report.status != cone::Status::Solved {
            r.copy_from_slice(start);
            soft *= WEAKER;
            continue;
        }
        if cone::natural_residual(problem, &r, ws) <= auto.tolerance {
            x.copy_from_slice(&r);
            return Some(iterations);
        }
        soft *= FIRMER;
    }
    None
}

/// The same by the solvers alone.
fn solve_at_once(
    problem: &cone::DenseProblem<'_>,
    per_metre: &[f64],
    redundant: bool,
    auto: &cone::Settings,
    x: &mut [f64],
    ws: &mut cone::Workspace,
    scratch: &mut Scratch,
) -> cone::Report {
    if !redundant {
        return cone::solve(problem, x, auto, ws);
    }
    let Some(mut iterations) = choose(problem, per_metre, auto, x, ws, scratch) else {
        x.fill(0.0);
        return cone::solve(problem, x, auto, ws);
    };
    let start = &mut scratch.start;
    start.clear();
    start.extend_from_slice(x);
    // Newton's method finds the nearest solution; others look elsewhere
    for solver in [cone::Solver::SemismoothNewton, auto.solver] {
        let report = cone::solve(problem, x, &cone::Settings { solver, ..*auto }, ws);
        iterations += report.iterations;
        if report.status == cone::Status::Solved {
            return cone::Report { iterations, ..report };
        }
        x.copy_from_slice(start);
    }
    x.fill(0.0);
    cone::solve(problem, x, auto, ws)
}

/// Solves the compliant problem from the start in x; `None` if none was solved, else the number of iterations.
fn choose(
    problem: &cone::DenseProblem<'_>,
    per_metre: &[f64],
    auto: &cone::Settings,
    x: &mut [f64],
    ws: &mut cone::Workspace,
    scratch: &mut Scratch,
) -> Option<usize> {
    if x.len() >= MANY && hold_all(problem, per_metre, auto.tolerance, ws.most_rows, x) {
        return Some(0);
    }
    let Scratch { w, start, b } = scratch;
    let mut iterations = 0;
    let mut attempt = |softness: f64, x: &mut [f64]| {
        soften(problem, per_metre, softness, w);
        let soft = cone::DenseProblem { w, ..*problem };
        let chosen = cone::solve(&soft, x, auto, ws);
        iterations += chosen.iterations;
        if chosen.status != cone::Status::Solved {
            return false;
        }
        // the effect of loads within a short step is small compared with the sliding speed, and that of the compliance
        // is a small fraction of it
        start.clear();
        start.extend_from_slice(x);
        let fine = cone::Settings {
            solver: cone::Solver::SemismoothNewton,
            tolerance: (auto.tolerance * load(problem)).max(f64::EPSILON),
            max_iterations: FEW,
        };
        let finer = cone::solve(&soft, x, &fine, ws);
        iterations += finer.iterations;
        if !(finer.residual <= auto.tolerance) {
            x.copy_from_slice(start);
        }
        // yielding once more from where it has yielded to: forces that hold the points to the square of the compliance,
        // and still the even ones
        start.clear();
        start.extend_from_slice(x);
        let given = |i: usize| w[i * (x.len() + 1)] - problem.w[i * (x.len() + 1)];
        b.clear();
        b.extend(x.iter().zip(problem.b).enumerate().map(|(i, (x, b))| b - given(i) * x));
        let again = cone::solve(&cone::DenseProblem { w, b, ..*problem }, x, &fine, ws);
        iterations += again.iterations;
        if !(again.residual <= auto.tolerance) {
            x.copy_from_slice(start);
        }
        true
    };
    if attempt(SOFT, x) {
        return Some(iterations);
    }
    // more compliant problems are easier, and lead there
    x.fill(0.0);
    let mut any = false;
    for softness in SOFTER {
        if !attempt(softness, x) {
            // the last one that was solved
            if any {
                x.copy_from_slice(start);
            }
            break;
        }
        any = true;
    }
    any.then_some(iterations)
}

/// The even forces that hold all points, if they need neither pull nor exceed friction: then nothing moves, and no
/// search is needed. Points that turn out to bear nothing (neighbours in a pile that touch without pressing) are left
/// out, and the others are solved again. False if there are none; x is then overwritten.
fn hold_all(
    problem: &cone::DenseProblem<'_>,
    per_metre: &[f64],
    tolerance: f64,
    most_rows: Option<usize>,
    x: &mut [f64],
) -> bool {
    let (n, w) = (x.len(), problem.w);
    // as much as the elimination of so many fully coupled rows
    let most_work = most_rows.map_or(f64::INFINITY, |rows| (rows as f64).powi(3) / 3.0);
    let symmetric = (0..n).all(|i| (0..i).all(|j| w[i * n + j] == w[j * n + i]));
    if !symmetric {
        return false;
    }
    let mut bears = vec![true; n];
    loop {
        if !hold(problem, per_metre, &bears, tolerance, most_work, x) {
            return false;
        }
        if is_lawful(problem.laws, x, tolerance * max_abs(&*x)) {
            return true;
        }
        if !leave_out_unloaded(problem.laws, x, &mut bears) {
            return false;
        }
    }
}

/// The even forces that hold the points that bear something, zero for the others: the limit of (W + ε D) r = ε D r' − b
/// from r' = 0, which stays among the smallest r in the scale D. False if there are none, or if the factorisation takes
/// more multiplications than `most_work`.
fn hold(
    problem: &cone::DenseProblem<'_>,
    per_metre: &[f64],
    bears: &[bool],
    tolerance: f64,
    most_work: f64,
    x: &mut [f64],
) -> bool {
    let (n, w) = (x.len(), problem.w);
    let given = softness(problem, per_metre, SOFT);
    let mut l = Cholesky::default();
    let mut row = Vec::with_capacity(n);
    for (i, given) in given.iter().enumerate() {
        if !bears[i] {
            l.leave_out();
            continue;
        }
        row.clear();
        row.extend_from_slice(&w[i * n..i * n + i]);
        let rest = w[i * n + i] + given - l.reduce(&mut row);
        if !(rest > 0.0) || l.work() > most_work {
            return false;
        }
        l.push(&row, rest.sqrt());
    }
    // the remaining u, and b, in the scale of residuals
    let sized =
        |i: usize, u: f64| if w[i * (n + 1)] > 0.0 { u.abs() / w[i * (n + 1)].sqrt() } else { 0.0 };
    let driven = largest(problem.b.iter().enumerate().map(|(i, b)| sized(i, *b)));
    x.fill(0.0);
    let mut next = vec![0.0; n];
    for _ in 0..YIELDS {
        for (i, next) in next.iter_mut().enumerate() {
            *next = given[i] * x[i] - problem.b[i];
        }
        l.solve(&mut next);
        let left = largest((0..n).map(|i| sized(i, given[i] * (next[i] - x[i]))));
        x.copy_from_slice(&next);
        if left <= HELD * tolerance * driven {
            return true;
        }
    }
    false
}

/// Marks points whose forces are round-off of those of others as bearing nothing; false if there are no more of them.
fn leave_out_unloaded(laws: &[cone::Law], x: &[f64], bears: &mut [bool]) -> bool {
    let none = UNLOADED * max_abs(x);
    let (mut row, mut any) = (0, false);
    for law in laws {
        let rows = row..row + law.rows();
        row = rows.end;
        if bears[rows.start] && max_abs(&x[rows.clone()]) <= none {
            bears[rows].fill(false);
            any = true;
        }
    }
    any
}

/// Whether the forces are such that nothing moves, up to a slack.
fn is_lawful(laws: &[cone::Law], mut x: &[f64], slack: f64) -> bool {
    laws.iter().all(|law| {
        let (r, others) = x.split_at(law.rows());
        x = others;
        match *law {
            cone::Law::Equality => true,
            cone::Law::Unilateral => r[0] >= -slack,
            cone::Law::Interval { lo, hi } => r[0] >= lo - slack && r[0] <= hi + slack,
            cone::Law::Coulomb { mu, .. } => {
                let along = r[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
                r[0] >= -slack && along <= mu * r[0] + slack
            }
        }
    })
}

/// The largest right-hand side along which a load acts, relative to the largest of all.
fn load(problem: &cone::DenseProblem<'_>) -> f64 {
    let (mut row, mut most) = (0, 0.0f64);
    for law in problem.laws {
        if !matches!(law, cone::Law::Interval { .. }) {
            most = most.max(problem.b[row].abs());
        }
        row += law.rows();
    }
    let all = max_abs(problem.b);
    if most > 0.0 { most / all } else { 1.0 }
}

/// W with a small compliance in every row.
fn soften(problem: &cone::DenseProblem<'_>, per_metre: &[f64], soft: f64, w: &mut Vec<f64>) {
    let n = problem.b.len();
    w.clear();
    w.extend_from_slice(problem.w);
    for (i, given) in softness(problem, per_metre, soft).iter().enumerate() {
        w[i * (n + 1)] += given;
    }
}

/// Compliance of each row per unit of force.
fn softness(problem: &cone::DenseProblem<'_>, per_metre: &[f64], soft: f64) -> Vec<f64> {
    let n = problem.b.len();
    let mobilities = (0..n).map(|i| problem.w[i * n + i].abs() / per_metre[i].powi(2));
    let (mut sum, mut count) = (0.0, 0.0);
    for mobility in mobilities.filter(|m| *m > 0.0) {
        sum += mobility.ln();
        count += 1.0;
    }
    let mean = if count > 0.0 { (sum / count).exp() } else { 0.0 };
    per_metre.iter().map(|per_metre| soft * mean * per_metre.powi(2)).collect()
}

/// Whether rows of W = H A⁻¹ Hᵀ depend on those before them, by its pivots.
pub(crate) fn is_redundant(w: &[f64], n: usize, scratch: &mut Scratch) -> bool {
    let l = &mut scratch.w;
    l.clear();
    l.extend_from_slice(w);
    for k in 0..n {
        let pivot = l[k * n + k];
        if !(pivot > DEPENDENT * w[k * n + k]) {
            return true;
        }
        for i in k + 1..n {
            let factor = l[i * n + k] / pivot;
            for j in k + 1..n {
                l[i * n + j] -= factor * l[k * n + j];
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(w: &[f64], b: &[f64], laws: &[cone::Law]) -> Vec<f64> {
        let mut x = vec![0.0; b.len()];
        let p = cone::DenseProblem { w, b, laws };
        let mut scratch = Scratch::default();
        assert!(is_redundant(w, b.len(), &mut scratch));
        let auto = cone::Settings { tolerance: 1e-11, ..Default::default() };
        let (ws, alike) = (&mut cone::Workspace::default(), vec![1.0; b.len()]);
        let report = solve(&p, &alike, true, &auto, &mut x, ws, &mut scratch);
        assert_eq!(report.status, cone::Status::Solved);
        x
    }

    /// W = H Hᵀ of rows H of a body with unit mass and inertia.
    fn delassus<const N: usize>(rows: &[[f64; N]]) -> Vec<f64> {
        let dot = |a: &[f64; N], b: &[f64; N]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        rows.iter().flat_map(|a| rows.iter().map(move |b| dot(a, b))).collect()
    }

    /// Four feet of a table with the weight 4 in its middle.
    #[test]
    fn a_load_is_spread_over_all_points() {
        let feet = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let rows: Vec<[f64; 3]> = feet.iter().map(|p| [1.0, p[1], -p[0]]).collect();
        let x = solved(&delassus(&rows), &[-4.0; 4], &[cone::Law::Unilateral; 4]);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5), "{x:?}");
    }

    /// Thirty columns of two unit masses side by side, which touch without pressing: the forces that hold all of them are found
    /// without a search, and round-off between columns counts as none.
    #[test]
    fn neighbours_without_a_load_are_left_out() {
        const COLUMNS: usize = 30;
        // along x and y of the lower and of the upper mass of each column
        let (mut rows, mut laws) = (Vec::new(), Vec::new());
        let mut row = |entries: &[(usize, f64)]| {
            let mut h = [0.0; 4 * COLUMNS];
            entries.iter().for_each(|(i, x)| h[*i] = *x);
            rows.push(h);
        };
        for k in (0..COLUMNS).map(|k| 4 * k) {
            for contact in [[(k + 1, 1.0), (k, 1.0)], [(k + 3, 1.0), (k + 2, 1.0)]] {
                let below = |i: usize| if i >= k + 2 { -1.0 } else { 0.0 };
                for (i, x) in contact {
                    row(&[(i, x), (i.saturating_sub(2), below(i))]);
                }
                laws.push(cone::Law::Coulomb { mu: 0.3, tangential: 1 });
            }
            for side in [k, k + 2].into_iter().filter(|side| side + 4 < 4 * COLUMNS) {
                row(&[(side + 4, 1.0), (side, -1.0)]);
                row(&[(side + 5, 1.0), (side + 1, -1.0)]);
                laws.push(cone::Law::Coulomb { mu: 0.3, tangential: 1 });
            }
        }
        let b: Vec<f64> =
            rows.iter().map(|h| h.iter().skip(1).step_by(2).map(|x| -9.81 * x).sum()).collect();
        let (w, mut x) = (delassus(&rows), vec![0.0; b.len()]);
        let p = cone::DenseProblem { w: &w, b: &b, laws: &laws };
        let mut ws = cone::Workspace::default();
        ws.most_rows = Some(1);
        let (auto, alike) =
            (cone::Settings { tolerance: 1e-11, ..Default::default() }, vec![1.0; b.len()]);
        let report = solve(&p, &alike, true, &auto, &mut x, &mut ws, &mut Scratch::default());
        // no more than one row is searched, and no factor is that cheap
        assert_eq!(report.status, cone::Status::TooLarge);
        ws.most_rows = Some(100);
        let report = solve(&p, &alike, true, &auto, &mut x, &mut ws, &mut Scratch::default());
        assert_eq!(report.status, cone::Status::Solved);
        assert_eq!(report.iterations, 0);
        assert!((x[0] - 2.0 * 9.81).abs() < 1e-8 && (x[2] - 9.81).abs() < 1e-8, "{x:?}");
    }

    /// A block between two walls that is not pressed falls, whatever the friction; pressed by forces it is held.
    #[test]
    fn walls_do_not_clamp_by_themselves() {
        let law = cone::Law::Coulomb { mu: 0.8, tangential: 1 };
        // body: x, y; walls at both sides: normals ±x, both tangents along y
        let rows = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 1.0]];
        let x = solved(&delassus(&rows), &[0.0, -9.81, 0.0, -9.81], &[law; 2]);
        assert!(x.iter().all(|x| x.abs() < 1e-5), "{x:?}");
        // walls of mass 1 that are free along x and pressed by 10: they hold
        let rows = [
            [1.0, 0.0, -1.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 0.0],
        ];
        let x = solved(&delassus(&rows), &[-10.0, -9.81, -10.0, -9.81], &[law; 2]);
        assert!((x[1] + x[3] - 9.81).abs() < 1e-9 && (x[0] - 10.0).abs() < 1e-9, "{x:?}");
    }
}
