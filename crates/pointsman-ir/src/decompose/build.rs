//! Formulas that read like formulas: values with operators, written into a body one operation at a time. In: values of
//! one row that are never null. Out: values of the same kind. Equal operations are written once.

use crate::body::{Body, Inst, ValueId};
use crate::op::Op;
use crate::rewrite::Writer;
use crate::types::{DType, Scalar, Type};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Writes formulas.
pub(super) struct Builder {
    out: RefCell<Writer>,
}

/// A value of the body being written.
#[derive(Clone, Copy)]
pub(super) struct X<'b> {
    to: &'b Builder,
    v: ValueId,
}

/// A number for each float type: single, double.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerFloat<T>(pub(super) T, pub(super) T);

/// 2 to the power of a whole number in the range of normal doubles.
pub(super) const fn two_to(n: i64) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// A polynomial: its coefficients, that of degree 0 first, for each float type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Poly {
    pub(super) single: &'static [f64],
    pub(super) double: &'static [f64],
}

/// An operand of an operation on a value: another value, or a number of that value's type.
pub(super) trait Operand<'b> {
    /// The operand, as a value of the type of `like`.
    fn with_type_of(self, like: X<'b>) -> X<'b>;
}

impl<'b> Operand<'b> for X<'b> {
    fn with_type_of(self, _: X<'b>) -> X<'b> {
        self
    }
}

impl<'b> Operand<'b> for f64 {
    fn with_type_of(self, like: X<'b>) -> X<'b> {
        let value = if like.dtype() == DType::F32 { Scalar::F32(self as f32) } else { Scalar::F64(self) };
        like.to.constant(Some(value), like.dtype().required())
    }
}

impl<'b> Operand<'b> for i64 {
    fn with_type_of(self, like: X<'b>) -> X<'b> {
        let value = Scalar::from_bits(like.dtype().repr(), self as u128);
        like.to.constant(Some(value), like.dtype().required())
    }
}

impl<'b> Operand<'b> for PerFloat<f64> {
    fn with_type_of(self, like: X<'b>) -> X<'b> {
        like.by(self.0, self.1).with_type_of(like)
    }
}

impl<'b> Operand<'b> for PerFloat<i64> {
    fn with_type_of(self, like: X<'b>) -> X<'b> {
        like.by(self.0, self.1).with_type_of(like)
    }
}

impl Builder {
    pub(super) fn new(out: Writer) -> Builder {
        Builder { out: RefCell::new(out) }
    }

    pub(super) fn finish(self) -> Writer {
        self.out.into_inner()
    }

    /// A value that is there.
    pub(super) fn value(&self, v: ValueId) -> X<'_> {
        X { to: self, v }
    }

    pub(super) fn constant(&self, value: Option<Scalar>, ty: Type) -> X<'_> {
        self.push(Inst::Const(value), ty)
    }

    fn push(&self, inst: Inst, ty: Type) -> X<'_> {
        let v = self.out.borrow_mut().push(inst, ty);
        X { to: self, v }
    }

    fn look<R>(&self, f: impl FnOnce(&Body) -> R) -> R {
        f(self.out.borrow().body())
    }
}

impl<'b> X<'b> {
    pub(super) fn id(self) -> ValueId {
        self.v
    }

    fn ty(self) -> Type {
        self.to.look(|body| body.ty(self.v))
    }

    pub(super) fn dtype(self) -> DType {
        self.ty().dtype
    }

    pub(super) fn is_signed(self) -> bool {
        self.dtype().is_signed_integer()
    }

    /// The number of bits.
    pub(super) fn width(self) -> u32 {
        8 * self.dtype().repr().bytes() as u32
    }

    pub(super) fn is_nullable(self) -> bool {
        self.ty().nullable
    }

    /// The one of two that belongs to the value's width: 32 or 64 bits.
    pub(super) fn by<T>(self, single: T, double: T) -> T {
        if matches!(self.dtype(), DType::F32 | DType::I32) { single } else { double }
    }

    fn call(self, op: Op, rest: &[X<'b>]) -> X<'b> {
        let args: Vec<ValueId> = std::iter::once(self.v).chain(rest.iter().map(|x| x.v)).collect();
        let v = self.to.out.borrow_mut().call(op, &args).expect("formulas keep to the typing rules");
        X { to: self.to, v }
    }

    fn convert(self, op: Op, dtype: DType) -> X<'b> {
        if self.dtype() == dtype {
            return self;
        }
        let ty = Type { dtype, nullable: self.is_nullable() };
        self.to.push(Inst::Call { op, args: vec![self.v] }, ty)
    }

    /// A number of the value's type.
    pub(super) fn of(self, number: impl Operand<'b>) -> X<'b> {
        number.with_type_of(self)
    }

    /// The value, or 1 where it is null.
    pub(super) fn or_one(self) -> X<'b> {
        let one = |x: X<'b>| if x.dtype().is_float() { 1.0.with_type_of(x) } else { 1.with_type_of(x) };
        if self.is_nullable() { self.call(Op::Coalesce, &[one(self)]) } else { self }
    }

    pub(super) fn is_null(self) -> X<'b> {
        self.call(Op::IsNull, &[])
    }

    pub(super) fn is_nan(self) -> X<'b> {
        self.call(Op::IsNan, &[])
    }

    pub(super) fn or(self, other: X<'b>) -> X<'b> {
        self.call(Op::Or, &[other])
    }

    pub(super) fn and(self, other: X<'b>) -> X<'b> {
        self.call(Op::And, &[other])
    }

    pub(super) fn not(self) -> X<'b> {
        self.call(Op::Not, &[])
    }

    /// Of a condition: the first where it is true, else the second.
    pub(super) fn choose(self, yes: X<'b>, no: impl Operand<'b>) -> X<'b> {
        self.call(Op::Select, &[yes, no.with_type_of(yes)])
    }

    /// `self * factor + term`, rounded once.
    pub(super) fn fma(self, factor: impl Operand<'b>, term: impl Operand<'b>) -> X<'b> {
        self.call(Op::Fma, &[factor.with_type_of(self), term.with_type_of(self)])
    }

    pub(super) fn abs(self) -> X<'b> {
        self.call(Op::Abs, &[])
    }

    pub(super) fn sign(self) -> X<'b> {
        self.call(Op::Sign, &[])
    }

    pub(super) fn sqrt(self) -> X<'b> {
        self.call(Op::Sqrt, &[])
    }

    pub(super) fn trunc(self) -> X<'b> {
        self.call(Op::Trunc, &[])
    }

    pub(super) fn least(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Least, &[other.with_type_of(self)])
    }

    pub(super) fn greatest(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Greatest, &[other.with_type_of(self)])
    }

    pub(super) fn eq(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Eq, &[other.with_type_of(self)])
    }

    pub(super) fn ne(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Ne, &[other.with_type_of(self)])
    }

    pub(super) fn lt(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Lt, &[other.with_type_of(self)])
    }

    pub(super) fn le(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Le, &[other.with_type_of(self)])
    }

    /// Above; a NaN is above every number.
    pub(super) fn gt(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Gt, &[other.with_type_of(self)])
    }

    /// Above or equal; a NaN is above every number.
    pub(super) fn ge(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::Ge, &[other.with_type_of(self)])
    }

    pub(super) fn bit_and(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::BitAnd, &[other.with_type_of(self)])
    }

    pub(super) fn bit_or(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::BitOr, &[other.with_type_of(self)])
    }

    pub(super) fn bit_xor(self, other: impl Operand<'b>) -> X<'b> {
        self.call(Op::BitXor, &[other.with_type_of(self)])
    }

    pub(super) fn bit_not(self) -> X<'b> {
        self.call(Op::BitNot, &[])
    }

    pub(super) fn shl(self, amount: impl Operand<'b>) -> X<'b> {
        self.call(Op::Shl, &[amount.with_type_of(self)])
    }

    pub(super) fn shr(self, amount: impl Operand<'b>) -> X<'b> {
        self.call(Op::Shr, &[amount.with_type_of(self)])
    }

    /// The float's bits, as a signed integer.
    pub(super) fn bits(self) -> X<'b> {
        self.convert(Op::Reinterpret, self.by(DType::I32, DType::I64))
    }

    /// The float with the integer's bits.
    pub(super) fn float(self) -> X<'b> {
        self.convert(Op::Reinterpret, self.by(DType::F32, DType::F64))
    }

    /// The integer's value as a float of its width.
    pub(super) fn to_float(self) -> X<'b> {
        self.convert(Op::Cast, self.by(DType::F32, DType::F64))
    }

    /// The integer's value in single precision.
    pub(super) fn to_single(self) -> X<'b> {
        self.convert(Op::Cast, DType::F32)
    }

    /// The nearest value of a type.
    pub(super) fn saturated(self, dtype: DType) -> X<'b> {
        self.convert(Op::CastSaturating, dtype)
    }

    /// The float's whole part as an integer of its width.
    pub(super) fn to_integer(self) -> X<'b> {
        self.saturated(self.by(DType::I32, DType::I64))
    }

    /// The whole part, or the same integer, in 64 bits.
    pub(super) fn to_long(self) -> X<'b> {
        self.saturated(DType::I64)
    }

    /// The low bits of an integer, in 32 bits.
    pub(super) fn to_short(self) -> X<'b> {
        self.saturated(DType::I32)
    }

    /// The polynomial at this value, by Horner's rule.
    pub(super) fn poly(self, of: &Poly) -> X<'b> {
        let coefficients = self.by(of.single, of.double);
        let (last, rest) = coefficients.split_last().expect("a polynomial has coefficients");
        rest.iter().rev().fold(self.of(*last), |sum, &c| sum.fma(self, c))
    }

    /// This magnitude with the sign of another value; a zero's sign counts.
    pub(super) fn signed_like(self, other: X<'b>) -> X<'b> {
        let sign = other.bits().bit_and(PerFloat(i64::from(i32::MIN), i64::MIN));
        self.bits().bit_or(sign).float()
    }

    /// A loop: the last state of those that `next` makes, at most `bound` times, while `goes_on` holds. This value only
    /// names the body.
    pub(super) fn repeat_while<const N: usize>(
        self,
        bound: u32,
        init: [X<'b>; N],
        goes_on: impl FnOnce([X<'b>; N]) -> X<'b>,
        next: impl FnOnce([X<'b>; N]) -> [X<'b>; N],
    ) -> [X<'b>; N] {
        let slots = init.map(X::ty);
        let of = self.to.out.borrow_mut().open_loop(bound, slots.to_vec(), init.map(X::id).to_vec());
        let state = std::array::from_fn(|slot| self.to.push(Inst::LoopCarried { of, slot: slot as u32 }, slots[slot]));
        let goes_on = goes_on(state).v;
        let next = next(state).map(X::id);
        self.to.out.borrow_mut().close_loop(of, Some(goes_on), &next);
        std::array::from_fn(|slot| self.to.push(Inst::LoopResult { of, slot: slot as u32 }, slots[slot]))
    }

    /// `N` values that are replaced by others where this condition holds; those are computed only if it holds
    /// somewhere.
    pub(super) fn rarely<const N: usize>(self, usual: [X<'b>; N], others: impl FnOnce() -> [X<'b>; N]) -> [X<'b>; N] {
        let slots: Vec<Type> = usual.iter().map(|x| x.ty()).collect();
        let of = self.to.out.borrow_mut().open_loop(1, slots.clone(), usual.iter().map(|x| x.v).collect());
        let next = others().map(|x| x.v);
        self.to.out.borrow_mut().close_loop(of, Some(self.v), &next);
        std::array::from_fn(|slot| self.to.push(Inst::LoopResult { of, slot: slot as u32 }, slots[slot]))
    }
}

impl<'b, R: Operand<'b>> Add<R> for X<'b> {
    type Output = X<'b>;
    fn add(self, right: R) -> X<'b> {
        self.call(Op::Add, &[right.with_type_of(self)])
    }
}

impl<'b, R: Operand<'b>> Sub<R> for X<'b> {
    type Output = X<'b>;
    fn sub(self, right: R) -> X<'b> {
        self.call(Op::Sub, &[right.with_type_of(self)])
    }
}

impl<'b, R: Operand<'b>> Mul<R> for X<'b> {
    type Output = X<'b>;
    fn mul(self, right: R) -> X<'b> {
        self.call(Op::Mul, &[right.with_type_of(self)])
    }
}

impl<'b, R: Operand<'b>> Div<R> for X<'b> {
    type Output = X<'b>;
    fn div(self, right: R) -> X<'b> {
        self.call(Op::Div, &[right.with_type_of(self)])
    }
}

impl<'b> Neg for X<'b> {
    type Output = X<'b>;
    fn neg(self) -> X<'b> {
        self.call(Op::Neg, &[])
    }
}
