//! [`ConvolveBlocks`]: how a convolution by Fourier transforms cuts a signal into blocks that overlap by the length of the
//! weights ("overlap-save").
//!
//! In: the sizes of a [`Convolve`]. Out: the length of the transforms that take the fewest operations, and their number. The
//! padded rows of a channel, one after the other, form one signal; the rows of the weights, at the same distance from each
//! other, form one filter. Since the weights are real, a complex transform convolves two blocks of a chunk at once, one as its
//! real part and one as its imaginary part.

use super::Convolve;

/// How much slower a transform of more than [`CACHED_MAX`] numbers is, per number and step: it does not stay in the caches.
const LONG_COST: f64 = 1.3;
/// The most numbers of a transform that stays in the caches.
const CACHED_MAX: u64 = 1 << 16;
/// Sizes of signals and filters are cut to this, which no memory holds.
const SIGNAL_MAX: u64 = 1 << 48;
/// The shortest transform.
const LENGTH_MIN: u64 = 64;

/// The blocks of a convolution by transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvolveBlocks {
    /// The length of the filter.
    pub filter: u64,
    /// How many places of a signal have results that may be kept.
    pub places: u64,
    /// The length of a transform.
    pub length: u64,
    /// The pairs of blocks of a chunk.
    pub pairs: u64,
}

impl ConvolveBlocks {
    /// The results of a block.
    pub const fn step(&self) -> u64 {
        self.length - self.filter + 1
    }

    /// Blocks for transforms of this length, which is at least that of the filter.
    const fn new(filter: u64, places: u64, length: u64) -> ConvolveBlocks {
        let pairs = places.div_ceil(length - filter + 1).div_ceil(2);
        ConvolveBlocks { filter, places, length, pairs }
    }

    /// Additions and multiplications of a chunk, if those of transforms count `transform` times: the transforms of the weights,
    /// of the blocks and of the results, and a complex product for each pair of channels.
    fn operations(&self, convolve: &Convolve, transform: f64) -> f64 {
        let [channels_in, channels_out] = [convolve.channels_in as f64, convolve.channels_out as f64];
        let [length, pairs] = [self.length as f64, self.pairs as f64];
        let transforms = channels_in * channels_out + pairs * (channels_in + channels_out);
        transforms * transform * 5.0 * length * length.log2() + pairs * channels_in * channels_out * 8.0 * length
    }

    /// The operations, weighted by the time that they take.
    fn cost(&self, convolve: &Convolve) -> f64 {
        self.operations(convolve, if self.length > CACHED_MAX { LONG_COST } else { 1.0 })
    }
}

impl Convolve {
    /// The blocks that take the least time if the convolution is computed by transforms.
    pub fn blocks(&self) -> ConvolveBlocks {
        let output = self.output();
        let [before, after] = self.padding[1];
        let width = self.input[1].saturating_add(before).saturating_add(after);
        let filter =
            self.weights[0].saturating_sub(1).saturating_mul(width).saturating_add(self.weights[1]).min(SIGNAL_MAX);
        let last = [0, 1].map(|side: usize| output[side].saturating_sub(1).saturating_mul(self.stride[side]));
        let places = last[0].saturating_mul(width).saturating_add(last[1] + 1).min(SIGNAL_MAX);
        // A block is at least as long as the filter, and no longer than that all results fit a pair.
        let shortest = filter.max(LENGTH_MIN);
        let longest = (filter + places.div_ceil(2)).saturating_sub(1).max(shortest).next_power_of_two();
        let bits = shortest.ilog2().saturating_sub(2)..=longest.ilog2();
        let lengths = bits.flat_map(|bits| [4, 5, 6].map(|factor| factor << bits));
        let fitting = lengths.filter(|length| (shortest..=longest).contains(length));
        let blocks = fitting.map(|length| ConvolveBlocks::new(filter, places, length));
        let least = blocks.min_by(|a, b| a.cost(self).total_cmp(&b.cost(self)));
        least.unwrap_or_else(|| ConvolveBlocks::new(filter, places, shortest.next_power_of_two()))
    }

    /// Additions and multiplications of a chunk that is computed by transforms.
    pub(super) fn transform_operations(&self) -> f64 {
        self.blocks().operations(self, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::call::{Call, Method};

    #[test]
    fn blocks_hold_every_place_and_no_pair_is_empty() {
        for length in [1, 2, 63, 64, 65, 1000, 4097, 65_537, 1_000_000] {
            for weights in [1, 2, 7, 64, 257, 4096, 100_000] {
                for rows in [1, 5] {
                    let padding = [[0, 0], [weights - 1, 0]];
                    let plane = Convolve { padding, ..Convolve::plane([rows, length], [rows.min(2), weights]) };
                    let blocks = plane.blocks();
                    let (pair, before) = (2 * blocks.step(), blocks.pairs - 1);
                    assert!(blocks.length >= blocks.filter.max(LENGTH_MIN), "{plane}: {blocks:?}");
                    assert!(
                        blocks.pairs * pair >= blocks.places && before * pair < blocks.places,
                        "{plane}: {blocks:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn operations_grow_with_the_signal_and_hardly_with_the_weights() {
        let operations = |length: u64, weights: u64| {
            Call::from(Convolve { method: Method::Transform, ..Convolve::line(length, weights) }).operations()
        };
        for (length, weights) in [(100_000, 100), (1_000_000, 1000), (10_000_000, 10_000)] {
            let [tenth, whole] = [length / 10, length].map(|length| operations(length, weights));
            assert!((9.0..11.5).contains(&(whole / tenth)), "{whole} and {tenth} operations for {length} numbers");
            let more = operations(length, 2 * weights);
            assert!(more > whole && more < 1.3 * whole, "{whole} and {more} operations for {weights} weights");
        }
        // A convolution without results has no operations, but a size that other checks refuse may be asked for.
        assert!(operations(3, 5).is_finite());
    }
}
