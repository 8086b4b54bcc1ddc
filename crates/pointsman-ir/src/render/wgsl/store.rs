//! The `store` sink: an invocation computes rows by fours, so that it owns whole words of every output but bits, which
//! eight invocations put together.

use super::memory::{Column, Reads, bits, element};
use super::row::{Field, Writer};
use super::types::storage_type;
use crate::body::ValueId;
use crate::render::NotRendered;
use crate::types::Repr;

/// The functions of the sink.
pub(super) fn functions(writer: &Writer<'_>, columns: &[ValueId]) -> Result<String, NotRendered> {
    let masked = writer.kernel().mask.is_some();
    let mut fields = Vec::new();
    for (k, &v) in columns.iter().enumerate() {
        let there = [masked.then(|| writer.selected()), Some(writer.valid(v))];
        let there: Vec<String> = there.into_iter().flatten().filter(|text| text != "true").collect();
        let there = if there.is_empty() { "true".to_string() } else { format!("({})", there.join(" && ")) };
        let repr = writer.kernel().body.ty(v).dtype.repr();
        fields.push(Field::new(format!("o{k}"), storage_type(repr), writer.leaving(v, &there)));
        fields.push(Field::new(format!("q{k}"), "bool", there));
    }
    Ok(writer.row(fields)? + &entry(writer, columns))
}

/// The element of an output's binding.
pub(super) fn output_element(repr: Repr) -> &'static str {
    element(repr, Reads::Quads)
}

struct Output {
    k: usize,
    repr: Repr,
    nullable: bool,
}

fn entry(writer: &Writer<'_>, columns: &[ValueId]) -> String {
    let body = &writer.kernel().body;
    let masked = writer.kernel().mask.is_some();
    let outputs: Vec<Output> = (columns.iter().enumerate())
        .map(|(k, &v)| Output { k, repr: body.ty(v).dtype.repr(), nullable: masked || body.ty(v).nullable })
        .collect();
    let reads = writer.columns();
    let masks: String = outputs.iter().flat_map(masks).map(|(name, ..)| format!("  var {name} = 0u;\n")).collect();
    let together = writer.quads_together();
    let loads: String = (0..together).map(|number| load(&reads, number)).collect();
    let sets: String = (0..together).map(|number| set(writer, &outputs, number)).collect();
    let packed: String = outputs.iter().flat_map(masks_of).map(|(mask, array)| pack(&mask, &array)).collect();
    format!(
        "var<workgroup> shared_bits: array<u32, 128>;
@compute @workgroup_size(128)
fn store(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let rows = args[0].x;
  let start = (group.x + group.y * args[0].w) * 4096u;
  if (start >= rows) {{ return; }}
  let last = rows - 1u;
{masks}  for (var step = 0u; step < {steps}; step += {together}u) {{
{loads}{sets}  }}
{packed}}}\n",
        steps = writer.bound(8),
    )
}

/// Statements that read four rows of every column.
fn load(reads: &[Column<'_>], number: u32) -> String {
    let set = format!("_{number}");
    let quads: String = reads.iter().map(|column| column.read_quad(&set)).collect();
    format!(
        "    let base{set} = start + (step + {number}u) * 512u + lane * 4u;
    let first{set} = min(base{set}, last & ~3u);\n{quads}"
    )
}

/// Statements that compute and write four rows that were read.
fn set(writer: &Writer<'_>, outputs: &[Output], number: u32) -> String {
    let set = format!("_{number}");
    let rows = if writer.rows_together() > 1 {
        ["0u", "1u", "2u", "3u"].iter().map(|j| one_row(writer, &set, outputs, j)).collect()
    } else {
        let row = one_row(writer, &set, outputs, "j");
        format!("    for (var j = 0u; j < {}; j++) {{\n{row}    }}\n", writer.bound(4))
    };
    let declared: String = outputs.iter().map(declare).collect();
    let written: String = outputs.iter().map(write_words).collect();
    format!(
        "    {{
    let base = base{set};
    let k = step + {number}u;
{declared}{rows}    if (base < rows) {{
{written}    }}
    }}\n"
    )
}

/// Variables for the words of an output's four rows.
fn declare(output: &Output) -> String {
    let k = output.k;
    match output.repr {
        Repr::I32 | Repr::U32 | Repr::F32 => format!("    var t{k} = vec4<u32>();\n"),
        Repr::I16 | Repr::U16 => format!("    var t{k} = vec2<u32>();\n"),
        Repr::I8 | Repr::U8 => format!("    var t{k} = 0u;\n"),
        Repr::Bool | Repr::I64 | Repr::U64 | Repr::F64 | Repr::I128 => String::new(),
    }
}

/// The names of the masks an output collects bits in, what each collects, and where it goes.
fn masks(output: &Output) -> Vec<(String, String, String)> {
    let k = output.k;
    let values = (output.repr == Repr::Bool).then(|| (format!("m{k}"), format!("o{k}"), format!("out{k}")));
    let valid = output.nullable.then(|| (format!("n{k}"), format!("q{k}"), format!("outv{k}")));
    values.into_iter().chain(valid).collect()
}

fn masks_of(output: &Output) -> Vec<(String, String)> {
    masks(output).into_iter().map(|(mask, _, array)| (mask, array)).collect()
}

fn one_row(writer: &Writer<'_>, set: &str, outputs: &[Output], j: &str) -> String {
    let mut text = format!("    {{\n      let x = {};\n", writer.row_of_quad(j, set));
    text += &format!("      let live = base + {j} < rows;\n");
    text += &format!("      {}\n", writer.tell_fault(&format!("base + {j}"), "x.bad && live"));
    for output in outputs {
        let (k, value) = (output.k, bits(output.repr, &format!("x.o{}", output.k)));
        text += &match output.repr {
            Repr::I32 | Repr::U32 | Repr::F32 => format!("      t{k}[{j}] = select(0u, {value}, live);\n"),
            Repr::I16 | Repr::U16 => format!(
                "      t{k}[{j} >> 1u] = t{k}[{j} >> 1u] | (select(0u, {value} & 65535u, live) << (16u * ({j} & 1u)));\n"
            ),
            Repr::I8 | Repr::U8 => format!("      t{k} |= select(0u, {value} & 255u, live) << (8u * {j});\n"),
            Repr::I64 | Repr::U64 | Repr::F64 | Repr::I128 => {
                format!("      if (live) {{ out{k}[base + {j}] = {value}; }}\n")
            }
            Repr::Bool => String::new(),
        };
        for (mask, field, _) in masks(output) {
            text += &format!("      {mask} |= select(0u, 1u, live & x.{field}) << (4u * k + {j});\n");
        }
    }
    text + "    }\n"
}

fn write_words(output: &Output) -> String {
    let k = output.k;
    match output.repr {
        Repr::I32 | Repr::U32 | Repr::F32 | Repr::I16 | Repr::U16 | Repr::I8 | Repr::U8 => {
            format!("      out{k}[base >> 2u] = t{k};\n")
        }
        Repr::Bool | Repr::I64 | Repr::U64 | Repr::F64 | Repr::I128 => String::new(),
    }
}

/// Statements that put the nibbles of eight invocations together into words of a bitmap.
fn pack(mask: &str, array: &str) -> String {
    format!(
        "  shared_bits[lane] = {mask};
  workgroupBarrier();
  if (start + lane * 32u < rows) {{
    var bits = 0u;
    for (var b = 0u; b < 8u; b++) {{
      bits |= ((shared_bits[(lane & 15u) * 8u + b] >> (4u * (lane >> 4u))) & 15u) << (4u * b);
    }}
    {array}[(start >> 5u) + lane] = bits;
  }}
  workgroupBarrier();\n"
    )
}
