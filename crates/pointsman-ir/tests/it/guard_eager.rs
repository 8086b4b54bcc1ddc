//! Eager evaluation with guards faults in exactly the rows where lazy evaluation does: random kernels, row by row.

use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::data::ColumnData;
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::{Check, Guarded, guard};
use pointsman_ir::interpret::{self, Inputs, scalar};
use pointsman_ir::random::{Profile, SinkKind, case};
use pointsman_ir::types::Scalar;
use pointsman_ir::verify;

const KERNELS: u64 = 3_000;
const ROWS: &[(usize, u32)] = &[(7, 1), (20, 1)];

/// Computes every value of a row, needed or not, as a device does.
struct Eager<'a> {
    guarded: &'a Guarded,
    inputs: &'a Inputs<'a>,
    row: usize,
    values: Vec<Option<Scalar>>,
    flags: Vec<bool>,
    states: Vec<Vec<Option<Scalar>>>,
    iterations: Vec<u32>,
}

impl<'a> Eager<'a> {
    fn row_faults(guarded: &'a Guarded, inputs: &'a Inputs<'a>, row: usize) -> bool {
        let n = guarded.kernel.body.len();
        let mut eager = Eager {
            guarded,
            inputs,
            row,
            values: vec![None; n],
            flags: vec![false; n],
            states: vec![Vec::new(); n],
            iterations: vec![0; n],
        };
        eager.region(0, n as u32);
        eager.fires(&guarded.checks)
    }

    fn fires(&self, checks: &[Check]) -> bool {
        let holds = |guard: Option<ValueId>| guard.is_none_or(|v| self.values[v.index()] == Some(Scalar::Bool(true)));
        checks.iter().any(|check| self.flags[check.of.index()] && holds(check.guard))
    }

    fn region(&mut self, from: u32, to: u32) {
        let body = &self.guarded.kernel.body;
        let mut at = from;
        while at < to {
            let v = ValueId(at);
            at += 1;
            if let Inst::Loop { end, .. } = body.inst(v) {
                self.run_loop(v);
                at = *end;
                continue;
            }
            let value = self.compute(v);
            self.flags[v.index()] = value.is_err();
            self.values[v.index()] = value.unwrap_or_else(|()| Some(body.ty(v).dtype.repr().zero()));
        }
    }

    fn run_loop(&mut self, v: ValueId) {
        let Inst::Loop { bound, init, end, while_, next, .. } = self.guarded.kernel.body.inst(v) else {
            unreachable!("only loops are run")
        };
        self.flags[v.index()] = false;
        self.states[v.index()] = init.iter().map(|v| self.values[v.index()]).collect();
        for iteration in 0..*bound {
            self.iterations[v.index()] = iteration;
            self.region(v.0 + 1, *end);
            if self.guarded.loop_checks.get(&v).is_some_and(|checks| self.fires(checks)) {
                self.flags[v.index()] = true;
                break;
            }
            if while_.is_some_and(|w| self.values[w.index()] != Some(Scalar::Bool(true))) {
                break;
            }
            self.states[v.index()] = next.iter().map(|v| self.values[v.index()]).collect();
        }
    }

    fn compute(&self, v: ValueId) -> Result<Option<Scalar>, ()> {
        let body = &self.guarded.kernel.body;
        Ok(match body.inst(v) {
            Inst::Column(column) => self.inputs.columns[column.index()].get(self.row),
            Inst::Param(param) => self.inputs.params[param.index()],
            Inst::Const(value) => *value,
            Inst::RowIndex => Some(Scalar::U64(self.inputs.first_row + self.row as u64)),
            Inst::Call { op, args } => {
                let operands: Vec<_> = args.iter().map(|v| self.values[v.index()]).collect();
                scalar::call(*op, &operands, &body.types_of(args), body.ty(v)).map_err(|_| ())?
            }
            Inst::Lookup { list, index } => match self.values[index.index()] {
                None => None,
                Some(index) => {
                    let list = &self.inputs.lists[list.index()];
                    let index = usize::try_from(index.as_integer().unwrap()).unwrap_or(usize::MAX);
                    if index >= list.len() {
                        return Err(());
                    }
                    list.get(index)
                }
            },
            Inst::LoopIndex(of) => Some(Scalar::U32(self.iterations[of.index()])),
            Inst::LoopCarried { of, slot } | Inst::LoopResult { of, slot } => self.states[of.index()][*slot as usize],
            Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. } => unreachable!("no side tables here"),
        })
    }
}

#[test]
fn eager_evaluation_with_guards_faults_like_lazy_evaluation() {
    let profile = Profile::streaming().with_rows(ROWS).with_sinks(&[SinkKind::Store, SinkKind::Compact]);
    let (mut faults, mut guards) = (0, 0);
    for seed in 0..KERNELS {
        let case = case(seed, &profile);
        let guarded = guard(&decompose(&case.kernel));
        verify::kernel(&guarded.kernel).unwrap();
        guards += guarded.checks.iter().chain(guarded.loop_checks.values().flatten()).count();
        for row in 0..case.inputs.rows {
            let columns: Vec<ColumnData> = case.inputs.columns.iter().map(|c| c.slice(row..row + 1)).collect();
            let inputs = Inputs {
                columns: &columns,
                params: &case.inputs.params,
                lists: &case.inputs.lists,
                tables: &[],
                first_row: case.inputs.first_row + row as u64,
                rows: 1,
            };
            let lazy = interpret::run(&case.kernel, &inputs);
            let eager = Eager::row_faults(&guarded, &inputs, 0);
            assert_eq!(lazy.is_err(), eager, "seed {seed}, row {row}: {lazy:?}\n{}\n{guarded:?}", case.kernel.print());
            faults += usize::from(eager);
        }
    }
    assert!(faults > 500 && guards > 3_000, "only {faults} rows fault, {guards} checks");
}
