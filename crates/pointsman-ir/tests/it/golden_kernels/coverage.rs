//! The golden kernels hold everything that devices run: on each target every operation and sink, and the types it has.

use super::render::Target;
use super::{kernels, listed};
use pointsman_ir::body::Inst;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Repr};
use std::collections::BTreeSet;

/// The sinks that devices run.
const SINKS: [&str; 4] = ["compact", "reduce", "scan", "store"];

/// The kernels that a target renders.
fn kernels_of(target: Target) -> Vec<Kernel> {
    let listed = listed();
    let takes = |name: &String| listed.get(name).is_some_and(|targets| targets.contains(&target));
    kernels().into_iter().filter(|(name, _)| takes(name)).map(|(_, kernel)| kernel).collect()
}

/// The name of a type, without its numbers.
fn class(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U8 => "u8",
        DType::U16 => "u16",
        DType::U32 => "u32",
        DType::U64 => "u64",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::Date32 => "date32",
        DType::Timestamp => "timestamp",
        DType::Decimal { .. } if dtype.repr() == Repr::I128 => "wide decimal",
        DType::Decimal { .. } => "decimal",
        DType::Dict(_) => "dict",
        DType::Opaque => "opaque",
    }
}

/// The types of which a target renders no column.
const fn missing_types(target: Target) -> &'static [&'static str] {
    match target {
        Target::Cuda | Target::X86 => &[],
        Target::Wgsl => &["wide decimal"],
        Target::Msl => &["f64", "wide decimal"],
    }
}

const TYPES: [&str; 17] = [
    "bool",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f32",
    "f64",
    "date32",
    "timestamp",
    "decimal",
    "wide decimal",
    "dict",
    "opaque",
];

#[test]
fn every_target_renders_every_operation() {
    for target in Target::ALL {
        let kernels = kernels_of(target);
        let calls = kernels.iter().flat_map(|kernel| kernel.body.iter()).filter_map(|(_, inst, _)| match inst {
            Inst::Call { op, .. } => Some(*op),
            Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Lookup { .. } => None,
            Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. } | Inst::LoopIndex(_) => None,
            Inst::LoopCarried { .. } | Inst::LoopResult { .. } => None,
        });
        let calls: BTreeSet<Op> = calls.collect();
        let missing: Vec<&Op> = Op::ALL.iter().filter(|op| !calls.contains(op)).collect();
        assert!(missing.is_empty(), "no golden kernel of {} has {missing:?}", target.name());
    }
}

#[test]
fn every_target_renders_every_sink_and_type() {
    for target in Target::ALL {
        let kernels = kernels_of(target);
        let sinks: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.sink.name()).collect();
        assert_eq!(sinks, BTreeSet::from(SINKS), "{}", target.name());
        let types = kernels.iter().flat_map(|kernel| &kernel.columns).map(|ty| class(ty.dtype));
        let expected: BTreeSet<&str> = TYPES.into_iter().filter(|name| !missing_types(target).contains(name)).collect();
        assert_eq!(types.collect::<BTreeSet<&str>>(), expected, "{}", target.name());
    }
}
