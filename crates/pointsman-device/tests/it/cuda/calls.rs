//! Library calls on a card, by NVIDIA's libraries and by our own kernels. Skipped without a card.
#![allow(clippy::unwrap_used)]

use super::card::first_card;
use crate::large_calls;
use pointsman_device::conformance::run::load;
use pointsman_device::*;
use pointsman_ir::kernel::call::Fft;
use pointsman_ir::kernel::parse::parse;
use std::process::Command;

/// Set in the process that must not use NVIDIA's libraries.
const LIBRARIES: &str = "POINTSMAN_CUDA_LIBRARIES";

#[test]
fn large_calls_equal_those_of_the_cpu() {
    let Some(card) = first_card() else { return };
    large_calls::compare(&card, 1);
}

/// Transforms of so many numbers that they run in several batches, which share their scratch memory, with the last one
/// smaller. The numbers of a chunk are few, and the zeros behind them many.
#[test]
fn transforms_in_batches_equal_those_of_the_cpu() {
    let Some(card) = first_card() else { return };
    if card.memory().free.is_some_and(|free| free < 32 << 30) {
        return eprintln!("skipped: less than 32 GiB of memory");
    }
    let few = Fft { given: 3, kept: 2, ..Fft::forward(1 << 20) };
    let calls = [few, Fft { given: 2, kept: 5, ..Fft::real_inverse(1 << 20) }];
    assert_eq!(large_calls::compare_calls(&card, calls.map(|fft| (fft.into(), 300)).to_vec(), 1), 4);
}

/// The same calls without NVIDIA's libraries, in a process of its own.
#[test]
fn our_own_kernels_equal_the_libraries() {
    let Some(card) = first_card() else { return };
    if std::env::var_os(LIBRARIES).is_some_and(|switch| switch == "off") {
        return;
    }
    drop(card);
    let tests = ["large_calls_equal_those_of_the_cpu", "conformance::cuda::library_calls", "libraries_are_named"];
    let own = std::env::current_exe().unwrap();
    let run = Command::new(own).args(tests).arg("--nocapture").env(LIBRARIES, "off").output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{text}\n{}", String::from_utf8_lossy(&run.stderr));
    assert!(text.contains("test result: ok. 3 passed"), "{text}");
}

/// A loaded call says which library runs it, and why it is our own code.
#[test]
fn libraries_are_named() {
    let Some(card) = first_card() else { return };
    let described = |call: &str, lists: &str, list: &str| {
        let text = format!("kernel\ncolumns c0: f32\n{lists}  v0: f32 = column c0\nsink call {call} of v0{list}\n");
        let program = load(&card, &parse(&text).unwrap()).unwrap();
        let description = card.describe(program);
        card.unload(program);
        description
    };
    let matmul = described("matmul real 2 3 4 left rows right rows shared", "lists l0: f32\n", " l0");
    let fft = described("fft forward 1 8 given 8 kept 8", "", "");
    eprintln!("{matmul}; {fft}");
    if std::env::var_os(LIBRARIES).is_some_and(|switch| switch == "off") {
        assert!(matmul.contains("our own kernels (POINTSMAN_CUDA_LIBRARIES is off"), "{matmul}");
        assert!(fft.contains("our own kernels"), "{fft}");
    } else {
        assert!(matmul.contains("matmul by cuBLAS") || matmul.contains("there is no cuBLAS"), "{matmul}");
        assert!(fft.contains("fft by cuFFT") || fft.contains("there is no cuFFT"), "{fft}");
    }
}
