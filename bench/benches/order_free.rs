//! Order-free sums of doubles, per value: integer bins and indexed sums (Demmel, Ahrens and Nguyen), for one group, for a
//! thousand and for a million. `cargo bench -p pointsman-bench --bench order_free`. Decision 34 has the figures.
#![allow(missing_docs, reason = "criterion's macros write public items")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// A float sum whose result does not depend on the order of its values.
trait Accumulator: Copy {
    const NAME: &'static str;
    fn zero() -> Self;
    /// Adds a finite value.
    fn add(&mut self, value: f64);
    /// The sum, with errors of the conversion: it only has to show that the accumulator works.
    fn total(&self) -> f64;
}

/// A plain sum, for comparison: its result depends on the order.
#[derive(Clone, Copy)]
struct Plain(f64);

impl Accumulator for Plain {
    const NAME: &'static str = "plain";
    fn zero() -> Plain {
        Plain(0.0)
    }
    fn add(&mut self, value: f64) {
        self.0 += value;
    }
    fn total(&self) -> f64 {
        self.0
    }
}

/// Six sums of pieces of 24 bits, wide enough for 2^39 values: the accumulator before decision 34.
#[derive(Clone, Copy)]
struct Bins {
    bins: [i64; BIN_COUNT],
    top: i32,
}

const BIN_COUNT: usize = 6;
const BIN_BITS: i32 = 24;
const EMPTY: i32 = i32::MIN;

impl Bins {
    #[cold]
    fn raise(&mut self, bin: i32) {
        let by = if self.top == EMPTY { BIN_COUNT } else { ((bin - self.top) as usize).min(BIN_COUNT) };
        self.bins.copy_within(0..BIN_COUNT - by, by);
        self.bins[..by].fill(0);
        self.top = bin;
    }
}

impl Accumulator for Bins {
    const NAME: &'static str = "bins of 24 bits, 6";
    fn zero() -> Self {
        Bins { bins: [0; BIN_COUNT], top: EMPTY }
    }
    #[inline]
    fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i32;
        let magnitude = bits & ((1 << 52) - 1) | u64::from(biased != 0) << 52;
        // The lowest bit is 2^(place - 1074).
        let place = biased.max(1) - 1;
        let (low, shift) = (place / BIN_BITS, place % BIN_BITS);
        let highest = (place + 52) / BIN_BITS;
        if highest > self.top {
            if value == 0.0 {
                return;
            }
            self.raise(highest);
        }
        let pieces = u128::from(magnitude) << shift;
        let sign = (bits as i64) >> 63;
        let first = (self.top - low) as usize;
        for step in 0..4 {
            let piece = ((pieces >> (step * BIN_BITS)) as i64 & ((1 << BIN_BITS) - 1) ^ sign) - sign;
            if let Some(bin) = self.bins.get_mut(first.wrapping_sub(step as usize)) {
                *bin += piece;
            }
        }
    }
    fn total(&self) -> f64 {
        let unit = |slot: usize| (f64::from(BIN_BITS * (self.top - slot as i32) - 1074)).exp2();
        if self.top == EMPTY {
            return 0.0;
        }
        self.bins.iter().enumerate().map(|(slot, bin)| *bin as f64 * unit(slot)).sum()
    }
}

/// An indexed sum: `COUNT` doubles, each 1.5·2^(40·bin + 52) plus whole numbers of 2^(40·bin), and their carries.
#[derive(Clone, Copy)]
struct Indexed<const COUNT: usize> {
    sums: [f64; COUNT],
    carries: [f64; COUNT],
    top: i32,
    /// Values since the carries were taken.
    pending: u32,
}

/// Bits of a bin, and how many values fit before its carry must be taken.
const WIDTH: i32 = 40;
const PENDING_MAX: u32 = 1 << 10;

fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl<const COUNT: usize> Indexed<COUNT> {
    fn base(bin: i32) -> f64 {
        1.5 * power(WIDTH * bin + 52)
    }

    #[cold]
    fn raise(&mut self, bin: i32) {
        let by = if self.top == EMPTY { COUNT } else { ((bin - self.top) as usize).min(COUNT) };
        for place in (0..COUNT).rev() {
            let from = place.checked_sub(by);
            self.sums[place] = from.map_or(Self::base(bin - place as i32), |from| self.sums[from]);
            self.carries[place] = from.map_or(0.0, |from| self.carries[from]);
        }
        self.top = bin;
    }

    #[cold]
    fn carry(&mut self) {
        for place in 0..COUNT {
            let bin = self.top - place as i32;
            let quarter = power(WIDTH * bin + 50);
            let whole = ((self.sums[place] - Self::base(bin)) / quarter).round();
            self.sums[place] -= whole * quarter;
            self.carries[place] += whole;
        }
        self.pending = 0;
    }
}

impl<const COUNT: usize> Accumulator for Indexed<COUNT> {
    const NAME: &'static str = if COUNT == 2 { "indexed, 2" } else { "indexed, 3" };
    fn zero() -> Self {
        Indexed { sums: [0.0; COUNT], carries: [0.0; COUNT], top: EMPTY, pending: 0 }
    }
    #[inline]
    fn add(&mut self, value: f64) {
        let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        let bin = (exponent + 1).div_euclid(WIDTH);
        if bin > self.top {
            if value == 0.0 {
                return;
            }
            self.raise(bin);
        }
        let mut rest = value;
        for sum in &mut self.sums {
            // The lowest bit breaks ties the same way whatever the sum is.
            let next = *sum + f64::from_bits(rest.to_bits() | 1);
            rest += *sum - next;
            *sum = next;
        }
        self.pending += 1;
        if self.pending == PENDING_MAX {
            self.carry();
        }
    }
    fn total(&self) -> f64 {
        if self.top == EMPTY {
            return 0.0;
        }
        (0..COUNT).rev().fold(0.0, |total, place| {
            let bin = self.top - place as i32;
            total + (self.sums[place] - Self::base(bin)) + self.carries[place] * power(WIDTH * bin + 50)
        })
    }
}

const VALUES: usize = 1 << 20;

/// Values of magnitudes around 1 and either sign, and a group of each.
fn work(groups: usize) -> Vec<(f64, u32)> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let value = |bits: u64| {
        (bits >> 11) as f64 * power(-53 + (bits % 21) as i32 - 10) * if bits & 32 == 0 { 1.0 } else { -1.0 }
    };
    (0..VALUES).map(|_| (value(next()), (next() % groups as u64) as u32)).collect()
}

fn run<A: Accumulator>(criterion: &mut Criterion) {
    for groups in [1, 1_000, 1 << 20] {
        let rows = work(groups);
        let mut states = vec![A::zero(); groups];
        rows.iter().for_each(|(value, group)| states[*group as usize].add(*value));
        let total: f64 = states.iter().map(A::total).sum();
        let expected: f64 = rows.iter().map(|(value, _)| value).sum();
        assert!((total - expected).abs() < 1e-6, "{}: {total} instead of {expected}", A::NAME);
        let mut group = criterion.benchmark_group(format!("{} ({} bytes)", A::NAME, size_of::<A>()));
        group.throughput(Throughput::Elements(VALUES as u64));
        group.bench_function(BenchmarkId::new("groups", groups), |bencher| {
            bencher.iter(|| black_box(&rows).iter().for_each(|(value, group)| states[*group as usize].add(*value)));
        });
        group.finish();
    }
}

fn all(criterion: &mut Criterion) {
    run::<Plain>(criterion);
    run::<Bins>(criterion);
    run::<Indexed<3>>(criterion);
    run::<Indexed<2>>(criterion);
}

criterion_group!(benches, all);
criterion_main!(benches);
