//! Sources of every kind, with the same rows for the query and for the reference: slices, vectors, columns, Arrow arrays
//! and record batches with nulls and offsets, several batches, ranges, and tuples and arrays of these.

use crate::query::Rows;
use crate::random::Random;
use crate::typed::{Known, with_type};
use crate::value::{Type, Value};
use pointsman::arrow::array::{Array, ArrayRef, RecordBatch};
use pointsman::arrow::schema::{Field, Schema};
use pointsman::{Column, Date, Element, Session, Timestamp};
use std::sync::Arc;

/// Rows in front of and behind the rows of a sliced array, at most.
const MARGIN_ROWS_MAX: usize = 70;

/// A column of the source. Null slots hold any value.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) ty: Type,
    values: Vec<Value>,
    valid: Option<Vec<bool>>,
    /// Rows in front of the first one, and behind the last one, in the memory of slices and arrays.
    margins: (usize, usize),
}

impl Data {
    /// Random values; `nulls` of 100 are null.
    pub(crate) fn random(ty: Type, rows: usize, nulls: usize, random: &mut Random) -> Data {
        let margins = match random.below(3) {
            0 => (0, 0),
            _ => (random.below(MARGIN_ROWS_MAX), random.below(MARGIN_ROWS_MAX)),
        };
        // Columns whose values repeat make branches agree; others do not.
        let fixed = random.percent(10).then(|| ty.random(random));
        let all = rows + margins.0 + margins.1;
        let values = (0..all).map(|_| fixed.unwrap_or_else(|| ty.random(random))).collect();
        let valid = (nulls > 0).then(|| (0..all).map(|_| !random.percent(nulls)).collect());
        Data { ty, values, valid, margins }
    }

    /// The numbers from `start` on.
    pub(crate) fn range(ty: Type, start: i128, rows: usize) -> Data {
        let values = (0..rows).map(|row| Value::Int(start + row as i128)).collect();
        Data { ty, values, valid: None, margins: (0, 0) }
    }

    /// The same value in every row.
    pub(crate) fn constant(ty: Type, value: Value, rows: usize) -> Data {
        Data { ty, values: vec![value; rows.max(1)], valid: None, margins: (0, rows.max(1) - rows) }
    }

    pub(crate) fn rows(&self) -> usize {
        self.values.len() - self.margins.0 - self.margins.1
    }

    /// The value in a row; `None` is null.
    pub(crate) fn get(&self, row: usize) -> Option<Value> {
        let at = row + self.margins.0;
        let is_valid = self.valid.as_ref().is_none_or(|valid| valid[at]);
        is_valid.then(|| self.values.get(at).copied()).flatten()
    }

    /// The first rows alone.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.margins.1 += self.rows().saturating_sub(rows);
    }

    fn plain<T: Known>(&self) -> Vec<T> {
        self.values.iter().map(|&value| T::of(value)).collect()
    }

    /// The column as an Arrow array that starts inside its memory.
    pub(crate) fn array<T: Known>(&self) -> T::Array {
        T::sliced(&T::arrow_array(&self.plain::<T>(), self.valid.as_deref()), self.margins.0, self.rows())
    }

    fn column<T: Known>(&self) -> Column<T> {
        match &self.valid {
            None => Column::from(&self.plain::<T>()[self.margins.0..][..self.rows()]),
            Some(_) => T::column(&self.array::<T>()),
        }
    }

    fn array_ref(&self) -> ArrayRef {
        with_type!(self.ty, T => Arc::new(self.array::<T>()) as ArrayRef)
    }
}

/// How a source hands its rows to the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Columns by name.
    Batch,
    /// Columns by name, in several batches of random sizes.
    Batches,
    /// Columns by name and a range, which is the last column.
    BatchRange,
    /// One column.
    Single(Kind),
    /// A range of integers.
    Range,
    /// A column and an array.
    Pair,
    /// Three slices.
    Point,
    /// An array, a column and a range.
    Times,
}

/// The kinds of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Slice,
    Vector,
    Column,
    Array,
}

impl Form {
    /// The types of the columns, where the form decides them.
    pub(crate) fn types(self) -> Option<&'static [Type]> {
        match self {
            Form::Batch | Form::Batches | Form::BatchRange | Form::Single(_) | Form::Range => None,
            Form::Pair => Some(&[Type::I32, Type::F32]),
            Form::Point => Some(&[Type::F64; 3]),
            Form::Times => Some(&[Type::Date, Type::Timestamp, Type::I32]),
        }
    }

    /// Whether a column of the source can have nulls.
    pub(crate) fn has_nulls(self, column: usize, columns: usize) -> bool {
        match self {
            Form::Batch | Form::Batches | Form::Pair => true,
            Form::BatchRange | Form::Times => column + 1 < columns,
            Form::Single(Kind::Column | Kind::Array) => true,
            Form::Single(Kind::Slice | Kind::Vector) | Form::Range | Form::Point => false,
        }
    }

    /// Whether the column is a range.
    pub(crate) fn is_range(self, column: usize, columns: usize) -> bool {
        match self {
            Form::Range => true,
            Form::BatchRange | Form::Times => column + 1 == columns,
            Form::Batch | Form::Batches | Form::Single(_) | Form::Pair | Form::Point => false,
        }
    }
}

/// The memory of a source, for a query to borrow or to share.
pub(crate) struct Source {
    form: Form,
    data: Vec<Data>,
    batches: Vec<RecordBatch>,
    single: Option<Box<dyn SingleColumn>>,
    pair: Option<(Column<i32>, <f32 as Element>::Array)>,
    point: Option<[Vec<f64>; 3]>,
    times: Option<(<Date as Element>::Array, Column<Timestamp>)>,
}

impl Source {
    pub(crate) fn new(form: Form, data: &[Data], random: &mut Random) -> Source {
        let mut source = Source {
            form,
            data: data.to_vec(),
            batches: Vec::new(),
            single: None,
            pair: None,
            point: None,
            times: None,
        };
        match form {
            Form::Batch => source.batches = vec![batch(data)],
            Form::BatchRange => source.batches = vec![batch(&data[..data.len() - 1])],
            Form::Batches => source.batches = pieces(&batch(data), random),
            Form::Single(_) => source.single = Some(with_type!(data[0].ty, T => single_column::<T>(&data[0]))),
            Form::Range => {}
            Form::Pair => source.pair = Some((data[0].column(), data[1].array::<f32>())),
            Form::Point => source.point = Some(std::array::from_fn(|at| data[at].plain())),
            Form::Times => source.times = Some((data[0].array::<Date>(), data[1].column())),
        }
        source
    }

    /// A query that borrows the source.
    pub(crate) fn open<'a>(&'a self, session: &Session) -> Rows<'a> {
        let rows = self.data[0].rows();
        match (self.form, &self.single, &self.pair, &self.point, &self.times) {
            (Form::Batch, ..) => Rows::Batch(session.from(&self.batches[0])),
            (Form::Batches, ..) => Rows::Batch(session.from(&self.batches)),
            (Form::BatchRange, ..) => Rows::BatchRange(session.from((&self.batches[0], self.last_range::<u32>()))),
            (Form::Single(kind), Some(single), ..) => single.open(session, kind),
            (Form::Pair, _, Some((column, array)), ..) => Rows::Pair(session.from((column, array))),
            (Form::Point, _, _, Some(vectors), _) => {
                let slice = |at: usize| &vectors[at][self.data[at].margins.0..][..rows];
                Rows::Point(session.from([slice(0), slice(1), slice(2)]))
            }
            (Form::Times, _, _, _, Some((dates, times))) => {
                Rows::Times(session.from((dates, times, self.last_range::<i32>())))
            }
            _ => self.range(session),
        }
    }

    /// A query that owns its source.
    pub(crate) fn open_owned(&self, session: &Session) -> Rows<'static> {
        match (self.form, &self.single, &self.pair, &self.times) {
            (Form::Batch | Form::Batches, ..) => Rows::Batch(session.from(batch(&self.data))),
            (Form::BatchRange, ..) => {
                Rows::BatchRange(session.from((self.batches[0].clone(), self.last_range::<u32>())))
            }
            (Form::Single(kind), Some(single), ..) => single.open_owned(session, kind),
            (Form::Pair, _, Some((column, array)), _) => Rows::Pair(session.from((column.clone(), array.clone()))),
            (Form::Times, _, _, Some((dates, times))) => {
                Rows::Times(session.from((dates.clone(), times.clone(), self.last_range::<i32>())))
            }
            (Form::Point, ..) => {
                let column = |at: usize| self.data[at].column::<f64>();
                Rows::Point(session.from([column(0), column(1), column(2)]))
            }
            _ => self.range(session),
        }
    }

    fn range(&self, session: &Session) -> Rows<'static> {
        match self.data[0].ty {
            Type::U64 => Rows::U64(session.from(self.last_range::<u64>())),
            Type::I32 => Rows::I32(session.from(self.last_range::<i32>())),
            Type::I64 => Rows::I64(session.from(self.last_range::<i64>())),
            _ => Rows::U32(session.from(self.last_range::<u32>())),
        }
    }

    /// The range that the last column is.
    fn last_range<T: TryFrom<i128> + Default>(&self) -> std::ops::Range<T> {
        let last = &self.data[self.data.len() - 1];
        let start = last.get(0).map_or(0, Value::int);
        let bound = |at: i128| T::try_from(at).unwrap_or_default();
        bound(start)..bound(start + last.rows() as i128)
    }
}

fn batch(data: &[Data]) -> RecordBatch {
    let field = |(at, column): (usize, &Data)| {
        Field::new(format!("c{at}"), column.array_ref().data_type().clone(), column.valid.is_some())
    };
    let fields: Vec<Field> = data.iter().enumerate().map(field).collect();
    let arrays = data.iter().map(Data::array_ref).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of one length")
}

/// Consecutive pieces of a batch, some of them empty.
fn pieces(whole: &RecordBatch, random: &mut Random) -> Vec<RecordBatch> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    while start < whole.num_rows() || pieces.is_empty() {
        let left = whole.num_rows() - start;
        let rows = match random.below(6) {
            0 => 0,
            1 => random.below(9).min(left),
            2 | 3 => random.below(left + 1),
            4.. => left,
        };
        pieces.push(whole.slice(start, rows));
        start += rows;
    }
    pieces
}

/// One column of any type, in every kind of memory.
trait SingleColumn {
    fn open<'a>(&'a self, session: &Session, kind: Kind) -> Rows<'a>;
    fn open_owned(&self, session: &Session, kind: Kind) -> Rows<'static>;
}

struct Single<T: Known> {
    plain: Vec<T>,
    margins: (usize, usize),
    column: Column<T>,
    array: T::Array,
}

fn single_column<T: Known>(data: &Data) -> Box<dyn SingleColumn>
where
    Single<T>: SingleColumn + 'static,
{
    let single =
        Single::<T> { plain: data.plain(), margins: data.margins, column: data.column(), array: data.array::<T>() };
    Box::new(single)
}

macro_rules! single_columns {
    ($($name:ident $rust:ty),*) => {$(
        impl SingleColumn for Single<$rust> {
            fn open<'a>(&'a self, session: &Session, kind: Kind) -> Rows<'a> {
                let slice = &self.plain[self.margins.0..self.plain.len() - self.margins.1];
                Rows::$name(match kind {
                    Kind::Slice | Kind::Vector => session.from(slice),
                    Kind::Column => session.from(&self.column),
                    Kind::Array => session.from(&self.array),
                })
            }

            fn open_owned(&self, session: &Session, kind: Kind) -> Rows<'static> {
                let slice = &self.plain[self.margins.0..self.plain.len() - self.margins.1];
                Rows::$name(match kind {
                    Kind::Slice | Kind::Vector => session.from(slice.to_vec()),
                    Kind::Column => session.from(self.column.clone()),
                    Kind::Array => session.from(self.array.clone()),
                })
            }
        }
    )*};
}

single_columns!(Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64,
    Date Date, Timestamp Timestamp);
