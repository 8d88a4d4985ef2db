//! `delassus export`.

use crate::args::ExportArgs;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::number::number;
use crate::output::{REPORT_HTML, check_ending, check_file, refused};
use crate::report_cmd::{read, results_folder};
use delassus::expr::Dim;
use delassus::io::model_file::escape;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes the motion in the requested formats, or packs a model.
pub fn export(a: &ExportArgs) -> Result<Exit, Failure> {
    if let (Some(model), Some(output)) = (&a.fmu, &a.output) {
        return crate::fmu_cmd::export(a, model, output);
    }
    crate::fmu_cmd::only_for_fmu(a)?;
    let Some(result) = &a.result else { return Ok(Exit::Done) };
    let fps = number("--fps", &a.fps, Dim::Any).map_err(|f| Failure::input(vec![*f]))?;
    if !(fps > 0.0 && fps <= 1000.0) {
        let fault = Fault::new("E_RANGE", "--fps", format!("{fps} is not between 0 and 1000"))
            .help("give pictures per second, such as 25");
        return Err(Failure::input(vec![fault]));
    }
    let folder = results_folder(result);
    let report = read(&folder)?;
    if let Some(file) = &a.gltf {
        check_ending("--gltf", file, &["glb"])?;
        check_file("--gltf", file)?;
        let bytes = report.glb().map_err(|what| {
            let message = format!("{}: {what}", folder.display());
            let fault = Fault::new("E_RESULT", "--gltf", message).help("run the model again");
            Failure::file(fault)
        })?;
        Writer::one(file, &bytes)?;
        console::print(&format!("wrote {}\n", escape(&file.display().to_string())))?;
    }
    if let Some(pictures) = &a.frames {
        let page = folder.join(REPORT_HTML);
        crate::report_cmd::write_of(&folder, &page, &report)?;
        frames(&page, pictures, fps)?;
    }
    Ok(Exit::Done)
}

/// Pictures are taken by a browser, which is driven by the scripts in `web/` of the sources.
fn frames(page: &Path, folder: &Path, fps: f64) -> Result<(), Failure> {
    let missing = |message: &str| {
        let fault = Fault::new("E_BROWSER", "--frames", message).help(
            "pictures need Node.js, Chromium and the folder web/ of the sources with its packages \
             (`npm ci` there); DELASSUS_WEB names the folder if it is elsewhere",
        );
        Failure::file(fault)
    };
    if !delassus_report::has_viewer() {
        return Err(missing("this program was built without the viewer"));
    }
    let web = std::env::var_os("DELASSUS_WEB").map(PathBuf::from);
    let web = web.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web"));
    let script = web.join("scripts/frames.mjs");
    if !script.is_file() {
        return Err(missing(&format!("there is no {}", script.display())));
    }
    fs::create_dir_all(folder).map_err(|e| Failure::file(refused(folder, &e)))?;
    let ran = Command::new("node")
        .arg(&script)
        .arg(page)
        .arg(folder)
        .args(["--fps", &fps.to_string()])
        .stdin(Stdio::null())
        .status();
    match ran {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            Err(missing(&format!("the script that takes the pictures failed ({status})")))
        }
        Err(e) => Err(missing(&format!("`node` cannot be run: {e}"))),
    }
}
