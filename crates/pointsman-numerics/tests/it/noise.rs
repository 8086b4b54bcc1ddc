//! Random numbers against a plain implementation, published values and their distributions; fractional noise against
//! its covariances.

use super::random::Random;
use super::session;
use pointsman::{Session, SessionOptions};
use pointsman_numerics::noise::{RandomStream, fractional_brownian_motion, fractional_gaussian_noise, philox};
use pointsman_numerics::{Array, Error, Real};

/// Philox4x32-10 with products of 64 bits.
fn reference(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let wide = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    (0..10u32).fold(counter, |[c0, c1, c2, c3], round| {
        let [k0, k1] = [(0, 0x9e37_79b9u32), (1, 0xbb67_ae85)].map(|(i, w)| key[i].wrapping_add(w.wrapping_mul(round)));
        let ((high0, low0), (high1, low1)) = (wide(0xd251_1f53, c0), wide(0xcd9e_8d57, c2));
        [high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0]
    })
}

/// The words of a number of an array.
fn words_of(seed: u64, position: u64) -> [u32; 4] {
    reference([position as u32, (position >> 32) as u32, 0, 0], [seed as u32, (seed >> 32) as u32])
}

/// The pair of normal numbers of an index.
pub(crate) fn normal_pair(seed: u64, index: [u32; 2]) -> (f64, f64) {
    let [a, b, c, d] = reference([index[0], index[1], 0, 0], [seed as u32, (seed >> 32) as u32]);
    let bits = |high: u32, low: u32| ((u64::from(high >> 5) << 26) | u64::from(low >> 6)) as f64;
    let scale = (1u64 << 53) as f64;
    let radius = (-2.0 * ((bits(a, b) + 0.5) / scale).ln()).sqrt();
    let angle = std::f64::consts::TAU * (bits(c, d) / scale);
    (radius * angle.cos(), radius * angle.sin())
}

#[test]
fn philox_has_the_published_words() {
    let s = session();
    for (counter, key, expected) in [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ] {
        let counters = counter.map(|word| vec![word]);
        let columns = counters.each_ref().map(|column| &column[..]);
        let words = s.from(columns).map(|counter| philox(counter, key)).run().unwrap().into_value();
        assert_eq!(words.map(|column| column[0]), expected);
        assert_eq!(reference(counter, key), expected);
    }
}

#[test]
fn philox_has_the_words_of_plain_arithmetic() {
    let (s, mut random) = (session(), Random::new());
    let key = [random.next() as u32, random.next() as u32];
    let counters: [Vec<u32>; 4] = std::array::from_fn(|_| (0..4097).map(|_| random.next() as u32).collect());
    let columns = counters.each_ref().map(|column| &column[..]);
    let words = s.from(columns).map(|counter| philox(counter, key)).run().unwrap().into_value();
    for row in 0..4097 {
        let counter = counters.each_ref().map(|column| column[row]);
        assert_eq!(words.each_ref().map(|column| column[row]), reference(counter, key), "{counter:x?}");
    }
}

#[test]
fn uniform_numbers_are_the_leading_bits_of_the_words() {
    let (s, mut random) = (session(), Random::new());
    for size in [0, 1, 7, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 65_537] {
        let seed = random.next();
        let double = Array::<f64>::random_uniform(&s, &[size], seed).unwrap().to_vec().unwrap();
        let single = Array::<f32>::random_uniform(&s, &[1, size], seed).unwrap().to_vec().unwrap();
        assert_eq!((double.len(), single.len()), (size, size));
        for (position, (double, single)) in double.iter().zip(&single).enumerate() {
            let [first, second, ..] = words_of(seed, position as u64);
            let bits = (u64::from(first >> 5) << 26) | u64::from(second >> 6);
            assert_eq!(*double, bits as f64 / (1u64 << 53) as f64, "{position}");
            assert_eq!(*single, (first >> 8) as f32 / (1u32 << 24) as f32, "{position}");
        }
    }
}

#[test]
fn normal_numbers_are_box_and_mullers() {
    let (s, mut random) = (session(), Random::new());
    let seed = random.next();
    let double = Array::<f64>::random_normal(&s, &[4097], seed).unwrap().to_vec().unwrap();
    let single = Array::<f32>::random_normal(&s, &[4097], seed).unwrap().to_vec().unwrap();
    for (position, (double, single)) in double.iter().zip(&single).enumerate() {
        let expected = normal_pair(seed, [position as u32, 0]).0;
        assert!((double - expected).abs() < 1e-14, "{position}: {double}, not {expected}");
        let [a, _, c, _] = words_of(seed, position as u64);
        let (u, v) = ((f64::from(a) + 0.5) / (1u64 << 32) as f64, f64::from(c >> 8) / (1u32 << 24) as f64);
        let expected = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        assert!((f64::from(*single) - expected).abs() < 1e-5, "{position}: {single}, not {expected}");
    }
}

#[test]
fn numbers_do_not_depend_on_threads_shapes_or_sizes() {
    let one = SessionOptions::new().threads(1).open().unwrap();
    let (two, seed) = (session(), Random::new().next());
    let numbers = |s: &Session, shape: &[usize]| {
        let normal = Array::<f64>::random_normal(s, shape, seed).unwrap().to_vec().unwrap();
        normal.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    let all = numbers(&one, &[100_000]);
    assert_eq!(all, numbers(&two, &[100_000]));
    assert_eq!(all[..65_537], numbers(&two, &[65_537]));
    assert_eq!(all[..2_000], numbers(&two, &[20, 10, 10]));
    // Row numbers of 64 bits give the same numbers, and those beyond 32 bits their own.
    let source = RandomStream::new(seed).stream(5);
    let at = |high: u32| two.from(0u32..100).map(move |i| source.normal::<f64>([i, pointsman::lit(high)]));
    let (low, high) = (at(0).to_vec().unwrap(), at(1).to_vec().unwrap());
    assert!(low.iter().zip(&high).all(|(a, b)| a != b));
    let streams = two.from(0u32..100).map(|i| RandomStream::new(seed).stream(6).normal::<f64>([i, pointsman::lit(0)]));
    assert!(streams.to_vec().unwrap().iter().zip(&low).all(|(a, b)| a != b));
}

/// √n times the greatest distance of the empirical distribution from this one: above 2.7 once in a million.
fn kolmogorov_smirnov(mut sample: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let size = sample.len() as f64;
    let distances = sample.iter().enumerate().map(|(i, &x)| {
        let p = distribution(x);
        (p - i as f64 / size).max((i + 1) as f64 / size - p)
    });
    distances.fold(0.0, f64::max) * size.sqrt()
}

/// The standardised mean of a sample of numbers with this mean and variance.
fn standard_error(sample: &[f64], mean: f64, variance: f64) -> f64 {
    let size = sample.len() as f64;
    (sample.iter().sum::<f64>() / size - mean) / (variance / size).sqrt()
}

#[test]
fn distributions_are_uniform_and_normal() {
    fn check<R: Real>(s: &Session, seed: u64) {
        let size = [200_000];
        let doubles = |array: Array<R>| array.to_vec().unwrap().into_iter().map(Into::into).collect::<Vec<f64>>();
        let uniform = doubles(Array::<R>::random_uniform(s, &size, seed).unwrap());
        let normal = doubles(Array::<R>::random_normal(s, &size, seed).unwrap());
        let powers = |sample: &[f64], power| sample.iter().map(|x: &f64| x.powi(power)).collect::<Vec<_>>();
        for (power, mean, variance) in [(1, 0.5, 1.0 / 12.0), (2, 1.0 / 3.0, 4.0 / 45.0)] {
            let error = standard_error(&powers(&uniform, power), mean, variance);
            assert!(error.abs() < 5.0, "uniform, power {power}: {error} standard errors");
        }
        // The moments of the normal distribution: 0, 1, 0, 3, and 1, 3, 15, 105 for twice the power.
        for (power, mean, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            let error = standard_error(&powers(&normal, power), mean, variance);
            assert!(error.abs() < 5.5, "normal, power {power}: {error} standard errors");
        }
        for lag in [1, 2, 64, 4096] {
            let products: Vec<f64> = normal.iter().zip(&normal[lag..]).map(|(a, b)| a * b).collect();
            let error = standard_error(&products, 0.0, 1.0);
            assert!(error.abs() < 5.0, "lag {lag}: {error} standard errors");
        }
        assert!(kolmogorov_smirnov(uniform, |x| x) < 2.7);
        let one = Array::from_slice(s, &normal, &size).unwrap();
        let error_function = one.map(|x| (x / 2f64.sqrt()).erf()).unwrap().to_vec().unwrap();
        let probabilities = error_function.into_iter().map(|x| (1.0 + x) / 2.0).collect();
        assert!(kolmogorov_smirnov(probabilities, |p| p) < 2.7);
    }
    let (s, seed) = (session(), Random::new().next());
    check::<f64>(&s, seed);
    check::<f32>(&s, seed);
}

/// The covariance of fractional Brownian motion at two times.
fn covariance(hurst: f64, s: f64, t: f64) -> f64 {
    (s.powf(2.0 * hurst) + t.powf(2.0 * hurst) - (s - t).abs().powf(2.0 * hurst)) / 2.0
}

/// Compares the sample covariances of paths with the exact ones: at most six standard deviations away.
fn check_covariances(sample: &[f64], steps: usize, pairs: &[(usize, usize)], exact: impl Fn(usize, usize) -> f64) {
    let paths = (sample.len() / steps) as f64;
    for &(i, j) in pairs {
        let found = sample.chunks(steps).map(|path| path[i] * path[j]).sum::<f64>() / paths;
        let (expected, own) = (exact(i, j), exact(i, i) * exact(j, j));
        let deviation = ((own + expected * expected) / paths).sqrt();
        let error = (found - expected) / deviation;
        assert!(error.abs() < 6.5, "{steps} steps, ({i}, {j}): {found}, not {expected}: {error} deviations");
    }
}

#[test]
fn fractional_brownian_motion_has_its_covariance() {
    fn check<R: Real>(s: &Session, seed: u64) {
        for hurst in [0.1, 0.5, 0.9] {
            for steps in [1, 2, 7, 63, 64, 65] {
                let paths = 4000;
                let found = fractional_brownian_motion::<R>(s, hurst, [paths, steps], 3.0, seed).unwrap();
                assert_eq!(found.shape(), [paths, steps]);
                let sample: Vec<f64> = found.to_vec().unwrap().into_iter().map(Into::into).collect();
                let time = |i: usize| 3.0 * (i + 1) as f64 / steps as f64;
                let pairs: Vec<_> = (0..steps).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
                check_covariances(&sample, steps, &pairs, |i, j| covariance(hurst, time(i), time(j)));
            }
        }
    }
    let (s, seed) = (session(), Random::new().next());
    check::<f64>(&s, seed);
    check::<f32>(&s, seed);
}

#[test]
fn long_noise_has_its_covariance() {
    let (s, seed) = (session(), Random::new().next());
    for hurst in [0.05, 0.1, 0.5, 0.9, 0.99] {
        for steps in [4095, 4096, 4097] {
            let noise = fractional_gaussian_noise::<f64>(&s, hurst, [500, steps], seed).unwrap().to_vec().unwrap();
            let pairs = [(0, 0), (0, 1), (0, 15), (7, 24), (1, 1000), (0, steps - 1), (steps - 1, steps - 2)];
            let step = |k: f64| covariance(hurst, 1.0, 1.0 + k) - covariance(hurst, 1.0, k);
            check_covariances(&noise, steps, &pairs, |i, j| step(i.abs_diff(j) as f64));
            let path = fractional_brownian_motion::<f64>(&s, hurst, [500, steps], steps as f64, seed).unwrap();
            let sums = noise.chunks(steps).flat_map(|path| {
                path.iter().scan(0.0, |sum, x| {
                    *sum += x;
                    Some(*sum)
                })
            });
            let far = path.to_vec().unwrap().iter().zip(sums).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-9, "{hurst}, {steps}: {far}");
        }
    }
}

#[test]
fn independent_increments_are_those_of_brownian_motion() {
    let (s, seed) = (session(), Random::new().next());
    let noise = fractional_gaussian_noise::<f64>(&s, 0.5, [1, 100_000], seed).unwrap().to_vec().unwrap();
    for lag in [1, 2, 3, 50] {
        let products: Vec<f64> = noise.iter().zip(&noise[lag..]).map(|(a, b)| a * b).collect();
        assert!(standard_error(&products, 0.0, 1.0).abs() < 5.5, "lag {lag}");
    }
}

#[test]
fn a_path_does_not_depend_on_the_others() {
    let (s, seed) = (session(), Random::new().next());
    let paths = |paths| fractional_brownian_motion::<f64>(&s, 0.7, [paths, 100], 1.0, seed).unwrap().to_vec().unwrap();
    let (few, many) = (paths(3), paths(50));
    for (a, b) in few.iter().zip(&many) {
        assert!((a - b).abs() < 1e-13, "{a}, {b}");
    }
}

#[test]
fn all_hurst_exponents_have_spectra_without_negative_numbers() {
    let s = session();
    for hurst in [1e-6, 0.01, 0.1, 0.25, 0.49, 0.5, 0.51, 0.75, 0.9, 0.99, 1.0 - 1e-9] {
        for steps in [1, 2, 3, 7, 63, 64, 65, 4097, 100_003] {
            let noise = fractional_gaussian_noise::<f64>(&s, hurst, [1, steps], 1).unwrap();
            assert!(noise.map(|x| x.abs()).unwrap().max().unwrap() < 20.0, "{hurst}, {steps}");
        }
    }
}

#[test]
fn noise_outside_its_domain_is_an_error() {
    let s = session();
    for hurst in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        let error = fractional_gaussian_noise::<f64>(&s, hurst, [1, 8], 1).unwrap_err();
        assert!(error.to_string().contains("Hurst exponent must be above 0 and below 1"), "{error}");
    }
    for end in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = fractional_brownian_motion::<f64>(&s, 0.5, [1, 8], end, 1).unwrap_err();
        assert!(error.to_string().contains("end must be positive and finite"), "{error}");
    }
    assert_eq!(fractional_brownian_motion::<f32>(&s, 0.5, [0, 8], 1.0, 1).unwrap().shape(), [0, 8]);
    assert_eq!(fractional_brownian_motion::<f32>(&s, 0.5, [8, 0], 1.0, 1).unwrap().shape(), [8, 0]);
    let many = fractional_gaussian_noise::<f64>(&s, 0.5, [1, usize::MAX], 1).unwrap_err();
    assert!(many.to_string().contains("the number of steps must be at most 1073741824"), "{many}");
    let wide = fractional_gaussian_noise::<f64>(&s, 0.5, [1 << 31, 1 << 20], 1).unwrap_err();
    assert!(matches!(wide, Error::TooLarge { .. }), "{wide}");
    assert!(Array::<f64>::random_normal(&s, &[usize::MAX, 2], 1).is_err());
}
