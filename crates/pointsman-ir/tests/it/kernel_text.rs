//! Kernels as text: what is printed is read back, what is read is printed alike, and no text makes the reader panic.

use crate::golden_kernels::inputs;
use pointsman_ir::body::Inst;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Estimate, Kernel};
use pointsman_ir::verify;
use std::collections::BTreeSet;

#[test]
fn golden_kernels_are_read_verified_and_printed_alike() {
    for (name, text) in inputs() {
        let kernel = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        verify::kernel(&kernel).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(kernel.print(), text, "{name}");
        assert_eq!(parse(&kernel.print()).unwrap(), kernel, "{name}");
    }
}

#[test]
fn golden_kernels_cover_every_sink_and_instruction() {
    let kernels: Vec<Kernel> = inputs().values().map(|text| parse(text).unwrap()).collect();
    let sinks: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.sink.name()).collect();
    assert_eq!(sinks.len(), 9, "{sinks:?}");
    let number = |inst: &Inst| match inst {
        Inst::Column(_) => 0,
        Inst::Param(_) => 1,
        Inst::Const(_) => 2,
        Inst::RowIndex => 3,
        Inst::Call { .. } => 4,
        Inst::Lookup { .. } => 5,
        Inst::Gather { .. } => 6,
        Inst::Probe { .. } => 7,
        Inst::Loop { .. } => 8,
        Inst::LoopIndex(_) => 9,
        Inst::LoopCarried { .. } => 10,
        Inst::LoopResult { .. } => 11,
    };
    let insts: BTreeSet<i32> = kernels
        .iter()
        .flat_map(|kernel| kernel.body.iter().map(|(_, inst, _)| number(inst)).collect::<Vec<_>>())
        .collect();
    assert_eq!(insts.len(), 12, "{insts:?}");
}

#[test]
fn spaces_comments_and_empty_lines_do_not_count() {
    let plain = parse("kernel\ncolumns c0: i8\n  v0: i8 = column c0\nsink store v0\n").unwrap();
    let spaced = "# a kernel\n\nkernel # yes\n\ncolumns   c0:i8\nv0 :i8=column c0 # the column\n\n\tsink store v0";
    assert_eq!(parse(spaced).unwrap(), plain);
}

#[test]
fn text_that_is_no_kernel_is_refused_by_line() {
    let check = |text: &str, expected: &str| assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
    check("", "line 1: expected `kernel`, not the end");
    check("kernel\n\nfoo\n", "line 3: expected `sink`, not `foo`");
    check("kernel x\nsink store", "line 1: expected the end of the line, not `x`");
    check("kernel\ncolumns c1: i8\nsink store", "line 2: expected `c0`, not `c1`");
    check("kernel\ncolumns c0: i9\nsink store", "line 2: expected a type (such as `i64`), not `i9`");
    check("kernel\ncolumns c0: decimal(300,2)\nsink store", "line 2: expected a number of digits, not `300`");
    check("kernel\nv1: i8 = const 1\nsink store", "line 2: expected `v0`, not `v1`");
    check("kernel\nv0: i8 = const 128\nsink store", "line 2: expected a i8 or `null`, not `128`");
    check("kernel\nv0: f32 = const 1.5\nsink store", "line 2: expected the bits of a f32 (such as `0x0`), not `1`");
    check(
        "kernel\nv0: f32 = const 0x123456789\nsink store",
        "line 2: expected the bits of a f32 (such as `0x0`), not `0x123456789`",
    );
    check(
        "kernel\nv0: i8 = frobnicate\nsink store",
        "line 2: expected an instruction (such as `add`), not `frobnicate`",
    );
    check("kernel\nv0: i8 = add w1\nsink store", "line 2: expected a value (such as `v0`), not `w1`");
    check("kernel\nv0: i8 = column\nsink store", "line 2: expected a column (such as `c0`) at the end of the line");
    check("kernel\nv0 = loop 4 () {\nsink store", "line 3: expected a `}` that closes the loop v0");
    check("kernel\nv0 = loop 4 () {\n}\nsink store", "line 3: expected a `next` before the `}` of the loop v0");
    check("kernel\nv0 = loop 4 () {\nnext\nnext\n}\nsink store", "line 4: expected one `next` a loop, not two");
    check(
        "kernel\nv0 = loop 99999999999 () {\nsink store",
        "line 2: expected a number of iterations, not `99999999999`",
    );
    check("kernel\n}\nsink store", "line 2: expected no `}`: no loop is open");
    check("kernel\nsink tap v0", "line 2: expected a sink (such as `reduce`), not `tap`");
    check("kernel\nsink reduce avg(v0)", "line 2: expected a fold (such as `sum`), not `avg`");
    check("kernel\nsink sort keys(v0 up nulls_last) columns()", "line 2: expected `asc` or `desc`, not `up`");
    check("kernel\nsink store v0\nsink store v0", "line 3: expected nothing behind the sink");
    check("kernel\nsink störe", "line 2: expected words and the marks (){},:=?., not 'ö'");
}

/// A small generator of numbers, so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// A text with a few characters, words or lines changed.
fn mutate(text: &str, numbers: &mut Numbers) -> String {
    let separators = ["\n", " ", ""];
    let separator = separators[numbers.below(3)];
    let mut parts: Vec<String> = if separator.is_empty() {
        text.chars().map(|c| c.to_string()).collect()
    } else {
        text.split(separator).map(str::to_string).collect()
    };
    let pieces =
        ["v0", "v4294967295", "0", "999999999999999999999999", "i64", "(", ")", "}", "?", "decimal(0,9)", "é", "next"];
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(parts.len());
        match numbers.below(4) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, pieces[numbers.below(pieces.len())].to_string()),
            2 => parts[at] = parts[numbers.below(parts.len())].clone(),
            _ => {
                let digits = ["0", "1", "2", "3", "9", "17"][numbers.below(6)];
                parts[at] = parts[at].replace(|c: char| c.is_ascii_digit(), digits);
            }
        }
        if parts.is_empty() {
            break;
        }
    }
    parts.join(separator)
}

#[test]
fn no_text_makes_reading_verifying_or_printing_panic() {
    let golden: Vec<String> = inputs().into_values().collect();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut read, mut accepted) = (0, 0);
    for _ in 0..40_000 {
        let text = mutate(&golden[numbers.below(golden.len())], &mut numbers);
        let Ok(kernel) = parse(&text) else { continue };
        read += 1;
        assert_eq!(parse(&kernel.print()).unwrap(), kernel, "{text}");
        if verify::kernel(&kernel).is_ok() {
            accepted += 1;
            let (_, _, estimate) = (kernel.output(), kernel.partial(), Estimate::of(&kernel));
            assert!(estimate.read_bytes_per_row.is_finite(), "{text}");
            for (v, ..) in kernel.body.iter() {
                kernel.body.can_fault(v);
            }
        }
    }
    assert!(read > 2_000 && accepted > 500 && accepted < read, "{read} texts were read, {accepted} accepted");
}
