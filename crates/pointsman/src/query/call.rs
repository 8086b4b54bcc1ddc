//! The step that calls a library.

use crate::data::element::Float;
use crate::query::Query;
use crate::query::build;
use crate::query::control::Lookup;
use crate::query::expr::Expr;
use crate::query::steps::Binder;
use crate::query::values::Values;
use pointsman_ir::kernel::Call;
use pointsman_ir::plan::NodeKind;
use std::panic::Location;

impl<'a, T: Float> Query<'a, Expr<T>> {
    /// Calls a library operation on the rows: a matrix product, a Fourier transform or a convolution.
    ///
    /// The call reads the rows in order. Each chunk of [`Call::rows_in`](crate::plan::Call::rows_in) of them is one matrix,
    /// signal or image and becomes [`Call::rows_out`](crate::plan::Call::rows_out) rows, so a query over several chunks
    /// computes all of them. The right matrices and the weights are a [`Lookup`]; a Fourier transform has none. A complex
    /// number takes two rows, its real part first. Rows that are no whole chunks, nulls, and a look-up of another size
    /// are errors.
    ///
    /// Steps before the call run in a kernel of their own or are read in place; steps after it are fused as usual.
    /// Results are within the bounds of `docs/semantics.md`, "Calls", but not equal to the bit on all devices.
    ///
    /// Devices compute calls if the Cargo feature `calls` is on; by default it is off.
    ///
    /// ```
    /// use pointsman::plan::{Convolve, Fft, Matmul};
    /// use pointsman::lookup;
    ///
    /// # #[cfg(feature = "calls")]
    /// # fn main() -> pointsman::Result<()> {
    /// let s = pointsman::Session::open()?;
    /// // Two rows of three times three rows of two.
    /// let right = lookup(&[1.0, 0.0, 0.0, 1.0, 2.0, 2.0]);
    /// let product = s.from(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).call(Matmul::real(2, 3, 2), &right).to_vec()?;
    /// assert_eq!(product, [7.0, 8.0, 16.0, 17.0]);
    ///
    /// let spectrum = s.from(&[1.0, 2.0, 3.0, 4.0]).call(Fft::real_forward(4), None).to_vec()?;
    /// assert_eq!(spectrum, [10.0, 0.0, -2.0, 2.0, -2.0, 0.0]);
    ///
    /// let weights = lookup(&[1.0f32, 1.0]);
    /// let sums = s.from(&[1.0f32, 2.0, 4.0]).map(|x| 2.0 * x).call(Convolve::line(3, 2), &weights).to_vec()?;
    /// assert_eq!(sums, [6.0, 12.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "calls"))]
    /// # fn main() {}
    /// ```
    #[doc(alias = "matmul")]
    #[doc(alias = "fft")]
    #[doc(alias = "convolve")]
    #[track_caller]
    pub fn call<'l>(self, call: impl Into<Call>, operand: impl Into<Option<&'l Lookup<T>>>) -> Query<'a, Expr<T>>
    where
        T: 'l,
    {
        let (at, call) = (Location::caller(), call.into());
        let Query { mut bound, row } = self;
        let (builder, ()) = bound.builder.step(|| {
            let value = row.bind(&mut Binder::node(at)).handle;
            build::with_open(|builder| {
                let Some(value) = builder.value(value, at) else { return };
                let table = operand.into().map(|operand| builder.captured(&operand.list));
                let input = builder.plan.root();
                builder.node(NodeKind::Call { input, value, call, table }, at);
            });
        });
        bound.builder = builder;
        Query { bound, row }
    }
}
