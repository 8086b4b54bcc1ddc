//! [`VerificationReport`]: the results of runs that the CPU repeated to verify other devices.

/// The results of checking runs on the CPU. See [`SessionOptions::verify_share`](crate::SessionOptions::verify_share).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerificationReport {
    /// Runs whose answers were compared.
    pub checked: u64,
    /// Compared runs whose answer was not the CPU's.
    pub differed: u64,
    /// Runs that should have been checked but could not be: the CPU does not run the query or had no time or memory for
    /// it, or the contract does not fix the answer (floats decide something on a device that keeps bounds).
    pub passed_over: u64,
}
