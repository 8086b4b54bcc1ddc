//! Queries that name no device: who answers, what the receipt says of it, and what a session learns.
#![allow(clippy::unwrap_used)]

use pointsman::report::{AdviceKind, Cached};
use pointsman::selector::{Class, Curve, Learned, Link, Profile, Selector};
use pointsman::{Column, DeviceKind, Exactness, FailureClass, I64, Policy, Session, SessionOptions};
use pointsman_device::DeviceErrorKind;
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

const LARGE: usize = 100_000;

/// A session that chooses between the CPU and a simulated device.
fn choosing(
    options: SimOptions,
    change: impl FnOnce(SessionOptions) -> SessionOptions,
) -> (Arc<SimDevice>, Session, Selector) {
    let device = Arc::new(SimDevice::new(options));
    let clock = Arc::new(device.clock().clone());
    let builder = SessionOptions::new().threads(1).add_device(device.clone()).clock(clock).choose_among(["sim"]);
    let session = change(builder).open().unwrap();
    let selector = session.selector().unwrap();
    assert_eq!(selector.names(), ["cpu", "sim"]);
    (device, session, selector)
}

/// A device that takes a millisecond to start, and next to nothing for rows: links and memory of a terabyte a second.
fn slow_to_start() -> Profile {
    let fast = || Curve::flat(1e12);
    let link = || Link { pageable: fast(), locked: fast() };
    let (read, write, copy_in, copy_out) = (fast(), fast(), link(), link());
    let guess = Profile::guess(DeviceKind::Sim, 1);
    Profile { launch: 1e6, read, write, copy_in, copy_out, operations: [0.0; 5], spread: 0.1, ..guess }
}

/// The CPU as it would be if a row took it a microsecond.
fn slow_at_rows() -> Profile {
    Profile { operations: [1e3; 5], spread: 0.1, ..Profile::guess(DeviceKind::Cpu, 1) }
}

fn numbers(rows: usize) -> Vec<i64> {
    (0..rows as i64).map(|i| i * 7919 % 2001 - 1000).collect()
}

/// Has the simulated device compile the query that most tests ask: on its own it would do so behind the callers' backs.
fn compile(session: &Session, numbers: &[i64]) {
    let answer = session.from(numbers).map(|n| n * 3).require("sim").run().unwrap();
    assert_eq!(answer.receipt().device(), "sim");
}

#[test]
fn waiting_for_calibration_ends_if_there_is_nothing_to_measure() {
    let cpu_only = SessionOptions::new().devices(["cpu"]).open().unwrap();
    let (_, simulated, _) = choosing(SimOptions::default(), |builder| builder);
    let (_, switched_off, _) = choosing(SimOptions::default(), |builder| builder.background_calibration(false));
    for session in [cpu_only, simulated, switched_off] {
        session.wait_until_calibrated();
        assert!(!session.is_calibrating());
        assert_eq!(session.from(&[1i64, 2]).sum().unwrap(), 3);
    }
}

#[test]
fn small_queries_run_on_the_cpu_and_large_ones_on_the_card() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let (small, large) = (numbers(100), numbers(LARGE));
    compile(&session, &large);
    for _ in 0..3 {
        let few = session.from(&small).map(|n| n * 3).run().unwrap();
        assert_eq!(few.receipt().device(), "cpu");
        let many = session.from(&large).map(|n| n * 3).run().unwrap();
        let receipt = many.receipt();
        assert_eq!(receipt.device(), "sim");
        assert!(many.iter().copied().eq(large.iter().map(|n| n * 3)));
        let line = receipt.to_string();
        assert!(line.contains(" on sim · cpu would take ~0."), "{line}");
        assert_eq!(receipt.ranking().unwrap().predictions[0].device, "sim");
        assert!(format!("{receipt:#}").contains("ranked   cpu: "), "{receipt:#}");
    }
    assert_eq!(selector.ledger().calls, 0, "nothing is learned");
}

#[test]
fn cpu_answers_while_a_device_compiles() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let first = session.from(&numbers(LARGE)).map(|n| n * 5).run().unwrap();
    assert_eq!(first.receipt().device(), "cpu", "a first query does not wait");
    let why = &first.receipt().attempts()[0].message;
    assert!(why.contains("still compiling the query"), "{why}");
}

/// A session whose CPU takes a microsecond a row and whose device takes a millisecond and compiles for 50, all measured.
fn measured(options: SimOptions) -> (Arc<SimDevice>, Session, Selector) {
    let (device, session, selector) = choosing(options, |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, Profile { measured: true, ..slow_at_rows() });
    selector.set_profile(1, Profile { measured: true, compile: 5e7, ..slow_to_start() });
    (device, session, selector)
}

/// Returns when a query waits for another's compilation.
fn until_one_waits(session: &Session) {
    for _ in 0..1_000_000 {
        if session.program_cache().waited > 0 {
            return;
        }
        std::thread::yield_now();
    }
    panic!("nobody waited");
}

#[test]
fn first_query_waits_for_a_compiler_if_the_cpu_takes_twice_as_long() {
    let (device, session, selector) = measured(SimOptions::default());
    let (short, long) = (numbers(LARGE), numbers(2 * LARGE));
    let ranking = session.from(&long).map(|n| n * 5).explain().step("ranking").unwrap().to_string();
    assert!(ranking.contains("sim: 1.0 ms (") && ranking.contains(" + compile 50.0 ms; never"), "{ranking}");
    device.block_compilations();
    let answer = std::thread::scope(|scope| {
        let asks = scope.spawn(|| session.from(&long).map(|n| n * 5).run().unwrap());
        until_one_waits(&session);
        device.unblock_compilations();
        asks.join().unwrap()
    });
    assert_eq!((answer.receipt().device(), answer.receipt().attempts().len()), ("sim", 0));
    assert_eq!(answer.receipt().program_cache(), Cached::Miss);
    assert!(answer.iter().copied().eq(long.iter().map(|n| n * 5)));
    assert!(!answer.receipt().ranking().unwrap().to_string().contains("compile 50"), "that is done");
    let shorter = session.from(&short).map(|n| n - 5).run().unwrap();
    assert_eq!(shorter.receipt().device(), "cpu", "0.1 s is not twice as long, if it is off by a deviation");
    selector.set_profile(1, Profile { compile: 5e7, ..slow_to_start() });
    let guessed = session.from(&long).map(|n| n + 5).run().unwrap();
    assert_eq!(guessed.receipt().device(), "cpu", "a guess is not enough");
}

#[test]
fn query_does_not_wait_for_a_compiler_if_another_device_is_ready() {
    let clock = SimClock::new();
    let device = |name: &str| {
        let options = SimOptions { name: name.to_string(), clock: clock.clone(), ..SimOptions::default() };
        Arc::new(SimDevice::new(options))
    };
    let builder = SessionOptions::new().threads(1).add_device(device("sim")).add_device(device("other"));
    let builder = builder.clock(Arc::new(clock.clone())).choose_among(["sim", "other"]).policy(Policy::Deterministic);
    let session = builder.open().unwrap();
    let selector = session.selector().unwrap();
    selector.set_profile(0, Profile { measured: true, ..slow_at_rows() });
    selector.set_profile(1, Profile { measured: true, compile: 5e7, ..slow_to_start() });
    selector.set_profile(2, Profile { measured: true, launch: 6e7, ..slow_to_start() });
    let long = numbers(2 * LARGE);
    session.from(&long).map(|n| n * 5).require("other").run().unwrap();
    // The first device takes 50 ms to compile and one to run, this one takes 60 and is ready, and the CPU takes 0.2 s.
    let answer = session.from(&long).map(|n| n * 5).run().unwrap();
    assert_eq!(answer.receipt().device(), "other");
    assert!(answer.receipt().attempts()[0].message.contains("still compiling"), "{}", answer.receipt());
}

#[test]
fn slow_compiler_is_waited_for_only_once() {
    let (device, session, _) = measured(SimOptions::default());
    let long = numbers(2 * LARGE);
    device.block_compilations();
    let asked = std::thread::scope(|scope| {
        let asks = scope.spawn(|| session.from(&long).map(|n| n * 5).run().unwrap());
        until_one_waits(&session);
        // Half of what the CPU should take at the least.
        device.clock().advance(Duration::from_millis(100));
        asks.join().unwrap()
    });
    assert_eq!(asked.receipt().device(), "cpu");
    assert!(asked.receipt().attempts()[0].message.contains("still compiling the query"), "{}", asked.receipt());
    let again = session.from(&long).map(|n| n * 5).run().unwrap();
    assert_eq!((again.receipt().device(), session.program_cache().waited), ("cpu", 1), "nobody waits again");
    device.unblock_compilations();
}

#[test]
fn refusing_compiler_excludes_its_device_for_a_minute() {
    let faults: Vec<SimFault> =
        (0..2).map(|compilation| SimFault::CompileFails { compilation, kind: DeviceErrorKind::Compile }).collect();
    let options = SimOptions { faults: faults.clone(), ..SimOptions::default() };
    let (device, session, selector) = choosing(options, |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let large = numbers(LARGE);
    let query = || session.from(&large).map(|n| n * 3);
    let said = "compilation 0 was told to fail";
    // The first asks for it, the second or a later one is told what came of it.
    let told = (0..10_000).any(|_| {
        std::thread::yield_now();
        query().run().unwrap().receipt().attempts().iter().any(|one| one.class == FailureClass::Compile)
    });
    assert!(told && device.compilations() == 1);
    for _ in 0..10 {
        let answer = query().run().unwrap();
        let receipt = answer.receipt();
        assert_eq!((receipt.device(), receipt.attempts().len()), ("cpu", 0));
        assert!(receipt.why().starts_with("`sim` should finish first, but ") && receipt.why().contains(said));
    }
    let ranking = query().explain().step("ranking").unwrap().to_string();
    assert!(ranking.contains(", closed: ") && ranking.contains(said), "{ranking}");
    assert!(ranking.ends_with("the others are closed"), "{ranking}");
    assert_eq!(device.compilations(), 1);
    device.clock().advance(Duration::from_secs(60));
    let other = "compilation 1 was told to fail";
    let again = (0..10_000).any(|_| {
        std::thread::yield_now();
        query().run().unwrap().receipt().why().contains(other)
    });
    assert!(again && device.compilations() == 2 && device.fired() == faults);
    device.clock().advance(Duration::from_secs(60));
    compile(&session, &large);
    assert_eq!(device.compilations(), 3);
}

#[test]
fn preparing_a_query_loads_its_program_where_it_ran_before() {
    let prepare = |learned: Option<&Learned>| {
        let (device, session, selector) =
            choosing(SimOptions::default(), |builder| builder.background_calibration(false));
        learned.iter().for_each(|learned| selector.adopt(learned));
        session.wait_until_calibrated();
        let prepared = session.prepare(|n: I64| n * 3).unwrap();
        (device.compilations(), prepared, selector)
    };
    let (compilations, prepared, selector) = prepare(None);
    assert_eq!(compilations, 0, "nothing is known of the query");
    // The first run loads the program, so it is not learned from.
    let prepared = prepared.require("sim");
    (0..3).for_each(|_| drop(prepared.run(numbers(LARGE)).unwrap()));
    selector.learn_now();
    let (compilations, prepared, _selector) = prepare(Some(&selector.learned()));
    assert_eq!(compilations, 1);
    assert!(prepared.run(numbers(7)).unwrap().receipt().attempts().is_empty());
}

#[test]
fn lost_device_is_not_chosen_again() {
    let fault = SimFault::Lost { launch: 0 };
    let options = SimOptions { faults: vec![fault], ..SimOptions::default() };
    let (device, session, selector) = choosing(options, |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let large = numbers(LARGE);
    let mut lost = 0;
    for _ in 0..10_000 {
        let answer = session.from(&large).map(|n| n * 3).run().unwrap();
        assert_eq!(answer.receipt().device(), "cpu");
        assert!(answer.iter().copied().eq(large.iter().map(|n| n * 3)));
        lost += answer.receipt().attempts().iter().filter(|attempt| attempt.class == FailureClass::Lost).count();
        if lost > 0 && answer.receipt().attempts().is_empty() {
            break;
        }
        std::thread::yield_now();
    }
    assert_eq!((lost, device.fired()), (1, vec![fault]));
    let after = session.from(&large).map(|n| n * 3).run().unwrap();
    assert!(after.receipt().attempts().is_empty(), "{}", after.receipt());
}

#[test]
fn measured_times_outweigh_predicted_times() {
    // It takes ten seconds, whatever its profile says.
    let speed = SimSpeed { launch: Duration::from_secs(10), ..SimSpeed::default() };
    let (_, session, selector) = choosing(SimOptions { speed, ..SimOptions::default() }, |builder| builder);
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let large = numbers(LARGE);
    compile(&session, &large);
    let mut on_sim = 0;
    for _ in 0..20 {
        let answer = session.from(&large).map(|n| n * 3).run().unwrap();
        on_sim += usize::from(answer.receipt().device() == "sim");
        selector.learn_now();
    }
    assert!(on_sim <= 3, "{on_sim} of 20 calls went to a device that takes ten seconds");
    let ledger = selector.ledger();
    assert!(ledger.lost() > 9e9, "{ledger:?}");
}

#[test]
fn runs_on_requested_devices_are_learned_from() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder);
    let large = numbers(LARGE);
    for _ in 0..3 {
        session.from(&large).map(|n| n * 3).require("sim").run().unwrap();
    }
    selector.learn_now();
    let ledger = selector.ledger();
    assert_eq!(ledger.arms[1].0, 2, "{ledger:?}: all but the first, which compiles");
}

#[test]
fn resident_columns_favour_their_device() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder.policy(Policy::Deterministic));
    // Copies take longer than the CPU does for all of it.
    let slow = || Link { pageable: Curve::flat(1e6), locked: Curve::flat(1e6) };
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, Profile { copy_in: slow(), ..slow_to_start() });
    let column = Column::from(numbers(LARGE));
    let sum = || session.from(&column).map(|n| n * 3).sum();
    assert_eq!(sum().unwrap(), numbers(LARGE).iter().map(|n| n * 3).sum::<i64>());
    let device = |session: &Session| {
        let query = session.from(&column).map(|n| n * 3);
        query.folds(|n| n.sum()).run().unwrap().receipt().device().to_string()
    };
    assert_eq!(device(&session), "cpu");
    session.keep(&column, "sim").unwrap();
    let there = (0..10_000).any(|_| {
        std::thread::yield_now();
        device(&session) == "sim"
    });
    assert!(there, "it lies there");
}

/// The card would be faster if it had the column, and the link is slow: the account says how many uses pay for the copy.
#[test]
fn advice_names_the_device_that_would_be_faster_with_the_columns() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder.keep_receipts(10));
    let slow = || Link { pageable: Curve::flat(1e6), locked: Curve::flat(1e6) };
    selector.set_profile(1, Profile { launch: 1.0, copy_in: slow(), ..slow_to_start() });
    // Enough rows that every processor takes longer than the calls whose gains are guessed.
    let rows = 20 * LARGE;
    let column = Column::from(numbers(rows));
    let sum = || session.from(&column).map(|n| n * 3).folds(|n| n.sum());
    let devices: Vec<String> = (0..3).map(|_| sum().run().unwrap().receipt().device().to_string()).collect();
    assert_eq!(devices, ["cpu"; 3], "the copy takes 16 s");
    selector.learn_now();
    let advice = session.advise(&sum());
    let one = advice.iter().find(|one| one.kind == AdviceKind::KeepResident).expect("the card would be faster");
    assert!(one.text.contains("16 MB") && one.text.contains("more uses pay for the copy"), "{one}");
    assert!(one.text.contains("`sim`") && !one.gain.is_zero(), "{one}");
    let borrowed = numbers(rows);
    let advice = session.advise(&session.from(&borrowed).map(|n| n * 3).folds(|n| n.sum()));
    assert!(advice.iter().all(|one| one.kind != AdviceKind::KeepResident), "a slice cannot stay there");
}

#[test]
fn page_locked_input_makes_copies_cheaper() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder);
    // From memory that the system may move, copies take longer than the CPU does for all of it.
    let links = || Link { pageable: Curve::flat(1e6), locked: Curve::flat(1e12) };
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, Profile { copy_in: links(), ..slow_to_start() });
    let pageable = numbers(LARGE);
    let mut locked = session.page_locked::<i64>("sim", LARGE).unwrap();
    locked.copy_from_slice(&pageable);
    let ranking = |values: &[i64]| session.from(values).map(|n| n * 3).explain().step("ranking").unwrap().to_string();
    let (moved, stays) = (ranking(&pageable), ranking(&locked));
    assert!(moved.starts_with("100000 rows\ncpu: "), "{moved}");
    assert!(stays.starts_with("100000 rows in page-locked memory\nsim: "), "{stays}");
    assert!(ranking(&locked[..LARGE - 1]).contains("page-locked"), "a part of it is locked too");
    assert!(!ranking(&locked[..1000]).contains("page-locked"), "few rows are not worth a copy of their own");
    compile(&session, &locked);
    for _ in 0..3 {
        assert_eq!(session.from(&locked[..]).map(|n| n * 3).run().unwrap().receipt().device(), "sim");
    }
    selector.learn_now();
    let classes: Vec<Class> =
        selector.learned().kernels.values().flat_map(|kernel| &kernel.cells).map(|cell| cell.class).collect();
    assert!(classes.contains(&Class::Locked), "{classes:?}");
}

#[test]
fn exactness_has_priority_over_speed() {
    let options = SimOptions { exactness: Exactness::Bounded, ..SimOptions::default() };
    let (_, session, selector) = choosing(options, |builder| builder);
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let x: Vec<f32> = (0..LARGE).map(|i| i as f32).collect();
    for _ in 0..5 {
        let answer = session.from(&x).map(|x| x * 0.1).run().unwrap();
        assert_eq!(answer.receipt().device(), "cpu");
        assert!(answer.receipt().ranking().is_none(), "there is nothing to choose from");
    }
}

#[test]
fn explain_shows_the_predicted_time_of_each_device() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder);
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let explain = session.from(&numbers(LARGE)).map(|n| n * 3).explain();
    let features = "store: a row reads 8.0 B and writes 8.0 B, 1.0 operations (0.06 a byte) on values of 8 B";
    assert_eq!(explain.step("features").unwrap(), format!("{features}; 1 kernels, in order, without loops"));
    let ranking = explain.step("ranking").unwrap();
    assert!(ranking.starts_with("100000 rows\nsim: 1.0 ms ("), "{ranking}");
    assert!(ranking.contains("launch 1.0 ms + ") && ranking.contains("never measured at this size"), "{ranking}");
    let without = SessionOptions::new().open().unwrap();
    assert_eq!(without.from(&[1i64]).map(|n| n * 3).prefer("cpu").explain().step("ranking"), None);
}

#[test]
fn explain_shows_the_thread_count() {
    let program = |threads: usize, rows: usize| {
        let session = SessionOptions::new().devices(["cpu"]).threads(threads).open().unwrap();
        let explain = session.from(&numbers(rows)).map(|n| n * 3).explain();
        explain.step("program").unwrap().to_string()
    };
    assert!(program(2, 1000).ends_with(", on 1 of 2 threads"), "{}", program(2, 1000));
    assert!(program(2, 10_000_000).ends_with(", on 2 of 2 threads"), "{}", program(2, 10_000_000));
    assert!(program(1, 10_000_000).ends_with(", on 1 of 1 threads"));
    let prepared = Session::open().unwrap().prepare(|n: I64| n * 3).unwrap().explain();
    assert!(!prepared.step("program").unwrap().contains("threads"), "{prepared}");
}
