//! The placements of a query ([`QueryCandidates`]), and their order for one call ([`PlacementCursor`]).
//!
//! A query that names a device tries its placements in the order of its request. For a query that names none, the
//! selector ranks every eligible device for each call, and learns from the time of the run (`automatic.rs`).

use super::automatic::{AutomaticCandidates, DeviceRanking, columns_of};
use super::estimator::{ArmSet, Goal, MoveAccount, Profile, Size, StageExpectation, Workload};
use super::placement::{DeviceRequest, Placement, PlacementRequest};
use super::service::SelectorService;
use super::sharing::{SharedQuery, SharingChoice};
use crate::data::input::Input;
use crate::devices::handle::DeviceHandle;
use crate::error::{FailureClass, Result};
use crate::telemetry::receipt::PredictionSource;
use pointsman_device::{DeviceKind, Exactness};
use pointsman_ir::fuse::Stage;
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

/// A call of a query, as the selector sees it.
#[derive(Clone, Copy)]
pub(crate) struct SelectionInput<'c> {
    pub(crate) inputs: &'c [Input<'c>],
    pub(crate) rows: usize,
    /// The expected sizes of a stage's tables and result; `None` if the stage does not belong to a plan of tables.
    pub(crate) expected: Option<&'c StageExpectation<'c>>,
    /// The batch size that the caller set, if any.
    pub(crate) batch_rows: Option<usize>,
}

/// The time of a run, with everything that the selector needs to learn from it.
#[derive(Clone, Copy)]
pub(crate) struct Timing {
    pub(crate) nanoseconds: u64,
    pub(crate) rows_out: usize,
    /// Whether other queries ran on the same device.
    pub(crate) contended: bool,
    /// Whether it is the first run of its programs. The time excludes loading them, but not what drivers and caches set
    /// up lazily.
    pub(crate) is_first: bool,
    /// Random bits, with which the selector samples the runs that it learns from.
    pub(crate) random_bits: u64,
}

/// The placements that can run a query.
pub(crate) struct QueryCandidates {
    pub(crate) stages: Vec<Stage>,
    /// The placements of the request, in order. If the query names no device: the CPU, used until discovery ends.
    pub(crate) requested: Vec<Placement>,
    /// The requested devices that may share the rows; `None` if there is only one.
    pub(super) sharing: Option<Arc<SharedQuery>>,
    /// Whether the selector chooses the device: neither the query nor the session names one.
    pub(crate) is_automatic: bool,
    exactness: Option<Exactness>,
    workload: Workload,
    /// The predicted time of a row on the CPU, in nanoseconds.
    cpu_row_time: f64,
    /// Every eligible device, set after device discovery. `None` inside if there is only one.
    automatic: OnceLock<Option<Arc<AutomaticCandidates>>>,
}

impl QueryCandidates {
    /// All placements that calls may have run on so far.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Placement> {
        let automatic = self.automatic.get().into_iter().flatten().flat_map(|devices| &devices.placements);
        self.requested.iter().chain(automatic)
    }

    /// The requested devices that run the query from a position on: the one there, and those after it that may share
    /// the rows with it.
    pub(crate) fn sharing_from(&self, position: usize) -> &[Placement] {
        let end = self.sharing.as_ref().map_or(0, |sharing| sharing.devices).max(position + 1);
        &self.requested[position..end]
    }

    /// A device that would be faster if it had the owned columns of a call, and the account of moving them there.
    pub(crate) fn move_account(&self, call: &SelectionInput<'_>) -> Option<(String, MoveAccount)> {
        let devices = self.automatic.get()?.as_ref()?;
        let ranking = devices.predict(devices.size_of(call), columns_of(call.inputs));
        ranking.predictions.into_iter().find_map(|one| Some((one.device, one.account?)))
    }
}

impl SelectorService {
    /// The placements that can run these stages under a request. Independent of inputs.
    pub(crate) fn candidates(&self, stages: Vec<Stage>, request: &PlacementRequest) -> Result<QueryCandidates> {
        let workload = Workload::of(&stages);
        let (requested, sharing) = self.requested(&stages, workload.key, request)?;
        Ok(QueryCandidates {
            requested,
            sharing,
            stages,
            is_automatic: request.device == DeviceRequest::Any && self.options.preferred.is_none(),
            exactness: request.exactness,
            cpu_row_time: workload.nanoseconds_per_row(&Profile::guess(DeviceKind::Cpu, 1)),
            workload,
            automatic: OnceLock::new(),
        })
    }

    /// Orders the placements for a call, best first. Reads one published decision, unless devices are busy or owned
    /// columns may move.
    #[inline(always)]
    pub(crate) fn rank<'c>(&'c self, candidates: &'c QueryCandidates, call: SelectionInput<'c>) -> PlacementCursor<'c> {
        let devices = if candidates.is_automatic { self.automatic(candidates, call.rows) } else { None };
        let automatic = devices.map(|devices| devices.rank(&call));
        let sharing = if candidates.sharing.is_some() { self.choose_sharing(candidates, &call) } else { None };
        let (position, sharing) = (Cell::new(0), Cell::new(sharing));
        PlacementCursor { service: self, candidates, call, automatic, position, sharing }
    }

    /// Every device that can run a query; `None` before device discovery has finished, or if there is only one.
    #[inline]
    fn automatic<'c>(&self, candidates: &'c QueryCandidates, rows: usize) -> Option<&'c Arc<AutomaticCandidates>> {
        match candidates.automatic.get() {
            Some(devices) => devices.as_ref(),
            None => self.find_eligible(candidates, rows),
        }
    }

    #[cold]
    fn find_eligible<'c>(&self, candidates: &'c QueryCandidates, rows: usize) -> Option<&'c Arc<AutomaticCandidates>> {
        if candidates.is_automatic && !self.has_thread() {
            self.discover_if_worthwhile(candidates.cpu_row_time * rows as f64);
        }
        // Explanations may have ended discovery; that alone must not change what a query does.
        if !self.is_discovered() || candidates.is_automatic && !self.has_thread() {
            return None;
        }
        candidates.automatic.get_or_init(|| self.automatic_candidates(candidates).map(Arc::new)).as_ref()
    }

    /// The placements other than the CPU where a query ran before, in this process or an earlier one, or for which an
    /// earlier one compiled it.
    pub(crate) fn known_placements<'c>(&self, candidates: &'c QueryCandidates) -> Vec<&'c Placement> {
        let is_known = candidates.is_automatic && self.has_thread();
        let automatic = if is_known { self.automatic(candidates, 0) } else { None };
        let Some(devices) = automatic else { return Vec::new() };
        let programs = self.programs.upgrade();
        let is_stored = |placement: &Placement| {
            let device = &*placement.handle.device;
            let stored = |stage: &Stage| programs.as_ref().is_some_and(|all| all.is_stored(&stage.kernel, device));
            candidates.stages.iter().all(stored)
        };
        let is_known = |(arm, placement): &(usize, &Placement)| {
            (devices.kernel.has_run_on(*arm) || is_stored(placement)) && !placement.is_excluded(&*self.clock)
        };
        devices.placements.iter().enumerate().skip(1).filter(is_known).map(|(_, placement)| placement).collect()
    }

    fn automatic_candidates(&self, candidates: &QueryCandidates) -> Option<AutomaticCandidates> {
        let (devices, stages) = (self.devices()?, &candidates.stages[..]);
        let why = match self.goal() {
            Goal::Time => "chosen: it should finish first",
            Goal::Energy => "chosen: it should take the least energy, as far as that is known",
        };
        let is_eligible = |handle: &DeviceHandle| self.check_eligible(handle, stages, candidates.exactness).is_ok();
        let handles = || devices.handles.iter().enumerate();
        let arms = handles().filter(|(_, handle)| is_eligible(handle)).map(|(arm, _)| arm);
        let arms = arms.fold(ArmSet::NONE, ArmSet::with);
        // A single device, or a set without the CPU, leaves nothing to choose.
        if arms.0.count_ones() < 2 || !arms.has(0) {
            return None;
        }
        let placement = |(arm, handle): (usize, &Arc<DeviceHandle>)| {
            let mut placement = Placement::new(handle, why.to_string(), stages);
            placement.compiles_in_background = arm > 0;
            placement
        };
        Some(AutomaticCandidates {
            selector: devices.selector.clone(),
            clock: self.clock.clone(),
            kernel: devices.selector.register(&candidates.workload, arms),
            placements: handles().map(placement).collect(),
            kernels: stages.iter().map(|stage| stage.kernel.clone()).collect(),
            cpu_row_time: candidates.cpu_row_time,
            calibration: self.control.clone(),
            programs: self.programs.clone(),
        })
    }

    /// Describes the features of a query and the predicted time of each device, for one call or for typical sizes, or
    /// says that devices were not looked for yet. Empty for a query that names a device.
    pub(crate) fn explain(
        &self,
        candidates: &QueryCandidates,
        call: Option<SelectionInput<'_>>,
    ) -> Vec<(&'static str, String)> {
        if !candidates.is_automatic {
            return Vec::new();
        }
        if !self.use_known_devices() {
            let text = match self.has_thread() {
                true => "the CPU, until the device discovery that is running has finished",
                false => "the CPU, until `Session::discover` or a query of more than 1 ms looks for devices",
            };
            return vec![("features", candidates.workload.to_string()), ("ranking", text.to_string())];
        }
        let automatic = candidates.automatic.get_or_init(|| self.automatic_candidates(candidates).map(Arc::new));
        let Some(devices) = automatic else { return Vec::new() };
        let sizes = match &call {
            Some(call) => vec![(devices.size_of(call), columns_of(call.inputs))],
            None => [1_000, 100_000, 10_000_000].map(|rows| (Size::host(rows), 0)).to_vec(),
        };
        let ranking = |(size, columns): (Size, u64)| {
            let memory = if size.locked { " in page-locked memory" } else { "" };
            ("ranking", format!("{} rows{memory}\n{}", size.rows, devices.predict(size, columns)))
        };
        let features = ("features", candidates.workload.to_string());
        std::iter::once(features).chain(sizes.into_iter().map(ranking)).collect()
    }
}

/// The placements for one call, best first, and the position of the one being tried.
pub(crate) struct PlacementCursor<'c> {
    service: &'c SelectorService,
    pub(super) candidates: &'c QueryCandidates,
    pub(super) call: SelectionInput<'c>,
    /// The selector's order, for a query that names no device.
    pub(super) automatic: Option<DeviceRanking>,
    pub(super) position: Cell<usize>,
    /// How all requested devices run the call; `None` if there is only one, or the first attempts failed.
    pub(super) sharing: Cell<Option<SharingChoice>>,
}

/// A placement to try, and the devices that share its rows.
#[derive(Clone, Copy)]
pub(crate) struct PlannedRun<'p> {
    pub(crate) placement: &'p Placement,
    /// Other devices that share the rows.
    pub(crate) partners: &'p [Placement],
}

impl<'p> PlannedRun<'p> {
    /// Whether several devices run the query.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        !self.partners.is_empty()
    }

    /// All devices that run the query.
    pub(crate) fn devices(&self) -> impl Iterator<Item = &'p Placement> {
        std::iter::once(self.placement).chain(self.partners)
    }
}

impl PlacementCursor<'_> {
    #[inline]
    fn placement(&self, position: usize) -> Option<&Placement> {
        match &self.automatic {
            Some(automatic) => automatic.placement(position),
            None => self.candidates.requested.get(position),
        }
    }

    /// The next placement to try, and the devices that share it.
    #[inline]
    pub(crate) fn next(&self) -> Option<PlannedRun<'_>> {
        let position = self.position.get();
        let placement = self.placement(position)?;
        if self.candidates.sharing.is_none() {
            return Some(PlannedRun { placement, partners: &[] });
        }
        let devices = self.candidates.sharing_from(position);
        match self.sharing.get().and_then(SharingChoice::alone) {
            Some(alone) => Some(PlannedRun { placement: &devices[alone], partners: &[] }),
            None => Some(PlannedRun { placement, partners: &devices[1..] }),
        }
    }

    /// Whether no placement is left after the current one.
    #[inline]
    pub(crate) fn is_last(&self) -> bool {
        self.placement(self.position.get() + 1).is_none()
    }

    /// Moves on after every attempt at the current placement failed, the last one in this way.
    #[cold]
    pub(crate) fn advance(&self, failure: FailureClass) {
        if !self.retry_shared(failure) {
            self.position.update(|position| position + 1);
            self.automatic.iter().for_each(|automatic| automatic.move_pending(self.position.get()));
        }
    }

    /// The device that was tried before the current one.
    pub(crate) fn previous_device(&self) -> Option<&str> {
        self.placement(self.position.get().checked_sub(1)?).map(Placement::device)
    }

    /// Tells the selector the time of a run at the current placement.
    #[inline]
    pub(crate) fn observe(&self, run: &PlannedRun<'_>, timing: impl FnOnce() -> Timing) {
        match &self.automatic {
            Some(automatic) => automatic.observe(self.position.get(), timing()),
            // Nothing to learn: no device to choose from, or several shared the rows.
            None if self.candidates.is_automatic || run.is_shared() => {}
            // A batch size from the caller costs time that says nothing about the device.
            None if self.call.batch_rows.is_some() => {}
            None => {
                if let Some(devices) = self.service.automatic(self.candidates, self.call.rows) {
                    devices.observe_requested(&run.placement.handle, &self.call, timing());
                }
            }
        }
    }
}
