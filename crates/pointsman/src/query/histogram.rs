//! [`Query::histogram`]: counts of values by bins of equal width. In: a query of one column of numbers, a range and a
//! number of bins. Out: the counts. The rows are grouped by the number of their bin, and groups are counted.

use crate::data::element::Number;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::query::build;
use crate::query::control::select;
use crate::query::expr::{Expr, IntoExpr};
use crate::query::folds::count;
use std::ops::Range;
use std::panic::Location;

/// The most bins of a histogram: their numbers take 16 bits, and three numbers stand for values outside of all bins.
pub const HISTOGRAM_BINS_MAX: usize = u16::MAX as usize - 2;

/// The bins of values outside of all bins.
const BELOW: u16 = u16::MAX - 2;
const ABOVE: u16 = u16::MAX - 1;
const NAN: u16 = u16::MAX;

/// Counts of values by bins of equal width: [`Query::histogram`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    range: Range<f64>,
    counts: Vec<u64>,
    below: u64,
    above: u64,
    nans: u64,
    nulls: u64,
}

impl Histogram {
    /// The number of values in each bin, in order.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The ends of all bins, one more than there are bins. Bin `i` has the values from `edges()[i]` up to, and without,
    /// `edges()[i + 1]`, except for roundings of the last digit; the last bin has its upper end, too.
    pub fn edges(&self) -> Vec<f64> {
        let bins = self.counts.len() as f64;
        let edge = |at: usize| self.range.start + (self.range.end - self.range.start) * (at as f64 / bins);
        (0..=self.counts.len()).map(edge).collect()
    }

    /// The number of values below all bins.
    pub fn below(&self) -> u64 {
        self.below
    }

    /// The number of values above all bins; NaN is not among them.
    pub fn above(&self) -> u64 {
        self.above
    }

    /// The number of values that are NaN.
    pub fn nans(&self) -> u64 {
        self.nans
    }

    /// The number of rows without a value.
    pub fn nulls(&self) -> u64 {
        self.nulls
    }
}

impl<T: Number> Expr<T> {
    /// The number of the value's bin among bins of equal width, from 0; for [`histogram`](Query::histogram), and for
    /// histograms of groups. It is ⌊(x − low) · (bins ÷ (high − low))⌋ in double precision, at most that of the last bin.
    /// A value below the range has bin 65,533, one above 65,534, NaN 65,535; null stays null.
    ///
    /// ```
    /// # use pointsman::{Session, count};
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = Session::open()?;
    /// let (store, price) = ([7i64, 7, 8], [1.5f64, 1.75, 4.0]);
    /// let bins = s.from((&store, &price)).group_by(|(store, price)| (store, price.bin(0.0..4.0, 4)));
    /// let rows = bins.agg(|_| count()).sort_by(|((store, _), _)| store).collect()?;
    /// let ((store, bin), rows) = rows;
    /// assert_eq!((&store[..], &bin[..], &rows[..]), (&[7, 8][..], &[1, 3][..], &[2, 1][..]));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn bin(self, range: Range<f64>, bins: usize) -> Expr<u16> {
        let at = Location::caller();
        let scale = bins as f64 / (range.end - range.start);
        if !(1..=HISTOGRAM_BINS_MAX).contains(&bins) {
            let what = format!("there are no {bins} bins: give a number from 1 to {HISTOGRAM_BINS_MAX}");
            build::with_open(|builder| builder.fail(Error::invalid(what), at));
        }
        if !(scale.is_finite() && scale > 0.0) {
            let what =
                format!("there are no bins from {} to {}: give a finite range, low..high", range.start, range.end);
            build::with_open(|builder| builder.fail(Error::invalid(what), at));
        }
        let x = self.cast::<f64>();
        let low = range.start.into_expr();
        let inside = ((x - low) * scale).cast_saturating::<u16>().least(bins.saturating_sub(1) as u16);
        let above = select(x.is_nan(), NAN, ABOVE);
        // A null is neither: it stays null, as what is computed from it does.
        select(x.gt(range.end), above, select(x.lt(low), BELOW, inside))
    }
}

impl<T: Number> Query<'_, Expr<T>> {
    /// Runs the query and counts its values by bins of equal width, from `range.start` to `range.end`. The upper end
    /// belongs to the last bin. [`Expr::bin`] defines the bin of a value, and makes histograms of groups.
    ///
    /// On a CPU, each thread counts in memory of its own. Other devices cannot group rows yet.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let histogram = s.from(&[0.5f32, 1.5, 1.75, 2.0, 9.0]).histogram(0.0..2.0, 4)?;
    /// assert_eq!(histogram.counts(), [0, 1, 0, 3]);
    /// assert_eq!(histogram.edges(), [0.0, 0.5, 1.0, 1.5, 2.0]);
    /// assert_eq!(histogram.above(), 1);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn histogram(self, range: Range<f64>, bins: usize) -> Result<Histogram> {
        let counted = self.group_by(|x| x.bin(range.clone(), bins)).agg(|_| count()).collect();
        let (bin, rows) = counted?;
        let counts = vec![0; bins];
        let mut histogram = Histogram { range, counts, below: 0, above: 0, nans: 0, nulls: 0 };
        for (bin, rows) in bin.options().zip(rows.options()) {
            let place = match bin {
                None => &mut histogram.nulls,
                Some(BELOW) => &mut histogram.below,
                Some(ABOVE) => &mut histogram.above,
                Some(NAN) => &mut histogram.nans,
                Some(bin) => histogram
                    .counts
                    .get_mut(usize::from(bin))
                    .ok_or_else(|| Error::internal(format!("a value has bin {bin} of {bins}")))?,
            };
            *place += rows.unwrap_or(0);
        }
        Ok(histogram)
    }
}
