//! Scripted faults: which call fails, how, and whether it did.

use crate::{DeviceError, DeviceErrorKind, DeviceResult};

/// A planned fault. Calls of each kind are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimFault {
    /// This allocation finds no memory.
    OutOfMemory {
        /// Which allocation.
        allocation: u64,
    },
    /// This compilation fails with an error of this kind: `Compile` refuses the kernel, `Lost` loses the device.
    CompileFails {
        /// Which compilation.
        compilation: u64,
        /// The kind of the error.
        kind: DeviceErrorKind,
    },
    /// This compilation panics.
    CompilePanics {
        /// Which compilation.
        compilation: u64,
    },
    /// This load fails with an error of this kind; `Lost` loses the device.
    LoadFails {
        /// Which load.
        load: u64,
        /// The kind of the error.
        kind: DeviceErrorKind,
    },
    /// This launch fails and would succeed if tried again.
    Transient {
        /// Which launch.
        launch: u64,
    },
    /// The device is lost with this launch: every later call fails.
    Lost {
        /// Which launch.
        launch: u64,
    },
    /// This launch never ends, nor does later work on its stream.
    Hang {
        /// Which launch.
        launch: u64,
    },
    /// This copy to the host fails with an error of this kind; `Lost` loses the device. Copies are counted when they
    /// are waited for.
    CopyOutFails {
        /// Which copy.
        copy: u64,
        /// The kind of the error.
        kind: DeviceErrorKind,
    },
    /// This index fails to build with an error of this kind: `OutOfMemory` finds no memory, `Lost` loses the device.
    IndexFails {
        /// Which index.
        index: u64,
        /// The kind of the error.
        kind: DeviceErrorKind,
    },
    /// A bit of this launch's result is silently wrong.
    FlipBit {
        /// Which launch.
        launch: u64,
        /// Which output.
        output: usize,
        /// Which bit of its values, modulo their number.
        bit: u64,
    },
}

/// The faults of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LaunchFaults {
    /// The launch never ends.
    pub(super) hangs: bool,
    /// The bits to flip, each a [`SimFault::FlipBit`]. They happen with the result, if it has such a bit.
    pub(super) flips: Vec<SimFault>,
}

/// The planned and past faults of a device.
#[derive(Debug, Default)]
pub(super) struct Faults {
    planned: Vec<SimFault>,
    fired: Vec<SimFault>,
    allocations: u64,
    compilations: u64,
    loads: u64,
    launches: u64,
    copies_out: u64,
    indexes: u64,
    lost: bool,
}

impl Faults {
    /// Plans faults; the calls are counted from 0.
    pub(super) fn new(planned: Vec<SimFault>) -> Faults {
        Faults { planned, ..Faults::default() }
    }

    /// The faults that happened, in order.
    pub(super) fn fired(&self) -> &[SimFault] {
        &self.fired
    }

    /// An error once the device is lost.
    pub(super) fn check_not_lost(&self) -> DeviceResult<()> {
        if self.lost { Err(DeviceError::new(DeviceErrorKind::Lost, "the simulated device is gone")) } else { Ok(()) }
    }

    /// Takes the planned faults that match.
    fn take(&mut self, matches: impl Fn(&SimFault) -> bool) -> Vec<SimFault> {
        self.planned.extract_if(.., |fault| matches(fault)).collect()
    }

    /// Takes a planned fault and records it as happened.
    fn fire(&mut self, wanted: SimFault) -> bool {
        let taken = self.take(|fault| *fault == wanted);
        self.fired.extend(taken.first());
        !taken.is_empty()
    }

    /// Records faults that happened.
    pub(super) fn record_fired(&mut self, faults: Vec<SimFault>) {
        self.fired.extend(faults);
    }

    /// Counts an allocation.
    pub(super) fn allocate(&mut self) -> DeviceResult<()> {
        let n = self.allocations;
        self.allocations += 1;
        if !self.fire(SimFault::OutOfMemory { allocation: n }) {
            return Ok(());
        }
        Err(DeviceError::new(DeviceErrorKind::OutOfMemory, format!("allocation {n} was told to fail")))
    }

    /// Takes the planned fault for which `of` returns an error kind, and records it as happened.
    fn fire_kind(&mut self, of: impl Fn(&SimFault) -> Option<DeviceErrorKind>) -> Option<DeviceErrorKind> {
        let taken = self.take(|fault| of(fault).is_some());
        self.fired.extend(taken.first());
        let kind = taken.first().and_then(of);
        self.lost |= kind == Some(DeviceErrorKind::Lost);
        kind
    }

    /// Counts a compilation.
    pub(super) fn compile(&mut self) -> DeviceResult<()> {
        let n = self.compilations;
        self.compilations += 1;
        assert!(!self.fire(SimFault::CompilePanics { compilation: n }), "compilation {n} was told to panic");
        let kind = self.fire_kind(|fault| compilation_of(fault).filter(|(own, _)| *own == n).map(|(_, kind)| kind));
        kind.map_or(Ok(()), |kind| Err(DeviceError::new(kind, format!("compilation {n} was told to fail"))))
    }

    /// Counts a load.
    pub(super) fn load(&mut self) -> DeviceResult<()> {
        let n = self.loads;
        self.loads += 1;
        let kind = self.fire_kind(|fault| load_of(fault).filter(|(own, _)| *own == n).map(|(_, kind)| kind));
        kind.map_or(Ok(()), |kind| Err(DeviceError::new(kind, format!("load {n} was told to fail"))))
    }

    /// Counts a copy to the host that was waited for.
    pub(super) fn copy_out(&mut self) -> DeviceResult<()> {
        let n = self.copies_out;
        self.copies_out += 1;
        let kind = self.fire_kind(|fault| copy_of(fault).filter(|(own, _)| *own == n).map(|(_, kind)| kind));
        kind.map_or(Ok(()), |kind| Err(DeviceError::new(kind, format!("copy {n} was told to fail"))))
    }

    /// Counts an index.
    pub(super) fn index(&mut self) -> DeviceResult<()> {
        let n = self.indexes;
        self.indexes += 1;
        let kind = self.fire_kind(|fault| index_of(fault).filter(|(own, _)| *own == n).map(|(_, kind)| kind));
        kind.map_or(Ok(()), |kind| Err(DeviceError::new(kind, format!("index {n} was told to fail"))))
    }

    /// Counts a launch; returns its faults.
    pub(super) fn launch(&mut self) -> DeviceResult<LaunchFaults> {
        let n = self.launches;
        self.launches += 1;
        let mut launch_faults = LaunchFaults::default();
        for fault in self.take(|fault| launch_of(fault) == Some(n)) {
            match fault {
                SimFault::Transient { .. } => {
                    self.fired.push(fault);
                    return Err(DeviceError::new(DeviceErrorKind::Transient, format!("launch {n} was told to fail")));
                }
                SimFault::Lost { .. } => {
                    self.fired.push(fault);
                    self.lost = true;
                    self.check_not_lost()?;
                }
                SimFault::Hang { .. } => {
                    self.fired.push(fault);
                    launch_faults.hangs = true;
                }
                SimFault::FlipBit { .. } => launch_faults.flips.push(fault),
                SimFault::OutOfMemory { .. }
                | SimFault::CompileFails { .. }
                | SimFault::CompilePanics { .. }
                | SimFault::LoadFails { .. }
                | SimFault::IndexFails { .. }
                | SimFault::CopyOutFails { .. } => {}
            }
        }
        Ok(launch_faults)
    }
}

/// The launch that a fault belongs to.
fn launch_of(fault: &SimFault) -> Option<u64> {
    match fault {
        SimFault::Transient { launch } | SimFault::Lost { launch } | SimFault::Hang { launch } => Some(*launch),
        SimFault::FlipBit { launch, .. } => Some(*launch),
        SimFault::OutOfMemory { .. } | SimFault::CopyOutFails { .. } | SimFault::IndexFails { .. } => None,
        SimFault::CompileFails { .. } | SimFault::CompilePanics { .. } | SimFault::LoadFails { .. } => None,
    }
}

/// The compilation that a fault belongs to, and the kind of its error.
fn compilation_of(fault: &SimFault) -> Option<(u64, DeviceErrorKind)> {
    match fault {
        SimFault::CompileFails { compilation, kind } => Some((*compilation, *kind)),
        SimFault::CompilePanics { .. } | SimFault::LoadFails { .. } | SimFault::OutOfMemory { .. } => None,
        SimFault::CopyOutFails { .. } | SimFault::IndexFails { .. } => None,
        SimFault::Transient { .. } | SimFault::Lost { .. } | SimFault::Hang { .. } | SimFault::FlipBit { .. } => None,
    }
}

/// The load that a fault belongs to, and the kind of its error.
fn load_of(fault: &SimFault) -> Option<(u64, DeviceErrorKind)> {
    match fault {
        SimFault::LoadFails { load, kind } => Some((*load, *kind)),
        SimFault::CompileFails { .. } | SimFault::CompilePanics { .. } => None,
        SimFault::Transient { .. } | SimFault::Lost { .. } | SimFault::Hang { .. } | SimFault::FlipBit { .. } => None,
        SimFault::OutOfMemory { .. } | SimFault::CopyOutFails { .. } | SimFault::IndexFails { .. } => None,
    }
}

/// The copy to the host that a fault belongs to, and the kind of its error.
fn copy_of(fault: &SimFault) -> Option<(u64, DeviceErrorKind)> {
    match fault {
        SimFault::CopyOutFails { copy, kind } => Some((*copy, *kind)),
        SimFault::CompileFails { .. } | SimFault::CompilePanics { .. } => None,
        SimFault::Transient { .. } | SimFault::Lost { .. } | SimFault::Hang { .. } | SimFault::FlipBit { .. } => None,
        SimFault::OutOfMemory { .. } | SimFault::LoadFails { .. } | SimFault::IndexFails { .. } => None,
    }
}

/// The index that a fault belongs to, and the kind of its error.
fn index_of(fault: &SimFault) -> Option<(u64, DeviceErrorKind)> {
    match fault {
        SimFault::IndexFails { index, kind } => Some((*index, *kind)),
        SimFault::CompileFails { .. } | SimFault::CompilePanics { .. } | SimFault::LoadFails { .. } => None,
        SimFault::Transient { .. } | SimFault::Lost { .. } | SimFault::Hang { .. } | SimFault::FlipBit { .. } => None,
        SimFault::OutOfMemory { .. } | SimFault::CopyOutFails { .. } => None,
    }
}
