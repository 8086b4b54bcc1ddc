//! Every random kernel verifies, and its text reads back as the kernel itself.

use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Profile, case};
use pointsman_ir::verify;

const CASES: u64 = 10_000;

fn check(profile: &Profile, first_seed: u64, cases: u64) {
    // The text does not depend on the inputs: few rows keep it quick.
    let profile = profile.clone().with_rows(&[(7, 1)]);
    for seed in first_seed..first_seed + cases {
        let kernel = case(seed, &profile).kernel;
        if let Err(error) = verify::kernel(&kernel) {
            panic!("seed {seed} does not verify: {}\n{}", error.message, kernel.print());
        }
        let text = kernel.print();
        match parse(&text) {
            Err(error) => panic!("seed {seed} does not parse: line {}: {}\n{text}", error.line, error.message),
            Ok(read) => assert!(read == kernel && read.print() == text, "seed {seed} reads back as another:\n{text}"),
        }
    }
}

#[test]
fn every_kernel_verifies_and_reads_back() {
    check(&Profile::everything(), 0, CASES);
}

#[test]
fn kernels_for_streaming_devices_verify_and_read_back() {
    check(&Profile::streaming(), 50_000_000, 2_000);
}
