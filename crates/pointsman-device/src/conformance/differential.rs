//! Compares a device with the interpreter: the same bits, the same fault in the same row, or a failure that shows the
//! kernel.

use super::layout::Shape;
use super::run::{Ran, Run, load};
use super::{calls, fast_sums};
use crate::launch::{FaultLocation, Form};
use crate::sim::faulty_fold;
use crate::{Device, DeviceError, DeviceErrorKind, ProgramId};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::{self, Fault, Partial};
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, Sink};
use pointsman_ir::random::{Case, FastSums, OwnedInputs, Profile, Rng, SideTables, SinkKind, case, minimise, values};

/// The counters of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Kernels compared.
    pub kernels: usize,
    /// Kernels that faulted, on both sides alike.
    pub faults: usize,
    /// Launches over at least one row, on each device.
    pub launches: usize,
    /// Kernels that the device refused for a listed reason.
    pub refused: usize,
}

impl std::ops::AddAssign for Met {
    fn add_assign(&mut self, other: Met) {
        self.kernels += other.kernels;
        self.faults += other.faults;
        self.launches += other.launches;
        self.refused += other.refused;
    }
}

/// A difference between a device and the interpreter.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The seed of the case.
    pub seed: u64,
    /// The results of both sides.
    pub what: String,
    /// A minimized kernel that still shows the difference, with its inputs.
    pub shown: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.what, self.shown)
    }
}

/// The profile of random kernels for a device: the sinks that it supports.
pub fn profile(device: &dyn Device) -> Profile {
    let named = |kind: &SinkKind| device.info().capabilities.sinks.contains(&&*format!("{kind:?}").to_lowercase());
    let sinks: Vec<SinkKind> = SinkKind::ALL.into_iter().filter(named).collect();
    let mut profile = Profile::streaming().with_sinks(&sinks);
    let is_relational = profile.sinks.len() == SinkKind::ALL.len();
    profile.side_tables = if is_relational { SideTables::GatherAndProbe } else { SideTables::Gather };
    profile.fast_sums = if is_relational { FastSums::Some } else { FastSums::None };
    profile
}

/// Compares a device with the interpreter over the cases of these seeds.
pub fn compare(
    device: &dyn Device,
    profile: &Profile,
    seeds: impl IntoIterator<Item = u64>,
    seen: impl FnMut(&Case),
) -> Result<Met, Difference> {
    compare_all(&[device], profile, seeds, seen)
}

/// Compares devices with the interpreter, which runs each case once, over the cases of these seeds. Devices that are
/// compared together must refuse, launch and fault alike.
pub fn compare_all(
    devices: &[&dyn Device],
    profile: &Profile,
    seeds: impl IntoIterator<Item = u64>,
    mut seen: impl FnMut(&Case),
) -> Result<Met, Difference> {
    let mut met = Met::default();
    for seed in seeds {
        let case = case(seed, profile);
        seen(&case);
        match compare_once(devices, &case) {
            Ok(of_case) => met += of_case,
            Err((number, what)) => return Err(difference(number, devices[number], case, what)),
        }
    }
    Ok(met)
}

/// Compares devices with one run of the interpreter; an error comes with the device's number.
fn compare_once(devices: &[&dyn Device], case: &Case) -> Result<Met, (usize, String)> {
    let expected = Expected::of(case);
    let mut first = None;
    for (number, device) in devices.iter().enumerate() {
        let met = compare_expected(*device, case, &expected).map_err(|what| (number, what))?;
        let first = *first.get_or_insert(met);
        if met != first {
            return Err((number, format!("{met:?} differs from {first:?} of the first device")));
        }
    }
    Ok(first.unwrap_or_default())
}

/// Compares one case in several layouts; returns whether it faulted.
pub fn compare_case(device: &dyn Device, case: &Case) -> Result<bool, String> {
    compare_expected(device, case, &Expected::of(case)).map(|met| met.faults > 0)
}

/// Compares one case on several devices in several layouts; returns whether it faulted.
pub fn compare_case_on_all(devices: &[&dyn Device], case: &Case) -> Result<bool, String> {
    let compared = compare_once(devices, case);
    compared.map(|met| met.faults > 0).map_err(|(number, what)| on_device(number, devices[number], &what))
}

/// Compares one case on several devices with data that start at each bit of a byte.
pub fn compare_slices(devices: &[&dyn Device], case: &Case) -> Result<(), String> {
    let expected = case.run();
    for (number, device) in devices.iter().enumerate() {
        let program = load(*device, &case.kernel).map_err(refused)?;
        let compared =
            (0..8).try_for_each(|bits| launch(*device, program, case, &expected, Shape::Sliced(bits)).map(drop));
        device.unload(program);
        compared.map_err(|what| on_device(number, *device, &what))?;
    }
    Ok(())
}

/// A finding with the device's number among the compared ones, and its model.
fn on_device(number: usize, device: &dyn Device, what: &str) -> String {
    format!("device {number} ({}): {what}", device.info().model)
}

/// The interpreter's result of a case, and of the same kernel over fewer rows with other scalars.
struct Expected {
    whole: Result<TableData, Fault>,
    other: Option<(Case, Result<TableData, Fault>)>,
}

impl Expected {
    fn of(case: &Case) -> Expected {
        let other = case.seed.is_multiple_of(4).then(|| relaunched(case));
        Expected { whole: case.run(), other: other.map(|other| (other.clone(), other.run())) }
    }
}

fn compare_expected(device: &dyn Device, case: &Case, expected: &Expected) -> Result<Met, String> {
    if is_refused(device, case) {
        return Ok(Met { kernels: 1, refused: 1, ..Met::default() });
    }
    let program = load(device, &case.kernel).map_err(refused)?;
    let compared = compare_launches(device, program, case, expected);
    device.unload(program);
    compared
}

/// Whether the device refuses the kernel for a reason that it lists.
pub fn is_refused(device: &dyn Device, case: &Case) -> bool {
    let listed = |error: DeviceError| {
        let opening = |reason: &&str| error.message.starts_with(reason);
        error.kind == DeviceErrorKind::Unsupported && device.info().capabilities.refuses.iter().any(opening)
    };
    device.supports(&case.kernel).is_err_and(listed)
}

/// Compares one launch; returns whether it faulted.
fn launch(
    device: &dyn Device,
    program: ProgramId,
    case: &Case,
    expected: &Result<TableData, Fault>,
    shape: Shape,
) -> Result<bool, String> {
    let Case { kernel, inputs, .. } = case;
    let ran = Run { device, program, kernel, inputs, form: Form::Whole, shape }.run().map_err(refused)?;
    same(case, expected, &ran)
}

/// The error of a launch that the device must refuse.
pub(super) fn refusal(device: &dyn Device, case: &Case) -> String {
    let Case { kernel, inputs, .. } = case;
    let program = load(device, kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let shape = if device.info().capabilities.host_memory { Shape::Plain } else { Shape::Copied };
    let ran = Run { device, program, kernel, inputs, form: Form::Whole, shape }.run();
    device.unload(program);
    ran.map(|_| ()).expect_err("the launch does not fit the kernel").to_string()
}

/// Compares the launches of one program: over fewer rows with other scalars, then over all rows in every layout.
fn compare_launches(device: &dyn Device, program: ProgramId, case: &Case, expected: &Expected) -> Result<Met, String> {
    let host_memory = device.info().capabilities.host_memory;
    let mut met = Met { kernels: 1, ..Met::default() };
    if let Some((other, expected)) = &expected.other {
        launch(device, program, other, expected, if host_memory { Shape::Plain } else { Shape::Copied })?;
        met.launches += usize::from(other.inputs.rows > 0);
    }
    let random = Shape::Random(case.seed);
    let shapes = match (host_memory, case.seed % 4) {
        (true, 1) => vec![random, Shape::Plain, Shape::Copied],
        (true, _) => vec![random, Shape::Plain],
        (false, _) => vec![Shape::Copied],
    };
    for &shape in &shapes {
        met.faults = launch(device, program, case, &expected.whole, shape)?.into();
        met.launches += usize::from(case.inputs.rows > 0);
    }
    Ok(met)
}

/// The same kernel over half of the rows, with other scalars.
fn relaunched(case: &Case) -> Case {
    let mut rng = Rng::new(case.seed);
    let mut inputs = case.inputs.slice(0..case.inputs.rows / 2);
    inputs.params = case.kernel.params.iter().map(|&ty| values::maybe(&mut rng, ty)).collect();
    Case { inputs, kernel: case.kernel.clone(), seed: case.seed }
}

/// Runs leaf-aligned parts of a case on every device, merges their partials, and compares with the whole, which the
/// interpreter computes once. All devices get the same parts.
pub fn compare_parts(devices: &[&dyn Device], case: &Case, rng: &mut Rng) -> Result<bool, String> {
    let expected = case.run();
    let (start, mut faulted) = (rng.clone(), false);
    for (number, device) in devices.iter().enumerate() {
        *rng = start.clone();
        let merged = compare_merged(*device, case, &expected, rng);
        faulted = merged.map_err(|what| on_device(number, *device, &what))?;
    }
    Ok(faulted)
}

/// Runs a case whose launches have little room on every device, and compares with the whole, which the interpreter
/// computes once.
pub fn compare_resumed(devices: &[&dyn Device], case: &Case, room: usize) -> Result<bool, String> {
    let (expected, mut faulted) = (case.run(), false);
    for (number, device) in devices.iter().enumerate() {
        if is_refused(*device, case) {
            continue;
        }
        let program = load(*device, &case.kernel).map_err(refused)?;
        let shape = if device.info().capabilities.host_memory { Shape::Plain } else { Shape::Copied };
        let Case { kernel, inputs, .. } = case;
        let ran = Run { device: *device, program, kernel, inputs, form: Form::Whole, shape }.run_with_room(room);
        device.unload(program);
        let compared = ran.map_err(refused).and_then(|ran| same(case, &expected, &ran));
        faulted = compared.map_err(|what| on_device(number, *device, &what))?;
    }
    Ok(faulted)
}

fn compare_merged(
    device: &dyn Device,
    case: &Case,
    expected: &Result<TableData, Fault>,
    rng: &mut Rng,
) -> Result<bool, String> {
    if is_refused(device, case) {
        return Ok(false);
    }
    let program = load(device, &case.kernel).map_err(refused)?;
    let merged = run_parts(device, program, case, rng);
    device.unload(program);
    let merged = match merged? {
        Ok(partial) => interpret::finish(&case.kernel, partial).map_err(|fault| faulted(&fault)),
        Err(fault) => Err(fault),
    };
    match (expected, merged) {
        (Ok(expected), Ok(merged)) if fast_sums::equal(case, expected, &merged) => Ok(false),
        (Err(fault), Err(found)) if faulted(fault) == found => Ok(true),
        (Ok(expected), Ok(merged)) => Err(first_difference(expected, &merged)),
        (expected, merged) => {
            let (merged, expected) = (merged.map(|table| table.rows), expected.as_ref().map(|table| table.rows));
            Err(format!("merged partials give {merged:?}, the interpreter {expected:?} (rows, or a fault)"))
        }
    }
}

type PartialsOrFault = Result<Result<Partial, FaultLocation>, String>;

fn run_parts(device: &dyn Device, program: ProgramId, case: &Case, rng: &mut Rng) -> PartialsOrFault {
    let mut merged: Option<Partial> = None;
    let mut start = 0;
    loop {
        let leaves_left = (case.inputs.rows - start).div_ceil(LEAF_ROWS);
        let end = (start + (1 + rng.below(leaves_left.max(1))) * LEAF_ROWS).min(case.inputs.rows);
        let part = case.inputs.slice(start..end);
        let host_memory = device.info().capabilities.host_memory;
        let shape = if host_memory { Shape::Random(case.seed ^ start as u64) } else { Shape::Copied };
        let (kernel, inputs) = (&case.kernel, &part);
        let ran = Run { device, program, kernel, inputs, form: Form::Partial, shape }.run().map_err(refused)?;
        if let Some(fault) = ran.outcome.fault {
            return Ok(Err(fault));
        }
        merged = Some(match merged {
            Some(first) => interpret::merge(&case.kernel, first, ran.result),
            None => ran.result,
        });
        start = end;
        if start == case.inputs.rows {
            break;
        }
    }
    Ok(Ok(merged.unwrap_or(Partial { rows: TableData::default(), nodes: TableData::default() })))
}

fn refused(error: DeviceError) -> String {
    format!("the device refused: {error}")
}

/// The location at which a device would report a fault of the interpreter. The fold of a sum that does not fit is not
/// compared.
fn faulted(fault: &Fault) -> FaultLocation {
    fault.row.map_or(FaultLocation::Fold(0), FaultLocation::Row)
}

fn same(case: &Case, expected: &Result<TableData, Fault>, ran: &Ran) -> Result<bool, String> {
    let faulty_fold = || {
        let tables = case.inputs.built_tables(&case.kernel);
        faulty_fold(&case.kernel, &case.inputs.borrow(&tables))
    };
    match (expected, ran.outcome.fault) {
        (Ok(_), None) if matches!(case.kernel.sink, Sink::Call { .. }) => {
            calls::equal(case, &case.kernel.sink, &ran.result.rows).map(|()| false)
        }
        (Ok(expected), None) if fast_sums::equal(case, expected, &ran.result.rows) => Ok(false),
        (Ok(expected), None) => Err(first_difference(expected, &ran.result.rows)),
        (Err(fault), Some(FaultLocation::Row(row))) if fault.row == Some(row) => Ok(true),
        (Err(fault), Some(FaultLocation::Fold(fold))) if fault.row.is_none() && fold == faulty_fold() => Ok(true),
        (expected, fault) => {
            let expected = expected.as_ref().map(|table| format!("{} rows", table.rows));
            Err(format!("the interpreter gives {expected:?}, the device the fault {fault:?}"))
        }
    }
}

fn first_difference(expected: &TableData, found: &TableData) -> String {
    if expected.rows != found.rows {
        return format!("{} rows are expected, {} were written", expected.rows, found.rows);
    }
    for (number, (expected, found)) in expected.columns.iter().zip(&found.columns).enumerate() {
        if let Some(row) = (0..expected.len()).find(|&row| expected.get(row) != found.get(row)) {
            let (expected, found) = (expected.get(row), found.get(row));
            return format!("column {number}, row {row}: {expected:?} is expected, {found:?} was written");
        }
    }
    format!("types differ: {:?} are expected, {:?} were written", expected.types(), found.types())
}

fn difference(number: usize, device: &dyn Device, case: Case, what: String) -> Difference {
    let (seed, what) = (case.seed, on_device(number, device, &what));
    let small = minimise(case, &|case| compare_case(device, case).is_err());
    let small_what = compare_case(device, &small).err().unwrap_or_default();
    let shown = format!("smallest: {small_what}\n{}", show(&small.kernel, &small.inputs));
    Difference { seed, what, shown }
}

/// A kernel and its inputs, for people.
fn show(kernel: &Kernel, inputs: &OwnedInputs) -> String {
    format!(
        "{}\nfirst row {}, {} rows\nparams {:?}\ncolumns {:?}",
        kernel.print(),
        inputs.first_row,
        inputs.rows,
        inputs.params,
        inputs.columns
    )
}
