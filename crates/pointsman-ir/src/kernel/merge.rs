//! [`Kernel::merge`]: the kernel that makes one partial state of several.

use super::{Fold, FoldInput, GroupOrder, Kernel, Sink, SortKey};
use crate::body::{Body, ColumnId, ValueId};
use crate::kernel::sink::sorted_values;

impl Kernel {
    /// The kernel that merges partial states of a sort or a group: it reads their rows, one state after the other in the
    /// order of their source rows, and gives the partial state, or the result, of all of them. `None` for every other sink:
    /// its states follow each other ([`Sink::merge_rule`]), or are few nodes, which
    /// [`merge`](crate::interpret::merge()) joins.
    pub fn merge(&self) -> Option<Kernel> {
        let columns = self.partial().rows;
        let mut body = Body::new();
        let values: Vec<ValueId> =
            columns.iter().enumerate().map(|(at, &ty)| body.column(ColumnId(at as u32), ty)).collect();
        let sink = match &self.sink {
            Sink::Sort { keys, columns, limit } => {
                let kept = sorted_values(keys, columns);
                let place = |v: ValueId| kept.iter().position(|kept| *kept == v).unwrap_or_default();
                let key = |key: &SortKey| SortKey { value: values[place(key.value)], ..*key };
                Sink::Sort {
                    keys: keys.iter().map(key).collect(),
                    columns: columns.iter().map(|&v| values[place(v)]).collect(),
                    limit: *limit,
                }
            }
            Sink::Group { keys, folds, order } => {
                let mut next = keys.len();
                let mut merged = Vec::with_capacity(folds.len());
                for fold in folds {
                    let input = FoldInput::State { first: ColumnId(next as u32), of: fold.value_type(&self.body) };
                    merged.push(Fold { input, ..*fold });
                    next += fold.order_free_accumulator(&self.body).len();
                }
                let order = match order {
                    GroupOrder::Least(_) => GroupOrder::Least(values[next]),
                    GroupOrder::Hash => GroupOrder::Hash,
                };
                Sink::Group { keys: values[..keys.len()].to_vec(), folds: merged, order }
            }
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => return None,
            Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => return None,
        };
        Some(Kernel { columns, params: Vec::new(), lists: Vec::new(), tables: Vec::new(), body, mask: None, sink })
    }
}
