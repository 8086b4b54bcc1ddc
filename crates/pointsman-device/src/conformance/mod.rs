//! The conformance suite that every device must pass: the same bits as the interpreter, from the device itself and
//! never from a fallback.
//!
//! One line instantiates it: `pointsman_device::conformance!(cpu, || CpuDevice::new(CpuOptions::default()));`. A device
//! is tested for the sinks that it reports (`Capabilities::sinks`). For a device that not every machine has, the
//! constructor prints the reason and returns `None`: `conformance!(cuda, first_card, optional)`.
//!
//! [`layout`] lays columns out in host memory in every way a user may pass them; [`run`] runs a case on the device;
//! [`differential`] compares with the interpreter; [`checks`], [`copies`] and [`edges`] are the tests; [`planted`]
//! breaks a device on purpose, to show that the suite detects it.

pub mod checks;
pub mod copies;
pub mod differential;
pub mod edges;
pub mod layout;
pub mod planted;
pub mod run;

/// Instantiates the conformance suite for a device, as a module of tests.
#[macro_export]
macro_rules! conformance {
    ($name:ident, $make:expr) => {
        $crate::conformance!($name, || Some($make()), optional);
    };
    ($name:ident, $make:expr, optional) => {
        mod $name {
            use super::*;

            fn with_device(check: fn(&dyn $crate::Device)) {
                if let Some(device) = $make() {
                    check(&device);
                }
            }

            #[test]
            fn random_kernels_give_the_bits_of_the_interpreter() {
                with_device($crate::conformance::checks::random_kernels);
            }

            #[test]
            fn edges_give_the_bits_of_the_interpreter() {
                with_device($crate::conformance::edges::edges);
            }

            #[test]
            fn merged_partials_give_the_whole() {
                with_device($crate::conformance::checks::merged_partials);
            }

            #[test]
            fn launches_from_many_threads_do_not_disturb_each_other() {
                with_device($crate::conformance::checks::many_threads);
            }

            #[test]
            fn damaged_and_foreign_images_are_refused() {
                with_device($crate::conformance::checks::damaged_images);
            }

            #[test]
            fn invalid_launches_are_refused() {
                with_device($crate::conformance::checks::launches_that_do_not_fit);
            }

            #[test]
            fn kernels_without_code_are_refused() {
                with_device($crate::conformance::checks::kernels_without_code);
            }

            #[test]
            fn freed_memory_is_returned() {
                with_device($crate::conformance::checks::freed_memory_is_returned);
            }

            #[test]
            fn several_ranges_arrive_together() {
                with_device($crate::conformance::copies::several_ranges_arrive_together);
            }

            #[test]
            fn folds_share_a_buffer() {
                with_device($crate::conformance::copies::folds_share_a_buffer);
            }

            #[test]
            fn streams_and_events_keep_order() {
                with_device($crate::conformance::checks::streams_and_events);
            }
        }
    };
}
