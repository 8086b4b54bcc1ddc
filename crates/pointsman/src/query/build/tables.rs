//! Steps over whole tables of the plan under construction: sorts, limits, unions, groups and joins, and the plan of
//! another query that is appended.

use super::{Handle, PlanBuilder};
use crate::error::{CallSite, Error};
use crate::query::sort::SortExpr;
use crate::text::listed;
use pointsman_ir::body::ValueId;
use pointsman_ir::kernel::SortKey;
use pointsman_ir::op::Op;
use pointsman_ir::plan::{NodeId, NodeKind, SourceId};
use pointsman_ir::types::DType;
use std::sync::Arc;

impl PlanBuilder {
    /// Appends the plan of another query, whose last node becomes this one's, with its scalars, lists and fields.
    /// Returns the position of its first field.
    pub(crate) fn append(&mut self, other: PlanBuilder, at: CallSite) -> u32 {
        let first_field = self.fields.len() as u32;
        let first_source = match other.error {
            Some(error) => {
                self.error.get_or_insert(error);
                0
            }
            None if self.has_failed() => 0,
            None => match self.plan.append(&other.plan) {
                Ok(appended) => {
                    self.params.extend(other.params);
                    self.lists.extend(other.lists);
                    self.depth = self.depth.max(other.depth);
                    self.region.resize(self.plan.body.len(), 0);
                    self.check_size(at);
                    appended.first_source
                }
                Err(error) => {
                    self.fail(error.into(), at);
                    0
                }
            },
        };
        let fields = Arc::make_mut(&mut self.fields);
        fields.extend(other.fields.iter().cloned().map(|field| {
            let source = SourceId(field.source.0 + first_source);
            super::SourceField { source, ..field }
        }));
        first_field
    }

    /// The values of keys, of which there must be at least one; `empty` is the error otherwise.
    pub(crate) fn keys(
        &mut self,
        keys: impl ExactSizeIterator<Item = Handle>,
        empty: &str,
        at: CallSite,
    ) -> Option<Vec<ValueId>> {
        if keys.len() == 0 {
            self.fail(Error::invalid(empty), at);
        }
        self.values(keys, at)
    }

    /// Appends a sort.
    pub(crate) fn sort(&mut self, keys: &[SortExpr], at: CallSite) {
        let empty = "there is no key to sort by: give `sort_by` at least one";
        let Some(values) = self.keys(keys.iter().map(|key| key.value), empty, at) else { return };
        let key = |(key, value): (&SortExpr, ValueId)| SortKey { value, order: key.order, nulls: key.nulls };
        let (input, keys) = (self.plan.root(), keys.iter().zip(values).map(key).collect());
        self.node(NodeKind::Sort { input, keys }, at);
    }

    /// Appends a limit to the first rows. The first rows of a sort are a top-k, which never sorts the others.
    pub(crate) fn limit(&mut self, rows: u64, at: CallSite) {
        let input = self.plan.root();
        if let Some(node) = self.plan.nodes.last_mut()
            && let NodeKind::Sort { input, keys } = &mut node.kind
            && rows > 0
        {
            node.kind = NodeKind::TopK { input: *input, keys: std::mem::take(keys), count: rows };
            return;
        }
        self.node(NodeKind::Limit { input, skip: 0, fetch: Some(rows) }, at);
    }

    /// Appends a union of two nodes. The fields of the record batches in their rows must be the same.
    pub(crate) fn union(&mut self, inputs: [NodeId; 2], fields: [&[(u32, u32)]; 2], at: CallSite) {
        let [left, right] = fields;
        for (&left, &right) in left.iter().zip(right) {
            let names = [left, right].map(|(first, count)| self.field_names(first, count));
            if names[0] != names[1] {
                let [left, right] = names.map(|names| listed(&names.iter().map(String::as_str).collect::<Vec<_>>()));
                let what = format!(
                    "the rows of a union have the columns {left} on the left, but {right} on the right: name the same, with the same types, in `map`"
                );
                self.fail(Error::invalid(what), at);
            }
        }
        self.node(NodeKind::Union { inputs: inputs.to_vec() }, at);
    }

    /// Appends a step that keeps each distinct row once. All columns of the record batches in the row must be readable.
    pub(crate) fn distinct(&mut self, fields: &[(u32, u32)], at: CallSite) {
        for &(first, count) in fields {
            let fields = &self.fields[first as usize..(first + count) as usize];
            if let Some(error) = crate::data::source_field::unreadable(fields) {
                self.fail(error, at);
            }
        }
        let input = self.plan.root();
        self.node(NodeKind::Distinct { input }, at);
    }

    /// The names and types of fields.
    fn field_names(&self, first: u32, count: u32) -> Vec<String> {
        let fields = &self.fields[first as usize..(first + count) as usize];
        fields.iter().map(|field| format!("{}: {}", field.name, field.dtype)).collect()
    }

    /// Appends the conjunction of two conditions.
    pub(crate) fn both(&mut self, first: Option<ValueId>, second: ValueId, at: CallSite) -> Option<ValueId> {
        let Some(first) = first else { return Some(second) };
        let both = self.push(at, |plan| plan.body.call(Op::And, &[first, second]));
        self.value(both, at)
    }

    /// Appends the value in double precision, unless it is that already.
    pub(crate) fn double(&mut self, value: ValueId, at: CallSite) -> ValueId {
        if self.plan.body.ty(value).dtype == DType::F64 {
            return value;
        }
        let double = self.push(at, |plan| plan.body.cast(Op::Cast, value, DType::F64));
        self.value(double, at).unwrap_or(value)
    }
}
