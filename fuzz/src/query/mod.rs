//! From a [`Program`] to a query of the public interface: in goes a source that is open already, out comes a query that is
//! ready to run. Every shape of rows and folds is a variant here, because the interface is typed.

mod expressions;
mod prepared;

pub(crate) use prepared::{PREPARED_COLUMNS, has_prepared_shape, run_prepared};

use crate::program::{Fold, Program, Running, Step, StepKind};
use crate::typed::{FoldShape, FoldSlot, Found, Row, ScanShape, Shape, Typed, WIDE_PLACES, Wide, with_type};
use crate::value::Type;
use expressions::{Builder, Tables};
use pointsman::arrow::array::RecordBatch;
use pointsman::types::{Count, Mean, MinMax, Running as RunningFold, Sum};
use pointsman::{
    CancellationToken, Column, Columns, Date, Exactness, Explain, Expr, Promise, Query, Reduction, Result, Timestamp,
    lit,
};
use std::time::Duration;

/// How a query runs: on which device, and how long.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) require: Option<String>,
    pub(crate) prefer: Option<String>,
    pub(crate) is_bounded: bool,
    pub(crate) deadline: Option<Duration>,
    pub(crate) token: Option<CancellationToken>,
}

macro_rules! apply_settings {
    ($query:expr, $settings:expr) => {{
        let (mut query, settings) = ($query, $settings);
        if let Some(device) = &settings.require {
            query = query.require(device);
        }
        if let Some(device) = &settings.prefer {
            query = query.prefer(device);
        }
        if settings.is_bounded {
            query = query.exactness(Exactness::Bounded);
        }
        if let Some(deadline) = settings.deadline {
            query = query.deadline(deadline);
        }
        if let Some(token) = &settings.token {
            query = query.cancelled_by(token);
        }
        query
    }};
}

/// How the columns of a result are taken out of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collect {
    /// As columns.
    Columns,
    /// As a vector, where the row is one expression.
    Vector,
    /// Into a slice with this many places beyond the rows, where the row is one expression.
    Slice(usize),
}

macro_rules! row_shapes {
    ($($name:ident $row:ty, $scan:ty;)*) => {
        /// A query whose row has one of the known shapes.
        pub(crate) enum Rows<'a> {
            Batch(Query<'a, Columns>),
            BatchRange(Query<'a, (Columns, Expr<u32>)>),
            Wide(Box<Query<'a, Wide>>),
            $($name(Query<'a, $row>),)*
        }

        /// The types of every shape that a last row can have.
        pub(crate) fn row_shapes() -> Vec<Vec<Type>> {
            vec![$(types_of::<$row>()),*]
        }

        #[derive(Clone, Copy)]
        enum ShapeName { $($name),* }

        const SHAPE_NAMES: &[ShapeName] = &[$(ShapeName::$name),*];

        /// A row of the shape of this number.
        fn map_to<'a, R: Row>(query: Query<'a, R>, types: &[Type], step: &Step, tables: &Tables, shape: usize) -> Rows<'a> {
            match SHAPE_NAMES[shape] {
                $(ShapeName::$name => Rows::$name(query.map(|row| <$row>::make(&mut outputs(&row, types, step, tables)))),)*
            }
        }

        fn scan_to<'a, R: Row>(
            query: Query<'a, R>,
            types: &[Type],
            step: &Step,
            tables: &Tables,
            (shape, parts): (usize, &[(Running, usize)]),
        ) -> Rows<'a> {
            let parts = |row: &R| {
                let values = outputs(row, types, step, tables);
                parts.iter().map(|part| part.0).zip(values).collect::<Vec<_>>().into_iter()
            };
            match SHAPE_NAMES[shape] {
                $(ShapeName::$name => Rows::$name(query.scan(|row| <$scan as ScanShape>::make(&mut parts(&row)))),)*
            }
        }

        /// A loop whose state has the shape of this number.
        fn loop_of(builder: &mut Builder<'_>, at: usize, of: &crate::program::Loop) -> Vec<Typed> {
            match SHAPE_NAMES[of.shape] {
                $(ShapeName::$name => builder.typed_loop::<$row>(at, of),)*
            }
        }

        impl<'a> Rows<'a> {
            fn filter(self, types: &[Type], step: &Step, tables: &Tables) -> Rows<'a> {
                match self {
                    Rows::Batch(query) => Rows::Batch(filter(query, types, step, tables)),
                    Rows::BatchRange(query) => Rows::BatchRange(filter(query, types, step, tables)),
                    Rows::Wide(query) => Rows::Wide(Box::new(filter(*query, &wide_types(), &widened(step, types), tables))),
                    $(Rows::$name(query) => Rows::$name(filter(query, types, step, tables)),)*
                }
            }

            fn map(self, types: &[Type], step: &Step, tables: &Tables, shape: usize) -> Rows<'a> {
                match (self, SHAPE_NAMES[shape]) {
                    // The usual query: one column in, one of the same type out.
                    $((Rows::$name(query), ShapeName::$name) => {
                        Rows::$name(query.map(|row| <$row>::make(&mut outputs(&row, types, step, tables))))
                    })*
                    (Rows::Batch(query), _) => map_to(query, types, step, tables, shape),
                    (other, _) => map_to(other.widen(types), &wide_types(), &widened(step, types), tables, shape),
                }
            }

            /// A wide row of the same columns.
            fn widen(self, types: &[Type]) -> Query<'a, Wide> {
                let identity = Step::identity(types);
                let tables = Tables::default();
                match self {
                    Rows::Wide(query) => *query,
                    Rows::Batch(query) => map_wide(query, types, &identity, &tables),
                    Rows::BatchRange(query) => map_wide(query, types, &identity, &tables),
                    $(Rows::$name(query) => map_wide(query, types, &identity, &tables),)*
                }
            }

            pub(crate) fn explain(&self) -> Explain {
                match self {
                    Rows::Batch(query) => query.explain(),
                    Rows::BatchRange(query) => query.explain(),
                    Rows::Wide(query) => query.explain(),
                    $(Rows::$name(query) => query.explain(),)*
                }
            }

            /// Runs the query.
            pub(crate) fn run(self, settings: &Settings, collect: Collect) -> Result<Found> {
                match self {
                    Rows::Wide(_) => unreachable!("the last row has a shape"),
                    Rows::Batch(query) => {
                        let mut found = Found::default();
                        found.batch(&apply_settings!(query, settings).collect()?);
                        Ok(found)
                    }
                    Rows::BatchRange(query) => {
                        let mut found = Found::default();
                        read_batch_range(&apply_settings!(query, settings).collect()?, &mut found);
                        Ok(found)
                    }
                    $(Rows::$name(query) => <$row as CollectRows>::collect(apply_settings!(query, settings), collect),)*
                }
            }
        }

        impl Rows<'static> {
            /// Starts the query on a thread of the session.
            pub(crate) fn start(self, settings: &Settings) -> Pending {
                match self {
                    Rows::Wide(_) => unreachable!("the last row has a shape"),
                    Rows::Batch(query) => {
                        pending(apply_settings!(query, settings).run_async(), |batch, found| found.batch(batch))
                    }
                    Rows::BatchRange(query) => {
                        pending(apply_settings!(query, settings).run_async(), read_batch_range)
                    }
                    $(Rows::$name(query) => pending(apply_settings!(query, settings).run_async(), <$row>::read),)*
                }
            }
        }
    };
}

row_shapes! {
    Bool Expr<bool>, RunningFold<bool>;
    I8 Expr<i8>, RunningFold<i8>;
    I16 Expr<i16>, RunningFold<i16>;
    I32 Expr<i32>, RunningFold<i32>;
    I64 Expr<i64>, RunningFold<i64>;
    U8 Expr<u8>, RunningFold<u8>;
    U16 Expr<u16>, RunningFold<u16>;
    U32 Expr<u32>, RunningFold<u32>;
    U64 Expr<u64>, RunningFold<u64>;
    F32 Expr<f32>, RunningFold<f32>;
    F64 Expr<f64>, RunningFold<f64>;
    Date Expr<Date>, RunningFold<Date>;
    Timestamp Expr<Timestamp>, RunningFold<Timestamp>;
    Pair (Expr<i32>, Expr<f32>), (RunningFold<i32>, RunningFold<f32>);
    Flagged (Expr<bool>, Expr<i64>), (RunningFold<bool>, RunningFold<i64>);
    Point [Expr<f64>; 3], [RunningFold<f64>; 3];
    Narrow (Expr<i8>, Expr<u16>, Expr<bool>), (RunningFold<i8>, RunningFold<u16>, RunningFold<bool>);
    Times (Expr<Date>, Expr<Timestamp>, Expr<i32>), (RunningFold<Date>, RunningFold<Timestamp>, RunningFold<i32>);
    Nested ((Expr<u8>, Expr<u64>), [Expr<f32>; 2]), ((RunningFold<u8>, RunningFold<u64>), [RunningFold<f32>; 2]);
    Counted (Expr<u64>, Expr<f64>), (RunningFold<u64>, RunningFold<f64>);
    Quad (Expr<i64>, Expr<i16>, Expr<u32>, Expr<f32>), (RunningFold<i64>, RunningFold<i16>, RunningFold<u32>, RunningFold<f32>);
}

macro_rules! fold_shapes {
    ($($name:ident $folds:ty;)*) => {
        /// A query that folds its rows, of one of the known shapes.
        pub(crate) enum Folded<'a> {
            $($name(Reduction<'a, $folds>),)*
        }

        /// The folds of every shape.
        pub(crate) fn fold_shapes() -> Vec<Vec<FoldSlot>> {
            vec![$({
                let mut slots = Vec::new();
                <$folds as FoldShape>::slots(&mut slots);
                slots
            }),*]
        }

        #[derive(Clone, Copy)]
        enum FoldName { $($name),* }

        const FOLD_NAMES: &[FoldName] = &[$(FoldName::$name),*];

        fn fold_to<'a, R: Row>(
            query: Query<'a, R>,
            types: &[Type],
            step: &Step,
            tables: &Tables,
            (shape, parts): (usize, &[(Fold, usize)]),
        ) -> Folded<'a> {
            let parts = |row: &R| {
                let values = outputs(row, types, step, tables);
                parts.iter().map(|part| part.0).zip(values).collect::<Vec<_>>().into_iter()
            };
            match FOLD_NAMES[shape] {
                $(FoldName::$name => Folded::$name(query.folds(|row| <$folds as FoldShape>::make(&mut parts(&row)))),)*
            }
        }

        impl Folded<'_> {
            pub(crate) fn explain(&self) -> Explain {
                match self {
                    $(Folded::$name(query) => query.explain(),)*
                }
            }

            pub(crate) fn run(self, settings: &Settings) -> Result<Found> {
                let mut found = Found::default();
                match self {
                    $(Folded::$name(query) => {
                        <$folds as FoldShape>::read(&apply_settings!(query, settings).run()?.into_value(), &mut found);
                    })*
                }
                Ok(found)
            }
        }

        impl Folded<'static> {
            pub(crate) fn start(self, settings: &Settings) -> Pending {
                match self {
                    $(Folded::$name(query) => {
                        pending(apply_settings!(query, settings).run_async(), <$folds as FoldShape>::read)
                    })*
                }
            }
        }
    };
}

fold_shapes! {
    SumI8 Sum<i8>;
    SumI16 Sum<i16>;
    SumI32 Sum<i32>;
    SumI64 Sum<i64>;
    SumU8 Sum<u8>;
    SumU16 Sum<u16>;
    SumU32 Sum<u32>;
    SumU64 Sum<u64>;
    SumF32 Sum<f32>;
    SumF64 Sum<f64>;
    OrderBool MinMax<bool>;
    OrderI8 MinMax<i8>;
    OrderI16 MinMax<i16>;
    OrderU16 MinMax<u16>;
    OrderU32 MinMax<u32>;
    OrderI64 MinMax<i64>;
    OrderF32 MinMax<f32>;
    OrderF64 MinMax<f64>;
    OrderDate MinMax<Date>;
    OrderTimestamp MinMax<Timestamp>;
    Mean Mean;
    Count Count;
    Statistics (Mean, MinMax<f32>, Sum<f64>, Count);
    Integers ([Sum<i64>; 2], MinMax<u8>, MinMax<u64>);
    Floats (Sum<f32>, Sum<f64>, MinMax<i32>);
}

/// A query that is ready to run.
#[expect(clippy::large_enum_variant, reason = "one stands on the stack at a time")]
pub(crate) enum Ready<'a> {
    Rows(Rows<'a>),
    Folded(Folded<'a>),
}

impl Ready<'_> {
    pub(crate) fn explain(&self) -> Explain {
        match self {
            Ready::Rows(rows) => rows.explain(),
            Ready::Folded(folded) => folded.explain(),
        }
    }

    pub(crate) fn run(self, settings: &Settings, collect: Collect) -> Result<Found> {
        match self {
            Ready::Rows(rows) => rows.run(settings, collect),
            Ready::Folded(folded) => folded.run(settings),
        }
    }
}

impl Ready<'static> {
    pub(crate) fn start(self, settings: &Settings) -> Pending {
        match self {
            Ready::Rows(rows) => rows.start(settings),
            Ready::Folded(folded) => folded.start(settings),
        }
    }
}

/// A query that runs on a thread of the session. Calling it waits for the answer; dropping it cancels the query.
pub(crate) type Pending = Box<dyn FnOnce() -> Result<Found>>;

fn pending<T: Send + 'static>(promise: Promise<T>, read: impl FnOnce(&T, &mut Found) + 'static) -> Pending {
    Box::new(move || {
        let mut found = Found::default();
        read(&block_on(promise)?.into_value(), &mut found);
        Ok(found)
    })
}

/// Waits for a future on this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

fn read_batch_range((batch, range): &(RecordBatch, Column<u32>), found: &mut Found) {
    found.batch(batch);
    found.column(range);
}

/// Appends all steps of a program to a source.
pub(crate) fn append_steps<'a>(source: Rows<'a>, program: &Program) -> Ready<'a> {
    let tables = Tables::new(&program.tables);
    let (mut rows, mut types) = (source, program.columns.clone());
    for (number, step) in program.steps.iter().enumerate() {
        rows = match &step.kind {
            StepKind::Filter(_) => rows.filter(&types, step, &tables),
            StepKind::Map { shape, .. } if is_last_map(program, number) => rows.map(&types, step, &tables, *shape),
            StepKind::Map { .. } => Rows::Wide(Box::new(match rows {
                Rows::Batch(query) => map_wide(query, &types, step, &tables),
                other => map_wide(other.widen(&types), &wide_types(), &widened(step, &types), &tables),
            })),
            StepKind::Scan { shape, parts } => match rows {
                Rows::Batch(query) => scan_to(query, &types, step, &tables, (*shape, parts)),
                other => {
                    let step = widened(step, &types);
                    scan_to(other.widen(&types), &wide_types(), &step, &tables, (*shape, parts))
                }
            },
            StepKind::Fold { shape, parts } => {
                return Ready::Folded(match rows {
                    Rows::Batch(query) => fold_to(query, &types, step, &tables, (*shape, parts)),
                    other => {
                        let step = widened(step, &types);
                        fold_to(other.widen(&types), &wide_types(), &step, &tables, (*shape, parts))
                    }
                });
            }
        };
        types = step.row().unwrap_or(types);
    }
    Ready::Rows(rows)
}

/// Whether the row of this map is the row of the result: only filters follow.
fn is_last_map(program: &Program, number: usize) -> bool {
    program.steps[number + 1..].iter().all(|step| matches!(step.kind, StepKind::Filter(_)))
}

fn types_of<S: Shape>() -> Vec<Type> {
    let mut types = Vec::new();
    S::types(&mut types);
    types
}

fn wide_types() -> Vec<Type> {
    types_of::<Wide>()
}

/// The place of each column of a row in the wide row.
fn wide_places(types: &[Type]) -> Vec<usize> {
    let wide = wide_types();
    let place = |(at, ty): (usize, &Type)| {
        let earlier = types[..at].iter().filter(|other| *other == ty).count();
        debug_assert!(earlier < WIDE_PLACES, "too many columns of {ty:?}");
        wide.iter().position(|other| other == ty).map_or(0, |first| first + earlier)
    };
    types.iter().enumerate().map(place).collect()
}

/// The step, reading its columns from the wide row.
fn widened(step: &Step, types: &[Type]) -> Step {
    let places = wide_places(types);
    let mut step = step.clone();
    step.move_columns(|column| places[column]);
    step
}

/// A wide row of the step's outputs; unused places hold constants.
fn map_wide<'a, R: Row>(query: Query<'a, R>, types: &[Type], step: &Step, tables: &Tables) -> Query<'a, Wide> {
    query.map(|row| {
        let values: Vec<Typed> = outputs(&row, types, step, tables).collect();
        let own: Vec<Type> = step.row().unwrap_or_default();
        let mut wide: Vec<Option<Typed>> = vec![None; wide_types().len()];
        for (value, place) in values.into_iter().zip(wide_places(&own)) {
            wide[place] = Some(value);
        }
        let filled = wide.into_iter().zip(wide_types()).map(|(value, ty)| {
            value.unwrap_or_else(|| with_type!(ty, T => Typed::from(lit(<T as crate::typed::Known>::of(ty.zero())))))
        });
        Wide::make(&mut filled.collect::<Vec<_>>().into_iter())
    })
}

fn filter<'a, R: Row>(query: Query<'a, R>, types: &[Type], step: &Step, tables: &Tables) -> Query<'a, R> {
    query.filter(|row| {
        <bool as crate::typed::Known>::expr(outputs(&row, types, step, tables).next().expect("a condition"))
    })
}

/// The expressions of a step's outputs.
fn outputs<R: Row>(row: &R, types: &[Type], step: &Step, tables: &Tables) -> std::vec::IntoIter<Typed> {
    let mut columns = Vec::new();
    row.list(types, &mut columns);
    Builder::new(step, tables, columns).build().into_iter()
}

/// Ways to take the columns of a result out of a query; rows of one expression have more of them.
trait CollectRows: Shape {
    fn collect(query: Query<'_, Self>, _: Collect) -> Result<Found> {
        let mut found = Found::default();
        Self::read(&query.run()?.into_value(), &mut found);
        Ok(found)
    }
}

impl<T: crate::typed::Known> CollectRows for Expr<T>
where
    Typed: From<Expr<T>>,
{
    fn collect(query: Query<'_, Self>, how: Collect) -> Result<Found> {
        let mut found = Found::default();
        match how {
            Collect::Columns => found.column(&query.collect()?),
            Collect::Vector => found.column(&Column::from(query.to_vec()?)),
            Collect::Slice(room) => {
                let mut out = vec![T::of(T::TYPE.zero()); room];
                let len = query.into_slice(&mut out)?;
                found.column(&Column::from(&out[..len]));
            }
        }
        Ok(found)
    }
}

macro_rules! several_columns {
    ($($row:ty;)*) => { $(impl CollectRows for $row {})* };
}

several_columns! {
    (Expr<i32>, Expr<f32>);
    (Expr<bool>, Expr<i64>);
    [Expr<f64>; 3];
    (Expr<i8>, Expr<u16>, Expr<bool>);
    (Expr<Date>, Expr<Timestamp>, Expr<i32>);
    ((Expr<u8>, Expr<u64>), [Expr<f32>; 2]);
    (Expr<u64>, Expr<f64>);
    (Expr<i64>, Expr<i16>, Expr<u32>, Expr<f32>);
}
