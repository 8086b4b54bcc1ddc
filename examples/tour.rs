//! A tour of Pointsman: every kind of query on small data, with what it prints explained on the way.
//!
//! `cargo run --release --example tour`
#![allow(clippy::print_stdout)]

use pointsman::arrow::array::{Array, Float64Array};
use pointsman::prelude::*;

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    println!("Devices of this machine:\n{}", session.discover());
    maps_and_filters(&session)?;
    folds_and_scans(&session)?;
    loops(&session)?;
    nulls(&session)?;
    prepared(&session)?;
    errors(&session);
    explain_and_receipt(&session)
}

fn heading(text: &str) {
    println!("\n── {text}");
}

fn maps_and_filters(session: &Session) -> pointsman::Result<()> {
    heading("Map and filter: closures describe a row, and run once, while the query is built");
    let prices = [8.0f32, 12.0, 20.0, 11.0];
    let raised = session.from(&prices).filter(|p| p.gt(10.0)).map(|p| p * 1.5).run()?;
    println!("  prices above 10, raised by half: {:?}", &raised[..]);

    let (width, height) = ([2u32, 3, 4], [10u32, 20, 30]);
    let (area, tall) = session.from((&width, &height)).map(|(w, h)| (w * h, h.gt(w * 6))).collect()?;
    println!("  areas {:?}, tall {:?}", &area[..], &tall[..]);
    Ok(())
}

fn folds_and_scans(session: &Session) -> pointsman::Result<()> {
    heading("Reduce: any number of folds in one pass. Scan: a fold up to each row");
    let (low, high, mean) = session.from(1i64..1_000_001).reduce(|x| (x.min(), x.max(), x.mean()))?;
    println!("  of the numbers 1 to 1,000,000: smallest {low:?}, greatest {high:?}, mean {mean:?}");
    let sum = session.from(1u64..1_000_001).filter(|x| (x % 7).eq(0)).sum()?;
    println!("  the sum of those divisible by 7: {sum}");
    let balance = session.from(&[100i64, -30, 50, -80]).scan(|x| x.running_sum()).run()?;
    println!("  a balance after each booking: {:?}", &balance[..]);
    Ok(())
}

fn loops(session: &Session) -> pointsman::Result<()> {
    heading("Loops: the Mandelbrot set. A range is a source, a tuple is the state, the bound is part of the call");
    let (width, height) = (72u64, 24u64);
    let steps = session
        .from(0..width * height)
        .map(|i| {
            let re = (i % width).cast::<f32>() * (3.0 / width as f32) - 2.1;
            let im = (i / width).cast::<f32>() * (2.4 / height as f32) - 1.2;
            let inside = |(a, b, _): (F32, F32, U32)| (a * a + b * b).le(4.0);
            iterate(200, (0f32, 0f32, 0u32), inside, |(a, b, n)| (a * a - b * b + re, 2.0 * a * b + im, n + 1)).2
        })
        .run()?;
    let shade = |&steps: &u32| [' ', '.', ':', '-', '=', '+', '*', '#', '@'][(steps as f32).log2().max(0.0) as usize];
    for line in steps.chunks(width as usize) {
        println!("  {}", line.iter().map(shade).collect::<String>().trim_end());
    }
    Ok(())
}

fn nulls(session: &Session) -> pointsman::Result<()> {
    heading("Nulls: Arrow arrays are read in place; a null stays null, folds skip it, a filter drops it");
    let degrees = Float64Array::from(vec![Some(20.5), None, Some(23.0), None, Some(19.5)]);
    let fahrenheit = session.from(&degrees).map(|c| c * 1.8 + 32.0).collect()?;
    println!("  {fahrenheit:?}");
    let (mean, known, all) = session.from(&degrees).reduce(|c| (c.mean(), c.count(), count()))?;
    println!("  mean {mean:?} of {known} values in {all} rows");
    println!("  as an Arrow array again: {} nulls", fahrenheit.to_arrow().null_count());
    Ok(())
}

fn prepared(session: &Session) -> pointsman::Result<()> {
    heading("Prepared: compiled once, run on many inputs and parameters");
    let above = session.prepare(|x: F32, low: Param<f32>| filtered(x.gt(low), (x.sum(), count())))?;
    let data: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    for low in [0.0, 500.0, 990.0] {
        let answer = above.run(&data, low)?;
        let (sum, count) = *answer;
        println!("  above {low}: {count} values, sum {sum}, in {:.1?}", answer.receipt().total());
    }
    Ok(())
}

fn errors(session: &Session) {
    heading("Errors name the thing, the row and the remedy; nothing panics");
    let divisors = [5, 4, 0, 2];
    if let Err(error) = session.from(&divisors).map(|d| 100 / d).run() {
        println!("  {:?}: {error}", error.kind());
    }
    let safe = session.from(&divisors).map(|d| select(d.eq(0), 0, 100 / d)).to_vec();
    println!("  guarded: {safe:?}");
    if let Err(error) = session.from((&[1.0f32, 2.0], &[1.0f32])).map(|(a, b)| a + b).run() {
        println!("  {:?}: {error}", error.kind());
    }
}

fn explain_and_receipt(session: &Session) -> pointsman::Result<()> {
    heading("Explain: the query after every step of its path");
    let x: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let query = |limit: f64| session.from(&x).filter(|x| x.lt(limit)).map(|x| x * x).folds(|x| x.sum());
    println!("{}", query(1000.0).explain());

    heading("Receipt: what really happened");
    println!("{}", query(1000.0).run()?.receipt());
    println!("\n  and again, with another scalar: nothing is compiled twice");
    println!("{}", query(2000.0).run()?.receipt());
    Ok(())
}
