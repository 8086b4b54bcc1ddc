//! Matrix products: tiles of the products of all chunks, each computed by `gemm` on one thread.

use super::Float;
use super::memory::SharedSlice;
use super::threads::{CallThreads, FRESH_BYTES_MAX, PerThread, Stopped};
use bytemuck::Pod;
use gemm::Parallelism;
use num_complex::Complex;
use pointsman_ir::kernel::call::{Matmul, Numbers, RightOperand, Storage};
use std::ops::{Add, Mul};

/// The most memory that `gemm` packs matrices into, per thread: tiles are small, and it keeps one block of the size of the
/// second-level cache.
const PACKED_BYTES_MAX: u64 = 8 << 20;
/// The most rows and columns of a tile.
const TILE_EDGE_MAX: usize = 512;
/// Tiles are halved until there are this many.
const TILES_WANTED: usize = 16;
/// Tiles with fewer multiplications than this are not halved.
const TILE_PRODUCTS_MIN: usize = 1 << 22;
/// The most multiplications of a call of `gemm`: about 10 ms of a slow processor.
const CALL_PRODUCTS_MAX: usize = 1 << 26;
/// Products with at most this many multiplications take less time without `gemm`.
const SMALL_PRODUCTS_MAX: usize = 64;
/// Chunks with few multiplications share a task of about this many.
const TASK_PRODUCTS: usize = 1 << 18;

/// How a matrix product is divided into tiles.
pub(super) struct MatmulPlan {
    product: Matmul,
}

/// Distances in memory between the rows and between the columns of a matrix.
#[derive(Clone, Copy)]
struct Strides {
    row: usize,
    column: usize,
}

impl Strides {
    fn new(storage: Storage, rows: usize, columns: usize) -> Strides {
        match storage {
            Storage::Rows => Strides { row: columns, column: 1 },
            Storage::Columns => Strides { row: 1, column: rows },
        }
    }

    fn at(self, row: usize, column: usize) -> usize {
        row * self.row + column * self.column
    }
}

/// The sizes of the products of a run, and how they are divided into tiles.
struct Tiling {
    rows: usize,
    inner: usize,
    columns: usize,
    tile_rows: usize,
    tile_columns: usize,
}

impl Tiling {
    fn new([rows, inner, columns]: [usize; 3], chunks: usize) -> Tiling {
        let [mut tile_rows, mut tile_columns] = [rows.min(TILE_EDGE_MAX), columns.min(TILE_EDGE_MAX)];
        while chunks.saturating_mul(rows.div_ceil(tile_rows)).saturating_mul(columns.div_ceil(tile_columns))
            < TILES_WANTED
            && tile_rows.saturating_mul(tile_columns).saturating_mul(inner) > TILE_PRODUCTS_MIN
            && tile_rows.max(tile_columns) > 1
        {
            let larger = if tile_rows >= tile_columns { &mut tile_rows } else { &mut tile_columns };
            *larger = larger.div_ceil(2);
        }
        Tiling { rows, inner, columns, tile_rows, tile_columns }
    }

    fn tiles_across(&self) -> usize {
        self.columns.div_ceil(self.tile_columns)
    }

    fn tiles(&self) -> usize {
        self.rows.div_ceil(self.tile_rows) * self.tiles_across()
    }

    fn tile(&self, number: usize) -> ProductTile {
        let row = number / self.tiles_across() * self.tile_rows;
        let column = number % self.tiles_across() * self.tile_columns;
        let (rows, columns) = (self.tile_rows.min(self.rows - row), self.tile_columns.min(self.columns - column));
        ProductTile { row, column, rows, columns }
    }

    /// How much of the inner dimension a call of `gemm` takes.
    fn depth(&self) -> usize {
        (CALL_PRODUCTS_MAX / (self.tile_rows * self.tile_columns)).clamp(1, self.inner)
    }

    /// How many tiles a task has.
    fn tiles_per_task(&self) -> usize {
        let tile = self.tile_rows.saturating_mul(self.tile_columns).saturating_mul(self.inner);
        (TASK_PRODUCTS / tile).max(1)
    }
}

impl MatmulPlan {
    pub(super) fn new(product: &Matmul) -> MatmulPlan {
        MatmulPlan { product: *product }
    }

    pub(super) fn library_bytes(threads: usize) -> u64 {
        PACKED_BYTES_MAX * threads.max(1) as u64
    }

    pub(super) fn run<T: Float>(&self, input: &[T], table: &[T], output: &mut [T], threads: &CallThreads<'_>) {
        match self.product.numbers {
            Numbers::Real => self.multiply::<T>(input, table, output, threads, [T::zero(), T::one()]),
            Numbers::Complex => self.multiply::<Complex<T>>(
                bytemuck::cast_slice(input),
                bytemuck::cast_slice(table),
                bytemuck::cast_slice_mut(output),
                threads,
                [Complex::new(T::zero(), T::zero()), Complex::new(T::one(), T::zero())],
            ),
        }
    }

    /// Multiplies matrices of numbers; `zero_one` are the numbers 0 and 1.
    fn multiply<N: MatrixNumber>(
        &self,
        left: &[N],
        right: &[N],
        output: &mut [N],
        threads: &CallThreads<'_>,
        zero_one: [N; 2],
    ) {
        let Matmul { rows, inner, columns, .. } = self.product;
        let [mut rows, inner, columns] = [rows, inner, columns].map(|size| size as usize);
        let mut chunks = left.len() / (rows * inner);
        let right_chunk = match self.product.operand {
            RightOperand::PerChunk => inner * columns,
            RightOperand::Shared => 0,
        };
        // Matrices that are stored row by row follow each other like the rows of one.
        if self.product.operand == RightOperand::Shared && self.product.left == Storage::Rows {
            (rows, chunks) = (left.len() / inner, 1);
        }
        let tiling = Tiling::new([rows, inner, columns], chunks);
        let left_strides = Strides::new(self.product.left, rows, inner);
        let right_strides = Strides::new(self.product.right, inner, columns);
        let input_rows = left.len() * self.product.numbers.rows() as usize;
        let output = SharedSlice::new(output);
        let tiles = chunks * tiling.tiles();
        let multiplied =
            threads.for_ranges(tiles, tiling.tiles_per_task(), input_rows, &PerThread::none(threads), |(), range| {
                for number in range {
                    let (chunk, tile) = (number / tiling.tiles(), tiling.tile(number % tiling.tiles()));
                    let left = Matrix {
                        numbers: &left[chunk * rows * inner..(chunk + 1) * rows * inner],
                        strides: left_strides,
                    };
                    let right_start = chunk * right_chunk;
                    let right =
                        Matrix { numbers: &right[right_start..right_start + inner * columns], strides: right_strides };
                    if !touch_tile(&tile, (&output, chunk * rows * columns, columns), zero_one[0], threads) {
                        return;
                    }
                    for k in (0..inner).step_by(tiling.depth()) {
                        if k > 0 && !(threads.should_continue)() {
                            return;
                        }
                        let depth = tiling.depth().min(inner - k);
                        let start = (chunk * rows + tile.row) * columns + tile.column;
                        multiply_tile(left, right, &tile, [k, depth], (&output, start, columns), zero_one);
                    }
                }
            });
        // The caller asks for itself whether the call was stopped.
        let _: Result<(), Stopped> = multiplied;
    }
}

/// A number of a matrix: a float, or a complex one.
trait MatrixNumber: Pod + Send + Sync + Add<Output = Self> + Mul<Output = Self> {}
impl<N: Pod + Send + Sync + Add<Output = N> + Mul<Output = N>> MatrixNumber for N {}

/// A matrix in memory.
#[derive(Clone, Copy)]
struct Matrix<'a, N> {
    numbers: &'a [N],
    strides: Strides,
}

/// A tile of a product: its first row and column, and its size.
struct ProductTile {
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
}

/// Writes to the rows of a tile in the results, so that the system provides their memory before `gemm` writes all of them at
/// once; for long rows, asks every [`FRESH_BYTES_MAX`] bytes whether to continue. `output`: the numbers of all products, the
/// place of the tile's product, and the distance between rows. Returns whether the call continues.
fn touch_tile<N: MatrixNumber>(
    tile: &ProductTile,
    (output, start, output_row): (&SharedSlice<'_, N>, usize, usize),
    zero: N,
    threads: &CallThreads<'_>,
) -> bool {
    let step = (FRESH_BYTES_MAX / size_of::<N>() / output_row).max(1);
    if step >= tile.rows {
        return true;
    }
    (0..tile.rows).step_by(step).all(|first| {
        for row in first..tile.rows.min(first + step) {
            // SAFETY: the number is of this tile, and no other thread uses the tile.
            unsafe { output.write(start + (tile.row + row) * output_row + tile.column, &[zero]) };
        }
        (threads.should_continue)()
    })
}

/// Multiplies the rows of a tile with its columns over part of the inner dimension: writes the result where that part is the
/// first, else adds it. `output`: the numbers of all products, the place of the tile, and the distance between rows.
fn multiply_tile<N: MatrixNumber>(
    left: Matrix<'_, N>,
    right: Matrix<'_, N>,
    tile: &ProductTile,
    [k, depth]: [usize; 2],
    (output, start, output_row): (&SharedSlice<'_, N>, usize, usize),
    [zero, one]: [N; 2],
) {
    let (from, to) = (left.strides, right.strides);
    let left = &left.numbers[from.at(tile.row, k)..];
    let right = &right.numbers[to.at(k, tile.column)..];
    // The last numbers of the tile: `gemm` checks nothing.
    assert!(from.at(tile.rows - 1, depth - 1) < left.len(), "the tile is within the left matrix");
    assert!(to.at(depth - 1, tile.columns - 1) < right.len(), "the tile is within the right matrix");
    let last = output.address(start + (tile.rows - 1) * output_row + tile.columns - 1);
    let first = output.address(start);
    debug_assert!(first <= last);
    if tile.rows * tile.columns * depth <= SMALL_PRODUCTS_MAX && k == 0 {
        for row in 0..tile.rows {
            for column in 0..tile.columns {
                let product = |k| left[from.at(row, k)] * right[to.at(k, column)];
                let sum = (1..depth).fold(product(0), |sum, k| sum + product(k));
                // SAFETY: the number is of this tile, and no other thread uses the tile.
                unsafe { output.write(start + row * output_row + column, &[sum]) };
            }
        }
        return;
    }
    let is_first = k == 0;
    // SAFETY: the assertions above keep all three matrices within their slices, and no other thread uses this tile.
    unsafe {
        gemm::gemm(
            tile.rows,
            tile.columns,
            depth,
            first,
            1,
            output_row as isize,
            !is_first,
            left.as_ptr(),
            from.column as isize,
            from.row as isize,
            right.as_ptr(),
            to.column as isize,
            to.row as isize,
            if is_first { zero } else { one },
            one,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
