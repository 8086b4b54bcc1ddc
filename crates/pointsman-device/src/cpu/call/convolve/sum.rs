//! Convolutions by their sum. Tasks are tiles of the result: a task copies the part of the padded input that its tile needs
//! to memory that stays in the cache, then sums it for all result channels.

use super::super::Float;
use super::super::memory::{NoMemory, ScratchMemory, SharedSlice};
use super::super::threads::{CallThreads, PerThread};
use super::Sizes;
use super::kernel::{
    LANES_MAX, OUTPUTS, Runs, add_products, add_shifted_products, shift_weights, shifted_lanes, shifted_weights,
};
use std::ops::Range;

/// The copied part of the input has at most this many bytes, where that leaves room for one row.
const PATCH_BYTES_MAX: usize = 1 << 18;
/// The most columns of a tile.
const TILE_COLUMNS_MAX: usize = 4096;
/// Tiles have at least this many columns, as far as there are so many, even if not all channels fit a patch then.
const TILE_COLUMNS_MIN: usize = 128;
/// The most rows of a tile.
const TILE_ROWS_MAX: usize = 16;
/// The most weights of a row that are summed at a time.
const TAPS_MAX: usize = 1024;
/// Tiles of a chunk are not made larger than that there are this many.
const TILES_WANTED: usize = 16;
/// Tasks with fewer multiplications than this share a task.
const TASK_PRODUCTS: usize = 1 << 18;
/// A task asks after this many multiplications whether to continue.
const PRODUCTS_MAX: usize = 1 << 25;

/// How a convolution is divided into tiles, and its weights into groups.
pub(in super::super) struct SumPlan {
    sizes: Sizes,
    tile: [usize; 2],
    /// The channels, rows and columns of the weights that are summed at a time.
    group: [usize; 3],
    /// The result channels that are summed at a time.
    outputs: usize,
    /// Into how many parts the result channels of a tile are divided.
    splits: usize,
    inner_loop: InnerLoop,
}

/// The loop that sums, and how it takes the weights.
#[derive(Clone, Copy)]
enum InnerLoop {
    /// [`add_products`].
    Weights,
    /// [`add_shifted_products`].
    Shifted {
        /// The columns of a vector.
        lanes: usize,
    },
}

/// Weights that are summed at a time.
struct WeightGroup {
    channels: Range<usize>,
    rows: Range<usize>,
    taps: Range<usize>,
    /// The number of packed weights before those of a group of result channels.
    packed_before: usize,
}

impl WeightGroup {
    fn weights(&self) -> usize {
        self.channels.len() * self.rows.len() * self.taps.len()
    }
}

/// A part of the result.
struct ResultTile {
    chunk: usize,
    rows: Range<usize>,
    columns: Range<usize>,
    /// Groups of result channels.
    outputs: Range<usize>,
}

/// Memory of a thread: the copied input, a row of it, and sums.
struct ThreadMemory<'a, T> {
    patch: &'a mut [T],
    line: &'a mut [T],
    sums: &'a mut [T],
}

impl SumPlan {
    pub(super) fn new<T: Float>(sizes: Sizes) -> SumPlan {
        let patch_max = PATCH_BYTES_MAX / size_of::<T>();
        let [height, width] = sizes.weights;
        let taps = width.min(TAPS_MAX);
        let line = |columns: usize| columns.next_multiple_of(LANES_MAX) * sizes.stride[1].min(taps) + taps;
        let all_rows = sizes.channels_in.saturating_mul(height);
        let mut columns = sizes.output[1].min(TILE_COLUMNS_MAX);
        while columns > TILE_COLUMNS_MIN && all_rows.saturating_mul(line(columns)) > patch_max {
            columns = columns.div_ceil(2);
        }
        let lines = (patch_max / line(columns)).max(1);
        let channels = (lines / height).clamp(1, sizes.channels_in);
        let rows = height.min(lines);
        let mut tile_rows = 1;
        while [channels, rows, taps] == [sizes.channels_in, height, width]
            && 2 * tile_rows <= TILE_ROWS_MAX.min(sizes.output[0])
            && ((2 * tile_rows - 1) * sizes.stride[0] + height) * channels <= lines
            && sizes.output[0].div_ceil(2 * tile_rows) * sizes.output[1].div_ceil(columns) >= TILES_WANTED
        {
            tile_rows *= 2;
        }
        let outputs = if sizes.channels_out > 1 { OUTPUTS } else { 1 };
        let tiles = sizes.output[0].div_ceil(tile_rows) * sizes.output[1].div_ceil(columns);
        let splits = (TILES_WANTED / tiles).clamp(1, sizes.channels_out.div_ceil(outputs));
        // A row of shifted weights has `lanes` − 1 vectors more than weights, but each takes half the time.
        let inner_loop = match shifted_lanes::<T>() {
            Some(lanes) if sizes.channels_out == 1 && sizes.stride[1] == 1 && taps >= 2 * lanes => {
                InnerLoop::Shifted { lanes }
            }
            Some(_) | None => InnerLoop::Weights,
        };
        SumPlan { sizes, tile: [tile_rows, columns], group: [channels, rows, taps], outputs, splits, inner_loop }
    }

    /// How many floats this many weights of a row take, for all result channels that are summed at a time.
    fn packed_row(&self, taps: usize) -> usize {
        match self.inner_loop {
            InnerLoop::Weights => taps * self.outputs,
            InnerLoop::Shifted { lanes } => shifted_weights(lanes, taps),
        }
    }

    /// How many floats the weights of this group take.
    fn packed_group(&self, group: &WeightGroup) -> usize {
        group.channels.len() * group.rows.len() * self.packed_row(group.taps.len())
    }

    /// How many floats all weights of the result channels take that are summed at a time.
    fn packed_outputs(&self) -> usize {
        let [width, taps] = [self.sizes.weights[1], self.group[2]];
        let row =
            width / taps * self.packed_row(taps) + if width % taps > 0 { self.packed_row(width % taps) } else { 0 };
        self.sizes.channels_in * self.sizes.weights[0] * row
    }

    /// The floats of a patch, of a line and of sums.
    fn state_lengths(&self) -> [usize; 3] {
        let [rows, columns] = self.tile;
        let [channels, weight_rows, taps] = self.group;
        let runs = self.runs([channels, weight_rows, taps], rows, columns);
        let step = self.sizes.stride[1];
        [channels * runs.channel_pitch, runs.phase_pitch * step, self.outputs * columns.next_multiple_of(LANES_MAX)]
    }

    fn packed_weights(&self) -> usize {
        self.sizes.channels_out.div_ceil(self.outputs) * self.packed_outputs()
    }

    pub(super) fn scratch_bytes<T>(&self, threads: usize) -> u64 {
        let state: u64 = self.state_lengths().map(ScratchMemory::bytes::<T>).iter().sum();
        ScratchMemory::bytes::<T>(self.packed_weights()).saturating_add(state.saturating_mul(threads.max(1) as u64))
    }

    /// The layout of a patch with these channels, weight rows and weights per row, for a tile of these rows and columns.
    fn runs(&self, [channels, weight_rows, taps]: [usize; 3], rows: usize, columns: usize) -> Runs {
        let step = self.sizes.stride[1];
        let phase_pitch = columns.next_multiple_of(LANES_MAX) + taps.div_ceil(step);
        let row_pitch = phase_pitch * step.min(taps);
        let channel_pitch = row_pitch * ((rows - 1) * self.sizes.stride[0] + weight_rows);
        Runs { channels, rows: weight_rows, taps, step, channel_pitch, row_pitch, phase_pitch }
    }

    /// All weights, in the order in which they are summed.
    fn groups(&self) -> impl Iterator<Item = WeightGroup> {
        let [height, width] = self.sizes.weights;
        let [channels, rows, taps] = self.group;
        let parts =
            |count: usize, each: usize| (0..count).step_by(each).map(move |start| start..count.min(start + each));
        let mut packed_before = 0;
        let ranges = parts(self.sizes.channels_in, channels).flat_map(move |channels| {
            parts(height, rows).flat_map(move |rows| {
                let channels = channels.clone();
                parts(width, taps).map(move |taps| (channels.clone(), rows.clone(), taps))
            })
        });
        ranges.map(move |(channels, rows, taps)| {
            let group = WeightGroup { channels, rows, taps, packed_before };
            packed_before += self.packed_group(&group);
            group
        })
    }

    /// The weights in the order in which they are summed, those of neighbouring result channels side by side.
    fn pack<T: Float>(&self, weights: &[T], mut packed: &mut [T]) {
        for first in (0..self.sizes.channels_out).step_by(self.outputs) {
            for group in self.groups() {
                for channel in group.channels {
                    for row in group.rows.clone() {
                        let (now, later) = packed.split_at_mut(self.packed_row(group.taps.len()));
                        packed = later;
                        let weight =
                            |output: usize, tap: usize| weights[self.sizes.weight(output, channel, [row, tap])];
                        match self.inner_loop {
                            InnerLoop::Weights => self.pack_row(&group.taps, first, weight, now),
                            InnerLoop::Shifted { lanes } => {
                                shift_weights(lanes, group.taps.clone().map(|tap| weight(first, tap)), now);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The weights of a row phase by phase, those of the result channels from `first` on side by side.
    fn pack_row<T: Float>(
        &self,
        taps: &Range<usize>,
        first: usize,
        weight: impl Fn(usize, usize) -> T,
        packed: &mut [T],
    ) {
        let step = self.sizes.stride[1];
        let taps = (0..step.min(taps.len())).flat_map(|phase| taps.clone().skip(phase).step_by(step));
        for (packed, tap) in packed.chunks_exact_mut(self.outputs).zip(taps) {
            for (offset, packed) in packed.iter_mut().enumerate() {
                let output = first + offset;
                *packed = if output < self.sizes.channels_out { weight(output, tap) } else { T::zero() };
            }
        }
    }

    pub(super) fn run<T: Float>(
        &self,
        input: &[T],
        weights: &[T],
        output: &mut [T],
        scratch: &mut ScratchMemory<'_>,
        threads: &CallThreads<'_>,
    ) -> Result<(), NoMemory> {
        if self.sizes.is_padded() && !weights.iter().all(|weight| weight.is_finite()) {
            self.run_clipped(input, weights, output, threads);
            return Ok(());
        }
        let packed = scratch.take(self.packed_weights())?;
        self.pack(weights, packed);
        let [rows, columns] = self.tile;
        let [tiles_down, tiles_across] = [self.sizes.output[0].div_ceil(rows), self.sizes.output[1].div_ceil(columns)];
        let output_groups = self.sizes.channels_out.div_ceil(self.outputs);
        let each = output_groups.div_ceil(self.splits);
        let splits = output_groups.div_ceil(each);
        let tiles = input.len() / self.sizes.chunk() * splits * tiles_down * tiles_across;
        let area = self.sizes.weights[0] * self.sizes.weights[1];
        let products = each * self.outputs * rows * columns * self.sizes.channels_in * area;
        let task = (TASK_PRODUCTS / products.max(1)).max(1);
        let [patch, line, sums] = self.state_lengths();
        let states = PerThread::new(threads, tiles.div_ceil(task), || {
            Ok(ThreadMemory { patch: scratch.take(patch)?, line: scratch.take(line)?, sums: scratch.take(sums)? })
        })?;
        let output = SharedSlice::new(output);
        let summed = threads.for_ranges(tiles, task, input.len(), &states, |state, range| {
            for number in range {
                let (number, column) = (number / tiles_across, number % tiles_across * columns);
                let (number, row) = (number / tiles_down, number % tiles_down * rows);
                let (chunk, split) = (number / splits, number % splits * each);
                let tile = ResultTile {
                    chunk,
                    rows: row..self.sizes.output[0].min(row + rows),
                    columns: column..self.sizes.output[1].min(column + columns),
                    outputs: split..output_groups.min(split + each),
                };
                let chunk = &input[chunk * self.sizes.chunk()..(chunk + 1) * self.sizes.chunk()];
                self.sum_tile(state, &tile, chunk, packed, &output, threads);
            }
        });
        // The caller asks for itself whether the call was stopped.
        let _ = summed;
        Ok(())
    }

    fn sum_tile<T: Float>(
        &self,
        state: &mut ThreadMemory<'_, T>,
        tile: &ResultTile,
        chunk: &[T],
        packed: &[T],
        output: &SharedSlice<'_, T>,
        threads: &CallThreads<'_>,
    ) {
        let [height, width] = self.sizes.output;
        let packed_each = self.packed_outputs();
        let columns = tile.columns.len().next_multiple_of(LANES_MAX);
        let mut products = 0;
        for group in self.groups() {
            let shape = [group.channels.len(), group.rows.len(), group.taps.len()];
            let runs = self.runs(shape, tile.rows.len(), tile.columns.len());
            self.fill_patch(state, tile, &group, &runs, chunk);
            let ThreadMemory { patch, sums, .. } = &mut *state;
            let sums = &mut sums[..self.outputs * columns];
            let is_first = group.packed_before == 0;
            for outputs in tile.outputs.clone() {
                let first = outputs * packed_each + group.packed_before;
                let weights = &packed[first..first + self.packed_group(&group)];
                for row in tile.rows.clone() {
                    if products > PRODUCTS_MAX {
                        if !(threads.should_continue)() {
                            return;
                        }
                        products = 0;
                    }
                    products += group.weights() * self.outputs * columns;
                    let channels = outputs * self.outputs..self.sizes.channels_out.min((outputs + 1) * self.outputs);
                    let place = |channel: usize| {
                        ((tile.chunk * self.sizes.channels_out + channel) * height + row) * width + tile.columns.start
                    };
                    sums.fill(T::zero());
                    if !is_first {
                        for (sums, channel) in sums.chunks_exact_mut(columns).zip(channels.clone()) {
                            // SAFETY: this part of the result is of this tile, which one thread sums.
                            let stored = unsafe { output.part(place(channel), tile.columns.len()) };
                            sums[..stored.len()].copy_from_slice(stored);
                        }
                    }
                    let start = (row - tile.rows.start) * self.sizes.stride[0] * runs.row_pitch;
                    match self.inner_loop {
                        InnerLoop::Weights => add_products(&patch[start..], &runs, weights, self.outputs, sums),
                        InnerLoop::Shifted { .. } => add_shifted_products(&patch[start..], &runs, weights, sums),
                    }
                    for (sums, channel) in sums.chunks_exact(columns).zip(channels) {
                        // SAFETY: as above.
                        unsafe { output.write(place(channel), &sums[..tile.columns.len()]) };
                    }
                }
            }
        }
    }

    /// Copies the numbers that a group of weights needs for a tile, with the zeros around them.
    fn fill_patch<T: Float>(
        &self,
        state: &mut ThreadMemory<'_, T>,
        tile: &ResultTile,
        group: &WeightGroup,
        runs: &Runs,
        chunk: &[T],
    ) {
        let [row_step, column_step] = self.sizes.stride;
        let first_row = tile.rows.start * row_step + group.rows.start;
        let first_column = tile.columns.start * column_step + group.taps.start;
        let rows = runs.channel_pitch / runs.row_pitch;
        for (channel, patch) in group.channels.clone().zip(state.patch.chunks_exact_mut(runs.channel_pitch)) {
            let numbers = &chunk[channel * self.sizes.input_channel()..(channel + 1) * self.sizes.input_channel()];
            for (row, patch) in (first_row..first_row + rows).zip(patch.chunks_exact_mut(runs.row_pitch)) {
                if column_step == 1 {
                    self.sizes.read_row(numbers, [row, first_column], patch);
                    continue;
                }
                let line = &mut state.line[..runs.phase_pitch * column_step];
                self.sizes.read_row(numbers, [row, first_column], line);
                for (phase, patch) in patch.chunks_exact_mut(runs.phase_pitch).enumerate() {
                    let numbers = line[phase..].iter().step_by(column_step);
                    patch.iter_mut().zip(numbers).for_each(|(patch, number)| *patch = *number);
                }
            }
        }
    }

    /// Sums without the zeros around the input: their product with a weight that is infinite is not a number.
    fn run_clipped<T: Float>(&self, input: &[T], weights: &[T], output: &mut [T], threads: &CallThreads<'_>) {
        let sizes = &self.sizes;
        let [height, width] = sizes.input;
        let shared = SharedSlice::new(output);
        let results = input.len() / sizes.chunk() * sizes.result();
        let products = sizes.channels_in * sizes.weights[0] * sizes.weights[1];
        let task = (TASK_PRODUCTS / products).max(1);
        let summed = threads.for_ranges(results, task, input.len(), &PerThread::none(threads), |(), range| {
            for place in range {
                let (rest, column) = (place / sizes.output[1], place % sizes.output[1] * sizes.stride[1]);
                let (rest, row) = (rest / sizes.output[0], rest % sizes.output[0] * sizes.stride[0]);
                let (chunk, channel_out) = (rest / sizes.channels_out, rest % sizes.channels_out);
                let mut sum = T::zero();
                for channel in 0..sizes.channels_in {
                    let numbers = &input[chunk * sizes.chunk() + channel * sizes.input_channel()..];
                    for down in 0..sizes.weights[0] {
                        for across in 0..sizes.weights[1] {
                            let row = (row + down).wrapping_sub(sizes.before[0]);
                            let column = (column + across).wrapping_sub(sizes.before[1]);
                            if row < height && column < width {
                                let weight = weights[sizes.weight(channel_out, channel, [down, across])];
                                sum = sum + numbers[row * width + column] * weight;
                            }
                        }
                    }
                }
                // SAFETY: each result is written once.
                unsafe { shared.write(place, &[sum]) };
            }
        });
        // The caller asks for itself whether the call was stopped.
        let _ = summed;
    }
}
