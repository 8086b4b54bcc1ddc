//! Queries on a disk in trouble: a clear error, and nothing left.

use super::disks::{Disk, Scratch, TROUBLES};
use crate::{ErrorKind, SessionOptions};
use pointsman_ir::kernel::LEAF_ROWS;

/// A trouble at the n-th call of the disk, for every n until none fires: the right answer, or an error that names the
/// place and says what to do.
#[test]
fn every_call_of_the_disk_may_fail() {
    let scratch = Scratch::new();
    let options = SessionOptions::new().spill_directory(scratch.path());
    let session = options.threads(2).memory_bytes(200 << 10).spill_to(Disk::create);
    let session = session.open().unwrap();
    let n: Vec<i64> = (0..8 * LEAF_ROWS as i64).map(|row| row * 7919 % 2003).collect();
    let expected = n.iter().sum::<i64>();
    for trouble in TROUBLES {
        let mut fired = 0;
        for call in 0.. {
            Disk::fail_at(call, trouble);
            let result = session.from(&n).scan(|n| n.running_sum()).max();
            let what = format!("{trouble:?} at call {call}");
            assert_eq!((session.memory().host.outstanding_bytes, session.spilled_bytes()), (0, 0), "{what}");
            assert_eq!(scratch.names(), [""; 0], "{what}: files");
            if !Disk::fired() {
                assert_eq!(result.unwrap(), Some(expected), "{what}");
                break;
            }
            fired += 1;
            let error = result.unwrap_err();
            assert_eq!((error.kind(), error.attempts().len()), (ErrorKind::Io, 1), "{what}: {error}");
            assert!(trouble.words().all(|words| error.message().contains(words)), "{what}: {error}");
        }
        assert!(fired >= 8, "{trouble:?}: {fired} calls");
    }
}
