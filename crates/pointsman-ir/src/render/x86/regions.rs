//! Extends the lifetimes of registers over regions that repeat (properly nested loops): a register that a region reads
//! lives until the region's end. Takes one walk over the steps, however many regions a body has.

/// The regions of a body, as a forest.
pub(super) struct Regions {
    regions: Vec<Region>,
    /// The innermost region of each step.
    innermost: Vec<Option<usize>>,
}

#[derive(Clone, Copy)]
struct Region {
    first: usize,
    /// The step after the last.
    end: usize,
    /// The region around it.
    around: Option<usize>,
}

impl Regions {
    /// The regions with these bounds (the first step, and the step after the last) in a body of this many steps.
    pub(super) fn new(bounds: &[(usize, usize)], steps: usize) -> Regions {
        let mut bounds = bounds.to_vec();
        bounds.sort_unstable_by_key(|&(first, end)| (first, std::cmp::Reverse(end)));
        let mut bounds = bounds.into_iter().filter(|(first, end)| first < end).peekable();
        let mut regions: Vec<Region> = Vec::new();
        let mut innermost = Vec::with_capacity(steps);
        let mut current: Option<usize> = None;
        for at in 0..steps {
            while let Some(region) = current.map(|region| regions[region])
                && region.end <= at
            {
                current = region.around;
            }
            while let Some((first, end)) = bounds.next_if(|&(first, _)| first == at) {
                regions.push(Region { first, end, around: current });
                current = Some(regions.len() - 1);
            }
            innermost.push(current);
        }
        Regions { regions, innermost }
    }

    /// The step until which a register lives that is named from `start` to `end`: one from outside a region that reads
    /// it lives until the region's end.
    pub(super) fn end_of_life(&self, start: usize, mut end: usize) -> usize {
        let mut number = self.innermost[end];
        while let Some(region) = number.map(|number| self.regions[number])
            && start < region.first
        {
            (end, number) = (region.end, region.around);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_from_outside_live_until_the_end_of_the_outermost_region_that_reads_them() {
        let regions = Regions::new(&[(3, 5), (2, 8), (10, 12), (5, 5)], 14);
        for ((start, end), lives_until) in [
            ((0, 1), 1),
            ((0, 2), 8),
            ((0, 4), 8),
            ((2, 4), 5),
            ((3, 4), 4),
            ((2, 6), 6),
            ((0, 9), 9),
            ((4, 11), 12),
            ((10, 13), 13),
        ] {
            assert_eq!(regions.end_of_life(start, end), lives_until, "{start}..={end}");
        }
    }
}
