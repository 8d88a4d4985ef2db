//! The law of a chosen point over one step, in impulses.

use super::Memory;
use delassus_dae::{ContactPoint, PointId, PointLaw, Unilateral};

/// What limits the impulses of a point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Rule {
    /// Nothing acts.
    #[default]
    None,
    /// p ≥ 0 and u ≥ `bound`, complementary; friction within `mu` p.
    Rigid { bound: f64, mu: f64 },
    /// p = max(0, push − slope u); friction −p `drag` u, at most `mu` p.
    Soft { push: f64, slope: f64, drag: f64, mu: f64 },
    /// |p| ≤ limit, against the rate.
    Dry { limit: f64 },
}

/// A chosen point.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// Index among all.
    pub index: usize,
    pub rule: Rule,
    /// Tangential rows in use.
    pub tangential: usize,
    /// It rebounds.
    pub hit: bool,
    /// Gap at the start, m or rad, where it must not stay negative.
    pub gap: Option<f64>,
}

impl Place {
    /// With the rates at the end without impulses, and the response of each row to itself.
    pub fn new<P: Unilateral>(
        p: &P,
        (index, id): (usize, PointId),
        at: &ContactPoint,
        free: [f64; 3],
        own: [f64; 3],
        memory: &mut Memory,
        h: f64,
    ) -> Place {
        let none = Place { index, ..Place::default() };
        match p.law_at(id, &at.rate) {
            PointLaw::Contact { mu, mu_static, restitution, tangential } => {
                let before = at.rate[0];
                // an approach that the forces of one step could not have made
                let fast = -before > (free[0] - before).abs();
                let hit = fast && at.gap + h * before <= 0.0;
                let bound = match hit {
                    true => -restitution.e * before,
                    false => -at.gap.max(0.0) / h,
                };
                let mu = if memory.stuck { mu.max(mu_static) } else { mu };
                let tangential = if mu > 0.0 { tangential } else { 0 };
                Place {
                    rule: Rule::Rigid { bound, mu },
                    tangential,
                    hit,
                    gap: Some(at.gap),
                    ..none
                }
            }
            PointLaw::Compliant => Place { ..soft(p, id, at, (free, own), memory, h, none) },
            PointLaw::OneWay => Place { rule: Rule::Rigid { bound: 0.0, mu: 0.0 }, ..none },
            PointLaw::DryFriction { bound, bound_static } => {
                let bound = if memory.stuck { bound.max(bound_static) } else { bound };
                Place { rule: Rule::Dry { limit: h * bound }, ..none }
            }
        }
    }

    /// The impulse to begin with.
    pub fn warm(&self, force: &[f64; 3], h: f64) -> [f64; 3] {
        if self.hit { [0.0; 3] } else { force.map(|f| f * h) }
    }

    /// Whether it stuck with this impulse.
    pub fn sticks(&self, p: &[f64; 3]) -> bool {
        match self.rule {
            Rule::Rigid { mu, .. } => {
                self.tangential > 0 && p[0] > 0.0 && p[1].hypot(p[2]) < mu * p[0]
            }
            Rule::Dry { limit } => p[0].abs() < limit,
            Rule::Soft { .. } | Rule::None => false,
        }
    }
}

/// A compliant point, linearised at the depth that the free motion would reach.
fn soft<P: Unilateral>(
    p: &P,
    id: PointId,
    at: &ContactPoint,
    (free, own): ([f64; 3], [f64; 3]),
    memory: &mut Memory,
    h: f64,
    none: Place,
) -> Place {
    let Some(compliance) = p.compliance(id) else { return none };
    let depth = -(at.gap + h * free[0].min(0.0));
    if !(depth > 0.0) {
        memory.pressed = false;
        return none;
    }
    if !memory.pressed {
        memory.pressed = true;
        memory.onset.speed = (-at.rate[0]).max(compliance.least_speed);
        memory.onset.stiffness = p.stiffness(id, at.features);
        memory.onset.mass = if own[0] > 0.0 { 1.0 / own[0] } else { 0.0 };
    }
    let rate = -at.rate[0];
    let press = compliance.law.press(&memory.onset, depth, rate);
    // F = F* + F_δ (δ − δ*) + F_δ̇ (δ̇ − δ̇*) with δ = −g − h u and δ̇ = −u
    let by_depth = press.by_depth.max(0.0);
    let by_rate = press.by_rate.max(0.0);
    let push = h * (press.force + by_depth * (-at.gap - depth) - by_rate * rate);
    let slope = h * (h * by_depth + by_rate);
    let (mut drag, mut mu, mut tangential) = (0.0, 0.0, 0);
    if let Some(friction) = p.pressed_friction(id) {
        tangential = friction.directions;
        let slip = friction.slip(at);
        let speed = slip[0].hypot(slip[1]);
        let end = [free[1], if tangential > 1 { free[2] } else { 0.0 }];
        let (slip, speed) = match end[0].hypot(end[1]) {
            fast if fast > speed => (end, fast),
            _ => (slip, speed),
        };
        let force = friction.law.slip_force(1.0, slip, [0.0; 2]).force;
        mu = force[0].hypot(force[1]);
        drag = if speed > 0.0 { mu / speed } else { 0.0 };
    }
    Place { rule: Rule::Soft { push, slope, drag, mu }, tangential, ..none }
}
