//! Chooses where a query runs.
//!
//! The rest of the crate sees two verbs of [`SelectorService`]: `rank` orders the placements for a call, best first, and
//! `observe` records what the run took. Everything else is behind them:
//!
//! | file | does |
//! | --- | --- |
//! | `service` | finds devices in the background and owns the selector over them |
//! | `placement` | a device, or several that share the rows, that can run a query, and why |
//! | `candidates` | the placements of a query, and their order for one call |
//! | `exclusion` | why a device is passed over: lost, open breaker, refused by its compiler |
//! | `estimator/` | measures devices, predicts and learns times, stores them |
//! | `sharing` | whether several devices share a query or one runs it alone |
//! | `calibration`, `calibration_thread`, `calibration_report` | measure the devices |
//! | `policy`, `watts`, `power_meters` | what "best" means: time or energy |

mod calibration;
mod calibration_report;
mod calibration_thread;
mod candidates;
pub(crate) mod estimator;
mod exclusion;
mod placement;
mod policy;
mod power_meters;
mod service;
mod sharing;
mod watts;

pub(crate) use calibration::{SmallQueries, SmallQueryTime, SmallQueryTimes};
pub use calibration_report::{CalibratedDevice, CalibrationReport};
pub(crate) use candidates::{PlacementCursor, QueryCandidates, SelectionInput, Timing};
pub use estimator::*;
pub(crate) use placement::{DeviceRequest, LoadedPrograms, Placement, PlacementRequest, SHARED, reads_source};
pub use policy::Policy;
pub(crate) use policy::SelectionRules;
pub(crate) use service::{SelectorService, ServiceOptions};
pub(crate) use sharing::{PlannedRun, Spared, StrategyTiming};
pub(crate) use watts::resolve as resolve_watts;
