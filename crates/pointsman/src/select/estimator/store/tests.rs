//! Stores: what goes in comes out, damaged and foreign files are set aside, and processes that share one lose nothing.
#![allow(clippy::unwrap_used)]

use super::file::{self, Refused, StoredArm, StoredKernel};
use super::*;
use crate::select::estimator::cell::Cell;
use crate::select::estimator::{
    Arm, ArmSet, Class, Learned, LearnedArm, LearnedCell, LearnedChoice, LearnedKernel, Observation, Profile,
    Residency, SelectorOptions, Size, Workload,
};
use pointsman_device::DeviceKind;
use pointsman_device::sim::SimClock;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicU64;

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("pointsman-learned-{}-{number}", std::process::id())))
    }

    fn names(&self) -> Vec<String> {
        let name = |file: io::Result<fs::DirEntry>| file.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(&self.0).unwrap().map(name).collect();
        names.sort();
        names
    }

    fn has(&self, extension: &str) -> bool {
        self.names().iter().any(|name| name.ends_with(&format!(".{extension}")))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn machine() -> Machine {
    Machine::new("a processor, 8 threads", "1")
}

fn store(directory: &Path) -> Store {
    let mut store = Store::open(directory, machine()).unwrap();
    store.know_device("cpu", "a processor");
    store.know_device("cuda:0", "a card");
    store
}

fn profile(kind: DeviceKind) -> Profile {
    Profile { measured: true, spread: 0.35, ..Profile::guess(kind, 16) }
}

fn arms() -> Vec<LearnedArm> {
    let arm = |name: &str, kind| LearnedArm {
        name: name.to_string(),
        profile: profile(kind),
        spread: 0.3,
        noise: 0.1,
        doubt: 1.5,
        cells: Vec::new(),
    };
    vec![arm("cpu", DeviceKind::Cpu), arm("cuda:0", DeviceKind::Cuda)]
}

/// A cell of which all samples are new.
fn cell(arm: usize, bucket: u8, count: f64, mean: f64) -> LearnedCell {
    let cell = Cell { count, mean, variance: 0.01, fresh: count, fresh_mean: mean, other: mean, ..Cell::default() };
    LearnedCell { arm, class: Class::Pageable, bucket, cell }
}

fn choice(bucket: u8, arm: usize) -> LearnedChoice {
    LearnedChoice { residency: Residency(0xf0f), locked: true, bucket, arm }
}

fn learned(kernels: impl IntoIterator<Item = (u128, Vec<LearnedCell>)>) -> Learned {
    let kernels = kernels.into_iter().map(|(key, cells)| LearnedKernel { key, cells, choices: Vec::new() }).collect();
    Learned { arms: arms(), kernels }
}

fn stale(learned: &Learned) -> Learned {
    let mut learned = learned.clone();
    let lists = learned.arms.iter_mut().map(|arm| &mut arm.cells);
    for cell in lists.chain(learned.kernels.iter_mut().map(|kernel| &mut kernel.cells)).flatten() {
        (cell.cell.fresh, cell.cell.fresh_mean) = (0.0, 0.0);
    }
    learned
}

fn sample() -> Learned {
    let mut sample =
        learned([(7, vec![cell(0, 20, 3.0, 0.5), cell(1, 20, 9.0, -1.25)]), (9, vec![cell(1, 3, 1.0, 2.0)])]);
    sample.arms[1].cells = vec![cell(1, 20, 9.0, -0.75)];
    sample.kernels[0].choices = vec![choice(20, 1), choice(21, 0)];
    sample
}

#[test]
fn what_was_saved_is_loaded_to_the_bit() {
    let scratch = Scratch::new();
    let merged = store(&scratch.0).save(&sample()).unwrap();
    assert_eq!(merged, stale(&sample()));
    assert_eq!(store(&scratch.0).load(&Learned::default()), Some(stale(&sample())));
    assert_eq!(scratch.names().len(), 2, "a store and its lock: {:?}", scratch.names());
}

#[test]
fn guesses_and_cells_without_samples_are_not_stored() {
    let scratch = Scratch::new();
    let guess = Profile::guess(DeviceKind::Cpu, 16);
    let mut own = learned([(7, vec![cell(0, 20, 3.0, 0.5), cell(0, 21, 0.0, 0.0)])]);
    own.arms[0].profile = guess.clone();
    store(&scratch.0).save(&own).unwrap();
    let contents = store(&scratch.0).read().unwrap().unwrap();
    assert_eq!(contents.arms[0].profile, None);
    assert_eq!(contents.kernels[0].cells.len(), 1);
    // Where the guess is the same today, its cells are of use.
    let same = store(&scratch.0).load(&own).unwrap();
    assert_eq!((&same.arms[0].profile, same.kernels.len()), (&guess, 1));
    let mut other = own;
    other.arms[0].profile = Profile::guess(DeviceKind::Cpu, 2);
    let other = store(&scratch.0).load(&other).unwrap();
    assert!(other.arms.iter().all(|arm| arm.name != "cpu") && other.kernels.is_empty());
}

#[test]
fn a_store_of_another_form_is_not_called_damaged() {
    let scratch = Scratch::new();
    let mut own = store(&scratch.0);
    own.save(&learned([(7, vec![cell(0, 20, 3.0, 0.5)])])).unwrap();
    let mut bytes = fs::read(own.path()).unwrap();
    // Behind the eight bytes of its name the number of its form, and the checksum is right.
    bytes[8] -= 1;
    let content = bytes.len() - 16;
    let checksum = twox_hash::XxHash3_128::oneshot(&bytes[..content]);
    bytes[content..].copy_from_slice(&checksum.to_le_bytes());
    fs::write(own.path(), bytes).unwrap();
    assert_eq!(own.load(&Learned::default()), None);
    assert!(scratch.has("foreign") && !scratch.has("damaged"), "{:?}", scratch.names());
}

#[test]
fn every_changed_byte_and_every_other_length_is_set_aside() {
    let scratch = Scratch::new();
    let mut own = store(&scratch.0);
    own.save(&learned([(7, vec![cell(0, 20, 3.0, 0.5)])])).unwrap();
    let (path, whole) = (own.path(), fs::read(own.path()).unwrap());
    let mut check = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        assert_eq!(own.load(&Learned::default()), None, "{what}");
        assert!(!path.exists() && fs::remove_file(path.with_extension("damaged")).is_ok(), "{what}: not set aside");
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        check(&bytes, &format!("byte {at}"));
        check(&whole[..at], &format!("the first {at} bytes"));
    }
    check(&[&whole[..], b"!"].concat(), "one byte more");
    fs::write(&path, &whole).unwrap();
    assert!(own.load(&Learned::default()).is_some());
}

/// Even with a checksum that fits.
#[test]
fn wrong_contents_with_a_good_checksum_never_panic() {
    let contents = Contents { arms: vec![], ..Contents::default() };
    let mut with = contents.clone();
    with.add(&sample(), &store(&Scratch::new().0).devices, &Seen::new());
    let whole = file::encode("m", &with);
    let content = &whole[..whole.len() - 16];
    let sealed = |content: &[u8]| {
        let sum = twox_hash::XxHash3_128::oneshot(content);
        [content, &sum.to_le_bytes()].concat()
    };
    assert_eq!(file::decode(&sealed(content), "m"), Ok(with));
    assert_eq!(file::decode(&sealed(&[content, &[0]].concat()), "m"), Err(Refused::Damaged), "and a byte more");
    for at in 0..content.len() {
        for flip in [1u8, 0x40, 0xff] {
            let mut bytes = content.to_vec();
            bytes[at] ^= flip;
            for cell in
                file::decode(&sealed(&bytes), "m").iter().flat_map(|one| &one.kernels).flat_map(|one| &one.cells)
            {
                assert!(cell.is_sound(2), "byte {at} ^ {flip:x}: {cell:?}");
            }
        }
        assert_eq!(file::decode(&sealed(&content[..at]), "m"), Err(Refused::Damaged), "the first {at} bytes");
    }
}

#[test]
fn numbers_that_cannot_be_are_left_out() {
    let wrong = [f64::NAN, f64::INFINITY, -1.0, 1e300, -1e300];
    let cells: Vec<LearnedCell> = wrong
        .iter()
        .flat_map(|&wrong| {
            let good = cell(0, 20, 3.0, 0.5).cell;
            let mean = if wrong == -1.0 { 51.0 } else { wrong };
            [Cell { count: wrong, ..good }, Cell { mean, ..good }, Cell { variance: wrong, ..good }]
        })
        .map(|cell| LearnedCell { arm: 0, class: Class::There, bucket: 1, cell })
        .chain([cell(0, 200, 1.0, 0.0), cell(77, 1, 1.0, 0.0), cell(0, 30, 2.0, 0.25)])
        .collect();
    let arm = StoredArm {
        name: "cpu".to_string(),
        fingerprint: "a processor".to_string(),
        basis: basis(&profile(DeviceKind::Cpu)),
        used: 0,
        spread: f64::NAN,
        noise: f64::INFINITY,
        doubt: f64::NAN,
        profile: Some(profile(DeviceKind::Cpu)),
        cells: cells.clone(),
    };
    let contents = Contents {
        saves: 1,
        arms: vec![arm],
        kernels: vec![StoredKernel { key: 1, used: 1, cells, choices: Vec::new() }],
    };
    let scratch = Scratch::new();
    let mut store = store(&scratch.0);
    store.write(&contents).unwrap();
    let read = store.load(&Learned::default()).unwrap();
    assert_eq!((read.arms[0].cells.len(), read.kernels[0].cells.len()), (1, 1), "{read:?}");
    let selector = selector();
    selector.adopt(&Learned {
        kernels: vec![LearnedKernel { key: 1, cells: contents.kernels[0].cells.clone(), choices: Vec::new() }],
        ..read
    });
    let known = selector.know(&Workload { key: 1, ..work(1) }, ArmSet::ALL);
    assert!(selector.explain(&known, Size::host(1 << 15), ArmSet::NONE).predictions.iter().all(|one| one.time() > 0.0));
}

#[test]
fn what_another_machine_learned_is_set_aside() {
    let scratch = Scratch::new();
    let mut own = store(&scratch.0);
    own.save(&sample()).unwrap();
    let mut other = Store::open(&scratch.0, Machine::new("another processor", "1")).unwrap();
    fs::copy(own.path(), other.path()).unwrap();
    assert_eq!(other.load(&Learned::default()), None);
    assert!(scratch.has("foreign") && !other.path().exists());
    assert!(own.load(&Learned::default()).is_some());
}

#[test]
fn of_a_device_that_changed_its_part_alone_is_not_used() {
    let scratch = Scratch::new();
    store(&scratch.0).save(&sample()).unwrap();
    let mut own = store(&scratch.0);
    own.know_device("cuda:0", "a card, another driver");
    let read = own.load(&Learned::default()).unwrap();
    assert_eq!(read.arms.iter().map(|arm| arm.name.as_str()).collect::<Vec<_>>(), ["cpu"]);
    let mut rest = stale(&learned([(7, vec![cell(0, 20, 3.0, 0.5)])])).kernels;
    rest[0].choices = vec![choice(21, 0)];
    assert_eq!(read.kernels, rest);
}

#[test]
fn samples_of_two_add_up() {
    let scratch = Scratch::new();
    let (mut one, mut other) = (store(&scratch.0), store(&scratch.0));
    one.save(&learned([(7, vec![cell(0, 20, 6.0, 1.0)])])).unwrap();
    let both = other.save(&learned([(7, vec![cell(0, 20, 2.0, 2.0)]), (8, vec![cell(1, 4, 1.0, 0.0)])])).unwrap();
    let merged = both.kernels[0].cells[0].cell;
    assert_eq!((merged.count, merged.mean, both.kernels.len()), (8.0, 1.25, 2));
    assert!(merged.variance > 0.15, "two groups lie apart: {merged:?}");
    // What is not new is not added again, and no more than 32 count.
    let again = one.save(&stale(&both)).unwrap();
    assert_eq!(again, both);
    let many = one.save(&learned([(7, vec![cell(0, 20, 32.0, 1.25)])])).unwrap();
    assert_eq!((many.kernels[0].cells[0].cell.count, many.kernels[0].cells[0].cell.mean), (32.0, 1.25));
    // What replaces is not averaged.
    let mut moved = learned([(7, vec![cell(0, 20, 1.0, 4.0)])]);
    moved.kernels[0].cells[0].cell.renewed = true;
    let moved = one.save(&moved).unwrap().kernels[0].cells[0].cell;
    assert_eq!((moved.count, moved.mean), (1.0, 4.0));
}

#[test]
fn of_two_profiles_the_first_stands_and_a_later_one_of_the_same_replaces_it() {
    let scratch = Scratch::new();
    let (mut one, mut other) = (store(&scratch.0), store(&scratch.0));
    let with = |launch: f64, mean: f64| {
        let mut own = learned([(7, vec![cell(0, 20, 1.0, mean)])]);
        own.arms[0].profile.launch = launch;
        own
    };
    assert!(one.load(&Learned::default()).is_none() && other.load(&Learned::default()).is_none());
    one.save(&with(100.0, 1.0)).unwrap();
    let theirs = other.save(&with(200.0, 2.0)).unwrap();
    assert_eq!((theirs.arms[0].profile.launch, theirs.kernels[0].cells[0].cell.mean), (100.0, 1.0));
    // It was seen, and measured again.
    let replaced = other.save(&with(300.0, 3.0)).unwrap();
    assert_eq!((replaced.arms[0].profile.launch, replaced.kernels[0].cells[0].cell.mean), (300.0, 3.0));
    assert_eq!(replaced.kernels[0].cells[0].cell.count, 1.0);
}

#[test]
fn what_was_not_used_for_longest_makes_room() {
    let scratch = Scratch::new();
    let mut small = store(&scratch.0);
    small.bytes_max = 10 * (32 + 27);
    for key in 0..30u128 {
        small.save(&learned([(key, vec![cell(0, 20, 1.0, 0.5)])])).unwrap();
    }
    let keys: Vec<u128> = small.load(&Learned::default()).unwrap().kernels.iter().map(|kernel| kernel.key).collect();
    assert_eq!(keys, (20..30).collect::<Vec<_>>());
    for build in 0..6 {
        let name = format!("build {build}");
        Store::open(&scratch.0, Machine::new("a processor, 8 threads", &name)).unwrap().save(&sample()).unwrap();
    }
    assert_eq!(scratch.names().iter().filter(|name| name.ends_with(".learned")).count(), BUILDS_MAX);
    for number in 0..40 {
        small.know_device("cuda:0", &format!("card {number}"));
        small.save(&sample()).unwrap();
    }
    let contents = small.read().unwrap().unwrap();
    assert_eq!((contents.arms.len(), contents.arms[15].fingerprint.as_str()), (file::ARMS_MAX, "card 39"));
    assert!(contents.kernels.iter().flat_map(|kernel| &kernel.cells).all(|cell| cell.arm < file::ARMS_MAX));
}

/// Two processes add samples to the same kernels; a third reads all the time.
#[test]
fn processes_that_share_a_store_lose_nothing() {
    const DIRECTORY: &str = "POINTSMAN_TEST_LEARNED";
    const SAVES: u128 = 150;
    let kernel = |save: u128| save / 10;
    if let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) {
        let mut own = store(&directory);
        for save in 0..SAVES {
            let merged = own.save(&learned([(kernel(save), vec![cell(0, 20, 1.0, 0.5)])])).unwrap();
            assert!(merged.kernels.iter().any(|own| own.key == kernel(save)));
        }
        return;
    }
    let scratch = Scratch::new();
    let test = "select::estimator::store::tests::processes_that_share_a_store_lose_nothing";
    let start = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([test, "--exact"]).env(DIRECTORY, &scratch.0).stdout(Stdio::null()).spawn().unwrap()
    };
    let mut reader = store(&scratch.0);
    let mut children = [start(), start()];
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        reader.load(&Learned::default());
    }
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    let all = reader.load(&Learned::default()).unwrap();
    assert_eq!(all.kernels.len() as u128, kernel(SAVES - 1) + 1);
    for kernel in &all.kernels {
        assert_eq!((kernel.cells.len(), kernel.cells[0].cell.count), (1, 20.0), "kernel {}", kernel.key);
        assert_eq!(kernel.cells[0].cell.mean, 0.5);
    }
    assert!(!scratch.has("damaged") && !scratch.has("foreign"), "{:?}", scratch.names());
}

fn selector() -> Selector {
    let arm = |name, kind| Arm::new(name, Profile::guess(kind, 16));
    let options = SelectorOptions { learns_behind: false, ..SelectorOptions::default() };
    Selector::new(vec![arm("cpu", DeviceKind::Cpu), arm("cuda:0", DeviceKind::Cuda)], options).unwrap()
}

fn work(key: u128) -> Workload {
    let per_row = 4.0 * (key % 5 + 1) as f64;
    Workload { key, read_per_row: per_row, input_per_row: per_row, launches: 1, ..Workload::default() }
}

/// What a call takes in truth: other than any profile says, and different for each kernel.
fn truth(key: u128, arm: usize, rows: u64) -> f64 {
    let each = [3.0, 0.4][arm] * (1.0 + (key % 7) as f64 / 3.0);
    [500.0, 2e5 * (1.0 + (key % 3) as f64)][arm] + each * rows as f64
}

fn train(selector: &Selector, keys: std::ops::Range<u128>, calls: usize) {
    for key in keys {
        let known = selector.know(&work(key), ArmSet::ALL);
        for call in 0..calls {
            let size = Size::host(1000 << (call % 12));
            let rank = selector.rank(&known, size, ArmSet::NONE);
            let took = truth(key, rank.first(), size.rows);
            selector.observe(Observation::of(&known, size, rank, took as u64));
            selector.learn_now();
        }
    }
}

fn rankings(selector: &Selector, keys: std::ops::Range<u128>) -> Vec<(u128, u64, Vec<f64>, usize)> {
    let mut all = Vec::new();
    for key in keys {
        let known = selector.know(&work(key), ArmSet::ALL);
        for rows in (0..24).map(|step| 500u64 << (step / 2)) {
            let ranking = selector.explain(&known, Size::host(rows), ArmSet::NONE);
            let mut by_name: Vec<_> = ranking.predictions.iter().map(|one| (one.device.clone(), one.time())).collect();
            by_name.sort_by(|a, b| a.0.cmp(&b.0));
            let first = selector.settled(&known, Size::host(rows), ArmSet::NONE).first();
            all.push((key, rows, by_name.into_iter().map(|(_, time)| time).collect(), first));
        }
    }
    all
}

#[test]
fn a_new_selector_ranks_as_the_old_one_ended() {
    let scratch = Scratch::new();
    let old = selector();
    train(&old, 0..20, 120);
    store(&scratch.0).keep(&old).unwrap();
    let new = selector();
    assert!(store(&scratch.0).restore(&new));
    for (old, new) in rankings(&old, 0..20).into_iter().zip(rankings(&new, 0..20)) {
        for (a, b) in old.2.iter().zip(&new.2) {
            assert!((a / b - 1.0).abs() < 1e-9, "{old:?} and {new:?}");
        }
        assert_eq!(old.3, new.3, "{old:?} and {new:?}");
    }
}

/// Of two that take about as long, the old one stays with the one it had; so does the new one.
#[test]
fn of_two_that_are_close_the_same_is_chosen_after_a_restart() {
    let scratch = Scratch::new();
    let (old, size) = (selector(), Size::host(1 << 16));
    let known = old.know(&work(1), ArmSet::ALL);
    let incumbent = old.rank(&known, size, ArmSet::NONE).first();
    for _ in 0..20 {
        for arm in [incumbent, 1 - incumbent] {
            let took = Some(if arm == incumbent { 101_000.0 } else { 98_000.0 });
            let rank = old.settled(&known, size, ArmSet::NONE);
            old.observe(Observation { arm, took, ..Observation::of(&known, size, rank, 0) });
            old.learn_now();
        }
    }
    let first = |selector: &Selector| {
        let known = selector.know(&work(1), ArmSet::ALL);
        let ranking = selector.explain(&known, size, ArmSet::NONE);
        assert!(ranking.predictions[0].time() > ranking.predictions[1].time(), "{ranking}");
        selector.settled(&known, size, ArmSet::NONE).first()
    };
    assert_eq!(first(&old), incumbent, "a few per cent are no reason to leave it");
    let mut own = store(&scratch.0);
    for _ in 0..2 {
        own.keep(&old).unwrap();
        assert_eq!(first(&old), incumbent, "nor is storing it");
    }
    let new = selector();
    assert!(store(&scratch.0).restore(&new));
    assert_eq!(first(&new), incumbent);
    // A process that asked for nothing has nothing to say about it.
    store(&scratch.0).keep(&new).unwrap();
    assert_eq!(store(&scratch.0).load(&new.learned()).unwrap().kernels[0].choices[0].arm, incumbent);
}

#[test]
fn selectors_that_share_a_store_learn_from_each_other_and_count_nothing_twice() {
    let scratch = Scratch::new();
    let (one, other) = (selector(), selector());
    let (mut ones, mut others) = (store(&scratch.0), store(&scratch.0));
    train(&one, 0..4, 24);
    train(&other, 4..8, 24);
    for _ in 0..3 {
        ones.keep(&one).unwrap();
        others.keep(&other).unwrap();
    }
    ones.keep(&one).unwrap();
    let counts = |learned: &Learned| -> Vec<(u128, f64)> {
        let sum = |kernel: &LearnedKernel| kernel.cells.iter().map(|cell| cell.cell.count).sum();
        learned.kernels.iter().map(|kernel| (kernel.key, sum(kernel))).collect()
    };
    let (a, b) = (counts(&one.learned()), counts(&other.learned()));
    assert_eq!(a, b);
    assert_eq!(a.len(), 8);
    assert!(a.iter().all(|(_, count)| *count <= 24.0 && *count >= 20.0), "{a:?}");
}

#[test]
fn what_could_not_be_stored_is_stored_the_next_time() {
    let scratch = Scratch::new();
    let (selector, mut own) = (selector(), store(&scratch.0));
    train(&selector, 0..3, 24);
    let before = selector.learned();
    // A directory in the place of the file that is written first.
    fs::create_dir_all(own.path().with_extension("learned-tmp").join("in the way")).unwrap();
    assert_eq!(own.keep(&selector).unwrap_err().kind(), ErrorKind::Io);
    let after = selector.learned();
    let cells = |learned: &Learned| -> Vec<LearnedCell> {
        let arms = learned.arms.iter().flat_map(|arm| arm.cells.clone());
        arms.chain(learned.kernels.iter().flat_map(|kernel| kernel.cells.clone())).collect()
    };
    cells(&after).iter().zip(cells(&before)).for_each(|(after, before)| assert_eq!(*after, before));
    fs::remove_dir_all(own.path().with_extension("learned-tmp")).unwrap();
    own.keep(&selector).unwrap();
    let stored = own.load(&selector.learned()).unwrap();
    assert_eq!(stored.kernels.len(), 3);
    for (stored, before) in
        stored.kernels.iter().flat_map(|one| &one.cells).zip(before.kernels.iter().flat_map(|one| &one.cells))
    {
        assert_eq!((stored.cell.count, stored.cell.mean), (before.cell.count, before.cell.mean));
    }
}

/// Another process may be stopped while it holds the lock, and a session that ends does not wait for it.
#[test]
fn held_lock_is_given_up_and_nothing_is_lost() {
    let scratch = Scratch::new();
    let clock = SimClock::new();
    let (selector, mut own) = (selector(), store(&scratch.0).with_clock(Arc::new(clock.clone())));
    train(&selector, 0..3, 24);
    let path = scratch.0.join(format!("{}lock", machine().prefix()));
    let held = own.lock().unwrap();
    let error = own.keep(&selector).unwrap_err();
    let expected =
        format!("another process holds the lock of {}; what this session learned was not written", path.display());
    assert_eq!((error.kind(), error.message()), (ErrorKind::Io, expected.as_str()));
    assert_eq!(clock.now(), LOCK_WAIT_MAX);
    assert_eq!(own.load(&Learned::default()), None, "reading does not wait for it either");
    drop(held);
    own.keep(&selector).unwrap();
    assert_eq!(own.load(&selector.learned()).unwrap().kernels.len(), 3);
}

#[cfg(unix)]
#[test]
fn file_that_another_user_could_have_written_is_not_used_and_is_replaced() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::new();
    let mut own = store(&scratch.0);
    let path = own.path();
    let plant: [&dyn Fn(); 2] = [&|| fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap(), &|| {
        fs::rename(&path, scratch.0.join("elsewhere")).unwrap();
        symlink(scratch.0.join("elsewhere"), &path).unwrap();
    }];
    own.save(&sample()).unwrap();
    for plant in plant {
        plant();
        assert_eq!(own.load(&Learned::default()), None);
        own.save(&sample()).unwrap();
        assert_eq!(own.load(&Learned::default()), Some(stale(&sample())));
    }
}

/// A device that turns slower: what it takes now belongs to no profile, so what is stored stays.
#[test]
fn what_a_device_that_changed_takes_is_not_stored() {
    let scratch = Scratch::new();
    let first = selector();
    train(&first, 0..6, 60);
    store(&scratch.0).keep(&first).unwrap();
    let (second, mut own) = (selector(), store(&scratch.0));
    assert!(own.restore(&second));
    let known: Vec<Arc<crate::select::estimator::Known>> =
        (0..2).map(|key| second.know(&work(key), ArmSet::ALL)).collect();
    for call in 0..40 {
        let (known, size) = (&known[call % 2], Size::host(1000));
        let took = Some(10.0 * truth(known.workload().key, 0, size.rows));
        second.observe(Observation {
            known: known.clone(),
            size,
            arm: 0,
            took,
            weight: 1.0,
            output: None,
            explored: false,
            contended: false,
        });
        second.learn_now();
    }
    assert!(second.ledger().drifts >= 1);
    own.keep(&second).unwrap();
    let third = selector();
    assert!(store(&scratch.0).restore(&third));
    for key in 0..6 {
        let time = |selector: &Selector| {
            let known = selector.know(&work(key), ArmSet::ALL);
            let ranking = selector.explain(&known, Size::host(1000), ArmSet::NONE);
            ranking.predictions.iter().find(|one| one.device == "cpu").unwrap().time()
        };
        let (before, seen, after) = (time(&first), time(&second), time(&third));
        assert!(seen > 5.0 * before, "kernel {key}: {before}, {seen}, {after}");
        assert!((after / before).ln().abs() < 0.1, "kernel {key}: {before}, {seen}, {after}");
    }
}
