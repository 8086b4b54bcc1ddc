//! Tests of launch arguments, without a card.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::launch::TableInput;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::types::Scalar;

const KERNEL: &str = "kernel
columns c0: i64?, c1: opaque
params p0: i32, p1: f64?
lists l0: u8
tables t0: keys() columns(f32)
  v0: i64? = column c0
  v1: bool = is_null v0
sink compact v0, v1
";

/// Buffer 1 has 4,096 bytes from address 0x10000, buffer 2 has 64 from 0x20000.
fn find(buffer: BufferId) -> DeviceResult<Span> {
    match buffer.0 {
        1 => Ok(Span { address: 0x1_0000, bytes: 4096 }),
        2 => Ok(Span { address: 0x2_0000, bytes: 64 }),
        other => Err(DeviceError::invalid(format!("there is no buffer {other}"))),
    }
}

fn range(buffer: u64, offset: u64, bytes: u64) -> BufferRange {
    BufferRange { buffer: BufferId(buffer), offset, bytes }
}

fn column(values: BufferRange, validity: Option<BufferRange>, rows: usize) -> ColumnInput<'static> {
    ColumnInput::Device { values, validity, rows }
}

/// The words of a valid launch after a change.
fn words(change: impl FnOnce(&mut LaunchParts)) -> DeviceResult<Arguments> {
    let mut parts = LaunchParts {
        rows: 100,
        columns: vec![column(range(1, 0, 800), Some(range(2, 16, 13)), 100), column(range(1, 0, 0), None, 100)],
        list: column(range(1, 1024, 3), None, 3),
        table_column: column(range(1, 2048, 40), None, 10),
        table_rows: 10,
        outputs: vec![(range(1, 1600, 800), Some(range(1, 2400, 13))), (range(2, 32, 13), Some(range(2, 48, 13)))],
    };
    change(&mut parts);
    let kernel = parse(KERNEL).unwrap();
    let types = kernel.output();
    let output = |&(values, validity): &(BufferRange, Option<BufferRange>)| ColumnOutput::Device { values, validity };
    let mut outputs: Vec<ColumnOutput<'_>> = parts.outputs.iter().map(output).collect();
    let launch = Launch {
        first_row: 4096,
        rows: parts.rows,
        first_match: 0,
        form: Form::Whole,
        columns: &parts.columns,
        params: &[Some(Scalar::I32(-1)), None],
        lists: &[parts.list],
        tables: &[TableInput { index: None, columns: &[parts.table_column], rows: parts.table_rows }],
        outputs: &mut outputs,
    };
    of_kernel(&kernel, &types, &[], &launch, find)
}

struct LaunchParts {
    rows: usize,
    columns: Vec<ColumnInput<'static>>,
    list: ColumnInput<'static>,
    table_column: ColumnInput<'static>,
    table_rows: usize,
    outputs: Vec<(BufferRange, Option<BufferRange>)>,
}

#[test]
fn words_have_the_documented_order() {
    let arguments = words(|_| ()).unwrap();
    let minus_one = Scalar::I32(-1).bits();
    let expected = [
        &[100, 4096, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &[0x1_0000, 0x2_0010, 0, 0],
        &[minus_one as u64, (minus_one >> 64) as u64, 1, 0, 0, 0],
        &[0x1_0400, 3],
        &[10, 0x1_0800, 0],
        &[0x1_0640, 0x1_0960, 0x2_0020, 0],
    ];
    assert_eq!(arguments.words.as_slice(), expected.concat());
    let places = pointsman_ir::render::cuda::Words::of(&parse(KERNEL).unwrap());
    assert_eq!((places.column(1), places.param(1), places.list(0)), (12, 17, 20));
    assert_eq!((places.table(0, 0), places.output(1), places.count()), ((22, 23), 27, arguments.words.len()));
    let bits = [Span { address: 0x1_0960, bytes: 13 }, Span { address: 0x2_0020, bytes: 13 }];
    assert_eq!(arguments.bits.as_slice(), bits, "gathered bits start as zeros");
}

#[test]
fn invalid_arguments_are_refused() {
    let refused = |change: fn(&mut LaunchParts), part: &str| {
        let error = words(change).unwrap_err();
        assert_eq!(error.kind, crate::DeviceErrorKind::InvalidArgument, "{error}");
        assert!(error.message.contains(part), "{error}");
    };
    refused(|parts| parts.columns[0] = column(range(9, 0, 800), None, 100), "no buffer 9");
    refused(|parts| parts.columns[0] = column(range(1, 8, 800), None, 100), "column 0: byte 8 is no multiple");
    refused(|parts| parts.columns[0] = column(range(1, 0, 799), None, 100), "799 bytes, where 800");
    refused(|parts| parts.columns[0] = column(range(1, 3600, 800), None, 100), "do not lie in a buffer");
    refused(|parts| parts.columns[0] = column(range(1, u64::MAX - 15, 800), None, 100), "do not lie in a buffer");
    refused(|parts| parts.columns[0] = column(range(1, 0, 800), Some(range(2, 0, 12)), 100), "12 bytes");
    refused(|parts| parts.columns[0] = column(range(1, 0, 800), None, 99), "99 rows");
    refused(|parts| parts.columns[0] = ColumnInput::Host(&[]), "host's memory");
    refused(|parts| parts.columns.truncate(1), "1 columns");
    refused(|parts| parts.list = column(range(2, 0, 64), None, 65), "captured table 0");
    refused(|parts| parts.table_rows = 11, "table 0");
    refused(|parts| parts.outputs[0].0.bytes = 792, "output 0: 792 bytes");
    refused(|parts| parts.outputs[0].1 = None, "no bitmap");
    refused(|parts| parts.rows = 1 << 50, "at most");
}
