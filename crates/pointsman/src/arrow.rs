//! Arrow, in the version that this crate's functions take and return: a program needs no Arrow dependency of its own,
//! and its arrays always have the right version.
//!
//! ```
//! use pointsman::arrow::array::{Array, Float64Array};
//!
//! # fn main() -> pointsman::Result<()> {
//! let session = pointsman::Session::open()?;
//! let prices = Float64Array::from(vec![Some(8.0), None, Some(20.0)]);
//! let doubled = session.from(&prices).map(|price| 2.0 * price).run()?.to_arrow();
//! assert_eq!(doubled, Float64Array::from(vec![Some(16.0), None, Some(40.0)]));
//! assert_eq!(*doubled.data_type(), pointsman::arrow::schema::DataType::Float64);
//! # Ok(())
//! # }
//! ```

pub use arrow_array as array;
pub use arrow_schema as schema;
