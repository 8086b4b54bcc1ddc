//! The partials of a random split, merged in a random grouping, give the result of the whole: for every sink, bit by bit.
#![allow(clippy::unwrap_used)]

use pointsman_ir::data::TableData;
use pointsman_ir::interpret::{self, Fault, Partial};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::random::{Case, Profile, Rng, SinkKind, case, minimise};

/// Sizes of one leaf to eleven; the last leaf is full, almost empty, or anything.
const ROWS: [(usize, u32); 9] =
    [(0, 1), (65, 2), (4096, 3), (4097, 6), (8192, 6), (9000, 6), (12_289, 6), (20_481, 2), (33_000, 1)];
const CASES_PER_SINK: u64 = 240;

fn check(sink: SinkKind) {
    let mut profile = Profile::everything().with_sinks(&[sink]).with_rows(&ROWS);
    profile.calls_max = 10;
    profile.unguarded_percent = 10;
    let (mut large, mut results) = (0, 0);
    for seed in 0..CASES_PER_SINK {
        let case = case(seed, &profile);
        large += usize::from(case.inputs.rows > 2 * LEAF_ROWS);
        let whole = case.run();
        results += usize::from(whole.is_ok());
        if !same(&whole, &merged(&case)) {
            let small = minimise(case, &|case| !same(&case.run(), &merged(case)));
            panic!(
                "merged parts differ from the whole:\n{small}\nwhole {:?}\nmerged {:?}",
                small.run(),
                merged(&small)
            );
        }
    }
    assert!(results >= 200, "{results} cases give a result");
    assert!(large >= 100, "{large} cases of more than two leaves");
}

/// Whether the merged parts give what the whole gives; a fault must be a fault of the same kind.
fn same(whole: &Result<TableData, Fault>, merged: &Result<TableData, Fault>) -> bool {
    match (whole, merged) {
        (Ok(whole), Ok(merged)) => whole == merged,
        (Err(whole), Err(merged)) => whole.kind == merged.kind,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

fn merged(case: &Case) -> Result<TableData, Fault> {
    let mut rng = Rng::new(case.seed ^ 0x5917);
    let leaves = case.inputs.rows.div_ceil(LEAF_ROWS);
    let parts = 2 + rng.below(4);
    let mut cuts: Vec<usize> = (1..parts).map(|_| rng.below(leaves + 1) * LEAF_ROWS).collect();
    cuts.extend([0, case.inputs.rows]);
    cuts.iter_mut().for_each(|cut| *cut = (*cut).min(case.inputs.rows));
    cuts.sort_unstable();
    let ranges = cuts.windows(2).map(|cut| cut[0]..cut[1]);
    let mut partials = ranges.map(|rows| case.partial(rows)).collect::<Result<Vec<Partial>, Fault>>()?;
    for partial in &partials {
        let schema = case.kernel.partial();
        assert_eq!((partial.rows.types(), partial.nodes.types()), (schema.rows, schema.nodes), "{case}");
    }
    while partials.len() > 1 {
        let at = rng.below(partials.len() - 1);
        let second = partials.remove(at + 1);
        let first = std::mem::take(&mut partials[at]);
        partials[at] = interpret::merge(&case.kernel, first, second);
    }
    interpret::finish(&case.kernel, partials.pop().unwrap())
}

#[test]
fn store() {
    check(SinkKind::Store);
}

#[test]
fn compact() {
    check(SinkKind::Compact);
}

#[test]
fn reduce() {
    check(SinkKind::Reduce);
}

#[test]
fn scan() {
    check(SinkKind::Scan);
}

#[test]
fn sort() {
    check(SinkKind::Sort);
}

#[test]
fn group() {
    check(SinkKind::Group);
}

#[test]
fn build() {
    check(SinkKind::Build);
}

#[test]
fn partition() {
    check(SinkKind::Partition);
}
