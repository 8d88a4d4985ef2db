//! Whatever depends on time takes effect, also if nothing moves before it: ramps, pulses, square waves, driven plates,
//! with every adaptive method, in the plane and in space.

use crate::support;

use delassus::math::largest;
use delassus::model::Assembled;
use delassus::sim::{RunOutcome, able_methods};
use support::{assembled, parsed, run, try_run};

/// A wheel on an axle, at rest. `more` acts on it, `want` is the angle that it must have.
fn wheel(spatial: bool, more: &str, want: &str) -> Assembled {
    let (kind, inertia) = if spatial { ("rigid", "[1, 1, 1]") } else { ("planar", "1") };
    let text = format!(
        r#"schema = 1
title = "wheel"
[body.wheel]
type = "{kind}"
mass = 1
inertia = {inertia}
[joint]
axle = {{ type = "revolute", between = ["ground", "wheel"] }}
{more}
[sensor]
angle = {{ type = "joint", joint = "axle" }}
want = {{ type = "expression", value = "{want}" }}
[analysis]
end = 3
sample = "10 ms"
"#
    );
    assembled(&parsed(&text), &[])
}

fn motion(value: &str) -> String {
    format!("drive = {{ type = \"motion\", joint = \"axle\", value = \"{value}\" }}")
}

fn torque(spatial: bool, value: &str) -> String {
    let value = if spatial { format!("[0, 0, \"{value}\"]") } else { format!("\"{value}\"") };
    format!("[force.f]\ntype = \"torque\"\nat = \"wheel\"\ntorque = {value}")
}

/// Largest distance of `angle` from `want`; NaN if one of them is.
fn off(out: &RunOutcome) -> f64 {
    let (angle, want) = (out.results.get("angle").unwrap(), out.results.get("want").unwrap());
    assert!(angle.len() == want.len() && angle.len() == 301);
    let far = |m: f64, (a, b): (&f64, &f64)| {
        let d = (a - b).abs();
        if d <= m { m } else { d }
    };
    angle.iter().zip(want).fold(0.0, far)
}

/// Every adaptive method brings the wheel where it must be.
fn all_methods(m: &Assembled, limit: f64, what: &str) {
    for method in able_methods(&m.system).iter().filter(|m| m.adaptive) {
        let out = try_run(m, |o| {
            o.method = method.name.to_owned();
            o.max_steps = Some(200_000);
        });
        assert!(out.error.is_none(), "{what} {}: {:?}", method.name, out.error);
        let found = off(&out);
        assert!(found < limit, "{what} {}: {found}", method.name);
    }
}

#[test]
fn a_ramp_that_begins_while_all_is_at_rest() {
    for spatial in [false, true] {
        let value = "step(t, 1.05, 0, 1.15, 1)";
        let m = wheel(spatial, &motion(value), value);
        all_methods(&m, 1e-3, &format!("ramp, spatial: {spatial}"));
    }
    // ten radians in a tenth of a second, and steps that end exactly at both ends of the ramp
    let value = "step(t, 1.05, 0, 1.15, 10)";
    let out = run(&wheel(false, &motion(value), value), |_| {});
    assert!(off(&out) < 1e-9, "{}", off(&out));
    for end in [1.05, 1.15] {
        assert!(out.steps.rows().iter().any(|r| (r.t - end).abs() < 1e-13), "{end}");
    }
    assert!(out.summary.steps < 60, "{}", out.summary.steps);
    assert!(out.summary.energy_error < 1e-6 && out.summary.max_sample_position_drift < 1e-9);
}

#[test]
fn pulses_of_torque_happen() {
    for spatial in [false, true] {
        // 1 N m s within 10 ms
        let m = wheel(
            spatial,
            &torque(spatial, "if(t > 1 && t < 1.01, 100, 0)"),
            "if(t < 1, 0, if(t < 1.01, 50*(t - 1)^2, 0.005 + t - 1.01))",
        );
        all_methods(&m, 2e-3, &format!("pulse, spatial: {spatial}"));
        let out = run(&m, |_| {});
        assert!(off(&out) < 1e-9 && out.summary.energy_error < 1e-9, "{}", off(&out));
        assert!(out.summary.steps < 60, "{}", out.summary.steps);
    }
}

/// A triangular pulse of 2 N m s within 0.1 s, given by points, and a motion through points.
#[test]
fn tables_of_time_are_met_at_their_points() {
    for spatial in [false, true] {
        let table = "[table.f]\nx = [1, 1.05, 1.1]\ny = [0, 40, 0]";
        let m = wheel(
            spatial,
            &format!("{table}\n{}", torque(spatial, "f(t)")),
            "if(t < 1, 0, if(t < 1.05, 400/3*(t - 1)^3, \
             2*(t - 1.05) + if(t < 1.1, 400/3*(1.1 - t)^3, 0)))",
        );
        all_methods(&m, 2e-3, &format!("table, spatial: {spatial}"));
        let out = run(&m, |_| {});
        assert!(off(&out) < 1e-9 && out.summary.energy_error < 1e-9, "{}", off(&out));
        for end in [1.0, 1.05, 1.1] {
            assert!(out.steps.rows().iter().any(|r| (r.t - end).abs() < 1e-13), "{end}");
        }
        assert!(out.summary.steps < 60, "{}", out.summary.steps);
    }
    let table = "[table]\nf = { x = [0, 0.3, 1, 1.2, 1.7], y = [0, 2, -1, 1, 0], join = 'spline', \
         outside = 'periodic' }";
    let m = wheel(false, &format!("{}\n{table}", motion("f(t)")), "f(t)");
    all_methods(&m, 2e-3, "motion by a spline");
}

/// The same characteristic as a table and as an expression: bits may differ, the motion may not.
#[test]
fn a_table_of_the_state_is_what_its_expression_is() {
    let spring = |law: &str| {
        format!(
            "[table.f]\nx = [-1, 0, 0.1]\ny = [-5, 0, 9]\noutside = 'extend'\n[force.s]\n\
             type = 'torsion'\njoint = 'axle'\ntorque = '{law} - 3 + 0.1*rate'"
        )
    };
    let by_table = run(&wheel(false, &spring("f(angle)"), "0"), |_| {});
    let by_if = run(&wheel(false, &spring("if(angle < 0, 5*angle, 90*angle)"), "0"), |_| {});
    let (a, b) = (by_table.results.get("angle").unwrap(), by_if.results.get("angle").unwrap());
    let apart = largest(a.iter().zip(b).map(|(a, b)| (a - b).abs()));
    assert!(apart < 1e-6 && largest(a.iter().map(|a| a.abs())) > 0.05, "{apart}");
}

/// The narrower the pulse, the less can samples say of it; the guarantee does not depend on that.
#[test]
fn smooth_pulses_of_any_width_happen() {
    for width in ["1e-2", "1e-4", "1e-7"] {
        let value = format!("exp(-((t - 2)/{width})^2)/{width}");
        let m =
            wheel(false, &torque(false, &value), &format!("max(0, t - 2)*sqrt(pi) + 0*{width}"));
        let out = run(&m, |_| {});
        // while the pulse lasts the angle is off by the width
        let limit = width.parse::<f64>().unwrap() + 1e-5;
        assert!(off(&out) < limit, "{width}: {}", off(&out));
        assert!(out.summary.steps < 200, "{width}: {}", out.summary.steps);
    }
    let value = "exp(-((t - 2)/0.01)^2)";
    let out = run(&wheel(false, &motion(value), value), |_| {});
    assert!(off(&out) < 1e-6, "{}", off(&out));
}

#[test]
fn square_waves_and_corners_are_met_exactly() {
    // a torque of ±1 that changes every quarter second: parabolas that end at rest
    let m = wheel(
        false,
        &torque(false, "if(mod(t, 0.5) < 0.25, 1, -1)"),
        "floor(2*t)*0.0625 + if(mod(t, 0.5) < 0.25, mod(t, 0.5)^2/2, 0.0625 - (0.5 - mod(t, 0.5))^2/2)",
    );
    let out = run(&m, |_| {});
    assert!(off(&out) < 1e-9, "{}", off(&out));
    assert!(out.summary.energy_error < 1e-9);
    // the rate of a motion jumps: an impulse, with its work
    for value in ["max(0, t - 1)", "1 - abs(t - 1) - 1 + abs(-1)", "clamp(t, 0, 1)"] {
        let out = run(&wheel(false, &motion(value), value), |_| {});
        assert!(off(&out) < 1e-9, "{value}: {}", off(&out));
        assert!(out.summary.energy_error < 1e-9, "{value}: {}", out.summary.energy_error);
    }
}

#[test]
fn what_a_force_reads_through_sensors_is_watched_too() {
    // a gate that time opens, and a torque that also reads the angle
    let more = "[force.f]\ntype = \"torque\"\nat = \"wheel\"\ntorque = \"2*gate + 0*angle\"";
    let gate = "\n[sensor.gate]\ntype = \"expression\"\nvalue = \"if(t > 2 && t < 2.01, 50, 0)\"\n";
    let want = "if(t < 2, 0, if(t < 2.01, 50*(t - 2)^2, 0.005 + t - 2.01))";
    let out = run(&wheel(false, &format!("{more}{gate}"), want), |_| {});
    assert!(off(&out) < 1e-9, "{}", off(&out));
    // a target that moves late
    let servo = "[force.f]\ntype = \"actuator\"\njoint = \"axle\"\ntarget = \"step(t, 2, 0, 2.01, 1)\"\nkp = 400\nkd = 40";
    let out = run(&wheel(false, servo, "if(t < 2, 0, 1)"), |_| {});
    let angle = out.results.get("angle").unwrap();
    assert!((angle[300] - 1.0).abs() < 1e-5 && angle[200].abs() < 1e-12, "{}", angle[300]);
}

#[test]
fn a_motion_that_jumps_stops_the_run_by_name() {
    for value in ["if(t < 1, 0, 0.5)", "floor(t)", "mod(t, 2)", "0.1*sign(t - 1) + 0.1"] {
        let out = try_run(&wheel(false, &motion(value), value), |_| {});
        let e = out.error.unwrap();
        assert_eq!(e.kind.code(), "E_MOTION_JUMP", "{value}: {e}");
        assert!(e.detail.contains("drive"), "{value}: {e}");
    }
}

/// Ends and samples say nothing about the motion: marks are found as far as a step reaches.
#[test]
fn marks_do_not_depend_on_the_end() {
    let value = "step(t, 1.05, 0, 1.15, 1) + 0.1*max(0, t - 1.2)^3";
    let m = wheel(false, &motion(value), value);
    let steps = |end: f64| {
        let out = run(&m, |o| o.t_end = end);
        out.steps.rows().iter().map(|r| r.t).filter(|t| *t < 1.3).collect::<Vec<f64>>()
    };
    let (short, long) = (steps(2.0), steps(3.0));
    assert!(short.len() > 5);
    for end in [1.05, 1.15, 1.2] {
        for steps in [&short, &long] {
            assert!(steps.iter().any(|t| (t - end).abs() < 1e-13), "{end}");
        }
    }
}

/// A plate on rails, driven late, and a ball that waits for it.
fn plate(spatial: bool, plate: &str, value: &str) -> Assembled {
    let (kind, inertia, ball, z) = if spatial {
        ("rigid", "[0.01, 0.01, 0.01]", "sphere", ", 0")
    } else {
        ("planar", "0.01", "circle", "")
    };
    let text = format!(
        r#"schema = 1
gravity = [0, 0{z}]
[body]
ball = {{ type = "{kind}", mass = 1, inertia = {inertia}, position = [0.5, 0{z}] }}
plate = {{ type = "{kind}", mass = 1, inertia = {inertia} }}
[joint]
rail = {{ type = "prismatic", between = ["ground", "plate"], axis = [1, 0{z}] }}
drive = {{ type = "motion", joint = "rail", value = "{value}" }}
[shape]
ball = {{ type = "{ball}", body = "ball", radius = 0.05 }}
plate = {plate}
[contact.c]
between = ["ball", "plate"]
restitution = 1
[sensor]
ball = {{ type = "position", of = "ball", component = "x" }}
plate = {{ type = "position", of = "plate", component = "x" }}
[analysis]
end = 4
sample = 0.01
"#
    );
    assembled(&parsed(&text), &[])
}

/// Moves of the ball between samples that its speed after the impact does not explain, and how deep
/// it is inside the plate.
fn check_hit(out: &RunOutcome, apart: f64, what: &str) {
    assert!(out.error.is_none(), "{what}: {:?}", out.error);
    let (ball, plate) = (out.results.get("ball").unwrap(), out.results.get("plate").unwrap());
    let impacts: Vec<_> = out.events.iter().filter(|e| e.speed_before < 0.0).collect();
    assert!(!impacts.is_empty(), "{what}: no impact");
    let fastest = largest(impacts.iter().map(|e| 2.0 * e.speed_before.abs()));
    for k in 1..ball.len() {
        let moved = (ball[k] - ball[k - 1]).abs();
        assert!(moved <= 0.01 * fastest * 1.001 + 1e-9, "{what}: moves by {moved} at {k}");
        assert!(ball[k] - plate[k] > apart - 1e-6, "{what}: inside at {k}");
    }
}

#[test]
fn a_plate_that_is_driven_late_hits_the_ball() {
    let half = r#"{ type = "half-plane", body = "plate", normal = [1, 0] }"#;
    let space = r#"{ type = "half-space", body = "plate", normal = [1, 0, 0] }"#;
    let thin = r#"{ type = "profile", body = "plate", points = [[-0.01, -0.5], [0.01, -0.5], [0.01, 0.5], [-0.01, 0.5]] }"#;
    let slab = r#"{ type = "box", body = "plate", size = [0.02, 1, 1] }"#;
    for (spatial, shape, apart) in
        [(false, half, 0.05), (true, space, 0.05), (false, thin, 0.06), (true, slab, 0.06)]
    {
        for value in [
            "step(t, 2, 0, 2.2, 1)",
            "exp(-((t - 2)/0.02)^2)",
            "if(t < 2, 0, if(t < 2.1, 64*((t - 2)/0.1)^3*(1 - (t - 2)/0.1)^3, 0))",
        ] {
            let m = plate(spatial, shape, value);
            for method in ["mdop5", "phem56", "radau5", "gen-alpha-ggl"] {
                let out = try_run(&m, |o| o.method = method.to_owned());
                check_hit(&out, apart, &format!("{value} {method} spatial: {spatial}"));
            }
        }
    }
}

#[test]
fn steps_of_given_length_tell_what_they_did_not_see() {
    let pulse = torque(false, "if(t > 1.0012 && t < 1.0018, 100, 0)");
    let m = wheel(false, &pulse, "0");
    for method in ["rk4", "gen-alpha", "lin-euler"] {
        let out = run(&m, |o| {
            o.method = method.to_owned();
            o.step = Some(2e-3);
        });
        let seen = out.summary.stepped_over.unwrap();
        assert!(seen.name.contains("\"f\"") && (seen.t - 1.002).abs() < 1e-9, "{seen:?}");
    }
    // adaptive steps see it
    assert_eq!(run(&m, |_| {}).summary.stepped_over, None);
    // a function that fixed steps resolve, jumps included, is not reported
    for value in ["sin(20*t)", "if(mod(t, 0.5) < 0.25, 1, -1)", "step(t, 1, 0, 1.1, 5)"] {
        let out = run(&wheel(false, &torque(false, value), "0"), |o| {
            o.method = "rk4".to_owned();
            o.step = Some(1e-3);
        });
        assert_eq!(out.summary.stepped_over, None, "{value}");
    }
}

/// Ramps of a time that starts elsewhere: their switches round more than the time does.
#[test]
fn ramps_across_zero_are_followed() {
    for (from, to) in [(-0.16, 0.04), (-0.7, 0.0313), (-5.0, 1e-3), (0.0, 0.2)] {
        let text = format!(
            "schema = 1\nbody.w = {{ type = \"planar\", mass = 1, inertia = 1 }}\n\
             joint.axle = {{ type = \"revolute\", between = [\"ground\", \"w\"] }}\n\
             joint.drive = {{ type = \"motion\", joint = \"axle\", value = \"step(t, {from}, 0, {to}, 1.7)\" }}\n\
             sensor.a = {{ type = \"joint\", joint = \"axle\" }}\n\
             analysis = {{ start = {from} - 0.5, end = {to} + 0.5 }}\n",
            from = format_args!("({from:?})"),
        )
        .replace(&format!("start = ({from:?}) - 0.5"), &format!("start = {:?}", from - 0.5))
        .replace(&format!("end = {to} + 0.5"), &format!("end = {:?}", to + 0.5));
        let out = support::run(&support::assembled(&support::parsed(&text), &[]), |_| ());
        let last = *out.results.get("a").unwrap().last().unwrap();
        assert!((last - 1.7).abs() < 1e-9, "{from} to {to}: {last}");
    }
}

/// A ramp whose formula rounds more than the time: its end is where (t − t0)/(t1 − t0) is 1, for a while near
/// t = 0. Steps end there all the same; otherwise they become so short that rates between their ends are noise.
#[test]
fn a_ramp_that_ends_near_time_zero() {
    for (t0, t1) in [("-0.05", "1.1102230246251565e-16"), ("-0.32499999999999996", "-0.025")] {
        let text = format!(
            r#"schema = 1
[body]
arm = {{ type = "planar", mass = 1, inertia = 0.01, com = [0.3, 0], markers = {{ tip = [0.6, 0] }} }}
bob = {{ type = "planar", mass = 1, inertia = 0.01, com = [0.2, 0], position = [0.6, 0] }}
[joint]
axle = {{ type = "revolute", between = ["ground", "arm"] }}
tip = {{ type = "revolute", between = ["arm.tip", "bob"] }}
drive = {{ type = "motion", joint = "axle", value = "step(t, {t0}, 0, {t1}, 21)" }}
[analysis]
start = -0.7
end = 0.3
sample = 0.025
"#
        );
        let m = assembled(&parsed(&text), &[]);
        let out = run(&m, |_| {});
        let least = out.steps.rows().iter().skip(1).map(|s| s.h).fold(f64::MAX, f64::min);
        assert!(least > 1e-9, "a step of {least} s, ramp to {t1}");
    }
}

/// The derivative part of an actuator gives no impulse where its target jumps, and that is said.
#[test]
fn a_target_that_jumps_under_kd_is_told() {
    let servo = |target: &str, gains: &str| {
        let more = format!(
            "[force.servo]\ntype = \"actuator\"\njoint = \"axle\"\ntarget = \"{target}\"\n{gains}"
        );
        wheel(false, &more, "0")
    };
    let code = |out: &RunOutcome| out.notes.iter().any(|n| n.code == "N_TARGET_JUMP");
    let jumps = ["if(t < 1, 0, 0.5)", "0.5*floor(t)", "if(angle > -1 && t >= 1, 0.5, 0)"];
    for target in jumps {
        let m = servo(target, "kp = 4\nkd = 4");
        for method in able_methods(&m.system).iter().filter(|m| m.adaptive) {
            let out = run(&m, |o| o.method = method.name.to_owned());
            let seen = out.summary.target_jumped.clone().unwrap();
            assert!(seen.force == "servo" && code(&out), "{target} {}", method.name);
            assert!((seen.t - 1.0).abs() < 1e-9 && (seen.by - 0.5).abs() < 1e-9, "{seen:?}");
        }
        for method in ["rk4", "gen-alpha", "lin-euler"] {
            let out = run(&m, |o| {
                o.method = method.to_owned();
                o.step = Some(1.3e-3);
            });
            assert!(code(&out), "{target} {method}, fixed");
        }
    }
    // of the state, and through a sensor that moves
    let moving =
        "kp = 1\nkd = 1\n[force.push]\ntype = \"torque\"\nat = \"wheel\"\ntorque = \"0.3\"";
    let out = run(&servo("if(angle < 0.1, 0, 0.2)", moving), |_| {});
    assert!(code(&out), "{:?}", out.summary.target_jumped);
    // kinks, steep ramps, and what has no derivative part
    let quiet = [
        ("max(0, t - 1)", "kp = 4\nkd = 4"),
        ("if(t < 1, 0, 0.5*(t - 1))", "kp = 4\nkd = 4"),
        ("step(t, 1, 0, 1.001, 0.5)", "kp = 4\nkd = 4"),
        ("abs(sin(3*t))", "kp = 4\nkd = 4"),
        ("if(t < 1, 0, 0.5)", "kp = 4"),
        ("if(t < 1, 0, 0.5)", "control = \"rate\"\nkp = 4"),
    ];
    for (target, gains) in quiet {
        let out = run(&servo(target, gains), |_| {});
        assert!(!code(&out) && out.summary.target_jumped.is_none(), "{target} {gains}");
    }
}
