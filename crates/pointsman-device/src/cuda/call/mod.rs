//! Library calls on a card: matrix products by cuBLAS, Fourier transforms and convolutions by cuFFT, and everything that
//! these libraries lack, or a card without them, by our own kernels.
//!
//! The expressions that a call reads run first, as a program that stores its value in scratch memory; a call of a plain
//! column reads the column in place. Nothing here waits for the card, except for long calls, which are queued in slices
//! (`slices`). In order of use: `image` the stored form, `libraries` the functions of NVIDIA's libraries, `blas`,
//! `transform`, `convolve` and `own` the calls, `lines` the copies around them.

mod blas;
mod convolve;
mod image;
mod libraries;
mod lines;
mod own;
mod slices;
mod transform;

#[cfg(all(test, feature = "testing"))]
mod tests;

pub(super) use blas::BlasHandle;

use super::arguments::{Span, of_kernel};
use super::context::Context;
use super::copies::CopyEngine;
use super::launch::{self, CudaShared, Queued, Zombies};
use super::memory::{Block, Memory, taken_bytes};
use super::program::CudaProgram;
use super::stream::Stream;
use crate::launch::{ColumnOutput, Launch, Outcome};
use crate::sync::Mutex;
use crate::{BufferId, BufferRange, DeviceError, DeviceResult, ProgramImage};
use convolve::ConvolveProgram;
use image::OpenedCall;
use lines::LineCopies;
use own::OwnProgram;
use pointsman_ir::body::{Inst, ListId, ValueId};
use pointsman_ir::kernel::call::Method;
use pointsman_ir::kernel::{Call, Kernel, Sink};
use pointsman_ir::render::cuda::Words;
use pointsman_ir::types::DType;
use std::sync::Arc;
use transform::TransformProgram;

/// The number of the scratch memory that holds the rows of a call: no buffer of a device has it.
const ROWS_BUFFER: BufferId = BufferId(u64::MAX);

/// What the parts of a call share.
struct CallShared<'a> {
    context: &'a Arc<Context>,
    memory: &'a Arc<Memory>,
    copies: &'a CopyEngine,
    side_stream: &'a Arc<Stream>,
    blas: &'a Mutex<Option<BlasHandle>>,
    multiprocessors: u32,
    /// The size of a float of the call.
    float_bytes: u64,
}

impl<'a> CallShared<'a> {
    fn new(shared: &'a CudaShared, dtype: DType) -> CallShared<'a> {
        let CudaShared { context, memory, copies, side_stream, blas, multiprocessors, .. } = shared;
        let float_bytes = dtype.repr().bytes() as u64;
        CallShared { context, memory, copies, side_stream, blas, multiprocessors: *multiprocessors, float_bytes }
    }
}

/// Which code runs a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Provider {
    /// cuBLAS.
    Blas,
    /// cuFFT, with the copies of `lines`.
    Fft,
    /// The kernels of `call_kernels`.
    Own,
}

impl Provider {
    /// The code for a call on this machine, and why it is our own.
    fn of(call: &Call) -> (Provider, String) {
        let found = |library: Result<Provider, &str>| match library {
            Ok(provider) => (provider, String::new()),
            Err(reason) => (Provider::Own, reason.to_string()),
        };
        match call {
            Call::Matmul(_) => found(libraries::blas().map(|_| Provider::Blas)),
            Call::Fft(_) => found(libraries::fft().map(|_| Provider::Fft)),
            Call::Convolve(sum) => match sum.method {
                Method::Transform => found(libraries::fft().map(|_| Provider::Fft)),
                Method::Sum => (Provider::Own, String::new()),
            },
        }
    }
}

/// A loaded kernel with the sink `Call`.
pub(super) struct CudaCall {
    kernel: Kernel,
    call: Call,
    table: Option<ListId>,
    dtype: DType,
    input: CallRowSource,
    code: CallCode,
    /// How it runs, for people.
    pub(super) description: String,
}

/// The rows of a call.
enum CallRowSource {
    /// A column of the kernel, as it is.
    Column(usize),
    /// What this program stores.
    Stored(Arc<CudaProgram>),
}

/// The code of a call.
enum CallCode {
    Matmul,
    Fft(Box<TransformProgram>, LineCopies),
    Convolve(Box<ConvolveProgram>, LineCopies),
    Own(Box<OwnProgram>),
}

/// The parts of a kernel with the sink `Call`; `None` for other kernels.
pub(super) fn parts(kernel: &Kernel) -> Option<(Call, ValueId, Option<ListId>, DType)> {
    match kernel.sink {
        Sink::Call { call, value, table } => Some((call, value, table, kernel.body.ty(value).dtype)),
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => None,
        Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } => None,
    }
}

/// The kernel that stores the rows of a call; `None` if they are a column as it is.
pub(super) fn stored_rows(kernel: &Kernel) -> Option<Kernel> {
    let (_, value, _, _) = parts(kernel)?;
    let is_column = matches!(kernel.body.inst(value), Inst::Column(_));
    (!is_column).then(|| Kernel { sink: Sink::Store { columns: vec![value] }, ..kernel.clone() })
}

/// Whether the card can run a call, apart from the expressions that it reads.
pub(super) fn supports(call: &Call, dtype: DType) -> DeviceResult<()> {
    match (Provider::of(call).0, call) {
        (Provider::Fft, Call::Convolve(sum)) => convolve::supports(sum),
        (Provider::Blas | Provider::Fft, _) => Ok(()),
        (Provider::Own, _) => own::supports(call, dtype),
    }
}

/// Whether launches may have a part of a product's rows: those of cuBLAS take any number. Our own kernels are made for
/// whole chunks.
pub(super) fn cuts_chunks() -> bool {
    libraries::blas().is_ok()
}

/// Compiles a call; `stored` is the image of [`stored_rows`].
pub(super) fn compile(
    format: &str,
    architecture: &str,
    kernel: &Kernel,
    stored: Option<ProgramImage>,
) -> DeviceResult<ProgramImage> {
    let Some((call, _, _, dtype)) = parts(kernel) else { return Err(DeviceError::invalid("no call")) };
    let (provider, _) = Provider::of(&call);
    let code = match provider {
        Provider::Blas => Vec::new(),
        Provider::Fft => lines::compile(dtype, architecture)?,
        Provider::Own => own::compile(&call, dtype, architecture)?,
    };
    Ok(image::image(format, kernel, provider, stored.as_ref(), &code))
}

/// Whether an image is one of a call.
pub(super) fn is_image(format: &str, image: &ProgramImage) -> bool {
    image.format == image::format_of_calls(format)
}

impl CudaCall {
    /// Loads an undamaged image of this card's architecture; `load_stored` loads the program of its expressions.
    pub(super) fn load(
        shared: &CudaShared,
        format: &str,
        image: &ProgramImage,
        load_stored: impl FnOnce(&ProgramImage) -> DeviceResult<CudaProgram>,
    ) -> DeviceResult<CudaCall> {
        let OpenedCall { kernel, provider, stored, code } = image::open(format, image)?;
        let Some((call, value, table, dtype)) = parts(&kernel) else { return Err(image::no_call()) };
        let (provided, missing) = Provider::of(&call);
        if provided != provider {
            return Err(image::other_provider());
        }
        let input = match (kernel.body.inst(value), stored) {
            (Inst::Column(column), _) => CallRowSource::Column(column.index()),
            (_, Some(stored)) => CallRowSource::Stored(Arc::new(load_stored(&stored)?)),
            (_, None) => return Err(image::no_call()),
        };
        let parts = CallShared::new(shared, dtype);
        let load_lines = || LineCopies::load(&shared.context, &shared.memory, code);
        let is_f64 = dtype == DType::F64;
        let (code, library) = match (provider, call) {
            (Provider::Blas, _) => (CallCode::Matmul, blas::prepare(&parts)?),
            (Provider::Fft, Call::Fft(fft)) => {
                (CallCode::Fft(Box::new(TransformProgram::new(&fft, is_f64)), load_lines()?), transform::prepare()?)
            }
            (Provider::Fft, Call::Convolve(sum)) => {
                let program = Box::new(ConvolveProgram::new(&sum, is_f64));
                (CallCode::Convolve(program, load_lines()?), transform::prepare()?)
            }
            (Provider::Fft, Call::Matmul(_)) => return Err(image::no_call()),
            (Provider::Own, _) => {
                let reason = if missing.is_empty() { String::new() } else { format!(" ({missing})") };
                (
                    CallCode::Own(Box::new(OwnProgram::load(&parts, &call, dtype, code)?)),
                    format!("our own kernels{reason}"),
                )
            }
        };
        let description = match &input {
            CallRowSource::Column(_) => format!("{} by {library}", call.name()),
            CallRowSource::Stored(_) => format!("{} by {library}, after a kernel of its rows", call.name()),
        };
        Ok(CudaCall { kernel, call, table, dtype, input, code, description })
    }

    /// The memory that a launch over `rows` rows takes at most, besides its columns, table and output.
    pub(super) fn scratch_bytes(&self, multiprocessors: u32, rows: u64) -> u64 {
        let float_bytes = self.dtype.repr().bytes() as u64;
        let chunks = rows.div_ceil(self.call.rows_in());
        if chunks == 0 {
            return 0;
        }
        let stored = match self.input {
            CallRowSource::Column(_) => 0,
            CallRowSource::Stored(_) => rows.saturating_mul(float_bytes),
        };
        let blocks = match &self.code {
            CallCode::Matmul => vec![blas::WORKSPACE_BYTES],
            CallCode::Fft(program, _) => program.scratch_bytes(chunks, float_bytes),
            CallCode::Convolve(program, _) => program.scratch_bytes(multiprocessors, chunks, float_bytes),
            CallCode::Own(program) => program.scratch_bytes(chunks),
        };
        let blocks = blocks.into_iter().chain([stored]).filter(|bytes| *bytes > 0);
        blocks.map(|bytes| taken_bytes(bytes).unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
    }

    /// Queues a launch; `find` looks up the device's buffers. If the call cannot be queued behind its stored rows, their
    /// launch joins the abandoned ones.
    pub(super) fn queue(
        &self,
        shared: &CudaShared,
        zombies: &Zombies,
        stream: &Arc<Stream>,
        launch: &Launch<'_, '_>,
        find: impl Fn(BufferId) -> DeviceResult<Arc<Block>>,
    ) -> DeviceResult<Queued> {
        let mut held = Vec::new();
        let arguments = of_kernel(&self.kernel, &self.kernel.output(), &[], launch, |buffer| {
            let block = find(buffer)?;
            let span = Span { address: block.address(), bytes: block.bytes() };
            held.push(block);
            Ok(span)
        })?;
        if launch.rows == 0 {
            return Ok(Queued::Known(Outcome::default()));
        }
        let call = self.call.over(launch.rows as u64);
        if call != self.call && matches!(self.code, CallCode::Own(_)) {
            return Err(DeviceError::invalid("a part of a chunk, where our own kernels compute the call"));
        }
        let parts = CallShared::new(shared, self.dtype);
        let words = Words::of(&self.kernel);
        let table = self.table.map_or(0, |table| arguments.words[words.list(table.index())]);
        let output = arguments.outputs[0].0.address;
        let mark_used = || held.iter().for_each(|block| block.used_by(stream));
        mark_used();
        let (rows, stored) = match &self.input {
            CallRowSource::Column(column) => (arguments.words[words.column(*column)], None),
            CallRowSource::Stored(program) => {
                let rows = Arc::new(shared.memory.scratch(launch.rows as u64 * parts.float_bytes)?);
                rows.used_by(stream);
                let queued = store(shared, stream, program, launch, &rows, &find)?;
                (rows.address(), Some((rows, queued)))
            }
        };
        let chunks = launch.rows as u64 / call.rows_in();
        let run = self.run(&parts, stream, &call, chunks, [rows, table, output]);
        mark_used();
        let count = self.kernel.sink.output_rows_max(launch.rows);
        let done = Outcome { rows: count, consumed: launch.rows, ..Outcome::default() };
        match stored {
            Some((rows, queued)) => {
                rows.used_by(stream);
                match (run, queued) {
                    (Ok(()), queued) => Ok(queued.followed_by(done)),
                    (Err(error), Queued::Known(_)) => Err(error),
                    (Err(error), Queued::Running(running)) => {
                        // Nobody waits for the rows any more.
                        zombies.add(shared, *running);
                        Err(error)
                    }
                }
            }
            None => run.map(|()| Queued::Known(done)),
        }
    }

    /// Queues the library's work over all chunks of the call that a launch computes.
    fn run(
        &self,
        parts: &CallShared<'_>,
        stream: &Arc<Stream>,
        call: &Call,
        chunks: u64,
        addresses: [u64; 3],
    ) -> DeviceResult<()> {
        let [rows, _, output] = addresses;
        match (&self.code, call) {
            (CallCode::Matmul, Call::Matmul(product)) => {
                let workspace = parts.memory.scratch(blas::WORKSPACE_BYTES)?;
                workspace.used_by(stream);
                let queued = blas::multiply(parts, stream, product, chunks, addresses, workspace.address());
                workspace.used_by(stream);
                queued
            }
            (CallCode::Matmul, Call::Fft(_) | Call::Convolve(_)) => Err(image::no_call()),
            (CallCode::Fft(program, lines), _) => program.run(parts, stream, lines, chunks, rows, output),
            (CallCode::Convolve(program, lines), _) => program.run(parts, stream, lines, chunks, addresses),
            (CallCode::Own(program), _) => program.run(parts, stream, chunks, addresses),
        }
    }
}

/// Queues the program that stores the rows of a call.
fn store(
    shared: &CudaShared,
    stream: &Arc<Stream>,
    program: &Arc<CudaProgram>,
    launch: &Launch<'_, '_>,
    rows: &Arc<Block>,
    find: &impl Fn(BufferId) -> DeviceResult<Arc<Block>>,
) -> DeviceResult<Queued> {
    let values = BufferRange { buffer: ROWS_BUFFER, offset: 0, bytes: rows.bytes() };
    let inner = Launch {
        first_row: launch.first_row,
        rows: launch.rows,
        first_match: 0,
        form: launch.form,
        columns: launch.columns,
        params: launch.params,
        lists: launch.lists,
        tables: launch.tables,
        outputs: &mut [ColumnOutput::Device { values, validity: None }],
    };
    launch::queue(
        shared,
        stream,
        program,
        &inner,
        |buffer| {
            if buffer == ROWS_BUFFER { Ok(rows.clone()) } else { find(buffer) }
        },
    )
}
