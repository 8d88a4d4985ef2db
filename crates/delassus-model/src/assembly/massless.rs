//! Massless bodies are allowed where the joints carry every force on them: each direction without inertia must be
//! constrained.

use super::unsolved::unsolved_at;
use crate::{Diagnostic, System};
use delassus_dae::Problem;
use delassus_linalg::Csr;
use delassus_linalg::rank::row_rank;
use delassus_linalg::rank_tol;

pub(super) fn check(sys: &System, t: f64, q: &[f64], z: &[f64]) -> Result<(), Vec<Diagnostic>> {
    let directions = massless_directions(sys);
    if directions.is_empty() {
        return Ok(());
    }
    let s = sys.structure();
    let mut ws = sys.workspace();
    sys.realize_position(t, q, z, &mut ws);
    let mut jac = vec![0.0; s.jac.nnz()];
    sys.jacobian(&ws, &mut jac);
    // One row per massless direction, one column per constraint; full row rank wanted.
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    for row in 0..s.jac.nrows {
        for slot in s.jac.row_ptr[row]..s.jac.row_ptr[row + 1] {
            for (k, dir) in directions.iter().enumerate() {
                for (dof, c) in &dir.dofs {
                    if *dof == s.jac.col[slot] {
                        entries.push((k, row, c * jac[slot] * sys.scales().q[*dof]));
                    }
                }
            }
        }
    }
    let pairs = entries.iter().map(|e| (e.0, e.1));
    let fail = |e: delassus_linalg::KktError| unsolved_at(None, "E_MASSLESS", &e);
    let pattern = Csr::from_pairs(directions.len(), s.jac.nrows.max(1), pairs).map_err(fail)?;
    let mut values = vec![0.0; pattern.nnz()];
    for (i, j, x) in entries {
        if let Some(slot) = pattern.slot(i, j) {
            values[slot] += x;
        }
    }
    let report = row_rank(&pattern, &values, None, rank_tol::ROWS).map_err(fail)?;
    let faults: Vec<Diagnostic> = report
        .dependent
        .iter()
        .map(|d| {
            let dir = &directions[d.row];
            let body = &sys.model().bodies[dir.body];
            Diagnostic::error(
                "E_MASSLESS",
                format!("body.{}.{}", body.name, dir.field),
                format!(
                    "the body has no {} but can move ({}): its acceleration would be infinite",
                    dir.field, dir.label
                ),
            )
            .help("give it a mass and inertia, or joints that hold it in that direction")
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

struct Direction {
    body: usize,
    field: &'static str,
    label: String,
    dofs: Vec<(usize, f64)>,
}

fn massless_directions(sys: &System) -> Vec<Direction> {
    let mut out = Vec::new();
    for (k, b) in sys.model().bodies.iter().enumerate() {
        let (at, _) = sys.body_span(k);
        if b.mass == 0.0 {
            for i in 0..b.kind.rotation().start {
                out.push(Direction {
                    body: k,
                    field: "mass",
                    label: format!("translation {}", ["x", "y", "z"][i]),
                    dofs: vec![(at + i, 1.0)],
                });
            }
        }
        for (label, dofs) in b.kind.idle_rotations(&b.inertia) {
            let dofs = dofs.into_iter().map(|(i, c)| (at + i, c)).collect();
            out.push(Direction { body: k, field: "inertia", label, dofs });
        }
    }
    out
}
