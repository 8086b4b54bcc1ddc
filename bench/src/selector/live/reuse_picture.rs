//! A picture of the reuse curves: the total time against the number of uses, with the optimum and the host alone.

use super::reuse::ReuseCurve;
use crate::selector::picture::short;

/// The size of a panel, and its margin.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 44.0;
const COLUMNS: usize = 2;
/// The height of the legend.
const LEGEND: f64 = 30.0;
/// The most points of a line.
const POINTS: usize = 200;
const LINES: [(&str, &str); 3] =
    [("the session", "#1b6ca8"), ("the optimum", "#3a9d5d"), ("the host alone", "#d1495b")];

/// The picture of these curves, one panel each.
pub fn svg(curves: &[ReuseCurve]) -> String {
    let (width, rows) = (COLUMNS as f64 * WIDTH, curves.len().div_ceil(COLUMNS));
    let height = rows as f64 * HEIGHT + LEGEND;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (number, (name, colour)) in LINES.iter().enumerate() {
        let x = 12.0 + 140.0 * number as f64;
        text += &format!(
            "<circle cx=\"{x}\" cy=\"15\" r=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"19\">{name}</text>\n",
            x + 8.0
        );
    }
    for (number, curve) in curves.iter().enumerate() {
        let (left, top) = ((number % COLUMNS) as f64 * WIDTH, LEGEND + (number / COLUMNS) as f64 * HEIGHT);
        text += &format!("<g transform=\"translate({left} {top})\">{}</g>\n", panel(curve));
    }
    text + "</svg>\n"
}

/// One curve; both axes are linear.
fn panel(curve: &ReuseCurve) -> String {
    let uses = curve.totals.len();
    let highest = curve.totals.last().copied().unwrap_or(1.0).max(curve.optimum(uses)) * 1.05;
    let x = |count: usize| MARGIN + count as f64 / uses.max(1) as f64 * (WIDTH - MARGIN - 10.0);
    let y = |total: f64| HEIGHT - MARGIN - (total / highest).min(1.0) * (HEIGHT - MARGIN - 24.0);
    let counts: Vec<usize> =
        (1..=uses).filter(|count| count % uses.div_ceil(POINTS).max(1) == 0 || *count == 1).collect();
    let line = |total: &dyn Fn(usize) -> f64, colour: &str| {
        let shown = counts.iter().filter(|&&count| total(count) <= highest);
        let points: Vec<String> = shown.map(|&count| format!("{:.1},{:.1}", x(count), y(total(count)))).collect();
        format!("<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"/>", points.join(" "))
    };
    let title: String = curve.description.chars().take(64).collect();
    let mut text = format!("<text x=\"{MARGIN}\" y=\"14\" font-weight=\"bold\">{}</text>", escape(&title));
    text += &format!("<text x=\"2\" y=\"{:.1}\" fill=\"#555\">{}</text>", y(highest) + 3.0, short(highest));
    let below = HEIGHT - MARGIN + 14.0;
    text += &format!("<text x=\"{:.1}\" y=\"{below}\" text-anchor=\"end\" fill=\"#555\">{uses} uses</text>", x(uses));
    let (left, bottom) = (x(0), y(0.0));
    text += &format!("<path d=\"M{left} 24V{bottom}H{:.1}\" fill=\"none\" stroke=\"#999\"/>", x(uses));
    let copy = x(curve.uses_before_copy);
    if curve.uses_before_copy < uses {
        text += &format!(
            "<path d=\"M{copy:.1} {bottom}v-8\" stroke=\"#555\"/><text x=\"{copy:.1}\" y=\"{below}\">copy</text>"
        );
    }
    text += &line(&|count| curve.on_host(count), LINES[2].1);
    text += &line(&|count| curve.optimum(count), LINES[1].1);
    text + &line(&|count| curve.totals[count - 1], LINES[0].1)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
