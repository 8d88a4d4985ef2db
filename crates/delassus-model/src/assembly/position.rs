//! Positions: damped Gauss–Newton onto g(q, t) = 0.

use super::AssemblyReport;
use super::unsolved::unsolved;
use crate::{Diagnostic, System};
use delassus_dae::Problem;
use delassus_linalg::{
    Backend, CondensedKkt, Csr, KktError, KktOptions, MassKkt, MassShape, RankedKkt, RankedRows,
    rank_tol,
};
use delassus_math::largest;

const MAX_ITERATIONS: usize = 50;
const LM_ITERATIONS: usize = 300;
/// Scaled residual that counts as assembled at once. If descent cannot remove a larger one it is a contradiction, but
/// by the rule of rank none up to [`rank_tol::ROWS`].
const ASSEMBLED: f64 = 1e-10;
/// Scaled residual up to which a position near a singular one, where descent is slow, counts as closed.
const REACHED: f64 = 1e-7;
/// Weight of a body that should stay where it is.
const HOLD: f64 = 1e8;

/// A configuration on the constraints near `q0`, or the remaining residual.
pub(super) struct Closed {
    pub q: Vec<f64>,
    pub g: Vec<f64>,
    pub jac: Vec<f64>,
    pub worst: f64,
    pub iterations: usize,
}

/// Damped Gauss–Newton from `q0`.
pub(super) fn close(sys: &System, t: f64, q0: &[f64]) -> Result<Closed, KktError> {
    let d = sys.dims();
    let z = sys.initial_z(t, q0);
    let structure = sys.structure();
    let scales = sys.scales();
    // Metric: metres and radians of the model's size count alike; mass plays no part, so a massless body is as easy to
    // place as any other.
    // bodies stay as deformed as they are given where the joints close without that
    let metric: Vec<f64> = (0..d.nv)
        .map(|i| {
            let held = sys.dof_owner(i).is_some_and(|(b, k)| {
                sys.model().bodies[b].hold || sys.amplitudes_of(b).contains(&k)
            });
            (if held { HOLD } else { 1.0 }) / (scales.q[i] * scales.q[i])
        })
        .collect();
    let opts = KktOptions { backend: Backend::Auto, mass_floor: Vec::new(), redundant: true };
    let shape = MassShape::new(structure.mass.sizes().to_vec());
    let metric = shape.with_diagonal(&metric);
    let mut kkt = CondensedKkt::new(shape, structure.jac.clone(), opts)?;
    kkt.set_mass(&metric)?;
    let mut ws = sys.workspace();
    let mut q = q0.to_vec();
    let mut jac = vec![0.0; structure.jac.nnz()];
    let (mut b, mut g) = (vec![0.0; d.n_vel], vec![0.0; d.n_pos]);
    let (mut dx, mut lambda) = (vec![0.0; d.nv], vec![0.0; d.n_vel]);
    let zero = vec![0.0; d.nv];
    let residual = |q: &[f64], ws: &mut crate::Workspace, g: &mut [f64]| {
        sys.realize_position(t, q, &z, ws);
        sys.residual_pos(ws, g);
        let scaled = || g.iter().zip(&scales.row).map(|(x, s)| x / s);
        let worst = delassus_math::largest(scaled().map(f64::abs));
        (worst, scaled().map(|x| x * x).sum::<f64>().sqrt())
    };
    let (mut worst, mut sum) = residual(&q, &mut ws, &mut g);
    let mut trial = q.clone();
    let mut step = vec![0.0; d.nv];
    let mut iterations = 0;
    while iterations < MAX_ITERATIONS && worst > 1e-14 && sum.is_finite() {
        iterations += 1;
        // a rejected trial leaves the workspace elsewhere
        residual(&q, &mut ws, &mut g);
        sys.jacobian(&ws, &mut jac);
        b.fill(0.0);
        for (b, g) in b.iter_mut().zip(&g) {
            *b = -g;
        }
        kkt.factor(&jac)?;
        kkt.solve(&zero, &b, &mut dx, &mut lambda)?;
        // never turn a body by more than about half a radian at once, and never go uphill
        let turned = dx.iter().zip(&scales.q).map(|(x, s)| (x / s).abs());
        let largest = delassus_math::largest(turned);
        let mut alpha = if largest > 0.5 { 0.5 / largest } else { 1.0 };
        let mut better = false;
        for _ in 0..12 {
            for (s, x) in step.iter_mut().zip(&dx) {
                *s = alpha * x;
            }
            sys.manifold().retract(&q, &step, &mut trial);
            let (w, s) = residual(&trial, &mut ws, &mut g);
            if s < sum * (1.0 - 1e-3 * alpha) {
                std::mem::swap(&mut q, &mut trial);
                (worst, sum) = (w, s);
                better = true;
                break;
            }
            alpha *= 0.5;
        }
        if !better {
            break;
        }
    }
    let (worst, _) = residual(&q, &mut ws, &mut g);
    sys.jacobian(&ws, &mut jac);
    Ok(Closed { q, g, jac, worst, iterations })
}

/// Levenberg–Marquardt from where Gauss–Newton stalled, down to the least-squares minimum: it distinguishes a bad start
/// from a contradiction, which is a minimum with a residual.
///
/// The damped step is the solution of an ordinary KKT system with one slack per row: minimise |x|² + |s|²/μ subject to
/// G x + s = −g.
fn descend(sys: &System, t: f64, c: Closed) -> Result<Closed, KktError> {
    let d = sys.dims();
    let z = sys.initial_z(t, &c.q);
    let pattern = &sys.structure().jac;
    let scales = sys.scales();
    let n = d.nv + d.n_vel;
    let pairs = (0..d.n_vel)
        .flat_map(|i| pattern.row(i).iter().map(move |j| (i, *j)).chain([(i, d.nv + i)]));
    let extended = Csr::from_pairs(d.n_vel, n, pairs)?;
    let mut kkt = MassKkt::new(MassShape::new(vec![1; n]), extended, KktOptions::default())?;
    let Closed { mut q, mut g, mut jac, iterations, .. } = c;
    let mut ws = sys.workspace();
    let norm =
        |g: &[f64]| g.iter().zip(&scales.row).map(|(x, s)| (x / s) * (x / s)).sum::<f64>().sqrt();
    let mut mass = vec![0.0; n];
    let mut values = Vec::with_capacity(jac.len() + d.n_vel);
    let (mut x, mut lambda, zero) = (vec![0.0; n], vec![0.0; d.n_vel], vec![0.0; n]);
    let mut rhs = vec![0.0; d.n_vel];
    let (mut trial, mut g_trial) = (q.clone(), g.clone());
    let mut mu = 1e-2;
    let mut sum = norm(&g);
    for _ in 0..LM_ITERATIONS {
        for i in 0..d.nv {
            mass[i] = 1.0 / (scales.q[i] * scales.q[i]);
        }
        for i in 0..d.n_vel {
            mass[d.nv + i] = 1.0 / (mu * scales.row[i] * scales.row[i]);
        }
        kkt.set_mass(&mass)?;
        values.clear();
        for i in 0..d.n_vel {
            values.extend_from_slice(&jac[pattern.row_ptr[i]..pattern.row_ptr[i + 1]]);
            values.push(1.0);
        }
        kkt.factor(&values)?;
        for (r, g) in rhs.iter_mut().zip(&g) {
            *r = -g;
        }
        kkt.solve(&zero, &rhs, &mut x, &mut lambda)?;
        sys.manifold().retract(&q, &x[..d.nv], &mut trial);
        sys.realize_position(t, &trial, &z, &mut ws);
        sys.residual_pos(&ws, &mut g_trial);
        let now = norm(&g_trial);
        if now < sum {
            let small = sum - now < 1e-12 * sum;
            q.copy_from_slice(&trial);
            g.copy_from_slice(&g_trial);
            sys.jacobian(&ws, &mut jac);
            sum = now;
            mu = (0.3 * mu).max(1e-12);
            if small {
                break;
            }
        } else {
            mu *= 4.0;
            if mu > 1e12 {
                break;
            }
        }
    }
    let worst = g.iter().zip(&scales.row).map(|(x, s)| (x / s).abs());
    let worst = delassus_math::largest(worst);
    Ok(Closed { q, g, jac, worst, iterations })
}

/// Whether there is a position on the constraints near one at this time; `None` if it cannot be decided.
pub(super) fn reaches(sys: &System, t: f64, q: &[f64]) -> Option<bool> {
    let mut c = close(sys, t, q).ok()?;
    if !(c.worst <= ASSEMBLED) {
        c = descend(sys, t, c).ok()?;
    }
    c.worst.is_finite().then_some(c.worst <= REACHED)
}

/// Positions for the start, with a diagnosis if there are none.
pub(super) fn solve(
    sys: &System,
    t: f64,
    report: &mut AssemblyReport,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let q0 = sys.given_configuration();
    if sys.dims().n_pos == 0 {
        return Ok(q0);
    }
    let mut c = close(sys, t, &q0)
        .and_then(|c| if c.worst <= ASSEMBLED { Ok(c) } else { descend(sys, t, c) })
        .map_err(|e| unsolved(sys, "E_ASSEMBLY", &e))?;
    if !(c.worst <= ASSEMBLED) {
        // descent may have led out of a bad region: once more at full speed from there
        if let Ok(again) = close(sys, t, &c.q)
            && again.worst < c.worst
        {
            c = again;
        }
    }
    report.iterations = c.iterations;
    report.residual = c.worst;
    if !(c.worst <= rank_tol::ROWS) {
        let jac = &sys.structure().jac;
        return Err(vec![diagnose(sys, &c.g, &sys.scales().row, jac, &c.jac, c.iterations)]);
    }
    moved(sys, &q0, &c.q, report)?;
    Ok(c.q)
}

/// Scaled residual of each row where the user placed the bodies.
pub(super) fn given_residual(sys: &System, t: f64) -> Vec<f64> {
    residual_at(sys, t, &sys.given_configuration())
}

/// The same at another position.
pub(super) fn residual_at(sys: &System, t: f64, q: &[f64]) -> Vec<f64> {
    let mut ws = sys.workspace();
    sys.realize_position(t, q, &sys.initial_z(t, q), &mut ws);
    let mut g = vec![0.0; sys.dims().n_pos];
    sys.residual_pos(&ws, &mut g);
    g.iter().zip(&sys.scales().row).map(|(x, s)| x / s).collect()
}

/// Closes the joints from `q0` where some of them contradict each other below the tolerance: the rows that yield keep
/// the residual that the others leave them, the others are brought to round-off. Returns the position and the largest
/// scaled residual.
pub(super) fn close_yielding(
    sys: &System,
    t: f64,
    q0: &[f64],
    rank: usize,
    yielding: &[usize],
) -> Result<(Vec<f64>, f64), KktError> {
    let d = sys.dims();
    let s = sys.structure();
    let scales = sys.scales();
    let rows = RankedRows {
        rank,
        row_scale: scales.row.clone(),
        col_scale: scales.q.clone(),
        yielding: yielding.to_vec(),
        grip: 1.0,
    };
    let mut kkt = RankedKkt::new(MassShape::new(vec![1; d.nv]), s.jac.clone(), rows)?;
    let metric: Vec<f64> = scales.q.iter().map(|s| 1.0 / (s * s)).collect();
    kkt.set_mass(&metric)?;
    let z = sys.initial_z(t, q0);
    let mut ws = sys.workspace();
    let mut q = q0.to_vec();
    let mut jac = vec![0.0; s.jac.nnz()];
    let (mut b, mut dx) = (vec![0.0; d.n_vel], vec![0.0; d.nv]);
    let (mut lambda, zero) = (vec![0.0; d.n_vel], vec![0.0; d.nv]);
    let mut worst = f64::INFINITY;
    for pass in 0..=MAX_YIELDING {
        sys.realize_position(t, &q, &z, &mut ws);
        b.fill(0.0);
        sys.residual_pos(&ws, &mut b[..d.n_pos]);
        worst = largest(b.iter().zip(&scales.row).map(|(x, s)| (x / s).abs()));
        if pass == MAX_YIELDING || worst <= f64::EPSILON {
            break;
        }
        for x in &mut b {
            *x = -*x;
        }
        sys.jacobian(&ws, &mut jac);
        kkt.factor(&jac)?;
        kkt.solve(&zero, &b, &mut dx, &mut lambda)?;
        let from = q.clone();
        sys.manifold().retract(&from, &dx, &mut q);
    }
    Ok((q, worst))
}

/// Number of steps of [`close_yielding`]: it starts where all rows hold to the tolerance.
const MAX_YIELDING: usize = 3;

/// The joints cannot be closed: names them, and whether they contradict each other.
fn diagnose(
    sys: &System,
    g: &[f64],
    scale: &[f64],
    pattern: &delassus_linalg::Csr,
    jac: &[f64],
    iterations: usize,
) -> Diagnostic {
    let mut order: Vec<usize> = (0..g.len()).collect();
    order.sort_by(|a, b| (g[*b] / scale[*b]).abs().total_cmp(&(g[*a] / scale[*a]).abs()));
    let largest = (g[order[0]] / scale[order[0]]).abs();
    let name = |i: &usize| {
        let unit = if scale[*i] == 1.0 { "" } else { " m" };
        format!("{}: {:+.4e}{unit}", sys.row_name(*i), g[*i])
    };
    let worst: Vec<String> = order.iter().take(5).filter(|i| g[**i] != 0.0).map(name).collect();
    // At a least-squares minimum Gᵀg vanishes: the remainder is a contradiction between the rows that carry it, not a
    // bad initial guess.
    let mut gradient = vec![0.0; pattern.ncols];
    let weighted: Vec<f64> = g.iter().zip(scale).map(|(x, s)| x / (s * s)).collect();
    let mut full = vec![0.0; pattern.nrows];
    full[..g.len()].copy_from_slice(&weighted);
    pattern.mul_t_add(jac, 1.0, &full, &mut gradient);
    let downhill =
        delassus_math::largest(gradient.iter().zip(&sys.scales().q).map(|(x, s)| (x * s).abs()));
    let first = &sys.model().joints[sys.row_origins()[order[0]].joint.0].name;
    if downhill < 1e-2 * largest {
        let mut joints: Vec<&str> = Vec::new();
        for i in &order {
            if (g[*i] / scale[*i]).abs() > 0.05 * largest {
                let j = sys.model().joints[sys.row_origins()[*i].joint.0].name.as_str();
                if !joints.contains(&j) {
                    joints.push(j);
                }
            }
        }
        joints.truncate(4);
        return Diagnostic::error(
            "E_CONFLICT",
            format!("joint.{first}"),
            format!(
                "these joints contradict each other: {}; residuals: {}",
                joints.join(", "),
                worst.join("; ")
            ),
        )
        .help("lengths or positions do not fit together: change one of the named joints or the bodies between them");
    }
    Diagnostic::error(
        "E_ASSEMBLY",
        format!("joint.{first}"),
        format!(
            "the mechanism cannot be assembled from the given positions ({iterations} iterations, scaled residual {largest:.3e}); worst constraints: {}",
            worst.join("; ")
        ),
    )
    .help("give starting positions closer to the assembled mechanism, or check the lengths")
}

/// How far bodies were moved; an error if it is more than the user allows.
fn moved(
    sys: &System,
    q0: &[f64],
    q: &[f64],
    report: &mut AssemblyReport,
) -> Result<(), Vec<Diagnostic>> {
    let d = sys.dims();
    let mut xi = vec![0.0; d.nv];
    sys.manifold().local(q0, q, &mut xi);
    let scale = sys.scales().q;
    let limit = sys.model().analysis.max_assembly_correction;
    let mut faults = Vec::new();
    for (k, body) in sys.model().bodies.iter().enumerate() {
        let (at, turning) = (sys.body_span(k).0, body.kind.rotation());
        let size = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>().sqrt();
        let distance = size(&xi[at..at + turning.start]);
        let angle = size(&xi[at + turning.start..at + turning.end]);
        let relative = (distance / scale[at]).max(angle);
        if relative > 1e-9 {
            report.moved.push((body.name.clone(), distance.max(angle * sys.length_scale())));
        }
        if relative > limit {
            faults.push(
                Diagnostic::error(
                    "E_ASSEMBLY_MOVED",
                    format!("body.{}.position", body.name),
                    format!(
                        "assembly would move the body by {distance:.4e} m and {angle:.4e} rad, more than {:.3} of the model's size ({:.4e} m)",
                        limit,
                        sys.length_scale()
                    ),
                )
                .help("give a better starting position, or raise analysis.max_assembly_correction"),
            );
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
