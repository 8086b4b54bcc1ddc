//! [`LeftOut`]: why a device did not take part in a query that several devices could share.

/// Why a device that could take part in a query does no more of it, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// The query takes too little time to be shared: see [`Options::share_time_min`](crate::Options::share_time_min).
    TooShort,
    /// With it the others are not faster than without.
    NoGain,
    /// This run measures how fast another is alone.
    Trial,
}

impl LeftOut {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            LeftOut::TooShort => "too short to share",
            LeftOut::NoGain => "no gain",
            LeftOut::Trial => "another is measured alone",
        }
    }
}
