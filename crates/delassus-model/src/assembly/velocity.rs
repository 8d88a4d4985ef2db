//! Velocities: the given ones kept, the others as the joints ask.

use super::AssemblyReport;
use crate::{BodyKind, Diagnostic, System};
use delassus_dae::Problem;
use delassus_linalg::{Backend, CondensedKkt, Csr, KktOptions};

/// Mismatch, relative to the fastest velocity, that is worth a note.
const NOTEWORTHY: f64 = 1e-8;

/// A wanted velocity: Σ c v = value.
struct Wanted {
    path: String,
    entries: Vec<(usize, f64)>,
    value: f64,
}

pub(super) fn solve(
    sys: &System,
    t: f64,
    q: &[f64],
    z: &[f64],
    report: &mut AssemblyReport,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let d = sys.dims();
    let mut ws = sys.workspace();
    sys.realize_position(t, q, z, &mut ws);
    let wanted = wanted(sys, &ws);
    let s = sys.structure();
    let fail = |e: delassus_linalg::KktError| vec![Diagnostic::error("E_START", "", e.to_string())];
    let mut mass = vec![0.0; s.mass.value_len()];
    sys.mass(&ws, &mut mass);
    let mut jac = vec![0.0; s.jac.nnz()];
    sys.jacobian(&ws, &mut jac);
    // right-hand side of the constraints: −g_t
    let zero = vec![0.0; d.nv];
    sys.realize_velocity(&zero, z, &mut ws);
    let mut gt = vec![0.0; d.n_vel];
    sys.residual_vel(&ws, &mut gt);
    // constraints and wishes together
    let n_all = d.n_vel + wanted.len();
    let pairs = (0..d.n_vel).flat_map(|i| s.jac.row(i).iter().map(move |c| (i, *c))).chain(
        wanted
            .iter()
            .enumerate()
            .flat_map(|(k, w)| w.entries.iter().map(move |(dof, _)| (d.n_vel + k, *dof))),
    );
    let all = Csr::from_pairs(n_all, d.nv, pairs).map_err(fail)?;
    let mut values = vec![0.0; all.nnz()];
    values[..jac.len()].copy_from_slice(&jac);
    for (k, w) in wanted.iter().enumerate() {
        for (dof, c) in &w.entries {
            if let Some(slot) = all.slot(d.n_vel + k, *dof) {
                values[slot] += c;
            }
        }
    }
    let rhs: Vec<f64> = gt.iter().map(|x| -x).chain(wanted.iter().map(|w| w.value)).collect();
    let solve = |pattern: Csr, values: &[f64], f: &[f64], rhs: &[f64]| {
        let opts = KktOptions {
            backend: Backend::Auto,
            mass_floor: s.mass_floor.clone(),
            redundant: true,
        };
        let mut kkt = CondensedKkt::new(s.mass.clone(), pattern, opts)?;
        kkt.set_mass(&mass)?;
        kkt.factor(values)?;
        let (mut v, mut l) = (vec![0.0; d.nv], vec![0.0; rhs.len()]);
        kkt.solve(f, rhs, &mut v, &mut l)?;
        Ok(v)
    };
    let mut v = solve(all, &values, &zero, &rhs).map_err(fail)?;
    // wishes may contradict the joints: the joints win, in the mass metric
    let mut residual = vec![0.0; d.n_vel];
    sys.realize_velocity(&v, z, &mut ws);
    sys.residual_vel(&ws, &mut residual);
    for r in &mut residual {
        *r = -*r;
    }
    let dv = solve(s.jac.clone(), &jac, &zero, &residual).map_err(fail)?;
    for (v, d) in v.iter_mut().zip(&dv) {
        *v += d;
    }
    let fastest =
        v.iter().chain(wanted.iter().map(|w| &w.value)).fold(0.0, |m: f64, x| m.max(x.abs()));
    for w in &wanted {
        let got: f64 = w.entries.iter().map(|(dof, c)| c * v[*dof]).sum();
        if (got - w.value).abs() > NOTEWORTHY * fastest {
            report.notes.push(
                Diagnostic::note(
                    "N_VELOCITY_PROJECTED",
                    w.path.clone(),
                    format!("the joints allow {got:.6e} instead of the given {:.6e}", w.value),
                )
                .help("give fewer starting velocities, or ones that fit the joints"),
            );
        }
    }
    Ok(v)
}

fn wanted(sys: &System, ws: &crate::Workspace) -> Vec<Wanted> {
    let mut out = Vec::new();
    for (k, b) in sys.model().bodies.iter().enumerate() {
        let (at, n) = sys.body_span(k);
        let lin = if b.kind.is_planar() { 2 } else { 3 };
        if let Some(v) = &b.velocity {
            // velocity of the body frame's origin in terms of the mass centre's coordinates
            for i in 0..lin {
                out.push(Wanted {
                    path: format!("body.{}.velocity[{i}]", b.name),
                    entries: sys.origin_velocity_row(ws, k, i),
                    value: v[i],
                });
            }
        }
        if let Some(w) = &b.rate {
            match b.kind {
                BodyKind::Planar => out.push(Wanted {
                    path: format!("body.{}.rate", b.name),
                    entries: vec![(at + n - 1, 1.0)],
                    value: w.z,
                }),
                BodyKind::Rigid => {
                    for i in 0..3 {
                        out.push(Wanted {
                            path: format!("body.{}.rate[{i}]", b.name),
                            entries: vec![(at + 3 + i, 1.0)],
                            value: w[i],
                        });
                    }
                }
                BodyKind::Point | BodyKind::PlanarPoint => {}
            }
        }
    }
    for j in &sys.model().joints {
        if let Some(rate) = j.initial_rate
            && let Some(entries) = sys.coordinate_rate_row(ws, j)
        {
            out.push(Wanted {
                path: format!("joint.{}.initial_rate", j.name),
                entries,
                value: rate,
            });
        }
    }
    out
}
