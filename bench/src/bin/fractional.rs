//! Milliseconds of fractional operators and equations, and of the transforms that they are compared
//! with, one line each: `NAME SIZE BEST MEDIAN`. `bench/fractional` runs it beside its peers.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the figures go to standard output")]

use pointsman::Session;
use pointsman_numerics::Array;
use pointsman_numerics::fractional::{Definition, Derivative, Integral, Scheme};
use pointsman_numerics::ode::{Problem, Solver};
use std::error::Error;
use std::time::Instant;

/// How often each work is measured, after a run that is not.
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::open()?;
    let sine = |n: usize| Array::<f64>::range(&session, 0.0, n as f64, 1.0)?.map(|i| (i * (1.0 / n as f64)).sin());
    let step = |n: usize| 1.0 / (n - 1) as f64;
    for n in [1000, 10_000, 16_000, 1_000_000] {
        let x = sine(n)?;
        for (name, definition) in [("gl", Definition::GrunwaldLetnikov), ("l1", Definition::Caputo(Scheme::L1))] {
            let kept = Derivative::new(definition, 0.5);
            report(&format!("{name}-reused"), n, || kept.of(&x, 0, step(n)))?;
            report(&format!("{name}-fresh"), n, || Derivative::new(definition, 0.5).of(&x, 0, step(n)))?;
        }
        report("rl-integral-fresh", n, || Integral::riemann_liouville(0.5).of(&x, 0, step(n)))?;
    }
    let line = sine(1 << 21)?;
    report("rfft", 1 << 21, || line.rfft(0, None))?;
    for steps in [500, 2000, 100_000, 1_000_000] {
        let problem = Problem::new(&[0.8], &[1.0], |_, y, rate| rate[0] = -y[0]);
        report("pece", steps, || Solver::pece(1).uniform(&session, &problem, 0.0..1.0, steps))?;
    }
    Ok(())
}

/// Prints the times of a work.
fn report<T, E: Error + 'static>(
    name: &str,
    size: usize,
    mut run: impl FnMut() -> Result<T, E>,
) -> Result<(), Box<dyn Error>> {
    run()?;
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("{name} {size} {:.4} {:.4}", times[0], times[ROUNDS / 2]);
    Ok(())
}
