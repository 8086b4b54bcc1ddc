//! Tables on the disk, and every fault of it: disks that are full, take a part, refuse, lose and change bytes.
#![allow(clippy::unwrap_used)]

mod disks;
mod queries;

use super::fault::Fault;
use super::*;
use crate::data::memory::Pool;
use crate::error::ErrorKind;
use disks::{Disk, Scratch, TROUBLES};
use pointsman_device::HostPool;
use pointsman_device::convert::{Layout as Lying, OwnedChunk};
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{DType, Scalar, Type};
use std::fs;

/// Blocks of one leaf.
const SMALL: usize = 1;

fn types() -> Vec<Type> {
    let nullable = |dtype: DType| Type { dtype, nullable: true };
    vec![DType::F64.required(), nullable(DType::Bool), nullable(DType::I32), DType::U8.required()]
}

/// Some rows of the same table every time.
fn rows(range: std::ops::Range<usize>) -> Vec<OwnedChunk> {
    let value = |column: usize, row: usize| {
        let noise = (row as u64 * 4 + column as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let all = [Scalar::F64(noise as f64), Scalar::Bool(noise & 1 == 1), Scalar::I32(noise as i32)];
        all.get(column).copied().unwrap_or(Scalar::U8(noise as u8))
    };
    let column = |(number, ty): (usize, Type)| {
        let is_null = |row: usize| ty.nullable && (row * 7 + number).is_multiple_of(5);
        let values = range.clone().map(|row| (!is_null(row)).then(|| value(number, row)));
        let lying = Lying { bools: BoolLayout::Bytes, ..Lying::default() };
        OwnedChunk::new(&ColumnData::from_scalars(ty, values), 0..range.len(), lying)
    };
    types().into_iter().enumerate().map(column).collect()
}

fn chunks(owned: &[OwnedChunk]) -> Vec<HostChunk<'_>> {
    owned.iter().map(OwnedChunk::chunk).collect()
}

/// Writes so many rows at a time, reads all of them, and compares; how many rows there were.
fn round(spill: &Spill, pool: &Pool, appends: &[usize]) -> OrError<usize> {
    let mut writer = SpillWriter::new(spill, BlockLayout::new(&types(), SMALL), pool)?;
    let mut first = 0;
    for &count in appends {
        writer.append(&chunks(&rows(first..first + count)), count)?;
        first += count;
    }
    let mut table = writer.finish()?;
    for number in 0..table.blocks() {
        let block = table.read(number, pool)?;
        let from = number * table.layout.block_rows;
        let expected = rows(from..from + block.rows);
        for (column, expected) in chunks(&expected).iter().enumerate() {
            let got = block.chunk(column);
            let bits = |chunk: &HostChunk<'_>| chunk.validity.map(|bits| bits.bytes.to_vec());
            assert!(got.values == expected.values && bits(&got) == bits(expected), "column {column} of {number}");
        }
    }
    Ok(table.rows)
}

fn memory() -> Pool {
    Pool::new(Arc::new(HostPool::new(1 << 20).poisoned()))
}

fn spill(scratch: &Scratch, bytes_max: u64) -> Spill {
    let directory = Some(scratch.path());
    Spill::new(SpillOptions { directory, bytes_max, ..SpillOptions::default() })
}

fn nothing_is_left(spill: &Spill, pool: &Pool, scratch: &Scratch, what: &str) {
    assert_eq!((spill.used_bytes(), pool.counters().outstanding_bytes), (0, 0), "{what}");
    assert_eq!(scratch.names(), [""; 0], "{what}: files");
}

#[test]
fn what_was_written_is_read() {
    let (scratch, pool) = (Scratch::new(), memory());
    let spill = spill(&scratch, SPILL_BYTES_MAX);
    let appends: [&[usize]; 6] =
        [&[], &[1], &[LEAF_ROWS], &[3 * LEAF_ROWS + 5], &[1, 7, 5000, 0, 90, 4096, 3, 9000], &[4095, 1, 1, 4095]];
    for counts in appends {
        assert_eq!(round(&spill, &pool, counts).unwrap(), counts.iter().sum::<usize>(), "{counts:?}");
        nothing_is_left(&spill, &pool, &scratch, "after a table");
    }
}

#[test]
fn blocks_are_whole_leaves_of_a_named_size() {
    for (bytes_max, leaves) in [(0, 1), (60_000, 1), (200_000, 3), (usize::MAX, 17)] {
        let layout = BlockLayout::new(&types(), bytes_max);
        assert_eq!(layout.block_rows, leaves * LEAF_ROWS, "{bytes_max} bytes");
        assert!(layout.bytes() <= bytes_max.clamp(60_000, 1 << 20));
    }
    assert!(BlockLayout::new(&[], usize::MAX).block_rows.is_multiple_of(LEAF_ROWS));
}

/// A trouble at the n-th call of the disk, for every n until none fires.
#[test]
fn every_call_of_the_disk_may_fail() {
    let (scratch, pool) = (Scratch::new(), memory());
    let directory = Some(scratch.path());
    let spill = Spill::new(SpillOptions { directory, create: Disk::create, ..SpillOptions::default() });
    for trouble in TROUBLES {
        let mut fired = 0;
        for call in 0.. {
            Disk::fail_at(call, trouble);
            let result = round(&spill, &pool, &[2 * LEAF_ROWS + 100, 3000]);
            let what = format!("{trouble:?} at call {call}");
            nothing_is_left(&spill, &pool, &scratch, &what);
            if !Disk::fired() {
                assert_eq!(result.unwrap(), 2 * LEAF_ROWS + 3100, "{what}");
                break;
            }
            fired += 1;
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io, "{what}: {error}");
            let path = scratch.path().display().to_string();
            let is_told = |words: &str| error.message().contains(words);
            assert!(is_told(&path) && trouble.words().all(is_told), "{what}: {error}");
        }
        assert!(fired >= 3, "{trouble:?}: {fired} calls");
    }
}

#[test]
fn the_limit_is_for_all_tables_together() {
    let (scratch, pool) = (Scratch::new(), memory());
    let layout = BlockLayout::new(&types(), SMALL);
    let spill = spill(&scratch, 3 * layout.bytes() as u64);
    let begin = || SpillWriter::new(&spill, layout.clone(), &pool).unwrap();
    let (mut one, mut other) = (begin(), begin());
    let leaf = rows(0..LEAF_ROWS);
    one.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    other.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    one.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    let error = other.append(&chunks(&leaf), LEAF_ROWS).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.message().contains("spill_bytes_max") && error.message().contains(&layout.bytes().to_string()));
    drop(other);
    one.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    drop(one);
    nothing_is_left(&spill, &pool, &scratch, "after the limit");
}

#[test]
fn what_a_killed_process_left_goes_and_what_others_hold_stays() {
    let scratch = Scratch::new();
    drop(spill(&scratch, 1));
    assert!(!scratch.path().exists(), "a session that spills nothing makes no directory");
    cache_dir::open_directory(&scratch.path()).unwrap();
    let (left, held) = ("1-00000000000000aa.spill", "2-00000000000000bb.spill");
    let others = ["3-00000000000000cc.txt", "4-dd.spill", "oil.spill"];
    fs::write(scratch.path().join(left), "left").unwrap();
    others.iter().for_each(|other| fs::write(scratch.path().join(other), "not ours").unwrap());
    let holder = file::create(&scratch.path().join(held)).unwrap();
    drop(spill(&scratch, 1));
    assert_eq!(scratch.names(), [held, others[0], others[1], others[2]]);
    drop(holder);
    drop(spill(&scratch, 1));
    assert_eq!(scratch.names(), others);
}

#[test]
fn a_name_that_the_system_keeps_goes_with_the_file() {
    let (scratch, pool) = (Scratch::new(), memory());
    let directory = Some(scratch.path());
    let spill = Spill::new(SpillOptions { directory, create: disks::late, ..SpillOptions::default() });
    let mut writer = SpillWriter::new(&spill, BlockLayout::new(&types(), SMALL), &pool).unwrap();
    writer.append(&chunks(&rows(0..LEAF_ROWS)), LEAF_ROWS).unwrap();
    assert_eq!(scratch.names().len(), 1, "it has a name now");
    drop(writer);
    nothing_is_left(&spill, &pool, &scratch, "after the writer");
}

#[cfg(unix)]
#[test]
fn a_directory_that_others_may_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (scratch, pool) = (Scratch::new(), memory());
    cache_dir::open_directory(&scratch.path()).unwrap();
    assert_eq!(fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let error = round(&spill(&scratch, 1 << 20), &pool, &[1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.message().contains("written by others") && error.message().contains("spill_directory"), "{error}");
}

#[test]
fn the_session_comes_before_the_environment() {
    let check = |options: &SpillOptions, variables: &[(&str, &str)], expected: Result<&str, &str>| {
        let variable = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.into());
        let directory = options.directory(variable);
        assert_eq!(directory.as_deref(), expected.map(std::path::Path::new).map_err(String::from).as_deref());
    };
    let plain = SpillOptions::default();
    let own = SpillOptions { directory: Some("/own".into()), ..SpillOptions::default() };
    let off = SpillOptions { bytes_max: 0, ..own.clone() };
    let (dir, home) = (("POINTSMAN_SPILL_DIR", "/dir"), ("HOME", "/home/a"));
    check(&own, &[dir, home], Ok("/own"));
    check(&plain, &[dir, home], Ok("/dir"));
    check(&off, &[dir], Err("the session's `SessionOptions::spill_bytes` is 0"));
    check(&plain, &[], Err("no directory for it: set POINTSMAN_SPILL_DIR"));
    #[cfg(all(unix, not(target_vendor = "apple")))]
    check(&plain, &[home], Ok("/home/a/.cache/pointsman/spill"));
}

#[test]
fn the_systems_errors_have_their_faults() {
    let told = |kind: std::io::ErrorKind| Spilled::making(std::path::Path::new("/p"), &kind.into()).fault;
    use std::io::ErrorKind as Kind;
    assert_eq!([Kind::StorageFull, Kind::QuotaExceeded, Kind::FileTooLarge].map(told), [Fault::Full; 3]);
    assert_eq!([Kind::PermissionDenied, Kind::ReadOnlyFilesystem].map(told), [Fault::Denied; 2]);
    assert_eq!([told(Kind::WriteZero), told(Kind::UnexpectedEof)], [Fault::Short, Fault::Corrupt]);
    assert_eq!(told(Kind::TimedOut), Fault::Other);
}
