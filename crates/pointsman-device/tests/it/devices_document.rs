//! `docs/devices.md`: which device runs which types, operations and sinks, generated from the devices' answers.
//!
//! The test compares the document with the generated text; `POINTSMAN_WRITE_DOCS=1 cargo test -p pointsman-device
//! --all-features --test it devices_document` writes it. No driver is needed.
#![allow(clippy::unwrap_used)]

mod kernels;

use kernels::{EXTRAS, SINKS, TYPES};
use pointsman_device::Device;
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::environment::{SWITCH, Variable, of_process};
use pointsman_device::wgpu;
use pointsman_ir::body::ValueId;
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::{FoldOp, Kernel, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::render::{cuda, wgsl};
use pointsman_ir::types::DType;
use pointsman_ir::verify;
use std::collections::BTreeSet;
use std::path::Path;

/// Whether the document is written instead of compared.
const WRITE_DOCS: Variable = Variable { name: "POINTSMAN_WRITE_DOCS", allowed: SWITCH };

const HEAD: &str = "\
# Devices

This document lists the types, sinks, folds and operations that each device runs. The test `devices_document` of \
`pointsman-device` generates it from the devices' answers and checks that it is current; do not edit it by hand.

A cell is `yes` (for every type that the device has: see Types), `no`, `–` (the device does not have the type), or the \
types of the device that are excluded. A device refuses a kernel that it does not run, with a reason, before anything is \
computed: with `require` the refusal is an error; with `prefer` the CPU runs the query and the receipt says why. \
Operations and folds are tested over columns with nulls. The portable GPU is Vulkan, Metal and DirectX 12; its columns \
depend on whether the adapter has doubles (`f64`) and 64-bit integers (`i64`). Metal has no doubles.
";

/// The number of storage buffers that the portable GPU of the document binds.
const STORAGE_BUFFERS: u32 = 16;

/// The largest binding of the portable GPU of the document, in bytes.
const BINDING_BYTES: u64 = (2 << 30) - 4;

/// Whether a device runs a kernel, or why not.
type Runs = Box<dyn Fn(&Kernel) -> Result<(), String>>;

/// A column of the tables.
struct Column {
    name: &'static str,
    floats: &'static str,
    runs: Runs,
}

/// The devices of the document.
fn columns() -> Vec<Column> {
    let cpu = CpuDevice::new(CpuOptions::default());
    let portable = |f64: bool, i64: bool| {
        let target = wgsl::Target {
            f64,
            i64,
            fma: wgsl::Fma::Fused,
            storage_buffers: STORAGE_BUFFERS,
            arguments: wgsl::ArgumentMemory::Uniform,
            single_pass: true,
            order: wgsl::TileOrder::Forward,
            workgroup_bytes: 32 << 10,
            iterations: None,
        };
        Box::new(move |kernel: &Kernel| {
            if matches!(kernel.sink, Sink::Call { .. }) {
                return wgpu::check(kernel, target, BINDING_BYTES).map_err(|why| why.message);
            }
            let rendered = wgsl::lowered(kernel)
                .and_then(|kernel| wgsl::render(&guard(&decompose(&kernel)), wgsl::Form::Whole, target));
            rendered.map(drop).map_err(|why| why.message)
        })
    };
    let cuda = |kernel: &Kernel| {
        // Every call: by NVIDIA's libraries, or by our own kernels (`cuda::calls`). Its rows are stored by a kernel.
        let stored = |value: &ValueId| Kernel { sink: Sink::Store { columns: vec![*value] }, ..kernel.clone() };
        let kernel = if let Sink::Call { value, .. } = &kernel.sink { stored(value) } else { kernel.clone() };
        cuda::render(&guard(&decompose(&kernel))).map(drop).map_err(|why| why.message)
    };
    vec![
        Column {
            name: "CPU",
            floats: "exact",
            runs: Box::new(move |kernel| cpu.supports(kernel).map_err(|why| why.message)),
        },
        Column { name: "CUDA", floats: "exact", runs: Box::new(cuda) },
        Column { name: "portable GPU, f64 and i64", floats: "bounded", runs: portable(true, true) },
        Column { name: "portable GPU, i64", floats: "bounded", runs: portable(false, true) },
        Column { name: "portable GPU, neither", floats: "bounded", runs: portable(false, false) },
    ]
}

/// Asks devices about kernels, and collects the reasons of refusals.
struct Asker {
    columns: Vec<Column>,
    absent: Vec<BTreeSet<&'static str>>,
    reasons: Vec<BTreeSet<String>>,
}

impl Asker {
    fn new(columns: Vec<Column>) -> Asker {
        let (absent, reasons) = (vec![BTreeSet::new(); columns.len()], vec![BTreeSet::new(); columns.len()]);
        Asker { columns, absent, reasons }
    }

    /// The row of a type: whether devices support it at all.
    fn type_row(&mut self, name: &'static str, kernel: &Kernel) -> String {
        let mut row = format!("| {name} |");
        for number in 0..self.columns.len() {
            let has = self.ask(number, kernel);
            if !has {
                self.absent[number].insert(name);
            }
            row += if has { " yes |" } else { " no |" };
        }
        row + "\n"
    }

    /// Whether a device runs a kernel.
    fn ask(&mut self, number: usize, kernel: &Kernel) -> bool {
        verify::kernel(kernel).unwrap_or_else(|error| panic!("{}\n{}", error.message, kernel.print()));
        let answer = (self.columns[number].runs)(kernel);
        if let Err(reason) = &answer {
            // The parentheses name the values of this particular kernel.
            self.reasons[number].insert(reason.split(" (").next().unwrap_or_default().to_string());
        }
        answer.is_ok()
    }

    /// The cells of a row: each device's answers about these kernels, each with the type that it is about.
    fn row(&mut self, title: &str, kernels: &[(&'static str, Kernel)]) -> String {
        let mut row = format!("| {title} |");
        for number in 0..self.columns.len() {
            let here: Vec<_> = kernels.iter().filter(|(name, _)| !self.absent[number].contains(name)).collect();
            let refused: Vec<&str> =
                here.iter().filter(|(_, kernel)| !self.ask(number, kernel)).map(|(name, _)| *name).collect();
            row += &match refused.len() {
                _ if here.is_empty() => " – |".to_string(),
                0 => " yes |".to_string(),
                all if all == here.len() => " no |".to_string(),
                _ => format!(" not {} |", refused.join(", ")),
            };
        }
        row + "\n"
    }

    /// The row of the conversions from a type: empty if the device does not support that type.
    fn conversion_row(&mut self, title: &str, from: &'static str, to: &[(&'static str, Kernel)]) -> String {
        let before = self.absent.clone();
        for absent in self.absent.iter_mut().filter(|absent| absent.contains(from)) {
            absent.extend(to.iter().map(|(name, _)| *name));
        }
        let row = self.row(title, to);
        self.absent = before;
        row
    }

    fn head(&self, title: &str) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        format!("| {title} | {} |\n|{}\n", names.join(" | "), " --- |".repeat(names.len() + 1))
    }
}

/// The kernels that exist, one per type.
fn by_type(kernel: impl Fn(DType) -> Option<Kernel>) -> Vec<(&'static str, Kernel)> {
    TYPES.iter().filter_map(|&(name, dtype)| Some((name, kernel(dtype)?))).collect()
}

fn document() -> String {
    let mut asker = Asker::new(columns());
    let mut text = HEAD.to_string();
    text += &format!("\n## Numbers\n{}", asker.head(""));
    let floats: Vec<&str> = asker.columns.iter().map(|column| column.floats).collect();
    text += &format!("| float arithmetic | {} |\n", floats.join(" | "));
    text += &format!("\n## Types: read, checked for null, written\n{}", asker.head("type"));
    for (name, dtype) in TYPES {
        text += &asker.type_row(name, &kernels::sink("store", dtype).unwrap());
    }
    text += &format!("\n## Sinks, over columns of every type\n{}", asker.head("sink"));
    for name in SINKS {
        text += &asker.row(&format!("`{name}`"), &by_type(|dtype| kernels::sink(name, dtype)));
    }
    text += &format!("\n## Folds\n{}", asker.head("fold"));
    for op in FoldOp::ALL {
        for (running, title) in [(false, ""), (true, ", running")] {
            let kernels = by_type(|dtype| kernels::folded(op, dtype, running));
            text += &asker.row(&format!("`{}`{title}", op.name()), &kernels);
        }
    }
    text += &format!("\n## Operations, over every type they take\n{}", asker.head("operation"));
    for &op in Op::ALL.iter().filter(|op| !op.is_cast()) {
        text += &asker.row(&format!("`{}`", op.name()), &by_type(|dtype| kernels::operation(op, dtype)));
    }
    text += &conversions(&mut asker);
    text += &format!("\n## Loops, tables, windows, over every type\n{}", asker.head(""));
    for name in EXTRAS {
        text += &asker.row(name, &by_type(|dtype| kernels::extra(name, dtype)));
    }
    text + &reasons(&asker)
}

fn conversions(asker: &mut Asker) -> String {
    let mut text = format!("\n## Conversions, by the types they start from and lead to\n{}", asker.head("conversion"));
    for op in [Op::Cast, Op::CastSaturating, Op::Reinterpret] {
        for (from_name, from) in TYPES {
            let kernels = by_type(|to| kernels::conversion(op, from, to));
            if !kernels.is_empty() {
                text += &asker.conversion_row(&format!("`{}` of {from_name}", op.name()), from_name, &kernels);
            }
        }
    }
    text
}

fn reasons(asker: &Asker) -> String {
    let mut text = "\n## What a refusal says\n".to_string();
    for (column, reasons) in asker.columns.iter().zip(&asker.reasons) {
        text += &format!("* {}:", column.name);
        let all: Vec<String> = reasons.iter().map(|reason| format!(" “{reason}”")).collect();
        text += &(if all.is_empty() { " nothing is refused".to_string() } else { all.join(";") });
        text += "\n";
    }
    text
}

#[test]
fn the_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/devices.md");
    let wanted = document();
    if WRITE_DOCS.switch(of_process).unwrap() == Some(true) {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let at = found.lines().zip(wanted.lines()).position(|(found, wanted)| found != wanted);
    let hint = "run `POINTSMAN_WRITE_DOCS=1 cargo test -p pointsman-device --all-features --test it devices_document`";
    assert!(found == wanted, "docs/devices.md is out of date from line {:?} on: {hint}", at.map(|line| line + 1));
}
