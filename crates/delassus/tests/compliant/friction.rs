//! Friction of compliant contact on whole models: benchmark E7, creep against closed forms, twins in other frames, and
//! what is rejected.

use crate::support;

use delassus::model::compile;
use delassus::sim::{RunOptions, RunOutcome, Simulation};
use support::{assembled, errors, load, parsed, reference, run};

/// Laws with friction 0.3, which creep below `creep_speed` = 1 cm/s, and the speed at which each has the coefficient 0.2.
pub(crate) fn creeping() -> [(&'static str, f64); 4] {
    [
        (
            "friction_law = 'threlfall'\nfriction = 0.3\ncreep_speed = 0.01\n",
            -0.01 / 3.0 * f64::ln(1.0 - 2.0 / 3.0),
        ),
        (
            "friction_law = 'ambrosio'\nfriction = 0.3\ncreep_speed = 0.01\ndead_speed = 0.001\n",
            0.001 + 0.009 * 2.0 / 3.0,
        ),
        (
            "friction_law = 'bengisu-akay'\nfriction = 0.3\nstatic_friction = 0.4\ncreep_speed = 0.01\nfall_rate = 5\n",
            0.01 * (1.0 - f64::sqrt(0.5)),
        ),
        (
            // as good as constant at these speeds
            "friction_law = 'stribeck'\nfriction = 0.3\ncreep_speed = 0.01\n",
            0.01 / 3.0 * f64::atanh(2.0 / 3.0),
        ),
    ]
}

pub(crate) const LUGRE: &str = "friction_law = 'lugre'\nfriction = 0.3\nstatic_friction = 0.4\nstribeck_speed = 0.01\n\
                     bristle_stiffness = 2000\nbristle_damping = 40\n";

/// A mass on a floor that is tilted by its gravity: pulled along x with `pull` of its weight, starting where the floor
/// carries it.
pub(crate) fn block(friction: &str, pull: f64, end: f64) -> String {
    format!(
        "schema = 1\ngravity = [{}, -10]\n[body.b]\ntype = 'planar-point'\nmass = 2\nposition = [0, -1e-4]\n\
         [shape.b]\ntype = 'point'\nbody = 'b'\n[shape.f]\ntype = 'half-plane'\nbody = 'ground'\n\
         [contact.c]\nbetween = ['b', 'f']\nlaw = 'kelvin-voigt'\nstiffness = 2e5\ndamping = 100\nallow_overlap = true\n\
         {friction}[sensor.x]\ntype = 'position'\nof = 'b'\ncomponent = 'x'\n[sensor.v]\ntype = 'velocity'\nof = 'b'\n\
         component = 'x'\n[sensor.e]\ntype = 'energy'\ncomponent = 'balance'\n[analysis]\nend = {end}\nsample = 0.01\n",
        10.0 * pull
    )
}

pub(crate) fn last(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap().last().unwrap()
}

pub(crate) const METHODS: [&str; 5] = ["mdop5", "hem5", "radau5", "bdf", "gen-alpha-ggl"];

#[test]
fn e7_lugre_sticks_and_slips() {
    let m = load("benchmarks/E7_lugre.toml", &[]);
    for (method, rtol) in [("radau5", 1e-8), ("bdf", 1e-8), ("gen-alpha-ggl", 1e-8)] {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(rtol);
        });
        let (x, _) = errors("E7_lugre", &out, Some(&["x"]));
        assert!(x <= 1e-4, "{method}: {x}");
        let (f, _) = errors("E7_lugre", &out, Some(&["friction"]));
        assert!(f <= 2e-2, "{method}: friction {f}");
        assert!(out.summary.energy_error < 1e-5, "{method}: {}", out.summary.energy_error);
    }
}

/// Explicit methods can, with steps as short as the bristles want them.
#[test]
fn e7_lugre_by_explicit_methods() {
    let m = load("benchmarks/E7_lugre.toml", &[]);
    for method in ["mdop5", "hem5"] {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(1e-7);
            o.t_end = 9.0;
        });
        let table = reference("E7_lugre");
        let (found, wanted) = (out.results.get("x").unwrap(), table.column("x").unwrap());
        let off = found.iter().zip(wanted).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(found.len() == 451 && off <= 1e-4, "{method}: {off}");
    }
}

/// What is pulled by less than its friction creeps at the speed at which the law has as much.
#[test]
fn what_should_stick_creeps_as_the_law_says() {
    for (law, speed) in creeping() {
        let m = assembled(&parsed(&block(law, 0.2, 0.5)), &[]);
        for method in METHODS {
            let out = run(&m, |o| {
                o.method = method.to_owned();
                o.rtol = Some(1e-8);
            });
            let v = last(&out, "v");
            assert!((v - speed).abs() <= 1e-5 * speed, "{method} {law}: {v} instead of {speed}");
            assert!(
                out.summary.energy_error < 1e-7,
                "{method} {law}: {}",
                out.summary.energy_error
            );
        }
    }
}

/// Bristles hold: the mass stays within what they bend by, and comes back when the pull ends.
#[test]
fn bristles_hold_without_creeping() {
    let m = assembled(&parsed(&block(LUGRE, 0.2, 2.0)), &[]);
    for method in METHODS {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(1e-8);
        });
        // σ₀ z = 0.2, and a little that slipped while the sudden pull swung
        let x = out.results.get("x").unwrap();
        assert!((0.2 / 2000.0..0.4 / 2000.0).contains(&x[100]), "{method}: {}", x[100]);
        assert!((x[200] - x[100]).abs() < 1e-9, "{method}: {} {}", x[200], x[100]);
        assert!(out.summary.energy_error < 1e-6, "{method}: {}", out.summary.energy_error);
    }
}

/// Sliding fast, every law has its coefficient of sliding: v = v₀ − μ g t.
#[test]
fn sliding_is_slowed_down_by_the_coefficient() {
    let of_laws = creeping().map(|(law, _)| law);
    for law in of_laws.into_iter().chain([LUGRE]) {
        let text = block(law, 0.0, 0.3).replace("mass = 2", "mass = 2\nvelocity = [2, 0]");
        let out = run(&assembled(&parsed(&text), &[]), |o| {
            o.method = "radau5".to_owned();
            o.rtol = Some(1e-9);
        });
        let mu = if law.contains("threlfall") { 0.3 * (1.0 - f64::exp(-3.0)) } else { 0.3 };
        let more = if law.contains("bengisu") {
            // in addition (μ_s − μ_c) exp(−ξ (v − v₀)), by quadrature of a = −g μ(v)
            let mut v = 2.0;
            let curve = |v: f64| 10.0 * (0.3 + 0.1 * f64::exp(-5.0 * (v - 0.01)));
            for _ in 0..30_000 {
                let h = 1e-5;
                let half = v - 0.5 * h * curve(v);
                v -= h * curve(half);
            }
            v - (2.0 - 3.0 * 0.3)
        } else if law == LUGRE {
            // bending the bristles takes g σ₁ z of the speed, and saves friction for the time μ/(σ₀ v)
            -10.0 * 40.0 * 0.3 / 2000.0 + 10.0 * 0.3 * 0.3 / (2000.0 * 2.0)
        } else {
            0.0
        };
        let v = last(&out, "v");
        let wanted = 2.0 - 10.0 * mu * 0.3 + more;
        let limit = if law == LUGRE { 2e-3 } else { 1e-7 };
        assert!((v - wanted).abs() <= limit, "{law}: {v} instead of {wanted}");
    }
}

/// A ball with backspin that bounces on a floor in space, in a frame that is turned by R: where it goes is turned by R.
fn bouncing(friction: &str, turn: Option<f64>) -> String {
    // turned about (1, 2, 2)/3
    let (c, s) = turn.map_or((1.0, 0.0), |a| (a.cos(), a.sin()));
    let axis = [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
    let rotate = |x: [f64; 3]| {
        let dot: f64 = (0..3).map(|i| axis[i] * x[i]).sum();
        let cross = [
            axis[1] * x[2] - axis[2] * x[1],
            axis[2] * x[0] - axis[0] * x[2],
            axis[0] * x[1] - axis[1] * x[0],
        ];
        let y: [f64; 3] =
            std::array::from_fn(|i| c * x[i] + s * cross[i] + (1.0 - c) * dot * axis[i]);
        format!("[{:e}, {:e}, {:e}]", y[0], y[1], y[2])
    };
    format!(
        "schema = 1\ngravity = {}\n[body.b]\ntype = 'rigid'\nmass = 1\ninertia = [0.004, 0.004, 0.004]\nposition = {}\n\
         velocity = {}\nrate = {}\n\
         [shape.b]\ntype = 'sphere'\nbody = 'b'\nradius = 0.1\n[shape.f]\ntype = 'half-space'\nbody = 'ground'\nnormal = {}\n\
         [contact.c]\nbetween = ['b', 'f']\nlaw = 'exact'\nrestitution = 0.8\nstiffness = 1e5\n{friction}\
         [sensor.p]\ntype = 'position'\nof = 'b'\n[sensor.e]\ntype = 'energy'\ncomponent = 'balance'\n\
         [analysis]\nend = 0.6\nsample = 0.02\n",
        rotate([0.0, 0.0, -9.81]),
        rotate([0.0, 0.0, 0.2]),
        rotate([1.0, 0.5, 0.0]),
        rotate([3.0, -20.0, 5.0]),
        rotate([0.0, 0.0, 1.0]),
    )
}

#[test]
fn turned_models_do_the_same() {
    let of_laws = creeping().map(|(law, _)| law);
    for law in of_laws.into_iter().chain([LUGRE]) {
        let ends = [None, Some(0.7)].map(|turn| {
            let out = run(&assembled(&parsed(&bouncing(law, turn)), &[]), |o| {
                o.method = "radau5".to_owned();
                o.rtol = Some(1e-9);
            });
            assert!(out.summary.energy_error < 1e-6, "{law}: {}", out.summary.energy_error);
            ["p.x", "p.y", "p.z"].map(|name| last(&out, name))
        });
        let size = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [a, b] = ends.map(size);
        assert!(
            (a - b).abs() < 1e-6,
            "{law}: {:?} and {:?} are {a} and {b} away",
            ends[0],
            ends[1]
        );
        // friction turns the spin into speed
        assert!(ends[0][0] < 0.55, "{law}: {:?}", ends[0]);
    }
}

/// Bristles are part of what a run remembers.
#[test]
fn bristles_are_remembered() {
    let m = assembled(&parsed(&bouncing(LUGRE, None)), &[]);
    for method in ["mdop5", "radau5", "bdf", "gen-alpha-ggl"] {
        let mut o = RunOptions::from_model(m.system.model());
        o.method = method.to_owned();
        let mut whole = Simulation::new(&m, &o).unwrap();
        let mut parts = 0;
        let mut saved = Vec::new();
        while !whole.reached(o.t_end) {
            whole.step().unwrap();
            let bent = whole.state().z.iter().any(|z| *z != 0.0);
            if bent && parts < 200 && whole.can_pause() {
                parts += 1;
                if parts % 40 == 5 {
                    saved.push(whole.save());
                }
            }
        }
        assert!(saved.len() > 1, "{method}");
        let end = whole.state().clone();
        for bytes in saved {
            let mut again = Simulation::restored(&m, &o, &bytes).unwrap();
            while !again.reached(o.t_end) {
                again.step().unwrap();
            }
            assert_eq!(again.state(), &end, "{method}");
        }
    }
}

/// Each fault has its code and its place.
#[test]
fn bad_input_is_refused_by_name() {
    let rigid = "friction_law = 'stribeck'\nfriction = 0.3\nstatic_friction = 0.4\n";
    let with = |more: &str| format!("law = 'hertz'\nstiffness = 1e5\n{more}");
    let lugre = |more: &str| with(&format!("friction_law = 'lugre'\nfriction = 0.3\n{more}"));
    let creep = |law: &str, more: &str| {
        with(&format!("friction_law = '{law}'\nfriction = 0.3\ncreep_speed = 0.01\n{more}"))
    };
    let bristles = "bristle_stiffness = 1e3\nbristle_damping = 1\n";
    let cases: [(String, &str, &str); 23] = [
        (with("friction = 0.3"), "E_MISSING_FIELD", "friction_law"),
        (with("static_friction = 0.3"), "E_MISSING_FIELD", "friction_law"),
        (with("creep_speed = 0.3"), "E_FIELD_UNUSED", "creep_speed"),
        (with("friction_law = 'threlfall'\ncreep_speed = 0.01"), "E_MISSING_FIELD", "friction"),
        (with("friction_law = 'threlfall'\nfriction = 0.3"), "E_MISSING_FIELD", "creep_speed"),
        (creep("threlfall", "static_friction = 0.4"), "E_FIELD_UNUSED", "static_friction"),
        (creep("threlfall", "").replace("0.01", "-0.01"), "E_RANGE", "creep_speed"),
        (creep("threlfall", "").replace("0.01", "0"), "E_RANGE", "creep_speed"),
        (creep("threlfall", "").replace("0.3", "-0.3"), "E_FRICTION", "friction"),
        (creep("ambrosio", "dead_speed = -0.001"), "E_RANGE", "dead_speed"),
        (creep("ambrosio", "dead_speed = 0.01"), "E_RANGE", "dead_speed"),
        (creep("bengisu-akay", ""), "E_MISSING_FIELD", "fall_rate"),
        (
            creep("bengisu-akay", "fall_rate = 1\nstatic_friction = 0.2"),
            "E_FRICTION",
            "static_friction",
        ),
        (creep("stribeck", "static_friction = 0.4"), "E_MISSING_FIELD", "stribeck_speed"),
        (
            creep("stribeck", "stribeck_speed = 1\nstribeck_exponent = 0.5"),
            "E_RANGE",
            "stribeck_exponent",
        ),
        (lugre("bristle_damping = 1"), "E_MISSING_FIELD", "bristle_stiffness"),
        (lugre("bristle_stiffness = 0\nbristle_damping = 1"), "E_RANGE", "bristle_stiffness"),
        (lugre("bristle_stiffness = -1\nbristle_damping = 1"), "E_RANGE", "bristle_stiffness"),
        (lugre(&format!("{bristles}static_friction = 0.2")), "E_FRICTION", "static_friction"),
        (lugre(bristles).replace("0.3", "0"), "E_FRICTION", "friction"),
        (lugre(&format!("{bristles}creep_speed = 1")), "E_FIELD_UNUSED", "creep_speed"),
        ("friction = 0.3\nfriction_law = 'lugre'".to_owned(), "E_FRICTION_LAW", "friction_law"),
        (rigid.to_owned(), "E_MISSING_FIELD", "stribeck_speed"),
    ];
    for (contact, code, field) in cases {
        let text = format!(
            "schema = 1\n[body.b]\ntype = 'planar-point'\nmass = 1\nposition = [0, 1]\n[shape.b]\ntype = 'point'\nbody = 'b'\n\
             [shape.f]\ntype = 'half-plane'\nbody = 'ground'\n[contact.c]\nbetween = ['b', 'f']\n{contact}\n"
        );
        let faults = compile(&parsed(&text)).err().unwrap_or_else(|| panic!("{contact}"));
        assert!(
            faults.iter().any(|f| f.code == code && f.path.ends_with(field)),
            "{contact}: {faults:?}"
        );
    }
    // a stop of a joint has no friction
    let other = "schema = 1\n[body.a]\ntype = 'planar'\nmass = 1\ninertia = 1\n[joint.j]\ntype = 'revolute'\n\
                 between = ['ground', 'a']\n[contact.c]\ntype = 'limit'\njoint = 'j'\nupper = 1\nfriction_law = 'lugre'\n";
    let faults = compile(&parsed(other)).unwrap_err();
    assert!(faults.iter().any(|f| f.code == "E_FIELD_UNUSED" && f.path.ends_with("friction_law")));
}
