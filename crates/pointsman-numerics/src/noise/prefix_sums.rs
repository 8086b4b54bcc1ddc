//! [`prefix_sums`]: the sums of the numbers of each row up to each place.
//!
//! In: finite numbers in two axes. Out: an array of the same shape. A row is cut into blocks, whose sums are products
//! with a triangular matrix; the sums of whole blocks are added up in the same way. So a row of `n` numbers takes log₆₄
//! `n` levels of a few queries, whatever the number of rows.

use crate::array::Array;
use crate::error::Result;
use crate::number::Real;
use crate::query::{Position, compute, with_positions};
use pointsman::{Expr, lit, select};

/// Numbers of a block: few enough that the products with the triangular matrix cost little more than reading memory.
const BLOCK: usize = 64;

/// The sums of the numbers of each row up to each place.
pub(crate) fn prefix_sums<R: Real>(rows: &Array<R>) -> Result<Array<R>> {
    let &[count, size] = rows.shape() else { return Ok(rows.clone()) };
    if size <= 1 || count == 0 {
        return Ok(rows.clone());
    }
    let block = BLOCK.min(size);
    let blocks = size.div_ceil(block);
    let session = rows.session();
    let upto = Array::<R>::from_vec(session, triangle(block), &[block, block])?;
    let padded = continued(rows, blocks * block)?;
    let within = padded.reshape(&[count * blocks, block])?.matmul(&upto)?;
    if blocks == 1 {
        return within.reshape(&[count, size]);
    }
    let totals = within.slice(1, block - 1.., 1)?.reshape(&[count, blocks])?;
    let before = prefix_sums(&totals)?;
    let (at_within, at_before) = (within.reader()?, before.reader()?);
    with_positions!(within.largest_row(), I => compute::<I, Expr<R>>(session, rows.shape(), |position| {
        let [size, block, blocks, one] = [size, block, blocks, 1].map(|size| I::wrapping(size as isize));
        let (row, place) = (position / size, position % size);
        let of = row * blocks + place / block;
        let is_first = place.lt(block);
        let previous: Expr<I> = select(is_first, lit(I::wrapping(0)), of - one);
        at_within.at(of * block + place % block) + select(is_first, lit(R::default()), at_before.at(previous))
    }))
}

/// The matrix of ones on and above the diagonal, row by row.
fn triangle<R: Real>(size: usize) -> Vec<R> {
    let [zero, one] = [0.0, 1.0].map(R::from_f64);
    (0..size * size).map(|place| if place / size <= place % size { one } else { zero }).collect()
}

/// Rows continued with zeros to a length.
fn continued<R: Real>(rows: &Array<R>, length: usize) -> Result<Array<R>> {
    let (count, size) = (rows.shape()[0], rows.shape()[1]);
    if size == length {
        return Ok(rows.clone());
    }
    let reader = rows.reader()?;
    let shape = [count, length];
    let largest = rows.largest_row().max(count.saturating_mul(length));
    with_positions!(largest, I => compute::<I, Expr<R>>(rows.session(), &shape, |position| {
        let [size, length] = [size, length].map(|size| I::wrapping(size as isize));
        let (row, place) = (position / length, position % length);
        let is_inside = place.lt(size);
        let source: Expr<I> = select(is_inside, row * size + place, lit(I::wrapping(0)));
        select(is_inside, reader.at(source), lit(R::default()))
    }))
}
