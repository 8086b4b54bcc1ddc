//! Several devices together are an arm like every other: predicted from its members, measured, and tried.

use super::*;

/// The truth in milliseconds: both devices together, and each alone.
type Truth = [f64; 3];

/// Two devices that should take these milliseconds, and before them both together.
fn both(one: f64, other: f64) -> World {
    let profile = |milliseconds: f64| flat(milliseconds * 1e6, 1e-6);
    let together = Arm::together("both", ArmSet::NONE.with(1).with(2));
    let arms = vec![together, Arm::new("one", profile(one)), Arm::new("other", profile(other))];
    let options = SelectorOptions { learns_behind: false, ..SelectorOptions::default() };
    let selector = Selector::new(arms, options).unwrap();
    let kernel = selector.register(&work(1), ArmSet::ALL);
    World { selector, kernel, draws: RandomDraws::new(1), noise: 0.0 }
}

const SIZE: Size = Size::host(1000);

/// Calls the kernel this often; the arms that ran it.
fn run(world: &World, calls: usize, truth: Truth) -> Vec<usize> {
    (0..calls).map(|_| world.call(SIZE, &truth.map(|milliseconds| milliseconds * 1e6)).0).collect()
}

fn count(runs: &[usize], arm: usize) -> usize {
    runs.iter().filter(|run| **run == arm).count()
}

fn milliseconds(world: &World, arm: usize) -> f64 {
    world.selector.predicted(&world.kernel, SIZE, arm).total() / 1e6
}

#[test]
fn model_adds_rates_and_an_overhead() {
    let world = both(40.0, 120.0);
    let estimate = world.selector.estimate(&world.kernel, SIZE, 0).unwrap();
    assert!((estimate.time - 30.2e6).abs() < 1.0, "{estimate:?}");
    assert!((estimate.parts.total() - estimate.time).abs() < 1.0, "{estimate:?}");
    let rows = Size::host(1 << 30);
    let [bound, one, other] =
        [0, 1, 2].map(|arm| world.selector.estimate(&world.kernel, rows, arm).unwrap().lower_bound);
    assert!((bound - one * other / (one + other)).abs() < 1e-6 * bound && bound > 0.0, "{bound}, {one}, {other}");
    let error = |members| Selector::new(vec![Arm::together("all", members)], SelectorOptions::default()).err().unwrap();
    assert!(error(ArmSet::NONE.with(0)).message().contains("`all` must stand for single devices"));
    assert!(error(ArmSet::NONE.with(5)).message().contains("`all` must stand for single devices"));
}

#[test]
fn sharing_must_gain_a_tenth() {
    for (other, expected) in [(200.0, 1), (80.0, 0)] {
        let world = both(10.0, other);
        assert_eq!(world.first(SIZE), expected, "predicted with {other} ms");
    }
    for (together, expected) in [(9.8, 1), (8.5, 0)] {
        let world = both(10.0, 40.0);
        [1, 1, 1, 0, 0, 0]
            .iter()
            .for_each(|&arm| world.learn_on(SIZE, arm, if arm == 0 { together } else { 10.0 } * 1e6));
        assert_eq!(world.first(SIZE), expected, "measured with {together} ms");
    }
}

#[test]
fn fastest_strategy_wins_after_few_trials() {
    // The second device is best alone; sharing is best; the first device is best.
    for (truth, best) in [
        ([100.0, 206.0, 70.0], 2),
        ([180.0, 206.0, 70.0], 2),
        ([100.0, 200.0, 200.0], 0),
        ([100.0, 133.0, 400.0], 0),
        ([300.0, 100.0, 400.0], 1),
    ] {
        for [one, other] in [[150.0, 150.0], [100.0, 300.0], [300.0, 100.0]] {
            let runs = run(&both(one, other), 32, truth);
            assert!(count(&runs, best) >= 24 && runs[31] == best, "{truth:?} by {one} and {other}: {runs:?}");
        }
    }
}

#[test]
fn right_predictions_save_trials() {
    let runs = run(&both(100.0, 1000.0), 32, [200.0, 100.0, 1000.0]);
    assert!(count(&runs, 1) >= 29 && count(&runs, 2) == 0, "{runs:?}");
    let runs = run(&both(100.0, 200.0), 32, [66.0, 100.0, 200.0]);
    assert!(count(&runs, 0) >= 28, "{runs:?}");
}

#[test]
fn trials_cost_little() {
    for truth in [[100.0, 130.0, 140.0], [140.0, 100.0, 120.0], [100.0, 200.0, 700.0], [120.0, 101.0, 100.0]] {
        let runs = run(&both(150.0, 150.0), 4000, truth);
        let all: f64 = runs.iter().map(|run| truth[*run]).sum();
        assert!(all <= 100.0 * 4000.0 * 1.025, "{truth:?}: {all}");
        assert!(count(&runs[100..], 1) > 0, "it is tried again");
    }
}

#[test]
fn changed_speed_changes_the_strategy() {
    let world = both(150.0, 150.0);
    assert_eq!(run(&world, 40, [100.0, 300.0, 70.0])[39], 2);
    // Another process uses the second device; then it does not any more.
    let runs = run(&world, 100, [200.0, 300.0, 290.0]);
    assert!(count(&runs[..40], 2) <= 10 && count(&runs[50..], 0) >= 45, "{runs:?}");
    let runs = run(&world, 1000, [100.0, 300.0, 70.0]);
    let noticed = runs.iter().position(|arm| *arm == 2);
    assert!(count(&runs[300..350], 2) >= 45, "{noticed:?}: {runs:?}");
}

#[test]
fn disturbed_runs_do_not_change_the_strategy() {
    let world = both(150.0, 150.0);
    run(&world, 20, [120.0, 300.0, 100.0]);
    // Every seventh run of the best device is disturbed.
    let time = |number: usize| if number.is_multiple_of(7) { 300.0 } else { 100.0 };
    let runs = (0..200).flat_map(|number| run(&world, 1, [120.0, 300.0, time(number)]));
    let others = runs.filter(|arm| *arm != 2).count();
    assert!(others <= 8, "{others} runs with another strategy");
}

#[test]
fn failed_or_closed_devices_are_passed_over() {
    let world = both(150.0, 150.0);
    assert_eq!(run(&world, 20, [150.0, 300.0, 70.0])[19], 2);
    assert_eq!(world.selector.rank(&world.kernel, SIZE, ArmSet::NONE.with(2)).first(), 0);
    for pause in [2, 4, 8] {
        world.kernel.record_outcome(2, false);
        let paused = (0..20).take_while(|_| world.kernel.paused_devices().has(2)).count();
        assert_eq!(paused, pause, "a device that fails again is left alone twice as long");
    }
    world.kernel.record_outcome(2, true);
    world.kernel.record_outcome(2, false);
    assert_eq!((0..20).take_while(|_| world.kernel.paused_devices().has(2)).count(), 2);
}

#[test]
fn measured_times_stay_if_a_member_has_a_new_profile() {
    let world = both(40.0, 120.0);
    (0..3).for_each(|_| world.learn_on(SIZE, 0, 50e6));
    world.selector.set_profile(2, flat(1e6, 1e-6));
    assert!((milliseconds(&world, 0) - 50.0).abs() < 0.01, "{}", milliseconds(&world, 0));
    let other = Size::host(1 << 20);
    assert!(world.selector.predicted(&world.kernel, other, 0).total() < 50e6 * 4.0);
    assert!((milliseconds(&world, 1) - 40.0).abs() < 0.01, "{}", milliseconds(&world, 1));
}
