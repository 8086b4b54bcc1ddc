//! Transforms of a few numbers in registers. In: the names of variables. Out: the statements that transform them.

use super::super::constants::Sign;
use std::f64::consts::PI;
use std::fmt::Write;

/// Statements that replace the complex numbers in these variables by their transform. `prefix` begins the names of
/// temporary values.
pub(super) fn butterfly(names: &[String], sign: Sign, prefix: &str) -> String {
    match names {
        [] | [_] => String::new(),
        [a, b] => format!("    let {prefix}d = {a} - {b};\n    {a} = {a} + {b};\n    {b} = {prefix}d;\n"),
        [_, _, _, _] => four(names, sign, prefix),
        [_, _, _, _, _, _, _, _] => eight(names, sign, prefix),
        _ => odd(names, sign, prefix),
    }
}

/// A value times ∓i.
fn turned(value: &str, sign: Sign) -> String {
    match sign {
        Sign::Minus => format!("C({value}.y, -{value}.x)"),
        Sign::Plus => format!("C(-{value}.y, {value}.x)"),
    }
}

fn four(names: &[String], sign: Sign, prefix: &str) -> String {
    let [a, b, c, d] = [0, 1, 2, 3].map(|number: usize| &names[number]);
    let [p, q, r, s, t] = ["p", "q", "r", "s", "t"].map(|name| format!("{prefix}{name}"));
    format!(
        "    let {p} = {a} + {c};\n    let {q} = {a} - {c};\n    let {r} = {b} + {d};\n    let {s} = {b} - {d};\n    \
         let {t} = {};\n    {a} = {p} + {r};\n    {b} = {q} + {t};\n    {c} = {p} - {r};\n    {d} = {q} - {t};\n",
        turned(&s, sign)
    )
}

/// Two transforms of four numbers, of the even and of the odd ones.
fn eight(names: &[String], sign: Sign, prefix: &str) -> String {
    let half = |first: usize| (first..8).step_by(2).map(|number| names[number].clone()).collect::<Vec<_>>();
    let (even, odd) = (half(0), half(1));
    let mut text = four(&even, sign, &format!("{prefix}e")) + &four(&odd, sign, &format!("{prefix}o"));
    let diagonal = |name: &str| match sign {
        Sign::Minus => (format!("{name}.x + {name}.y"), format!("{name}.y - {name}.x")),
        Sign::Plus => (format!("{name}.x - {name}.y"), format!("{name}.y + {name}.x")),
    };
    for (number, (even, odd)) in even.iter().zip(&odd).enumerate() {
        let half = "T(0.7071067811865476)";
        let value = match number {
            0 => odd.clone(),
            1 => {
                let (x, y) = diagonal(odd);
                format!("C(({x}) * {half}, ({y}) * {half})")
            }
            2 => turned(odd, sign),
            _ => {
                let (x, y) = diagonal(odd);
                // The diagonal of number 1, turned once more.
                match sign {
                    Sign::Minus => format!("C(({y}) * {half}, -({x}) * {half})"),
                    Sign::Plus => format!("C(-({y}) * {half}, ({x}) * {half})"),
                }
            }
        };
        let _ = write!(text, "    let {prefix}x{number} = {even};\n    let {prefix}y{number} = {value};\n");
    }
    for number in 0..4 {
        let (low, high) = (&names[number], &names[number + 4]);
        let _ = writeln!(text, "    {low} = {prefix}x{number} + {prefix}y{number};");
        let _ = writeln!(text, "    {high} = {prefix}x{number} - {prefix}y{number};");
    }
    text
}

/// A transform of an odd number of numbers, by sums and differences of pairs.
fn odd(names: &[String], sign: Sign, prefix: &str) -> String {
    let (count, half) = (names.len(), names.len() / 2);
    let mut text = String::new();
    for k in 1..=half {
        let (a, b) = (&names[k], &names[count - k]);
        let _ = write!(text, "    let {prefix}s{k} = {a} + {b};\n    let {prefix}d{k} = {a} - {b};\n");
    }
    let first = &names[0];
    for m in 1..=half {
        let angle = |k: usize| 2.0 * PI * ((m * k) % count) as f64 / count as f64;
        let sum = |value: &dyn Fn(usize) -> f64, pair: &str, part: &str| {
            let terms = (1..=half).map(|k| format!("{prefix}{pair}{k}.{part} * T({:?})", value(k)));
            terms.collect::<Vec<_>>().join(" + ")
        };
        let (cos, sin) = (|k| angle(k).cos(), |k| angle(k).sin());
        for part in ["x", "y"] {
            let _ = writeln!(text, "    let {prefix}c{m}{part} = {first}.{part} + {};", sum(&cos, "s", part));
            let _ = writeln!(text, "    let {prefix}t{m}{part} = {};", sum(&sin, "d", part));
        }
    }
    let all: Vec<String> = (1..=half).map(|k| format!("{prefix}s{k}")).collect();
    let _ = writeln!(text, "    {first} = {first} + {};", all.join(" + "));
    for m in 1..=half {
        let (c, t) = (format!("{prefix}c{m}"), format!("{prefix}t{m}"));
        let plus = format!("C({c}x - {t}y, {c}y + {t}x)");
        let minus = format!("C({c}x + {t}y, {c}y - {t}x)");
        let (low, high) = if sign == Sign::Minus { (minus, plus) } else { (plus, minus) };
        let _ = writeln!(text, "    {} = {low};", names[m]);
        let _ = writeln!(text, "    {} = {high};", names[count - m]);
    }
    text
}
