//! Conversions from and to `ndarray`.

use super::random::Random;
use super::session;
use ndarray::{Array2, ArrayD, IxDyn, s};
use pointsman_numerics::Array;

#[test]
fn views_of_ndarray_come_back() {
    let (session, mut random) = (session(), Random::new());
    for size in [0, 1, 7, 64] {
        let given = Array2::from_shape_fn((size, 3), |_| random.complex());
        for view in [given.view(), given.slice(s![..;-1, 1..])] {
            let array = Array::from_ndarray(&session, &view).unwrap();
            assert_eq!(array.to_ndarray().unwrap(), view.into_dyn());
            assert_eq!(array.transpose().to_ndarray().unwrap(), view.t().into_dyn());
        }
    }
    let single = ArrayD::from_elem(IxDyn(&[]), 2.0f32);
    assert_eq!(Array::from_ndarray(&session, &single).unwrap().to_ndarray().unwrap(), single);
}
