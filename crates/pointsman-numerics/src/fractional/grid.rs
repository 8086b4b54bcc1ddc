//! [`Grid`]: where the points of an axis lie.

use crate::error::{Error, Result};

/// Where the points of an axis lie. A number stands for a uniform grid with this step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Grid {
    /// t_j = j · step.
    Uniform {
        /// The distance of neighbours: positive and finite.
        step: f64,
    },
    /// t_j = start · ratio^j, for Hadamard derivatives; they do not depend on `start`.
    Logarithmic {
        /// The quotient of neighbours: greater than 1 and finite.
        ratio: f64,
    },
    /// t_j = end · (j/N)^exponent for points 0 to N: dense at 0, for solutions that behave as a power of t there. With
    /// exponent (2 − α)/α, a Caputo derivative of order α by L1 keeps its order 2 − α.
    Graded {
        /// The last point: positive and finite.
        end: f64,
        /// At least 1 and at most 20.
        exponent: f64,
    },
}

impl From<f64> for Grid {
    fn from(step: f64) -> Grid {
        Grid::Uniform { step }
    }
}

/// The greatest exponent of a graded grid: with 20, a thousand points reach down to 1e-60 of its end.
const EXPONENT_MAX: f64 = 20.0;

impl Grid {
    /// The points of an axis with this many points. A logarithmic grid starts at 1, the others at 0.
    ///
    /// ```
    /// use pointsman_numerics::fractional::Grid;
    ///
    /// assert_eq!(Grid::from(0.5).points(3), [0.0, 0.5, 1.0]);
    /// assert_eq!(Grid::Logarithmic { ratio: 2.0 }.points(4), [1.0, 2.0, 4.0, 8.0]);
    /// assert_eq!(Grid::Graded { end: 1.0, exponent: 2.0 }.points(3), [0.0, 0.25, 1.0]);
    /// ```
    #[must_use]
    pub fn points(self, count: usize) -> Vec<f64> {
        let point = |j: usize| match self {
            Grid::Uniform { step } => j as f64 * step,
            Grid::Logarithmic { ratio } => ratio.powf(j as f64),
            Grid::Graded { end, exponent } => end * (j as f64 / (count.max(2) - 1) as f64).powf(exponent),
        };
        (0..count).map(point).collect()
    }

    /// An error if a number is outside its domain.
    pub(crate) fn check(self, operation: &'static str) -> Result<()> {
        let domain = |argument, value, is_allowed, allowed| {
            if is_allowed { Ok(()) } else { Err(Error::Domain { operation, argument, value, allowed }) }
        };
        let positive = |value: f64| value.is_finite() && value > 0.0;
        match self {
            Grid::Uniform { step } => domain("step", step, positive(step), "positive and finite"),
            Grid::Logarithmic { ratio } => {
                domain("ratio", ratio, ratio.is_finite() && ratio > 1.0, "greater than 1 and finite")
            }
            Grid::Graded { end, exponent } => {
                domain("end of the grid", end, positive(end), "positive and finite")?;
                let is_allowed = (1.0..=EXPONENT_MAX).contains(&exponent);
                domain("exponent of the grid", exponent, is_allowed, "at least 1 and at most 20")
            }
        }
    }

    /// What the grid is, for errors.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Grid::Uniform { .. } => "a uniform grid",
            Grid::Logarithmic { .. } => "a logarithmic grid",
            Grid::Graded { .. } => "a graded grid",
        }
    }
}
