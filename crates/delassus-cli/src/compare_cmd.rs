//! `delassus compare`.

use crate::args::CompareArgs;
use crate::compare_files::{COMPARE_CSV, COMPARE_JSON, csv};
use crate::compare_plan::Asked;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::{Writer, Written};
use crate::output::{folder_for, real};
use crate::place::Place;
use crate::prepare::{Prepared, prepare, setup_failure};
use crate::settings::Settings;
use crate::summary_text::{Table, brief, ignored_keys};
use crate::{compare_plots, compare_text, console, report, signal};
use delassus::io::model_file::escape;
use delassus::sim::Channel;
use delassus::sim::compare::{
    self, Comparison, Measure, Plan, PlanError, Reached, Reference, ReferenceInfo, Row, RowStatus,
    Watch,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// compare.json, and what `--json` prints.
#[derive(Debug, Serialize)]
struct CompareReport<'a> {
    status: &'static str,
    code: u8,
    model: &'a str,
    model_file: String,
    model_sha256: &'a str,
    version: &'static str,
    t_start: f64,
    t_end: f64,
    sample: f64,
    jobs: usize,
    measure: Measure,
    reference: Option<&'a ReferenceInfo>,
    rows: &'a [Row],
    thresholds: Vec<Threshold<'a>>,
    files: &'a [Written],
    ignored_keys: usize,
    notes: &'a [Fault],
}

/// Which methods reach an error, and at what cost.
#[derive(Debug, Serialize)]
struct Threshold<'a> {
    error: f64,
    decidable: bool,
    best: Option<Cheapest<'a>>,
    methods: Vec<Cheapest<'a>>,
}

#[derive(Debug, Serialize)]
struct Cheapest<'a> {
    method: &'a str,
    rtol: Option<f64>,
    step: Option<f64>,
    cpu_s: Option<f64>,
}

/// Runs a model with several methods, and reports.
pub fn compare(a: &CompareArgs) -> Result<Exit, Failure> {
    let asked = Asked::read(a)?;
    let mut prepared = prepare(&a.model, Settings::span(asked.end, asked.sample))?;
    // options for methods other than that of the file do have an effect here
    prepared.notes.retain(|n| n.code != "N_METHOD_OPTION");
    let plan = asked.plan(prepared.model.system.model());
    let plan = Plan {
        t_end: prepared.options.t_end,
        sample: prepared.options.sample,
        limits: prepared.options.limits,
        ..plan
    };
    let reference = match &asked.reference {
        Some(table) => Some(given(a, table, &prepared, &plan)?),
        None => None,
    };
    let folder = folder(a);
    if let Some(folder) = &folder {
        let sources = prepared.places.all_files().map(PathBuf::from);
        let sources = sources.chain([a.model.model.clone()]).chain(a.reference.clone());
        let names = [COMPARE_CSV, COMPARE_JSON];
        folder_for(folder, &names, COMPARE_JSON, &real(sources), a.force)?;
    }
    let _held = folder.as_deref().map(Place::inside).transpose()?;
    if !a.quiet {
        report::warnings(&prepared.notes);
    }
    let result = measure(&prepared, &plan, reference, !a.quiet)?;
    let reached = compare::thresholds(
        &result.rows,
        result.reference.as_ref(),
        plan.measure,
        &asked.thresholds,
    );
    let warnings: Vec<Fault> =
        result.warnings.iter().map(|w| Fault::new("N_REFERENCE", "", w)).collect();
    if !a.quiet {
        report::warnings(&warnings);
    }
    let notes: Vec<Fault> = prepared.notes.iter().cloned().chain(warnings).collect();
    let exit = exit(&result);
    let mut files: Vec<Written> = Vec::new();
    let writer = match &folder {
        Some(folder) => {
            let mut texts = vec![(COMPARE_CSV, csv(&result.rows))];
            texts.extend(compare_plots::plots(&result, &plan, &reached));
            let writer = Writer::texts(folder, &texts)?;
            files = writer.written().to_vec();
            Some((writer, folder))
        }
        None => None,
    };
    let json = report::to_json(&CompareReport {
        status: match exit {
            Exit::Done => "done",
            Exit::Interrupted => "interrupted",
            _ => "failed",
        },
        code: exit.code(),
        model: &prepared.model.system.model().title,
        model_file: escape(&a.model.model.display().to_string()),
        model_sha256: &prepared.hash,
        version: env!("CARGO_PKG_VERSION"),
        t_start: prepared.model.state.t,
        t_end: plan.t_end,
        sample: plan.sample,
        jobs: plan.jobs,
        measure: plan.measure,
        reference: result.reference.as_ref(),
        rows: &result.rows,
        thresholds: reached.iter().map(|r| threshold(r, &result.rows)).collect(),
        files: &files,
        ignored_keys: prepared.ignored_keys,
        notes: &notes,
    });
    if let Some((writer, folder)) = writer {
        writer.text(&folder.join(COMPARE_JSON), &json)?;
    }
    if a.json {
        console::print(&json)?;
    } else if !a.quiet {
        let by_method = a.thresholds.is_some();
        console::print(&text(
            a,
            &prepared,
            &plan,
            &result,
            &reached,
            by_method,
            folder.as_deref(),
        ))?;
    }
    Ok(exit)
}

fn folder(a: &CompareArgs) -> Option<PathBuf> {
    let default = || {
        let stem = a.model.model.file_stem().unwrap_or("model".as_ref());
        Path::new("out").join(format!("{}-compare", stem.to_string_lossy()))
    };
    a.out.clone().or_else(|| (!a.json).then(default))
}

/// A reference from a file.
fn given(
    a: &CompareArgs,
    table: &delassus::io::results::CsvTable,
    prepared: &Prepared,
    plan: &Plan,
) -> Result<Reference, Failure> {
    let sensors = prepared.model.system.model().sensors.iter();
    let sensors: Vec<Channel> = sensors.map(Channel::from).collect();
    let columns: Vec<(String, Vec<f64>)> =
        table.names.iter().cloned().zip(table.columns.iter().cloned()).collect();
    let path = a.reference.as_deref().unwrap_or(Path::new(""));
    let name = escape(&path.display().to_string());
    let span = [prepared.model.state.t, plan.sample, plan.t_end];
    Reference::from_table(&name, &columns, &sensors, span).map_err(|e| {
        let fault = Fault::new("E_REFERENCE", "--reference", format!("{name}: {e}")).help(
            "a reference has a column `t` that rises and columns named like sensors; --sample \
             chooses the times of the run",
        );
        Failure::input(vec![fault])
    })
}

fn measure(
    prepared: &Prepared,
    plan: &Plan,
    reference: Option<Reference>,
    show: bool,
) -> Result<Comparison, Failure> {
    let bar = Bar::new(show);
    let result = compare::compare(&prepared.model, plan, reference, &bar);
    bar.0.finish_and_clear();
    result.map_err(|e| match e {
        PlanError::Setup(e) => {
            let mut failure = setup_failure(&e, &prepared.places);
            for fault in &mut failure.faults {
                for (path, option) in [("method.rtol", "--tolerances"), ("method.step", "--steps")]
                {
                    if fault.path == path {
                        *fault = Fault::new(&fault.code, option, &fault.message)
                            .help(fault.help.clone().unwrap_or_default());
                    }
                }
            }
            failure
        }
        PlanError::Empty(_) => {
            let fault = Fault::new("E_USAGE", "", e.to_string()).help("see `delassus compare -h`");
            Failure::input(vec![fault])
        }
    })
}

/// Shows how many runs are done, and forwards Ctrl-C.
struct Bar(ProgressBar);

impl Bar {
    fn new(show: bool) -> Bar {
        if !(show && std::io::stderr().is_terminal()) {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{spinner} {pos} of {len} runs  {msg}  {elapsed}");
        let bar = match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        bar.set_message("reference");
        Bar(bar)
    }
}

impl Watch for Bar {
    fn finished(&self, row: &Row, done: usize, total: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(row.method.clone());
    }

    fn stop(&self) -> bool {
        signal::stopped()
    }
}

/// Rows that fail are results; the comparison has failed only if no run succeeded.
fn exit(c: &Comparison) -> Exit {
    if c.interrupted {
        Exit::Interrupted
    } else if c.rows.iter().any(|r| r.status == RowStatus::Done) {
        Exit::Done
    } else {
        Exit::Numerical
    }
}

fn threshold<'a>(r: &'a Reached, rows: &'a [Row]) -> Threshold<'a> {
    let cheapest = |method: &'a str, k: Option<usize>| {
        let row = k.and_then(|k| rows.get(k));
        Cheapest {
            method: row.map_or(method, |r| r.method.as_str()),
            rtol: row.and_then(|r| r.rtol),
            step: row.and_then(|r| r.step),
            cpu_s: row.and_then(|r| r.cost.as_ref()).map(|c| c.cpu_s),
        }
    };
    Threshold {
        error: r.threshold,
        decidable: r.decidable,
        best: r.best.map(|k| cheapest("", Some(k))),
        methods: r.by_method.iter().map(|(m, k)| cheapest(m, *k)).collect(),
    }
}

fn text(
    a: &CompareArgs,
    prepared: &Prepared,
    plan: &Plan,
    result: &Comparison,
    reached: &[Reached],
    by_method: bool,
    folder: Option<&Path>,
) -> String {
    let title = &prepared.model.system.model().title;
    let file = a.model.model.display();
    let heading = if title.is_empty() { file.to_string() } else { format!("{file}: {title}") };
    let mut head = Table::new(&heading);
    if result.interrupted {
        head.row("status", "INTERRUPTED; runs that were finished are kept");
    }
    let span = format!("{} to {} s", brief(prepared.model.state.t), brief(plan.t_end));
    head.row("time", &format!("{span}, sampled every {} s", brief(plan.sample)));
    head.row("reference", &compare_text::reference(result.reference.as_ref(), plan.measure));
    head.row("error", compare_text::measure(plan.measure));
    ignored_keys(&mut head, prepared.ignored_keys);
    if let Some(folder) = folder {
        head.row("results", &folder.display().to_string());
    }
    let mut text = head.finish();
    text.push('\n');
    text.push_str(&compare_text::table(result, plan));
    text.push('\n');
    if by_method {
        text.push_str(&compare_text::thresholds(result, reached));
        text.push('\n');
    }
    text.push_str(&compare_text::conclusion(result, reached));
    text
}
