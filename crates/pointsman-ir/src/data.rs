//! Columns and tables in host memory, in the simplest layout, for the interpreter and for partial results.

use crate::types::{DType, Repr, Scalar, Type};

macro_rules! values {
    ($($variant:ident $rust:ty;)*) => {
        /// Values side by side, by representation.
        #[derive(Clone, Debug)]
        pub enum Values {
            $(
                #[doc = concat!("`", stringify!($rust), "` values.")]
                $variant(Vec<$rust>),
            )*
        }

        impl Values {
            /// No values yet, with room for some.
            pub fn with_capacity(repr: Repr, rows: usize) -> Values {
                match repr { $(Repr::$variant => Values::$variant(Vec::with_capacity(rows)),)* }
            }

            /// The number of values.
            pub fn len(&self) -> usize {
                match self { $(Values::$variant(values) => values.len(),)* }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// How they are held.
            pub fn repr(&self) -> Repr {
                match self { $(Values::$variant(_) => Repr::$variant,)* }
            }

            /// One of them.
            pub fn get(&self, row: usize) -> Scalar {
                match self { $(Values::$variant(values) => Scalar::$variant(values[row]),)* }
            }

            /// Appends one; the representations must agree.
            pub fn push(&mut self, value: Scalar) {
                match (self, value) {
                    $((Values::$variant(values), Scalar::$variant(value)) => values.push(value),)*
                    (values, value) => unreachable!("a {:?} cannot be put among {:?}", value.repr(), values.repr()),
                }
            }

            /// The values of a range.
            pub fn slice(&self, rows: std::ops::Range<usize>) -> Values {
                match self { $(Values::$variant(values) => Values::$variant(values[rows].to_vec()),)* }
            }
        }
    };
}

values! {
    Bool bool;
    I8 i8;
    I16 i16;
    I32 i32;
    I64 i64;
    U8 u8;
    U16 u16;
    U32 u32;
    U64 u64;
    F32 f32;
    F64 f64;
    I128 i128;
}

/// A column. Null slots hold zero. Equality is by type, nulls and bits.
#[derive(Clone, Debug)]
pub struct ColumnData {
    /// The logical type.
    pub dtype: DType,
    /// The values.
    pub values: Values,
    /// Which of them are not null; `None`: all.
    pub valid: Option<Vec<bool>>,
}

impl ColumnData {
    /// An empty column of this type, with room for some rows.
    pub fn empty(ty: Type, rows: usize) -> ColumnData {
        ColumnData {
            dtype: ty.dtype,
            values: Values::with_capacity(ty.dtype.repr(), rows),
            valid: ty.nullable.then(|| Vec::with_capacity(rows)),
        }
    }

    /// A column of these values.
    pub fn from_scalars(ty: Type, values: impl IntoIterator<Item = Option<Scalar>>) -> ColumnData {
        let mut column = ColumnData::empty(ty, 0);
        for value in values {
            column.push(value);
        }
        column
    }

    /// The type, nullable if the column keeps track of nulls.
    pub fn ty(&self) -> Type {
        Type { dtype: self.dtype, nullable: self.valid.is_some() }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A row's value; `None` is null.
    pub fn get(&self, row: usize) -> Option<Scalar> {
        let valid = self.valid.as_ref().is_none_or(|valid| valid[row]);
        valid.then(|| self.values.get(row))
    }

    /// Appends a value. A null in a column without nulls is a bug of the caller.
    pub fn push(&mut self, value: Option<Scalar>) {
        match &mut self.valid {
            Some(valid) => valid.push(value.is_some()),
            None => debug_assert!(value.is_some(), "a null in a column without nulls"),
        }
        self.values.push(value.unwrap_or(self.dtype.repr().zero()));
    }

    /// Some of the rows.
    pub fn slice(&self, rows: std::ops::Range<usize>) -> ColumnData {
        ColumnData {
            dtype: self.dtype,
            values: self.values.slice(rows.clone()),
            valid: self.valid.as_ref().map(|valid| valid[rows].to_vec()),
        }
    }

    /// All values in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<Scalar>> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }
}

impl PartialEq for ColumnData {
    fn eq(&self, other: &ColumnData) -> bool {
        self.ty() == other.ty() && self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// Columns of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableData {
    /// The columns.
    pub columns: Vec<ColumnData>,
    /// The number of rows of each column. A table may have rows without columns.
    pub rows: usize,
}

impl TableData {
    /// A table without rows.
    pub fn empty(types: &[Type]) -> TableData {
        TableData { columns: types.iter().map(|&ty| ColumnData::empty(ty, 0)).collect(), rows: 0 }
    }

    /// A table of these columns; all must have as many rows as the first.
    pub fn new(columns: Vec<ColumnData>) -> TableData {
        let rows = columns.first().map_or(0, ColumnData::len);
        debug_assert!(columns.iter().all(|column| column.len() == rows), "columns of different length");
        TableData { columns, rows }
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[Option<Scalar>]) {
        debug_assert_eq!(row.len(), self.columns.len(), "a row of another width");
        for (column, &value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.rows += 1;
    }

    /// A row's values.
    pub fn row(&self, row: usize) -> Vec<Option<Scalar>> {
        self.columns.iter().map(|column| column.get(row)).collect()
    }

    /// The columns' types.
    pub fn types(&self) -> Vec<Type> {
        self.columns.iter().map(ColumnData::ty).collect()
    }

    /// Some of the rows.
    pub fn slice(&self, rows: std::ops::Range<usize>) -> TableData {
        let columns = self.columns.iter().map(|column| column.slice(rows.clone())).collect();
        TableData { columns, rows: rows.len() }
    }
}
