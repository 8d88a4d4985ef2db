//! Slider-cranks, driven or released.

use super::parts::{DOWN, motion, span};
use crate::mechanism::{ForceKind, JointKind, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.4), end);
    if r.chance(0.6) {
        m.gravity = DOWN;
    }
    let (crank, rod) = (r.round(0.05, 0.3), r.round(0.5, 1.0));
    let angle = if r.chance(0.3) { 0.0 } else { r.round(-2.5, 2.5) };
    let height = crank * angle.sin();
    let lean = (-height / rod).asin();
    let reach = crank * angle.cos() + rod * lean.cos();
    let tip = [crank * angle.cos(), height, 0.0];
    let bar = |m: &mut Mechanism, name: &str, mass: f64, length: f64, at, angle: f64| {
        let i = mass * length * length / 12.0;
        m.body(name, mass, [0.1 * i, i, i], [length / 2.0, 0.0, 0.0], at, Turn::Angle(angle))
    };
    let (a, b, c) = (r.round(0.2, 2.0), r.round(0.2, 2.0), r.round(0.2, 2.0));
    bar(&mut m, "crank", a, crank, [0.0; 3], angle);
    bar(&mut m, "rod", b, rod, tip, lean);
    m.body("piston", c, [0.01 * c; 3], [0.0; 3], [reach, 0.0, 0.0], Turn::NONE);
    let o = [0.0; 3];
    m.pair("main", "revolute", [Place::ground(o), Place::on("crank", o)], None);
    m.pair("pin", "revolute", [Place::on("crank", [crank, 0.0, 0.0]), Place::on("rod", o)], None);
    m.pair("wrist", "revolute", [Place::on("rod", [rod, 0.0, 0.0]), Place::on("piston", o)], None);
    m.pair("rail", "prismatic", [Place::ground(o), Place::on("piston", o)], Some([1.0, 0.0, 0.0]));
    match r.whole(0, 3) {
        0 => {
            let size = if r.chance(0.5) { 1.0 } else { 10.0 };
            let law = motion(r, end, size);
            m.joint("drive", JointKind::Motion { joint: "main".into(), law, offset: angle });
        }
        1 => m.force(
            "spring",
            ForceKind::Torsion {
                joint: "rail".into(),
                stiffness: r.round(10.0, 200.0),
                damping: r.round(0.0, 2.0),
                rest: reach * 0.9,
            },
        ),
        2 => {
            if let Some(JointKind::Pair { initial_rate, .. }) =
                m.joints.first_mut().map(|j| &mut j.kind)
            {
                *initial_rate = Some(r.sign() * r.round(1.0, 10.0));
            }
        }
        _ => m.force(
            "damper",
            ForceKind::Torsion { joint: "main".into(), stiffness: 0.0, damping: 0.1, rest: 0.0 },
        ),
    }
    m
}
