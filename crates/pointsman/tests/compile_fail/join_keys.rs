//! Keys of different types on both sides of a join, and folds as keys.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (ids, stores) = ([1i64, 2], [1i32, 2]);
    let _types = session.from(&ids).join(session.from(&stores), |id| id, |store| store);
    let _fold = session.from(&ids).join(session.from(&ids), |id| id.max(), |id| id.max());
    let _group = session.from(&ids).group_by(|id| id.max());
    let _sort = session.from(&ids).sort_by(|id| id.max());
}
