//! Every operation on scalars at edge values: `op type operands = result`, an operand of another type as `value:type`.

use super::{dtype, value};
use pointsman_ir::interpret::scalar::call;
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar, Type};

/// Checks one line; casts name their target behind `>`.
fn check(line: &str) {
    let (left, expected) = line.split_once(" = ").unwrap_or_else(|| panic!("no result in {line}"));
    let (left, target) = match left.split_once(" > ") {
        Some((left, target)) => (left, Some(dtype(target))),
        None => (left, None),
    };
    let mut words = left.split_whitespace();
    let op = Op::from_name(words.next().unwrap()).unwrap_or_else(|| panic!("no operation in {line}"));
    let common = dtype(words.next().unwrap());
    let operands: Vec<(Option<Scalar>, Type)> = words
        .map(|word| {
            let (text, dtype) = word.split_once(':').map_or((word, common), |(text, name)| (text, dtype(name)));
            (value(text, dtype), dtype.nullable())
        })
        .collect();
    let (args, types): (Vec<Option<Scalar>>, Vec<Type>) = operands.into_iter().unzip();
    let result = op.result_type(&types, target).unwrap_or_else(|error| panic!("{line}: {error}"));
    let got = match call(op, &args, &types, result) {
        Ok(got) => format!("{:?}", got.map(Scalar::canonical)),
        Err(kind) => kind.to_string(),
    };
    let faults = ["division by zero", "overflow", "the value is out of range"];
    let expected = match faults.contains(&expected) {
        true => expected.to_string(),
        false => format!("{:?}", value(expected, result.dtype).map(Scalar::canonical)),
    };
    assert_eq!(got, expected, "{line}");
}

fn check_all(lines: &str) {
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).for_each(check);
}

#[test]
fn integers() {
    check_all(
        "add i8 127 1 = -128
        add u8 255 1 = 0
        add i64 9223372036854775807 1 = -9223372036854775808
        add u64 18446744073709551615 2 = 1
        add i32 null 1 = null
        sub u16 0 1 = 65535
        sub i32 -2147483648 1 = 2147483647
        mul u64 18446744073709551615 18446744073709551615 = 1
        mul i64 -9223372036854775808 -1 = -9223372036854775808
        mul i16 300 300 = 24464
        div i32 7 2 = 3
        div i32 -7 2 = -3
        div i32 7 -2 = -3
        div i32 10 0 = division by zero
        div u8 0 0 = division by zero
        div i8 -128 -1 = overflow
        div i64 -9223372036854775808 -1 = overflow
        div i32 null 0 = null
        div i32 10 null = null
        rem i32 7 -2 = 1
        rem i32 -7 2 = -1
        rem i8 -128 -1 = 0
        rem i64 -9223372036854775808 -1 = 0
        rem u32 7 0 = division by zero
        checked_add i8 127 1 = overflow
        checked_add u64 18446744073709551615 0 = 18446744073709551615
        checked_add u64 18446744073709551615 1 = overflow
        checked_sub u8 0 1 = overflow
        checked_sub i8 -128 1 = overflow
        checked_mul u64 18446744073709551615 18446744073709551615 = overflow
        checked_mul i64 -9223372036854775808 -1 = overflow
        checked_mul i8 null 2 = null
        neg i8 -128 = -128
        neg i64 5 = -5
        abs i8 -128 = -128
        abs i32 -3 = 3
        abs u64 18446744073709551615 = 18446744073709551615
        sign i8 -128 = -1
        sign u8 255 = 1
        sign i64 0 = 0
        least i32 3 -4 = -4
        greatest u64 18446744073709551615 0 = 18446744073709551615
        clamp i32 5 0 3 = 3
        clamp i32 -5 0 3 = 0
        clamp i32 1 3 0 = 0
        clamp i32 1 null 0 = null
        eq i32 1 1 = true
        ne i32 1 null = null
        lt i8 -1 0 = true
        lt u8 255 0 = false
        ge timestamp 5 5 = true
        gt date32 -1 0 = false
        le bool false true = true",
    );
}

#[test]
fn bits_and_shifts() {
    check_all(
        "bit_and u8 12 10 = 8
        bit_or i8 -128 1 = -127
        bit_xor i32 -1 1 = -2
        bit_not u16 0 = 65535
        bit_not i8 0 = -1
        shl u8 1 7 = 128
        shl u8 1 8 = 1
        shl i8 1 7 = -128
        shl u32 3 31 = 2147483648
        shl i64 1 -1 = -9223372036854775808
        shr i8 -128 7 = -1
        shr i8 -128 8 = -128
        shr u8 128 7 = 1
        shr i64 -8 65 = -4
        shr u64 18446744073709551615 63 = 1
        shr u64 1 null = null",
    );
}

#[test]
fn floats() {
    check_all(
        "add f64 0.1 0.2 = 0.30000000000000004
        add f32 16777216 1 = 16777216
        add f64 -0 -0 = -0
        add f64 inf -inf = NaN
        sub f64 5e-324 0 = 5e-324
        mul f32 1e-45 0.5 = 0
        mul f64 2.2250738585072014e-308 0.5 = 1.1125369292536007e-308
        div f64 1 0 = inf
        div f64 -1 0 = -inf
        div f32 0 0 = NaN
        rem f64 5.5 2 = 1.5
        rem f64 -5.5 2 = -1.5
        rem f64 -4 2 = -0
        rem f64 1 0 = NaN
        rem f64 1 inf = 1
        neg f64 0 = -0
        neg f32 NaN = NaN
        abs f64 -0 = 0
        abs f32 -inf = inf
        sign f64 -0 = -0
        sign f64 0 = 0
        sign f32 -1e-45 = -1
        sign f64 inf = 1
        sign f64 NaN = NaN
        sqrt f64 2 = 1.4142135623730951
        sqrt f64 -0 = -0
        sqrt f32 -1 = NaN
        fma f64 134217729 134217729 -18014398509481984 = 268435457
        fma f32 1 2 null = null
        floor f64 -0.5 = -1
        ceil f64 -0.5 = -0
        round f64 2.5 = 3
        round f64 -2.5 = -3
        round f64 0.49999999999999994 = 0
        round f32 -0.4 = -0
        trunc f64 -1.9 = -1
        trunc f64 1e300 = 1e300
        least f64 0 -0 = -0
        least f64 -0 0 = -0
        least f64 NaN 1 = 1
        least f64 NaN NaN = NaN
        greatest f32 -0 0 = 0
        greatest f32 0 -0 = 0
        greatest f64 NaN inf = NaN
        clamp f64 NaN 0 1 = 1
        clamp f64 5 NaN 1 = 1
        eq f64 NaN NaN = true
        eq f64 0 -0 = true
        ne f32 0 -0 = false
        lt f64 -0 0 = false
        lt f64 inf NaN = true
        lt f64 NaN NaN = false
        le f64 NaN NaN = true
        le f64 NaN inf = false
        gt f64 NaN inf = true
        ge f32 -0 0 = true
        is_nan f64 NaN = true
        is_nan f32 inf = false
        is_nan f32 null = null",
    );
}

#[test]
fn logic() {
    check_all(
        "and bool true true = true
        and bool false null = false
        and bool null false = false
        and bool null true = null
        and bool true null = null
        or bool false false = false
        or bool true null = true
        or bool null true = true
        or bool null false = null
        not bool true = false
        not bool null = null
        select bool true 1:i8 2:i8 = 1
        select bool false 1:i8 2:i8 = 2
        select bool null 1:i8 2:i8 = 2
        select bool true null:i8 2:i8 = null
        coalesce i32 null 3 = 3
        coalesce i32 4 null = 4
        coalesce i32 null null = null
        is_null i64 null = true
        is_null i64 0 = false",
    );
}

#[test]
fn decimals() {
    check_all(
        "add decimal(3,1) 999 999 = 1998
        add decimal(38,0) 99999999999999999999999999999999999999 1 = overflow
        sub decimal(38,0) -99999999999999999999999999999999999999 1 = overflow
        add decimal(18,2) 999999999999999999 1 = 1000000000000000000
        mul decimal(3,1) 999 -99:decimal(2,0) = -98901
        mul decimal(38,0) 10000000000000000000 10000000000000000000 = overflow
        mul decimal(38,0) 10000000000000000000 1000000000000000000 = 10000000000000000000000000000000000000
        mul decimal(38,0) 99999999999999999999999999999999999999 99999999999999999999999999999999999999 = overflow
        neg decimal(20,1) 5 = -5
        abs decimal(5,2) -99999 = 99999
        sign decimal(5,2) -7 = -100
        sign decimal(5,2) 0 = 0
        sign decimal(2,2) 7 = 99
        sign decimal(38,38) -7 = -99999999999999999999999999999999999999
        lt decimal(5,2) -1 1 = true
        least decimal(20,3) 4 3 = 3",
    );
}

#[test]
fn casts_among_numbers() {
    check_all(
        "cast i16 300 > i8 = the value is out of range
        cast_saturating i16 300 > i8 = 127
        cast_saturating i16 -300 > u8 = 0
        cast i16 127 > i8 = 127
        cast u64 18446744073709551615 > i64 = the value is out of range
        cast_saturating u64 18446744073709551615 > i64 = 9223372036854775807
        cast i8 -1 > u64 = the value is out of range
        cast bool true > i8 = 1
        cast bool true > f64 = 1
        cast bool true > decimal(3,1) = 10
        cast bool true > decimal(2,2) = the value is out of range
        cast_saturating bool true > decimal(2,2) = 99
        cast i8 null > i16 = null
        cast f64 -1.9 > i8 = -1
        cast f64 -0.9 > u8 = 0
        cast f64 -1 > u8 = the value is out of range
        cast f64 127.9 > i8 = 127
        cast f64 128 > i8 = the value is out of range
        cast f64 NaN > i32 = the value is out of range
        cast f64 inf > i64 = the value is out of range
        cast f64 9223372036854775808 > i64 = the value is out of range
        cast f64 -9223372036854775808 > i64 = -9223372036854775808
        cast f64 18446744073709549568 > u64 = 18446744073709549568
        cast_saturating f64 NaN > i32 = 0
        cast_saturating f32 inf > u64 = 18446744073709551615
        cast_saturating f64 -inf > i8 = -128
        cast_saturating f64 1e300 > i64 = 9223372036854775807
        cast i64 9007199254740993 > f64 = 9007199254740992
        cast i64 9007199254740995 > f64 = 9007199254740996
        cast u64 18446744073709551615 > f32 = 18446744073709551616
        cast i32 16777217 > f32 = 16777216
        cast f64 1e300 > f32 = inf
        cast f64 1e-46 > f32 = 0
        cast f64 -1e-46 > f32 = -0
        cast f64 NaN > f32 = NaN
        cast f32 0.1 > f64 = 0.10000000149011612
        cast f64 -0 > f64 = -0",
    );
}

#[test]
fn casts_of_decimals_and_times() {
    check_all(
        "cast decimal(5,2) 12345 > decimal(5,1) = 1235
        cast decimal(5,2) -12345 > decimal(5,1) = -1235
        cast decimal(5,2) 12344 > decimal(5,1) = 1234
        cast decimal(5,2) 99999 > decimal(5,3) = the value is out of range
        cast_saturating decimal(5,2) -99999 > decimal(5,3) = -99999
        cast decimal(5,2) 99995 > decimal(4,1) = the value is out of range
        cast decimal(38,0) 99999999999999999999999999999999999999 > decimal(38,38) = the value is out of range
        cast_saturating decimal(38,0) -2 > decimal(38,38) = -99999999999999999999999999999999999999
        cast i64 123 > decimal(5,2) = 12300
        cast i64 1000 > decimal(5,2) = the value is out of range
        cast_saturating u64 18446744073709551615 > decimal(38,38) = 99999999999999999999999999999999999999
        cast decimal(5,2) -199 > i8 = -1
        cast decimal(5,2) 12800 > i8 = the value is out of range
        cast_saturating decimal(5,2) 12800 > i8 = 127
        cast decimal(5,2) 12345 > f64 = 123.45
        cast decimal(5,2) 12345 > f32 = 123.45
        cast f64 0.125 > decimal(5,2) = 13
        cast f64 -0.125 > decimal(5,2) = -13
        cast f64 NaN > decimal(5,2) = the value is out of range
        cast_saturating f64 NaN > decimal(5,2) = 0
        cast f64 1000 > decimal(5,2) = the value is out of range
        cast_saturating f64 inf > decimal(38,2) = 99999999999999999999999999999999999999
        cast f32 999.5 > decimal(5,2) = 99950
        cast date32 1 > timestamp = 86400000000
        cast date32 -1 > timestamp = -86400000000
        cast date32 2147483647 > timestamp = the value is out of range
        cast_saturating date32 -2147483648 > timestamp = -9223372036854775808
        cast timestamp -1 > date32 = -1
        cast timestamp 86399999999 > date32 = 0
        cast timestamp 9223372036854775807 > date32 = 106751991
        cast date32 -5 > i32 = -5
        cast date32 -5 > i64 = -5
        cast i32 7 > date32 = 7
        cast timestamp 7 > i64 = 7
        cast i64 7 > timestamp = 7",
    );
}

#[test]
fn saturating_cast_never_faults_and_agrees_with_the_checked_cast() {
    let values = ["0", "1", "-1", "127", "1e10", "-1e30", "NaN", "inf", "0.5"];
    for to in super::PLAIN.into_iter().filter(|to| to.is_number()).chain([DType::decimal(4, 2).unwrap()]) {
        for text in values {
            let (arg, ty) = ([value(text, DType::F64)], [DType::F64.nullable()]);
            let saturated = call(Op::CastSaturating, &arg, &ty, to.nullable()).unwrap();
            let cast = call(Op::Cast, &arg, &ty, to.nullable());
            assert!(cast.is_err() || cast.unwrap() == saturated, "{text} to {to}");
        }
    }
}
