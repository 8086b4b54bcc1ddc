//! How fast a device reads and writes, over the bytes that it touches: a sum of a column, and a copy of one less its reading.

use super::Limits;
use super::kernels::{VALUE_BYTES, Work};
use super::meter::{Meter, Timed, Weighed};
use super::rig::{Buffer, Program, Rig};
use crate::error::{Error, ErrorKind, Result};
use crate::select::estimator::profile::Curve;
use pointsman_device::host::BoolLayout;
use pointsman_device::{BufferRange, ColumnInput, ColumnOutput, DeviceResult, HostBuffer, HostChunk};
use std::cell::RefCell;
use std::time::Duration;

/// The first bytes of the column, which the rest repeats: numbers that differ, and no zeros.
const SEED_BYTES: usize = 64 << 10;
/// Up to here each working set is twice the one before it, and four times from there on.
const FINE_BYTES: usize = 16 << 20;
/// The least part of what a run takes that must be its work: less is noise of the launch.
const WORK_PART_MIN: f64 = 0.2;
/// Writing a byte takes so many times what reading one does, at least and at most: the rest is noise of both.
const WRITE_TIMES: (f64, f64) = (0.4, 3.0);

/// Whether a run reads, or reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Read,
    Copy,
}

/// One run: a way, the bytes that it touches, and the program.
struct Point {
    way: Way,
    bytes: usize,
    program: usize,
}

impl Weighed for Point {
    fn weight(&self) -> f64 {
        self.bytes as f64
    }
}

/// What was found.
pub(super) struct Found {
    /// Nanoseconds of a launch that stores, and of one that folds.
    pub(super) launch: f64,
    pub(super) fold_launch: f64,
    pub(super) read: Curve,
    pub(super) write: Curve,
}

impl Found {
    /// Whether it can be computed with: a clock that stands still finds nothing.
    pub(super) fn is_sound(&self) -> bool {
        self.launch > 0.0
            && self.launch.is_finite()
            && self.fold_launch.is_finite()
            && !self.read.is_empty()
            && !self.write.is_empty()
    }
}

/// Measures launching, reading and writing up to this moment, with a program that reads and one that copies.
pub(super) fn measure(
    rig: &Rig,
    meter: &Meter<'_>,
    (limits, columns): (&Limits, &Columns),
    programs: &mut Vec<Program>,
    until: Duration,
) -> Result<Found> {
    let warm_bytes = columns.bytes.min(limits.warm_up_bytes);
    columns.fill(rig, &programs[1], warm_bytes)?;
    meter.warm_up(limits.warm_up, || columns.read(rig, &programs[0], warm_bytes))?;
    let run = |point: &Point, programs: &[Program]| match point.way {
        Way::Read => columns.read(rig, &programs[point.program], point.bytes),
        Way::Copy => columns.copy(rig, &programs[point.program], point.bytes),
    };
    let one_row = [(Way::Copy, 2 * VALUE_BYTES), (Way::Read, VALUE_BYTES)].map(|(way, bytes)| Point {
        way,
        bytes,
        program: way as usize,
    });
    let launches = meter.series(until, &one_row, |point| run(point, programs))?;
    let launch_of = |place: usize| launches.get(place).map(|timed| timed.median);
    let launch = launch_of(0).unwrap_or(f64::NAN);
    let fold_launch = launch_of(1).unwrap_or(launch);
    let mut points = Vec::new();
    for bytes in sizes(limits.bytes_min, columns.bytes) {
        for (way, work) in [(Way::Read, Work::read()), (Way::Copy, Work::copy())] {
            // A program of the host learns how many threads pay for its size, so each size has one of its own.
            let program = if rig.is_host() { own(rig, &work, programs)? } else { way as usize };
            points.push(Point { way, bytes, program });
        }
    }
    let timed = meter.series(until, &points, |point| {
        columns.fill(rig, &programs[1], point.bytes)?;
        run(point, programs)
    })?;
    let (read, write) = curves(&points, &timed, (launch, fold_launch));
    // Where there was no time to write: it is nearer to reading than to a guess.
    let write = if write.is_empty() { read.clone() } else { write };
    Ok(Found { launch, fold_launch, read, write })
}

/// Loads a program once more; its number.
pub(super) fn own(rig: &Rig, work: &Work, programs: &mut Vec<Program>) -> Result<usize> {
    let program = rig.load(work)?.ok_or_else(|| Error::internal("a kernel that was taken before is refused"))?;
    programs.push(program);
    Ok(programs.len() - 1)
}

/// The working sets that are measured, in bytes.
fn sizes(first: usize, last: usize) -> impl Iterator<Item = usize> {
    let next = |bytes: &usize| bytes.checked_mul(if *bytes < FINE_BYTES { 2 } else { 4 });
    std::iter::successors(Some(first.min(last)), next).take_while(move |&bytes| bytes <= last)
}

/// Reading from sums; writing from copies, less the reading.
fn curves(points: &[Point], timed: &[Timed], (launch, fold_launch): (f64, f64)) -> (Curve, Curve) {
    let of = |way: Way| {
        let all = points.iter().zip(timed).filter(move |(point, _)| point.way == way);
        all.map(|(point, timed)| (point.bytes as f64, timed.least)).collect::<Vec<_>>()
    };
    let read = Curve::new(each(&of(Way::Read), fold_launch));
    let copied = of(Way::Copy);
    let write = each(&copied, launch).map(|(bytes, each)| {
        // Half of the bytes were read, half were written.
        let reading = read.each(bytes);
        (bytes, (2.0 * each - reading).clamp(reading * WRITE_TIMES.0, reading * WRITE_TIMES.1))
    });
    (read.clone(), Curve::new(write))
}

/// Nanoseconds a byte by size, from what runs took in all and what each takes before its first byte. Where that is nearly
/// all of it, nothing can be said; but of the largest something is.
pub(super) fn each(timed: &[(f64, f64)], start: f64) -> impl Iterator<Item = (f64, f64)> {
    let last = timed.len().saturating_sub(1);
    timed.iter().enumerate().filter_map(move |(number, &(bytes, took))| {
        let work = (took - start).max(if number == last { took * WORK_PART_MIN } else { 0.0 });
        (work >= took * WORK_PART_MIN).then_some((bytes, work / bytes))
    })
}

/// A column of numbers, and room for its copy.
pub(super) struct Columns {
    place: Place,
    /// Bytes of the column.
    pub(super) bytes: usize,
    /// How many of them were written: what was never written may be one page of zeros, many times.
    filled: RefCell<usize>,
}

enum Place {
    Host { input: RefCell<HostBuffer>, output: RefCell<HostBuffer>, bits: RefCell<HostBuffer> },
    Device { input: Buffer, output: Buffer, bits: Buffer },
}

impl Columns {
    /// Room for a column of so many bytes, or of half as many, or of half of that, as far as there is memory.
    pub(super) fn new(rig: &Rig, bytes_max: usize) -> Result<Columns> {
        let mut bytes = bytes_max;
        loop {
            match Place::new(rig, bytes).map_err(Error::from) {
                Ok(place) => return Ok(Columns { place, bytes, filled: RefCell::new(0) }),
                Err(error) if error.kind() == ErrorKind::OutOfMemory && bytes > SEED_BYTES => bytes /= 2,
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes sure that so many bytes are numbers.
    pub(super) fn fill(&self, rig: &Rig, copier: &Program, bytes: usize) -> Result<()> {
        let mut filled = self.filled.borrow_mut();
        if *filled == 0 {
            let seed = seed();
            let seed = &seed[..SEED_BYTES.min(self.bytes)];
            match &self.place {
                Place::Host { input, .. } => input.borrow_mut()[..seed.len()].copy_from_slice(seed),
                Place::Device { input, .. } => rig.device.upload(rig.stream, seed, input.range(0, seed.len()))?,
            }
            *filled = seed.len();
        }
        while *filled < bytes {
            let more = (*filled).min(self.bytes - *filled);
            match &self.place {
                Place::Host { input, .. } => input.borrow_mut().copy_within(..more, *filled),
                Place::Device { input, output, .. } => repeat(rig, copier, input, output, *filled, more)?,
            }
            *filled += more;
        }
        Ok(())
    }

    /// Reads so many bytes.
    pub(super) fn read(&self, rig: &Rig, program: &Program, bytes: usize) -> Result<()> {
        let rows = bytes / VALUE_BYTES;
        match &self.place {
            Place::Host { input, .. } => {
                rig.fold(program, rows, &[ColumnInput::Host(&[chunk(&input.borrow()[..bytes])])])
            }
            Place::Device { input, .. } => rig.fold(program, rows, &[column(input.range(0, bytes))]),
        }
    }

    /// Reads half as many bytes, and writes as many again.
    pub(super) fn copy(&self, rig: &Rig, program: &Program, bytes: usize) -> Result<()> {
        self.write(rig, program, bytes, false)
    }

    /// The same, of values that may be missing if it says so.
    pub(super) fn write(&self, rig: &Rig, program: &Program, bytes: usize, has_nulls: bool) -> Result<()> {
        let bytes = bytes / 2;
        let rows = bytes / VALUE_BYTES;
        let bitmap_bytes = rows.div_ceil(8);
        match &self.place {
            Place::Host { input, output, bits } => {
                let (mut output, mut bits) = (output.borrow_mut(), bits.borrow_mut());
                let (values, validity) = (&mut output[..bytes], has_nulls.then(|| &mut bits[..bitmap_bytes]));
                let output = ColumnOutput::Host { values, bools: BoolLayout::Bits, validity };
                rig.run(program, rows, &[ColumnInput::Host(&[chunk(&input.borrow()[..bytes])])], output)
            }
            Place::Device { input, output, bits } => {
                let validity = has_nulls.then(|| bits.range(0, bitmap_bytes));
                let output = ColumnOutput::Device { values: output.range(0, bytes), validity };
                rig.run(program, rows, &[column(input.range(0, bytes))], output)
            }
        }
    }
}

impl Place {
    fn new(rig: &Rig, bytes: usize) -> DeviceResult<Place> {
        let bit_bytes = (bytes / 2 / VALUE_BYTES).div_ceil(8).next_multiple_of(64);
        if rig.is_host() {
            let memory = |bytes: usize| HostBuffer::try_zeroed(bytes).map(RefCell::new);
            return Ok(Place::Host { input: memory(bytes)?, output: memory(bytes / 2)?, bits: memory(bit_bytes)? });
        }
        let memory = |bytes: usize| Buffer::new(&rig.device, bytes);
        Ok(Place::Device { input: memory(bytes)?, output: memory(bytes / 2)?, bits: memory(bit_bytes)? })
    }
}

/// Repeats the first bytes of a buffer behind those that it has: by way of another one, since a launch does not write what
/// it reads.
fn repeat(rig: &Rig, copier: &Program, input: &Buffer, output: &Buffer, filled: usize, bytes: usize) -> Result<()> {
    let rows = bytes / VALUE_BYTES;
    let to = |values: BufferRange| ColumnOutput::Device { values, validity: None };
    rig.run(copier, rows, &[column(input.range(0, bytes))], to(output.range(0, bytes)))?;
    rig.run(copier, rows, &[column(output.range(0, bytes))], to(input.range(filled, bytes)))
}

fn chunk(values: &[u8]) -> HostChunk<'_> {
    HostChunk { values, bools: BoolLayout::Bits, bit_offset: 0, validity: None, rows: values.len() / VALUE_BYTES }
}

fn column(values: BufferRange) -> ColumnInput<'static> {
    ColumnInput::Device { values, validity: None, rows: values.bytes as usize / VALUE_BYTES }
}

/// Numbers between 1 and 2, in no particular order.
pub(super) fn seed() -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(0x3f80_0000 | state >> 9).to_le_bytes()
    };
    (0..SEED_BYTES / VALUE_BYTES).flat_map(|_| next()).collect()
}
