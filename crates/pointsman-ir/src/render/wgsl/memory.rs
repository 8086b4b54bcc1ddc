//! Columns in memory as WGSL: declarations of bindings, reads of a row or of four at once, writes of a moved row.

use super::arguments::{Arguments, word};
use super::types::storage_type;
use crate::types::{DType, Repr, Type};

/// How an entry point reads rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// One row at a time.
    Rows,
    /// Four consecutive rows at a time, the first a multiple of four.
    Quads,
}

/// The element of a binding that is read so.
pub(super) fn element(repr: Repr, reads: Reads) -> &'static str {
    match (repr, reads) {
        (Repr::I64 | Repr::U64 | Repr::F64, _) => "u64",
        (Repr::I128, _) => "vec4<u32>",
        (Repr::I32 | Repr::U32 | Repr::F32, Reads::Quads) => "vec4<u32>",
        (Repr::I16 | Repr::U16, Reads::Quads) => "vec2<u32>",
        (Repr::Bool | Repr::I8 | Repr::U8 | Repr::I16 | Repr::U16, _) => "u32",
        (Repr::I32 | Repr::U32 | Repr::F32, Reads::Rows) => "u32",
    }
}

/// The value at a row.
pub(super) fn at(repr: Repr, array: &str, row: &str) -> String {
    match repr {
        Repr::Bool => format!("((({array}[({row}) >> 5u] >> (({row}) & 31u)) & 1u) != 0u)"),
        Repr::U8 => format!("(({array}[({row}) >> 2u] >> ((({row}) & 3u) * 8u)) & 255u)"),
        Repr::I8 => format!("(bitcast<i32>({array}[({row}) >> 2u] << (24u - (({row}) & 3u) * 8u)) >> 24u)"),
        Repr::U16 => format!("(({array}[({row}) >> 1u] >> ((({row}) & 1u) * 16u)) & 65535u)"),
        Repr::I16 => format!("(bitcast<i32>({array}[({row}) >> 1u] << (16u - (({row}) & 1u) * 16u)) >> 16u)"),
        Repr::I32 => format!("bitcast<i32>({array}[{row}])"),
        Repr::I64 => format!("bitcast<i64>({array}[{row}])"),
        Repr::U32 | Repr::F32 | Repr::U64 | Repr::F64 | Repr::I128 => format!("{array}[{row}]"),
    }
}

/// A column that a kernel reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    pub(super) number: usize,
    pub(super) ty: Type,
    pub(super) arguments: &'a Arguments,
}

impl Column<'_> {
    fn flags(&self) -> String {
        word(self.arguments.column_flags(self.number))
    }

    /// The value at a row of the dispatch.
    pub(super) fn value_at(&self, row: &str) -> String {
        self.numbered(at(self.ty.dtype.repr(), &format!("in{}", self.number), row), row)
    }

    /// Whether the row's value is not null.
    pub(super) fn valid_at(&self, row: &str) -> String {
        let bit = at(Repr::Bool, &format!("inv{}", self.number), row);
        format!("(({} & 1u) == 0u || {bit})", self.flags())
    }

    /// Opaque values may be their rows' numbers.
    fn numbered(&self, value: String, row: &str) -> String {
        if self.ty.dtype != DType::Opaque {
            return value;
        }
        format!("select({value}, row_number({row}), ({} & 2u) != 0u)", self.flags())
    }

    /// Statements that read four rows from `base` on; the names of what several such reads make end in their set's.
    pub(super) fn read_quad(&self, set: &str) -> String {
        let i = self.number;
        let first = format!("first{set}");
        let mut text = match self.ty.dtype.repr() {
            Repr::Bool => format!("    let quad{i}{set} = in{i}[{first} >> 5u] >> ({first} & 31u);\n"),
            Repr::I8 | Repr::U8 | Repr::I16 | Repr::U16 => format!("    let quad{i}{set} = in{i}[{first} >> 2u];\n"),
            Repr::I32 | Repr::U32 | Repr::F32 => format!("    let quad{i}{set} = in{i}[{first} >> 2u];\n"),
            Repr::I64 | Repr::U64 | Repr::F64 | Repr::I128 => String::new(),
        };
        if self.ty.nullable {
            let bits = format!("inv{i}[{first} >> 5u] >> ({first} & 31u)");
            text += &format!("    let valid{i}{set} = select(15u, {bits}, ({} & 1u) != 0u);\n", self.flags());
        }
        text
    }

    /// The value of row `j` of the four.
    pub(super) fn value_of_quad(&self, j: &str, set: &str) -> String {
        let i = self.number;
        let quad = format!("quad{i}{set}");
        let value = match self.ty.dtype.repr() {
            Repr::Bool => format!("((({quad} >> {j}) & 1u) != 0u)"),
            Repr::U8 => format!("(({quad} >> (8u * {j})) & 255u)"),
            Repr::I8 => format!("(bitcast<i32>({quad} << (24u - 8u * {j})) >> 24u)"),
            Repr::U16 => format!("(({quad}[{j} >> 1u] >> (16u * ({j} & 1u))) & 65535u)"),
            Repr::I16 => format!("(bitcast<i32>({quad}[{j} >> 1u] << (16u - 16u * ({j} & 1u))) >> 16u)"),
            Repr::I32 => format!("bitcast<i32>({quad}[{j}])"),
            Repr::U32 | Repr::F32 => format!("{quad}[{j}]"),
            Repr::I64 => format!("bitcast<i64>(in{i}[min(base{set} + {j}, last)])"),
            Repr::U64 | Repr::F64 | Repr::I128 => format!("in{i}[min(base{set} + {j}, last)]"),
        };
        self.numbered(value, &format!("(base{set} + {j})"))
    }

    /// Whether the value of row `j` of the four is there.
    pub(super) fn valid_of_quad(&self, j: &str, set: &str) -> String {
        format!("(((valid{}{set} >> {j}) & 1u) != 0u)", self.number)
    }
}

/// The bits of a held value as unsigned words.
pub(super) fn bits(repr: Repr, value: &str) -> String {
    match storage_type(repr) {
        "bool" => format!("u32({value})"),
        "i32" => format!("bitcast<u32>({value})"),
        "i64" => format!("bitcast<u64>({value})"),
        _ => value.to_string(),
    }
}

/// The element of an output whose rows move, and whether its words are joined by atomic operations.
pub(super) fn moved_element(repr: Repr) -> (&'static str, bool) {
    match repr {
        Repr::Bool | Repr::I8 | Repr::U8 | Repr::I16 | Repr::U16 => ("atomic<u32>", true),
        Repr::I32 | Repr::U32 | Repr::F32 => ("u32", false),
        Repr::I64 | Repr::U64 | Repr::F64 => ("u64", false),
        Repr::I128 => ("vec4<u32>", false),
    }
}

/// A statement that writes a moved row; what is joined must be zero before.
pub(super) fn write_moved(repr: Repr, array: &str, place: &str, value: &str) -> String {
    let value = bits(repr, value);
    match repr {
        Repr::Bool => format!("if ({value} != 0u) {{ atomicOr(&{array}[{place} >> 5u], 1u << ({place} & 31u)); }}"),
        Repr::I8 | Repr::U8 => {
            format!("atomicOr(&{array}[{place} >> 2u], ({value} & 255u) << (({place} & 3u) * 8u));")
        }
        Repr::I16 | Repr::U16 => {
            format!("atomicOr(&{array}[{place} >> 1u], ({value} & 65535u) << (({place} & 1u) * 16u));")
        }
        Repr::I32 | Repr::U32 | Repr::F32 | Repr::I64 | Repr::U64 | Repr::F64 | Repr::I128 => {
            format!("{array}[{place}] = {value};")
        }
    }
}
