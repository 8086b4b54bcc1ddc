//! Receipts, caches and `explain`.

use super::{WHY_CPU, integers, session};
use pointsman::report::Cached;
use pointsman::{Phase, Session, SessionOptions};

#[test]
fn explain_of_filter_map_sum_shows_one_kernel_with_one_reduce() {
    let (s, x) = (session(), [1.0f32, 2.0]);
    let explain = s.from(&x).filter(|x| x.gt(1.0)).map(|x| x * 2.0).folds(|x| x.sum()).explain();
    let steps: Vec<&str> = explain.steps().collect();
    assert_eq!(steps.iter().filter(|&&step| step == "kernel").count(), 1, "{explain}");
    let kernel = explain.step("kernel").unwrap();
    assert_eq!(kernel.matches("reduce").count(), 1, "{kernel}");
    for step in ["plan", "fuse", "estimate", "choice", "program"] {
        assert!(explain.step(step).is_some(), "{step} is not in {steps:?}");
    }
    assert_eq!(explain.step("choice").unwrap(), format!("cpu: {WHY_CPU}"));
    assert!(explain.to_string().contains("── fuse"));
}

#[test]
fn the_second_identical_query_reuses_the_kernel() {
    let s = session();
    let query = |x: &[i64], k: i64| s.from(x).filter(|x| x.gt(k)).map(|x| x * k).folds(|x| x.sum()).run().unwrap();
    let x = integers(1000);
    let first = query(&x, 3);
    assert_eq!((first.receipt().plan_cache(), first.receipt().program_cache()), (Cached::Miss, Cached::Miss));
    let second = query(&x[..500], 7);
    assert_eq!((second.receipt().plan_cache(), second.receipt().program_cache()), (Cached::Hit, Cached::Hit));
    assert!(second.receipt().time(Phase::Compile).is_zero());
    let expected: i64 = x[..500].iter().filter(|&&x| x > 7).map(|x| x * 7).sum();
    assert_eq!(*second, expected, "a cached plan takes new scalars");
    let other = session();
    let clone = s.clone();
    let answer = |s: &Session| s.from(&x).filter(|x| x.gt(1)).map(|x| x * 1).folds(|x| x.sum()).run().unwrap();
    assert_eq!(answer(&clone).receipt().plan_cache(), Cached::Hit, "clones share");
    assert_eq!(answer(&other).receipt().plan_cache(), Cached::Miss, "sessions do not");
}

#[test]
fn baked_values_are_part_of_the_kernel() {
    let (s, x) = (session(), [1i64]);
    let add = |k: i64| s.from(&x).map(|x| x + pointsman::lit(k)).run().unwrap();
    assert_eq!(add(1).receipt().plan_cache(), Cached::Miss);
    assert_eq!(add(2).receipt().plan_cache(), Cached::Miss);
    assert_eq!(add(2).receipt().plan_cache(), Cached::Hit);
    assert_eq!(add(2)[..], [3]);
}

#[test]
fn receipt_shows_rows_bytes_and_times() {
    let (s, x) = (session(), integers(1000));
    let answer = s.from(&x).filter(|x| x.gt(0)).map(|x| x.cast::<i32>()).run().unwrap();
    let receipt = answer.receipt();
    assert_eq!((receipt.device(), receipt.stages()), ("cpu", &["compact"][..]));
    assert_eq!((receipt.rows_in(), receipt.rows_out()), (1000, answer.len()));
    assert_eq!((receipt.bytes_read(), receipt.bytes_written()), (8000, 4 * answer.len() as u64));
    assert!(!receipt.time(Phase::Run).is_zero() && receipt.total() >= receipt.time(Phase::Run));
    let sum: std::time::Duration = Phase::ALL.into_iter().map(|phase| receipt.time(phase)).sum();
    assert_eq!(sum, receipt.total());
    let json = receipt.to_json();
    assert!(
        json.starts_with(&format!(
            "{{\"device\":\"cpu\",\"why\":\"{WHY_CPU}\",\"stages\":[\"compact\"],\"programs\":[\""
        )),
        "{json}"
    );
    assert!(json.ends_with('}') && json.contains("\"plan_cache\":\"miss\"") && json.contains("\"run_ns\":"), "{json}");
    let text = format!("{receipt:#}");
    assert!(text.contains("1000 in") && text.contains("plan miss"), "{text}");
}

/// What a query that every vector processor runs as machine code ran as, and its result.
fn ran_as() -> (String, Vec<f32>) {
    let x: Vec<f32> = (0..5000).map(|i| i as f32).collect();
    let answer = session().from(&x).map(|x| (x * 0.25).exp() + x).run().unwrap();
    (answer.receipt().programs()[0].clone(), answer.to_vec())
}

#[test]
fn receipt_describes_stages_and_programs() {
    let (program, _) = ran_as();
    let has_vectors = program.starts_with("avx");
    assert_eq!(
        program.contains("machine code"),
        has_vectors && std::env::var_os("POINTSMAN_JIT").is_none(),
        "{program}"
    );
    let explained = session().from(&[1.5f32]).map(|x| x + 1.0).explain().to_string();
    assert!(explained.contains(if has_vectors { "machine code" } else { "block program" }), "{explained}");
}

#[test]
fn machine_code_can_be_switched_off_from_outside() {
    if let Some(file) = std::env::var_os("POINTSMAN_TEST_RESULT") {
        let (program, values) = ran_as();
        let bits: Vec<String> = values.iter().map(|value| value.to_bits().to_string()).collect();
        return std::fs::write(file, format!("{program}\n{}", bits.join(" "))).unwrap();
    }
    let file = std::env::temp_dir().join(format!("pointsman-{}", std::process::id()));
    let test = ["api::receipts::machine_code_can_be_switched_off_from_outside", "--exact"];
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let child = child.args(test).env("POINTSMAN_JIT", "off").env("POINTSMAN_TEST_RESULT", &file);
    assert!(child.output().unwrap().status.success());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let (program, bits) = text.split_once('\n').unwrap();
    assert!(program.contains("block program"), "{program}");
    let bits: Vec<u32> = bits.split(' ').map(|bits| bits.parse().unwrap()).collect();
    assert_eq!(bits, ran_as().1.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
}

#[test]
fn captured_tables_are_read_too() {
    let table = pointsman::lookup(&[0.5f64; 10]);
    let answer = session().from(&[1u32, 2]).map(|i| table.at(i)).run().unwrap();
    assert_eq!((answer.receipt().bytes_read(), answer.receipt().bytes_written()), (2 * 4 + 10 * 8, 2 * 8));
}

#[test]
fn a_query_of_two_stages_says_so() {
    let (s, x) = (session(), integers(100));
    let answer = s.from(&x).scan(|x| x.running_sum()).filter(|x| x.gt(0)).folds(|x| x.max()).run().unwrap();
    assert_eq!(answer.receipt().stages(), ["scan", "reduce"]);
}

#[test]
fn passes_can_be_switched_off() {
    let x = integers(1000);
    let answer = |s: &Session| {
        let query = s.from((&x, &x)).map(|(a, b)| (a * 2 + 0, b * a * 2)).filter(|(a, b)| a.lt(b)).map(|(a, _)| a);
        query.to_vec().unwrap()
    };
    let expected = answer(&session());
    for name in pointsman_ir::passes::NAMES {
        assert_eq!(answer(&SessionOptions::new().disable_pass(name).open().unwrap()), expected, "without {name}");
    }
}

#[test]
fn memory_comes_back() {
    // The limit is little more than one query takes, so that a lost buffer would soon be missed.
    let s = SessionOptions::new().threads(2).memory_bytes(4_000_000).open().unwrap();
    let x = integers(100_000);
    let nulls = pointsman::Column::from_options(x.iter().map(|&x| (x % 7 != 0).then_some(x)));
    for k in 0..50 {
        s.from(&x).map(|x| x + k).run().unwrap();
        let shared = s.from(&nulls).filter(|x| x.gt(k)).run().unwrap().to_arrow();
        drop(shared);
        s.from(&x).map(|x| 100 / (x - 500)).run().unwrap_err();
        s.from(&nulls).to_vec().unwrap_err();
        s.from(&x).scan(|x| x.running_sum()).filter(|x| x.gt(3)).sum().unwrap();
        s.from(&x).map(|x| x.gt(3)).run().unwrap();
    }
}
