//! A receipt as text: one line (`{}`) or complete (`{:#}`).

use crate::instrument::phase::Phase;
use crate::programs::ProgramSource;
use crate::select::estimator::{joules, nanoseconds};
use crate::telemetry::receipt::Receipt;
use crate::text::{bytes, time};
use std::fmt;
use std::time::Duration;

/// `{}` prints one line: time, device, bytes moved, and where the kernels came from. `{:#}` prints everything.
impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() { self.write_all(f) } else { self.write_line(f) }
    }
}

impl Receipt {
    fn write_line(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name() {
            write!(f, "{name}: ")?;
        }
        write!(f, "{} on {}", time(self.total()), self.device())?;
        let ranking = self.ranking();
        if let Some(own) = self.joules() {
            write!(f, " · {}", joules(own))?;
        }
        if let Some(other) = ranking.as_ref().and_then(|ranking| ranking.best_but(self.device())) {
            write!(f, " · {} would take ~{}", other.device, nanoseconds(other.time()))?;
            other.joules().map_or(Ok(()), |energy| write!(f, " and {}", joules(energy)))?;
        }
        let moved = self.bytes_moved_in() + self.bytes_moved_out();
        if moved > 0 {
            write!(f, " · moved {}", bytes(moved))?;
        }
        let (sources, kernels) = (self.program_sources(), if self.stages().len() == 1 { "kernel" } else { "kernels" });
        let (slowest, took) = slowest(sources);
        match slowest {
            ProgramSource::Memory => write!(f, " · {kernels} cached"),
            ProgramSource::Disk(_) => write!(f, " · {kernels} read from disk in {}", time(took)),
            ProgramSource::Waited(_) => write!(f, " · waited {} for the {kernels}", time(took)),
            ProgramSource::Compiled(_) => write!(f, " · {kernels} compiled in {}", time(took)),
        }?;
        if let Some(slowdown) = self.slowdown() {
            write!(f, " · {slowdown:.1} times as long as usual")?;
        }
        match self.attempts() {
            [] => Ok(()),
            [.., last] if !self.shares().is_empty() => write!(f, " · without {}: {}", last.device, last.message),
            [.., last] if last.device == self.device() => write!(f, " · tried again after: {}", last.message),
            [.., last] => write!(f, " · instead of {}: {}", last.device, last.message),
        }
    }

    fn write_all(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name() {
            writeln!(f, "query    {name}")?;
        }
        writeln!(f, "device   {} ({})", self.device(), self.why())?;
        for attempt in self.attempts() {
            writeln!(f, "tried    {attempt}")?;
        }
        for prediction in self.ranking().iter().flat_map(|ranking| &ranking.predictions) {
            writeln!(f, "ranked   {prediction}")?;
        }
        if let Some(own) = self.joules() {
            writeln!(f, "energy   {}, beyond what the device draws idle", joules(own))?;
        }
        if let Some(lost) = self.lost().filter(|lost| !lost.is_zero()) {
            writeln!(f, "lost     {} by the choice", time(lost))?;
        }
        let several = self.stage_devices().any(|device| device != self.device());
        let stages = self.stages().iter().zip(self.stage_devices()).zip(self.programs()).zip(self.program_sources());
        for (((stage, device), program), source) in stages {
            let place = if several { format!(" on {device}") } else { String::new() };
            writeln!(f, "stage    {stage}{place}: {program} ({source})")?;
        }
        if let Some(slowdown) = self.slowdown() {
            writeln!(f, "slow     the last runs took {slowdown:.1} times as long as usual")?;
        }
        writeln!(f, "rows     {} in, {} out", self.rows_in(), self.rows_out())?;
        writeln!(f, "bytes    {} read, {} written", self.bytes_read(), self.bytes_written())?;
        if self.bytes_moved_in() + self.bytes_moved_out() > 0 {
            writeln!(f, "moved    {} in, {} out", self.bytes_moved_in(), self.bytes_moved_out())?;
        }
        for share in self.shares() {
            write!(f, "share    {}: {} rows in {} batches", share.device, share.rows, share.batches)?;
            let why = share.left_out.map(|why| format!(", then left out: {}", why.name())).unwrap_or_default();
            writeln!(f, "{why}")?;
        }
        if self.batches() > self.stages().len() && self.shares().is_empty() {
            let is_spilled = self.bytes_spilled() > 0;
            let why = match (self.resumes(), self.merges()) {
                _ if is_spilled => "more than memory holds at once".to_string(),
                (0, 0) => "copied and run at the same time".to_string(),
                (resumes, merges) => format!("{resumes} continued where room ended, {merges} merged results"),
            };
            writeln!(f, "batches  {}: {why}", self.batches())?;
        }
        if self.bytes_spilled() > 0 {
            writeln!(f, "spilled  {} bytes to the disk", self.bytes_spilled())?;
        }
        self.write_pressure(f)?;
        writeln!(f, "caches   plan {}, programs {}", self.plan_cache(), self.program_cache())?;
        f.write_str("times   ")?;
        for phase in Phase::ALL.into_iter().filter(|&phase| !self.time(phase).is_zero()) {
            write!(f, " {} {:.1?},", phase.name(), self.time(phase))?;
        }
        write!(f, " total {:.1?}", self.total())
    }

    /// Prints what it took to reserve device memory, if anything.
    fn write_pressure(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.waited_for_memory() {
            parts.push("waited for memory reserved by other queries".to_string());
        }
        if self.columns_evicted() > 0 {
            parts.push(format!("{} resident columns evicted", self.columns_evicted()));
        }
        if self.pins_evicted() > 0 {
            parts.push(format!("{} of them pinned", self.pins_evicted()));
        }
        if parts.is_empty() { Ok(()) } else { writeln!(f, "memory   {}", parts.join(", ")) }
    }
}

/// Returns the source that took longest, and the total time of all.
fn slowest(sources: impl Iterator<Item = ProgramSource>) -> (ProgramSource, Duration) {
    let more = |(slowest, total): (ProgramSource, Duration), source: ProgramSource| {
        (if source.took() > slowest.took() { source } else { slowest }, total + source.took())
    };
    sources.fold((ProgramSource::Memory, Duration::ZERO), more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowest_source_has_the_total_time() {
        let ms = Duration::from_millis;
        let sources = [ProgramSource::Memory, ProgramSource::Disk(ms(1)), ProgramSource::Compiled(ms(80))];
        assert_eq!(slowest(sources.into_iter()), (ProgramSource::Compiled(ms(80)), ms(81)));
        assert_eq!(slowest(sources.into_iter().take(1)), (ProgramSource::Memory, Duration::ZERO));
    }
}
