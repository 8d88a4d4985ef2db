//! `--allow-dir`: includes from other folders, on request only.

use crate::support;
use std::fs;
use support::Bench;

/// A model in `model/` that includes a part from `lib/`.
fn bench(reference: &str) -> Bench {
    let bench = Bench::new("");
    for dir in ["model", "lib"] {
        fs::create_dir(bench.path(dir)).unwrap();
    }
    let text = format!("schema = 1\ninclude = [\"{reference}\"]\nanalysis.end = 0.1\n");
    fs::write(bench.path("model/a.toml"), text).unwrap();
    fs::write(
        bench.path("lib/part.toml"),
        "body.p = { type = \"point\", mass = 1 }\nsensor.p = { type = \"position\", of = \"p\" }\n",
    )
    .unwrap();
    fs::write(bench.path("secret.toml"), "parameters.s = 1\n").unwrap();
    bench
}

#[test]
fn rel_r34_allowed_for_all_commands() {
    let bench = bench("../lib/part.toml");
    for command in [
        &["run", "model/a.toml", "--json"][..],
        &["check", "model/a.toml", "--json"],
        &["compare", "model/a.toml", "--json", "--methods", "mdop5", "--tolerances", "1e-3"],
    ] {
        let ran = bench.run(command);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        for word in ["E_PATH_ESCAPE", "model/a.toml:2:12", "--allow-dir"] {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
        let allowed =
            bench.run(&[command, &["--allow-dir", "model", "--allow-dir", "lib"]].concat());
        assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    }
}

#[test]
fn rel_r34_an_included_file_is_never_overwritten() {
    let bench = bench("../lib/part.toml");
    let args = ["run", "model/a.toml", "--allow-dir", "lib", "--csv", "lib/part.toml"];
    let ran = bench.run(&args);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("replace the model"), "{}", ran.stderr);
    assert!(bench.read("lib/part.toml").starts_with("body.p"));
}

#[test]
fn rel_r34_the_rest_stays_closed() {
    for reference in
        ["../secret.toml", "../lib/../secret.toml", "/etc/passwd", "file:../lib/part.toml"]
    {
        let ran = bench(reference).run(&["run", "model/a.toml", "--allow-dir", "lib"]);
        assert_eq!(ran.code, 2, "{reference}: {}", ran.stderr);
        assert!(ran.stderr.contains("E_PATH_ESCAPE"), "{reference}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn rel_r34_links_out_of_an_allowed_folder() {
    let bench = bench("../lib/link.toml");
    std::os::unix::fs::symlink(bench.path("secret.toml"), bench.path("lib/link.toml")).unwrap();
    let ran = bench.run(&["check", "model/a.toml", "--allow-dir", "lib"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("E_PATH_ESCAPE") && ran.stderr.contains("link"));
}

#[test]
fn folders_that_are_none() {
    let bench = bench("../lib/part.toml");
    for bad in ["none", "secret.toml", ""] {
        let ran = bench.run(&["check", "model/a.toml", "--allow-dir", bad]);
        if bad.is_empty() {
            assert_ne!(ran.code, 0);
            continue;
        }
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        for word in ["E_FILE", "--allow-dir", bad, "help: "] {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
    }
}
