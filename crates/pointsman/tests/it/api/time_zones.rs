//! Time zones: a timestamp that a query passes on keeps the zone of its column.

use super::session;
use arrow_array::{Array, ArrayRef, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, TimeUnit};
use pointsman::{Column, Date, Expr, Param, Timestamp, filtered, repeat, select};
use std::sync::Arc;

const BERLIN: &str = "Europe/Berlin";

fn times(zone: Option<&str>) -> TimestampMicrosecondArray {
    TimestampMicrosecondArray::from(vec![Some(5), None, Some(-7)]).with_timezone_opt(zone)
}

fn check(column: &Column<Timestamp>, zone: Option<&str>) {
    assert_eq!(column.time_zone(), zone);
    let arrow = DataType::Timestamp(TimeUnit::Microsecond, zone.map(Arc::from));
    assert_eq!(*column.to_arrow().data_type(), arrow);
}

#[test]
fn timestamps_that_pass_through_keep_their_zone() {
    let (s, zoned) = (session(), times(Some(BERLIN)));
    let same = s.from(&zoned).collect().unwrap();
    check(&same, Some(BERLIN));
    assert_eq!(same.to_arrow(), zoned);
    check(&same.clone(), Some(BERLIN));
    check(&s.from(&same).filter(|t| t.gt(Timestamp(0))).collect().unwrap(), Some(BERLIN));
    check(&s.from(same.clone()).map(|t| t.coalesce(Timestamp(0))).collect().unwrap(), Some(BERLIN));
    check(&s.from(zoned.clone()).scan(|t| (t.running_max(), t.kept())).collect().unwrap().1, Some(BERLIN));
    check(&s.from(&zoned).scan(|t| t.running_max()).collect().unwrap(), Some(BERLIN));
    check(&s.from(&zoned).map(|t| repeat(2, t, |_, t| t.least(Timestamp(9)))).collect().unwrap(), Some(BERLIN));
    check(&s.from((0u32..3, &zoned)).map(|(n, t)| select(n.gt(1), t, t)).collect().unwrap(), Some(BERLIN));
    let column: ArrayRef = Arc::new(zoned.clone());
    let batch = RecordBatch::try_from_iter([("t", column)]).unwrap();
    check(&s.from(&batch).map(|row| row.col::<Timestamp>("t")).collect().unwrap(), Some(BERLIN));
    assert_eq!(
        s.from(&batch).filter(|row| row.col::<Timestamp>("t").lt(Timestamp(6))).collect().unwrap().num_rows(),
        2
    );
    let query = s.prepare(|n: Expr<i32>, t: Expr<Timestamp>, low: Param<i32>| filtered(n.gt(low), t)).unwrap();
    check(&query.run(&[1, 2, 3], &zoned, 1).unwrap(), Some(BERLIN));
    check(&query.run(&[1, 2, 3], times(None), 1).unwrap(), None);
}

#[test]
fn timestamps_of_different_zones_have_no_zone() {
    let (s, zoned) = (session(), times(Some(BERLIN)));
    check(&s.from(&times(None)).collect().unwrap(), None);
    let rebuilt = s.from(&zoned).map(|t| t.cast::<i64>().cast::<Timestamp>());
    check(&rebuilt.collect().unwrap(), None);
    for other in [None, Some("UTC")] {
        let both = s.from((&zoned, &times(other))).map(|(a, b)| a.greatest(b)).collect().unwrap();
        check(&both, None);
    }
    let pair = s.from((&zoned, &times(None))).map(|(a, b)| (b, a)).collect().unwrap();
    check(&pair.0, None);
    check(&pair.1, Some(BERLIN));
    assert_eq!(pair.0, pair.1, "columns are compared by their values");
}

/// A date is the day in UTC that contains the timestamp, before 1970 as well.
#[test]
fn a_timestamp_becomes_the_day_that_contains_it() {
    const DAY: i64 = 86_400_000_000;
    let times = [0, 1, DAY - 1, DAY, -1, -DAY, -DAY - 1, 19_000 * DAY + 5].map(Timestamp);
    let days = session().from(&times).map(|t| t.cast::<Date>()).to_vec().unwrap();
    assert_eq!(days, [0, 0, 0, 1, -1, -1, -2, 19_000].map(Date));
}
