//! Singles against doubles of the standard library (`erf`: of the interpreter, which has its own test).

use super::samples::{Numbers, critical, single_ulps, usual, worst};
use super::{doubles, singles};
use pointsman_ir::op::Op;

/// The true value, far more exact than a single.
fn truth(op: Op, args: &[Vec<f64>]) -> Vec<f64> {
    if op == Op::Erf {
        return doubles(op, args);
    }
    let unary = |f: fn(f64) -> f64| args[0].iter().map(|&x| f(x)).collect();
    let binary = |f: fn(f64, f64) -> f64| args[0].iter().zip(&args[1]).map(|(&x, &y)| f(x, y)).collect();
    match op {
        Op::Exp => unary(f64::exp),
        Op::Exp2 => unary(f64::exp2),
        Op::Expm1 => unary(f64::exp_m1),
        Op::Ln => unary(f64::ln),
        Op::Log2 => unary(f64::log2),
        Op::Log10 => unary(f64::log10),
        Op::Log1p => unary(f64::ln_1p),
        Op::Pow => binary(f64::powf),
        Op::Sin => unary(f64::sin),
        Op::Cos => unary(f64::cos),
        Op::Tan => unary(f64::tan),
        Op::Asin => unary(f64::asin),
        Op::Acos => unary(f64::acos),
        Op::Atan => unary(f64::atan),
        Op::Atan2 => binary(f64::atan2),
        Op::Sinh => unary(f64::sinh),
        Op::Cosh => unary(f64::cosh),
        Op::Tanh => unary(f64::tanh),
        Op::Cbrt => unary(f64::cbrt),
        Op::Hypot => binary(f64::hypot),
        _ => panic!("{op:?} is no elementary function"),
    }
}

/// Singles of every exponent and sign, the usual range, the neighbours of critical numbers, multiples of π/2.
fn arguments(op: Op) -> Vec<f32> {
    let mut random = Numbers(op as u64);
    let mut xs = vec![0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
    for exponent in 0..255u32 {
        for _ in 0..320 {
            let bits = random.bits();
            xs.push(f32::from_bits((bits as u32 & 0x807f_ffff) | exponent << 23));
        }
    }
    let (low, high) = usual(op);
    xs.extend((0..20_000).map(|_| random.between(low, high) as f32));
    for &at in critical(op) {
        let bits = (at as f32).to_bits();
        xs.extend((0..800).map(|k| f32::from_bits((bits + k).wrapping_sub(400))));
    }
    if matches!(op, Op::Sin | Op::Cos | Op::Tan) {
        for power in 0..120 {
            let near = |k: u64| (k as f64 * std::f64::consts::FRAC_PI_2) * 2f64.powi(power);
            xs.extend((1..100).map(|k| near(k) as f32));
        }
        // A fraction whose multiples come close to whole turns: convergents of 2/π.
        xs.extend([16_367_173e72_f64 as f32, 1.630_729_7e7, 1.028_337_6e8, 7.071_06e5, 5_419_351.0]);
    }
    xs
}

/// The largest error of a function over its arguments, and where.
pub(crate) fn measure(op: Op) -> (f64, String) {
    let xs = arguments(op);
    let mut columns = vec![xs.clone()];
    if op.arity() == 2 {
        let mut random = Numbers(77);
        let (low, high) = (-30.0, 30.0);
        let second = |(i, x): (usize, &f32)| match i % 4 {
            0 => xs[(random.bits() % xs.len() as u64) as usize],
            1 => x * random.between(0.3, 3.0) as f32,
            2 if op == Op::Pow => (random.between(-152.0, 130.0) / f64::from(x.abs()).log2()) as f32,
            3 => random.between(low, high).round() as f32,
            _ => random.between(low, high) as f32,
        };
        columns.push(xs.iter().enumerate().map(second).collect());
    }
    for (k, column) in columns.iter_mut().enumerate() {
        column.extend(worst(op, "f32").map(|args| f32::from_bits(args[k] as u32)));
    }
    assert!(xs.len() >= 100_000, "{}: {} arguments", op.name(), xs.len());
    let got = singles(op, &columns);
    let wide: Vec<Vec<f64>> = columns.iter().map(|xs| xs.iter().map(|&x| x.into()).collect()).collect();
    let want = truth(op, &wide);
    let mut worst = (0.0, String::new());
    for (i, (&got, &want)) in got.iter().zip(&want).enumerate() {
        let off = single_ulps(got, want);
        if off > worst.0 {
            let at: Vec<f32> = columns.iter().map(|xs| xs[i]).collect();
            worst = (off, format!("{}{at:?} = {got:e}, not {want:e}", op.name()));
        }
    }
    worst
}
