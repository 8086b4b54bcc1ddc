//! Uniform steps with the whole history: against plain sums at sizes around the blocks, and against closed forms.

use super::plain;
use super::problems::{lorenz, lotka_volterra, relaxation};
use super::{super::session, difference};
use pointsman_numerics::ode::{Problem, Solver};
use pointsman_numerics::special::mittag_leffler;

/// Around the lengths of blocks, and around the shortest block that is transformed.
const STEPS: [usize; 13] = [1, 2, 7, 63, 64, 65, 255, 256, 257, 1023, 1025, 4095, 4097];

/// Orders, initial values, right-hand side, end and number of steps.
type Case = (&'static [f64], &'static [f64], fn(f64, &[f64], &mut [f64]), f64, usize);

#[test]
fn block_sums_equal_plain_sums_at_every_size() {
    let s = session();
    let rate = |t: f64, y: &[f64], rate: &mut [f64]| rate[0] = (3.0 * t).cos() - y[0] * y[0].abs();
    for steps in STEPS {
        for (order, corrections) in [(0.4, Some(1)), (1.6, Some(2)), (0.9, None)] {
            let problem = Problem::new(&[order], &[0.5], rate).slopes(&[0.25]);
            let solver = corrections.map_or(Solver::trapezoidal(), Solver::pece);
            let solution = solver.uniform(&s, &problem, 0.0..3.0, steps).unwrap();
            let slope = if order > 1.0 { 0.25 } else { 0.0 };
            let expected = plain::solve(&[order], &[0.5], &[slope], &rate, (3.0, steps), corrections);
            assert_eq!(solution.len(), steps + 1);
            let worst = difference(solution.states(), &expected);
            // Fixed-point iterations of a single, long step do not converge.
            assert!(worst < 1e-11 || (steps < 7 && corrections.is_none()), "order {order}, {steps} steps: {worst:e}");
        }
    }
}

#[test]
fn systems_of_several_orders_equal_plain_sums() {
    let s = session();
    let cases: [Case; 3] = [
        (&[0.9, 0.9], &[2.0, 1.0], lotka_volterra, 20.0, 3000),
        (&[0.9, 0.7], &[2.0, 1.0], lotka_volterra, 20.0, 3000),
        (&[0.99, 0.99, 0.98], &[1.0, 1.0, 20.0], lorenz, 2.0, 2000),
    ];
    for (orders, initial, rate, end, steps) in cases {
        let problem = Problem::new(orders, initial, rate);
        let solution = Solver::pece(1).uniform(&s, &problem, 0.0..end, steps).unwrap();
        let slopes = vec![0.0; orders.len()];
        let expected = plain::solve(orders, initial, &slopes, &rate, (end, steps), Some(1));
        let worst = difference(solution.states(), &expected);
        assert!(worst < 1e-9, "orders {orders:?}: {worst:e}");
        assert_eq!((solution.equations(), solution.state(0)), (orders.len(), Some(initial)));
    }
}

#[test]
fn relaxation_and_oscillation_follow_mittag_leffler() {
    let s = session();
    for (order, lambda, end, bar) in
        [(0.5, 1.0, 2.0, 3e-6), (0.9, 1.0, 5.0, 2e-7), (1.5, 4.0, 10.0, 5e-6), (1.9, 4.0, 10.0, 2e-5)]
    {
        let (problem, exact) = relaxation(order, lambda);
        for solver in [Solver::pece(3), Solver::trapezoidal()] {
            let solution = solver.uniform(&s, &problem, 0.0..end, 10_000).unwrap();
            let last = solution.last()[0];
            assert!((last - exact(end)).abs() < bar, "order {order}: {last} instead of {}", exact(end));
        }
    }
}

#[test]
fn order_one_is_the_exponential_function() {
    let (problem, _) = relaxation(1.0, 1.0);
    let solution = Solver::trapezoidal().uniform(&session(), &problem, 0.0..3.0, 1000).unwrap();
    // The trapezoidal rule of ordinary equations multiplies by the same number in each step.
    let factor = (1.0 - 0.0015) / (1.0 + 0.0015f64);
    let expected: Vec<f64> = (0..=1000).map(|n| factor.powi(n)).collect();
    assert!(difference(solution.states(), &expected) < 1e-13);
    assert!((solution.last()[0] - (-3.0f64).exp()).abs() < 1e-6);
}

#[test]
fn slopes_start_orders_above_one() {
    // D^α y = −y with y(0) = 0, y′(0) = 2: y = 2t·E_{α,2}(−t^α).
    let problem = Problem::new(&[1.5], &[0.0], |_, y, rate| rate[0] = -y[0]).slopes(&[2.0]);
    let solution = Solver::pece(1).uniform(&session(), &problem, 0.0..4.0, 4000).unwrap();
    let exact = 8.0 * mittag_leffler(1.5, 2.0, -8.0).unwrap();
    assert!((solution.last()[0] - exact).abs() < 1e-5, "{} instead of {exact}", solution.last()[0]);
}

#[test]
fn the_implicit_rule_takes_long_steps_in_stiff_problems() {
    let s = session();
    let (problem, exact) = relaxation(0.8, 1e4);
    let solution = Solver::trapezoidal().uniform(&s, &problem, 0.0..1.0, 2000).unwrap();
    let error = (solution.last()[0] / exact(1.0) - 1.0).abs();
    assert!(error < 2e-3, "{error:e}");
    // The explicit method grows without limit there.
    let explicit = Solver::pece(1).uniform(&s, &problem, 0.0..1.0, 2000);
    assert!(explicit.is_err() || explicit.unwrap().last()[0].abs() > 1e3);
}

#[test]
fn newton_is_damped_where_full_corrections_would_jump_back_and_forth() {
    // Far from 0 the right-hand side is almost constant, so that a full correction jumps to the other side.
    let problem = Problem::new(&[0.9], &[5.0], |_, y, rate| rate[0] = -1e3 * (1e3 * y[0]).atan());
    let solution = Solver::trapezoidal().uniform(&session(), &problem, 0.0..1.0, 10).unwrap();
    assert!(solution.states()[1..].iter().all(|y| y.abs() < 5.0), "{:?}", solution.states());
}

#[test]
fn a_given_jacobian_and_differences_have_the_same_solution() {
    let s = session();
    let rate = |_: f64, y: &[f64], rate: &mut [f64]| {
        rate[0] = -1e3 * (y[0] - y[1] * y[1]);
        rate[1] = y[0] - 2.0 * y[1];
    };
    let differences = Problem::new(&[0.7, 0.9], &[2.0, 1.0], rate);
    let given = Problem::new(&[0.7, 0.9], &[2.0, 1.0], rate).jacobian(|_, y, jacobian| {
        jacobian.copy_from_slice(&[-1e3, 2e3 * y[1], 1.0, -2.0]);
    });
    let solve = |problem| Solver::trapezoidal().uniform(&s, problem, 0.0..5.0, 500).unwrap();
    assert!(difference(solve(&differences).states(), solve(&given).states()) < 1e-11);
}

#[test]
fn a_hundred_thousand_steps_and_every_thousandth_state() {
    let (problem, exact) = relaxation(0.7, 1.0);
    let solution = Solver::pece(2).keep_every(1000).uniform(&session(), &problem, 0.0..10.0, 100_001).unwrap();
    assert_eq!((solution.len(), solution.times().last()), (102, Some(10.0)));
    assert!((solution.last()[0] - exact(10.0)).abs() < 1e-8);
    assert!(solution.receipt().is_some(), "long blocks are queries");
}
