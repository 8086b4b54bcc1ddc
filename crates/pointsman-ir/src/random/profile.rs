//! The parts of random kernels, and the parts that they must contain: a profile names sinks, types and sizes; a
//! schedule by seed sees to it that over 10,000 seeds in a row everything that exists occurs often enough.

use super::classes::DTypeClass;
use super::rng::Rng;
use crate::kernel::{FoldOp, Sink};
use crate::op::Op;
use crate::types::Type;
use std::collections::BTreeSet;

/// An operation, the kind of its first operand (of `select`: of the values it chooses from), and whether it is
/// nullable.
pub type Triple = (Op, DTypeClass, bool);
/// A cast, the kind it comes from and the kind it goes to.
pub type CastPair = (Op, DTypeClass, DTypeClass);
/// A fold, the kind of its value, and whether it is nullable.
pub type FoldTriple = (FoldOp, DTypeClass, bool);

/// The number of triples that a kernel must contain.
const QUOTA_TRIPLES: usize = 3;

/// A kind of sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SinkKind {
    /// [`Sink::Store`].
    Store,
    /// [`Sink::Compact`].
    Compact,
    /// [`Sink::Reduce`].
    Reduce,
    /// [`Sink::Scan`].
    Scan,
    /// [`Sink::Sort`].
    Sort,
    /// [`Sink::Group`].
    Group,
    /// [`Sink::Build`].
    Build,
    /// [`Sink::Partition`].
    Partition,
    /// [`Sink::Call`]. Results have bounds instead of exact bits, so no profile has it: `conformance/calls.rs` tests it.
    Call,
}

impl SinkKind {
    /// Every kind whose results have exact bits.
    pub const ALL: [SinkKind; 8] = [
        SinkKind::Store,
        SinkKind::Compact,
        SinkKind::Reduce,
        SinkKind::Scan,
        SinkKind::Sort,
        SinkKind::Group,
        SinkKind::Build,
        SinkKind::Partition,
    ];

    /// The kind of a sink.
    pub const fn of(sink: &Sink) -> SinkKind {
        match sink {
            Sink::Store { .. } => SinkKind::Store,
            Sink::Compact { .. } => SinkKind::Compact,
            Sink::Reduce { .. } => SinkKind::Reduce,
            Sink::Scan { .. } => SinkKind::Scan,
            Sink::Sort { .. } => SinkKind::Sort,
            Sink::Group { .. } => SinkKind::Group,
            Sink::Build { .. } => SinkKind::Build,
            Sink::Partition { .. } => SinkKind::Partition,
            Sink::Call { .. } => SinkKind::Call,
        }
    }

    /// Whether it folds rows.
    pub const fn folds(self) -> bool {
        matches!(self, SinkKind::Reduce | SinkKind::Scan | SinkKind::Group)
    }
}

/// Whether kernels may read other tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideTables {
    /// Never.
    None,
    /// By row number.
    Gather,
    /// By row number and by key.
    GatherAndProbe,
}

/// Whether kernels have `fast` float sums, whose results are compared by their bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastSums {
    /// All sums are reproducible.
    None,
    /// Some float sums are fast.
    Some,
}

/// The parts of random kernels.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The sinks, each as likely as the others.
    pub sinks: Vec<SinkKind>,
    /// How many rows, and how many of [`Profile::rows_period`] seeds in a row have that many.
    pub rows: Vec<(usize, u32)>,
    /// Whether kernels read other tables.
    pub side_tables: SideTables,
    /// Whether some float sums are fast.
    pub fast_sums: FastSums,
    /// The maximum number of operations a body is grown to; guards and sinks add a few.
    pub calls_max: usize,
    /// The percentage of kernels with an unguarded operation that can fault.
    pub unguarded_percent: u32,
    classes: Vec<DTypeClass>,
    wanted: Wanted,
}

/// The parts of the kernels of a profile, each list in a fixed order.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) triples: Vec<Triple>,
    pub(super) casts: Vec<CastPair>,
    pub(super) folds: Vec<FoldTriple>,
}

/// The parts that one kernel must contain.
#[derive(Clone, Debug, Default)]
pub struct Quota {
    /// Operations.
    pub triples: Vec<Triple>,
    /// A conversion, and whether its operand is nullable.
    pub cast: Option<(CastPair, bool)>,
    /// A fold, if the sink folds.
    pub fold: Option<FoldTriple>,
}

/// The sizes every differential test runs over, and how many of 10,000 kernels have each: 560 rows on average.
const ROWS: [(usize, u32); 16] = [
    (0, 300),
    (1, 500),
    (7, 1500),
    (63, 1100),
    (64, 1100),
    (65, 1082),
    (255, 1250),
    (256, 1270),
    (257, 1250),
    (4095, 200),
    (4096, 212),
    (4097, 212),
    (65_535, 6),
    (65_536, 6),
    (65_537, 6),
    (200_000, 6),
];

impl Profile {
    /// Every sink, every type, side tables: what the interpreter runs.
    pub fn everything() -> Profile {
        Profile {
            sinks: SinkKind::ALL.to_vec(),
            rows: ROWS.to_vec(),
            side_tables: SideTables::GatherAndProbe,
            fast_sums: FastSums::None,
            calls_max: 44,
            unguarded_percent: 50,
            classes: DTypeClass::ALL.to_vec(),
            wanted: Wanted::of(&DTypeClass::ALL),
        }
    }

    /// The profile of a device with the four sinks in source order and without side tables.
    pub fn streaming() -> Profile {
        Profile {
            sinks: vec![SinkKind::Store, SinkKind::Compact, SinkKind::Reduce, SinkKind::Scan],
            side_tables: SideTables::None,
            ..Profile::everything()
        }
    }

    /// This profile, restricted to these sinks.
    pub fn with_sinks(self, sinks: &[SinkKind]) -> Profile {
        Profile { sinks: sinks.to_vec(), ..self }
    }

    /// This profile with these sizes.
    pub fn with_rows(self, rows: &[(usize, u32)]) -> Profile {
        Profile { rows: rows.to_vec(), ..self }
    }

    /// This profile, restricted to these types. `Bool` is always included, because conditions need it.
    pub fn with_classes(self, classes: &[DTypeClass]) -> Profile {
        let all: BTreeSet<DTypeClass> = classes.iter().copied().chain([DTypeClass::Bool]).collect();
        let classes: Vec<DTypeClass> = all.into_iter().collect();
        Profile { wanted: Wanted::of(&classes), classes, ..self }
    }

    /// The kinds of types that occur.
    pub fn classes(&self) -> &[DTypeClass] {
        &self.classes
    }

    pub(super) fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// After how many seeds the sizes repeat.
    pub fn rows_period(&self) -> u32 {
        self.rows.iter().map(|&(_, weight)| weight).sum()
    }

    /// The number of rows of the case with this seed.
    pub fn rows_of(&self, seed: u64) -> usize {
        let period = u64::from(self.rows_period());
        // A step that shares no factor with the period visits every place once.
        let step = [7919u64, 7907, 6007].into_iter().find(|step| period % step != 0).unwrap_or(1);
        let mut place = (seed % period) * step % period;
        for &(rows, weight) in &self.rows {
            match place.checked_sub(weight.into()) {
                Some(rest) => place = rest,
                None => return rows,
            }
        }
        0
    }

    /// The parts that the case with this seed must contain.
    pub fn quota(&self, seed: u64) -> Quota {
        let Wanted { triples, casts, folds } = &self.wanted;
        let at = |length: usize, offset: usize| ((seed % length as u64) as usize + offset) % length;
        let stride = triples.len() / QUOTA_TRIPLES;
        Quota {
            triples: (0..QUOTA_TRIPLES).map(|k| triples[at(triples.len(), k * stride)]).collect(),
            cast: Some((casts[at(casts.len(), 0)], (seed / casts.len() as u64).is_multiple_of(2))),
            // The sink is random, so a fold's turn must not come with the sink's: it goes by a random place.
            fold: Some(folds[Rng::new(seed ^ 0xf01d).below(folds.len())]),
        }
    }
}

impl Wanted {
    fn of(classes: &[DTypeClass]) -> Wanted {
        let has = |class: DTypeClass| classes.contains(&class);
        let triples: Vec<Triple> = all_triples().into_iter().filter(|&(_, class, _)| has(class)).collect();
        let casts = all_casts().into_iter().filter(|&(_, from, to)| has(from) && has(to)).collect();
        let folds = all_folds().into_iter().filter(|&(_, class, _)| has(class)).collect();
        let stays_inside =
            |&(op, class, nullable): &Triple| result_classes(op, class, nullable).iter().any(|result| has(*result));
        Wanted { triples: triples.into_iter().filter(stays_inside).collect(), casts, folds }
    }
}

/// The kinds an operation can give for a first operand of this kind; empty where it takes none.
fn result_classes(op: Op, class: DTypeClass, nullable: bool) -> BTreeSet<DTypeClass> {
    let mut results = BTreeSet::new();
    for &dtype in class.samples() {
        if op.is_cast() {
            let targets = DTypeClass::ALL.iter().flat_map(|class| class.samples());
            results.extend(targets.filter(|&&to| op.converts(dtype, to)).map(|&to| DTypeClass::of(to)));
            continue;
        }
        let operand = |position| Type { dtype: op.operand_type(dtype, position), nullable };
        let args: Vec<Type> = (0..op.arity()).map(operand).collect();
        results.extend(op.result_type(&args, None).ok().map(|result| DTypeClass::of(result.dtype)));
    }
    results
}

/// Every operation with code, on every kind of type it takes, nullable and not.
pub fn all_triples() -> BTreeSet<Triple> {
    let mut triples = BTreeSet::new();
    for &op in Op::ALL {
        for class in DTypeClass::ALL {
            for nullable in [false, true] {
                if !result_classes(op, class, nullable).is_empty() {
                    triples.insert((op, class, nullable));
                }
            }
        }
    }
    triples
}

/// Every conversion from kind to kind, of every sort.
pub fn all_casts() -> BTreeSet<CastPair> {
    let mut casts = BTreeSet::new();
    for from in DTypeClass::ALL {
        for to in DTypeClass::ALL {
            for op in [Op::Cast, Op::CastSaturating, Op::Reinterpret] {
                let exists = from.samples().iter().any(|&from| to.samples().iter().any(|&to| op.converts(from, to)));
                casts.extend(exists.then_some((op, from, to)));
            }
        }
    }
    casts
}

/// Every fold on every kind of type it takes, nullable and not.
pub fn all_folds() -> BTreeSet<FoldTriple> {
    let mut folds = BTreeSet::new();
    for op in FoldOp::ALL {
        for class in DTypeClass::ALL {
            if op.takes(class.samples()[0]) {
                folds.extend([(op, class, false), (op, class, true)]);
            }
        }
    }
    folds
}
