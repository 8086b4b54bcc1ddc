//! [`solve_tridiagonal`]: systems of equations with three diagonals, by parallel cyclic reduction.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::{Layout, broadcast};
use crate::number::Real;
use crate::query::{Position, with_positions};
use pointsman::{Answer, Column, Expr, Lookup, lit, select};

/// The coefficients of a system of equations with three diagonals, and its right-hand side. The last axis of each array
/// is that of the equations; the others broadcast, so that many systems are solved at once. Equation `i` is
/// `below[i] · x[i − 1] + diagonal[i] · x[i] + above[i] · x[i + 1] = right[i]`; the first number of `below` and the
/// last one of `above` are ignored.
///
/// There is no pivoting: the errors are small if each number of the diagonal is at least as large as the other two of
/// its equation together, as in implicit steps of diffusion equations. Otherwise they may be large, and a zero on the
/// way gives NaN or infinities.
///
/// Each equation takes the unknowns twice as far away as before into account, so a system of `n` equations takes log₂
/// `n` queries.
///
/// ```
/// use pointsman_numerics::{Array, Result, solve_tridiagonal};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let [below, diagonal, above] = [-1.0, 4.0, -1.0].map(|x| Array::full(&session, &[3], x));
/// let right = Array::from_slice(&session, &[2.0, 4.0, 10.0], &[3])?;
/// let x: Array<f64> = solve_tridiagonal(&below?, &diagonal?, &above?, &right)?;
/// let expected = Array::from_slice(&session, &[1.0, 2.0, 3.0], &[3])?;
/// assert!((&x - &expected)?.abs()?.max()? < 1e-15);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "thomas")]
pub fn solve_tridiagonal<R: Real>(
    below: &Array<R>,
    diagonal: &Array<R>,
    above: &Array<R>,
    right: &Array<R>,
) -> Result<Array<R>> {
    let operands = [below, diagonal, above, right];
    let operation = "solve_tridiagonal";
    let mut shape = right.shape().to_vec();
    for operand in operands {
        shape = broadcast(operation, &shape, operand.shape())?;
        if operand.shape().last() != shape.last() {
            let (left, right) = (operand.shape().to_vec(), right.shape().to_vec());
            let allowed = "diagonals and a right-hand side with as many equations on the last axis";
            return Err(Error::ShapeMismatch { operation, left, right, allowed });
        }
    }
    let Some(&equations) = shape.last() else { return Err(Error::Axis { axis: 0, rank: 0 }) };
    if shape.contains(&0) {
        return Array::zeros(&right.session, &shape);
    }
    let columns = operands.map(|operand| operand.broadcast_to(&shape)?.into_column());
    let [below, diagonal, above, right_side] = columns;
    let mut system = [below?, diagonal?, above?, right_side?];
    let mut distance = 1;
    while distance < equations {
        system = with_positions!(system[0].len(), I => reduced::<I, R>(right, &system, equations, distance))?;
        distance *= 2;
    }
    let answer: Answer<Column<R>> = right.session.from((&system[3], &system[1])).map(|(r, d)| r / d).run()?;
    Ok(Array::from_answer(&right.session, answer, Layout::contiguous(&shape)?))
}

/// The system with the unknowns at this distance eliminated: those at twice the distance remain.
fn reduced<I: Position, R: Real>(
    of: &Array<R>,
    system: &[Column<R>; 4],
    equations: usize,
    distance: usize,
) -> Result<[Column<R>; 4]> {
    let [below, diagonal, above, right] = system;
    let [at_below, at_diagonal, at_above, at_right] =
        [Lookup::of(below)?, Lookup::of(diagonal)?, Lookup::of(above)?, Lookup::of(right)?];
    let rows = of.session.from((I::rows(below.len()), [below, diagonal, above, right]));
    let (size, distance) = (I::wrapping(equations as isize), I::wrapping(distance as isize));
    let reduced = rows.map(|(row, [a, b, c, r])| {
        let equation = row % size;
        let zero = lit(R::default());
        // Without a neighbour, its factor is zero, and any number will do.
        let (has_before, has_after) = (equation.ge(distance), (equation + distance).lt(size));
        let before: Expr<I> = select(has_before, row - distance, row);
        let after: Expr<I> = select(has_after, row + distance, row);
        let up = select(has_before, a / at_diagonal.at(before), zero);
        let down = select(has_after, c / at_diagonal.at(after), zero);
        let neighbours = |column: &Lookup<R>| (column.at(before), column.at(after));
        let (below, above, right) = (neighbours(&at_below), neighbours(&at_above), neighbours(&at_right));
        [-(up * below.0), b - up * above.0 - down * below.1, -(down * above.1), r - up * right.0 - down * right.1]
    });
    Ok(reduced.collect()?)
}
