//! Every kind of source gives the rows that plain Rust gives, in queries and as inputs of prepared queries.

use super::session;
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array};
use pointsman::random::{self, RandomStream};
use pointsman::{Column, Date, ErrorKind, F64, I64, Session, Source, array_of, fields};
use std::sync::Arc;

const SIZES: [usize; 12] = [0, 1, 7, 63, 64, 65, 255, 257, 4095, 4096, 4097, 65_537];

fn numbers(rows: usize) -> Vec<i64> {
    (0..rows as i64).map(|i| i.wrapping_mul(7919) % 2001 - 1000).collect()
}

/// Doubles the values of a source.
#[track_caller]
fn check<'a>(session: &Session, source: impl Source<'a, Row = I64>, expected: &[Option<i64>]) {
    let doubled = session.from(source).map(|x| x * 2).collect().unwrap();
    assert!(doubled.options().eq(expected.iter().map(|x| x.map(|x| x * 2))), "{} rows", expected.len());
}

#[test]
fn boxed_shared_and_optional_values() {
    let s = session();
    let twice = s.prepare(|x: I64| x * 2).unwrap();
    for rows in SIZES {
        let values = numbers(rows);
        let plain: Vec<Option<i64>> = values.iter().map(|&x| Some(x)).collect();
        let boxed: Box<[i64]> = values.clone().into();
        let shared: Arc<[i64]> = values.clone().into();
        check(&s, &boxed, &plain);
        check(&s, &shared, &plain);
        check(&s, shared.clone(), &plain);
        check(&s, boxed.clone(), &plain);
        let nulls: Vec<Option<i64>> = values.iter().map(|&x| (x % 3 != 0).then_some(x)).collect();
        for options in [&plain, &nulls] {
            check(&s, options, options);
            check(&s, &options[..], options);
            check(&s, options.clone(), options);
            let prepared = twice.run(options).unwrap();
            assert!(prepared.options().eq(options.iter().map(|x| x.map(|x| x * 2))));
        }
        assert_eq!(twice.run(boxed).unwrap().to_vec(), twice.run(&shared).unwrap().to_vec());
        assert_eq!(twice.run(shared).unwrap().len(), rows);
    }
    check(&s, &[Some(1), None, Some(3)], &[Some(1), None, Some(3)]);
}

#[test]
fn arrow_arrays_of_a_type_known_at_run_time() {
    let s = session();
    for rows in SIZES {
        let values: Int64Array = numbers(rows + 5).into_iter().map(|x| (x % 5 != 0).then_some(x)).collect();
        let array: ArrayRef = Arc::new(values.slice(5, rows));
        let expected: Vec<Option<i64>> = values.slice(5, rows).iter().collect();
        check(&s, array_of::<i64>(&array), &expected);
        let prepared = s.prepare(|x: I64| x + 1).unwrap();
        assert!(prepared.run(array_of(&array)).unwrap().options().eq(expected.iter().map(|x| x.map(|x| x + 1))));
        let error = prepared.run(array_of(&Float64Array::from(vec![1.0]))).unwrap_err();
        assert!(error.message().contains("read it as `array_of::<f64>`"), "{error}");
    }
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    assert_eq!(s.from(array_of::<bool>(&flags)).filter(|x| x).count().unwrap(), 2);
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![5, 9]));
    assert_eq!(s.from(array_of::<Date>(&dates)).max().unwrap(), Some(Date(9)));
    let text: ArrayRef = Arc::new(arrow_array::StringArray::from(vec!["a"]));
    for array in [&dates, &text] {
        let error = s.from(array_of::<f32>(array)).sum().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
        assert!(error.message().contains("not f32"), "{error}");
    }
}

#[test]
fn arrays_and_fields_of_structs() {
    struct Particle {
        position: [f64; 3],
        charge: i64,
        mass: Option<f64>,
    }
    let s = session();
    let norm = s.prepare(|p: [F64; 3]| p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).unwrap();
    for rows in SIZES {
        let points: Vec<[f64; 3]> =
            numbers(rows).into_iter().map(|x| [x as f64, x as f64 * 0.5, 1.0 - x as f64]).collect();
        let expected: Vec<f64> = points.iter().map(|p| p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).collect();
        let squares = s.from(&points).map(|p| p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).to_vec().unwrap();
        assert_eq!(squares, expected);
        assert_eq!(norm.run(&points).unwrap()[..], expected);
        assert_eq!(
            norm.run(&points[..]).unwrap()[..],
            s.from(points.clone()).map(|p| p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).to_vec().unwrap()
        );
        let mass = |i: usize| (!i.is_multiple_of(4)).then_some(i as f64);
        let particle = |(i, &position): (usize, &[f64; 3])| Particle { position, charge: i as i64, mass: mass(i) };
        let particles: Vec<Particle> = points.iter().enumerate().map(particle).collect();
        let rows = s.from(fields(&particles, |p| (p.position, p.charge, p.mass)));
        let (x, charge, mass) = rows.map(|(p, charge, mass)| (p[1], charge + 1, mass * 2.0)).collect().unwrap();
        assert!(x.iter().eq(particles.iter().map(|p| &p.position[1])));
        assert!(charge.iter().copied().eq(particles.iter().map(|p| p.charge + 1)));
        assert!(mass.options().eq(particles.iter().map(|p| p.mass.map(|mass| mass * 2.0))));
    }
    assert_eq!(s.from(&[[1.0f32, 2.0], [3.0, 4.0]]).map(|[a, b]| a * b).to_vec().unwrap(), [2.0, 12.0]);
}

#[test]
fn inclusive_and_stepped_ranges() {
    let s = session();
    assert_eq!(s.from(3u32..=7).to_vec().unwrap(), (3..=7).collect::<Vec<u32>>());
    assert_eq!(s.from(-2i64..=2).to_vec().unwrap(), [-2, -1, 0, 1, 2]);
    #[expect(clippy::reversed_empty_ranges, reason = "an empty range")]
    let empty = 5i32..=4;
    assert_eq!(s.from(empty).count().unwrap(), 0);
    assert_eq!(s.from(u64::MAX - 2..=u64::MAX).to_vec().unwrap(), [u64::MAX - 2, u64::MAX - 1, u64::MAX]);
    assert_eq!(s.from(i32::MIN..=i32::MIN + 1).to_vec().unwrap(), [i32::MIN, i32::MIN + 1]);
    for (end, step) in [(0, 1), (1, 5), (10, 3), (4097, 2), (100_000, 7)] {
        let expected: Vec<u32> = (0..end).step_by(step).collect();
        assert_eq!(s.from((0..end).step_by(step)).to_vec().unwrap(), expected);
        let expected: Vec<i64> = (-5..=i64::from(end)).step_by(step).collect();
        assert_eq!(s.from((-5..=i64::from(end)).step_by(step)).to_vec().unwrap(), expected);
    }
    for range in [0..=u64::MAX, 1..=u64::MAX] {
        assert!(s.from(range).count().unwrap_err().message().contains("at most 1099511627776"));
    }
}

#[test]
fn enumerate_zip_take_and_skip() {
    let s = session();
    for rows in SIZES {
        let values = numbers(rows);
        let (number, value) = s.from(&values).enumerate().to_vec().unwrap();
        assert!(number.iter().copied().eq(0..rows as u64) && value == values);
        let kept: Vec<(u64, i64)> = (0..).zip(values.iter().copied().filter(|x| *x > 100)).collect();
        let found = s.from(&values).filter(|x| x.gt(100)).enumerate().to_vec().unwrap();
        assert!(found.0.into_iter().zip(found.1).eq(kept));
        let ranged = s.from(10u32..10 + rows as u32).enumerate().map(|(i, x)| i + x.cast::<u64>()).to_vec().unwrap();
        assert!(ranged.into_iter().eq((0..rows as u64).map(|i| 2 * i + 10)));
        let zipped = s.from(&values).zip(0i64..rows as i64).zip((&values, &values));
        let sums = zipped.map(|((a, i), (b, c))| a + i + b - c).to_vec().unwrap();
        assert!(sums.into_iter().eq(values.iter().zip(0..).map(|(x, i)| x + i)));
        let ranges = s.from(0i64..rows as i64).zip(&values).filter(|(i, _)| i.gt(2)).map(|(i, x)| i * x);
        assert!(ranges.to_vec().unwrap().into_iter().eq((3..).zip(values.iter().skip(3)).map(|(i, x)| i * x)));
        let part = s.from(&values).skip(5).take(60).to_vec().unwrap();
        assert!(part.iter().eq(values.iter().skip(5).take(60)));
    }
    let late = s.from(&[1i64, 2]).map(|x| x + 1).zip(&[3i64, 4]).map(|(a, b)| a + b).to_vec().unwrap_err();
    assert!(late.message().contains("`zip` comes before all other steps"), "{late}");
    let uneven = s.from(&[1i64, 2]).zip(&[3i64]).map(|(a, b)| a + b).to_vec().unwrap_err();
    assert!(uneven.message().contains("same length"), "{uneven}");
}

#[test]
fn random_numbers_depend_on_seed_and_row_alone() {
    let s = session();
    for rows in SIZES {
        let all = s.from(random::uniform::<f64>(9, 65_537)).to_vec().unwrap();
        assert_eq!(s.from(random::uniform::<f64>(9, rows)).to_vec().unwrap(), all[..rows]);
    }
    let stream = RandomStream::new(3).stream(4);
    let x = s
        .from((stream.normal_rows::<f32>(100), 0u32..100))
        .map(|(x, i)| (x, stream.normal::<f32>([i, pointsman::lit(0)])));
    let (rows, indexed) = x.to_vec().unwrap();
    assert_eq!(rows, indexed);
    let [a, b] = [1, 2].map(|seed| s.from(random::normal::<f64>(seed, 100_000)).to_vec().unwrap());
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let products: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
    assert!(mean(&a).abs() < 0.02 && mean(&products).abs() < 0.02, "{} {}", mean(&a), mean(&products));
    // Beyond 2^32 rows, the second word of the row number counts: the interpreter reads the last rows only.
    let far = s.from((0u64..3, 0u32..3)).map(|(i, low)| {
        let row = i + (1 << 33);
        let words = [low, (row >> 32).cast_saturating::<u32>()];
        RandomStream::new(9).uniform::<f64>(words)
    });
    assert!(far.to_vec().unwrap().iter().zip(&all_of(&s)).all(|(far, near)| far != near));
}

fn all_of(s: &Session) -> Vec<f64> {
    s.from(random::uniform::<f64>(9, 3)).to_vec().unwrap()
}

#[test]
fn look_ups_take_owned_values_and_every_unsigned_position() {
    use pointsman::lookup;
    let s = session();
    let squares: Vec<u32> = (0..200u32).map(|i| i * i).collect();
    let tables = [
        lookup(&squares),
        lookup(&squares[..]),
        lookup(squares.clone()),
        lookup(squares.clone().into_boxed_slice()),
        lookup(Arc::<[u32]>::from(&squares[..])),
        pointsman::Lookup::of(&Column::from(squares.clone())).unwrap(),
    ];
    let at = s
        .prepare(|i: pointsman::Expr<u8>, table: pointsman::LookupParam<u32>, plus: pointsman::Param<u32>| {
            table.at(i) + plus
        })
        .unwrap();
    for (n, table) in tables.iter().enumerate() {
        let (a, b, c, d) = (vec![0u8, 199], vec![0u16, 199], vec![0u32, 199], vec![0u64, 199]);
        let sums = s.from((&a, &b, &c, &d)).map(|(a, b, c, d)| table.at(a) + table.at(b) + table.at(c) + table.at(d));
        assert_eq!(sums.to_vec().unwrap(), [0, 4 * 199 * 199]);
        assert_eq!(at.run(&a, table, n as u32).unwrap()[..], [n as u32, 199 * 199 + n as u32]);
    }
    let short = lookup(vec![7u32]);
    assert_eq!(at.run(&[0], &short, 1).unwrap()[..], [8], "another table of another length");
    let error = at.run(&[0, 3], short, 1).unwrap_err();
    assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(1)), "{error}");
}
