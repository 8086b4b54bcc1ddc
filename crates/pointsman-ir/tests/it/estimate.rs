//! The estimate of a kernel's bytes and operations.

use pointsman_ir::kernel::Estimate;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::verify;

fn check(text: &str, expected: &str) {
    let kernel = parse(text).unwrap();
    verify::kernel(&kernel).unwrap();
    assert_eq!(Estimate::of(&kernel).to_string(), expected, "{text}");
}

#[test]
fn only_used_values_count() {
    let head = "kernel\ncolumns c0: f32, c1: i64?, c2: bool?\nv0: f32 = column c0\nv1: i64? = column c1\n\
                v2: bool? = column c2\nv3: f32 = mul v0 v0\nv4: f32 = add v3 v0\nv5: f32 = div v4 v0\n";
    check(
        &format!("{head}sink store v4"),
        "at most a row: 4 B read, 4 B written, 1 simple + 1 multiply operations; 0 B fixed",
    );
    check(
        &format!("{head}mask v2\nsink store v1"),
        "at most a row: 8.375 B read, 8.125 B written, no operations; 0 B fixed",
    );
    check(
        &format!("{head}sink reduce sum(v5), count()"),
        "at most a row: 4 B read, 0 B written, 3 simple + 1 multiply + 1 divide operations; 21 B fixed",
    );
}

#[test]
fn loops_run_to_their_bounds() {
    check(
        include_str!("../kernels/in/compact_nested_loops.kernel"),
        "at most a row: 16 B read, 16 B written, 268435464 simple operations; 0 B fixed",
    );
}

#[test]
fn gathers_probes_lists_and_state_count() {
    check(
        include_str!("../kernels/in/probe_gather.kernel"),
        "at most a row: 84.5 B read, 20.25 B written, no operations; 0 B fixed",
    );
    check(
        include_str!("../kernels/in/partition_range.kernel"),
        "at most a row: 8 B read, 8 B written, no operations; 2048 B fixed",
    );
    check(
        include_str!("../kernels/in/sort_limit.kernel"),
        "at most a row: 16.125 B read, 0 B written, no operations; 161.25 B fixed",
    );
    check(
        include_str!("../kernels/in/scan_plain.kernel"),
        "at most a row: 1 B read, 1.006 B written, 1 simple operations; 0 B fixed",
    );
    check(
        include_str!("../kernels/in/group.kernel"),
        "at most a row: 12.125 B read, 48.125 B written, 4 simple + 1 multiply operations; 0 B fixed",
    );
}
