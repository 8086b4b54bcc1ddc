//! The picture of crossovers: the predicted and measured times of a kernel on each device over its rows, as SVG. All
//! pictures have the same axes, so that they can be compared. What the selector knows never changes here.

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
/// The decades that the axes show: 1 to 10^9 rows, and 100 ns to 100 s. What lies beyond them is drawn at their ends.
const ROW_DECADES: i32 = 9;
const TIME_DECADES: [i32; 2] = [2, 11];

/// Colours that are told apart by people who do not see all, on white and on black.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c6bb1", "#7f7f7f"];

const STYLE: &str = "<style>svg{color:#222;background:#fff;font:12px sans-serif}\
    text{fill:currentColor}.axis{stroke:currentColor;stroke-opacity:.15}\
    @media(prefers-color-scheme:dark){svg{color:#ddd;background:#161616}}</style>";

impl Selector {
    /// A picture of a kernel's predicted time on each device over its rows (lines), and of what was measured (points),
    /// both axes logarithmic, as a self-contained SVG. The input lies as in `like`, whose rows do not matter.
    pub fn crossovers_svg(&self, kernel: &KernelStats, like: Size) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">{STYLE}\n\
             <text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{}</text>\n",
            escaped(&kernel.workload().name)
        );
        svg += &axes();
        let cells = self.learned().kernels.remove(&kernel.workload().key).unwrap_or_default().cells;
        let (state, shared) = (kernel.state.lock(), self.0.shared.lock());
        for (number, (arm, colour)) in kernel.devices().arms().zip(COLOURS).enumerate() {
            let rows = (0..BUCKETS).map(|bucket| (bucket as f64 / 2.0).exp2().ceil() as u64);
            let rows = rows.filter(|rows| *rows <= 10u64.pow(ROW_DECADES as u32));
            let predicted = |rows: u64| state.estimate(kernel, &shared, arm, Size { rows, ..like }).time;
            let line: Vec<String> =
                rows.map(|rows| format!("{:.1},{:.1}", across(rows), height(predicted(rows)))).collect();
            let line = line.join(" ");
            svg += &format!("<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n");
            let place = |size: &Size| (size.class(arm), size.working_set, size.output);
            let is_alike = |size: &Size| place(size) == place(&like);
            let measured: Vec<_> = cells.iter().filter(|cell| cell.arm == arm && is_alike(&cell.size())).collect();
            let legend = (LEFT + 14.0, TOP + 12.0 + 18.0 * number as f64);
            let points = measured.iter().map(|cell| (across(cell.rows), height(cell.nanoseconds)));
            for (x, y) in points.chain([legend]) {
                svg += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>\n");
            }
            let note = if measured.is_empty() { " (never measured)" } else { "" };
            let device = escaped(&self.names()[arm]);
            svg += &text(legend.0 + 12.0, legend.1 + 4.0, "start", &format!("{device}{note}"));
        }
        svg + "</svg>\n"
    }
}

/// The place of a number of rows.
fn across(rows: u64) -> f64 {
    LEFT + ((rows.max(1) as f64).log10() / f64::from(ROW_DECADES)).min(1.0) * (RIGHT - LEFT)
}

/// The place of a time in nanoseconds.
fn height(time: f64) -> f64 {
    let [low, high] = TIME_DECADES.map(f64::from);
    BOTTOM + (time.log10().clamp(low, high) - low) / (high - low) * (TOP - BOTTOM)
}

/// A line for each decade, with what it stands for.
fn axes() -> String {
    let mut svg = text(f64::midpoint(LEFT, RIGHT), HEIGHT - 10.0, "middle", "rows");
    for decade in 0..=ROW_DECADES {
        let x = across(10u64.pow(decade as u32));
        svg += &format!("<path class=\"axis\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>\n");
        let label = format!("10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan>");
        svg += &text(x, BOTTOM + 18.0, "middle", &label);
    }
    for time in (TIME_DECADES[0]..=TIME_DECADES[1]).map(|decade| 10f64.powi(decade)) {
        let y = height(time);
        svg += &format!("<path class=\"axis\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\n");
        svg += &text(LEFT - 8.0, y + 4.0, "end", &nanoseconds(time));
    }
    svg
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
