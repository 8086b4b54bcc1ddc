//! [`Timings`]: the last runs of one kernel on one device, at one size and input placement.
//!
//! They are ratios of measured to modelled time, with a median and a spread. The median of [`KEPT`] runs ignores up to
//! four outliers of any size; when a device changes, five runs replace it.

/// The number of runs that are kept.
const KEPT: usize = 9;
/// Stored runs count as at most this many: threads, clocks and neighbours differ from process to process, and four new
/// runs should outweigh them.
const RESTORED_RUNS: u32 = 3;
/// The least spread of n runs is this, divided by n: few runs do not show how far the next one is off.
const SPREAD_SINGLE: f64 = 0.3;
/// A disturbed run that is faster than the median by this much, as a logarithm, shows that the device has changed.
const CHANGED: f64 = 0.2;
/// The spread of a normal distribution is this part of its interquartile range.
const QUARTILES_TO_SPREAD: f64 = 0.741;

/// Whether a run shows what its device can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunQuality {
    Undisturbed,
    /// Other work ran beside it, or it was the first one after runs on other devices, with cold caches and clocks: it
    /// can only be slower than it would have been.
    Disturbed,
}

/// The last runs of a kernel on a device, at one size and input placement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Timings {
    /// ln(measured / model) of the last runs; the oldest is overwritten first.
    ratios: [f32; KEPT],
    len: u8,
    next: u8,
    /// The rows of the last run.
    pub(crate) rows: u64,
    /// Whether all of these runs were disturbed.
    is_disturbed: bool,
    /// Disturbed runs in a row that did not count.
    ignored: u8,
    /// Whether there is a single run, which nothing has confirmed.
    pub(crate) is_unconfirmed: bool,
    /// Whether a run was recorded since the timings were last stored.
    pub(crate) is_unsaved: bool,
}

impl Timings {
    /// Timings whose median, spread and number of runs were stored. They count as at most [`RESTORED_RUNS`]. A single
    /// run counts as disturbed: no other run of its process confirmed it, and that process may have been disturbed as a
    /// whole.
    pub(crate) fn restored(center: f64, spread: f64, runs: u32, rows: u64) -> Timings {
        let mut timings = Timings { rows, is_disturbed: runs <= 1, ..Timings::default() };
        for run in 0..runs.clamp(1, RESTORED_RUNS) {
            // Placed around the center so that median and quartiles come out as stored.
            let offset = [0.0, 1.0, -1.0][run as usize % 3] * spread / QUARTILES_TO_SPREAD / 2.0;
            timings.push((center + offset) as f32);
        }
        timings
    }

    /// The number of runs that the median stands on.
    pub(crate) fn runs(&self) -> u32 {
        u32::from(self.len)
    }

    /// Whether no run was recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether there are undisturbed runs.
    pub(crate) fn has_clean_runs(&self) -> bool {
        !self.is_empty() && !self.is_disturbed
    }

    /// Records a run. A disturbed one counts only if there is no undisturbed one, or if it is faster than the median.
    /// If it is much faster, the device has changed, and the older runs count as one. [`KEPT`] slower ones in a row
    /// replace all others.
    pub(crate) fn record(&mut self, ratio: f64, rows: u64, quality: RunQuality) {
        let is_disturbed = quality == RunQuality::Disturbed;
        self.is_unconfirmed = self.is_empty();
        match (self.has_clean_runs(), is_disturbed) {
            (true, true) if ratio >= self.center() && usize::from(self.ignored) + 1 < KEPT => {
                self.ignored += 1;
                return;
            }
            (true, true) if ratio >= self.center() => (self.len, self.next, self.is_disturbed) = (0, 0, true),
            (true, true) if ratio < self.center() - CHANGED => self.doubt(),
            (true, _) => {}
            (false, true) => self.is_disturbed = true,
            // The first undisturbed run replaces all others.
            (false, false) => (self.len, self.next, self.is_disturbed) = (0, 0, false),
        }
        (self.rows, self.is_unsaved, self.ignored) = (rows, true, 0);
        self.push(ratio as f32);
    }

    fn push(&mut self, ratio: f32) {
        self.ratios[usize::from(self.next)] = ratio;
        self.next = (self.next + 1) % KEPT as u8;
        self.len = (self.len + 1).min(KEPT as u8);
    }

    /// The median; of an even number of runs the lower one, because disturbances only make runs slower. If all runs
    /// were disturbed, the fastest, which was disturbed least.
    pub(crate) fn center(&self) -> f64 {
        if self.is_disturbed { self.quantile(0, 1) } else { self.quantile(1, 2) }
    }

    /// The spread of single runs: a standard deviation, estimated from the quartiles.
    pub(crate) fn spread(&self) -> f64 {
        let between_quartiles = self.quantile(3, 4) - self.quantile(1, 4);
        (QUARTILES_TO_SPREAD * between_quartiles).max(SPREAD_SINGLE / f64::from(self.len.max(1)))
    }

    fn quantile(&self, numerator: usize, denominator: usize) -> f64 {
        let mut sorted = self.ratios;
        let sorted = &mut sorted[..usize::from(self.len)];
        sorted.sort_unstable_by(f32::total_cmp);
        let place = sorted.len().saturating_sub(1) * numerator / denominator;
        sorted.get(place).map_or(0.0, |ratio| f64::from(*ratio))
    }

    /// Follows a change of the model: all ratios change by this.
    pub(crate) fn shift(&mut self, by: f64) {
        self.ratios.iter_mut().for_each(|ratio| *ratio += by as f32);
    }

    /// Keeps the median as a single run, so that new runs replace it soon.
    pub(crate) fn doubt(&mut self) {
        if !self.is_empty() {
            let center = self.center() as f32;
            (self.len, self.next) = (0, 0);
            self.push(center);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RunQuality::{Disturbed, Undisturbed};
    use super::*;

    fn timings(ratios: &[f64]) -> Timings {
        let mut timings = Timings::default();
        ratios.iter().for_each(|ratio| timings.record(*ratio, 1, Undisturbed));
        timings
    }

    #[test]
    fn four_outliers_of_nine_do_not_move_the_median() {
        for outlier in [-7.0, 7.0, 1e30, -1e30] {
            let seen = timings(&[0.1, outlier, 0.1, outlier, 0.1, outlier, 0.1, outlier, 0.1]);
            assert!((seen.center() - 0.1).abs() < 1e-6, "{outlier}");
        }
    }

    #[test]
    fn five_runs_replace_nine() {
        let mut seen = timings(&[0.0; 9]);
        (0..4).for_each(|_| seen.record(1.0, 1, Undisturbed));
        assert_eq!(seen.center(), 0.0);
        seen.record(1.0, 1, Undisturbed);
        assert_eq!(seen.center(), 1.0);
    }

    #[test]
    fn disturbed_runs_count_only_until_an_undisturbed_one() {
        let mut seen = Timings::default();
        [3.0, 2.0, 4.0].iter().for_each(|ratio| seen.record(*ratio, 1, Disturbed));
        assert_eq!((seen.center(), seen.runs(), seen.has_clean_runs()), (2.0, 3, false));
        seen.record(0.5, 1, Undisturbed);
        seen.record(9.0, 1, Disturbed);
        assert_eq!((seen.center(), seen.runs(), seen.has_clean_runs()), (0.5, 1, true));
    }

    #[test]
    fn lasting_changes_count_in_the_end() {
        let mut seen = timings(&[1.0; 9]);
        (1..KEPT).for_each(|_| seen.record(3.0, 1, Disturbed));
        assert_eq!(seen.center(), 1.0);
        seen.record(3.0, 1, Disturbed);
        assert_eq!(seen.center(), 3.0, "a device that stays slow is slow");
    }

    #[test]
    fn faster_runs_count_whatever_disturbed_them() {
        let mut seen = timings(&[1.0; 9]);
        seen.record(0.95, 1, Disturbed);
        assert_eq!((seen.center(), seen.runs()), (1.0, 9));
        seen.record(0.5, 1, Disturbed);
        assert_eq!((seen.center(), seen.runs(), seen.has_clean_runs()), (0.5, 2, true), "it has changed");
        seen.record(1.0, 1, Undisturbed);
        assert_eq!(seen.center(), 1.0, "and a wrong time is forgotten with the next run");
    }

    #[test]
    fn summaries_are_restored() {
        for (center, spread, runs) in [(0.3, 0.1, 9), (-2.0, 0.1, 3), (0.0, SPREAD_SINGLE, 1)] {
            let back = Timings::restored(center, spread, runs, 7);
            assert!((back.center() - center).abs() < 1e-5 && (back.spread() - spread).abs() < 1e-5, "{back:?}");
            assert_eq!((back.runs(), back.has_clean_runs()), (runs.min(RESTORED_RUNS), runs > 1));
        }
        for runs in [0, 1] {
            let mut disturbed = Timings::restored(0.7, SPREAD_SINGLE, runs, 7);
            assert_eq!((disturbed.runs(), disturbed.has_clean_runs()), (1, false));
            disturbed.record(0.9, 7, Undisturbed);
            assert!((disturbed.center() - 0.9).abs() < 1e-6, "an undisturbed run replaces it");
        }
    }

    #[test]
    fn doubt_keeps_the_median_and_lets_one_run_replace_it() {
        let mut seen = timings(&[0.4; 9]);
        seen.doubt();
        assert!((seen.center() - 0.4).abs() < 1e-6 && seen.spread() == SPREAD_SINGLE);
        seen.record(-0.4, 1, Undisturbed);
        assert!((seen.center() + 0.4).abs() < 1e-6, "disturbances only make runs slower");
    }
}
