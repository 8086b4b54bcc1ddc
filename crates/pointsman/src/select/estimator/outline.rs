//! [`Outline`]: what a kernel's cells on a device say of sizes that were measured seldom or never: factors that fit them
//! (`fit.rs`), and what those leave unexplained in the cells beside a size.

use super::cell::Cell;
use super::cells::{At, Cells};
use super::fit::{Fit, Point, Shares};
use super::learn::ArmLessons;

/// What a prediction is uncertain by for each half-octave to the next measured cell, and at most.
const SPREAD_PER_STEP: f64 = 0.04;
const SPREAD_FAR: f64 = 0.15;
/// After so many half-octaves half of what the fit leaves unexplained in a cell is still true.
const UNEXPLAINED_HALF: f64 = 8.0;
/// What is more than so many deviations from what kernels take there makes predictions uncertain by this part of it.
const ODD_DEVIATIONS: f64 = 2.0;
const ODD_SPREAD: f64 = 0.3;
/// A cell that was fitted with so many samples is fitted again only if its mean moves by this.
const FITTED_SAMPLES: f64 = 4.0;
const FITTED_APART: f64 = 0.05;

/// What cells say of other sizes, as they were when they were fitted.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    fit: Fit,
    spots: Cells<Spot>,
}

/// A cell as it was fitted.
#[derive(Clone, Copy, Debug)]
struct Spot {
    point: Point,
    count: f64,
    mean: f64,
    /// What the fit leaves unexplained.
    left: f64,
}

impl Outline {
    /// Of some cells; `shares` are the model's, asked for places that were not there before.
    pub(crate) fn of(
        arm: &ArmLessons,
        cells: &Cells<Cell>,
        before: Option<&Outline>,
        shares: impl Fn(At) -> Shares,
    ) -> Outline {
        let spot = |(at, cell): (At, &Cell)| {
            let old = before.and_then(|before| before.spots.get(at));
            let shares = old.map_or_else(|| shares(at), |old| old.point.shares);
            let spread = cell.spread_elsewhere(arm.noise);
            let point = Point { shares, x: cell.mean - arm.level(at), spread };
            (at, Spot { point, count: cell.count, mean: cell.mean, left: 0.0 })
        };
        let mut spots: Cells<Spot> = cells.iter().filter(|(_, cell)| cell.count > 0.0).map(spot).collect();
        let start = before.map_or_else(|| Fit::prior(arm.spread), |before| before.fit);
        let fit = start.to(arm.spread, spots.iter().map(|(_, spot)| &spot.point));
        for (_, spot) in spots.iter_mut() {
            spot.left = spot.point.x - fit.expect(spot.point.shares).0;
        }
        Outline { fit, spots }
    }

    /// Whether a cell is still what it was, so that nothing else is to be expected elsewhere.
    pub(crate) fn has(&self, at: At, cell: &Cell) -> bool {
        self.spots.get(at).is_some_and(|spot| {
            let is_known = spot.count >= FITTED_SAMPLES || cell.count < 2.0 * spot.count;
            is_known && (cell.mean - spot.mean).abs() < FITTED_APART
        })
    }

    /// The correction to expect at a place whose parts have these shares but for its own cell, and how uncertain that is.
    pub(crate) fn expect(&self, arm: &ArmLessons, at: At, shares: Shares) -> (f64, f64) {
        let (fitted, uncertain) = self.fit.expect(shares);
        let expected = arm.level(at) + fitted;
        match self.spots.beside(at, |spot| Some(spot.left)) {
            None => (expected, uncertain),
            Some(left) => {
                // What the fit leaves unexplained is true nearby, and between two that say so.
                let kept = if left.between { 1.0 } else { (-left.steps / UNEXPLAINED_HALF).exp2() };
                let far = (SPREAD_PER_STEP * left.steps).min(SPREAD_FAR);
                // Of a kernel that the model is so wrong about, who knows what it does elsewhere.
                let odd = ODD_SPREAD * (fitted.abs() - ODD_DEVIATIONS * arm.spread).max(0.0);
                let known = uncertain.hypot(far).min(arm.spread.max(SPREAD_FAR));
                (expected + kept * left.value, known.hypot(odd))
            }
        }
    }
}
