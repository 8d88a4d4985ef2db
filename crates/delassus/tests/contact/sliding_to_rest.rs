//! Sliding in space that slows down, stops, turns round or passes close to rest: its direction is that of the
//! motion, never that of an error, and it takes few steps.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::RunOutcome;
use delassus::sim::contact::EventKind;
use std::fmt::Write;
use support::{assembled, parsed, run};

const SCHEMES: [SchemeType; 2] = [SchemeType::EventDriven, SchemeType::Hybrid];
const METHODS: [&str; 4] = ["mdop5", "hem5", "phem56", "radau5"];
const G: f64 = 9.81;

fn simulate(text: &str, scheme: SchemeType, method: &str) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), |o| {
        o.scheme = scheme;
        o.method = method.to_owned();
    })
}

fn end(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap().last().unwrap()
}

/// When sliding stopped at last.
fn stopped(out: &RunOutcome) -> f64 {
    out.events.iter().rev().find(|e| e.kind == EventKind::Stick).unwrap().t
}

/// A point that slides up a slope, `astray` from the straight way, with 2 m/s; the slope falls
/// along an oblique direction.
struct Slope {
    friction: f64,
    angle: f64,
    astray: f64,
}

impl Slope {
    const DOWN: f64 = 2.1;

    /// Acceleration down the slope, and that of friction.
    fn pulls(&self) -> [f64; 2] {
        [G * self.angle.sin(), self.friction * G * self.angle.cos()]
    }

    /// Three times as long as it takes to stop.
    fn lasts(&self) -> f64 {
        let [pull, rub] = self.pulls();
        6.0 / (pull + rub)
    }

    fn text(&self) -> String {
        let (down, up) = (Slope::DOWN, Slope::DOWN + std::f64::consts::PI + self.astray);
        let ([pull, _], lasts, mu) = (self.pulls(), self.lasts(), self.friction);
        format!(
            "schema = 1\ngravity = [{}, {}, {}]\n\
             body.s = {{ type = 'point', mass = 1, velocity = [{}, {}, 0] }}\n\
             shape.floor = {{ type = 'half-space', body = 'ground' }}\nshape.s = {{ type = 'point', body = 's' }}\n\
             contact.c = {{ between = ['s', 'floor'], friction = {mu} }}\n\
             sensor.x = {{ type = 'velocity', of = 's', component = 'x' }}\n\
             sensor.y = {{ type = 'velocity', of = 's', component = 'y' }}\n\
             analysis = {{ end = {lasts}, sample = {lasts} }}\n",
            pull * down.cos(),
            pull * down.sin(),
            -G * self.angle.cos(),
            2.0 * up.cos(),
            2.0 * up.sin(),
        )
    }

    /// Velocity at the end, by steps that are short where it is slow: those of u̇ = b − k u/|u|.
    fn right(&self) -> [f64; 2] {
        let [b, k] = self.pulls();
        let slope = |u: [f64; 2]| {
            let speed = u[0].hypot(u[1]);
            [b - k * u[0] / speed, -k * u[1] / speed]
        };
        let ahead = |u: [f64; 2], a: [f64; 2], h: f64| [u[0] + h * a[0], u[1] + h * a[1]];
        let mut u = [-2.0 * self.astray.cos(), -2.0 * self.astray.sin()];
        let mut left = self.lasts();
        while left > 0.0 {
            let speed = u[0].hypot(u[1]);
            if speed < 1e-12 {
                u = [(b - k) * left, 0.0];
                break;
            }
            let h = (0.01 * speed / (b + k)).min(left);
            let k1 = slope(u);
            let k2 = slope(ahead(u, k1, 0.5 * h));
            let k3 = slope(ahead(u, k2, 0.5 * h));
            let k4 = slope(ahead(u, k3, h));
            for i in 0..2 {
                u[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
            left -= h;
        }
        let (s, c) = Slope::DOWN.sin_cos();
        [c * u[0] - s * u[1], s * u[0] + c * u[1]]
    }
}

#[test]
fn a_point_that_turns_round_on_a_slope_goes_straight_down() {
    for (friction, angle) in [(0.05, 0.262), (0.26, 0.262), (0.5, 0.6)] {
        let slope = Slope { friction, angle, astray: 0.0 };
        let [pull, rub] = slope.pulls();
        let speed = (pull - rub) * slope.lasts() * 2.0 / 3.0;
        for method in METHODS {
            for scheme in SCHEMES {
                let out = simulate(&slope.text(), scheme, method);
                let (s, c) = Slope::DOWN.sin_cos();
                let (x, y) = (end(&out, "x"), end(&out, "y"));
                let miss = (x - speed * c).hypot(y - speed * s);
                assert!(miss < 2e-6, "{method} {scheme:?} {friction}: {miss}");
                assert!(out.summary.steps < 50, "{method}: {}", out.summary.steps);
            }
        }
    }
}

#[test]
fn a_point_that_passes_close_to_rest_turns_as_it_should() {
    for (friction, angle) in [(0.05, 0.262), (0.2, 0.262), (0.5, 0.6)] {
        for astray in [1e-7, 1e-5, 1e-4, 1e-3, 0.1] {
            let slope = Slope { friction, angle, astray };
            let right = slope.right();
            for method in METHODS {
                let out = simulate(&slope.text(), SchemeType::Hybrid, method);
                let miss = (end(&out, "x") - right[0]).hypot(end(&out, "y") - right[1]);
                assert!(miss < 4e-6, "{method} {friction} {astray}: {miss}");
                assert!(out.summary.steps < 120, "{method}: {}", out.summary.steps);
            }
        }
    }
}

/// A box on a floor, with velocity and rate.
fn thrown_box(size: [f64; 3], friction: f64, velocity: &str, rate: f64) -> String {
    let [a, b, c] = size;
    let inertia = [b * b + c * c, a * a + c * c, a * a + b * b].map(|s| 0.5 / 12.0 * s);
    format!(
        "schema = 1\ngravity = [0, 0, -{G}]\n\
         body.s = {{ type = 'rigid', mass = 0.5, inertia = {inertia:?}, position = [0, 0, {}], velocity = {velocity}, rate = [0, 0, {rate}] }}\n\
         shape.floor = {{ type = 'half-space', body = 'ground' }}\nshape.s = {{ type = 'box', body = 's', size = {size:?} }}\n\
         contact.c = {{ between = ['s', 'floor'], friction = {friction} }}\n\
         sensor.x = {{ type = 'position', of = 's', component = 'x' }}\nsensor.y = {{ type = 'position', of = 's', component = 'y' }}\n\
         analysis = {{ end = 1, sample = 1 }}\n",
        0.5 * c
    )
}

#[test]
fn a_spinning_box_stops_when_friction_has_taken_its_spin() {
    let text = thrown_box([0.1, 0.2, 0.1], 0.2, "[0, 0, 0]", 10.0);
    let arm = 0.05f64.hypot(0.1);
    let right = 10.0 * 0.0020833333333333337 / (0.2 * 0.5 * G * arm);
    for method in METHODS {
        for scheme in SCHEMES {
            let out = simulate(&text, scheme, method);
            let t = stopped(&out);
            assert!((t - right).abs() < 1e-6, "{method} {scheme:?}: {t}, not {right}");
            assert!(out.summary.steps < 60, "{method}: {}", out.summary.steps);
        }
    }
}

/// Its corners come to rest together, though not equally fast.
#[test]
fn a_box_that_slides_and_spins_stops_once() {
    let text = thrown_box([0.3, 0.1, 0.05], 0.15, "[0.5, -0.4, 0]", -8.0);
    for method in METHODS {
        let out = simulate(&text, SchemeType::Hybrid, method);
        let t = stopped(&out);
        assert!((t - 0.57935158).abs() < 1e-5, "{method}: {t}");
        let miss = (end(&out, "x") - 0.170134027).hypot(end(&out, "y") + 0.126537151);
        assert!(miss < 1e-6, "{method}: {miss}");
        assert_eq!(out.events.len(), 8, "{method}: each corner closes and sticks");
        assert!(out.summary.steps < 200, "{method}: {}", out.summary.steps);
    }
}

/// A table on four feet of different friction.
fn table(friction: [f64; 4], velocity: &str) -> String {
    let mut text = format!(
        "schema = 1\ngravity = [0, 0, -{G}]\nanalysis = {{ end = 2, sample = 2 }}\n\
         body.b = {{ type = 'rigid', mass = 4, inertia = [0.1, 0.1, 0.15], position = [0, 0, 0.1], velocity = {velocity} }}\n\
         shape.floor = {{ type = 'half-space', body = 'ground' }}\n\
         sensor.x = {{ type = 'position', of = 'b', component = 'x' }}\nsensor.y = {{ type = 'position', of = 'b', component = 'y' }}\n"
    );
    let feet = ["-0.3, -0.2", "0.3, -0.2", "0.3, 0.2", "-0.3, 0.2"];
    for (i, (at, mu)) in feet.iter().zip(friction).enumerate() {
        let shape = format!("type = 'sphere', body = 'b', at = [{at}, -0.08], radius = 0.02");
        writeln!(text, "shape.f{i} = {{ {shape} }}").unwrap();
        writeln!(text, "contact.c{i} = {{ between = ['f{i}', 'floor'], friction = {mu} }}")
            .unwrap();
    }
    text
}

/// Feet stop, slide off again at once, and pass close to rest on their way.
#[test]
fn a_table_with_a_smooth_foot_comes_to_rest() {
    let cases = [
        ([0.1, 0.0, 0.3, 0.3], "[1.2, 0.25, 0]", [0.46548982, 0.09990967], 0.8097063),
        ([0.8, 0.1, 0.1, 0.0], "[-1.05, 0.75, 0]", [-0.63906515, 0.12656576], 1.4125117),
    ];
    for (friction, velocity, [x, y], t) in cases {
        for method in METHODS {
            for scheme in SCHEMES {
                let out = simulate(&table(friction, velocity), scheme, method);
                let miss = (end(&out, "x") - x).hypot(end(&out, "y") - y);
                assert!(miss < 2e-6, "{method} {scheme:?}: {miss}");
                assert!((stopped(&out) - t).abs() < 2e-5, "{method}: {}", stopped(&out));
                assert!(out.summary.steps < 300, "{method} {scheme:?}: {}", out.summary.steps);
            }
        }
    }
}
