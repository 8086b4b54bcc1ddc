//! Which way comes next, on times that are made up.
#![allow(clippy::unwrap_used)]

use super::*;

const ROWS: usize = 1000;
/// The way in which all share, and a device that works in the host's memory beside one that copies.
const MEMBERS: [Member; 2] =
    [Member { is_open: true, reach: MemoryAccess::ByCopies }, Member { is_open: true, reach: MemoryAccess::InPlace }];

fn party() -> Party {
    Party::new(vec![Arc::default(), Arc::default()])
}

/// Runs a query so often: what it takes each way, together first, and the hints that sharing gives; the ways that it went.
fn go(party: &Party, runs: usize, took: [f64; 3], hints: [f64; 2]) -> Vec<Way> {
    let one = |_| {
        let pick = party.pick(&MEMBERS);
        let hints = if pick.way == Way::Together { &hints.map(Some)[..] } else { &[] };
        party.note(pick, (took[seat(pick.way)], ROWS), hints);
        pick.way
    };
    (0..runs).map(one).collect()
}

fn count(ways: &[Way], way: Way) -> usize {
    ways.iter().filter(|one| **one == way).count()
}

/// What was measured on a machine where the CPU is much the better, and its first look says it is not.
#[test]
fn one_that_is_better_alone_soon_does_all_of_it() {
    for hint in [0.070, 0.100, 0.190] {
        let ways = go(&party(), 64, [0.100, 0.206, 0.070], [0.210, hint]);
        assert_eq!(ways[..2], [Way::Together, Way::Alone(1)], "{hint}");
        assert!(count(&ways, Way::Alone(1)) >= 60, "{hint}: {ways:?}");
        assert_eq!(count(&ways, Way::Alone(0)), 0, "{hint}: it never was worth it: {ways:?}");
    }
}

#[test]
fn what_is_better_together_stays_together() {
    let ways = go(&party(), 64, [0.100, 0.201, 0.496], [0.200, 0.500]);
    assert!(count(&ways, Way::Together) >= 62 && count(&ways, Way::Alone(1)) == 0, "{ways:?}");
    let ways = go(&party(), 64, [0.198, 0.201, 0.496], [0.200, 0.500]);
    assert!(count(&ways, Way::Together) >= 56 && count(&ways, Way::Alone(1)) == 0, "{ways:?}");
}

#[test]
fn a_first_time_is_not_judged() {
    let party = party();
    // Sharing had to set up both.
    assert_eq!(go(&party, 1, [0.240, 0.201, 0.496], [0.210, 0.500]), [Way::Together]);
    let ways = go(&party, 11, [0.150, 0.201, 0.496], [0.210, 0.500]);
    assert_eq!(ways[..2], [Way::Alone(0), Way::Together]);
    assert!(count(&ways, Way::Together) >= 8, "{ways:?}");
    // A device that was disturbed in its first run alone has another chance early.
    let party = self::party();
    assert_eq!(go(&party, 2, [0.100, 0.200, 0.250], [0.210, 0.090]), [Way::Together, Way::Alone(1)]);
    let ways = go(&party, 10, [0.100, 0.200, 0.070], [0.210, 0.090]);
    assert_eq!(ways[..3], [Way::Together, Way::Alone(1), Way::Alone(1)], "{ways:?}");
}

#[test]
fn trials_cost_about_a_hundredth() {
    for took in [[0.100, 0.110, 0.140], [0.140, 0.100, 0.110], [0.149, 0.100, 0.145], [0.100, 0.101, 0.100]] {
        let (runs, party) = (4000, party());
        let ways = go(&party, runs, took, [took[1], took[2]]);
        let all: f64 = ways.iter().map(|way| took[seat(*way)]).sum();
        assert!(all <= 0.100 * runs as f64 * 1.012, "{took:?}: {all}");
        let late = &ways[runs / 2..];
        assert!(
            (0..3).all(|own| took[own] == 0.1 || late.iter().any(|way| seat(*way) == own)),
            "{took:?}: all are asked"
        );
    }
}

#[test]
fn changed_speed_changes_the_strategy() {
    let party = party();
    let ways = go(&party, 40, [0.100, 0.300, 0.070], [0.300, 0.080]);
    assert_eq!(ways[39], Way::Alone(1));
    // Somebody else uses the processor.
    let ways = go(&party, 30, [0.290, 0.300, 0.700], [0.300, 0.700]);
    assert!(count(&ways, Way::Alone(1)) <= 5, "{ways:?}");
    assert!(count(&ways[10..], Way::Together) >= 18, "{ways:?}");
    // And not any more.
    let ways = go(&party, 30, [0.100, 0.300, 0.070], [0.300, 0.080]);
    assert!(count(&ways[10..], Way::Alone(1)) >= 18, "{ways:?}");
    // All is faster, and what was behind is in front.
    let ways = go(&party, 30, [0.020, 0.300, 0.040], [0.300, 0.045]);
    assert!(count(&ways[10..], Way::Together) >= 17, "{ways:?}");
}

/// What slows the best way down for a few runs does not end it.
#[test]
fn one_that_was_the_best_has_another_chance() {
    let party = party();
    go(&party, 40, [0.100, 0.300, 0.070], [0.300, 0.080]);
    let ways = go(&party, 6, [0.100, 0.300, 0.700], [0.300, 0.080]);
    assert!(count(&ways, Way::Together) >= 2, "{ways:?}");
    let ways = go(&party, 40, [0.100, 0.300, 0.070], [0.300, 0.080]);
    assert!(count(&ways, Way::Alone(1)) >= 20, "{ways:?}");
}

/// A device that was measured at a bad time, and shows at a better one that it is faster.
#[test]
fn one_that_shows_itself_faster_is_measured_anew() {
    let party = party();
    (0..2).for_each(|_| party.alone[0].note(5.0, ROWS));
    assert_eq!(count(&go(&party, 20, [1.0, 5.0, 9.0], [5.0, 9.0]), Way::Together), 20);
    assert_eq!(count(&go(&party, 20, [1.0, 5.0, 9.0], [4.5, 9.0]), Way::Together), 20, "that is about the same");
    let ways = go(&party, 10, [1.0, 0.5, 9.0], [0.5, 9.0]);
    assert!(count(&ways, Way::Alone(0)) >= 8, "{ways:?}");
    // What it showed was wrong: it is asked once.
    let party = self::party();
    (0..2).for_each(|_| party.alone[0].note(5.0, ROWS));
    go(&party, 20, [1.0, 5.0, 9.0], [5.0, 9.0]);
    assert_eq!(count(&go(&party, 20, [1.0, 5.0, 9.0], [0.5, 9.0]), Way::Alone(0)), 1);
}

/// What disturbs runs now and then costs little more than itself.
#[test]
fn noise_is_no_change() {
    let (party, mut state, mut lost) = (party(), 7u64, 0.0);
    const RUNS: usize = 2000;
    for _ in 0..RUNS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (part, is_disturbed) = ((state >> 40) as f64 / (1u64 << 24) as f64, (state >> 33) % 10 == 0);
        let noise = if is_disturbed { 3.0 } else { 1.0 + part / 4.0 };
        let took = [0.120, 0.300, 0.100].map(|time| time * noise);
        let ways = go(&party, 1, took, [0.300, 0.100]);
        lost += took[seat(ways[0])] / took[2] - 1.0;
    }
    assert!(lost <= 0.02 * RUNS as f64, "{lost} runs");
}

#[test]
fn who_cannot_be_asked_or_failed_is_passed_over() {
    let party = party();
    go(&party, 12, [0.150, 0.300, 0.070], [0.300, 0.080]);
    let shut = [MEMBERS[0], Member { is_open: false, ..MEMBERS[1] }];
    assert_eq!(party.pick(&shut), Pick::best(Way::Together));
    assert_eq!(party.pick(&MEMBERS).way, Way::Alone(1));
    party.failed(1);
    let ways = go(&party, 100, [0.150, 0.300, 0.070], [0.300, 0.080]);
    assert_eq!(count(&ways[..BARRED_RUNS as usize - 1], Way::Alone(1)), 0, "{ways:?}");
    assert!(count(&ways, Way::Alone(1)) > 20, "{ways:?}");
}

/// Runs that asked for one device alone count too, and what is remembered is bounded.
#[test]
fn ways_are_remembered_by_query_devices_and_size() {
    let ways = Ways::default();
    let topic = |rows| Topic::new(Vec::new(), rows, false);
    ways.alone(&topic(1000), "cpu").note(0.070, 1000);
    ways.alone(&topic(1000), "cpu").note(0.070, 1000);
    let party = ways.party(topic(1023), &["card", "cpu"]);
    assert_eq!(party.known().1, [None, Some(0.070 / 1000.0)]);
    assert_eq!(party.pick(&MEMBERS).way, Way::Together, "what that takes nobody knows");
    party.note(Pick::best(Way::Together), (0.173, ROWS), &[Some(0.2), Some(0.2)]);
    assert_eq!(party.pick(&MEMBERS), Pick::best(Way::Alone(1)), "that need not be tried");
    assert!(ways.party(topic(1024), &["card", "cpu"]).known().1 == [None, None], "another octave");
    assert!(ways.party(Topic::new(Vec::new(), 1000, true), &["card", "cpu"]).known().1 == [None, None]);
    for number in 0..WAYS_MAX {
        ways.party(topic(1000), &[&number.to_string()]);
    }
    assert_eq!(ways.party(topic(1000), &["card", "cpu"]).known().1, [None, None], "it was not asked for longest");
}
