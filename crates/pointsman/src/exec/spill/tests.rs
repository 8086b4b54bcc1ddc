//! Spilled tables on disks that are full, write partially, deny access, or lose and change bytes.
#![allow(clippy::unwrap_used)]

mod disks;
mod queries;

use super::*;
use crate::data::memory::Pool;
use crate::error::ErrorKind;
use crate::private_dir::scratch::Scratch;
use disks::{FaultyFile, Injection};
use pointsman_device::HostPool;
use pointsman_device::convert::{Layout, OwnedChunk};
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{DType, Scalar, Type};
use std::fs;

/// A block size that gives blocks of one leaf.
const ONE_LEAF: usize = 1;

fn types() -> Vec<Type> {
    let nullable = |dtype: DType| Type { dtype, nullable: true };
    vec![DType::F64.required(), nullable(DType::Bool), nullable(DType::I32), DType::U8.required()]
}

/// Returns rows of a fixed table.
fn rows(range: std::ops::Range<usize>) -> Vec<OwnedChunk> {
    let value = |column: usize, row: usize| {
        let noise = (row as u64 * 4 + column as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let all = [Scalar::F64(noise as f64), Scalar::Bool(noise & 1 == 1), Scalar::I32(noise as i32)];
        all.get(column).copied().unwrap_or(Scalar::U8(noise as u8))
    };
    let column = |(number, ty): (usize, Type)| {
        let is_null = |row: usize| ty.nullable && (row * 7 + number).is_multiple_of(5);
        let values = range.clone().map(|row| (!is_null(row)).then(|| value(number, row)));
        let layout = Layout { bools: BoolLayout::Bytes, ..Layout::default() };
        OwnedChunk::new(&ColumnData::from_scalars(ty, values), 0..range.len(), layout)
    };
    types().into_iter().enumerate().map(column).collect()
}

fn chunks(owned: &[OwnedChunk]) -> Vec<HostChunk<'_>> {
    owned.iter().map(OwnedChunk::chunk).collect()
}

/// Writes rows in chunks of these sizes, reads all of them back and compares; returns the number of rows.
fn round_trip(spill: &Spill, pool: &Pool, appends: &[usize]) -> OrError<usize> {
    let mut writer = SpillWriter::new(spill, BlockLayout::new(&types(), ONE_LEAF), pool)?;
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
    let directory = Some(scratch.0.clone());
    Spill::new(SpillOptions { directory, bytes_max, ..SpillOptions::default() })
}

fn assert_no_leftovers(spill: &Spill, pool: &Pool, scratch: &Scratch, what: &str) {
    assert_eq!((spill.used_bytes(), pool.counters().outstanding_bytes), (0, 0), "{what}");
    assert_eq!(scratch.names(), [""; 0], "{what}: files");
}

#[test]
fn spilled_columns_are_read_back_unchanged() {
    let (scratch, pool) = (Scratch::new(), memory());
    let spill = spill(&scratch, SPILL_BYTES_MAX);
    let appends: [&[usize]; 6] =
        [&[], &[1], &[LEAF_ROWS], &[3 * LEAF_ROWS + 5], &[1, 7, 5000, 0, 90, 4096, 3, 9000], &[4095, 1, 1, 4095]];
    for counts in appends {
        assert_eq!(round_trip(&spill, &pool, counts).unwrap(), counts.iter().sum::<usize>(), "{counts:?}");
        assert_no_leftovers(&spill, &pool, &scratch, "after a table");
    }
}

#[test]
fn blocks_are_whole_leaves_within_the_size_limit() {
    for (bytes_max, leaves) in [(0, 1), (60_000, 1), (200_000, 3), (usize::MAX, 17)] {
        let layout = BlockLayout::new(&types(), bytes_max);
        assert_eq!(layout.block_rows, leaves * LEAF_ROWS, "{bytes_max} bytes");
        assert!(layout.bytes() <= bytes_max.clamp(60_000, 1 << 20));
    }
    assert!(BlockLayout::new(&[], usize::MAX).block_rows.is_multiple_of(LEAF_ROWS));
}

#[test]
fn any_changed_byte_is_detected() {
    let (scratch, pool) = (Scratch::new(), memory());
    let directory = Some(scratch.0.clone());
    let spill = Spill::new(SpillOptions { directory, create: FaultyFile::create, ..SpillOptions::default() });
    // A block of one row: six parts of 64 bytes.
    for at in 0..6 * 64 {
        for mask in [1, 0x80, 0xFF] {
            FaultyFile::inject_at(0, Injection::FlipsBits { at, mask });
            let error = round_trip(&spill, &pool, &[1]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io, "byte {at} ^ {mask:x}");
            assert!(error.message().contains("is not what was written; run the query again"), "{error}");
        }
    }
}

#[test]
fn limit_covers_all_tables_together() {
    let (scratch, pool) = (Scratch::new(), memory());
    let layout = BlockLayout::new(&types(), ONE_LEAF);
    let spill = spill(&scratch, 3 * layout.bytes() as u64);
    let begin = || SpillWriter::new(&spill, layout.clone(), &pool).unwrap();
    let (mut one, mut other) = (begin(), begin());
    let leaf = rows(0..LEAF_ROWS);
    one.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    other.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    one.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    let error = other.append(&chunks(&leaf), LEAF_ROWS).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(
        error.message().contains("SessionOptions::spill_bytes")
            && error.message().contains(&layout.bytes().to_string())
    );
    drop(other);
    one.append(&chunks(&leaf), LEAF_ROWS).unwrap();
    drop(one);
    assert_no_leftovers(&spill, &pool, &scratch, "after the limit");
}

#[test]
fn orphaned_files_are_removed_and_locked_files_stay() {
    let scratch = Scratch::new();
    drop(spill(&scratch, 1));
    assert!(!scratch.0.exists(), "a session that spills nothing creates no directory");
    let directory = Arc::new(PrivateDir::open(&scratch.0).unwrap());
    let (left, held) = ("1-00000000000000aa.spill", "2-00000000000000bb.spill");
    let others = ["3-00000000000000cc.txt", "4-dd.spill", "oil.spill"];
    fs::write(scratch.0.join(left), "left").unwrap();
    others.iter().for_each(|other| fs::write(scratch.0.join(other), "not ours").unwrap());
    let holder = file::create(&directory, held).unwrap();
    drop(spill(&scratch, 1));
    assert_eq!(scratch.names(), [held, others[0], others[1], others[2]]);
    drop(holder);
    drop(spill(&scratch, 1));
    assert_eq!(scratch.names(), others);
}

#[test]
fn file_whose_name_is_kept_is_removed_on_drop() {
    let (scratch, pool) = (Scratch::new(), memory());
    let spill = spill(&scratch, SPILL_BYTES_MAX);
    let mut file = spill.create_file().unwrap();
    file.write(b"spilled").unwrap();
    // As on a system that keeps the name of an open file.
    fs::write(file.path(), "").unwrap();
    assert_eq!(scratch.names().len(), 1, "the file has a name now");
    drop(file);
    assert_no_leftovers(&spill, &pool, &scratch, "after the file");
}

#[cfg(unix)]
#[test]
fn world_writable_directory_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (scratch, pool) = (Scratch::new(), memory());
    PrivateDir::open(&scratch.0).unwrap();
    assert_eq!(fs::metadata(&scratch.0).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o777)).unwrap();
    let error = round_trip(&spill(&scratch, 1 << 20), &pool, &[1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.message().contains("written by others") && error.message().contains("spill_directory"), "{error}");
}

#[test]
fn session_overrides_environment() {
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
fn system_errors_have_remedies() {
    use std::io::ErrorKind as Kind;
    let check = |kinds: &[Kind], remedy: &str| {
        for &kind in kinds {
            let error = fault::disk("what was done", &kind.into());
            assert!(error.kind() == ErrorKind::Io && error.message().contains(remedy), "{kind:?}: {error}");
        }
    };
    check(&[Kind::StorageFull, Kind::QuotaExceeded, Kind::FileTooLarge, Kind::WriteZero], "free some space");
    check(&[Kind::PermissionDenied, Kind::ReadOnlyFilesystem], "a directory of your own");
    check(&[Kind::UnexpectedEof], "run the query again");
    check(&[Kind::TimedOut], "what is wrong with the disk");
}
