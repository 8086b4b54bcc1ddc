//! [`Explain`]: the value after every step of a query's path, as text. Compiles, but runs nothing.

use crate::error::Error;
use pointsman_ir::passes::Observer;
use pointsman_ir::plan::Plan;
use std::fmt;

/// The path of a query, step by step. `Display` prints all of it; [`Explain::step`] gives one.
#[derive(Clone, Debug, Default)]
pub struct Explain {
    steps: Vec<(String, String)>,
}

impl Explain {
    /// What the query looked like after this step: `plan`, the name of a pass that changed something, `fuse`, `kernel`,
    /// `estimate`, `features` and `ranking` (where devices are chosen from), `choice`, `program`, or `error`. Of several of one name, the last.
    pub fn step(&self, name: &str) -> Option<&str> {
        self.steps.iter().rev().find(|(step, _)| step == name).map(|(_, text)| text.as_str())
    }

    /// The names of the steps, in order.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn note(&mut self, step: &str, text: String) {
        self.steps.push((step.to_string(), text));
    }

    pub(crate) fn error(&mut self, error: &Error) {
        self.note("error", error.to_string());
    }
}

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (step, text) in &self.steps {
            writeln!(f, "── {step}")?;
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Writes down the steps of a query's path, if anyone wants to know.
pub(crate) struct StepRecorder<'a> {
    explain: Option<&'a mut Explain>,
    /// The plan's text before the pass that runs.
    before: String,
}

impl<'a> StepRecorder<'a> {
    pub(crate) fn none() -> StepRecorder<'a> {
        StepRecorder { explain: None, before: String::new() }
    }

    pub(crate) fn of(explain: &'a mut Explain) -> StepRecorder<'a> {
        StepRecorder { explain: Some(explain), before: String::new() }
    }

    /// The value after a step; the text is made only if it is wanted.
    pub(crate) fn note(&mut self, step: &str, text: impl FnOnce() -> String) {
        if let Some(explain) = &mut self.explain {
            explain.note(step, text());
        }
    }

    /// The plan as the query made it.
    pub(crate) fn plan(&mut self, plan: &Plan) {
        if self.explain.is_some() {
            self.before = pointsman_ir::plan::print::print(plan);
            let text = self.before.clone();
            self.note("plan", || text);
        }
    }
}

impl Observer for StepRecorder<'_> {
    fn after(&mut self, pass: &'static str, plan: &Plan) {
        if self.explain.is_some() {
            let text = pointsman_ir::plan::print::print(plan);
            if text != self.before {
                self.before.clone_from(&text);
                self.note(pass, || text);
            }
        }
    }
}
