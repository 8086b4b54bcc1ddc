//! The selector as a policy, through its public interface alone: profiles from the probes, calls, what they took.

use super::policies::{Choice, Offer, Policy, Setting};
use super::probes::{Points, Probes};
use super::works::{CLASSES, Call, Class, Place, Shape, Work};
use pointsman::selector::{
    Arm, ArmSet, Curve, KernelStats, Link, Observation, Profile, Rank, RankReason, Residency, SPREAD_MEASURED,
    Selector, SelectorOptions, Size, Store, TableRates, Workload,
};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Its name in the tables.
pub const NAME: &str = "the selector";

/// The selector on a simulated machine.
pub struct Ours {
    selector: Selector,
    kernels: Vec<Arc<KernelStats>>,
    /// Bytes of a call's result.
    output: Box<dyn Fn(&Call) -> u64>,
    closed: ArmSet,
    /// The ranking of the call that is under way.
    rank: Option<Rank>,
    calls: u64,
}

impl Ours {
    /// One with profiles as the machine's calibration gives them, that learned nothing yet.
    pub fn boxed(setting: &Setting) -> Box<dyn Policy> {
        Box::new(Ours::new(setting))
    }

    fn new(setting: &Setting) -> Ours {
        let arms = setting.machine.arms.iter().zip(&setting.probes);
        let arms = arms.map(|(arm, probes)| Arm::new(&arm.name, profile(probes))).collect();
        let works = setting.machine.works().to_vec();
        let workloads = works.iter().enumerate().map(|(number, work)| (workload(number, work), ArmSet::ALL)).collect();
        let output = move |call: &Call| works[call.work].result_bytes(call.rows as f64) as u64;
        Ours::among(arms, workloads, Box::new(output))
    }

    /// One among these devices, for works that some of them take; `output` counts the bytes of a call's result.
    pub fn among(arms: Vec<Arm>, works: Vec<(Workload, ArmSet)>, output: Box<dyn Fn(&Call) -> u64>) -> Ours {
        let options = SelectorOptions { learns_in_background: false, ..SelectorOptions::default() };
        let selector = Selector::new(arms, options).expect("there are two to eight arms");
        let kernels = works.iter().map(|(workload, takes)| selector.register(workload, *takes)).collect();
        Ours { selector, kernels, output, closed: ArmSet::NONE, rank: None, calls: 0 }
    }

    /// What a call should take on each device, in nanoseconds, by the devices' names.
    pub fn predicted(&self, call: &Call) -> Vec<(String, f64)> {
        let ranking = self.selector.explain(&self.kernels[call.work], size(call), self.closed);
        ranking.predictions.iter().map(|one| (one.device.clone(), one.time())).collect()
    }
}

/// Numbers the directories of stores.
static STORES: AtomicU64 = AtomicU64::new(0);

impl Ours {
    /// Stores what was learned here, and has another find the file in the place of its own.
    fn carry(&self, to: &Ours) -> Result<(), Box<dyn Error>> {
        let number = STORES.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("pointsman-bench-{}-{number}", std::process::id()));
        let open = |machine: &str| {
            let mut store = Store::open(&directory, machine)?;
            self.selector.names().iter().for_each(|name| store.add_device(name, "simulated"));
            pointsman::Result::Ok(store)
        };
        let (here, there) = (open("one machine")?, open("another machine")?);
        here.keep(&self.selector)?;
        std::fs::copy(here.path(), there.path())?;
        there.restore(&to.selector);
        std::fs::remove_dir_all(directory)?;
        Ok(())
    }
}

impl Policy for Ours {
    fn choose(&mut self, call: &Call) -> Choice {
        let rank = self.selector.rank(&self.kernels[call.work], size(call), self.closed);
        self.rank = Some(rank);
        Choice { arm: rank.first(), explores: rank.reason() == RankReason::Trial }
    }

    fn best(&mut self, call: &Call) -> usize {
        self.selector.settled(&self.kernels[call.work], size(call), self.closed).first()
    }

    fn learn(&mut self, call: &Call, arm: usize, nanoseconds: f64) {
        let rank = self.rank.take().filter(|rank| rank.first() == arm);
        self.calls += 1;
        // As the session does: of settled calls that take as long as expected few are learned from.
        let is_sampled = rank.is_none_or(|rank| rank.is_sampled(self.calls));
        if !is_sampled && !rank.is_some_and(|rank| rank.is_unusual(nanoseconds as u64)) {
            return;
        }
        self.selector.observe(Observation {
            kernel: self.kernels[call.work].clone(),
            size: size(call),
            arm,
            nanoseconds: Some(nanoseconds),
            stands_for: if is_sampled { rank.map_or(1, Rank::stands_for) } else { 0 },
            output: Some((self.output)(call)),
            reason: rank.map_or(RankReason::Best, Rank::reason),
            is_contended: false,
            is_first: false,
        });
        self.selector.learn_now();
    }

    fn closed(&mut self, arm: usize) {
        self.closed = self.closed.with(arm);
    }

    fn moved(&mut self, to: &Setting, offer: Offer) {
        let before = std::mem::replace(self, Ours::new(to));
        match offer {
            Offer::Own => self.selector.adopt(&before.selector.learned()),
            Offer::File => before.carry(self).expect("a temporary directory can be written"),
        }
    }
}

/// What a calibration says of an arm.
fn profile(probes: &Probes) -> Profile {
    let curve = |points: &Points| Curve::new(points.iter().copied());
    let link = |points: &Points| Link { pageable: curve(points), locked: Curve::default() };
    Profile {
        launch: probes.launch,
        read: curve(&probes.read),
        write: curve(&probes.write),
        operations: probes.operations,
        ramp: curve(&probes.ramp),
        tables: TableRates::default(),
        // The simulated works have no library calls.
        calls: std::array::from_fn(|_| Curve::default()),
        copy_in: link(&probes.up),
        copy_out: link(&probes.down),
        copy_start: probes.copy_start,
        compile: 0.0,
        memory: None,
        spread: SPREAD_MEASURED,
        measured: true,
    }
}

/// What a kernel's text says of a work: every row is taken to be kept, every key to be new.
fn workload(number: usize, work: &Work) -> Workload {
    let times = |class: Class| work.operations.iter().filter(|(own, _)| *own == class).map(|(_, times)| times).sum();
    let output_per_row = if work.shape == Shape::Fold { 0.0 } else { work.write };
    Workload {
        key: number as u128 + 1,
        name: work.name.to_string(),
        read_per_row: work.read,
        written_per_row: work.write,
        fixed_bytes: if work.shape == Shape::Fold { 16.0 } else { 0.0 },
        operations: CLASSES.map(times),
        input_per_row: work.read,
        output_per_row,
        launches: 1,
        ..Workload::default()
    }
}

fn size(call: &Call) -> Size {
    let residency = match call.place {
        Place::Host => Residency::HOST,
        Place::Resident(home) => Residency::HOST.with(home, 0.0),
    };
    Size { residency, ..Size::host(call.rows) }
}
