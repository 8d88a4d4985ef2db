//! `delassus modes`.

use crate::analysis_out::{all_notes, answer, check_out, digits, failed, heading, time_limit};
use crate::args::ModesArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::number::{count, number};
use crate::prepare::prepare;
use crate::settings::Settings;
use delassus::expr::Dim;
use delassus::io::model_file::escape;
use delassus::math::largest;
use delassus::sim::analysis::{self, About, At, BodyShape, ModalOptions, ModalReport};
use serde::Serialize;
use std::collections::BTreeMap;

/// Bodies named for a mode on the screen; JSON has all.
const NAMED: usize = 3;

#[derive(Debug, Serialize)]
struct ModesJson<'a> {
    status: &'static str,
    code: u8,
    model: &'a str,
    model_file: String,
    model_sha256: &'a str,
    t: f64,
    about: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    axes_rate: Option<[f64; 3]>,
    all: bool,
    modes: Vec<ModeJson<'a>>,
    notes: &'a [Fault],
}

#[derive(Debug, Serialize)]
struct ModeJson<'a> {
    real: f64,
    imag: f64,
    frequency_hz: f64,
    damping_ratio: f64,
    shape: BTreeMap<&'a str, Shape>,
}

#[derive(Debug, Serialize)]
struct Shape {
    displacement: [f64; 3],
    rotation: [f64; 3],
    #[serde(skip_serializing_if = "is_zero")]
    displacement_imag: [f64; 3],
    #[serde(skip_serializing_if = "is_zero")]
    rotation_imag: [f64; 3],
}

fn is_zero(v: &[f64; 3]) -> bool {
    v.iter().all(|x| *x == 0.0)
}

/// Finds the modes of a model.
pub fn modes(a: &ModesArgs) -> Result<Exit, Failure> {
    let bad = |f: Box<Fault>| Failure::input(vec![*f]);
    let at = match a.at.trim() {
        "static" => At::Static,
        "start" => At::Start,
        "steady" => At::Steady,
        time => At::Time(number("--at", time, Dim::TIME).map_err(bad)?),
    };
    let count = a.count.as_deref().map(|n| count("--count", n)).transpose().map_err(bad)?;
    let options = ModalOptions {
        at,
        count: count.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        undamped: a.undamped,
        sparse: None,
    };
    let _limit = time_limit(a.max_time.as_deref(), a.json)?;
    let prepared = prepare(&a.model, Settings::default())?;
    check_out(&prepared, &a.model.model, a.out.as_deref())?;
    let found = analysis::modes(&prepared.model, options).map_err(|e| failed(&e))?;
    let notes = all_notes(&prepared, &found.notes);
    let file = escape(&a.model.model.display().to_string());
    let json = ModesJson {
        status: "ok",
        code: Exit::Done.code(),
        model: &prepared.model.system.model().title,
        model_file: file.clone(),
        model_sha256: &prepared.hash,
        t: found.state.t,
        about: found.about.name(),
        axes_rate: match found.about {
            About::Steady(rate) => Some(rate),
            _ => None,
        },
        all: found.all,
        modes: found
            .modes
            .iter()
            .map(|m| ModeJson {
                real: m.real,
                imag: m.imag,
                frequency_hz: m.frequency_hz,
                damping_ratio: m.damping_ratio,
                shape: m.shape.iter().map(|b| (b.name.as_str(), shape(b))).collect(),
            })
            .collect(),
        notes: &notes,
    };
    let text = text(&found, &heading(&prepared, &file), &prepared.model.system);
    answer(&json, &text, &notes, a.json, a.out.as_deref())
}

fn shape(b: &BodyShape) -> Shape {
    Shape {
        displacement: b.real[0],
        rotation: b.real[1],
        displacement_imag: b.imag[0],
        rotation_imag: b.imag[1],
    }
}

fn text(r: &ModalReport, heading: &str, sys: &delassus::model::System) -> String {
    let mut out = format!("{}\n", escape(heading));
    let what = match r.about {
        About::Equilibrium => "next to the equilibrium".to_owned(),
        About::Steady(_) => format!("next to the steady motion at t = {} s", r.state.t),
        About::Instant => format!("of the tangents at t = {} s", r.state.t),
    };
    let which = if r.all { "all" } else { "the lowest" };
    out.push_str(&format!("  {which} {} modes {what}\n", r.modes.len()));
    out.push_str(&format!(
        "  {:>4} {:>14} {:>14} {:>14} {:>10}  {}\n",
        "mode", "Hz", "rad/s", "growth 1/s", "damping", "moves most"
    ));
    // growth that is rounding beside the rates there are
    let fastest = largest(r.modes.iter().map(|m| m.real.hypot(m.imag)));
    for (k, m) in r.modes.iter().enumerate() {
        let real = if m.real.abs() <= 1e-12 * fastest { 0.0 } else { m.real };
        let ratio = if real == 0.0 { 0.0 } else { m.damping_ratio };
        out.push_str(&format!(
            "  {:>4} {:>14} {:>14} {:>14} {:>10}  {}\n",
            k + 1,
            digits(m.frequency_hz),
            digits(m.imag),
            digits(real),
            if ratio == 0.0 { "0".to_owned() } else { format!("{ratio:.5}") },
            escape(&movers(&m.shape, sys.length_scale()))
        ));
    }
    out
}

/// The bodies that move most in a mode.
fn movers(shape: &[BodyShape], length: f64) -> String {
    let size = |b: &BodyShape| {
        let norm = |k: usize| {
            let square = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
            (square(&b.real[k]) + square(&b.imag[k])).sqrt()
        };
        (norm(0) / length).max(norm(1))
    };
    let mut order: Vec<&BodyShape> = shape.iter().collect();
    order.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let most = order.first().map_or(0.0, |b| size(b));
    let named: Vec<&str> = order
        .iter()
        .filter(|b| size(b) > 0.3 * most)
        .take(NAMED)
        .map(|b| b.name.as_str())
        .collect();
    named.join(", ")
}
