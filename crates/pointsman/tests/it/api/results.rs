//! Results as vectors, slices, record batches and iterators; names of queries.

use super::session;
use pointsman::{Column, ErrorKind, Param, SessionOptions, val};

#[test]
fn answers_are_iterated_and_converted() {
    let s = session();
    let nulls = [Some(2i64), None, Some(5)];
    let answer = s.from(&nulls).map(|x| x * 2).run().unwrap();
    assert_eq!(answer.options().collect::<Vec<_>>(), [Some(4), None, Some(10)]);
    assert_eq!(Vec::<Option<i64>>::from(answer.clone()), [Some(4), None, Some(10)]);
    assert_eq!(Vec::<i64>::from(answer), [4, 0, 10]);
    let answer = s.from(0i32..5).run().unwrap();
    let mut sum = 0;
    for x in &answer {
        sum += x;
    }
    for x in &*answer {
        sum += x;
    }
    assert_eq!((sum, answer.iter().sum::<i32>()), (20, 10));
    let values = vec![1u8, 2];
    let memory = values.as_ptr();
    let back: Vec<u8> = Column::from(values).into();
    assert_eq!((back.as_ptr(), &back[..]), (memory, &[1, 2][..]), "it was copied");
    let column = Column::from(vec![1.0f32; 3]);
    let clone = column.clone();
    assert_eq!((Vec::from(column), clone.to_vec()), (vec![1.0f32; 3], vec![1.0; 3]));
    assert_eq!(Column::from(vec![None, Some(1i16)]).nulls(), 1);
    assert_eq!(&Column::from(vec![true].into_boxed_slice())[..], [true]);
}

#[test]
fn several_outputs_become_vectors_slices_and_batches() {
    let s = session();
    for rows in [0, 1, 7, 63, 64, 65, 4097, 65_537] {
        let x: Vec<u32> = (0..rows).collect();
        let query = || s.from(&x).map(|x| (x + 1, [(x % 2).eq(0), x.gt(5)], x.cast::<f64>()));
        let (a, [even, large], b) = query().to_vec().unwrap();
        assert!(a.iter().copied().eq(1..=rows) && b.iter().copied().eq((0..rows).map(f64::from)));
        assert!(even.iter().zip(&large).zip(0..).all(|((even, large), i)| (*even, *large) == (i % 2 == 0, i > 5)));
        let n = rows as usize;
        let (mut p, mut q, mut r, mut t) = (vec![9; n + 2], vec![false; n], vec![true; n], vec![0.0; n]);
        assert_eq!(query().into_slice((&mut p, [&mut q, &mut r], &mut t)).unwrap(), n);
        assert_eq!((&p[..n], &p[n..], q, r, &t), (&a[..], &[9, 9][..], even, large, &b));
        let batch = query().to_batch(&["a", "even", "large", "b"]).unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (n, 4));
        assert_eq!(s.from(&batch).map(|row| row.col::<f64>("b")).to_vec().unwrap(), b);
        assert_eq!(s.from(&batch).filter(|row| row.col::<bool>("even")).count().unwrap(), u64::from(rows.div_ceil(2)));
    }
    let query = || s.from(&[1u32, 2]).map(|x| (x, x + 1));
    let mut short = [0u32; 1];
    let error = query().into_slice((&mut [0; 2], &mut short)).unwrap_err();
    assert!(error.message().contains("room for 1"), "{error}");
    assert!(query().to_batch(&["a"]).unwrap_err().message().contains("1 names for 2 columns"));
    assert!(query().to_batch(&["a", "a"]).unwrap_err().message().contains("named `a`"));
    let null = s.from(&[Some(1u32), None]).map(|x| (x, x)).to_vec().unwrap_err();
    assert!(null.message().contains("1 values of the result are null"), "{null}");
    let batch = s.from(&[Some(1u32), None]).to_batch(&["x"]).unwrap();
    assert_eq!(batch.column(0).null_count(), 1);
}

#[test]
fn names_and_places_of_queries_are_reported() {
    let s = SessionOptions::new().threads(1).keep_receipts(9).open().unwrap();
    let before = std::time::SystemTime::now();
    let line = line!() + 1;
    let answer = s.from(&[1i32, 2]).map(|x| x * 2).named("risk").run().unwrap();
    let receipt = answer.receipt();
    assert_eq!((receipt.name(), receipt.location().map(|at| at.line())), (Some("risk"), Some(line)));
    let late = receipt.started().duration_since(before - std::time::Duration::from_millis(5));
    assert!(late.is_ok_and(|late| late.as_secs() < 60), "{:?}", receipt.started());
    let json: serde_json::Value = serde_json::from_str(&receipt.to_json()).unwrap();
    assert_eq!(json["name"], "risk");
    assert!(json["location"].as_str().unwrap().contains("results.rs:"), "{json}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((json["started"].as_f64().unwrap() - now).abs() < 60.0, "{json}");
    assert!(format!("{receipt}").starts_with("risk: "), "{receipt}");
    assert!(format!("{receipt:#}").starts_with("query    risk\n"), "{receipt:#}");
    assert!(s.chrome_trace().contains("\"risk on cpu\""), "{}", s.chrome_trace());
    let unnamed = s.from(&[1i32]).run().unwrap();
    assert_eq!(unnamed.receipt().name(), None);
    assert!(unnamed.receipt().to_json().contains("\"name\":null"));
    let folded = s.from(&[1i32]).folds(|x| x.sum()).named("sum").run().unwrap();
    assert_eq!(folded.receipt().name(), Some("sum"));
    let prepared = s.prepare(|x: pointsman::I32| 6 / x).unwrap().named("ratio");
    assert_eq!(prepared.run(&[3]).unwrap().receipt().name(), Some("ratio"));
    let error = prepared.run(&[3, 0]).unwrap_err();
    assert_eq!((error.query(), error.row()), (Some("ratio"), Some(1)));
    assert!(error.to_string().starts_with("query `ratio`: row 1: "), "{error}");
    let failed = s.failed_queries();
    let failed = failed.last().unwrap().to_json();
    assert!(failed.contains("\"name\":\"ratio\""), "{failed}");
    let mistake = s.from((&[1i32], &[1i32, 2])).named("uneven").map(|(a, b)| a + b).run().unwrap_err();
    assert_eq!((mistake.kind(), mistake.query()), (ErrorKind::InvalidQuery, Some("uneven")));
}

#[test]
fn a_scalar_that_is_one_parameter_is_computed_with_once() {
    let s = session();
    let k = 2.5f32;
    let three = s.from(&[1.0f32, 4.0]).map(|x| (x - k) * (x - k) / (x - k));
    let one = s.from(&[1.0f32, 4.0]).map(|x| {
        let k = val(k);
        (x - k) * (x - k) / (x - k)
    });
    let params = |explained: pointsman::Explain| ["p0", "p1", "p2"].map(|param| explained.to_string().contains(param));
    assert_eq!((params(three.explain()), params(one.explain())), ([true; 3], [true, false, false]));
    let advice = s.advise(&three);
    let found =
        advice.iter().find(|one| one.kind == pointsman::report::AdviceKind::ShareScalar).expect("three are equal");
    assert!(found.text.contains("2.5") && found.text.contains("3 times"), "{found}");
    assert!(s.advise(&one).is_empty(), "{:?}", s.advise(&one));
    assert_eq!(one.to_vec().unwrap(), three.to_vec().unwrap());
}

#[test]
fn prepared_queries_take_batches_truth_values_dates_and_sixteen_arguments() {
    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
    use arrow_schema::Schema;
    use pointsman::{Columns, Date, F64, I64, Timestamp};
    use std::sync::Arc;
    let s = session();
    let flagged = s.prepare(|x: I64, keep: Param<bool>| pointsman::select(keep, x, -x)).unwrap();
    assert_eq!(flagged.run(&[1, 2], false).unwrap()[..], [-1, -2]);
    assert_eq!(flagged.run(&[1, 2], true).unwrap()[..], [1, 2]);
    let since = s.prepare(|day: pointsman::Expr<Date>, first: Param<Date>| day.ge(first)).unwrap();
    assert_eq!(since.run(&[Date(3), Date(9)], Date(5)).unwrap()[..], [false, true]);
    let at = s.prepare(|at: pointsman::Expr<Timestamp>, first: Param<Timestamp>| at.lt(first)).unwrap();
    assert_eq!(at.run(&[Timestamp(3)], Timestamp(5)).unwrap()[..], [true]);
    #[rustfmt::skip]
    let many = s.prepare(|a: F64, b: Param<f64>, c: Param<f64>, d: Param<f64>, e: F64, f: Param<f64>, g: Param<f64>,
        h: Param<f64>, i: F64, j: Param<f64>, k: Param<f64>, l: Param<f64>, m: F64, n: Param<f64>, o: F64, p: Param<f64>| {
        a * b + c + d + e * f + g + h + i * j + k + l + m * n + o * p
    }).unwrap();
    let x = [1.0, 2.0];
    let sums = many.run(&x, 1.0, 2.0, 3.0, &x, 4.0, 5.0, 6.0, &x, 7.0, 8.0, 9.0, &x, 10.0, &x, 11.0).unwrap();
    assert_eq!(sums[..], [33.0 + 33.0, 33.0 + 66.0]);
    let batch = |price: Vec<f64>, store: Vec<Option<i64>>| {
        let note: ArrayRef = Arc::new(StringArray::from(vec!["x"; price.len()]));
        let (price, store): (ArrayRef, ArrayRef) =
            (Arc::new(Float64Array::from(price)), Arc::new(Int64Array::from(store)));
        RecordBatch::try_from_iter_with_nullable([
            ("note", note, true),
            ("price", price, false),
            ("store", store, true),
        ])
    };
    let [one, two] =
        [batch(vec![1.0, 2.0, 4.0], vec![Some(7), None, Some(7)]).unwrap(), batch(vec![8.0], vec![Some(7)]).unwrap()];
    let total = s
        .prepare_for(&one.schema(), |t: Columns, store: Param<i64>| {
            pointsman::filtered(t.col::<i64>("store").eq(store), t.col::<f64>("price").sum())
        })
        .unwrap();
    assert_eq!(*total.run(&one, 7).unwrap(), 5.0);
    assert_eq!(*total.run(&two, 7).unwrap(), 8.0);
    assert_eq!(*total.run(&vec![one.clone(), two.clone()], 7).unwrap(), 13.0);
    assert_eq!(*total.run(one.clone(), 8).unwrap(), 0.0);
    assert_eq!(*total.run(one.slice(1, 2), 7).unwrap(), 4.0);
    let readable = one.project(&[1, 2]).unwrap();
    let whole = s.prepare_for(&readable.schema(), |t: Columns| t).unwrap();
    assert_eq!(whole.run(&readable).unwrap().into_value(), readable);
    let error = total.run(&readable, 7).unwrap_err();
    assert!(error.message().contains("was prepared for batches with the columns `note` of Utf8"), "{error}");
    let schema = readable.schema();
    let nullable: Vec<_> = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
    let nullable = Schema::new(nullable);
    let nullable = RecordBatch::try_new(Arc::new(nullable), readable.columns().to_vec()).unwrap();
    assert!(whole.run(&nullable).unwrap_err().message().contains("`price` is not nullable"));
    assert!(s.prepare(|t: Columns| t.col::<i64>("x")).map(drop).unwrap_err().message().contains("prepare_for"));
    let none: Vec<RecordBatch> = Vec::new();
    assert!(total.run(&none, 7).unwrap_err().message().contains("new_empty"));
    let promise = total.run_async(one, 7);
    let again = total.clone().named("again").prefer("cpu");
    assert_eq!(*again.run(&two, 7).unwrap(), 8.0);
    assert_eq!(*crate::reporting::executor::block_on(promise).unwrap(), 5.0);
}
