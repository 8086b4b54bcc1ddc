//! [`Array::convolve`] and [`Array::correlate`]: convolutions of lines and planes, with channels or without, as one
//! call of a query. Those of complex numbers are real ones with twice the channels: the products of real and imaginary
//! parts are sums over channels.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::{Layout, count};
use crate::number::{Number, Real};
use num_complex::Complex;
use pointsman::plan::{Call, Convolve, Direction, Method};
use pointsman::{Column, Lookup};

/// The time that an operation of a transform takes, if one of a sum of products takes 1. Measured on a core with AVX-512:
/// 1.5 to 3 for planes, 2 to 5 for lines, 5 to 7.5 with channels.
const TRANSFORM_OPERATION_COST: f64 = 4.0;

/// The places of a convolution that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvolveMode {
    /// All places where a weight meets a number: `n + m − 1` of `n` numbers and `m` weights.
    Full,
    /// As many places as there are numbers, from the middle of [`ConvolveMode::Full`].
    Same,
    /// The places where all weights meet numbers: `n − m + 1`.
    Valid,
}

impl ConvolveMode {
    /// Zeros before and after `n` numbers, for this many weights.
    pub(crate) fn padding(self, weights: usize) -> [u64; 2] {
        let around = weights as u64 - 1;
        match self {
            ConvolveMode::Full => [around; 2],
            ConvolveMode::Same => [around.div_ceil(2), around / 2],
            ConvolveMode::Valid => [0; 2],
        }
    }
}

/// A convolution of lines or planes: the axes that it takes from the array and from the weights.
struct Sizes {
    channels_in: usize,
    channels_out: usize,
    input: [usize; 2],
    weights: [usize; 2],
}

impl<R: Real> Array<R> {
    /// The convolution with weights: at each place, the sum of the weights times the numbers around it, with the
    /// weights in reverse order. Numbers beyond the ends count as zero. The axes of the weights decide what is
    /// convolved:
    ///
    /// | weights | array | result |
    /// | --- | --- | --- |
    /// | `[m]` | `[…, n]` | `[…, n′]` |
    /// | `[p, q]` | `[…, h, w]` | `[…, h′, w′]` |
    /// | `[out, in, m]` | `[…, in, n]` | `[…, out, n′]`, sums over the channels `in` |
    /// | `[out, in, p, q]` | `[…, in, h, w]` | `[…, out, h′, w′]`, sums over the channels `in` |
    ///
    /// It is computed by sums of products or by Fourier transforms, whichever has the smaller predicted cost.
    ///
    /// ```
    /// use pointsman_numerics::{Array, ConvolveMode, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let signal = Array::from_slice(&session, &[1.0, 2.0, 4.0], &[3])?;
    /// let weights = Array::from_slice(&session, &[1.0, -1.0], &[2])?;
    /// assert_eq!(signal.convolve(&weights, ConvolveMode::Full)?.to_vec()?, [1.0, 1.0, 2.0, -4.0]);
    /// assert_eq!(signal.convolve(&weights, ConvolveMode::Same)?.to_vec()?, [1.0, 1.0, 2.0]);
    /// assert_eq!(signal.convolve(&weights, ConvolveMode::Valid)?.to_vec()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn convolve(&self, weights: &Array<R>, mode: ConvolveMode) -> Result<Array<R>> {
        self.convolve_by(weights, mode, Direction::Convolution, None)
    }

    /// The correlation with weights: like [`Array::convolve`], but with the weights in their order. Neural networks
    /// call it a convolution.
    ///
    /// ```
    /// use pointsman_numerics::{Array, ConvolveMode, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let images = Array::<f32>::ones(&session, &[8, 3, 16, 16])?;
    /// let weights = Array::<f32>::ones(&session, &[10, 3, 5, 5])?;
    /// let features = images.correlate(&weights, ConvolveMode::Valid)?;
    /// assert_eq!(features.shape(), [8, 10, 12, 12]);
    /// assert_eq!(features.max()?, 75.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn correlate(&self, weights: &Array<R>, mode: ConvolveMode) -> Result<Array<R>> {
        self.convolve_by(weights, mode, Direction::Correlation, None)
    }

    /// [`Array::convolve`] or [`Array::correlate`] by this method; without one, by the method with the smaller
    /// predicted cost.
    pub fn convolve_by(
        &self,
        weights: &Array<R>,
        mode: ConvolveMode,
        direction: Direction,
        method: impl Into<Option<Method>>,
    ) -> Result<Array<R>> {
        self.convolve_padded(weights, |sides| sides.map(|size| mode.padding(size)), direction, method.into())
    }

    /// The convolution of the array with zeros around it; `padding` says how many, from the sizes of the weights.
    pub(crate) fn convolve_padded(
        &self,
        weights: &Array<R>,
        padding: impl FnOnce([usize; 2]) -> [[u64; 2]; 2],
        direction: Direction,
        method: Option<Method>,
    ) -> Result<Array<R>> {
        let (convolve, shape) = self.plan_convolution(weights, padding, direction)?;
        if count(&shape)? == 0 {
            return Array::zeros(&self.session, &shape);
        }
        let convolve = Convolve { method: method.unwrap_or_else(|| faster(convolve)), ..convolve };
        let weights = Lookup::of(&weights.clone().into_column()?)?;
        let answer = self.rows()?.call(convolve, &weights).run()?;
        Ok(Array::from_answer(&self.session, answer, Layout::contiguous(&shape)?))
    }
}

impl<R: Real> Array<Complex<R>> {
    /// The convolution with complex weights. The shapes are those of the convolution of real numbers.
    ///
    /// ```
    /// use pointsman_numerics::{Array, Complex, ConvolveMode, Result};
    ///
    /// # fn main() -> Result<()> {
    /// let session = pointsman::Session::open()?;
    /// let i = Complex::new(0.0, 1.0);
    /// let signal = Array::from_slice(&session, &[i, i * 2.0, i * 4.0], &[3])?;
    /// let weights = Array::from_slice(&session, &[i, -i], &[2])?;
    /// assert_eq!(signal.convolve(&weights, ConvolveMode::Valid)?.re().to_vec()?, [-1.0, -2.0]);
    /// assert_eq!(signal.correlate(&weights, ConvolveMode::Valid)?.re().to_vec()?, [-1.0, -2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn convolve(&self, weights: &Array<Complex<R>>, mode: ConvolveMode) -> Result<Array<Complex<R>>> {
        self.convolve_by(weights, mode, Direction::Convolution, None)
    }

    /// The correlation with complex weights: like the convolution, but with the complex conjugates of the weights, in
    /// their order.
    pub fn correlate(&self, weights: &Array<Complex<R>>, mode: ConvolveMode) -> Result<Array<Complex<R>>> {
        self.convolve_by(weights, mode, Direction::Correlation, None)
    }

    /// The convolution or the correlation by this method; without one, by the method with the smaller predicted cost.
    pub fn convolve_by(
        &self,
        weights: &Array<Complex<R>>,
        mode: ConvolveMode,
        direction: Direction,
        method: impl Into<Option<Method>>,
    ) -> Result<Array<Complex<R>>> {
        let padding = |sides: [usize; 2]| sides.map(|size| mode.padding(size));
        let (convolve, shape) = self.plan_convolution(weights, padding, direction)?;
        if count(&shape)? == 0 {
            return Array::zeros(&self.session, &shape);
        }
        let parts = real_parts(weights, &convolve)?;
        let [channels_in, channels_out] = [2 * convolve.channels_in, 2 * convolve.channels_out];
        let convolve = Convolve { channels_in, channels_out, ..convolve };
        let convolve = Convolve { method: method.into().unwrap_or_else(|| faster(convolve)), ..convolve };
        // The parts of the numbers are channels, before the axes that are convolved.
        let (rank, channel) = (self.rank(), self.rank() - spatial_axes(weights));
        let axes: Vec<usize> = (0..channel).chain([rank]).chain(channel..rank).collect();
        let answer = self.parts().permute(&axes)?.rows()?.call(convolve, &Lookup::of(&parts)?).run()?;
        let channel = shape.len() - spatial_axes(weights);
        let with_parts = [&shape[..channel], &[2], &shape[channel..]].concat();
        let result = Array::<R>::from_answer(&self.session, answer, Layout::contiguous(&with_parts)?);
        let axes: Vec<usize> = (0..channel).chain(channel + 1..with_parts.len()).chain([channel]).collect();
        let Array { session, column, receipt, .. } = result.permute(&axes)?.contiguous()?;
        Ok(Array { session, column, layout: Layout::contiguous(&shape)?, receipt })
    }

    /// The parts of the numbers as a last axis, as a view.
    fn parts(&self) -> Array<R> {
        let Layout { mut shape, strides, offset } = self.layout.clone();
        let strides = strides.into_iter().map(|stride| stride.wrapping_mul(2)).chain([1]).collect();
        shape.push(2);
        let layout = Layout { shape, strides, offset: 2 * offset };
        Array { session: self.session.clone(), column: self.column.clone(), layout, receipt: self.receipt.clone() }
    }
}

/// The real weights of a convolution of complex numbers whose parts are channels: for each part of a result channel and
/// each part of a channel, the part of the weight that the product takes.
fn real_parts<R: Real>(weights: &Array<Complex<R>>, convolve: &Convolve) -> Result<Column<R>> {
    let (values, [height, width]) = (weights.to_vec()?, convolve.weights);
    let (channels_in, plane) = (convolve.channels_in as usize, (height * width) as usize);
    let negated = |value: R| R::from_f64(-value.into());
    // A correlation takes the conjugates.
    let is_conjugate = convolve.direction == Direction::Correlation;
    let mut parts = Vec::new();
    parts.try_reserve_exact(4 * values.len()).map_err(|_| Error::OutOfMemory { shape: weights.shape().to_vec() })?;
    for of_result in values.chunks(channels_in * plane) {
        // The real part of a product is re·re − im·im, the imaginary one re·im + im·re.
        for is_imaginary in [false, true] {
            for weight in of_result.chunks(plane) {
                let re = weight.iter().map(|z| z.re);
                let im = weight.iter().map(|z| if is_imaginary == is_conjugate { negated(z.im) } else { z.im });
                if is_imaginary {
                    parts.extend(im.chain(re));
                } else {
                    parts.extend(re.chain(im));
                }
            }
        }
    }
    Ok(Column::from(parts))
}

/// The axes that are convolved: one or two.
fn spatial_axes<T: Number>(weights: &Array<T>) -> usize {
    if weights.rank().is_multiple_of(2) { 2 } else { 1 }
}

impl<T: Number> Array<T> {
    /// A convolution by its sum, and the shape of its result, which has no number if the array has none.
    fn plan_convolution(
        &self,
        weights: &Array<T>,
        padding: impl FnOnce([usize; 2]) -> [[u64; 2]; 2],
        direction: Direction,
    ) -> Result<(Convolve, Vec<usize>)> {
        let Sizes { channels_in, channels_out, input, weights: sides } = self.convolution_sizes(weights)?;
        if weights.is_empty() || input.contains(&0) {
            return Err(Error::Empty { operation: "a convolution" });
        }
        count(&input)?;
        let convolve = Convolve {
            method: Method::Sum,
            direction,
            channels_in: channels_in as u64,
            channels_out: channels_out as u64,
            input: input.map(|size| size as u64),
            weights: sides.map(|size| size as u64),
            padding: padding(sides),
            stride: [1, 1],
        };
        let output = convolve.output().map(|size| size as usize);
        if output.contains(&0) {
            return Err(self
                .convolution_mismatch(weights, "weights that are not larger than the array, if the mode is `Valid`"));
        }
        let mut shape = self.shape().to_vec();
        let [has_channels, is_plane] = [weights.rank() > 2, spatial_axes(weights) == 2];
        let axes = spatial_axes(weights) + usize::from(has_channels);
        shape.truncate(self.rank() - axes);
        shape.extend(has_channels.then_some(channels_out));
        shape.extend(is_plane.then_some(output[0]));
        shape.push(output[1]);
        Ok((convolve, shape))
    }

    fn convolution_sizes(&self, weights: &Array<T>) -> Result<Sizes> {
        let sizes = match (self.shape(), weights.shape()) {
            (&[.., n], &[m]) => Sizes { channels_in: 1, channels_out: 1, input: [1, n], weights: [1, m] },
            (&[.., h, w], &[p, q]) => Sizes { channels_in: 1, channels_out: 1, input: [h, w], weights: [p, q] },
            (&[.., of, n], &[channels_out, channels_in, m]) if of == channels_in => {
                Sizes { channels_in, channels_out, input: [1, n], weights: [1, m] }
            }
            (&[.., of, h, w], &[channels_out, channels_in, p, q]) if of == channels_in => {
                Sizes { channels_in, channels_out, input: [h, w], weights: [p, q] }
            }
            (_, _) => {
                let allowed = "weights of shape [m], [p, q], [out, in, m] or [out, in, p, q], and an array of at least \
                    as many axes (not counting `out`) with as many channels `in`";
                return Err(self.convolution_mismatch(weights, allowed));
            }
        };
        Ok(sizes)
    }

    fn convolution_mismatch(&self, weights: &Array<T>, allowed: &'static str) -> Error {
        let (left, right) = (self.shape().to_vec(), weights.shape().to_vec());
        Error::ShapeMismatch { operation: "a convolution", left, right, allowed }
    }
}

/// The method with the smaller predicted cost.
pub(crate) fn faster(convolve: Convolve) -> Method {
    let operations = |method| Call::from(Convolve { method, ..convolve }).operations();
    let by_transform = TRANSFORM_OPERATION_COST * operations(Method::Transform);
    if by_transform < operations(Method::Sum) { Method::Transform } else { Method::Sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_weights_take_a_transform() {
        for (length, weights, method) in [
            (100, 3, Method::Sum),
            (1000, 8, Method::Sum),
            (1000, 1000, Method::Sum),
            (2000, 1000, Method::Transform),
            (100_000, 3, Method::Sum),
            (100_000, 512, Method::Transform),
        ] {
            assert_eq!(faster(Convolve::line(length, weights)), method, "{weights} weights for {length} numbers");
        }
        assert_eq!(faster(Convolve::plane([256, 256], [3, 3])), Method::Sum);
        assert_eq!(faster(Convolve::plane([256, 256], [31, 31])), Method::Transform);
    }
}
