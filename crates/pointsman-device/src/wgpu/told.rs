//! Whether a buffer is mapped: in goes the call that the interface makes once it is, out comes a wait for that. A poll of any
//! thread makes the call, so it may come a little after another thread saw that the work is done.

use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Whether a buffer is mapped.
#[derive(Clone, Default)]
pub(super) struct Told(Arc<OnceLock<bool>>);

impl Told {
    /// What the interface calls.
    pub(super) fn teller(&self) -> impl FnOnce(Result<(), wgpu::BufferAsyncError>) + Send + 'static {
        let told = Arc::clone(&self.0);
        move |mapped| {
            told.get_or_init(|| mapped.is_ok());
        }
    }

    /// Whether the buffer is mapped, or never will be; `None` where that is not told yet.
    pub(super) fn is_mapped(&self) -> Option<bool> {
        self.0.get().copied()
    }

    /// Waits until the buffer is mapped, looking after what is done, with so much patience since then.
    pub(super) fn wait(
        &self,
        (since, patience): (Instant, Duration),
        mut poll: impl FnMut() -> DeviceResult<()>,
    ) -> DeviceResult<()> {
        loop {
            match self.is_mapped() {
                Some(true) => return Ok(()),
                Some(false) => return Err(DeviceError::new(DeviceErrorKind::Internal, "a mapping failed")),
                None if since.elapsed() >= patience => {
                    let message = format!("{patience:?} were not enough for a mapping");
                    return Err(DeviceError::new(DeviceErrorKind::Timeout, message));
                }
                None => poll()?,
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a wait ends that is told so at the third poll, and how many polls it took.
    fn waited(patience: Duration, mapped: DeviceResult<()>) -> (Result<(), DeviceErrorKind>, usize) {
        let (told, mut polls) = (Told::default(), 0);
        let mut teller = Some(told.teller());
        let done = told.wait((Instant::now(), patience), || {
            polls += 1;
            match teller.take_if(|_| polls == 3) {
                Some(tell) => tell(mapped.clone().map_err(|_| wgpu::BufferAsyncError)),
                None => assert!(polls < 3, "it goes on once it is told"),
            }
            Ok(())
        });
        (done.map_err(|error| error.kind), polls)
    }

    #[test]
    fn what_is_told_late_is_waited_for_but_not_without_end() {
        let failed = || Err(DeviceError::new(DeviceErrorKind::Internal, "no memory"));
        assert_eq!(waited(Duration::MAX, Ok(())), (Ok(()), 3));
        assert_eq!(waited(Duration::MAX, failed()), (Err(DeviceErrorKind::Internal), 3));
        assert_eq!(waited(Duration::ZERO, Ok(())), (Err(DeviceErrorKind::Timeout), 0));
        let lost = || Err(DeviceError::new(DeviceErrorKind::Lost, "gone"));
        let done = Told::default().wait((Instant::now(), Duration::MAX), lost);
        assert_eq!(done.map_err(|error| error.kind), Err(DeviceErrorKind::Lost));
    }
}
