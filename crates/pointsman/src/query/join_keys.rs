//! The keys of joins: expressions, null-safe or not, and tuples and arrays of them.

use crate::data::element::Element;
use crate::query::build::Handle;
use crate::query::expr::Expr;
use crate::query::values::for_each_arity;

/// One key of one side.
#[derive(Clone, Copy, Debug)]
pub struct KeyPart {
    pub(super) value: Handle,
    /// Whether a null equals a null.
    pub(super) null_safe: bool,
}

/// The keys of one side of a join: an expression, [`null_safe`] of one, or a tuple or array of them. Both sides have
/// the same type. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a join key",
    note = "join keys are expressions, `null_safe(x)`, or tuples or arrays of them; fold the rows first (`group_by(…).agg(…)`) to join by a fold"
)]
pub trait JoinKeys {
    /// Adds its keys.
    #[doc(hidden)]
    fn gather(&self, keys: &mut Vec<KeyPart>);
}

/// Keys of a join where a null equals a null: [`null_safe`].
#[must_use = "a key does nothing unless the closure returns it"]
#[derive(Clone, Copy, Debug)]
pub struct NullSafe<K>(K);

/// Keys of a join where a null equals a null; without it, a null equals nothing. Both sides must use it.
///
/// ```
/// # use pointsman::{Session, null, null_safe, select};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let query = || s.from(&[4i64, 0]).map(|x| select(x.eq(0), null(), x));
/// assert_eq!(query().join(query(), |x| x, |y| y).count()?, 1);
/// assert_eq!(query().join(query(), |x| null_safe(x), |y| null_safe(y)).count()?, 2);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "is_not_distinct_from")]
pub fn null_safe<K: JoinKeys>(keys: K) -> NullSafe<K> {
    NullSafe(keys)
}

impl<T: Element> JoinKeys for Expr<T> {
    fn gather(&self, keys: &mut Vec<KeyPart>) {
        keys.push(KeyPart { value: self.handle, null_safe: false });
    }
}

impl<K: JoinKeys> JoinKeys for NullSafe<K> {
    fn gather(&self, keys: &mut Vec<KeyPart>) {
        let first = keys.len();
        self.0.gather(keys);
        keys[first..].iter_mut().for_each(|key| key.null_safe = true);
    }
}

impl<K: JoinKeys, const N: usize> JoinKeys for [K; N] {
    fn gather(&self, keys: &mut Vec<KeyPart>) {
        self.iter().for_each(|key| key.gather(keys));
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: JoinKeys),+> JoinKeys for ($($name,)+) {
            #[allow(non_snake_case)]
            fn gather(&self, keys: &mut Vec<KeyPart>) {
                let ($($name,)+) = self;
                $($name.gather(keys);)+
            }
        }
    };
}

for_each_arity!(tuples: A B C D E F G H I J K L);
