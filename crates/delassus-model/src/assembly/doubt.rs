//! Constraints that are almost dependent, or almost independent: what is reported about them, and which joint yields
//! where they contradict each other.

use super::AssemblyReport;
use crate::model::JointId;
use crate::{Diagnostic, System};
use delassus_dae::Problem;
use delassus_linalg::rank::RankReport;
use delassus_linalg::rank_tol;
use delassus_math::{largest, max_abs};

/// Fraction of the largest coefficient of a dependency that a joint must have to be able to yield.
const TAKES_PART: f64 = 0.1;

/// A note if rows that count as independent are almost dependent, or the cut is not clear.
pub(super) fn small_gap(sys: &System, found: &RankReport, report: &mut AssemblyReport) {
    let [kept, dropped] = [found.smallest_kept, found.largest_dropped];
    let dropped_at_least = dropped.max(rank_tol::rounding(found.rows));
    let narrow = kept < dropped_at_least * 10f64.powf(rank_tol::GAP_DECADES);
    if kept >= rank_tol::DELICATE && !narrow {
        return;
    }
    let row = found.weakest_row.map_or_else(String::new, |r| sys.row_name(r));
    let path = found.weakest_row.map_or_else(String::new, |r| {
        format!("joint.{}", sys.model().joints[sys.row_origins()[r].joint.0].name)
    });
    report.notes.push(
        Diagnostic::note(
            "N_RANK_GAP",
            path,
            format!(
                "{row} is almost a combination of the constraints before it: the smallest singular value that counts as held is {kept:.1e}, the largest that counts as redundant {dropped:.1e} (the cut is at {:.0e}); {} of {} velocities are free",
                rank_tol::ROWS,
                sys.dims().nv - found.rank,
                sys.dims().nv,
            ),
        )
        .help("if lengths or axes of these joints were meant to agree, make them agree exactly or leave a joint out; as written, they hold the mechanism in one more direction, with very large reactions"),
    );
}

/// A joint that is left open where rows contradict each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GivesWay {
    pub joint: JointId,
    /// It is evident that it does not fit where the user placed the bodies.
    pub evident: bool,
    /// The rows of its dependency contradict each other by more than rounding.
    pub contradicted: bool,
}

/// The joint of each dependency that is left open where its rows contradict each other: the one where the bodies, as
/// the user placed them, do not fit by more than rounding, or the last one. The dependency is then named after it.
/// `given` are the residuals where the user placed the bodies or, if that is too rough to decide, where assembly
/// closed them.
pub(super) fn who_gives_way(
    sys: &System,
    found: &mut RankReport,
    given: &[f64],
    rough: bool,
    rounding: f64,
) -> Vec<GivesWay> {
    let joint_of = |row: usize| sys.row_origins()[row].joint;
    let scale = sys.scales().row;
    let size = |row: usize, c: f64| (c * scale[row]).abs();
    let mut out: Vec<GivesWay> = Vec::new();
    for which in 0..found.dependent.len() {
        let d = &found.dependent[which];
        let all: Vec<(usize, f64)> = d
            .others
            .iter()
            .map(|&(i, c)| (i, size(i, c)))
            .chain([(d.row, size(d.row, 1.0))])
            .collect();
        let largest = largest(all.iter().map(|x| x.1));
        let off = |j: JointId| max_abs(sys.rows_of(j).filter_map(|r| given.get(r)));
        let evident = |off: f64| !rough && off > rounding;
        // a left null vector sees what no position can close
        let residual = |row: usize, c: f64| given.get(row).map_or(0.0, |g| c * scale[row] * g);
        let open =
            residual(d.row, 1.0) - d.others.iter().map(|&(i, c)| residual(i, c)).sum::<f64>();
        let contradicted = open.abs() > rounding * all.iter().map(|x| x.1).sum::<f64>();
        let mut chosen = (joint_of(d.row), off(joint_of(d.row)));
        for (row, c) in &all {
            let j = joint_of(*row);
            if *c >= TAKES_PART * largest && off(j) > 2.0 * chosen.1 && evident(off(j)) {
                chosen = (j, off(j));
            }
        }
        if chosen.0 != joint_of(d.row) {
            let best = all
                .iter()
                .filter(|(r, _)| joint_of(*r) == chosen.0)
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .map(|x| x.0);
            if let Some(row) = best {
                found.leave_out(which, row);
            }
        }
        match out.iter_mut().find(|x| x.joint == chosen.0) {
            Some(known) => known.contradicted |= contradicted,
            None => {
                let (joint, evident) = (chosen.0, evident(chosen.1));
                out.push(GivesWay { joint, evident, contradicted });
            }
        }
    }
    found.dependent.sort_by_key(|d| d.row);
    out
}

/// A note for dependent rows that do not quite agree.
pub(super) fn almost_redundant(
    sys: &System,
    found: &RankReport,
    joints: &[JointId],
    report: &mut AssemblyReport,
) {
    let names: Vec<String> =
        joints.iter().map(|j| format!("\"{}\"", sys.model().joints[j.0].name)).collect();
    let path = joints
        .first()
        .map_or_else(String::new, |j| format!("joint.{}", sys.model().joints[j.0].name));
    report.notes.push(
        Diagnostic::note(
            "N_ALMOST_REDUNDANT",
            path,
            format!(
                "redundant constraints that do not quite agree (singular value {:.1e}, contradiction {:.1e} of the model's size; up to {:.0e} counts as redundant): what they contradict each other by is left in joint {}",
                found.largest_dropped,
                report.residual,
                rank_tol::ROWS,
                names.join(", ")
            ),
        )
        .help("make lengths and axes agree exactly, or leave the joint out; the run stops if the contradiction grows beyond the tolerance of constraints"),
    );
}
