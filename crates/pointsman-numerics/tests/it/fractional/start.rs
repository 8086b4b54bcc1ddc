//! The first point, where Riemann–Liouville derivatives are infinite unless the function is exactly 0.

use crate::session;
use pointsman_numerics::Array;
use pointsman_numerics::fractional::{Derivative, Integral, Past};

#[test]
fn the_derivative_of_an_integral_is_the_function() {
    let s = session();
    // By a sum, and by transforms, whose rounding errors must not reach the first point.
    for size in [50, 5000] {
        let step = 1.0 / size as f64;
        let x = Array::<f64>::range(&s, 0.0, size as f64, 1.0).unwrap().map(|n| (n * step).sin() + 2.0).unwrap();
        for order in [0.5, 1.5] {
            let integral = Integral::riemann_liouville(order).of(&x, 0, step).unwrap();
            assert_eq!(integral.to_vec().unwrap()[0], 0.0);
            let back = Derivative::riemann_liouville(order).of(&integral, 0, step).unwrap();
            let late = |array: &Array<f64>| array.slice(0, size / 2.., 1).unwrap();
            let error = (&late(&back) - &late(&x)).unwrap().abs().unwrap().max().unwrap();
            assert!(error < 0.03, "{error} for {size} points and order {order}");
            if order < 1.0 {
                assert_eq!(back.to_vec().unwrap()[0], 0.0);
            }
        }
    }
}

#[test]
fn a_jump_at_the_first_point_is_infinite_for_riemann_and_liouville_only() {
    let s = session();
    for (size, sign) in [(1, 1.0), (3, -1.0), (3000, 2.0)] {
        let x = Array::full(&s, &[size], sign).unwrap();
        let first = |derivative: Derivative| derivative.of(&x, 0, 0.01).unwrap().to_vec().unwrap()[0];
        assert_eq!(first(Derivative::riemann_liouville(0.5)), sign * f64::INFINITY);
        assert_eq!(first(Derivative::marchaud(0.5, Past::Zero)), sign * f64::INFINITY);
        assert!((first(Derivative::grunwald_letnikov(0.5)) - 10.0 * sign).abs() < 1e-9);
        assert!(first(Derivative::caputo(0.5)).abs() < 1e-12);
        assert!(first(Derivative::marchaud(0.5, Past::Constant)).abs() < 1e-12);
    }
    let zeros = Array::<f32>::zeros(&s, &[5000]).unwrap();
    assert_eq!(Derivative::riemann_liouville(0.5).of(&zeros, 0, 0.01).unwrap().to_vec().unwrap(), [0.0; 5000]);
}

/// Two terms are infinite there: that of the value outweighs that of the slope.
#[test]
fn the_value_at_the_first_point_decides_for_orders_above_one() {
    let s = session();
    for sign in [1.0, -1.0] {
        let x = Array::<f64>::range(&s, 0.0, 100.0, 1.0).unwrap().map(|n| (n * 0.01).exp() * sign).unwrap();
        let found = Derivative::riemann_liouville(1.5).of(&x, 0, 0.01).unwrap().to_vec().unwrap();
        assert_eq!(found[0], -sign * f64::INFINITY);
        assert!(found[1..].iter().all(|value| value.is_finite()));
    }
}
