//! The contribution of a range of steps to the steps after it, for all trajectories at once.

use super::super::error::OdeError;
use super::super::memory::ProblemSize;
use super::super::weights::Weights;
use crate::array::Array;
use crate::error::Error;
use crate::layout::Layout;
use crate::query::{Position, Reader, compute, with_positions};
use num_complex::Complex;
use pointsman::select;
use std::collections::BTreeMap;

/// Longer ranges are transformed: for M trajectories, a product takes 4·M·L² operations and transforms about
/// 25·M·L·log2(L), but products run at many times their rate.
const PRODUCT_MAX: usize = 512;

/// The scaled weights of an order, by lag.
pub(super) struct Rules {
    /// Those of the rectangle rule and of the trapezoidal rule. Lag 0 is the newest value.
    pub(super) weights: [Vec<f64>; 2],
    /// The weights of the first value in the trapezoidal rule, by step.
    pub(super) start: Vec<f64>,
    /// Whether the order is above 1, so that the initial slope counts.
    pub(super) has_slope: bool,
}

impl Rules {
    pub(super) fn new(order: f64, step: f64, size: ProblemSize) -> Result<Rules, OdeError> {
        let weights = Weights::new(order);
        let (rectangle, trapezoid) = (weights.rectangle_factor(step), weights.trapezoid_factor(step));
        Ok(Rules {
            weights: [
                size.by_step(0.0, |lag| rectangle * weights.rectangle(lag))?,
                size.by_step(trapezoid, |lag| trapezoid * weights.trapezoid(lag))?,
            ],
            start: size.by_step(0.0, |n| trapezoid * weights.trapezoid_start(n))?,
            has_slope: order > 1.0,
        })
    }

    /// A weight; zero beyond the last step.
    fn weight(&self, rule: usize, lag: usize) -> f64 {
        self.weights[rule].get(lag).copied().unwrap_or(0.0)
    }
}

/// The weights of an order as operands of products and transforms, each made once.
#[derive(Default)]
pub(super) struct RuleTables {
    /// By the steps of both ranges.
    products: BTreeMap<[usize; 2], Array<f64>>,
    /// Half spectra of both rules, by the steps of the earlier range.
    spectra: BTreeMap<usize, Array<Complex<f64>>>,
}

impl RuleTables {
    /// What the values of L steps, a row per trajectory, add to the sums of both rules for the `rest` ≤ L steps after
    /// them: an array with the axes trajectory, rule and step.
    pub(super) fn contribution(
        &mut self,
        rules: &Rules,
        values: &Array<f64>,
        rest: usize,
    ) -> Result<Array<f64>, Error> {
        let (trajectories, length) = (values.shape()[0], values.shape()[1]);
        if length > PRODUCT_MAX {
            let spectrum = self.spectrum(rules, values, length)?;
            let products = (&values.rfft(1, 2 * length)?.insert_axis(1)? * &spectrum)?;
            // Places from L on have no part of the circular end: the last lag is below 2L.
            return products.irfft(2, 2 * length)?.slice(2, length..length + rest, 1);
        }
        values.matmul(&self.product(rules, values, rest)?)?.reshape(&[trajectories, 2, rest])
    }

    /// The matrix of the weights from each earlier step to each rule and later step.
    fn product(&mut self, rules: &Rules, values: &Array<f64>, rest: usize) -> Result<Array<f64>, Error> {
        let length = values.shape()[1];
        if let Some(matrix) = self.products.get(&[length, rest]) {
            return Ok(matrix.clone());
        }
        let row = |early: usize| {
            (0..2).flat_map(move |rule| (0..rest).map(move |late| rules.weight(rule, length + late - early)))
        };
        let weights = (0..length).flat_map(row).collect();
        let matrix = Array::from_vec(values.session(), weights, &[length, 2 * rest])?;
        self.products.insert([length, rest], matrix.clone());
        Ok(matrix)
    }

    /// The spectra of the weights of both rules from lag 0 to 2L − 1.
    fn spectrum(&mut self, rules: &Rules, values: &Array<f64>, length: usize) -> Result<Array<Complex<f64>>, Error> {
        if let Some(spectrum) = self.spectra.get(&length) {
            return Ok(spectrum.clone());
        }
        let weights = (0..2).flat_map(|rule| (0..2 * length).map(move |lag| rules.weight(rule, lag))).collect();
        let spectrum = Array::from_vec(values.session(), weights, &[2, 2 * length])?.rfft(1, None)?;
        self.spectra.insert(length, spectrum.clone());
        Ok(spectrum)
    }
}

/// The columns of one matrix, followed by those of another one with as many rows.
pub(super) fn join(left: &Array<f64>, right: &Array<f64>) -> Result<Array<f64>, Error> {
    let (rows, widths) = (left.shape()[0], [left.shape()[1], right.shape()[1]]);
    let width = widths[0] + widths[1];
    let places =
        |array: &Array<f64>| -> Result<(Reader<f64>, Layout), Error> { Ok((array.reader()?, array.layout.clone())) };
    let (left_reader, left_layout) = places(left)?;
    let (right_reader, right_layout) = places(right)?;
    let largest = left.largest_row().max(right.largest_row()).max(rows * width);
    with_positions!(largest, I => {
        compute::<I, _>(left.session(), &[rows, width], |position| {
            let size = I::wrapping(width as isize);
            let row = position / size;
            let column = position - row * size;
            let place = |layout: &Layout, skipped: usize| {
                let start = layout.offset as isize - skipped as isize * layout.strides[1];
                row * I::wrapping(layout.strides[0]) + column * I::wrapping(layout.strides[1]) + I::wrapping(start)
            };
            let first = left_reader.at_row(place(&left_layout, 0));
            let second = right_reader.at_row(place(&right_layout, widths[0]));
            select(column.lt(I::wrapping(widths[0] as isize)), first, second)
        })
    })
}
