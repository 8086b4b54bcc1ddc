//! [`StepBatches`]: the steps of a launch. In: the steps of one chunk, and how they grow with the number of chunks. Out: the
//! steps of any number of chunks, in batches whose memory fits a dispatch and whose scratch memory is bounded.

use super::{CallMemory, CallStep, CallTarget, NotPlanned, RUNNER_WORDS, WINDOW_NUMBERS_MAX, WORDS, Window};

/// The part of a memory that a planned step uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlannedWindow {
    pub(super) memory: CallMemory,
    /// Bytes, of each chunk or altogether.
    pub(super) bytes: u64,
    pub(super) extent: Extent,
}

/// The most bytes of a memory that a kernel may see.
fn window_max(number_bytes: u64, target: &CallTarget) -> u64 {
    target.window_bytes.min(WINDOW_NUMBERS_MAX * number_bytes)
}

/// What the size of a memory counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// One chunk: chunks follow each other.
    EachChunk,
    /// All chunks.
    AllChunks,
}

impl PlannedWindow {
    /// A memory that has this many bytes for each chunk.
    pub(super) fn each(memory: CallMemory, bytes: u64) -> PlannedWindow {
        PlannedWindow { memory, bytes, extent: Extent::EachChunk }
    }

    /// A memory that all chunks share.
    pub(super) fn shared(memory: CallMemory, bytes: u64) -> PlannedWindow {
        PlannedWindow { memory, bytes, extent: Extent::AllChunks }
    }

    /// No memory.
    pub(super) fn unused() -> PlannedWindow {
        PlannedWindow::shared(CallMemory::Unused, 0)
    }

    /// Refuses a memory of which one chunk is more than a kernel may see.
    pub(super) fn check(&self, number_bytes: u64, target: &CallTarget) -> Result<(), NotPlanned> {
        let (bytes, window_max) = (self.bytes, window_max(number_bytes, target));
        if bytes <= window_max {
            return Ok(());
        }
        let memory = format!("{:?}", self.memory).to_lowercase();
        let text = format!("the {memory} of a chunk has {bytes} bytes, a kernel may see {window_max}");
        Err(NotPlanned::new(text))
    }

    /// The part that a batch uses.
    fn of(&self, first: u64, chunks: u64) -> Window {
        match (self.extent, self.memory) {
            (Extent::AllChunks, memory) => Window { memory, start: 0, bytes: self.bytes },
            // Every batch uses the same scratch memory.
            (Extent::EachChunk, CallMemory::Scratch(_)) => {
                Window { memory: self.memory, start: 0, bytes: self.bytes * chunks }
            }
            (Extent::EachChunk, memory) => Window { memory, start: self.bytes * first, bytes: self.bytes * chunks },
        }
    }
}

/// A step of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedStep {
    pub(super) entry: usize,
    pub(super) read: [PlannedWindow; 2],
    pub(super) written: PlannedWindow,
    /// Pieces of work of each chunk, of which a workgroup takes `group_items`.
    pub(super) items: u64,
    pub(super) group_items: u64,
    pub(super) group_operations: f64,
    /// The argument words; the runner sets the first ones, and [`CHUNKS_WORD`] is the number of chunks of the batch.
    pub(super) words: [u32; WORDS],
}

/// The argument word that holds the number of chunks of a batch.
pub(super) const CHUNKS_WORD: usize = RUNNER_WORDS;

/// The steps of a launch.
#[derive(Clone, Debug)]
pub(super) struct StepBatches {
    /// Steps that a launch takes once, before all chunks: as if there was one chunk.
    once: Vec<PlannedStep>,
    /// Steps of each batch.
    each: Vec<PlannedStep>,
    /// The most chunks of a batch.
    chunks_max: u64,
    /// The scratch memories, by number.
    scratch: Vec<PlannedWindow>,
}

impl StepBatches {
    /// The steps of a launch, with batches as large as the target allows. `number_bytes`: the size of a real number.
    pub(super) fn new(
        once: Vec<PlannedStep>,
        each: Vec<PlannedStep>,
        number_bytes: u64,
        target: &CallTarget,
    ) -> Result<StepBatches, NotPlanned> {
        let window_max = window_max(number_bytes, target);
        let windows = |step: &PlannedStep| [step.read[0], step.read[1], step.written];
        let mut scratch: Vec<PlannedWindow> = Vec::new();
        let mut chunks_max = u64::MAX;
        for step in once.iter().chain(&each) {
            chunks_max = chunks_max.min((u64::from(u32::MAX >> 1) * step.group_items / step.items.max(1)).max(1));
            for window in windows(step) {
                window.check(number_bytes, target)?;
                if window.extent == Extent::EachChunk {
                    chunks_max = chunks_max.min(window_max / window.bytes.max(1));
                }
                if let CallMemory::Scratch(number) = window.memory {
                    if scratch.len() <= number {
                        scratch.resize(number + 1, PlannedWindow::unused());
                    }
                    let bytes = window.bytes.max(scratch[number].bytes);
                    scratch[number] = PlannedWindow { bytes, ..window };
                }
            }
        }
        let each_bytes = |window: &&PlannedWindow| window.extent == Extent::EachChunk;
        let chunk_bytes: u64 = scratch.iter().filter(each_bytes).map(|window| window.bytes).sum();
        chunks_max = chunks_max.min((target.scratch_bytes / chunk_bytes.max(1)).max(1));
        Ok(StepBatches { once, each, chunks_max, scratch })
    }

    pub(super) fn scratch_bytes(&self, chunks: u64) -> Vec<u64> {
        let chunks = chunks.min(self.chunks_max);
        self.scratch.iter().map(|window| window.of(0, chunks).bytes).collect()
    }

    pub(super) fn step_count(&self, chunks: u64) -> u64 {
        let batches = chunks.div_ceil(self.chunks_max);
        if batches == 0 { 0 } else { self.once.len() as u64 + batches * self.each.len() as u64 }
    }

    pub(super) fn step(&self, chunks: u64, number: u64) -> CallStep {
        let Some(number) = number.checked_sub(self.once.len() as u64) else {
            return step(&self.once[number as usize], 0, 1);
        };
        let each = self.each.len() as u64;
        let first = number / each * self.chunks_max;
        step(&self.each[(number % each) as usize], first, (chunks - first).min(self.chunks_max))
    }
}

/// A step over the chunks of a batch.
fn step(planned: &PlannedStep, first: u64, chunks: u64) -> CallStep {
    let mut words = planned.words;
    words[CHUNKS_WORD] = chunks as u32;
    let mut own = [0; WORDS - RUNNER_WORDS];
    own.copy_from_slice(&words[RUNNER_WORDS..]);
    CallStep {
        entry: planned.entry,
        read: planned.read.map(|window| window.of(first, chunks)),
        written: planned.written.of(first, chunks),
        groups: (planned.items * chunks).div_ceil(planned.group_items) as u32,
        group_operations: planned.group_operations,
        words: own,
    }
}
