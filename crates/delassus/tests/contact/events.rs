//! Section G of the benchmark problems: contact, impact and friction on model files, event-driven, hybrid, and by
//! time-stepping, against solutions in closed form or of independent programs.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::contact::{Event, EventKind};
use delassus::sim::{RunOptions, RunOutcome};
use support::{load, reference, run, try_run};

const G: f64 = 9.81;
/// Methods that locate events.
const METHODS: [&str; 6] =
    ["mdop5", "hem5", "phem56", "gen-alpha", "gen-alpha-index2", "gen-alpha-ggl"];

fn file(name: &str) -> String {
    format!("benchmarks/{name}.toml")
}

fn tight(o: &mut RunOptions) {
    o.rtol = Some(1e-12);
}

fn stepping(h: f64) -> impl Fn(&mut RunOptions) {
    move |o| {
        o.scheme = SchemeType::TimeStepping;
        o.step = Some(h);
    }
}

fn times(out: &RunOutcome, kind: EventKind) -> Vec<f64> {
    out.events.iter().filter(|e| e.kind == kind).map(|e| e.t).collect()
}

fn column(table: &str, name: &str) -> Vec<f64> {
    reference(table).column(name).unwrap().to_vec()
}

/// The first events against a reference: none missing, times to `limit`, absolute.
fn same_times(what: &str, found: &[f64], want: &[f64], limit: f64) {
    assert!(found.len() >= want.len(), "{what}: {} events, {} wanted", found.len(), want.len());
    for (k, (a, b)) in found.iter().zip(want).enumerate() {
        assert!(
            (a - b).abs() <= limit,
            "{what}, event {k}: {a} instead of {b}, off by {:e}",
            a - b
        );
    }
}

/// No impact adds energy.
fn audited(out: &RunOutcome) {
    for e in out.events.iter().filter(|e| e.kind == EventKind::Impact) {
        let moved = e.impulse * (e.speed_before.abs() + e.speed_after.abs()).max(1e-3);
        assert!(e.energy_lost >= -1e-12 * moved, "{}: {e:?}", out.summary.model);
    }
}

#[test]
fn g1_every_impact_then_rest() {
    let m = load(&file("G1_bouncing_ball"), &[]);
    let want = column("G1_bouncing_ball_events", "t");
    for method in METHODS {
        let out = run(&m, |o| o.method = method.to_owned());
        let found = times(&out, EventKind::Impact);
        for (k, (a, b)) in found.iter().zip(&want).enumerate() {
            assert!((a - b).abs() < 1e-10 * b, "{method}, impact {k}: {a} {b}");
        }
        assert!(found.len() >= 40);
        let zeno = 4.063712768871578;
        let rest = times(&out, EventKind::Close);
        assert!(rest.len() == 1 && (rest[0] - zeno).abs() < 1e-6, "{method}: {rest:?}");
        let z = out.results.get("z").unwrap();
        assert!(z.last().unwrap().abs() < 1e-12);
        assert!(out.summary.energy_error < 1e-9, "{}", out.summary.energy_error);
        audited(&out);
    }
}

#[test]
fn g1_without_the_hybrid_ends_with_a_name_and_keeps_results() {
    let m = load(&file("G1_bouncing_ball"), &[]);
    let out = try_run(&m, |o| o.scheme = SchemeType::EventDriven);
    assert_eq!(out.summary.error.as_deref(), Some("E_ZENO"));
    assert!(out.results.t.last().unwrap() > &4.0);
    assert!(out.error.unwrap().blame[0].contains("bounce"));
}

/// First order, and at rest after the accumulation.
#[test]
fn g1_by_time_stepping() {
    let m = load(&file("G1_bouncing_ball"), &[]);
    let exact = run(&m, |_| ());
    let z = exact.results.get("z").unwrap();
    let error = |h: f64| {
        let out = run(&m, stepping(h));
        let y = out.results.get("z").unwrap();
        assert!(y.last().unwrap().abs() < 1e-6, "at rest: {}", y.last().unwrap());
        delassus::math::max_difference(z, y)
    };
    let (coarse, fine) = (error(2e-3), error(1.25e-4));
    assert!(coarse < 10.0 * 2e-3, "{coarse}");
    let order = (coarse / fine).log2() / 4.0;
    assert!((0.6..1.6).contains(&order), "order {order}: {coarse} {fine}");
}

#[test]
fn event_times_of_g2_g6_g8_g9_g12() {
    let cases: [(&str, &str, &str, EventKind, f64); 8] = [
        ("G1b_bouncing_ball_e05", "G1b_bouncing_ball_e05_events", "t", EventKind::Impact, 1e-10),
        ("G2_plate", "G2_plate_events", "t", EventKind::Impact, 1e-8),
        ("G6_rocking_block", "G6_rocking_block_events", "t_impact", EventKind::Impact, 1e-8),
        ("G8_impact_oscillator", "G8_impact_oscillator_events", "t", EventKind::Impact, 1e-8),
        ("G8b_near_grazing", "G8b_near_grazing_events", "t", EventKind::Impact, 1e-8),
        ("G9_stick_slip", "G9_stick_slip_events", "t_slip_start", EventKind::Slip, 1e-8),
        ("G9_stick_slip", "G9_stick_slip_events", "t_stick_start", EventKind::Stick, 1e-8),
        ("G12_two_link_wall", "G12_two_link_wall_events", "t", EventKind::Impact, 1e-8),
    ];
    for (name, table, col, kind, limit) in cases {
        let out = run(&load(&file(name), &[]), tight);
        let found = times(&out, kind);
        let mut want = column(table, col);
        // what lies beyond the end of the run, or inside the accumulation
        want.truncate(20);
        want.retain(|t| *t < out.summary.t_end);
        same_times(name, &found, &want, limit);
        audited(&out);
    }
}

#[test]
fn g3_leaves_the_sphere() {
    let m = load(&file("G3_sphere"), &[]);
    for method in METHODS {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(if method.starts_with("gen") { 1e-9 } else { 1e-12 });
        });
        let t = times(&out, EventKind::Release);
        let limit = if method.starts_with("gen") { 1e-6 } else { 1e-8 };
        same_times(method, &t, &[0.754238838002552], limit);
    }
}

#[test]
fn g4_the_cradle_at_once_and_one_by_one() {
    let table = reference("G4_cradle_moreau");
    let rows = table.column("e").unwrap().len();
    for row in 0..rows {
        let at = |name: &str| table.column(name).unwrap()[row];
        let (e, moving) = (at("e").to_string(), at("n_moving").to_string());
        let m = load(&file("G4_cradle_moreau"), &[("e", &e), ("moving", &moving)]);
        let out = run(&m, |_| ());
        for k in 1..=5 {
            let name = format!("v{k}");
            let v = *out.results.get(&name).unwrap().last().unwrap();
            assert!((v - at(&name)).abs() < 1e-10, "e {e}, {moving}: {name} = {v}");
        }
        audited(&out);
    }
    let mut spec = support::spec(&file("G4_cradle_moreau"));
    spec.analysis.impacts = Some(delassus::model::spec::ImpactType::Sequential);
    let out = run(&support::assembled(&spec, &[]), |_| ());
    for k in 1..=5 {
        let v = *out.results.get(&format!("v{k}")).unwrap().last().unwrap();
        assert!((v - if k == 5 { 1.0 } else { 0.0 }).abs() < 1e-10);
    }
}

/// Painlevé's rod stays finite in the region without a solution, and event-driven alone says so.
#[test]
fn g5_painleve() {
    for theta in ["0.95", "1.0", "1.2"] {
        let m = load(&file("G5_painleve_rod"), &[("theta0", theta)]);
        let out = run(&m, |_| ());
        let y = out.results.get("y").unwrap();
        assert!(y.iter().all(|y| y.is_finite() && *y > -1e-9), "{theta}");
        assert!(times(&out, EventKind::HandOver).len() == 1, "{theta}");
        let out = run(&m, stepping(1e-4));
        assert!(out.results.get("y").unwrap().iter().all(|y| y.is_finite() && *y > -1e-6));
    }
}

#[test]
fn g7_woodpecker_period_and_drop() {
    let m = load(&file("G7_woodpecker"), &[]);
    for change in [None, Some(1e-5)] {
        let out = run(&m, |o| {
            if let Some(h) = change {
                stepping(h)(o);
            }
        });
        let (phi, y) = (out.results.get("phiS").unwrap(), out.results.get("y").unwrap());
        // falling passages of the start angle, by linear interpolation
        let mut passages = vec![(0.0, 0.0)];
        for k in 10..phi.len() - 1 {
            let (a, b) = (phi[k] + 0.2788, phi[k + 1] + 0.2788);
            if a > 0.0 && b <= 0.0 {
                let s = a / (a - b);
                let t = out.results.t[k] + s * (out.results.t[k + 1] - out.results.t[k]);
                passages.push((t, y[k] + s * (y[k + 1] - y[k])));
            }
        }
        assert!(passages.len() >= 3, "{passages:?}");
        for w in passages.windows(2) {
            assert!((w[1].0 - w[0].0 - 0.146).abs() < 0.00146, "{passages:?}");
            assert!((w[0].1 - w[1].1 - 0.01945).abs() < 0.01 * 0.01945 + 5e-5, "{passages:?}");
        }
        audited(&out);
    }
}

#[test]
fn g10_incline_sticks_exactly_and_slides_exactly() {
    let table = reference("G10_incline");
    for row in 0..4 {
        let at = |name: &str| table.column(name).unwrap()[row];
        let (mu, v0) = (at("mu").to_string(), at("v0_up").to_string());
        let m = load(&file("G10_incline"), &[("mu", &mu), ("v0", &v0)]);
        for method in METHODS {
            let out = run(&m, |o| o.method = method.to_owned());
            let x = *out.results.get("x_up").unwrap().last().unwrap();
            let limit = if method.starts_with("gen") { 1e-6 } else { 1e-9 };
            assert!((x - at("x_up_at_2s")).abs() < limit, "{method} {mu} {v0}: {x}");
        }
    }
}

/// Friction in the plane of contact: any direction, no facets.
#[test]
fn g10b_friction_in_two_directions() {
    let m = load(&file("G10b_cross_slope"), &[]);
    let out = run(&m, |o| o.rtol = Some(1e-11));
    let table = reference("G10b_cross_slope");
    for name in ["x_across", "y_down", "vx", "vy"] {
        let want = table.column(name).unwrap();
        for (a, b) in out.results.get(name).unwrap().iter().zip(want) {
            assert!((a - b).abs() < 1e-8, "{name}: {a} {b}");
        }
    }
    let (vx, vy) = (out.results.get("vx").unwrap(), out.results.get("vy").unwrap());
    for (x, y) in vx.iter().zip(vy) {
        assert!((x.hypot(*y) + y - 1.0).abs() < 1e-8);
    }
}

#[test]
fn g11_clearance() {
    let m = load(&file("G11_clearance_slider_crank"), &[]);
    let out = run(&m, tight);
    let table = reference("G11_clearance_slider_crank_events");
    let (t, kind) = (table.column("t").unwrap(), table.column("kind").unwrap());
    let mut release: Vec<f64> = times(&out, EventKind::Release);
    release.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let want: Vec<f64> = t.iter().zip(kind).filter(|(_, k)| **k == 2.0).map(|(t, _)| *t).collect();
    same_times("release", &release, &want, 1e-8);
    // the impacts before the first accumulation
    let mut impacts = times(&out, EventKind::Impact);
    impacts.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    same_times("impact", &impacts, &t[..7], 1e-8);
    let y = out.results.get("y_slider").unwrap();
    assert!(y.iter().all(|y| y.abs() <= 1e-3 + 1e-9));
    audited(&out);
}

#[test]
fn g12_with_every_method() {
    let m = load(&file("G12_two_link_wall"), &[]);
    let want = column("G12_two_link_wall_events", "t");
    for method in METHODS {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.rtol = Some(if method.starts_with("gen") { 1e-8 } else { 1e-11 });
        });
        let limit = if method.starts_with("gen") { 1e-4 } else { 1e-8 };
        same_times(method, &times(&out, EventKind::Impact), &want, limit);
        audited(&out);
    }
}

#[test]
fn g13_stacks_rest_and_slide_when_pushed() {
    for (name, up) in [("G13_stack", "y"), ("G13_stack_3d", "z")] {
        let m = load(&file(name), &[]);
        for scheme in [SchemeType::Hybrid, SchemeType::TimeStepping] {
            let out = run(&m, |o| {
                o.scheme = scheme;
                o.step = (scheme == SchemeType::TimeStepping).then_some(5e-3);
            });
            for k in 1..=5 {
                for (axis, at) in [("x".to_owned(), 0.0), (up.to_owned(), 0.2 * k as f64 - 0.1)] {
                    let x = out.results.get(&format!("{axis}{k}")).unwrap();
                    assert!(x.iter().all(|x| (x - at).abs() < 1e-6), "{name} {axis}{k}");
                }
            }
            // all interfaces together carry (5 + 4 + 3 + 2 + 1) m g
            let normal = out.results.get("stack.normal").unwrap();
            let want = 15.0 * G;
            assert!((normal.last().unwrap() - want).abs() < 1e-6 * want, "{name}: {normal:?}");
        }
        for (force, slides) in [("4.9", false), ("4.91", true)] {
            let m = load(&file(name), &[("F", force)]);
            let out = run(&m, |o| o.t_end = 1.0);
            let x = *out.results.get("x5").unwrap().last().unwrap();
            let want = if slides { 0.5 * (4.91 - 4.905) } else { 0.0 };
            assert!((x - want).abs() < 1e-10, "{name} F = {force}: {x} {want}");
            // half of the corners slide off their edges, once each; in space the direction of
            // sliding is stiff from the first moment on, and nothing has to be handed over
            let (off, over) = (EventKind::Release, EventKind::HandOver);
            let corners = if up == "z" { 4 } else { 2 };
            let released = if slides { corners } else { 0 };
            assert_eq!(count(&out.events, off), released, "{name} F = {force}");
            assert_eq!(count(&out.events, over), 0, "{name} F = {force}");
            assert!(out.summary.steps < 1100, "{name} F = {force}: {}", out.summary.steps);
        }
    }
}

/// Eight spheres fall into a box, hit each other and slide ever more slowly in its corners.
#[test]
fn spheres_come_to_rest_in_a_box() {
    let mut spec = support::spec("spheres_in_box.toml");
    spec.method = Default::default();
    let m = support::assembled(&spec, &[("N", "2")]);
    // the tolerance decides about the error: steps with closed points are no longer a part of the run
    let out = run(&m, |o| {
        o.scheme = SchemeType::Hybrid;
        o.t_end = 0.4;
        o.rtol = Some(1e-9);
    });
    // of 0.2 J at the start
    let kinetic = out.results.get("kinetic").unwrap();
    assert!(
        kinetic.iter().all(|k| k.is_finite()) && *kinetic.last().unwrap() < 5e-3,
        "{kinetic:?}"
    );
    let error = out.results.get("energy_error").unwrap();
    assert!(error.iter().all(|e| e.abs() < 1e-5), "{error:?}");
    // 15500 at 0.38 s, before invisible bounces were ended. The motion is chaotic, and so is the number
    assert!(out.summary.steps < 9000, "{}", out.summary.steps);
}

/// A contact that never closes changes no bit.
#[test]
fn an_idle_contact_changes_nothing() {
    let text = |contact: &str| {
        format!(
            "schema = 1\ngravity = [0, -9.81]\n[body.a]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\n\
             position = [1, 0]\nmarkers = {{ pin = [-1, 0] }}\n[joint.pin]\ntype = \"revolute\"\n\
             between = [\"ground\", \"a.pin\"]\n\
             [sensor.x]\ntype = \"position\"\nof = \"a\"\ncomponent = \"x\"\n[analysis]\nend = 3\n{contact}"
        )
    };
    let shapes = "[shape.a]\ntype = \"circle\"\nbody = \"a\"\nradius = 0.1\n[shape.floor]\ntype = \"half-plane\"\n\
                  body = \"ground\"\nat = [0, -3]\n[contact.far]\nbetween = [\"a\", \"floor\"]\nfriction = 0.5\n";
    for method in METHODS {
        let change = |o: &mut RunOptions| o.method = method.to_owned();
        let a = run(&support::assembled(&support::parsed(&text("")), &[]), change);
        let b = run(&support::assembled(&support::parsed(&text(shapes)), &[]), change);
        assert_eq!(a.results.get("x"), b.results.get("x"), "{method}");
        assert_eq!(a.summary.steps, b.summary.steps);
        assert!(b.events.is_empty());
    }
}

fn count(events: &[Event], kind: EventKind) -> usize {
    events.iter().filter(|e| e.kind == kind).count()
}

/// Stops, a rope, a one-way clutch and dry friction in one model.
#[test]
fn stops_ropes_clutches_and_brakes() {
    // dry friction brings a flywheel to rest: t = J w / bound
    let wheel = |contact: &str| {
        format!(
            "schema = 1\n[body.a]\ntype = \"planar\"\nmass = 1\ninertia = 2\nrate = 3\n[joint.pin]\n\
             type = \"revolute\"\nbetween = [\"ground\", \"a\"]\n[sensor.w]\ntype = \"joint-rate\"\njoint = \"pin\"\n\
             [sensor.phi]\ntype = \"joint\"\njoint = \"pin\"\n[analysis]\nend = 4\n{contact}"
        )
    };
    let text = wheel("[contact.brake]\ntype = \"dry-friction\"\njoint = \"pin\"\nbound = 2\n");
    let out = run(&support::assembled(&support::parsed(&text), &[]), |_| ());
    let stop = times(&out, EventKind::Stick);
    same_times("brake", &stop, &[3.0], 1e-8);
    let phi = out.results.get("phi").unwrap();
    assert!((phi.last().unwrap() - 4.5).abs() < 1e-8);
    // a stop with restitution
    let text = wheel(
        "[contact.stop]\ntype = \"limit\"\njoint = \"pin\"\nupper = 1.5\nrestitution = 0.5\n",
    );
    let out = run(&support::assembled(&support::parsed(&text), &[]), |_| ());
    same_times("stop", &times(&out, EventKind::Impact), &[0.5], 1e-10);
    assert!((out.results.get("w").unwrap().last().unwrap() + 1.5).abs() < 1e-10);
    // a freewheel: a torque that turns back cannot turn it back
    let text = wheel(
        "[contact.free]\ntype = \"one-way\"\njoint = \"pin\"\n[force.back]\ntype = \"torque\"\nat = \"a\"\ntorque = -6\n",
    );
    let out = run(&support::assembled(&support::parsed(&text), &[]), |_| ());
    same_times("clutch", &times(&out, EventKind::Close), &[1.0], 1e-8);
    assert!(out.results.get("w").unwrap().last().unwrap().abs() < 1e-9);
    // a rope pulls at its full length
    let text = "schema = 1\n[body.a]\ntype = \"planar-point\"\nmass = 1\nposition = [0.5, 0]\nvelocity = [1, 0]\n\
                [contact.rope]\ntype = \"rope\"\nbetween = [\"ground\", \"a\"]\nlength = 1\nrestitution = 0.5\n\
                [sensor.v]\ntype = \"velocity\"\nof = \"a\"\ncomponent = \"x\"\n[analysis]\nend = 1\n";
    let out = run(&support::assembled(&support::parsed(text), &[]), |_| ());
    same_times("rope", &times(&out, EventKind::Impact), &[0.5], 1e-10);
    assert!((out.results.get("v").unwrap().last().unwrap() + 0.5).abs() < 1e-10);
    assert_eq!(count(&out.events, EventKind::Impact), 1);
}

/// A ball thrown with a slide ends up rolling at 5/7 of its speed.
#[test]
fn a_sphere_slides_then_rolls() {
    let text = "schema = 1\ngravity = [0, 0, -9.81]\n[body.ball]\ntype = \"rigid\"\nmass = 2\n\
                inertia = [0.008, 0.008, 0.008]\nposition = [0, 0, 0.1]\nvelocity = [1, 2, 0]\n\
                [shape.ball]\ntype = \"sphere\"\nbody = \"ball\"\nradius = 0.1\n[shape.floor]\ntype = \"half-space\"\n\
                body = \"ground\"\n[contact.c]\nbetween = [\"ball\", \"floor\"]\nfriction = 0.2\n\
                [sensor.vx]\ntype = \"velocity\"\nof = \"ball\"\ncomponent = \"x\"\n\
                [sensor.vy]\ntype = \"velocity\"\nof = \"ball\"\ncomponent = \"y\"\n[analysis]\nend = 1\n";
    let m = support::assembled(&support::parsed(text), &[]);
    for change in [None, Some(1e-3)] {
        let out = run(&m, |o| {
            o.rtol = Some(1e-10);
            if let Some(h) = change {
                stepping(h)(o);
            }
        });
        for (name, v0) in [("vx", 1.0), ("vy", 2.0)] {
            let v = *out.results.get(name).unwrap().last().unwrap();
            assert!((v - v0 * 5.0 / 7.0).abs() < 1e-8, "{change:?} {name}: {v}");
        }
        if change.is_none() {
            // slides until v - w r vanishes: t = 2/7 v / (mu g)
            let t = 2.0 / 7.0 * 5f64.sqrt() / (0.2 * G);
            same_times("roll", &times(&out, EventKind::Stick), &[t], 1e-8);
        }
    }
}
