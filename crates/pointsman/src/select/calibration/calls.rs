//! Measures the rates of library calls, each class over larger and larger calls ([`Benchmark`]). The size of a call is
//! part of its kernel, so kernels are compiled one by one, as long as their runs are short. A class that the device
//! refuses remains a guess.

use super::benchmark::{Benchmark, LoadedKernel, ScratchColumns, load_kernel};
use super::kernels::{KernelWork, call_kernel};
use super::sampler::SLICE_TIME_MAX;
use super::tables::{Points, WORK_PART_MIN, never_shorter, tolerate};
use crate::error::Result;
use crate::select::estimator::{CallClass, Profile};
use pointsman_device::host::BoolLayout;
use pointsman_device::{ColumnInput, ColumnOutput, Form, HostChunk, Launch};
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Convolve, Fft, Matmul};
use pointsman_ir::types::DType;

/// A run takes at most about this many slices, because it cannot be cut.
const CALL_SLICES: f64 = 4.0;

/// A call to measure: `chunks` chunks at once.
#[derive(Clone, Copy)]
struct MeasuredCall {
    call: Call,
    dtype: DType,
    chunks: u64,
}

impl MeasuredCall {
    /// The calls of a class, the shortest first.
    fn of(class: CallClass) -> Vec<MeasuredCall> {
        let products = |dtype: DType| {
            let one = |size: u64| MeasuredCall { call: Matmul::real(size, size, size).into(), dtype, chunks: 1 };
            [64, 256, 512, 2048].map(one).to_vec()
        };
        let dtype = DType::F32;
        match class {
            CallClass::MatmulF32 => products(DType::F32),
            CallClass::MatmulF64 => products(DType::F64),
            CallClass::Fft => {
                let lengths = [(1 << 8, 16), (1 << 13, 1), (1 << 18, 1), (1 << 22, 1)];
                lengths
                    .map(|(length, chunks)| MeasuredCall { call: Fft::forward(length).into(), dtype, chunks })
                    .to_vec()
            }
            CallClass::Convolve => {
                let call = Convolve::line(4096, 64).into();
                [1, 64, 1024].map(|chunks| MeasuredCall { call, dtype, chunks }).to_vec()
            }
        }
    }

    /// Rows that it reads, those of its captured table, and those that it gives.
    fn rows(&self) -> [usize; 3] {
        let MeasuredCall { call, chunks, .. } = self;
        [chunks * call.rows_in(), call.table_rows(*chunks), chunks * call.rows_out()].map(|rows| rows as usize)
    }

    fn value_bytes(&self) -> usize {
        self.dtype.repr().bytes()
    }
}

impl Benchmark<'_> {
    /// Measures the rates of library calls.
    pub(super) fn measure_calls(&mut self, profile: &mut Profile) -> Result<()> {
        CallClass::ALL.into_iter().try_for_each(|class| tolerate(self.measure_call_class(class, profile)))
    }

    fn measure_call_class(&mut self, class: CallClass, profile: &mut Profile) -> Result<()> {
        let (sampler, mut points) = (self.sampler, Points::new());
        for measured in MeasuredCall::of(class) {
            let operations = measured.chunks as f64 * CallClass::of(&measured.call, measured.value_bytes() as f64).1;
            let predicted = points.last().map_or(0.0, |(_, each)| each * operations);
            let bytes = measured.rows().map(|rows| rows * measured.value_bytes());
            // The output column is half as large as the input column.
            let is_too_large = bytes.into_iter().any(|bytes| bytes > sampler.bytes_max / 2);
            if is_too_large || predicted > CALL_SLICES * SLICE_TIME_MAX.as_nanos() as f64 {
                break;
            }
            let kernel = call_kernel(&measured.call, measured.dtype);
            let kernel = sampler.slice(|| load_kernel(sampler, KernelWork::Call, kernel))?;
            let time = sampler.measure(|| self.run_call(&kernel, &measured))?;
            points.push((operations, (time - profile.launch).max(time * WORK_PART_MIN) / operations));
        }
        if !points.is_empty() {
            profile.calls[class as usize] = never_shorter(points);
        }
        Ok(())
    }

    /// Runs a call and returns when the device is done. Its captured table is the start of the column that it reads.
    fn run_call(&mut self, kernel: &LoadedKernel, measured: &MeasuredCall) -> Result<()> {
        let ([rows, table_rows, rows_out], bools) = (measured.rows(), BoolLayout::Bits);
        let bytes = |rows: usize| rows * measured.value_bytes();
        let (chunks, column, table, mut outputs);
        match &mut self.columns {
            ScratchColumns::Host { input, output } => {
                let chunk = |rows: usize| HostChunk {
                    values: &input[..bytes(rows)],
                    bools,
                    bit_offset: 0,
                    validity: None,
                    rows,
                };
                chunks = [chunk(rows), chunk(table_rows)];
                (column, table) = (ColumnInput::Host(&chunks[..1]), ColumnInput::Host(&chunks[1..]));
                outputs = [ColumnOutput::Host { values: &mut output[..bytes(rows_out)], bools, validity: None }];
            }
            ScratchColumns::Device { input, output } => {
                let part =
                    |rows: usize| ColumnInput::Device { values: input.range(0..bytes(rows)), validity: None, rows };
                (column, table) = (part(rows), part(table_rows));
                outputs = [ColumnOutput::Device { values: output.range(0..bytes(rows_out)), validity: None }];
            }
        }
        let lists: &[_] = if measured.call.has_table() { &[table] } else { &[] };
        let mut launch = Launch {
            first_row: 0,
            rows,
            first_match: 0,
            form: Form::Whole,
            columns: &[column],
            params: &[],
            lists,
            tables: &[],
            outputs: &mut outputs,
        };
        let status = self.sampler.device.launch(self.stream, kernel.program.id, &mut launch)?;
        self.finish(status)
    }
}
