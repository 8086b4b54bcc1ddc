//! k-means: assign each point to its nearest centre, then move the centres to the means of their points.
//!
//! `cargo run --release --example kmeans`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::random;

/// The number of the nearest centre of each point, and the sum of the squared distances.
pub(crate) fn assign(
    session: &Session,
    points: [&Column<f64>; 2],
    centres: &[[f64; 2]],
) -> pointsman::Result<(Column<u32>, f64)> {
    let tables = [0, 1].map(|axis: usize| lookup(centres.iter().map(|centre| centre[axis]).collect::<Vec<_>>()));
    let nearest = session.from(points).map(|point| {
        repeat(centres.len() as u32, (lit(0u32), lit(f64::INFINITY)), |centre, (best, least)| {
            let squared = |axis: usize| {
                let distance = point[axis] - tables[axis].at(centre);
                distance * distance
            };
            let distance = squared(0) + squared(1);
            select(distance.lt(least), (centre, distance), (best, least))
        })
    });
    let (nearest, distances) = nearest.named("assign").collect()?;
    let sum = session.from(&distances).sum()?;
    Ok((nearest, sum))
}

/// The means of the points of each centre. A centre without points stays where it is.
pub(crate) fn means(
    session: &Session,
    [x, y]: [&Column<f64>; 2],
    nearest: &Column<u32>,
    centres: &[[f64; 2]],
) -> pointsman::Result<Vec<[f64; 2]>> {
    let groups = session.from((nearest, x, y)).group_by(|(centre, ..)| centre).agg(|(_, x, y)| (x.mean(), y.mean()));
    let (number, (x, y)) = groups.named("means").to_vec()?;
    let mut moved = centres.to_vec();
    for ((number, x), y) in number.into_iter().zip(x).zip(y) {
        moved[number as usize] = [x, y];
    }
    Ok(moved)
}

/// Points around the corners of a square.
pub(crate) fn sample(session: &Session, count: usize) -> pointsman::Result<[Column<f64>; 2]> {
    let axis = |seed: u64, every: u32| {
        let rows = session.from((random::normal::<f64>(seed, count), 0..count as u32));
        rows.map(move |(noise, i)| noise * 0.1 + (i / every % 2).cast::<f64>()).collect()
    };
    Ok([axis(1, 1)?, axis(2, 2)?])
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let points = sample(&session, 100_000)?;
    let points = [&points[0], &points[1]];
    let mut centres = vec![[0.2, 0.3], [0.7, 0.4], [0.3, 0.6], [0.6, 0.6]];
    for round in 1..=8 {
        let (nearest, sum) = assign(&session, points, &centres)?;
        println!("round {round}: sum of squared distances {sum:.3}");
        centres = means(&session, points, &nearest, &centres)?;
    }
    for [x, y] in centres {
        println!("centre at {x:.3}, {y:.3}");
    }
    Ok(())
}
