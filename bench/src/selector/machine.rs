//! A simulated machine: a processor, one to seven accelerators, and what each kernel really costs on each of them.

use super::hardware::{Hardware, Kind, piece};
use super::random::Random;
use super::works::{Call, Place, Work, works};

/// How far a kernel's real cost on a kind of device is from what its text suggests (of the logarithm).
const SURPRISE: f64 = 0.3;
/// How far that goes up and down with the size.
const SWING: f64 = 0.15;
/// How far two pieces of one kind are apart.
const PIECES_APART: f64 = 0.015;

/// The machines there are, each with the processor first.
const FLEET: [&[Kind]; 6] = [
    &[Kind::SmallProcessor, Kind::LargeCard],
    &[Kind::MiddleProcessor, Kind::LargeCard, Kind::LargeCardPortable],
    &[Kind::MiddleProcessor, Kind::MiddleCard, Kind::Integrated, Kind::MiddleCardPortable],
    &[Kind::LargeProcessor, Kind::LargeCard, Kind::LargeCard, Kind::LargeCardPortable, Kind::LargeCardPortable],
    &[
        Kind::LargeProcessor,
        Kind::LargeCard,
        Kind::LargeCard,
        Kind::LargeCard,
        Kind::LargeCard,
        Kind::MiddleCard,
        Kind::MiddleCard,
        Kind::Integrated,
    ],
    &[Kind::SmallProcessor, Kind::Integrated],
];

/// What nobody knows of a kernel on a kind of device.
#[derive(Clone, Copy, Debug)]
struct Surprise {
    factor: f64,
    /// Radians for each unit of the logarithm of the rows.
    frequency: f64,
    phase: f64,
}

impl Surprise {
    fn draw(random: &mut Random) -> Surprise {
        let factor = random.lognormal(SURPRISE);
        Surprise { factor, frequency: random.between(0.4, 1.2), phase: random.between(0.0, std::f64::consts::TAU) }
    }

    fn at(self, rows: f64) -> f64 {
        self.factor * (SWING * (self.frequency * rows.ln() + self.phase).sin()).exp()
    }
}

/// One device of a machine.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its name, with its number among those of its kind.
    pub name: String,
    /// What kind it is.
    pub kind: Kind,
    hardware: Hardware,
    /// For each work.
    surprises: Vec<Surprise>,
    /// How much slower it is now than when it was new.
    slower: f64,
    /// Whether that goes for copies, too.
    slower_copies: bool,
}

/// A machine; its first arm is the processor.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its devices.
    pub arms: Vec<Arm>,
    works: Vec<Work>,
}

impl Machine {
    /// The machine of this number: kinds go round, everything else differs.
    pub fn new(seed: u64) -> Machine {
        let mut random = Random::new(seed ^ 0x6d61_6368_696e_6500);
        let kinds = FLEET[seed as usize % FLEET.len()];
        let works = works();
        let mut known: Vec<(Kind, Hardware, Vec<Surprise>)> = Vec::new();
        let mut arms: Vec<Arm> = Vec::new();
        for &kind in kinds {
            if !known.iter().any(|(other, ..)| *other == kind) {
                let surprises = works.iter().map(|_| Surprise::draw(&mut random)).collect();
                known.push((kind, piece(kind, &mut random), surprises));
            }
            let (_, hardware, surprises) =
                known.iter().find(|(other, ..)| *other == kind).expect("every kind was made").clone();
            let number = arms.iter().filter(|arm| arm.kind == kind).count();
            let name = if arms.is_empty() { kind.name().to_string() } else { format!("{}:{number}", kind.name()) };
            let apart = random.lognormal(PIECES_APART);
            arms.push(Arm { name, kind, hardware, surprises, slower: apart, slower_copies: false });
        }
        Machine { arms, works }
    }

    /// What this machine computes.
    pub fn works(&self) -> &[Work] {
        &self.works
    }

    /// The hardware behind an arm, for calibration.
    pub(super) fn hardware(&self, arm: usize) -> (&Hardware, f64) {
        (&self.arms[arm].hardware, self.arms[arm].slower)
    }

    /// Nanoseconds of a call on an arm, without noise.
    pub fn cost(&self, call: &Call, arm: usize) -> f64 {
        let Arm { hardware, surprises, slower, slower_copies, .. } = &self.arms[arm];
        let (work, rows) = (&self.works[call.work], call.rows as f64);
        let run = hardware.launch_ns() + hardware.run_ns(work, rows) * surprises[call.work].at(rows);
        let is_there = call.place == Place::Resident(arm);
        let up = if is_there { 0.0 } else { hardware.up_ns(rows * work.read) };
        let copies = up + hardware.down_ns(work.result_bytes(rows));
        run * slower + copies * if *slower_copies { *slower } else { 1.0 }
    }

    /// The fastest of the arms that are open, and its time.
    pub fn oracle(&self, call: &Call, open: &[bool]) -> (usize, f64) {
        let open = (0..self.arms.len()).filter(|&arm| open[arm]);
        let timed = open.map(|arm| (arm, self.cost(call, arm)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1)).expect("the processor is never closed")
    }

    /// From now on this arm takes so many times longer; perhaps for copies, too.
    pub fn slow_down(&mut self, arm: usize, times: f64, copies: bool) {
        self.arms[arm].slower *= times;
        self.arms[arm].slower_copies = copies;
    }
}

#[cfg(test)]
mod tests {
    use super::super::works::cells;
    use super::*;

    #[test]
    fn every_machine_has_cells_for_the_processor_and_for_others() {
        for seed in 0..FLEET.len() as u64 {
            let machine = Machine::new(seed);
            let open = vec![true; machine.arms.len()];
            let cells = cells(machine.arms.len());
            let first = cells.iter().filter(|call| machine.oracle(call, &open).0 == 0).count();
            let share = first as f64 / cells.len() as f64;
            assert!((0.1..0.98).contains(&share), "machine {seed}: {share} of the cells are the processor's");
        }
    }

    #[test]
    fn costs_have_shapes_that_grow_and_jump() {
        let mut falls = 0;
        for machine in (0..FLEET.len() as u64).map(Machine::new) {
            let at = |rows: u64, arm| machine.cost(&Call { work: 1, rows, place: Place::Host }, arm);
            for arm in 0..2 {
                assert!(at(100_000_000, arm) > at(1_000_000, arm) && at(1_000_000, arm) > at(1_000, arm));
            }
            falls += (1_000..250_000u64).step_by(500).filter(|&rows| at(rows + 500, 0) < at(rows, 0)).count();
        }
        assert!(falls > 0, "other threads start somewhere");
    }
}
