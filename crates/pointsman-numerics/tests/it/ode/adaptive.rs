//! Compressed histories and adaptive steps: within their tolerances of full histories and of closed forms.

use super::problems::{lotka_volterra, relaxation};
use super::{super::session, difference};
use pointsman_numerics::ode::{OdeError, Problem, Solver, Tolerance};

#[test]
fn compressed_histories_are_within_the_tolerance_of_full_ones() {
    let s = session();
    for order in [0.1, 0.5, 0.8, 1.0] {
        let problem = Problem::new(&[order], &[1.0], |t, y, rate| rate[0] = t.cos() - y[0]);
        for steps in [1, 2, 7, 64, 1000] {
            let full = Solver::trapezoidal().uniform(&s, &problem, 0.0..10.0, steps).unwrap();
            for tolerance in [1e-2, 1e-5, 1e-8, 1e-12] {
                let short = Solver::trapezoidal().compressed(&problem, 0.0..10.0, steps, tolerance).unwrap();
                // ∫|f| is at most a few units here, and the equation damps errors.
                let worst = difference(short.states(), full.states());
                assert!(worst <= 2.0 * tolerance + 1e-13, "α = {order}, {steps} steps, {tolerance:e}: {worst:e}");
            }
        }
    }
}

#[test]
fn compressed_histories_have_the_order_of_full_ones() {
    let (problem, exact) = super::problems::smooth(0.5);
    let error =
        |steps| (Solver::pece(2).compressed(&problem, 0.0..1.0, steps, 1e-13).unwrap().last()[0] - exact(1.0)).abs();
    let order = (error(400) / error(800)).log2();
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

#[test]
fn orders_above_one_are_pairs() {
    let (problem, exact) = relaxation(1.6, 4.0);
    for solver in [Solver::pece(2), Solver::trapezoidal()] {
        let solution = solver.compressed(&problem, 0.0..10.0, 20_000, 1e-12).unwrap();
        assert!((solution.last()[0] - exact(10.0)).abs() < 1e-6);
        assert_eq!(solution.equations(), 1);
    }
    // Newton's method needs the Jacobian of the pair there.
    let (stiff, _) = relaxation(1.5, 1e6);
    let solution = Solver::trapezoidal().compressed(&stiff, 0.0..1.0, 200, 1e-9).unwrap();
    assert!(solution.states().iter().all(|y| y.abs() < 1.5), "{:?}", solution.states());
}

#[test]
fn adaptive_solutions_reach_their_tolerance() {
    for order in [0.2, 0.4, 0.6, 0.8, 0.95, 1.0, 1.3, 1.7] {
        let (problem, exact) = relaxation(order, 1.0);
        for tolerance in [1e-2, 1e-4, 1e-6] {
            for (name, solver) in
                [("PECE", Solver::pece(1)), ("P(EC)³E", Solver::pece(3)), ("trapezoidal", Solver::trapezoidal())]
            {
                let solution = solver.adaptive(&problem, 0.0..10.0, Tolerance::new(tolerance)).unwrap();
                let nodes = solution.times().zip(solution.states()).map(|(t, y)| (y - exact(t)).abs());
                let worst = nodes.fold(0.0, f64::max);
                let times = (1..500).map(|k| 10.0 * (f64::from(k) / 500.0).powi(4));
                let between = times.map(|t| (solution.at(t).unwrap()[0] - exact(t)).abs()).fold(0.0, f64::max);
                eprintln!(
                    "{name:12} α = {order:<4} {tolerance:.0e}: {:6} steps, error/tolerance {:.2} at and {:.2} between steps",
                    solution.len() - 1,
                    worst / tolerance,
                    between / tolerance
                );
                assert!(worst <= tolerance && between <= 1.5 * tolerance, "{name}, α = {order}, {tolerance:e}");
            }
        }
    }
}

#[test]
fn adaptive_steps_follow_the_solution() {
    // A pulse at t = 50, which is shorter than the steps before it would be.
    let problem = Problem::new(&[0.8], &[0.0], |t, y, rate| rate[0] = 100.0 * (-4.0 * (t - 50.0).powi(2)).exp() - y[0]);
    let solution = Solver::pece(2)
        .step_max(2.0)
        .adaptive(&problem, 0.0..100.0, Tolerance { absolute: 1e-5, relative: 0.0 })
        .unwrap();
    let times: Vec<f64> = solution.times().collect();
    let step_near = |t: f64| {
        let after = times.partition_point(|&time| time < t);
        times[after] - times[after - 1]
    };
    assert!(step_near(50.0) < 0.1 * step_near(90.0), "{} and {}", step_near(50.0), step_near(90.0));
    let fine = Solver::trapezoidal().uniform(&session(), &problem, 0.0..100.0, 100_000).unwrap();
    assert!((solution.last()[0] - fine.last()[0]).abs() < 1e-4);
}

#[test]
fn adaptive_systems_equal_fine_uniform_ones() {
    let problem = Problem::new(&[0.9, 0.7], &[2.0, 1.0], lotka_volterra);
    let solution = Solver::pece(2).adaptive(&problem, 0.0..20.0, Tolerance::new(1e-6)).unwrap();
    let fine = Solver::pece(3).uniform(&session(), &problem, 0.0..20.0, 200_000).unwrap();
    let worst = difference(solution.last(), fine.last());
    assert!(worst < 1e-5, "{worst:e} after {} steps", solution.len() - 1);
}

#[test]
fn stiff_problems_take_few_implicit_steps() {
    let problem = Problem::new(&[0.5], &[1.0], |t, y, rate| rate[0] = -1e4 * (y[0] - t.cos()));
    let solution = Solver::trapezoidal().adaptive(&problem, 0.0..10.0, Tolerance::new(1e-4)).unwrap();
    assert!(solution.len() < 2000, "{}", solution.len());
    // The solution is cos(t) but for a part of about 1e-4.
    assert!((solution.last()[0] - 10f64.cos()).abs() < 2e-4);
    let error = Solver::pece(1).steps_max(5000).adaptive(&problem, 0.0..10.0, Tolerance::new(1e-4)).unwrap_err();
    assert!(matches!(error, OdeError::TooManySteps { steps: 5000, .. }), "{error}");
}

#[test]
fn a_span_may_start_anywhere() {
    let (problem, exact) = relaxation(0.4, 1.0);
    let solution = Solver::pece(2).adaptive(&problem, 1e3..1e3 + 1.0, Tolerance::new(1e-5)).unwrap();
    assert!((solution.last()[0] - exact(1.0)).abs() < 1e-5);
    assert_eq!(solution.times().last(), Some(1001.0));
}
