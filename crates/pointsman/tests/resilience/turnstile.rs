//! A simulated device whose launches wait, in real time, until the test lets them go on.

use pointsman::Device;
use pointsman::report::{DeviceInfo, MemoryInfo};
use pointsman_device::sim::{SimClock, SimDevice, SimOptions};
use pointsman_device::{
    BufferId, BufferRange, CopyId, DeviceResult, EventId, EventStatus, HostBuffer, Launch, LaunchId, Outcome, Pending,
    Priority, ProgramId, ProgramImage, StreamId,
};
use pointsman_ir::kernel::Kernel;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Holds launches.
pub(crate) struct Turnstile {
    sim: SimDevice,
    /// How many launches arrived, and whether they may go on.
    state: Mutex<(usize, bool)>,
    moved: Condvar,
    /// How long it thinks about each kernel, in virtual time.
    thinks: Duration,
}

impl Turnstile {
    /// One that holds every launch.
    pub(crate) fn held() -> Arc<Turnstile> {
        Turnstile::new(false, Duration::ZERO)
    }

    /// One that holds none, but thinks so long before it says that it takes a kernel.
    pub(crate) fn slow_to_plan(thinks: Duration) -> Arc<Turnstile> {
        Turnstile::new(true, thinks)
    }

    fn new(is_open: bool, thinks: Duration) -> Arc<Turnstile> {
        let sim = SimDevice::new(SimOptions::default());
        Arc::new(Turnstile { sim, state: Mutex::new((0, is_open)), moved: Condvar::new(), thinks })
    }

    pub(crate) fn clock(&self) -> &SimClock {
        self.sim.clock()
    }

    /// Waits until so many launches arrived.
    pub(crate) fn until_arrived(&self, launches: usize) {
        let state = self.state.lock().unwrap();
        drop(self.moved.wait_while(state, |(arrived, _)| *arrived < launches).unwrap());
    }

    /// Lets all launches go on.
    pub(crate) fn release(&self) {
        self.state.lock().unwrap().1 = true;
        self.moved.notify_all();
    }
}

impl Device for Turnstile {
    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<Pending> {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.moved.notify_all();
        drop(self.moved.wait_while(state, |(_, may_go_on)| !*may_go_on).unwrap());
        self.sim.launch(stream, program, launch)
    }

    fn info(&self) -> &DeviceInfo {
        self.sim.info()
    }

    fn memory(&self) -> MemoryInfo {
        self.sim.memory()
    }

    fn supports(&self, kernel: &Kernel) -> DeviceResult<()> {
        self.sim.clock().advance(self.thinks);
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
