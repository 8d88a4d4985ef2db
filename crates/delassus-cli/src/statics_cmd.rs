//! `delassus statics`.

use crate::analysis_out::{
    Answer, all_notes, answer, check_out, digits, failed, heading, time_limit, vector,
};
use crate::analysis_page;
use crate::args::StaticsArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::prepare::{Prepared, prepare};
use crate::settings::Settings;
use crate::summary_text::Table;
use delassus::dae::Problem;
use delassus::io::model_file::escape;
use delassus::io::results::MotionFile;
use delassus::math::{largest, max_abs};
use delassus::model::{ElementLoad, MOST_LOADS, PoseForm};
use delassus::sim::analysis::{self, StaticsReport};
use delassus_report::RestLoad;
use serde::Serialize;
use std::collections::BTreeMap;

/// Lines of a list shown on the screen; JSON has all.
const SHOWN: usize = 20;

#[derive(Debug, Serialize)]
struct StaticsJson<'a> {
    status: &'static str,
    code: u8,
    model: &'a str,
    model_file: String,
    model_sha256: &'a str,
    t: f64,
    positions: BTreeMap<&'a str, Position>,
    reactions: BTreeMap<&'a str, Reaction>,
    forces: BTreeMap<&'a str, Load>,
    contacts: BTreeMap<&'a str, Contact>,
    stable: bool,
    stability: &'static str,
    potential: f64,
    iterations: usize,
    last_step: f64,
    notes: &'a [Fault],
}

#[derive(Debug, Serialize)]
struct Position {
    position: [f64; 3],
    quaternion: [f64; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    angle: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Reaction {
    force: [f64; 3],
    torque: [f64; 3],
    unique: bool,
}

#[derive(Debug, Default, Serialize)]
struct Load {
    /// Pull of a spring, torque of a torsion spring; size of a vector.
    value: f64,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    force: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    torque: Option<[f64; 3]>,
}

#[derive(Debug, Serialize)]
struct Contact {
    points: usize,
    normal: f64,
    friction: f64,
    slides: bool,
}

/// Finds the equilibrium of a model.
pub fn statics(a: &StaticsArgs) -> Result<Exit, Failure> {
    let _limit = time_limit(a.max_time.as_deref(), a.json)?;
    let prepared = prepare(&a.model, Settings::default())?;
    check_out(&prepared, &a.model.model, a.out.as_deref())?;
    analysis_page::check(&prepared, &a.model.model, a.report.as_deref())?;
    let found = analysis::statics(&prepared.model).map_err(|e| failed(&e))?;
    let notes = all_notes(&prepared, &found.notes);
    let file = escape(&a.model.model.display().to_string());
    let json = StaticsJson {
        status: "ok",
        code: Exit::Done.code(),
        model: &prepared.model.system.model().title,
        model_file: file.clone(),
        model_sha256: &prepared.hash,
        t: found.state.t,
        positions: found
            .positions
            .iter()
            .map(|b| {
                let (position, quaternion, angle) = (b.position, b.quaternion, b.angle);
                (b.name.as_str(), Position { position, quaternion, angle })
            })
            .collect(),
        reactions: found
            .reactions
            .iter()
            .map(|r| {
                let (force, torque, unique) = (r.force, r.torque, r.unique);
                (r.name.as_str(), Reaction { force, torque, unique })
            })
            .collect(),
        forces: found.forces.iter().map(|(name, l)| (name.as_str(), load(l))).collect(),
        contacts: found
            .contacts
            .iter()
            .map(|c| {
                let (points, normal) = (c.points, c.normal);
                let contact = Contact { points, normal, friction: c.friction, slides: c.slides };
                (c.name.as_str(), contact)
            })
            .collect(),
        stable: matches!(
            found.stability,
            analysis::Stability::Stable | analysis::Stability::Neutral
        ),
        stability: found.stability.name(),
        potential: found.potential,
        iterations: found.iterations,
        last_step: found.last_step,
        notes: &notes,
    };
    let text = text(&found, &heading(&prepared, &file));
    let html = || page(&prepared, a, &found, &notes);
    let page = a.report.as_deref().map(|file| (file, &html as &dyn Fn() -> String));
    answer(&json, &text, &notes, Answer { as_json: a.json, out: a.out.as_deref(), page })
}

/// The page with the shape and its forces.
fn page(p: &Prepared, a: &StaticsArgs, r: &StaticsReport, notes: &[Fault]) -> String {
    let sys = &p.model.system;
    let mut report = analysis_page::at(p, &a.model.model, Some(&r.state), notes);
    let mut ws = sys.workspace();
    sys.realize_position(r.state.t, &r.state.q, &r.state.z, &mut ws);
    sys.realize_velocity(&vec![0.0; sys.dims().nv], &r.state.z, &mut ws);
    let vectors = |fill: &dyn Fn(&mut Vec<f64>)| {
        let mut row = Vec::new();
        fill(&mut row);
        let forms = vec![PoseForm::Point; row.len() / 3];
        MotionFile { forms, stride: 1, t: vec![r.state.t], coordinates: row }
    };
    report.sections = vectors(&|out| sys.sections(&ws, out));
    if sys.load_views().len() <= MOST_LOADS {
        report.loads = vectors(&|out| sys.loads(&ws, r.multipliers(), out));
    }
    let rest = |name: &str, kind, text| RestLoad { name: name.to_owned(), kind, text };
    let both = |f: &[f64; 3], t: &[f64; 3]| {
        let force = format!("{} N", vector(f, max_abs(f)));
        let turns = max_abs(t) > 0.0;
        if turns { format!("{force}, {} N m", vector(t, max_abs(t))) } else { force }
    };
    let reactions = r.reactions.iter().map(|x| {
        let unique = if x.unique { "" } else { " (not unique: the smallest ones)" };
        rest(&x.name, "reaction", format!("{}{unique}", both(&x.force, &x.torque)))
    });
    let forces = r.forces.iter().map(|(name, l)| {
        let Load { value, unit, .. } = load(l);
        rest(name, "force", format!("{} {unit}", digits(value)))
    });
    let contacts = r.contacts.iter().map(|c| {
        let slides = if c.slides { ", at its limit" } else { "" };
        let friction = format!(", friction {} N{slides}", digits(c.friction));
        let friction = if c.friction > 0.0 { friction } else { String::new() };
        rest(&c.name, "contact", format!("{} N{friction}", digits(c.normal)))
    });
    let loads: Vec<RestLoad> = reactions.chain(forces).chain(contacts).collect();
    let words = format!("equilibrium: {}, {} steps", r.stability.name(), r.iterations);
    report.statics_html(&words, &loads)
}

fn load(l: &ElementLoad) -> Load {
    match l {
        ElementLoad::Scalar { value, is_length } => {
            Load { value: *value, unit: if *is_length { "N" } else { "N m" }, ..Load::default() }
        }
        ElementLoad::Force(f) => {
            Load { value: f.norm(), unit: "N", force: Some([f.x, f.y, f.z]), torque: None }
        }
        ElementLoad::Torque(f) => {
            Load { value: f.norm(), unit: "N m", force: None, torque: Some([f.x, f.y, f.z]) }
        }
        ElementLoad::Wrench(f, t) => Load {
            value: f.norm(),
            unit: "N",
            force: Some([f.x, f.y, f.z]),
            torque: Some([t.x, t.y, t.z]),
        },
    }
}

fn text(r: &StaticsReport, heading: &str) -> String {
    let mut table = Table::new(heading);
    table.row("equilibrium", &format!("{}, {} steps", r.stability.name(), r.iterations));
    let length = largest(r.positions.iter().map(|b| max_abs(&b.position)));
    for (k, b) in r.positions.iter().take(SHOWN).enumerate() {
        let place = vector(&b.position, length);
        let turn = match b.angle {
            Some(angle) => format!(", angle {} rad", digits(angle)),
            None if b.quaternion != [1.0, 0.0, 0.0, 0.0] => {
                let q = b.quaternion.map(digits);
                format!(", quaternion ({})", q.join(", "))
            }
            None => String::new(),
        };
        let name = if k == 0 { "positions" } else { "" };
        table.row(name, &format!("{} {place} m{turn}", b.name));
    }
    more(&mut table, r.positions.len());
    let force = largest(r.reactions.iter().map(|x| max_abs(&x.force)));
    let torque = largest(r.reactions.iter().map(|x| max_abs(&x.torque)));
    for (k, x) in r.reactions.iter().take(SHOWN).enumerate() {
        let unique = if x.unique { "" } else { " (not unique: the smallest ones)" };
        let turns = if max_abs(&x.torque) > 1e-9 * torque.max(force * length) {
            format!(", {} N m", vector(&x.torque, torque))
        } else {
            String::new()
        };
        let name = if k == 0 { "reactions" } else { "" };
        table.row(name, &format!("{} {} N{turns}{unique}", x.name, vector(&x.force, force)));
    }
    more(&mut table, r.reactions.len());
    for (k, (element, l)) in r.forces.iter().take(SHOWN).enumerate() {
        let Load { value, unit, .. } = load(l);
        let name = if k == 0 { "forces" } else { "" };
        table.row(name, &format!("{element} {} {unit}", digits(value)));
    }
    more(&mut table, r.forces.len());
    for (k, c) in r.contacts.iter().take(SHOWN).enumerate() {
        let points = if c.points == 1 { "point" } else { "points" };
        let friction = if c.friction > 0.0 {
            let at = if c.slides { ", at its limit" } else { "" };
            format!(", friction {} N{at}", digits(c.friction))
        } else {
            String::new()
        };
        let name = if k == 0 { "contacts" } else { "" };
        let normal = digits(c.normal);
        table.row(name, &format!("{} {} {points}, {normal} N{friction}", c.name, c.points));
    }
    more(&mut table, r.contacts.len());
    table.finish()
}

fn more(table: &mut Table, n: usize) {
    if n > SHOWN {
        table.row("", &format!("and {} more (all with --json)", n - SHOWN));
    }
}
