//! Observed orders of convergence, printed as a table.

use super::super::session;
use super::problems::{diethelm, relaxation, smooth};
use pointsman_numerics::ode::{Problem, Solver};

/// The errors of a solver with more and more steps have this order, within 0.1, at the finest pair of step lengths.
#[track_caller]
fn check(name: &str, expected: f64, steps: usize, error: impl Fn(usize) -> f64) {
    let errors: Vec<f64> = (0..4).map(|k| error(steps << k)).collect();
    let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
    let last = orders[orders.len() - 1];
    eprintln!("{name:48} theory {expected:.2}  observed {orders:.2?}  last error {:.1e}", errors[3]);
    assert!((last - expected).abs() < 0.1, "{name}: order {last:.3} instead of {expected:.2}");
}

/// The error at the end of [0, 1].
fn last_error(solver: &Solver, (problem, exact): (Problem<'_>, impl Fn(f64) -> f64), steps: usize) -> f64 {
    let solution = solver.uniform(&session(), &problem, 0.0..1.0, steps).unwrap();
    (solution.last()[0] - exact(1.0)).abs()
}

#[test]
fn predictor_corrector_has_order_1_plus_alpha_up_to_2() {
    for order in [0.3, 0.5, 0.7, 0.9, 1.0, 1.25, 1.5, 1.75] {
        let name = format!("PECE, one correction, α = {order}");
        check(&name, f64::min(2.0, 1.0 + order), 2000, |n| last_error(&Solver::pece(1), smooth(order), n));
    }
}

#[test]
fn further_corrections_add_alpha() {
    for (order, corrections, expected) in [(0.3, 2, 1.6), (0.3, 12, 2.0), (0.4, 2, 1.8), (0.5, 2, 2.0), (0.5, 0, 1.0)] {
        let name = format!("PECE, {corrections} corrections, α = {order}");
        check(&name, expected, 1000, |n| last_error(&Solver::pece(corrections), smooth(order), n));
    }
}

#[test]
fn the_trapezoidal_rule_has_order_2() {
    for order in [0.3, 0.5, 0.8, 1.0, 1.25, 1.75] {
        let name = format!("trapezoidal rule, α = {order}");
        check(&name, 2.0, 200, |n| last_error(&Solver::trapezoidal(), smooth(order), n));
        let name = format!("trapezoidal rule, Diethelm's problem, α = {order}");
        check(&name, 2.0, 400, |n| last_error(&Solver::trapezoidal(), diethelm(order), n));
    }
}

#[test]
fn a_solution_that_is_not_smooth_at_the_start_lowers_the_order() {
    // The error at a fixed time is O(h^(1+α)), that near the start O(h^2α).
    let at_first_step = |order: f64, steps: usize| {
        let (problem, exact) = relaxation(order, 1.0);
        let solution = Solver::trapezoidal().uniform(&session(), &problem, 0.0..1.0, steps).unwrap();
        (solution.state(1).unwrap()[0] - exact(1.0 / steps as f64)).abs()
    };
    for order in [0.3, 0.5, 0.7] {
        check(&format!("first step of a relaxation, α = {order}"), 2.0 * order, 1 << 14, |n| at_first_step(order, n));
        let name = format!("end of a relaxation, α = {order}");
        check(&name, 1.0 + order, 1000, |n| last_error(&Solver::trapezoidal(), relaxation(order, 1.0), n));
        let name = format!("end of a relaxation, PECE, α = {order}");
        check(&name, 1.0 + order, 8000, |n| last_error(&Solver::pece(1), relaxation(order, 1.0), n));
    }
}

#[test]
fn between_the_steps_the_solution_has_the_order_of_the_method() {
    let worst = |(problem, exact): (Problem<'_>, Box<dyn Fn(f64) -> f64>), steps: usize| {
        let solution = Solver::trapezoidal().uniform(&session(), &problem, 0.0..1.0, steps).unwrap();
        let times = (0..10 * steps).map(|k| (k as f64 + 0.37) / (10 * steps) as f64);
        times.map(|t| (solution.at(t).unwrap()[0] - exact(t)).abs()).fold(0.0, f64::max)
    };
    for order in [0.5, 0.8, 1.5] {
        let (problem, exact) = smooth(order);
        let name = format!("dense output, α = {order}");
        check(&name, 2.0, 100, |n| worst((smooth(order).0, Box::new(smooth(order).1)), n));
        let solution = Solver::trapezoidal().uniform(&session(), &problem, 0.0..1.0, 50).unwrap();
        assert_eq!(solution.at(1.0).unwrap(), solution.last());
        assert!((solution.at(0.5).unwrap()[0] - exact(0.5)).abs() < 1e-3);
    }
    for order in [0.3, 0.6] {
        let name = format!("dense output of a relaxation, α = {order}");
        check(&name, 2.0 * order, 1000, |n| worst((relaxation(order, 1.0).0, Box::new(relaxation(order, 1.0).1)), n));
    }
}
