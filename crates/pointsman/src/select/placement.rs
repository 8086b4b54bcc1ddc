//! [`Placement`]: a device that can run a query, and why it was chosen.
//!
//! A device is eligible if it supports every stage of the query to the bit, or within bounds if the query allows that.
//! If a required device is not eligible, the query fails. If a preferred device is not eligible, the CPU runs the
//! query, and the receipt says why.

use super::estimator::Goal;
use super::service::SelectorService;
use super::sharing::SharedQuery;
use crate::devices::handle::DeviceHandle;
use crate::devices::registry::is_device_name;
use crate::error::{Error, ErrorKind, Result};
use crate::programs::program::CompiledStage;
use crate::resilience::attempt_log::fallback_reason;
use crate::resilience::clock::Clock;
use crate::resilience::health::Kernels;
use crate::telemetry::receipt::PlacementInfo;
use pointsman_device::{DeviceErrorKind, Exactness};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::kernel::{Kernel, float_arithmetic};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};

/// Separates the names of devices that share a query.
pub(crate) const SHARED: &str = "+";

/// The device that a query asks for, or several that share it (`cuda:0+cpu`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DeviceRequest {
    /// No device named: the session's preferred device, or the selector's choice.
    #[default]
    Any,
    /// This device if it is eligible, else the CPU.
    Prefer(String),
    /// This device or an error.
    Require(String),
}

/// Where a query may run, and how exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PlacementRequest {
    pub(crate) device: DeviceRequest,
    /// The exactness that the query accepts; `None` stands for the session's setting.
    pub(crate) exactness: Option<Exactness>,
}

/// A device that can run a query.
pub(crate) struct Placement {
    pub(crate) handle: Arc<DeviceHandle>,
    /// Why the device was chosen, for explanations and receipts.
    pub(crate) why: String,
    /// The health of the query's kernels on the device. Empty for the CPU.
    pub(crate) kernels: Kernels,
    /// Whether the programs compile in the background while another device answers.
    pub(crate) compiles_in_background: bool,
    /// Whether a call gave up waiting for the device to compile.
    pub(crate) missed_compile_deadline: AtomicBool,
    /// The number of calls that skipped the device since one of them found it compiling the query; 0 if none did.
    pub(crate) passed_while_compiling: AtomicU32,
    /// The query's programs on the device, loaded by the first attempt.
    programs: OnceLock<LoadedPrograms>,
}

/// The placements of a request, and those that may share the rows.
type Requested = (Vec<Placement>, Option<Arc<SharedQuery>>);

/// A query compiled for a placement.
pub(crate) struct LoadedPrograms {
    pub(crate) stages: Vec<CompiledStage>,
    pub(crate) info: Arc<PlacementInfo>,
}

impl Placement {
    pub(super) fn new(handle: &Arc<DeviceHandle>, why: String, stages: &[Stage]) -> Placement {
        let kernels = handle.health.as_ref().map(|health| health.kernels(stages.iter().map(|stage| &stage.kernel)));
        Placement {
            handle: handle.clone(),
            why,
            kernels: kernels.unwrap_or_default(),
            compiles_in_background: false,
            missed_compile_deadline: AtomicBool::new(false),
            passed_while_compiling: AtomicU32::new(0),
            programs: OnceLock::new(),
        }
    }

    /// The name of the device.
    pub(crate) fn device(&self) -> &str {
        self.handle.name()
    }

    /// Describes the program of each stage, one per line, with its launch if `rows` is known. The stages are numbered
    /// from `first`.
    pub(crate) fn describe(&self, loaded: &LoadedPrograms, first: usize, rows: Option<usize>) -> String {
        let launch = |stage: &CompiledStage| {
            let rows = rows.filter(|_| reads_source(&stage.stage))?;
            Some(self.handle.device.describe_launch(stage.program.id, rows)).filter(|text| !text.is_empty())
        };
        let line = |(number, (text, stage)): (usize, (&String, &CompiledStage))| match launch(stage) {
            Some(launch) => format!("stage {}: {text}, on {launch}", first + number),
            None => format!("stage {}: {text}", first + number),
        };
        loaded.info.programs.iter().zip(&loaded.stages).enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The programs, if an earlier attempt loaded them.
    #[inline]
    pub(crate) fn loaded(&self) -> Option<&LoadedPrograms> {
        self.programs.get()
    }

    /// Keeps loaded programs. If several callers load them concurrently, the first caller's are kept.
    pub(crate) fn keep_loaded(&self, loaded: LoadedPrograms) -> &LoadedPrograms {
        self.programs.get_or_init(|| loaded)
    }

    /// Whether queries avoid the device now, because it is lost, a breaker is open, or its compiler recently refused
    /// the query.
    pub(super) fn is_excluded(&self, clock: &dyn Clock) -> bool {
        let health = self.handle.health.as_ref();
        health.is_some_and(|health| health.is_excluded(&self.kernels, clock))
            || self.loaded().is_none() && self.kernels.refusal(clock).is_some()
    }

    /// Why queries avoid the device now, as a clause.
    pub(super) fn why_excluded(&self, clock: &dyn Clock) -> Option<String> {
        let name = self.device();
        let health = self.handle.health.as_ref().map_or(Ok(()), |health| {
            health.check_open()?;
            health.check_breakers(name, &self.kernels, clock)
        });
        match health {
            Err(error) => Some(error.message().to_string()),
            Ok(()) if self.loaded().is_some() => None,
            Ok(()) => self.kernels.refusal(clock).map(|why| why.to_string()),
        }
    }
}

/// The names of devices that share a query, joined by `+`.
pub(crate) fn names<'p>(devices: impl IntoIterator<Item = &'p Placement>) -> String {
    devices.into_iter().map(Placement::device).collect::<Vec<_>>().join(SHARED)
}

/// Whether a stage reads the rows of the query's source.
pub(crate) fn reads_source(stage: &Stage) -> bool {
    stage.parts.iter().any(|part| matches!(part.input, StageInput::Source(_)))
}

impl SelectorService {
    /// The placements that a request allows for these stages, in order, and those that may share the rows. `key`
    /// identifies the stages.
    pub(super) fn requested(&self, stages: &[Stage], key: u128, request: &PlacementRequest) -> Result<Requested> {
        match (&request.device, &self.options.preferred) {
            (DeviceRequest::Prefer(names) | DeviceRequest::Require(names), _) | (DeviceRequest::Any, Some(names)) => {
                self.on_named(stages, key, names, request)
            }
            (DeviceRequest::Any, None) => Ok((vec![self.on_cpu(stages, self.default_reason())?], None)),
        }
    }

    /// Why the CPU runs a query that names no device and for which none was chosen. The text is kept with the compiled
    /// query, so it must be true before device discovery and after it.
    fn default_reason(&self) -> String {
        let text = match self.registry.is_cpu_only() {
            _ if self.goal() == Goal::Energy => "the default: no other device was compared by energy",
            true => "the only device that the session may use",
            false => "the default: no other device was compared",
        };
        text.to_string()
    }

    /// The placements of named devices, which share the query if there are several. Required devices must all be
    /// eligible. Preferred devices that are not eligible are left out, and the CPU comes last.
    fn on_named(&self, stages: &[Stage], key: u128, names: &str, request: &PlacementRequest) -> Result<Requested> {
        let is_required = matches!(request.device, DeviceRequest::Require(_));
        let why = if is_required { "required" } else { "preferred" };
        let (mut eligible, mut refused): (Vec<&Arc<DeviceHandle>>, _) = (Vec::new(), None);
        // The names of a list may be surrounded by spaces; a single name is not trimmed.
        let is_list = names.contains(SHARED);
        for name in names.split(SHARED).map(|name| if is_list { name.trim() } else { name }) {
            let handle = self.handle(name);
            match handle.and_then(|handle| self.check_eligible(handle, stages, request.exactness).map(|()| handle)) {
                Err(error) if is_required || error.kind() == ErrorKind::InvalidQuery => return Err(error),
                Err(error) => refused = Some(fallback_reason(name, error.message())),
                // A device that is named twice counts once.
                Ok(handle) if eligible.iter().any(|known| Arc::ptr_eq(known, handle)) => {}
                Ok(handle) => eligible.push(handle),
            }
        }
        let new = |handle: &&Arc<DeviceHandle>| Placement::new(handle, why.to_string(), stages);
        let mut placements: Vec<Placement> = eligible.iter().map(new).collect();
        // Devices share a query in batches.
        let may_be_cut = stages.iter().all(|stage| stage.kernel.sink.is_cut_by_leaf());
        let sharing = if may_be_cut { self.shared_query(&placements, key) } else { None };
        let ends_on_cpu = eligible.last().is_some_and(|last| Arc::ptr_eq(last, &self.registry.cpu));
        if !is_required && !ends_on_cpu {
            let cpu = self.on_cpu(stages, refused.unwrap_or_else(|| self.default_reason()));
            placements.extend(if placements.is_empty() { Some(cpu?) } else { cpu.ok() });
        }
        Ok((placements, sharing))
    }

    /// A device by its name.
    pub(crate) fn handle(&self, name: &str) -> Result<&Arc<DeviceHandle>> {
        self.registry.find(name).map_err(|reason| unknown(name, &reason))
    }

    /// A placement on the CPU; an error if the CPU does not support a stage.
    pub(crate) fn on_cpu(&self, stages: &[Stage], why: String) -> Result<Placement> {
        let handle = &self.registry.cpu;
        stages.iter().flat_map(kernels).try_for_each(|kernel| handle.device.supports(&kernel))?;
        Ok(Placement::new(handle, why, stages))
    }

    /// Returns an error if a device cannot run all stages. The error names the missing feature and a remedy.
    pub(super) fn check_eligible(
        &self,
        handle: &DeviceHandle,
        stages: &[Stage],
        exactness: Option<Exactness>,
    ) -> Result<()> {
        let is_bounded = handle.device.info().capabilities.exactness == Exactness::Bounded;
        let is_inexact = is_bounded && exactness.unwrap_or(self.options.exactness) != Exactness::Bounded;
        for kernel in stages.iter().flat_map(kernels) {
            let (name, sink) = (handle.name(), kernel.sink.name());
            handle.device.supports(&kernel).map_err(|error| match error.kind == DeviceErrorKind::Unsupported {
                true => Error::unsupported(format!(
                    "`{name}` cannot run the query's {sink} stage: {error}; run it on the CPU, or write it without that"
                )),
                false => Error::from(error),
            })?;
            if is_inexact && let Some(what) = float_arithmetic(&kernel) {
                return Err(Error::unsupported(format!(
                    "`{name}` computes floats within bounds, not to the bit, and the query has {what}: \
                     allow it with `exactness(Exactness::Bounded)` on the query or the session"
                )));
            }
        }
        Ok(())
    }
}

/// The kernels that a stage may need: its own, the variant for repeated keys, and the one that merges its partial
/// results.
fn kernels(stage: &Stage) -> impl Iterator<Item = Cow<'_, Kernel>> {
    let repeated = (!stage.tables.is_empty()).then(|| stage.for_keys(|_| KeyUniqueness::Repeated));
    let others = [repeated.filter(|kernel| *kernel != stage.kernel), stage.kernel.merge()];
    std::iter::once(Cow::Borrowed(&stage.kernel)).chain(others.into_iter().flatten().map(Cow::Owned))
}

/// The error for a device that this session does not have.
fn unknown(name: &str, reason: &str) -> Error {
    if is_device_name(name) {
        let text = format!("there is no device `{name}` here: {reason}; `Session::devices` lists those that are");
        return Error::unsupported(text);
    }
    let text = format!("there is no device `{name}`: devices are named like `cpu`, `cuda:0`, `vulkan:0`");
    Error::invalid(format!("{text}; `Session::devices` lists those of this machine"))
}
