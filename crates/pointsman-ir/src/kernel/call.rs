//! [`Call`]: a library operation, which computes each chunk of rows as a whole: a matrix product, a Fourier transform, a
//! convolution.
//!
//! The sink [`Sink::Call`](super::Sink::Call) hands a call its rows in source order. Every [`Call::rows_in`] consecutive rows
//! are a chunk (one matrix, one signal, one image), and each chunk gives [`Call::rows_out`] rows, whatever the other chunks
//! hold. Numbers are floats; a complex number takes two rows, its real part first. Matrices and images are stored row by
//! row. All sums have bounds and no fixed order (`docs/semantics.md`, "Calls"), so devices may use their libraries.

mod blocks;

pub use blocks::ConvolveBlocks;
use std::fmt;
use std::ops::Range;

/// Real numbers, or complex ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numbers {
    /// A number takes a row.
    Real,
    /// A number takes two rows: its real part, then its imaginary part.
    Complex,
}

impl Numbers {
    /// The rows of one number.
    pub const fn rows(self) -> u64 {
        match self {
            Numbers::Real => 1,
            Numbers::Complex => 2,
        }
    }
}

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Storage {
    /// Row by row.
    Rows,
    /// Column by column: the stored matrix is the transposed one.
    Columns,
}

/// Which right operand a chunk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RightOperand {
    /// All chunks have the same.
    Shared,
    /// Each chunk has its own; they follow each other in the captured table.
    PerChunk,
}

/// A product of matrices: `left` (`rows` × `inner`) times `right` (`inner` × `columns`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Matmul {
    /// Real or complex.
    pub numbers: Numbers,
    /// Rows of the left matrix and of the product.
    pub rows: u64,
    /// Columns of the left matrix, rows of the right one.
    pub inner: u64,
    /// Columns of the right matrix and of the product.
    pub columns: u64,
    /// How the left matrix is stored.
    pub left: Storage,
    /// How the right matrix is stored.
    pub right: Storage,
    /// Which right matrix a chunk has.
    pub operand: RightOperand,
}

/// Which transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transform {
    /// Complex numbers to complex numbers: Σ x_j · e^(−2πi·jk/n).
    Forward,
    /// Its inverse, divided by n.
    Inverse,
    /// Real numbers to the first n/2 + 1 complex numbers of [`Transform::Forward`]; the others are their conjugates.
    RealForward,
    /// Its inverse, divided by n: the imaginary parts of number 0, and of number n/2 if n is even, are ignored.
    RealInverse,
}

/// A discrete Fourier transform, of one dimension or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fft {
    /// Which.
    pub transform: Transform,
    /// The length of the first dimension, which is the outer one; 1 for a transform of one dimension.
    pub outer: u64,
    /// The length of the last dimension.
    pub length: u64,
    /// How many numbers of the last dimension a chunk has; the others are zero. All of them, if there are two dimensions.
    pub given: u64,
    /// How many numbers of the last dimension are kept of the result. All of them, if there are two dimensions.
    pub kept: u64,
}

/// Whether the weights are turned around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Weight j goes with the number at j: what neural networks call a convolution.
    Correlation,
    /// Weight j goes with the number at −j.
    Convolution,
}

/// How a convolution is computed. The results differ by rounding only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// By its sum: best for few weights.
    Sum,
    /// By Fourier transforms: best for many weights.
    Transform,
}

/// A convolution of one dimension (heights are 1) or two, over channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Convolve {
    /// How it is computed.
    pub method: Method,
    /// Whether the weights are turned around.
    pub direction: Direction,
    /// Channels of a chunk, which is stored channel by channel.
    pub channels_in: u64,
    /// Channels of the result. The weights are stored by result channel, then by channel, then row by row.
    pub channels_out: u64,
    /// Height and width of a channel.
    pub input: [u64; 2],
    /// Height and width of the weights.
    pub weights: [u64; 2],
    /// Zeros before and after the rows, then before and after the columns of a channel.
    pub padding: [[u64; 2]; 2],
    /// The step between places, down and across.
    pub stride: [u64; 2],
}

/// A library operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// A product of matrices. Its captured table has the right matrices.
    Matmul(Matmul),
    /// A Fourier transform. It has no captured table.
    Fft(Fft),
    /// A convolution. Its captured table has the weights.
    Convolve(Convolve),
}

/// Rows or a captured table that a call cannot take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMismatch {
    /// The rows are no whole chunks.
    Rows {
        /// How many rows there are.
        rows: u64,
        /// How many a chunk has.
        chunk_rows: u64,
    },
    /// The captured table has another size.
    Table {
        /// The rows that the table has.
        rows: u64,
        /// The rows that it needs.
        wanted: u64,
    },
}

impl fmt::Display for CallMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallMismatch::Rows { rows, chunk_rows } => {
                write!(f, "a call takes chunks of {chunk_rows} rows, but there are {rows} rows: give whole chunks")
            }
            CallMismatch::Table { rows, wanted } => {
                write!(f, "a call needs a captured table of {wanted} rows, but the table has {rows}")
            }
        }
    }
}

/// The most rows of a chunk, of its result, and of a captured table: row numbers stay far below 2^63.
pub const CALL_ROWS_MAX: u64 = 1 << 40;

/// The product of sizes; `None` if it is zero or beyond [`CALL_ROWS_MAX`].
fn size(sizes: &[u64]) -> Option<u64> {
    let product = sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size))?;
    (1..=CALL_ROWS_MAX).contains(&product).then_some(product)
}

impl Matmul {
    /// The product of a real matrix of `rows` × `inner` and one of `inner` × `columns`, both stored row by row. All chunks
    /// have the same right matrix.
    pub const fn real(rows: u64, inner: u64, columns: u64) -> Matmul {
        let (numbers, operand) = (Numbers::Real, RightOperand::Shared);
        Matmul { numbers, rows, inner, columns, left: Storage::Rows, right: Storage::Rows, operand }
    }

    /// The same product of complex matrices.
    pub const fn complex(rows: u64, inner: u64, columns: u64) -> Matmul {
        Matmul { numbers: Numbers::Complex, ..Matmul::real(rows, inner, columns) }
    }
}

impl Fft {
    /// The transform of `length` complex numbers.
    pub const fn forward(length: u64) -> Fft {
        Fft::line(Transform::Forward, length)
    }

    /// The inverse of [`Fft::forward`].
    pub const fn inverse(length: u64) -> Fft {
        Fft::line(Transform::Inverse, length)
    }

    /// The transform of `length` real numbers to `length` / 2 + 1 complex ones.
    pub const fn real_forward(length: u64) -> Fft {
        Fft::line(Transform::RealForward, length)
    }

    /// The inverse of [`Fft::real_forward`], which gives `length` real numbers.
    pub const fn real_inverse(length: u64) -> Fft {
        Fft::line(Transform::RealInverse, length)
    }

    /// The transform of one dimension, whole.
    const fn line(transform: Transform, length: u64) -> Fft {
        let whole = Fft { transform, outer: 1, length, given: length, kept: length };
        let [given, kept] = whole.whole();
        Fft { given, kept, ..whole }
    }

    /// The transform of two dimensions: of `outer` lines of `length` numbers.
    pub const fn plane(transform: Transform, outer: u64, length: u64) -> Fft {
        Fft { outer, ..Fft::line(transform, length) }
    }

    /// The complex numbers of the last dimension of a half spectrum.
    pub const fn half(&self) -> u64 {
        self.length / 2 + 1
    }

    /// The numbers of the last dimension of a whole chunk and of a whole result.
    pub const fn whole(&self) -> [u64; 2] {
        match self.transform {
            Transform::Forward | Transform::Inverse => [self.length, self.length],
            Transform::RealForward => [self.length, self.half()],
            Transform::RealInverse => [self.half(), self.length],
        }
    }

    /// Whether a chunk and a result hold real or complex numbers.
    pub const fn numbers(&self) -> [Numbers; 2] {
        match self.transform {
            Transform::Forward | Transform::Inverse => [Numbers::Complex, Numbers::Complex],
            Transform::RealForward => [Numbers::Real, Numbers::Complex],
            Transform::RealInverse => [Numbers::Complex, Numbers::Real],
        }
    }
}

impl Convolve {
    /// The sums of `weights` neighbours of `length` numbers times their weights: a correlation of one channel, without
    /// zeros at its ends, by its sum.
    pub const fn line(length: u64, weights: u64) -> Convolve {
        Convolve::plane([1, length], [1, weights])
    }

    /// The same of two dimensions; the sizes are height and width.
    pub const fn plane(input: [u64; 2], weights: [u64; 2]) -> Convolve {
        Convolve {
            method: Method::Sum,
            direction: Direction::Correlation,
            channels_in: 1,
            channels_out: 1,
            input,
            weights,
            padding: [[0, 0], [0, 0]],
            stride: [1, 1],
        }
    }

    /// Whether the step and the size with zeros around it, down (0) or across (1), are within [`CALL_ROWS_MAX`].
    fn is_bounded(&self, side: usize) -> bool {
        let padded = self.padding[side].iter().try_fold(self.input[side], |sum, zeros| sum.checked_add(*zeros));
        padded.is_some_and(|size| size <= CALL_ROWS_MAX) && self.stride[side] <= CALL_ROWS_MAX
    }

    /// Height and width of a channel of the result; 0 where the weights do not fit.
    pub fn output(&self) -> [u64; 2] {
        std::array::from_fn(|side| {
            let padded = self.padding[side].iter().fold(self.input[side], |sum, zeros| sum.saturating_add(*zeros));
            match padded.checked_sub(self.weights[side]) {
                Some(left) if self.stride[side] > 0 => left / self.stride[side] + 1,
                Some(_) | None => 0,
            }
        })
    }
}

impl Convolve {
    /// Additions and multiplications of a chunk.
    fn operations(&self) -> f64 {
        let [channels_in, channels_out] = [self.channels_in as f64, self.channels_out as f64];
        let area = |[height, width]: [u64; 2]| height as f64 * width as f64;
        match self.method {
            Method::Sum => 2.0 * channels_out * area(self.output()) * channels_in * area(self.weights),
            Method::Transform => self.transform_operations(),
        }
    }
}

impl From<Matmul> for Call {
    fn from(product: Matmul) -> Call {
        Call::Matmul(product)
    }
}

impl From<Fft> for Call {
    fn from(transform: Fft) -> Call {
        Call::Fft(transform)
    }
}

impl From<Convolve> for Call {
    fn from(sum: Convolve) -> Call {
        Call::Convolve(sum)
    }
}

impl Call {
    /// Its name, as `print` writes it.
    pub const fn name(&self) -> &'static str {
        match self {
            Call::Matmul(_) => "matmul",
            Call::Fft(_) => "fft",
            Call::Convolve(_) => "convolve",
        }
    }

    /// What is wrong with its sizes; `None` if it can be computed.
    pub fn mistake(&self) -> Option<String> {
        if let Call::Fft(fft) = self {
            let [input, output] = fft.whole();
            if fft.given > input || fft.kept > output {
                let (given, kept) = (fft.given, fft.kept);
                return Some(format!("a transform of {input} to {output} numbers is given {given} and keeps {kept}"));
            }
            if fft.outer > 1 && (fft.given, fft.kept) != (input, output) {
                return Some("a transform of two dimensions takes and gives all of its numbers".to_string());
            }
        }
        if let Call::Convolve(sum) = self
            && let Some(side) = (0..2).find(|&side| !sum.is_bounded(side))
        {
            let name = ["height", "width"][side];
            return Some(format!("the {name} of a channel with its zeros, or the step, of {self} is above 2^40"));
        }
        let sizes = [("chunk", self.chunk()), ("result of a chunk", self.result()), ("captured table", self.table())];
        let (what, _) = sizes.into_iter().find(|(_, rows)| rows.is_none())?;
        Some(format!("the {what} of {self} has no rows, or more than 2^40"))
    }

    fn chunk(&self) -> Option<u64> {
        match self {
            Call::Matmul(product) => size(&[product.numbers.rows(), product.rows, product.inner]),
            Call::Fft(fft) => size(&[fft.numbers()[0].rows(), fft.outer, fft.given])
                .filter(|_| size(&[2, fft.outer, fft.length]).is_some()),
            Call::Convolve(sum) => size(&[sum.channels_in, sum.input[0], sum.input[1]]),
        }
    }

    fn result(&self) -> Option<u64> {
        match self {
            Call::Matmul(product) => size(&[product.numbers.rows(), product.rows, product.columns]),
            Call::Fft(fft) => size(&[fft.numbers()[1].rows(), fft.outer, fft.kept]),
            Call::Convolve(sum) => size(&[sum.channels_out, sum.output()[0], sum.output()[1]]),
        }
    }

    fn table(&self) -> Option<u64> {
        match self {
            Call::Matmul(product) => size(&[product.numbers.rows(), product.inner, product.columns]),
            Call::Fft(_) => Some(1),
            Call::Convolve(sum) => size(&[sum.channels_out, sum.channels_in, sum.weights[0], sum.weights[1]]),
        }
    }

    /// The rows of a chunk; at least 1. The call has no [`Call::mistake`].
    pub fn rows_in(&self) -> u64 {
        self.chunk().unwrap_or(1)
    }

    /// The rows that a chunk gives; at least 1.
    pub fn rows_out(&self) -> u64 {
        self.result().unwrap_or(1)
    }

    /// Whether it has a captured table.
    pub const fn has_table(&self) -> bool {
        match self {
            Call::Matmul(_) | Call::Convolve(_) => true,
            Call::Fft(_) => false,
        }
    }

    /// The rows of its captured table, for this many chunks.
    pub fn table_rows(&self, chunks: u64) -> u64 {
        let one = self.table().unwrap_or(1);
        match self {
            Call::Matmul(Matmul { operand: RightOperand::PerChunk, .. }) => one.saturating_mul(chunks),
            Call::Matmul(Matmul { operand: RightOperand::Shared, .. }) | Call::Convolve(_) => one,
            Call::Fft(_) => 0,
        }
    }

    /// Launches may be cut at multiples of this many rows: between chunks, or between the rows of left matrices that are
    /// stored by rows and share their right matrix. At least 1.
    pub fn cut_rows(&self) -> u64 {
        match self {
            Call::Matmul(Matmul { left: Storage::Rows, operand: RightOperand::Shared, numbers, inner, .. }) => {
                size(&[numbers.rows(), *inner]).unwrap_or(1)
            }
            Call::Matmul(_) | Call::Fft(_) | Call::Convolve(_) => self.rows_in(),
        }
    }

    /// The call that a launch over `rows` rows computes: this one, or a product whose left matrix has another number of
    /// rows. `rows` is a multiple of [`Call::cut_rows`].
    #[must_use]
    pub fn over(&self, rows: u64) -> Call {
        let unit = self.cut_rows();
        match *self {
            Call::Matmul(product) if unit != self.rows_in() && !rows.is_multiple_of(self.rows_in()) => {
                Call::Matmul(Matmul { rows: rows / unit, ..product })
            }
            call @ (Call::Matmul(_) | Call::Fft(_) | Call::Convolve(_)) => call,
        }
    }

    /// The rows of a table with a part for each chunk ([`RightOperand::PerChunk`]) that these rows, whole chunks, need;
    /// `None` if all chunks share the table or there is none.
    pub fn table_part(&self, rows: Range<u64>) -> Option<Range<u64>> {
        match self {
            Call::Matmul(Matmul { operand: RightOperand::PerChunk, .. }) => {
                let start = |row: u64| self.table_rows(row / self.rows_in());
                Some(start(rows.start)..start(rows.end))
            }
            Call::Matmul(_) | Call::Fft(_) | Call::Convolve(_) => None,
        }
    }

    /// Checks the rows of a launch, which may be a part of a query's ([`Call::cut_rows`]), and what the captured table
    /// has for them.
    pub fn check_launch(&self, rows: u64, table_rows: u64) -> Result<(), CallMismatch> {
        if rows.is_multiple_of(self.cut_rows()) { self.over(rows) } else { *self }.check_rows(rows, table_rows)
    }

    /// Checks that the rows are whole chunks and that the captured table has what they need.
    pub fn check_rows(&self, rows: u64, table_rows: u64) -> Result<(), CallMismatch> {
        let chunk_rows = self.rows_in();
        if !rows.is_multiple_of(chunk_rows) {
            return Err(CallMismatch::Rows { rows, chunk_rows });
        }
        let wanted = self.table_rows(rows / chunk_rows);
        if table_rows != wanted { Err(CallMismatch::Table { rows: table_rows, wanted }) } else { Ok(()) }
    }

    /// Additions and multiplications of a chunk: of a transform, 5·n·log2(n) for n complex numbers, half of that for real
    /// ones.
    pub fn operations(&self) -> f64 {
        match self {
            Call::Matmul(product) => {
                let each = if product.numbers == Numbers::Complex { 8.0 } else { 2.0 };
                each * product.rows as f64 * product.inner as f64 * product.columns as f64
            }
            Call::Fft(fft) => {
                let numbers = fft.outer as f64 * fft.length as f64;
                let each = match fft.transform {
                    Transform::Forward | Transform::Inverse => 5.0,
                    Transform::RealForward | Transform::RealInverse => 2.5,
                };
                each * numbers * numbers.max(2.0).log2()
            }
            Call::Convolve(sum) => sum.operations(),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Matmul(product) => product.fmt(f),
            Call::Fft(fft) => fft.fmt(f),
            Call::Convolve(sum) => sum.fmt(f),
        }
    }
}

impl fmt::Display for Matmul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = match self.numbers {
            Numbers::Real => "real",
            Numbers::Complex => "complex",
        };
        let side = |storage| match storage {
            Storage::Rows => "rows",
            Storage::Columns => "columns",
        };
        let operand = match self.operand {
            RightOperand::Shared => "shared",
            RightOperand::PerChunk => "per_chunk",
        };
        let Matmul { rows, inner, columns, .. } = self;
        let (left, right) = (side(self.left), side(self.right));
        write!(f, "matmul {numbers} {rows} {inner} {columns} left {left} right {right} {operand}")
    }
}

impl fmt::Display for Fft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transform = match self.transform {
            Transform::Forward => "forward",
            Transform::Inverse => "inverse",
            Transform::RealForward => "real_forward",
            Transform::RealInverse => "real_inverse",
        };
        write!(f, "fft {transform} {} {} given {} kept {}", self.outer, self.length, self.given, self.kept)
    }
}

impl fmt::Display for Convolve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = match self.direction {
            Direction::Correlation => "correlation",
            Direction::Convolution => "convolution",
        };
        let method = match self.method {
            Method::Sum => "sum",
            Method::Transform => "transform",
        };
        let Convolve { channels_in, channels_out, input, weights, padding, stride, .. } = self;
        let [[up, down], [left, right]] = padding;
        write!(
            f,
            "convolve {direction} {method} channels {channels_in} {channels_out} input {} {}",
            input[0], input[1]
        )?;
        write!(f, " weights {} {} padding {up} {down} {left} {right}", weights[0], weights[1])?;
        write!(f, " stride {} {}", stride[0], stride[1])
    }
}
