//! Crossovers as a picture: time against rows for every work, as measured (points) and as predicted (lines), by device.

use super::grid::Grid;
use super::ours::Ours;
use super::queries::NAMES;

/// A panel's size, and its margin.
const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 200.0;
const MARGIN: f64 = 34.0;
const COLUMNS: usize = 4;
const COLOURS: [&str; 8] = ["#1b6ca8", "#d1495b", "#3a9d5d", "#edae49", "#7b4fa0", "#66686b", "#00a6a6", "#b5651d"];

/// Smallest and largest of some values.
fn range(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
}

/// The picture.
pub fn svg(grid: &Grid, ours: &Ours) -> String {
    let lines = NAMES.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS as f64 * WIDTH, lines as f64 * HEIGHT + 30.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (arm, own) in grid.arms.iter().enumerate() {
        let x = 12.0 + 140.0 * arm as f64;
        let colour = COLOURS[arm % COLOURS.len()];
        text += &format!(
            "<circle cx=\"{x}\" cy=\"15\" r=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"19\">{}</text>\n",
            x + 8.0,
            own.name
        );
    }
    for (work, name) in NAMES.iter().enumerate() {
        let (left, top) = ((work % COLUMNS) as f64 * WIDTH, 30.0 + (work / COLUMNS) as f64 * HEIGHT);
        text += &format!("<g transform=\"translate({left} {top})\">{}</g>\n", panel(grid, ours, work, name));
    }
    text + "</svg>\n"
}

fn panel(grid: &Grid, ours: &Ours, work: usize, name: &str) -> String {
    let measured = grid.measured(work);
    let rows = range(measured.iter().map(|(call, _)| call.rows as f64));
    let times = range(measured.iter().flat_map(|(_, times)| times.iter().copied().filter(|time| time.is_finite())));
    let along = |value: f64, (low, high): (f64, f64)| (value / low).ln() / (high / low).ln();
    let x = |value: f64| MARGIN + along(value, rows) * (WIDTH - MARGIN - 10.0);
    let y = |value: f64| HEIGHT - MARGIN - along(value, times) * (HEIGHT - MARGIN - 24.0);
    let mut text = format!("<text x=\"{MARGIN}\" y=\"14\" font-weight=\"bold\">{name}</text>");
    for (value, label) in [(times.0, short(times.0)), (times.1, short(times.1))] {
        text += &format!("<text x=\"2\" y=\"{:.1}\" fill=\"#555\">{label}</text>", y(value) + 3.0);
    }
    for (value, anchor) in [(rows.0, "start"), (rows.1, "end")] {
        let at = HEIGHT - MARGIN + 14.0;
        text += &format!(
            "<text x=\"{:.1}\" y=\"{at}\" text-anchor=\"{anchor}\" fill=\"#555\">{value} rows</text>",
            x(value)
        );
    }
    for (arm, own) in grid.arms.iter().enumerate() {
        let colour = COLOURS[arm % COLOURS.len()];
        let mut line = String::new();
        for (call, times) in measured.iter().filter(|(_, times)| times[arm].is_finite()) {
            let at = x(call.rows as f64);
            text += &format!("<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"2.2\" fill=\"{colour}\"/>", y(times[arm]));
            let predicted = ours.predicted(call).into_iter().find(|(name, _)| *name == own.name);
            line += &predicted.map_or(String::new(), |(_, time)| format!("{at:.1},{:.1} ", y(time)));
        }
        text += &format!("<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"/>", line.trim_end());
    }
    text
}

/// Nanoseconds in a few letters.
pub(super) fn short(time: f64) -> String {
    match time {
        time if time < 1e3 => format!("{time:.0} ns"),
        time if time < 1e6 => format!("{:.0} µs", time / 1e3),
        time => format!("{:.0} ms", time / 1e6),
    }
}
