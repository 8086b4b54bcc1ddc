//! The words that code is built from: fresh registers, constants, pointers, blends, mask algebra.
//!
//! Values of 32-bit lanes are one register, of 64-bit lanes two (rows 0–7 and 8–15), of 128 bits four (low words, then
//! high ones); masks always cover 16 rows.

use super::countdown::{self, Countdown};
use super::layout::{Layout, Source};
use super::narrow::for_target;
use super::scalar;
use super::step::{Body, Class, Fill, Home, Memory, Reg, RegInfo, Step};
use super::{NotEmitted, Target};
use crate::types::Repr;
use iced_x86::{Code, Register};
use std::collections::BTreeMap;

/// The argument block.
pub(super) const BLOCK: Register = Register::RDI;
/// The row in the call.
pub(super) const ROW: Register = Register::RSI;
/// The row divided by 8: the byte in a bitmap.
pub(super) const BYTE: Register = Register::RDX;
/// The number of rows of the call.
pub(super) const ROWS: Register = Register::RCX;
/// The scratch memory.
pub(super) const SCRATCH: Register = Register::RBP;
/// The row in the output of `Compact`; the first lane of the pass in `Reduce`.
pub(super) const CURSOR: Register = Register::R15;
/// Holds a pointer that has no register of its own, until the next one.
const POINTER: Register = Register::R14;
/// Registers for the pointers that come first.
pub(super) const POINTERS: [Register; 6] =
    [Register::R8, Register::R9, Register::R10, Register::R11, Register::R12, Register::R13];

/// How lanes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// A representation in lanes. Integers below 32 bits fill lanes of 32, extended by their sign (or by zeros).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) kind: Kind,
    pub(super) bits: u32,
}

impl Lane {
    /// The lanes of a representation; `None` for truth values and 128-bit integers.
    pub(super) fn of(repr: Repr) -> Option<Lane> {
        let lane = |kind, bits| Some(Lane { kind, bits });
        match repr {
            Repr::I8 => lane(Kind::Signed, 8),
            Repr::I16 => lane(Kind::Signed, 16),
            Repr::I32 => lane(Kind::Signed, 32),
            Repr::I64 => lane(Kind::Signed, 64),
            Repr::U8 => lane(Kind::Unsigned, 8),
            Repr::U16 => lane(Kind::Unsigned, 16),
            Repr::U32 => lane(Kind::Unsigned, 32),
            Repr::U64 => lane(Kind::Unsigned, 64),
            Repr::F32 => lane(Kind::Float, 32),
            Repr::F64 => lane(Kind::Float, 64),
            Repr::Bool | Repr::I128 => None,
        }
    }

    /// As [`Lane::of`], for a value that only moves: integers of 128 bits as four vectors of words (see `wide`).
    pub(super) fn moved(repr: Repr) -> Option<Lane> {
        if repr == Repr::I128 { Some(Lane { kind: Kind::Signed, bits: 128 }) } else { Lane::of(repr) }
    }

    /// Whether the lanes are of 64 bits.
    pub(super) fn wide(self) -> bool {
        self.bits >= 64
    }

    /// Whether two lanes make a value.
    pub(super) fn paired(self) -> bool {
        self.bits == 128
    }

    /// The number of vectors of a value.
    pub(super) fn parts(self) -> usize {
        match self.bits {
            128 => 4,
            64 => 2,
            _ => 1,
        }
    }

    /// One of two instructions, by the width of the lanes.
    pub(super) fn pick(self, narrow: Code, wide: Code) -> Code {
        if self.wide() { wide } else { narrow }
    }

    /// Eight bytes of lanes that all hold an integer; its low bits.
    fn word(self, value: i128) -> u64 {
        let bits = value as u64;
        if self.wide() { bits } else { u64::from(bits as u32) << 32 | u64::from(bits as u32) }
    }

    /// The least and the greatest integer of the representation.
    pub(super) fn range(self) -> (i128, i128) {
        match self.kind {
            Kind::Unsigned => (0, (1i128 << self.bits) - 1),
            Kind::Signed | Kind::Float => (-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1),
        }
    }
}

/// The state that all bodies of a kernel share.
pub(super) struct Shared {
    pub(super) target: Target,
    pub(super) layout: Layout,
    pub(super) constants: Vec<u64>,
    known: BTreeMap<Vec<u64>, u32>,
    /// The words whose pointers have registers, in the order of [`POINTERS`].
    pub(super) pointers: Vec<usize>,
    labels: u64,
    /// The code that asks whether to go on.
    pub(super) countdown: Countdown,
    states: BTreeMap<(u32, u32), u32>,
    /// The tables that look-ups read.
    pub(super) sources: Vec<Source>,
}

impl Shared {
    pub(super) fn new(target: Target, layout: Layout, pointers: Vec<usize>, sources: Vec<Source>) -> Shared {
        Shared {
            target,
            layout,
            constants: Vec::new(),
            known: BTreeMap::new(),
            pointers,
            // Two are taken.
            labels: 2,
            countdown: Countdown::new(1, 2),
            states: BTreeMap::new(),
            sources,
        }
    }

    /// A new place to jump to.
    pub(super) fn label(&mut self) -> u64 {
        self.labels += 1;
        self.labels
    }

    /// The offset of memory that a few steps use on their way: three areas.
    pub(super) fn staging(&mut self) -> u32 {
        self.state((u32::MAX, 0), 3 * scalar::AREA)
    }

    /// The offset of memory of its own for something; the same one for the same name.
    pub(super) fn state(&mut self, name: (u32, u32), bytes: u32) -> u32 {
        let start = 8 * self.constants.len() as u32;
        let offset = *self.states.entry(name).or_insert(start);
        if offset == start {
            self.constants.resize(self.constants.len() + bytes as usize / 8, 0);
        }
        offset
    }

    /// The offset of constant words in the scratch memory.
    pub(super) fn constant(&mut self, words: &[u64]) -> u32 {
        if let Some(&offset) = self.known.get(words) {
            return offset;
        }
        let offset = 8 * self.constants.len() as u32;
        self.constants.extend_from_slice(words);
        self.known.insert(words.to_vec(), offset);
        offset
    }
}

/// One body of a kernel: the steps of 16 rows.
pub(super) struct Emitter<'a> {
    pub(super) shared: &'a mut Shared,
    pub(super) steps: Vec<Step>,
    pub(super) regs: Vec<RegInfo>,
    /// The rows of the last, partial step; `None` in a full one.
    pub(super) tail: Option<Reg>,
    /// Steps that run again: loops, inner ones first.
    pub(super) regions: Vec<(usize, usize)>,
    /// The cost of the iterations of loops that do not count down, beyond their steps.
    pub(super) repeated_cost: u64,
    homes: BTreeMap<(bool, u32, bool, Fill), Reg>,
    /// The upper halves of masks that were shifted down.
    pub(super) upper: UpperHalves,
}

/// The upper halves of masks that were shifted down, and the order in which they came.
#[derive(Default)]
pub(super) struct UpperHalves {
    known: BTreeMap<Reg, Reg>,
    log: Vec<Reg>,
}

impl UpperHalves {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.log.len()
    }

    /// Forgets all but the first `len`.
    pub(super) fn forget_since(&mut self, len: usize) {
        for mask in self.log.drain(len..) {
            self.known.remove(&mask);
        }
    }
}

impl<'a> Emitter<'a> {
    pub(super) fn new(shared: &'a mut Shared) -> Emitter<'a> {
        Emitter {
            shared,
            steps: Vec::new(),
            regs: Vec::new(),
            tail: None,
            regions: Vec::new(),
            repeated_cost: 0,
            homes: BTreeMap::new(),
            upper: UpperHalves::default(),
        }
    }

    /// The body that was emitted, in the steps of the target; `tail` says that rows after the last one may lie outside
    /// of memory.
    pub(super) fn into_body(self, tail: bool) -> Result<Body, NotEmitted> {
        let cost = countdown::cost(&self.steps, self.shared.target).saturating_add(self.repeated_cost);
        let body = Body { steps: self.steps, regs: self.regs, regions: self.regions, cost };
        for_target(body, self.shared, tail)
    }

    /// Appends a step.
    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn fresh(&mut self, class: Class, home: Option<Home>) -> Reg {
        self.regs.push(RegInfo { class, home });
        Reg(self.regs.len() as u32 - 1)
    }

    /// A vector that is not written yet.
    pub(super) fn vector(&mut self) -> Reg {
        self.fresh(Class::Vector, None)
    }

    /// A mask that is not written yet.
    pub(super) fn mask(&mut self) -> Reg {
        self.fresh(Class::Mask, None)
    }

    fn at_home(&mut self, class: Class, home: Home) -> Reg {
        let key = (class == Class::Mask, home.offset, home.base == BLOCK, home.fill);
        if let Some(&reg) = self.homes.get(&key) {
            return reg;
        }
        let reg = self.fresh(class, Some(home));
        self.homes.insert(key, reg);
        reg
    }

    /// Eight bytes in every pair of lanes.
    pub(super) fn word(&mut self, bits: u64) -> Reg {
        let offset = self.shared.constant(&[bits]);
        self.at_home(Class::Vector, Home { base: SCRATCH, offset, fill: Fill::Broadcast8 })
    }

    /// A whole vector.
    pub(super) fn words(&mut self, words: [u64; 8]) -> Reg {
        let offset = self.shared.constant(&words);
        self.at_home(Class::Vector, Home { base: SCRATCH, offset, fill: Fill::Whole })
    }

    /// A mask that never changes.
    pub(super) fn fixed_mask(&mut self, bits: u16) -> Reg {
        let offset = self.shared.constant(&[bits.into()]);
        self.at_home(Class::Mask, Home { base: SCRATCH, offset, fill: Fill::Broadcast8 })
    }

    /// A parameter's lanes, or its mask.
    pub(super) fn block_word(&mut self, class: Class, word: usize) -> Reg {
        self.at_home(class, Home { base: BLOCK, offset: 8 * word as u32, fill: Fill::Broadcast8 })
    }

    /// An integer in every lane; its low bits.
    pub(super) fn int(&mut self, lane: Lane, value: i128) -> Reg {
        self.word(lane.word(value))
    }

    /// As [`Emitter::int`], but loaded here, into a vector that steps may change: it takes no register elsewhere.
    pub(super) fn int_here(&mut self, lane: Lane, value: i128) -> Reg {
        let offset = self.shared.constant(&[lane.word(value)]);
        let dst = self.vector();
        let step = Step::new(Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64);
        self.push(step.def(dst).mem(Memory::at(SCRATCH, offset)));
        dst
    }

    /// A float in every lane; exact where the lane holds it.
    pub(super) fn float(&mut self, lane: Lane, value: f64) -> Reg {
        let bits = if lane.wide() { value.to_bits().into() } else { i128::from((value as f32).to_bits()) };
        self.int(lane, bits)
    }

    /// The register that holds a pointer of the block, valid until the next call.
    pub(super) fn pointer(&mut self, word: usize) -> Register {
        if let Some(position) = self.shared.pointers.iter().position(|&known| known == word) {
            return POINTERS[position];
        }
        self.push(Step::new(Code::Mov_r64_rm64).gpr(POINTER).mem(Memory::at(BLOCK, 8 * word as u32)));
        POINTER
    }

    /// `f` of one vector.
    pub(super) fn op1(&mut self, code: Code, a: Reg) -> Reg {
        let dst = self.vector();
        self.push(Step::new(code).def(dst).read(a));
        dst
    }

    /// `f` of one vector and a byte.
    pub(super) fn op1_imm(&mut self, code: Code, a: Reg, imm: u8) -> Reg {
        let dst = self.vector();
        self.push(Step::new(code).def(dst).read(a).imm(imm));
        dst
    }

    /// `f` of two vectors.
    pub(super) fn op2(&mut self, code: Code, a: Reg, b: Reg) -> Reg {
        let dst = self.vector();
        self.push(Step::new(code).def(dst).read(a).read(b));
        dst
    }

    /// `f` of two vectors and a byte.
    pub(super) fn op2_imm(&mut self, code: Code, a: Reg, b: Reg, imm: u8) -> Reg {
        let dst = self.vector();
        self.push(Step::new(code).def(dst).read(a).read(b).imm(imm));
        dst
    }

    /// A copy that steps may change.
    pub(super) fn copy(&mut self, a: Reg) -> Reg {
        self.op1(Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512, a)
    }

    /// `yes` where the mask of this part holds, else `no`.
    pub(super) fn blend(&mut self, lane: Lane, part: usize, mask: Reg, yes: Reg, no: Reg) -> Reg {
        let mask = self.mask_of(mask, part);
        let dst = self.vector();
        let code = match lane.kind {
            Kind::Float => {
                lane.pick(Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64)
            }
            Kind::Signed | Kind::Unsigned => {
                lane.pick(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64)
            }
        };
        self.push(Step::new(code).def(dst).read(no).read(yes).masked(mask));
        dst
    }

    /// The value where the mask of this part holds, else 0.
    pub(super) fn keep(&mut self, lane: Lane, part: usize, mask: Reg, a: Reg) -> Reg {
        let mask = self.mask_of(mask, part);
        let dst = self.vector();
        let code = lane.pick(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512);
        self.push(Step::new(code).def(dst).read(a).masked_zeroing(mask));
        dst
    }

    /// The mask as it applies to one vector of a value: every second vector takes the upper 8 rows.
    pub(super) fn mask_of(&mut self, mask: Reg, part: usize) -> Reg {
        if part.is_multiple_of(2) {
            return mask;
        }
        if let Some(&upper) = self.upper.known.get(&mask) {
            return upper;
        }
        let upper = self.mask();
        self.push(Step::new(Code::VEX_Kshiftrw_kr_kr_imm8).def_mask(upper).read_mask(mask).imm(8));
        self.upper.known.insert(mask, upper);
        self.upper.log.push(mask);
        upper
    }

    /// One mask of 16 rows from those of a value's vectors.
    pub(super) fn whole_mask(&mut self, parts: &[Reg]) -> Reg {
        match *parts {
            [low, high] => self.mask2(Code::VEX_Kunpckbw_kr_kr_kr, high, low),
            [one, ..] => one,
            [] => self.fixed_mask(0),
        }
    }

    /// `f` of two masks.
    pub(super) fn mask2(&mut self, code: Code, a: Reg, b: Reg) -> Reg {
        let dst = self.mask();
        self.push(Step::new(code).def_mask(dst).read_mask(a).read_mask(b));
        dst
    }

    /// Both.
    pub(super) fn and(&mut self, a: Reg, b: Reg) -> Reg {
        if a == b { a } else { self.mask2(Code::VEX_Kandw_kr_kr_kr, a, b) }
    }

    /// Either.
    pub(super) fn or(&mut self, a: Reg, b: Reg) -> Reg {
        if a == b { a } else { self.mask2(Code::VEX_Korw_kr_kr_kr, a, b) }
    }

    /// `b` without `a`.
    pub(super) fn without(&mut self, b: Reg, a: Reg) -> Reg {
        self.mask2(Code::VEX_Kandnw_kr_kr_kr, a, b)
    }

    /// The rows that are not in the mask.
    pub(super) fn not(&mut self, a: Reg) -> Reg {
        let dst = self.mask();
        self.push(Step::new(Code::VEX_Knotw_kr_kr).def_mask(dst).read_mask(a));
        dst
    }

    /// Both, where none means all rows.
    pub(super) fn both(&mut self, a: Option<Reg>, b: Option<Reg>) -> Option<Reg> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.and(a, b)),
            (a, b) => a.or(b),
        }
    }
}
