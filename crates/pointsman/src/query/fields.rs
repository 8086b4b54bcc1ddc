//! Sources whose values lie beside other data: fields of structs ([`fields`]) and slices of arrays. Devices read columns,
//! so the values are copied, once, when the query is made.

use crate::data::column::Column;
use crate::data::element::Element;
use crate::data::input::Input;
use crate::query::arguments::{ArgumentList, InputValue};
use crate::query::expr::Expr;
use crate::query::source::{Opener, Source};
use crate::query::values::Values;
use std::sync::Arc;

/// What the closure of [`fields`] returns: a value, an `Option` of one, or a tuple or array of these. The trait is
/// sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a source",
    note = "the closure of `fields` returns numbers, truth values, dates or timestamps, `Option`s of them, or a tuple or array of these"
)]
pub trait FieldValues {
    /// The row that closures of the query see.
    type Row: Values;
    /// The values of all rows.
    #[doc(hidden)]
    type Lists;

    #[doc(hidden)]
    fn lists(rows: usize) -> Self::Lists;

    #[doc(hidden)]
    fn push(self, lists: &mut Self::Lists);

    #[doc(hidden)]
    fn open(lists: Self::Lists, opener: &mut Opener<'_>) -> Self::Row;

    #[doc(hidden)]
    fn give(lists: Self::Lists, call: &mut ArgumentList<'_>);
}

/// Fields of structs as a source. [`fields`] makes one.
#[must_use = "a source does nothing until a query reads it"]
pub struct Fields<V: FieldValues>(V::Lists);

/// The values that the closure takes from each item, as the source of a query: a field, or a tuple or array of fields.
/// They are copied.
///
/// ```
/// use pointsman::fields;
///
/// struct Trade {
///     price: f64,
///     quantity: u32,
///     fee: Option<f64>,
/// }
///
/// # fn main() -> pointsman::Result<()> {
/// let s = pointsman::Session::open()?;
/// let trades = [
///     Trade { price: 2.5, quantity: 10, fee: None },
///     Trade { price: 4.0, quantity: 3, fee: Some(0.5) },
/// ];
/// let rows = s.from(fields(&trades, |t| (t.price, t.quantity, t.fee)));
/// let costs = rows.map(|(price, quantity, fee)| price * quantity.cast::<f64>() + fee.coalesce(0.0));
/// assert_eq!(costs.to_vec()?, [25.0, 12.5]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "structs")]
pub fn fields<S, V: FieldValues>(items: &[S], field: impl Fn(&S) -> V) -> Fields<V> {
    let mut lists = V::lists(items.len());
    items.iter().for_each(|item| field(item).push(&mut lists));
    Fields(lists)
}

impl<'a, V: FieldValues> Source<'a> for Fields<V> {
    type Row = V::Row;

    fn open(self, opener: &mut Opener<'a>) -> V::Row {
        V::open(self.0, opener)
    }
}

impl<'a, V: FieldValues> InputValue<'a, V::Row> for Fields<V> {
    fn give(self, call: &mut ArgumentList<'a>) {
        V::give(self.0, call);
    }
}

/// Slices and vectors of arrays, by reference or by value.
macro_rules! array_slices {
    ($([$($generics:tt)*] $slice:ty;)*) => {$(
        impl<'a, T: Element, const N: usize, $($generics)*> Source<'a> for $slice {
            type Row = [Expr<T>; N];

            fn open(self, opener: &mut Opener<'a>) -> Self::Row {
                fields(&self[..], |values: &[T; N]| *values).open(opener)
            }
        }

        impl<'a, T: Element, const N: usize, $($generics)*> InputValue<'a, [Expr<T>; N]> for $slice {
            fn give(self, call: &mut ArgumentList<'a>) {
                fields(&self[..], |values: &[T; N]| *values).give(call);
            }
        }
    )*};
}

array_slices! {
    [] &'a [[T; N]];
    [] &'a Vec<[T; N]>;
    [] Vec<[T; N]>;
    [const M: usize] &'a [[T; N]; M];
}

/// Values without and with nulls.
macro_rules! leaves {
    ($($leaf:ty, |$list:ident| $nullable:expr;)*) => {$(
        impl<T: Element> FieldValues for $leaf {
            type Row = Expr<T>;
            type Lists = Vec<$leaf>;

            fn lists(rows: usize) -> Vec<$leaf> {
                Vec::with_capacity(rows)
            }

            fn push(self, lists: &mut Vec<$leaf>) {
                lists.push(self);
            }

            fn open($list: Vec<$leaf>, opener: &mut Opener<'_>) -> Expr<T> {
                opener.typed($nullable, None, Input::Owned(Arc::new(Column::from($list))))
            }

            fn give(lists: Vec<$leaf>, call: &mut ArgumentList<'_>) {
                InputValue::<Expr<T>>::give(lists, call);
            }
        }
    )*};
}

leaves! {
    T, |list| false;
    Option<T>, |list| list.iter().any(Option::is_none);
}

impl<V: FieldValues, const N: usize> FieldValues for [V; N] {
    type Row = [V::Row; N];
    type Lists = [V::Lists; N];

    fn lists(rows: usize) -> Self::Lists {
        std::array::from_fn(|_| V::lists(rows))
    }

    fn push(self, lists: &mut Self::Lists) {
        self.into_iter().zip(lists).for_each(|(value, list)| value.push(list));
    }

    fn open(lists: Self::Lists, opener: &mut Opener<'_>) -> Self::Row {
        lists.map(|list| V::open(list, opener))
    }

    fn give(lists: Self::Lists, call: &mut ArgumentList<'_>) {
        lists.into_iter().for_each(|list| V::give(list, call));
    }
}

macro_rules! tuples {
    ($($name:ident $list:ident)+) => {
        impl<$($name: FieldValues),+> FieldValues for ($($name,)+) {
            type Row = ($($name::Row,)+);
            type Lists = ($($name::Lists,)+);

            fn lists(rows: usize) -> Self::Lists {
                ($($name::lists(rows),)+)
            }

            #[allow(non_snake_case)]
            fn push(self, lists: &mut Self::Lists) {
                let (($($name,)+), ($($list,)+)) = (self, lists);
                $($name.push($list);)+
            }

            fn open(lists: Self::Lists, opener: &mut Opener<'_>) -> Self::Row {
                let ($($list,)+) = lists;
                ($($name::open($list, opener),)+)
            }

            fn give(lists: Self::Lists, call: &mut ArgumentList<'_>) {
                let ($($list,)+) = lists;
                $($name::give($list, call);)+
            }
        }
    };
}

tuples!(A a);
tuples!(A a B b);
tuples!(A a B b C c);
tuples!(A a B b C c D d);
tuples!(A a B b C c D d E e);
tuples!(A a B b C c D d E e F f);
tuples!(A a B b C c D d E e F f G g);
tuples!(A a B b C c D d E e F f G g H h);
tuples!(A a B b C c D d E e F f G g H h I i);
tuples!(A a B b C c D d E e F f G g H h I i J j);
tuples!(A a B b C c D d E e F f G g H h I i J j K k);
tuples!(A a B b C c D d E e F f G g H h I i J j K k L l);
