//! Plans built at run time, through `Session::plan`: relational nodes against plain Rust, over every size at which batches and
//! rooms change; mistakes; limits; faults. On the CPU, and on the simulated device where calls are scripted.
#![allow(clippy::unwrap_used)]

mod each_stage;
mod faults;
mod limits;
mod mistakes;
mod nodes;
mod one_result;
mod random;
mod settings;
mod shared;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use pointsman::plan::{DType, Field, NodeId, Plan, PlanRows, Schema, SourceId};
use pointsman::{Answer, Session, SessionOptions};
use pointsman_device::Device;
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

/// Sizes at which leaves, batches and rooms begin and end.
const SIZES: [usize; 8] = [0, 1, 7, 4095, 4096, 4097, 65_537, 1_000_000];

/// A session with these options that runs everything on the CPU.
fn cpu(options: SessionOptions) -> Session {
    options.devices(["cpu"]).open().unwrap()
}

/// A session that runs everything on a simulated device with memory of its own.
fn simulated(options: SessionOptions) -> (Arc<SimDevice>, Session) {
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let session = options.threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    (device, session.prefer("sim").open().unwrap())
}

/// Two simulated devices that go by one clock, one of them three times as fast as the other, and a session in which they share
/// every stage.
fn sharing(faults: [Vec<SimFault>; 2], options: SessionOptions) -> ([Arc<SimDevice>; 2], Session) {
    let clock = SimClock::new();
    let device = |name: &str, slower: f64, faults| {
        let speed = SimSpeed { memory_bytes_per_second: 1e7 / slower, ..SimSpeed::default() };
        let options =
            SimOptions { name: name.to_string(), clock: clock.clone(), speed, faults, ..SimOptions::default() };
        Arc::new(SimDevice::new(options))
    };
    let [first, second] = faults;
    let devices = [device("fast", 1.0, first), device("slow", 3.0, second)];
    let session = options.threads(2).share_time_min(Duration::ZERO).clock(Arc::new(clock));
    let session = session.add_device(devices[0].clone()).add_device(devices[1].clone());
    (devices, session.prefer("fast+slow").open().unwrap())
}

/// Checks that nothing holds memory of a query.
fn nothing_is_left(device: &SimDevice, session: &Session, what: &str) {
    assert_eq!((device.memory().used, device.buffers()), (0, 0), "{what}: bytes and buffers of the device");
    assert_eq!(session.memory().host.outstanding_bytes, 0, "{what}: bytes of results");
}

/// A plan of one source for each list of nullable `i64` columns.
fn plan_of(sources: &[&[&str]]) -> (Plan, Vec<NodeId>) {
    let mut plan = Plan::default();
    let field = |name: &&str| Field { name: name.to_string(), ty: DType::I64.nullable() };
    let nodes = (0..)
        .zip(sources)
        .map(|(number, names)| plan.source(SourceId(number), Schema { fields: names.iter().map(field).collect() }));
    let nodes = nodes.collect();
    (plan, nodes)
}

/// A row of a result.
type Row = Vec<Option<i64>>;

/// A batch of nullable `i64` columns.
fn batch(names: &[&str], rows: &[Row]) -> RecordBatch {
    let column = |(index, name): (usize, &&str)| {
        let values: Int64Array = rows.iter().map(|row| row[index]).collect();
        (name.to_string(), Arc::new(values) as ArrayRef, true)
    };
    RecordBatch::try_from_iter_with_nullable(names.iter().enumerate().map(column)).unwrap()
}

/// The rows of a result of `i64` and `u64` columns.
fn rows_of(result: PlanRows) -> Vec<Row> {
    let batch = result.into_batch().unwrap();
    let value = |column: &ArrayRef, row: usize| {
        let signed = || column.as_primitive_opt::<Int64Type>().map(|column| column.value(row));
        let unsigned = || column.as_primitive_opt::<UInt64Type>().map(|column| column.value(row) as i64);
        column.is_valid(row).then(|| signed().or_else(unsigned).unwrap())
    };
    (0..batch.num_rows()).map(|row| batch.columns().iter().map(|column| value(column, row)).collect()).collect()
}

/// Runs a plan, and returns its rows and its answer's receipt.
fn run(session: &Session, plan: &Plan, sources: &[RecordBatch]) -> (Vec<Row>, pointsman::Receipt) {
    let answer: Answer<PlanRows> = session.plan(plan.clone(), sources, &[]).run().unwrap();
    let (rows, receipt) = answer.into_parts();
    (rows_of(rows), receipt)
}

/// Rows of two columns: keys among `keys` values and some nulls, and other values.
fn pairs(count: usize, keys: i64, seed: i64) -> Vec<Row> {
    let row = |number: i64| {
        let mixed = (number + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64);
        let key = (mixed >> 17).rem_euclid(keys);
        let value = (mixed >> 33) % 1000;
        vec![(mixed % 11 != 0).then_some(key), (mixed % 7 != 0).then_some(value)]
    };
    (0..count as i64).map(row).collect()
}
