//! The figures of all policies as tables for people, with bars, and as JSON.

use super::figures::{Bar, Figure};
use super::policies::Maker;
use super::scenarios::Scenario;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What one policy reached in one scenario: the values of every seed.
pub struct Row {
    /// The policy.
    pub policy: String,
    /// The values by figure.
    pub values: BTreeMap<Figure, Vec<f64>>,
}

/// A scenario, or a grid, with every policy's row.
pub struct Table {
    /// A heading.
    pub name: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Runs every policy through a scenario on the machines of these seeds.
pub fn simulate(scenario: Scenario, seeds: u64, policies: &[(&str, Maker)], mut progress: impl FnMut(&str)) -> Table {
    let mut rows = Vec::new();
    for (policy, maker) in policies {
        progress(&format!("{}: {policy}", scenario.name()));
        let mut values: BTreeMap<Figure, Vec<f64>> = BTreeMap::new();
        for seed in 0..seeds {
            for (figure, value) in scenario.run(seed, *maker) {
                values.entry(figure).or_default().push(value);
            }
        }
        rows.push(Row { policy: policy.to_string(), values });
    }
    Table { name: scenario.name().to_string(), rows }
}

impl Table {
    /// The figures that any row has.
    fn figures(&self) -> Vec<Figure> {
        let has = |figure: &Figure| self.rows.iter().any(|row| row.values.contains_key(figure));
        Figure::ALL.into_iter().filter(has).collect()
    }

    /// The table in Markdown: medians, the worst in brackets.
    pub fn markdown(&self) -> String {
        let figures = self.figures();
        let mut text = format!("### {}\n\n| policy |", self.name);
        figures.iter().for_each(|figure| text += &format!(" {} |", figure.name()));
        text += &format!("\n| --- |{}\n", " --- |".repeat(figures.len()));
        for row in &self.rows {
            text += &format!("| {} |", row.policy);
            for figure in &figures {
                let shown = row.values.get(figure).map(|values| figure.median_and_worst(values));
                let shown = shown.map_or("–".to_string(), |(median, worst)| {
                    if median == worst {
                        figure.show(median)
                    } else {
                        format!("{} ({})", figure.show(median), figure.show(worst))
                    }
                });
                text += &format!(" {shown} |");
            }
            text.push('\n');
        }
        text + "\n"
    }

    /// The bars of one policy: a line each, with the median and the worst; and whether all medians meet theirs.
    pub fn bars(&self, policy: &str) -> (String, bool) {
        let (mut text, mut all) = (String::new(), true);
        let rows = self.rows.iter().filter(|row| row.policy == policy);
        for (figure, values) in rows.flat_map(|row| &row.values) {
            let (median, worst) = figure.median_and_worst(values);
            let bar = match figure.bar() {
                Bar::AtLeast(bar) => format!("≥ {}", figure.show(bar)),
                Bar::AtMost(bar) => format!("≤ {}", figure.show(bar)),
                Bar::None => continue,
            };
            let is_met = figure.bar().is_met(median);
            all &= is_met;
            let verdict = if is_met { "met" } else { "**NOT met**" };
            let worst_too = if figure.bar().is_met(worst) { "met too" } else { "not met" };
            let (median, worst) = (figure.show(median), figure.show(worst));
            let name = figure.name();
            // Writing to a string never fails.
            let _ = writeln!(text, "- {name} {median}, bar {bar}: {verdict}; worst {worst} ({worst_too})");
        }
        (text, all)
    }

    /// As JSON.
    pub fn json(&self) -> String {
        let number = |value: &f64| if value.is_finite() { value.to_string() } else { "null".to_string() };
        let rows = self.rows.iter().map(|row| {
            let values = row.values.iter().map(|(figure, values)| {
                let values: Vec<String> = values.iter().map(number).collect();
                format!("{}: [{}]", quoted(figure.name()), values.join(", "))
            });
            format!("{{\"policy\": {}, {}}}", quoted(&row.policy), values.collect::<Vec<_>>().join(", "))
        });
        let rows: Vec<String> = rows.collect();
        format!("{{\"name\": {}, \"rows\": [\n  {}\n]}}", quoted(&self.name), rows.join(",\n  "))
    }
}

/// Text as JSON; none of ours has anything but letters, spaces and signs.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::super::policies::BASELINES;
    use super::*;

    #[test]
    fn a_table_has_a_line_a_policy_and_says_which_bars_are_missed() {
        let table = simulate(Scenario::Steady, 2, &BASELINES[..2], |_| {});
        assert_eq!(table.markdown().lines().count(), 2 + 2 + 2 + 1);
        let (bars, all) = table.bars("always the CPU");
        assert!(!all && bars.contains("warm Σ") && bars.contains("NOT met"), "{bars}");
        assert!(table.json().contains("\"policy\": \"always the GPU\""));
    }
}
