//! Why a device is passed over when one is chosen: it is gone, its breakers are open, or its compiler refused the query
//! not long ago.

use super::Session;
use super::choice::Placement;
use crate::error::Error;
use crate::resilience::clock::Clock;
use crate::resilience::retry::FailureClass;
use pointsman_ir::fuse::Stage;

impl Placement {
    /// Whether queries are kept away from its device now.
    pub(super) fn is_shut(&self, clock: &dyn Clock) -> bool {
        let is_ill = self.station.health.as_ref().is_some_and(|health| health.is_excluded(&self.kernels, clock));
        is_ill || self.at_hand().is_none() && self.kernels.is_refused(clock)
    }

    /// Why they are, in a clause.
    pub(super) fn why_shut(&self, clock: &dyn Clock) -> Option<String> {
        let name = self.station.name();
        let health = self.station.health.as_ref().map_or(Ok(()), |health| {
            health.check_not_retired(name)?;
            health.check_breakers(name, &self.kernels, clock)
        });
        match health {
            Err(error) => Some(error.message().to_string()),
            Ok(()) if self.at_hand().is_some() => None,
            Ok(()) => self.kernels.refusal(clock),
        }
    }
}

impl Session {
    /// Remembers what the compiler of a choice's device said to a query, for as long as it would say so again.
    #[cold]
    pub(super) fn note_refusal(&self, choice: &Placement, stages: &[Stage], error: &Error) {
        if !matches!(FailureClass::of(error), FailureClass::Compile | FailureClass::Unsupported) {
            return;
        }
        for (number, stage) in stages.iter().enumerate() {
            if let Some(until) = self.0.programs.refused_until(&stage.kernel, &*choice.station.device) {
                choice.kernels.record_refusal(number, until, error.message());
            }
        }
    }
}
