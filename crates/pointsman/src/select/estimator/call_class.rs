//! [`CallClass`]: library calls whose operations take about as long on a device, and a guess of how long. The rates are
//! curves over the operations of a call ([`Profile::calls`](super::Profile::calls)), because small calls occupy a part
//! of a device only. Measured by `calibration/calls.rs`.

use super::profile::Curve;
use pointsman_device::DeviceKind;
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::Method;
use std::fmt;

/// The number of [`CallClass`]es.
pub const CALL_CLASSES: usize = 4;

/// The bytes of the values whose transforms and convolutions count as they are. Those of larger values take longer in
/// proportion: memory and vectors hold fewer of them.
const COUNTED_BYTES: f64 = 4.0;

/// A class of library calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallClass {
    /// Matrix products of `f32`.
    MatmulF32,
    /// Matrix products of `f64`.
    MatmulF64,
    /// Fourier transforms, and convolutions by transforms.
    Fft,
    /// Convolutions by their sums.
    Convolve,
}

impl CallClass {
    /// All classes, in the order of their numbers.
    pub const ALL: [CallClass; CALL_CLASSES] =
        [CallClass::MatmulF32, CallClass::MatmulF64, CallClass::Fft, CallClass::Convolve];

    /// The class of a call over values of so many bytes, and the operations of a chunk. Operations of transforms and
    /// convolutions over `f64` count twice.
    pub(crate) fn of(call: &Call, value_bytes: f64) -> (CallClass, f64) {
        let scaled = call.operations() * value_bytes / COUNTED_BYTES;
        match call {
            Call::Matmul(_) if value_bytes <= COUNTED_BYTES => (CallClass::MatmulF32, call.operations()),
            Call::Matmul(_) => (CallClass::MatmulF64, call.operations()),
            Call::Fft(_) => (CallClass::Fft, scaled),
            Call::Convolve(sum) => match sum.method {
                Method::Sum => (CallClass::Convolve, scaled),
                Method::Transform => (CallClass::Fft, scaled),
            },
        }
    }

    /// Operations per second of a unit of a device: a core with vectors of 512 bits, a multiprocessor of a data-centre
    /// card with the vendor's libraries, one of another card with our kernels.
    fn guessed_rate(self, kind: DeviceKind) -> f64 {
        let rates = match kind {
            DeviceKind::Cpu => [100e9, 50e9, 13e9, 30e9],
            DeviceKind::Cuda => [380e9, 450e9, 55e9, 60e9],
            DeviceKind::Vulkan | DeviceKind::Metal | DeviceKind::Dx12 | DeviceKind::Sim => [100e9, 10e9, 25e9, 40e9],
        };
        rates[self as usize]
    }

    /// The curves of a device of this kind until it is measured. A call of `small` nanoseconds on a part of the device,
    /// one in `parts`, takes as long on all of it.
    pub(super) fn guess(kind: DeviceKind, units: f64, small: f64, parts: f64) -> [Curve; CALL_CLASSES] {
        CallClass::ALL.map(|class| {
            let per_nanosecond = class.guessed_rate(kind) * units / 1e9;
            let operations = small * per_nanosecond;
            Curve::new([(operations / parts, parts / per_nanosecond), (operations, 1.0 / per_nanosecond)])
        })
    }
}

impl fmt::Display for CallClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CallClass::MatmulF32 => "f32 matrix products",
            CallClass::MatmulF64 => "f64 matrix products",
            CallClass::Fft => "Fourier transforms",
            CallClass::Convolve => "convolutions",
        })
    }
}
