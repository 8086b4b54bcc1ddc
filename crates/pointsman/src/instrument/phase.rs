//! [`Phase`]: a part of the path of a query. [`PhaseTimer`]: how long each took.

use pointsman_device::clock::Moment;

/// A phase of a run, which [`Receipt::time`](crate::Receipt::time) has the duration of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Verifying the plan, and looking it up among the compiled ones.
    Plan,
    /// Optimizing the plan.
    Passes,
    /// Fusing the plan into stages, each one kernel.
    Fuse,
    /// Selecting a device and compiling for it.
    Compile,
    /// Waiting for the device, and before a retry.
    Queue,
    /// Allocating memory for inputs and results.
    Bind,
    /// Copying inputs into the device's memory, and reading what was spilled. Devices that work in the host's memory copy
    /// nothing.
    CopyIn,
    /// Computing, and waiting for copies still under way.
    Run,
    /// Copying results out of the device's memory, joining those of batches, and spilling them.
    CopyOut,
    /// Repeating the run on the CPU and comparing. See [`SessionOptions::verify_share`](crate::SessionOptions::verify_share).
    Verify,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Phase; 10] = [
        Phase::Plan,
        Phase::Passes,
        Phase::Fuse,
        Phase::Compile,
        Phase::Queue,
        Phase::Bind,
        Phase::CopyIn,
        Phase::Run,
        Phase::CopyOut,
        Phase::Verify,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Plan => "plan",
            Phase::Passes => "passes",
            Phase::Fuse => "fuse",
            Phase::Compile => "compile",
            Phase::Queue => "queue",
            Phase::Bind => "bind",
            Phase::CopyIn => "copy_in",
            Phase::Run => "run",
            Phase::CopyOut => "copy_out",
            Phase::Verify => "verify",
        }
    }
}

/// Takes the time of phases.
pub(crate) struct PhaseTimer {
    pub(crate) start: Moment,
    last: Moment,
    /// In nanoseconds.
    pub(crate) times: [u64; Phase::ALL.len()],
}

impl PhaseTimer {
    pub(crate) fn start() -> PhaseTimer {
        let now = Moment::now();
        PhaseTimer { start: now, last: now, times: Default::default() }
    }

    /// RunCounters the time since the last call to this phase.
    pub(crate) fn lap(&mut self, phase: Phase) {
        let now = Moment::now();
        self.times[phase as usize] += now.since(self.last);
        self.last = now;
    }

    /// What a phase took so far, in nanoseconds.
    pub(crate) fn time(&self, phase: Phase) -> u64 {
        self.times[phase as usize]
    }

    /// The moment of the last call.
    pub(crate) fn mark(&self) -> Moment {
        self.last
    }
}
