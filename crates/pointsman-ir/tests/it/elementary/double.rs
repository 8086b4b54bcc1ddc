//! Doubles against numbers of two doubles, and those against golden values of 40 digits (`golden.py` made them).

use super::reference::reference;
use super::samples::{Numbers, critical, usual, worst};
use super::wide::{Scaled, Wide};
use super::{contract, doubles};
use pointsman_ir::op::Op;

/// Doubles of every exponent and sign, the usual range, the neighbours of critical numbers, multiples of π/2.
fn arguments(op: Op) -> Vec<f64> {
    let mut random = Numbers(op as u64 + 1000);
    let mut xs = Vec::new();
    for exponent in 0..2047u64 {
        for _ in 0..10 {
            xs.push(f64::from_bits((random.bits() & 0x800f_ffff_ffff_ffff) | exponent << 52));
        }
    }
    let (low, high) = usual(op);
    let wide = if matches!(op, Op::Exp | Op::Exp2 | Op::Sinh | Op::Cosh) { 8.0 } else { 1.0 };
    xs.extend((0..9_000).map(|k| random.between(low, high) * if k % 3 == 0 { wide } else { 1.0 }));
    for &at in critical(op) {
        xs.extend((0..100).map(|k| f64::from_bits((at.to_bits() + k).wrapping_sub(50))));
        xs.extend((0..100).map(|_| at * (1.0 + random.between(-1e-6, 1e-6))));
    }
    if matches!(op, Op::Sin | Op::Cos | Op::Tan) {
        let near = |k: u64, power: i32| (k as f64 * std::f64::consts::FRAC_PI_2) * 2f64.powi(power);
        xs.extend((0..1000).flat_map(|power| [near(1, power), near(3, power), near(377, power)]));
    }
    let takes = |x: &f64| match op {
        Op::Ln | Op::Log2 | Op::Log10 => *x > 0.0,
        Op::Log1p => *x > -1.0,
        Op::Asin | Op::Acos => x.abs() <= 1.0,
        _ => x.is_finite() && *x != 0.0,
    };
    let folded = |x: f64| match op {
        Op::Ln | Op::Log2 | Op::Log10 => x.abs(),
        Op::Log1p if x <= -1.0 => -x,
        Op::Asin | Op::Acos if x.abs() > 1.0 => 1.0 / x,
        _ => x,
    };
    xs.into_iter().map(folded).filter(takes).collect()
}

fn second(op: Op, xs: &[f64]) -> Vec<f64> {
    let mut random = Numbers(op as u64 + 2000);
    let one = |(k, x): (usize, &f64)| match k % 4 {
        0 if op != Op::Pow => xs[(random.bits() % xs.len() as u64) as usize],
        1 => (x * random.between(0.3, 3.0)).clamp(-1e300, 1e300),
        2 if op == Op::Pow => random.between(-1080.0, 1026.0) / x.abs().log2(),
        3 => random.between(-40.0, 40.0).round() + if op == Op::Pow { 0.0 } else { 0.25 },
        _ => random.between(-3.0, 3.0),
    };
    let ys: Vec<f64> = xs.iter().enumerate().map(one).collect();
    // A negative number has only whole powers.
    let whole = |(x, y): (&f64, f64)| if op == Op::Pow && *x < 0.0 { y.round() } else { y };
    let usable = |y: f64| if y.is_finite() && (y != 0.0 || op == Op::Pow) { y } else { 1.0 };
    xs.iter().zip(ys).map(whole).map(usable).collect()
}

/// The largest error of a function over its arguments, and where.
pub(crate) fn measure(op: Op) -> (f64, String) {
    let mut xs = arguments(op);
    let mut ys = if op.arity() == 2 { second(op, &xs) } else { vec![0.0; xs.len()] };
    for [x, y] in worst(op, "f64") {
        xs.push(f64::from_bits(x));
        ys.push(f64::from_bits(y));
    }
    assert!(xs.len() >= 20_000, "{}: {} arguments", op.name(), xs.len());
    let got = doubles(op, &[xs.clone(), ys.clone()][..op.arity()]);
    let mut worst = (0.0, String::new());
    for (i, &got) in got.iter().enumerate() {
        let want = reference(op, xs[i], ys[i]);
        let off = want.ulps(got);
        if off > worst.0 {
            worst = (off, format!("{}({:e}, {:e}) = {got:e}, not {want:?}", op.name(), xs[i], ys[i]));
        }
    }
    worst
}

/// Lines of `name x y result rest`: doubles by their bits, and what the result lacks in thousandths of an ULP.
#[test]
fn the_reference_is_right() {
    let mut lines = 0;
    for line in include_str!("golden.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |k: usize| f64::from_bits(u64::from_str_radix(words[k], 16).unwrap());
        let (op, x, y, result) = (Op::from_name(words[0]).unwrap(), number(1), number(2), number(3));
        let rest: f64 = words[4].parse().unwrap();
        let want = reference(op, x, y);
        let off = want.ulps(result);
        let close = (off - rest.abs() / 1000.0).abs() < 0.002;
        assert!(close, "{}({x:e}, {y:e}) is {result:e} and {rest} thousandths, not {want:?}: {off}", op.name());
        // The sign of the rest: the next double on that side is nearer than the one on the other.
        let got = doubles(op, &[vec![x], vec![y]][..op.arity()])[0];
        assert!(want.ulps(got) <= contract(op), "{}({x:e}, {y:e}) = {got:e}", op.name());
        lines += 1;
    }
    assert!(lines > 3_000, "{lines}");
    let one = Scaled { number: Wide { high: 1.0, low: 0.0 }, exponent: 0 };
    assert_eq!((one.ulps(1.0), one.ulps(1.0 + 2.0 * f64::EPSILON), one.ulps(f64::NAN)), (0.0, 2.0, f64::INFINITY));
}
