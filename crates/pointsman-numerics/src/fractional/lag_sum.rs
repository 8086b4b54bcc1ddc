//! [`LagSum`]: a sum over the points of an axis whose weights depend on the distance only, with a few corrections. Every
//! derivative and integral on a uniform grid with its full history is one.
//!
//! In: weights on the host, and arrays. Out: arrays. [`Prepared`] keeps the weights as the method needs them: as they are
//! for short sums, as their Fourier transform for long ones. Nothing here knows which derivative it computes.

use crate::array::Array;
use crate::convolve::faster;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::number::Real;
use crate::query::{Position, Reader, compute, with_positions};
use num_complex::Complex64;
use pointsman::plan::{Call, Convolve, Direction, Fft, Transform};
use pointsman::{Column, Expr, Lookup, Query, Session, lit, select};

/// The time of a predicted operation of a transform of whole axes, if one of a sum of products takes 1.
const WHOLE_TRANSFORM_COST: f64 = 0.3;
/// The time of the further query of a transform and of its shortest transforms, in operations of a sum of products: about
/// 20 µs, in which the sum does 6 operations a nanosecond.
const QUERIES_COST: f64 = 1.2e5;
/// Fewer weights than this part of the axis are convolved in blocks.
const BLOCKS_PART: usize = 4;
/// The shortest transform.
const LENGTH_MIN: usize = 64;

/// What is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// The numbers.
    Values,
    /// Each number minus the one before it; 0 at the first point.
    Differences,
    /// Second differences around each point; at both ends, the extrapolation of the next two. The axis has at least
    /// four points.
    SecondDifferences,
}

/// Which points a sum reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    /// Those before a point, and the point itself.
    Past,
    /// All, with equal weights on both sides.
    Both,
}

/// Adds `weights[n]` · Σ factor · x[index] at point n. An infinite weight times 0 counts as 0.
#[derive(Clone, Debug)]
pub(super) struct Correction {
    pub(super) weights: Vec<f64>,
    pub(super) numbers: Vec<(usize, f64)>,
}

/// The sum Σ weights[k] · operand[n − k], and its corrections.
#[derive(Clone, Debug)]
pub(super) struct LagSum {
    pub(super) operand: Operand,
    pub(super) sides: Sides,
    /// As many as the axis has points, or fewer: the others are 0.
    pub(super) weights: Vec<f64>,
    pub(super) corrections: Vec<Correction>,
    /// The factor of all of them.
    pub(super) factor: f64,
    /// What the sum is at the first point.
    pub(super) first: First,
}

/// What a sum with corrections is at the first point, before they are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    /// What the weights give.
    Summed,
    /// Exactly 0, without the rounding errors of a transform: the term of a Riemann–Liouville derivative is infinite there
    /// for every other number.
    Zero,
}

impl LagSum {
    /// A sum over the past without corrections.
    pub(super) fn past(operand: Operand, factor: f64, weights: Vec<f64>) -> LagSum {
        LagSum { operand, sides: Sides::Past, weights, corrections: Vec::new(), factor, first: First::Summed }
    }
}

/// How the weights are applied, and the weights as this takes them.
enum Applied<R: Real> {
    /// By a call of a convolution.
    Convolution { call: Convolve, weights: Lookup<R> },
    /// By transforms of whole axes, or planes: the transform of the weights.
    Spectrum { forward: Fft, inverse: Fft, weights: Column<R> },
}

/// A [`Correction`] with its weights as a column.
struct PreparedCorrection<R: Real> {
    weights: Column<R>,
    numbers: Vec<(usize, f64)>,
}

/// A lag sum that is ready for axes of one size.
pub(super) struct Prepared<R: Real> {
    operand: Operand,
    /// The factor of all weights, which are small enough for single precision.
    factor: f64,
    applied: Applied<R>,
    corrections: Vec<PreparedCorrection<R>>,
    first: First,
}

/// The sum of each number along the last axis, which is not empty, and those before it times weights: `weights[k]` for
/// the number k places before.
pub(crate) fn weighted_past<R: Real>(x: &Array<R>, weights: Vec<f64>) -> Result<Array<R>> {
    let size = weights.len();
    Prepared::new(x.session(), LagSum::past(Operand::Values, 1.0, weights), size)?.of(x, x.rank() - 1, 1.0)
}

/// The quotients of the numbers by a unit, a power of two, rounded to the type of a column.
fn rounded<R: Real>(mut values: Vec<f64>, unit: f64) -> Vec<R> {
    if unit != 1.0 {
        let inverse = 1.0 / unit;
        values.iter_mut().for_each(|value| *value *= inverse);
    }
    // Doubles stay where they are: fresh memory would take longer than the multiplication.
    bytemuck::allocation::try_cast_vec(values)
        .unwrap_or_else(|(_, values)| values.into_iter().map(R::from_f64).collect())
}

/// The greatest finite magnitude.
fn greatest(values: &[f64]) -> f64 {
    let greater = |most: f64, value: f64| {
        let size = value.abs();
        if size > most && size < f64::INFINITY { size } else { most }
    };
    // Several maxima at a time: each depends on the one before it.
    let (groups, rest) = values.as_chunks::<8>();
    let maxima = groups.iter().fold([0.0; 8], |maxima, group| std::array::from_fn(|i| greater(maxima[i], group[i])));
    maxima.iter().chain(rest).copied().fold(0.0, greater)
}

/// A power of two near the greatest finite magnitude.
fn unit<'a>(values: impl Iterator<Item = &'a [f64]>) -> f64 {
    let greatest = values.map(greatest).fold(0.0, f64::max);
    if greatest.is_normal() { greatest.log2().floor().exp2() } else { 1.0 }
}

/// A length of at least `shortest` that transforms fast: 4, 5 or 6 times a power of two.
fn fast_length(shortest: usize) -> usize {
    let shortest = shortest.max(LENGTH_MIN);
    let bits = shortest.ilog2() - 2;
    let lengths = [4, 5, 6, 8].map(|factor| factor << bits);
    lengths.into_iter().find(|&length| length >= shortest).unwrap_or(8 << bits)
}

/// The convolution that computes a sum of `count` weights over an axis of `size` points, by its sum.
fn convolution(size: usize, count: usize, sides: Sides) -> Convolve {
    let zeros = count as u64 - 1;
    let (count, after) = match sides {
        Sides::Past => (count as u64, 0),
        Sides::Both => (2 * zeros + 1, zeros),
    };
    let line = Convolve::line(size as u64, count);
    Convolve { direction: Direction::Convolution, padding: [[0, 0], [zeros, after]], ..line }
}

/// How to apply `count` weights to an axis of `size` points: a convolution, or `None` for transforms of whole axes.
fn chosen(size: usize, count: usize, sides: Sides) -> Option<Convolve> {
    let sum = convolution(size, count, sides);
    if count < size / BLOCKS_PART {
        return Some(Convolve { method: faster(sum), ..sum });
    }
    let fft = Call::from(Fft::real_forward(fast_length(size + count - 1) as u64));
    let by_transform = QUERIES_COST + 2.0 * WHOLE_TRANSFORM_COST * fft.operations();
    (Call::from(sum).operations() <= by_transform).then_some(sum)
}

impl<R: Real> Prepared<R> {
    /// Prepares a sum for axes of `size` points, at least 1.
    pub(super) fn new(session: &Session, sum: LagSum, size: usize) -> Result<Prepared<R>> {
        let LagSum { operand, sides, mut weights, corrections, factor, first } = sum;
        weights.truncate(size);
        let corrected = corrections.iter().map(|correction| &correction.weights[..]);
        let unit = unit(std::iter::once(&weights[..]).chain(corrected));
        let mut numbers: Vec<R> = rounded(weights, unit);
        let lags = numbers.len();
        let applied = match chosen(size, lags, sides) {
            Some(call) => {
                if sides == Sides::Both {
                    numbers = numbers[1..].iter().rev().chain(&numbers).copied().collect();
                }
                Applied::Convolution { call, weights: Lookup::of(&Column::from(numbers))? }
            }
            None => {
                let length = fast_length(size + lags - 1);
                if sides == Sides::Both {
                    numbers.resize(length, R::default());
                    (1..lags).for_each(|lag| numbers[length - lag] = numbers[lag]);
                }
                let count = numbers.len();
                let spectrum = Array::from_vec(session, numbers, &[count])?.rfft(0, length)?;
                let (points, length) = (size as u64, length as u64);
                Applied::Spectrum {
                    forward: Fft { given: points, ..Fft::real_forward(length) },
                    inverse: Fft { kept: points, ..Fft::real_inverse(length) },
                    weights: spectrum.into_column()?,
                }
            }
        };
        let corrections = corrections.into_iter().map(|Correction { weights, numbers }| {
            debug_assert_eq!(weights.len(), size);
            PreparedCorrection { weights: Column::from(rounded::<R>(weights, unit)), numbers }
        });
        Ok(Prepared { operand, factor: factor * unit, applied, corrections: corrections.collect(), first })
    }

    /// The multiplication of each frequency of a periodic function by a factor; of planes, if there is more than one row.
    pub(super) fn spectral(factors: &[Complex64], [rows, columns]: [usize; 2]) -> Prepared<R> {
        let unit = unit(std::iter::once(bytemuck::cast_slice(factors)));
        let parts: Vec<R> = rounded(bytemuck::cast_slice(factors).to_vec(), unit);
        let plane = |transform| Fft::plane(transform, rows as u64, columns as u64);
        let (forward, inverse) = (plane(Transform::RealForward), plane(Transform::RealInverse));
        let applied = Applied::Spectrum { forward, inverse, weights: Column::from(parts) };
        Prepared { operand: Operand::Values, factor: unit, applied, corrections: Vec::new(), first: First::Summed }
    }

    /// About how many bytes of memory it keeps.
    pub(super) fn bytes(&self) -> usize {
        let weights = match &self.applied {
            Applied::Convolution { call, .. } => call.weights[1] as usize,
            Applied::Spectrum { weights, .. } => weights.len(),
        };
        let corrections: usize = self.corrections.iter().map(|correction| correction.weights.len()).sum();
        (weights + corrections) * size_of::<R>()
    }

    /// `scale` times the sum, along an axis of the size that this was prepared for.
    pub(super) fn of(&self, x: &Array<R>, axis: usize, scale: f64) -> Result<Array<R>> {
        let (last, scale) = (x.rank() - 1, scale * self.factor);
        let lines = x.with_axis_moved(axis, last)?;
        let sums = self.sums(&lines, scale)?;
        let corrected = if self.corrections.is_empty() { sums } else { self.corrected(&sums, &lines, scale)? };
        corrected.with_axis_moved(last, axis)
    }

    /// `scale` times the result of a [`Prepared::spectral`] of planes, for the last two axes.
    pub(super) fn of_planes(&self, x: &Array<R>, scale: f64) -> Result<Array<R>> {
        self.sums(x, scale * self.factor)
    }

    /// The sums along the last axis.
    fn sums(&self, lines: &Array<R>, scale: f64) -> Result<Array<R>> {
        let layout = Layout::contiguous(lines.shape())?;
        let answer = match &self.applied {
            Applied::Convolution { call, weights } => {
                operands(lines, self.operand, scale)?.call(*call, weights).run()?
            }
            Applied::Spectrum { forward, inverse, weights } => {
                let (spectra, _) = operands(lines, self.operand, scale)?.call(*forward, None).run()?.into_parts();
                products(&lines.session, &spectra, weights)?.call(*inverse, None).run()?
            }
        };
        Ok(Array::from_answer(&lines.session, answer, layout))
    }

    /// The sums plus the corrections, both along the last axis.
    fn corrected(&self, sums: &Array<R>, lines: &Array<R>, scale: f64) -> Result<Array<R>> {
        let shape = lines.shape();
        let (last, points) = (shape.len() - 1, shape[shape.len() - 1]);
        let total = sums.reader()?;
        let mut corrections = Vec::new();
        for PreparedCorrection { weights, numbers } in &self.corrections {
            let weights = Reader::<R>::new(weights, &Layout::contiguous(&[points])?.broadcast_to(shape)?)?;
            let numbers = numbers.iter().map(|&(index, factor)| {
                let repeated = lines.layout.indexed(last, index)?.with_axis(last)?.broadcast_to(shape)?;
                Ok((Reader::<R>::new(&lines.column, &repeated)?, R::from_f64(factor * scale)))
            });
            corrections.push((weights, numbers.collect::<Result<Vec<_>>>()?));
        }
        with_positions!(lines.largest_row(), I => {
            compute::<I, _>(&lines.session, shape, |at: Expr<I>| {
                let sum = match self.first {
                    First::Summed => total.at(at),
                    First::Zero => {
                        let is_first = (at % lit(I::wrapping(points as isize))).eq(lit(I::from(0u32)));
                        select(is_first, lit(R::default()), total.at(at))
                    }
                };
                corrections.iter().fold(sum, |total, (weights, numbers)| {
                    let sum = numbers.iter().fold(lit(R::default()), |sum, (x, factor)| sum + x.at(at) * *factor);
                    let is_zero = sum.eq(lit(R::default()));
                    let corrected = total + select(is_zero, lit(R::default()), weights.at(at) * sum);
                    // Terms of the first point are infinite there, the earlier ones of higher order.
                    select(total.abs().eq(lit(R::from_f64(f64::INFINITY))), total, corrected)
                })
            })
        })
    }
}

/// A query over the scaled operands of the lines along the last axis.
fn operands<'a, R: Real>(lines: &'a Array<R>, operand: Operand, scale: f64) -> Result<Query<'a, Expr<R>>> {
    let given = scale;
    let scale = R::from_f64(given);
    if !scale.into().is_finite() {
        let allowed = "small enough for the type of the numbers: take longer steps or a smaller order";
        let argument = "scale of the sum, the step to the power of the order,";
        return Err(Error::Domain { operation: "a fractional operator", argument, value: given, allowed });
    }
    let points = lines.shape()[lines.rank() - 1];
    if operand == Operand::Values {
        return Ok(lines.rows()?.map(|x| x * scale));
    }
    let x = lines.reader()?;
    let is_one_line = lines.len() == points;
    Ok(with_positions!(lines.largest_row(), I => {
        lines.session.from(I::rows(lines.len())).map(|at: Expr<I>| {
            let [zero, one] = [0u32, 1].map(|number| lit(I::from(number)));
            let index = if is_one_line { at } else { at % lit(I::wrapping(points as isize)) };
            let number = match operand {
                Operand::Values => x.at(at),
                Operand::Differences => x.at(at) - x.at(select(index.eq(zero), at, at - one)),
                Operand::SecondDifferences => second_difference(&x, at, index, I::wrapping(points as isize)),
            };
            number * scale
        })
    }))
}

/// The second difference around a point, extrapolated from two others at both ends.
fn second_difference<I: Position, R: Real>(x: &Reader<R>, at: Expr<I>, index: Expr<I>, points: I) -> Expr<R> {
    let [one, two] = [1u32, 2].map(|number| lit(I::from(number)));
    let around = |at: Expr<I>| x.at(at + one) - x.at(at) * R::from_f64(2.0) + x.at(at - one);
    let is_first = index.eq(lit(I::from(0u32)));
    let is_last = (index + one).eq(lit(points));
    let inner = select(is_first, at + one, select(is_last, at - one, at));
    let further = select(is_first, at + two, select(is_last, at - two, at));
    let near = around(inner);
    near + select(inner.eq(further), lit(R::default()), near - around(further))
}

/// A query over the products of the spectra with that of the weights. A row has one part of a complex number, and the row
/// beside it the other: each row reads both parts of both numbers.
fn products<'a, R: Real>(
    session: &'a Session,
    spectra: &'a Column<R>,
    weights: &'a Column<R>,
) -> Result<Query<'a, Expr<R>>> {
    let (spectrum, weight) = (Lookup::of(spectra)?, Lookup::of(weights)?);
    let (rows, width) = (spectra.len(), weights.len());
    Ok(with_positions!(rows, I => {
        let one = I::from(1u32);
        let product = |row: Expr<I>, x: Expr<R>, place: Expr<I>, w: Expr<R>| {
            let (other_x, other_w) = (spectrum.at(row ^ lit(one)), weight.at(place ^ lit(one)));
            let is_imaginary = (row & lit(one)).eq(lit(one));
            select(is_imaginary, x * other_w + other_x * w, x * w - other_x * other_w)
        };
        if rows == width {
            session.from((I::rows(rows), spectra, weights)).map(|(row, x, w)| product(row, x, row, w))
        } else {
            let width = I::wrapping(width as isize);
            session.from((I::rows(rows), spectra)).map(|(row, x)| {
                let place = row % lit(width);
                product(row, x, place, weight.at(place))
            })
        }
    }))
}
