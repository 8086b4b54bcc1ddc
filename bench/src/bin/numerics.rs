//! Our side of `bench/numerics`: reads a line `WORK TYPE SIZE FILE` from standard input, runs that work once over the
//! numbers in the file (kept in memory), and answers `MILLISECONDS CHECKSUM` or `unsupported REASON`. The checksum is the
//! sum of the magnitudes of the result's numbers. Ends with the input.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the answers go to standard output")]

use pointsman::plan::{Call, Convolve, Direction, Fft, Matmul, Method};
use pointsman::types::Float;
use pointsman::{Column, Lookup, Session};
use std::io::BufRead;
use std::time::Instant;

/// The numbers of a batched transform's chunk.
const BATCH_LENGTH: u64 = 1024;

fn main() -> std::io::Result<()> {
    let session = Session::open().map_err(std::io::Error::other)?;
    let (mut singles, mut doubles) = (None, None);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            [work, "f32", size, file] => load(&mut singles, file, f32::from_le_bytes)
                .and_then(|numbers| run(&session, work, size, numbers, f64::from)),
            [work, "f64", size, file] => load(&mut doubles, file, f64::from_le_bytes)
                .and_then(|numbers| run(&session, work, size, numbers, |number| number)),
            _ => Err(format!("a line is `WORK TYPE SIZE FILE`, not `{line}`")),
        };
        match answer {
            Ok((milliseconds, checksum)) => println!("{milliseconds:.6} {checksum:e}"),
            Err(reason) => println!("unsupported {}", reason.replace('\n', " ")),
        }
    }
    Ok(())
}

/// The numbers of a file, and its name.
type Loaded<T> = Option<(String, Vec<T>)>;

fn load<'a, T, const BYTES: usize>(
    loaded: &'a mut Loaded<T>,
    file: &str,
    number: impl Fn([u8; BYTES]) -> T,
) -> Result<&'a [T], String> {
    if loaded.as_ref().is_none_or(|(name, _)| name != file) {
        let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let numbers = bytes.as_chunks::<BYTES>().0.iter().map(|&bytes| number(bytes)).collect();
        *loaded = Some((file.to_string(), numbers));
    }
    loaded.as_ref().map(|(_, numbers)| &numbers[..]).ok_or_else(|| "no numbers".to_string())
}

/// Runs a work over the first numbers; returns the milliseconds and the checksum.
fn run<T: Float>(
    session: &Session,
    work: &str,
    size: &str,
    numbers: &[T],
    double: impl Fn(T) -> f64,
) -> Result<(f64, f64), String> {
    let n: u64 = size.parse().map_err(|_| format!("`{size}` is no size"))?;
    let convolution = |weights: u64, method: Method| {
        let sides = [weights - 1, weights - 1];
        let line = Convolve::line(n, weights);
        let sum = Convolve { method, direction: Direction::Convolution, padding: [[0, 0], sides], ..line };
        (Call::from(sum), n, weights)
    };
    let (call, rows, table_rows) = match work {
        "matmul" => (Matmul::real(n, n, n).into(), n * n, n * n),
        "fft" => (Fft::forward(n).into(), 2 * n, 0),
        "rfft" => (Fft::real_forward(n).into(), n, 0),
        "fft-batched" => (Fft::forward(BATCH_LENGTH).into(), 2 * n, 0),
        "convolve-65" => convolution(65, Method::Sum),
        "convolve-100000" => convolution(100_000, Method::Transform),
        _ => return Err(format!("there is no work `{work}`")),
    };
    let (rows, table_rows) = (rows as usize, table_rows as usize);
    let wanted = rows.max(table_rows);
    let numbers = numbers.get(..wanted).ok_or_else(|| format!("the file has fewer than {wanted} numbers"))?;
    let failed = |error: pointsman::Error| error.to_string();
    let input: Column<T> = Column::from(&numbers[..rows]);
    let operand = Lookup::of(&Column::from(&numbers[numbers.len() - table_rows..])).map_err(failed)?;
    let operand = call.has_table().then_some(&operand);
    let start = Instant::now();
    let result = session.from(&input).call(call, operand).run().map_err(failed)?.into_value();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    Ok((milliseconds, result.iter().copied().map(|number| double(number).abs()).sum()))
}
