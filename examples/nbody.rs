//! Bodies that attract each other: each row sums the forces of all bodies in a loop over look-up tables.
//!
//! `cargo run --release --example nbody`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::random;

/// Positions and velocities by axis, and masses. Columns stay on the device that computed them.
pub(crate) struct Bodies {
    pub(crate) position: [Column<f64>; 3],
    pub(crate) velocity: [Column<f64>; 3],
    pub(crate) mass: Column<f64>,
}

/// Keeps bodies that meet from flying apart.
const SOFTENING: f64 = 0.01;

/// Moves the bodies by one step of time.
pub(crate) fn step(session: &Session, bodies: &Bodies, time: f64) -> pointsman::Result<Bodies> {
    let Bodies { position: [x, y, z], velocity: [u, v, w], mass } = bodies;
    let tables = [Lookup::of(x)?, Lookup::of(y)?, Lookup::of(z)?];
    let (masses, count) = (Lookup::of(mass)?, mass.len() as u32);
    let moved = session.from(([x, y, z], [u, v, w])).map(|(place, velocity)| {
        let acceleration = repeat(count, [lit(0.0); 3], |body, sum| {
            let distance = [0, 1, 2].map(|axis| tables[axis].at(body) - place[axis]);
            let squared: F64 = distance.iter().map(|d| *d * d).sum();
            let squared = squared + SOFTENING;
            let factor = masses.at(body) / (squared * squared.sqrt());
            [0, 1, 2].map(|axis: usize| sum[axis] + distance[axis] * factor)
        });
        let time = val(time);
        let velocity = [0, 1, 2].map(|axis: usize| velocity[axis] + acceleration[axis] * time);
        ([0, 1, 2].map(|axis: usize| place[axis] + velocity[axis] * time), velocity)
    });
    let (position, velocity) = moved.named("bodies").collect()?;
    Ok(Bodies { position, velocity, mass: mass.clone() })
}

/// Bodies at random places in a cube, at rest.
pub(crate) fn sample(session: &Session, count: usize) -> pointsman::Result<Bodies> {
    let numbers = |seed: u64| session.from(random::uniform::<f64>(seed, count)).map(|x| x * 2.0 - 1.0).collect();
    let position = [numbers(1)?, numbers(2)?, numbers(3)?];
    let velocity = [(); 3].map(|()| Column::from(vec![0.0; count]));
    Ok(Bodies { position, velocity, mass: Column::from(vec![1.0 / count as f64; count]) })
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let mut bodies = sample(&session, 4096)?;
    let energy = |bodies: &Bodies| {
        let [u, v, w] = &bodies.velocity;
        let rows = session.from((u, v, w, &bodies.mass));
        rows.map(|(u, v, w, mass)| (u * u + v * v + w * w) * mass * 0.5).sum()
    };
    for round in 0..=5 {
        println!("after {:>2} steps: kinetic energy {:.5}", round * 2, energy(&bodies)?);
        for _ in 0..2 {
            bodies = step(&session, &bodies, 0.01)?;
        }
    }
    Ok(())
}
