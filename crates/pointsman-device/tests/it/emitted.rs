//! Machine code for kernels: it gives the interpreter's bits, and the kernels that it is meant for do become code.

use iced_x86::{Decoder, DecoderOptions, EncodingKind, Register};
use pointsman_device::Device;
use pointsman_device::conformance::differential::{Met, compare_all, compare_case_on_all, compare_slices};
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_ir::data::ColumnData;
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::{Guarded, guard};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Case, DTypeClass, OwnedInputs, Profile, Rng, SinkKind, case, values};
use pointsman_ir::render::x86::{self, Target};
use pointsman_ir::types::{DType, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// The targets of the code generator, with the instruction sets that run them.
const TARGETS: [(Target, Isa); 2] = [(Target::Avx512, Isa::Avx512), (Target::Avx2, Isa::Avx2)];

/// Kernels that become code: no wide decimals.
fn profile() -> Profile {
    let narrow = |class: &DTypeClass| *class != DTypeClass::Decimal128;
    let classes: Vec<DTypeClass> = DTypeClass::ALL.into_iter().filter(narrow).collect();
    let rows = [(1, 2), (15, 2), (16, 2), (17, 2), (100, 2), (4095, 1), (4096, 1), (4100, 1), (9000, 1)];
    let sinks = [SinkKind::Store, SinkKind::Compact, SinkKind::Reduce, SinkKind::Scan];
    Profile::streaming().with_sinks(&sinks).with_classes(&classes).with_rows(&rows)
}

/// A device with this instruction set, with or without machine code; `None` if the processor lacks it.
fn device(isa: Isa, jit: bool) -> Option<CpuDevice> {
    let options = CpuOptions { isa: Some(isa), jit: Some(jit), ..CpuOptions::default() };
    let has = Isa::detect() >= isa;
    if !has {
        eprintln!("skipped: this processor has no {}", isa.name());
    }
    has.then(|| CpuDevice::new(options))
}

/// The devices with machine code that the processor supports.
fn emitting() -> Vec<(Isa, CpuDevice)> {
    TARGETS.iter().filter_map(|&(_, isa)| device(isa, true).map(|device| (isa, device))).collect()
}

fn as_dyn(devices: &[(Isa, CpuDevice)]) -> Vec<&dyn Device> {
    devices.iter().map(|(_, device)| device as &dyn Device).collect()
}

/// Checks that at least 99 in 100 launches ran machine code.
fn assert_emitted(isa: Isa, device: &CpuDevice, met: Met) {
    let emitted = device.jit_launches();
    let (launches, kernels) = (met.launches as u64, met.kernels);
    assert!(emitted * 100 >= launches * 99, "{isa:?}: {emitted} of {launches} launches of {kernels} kernels ran code");
}

/// Compares machine code with the interpreter; all but a few kernels must have become code.
fn check(profile: &Profile, kernels: u64) {
    let devices = emitting();
    let met = compare_all(&as_dyn(&devices), profile, 0..kernels, |_| {});
    let met = met.unwrap_or_else(|difference| panic!("{difference}"));
    devices.iter().for_each(|(isa, device)| assert_emitted(*isa, device, met));
}

/// The number of random kernels that are compared.
fn cases() -> u64 {
    pointsman_device::conformance::checks::cases(20_000)
}

#[test]
fn all_ways_to_run_a_kernel_give_the_bits_of_the_interpreter() {
    let rows = [(1, 2), (15, 2), (16, 2), (17, 2), (100, 4), (1000, 1), (4100, 1)];
    let profile = profile().with_rows(&rows);
    let emitted = emitting();
    let portable = device(Isa::Baseline, false);
    let mut devices = as_dyn(&emitted);
    devices.extend(portable.as_ref().map(|device| device as &dyn Device));
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let mut met = Met::default();
    std::thread::scope(|scope| {
        let (devices, profile) = (&devices[..], &profile);
        let seeds = |thread| (thread..cases()).step_by(threads as usize);
        let compare = |thread| scope.spawn(move || compare_all(devices, profile, seeds(thread), |_| {}));
        for thread in (0..threads).map(compare).collect::<Vec<_>>() {
            let of_thread = thread.join().expect("a comparison does not panic");
            met += of_thread.unwrap_or_else(|difference| panic!("{difference}"));
        }
    });
    assert_eq!(met.kernels as u64, cases(), "every kernel ran");
    for (isa, device) in &emitted {
        assert_emitted(*isa, device, met);
    }
}

#[test]
fn the_tail_of_every_row_count_is_right() {
    let rows: Vec<(usize, u32)> = (0..=130).map(|rows| (rows, 1)).collect();
    check(&profile().with_rows(&rows), 131 * 12);
}

/// A kernel as the CPU device passes it to the code generator.
fn prepared(kernel: &Kernel) -> Guarded {
    guard(&decompose(kernel))
}

#[test]
fn long_kernels_spill() {
    let mut profile = profile().with_rows(&[(40, 1), (300, 1)]);
    profile.calls_max = 200;
    check(&profile, 400);
    for (target, _) in TARGETS {
        let spills = |seed: &u64| {
            let code = x86::render(&prepared(&case(*seed, &profile).kernel), target);
            code.is_ok_and(|code| code.scratch_bytes >= 8 * code.constants.len() + 64)
        };
        let spilled = (0..400).filter(spills).count();
        assert!(spilled >= 100, "{target:?}: {spilled} of 400 kernels keep values in memory");
    }
}

#[test]
fn kernels_become_code() {
    for (target, _) in TARGETS {
        let mut emitted = 0;
        let mut missing: BTreeMap<String, usize> = BTreeMap::new();
        for seed in 0..3_000 {
            match x86::render(&prepared(&case(seed, &profile()).kernel), target) {
                Ok(_) => emitted += 1,
                Err(error) => *missing.entry(error.message).or_default() += 1,
            }
        }
        assert!(emitted * 100 >= 3_000 * 99, "{target:?}: {emitted} of 3,000 kernels; the others: {missing:#?}");
    }
}

#[test]
fn equal_kernels_give_equal_bytes() {
    for (target, _) in TARGETS {
        for seed in 0..200 {
            let guarded = prepared(&case(seed, &profile()).kernel);
            assert_eq!(x86::render(&guarded, target), x86::render(&guarded, target), "seed {seed}");
        }
    }
}

#[test]
fn bits_may_start_anywhere_in_a_byte() {
    let profile = profile().with_rows(&[(1, 1), (9, 1), (16, 1), (100, 1), (4097, 1)]);
    let devices = emitting();
    for case in (0..300).map(|seed| case(seed, &profile)) {
        compare_slices(&as_dyn(&devices), &case).unwrap_or_else(|what| panic!("seed {}: {what}", case.seed));
    }
}

#[test]
fn avx2_code_has_no_wider_instruction() {
    let mut names = BTreeSet::new();
    let profile = profile().with_classes(&DTypeClass::ALL);
    for seed in 0..3_000 {
        let kernel = prepared(&case(seed, &profile).kernel);
        let Ok(code) = x86::render(&kernel, Target::Avx2) else { continue };
        for inst in Decoder::new(64, &code.bytes, DecoderOptions::NONE) {
            let registers = || (0..inst.op_count()).map(|operand| inst.op_register(operand));
            let narrow = |register: Register| !register.is_zmm() && !register.is_k() && register.number() < 16;
            let known = !inst.is_invalid() && inst.encoding() != EncodingKind::EVEX;
            assert!(known && registers().all(narrow), "seed {seed}: {:?} in\n{}", inst.code(), kernel.kernel.print());
            names.insert(format!("{:?}", inst.mnemonic()));
        }
    }
    assert!(
        names.contains("Vpmaskmovd") && names.contains("Vpunpckhqdq") && names.contains("Vpermd") && names.len() > 100,
        "{names:?}"
    );
}

/// Runs one operation over columns, with and without machine code.
fn check_op(text: &str, columns: Vec<ColumnData>) {
    let Ok(kernel) = parse(text) else { panic!("{text}") };
    let rows = columns[0].len();
    let inputs = OwnedInputs { columns, params: Vec::new(), lists: Vec::new(), tables: Vec::new(), first_row: 0, rows };
    let case = Case { seed: 2, kernel, inputs };
    let devices = emitting();
    compare_case_on_all(&as_dyn(&devices), &case).unwrap_or_else(|what| panic!("{what}\n{text}"));
    for (isa, device) in devices {
        assert!(device.jit_launches() > 0, "{isa:?}: no code for\n{text}");
    }
}

/// Integers around all powers of two and their sums: where conversions round, carry and saturate.
fn edge_integers() -> Vec<i128> {
    let mut values = BTreeSet::new();
    for high in 0..65 {
        for low in 0..=high {
            for (part, unit) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)] {
                let value = (1i128 << high) + part * (1i128 << low) + unit;
                values.extend([value, -value]);
            }
        }
    }
    values.into_iter().collect()
}

const SPECIAL_FLOATS: [f64; 9] =
    [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, 1e-45, 3e38];

/// A column of the values that its type holds; for floats also their neighbours and halves.
fn edge_column(dtype: DType) -> ColumnData {
    let integers = edge_integers();
    let floats = || {
        let near = |value: &i128| {
            let double = *value as f64;
            [double, double.next_up(), double.next_down(), double + 0.5, double - 0.5]
        };
        integers.iter().flat_map(near).chain(SPECIAL_FLOATS)
    };
    let scalars: Vec<Option<Scalar>> = match dtype {
        DType::F32 => floats().map(|value| Some(Scalar::F32(value as f32))).collect(),
        DType::F64 => floats().map(|value| Some(Scalar::F64(value))).collect(),
        dtype => integers.iter().filter_map(|&value| Scalar::from_integer(dtype.repr(), value)).map(Some).collect(),
    };
    ColumnData::from_scalars(dtype.required(), scalars)
}

const NUMBERS: [DType; 6] = [DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64];

#[test]
fn conversions_round_once() {
    for from in NUMBERS {
        for to in NUMBERS.into_iter().filter(|to| *to != from) {
            let text = format!(
                "kernel\ncolumns c0: {from}\n  v0: {from} = column c0\n  v1: {to} = cast_saturating v0\nsink store v1\n"
            );
            check_op(&text, vec![edge_column(from)]);
        }
    }
}

#[test]
fn operations_are_right_at_the_edges() {
    for dtype in NUMBERS {
        let all = edge_column(dtype);
        let step = (all.len() / 70).max(1);
        // Special values come last.
        let special = all.len().saturating_sub(SPECIAL_FLOATS.len())..all.len();
        let few: Vec<Option<Scalar>> = (0..all.len()).step_by(step).chain(special).map(|row| all.get(row)).collect();
        let pairs = |pick: fn(usize, usize) -> usize| {
            let values = (0..few.len() * few.len()).map(|at| few[pick(at, few.len())]);
            ColumnData::from_scalars(dtype.required(), values.collect::<Vec<_>>())
        };
        let columns = vec![pairs(|at, n| at / n), pairs(|at, n| at % n)];
        let integers = !matches!(dtype, DType::F32 | DType::F64);
        let ops = ["add", "sub", "mul", "least", "greatest", "lt", "le", "eq", "ne", "gt", "ge"];
        for op in ops.into_iter().chain(["shl", "shr"].into_iter().filter(|_| integers)) {
            let result = if op.len() == 2 { "bool".to_string() } else { dtype.to_string() };
            let text = format!(
                "kernel\ncolumns c0: {dtype}, c1: {dtype}\n  v0: {dtype} = column c0\n  v1: {dtype} = column c1\n  \
                 v2: {result} = {op} v0 v1\nsink store v2\n"
            );
            check_op(&text, columns.clone());
        }
        let signed = !matches!(dtype, DType::U32 | DType::U64);
        for op in ["abs", "sign"].into_iter().chain(Some("neg").filter(|_| signed)) {
            let text = format!(
                "kernel\ncolumns c0: {dtype}\n  v0: {dtype} = column c0\n  v1: {dtype} = {op} v0\nsink store v1\n"
            );
            check_op(&text, vec![all.clone()]);
        }
    }
}

#[test]
fn folds_stay_in_registers_over_many_rows() {
    let mut rng = Rng::new(1);
    let more = [DType::I8, DType::U8, DType::I16, DType::U16];
    for dtype in NUMBERS.into_iter().chain(more) {
        for (nullable, masked) in [(false, false), (true, false), (false, true), (true, true)] {
            let ty = if nullable { dtype.nullable() } else { dtype.required() };
            let columns = [ty, DType::Bool.required()].map(|ty| values::column(&mut rng, ty, 9_001));
            for fold in ["sum(v0)", "min(v0)", "max(v0)", "count(v0)", "min(v0), max(v0)"] {
                let mask = if masked { "mask v1\n" } else { "" };
                let text = format!(
                    "kernel\ncolumns c0: {ty}, c1: bool\n  v0: {ty} = column c0\n  v1: bool = column c1\n{mask}\
                     sink reduce {fold}\n"
                );
                check_op(&text, columns.to_vec());
            }
        }
    }
}

#[test]
fn the_reason_for_missing_machine_code_is_reported() {
    let head = "kernel\ncolumns c0: decimal(38,2), c1: f32\n  v0: decimal(38,2) = column c0\n  v1: f32 = column c1\n";
    for (sink, message) in [
        ("reduce sum(v0)", "values of 128 bits are not emitted yet"),
        ("sort keys(v1 asc nulls_first) columns(v1)", "the sink `sort` is not emitted yet"),
    ] {
        let Ok(kernel) = parse(&format!("{head}sink {sink}\n")) else { panic!("{sink} is no kernel") };
        let error = x86::render(&guard(&kernel), Target::Avx512).err().map(|error| error.message);
        assert_eq!(error.as_deref(), Some(message), "{sink}");
    }
}
