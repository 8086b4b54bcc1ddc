//! The picture of crossovers: the predicted and measured times of a kernel on each device over its rows, as SVG.

use super::Selector;
use super::estimate::sample_size;
use super::features::{BUCKETS, Size};
use super::kernel_stats::KernelStats;
use super::model::nanoseconds;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
/// Room for what stands beside the axes.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

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

impl Selector {
    /// A picture of a kernel's predicted time on each device over its rows (lines), and of what was measured (points), both
    /// axes logarithmic, as a self-contained SVG. The input lies as in `like`, whose rows do not matter.
    pub fn crossovers_svg(&self, kernel: &KernelStats, like: Size) -> String {
        let series = self.series(kernel, like);
        let frame = Frame::around(series.iter().flat_map(|one| one.predicted.iter().chain(&one.measured)));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">{STYLE}\n\
             <text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{}</text>\n",
            escaped(&kernel.workload().name)
        );
        frame.axes(&mut svg);
        for (number, one) in series.iter().enumerate() {
            frame.draw(&mut svg, one, COLOURS[number % COLOURS.len()], number);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn series(&self, kernel: &KernelStats, like: Size) -> Vec<Series<'_>> {
        let (state, shared) = (kernel.state.lock(), self.0.shared.lock());
        let able = (0..self.0.names.len()).filter(|&arm| kernel.devices().has(arm));
        let mut all: Vec<Series<'_>> = Vec::new();
        for arm in able {
            let own = state.cells[arm]
                .iter()
                .filter(|((class, _), timings)| *class == like.class(arm) && !timings.is_empty());
            let measured = own.map(|((class, _), timings)| {
                let size = sample_size(*class, timings.rows);
                let model = state.model(kernel, &shared.profiles, arm, size).total();
                ((timings.rows.max(1) as f64).log10(), (model * timings.center().exp()).max(1.0).log10())
            });
            all.push(Series { device: &self.0.names[arm], predicted: Vec::new(), measured: measured.collect() });
        }
        let measured = all.iter().flat_map(|one| &one.measured).map(|point| point.0);
        // Two decades to each side of what was measured, or what is usual.
        let (low, high) = measured.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        let (low, high) = if low <= high { (low - 2.0, high + 2.0) } else { (2.0, 8.0) };
        for bucket in 0..BUCKETS {
            let rows = (bucket as f64 / 2.0 + 0.25).exp2();
            if !(low..=high).contains(&rows.log10()) {
                continue;
            }
            let size = Size { rows: rows as u64, ..like };
            for (series, one) in all.iter_mut().zip(state.estimates(kernel, &shared, size)) {
                series.predicted.push((rows.log10(), one.time.clamp(1.0, 1e18).log10()));
            }
        }
        all
    }
}

/// The part of the plane that is seen, in decades.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn around<'a>(points: impl Iterator<Item = &'a (f64, f64)>) -> Frame {
        let mut frame = Frame { x: (f64::MAX, f64::MIN), y: (f64::MAX, f64::MIN) };
        for &(x, y) in points {
            frame.x = (frame.x.0.min(x), frame.x.1.max(x));
            frame.y = (frame.y.0.min(y), frame.y.1.max(y));
        }
        let whole = |(low, high): (f64, f64)| (low.floor(), high.ceil().max(low.floor() + 1.0));
        Frame { x: whole(frame.x), y: whole(frame.y) }
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let part = |at: f64, (low, high): (f64, f64)| (at - low) / (high - low);
        let across = LEFT + part(x, self.x) * (WIDTH - LEFT - RIGHT);
        (across, HEIGHT - BOTTOM - part(y, self.y) * (HEIGHT - TOP - BOTTOM))
    }

    /// A line for each decade, with what it stands for.
    fn axes(&self, svg: &mut String) {
        for decade in self.x.0 as i32..=self.x.1 as i32 {
            let (x, bottom) = self.at((f64::from(decade), self.y.0));
            line(svg, (x, TOP), (x, bottom));
            text(svg, (x, bottom + 18.0), "middle", &format!("10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan>"));
        }
        for decade in self.y.0 as i32..=self.y.1 as i32 {
            let (left, y) = self.at((self.x.0, f64::from(decade)));
            line(svg, (left, y), (WIDTH - RIGHT, y));
            text(svg, (left - 8.0, y + 4.0), "end", &nanoseconds(10f64.powi(decade)));
        }
        text(svg, ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0), "middle", "rows");
    }

    fn draw(&self, svg: &mut String, series: &Series<'_>, colour: &str, number: usize) {
        let pair = |(x, y): (f64, f64)| format!("{x:.1},{y:.1}");
        let points: Vec<String> = series.predicted.iter().map(|&point| pair(self.at(point))).collect();
        // Writing to a string never fails.
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        for &point in &series.measured {
            let (x, y) = self.at(point);
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" fill-opacity=\".7\"/>");
        }
        let (x, y) = (LEFT + 14.0, TOP + 16.0 + 18.0 * number as f64);
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{:.1}\" r=\"5\" fill=\"{colour}\"/>", y - 4.0);
        let measured = if series.measured.is_empty() { " (never measured)" } else { "" };
        text(svg, (x + 12.0, y), "start", &format!("{}{measured}", escaped(series.device)));
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let ((a, b), (c, d)) = (from, to);
    let _ = writeln!(svg, "<line class=\"axis\" x1=\"{a:.1}\" y1=\"{b:.1}\" x2=\"{c:.1}\" y2=\"{d:.1}\"/>");
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, content: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>");
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
        let points = learned.kernels[0].cells.len();
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
