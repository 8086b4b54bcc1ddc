//! Renders a guarded kernel without composite operations as CUDA C++: the text of one entry point and the requirements
//! on its launch, or an error that names the unsupported part. Never panics on a verified kernel.
//!
//! The text includes nothing. A thread loads chunks of rows in vectors of up to 16 bytes, several on the way at a time,
//! computes the body a row at a time, and hands the values to the sink. Files: `words` the argument, `dialect` the
//! operations, `rows` what every sink shares (with the question whether to stop, for rows that may take long), `store`,
//! `reduce` and `stream` (`Compact` and `Scan`) the sinks; the `.cu` files are the fixed parts of the text.

mod dialect;
mod fold;
mod reduce;
mod rows;
mod store;
mod stream;
mod words;

pub use words::Words;

use crate::guard::Guarded;
use crate::kernel::{Frame, Kernel, LEAF_ROWS, StreamingSink, Work};
use crate::render::NotRendered;
use crate::types::DType;

const SCALARS: &str = include_str!("scalar.cu");
const ROWS: &str = include_str!("rows.cu");
const NODES: &str = include_str!("nodes.cu");

const A_PROBE: &str = "a probe";
const A_FRAME: &str = "a running fold over a frame";
const A_WIDE_SUM: &str = "a sum of decimals of more than 26 digits";
const MANY_FOLDS: &str = "more than 64 folds";
const MANY_STAGED: &str = "more columns and folds than shared memory holds";
const A_LONG_ARGUMENT: &str = "more columns, scalars and tables than a launch can name";
const ANOTHER_SINK: &str = "the sink";

/// The openings of the messages of what is not written as CUDA although its sink is.
pub const REFUSES: &[&str] = &[A_PROBE, A_FRAME, A_WIDE_SUM, A_LONG_ARGUMENT, MANY_FOLDS, MANY_STAGED];

/// The maximum number of digits of decimals of which 2^40 add up in 128 bits, whatever the order.
const SUMMED_DIGITS_MAX: u8 = 26;
/// The most folds of a sink: each takes shared memory.
const FOLDS_MAX: usize = 64;
/// The most shared memory that a block of any card may have.
const SHARED_BYTES_MAX: u32 = 220 << 10;

/// The maximum number of words of an argument: CUDA passes 32,764 bytes.
const WORDS_MAX: usize = 32_764 / 8;

/// A kernel as CUDA C++.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaSource {
    /// The text; its entry is `pointsman`, whose argument is a struct of [`Words::count`] words.
    pub text: String,
    /// The arguments that a launch must pass.
    pub needs: Needs,
}

/// The arguments that a launch must pass to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Threads of a block.
    pub threads: u32,
    /// Rows of a tile. A launch has a block for every tile; of [`Kind::Stream`], and where blocks need scratch memory,
    /// at most as many as run at once.
    pub tile_rows: u64,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// Scratch memory of each block of the grid, in bytes.
    pub block_scratch: u64,
    /// How the results of tiles are combined.
    pub kind: Kind,
    /// Whether a row can fault.
    pub can_fault: bool,
    /// Whether a launch polls a stop flag, because its rows may take long.
    pub can_stop: bool,
}

/// How the blocks of a launch work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Not at all.
    Store,
    /// Each leaf leaves a record of this many bytes, in the partial form one of `leaf_bytes`.
    Reduce {
        /// Bytes of a group's record.
        group_bytes: u64,
        /// Bytes of a leaf's record in the partial form: 32 for each accumulator.
        leaf_bytes: u64,
    },
    /// Tiles pass on what came before them in nodes of this many words; tiles start at row 0 of the launch, or at whole
    /// leaves of the source.
    Stream {
        /// Words of a node.
        node_words: u64,
        /// Whether tiles are leaves of the source.
        leaves: bool,
    },
}

/// The resources of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The number of tiles: word [`Words::TILES`], and the maximum number of blocks with work.
    pub tiles: u64,
    /// Bytes of scratch memory.
    pub scratch_bytes: u64,
    /// The number of scratch bytes, from the first on, that must be zero before the launch.
    pub zeroed_bytes: u64,
}

/// Bytes before the records or nodes in the scratch memory.
pub const SCRATCH_HEAD: u64 = 64;
/// The children of a node of the stream's tree, as a power of two.
const RADIX_BITS: u32 = 4;
/// The records of a reduction that are joined at a time.
const JOINED: u64 = 32;

impl Needs {
    /// The resources of a launch over a number of rows.
    pub fn geometry(&self, first_row: u64, rows: u64, partial: bool) -> Geometry {
        let from = |first: u64| {
            let last = first + rows.max(1) - 1;
            (first / self.tile_rows, last / self.tile_rows)
        };
        match self.kind {
            Kind::Store => Geometry { tiles: rows.div_ceil(self.tile_rows), scratch_bytes: 0, zeroed_bytes: 0 },
            Kind::Reduce { leaf_bytes, .. } if partial => {
                let (first, last) = from(first_row);
                let leaves = rows.div_ceil(LEAF_ROWS as u64);
                // A record's slots are wider than what is written there, and the host reads all of it.
                let scratch_bytes = SCRATCH_HEAD + leaves * leaf_bytes;
                Geometry { tiles: last - first + 1, scratch_bytes, zeroed_bytes: scratch_bytes }
            }
            Kind::Reduce { group_bytes, .. } => {
                let (mut first, mut last) = from(first_row);
                let tiles = last - first + 1;
                // Every record but the root's has a parent, which counts its children.
                let (mut records, mut counters) = (tiles, 0);
                while first != last {
                    (first, last) = (first / JOINED, last / JOINED);
                    counters += last - first + 1;
                    records += last - first + 1;
                }
                let zeroed_bytes = SCRATCH_HEAD + (counters * 4).next_multiple_of(64);
                Geometry { tiles, scratch_bytes: zeroed_bytes + records * group_bytes, zeroed_bytes }
            }
            Kind::Stream { node_words, leaves } => {
                let (first, last) = from(if leaves { first_row } else { 0 });
                let mut nodes = 0;
                let mut shift = 0;
                loop {
                    let level = (last >> shift) - (first >> shift) + 1;
                    nodes += level;
                    shift += RADIX_BITS;
                    if level == 1 || shift >= 64 {
                        break;
                    }
                }
                let scratch_bytes = SCRATCH_HEAD + nodes * node_words * 8;
                Geometry { tiles: last - first + 1, scratch_bytes, zeroed_bytes: scratch_bytes }
            }
        }
    }
}

/// Whether a kernel can be written as CUDA; pure and cheap.
pub fn supports(kernel: &Kernel) -> Result<(), NotRendered> {
    if kernel.body.iter().any(|(_, inst, _)| matches!(inst, crate::body::Inst::Probe { .. })) {
        return Err(NotRendered::new(A_PROBE));
    }
    if let StreamingSink::Scan { running, .. } = streaming(kernel)?
        && running.iter().any(|one| one.frame != Frame::Unbounded)
    {
        return Err(NotRendered::new(A_FRAME));
    }
    let folds = kernel.sink.folds();
    if folds.len() > FOLDS_MAX {
        return Err(NotRendered::new(MANY_FOLDS));
    }
    for fold in folds.iter().filter(|fold| fold.op.is_sum()) {
        let dtype = fold.value().map(|v| kernel.body.ty(v).dtype);
        if matches!(dtype, Some(DType::Decimal { precision, .. }) if precision > SUMMED_DIGITS_MAX) {
            return Err(NotRendered::new(A_WIDE_SUM));
        }
    }
    if Words::of(kernel).count() > WORDS_MAX {
        return Err(NotRendered::new(A_LONG_ARGUMENT));
    }
    Ok(())
}

/// The sink, if it is one that is written.
fn streaming(kernel: &Kernel) -> Result<StreamingSink<'_>, NotRendered> {
    let sink = kernel.sink.streaming();
    sink.ok_or_else(|| NotRendered::new(format!("{ANOTHER_SINK} `{}`", kernel.sink.name())))
}

/// Writes a guarded kernel without composite operations as CUDA.
pub fn render(guarded: &Guarded) -> Result<CudaSource, NotRendered> {
    supports(&guarded.kernel)?;
    let (own, needs) = match streaming(&guarded.kernel)? {
        StreamingSink::Store { columns } => {
            let outputs = guarded.kernel.output();
            let shape = rows::Shape::of(guarded, &outputs, 16);
            let words = Words::of(&guarded.kernel);
            let (can_fault, can_stop) = (!guarded.checks.is_empty(), Work::of(&guarded.kernel).must_be_stoppable());
            let text = rows::functions(guarded, &words, columns, shape)?
                + &store::kernel(&words, &outputs, shape, can_fault, can_stop);
            let tile_rows = (store::THREADS * shape.chunk * shape.chunks) as u64;
            let threads = store::THREADS as u32;
            let kind = Kind::Store;
            (text, Needs { threads, tile_rows, shared_bytes: 0, block_scratch: 0, kind, can_fault, can_stop })
        }
        StreamingSink::Reduce { folds } => reduce::render(guarded, folds)?,
        StreamingSink::Compact { columns } => stream::render(guarded, columns, &[], None)?,
        StreamingSink::Scan { columns, running, segment } => {
            let folds: Vec<_> = running.iter().map(|one| one.fold).collect();
            stream::render(guarded, columns, &folds, segment)?
        }
    };
    if needs.shared_bytes > SHARED_BYTES_MAX {
        return Err(NotRendered::new(MANY_STAGED));
    }
    Ok(CudaSource { text: format!("{SCALARS}{ROWS}{own}"), needs })
}
