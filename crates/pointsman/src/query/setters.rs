//! The settings of a run, as methods that [`Query`](crate::Query), [`Reduction`](crate::Reduction) and
//! [`Prepared`](crate::Prepared) share: where it runs, how long it may take, its name, and how its progress is
//! reported.

/// Adds the methods to a type that has `placement_mut` and `limits_mut`, or, with the argument `bound`, a field of this
/// name with both settings.
macro_rules! run_setters {
    (bound) => {
        run_setters!();

        fn placement_mut(&mut self) -> &mut PlacementRequest {
            &mut self.bound.request
        }

        fn limits_mut(&mut self) -> &mut RunLimits {
            &mut self.bound.limits
        }
    };
    () => {
        /// Prefers this device. The query runs there if the device is present and supports it, and otherwise on the
        /// CPU; of a plan with sorts, groups or joins, each stage does. The receipt says which and why. Join devices
        /// that share the query with `+`: `prefer("cuda:0+cpu")`.
        #[doc(alias = "device")]
        pub fn prefer(mut self, device: &str) -> Self {
            self.placement_mut().device = $crate::select::DeviceRequest::Prefer(device.to_string());
            self
        }

        /// Requires this device. A run fails where the device is absent, does not support the query, or fails.
        pub fn require(mut self, device: &str) -> Self {
            self.placement_mut().device = $crate::select::DeviceRequest::Require(device.to_string());
            self
        }

        /// Sets whether float arithmetic must have the exact bits of the CPU, or may run on devices that guarantee
        /// error bounds only (Vulkan, Metal, DirectX 12). Default:
        /// [`SessionOptions::exactness`](crate::SessionOptions::exactness).
        pub fn exactness(mut self, exactness: pointsman_device::Exactness) -> Self {
            self.placement_mut().exactness = Some(exactness);
            self
        }

        /// Limits the time of a run, counted from its call; waiting for a device counts. A run that is late fails with
        /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout): on the CPU within milliseconds, on another device as soon
        /// as the time is over, without waiting for the launch.
        #[doc(alias = "timeout")]
        pub fn deadline(mut self, time: std::time::Duration) -> Self {
            self.limits_mut().deadline = Some(time);
            self
        }

        /// Names the query. Receipts, errors, spans, traces and metrics of its runs show the name.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// let answer = s.from(&[1.0f32, 2.0]).map(|x| x * 2.0).named("risk").run()?;
        /// assert_eq!(answer.receipt().name(), Some("risk"));
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "label")]
        pub fn named(mut self, name: &str) -> Self {
            self.limits_mut().name = Some(name.into());
            self
        }

        /// Stops a run when this token is cancelled. See [`CancellationToken`](crate::CancellationToken).
        pub fn cancelled_by(mut self, token: &$crate::resilience::cancel::CancellationToken) -> Self {
            self.limits_mut().token = Some(token.clone());
            self
        }

        /// Calls `f` with the progress of a run: when a stage begins and ends, after each batch, and on the CPU during
        /// a launch. Calls come from any thread, one at a time; if one panics, no more follow. The run waits for each
        /// call, so `f` must return quickly and must not use this session. See [`Progress`](crate::Progress).
        pub fn on_progress(
            mut self,
            f: impl Fn(&$crate::instrument::progress::Progress) + Send + Sync + 'static,
        ) -> Self {
            self.limits_mut().progress = Some($crate::instrument::progress::Callback::new(f));
            self
        }
    };
}

pub(crate) use run_setters;
