//! Mobility and redundancy, by name.

use super::unsolved::unsolved;
use super::{AssemblyReport, doubt, position};
use crate::model::JointId;
use crate::{Diagnostic, System};
use delassus_dae::{Problem, RowRank, SOLVED_BY_RANK};
use delassus_linalg::rank::{RankReport, non_unique_rows, row_rank_of_blocks};
use delassus_linalg::rank_tol;
use delassus_math::{largest, max_abs};

/// Number of rows beyond which the second examination next to the start is not worth its time.
const LARGE: usize = 2000;

/// Number of velocities up to which joints are closed by rank to see whether redundant ones fit.
const CLOSED_BY_RANK: usize = 150;

/// A row that depends on others.
#[derive(Debug, Clone, PartialEq)]
pub struct Redundancy {
    /// Its name: joint "pin" (rotation 1).
    pub row: String,
    /// The rows it is a combination of.
    pub depends_on: Vec<String>,
}

/// What the run needs to know about the rank.
pub(super) struct Found {
    /// Rows that are independent of each other; `None`: all.
    pub independent: Option<Vec<usize>>,
    /// How certain that is.
    pub rank: RowRank,
    /// A better start, if rows contradict each other below the tolerance.
    pub moved: Option<Vec<f64>>,
}

pub(super) fn analyse(
    sys: &System,
    t: f64,
    q: &[f64],
    z: &[f64],
    report: &mut AssemblyReport,
) -> Result<Found, Vec<Diagnostic>> {
    let d = sys.dims();
    report.nv = d.nv;
    report.rows = d.n_vel;
    let given = position::given_residual(sys, t);
    let mut here = rank_at(sys, t, q, z)?;
    // Rows that contradict each other by less than the tolerance are an exact dependency at the nominal lengths, where
    // the user placed the bodies, not where closing left them.
    if given.iter().all(|x| x.abs() <= rank_tol::ROWS)
        && let Ok(meant) = rank_at(sys, t, &sys.given_configuration(), z)
        && meant.rank < here.rank
    {
        here = meant;
    }
    report.rank = here.rank;
    report.mobility = d.nv - here.rank;
    report.rank_gap = [here.smallest_kept, here.largest_dropped];
    doubt::small_gap(sys, &here, report);
    let certain = |grip: f64| RowRank { grip, ..RowRank::default() };
    if here.rank == d.n_vel {
        return Ok(Found { independent: None, rank: certain(here.smallest_kept), moved: None });
    }
    // Redundant everywhere, or only in this position? Step aside along a free direction, close the joints again, and
    // examine them there.
    let mut seen = here;
    if report.mobility > 0
        && d.n_vel <= LARGE
        && let Some(aside) = step_aside(sys, t, q, z)
        && let Ok(closed) = position::close(sys, t, &aside)
        && closed.worst < 1e-10
        && let Ok(there) = rank_at(sys, t, &closed.q, z)
        && there.rank > seen.rank
        && there.smallest_kept > 1e3 * rank_tol::ROWS
    {
        report.singular_start = true;
        report.notes.push(
            Diagnostic::note(
                "N_SINGULAR_START",
                "",
                format!(
                    "the start is a singular position: {} degrees of freedom here, {} next to it",
                    d.nv - seen.rank,
                    d.nv - there.rank
                ),
            )
            .help("the motion that follows continues the given velocities"),
        );
        if there.rank == d.n_vel {
            return Ok(Found { independent: None, rank: certain(1.0), moved: None });
        }
        seen = there;
    }
    let mut here = seen;
    let almost = here.largest_dropped > rank_tol::rounding(d.n_vel) || !fits(sys, t, q, here.rank);
    let close = given.iter().all(|x| x.abs() <= rank_tol::ROWS);
    let left = if close { given } else { position::residual_at(sys, t, q) };
    let misfits = doubt::who_gives_way(sys, &mut here, &left, !close, rounding(sys, q));
    // where it is known which dependencies contradict, joints of exact ones hold as any other
    let known = misfits.iter().any(|m| m.contradicted);
    let gives_way = |m: &&doubt::GivesWay| m.evident || almost && (m.contradicted || !known);
    let open: Vec<JointId> = misfits.iter().filter(gives_way).map(|m| m.joint).collect();
    let yielding: Vec<usize> = open.iter().flat_map(|j| sys.rows_of(*j)).collect();
    let mut moved = None;
    if almost && d.nv <= SOLVED_BY_RANK {
        let from = if close { sys.given_configuration() } else { q.to_vec() };
        if let Ok((closed, worst)) = position::close_yielding(sys, t, &from, here.rank, &yielding)
            && worst <= rank_tol::ROWS
        {
            report.residual = worst;
            moved = Some(closed);
        }
    }
    if almost {
        doubt::almost_redundant(sys, &here, &open, report);
    }
    name_dependencies(sys, &here, report);
    let dropped: Vec<usize> = here.dependent.iter().map(|d| d.row).collect();
    // dependent rows are ascending
    let independent = (0..d.n_vel).filter(|r| dropped.binary_search(r).is_err()).collect();
    let rank = RowRank { grip: here.smallest_kept, almost, yielding, dependent: dropped };
    Ok(Found { independent: Some(independent), rank, moved })
}

/// Whether redundant joints agree up to rounding: then all of them can be closed together using as many directions as
/// they hold.
fn fits(sys: &System, t: f64, q: &[f64], rank: usize) -> bool {
    let d = sys.dims();
    if d.nv > CLOSED_BY_RANK {
        return true;
    }
    position::close_yielding(sys, t, q, rank, &[])
        .is_ok_and(|(_, worst)| worst <= 2.0 * rounding(sys, q))
}

/// Scaled residual that is rounding, this far from the origin.
fn rounding(sys: &System, q: &[f64]) -> f64 {
    let far = max_abs(q) / sys.length_scale();
    20.0 * f64::EPSILON * (1.0 + far)
}

/// Which row depends on which others, and which reactions are not unique.
fn name_dependencies(sys: &System, here: &RankReport, report: &mut AssemblyReport) {
    for dep in &here.dependent {
        let mut others: Vec<(usize, f64)> = dep.others.clone();
        others.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        report.redundancy.push(Redundancy {
            row: sys.row_name(dep.row),
            depends_on: others.iter().map(|(r, _)| sys.row_name(*r)).collect(),
        });
    }
    let mut joints: Vec<String> = Vec::new();
    let mut named = vec![false; sys.model().joints.len()];
    for (i, _) in non_unique_rows(here).iter().enumerate().filter(|(_, flag)| **flag) {
        let joint = sys.row_origins()[i].joint.0;
        if !std::mem::replace(&mut named[joint], true) {
            joints.push(sys.model().joints[joint].name.clone());
        }
    }
    let Some(first) = report.redundancy.first() else { return };
    report.notes.push(
        Diagnostic::note(
            "N_REDUNDANT",
            "",
            format!(
                "{} redundant constraint{}: e.g. {} depends on {}; reactions are not unique for {}",
                report.redundancy.len(),
                if report.redundancy.len() == 1 { "" } else { "s" },
                first.row,
                list(&first.depends_on, 4),
                list(&joints, 8)
            ),
        )
        .help(
            "the motion is unique; of the reactions the smallest (in the Euclidean norm) are given",
        ),
    );
    report.non_unique = joints;
}

fn list(items: &[String], most: usize) -> String {
    let mut text = items.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if items.len() > most {
        text.push_str(&format!(" and {} more", items.len() - most));
    }
    if text.is_empty() { "nothing (the row is empty)".to_owned() } else { text }
}

fn rank_at(sys: &System, t: f64, q: &[f64], z: &[f64]) -> Result<RankReport, Vec<Diagnostic>> {
    let s = sys.structure();
    let mut ws = sys.workspace();
    sys.realize_position(t, q, z, &mut ws);
    let mut jac = vec![0.0; s.jac.nnz()];
    sys.jacobian(&ws, &mut jac);
    // columns in units of the model's size, so that metres and radians compare
    let scale: Vec<f64> = sys.scales().q;
    row_rank_of_blocks(&s.jac, &jac, Some(&scale), s.mass.sizes(), rank_tol::ROWS)
        .map_err(|e| unsolved(sys, "E_ASSEMBLY", &e))
}

/// A configuration a little way along a generic admissible velocity.
fn step_aside(sys: &System, t: f64, q: &[f64], z: &[f64]) -> Option<Vec<f64>> {
    use delassus_linalg::{Backend, CondensedKkt, KktOptions, MassShape};
    let d = sys.dims();
    let s = sys.structure();
    let scale = sys.scales().q;
    let opts = KktOptions { backend: Backend::Auto, mass_floor: Vec::new(), redundant: true };
    let shape = MassShape::new(s.mass.sizes().to_vec());
    let metric: Vec<f64> = scale.iter().map(|s| 1.0 / (s * s)).collect();
    let metric = shape.with_diagonal(&metric);
    let mut kkt = CondensedKkt::new(shape, s.jac.clone(), opts).ok()?;
    kkt.set_mass(&metric).ok()?;
    let mut ws = sys.workspace();
    sys.realize_position(t, q, z, &mut ws);
    let mut jac = vec![0.0; s.jac.nnz()];
    sys.jacobian(&ws, &mut jac);
    kkt.factor(&jac).ok()?;
    // a generic push, made admissible
    let push: Vec<f64> =
        (0..d.nv).map(|i| ((i as f64 * 0.754_877_666).fract() - 0.5) / scale[i]).collect();
    let (mut dx, mut l) = (vec![0.0; d.nv], vec![0.0; d.n_vel]);
    kkt.solve(&push, &vec![0.0; d.n_vel], &mut dx, &mut l).ok()?;
    let size = largest(dx.iter().zip(&scale).map(|(x, s)| (x / s).abs()));
    if !(size > rank_tol::ROWS) {
        return None;
    }
    for x in &mut dx {
        *x *= 1e-2 / size;
    }
    let mut out = vec![0.0; d.nq];
    sys.manifold().retract(q, &dx, &mut out);
    Some(out)
}
