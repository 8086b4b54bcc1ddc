//! Chooses where a query runs.
//!
//! [`SelectorService::candidates`] finds the placements of a query, [`SelectorService::rank`] orders them for a call,
//! best first, and [`PlacementCursor::observe`] records the time of the run. The rest of this folder serves these
//! three:
//!
//! | file | does |
//! | --- | --- |
//! | `service` | finds devices in the background and owns the selector over them |
//! | `placement` | a device that can run a query, and why or why not |
//! | `candidates` | the placements of a query, and their order for one call |
//! | `automatic` | the eligible devices of a query that names none, and their order for one call |
//! | `estimator/` | predicts and learns times, stores them |
//! | `sharing` | whether several devices share a query or one runs it alone |
//! | `calibration/` | measures the speed and power of the devices, in the background or while a caller waits |
//! | `policy` | what "best" means: time or energy |

mod automatic;
mod calibration;
mod candidates;
pub(crate) mod estimator;
mod placement;
mod policy;
mod service;
mod sharing;

pub use calibration::{CalibratedDevice, CalibrationReport};
pub(crate) use calibration::{MeasureRun, SmallQueryTimes};
pub(crate) use candidates::{PlacementCursor, PlannedRun, QueryCandidates, SelectionInput, Timing};
pub use estimator::*;
pub(crate) use placement::{DeviceRequest, LoadedPrograms, Placement, PlacementRequest, SHARED, names, reads_source};
pub use policy::Policy;
pub(crate) use policy::SelectionRules;
pub(crate) use service::{SelectorService, ServiceOptions};
