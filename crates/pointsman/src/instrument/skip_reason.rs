//! [`SkipReason`]: why a device did not take part in a query that several devices could share.

/// Why a device that could take part in a query does no more of it, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The query takes too little time to be shared: see
    /// [`SessionOptions::share_time_min`](crate::SessionOptions::share_time_min).
    TooShort,
    /// With it the others are not faster than without.
    NoGain,
    /// This run measures how fast another is alone.
    Trial,
}

impl SkipReason {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            SkipReason::TooShort => "too short to share",
            SkipReason::NoGain => "no gain",
            SkipReason::Trial => "another is measured alone",
        }
    }
}
