//! Rods that strike a floor with one end, under every impact law.

use super::parts::DOWN;
use crate::mechanism::{ContactKind, Form, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let mut m = Mechanism::new(r.chance(0.3), r.pick(&[0.2, 0.3, 0.5]));
    if r.chance(0.6) {
        m.gravity = DOWN;
    }
    let floor = m.shape("floor", Place::ground([0.0; 3]), Form::Floor);
    let n = r.whole(1, 2);
    let (angle, height) = (r.round(0.3, 1.2), r.round(0.05, 0.3));
    let (vx, vy) = (r.round(-2.0, 2.0), r.round(-3.0, -1.0));
    for i in 0..n {
        let half = r.pick(&[0.25, 0.5]);
        let mass = r.round(0.5, 2.0);
        let inertia = mass * half * half / 3.0;
        let at = [3.0 * i as f64, half * angle.sin() + height, 0.0];
        let rod = m.body(
            &format!("rod{i}"),
            mass,
            [0.1 * inertia, inertia, inertia],
            [0.0; 3],
            at,
            Turn::Angle(angle),
        );
        if let Some(b) = m.bodies.last_mut() {
            b.velocity = Some([vx, vy, 0.0]);
            b.rate = Some([0.0, 0.0, if r.chance(0.5) { 0.0 } else { r.round(-2.0, 2.0) }]);
            b.reach = half;
        }
        let end = m.shape(&format!("end{i}"), Place::on(&rod, [-half, 0.0, 0.0]), Form::Point);
        m.contact(
            &format!("strike{i}"),
            ContactKind::Shapes {
                one: vec![end],
                other: vec![floor.clone()],
                restitution: r.pick(&[0.2, 0.5, 0.6, 0.9]),
                law: r.pick(&["newton", "poisson", "energetic"]),
                friction: r.pick(&[0.0, 0.1, 0.3]),
                static_friction: None,
            },
        );
    }
    m
}
