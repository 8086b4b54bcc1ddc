//! The operators: arithmetic and bits on expressions, with expressions, scalars or parameters on either side.

use crate::data::element::{Element, Integer, Logic, Number, Signed};
use crate::query::expr::{Expr, IntoExpr, Param};
use pointsman_ir::op::Op;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use std::ops::{AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign};
use std::ops::{ShrAssign, SubAssign};
use std::panic::Location;

macro_rules! binary {
    ($($trait:ident $method:ident $bound:ident $op:expr;)*) => {$(
        binary!(@one [T: $bound, R: IntoExpr<T>] T: $trait $method $op, Expr<T>, R);
        binary!(@one [T: $bound, R: IntoExpr<T>] T: $trait $method $op, &Expr<T>, R);
        binary!(@one [T: $bound, R: IntoExpr<T>] T: $trait $method $op, Param<T>, R);
    )*};
    (@one [$($generics:tt)*] $type:ty: $trait:ident $method:ident $op:expr, $left:ty, $right:ty) => {
        impl<$($generics)*> $trait<$right> for $left {
            type Output = Expr<$type>;

            #[track_caller]
            fn $method(self, right: $right) -> Expr<$type> {
                let (left, right): (Expr<$type>, Expr<$type>) = (self.into_expr(), right.into_expr());
                Expr::<$type>::call($op, &[left.handle, right.handle], Location::caller())
            }
        }
    };
}

binary! {
    Add add Number Op::Add;
    Sub sub Number Op::Sub;
    Mul mul Number Op::Mul;
    Div div Number Op::Div;
    Rem rem Number Op::Rem;
    BitAnd bitand Logic T::AND;
    BitOr bitor Logic T::OR;
    BitXor bitxor Logic T::XOR;
    Shl shl Integer Op::Shl;
    Shr shr Integer Op::Shr;
}

/// `sum += x`: the variable holds another expression afterwards.
macro_rules! assign {
    ($($trait:ident $method:ident $bound:ident $op:expr;)*) => {$(
        impl<T: $bound, R: IntoExpr<T>> $trait<R> for Expr<T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                *self = Expr::<T>::call($op, &[self.handle, right.into_expr().handle], Location::caller());
            }
        }
    )*};
}

assign! {
    AddAssign add_assign Number Op::Add;
    SubAssign sub_assign Number Op::Sub;
    MulAssign mul_assign Number Op::Mul;
    DivAssign div_assign Number Op::Div;
    RemAssign rem_assign Number Op::Rem;
    BitAndAssign bitand_assign Logic T::AND;
    BitOrAssign bitor_assign Logic T::OR;
    BitXorAssign bitxor_assign Logic T::XOR;
    ShlAssign shl_assign Integer Op::Shl;
    ShrAssign shr_assign Integer Op::Shr;
}

macro_rules! unary {
    ($($trait:ident $method:ident $bound:ident $op:expr;)*) => {$(
        unary!(@one $trait $method $bound $op, Expr<T>);
        unary!(@one $trait $method $bound $op, &Expr<T>);
        unary!(@one $trait $method $bound $op, Param<T>);
    )*};
    (@one $trait:ident $method:ident $bound:ident $op:expr, $operand:ty) => {
        impl<T: $bound> $trait for $operand {
            type Output = Expr<T>;

            #[track_caller]
            fn $method(self) -> Expr<T> {
                let operand: Expr<T> = self.into_expr();
                Expr::<T>::call($op, &[operand.handle], Location::caller())
            }
        }
    };
}

unary! {
    Neg neg Signed Op::Neg;
    Not not Logic T::NOT;
}

/// `scalar op expression`, which the orphan rule asks to be written type by type.
macro_rules! scalar_left {
    ($($rust:ident)*: $ops:tt) => { $(scalar_left!(@type $rust $ops);)* };
    (@type $rust:ident [$($trait:ident $method:ident $op:expr),*]) => {$(
        binary!(@one [] $rust: $trait $method $op, $rust, Expr<$rust>);
        binary!(@one [] $rust: $trait $method $op, $rust, &Expr<$rust>);
        binary!(@one [] $rust: $trait $method $op, $rust, Param<$rust>);
    )*};
}

scalar_left!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64:
    [Add add Op::Add, Sub sub Op::Sub, Mul mul Op::Mul, Div div Op::Div, Rem rem Op::Rem]);
scalar_left!(i8 i16 i32 i64 u8 u16 u32 u64:
    [BitAnd bitand Op::BitAnd, BitOr bitor Op::BitOr, BitXor bitxor Op::BitXor, Shl shl Op::Shl, Shr shr Op::Shr]);
scalar_left!(bool: [BitAnd bitand Op::And, BitOr bitor Op::Or, BitXor bitxor Op::Ne]);

impl<T: Number> std::iter::Sum for Expr<T> {
    /// Adds up expressions of one row, in order: `(0..3).map(|j| p[j] * p[j]).sum::<Expr<f32>>()`.
    fn sum<I: Iterator<Item = Self>>(mut values: I) -> Self {
        match values.next() {
            None => crate::query::control::lit(T::ZERO),
            Some(first) => values.fold(first, |sum, value| sum + value),
        }
    }
}

impl<T: Element> Param<T> {
    /// The parameter as an expression, which has the methods.
    pub fn expr(self) -> Expr<T> {
        self.0
    }
}
