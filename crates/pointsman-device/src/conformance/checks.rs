//! The tests of the suite. Each takes a device, or variants of one, and panics if it is wrong, with the smallest kernel
//! that shows it.

use super::differential::{compare_all, compare_case, compare_parts, compare_resumed, profile};
use super::run::load;
use crate::environment::{SWITCH, Variable, of_process};
use crate::host::{BoolLayout, HostBuffer, HostChunk};
use crate::launch::{ColumnInput, ColumnOutput, Form, Launch, may_stop_early};
use crate::{BufferRange, Device, DeviceErrorKind, EventStatus, Priority, ProgramImage};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Coverage, Least, Profile, Rng, SinkKind, case};
use std::sync::Arc;
use std::time::Duration;

/// The number of random kernels that a device is compared on.
pub const KERNELS: u64 = 10_000;
/// The number of random kernels that are split, merged and compared.
const SPLIT_KERNELS: u64 = 600;
/// The number of random kernels whose launches have little room.
const RESUMED_KERNELS: u64 = 500;
/// Environment variables: the number of random kernels in place of [`KERNELS`] and [`SPLIT_KERNELS`], and the shard of the seeds (`0/12`: the
/// first of twelve), for devices that compile slowly.
const CASES: Variable = Variable { name: "POINTSMAN_CASES", allowed: "a number" };
const SHARD: Variable = Variable { name: "POINTSMAN_SHARD", allowed: "a shard and the number of shards: `0/12`" };
/// Environment variable: if it is on, all random kernels that differ are listed by seed, in place of the first one in its
/// smallest form, which takes as long as many comparisons.
const KEEP_GOING: Variable = Variable { name: "POINTSMAN_KEEP_GOING", allowed: SWITCH };
/// The minimum number of occurrences of each operation × type × nullability among the random kernels.
const LEAST: Least = Least { triple: 20, cast: 5, rows: 5, median_calls: 12 };
const TIMEOUT: Duration = Duration::from_secs(60);

/// The seeds of the random kernels: the total number, and this process's shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seeds {
    count: u64,
    shard: u64,
    shards: u64,
}

impl Seeds {
    /// The shard given by the environment, otherwise all `count` seeds.
    fn from_environment(count: u64) -> Seeds {
        let (shard, shards) = parsed(SHARD, Seeds::shard).unwrap_or((0, 1));
        Seeds { count, shard, shards }
    }

    fn shard(text: &str) -> Option<(u64, u64)> {
        let (shard, shards) = text.split_once('/')?;
        let (shard, shards) = (shard.parse().ok()?, shards.parse().ok()?);
        (shard < shards).then_some((shard, shards))
    }

    fn iter(self) -> impl Iterator<Item = u64> {
        (self.shard..self.count).step_by(self.shards as usize)
    }
}

/// The profile of variants of a device, which support the same sinks.
fn common_profile(devices: &[&dyn Device]) -> Profile {
    let common = profile(devices[0]);
    for device in devices {
        assert_eq!(profile(*device).sinks, common.sinks, "{}: variants support the same sinks", device.info().model);
    }
    common
}

/// The value of a test variable. Panics if it is malformed: a run with other settings would prove something else.
fn parsed<T>(variable: Variable, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let text = variable.text(of_process).unwrap_or_else(|error| panic!("{error}"))?;
    Some(parse(&text).unwrap_or_else(|| panic!("{}", variable.error(text))))
}

/// The number of random kernels to compare: the environment's (`POINTSMAN_CASES`), otherwise `usual`.
pub fn cases(usual: u64) -> u64 {
    parsed(CASES, |text| text.parse().ok()).unwrap_or(usual)
}

/// Ten thousand random kernels give the interpreter's bits; every operation, type and size occurs among them.
pub fn random_kernels(devices: &[&dyn Device]) {
    let profile = common_profile(devices);
    let seeds = Seeds::from_environment(cases(KERNELS));
    let keep_going = KEEP_GOING.switch(of_process).unwrap_or_else(|error| panic!("{error}"));
    if keep_going == Some(true) {
        return devices.iter().for_each(|device| list_differences(*device, &profile, seeds));
    }
    let mut coverage = Coverage::new();
    let met = compare_all(devices, &profile, seeds.iter(), |case| coverage.add(&case.kernel, case.inputs.rows));
    let met = met.unwrap_or_else(|difference| panic!("{difference}"));
    eprintln!("{}: {met:?}", devices[0].info().name);
    assert_eq!(met.kernels, seeds.iter().count(), "every kernel ran");
    if seeds.count < KERNELS || seeds.shards > 1 {
        return;
    }
    assert!(met.faults > met.kernels / 100, "faults must occur to be compared: {met:?}");
    let missing = coverage.missing(&profile, LEAST);
    assert!(missing.is_empty(), "these occur too rarely to be trusted:\n{}", missing.join("\n"));
}

/// Compares all random kernels and lists those that differ.
fn list_differences(device: &dyn Device, profile: &Profile, seeds: Seeds) {
    let differs = |seed: u64| {
        let what = compare_case(device, &case(seed, profile)).err()?;
        Some(format!("seed {seed}: {what}"))
    };
    let found: Vec<String> = seeds.iter().filter_map(differs).collect();
    assert!(found.is_empty(), "{}: {} differ:\n{}", device.info().name, found.len(), found.join("\n"));
}

/// Partials of random leaf-aligned splits merge into the whole.
pub fn merged_partials(devices: &[&dyn Device]) {
    let sizes = [(0, 1), (1, 1), (4095, 2), (4097, 3), (9_000, 4), (20_000, 4), (41_000, 1)];
    let profile = common_profile(devices).with_rows(&sizes);
    let mut rng = Rng::new(1);
    for seed in Seeds::from_environment(cases(SPLIT_KERNELS)).iter() {
        let case = case(seed, &profile);
        if let Err(what) = compare_parts(devices, &case, &mut rng) {
            panic!("seed {seed}: {what}\n{}", case.kernel.print());
        }
    }
}

/// Launches that stop for lack of room and go on give the whole.
pub fn resumed_launches(devices: &[&dyn Device]) {
    let sinks = [SinkKind::Compact, SinkKind::Group];
    let common = common_profile(devices);
    if !sinks.iter().all(|sink| common.sinks.contains(sink)) {
        return;
    }
    let profile = common.with_sinks(&sinks).with_rows(&[(1, 1), (7, 2), (65, 3), (300, 1)]);
    for seed in Seeds::from_environment(cases(RESUMED_KERNELS)).iter() {
        let case = case(seed, &profile);
        if !may_stop_early(&case.kernel) {
            continue;
        }
        for room in [1, 2, 3, 7, 64] {
            if let Err(what) = compare_resumed(devices, &case, room) {
                panic!("seed {seed}, room {room}: {what}\n{}", case.kernel.print());
            }
        }
    }
}

/// Concurrent launches from several threads give the same results as alone.
pub fn many_threads(device: &dyn Device) {
    let profile = profile(device);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let profile = &profile;
            scope.spawn(move || {
                for seed in (20_000 + thread..20_200).step_by(4) {
                    let case = case(seed, profile);
                    compare_case(device, &case).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
                }
            });
        }
    });
}

/// A small kernel that every device supports.
const SMALL: &str = "kernel
columns c0: f32
params p0: f32
  v0: f32 = column c0
  v1: f32 = param p0
  v2: f32 = mul v0 v1
sink store v2
";

/// Images with a flipped bit, truncated images and images of other devices are refused.
pub fn damaged_images(device: &dyn Device) {
    let kernel = parse(SMALL).expect("the text of a kernel");
    let image = device.compile(&kernel).expect("a small kernel compiles");
    let program = device.load(&image).expect("its image loads");
    device.unload(program);
    let foreign = ProgramImage { format: "another device's".to_string(), ..image.clone() };
    let refused = device.load(&foreign).expect_err("a foreign image is refused");
    assert_eq!(refused.kind, DeviceErrorKind::Compile, "{refused}");
    for length in 0..image.bytes.len() {
        let cut = ProgramImage { bytes: image.bytes[..length].to_vec(), ..image.clone() };
        let refused = device.load(&cut).expect_err("a cut image is refused");
        assert_eq!(refused.kind, DeviceErrorKind::Compile, "{refused}");
    }
    for bit in 0..image.bytes.len() * 8 {
        let mut flipped = image.clone();
        flipped.bytes[bit / 8] ^= 1 << (bit % 8);
        let refused = device.load(&flipped).expect_err("a damaged image is refused");
        assert_eq!(refused.kind, DeviceErrorKind::Compile, "{refused}");
    }
}

/// A launch with wrong counts, too little room or an unknown program is an error, not a crash.
pub fn launches_that_do_not_fit(device: &dyn Device) {
    if !device.info().capabilities.host_memory {
        return unknown_handles(device);
    }
    let kernel = parse(SMALL).expect("the text of a kernel");
    let program = load(device, &kernel).expect("a small kernel loads");
    let stream = device.open_stream(Priority::Normal).expect("a stream opens");
    let values = [0u8; 40];
    let params = [Some(pointsman_ir::types::Scalar::F32(2.0))];
    let wrong_params = [Some(pointsman_ir::types::Scalar::F64(2.0))];
    let attempt = |rows: usize, input_bytes: usize, output_bytes: usize, columns: usize, params: &[_]| {
        let chunks = [HostChunk {
            values: &values[..input_bytes],
            bools: BoolLayout::Bits,
            bit_offset: 0,
            validity: None,
            rows: input_bytes / 4,
        }];
        let inputs = vec![ColumnInput::Host(&chunks); columns];
        let mut room = vec![0u8; output_bytes];
        let output = ColumnOutput::Host { values: &mut room, bools: BoolLayout::Bits, validity: None };
        let mut outputs = [output];
        let (columns, outputs) = (&inputs[..], &mut outputs[..]);
        let mut launch = Launch {
            first_row: 0,
            rows,
            first_match: 0,
            form: Form::Whole,
            columns,
            params,
            lists: &[],
            tables: &[],
            outputs,
        };
        device.launch(stream, program, &mut launch).map_err(|error| error.kind)
    };
    assert!(attempt(10, 40, 40, 1, &params).is_ok(), "the launch that fits");
    let misfit = Err(DeviceErrorKind::InvalidArgument);
    assert_eq!(attempt(10, 40, 36, 1, &params), misfit, "too little room for the result");
    assert_eq!(attempt(10, 36, 40, 1, &params), misfit, "too few values");
    assert_eq!(attempt(10, 40, 40, 2, &params), misfit, "a column too many");
    assert_eq!(attempt(10, 40, 40, 1, &[]), misfit, "a scalar too few");
    assert_eq!(attempt(10, 40, 40, 1, &wrong_params), misfit, "a scalar of another type");
    assert_eq!(attempt(10, 40, 40, 1, &[None]), misfit, "a null scalar where the type has none");
    device.close_stream(stream);
    device.unload(program);
    unknown_handles(device);
}

fn unknown_handles(device: &dyn Device) {
    let stream = device.open_stream(Priority::Normal).expect("a stream opens");
    let mut launch = Launch {
        first_row: 0,
        rows: 0,
        first_match: 0,
        form: Form::Whole,
        columns: &[],
        params: &[],
        lists: &[],
        tables: &[],
        outputs: &mut [],
    };
    let unknown = device.launch(stream, crate::ProgramId(u64::MAX), &mut launch).expect_err("no such program");
    assert_eq!(unknown.kind, DeviceErrorKind::InvalidArgument);
    let program = load(device, &parse(SMALL).expect("the text of a kernel")).expect("a small kernel loads");
    device.unload(program);
    let unknown = device.launch(stream, program, &mut launch).expect_err("the program was unloaded");
    assert!(unknown.message.contains("program"), "{unknown}");
    let buffer = device.allocate(8).expect("there is memory");
    device.free(buffer);
    let freed = BufferRange { buffer, offset: 0, bytes: 8 };
    let unknown = device.copy_out(stream, freed, HostBuffer::zeroed(8)).expect_err("the buffer was given back");
    assert_eq!(unknown.kind, DeviceErrorKind::InvalidArgument);
    let nowhere = BufferRange { buffer: crate::BufferId(u64::MAX), offset: 0, bytes: 8 };
    let unknown = device.copy_out(stream, nowhere, HostBuffer::zeroed(8)).expect_err("no such buffer");
    assert_eq!(unknown.kind, DeviceErrorKind::InvalidArgument);
    device.close_stream(stream);
}

/// Sinks that the device lacks are refused as unsupported.
pub fn kernels_without_code(device: &dyn Device) {
    if !device.info().capabilities.sinks.contains(&"sort") {
        let text = SMALL.replace("sink store v2", "sink sort keys(v2 asc nulls_last) columns(v2)");
        let refused = device.supports(&parse(&text).expect("the text of a kernel")).expect_err("no sort");
        assert_eq!(refused.kind, DeviceErrorKind::Unsupported, "{refused}");
        assert!(refused.message.contains("sort"), "{refused}");
        let compiled = device.compile(&parse(&text).expect("the text of a kernel"));
        assert_eq!(compiled.map_err(|error| error.kind), Err(DeviceErrorKind::Unsupported));
    }
}

/// Buffers hold the bytes that were copied in, and are counted until they are freed.
pub fn freed_memory_is_returned(device: &dyn Device) {
    let before = device.memory().used;
    let stream = device.open_stream(Priority::Urgent).expect("a stream opens");
    let mut buffers = Vec::new();
    for bytes in [0usize, 1, 63, 64, 4096, 1 << 20] {
        let buffer = device.allocate(bytes).expect("there is memory");
        let mut staging = HostBuffer::zeroed(bytes);
        for (i, byte) in staging.iter_mut().enumerate() {
            *byte = (i * 31) as u8;
        }
        let staging = Arc::new(staging);
        let range = BufferRange { buffer, offset: 0, bytes: bytes as u64 };
        device.copy_in(stream, staging.clone(), range).expect("a copy in");
        let beyond = BufferRange { bytes: bytes as u64 + 1, ..range };
        let refused = device.copy_out(stream, beyond, HostBuffer::zeroed(bytes + 1)).expect_err("beyond the buffer");
        assert_eq!(refused.kind, DeviceErrorKind::InvalidArgument);
        let copy = device.copy_out(stream, range, HostBuffer::zeroed(bytes)).expect("a copy out");
        let back = device.finish_copy(copy, TIMEOUT).expect("the copy comes back");
        assert_eq!(&back[..], &staging[..], "{bytes} bytes");
        buffers.push(buffer);
    }
    assert!(device.memory().used >= before + (1 << 20), "used memory is counted");
    for buffer in buffers {
        device.free(buffer);
    }
    device.close_stream(stream);
    assert_eq!(device.memory().used, before, "all memory came back");
}

/// An event is reached once the work before it is done, and time does not run backwards.
pub fn streams_and_events(device: &dyn Device) {
    let (first, second) = (device.open_stream(Priority::Normal), device.open_stream(Priority::Background));
    let (first, second) = (first.expect("a stream opens"), second.expect("a second one too"));
    let start = device.record(first).expect("an event");
    let buffer = device.allocate(1 << 16).expect("there is memory");
    let range = BufferRange { buffer, offset: 0, bytes: 1 << 16 };
    device.copy_in(first, Arc::new(HostBuffer::zeroed(1 << 16)), range).expect("a copy in");
    let copied = device.record(first).expect("an event");
    device.wait_for(second, copied).expect("a stream waits for an event");
    let copy = device.copy_out(second, range, HostBuffer::zeroed(1 << 16)).expect("a copy out");
    device.finish_copy(copy, TIMEOUT).expect("the copy comes back");
    assert_eq!(device.event_status(copied), Ok(EventStatus::Reached), "the copy out came after it");
    assert!(device.elapsed(start, copied).is_ok(), "both were reached");
    device.forget_event(start);
    device.forget_event(copied);
    assert!(device.event_status(copied).is_err(), "a forgotten event is unknown");
    device.free(buffer);
    device.close_stream(first);
    device.close_stream(second);
}
