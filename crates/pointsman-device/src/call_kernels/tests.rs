//! Compares the texts of kernels with the stored ones in `tests/call_kernels` (`POINTSMAN_BLESS=1` stores them;
//! `tests/it/nvrtc.rs` compiles those for CUDA), and checks that steps cover their chunks and that limits hold.
#![allow(clippy::unwrap_used)]

use super::*;
use pointsman_ir::kernel::call::{Convolve, Direction, Fft, Matmul, Method, RightOperand, Storage, Transform};
use pointsman_ir::render::wgsl::ArgumentMemory;
use std::path::{Path, PathBuf};

/// A card with usual limits.
fn target(language: Language) -> CallTarget {
    CallTarget {
        language,
        workgroup_bytes: 32 << 10,
        window_bytes: 2 << 30,
        scratch_bytes: 256 << 20,
        group_operations: 5e8,
        iterations: 1 << 20,
    }
}

/// The calls whose texts are also stored for doubles: one of each kind.
const DOUBLES: [&str; 4] = ["matmul_complex", "fft_any_length", "convolve_line", "convolve_by_transform"];

/// The calls whose texts are stored, with the names of their files.
fn calls() -> Vec<(&'static str, Call)> {
    let (left, right) = (Storage::Columns, Storage::Columns);
    let mixed = Matmul { left, right, operand: RightOperand::PerChunk, ..Matmul::real(65, 7, 3) };
    let padded = Convolve { padding: [[1, 1], [2, 0]], stride: [1, 2], ..Convolve::plane([20, 30], [3, 3]) };
    let channels = Convolve { channels_in: 4, channels_out: 3, direction: Direction::Convolution, ..padded };
    vec![
        ("matmul_large", Matmul::real(1024, 1024, 1024).into()),
        ("matmul_stored_by_columns", mixed.into()),
        ("matmul_complex", Matmul::complex(64, 64, 64).into()),
        ("matmul_long_sums", Matmul::complex(3, 100_000, 2).into()),
        ("fft_one", Fft::forward(1).into()),
        ("fft_one_pass", Fft::inverse(360).into()),
        ("fft_two_passes", Fft { given: 100_000, kept: 10, ..Fft::forward(1 << 18) }.into()),
        ("fft_any_length", Fft::real_forward(1009).into()),
        ("fft_plane", Fft::plane(Transform::RealInverse, 6, 77).into()),
        ("convolve_line", Convolve::line(10_000, 65).into()),
        ("convolve_channels", channels.into()),
        ("convolve_large_steps", Convolve { stride: [100, 100], ..Convolve::plane([400, 400], [3, 3]) }.into()),
        ("convolve_by_transform", Convolve { method: Method::Transform, ..channels }.into()),
    ]
}

#[test]
fn texts_are_the_stored_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/call_kernels");
    let languages = [(Language::Wgsl(ArgumentMemory::Uniform), "wgsl"), (Language::Cuda, "cu")];
    let blesses = std::env::var_os("POINTSMAN_BLESS").is_some_and(|value| value == "1");
    let mut expected: Vec<PathBuf> = Vec::new();
    for (name, call) in calls() {
        for dtype in [DType::F32, DType::F64] {
            if dtype == DType::F64 && !DOUBLES.contains(&name) {
                continue;
            }
            for (language, extension) in languages {
                let plan = CallPlan::new(&call, dtype, &target(language)).unwrap();
                let path = folder.join(format!("{name}_{dtype}.{extension}"));
                if blesses {
                    std::fs::create_dir_all(&folder).unwrap();
                    std::fs::write(&path, plan.text()).unwrap();
                }
                let stored = std::fs::read_to_string(&path).unwrap_or_default();
                assert!(stored == plan.text(), "{} differs: POINTSMAN_BLESS=1 stores the new text", path.display());
                expected.push(path);
            }
        }
    }
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(expected.contains(&path), "{} belongs to no call", path.display());
    }
}

/// A sum of few results is divided among workgroups, whose parts a second step adds.
#[test]
fn long_sums_of_few_results_are_divided() {
    let plan = CallPlan::new(&Matmul::real(1, 1 << 20, 1).into(), DType::F32, &target(Language::Cuda)).unwrap();
    assert_eq!((plan.entries().len(), plan.step_count(1), plan.step(1, 0).groups), (2, 2, 128));
    assert_eq!(plan.scratch_bytes(3), [3 * 4 * 128]);
    let plan = CallPlan::new(&Matmul::real(1, 2047, 1).into(), DType::F32, &target(Language::Cuda)).unwrap();
    assert_eq!((plan.entries().len(), plan.step_count(1), plan.scratch_bytes(1)), (1, 1, vec![]));
}

/// The sizes of the memories of a launch, by which the windows of all steps are checked.
fn memory_bytes(plan: &CallPlan, call: &Call, chunks: u64, memory: CallMemory) -> u64 {
    let numbers = match memory {
        CallMemory::Input => call.rows_in() * chunks,
        CallMemory::Table => call.table_rows(chunks),
        CallMemory::Output => call.rows_out() * chunks,
        CallMemory::Constants => return plan.constants().len() as u64,
        CallMemory::Scratch(number) => return plan.scratch_bytes(chunks)[number],
        CallMemory::Unused => return 0,
    };
    numbers * 4
}

#[test]
fn steps_cover_all_chunks_within_their_memory() {
    for (name, call) in calls() {
        // Small windows and little scratch memory cut the chunks into batches.
        for (window_bytes, scratch_bytes) in [(2 << 30, 256 << 20), (64 << 20, 16 << 20)] {
            let target = CallTarget { window_bytes, scratch_bytes, ..target(Language::Cuda) };
            let plan = CallPlan::new(&call, DType::F32, &target).unwrap();
            for chunks in [0, 1, 2, 100, 5000] {
                let (mut covered, mut last) = (0, 0);
                for number in 0..plan.step_count(chunks) {
                    let step = plan.step(chunks, number);
                    assert!(step.groups > 0 && step.entry < plan.entries().len(), "{name} {step:?}");
                    for window in step.read.iter().chain([&step.written]) {
                        let bytes = memory_bytes(&plan, &call, chunks, window.memory);
                        assert!(window.start + window.bytes <= bytes, "{name} {chunks}: {window:?} of {bytes}");
                        assert!(window.bytes <= window_bytes, "{name} {window:?}");
                    }
                    if step.written.memory == CallMemory::Output && step.written.start >= covered {
                        assert_eq!(step.written.start, covered, "{name} {chunks}");
                        covered += step.written.bytes;
                        last = number;
                    }
                }
                assert_eq!(covered, call.rows_out() * chunks * 4, "{name} {chunks}, until step {last}");
            }
        }
    }
}

#[test]
fn long_sums_take_several_steps_and_short_batches_several_more() {
    let target = CallTarget { group_operations: 1e6, iterations: 60_000, ..target(Language::Cuda) };
    let plan = CallPlan::new(&Matmul::real(2048, 20_000, 2048).into(), DType::F32, &target).unwrap();
    assert!(plan.step_count(1) > 100, "{}", plan.step_count(1));
    for number in 0..plan.step_count(1) {
        let step = plan.step(1, number);
        assert!(step.group_operations <= 1e6, "{step:?}");
    }
    let target = CallTarget { scratch_bytes: 5 << 20, ..target };
    let plan = CallPlan::new(&Fft::forward(1 << 18).into(), DType::F32, &target).unwrap();
    assert_eq!((plan.step_count(5), plan.scratch_bytes(5)), (6, vec![4 << 20]));
}

#[test]
fn what_is_too_large_is_refused_with_the_limit() {
    let refusal = |call: Call| CallPlan::new(&call, DType::F32, &target(Language::Cuda)).unwrap_err().0;
    let text = refusal(Matmul::real(1, 1 << 31, 1).into());
    assert!(
        text.contains("calls beyond the limits of its kernels: the input of a chunk has 8589934592 bytes"),
        "{text}"
    );
    assert!(text.contains("a kernel may see 2147483648"), "{text}");
    let text = refusal(Fft::forward(100_000_007).into());
    assert!(text.contains("bytes of constants, a program may have 268435456"), "{text}");
    let far = Convolve { padding: [[0, 0], [1 << 33, 0]], stride: [1, 1 << 33], ..Convolve::line(10, 2) };
    let text = refusal(far.into());
    assert!(text.contains("a channel has 8589934602 padded places"), "{text}");
}
