//! Kernels cut at their probes: the chain of parts, searched between two of them, gives what the kernel gives.

use pointsman_ir::body::ProbeKind;
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, BuiltTable, Inputs};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::random::{Case, Profile, case};
use pointsman_ir::split::{SplitColumn, SplitKernel, split};
use pointsman_ir::types::Scalar;
use pointsman_ir::verify;

/// A row under way: the source row, what each step found, and whether it goes on behind each step.
#[derive(Clone)]
struct Line {
    row: usize,
    found: Vec<Option<Scalar>>,
    selected: Vec<bool>,
}

/// A chain over the first `rows` rows of a case.
struct Chain<'a> {
    case: &'a Case,
    parts: &'a SplitKernel,
    rows: usize,
    expanded: bool,
}

impl Chain<'_> {
    /// The result, or the row that faulted; `None` in its place if a fold did not fit.
    fn run(&mut self) -> Result<TableData, Option<u64>> {
        let steps = self.parts.steps.len();
        let line = |row| Line { row, found: vec![None; steps], selected: vec![true; steps] };
        let mut lines: Vec<Line> = (0..self.rows).map(line).collect();
        for (number, step) in self.parts.steps.iter().enumerate() {
            let searched = self.part(&step.kernel, &step.columns, &lines)?;
            let table = &self.case.inputs.tables[step.table.index()];
            let keys = self.case.kernel.tables[step.table.index()].keys.len();
            let mut matches: Vec<Option<Vec<u64>>> = vec![None; lines.len()];
            for row in 0..searched.rows {
                let row = searched.row(row);
                let position = row[0].map_or(0, |position| position.bits() as u64) - self.first_row();
                let equal = |other: &usize| {
                    let other = &table.row(*other)[..keys];
                    row[1..]
                        .iter()
                        .zip(other)
                        .all(|(one, other)| one.is_some_and(|one| other.map(key) == Some(key(one))))
                };
                matches[position as usize] = Some((0..table.rows).filter(equal).map(|row| row as u64).collect());
            }
            lines = self.step(number, step.kind, lines, matches);
        }
        let last = self.part(&self.parts.last, &self.parts.last_columns, &lines)?;
        Ok(last)
    }

    fn step(&mut self, number: usize, kind: ProbeKind, lines: Vec<Line>, matches: Vec<Option<Vec<u64>>>) -> Vec<Line> {
        let mut next = Vec::new();
        for (mut line, matches) in lines.into_iter().zip(matches) {
            let searched = matches.is_some();
            let rows = matches.unwrap_or_default();
            match kind {
                ProbeKind::Exists => line.found[number] = Some(Scalar::Bool(!rows.is_empty())),
                ProbeKind::UniqueInner | ProbeKind::UniqueLeft => {
                    line.found[number] = rows.first().map(|&row| Scalar::U64(row));
                    line.selected[number] = searched && (kind.keeps_unmatched() || !rows.is_empty());
                }
                ProbeKind::Inner | ProbeKind::Left => {
                    let alone = searched && rows.is_empty() && kind.keeps_unmatched();
                    let found = rows.into_iter().map(|row| Some(Scalar::U64(row))).chain(alone.then_some(None));
                    for found in found {
                        let mut pair = line.clone();
                        pair.found[number] = found;
                        next.push(pair);
                    }
                    continue;
                }
            }
            next.push(line);
        }
        self.expanded |= kind.multiplies();
        next
    }

    fn first_row(&self) -> u64 {
        if self.expanded { 0 } else { self.case.inputs.first_row }
    }

    fn part(&self, kernel: &Kernel, from: &[SplitColumn], lines: &[Line]) -> Result<TableData, Option<u64>> {
        assert_eq!(verify::kernel(kernel), Ok(()), "{}", kernel.print());
        let inputs = &self.case.inputs;
        let value = |line: &Line, column: &SplitColumn| match column {
            SplitColumn::Source(column) => inputs.columns[column.index()].get(line.row),
            SplitColumn::RowNumber => Some(Scalar::U64(inputs.first_row + line.row as u64)),
            SplitColumn::Selected(step) => Some(Scalar::Bool(line.selected[*step])),
            SplitColumn::Match(step) => line.found[*step],
        };
        let column = |(column, ty): (&SplitColumn, &pointsman_ir::types::Type)| {
            // What was not searched holds zero where the column has no nulls.
            let fill = |value: Option<Scalar>| value.or((!ty.nullable).then(|| ty.dtype.repr().zero()));
            ColumnData::from_scalars(*ty, lines.iter().map(|line| fill(value(line, column))))
        };
        let columns: Vec<ColumnData> = from.iter().zip(&kernel.columns).map(column).collect();
        let sides = self.case.kernel.tables.iter().zip(&inputs.tables);
        let tables: Vec<BuiltTable> =
            sides.map(|(side, table)| BuiltTable::plain(table.columns[side.keys.len()..].to_vec())).collect();
        let (params, lists, first_row, rows) = (&inputs.params[..], &inputs.lists[..], self.first_row(), lines.len());
        let given = Inputs { columns: &columns, params, lists, tables: &tables, first_row, rows };
        let source = |row: u64| inputs.first_row + lines[(row - first_row) as usize].row as u64;
        interpret::run(kernel, &given).map_err(|fault| fault.row.map(source))
    }
}

/// A key in canonical form.
fn key(value: Scalar) -> Scalar {
    let value = value.canonical();
    match value {
        Scalar::F32(v) => Scalar::F32(v + 0.0),
        Scalar::F64(v) => Scalar::F64(v + 0.0),
        value => value,
    }
}

#[test]
fn a_chain_of_parts_gives_what_the_kernel_gives() {
    let profile = Profile::everything().with_rows(&[(0, 1), (7, 4), (65, 2)]);
    let (mut met, mut faults, mut exists) = ([0; 5], 0, 0);
    for seed in 0..6000 {
        let case = case(seed, &profile);
        let kinds = case.kernel.body.iter().filter_map(|(_, inst, _)| match inst {
            pointsman_ir::body::Inst::Probe { kind, .. } => Some(*kind),
            _ => None,
        });
        let kinds: Vec<ProbeKind> = kinds.collect();
        let drops_stored = matches!(case.kernel.sink, Sink::Store { .. }) && kinds.iter().any(|kind| kind.finds_rows());
        let reduces_pairs = matches!(case.kernel.sink, Sink::Reduce { .. }) && case.kernel.body.multiplies_rows();
        if kinds.is_empty() || drops_stored || reduces_pairs {
            continue;
        }
        let parts = split(&case.kernel).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        exists += parts.steps.iter().filter(|step| step.kind == ProbeKind::Exists).count();
        kinds.iter().for_each(|kind| met[*kind as usize] += 1);
        let expected = case.run().map_err(|fault| fault.row);
        let mut rows = case.inputs.rows;
        let mut found = None;
        let result = loop {
            let result = Chain { case: &case, parts: &parts, rows, expanded: false }.run();
            match result {
                Err(Some(row)) if row > case.inputs.first_row => {
                    found = Some(row);
                    rows = (row - case.inputs.first_row) as usize;
                }
                result => break result,
            }
        };
        let result = match (found, result) {
            (Some(row), Ok(_) | Err(None)) => Err(Some(row)),
            (_, result) => result,
        };
        faults += usize::from(expected.is_err());
        assert_eq!(expected, result, "seed {seed}\n{}", case.kernel.print());
    }
    assert!(met[..].iter().all(|&count| count > 20), "every kind of probe is met: {met:?}");
    assert!(faults > 20 && exists > 20, "{faults} faults, {exists} answers");
}
