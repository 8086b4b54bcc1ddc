//! The simulated works: what a kernel's text says of each, and the calls that are made of them.

/// Classes of operations, as a processor's manual would sort them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Additions, comparisons, logic.
    Simple,
    /// Multiplications.
    Multiply,
    /// Divisions and roots.
    Divide,
    /// Conversions between types.
    Convert,
    /// Exponentials, logarithms, sines.
    Elementary,
}

/// Every class, in the order of the tables of rates.
pub const CLASSES: [Class; 5] = [Class::Simple, Class::Multiply, Class::Divide, Class::Convert, Class::Elementary];

/// What becomes of the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Each row gives a row.
    Map,
    /// All rows give one.
    Fold,
    /// A share of the rows is kept, in order.
    Compact {
        /// The share.
        kept: f64,
    },
    /// Each row gives the fold of all before it.
    Scan,
    /// Each row is looked up in a table.
    LookUp {
        /// The table's bytes.
        table: f64,
    },
    /// A loop for each row, that ends when the row is done.
    Loop {
        /// How often it may go round.
        bound: f64,
        /// How often it does, for a row alone.
        mean: f64,
        /// How often it does for rows that go together: as often as the slowest of them needs.
        together: f64,
    },
    /// Each row gives a fold of the rows before it, in frames that grow with the rows.
    Frames,
}

/// A kind of work.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its name, for people.
    pub name: &'static str,
    /// Bytes read for each row.
    pub read: f64,
    /// Bytes written for each row if every row is kept.
    pub write: f64,
    /// Operations for each row by class.
    pub operations: Vec<(Class, f64)>,
    /// What becomes of the rows.
    pub shape: Shape,
}

impl Work {
    /// Bytes of the result.
    pub fn result_bytes(&self, rows: f64) -> f64 {
        match self.shape {
            Shape::Map | Shape::Scan | Shape::LookUp { .. } | Shape::Loop { .. } | Shape::Frames => rows * self.write,
            Shape::Fold => 16.0,
            Shape::Compact { kept } => rows * self.write * kept,
        }
    }
}

/// The twelve works.
pub fn works() -> Vec<Work> {
    use Class::{Convert, Divide, Elementary, Multiply, Simple};
    // As the text says it: the loop's bound times what is in it.
    let newton = [(Simple, 32.0), (Multiply, 32.0), (Divide, 16.0)];
    let work = |name, read, write, operations: &[(Class, f64)], shape| Work {
        name,
        read,
        write,
        operations: operations.to_vec(),
        shape,
    };
    vec![
        work("poly", 4.0, 8.0, &[(Simple, 2.0), (Multiply, 3.0), (Convert, 1.0)], Shape::Map),
        work("divide", 8.0, 8.0, &[(Simple, 1.0), (Divide, 2.0)], Shape::Map),
        work("elementary", 4.0, 4.0, &[(Simple, 1.0), (Multiply, 1.0), (Elementary, 3.0)], Shape::Map),
        work("sum", 4.0, 0.0, &[(Simple, 1.0)], Shape::Fold),
        work("filter-sum", 4.0, 0.0, &[(Simple, 3.0), (Multiply, 3.0)], Shape::Fold),
        work("q6", 28.0, 0.0, &[(Simple, 10.0), (Multiply, 1.0)], Shape::Fold),
        work("compact", 4.0, 4.0, &[(Simple, 1.0)], Shape::Compact { kept: 0.5 }),
        work("running-sum", 4.0, 4.0, &[(Simple, 1.0)], Shape::Scan),
        work("select few", 12.0, 12.0, &[(Simple, 2.0)], Shape::Compact { kept: 0.01 }),
        work("look-up", 8.0, 4.0, &[(Simple, 1.0)], Shape::LookUp { table: 4e6 }),
        work("newton", 8.0, 8.0, &newton, Shape::Loop { bound: 16.0, mean: 5.0, together: 9.0 }),
        work("frames", 8.0, 8.0, &[(Simple, 2.0)], Shape::Frames),
    ]
}

/// The twelve sizes, 1,000 to 100 million rows.
pub fn sizes() -> Vec<u64> {
    (0..12).map(|i| 10f64.powf(3.0 + 5.0 * f64::from(i) / 11.0).round() as u64).collect()
}

/// Where a call's columns are. The host has them always, and gets the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Only in the host's memory.
    Host,
    /// A copy is on this accelerator, too.
    Resident(usize),
}

/// A call: which work, over how many rows, with columns where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The work, by its place in [`works`].
    pub work: usize,
    /// Source rows.
    pub rows: u64,
    /// Where the columns are.
    pub place: Place,
}

/// Every call of the grid for a machine with so many arms; copies lie on the accelerators in turn.
pub fn cells(arms: usize) -> Vec<Call> {
    let mut cells = Vec::new();
    for work in 0..works().len() {
        for rows in sizes() {
            let home = 1 + work % (arms - 1);
            cells.extend([Place::Host, Place::Resident(home)].map(|place| Call { work, rows, place }));
        }
    }
    cells
}
