//! Fractional derivatives and integrals: against plain sums, against closed forms, and what they refuse.

mod history;
mod mistakes;
mod orders;
mod periodic;
mod references;
mod start;
mod sums;
mod weights;
