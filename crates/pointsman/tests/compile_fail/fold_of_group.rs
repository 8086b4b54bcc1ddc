//! A bare fold in `map` after `group_by`, and a row where `agg` takes folds.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (store, price) = ([7i64, 8], [1.5f64, 2.0]);
    let _bare = session.from((&store, &price)).group_by(|(store, _)| store).map(|(_, price)| price.sum());
    let counted = session.from((&store, &price)).group_by(|(store, _)| store).agg(|(_, price)| price.count());
    let _fold = counted.map(|(_, sales)| sales.sum());
    let _row = session.from((&store, &price)).group_by(|(store, _)| store).agg(|(_, price)| price);
}
