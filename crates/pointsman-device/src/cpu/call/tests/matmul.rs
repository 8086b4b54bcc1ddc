//! Tests of matrix products.

use super::{Random, check, check_numbers};
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Matmul, Numbers, RightOperand, Storage};

const SIZES: [u64; 13] = [1, 2, 3, 7, 63, 64, 65, 255, 256, 257, 1000, 4095, 4097];

fn product(random: &mut Random, [rows, inner, columns]: [u64; 3]) -> Matmul {
    Matmul {
        numbers: random.pick(&[Numbers::Real, Numbers::Complex]),
        rows,
        inner,
        columns,
        left: random.pick(&[Storage::Rows, Storage::Columns]),
        right: random.pick(&[Storage::Rows, Storage::Columns]),
        operand: random.pick(&[RightOperand::Shared, RightOperand::PerChunk]),
    }
}

#[test]
fn products_of_all_sizes_are_within_their_bounds() {
    let random = &mut Random(1);
    for size in SIZES {
        for place in 0..3 {
            // The other two sizes keep the interpreter's work small.
            let most = (1 << 20) / size;
            for _ in 0..4 {
                let other = random.pick(&SIZES).min(most);
                let mut sizes = [other, random.within(1..=(most / other).clamp(1, 300)), 0];
                sizes[2] = sizes[place];
                sizes[place] = size;
                let call = Call::Matmul(product(random, sizes));
                let chunks = random.within(1..=3);
                check::<f32>(&call, chunks, random);
                check::<f64>(&call, chunks, random);
            }
        }
    }
}

#[test]
fn random_products_of_many_chunks_are_within_their_bounds() {
    let random = &mut Random(2);
    for _ in 0..60 {
        let sizes = [0; 3].map(|_| random.within(1..=20));
        let call = Call::Matmul(product(random, sizes));
        let chunks = random.within(0..=200);
        check::<f32>(&call, chunks, random);
        check::<f64>(&call, chunks, random);
    }
}

#[test]
fn deep_products_are_summed_in_parts() {
    let random = &mut Random(3);
    for sizes in [[300, 1000, 300], [1, 3_000_000, 1], [512, 700, 40]] {
        let call = Call::Matmul(Matmul { numbers: Numbers::Real, ..product(random, sizes) });
        check::<f64>(&call, 1, random);
    }
}

#[test]
fn infinite_numbers_stay_in_their_rows() {
    let random = &mut Random(4);
    for sizes in [[5, 3, 4], [40, 50, 60], [70, 9, 1], [1, 9, 70]] {
        let call = Matmul { numbers: Numbers::Real, operand: RightOperand::PerChunk, ..product(random, sizes) };
        let [rows, inner, columns] = sizes;
        let mut input: Vec<f64> = random.floats(3 * rows * inner);
        input[(rows * inner) as usize] = f64::INFINITY;
        input[(2 * rows * inner) as usize + 1] = f64::NAN;
        check_numbers(&Call::Matmul(call), &input, &random.floats(3 * inner * columns));
    }
}
