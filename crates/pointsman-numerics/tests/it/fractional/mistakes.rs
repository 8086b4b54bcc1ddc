//! Mistakes are typed errors that say what is allowed; what is at the edge of a domain is not one.

use crate::session;
use pointsman_numerics::fractional::{
    Definition, Derivative, Domain, ExponentialSum, Grid, History, Integral, Past, Scheme,
};
use pointsman_numerics::{Array, Error};

/// All definitions with the orders that their derivatives and integrals take, and orders just outside.
fn domains() -> Vec<(Definition, [&'static [f64]; 4])> {
    let unit: [&[f64]; 2] = [&[1e-3, 0.5, 0.999], &[0.0, 1.0, 1.5]];
    let any: [&[f64]; 2] = [&[0.0, 0.5, 1.0, 2.0, 30.0], &[30.1]];
    let positive: [&[f64]; 2] = [&[1e-3, 1.0, 2.5, 30.0], &[0.0, 30.1]];
    let two_units: [&[f64]; 2] = [&[0.5, 1.5], &[0.0, 1.0, 2.0, 2.5]];
    let all = |derivative: [&'static [f64]; 2], integral: [&'static [f64]; 2]| {
        [derivative[0], derivative[1], integral[0], integral[1]]
    };
    vec![
        (Definition::GrunwaldLetnikov, all(any, any)),
        (Definition::RiemannLiouville, all(two_units, positive)),
        (Definition::Caputo(Scheme::L1), all(unit, positive)),
        (Definition::Caputo(Scheme::L12), all(unit, positive)),
        (Definition::Caputo(Scheme::L2Sigma), all(unit, positive)),
        (Definition::Caputo(Scheme::SecondDifferences), all([&[1.001, 1.5], &[0.5, 1.0, 2.0]], positive)),
        (Definition::CaputoFabrizio, all(unit, unit)),
        (Definition::AtanganaBaleanu, all(unit, unit)),
        (Definition::Weyl, all(any, positive)),
        (Definition::Marchaud(Past::Zero), all(unit, positive)),
        (Definition::Hadamard, all(two_units, positive)),
        (Definition::Riesz(Domain::Interval), all([&[0.5, 1.0, 2.0], &[0.0, 2.1]], unit)),
        (Definition::Riesz(Domain::Periodic), all([&[0.5, 1.0, 2.0], &[0.0, 2.1]], unit)),
        (Definition::Laplacian, all(positive, positive)),
    ]
}

#[test]
fn orders_outside_the_domain_are_errors_that_say_the_domain() {
    let s = session();
    let x = Array::<f64>::range(&s, 0.0, 9.0, 1.0).unwrap();
    for (definition, [derivatives, no_derivatives, integrals, no_integrals]) in domains() {
        let grid: Grid = if definition == Definition::Hadamard { Grid::Logarithmic { ratio: 1.1 } } else { 0.1.into() };
        let derivative = |order: f64| Derivative::new(definition, order).of(&x, 0, grid);
        let integral = |order: f64| Integral::new(definition, order).of(&x, 0, grid);
        for &order in derivatives {
            assert!(derivative(order).is_ok(), "{definition:?} {order}: {}", derivative(order).unwrap_err());
        }
        for &order in integrals {
            assert!(integral(order).is_ok(), "{definition:?} {order}: {}", integral(order).unwrap_err());
        }
        let never = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1];
        let errors = no_derivatives.iter().chain(&never).map(|&order| derivative(order).unwrap_err());
        for error in errors.chain(no_integrals.iter().chain(&never).map(|&order| integral(order).unwrap_err())) {
            assert!(matches!(error, Error::Domain { argument: "order", .. }), "{definition:?}: {error}");
        }
    }
    let error = Derivative::caputo_fabrizio(1.0).of(&x, 0, 0.1).unwrap_err().to_string();
    assert_eq!(error, "the Caputo–Fabrizio derivative: the order must be greater than 0 and less than 1, but is 1");
}

#[test]
fn steps_and_grids_are_checked() {
    let s = session();
    let x = Array::<f64>::ones(&s, &[9]).unwrap();
    let caputo = Derivative::caputo(0.5);
    let errors = [
        (caputo.of(&x, 0, f64::NAN), "the step must be positive and finite, but is NaN"),
        (caputo.of(&x, 0, 0.0), "the step must be positive and finite, but is 0"),
        (caputo.of(&x, 0, -1.0), "the step must be positive and finite, but is -1"),
        (caputo.of(&x, 0, f64::INFINITY), "the step must be positive and finite, but is inf"),
        (caputo.of(&x, 1, 0.1), "there is no axis 1: the array has 1 axes"),
        (caputo.of(&x, 0, Grid::Logarithmic { ratio: 2.0 }), "takes a uniform grid, but got a logarithmic grid"),
        (Derivative::hadamard(0.5).of(&x, 0, 0.1), "takes a logarithmic grid, but got a uniform grid"),
        (
            Derivative::hadamard(0.5).of(&x, 0, Grid::Logarithmic { ratio: 1.0 }),
            "the ratio must be greater than 1 and finite, but is 1",
        ),
        (
            caputo.of(&x, 0, Grid::Graded { end: 1.0, exponent: 0.5 }),
            "the exponent of the grid must be at least 1 and at most 20, but is 0.5",
        ),
        (
            caputo.of(&x, 0, Grid::Graded { end: f64::NAN, exponent: 2.0 }),
            "the end of the grid must be positive and finite, but is NaN",
        ),
        (
            caputo.of(&x, 0, Grid::Graded { end: 1e-307, exponent: 20.0 }),
            "the end of the grid must be so large that the first step is a normal number, but is",
        ),
        (
            Derivative::grunwald_letnikov(0.5).of(&x, 0, Grid::Graded { end: 1.0, exponent: 2.0 }),
            "takes a uniform grid, but got a graded grid",
        ),
        (Derivative::weyl(0.5).of_planes(&x, [1.0, 1.0]), "takes an axis, but got planes"),
        (Derivative::laplacian(0.5).of_planes(&x, [1.0, 1.0]), "there is no axis 1: the array has 1 axes"),
        (
            Derivative::laplacian(0.5).of_planes(&x.insert_axis(0).unwrap(), [1.0, f64::NAN]),
            "the step must be positive and finite, but is NaN",
        ),
    ];
    for (found, expected) in errors {
        let error = found.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn axes_without_enough_points_are_errors() {
    let s = session();
    let zeros = |size: usize| Array::<f64>::zeros(&s, &[2, size]).unwrap();
    assert!(matches!(Derivative::caputo(0.5).of(&zeros(0), 1, 0.1), Err(Error::Empty { .. })));
    assert!(matches!(Integral::weyl(0.5).of(&zeros(0), 1, 0.1), Err(Error::Empty { .. })));
    let error = Derivative::caputo(1.5).of(&zeros(3), 1, 0.1).unwrap_err();
    assert!(matches!(error, Error::TooShort { size: 3, needed: 4, .. }), "{error}");
    let error = Derivative::new(Definition::Caputo(Scheme::L12), 0.5).of(&zeros(2), 1, 0.1).unwrap_err();
    assert!(error.to_string().contains("takes an axis of at least 3 points, but the axis has 2"), "{error}");
    let graded = Grid::Graded { end: 1.0, exponent: 2.0 };
    let error = Derivative::caputo(0.5).of(&zeros(4097), 1, graded).unwrap_err();
    assert!(error.to_string().contains("at most 4096 points, or a history of exponentials"), "{error}");
    let long = Derivative::caputo(0.5).history(History::Exponentials { tolerance: 1e-6 });
    assert_eq!(long.of(&zeros(4097), 1, graded).unwrap().shape(), [2, 4097]);
    // No lines are no mistake.
    let none = Array::<f32>::zeros(&s, &[0, 5]).unwrap();
    assert_eq!(Derivative::grunwald_letnikov(0.5).of(&none, 1, 0.1).unwrap().shape(), [0, 5]);
}

#[test]
fn parts_of_the_history_that_a_definition_cannot_use_are_errors() {
    let s = session();
    let x = Array::<f64>::ones(&s, &[9]).unwrap();
    let (window, exponentials) = (History::Window { steps: 3 }, History::Exponentials { tolerance: 1e-6 });
    let of = |derivative: Derivative, history: History| derivative.history(history).of(&x, 0, 0.1);
    for (derivative, history, expected) in [
        (Derivative::weyl(0.5), window, "takes its full history, but got a window"),
        (Derivative::riemann_liouville(0.5), window, "takes its full history, but got a window"),
        (Derivative::grunwald_letnikov(0.5), exponentials, "its full history, but got a history of exponentials"),
        (Derivative::riemann_liouville(1.5), exponentials, "its full history, but got a history of exponentials"),
        (Derivative::caputo(0.5), History::Window { steps: 0 }, "the number of steps of the window must be at least 1"),
        (
            Derivative::caputo(0.5),
            History::Exponentials { tolerance: 1e-14 },
            "the tolerance must be at least 1e-13 and at most 0.1, but is",
        ),
        (Derivative::caputo(0.5), History::Exponentials { tolerance: f64::NAN }, "at most 0.1, but is NaN"),
    ] {
        let error = of(derivative, history).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    for [exponent, tolerance, shortest, longest] in [
        [1.0, 1e-6, 1.0, 2.0],
        [0.5, 1.0, 1.0, 2.0],
        [0.5, 1e-6, 0.0, 2.0],
        [0.5, 1e-6, 2.0, 1.0],
        [0.5, 1e-6, 1.0, f64::NAN],
    ] {
        assert!(matches!(ExponentialSum::new(exponent, tolerance, shortest, longest), Err(Error::Domain { .. })));
    }
}

#[test]
fn a_line_with_nan_does_not_affect_others() {
    let s = session();
    let mut values = vec![1.0; 2 * 300];
    (values[17], values[299]) = (f64::NAN, f64::NAN);
    let x = Array::from_vec(&s, values, &[2, 300]).unwrap();
    for derivative in [Derivative::grunwald_letnikov(0.5), Derivative::caputo(0.5), Derivative::weyl(0.5)] {
        let found = derivative.of(&x, 1, 0.1).unwrap().to_vec().unwrap();
        assert!(found[..300].iter().any(|y| y.is_nan()) && found[300..].iter().all(|y| y.is_finite()));
    }
}

#[test]
fn axes_beyond_all_memory_are_errors() {
    let s = session();
    let x = Array::<f64>::ones(&s, &[1]).unwrap().broadcast_to(&[1 << 39]).unwrap();
    for found in [
        Derivative::grunwald_letnikov(0.5).of(&x, 0, 0.1),
        Derivative::weyl(0.5).of(&x, 0, 0.1),
        Derivative::caputo(0.5).history(History::Exponentials { tolerance: 1e-6 }).of(
            &x,
            0,
            Grid::Graded { end: 1.0, exponent: 2.0 },
        ),
        Derivative::laplacian(0.5).of_planes(&x.insert_axis(0).unwrap(), [1.0, 1.0]),
    ] {
        assert!(matches!(found, Err(Error::OutOfMemory { .. })), "{found:?}");
    }
}

#[test]
fn scales_and_exponents_beyond_the_numbers_are_errors() {
    let s = session();
    let zeros = Array::<f32>::zeros(&s, &[20]).unwrap();
    let error = Derivative::grunwald_letnikov(13.0).of(&zeros, 0, 1e-3).unwrap_err();
    assert!(matches!(error, Error::Domain { .. }) && error.to_string().contains("longer steps"), "{error}");
    assert!(matches!(ExponentialSum::new(1e-308, 1e-10, 1e-3, 1.0).unwrap_err(), Error::Domain { .. }));
    let window = Derivative::caputo(0.5).history(History::Window { steps: 3 });
    let error = window.of(&zeros, 0, Grid::Graded { end: 1.0, exponent: 3.0 }).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}
