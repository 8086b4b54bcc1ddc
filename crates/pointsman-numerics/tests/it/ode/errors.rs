//! Mistakes and failures are errors that say what is allowed, and where the solution ended.

use super::super::session;
use pointsman::CancellationToken;
use pointsman_numerics::ode::{OdeError, Problem, Solver, Tolerance};
use std::time::Duration;

fn decay(_: f64, y: &[f64], rate: &mut [f64]) {
    rate[0] = -y[0];
}

#[test]
fn mistakes_say_what_is_allowed() {
    let s = session();
    let solve = |problem: &Problem<'_>| Solver::pece(1).uniform(&s, problem, 0.0..1.0, 10).unwrap_err();
    let one = || Problem::new(&[0.5], &[1.0], decay);
    let spanned = |span, steps| Solver::pece(1).uniform(&s, &one(), span, steps).unwrap_err();
    let tolerance =
        |absolute, relative| Solver::pece(1).adaptive(&one(), 0.0..1.0, Tolerance { absolute, relative }).unwrap_err();
    let compressed = |tolerance| Solver::pece(1).compressed(&one(), 0.0..1.0, 10, tolerance).unwrap_err();
    let cases = [
        (solve(&Problem::new(&[0.0], &[1.0], decay)), "equation 0 has the order 0: orders are greater than 0 and less"),
        (solve(&Problem::new(&[0.5, 2.0], &[1.0; 2], decay)), "equation 1 has the order 2"),
        (solve(&Problem::new(&[f64::NAN], &[1.0], decay)), "equation 0 has the order NaN"),
        (solve(&Problem::new(&[], &[], decay)), "the number of equations must be at least 1, but is 0"),
        (solve(&Problem::new(&[0.5], &[], decay)), "the initial values must have 1 numbers, but there are 0"),
        (solve(&Problem::new(&[0.5], &[f64::INFINITY], decay)), "number 0 of the initial values is NaN or infinite"),
        (solve(&one().slopes(&[1.0, 2.0])), "the initial slopes must have 1 numbers, but there are 2"),
        (
            spanned(1.0..1.0, 10),
            "the span from 1 to 1: both must be finite, and the end at least 1e-250 after the start",
        ),
        (spanned(0.0..f64::NAN, 10), "the span from 0 to NaN"),
        (spanned(0.0..5e-324, 2), "at least 1e-250 after the start"),
        (spanned(-f64::MAX..f64::MAX, 10), "both must be finite"),
        (spanned(0.0..1.0, 0), "0 steps: take at least 1"),
        (spanned(0.0..1.0, usize::MAX), "steps: take at least 1 and at most 268435456"),
        (
            Solver::pece(1001).uniform(&s, &one(), 0.0..1.0, 1).unwrap_err(),
            "the number of corrections must be at most 1000",
        ),
        (Solver::pece(1).keep_every(0).uniform(&s, &one(), 0.0..1.0, 1).unwrap_err(), "kept states must be at least 1"),
        (tolerance(0.0, 0.0), "the sum of the tolerances must be greater than 0"),
        (tolerance(1e-3, -1.0), "the relative tolerance must be"),
        (tolerance(f64::NAN, 1e-3), "the absolute tolerance must be"),
        (
            Solver::pece(1).step_max(0.0).adaptive(&one(), 0.0..1.0, Tolerance::new(0.1)).unwrap_err(),
            "the longest step must be",
        ),
        (compressed(1e-15), "the tolerance of the kernel must be at least 1e-14 and at most 0.1"),
        (compressed(f64::NAN), "the tolerance of the kernel must be"),
        (Solver::pece(1).compressed(&one(), 0.0..1.0, 0, 1e-6).unwrap_err(), "0 steps"),
    ];
    for (number, (error, expected)) in cases.into_iter().enumerate() {
        assert!(error.to_string().contains(expected), "{number}: {error}");
    }
    let solution = Solver::pece(1).uniform(&s, &one(), 0.0..1.0, 10).unwrap();
    for t in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(solution.at(t), Err(OdeError::Outside { .. })));
    }
    assert!(solution.state(11).is_none());
}

#[test]
fn right_hand_sides_that_are_not_finite_say_when() {
    let s = session();
    let blow_up = Problem::new(&[0.9], &[1.0], |t, y, rate| rate[0] = if t > 0.5 { f64::NAN } else { y[0] });
    let error = Solver::pece(1).uniform(&s, &blow_up, 0.0..1.0, 100).unwrap_err();
    assert!(matches!(error, OdeError::Diverged { t, equation: 0 } if (t - 0.51).abs() < 1e-9), "{error}");
    let at_start = Problem::new(&[0.9, 0.9], &[1.0, 0.0], |_, y, rate| rate.copy_from_slice(&[y[1], 1.0 / y[1]]));
    let error = Solver::trapezoidal().uniform(&s, &at_start, 2.0..3.0, 100).unwrap_err();
    assert!(matches!(error, OdeError::Diverged { t: 2.0, equation: 1 }), "{error}");
    let unwritten = Problem::new(&[0.9], &[1.0], |_, _, _| {});
    assert!(matches!(Solver::pece(1).uniform(&s, &unwritten, 0.0..1.0, 9), Err(OdeError::Diverged { t: 0.0, .. })));
    // y² grows beyond all numbers in finite time.
    let explosion = Problem::new(&[0.8], &[2.0], |_, y, rate| rate[0] = y[0] * y[0]);
    for error in [
        Solver::pece(1).uniform(&s, &explosion, 0.0..10.0, 1000).unwrap_err(),
        Solver::pece(1).adaptive(&explosion, 0.0..10.0, Tolerance::new(1e-4)).unwrap_err(),
    ] {
        let is_late = |t: f64| (0.1..2.0).contains(&t);
        assert!(
            matches!(error, OdeError::Diverged { t, .. } | OdeError::StepTooSmall { t, .. } if is_late(t)),
            "{error}"
        );
    }
    let pair = Problem::new(&[0.5, 1.5], &[1.0, 1.0], |t, _, rate| rate.copy_from_slice(&[0.0, (0.5 - t).sqrt()]));
    let error = Solver::pece(1).compressed(&pair, 0.0..1.0, 100, 1e-6).unwrap_err();
    assert!(matches!(error, OdeError::Diverged { equation: 1, .. }), "{error}");
}

#[test]
fn newton_that_does_not_converge_says_when() {
    // y = known + c/y has no real solution once y is small, as D^α y = −1/y falls to 0.
    let problem = Problem::new(&[0.9], &[1.0], |_, y, rate| rate[0] = -1.0 / y[0]);
    let error = Solver::trapezoidal().uniform(&session(), &problem, 0.0..5.0, 1000).unwrap_err();
    assert!(matches!(error, OdeError::NotConverged { t, .. } if t > 0.1 && t < 1.0), "{error}");
}

#[test]
fn solutions_stop_at_their_deadline_and_when_cancelled() {
    let s = session();
    let problem = Problem::new(&[0.5], &[1.0], decay);
    let late = Solver::pece(1).deadline(Duration::ZERO);
    let token = CancellationToken::new();
    let cancelled = Solver::trapezoidal().cancelled_by(&token);
    token.cancel();
    for (solver, is_late) in [(late, true), (cancelled, false)] {
        for error in [
            solver.uniform(&s, &problem, 3.0..4.0, 1000).unwrap_err(),
            solver.compressed(&problem, 3.0..4.0, 1000, 1e-6).unwrap_err(),
            solver.adaptive(&problem, 3.0..4.0, Tolerance::new(1e-6)).unwrap_err(),
        ] {
            let (timeout, cancel) =
                (matches!(error, OdeError::Timeout { t: 3.0 }), matches!(error, OdeError::Cancelled { t: 3.0 }));
            assert_eq!((timeout, cancel), (is_late, !is_late), "{error}");
        }
    }
}

#[test]
fn a_solution_cancelled_on_its_way_stops_within_a_block() {
    let token = CancellationToken::new();
    let problem = Problem::new(&[0.5], &[1.0], |t, y, rate| {
        if t >= 0.5 {
            token.cancel();
        }
        rate[0] = -y[0];
    });
    let error = Solver::pece(1).cancelled_by(&token).uniform(&session(), &problem, 0.0..1.0, 10_000).unwrap_err();
    assert!(matches!(error, OdeError::Cancelled { t } if (0.5..0.51).contains(&t)), "{error}");
}
