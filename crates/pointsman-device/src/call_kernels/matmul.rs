//! Matrix products. In: a [`Matmul`]. Out: one entry point that computes a tile of a product for each workgroup. Tiles of
//! both operands go through shared memory, and every invocation keeps up to 8 × 8 results in registers. Long sums take
//! several steps, which add to the output.

use super::batches::{CHUNKS_WORD, PlannedWindow};
use super::builder::{Builder, StepWork};
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
/// Sums are divided into parts until there are about this many workgroups for each chunk, with at least these terms each.
const PARTED_GROUPS: u64 = 128;
const PART_TERMS_MIN: u64 = 1024;
/// Terms that are in shared memory at a time, at most.
const DEPTH_MAX: u64 = 16;

/// The tiles of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MatmulTiling {
    /// Invocations down and across a tile.
    lanes: [u64; 2],
    /// Results of an invocation, down and across.
    own: [u64; 2],
    /// Terms in shared memory.
    depth: u64,
}

impl MatmulTiling {
    fn new(product: &Matmul, element_bytes: u64, workgroup_bytes: u64) -> MatmulTiling {
        // Registers: 64 words for the sums of an invocation.
        let own_max: u64 = if element_bytes <= 4 && product.rows * product.columns > SMALL_RESULTS { 8 } else { 4 };
        let across = product.columns.div_ceil(2).next_power_of_two().min(WIDE_LANES);
        let own = |size: u64, lanes: u64| size.div_ceil(lanes).next_power_of_two().min(own_max);
        let lanes = [u64::from(LANES) / across, across];
        let mut tiling =
            MatmulTiling { lanes, own: [own(product.rows, lanes[0]), own(product.columns, across)], depth: DEPTH_MAX };
        while tiling.shared_elements() * element_bytes > workgroup_bytes {
            match (tiling.depth, tiling.own) {
                (5.., _) => tiling.depth /= 2,
                (_, [down, _]) if down > 1 => tiling.own[0] /= 2,
                (_, [_, across]) if across > 1 => tiling.own[1] /= 2,
                (2.., _) => tiling.depth /= 2,
                // 272 numbers fit any workgroup's memory.
                _ => return tiling,
            }
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
    let mut builder = Builder::new(dtype, target);
    let elements = match product.numbers {
        Numbers::Real => Elements::Real,
        Numbers::Complex => Elements::Complex,
    };
    let element_bytes = builder.number_bytes() * u64::from(elements.reals());
    let bytes = |rows: u64, columns: u64| rows * columns * element_bytes;
    let right_bytes = bytes(product.inner, product.columns);
    let right = match product.operand {
        RightOperand::Shared => PlannedWindow::shared(CallMemory::Table, right_bytes),
        RightOperand::PerChunk => PlannedWindow::each(CallMemory::Table, right_bytes),
    };
    let read = [PlannedWindow::each(CallMemory::Input, bytes(product.rows, product.inner)), right];
    let output = PlannedWindow::each(CallMemory::Output, bytes(product.rows, product.columns));
    builder.check(&[read[0], read[1], output])?;
    let tiling = MatmulTiling::new(product, element_bytes, target.workgroup_bytes.into());
    let kernel =
        ProductKernel { product, tiling, elements, language: target.language, parts: SumParts::new(product, tiling) };
    let count = kernel.parts.count;
    let written = match count {
        1 => output,
        // Complex numbers, of which real ones take half.
        _ => builder.scratch((count * product.rows * product.columns * u64::from(elements.reals())).div_ceil(2))?,
    };
    let work = StepWork {
        read,
        written,
        items: kernel.tiles() * count,
        group_items: 1,
        group_operations: kernel.term_operations(),
    };
    builder.add(kernel.entry(), &work, kernel.steps(target));
    if count > 1 {
        let read = [written, PlannedWindow::unused()];
        let items = product.rows * product.columns;
        let group_operations = (count * 4 * u64::from(LANES)) as f64;
        let work = StepWork { read, written: output, items, group_items: LANES.into(), group_operations };
        builder.add(kernel.sum_entry(), &work, [([0; WORDS], 1.0)]);
    }
    builder.finish()
}

/// Sums of few results are divided, so that more workgroups share their terms: each part of a sum goes to scratch memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SumParts {
    count: u64,
    /// The terms of a part.
    terms: u64,
}

impl SumParts {
    fn new(product: &Matmul, tiling: MatmulTiling) -> SumParts {
        let [rows, columns] = tiling.size();
        let tiles = product.rows.div_ceil(rows) * product.columns.div_ceil(columns);
        let count = (PARTED_GROUPS / tiles).min(product.inner / PART_TERMS_MIN).max(1);
        let terms = product.inner.div_ceil(count).next_multiple_of(tiling.depth);
        SumParts { count: product.inner.div_ceil(terms), terms }
    }
}

/// The entry points of a product.
struct ProductKernel<'a> {
    product: &'a Matmul,
    tiling: MatmulTiling,
    elements: Elements,
    language: Language,
    parts: SumParts,
}

impl ProductKernel<'_> {
    /// The tiles of a product.
    fn tiles(&self) -> u64 {
        let [rows, columns] = self.tiling.size();
        self.product.rows.div_ceil(rows) * self.product.columns.div_ceil(columns)
    }

    /// Operations of a workgroup for each term.
    fn term_operations(&self) -> f64 {
        let [rows, columns] = self.tiling.size();
        (if self.elements == Elements::Real { 2 } else { 8 } * rows * columns) as f64
    }

    /// The argument words of each step, and the terms that it takes.
    fn steps(&self, target: &CallTarget) -> Vec<([u32; WORDS], f64)> {
        let depth = self.tiling.depth;
        let by_time = (target.group_operations / self.term_operations()) as u64;
        // An iteration for each term, and one for each tile.
        let by_loops = u64::from(target.iterations) * depth / (depth + 1);
        let most = (by_time.min(by_loops) / depth).max(1) * depth;
        let step = |number: u64| {
            let (first, last) = (number * most, self.parts.terms.min((number + 1) * most));
            let mut words = [0; WORDS];
            (words[FIRST_WORD], words[LAST_WORD]) = (first as u32, last as u32);
            (words, (last - first) as f64)
        };
        (0..self.parts.terms.div_ceil(most)).map(step).collect()
    }

    /// The entry point that computes tiles.
    fn entry(&self) -> EntryPoint {
        let shared = |name: &str, side: u64| SharedArray {
            name: name.to_string(),
            elements: self.elements,
            count: (side * self.tiling.depth) as u32,
        };
        let [rows, columns] = self.tiling.size();
        EntryPoint {
            name: "matmul".to_string(),
            buffers: [Some(self.elements); 3],
            shared: vec![shared("left_tile", rows), shared("right_tile", columns)],
            body: self.places() + &self.load_sums() + &self.add_products() + &self.store_sums(),
        }
    }

    /// The entry point that adds the parts of sums.
    fn sum_entry(&self) -> EntryPoint {
        let results = self.product.rows * self.product.columns;
        let (left, output) = (named("left", self.elements), named("output", self.elements));
        let (count, chunks) = (self.parts.count, self.language.word(CHUNKS_WORD));
        let body = format!(
            "  let item = group * {LANES}u + lane;\n  if (item < {chunks} * {results}u) {{\n    \
             let first = left_at + item / {results}u * {}u + item % {results}u;\n    var sum = {left}[first];\n    \
             for (var part = 1u; part < {count}u; part = part + 1u) {{\n      \
             sum = sum + {left}[first + part * {results}u];\n    }}\n    {output}[output_at + item] = sum;\n  }}\n",
            count * results,
        );
        let buffers = [Some(self.elements), None, Some(self.elements)];
        EntryPoint { name: "add_parts".to_string(), buffers, shared: Vec::new(), body }
    }

    /// The results of an invocation, by their numbers down and across.
    fn results(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let [down, across] = self.tiling.own;
        (0..down).flat_map(move |i| (0..across).map(move |j| (i, j)))
    }

    /// The tile of the workgroup, and the places of the invocation in it.
    fn places(&self) -> String {
        let Matmul { rows, inner, columns, operand, .. } = *self.product;
        let [tile_rows, tile_columns] = self.tiling.size();
        let SumParts { count, terms } = self.parts;
        let right_chunk = match operand {
            RightOperand::Shared => "right_at".to_string(),
            RightOperand::PerChunk => format!("right_at + chunk * {}u", inner * columns),
        };
        let mut text = format!(
            "  let tile = group % {tiles}u;\n  let part = group / {tiles}u % {count}u;\n  \
             let chunk = group / {}u;\n  \
             let first_row = tile / {across}u * {tile_rows}u;\n  \
             let first_column = tile % {across}u * {tile_columns}u;\n  \
             let left_start = left_at + chunk * {left}u;\n  let right_start = {right_chunk};\n  \
             let output_start = output_at + (chunk * {count}u + part) * {output}u;\n  \
             let lane_row = lane / {lanes}u;\n  let lane_column = lane % {lanes}u;\n  \
             let first_term = part * {terms}u + {first};\n  \
             let last_term = min(part * {terms}u + {last}, {inner}u);\n",
            self.tiles() * count,
            tiles = self.tiles(),
            across = columns.div_ceil(tile_columns),
            left = rows * inner,
            output = rows * columns,
            lanes = self.tiling.lanes[1],
            first = self.language.word(FIRST_WORD),
            last = self.language.word(LAST_WORD),
        );
        for i in 0..self.tiling.own[0] {
            let _ = writeln!(text, "  let row_{i} = first_row + {};", self.tiling.place(0, i));
        }
        for j in 0..self.tiling.own[1] {
            let _ = writeln!(text, "  let column_{j} = first_column + {};", self.tiling.place(1, j));
        }
        text
    }

    /// The condition under which a result exists, and its place.
    fn result(&self, i: u64, j: u64) -> (String, String) {
        let Matmul { rows, columns, .. } = *self.product;
        let buffer = named("output", self.elements);
        (
            format!("row_{i} < {rows}u && column_{j} < {columns}u"),
            format!("{buffer}[output_start + row_{i} * {columns}u + column_{j}]"),
        )
    }

    /// Declares the sums: zero in the first step, else what earlier steps stored.
    fn load_sums(&self) -> String {
        let mut text = String::new();
        for (i, j) in self.results() {
            let _ = writeln!(text, "  var sum_{i}_{j} = {};", self.elements.zero());
        }
        let _ = writeln!(text, "  if ({} > 0u) {{", self.language.word(FIRST_WORD));
        for (i, j) in self.results() {
            let (exists, result) = self.result(i, j);
            let _ = writeln!(text, "    if ({exists}) {{ sum_{i}_{j} = {result}; }}");
        }
        text + "  }\n"
    }

    /// Adds the products of all terms, some of which are in shared memory at a time.
    fn add_products(&self) -> String {
        let Matmul { rows, inner, columns, .. } = *self.product;
        let ([tile_rows, tile_columns], depth) = (self.tiling.size(), self.tiling.depth);
        let tile = |name, size, limit| Tile { name, elements: self.elements, size, limit, depth };
        let (left, right) = (tile("left", tile_rows, rows), tile("right", tile_columns, columns));
        let mut text = format!("  for (var term = first_term; term < last_term; term = term + {depth}u) {{\n");
        text.push_str(&left.load(self.product.left == Storage::Rows, inner));
        text.push_str(&right.load(self.product.right == Storage::Columns, inner));
        text.push_str("    workgroupBarrier();\n");
        text.push_str(self.language.unrolled());
        let _ = writeln!(text, "    for (var k = 0u; k < {depth}u; k = k + 1u) {{");
        for i in 0..self.tiling.own[0] {
            let _ = writeln!(text, "      let a_{i} = left_tile[k * {tile_rows}u + {}];", self.tiling.place(0, i));
        }
        for j in 0..self.tiling.own[1] {
            let _ = writeln!(text, "      let b_{j} = right_tile[k * {tile_columns}u + {}];", self.tiling.place(1, j));
        }
        let multiply = if self.elements == Elements::Real { "fused" } else { "mad" };
        for (i, j) in self.results() {
            let _ = writeln!(text, "      sum_{i}_{j} = {multiply}(a_{i}, b_{j}, sum_{i}_{j});");
        }
        text + "    }\n    workgroupBarrier();\n  }\n"
    }

    fn store_sums(&self) -> String {
        let store = |(i, j): (u64, u64)| {
            let (exists, result) = self.result(i, j);
            format!("  if ({exists}) {{ {result} = sum_{i}_{j}; }}\n")
        };
        self.results().map(store).collect()
    }
}

/// A tile of an operand in shared memory: `depth` lines of `size` elements.
struct Tile {
    name: &'static str,
    elements: Elements,
    size: u64,
    /// Rows of the left or columns of the right operand.
    limit: u64,
    depth: u64,
}

impl Tile {
    /// The statements that load the tile. `terms_follow`: whether consecutive terms lie next to each other in memory, and
    /// not consecutive rows or columns; consecutive invocations read what lies next to each other.
    fn load(&self, terms_follow: bool, inner: u64) -> String {
        let Tile { name, elements, size, limit, depth } = *self;
        let (buffer, zero) = (named(name, elements), elements.zero());
        let (count, lanes) = (size * depth, u64::from(LANES));
        let first = if name == "left" { "first_row" } else { "first_column" };
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
