//! The accounting of a device's memory.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Column;
use crate::devices::transfer::TransferStream;
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::Priority;
use pointsman_device::sim::{SimClock, SimDevice, SimOptions};
use std::time::Duration;

/// The memory of a released column cannot be reserved while a query reads the column.
#[test]
fn released_column_counts_while_a_query_reads_it() {
    let sim = Arc::new(SimDevice::new(SimOptions::default()));
    let device: Arc<dyn Device> = sim.clone();
    let residency =
        ResidencyManager::new(device.clone(), MemoryLimits { device_bytes: Some(1000), resident_bytes: None });
    let time = TimeLimit { clock: sim.clock(), timeout: Duration::from_secs(1), until: None };
    let mut port = TransferStream::new(&device, device.open_stream(Priority::Normal).unwrap(), time);
    let column = Column::from(vec![1u8; 400]);
    let sent = port.upload(&[column.chunk()], DType::U8).unwrap();
    residency.pin(column.identity(), Arc::new(ResidentColumn::new(sent)));
    let at_once = WaitLimit { clock: sim.clock(), until: Some(Duration::ZERO), token: None };
    let reserve =
        |other_bytes: u64| residency.reserve(&MemoryForecast { other_bytes, ..MemoryForecast::default() }, &at_once);
    let wanted = vec![WantedColumn {
        slot: InputSlot::Column(0),
        identity: column.identity(),
        whole: None,
        dtype: DType::U8,
        bytes: 400,
    }];
    let reader = residency.reserve(&MemoryForecast { wanted, ..MemoryForecast::default() }, &at_once).unwrap();
    let read = reader.take_hits();
    assert_eq!(read.len(), 1);
    residency.forget(column.identity().shared().id);
    assert!(reserve(600).is_ok() && reserve(601).is_err(), "400 bytes are in use");
    drop((read, reader));
    assert!(reserve(1000).is_ok());
}

/// The device's pool of free buffers takes memory too; it is trimmed before a session exceeds its limit.
#[cfg(feature = "wgpu")]
#[test]
fn pooled_buffers_are_trimmed_to_the_limit() {
    use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
    let Some(adapter) = discover().adapters.first() else {
        eprintln!("skipped: no adapter");
        return;
    };
    const BUFFER: u64 = 65 << 20;
    const LIMIT: u64 = 200 << 20;
    let device: Arc<dyn Device> = Arc::new(WgpuDevice::open(adapter, WgpuOptions::default()).unwrap());
    let with_limit = |device_bytes: Option<u64>| {
        ResidencyManager::new(device.clone(), MemoryLimits { device_bytes, resident_bytes: None })
    };
    let (limited, unlimited) = (with_limit(Some(LIMIT)), with_limit(None));
    let buffers = [(); 2].map(|()| device.allocate(BUFFER as usize).unwrap());
    buffers.into_iter().for_each(|buffer| device.free(buffer));
    let clock = SimClock::new();
    let at_once = WaitLimit { clock: &clock, until: Some(Duration::ZERO), token: None };
    let pooled_after = |residency: &ResidencyManager, other_bytes: u64| {
        let reservation =
            residency.reserve(&MemoryForecast { other_bytes, ..MemoryForecast::default() }, &at_once).unwrap();
        let kept = residency.report().info.kept;
        drop(reservation);
        kept
    };
    assert_eq!(pooled_after(&unlimited, 10 * LIMIT), 2 * BUFFER, "there is no limit");
    assert_eq!(pooled_after(&limited, LIMIT - 2 * BUFFER), 2 * BUFFER, "there is room for both");
    assert_eq!(pooled_after(&limited, LIMIT - 2 * BUFFER + 1), BUFFER);
    assert_eq!(pooled_after(&limited, LIMIT), 0);
    assert_eq!(device.memory().used, 0);
}
