//! Ensembles against single solutions of each trajectory.

use super::super::session;
use super::difference;
use super::problems::relaxation;
use pointsman::{CancellationToken, Session};
use pointsman_numerics::Array;
use pointsman_numerics::ode::{Ensemble, OdeError, Problem, Solver};
use std::time::Duration;

/// Initial values and parameters of some trajectories, a row each.
fn numbers(session: &Session, rows: usize, columns: usize, from: f64) -> (Array<f64>, Vec<Vec<f64>>) {
    let rows_of: Vec<Vec<f64>> = (0..rows)
        .map(|row| (0..columns).map(|column| from + ((row * 7 + column * 3) % 11) as f64 / 10.0).collect())
        .collect();
    (Array::from_vec(session, rows_of.concat(), &[rows, columns]).unwrap(), rows_of)
}

#[test]
fn trajectories_equal_single_solutions_at_every_number_of_steps() {
    let s = session();
    for steps in [1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 255, 257, 1100] {
        let (initial, starts) = numbers(&s, 5, 1, 0.5);
        let (rates, parameters) = numbers(&s, 5, 2, 1.0);
        let ensemble = Ensemble::new([0.7]).corrections(2);
        let solution = ensemble
            .solve(&initial, &rates, 1.0..4.0, steps, |t, [y], [a, b]| [b * (t * 2.0).cos() - a * y.sin()])
            .unwrap();
        let states = solution.component(0).unwrap().to_vec().unwrap();
        assert_eq!((solution.component(0).unwrap().shape(), solution.times().len()), (&[5, steps + 1][..], steps + 1));
        for row in 0..5 {
            let [a, b] = [parameters[row][0], parameters[row][1]];
            let problem =
                Problem::new(&[0.7], &starts[row], |t, y, rate| rate[0] = b * (t * 2.0).cos() - a * y[0].sin());
            let single = Solver::pece(2).uniform(&s, &problem, 1.0..4.0, steps).unwrap();
            let worst = difference(&states[row * (steps + 1)..][..steps + 1], single.states());
            assert!(worst < 1e-11, "{steps} steps, trajectory {row}: {worst:e}");
            assert!(solution.times().iter().copied().eq(single.times()));
        }
    }
}

#[test]
fn systems_with_orders_and_slopes_of_their_own() {
    let s = session();
    let (initial, starts) = numbers(&s, 3, 2, 1.0);
    let (slopes, velocities) = numbers(&s, 3, 2, -0.5);
    let none = Array::zeros(&s, &[3, 0]).unwrap();
    let ensemble = Ensemble::new([0.8, 1.6]).slopes(&slopes);
    let rate = |_, [x, y]: [pointsman::F64; 2], []: [pointsman::F64; 0]| [x * (1.0 - y), y * (x - 1.0)];
    let solution = ensemble.solve(&initial, &none, 0.0..5.0, 1300, rate).unwrap();
    let last = ensemble.solve_last(&initial, &none, 0.0..5.0, 1300, rate).unwrap();
    assert_eq!(last.times(), [5.0]);
    for row in 0..3 {
        let problem = Problem::new(&[0.8, 1.6], &starts[row], |_, y, rate| {
            rate[0] = y[0] * (1.0 - y[1]);
            rate[1] = y[1] * (y[0] - 1.0);
        });
        let single = Solver::pece(1).uniform(&s, &problem.slopes(&velocities[row]), 0.0..5.0, 1300).unwrap();
        for equation in 0..2 {
            let component = solution.component(equation).unwrap().index_axis(0, row).unwrap().to_vec().unwrap();
            let expected: Vec<f64> = single.states().iter().skip(equation).step_by(2).copied().collect();
            let worst = difference(&component, &expected);
            assert!(worst < 1e-9, "trajectory {row}, equation {equation}: {worst:e}");
            let end = last.component(equation).unwrap().index_axis(0, row).unwrap().to_vec().unwrap();
            assert_eq!(end, component[1300..]);
        }
    }
    assert!(solution.component(2).is_err());
}

#[test]
fn many_trajectories_follow_mittag_leffler() {
    let s = session();
    let rates = Array::range(&s, 0.0, 3.0, 0.001).unwrap().reshape(&[3000, 1]).unwrap();
    let initial = Array::ones(&s, &[3000, 1]).unwrap();
    let solution = Ensemble::new([0.6])
        .corrections(3)
        .solve_last(&initial, &rates, 0.0..1.0, 500, |_, [y], [k]| [-k * y])
        .unwrap();
    let states = solution.component(0).unwrap().to_vec().unwrap();
    for (row, state) in states.iter().enumerate().step_by(97) {
        let (_, exact) = relaxation(0.6, row as f64 * 0.001);
        assert!((state - exact(1.0)).abs() < 1e-4, "trajectory {row}: {state}");
    }
}

#[test]
fn a_trajectory_that_is_not_finite_leaves_the_others_alone() {
    let s = session();
    let initial = Array::from_vec(&s, vec![1.0, 50.0, 1.0, f64::NAN], &[4, 1]).unwrap();
    let none = Array::zeros(&s, &[4, 0]).unwrap();
    let rate = |_, [y]: [pointsman::F64; 1], []: [pointsman::F64; 0]| [y * y - y * y * y * y * 0.5];
    let solution = Ensemble::new([0.9]).solve(&initial, &none, 0.0..3.0, 1200, rate).unwrap();
    let states = solution.component(0).unwrap();
    let row = |row: usize| states.index_axis(0, row).unwrap().to_vec().unwrap();
    assert!(row(0).iter().all(|y| y.is_finite()) && !row(1)[1200].is_finite() && row(3)[1].is_nan());
    assert_eq!(row(0), row(2));
}

#[test]
fn mistakes_say_what_is_allowed() {
    let s = session();
    let zeros = |rows, columns| Array::zeros(&s, &[rows, columns]).unwrap();
    let rate = |_, [y]: [pointsman::F64; 1], [k]: [pointsman::F64; 1]| [y * k];
    let solve = |ensemble: Ensemble<1>, initial: Array<f64>, parameters: Array<f64>, steps| {
        ensemble.solve(&initial, &parameters, 0.0..1.0, steps, rate).unwrap_err()
    };
    let one = || Ensemble::new([0.5]);
    let cases = [
        (solve(Ensemble::new([2.0]), zeros(3, 1), zeros(3, 1), 9), "equation 0 has the order 2"),
        (
            solve(one(), zeros(3, 2), zeros(3, 1), 9),
            "the initial values must have the shape [3, 1], a row per trajectory, but have [3, 2]",
        ),
        (solve(one(), zeros(3, 1), zeros(2, 1), 9), "the parameters must have the shape [3, 1]"),
        (solve(one(), zeros(3, 1).reshape(&[3]).unwrap(), zeros(3, 1), 9), "but have [3]"),
        (
            solve(one().slopes(&zeros(3, 2)), zeros(3, 1), zeros(3, 1), 9),
            "the initial slopes must have the shape [3, 1]",
        ),
        (solve(one(), zeros(3, 1), zeros(3, 1), 0), "0 steps"),
        (solve(one().corrections(33), zeros(3, 1), zeros(3, 1), 9), "the number of corrections"),
        (solve(one().deadline(Duration::ZERO), zeros(3, 1), zeros(3, 1), 9), "the deadline passed"),
    ];
    for (number, (error, expected)) in cases.into_iter().enumerate() {
        assert!(error.to_string().contains(expected), "{number}: {error}");
    }
    let token = CancellationToken::new();
    token.cancel();
    let error = solve(one().cancelled_by(&token), zeros(3, 1), zeros(3, 1), 9);
    assert!(matches!(error, OdeError::Cancelled { .. }), "{error}");
    // The token is cancelled while a block is built: the next one does not run.
    let (token, built) = (CancellationToken::new(), std::cell::Cell::new(0));
    let stopped =
        one().corrections(0).cancelled_by(&token).solve(&zeros(3, 1), &zeros(3, 1), 0.0..1.0, 800, |_, [y], [k]| {
            built.set(built.get() + 1);
            if built.get() == 100 {
                token.cancel();
            }
            [y * k]
        });
    assert!(matches!(stopped, Err(OdeError::Cancelled { t }) if t > 0.1 && t < 0.15), "{stopped:?}");
    assert!(built.get() < 110, "{built:?}");
    let none = one().solve(&zeros(0, 1), &zeros(0, 1), 0.0..1.0, 9, rate).unwrap();
    assert_eq!(none.component(0).unwrap().shape(), [0, 10]);
}
