//! Arrow arrays and record batches: slices at every offset, nulls, several batches, results as Arrow.

use super::{floats, integers, noise, session};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, TimestampNanosecondArray,
};
use pointsman::{Column, ErrorKind, Timestamp};
use std::sync::Arc;

/// Some values, each fifth or so null.
fn with_nulls(rows: usize) -> Int64Array {
    integers(rows).into_iter().zip(noise(rows)).map(|(x, bits)| (bits % 5 != 0).then_some(x)).collect()
}

#[test]
fn slices_at_every_offset() {
    let s = session();
    let whole = with_nulls(300);
    let flags: BooleanArray = noise(300).iter().map(|bits| (bits % 7 != 0).then_some(bits & 64 != 0)).collect();
    for offset in 0..70 {
        let rows = 200 - offset;
        let (x, b) = (whole.slice(offset, rows), flags.slice(offset, rows));
        let doubled = s.from(&x).map(|x| x * 2).collect().unwrap();
        assert!(doubled.options().eq(x.iter().map(|x| x.map(|x| x * 2))), "offset {offset}");
        let kept = s.from((&x, &b)).filter(|(_, b)| b).map(|(x, _)| x).collect().unwrap();
        let expected = x.iter().zip(b.iter()).filter(|(_, b)| *b == Some(true)).map(|(x, _)| x);
        assert!(kept.options().eq(expected), "offset {offset}");
        let (sum, n) = s.from(&x).reduce(|x| (x.sum(), x.count())).unwrap();
        assert_eq!((sum, n as usize), (x.iter().flatten().sum(), rows - x.null_count()), "offset {offset}");
        let inverted = s.from(&b).map(|b| !b).collect().unwrap();
        assert!(inverted.options().eq(b.iter().map(|b| b.map(|b| !b))), "offset {offset}");
    }
}

#[test]
fn columns_become_arrow_arrays() {
    let s = session();
    let x = with_nulls(100);
    let out = s.from(&x).map(|x| (x + 1, x.gt(0))).collect().unwrap();
    let (values, flags) = (out.0.to_arrow(), out.1.to_arrow());
    assert_eq!(values, x.iter().map(|x| x.map(|x| x + 1)).collect::<Int64Array>());
    assert_eq!(flags, x.iter().map(|x| x.map(|x| x > 0)).collect::<BooleanArray>());
    let plain = s.from(&[1.5f32, 2.5]).collect().unwrap();
    let shared = plain.to_arrow();
    assert_eq!(shared.values().as_ptr(), plain.as_ptr(), "no copy");
    drop(plain);
    assert_eq!(shared, Float32Array::from(vec![1.5, 2.5]), "the array keeps the memory");
}

#[test]
fn arrow_arrays_become_columns() {
    let array = with_nulls(20).slice(3, 11);
    let column = Column::from(&array);
    assert!(column.options().eq(array.iter()));
    assert_eq!(column.to_arrow(), array);
    let flags = BooleanArray::from(vec![Some(true), None, Some(false)]);
    assert_eq!(Column::from(&flags).to_arrow(), flags);
    let times = TimestampMicrosecondArray::from(vec![5, 7]);
    assert_eq!(session().from(&times).max().unwrap(), Some(Timestamp(7)));
}

fn batch(first: usize, rows: usize) -> RecordBatch {
    let columns: [(&str, ArrayRef); 4] = [
        ("price", Arc::new(Float32Array::from(floats(first + rows)[first..].to_vec()))),
        ("amount", Arc::new(with_nulls(first + rows).slice(first, rows))),
        ("day", Arc::new(Date32Array::from((first..first + rows).map(|i| i as i32).collect::<Vec<_>>()))),
        (
            "cost",
            Arc::new(
                Decimal128Array::from((0..rows as i128).collect::<Vec<_>>()).with_precision_and_scale(10, 2).unwrap(),
            ),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn columns_by_name() {
    let (s, b) = (session(), batch(0, 1000));
    let out = s
        .from(&b)
        .filter(|row| row.col::<f32>("price").gt(0.0))
        .map(|row| row.col::<f32>("price") * row.col::<i64>("amount").cast::<f32>())
        .collect()
        .unwrap();
    let (price, amount) = (b.column(0).as_any().downcast_ref::<Float32Array>().unwrap(), with_nulls(1000));
    let expected = price.iter().zip(amount.iter()).filter(|(p, _)| p.unwrap() > 0.0);
    assert!(out.options().eq(expected.map(|(p, a)| a.map(|a| p.unwrap() * a as f32))));
}

#[test]
fn whole_rows_come_back_as_a_batch() {
    let (s, b) = (session(), batch(0, 100));
    let same = s.from(&b).collect().unwrap();
    assert_eq!(same.num_rows(), 100);
    let schema = b.schema();
    for (i, field) in schema.fields().iter().enumerate() {
        assert_eq!(same.column(i).data_type(), field.data_type());
        assert_eq!(same.column(i).as_ref(), b.column(i).as_ref(), "{}", field.name());
    }
    let late = s.from(&b).filter(|row| row.col::<pointsman::Date>("day").ge(pointsman::Date(97))).collect().unwrap();
    assert_eq!(late.num_rows(), 3);
    let none = s.from(&b).filter(|row| row.col::<f32>("price").gt(1e9)).collect().unwrap();
    assert_eq!((none.num_rows(), none.schema()), (0, b.schema()));
    assert_eq!(s.from(&[1i64]).filter(|x| x.gt(1)).collect().unwrap().to_arrow().len(), 0);
    assert_eq!(late.column(3).as_ref(), b.column(3).slice(97, 3).as_ref());
}

#[test]
fn whole_rows_are_returned_with_other_values() {
    let (s, b) = (session(), batch(0, 10));
    let (rows, doubled) = s.from(&b).map(|row| (row, row.col::<f32>("price") * 2.0)).collect().unwrap();
    assert_eq!(rows.column(1).as_ref(), b.column(1).as_ref());
    assert_eq!(doubled.to_vec(), floats(10).iter().map(|x| x * 2.0).collect::<Vec<_>>());
    let kept = s.from((0u32..10, &b)).filter(|(i, _)| i.gt(7)).map(|(i, row)| (row, i)).filter(|(_, i)| i.lt(9));
    let (rows, numbers) = kept.collect().unwrap();
    assert_eq!((rows.num_rows(), &numbers[..]), (1, &[8][..]));
    assert_eq!(rows.column(2).as_ref(), b.column(2).slice(8, 1).as_ref());
}

#[test]
fn rows_stay_in_their_step_and_query() {
    let (s, b) = (session(), batch(0, 3));
    let mut leaked = None;
    let query = s.from(&b).filter(|row| leaked.insert(row).col::<f32>("price").gt(0.0));
    let error = query.map(|_| leaked.unwrap().col::<f32>("price")).run().unwrap_err();
    assert!(error.message().contains("a row of an earlier step"), "{error}");
    let error = s.from(&b).map(|_| leaked.unwrap().col::<f32>("price")).run().unwrap_err();
    assert!(error.message().contains("a column of query"), "{error}");
    let error = s.from(&b).map(|_| leaked.unwrap()).run().unwrap_err();
    assert!(error.message().contains("a column of query"), "{error}");
}

#[test]
fn several_batches_are_one_source() {
    let s = session();
    let batches = vec![batch(0, 1), batch(1, 4096), batch(4097, 0), batch(4097, 903)];
    let whole = batch(0, 5000);
    let sum = |source: &[RecordBatch]| {
        s.from(source).reduce(|row| (row.col::<f32>("price").sum(), row.col::<i64>("amount").count())).unwrap()
    };
    let (one, many) = (sum(std::slice::from_ref(&whole)), sum(&batches));
    assert_eq!((one.0.to_bits(), one.1), (many.0.to_bits(), many.1));
    let prices = s.from(&batches).map(|row| row.col::<f32>("price")).to_vec().unwrap();
    assert_eq!(prices, floats(5000));
    let numbered = s.from((&batches, 0u32..5000)).filter(|(_, i)| i.ge(4998)).map(|(row, _)| row.col::<f32>("price"));
    assert_eq!(numbered.to_vec().unwrap(), floats(5000)[4998..]);
}

/// What a query says of a column that it cannot read as `f64`.
fn refused(values: ArrayRef) -> String {
    let batch = RecordBatch::try_from_iter([("v", values)]).unwrap();
    let error = session().from(&batch).map(|row| row.col::<f64>("v")).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    error.message().to_string()
}

#[test]
fn unreadable_type_is_an_error_with_a_remedy() {
    let decimals = Decimal128Array::from(vec![1, 2]).with_precision_and_scale(10, 2).unwrap();
    let said = refused(Arc::new(decimals));
    assert_eq!(
        said,
        "column `v` holds Decimal128(10, 2) values, which expressions cannot read: cast it in Arrow to Float64 or, scaled, to Int64"
    );
    let times = TimestampNanosecondArray::from(vec![1, 2]).with_timezone("+01:00");
    assert!(refused(Arc::new(times)).ends_with("cast it in Arrow to Timestamp(µs, \"+01:00\")"));
    let said = refused(Arc::new(StringArray::from(vec!["a"])));
    assert!(said.contains("Utf8") && said.contains("Float32, Float64, Date32"), "{said}");
}

#[test]
fn a_list_of_no_batches_has_no_schema() {
    let none: Vec<RecordBatch> = Vec::new();
    let error = session().from(&none).map(|row| row.col::<f32>("price")).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    for part in ["no column `price`", "no record batches", "no schema", "`RecordBatch::new_empty(schema)`"] {
        assert!(error.message().contains(part), "{error}");
    }
    let empty = vec![RecordBatch::new_empty(batch(0, 1).schema())];
    assert_eq!(session().from(&empty).map(|row| row.col::<f32>("price")).sum().unwrap(), 0.0);
}

#[test]
fn names_and_types_are_checked() {
    let (s, b) = (session(), batch(0, 3));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let mixed = RecordBatch::try_from_iter([("price", b.column(0).clone()), ("name", text)]).unwrap();
    let error = s.from(&b).map(|row| row.col::<f32>("prize")).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    assert_eq!(error.message(), "there is no column `prize`; the columns are `price`, `amount`, `day` and `cost`");
    assert_eq!(error.location().unwrap().line(), line!() - 3);
    let error = s.from(&b).map(|row| row.col::<f64>("price")).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    assert_eq!(
        error.message(),
        "column `price` holds f32 values, not f64: read it as `col::<f32>(\"price\")`, and cast that"
    );
    let error = s.from(&mixed).map(|row| row.col::<f32>("name")).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("column `name` holds Utf8 values"), "{error}");
    assert_eq!(s.from(&mixed).map(|row| row.col::<f32>("price")).to_vec().unwrap(), floats(3));
    let error = s.from(&mixed).collect().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("`name` cannot be carried"), "{error}");
    let error = s.from(&vec![b.clone(), mixed]).map(|row| row.col::<f32>("price")).run().unwrap_err();
    assert!(
        error.message().contains("batch 0 has a column `amount` of Int64, but batch 1 has `name` of Utf8"),
        "{error}"
    );
}

/// A batch of one column or more, each with a name and with nulls allowed or not.
fn named(columns: &[(&str, &Int64Array, bool)]) -> RecordBatch {
    let rows = columns.iter().map(|&(name, array, nullable)| (name, Arc::new(array.clone()) as ArrayRef, nullable));
    RecordBatch::try_from_iter_with_nullable(rows).unwrap()
}

#[test]
fn a_later_batch_may_be_the_first_with_nulls() {
    let (plain, nulls) = (Int64Array::from(vec![1, 2]), Int64Array::from(vec![Some(3), None]));
    let batches = vec![named(&[("a", &plain, false)]), named(&[("a", &nulls, true)])];
    let rows = session().from(&batches).run().unwrap();
    assert_eq!(rows.into_value(), named(&[("a", &Int64Array::from(vec![Some(1), Some(2), Some(3), None]), true)]));
}

#[test]
fn one_name_for_two_columns_is_no_name() {
    let (a, b) = (Int64Array::from(vec![1]), Int64Array::from(vec![2]));
    let batch = named(&[("a", &a, false), ("b", &b, false), ("a", &b, false)]);
    let error = session().from(&batch).map(|row| row.col::<i64>("a")).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    assert!(error.message().contains("several columns are named `a`"), "{error}");
    assert_eq!(session().from(&batch).map(|row| row.col::<i64>("b")).to_vec().unwrap(), [2]);
    assert_eq!(session().from(&batch).run().unwrap().into_value(), batch);
}

#[test]
fn whole_rows_stay_in_their_step() {
    let (s, batch) = (session(), named(&[("a", &Int64Array::from(vec![1, 2]), false)]));
    let mut leaked = None;
    let above = s.from(&batch).filter(|row| leaked.insert(row).col::<i64>("a").gt(1));
    let error = above.map(|row| (row.col::<i64>("a"), leaked.unwrap())).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
    assert!(error.message().contains("a row of an earlier step"), "{error}");
}

#[test]
fn column_that_cannot_be_carried_is_named_with_its_position() {
    let texts = Arc::new(StringArray::from(vec!["x"])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("text", texts)]).unwrap();
    let error = session().from(&batch).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("`text`") && error.to_string().contains("arrow.rs:"), "{error}");
}
