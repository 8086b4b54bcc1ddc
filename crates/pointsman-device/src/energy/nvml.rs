//! What NVIDIA cards draw, from NVIDIA's management library (NVML): in goes a card's place on the bus, out come joules.
//!
//! The library comes with the driver and is looked for when a card is first asked. Cards that count no joules
//! (those before Volta) tell the watts of the moment.

use super::EnergyReading;
use crate::{DeviceError, DeviceResult};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

/// The library's name on this system.
const LIBRARY: &str = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };

/// The library's codes: all is well, and what a card does not tell.
const SUCCESS: c_int = 0;
const NOT_SUPPORTED: c_int = 3;

/// The library's handle of a card.
type Handle = *mut c_void;

type Init = unsafe extern "C" fn() -> c_int;
type HandleByBus = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
type TotalEnergy = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int;
type PowerUsage = unsafe extern "C" fn(Handle, *mut c_uint) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// The functions that are called.
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

/// The library, initialized.
struct Nvml {
    functions: Functions,
    /// Keeps the functions there; `None` for those of tests.
    _library: Option<Library>,
}

impl Nvml {
    /// The library of this process, which is never closed, or why there is none.
    fn get() -> Result<&'static Nvml, String> {
        static NVML: OnceLock<Result<Nvml, String>> = OnceLock::new();
        NVML.get_or_init(|| Nvml::open(LIBRARY)).as_ref().map_err(String::clone)
    }

    fn open(name: &str) -> Result<Nvml, String> {
        // SAFETY: opening the library runs its start-up code, which is NVIDIA's and has no preconditions.
        let library = unsafe { Library::new(name) };
        let library = library.map_err(|_| format!("there is no {name}, which tells what NVIDIA cards draw"))?;
        let functions = Functions::of(&library).map_err(|error| format!("{name} is too old: {error}"))?;
        Nvml::start(functions, Some(library))
    }

    fn start(functions: Functions, library: Option<Library>) -> Result<Nvml, String> {
        let nvml = Nvml { functions, _library: library };
        // SAFETY: it may be called at any time, and more than once.
        let code = unsafe { (functions.init)() };
        if code == SUCCESS { Ok(nvml) } else { Err(nvml.told(code, "starting it")) }
    }

    /// What a code means, in the library's words.
    fn told(&self, code: c_int, doing: &str) -> String {
        // SAFETY: every number is taken, and the text is a constant of the library's.
        let text = unsafe { (self.functions.error_string)(code) };
        if text.is_null() {
            return format!("NVML failed at {doing}: code {code}");
        }
        // SAFETY: it is not null, and ends with a zero as the library's texts do.
        let text = unsafe { CStr::from_ptr(text) };
        format!("NVML failed at {doing}: {}", text.to_string_lossy())
    }

    fn card(&'static self, bus: &str) -> Result<Card, String> {
        let bus = CString::new(bus).map_err(|_| "a place on the bus with a zero byte".to_string())?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the library was started, the text ends with a zero, and there is a place to write to.
        let code = unsafe { (self.functions.handle_by_bus)(bus.as_ptr(), &mut handle) };
        if code == SUCCESS { Ok(Card { nvml: self, handle }) } else { Err(self.told(code, "finding a card")) }
    }
}

impl Functions {
    fn of(library: &Library) -> Result<Functions, libloading::Error> {
        // SAFETY: `nvml.h` declares the function so.
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
struct Card {
    nvml: &'static Nvml,
    handle: Handle,
}

// SAFETY: the library may be called from any thread, and from several at once; handles are its own, and never end.
unsafe impl Send for Card {}
// SAFETY: as above.
unsafe impl Sync for Card {}

impl Card {
    fn read(&self) -> Result<EnergyReading, String> {
        let Functions { total_energy, power_usage, .. } = self.nvml.functions;
        let mut millijoules = 0;
        // SAFETY: the handle is the library's, and there is a place to write to.
        let code = unsafe { total_energy(self.handle, &mut millijoules) };
        match code {
            SUCCESS => return Ok(EnergyReading::Counted(millijoules as f64 / 1e3)),
            NOT_SUPPORTED => {}
            _ => return Err(self.nvml.told(code, "asking what a card drew")),
        }
        let mut milliwatts = 0;
        // SAFETY: as above.
        let code = unsafe { power_usage(self.handle, &mut milliwatts) };
        match code {
            SUCCESS => Ok(EnergyReading::Drawn(f64::from(milliwatts) / 1e3)),
            NOT_SUPPORTED => Err("the card does not tell what it draws".to_string()),
            _ => Err(self.nvml.told(code, "asking what a card draws")),
        }
    }
}

/// A card's energy; the card is looked for when that is first read.
pub(crate) struct CardEnergy {
    /// Its place on the bus (`0000:01:00.0`), or why it has none there.
    bus: Result<String, String>,
    card: OnceLock<Result<Card, String>>,
}

impl CardEnergy {
    /// That of the card at this place.
    pub(crate) fn at(bus: Result<String, String>) -> CardEnergy {
        CardEnergy { bus, card: OnceLock::new() }
    }

    /// What it drew.
    pub(crate) fn read(&self) -> DeviceResult<EnergyReading> {
        let find = || self.bus.as_ref().map_err(String::clone).and_then(|bus| Nvml::get()?.card(bus));
        let card = self.card.get_or_init(find).as_ref();
        card.map_err(String::clone).and_then(Card::read).map_err(DeviceError::unsupported)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn starts() -> c_int {
        SUCCESS
    }

    extern "C" fn does_not_start() -> c_int {
        9
    }

    /// Knows the card `0000:01:00.0`.
    unsafe extern "C" fn finds(bus: *const c_char, handle: *mut Handle) -> c_int {
        // SAFETY: the text that `card` hands over ends with a zero.
        if unsafe { CStr::from_ptr(bus) } != c"0000:01:00.0" {
            return 6;
        }
        // SAFETY: `card` hands over a place to write to.
        unsafe { handle.write(std::ptr::without_provenance_mut(7)) };
        SUCCESS
    }

    unsafe extern "C" fn counts(handle: Handle, millijoules: *mut c_ulonglong) -> c_int {
        assert_eq!(handle.addr(), 7);
        // SAFETY: `read` hands over a place to write to.
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
        // SAFETY: `read` hands over a place to write to.
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

    fn read(functions: Functions, bus: &str) -> Result<EnergyReading, String> {
        let nvml: &'static Nvml = Box::leak(Box::new(Nvml::start(functions, None)?));
        nvml.card(bus)?.read()
    }

    const BUS: &str = "0000:01:00.0";

    #[test]
    fn joules_are_read_or_else_watts() {
        assert_eq!(read(FUNCTIONS, BUS), Ok(EnergyReading::Counted(12_345.678)));
        let without = Functions { total_energy: counts_nothing, ..FUNCTIONS };
        assert_eq!(read(without, BUS), Ok(EnergyReading::Drawn(71.5)));
    }

    #[test]
    fn what_is_not_told_has_a_reason() {
        let refused = |functions: Functions, bus: &str| read(functions, bus).expect_err("there is nothing to read");
        let silent = Functions { total_energy: counts_nothing, power_usage: tells_nothing, ..FUNCTIONS };
        assert_eq!(refused(silent, BUS), "the card does not tell what it draws");
        assert_eq!(refused(FUNCTIONS, "0000:02:00.0"), "NVML failed at finding a card: Not Found");
        let asleep = Functions { init: does_not_start, ..FUNCTIONS };
        assert_eq!(refused(asleep, BUS), "NVML failed at starting it: Driver Not Loaded");
        let lost = Functions { total_energy: is_lost, ..FUNCTIONS };
        assert_eq!(refused(lost, BUS), "NVML failed at asking what a card drew: code 15");
        assert!(refused(FUNCTIONS, "0000\0").contains("zero byte"));
    }

    #[test]
    fn a_machine_without_the_library_says_so() {
        let missing = Nvml::open("libnvidia-ml-that-is-not-there.so").err();
        let expected = "there is no libnvidia-ml-that-is-not-there.so, which tells what NVIDIA cards draw";
        assert_eq!(missing.as_deref(), Some(expected));
        // The C library is there, and is another one.
        #[cfg(all(unix, target_env = "gnu"))]
        assert!(Nvml::open("libc.so.6").err().is_some_and(|why| why.starts_with("libc.so.6 is too old")));
    }
}
