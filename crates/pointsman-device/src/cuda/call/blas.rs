//! Matrix products by cuBLAS: one handle of a card, which one thread at a time uses to queue a product.
//!
//! cuBLAS stores matrices by columns. The transposed product is the product of the transposed matrices in reverse order,
//! so a matrix stored by rows is handed over as its transposed one, and the operands change places.

use super::CallShared;
use super::libraries::{self, Blas, Library};
use super::slices::Slices;
use crate::cuda::context::Context;
use crate::cuda::stream::Stream;
use crate::{DeviceError, DeviceResult};
use pointsman_ir::kernel::call::{Matmul, Numbers, RightOperand, Storage};
use std::ffi::{c_int, c_longlong, c_void};
use std::ptr;

/// The memory that cuBLAS may use during a product; with less, it is slower on recent cards.
pub(super) const WORKSPACE_BYTES: u64 = 32 << 20;
/// The alignment of matrices for which cuBLAS is fastest, in rows of the left matrix.
const SLICE_ROWS: u64 = 256;

const OP_N: c_int = 0;
const OP_T: c_int = 1;
const R_32F: c_int = 0;
const R_64F: c_int = 1;
const C_32F: c_int = 4;
const C_64F: c_int = 5;
/// IEEE arithmetic, without shorter formats inside.
const COMPUTE_32F: c_int = 68;
const COMPUTE_64F: c_int = 70;
const ALGORITHM_DEFAULT: c_int = -1;

/// A handle of cuBLAS.
pub(in crate::cuda) struct BlasHandle {
    raw: *mut c_void,
    blas: &'static Blas,
}

// SAFETY: a handle may be used from any thread, by one at a time: it is only reached through a lock.
unsafe impl Send for BlasHandle {}

impl BlasHandle {
    /// Creates a handle in the current context. Waits for running kernels.
    fn create(context: &Context) -> DeviceResult<BlasHandle> {
        let blas = libraries::blas().map_err(|reason| DeviceError::unsupported(reason.to_string()))?;
        let _driver = context.wait_for_kernels()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writes, and the context is current.
        let status = unsafe { (blas.create)(&mut raw) };
        libraries::check(context, Library::Blas, status, "creating a handle")?;
        Ok(BlasHandle { raw, blas })
    }

    /// Gives the handle back. The context is current.
    pub(in crate::cuda) fn destroy(self) {
        // SAFETY: the handle is owned, and nothing uses it any more.
        let _ = unsafe { (self.blas.destroy)(self.raw) };
    }

    /// The version of the library, for people.
    fn version(&self) -> String {
        let mut version = 0;
        // SAFETY: the handle is alive, and `version` is valid for writes.
        let status = unsafe { (self.blas.version)(self.raw, &mut version) };
        if status == 0 {
            format!("cuBLAS {}.{}", version / 10_000, version % 10_000 / 100)
        } else {
            "cuBLAS".to_string()
        }
    }
}

/// Creates the card's handle if there is none yet, and returns the name of the library.
pub(super) fn prepare(shared: &CallShared<'_>) -> DeviceResult<String> {
    let mut handle = shared.blas.lock();
    if handle.is_none() {
        *handle = Some(BlasHandle::create(shared.context)?);
    }
    Ok(handle.as_ref().map_or_else(String::new, BlasHandle::version))
}

/// A stored operand of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GemmOperand {
    /// Whether cuBLAS transposes it.
    operation: c_int,
    /// Numbers between its stored lines.
    line: u64,
    /// Numbers between the operands of two products; 0 if they share it.
    stride: u64,
}

/// A product in cuBLAS's terms: the results are `m` × `n` by columns, and the first operand is the right matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gemm {
    /// Columns of the right matrix.
    m: u64,
    /// Rows of the left matrix.
    n: u64,
    /// Terms of a sum.
    k: u64,
    right: GemmOperand,
    left: GemmOperand,
    /// Numbers between results.
    stride: u64,
    /// How many products there are.
    batch: u64,
}

impl Gemm {
    /// The products of this many chunks.
    fn new(product: &Matmul, chunks: u64) -> Gemm {
        let Matmul { rows, inner, columns, .. } = *product;
        let own_right = match product.operand {
            RightOperand::Shared => 0,
            RightOperand::PerChunk => inner * columns,
        };
        let right = match product.right {
            Storage::Rows => GemmOperand { operation: OP_N, line: columns, stride: own_right },
            Storage::Columns => GemmOperand { operation: OP_T, line: inner, stride: own_right },
        };
        let left = match product.left {
            Storage::Rows => GemmOperand { operation: OP_N, line: inner, stride: rows * inner },
            Storage::Columns => GemmOperand { operation: OP_T, line: rows, stride: rows * inner },
        };
        let one = Gemm { m: columns, n: rows, k: inner, right, left, stride: rows * columns, batch: chunks };
        // Chunks that share the right matrix and follow each other by rows are one tall matrix.
        match (product.operand, product.left) {
            (RightOperand::Shared, Storage::Rows) => Gemm { n: rows * chunks, batch: 1, ..one },
            (RightOperand::Shared | RightOperand::PerChunk, _) => one,
        }
    }

    /// Cuts the products into slices of at most about `operations` each: whole products, or rows of the left matrix
    /// if one product is longer. Each slice has the first number of the right matrix, the left one and the result.
    fn slices(self, operations: f64) -> impl Iterator<Item = (Gemm, [u64; 3])> {
        let of_one = 2.0 * self.m as f64 * self.n as f64 * self.k as f64;
        let products = ((operations / of_one) as u64).clamp(1, self.batch);
        let is_long = of_one > operations;
        let rows = (self.n as f64 * operations / of_one) as u64;
        let rows = if is_long { rows.max(1).next_multiple_of(SLICE_ROWS).min(self.n) } else { self.n };
        let row_stride = if self.left.operation == OP_N { self.left.line } else { 1 };
        (0..self.batch).step_by(products as usize).flat_map(move |first| {
            (0..self.n).step_by(rows as usize).map(move |row| {
                let gemm = Gemm { n: rows.min(self.n - row), batch: products.min(self.batch - first), ..self };
                let left = first * self.left.stride + row * row_stride;
                (gemm, [first * self.right.stride, left, first * self.stride + row * self.m])
            })
        })
    }
}

/// Queues the products of all chunks: of `left`, at the first address, with `right`, to `result`.
pub(super) fn multiply(
    shared: &CallShared<'_>,
    stream: &Stream,
    product: &Matmul,
    chunks: u64,
    [left, right, result]: [u64; 3],
    workspace: u64,
) -> DeviceResult<()> {
    let number_bytes = shared.float_bytes * product.numbers.rows();
    let mut slices = Slices::new(shared, stream);
    let per_pair = if product.numbers == Numbers::Complex { 4.0 } else { 1.0 };
    for (gemm, firsts) in Gemm::new(product, chunks).slices(slices.operations() / per_pair) {
        let [right, left, result] = [(right, firsts[0]), (left, firsts[1]), (result, firsts[2])]
            .map(|(base, first)| base + first * number_bytes);
        queue(shared, stream, product.numbers, gemm, [right, left, result], workspace)?;
        slices.queued(2.0 * per_pair * gemm.m as f64 * gemm.n as f64 * gemm.k as f64 * gemm.batch as f64)?;
    }
    Ok(())
}

/// The factors one and zero, as real or complex numbers; zero has the same bytes in either width.
static ONE_F32: [f32; 2] = [1.0, 0.0];
static ONE_F64: [f64; 2] = [1.0, 0.0];
static ZERO: [f64; 2] = [0.0; 2];

fn queue(
    shared: &CallShared<'_>,
    stream: &Stream,
    numbers: Numbers,
    gemm: Gemm,
    [right, left, result]: [u64; 3],
    workspace: u64,
) -> DeviceResult<()> {
    let is_f64 = shared.float_bytes == 8;
    let (ty, compute) = match (numbers, is_f64) {
        (Numbers::Real, false) => (R_32F, COMPUTE_32F),
        (Numbers::Real, true) => (R_64F, COMPUTE_64F),
        (Numbers::Complex, false) => (C_32F, COMPUTE_32F),
        (Numbers::Complex, true) => (C_64F, COMPUTE_64F),
    };
    let one: *const c_void = if is_f64 { (&raw const ONE_F64).cast() } else { (&raw const ONE_F32).cast() };
    let zero = (&raw const ZERO).cast();
    let _driver = shared.context.queue()?;
    let handle = shared.blas.lock();
    let Some(BlasHandle { raw, blas }) = &*handle else {
        return Err(DeviceError::invalid("a product before its library was prepared"));
    };
    let check = |status, doing| libraries::check(shared.context, Library::Blas, status, doing);
    // SAFETY: handle and stream are alive, and of the current context.
    check(unsafe { (blas.set_stream)(*raw, stream.raw().cast()) }, "setting its stream")?;
    // SAFETY: the workspace has that many bytes and outlives the work queued on the stream.
    let status = unsafe { (blas.set_workspace)(*raw, workspace as *mut c_void, WORKSPACE_BYTES as usize) };
    check(status, "setting its memory")?;
    // SAFETY: the operands hold all numbers of these sizes and strides, which `Launch::check` compared with their rows,
    // and the factors are of the type that the computation takes.
    let status = unsafe {
        (blas.gemm)(
            *raw,
            gemm.right.operation,
            gemm.left.operation,
            gemm.m as i64,
            gemm.n as i64,
            gemm.k as i64,
            one,
            right as *const c_void,
            ty,
            gemm.right.line as i64,
            gemm.right.stride as c_longlong,
            left as *const c_void,
            ty,
            gemm.left.line as i64,
            gemm.left.stride as c_longlong,
            zero,
            result as *mut c_void,
            ty,
            gemm.m as i64,
            gemm.stride as c_longlong,
            gemm.batch as i64,
            compute,
            ALGORITHM_DEFAULT,
        )
    };
    stream.note_work();
    check(status, "multiplying matrices")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every result of every chunk lies in exactly one slice, at its place, with operands from the right places.
    #[test]
    fn slices_cover_all_rows_of_all_products() {
        let storage = [Storage::Rows, Storage::Columns];
        for (left, operand) in storage
            .into_iter()
            .flat_map(|left| [RightOperand::Shared, RightOperand::PerChunk].map(|operand| (left, operand)))
        {
            let product = Matmul { left, operand, ..Matmul::real(1000, 64, 30) };
            for (chunks, operations) in [(1, 1e12), (1, 1e6), (7, 1e7), (3, 1e6), (5, 1.0)] {
                let whole = Gemm::new(&product, chunks);
                let mut seen = vec![0; (chunks * 1000) as usize];
                for (gemm, [right, from, to]) in whole.slices(operations) {
                    for matrix in 0..gemm.batch {
                        for row in 0..gemm.n {
                            let at = to + matrix * gemm.stride + row * gemm.m;
                            assert!(at.is_multiple_of(30));
                            seen[(at / 30) as usize] += 1;
                            let (chunk, chunk_row) = (at / 30_000, at / 30 % 1000);
                            let step = if left == Storage::Rows { 64 } else { 1 };
                            let row_from = from + matrix * gemm.left.stride + row * step;
                            assert_eq!(row_from, chunk * 64_000 + chunk_row * step, "{left:?} {operand:?}");
                            let own = if operand == RightOperand::PerChunk { chunk * 64 * 30 } else { 0 };
                            assert_eq!(right + matrix * gemm.right.stride, own);
                        }
                    }
                }
                assert!(seen.iter().all(|count| *count == 1), "{left:?} {operand:?} {chunks} {operations}");
            }
        }
    }
}
