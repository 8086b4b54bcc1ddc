//! [`Array::solve`]: systems of linear equations by Gauss–Jordan elimination with row pivots, two queries a column.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::expr::NumberExpr;
use crate::layout::{broadcast, count};
use crate::number::Number;
use crate::query::{Position, compute, with_positions};
use pointsman::{Bool, Column, Expr, IntoExpr, Lookup, lit, repeat, select};

impl<T: Number> Array<T> {
    /// The solution `x` of `self · x = right`, for a square matrix, or many: the last two axes of the array. A
    /// right-hand side of one axis is a vector; otherwise its last two axes are a matrix, with a column for each
    /// system. The axes before them broadcast. A matrix that is singular in floating-point arithmetic is an error.
    ///
    /// It is meant for many small systems: a matrix of `n` rows takes 2 `n` queries over all systems at once.
    ///
    /// ```
    /// # use pointsman_numerics::{Array, Result};
    /// # fn main() -> Result<()> {
    /// # let session = pointsman::Session::open()?;
    /// let matrix = Array::from_slice(&session, &[0.0, 2.0, 4.0, 0.0], &[2, 2])?;
    /// let right = Array::from_slice(&session, &[2.0, 8.0], &[2])?;
    /// assert_eq!(matrix.solve(&right)?.to_vec()?, [2.0, 1.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn solve(&self, right: &Array<T>) -> Result<Array<T>> {
        let operation = "solve";
        let mismatch = || Error::ShapeMismatch {
            operation,
            left: self.shape().to_vec(),
            right: right.shape().to_vec(),
            allowed: "square matrices and a right-hand side with as many rows",
        };
        let is_vector = right.rank() == 1;
        let columns = if is_vector { right.insert_axis(1)? } else { right.clone() };
        let (&[ref batch @ .., rows, inner], &[ref right_batch @ .., right_rows, width]) =
            (self.shape(), columns.shape())
        else {
            return Err(mismatch());
        };
        if rows != inner || rows != right_rows {
            return Err(mismatch());
        }
        let batch = broadcast(operation, batch, right_batch)?;
        let shape = [&batch[..], &[rows, width]].concat();
        if count(&shape)? == 0 {
            let solution = Array::zeros(&self.session, &shape)?;
            return if is_vector { solution.remove_axis(shape.len() - 1) } else { Ok(solution) };
        }
        let systems: usize = batch.iter().product();
        let flat = |array: &Array<T>, width| {
            array.broadcast_to(&[&batch[..], &[rows, width]].concat())?.reshape(&[systems, rows, width])
        };
        let mut elimination = Elimination::new(&flat(self, rows)?, &flat(&columns, width)?)?;
        for column in 0..rows {
            let largest = elimination.system.largest_row();
            with_positions!(largest, I => elimination.eliminate::<I>(column))?;
        }
        let solution = elimination.system.slice(2, rows.., 1)?.reshape(&shape)?;
        if is_vector { solution.remove_axis(shape.len() - 1) } else { Ok(solution) }
    }
}

/// Systems in the middle of the elimination: the matrices with their right-hand sides beside them.
struct Elimination<T: Number> {
    system: Array<T>,
    rows: usize,
    /// Columns of a matrix and of its right-hand side together.
    width: usize,
}

impl<T: Number> Elimination<T> {
    fn new(matrices: &Array<T>, right: &Array<T>) -> Result<Elimination<T>> {
        let (rows, width) = (matrices.shape()[1], matrices.shape()[2] + right.shape()[2]);
        let shape = [matrices.shape()[0], rows, width];
        let (at_matrix, at_right) = (matrices.reader()?, right.reader()?);
        let largest = (2 * count(&shape)?).max(matrices.largest_row()).max(right.largest_row());
        let system = with_positions!(largest, I => compute::<I, T::Expr>(&matrices.session, &shape, |position| {
            let [all, inner] = [width, rows].map(|size| I::wrapping(size as isize));
            let (row, column) = (position / all, position % all);
            let (is_left, beside) = (column.lt(inner), column - inner);
            // Outside its array, a position is replaced by the first one.
            let zero = lit(I::wrapping(0));
            let left: Expr<I> = select(is_left, row * inner + column, zero);
            let right: Expr<I> = select(is_left, zero, row * I::wrapping((width - rows) as isize) + beside);
            choose(is_left, at_matrix.at(left), at_right.at(right))
        }))?;
        Ok(Elimination { system, rows, width })
    }

    /// Makes a column of each matrix a unit vector.
    fn eliminate<I: Position>(&mut self, column: usize) -> Result<()> {
        let pivots = self.pivots::<I>(column)?;
        let pivots = Lookup::of(&pivots)?;
        let at_system = self.system.reader()?;
        let [rows, width, k] = [self.rows, self.width, column].map(|size| I::wrapping(size as isize));
        self.system = compute::<I, T::Expr>(&self.system.session, self.system.shape(), |position| {
            let (above, j) = (position / width, position % width);
            let (system, i) = (above / rows, above % rows);
            let at = |row: Expr<I>, column: Expr<I>| at_system.at((system * rows + row) * width + column);
            // The pivot's row and row `k` change places.
            let (pivot, k) = (pivots.at(system), k.into_expr());
            let before: Expr<I> = select(i.eq(pivot), k, i);
            let unit = at(pivot, j) / at(pivot, k);
            choose(i.eq(k), unit, at(before, j) - at(before, k) * unit)
        })?;
        Ok(())
    }

    /// The row of each system with the largest number of a column, from the diagonal on.
    fn pivots<I: Position>(&self, column: usize) -> Result<Column<I>> {
        let at_system = self.system.reader()?;
        let [rows, width, k] = [self.rows, self.width, column].map(|size| I::wrapping(size as isize));
        let systems = self.system.session.from(I::rows(self.system.shape()[0]));
        let pivots = systems.map(|system| {
            let none = (k.into_expr(), lit(T::Real::default()), lit(I::wrapping(0)));
            let (pivot, size, _) = repeat(self.rows as u32, none, |_, (pivot, largest, row)| {
                let number = at_system.at((system * rows + row) * width + k).to_complex();
                let size = number.re.abs() + number.im.abs();
                let is_larger = row.ge(k) & size.gt(largest);
                let (pivot, largest) = select(is_larger, (row, size), (pivot, largest));
                (pivot, largest, row + lit(I::from(1)))
            });
            (pivot, size)
        });
        let (pivots, sizes) = pivots.collect()?;
        match sizes.iter().position(|&size| size == T::Real::default()) {
            Some(matrix) => Err(Error::Singular { matrix, column }),
            None => Ok(pivots),
        }
    }
}

/// One of two numbers by a condition.
fn choose<E: NumberExpr>(condition: Bool, then: E, otherwise: E) -> E {
    E::from_state(select(condition, then.into_state(), otherwise.into_state()))
}
