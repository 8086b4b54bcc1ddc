//! [`CompiledStage`]: a stage of a query with the [`Program`] that runs it on one device.

use pointsman_device::fork::Process;
use pointsman_device::{Device, DeviceResult, ProgramId, ProgramImage};
use pointsman_ir::fuse::{Stage, StageInput, StagePart};
use pointsman_ir::types::Type;
use std::ops::Deref;
use std::sync::Arc;

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
}

impl CompiledStage {
    /// The only part of a stage that reads all rows of one table, as every stage does that runs outside `exec/relational`.
    #[inline]
    pub(crate) fn part(&self) -> &StagePart {
        &self.stage.parts[0]
    }

    /// The table that it reads all rows of; see [`CompiledStage::part`].
    #[inline]
    pub(crate) fn input(&self) -> StageInput {
        self.part().input
    }

    /// The table's column behind each of the kernel's; see [`CompiledStage::part`].
    #[inline]
    pub(crate) fn columns(&self) -> &[u32] {
        &self.part().columns
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
