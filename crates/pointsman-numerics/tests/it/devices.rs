//! Random numbers, noise, layers and equations on a simulated device, which runs every query by the interpreter: numbers
//! that are made of elementary operations have the bits of the CPU, library calls stay within their bounds.

use super::random::Random;
use super::session;
use pointsman::{Expr, Session, SessionOptions, select};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use pointsman_numerics::diffusion::{Boundary, FractionalDiffusion};
use pointsman_numerics::fractional::Grid;
use pointsman_numerics::layers::{Backward, Conv1d, FractionalDerivative, Layer};
use pointsman_numerics::noise::fractional_brownian_motion;
use pointsman_numerics::sde::{CaputoEquation, FbmEquation};
use pointsman_numerics::{Array, ConvolveMode, Real};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A session that prefers a simulated device with these failures to come.
fn simulated(faults: Vec<SimFault>) -> Session {
    let device = Arc::new(SimDevice::new(SimOptions { faults, ..SimOptions::default() }));
    let options = SessionOptions::new().threads(2).retry_backoff(Duration::ZERO).add_device(device.clone());
    options.clock(Arc::new(device.clock().clone())).prefer("sim").open().unwrap()
}

#[test]
fn random_numbers_have_the_same_bits_on_every_device() {
    fn check<R: Real>(cpu: &Session, sim: &Session, seed: u64) {
        for size in [1, 7, 1000] {
            let made = [Array::<R>::random_normal(sim, &[size], seed), Array::random_uniform(sim, &[size], seed)];
            let expected = [Array::<R>::random_normal(cpu, &[size], seed), Array::random_uniform(cpu, &[size], seed)];
            for (made, expected) in made.into_iter().zip(expected) {
                let made = made.unwrap();
                assert_eq!(made.receipt().unwrap().device(), "sim");
                let (made, expected) = (made.to_vec().unwrap(), expected.unwrap().to_vec().unwrap());
                assert_eq!(bits(&made), bits(&expected));
            }
        }
    }
    fn bits<R: Real>(values: &[R]) -> Vec<u64> {
        values.iter().map(|&x| Into::<f64>::into(x).to_bits()).collect()
    }
    let (cpu, sim, seed) = (session(), simulated(Vec::new()), Random::new().next());
    check::<f64>(&cpu, &sim, seed);
    check::<f32>(&cpu, &sim, seed);
}

#[test]
fn operations_read_arrays_where_they_were_made() {
    let sim = simulated(Vec::new());
    let x = Array::<f64>::random_normal(&sim, &[64, 64], Random::new().next()).unwrap();
    let spectrum = x.fft(1, None).unwrap();
    let power = spectrum.map(|z| z.norm_sqr()).unwrap();
    let product = power.matmul(&x).unwrap();
    let all = [spectrum.receipt(), power.receipt(), product.receipt()];
    let moved = all.map(|receipt| receipt.map(|receipt| (receipt.device(), receipt.bytes_moved_in())));
    assert_eq!(moved, [Some(("sim", 0)); 3]);
    let sums = product.transpose().map(|x| x * 2.0).unwrap().sum_axis(0).unwrap();
    assert_eq!(sums.receipt().unwrap().bytes_moved_in(), 0);
}

/// The results of each family, in this session.
fn results(s: &Session, seed: u64) -> Vec<(&'static str, Array<f64>)> {
    let motion = fractional_brownian_motion::<f64>(s, 0.7, [3, 65], 1.0, seed).unwrap();
    let initial = Array::<f64>::random_uniform(s, &[4, 5], seed).unwrap();
    let equation = FractionalDiffusion::new(0.6, 0.1).axis(1.0, Boundary::Dirichlet([0.0, 1.0]));
    let equation = equation.axis(2.0, Boundary::Neumann).source(|at, t| at[0] * at[1] + t);
    let diffused = equation.solve(&initial, Grid::Graded { end: 1.0, exponent: 2.0 }, 5).unwrap();
    let ones = Array::<f64>::ones(s, &[6]).unwrap();
    let mut fbm = FbmEquation::new(0.7, |x, _| -x).multiplicative(|x, t| x * t).start(&ones, 1.0, 20, seed).unwrap();
    fbm.advance(20).unwrap();
    let mut caputo = CaputoEquation::new(0.8, |x, _| -x, |x, _| x * 0.5).start(&ones, 1.0, 6, seed).unwrap();
    while caputo.advance().unwrap() {}
    let (derivative, saved) = FractionalDerivative::new(s, 0.4, 0.1).unwrap().forward(&motion).unwrap();
    let order = saved.backward(&derivative).unwrap().parameters.remove(0);
    let weights = Array::<f64>::random_normal(s, &[2, 3, 4], seed).unwrap();
    let conv = Conv1d::new(weights, Array::zeros(s, &[2]).unwrap(), ConvolveMode::Same).unwrap();
    let (output, saved) = conv.forward(&motion).unwrap();
    let gradients = saved.backward(&output).unwrap();
    vec![
        ("motion", motion),
        ("diffusion", diffused),
        ("fbm equation", fbm.values().clone()),
        ("caputo equation", caputo.values().clone()),
        ("derivative", derivative),
        ("gradient of the order", order),
        ("gradient of the input", gradients.input),
        ("gradient of the weights", gradients.parameters[0].clone()),
    ]
}

fn check(found: Vec<(&'static str, Array<f64>)>, expected: &[(&'static str, Array<f64>)], what: &str) {
    for ((name, found), (_, expected)) in found.into_iter().zip(expected) {
        let pairs = found.to_vec().unwrap().into_iter().zip(expected.to_vec().unwrap());
        for (found, expected) in pairs {
            assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{what}, {name}: {found}, {expected}");
        }
    }
}

#[test]
fn every_family_has_the_same_results_on_another_device() {
    let seed = Random::new().next();
    let expected = results(&session(), seed);
    check(results(&simulated(Vec::new()), seed), &expected, "sim");
}

#[test]
fn a_device_that_fails_in_the_middle_changes_no_result() {
    let seed = Random::new().next();
    let expected = results(&session(), seed);
    for number in [0, 3, 11, 40, 77, 130] {
        for fault in [
            SimFault::Lost { launch: number },
            SimFault::Transient { launch: number },
            SimFault::OutOfMemory { allocation: number },
        ] {
            let what = format!("{fault:?}");
            check(results(&simulated(vec![fault]), seed), &expected, &what);
        }
    }
}

/// Zero, or an error of every row while the flag is set.
fn failing(flag: &AtomicBool, x: Expr<f64>) -> Expr<f64> {
    let nothing = x * 0.0;
    if flag.load(Ordering::Relaxed) {
        select(nothing.lt(1.0), nothing + f64::NAN, nothing).cast::<i32>().cast()
    } else {
        nothing
    }
}

#[test]
fn a_step_that_fails_can_be_repeated() {
    let (s, seed) = (session(), Random::new().next());
    let ones = Array::<f64>::ones(&s, &[5]).unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    let (of_source, of_fbm, of_caputo) = (flag.clone(), flag.clone(), flag.clone());
    let equation = FractionalDiffusion::new(0.5, 1.0).axis(1.0, Boundary::Neumann).axis(2.0, Boundary::Periodic);
    let equation = equation.source(move |at, t| failing(&of_source, t) + at[0] * at[1]);
    let initial = Array::<f64>::random_uniform(&s, &[3, 4], seed).unwrap();
    let fbm = FbmEquation::new(0.3, move |x, _| failing(&of_fbm, x) - x);
    let caputo = CaputoEquation::new(0.8, move |x, _| failing(&of_caputo, x) - x, |x, _| x * 0.1);
    let run = |disturbed: bool| {
        let mut diffusion = equation.start(&initial, Grid::from(0.001), 150).unwrap();
        let mut fbm = fbm.start(&ones, 1.0, 150, seed).unwrap();
        let mut caputo = caputo.start(&ones, 1.0, 150, seed).unwrap();
        for step in 0..150 {
            if disturbed && [0, 1, 2, 63, 64, 65, 128].contains(&step) {
                flag.store(true, Ordering::Relaxed);
                let before = [diffusion.time(), fbm.time(), caputo.time()];
                assert!(diffusion.advance().is_err() && fbm.advance(1).is_err() && caputo.advance().is_err());
                assert_eq!([diffusion.time(), fbm.time(), caputo.time()], before);
                flag.store(false, Ordering::Relaxed);
            }
            assert!(diffusion.advance().unwrap() && fbm.advance(1).unwrap() == 1 && caputo.advance().unwrap());
        }
        [diffusion.values(), fbm.values(), caputo.values()].map(|values| values.to_vec().unwrap())
    };
    assert_eq!(run(true), run(false));
}
