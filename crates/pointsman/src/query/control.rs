//! The free functions of the expression language: conditional values, loops, lookups, constants.

use crate::data::column::Column;
use crate::data::element::Element;
use crate::data::input::{CapturedList, OwnedValues};
use crate::error::{CallSite, Error, Result};
use crate::query::build::{self, Handle};
use crate::query::expr::{Expr, IntoExpr};
use crate::query::steps::{Binder, ResultParts};
use crate::query::values::{IntoValues, Values};
use pointsman_ir::body::{Body, ValueId};
use pointsman_ir::op::Op;
use pointsman_ir::types::DType;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A constant of the kernel. A plain scalar is a run-time parameter instead: another value of it never compiles the
/// query again. Constants let the compiler simplify, and give tuples of expressions their types.
///
/// ```
/// # use pointsman::{Session, lit};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// assert_eq!(s.from(0u32..3).map(|_| lit(7i64)).run()?[..], [7, 7, 7]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "constant")]
#[doc(alias = "literal")]
#[track_caller]
pub fn lit<T: Element>(value: T) -> Expr<T> {
    let at = Location::caller();
    Expr::new(build::append(at, |builder| builder.constant(Some(value.scalar()), T::DTYPE, at)))
}

/// A scalar as one run-time parameter, to be used many times. A plain scalar becomes a parameter at each of its uses,
/// and the compiler does not know that they are equal.
///
/// ```
/// # use pointsman::{Session, val};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let centre = 2.0f32;
/// let squares = s.from(&[1.0, 5.0]).map(|x| {
///     let centre = val(centre);
///     (x - centre) * (x - centre) // One subtraction for each row.
/// });
/// assert_eq!(squares.to_vec()?, [1.0, 9.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "param")]
#[track_caller]
pub fn val<T: Element>(value: T) -> Expr<T> {
    value.into_expr()
}

/// A null of type `T`.
#[track_caller]
pub fn null<T: Element>() -> Expr<T> {
    let at = Location::caller();
    Expr::new(build::append(at, |builder| builder.constant(None, T::DTYPE, at)))
}

/// The value of `then` in rows where the condition is true, and of `otherwise` where it is false or null. Both may be
/// tuples or arrays of one shape. An error in the value that is not taken is never raised.
///
/// ```
/// # use pointsman::{Session, select};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let inverse = s.from(&[4i32, 0]).map(|x| select(x.eq(0), 0, 100 / x)).run()?;
/// assert_eq!(inverse[..], [25, 0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "if")]
#[doc(alias = "case")]
#[doc(alias = "when")]
#[track_caller]
pub fn select<A, B>(condition: impl IntoExpr<bool>, then: A, otherwise: B) -> A::Row
where
    A: IntoValues,
    B: IntoValues<Row = A::Row>,
{
    let at = Location::caller();
    let condition = condition.into_expr().handle;
    let (then, otherwise) = (then.into_values(), otherwise.into_values());
    let parts = [ResultParts::of(&then), ResultParts::of(&otherwise)];
    let pairs = parts[0].values().zip(parts[1].values());
    let chosen = pairs.map(|(a, b)| build::call(Op::Select, &[condition, a, b], at)).collect();
    then.bind(&mut Binder::given(chosen, at))
}

/// Applies `next` to a state `times` times and returns the last state. `next` also gets the number of the iteration,
/// from 0. The state is an expression or scalar, or a tuple or array of them.
///
/// ```
/// # use pointsman::{repeat, Session};
/// # fn main() -> pointsman::Result<()> {
/// let s = Session::open()?;
/// let cubes = s.from(1u64..5).map(|x| repeat(3, 1u64, |_, product| product * x)).run()?;
/// assert_eq!(cubes[..], [1, 8, 27, 64]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn repeat<I, N>(times: u32, init: I, next: impl FnOnce(Expr<u32>, I::Row) -> N) -> I::Row
where
    I: IntoValues,
    N: IntoValues<Row = I::Row>,
{
    repeat_at(times, init, Location::caller(), next)
}

/// [`repeat`], for the call site of a method.
pub(super) fn repeat_at<I, N>(times: u32, init: I, at: CallSite, next: impl FnOnce(Expr<u32>, I::Row) -> N) -> I::Row
where
    I: IntoValues,
    N: IntoValues<Row = I::Row>,
{
    let init = init.into_values();
    if times == 0 {
        return init;
    }
    let (of, state) = open(times, &init, at);
    let index = Expr::new(build::append(at, |builder| builder.loop_value(of, at, Body::loop_index)));
    let state = next(index, state).into_values();
    close(of, None, &state, at);
    state_of(of, &init, at, Body::loop_result)
}

/// Applies `next` to a state while `go_on` is true of it, at most `bound` times, and returns the last state. Each row
/// has its own number of iterations.
///
/// ```
/// # use pointsman::{Session, iterate};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// let power = s.from(&[5u32, 64]).map(|x| iterate(32, 1u32, |p| p.lt(x), |p| p * 2)).run()?;
/// assert_eq!(power[..], [8, 64], "the next power of two");
/// # Ok(())
/// # }
/// ```
#[doc(alias = "while")]
#[doc(alias = "loop")]
#[track_caller]
pub fn iterate<I, N, C>(bound: u32, init: I, go_on: impl FnOnce(I::Row) -> C, next: impl FnOnce(I::Row) -> N) -> I::Row
where
    I: IntoValues,
    N: IntoValues<Row = I::Row>,
    C: IntoExpr<bool>,
{
    let at = Location::caller();
    let init = init.into_values();
    let (of, state) = open(bound, &init, at);
    let go_on = go_on(state).into_expr();
    let state = next(state).into_values();
    close(of, Some(go_on.handle), &state, at);
    state_of(of, &init, at, Body::loop_result)
}

/// Opens a loop. Returns the loop, and its state at the start of an iteration.
fn open<V: Values>(bound: u32, init: &V, at: CallSite) -> (Option<ValueId>, V) {
    let parts = ResultParts::of(init);
    let of = build::with_open(|builder| builder.open_loop(bound, &parts, at)).flatten();
    (of, state_of(of, init, at, Body::loop_carried))
}

fn close<V: Values>(of: Option<ValueId>, go_on: Option<Handle>, state: &V, at: CallSite) {
    let state = ResultParts::of(state);
    build::with_open(|builder| builder.close_loop(of, go_on, &state, at));
}

/// A loop's state in an iteration or after the loop: `part` appends one of its values.
fn state_of<V: Values>(
    of: Option<ValueId>,
    shape: &V,
    at: CallSite,
    part: impl Fn(&mut Body, ValueId, u32) -> ValueId,
) -> V {
    let value = |slot| build::append(at, |builder| builder.loop_value(of, at, |body, of| part(body, of, slot)));
    let slots = ResultParts::of(shape).values().count() as u32;
    shape.bind(&mut Binder::given((0..slots).map(value).collect(), at))
}

/// A small table that expressions read by position. [`lookup`] makes one; cloning shares it.
///
/// ```
/// # use pointsman::{lookup, Session};
/// # fn main() -> pointsman::Result<()> {
/// let s = Session::open()?;
/// let rates = lookup(&[0.5f32, 2.0]);
/// let out = s.from(&[1u32, 0, 1]).map(|i| rates.at(i)).run()?;
/// assert_eq!(out[..], [2.0, 0.5, 2.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Lookup<T> {
    pub(crate) list: CapturedList,
    marker: PhantomData<T>,
}

static LISTS: AtomicU64 = AtomicU64::new(0);

/// A table for expressions to read by position: a slice or reference, which is copied, or a `Vec`, `Box<[T]>` or
/// `Arc<[T]>`, which is not. [`Lookup::of`] reads a column without a copy. See [`Lookup`].
#[doc(alias = "gather")]
#[doc(alias = "take")]
pub fn lookup<V: LookupValues>(values: V) -> Lookup<V::Element> {
    Lookup::captured(values.into_table().0)
}

/// The types of positions in a [`Lookup`]: unsigned integers. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` values are no positions",
    note = "positions in a table are u8, u16, u32 or u64: write `.cast::<u32>()`, which is an error of the row for negative values"
)]
pub trait Index: Element {}

impl Index for u8 {}
impl Index for u16 {}
impl Index for u32 {}
impl Index for u64 {}

/// A position as kernels look up with it: in 32 or 64 bits.
pub(super) fn position<I: Index>(index: Expr<I>, at: CallSite) -> Handle {
    match I::DTYPE {
        DType::U8 | DType::U16 => build::append(at, |builder| builder.cast(Op::Cast, index.handle, DType::U32, at)),
        _ => index.handle,
    }
}

/// The values of a table, of any type.
pub struct TableValues(Arc<dyn OwnedValues>);

/// The values of a look-up table: slices, which are copied, and values that are owned, which are not. The trait is
/// sealed.
pub trait LookupValues {
    /// The type of the values.
    type Element: Element;

    /// The values, owned.
    #[doc(hidden)]
    fn into_table(self) -> TableValues;
}

macro_rules! lookup_values {
    ($([$($generics:tt)*] $values:ty, |$given:ident| $table:expr;)*) => {$(
        impl<T: Element, $($generics)*> LookupValues for $values {
            type Element = T;

            fn into_table(self) -> TableValues {
                let $given = self;
                TableValues(Arc::new($table))
            }
        }
    )*};
}

lookup_values! {
    [] &[T], |values| Column::from(values);
    [] &Vec<T>, |values| Column::from(&values[..]);
    [const N: usize] &[T; N], |values| Column::from(&values[..]);
    [] Vec<T>, |values| Column::from(values);
    [] Box<[T]>, |values| Column::from(values);
    [] Arc<[T]>, |values| values;
    [] &Arc<[T]>, |values| values.clone();
}

impl<T: Element> Lookup<T> {
    /// The values of a column, without a copy. Devices that keep the column read it from there. A column with nulls is an
    /// error: replace them with [`Expr::coalesce`].
    ///
    /// ```
    /// # use pointsman::{Column, Lookup, Session};
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = Session::open()?;
    /// let squares = s.from(0u32..10).map(|x| x * x).run()?.into_value();
    /// let squares = Lookup::of(&squares)?;
    /// assert_eq!(s.from(&[3u32, 9]).map(|i| squares.at(i)).to_vec()?, [9, 81]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of(column: &Column<T>) -> Result<Lookup<T>> {
        if column.nulls() > 0 {
            let nulls = column.nulls();
            return Err(Error::invalid(format!(
                "a look-up has no nulls, but {nulls} values of the column are null: replace them with `coalesce`"
            )));
        }
        Ok(Lookup::captured(Arc::new(column.clone())))
    }

    pub(crate) fn captured(values: Arc<dyn OwnedValues>) -> Lookup<T> {
        let id = LISTS.fetch_add(1, Ordering::Relaxed);
        Lookup { list: CapturedList { id, dtype: T::DTYPE, values }, marker: PhantomData }
    }

    /// The value at this position. A position outside the table is an error of its row.
    #[track_caller]
    pub fn at<I: Index>(&self, index: impl IntoExpr<I>) -> Expr<T> {
        let at = Location::caller();
        Expr::new(self.at_site(position(index.into_expr(), at), at))
    }

    /// The value at a position, for the call site of a method.
    pub(super) fn at_site(&self, index: Handle, at: CallSite) -> Handle {
        build::append(at, |builder| builder.lookup(&self.list, index, at))
    }
}
