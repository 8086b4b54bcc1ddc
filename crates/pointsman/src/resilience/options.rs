//! [`Options`]: how long a session waits, how many it serves at once, how often it tries.

use crate::exec::spill::SPILL_BYTES_MAX;
use std::path::PathBuf;
use std::time::Duration;

/// How a session treats devices that are busy or fail. Plain values: change those that should differ. Of
/// nothing at once nothing would run, so a concurrency of 0 is read as 1.
///
/// ```
/// # use pointsman::{Options, Session};
/// # fn main() -> pointsman::Result<()> {
/// let options = Options { queue: 16, ..Options::default() };
/// let s = Session::builder().options(options).open()?;
/// # assert_eq!(s.from(&[1i32, 2]).sum()?, 3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How long a launch or a copy may take before its device counts as hung; 10 minutes. Queries can have a deadline of
    /// their own. Of several devices that share a query one counts as hung sooner: when a batch takes ten times as long as
    /// its pace and the others' let expect, and at least a second.
    pub patience: Duration,
    /// How long a session that is dropped waits for compilations under way; 10 seconds. One that takes longer is left to
    /// itself.
    pub drop_patience: Duration,
    /// How many queries run on the CPU at once; four for each of its threads, at least 16. Threads of one query are not
    /// counted.
    pub cpu_concurrency: usize,
    /// How many queries run at once on each other device, each on streams of its own; 4.
    pub device_concurrency: usize,
    /// How many queries wait for a device, the CPU included; 1,024. One more is an error
    /// ([`ErrorKind::Busy`](crate::ErrorKind::Busy)).
    pub queue: usize,
    /// How many threads run queries that are awaited (`run_async`); 4. They start when there is work for them.
    pub async_threads: usize,
    /// How many of those queries wait for a thread; 1,024. One more is an error
    /// ([`ErrorKind::Busy`](crate::ErrorKind::Busy)).
    pub async_queue: usize,
    /// How often a query is tried again on a device that says it may work then; 3. All queries together try again at most
    /// once for every five calls of a device.
    pub retries: u32,
    /// The longest wait before the first of those tries; 10 ms. It doubles with each, and a random part of it is waited.
    pub backoff: Duration,
    /// The most bytes that a session takes of the memory of each device with memory of its own, all its queries and
    /// resident columns together; fifteen sixteenths of what the device has. Queries reserve what they will take before
    /// they run, and wait for each other in order; what does not fit alone, or not into what the device has free, runs
    /// in batches.
    pub device_memory_limit: Option<u64>,
    /// The most bytes of each such device's memory for columns that stay there when a query is done, so that the next
    /// one moves nothing: a [`Column`](crate::Column) or [`Lookup`](crate::Lookup) that is read again. A quarter of
    /// `device_memory_limit` or of the device's memory, 256 MiB where the driver does not tell that. They make room when
    /// a query needs it, those first that save least time by the byte. With 0 none stay but for those that
    /// [`Session::keep`](crate::Session::keep) is asked for, which are not counted here.
    pub resident_bytes: Option<u64>,
    /// How many batches of a stage a device holds at once, 1 to 3; 3: one is copied in, one runs, and one is copied out. A
    /// device with too little memory for that holds fewer.
    pub batches_at_once: usize,
    /// What the first of several devices that share a query (`prefer("cuda:0+cpu")`) does alone in less time, it does alone;
    /// 5 ms. The others are not even asked. With 0 they always are.
    pub share_time_min: Duration,
    /// The share of runs on devices other than the CPU, 0 to 1, that the CPU runs again, to compare the answers; 0. An
    /// answer that is not the CPU's is thrown away, and its device is not used any more in this session. Which runs are
    /// checked is random, but the same in every session. What [`Session::shadow`](crate::Session::shadow) counts as
    /// passed over could not be checked.
    pub shadow_share: f64,
    /// Where columns go that the session's memory does not hold
    /// ([`memory_bytes`](crate::SessionBuilder::memory_bytes)): a directory that nobody else may write to; none. Then it
    /// is the one that the environment names (`POINTSMAN_SPILL_DIR`), or else `pointsman/spill` in the user's cache
    /// directory. Nothing stays there, whether a query succeeds, fails, is cancelled, or its process is killed.
    pub spill_directory: Option<PathBuf>,
    /// The most bytes that the session's columns take there at once; 32 GiB. With 0 nothing is spilled.
    pub spill_bytes_max: u64,
}

impl Default for Options {
    fn default() -> Options {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            patience: Duration::from_secs(600),
            drop_patience: Duration::from_secs(10),
            cpu_concurrency: (4 * threads).max(16),
            device_concurrency: 4,
            queue: 1024,
            async_threads: 4,
            async_queue: 1024,
            retries: 3,
            backoff: Duration::from_millis(10),
            device_memory_limit: None,
            resident_bytes: None,
            batches_at_once: 3,
            share_time_min: Duration::from_millis(5),
            shadow_share: 0.0,
            spill_directory: None,
            spill_bytes_max: SPILL_BYTES_MAX,
        }
    }
}
