//! The options of a session about its processor, its passes, its programs and its receipts.

use super::SessionBuilder;
use crate::select::Policy;
use std::path::PathBuf;

impl SessionBuilder {
    /// How many threads the CPU uses, 1 to 1,024; all there are unless told.
    pub fn threads(mut self, threads: usize) -> SessionBuilder {
        self.cpu.threads = Some(threads.max(1));
        self
    }

    /// How many rows a thread of the CPU takes at a time, rounded up to whole leaves of 4,096. Never changes a result.
    pub fn morsel_rows(mut self, rows: usize) -> SessionBuilder {
        self.cpu.morsel_rows = Some(rows.max(1));
        self
    }

    /// The most bytes of memory for results and intermediate columns; all of the system's unless told. Intermediate
    /// columns that do not fit go to the disk: see [`Options::spill_directory`](crate::Options::spill_directory).
    pub fn memory_bytes(mut self, bytes: usize) -> SessionBuilder {
        self.cpu.pool_bytes = Some(bytes);
        self
    }

    /// Switches a pass off, by its name.
    pub fn without_pass(mut self, name: &str) -> SessionBuilder {
        self.passes.disabled.insert(name.to_string());
        self
    }

    /// Where compiled programs are stored for later sessions: a directory that nobody else may write to. Without it, the
    /// one that the environment names (`POINTSMAN_CACHE_DIR`), or else `pointsman` in the user's cache directory.
    /// Programs of devices that compile quickly, as the CPU does, are not stored.
    pub fn program_directory(mut self, directory: impl Into<PathBuf>) -> SessionBuilder {
        self.stored.directory = Some(directory.into());
        self
    }

    /// The most bytes that stored programs take, 256 MiB unless told; those that were not used for longest go. With 0
    /// none are stored, as with `POINTSMAN_CACHE=off`.
    pub fn stored_program_bytes(mut self, bytes: u64) -> SessionBuilder {
        self.stored.bytes_max = bytes;
        self
    }

    /// Whether memory for results is filled with the byte 0xAB whenever it is taken and given back. Off unless told: it
    /// is for tests, which then see bytes that nobody wrote.
    pub fn poison_memory(mut self, poison: bool) -> SessionBuilder {
        self.cpu.poison = poison;
        self
    }

    /// Whether the CPU answers while a preferred device compiles a query for the first time. Off unless told: then the
    /// query waits for its device. Queries that require a device always wait, and so do those that would be the fifth
    /// to compile: at most four programs are compiled so at once. When it is dropped the session waits for them, but
    /// not longer than [`Options::drop_patience`](crate::Options::drop_patience).
    pub fn compile_in_background(mut self, background: bool) -> SessionBuilder {
        self.compile_in_background = background;
        self
    }

    /// Whether counters and histograms go to the recorder of the crate `metrics`. Without it, if a recorder was installed
    /// before the session is opened; one without any state of its own is not seen.
    pub fn metrics(mut self, told: bool) -> SessionBuilder {
        self.metrics = Some(told);
        self
    }

    /// How devices are chosen for queries that name none. Without it, as the environment says (`POINTSMAN_POLICY`), or
    /// else the fastest.
    pub fn policy(mut self, policy: Policy) -> SessionBuilder {
        self.policy = Some(policy);
        self
    }

    /// The devices to choose from for queries that name none: those of these names, and the CPU, which is always there.
    /// Without it all but those that are software on the processor. With the CPU alone nothing is chosen.
    pub fn choose_among<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> SessionBuilder {
        self.among = Some(names.into_iter().map(str::to_string).collect());
        self
    }

    /// What a device draws while it works, in watts, beyond what it draws idle: for
    /// [`Policy::LeastEnergy`](crate::Policy::LeastEnergy) on machines that do not tell it. Counts for more than what the
    /// environment says (`POINTSMAN_WATTS=cpu=150,cuda:0=400`) and than what is measured.
    pub fn watts(mut self, device: &str, watts: f64) -> SessionBuilder {
        self.watts.insert(device.to_string(), watts);
        self
    }

    /// How many of the last receipts the session remembers, none unless told: see
    /// [`Session::receipts`](crate::Session::receipts).
    pub fn keep_receipts(mut self, count: usize) -> SessionBuilder {
        self.receipts_kept = count;
        self
    }
}
