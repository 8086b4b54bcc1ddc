//! A small seeded generator: the same seed always gives the same numbers, on every machine. Not for secrets.

/// A SplitMix64 generator (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator for this seed.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng { state: seed ^ 0x5851_f42d_4c95_7f2d };
        rng.bits();
        rng
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// True this many times in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// One of them; the slice must not be empty.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// One of them, late ones more often: where late values are built from early ones, a body gets deep.
    pub fn pick_late<T: Clone>(&mut self, from: &[T]) -> T {
        let (a, b) = (self.below(from.len()), self.below(from.len()));
        from[a.max(b)].clone()
    }

    /// A number between the two, both included.
    pub fn between(&mut self, low: i128, high: i128) -> i128 {
        let span = high.wrapping_sub(low) as u128;
        let bits = (u128::from(self.bits()) << 64) | u128::from(self.bits());
        match span.checked_add(1) {
            Some(count) => low.wrapping_add((bits % count) as i128),
            None => bits as i128,
        }
    }
}
