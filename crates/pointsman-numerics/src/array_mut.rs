//! [`ArrayMut`]: a caller's memory with shape and strides, into which arrays are written.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::{Layout, count};
use crate::number::Number;

/// A mutable view of a caller's slice, with a shape and strides in numbers. No two indices share a place.
///
/// ```
/// use pointsman_numerics::{Array, ArrayMut, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let matrix = Array::from_slice(&session, &[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
/// // A matrix that is stored by columns, each followed by one number of something else.
/// let mut memory = [9.0; 6];
/// ArrayMut::new(&mut memory, &[2, 2], &[1, 3])?.assign(&(&matrix * 10.0)?)?;
/// assert_eq!(memory, [10.0, 30.0, 9.0, 20.0, 40.0, 9.0]);
/// assert!(ArrayMut::new(&mut memory, &[2, 2], &[1, 1]).is_err(), "two numbers in one place");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ArrayMut<'a, T: Number> {
    values: &'a mut [T],
    layout: Layout,
}

impl<'a, T: Number> ArrayMut<'a, T> {
    /// A view of a slice. The smallest place is the start of the slice; along an axis with a negative stride, numbers
    /// follow each other backwards. Several numbers in one place, and places beyond the slice, are errors.
    pub fn new(values: &'a mut [T], shape: &[usize], strides: &[isize]) -> Result<ArrayMut<'a, T>> {
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        if shape.len() != strides.len() {
            let right = strides.iter().map(|stride| stride.unsigned_abs()).collect();
            let allowed = "a shape and strides of as many axes";
            return Err(Error::ShapeMismatch { operation: "ArrayMut::new", left: shape, right, allowed });
        }
        if count(&shape)? == 0 {
            return Ok(ArrayMut { values, layout: Layout { shape, strides, offset: 0 } });
        }
        let span = |size: usize, stride: isize| (size - 1).saturating_mul(stride.unsigned_abs());
        let axes = || shape.iter().copied().zip(strides.iter().copied());
        let last = axes().fold(0usize, |last, (size, stride)| last.saturating_add(span(size, stride)));
        if last >= values.len() {
            let (needed, length) = (last.saturating_add(1), values.len());
            return Err(Error::OutOfBounds { shape, strides, needed, length });
        }
        let offset = axes().filter(|(_, stride)| *stride < 0).map(|(size, stride)| span(size, stride)).sum();
        let layout = Layout { shape, strides, offset };
        if overlaps(&layout, last + 1) {
            return Err(Error::Overlap { shape: layout.shape, strides: layout.strides });
        }
        Ok(ArrayMut { values, layout })
    }

    /// The size of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Writes the numbers of an array, which is broadcast to the shape of the view.
    pub fn assign(&mut self, array: &Array<T>) -> Result<()> {
        let numbers = array.broadcast_to(self.shape())?.to_vec()?;
        if self.layout.is_contiguous() {
            self.values[..numbers.len()].copy_from_slice(&numbers);
            return Ok(());
        }
        for (place, number) in self.layout.places().zip(numbers) {
            self.values[place] = number;
        }
        Ok(())
    }
}

/// Whether several indices have the same place, out of this many places.
fn overlaps(layout: &Layout, places: usize) -> bool {
    if layout.count() > places {
        return true;
    }
    let axes = layout.shape.iter().zip(&layout.strides).filter(|(size, _)| **size > 1);
    let mut axes: Vec<(usize, usize)> = axes.map(|(&size, stride)| (stride.unsigned_abs(), size)).collect();
    axes.sort_unstable();
    // Usually each stride is larger than all places that the axes with smaller strides reach together.
    let mut reached = 0;
    let is_nested = axes.iter().all(|&(stride, size)| {
        let is_beyond = stride > reached;
        reached += stride * (size - 1);
        is_beyond
    });
    if is_nested {
        return false;
    }
    let mut is_taken = vec![false; places];
    layout.places().any(|place| std::mem::replace(&mut is_taken[place], true))
}
