//! `delassus check`.

use crate::args::CheckArgs;
use crate::check_rt;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::prepare::{Prepared, prepare};
use crate::settings::Settings;
use crate::summary_text::{Table, brief, degrees_of_freedom, ignored_keys, redundant, short_list};
use crate::{console, fmu_cmd, report};
use serde::Serialize;

/// Number of lines of a list shown on the screen; JSON has all.
const SHOWN: usize = 20;

#[derive(Debug, Serialize)]
struct CheckReport<'a> {
    status: &'static str,
    code: u8,
    model: &'a str,
    model_file: String,
    model_sha256: &'a str,
    bodies: Vec<&'a str>,
    joints: Vec<&'a str>,
    forces: Vec<&'a str>,
    shapes: Vec<&'a str>,
    contacts: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<&'a str>,
    sensors: Vec<&'a str>,
    velocities: usize,
    constraints: usize,
    rank: usize,
    /// Smallest singular value that counts as independent, largest that counts as redundant.
    rank_gap: [f64; 2],
    mobility: usize,
    singular_start: bool,
    redundancy: Vec<Dependent<'a>>,
    non_unique_reactions: &'a [String],
    assembly_iterations: usize,
    assembly_residual: f64,
    moved: Vec<Moved<'a>>,
    method: &'a str,
    /// How contacts are treated, if there are any.
    scheme: Option<&'static str>,
    t_start: f64,
    t_end: f64,
    ignored_keys: usize,
    notes: &'a [Fault],
}

#[derive(Debug, Serialize)]
struct Dependent<'a> {
    constraint: &'a str,
    depends_on: &'a [String],
}

#[derive(Debug, Serialize)]
struct Moved<'a> {
    body: &'a str,
    distance: f64,
}

/// Prints the contents of a model. Writes no files.
pub fn check(a: &CheckArgs) -> Result<Exit, Failure> {
    // the model in an FMU lies in a folder of its own for as long as it is needed
    let packed = fmu_cmd::unpack(&a.model)?;
    let prepared = match &packed {
        Some(packed) => prepare(&packed.model, packed.settings())?,
        None => prepare(&a.model, Settings::default())?,
    };
    if a.rt {
        return check_rt::check_rt(a, &prepared);
    }
    let file = delassus::io::model_file::escape(&a.model.model.display().to_string());
    let report = gather(&prepared, file);
    if a.json {
        console::print(&report::to_json(&report))
    } else {
        report::warnings(&prepared.notes);
        console::print(&text(&report))
    }
}

fn gather(p: &Prepared, model_file: String) -> CheckReport<'_> {
    let (m, r) = (p.model.system.model(), &p.model.report);
    let sensors = m.sensors.iter().filter(|s| !s.given);
    CheckReport {
        status: "ok",
        code: Exit::Done.code(),
        model: &m.title,
        model_file,
        model_sha256: &p.hash,
        bodies: m.bodies.iter().map(|b| b.name.as_str()).collect(),
        joints: m.joints.iter().map(|j| j.name.as_str()).collect(),
        forces: m.forces.iter().map(|f| f.name.as_str()).collect(),
        shapes: m.shapes.iter().map(|s| s.name.as_str()).collect(),
        contacts: m.contacts.iter().map(|c| c.name.as_str()).collect(),
        inputs: m.sensors.iter().filter(|s| s.given).map(|s| s.name.as_str()).collect(),
        sensors: sensors.map(|s| s.name.as_str()).collect(),
        velocities: r.nv,
        constraints: r.rows,
        rank: r.rank,
        rank_gap: r.rank_gap,
        mobility: r.mobility,
        singular_start: r.singular_start,
        redundancy: r
            .redundancy
            .iter()
            .map(|d| Dependent { constraint: &d.row, depends_on: &d.depends_on })
            .collect(),
        non_unique_reactions: &r.non_unique,
        assembly_iterations: r.iterations,
        assembly_residual: r.residual,
        moved: r.moved.iter().map(|(body, distance)| Moved { body, distance: *distance }).collect(),
        method: &p.options.method,
        scheme: (!m.contacts.is_empty()).then(|| p.options.scheme.name()),
        t_start: p.model.state.t,
        t_end: p.options.t_end,
        ignored_keys: p.ignored_keys,
        notes: &p.notes,
    }
}

fn text(r: &CheckReport<'_>) -> String {
    let heading = if r.model.is_empty() {
        r.model_file.clone()
    } else {
        format!("{}: {}", r.model_file, r.model)
    };
    let mut table = Table::new(&heading);
    for (name, list) in [
        ("bodies", &r.bodies),
        ("joints", &r.joints),
        ("forces", &r.forces),
        ("shapes", &r.shapes),
        ("contacts", &r.contacts),
        ("inputs", &r.inputs),
        ("sensors", &r.sensors),
    ] {
        if list.is_empty() && ["shapes", "contacts", "inputs"].contains(&name) {
            continue;
        }
        let names: Vec<String> = list.iter().map(|n| (*n).to_owned()).collect();
        table.row(name, &format!("{}  {}", list.len(), short_list(&names)));
    }
    let singular = if r.singular_start { " (singular position at the start)" } else { "" };
    let free = degrees_of_freedom(r.mobility);
    table.row("mobility", &format!("{free}, {} velocities{singular}", r.velocities));
    let gap = match r.rank_gap {
        _ if r.constraints == 0 => String::new(),
        [kept, dropped] if r.redundancy.is_empty() || dropped == 0.0 => {
            format!(" (singular values from {kept:.1e})")
        }
        [kept, dropped] => {
            format!(" (singular values from {kept:.1e}; redundant up to {dropped:.1e})")
        }
    };
    table.row("constraints", &format!("{}, rank {}{gap}", r.constraints, r.rank));
    if r.redundancy.is_empty() {
        table.row("redundant", "none; all reactions are unique");
    } else {
        table.row("redundant", &redundant(r.redundancy.len(), r.non_unique_reactions));
    }
    for d in r.redundancy.iter().take(SHOWN) {
        table.row("", &format!("{} depends on {}", d.constraint, short_list(d.depends_on)));
    }
    more(&mut table, r.redundancy.len());
    let assembly = match r.moved.len() {
        0 => "no body had to be moved".to_owned(),
        n => format!("{n} bodies moved in {} iterations", r.assembly_iterations),
    };
    table.row("assembly", &format!("{assembly}; residual {:.1e}", r.assembly_residual));
    for m in r.moved.iter().take(SHOWN) {
        table.row("", &format!("{} by {:.3e} m", m.body, m.distance));
    }
    more(&mut table, r.moved.len());
    let scheme = r.scheme.map_or_else(String::new, |s| format!(", contact {s}"));
    let (from, to) = (brief(r.t_start), brief(r.t_end));
    table.row("run", &format!("{} from {from} to {to} s{scheme}", r.method));
    ignored_keys(&mut table, r.ignored_keys);
    table.finish()
}

fn more(table: &mut Table, n: usize) {
    if n > SHOWN {
        table.row("", &format!("and {} more (all with --json)", n - SHOWN));
    }
}
