//! Observed orders of convergence against closed forms, in a table that `cargo test orders -- --nocapture` prints.

use crate::session;
use pointsman_numerics::fractional::{Definition, Derivative, Domain, Grid, History, Integral, Past, Scheme};
use pointsman_numerics::special::{gamma, mittag_leffler, reciprocal_gamma};
use pointsman_numerics::{Array, Result};

/// An operator on a grid of this many steps.
type Apply = Box<dyn Fn(&Array<f64>, usize) -> Result<Array<f64>>>;

/// An operator on grids of [0, 1] or another interval, a function, and its exact result.
struct Study {
    name: &'static str,
    order: f64,
    /// The order of the error.
    theory: f64,
    /// The points of a grid of `n` steps, and the part of them, from the end, whose errors count.
    points: Box<dyn Fn(usize) -> Vec<f64>>,
    part: f64,
    apply: Apply,
    function: Box<dyn Fn(f64) -> f64>,
    exact: Box<dyn Fn(f64) -> f64>,
    /// The place of the result after a point, in steps.
    shift: f64,
}

impl Study {
    /// An operator on [0, 1] whose greatest error counts.
    fn new(
        name: &'static str,
        order: f64,
        theory: f64,
        apply: impl Fn(&Array<f64>, f64) -> Result<Array<f64>> + 'static,
        function: impl Fn(f64) -> f64 + 'static,
        exact: impl Fn(f64) -> f64 + 'static,
    ) -> Study {
        Study {
            name,
            order,
            theory,
            points: Box::new(|n| (0..=n).map(|j| j as f64 / n as f64).collect()),
            part: 1.0,
            apply: Box::new(move |x, n| apply(x, 1.0 / n as f64)),
            function: Box::new(function),
            exact: Box::new(exact),
            shift: 0.0,
        }
    }

    /// The same, with the errors of the second half alone: near 0, they are of another order.
    fn away_from_start(self) -> Study {
        Study { part: 0.5, ..self }
    }

    fn error(&self, n: usize) -> f64 {
        let s = session();
        let points = (self.points)(n);
        let x: Vec<f64> = points.iter().map(|&t| (self.function)(t)).collect();
        let found = (self.apply)(&Array::from_slice(&s, &x, &[n + 1]).unwrap(), n).unwrap().to_vec().unwrap();
        let first = ((1.0 - self.part) * n as f64).ceil() as usize;
        let error = |k: usize| {
            let place = points[k] + if k > 0 { self.shift / n as f64 } else { 0.0 };
            (found[k] - (self.exact)(place)).abs()
        };
        (first..=n).map(error).fold(0.0, f64::max)
    }
}

/// The derivative of order `a` of t^p.
fn of_power(p: f64, a: f64) -> impl Fn(f64) -> f64 {
    move |t: f64| gamma(p + 1.0) * reciprocal_gamma(p + 1.0 - a) * t.powf(p - a)
}

/// The Caputo derivative of e^t of an order `a` between m − 1 and m.
fn of_exponential(a: f64, m: i32) -> impl Fn(f64) -> f64 {
    move |t: f64| {
        let power = f64::from(m) - a;
        t.powf(power) * mittag_leffler(1.0, power + 1.0, t).unwrap()
    }
}

fn derivative(definition: Definition, order: f64) -> impl Fn(&Array<f64>, f64) -> Result<Array<f64>> {
    let derivative = Derivative::new(definition, order);
    move |x, step| derivative.of(x, 0, step)
}

fn integral(definition: Definition, order: f64) -> impl Fn(&Array<f64>, f64) -> Result<Array<f64>> {
    let integral = Integral::new(definition, order);
    move |x, step| integral.of(x, 0, step)
}

/// Γ-quotients of the Laplacian of (1 − t²)^(s + 4): a polynomial.
fn laplacian_of_bump(s: f64) -> impl Fn(f64) -> f64 {
    const M: i32 = 4;
    let root = std::f64::consts::PI.sqrt();
    let factor = 4f64.powf(s) * gamma(s + 0.5) * gamma(s + f64::from(M) + 1.0) / (root * gamma(f64::from(M) + 1.0));
    move |t: f64| {
        let (mut term, mut sum) = (1.0, 0.0);
        for i in 0..=M {
            sum += term;
            let i = f64::from(i);
            term *= (s + 0.5 + i) * (i - f64::from(M)) / ((0.5 + i) * (1.0 + i)) * t * t;
        }
        factor * sum
    }
}

fn sums_of_the_past() -> Vec<Study> {
    let gl = Definition::GrunwaldLetnikov;
    let rl = Definition::RiemannLiouville;
    let cubes = |t: f64| t.powi(3);
    let mut studies = Vec::new();
    for a in [0.3, 0.8, 1.5] {
        studies.push(Study::new("GL, t³", a, 1.0, derivative(gl, a), cubes, of_power(3.0, a)));
        studies.push(Study::new("GL integral, t³", a, 1.0, integral(gl, a), cubes, of_power(3.0, -a)));
        studies.push(Study::new("RL integral, t³", a, 2.0, integral(rl, a), cubes, of_power(3.0, -a)));
    }
    // A constant is no zero of these.
    let constant = |a: f64| move |t: f64| t.powf(-a) * reciprocal_gamma(1.0 - a);
    studies.push(Study::new("GL, 1", 0.5, 1.0, derivative(gl, 0.5), |_| 1.0, constant(0.5)).away_from_start());
    for a in [0.2, 0.5, 0.8] {
        let caputo = |scheme| derivative(Definition::Caputo(scheme), a);
        let exponential = |t: f64| t.exp();
        studies.push(Study::new("Caputo L1, t³", a, 2.0 - a, caputo(Scheme::L1), cubes, of_power(3.0, a)));
        studies.push(Study::new("Caputo L1, eᵗ", a, 2.0 - a, caputo(Scheme::L1), exponential, of_exponential(a, 1)));
        let exact = of_power(4.0, a);
        studies.push(Study::new("Caputo L1-2, t⁴", a, 3.0 - a, caputo(Scheme::L12), |t| t.powi(4), exact));
        studies.push(Study::new("Caputo L1-2, eᵗ", a, 3.0 - a, caputo(Scheme::L12), exponential, of_exponential(a, 1)));
        for (name, function, exact) in [
            (
                "Caputo L2-1σ, t⁴",
                Box::new(|t: f64| t.powi(4)) as Box<dyn Fn(f64) -> f64>,
                Box::new(of_power(4.0, a)) as _,
            ),
            ("Caputo L2-1σ, eᵗ", Box::new(exponential) as _, Box::new(of_exponential(a, 1)) as Box<dyn Fn(f64) -> f64>),
        ] {
            let study = Study::new(name, a, 3.0 - a, caputo(Scheme::L2Sigma), function, exact);
            studies.push(Study { shift: -a / 2.0, ..study });
        }
        let exact = move |t: f64| of_exponential(a, 1)(t) + t.powf(-a) * reciprocal_gamma(1.0 - a);
        studies.push(Study::new("RL, eᵗ", a, 2.0 - a, derivative(rl, a), exponential, exact).away_from_start());
        let marchaud = |past| derivative(Definition::Marchaud(past), a);
        studies.push(
            Study::new("Marchaud zero, eᵗ", a, 2.0 - a, marchaud(Past::Zero), exponential, exact).away_from_start(),
        );
        let exact = of_exponential(a, 1);
        studies.push(Study::new("Marchaud const, eᵗ", a, 2.0 - a, marchaud(Past::Constant), exponential, exact));
    }
    for a in [1.2, 1.5, 1.8] {
        let by_differences = derivative(Definition::Caputo(Scheme::SecondDifferences), a);
        studies
            .push(Study::new("Caputo, eᵗ", a, 2.0, by_differences, f64::exp, of_exponential(a, 2)).away_from_start());
        let initial =
            move |t: f64| t.powf(-a) * reciprocal_gamma(1.0 - a) + t.powf(1.0 - a) * reciprocal_gamma(2.0 - a);
        let exact = move |t: f64| of_exponential(a, 2)(t) + initial(t);
        studies.push(Study::new("RL, eᵗ", a, 2.0, derivative(rl, a), f64::exp, exact).away_from_start());
    }
    studies
}

fn other_kernels() -> Vec<Study> {
    let (cf, ab) = (Definition::CaputoFabrizio, Definition::AtanganaBaleanu);
    let mut studies = Vec::new();
    for a in [0.3, 0.7] {
        let rate = a / (1.0 - a);
        let exact = move |t: f64| 2.0 / (1.0 - a) * (t / rate + (-rate * t).exp_m1() / (rate * rate));
        studies.push(Study::new("CF, t²", a, 2.0, derivative(cf, a), |t| t * t, exact));
        let exact = move |t: f64| (1.0 - a) * t * t + a * t.powi(3) / 3.0;
        studies.push(Study::new("CF integral, t²", a, 2.0, integral(cf, a), |t| t * t, exact));
        let exact = move |t: f64| 6.0 / (1.0 - a) * t.powi(3) * mittag_leffler(a, 4.0, -rate * t.powf(a)).unwrap();
        studies.push(Study::new("AB, t³", a, 2.0, derivative(ab, a), |t| t.powi(3), exact));
        let exact = move |t: f64| (1.0 - a) * t.powi(3) + a * of_power(3.0, -a)(t);
        studies.push(Study::new("AB integral, t³", a, 2.0, integral(ab, a), |t| t.powi(3), exact));
        let exact = move |t: f64| {
            let right = |w: f64| of_power(0.0, -a)(w) - 2.0 * of_power(1.0, -a)(w) + of_power(2.0, -a)(w);
            (of_power(2.0, -a)(t) + right(1.0 - t)) / (2.0 * (a * std::f64::consts::FRAC_PI_2).cos())
        };
        let potential = integral(Definition::Riesz(Domain::Interval), a);
        studies.push(Study::new("Riesz potential, t²", a, 2.0, potential, |t| t * t, exact));
    }
    for a in [0.5, 1.4] {
        let bump = move |t: f64| (1.0 - t * t).max(0.0).powf(0.5 * a + 4.0);
        let riesz = Derivative::riesz(a, Domain::Interval);
        let exact = laplacian_of_bump(0.5 * a);
        studies.push(Study {
            points: Box::new(|n| (0..=n).map(|j| 2.0 * j as f64 / n as f64 - 1.0).collect()),
            apply: Box::new(move |x, n| riesz.of(x, 0, 2.0 / n as f64)),
            ..Study::new("Riesz, (1−t²)^(4+α/2)", a, 2.0, derivative(cf, a), bump, move |t| -exact(t))
        });
    }
    // On [1, e], with powers of the logarithm.
    for a in [0.4, 0.8] {
        let on_logarithms = |name, theory, apply: Apply, order: f64| {
            let exact = of_power(3.0, order);
            Study {
                points: Box::new(|n| (0..=n).map(|j| (j as f64 / n as f64).exp()).collect()),
                apply,
                ..Study::new(name, a, theory, derivative(cf, a), |t: f64| t.ln().powi(3), move |t: f64| exact(t.ln()))
            }
        };
        let ratio = |n: usize| Grid::Logarithmic { ratio: (1.0 / n as f64).exp() };
        let (derivative, integral) = (Derivative::hadamard(a), Integral::hadamard(a));
        studies.push(on_logarithms("Hadamard, ln³t", 2.0 - a, Box::new(move |x, n| derivative.of(x, 0, ratio(n))), a));
        studies.push(on_logarithms("Hadamard int., ln³t", 2.0, Box::new(move |x, n| integral.of(x, 0, ratio(n))), -a));
    }
    studies
}

fn graded_grids() -> Vec<Study> {
    let mut studies = Vec::new();
    for a in [0.3, 0.6] {
        let exponent = (2.0 - a) / a;
        let grid = Grid::Graded { end: 1.0, exponent };
        for (name, history) in
            [("L1 graded, tᵅ", History::Full), ("L1 graded SOE, tᵅ", History::Exponentials { tolerance: 1e-12 })]
        {
            let caputo = Derivative::caputo(a).history(history);
            let study = Study::new(name, a, 2.0 - a, derivative(Definition::CaputoFabrizio, a), move |t| t.powf(a), {
                let exact = gamma(1.0 + a);
                move |_| exact
            });
            studies.push(Study {
                points: Box::new(move |n| grid.points(n + 1)),
                apply: Box::new(move |x, _| caputo.of(x, 0, grid)),
                ..study.away_from_start()
            });
        }
    }
    // With equal steps, the kink at 0 is seen everywhere.
    let uniform = derivative(Definition::Caputo(Scheme::L1), 0.3);
    studies.push(Study::new("L1 uniform, tᵅ", 0.3, 1.3, uniform, |t| t.powf(0.3), |_| gamma(1.3)).away_from_start());
    studies
}

#[test]
fn orders_of_convergence() {
    let studies = [sums_of_the_past(), other_kernels(), graded_grids()].into_iter().flatten();
    eprintln!("| operator, function | α | error, 256 | 512 | 1024 | observed order | theory |");
    eprintln!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut wrong = Vec::new();
    for study in studies {
        let errors = [256, 512, 1024].map(|n| study.error(n));
        let observed = (errors[1] / errors[2]).log2();
        let row = format!(
            "| {} | {} | {:.2e} | {:.2e} | {:.2e} | {observed:.2} | {:.2} |",
            study.name, study.order, errors[0], errors[1], errors[2], study.theory
        );
        eprintln!("{row}");
        if (observed - study.theory).abs() > 0.1 || observed.is_nan() {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "orders differ by more than 0.1:\n{}", wrong.join("\n"));
}
