//! Model files: every kind of fault with its place, places of paths, round trips.

use delassus_io::model_file::*;
use delassus_model::spec::*;
use delassus_model::{Diagnostic, Severity};

const SAMPLE: &str = include_str!("../sample.toml");

fn parse(text: &str) -> LoadedModel {
    parse_str(text, "m.toml", &Limits::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn faults_in(text: &str, name: &str) -> Vec<FileFault> {
    match parse_str(text, name, &Limits::default()) {
        Err(LoadError::Invalid(p)) => p,
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("accepted: {text}"),
    }
}

fn faults(text: &str) -> Vec<FileFault> {
    faults_in(text, "m.toml")
}

/// The only fault: code, line, column, path, text at its place.
#[track_caller]
fn only(text: &str, code: &str, line: usize, column: usize, path: &str, at: &str) -> FileFault {
    let found = faults(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    let p = &found[0];
    assert_eq!(p.code, code, "{p}");
    assert_eq!((p.location.line, p.location.column), (line, column), "{p}");
    assert_eq!(p.path, path, "{p}");
    assert_eq!(p.location.text(), at, "{p}");
    assert_eq!(p.severity, Severity::Error);
    p.clone()
}

const BODY: &str = "schema = 1\n[body.a]\ntype = \"planar\"\nmass = 1\n";

#[test]
fn sample_is_read_in_file_order() {
    let m = parse(SAMPLE).spec;
    assert_eq!(m.title.as_deref(), Some("Slider crank"));
    let names: Vec<&str> = m.body.iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["crank", "rod", "link{i}"]);
    let names: Vec<&str> = m.parameters.iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["L1", "L2", "N", "speed"]);
    assert_eq!(m.parameters.get("N"), Some(&Scalar::Number(3.0)));
    let crank = m.body.get("crank").unwrap();
    let names: Vec<&str> = crank.markers.iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["tip", "root"]);
    assert!(matches!(
        m.body.get("link{i}").unwrap().inertia,
        Some(InertiaSpec::Matrix(ref rows)) if rows.len() == 3
    ));
    assert_eq!(m.method.max_steps, Some(100_000));
    assert_eq!(m.joint.get("both").unwrap().terms.len(), 2);
}

#[test]
fn order_of_the_file_survives_late_headers() {
    let m = parse(
        "schema=1\n[body.z.markers]\np=[0,0]\n[body.a]\ntype='planar'\nmass=1\n[body.z]\ntype='planar'\nmass=2\n[body]\n",
    );
    let names: Vec<&str> = m.spec.body.iter().map(|(n, _)| n).collect();
    // `z` is where its own header stands.
    assert_eq!(names, ["a", "z"]);
}

#[test]
fn byte_order_mark_and_line_ends_do_not_matter() {
    let plain = parse(SAMPLE).spec;
    assert_eq!(parse(&format!("\u{FEFF}{SAMPLE}")).spec, plain);
    assert_eq!(parse(&SAMPLE.replace('\n', "\r\n")).spec, plain);
    // Places are the same with a mark.
    let p = faults("\u{FEFF}schema = 1\nmas = 2\n");
    assert_eq!((p[0].location.line, p[0].location.column), (2, 1));
}

#[test]
fn round_trip() {
    let spec = parse(SAMPLE).spec;
    let text = to_toml(&spec).unwrap();
    assert_eq!(parse(&text).spec, spec, "{text}");
    let json = serde_json::to_string_pretty(&spec).unwrap();
    let again = parse_str(&json, "m.JSON", &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.spec, spec);
    let quoted = parse_str(
        "schema=1\ntitle=\"a\\u202Eb\\\"\"\n[parameters]\n\"a.b\"=-0.0\nc=1e-300\n",
        "m.toml",
        &Limits::default(),
    );
    let quoted = quoted.unwrap_or_else(|e| panic!("{e}")).spec;
    assert_eq!(parse(&to_toml(&quoted).unwrap()).spec, quoted);
}

#[test]
fn rel_r01_nonfinite_literals() {
    for literal in ["nan", "-nan", "inf", "+inf", "-inf", "1e999", "-1e400"] {
        let text = format!("{BODY}position = [0.0, {literal}]\n");
        let p = only(&text, "E_NONFINITE", 5, 18, "body.a.position[1]", literal);
        assert!(p.message.contains(literal), "{p}");
        assert!(p.help.is_some());
    }
    let huge = format!("{BODY}angle = {}\n", "9".repeat(400));
    assert_eq!(faults(&huge)[0].code, "E_NONFINITE");
    assert!(
        parse_str(&format!("{BODY}angle = 99999999999999999999\n"), "m", &Limits::default())
            .is_ok()
    );
}

#[test]
fn rel_r08_unknown_keys() {
    let p = only(&format!("{BODY}mas = 2\n"), "E_UNKNOWN_KEY", 5, 1, "body.a.mas", "mas");
    assert_eq!(p.help.as_deref(), Some("did you mean `mass`?"));
    let p = only("schema = 1\n[bodies.a]\n", "E_UNKNOWN_KEY", 2, 2, "bodies", "bodies");
    assert_eq!(p.help.as_deref(), Some("did you mean `body`?"));
    let p = only(
        &format!("{BODY}orientation = {{ axs = [1,0,0] }}\n"),
        "E_UNKNOWN_KEY",
        5,
        17,
        "body.a.orientation.axs",
        "axs",
    );
    assert_eq!(p.help.as_deref(), Some("did you mean `axis`?"));
}

#[test]
fn rel_r08_every_key_of_the_sample_changed_by_one_letter_is_caught() {
    let mut tried = 0;
    for (offset, line) in SAMPLE.lines().scan(0, |at, l| {
        let here = *at;
        *at += l.len() + 1;
        Some((here, l))
    }) {
        let Some((key, _)) = line.split_once(" = ") else {
            continue;
        };
        // Names given by the user may be anything.
        let free = [
            "L1",
            "L2",
            "N",
            "speed",
            "pivot",
            "rail",
            "\"peg{i}\"",
            "markers.tip",
            "markers.root",
        ];
        if free.contains(&key) {
            continue;
        }
        let mut text = SAMPLE.to_owned();
        text.insert(offset + key.len(), 'q');
        let found = faults(&text);
        assert!(
            found
                .iter()
                .any(|p| p.code == "E_UNKNOWN_KEY" && p.location.text() == format!("{key}q")),
            "{key}: {found:?}"
        );
        tried += 1;
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn wrong_types() {
    let t = |value: &str, column, at: &str, path: &str| {
        only(&format!("{BODY}{value}\n"), "E_TYPE", 5, column, path, at)
    };
    let p = t("hold = 1", 8, "1", "body.a.hold");
    assert_eq!(p.message, "found 1, a whole number; expected true or false");
    let p = t("angle = true", 9, "true", "body.a.angle");
    assert!(p.message.ends_with("expected a number or an expression in quotes"));
    t("position = 3", 12, "3", "body.a.position");
    t("position = [1, [2]]", 16, "[2]", "body.a.position[1]");
    t("inertia = [[1, 0, 0], [0, true, 0]]", 27, "true", "body.a.inertia[1][1]");
    t("angle = 1979-05-27", 9, "1979-05-27", "body.a.angle");
    t("markers = 5", 11, "5", "body.a.markers");
    only("schema = 1\nmethod = 3\n", "E_TYPE", 2, 10, "method", "3");
    only("schema = 1\n[method]\nmax_steps = -3\n", "E_TYPE", 3, 13, "method.max_steps", "-3");
    only("schema = 1\n[method]\nmax_steps = 3.0\n", "E_TYPE", 3, 13, "method.max_steps", "3.0");
    only("schema = 1\nbody = [1]\n", "E_TYPE", 2, 8, "body", "[1]");
}

#[test]
fn wrong_words_and_missing_keys() {
    let p = only(
        "schema = 1\n[joint.j]\ntype = \"revolut\"\n",
        "E_UNKNOWN_VALUE",
        3,
        8,
        "joint.j.type",
        "\"revolut\"",
    );
    assert_eq!(p.help.as_deref(), Some("did you mean `revolute`?"));
    let p = only(
        "schema = 1\n[body.arm]\ntype = \"planar\"\n",
        "E_MISSING_FIELD",
        2,
        7,
        "body.arm.mass",
        "arm",
    );
    assert!(p.message.contains("`mass`"));
}

#[test]
fn schema_version() {
    for text in ["", "  \n# only a comment\n", "\u{FEFF}"] {
        let p = only(text, "E_SCHEMA_VERSION", 1, 1, "schema", "");
        assert!(p.help.unwrap().contains("delassus new"));
    }
    only("title = 'x'\n", "E_SCHEMA_VERSION", 1, 1, "schema", "");
    let p = only("schema = 2\nnew_key = 1\n", "E_SCHEMA_VERSION", 1, 10, "schema", "2");
    assert!(p.message.contains("found schema 2"), "{p}");
    assert_eq!(faults("schema = \"1\"\n")[0].code, "E_SCHEMA_VERSION");
    assert_eq!(faults_in("", "m.json")[0].code, "E_SCHEMA_VERSION");
}

#[test]
fn grammar_faults_and_hints() {
    let p = only("schema = 1\ntitle = \"open\nx = 1\n", "E_SYNTAX", 2, 14, "", "");
    assert!(p.help.is_some());
    let p = &faults("schema = 1\n[body.a]\nmass = 1,5\n")[0];
    assert_eq!((p.code, p.location.line), ("E_SYNTAX", 3));
    assert!(p.help.as_ref().unwrap().contains("1.5, not 1,5"), "{p}");
    let p = &faults("schema = 1\n[body.a]\nmass = 12 kg\n")[0];
    assert_eq!((p.code, p.location.line), ("E_SYNTAX", 3));
    assert!(p.help.as_ref().unwrap().contains("in quotes"), "{p}");
    let p = &faults("{\n \"schema\": 1,\n \"gravity\": [0, 1\n}")[..];
    assert_eq!(p.len(), 1, "one fault, not its consequences: {p:?}");
}

#[test]
fn duplicates_name_both_places() {
    let p = only(
        "schema = 1\n[body.a]\ntype = 'planar'\nmass = 1\nmass = 2\n",
        "E_DUPLICATE",
        5,
        1,
        "body.a.mass",
        "mass",
    );
    let first = p.related.unwrap();
    assert_eq!((first.line, first.column), (4, 1));
    let p = only(
        "schema = 1\n[sensor.s]\ntype='energy'\n[force.f]\ntype='force'\n[sensor.s]\n",
        "E_DUPLICATE",
        6,
        9,
        "sensor.s",
        "s",
    );
    let first = p.related.unwrap();
    assert_eq!((first.line, first.column), (2, 9));
    // Other faults of the file are reported along with it.
    let codes: Vec<_> = faults("schema = 1\ntitel = 1\ntitle = 'a'\ntitle = 'b'\n")
        .iter()
        .map(|p| p.code)
        .collect();
    assert_eq!(codes, ["E_UNKNOWN_KEY", "E_DUPLICATE"]);
}

#[test]
fn rel_g5_all_faults_in_file_order_at_most_fifty() {
    let found = faults(
        "schema = 1\ntitel = 'x'\ngravity = [0, nan]\n[body.a]\ntype = 'plane'\nmas = 1\n\
         [joint.j]\ntype = 'fixed'\nbetween = 'a'\n[analysis]\nend = true\n[methods]\n",
    );
    let seen: Vec<_> = found.iter().map(|p| (p.location.line, p.code)).collect();
    assert_eq!(
        seen,
        [
            (2, "E_UNKNOWN_KEY"),
            (3, "E_NONFINITE"),
            (4, "E_MISSING_FIELD"),
            (5, "E_UNKNOWN_VALUE"),
            (6, "E_UNKNOWN_KEY"),
            (9, "E_TYPE"),
            (11, "E_TYPE"),
            (12, "E_UNKNOWN_KEY"),
        ]
    );
    let mut many = String::from("schema = 1\n[parameters]\n");
    for i in 0..5000 {
        many.push_str(&format!("p{i} = true\n"));
    }
    let found = faults(&many);
    assert_eq!(found.len(), 50);
    assert_eq!(found[49].path, "parameters.p49");
}

#[test]
fn json_faults_have_places() {
    let p = &faults_in(
        "{\n  \"schema\": 1,\n  \"body\": {\"a\": {\"type\": \"planar\", \"mass\": 1, \"mass\": 2}}\n}",
        "m.json",
    )[0];
    assert_eq!((p.code, p.location.line, p.location.column), ("E_DUPLICATE", 3, 47));
    assert_eq!(p.related.as_ref().unwrap().column, 36);
    assert_eq!(p.path, "body.a.mass");
    let p = &faults_in("{\"schema\": 1,\n\"gravity\": [0, 1e999]}", "m.json")[0];
    assert_eq!(
        (p.code, p.path.as_str(), p.location.text()),
        ("E_NONFINITE", "gravity[1]", "1e999")
    );
    let p = &faults_in("{\"schema\": 1,\n\"gravity\": NaN}", "m.json")[0];
    assert_eq!(p.code, "E_NONFINITE");
    for (text, line) in [
        ("{\"schema\": 1,\n}", 2),
        ("{\"schema\": 01}", 1),
        ("[", 1),
        ("{} x", 1),
        ("{\"a\\", 1),
        ("{\"ä\": ü}", 1),
    ] {
        let p = &faults_in(text, "m.json")[0];
        assert_eq!((p.code, p.location.line), ("E_SYNTAX", line), "{text}");
    }
    assert_eq!(faults_in(&"[".repeat(100_000), "m.json")[0].code, "E_LIMIT");
    assert_eq!(faults_in("[1]", "m.json").len(), 2);
    let p = &faults_in("{\"schema\": 1, \"title\": null}", "m.json")[0];
    assert_eq!((p.code, p.help.as_deref()), ("E_TYPE", Some("leave the key out")));
}

#[test]
fn rel_r33_bombs() {
    let bracket = |n: usize| format!("schema = 1\nx = {}", "[".repeat(n));
    for text in [
        bracket(100_000),
        bracket(100),
        "[".repeat(100_000),
        format!("schema = 1\nx = {}", "{a=".repeat(100_000)),
        format!("schema = 1\n{}a = 1", "a.".repeat(1_000_000)),
        format!("schema = 1\n[{}a]", "a.".repeat(1_000_000)),
    ] {
        let found = faults(&text);
        assert!(found.iter().any(|p| p.code == "E_LIMIT"), "{found:?}");
    }
    let limits = Limits { max_entries: 10, ..Limits::default() };
    let mut text = String::from("schema = 1\n[parameters]\n");
    (0..11).for_each(|i| text.push_str(&format!("p{i} = 1\n")));
    let Err(LoadError::Invalid(p)) = parse_str(&text, "m.toml", &limits) else { panic!() };
    assert_eq!((p[0].code, p[0].path.as_str(), p[0].location.line), ("E_LIMIT", "parameters", 2));
    let limits = Limits { max_file_bytes: 10, ..Limits::default() };
    let Err(LoadError::Invalid(p)) = parse_str(&text, "m.toml", &limits) else { panic!() };
    assert_eq!(p[0].code, "E_LIMIT");
}

#[test]
fn places_of_paths() {
    let m = parse(SAMPLE).sources;
    let at = |path: &str| {
        let l = m.locate(path).unwrap_or_else(|| panic!("{path}"));
        (l.line, l.text().to_owned())
    };
    let line = |needle: &str| SAMPLE[..SAMPLE.find(needle).unwrap()].lines().count() + 1;
    assert_eq!(at("body.crank.position[0]"), (line("position = [\"L1/2\""), "\"L1/2\"".into()));
    assert_eq!(
        at("joint.pin.between[1]"),
        (line("between = [\"ground.pivot"), "\"crank.root\"".into())
    );
    assert_eq!(at("body.link{i}.mass"), (line("mass = 0.25"), "0.25".into()));
    assert_eq!(at("body.link2.mass").1, "0.25");
    assert_eq!(at("body.crank"), (line("[body.crank]"), "crank".into()));
    assert_eq!(at("body.crank.velocity[1]").1, "crank");
    assert_eq!(at("body.crank.position[7]").1, "[\"L1/2\", 0.0]");
    assert_eq!(at("body.crank.markers.tip[0]").1, "\"L1/2\"");
    assert_eq!(at("body.nobody.mass").1, "body");
    assert_eq!(at("joint.both.terms[1].coefficient").1, "\"-2\"");
    assert_eq!(at("ground.markers.peg3.position[0]").1, "\"0.1*i\"");
    assert!(m.locate("nothing.here").is_none());
    assert!(m.locate("").is_none());
    assert!(m.locate("[[[..").is_none());
    let dotted = parse("schema=1\n[parameters]\n\"a.b\" = 1\na = 2\n").sources;
    assert_eq!(dotted.locate("parameters.a.b").unwrap().line, 3);
    assert_eq!(dotted.locate("parameters.a").unwrap().line, 4);
}

#[test]
fn diagnostics_get_places_and_stay_printable() {
    let m = parse(SAMPLE).sources;
    let d = vec![
        Diagnostic::error("E_X", "body.crank.inertia", "unknown \u{202e}name\x1b[2J")
            .within(13..15)
            .help("see\u{7}")
            .related("parameters.L1"),
        Diagnostic::note("N_Y", "gone.path", "note"),
        Diagnostic::error("E_Z", "description", "x").within(0..3),
    ];
    let p = locate_all(d, &m);
    // "1/12 * 1.5 * L1^2": the range is shifted behind the opening quote.
    assert_eq!(p[0].location.text(), "L1");
    assert_eq!(p[0].message, "unknown \\u{202e}name\\u{1b}[2J");
    assert_eq!(p[0].help.as_deref(), Some("see\\u{7}"));
    assert_eq!(p[0].related.as_ref().unwrap().text(), "\"100 mm\"");
    assert_eq!((p[1].location.line, p[1].severity), (1, Severity::Note));
    assert_eq!(p[2].location.text(), "Two");
    let escaped = parse("schema=1\n[parameters]\na = \"\\u0031+b\"\n").sources;
    let d = Diagnostic::error("E_X", "parameters.a", "x").within(2..3);
    assert_eq!(locate_all(vec![d], &escaped)[0].location.text(), "\"\\u0031+b\"");
    let hostile = faults("schema=1\n\"\\u202Eevil\\u001b\" = 1\n");
    assert!(!hostile[0].to_string().contains(['\u{202e}', '\x1b']), "{}", hostile[0]);
}

#[test]
fn schema_is_json_with_descriptions() {
    let schema: serde_json::Value = serde_json::from_str(&schema_json()).unwrap();
    assert_eq!(schema["title"], "ModelSpec");
    assert!(schema["properties"]["body"].is_object());
}

#[test]
fn text_cannot_include() {
    only("schema = 1\ninclude = ['a.toml']\n", "E_INCLUDE", 2, 11, "include", "['a.toml']");
}

#[test]
fn options_of_methods_are_keys_of_the_method() {
    let text = "schema = 1\n[method]\nname = \"gen-alpha\"\nmax_steps = 10\nrho_inf = 0.5\n";
    let spec = parse(text).spec;
    assert_eq!(spec.method.options.get("rho_inf"), Some(&Scalar::Number(0.5)));
    assert_eq!(spec.method.max_steps, Some(10));
    let again = parse(&to_toml(&spec).unwrap()).spec;
    assert_eq!(spec, again);
    let p = only(
        "schema = 1\n[method]\nrho_imf = 0.5\n",
        "E_UNKNOWN_KEY",
        3,
        1,
        "method.rho_imf",
        "rho_imf",
    );
    assert!(p.help.is_some_and(|h| h.contains("rho_inf")));
    only("schema = 1\n[method]\nrho_inf = true\n", "E_TYPE", 3, 11, "method.rho_inf", "true");
}
