//! Chains of many steps.

use super::{SIZES, check, column, keys, numbers, options, session};
use pointsman::count;
use std::collections::BTreeMap;

#[test]
fn filter_join_group_filter_sort_limit() {
    let s = session();
    for size in SIZES {
        let stores = (size as i64 / 50).max(2);
        let (store, price) = (keys(size, stores as u64 + 5), numbers(size));
        // City 3 has no store.
        let city_of = |store: i64| (store * 7) % 5;
        let mut cities: BTreeMap<i64, (i64, u64)> = BTreeMap::new();
        let sold = store.iter().zip(&price).filter_map(|(store, price)| Some(((*store)?, (*price)?)));
        for (store, price) in sold.filter(|(store, price)| *price > -400 && *store < stores && city_of(*store) != 3) {
            let city = cities.entry(city_of(store)).or_default();
            *city = (city.0 + price, city.1 + 1);
        }
        let mut expected: Vec<_> = cities.into_iter().filter(|(_, (_, sales))| *sales > 2).collect();
        expected.sort_by_key(|(city, (revenue, _))| (-revenue, *city));
        expected.truncate(3);

        let (store, price) = (column(&store), column(&price));
        let trades = s.from((&store, &price)).filter(|(_, price)| price.gt(-400));
        let stores = s.from(0i64..stores).map(|id| (id, (id * 7) % 5)).filter(|(_, city)| city.ne(3));
        let revenue = trades
            .join(stores, |(store, _)| store, |(id, _)| id)
            .group_by(|(_, (_, city))| city)
            .agg(|((_, price), _)| (price.sum(), count()))
            .filter(|(_, (_, sales))| sales.gt(2))
            .sort_by(|(city, (revenue, _))| (revenue.desc(), city))
            .limit(3);
        let (city, (revenue, sales)) = revenue.collect().unwrap();
        let found: Vec<_> = (0..city.len()).map(|row| (city[row], (revenue[row], sales[row]))).collect();
        check(&format!("chain over {size}"), &found, &expected);
    }
}

#[test]
fn groups_join_the_rows_they_come_from() {
    let s = session();
    for size in SIZES {
        let (k, n) = (keys(size, size as u64 / 6), numbers(size));
        let mut sums: BTreeMap<i64, i64> = BTreeMap::new();
        k.iter().zip(&n).for_each(|(k, n)| *sums.entry(k.unwrap_or(-1)).or_default() += n.unwrap_or(0));
        let expected: Vec<_> = k.iter().zip(&n).map(|(k, n)| k.and_then(|k| Some(n.as_ref()? - sums[&k]))).collect();
        let (k, n) = (column(&k), column(&n));
        let totals = s.from((&k, &n)).group_by(|(k, _)| k).agg(|(_, n)| n.sum());
        let rest = s.from((&k, &n)).left_join(totals, |(k, _)| k, |(k, _)| k).map(|((_, n), (_, sum))| n - sum);
        check(&format!("shares of {size}"), &options(&rest.collect().unwrap()), &expected);
    }
}

#[test]
fn steps_after_the_distinct_rows_of_a_union() {
    let (s, x, y) = (session(), [5i64, 1, 5, 3], [3i64, 8]);
    let all = || s.from(&x).union(s.from(&y)).distinct();
    assert_eq!(all().to_vec().unwrap(), [5, 1, 3, 8]);
    assert_eq!(all().sort_by(|x| x.desc()).offset(1).limit(2).to_vec().unwrap(), [5, 3]);
    assert_eq!(all().limit(3).sum().unwrap(), 9);
    assert_eq!(all().scan(|x| x.running_sum()).to_vec().unwrap(), [5, 6, 9, 17]);
    assert_eq!(all().anti_join(s.from(&y), |x| x, |y| y).count().unwrap(), 2);
}
