//! A block of steps as one query: a row per trajectory, all steps of the block unrolled.
//!
//! A row reads what earlier blocks contribute, adds the products of the block's own values and their weights, and
//! evaluates the right-hand side. Times and weights are run-time parameters, so that every block of a length runs the
//! same kernel.

use super::super::error::OdeError;
use super::super::limits::RunningLimits;
use super::history::Rules;
use super::{Keep, RateExpr, StepRange};
use crate::array::Array;
use crate::error::Error;
use crate::layout::Layout;
use crate::query::{Position, compute, with_positions};
use pointsman::{Column, Expr, IntoExpr, Lookup, select};
use std::ops::Range;

/// The steps of a block.
pub(super) const BLOCK: usize = 8;

/// What all blocks need.
pub(super) struct Blocks<'b, const D: usize, const P: usize> {
    pub(super) initial: Array<f64>,
    pub(super) slopes: Option<Array<f64>>,
    pub(super) parameters: Array<f64>,
    /// Those of each equation.
    pub(super) rules: &'b [Rules],
    pub(super) corrections: usize,
    pub(super) span: Range<f64>,
    pub(super) step: f64,
    pub(super) rate: &'b RateExpr<'b, D, P>,
}

/// An expression per step and equation.
type StepExprs<const D: usize, const C: usize> = [[Expr<f64>; C]; D];
/// A column per step and equation.
type StepColumns<const D: usize, const C: usize> = [[Column<f64>; C]; D];

/// The numbers of a matrix in a row, by column.
struct RowReader {
    lookup: Lookup<f64>,
    layout: Layout,
}

impl RowReader {
    fn new(array: &Array<f64>) -> Result<RowReader, Error> {
        Ok(RowReader { lookup: Lookup::of(&array.column)?, layout: array.layout.clone() })
    }

    /// The number in the row of the first axis, at these indices of the others.
    fn at<I: Position>(&self, row: Expr<I>, indices: &[usize]) -> Expr<f64> {
        self.lookup.at(place(&self.layout, row, indices))
    }
}

/// The place of the number in the row of the first axis, at these indices of the others.
fn place<I: Position>(layout: &Layout, row: Expr<I>, indices: &[usize]) -> Expr<I> {
    let Layout { strides, offset, .. } = layout;
    let others: isize = indices.iter().zip(&strides[1..]).map(|(&index, stride)| index as isize * stride).sum();
    row * I::wrapping(strides[0]) + I::wrapping(*offset as isize + others)
}

/// The arrays that a block reads.
struct Readers<const D: usize> {
    initial: RowReader,
    slopes: Option<RowReader>,
    parameters: Option<RowReader>,
    first: Vec<RowReader>,
    history: Option<Vec<RowReader>>,
}

impl<const D: usize, const P: usize> Blocks<'_, D, P> {
    /// The time after so many steps.
    pub(super) fn time(&self, steps: usize) -> f64 {
        self.span.start + steps as f64 * self.step
    }

    fn trajectories(&self) -> usize {
        self.initial.shape()[0]
    }

    fn readers(&self, first: &[Array<f64>], history: Option<&[Array<f64>]>) -> Result<Readers<D>, Error> {
        let all = |arrays: &[Array<f64>]| arrays.iter().map(RowReader::new).collect::<Result<Vec<_>, _>>();
        Ok(Readers {
            initial: RowReader::new(&self.initial)?,
            slopes: self.slopes.as_ref().map(RowReader::new).transpose()?,
            // Without parameters there is no column to read.
            parameters: if P == 0 { None } else { Some(RowReader::new(&self.parameters)?) },
            first: all(first)?,
            history: history.map(all).transpose()?,
        })
    }

    fn parameters<I: Position>(readers: &Readers<D>, row: Expr<I>) -> [Expr<f64>; P] {
        std::array::from_fn(|i| match &readers.parameters {
            Some(parameters) => parameters.at(row, &[i]),
            None => 0.0.into_expr(),
        })
    }

    /// The greatest row number of the arrays that a query reads. Every other one has a row per trajectory.
    fn largest_row(&self, history: Option<&[Array<f64>]>) -> usize {
        let handed_in = [&self.initial, &self.parameters].into_iter().chain(&self.slopes);
        handed_in.chain(history.into_iter().flatten()).map(Array::largest_row).fold(0, usize::max)
    }

    /// The right-hand sides at the start: a column per equation.
    pub(super) fn first(&self, limits: &RunningLimits) -> Result<Vec<Array<f64>>, OdeError> {
        let readers = self.readers(&[], None)?;
        let session = self.initial.session();
        let columns = with_positions!(self.largest_row(None), I => {
            let query = session.from(I::rows(self.trajectories())).map(|row| {
                let state = std::array::from_fn(|i| readers.initial.at(row, &[i]));
                (self.rate)(self.span.start.into_expr(), state, Self::parameters(&readers, row))
            });
            limits.limited(query).run()
        });
        let columns = columns.map_err(|error| OdeError::of_query(error, self.span.start))?.into_value();
        columns.into_iter().map(|column| self.matrix(&[column]).map_err(OdeError::from)).collect()
    }

    /// Computes the steps of a block.
    pub(super) fn run(
        &self,
        steps: Range<usize>,
        first: &[Array<f64>],
        history: Option<&[Array<f64>]>,
        keep: Keep,
        limits: &RunningLimits,
    ) -> Result<StepRange, OdeError> {
        let (readers, largest) = (self.readers(first, history)?, self.largest_row(history));
        macro_rules! lengths {
            ($($length:literal)*) => {
                match steps.len() {
                    $($length => self.run_length::<$length>(steps, &readers, largest, keep, limits),)*
                    _ => self.run_length::<BLOCK>(steps, &readers, largest, keep, limits),
                }
            };
        }
        lengths!(1 2 3 4 5 6 7)
    }

    fn run_length<const C: usize>(
        &self,
        steps: Range<usize>,
        readers: &Readers<D>,
        largest: usize,
        keep: Keep,
        limits: &RunningLimits,
    ) -> Result<StepRange, OdeError> {
        let session = self.initial.session();
        let answer = with_positions!(largest, I => {
            let query = session.from(I::rows(self.trajectories())).map(|row| self.steps::<I, C>(&steps, readers, row));
            limits.limited(query).run()
        });
        let answer = answer.map_err(|error| OdeError::of_query(error, self.time(steps.start)))?;
        let (states, values): (StepColumns<D, C>, StepColumns<D, C>) = answer.into_value();
        let values = values.iter().map(|columns| self.matrix(columns)).collect::<Result<_, _>>()?;
        let kept = |columns: &[Column<f64>; C]| match keep {
            Keep::All => self.matrix(columns),
            Keep::Last => self.matrix(&columns[C - 1..]),
        };
        let states = states.iter().map(kept).collect::<Result<_, _>>()?;
        Ok(StepRange { values: Some(values), states })
    }

    /// The states and the right-hand sides of a row after each step.
    fn steps<I: Position, const C: usize>(
        &self,
        steps: &Range<usize>,
        readers: &Readers<D>,
        row: Expr<I>,
    ) -> (StepExprs<D, C>, StepExprs<D, C>) {
        let parameters = Self::parameters(readers, row);
        let equations: [usize; D] = std::array::from_fn(|i| i);
        // The weights of the block's own values, by rule and lag; each is one parameter of the query.
        let weights = equations.map(|i| {
            [0, 1].map(|rule| (0..C).map(|lag| self.rules[i].weights[rule][lag].into_expr()).collect::<Vec<_>>())
        });
        let initial = equations.map(|i| readers.initial.at(row, &[i]));
        let first = equations.map(|i| readers.first[i].at(row, &[0]));
        let (mut states, mut values) = (Vec::with_capacity(C), Vec::<[Expr<f64>; D]>::with_capacity(C));
        for k in 0..C {
            let n = steps.start + k + 1;
            let elapsed =
                if n + 1 == self.rules[0].start.len() { self.span.end - self.span.start } else { n as f64 * self.step };
            let time = (self.span.start + elapsed).into_expr();
            let known = equations.map(|i| {
                let taylor = match &readers.slopes {
                    Some(slopes) if self.rules[i].has_slope => initial[i] + slopes.at(row, &[i]) * elapsed,
                    Some(_) | None => initial[i],
                };
                let rules = &self.rules[i];
                [rules.weights[0][n], rules.start[n]].map(|weight| first[i] * weight + taylor)
            });
            let sums = equations.map(|i| {
                [0, 1].map(|rule| {
                    let early = match &readers.history {
                        Some(history) => history[i].at(row, &[rule, k]) + known[i][rule],
                        None => known[i][rule],
                    };
                    (0..k).fold(early, |sum, j| values[j][i] * weights[i][rule][k - j] + sum)
                })
            });
            let mut state = equations.map(|i| sums[i][0]);
            let mut value = (self.rate)(time, state, parameters);
            for _ in 0..self.corrections {
                state = equations.map(|i| value[i] * weights[i][1][0] + sums[i][1]);
                value = (self.rate)(time, state, parameters);
            }
            states.push(state);
            values.push(value);
        }
        let turned = |list: &[[Expr<f64>; D]]| equations.map(|i| std::array::from_fn(|k| list[k][i]));
        (turned(&states), turned(&values))
    }

    /// A matrix with a row per trajectory of columns, one per step.
    fn matrix(&self, columns: &[Column<f64>]) -> Result<Array<f64>, Error> {
        let (session, rows, width) = (self.initial.session(), self.trajectories(), columns.len());
        if let [column] = columns {
            return Array::from_column(session, column.clone(), &[rows, 1]);
        }
        let columns: Vec<Lookup<f64>> = columns.iter().map(Lookup::of).collect::<Result<_, _>>()?;
        with_positions!(rows * width, I => {
            compute::<I, _>(session, &[rows, width], |position| {
                let size = I::wrapping(width as isize);
                let row = position / size;
                let number = position - row * size;
                let last = columns[width - 1].at(row);
                columns[..width - 1].iter().enumerate().rev().fold(last, |chosen, (k, column)| {
                    select(number.eq(I::wrapping(k as isize)), column.at(row), chosen)
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::query::largest_row;
    use pointsman::Session;

    /// The history of a long range is a view of sums that have twice as many steps: around 2^32 rows of them, row numbers
    /// get 64 bits exactly where they must, and the last places that a block reads are right. No column is made.
    #[test]
    fn histories_beyond_32_bits_are_read_at_their_places() {
        let session = Session::open().unwrap();
        for (trajectories, length) in
            [(1 << 20, 1 << 10), ((1 << 20) - 1, 1 << 10), (1_048_577, 1024), (3, 357_913_942)]
        {
            for rest in [1, 8, length] {
                let rows = 4 * trajectories * length;
                let whole = Layout::contiguous(&[trajectories, 2, 2 * length]).unwrap();
                let layout = Layout { shape: vec![trajectories, 2, rest], offset: length, ..whole };
                let largest = largest_row(rows, &layout);
                let is_wide = with_positions!(largest, I => size_of::<I>() == 8);
                assert_eq!(is_wide, rows > u32::MAX as usize, "{trajectories} x {length}");
                let last = trajectories - 2;
                let found: Vec<String> = with_positions!(largest, I => {
                    let places = session.from(I::rows(2)).map(|row| {
                        let row = row + I::wrapping(last as isize);
                        place(&layout, row, &[1, rest - 1])
                    });
                    places.to_vec().unwrap().iter().map(ToString::to_string).collect()
                });
                let expected =
                    [last, last + 1].map(|row| (row * 4 * length + 2 * length + length + rest - 1).to_string());
                assert_eq!(found, expected, "{trajectories} x {length}, {rest} steps");
            }
        }
    }
}
