//! Instruction sets: which one this processor has, and how one loop is compiled for each of them.
//!
//! A [`Level`] is an instruction set that the processor has: only [`Level::new`] makes one, and it asks the processor.
//! So code for an instruction set never runs on a processor without it.

use pointsman_ir::render::x86::Target;

/// An instruction set that the element loops are compiled for. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// The instructions that every processor of this architecture has.
    Baseline,
    /// AVX2 with FMA and the bit instructions: 32-byte vectors.
    Avx2,
    /// AVX-512 (F, BW, CD, DQ, VL): 64-byte vectors and masks.
    Avx512,
}

impl Isa {
    /// The best instruction set of this processor.
    #[cfg(target_arch = "x86_64")]
    pub fn detect() -> Isa {
        use std::arch::is_x86_feature_detected as has;
        let bits = has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
        let avx2 = bits && has!("avx2") && has!("fma");
        let wide = has!("avx512f") && has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
        match (avx2, wide) {
            (true, true) => Isa::Avx512,
            (true, false) => Isa::Avx2,
            (false, _) => Isa::Baseline,
        }
    }

    /// The best instruction set of this processor.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Isa {
        Isa::Baseline
    }

    /// The name of the instruction set.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Baseline => "baseline",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }
}

/// An instruction set that this processor is known to have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level(Isa);

impl Level {
    /// The requested instruction set, or the best one below it that this processor has.
    pub(super) fn new(wanted: Option<Isa>) -> Level {
        let best = Isa::detect();
        Level(wanted.map_or(best, |wanted| wanted.min(best)))
    }

    /// The instruction set.
    pub(super) fn isa(self) -> Isa {
        self.0
    }

    /// The code generator's target; `None` if there is no code generator for this instruction set.
    pub(super) fn target(self) -> Option<Target> {
        match self.0 {
            Isa::Baseline => None,
            Isa::Avx2 => Some(Target::Avx2),
            Isa::Avx512 => Some(Target::Avx512),
        }
    }
}

/// Runs an expression of type `()` compiled for a [`Level`]; the functions that it calls must be inlined.
macro_rules! at_level {
    ($level:expr, $body:expr) => {
        match $level.isa() {
            $crate::cpu::isa::Isa::Baseline => $body,
            // SAFETY: a `Level` of AVX2 exists only on a processor that has it; `Level::new` guarantees that.
            $crate::cpu::isa::Isa::Avx2 => unsafe { $crate::cpu::isa::avx2(|| $body) },
            // SAFETY: a `Level` of AVX-512 exists only on a processor that has it; `Level::new` guarantees that.
            $crate::cpu::isa::Isa::Avx512 => unsafe { $crate::cpu::isa::avx512(|| $body) },
        }
    };
}

pub(super) use at_level;

/// Calls `f` compiled for AVX2; `f` must be small enough to be inlined.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub(super) fn avx2<F: FnOnce()>(f: F) {
    f();
}

/// Calls `f` compiled for AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[inline]
pub(super) fn avx512<F: FnOnce()>(f: F) {
    f();
}

/// Calls `f`: there is no AVX2 here, and no [`Level`] that asks for it.
///
/// # Safety
/// None is needed; the signature is that of other architectures.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn avx2<F: FnOnce()>(f: F) {
    f();
}

/// Calls `f`: there is no AVX-512 here, and no [`Level`] that asks for it.
///
/// # Safety
/// None is needed; the signature is that of other architectures.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn avx512<F: FnOnce()>(f: F) {
    f();
}
