//! Machine code as a listing: in goes code, out come its constants and one instruction a line, with labels instead of

//! addresses, so that an instruction more does not change the lines behind it.

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, OpKind};
use pointsman_ir::render::x86::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The listing of a kernel's code.
pub(super) fn listing(code: &Code) -> String {
    let instructions: Vec<Instruction> = Decoder::new(64, &code.bytes, DecoderOptions::NONE).into_iter().collect();
    let targets: BTreeSet<u64> = instructions.iter().filter(|one| jumps(one)).map(|one| one.near_branch64()).collect();
    let labels: BTreeMap<u64, usize> = targets.into_iter().zip(1..).collect();
    let mut formatter = IntelFormatter::new();
    let mut out = format!("; scratch memory: {} bytes, starting with\n", code.scratch_bytes);
    for equal in code.constants.chunk_by(|a, b| a == b) {
        writeln!(out, "  times {} dq 0x{:016x}", equal.len(), equal[0]).unwrap();
    }
    for one in &instructions {
        assert!(!one.is_invalid(), "no instruction at {}", one.ip());
        if let Some(label) = labels.get(&one.ip()) {
            writeln!(out, "L{label}:").unwrap();
        }
        let mut text = String::new();
        if jumps(one) {
            formatter.format_mnemonic(one, &mut text);
            write!(text, " L{}", labels[&one.near_branch64()]).unwrap();
        } else {
            assert!(!one.is_ip_rel_memory_operand(), "code holds no address");
            formatter.format(one, &mut text);
        }
        writeln!(out, "  {text}").unwrap();
    }
    out
}

/// Whether an instruction names another one.
fn jumps(instruction: &Instruction) -> bool {
    instruction.op0_kind() == OpKind::NearBranch64
}
