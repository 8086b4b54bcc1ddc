//! Record batches as sides of joins and unions, and time zones of what tables give.

use super::session;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use pointsman::{ErrorKind, Timestamp, count};
use std::sync::Arc;

fn trades() -> RecordBatch {
    let price: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 4.0, 2.0]));
    let store: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 7]));
    RecordBatch::try_from_iter([("price", price), ("store", store)]).unwrap()
}

fn stores() -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from(vec![7, 9]));
    let city: ArrayRef = Arc::new(Int64Array::from(vec![100, 101]));
    RecordBatch::try_from_iter([("id", id), ("city", city)]).unwrap()
}

#[test]
fn rows_of_both_sides_are_read_by_name() {
    let (s, trades, stores) = (session(), trades(), stores());
    let join = || s.from(&trades).join_on(s.from(&stores), |t| t.col::<i64>("store"), |s| s.col::<i64>("id"));
    let (left, right) =
        join().filter(|t, s| t.col::<f64>("price").lt(s.col::<i64>("city").cast())).inner().collect().unwrap();
    assert_eq!((left.num_rows(), left.schema().field(0).name().as_str()), (2, "price"));
    assert_eq!(right["city"].as_ref(), &Int64Array::from(vec![100, 100]) as &dyn Array);
    let city = join().left().group_by(|(_, s)| s.col::<i64>("city")).in_first_row_order();
    let (city, sales) = city.agg(|(t, _)| t.col::<f64>("price").sum()).collect().unwrap();
    assert_eq!((city.to_arrow(), &sales[..]), (Int64Array::from(vec![Some(100), None]), &[3.5, 4.0][..]));
}

#[test]
fn outer_joins_add_nulls_to_columns_that_had_none() {
    let (s, trades, stores) = (session(), trades(), stores());
    let join = || s.from(&trades).join_on(s.from(&stores), |t| t.col::<i64>("store"), |s| s.col::<i64>("id"));
    let (left, right) = join().full().collect().unwrap();
    assert_eq!(left["price"].as_ref(), &Float64Array::from(vec![Some(1.5), Some(4.0), Some(2.0), None]) as &dyn Array);
    assert_eq!(right["id"].as_ref(), &Int64Array::from(vec![Some(7), None, Some(7), Some(9)]) as &dyn Array);
    assert!(!trades.schema().field(0).is_nullable() && left.schema().field(0).is_nullable());
}

#[test]
fn unions_of_batches_have_the_same_columns() {
    let (s, trades, stores) = (session(), trades(), stores());
    let both = s.from(&trades).union(s.from(trades.clone())).collect().unwrap();
    assert_eq!((both.num_rows(), both.schema()), (6, trades.schema()));
    let error = s.from(&trades).union(s.from(&stores)).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    assert!(error.message().contains("`price: f64` and `store: i64`"), "{error}");
}

#[test]
fn distinct_rows_have_no_unreadable_columns() {
    let name: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let id: ArrayRef = Arc::new(Int64Array::from(vec![1, 1]));
    let batch = RecordBatch::try_from_iter([("id", id), ("name", name)]).unwrap();
    let error = session().from(&batch).distinct().map(|row| row.col::<i64>("id")).run().unwrap_err();
    assert!(error.kind() == ErrorKind::Unsupported && error.message().contains("name"), "{error}");
}

#[test]
fn time_zones_pass_through() {
    let s = session();
    let zoned = TimestampMicrosecondArray::from(vec![5, 3, 5]).with_timezone("Europe/Berlin");
    let other = TimestampMicrosecondArray::from(vec![5]).with_timezone("UTC");
    let zone = Some("Europe/Berlin");
    assert_eq!(s.from(&zoned).sort_by(|t| t).limit(2).collect().unwrap().time_zone(), zone);
    let (key, (last, rows)) = s.from(&zoned).group_by(|t| t).agg(|t| (t.max(), count())).collect().unwrap();
    assert_eq!((key.time_zone(), last.time_zone(), rows.len()), (zone, zone, 2));
    let joined = s.from(&other).join(s.from(&zoned), |a| a, |b| b).collect().unwrap();
    assert_eq!((joined.0.time_zone(), joined.1.time_zone()), (Some("UTC"), zone));
    assert_eq!(
        s.from(&zoned).union(s.from(&zoned).filter(|t| t.lt(Timestamp(4)))).collect().unwrap().time_zone(),
        zone
    );
    assert_eq!(s.from(&zoned).union(s.from(&other)).collect().unwrap().time_zone(), None);
}
