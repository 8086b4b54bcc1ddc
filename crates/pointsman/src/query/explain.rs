//! [`Explain`]: the state of a query after every step from the plan to the programs, as text. It compiles, but runs
//! nothing.

use crate::error::Error;
use pointsman_ir::passes::Observer;
use pointsman_ir::plan::Plan;
use std::fmt;

/// The state of a query after every step from the plan to the programs, as text. `Display` prints all steps.
///
/// ```
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let explain = s.from(&[1.0f32]).map(|x| x * 2.0 + 1.0).explain();
/// assert!(explain.step("choice").is_some_and(|text| text.starts_with("cpu")));
/// assert_eq!(explain.steps().next(), Some("plan"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Explain {
    steps: Vec<(String, String)>,
}

impl Explain {
    /// The text of a step, or of the last one if several have the name: `plan`, `expand` (joins and aggregations
    /// written out), the name of an optimizer pass that changed the plan, `fuse`, `kernel`, `estimate`, `features` and
    /// `ranking` (where a device is selected), `choice`, `program`, `sharing` (where devices may share the query), or
    /// `error`.
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

/// Records the steps for an [`Explain`], or nothing.
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

    /// Records a step; the text is made only for an [`Explain`].
    pub(crate) fn note(&mut self, step: &str, text: impl FnOnce() -> String) {
        if let Some(explain) = &mut self.explain {
            explain.note(step, text());
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
