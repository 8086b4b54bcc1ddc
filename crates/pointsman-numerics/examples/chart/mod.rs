//! [`Chart`]: draws lines over common axes as an SVG file. Numbers go in, a file comes out; numbers that are not finite
//! are left out, and text is escaped.

use std::fmt::Write as _;
use std::path::Path;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 500.0;
/// The margins: left, top, right, bottom.
const MARGINS: [f64; 4] = [70.0, 50.0, 160.0, 60.0];
const COLOURS: [&str; 6] = ["#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#7b4fa3", "#4a4a4a"];
/// About this many labelled places on an axis.
const TICKS: f64 = 6.0;

/// Lines over common axes.
pub(crate) struct Chart {
    title: String,
    labels: [String; 2],
    lines: Vec<(String, Vec<[f64; 2]>)>,
}

/// The numbers of an axis and their places in the picture.
struct Axis {
    low: f64,
    high: f64,
    places: [f64; 2],
}

impl Axis {
    fn new(numbers: impl Iterator<Item = f64>, places: [f64; 2]) -> Axis {
        let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // An axis of one number still has a length.
        let around = if high > low { 0.0 } else { 0.5 * low.abs().max(1.0) };
        Axis { low: low - around, high: high + around, places }
    }

    fn place(&self, number: f64) -> f64 {
        let [from, to] = self.places;
        from + (number - self.low) / (self.high - self.low) * (to - from)
    }

    /// Round numbers on the axis: 1, 2 or 5 times a power of ten apart.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let raw = (self.high - self.low) / TICKS;
        let power = 10f64.powf(raw.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= raw).unwrap_or(raw);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(move |k| k as f64 * step)
    }
}

impl Chart {
    /// A chart without lines.
    pub(crate) fn new(title: &str, x_label: &str, y_label: &str) -> Chart {
        Chart { title: title.to_string(), labels: [x_label.to_string(), y_label.to_string()], lines: Vec::new() }
    }

    /// Adds a line.
    pub(crate) fn line(mut self, name: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Chart {
        let finite = points.into_iter().filter(|point| point.iter().all(|number| number.is_finite()));
        self.lines.push((name.to_string(), finite.collect()));
        self
    }

    /// Writes the chart into a file.
    pub(crate) fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut svg = String::new();
        // Writing into a string never fails.
        let _ = self.draw(&mut svg);
        std::fs::write(path, svg)
    }

    fn draw(&self, svg: &mut String) -> std::fmt::Result {
        let [left, top, right, bottom] = MARGINS;
        let numbers = |axis: usize| self.lines.iter().flat_map(move |(_, points)| points.iter().map(move |p| p[axis]));
        let x = Axis::new(numbers(0), [left, WIDTH - right]);
        let y = Axis::new(numbers(1), [HEIGHT - bottom, top]);
        writeln!(
            svg,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="14">"#
        )?;
        writeln!(svg, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)?;
        text(svg, [left + 12.0, top - 20.0], "start", &self.title)?;
        text(svg, [0.5 * (left + WIDTH - right), HEIGHT - 15.0], "middle", &self.labels[0])?;
        text(svg, [left, top - 12.0], "end", &self.labels[1])?;
        for number in x.ticks() {
            let at = x.place(number);
            rule(svg, [at, top], [at, HEIGHT - bottom])?;
            text(svg, [at, HEIGHT - bottom + 18.0], "middle", &label(number))?;
        }
        for number in y.ticks() {
            let at = y.place(number);
            rule(svg, [left, at], [WIDTH - right, at])?;
            text(svg, [left - 6.0, at + 5.0], "end", &label(number))?;
        }
        for (number, ((name, points), colour)) in self.lines.iter().zip(COLOURS.iter().cycle()).enumerate() {
            write!(svg, r#"<polyline fill="none" stroke="{colour}" stroke-width="1.8" points=""#)?;
            for [px, py] in points {
                write!(svg, "{:.2},{:.2} ", x.place(*px), y.place(*py))?;
            }
            writeln!(svg, r#""/>"#)?;
            let at = top + 14.0 + 22.0 * number as f64;
            let start = WIDTH - right + 12.0;
            writeln!(svg, r#"<path d="M{start} {at}h22" stroke="{colour}" stroke-width="3"/>"#)?;
            text(svg, [start + 28.0, at + 5.0], "start", name)?;
        }
        writeln!(svg, "</svg>")
    }
}

fn rule(svg: &mut String, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) -> std::fmt::Result {
    writeln!(svg, r##"<path d="M{x:.2} {y:.2}L{to_x:.2} {to_y:.2}" stroke="#dddddd"/>"##)
}

fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, text: &str) -> std::fmt::Result {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    writeln!(svg, r#"<text x="{x:.2}" y="{y:.2}" text-anchor="{anchor}">{text}</text>"#)
}

/// A number with as few digits as it needs.
fn label(number: f64) -> String {
    let rounded = format!("{number:.6}");
    let short = rounded.trim_end_matches('0').trim_end_matches('.');
    if number != 0.0 && (number.abs() >= 1e6 || number.abs() < 1e-5) {
        format!("{number:.1e}")
    } else {
        short.to_string()
    }
}
