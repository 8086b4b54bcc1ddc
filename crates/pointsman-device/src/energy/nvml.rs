//! Energy usage of NVIDIA cards, from NVIDIA's management library (NVML), by PCI bus id.
//!
//! The library comes with the driver. It is loaded when a card is first read, and again until that succeeds. Cards
//! without an energy counter (those before Volta) report their current power.

use super::EnergyReading;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

/// The library's file name on this system.
const LIBRARY: &str = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };

/// Result codes of the library: success, a value that the card does not report, and a lost card.
const SUCCESS: c_int = 0;
const NOT_SUPPORTED: c_int = 3;
const GPU_IS_LOST: c_int = 15;

/// The library's handle of a card.
type Handle = *mut c_void;

type Init = unsafe extern "C" fn() -> c_int;
type HandleByBus = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
type TotalEnergy = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int;
type PowerUsage = unsafe extern "C" fn(Handle, *mut c_uint) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// The library functions that are called.
#[derive(Clone, Copy)]
struct Functions {
    init: Init,
    handle_by_bus: HandleByBus,
    /// Millijoules since the driver was loaded.
    total_energy: TotalEnergy,
    /// Milliwatts.
    power_usage: PowerUsage,
    error_string: ErrorString,
}

/// The loaded library.
struct Nvml {
    functions: Functions,
    /// Set once the library is initialized.
    started: OnceLock<()>,
    /// Keeps the functions loaded; `None` in tests.
    _library: Option<Library>,
}

impl Nvml {
    /// The library of this process, loaded and initialized once and never closed; the error says why it is not
    /// available now.
    fn get() -> DeviceResult<&'static Nvml> {
        static NVML: OnceLock<Nvml> = OnceLock::new();
        let nvml = match NVML.get() {
            Some(nvml) => nvml,
            None => {
                let loaded = Nvml::load(LIBRARY).map_err(DeviceError::unsupported)?;
                NVML.get_or_init(|| loaded)
            }
        };
        nvml.started()
    }

    fn load(name: &str) -> Result<Nvml, String> {
        // SAFETY: opening the library runs its start-up code, which is NVIDIA's and has no preconditions.
        let library = unsafe { Library::new(name) };
        let library = library.map_err(|_| format!("there is no {name}, which reports the energy of NVIDIA cards"))?;
        let functions = Functions::of(&library).map_err(|error| format!("{name} is too old: {error}"))?;
        Ok(Nvml { functions, started: OnceLock::new(), _library: Some(library) })
    }

    /// Initializes the library if that has not happened yet.
    fn started(&self) -> DeviceResult<&Nvml> {
        if self.started.get().is_some() {
            return Ok(self);
        }
        // SAFETY: the function may be called at any time, and more than once.
        let code = unsafe { (self.functions.init)() };
        if code != SUCCESS {
            return Err(self.failed(code, "starting it"));
        }
        self.started.get_or_init(|| ());
        Ok(self)
    }

    fn failed(&self, code: c_int, doing: &str) -> DeviceError {
        let kind = if code == GPU_IS_LOST { DeviceErrorKind::Lost } else { DeviceErrorKind::Unsupported };
        DeviceError::new(kind, self.describe_code(code, doing))
    }

    /// The library's description of a result code.
    fn describe_code(&self, code: c_int, doing: &str) -> String {
        // SAFETY: every number is accepted, and the text is a constant of the library.
        let text = unsafe { (self.functions.error_string)(code) };
        if text.is_null() {
            return format!("NVML failed at {doing}: code {code}");
        }
        // SAFETY: the pointer is not null, and the library's texts are null-terminated.
        let text = unsafe { CStr::from_ptr(text) };
        format!("NVML failed at {doing}: {}", text.to_string_lossy())
    }

    fn card(&'static self, bus: &str) -> DeviceResult<NvmlCard> {
        let bus = CString::new(bus).map_err(|_| DeviceError::unsupported("a place on the bus with a zero byte"))?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the library is initialized, the text is null-terminated, and `handle` is valid for writes.
        let code = unsafe { (self.functions.handle_by_bus)(bus.as_ptr(), &mut handle) };
        if code == SUCCESS { Ok(NvmlCard { nvml: self, handle }) } else { Err(self.failed(code, "finding a card")) }
    }
}

impl Functions {
    fn of(library: &Library) -> Result<Functions, libloading::Error> {
        // SAFETY: `nvml.h` declares the function with this signature.
        let init = *unsafe { library.get::<Init>(c"nvmlInit_v2") }?;
        // SAFETY: as above.
        let handle_by_bus = *unsafe { library.get::<HandleByBus>(c"nvmlDeviceGetHandleByPciBusId_v2") }?;
        // SAFETY: as above.
        let total_energy = *unsafe { library.get::<TotalEnergy>(c"nvmlDeviceGetTotalEnergyConsumption") }?;
        // SAFETY: as above.
        let power_usage = *unsafe { library.get::<PowerUsage>(c"nvmlDeviceGetPowerUsage") }?;
        // SAFETY: as above.
        let error_string = *unsafe { library.get::<ErrorString>(c"nvmlErrorString") }?;
        Ok(Functions { init, handle_by_bus, total_energy, power_usage, error_string })
    }
}

/// A card as the library knows it.
struct NvmlCard {
    nvml: &'static Nvml,
    handle: Handle,
}

// SAFETY: the library may be called from any thread, and from several at once; handles belong to the library and never
// become invalid.
unsafe impl Send for NvmlCard {}
// SAFETY: as above.
unsafe impl Sync for NvmlCard {}

impl NvmlCard {
    fn read(&self) -> DeviceResult<EnergyReading> {
        let Functions { total_energy, power_usage, .. } = self.nvml.functions;
        let mut millijoules = 0;
        // SAFETY: the handle is the library's, and `millijoules` is valid for writes.
        let code = unsafe { total_energy(self.handle, &mut millijoules) };
        match code {
            SUCCESS => return Ok(EnergyReading::Counted(millijoules as f64 / 1e3)),
            NOT_SUPPORTED => {}
            _ => return Err(self.nvml.failed(code, "reading the energy of a card")),
        }
        let mut milliwatts = 0;
        // SAFETY: as above.
        let code = unsafe { power_usage(self.handle, &mut milliwatts) };
        match code {
            SUCCESS => Ok(EnergyReading::Drawn(f64::from(milliwatts) / 1e3)),
            NOT_SUPPORTED => Err(DeviceError::unsupported("the card reports neither energy nor power")),
            _ => Err(self.nvml.failed(code, "reading the power of a card")),
        }
    }
}

/// The energy counter of a card; the card is looked up on the first read, and again until it is found.
pub(crate) struct CardEnergy {
    /// The PCI bus id (`0000:01:00.0`), or why the card has none.
    bus: Result<String, String>,
    card: OnceLock<NvmlCard>,
}

impl CardEnergy {
    /// The energy counter of the card with this PCI bus id.
    pub(crate) fn at(bus: Result<String, String>) -> CardEnergy {
        CardEnergy { bus, card: OnceLock::new() }
    }

    /// Reads the counter.
    pub(crate) fn read(&self) -> DeviceResult<EnergyReading> {
        self.read_by(Nvml::get)
    }

    fn read_by(&self, nvml: impl FnOnce() -> DeviceResult<&'static Nvml>) -> DeviceResult<EnergyReading> {
        if let Some(card) = self.card.get() {
            return card.read();
        }
        let bus = self.bus.as_ref().map_err(DeviceError::unsupported)?;
        let card = nvml()?.card(bus)?;
        self.card.get_or_init(|| card).read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    extern "C" fn starts() -> c_int {
        SUCCESS
    }

    extern "C" fn does_not_start() -> c_int {
        9
    }

    /// Finds the card `0000:01:00.0` only.
    unsafe extern "C" fn finds(bus: *const c_char, handle: *mut Handle) -> c_int {
        // SAFETY: `card` passes a null-terminated text.
        if unsafe { CStr::from_ptr(bus) } != c"0000:01:00.0" {
            return 6;
        }
        // SAFETY: `card` passes a pointer that is valid for writes.
        unsafe { handle.write(std::ptr::without_provenance_mut(7)) };
        SUCCESS
    }

    unsafe extern "C" fn counts(handle: Handle, millijoules: *mut c_ulonglong) -> c_int {
        assert_eq!(handle.addr(), 7);
        // SAFETY: `read` passes a pointer that is valid for writes.
        unsafe { millijoules.write(12_345_678) };
        SUCCESS
    }

    extern "C" fn counts_nothing(_: Handle, _: *mut c_ulonglong) -> c_int {
        NOT_SUPPORTED
    }

    extern "C" fn is_lost(_: Handle, _: *mut c_ulonglong) -> c_int {
        15
    }

    unsafe extern "C" fn draws(handle: Handle, milliwatts: *mut c_uint) -> c_int {
        assert_eq!(handle.addr(), 7);
        // SAFETY: `read` passes a pointer that is valid for writes.
        unsafe { milliwatts.write(71_500) };
        SUCCESS
    }

    extern "C" fn tells_nothing(_: Handle, _: *mut c_uint) -> c_int {
        NOT_SUPPORTED
    }

    extern "C" fn says(code: c_int) -> *const c_char {
        match code {
            6 => c"Not Found".as_ptr(),
            9 => c"Driver Not Loaded".as_ptr(),
            _ => std::ptr::null(),
        }
    }

    const FUNCTIONS: Functions =
        Functions { init: starts, handle_by_bus: finds, total_energy: counts, power_usage: draws, error_string: says };

    fn loaded(functions: Functions) -> &'static Nvml {
        Box::leak(Box::new(Nvml { functions, started: OnceLock::new(), _library: None }))
    }

    fn read(functions: Functions, bus: &str) -> DeviceResult<EnergyReading> {
        loaded(functions).started()?.card(bus)?.read()
    }

    const BUS: &str = "0000:01:00.0";

    #[test]
    fn joules_are_read_or_else_watts() {
        assert_eq!(read(FUNCTIONS, BUS), Ok(EnergyReading::Counted(12_345.678)));
        let without = Functions { total_energy: counts_nothing, ..FUNCTIONS };
        assert_eq!(read(without, BUS), Ok(EnergyReading::Drawn(71.5)));
    }

    #[test]
    fn missing_readings_have_a_reason() {
        let refused = |functions: Functions, bus: &str| {
            let error = read(functions, bus).expect_err("there is nothing to read");
            assert_eq!(error.kind, DeviceErrorKind::Unsupported);
            error.message
        };
        let silent = Functions { total_energy: counts_nothing, power_usage: tells_nothing, ..FUNCTIONS };
        assert_eq!(refused(silent, BUS), "the card reports neither energy nor power");
        assert_eq!(refused(FUNCTIONS, "0000:02:00.0"), "NVML failed at finding a card: Not Found");
        let asleep = Functions { init: does_not_start, ..FUNCTIONS };
        assert_eq!(refused(asleep, BUS), "NVML failed at starting it: Driver Not Loaded");
        assert!(refused(FUNCTIONS, "0000\0").contains("zero byte"));
    }

    #[test]
    fn missing_card_is_lost() {
        let lost = read(Functions { total_energy: is_lost, ..FUNCTIONS }, BUS).expect_err("it is gone");
        let expected = DeviceError::new(DeviceErrorKind::Lost, "NVML failed at reading the energy of a card: code 15");
        assert_eq!(lost, expected);
    }

    #[test]
    fn failed_initialization_is_retried_and_success_is_kept() {
        static STARTS: AtomicU32 = AtomicU32::new(0);
        extern "C" fn starts_late() -> c_int {
            if STARTS.fetch_add(1, Ordering::Relaxed) == 0 { 9 } else { SUCCESS }
        }
        let nvml = loaded(Functions { init: starts_late, ..FUNCTIONS });
        let energy = CardEnergy::at(Ok(BUS.to_string()));
        let refused = energy.read_by(|| nvml.started()).expect_err("it does not start at first");
        assert_eq!(refused.message, "NVML failed at starting it: Driver Not Loaded");
        let missing = energy.read_by(|| Err(DeviceError::unsupported("there is no library")));
        assert_eq!(missing, Err(DeviceError::unsupported("there is no library")));
        assert_eq!(energy.read_by(|| nvml.started()), Ok(EnergyReading::Counted(12_345.678)));
        assert!(nvml.started().is_ok() && STARTS.load(Ordering::Relaxed) == 2, "it is started once");
        let again = energy.read_by(|| panic!("the card was found"));
        assert_eq!(again, Ok(EnergyReading::Counted(12_345.678)));
    }

    #[test]
    fn a_machine_without_the_library_says_so() {
        let missing = Nvml::load("libnvidia-ml-that-is-not-there.so").err();
        let expected = "there is no libnvidia-ml-that-is-not-there.so, which reports the energy of NVIDIA cards";
        assert_eq!(missing.as_deref(), Some(expected));
        // The C library exists and lacks the functions.
        #[cfg(all(unix, target_env = "gnu"))]
        assert!(Nvml::load("libc.so.6").err().is_some_and(|why| why.starts_with("libc.so.6 is too old")));
    }
}
