//! The suite every device must pass: the same bits as the interpreter, on this device or a failure, never a fallback.
//!
//! One line instantiates it: `pointsman_device::conformance!(cpu, || CpuDevice::new(CpuOptions::default()));`. What a
//! device says it can do (`Capabilities::sinks`) is what it is held to. Pieces: [`layout`] lays columns out in host
//! memory in every way a user may hand them in; [`run`] takes a case through the device; [`differential`] compares with
//! the interpreter; [`checks`] are the tests; [`planted`] breaks a device on purpose, to show that the suite sees it.

pub mod checks;
pub mod differential;
pub mod layout;
pub mod planted;
pub mod run;

/// Instantiates the conformance suite for a device, as a module of tests.
#[macro_export]
macro_rules! conformance {
    ($name:ident, $make:expr) => {
        mod $name {
            use super::*;

            fn device() -> Box<dyn $crate::Device> {
                Box::new($make())
            }

            #[test]
            fn random_kernels_give_the_bits_of_the_interpreter() {
                $crate::conformance::checks::random_kernels(&*device());
            }

            #[test]
            fn edges_give_the_bits_of_the_interpreter() {
                $crate::conformance::checks::edges(&*device());
            }

            #[test]
            fn merged_partials_give_the_whole() {
                $crate::conformance::checks::merged_partials(&*device());
            }

            #[test]
            fn launches_from_many_threads_do_not_disturb_each_other() {
                $crate::conformance::checks::many_threads(&*device());
            }

            #[test]
            fn damaged_and_foreign_images_are_refused() {
                $crate::conformance::checks::damaged_images(&*device());
            }

            #[test]
            fn launches_that_do_not_fit_are_refused() {
                $crate::conformance::checks::launches_that_do_not_fit(&*device());
            }

            #[test]
            fn kernels_without_code_are_refused() {
                $crate::conformance::checks::kernels_without_code(&*device());
            }

            #[test]
            fn memory_comes_back() {
                $crate::conformance::checks::memory_comes_back(&*device());
            }

            #[test]
            fn streams_and_events_keep_order() {
                $crate::conformance::checks::streams_and_events(&*device());
            }
        }
    };
}
