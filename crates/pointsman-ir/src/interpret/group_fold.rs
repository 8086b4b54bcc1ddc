//! The accumulators of groups, for devices that keep some of them as the interpreter does: in go values or the columns of
//! other accumulators, out come columns or the fold's result.

use super::fault::Fault;
use super::fold::{Accumulator, Folding};
use crate::body::Body;
use crate::kernel::Fold;
use crate::types::Scalar;

/// A fold over rows without an order.
pub struct GroupFold(Folding);

/// The state of a [`GroupFold`].
#[derive(Clone, Copy, Debug)]
pub struct GroupAccumulator(Accumulator);

impl GroupFold {
    /// A fold of this body's values.
    pub fn new(fold: Fold, body: &Body) -> GroupFold {
        GroupFold(Folding::order_free(fold, body))
    }

    /// The accumulator of nothing.
    pub fn nothing(&self) -> GroupAccumulator {
        GroupAccumulator(self.0.nothing)
    }

    /// How many columns an accumulator takes.
    pub fn width(&self) -> usize {
        self.0.width
    }

    /// The accumulator that these columns hold.
    pub fn read(&self, columns: &[Option<Scalar>]) -> GroupAccumulator {
        GroupAccumulator(self.0.read(columns))
    }

    /// The fold's result; a fault if its type cannot hold it.
    pub fn finish(&self, accumulator: &GroupAccumulator) -> Result<Option<Scalar>, Fault> {
        self.0.finish(&accumulator.0)
    }
}

impl GroupAccumulator {
    /// Takes in a value; nulls are skipped.
    pub fn add(&mut self, value: Option<Scalar>) {
        self.0.add(value);
    }

    /// Takes in what another accumulator of the same fold took in.
    pub fn combine(&mut self, other: &GroupAccumulator) {
        self.0.combine(&other.0);
    }

    /// Appends the accumulator's columns.
    pub fn write(&self, columns: &mut Vec<Option<Scalar>>) {
        self.0.write(columns);
    }
}
