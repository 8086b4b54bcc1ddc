//! Queries on a faulty disk end with a clear error and leave nothing behind.

use super::disks::{FaultyFile, INJECTIONS};
use crate::private_dir::scratch::Scratch;
use crate::{ErrorKind, SessionOptions};
use pointsman_ir::kernel::LEAF_ROWS;

/// Injects each fault at the n-th disk call, for every n until none fires. The query gives the right answer, or an
/// error that names the file and a remedy.
#[test]
fn fault_at_any_disk_call_is_a_clean_error() {
    let scratch = Scratch::new();
    let mut options = SessionOptions::new().spill_directory(&scratch.0).threads(2).memory_bytes(200 << 10);
    options.spill_create = FaultyFile::create;
    let session = options.open().unwrap();
    let n: Vec<i64> = (0..8 * LEAF_ROWS as i64).map(|row| row * 7919 % 2003).collect();
    let expected = n.iter().sum::<i64>();
    for injection in INJECTIONS {
        let mut fired = 0;
        for call in 0.. {
            FaultyFile::inject_at(call, injection);
            let result = session.from(&n).scan(|n| n.running_sum()).max();
            let what = format!("{injection:?} at call {call}");
            assert_eq!((session.memory().host.outstanding_bytes, session.spilled_bytes()), (0, 0), "{what}");
            assert_eq!(scratch.names(), [""; 0], "{what}: files");
            if !FaultyFile::fired() {
                assert_eq!(result.unwrap(), Some(expected), "{what}");
                break;
            }
            fired += 1;
            let error = result.unwrap_err();
            assert_eq!((error.kind(), error.attempts().len()), (ErrorKind::Io, 1), "{what}: {error}");
            let path = scratch.0.display().to_string();
            let mentions = |words: &str| error.message().contains(words);
            assert!(mentions(&path) && injection.message_parts().into_iter().all(mentions), "{what}: {error}");
        }
        assert!(fired >= 8, "{injection:?}: {fired} calls");
    }
}
