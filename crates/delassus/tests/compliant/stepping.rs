//! Compliant contact in time-stepping, and handed over to it: against closed forms, references and the event-driven
//! method.

use crate::friction::{LUGRE, block, creeping};
use crate::impacts::{near, pairs, reference_rows};
use crate::play_in_space::pendulum;
use crate::support;

use delassus::math::{largest, max_difference};
use delassus::model::Assembled;
use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use delassus::sim::{RunOptions, RunOutcome};
use support::{assembled, errors, load, parsed, run};

const METHODS: [&str; 3] = ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"];
/// Those whose steps are posed between two states: they keep energy at any step.
const MIDPOINT: [&str; 2] = ["moreau-jean", "nonsmooth-gen-alpha"];

fn by(method: &str, step: f64) -> impl Fn(&mut RunOptions) + '_ {
    move |o| {
        o.scheme = SchemeType::TimeStepping;
        o.method = method.to_owned();
        o.step = Some(step);
    }
}

fn last(out: &RunOutcome, name: &str) -> f64 {
    *out.results.get(name).unwrap().last().unwrap()
}

/// What comes back, how long it takes and how deep it goes, by every law: errors of second order in the step.
#[test]
fn e5_converges_with_second_order() {
    let table = reference_rows();
    let m = load("benchmarks/E5_compliant_laws.toml", &[("ce", "0.5"), ("v", "1")]);
    for method in METHODS {
        // steps that do not fit the distance, so that contacts begin anywhere in them
        let off = |step: f64| {
            let out = run(&m, by(method, step));
            let found = pairs(&out);
            assert_eq!(found.len(), 11, "{method}");
            let each = found.into_iter().map(|(law, (touch, part))| {
                near(touch.t, 1e-3, 1e-9, "start");
                near(-touch.speed_before, 1.0, 1e-12, "approach");
                let want = &table[&(law.to_owned(), 5, 1)];
                let back = part.speed_after / -touch.speed_before;
                // at the end of a step after a jump of the force, the velocity between positions is of first order
                let jumps = method == "schatzman-paoli" && law.starts_with("kelvin_voigt");
                let off = if jumps { 0.0 } else { (back - want[0]).abs() };
                let lost = 0.5 * (1.0 - back * back);
                assert!(
                    jumps || (part.energy_lost - lost).abs() < 0.2 * step / 1e-4 * 0.05,
                    "{law}"
                );
                [off, (part.t - touch.t) / want[1] - 1.0, part.depth / want[2] - 1.0]
            });
            each.fold([0.0f64; 3], |m, x| [0, 1, 2].map(|k| m[k].max(x[k].abs())))
        };
        let (coarse, fine) = (off(9.1e-5), off(2.3e-5));
        for (k, limit) in [5e-4, 2e-3, 1e-3].into_iter().enumerate() {
            assert!(fine[k] < limit, "{method}: {fine:?}");
        }
        // a sixteenth, apart from where in a step a contact begins and ends
        assert!(fine[0] < 0.12 * coarse[0], "{method}: {coarse:?} {fine:?}");
    }
}

/// However long the step, a ball without losses returns to its height: no more comes out of a contact than went in.
/// What is not resolved is reported.
#[test]
fn e1_keeps_its_energy_at_any_step() {
    let m = load("benchmarks/E1_falling_ball.toml", &[]);
    for method in MIDPOINT {
        for (step, few) in [(2e-2, 1), (2e-3, 1), (2.5e-4, 1), (1e-4, 0)] {
            let out = run(&m, |o| {
                by(method, step)(o);
                // between the ends of a step a motion that is not resolved is not shown
                o.sample = step.max(1e-2);
            });
            let total = out.results.get("energy").unwrap();
            let drift = largest(total.iter().map(|e| (e - total[0]).abs()));
            assert!(drift < 1e-10, "{method} {step}: {drift}");
            let tally = &out.summary.contact.as_ref().unwrap().compliant;
            assert_eq!((tally.few_steps.count, tally.contacts), (few, 1), "{method} {step}");
            let told = out.notes.iter().any(|n| n.code == "N_FEW_STEPS");
            assert_eq!(told, few > 0, "{method} {step}");
        }
    }
    // with losses the balance closes just as well, and the log has what is lost
    let m = load("benchmarks/E1_falling_ball.toml", &[("ce", "0.5")]);
    for (method, step) in [("moreau-jean", 3e-3), ("nonsmooth-gen-alpha", 1e-4)] {
        let out = run(&m, by(method, step));
        assert!(out.summary.energy_error < 1e-10, "{method}: {}", out.summary.energy_error);
        let total = out.results.get("energy").unwrap();
        let (_, part) = pairs(&out)["bounce"];
        near(part.energy_lost, total[0] - total[total.len() - 1], 1e-9, method);
    }
}

/// A steel wall that 157 µs pass by: times, speeds and depth of the reference.
#[test]
fn e2_against_the_reference() {
    let m = load("benchmarks/E2_pendulum_wall.toml", &[]);
    for method in MIDPOINT {
        let out = run(&m, by(method, 1e-5));
        let (touch, part) = pairs(&out)["hit"];
        near(touch.t, 0.538_218_666_720_13, 1e-9, method);
        near(part.depth, 1.672_444_536_1e-4, 1e-4, method);
        near(part.t - touch.t, 1.571_621_975_5e-4, 6e-3, method);
        near(part.speed_after, 3.132_091_952_67, 1e-7, method);
    }
}

/// Bristles forget within a small part of a step while they slip, and hold while they stick.
#[test]
fn e7_lugre_against_the_reference() {
    let m = load("benchmarks/E7_lugre.toml", &[]);
    for method in MIDPOINT {
        let out = run(&m, by(method, 5e-4));
        let (x, _) = errors("E7_lugre", &out, Some(&["x"]));
        assert!(x <= 1e-4, "{method}: {x}");
    }
    let m = assembled(&parsed(&block(LUGRE, 0.2, 2.0)), &[]);
    let out = run(&m, by("moreau-jean", 1e-3));
    // it starts where the floor carries it, and what that stores is there from the start
    assert!(out.summary.energy_error < 1e-6, "{}", out.summary.energy_error);
    let x = out.results.get("x").unwrap();
    assert!((x[200] - x[100]).abs() < 1e-9, "{} {}", x[200], x[100]);
}

/// What should stick creeps as fast as the law says, by every law, in steps of any length.
#[test]
fn friction_laws_creep_as_they_should() {
    for (law, speed) in creeping() {
        let m = assembled(&parsed(&block(law, 0.2, 0.5)), &[]);
        for method in METHODS {
            for step in [1e-2, 1e-3] {
                let v = last(&run(&m, by(method, step)), "v");
                assert!((v - speed).abs() <= 1e-4 * speed, "{method} {law} {step}: {v} {speed}");
            }
        }
    }
}

/// Sliding slows down as by the event-driven method, through rest where the friction turns round.
#[test]
fn friction_laws_slow_down_as_they_should() {
    for law in creeping().map(|(law, _)| law).into_iter().chain([LUGRE]) {
        let text = block(law, 0.0, 0.8).replace("mass = 2", "mass = 2\nvelocity = [1, 0]");
        let m = assembled(&parsed(&text), &[]);
        let want = run(&m, |o| {
            o.method = "radau5".to_owned();
            o.rtol = Some(1e-8);
        });
        for (method, limit) in METHODS.into_iter().zip([3e-5, 1e-3, 3e-5]) {
            let found = run(&m, by(method, 1e-3));
            let off =
                max_difference(found.results.get("x").unwrap(), want.results.get("x").unwrap());
            assert!(off < limit, "{method} {law}: {off}");
        }
    }
}

/// Play that yields: the journal falls, touches and bounces as by the event-driven method.
#[test]
fn play_that_yields() {
    let joint = "law = 'lankarani-nikravesh'\nstiffness = 1e9\nrestitution = 0.5\n";
    let m = assembled(&parsed(&pendulum(false, joint)), &[]);
    let want = run(&m, |_| {});
    for method in MIDPOINT {
        let off = |step: f64| {
            let out = run(&m, by(method, step));
            let touches = |o: &RunOutcome| -> Vec<f64> {
                let touch = o.events.iter().filter(|e| e.kind == EventKind::Touch);
                touch.map(|e| e.t).take(4).collect()
            };
            assert!((touches(&out)[0] - (2.0 * 0.5e-3 / 9.81f64).sqrt()).abs() < 1e-8);
            max_difference(&touches(&out), &touches(&want))
        };
        let (coarse, fine) = (off(2e-5), off(5e-6));
        assert!(fine < 4e-6 && fine < 0.12 * coarse, "{method}: {coarse} {fine}");
    }
}

/// A shaft that is not askew moves as in the plane, where each end has half the stiffness.
#[test]
fn twins_in_plane_and_space() {
    let law = |k: f64, rub: &str| {
        format!("law = 'lankarani-nikravesh'\nstiffness = {k:e}\nrestitution = 0.5\n{rub}")
    };
    let rub = "friction = 0.2\nfriction_law = 'threlfall'\ncreep_speed = '1 mm/s'\n";
    let bristles =
        "friction = 0.2\nfriction_law = 'lugre'\nbristle_stiffness = 1e4\nbristle_damping = 60\n";
    for rub in ["", rub, bristles] {
        let models = [
            pendulum(false, &law(1e9, rub)),
            pendulum(true, &format!("length = '40 mm'\n{}", law(0.5e9, rub))),
        ];
        for method in METHODS {
            let [flat, shaft] =
                models.each_ref().map(|text| run(&assembled(&parsed(text), &[]), by(method, 5e-5)));
            for name in ["e.x", "e.y", "p"] {
                let column = |o: &RunOutcome| o.results.get(name).unwrap().to_vec();
                let off = max_difference(&column(&flat), &column(&shaft));
                assert!(off < 1e-9, "{method} {rub}: {name} {off}");
            }
        }
    }
}

/// A ball bounces to rest on a floor, or on a plate, next to a compliant contact.
fn beside(plate: bool) -> Assembled {
    let more = match plate {
        false => {
            "[body.other]\ntype = 'planar'\nmass = 1\ninertia = 0.004\nposition = [1, 0.5]\n\
             [shape.other]\ntype = 'circle'\nbody = 'other'\nradius = 0.1\n"
        }
        true => {
            "[body.other]\ntype = 'planar'\nmass = 2\ninertia = 0.1\nposition = [0, 0.0501]\n\
             [shape.other]\ntype = 'circle'\nbody = 'other'\nradius = 0.05\n\
             [shape.top]\ntype = 'segment'\nbody = 'other'\nfrom = [-0.5, 0.05]\nto = [0.5, 0.05]\n\
             [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'other']\naxis = [0, 1]\n"
        }
    };
    let on = if plate { "top" } else { "floor" };
    let text = format!(
        "schema = 1\ngravity = [0, -9.81]\n\
         [body.ball]\ntype = 'planar'\nmass = 0.5\ninertia = 0.002\nposition = [0, 0.4]\n\
         [shape.ball]\ntype = 'circle'\nbody = 'ball'\nradius = 0.1\n\
         [shape.floor]\ntype = 'half-plane'\nbody = 'ground'\n{more}\
         [contact.hard]\nbetween = ['ball', '{on}']\nrestitution = 0.6\n\
         [contact.yields]\nbetween = ['other', 'floor']\nlaw = 'hunt-crossley'\nstiffness = 1e6\nrestitution = 0.5\n\
         [sensor.ball]\ntype = 'position'\nof = 'ball'\n[sensor.other]\ntype = 'position'\nof = 'other'\n\
         [analysis]\nend = 1.5\nsample = 0.01\n[method]\nrtol = 1e-9\n"
    );
    assembled(&parsed(&text), &[])
}

/// Bounces that accumulate next to a compliant contact are passed, and the latter is as it is without them.
#[test]
fn bounces_accumulate_beside_a_contact_that_yields() {
    let m = beside(false);
    let out = run(&m, |_| {});
    let kinds = |kind: EventKind| out.events.iter().filter(|e| e.kind == kind).count();
    assert_eq!((kinds(EventKind::HandOver), kinds(EventKind::HandBack)), (1, 1));
    assert!(out.summary.energy_error < 1e-6, "{}", out.summary.energy_error);
    assert!((last(&out, "ball.y") - 0.1).abs() < 1e-9);
    // no time-stepping where nothing accumulates
    let alone = run(&m, |o| {
        o.scheme = SchemeType::EventDriven;
        o.t_end = 0.6;
    });
    let n = alone.results.t.len();
    let [a, b] = [&out, &alone].map(|o| &o.results.get("other.y").unwrap()[..n]);
    assert!(max_difference(a, b) < 1e-9, "{}", max_difference(a, b));
    for method in METHODS {
        let steps = run(&m, by(method, 1e-4));
        let off = max_difference(
            steps.results.get("other.y").unwrap(),
            out.results.get("other.y").unwrap(),
        );
        assert!(off < 1e-4, "{method}: {off}");
        assert!((last(&steps, "ball.y") - 0.1).abs() < 1e-6, "{method}");
    }
}

/// What is pressed while time-stepping takes over is pressed when it hands back, and was never let go: one contact in the
/// log, with what it lost, and a place of rest that the law gives.
#[test]
fn a_pressed_point_is_handed_over_and_back() {
    let m = beside(true);
    let out = run(&m, |_| {});
    let of = |kind: EventKind| out.events.iter().filter(|e| e.kind == kind).collect::<Vec<_>>();
    assert_eq!((of(EventKind::HandOver).len(), of(EventKind::HandBack).len()), (1, 1));
    let (touch, part) = (of(EventKind::Touch), of(EventKind::Part));
    assert!(touch.len() == 1 && part.is_empty() && touch[0].t < of(EventKind::HandOver)[0].t);
    assert_eq!(out.summary.contact.as_ref().unwrap().compliant.contacts, 1);
    assert!(out.summary.energy_error < 1e-6, "{}", out.summary.energy_error);
    let depth = (2.5f64 * 9.81 / 1e6).powf(2.0 / 3.0);
    assert!((last(&out, "other.y") - (0.05 - depth)).abs() < 1e-8, "{}", last(&out, "other.y"));
    for method in METHODS {
        let steps = run(&m, by(method, 1e-4));
        assert!((last(&steps, "other.y") - (0.05 - depth)).abs() < 1e-9, "{method}");
        let touches = steps.events.iter().filter(|e| e.kind == EventKind::Touch).count();
        assert_eq!(touches, 1, "{method}");
        let off = max_difference(
            steps.results.get("ball.y").unwrap(),
            out.results.get("ball.y").unwrap(),
        );
        // the time of each impact is known to a step
        assert!(off < 1e-3, "{method}: {off}");
    }
}

/// A block slides off a table and tips over its edge: where its front corner leaves, the edge of the table takes over at once, as deep
/// as the corner was, whether the table is a body or a one-sided line. As stiff as this it moves almost as if it were rigid.
#[test]
fn an_edge_takes_over_from_a_corner() {
    let model = |table: &str, law: &str| {
        let text = format!(
            "schema = 1\ngravity = [0, -9.81]\n\
             [body.b]\ntype = 'planar'\nmass = 1\ninertia = 0.003\nposition = [-0.3, 0.1]\nvelocity = [1.5, 0]\n\
             [shape.b]\ntype = 'profile'\nbody = 'b'\npoints = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]\n\
             [shape.table]\nbody = 'ground'\n{table}\n[contact.c]\nbetween = ['b', 'table']\n{law}\
             [sensor.p]\ntype = 'position'\nof = 'b'\n[sensor.a]\ntype = 'angle'\nof = 'b'\n\
             [analysis]\nend = 0.4\nsample = 0.01\n"
        );
        assembled(&parsed(&text), &[])
    };
    let body = "type = 'profile'\npoints = [[-2, -0.2], [0, -0.2], [0, 0], [-2, 0]]";
    let line = "type = 'segment'\nfrom = [-2, 0]\nto = [0, 0]";
    let yields = "law = 'hunt-crossley'\nstiffness = 3e8\nrestitution = 0.3\n";
    let rigid = run(&model(body, "restitution = 0\n"), |o| o.rtol = Some(1e-9));
    for method in METHODS {
        for step in [1e-4, 5e-5] {
            let [body, line] =
                [body, line].map(|table| run(&model(table, yields), by(method, step)));
            for name in ["p.x", "p.y", "a"] {
                let column = |o: &RunOutcome| o.results.get(name).unwrap().to_vec();
                let off = max_difference(&column(&body), &column(&line));
                assert!(off < 1e-9, "{method} {step}: {name} {off}");
                let off = max_difference(&column(&body), &column(&rigid));
                assert!(off < 1e-2, "{method} {step}: {name} {off} from the rigid one");
            }
        }
    }
}

/// A damper of a body that a compliant floor holds has the velocity of the body, not that of its free fall.
#[test]
fn a_damper_beside_a_contact_that_holds() {
    let text = "schema = 1\ngravity = [0, -9.81]\n[ground.markers]\npost = [0, 1]\n\
        [body.b]\ntype = 'planar-point'\nmass = 1\n[shape.b]\ntype = 'point'\nbody = 'b'\n\
        [shape.f]\ntype = 'half-plane'\nbody = 'ground'\n\
        [contact.c]\nbetween = ['b', 'f']\nlaw = 'hertz'\nexponent = 1.5\nstiffness = 1e5\n\
        [force.d]\ntype = 'spring'\nbetween = ['ground.post', 'b']\nstiffness = 0\ndamping = 10\nlength = 1\n\
        [sensor.y]\ntype = 'position'\nof = 'b'\ncomponent = 'y'\n[analysis]\nend = 3\nsample = 0.1\n";
    let m = assembled(&parsed(text), &[]);
    let depth = (9.81f64 / 1e5).powf(2.0 / 3.0);
    for (method, limit) in METHODS.into_iter().zip([1e-6, 1e-6, 1e-2]) {
        let y = last(&run(&m, by(method, 1e-3)), "y");
        near(-y, depth, limit, method);
    }
}
