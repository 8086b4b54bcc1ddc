//! NVIDIA's run-time compiler: compiles CUDA source to machine code for an architecture, or returns the compiler's log.
//!
//! The library is loaded when the first kernel is compiled. Without it compiling is an error; nothing panics.

use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use cudarc::nvrtc::sys;
use std::ffi::{CStr, CString, c_char};
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// The error message if there is no compiler.
pub(super) const MISSING: &str = "the CUDA device compiles kernels with NVRTC, and there is no libnvrtc on this \
     machine: install NVRTC of CUDA 12.8 or later where the system looks for libraries (LD_LIBRARY_PATH)";
/// The error message if the compiler lacks a function.
const TOO_OLD: &str = "this libnvrtc is too old, it lacks a function: install NVRTC of CUDA 12.8 or later";

/// The options of every compilation: products and sums are not contracted, and unmarked functions run on the card.
const OPTIONS: [&CStr; 4] = [c"-std=c++17", c"--fmad=false", c"--device-int128", c"-default-device"];

/// The maximum size of the log in an error, in bytes.
const LOG_BYTES_MAX: usize = 4000;

fn refuse(message: impl Into<String>) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Compile, message)
}

/// Whether the compiler is available.
pub(super) fn is_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: opening the library runs NVIDIA's start-up code, which has no preconditions.
    *PRESENT.get_or_init(|| catch_unwind(|| unsafe { sys::is_culib_present() }).unwrap_or(false))
}

/// The compiler's version, its file and its options, for the key of stored images.
pub(super) fn fingerprint() -> &'static str {
    static FINGERPRINT: OnceLock<String> = OnceLock::new();
    FINGERPRINT.get_or_init(|| {
        let (major, minor) = if is_present() { catch_unwind(version).unwrap_or_default() } else { (0, 0) };
        // Read after the version, when the library is loaded. Systems without this file report the version alone.
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let library = library_in(&maps).map(describe_file).unwrap_or_default();
        format!("NVRTC {major}.{minor} {OPTIONS:?} {library}")
    })
}

/// The path of the compiler's library in a list of mapped files of this process.
fn library_in(maps: &str) -> Option<&Path> {
    let paths = maps.lines().filter_map(|line| Some(Path::new(&line[line.find('/')?..])));
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_string());
    let mut libraries = paths.filter(|path| name(path).is_some_and(|name| name.starts_with("libnvrtc.so")));
    libraries.next()
}

/// A file's path, size and modification time, which distinguish builds of one version.
fn describe_file(path: &Path) -> String {
    let metadata = std::fs::metadata(path).ok();
    let bytes = metadata.as_ref().map_or(0, |file| file.len());
    let modified = metadata.and_then(|file| file.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    format!("{} {bytes} {}", path.display(), modified.unwrap_or_default().as_nanos())
}

fn version() -> (i32, i32) {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is loaded, and both pointers are valid for writes.
    let code = unsafe { sys::nvrtcVersion(&mut major, &mut minor) };
    if check(code, "asking for its version").is_ok() { (major, minor) } else { (0, 0) }
}

/// Compiles source for an architecture such as `sm_90`.
pub(super) fn compile(source: &str, architecture: &str) -> DeviceResult<Vec<u8>> {
    if !is_present() {
        return Err(DeviceError::unsupported(MISSING));
    }
    let source = CString::new(source).map_err(|_| refuse("CUDA source with a zero byte"))?;
    let architecture = CString::new(format!("--gpu-architecture={architecture}")).map_err(|_| refuse("a zero byte"))?;
    // The binding panics if an old library lacks a function.
    let compiled = catch_unwind(|| Compilation::new(&source)?.compile(&architecture));
    compiled.unwrap_or_else(|_| Err(DeviceError::unsupported(TOO_OLD)))
}

/// A program of the compiler, destroyed on drop.
struct Compilation(sys::nvrtcProgram);

impl Compilation {
    fn new(source: &CStr) -> DeviceResult<Compilation> {
        let mut raw = std::ptr::null_mut();
        let (name, none) = (c"pointsman.cu", std::ptr::null());
        // SAFETY: `raw` is valid for writes, the strings are null-terminated, and there are no headers.
        let code = unsafe { sys::nvrtcCreateProgram(&mut raw, source.as_ptr(), name.as_ptr(), 0, none, none) };
        check(code, "making a program").map(|()| Compilation(raw))
    }

    fn compile(&self, architecture: &CStr) -> DeviceResult<Vec<u8>> {
        let options: Vec<*const c_char> = OPTIONS.iter().copied().chain([architecture]).map(CStr::as_ptr).collect();
        // SAFETY: the program is alive, and `options` holds that many null-terminated strings.
        let code = unsafe { sys::nvrtcCompileProgram(self.0, options.len() as i32, options.as_ptr()) };
        if code != sys::nvrtcResult::NVRTC_SUCCESS {
            return Err(refuse(format!("NVRTC ({}): {}", code as u32, self.log())));
        }
        let mut size = 0;
        // SAFETY: the program is alive, and `size` is valid for writes.
        check(unsafe { sys::nvrtcGetCUBINSize(self.0, &mut size) }, "asking for the code's size")?;
        let mut code = vec![0u8; size];
        // SAFETY: the code has room for as many bytes as the compiler said.
        check(unsafe { sys::nvrtcGetCUBIN(self.0, code.as_mut_ptr().cast()) }, "taking the code")?;
        if code.is_empty() { Err(refuse("NVRTC gave no code")) } else { Ok(code) }
    }

    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the program is alive, and `size` is valid for writes.
        if check(unsafe { sys::nvrtcGetProgramLogSize(self.0, &mut size) }, "").is_err() {
            return String::new();
        }
        let mut log = vec![0u8; size];
        // SAFETY: the log has room for as many bytes as the compiler said.
        if check(unsafe { sys::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()) }, "").is_err() {
            return String::new();
        }
        log.retain(|byte| *byte != 0);
        log.truncate(LOG_BYTES_MAX);
        String::from_utf8_lossy(&log).trim().to_string()
    }
}

impl Drop for Compilation {
    fn drop(&mut self) {
        // SAFETY: the program is owned, and nothing uses it after this.
        let _ = unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}

fn check(code: sys::nvrtcResult, doing: &str) -> DeviceResult<()> {
    if code == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    Err(refuse(format!("NVRTC, {doing}: code {}", code as u32)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const DOUBLE: &str = "extern \"C\" __global__ void pointsman(float* x) { x[threadIdx.x] *= 2.0f; }";

    /// Runs where the compiler is available; elsewhere it checks the error message. Nothing panics.
    #[test]
    fn source_becomes_code_or_a_log() {
        let (compiled, key) = (compile(DOUBLE, "sm_90"), fingerprint());
        assert!(key.contains("--fmad=false"), "{key}");
        assert_eq!(key.starts_with("NVRTC 0.0 "), !is_present(), "{key}");
        if !is_present() {
            assert_eq!(compiled.unwrap_err(), DeviceError::unsupported(MISSING), "nobody's bug");
            eprintln!("skipped: {MISSING}");
            return;
        }
        assert!(compiled.unwrap().starts_with(b"\x7fELF"));
        let error = compile("not CUDA", "sm_90").unwrap_err();
        assert_eq!(error.kind, DeviceErrorKind::Compile);
        assert!(error.message.contains("pointsman.cu(1): error"), "{error}");
        assert!(compile(DOUBLE, "sm_1").unwrap_err().message.contains("gpu-architecture"));
    }

    /// Two builds of one version have different keys, and the list of mapped files names the loaded one.
    #[test]
    fn the_loaded_library_is_named_by_its_path_size_and_time() {
        let maps = "7f00-7f10 r-xp 00000000 08:01 12 /usr/lib/libc.so.6\n7f10-7f20 rw-p 00000000 00:00 0 \n\
            7f20-7f30 r--p 00000000 08:01 13 /opt/cuda 13/lib/libnvrtc-builtins.so.13.0\n\
            7f30-7f40 r--p 00000000 08:01 14 /opt/cuda 13/lib/libnvrtc.so.13\n";
        assert_eq!(library_in(maps), Some(Path::new("/opt/cuda 13/lib/libnvrtc.so.13")));
        assert_eq!(library_in(&maps[..60]), None);
        let path = std::env::temp_dir().join(format!("pointsman-libnvrtc-{}", std::process::id()));
        let told = |bytes: &[u8], seconds: u64| {
            std::fs::write(&path, bytes).unwrap();
            let time = UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            describe_file(&path)
        };
        let (one, later, longer) = (told(b"a", 1), told(b"b", 2), told(b"ab", 1));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(one, format!("{} 1 1000000000", path.display()));
        assert!(one != later && one != longer);
        if is_present() && cfg!(target_os = "linux") {
            assert!(fingerprint().contains("/libnvrtc.so"), "{}", fingerprint());
        }
    }
}
