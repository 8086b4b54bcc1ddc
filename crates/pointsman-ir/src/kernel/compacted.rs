//! [`Kernel::compacted`]: rewrites the sink [`Sink::Build`] as [`Sink::Compact`] with the same rows, for devices that
//! implement `Build` that way.

use super::{Kernel, Sink};
use crate::body::{Body, ValueId};
use crate::op::{Op, TypeError};
use crate::types::{DType, Scalar};

impl Kernel {
    /// Rewrites a `Build` as a `Compact` of canonical keys. Rows with a null key are masked out after all of their keys
    /// are computed. Kernels with other sinks stay as they are.
    pub fn compacted(mut self) -> Result<Kernel, TypeError> {
        let Sink::Build { keys, columns } = self.sink.clone() else { return Ok(self) };
        let mut nulls: Option<ValueId> = None;
        let body = &mut self.body;
        let any_nullable = keys.iter().any(|&key| body.ty(key).nullable);
        let mut outputs = Vec::with_capacity(keys.len() + columns.len());
        for key in keys {
            let ty = body.ty(key);
            // Every key is needed in every row, also one without nulls.
            if any_nullable {
                let is_null = body.call(Op::IsNull, &[key])?;
                let one = body.cast(Op::Cast, is_null, DType::U8)?;
                nulls = Some(match nulls {
                    // Bits of numbers, not of truth values: every key is needed, whatever the others are.
                    Some(others) => body.call(Op::BitOr, &[others, one])?,
                    None => one,
                });
            }
            let mut value = key;
            if ty.dtype.is_float() {
                value = positive_zero(body, value)?;
            }
            if ty.nullable {
                let zero = body.constant(ty.dtype.repr().zero(), ty.dtype);
                value = body.call(Op::Coalesce, &[value, zero])?;
            }
            outputs.push(value);
        }
        if let Some(nulls) = nulls {
            let zero = body.constant(Scalar::U8(0), DType::U8);
            let there = body.call(Op::Eq, &[nulls, zero])?;
            self.mask = Some(match self.mask {
                Some(mask) => {
                    // A null mask needs no keys either.
                    let never = body.constant(Scalar::Bool(false), DType::Bool);
                    let selected = body.call(Op::Coalesce, &[mask, never])?;
                    body.call(Op::And, &[selected, there])?
                }
                None => there,
            });
        }
        outputs.extend(columns);
        Ok(Kernel { sink: Sink::Compact { columns: outputs }, ..self })
    }
}

/// Replaces -0 by +0. Compares bits, because a device may flush subnormals in float arithmetic.
fn positive_zero(body: &mut Body, float: ValueId) -> Result<ValueId, TypeError> {
    let dtype = body.ty(float).dtype;
    let (bits, negative_zero, zero) = match dtype == DType::F32 {
        true => (DType::U32, Scalar::U32(1 << 31), Scalar::U32(0)),
        false => (DType::U64, Scalar::U64(1 << 63), Scalar::U64(0)),
    };
    let value = body.cast(Op::Reinterpret, float, bits)?;
    let negative_zero = body.constant(negative_zero, bits);
    let zero = body.constant(zero, bits);
    let is_negative_zero = body.call(Op::Eq, &[value, negative_zero])?;
    let value = body.call(Op::Select, &[is_negative_zero, zero, value])?;
    body.cast(Op::Reinterpret, value, dtype)
}
