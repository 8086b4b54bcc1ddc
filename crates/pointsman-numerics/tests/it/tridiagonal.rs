//! Systems with three diagonals: the solution fulfils the equations.

use super::model::{Model, near};
use super::random::Random;
use super::{SIZES, session};
use pointsman_numerics::{Array, Error, solve_tridiagonal};

#[test]
fn solutions_fulfil_their_equations() {
    let (s, mut random) = (session(), Random::new());
    for size in SIZES {
        for batch in [&[][..], &[3], &[2, 5]] {
            let shape = [batch, &[size]].concat();
            let x = random.model(&shape);
            let (below, above) = (random.model(&shape), random.model(&shape));
            // The same diagonal for all systems.
            let diagonal = random.model(&[size]).map(|d| 2.5 + d.abs());
            let right = Model::new(&shape, |index| {
                let (i, of) = (index[batch.len()], |i: usize| x.at(&[&index[..batch.len()], &[i]].concat()));
                let before = if i > 0 { below.at(index) * of(i - 1) } else { 0.0 };
                let after = if i + 1 < size { above.at(index) * of(i + 1) } else { 0.0 };
                before + diagonal.at(&[i]) * of(i) + after
            });
            let [a, b, c, r] = [&below, &diagonal, &above, &right].map(|model| model.array(&s));
            near(&solve_tridiagonal(&a, &b, &c, &r).unwrap(), &x, 1e-13);
        }
    }
}

#[test]
fn systems_that_do_not_fit_are_errors() {
    let s = session();
    let ones = |shape: &[usize]| Array::<f64>::ones(&s, shape).unwrap();
    let mismatch = solve_tridiagonal(&ones(&[4]), &ones(&[4]), &ones(&[1]), &ones(&[2, 4])).unwrap_err();
    assert!(mismatch.to_string().contains("but got [1] and [2, 4]"), "{mismatch}");
    let none = ones(&[]);
    assert!(matches!(solve_tridiagonal(&none, &none, &none, &none), Err(Error::Axis { .. })));
}
