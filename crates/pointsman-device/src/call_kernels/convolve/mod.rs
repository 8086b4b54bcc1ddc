//! Convolutions. In: a [`Convolve`]. Out: its plan, by the sum or by transforms.

mod sum;
mod transform;

use super::batches::PlannedWindow;
use super::{CallMemory, CallPlan, CallTarget, NotPlanned};
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Convolve, Method};
use pointsman_ir::types::DType;

/// Places in padded channels are counted in 32 bits.
const PADDED_MAX: u64 = 1 << 31;

/// Plans a convolution.
pub(super) fn plan(call: &Convolve, dtype: DType, target: &CallTarget) -> Result<CallPlan, NotPlanned> {
    for side in 0..2 {
        let padded = call.padding[side].iter().fold(call.input[side], |sum, zeros| sum.saturating_add(*zeros));
        // The step to a place beyond the last one must fit, too.
        if padded.saturating_add(call.stride[side]) >= PADDED_MAX {
            return Err(NotPlanned::new(format!("a channel has {padded} padded places, a kernel counts to 2^31")));
        }
    }
    match call.method {
        Method::Sum => sum::plan(call, dtype, target),
        Method::Transform => transform::plan(call, dtype, target),
    }
}

/// The rows, the weights and the results.
fn windows(call: &Convolve, number_bytes: u64) -> [PlannedWindow; 3] {
    let size = Call::Convolve(*call);
    [
        PlannedWindow::each(CallMemory::Input, size.rows_in() * number_bytes),
        PlannedWindow::shared(CallMemory::Table, size.table_rows(1) * number_bytes),
        PlannedWindow::each(CallMemory::Output, size.rows_out() * number_bytes),
    ]
}
