//! Who chooses: one small trait, the six baselines, and the oracle.

use super::machine::Machine;
use super::probes::{Probes, probe};
use super::random::Random;
use super::works::{Call, Place};
use std::collections::BTreeMap;

/// What a policy is told of the machine it chooses for.
pub struct Setting {
    /// The machine; only the oracle asks it for costs.
    pub machine: Machine,
    /// What a calibration found.
    pub probes: Vec<Probes>,
    /// The seed of policies that choose at random.
    pub seed: u64,
}

impl Setting {
    /// The machine of a number.
    pub fn new(seed: u64) -> Setting {
        let machine = Machine::new(seed);
        let probes = probe(&machine);
        Setting { machine, probes, seed }
    }

    fn arms(&self) -> usize {
        self.machine.arms.len()
    }
}

/// A choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where the call goes.
    pub arm: usize,
    /// Whether it goes there to learn, and not because it is thought to be fastest.
    pub explores: bool,
}

/// How what was learned on one machine comes to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// As a file that says which machine it is of.
    File,
    /// As its own: the machine says that it is the one that it was, and is not.
    Own,
}

/// Somebody who chooses an arm for each call and is told what it took.
pub trait Policy {
    /// Where this call goes.
    fn choose(&mut self, call: &Call) -> Choice;
    /// Where it would go if nothing was to be learned.
    fn best(&mut self, call: &Call) -> usize;
    /// What a call took there, in nanoseconds.
    fn learn(&mut self, call: &Call, arm: usize, nanoseconds: f64);
    /// This arm takes no calls from now on.
    fn closed(&mut self, arm: usize);
    /// From now on the machine is this one; what was learned on the other is offered in this way.
    fn moved(&mut self, to: &Setting, offer: Offer);
}

/// How a policy is made.
pub type Maker = fn(&Setting) -> Box<dyn Policy>;

/// The baselines by name.
pub const BASELINES: [(&str, Maker); 6] = [
    ("always the CPU", |setting| Box::new(Fixed::new(setting, u64::MAX))),
    ("always the GPU", |setting| Box::new(Fixed::new(setting, 0))),
    ("threshold of 65,536 rows", |setting| Box::new(Fixed::new(setting, 65_536))),
    ("history of ten samples", |setting| Box::new(History::new(setting, Manner::TenSamples))),
    ("ε-greedy, 10 %", |setting| Box::new(History::new(setting, Manner::Greedy { explored: 0.1 }))),
    ("UCB1", |setting| Box::new(History::new(setting, Manner::UpperBound))),
];

/// From so many rows on the accelerator (that has the columns, or the first), else the processor.
struct Fixed {
    from_rows: u64,
    open: Vec<bool>,
}

impl Fixed {
    fn new(setting: &Setting, from_rows: u64) -> Fixed {
        Fixed { from_rows, open: vec![true; setting.arms()] }
    }
}

impl Policy for Fixed {
    fn choose(&mut self, call: &Call) -> Choice {
        Choice { arm: self.best(call), explores: false }
    }

    fn best(&mut self, call: &Call) -> usize {
        let first = (1..self.open.len()).find(|&arm| self.open[arm]).unwrap_or(0);
        match call.place {
            _ if call.rows < self.from_rows => 0,
            Place::Resident(home) if self.open[home] => home,
            Place::Resident(_) | Place::Host => first,
        }
    }

    fn learn(&mut self, _: &Call, _: usize, _: f64) {}

    fn closed(&mut self, arm: usize) {
        self.open[arm] = false;
    }

    fn moved(&mut self, _: &Setting, _: Offer) {}
}

/// How a history of each cell is used.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Each arm ten times, then the one with the smallest mean (as StarPU does).
    TenSamples,
    /// Each arm once; then one at random in a share of the calls, else the one with the smallest mean.
    Greedy {
        /// The share.
        explored: f64,
    },
    /// Each arm once, then the one whose lower bound is smallest (UCB1, for costs), scaled by the cell's mean.
    UpperBound,
}

/// How many samples of an arm [`Manner::TenSamples`] takes.
const SAMPLES: f64 = 10.0;

/// Samples of one arm in one cell.
#[derive(Clone, Copy, Default)]
struct Samples {
    count: f64,
    sum: f64,
}

/// A mean for each (work, rows, place, arm), and nothing beyond.
struct History {
    manner: Manner,
    cells: BTreeMap<Call, Vec<Samples>>,
    open: Vec<bool>,
    random: Random,
}

impl History {
    fn new(setting: &Setting, manner: Manner) -> History {
        let open = vec![true; setting.arms()];
        History { manner, cells: BTreeMap::new(), open, random: Random::new(setting.seed ^ 0x6869_7374) }
    }

    fn cell(&self, call: &Call) -> Vec<Samples> {
        self.cells.get(call).cloned().unwrap_or_else(|| vec![Samples::default(); self.open.len()])
    }

    fn open_arms(&self) -> impl Iterator<Item = usize> {
        (0..self.open.len()).filter(|&arm| self.open[arm])
    }

    /// The open arm with the smallest figure.
    fn smallest(&self, figure: impl Fn(usize) -> f64) -> usize {
        let arms = self.open_arms().map(|arm| (arm, figure(arm)));
        arms.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(arm, _)| arm)
    }

    fn lower_bound(&self, cell: &[Samples]) -> usize {
        let (count, sum) = cell.iter().fold((0.0, 0.0), |(count, sum), arm| (count + arm.count, sum + arm.sum));
        let scale = sum / f64::max(count, 1.0);
        self.smallest(|arm| {
            let Samples { count: times, sum } = cell[arm];
            sum / times - scale * (2.0 * f64::ln(count) / times).sqrt()
        })
    }
}

impl Policy for History {
    fn choose(&mut self, call: &Call) -> Choice {
        let cell = self.cell(call);
        let wanted = if self.manner == Manner::TenSamples { SAMPLES } else { 1.0 };
        let fewest = self.smallest(|arm| cell[arm].count);
        if cell[fewest].count < wanted {
            return Choice { arm: fewest, explores: true };
        }
        let best = self.best(call);
        let arm = match self.manner {
            Manner::TenSamples => best,
            Manner::Greedy { explored } if self.random.chance(explored) => {
                let open: Vec<usize> = self.open_arms().collect();
                open[self.random.below(open.len())]
            }
            Manner::Greedy { .. } => best,
            Manner::UpperBound => self.lower_bound(&cell),
        };
        Choice { arm, explores: arm != best }
    }

    fn best(&mut self, call: &Call) -> usize {
        let cell = self.cell(call);
        self.smallest(|arm| if cell[arm].count > 0.0 { cell[arm].sum / cell[arm].count } else { f64::MAX })
    }

    fn learn(&mut self, call: &Call, arm: usize, nanoseconds: f64) {
        let arms = self.open.len();
        let samples = &mut self.cells.entry(*call).or_insert_with(|| vec![Samples::default(); arms])[arm];
        samples.count += 1.0;
        samples.sum += nanoseconds;
    }

    fn closed(&mut self, arm: usize) {
        self.open[arm] = false;
    }

    fn moved(&mut self, _: &Setting, _: Offer) {}
}
