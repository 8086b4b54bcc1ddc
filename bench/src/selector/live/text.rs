//! Figures for people.

/// Nanoseconds with a unit.
pub(super) fn time(nanoseconds: f64) -> String {
    format!("{:.3?}", std::time::Duration::from_nanos(nanoseconds as u64))
}

/// Names with a time each, separated by commas.
pub(super) fn times<'t>(times: impl IntoIterator<Item = &'t (String, f64)>) -> String {
    let one = |(name, own): &(String, f64)| format!("{name} {}", time(*own));
    times.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Whether a bar is met.
pub(super) fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "not met" }
}
