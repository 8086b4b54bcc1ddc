//! Gamma, beta and Mittag-Leffler functions.
