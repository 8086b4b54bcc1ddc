//! What is printed: the progress, a failure with all that is needed to understand it, and the summary.

use crate::case::Case;
use crate::check::{Failure, Outcome};
use crate::notes::Notes;
use crate::rules::Rule;
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::plan::print;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Rows beyond this many are not printed.
const ROWS_SHOWN: usize = 60;

/// Counts over a run.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) plans: usize,
    agreed: usize,
    both_fail: usize,
    pub(crate) failed: usize,
    rows: usize,
    through_session: usize,
    nodes: BTreeMap<String, usize>,
    node_counts: Vec<usize>,
    operations: BTreeMap<String, [usize; 2]>,
    rules: BTreeMap<Rule, usize>,
    skipped: BTreeMap<String, usize>,
}

impl Summary {
    /// Counts a case. Nodes and operations count only where both sides were compared.
    pub(crate) fn add(&mut self, case: &Case, outcome: &Outcome, notes: &Notes) {
        self.plans += 1;
        match outcome {
            Outcome::Agree => self.agreed += 1,
            Outcome::BothFail => self.both_fail += 1,
            Outcome::Known(rule) => *self.rules.entry(*rule).or_default() += 1,
            Outcome::Skipped(why) => *self.skipped.entry(why.clone()).or_default() += 1,
            Outcome::Failed(_) => self.failed += 1,
        }
        if !matches!(outcome, Outcome::Agree) {
            return;
        }
        self.through_session += usize::from(notes.through_session);
        self.rows += case.sources.iter().map(|source| source.rows).sum::<usize>();
        self.node_counts.push(notes.nodes.iter().filter(|(name, _)| *name != "source").map(|(_, count)| count).sum());
        for (name, count) in &notes.nodes {
            *self.nodes.entry(name.clone()).or_default() += count;
        }
        for (name, counts) in &notes.operations {
            let sums = self.operations.entry(name.clone()).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The line that is shown while plans run.
    pub(crate) fn progress(&self, plans: usize) -> String {
        let known: usize = self.rules.values().sum();
        let skipped: usize = self.skipped.values().sum();
        let Summary { plans: done, agreed, both_fail, failed, .. } = self;
        format!(
            "{done}/{plans} plans: {agreed} agree, {both_fail} fail on both sides, {known} known disagreements, {skipped} skipped, {failed} FAILED"
        )
    }

    /// The tables at the end.
    pub(crate) fn text(&mut self) -> String {
        self.node_counts.sort_unstable();
        let median = self.node_counts.get(self.node_counts.len() / 2).copied().unwrap_or(0);
        let mut text = format!(
            "\nmedian operators of the plans that agree: {median}; source rows: {}; through a session: {}\n",
            self.rows, self.through_session
        );
        section(
            &mut text,
            "operators in plans that agree",
            self.nodes.iter().map(|(name, count)| (name.clone(), *count)),
        );
        let native = self.operations.iter().map(|(name, [native, borrowed])| {
            let name = if *borrowed > 0 { format!("{name} (interpreted: {borrowed})") } else { name.clone() };
            (name, *native)
        });
        section(&mut text, "expressions in plans that agree", native);
        let rules = Rule::ALL.iter().map(|rule| {
            let count = self.rules.get(rule).copied().unwrap_or(0);
            (format!("{rule:?}: {}", rule.description()), count)
        });
        section(&mut text, "known disagreements", rules);
        section(&mut text, "plans not compared", self.skipped.iter().map(|(why, count)| (why.clone(), *count)));
        text
    }
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = (String, usize)>) {
    let _ = writeln!(text, "\n{title}");
    lines.for_each(|(name, count)| {
        let _ = writeln!(text, "{count:>8}  {name}");
    });
}

/// A failure with its case.
pub(crate) fn failure_text(case: &Case, failure: &Failure) -> String {
    let mut text = format!("FAILED: {} (seed {})\n{}\n", failure.kind(), case.seed, print::print(&case.plan));
    for (i, param) in case.params.iter().enumerate() {
        let _ = writeln!(text, "p{i} = {param:?}");
    }
    for (i, list) in case.lists.iter().enumerate() {
        let _ = writeln!(text, "l{i} = {}", values(list));
    }
    for (i, source) in case.sources.iter().enumerate() {
        table(&mut text, &format!("source {i}"), source);
    }
    match failure {
        Failure::Rows { ours, theirs, difference } => {
            let _ = writeln!(text, "{difference:?}");
            table(&mut text, "ours", ours);
            table(&mut text, "DataFusion's", &theirs.rows);
            let _ = writeln!(text, "places {:?}", &theirs.places[..theirs.places.len().min(ROWS_SHOWN)]);
        }
        Failure::OnlyOursFails { fault, theirs } => {
            let _ = writeln!(text, "our fault: {fault}");
            table(&mut text, "DataFusion's", &theirs.rows);
        }
        Failure::OnlyTheirsFails { ours, error } => {
            let _ = writeln!(text, "DataFusion's error: {error}");
            table(&mut text, "ours", ours);
        }
        Failure::Panic(error) | Failure::Interpreters(error) | Failure::Translation(error) => {
            let _ = writeln!(text, "{error}");
        }
    }
    text
}

fn table(text: &mut String, name: &str, table: &TableData) {
    let _ = writeln!(text, "{name}: {} rows", table.rows);
    for (i, column) in table.columns.iter().enumerate() {
        let _ = writeln!(text, "  {i} {}: {}", column.ty(), values(column));
    }
}

fn values(column: &ColumnData) -> String {
    let shown: Vec<String> = column
        .iter()
        .take(ROWS_SHOWN)
        .map(|value| value.map_or("null".to_string(), |value| value.to_string()))
        .collect();
    format!("[{}{}]", shown.join(", "), if column.len() > ROWS_SHOWN { ", …" } else { "" })
}
