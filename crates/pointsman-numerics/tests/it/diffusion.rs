//! Time-fractional diffusion: each step fulfils its equation, observed orders of convergence, errors.

use super::model::{Model, near};
use super::random::Random;
use super::session;
use pointsman::Session;
use pointsman_numerics::diffusion::{Boundary, FractionalDiffusion};
use pointsman_numerics::fractional::Grid;
use pointsman_numerics::special::{gamma, mittag_leffler};
use pointsman_numerics::{Array, Error};
use std::f64::consts::PI;

const ZERO: Boundary = Boundary::Dirichlet([0.0, 0.0]);

/// The derivative of L1 at the last of some times, by its definition.
fn l1(order: f64, times: &[f64], values: &[f64]) -> f64 {
    let end = times[times.len() - 1];
    let power = |t: f64| (end - t).powf(1.0 - order);
    let slopes = (1..times.len()).map(|k| {
        let last = if k + 1 == times.len() { 0.0 } else { power(times[k]) };
        (values[k] - values[k - 1]) / (times[k] - times[k - 1]) * (power(times[k - 1]) - last)
    });
    slopes.sum::<f64>() / gamma(2.0 - order)
}

/// The value beside point `i` of an axis, on the side of `step`.
fn neighbour(boundary: Boundary, points: usize, i: usize, step: isize) -> Result<usize, f64> {
    let j = i as isize + step;
    let outside = j < 0 || j >= points as isize;
    match boundary {
        Boundary::Dirichlet(ends) if outside => Err(ends[usize::from(step > 0)]),
        Boundary::Neumann if outside => Ok(i),
        Boundary::Periodic => Ok(j.rem_euclid(points as isize) as usize),
        Boundary::Dirichlet(_) | Boundary::Neumann => Ok(j as usize),
    }
}

/// The second differences along an axis of a grid, divided by the square of the step.
fn second_difference(u: &Model<f64>, index: &[usize], axis: usize, length: f64, boundary: Boundary) -> f64 {
    let points = u.shape[axis];
    let intervals = if matches!(boundary, Boundary::Dirichlet(_)) { points + 1 } else { points };
    let step = length / intervals as f64;
    let at = |side| match neighbour(boundary, points, index[axis], side) {
        Ok(i) => {
            let mut index = index.to_vec();
            index[axis] = i;
            u.at(&index)
        }
        Err(value) => value,
    };
    (at(-1) - 2.0 * u.at(index) + at(1)) / (step * step)
}

/// All values of a run: first the initial ones.
fn run(equation: &FractionalDiffusion<f64>, initial: &Array<f64>, grid: Grid, steps: usize) -> Vec<Model<f64>> {
    let mut run = equation.start(initial, grid, steps).unwrap();
    let model = |array: &Array<f64>| Model { shape: array.shape().to_vec(), values: array.to_vec().unwrap() };
    let mut values = vec![model(run.values())];
    let times = grid.points(steps + 1);
    assert_eq!(run.time(), 0.0);
    while run.advance().unwrap() {
        assert_eq!(run.time(), times[values.len()]);
        values.push(model(run.values()));
    }
    assert_eq!(values.len(), steps + 1);
    values
}

/// The shape of the initial values, the sides, and the times.
type Case = (&'static [usize], &'static [(f64, Boundary)], Grid);

#[test]
fn each_step_fulfils_its_equation() {
    const ENDS: Boundary = Boundary::Dirichlet([0.7, -1.3]);
    let (s, mut random) = (session(), Random::new());
    let graded = Grid::Graded { end: 1.5, exponent: 2.5 };
    let cases: [Case; 10] = [
        (&[1], &[(1.0, ENDS)], 0.1.into()),
        (&[1], &[(2.0, Boundary::Neumann)], graded),
        (&[1], &[(2.0, Boundary::Periodic)], graded),
        (&[2, 7], &[(2.0, ENDS)], graded),
        (&[64], &[(3.0, Boundary::Neumann)], 0.1.into()),
        (&[65], &[(3.0, Boundary::Periodic)], graded),
        (&[5, 8], &[(1.0, ENDS), (2.0, Boundary::Neumann)], graded),
        (&[2, 3, 4], &[(1.0, Boundary::Neumann), (2.0, ENDS)], 0.2.into()),
        (&[7, 1], &[(1.0, Boundary::Periodic), (2.0, ENDS)], graded),
        (&[3, 2, 9, 6], &[(1.0, ENDS), (2.0, Boundary::Periodic)], 0.05.into()),
    ];
    for (shape, sides, grid) in cases {
        for (order, diffusivity) in [(0.3, 0.5), (0.8, 0.1), (1.0, 2.0)] {
            let initial = random.model(shape);
            let equation = FractionalDiffusion::new(order, diffusivity)
                .source(|at, t| at.iter().fold(t * 2.0, |sum, x| sum + *x * 3.0));
            let equation = sides.iter().fold(equation, |equation, &(length, boundary)| equation.axis(length, boundary));
            let values = run(&equation, &initial.array(&s), grid, 6);
            let times = grid.points(7);
            let first = shape.len() - sides.len();
            let points: Vec<_> = (0..sides.len()).map(|a| equation.points(a, shape[first + a]).unwrap()).collect();
            for n in 1..=6 {
                let u = &values[n];
                let residual = Model::new(shape, |index| {
                    let history: Vec<f64> = values[..=n].iter().map(|u| u.at(index)).collect();
                    let along = |(a, &(length, boundary)): (usize, &(f64, Boundary))| {
                        second_difference(u, index, first + a, length, boundary)
                    };
                    let laplacian: f64 = sides.iter().enumerate().map(along).sum();
                    let place: f64 = points.iter().enumerate().map(|(a, x)| 3.0 * x[index[first + a]]).sum();
                    let scale = (times[n] - times[n - 1]).powf(order);
                    scale * (l1(order, &times[..=n], &history) - diffusivity * laplacian - place - 2.0 * times[n])
                });
                near(&residual.array(&s), &residual.map(|_| 0.0), 1e-11);
            }
        }
    }
}

/// The values of a mode with this eigenvalue by L1, one time after the other.
fn mode(order: f64, eigenvalue: f64, times: &[f64]) -> Vec<f64> {
    let mut values = vec![1.0];
    for n in 1..times.len() {
        // The derivative is linear in the last value.
        let [zero, one] = [0.0, 1.0].map(|last| l1(order, &times[..=n], &[&values[..], &[last]].concat()));
        values.push(-zero / (one - zero + eigenvalue));
    }
    values
}

#[test]
fn sums_of_exponentials_replace_the_past() {
    let s = session();
    let x = Array::<f64>::range(&s, 0.1, 0.95, 0.1).unwrap();
    let initial = x.map(|x| (x * PI).sin()).unwrap();
    for (order, grid, steps) in [
        (0.5, Grid::from(0.002), 700),
        (0.1, Grid::Graded { end: 2.0, exponent: 2.0 }, 400),
        (0.9, Grid::Graded { end: 2.0, exponent: 1.2 }, 400),
    ] {
        let equation = FractionalDiffusion::new(order, 0.3).axis(1.0, ZERO);
        let eigenvalue = 0.3 * (20.0 * (0.05 * PI).sin()).powi(2);
        let expected = mode(order, eigenvalue, &grid.points(steps + 1))[steps];
        let whole = equation.clone().tolerance(None).solve(&initial, grid, steps).unwrap();
        near(&(&whole / &initial).unwrap(), &Model::new(&[9], |_| expected), 1e-11 * steps as f64);
        for tolerance in [1e-4, 1e-10] {
            let sum = equation.clone().tolerance(tolerance).solve(&initial, grid, steps).unwrap();
            near(&sum, &Model { shape: vec![9], values: whole.to_vec().unwrap() }, tolerance);
            if tolerance > 1e-5 {
                assert_ne!(sum.to_vec().unwrap(), whole.to_vec().unwrap(), "the past was not replaced");
            }
        }
    }
}

#[test]
fn closed_solutions_are_approached_with_the_orders_of_the_method() {
    let s = session();
    // The error of the time steps: the greatest one of all steps, against the exact solution of the equations in time.
    let time_error = |order: f64, steps: usize| {
        let eigenvalue = 0.1 * (2.0 * 8.0 * (PI / 16.0).sin()).powi(2);
        let initial = Array::<f64>::range(&s, 0.125, 0.95, 0.125).unwrap().map(|x| (x * PI).sin()).unwrap();
        let equation = FractionalDiffusion::new(order, 0.1).axis(1.0, ZERO);
        let grid = Grid::Graded { end: 1.0, exponent: (2.0 - order) / order };
        let mut run = equation.start(&initial, grid, steps).unwrap();
        let mut worst = 0.0f64;
        while run.advance().unwrap() {
            let exact = mittag_leffler(order, 1.0, -eigenvalue * run.time().powf(order)).unwrap();
            worst = worst.max((run.values().index_axis(0, 3).unwrap().sum().unwrap() - exact).abs());
        }
        worst
    };
    // The error of the differences in space, against the same time steps of an exact eigenfunction.
    let space_error = |boundary: Boundary, points: usize| {
        let equation = FractionalDiffusion::new(0.6, 1.0).axis(1.0, boundary);
        let place = Array::from_vec(&s, equation.points(0, points).unwrap(), &[points]).unwrap();
        let periods = if matches!(boundary, Boundary::Periodic) { 2.0 } else { 1.0 };
        let initial = match boundary {
            Boundary::Neumann => place.map(|x| (x * PI).cos()).unwrap(),
            Boundary::Dirichlet(_) | Boundary::Periodic => place.map(|x| (x * (periods * PI)).sin()).unwrap(),
        };
        let grid = Grid::from(0.01);
        let found = equation.solve(&initial, grid, 10).unwrap();
        let exact = mode(0.6, (periods * PI).powi(2), &grid.points(11))[10];
        found.zip(&initial, |u, mode| (u - mode * exact).abs()).unwrap().max().unwrap()
    };
    let table = |what: &str, theory: f64, sizes: &[usize], error: &dyn Fn(usize) -> f64| {
        let errors: Vec<f64> = sizes.iter().map(|&size| error(size)).collect();
        let mut last = 0.0;
        for (size, pair) in sizes[1..].iter().zip(errors.windows(2)) {
            last = (pair[0] / pair[1]).log2();
            eprintln!("{what:<28} N = {size:<5} error {:.3e}  order {last:.3} (theory {theory})", pair[1]);
        }
        assert!((last - theory).abs() < 0.1, "{what}: order {last}, not {theory}");
    };
    for order in [0.3, 0.5, 0.8, 1.0] {
        table(&format!("time, α = {order}"), 2.0 - order, &[128, 256, 512, 1024], &|steps| time_error(order, steps));
    }
    for (what, boundary) in [("Dirichlet", ZERO), ("Neumann", Boundary::Neumann), ("Periodic", Boundary::Periodic)] {
        table(&format!("space, {what}"), 2.0, &[15, 30, 60, 120], &|points| {
            let points = if matches!(boundary, Boundary::Dirichlet(_)) { points - 1 } else { points };
            space_error(boundary, points)
        });
    }
}

#[test]
fn a_rectangle_has_the_solution_of_its_modes() {
    let s = session();
    let equation = FractionalDiffusion::new(0.7, 0.05).axis(2.0, Boundary::Neumann).axis(1.0, ZERO);
    let (n, m) = (64, 63);
    let y = Array::from_vec(&s, equation.points(0, n).unwrap(), &[n, 1]).unwrap();
    let x = Array::from_vec(&s, equation.points(1, m).unwrap(), &[m]).unwrap();
    let initial = y.zip(&x, |y, x| (y * (0.5 * PI)).cos() * (x * PI).sin()).unwrap();
    let end = equation.solve(&initial, Grid::Graded { end: 1.0, exponent: 1.3 / 0.7 }, 200).unwrap();
    let exact = mittag_leffler(0.7, 1.0, -0.05 * 1.25 * PI * PI).unwrap();
    let far = end.zip(&initial, |u, mode| (u - mode * exact).abs()).unwrap().max().unwrap();
    assert!(far < 5e-4, "{far}");
}

#[test]
fn values_at_the_ends_are_reached_and_kept() {
    let s = session();
    let equation = FractionalDiffusion::new(0.5, 1.0).axis(2.0, Boundary::Dirichlet([3.0, -1.0]));
    let line = Array::from_vec(&s, equation.points(0, 65).unwrap(), &[65]).unwrap();
    let steady = line.map(|x| x * -2.0 + 3.0).unwrap();
    let kept = equation.solve(&steady, 0.1.into(), 20).unwrap();
    near(&kept, &Model { shape: vec![65], values: steady.to_vec().unwrap() }, 1e-12);
    // Relaxation by a power of time: the slowest mode falls like t^−α/Γ(1 − α).
    let reached =
        equation.solve(&Array::zeros(&s, &[65]).unwrap(), Grid::Graded { end: 1e8, exponent: 3.0 }, 300).unwrap();
    let far = (&reached - &steady).unwrap().abs().unwrap().max().unwrap();
    assert!(far < 1e-3, "{far}");
}

#[test]
fn without_flux_the_sum_is_kept() {
    let (s, mut random) = (session(), Random::new());
    for boundary in [Boundary::Neumann, Boundary::Periodic] {
        let initial = random.model(&[33, 12]).array(&s);
        let equation = FractionalDiffusion::new(0.4, 2.0).axis(1.0, boundary).axis(3.0, boundary);
        let end = equation.solve(&initial, 0.05.into(), 100).unwrap();
        assert!((end.sum().unwrap() - initial.sum().unwrap()).abs() < 1e-9);
    }
}

#[test]
fn single_precision_follows_double_precision() {
    let s = session();
    let grid = Grid::Graded { end: 1.0, exponent: 5.0 };
    let initial = Array::<f64>::range(&s, 0.01, 0.995, 0.01).unwrap().map(|x| (x * PI).sin()).unwrap();
    let double = FractionalDiffusion::new(0.3, 1.0).axis(1.0, ZERO).solve(&initial, grid, 200).unwrap();
    let single = initial.map(|x| x.cast::<f32>()).unwrap();
    let single = FractionalDiffusion::new(0.3, 1.0).axis(1.0, ZERO).solve(&single, grid, 200).unwrap();
    let far = double.zip(&single, |a, b| (a - b.cast::<f64>()).abs()).unwrap().max().unwrap();
    assert!(far < 1e-5, "{far}");
}

#[test]
fn equations_outside_their_domain_are_errors() {
    let s = session();
    let zeros = |shape: &[usize]| Array::<f64>::zeros(&s, shape).unwrap();
    let solve = |s: &Session, equation: FractionalDiffusion<f64>, shape: &[usize], grid: Grid| -> Error {
        equation.solve(&Array::zeros(s, shape).unwrap(), grid, 5).unwrap_err()
    };
    let new = FractionalDiffusion::<f64>::new;
    let (line, grid) = (&[8][..], Grid::from(0.1));
    let errors = [
        (solve(&s, new(0.0, 1.0).axis(1.0, ZERO), line, grid), "the order must be above 0 and at most 1, but is 0"),
        (solve(&s, new(1.1, 1.0).axis(1.0, ZERO), line, grid), "the order must be above 0 and at most 1"),
        (solve(&s, new(f64::NAN, 1.0).axis(1.0, ZERO), line, grid), "the order must be above 0 and at most 1"),
        (solve(&s, new(0.5, 0.0).axis(1.0, ZERO), line, grid), "the diffusivity must be positive and finite"),
        (solve(&s, new(0.5, f64::INFINITY).axis(1.0, ZERO), line, grid), "the diffusivity must be positive and finite"),
        (solve(&s, new(0.5, 1.0).axis(0.0, ZERO), line, grid), "the length must be positive and finite"),
        (
            solve(&s, new(0.5, 1.0).axis(1.0, Boundary::Dirichlet([0.0, f64::NAN])), line, grid),
            "the value at an end must be finite",
        ),
        (solve(&s, new(0.5, 1.0), line, grid), "one axis or two"),
        (solve(&s, new(0.5, 1.0).axis(1.0, ZERO).axis(1.0, ZERO), line, grid), "an array of at least as many axes"),
        (solve(&s, new(0.5, 1.0).axis(1.0, ZERO), &[0], grid), "of no numbers is not defined"),
        (solve(&s, new(0.5, 1.0).axis(1.0, ZERO), line, Grid::from(-0.1)), "the step must be positive and finite"),
        (
            solve(&s, new(0.5, 1.0).axis(1.0, ZERO), line, Grid::Logarithmic { ratio: 2.0 }),
            "takes a grid of times that starts at 0, but got a logarithmic grid",
        ),
        (
            solve(&s, new(0.5, 1.0).axis(1.0, ZERO).tolerance(1.0), line, grid),
            "the tolerance must be at least 1e-13 and at most 0.1",
        ),
    ];
    for (number, (error, expected)) in errors.into_iter().enumerate() {
        assert!(error.to_string().contains(expected), "{number}: {error}");
    }
    let equation = new(0.5, 1.0).axis(1.0, ZERO);
    assert_eq!(equation.solve(&zeros(line), grid, 0).unwrap().to_vec().unwrap(), [0.0; 8]);
    let many = equation.solve(&zeros(line), grid, usize::MAX).unwrap_err();
    assert!(many.to_string().contains("the number of steps must be at most 16777216"), "{many}");
    assert!(matches!(equation.points(1, 8), Err(Error::Axis { axis: 1, rank: 1 })));
    assert_eq!(equation.points(0, 1).unwrap(), [0.5]);
}

/// The first steps of a steep grid are far shorter than the smallest single: weights of decayed states are infinite.
#[test]
fn steep_grids_give_numbers_in_single_precision() {
    let s = session();
    let initial = Array::from_slice(&s, &[1.0f32, 2.0, 3.0, 4.0], &[4]).unwrap();
    let equation = FractionalDiffusion::<f32>::new(0.8, 1.0).axis(1.0, Boundary::Neumann);
    let last = equation.solve(&initial, Grid::Graded { end: 1.0, exponent: 20.0 }, 1000).unwrap().to_vec().unwrap();
    assert!(last.iter().all(|value| (value - 2.5).abs() < 0.5), "{last:?}");
    let error = equation.points(0, usize::MAX).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
}
