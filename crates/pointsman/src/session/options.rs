//! [`SessionOptions`]: the settings of a session, and how a session opens with them.

mod environment;

use self::environment::EnvironmentSettings;
use super::async_pool::AsyncPool;
use super::calibration_queries::time_small_queries;
use super::verification::Verifier;
use super::{Session, SessionInner};
use crate::cache::Cache;
use crate::devices::handle::DeviceLimits;
use crate::devices::registry::{DeviceOptions, DeviceRegistry, is_device_name};
use crate::devices::residency::MemoryLimits;
use crate::error::{Error, Result};
use crate::exec::footprint::AT_ONCE_MAX;
use crate::exec::spill::{SPILL_BYTES_MAX, Spill, SpillOptions};
use crate::programs::{CompileLimits, Programs, STORED_BYTES_MAX, StoreOptions};
use crate::resilience::clock::{Clock, SystemClock};
use crate::resilience::retry::RandomDraws;
use crate::select::{Policy, SHARED, SelectionRules, SelectorService, ServiceOptions};
use crate::telemetry::Telemetry;
use crate::telemetry::device_counters::{DeviceCounterSet, MetricsConfig};
use pointsman_device::cpu::CpuOptions;
use pointsman_device::environment::of_process;
use pointsman_device::fork::Process;
use pointsman_device::{Device, Exactness};
use pointsman_ir::passes::{self, PassOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The most plans a session keeps compiled.
const PLANS_MAX: usize = 512;

/// The maximum number of threads a session asks for.
const THREADS_MAX: usize = 1024;

/// Declares [`SessionOptions`]: for each option its description, field, type and default, and the argument and the
/// value of the builder method of the same name. The description becomes the documentation of both.
macro_rules! session_options {
    (
        $(#[$struct_meta:meta])*
        {$(
            $(#[doc = $doc:literal])+
            $name:ident: $type:ty = $default:expr, set($arg:ident: $arg_type:ty) $value:expr;
        )*}
        {$(
            $(#[doc = $other_doc:literal])+
            $other_vis:vis $other:ident: $other_type:ty = $other_default:expr;
        )*}
    ) => {
        $(#[$struct_meta])*
        pub struct SessionOptions {
            $($(#[doc = $doc])+ pub $name: $type,)*
            $($(#[doc = $other_doc])+ $other_vis $other: $other_type,)*
        }

        impl SessionOptions {
            /// The default options. Change them with the methods below.
            pub fn new() -> SessionOptions {
                SessionOptions { $($name: $default,)* $($other: $other_default,)* }
            }

            $(
                $(#[doc = $doc])+
                pub fn $name(mut self, $arg: $arg_type) -> SessionOptions {
                    self.$name = $value;
                    self
                }
            )*
        }
    };
}

session_options! {
    /// All settings of a session. Start with [`SessionOptions::new`], call a method for each setting to change, and
    /// finish with [`open`](SessionOptions::open). The fields have the current values; [`Session::options`] returns
    /// those of an open session.
    ///
    /// ```
    /// use pointsman::SessionOptions;
    ///
    /// # fn main() -> pointsman::Result<()> {
    /// let session = SessionOptions::new().threads(4).queue_limit(16).keep_receipts(100).open()?;
    /// assert_eq!(session.from(&[1i32, 2]).sum()?, 3);
    /// assert_eq!(session.options().queue_limit, 16);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// If the program does not set them, the device list, the preferred device, the policy, the watts and the
    /// directories come from environment variables, which the README lists. Relative directories are resolved against
    /// the current directory when the session opens. A concurrency of 0, or 0 `async_threads`, is treated as 1.
    #[doc(alias = "SessionBuilder")]
    #[doc(alias = "Config")]
    #[derive(Clone, Debug)]
    #[non_exhaustive]
    {
        /// Threads of the CPU, 1 to 1,024. Default: all threads that the process may use.
        threads: Option<usize> = None, set(threads: usize) Some(threads);

        /// The number of rows that a CPU thread processes at a time, rounded up to a multiple of 4,096. Default: rows
        /// of a few hundred kilobytes. The value never changes a result.
        morsel_rows: Option<usize> = None, set(rows: usize) Some(rows.max(1));

        /// The maximum number of rows that one launch of a sort, group or join reads, rounded up to a multiple of
        /// 4,096; the results of the launches are merged. Default: all rows that the memory allows. The value never
        /// changes a result.
        batch_rows: Option<usize> = None, set(rows: usize) Some(rows.max(1));

        /// The maximum number of rows that one launch of a group or join returns, if their number is not known in
        /// advance. Default: a number that grows as needed. The value never changes a result.
        output_rows: Option<usize> = None, set(rows: usize) Some(rows.max(1));

        /// The maximum number of bytes of host memory for results and intermediate columns. Default: no limit but the
        /// system's. Intermediate columns that do not fit are spilled to
        /// [`spill_directory`](SessionOptions::spill_directory), except in queries that join, group or sort, which fail
        /// instead.
        memory_bytes: Option<usize> = None, set(bytes: usize) Some(bytes);

        /// The directory for columns that exceed [`memory_bytes`](SessionOptions::memory_bytes). Only the current user
        /// may have write access to it. Default: `POINTSMAN_SPILL_DIR`, or else `pointsman/spill` in the user's cache
        /// directory. Spill files disappear when the query ends, even if its process is killed.
        spill_directory: Option<PathBuf> = None, set(directory: impl Into<PathBuf>) Some(directory.into());

        /// The maximum number of bytes that spilled columns of the session occupy on disk at once. Default: 32 GiB.
        /// With 0, nothing is spilled, and a query that exceeds its memory fails.
        spill_bytes: u64 = SPILL_BYTES_MAX, set(bytes: u64) bytes;

        /// The devices that the session may use besides the CPU, as names (`cuda:0`) or kinds (`vulkan`). Default:
        /// `POINTSMAN_DEVICES`, or else every device of the machine.
        devices: Option<Vec<String>> = None, set(names: impl IntoIterator<Item = impl Into<String>>)
            Some(names.into_iter().map(Into::into).collect());

        /// The device for queries that name none, as if each called [`Query::prefer`](crate::Query::prefer). Join
        /// devices that share each query with `+`: `cuda:0+cpu`. Default: `POINTSMAN_DEVICE`, or else
        /// [`policy`](SessionOptions::policy) selects a device for each query.
        prefer: Option<String> = None, set(device: &str) Some(device.to_string());

        /// How devices are selected for queries that name none. Default: `POINTSMAN_POLICY`, or else
        /// [`Policy::Fastest`].
        policy: Option<Policy> = None, set(policy: Policy) Some(policy);

        /// The devices that [`policy`](SessionOptions::policy) selects from, besides the CPU. Default: all devices
        /// except software emulations of a GPU. If the CPU is the only one, nothing is selected.
        choose_among: Option<Vec<String>> = None, set(names: impl IntoIterator<Item = impl Into<String>>)
            Some(names.into_iter().map(Into::into).collect());

        /// Whether float arithmetic must have the exact bits of the CPU, or may run on devices that guarantee error
        /// bounds only (Vulkan, Metal, DirectX 12). Default: [`Exactness::Exact`]. A query can override it.
        exactness: Exactness = Exactness::Exact, set(exactness: Exactness) exactness;

        /// The maximum number of queries that run on the CPU at once, whatever the threads of each. Default: four for
        /// each hardware thread, at least 16.
        cpu_concurrency: usize = default_cpu_concurrency(), set(queries: usize) queries;

        /// The maximum number of queries that run at once on each other device, each on its own streams. Default: 4.
        device_concurrency: usize = 4, set(queries: usize) queries;

        /// The maximum number of queries that wait for a device, including the CPU. Default: 1,024. One query more
        /// fails with [`ErrorKind::Busy`](crate::ErrorKind::Busy).
        queue_limit: usize = 1024, set(queries: usize) queries;

        /// The number of threads that run asynchronous queries ([`Query::run_async`](crate::Query::run_async)).
        /// Default: 4. They start on demand.
        async_threads: usize = 4, set(threads: usize) threads;

        /// The maximum number of asynchronous queries that wait for a thread. Default: 1,024. One query more fails with
        /// [`ErrorKind::Busy`](crate::ErrorKind::Busy).
        async_queue_limit: usize = 1024, set(queries: usize) queries;

        /// How long a launch or a copy may take before the session treats its device as hung. Default: 10 minutes. A
        /// query can have a shorter [`deadline`](crate::Query::deadline). If several devices share a query, a device is
        /// treated as hung sooner: when a batch takes ten times longer than expected, and at least one second.
        launch_timeout: Duration = Duration::from_secs(600), set(timeout: Duration) timeout;

        /// How long a driver may take to compile and load a kernel. Default: 10 minutes. A device whose driver does not
        /// return in time is not used again in this session. A query with a [`deadline`](crate::Query::deadline) does
        /// not wait that long: while the driver compiles, the next device answers.
        compile_timeout: Duration = Duration::from_secs(600), set(timeout: Duration) timeout;

        /// How long dropping the session waits for compilations that are still running. Default: 10 seconds. A
        /// compilation that takes longer continues without the session. The session does not wait for one that has
        /// exceeded [`compile_timeout`](SessionOptions::compile_timeout).
        drop_timeout: Duration = Duration::from_secs(10), set(timeout: Duration) timeout;

        /// The maximum number of retries of a query on a device that reports a transient failure. Default: 3. All
        /// queries together retry at most once for every five calls of a device.
        retry_limit: u32 = 3, set(retries: u32) retries;

        /// The longest wait before the first retry. Default: 10 ms. It doubles with each retry; the actual wait is a
        /// random part of it.
        retry_backoff: Duration = Duration::from_millis(10), set(backoff: Duration) backoff;

        /// The fraction of runs on other devices, 0 to 1, that the CPU repeats to verify the answer. Default: 0. The
        /// session discards an answer that differs from the CPU's and stops using its device. The sample is
        /// pseudo-random and the same in every session. [`Session::verification`] counts the verified runs.
        verify_share: f64 = 0.0, set(share: f64) share;

        /// The maximum number of bytes that the session allocates on each device with memory of its own, all queries
        /// and resident columns together. Default: 15/16 of the device's memory. A query reserves its memory before it
        /// runs, and waits for earlier queries if necessary; a query that does not fit runs in batches.
        device_memory_bytes: Option<u64> = None, set(bytes: u64) Some(bytes);

        /// The maximum number of bytes of each such device's memory for columns that stay there between queries: a
        /// [`Column`](crate::Column) or [`Lookup`](crate::Lookup) that is read again is not copied again, nor is one that
        /// the device itself wrote as the result of a query. (The host has a copy of every result.) Default: a
        /// quarter of [`device_memory_bytes`](SessionOptions::device_memory_bytes) or of the device's memory, or 256
        /// MiB if the driver does not report its size. The columns that save the least time per byte are evicted first.
        /// With 0, no column stays, except those of [`Session::keep`], which do not count here.
        resident_bytes: Option<u64> = None, set(bytes: u64) Some(bytes);

        /// The number of batches of a stage that a device holds at once, 1 to 3. Default: 3, so that one is copied in
        /// while one runs and one is copied out. A device with too little memory holds fewer.
        batches_in_flight: usize = 3, set(batches: usize) batches;

        /// The shortest time on one device that makes sharing a query worthwhile. Default: 5 ms. If the first of
        /// several devices (`prefer("cuda:0+cpu")`) needs less time alone, it runs the query alone. With 0, the devices
        /// always share.
        share_time_min: Duration = Duration::from_millis(5), set(time: Duration) time;

        /// Whether the CPU answers while a preferred device compiles a query for the first time. Default: `false`, so
        /// the query waits for its device. Queries that require a device always wait. A background compilation starts
        /// only while fewer than four helper threads run; otherwise the query waits for its device.
        compile_in_background: bool = false, set(background: bool) background;

        /// Whether the session measures its devices in the background, as soon as it has discovered several to select
        /// from. Default: `true`. Measuring yields to queries: while they run, it takes about 3 % of the time. With
        /// `false`, the selector uses stored or guessed speeds until [`Session::calibrate`] is called.
        background_calibration: bool = true, set(measure: bool) measure;

        /// The directory where compiled programs are stored for later sessions. Only the current user may have write
        /// access to it. Default: `POINTSMAN_CACHE_DIR`, or else `pointsman` in the user's cache directory. Programs of
        /// devices that compile quickly, such as the CPU, are not stored.
        program_directory: Option<PathBuf> = None, set(directory: impl Into<PathBuf>) Some(directory.into());

        /// The maximum number of bytes that stored programs occupy on disk. Default: 256 MiB; the least recently used
        /// are deleted. With 0, no program is stored, as with `POINTSMAN_CACHE=off`.
        program_bytes: u64 = STORED_BYTES_MAX, set(bytes: u64) bytes;

        /// The number of receipts that the session remembers for [`Session::receipts`] and [`Session::advise`].
        /// Default: 0.
        keep_receipts: usize = 0, set(count: usize) count;

        /// Whether counters and histograms go to the recorder of the crate `metrics`. Default: `true` if a recorder is
        /// installed when the session opens.
        metrics: Option<bool> = None, set(metrics: bool) Some(metrics);

        /// Whether result memory is filled with the byte 0xAB whenever it is allocated and freed, so that tests can
        /// detect unwritten bytes. Default: `false`.
        poison_memory: bool = false, set(poison: bool) poison;

        /// The clock for deadlines, timeouts and circuit breakers. Default: the system's monotonic clock. Tests set a
        /// virtual one.
        clock: Option<Arc<dyn Clock>> = None, set(clock: Arc<dyn Clock>) Some(clock);
    }
    {
        /// The watts that devices draw under load, above idle, by device. The method `watts` sets one.
        pub watts: BTreeMap<String, f64> = BTreeMap::new();

        /// Names of optimizer passes that do not run. The method `disable_pass` adds one.
        pub disabled_passes: BTreeSet<String> = BTreeSet::new();

        /// Devices that the program supplies.
        added: AddedDevices = AddedDevices::default();

        /// Makes spill files; tests replace it with one that fails.
        pub(crate) spill_create: crate::exec::spill::Create = SpillOptions::default().create;

        /// The folder of the processor's energy counters; tests replace it.
        pub(crate) powercap: Option<&'static str> = None;
    }
}

fn default_cpu_concurrency() -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    (4 * threads).max(16)
}

/// Devices that the program supplies; printed as their names.
#[derive(Clone, Default)]
struct AddedDevices(Vec<Arc<dyn Device>>);

impl fmt::Debug for AddedDevices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|device| &device.info().name)).finish()
    }
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions::new()
    }
}

impl SessionOptions {
    /// Adds a device that the program supplies, under the device's own name. The restriction by
    /// [`devices`](SessionOptions::devices) does not apply to it.
    pub fn add_device(mut self, device: Arc<dyn Device>) -> SessionOptions {
        self.added.0.push(device);
        self
    }

    /// Sets the power that a device draws under load, above idle, in watts, for [`Policy::LeastEnergy`] on machines
    /// that do not report it. It takes precedence over `POINTSMAN_WATTS` (`cpu=150,cuda:0=400`) and over measurements.
    /// Default: the driver or the operating system reports it.
    pub fn watts(mut self, device: &str, watts: f64) -> SessionOptions {
        self.watts.insert(device.to_string(), watts);
        self
    }

    /// Disables an optimizer pass by its name. An unknown name is an error of [`open`](SessionOptions::open). Default:
    /// all passes run.
    pub fn disable_pass(mut self, name: &str) -> SessionOptions {
        self.disabled_passes.insert(name.to_string());
        self
    }

    /// Opens a session with these options. An invalid option or environment variable (an unknown pass, device or
    /// policy, a number outside its range) is an error that names it.
    pub fn open(mut self) -> Result<Session> {
        self.check()?;
        let settings = self.read_environment(of_process)?;
        let among = self.choose_among.clone();
        let rules = SelectionRules::new(self.policy, among, &self.watts, &self.added_names())?;
        self.watts.clone_from(&rules.watts);
        let (registry, pool) = DeviceRegistry::open(self.cpu(settings.jit), self.device_options(settings))?;
        rules.check_energy(&registry)?;
        let registry = Arc::new(registry);
        let counters = Arc::new(DeviceCounterSet::new(MetricsConfig::of(self.metrics)));
        let clock = self.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::start()));
        let limits = CompileLimits { compile_timeout: self.compile_timeout, drop_timeout: self.drop_timeout };
        let programs = Programs::open(self.store(), clock.clone(), limits);
        let selector = SelectorService::new(
            self.selection(rules),
            registry.clone(),
            Arc::downgrade(&programs),
            clock.clone(),
            counters.clone(),
        );
        Ok(Session(Arc::new(SessionInner {
            registry,
            selector,
            passes: PassOptions { disabled: self.disabled_passes.clone() },
            plans: Cache::new(PLANS_MAX),
            programs,
            telemetry: Telemetry::new(self.keep_receipts, counters),
            pool,
            spill: Spill::new(SpillOptions {
                directory: self.spill_directory.clone(),
                bytes_max: self.spill_bytes,
                create: self.spill_create,
            }),
            verifier: Verifier::new(self.verify_share)?,
            async_pool: AsyncPool::new(self.async_threads, self.async_queue_limit, clock.clone()),
            clock,
            // Processes that start together must not retry together.
            jitter: RandomDraws::new(RandomState::new().hash_one(0)),
            options: self,
            process: Process::current(),
        })))
    }

    fn selection(&self, rules: SelectionRules) -> ServiceOptions {
        ServiceOptions {
            rules,
            preferred: self.prefer.clone(),
            exactness: self.exactness,
            share_time_min: self.share_time_min,
            store: self.store(),
            drop_timeout: self.drop_timeout,
            background_calibration: self.background_calibration,
            time_small_queries,
        }
    }

    fn check(&self) -> Result<()> {
        if let Some(unknown) = self.disabled_passes.iter().find(|name| !passes::NAMES.contains(&name.as_str())) {
            let names = passes::NAMES.join(", ");
            return Err(Error::invalid(format!("there is no pass `{unknown}`; the passes are {names}")));
        }
        if let Some(threads) = self.threads.filter(|threads| !(1..=THREADS_MAX).contains(threads)) {
            let what = if threads == 0 { "too few" } else { "too many" };
            return Err(Error::invalid(format!("{threads} threads are {what}: ask for 1 to {THREADS_MAX}")));
        }
        let (batches, most) = (self.batches_in_flight, AT_ONCE_MAX);
        if !(1..=most).contains(&batches) {
            return Err(Error::invalid(format!("{batches} batches in flight are not possible: ask for 1 to {most}")));
        }
        self.check_names()
    }

    /// Checks that the devices that are preferred or selected from can exist. The registry checks the others.
    fn check_names(&self) -> Result<()> {
        let added = self.added_names();
        let preferred = self.prefer.iter().flat_map(|names| match names.contains(SHARED) {
            true => names.split(SHARED).map(str::trim).collect(),
            false => vec![names.as_str()],
        });
        let mut names = preferred.chain(self.choose_among.iter().flatten().map(String::as_str));
        let unknown = names.find(|name| !is_device_name(name) && !added.iter().any(|own| own == name));
        unknown.map_or(Ok(()), |name| {
            let what = format!("there is no device `{name}` to prefer or to select: devices are named like `cpu`");
            Err(Error::invalid(format!("{what}, `cuda:0`, `vulkan:0`")))
        })
    }

    /// The names of the devices that the program brings.
    pub(super) fn added_names(&self) -> Vec<String> {
        self.added.0.iter().map(|device| device.info().name.clone()).collect()
    }

    fn cpu(&self, jit: Option<bool>) -> CpuOptions {
        CpuOptions {
            jit,
            threads: self.threads,
            morsel_rows: self.morsel_rows,
            pool_bytes: self.memory_bytes,
            poison: self.poison_memory,
            powercap: self.powercap,
            ..CpuOptions::default()
        }
    }

    fn device_options(&self, settings: EnvironmentSettings) -> DeviceOptions {
        DeviceOptions {
            only: self.devices.clone(),
            without: settings.without,
            user_devices: self.added.0.clone(),
            limits: DeviceLimits {
                cpu_concurrency: self.cpu_concurrency,
                device_concurrency: self.device_concurrency,
                queue_limit: self.queue_limit,
                memory: MemoryLimits { device_bytes: self.device_memory_bytes, resident_bytes: self.resident_bytes },
            },
        }
    }

    fn store(&self) -> StoreOptions {
        StoreOptions { directory: self.program_directory.clone(), bytes_max: self.program_bytes }
    }
}
