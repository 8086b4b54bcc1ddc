//! Writing into a caller's memory: every place once, and nothing beside it.

use super::random::Random;
use super::session;
use num_complex::Complex;
use pointsman_numerics::{Array, ArrayMut, Error};

#[test]
fn numbers_go_to_their_places() {
    let s = session();
    let array = Array::range(&s, 1.0, 7.0, 1.0).unwrap().reshape(&[2, 3]).unwrap();
    let mut memory = [0.0; 6];
    ArrayMut::new(&mut memory, &[2, 3], &[3, 1]).unwrap().assign(&array).unwrap();
    assert_eq!(memory, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    ArrayMut::new(&mut memory, &[2, 3], &[-3, -1]).unwrap().assign(&array).unwrap();
    assert_eq!(memory, [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    ArrayMut::new(&mut memory, &[2, 3], &[1, 2]).unwrap().assign(&array.slice(1, .., -1).unwrap()).unwrap();
    assert_eq!(memory, [3.0, 6.0, 2.0, 5.0, 1.0, 4.0]);
    let mut pairs = [Complex::new(0.0f32, 0.0); 4];
    let one = Array::ones(&s, &[]).unwrap();
    let mut every_second = ArrayMut::new(&mut pairs, &[2], &[2]).unwrap();
    assert_eq!(every_second.shape(), [2]);
    every_second.assign(&one).unwrap();
    assert_eq!(pairs.map(|z| z.re), [1.0, 0.0, 1.0, 0.0]);
    ArrayMut::new(&mut memory[..0], &[0, 3], &[0, 0]).unwrap().assign(&array.slice(0, ..0, 1).unwrap()).unwrap();
}

#[test]
fn overlapping_and_outside_places_are_refused() {
    let mut memory = [0.0; 8];
    let overlaps = ArrayMut::new(&mut memory, &[2, 3], &[2, 1]).unwrap_err();
    assert!(matches!(overlaps, Error::Overlap { .. }), "{overlaps}");
    assert!(matches!(ArrayMut::new(&mut memory, &[2], &[0]), Err(Error::Overlap { .. })));
    // These interleave without a common place: 0 2 4 and 3 5 7.
    assert!(ArrayMut::new(&mut memory, &[2, 3], &[3, 2]).is_ok());
    let outside = ArrayMut::new(&mut memory, &[3, 3], &[3, 1]).unwrap_err();
    assert!(matches!(outside, Error::OutOfBounds { needed: 9, length: 8, .. }), "{outside}");
    assert!(matches!(ArrayMut::new(&mut memory, &[3], &[isize::MIN]), Err(Error::OutOfBounds { .. })));
    assert!(matches!(ArrayMut::new(&mut memory, &[3], &[1, 1]), Err(Error::ShapeMismatch { .. })));
    let s = session();
    let mut view = ArrayMut::new(&mut memory, &[2, 2], &[2, 1]).unwrap();
    let wrong = view.assign(&Array::zeros(&s, &[3]).unwrap()).unwrap_err();
    assert!(matches!(wrong, Error::ShapeMismatch { .. }), "{wrong}");
}

#[test]
fn overlaps_are_found_exactly() {
    let mut random = Random::new();
    for _ in 0..2000 {
        let rank = 1 + random.below(3);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
        let strides: Vec<isize> = (0..rank).map(|_| random.below(13) as isize - 6).collect();
        let mut places: Vec<isize> = super::model::indices(&shape)
            .iter()
            .map(|index| index.iter().zip(&strides).map(|(&i, &stride)| i as isize * stride).sum())
            .collect();
        places.sort_unstable();
        let overlaps = places.windows(2).any(|pair| pair[0] == pair[1]);
        let found = ArrayMut::new(&mut [0.0; 64], &shape, &strides).err();
        assert_eq!(matches!(found, Some(Error::Overlap { .. })), overlaps, "{shape:?} {strides:?} {found:?}");
    }
}
