//! [`Layout`]: the places of an array's numbers in its memory, and the views that change nothing else.
//!
//! The number at `index` has the place `offset + Σ index · stride`, counted in numbers. Nothing here reads a number.

use crate::error::{Error, Result};
use std::ops::{Bound, RangeBounds};

/// The most numbers of an array: both parts of each complex number can still be rows of a query.
const NUMBERS_MAX: usize = 1 << 39;

/// A shape, a stride for each axis, and the place of the first number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    pub(crate) offset: usize,
}

/// The number of indices of a shape.
pub(crate) fn count(shape: &[usize]) -> Result<usize> {
    if shape.contains(&0) {
        return Ok(0);
    }
    let product = shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
    product.filter(|&numbers| numbers <= NUMBERS_MAX).ok_or_else(|| Error::TooLarge { shape: shape.to_vec() })
}

/// The shape that two shapes broadcast to: from the last axis backwards, sizes are equal or 1; missing axes have size
/// 1.
pub(crate) fn broadcast(operation: &'static str, left: &[usize], right: &[usize]) -> Result<Vec<usize>> {
    let rank = left.len().max(right.len());
    let size = |shape: &[usize], axis: usize| {
        let missing = rank - shape.len();
        if axis < missing { 1 } else { shape[axis - missing] }
    };
    let both = |axis| match (size(left, axis), size(right, axis)) {
        (a, b) if a == b || b == 1 => Some(a),
        (1, b) => Some(b),
        (_, _) => None,
    };
    let shape: Option<Vec<usize>> = (0..rank).map(both).collect();
    let shape = shape.ok_or_else(|| Error::ShapeMismatch {
        operation,
        left: left.to_vec(),
        right: right.to_vec(),
        allowed: "shapes that broadcast (from the last axis backwards, sizes are equal or 1)",
    })?;
    count(&shape)?;
    Ok(shape)
}

impl Layout {
    /// The layout of a shape that is stored row by row.
    pub(crate) fn contiguous(shape: &[usize]) -> Result<Layout> {
        count(shape)?;
        let mut strides = vec![0; shape.len()];
        let mut stride = 1isize;
        for (axis, &size) in shape.iter().enumerate().rev() {
            strides[axis] = stride;
            // The product fits, unless the array is empty, and then no stride is ever used.
            stride = stride.wrapping_mul(size as isize);
        }
        Ok(Layout { shape: shape.to_vec(), strides, offset: 0 })
    }

    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of numbers. Every layout was checked to have few enough.
    pub(crate) fn count(&self) -> usize {
        if self.shape.contains(&0) { 0 } else { self.shape.iter().product() }
    }

    /// The same numbers in the same order with as few axes as possible.
    pub(crate) fn merged(&self) -> Layout {
        if self.count() == 0 {
            return Layout { shape: vec![0], strides: vec![1], offset: 0 };
        }
        let mut merged = Layout { shape: Vec::new(), strides: Vec::new(), offset: self.offset };
        for (&size, &stride) in self.shape.iter().zip(&self.strides).filter(|(size, _)| **size != 1) {
            match (merged.shape.last_mut(), merged.strides.last_mut()) {
                (Some(outer), Some(outer_stride)) if *outer_stride == stride.wrapping_mul(size as isize) => {
                    *outer *= size;
                    *outer_stride = stride;
                }
                (_, _) => {
                    merged.shape.push(size);
                    merged.strides.push(stride);
                }
            }
        }
        merged
    }

    /// Whether the numbers follow each other in memory, in their order.
    pub(crate) fn is_contiguous(&self) -> bool {
        let merged = self.merged();
        matches!((&merged.shape[..], &merged.strides[..]), ([], []) | ([_], [1]))
    }

    /// Whether the numbers are those of a memory of this many numbers, all of them in order.
    pub(crate) fn is_whole(&self, numbers: usize) -> bool {
        self.is_contiguous() && self.merged().offset == 0 && self.count() == numbers
    }

    pub(crate) fn check_axis(&self, axis: usize) -> Result<()> {
        if axis < self.rank() { Ok(()) } else { Err(Error::Axis { axis, rank: self.rank() }) }
    }

    /// The axes in another order.
    pub(crate) fn permuted(&self, axes: &[usize]) -> Result<Layout> {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.rank()) {
            return Err(Error::Permutation { axes: axes.to_vec(), rank: self.rank() });
        }
        let shape = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides[axis]).collect();
        Ok(Layout { shape, strides, offset: self.offset })
    }

    /// The axis moved to another position; the others keep their order.
    pub(crate) fn moved(&self, from: usize, to: usize) -> Result<Layout> {
        self.check_axis(from)?;
        self.check_axis(to)?;
        let mut axes: Vec<usize> = (0..self.rank()).collect();
        let axis = axes.remove(from);
        axes.insert(to, axis);
        self.permuted(&axes)
    }

    /// The indices of a range of an axis, every `step`-th of them; from the last one backwards if the step is negative.
    pub(crate) fn sliced(&self, axis: usize, range: impl RangeBounds<usize>, step: isize) -> Result<Layout> {
        self.check_axis(axis)?;
        let size = self.shape[axis];
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => size,
        };
        if start > end || end > size {
            return Err(Error::Index { start, end, size });
        }
        if step == 0 {
            return Err(Error::Step);
        }
        let mut sliced = self.clone();
        sliced.shape[axis] = (end - start).div_ceil(step.unsigned_abs());
        if sliced.count() > 0 {
            let first = if step > 0 { start } else { end - 1 };
            sliced.offset = sliced.offset.wrapping_add_signed(self.strides[axis].wrapping_mul(first as isize));
            sliced.strides[axis] = self.strides[axis].wrapping_mul(step);
        }
        Ok(sliced)
    }

    /// One index of an axis; the axis is removed.
    pub(crate) fn indexed(&self, axis: usize, index: usize) -> Result<Layout> {
        self.sliced(axis, index..index.saturating_add(1), 1)?.without_axis(axis)
    }

    /// An axis of size 1 before this axis.
    pub(crate) fn with_axis(&self, axis: usize) -> Result<Layout> {
        if axis > self.rank() {
            return Err(Error::Axis { axis, rank: self.rank() + 1 });
        }
        let mut layout = self.clone();
        layout.shape.insert(axis, 1);
        layout.strides.insert(axis, 0);
        Ok(layout)
    }

    /// The layout without this axis of size 1.
    pub(crate) fn without_axis(&self, axis: usize) -> Result<Layout> {
        self.check_axis(axis)?;
        if self.shape[axis] != 1 {
            return Err(Error::NotSingle { axis, size: self.shape[axis] });
        }
        Ok(self.dropped(axis))
    }

    /// The numbers at index 0 of an axis.
    pub(crate) fn dropped(&self, axis: usize) -> Layout {
        let mut layout = self.clone();
        layout.shape.remove(axis);
        layout.strides.remove(axis);
        layout
    }

    /// The numbers, repeated to a larger shape.
    pub(crate) fn broadcast_to(&self, shape: &[usize]) -> Result<Layout> {
        let missing = shape.len().checked_sub(self.rank());
        let fits = missing.is_some_and(|missing| {
            self.shape.iter().zip(&shape[missing..]).all(|(&size, &wanted)| size == wanted || size == 1)
        });
        let Some(missing) = missing.filter(|_| fits) else {
            return Err(Error::ShapeMismatch {
                operation: "broadcast_to",
                left: self.shape.clone(),
                right: shape.to_vec(),
                allowed: "a shape that the array broadcasts to (from the last axis backwards, sizes are equal or 1)",
            });
        };
        count(shape)?;
        let repeated = |axis: usize| {
            let (size, stride) = (self.shape[axis], self.strides[axis]);
            if size == shape[axis + missing] { stride } else { 0 }
        };
        let strides = std::iter::repeat_n(0, missing).chain((0..self.rank()).map(repeated)).collect();
        Ok(Layout { shape: shape.to_vec(), strides, offset: self.offset })
    }

    /// The same numbers in another shape, which has as many; `None` if they would need other places.
    pub(crate) fn reshaped(&self, shape: &[usize]) -> Option<Layout> {
        if self.count() == 0 {
            return Layout::contiguous(shape).ok();
        }
        let merged = self.merged();
        let mut axes = merged.shape.iter().zip(&merged.strides).rev();
        let mut strides = vec![0; shape.len()];
        // The numbers of the current axis that no new axis has taken yet, and the stride between them.
        let (mut left, mut step) = (1, 0);
        for (axis, &size) in shape.iter().enumerate().rev().filter(|(_, size)| **size != 1) {
            if left == 1 {
                (left, step) = axes.next().map(|(&size, &stride)| (size, stride))?;
            }
            if left % size != 0 {
                return None;
            }
            strides[axis] = step;
            step = step.wrapping_mul(size as isize);
            left /= size;
        }
        Some(Layout { shape: shape.to_vec(), strides, offset: self.offset })
    }

    /// The places of all numbers, in the order of their indices.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        let (layout, count) = (self.merged(), self.count());
        let mut index = vec![0; layout.rank()];
        let mut place = layout.offset;
        (0..count).map(move |_| {
            let this = place;
            for axis in (0..layout.rank()).rev() {
                index[axis] += 1;
                place = place.wrapping_add_signed(layout.strides[axis]);
                if index[axis] < layout.shape[axis] {
                    break;
                }
                index[axis] = 0;
                let back = layout.strides[axis].wrapping_mul(layout.shape[axis] as isize);
                place = place.wrapping_add_signed(back.wrapping_neg());
            }
            this
        })
    }
}
