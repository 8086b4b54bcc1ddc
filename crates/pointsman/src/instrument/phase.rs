//! [`Phase`]: a part of a query's path. [`PhaseTimer`]: measures how long each phase takes.

use pointsman_device::clock::FastInstant;

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
    /// Copying inputs into the device's memory, and reading what was spilled. Devices that work in the host's memory
    /// copy nothing.
    CopyIn,
    /// Computing, and waiting for copies in flight.
    Run,
    /// Copying results out of the device's memory, joining those of batches, and spilling them.
    CopyOut,
    /// Repeating the run on the CPU and comparing. See
    /// [`SessionOptions::verify_share`](crate::SessionOptions::verify_share).
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

/// Measures the time of each phase of a query.
pub(crate) struct PhaseTimer {
    pub(crate) start: FastInstant,
    pub(crate) last_lap: FastInstant,
    /// The time of each phase, in nanoseconds.
    pub(crate) times: [u64; Phase::ALL.len()],
}

impl PhaseTimer {
    pub(crate) fn start() -> PhaseTimer {
        let now = FastInstant::now();
        PhaseTimer { start: now, last_lap: now, times: Default::default() }
    }

    /// Adds the time since the last lap to this phase.
    pub(crate) fn lap(&mut self, phase: Phase) {
        let now = FastInstant::now();
        self.times[phase as usize] += now.since(self.last_lap);
        self.last_lap = now;
    }

    /// A timer for a part of the query, from the last lap on.
    pub(crate) fn part(&self) -> PhaseTimer {
        PhaseTimer { start: self.last_lap, last_lap: self.last_lap, times: Default::default() }
    }

    /// Adds the phases of a part of the query, which was timed on its own.
    pub(crate) fn add(&mut self, part: &PhaseTimer) {
        self.times.iter_mut().zip(part.times).for_each(|(all, part)| *all += part);
        self.last_lap = part.last_lap;
    }

    /// The time of a phase so far, in nanoseconds.
    pub(crate) fn time(&self, phase: Phase) -> u64 {
        self.times[phase as usize]
    }

    /// The time to the last lap without planning, compiling and verifying, in nanoseconds: what a repeated call takes.
    pub(crate) fn repeated_time(&self) -> u64 {
        let once = [Phase::Plan, Phase::Passes, Phase::Fuse, Phase::Compile, Phase::Verify];
        let once = once.map(|phase| self.time(phase));
        self.last_lap.since(self.start).saturating_sub(once.iter().sum())
    }
}
