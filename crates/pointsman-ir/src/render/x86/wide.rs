//! Loads and stores of decimals of more than 18 digits: 16 bytes per value, the low word first.
//!
//! In registers, 16 such values are four vectors of 64-bit words: the low words of rows 0–7 and of rows 8–15, then the
//! high words. In memory, the two words of a row are adjacent, so words are deinterleaved after loads and interleaved
//! before stores.

use super::emitter::{CURSOR, Emitter, ROW};
use super::sink::Write;
use super::step::{Memory, Reg, Step};
use iced_x86::{Code, Register};

/// Permutations that deinterleave two vectors: every other word, from the first or the second on.
pub(super) const EVEN: [u64; 8] = [0, 2, 4, 6, 8, 10, 12, 14];
pub(super) const ODD: [u64; 8] = [1, 3, 5, 7, 9, 11, 13, 15];
/// Permutations that interleave two vectors: the words of their lower halves, and of their upper halves.
pub(super) const INTERLEAVE_LOWER: [u64; 8] = [0, 8, 1, 9, 2, 10, 3, 11];
pub(super) const INTERLEAVE_UPPER: [u64; 8] = [4, 12, 5, 13, 6, 14, 7, 15];

/// The index of a row's first word: twice the row number.
const WORD_INDEX: Register = Register::RBX;
/// Even bits.
const EVEN_BITS: u32 = 0x5555_5555;

/// Permutes the words of two vectors.
fn permuted(e: &mut Emitter<'_>, [a, b]: [Reg; 2], order: [u64; 8]) -> Reg {
    let order = e.words(order);
    let dst = e.copy(a);
    e.push(Step::new(Code::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64).change(dst).read(order).read(b));
    dst
}

/// Doubles each bit of the mask in `eax`, so that each row has two bits. Overwrites `ebx`.
fn double_bits(e: &mut Emitter<'_>) {
    let (eax, ebx) = (Register::EAX, Register::EBX);
    e.push(Step::new(Code::Mov_r32_imm32).gpr(ebx).imm32(EVEN_BITS));
    e.push(Step::new(Code::VEX_Pdep_r32_r32_rm32).gpr(eax).gpr(eax).gpr(ebx));
    let thrice = Memory::indexed(Register::RAX, Register::RAX, 2);
    e.push(Step::new(Code::Lea_r64_m).gpr(Register::RAX).mem(thrice));
}

/// In a tail: the masks of the words of the four vectors that belong to its rows.
fn tail_masks(e: &mut Emitter<'_>) -> Option<[Reg; 4]> {
    let tail = e.tail?;
    e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(Register::EAX).read_mask(tail));
    double_bits(e);
    let [first, second] = [e.mask(), e.mask()];
    e.push(Step::new(Code::VEX_Kmovw_kr_r32).def_mask(first).gpr(Register::EAX));
    e.push(Step::new(Code::Shr_rm32_imm8).gpr(Register::EAX).imm(16));
    e.push(Step::new(Code::VEX_Kmovw_kr_r32).def_mask(second).gpr(Register::EAX));
    Some([first, e.mask_of(first, 1), second, e.mask_of(second, 1)])
}

/// The addresses of the four vectors of a step's rows.
fn vector_addresses(e: &mut Emitter<'_>, word: usize) -> [Memory; 4] {
    let base = e.pointer(word);
    e.push(Step::new(Code::Lea_r64_m).gpr(WORD_INDEX).mem(Memory::indexed(ROW, ROW, 1)));
    [0, 64, 128, 192].map(|offset| Memory { offset, ..Memory::indexed(base, WORD_INDEX, 8) })
}

/// Loads 16 rows.
pub(super) fn load(e: &mut Emitter<'_>, word: usize) -> Vec<Reg> {
    let tail = tail_masks(e);
    let mut vectors = Vec::with_capacity(4);
    for (number, memory) in vector_addresses(e, word).into_iter().enumerate() {
        let dst = e.vector();
        let step = Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).def(dst).mem(memory);
        e.push(match tail {
            Some(tail) => step.masked_zeroing(tail[number]),
            None => step,
        });
        vectors.push(dst);
    }
    let (first, second) = ([vectors[0], vectors[1]], [vectors[2], vectors[3]]);
    [(first, EVEN), (second, EVEN), (first, ODD), (second, ODD)].map(|(pair, order)| permuted(e, pair, order)).to_vec()
}

/// Stores 16 rows.
pub(super) fn store(e: &mut Emitter<'_>, parts: &[Reg], word: usize, write: Write) {
    let (first, second) = ([parts[0], parts[2]], [parts[1], parts[3]]);
    let vectors =
        [(first, INTERLEAVE_LOWER), (first, INTERLEAVE_UPPER), (second, INTERLEAVE_LOWER), (second, INTERLEAVE_UPPER)];
    let vectors = vectors.map(|(pair, order)| permuted(e, pair, order));
    let tail = tail_masks(e);
    let streams = write == Write::Streaming;
    let code = if streams { Code::EVEX_Vmovntdq_m512_zmm } else { Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm };
    for (number, memory) in vector_addresses(e, word).into_iter().enumerate() {
        let step = Step::new(code).mem(memory).read(vectors[number]);
        e.push(match tail {
            Some(tail) => step.masked(tail[number]),
            None => step,
        });
    }
}

/// Writes the selected rows at the cursor, as `sink` does for other values.
pub(super) fn compact(e: &mut Emitter<'_>, parts: &[Reg], rows: Reg, word: usize) {
    for part in 0..2 {
        let of_part = e.mask_of(rows, part);
        let packed = [parts[part], parts[part + 2]].map(|value| {
            let dst = e.vector();
            e.push(Step::new(Code::EVEX_Vpcompressq_zmmm512_k1z_zmm).def(dst).read(value).masked_zeroing(of_part));
            dst
        });
        let vectors = [INTERLEAVE_LOWER, INTERLEAVE_UPPER].map(|order| permuted(e, packed, order));
        let written = e.tail.map(|_| first_pairs(e, of_part));
        let base = e.pointer(word);
        if part == 0 {
            e.push(Step::new(Code::Mov_r64_rm64).gpr(WORD_INDEX).gpr(CURSOR));
        } else {
            e.push(Step::new(Code::VEX_Kmovb_r32_kr).gpr(Register::EBX).read_mask(rows));
            e.push(Step::new(Code::Popcnt_r32_rm32).gpr(Register::EBX).gpr(Register::EBX));
            e.push(Step::new(Code::Add_r64_rm64).gpr(WORD_INDEX).gpr(CURSOR));
        }
        e.push(Step::new(Code::Add_r64_rm64).gpr(WORD_INDEX).gpr(WORD_INDEX));
        for (number, &vector) in vectors.iter().enumerate() {
            let memory = Memory { offset: 64 * number as u32, ..Memory::indexed(base, WORD_INDEX, 8) };
            let step = Step::new(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm).mem(memory).read(vector);
            e.push(match written {
                Some(written) => step.masked(written[number]),
                None => step,
            });
        }
    }
}

/// The masks of two vectors that select one pair of words for each row (of 8) in `mask`, from the first word on.
fn first_pairs(e: &mut Emitter<'_>, mask: Reg) -> [Reg; 2] {
    let (eax, ebx) = (Register::EAX, Register::EBX);
    e.push(Step::new(Code::VEX_Kmovb_r32_kr).gpr(eax).read_mask(mask));
    e.push(Step::new(Code::Popcnt_r32_rm32).gpr(eax).gpr(eax));
    e.push(Step::new(Code::Add_r32_rm32).gpr(eax).gpr(eax));
    e.push(Step::new(Code::Mov_r32_imm32).gpr(ebx).imm32(u32::MAX));
    e.push(Step::new(Code::VEX_Bzhi_r32_rm32_r32).gpr(ebx).gpr(ebx).gpr(eax));
    let first = e.mask();
    e.push(Step::new(Code::VEX_Kmovw_kr_r32).def_mask(first).gpr(ebx));
    [first, e.mask_of(first, 1)]
}
