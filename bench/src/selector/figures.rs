//! What choices lost: the oracle's time against the chosen, both without noise, summed and as a mean over cells.

/// Times of the oracle and of what was chosen, call by call or cell by cell.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    oracle: f64,
    chosen: f64,
    /// Sum of the logarithms of oracle / chosen.
    logarithms: f64,
    count: f64,
    worst: f64,
    near: f64,
}

/// A cell within this of the oracle is a good choice.
pub const NEAR: f64 = 1.2;

impl Tally {
    /// Adds a choice.
    pub fn add(&mut self, oracle: f64, chosen: f64) {
        self.oracle += oracle;
        self.chosen += chosen;
        self.logarithms += (oracle / chosen).ln();
        self.count += 1.0;
        self.worst = self.worst.max(chosen / oracle);
        self.near += if chosen <= NEAR * oracle { 1.0 } else { 0.0 };
    }

    /// Σ oracle / Σ chosen, 1 at best.
    pub fn sum(&self) -> f64 {
        self.oracle / self.chosen
    }

    /// The geometric mean of oracle / chosen, 1 at best.
    pub fn mean(&self) -> f64 {
        (self.logarithms / self.count).exp()
    }

    /// The largest chosen / oracle.
    pub fn worst(&self) -> f64 {
        self.worst
    }

    /// The share of choices within [`NEAR`].
    pub fn near(&self) -> f64 {
        self.near / self.count
    }

    /// Whether both figures are within [`NEAR`] of the oracle.
    pub fn is_near(&self) -> bool {
        self.sum() * NEAR >= 1.0 && self.mean() * NEAR >= 1.0
    }
}

/// Whether more or less of a figure is better, and what it must reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
    /// Told, not judged.
    None,
}

impl Bar {
    /// Whether a figure meets it.
    pub fn is_met(self, figure: f64) -> bool {
        match self {
            Bar::AtLeast(bar) => figure >= bar,
            Bar::AtMost(bar) => figure <= bar,
            Bar::None => true,
        }
    }
}

/// The figures that a scenario gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Σ oracle / Σ chosen over the first calls.
    ColdSum,
    /// The geometric mean over them.
    ColdMean,
    /// Σ oracle / Σ chosen over all cells, after many calls.
    WarmSum,
    /// The geometric mean over them.
    WarmMean,
    /// The worst of those cells, chosen / oracle.
    WorstCell,
    /// The part of the time that went to calls made to learn.
    Exploration,
    /// The part of the time that those calls lost.
    ExplorationLoss,
    /// Calls after a device changed until the choices that were for it are near the oracle again, taken together.
    Recovery,
    /// The share of those cells that are near the oracle fifty calls after the change.
    NearAfter50,
    /// Calls sent to a device that was closed.
    ToClosed,
}

impl Figure {
    /// Every figure, in the order of the tables.
    pub const ALL: [Figure; 10] = [
        Figure::ColdSum,
        Figure::ColdMean,
        Figure::WarmSum,
        Figure::WarmMean,
        Figure::WorstCell,
        Figure::Exploration,
        Figure::ExplorationLoss,
        Figure::Recovery,
        Figure::NearAfter50,
        Figure::ToClosed,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Figure::ColdSum => "cold Σ",
            Figure::ColdMean => "cold mean",
            Figure::WarmSum => "warm Σ",
            Figure::WarmMean => "warm mean",
            Figure::WorstCell => "worst cell",
            Figure::Exploration => "exploring",
            Figure::ExplorationLoss => "lost by it",
            Figure::Recovery => "recovered after",
            Figure::NearAfter50 => "near after 50",
            Figure::ToClosed => "to the closed",
        }
    }

    /// What it must reach.
    pub fn bar(self) -> Bar {
        match self {
            Figure::ColdSum | Figure::ColdMean => Bar::AtLeast(0.95),
            Figure::WarmSum | Figure::WarmMean => Bar::AtLeast(0.99),
            Figure::WorstCell => Bar::AtMost(NEAR),
            Figure::Exploration => Bar::AtMost(0.01),
            Figure::Recovery => Bar::AtMost(50.0),
            Figure::ToClosed => Bar::AtMost(0.0),
            Figure::ExplorationLoss | Figure::NearAfter50 => Bar::None,
        }
    }

    /// A value for people.
    pub fn show(self, value: f64) -> String {
        match self {
            Figure::ColdSum | Figure::ColdMean | Figure::WarmSum | Figure::WarmMean | Figure::NearAfter50 => {
                format!("{:.1} %", 100.0 * value)
            }
            Figure::Exploration | Figure::ExplorationLoss => format!("{:.2} %", 100.0 * value),
            Figure::WorstCell => format!("{value:.2}×"),
            Figure::Recovery if value.is_infinite() => "never".to_string(),
            Figure::Recovery | Figure::ToClosed => format!("{value:.0}"),
        }
    }

    /// Of the values of all seeds: the median and the worst.
    pub fn median_and_worst(self, values: &[f64]) -> (f64, f64) {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let more_is_better = match self {
            Figure::ColdSum | Figure::ColdMean | Figure::WarmSum | Figure::WarmMean | Figure::NearAfter50 => true,
            Figure::WorstCell | Figure::Exploration | Figure::ExplorationLoss => false,
            Figure::Recovery | Figure::ToClosed => false,
        };
        if more_is_better {
            values.reverse();
        }
        let last = values.len().saturating_sub(1);
        // Of an even number the worse of the two in the middle.
        (values[values.len() / 2], values[last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_cell_does_not_hide_the_small_ones() {
        let mut tally = Tally::default();
        tally.add(1e9, 1e9);
        tally.add(1.0, 4.0);
        assert!(
            tally.sum() > 0.999 && (tally.mean() - 0.5).abs() < 1e-12 && tally.worst() == 4.0 && tally.near() == 0.5
        );
        assert!(!tally.is_near());
    }

    #[test]
    fn the_worst_is_on_the_bad_side() {
        assert_eq!(Figure::WarmSum.median_and_worst(&[0.9, 0.99, 0.97]), (0.97, 0.9));
        assert_eq!(Figure::WorstCell.median_and_worst(&[1.0, 3.0, 2.0, 1.5]), (2.0, 3.0));
    }
}
