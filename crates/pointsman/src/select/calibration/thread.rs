//! [`CalibrationThread`]: the background thread of a selector service. It restores the state that earlier sessions
//! learned, measures devices without a valid profile, and stores the learned state once a minute and at the end.

use super::pacing::{Pacer, QueryActivity, Urgency};
use super::spot_check::agrees_with_profile;
use super::{DEVICE_TIME_MAX, measure_device};
use crate::devices::handle::DeviceHandle;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::select::estimator::{Machine, Profile, Store, fingerprint_of};
use crate::select::service::{SelectableDevices, ServiceOptions};
use crate::sync::{Condvar, Mutex, MutexGuard};
use crate::telemetry::device_counters::DeviceCounters;
use pointsman_device::DeviceKind;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How often learned state is stored.
const STORE_INTERVAL: Duration = Duration::from_secs(60);

/// The state of the thread, and the signals that others send it.
#[derive(Default)]
pub(in crate::select) struct ThreadControl {
    activity: Mutex<Activity>,
    /// Notified when the activity changes and when the thread should stop.
    changed: Condvar,
    stop: CancellationToken,
    /// Held while devices are measured: two measurements at once would each see slow devices.
    measuring: Mutex<()>,
    /// Callers of `Session::wait_until_calibrated` and of `Session::calibrate` that wait.
    waiting: AtomicUsize,
    calibrating: AtomicUsize,
}

/// The current activity of the thread.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::select) enum Activity {
    #[default]
    Discovering,
    Restoring,
    Measuring,
    Storing,
    /// The thread has ended.
    Ended,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Activity::Discovering => "looking for devices",
            Activity::Restoring => "reading what earlier sessions learned",
            Activity::Measuring => "measuring devices",
            Activity::Storing => "storing what was learned",
            Activity::Ended => "at its end",
        })
    }
}

impl ThreadControl {
    /// Ends the thread and every background measurement, and waits for at most `timeout`. Returns what the thread still
    /// does then.
    pub(in crate::select) fn stop(&self, timeout: Duration) -> Option<Activity> {
        let activity = self.activity.lock();
        self.stop.cancel();
        self.changed.notify_all();
        let activity = *self.changed.wait_timeout_while(activity, timeout, |activity| *activity != Activity::Ended);
        Some(activity).filter(|activity| *activity != Activity::Ended)
    }

    /// Waits until no other measurement runs; a background measurement stops making way for queries meanwhile.
    pub(super) fn measure_now(&self) -> MutexGuard<'_, ()> {
        self.calibrating.fetch_add(1, Ordering::Relaxed);
        let guard = self.measuring.lock();
        self.calibrating.fetch_sub(1, Ordering::Relaxed);
        guard
    }

    /// Whether the thread measures devices now.
    pub(in crate::select) fn is_measuring(&self) -> bool {
        *self.activity.lock() == Activity::Measuring
    }

    /// Blocks until the thread has measured the devices, or has ended without.
    pub(in crate::select) fn wait_until_measured(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let is_before = |activity: &mut _| !matches!(activity, Activity::Storing | Activity::Ended);
        drop(self.changed.wait_while(self.activity.lock(), |activity| is_before(activity) && !self.is_stopped()));
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Waits until learned state should be stored. Returns whether the session ends.
    fn wait_to_store(&self) -> bool {
        drop(self.changed.wait_timeout_while(self.activity.lock(), STORE_INTERVAL, |_| !self.is_stopped()));
        self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    fn begin(&self, activity: Activity) {
        *self.activity.lock() = activity;
        self.changed.notify_all();
    }

    fn urgency(&self) -> Urgency {
        match (self.calibrating.load(Ordering::Relaxed), self.waiting.load(Ordering::Relaxed)) {
            (0, 0) => Urgency::Background,
            (0, _) => Urgency::Awaited,
            (_, _) => Urgency::Immediate,
        }
    }
}

/// Marks the thread as ended when it is dropped, even after a panic.
pub(in crate::select) struct ThreadEnd(pub(in crate::select) Arc<ThreadControl>);

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        self.0.begin(Activity::Ended);
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
    /// Restores, measures, and stores what is learned until the session ends.
    pub(in crate::select) fn run(&self) {
        // Simulated devices have a clock of their own.
        if self.devices.handles[1..].iter().all(|handle| handle.device.info().kind == DeviceKind::Sim) {
            return;
        }
        self.control.begin(Activity::Restoring);
        let store = self.open_store();
        let is_restored = store.as_ref().is_some_and(|store| store.restore(&self.devices.selector));
        if self.options.background_calibration {
            self.control.begin(Activity::Measuring);
            self.measure(is_restored);
        }
        self.control.begin(Activity::Storing);
        let mut is_stopped = !self.options.rules.learns;
        while !is_stopped {
            is_stopped = self.control.wait_to_store();
            self.devices.selector.learn_now();
            self.devices.learn_watts(&*self.clock);
            if let Some(Err(error)) = store.as_ref().map(|store| store.keep(&self.devices.selector)) {
                tracing::warn!(target: "pointsman", "{}", error.message());
            }
        }
    }

    /// The store of this machine, unless storing is off.
    fn open_store(&self) -> Option<Store> {
        let directory = self.options.store.directory(|name| std::env::var_os(name)).ok()?;
        let cpu = self.devices.handles.first()?;
        let store =
            Store::open(directory, Machine::here(cpu.device.info())).map(|store| store.with_clock(self.clock.clone()));
        let mut store = store.inspect_err(|error| tracing::warn!(target: "pointsman", "{}", error.message())).ok()?;
        for handle in &self.devices.handles {
            store.add_device(handle.name(), &fingerprint_of(&*handle.device));
        }
        Some(store)
    }

    /// Measures the speed of every device without a valid profile, and the power of all if they are compared by energy.
    fn measure(&self, is_restored: bool) {
        let _alone = self.control.measuring.lock();
        let (activity, urgency) = (|| QueryActivity::of(&self.queries), || self.control.urgency());
        let (stop, is_measuring) = (&self.control.stop, Some(&*self.devices.is_measuring));
        let pacer = Pacer::new(&*self.clock, stop, &activity, &urgency, is_measuring);
        if self.options.rules.learns {
            self.measure_speed(&pacer, is_restored);
        }
        // An error says only that the session ends.
        let _ = pacer.slice(|| {
            self.devices.measure_all_watts(&*self.clock, stop);
            Ok(())
        });
    }

    /// Publishes the profiles of all devices together, so that no measured device is compared with one that will be
    /// measured next.
    pub(super) fn measure_speed(&self, pacer: &Pacer<'_>, is_restored: bool) {
        let handles = &self.devices.handles;
        let open = self.options.open_small_queries;
        let measure = |arm: usize| measure_device(&handles[arm].device, DEVICE_TIME_MAX, pacer, open);
        let unknown = (0..handles.len()).filter(|&arm| !self.is_known(arm, is_restored, pacer));
        let measured: Vec<_> = unknown.map(|arm| (arm, measure(arm).profile)).collect();
        if pacer.check().is_err() {
            return;
        }
        for (arm, error) in measured.iter().filter_map(|(arm, profile)| Some((*arm, profile.as_ref().err()?))) {
            let (device, why) = (handles[arm].name(), error.message());
            tracing::warn!(target: "pointsman", device, "could not be measured; its speed is guessed: {why}");
        }
        let measured = measured.into_iter().filter_map(|(arm, profile)| Some((arm, profile.ok()?)));
        self.devices.set_measured_profiles(measured);
    }

    /// Whether the stored profile of a device still holds.
    fn is_known(&self, arm: usize, is_restored: bool, pacer: &Pacer<'_>) -> bool {
        let Some(own) = self.devices.selector.profile(arm) else { return true };
        if !own.measured || !is_restored {
            // A measured profile that was not restored was measured just now, by `Session::calibrate`.
            return own.measured;
        }
        let device = &self.devices.handles[arm].device;
        // If compiling takes seconds, a check costs more than a wrong profile, which runs correct.
        let is_known = device.info().capabilities.images_worth_storing || agrees_with_profile(device, &own, pacer);
        if !is_known {
            self.devices.selector.doubt(arm);
        }
        is_known
    }
}

impl SelectableDevices {
    /// Chooses by these profiles from now on, as far as they were measured.
    pub(super) fn set_measured_profiles(&self, profiles: impl IntoIterator<Item = (usize, Profile)>) {
        let measured = profiles.into_iter().filter(|(_, profile)| profile.measured);
        let with_memory = measured.map(|(arm, profile)| {
            let memory = self.selector.profile(arm).and_then(|own| own.memory).or(profile.memory);
            (arm, Profile { memory, ..profile })
        });
        self.selector.set_profiles(with_memory.collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_when_devices_are_measured_or_the_thread_ends() {
        let endings: [fn(&Arc<ThreadControl>); 3] = [
            |control| control.begin(Activity::Storing),
            |control| drop(ThreadEnd(control.clone())),
            |control| assert!(control.stop(Duration::ZERO) == Some(Activity::Measuring)),
        ];
        for end in endings {
            let control = Arc::new(ThreadControl::default());
            control.begin(Activity::Measuring);
            assert!(control.is_measuring() && control.urgency() == Urgency::Background);
            std::thread::scope(|scope| {
                let waiter = scope.spawn(|| control.wait_until_measured());
                while control.urgency() != Urgency::Awaited {
                    std::thread::yield_now();
                }
                assert!(!waiter.is_finished());
                end(&control);
            });
            assert!(control.urgency() == Urgency::Background);
        }
    }

    #[test]
    fn foreground_calibration_makes_the_background_one_hurry() {
        let control = ThreadControl::default();
        let background = control.measuring.lock();
        std::thread::scope(|scope| {
            scope.spawn(|| drop(control.measure_now()));
            while control.urgency() != Urgency::Immediate {
                std::thread::yield_now();
            }
            drop(background);
        });
        assert!(control.urgency() == Urgency::Background);
    }
}
