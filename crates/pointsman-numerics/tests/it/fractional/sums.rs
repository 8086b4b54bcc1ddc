//! Every operator with equal steps against its reference, at sizes around the edges of blocks and transforms.

use super::references::{self, Reference};
use crate::random::Random;
use crate::session;
use pointsman_numerics::fractional::{Definition, Derivative, Domain, Grid, Integral, Past, Scheme};
use pointsman_numerics::{Array, Real, Result};

const SIZES: [usize; 13] = [1, 2, 3, 4, 7, 63, 64, 65, 255, 256, 257, 4095, 4097];
const STEP: f64 = 0.05;

/// An operator, its reference, and the fewest points that it takes.
struct Case {
    definition: Definition,
    order: f64,
    operator: Operator,
    reference: Reference,
    points_min: usize,
}

enum Operator {
    Derivative(Derivative),
    Integral(Integral),
}

impl Case {
    fn of<R: Real>(&self, x: &Array<R>, axis: usize, step: f64) -> Result<Array<R>> {
        // A grid with equal steps of the variable.
        let is_logarithmic = self.definition == Definition::Hadamard;
        let grid: Grid = if is_logarithmic { Grid::Logarithmic { ratio: step.exp() } } else { step.into() };
        match &self.operator {
            Operator::Derivative(derivative) => derivative.of(x, axis, grid),
            Operator::Integral(integral) => integral.of(x, axis, grid),
        }
    }

    /// Asserts that the result for a line is its reference, or differs by at most `tolerance`·√size times the greatest
    /// number.
    fn check(&self, line: &[f64], step: f64, found: &[f64], tolerance: f64) {
        let expected = (self.reference)(line, self.order, step);
        let size = expected.len();
        assert_eq!(found.len(), size);
        let scale = expected.iter().filter(|y| y.is_finite()).fold(0.1, |max: f64, y| max.max(y.abs()));
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let is_near = (found - expected).abs() <= tolerance * (size as f64).sqrt() * scale || found == expected;
            let (definition, order) = (self.definition, self.order);
            assert!(is_near, "{definition:?} of order {order} of {size} points at {n}: {found} for {expected}");
        }
    }
}

fn derivative(definition: Definition, order: f64, points_min: usize, reference: Reference) -> Case {
    let operator = Operator::Derivative(Derivative::new(definition, order));
    Case { definition, order, operator, reference, points_min }
}

fn integral(definition: Definition, order: f64, reference: Reference) -> Case {
    let operator = Operator::Integral(Integral::new(definition, order));
    Case { definition, order, operator, reference, points_min: 1 }
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

#[test]
fn every_size_equals_the_sum() {
    let (s, mut random) = (session(), Random::new());
    for (case, size) in cases().iter().flat_map(|case| SIZES.map(|size| (case, size))) {
        let x: Vec<f64> = random.model(&[size]).values;
        let found = case.of(&Array::from_slice(&s, &x, &[size]).unwrap(), 0, STEP);
        if size < case.points_min {
            assert!(found.is_err(), "{:?} of {size} points", case.definition);
        } else {
            case.check(&x, STEP, &found.unwrap().to_vec().unwrap(), 2e-13);
        }
    }
}

#[test]
fn single_precision_is_as_near_as_it_can_be() {
    let (s, mut random) = (session(), Random::new());
    for (case, size) in cases().iter().flat_map(|case| [7, 64, 257, 4097].map(|size| (case, size))) {
        let x: Vec<f32> = random.model(&[size]).values.iter().map(|&x: &f64| x as f32).collect();
        let wide: Vec<f64> = x.iter().map(|&x| x.into()).collect();
        let found = case.of(&Array::from_slice(&s, &x, &[size]).unwrap(), 0, STEP).unwrap();
        let found: Vec<f64> = found.to_vec().unwrap().iter().map(|&y| y.into()).collect();
        case.check(&wide, STEP, &found, 1e-6);
    }
}

#[test]
fn lines_along_any_axis_do_not_mix() {
    let (s, mut random) = (session(), Random::new());
    for (case, size) in cases().iter().flat_map(|case| [5, 300].map(|size| (case, size))) {
        let model = random.model(&[2, size, 3]);
        let x = model.permute(&[2, 0, 1]).array(&s).permute(&[1, 2, 0]).unwrap();
        let found = case.of(&x, 1, STEP).unwrap();
        assert_eq!(found.shape(), [2, size, 3]);
        for (i, j) in (0..6).map(|line| (line / 3, line % 3)) {
            let line: Vec<f64> = (0..size).map(|n| model.at(&[i, n, j])).collect();
            let found = found.index_axis(2, j).unwrap().index_axis(0, i).unwrap().to_vec().unwrap();
            case.check(&line, STEP, &found, 2e-13);
        }
    }
}

#[test]
fn a_value_serves_other_steps_sizes_types_and_sessions() {
    let (sessions, mut random) = ([session(), session()], Random::new());
    for case in cases() {
        for (s, size, step) in [(0, 700, 0.1), (1, 700, 2.0), (0, 31, 0.1), (1, 700, 0.1)] {
            let s = &sessions[s];
            let x: Vec<f64> = random.model(&[size]).values;
            let found = case.of(&Array::from_slice(s, &x, &[size]).unwrap(), 0, step).unwrap();
            case.check(&x, step, &found.to_vec().unwrap(), 2e-13);
            let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            let found = case.of(&Array::from_slice(s, &narrow, &[size]).unwrap(), 0, step).unwrap();
            let (narrow, found) = (narrow, found.to_vec().unwrap());
            let wide = |values: Vec<f32>| values.into_iter().map(f64::from).collect::<Vec<f64>>();
            case.check(&wide(narrow), step, &wide(found), 1e-6);
        }
    }
}

#[test]
fn sums_have_receipts_and_recurrences_have_none() {
    let s = session();
    for (case, size) in cases().iter().flat_map(|case| [10, 2000].map(|size| (case, size))) {
        let found = case.of(&Array::<f64>::ones(&s, &[size]).unwrap(), 0, STEP).unwrap();
        let is_recurrence = case.definition == Definition::CaputoFabrizio;
        assert_eq!(found.receipt().is_none(), is_recurrence, "{:?}", case.definition);
    }
}
