//! The table of rewrites for each instruction: the same instruction on each half, one that doubles the width of lanes,
//! or a sequence.

use super::{Done, Narrow, compare, convert, float, integer, lanes, mask, memory, pack};
use crate::render::x86::step::Step;
use iced_x86::Code;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A sequence of its own.
pub(super) type Own = for<'n, 'a, 's> fn(&'n mut Narrow<'a>, &'s Step) -> Done;

/// The rewrite of an instruction. `bits` is the width of the lanes that a mask controls.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Another one for each half.
    Lanes { to: Code, bits: u32 },
    /// Another one for each half, from a quarter of a register or from `bytes` bytes of memory.
    Grow { to: Code, bits: u32, bytes: u32 },
    /// A sequence.
    Own(Own),
}

/// The rewrite of an instruction, if there is one.
pub(super) fn form(code: Code) -> Option<Form> {
    static FORMS: LazyLock<BTreeMap<Code, Form>> = LazyLock::new(|| {
        let lanes = LANES.iter().map(|&(code, to, bits)| (code, Form::Lanes { to, bits }));
        let grow = GROW.iter().map(|&(code, to, bits, bytes)| (code, Form::Grow { to, bits, bytes }));
        let own = [
            compare::FORMS,
            convert::FORMS,
            float::FORMS,
            integer::FORMS,
            lanes::FORMS,
            mask::FORMS,
            memory::FORMS,
            pack::FORMS,
        ];
        let own = own.into_iter().flatten().map(|&(code, own)| (code, Form::Own(own)));
        lanes.chain(grow).chain(own).collect()
    });
    FORMS.get(&code).copied()
}

/// The same instruction on each half, with the width of its lanes.
const LANES: &[(Code, Code, u32)] = &[
    (Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, Code::VEX_Vaddps_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er, Code::VEX_Vaddpd_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, Code::VEX_Vsubps_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er, Code::VEX_Vsubpd_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, Code::VEX_Vmulps_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, Code::VEX_Vmulpd_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, Code::VEX_Vdivps_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, Code::VEX_Vdivpd_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, Code::VEX_Vsqrtps_ymm_ymmm256, 32),
    (Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, Code::VEX_Vsqrtpd_ymm_ymmm256, 64),
    // Without a scale, which no step has, the byte means the same.
    (Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, Code::VEX_Vroundps_ymm_ymmm256_imm8, 32),
    (Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae, Code::VEX_Vroundpd_ymm_ymmm256_imm8, 64),
    (Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er, Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, Code::VEX_Vcvtdq2ps_ymm_ymmm256, 32),
    (Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, Code::VEX_Vcvttps2dq_ymm_ymmm256, 32),
    (Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpaddd_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpaddq_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpsubd_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpsubq_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpmulld_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpmuludq_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32, Code::VEX_Vpabsd_ymm_ymmm256, 32),
    (Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpminsd_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpminud_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpmaxud_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpand_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpand_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpandn_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpandn_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpor_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpor_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpxor_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpxor_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, Code::VEX_Vpslld_ymm_ymm_imm8, 32),
    (Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Code::VEX_Vpsrld_ymm_ymm_imm8, 32),
    (Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, Code::VEX_Vpsrad_ymm_ymm_imm8, 32),
    (Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, Code::VEX_Vpsllq_ymm_ymm_imm8, 64),
    (Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, Code::VEX_Vpsrlq_ymm_ymm_imm8, 64),
    (Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpsllvd_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpsllvq_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpsrlvd_ymm_ymm_ymmm256, 32),
    (Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64, Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, 64),
    (Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, Code::VEX_Vpsravd_ymm_ymm_ymmm256, 32),
];

/// An instruction that doubles the width of lanes: its other form, the bits of the lanes it gives, the bytes of memory
/// that half of them are read from.
const GROW: &[(Code, Code, u32, u32)] = &[
    (Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256, Code::VEX_Vpmovsxdq_ymm_xmmm128, 64, 16),
    (Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256, Code::VEX_Vpmovzxdq_ymm_xmmm128, 64, 16),
    (Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er, Code::VEX_Vcvtdq2pd_ymm_xmmm128, 64, 16),
    (Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, Code::VEX_Vcvtps2pd_ymm_xmmm128, 64, 16),
];
