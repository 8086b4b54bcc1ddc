//! Tests of the store: stored state is restored, damaged and foreign files are not used, and processes that share a
//! file lose nothing.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::private_dir::scratch::Scratch;
use crate::select::estimator::{
    Arm, ArmSet, Class, Curve, Learned, LearnedCell, LearnedKernel, Link, Observation, Octave, Profile, RankReason,
    SelectorOptions, Size, Workload,
};
use pointsman_device::DeviceKind;
use pointsman_device::sim::SimClock;
use std::fs;
use std::path::Path;

fn store_of(directory: &Path, hardware: &str, build: &str) -> Store {
    let mut store = Store::open(directory, hardware).unwrap();
    store.add_device("cpu", &format!("a processor, build {build}"));
    store.add_device("cuda:0", &format!("a card, build {build}"));
    store
}

fn store(directory: &Path) -> Store {
    store_of(directory, "a processor, 8 threads", "1")
}

/// A measured profile whose curves have powers of two, which survive logarithms to the bit.
fn profile(kind: DeviceKind) -> Profile {
    let curve = || Curve::new([(1.0, 0.125), (4096.0, 0.0625)]);
    let (guess, link) = (Profile::guess(kind, 16), || Link { pageable: curve(), locked: curve() });
    let [copy_in, copy_out] = if kind == DeviceKind::Cpu { Default::default() } else { [link(), link()] };
    Profile { read: curve(), write: curve(), copy_in, copy_out, measured: true, spread: 0.35, ..guess }
}

fn arms() -> Vec<Arm> {
    vec![Arm::new("cpu", profile(DeviceKind::Cpu)), Arm::new("cuda:0", profile(DeviceKind::Cuda))]
}

fn cell(arm: usize, rows: u64, nanoseconds: f64) -> LearnedCell {
    let (class, working_set, output) = (Class::Pageable, Octave::of(48 * rows), Octave::of(rows / 2));
    LearnedCell { arm, class, working_set, output, rows, nanoseconds, spread: 0.1, runs: 5 }
}

fn learned(kernels: impl IntoIterator<Item = (u128, Vec<LearnedCell>)>) -> Learned {
    let kernels = kernels.into_iter().map(|(key, cells)| (key, LearnedKernel { uses: 3, cells })).collect();
    Learned { arms: arms(), kernels }
}

fn sample() -> Learned {
    learned([(7, vec![cell(0, 1000, 5e5), cell(1, 1000, 1e5 / 3.0)]), (9, vec![cell(1, 3, 2e3)])])
}

fn save(store: &Store, learned: &Learned) -> io::Result<()> {
    store.save(&lines::write(learned, &store.devices))
}

fn load(store: &Store) -> Option<Learned> {
    let mut learned = lines::read(&store.read().unwrap(), &store.devices)?;
    // A file has no order of cells.
    learned.kernels.values_mut().for_each(|kernel| kernel.cells.sort_by_key(|cell| (cell.arm, cell.rows)));
    Some(learned)
}

#[test]
fn guessed_profiles_are_not_stored() {
    let scratch = Scratch::new();
    let (own, mut guessed) = (store(&scratch.0), sample());
    guessed.arms[0].profile = Profile::guess(DeviceKind::Cpu, 16);
    save(&own, &guessed).unwrap();
    assert_eq!(load(&own).unwrap().arms.iter().map(|arm| arm.profile.measured).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn every_changed_byte_and_every_other_length_is_refused_and_replaced() {
    let scratch = Scratch::new();
    let own = store(&scratch.0);
    save(&own, &sample()).unwrap();
    let whole = fs::read(own.path()).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(own.path(), bytes).unwrap();
        load(&own).is_none()
    };
    for at in 0..whole.len() {
        for bit in [0x10, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= bit;
            assert!(refused(&bytes), "byte {at}");
        }
    }
    (0..whole.len()).step_by(7).for_each(|length| assert!(refused(&whole[..length]), "{length} bytes"));
    assert!(refused(&[&whole[..], &[0]].concat()));
    save(&own, &sample()).unwrap();
    assert_eq!(load(&store(&scratch.0)), Some(sample()), "another process reads it to the bit");
}

/// Lines that no program wrote: what makes no sense is skipped, and nothing panics.
#[test]
fn impossible_lines_never_panic() {
    let scratch = Scratch::new();
    let own = store(&scratch.0);
    let impossible = vec![cell(0, 1000, 5e5), cell(0, 9, f64::NAN), LearnedCell { spread: -1.0, ..cell(0, 90, 1.0) }];
    save(&own, &learned([(1, impossible)])).unwrap();
    let selector = selector();
    let kernel = selector.register(&work(1), ArmSet::ALL);
    assert!(own.restore(&selector));
    let size = |rows: u64| cell(0, rows, 1.0).size();
    let ranking = |rows: u64| selector.explain(&kernel, size(rows), ArmSet::NONE).to_string();
    assert!(ranking(1000).contains("3 runs") && !ranking(9).contains(" runs") && !ranking(90).contains(" runs"));
    let whole = own.read().unwrap();
    for at in 0..whole.len() {
        for character in ["", "0", "-", " ", "\n", "=", ";", ":", "e9", "NaN"] {
            let lines = [&whole[..at], character, &whole[at + 1..]].concat();
            lines::read(&lines, &own.devices).iter().for_each(|learned| selector.adopt(learned));
        }
    }
}

#[test]
fn file_of_another_machine_is_not_used() {
    let scratch = Scratch::new();
    let (own, other) = (store(&scratch.0), store_of(&scratch.0, "another processor", "1"));
    save(&own, &sample()).unwrap();
    fs::copy(own.path(), other.path()).unwrap();
    assert_eq!(load(&other), None);
}

#[test]
fn builds_share_a_file_but_no_times() {
    let scratch = Scratch::new();
    let (own, rebuilt) = (store(&scratch.0), store_of(&scratch.0, "a processor, 8 threads", "2"));
    save(&own, &sample()).unwrap();
    assert_eq!(load(&rebuilt), None);
    let new = learned([(7, vec![cell(0, 1000, 7e5)])]);
    save(&rebuilt, &new).unwrap();
    assert_eq!((load(&own), load(&rebuilt)), (Some(sample()), Some(new)));
}

#[test]
fn machine_and_devices_are_described() {
    let cpu = pointsman_device::cpu::CpuDevice::new(Default::default());
    let (hardware, fingerprint) = (hardware_of(cpu.info()), fingerprint_of(&cpu));
    assert_eq!((&hardware, &fingerprint), (&hardware_of(cpu.info()), &fingerprint_of(&cpu)));
    assert!(hardware.contains(&cpu.info().model) && hardware.contains("quota"), "{hardware}");
    assert!(fingerprint.contains(&cpu.info().model) && fingerprint.contains(BUILD), "{fingerprint}");
}

#[test]
fn device_with_another_fingerprint_starts_anew() {
    let scratch = Scratch::new();
    save(&store(&scratch.0), &sample()).unwrap();
    let mut changed = store(&scratch.0);
    changed.add_device("cuda:0", "another card");
    let found = load(&changed).unwrap();
    assert_eq!(found.kernels[&7].cells, sample().kernels[&7].cells[..1]);
    assert!(!found.kernels.contains_key(&9), "it ran on the other card only");
    assert!(found.arms[0].profile.measured && !found.arms[1].profile.measured);
}

#[test]
fn new_runs_replace_stored_ones_of_their_cell() {
    let scratch = Scratch::new();
    save(&store(&scratch.0), &sample()).unwrap();
    save(&store(&scratch.0), &learned([(9, vec![cell(1, 3, 7e3), cell(0, 3, 9e3)])])).unwrap();
    let found = load(&store(&scratch.0)).unwrap();
    assert_eq!(found.kernels[&7], sample().kernels[&7]);
    assert_eq!(found.kernels[&9].cells, [cell(0, 3, 9e3), cell(1, 3, 7e3)]);
}

#[test]
fn only_new_runs_are_stored() {
    let scratch = Scratch::new();
    let (own, selector) = (store(&scratch.0), selector());
    train(&selector, 0..2);
    own.keep(&selector).unwrap();
    let other = learned([(0, vec![cell(0, 500, 1.0)]), (1, vec![cell(0, 500, 1.0)])]);
    save(&store(&scratch.0), &other).unwrap();
    train(&selector, 1..2);
    own.keep(&selector).unwrap();
    let found = load(&own).unwrap();
    assert_eq!(found.kernels[&0].cells[0].nanoseconds, 1.0, "no new runs");
    assert!(found.kernels[&1].cells[0].nanoseconds > 100.0);
}

/// Each writer opens the lock for itself, as processes do.
#[test]
fn writers_that_share_a_store_lose_nothing() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        for writer in 0..2u128 {
            let directory = &scratch.0;
            scope.spawn(move || {
                let own = store(directory);
                for number in 0..50 {
                    let fresh = learned([(2 * number + writer, vec![cell(0, 1000, 5e5)])]);
                    // The other writer may hold the lock for longer than a save should take.
                    while save(&own, &fresh).is_err() {}
                }
            });
        }
    });
    assert!(load(&store(&scratch.0)).unwrap().kernels.keys().copied().eq(0..100));
}

#[test]
fn lines_that_were_not_written_for_longest_make_room() {
    let scratch = Scratch::new();
    let mut own = store(&scratch.0);
    save(&own, &learned([])).unwrap();
    let profiles = own.read().unwrap().len();
    save(&own, &learned([(0, vec![cell(0, 1000, 5e5)])])).unwrap();
    own.bytes_max = profiles + 10 * (own.read().unwrap().len() - profiles);
    for key in 0..30 {
        save(&own, &learned([(key, vec![cell(0, 1000, 5e5)])])).unwrap();
    }
    let found = load(&own).unwrap();
    assert!(found.kernels.keys().copied().eq(20..30));
    assert_eq!(found.arms, arms(), "profiles are written with every save");
}

fn selector() -> Selector {
    Selector::new(arms(), SelectorOptions { learns_in_background: false, ..SelectorOptions::default() }).unwrap()
}

fn work(key: u128) -> Workload {
    Workload { key, read_per_row: 8.0, input_per_row: 8.0, launches: 1, ..Workload::default() }
}

/// Runs each kernel a few times on both devices.
fn train(selector: &Selector, keys: std::ops::Range<u128>) {
    for key in keys {
        let kernel = selector.register(&work(key), ArmSet::ALL);
        for (step, arm) in [0, 1].repeat(16).into_iter().enumerate() {
            let size = Size::host(500 << (step / 4));
            let rank = selector.settled(&kernel, size, ArmSet::NONE).led_by(arm, RankReason::Best);
            let time = [400, 60_000][arm] + size.rows * (1 + key as u64) / [1, 8][arm];
            selector.observe(Observation::of(&kernel, size, rank, time));
        }
    }
    selector.learn_now();
}

#[test]
fn new_selector_ranks_like_the_old_one() {
    let scratch = Scratch::new();
    let old = selector();
    train(&old, 0..20);
    store(&scratch.0).keep(&old).unwrap();
    let new = selector();
    assert!(store(&scratch.0).restore(&new));
    for key in 0..20 {
        for rows in (0..8).map(|step| 500 << step) {
            let ranking = [&old, &new].map(|selector| {
                let kernel = selector.register(&work(key), ArmSet::ALL);
                selector.explain(&kernel, Size::host(rows), ArmSet::NONE)
            });
            for (old, new) in ranking[0].predictions.iter().zip(&ranking[1].predictions) {
                // Of two that are close, the old selector keeps the one that it had.
                let is_close = ranking[0].why().contains("too close");
                assert!(is_close || old.device == new.device, "{}\n{}", ranking[0], ranking[1]);
                assert!(is_close || (old.time() / new.time() - 1.0).abs() < 1e-3, "{}\n{}", ranking[0], ranking[1]);
            }
        }
    }
}

#[test]
fn state_that_could_not_be_stored_is_stored_the_next_time() {
    let scratch = Scratch::new();
    let (selector, own) = (selector(), store(&scratch.0));
    train(&selector, 0..3);
    // A directory in the place of the file that is written first.
    let in_the_way = own.path().with_extension("learned-tmp");
    fs::create_dir_all(in_the_way.join("in the way")).unwrap();
    assert_eq!(own.keep(&selector).unwrap_err().kind(), ErrorKind::Io);
    fs::remove_dir_all(in_the_way).unwrap();
    own.keep(&selector).unwrap();
    assert_eq!(load(&own), Some(selector.learned()));
}

/// Another process may be stopped while it holds the lock, and a session that ends does not wait for it.
#[test]
fn held_lock_is_given_up_and_nothing_is_lost() {
    let scratch = Scratch::new();
    let clock = SimClock::new();
    let (selector, own) = (selector(), store(&scratch.0).with_clock(Arc::new(clock.clone())));
    train(&selector, 0..3);
    let held = own.lock().unwrap();
    let error = own.keep(&selector).unwrap_err();
    let path = own.path();
    let expected = format!("what was learned cannot be written to {}: another process holds its lock", path.display());
    assert_eq!((error.kind(), error.message()), (ErrorKind::Io, expected.as_str()));
    assert_eq!(clock.now(), LOCK_WAIT_MAX);
    assert!(!own.restore(&selector), "reading does not wait for it either");
    drop(held);
    own.keep(&selector).unwrap();
    assert_eq!(load(&own).unwrap().kernels.len(), 3);
}

#[cfg(unix)]
#[test]
fn file_that_another_user_could_have_written_is_not_used_and_is_replaced() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::new();
    let own = store(&scratch.0);
    let path = own.path();
    let plant: [&dyn Fn(); 2] = [&|| fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap(), &|| {
        fs::rename(&path, scratch.0.join("elsewhere")).unwrap();
        symlink(scratch.0.join("elsewhere"), &path).unwrap();
    }];
    save(&own, &sample()).unwrap();
    for plant in plant {
        plant();
        assert_eq!(load(&own), None);
        save(&own, &sample()).unwrap();
        assert_eq!(load(&own), Some(sample()));
    }
}
