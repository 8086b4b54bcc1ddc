//! Executable memory: turns bytes of machine code into a callable function. Memory is writable first and executable
//! later, never both; it is unmapped when its owner is dropped.

#[cfg(all(unix, target_arch = "x86_64"))]
mod mapped {
    use super::super::observed::ObservedLaunch;
    use std::ptr::NonNull;

    /// A function in executable memory.
    pub(in crate::cpu) struct JitFunction {
        start: NonNull<libc::c_void>,
        len: usize,
    }

    // SAFETY: once mapped, the memory is only read and executed.
    unsafe impl Send for JitFunction {}
    // SAFETY: as above.
    unsafe impl Sync for JitFunction {}

    impl JitFunction {
        /// Maps code; `None` if the system refuses.
        pub(in crate::cpu) fn new(code: &[u8]) -> Option<JitFunction> {
            let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: an anonymous mapping at an address that the system chooses touches no memory of ours.
            let start = unsafe { libc::mmap(std::ptr::null_mut(), code.len(), protection, flags, -1, 0) };
            if start == libc::MAP_FAILED {
                return None;
            }
            let function = JitFunction { start: NonNull::new(start)?, len: code.len() };
            // SAFETY: the mapping has at least `len` bytes, is writable, and nothing else refers to it.
            unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast::<u8>(), code.len()) };
            // SAFETY: the mapping is ours alone, and nothing refers into it.
            let protected = unsafe { libc::mprotect(start, code.len(), libc::PROT_READ | libc::PROT_EXEC) };
            (protected == 0).then_some(function)
        }

        /// The address of the function that running code calls to poll whether to continue. Its argument is 0, or the
        /// address of an [`ObservedLaunch`].
        pub(in crate::cpu) fn should_continue_address() -> u64 {
            let function: unsafe extern "sysv64" fn(*const ObservedLaunch<'static>) -> u32 = should_continue;
            (function as *const ()).expose_provenance() as u64
        }

        /// Calls the function.
        ///
        /// # Safety
        /// The code is a function of this signature that this processor can run, and every address in the block is as
        /// the code expects it.
        pub(in crate::cpu) unsafe fn call(&self, block: &mut [u64]) {
            // SAFETY: the caller guarantees that a function of this signature starts here.
            let function = unsafe {
                std::mem::transmute::<*mut libc::c_void, unsafe extern "sysv64" fn(*mut u64)>(self.start.as_ptr())
            };
            // SAFETY: the caller guarantees the contents of the block.
            unsafe { function(block.as_mut_ptr()) }
        }
    }

    /// Whether running code should continue.
    ///
    /// # Safety
    /// The launch is null, or valid during the call.
    unsafe extern "sysv64" fn should_continue(launch: *const ObservedLaunch<'static>) -> u32 {
        // SAFETY: the caller guarantees that a launch which is not null is valid; it is shared by all of its threads.
        let launch = unsafe { launch.as_ref() };
        launch.is_none_or(ObservedLaunch::should_continue_caught).into()
    }

    impl Drop for JitFunction {
        fn drop(&mut self) {
            // SAFETY: `new` mapped exactly this range, and no call is running: each call borrows `self`.
            unsafe { libc::munmap(self.start.as_ptr(), self.len) };
        }
    }
}

#[cfg(not(all(unix, target_arch = "x86_64")))]
mod mapped {
    /// No function: there is no code generator for this system.
    pub(in crate::cpu) enum JitFunction {}

    impl JitFunction {
        /// Always `None`: there is no code generator for this system.
        pub(in crate::cpu) fn new(_code: &[u8]) -> Option<JitFunction> {
            None
        }

        /// Never called.
        pub(in crate::cpu) fn should_continue_address() -> u64 {
            0
        }

        /// Never called.
        ///
        /// # Safety
        /// None is needed; the signature is that of other systems.
        pub(in crate::cpu) unsafe fn call(&self, _block: &mut [u64]) {
            match *self {}
        }
    }
}

pub(in crate::cpu) use mapped::JitFunction;
