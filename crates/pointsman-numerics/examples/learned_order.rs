//! Learns the hidden order of a fractional derivative from pairs of signals: noisy measurements of order 0.37, a layer that
//! starts at order 1, and the method of Adam. Draws the order and the loss of each step.
//!
//! ```text
//! cargo run --release -p pointsman-numerics --example learned_order [FILE.svg]
//! ```
#![allow(clippy::print_stdout)]

mod chart;

use chart::Chart;
use pointsman_numerics::layers::{Adam, Backward, FractionalDerivative, Layer, mean_squared_error};
use pointsman_numerics::{Array, Result};
use std::error::Error;
use std::path::PathBuf;

const HIDDEN_ORDER: f64 = 0.37;
const FIRST_ORDER: f64 = 1.0;
/// The distance of the points of a signal.
const STEP: f64 = 0.01;
/// Signals, and the points of each.
const SHAPE: [usize; 2] = [16, 1024];
/// The standard deviation of the measurement's error.
const ERROR: f64 = 0.05;
const TRAINING_STEPS: usize = 300;
const SEED: u64 = 37;

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("learned_order.svg"), PathBuf::from);
    let session = pointsman::Session::open()?;
    let signals = signals(&session)?;
    let (derivatives, _) = FractionalDerivative::new(&session, HIDDEN_ORDER, STEP)?.forward(&signals)?;
    let errors = Array::<f64>::random_normal(&session, &SHAPE, SEED)?;
    let measured = derivatives.zip(&errors, |x, error| x + error * ERROR)?;

    let mut layer = FractionalDerivative::new(&session, FIRST_ORDER, STEP)?;
    let mut adam = Adam::new(0.02);
    let (mut orders, mut losses) = (Vec::new(), Vec::new());
    for step in 0..=TRAINING_STEPS {
        let (output, saved) = layer.forward(&signals)?;
        let (loss, gradient) = mean_squared_error(&output, &measured)?;
        orders.push([step as f64, layer.order()]);
        losses.push([step as f64, loss.log10()]);
        if step % 50 == 0 {
            println!("step {step:>3}: order {:.5}, loss {loss:.3e}", layer.order());
        }
        adam.step(&mut layer, &saved.backward(&gradient)?.parameters)?;
    }
    println!("The hidden order is {HIDDEN_ORDER}, the learned one {:.5}.", layer.order());
    let hidden = [[0.0, HIDDEN_ORDER], [TRAINING_STEPS as f64, HIDDEN_ORDER]];
    Chart::new("Learning the order of a fractional derivative", "training step", "")
        .line("order", orders)
        .line("hidden order", hidden)
        .line("log10(loss)", losses)
        .save(&path)?;
    println!("The picture is in {}.", path.display());
    Ok(())
}

/// Sums of three waves with random frequencies and amplitudes, which start with zero.
fn signals(session: &pointsman::Session) -> Result<Array<f64>> {
    let times = Array::range(session, 0.0, SHAPE[1] as f64, 1.0)?;
    let random = |seed| Array::<f64>::random_uniform(session, &[SHAPE[0], 1], seed);
    let wave = |seed| {
        let frequencies = random(seed)?.map(|u| u * 4.0 + 0.5)?;
        let waves = frequencies.zip(&times, |frequency, t| (frequency * t * STEP).sin())?;
        waves * random(seed + 1)?
    };
    (wave(SEED + 1)? + wave(SEED + 3)?)? + wave(SEED + 5)?
}
