//! NVIDIA's run-time compiler, loaded by its path: needs no card and no driver.

use libloading::{Library, Symbol};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Take = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// The compiler options of the CUDA device.
const OPTIONS: [&str; 4] = ["-std=c++17", "--fmad=false", "--device-int128", "-default-device"];

/// The compiler. Programs of several threads are independent.
pub(crate) struct Nvrtc {
    library: Library,
    /// Loaded before the compiler, which then finds it.
    _builtins: Library,
}

impl Nvrtc {
    /// The compiler in this folder.
    pub(crate) fn open(folder: &Path) -> Result<Nvrtc, libloading::Error> {
        // SAFETY: NVIDIA's library runs no code of its own when it is loaded.
        let builtins = unsafe { Library::new(folder.join("libnvrtc-builtins.so.13.0")) }?;
        // SAFETY: as above.
        let library = unsafe { Library::new(folder.join("libnvrtc.so.13")) }?;
        Ok(Nvrtc { library, _builtins: builtins })
    }

    fn function<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: each symbol is loaded with the type that NVIDIA's header declares.
        unsafe { self.library.get(name) }.expect("the compiler has this function")
    }

    /// Machine code for an architecture (`sm_90`), or the compiler's log.
    pub(crate) fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, String> {
        let source = CString::new(source).expect("source without zeros");
        let mut program: Program = std::ptr::null_mut();
        let create = self.function::<Create>("nvrtcCreateProgram");
        let none = std::ptr::null();
        // SAFETY: the program is valid for writes, the source is null-terminated, and there are no headers.
        let code = unsafe { create(&mut program, source.as_ptr(), c"golden.cu".as_ptr(), 0, none, none) };
        assert_eq!(code, 0, "making a program");
        let option = |text: &str| CString::new(text).expect("an option without zeros");
        let options: Vec<CString> = OPTIONS.iter().map(|text| option(text)).collect();
        let options: Vec<CString> =
            options.into_iter().chain([option(&format!("--gpu-architecture={architecture}"))]).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let compile = self.function::<Compile>("nvrtcCompileProgram");
        // SAFETY: the program is alive, and there are that many null-terminated options.
        let code = unsafe { compile(program, pointers.len() as c_int, pointers.as_ptr()) };
        let (size, take) = if code == 0 {
            ("nvrtcGetCUBINSize", "nvrtcGetCUBIN")
        } else {
            ("nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
        };
        let bytes = self.taken(program, size, take);
        let destroy = self.function::<Destroy>("nvrtcDestroyProgram");
        // SAFETY: the program is alive, and nothing uses it after this.
        unsafe { destroy(&mut program) };
        if code == 0 { Ok(bytes) } else { Err(String::from_utf8_lossy(&bytes).into_owned()) }
    }

    fn taken(&self, program: Program, size: &str, take: &str) -> Vec<u8> {
        let mut length = 0usize;
        let size = self.function::<Size>(size);
        // SAFETY: the program is alive, and the size is valid for writes.
        assert_eq!(unsafe { size(program, &mut length) }, 0, "asking for a size");
        let mut bytes = vec![0u8; length];
        let take = self.function::<Take>(take);
        // SAFETY: there is room for as many bytes as the compiler reported.
        assert_eq!(unsafe { take(program, bytes.as_mut_ptr().cast()) }, 0, "taking bytes");
        bytes
    }
}
