//! Prepared queries: compiled once, run on several inputs. Their arguments have fixed types. The last is a parameter, which
//! the reference sees as a column that repeats one value.

use super::expressions::{Builder, Tables};
use super::{CollectRows, SHAPE_NAMES, Settings, ShapeName};
use crate::program::{Program, StepKind};
use crate::sources::Data;
use crate::typed::{Found, Known, Shape, Typed};
use crate::value::Type;
use pointsman::{Exactness, Expr, Param, Prepared, Result, Session, filtered};

/// The types of the arguments: the columns, then the parameter.
pub(crate) const PREPARED_COLUMNS: [Type; 4] = [Type::I32, Type::F32, Type::U64, Type::I64];

/// Prepares a program (an optional filter, then a map), and runs it once for each input.
pub(crate) fn run_prepared(
    session: &Session,
    program: &Program,
    inputs: &[&[Data]],
    settings: &Settings,
) -> Result<Vec<Result<Found>>> {
    let StepKind::Map { shape, .. } = program.steps[program.steps.len() - 1].kind else {
        unreachable!("a prepared query ends with a map")
    };
    match SHAPE_NAMES[shape] {
        ShapeName::I32 => run_shape::<Expr<i32>>(session, program, inputs, settings),
        ShapeName::F32 => run_shape::<Expr<f32>>(session, program, inputs, settings),
        ShapeName::F64 => run_shape::<Expr<f64>>(session, program, inputs, settings),
        ShapeName::U8 => run_shape::<Expr<u8>>(session, program, inputs, settings),
        ShapeName::Bool => run_shape::<Expr<bool>>(session, program, inputs, settings),
        ShapeName::Flagged => run_shape::<(Expr<bool>, Expr<i64>)>(session, program, inputs, settings),
        ShapeName::Quad => {
            run_shape::<(Expr<i64>, Expr<i16>, Expr<u32>, Expr<f32>)>(session, program, inputs, settings)
        }
        _ => unreachable!("a shape that prepared queries do not have"),
    }
}

/// Whether prepared queries are tested with results of this shape.
pub(crate) fn has_prepared_shape(shape: usize) -> bool {
    matches!(
        SHAPE_NAMES[shape],
        ShapeName::I32
            | ShapeName::F32
            | ShapeName::F64
            | ShapeName::U8
            | ShapeName::Bool
            | ShapeName::Flagged
            | ShapeName::Quad
    )
}

fn run_shape<S: CollectRows>(
    session: &Session,
    program: &Program,
    inputs: &[&[Data]],
    settings: &Settings,
) -> Result<Vec<Result<Found>>> {
    let tables = Tables::new(&program.tables);
    let row = |x: Expr<i32>, y: Expr<f32>, z: Expr<u64>, k: Param<i64>| -> Vec<Typed> {
        vec![x.into(), y.into(), z.into(), k.expr().into()]
    };
    let outputs = |step: usize, columns: Vec<Typed>| Builder::new(&program.steps[step], &tables, columns).build();
    let make = |values: Vec<Typed>| S::make(&mut values.into_iter());
    if program.steps.len() == 1 {
        let f = |x, y, z, k| make(outputs(0, row(x, y, z, k)));
        return run_each(session.prepare(f)?, inputs, settings);
    }
    let f = |x, y, z, k| {
        let condition = bool::expr(outputs(0, row(x, y, z, k))[0]);
        filtered(condition, make(outputs(1, row(x, y, z, k))))
    };
    run_each(session.prepare(f)?, inputs, settings)
}

type Arguments = (Expr<i32>, Expr<f32>, Expr<u64>, Param<i64>);

fn run_each<S: Shape>(
    mut prepared: Prepared<Arguments, S>,
    inputs: &[&[Data]],
    settings: &Settings,
) -> Result<Vec<Result<Found>>> {
    if let Some(device) = &settings.require {
        prepared = prepared.require(device);
    }
    if let Some(device) = &settings.prefer {
        prepared = prepared.prefer(device);
    }
    if settings.is_bounded {
        prepared = prepared.exactness(Exactness::Bounded);
    }
    let run = |columns: &&[Data]| {
        let [x, y, z, k] = columns else { unreachable!("a prepared query has four arguments") };
        let scalar = k.get(0).map_or(0, |value| value.int() as i64);
        let mut found = Found::default();
        let (x, y, z) = (x.array::<i32>(), y.array::<f32>(), z.array::<u64>());
        S::read(&prepared.run(&x, &y, &z, scalar)?.into_value(), &mut found);
        Ok(found)
    };
    Ok(inputs.iter().map(run).collect())
}
