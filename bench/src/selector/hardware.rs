//! The simulated processors and accelerators: figures of real ones in tables, and the shapes that no simple formula has.
//! In: a work and a number of rows. Out: nanoseconds.

use super::curve::Curve;
use super::random::Random;
use super::works::{CLASSES, Shape, Work};

/// How much of the shorter of memory and arithmetic is not hidden behind the longer.
const OVERLAP_MISSED: f64 = 0.15;
/// What a machine of a kind differs by from the table of its kind.
const MACHINE_DEVIATION: f64 = 0.08;

/// The kinds of hardware. What is of one kind runs the same code and has the same surprises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Two virtual cores.
    SmallProcessor,
    /// Eight cores of a desktop.
    MiddleProcessor,
    /// Sixty-four cores.
    LargeProcessor,
    /// A card with memory of 4 TB/s, through its own driver.
    LargeCard,
    /// The same through the portable interface.
    LargeCardPortable,
    /// A card with memory of 300 GB/s.
    MiddleCard,
    /// The same through the portable interface.
    MiddleCardPortable,
    /// A graphics unit beside the cores, on the same memory.
    Integrated,
}

impl Kind {
    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::SmallProcessor | Kind::MiddleProcessor | Kind::LargeProcessor => "cpu",
            Kind::LargeCard => "card",
            Kind::LargeCardPortable => "card-portable",
            Kind::MiddleCard => "middle",
            Kind::MiddleCardPortable => "middle-portable",
            Kind::Integrated => "integrated",
        }
    }
}

/// A processor: reads the host's memory in place.
#[derive(Clone, Debug)]
pub struct Processor {
    /// A call without rows.
    call_ns: f64,
    threads: f64,
    /// What would take one thread longer than this is done by all.
    threads_from_ns: f64,
    /// What waking them takes.
    wake_ns: f64,
    /// Gigabytes a second of one thread by bytes touched.
    bandwidth: Curve,
    /// How much faster memory is with all threads, by bytes touched.
    together: Curve,
    /// Operations a nanosecond and thread by class.
    rates: [f64; 5],
    /// Nanoseconds of a look-up by bytes of the table.
    look_up: Curve,
}

/// An accelerator: has memory of its own.
#[derive(Clone, Debug)]
pub struct Accelerator {
    /// From the call to the answer without rows.
    launch_ns: f64,
    /// Gigabytes a second by bytes touched.
    bandwidth: Curve,
    /// Operations a nanosecond by class.
    rates: [f64; 5],
    /// Rows that run at once; the rest waits for the next wave.
    wave_rows: f64,
    /// What the start of the last wave costs, as a share of a whole one.
    wave_start: f64,
    /// Look-ups a nanosecond by bytes of the table.
    look_ups: Curve,
    /// The part of the bandwidth that compactions and scans reach.
    in_order: f64,
    /// What a copy takes beside its bytes.
    copy_ns: f64,
    /// Gigabytes a second to the device by bytes of the copy.
    up: Curve,
    /// And from it.
    down: Curve,
}

/// Either.
#[derive(Clone, Debug)]
pub enum Hardware {
    /// A processor.
    Processor(Processor),
    /// An accelerator.
    Accelerator(Accelerator),
}

impl Hardware {
    /// What every call takes.
    pub fn launch_ns(&self) -> f64 {
        match self {
            Hardware::Processor(processor) => processor.call_ns,
            Hardware::Accelerator(accelerator) => accelerator.launch_ns,
        }
    }

    /// What the rows take, launch and copies apart.
    pub fn run_ns(&self, work: &Work, rows: f64) -> f64 {
        match self {
            Hardware::Processor(processor) => processor.run_ns(work, rows),
            Hardware::Accelerator(accelerator) => accelerator.run_ns(work, rows),
        }
    }

    /// What a copy of so many bytes to the device takes.
    pub fn up_ns(&self, bytes: f64) -> f64 {
        match self {
            Hardware::Processor(_) => 0.0,
            Hardware::Accelerator(accelerator) => accelerator.copy_ns + bytes / accelerator.up.at(bytes),
        }
    }

    /// And from it.
    pub fn down_ns(&self, bytes: f64) -> f64 {
        match self {
            Hardware::Processor(_) => 0.0,
            Hardware::Accelerator(accelerator) => accelerator.copy_ns + bytes / accelerator.down.at(bytes),
        }
    }
}

impl Processor {
    fn run_ns(&self, work: &Work, rows: f64) -> f64 {
        let touched = rows * work.read + work.result_bytes(rows);
        let mut memory = touched / self.bandwidth.at(touched);
        let mut arithmetic = rows * operations_ns(work, &self.rates);
        match work.shape {
            Shape::Map | Shape::Fold => {}
            // Both wait for the morsel before.
            Shape::Compact { .. } => memory *= 1.2,
            Shape::Scan => memory *= 1.8,
            Shape::LookUp { table } => arithmetic += rows * self.look_up.at(table),
            Shape::Loop { bound, mean, .. } => arithmetic *= mean / bound,
            // A step for each doubling of the rows.
            Shape::Frames => arithmetic += rows * 0.12 * rows.max(2.0).log2(),
        }
        let alone = overlapped(memory, arithmetic);
        if alone < self.threads_from_ns {
            return alone;
        }
        self.wake_ns + overlapped(memory / self.together.at(touched), arithmetic / self.threads)
    }
}

impl Accelerator {
    fn run_ns(&self, work: &Work, rows: f64) -> f64 {
        // A begun wave takes a good part of a whole one.
        let waves = rows / self.wave_rows;
        let (whole, part) = (waves.floor(), waves.fract());
        let begun = if part > 0.0 { self.wave_start + (1.0 - self.wave_start) * part } else { 0.0 };
        let paid = (whole + begun) * self.wave_rows;
        let touched = rows * work.read + work.result_bytes(rows);
        let mut memory = touched / rows * paid / self.bandwidth.at(touched);
        let mut arithmetic = paid * operations_ns(work, &self.rates);
        let mut fixed = 0.0;
        match work.shape {
            Shape::Map => {}
            // Partial sums of the blocks are joined at the end.
            Shape::Fold => fixed += 0.4 * self.launch_ns,
            Shape::Compact { .. } | Shape::Scan => {
                memory /= self.in_order;
                fixed += 0.3 * self.launch_ns;
            }
            Shape::LookUp { table } => arithmetic += paid / self.look_ups.at(table),
            Shape::Loop { bound, together, .. } => arithmetic *= together / bound,
            // A pass through memory for every few doublings of the rows, each a launch.
            Shape::Frames => {
                let passes = (rows.max(2.0).log2() / 8.0).ceil();
                memory *= passes;
                fixed += (passes - 1.0) * self.launch_ns;
            }
        }
        fixed + overlapped(memory, arithmetic)
    }
}

fn overlapped(memory: f64, arithmetic: f64) -> f64 {
    memory.max(arithmetic) + OVERLAP_MISSED * memory.min(arithmetic)
}

/// Nanoseconds of a row's operations at these rates.
fn operations_ns(work: &Work, rates: &[f64; 5]) -> f64 {
    let rate = |class| CLASSES.iter().zip(rates).find(|(other, _)| **other == class).map_or(1.0, |(_, rate)| *rate);
    work.operations.iter().map(|&(class, times)| times / rate(class)).sum()
}

/// A machine's piece of this kind: the figures of the kind, each a little off.
pub fn piece(kind: Kind, random: &mut Random) -> Hardware {
    match kind {
        Kind::SmallProcessor => processor(2.0, 2.0, 400.0, random),
        Kind::MiddleProcessor => processor(8.0, 2.6, 500.0, random),
        Kind::LargeProcessor => processor(64.0, 12.0, 900.0, random),
        Kind::LargeCard => accelerator(&LARGE, 1.0, random),
        Kind::LargeCardPortable => accelerator(&LARGE, 4.5, random),
        Kind::MiddleCard => accelerator(&MIDDLE, 1.0, random),
        Kind::MiddleCardPortable => accelerator(&MIDDLE, 3.0, random),
        Kind::Integrated => accelerator(&INTEGRATED, 1.0, random),
    }
}

fn processor(threads: f64, together: f64, call_ns: f64, random: &mut Random) -> Hardware {
    let bandwidth = Curve::new(&[
        (3.2e4, 180.0),
        (6.4e4, 118.0),
        (9.0e5, 96.0),
        (2.0e6, 58.0),
        (2.4e7, 40.0),
        (6.0e7, 24.0),
        (2.0e9, 21.0),
    ]);
    let cached = threads * 0.8;
    let faster = Curve::new(&[(1e5, cached.clamp(1.2, 4.0)), (4e6, cached), (3e7, cached), (1.5e8, together)]);
    let wake_ns = 1_500.0 * threads.sqrt() * random.lognormal(MACHINE_DEVIATION);
    let look_up = Curve::new(&[(3e4, 0.9), (1e6, 2.2), (2e7, 6.0), (2e8, 35.0)]);
    Hardware::Processor(Processor {
        call_ns: call_ns * random.lognormal(MACHINE_DEVIATION),
        threads,
        threads_from_ns: random.between(2.0, 4.0) * wake_ns,
        wake_ns,
        bandwidth: bandwidth.varied(random, MACHINE_DEVIATION),
        together: faster.varied(random, MACHINE_DEVIATION / 2.0),
        rates: [28.0, 28.0, 3.0, 14.0, 1.5].map(|rate| rate * random.lognormal(MACHINE_DEVIATION)),
        look_up: look_up.varied(random, MACHINE_DEVIATION),
    })
}

/// A card's figures as the driver's own interface reaches them.
struct Card {
    launch_ns: f64,
    bandwidth: &'static [(f64, f64)],
    rates: [f64; 5],
    wave_rows: f64,
    look_ups: &'static [(f64, f64)],
    copy_ns: f64,
    up: &'static [(f64, f64)],
    down: &'static [(f64, f64)],
}

const LARGE: Card = Card {
    launch_ns: 3_600.0,
    bandwidth: &[(4e6, 2_600.0), (2.5e7, 5_200.0), (4.5e7, 5_000.0), (1.2e8, 3_900.0), (1e9, 4_150.0)],
    rates: [30_000.0, 30_000.0, 2_500.0, 8_000.0, 2_000.0],
    wave_rows: 540_672.0,
    look_ups: &[(1e5, 120.0), (3e7, 60.0), (3e8, 12.0)],
    copy_ns: 6_500.0,
    up: &[(6.4e4, 6.0), (1e6, 14.0), (1.6e7, 26.0), (1e8, 38.0), (2e9, 30.0)],
    down: &[(6.4e4, 5.0), (1e6, 12.0), (1.6e7, 22.0), (1e8, 30.0), (2e9, 26.0)],
};

const MIDDLE: Card = Card {
    launch_ns: 6_000.0,
    bandwidth: &[(1e6, 500.0), (3e6, 700.0), (6e6, 330.0), (1e8, 270.0), (2e9, 280.0)],
    rates: [6_000.0, 6_000.0, 400.0, 1_500.0, 500.0],
    wave_rows: 81_920.0,
    look_ups: &[(1e5, 30.0), (4e6, 12.0), (1e8, 2.5)],
    copy_ns: 9_000.0,
    up: &[(6.4e4, 3.0), (1e6, 6.5), (1.6e7, 11.0), (1e8, 12.5), (2e9, 9.5)],
    down: &[(6.4e4, 2.5), (1e6, 6.0), (1.6e7, 10.0), (1e8, 12.0), (2e9, 8.5)],
};

const INTEGRATED: Card = Card {
    launch_ns: 14_000.0,
    bandwidth: &[(1e6, 90.0), (8e6, 60.0), (3e7, 45.0), (1e9, 42.0)],
    rates: [400.0, 400.0, 40.0, 150.0, 45.0],
    wave_rows: 12_288.0,
    look_ups: &[(1e5, 4.0), (4e6, 1.0), (1e8, 0.2)],
    copy_ns: 2_500.0,
    up: &[(6.4e4, 8.0), (1e6, 12.0), (1e8, 16.0)],
    down: &[(6.4e4, 8.0), (1e6, 11.0), (1e8, 15.0)],
};

/// A piece of this card behind an interface whose calls take so many times longer.
fn accelerator(card: &Card, calls: f64, random: &mut Random) -> Hardware {
    // The portable interface also reaches less of the memory's speed.
    let reached = if calls > 1.0 { 0.85 } else { 1.0 };
    let mut near = |value: f64| value * random.lognormal(MACHINE_DEVIATION);
    let (launch_ns, copy_ns) = (near(card.launch_ns * calls), near(card.copy_ns * calls.sqrt()));
    let rates = card.rates.map(&mut near);
    let (wave_start, in_order) = (random.between(0.25, 0.5), random.between(0.6, 0.8));
    let mut curve = |points: &[(f64, f64)], times: f64| {
        let points: Vec<_> = points.iter().map(|&(x, y)| (x, y * times)).collect();
        Curve::new(&points).varied(random, MACHINE_DEVIATION)
    };
    Hardware::Accelerator(Accelerator {
        launch_ns,
        bandwidth: curve(card.bandwidth, reached),
        rates,
        wave_rows: card.wave_rows,
        wave_start,
        look_ups: curve(card.look_ups, 1.0),
        in_order: in_order * reached,
        copy_ns,
        up: curve(card.up, 1.0),
        down: curve(card.down, 1.0),
    })
}
