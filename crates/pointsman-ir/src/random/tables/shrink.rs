//! Makes a failing plan case small. In: a case, and whether a case fails. Out: a case with fewer nodes and rows that
//! still fails. Every case that is asked about is a valid one.

use crate::data::TableData;
use crate::plan::Plan;
use crate::random::plans::PlanCase;
use crate::rewrite::edit::tidy;
use crate::verify;

/// A case with fewer nodes and rows that still fails.
pub fn smaller(case: PlanCase, fails: impl Fn(&PlanCase) -> bool) -> PlanCase {
    let mut case = case;
    loop {
        let before = size(&case);
        for nodes in 1..case.plan.nodes.len() {
            let fewer = first_nodes(&case, nodes);
            if verify::plan(&fewer.plan).is_ok() && fails(&fewer) {
                case = fewer;
                break;
            }
        }
        for source in 0..case.sources.len() {
            let mut row = 0;
            while row < case.sources[source].rows {
                let mut fewer = case.clone();
                fewer.sources[source] = without_row(&case.sources[source], row);
                if fails(&fewer) {
                    case = fewer;
                } else {
                    row += 1;
                }
            }
        }
        if size(&case) == before {
            return case;
        }
    }
}

/// Nodes and rows.
fn size(case: &PlanCase) -> (usize, usize) {
    (case.plan.nodes.len(), case.sources.iter().map(|source| source.rows).sum())
}

/// The case of the first nodes. A scalar of a later node is not used by them: it is handed in as null.
fn first_nodes(case: &PlanCase, nodes: usize) -> PlanCase {
    let mut plan = Plan { nodes: case.plan.nodes[..nodes].to_vec(), ..case.plan.clone() };
    plan.scalars.retain(|_, column| column.node.index() < nodes);
    let old = case.plan.given_params();
    let value = |param| old.iter().position(|old| *old == param).and_then(|at| case.params[at]);
    let params = plan.given_params().into_iter().map(value).collect();
    PlanCase { plan: tidy(&plan), params, ..case.clone() }
}

fn without_row(table: &TableData, row: usize) -> TableData {
    let mut fewer = TableData::empty(&table.types());
    (0..table.rows).filter(|other| *other != row).for_each(|row| fewer.push(&table.row(row)));
    fewer
}
