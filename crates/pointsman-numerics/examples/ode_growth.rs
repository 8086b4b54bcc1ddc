//! How the time of fractional differential equations grows with the number of steps: solvers with a full and with a
//! compressed history, and ensembles. Prints tables; nothing else is written.
//!
//! ```text
//! cargo run --release -p pointsman-numerics --example ode_growth
//! ```
#![allow(clippy::print_stdout)]

use pointsman_numerics::Array;
use pointsman_numerics::ode::{Ensemble, OdeError, Problem, Solver};
use std::time::Instant;

const ORDER: f64 = 0.8;
const END: f64 = 5.0;
/// Solutions of which the fastest counts.
const REPEATS: usize = 5;

fn main() -> Result<(), OdeError> {
    let session = pointsman::Session::open()?;
    let problem = Problem::new(&[ORDER], &[1.0], |_, y, rate| rate[0] = -y[0]);
    println!("D^{ORDER} y = −y: milliseconds, the fastest of {REPEATS}; the first one also compiles its queries");
    println!(
        "{:>10} {:>11} {:>11} {:>15} {:>13} {:>17}",
        "steps", "PECE", "first", "ns/(N·log₂²N)", "trapezoidal", "compressed 1e-8"
    );
    for steps in [500, 1000, 2000, 10_000, 100_000, 200_000, 400_000, 1_000_000] {
        let [pece, first] = fastest(|| Solver::pece(1).uniform(&session, &problem, 0.0..END, steps).map(|_| ()))?;
        let [implicit, _] = fastest(|| Solver::trapezoidal().uniform(&session, &problem, 0.0..END, steps).map(|_| ()))?;
        let [compressed, _] = fastest(|| Solver::pece(1).compressed(&problem, 0.0..END, steps, 1e-8).map(|_| ()))?;
        let work = steps as f64 * (steps as f64).log2().powi(2);
        let unit = pece * 1e6 / work;
        println!("{steps:>10} {pece:>11.3} {first:>11.3} {unit:>15.3} {implicit:>13.3} {compressed:>17.3}");
    }
    println!("\nEnsembles of 1000 steps, each with its own rate: milliseconds, the fastest of {REPEATS}");
    println!("{:>13} {:>11} {:>11} {:>22}", "trajectories", "ensemble", "first", "one after the other");
    for trajectories in [10, 100, 1000, 4000] {
        let rates: Vec<f64> = (0..trajectories).map(|i| f64::from(i) / f64::from(trajectories)).collect();
        let rows = [rates.len(), 1];
        let (initial, parameters) = (Array::ones(&session, &rows)?, Array::from_slice(&session, &rates, &rows)?);
        let [together, first] = fastest(|| {
            let ensemble = Ensemble::new([ORDER]);
            ensemble.solve_last(&initial, &parameters, 0.0..END, 1000, |_, [y], [k]| [-k * y]).map(|_| ())
        })?;
        let [single, _] = fastest(|| {
            rates.iter().try_for_each(|k| {
                let problem = Problem::new(&[ORDER], &[1.0], |_, y, rate| rate[0] = -k * y[0]);
                Solver::pece(1).uniform(&session, &problem, 0.0..END, 1000).map(|_| ())
            })
        })?;
        println!("{trajectories:>13} {together:>11.3} {first:>11.3} {single:>22.3}");
    }
    Ok(())
}

/// The milliseconds of the fastest and of the first run.
fn fastest(run: impl Fn() -> Result<(), OdeError>) -> Result<[f64; 2], OdeError> {
    let mut times = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok([times.iter().copied().fold(f64::INFINITY, f64::min), times[0]])
}
