//! `delassus rt`: what it prints, writes and refuses. Nothing here depends on how fast the machine is.

use crate::support;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::Bench;

const ARM: &str = r#"schema = 1
title = "Driven arm"
gravity = [0, -9.81]
input.torque = { unit = "N*m", min = -2, max = 2, default = 0.5 }
body.arm = { type = "planar", mass = 1, inertia = 0.02, com = [0.3, 0] }
joint.bearing = { type = "revolute", between = ["ground", "arm"] }
force.motor = { type = "torque", at = "arm", torque = "torque" }
sensor.angle = { type = "joint", joint = "bearing" }
analysis = { end = 1, sample = "10 ms" }
"#;

fn start(bench: &Bench, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_delassus"))
        .current_dir(bench.dir.path())
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn one_object_at_the_end() {
    let bench = Bench::new(ARM);
    let ran = bench.run(&[
        "rt",
        "m.toml",
        "--rate",
        "1 kHz",
        "--duration",
        "2 s",
        "--unthrottled",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    let number = |key: &str| v[key].as_f64().unwrap_or_else(|| panic!("{key} in {v}"));
    assert_eq!((number("steps"), number("rate_hz"), number("missed")), (2000.0, 1000.0, 0.0));
    assert!(number("worst_us") >= number("p99_us") && number("p99_us") > 0.0);
    assert_eq!(number("jitter_us"), 0.0);
    assert!(number("max_position_drift") < 1e-9);
    assert_eq!((number("t_end"), &v["status"]), (2.0, &"done".into()));
    bench.assert_nothing_left();
}

#[test]
fn steps_are_those_of_a_run_with_lin_euler() {
    let bench = Bench::new(ARM);
    let run =
        ["run", "m.toml", "--method", "lin-euler", "--step", "1 ms", "--csv", "run.csv", "-q"];
    assert_eq!(bench.run(&run).code, 0);
    let rt = [
        "rt",
        "m.toml",
        "--rate",
        "1 kHz",
        "--duration",
        "1 s",
        "--unthrottled",
        "--out",
        "o",
        "-q",
    ];
    assert_eq!(bench.run(&rt).code, 0);
    let column = |name: &str| -> Vec<f64> {
        let text = bench.read(name);
        let last = |l: &str| l.split(',').nth(1).unwrap().parse().unwrap();
        text.lines().skip(1).map(last).collect()
    };
    let (a, b) = (column("run.csv"), column("o/results.csv"));
    assert_eq!((a.len(), b.len()), (101, 101));
    // one projection per step instead of as many as it takes
    let apart = delassus::math::max_difference(&a, &b);
    assert!(apart < 1e-9 && (a[100] - a[0]).abs() > 0.1, "{apart}");
}

#[test]
fn a_folder_like_that_of_run() {
    let bench = Bench::new(ARM);
    let ran =
        bench.run(&["rt", "m.toml", "--rate", "500 Hz", "--duration", "1 s", "--unthrottled"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("step time") && ran.stdout.contains("out/m-rt"), "{}", ran.stdout);
    let csv = bench.read("out/m-rt/results.csv");
    assert!(csv.starts_with("t,angle\n0,"), "{csv}");
    assert_eq!(csv.lines().count(), 102);
    let diagnostics = bench.read("out/m-rt/diagnostics.csv");
    assert!(diagnostics.lines().next().unwrap().contains("rt.step_time"));
    let v: Value = serde_json::from_str(&bench.read("out/m-rt/summary.json")).unwrap();
    assert_eq!((&v["samples"], &v["verdict"]["tone"]), (&101.into(), &"good".into()));
    assert!(v["histogram"].as_array().is_some_and(|h| !h.is_empty()));
    // other commands read it
    let again = bench.run(&["report", "out/m-rt"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(bench.run(&["plot", "out/m-rt", "angle"]).code, 0);
}

#[test]
fn late_steps_are_counted_and_end_the_run_where_asked() {
    let bench = Bench::new(ARM);
    // nobody makes a step in a microsecond, or is woken up in one
    let rt = |policy: &str| {
        let args = [
            "rt",
            "m.toml",
            "--rate",
            "1 MHz",
            "--duration",
            "5 ms",
            "--priority",
            "none",
            "--json",
            "--overrun",
            policy,
        ];
        let ran = bench.run(&args);
        (ran.code, serde_json::from_str::<Value>(&ran.stdout).unwrap())
    };
    for policy in ["skip", "log"] {
        let (code, v) = rt(policy);
        assert_eq!((code, &v["steps"]), (0, &5000.into()), "{v}");
        assert!(v["missed"].as_u64().unwrap() > 0 && v["lag_s"].as_f64().unwrap() > 0.0);
        assert!(v["notes"].to_string().contains("N_RT_LATE"));
    }
    let (code, v) = rt("stop");
    assert_eq!((code, &v["status"]), (6, &"stopped".into()));
    assert!(v["steps"].as_u64().unwrap() > 1000);
    assert_eq!(v["errors"][0]["code"], "E_RT_OVERRUN");
}

#[test]
fn bad_settings_are_refused_before_anything_is_written() {
    let bench = Bench::new(ARM);
    let refused = |args: &[&str], code: &str, word: &str| {
        let all = [&["rt", "m.toml"], args].concat();
        let ran = bench.run(&all);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(code) && ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
        bench.assert_nothing_left();
    };
    for rate in ["0", "-5", "0 Hz", "3 MHz", "1e-9"] {
        refused(&["--rate", rate], "E_RANGE", "must be from");
    }
    refused(&["--rate", "nan"], "E_NONFINITE", "finite");
    refused(&["--rate", "1 ms"], "E_DIMENSION", "--rate");
    refused(&["--rate", "1 kHz", "--duration", "0"], "E_RANGE", "above zero");
    refused(&["--rate", "1 kHz", "--duration", "1 us"], "E_RANGE", "steps");
    refused(&["--rate", "1 kHz", "--priority", "99"], "E_RANGE", "--priority");
    refused(&["--rate", "1 kHz", "--timeout", "0"], "E_RANGE", "--timeout");
    refused(&["--rate", "1 kHz", "--listen", "0.0.0.0"], "E_USAGE", "--udp");
    refused(&["--rate", "1 kHz", "--udp", "5005", "--stdio"], "E_USAGE", "--stdio");
    refused(&[], "E_USAGE", "--rate");
    let bench = bench.with("bad.csv", "t,torque\n0,1\n1,nan\n");
    let ran = bench.run(&["rt", "m.toml", "--rate", "1 kHz", "--input", "bad.csv"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("E_INPUT_FILE") && ran.stderr.contains("bad.csv:3"),
        "{}",
        ran.stderr
    );
    bench.assert_nothing_left();
}

/// 200 rad/s by a method that does not know the stiffness: stable up to 10 ms.
#[test]
fn an_unstable_step_is_refused_with_its_mode_and_the_longest_that_is_not() {
    let text = "schema = 1\nbody.m = { type = \"planar-point\", mass = 1, position = [1, 0] }\n\
        joint.guide = { type = \"prismatic\", between = [\"ground\", \"m\"], axis = [1, 0] }\n\
        force.f = { type = \"force\", at = \"m\", force = [\"-4e4*x\", 0] }\n\
        sensor.x = { type = \"position\", of = \"m\", component = \"x\" }\n\
        method = { name = \"lin-euler\", jacobian = \"j3\" }\n";
    let bench = Bench::new(text);
    let rt = |rate: &str| {
        bench.run(&["rt", "m.toml", "--rate", rate, "--duration", "1 s", "--unthrottled", "--json"])
    };
    let refused = rt("98 Hz");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    for word in ["E_STEP_UNSTABLE", "31.8 Hz", "\"m\"", "largest stable step is 0.0"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    bench.assert_nothing_left();
    assert_eq!(rt("102 Hz").code, 0);
}

/// A loop that is ended before its first step has nothing to judge.
#[test]
fn no_step_is_not_called_on_time() {
    let bench = Bench::new(ARM);
    let args =
        ["rt", "m.toml", "--rate", "1 kHz", "--stdio", "--unthrottled", "--out", "o", "--quiet"];
    let mut child = start(&bench, &args);
    drop(child.stdin.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    let v: Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    assert_eq!((&v["steps"], &v["verdict"]["text"]), (&0.into(), &"No step was made.".into()));
}

#[test]
fn an_address_in_use_is_told() {
    let bench = Bench::new(ARM);
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = bench.run(&["rt", "m.toml", "--rate", "1 kHz", "--udp", &port]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("E_RT_ADDRESS") && ran.stderr.contains(&port), "{}", ran.stderr);
    assert!(ran.stderr.contains("in use"));
    bench.assert_nothing_left();
}

#[test]
fn a_script_keeps_the_time_over_lines() {
    let bench = Bench::new(ARM);
    let mut child =
        start(&bench, &["rt", "m.toml", "--rate", "1 kHz", "--stdio", "--unthrottled", "--json"]);
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&from.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["seq"], 0);
    // what the answer to one line is decides about the next
    let mut torque = 1.0;
    for k in 1..=50 {
        writeln!(to, "{}", json!({"inputs": {"torque": torque}})).unwrap();
        let line = next();
        assert_eq!((&line["seq"], &line["status"]), (&k.into(), &0.into()));
        torque = -line["outputs"]["angle"].as_f64().unwrap();
    }
    writeln!(to, "{}", json!({"inputs": {"tork": 1}})).unwrap();
    assert_eq!(next()["status"], (1 << 7) | (1 << 2), "unknown and held");
    writeln!(to, "{}", json!({"inputs": {"torque": 77}})).unwrap();
    assert_eq!(next()["status"], 1 << 8, "clamped");
    drop(to);
    assert_eq!(next()["status"], 1 << 15, "ended");
    let summary = next();
    assert_eq!((&summary["steps"], &summary["inputs"]["accepted"]), (&52.into(), &51.into()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_client_drives_the_model_over_udp_until_a_signal() {
    use delassus_rt::packet;
    let bench = Bench::new(ARM);
    let args = [
        "rt",
        "m.toml",
        "--rate",
        "200 Hz",
        "--udp",
        "0",
        "--on-timeout",
        "hold",
        "--overrun",
        "skip",
        "--json",
    ];
    let mut child = start(&bench, &args);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let address = loop {
        let mut line = String::new();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "no address");
        if let Some(rest) = line.strip_prefix("listening on ") {
            break rest.split(' ').next().unwrap().to_owned();
        }
    };
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(&address).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let (mut out, mut buffer) = (Vec::new(), [0; 4096]);
    packet::write_question(&mut out);
    client.send(&out).unwrap();
    let n = client.recv(&mut buffer).unwrap();
    let names: Value = serde_json::from_slice(&buffer[packet::HEADS[0]..n]).unwrap();
    assert_eq!(names["inputs"][0]["name"], "torque");
    assert_eq!(names["outputs"], json!([{"name": "angle", "unit": "rad"}]));
    let layout = names["layout"].as_u64().unwrap() as u32;
    for sequence in 1..=20_u64 {
        packet::write_inputs(&mut out, sequence, layout, &[-2.0]);
        client.send(&out).unwrap();
        let n = client.recv(&mut buffer).unwrap();
        assert_eq!(n, packet::HEADS[1] + 8);
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    let v: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(v["status"], "interrupted");
    assert_eq!(v["inputs"]["accepted"], 20);
    // the last message says that it is the last one
    let mut status = 0;
    client.set_nonblocking(true).unwrap();
    while let Ok(n) = client.recv(&mut buffer) {
        assert!(n > 28);
        status = u32::from_le_bytes(buffer[24..28].try_into().unwrap());
    }
    // what comes after a silence is not sent, but the end is
    assert_eq!(status & (1 << 15), 1 << 15);
}

#[test]
fn a_period_may_be_longer_than_the_span_of_the_file() {
    let bench = Bench::new(ARM);
    let args = ["rt", "m.toml", "--rate", "0.5 Hz", "--duration", "4 s", "--unthrottled", "--json"];
    let ran = bench.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&v["steps"], &v["t_end"]), (&2.into(), &4.0.into()));
}

/// A box that rests on two corners, of which one may act.
#[test]
fn a_model_that_gives_up_contacts_is_not_called_good() {
    let text = "schema = 1\ngravity = [0, -9.81]\n\
        body.box = { type = \"planar\", mass = 1, inertia = 0.1, position = [0, 0.5] }\n\
        shape.box = { type = \"profile\", body = \"box\", points = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]] }\n\
        shape.floor = { type = \"half-plane\", body = \"ground\" }\n\
        contact.c = { type = \"shapes\", between = [\"box\", \"floor\"] }\nanalysis = { end = 1 }\n";
    let bench = Bench::new(text);
    let rt = |contacts: &str| {
        let args = [
            "rt",
            "m.toml",
            "--rate",
            "1 kHz",
            "--duration",
            "1 s",
            "--unthrottled",
            "--json",
            "--contacts",
            contacts,
        ];
        let ran = bench.run(&args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    let (enough, few) = (rt("4"), rt("1"));
    assert_eq!(enough["verdict"]["tone"], "good", "{}", enough["flags"]);
    assert_eq!(few["verdict"]["tone"], "bad", "{}", few["flags"]);
    assert!(few["notes"].to_string().contains("contact-capacity"));
}

#[test]
fn names_are_told_without_a_run() {
    let bench = Bench::new(ARM);
    let ran = bench.run(&["rt", "m.toml", "--rate", "1 kHz", "--describe"]);
    assert_eq!(ran.code, 0);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        v["inputs"][0],
        json!({"name": "torque", "unit": "N*m", "default": 0.5, "min": -2.0, "max": 2.0})
    );
    bench.assert_nothing_left();
}
