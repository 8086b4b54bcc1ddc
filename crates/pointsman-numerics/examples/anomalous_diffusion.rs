//! Anomalous diffusion: the same spot after the same time for several orders of the time derivative, and how far it has
//! spread. The smaller the order, the longer the memory: the peak stays sharp, and the mean square of the distance grows
//! as t^α instead of t.
//!
//! ```text
//! cargo run --release -p pointsman-numerics --example anomalous_diffusion [FILE.svg]
//! ```
//!
//! A second picture, whose name ends in `-spread.svg`, has the mean squares.
#![allow(clippy::print_stdout)]

mod chart;

use chart::Chart;
use pointsman_numerics::diffusion::{Boundary, FractionalDiffusion};
use pointsman_numerics::fractional::Grid;
use pointsman_numerics::special::gamma;
use pointsman_numerics::{Array, Result};
use std::error::Error;
use std::path::PathBuf;

const ORDERS: [f64; 5] = [0.2, 0.4, 0.6, 0.8, 1.0];
const DIFFUSIVITY: f64 = 0.05;
const LENGTH: f64 = 10.0;
const POINTS: usize = 1001;
const END: f64 = 5.0;
const STEPS: usize = 400;

/// What is drawn of an order.
struct Run {
    profile: Vec<[f64; 2]>,
    /// The logarithms of the time and of the mean square of the distance.
    spread: Vec<[f64; 2]>,
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let path =
        std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("anomalous_diffusion.svg"), PathBuf::from);
    let session = pointsman::Session::open()?;
    let mut profiles = Chart::new("A spot after diffusion of order α up to time 5", "x", "u");
    let mut spreads = Chart::new("How far a spot has spread: log10 of the mean square of x", "log10(t)", "");
    println!("order   mean square of x   2K t^α/Γ(1 + α)   total");
    for order in ORDERS {
        let run = run(&session, order)?;
        profiles = profiles.line(&format!("α = {order}"), run.profile);
        spreads = spreads.line(&format!("α = {order}"), run.spread);
    }
    let beside = path.with_file_name(format!("{}-spread.svg", path.file_stem().unwrap_or_default().to_string_lossy()));
    profiles.save(&path)?;
    spreads.save(&beside)?;
    println!("The pictures are in {} and {}.", path.display(), beside.display());
    Ok(())
}

/// The diffusion of a spot in the middle of the line.
fn run(session: &pointsman::Session, order: f64) -> Result<Run> {
    let equation = FractionalDiffusion::<f64>::new(order, DIFFUSIVITY).axis(LENGTH, Boundary::Neumann);
    let places = equation.points(0, POINTS)?;
    let x = Array::from_vec(session, places, &[POINTS])?.map(|x| x - 0.5 * LENGTH)?;
    let step = LENGTH / POINTS as f64;
    let spot = x.map(|x| pointsman::select(x.abs().lt(0.5 * step), 1.0 / step, 0.0))?;
    let grid = Grid::Graded { end: END, exponent: ((2.0 - order) / order).min(4.0) };
    let mut run = equation.start(&spot, grid, STEPS)?;
    let mut spread = Vec::new();
    let mut square = 0.0;
    while run.advance()? {
        square = x.zip(run.values(), |x, u| x * x * u)?.sum()? * step;
        if run.time() > 1e-3 * END {
            spread.push([run.time().log10(), square.log10()]);
        }
    }
    let expected = 2.0 * DIFFUSIVITY * END.powf(order) / gamma(1.0 + order);
    let total = run.values().sum()? * step;
    println!("{order:<7} {square:<18.5} {expected:<17.5} {total:.12}");
    let profile = x.to_vec()?.into_iter().zip(run.values().to_vec()?).map(|(x, u)| [x, u]);
    Ok(Run { profile: profile.filter(|[x, _]| x.abs() < 2.0).collect(), spread })
}
