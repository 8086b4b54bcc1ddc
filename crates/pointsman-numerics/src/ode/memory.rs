//! Lists whose memory may be missing: too many steps are an error, not the end of the process.

use super::error::OdeError;

/// The steps and equations of a call, for the error if memory is missing.
#[derive(Clone, Copy)]
pub(super) struct ProblemSize {
    pub(super) steps: usize,
    pub(super) equations: usize,
}

impl ProblemSize {
    /// An empty list with memory for so many numbers.
    pub(super) fn reserve(self, numbers: usize) -> Result<Vec<f64>, OdeError> {
        let mut list = Vec::new();
        list.try_reserve_exact(numbers).map_err(|_| self.out_of_memory())?;
        Ok(list)
    }

    /// A list of these numbers.
    pub(super) fn collect(self, numbers: impl ExactSizeIterator<Item = f64>) -> Result<Vec<f64>, OdeError> {
        let mut list = self.reserve(numbers.len())?;
        list.extend(numbers);
        Ok(list)
    }

    /// A list with a first number and one for each step.
    pub(super) fn by_step(self, first: f64, number: impl Fn(usize) -> f64) -> Result<Vec<f64>, OdeError> {
        self.collect((0..self.steps + 1).map(|n| if n == 0 { first } else { number(n) }))
    }

    pub(super) fn out_of_memory(self) -> OdeError {
        OdeError::OutOfMemory { steps: self.steps, equations: self.equations }
    }
}
