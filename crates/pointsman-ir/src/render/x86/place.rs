//! Assembles instructions with labels into bytes. Loops over rows start at a cache line, so that the processor fetches
//! them in the fewest pieces.

use super::NotEmitted;
use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, Instruction, InstructionBlock};

/// A line of the cache.
const LINE_BYTES: u32 = 64;

/// Nothing, in one to nine bytes.
const NOTHING: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

/// How often padding is tried: it makes jumps longer, which moves later code.
const TRIES: usize = 4;

/// The bytes of these instructions; `heads` are the labels of the loops over rows.
pub(super) fn encode(instructions: &[Instruction], heads: &[u64]) -> Result<Vec<u8>, NotEmitted> {
    let instructions = join_labels(instructions);
    let mut paddings = vec![0; heads.len()];
    let mut bytes = Vec::new();
    for _ in 0..TRIES {
        let padded = pad(&instructions, heads, &paddings)?;
        let block = InstructionBlock::new(&padded, 0);
        let encoded = BlockEncoder::encode(64, block, BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS);
        let encoded = encoded.map_err(|error| NotEmitted::new(format!("an instruction has no encoding: {error}")))?;
        bytes = encoded.code_buffer;
        let offsets = padded.iter().zip(&encoded.new_instruction_offsets).filter(|(one, _)| one.ip() != 0);
        let mut is_placed = true;
        for (one, &offset) in offsets {
            if let Some(head) = heads.iter().position(|&head| head == one.ip()) {
                is_placed &= offset.is_multiple_of(LINE_BYTES);
                paddings[head] = (paddings[head] + LINE_BYTES - offset % LINE_BYTES) % LINE_BYTES;
            }
        }
        if is_placed {
            break;
        }
    }
    Ok(bytes)
}

/// The instructions with padding before each head, of as many bytes as `paddings` says.
fn pad(instructions: &[Instruction], heads: &[u64], paddings: &[u32]) -> Result<Vec<Instruction>, NotEmitted> {
    let mut padded = Vec::with_capacity(instructions.len() + 8 * heads.len());
    for instruction in instructions {
        if let Some(head) = heads.iter().position(|&head| head == instruction.ip()) {
            fill(paddings[head] as usize, &mut padded)?;
        }
        padded.push(*instruction);
    }
    Ok(padded)
}

/// Moves every label to the instruction after it, if that has none of its own.
fn join_labels(instructions: &[Instruction]) -> Vec<Instruction> {
    let mut joined: Vec<Instruction> = Vec::with_capacity(instructions.len());
    for instruction in instructions {
        match joined.last_mut() {
            Some(last) if last.code() == Code::Nopd && last.ip() != 0 && instruction.ip() == 0 => {
                let label = last.ip();
                *last = *instruction;
                last.set_ip(label);
            }
            Some(_) | None => joined.push(*instruction),
        }
    }
    joined
}

/// Appends this many bytes of nothing.
fn fill(mut bytes: usize, out: &mut Vec<Instruction>) -> Result<(), NotEmitted> {
    while bytes > 0 {
        let nothing = NOTHING[bytes.min(NOTHING.len()) - 1];
        out.push(Instruction::with_declare_byte(nothing).map_err(|error| NotEmitted::new(error.to_string()))?);
        bytes -= nothing.len();
    }
    Ok(())
}
