//! [`Kernel::compacted`]: a kernel with the sink [`Sink::Build`] as one with [`Sink::Compact`] that gives the same rows, for
//! devices that have no sink of their own for it.

use super::{Kernel, Sink};
use crate::body::ValueId;
use crate::op::{Op, TypeError};
use crate::types::{DType, Scalar};

impl Kernel {
    /// The same rows by a `Compact` of canonical keys: those with a null key are masked out, after all of their keys were
    /// computed. Kernels with other sinks stay as they are.
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
                let zero = body.constant(ty.dtype.repr().zero(), ty.dtype);
                value = body.call(Op::Add, &[value, zero])?;
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
