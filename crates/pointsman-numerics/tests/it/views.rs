//! Views share the memory and hold the right numbers.

use super::model::{Model, check};
use super::random::Random;
use super::{SIZES, session};
use pointsman_numerics::Array;

#[test]
fn views_of_every_size() {
    let s = session();
    for size in SIZES {
        let model = Model::new(&[size, 3], |index| (10 * index[0] + index[1]) as f64);
        let array = model.array(&s);
        check(&array.transpose(), &model.permute(&[1, 0]));
        check(&array.permute(&[1, 0]).unwrap(), &model.permute(&[1, 0]));
        for step in [1, 2, -1, -7] {
            check(&array.slice(0, .., step).unwrap(), &model.slice(0, 0, size, step));
            check(&array.slice(0, size / 3..size / 2, step).unwrap(), &model.slice(0, size / 3, size / 2, step));
        }
        check(&array.index_axis(1, 2).unwrap(), &model.fold(1, |line| line[2]));
        let row = array.index_axis(1, 0).unwrap().insert_axis(0).unwrap();
        check(&row.broadcast_to(&[2, 4, size]).unwrap(), &Model::new(&[2, 4, size], |index| 10.0 * index[2] as f64));
        check(&row.remove_axis(0).unwrap(), &model.fold(1, |line| line[0]));
        check(&array.transpose().reshape(&[3 * size]).unwrap(), &{
            Model { shape: vec![3 * size], values: model.permute(&[1, 0]).values }
        });
    }
}

#[test]
fn views_copy_nothing() {
    let s = session();
    let array = Array::range(&s, 0.0, 24.0, 1.0).unwrap();
    let shares = |view: &Array<f64>| std::ptr::eq(column(view).as_ptr(), column(&array).as_ptr());
    let cube = array.reshape(&[2, 3, 4]).unwrap();
    assert!(shares(&cube));
    assert!(shares(&cube.reshape(&[6, 2, 2]).unwrap()));
    assert_eq!(cube.transpose().strides(), [1, 4, 12]);
    // Strides cannot express this one.
    let copied = cube.transpose().reshape(&[24]).unwrap();
    assert!(!shares(&copied) && copied.to_vec().unwrap()[..3] == [0.0, 12.0, 4.0]);
    // These they can: each new axis lies in one old axis.
    let every_second = cube.slice(2, .., 2).unwrap();
    assert_eq!(every_second.reshape(&[3, 2, 2]).unwrap().strides(), [8, 4, 2]);
    assert_eq!(cube.transpose().reshape(&[2, 2, 3, 2, 1]).unwrap().strides()[..4], [2, 1, 4, 12]);
}

/// The column of a whole array, which shares its memory.
fn column(array: &Array<f64>) -> pointsman::Column<f64> {
    array.clone().into_column().unwrap()
}

#[test]
fn random_views() {
    let (s, mut random) = (session(), Random::new());
    for _ in 0..150 {
        let shape = random.shape(4);
        let model = random.model(&shape);
        let (view, expected) = random.views(model.array(&s), model);
        check(&view, &expected);
        check(&view.contiguous().unwrap(), &expected);
        let complex = random.complex_model(&shape);
        let (view, expected) = random.views(complex.array(&s), complex);
        check(&view, &expected);
        assert_eq!(view.clone().into_column().unwrap().len(), 2 * view.len());
        check(&view.im(), &expected.map(|z| z.im));
    }
}
