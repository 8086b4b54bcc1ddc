//! Stores: what goes in comes out, damaged and foreign files are set aside, and processes that share one lose nothing.
#![allow(clippy::unwrap_used)]

use super::contents::{CELL_WORDS, DEVICES_MAX, KERNEL_WORDS, StoredDevice, StoredKernel};
use super::*;
use crate::private_dir::scratch::Scratch;
use crate::select::estimator::{
    Arm, ArmSet, Class, Learned, LearnedCell, LearnedKernel, Observation, Profile, RankReason, SelectorOptions, Size,
    Workload,
};
use pointsman_device::DeviceKind;
use pointsman_device::sim::SimClock;
use std::fs;

/// Whether a directory has a file with this extension.
fn has(scratch: &Scratch, extension: &str) -> bool {
    scratch.names().iter().any(|name| name.ends_with(&format!(".{extension}")))
}

fn machine() -> Machine {
    Machine::new("a processor, 8 threads", "1")
}

fn store(directory: &Path) -> Store {
    let mut store = Store::open(directory, machine()).unwrap();
    store.add_device("cpu", "a processor");
    store.add_device("cuda:0", "a card");
    store
}

fn profile(kind: DeviceKind) -> Profile {
    Profile { measured: true, spread: 0.35, ..Profile::guess(kind, 16) }
}

fn arms() -> Vec<Arm> {
    vec![Arm::new("cpu", profile(DeviceKind::Cpu)), Arm::new("cuda:0", profile(DeviceKind::Cuda))]
}

fn cell(arm: usize, rows: u64, nanoseconds: f64) -> LearnedCell {
    let bucket = Size::host(rows).bucket();
    LearnedCell { arm, class: Class::Pageable, bucket, rows, nanoseconds, spread: 0.1, runs: 5, is_unsaved: true }
}

fn learned(kernels: impl IntoIterator<Item = (u128, Vec<LearnedCell>)>) -> Learned {
    let kernels = kernels.into_iter().map(|(key, cells)| LearnedKernel { key, uses: 3, cells }).collect();
    Learned { arms: arms(), kernels }
}

fn sample() -> Learned {
    learned([(7, vec![cell(0, 1000, 5e5), cell(1, 1000, 1e5)]), (9, vec![cell(1, 3, 2e3)])])
}

/// What was learned, as it is once it is stored.
fn saved(mut learned: Learned) -> Learned {
    learned.kernels.iter_mut().flat_map(|kernel| &mut kernel.cells).for_each(|cell| cell.is_unsaved = false);
    learned
}

fn load(store: &Store) -> Option<Learned> {
    store.read().unwrap()?.for_devices(&store.devices)
}

#[test]
fn guessed_profiles_are_not_stored() {
    let scratch = Scratch::new();
    let (own, mut guessed) = (store(&scratch.0), sample());
    guessed.arms[0].profile = Profile::guess(DeviceKind::Cpu, 16);
    own.save(&guessed).unwrap();
    let contents = own.read().unwrap().unwrap();
    let has_profile = ["cpu", "cuda:0"].map(|name| contents.devices[&own.devices[name]].profile.is_some());
    assert_eq!(has_profile, [false, true]);
}

#[test]
fn every_changed_byte_and_every_other_length_is_set_aside() {
    let scratch = Scratch::new();
    let own = store(&scratch.0);
    own.save(&sample()).unwrap();
    let whole = fs::read(own.path()).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(own.path(), bytes).unwrap();
        let is_refused = load(&own).is_none() && !own.path().exists();
        is_refused && (has(&scratch, "damaged") || has(&scratch, "foreign"))
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        assert!(refused(&bytes), "byte {at}");
    }
    (0..whole.len()).step_by(7).for_each(|length| assert!(refused(&whole[..length]), "{length} bytes"));
    assert!(refused(&[&whole[..], &[0]].concat()));
    fs::write(own.path(), &whole).unwrap();
    assert_eq!(load(&store(&scratch.0)), Some(saved(sample())), "another process reads it to the bit");
}

/// Contents that no program wrote, with a good checksum: numbers that cannot be are left out, and nothing panics.
#[test]
fn impossible_contents_never_panic() {
    let (id, ids) = (machine().id(), DeviceIds::from([("cpu".to_string(), 5)]));
    let cells = vec![cell(0, 1000, 5e5), cell(0, 9, f64::NAN), LearnedCell { bucket: 7, ..cell(0, 9, 1.0) }];
    let kernels = [(1, StoredKernel { used: 1, uses: 0, cells })].into();
    let device = StoredDevice { used: 1, profile: Some(profile(DeviceKind::Cpu)), kernels };
    let whole = Contents { saves: 3, devices: [(5, device)].into() }.encode(id);
    let decoded = Contents::decode(&whole, id).unwrap();
    assert_eq!(decoded.devices[&5].kernels[&1].cells.len(), 1, "the others are impossible");
    let content = &whole[..whole.len() - 16];
    for at in 0..content.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = content.to_vec();
            bytes[at] = value;
            let checksum = XxHash3_128::oneshot(&bytes);
            bytes.extend(checksum.to_le_bytes());
            if let Ok(contents) = Contents::decode(&bytes, id) {
                let _ = contents.for_devices(&ids);
            }
        }
    }
}

#[test]
fn store_of_another_machine_is_set_aside() {
    let scratch = Scratch::new();
    store(&scratch.0).save(&sample()).unwrap();
    let other = Store::open(&scratch.0, Machine::new("another processor", "1")).unwrap();
    fs::copy(store(&scratch.0).path(), other.path()).unwrap();
    assert!(load(&other).is_none() && has(&scratch, "foreign") && !has(&scratch, "damaged"));
}

#[test]
fn device_with_another_fingerprint_starts_anew() {
    let scratch = Scratch::new();
    store(&scratch.0).save(&sample()).unwrap();
    let mut changed = store(&scratch.0);
    changed.add_device("cuda:0", "another card");
    let found = load(&changed).unwrap();
    assert_eq!(found.kernels.len(), 1);
    assert_eq!(found.kernels[0].cells, saved(sample()).kernels[0].cells[..1]);
    assert!(found.arms.iter().any(|arm| arm.name == "cpu") && found.arms.iter().all(|arm| arm.name != "cuda:0"));
}

#[test]
fn only_new_runs_replace_stored_ones() {
    let scratch = Scratch::new();
    store(&scratch.0).save(&sample()).unwrap();
    // Another process that had read kernel 7 before, and has new runs of kernel 9 alone.
    let mut other = learned([(7, vec![cell(0, 1000, 1.0)]), (9, vec![cell(1, 3, 7e3), cell(0, 3, 9e3)])]);
    other.kernels[0].cells[0].is_unsaved = false;
    store(&scratch.0).save(&other).unwrap();
    let found = load(&store(&scratch.0)).unwrap();
    let times = |key: u128| {
        let kernel = found.kernels.iter().find(|kernel| kernel.key == key).unwrap();
        kernel.cells.iter().map(|cell| (cell.arm, cell.nanoseconds)).collect::<Vec<_>>()
    };
    assert_eq!(times(7), [(0, 5e5), (1, 1e5)]);
    assert_eq!(times(9), [(0, 9e3), (1, 7e3)]);
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
                for save in 0..50 {
                    let fresh = learned([(2 * save + writer, vec![cell(0, 1000, 5e5)])]);
                    // The other writer may hold the lock for longer than a save should take.
                    while own.save(&fresh).is_err() {}
                }
            });
        }
    });
    let keys: Vec<u128> = load(&store(&scratch.0)).unwrap().kernels.iter().map(|kernel| kernel.key).collect();
    assert_eq!(keys, (0..100).collect::<Vec<_>>());
}

#[test]
fn least_recently_used_kernels_and_devices_make_room() {
    let scratch = Scratch::new();
    let mut own = store(&scratch.0);
    own.words_max = 10 * (KERNEL_WORDS + CELL_WORDS);
    for key in 0..30 {
        own.save(&learned([(key, vec![cell(0, 1000, 5e5)])])).unwrap();
    }
    let keys: Vec<u128> = load(&own).unwrap().kernels.iter().map(|kernel| kernel.key).collect();
    assert_eq!(keys, (20..30).collect::<Vec<_>>());
    let mut many = Contents::default();
    for number in 0..40 {
        let arms = vec![Arm::new("card", profile(DeviceKind::Cuda))];
        let kernels = vec![LearnedKernel { key: number, uses: 0, cells: vec![cell(0, 1000, 1e5)] }];
        many.add(&Learned { arms, kernels }, &DeviceIds::from([("card".to_string(), number)]));
        many.limit(1 << 20);
    }
    let ids: Vec<u128> = many.devices.keys().copied().collect();
    assert_eq!(ids, (40 - DEVICES_MAX as u128..40).collect::<Vec<_>>());
    assert!(many.devices.iter().all(|(id, device)| device.kernels.keys().eq([id])));
}

fn selector() -> Selector {
    Selector::new(arms(), SelectorOptions { learns_behind: false, ..SelectorOptions::default() }).unwrap()
}

fn work(key: u128) -> Workload {
    Workload { key, read_per_row: 8.0, input_per_row: 8.0, launches: 1, ..Workload::default() }
}

/// Runs each kernel a few times on both devices.
fn train(selector: &Selector, keys: std::ops::Range<u128>) {
    for key in keys {
        let kernel = selector.register(&work(key), ArmSet::ALL);
        for (step, arm) in [0, 1].repeat(8).into_iter().enumerate() {
            let size = Size::host(500 << (step / 2));
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
    assert_eq!(load(&own), Some(saved(selector.learned())));
}

/// Another process may be stopped while it holds the lock, and a session that ends does not wait for it.
#[test]
fn held_lock_is_given_up_and_nothing_is_lost() {
    let scratch = Scratch::new();
    let clock = SimClock::new();
    let (selector, own) = (selector(), store(&scratch.0).with_clock(Arc::new(clock.clone())));
    train(&selector, 0..3);
    let path = scratch.0.join(format!("{}lock", machine().prefix()));
    let held = own.lock().unwrap();
    let error = own.keep(&selector).unwrap_err();
    let expected =
        format!("another process holds the lock of {}; what this session learned was not written", path.display());
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
    own.save(&sample()).unwrap();
    for plant in plant {
        plant();
        assert_eq!(load(&own), None);
        own.save(&sample()).unwrap();
        assert_eq!(load(&own), Some(saved(sample())));
    }
}
