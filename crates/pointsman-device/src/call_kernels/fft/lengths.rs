//! How transforms are divided: the passes of a length, and the radices of a pass. In: lengths. Out: factors.

/// The largest prime that a pass has a butterfly for.
const PRIME_MAX: u64 = 13;

/// Whether a length is a product of primes that passes have butterflies for.
pub(super) fn is_smooth(mut length: u64) -> bool {
    for prime in 2..=PRIME_MAX {
        while length.is_multiple_of(prime) {
            length /= prime;
        }
    }
    length == 1
}

/// The smallest length of at least `least` that has few factors other than 2.
pub(in super::super) fn padded(least: u64) -> u64 {
    let fitted = |odd: u64| odd * least.div_ceil(odd).next_power_of_two();
    [1, 3, 5, 9, 15].map(fitted).into_iter().min().unwrap_or(least)
}

/// Divides a smooth length into as few passes as possible, of at most `pass_max` numbers each and of similar lengths.
pub(super) fn passes(length: u64, pass_max: u64) -> Vec<u64> {
    let found = (1..64).find_map(|count| divided(length, count, pass_max));
    found.expect("a smooth length divides into its primes")
}

/// Divides a length into `count` factors of at most `pass_max`, if that is possible.
fn divided(length: u64, count: u32, pass_max: u64) -> Option<Vec<u64>> {
    if count == 1 {
        return (length <= pass_max).then(|| vec![length]);
    }
    let mean = (length as f64).powf(1.0 / f64::from(count));
    let mut factors: Vec<u64> = (1..=pass_max.min(length)).filter(|factor| length.is_multiple_of(*factor)).collect();
    factors.sort_by(|a, b| ((*a as f64) / mean).ln().abs().total_cmp(&((*b as f64) / mean).ln().abs()));
    factors.into_iter().find_map(|factor| {
        let mut rest = divided(length / factor, count - 1, pass_max)?;
        rest.push(factor);
        Some(rest)
    })
}

/// The radices of a pass of a smooth length.
pub(super) fn radices(mut length: u64) -> Vec<u64> {
    let mut radices = Vec::new();
    for prime in (3..=PRIME_MAX).rev().filter(|prime| prime % 2 == 1) {
        while length.is_multiple_of(prime) && is_prime(prime) {
            radices.push(prime);
            length /= prime;
        }
    }
    let mut bits = length.trailing_zeros();
    // Two fours instead of an eight and a two.
    while bits > 4 || bits == 3 {
        radices.push(8);
        bits -= 3;
    }
    while bits > 0 {
        radices.push(if bits == 1 { 2 } else { 4 });
        bits -= bits.min(2);
    }
    if radices.is_empty() { vec![1] } else { radices }
}

fn is_prime(number: u64) -> bool {
    (2..number).all(|factor| !number.is_multiple_of(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_divide_into_passes_and_radices() {
        for length in (1..5000).chain([1 << 20, 1 << 27, 1_000_000, 13 * 13 * 13 * 13 * 13, 3_u64.pow(15)]) {
            if !is_smooth(length) {
                continue;
            }
            for pass_max in [256, 512, 1024] {
                let passes = passes(length, pass_max);
                assert_eq!(passes.iter().product::<u64>(), length);
                for pass in passes {
                    assert!(pass <= pass_max);
                    assert_eq!(radices(pass).iter().product::<u64>(), pass);
                }
            }
        }
        assert_eq!(passes(1 << 20, 1024), [1024, 1024]);
        assert_eq!(passes(1 << 20, 512).len(), 3);
        for least in 1..2000 {
            assert!(padded(least) >= least && padded(least) <= least.next_power_of_two() && is_smooth(padded(least)));
        }
    }
}
