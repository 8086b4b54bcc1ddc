//! What each sink makes of partial results: two become one, and the last becomes the kernel's result.

use super::Partial;
use super::fault::Fault;
use super::fold::positional;
use super::reduce::{self, push_node, read_nodes, write_nodes};
use super::scalar::integer;
use super::scan::ScanSink;
use super::sinks::{Groups, Row, key_places, partitions, sort_rows, table};
use crate::data::TableData;
use crate::kernel::{Kernel, Sink};

/// The partial result over the rows of both.
pub(super) fn merge(kernel: &Kernel, first: Partial, second: Partial) -> Partial {
    let schema = kernel.partial();
    match &kernel.sink {
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Scan { .. } | Sink::Build { .. } | Sink::Call { .. } => {
            Partial { rows: concatenated(first.rows, &second.rows), nodes: concatenated(first.nodes, &second.nodes) }
        }
        Sink::Reduce { folds } => {
            let folds = positional(folds.iter().copied(), &kernel.body);
            let mut nodes = read_nodes(&first.nodes, &folds, false);
            for node in read_nodes(&second.nodes, &folds, false) {
                push_node(&mut nodes, node);
            }
            Partial { rows: first.rows, nodes: write_nodes(&nodes, &schema.nodes, false) }
        }
        Sink::Sort { keys, columns, limit } => {
            let mut rows: Vec<Row> = [&first.rows, &second.rows]
                .iter()
                .flat_map(|table| (0..table.rows).map(|row| table.row(row)))
                .collect();
            sort_rows(&mut rows, &key_places(keys, columns), *limit);
            Partial { rows: table(&schema.rows, rows), nodes: first.nodes }
        }
        Sink::Group { keys, folds, order } => {
            let folds = Groups::folds(folds, &kernel.body);
            let mut groups = Groups::new(*order);
            groups.read(&first.rows, keys.len(), &folds);
            groups.read(&second.rows, keys.len(), &folds);
            Partial { rows: groups.write(&schema.rows), nodes: first.nodes }
        }
        Sink::Partition { bits, .. } => {
            let mut parts = vec![Vec::new(); 1 << bits];
            for partial in [&first, &second] {
                let mut row = 0;
                for (part, end) in parts.iter_mut().zip(partial.nodes.columns[0].iter()) {
                    let end = end.map_or(0, integer) as usize;
                    part.extend((row..end).map(|row| partial.rows.row(row)));
                    row = end;
                }
            }
            partitions(parts, &schema)
        }
    }
}

/// The result of a kernel.
pub(super) fn finish(kernel: &Kernel, partial: Partial) -> Result<TableData, Fault> {
    match &kernel.sink {
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Build { .. } => Ok(partial.rows),
        Sink::Partition { .. } | Sink::Call { .. } => Ok(partial.rows),
        Sink::Reduce { folds } => {
            let folds = positional(folds.iter().copied(), &kernel.body);
            let row = reduce::finish(read_nodes(&partial.nodes, &folds, false), &folds)?;
            Ok(table(&kernel.output(), [row]))
        }
        Sink::Scan { columns, running, segment } => {
            let scan = ScanSink::new(&kernel.body, columns, running, *segment);
            scan.finish(kernel, &partial.rows, &partial.nodes)
        }
        Sink::Sort { columns, .. } => {
            let columns = partial.rows.columns.into_iter().take(columns.len()).collect();
            Ok(TableData { columns, rows: partial.rows.rows })
        }
        Sink::Group { keys, folds, order } => {
            let folds = Groups::folds(folds, &kernel.body);
            let mut groups = Groups::new(*order);
            groups.read(&partial.rows, keys.len(), &folds);
            let mut result = TableData::empty(&kernel.output());
            for group in groups.in_order() {
                let mut row = group.keys;
                for (fold, accumulator) in folds.iter().zip(&group.accumulators) {
                    row.push(fold.finish(accumulator)?);
                }
                result.push(&row);
            }
            Ok(result)
        }
    }
}

fn concatenated(mut first: TableData, second: &TableData) -> TableData {
    for (column, more) in first.columns.iter_mut().zip(&second.columns) {
        more.iter().for_each(|value| column.push(value));
    }
    first.rows += second.rows;
    first
}
