//! Chores of the repository: `cargo xtask tidy` checks what no compiler checks, `cargo xtask docs` writes the parts of
//! documents that come from code. Both leave everything else alone.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command-line tool prints")]

mod layering;
mod modules;
mod operations;
mod repository;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  tidy   check the rules that no compiler checks (file headers, layering, goldens, documents)
  docs   write the parts of the documents that come from code
  help   show this text
";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_else(|| "help".to_string());
    match command.as_str() {
        "tidy" => report(tidy::check(&repository::root())),
        "docs" => report(operations::write(&repository::root())),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        other => {
            eprintln!("xtask: there is no command `{other}`\n\n{HELP}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what is wrong, if anything.
fn report(problems: Vec<String>) -> ExitCode {
    for problem in &problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
