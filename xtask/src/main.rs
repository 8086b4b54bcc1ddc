//! Chores of the repository: `cargo xtask tidy` checks what no compiler checks, `cargo xtask docs` writes the parts of
//! documents that come from code, `cargo xtask kernels` shows how rendered kernels differ from the stored ones.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command-line tool prints")]

mod kernels;
mod layering;
mod modules;
mod operations;
mod repository;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  tidy              check the rules that no compiler checks (file headers, layering, goldens, documents)
  docs              write the parts of the documents that come from code
  kernels           show how the kernels that the code renders now differ from the stored goldens
  kernels --write   store them: the rendered kernels become the goldens
  help              show this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, options) = arguments.split_first().map_or(("help", &[][..]), |(first, rest)| (first.as_str(), rest));
    match command {
        "tidy" => report(tidy::check(&repository::root())),
        "docs" => report(operations::write(&repository::root())),
        "kernels" => report(kernels::run(&repository::root(), options)),
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
