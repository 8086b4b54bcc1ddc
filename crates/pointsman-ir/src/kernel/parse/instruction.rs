//! The instructions of a kernel's text, loops included. In: lines. Out: a body whose regions are closed.

use super::ParseError;
use super::line::{Line, Lines};
use crate::body::{Body, Inst, ProbeKind, ValueId};
use crate::op::Op;
use crate::types::{DType, Repr, Scalar, Type};

/// A loop whose region is being read.
struct Open {
    at: usize,
    while_: Option<ValueId>,
    next: Option<Vec<ValueId>>,
}

/// Reads instructions up to the first line that is none.
pub(super) fn body(lines: &mut Lines<'_>) -> Result<Body, ParseError> {
    let mut values: Vec<(Inst, Type)> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    while let Some(first) = lines.first_word() {
        if let Some(inner) = open.last_mut()
            && let Some(mut line) = lines.optional("while")
        {
            once(&line, "while", inner.while_.is_some())?;
            inner.while_ = Some(line.value()?);
            line.end()?;
        } else if let Some(inner) = open.last_mut()
            && let Some(mut line) = lines.optional("next")
        {
            once(&line, "next", inner.next.is_some())?;
            inner.next = Some(line.bare(Line::value)?);
        } else if first == "}" {
            close(lines, &mut open, &mut values)?;
        } else if first.starts_with('v') {
            let Some(mut line) = lines.any() else { break };
            line.expect(&format!("v{}", values.len()))?;
            let value = value(&mut line)?;
            line.end()?;
            if matches!(value.0, Inst::Loop { .. }) {
                open.push(Open { at: values.len(), while_: None, next: None });
            }
            values.push(value);
        } else {
            break;
        }
    }
    if let Some(inner) = open.last() {
        return Err(ParseError {
            line: lines.here(),
            message: format!("expected a `}}` that closes the loop v{}", inner.at),
        });
    }
    let mut body = Body::new();
    for (inst, ty) in values {
        body.push(inst, ty);
    }
    Ok(body)
}

fn once(line: &Line<'_>, word: &str, there: bool) -> Result<(), ParseError> {
    if there { line.fail(format!("expected one `{word}` a loop, not two")) } else { Ok(()) }
}

/// Reads a `}` and ends the innermost region before it.
fn close(lines: &mut Lines<'_>, open: &mut Vec<Open>, values: &mut [(Inst, Type)]) -> Result<(), ParseError> {
    let Some(mut line) = lines.any() else { return Ok(()) };
    line.expect("}")?;
    line.end()?;
    let Some(inner) = open.pop() else { return line.fail("expected no `}`: no loop is open".to_string()) };
    let Some(state) = inner.next else {
        return line.fail(format!("expected a `next` before the `}}` of the loop v{}", inner.at));
    };
    let here = values.len() as u32;
    if let Some((Inst::Loop { end, while_, next, .. }, _)) = values.get_mut(inner.at) {
        (*end, *while_, *next) = (here, inner.while_, state);
    }
    Ok(())
}

/// What follows `v3`: `: f32 = mul v1 v2`, or for a loop `= loop 4 (f32 = v1) {`.
fn value(line: &mut Line<'_>) -> Result<(Inst, Type), ParseError> {
    if line.take("=") {
        line.expect("loop")?;
        return Ok((open_loop(line)?, DType::Bool.required()));
    }
    line.expect(":")?;
    let ty = line.ty()?;
    line.expect("=")?;
    Ok((instruction(line, ty)?, ty))
}

fn open_loop(line: &mut Line<'_>) -> Result<Inst, ParseError> {
    let bound = line.number("a number of iterations")?;
    let state = line.parens(|line| {
        let slot = line.ty()?;
        line.expect("=")?;
        Ok((slot, line.value()?))
    })?;
    line.expect("{")?;
    let (slots, init) = state.into_iter().unzip();
    Ok(Inst::Loop { bound, slots, init, end: 0, while_: None, next: Vec::new() })
}

fn instruction(line: &mut Line<'_>, ty: Type) -> Result<Inst, ParseError> {
    let word = line.word("an instruction")?;
    Ok(match word {
        "column" => Inst::Column(line.column()?),
        "param" => Inst::Param(line.param()?),
        "const" => Inst::Const(constant(line, ty.dtype)?),
        "row_index" => Inst::RowIndex,
        "lookup" => Inst::Lookup { list: line.list()?, index: line.value()? },
        "gather" => {
            let table = line.table()?;
            line.expect(".")?;
            Inst::Gather { table, column: line.number("a column's number")?, row: line.value()? }
        }
        "probe" => probe(line)?,
        "index" => Inst::LoopIndex(line.value()?),
        "carried" => {
            let (of, slot) = slot(line)?;
            Inst::LoopCarried { of, slot }
        }
        "result" => {
            let (of, slot) = slot(line)?;
            Inst::LoopResult { of, slot }
        }
        name => match Op::from_name(name) {
            None => return line.fail(format!("expected an instruction (such as `add`), not `{name}`")),
            Some(op) => Inst::Call { op, args: operands(line)? },
        },
    })
}

fn operands(line: &mut Line<'_>) -> Result<Vec<ValueId>, ParseError> {
    let mut args = Vec::new();
    while !line.at_end() {
        args.push(line.value()?);
    }
    Ok(args)
}

/// `v3.0`.
fn slot(line: &mut Line<'_>) -> Result<(ValueId, u32), ParseError> {
    let of = line.value()?;
    line.expect(".")?;
    Ok((of, line.number("a slot's number")?))
}

fn probe(line: &mut Line<'_>) -> Result<Inst, ParseError> {
    let kinds = ProbeKind::ALL.map(|kind| (kind.name(), kind));
    let kind = line.one_of(kinds)?;
    let table = line.table()?;
    let keys = line.parens(Line::value)?;
    let when = if line.take("when") { Some(line.value()?) } else { None };
    Ok(Inst::Probe { table, keys, when, kind })
}

fn constant(line: &mut Line<'_>, dtype: DType) -> Result<Option<Scalar>, ParseError> {
    if line.take("null") {
        return Ok(None);
    }
    let word = line.word("a constant")?;
    let repr = dtype.repr();
    let bits = word.strip_prefix("0x").and_then(|digits| u128::from_str_radix(digits, 16).ok());
    let value = match repr {
        Repr::F32 | Repr::F64 => {
            bits.map(|bits| Scalar::from_bits(repr, bits)).filter(|value| Some(value.bits()) == bits)
        }
        Repr::Bool => word.parse().ok().map(Scalar::Bool),
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::I128 => {
            word.parse().ok().and_then(|number| Scalar::from_integer(repr, number))
        }
    };
    match (value, repr) {
        (Some(value), _) => Ok(Some(value)),
        (None, Repr::F32 | Repr::F64) => {
            line.fail(format!("expected the bits of a {dtype} (such as `0x0`), not `{word}`"))
        }
        (None, _) => line.fail(format!("expected a {dtype} or `null`, not `{word}`")),
    }
}
