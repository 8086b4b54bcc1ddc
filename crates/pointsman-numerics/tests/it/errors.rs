//! Mistakes are errors that say what was given and what is allowed; nothing panics.

use super::session;
use pointsman::Column;
use pointsman_numerics::{Array, ConvolveMode, Error};
use std::error::Error as _;
use std::ops::Bound;

#[test]
fn mistakes_name_shapes_and_what_is_allowed() {
    let s = session();
    let matrix = Array::<f64>::zeros(&s, &[2, 3]).unwrap();
    let row = Array::<f64>::zeros(&s, &[4]).unwrap();
    let errors = [
        (
            (&matrix + &row).err(),
            "shapes that broadcast (from the last axis backwards, sizes are equal or 1), but got [2, 3] and [4]",
        ),
        (Array::from_vec(&s, vec![0.0; 5], &[2, 3]).err(), "5 values do not fill the shape [2, 3]"),
        (matrix.reshape(&[4]).err(), "reshape takes a shape of as many numbers, but got [2, 3] and [4]"),
        (matrix.broadcast_to(&[2, 6]).err(), "but got [2, 3] and [2, 6]"),
        (matrix.broadcast_to(&[3]).err(), "but got [2, 3] and [3]"),
        (matrix.permute(&[0, 0]).err(), "[0, 0] is no order of 2 axes"),
        (matrix.permute(&[0]).err(), "[0] is no order of 2 axes"),
        (matrix.slice(2, .., 1).err(), "there is no axis 2: the array has 2 axes"),
        (matrix.slice(1, 1..4, 1).err(), "the range from 1 to 4 is outside an axis of size 3"),
        (matrix.slice(1, (Bound::Included(2), Bound::Excluded(1)), 1).err(), "the range from 2 to 1 is outside"),
        (matrix.slice(1, ..=usize::MAX, 1).err(), "is outside an axis of size 3"),
        (matrix.slice(1, .., 0).err(), "the step of a range must be a number other than zero"),
        (matrix.index_axis(0, 2).err(), "the range from 2 to 3 is outside an axis of size 2"),
        (matrix.insert_axis(3).err(), "there is no axis 3"),
        (matrix.remove_axis(0).err(), "axis 0 has size 2: only axes of size 1 can be removed"),
        (matrix.sum_axis(2).err(), "there is no axis 2"),
        (Array::<f64>::zeros(&s, &[usize::MAX, 2]).err(), "has more than 2^39 numbers"),
        (row.slice(0, ..1, 1).unwrap().broadcast_to(&[1 << 40]).err(), "has more than 2^39 numbers"),
        (Array::<f64>::identity(&s, 1 << 30).err(), "has more than 2^39 numbers"),
    ];
    for (number, (error, expected)) in errors.into_iter().enumerate() {
        let error = error.unwrap().to_string();
        assert!(error.contains(expected), "{number}: {error}");
    }
}

#[test]
fn nulls_are_an_error() {
    let s = session();
    let column = Column::from_options([Some(1.0), None]);
    assert!(matches!(Array::<f64>::from_column(&s, column, &[2]), Err(Error::Nulls { nulls: 1 })));
}

#[test]
fn a_failed_query_is_the_source_of_the_error() {
    let s = session();
    let x = Array::from_vec(&s, vec![1.0, f64::NAN], &[2]).unwrap();
    let error = x.map(|x| x.cast::<i32>().cast::<f64>()).unwrap_err();
    assert!(matches!(error, Error::Query(_)) && error.source().is_some(), "{error}");
}

#[test]
fn sizes_beyond_all_memory_panic_nowhere() {
    let s = session();
    let none = Array::<f64>::zeros(&s, &[usize::MAX, 0, usize::MAX]).unwrap();
    let line = Array::<f64>::ones(&s, &[3]).unwrap();
    assert_eq!(none.len() + none.to_vec().unwrap().len(), 0);
    assert_eq!((&none + 1.0).unwrap().shape(), none.shape());
    assert_eq!(none.transpose().contiguous().unwrap().shape(), none.shape());
    assert_eq!(none.slice(0, 5.., -3).unwrap().reshape(&[0, usize::MAX, 7]).unwrap().len(), 0);
    assert_eq!(none.sum().unwrap() + none.sum_axis(0).unwrap().len() as f64, 0.0);
    assert!(none.sum_axis(1).is_err() && none.mean_axis(1).is_err() && none.rfft(2, None).is_err());
    assert_eq!(none.fft(2, 4).unwrap().shape(), [usize::MAX, 0, 4]);
    assert!(none.fft2().is_err() && none.solve(&line).is_err() && none.matmul(&line).is_err());
    assert!(matches!(none.convolve(&line, ConvolveMode::Same), Err(Error::TooLarge { .. })));
    assert!(none.matmul(&none.transpose()).is_err());
    let wide = line.slice(0, ..1, 1).unwrap().broadcast_to(&[1 << 20, 1 << 19]).unwrap();
    assert_eq!(wide.index_axis(0, 9).unwrap().slice(0, 7..9, 1).unwrap().to_vec().unwrap(), [1.0, 1.0]);
    assert!(matches!(wide.insert_axis(2).unwrap().broadcast_to(&[1 << 20, 1 << 19, 2]), Err(Error::TooLarge { .. })));
    assert!((&wide + &line).is_err() && wide.solve(&line).is_err());
}
