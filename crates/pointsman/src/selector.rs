//! Device selection for functions of your own: which of several devices finishes a call first.
//!
//! A session uses this selector for its queries; [`Session::selector`](crate::Session::selector) gives access to it. A
//! program that brings its own functions, one for each device, uses it without a session:
//!
//! 1. Describe the devices as [`Arm`]s, each with a [`Profile`] that was measured or guessed.
//! 2. Describe the work of one row as a [`Workload`], and register it with [`Selector::register`].
//! 3. Call [`Selector::rank`] before each run and [`Selector::observe`] after it. The selector predicts times from the
//!    profiles and corrects them with every observation. [`Selector::execute_with_fallback`] does both, and tries the
//!    next device when one fails.
//!
//! ```
//! use pointsman::DeviceKind;
//! use pointsman::selector::{Arm, ArmSet, Observation, Profile, Selector, SelectorOptions, Size, Workload};
//!
//! # fn main() -> pointsman::Result<()> {
//! let arms = vec![
//!     Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 8)),
//!     Arm::new("cuda:0", Profile::guess(DeviceKind::Cuda, 132)),
//! ];
//! let selector = Selector::new(arms, SelectorOptions::default())?;
//! let sum = Workload { key: 1, read_per_row: 8.0, input_per_row: 8.0, ..Workload::default() };
//! let sum = selector.register(&sum, ArmSet::ALL);
//!
//! // A thousand rows in host memory: copying them to the card takes longer than adding them here.
//! let rank = selector.rank(&sum, Size::host(1000), ArmSet::NONE);
//! assert_eq!(rank.first(), 0);
//! selector.observe(Observation::of(&sum, Size::host(1000), rank, 2_000));
//!
//! // A hundred million rows that are on the card already.
//! assert_eq!(selector.rank(&sum, Size::resident(100_000_000), ArmSet::NONE).first(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! [`choose_device`] answers for a named operation without any setup.

pub use crate::select::{
    ARMS_MAX, Arm, ArmSet, CALL_CLASSES, CLASSES, CallClass, Class, Curve, Goal, KERNELS_MAX, KernelStats,
    KernelSummary, Learned, LearnedCell, LearnedKernel, Ledger, Link, MoveAccount, OPERATIONS, Observation, Octave,
    Parts, Prediction, Profile, Rank, RankReason, Ranking, Residency, SPREAD_MEASURED, Selector, SelectorOptions, Size,
    StageExpectation, Store, Summary, TableRates, TableRows, TableStep, Workload, choose_device, fingerprint_of,
    hardware_of,
};
