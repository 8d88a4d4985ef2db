//! Joints that repeat each other by the thousand, whose dependencies would take minutes to resolve.

use crate::{Diagnostic, System};
use delassus_dae::Problem;
use std::collections::BTreeMap;

/// Rows beyond those that can be independent, that may meet in one body. Resolving so many of them takes a few seconds, since
/// the cost grows with the cube of their number.
const MOST: usize = 3000;

/// Refuses bodies on which so many rows repeat others.
pub(super) fn check(system: &System) -> Result<(), Vec<Diagnostic>> {
    let s = system.structure();
    if s.jac.nrows <= MOST {
        return Ok(());
    }
    // rows by the bodies on which they act, with the velocities of these
    let mut groups: BTreeMap<Vec<usize>, (usize, usize)> = BTreeMap::new();
    for i in 0..s.jac.nrows {
        let mut bodies: Vec<usize> =
            s.jac.row(i).iter().filter_map(|dof| system.dof_owner(*dof)).map(|o| o.0).collect();
        bodies.sort_unstable();
        bodies.dedup();
        groups.entry(bodies).or_insert((0, i)).0 += 1;
    }
    let mut repeated: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (bodies, (rows, first)) in &groups {
        let velocities: usize = bodies.iter().map(|b| system.body_velocities(*b)).sum();
        for body in bodies {
            let at = repeated.entry(*body).or_insert((0, *first));
            at.0 += rows.saturating_sub(velocities);
        }
    }
    let Some((&body, &(rows, first))) = repeated.iter().max_by_key(|(_, r)| r.0) else {
        return Ok(());
    };
    if rows <= MOST {
        return Ok(());
    }
    let model = system.model();
    let joint = &model.joints[system.row_origins()[first].joint.0].name;
    let message = format!(
        "{rows} conditions of joints on body \"{}\" repeat others, more than the {MOST} that can be resolved; joint.{joint} \
         is the first of them",
        model.bodies[body].name
    );
    let fault = Diagnostic::error("E_LIMIT", format!("joint.{joint}"), message);
    Err(vec![fault.help("leave out joints that hold what others hold already")])
}
