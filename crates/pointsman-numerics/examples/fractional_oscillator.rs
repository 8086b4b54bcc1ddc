//! An oscillator whose inertia is of fractional order: D^α y = −y with y(0) = 1 and y′(0) = 0, from the relaxation of
//! order 1 to the undamped oscillation of order 2. Draws the solutions and compares them with the Mittag-Leffler
//! function.
//!
//! ```text
//! cargo run --release -p pointsman-numerics --example fractional_oscillator [FILE.svg]
//! ```
#![allow(clippy::print_stdout)]

mod chart;

use chart::Chart;
use pointsman_numerics::ode::{Problem, Solution, Solver, Tolerance};
use pointsman_numerics::special::mittag_leffler;
use std::error::Error;
use std::path::PathBuf;

const ORDERS: [f64; 5] = [1.1, 1.3, 1.5, 1.7, 1.9];
const END: f64 = 25.0;
const STEPS: usize = 20_000;
const TOLERANCE: f64 = 1e-6;
/// Places of a drawn line.
const PLACES: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("fractional_oscillator.svg"), PathBuf::from);
    let session = pointsman::Session::open()?;
    let mut chart = Chart::new("Fractional oscillators: D^α y = −y, y(0) = 1, y′(0) = 0", "t", "y");
    println!("order   y({END})       error of {STEPS} steps   adaptive: steps   error");
    for order in ORDERS {
        let problem = Problem::new(&[order], &[1.0], |_, y, rate| rate[0] = -y[0]);
        let uniform = Solver::pece(1).uniform(&session, &problem, 0.0..END, STEPS)?;
        let adaptive = Solver::pece(2).adaptive(&problem, 0.0..END, Tolerance::new(TOLERANCE))?;
        let errors = [largest_error(&uniform, order)?, largest_error(&adaptive, order)?];
        let [last, steps] = [uniform.last()[0], adaptive.len() as f64 - 1.0];
        println!("{order:<7} {last:<12.8} {:<23.1e} {steps:<17} {:.1e}", errors[0], errors[1]);
        let points = places().map(|t| Ok([t, adaptive.at(t)?[0]])).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        chart = chart.line(&format!("α = {order}"), points);
    }
    chart.save(&path)?;
    println!("The picture is in {}.", path.display());
    Ok(())
}

fn places() -> impl Iterator<Item = f64> {
    (0..=PLACES).map(|k| END * k as f64 / PLACES as f64)
}

/// The largest error at the drawn places: the solution is E_α(−t^α).
fn largest_error(solution: &Solution, order: f64) -> Result<f64, Box<dyn Error>> {
    places().try_fold(0.0, |largest, t| {
        let exact = mittag_leffler(order, 1.0, -t.powf(order))?;
        Ok(f64::max(largest, (solution.at(t)?[0] - exact).abs()))
    })
}
