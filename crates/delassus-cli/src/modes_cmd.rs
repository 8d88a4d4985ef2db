//! `delassus modes`.

use crate::analysis_out::{
    Answer, all_notes, answer, check_out, digits, failed, heading, time_limit,
};
use crate::analysis_page;
use crate::args::ModesArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::number::{count, number};
use crate::prepare::{Prepared, prepare};
use crate::settings::Settings;
use delassus::expr::Dim;
use delassus::io::model_file::escape;
use delassus::math::largest;
use delassus::sim::analysis::{self, About, At, BodyShape, ModalOptions, ModalReport, NamedMode};
use delassus_report::ModePage;
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
        fastest: false,
    };
    let _limit = time_limit(a.max_time.as_deref(), a.json)?;
    let prepared = prepare(&a.model, Settings::default())?;
    check_out(&prepared, &a.model.model, a.out.as_deref())?;
    analysis_page::check(&prepared, &a.model.model, a.report.as_deref())?;
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
    let html = || page(&prepared, a, &found, &notes);
    let page = a.report.as_deref().map(|file| (file, &html as &dyn Fn() -> String));
    answer(&json, &text, &notes, Answer { as_json: a.json, out: a.out.as_deref(), page })
}

/// The page with the moving shapes.
fn page(p: &Prepared, a: &ModesArgs, found: &ModalReport, notes: &[Fault]) -> String {
    let report = analysis_page::at(p, &a.model.model, Some(&found.state), notes);
    let length = p.model.system.length_scale();
    let fastest = fastest(found);
    let of = |m: &NamedMode| ModePage {
        real: if is_rounding(m.real, fastest) { 0.0 } else { m.real },
        imag: m.imag,
        damping_ratio: if is_rounding(m.real, fastest) { 0.0 } else { m.damping_ratio },
        kind: kind(m, fastest, length),
        moves: movers(&m.shape, length),
        shape: m.shape.iter().map(|b| [b.real[0], b.real[1], b.imag[0], b.imag[1]]).collect(),
    };
    let modes: Vec<ModePage> = found.modes.iter().map(of).collect();
    let undamped = if a.undamped { ", without damping" } else { "" };
    report.modes_html(&format!("{}{undamped}", about(found)), &modes)
}

/// How far a shape may be from one that all bodies pass through at once, from 0 to 1, without being said to travel.
const STANDING: f64 = 0.02;

/// What kind of motion a mode is, in words.
fn kind(m: &NamedMode, fastest: f64, length: f64) -> String {
    let growth = if is_rounding(m.real, fastest) { 0.0 } else { m.real };
    if is_rounding(m.imag, fastest) {
        let word = match growth {
            g if g > 0.0 => "grows",
            g if g < 0.0 => "decays",
            _ => "moves freely",
        };
        return word.to_owned();
    }
    let word = match growth {
        g if g > 0.0 => "vibration that grows",
        g if g < 0.0 => "damped vibration",
        _ => "vibration",
    };
    // Σ z² has the size of Σ |z|² if all parts move in phase
    let (mut square, mut all) = ([0.0, 0.0], 0.0);
    for b in &m.shape {
        for (k, unit) in [(0, 1.0 / length), (1, 1.0)] {
            for (re, im) in b.real[k].iter().zip(&b.imag[k]) {
                let (re, im) = (re * unit, im * unit);
                square[0] += re * re - im * im;
                square[1] += 2.0 * re * im;
                all += re * re + im * im;
            }
        }
    }
    let standing = square[0].hypot(square[1]) >= (1.0 - STANDING) * all;
    if standing { word.to_owned() } else { format!("{word}, travelling") }
}

/// The largest rate among the modes, 1/s.
fn fastest(r: &ModalReport) -> f64 {
    largest(r.modes.iter().map(|m| m.real.hypot(m.imag)))
}

/// Whether a rate is rounding beside the fastest one.
fn is_rounding(rate: f64, fastest: f64) -> bool {
    rate.abs() <= 1e-12 * fastest
}

/// What the modes are next to, in words.
fn about(r: &ModalReport) -> String {
    match r.about {
        About::Equilibrium => "next to the equilibrium".to_owned(),
        About::Steady(_) => format!("next to the steady motion at t = {} s", r.state.t),
        About::Instant => format!("of the tangents at t = {} s", r.state.t),
    }
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
    let what = about(r);
    let which = if r.all { "all" } else { "the lowest" };
    out.push_str(&format!("  {which} {} modes {what}\n", r.modes.len()));
    out.push_str(&format!(
        "  {:>4} {:>14} {:>14} {:>14} {:>10}  {}\n",
        "mode", "Hz", "rad/s", "growth 1/s", "damping", "moves most"
    ));
    let fastest = fastest(r);
    for (k, m) in r.modes.iter().enumerate() {
        let real = if is_rounding(m.real, fastest) { 0.0 } else { m.real };
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
