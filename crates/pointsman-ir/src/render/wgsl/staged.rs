//! The `compact` sink in one pass over memory, for short rows of few words: a workgroup reads a tile of rows once,
//! keeps them in registers, puts the selected ones side by side into its own memory, finds out where they go while
//! others count, and writes them in order.
//!
//! **Why one pass.** Of `n` bytes read and `w` written, one pass moves `n + w`. Counting first and writing later moves
//! `2 n + w`, with a mask of bits in between `2 n + w + n / 16`; moving staged rows later moves `n + 3 w`. For halves
//! of a column (`w = n / 2`) those are 167 %, 171 % and 167 % of one pass, so none reaches more than 60 % of the speed
//! of a copy. Slabs that fit a cache move `n + w` too, but stop the device twice a slab, which costs what they save.
//! **Why such tiles.** All reads of an invocation are in flight at once, 32 words of them. A tile of 8,192 rows makes
//! few enough tiles that looking back at their words keeps up with memory; its rows are written in order, where rows
//! written one by one would touch every sector of memory several times.

use super::look_back;
use super::memory::bits;
use super::positional::write_output;
use super::row::{Field, SHORT_INSTRUCTIONS, UNROLLED_INSTRUCTIONS, Writer, leaving};
use super::types::{needs_64_bit, storage_type};
use crate::body::{Inst, ValueId};
use crate::kernel::Sink;
use crate::render::{NotRendered, c_style};
use crate::types::{Repr, Type};

/// Invocations of a workgroup.
const LANES: u32 = 256;
/// Invocations that read consecutive rows, and whose counts are summed before those of the groups. Nothing relies on
/// their running together.
const GROUP: u32 = 32;
/// Words of a row's inputs, and of its outputs, that an invocation keeps of all its rows.
const KEPT_WORDS: u32 = 32;
/// Bytes of the workgroup's memory that looking back takes, and room for the driver's own.
const LOOK_BYTES: u32 = 2048;

/// A tile of rows: what a workgroup takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Fours of rows that an invocation takes.
    quads: u32,
}

impl Tile {
    /// The tile of a compaction; `None` if its rows are not kept.
    pub(super) fn of(writer: &Writer<'_>) -> Option<Tile> {
        let (kernel, body) = (writer.kernel(), &writer.kernel().body);
        let Sink::Compact { columns } = &kernel.sink else { return None };
        let loops = body.iter().any(|(_, inst, _)| matches!(inst, Inst::Loop { .. }));
        if !writer.target.single_pass || loops || body.len() > UNROLLED_INSTRUCTIONS {
            return None;
        }
        let read: u32 = writer.columns().iter().map(|column| words(column.ty.dtype.repr())).sum();
        let written: u32 = body.types_of(columns).into_iter().map(output_words).sum();
        let most = if body.len() <= SHORT_INSTRUCTIONS { KEPT_WORDS } else { KEPT_WORDS / 2 };
        let kept = most / read.max(written).max(1);
        let fits = |quads: &u32| {
            let tile = Tile { quads: *quads };
            let stage = 4 * tile.rows() * written + 8 * LANES * tile.fields();
            4 * quads <= kept && stage + LOOK_BYTES <= writer.target.workgroup_bytes
        };
        [8, 4, 2, 1].into_iter().find(fits).map(|quads| Tile { quads })
    }

    /// Rows of a tile.
    pub(super) fn rows(self) -> u32 {
        4 * LANES * self.quads
    }

    /// Words that hold a count of every second four of rows.
    fn fields(self) -> u32 {
        self.quads.min(2)
    }
}

/// Words of a value in a register.
fn words(repr: Repr) -> u32 {
    match repr {
        Repr::I64 | Repr::U64 | Repr::F64 => 2,
        Repr::I128 => 4,
        Repr::Bool | Repr::I8 | Repr::I16 | Repr::I32 | Repr::U8 | Repr::U16 | Repr::U32 | Repr::F32 => 1,
    }
}

fn output_words(ty: Type) -> u32 {
    words(ty.dtype.repr()) + u32::from(ty.nullable)
}

/// The functions of the sink.
pub(super) fn functions(writer: &Writer<'_>, columns: &[ValueId], tile: Tile) -> Result<String, NotRendered> {
    let row = writer.row(fields(writer, columns))?;
    let look = look_back::functions(&counted(writer, tile));
    let types = writer.kernel().body.types_of(columns);
    Ok(row + &look + &entry(writer, &types, tile))
}

/// Fields of a row for columns: `oK` as it was computed and, if it may be null, `qK`.
fn fields(writer: &Writer<'_>, columns: &[ValueId]) -> Vec<Field> {
    let mut fields = Vec::new();
    for (k, &v) in columns.iter().enumerate() {
        let ty = writer.kernel().body.ty(v);
        fields.push(Field::new(format!("o{k}"), storage_type(ty.dtype.repr()), c_style::value(v)));
        fields.extend(ty.nullable.then(|| Field::new(format!("q{k}"), "bool", writer.valid(v))));
    }
    fields
}

/// Counts an invocation's rows of a tile, four at a time.
fn counted(writer: &Writer<'_>, tile: Tile) -> String {
    let read: String = writer.columns().iter().map(|column| column.read_quad("")).collect();
    let rows: String = (0..4)
        .map(|j| {
            let row = writer.row_of_quad(&format!("{j}u"), "");
            format!("    {{ let x = {row}; count += u32((base + {j}u < rows) & x.selected); }}\n")
        })
        .collect();
    format!(
        "  for (var q = 0u; q < {}u; q++) {{
    let base = tile * {}u + (q * {LANES}u + lane) * 4u;
    let first = min(base, last & ~3u);
{read}{rows}  }}\n",
        tile.quads,
        tile.rows(),
    )
}

fn entry(writer: &Writer<'_>, types: &[Type], tile: Tile) -> String {
    let quads = 0..tile.quads;
    let loads: String = quads.clone().map(|q| load(writer, q)).collect();
    let selects: String = quads.clone().map(|q| select(writer, q)).collect();
    let staged: String = quads.clone().map(|q| stage(types, q)).collect();
    format!(
        "{shared}@compute @workgroup_size({LANES})
fn compact(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let rows = args[0].x;
  let tile = {taken};
  let start = tile * {tile_rows}u;
  if (start >= rows) {{ return; }}
  let last = rows - 1u;
  let own = start + (lane >> 5u) * {group_rows}u + (lane & 31u) * 4u;
{loads}  var mask = 0u;
{selects}  if (rows - start < {tile_rows}u) {{
    var there = 0u;
{there}    mask &= there;
  }}
{ranks}  let first = args[1].x * 4096u / {tile_rows}u;
  let number = first + tile;
{place}{written}}}\n",
        shared = shared(types, tile),
        taken = look_back::taken(writer.target.order, tile.rows()),
        tile_rows = tile.rows(),
        group_rows = 4 * GROUP * tile.quads,
        there = quads.map(there).collect::<String>(),
        ranks = ranks(tile),
        place = look_back::place(&staged),
        written = written(types),
    )
}

/// The workgroup's memory: counts, twice, and the selected rows.
fn shared(types: &[Type], tile: Tile) -> String {
    let mut text = format!(
        "var<workgroup> shared_counts: array<u32, {}>;\nvar<workgroup> shared_groups: array<u32, {}>;\n",
        2 * LANES * tile.fields(),
        LANES / GROUP
    );
    for (k, ty) in types.iter().enumerate() {
        let element = if needs_64_bit(ty.dtype.repr()) { "u64" } else { "u32" };
        text += &format!("var<workgroup> stage{k}: array<{element}, {}>;\n", tile.rows());
        if ty.nullable {
            text += &format!("var<workgroup> stagev{k}: array<u32, {}>;\n", tile.rows());
        }
    }
    text
}

/// Statements that read four rows of every column.
fn load(writer: &Writer<'_>, q: u32) -> String {
    let set = format!("_{q}");
    let read: String = writer.columns().iter().map(|column| column.read_quad(&set)).collect();
    format!(
        "  let base{set} = own + {}u;
  let first{set} = min(base{set}, last & ~3u);\n{read}",
        4 * GROUP * q
    )
}

/// Statements that compute four rows, and set the mask's bits of those that are selected, be they there or not.
fn select(writer: &Writer<'_>, q: u32) -> String {
    let one = |j: u32| {
        let (row, at) = (writer.row_of_quad(&format!("{j}u"), &format!("_{q}")), format!("base_{q} + {j}u"));
        let fault = writer.tell_fault(&at, &format!("x{q}_{j}.bad && {at} < rows"));
        let bit = 4 * q + j;
        format!(
            "  let x{q}_{j} = {row};
  {fault}
  mask |= u32(x{q}_{j}.selected) << {bit}u;\n"
        )
    };
    (0..4).map(one).collect()
}

/// A statement that sets the bits of those of four rows that are there, in the last tile.
fn there(q: u32) -> String {
    format!("    there |= ((1u << min(rows - min(base_{q}, rows), 4u)) - 1u) << {}u;\n", 4 * q)
}

/// Statements that define the tile's `count` of selected rows, and of those `ahead`, before the invocation's group. The
/// counts of four fours are bytes of one word, and are summed over the invocations of a group, each time to the other
/// half of the memory: `totalF` are the group's, `leftF` those of the invocations before. Then the groups' counts are
/// summed.
fn ranks(tile: Tile) -> String {
    let fields: u32 = tile.fields();
    let each = |text: &dyn Fn(u32) -> String| (0..fields).map(text).collect::<String>();
    let own = each(&|f| {
        let (shift, at) = (4 * f, f * LANES);
        format!(
            "  let own{f} = (fours >> {shift}u) & 0x0f0f0f0fu;
  var c{f} = own{f};
  shared_counts[{at}u + lane] = own{f};\n"
        )
    });
    let added = each(&|f| format!(" c{f} += shared_counts[half + {}u + lane - h];", f * LANES));
    let kept = each(&|f| format!("    shared_counts[half + {}u + lane] = c{f};\n", f * LANES));
    let totals = each(&|f| format!("  let total{f} = shared_counts[half + {}u + (lane | 31u)];\n", f * LANES));
    let left = each(&|f| format!("  let left{f} = c{f} - own{f};\n"));
    // Bytes are added in halves of words, since the sum of a few may not fit one.
    let even = each(&|f| format!(" + (total{f} & 0x00ff00ffu) + ((total{f} >> 8u) & 0x00ff00ffu)"));
    format!(
        "  let pairs = mask - ((mask >> 1u) & 0x55555555u);
  let fours = (pairs & 0x33333333u) + ((pairs >> 2u) & 0x33333333u);
{own}  workgroupBarrier();
  var half = 0u;
  for (var h = 1u; h < {GROUP}u; h = h << 1u) {{
    if ((lane & 31u) >= h) {{{added} }}
    half = {half}u - half;
{kept}    workgroupBarrier();
  }}
{totals}{left}  let halves = 0u{even};
  if ((lane & 31u) == 31u) {{ shared_groups[lane >> 5u] = (halves & 0xffffu) + (halves >> 16u); }}
  workgroupBarrier();
  var ahead = 0u;
  var count = 0u;
  for (var g = 0u; g < {groups}u; g++) {{
    let selected = shared_groups[g];
    ahead += select(0u, selected, g < (lane >> 5u));
    count += selected;
  }}\n",
        half = LANES * fields,
        groups = LANES / GROUP,
    )
}

/// Statements that put the selected ones of four rows into the workgroup's memory.
fn stage(types: &[Type], q: u32) -> String {
    if types.is_empty() {
        return String::new();
    }
    let (f, shift) = (q % 2, 8 * (q / 2));
    let mut text = format!("  var at{q} = ahead + ((left{f} >> {shift}u) & 255u);\n");
    for j in 0..4 {
        text += &format!("  if ((mask & {}u) != 0u) {{", 1u32 << (4 * q + j));
        for (k, ty) in types.iter().enumerate() {
            let x = format!("x{q}_{j}");
            text += &format!(" stage{k}[at{q}] = {};", bits(ty.dtype.repr(), &format!("{x}.o{k}")));
            text += &if ty.nullable { format!(" stagev{k}[at{q}] = u32({x}.q{k});") } else { String::new() };
        }
        text += &format!(" at{q} += 1u; }}\n");
    }
    text + &format!("  ahead += (total{f} >> {shift}u) & 255u;\n")
}

/// Rows that an invocation writes consecutively.
const WRITTEN_TOGETHER: u32 = 4;

/// Statements that write the selected rows after those of the tiles before. Values get their final bits here, where
/// they are fewer.
fn written(types: &[Type]) -> String {
    if types.is_empty() {
        return String::new();
    }
    let mut each = String::new();
    for i in 0..WRITTEN_TOGETHER {
        each += &format!("    let s{i} = k + {}u + lane;\n", i * LANES);
        for (k, ty) in types.iter().enumerate() {
            each += &format!("    let y{i}_{k} = stage{k}[s{i}];\n");
            each += &if ty.nullable { format!("    let z{i}_{k} = stagev{k}[s{i}];\n") } else { String::new() };
        }
    }
    for i in 0..WRITTEN_TOGETHER {
        each += &format!("    if (s{i} < count) {{\n      let place = before + s{i};\n");
        for (k, &ty) in types.iter().enumerate() {
            let there = if ty.nullable { format!("(z{i}_{k} != 0u)") } else { "true".to_string() };
            each += &write_output(k, ty, &final_bits(ty, &format!("y{i}_{k}"), &there), &there);
        }
        each += "    }\n";
    }
    format!(
        "  workgroupBarrier();
  for (var k = 0u; k < count; k += {}u) {{
{each}  }}\n",
        WRITTEN_TOGETHER * LANES
    )
}

/// The bits of a staged value as they leave the kernel.
fn final_bits(ty: Type, staged: &str, there: &str) -> String {
    let repr = ty.dtype.repr();
    // Staged values are bits, whatever type holds them in a row.
    let unsigned = if needs_64_bit(repr) { Repr::U64 } else { Repr::U32 };
    let repr = if matches!(repr, Repr::F32 | Repr::F64) { repr } else { unsigned };
    leaving(repr, staged.to_string(), there)
}
