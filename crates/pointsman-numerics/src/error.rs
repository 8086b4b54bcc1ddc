//! [`Error`]: why an operation on arrays failed, with the sizes that it got and those that it takes.

use std::fmt;

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation on arrays failed. Sizes and axes are checked before anything runs.
///
/// ```
/// # use pointsman_numerics::{Array, Error};
/// # fn main() -> Result<(), Error> {
/// # let session = pointsman::Session::open()?;
/// let matrix = Array::<f64>::zeros(&session, &[2, 3])?;
/// let error = (&matrix + &Array::zeros(&session, &[2])?).unwrap_err();
/// assert!(matches!(error, Error::ShapeMismatch { .. }));
/// assert_eq!(error.to_string(), "an elementwise operation takes shapes that broadcast (from the last axis backwards, \
///     sizes are equal or 1), but got [2, 3] and [2]");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// Two shapes do not fit together.
    ShapeMismatch {
        /// The operation.
        operation: &'static str,
        /// The shape of the array, or of the left operand.
        left: Vec<usize>,
        /// The requested shape, or that of the right operand.
        right: Vec<usize>,
        /// The shapes that the operation takes.
        allowed: &'static str,
    },
    /// A list of values has another length than its shape.
    Length {
        /// The number of values.
        values: usize,
        /// The shape.
        shape: Vec<usize>,
    },
    /// The array has no such axis.
    Axis {
        /// The axis.
        axis: usize,
        /// The number of axes.
        rank: usize,
    },
    /// The axes of a permutation do not name each axis once.
    Permutation {
        /// The axes.
        axes: Vec<usize>,
        /// The number of axes of the array.
        rank: usize,
    },
    /// An index or a range is outside its axis.
    Index {
        /// The first index.
        start: usize,
        /// The index after the last one.
        end: usize,
        /// The size of the axis.
        size: usize,
    },
    /// A range has a step of zero, or a step that is not a number.
    Step,
    /// An axis that is removed has another size than 1.
    NotSingle {
        /// The axis.
        axis: usize,
        /// Its size.
        size: usize,
    },
    /// An operation needs at least one number, and the array, or the axis, has none.
    Empty {
        /// The operation.
        operation: &'static str,
    },
    /// A shape has more numbers than an array may have.
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
    },
    /// There is not enough memory for an array of this shape.
    OutOfMemory {
        /// The shape.
        shape: Vec<usize>,
    },
    /// A matrix of a system of equations has no inverse, as far as floating-point arithmetic can tell.
    Singular {
        /// The number of the matrix, in the order of the axes before the last two.
        matrix: usize,
        /// The column in which no pivot was left.
        column: usize,
    },
    /// A length that a transform cannot have.
    TransformLength {
        /// The transform.
        operation: &'static str,
        /// The length.
        length: usize,
        /// The lengths that it takes.
        allowed: &'static str,
    },
    /// Several indices of a mutable view name one place.
    Overlap {
        /// The shape of the view.
        shape: Vec<usize>,
        /// The strides of the view.
        strides: Vec<isize>,
    },
    /// A view reaches beyond its slice.
    OutOfBounds {
        /// The shape of the view.
        shape: Vec<usize>,
        /// The strides of the view.
        strides: Vec<isize>,
        /// The length that the slice must have.
        needed: usize,
        /// The length of the slice.
        length: usize,
    },
    /// A number that describes an operation (an order, a step, a tolerance) is outside its domain.
    Domain {
        /// The operation.
        operation: &'static str,
        /// The number's name.
        argument: &'static str,
        /// The number.
        value: f64,
        /// The numbers that the operation takes.
        allowed: &'static str,
    },
    /// An axis has too few points for an operation.
    TooShort {
        /// The operation.
        operation: &'static str,
        /// The points of the axis.
        size: usize,
        /// The fewest points that the operation takes.
        needed: usize,
    },
    /// An operation cannot be computed in this way: on this grid, or with this part of the history.
    Unsupported {
        /// The operation.
        operation: &'static str,
        /// What it was asked to use.
        given: &'static str,
        /// What it can use.
        allowed: &'static str,
    },
    /// Values of a column are null.
    Nulls {
        /// How many.
        nulls: usize,
    },
    /// A query failed.
    Query(pointsman::Error),
}

impl From<pointsman::Error> for Error {
    fn from(error: pointsman::Error) -> Error {
        Error::Query(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ShapeMismatch { operation, left, right, allowed } => {
                write!(f, "{operation} takes {allowed}, but got {left:?} and {right:?}")
            }
            Error::Length { values, shape } => {
                write!(
                    f,
                    "{values} values do not fill the shape {shape:?}: their number must be the product of the sizes"
                )
            }
            Error::Axis { axis, rank } => {
                write!(f, "there is no axis {axis}: the array has {rank} axes, counted from 0")
            }
            Error::Permutation { axes, rank } => {
                write!(f, "{axes:?} is no order of {rank} axes: name each of them once, counted from 0")
            }
            Error::Index { start, end, size } => {
                write!(f, "the range from {start} to {end} is outside an axis of size {size}, or ends before it starts")
            }
            Error::Step => f.write_str("the step of a range must be a number other than zero"),
            Error::NotSingle { axis, size } => {
                write!(f, "axis {axis} has size {size}: only axes of size 1 can be removed")
            }
            Error::Empty { operation } => write!(f, "{operation} of no numbers is not defined"),
            Error::TooLarge { shape } => write!(f, "the shape {shape:?} has more than 2^39 numbers"),
            Error::OutOfMemory { shape } => write!(f, "there is not enough memory for an array of shape {shape:?}"),
            Error::Singular { matrix, column } => {
                write!(f, "matrix {matrix} is singular: column {column} depends on the columns before it")
            }
            Error::TransformLength { operation, length, allowed } => {
                write!(f, "{operation} of length {length}: the length must be {allowed}")
            }
            Error::Overlap { shape, strides } => {
                write!(f, "a mutable view of shape {shape:?} and strides {strides:?} has several numbers in one place")
            }
            Error::OutOfBounds { shape, strides, needed, length } => write!(
                f,
                "a view of shape {shape:?} and strides {strides:?} needs a slice of {needed} numbers, not of {length}"
            ),
            Error::Domain { operation, argument, value, allowed } => {
                write!(f, "{operation}: the {argument} must be {allowed}, but is {value}")
            }
            Error::TooShort { operation, size, needed } => {
                write!(f, "{operation} takes an axis of at least {needed} points, but the axis has {size}")
            }
            Error::Unsupported { operation, given, allowed } => {
                write!(f, "{operation} takes {allowed}, but got {given}")
            }
            Error::Nulls { nulls } => {
                write!(
                    f,
                    "arrays have no nulls, but {nulls} values of the column are null: replace them with `coalesce`"
                )
            }
            Error::Query(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Query(error) => Some(error),
            Error::ShapeMismatch { .. }
            | Error::Length { .. }
            | Error::Axis { .. }
            | Error::Permutation { .. }
            | Error::Index { .. }
            | Error::Step
            | Error::NotSingle { .. }
            | Error::Empty { .. }
            | Error::TooLarge { .. }
            | Error::OutOfMemory { .. }
            | Error::Singular { .. }
            | Error::TransformLength { .. }
            | Error::Overlap { .. }
            | Error::OutOfBounds { .. }
            | Error::Domain { .. }
            | Error::TooShort { .. }
            | Error::Unsupported { .. }
            | Error::Nulls { .. } => None,
        }
    }
}
