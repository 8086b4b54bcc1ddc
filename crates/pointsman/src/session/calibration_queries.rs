//! The small queries that calibration times on a device, through a session of its own: they show what a session adds around
//! a launch and a copy.

use super::options::SessionOptions;
use crate::data::column::Column;
use crate::error::Result;
use crate::query::expr::F32;
use crate::select::{Policy, SmallQueries};
use pointsman_device::Device;
use std::sync::Arc;

/// The rows of a small query.
const ROWS: usize = 64;

/// Opens a session on a device and prepares the small queries.
pub(super) fn open_small_queries(device: &Arc<dyn Device>) -> Result<SmallQueries> {
    let name = device.info().name.as_str();
    let session =
        SessionOptions::new().devices(["cpu"]).add_device(device.clone()).policy(Policy::Deterministic).open()?;
    let column = Column::from(vec![1f32; ROWS]);
    session.keep(&column, name)?;
    let store = Arc::new(session.prepare(|x: F32| x)?.require(name));
    let fold = Arc::new(session.prepare(|x: F32| x.sum())?.require(name));
    let (store_resident, fold_resident, other) = (store.clone(), fold.clone(), column.clone());
    Ok([
        Box::new(move || Ok(store.run(&[1f32; ROWS][..])?.receipt().total())),
        Box::new(move || Ok(store_resident.run(&other)?.receipt().total())),
        Box::new(move || Ok(fold.run(&[1f32; ROWS][..])?.receipt().total())),
        Box::new(move || Ok(fold_resident.run(&column)?.receipt().total())),
    ])
}
