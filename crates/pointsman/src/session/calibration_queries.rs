//! The small queries that calibration times on a device, through a session of its own: they show what a session adds
//! around a launch and a copy.

use super::options::SessionOptions;
use crate::data::column::Column;
use crate::error::Result;
use crate::query::expr::F32;
use crate::select::{MeasureRun, Policy, SmallQueryTimes};
use pointsman_device::Device;
use std::sync::Arc;

/// The rows of a small query.
const ROWS: usize = 64;

/// Times the small queries of a device.
pub(super) fn time_small_queries(device: &Arc<dyn Device>, measure: &MeasureRun<'_>) -> Result<SmallQueryTimes> {
    let name = device.info().name.as_str();
    let session =
        SessionOptions::new().devices(["cpu"]).add_device(device.clone()).policy(Policy::Deterministic).open()?;
    let column = Column::from(vec![1f32; ROWS]);
    session.keep(&column, name)?;
    let fold = session.prepare(|x: F32| x.sum())?.require(name);
    Ok(SmallQueryTimes {
        fold: measure(&mut || fold.run(&column).map(drop))?,
        fold_host: measure(&mut || fold.run(&[1f32; ROWS][..]).map(drop))?,
    })
}
