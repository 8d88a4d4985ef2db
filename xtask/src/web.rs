//! The page in a real browser: the packages of `web/`, reports of many models, and the tests on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Models whose reports are tested: planar and spatial, loops, trees, gears, rolling, controllers, redundancy, singular
/// positions, contacts, play, bodies that deform.
const MODELS: [&str; 20] = [
    "models/slider_crank.toml",
    "models/four_bar.toml",
    "models/pendulum.toml",
    "models/chain.toml",
    "models/gear_train.toml",
    "models/gyroscope.toml",
    "models/motor_pid.toml",
    "models/rolling_disc.toml",
    "models/vehicle_bushing.toml",
    "models/n_four_bar.toml",
    "models/benchmarks/B4_bricard.toml",
    "models/benchmarks/C1_car_axis.toml",
    "models/benchmarks/I3_spatial_slider_crank.toml",
    "models/bouncing_ball.toml",
    "models/stack_of_boxes.toml",
    "models/newtons_cradle.toml",
    "models/box_on_incline.toml",
    "models/benchmarks/E4_quick_return_clearance.toml",
    ARM,
    "models/benchmarks/C3_flexible_slider_crank.toml",
];

const ARM: &str = "models/flexible_arm.toml";
const ROTOR: &str = "models/benchmarks/H7_rotor.toml";

/// Analyses whose pages are tested: name of the page, and the command.
const ANALYSES: [(&str, &[&str]); 3] = [
    ("modes.html", &["modes", ARM, "--count", "6"]),
    ("statics.html", &["statics", ARM]),
    (
        "rotor.html",
        &["rotor", ROTOR, "all", "--speeds", "0:12000 rpm:4", "--unbalance", "disc2=200 g*mm"],
    ),
];

const ESCAPEMENT: &str = "models/escapement.toml";

/// A picture of the documents.
struct Picture {
    model: &'static str,
    /// Name of the file, relative to `docs/images`; pictures of the book are beside its pages.
    file: &'static str,
    /// Options of the run, or the whole command of an analysis, and options of the script that takes the picture.
    run: &'static [&'static str],
    shot: &'static [&'static str],
}

const PICTURES: [Picture; 9] = [
    Picture {
        model: "models/slider_crank.toml",
        file: "report.png",
        run: &[],
        shot: &["--time", "1.64", "--on", "arrows"],
    },
    Picture {
        model: "models/benchmarks/I3_spatial_slider_crank.toml",
        file: "spatial.png",
        run: &[],
        shot: &["--time", "1.4", "--on", "traces", "--tab", "trust", "--theme", "dark"],
    },
    Picture {
        model: ESCAPEMENT,
        file: "escapement.png",
        run: &["--end", "2"],
        shot: &["--time", "0.5"],
    },
    Picture {
        model: "models/bouncing_ball.toml",
        file: "bouncing_ball.png",
        run: &[],
        shot: &["--time", "1.19", "--tab", "events"],
    },
    Picture {
        model: "models/benchmarks/E4_quick_return_clearance.toml",
        file: "../src/howto/quick_return.png",
        run: &["--rtol", "1e-7", "--end", "2.0944", "--sample", "1e-3"],
        shot: &["--time", "1.66", "--on", "clearances", "--width", "1200", "--height", "640"],
    },
    Picture {
        model: ARM,
        file: "../src/howto/flexible_arm.png",
        run: &[],
        shot: &["--time", "0.47", "--tab", "sections", "--width", "1200", "--height", "720"],
    },
    Picture {
        model: "models/benchmarks/C3_flexible_slider_crank.toml",
        file: "../src/howto/enlarged.png",
        run: &[],
        shot: &["--time", "0.05", "--on", "flexure", "--width", "1200", "--height", "560"],
    },
    Picture {
        model: ARM,
        file: "../src/howto/modes.png",
        run: &["modes", ARM, "--count", "8"],
        shot: &["--time", "0", "--mode", "3", "--width", "1200", "--height", "560"],
    },
    Picture {
        model: ROTOR,
        file: "../src/howto/campbell.png",
        run: &[
            "rotor",
            ROTOR,
            "all",
            "--speeds",
            "0:25000 rpm:26",
            "--unbalance",
            "disc2=200 g*mm",
        ],
        shot: &["--width", "1200", "--height", "640"],
    },
];

/// What prevents tests in a browser.
enum Missing {
    /// Something is missing on this machine.
    Here(String),
    /// A failure.
    Failed(String),
}

/// Checks, unit tests and tests in the browser. On a machine without Node.js or Chromium this is reported and the test
/// passes, unless it is a machine for continuous integration.
pub fn test(root: &Path) -> Result<(), String> {
    println!("\n==> xtask web");
    match all(root) {
        Ok(()) => Ok(()),
        Err(Missing::Failed(message)) => Err(message),
        Err(Missing::Here(what)) if std::env::var_os("CI").is_some() => Err(what),
        Err(Missing::Here(what)) => {
            eprintln!("\n*** THE PAGE WAS NOT TESTED: {what} ***\n");
            Ok(())
        }
    }
}

fn all(root: &Path) -> Result<(), Missing> {
    let web = packages(root)?;
    npm(&web, &["run", "check"])?;
    npm(&web, &["test"])?;
    npm(&web, &["run", "build", "--silent"])?;
    chromium()?;
    let reports = root.join("target/tmp/reports");
    let program = make_reports(root, &reports).map_err(Missing::Failed)?;
    let mut e2e = Command::new("npm");
    e2e.args(["run", "e2e"]).current_dir(&web).env("REPORTS_DIR", &reports);
    e2e.env("DELASSUS", program);
    run(&mut e2e)
}

impl Missing {
    fn plain(self) -> String {
        match self {
            Missing::Here(what) | Missing::Failed(what) => what,
        }
    }
}

/// What pictures of reports need: `web/` with its packages, a browser, and the program.
pub fn camera(root: &Path) -> Result<(PathBuf, PathBuf), String> {
    let web = packages(root).map_err(Missing::plain)?;
    chromium().map_err(Missing::plain)?;
    Ok((web, build(root)?))
}

/// Pictures for the documents, taken from real reports.
pub fn screenshots(root: &Path) -> Result<(), String> {
    let (web, program) = camera(root)?;
    let (images, work) = (root.join("docs/images"), root.join("target/tmp/screenshots"));
    fs::create_dir_all(&images).map_err(|e| format!("docs/images: {e}"))?;
    for p in PICTURES {
        let folder = work.join(stem(p.model));
        let mut shot = Command::new("node");
        shot.arg("scripts/screenshot.mjs");
        if p.run.contains(&p.model) {
            fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            let page = folder.join("analysis.html");
            analysis(root, &program, p.run, &page)?;
            shot.arg(page);
        } else {
            report(root, &program, p.model, &folder, p.run, 0)?;
            shot.arg(folder.join("report.html"));
        }
        shot.arg(images.join(p.file)).args(p.shot).current_dir(&web);
        run(&mut shot).map_err(Missing::plain)?;
        println!("docs/images/{}", p.file);
    }
    Ok(())
}

/// `web/` with the packages of its lock file.
fn packages(root: &Path) -> Result<PathBuf, Missing> {
    let web = root.join("web");
    for program in ["node", "npm"] {
        let found = Command::new(program).arg("--version").stdout(Stdio::null()).status();
        if !found.is_ok_and(|s| s.success()) {
            return Err(Missing::Here(format!(
                "`{program}` is not installed (Node.js 20 or later)"
            )));
        }
    }
    let time = |path: PathBuf| fs::metadata(path).and_then(|m| m.modified()).ok();
    let (lock, installed) =
        (time(web.join("package-lock.json")), time(web.join("node_modules/.package-lock.json")));
    if installed.is_none() || installed < lock {
        npm(&web, &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"])?;
    }
    Ok(web)
}

/// A browser: the installed one, or that of Debian.
fn chromium() -> Result<(), Missing> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let there = || named.iter().any(|p| p.exists()) || usual.iter().any(|p| Path::new(p).exists());
    if there() {
        return Ok(());
    }
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0\n"));
    if !Path::new("/etc/debian_version").exists() || !root {
        let what = "there is no Chromium; install it (Debian: apt-get install chromium), or name \
                    one in CHROMIUM";
        return Err(Missing::Here(what.to_owned()));
    }
    for arguments in
        [&["update", "-q"][..], &["install", "-qy", "--no-install-recommends", "chromium"]]
    {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        if run(&mut apt).is_err() {
            return Err(Missing::Here("Chromium cannot be installed by apt-get".to_owned()));
        }
    }
    if there() {
        return Ok(());
    }
    Err(Missing::Here("apt-get installed no Chromium".to_owned()))
}

/// Creates reports of all models, of a run that fails and of damaged results, each in its own folder together with its
/// data; returns the program that made them.
fn make_reports(root: &Path, reports: &Path) -> Result<PathBuf, String> {
    let program = build(root)?;
    let _ = fs::remove_dir_all(reports);
    for model in MODELS {
        report(root, &program, model, &reports.join(stem(model)), &[], 0)?;
    }
    for (page, arguments) in ANALYSES {
        analysis(root, &program, arguments, &reports.join(page))?;
    }
    // the whole run takes half a minute; its first beats show the same
    report(root, &program, ESCAPEMENT, &reports.join("escapement"), &["--end", "2"], 0)?;
    let failed = reports.join("failed");
    report(root, &program, MODELS[0], &failed, &["--max-steps", "60"], 3)?;
    // damaged: half of the motion, half of the columns, no summary
    let damaged = reports.join("damaged");
    report(root, &program, MODELS[0], &damaged, &[], 0)?;
    let broken = || -> std::io::Result<()> {
        let motion = fs::read(damaged.join("motion.bin"))?;
        fs::write(damaged.join("motion.bin"), &motion[..motion.len() / 2])?;
        let csv = fs::read_to_string(damaged.join("results.csv"))?;
        let half: String = csv.lines().take(200).map(|l| format!("{l}\n")).collect();
        fs::write(damaged.join("results.csv"), half)?;
        fs::remove_file(damaged.join("summary.json"))
    };
    broken().map_err(|e| format!("{}: {e}", damaged.display()))?;
    let mut again = Command::new(&program);
    again.arg("report").arg(&damaged).stderr(Stdio::null()).stdout(Stdio::null());
    match again.status() {
        Ok(s) if s.success() => Ok(program),
        other => Err(format!("the report of damaged results was not made: {other:?}")),
    }
}

fn stem(model: &str) -> String {
    Path::new(model).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "-q", "--profile", "ci", "-p", "delassus-cli"]).current_dir(root);
    match command.status() {
        Ok(s) if s.success() => {}
        other => return Err(format!("the program cannot be built: {other:?}")),
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| root.join("target"));
    Ok(root.join(target).join("ci/delassus"))
}

/// Runs a model into a folder and checks for the expected exit code.
pub fn report(
    root: &Path,
    program: &Path,
    model: &str,
    folder: &Path,
    more: &[&str],
    code: i32,
) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(["run", model, "--quiet", "--out"]).arg(folder).args(more).current_dir(root);
    command.stderr(Stdio::null());
    let ran = command.status().map_err(|e| format!("{}: {e}", program.display()))?;
    if ran.code() != Some(code) {
        return Err(format!("`delassus run {model}` ended with {ran} instead of {code}"));
    }
    let page = fs::read_to_string(folder.join("report.html"))
        .map_err(|e| format!("{}: {e}", folder.display()))?;
    if !page.contains("id=\"delassus-data\"") {
        return Err(format!(
            "the report of {model} was made without the viewer; see the warning of \
             the build of delassus-report"
        ));
    }
    Ok(())
}

/// Makes the page of an analysis.
fn analysis(root: &Path, program: &Path, arguments: &[&str], page: &Path) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).arg("--report").arg(page).current_dir(root);
    command.stderr(Stdio::null()).stdout(Stdio::null());
    match command.status() {
        Ok(s) if s.success() => Ok(()),
        other => Err(format!("`delassus {}` failed: {other:?}", arguments.join(" "))),
    }
}

fn npm(web: &Path, arguments: &[&str]) -> Result<(), Missing> {
    run(Command::new("npm").args(arguments).current_dir(web))
}

fn run(command: &mut Command) -> Result<(), Missing> {
    let line = format!("{:?}", command).replace('"', "");
    println!("\n==> {line}");
    match command.status() {
        Ok(s) if s.success() => Ok(()),
        Ok(s) => Err(Missing::Failed(format!("`{line}` failed ({s})"))),
        Err(e) => Err(Missing::Failed(format!("`{line}` cannot be run: {e}"))),
    }
}
