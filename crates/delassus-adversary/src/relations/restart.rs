//! A new model that starts from the state in the middle of the run.

use crate::mechanism::{ContactKind, ForceKind, JointKind, Kind, Mechanism, Turn, View, toml};
use crate::run::{BUDGET, Ended, Trace, run_within};
use crate::subject::{BodyState, RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let middle = s.careful.t.len() / 2;
    if remembers(s, middle) {
        return Vec::new();
    }
    let m = restarted(s, middle);
    let t = s.careful.t[middle];
    let samples = (s.careful.t.len() - 1 - middle) as u32;
    let view = View { begin: t, span: Some((s.mechanism.end - t, samples)), ..View::plain() };
    let text = toml(&m, &view);
    let found = match run_within(&text, &s.names, BUDGET) {
        Ended::Done(trace) => {
            s.compare("restart", &view, &joined(s, &trace, middle), s.accuracy(RTOL))
        }
        Ended::NotAble => None,
        other => Some(Violation::new("restart", other.kind(), other.words(), f64::INFINITY)),
    };
    found.into_iter().map(|v| v.with_twin(text.clone())).collect()
}

/// Whether the state in the middle holds more than positions and velocities: integrals, numbers of turns, depths.
fn remembers(s: &Subject, middle: usize) -> bool {
    let m = &s.mechanism;
    let integral = |k: &ForceKind| matches!(k, ForceKind::Actuator { ki, .. } if *ki != 0.0);
    if m.forces.iter().any(|f| integral(&f.kind)) {
        return true;
    }
    let turned = |joint: &str| {
        let c = s.names.iter().position(|n| *n == format!("{joint}_c"));
        c.is_some_and(|c| s.columns[c].kind == Kind::Angle && s.careful.data[c][middle].abs() > 3.0)
    };
    let by_joint = m.joints.iter().any(|j| turned(&j.name));
    // screws, gears and racks count their angles from the start too
    let counted = m.joints.iter().any(|j| {
        matches!(
            j.kind,
            JointKind::Gear { .. } | JointKind::Rack { .. } | JointKind::Pair { word: "screw", .. }
        )
    });
    // at rest on a clutch, round-off may give the rate either sign
    let clutch = m.contacts.iter().any(|c| matches!(c.kind, ContactKind::OneWay { .. }));
    // the losses of a contact that yields follow from the speed with which it began
    by_joint || counted || clutch || m.has_cushions()
}

fn restarted(s: &Subject, middle: usize) -> Mechanism {
    let mut m = s.mechanism.clone();
    for body in &mut m.bodies {
        let state = s.state(&s.careful, body, middle);
        body.turn = if s.mechanism.space {
            Turn::Quat(quaternion(&state))
        } else {
            Turn::Angle(state.axes[0][1].atan2(state.axes[0][0]))
        };
        body.rate = Some(state.components(state.rate));
        body.velocity = Some(state.velocity);
        body.at = state.at;
    }
    for joint in &mut m.joints {
        if let JointKind::Pair { initial_rate, .. } = &mut joint.kind {
            *initial_rate = None;
        }
    }
    m
}

fn quaternion(state: &BodyState) -> [f64; 4] {
    let [x, y, z] = state.axes;
    // the largest component first, for accuracy
    let squares = [
        1.0 + x[0] + y[1] + z[2],
        1.0 + x[0] - y[1] - z[2],
        1.0 - x[0] + y[1] - z[2],
        1.0 - x[0] - y[1] + z[2],
    ];
    let (a, b, c) = (y[2] - z[1], z[0] - x[2], x[1] - y[0]);
    let (d, e, f) = (x[1] + y[0], z[0] + x[2], y[2] + z[1]);
    let best = (0..4).fold(0, |k, i| if squares[i] > squares[k] { i } else { k });
    let q = match best {
        0 => [squares[0], a, b, c],
        1 => [a, squares[1], d, e],
        2 => [b, d, squares[2], f],
        _ => [c, e, f, squares[3]],
    };
    let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / n)
}

/// The careful run up to the middle, then the new one.
fn joined(s: &Subject, later: &Trace, middle: usize) -> Trace {
    let mut all = s.careful.clone();
    let count = (all.t.len() - middle).min(later.t.len());
    for (column, new) in all.data.iter_mut().zip(&later.data) {
        column[middle..middle + count].copy_from_slice(&new[..count]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternions_of_axes() {
        for turn in
            [Turn::about([0.6, 0.0, 0.8], 2.8), Turn::about([0.0, 1.0, 0.0], -3.0), Turn::NONE]
        {
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| turn.of(e));
            let q =
                quaternion(&BodyState { at: [0.0; 3], axes, velocity: [0.0; 3], rate: [0.0; 3] });
            for (i, e) in
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().enumerate()
            {
                let again = Turn::Quat(q).of(e);
                assert!((0..3).all(|k| (again[k] - axes[i][k]).abs() < 1e-14));
            }
        }
    }
}
