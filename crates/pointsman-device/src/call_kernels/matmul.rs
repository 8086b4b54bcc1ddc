//! Matrix products. In: a [`Matmul`]. Out: one entry point that computes a tile of a product for each workgroup. Tiles of
//! both operands go through shared memory, and every invocation keeps up to 8 × 8 results in registers. Long sums take
//! several steps, which add to the output.

use super::batches::{Batches, CHUNKS_WORD, PlannedStep, PlannedWindow};
use super::constants::Constants;
use super::language::{Elements, EntryPoint, Language, SharedArray, named};
use super::{CallMemory, CallPlan, CallTarget, LANES, NotPlanned, WORDS};
use pointsman_ir::kernel::call::{Matmul, Numbers, RightOperand, Storage};
use pointsman_ir::types::DType;
use std::fmt::Write;

/// The words of the first term of a step and of the term after its last one.
const FIRST_WORD: usize = CHUNKS_WORD + 1;
const LAST_WORD: usize = CHUNKS_WORD + 2;
/// Invocations across a wide tile.
const WIDE_LANES: u64 = 16;
/// Products with at most this many results for each chunk take smaller tiles, so that more workgroups share the work.
const SMALL_RESULTS: u64 = 512 * 512;
/// Terms that are in shared memory at a time, at most.
const DEPTH_MAX: u64 = 16;

/// The tiles of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiling {
    /// Invocations down and across a tile.
    lanes: [u64; 2],
    /// Results of an invocation, down and across.
    own: [u64; 2],
    /// Terms in shared memory.
    depth: u64,
}

impl Tiling {
    fn new(product: &Matmul, element_bytes: u64, workgroup_bytes: u64) -> Tiling {
        // Registers: 64 words for the sums of an invocation.
        let own_max: u64 = if element_bytes <= 4 && product.rows * product.columns > SMALL_RESULTS { 8 } else { 4 };
        let across = product.columns.div_ceil(2).next_power_of_two().min(WIDE_LANES);
        let own = |size: u64, lanes: u64| size.div_ceil(lanes).next_power_of_two().min(own_max);
        let lanes = [u64::from(LANES) / across, across];
        let mut tiling =
            Tiling { lanes, own: [own(product.rows, lanes[0]), own(product.columns, across)], depth: DEPTH_MAX };
        while tiling.shared_elements() * element_bytes > workgroup_bytes {
            if tiling.depth > 4 { tiling.depth /= 2 } else { tiling.own[0] /= 2 }
        }
        tiling
    }

    /// Rows and columns of a tile.
    fn size(&self) -> [u64; 2] {
        [self.lanes[0] * self.own[0], self.lanes[1] * self.own[1]]
    }

    fn shared_elements(&self) -> u64 {
        let [rows, columns] = self.size();
        (rows + columns) * self.depth
    }

    /// Where the results of an invocation lie: in fours, so that shared memory is read in vectors without conflicts.
    fn place(&self, side: usize, number: u64) -> String {
        let (own, lane) = (self.own[side], ["lane_row", "lane_column"][side]);
        let vector = own.min(4);
        let start = number / vector * vector * self.lanes[side] + number % vector;
        format!("{lane} * {vector}u + {start}u")
    }
}

/// Plans a product.
pub(super) fn plan(product: &Matmul, dtype: DType, target: &CallTarget) -> Result<CallPlan, NotPlanned> {
    let elements = match product.numbers {
        Numbers::Real => Elements::Real,
        Numbers::Complex => Elements::Complex,
    };
    let number_bytes = dtype.repr().bytes() as u64;
    let element_bytes = number_bytes * u64::from(elements.reals());
    let tiling = Tiling::new(product, element_bytes, target.workgroup_bytes.into());
    let [tile_rows, tile_columns] = tiling.size();
    let bytes = |rows: u64, columns: u64| rows * columns * element_bytes;
    let right_bytes = bytes(product.inner, product.columns);
    let right = match product.operand {
        RightOperand::Shared => PlannedWindow::shared(CallMemory::Table, right_bytes),
        RightOperand::PerChunk => PlannedWindow::each(CallMemory::Table, right_bytes),
    };
    let read = [PlannedWindow::each(CallMemory::Input, bytes(product.rows, product.inner)), right];
    let written = PlannedWindow::each(CallMemory::Output, bytes(product.rows, product.columns));
    for window in [read[0], read[1], written] {
        window.check(number_bytes, target)?;
    }
    let term_operations = (if elements == Elements::Real { 2 } else { 8 } * tile_rows * tile_columns) as f64;
    let by_time = (target.group_operations / term_operations) as u64;
    // An iteration for each term, and one for each tile.
    let by_loops = u64::from(target.iterations) * tiling.depth / (tiling.depth + 1);
    let terms_max = (by_time.min(by_loops) / tiling.depth).max(1) * tiling.depth;
    let step = |first: u64| {
        let last = product.inner.min(first + terms_max);
        let mut words = [0; WORDS];
        (words[FIRST_WORD], words[LAST_WORD]) = (first as u32, last as u32);
        PlannedStep {
            entry: 0,
            read,
            written,
            items: product.rows.div_ceil(tile_rows) * product.columns.div_ceil(tile_columns),
            group_items: 1,
            group_operations: term_operations * (last - first) as f64,
            words,
        }
    };
    let steps = (0..product.inner.div_ceil(terms_max)).map(|number| step(number * terms_max)).collect();
    let batches = Batches::new(Vec::new(), steps, number_bytes, target)?;
    let shared =
        |name: &str, side: u64| SharedArray { name: name.to_string(), elements, count: (side * tiling.depth) as u32 };
    let entry = EntryPoint {
        name: "matmul".to_string(),
        buffers: [Some(elements); 3],
        shared: vec![shared("left_tile", tile_rows), shared("right_tile", tile_columns)],
        body: body(product, tiling, elements, target.language),
    };
    let source = target.language.source(dtype, &[entry]);
    Ok(CallPlan { source, dtype, constants: Constants::default(), batches })
}

/// The statements of the entry point.
fn body(product: &Matmul, tiling: Tiling, elements: Elements, language: Language) -> String {
    let Matmul { rows, inner, columns, .. } = *product;
    let [tile_rows, tile_columns] = tiling.size();
    let (zero, depth) = (elements.zero(), tiling.depth);
    let (down, across) = (rows.div_ceil(tile_rows), columns.div_ceil(tile_columns));
    let right_chunk = match product.operand {
        RightOperand::Shared => "right_at".to_string(),
        RightOperand::PerChunk => format!("right_at + chunk * {}u", inner * columns),
    };
    let mut text = format!(
        "  let chunk = group / {tiles}u;\n  let tile = group % {tiles}u;\n  \
         let first_row = tile / {across}u * {tile_rows}u;\n  let first_column = tile % {across}u * {tile_columns}u;\n  \
         let left_start = left_at + chunk * {left}u;\n  let right_start = {right_chunk};\n  \
         let output_start = output_at + chunk * {output}u;\n  \
         let lane_row = lane / {lanes}u;\n  let lane_column = lane % {lanes}u;\n  \
         let first_term = {first};\n  let last_term = {last};\n",
        tiles = down * across,
        left = rows * inner,
        output = rows * columns,
        lanes = tiling.lanes[1],
        first = language.word(FIRST_WORD),
        last = language.word(LAST_WORD),
    );
    let numbers = |side: usize| 0..tiling.own[side];
    for i in numbers(0) {
        let _ = writeln!(text, "  let row_{i} = first_row + {};", tiling.place(0, i));
    }
    for j in numbers(1) {
        let _ = writeln!(text, "  let column_{j} = first_column + {};", tiling.place(1, j));
    }
    let results = || numbers(0).flat_map(|i| numbers(1).map(move |j| (i, j)));
    let at = |i, j| format!("output_start + row_{i} * {columns}u + column_{j}");
    let (left, right, output) = (named("left", elements), named("right", elements), named("output", elements));
    for (i, j) in results() {
        let _ = writeln!(text, "  var sum_{i}_{j} = {zero};");
    }
    text.push_str("  if (first_term > 0u) {\n");
    for (i, j) in results() {
        let at = at(i, j);
        let _ =
            writeln!(text, "    if (row_{i} < {rows}u && column_{j} < {columns}u) {{ sum_{i}_{j} = {output}[{at}]; }}");
    }
    let _ = writeln!(text, "  }}\n  for (var term = first_term; term < last_term; term = term + {depth}u) {{");
    let left_tile = Tile { name: "left", buffer: &left, size: tile_rows, limit: rows, depth, zero: &zero };
    let right_tile = Tile { name: "right", buffer: &right, size: tile_columns, limit: columns, depth, zero: &zero };
    text.push_str(&left_tile.load(product.left == Storage::Rows, inner));
    text.push_str(&right_tile.load(product.right == Storage::Columns, inner));
    text.push_str("    workgroupBarrier();\n");
    text.push_str(language.unrolled());
    let _ = writeln!(text, "    for (var k = 0u; k < {depth}u; k = k + 1u) {{");
    for i in numbers(0) {
        let _ = writeln!(text, "      let a_{i} = left_tile[k * {tile_rows}u + {}];", tiling.place(0, i));
    }
    for j in numbers(1) {
        let _ = writeln!(text, "      let b_{j} = right_tile[k * {tile_columns}u + {}];", tiling.place(1, j));
    }
    let multiply = if elements == Elements::Real { "fused" } else { "mad" };
    for (i, j) in results() {
        let _ = writeln!(text, "      sum_{i}_{j} = {multiply}(a_{i}, b_{j}, sum_{i}_{j});");
    }
    text.push_str("    }\n    workgroupBarrier();\n  }\n");
    for (i, j) in results() {
        let at = at(i, j);
        let _ =
            writeln!(text, "  if (row_{i} < {rows}u && column_{j} < {columns}u) {{ {output}[{at}] = sum_{i}_{j}; }}");
    }
    text
}

/// A tile of an operand in shared memory: `depth` lines of `size` elements.
struct Tile<'a> {
    name: &'a str,
    buffer: &'a str,
    size: u64,
    /// Rows of the left or columns of the right operand.
    limit: u64,
    depth: u64,
    zero: &'a str,
}

impl Tile<'_> {
    /// The statements that load the tile. `terms_follow`: whether consecutive terms lie next to each other in memory, and
    /// not consecutive rows or columns; consecutive invocations read what lies next to each other.
    fn load(&self, terms_follow: bool, inner: u64) -> String {
        let Tile { name, buffer, size, limit, depth, zero } = self;
        let (count, lanes) = (size * depth, u64::from(LANES));
        let first = if *name == "left" { "first_row" } else { "first_column" };
        let mut text = String::new();
        for start in (0..count).step_by(LANES as usize) {
            let (place, term, at) = match terms_follow {
                true => (format!("at / {depth}u"), format!("at % {depth}u"), format!("place * {inner}u + k")),
                false => (format!("at % {size}u"), format!("at / {size}u"), format!("k * {limit}u + place")),
            };
            let open = if start + lanes > count {
                format!("    if (lane < {}u) {{\n", count - start)
            } else {
                "    {\n".into()
            };
            let _ = write!(
                text,
                "{open}      let at = lane + {start}u;\n      let line = {term};\n      let own = {place};\n      \
                 let k = term + line;\n      let place = {first} + own;\n      var value = {zero};\n      \
                 if (place < {limit}u && k < last_term) {{ value = {buffer}[{name}_start + {at}]; }}\n      \
                 {name}_tile[line * {size}u + own] = value;\n    }}\n"
            );
        }
        text
    }
}
