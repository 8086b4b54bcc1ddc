//! Compiles kernels as CUDA source with NVIDIA's compiler, without a card: every golden kernel for three generations,
//! and random ones for one. `./test` gives the directory of the compiler (`POINTSMAN_NVRTC`).
#![allow(clippy::unwrap_used)]

mod compiler;

use compiler::Nvrtc;
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::{Kernel, parse::parse};
use pointsman_ir::random::{Profile, case};
use pointsman_ir::render::cuda;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const ARCHITECTURES: [&str; 3] = ["sm_80", "sm_90", "sm_120"];
/// The number of random kernels that are compiled.
const RANDOM_KERNELS: usize = 300;
/// The minimum number of golden kernels for CUDA: fewer means that the directory or the renderer lost some.
const GOLDEN_MIN: usize = 44;
/// The minimum number of stored texts of calls for CUDA.
const CALLS_MIN: usize = 16;

/// The compiler; `None`, with a printed reason, if its location is not given.
fn compiler() -> Option<Nvrtc> {
    let Some(folder) = std::env::var_os("POINTSMAN_NVRTC").filter(|folder| !folder.is_empty()) else {
        eprintln!("skipped: POINTSMAN_NVRTC names no folder with libnvrtc.so.13 (./test installs it)");
        return None;
    };
    let folder = PathBuf::from(folder);
    Some(Nvrtc::open(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())))
}

/// The kernel as CUDA source, if it can be rendered.
fn source(kernel: &Kernel) -> Option<String> {
    cuda::supports(kernel).ok()?;
    Some(cuda::render(&guard(&decompose(kernel))).unwrap().text)
}

fn check(nvrtc: &Nvrtc, name: &str, kernel: &Kernel, source: &str, architecture: &str) {
    match nvrtc.compile(source, architecture) {
        Ok(code) => assert!(code.starts_with(b"\x7fELF"), "{name} for {architecture}: {} bytes of no code", code.len()),
        Err(log) => panic!("{name} for {architecture}:\n{log}\n{}", kernel.print()),
    }
}

#[test]
fn golden_kernels_compile_for_every_generation() {
    let Some(nvrtc) = compiler() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pointsman-ir/tests/kernels/in");
    let mut compiled = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "kernel") {
            continue;
        }
        let kernel = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let Some(source) = source(&kernel) else { continue };
        for architecture in ARCHITECTURES {
            check(&nvrtc, &path.display().to_string(), &kernel, &source, architecture);
        }
        compiled += 1;
    }
    assert!(compiled >= GOLDEN_MIN, "{compiled} golden kernels are CUDA");
}

#[test]
fn kernels_of_calls_compile_for_every_generation() {
    let Some(nvrtc) = compiler() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/call_kernels");
    let mut compiled = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for architecture in ARCHITECTURES {
            let code = nvrtc.compile(&source, architecture);
            let code = code.unwrap_or_else(|log| panic!("{} for {architecture}:\n{log}", path.display()));
            assert!(code.starts_with(b"\x7fELF"), "{}: {} bytes of no code", path.display(), code.len());
        }
        compiled += 1;
    }
    assert!(compiled >= CALLS_MIN, "{compiled} stored kernels of calls are CUDA");
}

#[test]
fn random_kernels_compile() {
    let Some(nvrtc) = compiler() else { return };
    let profile = Profile::streaming();
    let kernels = (0..).map(|seed| (seed, case(seed, &profile).kernel));
    let kernels = kernels.filter_map(|(seed, kernel)| source(&kernel).map(|source| (seed, kernel, source)));
    let kernels: Vec<_> = kernels.take(RANDOM_KERNELS).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((seed, kernel, source)) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(&nvrtc, &format!("the random kernel of seed {seed}"), kernel, source, "sm_90");
                }
            });
        }
    });
}

#[test]
fn invalid_cuda_is_refused_with_a_log() {
    let Some(nvrtc) = compiler() else { return };
    let log = nvrtc.compile("__global__ void broken( {", "sm_90").unwrap_err();
    assert!(log.contains("error"), "{log}");
}
