//! Copies to a card and back: every size around the limits of pinned chunks, parts of buffers, many copies in flight at
//! once.
#![allow(clippy::unwrap_used)]

use super::card::first_card;
use pointsman_device::*;
use std::sync::Arc;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes that depend on their position and on the salt.
fn pattern(bytes: usize, salt: u64) -> HostBuffer {
    let mut buffer = HostBuffer::zeroed(bytes);
    for (place, part) in buffer.chunks_mut(8).enumerate() {
        let word = (place as u64 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        part.copy_from_slice(&word[..part.len()]);
    }
    buffer
}

#[test]
fn copies_of_every_size_round_trip() {
    let Some(card) = first_card() else { return };
    let stream = card.open_stream(Priority::Normal).unwrap();
    let (small, large) = (64 << 10, 2 << 20);
    let around = |bytes: usize| [bytes - 17, bytes - 1, bytes, bytes + 1, bytes + 16];
    let limits = [small, large, 2 * large, 4 * large, 20 * large];
    for bytes in [0, 1, 15, 16, 17].into_iter().chain(limits.into_iter().flat_map(around)) {
        let sent = Arc::new(pattern(bytes, 1));
        let buffer = card.allocate(bytes).unwrap();
        let range = BufferRange { buffer, offset: 0, bytes: bytes as u64 };
        card.copy_in(stream, sent.clone(), range).unwrap();
        let copy = card.copy_out(stream, range, HostBuffer::zeroed(bytes)).unwrap();
        assert!(card.finish_copy(copy, TIMEOUT).unwrap()[..] == sent[..], "{bytes} bytes");
        card.free(buffer);
    }
    assert_eq!(card.memory().used, 0);
}

#[test]
fn copies_to_parts_of_buffers_stay_apart() {
    let Some(card) = first_card() else { return };
    let stream = card.open_stream(Priority::Normal).unwrap();
    let bytes = 1000;
    let buffer = card.allocate(bytes).unwrap();
    let whole = BufferRange { buffer, offset: 0, bytes: bytes as u64 };
    let mut expected = pattern(bytes, 2).to_vec();
    card.copy_in(stream, Arc::new(pattern(bytes, 2)), whole).unwrap();
    for (salt, (offset, length)) in [(0, 3), (3, 1), (999, 1), (500, 17), (990, 10), (100, 0)].into_iter().enumerate() {
        let part = pattern(length, 100 + salt as u64);
        expected[offset..offset + length].copy_from_slice(&part);
        let range = BufferRange { buffer, offset: offset as u64, bytes: length as u64 };
        card.copy_in(stream, Arc::new(part), range).unwrap();
    }
    let copy = card.copy_out(stream, whole, HostBuffer::zeroed(bytes + 5)).unwrap();
    assert_eq!(card.finish_copy(copy, TIMEOUT).unwrap()[..bytes], expected);
}

/// More copies in flight than there are chunks: none waits for the owner of another.
#[test]
fn many_copies_under_way_at_once() {
    let Some(card) = first_card() else { return };
    for (bytes, count) in [(100, 300), (3 << 20, 40)] {
        let streams: Vec<StreamId> = (0..3).map(|_| card.open_stream(Priority::Normal).unwrap()).collect();
        let mut copies = Vec::new();
        for number in 0..count {
            let stream = streams[number % 3];
            let range = BufferRange { buffer: card.allocate(bytes).unwrap(), offset: 0, bytes: bytes as u64 };
            card.copy_in(stream, Arc::new(pattern(bytes, number as u64)), range).unwrap();
            copies.push((number, card.copy_out(stream, range, HostBuffer::zeroed(bytes)).unwrap()));
            // The copies are queued: the memory lives on until they are done.
            card.free(range.buffer);
        }
        streams.into_iter().for_each(|stream| card.close_stream(stream));
        for (number, copy) in copies.into_iter().rev() {
            assert!(card.finish_copy(copy, TIMEOUT).unwrap()[..] == pattern(bytes, number as u64)[..], "{number}");
        }
        assert_eq!(card.memory().used, 0);
    }
}

/// Ranges of these sizes, each in its own buffer from byte 16 on, with their content.
fn ranges_of(card: &dyn Device, stream: StreamId, sizes: &[usize]) -> Vec<(BufferRange, HostBuffer)> {
    let one = |(number, &bytes): (usize, &usize)| {
        let whole = BufferRange { buffer: card.allocate(bytes + 32).unwrap(), offset: 0, bytes: bytes as u64 + 32 };
        card.upload(stream, &vec![0xEE; bytes + 32], whole).unwrap();
        let (range, sent) = (BufferRange { offset: 16, bytes: bytes as u64, ..whole }, pattern(bytes, number as u64));
        card.upload(stream, &sent, range).unwrap();
        (range, sent)
    };
    sizes.iter().enumerate().map(one).collect()
}

/// Sizes around the limits of chunks, alone and among others: ranges that share a chunk, ranges larger than a chunk,
/// and more small ranges than are queued at once.
#[test]
fn several_ranges_are_downloaded_at_once() {
    let Some(card) = first_card() else { return };
    let stream = card.open_stream(Priority::Normal).unwrap();
    let (small, middle, queued) = (64 << 10, 512 << 10, 4 << 20);
    let sizes: [&[usize]; 9] = [
        &[8, 1, 8, 1, 8, 1, 8, 1],
        &[0, 5, 0],
        &[small - 3, 3, 1],
        &[small, small, 17],
        &[small + 1, 8, 3 << 20, 1, 9 << 20, 100],
        &[middle, middle + 1, 7],
        &[queued, 1],
        &[40 << 20, 16, 40 << 20],
        &[small - 1; 70],
    ];
    for sizes in sizes {
        let ranges = ranges_of(&card, stream, sizes);
        let mut places: Vec<Vec<u8>> = sizes.iter().map(|bytes| vec![0xAB; *bytes]).collect();
        let parts =
            ranges.iter().zip(&mut places).map(|((from, _), destination)| Download { from: *from, destination });
        card.download_all(stream, &mut parts.collect::<Vec<_>>(), TIMEOUT).unwrap();
        assert!(ranges.iter().zip(&places).all(|((_, sent), came)| sent[..] == came[..]), "{sizes:?}");
        let asked: Vec<BufferRange> = ranges.iter().map(|(range, _)| *range).collect();
        let all: Vec<u8> = ranges.iter().flat_map(|(_, sent)| sent.iter().copied()).collect();
        let copy = card.copy_out_all(stream, &asked, HostBuffer::zeroed(all.len())).unwrap();
        assert!(card.finish_copy(copy, TIMEOUT).unwrap()[..] == all[..], "{sizes:?}");
        ranges.iter().for_each(|(range, _)| card.free(range.buffer));
    }
    assert_eq!(card.memory().used, 0);
}

/// Some destinations are page-locked and large, others share a chunk, in one call.
#[test]
fn downloads_mix_page_locked_and_pageable_memory() {
    let Some(card) = first_card() else { return };
    let card: Arc<dyn Device> = Arc::new(card);
    let stream = card.open_stream(Priority::Normal).unwrap();
    let sizes = [8, 5 << 20, 1, 3 << 20, 100];
    let ranges = ranges_of(&*card, stream, &sizes);
    let mut locked = PageLocked::new(card.clone(), 8 << 20).unwrap();
    let (first, second) = locked.split_at_mut(5 << 20);
    let mut small = [vec![0; 8], vec![0; 1], vec![0; 100]];
    let [a, b, c] = &mut small;
    let places: [&mut [u8]; 5] = [a, first, b, second, c];
    let parts = ranges.iter().zip(places).map(|((from, _), destination)| Download { from: *from, destination });
    card.download_all(stream, &mut parts.collect::<Vec<_>>(), TIMEOUT).unwrap();
    let came = [&small[0][..], &locked[..5 << 20], &small[1], &locked[5 << 20..], &small[2]];
    assert!(ranges.iter().zip(came).all(|((_, sent), came)| sent[..] == *came));
}

/// Threads download small results concurrently, as queries do: chunks are passed from one to the other.
#[test]
fn threads_download_small_ranges_concurrently() {
    let Some(card) = first_card() else { return };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let card = &card;
            scope.spawn(move || {
                let stream = card.open_stream(Priority::Normal).unwrap();
                let ranges = ranges_of(card, stream, &[8 + thread, 1, 16, 1000 * thread]);
                let asked: Vec<BufferRange> = ranges.iter().map(|(range, _)| *range).collect();
                let all: Vec<u8> = ranges.iter().flat_map(|(_, sent)| sent.iter().copied()).collect();
                for round in 0..200 {
                    let copy = card.copy_out_all(stream, &asked, HostBuffer::zeroed(all.len())).unwrap();
                    match round % 3 {
                        0 => card.forget_copy(copy),
                        _ => assert!(card.finish_copy(copy, TIMEOUT).unwrap()[..] == all[..], "{round}"),
                    }
                }
                card.close_stream(stream);
            });
        }
    });
}

#[test]
fn threads_copy_concurrently() {
    let Some(card) = first_card() else { return };
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let card = &card;
            scope.spawn(move || {
                let stream = card.open_stream(Priority::Normal).unwrap();
                for round in 0..20 {
                    let bytes = 1 << (round % 24);
                    let sent = Arc::new(pattern(bytes, thread * 100 + round));
                    let range = BufferRange { buffer: card.allocate(bytes).unwrap(), offset: 0, bytes: bytes as u64 };
                    card.copy_in(stream, sent.clone(), range).unwrap();
                    let copy = card.copy_out(stream, range, HostBuffer::zeroed(bytes)).unwrap();
                    assert!(card.finish_copy(copy, TIMEOUT).unwrap()[..] == sent[..], "{bytes} bytes");
                    card.free(range.buffer);
                }
                card.close_stream(stream);
            });
        }
    });
    assert_eq!(card.memory().used, 0);
}

/// An allocation beyond the card's memory is an error; after it everything still works.
#[test]
fn memory_that_is_not_there() {
    let Some(card) = first_card() else { return };
    for bytes in [1usize << 50, usize::MAX - 15, usize::MAX] {
        assert_eq!(card.allocate(bytes).unwrap_err().kind, DeviceErrorKind::OutOfMemory, "{bytes}");
    }
    let buffer = card.allocate(1 << 20).unwrap();
    card.free(buffer);
    assert_eq!(card.memory().used, 0);
}

#[test]
fn trim_releases_kept_memory() {
    let Some(card) = first_card() else { return };
    let (large, part) = (512 << 20, 128 << 20);
    let [used, freed] = [part, large].map(|bytes| card.allocate(bytes).unwrap());
    card.free(freed);
    assert!(card.memory().kept >= large as u64, "{:?}", card.memory());
    card.trim(u64::MAX);
    assert!(card.memory().kept >= large as u64, "{:?}: that is within what was said", card.memory());
    card.trim(part as u64);
    assert!(card.memory().kept <= part as u64 + (64 << 20), "{:?}", card.memory());
    card.trim(0);
    let left = card.memory();
    assert!(left.kept <= 64 << 20 && left.used >= part as u64, "{left:?}");
    card.free(used);
}

/// Page-locked memory, in parts that start and end anywhere, beside memory that is not locked.
#[test]
fn locked_memory_is_copied_without_staging() {
    let Some(card) = first_card() else { return };
    let card: Arc<dyn Device> = Arc::new(card);
    let stream = card.open_stream(Priority::Normal).unwrap();
    let total = 40 << 20;
    let mut from = PageLocked::new(card.clone(), total).unwrap();
    let mut destination = PageLocked::new(card.clone(), total).unwrap();
    from.copy_from_slice(&pattern(total, 9));
    for (start, bytes) in [(0, total), (0, 1 << 20), (4, (1 << 20) + 1), (12_345, 20 << 20), (total - 5, 5), (7, 0)] {
        let buffer = card.allocate(bytes).unwrap();
        let range = BufferRange { buffer, offset: 0, bytes: bytes as u64 };
        card.upload(stream, &from[start..start + bytes], range).unwrap();
        destination.fill(0xAB);
        card.download(stream, range, &mut destination[start..start + bytes], TIMEOUT).unwrap();
        assert!(destination[start..start + bytes] == from[start..start + bytes], "{bytes} bytes from {start}");
        assert!(
            destination[..start].iter().chain(&destination[start + bytes..]).all(|byte| *byte == 0xAB),
            "while copying {bytes} bytes"
        );
        card.free(buffer);
    }
    drop((from, destination));
    assert_eq!(card.memory().used, 0);
    let again = PageLocked::new(card.clone(), total).unwrap();
    assert!(again.iter().all(|byte| *byte == 0), "memory that was unlocked can be locked again");
}
