//! The selector on devices whose true costs are known here and not to it.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::resilience::retry::RandomDraws;
use pointsman_device::DeviceKind;

/// Some devices with true costs, and a selector over them.
struct World {
    selector: Selector,
    known: Vec<Arc<Known>>,
    /// Nanoseconds of a call by device, kernel and rows.
    cost: Box<dyn Fn(usize, usize, u64) -> f64>,
    draws: RandomDraws,
    noise: f64,
}

impl World {
    /// Two devices: one that begins at once and takes a nanosecond a row, and one that takes 100 µs to begin and a
    /// hundredth of that a row; as the selector is told, or so many times as slow.
    fn new(truth: impl Fn(usize, usize, u64) -> f64 + 'static, kernels: usize) -> World {
        let host = Profile { launch: 100.0, spread: 0.35, ..flat(1.0) };
        let card = Profile { launch: 1e5, spread: 0.35, ..flat(0.01) };
        let arms = vec![Arm::new("cpu", host), Arm::new("card", card)];
        let options = SelectorOptions { learns_behind: false, ..SelectorOptions::default() };
        let selector = Selector::new(arms, options).unwrap();
        let work = |key: usize| Workload { key: key as u128, read_per_row: 1.0, ..Workload::default() };
        let known = (0..kernels).map(|key| selector.know(&work(key), ArmSet::ALL)).collect();
        World { selector, known, cost: Box::new(truth), draws: RandomDraws::new(1), noise: 0.0 }
    }

    /// One call; who ran it, and what it took without noise.
    fn call(&self, kernel: usize, rows: u64) -> (usize, f64) {
        let (known, size) = (&self.known[kernel], Size::host(rows));
        let rank = self.selector.rank(known, size, ArmSet::NONE);
        let cost = (self.cost)(rank.first(), kernel, rows);
        let took = cost * (1.0 + self.noise * (2.0 * self.draws.next() - 1.0));
        // All calls are told, so each stands for itself.
        let own = Observation::of(known, size, rank, 0);
        self.selector.observe(Observation { took: Some(took), weight: 1.0, ..own });
        self.selector.learn_now();
        (rank.first(), cost)
    }

    /// Who would run a call.
    fn first(&self, kernel: usize, rows: u64) -> usize {
        self.selector.settled(&self.known[kernel], Size::host(rows), ArmSet::NONE).first()
    }

    fn best(&self, kernel: usize, rows: u64) -> f64 {
        (self.cost)(0, kernel, rows).min((self.cost)(1, kernel, rows))
    }
}

fn flat(each: f64) -> Profile {
    let speed = || Curve::flat(1e9 / each);
    let guess = Profile::guess(DeviceKind::Cpu, 1);
    Profile { read: speed(), write: speed(), operations: [0.0; CLASSES], measured: true, ..guess }
}

/// What the selector is told.
fn told(arm: usize, rows: u64) -> f64 {
    if arm == 0 { 100.0 + rows as f64 } else { 1e5 + 0.01 * rows as f64 }
}

#[test]
fn a_true_model_is_right_at_once() {
    let world = World::new(|arm, _, rows| told(arm, rows), 1);
    for rows in [1, 100, 10_000, 90_000, 120_000, 1_000_000, 1_000_000_000] {
        let (_, cost) = world.call(0, rows);
        assert_eq!(cost, world.best(0, rows), "{rows} rows");
    }
}

#[test]
fn one_size_teaches_the_others() {
    // The card is thirty times as slow at rows as it should be: still the better one, but later.
    let world = World::new(|arm, _, rows| if arm == 0 { told(0, rows) } else { 1e5 + 0.3 * rows as f64 }, 1);
    for _ in 0..3 {
        world.call(0, 1 << 22);
    }
    let explained = world.selector.explain(&world.known[0], Size::host(1 << 23), ArmSet::NONE);
    let card = explained.predictions.iter().find(|one| one.device == "card").unwrap();
    let truth = 1e5 + 0.3 * (1u64 << 23) as f64;
    assert!((card.time() / truth).ln().abs() < 0.25, "{explained}");
    assert_eq!(card.samples, 0);
}

#[test]
fn what_costs_next_to_nothing_is_tried_although_it_should_be_slower() {
    // The processor should take twice as long as the card for such calls, and takes half as long.
    let rows = 220_000;
    let truth = move |arm: usize, kernel: usize, own: u64| {
        told(arm, own) * if (arm, kernel, own) == (0, 0, rows) { 0.25 } else { 1.0 }
    };
    let world = World::new(truth, 2);
    let calls = |count: usize| -> Vec<usize> { (0..count).map(|_| world.call(0, rows).0).collect() };
    assert_eq!(calls(8), [1; 8], "it is not likely to pay");
    for _ in 0..100 {
        world.call(1, 1 << 30);
    }
    assert_eq!(calls(8).last(), Some(&0), "but it is cheap beside what others take");
    let ledger = world.selector.ledger();
    assert!(ledger.explored > 0.0 && ledger.explored < 0.001 * ledger.time, "{ledger:?}");
}

#[test]
fn while_another_may_be_chosen_soon_every_call_is_told() {
    let world = World::new(|arm, _, rows| told(arm, rows), 1);
    let (known, size) = (&world.known[0], Size::host(80_000));
    (0..20).for_each(|_| assert_eq!(world.call(0, size.rows).0, 0));
    let is_told = || world.selector.rank(known, size, ArmSet::NONE).is_worth_learning(told(0, size.rows) as u64, 1);
    assert!(!is_told(), "nobody else is near");
    let rank = world.selector.settled(known, size, ArmSet::NONE);
    for _ in 0..2 {
        world.selector.observe(Observation { arm: 1, weight: 1.0, ..Observation::of(known, size, rank, 50_000) });
        world.selector.learn_now();
    }
    assert_eq!(world.first(0, size.rows), 0, "it was better twice, not three times");
    assert!(is_told());
}

#[test]
fn an_exploration_that_others_were_in_the_way_of_is_paid_for() {
    let world = World::new(|arm, _, rows| told(arm, rows), 1);
    let (known, size) = (&world.known[0], Size::host(1 << 14));
    let rank = world.selector.rank(known, size, ArmSet::NONE);
    let own = Observation { explored: true, contended: true, ..Observation::of(known, size, rank, 20_000) };
    world.selector.observe(own);
    world.selector.learn_now();
    assert_eq!(world.selector.ledger().explored, 20_000.0);
}

#[test]
fn one_outlier_changes_nothing() {
    let mut world = World::new(|arm, _, rows| told(arm, rows), 1);
    world.noise = 0.1;
    for _ in 0..20 {
        world.call(0, 1 << 14);
    }
    let (known, size) = (&world.known[0], Size::host(1 << 14));
    let rank = world.selector.settled(known, size, ArmSet::NONE);
    for _ in 0..2 {
        world.selector.observe(Observation::of(known, size, rank, 100_000_000));
        world.selector.learn_now();
        assert_eq!(world.first(0, 1 << 14), 0, "one call that took six thousand times as long");
        for _ in 0..20 {
            world.call(0, 1 << 14);
        }
    }
}

#[test]
fn a_device_that_turns_slow_is_left_within_calls_and_taken_again_when_it_recovers() {
    use std::sync::atomic::AtomicU64;
    let factor = Arc::new(AtomicU64::new(1));
    let seen = factor.clone();
    let slow =
        move |arm: usize, rows: u64| told(arm, rows) * if arm == 1 { seen.load(Ordering::Relaxed) as f64 } else { 1.0 };
    let mut world = World::new(move |arm, _, rows| slow(arm, rows), 6);
    world.noise = 0.05;
    let calls = |world: &World, count: usize| {
        let ratio = |call: usize| {
            let (kernel, rows) = (call % 6, 1 << (18 + call % 3));
            let (_, cost) = world.call(kernel, rows);
            cost / world.best(kernel, rows)
        };
        (0..count).map(ratio).collect::<Vec<f64>>()
    };
    calls(&world, 300);
    factor.store(10, Ordering::Relaxed);
    let after = calls(&world, 100);
    let wrong = after.iter().filter(|ratio| **ratio > 1.2).count();
    assert!(wrong <= 4 && after[50..].iter().all(|ratio| *ratio < 1.2), "{wrong} wrong: {after:?}");
    // It is as it was, and nobody knows: what was not measured for long is tried again.
    factor.store(1, Ordering::Relaxed);
    world.selector.advance_to(Duration::from_secs(3600));
    calls(&world, 3000);
    let back = calls(&world, 100);
    let right = back.iter().filter(|ratio| **ratio < 1.2).count();
    assert!(right >= 95, "{right} of the last 100 calls went to the right device");
}

/// A call that takes ten times as long as it should.
fn disturbed(world: &World, kernel: usize, rows: u64) {
    let (known, size) = (&world.known[kernel], Size::host(rows));
    let rank = world.selector.settled(known, size, ArmSet::NONE);
    let took = (10.0 * (world.cost)(rank.first(), kernel, rows)) as u64;
    world.selector.observe(Observation::of(known, size, rank, took));
    world.selector.learn_now();
}

#[test]
fn after_an_unusual_call_all_calls_of_its_device_are_told() {
    let world = World::new(|arm, _, rows| told(arm, rows), 2);
    let is_told = |kernel: usize| {
        let rank = world.selector.rank(&world.known[kernel], Size::host(1 << 12), ArmSet::NONE);
        assert_eq!(rank.first(), 0);
        rank.is_worth_learning(told(0, 1 << 12) as u64, 1)
    };
    for call in 0..600 {
        world.call(call % 2, 1 << 12);
    }
    assert!(!is_told(0) && !is_told(1), "nothing happens there");
    disturbed(&world, 0, 1 << 12);
    assert!(is_told(0) && is_told(1), "is it the device?");
    for call in 0..10 {
        world.call(call % 2, 1 << 12);
    }
    assert!(!is_told(0) && !is_told(1), "it was one call");
}

#[test]
fn what_one_kernel_showed_is_believed_of_another_at_its_next_call() {
    use std::sync::atomic::AtomicU64;
    let factor = Arc::new(AtomicU64::new(1));
    let seen = factor.clone();
    let slow =
        move |arm: usize, rows: u64| told(arm, rows) * if arm == 1 { seen.load(Ordering::Relaxed) as f64 } else { 1.0 };
    let world = World::new(move |arm, _, rows| slow(arm, rows), 3);
    for call in 0..600 {
        world.call(call % 3, 1 << (18 + call / 3 % 3));
    }
    // The other is known at all sizes, so that no choice changes because it was never tried.
    for call in 0..36 {
        let (known, size) = (&world.known[call % 3], Size::host(1 << (18 + call / 3 % 3)));
        let rank = world.selector.settled(known, size, ArmSet::NONE);
        let own = Observation { arm: 0, weight: 1.0, ..Observation::of(known, size, rank, told(0, size.rows) as u64) };
        world.selector.observe(own);
        world.selector.learn_now();
    }
    factor.store(10, Ordering::Relaxed);
    (0..3).for_each(|_| assert_eq!(world.call(0, 1 << 19).0, 1));
    let firsts = |kernel: usize| [18, 19, 20].map(|size| world.first(kernel, 1 << size));
    assert_eq!(firsts(0), [0; 3], "three calls of one size show it for all");
    assert_eq!((firsts(1), firsts(2)), ([1; 3], [1; 3]), "others may not have changed");
    assert_eq!(world.call(1, 1 << 18).0, 1);
    assert_eq!((firsts(1), world.selector.ledger().drifts), ([0; 3], 2), "one call shows that this one did");
}

#[test]
fn close_choices_do_not_flap() {
    let mut world = World::new(|arm, _, rows| if arm == 0 { told(0, rows) } else { told(0, rows) * 0.98 }, 1);
    world.noise = 0.2;
    let mut last = None;
    let mut switches = 0;
    for _ in 0..2000 {
        world.call(0, 1 << 17);
        let first = Some(world.first(0, 1 << 17));
        switches += usize::from(last.is_some() && last != first);
        last = first;
    }
    assert!(switches <= 6, "{switches} switches between two that differ by 2 %");
}

#[test]
fn exploring_costs_less_than_a_hundredth() {
    // The card is not what the selector is told, in a way that differs by kernel.
    let wrong = |kernel: usize| [0.3, 3.0, 10.0, 0.1, 1.0, 200.0, 0.5, 50.0][kernel % 8];
    let begins = |kernel: usize| if kernel == 6 { 3e4 } else { 1e5 };
    let card = move |kernel: usize, rows: u64| begins(kernel) + 0.01 * wrong(kernel) * rows as f64;
    let mut world = World::new(move |arm, kernel, rows| if arm == 1 { card(kernel, rows) } else { told(0, rows) }, 8);
    world.noise = 0.1;
    for call in 0..4000usize {
        world.call(call % 8, 1 << (12 + call * 7 % 12));
    }
    let ledger = world.selector.ledger();
    assert!(ledger.exploring < 0.01 * ledger.time, "{ledger:?}");
    let (mut chosen, mut best) = (0.0, 0.0);
    for kernel in 0..8 {
        for size in 12..24 {
            let arm = world.first(kernel, 1 << size);
            let (cost, least) = ((world.cost)(arm, kernel, 1 << size), world.best(kernel, 1 << size));
            let why = world.selector.explain(&world.known[kernel], Size::host(1 << size), ArmSet::NONE);
            assert!(cost < 1.2 * least, "kernel {kernel}, 2^{size} rows: {cost} instead of {least}: {why}");
            (chosen, best) = (chosen + cost, best + least);
        }
    }
    assert!(best / chosen > 0.99, "{}", best / chosen);
}

#[test]
fn a_device_that_was_only_guessed_is_explored() {
    // It should take two and a half times as long as the CPU, and takes a quarter.
    let world = World::new(|arm, _, rows| told(0, rows) * if arm == 1 { 0.25 } else { 1.0 }, 1);
    world.selector.set_profile(1, Profile { spread: 0.8, measured: false, ..flat(2.5) });
    let calls: Vec<usize> = (0..2000).map(|_| world.call(0, 1 << 16).0).collect();
    let ledger = world.selector.ledger();
    assert!(ledger.explorations > 0 && ledger.exploring < 0.01 * ledger.time, "{ledger:?}");
    assert_eq!((calls[0], calls[1999]), (0, 1));
}

#[test]
fn who_forgets_begins_anew() {
    let world = World::new(|arm, _, rows| told(1 - arm, rows), 1);
    for _ in 0..20 {
        world.call(0, 1 << 20);
    }
    assert_eq!(world.first(0, 1 << 20), 0, "the CPU is the card here");
    world.selector.reset();
    assert_eq!(world.selector.ledger(), Ledger::default());
    assert_eq!(world.first(0, 1 << 20), 1, "as it was told");
}

#[test]
fn what_was_learned_can_be_taken_along() {
    let world = World::new(|arm, _, rows| told(1 - arm, rows), 3);
    for call in 0..300usize {
        world.call(call % 3, 1 << (14 + call % 8));
    }
    let other = World::new(|arm, _, rows| told(1 - arm, rows), 0);
    other.selector.adopt(&world.selector.learned());
    for kernel in 0..3usize {
        let known = other.selector.know(world.known[kernel].workload(), ArmSet::ALL);
        for size in 14..22 {
            let first = other.selector.rank(&known, Size::host(1 << size), ArmSet::NONE).first();
            assert_eq!(first, world.first(kernel, 1 << size), "kernel {kernel}, 2^{size} rows");
        }
    }
}

#[test]
fn calls_are_learned_from_behind_the_callers_back() {
    let arms = vec![Arm::new("cpu", flat(1.0)), Arm::new("card", flat(0.01))];
    let selector = Selector::new(arms, SelectorOptions::default()).unwrap();
    let known = selector.know(&Workload { key: 7, read_per_row: 1.0, ..Workload::default() }, ArmSet::ALL);
    let rank = selector.rank(&known, Size::host(1000), ArmSet::NONE);
    selector.observe(Observation::of(&known, Size::host(1000), rank, 5000));
    let learned = (0..10_000_000u64).any(|_| {
        std::thread::yield_now();
        selector.ledger().calls == 1
    });
    assert!(learned);
}

#[test]
fn runs_beside_others_tell_of_the_crowd_and_not_of_the_device() {
    let world = World::new(|arm, _, rows| told(arm, rows), 1);
    let (known, size) = (&world.known[0], Size::host(1 << 14));
    (0..5).for_each(|_| assert_eq!(world.call(0, 1 << 14).0, 0));
    let alone = world.selector.predicted_in_company(known, size, 0);
    let rank = world.selector.settled(known, size, ArmSet::NONE);
    for _ in 0..50 {
        let beside = Observation::of(known, size, rank, (4.0 * told(0, 1 << 14)) as u64);
        world.selector.observe(Observation { contended: true, ..beside });
    }
    world.selector.learn_now();
    assert_eq!(world.selector.ledger().contended, 50);
    let crowded = world.selector.predicted_in_company(known, size, 0);
    assert!(crowded > 3.0 * alone && crowded < 4.5 * alone, "{alone} alone, {crowded} beside others");
    let ranking = world.selector.explain(known, size, ArmSet::NONE);
    assert!((ranking.predictions[0].time() / alone).ln().abs() < 0.05, "{ranking}");
}

#[test]
fn too_many_devices_are_an_error() {
    let arms = |count: usize| (0..count).map(|_| Arm::new("one", flat(1.0))).collect::<Vec<_>>();
    let options = SelectorOptions::default();
    assert!(Selector::new(arms(ARMS_MAX), options.clone()).is_ok());
    for count in [0, ARMS_MAX + 1] {
        let error = Selector::new(arms(count), options.clone()).err().unwrap();
        assert!(error.message().contains("1 to 8 devices"), "{error}");
    }
}
