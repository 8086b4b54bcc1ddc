//! The programs beside this folder give what plain Rust gives.
#![allow(clippy::unwrap_used)]

#[path = "../black_scholes.rs"]
mod black_scholes;
#[path = "../histogram.rs"]
mod histogram;
#[path = "../image.rs"]
mod image;
#[path = "../kmeans.rs"]
mod kmeans;
#[path = "../log_analytics.rs"]
mod log_analytics;
#[path = "../mandelbrot.rs"]
mod mandelbrot;
#[path = "../monte_carlo.rs"]
mod monte_carlo;
#[path = "../nbody.rs"]
mod nbody;
#[path = "../own_functions.rs"]
mod own_functions;
#[path = "../profiling.rs"]
mod profiling;
#[cfg(feature = "service")]
#[path = "../service.rs"]
mod service;
#[path = "../statistics.rs"]
mod statistics;

use pointsman::arrow::array::{Array, Float64Array, UInt16Array, UInt32Array, UInt64Array};
use pointsman::prelude::*;
use std::collections::BTreeMap;

/// A session that runs on the CPU alone, so that results are the same everywhere.
fn session() -> Session {
    SessionOptions::new().devices(["cpu"]).keep_receipts(100).open().unwrap()
}

fn assert_near(found: &[f64], expected: impl IntoIterator<Item = f64>, error: f64) {
    let expected: Vec<f64> = expected.into_iter().collect();
    assert_eq!(found.len(), expected.len());
    for (row, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= error * expected.abs().max(1.0), "row {row}: {found}, not {expected}");
    }
}

#[test]
fn edges_of_pictures() {
    let s = session();
    for (width, height) in [(1, 1), (7, 3), (64, 65), (200, 130)] {
        let picture = image::sample(&s, width, height).unwrap();
        let at = |x: i32, y: i32| {
            let (x, y) = (x.clamp(0, width as i32 - 1), y.clamp(0, height as i32 - 1));
            i32::from(picture.pixels[(y * width as i32 + x) as usize])
        };
        let edge = |i: i32| {
            let (x, y) = (i % width as i32, i / width as i32);
            let line = |dx: i32, dy: i32, ex: i32, ey: i32| {
                at(x + dx - ex, y + dy - ey) + 2 * at(x + dx, y + dy) + at(x + dx + ex, y + dy + ey)
            };
            let (across, down) = (line(1, 0, 0, 1) - line(-1, 0, 0, 1), line(0, 1, 1, 0) - line(0, -1, 1, 0));
            ((across * across + down * down) as f32).sqrt().min(255.0) as u8
        };
        let expected: Vec<u8> = (0..(width * height) as i32).map(edge).collect();
        assert_eq!(image::edges(&s, &picture).unwrap()[..], expected, "{width} x {height}");
    }
}

#[test]
fn prices_of_options() {
    // Reference values by the closed formula with the error function of C.
    let market = black_scholes::Market { rate: 0.05, volatility: 0.2 };
    let options = [&[100.0, 42.0][..], &[100.0, 40.0], &[1.0, 0.5]];
    let (call, put) = black_scholes::price(&session(), options, market).unwrap();
    assert_near(&call, [10.450583572185565, 4.080503068330934], 1e-5);
    assert_near(&put, [5.573526022256971, 1.0928995494642422], 1e-5);
}

#[test]
fn simulated_options() {
    let option = monte_carlo::AsianOption { spot: 100.0, strike: 100.0, rate: 0.03, volatility: 0.2, years: 1.0 };
    let (price, error) = monte_carlo::price(&session(), option, 20_000, 16, 7).unwrap();
    // By plain Rust, with a generator of its own.
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    let payoff = |_| {
        let (mut log_price, mut sum) = (0.0f64, 0.0);
        for _ in 0..16 {
            log_price += (0.03 - 0.02) / 16.0 + 0.2 * (1.0f64 / 16.0).sqrt() * normal();
            sum += log_price.exp();
        }
        (100.0 * sum / 16.0 - 100.0).max(0.0) * (-0.03f64).exp()
    };
    let mean = (0..20_000).map(payoff).sum::<f64>() / 20_000.0;
    assert!(error < 0.1 && (price - mean).abs() < 8.0 * error, "{price} ± {error}, not {mean}");
}

#[test]
fn routes_of_a_log() {
    let log = log_analytics::sample(10_000, 999).unwrap();
    let summary = log_analytics::summary(&session(), &log).unwrap();
    let mut routes: BTreeMap<u32, (u64, u64, Vec<f64>, u64)> = BTreeMap::new();
    for batch in &log {
        let column = |name: &str| batch.column_by_name(name).unwrap().as_any();
        let route = column("route").downcast_ref::<UInt32Array>().unwrap();
        let status = column("status").downcast_ref::<UInt16Array>().unwrap();
        let time = column("milliseconds").downcast_ref::<Float64Array>().unwrap();
        let bytes = column("bytes").downcast_ref::<UInt32Array>().unwrap();
        for row in 0..batch.num_rows() {
            let (requests, failed, times, sum) = routes.entry(route.value(row)).or_default();
            *requests += 1;
            *failed += u64::from(status.value(row) >= 500);
            times.extend(time.is_valid(row).then(|| time.value(row)));
            *sum += u64::from(bytes.value(row));
        }
    }
    let mut expected: Vec<_> = routes.into_iter().collect();
    expected.sort_by_key(|(route, (_, failed, ..))| (u64::MAX - failed, *route));
    let whole = |name: &str| -> Vec<u64> {
        let column = summary.column_by_name(name).unwrap().as_any();
        column.downcast_ref::<UInt64Array>().unwrap().values().to_vec()
    };
    let real = |name: &str| -> Vec<f64> {
        let column = summary.column_by_name(name).unwrap().as_any();
        column.downcast_ref::<Float64Array>().unwrap().values().to_vec()
    };
    assert!(whole("requests").into_iter().eq(expected.iter().map(|(_, (requests, ..))| *requests)));
    assert!(whole("failed").into_iter().eq(expected.iter().map(|(_, (_, failed, ..))| *failed)));
    assert!(whole("bytes").into_iter().eq(expected.iter().map(|(.., (.., bytes))| *bytes)));
    let quantile = |times: &[f64], fraction: f64| {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        let place = fraction * (times.len() - 1) as f64;
        let (low, high) = (times[place.floor() as usize], times[place.ceil() as usize]);
        low + (high - low) * place.fract()
    };
    assert_near(&real("median"), expected.iter().map(|(_, (_, _, times, _))| quantile(times, 0.5)), 1e-12);
    assert_near(&real("slowest"), expected.iter().map(|(_, (_, _, times, _))| quantile(times, 0.99)), 1e-12);
}

#[test]
fn counts_of_bins() {
    let s = session();
    let values: Vec<f32> = (0..50_000).map(|i| ((i * 7919) % 20_011) as f32 / 1000.0 - 5.0).collect();
    let (counts, outside) = histogram::histogram(&s, &Column::from(values.clone()), [-4.0, 12.0], 256).unwrap();
    let mut expected = vec![0u64; 256];
    for x in values.iter().filter(|x| (-4.0..=12.0).contains(*x)) {
        expected[(((x + 4.0) * 16.0) as usize).min(255)] += 1;
    }
    assert_eq!(outside, values.len() as u64 - expected.iter().sum::<u64>());
    assert_eq!(counts, expected);
}

#[test]
fn statistics_of_large_values() {
    let s = session();
    let x: Vec<f64> = (0..10_001).map(|i| 1e9 + f64::from(i % 1001)).collect();
    let y: Vec<f64> = x.iter().map(|x| 3.0 - x * 0.5).collect();
    let (x, y) = (Column::from(x), Column::from(y));
    let found = statistics::summary(&s, &x).unwrap().unwrap();
    let mean = x.iter().map(|x| x - 1e9).sum::<f64>() / 10_001.0;
    let squares: f64 = x.iter().map(|x| (x - 1e9 - mean).powi(2)).sum();
    assert_near(&[found.mean - 1e9, found.deviation], [mean, (squares / 10_000.0).sqrt()], 1e-6);
    assert_eq!((found.values, found.quartiles), (10_001, [1e9 + 250.0, 1e9 + 500.0, 1e9 + 750.0]));
    let (slope, constant) = statistics::line(&s, &x, &y).unwrap().unwrap();
    assert_near(&[slope, slope * 1e9 + constant], [-0.5, 3.0 - 0.5e9], 1e-9);
    assert!(statistics::summary(&s, &Column::from(vec![1.0])).unwrap().is_none());
    assert!(statistics::line(&s, &Column::from(vec![1.0]), &Column::from(vec![1.0])).unwrap().is_none());
}

#[test]
fn bodies_move() {
    let s = session();
    let before = nbody::sample(&s, 65).unwrap();
    let after = nbody::step(&s, &before, 0.1).unwrap();
    for axis in 0..3 {
        let velocity = |body: usize| {
            let pull = |other: usize| {
                let distance = [0, 1, 2].map(|axis: usize| before.position[axis][other] - before.position[axis][body]);
                let squared = distance.iter().map(|d| d * d).sum::<f64>() + 0.01;
                distance[axis] * before.mass[other] / (squared * squared.sqrt())
            };
            (0..65).map(pull).sum::<f64>() * 0.1
        };
        assert_near(&after.velocity[axis], (0..65).map(velocity), 1e-12);
        assert_near(&after.position[axis], (0..65).map(|i| before.position[axis][i] + velocity(i) * 0.1), 1e-12);
    }
}

#[test]
fn points_of_the_mandelbrot_set() {
    let part = mandelbrot::Part { left: -2.0, bottom: -1.0, width: 3.0, height: 2.0 };
    let times = mandelbrot::escape_times(&session(), part, [48, 32], 100).unwrap();
    let plain = |i: u32| {
        let (re, im) = ((i % 48) as f32 * (3.0 / 48.0) - 2.0, (i / 48) as f32 * (2.0 / 32.0) - 1.0);
        let (mut a, mut b, mut n) = (0f32, 0f32, 0);
        while n < 100 && a * a + b * b <= 4.0 {
            (a, b, n) = (a * a - b * b + re, 2.0 * a * b + im, n + 1);
        }
        n
    };
    assert_eq!(times, (0..48 * 32).map(plain).collect::<Vec<u32>>());
}

#[test]
fn points_and_centres() {
    let s = session();
    let points = kmeans::sample(&s, 5000).unwrap();
    let columns = [&points[0], &points[1]];
    let centres = vec![[0.2, 0.3], [0.7, 0.4], [0.3, 0.6], [9.0, 9.0]];
    let (nearest, sum) = kmeans::assign(&s, columns, &centres).unwrap();
    let squared = |i: usize, centre: &[f64; 2]| (points[0][i] - centre[0]).powi(2) + (points[1][i] - centre[1]).powi(2);
    let best = |i: usize| {
        let distances = centres.iter().map(|centre| squared(i, centre));
        distances.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap()
    };
    assert!(nearest.iter().enumerate().all(|(i, centre)| best(i).0 == *centre as usize));
    assert_near(&[sum], [(0..5000).map(|i| best(i).1).sum()], 1e-12);
    let moved = kmeans::means(&s, columns, &nearest, &centres).unwrap();
    for (number, centre) in moved.iter().enumerate() {
        let own: Vec<usize> = (0..5000).filter(|&i| nearest[i] as usize == number).collect();
        if own.is_empty() {
            assert_eq!(*centre, centres[number]);
            continue;
        }
        let mean = |axis: usize| own.iter().map(|&i| points[axis][i]).sum::<f64>() / own.len() as f64;
        assert_near(centre, [mean(0), mean(1)], 1e-12);
    }
}

#[test]
fn queries_are_profiled() {
    let s = session();
    let prices = Column::from((0..10_000).map(f64::from).collect::<Vec<_>>());
    let (advice, trace) = profiling::examine(&s, &prices).unwrap();
    assert!(advice.contains(&pointsman::report::AdviceKind::ShareScalar), "{advice:?}");
    assert!(trace.contains("spread on cpu"), "{trace}");
}

#[test]
fn own_functions_are_chosen() {
    let numbers: Vec<f32> = (0..1000).map(|i| i as f32 / 8.0).collect();
    let expected: f64 = numbers.iter().map(|x| f64::from(x * x)).sum();
    assert_near(
        &[own_functions::on_one_thread(&numbers), own_functions::on_two_threads(&numbers)],
        [expected; 2],
        1e-6,
    );
    // To begin a thread takes longer than to add a thousand squares.
    let [one, two] = own_functions::run(&numbers, 300).unwrap();
    assert_eq!(one + two, 300);
    assert!(one > 200, "{one} calls on one thread");
}

#[cfg(feature = "service")]
#[test]
fn requests_have_deadlines() {
    use std::time::Duration;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let s = session();
    let [prices, amounts] = [vec![2.0; 1000], vec![3.0; 1000]];
    let service = |deadline| service::Portfolios::new(&s, prices.clone(), amounts.clone(), deadline).unwrap();
    runtime.block_on(async {
        let portfolios = service(Duration::from_secs(60));
        let both = tokio::join!(portfolios.value(1.0), portfolios.value(0.5));
        assert_eq!((both.0.unwrap(), both.1.unwrap()), (6000.0, 3000.0));
        drop(portfolios.value(1.0));
        let late = service(Duration::ZERO).value(1.0).await.unwrap_err();
        assert_eq!((late.kind(), late.query()), (ErrorKind::Timeout, Some("portfolio")));
    });
}
