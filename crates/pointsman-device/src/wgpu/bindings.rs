//! The bindings of a launch: checks its columns and outputs, and finds the memory of each binding and the argument
//! words.

use super::buffers::{BufferTable, VECTOR_BYTES, create};
use super::gpu::Gpu;
use super::scratch::Scratch;
use crate::convert::value_bytes;
use crate::host::BoolLayout;
use crate::launch::{ColumnInput, ColumnOutput, Form, Launch, capacity};
use crate::{BufferRange, DeviceError, DeviceResult};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::render::wgsl::{Arguments, Binding, WgslSource};
use pointsman_ir::types::{DType, Repr, Type};
use wgpu::BufferUsages;

/// Flag: the column has a bitmap.
const HAS_BITMAP: u32 = 1;
/// Flag: the column's values are its row numbers.
const ROW_NUMBERS: u32 = 2;

/// The memory of a binding.
#[derive(Clone)]
pub(super) struct BoundBuffer {
    pub(super) binding: Binding,
    pub(super) buffer: wgpu::Buffer,
    pub(super) offset: u64,
    /// The size in bytes, for bindings that do not depend on the rows.
    pub(super) bytes: u64,
    /// Bits per row, if each dispatch binds only the rows that it processes.
    pub(super) row_bits: Option<u64>,
}

/// All bindings of a launch.
pub(super) struct Bindings {
    pub(super) bound: Vec<BoundBuffer>,
    /// The argument words, except for those of a dispatch.
    pub(super) words: Vec<u32>,
    /// Copies of buffers that are both read and written.
    pub(super) copied: Vec<(wgpu::Buffer, u64, wgpu::Buffer, u64)>,
}

/// The size of a value in a device buffer, in bits.
pub(super) fn value_bits(repr: Repr) -> u64 {
    if repr == Repr::Bool { 1 } else { 8 * repr.bytes() as u64 }
}

/// The types of a launch's outputs, each with the number of rows that it must have room for.
pub(super) fn outputs(kernel: &Kernel, form: Form, rows: usize) -> Vec<(Type, usize)> {
    let (row_room, node_room) = capacity(kernel, form, rows);
    match form {
        Form::Whole => kernel.output().into_iter().map(|ty| (ty, row_room)).collect(),
        Form::Partial => {
            let schema = kernel.partial();
            let rows = schema.rows.into_iter().map(|ty| (ty, row_room));
            rows.chain(schema.nodes.into_iter().map(|ty| (ty, node_room))).collect()
        }
    }
}

/// Finds and checks the memory of a launch.
pub(super) struct Binder<'a, 'l, 'o> {
    pub(super) gpu: &'a Gpu,
    pub(super) buffers: &'a BufferTable,
    pub(super) scratch: &'a Scratch,
    pub(super) align: u64,
    pub(super) kernel: &'a Kernel,
    pub(super) source: &'a WgslSource,
    pub(super) launch: &'a Launch<'l, 'o>,
}

impl Binder<'_, '_, '_> {
    /// The bindings of the launch; `nodes` is the memory of its leaf tree.
    pub(super) fn bind(&self, nodes: Option<(wgpu::Buffer, u64)>) -> DeviceResult<Bindings> {
        let dummy = self.scratch.nothing(self.gpu)?;
        let mut bindings = Bindings { bound: Vec::new(), words: self.words()?, copied: Vec::new() };
        for &binding in &self.source.bindings {
            let bound = match binding {
                Binding::Nodes => nodes.clone().map(|(nodes, bytes)| (nodes, 0, bytes, None)),
                Binding::Column(_) | Binding::ColumnValidity(_) | Binding::List(_) => self.read(binding)?,
                Binding::TableColumn(..) | Binding::TableValidity(..) => self.read(binding)?,
                Binding::Output(_) | Binding::OutputValidity(_) => self.written(binding)?,
            };
            let (buffer, offset, bytes, row_bits) = bound.unwrap_or((dummy.clone(), 0, VECTOR_BYTES, None));
            bindings.bound.push(BoundBuffer { binding, buffer, offset, bytes, row_bits });
        }
        self.copy_aliased_reads(&mut bindings)?;
        Ok(bindings)
    }

    /// A buffer cannot be bound for reading and for writing at once: the parts that are read are copied.
    fn copy_aliased_reads(&self, bindings: &mut Bindings) -> DeviceResult<()> {
        let written: Vec<wgpu::Buffer> =
            bindings.bound.iter().filter(|one| one.binding.is_written()).map(|one| one.buffer.clone()).collect();
        for one in &mut bindings.bound {
            if one.binding.is_written() || !written.contains(&one.buffer) {
                continue;
            }
            let bytes = one.bytes.next_multiple_of(VECTOR_BYTES).min(one.buffer.size() - one.offset);
            let copy = create(self.gpu, bytes, BufferUsages::STORAGE | BufferUsages::COPY_DST)?;
            bindings.copied.push((one.buffer.clone(), one.offset, copy.clone(), bytes));
            (one.buffer, one.offset) = (copy, 0);
        }
        Ok(())
    }

    fn input(&self, binding: Binding) -> DeviceResult<(&ColumnInput<'_>, Type, bool)> {
        let launch = self.launch;
        let found = match binding {
            Binding::Column(i) | Binding::ColumnValidity(i) => {
                launch.columns.get(i).map(|column| (column, self.kernel.columns[i], true))
            }
            Binding::List(i) => launch.lists.get(i).map(|list| (list, self.kernel.lists[i].required(), false)),
            Binding::TableColumn(t, c) | Binding::TableValidity(t, c) => {
                let column = launch.tables.get(t).and_then(|table| table.columns.get(c));
                column.map(|column| (column, self.kernel.tables[t].columns[c], false))
            }
            Binding::Output(_) | Binding::OutputValidity(_) | Binding::Nodes => None,
        };
        found.ok_or_else(|| DeviceError::invalid(format!("the launch has no {binding:?}")))
    }

    #[expect(clippy::type_complexity, reason = "four plain parts of a `BoundBuffer`")]
    fn read(&self, binding: Binding) -> DeviceResult<Option<(wgpu::Buffer, u64, u64, Option<u64>)>> {
        let (column, ty, by_row) = self.input(binding)?;
        let ColumnInput::Device { values, validity, rows } = column else { return Err(no_host_memory()) };
        if by_row && *rows < self.launch.rows {
            return Err(DeviceError::invalid(format!(
                "{rows} rows of {binding:?}, where the launch has {}",
                self.launch.rows
            )));
        }
        let is_bitmap = matches!(binding, Binding::ColumnValidity(_) | Binding::TableValidity(..));
        let numbers = ty.dtype == DType::Opaque && values.bytes == 0;
        let (range, bits) = match (is_bitmap, validity) {
            (true, Some(validity)) => (*validity, 1),
            (true, None) => return Ok(None),
            (false, _) if numbers => return Ok(None),
            (false, _) => (*values, value_bits(ty.dtype.repr())),
        };
        let needed = (*rows as u64 * bits).div_ceil(8);
        let buffer = self.range(range, needed, &format!("{binding:?}"))?;
        Ok(Some((buffer, range.offset, needed, by_row.then_some(bits))))
    }

    #[expect(clippy::type_complexity, reason = "four plain parts of a `BoundBuffer`")]
    fn written(&self, binding: Binding) -> DeviceResult<Option<(wgpu::Buffer, u64, u64, Option<u64>)>> {
        let (Binding::Output(k) | Binding::OutputValidity(k)) = binding else { return Ok(None) };
        let (ty, room) = outputs(self.kernel, self.launch.form, self.launch.rows)[k];
        let ColumnOutput::Device { values, validity } = &self.launch.outputs[k] else { return Err(no_host_memory()) };
        let missing = || DeviceError::invalid(format!("output {k} is a {ty} and has no bitmap"));
        let (range, bits) = if matches!(binding, Binding::OutputValidity(_)) {
            (validity.ok_or_else(missing)?, 1)
        } else {
            (*values, value_bits(ty.dtype.repr()))
        };
        let needed = (room as u64 * bits).div_ceil(8);
        let buffer = self.range(range, needed, &format!("{binding:?}"))?;
        Ok(Some((buffer, range.offset, needed, Some(bits))))
    }

    fn range(&self, range: BufferRange, needed: u64, what: &str) -> DeviceResult<wgpu::Buffer> {
        if range.bytes < needed {
            return Err(DeviceError::invalid(format!("{} bytes for {what}, which takes {needed}", range.bytes)));
        }
        if !range.offset.is_multiple_of(self.align) {
            let message = format!("{what} starts at byte {}, which is no multiple of {}", range.offset, self.align);
            return Err(DeviceError::invalid(message));
        }
        self.buffers.get(range)
    }

    /// The words of the parameters, flags and lengths.
    fn words(&self) -> DeviceResult<Vec<u32>> {
        let arguments: &Arguments = &self.source.arguments;
        let mut words = vec![0; arguments.words()];
        for (number, param) in self.launch.params.iter().enumerate() {
            let at = arguments.param(number);
            if let Some(value) = param {
                // Narrow signed integers are held in 32 bits.
                let wide = value.as_integer().map_or(value.bits(), |value| value as u128);
                (words[at], words[at + 1], words[at + 2]) = (wide as u32, (wide >> 32) as u32, 1);
            }
        }
        for (number, (column, ty)) in self.launch.columns.iter().zip(&self.kernel.columns).enumerate() {
            words[arguments.column_flags(number)] = flags(column, *ty);
        }
        for (number, list) in self.launch.lists.iter().enumerate() {
            words[arguments.list_rows(number)] = rows_of(list)?;
        }
        for (number, table) in self.launch.tables.iter().enumerate() {
            let rows = u32::try_from(table.rows).map_err(|_| too_long())?;
            words[arguments.table_rows(number)] = rows;
            let sides = table.columns.iter().zip(&self.kernel.tables[number].columns);
            for (at, (column, ty)) in sides.enumerate() {
                words[arguments.table_flags(number, at)] = flags(column, *ty);
            }
        }
        Ok(words)
    }
}

fn flags(column: &ColumnInput<'_>, ty: Type) -> u32 {
    let ColumnInput::Device { values, validity, .. } = column else { return 0 };
    let numbers = ty.dtype == DType::Opaque && values.bytes == 0;
    (if validity.is_some() { HAS_BITMAP } else { 0 }) | if numbers { ROW_NUMBERS } else { 0 }
}

fn rows_of(column: &ColumnInput<'_>) -> DeviceResult<u32> {
    let ColumnInput::Device { rows, .. } = column else { return Err(no_host_memory()) };
    u32::try_from(*rows).map_err(|_| too_long())
}

fn no_host_memory() -> DeviceError {
    DeviceError::invalid("this device reads and writes its own buffers only")
}

fn too_long() -> DeviceError {
    DeviceError::unsupported("tables of 2^32 rows and more")
}

/// Checks an output that the host writes.
pub(super) fn check_output(
    output: &ColumnOutput<'_>,
    ty: Type,
    room: usize,
    buffers: &BufferTable,
) -> DeviceResult<HostOutput> {
    let ColumnOutput::Device { values, validity } = output else { return Err(no_host_memory()) };
    let room_of = |range: &BufferRange, needed: usize| {
        if range.bytes < needed as u64 {
            return Err(DeviceError::invalid(format!("{} bytes for an output that takes {needed}", range.bytes)));
        }
        Ok((buffers.get(*range)?, range.offset))
    };
    let values = room_of(values, value_bytes(ty, BoolLayout::Bits, room))?;
    let validity = match (ty.nullable, validity) {
        (true, None) => return Err(DeviceError::invalid(format!("an output is a {ty} and has no bitmap"))),
        (true, Some(range)) => Some(room_of(range, room.div_ceil(8))?),
        (false, _) => None,
    };
    Ok(HostOutput { values, validity })
}

/// The memory of an output column that the host or a copy writes.
#[derive(Clone)]
pub(super) struct HostOutput {
    pub(super) values: (wgpu::Buffer, u64),
    pub(super) validity: Option<(wgpu::Buffer, u64)>,
}
