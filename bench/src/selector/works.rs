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
    /// Rows are folded by key.
    Group {
        /// How many keys there are for each row.
        keys_per_row: f64,
        /// How many keys there are at most.
        keys_max: f64,
    },
    /// Rows are put in order.
    Sort,
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
            Shape::Map | Shape::Scan | Shape::Sort => rows * self.write,
            Shape::Fold => 16.0,
            Shape::Compact { kept } => rows * self.write * kept,
            Shape::Group { .. } => self.keys(rows) * 16.0,
        }
    }

    /// How many keys a grouping of so many rows has; 0 for other shapes.
    pub fn keys(&self, rows: f64) -> f64 {
        match self.shape {
            Shape::Group { keys_per_row, keys_max } => (rows * keys_per_row).clamp(1.0, keys_max),
            Shape::Map | Shape::Fold | Shape::Compact { .. } | Shape::Scan | Shape::Sort => 0.0,
        }
    }
}

/// The twelve works.
pub fn works() -> Vec<Work> {
    use Class::{Convert, Divide, Elementary, Multiply, Simple};
    let work = |name, read, write, operations: &[(Class, f64)], shape| Work {
        name,
        read,
        write,
        operations: operations.to_vec(),
        shape,
    };
    vec![
        work("copy", 4.0, 4.0, &[], Shape::Map),
        work("poly", 4.0, 4.0, &[(Simple, 2.0), (Multiply, 3.0)], Shape::Map),
        work("divide", 8.0, 8.0, &[(Simple, 1.0), (Divide, 2.0)], Shape::Map),
        work("elementary", 4.0, 4.0, &[(Simple, 1.0), (Multiply, 1.0), (Elementary, 3.0)], Shape::Map),
        work("convert", 4.0, 8.0, &[(Convert, 1.0), (Multiply, 1.0)], Shape::Map),
        work("sum", 4.0, 0.0, &[(Simple, 1.0)], Shape::Fold),
        work("filter-sum", 4.0, 0.0, &[(Simple, 3.0), (Multiply, 3.0)], Shape::Fold),
        work("q6", 28.0, 0.0, &[(Simple, 10.0), (Multiply, 1.0)], Shape::Fold),
        work("compact", 4.0, 4.0, &[(Simple, 1.0)], Shape::Compact { kept: 0.5 }),
        work("running-sum", 4.0, 4.0, &[(Simple, 1.0)], Shape::Scan),
        work("group", 12.0, 8.0, &[(Simple, 2.0)], Shape::Group { keys_per_row: 0.05, keys_max: 2e6 }),
        work("sort", 8.0, 8.0, &[(Simple, 1.0)], Shape::Sort),
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
