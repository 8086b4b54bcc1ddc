//! NVIDIA's libraries for matrix products (cuBLAS) and Fourier transforms (cuFFT), found when the first call needs them.
//!
//! Out: tables of their functions, or one line that says why a library cannot be used. Nothing panics where a library is
//! missing or lacks a function, and a library is never unloaded. Results stay plain numbers: a newer library may return
//! one that this code does not know.

use crate::cuda::context::Context;
use crate::environment;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use cudarc::driver::sys;
use libloading::Library as Loaded;
use std::ffi::{c_int, c_longlong, c_void};
use std::sync::OnceLock;

/// The files of cuBLAS, newest first.
const BLAS_FILES: &[&str] = if cfg!(windows) {
    &["cublas64_13.dll", "cublas64_12.dll"]
} else {
    &["libcublas.so.13", "libcublas.so.12", "libcublas.so"]
};
/// The files of cuFFT, newest first: 12 is of CUDA 13, 11 of CUDA 12.
const FFT_FILES: &[&str] = if cfg!(windows) {
    &["cufft64_12.dll", "cufft64_11.dll"]
} else {
    &["libcufft.so.12", "libcufft.so.11", "libcufft.so"]
};

/// Declares a table of a library's functions, and how it is read from the library.
macro_rules! functions {
    ($(#[doc = $doc:literal])+ $table:ident: $($(#[doc = $function_doc:literal])+ $name:ident = $symbol:literal($($argument:ty),*);)*) => {
        $(#[doc = $doc])+
        pub(in crate::cuda) struct $table {
            $($(#[doc = $function_doc])+ pub(super) $name: unsafe extern "C" fn($($argument),*) -> u32,)*
        }

        impl $table {
            fn of(library: &'static Loaded) -> Result<$table, String> {
                $(
                    // SAFETY: the type is the one that NVIDIA documents for the symbol, and the library stays loaded.
                    let $name = unsafe { library.get($symbol) }.map_err(|_| lacks($symbol))?;
                )*
                Ok($table { $($name: *$name,)* })
            }
        }
    };
}

functions! {
    /// The functions of cuBLAS.
    Blas:
    /// Creates a handle.
    create = b"cublasCreate_v2"(*mut *mut c_void);
    /// Destroys a handle.
    destroy = b"cublasDestroy_v2"(*mut c_void);
    /// Asks for the version.
    version = b"cublasGetVersion_v2"(*mut c_void, *mut c_int);
    /// Sets the stream of the calls that follow.
    set_stream = b"cublasSetStream_v2"(*mut c_void, *mut c_void);
    /// Sets the memory of the calls that follow; to be set after the stream.
    set_workspace = b"cublasSetWorkspace_v2"(*mut c_void, *mut c_void, usize);
    /// Multiplies matrices in batches, with 64-bit sizes.
    gemm = b"cublasGemmStridedBatchedEx_64"(
        *mut c_void, c_int, c_int, i64, i64, i64, *const c_void, *const c_void, c_int, i64, c_longlong, *const c_void,
        c_int, i64, c_longlong, *const c_void, *mut c_void, c_int, i64, c_longlong, i64, c_int, c_int
    );
}

functions! {
    /// The functions of cuFFT.
    Fft:
    /// Creates a handle without a plan.
    create = b"cufftCreate"(*mut c_int);
    /// Destroys a handle and its plan.
    destroy = b"cufftDestroy"(c_int);
    /// Asks for the version.
    version = b"cufftGetVersion"(*mut c_int);
    /// Whether the plan allocates its own work area.
    set_auto_allocation = b"cufftSetAutoAllocation"(c_int, c_int);
    /// Makes a plan of a batch, with 64-bit sizes.
    make_plan = b"cufftMakePlanMany64"(
        c_int, c_int, *mut c_longlong, *mut c_longlong, c_longlong, c_longlong, *mut c_longlong, c_longlong, c_longlong,
        c_int, c_longlong, *mut usize
    );
    /// Sets the stream of the transforms that follow.
    set_stream = b"cufftSetStream"(c_int, *mut c_void);
    /// Sets the work area of the transforms that follow.
    set_work_area = b"cufftSetWorkArea"(c_int, *mut c_void);
    /// Transforms complex numbers (f32).
    c2c = b"cufftExecC2C"(c_int, *mut c_void, *mut c_void, c_int);
    /// Transforms complex numbers (f64).
    z2z = b"cufftExecZ2Z"(c_int, *mut c_void, *mut c_void, c_int);
    /// Transforms real numbers (f32).
    r2c = b"cufftExecR2C"(c_int, *mut c_void, *mut c_void);
    /// Transforms real numbers (f64).
    d2z = b"cufftExecD2Z"(c_int, *mut c_void, *mut c_void);
    /// Transforms half spectra to real numbers (f32).
    c2r = b"cufftExecC2R"(c_int, *mut c_void, *mut c_void);
    /// Transforms half spectra to real numbers (f64).
    z2d = b"cufftExecZ2D"(c_int, *mut c_void, *mut c_void);
}

/// A library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Library {
    /// cuBLAS.
    Blas,
    /// cuFFT.
    Fft,
}

/// Converts the status of a library's function.
pub(super) fn check(context: &Context, library: Library, status: u32, doing: &str) -> DeviceResult<()> {
    if status == 0 {
        return Ok(());
    }
    // A library hides the driver's error behind its own status.
    // SAFETY: the context is current; this asks for the state of its default stream.
    context.check_done(unsafe { sys::cuStreamQuery(std::ptr::null_mut()) }, doing)?;
    let kind = match (library, status) {
        (Library::Blas, 3) | (Library::Fft, 2) => DeviceErrorKind::OutOfMemory,
        (Library::Blas, 8 | 15) | (Library::Fft, 8 | 14 | 16) => DeviceErrorKind::Unsupported,
        (Library::Blas, 1) | (Library::Fft, 7) => DeviceErrorKind::Transient,
        (Library::Blas | Library::Fft, _) => DeviceErrorKind::Internal,
    };
    let name = match library {
        Library::Blas => "cuBLAS",
        Library::Fft => "cuFFT",
    };
    Err(DeviceError::new(kind, format!("{name}, {doing}: status {status}")))
}

/// The error of a library that lacks a function.
fn lacks(symbol: &[u8]) -> String {
    format!("it lacks {}, which CUDA 12 and later have", String::from_utf8_lossy(symbol))
}

/// cuBLAS, or why it cannot be used.
pub(super) fn blas() -> Result<&'static Blas, &'static str> {
    static BLAS: OnceLock<Result<Blas, String>> = OnceLock::new();
    let found = BLAS.get_or_init(|| open("cuBLAS", BLAS_FILES).and_then(Blas::of));
    found.as_ref().map_err(String::as_str)
}

/// cuFFT, or why it cannot be used.
pub(super) fn fft() -> Result<&'static Fft, &'static str> {
    static FFT: OnceLock<Result<Fft, String>> = OnceLock::new();
    let found = FFT.get_or_init(|| open("cuFFT", FFT_FILES).and_then(Fft::of));
    found.as_ref().map_err(String::as_str)
}

/// The first of these files that can be loaded. It is leaked: its functions are used until the process ends.
fn open(name: &str, files: &[&str]) -> Result<&'static Loaded, String> {
    let variable = environment::CUDA_LIBRARIES;
    if variable.switch(environment::of_process).is_ok_and(|switch| switch == Some(false)) {
        return Err(format!("{} is off: {name} is not used", variable.name));
    }
    // SAFETY: loading the library runs NVIDIA's start-up code, which has no preconditions.
    let library = files.iter().find_map(|file| unsafe { Loaded::new(*file) }.ok());
    let library = library.ok_or_else(|| format!("there is no {name} ({}) where the system looks", files.join(", ")))?;
    Ok(Box::leak(Box::new(library)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With or without the libraries: a table of functions, or one line that names the library.
    #[test]
    fn libraries_are_found_or_missing_without_a_panic() {
        for (name, missing) in [("cuBLAS", blas().err()), ("cuFFT", fft().err())] {
            assert!(missing.is_none_or(|line| line.contains(name) && !line.contains('\n')), "{missing:?}");
        }
        assert!(open("nothing", &["libpointsman-no-such-library.so"]).is_err_and(|line| line.contains("no-such")));
        assert!(lacks(b"cublasX").contains("cublasX"));
    }
}
