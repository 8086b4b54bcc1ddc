//! [`CompiledStage`]: a stage of a query with the [`Program`] that runs it on one device.

use crate::programs::variants::StageVariants;
use pointsman_device::fork::Process;
use pointsman_device::{Device, DeviceResult, ProgramId, ProgramImage};
use pointsman_ir::body::ParamId;
use pointsman_ir::fuse::{Stage, StageInput, StageParam, StagePart};
use pointsman_ir::types::Type;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program loaded into a device. Dropping it unloads it.
pub(crate) struct Program {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) id: ProgramId,
    process: Process,
}

impl Program {
    /// Loads an image.
    pub(crate) fn load(device: &Arc<dyn Device>, image: &ProgramImage) -> DeviceResult<Program> {
        Ok(Program { id: device.load(image)?, device: device.clone(), process: Process::current() })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Drivers do not survive a fork.
        if self.process.is_same() {
            self.device.unload(self.id);
        }
    }
}

/// A stage, ready to run.
pub(crate) struct CompiledStage {
    pub(crate) stage: Stage,
    /// The types of its output columns.
    pub(crate) output: Vec<Type>,
    pub(crate) program: Arc<Program>,
    /// The row counts of its last run.
    pub(crate) history: OutputHistory,
    /// Programs that only a run can choose.
    pub(crate) variants: StageVariants,
    /// A copy of the stage's first part, which is the only one outside `exec/relational`.
    first_part: StagePart,
    /// Whether the stage takes all scalars of the call, in order, as most stages do.
    pub(crate) takes_params_in_order: bool,
}

/// A run is expected to return at most this many times the rows of the last one. A guess that is too low costs one more
/// launch, one that is too high costs memory.
pub(crate) const GROWTH_MAX: usize = 4;

/// The rows that a stage read and returned in its last run; 0 before the first. The two numbers need not be consistent,
/// since they only serve as a guess.
#[derive(Default)]
pub(crate) struct OutputHistory {
    rows_in: AtomicUsize,
    rows_out: AtomicUsize,
}

impl OutputHistory {
    /// Remembers a run.
    pub(crate) fn record(&self, rows_in: usize, rows_out: usize) {
        self.rows_in.store(rows_in, Ordering::Relaxed);
        self.rows_out.store(rows_out, Ordering::Relaxed);
    }

    /// The rows that a run over `rows` rows gives, if the last one says so: in proportion to the rows, but at most
    /// [`GROWTH_MAX`] times as many as the last run gave; or as many.
    pub(crate) fn expected(&self, rows: usize, is_proportional: bool) -> Option<usize> {
        let (before, gave) = (self.rows_in.load(Ordering::Relaxed), self.rows_out.load(Ordering::Relaxed));
        match (before, is_proportional) {
            (0, _) => None,
            (_, false) => Some(gave),
            (_, true) => {
                let proportional = usize::try_from(gave as u128 * rows as u128 / before as u128);
                Some(proportional.unwrap_or(usize::MAX).min(gave.saturating_mul(GROWTH_MAX)))
            }
        }
    }
}

impl CompiledStage {
    /// A stage whose program is loaded.
    pub(crate) fn new(stage: Stage, program: Arc<Program>) -> CompiledStage {
        let in_order = (0..).map(|number| StageParam::Given(ParamId(number)));
        CompiledStage {
            output: stage.kernel.output(),
            first_part: stage.parts[0].clone(),
            takes_params_in_order: stage.params.iter().copied().eq(in_order.take(stage.params.len())),
            stage,
            program,
            history: OutputHistory::default(),
            variants: StageVariants::default(),
        }
    }

    /// The stage that merges partial results of this one; `None` if they need no kernel. `number` is this stage's
    /// number.
    pub(crate) fn merge_stage(&self, number: usize) -> Option<Stage> {
        let kernel = self.kernel.merge()?;
        let columns = (0..kernel.columns.len() as u32).collect();
        let part = StagePart { input: StageInput::Stage(number), columns, skip: 0, fetch: None };
        let (params, lists, tables, pair_limits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Some(Stage { kernel, parts: vec![part], params, lists, tables, pair_limits })
    }

    /// The table that it reads all rows of, as every stage does that runs outside `exec/relational`.
    #[inline]
    pub(crate) fn input(&self) -> StageInput {
        self.first_part.input
    }

    /// For each column of the kernel, the column of [`CompiledStage::input`].
    #[inline]
    pub(crate) fn columns(&self) -> &[u32] {
        &self.first_part.columns
    }

    /// The device that it runs on.
    pub(crate) fn device(&self) -> &dyn Device {
        &*self.program.device
    }
}

impl Deref for CompiledStage {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}
