//! Methods on expressions of integers. In: integers, and amounts as `u32`. Out: one operation of the plan for each; the
//! operators are in `ops.rs`.

use crate::data::element::Integer;
use crate::query::expr::{Expr, IntoExpr, methods};
use pointsman_ir::op::Op;
use std::panic::Location;

impl<T: Integer> Expr<T> {
    methods! {
        /// The sum; where it does not fit, an error of the row (`+` wraps).
        checked_add(other) -> Expr<T> = CheckedAdd;
        /// The difference; where it does not fit, an error of the row (`-` wraps).
        checked_sub(other) -> Expr<T> = CheckedSub;
        /// The product; where it does not fit, an error of the row (`*` wraps).
        checked_mul(other) -> Expr<T> = CheckedMul;
        /// The sum; where it does not fit, the nearest value of the type (`+` wraps).
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[250u8, 7]).map(|x| x.saturating_add(10)).to_vec()?, [255, 17]);
        /// # Ok(())
        /// # }
        /// ```
        saturating_add(other) -> Expr<T> = SaturatingAdd;
        /// The difference; where it does not fit, the nearest value of the type (`-` wraps).
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[250u8, 7]).map(|x| x.saturating_sub(10)).to_vec()?, [240, 0]);
        /// # Ok(())
        /// # }
        /// ```
        saturating_sub(other) -> Expr<T> = SaturatingSub;
        /// The product; where it does not fit, the nearest value of the type (`*` wraps).
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[i16::MIN, -7]).map(|x| x.saturating_mul(3)).to_vec()?, [i16::MIN, -21]);
        /// # Ok(())
        /// # }
        /// ```
        saturating_mul(other) -> Expr<T> = SaturatingMul;
        /// The magnitude of the difference, in the unsigned type of the width: it always fits.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// let distance = s.from(&[-100i8, 120]).map(|x| x.abs_diff(100)).to_vec()?;
        /// assert_eq!(distance, [200u8, 20]);
        /// # Ok(())
        /// # }
        /// ```
        abs_diff(other) -> Expr<T::Unsigned> = AbsDiff;
        /// The number of ones in the bits.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[0b1011i64, -1]).map(|x| x.count_ones()).to_vec()?, [3, 64]);
        /// # Ok(())
        /// # }
        /// ```
        count_ones() -> Expr<u32> = CountOnes;
        /// The number of zeros above the highest one in the bits; the width for zero.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[0b1011u16, 0]).map(|x| x.leading_zeros()).to_vec()?, [12, 16]);
        /// # Ok(())
        /// # }
        /// ```
        leading_zeros() -> Expr<u32> = LeadingZeros;
        /// The number of zeros below the lowest one in the bits; the width for zero.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[0b1000u16, 0]).map(|x| x.trailing_zeros()).to_vec()?, [3, 16]);
        /// # Ok(())
        /// # }
        /// ```
        trailing_zeros() -> Expr<u32> = TrailingZeros;
        /// The bits moved up by an amount modulo the width; bits that leave at the top come in at the bottom.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[0x1234u16]).map(|x| x.rotate_left(4)).to_vec()?, [0x2341]);
        /// # Ok(())
        /// # }
        /// ```
        rotate_left(amount: u32) -> Expr<T> = RotateLeft;
        /// The bits moved down by an amount modulo the width; bits that leave at the bottom come in at the top.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[0x1234u16]).map(|x| x.rotate_right(20)).to_vec()?, [0x4123]);
        /// # Ok(())
        /// # }
        /// ```
        rotate_right(amount: u32) -> Expr<T> = RotateRight;
    }
}
