//! Compiler errors for operators that expressions do not have (`==`, `<` and `[]`), and for `map` of groups: the
//! message names the method to use instead. No program that compiles reaches this code.
//!
//! An operator that no trait provides is an error without a note of ours (E0369). So the traits are implemented with a
//! condition that no operand meets, and the condition carries the note. Each condition holds for two types that have no
//! values: with one, the compiler would take the operand for that type; with none, it would not consider the operator.

use crate::query::control::Lookup;
use crate::query::expr::Expr;
use crate::query::group::Grouped;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::marker::PhantomData;

/// The right operand of an operator that expressions do not have.
#[derive(Debug)]
pub struct Operand<R>(PhantomData<R>);

/// A type without values.
#[derive(Debug)]
pub enum Impossible {}

/// The operands that expressions can be compared with by `==` and `!=`: none.
#[diagnostic::on_unimplemented(
    message = "expressions cannot be compared with `==` or `!=`",
    label = "their values are unknown while the query is built",
    note = "write `x.eq(y)` or `x.ne(y)`, which give an expression of `bool` values"
)]
pub trait EqualityOperand {}

/// The operands that expressions can be compared with by `<`, `<=`, `>` and `>=`: none.
#[diagnostic::on_unimplemented(
    message = "expressions cannot be compared with `<`, `<=`, `>` or `>=`",
    label = "their values are unknown while the query is built",
    note = "write `x.lt(y)`, `x.le(y)`, `x.gt(y)` or `x.ge(y)`, which give an expression of `bool` values"
)]
pub trait OrderOperand: EqualityOperand {}

/// The positions by which a captured table can be read with `[]`: none.
#[diagnostic::on_unimplemented(
    message = "a captured table cannot be read with `table[index]`",
    label = "the position is unknown while the query is built",
    note = "write `table.at(index)`, with an index of `u32` or `u64` values"
)]
pub trait IndexOperand<I> {
    /// The element at a position that cannot exist.
    fn element<'a, T>(index: I) -> &'a T;
}

/// The rows that `map` of groups returns: none.
#[diagnostic::on_unimplemented(
    message = "groups have no rows to map",
    label = "fold each group first",
    note = "write `.agg(|row| folds)`, and `map` the rows that it gives: a key and an expression for each fold"
)]
pub trait RowOfGroups {}

macro_rules! impossible {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl EqualityOperand for Operand<$type> {}

        #[diagnostic::do_not_recommend]
        impl OrderOperand for Operand<$type> {}

        #[diagnostic::do_not_recommend]
        impl RowOfGroups for Operand<$type> {}

        #[diagnostic::do_not_recommend]
        impl IndexOperand<$type> for Operand<$type> {
            fn element<'a, T>(index: $type) -> &'a T {
                match index {}
            }
        }
    )*};
}

impossible!(Impossible Infallible);

#[doc(hidden)]
impl<T, R> PartialEq<R> for Expr<T>
where
    Operand<R>: EqualityOperand,
{
    fn eq(&self, _: &R) -> bool {
        false
    }
}

#[doc(hidden)]
impl<T, R> PartialOrd<R> for Expr<T>
where
    Operand<R>: OrderOperand,
{
    fn partial_cmp(&self, _: &R) -> Option<Ordering> {
        None
    }
}

#[doc(hidden)]
impl<K, R> Grouped<'_, K, R> {
    pub fn map<O: RowOfGroups>(self, _: impl FnOnce(R) -> O) -> Self {
        self
    }
}

#[doc(hidden)]
impl<T, I> std::ops::Index<I> for Lookup<T>
where
    Operand<I>: IndexOperand<I>,
{
    type Output = Expr<T>;

    fn index(&self, index: I) -> &Expr<T> {
        <Operand<I> as IndexOperand<I>>::element(index)
    }
}
