//! Finishes a partial `Reduce`: the records that the card wrote, one per leaf, become the nodes of the leaf tree.

use crate::cpu::nodes::{Acc, NodeHead, Nodes};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, Sink};
use pointsman_ir::types::{DType, Repr, Scalar, Type};

/// The size of an accumulator in a record: its value, then a word that is 1 if it is not null.
const SLOT_BYTES: usize = 32;
const VALUE_BYTES: usize = 16;

/// Joins the leaves of these records into nodes.
pub(super) fn join(kernel: &Kernel, types: &[Type], first_row: u64, records: &[u8], leaf_bytes: usize) -> TableData {
    let first_leaf = first_row / LEAF_ROWS as u64;
    let Sink::Reduce { folds } = &kernel.sink else { return TableData::empty(types) };
    // The identity of a fold depends on its kind.
    let kinds: Vec<Acc> = folds
        .iter()
        .map(|fold| Acc::identity(fold.op, fold.value_type(&kernel.body).map_or(Repr::U64, DType::repr)))
        .collect();
    let mut nodes = Nodes::new(folds.len());
    for (index, record) in (first_leaf..).zip(records.chunks_exact(leaf_bytes.max(1))) {
        let slots = kinds.iter().zip(record.chunks_exact(SLOT_BYTES)).zip(types.iter().skip(2));
        let accs = slots.map(|((kind, slot), ty)| accumulator(*kind, slot, ty.dtype.repr()));
        nodes.push_each(NodeHead { level: 0, index, starts: false }, accs);
    }
    let mut table = TableData::empty(types);
    for (head, accs) in nodes.iter() {
        let place = [Some(Scalar::U8(head.level)), Some(Scalar::U64(head.index))];
        let row: Vec<Option<Scalar>> =
            place.into_iter().chain(accs.iter().map(|acc| acc.kept().map(Scalar::canonical))).collect();
        table.push(&row);
    }
    table
}

/// Decodes an accumulator of this kind.
fn accumulator(kind: Acc, slot: &[u8], repr: Repr) -> Acc {
    let (value, flag) = slot.split_at(VALUE_BYTES);
    let mut wide = [0; VALUE_BYTES];
    let bytes = repr.bytes().min(VALUE_BYTES);
    wide[..bytes].copy_from_slice(&value[..bytes]);
    let bits = u128::from_le_bytes(wide);
    let best = || (flag[0] == 1).then(|| Scalar::from_bits(repr, bits));
    match kind {
        Acc::Count(_) => Acc::Count(bits as u64),
        Acc::Exact(_) => Acc::Exact(bits as i128),
        Acc::F32(_) => Acc::F32(f32::from_bits(bits as u32)),
        Acc::F64(_) => Acc::F64(f64::from_bits(bits as u64)),
        Acc::Min(_) => Acc::Min(best()),
        Acc::Max(_) => Acc::Max(best()),
    }
}

/// The device buffers of a node column: its values and, if it has one, its bitmap.
pub(super) fn column_bytes(column: &ColumnData) -> (Vec<u8>, Option<Vec<u8>>) {
    crate::convert::to_buffers(column)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use pointsman_ir::interpret::{self, Inputs};
    use pointsman_ir::kernel::parse::parse;

    #[test]
    fn records_become_the_interpreters_nodes() {
        let text = "kernel\ncolumns c0: i32?\n  v0: i32? = column c0\nsink reduce sum(v0), min(v0), count(v0)\n";
        let kernel = parse(text).unwrap();
        let rows = 2 * LEAF_ROWS + 5;
        // The last leaf has only nulls: its minimum is null.
        let value = |row: usize| (row < 2 * LEAF_ROWS).then_some(Scalar::I32(row as i32 - 100));
        let column = ColumnData::from_scalars(DType::I32.nullable(), (0..rows).map(value));
        let first_row = 3 * LEAF_ROWS as u64;
        let inputs = Inputs { columns: &[column], params: &[], lists: &[], tables: &[], first_row, rows };
        let expected = interpret::partial(&kernel, &inputs).unwrap().nodes;
        let mut records = Vec::new();
        for leaf in 0..3i128 {
            let selected = if leaf < 2 { LEAF_ROWS as i128 } else { 0 };
            let first = leaf * LEAF_ROWS as i128 - 100;
            let sum = selected * first + selected * (selected - 1) / 2;
            for (value, is_null) in [(sum, false), (first, leaf == 2), (selected, false)] {
                records.extend(if is_null { 0 } else { value }.to_le_bytes());
                records.extend(u128::from(!is_null).to_le_bytes());
            }
        }
        let types = kernel.partial().nodes;
        assert_eq!(join(&kernel, &types, first_row, &records, 3 * SLOT_BYTES), expected);
        assert_eq!(join(&kernel, &types, 0, &[], 3 * SLOT_BYTES).rows, 0);
    }
}
