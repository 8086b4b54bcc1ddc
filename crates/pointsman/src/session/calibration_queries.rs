//! The small queries that calibration times on a device, through a session of its own: they show what a session adds around
//! a launch and a copy.

use super::Session;
use super::options::SessionOptions;
use crate::data::column::Column;
use crate::error::{Error, Result};
use crate::query::expr::F32;
use crate::select::{Policy, SmallQueries, SmallQueryTime, SmallQueryTimes};
use pointsman_device::Device;
use std::sync::Arc;
use std::time::Duration;

/// The rows of a small query, and how often each is run.
const ROWS: usize = 64;
const RUNS: usize = 31;

/// A session on one device, with small queries compiled for it.
struct SessionQueries {
    session: Session,
    device: String,
}

/// Opens a session on a device and compiles the small queries, both at once.
pub(super) fn open_small_queries(device: &Arc<dyn Device>) -> Result<Box<dyn SmallQueries>> {
    let name = device.info().name.as_str();
    let session =
        SessionOptions::new().devices(["cpu"]).add_device(device.clone()).policy(Policy::Deterministic).open()?;
    let rows = [1f32; ROWS];
    std::thread::scope(|scope| {
        let store = || session.prepare(|x: F32| x)?.require(name).run(&rows[..]).map(drop);
        let store = std::thread::Builder::new().name("pointsman-calibration".to_string()).spawn_scoped(scope, store);
        session.prepare(|x: F32| x.sum())?.require(name).run(&rows[..])?;
        // Without a thread it is compiled when it is first measured.
        let panicked = |_| Err(Error::internal("a small query panicked"));
        store.map_or(Ok(()), |thread| thread.join().unwrap_or_else(panicked))
    })?;
    let device = name.to_string();
    Ok(Box::new(SessionQueries { session, device }))
}

impl SmallQueries for SessionQueries {
    fn measure(&self) -> Result<SmallQueryTimes> {
        let (session, name) = (&self.session, self.device.as_str());
        let store = session.prepare(|x: F32| x)?.require(name);
        let fold = session.prepare(|x: F32| x.sum())?.require(name);
        let column = Column::from(vec![1f32; ROWS]);
        let rows = column.to_vec();
        session.keep(&column, name)?;
        let mut times: [Vec<Duration>; 4] = Default::default();
        for _ in 0..RUNS {
            let run = [
                store.run(&rows[..])?.receipt().total(),
                store.run(&column)?.receipt().total(),
                fold.run(&rows[..])?.receipt().total(),
                fold.run(&column)?.receipt().total(),
            ];
            times.iter_mut().zip(run).for_each(|(times, time)| times.push(time));
        }
        let [store_host, store_resident, fold_host, fold_resident] = times.map(|mut times| {
            times.sort();
            times[times.len() / 2].as_nanos() as f64
        });
        Ok(SmallQueryTimes {
            store: SmallQueryTime { host: store_host, resident: store_resident },
            fold: SmallQueryTime { host: fold_host, resident: fold_resident },
        })
    }
}
