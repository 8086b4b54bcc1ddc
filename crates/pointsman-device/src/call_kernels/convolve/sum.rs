//! Convolutions by their sums. In: a [`Convolve`]. Out: one entry point. A workgroup computes a tile of places for some
//! channels of the result: for one channel of the rows and some of the weights after the other, it takes the rows that
//! these weights reach and the weights into shared memory. Every invocation keeps its results in registers. Where steps
//! are too large for that, it reads the rows one by one.

use super::super::batches::CHUNKS_WORD;
use super::super::builder::{Builder, StepWork};
use super::super::language::{Elements, EntryPoint, Language, SharedArray};
use super::super::{CallPlan, CallTarget, LANES, NotPlanned, WORDS};
use super::windows;
use pointsman_ir::kernel::call::{Convolve, Direction};
use pointsman_ir::types::DType;
use std::fmt::Write;

/// The words of the first block of weights of a step and of the block after its last one.
const FIRST_WORD: usize = CHUNKS_WORD + 1;
const LAST_WORD: usize = CHUNKS_WORD + 2;
/// The most places and channels of an invocation, and the most results.
const PLACES_MAX: u64 = 8;
const CHANNELS_MAX: u64 = 8;
const RESULTS_MAX: u64 = 32;
/// The most weights of a block, down and across.
const BLOCK_MAX: [u64; 2] = [8, 64];

/// How the results are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ConvolveTiling {
    /// Invocations down, across, and over channels.
    lanes: [u64; 3],
    /// Places of an invocation down and across, and its channels.
    own: [u64; 3],
    /// Height and width of a block of weights.
    block: [u64; 2],
    /// Height and width of the rows in shared memory; `None` if they are read one by one.
    rows: Option<[u64; 2]>,
}

impl ConvolveTiling {
    fn new(call: &Convolve, number_bytes: u64, workgroup_bytes: u64) -> ConvolveTiling {
        let numbers_max = workgroup_bytes / number_bytes;
        let [height, width] = call.output();
        let all = u64::from(LANES);
        let across = width.next_power_of_two().min(all);
        let down = height.next_power_of_two().min(all / across);
        let lanes = [down, across, all / across / down];
        let own = |size: u64, lanes: u64, most: u64| size.div_ceil(lanes).next_power_of_two().min(most);
        let channels = own(call.channels_out, lanes[2], CHANNELS_MAX);
        let places = PLACES_MAX.min(RESULTS_MAX / channels);
        let places_across = own(width, across, places);
        let places_down = own(height, down, places / places_across);
        let block_max = [0, 1].map(|side| call.weights[side].min(BLOCK_MAX[side]));
        let block = block_max;
        let mut tiling = ConvolveTiling { lanes, own: [places_down, places_across, channels], block, rows: None };
        loop {
            let rows = [0, 1].map(|side| (tiling.places(side) - 1) * call.stride[side] + tiling.block[side]);
            let weights = tiling.channels() * tiling.block[0] * tiling.block[1];
            if rows[0].saturating_mul(rows[1]).saturating_add(weights) <= numbers_max {
                return ConvolveTiling { rows: Some(rows), ..tiling };
            }
            // Fewer weights at a time first, then fewer places.
            let ConvolveTiling { own, block, .. } = &mut tiling;
            match (block[0] * block[1] > 16, own[0] > 1, own[1] > 1, block[0] * block[1] > 1) {
                (true, ..) | (_, false, false, true) => {
                    let side = if block[0] > block[1] { 0 } else { 1 };
                    block[side] = block[side].div_ceil(2);
                }
                (_, true, ..) => own[0] /= 2,
                (_, _, true, _) => own[1] /= 2,
                (_, false, false, false) => {
                    return ConvolveTiling { own: [1, 1, channels], block: block_max, ..tiling };
                }
            }
        }
    }

    /// The places of a tile, down or across.
    fn places(&self, side: usize) -> u64 {
        self.lanes[side] * self.own[side]
    }

    /// The channels of a tile.
    fn channels(&self) -> u64 {
        self.lanes[2] * self.own[2]
    }

    /// The results of an invocation: places times channels.
    fn results(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let [down, across, channels] = self.own;
        (0..down * across).flat_map(move |place| (0..channels).map(move |channel| (place, channel)))
    }
}

/// Plans a convolution.
pub(super) fn plan(call: &Convolve, dtype: DType, target: &CallTarget) -> Result<CallPlan, NotPlanned> {
    let mut builder = Builder::new(dtype, target);
    let [input, table, output] = windows(call, builder.number_bytes());
    builder.check(&[input, table, output])?;
    let tiling = ConvolveTiling::new(call, builder.number_bytes(), target.workgroup_bytes.into());
    let kernel = SumKernel { call, tiling, language: target.language };
    let steps = kernel.steps(target);
    let shared =
        |name: &str, count: u64| SharedArray { name: name.to_string(), elements: Elements::Real, count: count as u32 };
    let weights = tiling.channels() * tiling.block[0] * tiling.block[1];
    let arrays = tiling.rows.map(|[height, width]| vec![shared("rows", height * width), shared("weights", weights)]);
    let entry = EntryPoint {
        name: "convolve".to_string(),
        buffers: [Some(Elements::Real); 3],
        shared: arrays.unwrap_or_default(),
        body: kernel.body(),
    };
    let [height, width] = call.output();
    let items = height.div_ceil(tiling.places(0)) * width.div_ceil(tiling.places(1));
    let work = StepWork {
        read: [input, table],
        written: output,
        items: items * call.channels_out.div_ceil(tiling.channels()),
        group_items: 1,
        group_operations: kernel.block_operations(),
    };
    builder.add(entry, &work, steps);
    builder.finish()
}

/// The entry point of a convolution.
struct SumKernel<'a> {
    call: &'a Convolve,
    tiling: ConvolveTiling,
    language: Language,
}

impl SumKernel<'_> {
    /// Blocks of weights of a channel, down and across.
    fn blocks(&self) -> [u64; 2] {
        [0, 1].map(|side| self.call.weights[side].div_ceil(self.tiling.block[side]))
    }

    fn block_operations(&self) -> f64 {
        let [down, across, channels] = self.tiling.own;
        let [height, width] = self.tiling.block;
        // Reading rows one by one takes longer than multiplying them.
        let each = if self.tiling.rows.is_some() { 2 } else { 16 };
        (each * u64::from(LANES) * down * across * channels * height * width) as f64
    }

    /// The argument words of each step, and the blocks that it takes.
    fn steps(&self, target: &CallTarget) -> Vec<([u32; WORDS], f64)> {
        let [down, across] = self.blocks();
        let blocks = self.call.channels_in * down * across;
        let [height, width] = self.tiling.block;
        let lanes = u64::from(LANES);
        let loaded = self.tiling.rows.map_or(0, |[height, width]| (height * width).div_ceil(lanes));
        let weights = self.tiling.channels() * height * width;
        let iterations = 1 + loaded + weights.div_ceil(lanes) + height * (width + 1);
        let by_time = (target.group_operations / self.block_operations()) as u64;
        let most = by_time.min(u64::from(target.iterations) / iterations).max(1);
        let step = |number: u64| {
            let (first, last) = (number * most, blocks.min((number + 1) * most));
            let mut words = [0; WORDS];
            (words[FIRST_WORD], words[LAST_WORD]) = (first as u32, last as u32);
            (words, (last - first) as f64)
        };
        (0..blocks.div_ceil(most)).map(step).collect()
    }

    fn body(&self) -> String {
        let mut text = self.places();
        let at = |place, channel| self.result(place, channel);
        for (place, channel) in self.tiling.results() {
            let _ = writeln!(text, "  var sum_{place}_{channel} = T(0.0);");
        }
        let (first, last) = (self.language.word(FIRST_WORD), self.language.word(LAST_WORD));
        let _ = writeln!(text, "  if ({first} > 0u) {{");
        for (place, channel) in self.tiling.results() {
            let (is_result, at) = at(place, channel);
            let _ = writeln!(text, "    if ({is_result}) {{ sum_{place}_{channel} = output_T[{at}]; }}");
        }
        let [down, across] = self.blocks();
        let [block_height, block_width] = self.tiling.block;
        let [weights_height, weights_width] = self.call.weights;
        let _ = write!(
            text,
            "  }}\n  for (var step = {first}; step < {last}; step = step + 1u) {{\n    \
             let channel_in = step / {}u;\n    let first_down = step / {across}u % {down}u * {block_height}u;\n    \
             let first_across = step % {across}u * {block_width}u;\n    \
             let channel_start = left_at + (chunk * {}u + channel_in) * {}u;\n    \
             let end_down = min({block_height}u, {weights_height}u - first_down);\n    \
             let end_across = min({block_width}u, {weights_width}u - first_across);\n",
            down * across,
            self.call.channels_in,
            self.call.input[0] * self.call.input[1],
        );
        if self.tiling.rows.is_some() {
            text.push_str(&self.load());
        }
        text.push_str(&self.add());
        if self.tiling.rows.is_some() {
            text.push_str("    workgroupBarrier();\n");
        }
        text.push_str("  }\n");
        for (place, channel) in self.tiling.results() {
            let (is_result, at) = at(place, channel);
            let _ = writeln!(text, "  if ({is_result}) {{ output_T[{at}] = sum_{place}_{channel}; }}");
        }
        text
    }

    /// The places and channels of the workgroup and of the invocation.
    fn places(&self) -> String {
        let ConvolveTiling { lanes, own, .. } = self.tiling;
        let [height, width] = self.call.output();
        let tiles = [0, 1].map(|side| [height, width][side].div_ceil(self.tiling.places(side)));
        let channels = self.call.channels_out.div_ceil(self.tiling.channels());
        let mut text = format!(
            "  let tile_down = group / {}u % {}u * {}u;\n  let tile_across = group % {}u * {}u;\n  \
             let tile_channel = group / {}u % {channels}u * {}u;\n  let chunk = group / {}u;\n  \
             let lane_channel = lane / {}u * {}u;\n",
            tiles[1],
            tiles[0],
            self.tiling.places(0),
            tiles[1],
            self.tiling.places(1),
            tiles[0] * tiles[1],
            self.tiling.channels(),
            tiles[0] * tiles[1] * channels,
            lanes[0] * lanes[1],
            own[2],
        );
        for place in 0..own[0] * own[1] {
            let _ = write!(
                text,
                "  let down_{place} = lane / {}u % {}u + {}u;\n  let across_{place} = lane % {}u + {}u;\n",
                lanes[1],
                lanes[0],
                place / own[1] * lanes[0],
                lanes[1],
                place % own[1] * lanes[1],
            );
        }
        text
    }

    /// Whether a result exists, and its place in the output.
    fn result(&self, place: u64, channel: u64) -> (String, String) {
        let [height, width] = self.call.output();
        let channels = self.call.channels_out;
        let own = format!("tile_channel + lane_channel + {channel}u");
        (
            format!(
                "tile_down + down_{place} < {height}u && tile_across + across_{place} < {width}u && {own} < {channels}u"
            ),
            format!(
                "output_at + ((chunk * {channels}u + {own}) * {height}u + tile_down + down_{place}) * {width}u \
                 + tile_across + across_{place}"
            ),
        )
    }

    /// The place of a weight in the captured table.
    fn weight(&self, channel: &str, down: &str, across: &str) -> String {
        let [height, width] = self.call.weights;
        let number = format!("({down}) * {width}u + {across}");
        let number = match self.call.direction {
            Direction::Correlation => number,
            Direction::Convolution => format!("{}u - ({number})", height * width - 1),
        };
        format!(
            "right_T[right_at + (({channel}) * {}u + channel_in) * {}u + {number}]",
            self.call.channels_in,
            height * width
        )
    }

    /// Takes rows and weights into shared memory.
    fn load(&self) -> String {
        let Some([rows_height, rows_width]) = self.tiling.rows else { return String::new() };
        let [block_height, block_width] = self.tiling.block;
        let [height, width] = self.call.input;
        let [[up, _], [left, _]] = self.call.padding;
        let [step_down, step_across] = self.call.stride;
        let weight = self.weight("channel", "first_down + down", "first_across + across");
        format!(
            "    for (var at = lane; at < {}u; at = at + {LANES}u) {{\n      \
             let row = tile_down * {step_down}u + first_down + at / {rows_width}u - {up}u;\n      \
             let column = tile_across * {step_across}u + first_across + at % {rows_width}u - {left}u;\n      \
             var value = T(0.0);\n      if (row < {height}u && column < {width}u) {{ \
             value = left_T[channel_start + row * {width}u + column]; }}\n      rows[at] = value;\n    }}\n    \
             for (var at = lane; at < {}u; at = at + {LANES}u) {{\n      \
             let down = at / {block_width}u % {block_height}u;\n      let across = at % {block_width}u;\n      \
             let channel = tile_channel + at / {}u;\n      var value = T(0.0);\n      \
             if (channel < {}u && down < end_down && across < end_across) {{ value = {weight}; }}\n      \
             weights[at] = value;\n    }}\n    workgroupBarrier();\n",
            rows_height * rows_width,
            self.tiling.channels() * block_height * block_width,
            block_height * block_width,
            self.call.channels_out,
        )
    }

    /// Adds the products of a block of weights. Near the edge of a padded channel each place is checked, because a zero
    /// beyond the edge times an infinite weight is no term of the sum.
    fn add(&self) -> String {
        if self.tiling.rows.is_none() {
            return self.products(true);
        }
        let [[up, down], [left, right]] = self.call.padding;
        if up + down + left + right == 0 {
            return self.products(false);
        }
        let [height, width] = self.call.output();
        let inside = |side: usize, first: &str, size: u64| {
            let [before, _] = self.call.padding[side];
            let last = format!("min({first} + {}u, {size}u) - 1u", self.tiling.places(side));
            let (step, weights, input) = (self.call.stride[side], self.call.weights[side], self.call.input[side]);
            let end = format!("({last}) * {step}u + {}u < {}u", weights - 1, input + before);
            if before > 0 { format!("{first} * {step}u >= {before}u && {end}") } else { end }
        };
        format!(
            "    if ({} && {}) {{\n{}    }} else {{\n{}    }}\n",
            inside(0, "tile_down", height),
            inside(1, "tile_across", width),
            self.products(false),
            self.products(true)
        )
    }

    fn products(&self, is_checked: bool) -> String {
        let own = self.tiling.own;
        let [step_down, step_across] = self.call.stride;
        let [block_height, block_width] = self.tiling.block;
        let mut text = "    for (var down = 0u; down < end_down; down = down + 1u) {\n      \
                        for (var across = 0u; across < end_across; across = across + 1u) {\n"
            .to_string();
        for channel in 0..own[2] {
            let number = format!("lane_channel + {channel}u");
            let _ = match self.tiling.rows {
                Some(_) => writeln!(
                    text,
                    "        let w_{channel} = weights[(({number}) * {block_height}u + down) * {block_width}u + across];"
                ),
                None => {
                    let number = format!("tile_channel + {number}");
                    let weight = self.weight(&number, "first_down + down", "first_across + across");
                    writeln!(
                        text,
                        "        var w_{channel} = T(0.0);\n        \
                         if ({number} < {}u) {{ w_{channel} = {weight}; }}",
                        self.call.channels_out
                    )
                }
            };
        }
        for place in 0..own[0] * own[1] {
            let (down, across) = (format!("down_{place}"), format!("across_{place}"));
            if is_checked {
                let [[up, _], [left, _]] = self.call.padding;
                let [height, width] = self.call.input;
                let _ = write!(
                    text,
                    "        let row_{place} = (tile_down + {down}) * {step_down}u + first_down + down - {up}u;\n        \
                     let column_{place} = (tile_across + {across}) * {step_across}u + first_across + across - {left}u;\n        \
                     if (row_{place} < {height}u && column_{place} < {width}u) {{\n"
                );
            }
            let value = match self.tiling.rows {
                Some([_, width]) => {
                    format!("rows[({down} * {step_down}u + down) * {width}u + {across} * {step_across}u + across]")
                }
                None => format!("left_T[channel_start + row_{place} * {}u + column_{place}]", self.call.input[1]),
            };
            let _ = writeln!(text, "        let x_{place} = {value};");
            for channel in 0..own[2] {
                let sum = format!("sum_{place}_{channel}");
                let _ = writeln!(text, "        {sum} = fused(x_{place}, w_{channel}, {sum});");
            }
            if is_checked {
                text.push_str("        }\n");
            }
        }
        text.push_str("      }\n    }\n");
        text
    }
}
