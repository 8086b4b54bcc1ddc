//! Fractional derivatives and integrals: against plain sums, against closed forms, and what they refuse.

mod sums;
