//! Our side of `bench/cpu`: reads a line `WORK TYPE FILE` from standard input, runs that work once over the numbers in
//! the file (kept in memory), and answers `MILLISECONDS CHECKSUM` or `unsupported REASON`. Ends with the input.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the answers go to standard output")]

use arrow_array::PrimitiveArray;
use pointsman::{Column, Expr, Result, Session, SessionOptions, filtered, iterate, repeat};
use std::io::BufRead;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mut sides: (Option<Singles>, Option<Doubles>, Option<Wholes>) = (None, None, None);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            [work, "f32", file] => Singles::load(&mut sides.0, file).and_then(|side| side.run(work)),
            [work, "f64", file] => Doubles::load(&mut sides.1, file).and_then(|side| side.run(work)),
            [work, "i64", file] => Wholes::load(&mut sides.2, file).and_then(|side| side.run(work)),
            _ => Err(format!("a line is `WORK TYPE FILE`, not `{line}`")),
        };
        match answer {
            Ok((milliseconds, checksum)) => println!("{milliseconds:.6} {checksum:e}"),
            Err(reason) => println!("unsupported {}", reason.replace('\n', " ")),
        }
    }
    Ok(())
}

/// Milliseconds and checksum, or why not.
type Answered = std::result::Result<(f64, f64), String>;

/// Times one run; the checksum is taken outside.
fn timed<T>(run: impl FnOnce() -> Result<T>, checksum: impl FnOnce(&T) -> f64) -> Answered {
    let start = Instant::now();
    let result = run().map_err(|error| error.to_string())?;
    Ok((start.elapsed().as_secs_f64() * 1e3, checksum(&result)))
}

/// The iterations of a loop that every row runs to its end.
const LOOP_ITERATIONS: u32 = 8;
/// The most iterations of a point of the Mandelbrot set.
const MANDELBROT_ITERATIONS: u32 = 100;

/// How often a small call is made for one measurement.
const SMALL_CALLS: u32 = 10_000;

macro_rules! side {
    ($name:ident, $type:ty, $arrow:ty, half: $half:expr, middle: $middle:expr, floats: $floats:expr) => {
        /// The work over numbers of one type.
        struct $name {
            file: String,
            session: Session,
            one_thread: Session,
            /// In the session's memory, which has large pages, as NumPy's arrays do.
            x: Column<$type>,
            nulls: PrimitiveArray<$arrow>,
            out: Vec<$type>,
        }

        impl $name {
            fn load<'a>(side: &'a mut Option<$name>, file: &str) -> std::result::Result<&'a mut $name, String> {
                if side.as_ref().is_none_or(|side| side.file != file) {
                    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
                    let words = bytes.chunks_exact(size_of::<$type>());
                    let word = |word: &[u8]| <$type>::from_le_bytes(word.try_into().expect("chunks have this size"));
                    let x: Vec<$type> = words.map(word).collect();
                    let one_in_ten = |(row, &x): (usize, &$type)| (!row.is_multiple_of(10)).then_some(x);
                    let open = |threads: Option<usize>| {
                        let builder = SessionOptions::new();
                        let builder = threads.map_or(builder.clone(), |threads| builder.threads(threads));
                        builder.open().map_err(|error| error.to_string())
                    };
                    let session = open(None)?;
                    *side = Some($name {
                        file: file.to_string(),
                        one_thread: open(Some(1))?,
                        nulls: x.iter().enumerate().map(one_in_ten).collect(),
                        out: vec![<$type>::default(); x.len()],
                        x: session.from(&x).map(|x| x).run().map_err(|error| error.to_string())?.into_value(),
                        session,
                    });
                }
                side.as_mut().ok_or_else(|| "nothing was loaded".to_string())
            }

            #[allow(clippy::unnecessary_cast, reason = "the type is a parameter of the macro")]
            fn run(&mut self, work: &str) -> Answered {
                let (half, middle, three, one): ($type, $type, $type, $type) = ($half, $middle, 3 as $type, 1 as $type);
                let poly = move |x: Expr<$type>| x * x * half + x * three - one;
                let (s, x) = (&self.session, &self.x);
                let total = |values: &[$type]| values.iter().map(|&x| x as f64).sum::<f64>();
                match work {
                    "poly" => {
                        let query = s.prepare(poly).map_err(|error| error.to_string())?;
                        let out = &mut self.out;
                        let (ms, _) = timed(|| query.run_into(x, out), |_| 0.0)?;
                        Ok((ms, total(&self.out)))
                    }
                    "poly-column" => timed(|| s.from(x).map(poly).run(), |column| total(column)),
                    "poly-nulls" => timed(|| s.from(&self.nulls).map(poly).run(), |column| total(column)),
                    "heavy" | "mandelbrot" => $floats(work, s, x),
                    "loop" => timed(
                        || s.from(x).map(|x| repeat(LOOP_ITERATIONS, x, |_, y| y * half + x)).run(),
                        |column| total(column),
                    ),
                    "filter-sum" => timed(
                        || s.from(x).filter(|x| x.gt(middle)).map(|x| x * x * half + x * three).sum(),
                        |sum| *sum as f64,
                    ),
                    "filter-sum-nulls" => timed(
                        || s.from(&self.nulls).filter(|x| x.gt(middle)).map(|x| x * x * half + x * three).sum(),
                        |sum| *sum as f64,
                    ),
                    "compact" => timed(|| s.from(x).filter(|x| x.gt(middle)).run(), |column| total(column)),
                    "compact-nulls" => {
                        timed(|| s.from(&self.nulls).filter(|x| x.gt(middle)).run(), |column| total(column))
                    }
                    "running-sum" => timed(|| s.from(x).scan(|x| x.running_sum()).run(), |column| total(column)),
                    "one-fold" => {
                        timed(|| s.from(x).reduce(|x| x.abs().max()), |max| max.map_or(0.0, |max| max as f64))
                    }
                    "four-folds" => timed(
                        || s.from(x).reduce(|x| (x.abs().max(), x.abs().mean(), (x * x).mean(), x.count())),
                        |folds| folds.0.map_or(0.0, |max| max as f64),
                    ),
                    "in-cache" => {
                        let query = self.one_thread.prepare(poly).map_err(|error| error.to_string())?;
                        let (x, out) = (&x[..100_000.min(x.len())], &mut self.out);
                        let calls = 200;
                        let repeat = || (0..calls).try_for_each(|_| query.run_into(x, out).map(|_| ()));
                        timed(repeat, |()| 0.0).map(|(ms, sum)| (ms / f64::from(calls), sum))
                    }
                    "small" => {
                        let query = s.prepare(poly).map_err(|error| error.to_string())?;
                        let (x, out) = (&x[..1_000.min(x.len())], &mut self.out);
                        let repeat = || (0..SMALL_CALLS).try_for_each(|_| query.run_into(x, out).map(|_| ()));
                        timed(repeat, |()| 0.0).map(|(ms, sum)| (ms / f64::from(SMALL_CALLS), sum))
                    }
                    "small-filter" => {
                        let query = s.prepare(move |x: Expr<$type>| filtered(x.gt(middle), x));
                        let query = query.map_err(|error| error.to_string())?;
                        let x = &x[..1_000.min(x.len())];
                        let repeat = || (0..SMALL_CALLS).try_for_each(|_| query.run(x).map(|_| ()));
                        timed(repeat, |()| 0.0).map(|(ms, sum)| (ms / f64::from(SMALL_CALLS), sum))
                    }
                    "limit-copy" => {
                        let out = &mut self.out;
                        timed(|| Ok(pointsman_bench::copy(x, out)), |()| 0.0)
                    }
                    "limit-read" => timed(|| Ok(pointsman_bench::read(x, |&x| x.to_bits_u64())), |sum| *sum as f64),
                    other => Err(format!("there is no work `{other}`")),
                }
            }
        }
    };
}

/// A number's bits, for the plain read of memory.
trait Bits {
    fn to_bits_u64(self) -> u64;
}

impl Bits for f32 {
    fn to_bits_u64(self) -> u64 {
        self.to_bits().into()
    }
}

impl Bits for f64 {
    fn to_bits_u64(self) -> u64 {
        self.to_bits()
    }
}

impl Bits for i64 {
    fn to_bits_u64(self) -> u64 {
        self as u64
    }
}

/// The works over floats of one type: elementary functions, and a loop whose rows end after different iterations.
macro_rules! floats {
    ($type:ty) => {
        |work: &str, s: &Session, x: &Column<$type>| match work {
            "heavy" => timed(
                || s.from(x).map(|x| (-x).exp() * x.sin() + x.ln_1p()).run(),
                |column| column.options().map(|x| f64::from(x.unwrap_or_default())).sum(),
            ),
            _ => timed(
                || {
                    let query = s.from(x).map(|x| {
                        let (real, imaginary): (Expr<$type>, $type) = (3.0 * x - 2.0, 0.25);
                        let inside = |(a, b, _): (Expr<$type>, Expr<$type>, Expr<u32>)| (a * a + b * b).le(4.0);
                        let next = |(a, b, n): (Expr<$type>, Expr<$type>, Expr<u32>)| {
                            (a * a - b * b + real, 2.0 * a * b + imaginary, n + 1)
                        };
                        iterate(MANDELBROT_ITERATIONS, (real, imaginary, 0u32), inside, next).2
                    });
                    query.run()
                },
                |column| column.options().map(|n| f64::from(n.unwrap_or_default())).sum(),
            ),
        }
    };
}

side!(Singles, f32, arrow_array::types::Float32Type, half: 0.5, middle: 0.5, floats: floats!(f32));
side!(Doubles, f64, arrow_array::types::Float64Type, half: 0.5, middle: 0.5, floats: floats!(f64));
side!(Wholes, i64, arrow_array::types::Int64Type, half: 5, middle: 500, floats: |_: &str, _: &Session, _: &Column<i64>| {
    Answered::Err("this work is over floats".to_string())
});
