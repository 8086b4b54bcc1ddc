//! Copies to a card and back: every size around the limits of pinned chunks, parts of buffers, many under way at once.
//! Skipped where there is no card.
#![allow(clippy::unwrap_used)]

#[path = "cuda/card.rs"]
mod card;

use card::first_card;
use pointsman_device::*;
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes that differ from place to place and from salt to salt.
fn pattern(bytes: usize, salt: u64) -> HostBuffer {
    let mut buffer = HostBuffer::zeroed(bytes);
    for (place, part) in buffer.chunks_mut(8).enumerate() {
        let word = (place as u64 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        part.copy_from_slice(&word[..part.len()]);
    }
    buffer
}

#[test]
fn every_size_comes_back() {
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
        assert!(card.finish_copy(copy, PATIENCE).unwrap()[..] == sent[..], "{bytes} bytes");
        card.free(buffer);
    }
    assert_eq!(card.memory().used, 0);
}

#[test]
fn parts_of_buffers_stay_apart() {
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
    assert_eq!(card.finish_copy(copy, PATIENCE).unwrap()[..bytes], expected);
}

/// More copies under way than there are chunks: none waits for another's owner.
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
            assert!(card.finish_copy(copy, PATIENCE).unwrap()[..] == pattern(bytes, number as u64)[..], "{number}");
        }
        assert_eq!(card.memory().used, 0);
    }
}

#[test]
fn threads_copy_at_once() {
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
                    assert!(card.finish_copy(copy, PATIENCE).unwrap()[..] == sent[..], "{bytes} bytes");
                    card.free(range.buffer);
                }
                card.close_stream(stream);
            });
        }
    });
    assert_eq!(card.memory().used, 0);
}

/// More than there is, is an error; after it everything still works.
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

/// Memory that is locked, in parts that start and end anywhere, beside memory that is not.
#[test]
fn locked_memory_is_copied_without_staging() {
    let Some(card) = first_card() else { return };
    let card: Arc<dyn Device> = Arc::new(card);
    let stream = card.open_stream(Priority::Normal).unwrap();
    let total = 40 << 20;
    let mut from = PageLocked::new(card.clone(), total).unwrap();
    let mut into = PageLocked::new(card.clone(), total).unwrap();
    from.copy_from_slice(&pattern(total, 9));
    for (start, bytes) in [(0, total), (0, 1 << 20), (4, (1 << 20) + 1), (12_345, 20 << 20), (total - 5, 5), (7, 0)] {
        let buffer = card.allocate(bytes).unwrap();
        let range = BufferRange { buffer, offset: 0, bytes: bytes as u64 };
        card.upload(stream, &from[start..start + bytes], range).unwrap();
        into.fill(0xAB);
        card.download(stream, range, &mut into[start..start + bytes], PATIENCE).unwrap();
        assert!(into[start..start + bytes] == from[start..start + bytes], "{bytes} bytes from {start}");
        assert!(into[..start].iter().chain(&into[start + bytes..]).all(|byte| *byte == 0xAB), "beside {bytes} bytes");
        card.free(buffer);
    }
    drop((from, into));
    assert_eq!(card.memory().used, 0);
    let again = PageLocked::new(card.clone(), total).unwrap();
    assert!(again.iter().all(|byte| *byte == 0), "memory that was unlocked can be locked again");
}
