//! Stages as text, for people and tests.

use super::stage::{Stage, StageInput, StageParam, StagePart, StageTable};
use crate::body::ListId;
use std::fmt::Write;

/// The stages' text: where each one's inputs come from, then its kernel.
pub fn print_stages(stages: &[Stage]) -> String {
    let list = |items: Vec<String>| items.join(", ");
    let mut text = String::new();
    for (i, stage) in stages.iter().enumerate() {
        let input = stage.parts.iter().map(part_text).collect::<Vec<_>>().join("; ");
        let mut parts = Vec::new();
        if !stage.params.is_empty() {
            let params = stage.params.iter().map(|param| match param {
                StageParam::Given(param) => param.to_string(),
                StageParam::Row { stage, column } => format!("stage {stage} column {column}"),
            });
            parts.push(format!("params [{}]", list(params.collect())));
        }
        if !stage.lists.is_empty() {
            parts.push(format!("lists [{}]", list(stage.lists.iter().map(ListId::to_string).collect())));
        }
        if !stage.tables.is_empty() {
            parts.push(format!("tables [{}]", list(stage.tables.iter().map(table_text).collect())));
        }
        for limit in &stage.pair_limits {
            parts.push(format!("at most {} pairs with t{}", limit.pairs_max, limit.table));
        }
        parts.insert(0, input);
        let gap = if i == 0 { "" } else { "\n" };
        writeln!(text, "{gap}# stage {i}: {}", parts.join(", ")).expect("writing to a string never fails");
        let kernel = stage.kernel.print();
        writeln!(text, "{}", kernel.trim_end()).expect("writing to a string never fails");
    }
    text
}

fn input_text(input: StageInput) -> String {
    match input {
        StageInput::Source(source) => format!("source {}", source.0),
        StageInput::Stage(stage) => format!("stage {stage}"),
    }
}

fn columns_text(columns: &[u32]) -> String {
    format!("columns [{}]", columns.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
}

fn part_text(part: &StagePart) -> String {
    let rows = match (part.skip, part.fetch) {
        (0, None) => String::new(),
        (skip, None) => format!(" without {skip} rows"),
        (skip, Some(fetch)) => format!(" rows {skip}..{}", skip.saturating_add(fetch)),
    };
    format!("{}{rows}, {}", input_text(part.input), columns_text(&part.columns))
}

fn table_text(table: &StageTable) -> String {
    let index = table.index.map_or_else(String::new, |index| {
        let numbers = index.numbers.map_or_else(String::new, |column| format!(" numbered by column {column}"));
        format!(" by the keys of stage {}{numbers}", index.stage)
    });
    format!("{} {}{index}", input_text(table.rows), columns_text(&table.columns))
}
