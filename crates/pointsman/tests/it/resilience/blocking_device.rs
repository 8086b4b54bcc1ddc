//! A simulated device whose launches block, in real time, until the test releases them.

use pointsman::Device;
use pointsman::report::{DeviceInfo, MemoryInfo};
use pointsman_device::sim::{SimClock, SimDevice, SimOptions};
use pointsman_device::{
    BufferId, BufferRange, CopyId, DeviceResult, EventId, EventStatus, HostBuffer, Launch, LaunchId, LaunchStatus,
    Outcome, Priority, ProgramId, ProgramImage, StreamId,
};
use pointsman_ir::kernel::Kernel;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A simulated device that can hold its launches.
pub(crate) struct HeldDevice {
    sim: SimDevice,
    state: Mutex<State>,
    changed: Condvar,
    /// The virtual time that each check of a kernel takes.
    check_time: Duration,
}

struct State {
    launches: usize,
    is_open: bool,
}

impl HeldDevice {
    /// Creates a device that holds every launch.
    pub(crate) fn held() -> Arc<HeldDevice> {
        HeldDevice::new(false, Duration::ZERO)
    }

    /// Creates a device that holds no launch, but takes this long to say whether it supports a kernel.
    pub(crate) fn slow_to_plan(check_time: Duration) -> Arc<HeldDevice> {
        HeldDevice::new(true, check_time)
    }

    fn new(is_open: bool, check_time: Duration) -> Arc<HeldDevice> {
        let sim = SimDevice::new(SimOptions::default());
        Arc::new(HeldDevice {
            sim,
            state: Mutex::new(State { launches: 0, is_open }),
            changed: Condvar::new(),
            check_time,
        })
    }

    pub(crate) fn clock(&self) -> &SimClock {
        self.sim.clock()
    }

    /// Blocks until this many launches have arrived.
    pub(crate) fn wait_for_launches(&self, launches: usize) {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |state| state.launches < launches).unwrap());
    }

    /// Releases all launches.
    pub(crate) fn release(&self) {
        self.state.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }
}

impl Device for HeldDevice {
    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus> {
        let mut state = self.state.lock().unwrap();
        state.launches += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.is_open).unwrap());
        self.sim.launch(stream, program, launch)
    }

    fn info(&self) -> &DeviceInfo {
        self.sim.info()
    }

    fn memory(&self) -> MemoryInfo {
        self.sim.memory()
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        self.sim.clock().advance(self.check_time);
        self.sim.supports(kernel)
    }

    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage> {
        self.sim.compile(kernel)
    }

    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId> {
        self.sim.load(image)
    }

    fn describe(&self, program: ProgramId) -> String {
        self.sim.describe(program)
    }

    fn unload(&self, program: ProgramId) {
        self.sim.unload(program);
    }

    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId> {
        self.sim.allocate(bytes)
    }

    fn free(&self, buffer: BufferId) {
        self.sim.free(buffer);
    }

    fn open_stream(&self, priority: Priority) -> DeviceResult<StreamId> {
        self.sim.open_stream(priority)
    }

    fn close_stream(&self, stream: StreamId) {
        self.sim.close_stream(stream);
    }

    fn copy_in(&self, stream: StreamId, from: Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()> {
        self.sim.copy_in(stream, from, to)
    }

    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], into: HostBuffer) -> DeviceResult<CopyId> {
        self.sim.copy_out_all(stream, from, into)
    }

    fn finish_copy(&self, copy: CopyId, patience: Duration) -> DeviceResult<HostBuffer> {
        self.sim.finish_copy(copy, patience)
    }

    fn forget_copy(&self, copy: CopyId) {
        self.sim.forget_copy(copy);
    }

    fn record(&self, stream: StreamId) -> DeviceResult<EventId> {
        self.sim.record(stream)
    }

    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()> {
        self.sim.wait_for(stream, event)
    }

    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus> {
        self.sim.event_status(event)
    }

    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration> {
        self.sim.elapsed(from, to)
    }

    fn forget_event(&self, event: EventId) {
        self.sim.forget_event(event);
    }

    fn finish(&self, launch: LaunchId, patience: Duration) -> DeviceResult<Outcome> {
        self.sim.finish(launch, patience)
    }

    fn forget_launch(&self, launch: LaunchId) {
        self.sim.forget_launch(launch);
    }

    fn zombies(&self) -> usize {
        self.sim.zombies()
    }
}
