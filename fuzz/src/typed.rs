//! The bridge from types as data to the types of the interface: [`Typed`] expressions, and the shapes that rows, folds and
//! running folds of a query can have.

use crate::program::{Fold, Running};
use crate::value::{TYPES, Type, Value};
use pointsman::arrow::array::{Array, BooleanArray, PrimitiveArray, RecordBatch, types as arrow_types};
use pointsman::types::{Count, Folds, IntoValues, Mean, MinMax, Running as RunningFold, Scans, Sum, Values};
use pointsman::{Column, Columns, Date, Element, Expr, Timestamp, count};

/// Calls a macro with every type: its name here, the Rust type, the Arrow type, and conversions to and from a [`Value`].
macro_rules! each_type {
    ($apply:ident) => {
        $apply! {
            I8 i8 Int8Type, |x| Value::Int(x.into()), |v| v.int() as i8;
            I16 i16 Int16Type, |x| Value::Int(x.into()), |v| v.int() as i16;
            I32 i32 Int32Type, |x| Value::Int(x.into()), |v| v.int() as i32;
            I64 i64 Int64Type, |x| Value::Int(x.into()), |v| v.int() as i64;
            U8 u8 UInt8Type, |x| Value::Int(x.into()), |v| v.int() as u8;
            U16 u16 UInt16Type, |x| Value::Int(x.into()), |v| v.int() as u16;
            U32 u32 UInt32Type, |x| Value::Int(x.into()), |v| v.int() as u32;
            U64 u64 UInt64Type, |x| Value::Int(x.into()), |v| v.int() as u64;
            F32 f32 Float32Type, |x| Value::F32(x), |v| single(v);
            F64 f64 Float64Type, |x| Value::F64(x), |v| double(v);
            Date Date Date32Type, |x| Value::Int(x.0.into()), |v| Date(v.int() as i32);
            Timestamp Timestamp TimestampMicrosecondType, |x| Value::Int(x.0.into()), |v| Timestamp(v.int() as i64);
        }
    };
}

fn single(value: Value) -> f32 {
    match value {
        Value::F32(float) => float,
        Value::Bool(_) | Value::Int(_) | Value::F64(_) => unreachable!("{value:?} is not an f32"),
    }
}

fn double(value: Value) -> f64 {
    match value {
        Value::F64(float) => float,
        Value::Bool(_) | Value::Int(_) | Value::F32(_) => unreachable!("{value:?} is not an f64"),
    }
}

/// A type of the interface that is known here.
pub(crate) trait Known: Element {
    const TYPE: Type;

    /// The expression of this type; only of a [`Typed`] that holds it.
    fn expr(typed: Typed) -> Expr<Self>;

    /// The value as the reference has it.
    fn value(self) -> Value;

    /// The value of the reference as this type.
    fn of(value: Value) -> Self;

    /// The values as an Arrow array.
    fn arrow_array(values: &[Self], valid: Option<&[bool]>) -> Self::Array;

    /// Some consecutive values of an Arrow array, in place.
    fn sliced(array: &Self::Array, offset: usize, len: usize) -> Self::Array;

    /// The array's column.
    fn column(array: &Self::Array) -> Column<Self>;
}

macro_rules! known {
    ($($name:ident $rust:ident $arrow:ident, |$x:ident| $value:expr, |$v:ident| $of:expr;)*) => {
        /// An expression of any type.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Typed {
            Bool(Expr<bool>),
            $($name(Expr<$rust>),)*
        }

        impl From<Expr<bool>> for Typed {
            fn from(expr: Expr<bool>) -> Typed {
                Typed::Bool(expr)
            }
        }

        $(
            impl From<Expr<$rust>> for Typed {
                fn from(expr: Expr<$rust>) -> Typed {
                    Typed::$name(expr)
                }
            }

            impl Known for $rust {
                const TYPE: Type = Type::$name;

                fn expr(typed: Typed) -> Expr<$rust> {
                    match typed {
                        Typed::$name(expr) => expr,
                        other => unreachable!("{other:?} instead of {}", stringify!($rust)),
                    }
                }

                fn value(self) -> Value {
                    let $x = self;
                    $value
                }

                fn of(value: Value) -> $rust {
                    let $v = value;
                    $of
                }

                fn arrow_array(values: &[$rust], valid: Option<&[bool]>) -> Self::Array {
                    let plain = values.iter().map(|&value| native!($name value)).collect::<Vec<_>>();
                    PrimitiveArray::<arrow_types::$arrow>::new(plain.into(), valid.map(|valid| valid.into()))
                }

                fn sliced(array: &Self::Array, offset: usize, len: usize) -> Self::Array {
                    array.slice(offset, len)
                }

                fn column(array: &Self::Array) -> Column<$rust> {
                    Column::from(array)
                }
            }
        )*
    };
}

macro_rules! native {
    (Date $value:ident) => {
        $value.0
    };
    (Timestamp $value:ident) => {
        $value.0
    };
    ($name:ident $value:ident) => {
        $value
    };
}

each_type!(known);

impl Known for bool {
    const TYPE: Type = Type::Bool;

    fn expr(typed: Typed) -> Expr<bool> {
        match typed {
            Typed::Bool(expr) => expr,
            other => unreachable!("{other:?} instead of bool"),
        }
    }

    fn value(self) -> Value {
        Value::Bool(self)
    }

    fn of(value: Value) -> bool {
        value.truth()
    }

    fn arrow_array(values: &[bool], valid: Option<&[bool]>) -> BooleanArray {
        BooleanArray::new(values.into(), valid.map(|valid| valid.into()))
    }

    fn sliced(array: &BooleanArray, offset: usize, len: usize) -> BooleanArray {
        array.slice(offset, len)
    }

    fn column(array: &BooleanArray) -> Column<bool> {
        Column::from(array)
    }
}

/// Evaluates an expression with `$T` as the Rust type of a [`Type`].
macro_rules! with_type {
    ($ty:expr, $T:ident => $body:expr) => {
        $crate::typed::with_type!(@ $ty, $T => $body;
            Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64,
            Date pointsman::Date, Timestamp pointsman::Timestamp)
    };
    (@ $ty:expr, $T:ident => $body:expr; $($name:ident $rust:ty),*) => {
        match $ty {
            $($crate::value::Type::$name => {
                type $T = $rust;
                $body
            })*
        }
    };
}
pub(crate) use with_type;

/// Columns or scalars of a result, as the reference has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) columns: Vec<Vec<Option<Value>>>,
    /// Null slots that do not hold zero.
    pub(crate) dirty_nulls: usize,
}

impl Found {
    pub(crate) fn column<T: Known>(&mut self, column: &Column<T>) {
        let zero = T::TYPE.zero().bits();
        let null = |row: usize| {
            let bits = column[row].value().bits();
            (bits != zero).then_some(())
        };
        let nulls = (0..column.len()).filter(|&row| !column.is_valid(row));
        self.dirty_nulls += nulls.filter_map(null).count();
        self.columns.push(column.options().map(|value| value.map(raw)).collect());
    }

    /// The columns of a record batch.
    pub(crate) fn batch(&mut self, batch: &RecordBatch) {
        for array in batch.columns() {
            for ty in TYPES {
                with_type!(ty, T => if let Some(array) = array.as_any().downcast_ref::<<T as Element>::Array>() {
                    self.column(&T::column(array));
                });
            }
        }
    }

    fn scalar<T: Known>(&mut self, value: Option<T>) {
        self.columns.push(vec![value.map(raw)]);
    }
}

/// A value of a result. A NaN that is not the canonical one stays different from it.
fn raw<T: Known>(value: T) -> Value {
    match value.value() {
        Value::F32(float) if float.is_nan() && float.to_bits() != 0x7fc0_0000 => Value::Int(float.to_bits().into()),
        Value::F64(float) if float.is_nan() && float.to_bits() != 0x7ff8_0000_0000_0000 => {
            Value::Int(float.to_bits().into())
        }
        value @ (Value::Bool(_) | Value::Int(_) | Value::F32(_) | Value::F64(_)) => value,
    }
}

/// A row whose expressions can be listed.
pub(crate) trait Row: Values<Out: Send> + Send + 'static {
    /// The expressions of the row, whose types are `types`.
    fn list(&self, types: &[Type], into: &mut Vec<Typed>);
}

impl Row for Columns {
    fn list(&self, types: &[Type], into: &mut Vec<Typed>) {
        for ty in types {
            let name = format!("c{}", into.len());
            into.push(with_type!(*ty, T => Typed::from(self.col::<T>(&name))));
        }
    }
}

impl Row for (Columns, Expr<u32>) {
    fn list(&self, types: &[Type], into: &mut Vec<Typed>) {
        self.0.list(&types[..types.len() - 1], into);
        into.push(self.1.into());
    }
}

/// A row that can be made of a list of expressions.
pub(crate) trait Shape: Row + IntoValues<Row = Self> {
    /// Adds the types of its expressions.
    fn types(into: &mut Vec<Type>);

    /// The row of the next expressions.
    fn make(from: &mut std::vec::IntoIter<Typed>) -> Self;

    /// Adds the columns of a result of this shape.
    fn read(out: &Self::Out, into: &mut Found);
}

impl<T: Known> Row for Expr<T>
where
    Typed: From<Expr<T>>,
{
    fn list(&self, _: &[Type], into: &mut Vec<Typed>) {
        into.push((*self).into());
    }
}

impl<T: Known> Shape for Expr<T>
where
    Typed: From<Expr<T>>,
{
    fn types(into: &mut Vec<Type>) {
        into.push(T::TYPE);
    }

    fn make(from: &mut std::vec::IntoIter<Typed>) -> Self {
        T::expr(from.next().expect("a row has as many expressions as its shape"))
    }

    fn read(out: &Column<T>, into: &mut Found) {
        into.column(out);
    }
}

impl<S: Row, const N: usize> Row for [S; N] {
    fn list(&self, types: &[Type], into: &mut Vec<Typed>) {
        self.iter().for_each(|one| one.list(types, into));
    }
}

impl<S: Shape, const N: usize> Shape for [S; N] {
    fn types(into: &mut Vec<Type>) {
        (0..N).for_each(|_| S::types(into));
    }

    fn make(from: &mut std::vec::IntoIter<Typed>) -> Self {
        std::array::from_fn(|_| S::make(from))
    }

    fn read(out: &Self::Out, into: &mut Found) {
        out.iter().for_each(|one| S::read(one, into));
    }
}

macro_rules! tuple_shapes {
    ($($name:ident $at:tt),+) => {
        impl<$($name: Shape),+> Row for ($($name,)+) {
            fn list(&self, types: &[Type], into: &mut Vec<Typed>) {
                $(self.$at.list(types, into);)+
            }
        }

        impl<$($name: Shape),+> Shape for ($($name,)+) {
            fn types(into: &mut Vec<Type>) {
                $($name::types(into);)+
            }

            fn make(from: &mut std::vec::IntoIter<Typed>) -> Self {
                ($($name::make(from),)+)
            }

            fn read(out: &Self::Out, into: &mut Found) {
                $($name::read(&out.$at, into);)+
            }
        }
    };
}

tuple_shapes!(A 0, B 1);
tuple_shapes!(A 0, B 1, C 2);
tuple_shapes!(A 0, B 1, C 2, D 3);
tuple_shapes!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);

/// Rows between two steps: every type three times. Unused places hold constants.
pub(crate) type Wide = (WideIntegers, ([Expr<bool>; 3], [Expr<u64>; 3]), (WideFloats, WideTimes));
type WideIntegers =
    ([Expr<i8>; 3], [Expr<i16>; 3], [Expr<i32>; 3], [Expr<i64>; 3], [Expr<u8>; 3], [Expr<u16>; 3], [Expr<u32>; 3]);
type WideFloats = ([Expr<f32>; 3], [Expr<f64>; 3]);
type WideTimes = ([Expr<Date>; 3], [Expr<Timestamp>; 3]);

/// The most columns of one type that a wide row has.
pub(crate) const WIDE_PLACES: usize = 3;

/// A fold or several, made of a list of expressions.
pub(crate) trait FoldShape: Folds<Out: Send> + Send + 'static {
    /// Adds, for each fold, the kinds it can be and the type it takes; `None` is any number.
    fn slots(into: &mut Vec<FoldSlot>);

    /// The folds of the next expressions.
    fn make(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> Self;

    /// Adds the results.
    fn read(out: &Self::Out, into: &mut Found);
}

/// A place in a shape of folds or running folds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FoldSlot {
    Sum(Type),
    MinMax(Type),
    Mean,
    Count,
}

fn next_fold(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> (Fold, Typed) {
    from.next().expect("a reduction has as many folds as its shape")
}

impl<T: Known + pointsman::types::Number> FoldShape for Sum<T> {
    fn slots(into: &mut Vec<FoldSlot>) {
        into.push(FoldSlot::Sum(T::TYPE));
    }

    fn make(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> Self {
        T::expr(next_fold(from).1).sum()
    }

    fn read(out: &T, into: &mut Found) {
        into.scalar(Some(*out));
    }
}

impl<T: Known> FoldShape for MinMax<T> {
    fn slots(into: &mut Vec<FoldSlot>) {
        into.push(FoldSlot::MinMax(T::TYPE));
    }

    fn make(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> Self {
        match next_fold(from) {
            (Fold::Max, of) => T::expr(of).max(),
            (_, of) => T::expr(of).min(),
        }
    }

    fn read(out: &Option<T>, into: &mut Found) {
        into.scalar(*out);
    }
}

macro_rules! with_number {
    ($typed:expr, $x:ident => $body:expr) => {
        match $typed {
            Typed::I8($x) => $body,
            Typed::I16($x) => $body,
            Typed::I32($x) => $body,
            Typed::I64($x) => $body,
            Typed::U8($x) => $body,
            Typed::U16($x) => $body,
            Typed::U32($x) => $body,
            Typed::U64($x) => $body,
            Typed::F32($x) => $body,
            Typed::F64($x) => $body,
            other @ (Typed::Bool(_) | Typed::Date(_) | Typed::Timestamp(_)) => unreachable!("{other:?} is no number"),
        }
    };
}

macro_rules! with_any {
    ($typed:expr, $x:ident => $body:expr) => {
        match $typed {
            Typed::Bool($x) => $body,
            Typed::Date($x) => $body,
            Typed::Timestamp($x) => $body,
            number => with_number!(number, $x => $body),
        }
    };
}
pub(crate) use {with_any, with_number};

impl FoldShape for Mean {
    fn slots(into: &mut Vec<FoldSlot>) {
        into.push(FoldSlot::Mean);
    }

    fn make(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> Self {
        with_number!(next_fold(from).1, x => x.mean())
    }

    fn read(out: &Option<f64>, into: &mut Found) {
        into.scalar(*out);
    }
}

impl FoldShape for Count {
    fn slots(into: &mut Vec<FoldSlot>) {
        into.push(FoldSlot::Count);
    }

    fn make(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> Self {
        match next_fold(from) {
            (Fold::CountRows, _) => count(),
            (_, of) => with_any!(of, x => x.count()),
        }
    }

    fn read(out: &u64, into: &mut Found) {
        into.scalar(Some(*out));
    }
}

impl<F: FoldShape, const N: usize> FoldShape for [F; N] {
    fn slots(into: &mut Vec<FoldSlot>) {
        (0..N).for_each(|_| F::slots(into));
    }

    fn make(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> Self {
        std::array::from_fn(|_| F::make(from))
    }

    fn read(out: &Self::Out, into: &mut Found) {
        out.iter().for_each(|one| F::read(one, into));
    }
}

/// Running folds, made of a list of expressions.
pub(crate) trait ScanShape: Scans<Row: Shape> {
    /// The running folds of the next expressions.
    fn make(from: &mut std::vec::IntoIter<(Running, Typed)>) -> Self;
}

/// A running fold whose result has type `T`.
fn running<T: Known + RunningSum>(from: &mut std::vec::IntoIter<(Running, Typed)>) -> RunningFold<T> {
    let (kind, of) = from.next().expect("a scan has as many parts as its shape");
    match kind {
        Running::Sum => T::running_sum(of),
        Running::Min => T::expr(of).running_min(),
        Running::Max => T::expr(of).running_max(),
        Running::Kept => T::expr(of).kept(),
        Running::Count => T::running_count(of),
    }
}

/// The running folds that only some types have.
pub(crate) trait RunningSum: Known {
    fn running_sum(of: Typed) -> RunningFold<Self> {
        unreachable!("no sums of {of:?}")
    }

    fn running_count(of: Typed) -> RunningFold<Self> {
        unreachable!("a count of {of:?} is a u64")
    }
}

macro_rules! running_sums {
    ($($rust:ty)*) => {
        $(impl RunningSum for $rust {
            fn running_sum(of: Typed) -> RunningFold<$rust> {
                <$rust>::expr(of).running_sum()
            }
        })*
    };
}

running_sums!(i8 i16 i32 i64 u8 u16 u32 f32 f64);

impl RunningSum for bool {}
impl RunningSum for Date {}
impl RunningSum for Timestamp {}
impl RunningSum for u64 {
    fn running_sum(of: Typed) -> RunningFold<u64> {
        u64::expr(of).running_sum()
    }

    fn running_count(of: Typed) -> RunningFold<u64> {
        with_any!(of, x => x.running_count())
    }
}

impl<T: RunningSum> ScanShape for RunningFold<T>
where
    Typed: From<Expr<T>>,
{
    fn make(from: &mut std::vec::IntoIter<(Running, Typed)>) -> Self {
        running(from)
    }
}

impl<S: ScanShape, const N: usize> ScanShape for [S; N] {
    fn make(from: &mut std::vec::IntoIter<(Running, Typed)>) -> Self {
        std::array::from_fn(|_| S::make(from))
    }
}

macro_rules! tuple_folds {
    ($($name:ident $at:tt),+) => {
        impl<$($name: FoldShape),+> FoldShape for ($($name,)+) {
            fn slots(into: &mut Vec<FoldSlot>) {
                $($name::slots(into);)+
            }

            fn make(from: &mut std::vec::IntoIter<(Fold, Typed)>) -> Self {
                ($($name::make(from),)+)
            }

            fn read(out: &Self::Out, into: &mut Found) {
                $($name::read(&out.$at, into);)+
            }
        }

        impl<$($name: ScanShape),+> ScanShape for ($($name,)+) {
            fn make(from: &mut std::vec::IntoIter<(Running, Typed)>) -> Self {
                ($($name::make(from),)+)
            }
        }
    };
}

tuple_folds!(A 0, B 1);
tuple_folds!(A 0, B 1, C 2);
tuple_folds!(A 0, B 1, C 2, D 3);
