//! The system with those contacts closed that are so at a state.

use super::AnalysisError;
use delassus_dae::analysis::{ClosedPoint, PressedPoint};
use delassus_dae::{Accel, ContactPoint, Derived, Onset, PointLaw, Problem, State, Unilateral};
use delassus_model::System;
use delassus_nonsmooth::{Active, Mode, Pressed, SlipState};
use std::sync::Arc;

/// Gap, in lengths of the system, up to which a contact is closed.
const TOUCHING: f64 = 1e-6;
/// Sliding, in lengths of the system per second, beyond which a contact does not stick.
const STILL: f64 = 1e-6;

/// Closed and pressed points as a problem of its own.
pub(super) fn closed_mode(
    sys: &Arc<System>,
    closed: &[ClosedPoint],
    pressed: &[PressedPoint],
) -> Result<Mode<System>, delassus_dae::KktError> {
    let active = closed.iter().map(|c| Active {
        id: c.id,
        features: c.features,
        motion: if c.sticks { SlipState::Stick } else { SlipState::Closed },
    });
    let pressed = pressed.iter().map(|p| Pressed {
        id: p.id,
        features: p.features,
        onset: p.onset,
        slack: false,
    });
    // no speed matters at rest
    Mode::new(sys.clone(), active.collect(), None, 1.0)?.with_pressed(pressed.collect())
}

/// Multipliers of the rows of a mode.
pub(super) fn mode_multipliers(
    mode: &Mode<System>,
    base: &[f64],
    closed: &[ClosedPoint],
) -> Vec<f64> {
    let d = mode.dims();
    let b = mode.base().dims();
    let mut out = vec![0.0; d.n_vel];
    out[..b.n_pos].copy_from_slice(&base[..b.n_pos]);
    let first = b.n_pos + (d.n_pos - b.n_pos);
    out[first..first + (b.n_vel - b.n_pos)].copy_from_slice(&base[b.n_pos..]);
    for (k, c) in closed.iter().enumerate() {
        if let Some(row) = mode.normal_row(k) {
            out[row] = c.force[0];
        }
        for (i, row) in mode.tangent_rows(k).iter().enumerate() {
            if let Some(row) = row {
                out[*row] = c.force[1 + i];
            }
        }
    }
    out
}

/// Contacts that are closed in a motion, and what they carry. Contacts that slide are an error: next to them motions are not
/// small vibrations.
pub(super) fn touching(
    sys: &Arc<System>,
    s: &State,
) -> Result<Option<(Mode<System>, Derived)>, AnalysisError> {
    if !sys.has_contacts() {
        return Ok(None);
    }
    let length = sys.length();
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    sys.realize_velocity(&s.v, &s.z, &mut ws);
    let mut ids = Vec::new();
    sys.near(&ws, TOUCHING * length, &mut ids);
    let (mut closed, mut pressed) = (Vec::new(), Vec::new());
    for id in ids {
        let mut at = ContactPoint::default();
        if !sys.evaluate(&ws, id, None, &mut at) {
            continue;
        }
        let per_metre = sys.gap_per_metre(id);
        let law = sys.law(id);
        match law {
            PointLaw::DryFriction { .. } | PointLaw::OneWay => continue,
            PointLaw::Compliant => {
                if let (true, Some(c)) = (at.gap < 0.0, sys.compliance(id)) {
                    let speed = c.least_speed.max(-at.rate[0]);
                    let onset =
                        Onset { speed, stiffness: sys.stiffness(id, at.features), mass: 1.0 };
                    pressed.push(PressedPoint { id, features: at.features, onset, force: 0.0 });
                }
                continue;
            }
            PointLaw::Contact { .. } => {}
        }
        if at.gap > TOUCHING * length * per_metre || at.rate[0] > STILL * length * per_metre {
            continue;
        }
        if law.is_rough() && at.rate[1].hypot(at.rate[2]) > STILL * length * per_metre {
            return Err(AnalysisError::input(
                "E_SLIDING",
                format!(
                    "contact \"{}\" slides at t = {} s ({:.3e} m/s): next to sliding friction there are no modes",
                    sys.point_name(id),
                    s.t,
                    at.rate[1].hypot(at.rate[2])
                ),
                "ask for a time at which nothing slides, or for --at static",
            ));
        }
        let sticks = law.is_rough();
        closed.push(ClosedPoint {
            id,
            features: at.features,
            sticks,
            slides: false,
            force: [0.0; 3],
        });
    }
    loop {
        let failed = |e: &dyn std::fmt::Display| {
            AnalysisError::numerical(
                "E_MODES",
                format!("forces of the contacts that touch cannot be computed: {e}"),
                "ask for a time at which they are open, or for --at static",
            )
        };
        let mode = closed_mode(sys, &closed, &pressed).map_err(|e| failed(&e))?;
        let d = mode.dims();
        let mut derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        let mut ws = mode.workspace();
        // rows of contacts may depend on each other
        let mut acc = Accel::min_norm(&mode).map_err(|e| failed(&e))?;
        let Derived { a, lambda, zdot } = &mut derived;
        acc.eval(&mode, &mut ws, s.t, &s.q, &s.v, &s.z, a, lambda, zdot).map_err(|e| failed(&e))?;
        let pulls = (0..closed.len())
            .filter_map(|k| Some((k, derived.lambda[mode.normal_row(k)?])))
            .filter(|(_, force)| *force < 0.0)
            .min_by(|a, b| a.1.total_cmp(&b.1));
        match pulls {
            Some((k, _)) => {
                closed.remove(k);
            }
            None => return Ok(Some((mode, derived))),
        }
    }
}
