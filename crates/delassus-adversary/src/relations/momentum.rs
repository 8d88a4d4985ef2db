//! Linear and angular momentum of mechanisms on which nothing external acts.

use crate::mechanism::{ForceKind, Kind, V3, add, cross, norm, sub, times};
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let mut m = s.mechanism.clone();
    let outside = m.gravity != [0.0; 3]
        || m.forces
            .iter()
            .any(|f| matches!(f.kind, ForceKind::Push { .. } | ForceKind::Twist { .. }))
        || m.places().iter().any(|p| p.body.is_none());
    if outside {
        return Vec::new();
    }
    let start = momenta(s, 0);
    let mass: f64 = m.bodies.iter().map(|b| b.mass).sum();
    let (length, speed) = (s.scale(Kind::Length), s.scale(Kind::Speed));
    for i in 0..s.base.t.len() {
        let now = momenta(s, i);
        let allowed = s.accuracy(RTOL) * mass * speed;
        let ratios = [
            norm(sub(now[0], start[0])) / allowed,
            norm(sub(now[1], start[1])) / (allowed * length.max(1e-3)),
        ];
        for (ratio, what) in ratios.iter().zip(["linear", "angular"]) {
            if !(*ratio <= 1.0) {
                let text = format!(
                    "the {what} momentum is no longer what it was at t = {} ({ratio:.1} × what is allowed)",
                    s.base.t[i]
                );
                return vec![Violation::new("momentum", what.into(), text, *ratio)];
            }
        }
    }
    Vec::new()
}

fn momenta(s: &Subject, sample: usize) -> [V3; 2] {
    let mut sum = [[0.0; 3]; 2];
    for body in &s.mechanism.bodies {
        let state = s.state(&s.base, body, sample);
        let arm = state.vector(body.com);
        let velocity = add(state.velocity, cross(state.rate, arm));
        let p = times(body.mass, velocity);
        let local = state.components(state.rate);
        let spin = [0, 1, 2].map(|k| body.inertia[k] * local[k]);
        sum[0] = add(sum[0], p);
        sum[1] = add(sum[1], add(cross(add(state.at, arm), p), state.vector(spin)));
    }
    sum
}
