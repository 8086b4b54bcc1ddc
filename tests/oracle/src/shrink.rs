//! Makes a failing case smaller: earlier nodes as the result, nodes that let all rows pass, and fewer rows, as long as it
//! fails in the same way.

use crate::case::Case;
use pointsman_ir::plan::{NodeId, NodeKind};

/// After this many candidates the best so far is handed back.
const ATTEMPTS_MAX: usize = 400;

/// The smallest case found that still fails.
pub(crate) fn shrink(case: Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut search = Search { best: case, fails, attempts: 0 };
    search.nodes();
    search.passed();
    search.rows();
    search.nodes();
    search.passed();
    search.best
}

struct Search<'a> {
    best: Case,
    fails: &'a dyn Fn(&Case) -> bool,
    attempts: usize,
}

impl Search<'_> {
    fn accept(&mut self, candidate: Case) -> bool {
        self.attempts += 1;
        let better = self.attempts <= ATTEMPTS_MAX && (self.fails)(&candidate);
        if better {
            self.best = candidate;
        }
        better
    }

    /// Takes the first node that fails by itself as the result.
    fn nodes(&mut self) {
        for last in 0..self.best.plan.root().index() {
            let mut candidate = self.best.clone();
            candidate.plan.nodes.truncate(last + 1);
            candidate.plan.columns.truncate(self.best.plan.columns.len());
            if self.accept(without_later(candidate, NodeId(last as u32))) {
                return;
            }
        }
    }

    /// Lets rows pass a node as they are, where the node changes no column.
    fn passed(&mut self) {
        for node in (0..self.best.plan.nodes.len()).rev() {
            let kind = &self.best.plan.nodes[node].kind;
            let is_passed = matches!(kind, NodeKind::Source(_) | NodeKind::Limit { skip: 0, fetch: None, .. });
            let Some(&input) = kind.inputs().first().filter(|_| !is_passed) else { continue };
            if self.best.plan.node(input).schema.types() == self.best.plan.nodes[node].schema.types() {
                let mut candidate = self.best.clone();
                candidate.plan.nodes[node].kind = NodeKind::Limit { input, skip: 0, fetch: None };
                self.accept(candidate);
            }
        }
    }

    /// Leaves out stretches of each source's rows, long ones first.
    fn rows(&mut self) {
        for source in 0..self.best.sources.len() {
            let mut stretch = self.best.sources[source].rows.max(1);
            while stretch > 0 {
                let mut start = 0;
                while start < self.best.sources[source].rows {
                    let mut candidate = self.best.clone();
                    let table = &self.best.sources[source];
                    let end = (start + stretch).min(table.rows);
                    let mut kept = table.slice(0..start);
                    (end..table.rows).for_each(|row| kept.push(&table.row(row)));
                    candidate.sources[source] = kept;
                    if !self.accept(candidate) {
                        start = end;
                    }
                }
                stretch /= 2;
            }
        }
    }
}

/// The case up to `last`; columns of later nodes stay in the body, where nothing uses them.
fn without_later(mut case: Case, last: NodeId) -> Case {
    for column in &mut case.plan.columns {
        if column.node > last {
            column.node = NodeId(0);
            column.index = 0;
        }
    }
    case
}
