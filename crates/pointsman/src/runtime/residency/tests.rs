//! What is on a device's books.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Column;
use crate::runtime::executor::Allowed;
use crate::runtime::transfer::Port;
use pointsman_device::Priority;
use pointsman_device::sim::{SimDevice, SimOptions};

/// A column that is released while a query reads it still takes its memory: nobody else is promised that.
#[test]
fn a_column_that_is_released_while_it_is_read_is_on_the_books() {
    let sim = Arc::new(SimDevice::new(SimOptions::default()));
    let device: Arc<dyn Device> = sim.clone();
    let residency = Residency::new(device.clone(), &Options { device_memory_limit: Some(1000), ..Options::default() });
    let time = Allowed { clock: sim.clock(), patience: Duration::from_secs(1), until: None };
    let mut port = Port::new(&*device, device.open_stream(Priority::Normal).unwrap(), time);
    let column = Column::from(vec![1u8; 400]);
    let sent = port.send_to_stay(&device, &[column.chunk()], DType::U8).unwrap();
    residency.pin(column.label(), Arc::new(Kept::new(sent, &device)));
    let at_once = Bounds { clock: sim.clock(), until: Some(Duration::ZERO), token: None };
    let ask = |others: u64| residency.admit(&Forecast { others, ..Forecast::default() }, &at_once);
    let wanted = vec![Wanted { place: Place::Column(0), label: column.label(), dtype: DType::U8, bytes: 400 }];
    let reader = residency.admit(&Forecast { wanted, ..Forecast::default() }, &at_once).unwrap();
    let read = reader.take_hits();
    assert_eq!(read.len(), 1);
    residency.forget(column.label().tag().number);
    assert!(ask(600).is_ok() && ask(601).is_err(), "400 bytes are read");
    drop((read, reader));
    assert!(ask(1000).is_ok());
}
