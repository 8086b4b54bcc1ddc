//! The conformance suite that every device must pass: the same bits as the interpreter, from the device itself and
//! never from a fallback.
//!
//! One line instantiates it: `pointsman_device::conformance!(cpu, || CpuDevice::new(CpuOptions::default()));`. A device
//! is tested for the sinks that it reports (`Capabilities::sinks`). For a device that not every machine has, the
//! constructor prints the reason and returns `None`: `conformance!(cuda, first_card, optional)`. Variants of a device
//! are tested together, so that the interpreter runs each random kernel once for all: `conformance!(cpu, cpus, variants)`
//! with a constructor that returns a `Vec`.
//!
//! [`layout`] lays columns out in host memory in every way a user may pass them; [`run`] runs a case on the device;
//! [`differential`] compares with the interpreter; [`checks`], [`copies`], [`edges`] and [`calls`] are the tests; [`planted`]
//! breaks a device on purpose, to show that the suite detects it.

pub mod calls;
pub mod checks;
pub mod copies;
pub mod differential;
pub mod edges;
mod fast_sums;
pub mod layout;
pub mod planted;
pub mod run;

/// Instantiates the conformance suite for a device, as a module of tests.
#[macro_export]
macro_rules! conformance {
    ($name:ident, $make:expr) => {
        $crate::conformance!($name, || Some($make()), variants);
    };
    ($name:ident, $make:expr, optional) => {
        $crate::conformance!($name, $make, variants);
    };
    ($name:ident, $make:expr, variants) => {
        mod $name {
            use super::*;

            fn with_each(check: fn(&dyn $crate::Device)) {
                for (number, device) in $make().into_iter().enumerate() {
                    // A failed test shows what it printed, and so the variant that failed.
                    eprintln!("variant {number}: {}", $crate::Device::info(&device).model);
                    check(&device);
                }
            }

            fn with_all(check: fn(&[&dyn $crate::Device])) {
                let devices: Vec<_> = $make().into_iter().collect();
                let devices: Vec<&dyn $crate::Device> =
                    devices.iter().map(|device| device as &dyn $crate::Device).collect();
                if !devices.is_empty() {
                    check(&devices);
                }
            }

            #[test]
            fn random_kernels_give_the_bits_of_the_interpreter() {
                with_all($crate::conformance::checks::random_kernels);
            }

            #[test]
            fn edges_give_the_bits_of_the_interpreter() {
                with_each($crate::conformance::edges::edges);
            }

            #[test]
            fn library_calls_keep_their_bounds() {
                with_each($crate::conformance::calls::calls);
            }

            #[test]
            fn merged_partials_equal_the_whole_result() {
                with_all($crate::conformance::checks::merged_partials);
            }

            #[test]
            fn launches_go_on_where_room_ran_out() {
                with_all($crate::conformance::checks::resumed_launches);
            }

            #[test]
            fn launches_from_many_threads_do_not_disturb_each_other() {
                with_each($crate::conformance::checks::many_threads);
            }

            #[test]
            fn damaged_and_foreign_images_are_refused() {
                with_each($crate::conformance::checks::damaged_images);
            }

            #[test]
            fn invalid_launches_are_refused() {
                with_each($crate::conformance::checks::launches_that_do_not_fit);
            }

            #[test]
            fn kernels_without_code_are_refused() {
                with_each($crate::conformance::checks::kernels_without_code);
            }

            #[test]
            fn freed_memory_is_returned() {
                with_each($crate::conformance::checks::freed_memory_is_returned);
            }

            #[test]
            fn several_ranges_arrive_together() {
                with_each($crate::conformance::copies::several_ranges_arrive_together);
            }

            #[test]
            fn folds_share_a_buffer() {
                with_each($crate::conformance::copies::folds_share_a_buffer);
            }

            #[test]
            fn streams_and_events_keep_order() {
                with_each($crate::conformance::checks::streams_and_events);
            }
        }
    };
}
