//! Numbers rows for aggregates that go by them. In: an aggregation. Out: the same aggregation over an input with one more
//! column.
//!
//! Rows that come from a source through filters and projections have their numbers in the source. After any other
//! operation, rows are numbered from 0 in its result, and keep those numbers through filters and projections above it.

use super::Expansion;
use crate::body::ValueId;
use crate::kernel::{Fold, Frame, Running};
use crate::op::Op;
use crate::plan::{Aggregate, Aggregation, NodeId, NodeKind, PlanError, ROW_NUMBER};
use crate::rewrite::edit::with_columns;
use crate::types::{DType, Scalar};

impl Expansion {
    /// The aggregation over numbered rows, and their number.
    pub(super) fn numbered_aggregation(&mut self, of: &Aggregation) -> Result<(Aggregation, ValueId), PlanError> {
        let input = self.with_row_numbers(of.input)?;
        let operands = of.aggregates.iter().flat_map(|one| [one.value, one.second, one.filter].into_iter().flatten());
        let roots: Vec<ValueId> = of.keys.iter().copied().chain(operands).collect();
        let mut values = self.over_numbered(&roots, of.input, input).into_iter();
        let mut next = |_| values.next().expect("there is a value for each operand");
        let keys = of.keys.iter().copied().map(&mut next).collect();
        let one = |one: &Aggregate| Aggregate {
            value: one.value.map(&mut next),
            second: one.second.map(&mut next),
            filter: one.filter.map(&mut next),
            ..*one
        };
        let aggregates = of.aggregates.iter().map(one).collect();
        let number = self.plan.column(input, self.width(of.input));
        Ok((Aggregation { input, keys, aggregates, order: of.order }, number))
    }

    /// Values over a node as values over its numbered rows.
    fn over_numbered(&mut self, values: &[ValueId], node: NodeId, numbered: NodeId) -> Vec<ValueId> {
        let number = self.width(node);
        with_columns(&mut self.plan, values, |plan, column| {
            let index = if column.index == ROW_NUMBER { number } else { column.index };
            (column.node == node).then(|| plan.column(numbered, index))
        })
    }

    /// The columns of a node, with the numbers of its rows behind them.
    fn with_row_numbers(&mut self, node: NodeId) -> Result<NodeId, PlanError> {
        let (mut base, mut steps) = (node, Vec::new());
        while let NodeKind::Project { input, .. } | NodeKind::Filter { input, .. } = self.plan.node(base).kind {
            steps.push(base);
            base = input;
        }
        let mut numbered = self.number_base(base)?;
        for step in steps.into_iter().rev() {
            numbered = self.numbered_step(step, numbered);
        }
        Ok(numbered)
    }

    /// A filter or projection over numbered rows.
    fn numbered_step(&mut self, step: NodeId, numbered: NodeId) -> NodeId {
        let kind = self.plan.node(step).kind.clone();
        if let NodeKind::Filter { input, predicate } = kind {
            let predicate = self.over_numbered(&[predicate], input, numbered)[0];
            return self.push(NodeKind::Filter { input: numbered, predicate });
        }
        let NodeKind::Project { input, columns } = kind else {
            unreachable!("a {} gives rows new places", kind.name());
        };
        let number = self.plan.column(numbered, self.width(input));
        let mut columns = self.over_numbered(&columns, input, numbered);
        columns.push(number);
        self.project(numbered, columns)
    }

    /// The rows of a source or of an operation that gives rows new places, with their numbers.
    fn number_base(&mut self, base: NodeId) -> Result<NodeId, PlanError> {
        let width = self.width(base);
        let columns = self.columns(base, 0..width);
        if let NodeKind::Source(_) = self.plan.node(base).kind {
            let number = self.plan.column(base, ROW_NUMBER);
            return Ok(self.project(base, columns.into_iter().chain([number]).collect()));
        }
        let running = vec![Running { fold: Fold::COUNT_ROWS, frame: Frame::Unbounded }];
        let counted = self.push(NodeKind::Scan { input: base, columns, running, segment: None });
        let mut columns = self.columns(counted, 0..width);
        let one = self.constant(Scalar::U64(1), DType::U64);
        let count = self.plan.column(counted, width);
        columns.push(self.call(Op::Sub, &[count, one])?);
        Ok(self.project(counted, columns))
    }
}
