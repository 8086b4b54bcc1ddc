//! The picture of crossovers: the predicted and measured times of a kernel on each device over its rows, as SVG. It shows
//! what the selector knows now and never changes it.

use super::Selector;
use super::features::{BUCKETS, Size};
use super::kernel_stats::KernelStats;
use super::model::nanoseconds;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
/// Where the axes begin and end: room is left for what stands beside them.
const LEFT: f64 = 80.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = HEIGHT - 50.0;
/// A picture shows calls of up to this many rows, or as many as were measured.
const ROWS_SHOWN: u64 = 100_000_000;

/// Colours that are told apart by people who do not see all, on white and on black.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c6bb1", "#7f7f7f"];

const STYLE: &str = "<style>svg{color:#222;background:#fff;font:12px sans-serif}\
    text{fill:currentColor}.axis{stroke:currentColor;stroke-opacity:.15}\
    @media(prefers-color-scheme:dark){svg{color:#ddd;background:#161616}}</style>";

/// Points of a device, in decades: rows and nanoseconds as logarithms to base 10.
struct Series<'a> {
    device: &'a str,
    predicted: Vec<(f64, f64)>,
    measured: Vec<(f64, f64)>,
}

/// An axis: the decades at its ends, and their places in the picture.
struct Axis {
    decades: (f64, f64),
    places: (f64, f64),
}

impl Axis {
    /// An axis that shows these numbers.
    fn over(numbers: impl Iterator<Item = f64>, start: f64, end: f64) -> Axis {
        let (low, high) = numbers.fold((f64::MAX, f64::MIN), |(low, high), one| (low.min(one), high.max(one)));
        Axis { decades: (low.floor(), high.ceil().max(low.floor() + 1.0)), places: (start, end) }
    }

    /// The place of a number.
    fn at(&self, number: f64) -> f64 {
        let part = (number - self.decades.0) / (self.decades.1 - self.decades.0);
        self.places.0 + part * (self.places.1 - self.places.0)
    }

    /// Every whole decade and its place.
    fn marks(&self) -> impl Iterator<Item = (i32, f64)> {
        (self.decades.0 as i32..=self.decades.1 as i32).map(|decade| (decade, self.at(f64::from(decade))))
    }
}

impl Selector {
    /// A picture of a kernel's predicted time on each device over its rows (lines), and of what was measured (points), both
    /// axes logarithmic, as a self-contained SVG. The input lies as in `like`, whose rows do not matter.
    pub fn crossovers_svg(&self, kernel: &KernelStats, like: Size) -> String {
        let series = self.series(kernel, like);
        let points = || series.iter().flat_map(|one| one.predicted.iter().chain(&one.measured));
        let x_axis = Axis::over(points().map(|point| point.0), LEFT, RIGHT);
        let y_axis = Axis::over(points().map(|point| point.1), BOTTOM, TOP);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">{STYLE}\n\
             <text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{}</text>\n",
            escaped(&kernel.workload().name)
        );
        svg += &text(f64::midpoint(LEFT, RIGHT), HEIGHT - 10.0, "middle", "rows");
        for (decade, x) in x_axis.marks() {
            svg += &format!("<path class=\"axis\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>\n");
            let label = format!("10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan>");
            svg += &text(x, BOTTOM + 18.0, "middle", &label);
        }
        for (decade, y) in y_axis.marks() {
            svg += &format!("<path class=\"axis\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\n");
            svg += &text(LEFT - 8.0, y + 4.0, "end", &nanoseconds(10f64.powi(decade)));
        }
        for (number, (Series { device, predicted, measured }, colour)) in series.iter().zip(COLOURS).enumerate() {
            let place = |&(x, y): &(f64, f64)| (x_axis.at(x), y_axis.at(y));
            let line: String = predicted.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1} ")).collect();
            svg += &format!("<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n");
            let legend = (LEFT + 14.0, TOP + 12.0 + 18.0 * number as f64);
            for (x, y) in measured.iter().map(place).chain([legend]) {
                svg += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>\n");
            }
            let note = if measured.is_empty() { " (never measured)" } else { "" };
            svg += &text(legend.0 + 12.0, legend.1 + 4.0, "start", &format!("{}{note}", escaped(device)));
        }
        svg + "</svg>\n"
    }

    fn series(&self, kernel: &KernelStats, like: Size) -> Vec<Series<'_>> {
        let cells = self.0.learned_cells(kernel, |_| true);
        let rows_max = cells.iter().map(|cell| cell.rows).fold(ROWS_SHOWN, u64::max);
        let rows = (0..BUCKETS).map(|bucket| (bucket as f64 / 2.0).exp2().ceil() as u64);
        let rows: Vec<u64> = rows.filter(|rows| *rows <= rows_max).collect();
        let point = |rows: u64, time: f64| ((rows.max(1) as f64).log10(), time.clamp(1.0, 1e18).log10());
        let (state, shared) = (kernel.state.lock(), self.0.shared.lock());
        let series = |arm: usize| {
            let time = |rows: u64| state.estimate(kernel, &shared, arm, Size { rows, ..like }).time;
            let measured = cells.iter().filter(|cell| cell.arm == arm && cell.class == like.class(arm));
            Series {
                device: &self.0.names[arm],
                predicted: rows.iter().map(|&rows| point(rows, time(rows))).collect(),
                measured: measured.map(|cell| point(cell.rows, cell.nanoseconds)).collect(),
            }
        };
        kernel.devices().arms().map(series).collect()
    }
}

fn text(x: f64, y: f64, anchor: &str, content: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::used;
    use super::*;

    #[test]
    fn a_picture_has_a_line_for_each_device_and_a_point_for_each_measured_size() {
        let (selector, kernel) = used();
        let svg = selector.crossovers_svg(&kernel, Size::host(0));
        assert_eq!(svg.matches("<polyline").count(), 2);
        let learned = selector.learned();
        let points = learned.kernels[&3].cells.len();
        assert_eq!(svg.matches("<circle").count(), points + 2, "a point each, and two in the legend");
        assert!(svg.contains("card &lt;&amp;&quot;0&quot;&gt;") && svg.contains("sum &quot;x&quot;"), "{svg}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("prefers-color-scheme:dark") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        // Every element that is opened is closed.
        for tag in ["text", "tspan", "style", "svg"] {
            assert_eq!(svg.matches(&format!("<{tag}")).count(), svg.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        let resident = selector.crossovers_svg(&kernel, Size::resident(0));
        assert_eq!(resident.matches("(never measured)").count(), 2, "{resident}");
    }
}
