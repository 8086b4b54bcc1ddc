//! Columns that are kept on a device because somebody asked for it, and what the memory of a session does.

use super::Session;
use crate::data::column::Column;
use crate::data::element::Element;
use crate::data::identity::ColumnCopies;
use crate::data::page_locked::PageLocked;
use crate::devices::handle::DeviceHandle;
use crate::devices::residency::report::MemoryReport;
use crate::devices::residency::resident_column::ResidentColumn;
use crate::devices::residency::{MemoryForecast, MemoryReservation, ResidencyManager, Retention};
use crate::devices::transfer::TransferStream;
use crate::error::FailureClass;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::forecast;
use crate::resilience::gate::{WaitError, WaitLimit};
use crate::resilience::time_limit::TimeLimit;
use bytemuck::Pod;
use std::sync::Arc;

impl Session {
    /// Allocates page-locked host memory for `values` values, all zero: for columns that a device copies more than
    /// once, and for results. For devices that work in host memory it is ordinary memory.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// let s = pointsman::Session::open()?;
    /// let mut prices = s.page_locked::<f32>("cpu", 1_000)?;
    /// prices.fill(2.0);
    /// assert_eq!(s.from(&prices[..]).sum()?, 2_000.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn page_locked<T: Element + Pod>(&self, device: &str, values: usize) -> Result<PageLocked<T>> {
        PageLocked::zeroed(self.device(device)?, values)
    }

    /// Copies a column to a device and keeps it there, so that queries on that device move nothing of it: until
    /// [`Session::release`], or until the column and all its clones are gone. Columns that queries read are kept anyway
    /// as long as there is room ([`SessionOptions::resident_bytes`](crate::SessionOptions::resident_bytes)); this one
    /// makes room only for a query that could not run otherwise, and then the receipt says so. On the CPU, and on other
    /// devices that work in the host's memory, there is nothing to do.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # use pointsman::{Column, Session};
    /// let s = Session::open()?;
    /// let prices = Column::from(vec![12.0f32, 8.0, 31.5]);
    /// s.keep(&prices, "cpu")?;
    /// assert_eq!(s.from(&prices).prefer("cpu").run()?.receipt().bytes_moved_in(), 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn keep<T: Element>(&self, column: &Column<T>, device: &str) -> Result<()> {
        let station = &**self.0.selector.handle(device)?;
        let Some(residency) = &station.residency else { return Ok(()) };
        if let Some(health) = &station.health {
            health.check_open(station.name())?;
        }
        if residency.pin_if_resident(column.identity()) {
            return Ok(());
        }
        let need = forecast::column_bytes(&*station.device, &column.chunk(), T::DTYPE);
        let forecast = MemoryForecast { others: need, ..MemoryForecast::default() };
        let bounds = WaitLimit { clock: &*self.0.clock, until: None, token: None };
        let grant =
            residency.reserve(&forecast, &bounds).map_err(|away: WaitError| Error::internal(format!("{away:?}")))?;
        if let Some(limit) = grant.limit().filter(|&limit| limit < need) {
            let what = format!(
                "out of memory: a column of {need} bytes does not fit into the {limit} bytes that are left of `{device}`"
            );
            return Err(Error::new(ErrorKind::OutOfMemory, what));
        }
        let kept = self.bring(column, station, residency, &grant)?;
        residency.pin(column.identity(), kept);
        Ok(())
    }

    /// Copies a column to a device; once more if there was no memory and resident columns could go.
    fn bring<T: Element>(
        &self,
        column: &Column<T>,
        station: &DeviceHandle,
        residency: &ResidencyManager,
        grant: &MemoryReservation<'_>,
    ) -> Result<Arc<ResidentColumn>> {
        let lease = station.lease_stream()?;
        let time = TimeLimit { clock: &*self.0.clock, timeout: self.0.options.launch_timeout, until: None };
        let mut port = TransferStream::new(&*station.device, lease.stream, time);
        let mut send = || port.upload_to_stay(&residency.device, &[column.chunk()], T::DTYPE);
        let sent = match send() {
            Err(error) if FailureClass::of(&error) == FailureClass::OutOfMemory && grant.evict(Retention::Cached) => {
                send()
            }
            sent => sent,
        };
        let kept = ResidentColumn::new(sent?, &residency.device);
        kept.record_upload(lease.stream)?;
        Ok(Arc::new(kept))
    }

    /// Gives the memory back that a column has on a device, if it has any; a query that reads it now reads on.
    pub fn release<T: Element>(&self, column: &Column<T>, device: &str) -> Result<()> {
        let residency = &self.0.selector.handle(device)?.residency;
        if let (Some(residency), true) = (residency, column.identity().is_known()) {
            residency.forget(column.identity().shared().id);
        }
        Ok(())
    }

    /// How the session's memory stands: on the host, and on each device that was looked for so far.
    pub fn memory(&self) -> MemoryReport {
        let devices = self.0.registry.handles().filter_map(|station| station.residency.as_ref());
        MemoryReport { host: self.0.pool.counters(), devices: devices.map(|residency| residency.report()).collect() }
    }
}

impl<T: Element> Column<T> {
    /// The column, kept on a device: see [`Session::keep`].
    pub fn to(self, session: &Session, device: &str) -> Result<Column<T>> {
        session.keep(&self, device)?;
        Ok(self)
    }
}
