//! The interpreter, held to tables of values and to plain second definitions of what it computes.

mod laziness;
mod loops;
mod order_free;
mod probes;
mod scalars;
mod sinks;
mod splits;
mod sums;

use pointsman_ir::body::{Body, ColumnId, ValueId};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, BuiltTable, Fault, Inputs};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::types::{DType, Repr, Scalar, Type};

/// Every type that text names without more.
pub(crate) const PLAIN: [DType; 13] = [
    DType::Bool,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::F32,
    DType::F64,
    DType::Date32,
    DType::Timestamp,
];

/// A type by its name.
pub(crate) fn dtype(name: &str) -> DType {
    if let Some(digits) = name.strip_prefix("decimal(") {
        let (precision, scale) = digits.trim_end_matches(')').split_once(',').unwrap();
        return DType::decimal(precision.parse().unwrap(), scale.parse().unwrap()).unwrap();
    }
    PLAIN.into_iter().find(|dtype| dtype.to_string() == name).unwrap_or_else(|| panic!("no type {name}"))
}

/// A value by its text.
pub(crate) fn value(text: &str, dtype: DType) -> Option<Scalar> {
    match (text, dtype.repr()) {
        ("null", _) => None,
        (text, Repr::Bool) => Some(Scalar::Bool(text == "true")),
        (text, Repr::F32) => Some(Scalar::F32(text.parse().unwrap())),
        (text, Repr::F64) => Some(Scalar::F64(text.parse().unwrap())),
        (text, repr) => Some(Scalar::from_integer(repr, text.parse().unwrap()).unwrap()),
    }
}

/// Values by their texts, between spaces.
pub(crate) fn column(ty: Type, texts: &str) -> ColumnData {
    ColumnData::from_scalars(ty, texts.split_whitespace().map(|text| value(text, ty.dtype)))
}

/// A kernel over these columns: `build` makes the body from the columns' values and says the mask and the sink.
pub(crate) fn kernel(columns: &[Type], build: impl FnOnce(&mut Body, &[ValueId]) -> (Option<ValueId>, Sink)) -> Kernel {
    let mut body = Body::new();
    let values: Vec<ValueId> = columns.iter().enumerate().map(|(i, &ty)| body.column(ColumnId(i as u32), ty)).collect();
    let (mask, sink) = build(&mut body, &values);
    Kernel { columns: columns.to_vec(), params: vec![], lists: vec![], tables: vec![], body, mask, sink }
}

/// Runs a kernel over columns alone.
pub(crate) fn run(kernel: &Kernel, columns: &[ColumnData]) -> Result<TableData, Fault> {
    interpret::run(kernel, &inputs(columns, &[]))
}

pub(crate) fn inputs<'a>(columns: &'a [ColumnData], tables: &'a [BuiltTable]) -> Inputs<'a> {
    let rows = columns.first().map_or(0, ColumnData::len);
    Inputs { columns, params: &[], lists: &[], tables, first_row: 0, rows }
}

/// Numbers that look random, the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ (self.0 >> 29)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 8) % end
    }

    /// A double in −1..1 times a power of two up to `2^±range`.
    pub(crate) fn float(&mut self, range: i32) -> f64 {
        let unit = self.below(1 << 53) as f64 / (1u64 << 52) as f64 - 1.0;
        unit * 2f64.powi(self.below(2 * range as u64 + 1) as i32 - range)
    }

    /// A column with nulls where it may, edge values now and then.
    pub(crate) fn column(&mut self, ty: Type, rows: usize) -> ColumnData {
        ColumnData::from_scalars(
            ty,
            (0..rows).map(|_| (!ty.nullable || self.below(5) > 0).then(|| self.scalar(ty.dtype))),
        )
    }

    fn scalar(&mut self, dtype: DType) -> Scalar {
        let edges = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 5e-324, f64::MAX];
        let float = match self.below(200) {
            edge @ 0..7 => edges[edge as usize],
            _ => self.float(30),
        };
        match dtype.repr() {
            Repr::F32 => Scalar::F32(float as f32),
            Repr::F64 => Scalar::F64(float),
            Repr::Bool => Scalar::Bool(self.below(3) == 0),
            repr => Scalar::from_bits(repr, self.below(1000).into()),
        }
    }
}
