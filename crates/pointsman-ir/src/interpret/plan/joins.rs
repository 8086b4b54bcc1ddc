//! Joins by nested loops: every left row with every right row. In: two nodes, keys and a residual. Out: the rows of the join.

use super::super::fault::PlanFault;
use super::super::scalar::is_true;
use super::cell::Cell;
use super::rows::{decided, keys};
use super::{Places, PlanRun, Row, Stop, Table};
use crate::body::ValueId;
use crate::plan::{EquiJoinKind, Join, JoinKey, JoinKind, NodeId, NodeKind, PlanColumn};
use crate::types::Scalar;

/// What a pair of rows answers: true, false, or null.
type Answer = Option<bool>;

/// The pairs of two nodes' rows that may match, with their answers, by left row, then right row.
struct Pairs {
    left: Vec<Row>,
    right: Vec<Row>,
    /// For each left row the right rows whose answer is not false.
    answers: Vec<Vec<PairAnswer>>,
}

#[derive(Clone, Copy)]
struct PairAnswer {
    right: usize,
    answer: Answer,
}

impl Pairs {
    fn matches(&self, left: usize) -> impl Iterator<Item = usize> + '_ {
        self.answers[left].iter().filter(|pair| pair.answer == Some(true)).map(|pair| pair.right)
    }

    fn is_matched(&self, left: usize) -> bool {
        self.matches(left).next().is_some()
    }

    /// The left row's answer to "is there a match": true, or null, or false.
    fn any(&self, left: usize) -> Option<Scalar> {
        if self.is_matched(left) {
            return Some(Scalar::Bool(true));
        }
        self.answers[left].is_empty().then_some(Scalar::Bool(false))
    }

    fn inner(&self) -> Vec<Row> {
        let rows = (0..self.left.len()).flat_map(|left| self.matches(left).map(move |right| (left, right)));
        rows.map(|(left, right)| beside(&self.left[left], &self.right[right])).collect()
    }

    fn left_outer(&self, right_width: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        for (number, left) in self.left.iter().enumerate() {
            rows.extend(self.matches(number).map(|right| beside(left, &self.right[right])));
            if !self.is_matched(number) {
                rows.push(beside(left, &vec![Cell::NULL; right_width]));
            }
        }
        rows
    }

    /// By right row, then left row.
    fn right_outer(&self, left_width: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        for (number, right) in self.right.iter().enumerate() {
            let lefts: Vec<usize> =
                (0..self.left.len()).filter(|&left| self.matches(left).any(|r| r == number)).collect();
            rows.extend(lefts.iter().map(|&left| beside(&self.left[left], right)));
            if lefts.is_empty() {
                rows.push(beside(&vec![Cell::NULL; left_width], right));
            }
        }
        rows
    }

    fn unmatched_right(&self, left_width: usize) -> Vec<Row> {
        let matched = |number: usize| (0..self.left.len()).any(|left| self.matches(left).any(|right| right == number));
        let unmatched = (0..self.right.len()).filter(|&number| !matched(number));
        unmatched.map(|number| beside(&vec![Cell::NULL; left_width], &self.right[number])).collect()
    }

    fn left_where(&self, keep: impl Fn(usize) -> bool) -> Vec<Row> {
        (0..self.left.len()).filter(|&left| keep(left)).map(|left| self.left[left].clone()).collect()
    }

    fn marked(&self) -> Vec<Row> {
        let rows = self.left.iter().enumerate();
        rows.map(|(number, row)| beside(row, &[Cell::Value(self.any(number))])).collect()
    }
}

fn beside(left: &[Cell], right: &[Cell]) -> Row {
    left.iter().chain(right).cloned().collect()
}

/// A join of any kind.
pub(super) fn join(run: &PlanRun<'_>, join: &Join) -> Result<Table, Stop> {
    let width = |node: NodeId| run.plan.node(node).schema.fields.len();
    let (left, right) = (width(join.left), width(join.right));
    if let JoinKind::Cross { pairs_max } = join.kind {
        within_limit(run, join.left, join.right, pairs_max)?;
    }
    let pairs = pairs(run, join)?;
    let rows = match join.kind {
        JoinKind::Inner | JoinKind::Cross { .. } => pairs.inner(),
        JoinKind::Left => pairs.left_outer(right),
        JoinKind::Right => pairs.right_outer(left),
        JoinKind::Full => [pairs.left_outer(right), pairs.unmatched_right(left)].concat(),
        JoinKind::Semi => pairs.left_where(|row| pairs.is_matched(row)),
        JoinKind::Anti => pairs.left_where(|row| !pairs.is_matched(row)),
        JoinKind::Mark => pairs.marked(),
    };
    Ok(Table { rows, places: Places::Open })
}

/// A join that `expand` has made.
pub(super) fn equi_join(run: &PlanRun<'_>, kind: &NodeKind) -> Result<Table, Stop> {
    let NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max } = kind else {
        unreachable!("only joins are joined");
    };
    if let Some(pairs_max) = pairs_max {
        within_limit(run, *left, *right, *pairs_max)?;
    }
    let keys = left_keys.iter().zip(right_keys).map(|(&left, &right)| JoinKey::new(left, right)).collect();
    let as_join = |kind| Join { left: *left, right: *right, keys, residual: None, kind };
    let mut table = match kind {
        EquiJoinKind::Inner => join(run, &as_join(JoinKind::Inner))?,
        EquiJoinKind::Left => join(run, &as_join(JoinKind::Left))?,
        EquiJoinKind::Semi => join(run, &as_join(JoinKind::Semi))?,
        EquiJoinKind::Anti => join(run, &as_join(JoinKind::Anti))?,
        EquiJoinKind::Exists => join(run, &as_join(JoinKind::Mark))?,
    };
    if *kind == EquiJoinKind::Exists {
        for mark in table.rows.iter_mut().filter_map(|row| row.last_mut()) {
            let found = matches!(mark, Cell::Value(Some(Scalar::Bool(true))));
            *mark = Cell::of(Scalar::Bool(found));
        }
    }
    Ok(table)
}

fn within_limit(run: &PlanRun<'_>, left: NodeId, right: NodeId, pairs_max: u64) -> Result<(), Stop> {
    let pairs = run.table(left).rows.len() as u128 * run.table(right).rows.len() as u128;
    if pairs > u128::from(pairs_max) {
        return Err(Stop::Fault(PlanFault::PairLimit { pairs, pairs_max }));
    }
    Ok(())
}

fn pairs(run: &PlanRun<'_>, join: &Join) -> Result<Pairs, Stop> {
    let side = |node: NodeId, values: Vec<ValueId>| {
        run.evaluate(node, &values).iter().map(|cells| keys(cells)).collect::<Result<Vec<_>, Stop>>()
    };
    let left_keys = side(join.left, join.keys.iter().map(|key| key.left).collect())?;
    let right_keys = side(join.right, join.keys.iter().map(|key| key.right).collect())?;
    let (left, right) = (run.table(join.left).rows.clone(), run.table(join.right).rows.clone());
    let residual = join.residual.map(|residual| run.expressions(&[residual]));
    let mut answers = Vec::with_capacity(left.len());
    for (left_row, left_keys) in left.iter().zip(&left_keys) {
        let mut of_row = Vec::new();
        for (number, (right_row, right_keys)) in right.iter().zip(&right_keys).enumerate() {
            let mut answer = keys_match(&join.keys, left_keys, right_keys);
            // A pair whose keys leave the answer open matters only to a mark.
            let asked = answer == Some(true) || answer.is_none() && join.kind == JoinKind::Mark;
            if let Some(residual) = residual.as_ref().filter(|_| asked) {
                let column = |column: PlanColumn| {
                    let row = if column.node == join.left { left_row } else { right_row };
                    row[column.index as usize].clone()
                };
                let accepted = decided(&residual.evaluate(0, &column)[0])?.map(|value| is_true(Some(value)));
                answer = and(answer, accepted);
            }
            if answer != Some(false) {
                of_row.push(PairAnswer { right: number, answer });
            }
        }
        answers.push(of_row);
    }
    Ok(Pairs { left, right, answers })
}

fn keys_match(keys: &[JoinKey], left: &[Option<Scalar>], right: &[Option<Scalar>]) -> Answer {
    let equal = |((key, left), right): ((&JoinKey, &Option<Scalar>), &Option<Scalar>)| match (left, right) {
        (Some(left), Some(right)) => Some(left == right),
        (left, right) if key.null_safe => Some(left.is_none() && right.is_none()),
        _ => None,
    };
    keys.iter().zip(left).zip(right).map(equal).fold(Some(true), and)
}

/// The three-valued and.
fn and(a: Answer, b: Answer) -> Answer {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        (None, _) | (_, None) => None,
    }
}
