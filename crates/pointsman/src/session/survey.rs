//! [`survey`]: in go devices, out comes how fast each of them is, as queries see it: what a session does around a launch and a
//! copy counts.
//!
//! All that is measured with is compiled first, for all devices at the same time: cards' compilers take most of the time, and
//! keep processors busy, so nothing is measured meanwhile. Then devices are measured one after the other.

use super::Session;
use super::options::SessionOptions;
use super::policy::Policy;
use crate::data::column::Column;
use crate::error::{Error, Result};
use crate::query::expr::F32;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::select::{Profile, Ready, SinkKind};
use pointsman_device::{Device, DeviceKind};
use std::sync::Arc;
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

/// How long all of it should take.
const ALL: Duration = Duration::from_secs(3);
/// How long measuring a device takes at most, and what it is granted even if others took more than theirs.
const DEVICE_MOST: Duration = Duration::from_secs(1);
const DEVICE_LEAST: Duration = Duration::from_millis(400);
/// The rows of queries that show what a session does around a launch, and how many there are.
const SMALL_ROWS: usize = 64;
const SMALL_RUNS: usize = 31;

/// What was found out about a device.
pub(super) struct MeasuredDevice {
    /// Its number among those that were asked for.
    pub(super) number: usize,
    pub(super) profile: Result<Profile>,
    /// How long compiling for it took, beside the others.
    pub(super) compiling: Duration,
    /// How long measuring it took.
    pub(super) measuring: Duration,
}

/// A device that can be measured at once.
struct PreparedDevice {
    ready: Ready,
    /// One with small queries that were compiled, if there is one for such a device.
    session: Option<Session>,
    name: String,
    is_host: bool,
}

/// Measures devices, and tells each as soon as it is known. Ends soon after it is told to stop.
pub(super) fn survey(
    devices: &[&Arc<dyn Device>],
    clock: &dyn Clock,
    stop: &CancellationToken,
    mut tell: impl FnMut(MeasuredDevice),
) {
    let start = clock.now();
    let subjects = subjects(devices, clock, stop);
    let count = subjects.len();
    for (number, (subject, compiling)) in subjects.into_iter().enumerate() {
        let begun = clock.now();
        let left = ALL.saturating_sub(begun.saturating_sub(start)) / (count - number) as u32;
        let budget = left.clamp(DEVICE_LEAST, DEVICE_MOST);
        let profile = subject.and_then(|subject| subject.measured(budget, clock, stop));
        let measuring = clock.now().saturating_sub(begun);
        tell(MeasuredDevice { number, profile, compiling, measuring });
        if stop.is_cancelled() {
            return;
        }
    }
}

/// All devices with what they are measured with, made at the same time, and how long each took.
fn subjects(
    devices: &[&Arc<dyn Device>],
    clock: &dyn Clock,
    stop: &CancellationToken,
) -> Vec<(Result<PreparedDevice>, Duration)> {
    let subject = |device: &Arc<dyn Device>| {
        let start = clock.now();
        let subject = PreparedDevice::new(device, clock, stop);
        (subject, clock.now().saturating_sub(start))
    };
    std::thread::scope(|scope| {
        let made: Vec<_> = devices.iter().map(|device| Beside::start(scope, || subject(device))).collect();
        let panicked = || (Err(Error::internal("compiling what a device is measured with panicked")), Duration::ZERO);
        made.into_iter().map(|one| one.end().unwrap_or_else(panicked)).collect()
    })
}

/// Something that a thread does, or that is done already where there is none to be had.
enum Beside<'s, T> {
    Thread(ScopedJoinHandle<'s, T>),
    Done(T),
}

impl<'s, T: Send + 's> Beside<'s, T> {
    fn start(scope: &'s Scope<'s, '_>, work: impl Fn() -> T + Copy + Send + 's) -> Beside<'s, T> {
        let thread = Builder::new().name("pointsman-survey".to_string()).spawn_scoped(scope, work);
        thread.map_or_else(|_| Beside::Done(work()), Beside::Thread)
    }

    /// What it gives; `None` if it panicked.
    fn end(self) -> Option<T> {
        match self {
            Beside::Thread(thread) => thread.join().ok(),
            Beside::Done(done) => Some(done),
        }
    }
}

impl PreparedDevice {
    fn new(device: &Arc<dyn Device>, clock: &dyn Clock, stop: &CancellationToken) -> Result<PreparedDevice> {
        let info = device.info();
        // A simulated device has a time of its own, and small queries take the system's.
        let is_real = info.kind != DeviceKind::Sim;
        let (ready, session) = std::thread::scope(|scope| {
            let session = is_real.then(|| Beside::start(scope, || small_session(device)));
            let ready = Ready::new(device, clock, stop);
            // Without it launches are what they are without a session.
            (ready, session.and_then(|session| session.end()?.ok()))
        });
        Ok(PreparedDevice { ready: ready?, session, name: info.name.clone(), is_host: info.capabilities.host_memory })
    }

    fn measured(self, budget: Duration, clock: &dyn Clock, stop: &CancellationToken) -> Result<Profile> {
        let PreparedDevice { ready, session, name, is_host } = self;
        let profile = ready.measure(budget, clock, stop)?;
        if !profile.measured || stop.is_cancelled() {
            return Ok(profile);
        }
        let small = session.and_then(|session| small_runs(&session, &name).ok());
        Ok(match small {
            Some(small) => as_queries_see(profile, small, is_host),
            None => profile,
        })
    }
}

/// A profile with the launches and starts of copies that queries have.
fn as_queries_see(mut profile: Profile, small: SmallRuns, is_host: bool) -> Profile {
    let (store, fold) = (small.store, small.fold);
    let more = (fold.there - store.there).max(0.0);
    let measured = profile.sinks[SinkKind::Reduce as usize].launch;
    for (sink, cost) in profile.sinks.iter_mut().enumerate() {
        // Others take as much more than folding as they did without a session.
        cost.launch = if sink == SinkKind::Store as usize { 0.0 } else { (more + cost.launch - measured).max(0.0) };
    }
    if is_host {
        return Profile { launch: store.host, ..profile };
    }
    let copy_start = (fold.host - fold.there).max(profile.copy_start);
    Profile { launch: (store.there - copy_start).max(store.there / 4.0), copy_start, ..profile }
}

/// Nanoseconds of queries over a few rows, from the host's memory and from the device's own: the middle of some.
#[derive(Clone, Copy, Debug)]
struct SmallRun {
    host: f64,
    there: f64,
}

/// Of one that stores, and of one that folds.
#[derive(Clone, Copy, Debug)]
struct SmallRuns {
    store: SmallRun,
    fold: SmallRun,
}

/// A session that has programs of small queries for a device.
fn small_session(device: &Arc<dyn Device>) -> Result<Session> {
    let name = device.info().name.as_str();
    let session =
        SessionOptions::new().devices(["cpu"]).add_device(device.clone()).policy(Policy::Deterministic).open()?;
    let rows = [1f32; SMALL_ROWS];
    std::thread::scope(|scope| {
        let store = Beside::start(scope, || session.prepare(|x: F32| x)?.require(name).run(&rows[..]).map(drop));
        session.prepare(|x: F32| x.sum())?.require(name).run(&rows[..])?;
        store.end().unwrap_or_else(|| Err(Error::internal("a small query panicked")))
    })?;
    Ok(session)
}

fn small_runs(session: &Session, name: &str) -> Result<SmallRuns> {
    let (store, fold) = (session.prepare(|x: F32| x)?.require(name), session.prepare(|x: F32| x.sum())?.require(name));
    let column = Column::from(vec![1f32; SMALL_ROWS]);
    let rows = column.to_vec();
    session.keep(&column, name)?;
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..SMALL_RUNS {
        let receipts = [
            store.run(&rows[..])?.receipt().total(),
            store.run(&column)?.receipt().total(),
            fold.run(&rows[..])?.receipt().total(),
            fold.run(&column)?.receipt().total(),
        ];
        times.iter_mut().zip(receipts).for_each(|(times, took)| times.push(took.as_nanos() as f64));
    }
    let [a, b, c, d] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    Ok(SmallRuns { store: SmallRun { host: a, there: b }, fold: SmallRun { host: c, there: d } })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches of sinks as measured without a session: storing 10, folding 15, the others more.
    fn profile() -> Profile {
        let mut profile = Profile { copy_start: 7.0, launch: 10.0, ..Profile::guess(DeviceKind::Cuda, 1) };
        for (cost, launch) in profile.sinks.iter_mut().zip([0.0, 5.0, 8.0, 1.0, 9.0]) {
            cost.launch = launch;
        }
        profile
    }

    fn small([store_host, store_there, fold_host, fold_there]: [f64; 4]) -> SmallRuns {
        let run = |host, there| SmallRun { host, there };
        SmallRuns { store: run(store_host, store_there), fold: run(fold_host, fold_there) }
    }

    /// Small queries, whether the device works in the host's memory, and the launch, start of a copy and sinks' launches.
    fn check(times: [f64; 4], is_host: bool, launch: f64, copy_start: f64, sinks: [f64; 5]) {
        let seen = as_queries_see(profile(), small(times), is_host);
        assert_eq!((seen.launch, seen.copy_start), (launch, copy_start), "{times:?}");
        assert_eq!(seen.sinks.map(|cost| cost.launch), sinks, "{times:?}");
        assert_eq!((seen.read, seen.operations), (profile().read, profile().operations), "{times:?}");
    }

    #[test]
    fn launches_and_copies_are_those_of_queries() {
        // Reduction takes 12 more than storing, and the others as much more or less than folding as without a session. A copy in
        // takes 30, and what a query that stores takes on the device has one copy, of its result.
        check([90.0, 50.0, 92.0, 62.0], false, 20.0, 30.0, [0.0, 12.0, 15.0, 8.0, 16.0]);
        // The host copies nothing: what its queries take is their launch, wherever the column lies.
        check([90.0, 50.0, 92.0, 62.0], true, 90.0, 7.0, [0.0, 12.0, 15.0, 8.0, 16.0]);
        // A copy takes no less than it did without a session; a fold that seems faster than storing takes nothing more, and
        // neither does what took less than it.
        check([90.0, 50.0, 45.0, 44.0], false, 43.0, 7.0, [0.0, 0.0, 3.0, 0.0, 4.0]);
        // A copy that seems to take nearly all leaves a part for the launch.
        check([90.0, 50.0, 200.0, 60.0], false, 12.5, 140.0, [0.0, 10.0, 13.0, 6.0, 14.0]);
    }
}
