//! The types of floats that calls compute with.

use super::{CallProgram, Plan, TypedPlan};
use bytemuck::Pod;
use rustfft::FftNum;

/// Which floats a call computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatType {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// A float that calls compute with: `f32` or `f64`.
pub(crate) trait Float: Pod + FftNum + sealed::Sealed {
    /// The value rounded to this type.
    fn rounded(value: f64) -> Self;

    /// `a · b + c`, rounded once. Fast only where the processor has the instruction.
    fn fused(a: Self, b: Self, c: Self) -> Self;

    /// Whether the value is neither infinite nor not a number.
    fn is_finite(self) -> bool;

    /// The plan of a program, if it was made for this type.
    #[allow(private_interfaces, reason = "the trait is sealed")]
    fn plan(program: &CallProgram) -> Option<&Plan<Self>>;
}

mod sealed {
    /// Keeps [`Float`](super::Float) to the two types.
    pub(crate) trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

macro_rules! float {
    ($float:ident, $variant:ident, $other:ident) => {
        impl Float for $float {
            #[inline(always)]
            fn rounded(value: f64) -> $float {
                value as $float
            }

            #[inline(always)]
            fn fused(a: $float, b: $float, c: $float) -> $float {
                a.mul_add(b, c)
            }

            #[inline(always)]
            fn is_finite(self) -> bool {
                $float::is_finite(self)
            }

            #[allow(private_interfaces, reason = "the trait is sealed")]
            fn plan(program: &CallProgram) -> Option<&Plan<$float>> {
                match &program.plan {
                    TypedPlan::$variant(plan) => Some(plan),
                    TypedPlan::$other(_) => None,
                }
            }
        }
    };
}

float!(f32, F32, F64);
float!(f64, F64, F32);
