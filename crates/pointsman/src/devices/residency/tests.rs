//! What is on a device's books.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Column;
use crate::devices::transfer::TransferStream;
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::Priority;
use pointsman_device::sim::{SimClock, SimDevice, SimOptions};
use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};

/// A column that is released while a query reads it still takes its memory: nobody else is promised that.
#[test]
fn a_column_that_is_released_while_it_is_read_is_on_the_books() {
    let sim = Arc::new(SimDevice::new(SimOptions::default()));
    let device: Arc<dyn Device> = sim.clone();
    let residency = Residency::new(device.clone(), &Options { device_memory_limit: Some(1000), ..Options::default() });
    let time = TimeLimit { clock: sim.clock(), timeout: Duration::from_secs(1), until: None };
    let mut port = TransferStream::new(&*device, device.open_stream(Priority::Normal).unwrap(), time);
    let column = Column::from(vec![1u8; 400]);
    let sent = port.upload_to_stay(&device, &[column.chunk()], DType::U8).unwrap();
    residency.pin(column.identity(), Arc::new(ResidentColumn::new(sent, &device)));
    let at_once = WaitLimit { clock: sim.clock(), until: Some(Duration::ZERO), token: None };
    let ask = |others: u64| residency.admit(&MemoryForecast { others, ..MemoryForecast::default() }, &at_once);
    let wanted =
        vec![WantedColumn { place: InputSlot::Column(0), identity: column.identity(), dtype: DType::U8, bytes: 400 }];
    let reader = residency.admit(&MemoryForecast { wanted, ..MemoryForecast::default() }, &at_once).unwrap();
    let read = reader.take_hits();
    assert_eq!(read.len(), 1);
    residency.forget(column.identity().shared().id);
    assert!(ask(600).is_ok() && ask(601).is_err(), "400 bytes are read");
    drop((read, reader));
    assert!(ask(1000).is_ok());
}

/// What a device keeps for buffers to come takes memory as well: it goes before a session has more than its limit.
#[test]
fn what_a_device_keeps_makes_room_within_the_limit() {
    let Some(adapter) = discover().adapters.first() else {
        eprintln!("skipped: no adapter");
        return;
    };
    const BUFFER: u64 = 65 << 20;
    const LIMIT: u64 = 200 << 20;
    let device: Arc<dyn Device> = Arc::new(WgpuDevice::open(adapter, WgpuOptions::default()).unwrap());
    let with_limit = |device_memory_limit: Option<u64>| {
        Residency::new(device.clone(), &Options { device_memory_limit, ..Options::default() })
    };
    let (limited, unlimited) = (with_limit(Some(LIMIT)), with_limit(None));
    let buffers = [(); 2].map(|()| device.allocate(BUFFER as usize).unwrap());
    buffers.into_iter().for_each(|buffer| device.free(buffer));
    let clock = SimClock::new();
    let at_once = WaitLimit { clock: &clock, until: Some(Duration::ZERO), token: None };
    let admit = |residency: &Residency, others: u64| {
        let grant = residency.admit(&MemoryForecast { others, ..MemoryForecast::default() }, &at_once).unwrap();
        let kept = residency.report().info.kept;
        drop(grant);
        kept
    };
    assert_eq!(admit(&unlimited, 10 * LIMIT), 2 * BUFFER, "nobody limits it");
    assert_eq!(admit(&limited, LIMIT - 2 * BUFFER), 2 * BUFFER, "there is room for both");
    assert_eq!(admit(&limited, LIMIT - 2 * BUFFER + 1), BUFFER);
    assert_eq!(admit(&limited, LIMIT), 0);
    assert_eq!(device.memory().used, 0);
}
