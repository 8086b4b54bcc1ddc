//! [`Loss`]: the time of a case against the best time. [`Figures`]: the losses of many cases against the bars.

use super::text::met;
use std::fmt;

/// A case is bad if its time is this many times the best one, and this many nanoseconds more.
const BAD_RATIO: f64 = 1.2;
const BAD_NS: f64 = 2e4;

/// The least Σ best / Σ automatic.
const SUM_BAR: f64 = 0.97;
/// The highest geometric mean of the ratios.
const MEAN_BAR: f64 = 1.04;
/// The highest share of bad cases.
const BAD_SHARE_BAR: f64 = 0.02;
/// The highest ratio of a bad case.
const WORST_BAR: f64 = 1.5;

/// What a case took, and what it would have taken with the best choice, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Loss {
    pub(super) time: f64,
    pub(super) best: f64,
}

impl Loss {
    pub(super) fn ratio(&self) -> f64 {
        self.time / self.best
    }

    pub(super) fn is_bad(&self) -> bool {
        self.ratio() > BAD_RATIO && self.time - self.best > BAD_NS
    }
}

/// The losses of many cases.
pub(super) struct Figures {
    cases: usize,
    /// Σ best / Σ automatic; not a number without cases.
    sum: f64,
    /// The geometric mean of the ratios.
    mean: f64,
    /// The share of bad cases.
    bad: f64,
    /// The highest ratio of a bad case, or 1.
    worst: f64,
}

impl Figures {
    pub(super) fn of(losses: impl IntoIterator<Item = Loss>) -> Figures {
        let losses: Vec<Loss> = losses.into_iter().collect();
        let sum = |part: fn(&Loss) -> f64| losses.iter().map(part).sum::<f64>();
        let bad: Vec<f64> = losses.iter().filter(|loss| loss.is_bad()).map(Loss::ratio).collect();
        let count = losses.len().max(1) as f64;
        Figures {
            cases: losses.len(),
            sum: sum(|loss| loss.best) / sum(|loss| loss.time),
            mean: (sum(|loss| loss.ratio().ln()) / count).exp(),
            bad: bad.len() as f64 / count,
            worst: bad.iter().copied().fold(1.0, f64::max),
        }
    }

    /// Whether all bars are met. Without cases none is.
    pub(super) fn is_met(&self) -> bool {
        self.sum >= SUM_BAR && self.mean <= MEAN_BAR && self.bad <= BAD_SHARE_BAR && self.worst <= WORST_BAR
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { cases, sum, mean, bad, worst } = self;
        if *cases == 0 {
            return write!(f, "no cases");
        }
        write!(
            f,
            "{cases} cases, Σ best / Σ automatic {:.1} %, geometric mean {mean:.3}×, {:.1} % of the cases beyond \
             {BAD_RATIO}× and 20 µs, the worst {worst:.2}×: {}",
            100.0 * sum,
            100.0 * bad,
            met(self.is_met()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(losses: &[[f64; 2]]) -> Figures {
        Figures::of(losses.iter().map(|&[time, best]| Loss { time, best }))
    }

    #[test]
    fn a_case_is_bad_by_its_ratio_and_by_its_nanoseconds() {
        let is_bad = |time, best| Loss { time, best }.is_bad();
        assert!(is_bad(1.3e6, 1e6));
        assert!(!is_bad(1.1e6, 1e6) && !is_bad(3e4, 1.1e4), "not by the ratio, not by the nanoseconds");
    }

    #[test]
    fn the_sum_weighs_long_cases_and_the_mean_weighs_all_alike() {
        let Figures { cases, sum, mean, bad, worst } = figures(&[[4e6, 1e6], [96e6, 96e6]]);
        assert_eq!((cases, sum, bad, worst), (2, 0.97, 0.5, 4.0));
        assert!((mean - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_best_choices_meet_the_bars_and_no_cases_do_not() {
        assert!(figures(&[[1e6, 1e6], [2e6, 2e6]]).is_met());
        assert!(!figures(&[[2e6, 1e6]]).is_met() && !figures(&[]).is_met());
        assert_eq!(figures(&[]).to_string(), "no cases");
    }
}
