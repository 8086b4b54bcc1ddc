//! What happens to a policy: calls in random order, steady or with noise, and the changes of a machine's life.

use super::figures::{Figure, Tally};
use super::policies::{Maker, Offer, Policy, Setting};
use super::random::Random;
use super::works::{Call, cells, sizes};
use std::collections::BTreeMap;

/// Calls that count as a cold start.
pub const COLD_CALLS: usize = 200;
/// Calls before the choices are judged as warm.
pub const WARM_CALLS: usize = 5_000;
/// How long a recovery is waited for, in calls that the device would have got.
const RECOVERY_CALLS_MAX: u32 = 500;
/// How long it may take.
const RECOVERY_CALLS: u32 = 50;
/// How much slower a device turns.
const SLOWER: f64 = 10.0;
/// Measured times are off by this (of the logarithm), and a few by a lot.
const NOISE: f64 = 0.1;
const OUTLIERS: f64 = 0.01;
const OUTLIER_TIMES: f64 = 20.0;

/// The scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Every call takes what it takes.
    Steady,
    /// Times vary by a tenth, and one in a hundred is twenty times too long.
    Noisy,
    /// The same, and the accelerator that most calls should go to turns ten times slower midway.
    Slower,
    /// The same, and that accelerator fails from then on.
    Dies,
    /// Learned on every other size, judged on the sizes between.
    Unseen,
    /// The file of another machine of the same kind lies where one's own would.
    Foreign,
    /// What was learned before is offered at the start, and the machine is another one of the same kind.
    Mistaken,
}

impl Scenario {
    /// Every scenario.
    pub const ALL: [Scenario; 7] = [
        Scenario::Steady,
        Scenario::Noisy,
        Scenario::Slower,
        Scenario::Dies,
        Scenario::Unseen,
        Scenario::Foreign,
        Scenario::Mistaken,
    ];

    /// A heading.
    pub fn name(self) -> &'static str {
        match self {
            Scenario::Steady => "Steady, without noise",
            Scenario::Noisy => "Noise of 10 %, one outlier of 20× in a hundred",
            Scenario::Slower => "The busiest accelerator turns 10× slower midway (with noise)",
            Scenario::Dies => "The busiest accelerator dies midway (with noise)",
            Scenario::Unseen => "Sizes never seen before (with noise)",
            Scenario::Foreign => "A store from another machine (with noise)",
            Scenario::Mistaken => "A store from another machine that is taken for one's own (with noise)",
        }
    }

    /// Whether bars are set for it; else its figures are told only.
    pub fn is_judged(self) -> bool {
        self != Scenario::Mistaken
    }

    /// Runs a policy on the machine of a seed.
    pub fn run(self, seed: u64, maker: Maker) -> BTreeMap<Figure, f64> {
        let mut run = Run::new(seed, maker, self != Scenario::Steady);
        match self {
            Scenario::Steady | Scenario::Noisy => run.cold_and_warm(),
            Scenario::Slower => run.slower(seed),
            Scenario::Dies => run.dies(),
            Scenario::Unseen => run.unseen(),
            Scenario::Foreign => run.moved(seed, Offer::File),
            Scenario::Mistaken => run.moved(seed, Offer::Own),
        }
        run.figures
    }
}

/// A policy on a machine, and what came of it.
struct Run {
    setting: Setting,
    policy: Box<dyn Policy>,
    cells: Vec<Call>,
    random: Random,
    is_noisy: bool,
    /// Arms that take calls.
    open: Vec<bool>,
    /// Arms that fail.
    dead: Vec<bool>,
    time: f64,
    explored: f64,
    lost: f64,
    to_closed: f64,
    figures: BTreeMap<Figure, f64>,
}

impl Run {
    fn new(seed: u64, maker: Maker, is_noisy: bool) -> Run {
        let setting = Setting::new(seed);
        let policy = maker(&setting);
        let arms = setting.machine.arms.len();
        Run {
            policy,
            cells: cells(arms),
            setting,
            random: Random::new(seed ^ 0x6361_6c6c_7300),
            is_noisy,
            open: vec![true; arms],
            dead: vec![false; arms],
            time: 0.0,
            explored: 0.0,
            lost: 0.0,
            to_closed: 0.0,
            figures: BTreeMap::new(),
        }
    }

    /// One call: a choice, its time, and what the policy is told. Adds to the tally.
    fn call(&mut self, call: &Call, tally: &mut Tally) {
        let choice = self.policy.choose(call);
        self.to_closed += if self.open[choice.arm] { 0.0 } else { 1.0 };
        if self.dead[choice.arm] {
            // The failed attempt counts as lost; the call goes elsewhere.
            self.time += self.setting.machine.cost(call, choice.arm);
            self.close(choice.arm);
            if choice.arm != 0 && self.to_closed == 0.0 {
                self.call(call, tally);
            }
            return;
        }
        let cost = self.setting.machine.cost(call, choice.arm);
        let (_, oracle) = self.setting.machine.oracle(call, &self.open);
        self.time += cost;
        if choice.explores {
            self.explored += cost;
            self.lost += cost - oracle;
        }
        tally.add(oracle, cost);
        let measured = cost * self.noise();
        self.policy.learn(call, choice.arm, measured);
    }

    fn close(&mut self, arm: usize) {
        self.open[arm] = false;
        self.policy.closed(arm);
    }

    fn noise(&mut self) -> f64 {
        if !self.is_noisy {
            return 1.0;
        }
        let outlier = if self.random.chance(OUTLIERS) { OUTLIER_TIMES } else { 1.0 };
        outlier * self.random.lognormal(NOISE)
    }

    /// So many calls of random cells.
    fn calls(&mut self, count: usize) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..count {
            let call = self.cells[self.random.below(self.cells.len())];
            self.call(&call, &mut tally);
        }
        tally
    }

    /// What would be chosen now in every cell.
    fn judged(&mut self, cells: &[Call]) -> Tally {
        let mut tally = Tally::default();
        for call in cells {
            let arm = self.policy.best(call);
            tally.add(self.setting.machine.oracle(call, &self.open).1, self.setting.machine.cost(call, arm));
        }
        tally
    }

    fn note_cold(&mut self, cold: &Tally) {
        self.figures.extend([(Figure::ColdSum, cold.sum()), (Figure::ColdMean, cold.mean())]);
    }

    fn note_warm(&mut self, warm: &Tally) {
        let exploring = [(Figure::Exploration, self.explored), (Figure::ExplorationLoss, self.lost)];
        self.figures.extend(exploring.map(|(figure, time)| (figure, time / self.time)));
        self.figures.extend([(Figure::WarmSum, warm.sum()), (Figure::WarmMean, warm.mean())]);
        self.figures.insert(Figure::WorstCell, warm.worst());
    }

    fn cold_and_warm(&mut self) {
        let cold = self.calls(COLD_CALLS);
        self.note_cold(&cold);
        self.calls(WARM_CALLS - COLD_CALLS);
        let warm = self.judged(&self.cells.clone());
        self.note_warm(&warm);
    }

    /// The accelerator that is fastest in most cells.
    fn busiest(&self) -> usize {
        let mut cells = vec![0; self.open.len()];
        self.cells.iter().for_each(|call| cells[self.setting.machine.oracle(call, &self.open).0] += 1);
        (1..cells.len()).max_by_key(|&arm| cells[arm]).unwrap_or(1)
    }

    fn slower(&mut self, seed: u64) {
        self.calls(WARM_CALLS);
        let arm = self.busiest();
        let (cells, all) = (self.chosen_for(arm), self.cells.clone());
        // On every other machine the link gets slower with it.
        self.setting.machine.slow_down(arm, SLOWER, seed % 2 == 1);
        let mut recovery = f64::INFINITY;
        let mut own = 0;
        for _ in 0..WARM_CALLS {
            let call = self.cells[self.random.below(self.cells.len())];
            if cells.contains(&call) && own <= RECOVERY_CALLS_MAX {
                let now = self.judged(&cells);
                if now.is_near() && recovery.is_infinite() {
                    recovery = f64::from(own);
                }
                if own == RECOVERY_CALLS {
                    self.figures.insert(Figure::NearAfter50, now.near());
                }
                own += 1;
            }
            self.call(&call, &mut Tally::default());
        }
        self.figures.insert(Figure::Recovery, recovery);
        let warm = self.judged(&all);
        self.note_warm(&warm);
    }

    /// The cells that go to this arm now; all if none does.
    fn chosen_for(&mut self, arm: usize) -> Vec<Call> {
        let all = self.cells.clone();
        let chosen: Vec<Call> = all.iter().copied().filter(|call| self.policy.best(call) == arm).collect();
        if chosen.is_empty() { all } else { chosen }
    }

    fn dies(&mut self) {
        self.calls(WARM_CALLS / 2);
        let arm = self.busiest();
        self.dead[arm] = true;
        self.calls(WARM_CALLS / 2);
        if self.open[arm] {
            self.close(arm);
        }
        self.figures.insert(Figure::ToClosed, self.to_closed);
        let warm = self.judged(&self.cells.clone());
        self.note_warm(&warm);
    }

    fn unseen(&mut self) {
        let seen: Vec<u64> = sizes().into_iter().step_by(2).collect();
        let (seen, unseen) = self.cells.iter().partition(|call| seen.contains(&call.rows));
        self.cells = seen;
        self.calls(WARM_CALLS);
        let warm = self.judged(&unseen);
        self.note_warm(&warm);
    }

    fn moved(&mut self, seed: u64, offer: Offer) {
        self.calls(WARM_CALLS);
        // Machines go round by six: the same kinds, other figures.
        self.setting = Setting::new(seed + 600);
        self.policy.moved(&self.setting, offer);
        (self.time, self.explored, self.lost) = (0.0, 0.0, 0.0);
        self.cold_and_warm();
    }
}

#[cfg(test)]
mod tests {
    use super::super::ours::Ours;
    use super::super::policies::BASELINES;
    use super::*;

    #[test]
    fn a_dead_arm_gets_one_call_and_no_more() {
        for (name, maker) in BASELINES {
            let figures = Scenario::Dies.run(1, maker);
            assert_eq!(figures[&Figure::ToClosed], 0.0, "{name}");
        }
    }

    /// The whole is `bench/selector`; this is to see that it has not rotted. Cold, one large call can be most of a machine's
    /// sum, so there the middle of some machines counts.
    #[test]
    fn the_selector_is_near_the_oracle_on_some_machines() {
        for scenario in Scenario::ALL {
            let mut values: BTreeMap<Figure, Vec<f64>> = BTreeMap::new();
            for seed in 1..=5 {
                let figures = scenario.run(seed, Ours::boxed);
                figures.into_iter().for_each(|(figure, value)| values.entry(figure).or_default().push(value));
            }
            for (figure, mut values) in values {
                values.sort_by(f64::total_cmp);
                let (least, middle) = match figure {
                    Figure::ColdSum | Figure::ColdMean => (0.0, 0.8),
                    Figure::WarmSum | Figure::WarmMean => (0.9, 0.98),
                    Figure::WorstCell | Figure::Exploration | Figure::ExplorationLoss => (0.0, 0.0),
                    Figure::Recovery | Figure::NearAfter50 | Figure::ToClosed => (0.0, 0.0),
                };
                assert!(values[0] >= least && values[2] >= middle, "{scenario:?}, {}: {values:?}", figure.name());
            }
        }
    }

    #[test]
    fn one_seed_gives_one_result() {
        let (_, maker) = BASELINES[4];
        assert_eq!(Scenario::Noisy.run(2, maker), Scenario::Noisy.run(2, maker));
        assert_ne!(Scenario::Noisy.run(2, maker), Scenario::Noisy.run(8, maker));
    }
}
