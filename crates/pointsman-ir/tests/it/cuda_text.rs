//! Kernels as CUDA source: what the text says where a card would be needed to see what it does.

use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::render::cuda::{CudaSource, REFUSES, Words, render, supports};

fn source(text: &str) -> CudaSource {
    render(&guard(&decompose(&parse(text).unwrap()))).unwrap()
}

/// Opaque values that are left out are numbers of source rows, so a launch that starts later has later ones.
#[test]
fn row_numbers_count_from_the_source() {
    let text = source("kernel\ncolumns c0: opaque\n  v0: opaque = column c0\nsink store v0\n").text;
    let number = format!("in.c0[k] = a.w[{}] + at + k;", Words::FIRST_ROW);
    assert!(text.contains(&number), "{text}");
}

/// A row outside a table faults, also where the table's values are left out.
#[test]
fn a_gather_of_row_numbers_checks_its_bounds() {
    let text = "kernel
columns c0: u32
tables t0: keys() columns(opaque)
  v0: u32 = column c0
  v1: opaque = gather t0.0 v0
sink store v1
";
    assert!(source(text).text.contains(": number_element((u64)v0, a.w[12], e1))"));
}

/// More words than CUDA passes are refused before the compiler sees them.
#[test]
fn arguments_that_are_too_long_are_refused() {
    let kernel = |columns: usize| {
        let types: Vec<String> = (0..columns).map(|c| format!("c{c}: u8")).collect();
        parse(&format!("kernel\ncolumns {}\n  v0: u8 = column c0\nsink store v0\n", types.join(", "))).unwrap()
    };
    assert!(supports(&kernel(2041)).is_ok(), "10 words, two a column and two for the output: 4,094");
    let refused = supports(&kernel(2042)).unwrap_err();
    assert_eq!(refused.message, "more columns, scalars and tables than a launch can name");
}

#[test]
fn more_folds_than_shared_memory_holds_are_refused() {
    let kernel = |folds: usize, columns: usize| {
        let types: Vec<String> = (0..columns).map(|c| format!("c{c}: i64?")).collect();
        let values: String = (0..columns).map(|c| format!("  v{c}: i64? = column c{c}\n")).collect();
        let running = vec!["max(v0)"; folds].join(", ");
        let kept: Vec<String> = (0..columns).map(|c| format!("v{c}")).collect();
        let sink = format!("sink scan columns({}) running({running})", kept.join(", "));
        parse(&format!("kernel\ncolumns {}\n{values}{sink}\n", types.join(", "))).unwrap()
    };
    let rendered = |kernel: &Kernel| render(&guard(&decompose(kernel))).map(|source| source.needs.shared_bytes);
    assert!(rendered(&kernel(64, 1)).is_ok());
    for refused in [kernel(65, 1), kernel(64, 400)] {
        let why = rendered(&refused).unwrap_err().message;
        assert!(REFUSES.iter().any(|opening| why.starts_with(opening)), "{why}");
    }
}

/// Of comparisons and choices between narrow integers the compiler makes minima of two halves, and mixes the halves up:
/// they are compared as words that it does not look into.
#[test]
fn narrow_integers_are_compared_as_words() {
    let text = "kernel
columns c0: i16, c1: i8
  v0: i16 = column c0
  v1: i16 = const 1
  v2: bool = lt v0 v1
  v3: i8 = column c1
  v4: u16 = cast_saturating v3
sink store v2, v4
";
    let text = source(text).text;
    assert!(text.contains("bool v2 = lt<i16>(v0, v1);"), "{text}");
    assert!(text.contains("u16 v4 = bounded_near<u16>((i128)word_of<i32>(v3), "), "{text}");
    assert!(text.contains("NARROW(i16, i32)"));
}

/// Rows that are values alone are packed as they are computed; nulls and truth values go by numbers of rows.
#[test]
fn selected_rows_that_are_values_alone_are_packed() {
    let kernel = |ty: &str| {
        format!(
            "kernel\ncolumns c0: {ty}, c1: bool\n  v0: {ty} = column c0\n  v1: bool = column c1\nmask v1\nsink compact v0\n"
        )
    };
    assert!(source(&kernel("f32")).text.contains("write_packed<f32>((f32 *)"));
    assert!(!source(&kernel("f32?")).text.contains("write_packed<f32>((f32 *)"));
}

/// What a block needs fits every card; rows that need more are staged in the memory of the card.
#[test]
fn wide_rows_are_staged_outside_shared_memory() {
    let kernel = |columns: usize| {
        let types: Vec<String> = (0..columns).map(|c| format!("c{c}: i64")).collect();
        let values: String = (0..columns).map(|c| format!("  v{c}: i64 = column c{c}\n")).collect();
        let kept: Vec<String> = (0..columns).map(|c| format!("v{c}")).collect();
        format!(
            "kernel\ncolumns {}\n{values}sink scan columns({}) running(sum(v0))\n",
            types.join(", "),
            kept.join(", ")
        )
    };
    let (one, six) = (source(&kernel(1)).needs, source(&kernel(6)).needs);
    for needs in [&one, &six] {
        assert!(needs.shared_bytes <= 99 << 10, "{needs:?}");
    }
    assert_eq!(one.block_scratch, 0);
    assert!(six.block_scratch > 0);
}
