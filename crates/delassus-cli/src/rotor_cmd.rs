//! `delassus rotor`.

use crate::analysis_out::{Answer, all_notes, answer, digits, failed, heading, time_limit};
use crate::analysis_page;
use crate::args::{RotorArgs, RotorQuestion};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::number::{count, number};
use crate::prepare::{Prepared, prepare};
use crate::rotor_page;
use crate::rotor_plot::{self, rpm};
use crate::settings::Settings;
use delassus::expr::{Dim, suggest};
use delassus::io::model_file::escape;
use delassus::math::Vec3;
use delassus::sim::Note;
use delassus::sim::analysis::{Critical, Orbit, Rotor, WhirlMode, critical_speeds};
use delassus_report::RotorPage;
use serde::Serialize;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Speeds at most, each of which is a model of its own.
const MOST_SPEEDS: u64 = 100_000;
/// Steps between the ends for critical speeds, where only the ends are given.
const LADDER: usize = 21;

#[derive(Debug, Default, Serialize)]
struct RotorJson<'a> {
    status: &'static str,
    code: u8,
    model: &'a str,
    model_file: String,
    model_sha256: &'a str,
    axis: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    campbell: Option<Vec<SpeedJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    critical: Option<Vec<CriticalJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unbalance: Option<Vec<AnswerJson>>,
    notes: &'a [Fault],
}

#[derive(Debug, Serialize)]
struct SpeedJson {
    speed: f64,
    rpm: f64,
    modes: Vec<ModeJson>,
}

#[derive(Debug, Serialize)]
struct ModeJson {
    real: f64,
    imag: f64,
    frequency_hz: f64,
    damping_ratio: f64,
    whirl: &'static str,
    sense: f64,
}

#[derive(Debug, Serialize)]
struct CriticalJson {
    speed: f64,
    rpm: f64,
    whirl: &'static str,
    sense: f64,
}

#[derive(Debug, Serialize)]
struct AnswerJson {
    speed: f64,
    rpm: f64,
    bodies: BTreeMap<String, OrbitJson>,
}

#[derive(Debug, Serialize)]
struct OrbitJson {
    amplitude: [f64; 3],
    phase_deg: [f64; 3],
    semi_axes: [f64; 2],
}

/// The model as it is at a speed.
struct Ladder<'a> {
    args: &'a RotorArgs,
    notes: Vec<Note>,
}

impl Ladder<'_> {
    fn model(&self, speed: f64) -> Result<Prepared, Failure> {
        let mut args = self.args.model.clone();
        args.options.set.push((self.args.parameter.clone(), format!("{speed:e}")));
        prepare(&args, Settings::default())
    }

    fn rotor(&mut self, speed: f64) -> Result<Rotor, Failure> {
        let made =
            Rotor::new(&self.model(speed)?.model).map_err(|e| at_speed(failed(&e), speed))?;
        for note in &made.notes {
            if !self.notes.iter().any(|n| n.code == note.code) {
                self.notes.push(note.clone());
            }
        }
        Ok(made)
    }

    fn campbell(
        &mut self,
        speeds: &[f64],
        axis: &Vec3,
        undamped: bool,
    ) -> Result<Vec<(f64, Vec<WhirlMode>)>, Failure> {
        speeds.iter().map(|s| Ok((*s, self.whirl(*s, axis, undamped)?))).collect()
    }

    fn whirl(
        &mut self,
        speed: f64,
        axis: &Vec3,
        undamped: bool,
    ) -> Result<Vec<WhirlMode>, Failure> {
        let rotor = self.rotor(speed)?;
        rotor.whirl(axis, undamped).map_err(|e| at_speed(failed(&e), speed))
    }
}

/// The speed in front of what went wrong there.
fn at_speed(mut f: Failure, speed: f64) -> Failure {
    for fault in &mut f.faults {
        fault.message = format!("at {} rad/s: {}", digits(speed), fault.message);
    }
    f
}

/// Answers a question about a rotor.
pub fn rotor(a: &RotorArgs) -> Result<Exit, Failure> {
    let _limit = time_limit(a.max_time.as_deref(), a.json)?;
    if let Some(file) = &a.plot {
        rotor_plot::check_name(file)?;
    }
    let speeds = speeds(a)?;
    let mut ladder = Ladder { args: a, notes: Vec::new() };
    let fastest =
        speeds.iter().copied().fold(0.0, |m: f64, s| if s.abs() > m.abs() { s } else { m });
    let prepared = ladder.model(fastest)?;
    analysis_page::check(&prepared, &a.model.model, a.report.as_deref())?;
    // where only rest is asked for, another speed shows the axis
    let turning = if fastest == 0.0 { 1.0 } else { fastest };
    let axis = ladder.rotor(turning)?.axis().ok_or_else(|| still(a, turning))?;
    let title = prepared.model.system.model().title.clone();
    let mut json = RotorJson { axis: [axis.x, axis.y, axis.z], ..RotorJson::default() };
    let mut page = RotorPage { axis: json.axis, ..RotorPage::default() };
    let mut plots = Vec::new();
    let mut text = String::new();
    let asked = |what| a.what == what || a.what == RotorQuestion::All;
    let drawn = a.plot.is_some() || a.report.is_some();
    if asked(RotorQuestion::Campbell) {
        let found = ladder.campbell(&speeds, &axis, a.undamped)?;
        plots.extend(rotor_plot::campbell(&title, &found));
        text.push_str(&campbell_text(&found));
        page.campbell = Some(rotor_page::campbell(&found));
        json.campbell = Some(found.into_iter().map(speed_json).collect());
    }
    if asked(RotorQuestion::Critical) {
        let list = critical_speeds(&speeds, |s| ladder.whirl(s, &axis, true))?;
        if drawn && json.campbell.is_none() {
            let found = ladder.campbell(&speeds, &axis, true)?;
            plots.extend(rotor_plot::campbell(&title, &found));
            page.campbell = Some(rotor_page::campbell(&found));
        }
        text.push_str(&critical_text(&list, &speeds));
        page.critical = Some(rotor_page::critical(&list));
        json.critical = Some(list.iter().map(critical_json).collect());
    }
    if a.what == RotorQuestion::Unbalance || asked(RotorQuestion::All) && !a.unbalance.is_empty() {
        let given = given_unbalance(a, &prepared)?;
        let of = bodies_of(a, &prepared, &given)?;
        let mut found = Vec::new();
        for s in &speeds {
            let orbits = match *s == 0.0 {
                true => at_rest(&prepared, &of),
                false => {
                    let all = ladder.rotor(*s)?.unbalance(&axis, *s, &given);
                    let all = all.map_err(|e| at_speed(failed(&e), *s))?;
                    of.iter().map(|k| all[*k].clone()).collect()
                }
            };
            found.push((*s, orbits));
        }
        plots.extend(rotor_plot::unbalance(&title, &found));
        text.push_str(&unbalance_text(&found));
        page.unbalance = Some(rotor_page::unbalance(&found));
        json.unbalance = Some(found.into_iter().map(answer_json).collect());
    }
    if let Some(file) = &a.plot {
        rotor_plot::write(file, &plots)?;
    }
    let notes = all_notes(&prepared, &ladder.notes);
    let file = escape(&a.model.model.display().to_string());
    json = RotorJson {
        status: "ok",
        code: Exit::Done.code(),
        model: &title,
        model_file: file.clone(),
        model_sha256: &prepared.hash,
        notes: &notes,
        ..json
    };
    let text = format!("{}\n{text}", escape(&heading(&prepared, &file)));
    let html = || {
        let report = analysis_page::at(&prepared, &a.model.model, None, &notes);
        report.rotor_html(&RotorPage { plots: plots.clone(), ..page.clone() })
    };
    let page = a.report.as_deref().map(|file| (file, &html as &dyn Fn() -> String));
    answer(&json, &text, &notes, Answer { as_json: a.json, out: a.out.as_deref(), page })
}

/// Unbalance that does not turn pushes nothing, not even a rotor that is free to turn.
fn at_rest(p: &Prepared, of: &[usize]) -> Vec<Orbit> {
    let none = |k: &usize| Orbit {
        body: p.model.system.model().bodies[*k].name.clone(),
        amplitude: [0.0; 3],
        phase: [0.0; 3],
        semi_axes: [0.0; 2],
    };
    of.iter().map(none).collect()
}

/// Nothing turns at the speed that is asked for.
fn still(a: &RotorArgs, speed: f64) -> Failure {
    let message = format!(
        "nothing turns at the start of the model where `{}` is {}",
        a.parameter,
        digits(speed)
    );
    let help = format!(
        "give the bodies of the rotor the rate `{}` about its axis, and ask for speeds other than zero",
        a.parameter
    );
    Failure::input(vec![Fault::new("E_ROTOR", "--parameter", message).help(help)])
}

/// FIRST:LAST:COUNT, FIRST:LAST or one speed. A unit of the last holds for the first where it has none.
fn speeds(a: &RotorArgs) -> Result<Vec<f64>, Failure> {
    let bad = |f: Box<Fault>| Failure::input(vec![*f]);
    let range = |message: &str| {
        let help = "write FIRST:LAST:COUNT, such as \"0:25000 rpm:26\", from slow to fast";
        Failure::input(vec![Fault::new("E_RANGE", "--speeds", message).help(help)])
    };
    let read = |text: &str| number("--speeds", text, Dim::RATE).map_err(bad);
    let parts: Vec<&str> = a.speeds.split(':').map(str::trim).collect();
    let (first, last, n) = match parts.as_slice() {
        [one] => return Ok(vec![read(one)?]),
        [first, last] => (*first, *last, LADDER),
        [first, last, n] => {
            let n = count("--speeds", n).map_err(bad)?;
            if !(2..=MOST_SPEEDS).contains(&n) {
                return Err(range(&format!("{n} speeds are not between 2 and {MOST_SPEEDS}")));
            }
            (*first, *last, n as usize)
        }
        _ => return Err(range(&format!("\"{}\" has more than three parts", a.speeds))),
    };
    let unit = last.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.eE".contains(c));
    let plain = first.parse::<f64>().is_ok();
    let from = if plain { read(&format!("{first} {}", unit.trim()))? } else { read(first)? };
    let to = read(last)?;
    if !(from >= 0.0 && to > from) {
        return Err(range(&format!("the speeds go from {} to {} rad/s", digits(from), digits(to))));
    }
    Ok((0..n).map(|k| from + (to - from) * k as f64 / (n - 1) as f64).collect())
}

/// Number of a body by name.
fn body(p: &Prepared, option: &str, name: &str) -> Result<usize, Failure> {
    let bodies = &p.model.system.model().bodies;
    let beam = format!("{name}[0]");
    bodies.iter().position(|b| b.name == name || b.name == beam).ok_or_else(|| {
        let names = || bodies.iter().map(|b| b.name.as_str());
        let help = match suggest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "nodes of a beam are `NAME[0]`, `NAME[1]` and so on".to_owned(),
        };
        let fault = Fault::new("E_UNKNOWN_NAME", option, format!("there is no body `{name}`"));
        Failure::input(vec![fault.help(help)])
    })
}

fn given_unbalance(a: &RotorArgs, p: &Prepared) -> Result<Vec<(usize, f64)>, Failure> {
    if a.unbalance.is_empty() {
        let fault = Fault::new("E_MISSING_FIELD", "--unbalance", "no unbalance is given")
            .help("name a body and mass times eccentricity, such as --unbalance disc=\"200 g*mm\"");
        return Err(Failure::input(vec![fault]));
    }
    let dim = Dim::MASS.checked_mul(Dim::LENGTH).unwrap_or(Dim::Any);
    let one = |(name, value): &(String, String)| {
        let u = number("--unbalance", value, dim).map_err(|f| Failure::input(vec![*f]))?;
        Ok((body(p, "--unbalance", name)?, u))
    };
    a.unbalance.iter().map(one).collect()
}

fn bodies_of(a: &RotorArgs, p: &Prepared, given: &[(usize, f64)]) -> Result<Vec<usize>, Failure> {
    let mut out = Vec::new();
    if a.of.is_empty() {
        out.extend(given.iter().map(|(k, _)| *k));
    }
    for name in &a.of {
        out.push(body(p, "--of", name)?);
    }
    let mut seen = Vec::new();
    out.retain(|k| {
        !seen.contains(k) && {
            seen.push(*k);
            true
        }
    });
    Ok(out)
}

fn speed_json((speed, modes): (f64, Vec<WhirlMode>)) -> SpeedJson {
    let modes = modes.into_iter().map(|m| ModeJson {
        real: m.real,
        imag: m.imag,
        frequency_hz: m.imag / TAU,
        damping_ratio: m.damping_ratio,
        whirl: m.whirl.name(),
        sense: m.sense,
    });
    SpeedJson { speed, rpm: rpm(speed), modes: modes.collect() }
}

fn critical_json(c: &Critical) -> CriticalJson {
    CriticalJson { speed: c.speed, rpm: rpm(c.speed), whirl: c.whirl.name(), sense: c.sense }
}

fn answer_json((speed, orbits): (f64, Vec<Orbit>)) -> AnswerJson {
    let bodies = orbits.into_iter().map(|o| {
        let orbit = OrbitJson {
            amplitude: o.amplitude,
            phase_deg: o.phase.map(f64::to_degrees),
            semi_axes: o.semi_axes,
        };
        (o.body, orbit)
    });
    AnswerJson { speed, rpm: rpm(speed), bodies: bodies.collect() }
}

/// Modes shown at each speed; JSON has all.
const SHOWN: usize = 10;

fn campbell_text(found: &[(f64, Vec<WhirlMode>)]) -> String {
    let mut out = format!(
        "  {:>14} {:>14} {:>14} {:>10}  {}\n",
        "speed, rpm", "Hz", "rad/s", "damping", "whirl"
    );
    for (speed, modes) in found {
        for (k, m) in modes.iter().take(SHOWN).enumerate() {
            let at = if k == 0 { digits(rpm(*speed)) } else { String::new() };
            let damping = if m.damping_ratio.abs() < 1e-12 {
                "0".to_owned()
            } else {
                format!("{:.5}", m.damping_ratio)
            };
            out.push_str(&format!(
                "  {:>14} {:>14} {:>14} {:>10}  {}\n",
                at,
                digits(m.imag / TAU),
                digits(m.imag),
                damping,
                m.whirl.name()
            ));
        }
        if modes.len() > SHOWN {
            out.push_str(&format!("  {:>14} and {} higher ones\n", "", modes.len() - SHOWN));
        }
    }
    out
}

fn critical_text(list: &[Critical], speeds: &[f64]) -> String {
    let (from, to) = (speeds.first().copied(), speeds.last().copied());
    let [from, to] = [from, to].map(|s| digits(rpm(s.unwrap_or(0.0))));
    if list.is_empty() {
        return format!("  no critical speed between {from} and {to} rpm\n");
    }
    let mut out = format!("  {:>14} {:>14} {:>14}  {}\n", "rpm", "rad/s", "Hz", "whirl");
    for c in list {
        out.push_str(&format!(
            "  {:>14} {:>14} {:>14}  {}\n",
            digits(rpm(c.speed)),
            digits(c.speed),
            digits(c.speed / TAU),
            c.whirl.name()
        ));
    }
    out
}

fn unbalance_text(found: &[(f64, Vec<Orbit>)]) -> String {
    let mut out = format!(
        "  {:>14} {:>14} {:>14} {:>14} {:>14}  {}\n",
        "speed, rpm", "x, m", "y, m", "z, m", "orbit, m", "body"
    );
    for (speed, orbits) in found {
        for o in orbits {
            let most = o.semi_axes[0];
            let [x, y, z] = o
                .amplitude
                .map(|v| if v <= 1e-9 * most { "0".to_owned() } else { format!("{v:.6e}") });
            out.push_str(&format!(
                "  {:>14} {x:>14} {y:>14} {z:>14} {most:>14.6e}  {}\n",
                digits(rpm(*speed)),
                escape(&o.body)
            ));
        }
    }
    out
}
