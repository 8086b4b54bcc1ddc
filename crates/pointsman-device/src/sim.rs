//! The simulated device: runs kernels through the interpreter on a virtual clock, with scripted speed and failures.
//!
//! Work is queued on streams and executed when the clock reaches its end, not before: a caller that reads too early, or
//! forgets to wait for an event, sees old bytes, as on a card. Copies in, launches and copies out of different streams
//! overlap. Only waiting moves the clock. The device runs every sink and touches host memory through copies alone.

mod abandoned_work;
mod clock;
mod compile_gate;
mod engines;
mod fault;
mod index;
mod introspection;
mod options;
mod state;
mod work;

#[cfg(all(test, feature = "testing"))]
mod tests;

pub use clock::{SimClock, SimSpeed};
pub use engines::{SimHost, SimWatts};
pub use fault::SimFault;
pub use options::SimOptions;
#[cfg(feature = "testing")]
pub(crate) use work::faulty_fold;

use crate::convert::POISON;
use crate::download::staging_fits;
use crate::page_locked::LockedRanges;
use crate::sync::{Mutex, MutexGuard};
use crate::{
    BufferId, BufferRange, Capabilities, CopyId, Device, DeviceError, DeviceErrorKind, DeviceInfo, DeviceKind,
    DeviceResult, EnergyReading, EventId, EventStatus, HostBuffer, IndexId, IndexInfo, IndexKeys, Launch, LaunchId,
    LaunchStatus, MemoryInfo, Outcome, Priority, ProgramId, ProgramImage, ProgressObserver, StreamId,
};
use compile_gate::CompileGate;
use engines::Engines;
use fault::Faults;
use index::SimIndex;
use introspection::{LaunchHook, RoundTrips};
use pointsman_ir::kernel::{Estimate, Kernel, Sink, parse};
use pointsman_ir::types::DType;
use pointsman_ir::verify;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use work::{QueuedLaunch, SimMemory, SimProgram, Work, check_range};

/// The format of this device's program images.
const IMAGE_FORMAT: &str = "pointsman-sim-1";
/// The end time of work that never ends.
const NEVER: Duration = Duration::MAX;

/// A simulated device.
pub struct SimDevice {
    info: DeviceInfo,
    clock: SimClock,
    speed: SimSpeed,
    watts: Option<SimWatts>,
    memory_bytes: u64,
    allocation_step: u64,
    call_scratch_row_bytes: u64,
    driver: String,
    gate: CompileGate,
    hook: LaunchHook,
    locked: LockedRanges,
    state: Mutex<SimState>,
}

#[derive(Default)]
struct SimState {
    faults: Faults,
    ids: u64,
    memory: SimMemory,
    memory_bytes: u64,
    /// Bytes of buffers, indexes and scratch memory.
    used: u64,
    /// How often there was too little memory.
    refusals: u64,
    /// The granularity of buffer sizes.
    allocation_step: u64,
    /// The maximum of `used` so far.
    peak: u64,
    /// Buffers that were freed while work needed them.
    doomed: BTreeSet<BufferId>,
    programs: BTreeMap<ProgramId, Arc<SimProgram>>,
    indexes: BTreeMap<IndexId, Arc<SimIndex>>,
    /// Indexes that were freed while launches needed them.
    doomed_indexes: BTreeMap<IndexId, Arc<SimIndex>>,
    /// The end time of each stream's work.
    streams: BTreeMap<StreamId, Duration>,
    engines: Engines,
    events: BTreeMap<EventId, Duration>,
    /// Work by its end time and its number.
    queue: BTreeMap<(Duration, u64), Work>,
    ends: BTreeMap<u64, Duration>,
    launches: BTreeMap<LaunchId, DeviceResult<Outcome>>,
    /// Abandoned launches that are still running.
    forgotten: BTreeSet<LaunchId>,
    copies: BTreeMap<CopyId, HostBuffer>,
    trips: RoundTrips,
}

impl SimDevice {
    /// Creates a device.
    pub fn new(options: SimOptions) -> SimDevice {
        let info = DeviceInfo {
            name: options.name,
            kind: DeviceKind::Sim,
            model: "the interpreter on a virtual clock".to_string(),
            units: 1,
            is_emulated: true,
            capabilities: Capabilities {
                exactness: options.exactness,
                f64: options.f64,
                host_memory: false,
                unified_memory: false,
                sinks: options.sinks,
                refuses: Vec::new(),
                buffer_bytes_max: options.memory_bytes,
                range_align: 1,
                images_worth_storing: options.images_worth_storing,
            },
        };
        let allocation_step = options.allocation_step.max(1);
        let SimOptions { clock, speed, watts, memory_bytes, call_scratch_row_bytes, driver, faults, .. } = options;
        let SimOptions { copies_in_at_once, host, .. } = options;
        let (engines, gate, hook) =
            (Engines::new(copies_in_at_once, host), CompileGate::default(), LaunchHook::default());
        let faults = Faults::new(faults);
        let state = Mutex::new(SimState { faults, engines, memory_bytes, allocation_step, ..SimState::default() });
        SimDevice {
            info,
            clock,
            speed,
            watts,
            memory_bytes,
            allocation_step,
            call_scratch_row_bytes,
            driver,
            gate,
            hook,
            locked: LockedRanges::default(),
            state,
        }
    }

    /// The device's clock.
    pub fn clock(&self) -> &SimClock {
        &self.clock
    }

    /// The faults that happened, in order.
    pub fn fired(&self) -> Vec<SimFault> {
        self.lock().faults.fired().to_vec()
    }

    /// Replaces the planned faults and restarts the counting of calls. A lost device comes back.
    pub fn plan_faults(&self, faults: Vec<SimFault>) {
        self.lock().faults = Faults::new(faults);
    }

    fn lock(&self) -> MutexGuard<'_, SimState> {
        self.state.lock()
    }

    /// The scratch memory of a launch over this many rows.
    fn scratch_of(&self, program: &SimProgram, rows: usize) -> u64 {
        match program.kernel.sink {
            Sink::Call { .. } => self.allocation_bytes((rows as u64).saturating_mul(self.call_scratch_row_bytes)),
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => 0,
            Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } => 0,
        }
    }

    /// The state after all work that is due; an error once the device is lost.
    fn settled(&self) -> DeviceResult<MutexGuard<'_, SimState>> {
        let mut state = self.lock();
        state.faults.check_not_lost()?;
        state.settle(self.clock.now());
        Ok(state)
    }

    /// Waits until work ends, at most for `timeout`.
    fn wait(&self, number: u64, timeout: Duration) -> DeviceResult<MutexGuard<'_, SimState>> {
        let end = {
            let mut state = self.settled()?;
            state.trips.wait();
            state.ends.get(&number).copied()
        };
        let end = end.ok_or_else(|| DeviceError::invalid(format!("there is no work {number} in flight")))?;
        let limit = self.clock.now().saturating_add(timeout);
        self.clock.advance_to(end.min(limit));
        if end > limit || end == NEVER {
            return Err(DeviceError::new(DeviceErrorKind::Timeout, format!("timed out after {timeout:?}")));
        }
        let mut state = self.settled()?;
        state.ends.remove(&number);
        Ok(state)
    }
}

impl Device for SimDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn memory(&self) -> MemoryInfo {
        let mut state = self.lock();
        state.settle(self.clock.now());
        let doomed = state.doomed.iter().filter_map(|buffer| state.memory.get(buffer));
        let freed: u64 = doomed.map(|bytes| state.taken(bytes.len())).sum();
        let (used, peak, zombie) = (state.used, state.peak, freed + state.forgotten_scratch());
        MemoryInfo { total: Some(self.memory_bytes), free: Some(self.memory_bytes - used), used, peak, zombie, kept: 0 }
    }

    fn energy(&self) -> DeviceResult<EnergyReading> {
        let watts = self.watts.ok_or_else(|| DeviceError::unsupported("it was not told what it draws"))?;
        Ok(EnergyReading::Counted(watts.joules(self.clock.now(), self.lock().engines.given())))
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        let mut types = kernel.body.iter().map(|(_, _, ty)| ty.dtype).chain(kernel.columns.iter().map(|ty| ty.dtype));
        if !self.info.capabilities.f64 && types.any(|dtype| dtype == DType::F64) {
            return Err(DeviceError::unsupported("it has no double precision (f64)"));
        }
        let sink = kernel.sink.name();
        match self.info.capabilities.sinks.contains(&sink) {
            true => Ok(()),
            false => Err(DeviceError::unsupported(format!("it does not run `{sink}`"))),
        }
    }

    fn fingerprint(&self) -> String {
        format!("{IMAGE_FORMAT}, driver {}", self.driver)
    }

    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        self.supports(kernel)?;
        self.gate.pass();
        self.clock.advance(self.speed.compile);
        self.settled()?.faults.compile()?;
        Ok(ProgramImage::new(IMAGE_FORMAT, kernel.print().as_bytes()))
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        let refuse = |message: String| DeviceError::new(DeviceErrorKind::Compile, message);
        let text = std::str::from_utf8(image.program(IMAGE_FORMAT)?).map_err(|error| refuse(error.to_string()))?;
        let kernel = parse::parse(text).map_err(|error| refuse(error.to_string()))?;
        verify::kernel(&kernel).map_err(|error| refuse(error.to_string()))?;
        self.supports(&kernel)?;
        self.gate.loaded();
        let mut state = self.settled()?;
        state.faults.load()?;
        let id = ProgramId(state.id());
        let estimate = Estimate::of(&kernel);
        state.programs.insert(id, Arc::new(SimProgram { kernel, estimate }));
        Ok(id)
    }

    fn cuts_chunks(&self) -> bool {
        true
    }

    fn describe(&self, program: ProgramId) -> String {
        let loaded = self.lock().programs.contains_key(&program);
        if loaded { "interpreted".to_string() } else { String::new() }
    }

    fn unload(&self, program: ProgramId) {
        self.lock().programs.remove(&program);
    }

    fn allocation_bytes(&self, bytes: u64) -> u64 {
        bytes.next_multiple_of(self.allocation_step)
    }

    fn scratch_bytes(&self, program: ProgramId, rows: usize) -> u64 {
        self.lock().programs.get(&program).map_or(0, |program| self.scratch_of(program, rows))
    }

    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId> {
        let mut state = self.settled()?;
        state.faults.allocate()?;
        let taken = state.taken(bytes);
        state.take(taken)?;
        let id = BufferId(state.id());
        state.memory.insert(id, vec![POISON; bytes]);
        Ok(id)
    }

    fn free(&self, buffer: BufferId) {
        let mut state = self.lock();
        if state.memory.contains_key(&buffer) {
            state.doomed.insert(buffer);
        }
        state.settle(self.clock.now());
    }

    fn open_stream(&self, _priority: Priority) -> DeviceResult<StreamId> {
        let mut state = self.settled()?;
        let id = StreamId(state.id());
        state.streams.insert(id, Duration::ZERO);
        Ok(id)
    }

    fn close_stream(&self, stream: StreamId) {
        self.lock().streams.remove(&stream);
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        let mut state = self.settled()?;
        check_range(&state.memory, to)?;
        if (from.len() as u64) < to.bytes {
            return Err(DeviceError::invalid(format!("{} bytes of staging for {}", from.len(), to.bytes)));
        }
        let number = state.id();
        let takes = self.speed.copy_time(to.bytes);
        state.queue(stream, self.clock.now(), takes, number, Work::CopyIn { from, to })
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], destination: HostBuffer) -> DeviceResult<CopyId> {
        let mut state = self.settled()?;
        from.iter().try_for_each(|range| check_range(&state.memory, *range))?;
        staging_fits(&destination, from)?;
        let number = state.id();
        let (id, takes) = (CopyId(number), self.speed.copy_time(from.iter().map(|range| range.bytes).sum()));
        state.queue(stream, self.clock.now(), takes, number, Work::CopyOut { id, from: from.to_vec(), destination })?;
        Ok(id)
    }

    fn finish_copy(&self, copy: CopyId, timeout: Duration) -> DeviceResult<HostBuffer> {
        let mut state = self.wait(copy.0, timeout)?;
        let staging = state.copies.remove(&copy);
        state.faults.copy_out()?;
        staging.ok_or_else(|| DeviceError::invalid(format!("there is no copy {}", copy.0)))
    }

    fn forget_copy(&self, copy: CopyId) {
        self.lock().forget_copy(copy);
    }

    unsafe fn lock_pages(&self, memory: &[u8]) -> DeviceResult<()> {
        self.locked.insert(memory);
        Ok(())
    }

    unsafe fn unlock_pages(&self, memory: &[u8]) {
        self.locked.remove(memory, || {});
    }

    fn copies_directly(&self, memory: &[u8]) -> bool {
        self.locked.has(memory)
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        let mut state = self.settled()?;
        let time = state.stream(stream)?.max(self.clock.now());
        let id = EventId(state.id());
        state.events.insert(id, time);
        Ok(id)
    }

    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()> {
        let mut state = self.settled()?;
        let time = state.stream(stream)?.max(state.event(event)?);
        state.streams.insert(stream, time);
        Ok(())
    }

    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus> {
        let state = self.settled()?;
        let reached = state.event(event)? <= self.clock.now();
        Ok(if reached { EventStatus::Reached } else { EventStatus::Pending })
    }

    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration> {
        let state = self.settled()?;
        let (from, to) = (state.event(from)?, state.event(to)?);
        if from.max(to) > self.clock.now() {
            return Err(DeviceError::invalid("time between events that are not reached"));
        }
        Ok(to.saturating_sub(from))
    }

    fn forget_event(&self, event: EventId) {
        self.lock().events.remove(&event);
    }

    fn build_index(
        &self,
        stream: StreamId,
        keys: &IndexKeys<'_>,
        _observer: Option<&dyn ProgressObserver>,
    ) -> DeviceResult<IndexInfo> {
        self.index_keys(stream, keys)
    }

    fn free_index(&self, index: IndexId) {
        let mut state = self.lock();
        if let Some(freed) = state.indexes.remove(&index) {
            state.doomed_indexes.insert(index, freed);
        }
        state.settle(self.clock.now());
    }

    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus> {
        self.hook.call();
        let mut state = self.settled()?;
        state.stream(stream)?;
        let program = state.programs.get(&program).cloned();
        let program = program.ok_or_else(|| DeviceError::invalid("there is no such program"))?;
        let takes = self.speed.launch_time(&program.estimate, launch.rows);
        let scratch = self.scratch_of(&program, launch.rows);
        let number = state.id();
        let id = LaunchId(number);
        let queued = QueuedLaunch::new(id, program, launch, &state.memory, &state.indexes)?;
        let launch_faults = state.faults.launch()?;
        state.take(scratch)?;
        let takes = if launch_faults.hangs { NEVER } else { takes };
        let work = Work::Launch(Box::new(queued.with_faults(launch_faults).with_scratch(scratch)));
        state.queue(stream, self.clock.now(), takes, number, work)?;
        Ok(LaunchStatus::Running(id))
    }

    fn finish(&self, launch: LaunchId, timeout: Duration) -> DeviceResult<Outcome> {
        let mut state = self.wait(launch.0, timeout)?;
        let outcome = state.launches.remove(&launch);
        outcome.unwrap_or_else(|| Err(DeviceError::invalid(format!("there is no launch {}", launch.0))))
    }

    fn forget_launch(&self, launch: LaunchId) {
        let mut state = self.lock();
        state.settle(self.clock.now());
        state.forget(launch);
    }

    fn zombies(&self) -> usize {
        let mut state = self.lock();
        state.settle(self.clock.now());
        state.forgotten.len()
    }
}
