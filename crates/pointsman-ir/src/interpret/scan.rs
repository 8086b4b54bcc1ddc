//! Running folds: in go rows in source order, out come the selected rows with the fold of the rows up to each.
//!
//! **Inside a leaf** a float sum has 4,096 places; an unselected or null row holds −0.0. Places form groups of 16; groups
//! are scanned in four steps `s` = 1, 2, 4, 8: `x[i]` becomes `x[i − s] + x[i]` for `i ≥ s`, all from the step before.
//! The last elements of the 256 groups are scanned the same way in groups of 16, and the last elements of those too. A
//! place's value is `c3 + (c2 + x)`, with `c2` and `c3` the scanned totals left of its group and of its group of groups
//! (−0.0 for the first). The leaf's total is the last element of the third scan.
//! **The carry** into leaf `L` is the sum of the tree's nodes that make up the leaves before it, the largest first.
//! **Segments** make every addition `(f1, v1) + (f2, v2) = (f1 or f2, v2 if f2, else v1 + v2)`, with `f` true where a
//! segment starts; a row that lies before its leaf's first start takes the carry. Other folds do not depend on grouping.
//! **Frames** keep the values and are folded at the end, left to right.

use super::Inputs;
use super::fault::Fault;
use super::fold::{Accumulator, Folding, float_sum, positional};
use super::reduce::{Node, fold_input, leaves, push_node, read_nodes, write_nodes};
use super::row::Rows;
use super::scalar::{integer, is_true};
use crate::body::{Body, ValueId};
use crate::data::TableData;
use crate::kernel::{Frame, Kernel, LEAF_ROWS, Running, SCAN_RADIX, Sink};
use crate::types::Scalar;
use std::collections::VecDeque;

/// The columns of a partial's row before the kept ones: leaf, before the first start, segment start.
const HEAD_COLUMNS: usize = 3;

/// What a `Scan` sink writes.
pub(super) struct ScanSink<'a> {
    columns: &'a [ValueId],
    running: &'a [Running],
    segment: Option<ValueId>,
    folds: Vec<Folding>,
}

/// A selected row of a leaf.
struct Place {
    /// Its place in the leaf.
    at: usize,
    starts: bool,
    columns: Vec<Option<Scalar>>,
    /// What each fold takes in.
    inputs: Vec<Option<Scalar>>,
}

impl<'a> ScanSink<'a> {
    /// The sink with these parts.
    pub(super) fn new(
        body: &Body,
        columns: &'a [ValueId],
        running: &'a [Running],
        segment: Option<ValueId>,
    ) -> ScanSink<'a> {
        let folds = positional(running.iter().map(|one| one.fold), body);
        ScanSink { columns, running, segment, folds }
    }

    /// The rows and nodes over the inputs.
    pub(super) fn partial(&self, kernel: &Kernel, inputs: &Inputs<'_>) -> Result<(TableData, TableData), Fault> {
        let schema = kernel.partial();
        let mut table = TableData::empty(&schema.rows);
        let mut nodes = Vec::new();
        let mut rows = Rows::new(kernel, inputs);
        for (leaf, range) in leaves(inputs) {
            let mut places = Vec::new();
            for row in range {
                rows.start(row);
                while rows.next_selected()? {
                    places.push(self.place(&mut rows)?);
                }
            }
            nodes.push(self.write_leaf(leaf, &places, &mut table));
        }
        Ok((table, write_nodes(&nodes, &schema.nodes, true)))
    }

    fn place(&self, rows: &mut Rows<'_>) -> Result<Place, Fault> {
        let mut columns = Vec::with_capacity(self.columns.len());
        rows.outputs(self.columns, &mut columns)?;
        let inputs = self.running.iter().map(|one| fold_input(rows, &one.fold)).collect::<Result<_, _>>()?;
        let starts = self.segment.map_or(Ok(false), |segment| rows.value(segment).map(is_true))?;
        Ok(Place { at: (rows.source_row() % LEAF_ROWS as u64) as usize, starts, columns, inputs })
    }

    /// Writes a leaf's rows; its node.
    fn write_leaf(&self, leaf: u64, places: &[Place], table: &mut TableData) -> Node {
        let unframed = |number: usize| self.running[number].frame == Frame::Unbounded;
        let local: Vec<(Vec<Accumulator>, Accumulator)> = (self.folds.iter().enumerate())
            .map(|(number, fold)| match unframed(number) {
                true => local_prefixes(places, number, fold.nothing),
                false => (Vec::new(), fold.nothing),
            })
            .collect();
        let mut started = false;
        let mut row = Vec::new();
        for (i, place) in places.iter().enumerate() {
            started |= place.starts;
            row.clear();
            let flags = [Scalar::Bool(!started), Scalar::Bool(place.starts)];
            row.extend(std::iter::once(Scalar::U64(leaf)).chain(flags).map(Some));
            row.extend(&place.columns);
            for (number, (prefixes, _)) in local.iter().enumerate() {
                if unframed(number) {
                    prefixes[i].write(&mut row);
                } else if self.folds[number].fold.value().is_some() {
                    row.push(place.inputs[number].map(Scalar::canonical));
                }
            }
            table.push(&row);
        }
        let totals = local.iter().enumerate().filter(|(number, _)| unframed(*number));
        Node { level: 0, index: leaf, starts: started, accumulators: totals.map(|(_, (_, total))| *total).collect() }
    }

    /// The finished rows.
    pub(super) fn finish(&self, kernel: &Kernel, rows: &TableData, nodes: &TableData) -> Result<TableData, Fault> {
        let mut output = TableData::empty(&kernel.output());
        let mut carries = Carries::new(read_nodes(nodes, &self.unframed(kernel), true), self.unframed(kernel));
        let mut frames = vec![VecDeque::new(); self.folds.len()];
        for i in 0..rows.rows {
            let row = rows.row(i);
            let carry = carries.carry_into(row[0].map_or(0, integer) as u64);
            let (takes_carry, starts) = (is_true(row[1]), is_true(row[2]));
            let (columns, mut rest) = row[HEAD_COLUMNS..].split_at(self.columns.len());
            let mut out = columns.to_vec();
            let mut carried = carry.iter();
            for ((one, fold), frame) in self.running.iter().zip(&self.folds).zip(&mut frames) {
                let accumulator = match one.frame {
                    Frame::Unbounded => {
                        let (own, others) = rest.split_at(fold.width);
                        rest = others;
                        let carry = carried.next().filter(|_| takes_carry).unwrap_or(&fold.nothing);
                        let mut accumulator = *carry;
                        accumulator.combine(&fold.read(own));
                        accumulator
                    }
                    Frame::Preceding(count) => {
                        let (own, others) = rest.split_at(usize::from(fold.fold.value().is_some()));
                        rest = others;
                        let value = own.first().copied().unwrap_or(Some(Scalar::Bool(true)));
                        slide(frame, value, starts, count);
                        folded(frame, fold.nothing)
                    }
                };
                out.push(fold.finish(&accumulator)?);
            }
            output.push(&out);
        }
        Ok(output)
    }

    fn unframed(&self, kernel: &Kernel) -> Vec<Folding> {
        let unframed = self.running.iter().filter(|one| one.frame == Frame::Unbounded);
        positional(unframed.map(|one| one.fold), &kernel.body)
    }
}

/// Moves a frame on by a row.
fn slide(frame: &mut VecDeque<Option<Scalar>>, value: Option<Scalar>, starts: bool, preceding: u32) {
    if starts {
        frame.clear();
    }
    frame.push_back(value);
    if frame.len() as u64 > u64::from(preceding) + 1 {
        frame.pop_front();
    }
}

fn folded(frame: &VecDeque<Option<Scalar>>, nothing: Accumulator) -> Accumulator {
    let mut accumulator = nothing;
    for &value in frame {
        accumulator.add(value);
    }
    accumulator
}

/// The carries into leaves, asked for in order.
struct Carries {
    nodes: std::iter::Peekable<std::vec::IntoIter<Node>>,
    folds: Vec<Folding>,
    /// The nodes that make up the leaves before, the largest first.
    before: Vec<Node>,
    carry: Vec<Accumulator>,
}

impl Carries {
    fn new(nodes: Vec<Node>, folds: Vec<Folding>) -> Carries {
        let carry = folds.iter().map(|fold| fold.nothing).collect();
        Carries { nodes: nodes.into_iter().peekable(), folds, before: Vec::new(), carry }
    }

    fn carry_into(&mut self, leaf: u64) -> &[Accumulator] {
        let mut moved = false;
        while let Some(node) = self.nodes.next_if(|node| node.index < leaf) {
            push_node(&mut self.before, node);
            moved = true;
        }
        if moved {
            self.carry = sum_of(&self.before, &self.folds);
        }
        &self.carry
    }
}

/// The sum of consecutive nodes.
fn sum_of(nodes: &[Node], folds: &[Folding]) -> Vec<Accumulator> {
    let nothing = folds.iter().map(|fold| fold.nothing).collect();
    let mut sum = Node { level: 0, index: 0, starts: false, accumulators: nothing };
    nodes.iter().for_each(|node| sum.append(node));
    sum.accumulators
}

/// What the leaves of a scan without frames take over from those before them, for those who finish its rows themselves.
pub struct ScanCarries {
    folds: Vec<Folding>,
    /// The nodes that make up the leaves so far, the largest first.
    before: Vec<Node>,
}

impl ScanCarries {
    /// Nothing yet; `None` where the kernel is no scan, or has frames.
    pub fn new(kernel: &Kernel) -> Option<ScanCarries> {
        let Sink::Scan { columns, running, segment } = &kernel.sink else { return None };
        let scan = ScanSink::new(&kernel.body, columns, running, *segment);
        let folds = scan.unframed(kernel);
        (folds.len() == running.len()).then_some(ScanCarries { folds, before: Vec::new() })
    }

    /// Takes in the nodes of the next leaves, one a leaf: each leaf's number, and the columns of what it takes over.
    pub fn take(&mut self, nodes: &TableData) -> Vec<(u64, Vec<Option<Scalar>>)> {
        let mut carries = Vec::with_capacity(nodes.rows);
        for node in read_nodes(nodes, &self.folds, true) {
            let mut columns = Vec::new();
            sum_of(&self.before, &self.folds).iter().for_each(|sum| sum.write(&mut columns));
            carries.push((node.index, columns));
            push_node(&mut self.before, node);
        }
        carries
    }
}

/// The running values of fold `number` inside a leaf, and the leaf's total.
fn local_prefixes(places: &[Place], number: usize, nothing: Accumulator) -> (Vec<Accumulator>, Accumulator) {
    if let Accumulator::Float(zero) = nothing {
        return float_prefixes(places, number, zero);
    }
    let mut so_far = nothing;
    let prefixes = places.iter().map(|place| {
        if place.starts {
            so_far = nothing;
        }
        so_far.add(place.inputs[number]);
        so_far
    });
    let prefixes = prefixes.collect();
    (prefixes, so_far)
}

/// A row of a running float sum.
pub(super) struct RunningRow {
    /// Its place among all rows.
    pub(super) place: u64,
    /// Whether a segment starts at it.
    pub(super) starts: bool,
    /// Its value; null adds nothing.
    pub(super) value: Option<Scalar>,
}

/// The running sums of rows in order of their places; `zero` is the identity.
pub(super) fn float_running(rows: &[RunningRow], zero: Scalar) -> Vec<Accumulator> {
    let leaf_rows = LEAF_ROWS as u64;
    let (mut sums, mut before) = (Vec::with_capacity(rows.len()), Vec::new());
    for leaf in 0..rows.last().map_or(0, |row| row.place / leaf_rows + 1) {
        let own: Vec<&RunningRow> = rows.iter().filter(|row| row.place / leaf_rows == leaf).collect();
        let place = |row: &&RunningRow| Place {
            at: (row.place % leaf_rows) as usize,
            starts: row.starts,
            columns: Vec::new(),
            inputs: vec![row.value],
        };
        let places: Vec<Place> = own.iter().map(place).collect();
        let (prefixes, total) = float_prefixes(&places, 0, zero);
        let nothing = Node { level: 0, index: 0, starts: false, accumulators: vec![Accumulator::Float(zero)] };
        let carry = before.iter().fold(nothing, |mut sum: Node, node| {
            sum.append(node);
            sum
        });
        let mut started = false;
        for (prefix, row) in prefixes.into_iter().zip(&own) {
            started |= row.starts;
            let mut sum = if started { Accumulator::Float(zero) } else { carry.accumulators[0] };
            sum.combine(&prefix);
            sums.push(sum);
        }
        push_node(&mut before, Node { level: 0, index: leaf, starts: started, accumulators: vec![total] });
    }
    sums
}

/// A float with whether a segment starts at it or left of it.
type Pair = (bool, Scalar);

fn plus(a: Pair, b: Pair) -> Pair {
    (a.0 || b.0, if b.0 { b.1 } else { float_sum(a.1, b.1) })
}

fn float_prefixes(places: &[Place], number: usize, zero: Scalar) -> (Vec<Accumulator>, Accumulator) {
    let nothing = (false, zero);
    let mut first = vec![nothing; LEAF_ROWS];
    for place in places {
        first[place.at] = (place.starts, place.inputs[number].unwrap_or(zero));
    }
    let mut second = scanned_totals(&mut first);
    let mut third = scanned_totals(&mut second);
    scanned_totals(&mut third);
    let left_of = |level: &[Pair], i: usize| if i.is_multiple_of(SCAN_RADIX) { nothing } else { level[i - 1] };
    let left_of_all = |i: usize| if i == 0 { nothing } else { third[i - 1] };
    let prefixes = places.iter().map(|place| {
        let (group, outer) = (place.at / SCAN_RADIX, place.at / (SCAN_RADIX * SCAN_RADIX));
        let value = plus(left_of_all(outer), plus(left_of(&second, group), first[place.at]));
        Accumulator::Float(value.1)
    });
    (prefixes.collect(), Accumulator::Float(third[third.len() - 1].1))
}

/// Scans every group of 16 in place; the groups' last elements.
fn scanned_totals(values: &mut [Pair]) -> Vec<Pair> {
    for group in values.chunks_mut(SCAN_RADIX) {
        let mut step = 1;
        while step < group.len() {
            for i in (step..group.len()).rev() {
                group[i] = plus(group[i - step], group[i]);
            }
            step *= 2;
        }
    }
    values.chunks(SCAN_RADIX).map(|group| group[group.len() - 1]).collect()
}
