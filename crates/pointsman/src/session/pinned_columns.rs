//! Columns that the user pins on a device, page-locked memory, and the memory report of a session.

use super::Session;
use crate::data::column::Column;
use crate::data::element::Element;
use crate::data::identity::ColumnCopies;
use crate::data::page_locked::PageLocked;
use crate::devices::handle::DeviceHandle;
use crate::devices::residency::report::MemoryReport;
use crate::devices::residency::resident_column::ResidentColumn;
use crate::devices::residency::{MemoryForecast, MemoryReservation, Retention};
use crate::devices::transfer::TransferStream;
use crate::error::FailureClass;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::footprint;
use crate::resilience::gate::{WaitError, WaitLimit};
use crate::resilience::health::Health;
use crate::resilience::time_limit::TimeLimit;
use bytemuck::Pod;
use std::sync::Arc;

impl Session {
    /// Allocates page-locked host memory for `values` values, all zero, for columns that a device copies more than once
    /// and for results. For devices that work in host memory, it is ordinary memory.
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

    /// Copies a column to a device and pins it there until [`Session::release`], or until the column and its clones are
    /// dropped. A pinned column is evicted only for a query that could not run otherwise; the receipt reports that.
    /// Columns that queries read also stay on the device while there is memory
    /// ([`SessionOptions::resident_bytes`](crate::SessionOptions::resident_bytes)), but they are evicted first. On the
    /// CPU, and on other devices that work in the host's memory, this does nothing.
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
        let handle = &**self.0.selector.handle(device)?;
        let Some(residency) = &handle.residency else { return Ok(()) };
        handle.health.as_ref().map_or(Ok(()), Health::check_open)?;
        if residency.pin_if_resident(column.identity()) {
            return Ok(());
        }
        let need = footprint::column_bytes(&*handle.device, &column.chunk(), T::DTYPE);
        let forecast = MemoryForecast { other_bytes: need, ..MemoryForecast::default() };
        let limit = WaitLimit { clock: &*self.0.clock, until: None, token: None };
        let reservation =
            residency.reserve(&forecast, &limit).map_err(|error: WaitError| Error::internal(format!("{error:?}")))?;
        if let Some(limit) = reservation.limit().filter(|&limit| limit < need) {
            let what = format!(
                "out of memory: a column of {need} bytes does not fit into the {limit} bytes that are left of `{device}`"
            );
            return Err(Error::new(ErrorKind::OutOfMemory, what));
        }
        let kept = self.upload_pinned(column, handle, &reservation)?;
        residency.pin(column.identity(), kept);
        Ok(())
    }

    /// Uploads a column to pin it. If that finds no memory, it evicts cached columns and tries again.
    fn upload_pinned<T: Element>(
        &self,
        column: &Column<T>,
        handle: &DeviceHandle,
        reservation: &MemoryReservation<'_>,
    ) -> Result<Arc<ResidentColumn>> {
        let lease = handle.lease_stream()?;
        let time = TimeLimit { clock: &*self.0.clock, timeout: self.0.options.launch_timeout, until: None };
        let mut transfer = TransferStream::new(&handle.device, lease.stream, time);
        let mut upload = || transfer.upload(&[column.chunk()], T::DTYPE);
        let uploaded = match upload() {
            Err(error)
                if FailureClass::of(&error) == FailureClass::OutOfMemory && reservation.evict(Retention::Cached) =>
            {
                upload()
            }
            uploaded => uploaded,
        };
        let kept = ResidentColumn::new(uploaded?);
        kept.record_upload(lease.stream)?;
        Ok(Arc::new(kept))
    }

    /// Frees the memory of a column on a device; running queries keep their copy.
    pub fn release<T: Element>(&self, column: &Column<T>, device: &str) -> Result<()> {
        let residency = &self.0.selector.handle(device)?.residency;
        if let (Some(residency), Some(id)) = (residency, column.identity().known_id()) {
            residency.forget(id);
        }
        Ok(())
    }

    /// Memory use on the host and on each discovered device.
    pub fn memory(&self) -> MemoryReport {
        let devices = self.0.registry.handles().filter_map(|handle| handle.residency.as_ref());
        MemoryReport { host: self.0.pool.counters(), devices: devices.map(|residency| residency.report()).collect() }
    }
}

impl<T: Element> Column<T> {
    /// Pins the column on a device: see [`Session::keep`].
    pub fn to(self, session: &Session, device: &str) -> Result<Column<T>> {
        session.keep(&self, device)?;
        Ok(self)
    }
}
