//! `export --fmu`, and `check` of what it wrote. What is in an FMU is tested in `delassus-fmu`.

use crate::support::Bench;
use std::fs;

const MASS: &str = "schema = 1\ntitle = \"A mass\"\n[parameters]\nm0 = \"2 kg\"\n\
    [input.push]\nunit = \"N\"\n\
    [body.m]\ntype = \"planar-point\"\nmass = \"m0\"\n\
    [force.f]\ntype = \"force\"\nat = \"m\"\nforce = [\"push\", 0]\n\
    [sensor.x]\ntype = \"position\"\nof = \"m\"\ncomponent = \"x\"\n\
    [analysis]\nend = 1\nsample = 0.1\n";

#[test]
fn a_model_is_packed_and_read_back() {
    let bench = Bench::new(MASS);
    let out = bench.run(&["export", "--fmu", "m.toml", "-o", "m.fmu"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    assert!(out.stdout.contains("FMI 3.0, co-simulation and model exchange"), "{}", out.stdout);
    assert!(
        out.stdout.contains("1 parameters, 1 inputs, 1 outputs, 4 continuous states"),
        "{}",
        out.stdout
    );
    // the same bytes again, over the old ones, and from elsewhere
    let bytes = fs::read(bench.path("m.fmu")).unwrap();
    let other = Bench::new(MASS);
    assert_eq!(other.run(&["export", "--fmu", "m.toml", "-o", "m.fmu"]).code, 0);
    assert_eq!(bench.run(&["export", "--fmu", "m.toml", "-o", "m.fmu"]).code, 0);
    assert!(
        fs::read(bench.path("m.fmu")).unwrap() == bytes
            && fs::read(other.path("m.fmu")).unwrap() == bytes
    );
    // without anything of this machine
    let has = |text: &[u8]| bytes.windows(text.len()).any(|w| w == text);
    assert!(!has(b"/.cargo/") && !has(b"/home/"));
    let out = bench.run(&["check", "m.fmu"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    assert!(out.stdout.starts_with("m.fmu: A mass"), "{}", out.stdout);
}

#[test]
fn settings_become_part_of_it() {
    let bench = Bench::new(MASS);
    let how = [
        "--set",
        "m0=3 kg",
        "--method",
        "dopri5",
        "--end",
        "4",
        "--input",
        "push=1",
        "--kind",
        "co-simulation",
    ];
    let args: Vec<&str> =
        ["export", "--fmu", "m.toml", "-o", "m.fmu", "--fmi", "2"].into_iter().chain(how).collect();
    let out = bench.run(&args);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    assert!(out.stdout.contains("FMI 2.0, co-simulation\n"), "{}", out.stdout);
    let out = bench.run(&["check", "m.fmu", "--json"]);
    assert!(
        out.stdout.contains("\"method\": \"dopri5\"") && out.stdout.contains("\"t_end\": 4"),
        "{}",
        out.stdout
    );
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let bench = Bench::new(MASS).with("n.txt", "x").with("bad.fmu", "PK");
    let base = ["export", "--fmu", "m.toml"];
    let with = |rest: &[&str]| bench.run(&base.iter().chain(rest).copied().collect::<Vec<_>>());
    for (rest, code, word) in [
        (&["-o", "m.toml"][..], 2, "E_OUTPUT"),
        (&["-o", "m.fmu", "--runtime", "nothing.so"], 5, "E_FMU_RUNTIME"),
        (&["-o", "m.fmu", "--fmi", "4"], 2, "E_USAGE"),
        (&["-o", "m.fmu", "--input", "n.txt"], 2, "E_USAGE"),
        (&["-o", "m.fmu", "--set", "m1=2"], 2, "E_UNKNOWN_NAME"),
        (&["-o", "m.fmu", "--method", "rk"], 2, "E_UNKNOWN_METHOD"),
        (&["-o", "no/folder/m.fmu"], 5, "E_OUTPUT"),
        (&["-o", "m.fmu", "--gltf", "x.glb"], 2, "E_USAGE"),
        (&[], 2, "E_USAGE"),
    ] {
        let out = with(rest);
        assert_eq!((out.code, out.stdout.as_str()), (code, ""), "{rest:?}: {}", out.stderr);
        assert!(out.stderr.contains(word), "{rest:?}: {}", out.stderr);
    }
    let out = bench.run(&["check", "bad.fmu"]);
    assert_eq!(out.code, 2, "{}", out.stderr);
    assert!(out.stderr.contains("E_ARCHIVE") && out.stderr.contains("help: "), "{}", out.stderr);
    assert_eq!(bench.run(&["check", "missing.fmu"]).code, 5);
    bench.assert_nothing_left();
    // options of models have no meaning for results
    let out = bench.run(&["export", "o", "--gltf", "x.glb", "--set", "m0=1"]);
    assert_eq!(out.code, 2, "{}", out.stderr);
    assert!(out.stderr.contains("--fmu"), "{}", out.stderr);
}

#[test]
fn contacts_are_for_co_simulation() {
    let text = format!(
        "{MASS}[shape.wall]\ntype = \"half-plane\"\nbody = \"ground\"\n[shape.ball]\ntype = \"circle\"\nbody = \"m\"\nradius = 0.1\n\
         [contact.hit]\nbetween = [\"ball\", \"wall\"]\n"
    )
    .replace("type = \"planar-point\"", "type = \"planar\"\nposition = [0, 1]\ninertia = 1");
    let bench = Bench::new(&text);
    let out = bench.run(&["export", "--fmu", "m.toml", "-o", "m.fmu", "--kind", "both"]);
    assert_eq!(out.code, 2, "{}", out.stderr);
    assert!(out.stderr.contains("E_FMU_KIND") && out.stderr.contains("hit"), "{}", out.stderr);
    bench.assert_nothing_left();
    let out = bench.run(&["export", "--fmu", "m.toml", "-o", "m.fmu"]);
    assert!(
        out.code == 0 && out.stdout.contains("no model exchange"),
        "{}{}",
        out.stdout,
        out.stderr
    );
}
