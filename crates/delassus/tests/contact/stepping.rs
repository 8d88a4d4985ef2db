//! Section G of the benchmark problems by time-stepping, each of its methods, against the event-driven runs, which
//! `events.rs` compares with solutions in closed form; and the event log of time-stepping.
//!
//! The table of `docs/src/validation.md` is what `section_g_converges` prints with `--nocapture`.

use crate::support;

use delassus::math::{largest, max_difference};
use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use delassus::sim::{RunOptions, RunOutcome};
use support::{assembled, load, parsed, reference, run};

const METHODS: [&str; 3] = ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"];

fn file(name: &str) -> String {
    format!("benchmarks/{name}.toml")
}

fn stepping(method: &str, h: f64) -> impl Fn(&mut RunOptions) {
    move |o| {
        o.method = method.to_owned();
        o.scheme = SchemeType::TimeStepping;
        o.step = Some(h);
    }
}

fn max_error(exact: &RunOutcome, out: &RunOutcome, columns: &[&str]) -> f64 {
    let pairs =
        columns.iter().map(|c| (exact.results.get(c).unwrap(), out.results.get(c).unwrap()));
    largest(pairs.map(|(x, y)| max_difference(x, y)))
}

/// Steps near h, as parts of it.
const NEAR: [f64; 3] = [1.0, 0.91, 0.79];
const NEAR_MANY: [f64; 8] = [1.0, 0.96, 0.92, 0.88, 0.84, 0.8, 0.76, 0.72];

/// Where in its step an impact falls is chance, and so is the error of one run. Geometric mean over steps
/// near h.
fn error(
    m: &Assembled,
    exact: &RunOutcome,
    columns: &[&str],
    method: &str,
    h: f64,
    factors: &[f64],
) -> f64 {
    let of = |f: f64| {
        let out = run(m, |o| {
            stepping(method, f * h)(o);
            o.t_end = exact.summary.t_end;
        });
        max_error(exact, &out, columns).max(1e-16).ln()
    };
    (factors.iter().map(|f| of(*f)).sum::<f64>() / factors.len() as f64).exp()
}

fn exact(m: &Assembled, end: f64) -> RunOutcome {
    run(m, |o| {
        o.rtol = Some(1e-11);
        o.t_end = end;
    })
}

/// G1 in full: order 1 over five halvings of the step, and at rest after the accumulation.
#[test]
fn g1_converges_with_order_one() {
    let m = load(&file("G1_bouncing_ball"), &[]);
    let exact = exact(&m, 5.0);
    for method in METHODS {
        let steps: Vec<f64> = (0..6).map(|k| 4e-3 / f64::from(1 << k)).collect();
        let errors: Vec<f64> =
            steps.iter().map(|h| error(&m, &exact, &["z"], method, *h, &NEAR_MANY)).collect();
        let order = slope(&steps, &errors);
        println!("G1 {method}: order {order:.2}, errors {errors:?}");
        assert!((0.85..1.15).contains(&order), "{method}: order {order}, {errors:?}");
        // the first impact has 4.4 m/s; positions at three times know it to three steps instead of one
        let speed = if method == "schatzman-paoli" { 15.0 } else { 5.0 };
        assert!(errors.iter().zip(&steps).all(|(e, h)| *e < speed * h), "{method}: {errors:?}");
        let out = run(&m, stepping(method, 1e-3));
        let z = out.results.get("z").unwrap();
        assert!(z.last().unwrap().abs() < 1e-6, "{method}: {:?}", z.last());
    }
}

/// Slope of ln e over ln h by least squares.
fn slope(h: &[f64], e: &[f64]) -> f64 {
    let n = h.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = h.iter().zip(e).map(|(h, e)| (h.ln(), e.ln())).unzip();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let top: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    top / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>()
}

struct Case {
    name: &'static str,
    set: &'static [(&'static str, &'static str)],
    end: f64,
    columns: &'static [&'static str],
    /// Largest of the two steps, s.
    h: f64,
    /// Errors that may not be exceeded at h/2: of Moreau–Jean and nonsmooth generalized-α, and of
    /// Schatzman–Paoli.
    limit: [f64; 2],
}

const CASES: &[Case] = &[
    Case {
        name: "G1_bouncing_ball",
        set: &[],
        end: 5.0,
        columns: &["z"],
        h: 1e-3,
        limit: [4e-3, 8e-3],
    },
    Case {
        name: "G1b_bouncing_ball_e05",
        set: &[],
        end: 3.0,
        columns: &["z"],
        h: 1e-3,
        limit: [4e-3, 8e-3],
    },
    Case { name: "G2_plate", set: &[], end: 1.2, columns: &["z"], h: 5e-4, limit: [2e-3, 5e-3] },
    Case {
        name: "G3_sphere",
        set: &[],
        end: 0.9791641205966277,
        columns: &["x", "z"],
        h: 2e-3,
        limit: [1e-5, 1e-5],
    },
    Case {
        name: "G6_rocking_block",
        set: &[],
        end: 2.0,
        columns: &["theta"],
        h: 1e-3,
        limit: [1e-2, 2e-2],
    },
    Case {
        name: "G7_woodpecker",
        set: &[],
        end: 0.14,
        columns: &["y", "phiS"],
        h: 2e-5,
        limit: [1e-3, 5e-2],
    },
    Case {
        name: "G8_impact_oscillator",
        set: &[],
        end: 40.0,
        columns: &["x"],
        h: 2e-3,
        limit: [2e-2, 1e-1],
    },
    Case {
        name: "G8b_near_grazing",
        set: &[],
        end: 22.0,
        columns: &["x"],
        h: 2e-3,
        limit: [1e-2, 5e-2],
    },
    Case {
        name: "G9_stick_slip",
        set: &[],
        end: 3.0,
        columns: &["x"],
        h: 1e-3,
        limit: [3e-4, 3e-4],
    },
    Case {
        name: "G10_incline",
        set: &[("mu", "0.5"), ("v0", "0")],
        end: 2.0,
        columns: &["x_up"],
        h: 2e-3,
        limit: [1e-9, 1e-9],
    },
    Case {
        name: "G10_incline",
        set: &[("mu", "0.5"), ("v0", "2")],
        end: 2.0,
        columns: &["x_up"],
        h: 2e-3,
        limit: [1e-4, 3e-3],
    },
    Case {
        name: "G10b_cross_slope",
        set: &[],
        end: 2.0,
        columns: &["x_across", "y_down"],
        h: 2e-3,
        limit: [5e-3, 5e-3],
    },
    Case {
        name: "G11_clearance_slider_crank",
        set: &[],
        end: 0.03,
        columns: &["theta1", "y_slider"],
        h: 4e-6,
        limit: [1e-5, 2e-5],
    },
    Case {
        name: "G12_two_link_wall",
        set: &[],
        end: 3.0,
        columns: &["phi1", "phi2"],
        h: 5e-4,
        limit: [3e-3, 1e-2],
    },
];

#[test]
fn section_g_converges() {
    for c in CASES {
        let m = load(&file(c.name), c.set);
        let exact = exact(&m, c.end);
        for method in METHODS {
            let of = |h: f64| error(&m, &exact, c.columns, method, h, &NEAR);
            let (coarse, fine, finest) = (of(c.h), of(0.5 * c.h), of(0.25 * c.h));
            let order = 0.5 * (coarse / finest).log2();
            println!(
                "| {} {:?} | {:.0e} | {method} | {coarse:.1e} | {fine:.1e} | {order:.1} |",
                c.name, c.set, c.h
            );
            let limit = c.limit[usize::from(method == "schatzman-paoli")];
            assert!(fine <= limit, "{} {method}: {fine}", c.name);
            // at rest there is nothing to gain, and simultaneous impacts with friction are not for
            // Schatzman–Paoli
            let converges = coarse > 1e-12 && (c.name, method) != ("G7_woodpecker", METHODS[1]);
            assert!(!converges || order > 0.4, "{} {method}: order {order}", c.name);
        }
    }
}

/// What Moreau's law gives, to round-off; Schatzman–Paoli has an answer of its own, with the same momentum
/// and no more energy.
#[test]
fn g4_cradle() {
    let table = reference("G4_cradle_moreau");
    let rows = table.column("e").unwrap().len();
    for row in 0..rows {
        let at = |name: &str| table.column(name).unwrap()[row];
        let (e, moving) = (at("e").to_string(), at("n_moving").to_string());
        let m = load(&file("G4_cradle_moreau"), &[("e", &e), ("moving", &moving)]);
        for method in METHODS {
            let out = run(&m, stepping(method, 1e-3));
            let v = |k: i32| *out.results.get(&format!("v{k}")).unwrap().last().unwrap();
            if method != "schatzman-paoli" {
                for k in 1..=5 {
                    let want = at(&format!("v{k}"));
                    assert!((v(k) - want).abs() < 1e-9, "{method} e {e}: v{k} = {}", v(k));
                }
            }
            let momentum: f64 = (1..=5).map(v).sum();
            assert!((momentum - at("n_moving")).abs() < 1e-9, "{method} e {e}: {momentum}");
            let energy: f64 = (1..=5).map(|k| v(k).powi(2)).sum();
            assert!(energy < at("n_moving") + 1e-9, "{method} e {e}: {energy}");
        }
    }
}

/// Painlevé's rod stays finite and outside of the ground.
#[test]
fn g5_painleve() {
    for theta in ["0.95", "1.0", "1.2"] {
        let m = load(&file("G5_painleve_rod"), &[("theta0", theta)]);
        for method in METHODS {
            let out = run(&m, stepping(method, 1e-4));
            let y = out.results.get("y").unwrap();
            assert!(y.iter().all(|y| y.is_finite() && *y > -1e-6), "{method} {theta}");
        }
    }
}

/// Stacks rest; their points close once, and nothing else is logged.
#[test]
fn g13_stacks_rest_in_silence() {
    for (name, up, points) in [("G13_stack", "y", 10), ("G13_stack_3d", "z", 20)] {
        let m = load(&file(name), &[]);
        for method in METHODS {
            let out = run(&m, stepping(method, 5e-3));
            for k in 1..=5 {
                for (axis, at) in [("x", 0.0), (up, 0.2 * f64::from(k) - 0.1)] {
                    let x = out.results.get(&format!("{axis}{k}")).unwrap();
                    assert!(x.iter().all(|x| (x - at).abs() < 1e-6), "{name} {method} {axis}{k}");
                }
            }
            let closed: Vec<_> = out.events.iter().map(|e| (e.t, e.kind)).collect();
            assert_eq!(closed, vec![(0.0, EventKind::Close); points], "{name} {method}");
        }
    }
}

fn times(out: &RunOutcome, kind: EventKind) -> Vec<f64> {
    out.events.iter().filter(|e| e.kind == kind).map(|e| e.t).collect()
}

/// All events of one kind, no more and no fewer, each within `limit`.
fn same(what: &str, found: &[f64], want: &[f64], limit: f64) {
    assert_eq!(found.len(), want.len(), "{what}: {found:?}");
    for (a, b) in found.iter().zip(want) {
        assert!((a - b).abs() <= limit, "{what}: {a} instead of {b}");
    }
}

/// Closing, opening, sticking and sliding are in the log, at their times to a few steps.
#[test]
fn the_log_tells_what_points_do() {
    for method in METHODS {
        // a bouncing ball: impacts, then one closing, no sliding without friction
        let m = load(&file("G1b_bouncing_ball_e05"), &[]);
        let h = 1e-3;
        let out = run(&m, stepping(method, h));
        same(method, &times(&out, EventKind::Close), &[1.9156525704423029], 15.0 * h);
        let impacts = times(&out, EventKind::Impact).len();
        assert_eq!(out.events.len(), impacts + 1, "{method}: {:?}", out.events);
        assert!((6..20).contains(&impacts), "{method}: {impacts}");
        // leaves the sphere once
        let m = load(&file("G3_sphere"), &[]);
        let out = run(&m, stepping(method, h));
        same(method, &times(&out, EventKind::Close), &[0.0], 0.0);
        same(method, &times(&out, EventKind::Release), &[0.754238838002552], 5.0 * h);
        assert_eq!(out.events.len(), 2, "{method}: {:?}", out.events);
        // stops on the slope
        let m = load(&file("G10_incline"), &[("mu", "0.5"), ("v0", "2")]);
        let out = run(&m, stepping(method, h));
        let stop = reference("G10_incline").column("t_stop").unwrap()[2];
        same(method, &times(&out, EventKind::Stick), &[stop], 2.0 * h);
        assert_eq!(out.events.len(), 2, "{method}: {:?}", out.events);
        // sticks and slides on a belt
        let m = load(&file("G9_stick_slip"), &[]);
        let out = run(&m, stepping(method, h));
        let table = reference("G9_stick_slip_events");
        for (kind, column) in
            [(EventKind::Slip, "t_slip_start"), (EventKind::Stick, "t_stick_start")]
        {
            let mut want = table.column(column).unwrap().to_vec();
            want.retain(|t| *t < 5.9);
            same(method, &times(&out, kind), &want, 12.0 * h);
        }
        assert!(out.events.windows(2).all(|w| w[0].t <= w[1].t), "{method}: not in order");
    }
}

/// A disc that slides from a table over a rounded edge down a slope: the parts that it touches change
/// where events find it too.
#[test]
fn the_log_tells_of_other_parts_of_a_shape() {
    let text = "schema = 1\ngravity = [0, -10]\n[body.d]\ntype = \"planar\"\nmass = 1\ninertia = 0.005\n\
                position = [-0.5, 0.1]\nvelocity = [1, 0]\n[shape.d]\ntype = \"circle\"\nbody = \"d\"\n\
                radius = 0.1\n[shape.hill]\ntype = \"profile\"\nbody = \"ground\"\npoints = [[-2, -3], \
                [3, -3], [3, -1], { at = [0, 0], fillet = 2 }, [-2, 0]]\n[contact.slide]\n\
                between = [\"d\", \"hill\"]\n[analysis]\nend = 1.5\n\
                [sensor.x]\ntype = \"position\"\nof = \"d\"\ncomponent = \"x\"\n";
    let m = support::assembled(&support::parsed(text), &[]);
    let exact = run(&m, |o| o.scheme = SchemeType::EventDriven);
    let want = times(&exact, EventKind::NormalChange);
    assert_eq!(want.len(), 2, "{:?}", exact.events);
    let h = 1e-3;
    for method in METHODS {
        let out = run(&m, stepping(method, h));
        same(method, &times(&out, EventKind::NormalChange), &want, 5.0 * h);
        assert_eq!(out.events.len(), 3, "{method}: {:?}", out.events);
    }
}

/// A block that is pushed to and fro turns round; a brake in a joint sticks.
#[test]
fn the_log_tells_of_turns_and_brakes() {
    let text = "schema = 1\ngravity = [0, -10]\n[body.b]\ntype = \"planar-point\"\nmass = 1\n\
                velocity = [0, 0]\n[shape.b]\ntype = \"point\"\nbody = \"b\"\n[shape.floor]\n\
                type = \"half-plane\"\nbody = \"ground\"\n[contact.rub]\nbetween = [\"b\", \"floor\"]\n\
                friction = 0.1\n[force.shake]\ntype = \"force\"\nat = \"b\"\n\
                force = [\"20*cos(2*pi*t)\", 0]\n[analysis]\nend = 3\n\
                [sensor.v]\ntype = \"velocity\"\nof = \"b\"\ncomponent = \"x\"\n";
    let m = support::assembled(&support::parsed(text), &[]);
    let exact = run(&m, |_| ());
    let turns = times(&exact, EventKind::Reverse);
    assert!(turns.len() >= 4, "{:?}", exact.events);
    let out = run(&m, stepping("moreau-jean", 1e-3));
    same("turns", &times(&out, EventKind::Reverse), &turns, 3e-3);
    let text = "schema = 1\n[body.a]\ntype = \"planar\"\nmass = 1\ninertia = 2\nrate = 3\n[joint.pin]\n\
                type = \"revolute\"\nbetween = [\"ground\", \"a\"]\n[contact.brake]\n\
                type = \"dry-friction\"\njoint = \"pin\"\nbound = 2\n[analysis]\nend = 4\n\
                [sensor.phi]\ntype = \"joint\"\njoint = \"pin\"\n";
    let m = support::assembled(&support::parsed(text), &[]);
    let out = run(&m, stepping("moreau-jean", 1e-3));
    same("brake", &times(&out, EventKind::Stick), &[3.0], 2e-3);
    assert_eq!(out.events.len(), 1, "{:?}", out.events);
}

/// A step whose contact problem no solver can solve is made in parts: that is reported, and the force of the sample is
/// that of all parts together, so that it still explains the change of momentum. (A slender block of little inertia on
/// a floor of friction 50, in steps of 0.2 s; if solvers learn to solve this directly, take a harder one.)
#[test]
fn a_halved_step_is_told_and_its_forces_are_those_of_all_its_parts() {
    let text = r#"
schema = 1
gravity = [0, -9.81]
[body.b]
type = "planar"
mass = 2
inertia = 0.0001
position = [0, 0.582]
angle = -0.062
velocity = [0.305, -1]
rate = -6.165
[parameters]
w = 0.152
h = 0.281
[shape]
b = { type = "profile", body = "b", points = [["-w", "-h"], ["w", "-h"], ["w", "h"], ["-w", "h"]] }
floor = { type = "half-plane", body = "ground", normal = [0, 1] }
[contact]
c = { between = ["b", "floor"], friction = 50, restitution = 0 }
[sensor]
v = { type = "velocity", of = "b" }
[analysis]
end = 1
sample = 0.2
"#;
    let m = assembled(&parsed(text), &[]);
    let out = run(&m, stepping("moreau-jean", 0.2));
    let halved = &out.summary.contact.as_ref().unwrap().steps_halved;
    assert!(halved.count >= 1, "{halved:?}");
    assert!(out.summary.verdict.items.iter().any(|i| i.code == Some("N_STEP_HALVED")));
    let column = |name: &str| out.results.get(name).unwrap();
    let (v, normal) = (column("v.y"), column("c.normal"));
    println!("{v:?} {normal:?} {halved:?}");
    for k in 1..v.len() {
        let force = 2.0 * ((v[k] - v[k - 1]) / 0.2 + 9.81);
        assert!((force - normal[k]).abs() < 1e-6 * 2.0 * 9.81, "{k}: {force} {}", normal[k]);
    }
}
