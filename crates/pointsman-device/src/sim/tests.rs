//! Tests of the simulated device: every sink, virtual time, and planned faults.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Download;
use crate::convert::{from_buffers, to_buffers, value_bytes};
use crate::host::BoolLayout;
use crate::launch::{ColumnInput, ColumnOutput, FaultLocation, Form, TableInput, capacity};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, BuiltTable, Inputs};
use pointsman_ir::random::{self, OwnedInputs, Profile};
use pointsman_ir::types::{DType, Scalar, Type};

const TIMEOUT: Duration = Duration::from_secs(3600);

/// A simulated device with a stream, and the buffers that a test has allocated.
struct TestDevice {
    device: SimDevice,
    stream: StreamId,
    buffers: Vec<BufferId>,
}

impl TestDevice {
    fn new(options: SimOptions) -> TestDevice {
        let device = SimDevice::new(options);
        let stream = device.open_stream(Priority::Normal).unwrap();
        TestDevice { device, stream, buffers: Vec::new() }
    }

    fn allocate(&mut self, bytes: usize) -> DeviceResult<BufferRange> {
        let buffer = self.device.allocate(bytes)?;
        self.buffers.push(buffer);
        Ok(BufferRange { buffer, offset: 0, bytes: bytes as u64 })
    }

    fn upload(&mut self, bytes: &[u8]) -> DeviceResult<BufferRange> {
        let range = self.allocate(bytes.len())?;
        let mut staging = HostBuffer::zeroed(bytes.len());
        staging.copy_from_slice(bytes);
        self.device.copy_in(self.stream, Arc::new(staging), range)?;
        Ok(range)
    }

    fn input(&mut self, column: &ColumnData) -> DeviceResult<ColumnInput<'static>> {
        let (values, validity) = to_buffers(column);
        let values = self.upload(&values)?;
        let validity = validity.map(|bits| self.upload(&bits)).transpose()?;
        Ok(ColumnInput::Device { values, validity, rows: column.len() })
    }

    fn download(&self, range: BufferRange) -> DeviceResult<HostBuffer> {
        let copy = self.device.copy_out(self.stream, range, HostBuffer::zeroed(range.bytes as usize))?;
        self.device.finish_copy(copy, TIMEOUT)
    }

    fn run(
        &mut self,
        kernel: &Kernel,
        inputs: &OwnedInputs,
        form: Form,
    ) -> DeviceResult<Result<TableData, FaultLocation>> {
        let program = self.device.load(&self.device.compile(kernel)?)?;
        let columns: Vec<_> = inputs.columns.iter().map(|one| self.input(one)).collect::<DeviceResult<_>>()?;
        let lists: Vec<_> = inputs.lists.iter().map(|one| self.input(one)).collect::<DeviceResult<_>>()?;
        let mut tables = Vec::new();
        for (side, table) in kernel.tables.iter().zip(&inputs.tables) {
            let all: Vec<_> = table.columns.iter().map(|one| self.input(one)).collect::<DeviceResult<_>>()?;
            let (keys, columns) = all.split_at(side.keys.len());
            let index = match side.keys.as_slice() {
                [] => None,
                types => {
                    let keys = IndexKeys { keys, types, numbers: None, rows: table.rows };
                    Some(self.device.build_index(self.stream, &keys, None)?.id)
                }
            };
            tables.push((index, columns.to_vec(), table.rows));
        }
        let tables: Vec<TableInput<'_>> =
            tables.iter().map(|(index, columns, rows)| TableInput { index: *index, columns, rows: *rows }).collect();
        let types = match form {
            Form::Whole => kernel.output(),
            Form::Partial => [kernel.partial().rows, kernel.partial().nodes].concat(),
        };
        let (rows, nodes) = capacity(kernel, form, inputs.rows);
        // Probes that multiply rows may return more rows than the capacity.
        let expected = oracle(kernel, inputs).map_or(0, |table| table.rows);
        let room = rows.max(nodes).max(expected);
        let mut ranges = Vec::new();
        for ty in &types {
            let values = self.allocate(value_bytes(*ty, BoolLayout::Bits, room))?;
            ranges.push((values, self.allocate(room.div_ceil(8))?));
        }
        let output = |(values, validity): &(BufferRange, BufferRange)| ColumnOutput::Device {
            values: *values,
            validity: Some(*validity),
        };
        let mut outputs: Vec<ColumnOutput<'_>> = ranges.iter().map(output).collect();
        let mut launch = Launch {
            first_row: inputs.first_row,
            rows: inputs.rows,
            first_match: 0,
            form,
            columns: &columns,
            params: &inputs.params,
            lists: &lists,
            tables: &tables,
            outputs: &mut outputs,
        };
        let LaunchStatus::Running(id) = self.device.launch(self.stream, program, &mut launch)? else {
            panic!("the simulated device queues its launches")
        };
        let outcome = self.device.finish(id, TIMEOUT)?;
        tables.iter().filter_map(|table| table.index).for_each(|index| self.device.free_index(index));
        if let Some(fault) = outcome.fault {
            return Ok(Err(fault));
        }
        self.read(&types, &ranges, outcome.rows.max(outcome.nodes)).map(Ok)
    }

    fn read(&self, types: &[Type], ranges: &[(BufferRange, BufferRange)], rows: usize) -> DeviceResult<TableData> {
        let mut columns = Vec::new();
        for (ty, (values, validity)) in types.iter().zip(ranges) {
            let (values, validity) = (self.download(*values)?, self.download(*validity)?);
            columns.push(from_buffers(*ty, BoolLayout::Bits, &values, Some(&validity), rows));
        }
        Ok(TableData { columns, rows })
    }
}

/// Replaces the values of opaque columns by their row numbers, as on a device.
fn fill_opaque_columns(inputs: &mut OwnedInputs) {
    for column in inputs.columns.iter_mut().filter(|column| column.dtype == DType::Opaque) {
        let numbers = column.iter().zip(inputs.first_row..).map(|(value, row)| value.map(|_| Scalar::U64(row)));
        *column = ColumnData::from_scalars(column.ty(), numbers.collect::<Vec<_>>());
    }
}

fn oracle(kernel: &Kernel, inputs: &OwnedInputs) -> Result<TableData, FaultLocation> {
    let tables: Vec<BuiltTable> = (kernel.tables.iter().zip(&inputs.tables))
        .map(|(side, table)| match side.keys.is_empty() {
            true => BuiltTable::plain(table.columns.clone()),
            false => BuiltTable::new(side, table.clone()),
        })
        .collect();
    let OwnedInputs { columns, params, lists, first_row, rows, .. } = inputs;
    let given = Inputs { columns, params, lists, tables: &tables, first_row: *first_row, rows: *rows };
    interpret::run(kernel, &given).map_err(|fault| fault.row.map_or(FaultLocation::Fold(0), FaultLocation::Row))
}

#[test]
fn every_sink_agrees_with_the_interpreter() {
    let profile = Profile::everything().with_rows(&[(0, 1), (7, 4), (65, 4), (300, 1)]);
    for seed in 0..400 {
        let mut case = random::case(seed, &profile);
        fill_opaque_columns(&mut case.inputs);
        let mut test = TestDevice::new(SimOptions::default());
        let got = test.run(&case.kernel, &case.inputs, Form::Whole).unwrap();
        match (oracle(&case.kernel, &case.inputs), got) {
            (Err(FaultLocation::Fold(_)), Err(FaultLocation::Fold(_))) => {}
            (expected, got) => assert_eq!(expected, got, "seed {seed}\n{}", case.kernel.print()),
        }
        for buffer in std::mem::take(&mut test.buffers) {
            test.device.free(buffer);
        }
        assert_eq!(test.device.memory().used, 0);
    }
}

fn doubling_kernel() -> (Kernel, OwnedInputs) {
    let text = "kernel\ncolumns c0: i32\n  v0: i32 = column c0\n  v1: i32 = add v0 v0\nsink store v1\n";
    let values = (0..100).map(|row| Some(Scalar::I32(row)));
    let columns = vec![ColumnData::from_scalars(DType::I32.required(), values)];
    let inputs =
        OwnedInputs { columns, params: Vec::new(), lists: Vec::new(), tables: Vec::new(), first_row: 0, rows: 100 };
    (parse::parse(text).unwrap(), inputs)
}

/// Checks the error of a run with a planned fault, and that of the next run.
fn check_fault(fault: SimFault, expected: Option<DeviceErrorKind>, again: Option<DeviceErrorKind>) {
    let (kernel, inputs) = doubling_kernel();
    let mut test = TestDevice::new(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let first = test.run(&kernel, &inputs, Form::Whole);
    assert_eq!(first.as_ref().err().map(|error| error.kind), expected, "{fault:?}");
    assert_eq!(test.device.fired(), [fault]);
    let wrong = matches!(fault, SimFault::FlipBit { .. });
    if let Ok(first) = first {
        assert_eq!(first == oracle(&kernel, &inputs), !wrong, "{fault:?}");
    }
    let second = test.run(&kernel, &inputs, Form::Whole);
    assert_eq!(second.as_ref().err().map(|error| error.kind), again, "{fault:?}");
    if let Ok(second) = second {
        assert_eq!(second, oracle(&kernel, &inputs));
    }
}

#[test]
fn planned_faults_fire() {
    use DeviceErrorKind::{Compile, Lost, OutOfMemory, Timeout, Transient};
    check_fault(SimFault::OutOfMemory { allocation: 0 }, Some(OutOfMemory), None);
    check_fault(SimFault::OutOfMemory { allocation: 2 }, Some(OutOfMemory), None);
    check_fault(SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Compile }, Some(Compile), None);
    check_fault(SimFault::CompileFails { compilation: 0, kind: Transient }, Some(Transient), None);
    check_fault(SimFault::CompileFails { compilation: 0, kind: Lost }, Some(Lost), Some(Lost));
    check_fault(SimFault::LoadFails { load: 0, kind: OutOfMemory }, Some(OutOfMemory), None);
    check_fault(SimFault::LoadFails { load: 0, kind: Lost }, Some(Lost), Some(Lost));
    check_fault(SimFault::Transient { launch: 0 }, Some(Transient), None);
    check_fault(SimFault::Lost { launch: 0 }, Some(Lost), Some(Lost));
    check_fault(SimFault::Hang { launch: 0 }, Some(Timeout), Some(Timeout));
    check_fault(SimFault::FlipBit { launch: 0, output: 0, bit: 77 }, None, None);
}

/// Checks which planned faults fire in a launch of this kernel.
fn check_fired(text: &str, form: Form, planned: &[SimFault], expected: &[SimFault]) {
    let (_, inputs) = doubling_kernel();
    let kernel = parse::parse(text).unwrap();
    let mut clean = TestDevice::new(SimOptions::default());
    let mut test = TestDevice::new(SimOptions { faults: planned.to_vec(), ..SimOptions::default() });
    let sound = clean.run(&kernel, &inputs, form).unwrap();
    if let Ok(got) = test.run(&kernel, &inputs, form) {
        assert_eq!(got == sound, expected.is_empty(), "{planned:?}");
    }
    assert_eq!(test.device.fired(), expected, "{planned:?}");
}

#[test]
fn only_faults_that_happened_are_reported() {
    let flip = |output, bit| SimFault::FlipBit { launch: 0, output, bit };
    let head = "kernel\ncolumns c0: i32\n  v0: i32 = column c0\n";
    let reduce = format!("{head}sink reduce sum(v0)\n");
    check_fired(&reduce, Form::Whole, &[flip(0, 5), flip(0, 6)], &[flip(0, 5), flip(0, 6)]);
    check_fired(&reduce, Form::Whole, &[flip(1, 5)], &[]);
    // The level of a single leaf has 8 bits, however many bits the other outputs have.
    check_fired(&reduce, Form::Partial, &[flip(0, 9)], &[flip(0, 9)]);
    let no_rows = format!("{head}  v1: bool = lt v0 v0\nmask v1\nsink compact v0\n");
    check_fired(&no_rows, Form::Whole, &[flip(0, 5)], &[]);
    let fault = format!("{head}  v1: i32 = sub v0 v0\n  v2: i32 = div v0 v1\nsink store v2\n");
    check_fired(&fault, Form::Whole, &[flip(0, 5)], &[]);
    let truth = format!("{head}  v1: bool = eq v0 v0\nsink store v1\n");
    check_fired(&truth, Form::Whole, &[flip(0, 103)], &[flip(0, 103)]);
    let (transient, hang) = (SimFault::Transient { launch: 0 }, SimFault::Hang { launch: 0 });
    check_fired(&reduce, Form::Whole, &[transient, hang], &[transient]);
}

/// Queues a launch of [`doubling_kernel`].
fn queue_doubling(test: &mut TestDevice) -> LaunchId {
    let (kernel, inputs) = doubling_kernel();
    let program = test.device.load(&test.device.compile(&kernel).unwrap()).unwrap();
    let columns: Vec<_> = inputs.columns.iter().map(|one| test.input(one).unwrap()).collect();
    let room = |ty: &Type| value_bytes(*ty, BoolLayout::Bits, inputs.rows);
    let ranges: Vec<_> = kernel.output().iter().map(|ty| test.allocate(room(ty)).unwrap()).collect();
    let output = |values: &BufferRange| ColumnOutput::Device { values: *values, validity: None };
    let mut outputs: Vec<ColumnOutput<'_>> = ranges.iter().map(output).collect();
    let (first_row, rows, form) = (inputs.first_row, inputs.rows, Form::Whole);
    let (columns, params, outputs) = (&columns[..], &inputs.params[..], &mut outputs[..]);
    let mut launch =
        Launch { first_row, rows, first_match: 0, form, columns, params, lists: &[], tables: &[], outputs };
    match test.device.launch(test.stream, program, &mut launch).unwrap() {
        LaunchStatus::Running(id) => id,
        LaunchStatus::Done(_) => panic!("the simulated device queues its launches"),
    }
}

#[test]
fn an_abandoned_launch_is_counted_until_it_ends() {
    let hang = SimFault::Hang { launch: 0 };
    let mut test = TestDevice::new(SimOptions { faults: vec![hang], ..SimOptions::default() });
    let id = queue_doubling(&mut test);
    assert_eq!(test.device.finish(id, TIMEOUT).unwrap_err().kind, DeviceErrorKind::Timeout);
    assert_eq!((test.device.fired(), test.device.zombies()), (vec![hang], 0));
    test.device.forget_launch(id);
    test.device.forget_launch(id);
    assert_eq!(test.device.zombies(), 1);
    test.buffers.drain(..).for_each(|buffer| test.device.free(buffer));
    assert!(test.device.memory().used > 0, "the launch may still touch its buffers");
    test.device.recover();
    assert_eq!((test.device.zombies(), test.device.memory().used), (0, 0));
    let state = test.device.lock();
    assert!(state.launches.is_empty() && state.ends.is_empty() && state.queue.is_empty());
}

#[test]
fn a_finished_launch_is_forgotten_at_once() {
    let mut test = TestDevice::new(SimOptions::default());
    let id = queue_doubling(&mut test);
    test.device.clock().advance(TIMEOUT);
    test.device.forget_launch(id);
    assert_eq!(test.device.zombies(), 0);
    assert_eq!(test.device.finish(id, TIMEOUT).unwrap_err().kind, DeviceErrorKind::InvalidArgument);
    assert!(test.device.lock().ends.is_empty());
}

#[test]
fn time_does_not_run_backwards() {
    let clock = SimClock::new();
    clock.advance(Duration::from_secs(9));
    clock.advance(Duration::MAX);
    assert!(clock.now() > Duration::from_secs(9));
}

#[test]
fn only_waiting_moves_the_clock() {
    let test = TestDevice::new(SimOptions::default());
    let (device, stream) = (&test.device, test.stream);
    let buffer = device.allocate(4096).unwrap();
    let range = BufferRange { buffer, offset: 0, bytes: 4096 };
    let before = device.record(stream).unwrap();
    device.copy_in(stream, Arc::new(HostBuffer::zeroed(4096)), range).unwrap();
    let after = device.record(stream).unwrap();
    assert_eq!(device.clock().now(), Duration::ZERO);
    assert_eq!(device.event_status(before), Ok(EventStatus::Reached));
    assert_eq!(device.event_status(after), Ok(EventStatus::Pending));
    assert_eq!(device.elapsed(before, after).unwrap_err().kind, DeviceErrorKind::InvalidArgument);
    // A stream that does not wait reads the old bytes; one that waits reads the copied ones.
    let other = device.open_stream(Priority::Normal).unwrap();
    let early = device.copy_out(other, BufferRange { bytes: 1, ..range }, HostBuffer::zeroed(1)).unwrap();
    device.wait_for(other, after).unwrap();
    let late = device.copy_out(other, BufferRange { bytes: 1, ..range }, HostBuffer::zeroed(1)).unwrap();
    device.free(buffer);
    assert_eq!(device.memory().used, 4096, "queued work still needs it");
    assert_eq!(device.finish_copy(early, TIMEOUT).unwrap()[0], POISON);
    assert_eq!(device.finish_copy(late, TIMEOUT).unwrap()[0], 0);
    assert_eq!(device.memory().used, 0);
    assert_eq!(device.elapsed(before, after), Ok(SimSpeed::default().copy_time(4096)));
}

#[test]
fn memory_has_a_limit() {
    let test = TestDevice::new(SimOptions { memory_bytes: 1000, ..SimOptions::default() });
    let first = test.device.allocate(900).unwrap();
    assert_eq!(test.device.allocate(101).unwrap_err().kind, DeviceErrorKind::OutOfMemory);
    test.device.free(first);
    assert!(test.device.allocate(1000).is_ok());
}

#[test]
fn foreign_images_are_refused() {
    let device = SimDevice::new(SimOptions::default());
    let (kernel, _) = doubling_kernel();
    let image = device.compile(&kernel).unwrap();
    let cases = [
        ProgramImage { format: "other".to_string(), ..image.clone() },
        ProgramImage { bytes: vec![0xff, 0xfe], ..image.clone() },
        ProgramImage { bytes: image.bytes[..image.bytes.len() / 2].to_vec(), ..image.clone() },
    ];
    for case in cases {
        assert_eq!(device.load(&case).unwrap_err().kind, DeviceErrorKind::Compile);
    }
    assert!(device.load(&image).is_ok());
}

#[test]
fn engines_work_concurrently() {
    let speed =
        SimSpeed { copy: Duration::from_millis(10), link_bytes_per_second: f64::INFINITY, ..SimSpeed::default() };
    let test = TestDevice::new(SimOptions { speed, ..SimOptions::default() });
    let (device, one) = (&test.device, test.stream);
    let other = device.open_stream(Priority::Normal).unwrap();
    let buffers = [device.allocate(8).unwrap(), device.allocate(8).unwrap()];
    let [first, second] = buffers.map(|buffer| BufferRange { buffer, offset: 0, bytes: 8 });
    device.upload(one, &[1; 8], first).unwrap();
    let (mut bytes, mut called) = ([0; 8], 0);
    let while_copying = &mut || {
        called += 1;
        device.upload(other, &[2; 8], second).unwrap();
        assert_eq!(device.clock().now(), Duration::ZERO, "nothing has waited yet");
    };
    device
        .download_while(one, &mut [Download { from: first, destination: &mut bytes }], TIMEOUT, while_copying)
        .unwrap();
    assert_eq!((bytes, called, device.clock().now()), ([1; 8], 1, Duration::from_millis(20)));
    // The second copy in ran after the first, concurrently with the copy out.
    device.download(other, second, &mut bytes, TIMEOUT).unwrap();
    assert_eq!((bytes, device.clock().now()), ([2; 8], Duration::from_millis(30)));
    let nowhere = BufferRange { bytes: 9, ..first };
    let mut room = [0; 9];
    let mut parts =
        [Download { from: first, destination: &mut bytes }, Download { from: nowhere, destination: &mut room }];
    let refused = device.download_while(one, &mut parts, TIMEOUT, &mut || panic!("no copy is in flight"));
    assert_eq!(refused.map_err(|error| error.kind), Err(DeviceErrorKind::InvalidArgument));
    assert!(device.lock().copies.is_empty(), "copies queued before the error are abandoned");
}

#[test]
fn registered_threads_share_virtual_time() {
    let run = || {
        let (clock, log) = (SimClock::new(), Mutex::new(Vec::new()));
        clock.expect_threads(3);
        // The third thread never begins.
        clock.end_thread(2);
        std::thread::scope(|scope| {
            for (number, step) in [(0, 3), (1, 2)] {
                let (clock, log) = (&clock, &log);
                scope.spawn(move || {
                    clock.begin_thread(number);
                    for _ in 0..4 {
                        clock.advance(Duration::from_secs(step));
                        log.lock().push((number, clock.now().as_secs()));
                    }
                    clock.end_thread(number);
                });
            }
        });
        log.into_inner()
    };
    // Both wait for time 6: the thread with the lower number runs first.
    let expected = [(1, 2), (0, 3), (1, 4), (0, 6), (1, 6), (1, 8), (0, 9), (0, 12)];
    for _ in 0..50 {
        assert_eq!(run(), expected);
    }
}

#[test]
fn indexes_take_memory_and_planned_faults_fire() {
    let keys = ColumnData::from_scalars(DType::I64.required(), (0..100).map(|row| Some(Scalar::I64(row / 2))));
    let lost = |index| SimFault::IndexFails { index, kind: DeviceErrorKind::Lost };
    let full = SimFault::IndexFails { index: 0, kind: DeviceErrorKind::OutOfMemory };
    for (faults, memory_bytes, expected) in [
        (vec![], 1 << 20, Ok(())),
        (vec![full], 1 << 20, Err(DeviceErrorKind::OutOfMemory)),
        (vec![lost(0)], 1 << 20, Err(DeviceErrorKind::Lost)),
        (vec![lost(1)], 1 << 20, Ok(())),
        (vec![], 1000, Err(DeviceErrorKind::OutOfMemory)),
    ] {
        let mut test = TestDevice::new(SimOptions { faults, memory_bytes, ..SimOptions::default() });
        let columns = [test.input(&keys).unwrap()];
        let types = [DType::I64];
        let used = test.device.memory().used;
        let built = test.device.build_index(
            test.stream,
            &IndexKeys { keys: &columns, types: &types, numbers: None, rows: 100 },
            None,
        );
        assert_eq!(built.as_ref().map(drop).map_err(|error| error.kind), expected);
        let Ok(index) = built else { continue };
        assert_eq!(index.unique, pointsman_ir::body::KeyUniqueness::Repeated);
        assert_eq!(index.distinct, 50);
        assert_eq!(test.device.memory().used, used + index.bytes);
        test.device.free_index(index.id);
        assert_eq!(test.device.memory().used, used);
    }
}

/// A device that is lost when an index is probed loses the index too.
#[test]
fn a_device_can_be_lost_between_build_and_probe() {
    let text = "kernel\ncolumns c0: i64\ntables t0: keys(i64) columns()\n  v0: i64 = column c0\n  \
                v1: bool = probe exists t0(v0)\nsink compact v1\n";
    let kernel = parse::parse(text).unwrap();
    let column = ColumnData::from_scalars(DType::I64.required(), (0..9).map(|row| Some(Scalar::I64(row))));
    let table = TableData::new(vec![column.clone()]);
    let inputs = OwnedInputs {
        columns: vec![column],
        params: Vec::new(),
        lists: Vec::new(),
        tables: vec![table],
        first_row: 0,
        rows: 9,
    };
    let options = SimOptions { faults: vec![SimFault::Lost { launch: 0 }], ..SimOptions::default() };
    let mut test = TestDevice::new(options);
    assert_eq!(test.run(&kernel, &inputs, Form::Whole).unwrap_err().kind, DeviceErrorKind::Lost);
    assert!(test.run(&kernel, &inputs, Form::Whole).is_err());
    let mut healthy = TestDevice::new(SimOptions::default());
    assert!(healthy.run(&kernel, &inputs, Form::Whole).is_ok());
}
