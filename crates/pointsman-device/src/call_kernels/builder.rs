//! [`Builder`]: collects the entry points, constants and steps of a plan. In: entry points with their steps, in order.
//! Out: the [`CallPlan`].

use super::batches::{PlannedStep, PlannedWindow, StepBatches};
use super::constants::Constants;
use super::language::EntryPoint;
use super::{CallMemory, CallPlan, CallTarget, NotPlanned, WORDS};
use pointsman_ir::types::DType;

/// A plan in the making.
pub(super) struct Builder<'a> {
    pub(super) dtype: DType,
    pub(super) target: &'a CallTarget,
    pub(super) constants: Constants,
    entries: Vec<EntryPoint>,
    once: Vec<PlannedStep>,
    each: Vec<PlannedStep>,
    scratch: usize,
    /// Whether steps are added that a launch takes once, before all chunks.
    pub(super) is_once: bool,
}

/// A step without its entry point.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepWork {
    pub(super) read: [PlannedWindow; 2],
    pub(super) written: PlannedWindow,
    pub(super) items: u64,
    pub(super) group_items: u64,
    pub(super) group_operations: f64,
}

impl<'a> Builder<'a> {
    pub(super) fn new(dtype: DType, target: &'a CallTarget) -> Builder<'a> {
        Builder {
            dtype,
            target,
            constants: Constants::default(),
            entries: Vec::new(),
            once: Vec::new(),
            each: Vec::new(),
            scratch: 0,
            is_once: false,
        }
    }

    /// The size of a real number.
    pub(super) fn number_bytes(&self) -> u64 {
        self.dtype.repr().bytes() as u64
    }

    /// The size of a complex number.
    pub(super) fn pair_bytes(&self) -> u64 {
        2 * self.number_bytes()
    }

    /// New scratch memory for this many complex numbers of each chunk, or of all chunks for steps that run once.
    pub(super) fn scratch(&mut self, numbers: u64) -> Result<PlannedWindow, NotPlanned> {
        let memory = CallMemory::Scratch(self.scratch);
        self.scratch += 1;
        let bytes = numbers.saturating_mul(self.pair_bytes());
        let window = match self.is_once {
            true => PlannedWindow::shared(memory, bytes),
            false => PlannedWindow::each(memory, bytes),
        };
        window.check(self.number_bytes(), self.target)?;
        Ok(window)
    }

    /// Returns an error if one chunk takes more memory than a kernel may see.
    pub(super) fn check(&self, windows: &[PlannedWindow]) -> Result<(), NotPlanned> {
        windows.iter().try_for_each(|window| window.check(self.number_bytes(), self.target))
    }

    /// The number of the next entry point, for the names of what belongs to it.
    pub(super) fn next_entry(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry point with a step for each of these argument words.
    pub(super) fn add(
        &mut self,
        entry: EntryPoint,
        work: &StepWork,
        words: impl IntoIterator<Item = ([u32; WORDS], f64)>,
    ) {
        let number = self.entries.len();
        self.entries.push(entry);
        let StepWork { read, written, items, group_items, .. } = *work;
        let steps = words.into_iter().map(|(words, part)| {
            let group_operations = work.group_operations * part;
            PlannedStep { entry: number, read, written, items, group_items, group_operations, words }
        });
        if self.is_once { self.once.extend(steps) } else { self.each.extend(steps) }
    }

    /// The plan. [`CallMemory::Constants`] of all steps gets its size here.
    pub(super) fn finish(mut self) -> Result<CallPlan, NotPlanned> {
        let bytes = self.constants.size(self.number_bytes(), self.target)?;
        for step in self.once.iter_mut().chain(&mut self.each) {
            for window in &mut step.read {
                if window.memory == CallMemory::Constants {
                    window.bytes = bytes;
                }
            }
        }
        let batches = StepBatches::new(self.once, self.each, self.dtype.repr().bytes() as u64, self.target)?;
        let source = self.target.language.source(self.dtype, &self.entries);
        Ok(CallPlan { source, dtype: self.dtype, constants: self.constants, batches })
    }
}
