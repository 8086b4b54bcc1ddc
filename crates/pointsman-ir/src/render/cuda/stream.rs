//! `Compact` and `Scan`: a block stages a tile's rows in shared memory, ranks the selected ones, learns what came
//! before, and writes them one after the other. The tree of tiles is in `stream.cu`.

mod entry;
mod folds;
mod stage;
mod write;

use super::fold::{self, Folded, Kept, node_words, structs};
use super::rows::{self, Shape};
use super::words::Words;
use super::{Kind, NODES, Needs};
use crate::body::ValueId;
use crate::guard::Guarded;
use crate::kernel::{Fold, LEAF_ROWS, Sink, Work};
use crate::render::NotRendered;
use crate::types::{Repr, Type};
use std::fmt::Write;

const TEXT: &str = include_str!("stream.cu");
const THREADS: u32 = 256;
/// Rows of a thread's chunks in a tile.
const THREAD_ROWS: usize = LEAF_ROWS / THREADS as usize;
/// Threads of a block: one warp more than compute.
const BLOCK_THREADS: u32 = THREADS + 32;
/// The maximum shared memory of a block, which every supported card provides. Staged rows that need more go to the
/// block's scratch memory.
const BLOCK_BYTES_MAX: usize = 99 << 10;
/// Tiles that a block has begun and not ended, at most.
const SLOTS_MAX: usize = 2;
/// The shared memory of a multiprocessor for all of its blocks, each of which takes one KiB of its own.
const MULTIPROCESSOR_BYTES: usize = 227 << 10;
/// Columns of a partial row before the kept ones: leaf, before the first start, segment start.
const HEAD: usize = 3;

/// The sizes of the parts of a tile's staged data.
struct Layout {
    /// Bytes of the struct `Shared`.
    head: usize,
    /// Bytes of a tile's bits and numbers of rows, in shared memory.
    bits: usize,
    /// Bytes of what threads remember of a tile.
    held: usize,
    /// Bytes of a tile's staged values.
    staged: usize,
    /// Whether the staged values and what threads remember are in shared memory; else they are in the block's scratch.
    in_shared: bool,
    /// Tiles that a block has begun and not ended, at most.
    slots: usize,
}

impl Layout {
    fn new(head: usize, bits: usize, held: usize, staged: usize) -> Layout {
        let [head, bits, held, staged] = [head, bits, held, staged].map(|bytes| bytes.next_multiple_of(16));
        let most = |slot: usize| (1..=SLOTS_MAX).rev().find(|slots| head + slots * slot <= BLOCK_BYTES_MAX);
        let in_shared = most(bits + held + staged);
        let slots = in_shared.or_else(|| most(bits)).unwrap_or(1);
        Layout { head, bits, held, staged, in_shared: in_shared.is_some(), slots }
    }

    /// Bytes of shared memory of a tile.
    fn slot(&self) -> usize {
        self.bits + if self.in_shared { self.held + self.staged } else { 0 }
    }

    /// Bytes of shared memory of a block.
    fn shared_bytes(&self) -> usize {
        self.head + self.slots * self.slot()
    }

    /// Bytes of scratch memory of a block.
    fn block_scratch(&self) -> usize {
        if self.in_shared { 0 } else { self.slots * (self.staged + self.held) }
    }
}

/// The staged data of one value.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The offset of the values, among the staged ones.
    values: Option<usize>,
    /// The offset of a fold's finished values: those it takes, unless their width differs.
    finished: Option<usize>,
    /// The offset of the bits of a truth value, in shared memory.
    truth: Option<usize>,
    /// The offset of the bits that say what is not null.
    valid: Option<usize>,
}

struct Stream {
    words: Words,
    shape: Shape,
    inputs: Vec<Type>,
    columns: Vec<Type>,
    folds: Vec<Folded>,
    segment: Option<ValueId>,
    masked: bool,
    /// Whether selected rows are put one after the other as they are computed.
    packed: bool,
    can_fault: bool,
    /// Offsets in shared memory: numbers of the selected rows, bits of selected rows, of segment starts, of rows that
    /// take the carry.
    index: usize,
    keep: usize,
    starts: usize,
    before: usize,
    column_places: Vec<Place>,
    fold_places: Vec<Place>,
    layout: Layout,
}

/// The text after the shared parts, and what its launch needs.
pub(super) fn render(
    guarded: &Guarded,
    columns: &[ValueId],
    folds: &[Fold],
    segment: Option<ValueId>,
) -> Result<(String, Needs), NotRendered> {
    let kernel = &guarded.kernel;
    let scan = !matches!(kernel.sink, Sink::Compact { .. });
    let stream = Stream::new(guarded, columns, folds, segment);
    let mut values = columns.to_vec();
    values.extend(folds.iter().filter_map(Fold::value));
    values.extend(segment);
    let of = fold::Stream { counted: stream.masked || folds.is_empty(), segments: segment.is_some() };
    let node_words = node_words(&stream.folds, of);
    let mut text = rows::functions(guarded, &stream.words, &values, stream.shape)?;
    text.push_str(&structs(&stream.folds, of));
    text.push_str(NODES);
    let flag = |set: bool| if set { "true" } else { "false" };
    let _ = writeln!(text, "#define LEAVES {}\n#define SEGMENTS {}", flag(scan), flag(segment.is_some()));
    let _ = writeln!(
        text,
        "#define ORDERED {}\n#define SLOTS {}",
        flag(is_ordered(&stream.folds, segment)),
        stream.layout.slots
    );
    text.push_str(TEXT);
    if !stream.packed {
        stream.stage_chunk(&mut text);
    }
    stream.stage_rows(&mut text);
    stream.entry(&mut text, scan);
    let shared_bytes = stream.layout.shared_bytes() as u32;
    let block_scratch = stream.layout.block_scratch() as u64;
    let kind = Kind::Stream { node_words: node_words as u64, leaves: scan };
    let (threads, tile_rows) = (BLOCK_THREADS, LEAF_ROWS as u64);
    let (can_fault, can_stop) = (stream.can_fault, Work::of(kernel).must_be_stoppable());
    Ok((text, Needs { threads, tile_rows, shared_bytes, block_scratch, kind, can_fault, can_stop }))
}

/// Whether nodes must be joined in their order.
fn is_ordered(folds: &[Folded], segment: Option<ValueId>) -> bool {
    segment.is_some() || folds.iter().any(|fold| fold.float().is_some())
}

/// Takes aligned memory.
fn reserve(at: &mut usize, bytes: usize) -> usize {
    let start = at.next_multiple_of(16);
    *at = start + bytes;
    start
}

impl Stream {
    fn new(guarded: &Guarded, columns: &[ValueId], folds: &[Fold], segment: Option<ValueId>) -> Stream {
        let kernel = &guarded.kernel;
        let words = Words::of(kernel);
        let types = kernel.body.types_of(columns);
        let folds = Folded::all(folds, &kernel.body, columns.len());
        let mut shape = Shape::of(guarded, &types, THREAD_ROWS);
        shape.chunks = shape.chunks.min(THREAD_ROWS / shape.chunk);
        let masked = kernel.mask.is_some();
        let scan = !matches!(kernel.sink, Sink::Compact { .. });
        let plain = |ty: &Type| !ty.nullable && ty.dtype.repr() != Repr::Bool;
        let packed = masked && !scan && shape.unrolled && types.iter().all(plain);
        let bits = LEAF_ROWS / 8;
        let mut fixed = 0;
        let index = reserve(&mut fixed, if masked && !packed { LEAF_ROWS * 2 } else { 0 });
        let keep = reserve(&mut fixed, if masked && !packed { bits } else { 0 });
        let scan_bits = if scan { bits } else { 0 };
        let starts = reserve(&mut fixed, scan_bits);
        let before = reserve(&mut fixed, scan_bits);
        let mut staged = 0;
        let mut place = |taken: Option<Repr>, finished: Option<Repr>, nullable: bool| {
            let wide = |repr: &Repr| *repr != Repr::Bool;
            let bytes = |repr: Repr| if packed { LEAF_ROWS * repr.bytes() } else { staged_bytes(repr) };
            let values = taken.filter(wide).map(|repr| reserve(&mut staged, bytes(repr)));
            let same = taken.map(Repr::bytes) == finished.map(Repr::bytes);
            let finished = finished.filter(|repr| wide(repr) && !same);
            let apart = finished.map(|repr| reserve(&mut staged, bytes(repr)));
            Place {
                values,
                finished: if same { values } else { apart },
                truth: (taken == Some(Repr::Bool)).then(|| reserve(&mut fixed, bits)),
                valid: nullable.then(|| reserve(&mut fixed, bits)),
            }
        };
        let column_places: Vec<Place> =
            types.iter().map(|ty| place(Some(ty.dtype.repr()), None, ty.nullable)).collect();
        let fold_places: Vec<Place> = (folds.iter())
            .map(|fold| {
                // A count looks at what is there alone.
                let taken = fold.taken.filter(|_| fold.kept != Kept::Count);
                place(taken, Some(fold.output.repr()), fold.adds_nothing().is_none())
            })
            .collect();
        let ordered = is_ordered(&folds, segment);
        let held = THREADS as usize * held_bytes(&folds, masked, segment.is_some());
        let layout = Layout::new(shared_struct_bytes(&folds, ordered), fixed, held, staged);
        let can_fault = !guarded.checks.is_empty();
        Stream {
            words,
            shape,
            inputs: kernel.columns.clone(),
            columns: types,
            folds,
            segment,
            masked,
            packed,
            can_fault,
            index,
            keep,
            starts,
            before,
            column_places,
            fold_places,
            layout,
        }
    }

    /// The words of output `number`: rows of the partial form have a head.
    fn output(&self, number: usize) -> String {
        format!("{} + shift", self.words.output(number))
    }
}

/// Bytes of a staged column: sixteen are left out behind every 128, so that threads side by side meet different banks.
const fn staged_bytes(repr: Repr) -> usize {
    let bytes = LEAF_ROWS * repr.bytes();
    bytes + bytes / 8
}

/// At least the bytes of the struct `Node`.
fn node_bytes(folds: &[Folded]) -> usize {
    // Each member may have as much padding before it as it is long; flags and the count take 16.
    16 + folds.iter().map(|_| 32).sum::<usize>()
}

/// At least the bytes of the struct `Held`: every member takes a multiple of the widest.
fn held_bytes(folds: &[Folded], masked: bool, segments: bool) -> usize {
    let mut members = Vec::new();
    // A rank, and whether a segment starts.
    members.extend((masked && !folds.is_empty()).then_some(4));
    members.extend(segments.then_some(4));
    for fold in folds {
        match fold.kept {
            Kept::Float(repr) => members.extend(vec![repr.bytes(); if segments { 4 } else { 2 }]),
            Kept::Exact => members.push(if fold.leaf_sum() == "i64" { 8 } else { 16 }),
            Kept::Count => members.push(8),
            // A value, and whether there is one.
            Kept::Min(repr) | Kept::Max(repr) => members.extend([repr.bytes(), 4]),
        }
    }
    members.len() * members.iter().max().copied().unwrap_or(0)
}

/// At least the bytes of the struct `Shared`.
fn shared_struct_bytes(folds: &[Folded], ordered: bool) -> usize {
    let (parts, totals) = if ordered { (13 * 4, 2) } else { (1, 1) };
    416 + 16 * 16 * totals + (8 + parts + SLOTS_MAX) * node_bytes(folds)
}
