//! [`CalibrationThread`]: the background thread of a selector service. It restores the state that earlier sessions
//! learned, measures devices without a valid profile, and stores the learned state once a minute and at the end.

use super::sampler::CalibrationContext;
use super::{CalibratedDevice, agrees_with_profile, measure_device};
use crate::devices::handle::DeviceHandle;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::select::estimator::{Store, fingerprint_of, hardware_of};
use crate::select::service::{SelectableDevices, ServiceOptions};
use crate::sync::{Condvar, Mutex};
use crate::telemetry::device_counters::DeviceCounters;
use pointsman_device::DeviceKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How often learned state is stored.
const STORE_INTERVAL: Duration = Duration::from_secs(60);

/// The state of the thread, and the signals that others send it.
#[derive(Default)]
pub(in crate::select) struct ThreadControl {
    state: Mutex<ThreadState>,
    /// Notified when the state changes and when the thread should stop.
    changed: Condvar,
    stop: CancellationToken,
    /// Held while devices are measured: two measurements at once would each see slow devices.
    pub(super) measuring: Mutex<()>,
    /// Callers that wait for a calibration.
    waiting: AtomicUsize,
    /// Whether a slice of a calibration runs now: queries that run meanwhile count as disturbed.
    pub(in crate::select) is_slice_running: AtomicBool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::select) enum ThreadState {
    /// The thread looks for devices, and reads what earlier sessions learned.
    #[default]
    Starting,
    Measuring,
    /// The thread stores the learned state.
    Storing,
    Ended,
}

impl ThreadControl {
    /// Ends the thread and every background measurement, and waits for at most `timeout`. Returns the state of the
    /// thread.
    pub(in crate::select) fn stop(&self, timeout: Duration) -> ThreadState {
        let state = self.state.lock();
        self.stop.cancel();
        self.changed.notify_all();
        *self.changed.wait_timeout_while(state, timeout, |state| *state != ThreadState::Ended)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Runs `wait` on behalf of a caller that waits: no calibration makes way for queries meanwhile.
    pub(super) fn awaited<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let value = wait();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        value
    }

    /// Whether a caller waits for a calibration.
    pub(super) fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Whether the thread measures devices now.
    pub(in crate::select) fn is_measuring(&self) -> bool {
        *self.state.lock() == ThreadState::Measuring
    }

    /// Blocks until the thread has measured the devices, or has ended without.
    pub(in crate::select) fn wait_until_measured(&self) {
        let is_before = |state: &mut ThreadState| matches!(state, ThreadState::Starting | ThreadState::Measuring);
        let goes_on = |state: &mut ThreadState| is_before(state) && !self.is_stopped();
        self.awaited(|| drop(self.changed.wait_while(self.state.lock(), goes_on)));
    }

    /// Waits until learned state should be stored. Returns whether the session ends.
    fn wait_to_store(&self) -> bool {
        drop(self.changed.wait_timeout_while(self.state.lock(), STORE_INTERVAL, |_| !self.is_stopped()));
        self.is_stopped()
    }

    fn set_state(&self, state: ThreadState) {
        *self.state.lock() = state;
        self.changed.notify_all();
    }
}

/// Marks the thread as ended when it is dropped, even after a panic.
pub(in crate::select) struct ThreadEnd(pub(in crate::select) Arc<ThreadControl>);

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        self.0.set_state(ThreadState::Ended);
    }
}

/// The work of the thread.
pub(in crate::select) struct CalibrationThread<'s> {
    pub(in crate::select) devices: &'s SelectableDevices,
    /// Every device of the session, with the counters of its queries.
    pub(in crate::select) queries: Vec<(Arc<DeviceHandle>, Arc<DeviceCounters>)>,
    pub(in crate::select) clock: Arc<dyn Clock>,
    pub(in crate::select) options: Arc<ServiceOptions>,
    pub(in crate::select) control: &'s ThreadControl,
}

impl CalibrationThread<'_> {
    /// Restores, measures, and stores the learned state until the session ends.
    pub(in crate::select) fn run(&self) {
        // Simulated devices have a clock of their own.
        if self.devices.handles[1..].iter().all(|handle| handle.device.info().kind == DeviceKind::Sim) {
            return;
        }
        let store = self.open_store();
        let is_restored = store.as_ref().is_some_and(|store| store.restore(&self.devices.selector));
        // Gates and counters that queries update anyway.
        let ended_queries = || {
            let is_idle = !self.queries.iter().any(|(handle, _)| handle.gate.is_occupied());
            is_idle.then(|| self.queries.iter().fold(0u64, |sum, (_, counters)| sum.wrapping_add(counters.runs())))
        };
        let context = CalibrationContext { clock: &*self.clock, control: self.control, ended_queries: &ended_queries };
        if self.options.background_calibration {
            self.control.set_state(ThreadState::Measuring);
            self.measure(context, is_restored);
        }
        self.control.set_state(ThreadState::Storing);
        let mut is_stopped = !self.options.rules.learns;
        while !is_stopped {
            is_stopped = self.control.wait_to_store();
            self.devices.selector.learn_now();
            if !is_stopped && self.options.background_calibration {
                // Power that could not be measured earlier, because queries ran for example.
                self.measure_unknown_watts(context);
            }
            if let Some(Err(error)) = store.as_ref().map(|store| store.keep(&self.devices.selector)) {
                tracing::warn!(target: "pointsman", "{}", error.message());
            }
        }
    }

    /// The store of this machine, unless storing is off.
    fn open_store(&self) -> Option<Store> {
        let directory = self.options.store.directory(|name| std::env::var_os(name)).ok()?;
        let cpu = self.devices.handles.first()?;
        let store = Store::open(directory, &hardware_of(cpu.device.info()));
        let store = store.inspect_err(|error| tracing::warn!(target: "pointsman", "{}", error.message())).ok()?;
        let mut store = store.with_clock(self.clock.clone());
        for handle in &self.devices.handles {
            store.add_device(handle.name(), &fingerprint_of(&*handle.device));
        }
        Some(store)
    }

    /// Measures the speed of every device without a valid profile, and the power of those whose watts are unknown, if
    /// they are compared by energy. Publishes all profiles together, so that no measured device is compared with one
    /// that will be measured next.
    pub(super) fn measure(&self, context: CalibrationContext<'_>, is_restored: bool) {
        let (_alone, arms) = (self.control.measuring.lock(), 0..self.devices.handles.len());
        let is_unknown = |arm: &usize| self.options.rules.learns && !self.is_known(*arm, is_restored, context);
        let measure =
            |arm: usize| measure_device(&self.devices.handles[arm].device, context, self.options.time_small_queries);
        let measured: Vec<_> = arms.filter(is_unknown).map(measure).collect();
        if !self.control.is_stopped() {
            self.devices.publish(&measured);
        }
        self.measure_unknown_watts(context);
    }

    fn measure_unknown_watts(&self, context: CalibrationContext<'_>) {
        let is_unknown = |arm: &usize| self.devices.selector.watts(*arm).is_none();
        let arms = (0..self.devices.handles.len()).filter(is_unknown);
        arms.for_each(|arm| drop(self.devices.measure_watts(arm, context)));
    }

    /// Whether the stored profile of a device still holds.
    fn is_known(&self, arm: usize, is_restored: bool, context: CalibrationContext<'_>) -> bool {
        let Some(own) = self.devices.selector.profile(arm) else { return true };
        if !own.measured || !is_restored {
            // A measured profile that was not restored was measured just now, by `Session::calibrate`.
            return own.measured;
        }
        let device = &self.devices.handles[arm].device;
        // If compiling takes seconds, a check costs more than a wrong profile, which runs correct.
        let is_known = device.info().capabilities.images_worth_storing || agrees_with_profile(device, &own, context);
        if !is_known {
            self.devices.selector.doubt(arm);
        }
        is_known
    }
}

impl SelectableDevices {
    /// Chooses by the profiles of these devices from now on.
    pub(super) fn publish(&self, measured: &[CalibratedDevice]) {
        let profiles = measured.iter().filter_map(|one| Some((self.arm(&one.device)?, one.profile.clone().ok()?)));
        self.selector.set_profiles(profiles);
    }

    /// The selector's number of a device.
    pub(super) fn arm(&self, device: &str) -> Option<usize> {
        self.selector.names().iter().position(|name| name == device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_when_devices_are_measured_or_the_thread_ends() {
        let endings: [fn(&Arc<ThreadControl>); 3] = [
            |control| control.set_state(ThreadState::Storing),
            |control| drop(ThreadEnd(control.clone())),
            |control| assert_eq!(control.stop(Duration::ZERO), ThreadState::Measuring),
        ];
        for end in endings {
            let control = Arc::new(ThreadControl::default());
            control.set_state(ThreadState::Measuring);
            assert!(control.is_measuring() && !control.is_awaited());
            std::thread::scope(|scope| {
                let waiter = scope.spawn(|| control.wait_until_measured());
                while !control.is_awaited() {
                    std::thread::yield_now();
                }
                assert!(!waiter.is_finished());
                end(&control);
            });
            assert!(!control.is_awaited());
        }
    }
}
