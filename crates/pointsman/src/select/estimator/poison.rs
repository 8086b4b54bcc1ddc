//! Tests of a selector that is told nonsense: it never panics, never ranks a device that cannot run a kernel, and what its
//! choices cost stays bounded.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::resilience::retry::RandomDraws;
use pointsman_device::DeviceKind;

const WILD: [f64; 12] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, -0.0, 1e-300, 1e-3, 1.0, 1e14, 1e300, f64::MAX];

/// One of the first so many numbers.
fn below(draws: &RandomDraws, end: usize) -> usize {
    (draws.next() * end as f64) as usize
}

fn any(draws: &RandomDraws) -> u64 {
    let octave = below(draws, 65) as u32;
    ((draws.next() * u64::MAX as f64) as u64).checked_shr(octave).unwrap_or(0)
}

fn wild(draws: &RandomDraws) -> f64 {
    WILD[below(draws, WILD.len())]
}

fn selector(arms: usize) -> Selector {
    let kinds = [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::Vulkan];
    let arm = |number: usize| Arm::new(&format!("d{number}"), Profile::guess(kinds[number % 3], 4 + number));
    let options = SelectorOptions { learns_behind: false, ..SelectorOptions::default() };
    Selector::new((0..arms).map(arm).collect(), options).unwrap()
}

fn wild_size(draws: &RandomDraws) -> Size {
    let residency = match below(draws, 4) {
        0 => Residency::HOST,
        1 => Residency::RESIDENT,
        _ => Residency(any(draws) as u32),
    };
    Size { rows: any(draws), residency, locked: draws.next() < 0.3 }
}

fn wild_workload(draws: &RandomDraws) -> Workload {
    let number = || if draws.next() < 0.2 { wild(draws) } else { 8.0 * draws.next() };
    let (read_per_row, written_per_row, fixed_bytes) = (number(), number(), number());
    let operations = std::array::from_fn(|_| number());
    let (input_per_row, output_per_row) = (number(), number());
    let (key, launches) = (below(draws, 40) as u128, any(draws) as u32);
    let sizes =
        Workload { read_per_row, written_per_row, fixed_bytes, input_per_row, output_per_row, ..Workload::default() };
    Workload { key, operations, launches, ..sizes }
}

fn wild_profile(draws: &RandomDraws) -> Profile {
    let curve = || Curve::new((0..below(draws, 6)).map(|_| (wild(draws), wild(draws))).chain([(64.0, 0.1)]));
    let guess = Profile::guess(DeviceKind::Cuda, 8);
    let (launch, compile, copy_start, spread) = (wild(draws), wild(draws), wild(draws), wild(draws));
    let memory = (draws.next() < 0.5).then(|| any(draws));
    let copy_in = Link { pageable: curve(), locked: curve() };
    Profile {
        launch,
        compile,
        copy_start,
        spread,
        memory,
        copy_in,
        read: curve(),
        measured: draws.next() < 0.5,
        ..guess
    }
}

/// What a store could have held before someone wrote into it.
fn corrupt(learned: &Learned, draws: &RandomDraws) -> Learned {
    let mut learned = learned.clone();
    let spoil = |cell: &mut LearnedCell| match below(draws, 8) {
        0 => cell.arm = any(draws) as usize,
        1 => cell.bucket = any(draws) as u8,
        2 => cell.cell.mean = wild(draws),
        3 => cell.cell.count = wild(draws),
        4 => cell.cell.variance = wild(draws),
        5 => (cell.cell.fresh, cell.cell.fresh_mean) = (wild(draws), wild(draws)),
        _ => {}
    };
    for arm in &mut learned.arms {
        (arm.spread, arm.noise, arm.doubt) = (wild(draws), wild(draws), wild(draws));
        arm.cells.iter_mut().for_each(spoil);
        if draws.next() < 0.1 {
            arm.name = "nobody".to_string();
        }
    }
    learned.kernels.iter_mut().flat_map(|kernel| &mut kernel.cells).for_each(spoil);
    learned
}

fn check_rank(selector: &Selector, known: &Known, draws: &RandomDraws) -> Rank {
    let closed = ArmSet(any(draws) as u8);
    let rank = selector.rank(known, wild_size(draws), closed);
    let arms: Vec<usize> = rank.arms().collect();
    let mut unique = arms.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), arms.len(), "{rank:?}");
    assert!(arms.iter().all(|&arm| known.takes.has(arm)) && arms.contains(&0), "{rank:?} of {:?}", known.takes);
    assert!(rank.first() == 0 || !closed.has(rank.first()), "{rank:?} although {closed:?} are closed");
    rank
}

fn step(selector: &Selector, kernels: &mut Vec<Arc<Known>>, draws: &RandomDraws) {
    let known = kernels[below(draws, kernels.len())].clone();
    let rank = check_rank(selector, &known, draws);
    match below(draws, 100) {
        0 => kernels.push(selector.know(&wild_workload(draws), ArmSet(any(draws) as u8))),
        1 => selector.advance_to(Duration::from_nanos(any(draws))),
        2 => selector.set_profile(below(draws, 12), wild_profile(draws)),
        3 => selector.adopt(&corrupt(&selector.learned(), draws)),
        4 if draws.next() < 0.1 => selector.reset(),
        5..10 => selector.learn_now(),
        10..20 => {
            let text = selector.explain(&known, wild_size(draws), ArmSet(any(draws) as u8)).to_string();
            assert!(!text.is_empty());
        }
        _ => {
            let arm = if draws.next() < 0.1 { any(draws) as usize } else { rank.first() };
            let took = match below(draws, 10) {
                0 => None,
                1..5 => Some(wild(draws)),
                _ => Some(1e6 * draws.next()),
            };
            let (explored, contended) = (rank.explores(), draws.next() < 0.1);
            selector.observe(Observation {
                known,
                size: wild_size(draws),
                arm,
                took,
                weight: draws.next(),
                output: Some((draws.next() * 1e20) as u64),
                explored,
                contended,
            });
        }
    }
}

#[test]
fn nonsense_never_panics_and_never_ranks_a_device_that_cannot() {
    let mut nonsense = 0;
    for seed in 0..40 {
        let draws = RandomDraws::new(seed);
        let selector = selector(1 + below(&draws, ARMS_MAX));
        let mut kernels = vec![selector.know(&wild_workload(&draws), ArmSet::ALL)];
        for _ in 0..1500 {
            step(&selector, &mut kernels, &draws);
        }
        selector.learn_now();
        let ledger = selector.ledger();
        nonsense += ledger.rejected;
        let sums = [ledger.time, ledger.best, ledger.exploring, ledger.worst_ratio];
        assert!(sums.iter().all(|sum| *sum >= 0.0 && sum.is_finite()), "seed {seed}: {ledger:?}");
    }
    assert!(nonsense > 1000, "{nonsense}");
}

/// What a call takes in truth on one of three devices, in nanoseconds: a slow one that starts at once, a fast one that
/// does not, and one that is never worth it.
fn truth(kernel: usize, arm: usize, rows: u64) -> f64 {
    let (start, each) = [(400.0, 2.0), (6e4, 0.15), (9e4, 3.0)][arm];
    start + each * rows as f64 * (1.0 + 0.7 * kernel as f64)
}

/// What choices cost with a tenth of all observations poisoned.
struct Cost {
    /// Of the last thousand calls, the part that took at most 1.2 times as long as on the best device.
    near: f64,
    /// What all calls took, as a multiple of what they would have on the best.
    times: f64,
    /// How often a device was taken to have changed; none did.
    drifts: u64,
}

/// Calls of which every tenth is told to have taken what `poison` makes of the time.
fn poisoned(seed: u64, poison: impl Fn(&RandomDraws, f64) -> f64) -> Cost {
    let (draws, selector) = (RandomDraws::new(seed), selector(3));
    let work =
        |kernel: usize| Workload { key: kernel as u128, read_per_row: 4.0, input_per_row: 4.0, ..Workload::default() };
    let kernels: Vec<Arc<Known>> = (0..4).map(|kernel| selector.know(&work(kernel), ArmSet::ALL)).collect();
    let (calls, mut near, mut took, mut least) = (5000, 0, 0.0, 0.0);
    for call in 0..calls {
        let (kernel, size) = (below(&draws, 4), Size::host(2000 << (2 * below(&draws, 6))));
        let rank = selector.rank(&kernels[kernel], size, ArmSet::NONE);
        let real = truth(kernel, rank.first(), size.rows);
        let best = (0..3).map(|arm| truth(kernel, arm, size.rows)).fold(f64::MAX, f64::min);
        near += usize::from(call >= calls - 1000 && real <= 1.2 * best);
        (took, least) = (took + real, least + best);
        selector.advance_to(Duration::from_nanos(took as u64));
        let noise = (0.1 * (draws.next() - 0.5)).exp();
        let told = if below(&draws, 10) == 0 { poison(&draws, real) } else { real * noise };
        let own = Observation::of(&kernels[kernel], size, rank, 0);
        selector.observe(Observation { took: Some(told), weight: 1.0, ..own });
        selector.learn_now();
    }
    Cost { near: near as f64 / 1000.0, times: took / least, drifts: selector.ledger().drifts }
}

/// An arm whose first samples were all poisoned may be left for long; that is rare.
#[test]
fn a_tenth_of_poison_costs_little() {
    // Nonsense, or anything from a thousandth to a thousand times.
    let any = |draws: &RandomDraws, real: f64| match draws.next() {
        part if part < 0.4 => wild(draws),
        _ => real * (6.9 * (2.0 * draws.next() - 1.0)).exp(),
    };
    let costs: Vec<Cost> = (0..20).map(|seed| poisoned(seed, any)).collect();
    let near: Vec<f64> = costs.iter().map(|cost| cost.near).collect();
    let mean = near.iter().sum::<f64>() / near.len() as f64;
    let bad = near.iter().filter(|near| **near < 0.95).count();
    assert!(mean >= 0.97 && bad <= 2, "{near:?}");
}

/// All poison says the same, as a drift would. Where two or three of a device's first samples were poisoned, it is left there.
#[test]
fn a_tenth_that_is_a_thousand_times_too_long_costs_little() {
    for times in [1000.0, 0.001] {
        let costs: Vec<Cost> = (0..20).map(|seed| poisoned(seed, |_, real| real * times)).collect();
        let told: Vec<(f64, f64, u64)> = costs.iter().map(|cost| (cost.near, cost.times, cost.drifts)).collect();
        let near = told.iter().map(|(near, ..)| near).sum::<f64>() / told.len() as f64;
        let took = told.iter().map(|(_, took, _)| took).sum::<f64>() / told.len() as f64;
        let drifts: u64 = told.iter().map(|(.., drifts)| drifts).sum();
        let is_bounded = told.iter().all(|(near, took, _)| *near > 0.65 && *took < 6.0);
        assert!(near > 0.94 && took < 1.6 && is_bounded, "times {times}: {near}, {took}, {told:?}");
        assert!(drifts <= 20, "nothing changed in a hundred thousand calls: {told:?}");
    }
}
