//! Our side of `bench/gpu`: `gpu DEVICE` reads lines from standard input and answers each with one line.
//!
//! * `events WORK TIMES FILE:TYPE…` and `wall WORK TIMES FILE:TYPE…`: milliseconds of each run, columns resident.
//! * `check WORK FILE:TYPE…`: rows, sum and some values of the last run's result.
//! * `host TIMES FILE`: milliseconds from a slice of singles through the polynomial to a slice, then sum and some values.
//! * `about`: the device. `clear`: frees everything.
//!
//! What cannot be answered is `unsupported REASON`. Ends with the input.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the answers go to standard output")]

use pointsman::{Exactness, F32, Session};
use pointsman_bench::resident::{Answered, Bench, SAMPLES};
use std::io::{BufRead, Write};
use std::time::Instant;

fn main() -> std::process::ExitCode {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cpu".to_string());
    let opened = Session::open().and_then(|session| Ok((session.device(&name)?, session)));
    let opened = opened.map_err(|error| error.to_string()).and_then(|(device, s)| Ok((Bench::open(device)?, s)));
    let (mut bench, session) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            eprintln!("{error}");
            return std::process::ExitCode::FAILURE;
        }
    };
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = answer(&mut bench, &session, &name, &words);
        println!("{}", answer.unwrap_or_else(|reason| format!("unsupported {}", reason.replace('\n', " "))));
        if std::io::stdout().flush().is_err() {
            break;
        }
    }
    bench.clear();
    std::process::ExitCode::SUCCESS
}

fn answer(bench: &mut Bench, session: &Session, name: &str, words: &[&str]) -> Answered<String> {
    match words {
        ["about"] => {
            let info = bench.device().info();
            Ok(format!("{}: {}", info.name, info.model))
        }
        ["clear"] => {
            bench.clear();
            Ok("cleared".to_string())
        }
        ["events", work, times, columns @ ..] => Ok(numbers(&bench.events(work, columns, count(times)?)?)),
        ["wall", work, times, columns @ ..] => Ok(numbers(&bench.wall(work, columns, count(times)?)?)),
        ["check", work, columns @ ..] => {
            let (rows, sum, samples) = bench.check(work, columns)?;
            Ok(format!("{rows} {sum:e} {}", numbers(&samples)))
        }
        ["host", times, file] => host(session, name, count(times)?, file),
        other => Err(format!("this is no line of `bench/gpu`: {}", other.join(" "))),
    }
}

fn count(word: &str) -> Answered<usize> {
    word.parse().map_err(|_| format!("`{word}` is no number of times"))
}

fn numbers(numbers: &[f64]) -> String {
    numbers.iter().map(|number| format!("{number:e}")).collect::<Vec<_>>().join(" ")
}

/// From a slice through the polynomial to a slice, by the public query: the whole way a user sees.
fn host(session: &Session, name: &str, times: usize, file: &str) -> Answered<String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let single = |word: &[u8]| f32::from_le_bytes(word.try_into().expect("chunks have this size"));
    let x: Vec<f32> = bytes.chunks_exact(4).map(single).collect();
    let mut out = vec![0.0f32; x.len()];
    let query = session.prepare(|x: F32| x * x * 0.5 + x * 3.0 - 1.0).map_err(|error| error.to_string())?;
    let query = query.require(name).exactness(Exactness::Bounded);
    let mut milliseconds = Vec::with_capacity(times);
    // The first two runs compile, and touch memory for the first time.
    for run in 0..times + 2 {
        let start = Instant::now();
        query.run_into(&x, &mut out).map_err(|error| error.to_string())?;
        if run >= 2 {
            milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let at = |sample: usize| sample * (out.len() - 1) / (SAMPLES - 1);
    let samples: Vec<f64> = (0..SAMPLES.min(out.len())).map(|sample| out[at(sample)].into()).collect();
    let sum: f64 = out.iter().map(|&x| f64::from(x)).sum();
    Ok(format!("{} ; {} {sum:e} {}", numbers(&milliseconds), out.len(), numbers(&samples)))
}
