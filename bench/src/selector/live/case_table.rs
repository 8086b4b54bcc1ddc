//! The table of all cases: one line each, with tabs between the columns.

use super::by_choice::ColumnWait;
use super::case::DeviceTimes;
use super::choice_report::CaseResult;
use super::loss::Loss;

/// The headings of the columns. Times are in microseconds.
pub const CASE_TABLE_HEADER: &str = concat!(
    "part\tcase\trows\ttype\tplacement\tsink\tsteps\t",
    "chosen\tas timed\tby choice\tinformed\tcopy\tcalled\tin session\treference\tall calls\n",
);

/// The line of a case.
pub(super) fn line(part: &str, result: &CaseResult) -> String {
    let ratio = |loss: Option<Loss>| loss.map_or("-".to_string(), |loss| format!("{:.3}", loss.ratio()));
    let wait = match result.by_choice.map(|value| value.wait) {
        Some(ColumnWait::Waiting) => "waiting",
        Some(ColumnWait::Overdue) => "overdue",
        Some(ColumnWait::None) | None => "-",
    };
    let mut columns = vec![part.to_string(), result.number.to_string()];
    columns.extend(result.shape.columns());
    columns.extend([
        result.calls.devices(),
        ratio(result.as_timed),
        ratio(result.by_choice.map(|value| value.loss)),
        ratio(result.against_informed()),
        wait.to_string(),
        microseconds(result.calls.time()),
        times(&result.session_times),
        times(&result.reference),
        result.calls.history.to_string(),
    ]);
    columns.join("\t") + "\n"
}

fn times(times: &DeviceTimes) -> String {
    let one = |(device, time): &(String, f64)| format!("{device} {}", microseconds(*time));
    if times.is_empty() { "-".to_string() } else { times.iter().map(one).collect::<Vec<_>>().join(", ") }
}

fn microseconds(nanoseconds: f64) -> String {
    format!("{:.1}", nanoseconds / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_microseconds() {
        assert_eq!(times(&vec![("cpu".to_string(), 12_340.0), ("cuda:0".to_string(), 1e6)]), "cpu 12.3, cuda:0 1000.0");
        assert_eq!(times(&Vec::new()), "-");
    }
}
