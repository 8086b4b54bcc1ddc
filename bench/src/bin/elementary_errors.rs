//! Searches for the arguments at which the elementary functions are farthest from the truth: among all arguments of `f32`
//! functions of one argument, and by random search and hill climbing for the others. Writes one line for each function and
//! type to `crates/pointsman-ir/tests/it/elementary/worst.txt`, which the tests of `pointsman-ir` measure again.
//!
//! `cargo run --release -p pointsman-bench --bin elementary_errors [FUNCTION…]` takes about an hour of processor time.

#[allow(clippy::unwrap_used, reason = "the tests share it")]
#[path = "../../../crates/pointsman-ir/tests/it/elementary/reference.rs"]
mod reference;
// The tests use more of it.
#[allow(dead_code)]
#[path = "../../../crates/pointsman-ir/tests/it/elementary/samples.rs"]
mod samples;
#[path = "../../../crates/pointsman-ir/tests/it/elementary/wide.rs"]
mod wide;

use pointsman::{Expr, F32, F64, Prepared, Result, Session, SessionOptions};
use pointsman_ir::op::Op;
use samples::{Numbers, critical, single_ulps, usual};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/pointsman-ir/tests/it/elementary/worst.txt");

/// Arguments of one run of a query.
const CHUNK: usize = 1 << 16;
/// Random arguments that every thread starts with.
const STARTS: usize = 1 << 20;
/// How often every thread looks around its best arguments, how many these are, and how many neighbours of each it tries.
const ROUNDS: usize = 30;
const BEST: usize = 32;
const NEIGHBOURS: usize = 1 << 10;

/// A function, as expressions and as the standard library has it for doubles. The second argument of a function of one is
/// ignored.
struct Function {
    op: Op,
    single: fn(F32, F32) -> F32,
    double: fn(F64, F64) -> F64,
    plain: fn(f64, f64) -> f64,
}

macro_rules! functions {
    ($($op:ident $method:ident $plain:ident;)* / $($op2:ident $method2:ident $plain2:ident;)*) => {
        vec![
            $(Function { op: Op::$op, single: |x, _| x.$method(), double: |x, _| x.$method(), plain: |x, _| x.$plain() },)*
            $(Function {
                op: Op::$op2, single: Expr::$method2, double: Expr::$method2, plain: f64::$plain2,
            },)*
        ]
    };
}

fn functions() -> Vec<Function> {
    // The standard library has no `erf`: singles are compared with the doubles of the CPU.
    let erf = Function { op: Op::Erf, single: |x, _| x.erf(), double: |x, _| x.erf(), plain: |_, _| f64::NAN };
    let mut all = functions! {
        Exp exp exp; Exp2 exp2 exp2; Expm1 exp_m1 exp_m1; Ln ln ln; Log2 log2 log2; Log10 log10 log10; Log1p ln_1p ln_1p;
        Sin sin sin; Cos cos cos; Tan tan tan; Asin asin asin; Acos acos acos; Atan atan atan; Sinh sinh sinh;
        Cosh cosh cosh; Tanh tanh tanh; Cbrt cbrt cbrt; /
        Pow pow powf; Atan2 atan2 atan2; Hypot hypot hypot;
    };
    all.push(erf);
    all
}

/// An argument pair and its error in ULPs.
#[derive(Clone, Copy, Debug, Default)]
struct Found<T> {
    off: f64,
    x: T,
    y: T,
}

/// What one thread needs to evaluate a function.
struct Evaluator<'f> {
    function: &'f Function,
    single: Prepared<(F32, F32), F32>,
    double: Prepared<(F64, F64), F64>,
}

impl<'f> Evaluator<'f> {
    fn new(function: &'f Function) -> Result<Evaluator<'f>> {
        let session: Session = SessionOptions::new().threads(1).devices(["cpu"]).open()?;
        let (single, double) = (function.single, function.double);
        let single = session.prepare(move |x: F32, y: F32| single(x, y))?;
        Ok(Evaluator { function, single, double: session.prepare(move |x: F64, y: F64| double(x, y))? })
    }

    fn singles(&self, xs: &[f32], ys: &[f32]) -> Result<Vec<f64>> {
        let got = self.single.run(xs, ys)?;
        let (wide, wider) = (xs.iter().map(|&x| f64::from(x)), ys.iter().map(|&y| f64::from(y)));
        let want: Vec<f64> = match self.function.op {
            Op::Erf => self.double.run(wide.collect::<Vec<_>>(), wider.collect::<Vec<_>>())?.to_vec(),
            _ => wide.zip(wider).map(|(x, y)| (self.function.plain)(x, y)).collect(),
        };
        Ok(got.options().zip(want).map(|(got, want)| single_ulps(got.unwrap_or_default(), want)).collect())
    }

    fn doubles(&self, xs: &[f64], ys: &[f64]) -> Result<Vec<f64>> {
        let got = self.double.run(xs, ys)?;
        let off = |((got, &x), &y): ((Option<f64>, &f64), &f64)| match is_inside(self.function.op, x, y) {
            true => reference::reference(self.function.op, x, y).ulps(got.unwrap_or_default()),
            false => 0.0,
        };
        Ok(got.options().zip(xs).zip(ys).map(off).collect())
    }
}

/// Whether the reference takes these arguments.
fn is_inside(op: Op, x: f64, y: f64) -> bool {
    let is_usable = |x: f64| x.is_finite() && x != 0.0;
    is_usable(x)
        && match op {
            Op::Ln | Op::Log2 | Op::Log10 => x > 0.0,
            Op::Log1p => x > -1.0,
            Op::Asin | Op::Acos => x.abs() <= 1.0,
            Op::Pow => y.is_finite() && (x > 0.0 || y.fract() == 0.0),
            Op::Atan2 | Op::Hypot => is_usable(y),
            _ => true,
        }
}

/// The worst of all singles.
fn all_singles(evaluator: &Evaluator<'_>, next: &AtomicU64) -> Result<Found<f32>> {
    let mut worst = Found::default();
    loop {
        let first = next.fetch_add(CHUNK as u64, Ordering::Relaxed);
        let Ok(first) = u32::try_from(first) else { return Ok(worst) };
        let xs: Vec<f32> = (0..CHUNK as u32).map(|k| f32::from_bits(first + k)).collect();
        let off = evaluator.singles(&xs, &xs)?;
        for (off, &x) in off.into_iter().zip(&xs).filter(|(off, _)| off.is_finite()) {
            if off > worst.off {
                worst = Found { off, x, y: x };
            }
        }
    }
}

/// A random argument: of any size, of the usual range, or near a critical number.
fn start(op: Op, random: &mut Numbers) -> f64 {
    let (low, high) = usual(op);
    let critical = critical(op);
    match random.bits() % 6 {
        0 => f64::from_bits(random.bits()),
        1 => critical[(random.bits() % critical.len() as u64) as usize] * (1.0 + random.between(-1e-3, 1e-3)),
        2 => random.between(-1.0, 1.0) * 2f64.powi((random.bits() % 40) as i32 - 20),
        3 if matches!(op, Op::Sin | Op::Cos | Op::Tan) => {
            let quarters = (random.bits() % (1 << 20)) as f64 * std::f64::consts::FRAC_PI_4;
            quarters + random.between(-0.1, 0.1)
        }
        3 => random.between(low, high) * 8.0,
        _ => random.between(low, high),
    }
}

/// The second argument for a first one.
fn beside(op: Op, x: f64, random: &mut Numbers) -> f64 {
    match random.bits() % 4 {
        0 if op == Op::Pow => random.between(-1080.0, 1026.0) / x.abs().log2(),
        1 => x * random.between(0.3, 3.0),
        2 => random.between(-40.0, 40.0).round(),
        _ => start(op, random),
    }
}

/// A neighbour: the same number but for a random change of a random size.
fn neighbour(x: f64, random: &mut Numbers) -> f64 {
    let size = 2f64.powi(-((random.bits() % 50) as i32) - 2);
    x * (1.0 + size * random.between(-1.0, 1.0))
}

/// Random arguments, then neighbours of the worst ones. `measure` gives the errors.
fn climb(
    op: Op,
    seed: u64,
    round: fn(f64) -> f64,
    measure: impl Fn(&[f64], &[f64]) -> Result<Vec<f64>>,
) -> Result<Found<f64>> {
    let mut random = Numbers(seed);
    let mut best: Vec<Found<f64>> = Vec::new();
    for turn in 0..=ROUNDS {
        let xs: Vec<f64> = match turn {
            0 => (0..STARTS).map(|_| round(start(op, &mut random))).collect(),
            _ => {
                best.iter().flat_map(|found| [found.x; NEIGHBOURS]).map(|x| round(neighbour(x, &mut random))).collect()
            }
        };
        let ys: Vec<f64> = match turn {
            0 => xs.iter().map(|&x| round(beside(op, x, &mut random))).collect(),
            _ => {
                let around = |y: f64, random: &mut Numbers| {
                    if random.bits().is_multiple_of(3) { y } else { round(neighbour(y, random)) }
                };
                best.iter().flat_map(|found| [found.y; NEIGHBOURS]).map(|y| around(y, &mut random)).collect()
            }
        };
        for (xs, ys) in xs.chunks(CHUNK).zip(ys.chunks(CHUNK)) {
            let found = measure(xs, ys)?.into_iter().zip(xs).zip(ys).map(|((off, &x), &y)| Found { off, x, y });
            best.extend(found.filter(|found| found.off.is_finite() && found.off > 0.5));
        }
        best.sort_by(|a, b| b.off.total_cmp(&a.off));
        best.truncate(BEST);
    }
    Ok(best.first().copied().unwrap_or_default())
}

/// The worst arguments of a function for `f32` and `f64`, by all threads.
fn search(function: &Function) -> Result<(Found<f32>, Found<f64>)> {
    let (next, worst) = (AtomicU64::new(0), Mutex::new((Found::default(), Found::default())));
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let work = |seed: u64| -> Result<()> {
        let (evaluator, op) = (Evaluator::new(function)?, function.op);
        let single = match op.arity() {
            1 => all_singles(&evaluator, &next)?,
            _ => {
                let narrow = |xs: &[f64]| xs.iter().map(|&x| x as f32).collect::<Vec<f32>>();
                let measure = |xs: &[f64], ys: &[f64]| evaluator.singles(&narrow(xs), &narrow(ys));
                let Found { off, x, y } = climb(op, seed, |x| f64::from(x as f32), measure)?;
                Found { off, x: x as f32, y: y as f32 }
            }
        };
        let double = climb(op, seed + 1000, |x| x, |xs, ys| evaluator.doubles(xs, ys))?;
        let mut worst = worst.lock().unwrap_or_else(|error| error.into_inner());
        worst.0 = if single.off > worst.0.off { single } else { worst.0 };
        worst.1 = if double.off > worst.1.off { double } else { worst.1 };
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|seed| scope.spawn(move || work(seed))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })?;
    Ok(worst.into_inner().unwrap_or_else(|error| error.into_inner()))
}

#[allow(clippy::print_stdout)]
fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let stored = std::fs::read_to_string(FILE).unwrap_or_default();
    let mut lines: Vec<String> = stored.lines().map(str::to_string).collect();
    for function in functions() {
        let name = function.op.name();
        if !wanted.is_empty() && !wanted.iter().any(|one| one == name) {
            continue;
        }
        let (single, double) = search(&function)?;
        let found = [
            format!("{name} f32 {:08x} {:08x} {:.4}", single.x.to_bits(), single.y.to_bits(), single.off),
            format!("{name} f64 {:016x} {:016x} {:.4}", double.x.to_bits(), double.y.to_bits(), double.off),
        ];
        lines.retain(|line| !line.starts_with(&format!("{name} ")));
        found.iter().for_each(|line| println!("{line}"));
        lines.extend(found);
        std::fs::write(FILE, lines.join("\n") + "\n")?;
    }
    Ok(())
}
