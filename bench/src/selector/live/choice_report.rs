//! [`ChoiceReport`]: what the choices of sessions lost, as timed and by choice.

use super::Part;
use super::automatic_calls::AutomaticCalls;
use super::by_choice::{ByChoice, ColumnWait};
use super::case::{Case, DeviceTimes, best};
use super::case_table;
use super::loss::{Figures, Loss};
use super::random_query::QueryShape;
use super::text::{time, times};
use super::throughput::Throughput;
use std::fmt;

/// The number of bad cases that are printed.
const PRINTED: usize = 6;

/// The calls of one case, and the times of the devices.
pub(super) struct CaseResult {
    pub(super) number: usize,
    pub(super) shape: QueryShape,
    pub(super) calls: AutomaticCalls,
    /// The median time of each device in the reference.
    pub(super) reference: DeviceTimes,
    /// The median time of each device in the session of the calls.
    pub(super) session_times: DeviceTimes,
    /// The median time of the same calls in a session of the same kind that requires the best device of the reference;
    /// infinite if they were not measured.
    pub(super) informed: f64,
    /// The median time of the calls against the best device of the reference; `None` if no device was measured.
    pub(super) as_timed: Option<Loss>,
    /// The value of the choices; `None` if no device was measured in the session.
    pub(super) by_choice: Option<ByChoice>,
}

impl CaseResult {
    /// Compares the calls of the case of this number with the devices in the reference and in the session of the calls.
    pub(super) fn new(
        (number, case): (usize, &Case),
        calls: AutomaticCalls,
        reference: DeviceTimes,
        session_times: DeviceTimes,
    ) -> CaseResult {
        let (_, best) = best(&reference);
        let as_timed = best.is_finite().then(|| Loss { time: calls.time(), best });
        let by_choice = ByChoice::new(&calls, &session_times, &case.copy_prices);
        let (shape, informed) = (case.query.shape.clone(), f64::INFINITY);
        CaseResult { number, shape, calls, reference, session_times, informed, as_timed, by_choice }
    }

    /// This result with the median time of the calls in an informed session.
    pub(super) fn with_informed(self, informed: f64) -> CaseResult {
        CaseResult { informed, ..self }
    }

    /// The loss of the calls against those of the informed session; `None` if they were not measured.
    pub(super) fn against_informed(&self) -> Option<Loss> {
        self.informed.is_finite().then(|| Loss { time: self.calls.time(), best: self.informed })
    }

    /// The loss of the informed session against the reference, which no choice can avoid; `None` if either is missing.
    fn informed_as_timed(&self) -> Option<Loss> {
        let loss = self.as_timed.filter(|_| self.informed.is_finite())?;
        Some(Loss { time: self.informed, ..loss })
    }

    fn by_choice_loss(&self) -> Option<Loss> {
        self.by_choice.map(|value| value.loss)
    }

    fn wait(&self) -> ColumnWait {
        self.by_choice.map_or(ColumnWait::None, |value| value.wait)
    }
}

/// The figures of one way to use sessions.
pub struct ChoiceReport {
    name: &'static str,
    results: Vec<CaseResult>,
    throughput: Option<Throughput>,
}

impl ChoiceReport {
    pub(super) fn new(name: &'static str, results: Vec<CaseResult>) -> ChoiceReport {
        ChoiceReport { name, results, throughput: None }
    }

    /// This report with the throughput of several callers.
    pub(super) fn with_throughput(self, throughput: Throughput) -> ChoiceReport {
        ChoiceReport { throughput: Some(throughput), ..self }
    }

    fn as_timed(&self) -> Figures {
        Figures::of(self.results.iter().filter_map(|result| result.as_timed))
    }

    fn by_choice(&self) -> Figures {
        Figures::of(self.results.iter().filter_map(CaseResult::by_choice_loss))
    }

    fn by_choice_without_waiting(&self) -> Figures {
        let others = self.results.iter().filter(|result| result.wait() != ColumnWait::Waiting);
        Figures::of(others.filter_map(CaseResult::by_choice_loss))
    }

    fn count(&self, wait: ColumnWait) -> usize {
        self.results.iter().filter(|result| result.wait() == wait).count()
    }

    /// Whether all bars are met, as timed and by choice, with all cases.
    pub fn is_met(&self) -> bool {
        self.as_timed().is_met() && self.by_choice().is_met()
    }

    /// One line for each case, under the headings of [`CASE_TABLE_HEADER`](super::CASE_TABLE_HEADER).
    pub fn case_table(&self, part: Part) -> String {
        self.results.iter().map(|result| case_table::line(part.name(), result)).collect()
    }

    /// The worst of the cases that are bad by a measure, with their losses.
    fn worst(&self, loss: fn(&CaseResult) -> Option<Loss>) -> Vec<(Loss, &CaseResult)> {
        let losses = self.results.iter().filter_map(|result| Some((loss(result)?, result)));
        let mut bad: Vec<(Loss, &CaseResult)> = losses.filter(|(loss, _)| loss.is_bad()).collect();
        bad.sort_by(|(one, _), (other, _)| other.ratio().total_cmp(&one.ratio()));
        bad.truncate(PRINTED);
        bad
    }
}

impl ChoiceReport {
    fn write_figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "- **as timed**, against the best device of the reference: {}", self.as_timed())?;
        writeln!(f, "- **by choice**, against the best device in the same session: {}", self.by_choice())?;
        let informed = |loss: fn(&CaseResult) -> Option<Loss>| Figures::of(self.results.iter().filter_map(loss));
        writeln!(
            f,
            "- **as timed, against a session of the same kind that requires the best device**: {} (that session against the \
             reference: {})",
            informed(CaseResult::against_informed),
            informed(CaseResult::informed_as_timed),
        )?;
        let [waiting, overdue] = [ColumnWait::Waiting, ColumnWait::Overdue].map(|wait| self.count(wait));
        if waiting + overdue > 0 {
            writeln!(
                f,
                "- **by choice, without {waiting} cases that wait for the account of their column** ({overdue} others have \
                 lost more than the copy costs and are judged): {}",
                self.by_choice_without_waiting(),
            )?;
        }
        match &self.throughput {
            Some(throughput) => writeln!(f, "- **throughput**: {throughput}"),
            None => Ok(()),
        }
    }

    fn write_worst_as_timed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worst = self.worst(|result| result.as_timed);
        if !worst.is_empty() {
            writeln!(f, "\nBad cases as timed, the worst first:\n")?;
        }
        for (loss, case) in worst {
            let (number, devices) = (case.number, case.calls.devices());
            writeln!(f, "- {:.2}×, {} on {devices}: case {number}, {}", loss.ratio(), time(loss.time), case.shape)?;
            writeln!(f, "  reference {}; in this session {}", times(&case.reference), times(&case.session_times))?;
            writeln!(f, "  {}", case.calls.explanation)?;
        }
        Ok(())
    }

    fn write_worst_by_choice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worst = self.worst(CaseResult::by_choice_loss);
        if !worst.is_empty() {
            writeln!(f, "\nBad cases by choice, the worst first:\n")?;
        }
        for (loss, case) in worst {
            let wait = match case.wait() {
                ColumnWait::None => "",
                ColumnWait::Waiting => ", waiting for the account of its column",
                ColumnWait::Overdue => ", its copy is overdue",
            };
            let (number, devices) = (case.number, case.calls.devices());
            writeln!(f, "- {:.2}×, on {devices}{wait}: case {number}, {}", loss.ratio(), case.shape)?;
            writeln!(f, "  in this session {}", times(&case.session_times))?;
            writeln!(f, "  {}", case.calls.explanation)?;
        }
        Ok(())
    }
}

impl fmt::Display for ChoiceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "### {}\n", self.name)?;
        self.write_figures(f)?;
        self.write_worst_as_timed(f)?;
        self.write_worst_by_choice(f)
    }
}
