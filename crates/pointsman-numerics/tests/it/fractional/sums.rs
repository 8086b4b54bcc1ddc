//! Every operator with equal steps against its reference, at sizes around the edges of blocks and transforms.

use super::references::{self, Reference};
use crate::random::Random;
use crate::session;
use pointsman_numerics::fractional::{Definition, Derivative, Domain, Grid, Integral, Past, Scheme};
use pointsman_numerics::{Array, Result};

const SIZES: [usize; 13] = [1, 2, 3, 4, 7, 63, 64, 65, 255, 256, 257, 4095, 4097];
const STEP: f64 = 0.05;

/// An operator, its reference, and the fewest points that it takes.
struct Case {
    name: String,
    apply: Box<dyn Fn(&Array<f64>, usize, f64) -> Result<Array<f64>>>,
    apply_f32: Box<dyn Fn(&Array<f32>, usize, f64) -> Result<Array<f32>>>,
    reference: Reference,
    order: f64,
    points_min: usize,
}

/// The grid on which a definition has equal steps of this size.
fn grid(definition: Definition, step: f64) -> Grid {
    if definition == Definition::Hadamard { Grid::Logarithmic { ratio: step.exp() } } else { step.into() }
}

fn derivative(definition: Definition, order: f64, points_min: usize, reference: Reference) -> Case {
    let name = format!("{definition:?} derivative of order {order}");
    let operator = Derivative::new(definition, order);
    let same = operator.clone();
    Case {
        name,
        apply: Box::new(move |x, axis, step| operator.of(x, axis, grid(definition, step))),
        apply_f32: Box::new(move |x, axis, step| same.of(x, axis, grid(definition, step))),
        reference,
        order,
        points_min,
    }
}

fn integral(definition: Definition, order: f64, reference: Reference) -> Case {
    let name = format!("{definition:?} integral of order {order}");
    let operator = Integral::new(definition, order);
    let same = operator.clone();
    Case {
        name,
        apply: Box::new(move |x, axis, step| operator.of(x, axis, grid(definition, step))),
        apply_f32: Box::new(move |x, axis, step| same.of(x, axis, grid(definition, step))),
        reference,
        order,
        points_min: 1,
    }
}

fn cases() -> Vec<Case> {
    vec![
        derivative(Definition::GrunwaldLetnikov, 0.0, 1, |x, _, _| x.to_vec()),
        derivative(Definition::GrunwaldLetnikov, 0.4, 1, references::grunwald_letnikov),
        derivative(Definition::GrunwaldLetnikov, 1.0, 1, references::grunwald_letnikov),
        derivative(Definition::GrunwaldLetnikov, 2.6, 1, references::grunwald_letnikov),
        integral(Definition::GrunwaldLetnikov, 0.4, references::grunwald_letnikov_integral),
        integral(Definition::GrunwaldLetnikov, 2.0, references::grunwald_letnikov_integral),
        derivative(Definition::Caputo(Scheme::L1), 0.7, 1, references::l1),
        derivative(Definition::Caputo(Scheme::L12), 0.3, 3, references::l12),
        derivative(Definition::Caputo(Scheme::L2Sigma), 0.6, 1, references::l2_sigma),
        derivative(Definition::Caputo(Scheme::SecondDifferences), 1.6, 4, references::second_differences),
        derivative(Definition::RiemannLiouville, 0.5, 1, references::riemann_liouville),
        derivative(Definition::Hadamard, 0.5, 1, references::riemann_liouville),
        derivative(Definition::Marchaud(Past::Zero), 0.4, 1, references::riemann_liouville),
        derivative(Definition::Marchaud(Past::Constant), 0.4, 1, references::l1),
        integral(Definition::RiemannLiouville, 0.5, references::trapezoids),
        integral(Definition::RiemannLiouville, 1.0, references::trapezoids),
        integral(Definition::Hadamard, 1.7, references::trapezoids),
        integral(Definition::Caputo(Scheme::L1), 0.2, references::trapezoids),
        derivative(Definition::CaputoFabrizio, 0.6, 1, references::caputo_fabrizio),
        integral(Definition::CaputoFabrizio, 0.6, references::caputo_fabrizio_integral),
        derivative(Definition::AtanganaBaleanu, 0.7, 1, references::atangana_baleanu),
        integral(Definition::AtanganaBaleanu, 0.7, references::atangana_baleanu_integral),
        derivative(Definition::Riesz(Domain::Interval), 1.3, 1, references::riesz),
        derivative(Definition::Riesz(Domain::Interval), 2.0, 1, references::riesz),
        integral(Definition::Riesz(Domain::Interval), 0.4, references::riesz_potential),
    ]
}

/// Asserts that numbers are equal, or differ by at most `tolerance`·√size times the greatest one.
fn assert_near(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let size = expected.len();
    assert_eq!(found.len(), size);
    let finite = expected.iter().filter(|y| y.is_finite());
    let scale = finite.fold(0.1, |max: f64, y| max.max(y.abs()));
    for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
        let is_near = (found - expected).abs() <= tolerance * (size as f64).sqrt() * scale || found == expected;
        assert!(is_near, "{name} of {} points at {n}: {found} for {expected}", size);
    }
}

#[test]
fn every_size_equals_the_sum() {
    let (s, mut random) = (session(), Random::new());
    for case in cases() {
        for size in SIZES {
            let x: Vec<f64> = random.model(&[size]).values;
            let found = (case.apply)(&Array::from_slice(&s, &x, &[size]).unwrap(), 0, STEP);
            if size < case.points_min {
                assert!(found.is_err(), "{} of {size} points", case.name);
                continue;
            }
            let found = found.unwrap().to_vec().unwrap();
            assert_near(&case.name, &found, &(case.reference)(&x, case.order, STEP), 2e-13);
        }
    }
}

#[test]
fn single_precision_is_as_near_as_it_can_be() {
    let (s, mut random) = (session(), Random::new());
    for case in cases() {
        for size in [7, 64, 257, 4097] {
            let x: Vec<f32> = random.model(&[size]).values.iter().map(|&x: &f64| x as f32).collect();
            let wide: Vec<f64> = x.iter().map(|&x| x.into()).collect();
            let found = (case.apply_f32)(&Array::from_slice(&s, &x, &[size]).unwrap(), 0, STEP).unwrap();
            let found: Vec<f64> = found.to_vec().unwrap().iter().map(|&y| y.into()).collect();
            assert_near(&case.name, &found, &(case.reference)(&wide, case.order, STEP), 1e-6);
        }
    }
}

#[test]
fn lines_along_any_axis_do_not_mix() {
    let (s, mut random) = (session(), Random::new());
    for (case, size) in cases().iter().flat_map(|case| [5, 300].map(|size| (case, size))) {
        let model = random.model(&[2, size, 3]);
        let x = model.permute(&[2, 0, 1]).array(&s).permute(&[1, 2, 0]).unwrap();
        let found = (case.apply)(&x, 1, STEP).unwrap();
        assert_eq!(found.shape(), [2, size, 3]);
        for (i, j) in (0..6).map(|line| (line / 3, line % 3)) {
            let line: Vec<f64> = (0..size).map(|n| model.at(&[i, n, j])).collect();
            let found = found.index_axis(2, j).unwrap().index_axis(0, i).unwrap().to_vec().unwrap();
            assert_near(&case.name, &found, &(case.reference)(&line, case.order, STEP), 2e-13);
        }
    }
}

#[test]
fn a_value_serves_other_steps_sizes_and_types() {
    let (s, mut random) = (session(), Random::new());
    for case in cases() {
        for (size, step) in [(100, 0.1), (100, 2.0), (31, 0.1), (100, 0.1)] {
            let x: Vec<f64> = random.model(&[size]).values;
            let found = (case.apply)(&Array::from_slice(&s, &x, &[size]).unwrap(), 0, step).unwrap();
            assert_near(&case.name, &found.to_vec().unwrap(), &(case.reference)(&x, case.order, step), 2e-13);
        }
    }
}
