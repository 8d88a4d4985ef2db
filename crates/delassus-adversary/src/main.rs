//! `delassus-adversary`: runs random models and reports which relations do not hold.

// a command prints
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod master;
mod report;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    if arguments.help {
        println!("{}", arguments::USAGE);
        return ExitCode::SUCCESS;
    }
    let done = if arguments.worker { worker::work(&arguments) } else { master::run(&arguments) };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("adversary: {message}");
            ExitCode::from(2)
        }
    }
}
