//! Convolutions by Fourier transforms: of the weights once, of every channel, back from the sums of products. The
//! transforms are as long as a padded channel or a little longer, so that nothing wraps around into a result.

use super::super::batches::{CHUNKS_WORD, PlannedWindow};
use super::super::builder::{Builder, StepWork};
use super::super::constants::Sign;
use super::super::fft::{self, LineSource, LineTarget, Lines, NumberOrder, Picks};
use super::super::language::{Elements, EntryPoint};
use super::super::{CallPlan, CallTarget, LANES, NotPlanned, WORDS};
use super::windows;
use pointsman_ir::kernel::call::{Convolve, Direction};
use pointsman_ir::types::DType;

/// The words of the first channel of a step and of the channel after its last one.
const FIRST_WORD: usize = CHUNKS_WORD + 1;
const LAST_WORD: usize = CHUNKS_WORD + 2;

/// The sizes of the transforms.
#[derive(Clone, Copy)]
struct SpectrumSizes {
    /// Height and width of a transform.
    whole: [u64; 2],
    /// The complex numbers of a row of a spectrum.
    half: u64,
}

impl SpectrumSizes {
    fn of(call: &Convolve) -> SpectrumSizes {
        let padded = |side: usize| call.input[side] + call.padding[side][0] + call.padding[side][1];
        let whole = [0, 1].map(|side| fft::padded(padded(side)));
        SpectrumSizes { whole, half: whole[1] / 2 + 1 }
    }

    /// The complex numbers of a spectrum.
    fn spectrum(self) -> u64 {
        self.whole[0] * self.half
    }
}

/// Plans a convolution.
pub(super) fn plan(call: &Convolve, dtype: DType, target: &CallTarget) -> Result<CallPlan, NotPlanned> {
    let mut builder = Builder::new(dtype, target);
    let [input, table, output] = windows(call, builder.number_bytes());
    builder.check(&[input, table, output])?;
    let sizes = SpectrumSizes::of(call);
    let (channels_in, channels_out) = (call.channels_in, call.channels_out);
    let order = match call.direction {
        Direction::Correlation => NumberOrder::Plain,
        Direction::Convolution => NumberOrder::Reversed,
    };
    builder.is_once = true;
    let weights = spectra(&mut builder, sizes, channels_in * channels_out, call.weights, order, table)?;
    builder.is_once = false;
    let channels = spectra(&mut builder, sizes, channels_in, call.input, NumberOrder::Plain, input)?;
    let sums = builder.scratch(channels_out.saturating_mul(sizes.spectrum()))?;
    multiply(&mut builder, call, sizes, [channels, weights], sums);
    back(&mut builder, call, sizes, sums, output)?;
    builder.finish()
}

/// The spectra of real channels.
fn spectra(
    builder: &mut Builder<'_>,
    sizes: SpectrumSizes,
    channels: u64,
    [height, width]: [u64; 2],
    order: NumberOrder,
    from: PlannedWindow,
) -> Result<PlannedWindow, NotPlanned> {
    let half = sizes.half;
    let load = LineSource { elements: Elements::Real, order, ..LineSource::plain(width, width) };
    let rows = builder.scratch(channels.saturating_mul(height).saturating_mul(half))?;
    let across = Lines {
        length: sizes.whole[1],
        sign: Sign::Minus,
        stride: 1,
        blocks: channels * height,
        load,
        from,
        store: LineTarget::plain(half, half),
        to: rows,
    };
    fft::lines(builder, &across)?;
    if sizes.whole[0] == 1 {
        return Ok(rows);
    }
    let all = builder.scratch(channels.saturating_mul(sizes.spectrum()))?;
    let down = Lines {
        length: sizes.whole[0],
        stride: half,
        blocks: channels,
        load: LineSource { order, ..LineSource::plain(height * half, height) },
        from: rows,
        store: LineTarget::plain(sizes.spectrum(), sizes.whole[0]),
        to: all,
        ..across
    };
    fft::lines(builder, &down)?;
    Ok(all)
}

/// The sums over channels of products of spectra, with the conjugates of those of the weights.
fn multiply(
    builder: &mut Builder<'_>,
    call: &Convolve,
    sizes: SpectrumSizes,
    read: [PlannedWindow; 2],
    written: PlannedWindow,
) {
    let (spectrum, channels_in) = (sizes.spectrum(), call.channels_in);
    let items = call.channels_out * spectrum;
    let language = builder.target.language;
    let body = format!(
        "  let item = group * {LANES}u + lane;\n  if (item < {} * {items}u) {{\n    let place = item % {spectrum}u;\n    \
         let channel_out = item / {spectrum}u % {}u;\n    let chunk = item / {items}u;\n    \
         let first = left_at + chunk * {}u + place;\n    \
         let weights = right_at + channel_out * {}u + place;\n    var sum = {zero};\n    \
         if ({first_word} > 0u) {{ sum = output_C[output_at + item]; }}\n    \
         for (var channel = {first_word}; channel < {last_word}; channel = channel + 1u) {{\n      \
         sum = mad(left_C[first + channel * {spectrum}u], conjugate(right_C[weights + channel * {spectrum}u]), sum);\n    \
         }}\n    output_C[output_at + item] = sum;\n  }}\n",
        language.word(CHUNKS_WORD),
        call.channels_out,
        channels_in * spectrum,
        channels_in * spectrum,
        zero = Elements::Complex.zero(),
        first_word = language.word(FIRST_WORD),
        last_word = language.word(LAST_WORD),
    );
    let entry =
        EntryPoint { name: "multiply".to_string(), buffers: [Some(Elements::Complex); 3], shared: Vec::new(), body };
    // Reading two numbers takes longer than multiplying them.
    let channel_operations = 16.0 * f64::from(LANES);
    let by_time = (builder.target.group_operations / channel_operations) as u64;
    let channels_max = by_time.min(builder.target.iterations.into()).max(1);
    let words = (0..channels_in.div_ceil(channels_max)).map(|number| {
        let (first, last) = (number * channels_max, channels_in.min((number + 1) * channels_max));
        let mut words = [0; WORDS];
        (words[FIRST_WORD], words[LAST_WORD]) = (first as u32, last as u32);
        (words, (last - first) as f64)
    });
    let group_items = LANES.into();
    let work = StepWork { read, written, items, group_items, group_operations: channel_operations };
    builder.add(entry, &work, words);
}

/// The results from their spectra.
fn back(
    builder: &mut Builder<'_>,
    call: &Convolve,
    sizes: SpectrumSizes,
    sums: PlannedWindow,
    to: PlannedWindow,
) -> Result<(), NotPlanned> {
    let SpectrumSizes { whole: [height, width], half } = sizes;
    let output = call.output();
    // Result 0 belongs to the place where the padding begins.
    let picks = |side: usize, length: u64| Picks {
        first: (length - call.padding[side][0] % length) % length,
        step: call.stride[side],
        length,
        count: output[side],
    };
    let mut from = sums;
    if height > 1 {
        from = builder.scratch(call.channels_out.saturating_mul(sizes.spectrum()))?;
        let down = Lines {
            length: height,
            sign: Sign::Plus,
            stride: half,
            blocks: call.channels_out,
            load: LineSource::plain(sizes.spectrum(), height),
            from: sums,
            store: LineTarget::plain(sizes.spectrum(), height),
            to: from,
        };
        fft::lines(builder, &down)?;
    }
    let load =
        LineSource { order: NumberOrder::Half(width), blocks: Some(picks(0, height)), ..LineSource::plain(half, half) };
    let store = LineTarget {
        elements: Elements::Real,
        picks: Some(picks(1, width)),
        ..LineTarget::plain(output[1], output[1])
    };
    let across = Lines {
        length: width,
        sign: Sign::Plus,
        stride: 1,
        blocks: call.channels_out * output[0],
        load,
        from,
        store: store.scaled(1.0 / (height as f64 * width as f64)),
        to,
    };
    fft::lines(builder, &across)
}
