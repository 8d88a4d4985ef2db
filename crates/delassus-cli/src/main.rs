//! The `delassus` command.
//!
//! Reads a model, runs it, writes results. All mechanics are in the libraries; this crate owns arguments, files,
//! signals, exit codes and the text on the terminal. Start reading at [`args`], then [`run_cmd`].

mod analysis_out;
mod analysis_page;
mod args;
mod bench;
mod certify_cmd;
mod certify_text;
mod check_cmd;
mod check_rt;
mod checkpoint;
mod compare_cmd;
mod compare_files;
mod compare_plan;
mod compare_plots;
mod compare_text;
mod console;
mod dump;
mod exit;
mod export_cmd;
mod fault;
mod fields_cmd;
mod files;
mod fmu_cmd;
mod grid;
mod input_files;
mod limits;
mod live;
mod methods_cmd;
mod modes_cmd;
mod new_cmd;
mod number;
mod open;
mod output;
mod page;
mod place;
mod plot_cmd;
mod prepare;
mod progress;
mod reading;
mod report;
mod report_cmd;
mod resume_cmd;
mod rotor_cmd;
mod rotor_page;
mod rotor_plot;
mod rt;
mod run_cmd;
mod settings;
mod signal;
mod stage;
mod statics_cmd;
mod summary_text;
mod trail;
mod view_cmd;
mod window;

use args::{Cli, Command};
use exit::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    let line: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let json = line.iter().skip(1).any(|a| a == "--json");
    let exit = exit::guarded(&line, json, || match args::parse(&line) {
        Ok(cli) => dispatch(&cli),
        Err(e) => args::explain(&e, json),
    });
    ExitCode::from(exit.code())
}

fn dispatch(cli: &Cli) -> Exit {
    signal::listen();
    let (result, json) = match &cli.command {
        Command::Run(a) => (run_cmd::run(a), a.json),
        Command::Resume(a) => (resume_cmd::resume(a), a.json),
        Command::Certify(a) => (certify_cmd::certify(a), a.run.json),
        Command::Compare(a) => (compare_cmd::compare(a), a.json),
        Command::Rt(a) => (rt::rt(a), a.json),
        Command::Bench(a) => (bench::bench(a), a.json),
        Command::Check(a) => (check_cmd::check(a), a.json),
        Command::Statics(a) => (statics_cmd::statics(a), a.json),
        Command::Modes(a) => (modes_cmd::modes(a), a.json),
        Command::Rotor(a) => (rotor_cmd::rotor(a), a.json),
        Command::New(a) => (new_cmd::new(a), false),
        Command::Schema => (console::print(&delassus::io::model_file::schema_json()), false),
        Command::Fields(a) => (fields_cmd::fields(a), a.json),
        Command::Methods(a) => (methods_cmd::methods(a), a.json),
        Command::View(a) => (view_cmd::view(a), false),
        Command::Report(a) => (report_cmd::report(a), false),
        Command::Plot(a) => (plot_cmd::plot(a), false),
        Command::Export(a) => (export_cmd::export(a), false),
    };
    match result {
        Ok(exit) => exit,
        Err(Failure { exit, faults }) => {
            report::failure(exit, &faults, json);
            exit
        }
    }
}
