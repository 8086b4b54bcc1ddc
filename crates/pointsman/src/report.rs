//! The reports of a session (devices, memory, programs, health, profiles, advice) and the types in a
//! [`Receipt`](crate::Receipt).
//!
//! | report | returned by |
//! | --- | --- |
//! | [`DeviceReport`] | [`Session::devices`](crate::Session::devices), [`Session::discover`](crate::Session::discover) |
//! | [`MemoryReport`] | [`Session::memory`](crate::Session::memory) |
//! | [`ProgramCacheReport`] | [`Session::program_cache`](crate::Session::program_cache) |
//! | [`SessionHealth`], [`DeviceHealth`] | [`Session::health`](crate::Session::health) |
//! | [`FailedQuery`] | [`Session::failed_queries`](crate::Session::failed_queries) |
//! | [`VerificationReport`] | [`Session::verification`](crate::Session::verification) |
//! | [`CalibrationReport`] | [`Session::calibrate`](crate::Session::calibrate) |
//! | [`QueryProfile`] | [`Session::profile`](crate::Session::profile) |
//! | [`Advice`] | [`Session::advise`](crate::Session::advise) |
//! | [`Snapshot`] | [`Session::snapshot`](crate::Session::snapshot) |
//! | [`Cached`], [`Share`], [`SkipReason`], [`ProgramSource`], [`FailedAttempt`] | [`Receipt`](crate::Receipt) |

pub use crate::devices::registry::{DeviceEntry, DeviceReport, MissingDevice};
pub use crate::devices::residency::report::{DeviceMemory, MemoryReport};
pub use crate::error::FailedAttempt;
pub use crate::instrument::skip_reason::SkipReason;
pub use crate::programs::{ProgramCacheReport, ProgramSource};
pub use crate::select::{CalibratedDevice, CalibrationReport};
pub use crate::session::advise::{Advice, AdviceKind};
pub use crate::telemetry::device_counters::{DeviceHealth, Slowdown};
pub use crate::telemetry::failed_query::{FailedQuery, FailedQueryCount, SessionHealth};
pub use crate::telemetry::profile::{BatchTime, QueryProfile};
pub use crate::telemetry::receipt::{Cached, Share};
pub use crate::telemetry::snapshot::Snapshot;
pub use crate::telemetry::snapshot::VerificationReport;
pub use pointsman_device::{DeviceInfo, MemoryInfo, PoolCounters};
