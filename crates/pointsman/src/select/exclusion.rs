//! Why the selector passes over a device: the device is lost, a breaker is open, or its compiler recently refused the
//! query.

use super::placement::Placement;
use crate::resilience::clock::Clock;

impl Placement {
    /// Whether queries are kept away from the device now.
    pub(super) fn is_excluded(&self, clock: &dyn Clock) -> bool {
        let health = self.handle.health.as_ref();
        health.is_some_and(|health| health.is_excluded(&self.kernels, clock))
            || self.loaded().is_none() && self.kernels.refusal(clock).is_some()
    }

    /// Why queries are kept away from the device, in a clause.
    pub(super) fn why_excluded(&self, clock: &dyn Clock) -> Option<String> {
        let name = self.device();
        let health = self.handle.health.as_ref().map_or(Ok(()), |health| {
            health.check_open(name)?;
            health.check_breakers(name, &self.kernels, clock)
        });
        match health {
            Err(error) => Some(error.message().to_string()),
            Ok(()) if self.loaded().is_some() => None,
            Ok(()) => self.kernels.refusal(clock).map(|why| why.to_string()),
        }
    }
}
