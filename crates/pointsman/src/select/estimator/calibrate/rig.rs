//! A device that is measured, and what is there for the time of it: a stream, programs, buffers. All of it is given back
//! when it is dropped, also after a failure.

use super::kernels::{VALUE_BYTES, Work};
use crate::error::{Error, Result};
use pointsman_device::host::BoolLayout;
use pointsman_device::{
    BufferId, BufferRange, ColumnInput, ColumnOutput, Device, DeviceError, DeviceErrorKind, DeviceResult, EventStatus,
    Form, Launch, LaunchStatus, Priority, ProgramId, StreamId,
};
use pointsman_ir::types::Scalar;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a launch or a copy may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// Room for a row of results.
const RESULT_BYTES: usize = 64;

/// A device with a stream, and room for a row of results.
pub(super) struct Rig {
    pub(super) device: Arc<dyn Device>,
    pub(super) stream: StreamId,
    /// `None` on a device that works in the host's memory.
    result: Option<Buffer>,
}

/// Memory of a device, freed when it is dropped.
pub(super) struct Buffer {
    device: Arc<dyn Device>,
    id: BufferId,
}

/// A loaded program, unloaded when it is dropped.
pub(super) struct Program {
    device: Arc<dyn Device>,
    id: ProgramId,
    params: Vec<Option<Scalar>>,
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.device.close_stream(self.stream);
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.free(self.id);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.device.unload(self.id);
    }
}

impl Buffer {
    /// Memory of a device.
    pub(super) fn new(device: &Arc<dyn Device>, bytes: usize) -> DeviceResult<Buffer> {
        Ok(Buffer { device: device.clone(), id: device.allocate(bytes)? })
    }

    /// So many of its bytes from one on.
    pub(super) fn range(&self, offset: usize, bytes: usize) -> BufferRange {
        BufferRange { buffer: self.id, offset: offset as u64, bytes: bytes as u64 }
    }
}

impl Rig {
    /// What measuring a device takes.
    pub(super) fn open(device: &Arc<dyn Device>) -> DeviceResult<Rig> {
        let stream = device.open_stream(Priority::Normal)?;
        let mut rig = Rig { device: device.clone(), stream, result: None };
        if !rig.is_host() {
            rig.result = Some(Buffer::new(device, RESULT_BYTES)?);
        }
        Ok(rig)
    }

    /// Whether it works in the host's memory.
    pub(super) fn is_host(&self) -> bool {
        self.device.info().capabilities.host_memory
    }

    /// A program for some work; `None` if the device has none for it.
    pub(super) fn load(&self, work: &Work) -> DeviceResult<Option<Program>> {
        let image = self.device.supports(&work.kernel).and_then(|()| self.device.compile(&work.kernel));
        match image.and_then(|image| self.device.load(&image)) {
            Ok(id) => Ok(Some(Program { device: self.device.clone(), id, params: work.params.clone() })),
            Err(error) if is_refusal(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Programs for several works, so many made at once.
    pub(super) fn load_all(&self, works: &[Work], at_once: usize) -> DeviceResult<Vec<Option<Program>>> {
        let mut loaded = Vec::new();
        for part in works.chunks(at_once.max(1)) {
            let programs: DeviceResult<Vec<Option<Program>>> = std::thread::scope(|scope| {
                let others: Vec<_> = part[1..].iter().map(|work| scope.spawn(|| self.load(work))).collect();
                let own = self.load(&part[0]);
                let panicked = |_| Err(DeviceError::new(DeviceErrorKind::Internal, "a compilation panicked"));
                let joined = others.into_iter().map(|other| other.join().unwrap_or_else(panicked));
                std::iter::once(own).chain(joined).collect()
            });
            loaded.extend(programs?);
        }
        Ok(loaded)
    }

    /// Runs a program that gives one row of `f32`, over these columns.
    pub(super) fn fold(&self, program: &Program, rows: usize, columns: &[ColumnInput<'_>]) -> Result<()> {
        let mut host = [0; VALUE_BYTES];
        let output = match &self.result {
            Some(buffer) => ColumnOutput::Device { values: buffer.range(0, VALUE_BYTES), validity: None },
            None => ColumnOutput::Host { values: &mut host, bools: BoolLayout::Bits, validity: None },
        };
        self.run(program, rows, columns, output)
    }

    /// Runs a program from its launch to the knowledge that it is done.
    pub(super) fn run(
        &self,
        program: &Program,
        rows: usize,
        columns: &[ColumnInput<'_>],
        output: ColumnOutput<'_>,
    ) -> Result<()> {
        let (params, form) = (&program.params[..], Form::Whole);
        let outputs = &mut [output];
        let mut launch = Launch { first_row: 0, rows, form, columns, params, lists: &[], tables: &[], outputs };
        let outcome = match self.device.launch(self.stream, program.id, &mut launch)? {
            LaunchStatus::Done(outcome) => {
                self.settle()?;
                outcome
            }
            LaunchStatus::Running(id) => {
                self.device.finish(id, PATIENCE).inspect_err(|_| self.device.forget_launch(id))?
            }
        };
        match outcome.fault {
            None => Ok(()),
            Some(fault) => Err(Error::internal(format!("a calibration without faults met {fault:?}"))),
        }
    }

    /// Waits for what is queued. A launch whose outcome is certain is told to be done as soon as it is queued.
    fn settle(&self) -> DeviceResult<()> {
        if self.is_host() {
            return Ok(());
        }
        let event = self.device.record(self.stream)?;
        let start = Instant::now();
        let settled = loop {
            match self.device.event_status(event) {
                Ok(EventStatus::Reached) => break Ok(()),
                Ok(EventStatus::Pending) if start.elapsed() < PATIENCE => std::thread::yield_now(),
                Ok(EventStatus::Pending) => {
                    break Err(DeviceError::new(DeviceErrorKind::Timeout, format!("{PATIENCE:?} were not enough")));
                }
                Err(error) => break Err(error),
            }
        };
        self.device.forget_event(event);
        settled
    }
}

/// Whether a device said that it has no program for a kernel, and nothing worse.
fn is_refusal(error: &DeviceError) -> bool {
    match error.kind {
        DeviceErrorKind::Unsupported | DeviceErrorKind::Compile => true,
        DeviceErrorKind::OutOfMemory
        | DeviceErrorKind::Transient
        | DeviceErrorKind::Lost
        | DeviceErrorKind::Timeout
        | DeviceErrorKind::Expired
        | DeviceErrorKind::Stopped
        | DeviceErrorKind::InvalidArgument
        | DeviceErrorKind::Internal => false,
    }
}
