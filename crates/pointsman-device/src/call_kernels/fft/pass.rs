//! One pass of a transform of lines: the text of its entry point. In: the pass, what its lines are loaded from and stored
//! to. Out: statements. A workgroup transforms `group_items` neighbouring items of `length` numbers each; the numbers of an
//! invocation stay in registers, and pass through shared memory between radices.

use super::super::LANES;
use super::super::batches::CHUNKS_WORD;
use super::super::constants::{RootTables, Sign};
use super::super::language::{Elements, Language, named};
use super::butterfly::butterfly;
use super::lengths::radices;
use std::fmt::Write;

/// The numbers that a line is loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct LineSource {
    pub(in super::super) elements: Elements,
    /// Elements from one block of lines to the next.
    pub(in super::super) block: u64,
    /// How many numbers a line has; the others are zero.
    pub(in super::super) given: u64,
    pub(in super::super) order: NumberOrder,
    /// Where a table of factors of the first numbers starts in the constants, and how many there are. Numbers without a
    /// factor are zero.
    pub(in super::super) factors: Option<(u64, u64)>,
    /// Which block of lines each one reads.
    pub(in super::super) blocks: Option<Picks>,
}

/// The order in which a line's numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum NumberOrder {
    /// As they are.
    Plain,
    /// The last one first.
    Reversed,
    /// The first half of the spectrum of this many real numbers: the others are the conjugates.
    Half(u64),
}

/// Every `step`-th number of a circle of `length` numbers, from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Picks {
    pub(in super::super) first: u64,
    pub(in super::super) step: u64,
    pub(in super::super) length: u64,
    /// How many numbers are picked.
    pub(in super::super) count: u64,
}

/// Where the results of a line go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct LineTarget {
    pub(in super::super) elements: Elements,
    /// Elements from one block of lines to the next.
    pub(in super::super) block: u64,
    /// How many of the first numbers are kept.
    pub(in super::super) kept: u64,
    /// Which numbers are kept instead of the first ones.
    pub(in super::super) picks: Option<Picks>,
    /// The bits of a factor of all numbers.
    pub(in super::super) scale: u64,
    /// Where a table of factors starts in the constants.
    pub(in super::super) factors: Option<u64>,
}

/// A pass over all lines: transforms of `length` numbers that lie `total / length` apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// The length of the lines.
    pub(super) total: u64,
    pub(super) length: u64,
    /// The product of the lengths of earlier passes.
    pub(super) before: u64,
    /// The lines of a block: numbers of a line are this far apart.
    pub(super) stride: u64,
    pub(super) sign: Sign,
    pub(super) load: LineSource,
    pub(super) store: LineTarget,
    /// The roots of unity of order `length`.
    pub(super) roots: RootTables,
    /// Those of order `before · length`.
    pub(super) turns: RootTables,
    /// The items of a workgroup.
    pub(super) group_items: u64,
    /// The items of a chunk.
    pub(super) items: u64,
    pub(super) language: Language,
}

impl Pass {
    /// Whether neighbouring invocations take neighbouring items, which then lie next to each other.
    fn items_first(&self) -> bool {
        self.stride * (self.total / self.length) > 1
    }

    /// The statements of the entry point; `shared` is its shared memory.
    pub(super) fn body(&self, shared: &str) -> String {
        let items = format!("{} * {}u", self.language.word(CHUNKS_WORD), self.items);
        let mut text = format!("  let items = {items};\n  let first_item = group * {}u;\n", self.group_items);
        let radices = radices(self.length);
        let mut done = 1;
        for (stage, &radix) in radices.iter().enumerate() {
            let place = Place { stage, radix, done };
            let (is_first, is_last) = (stage == 0, stage + 1 == radices.len());
            self.declare(&mut text, place);
            for own in 0..self.own(radix) {
                text.push_str(&self.open(place, own));
                text.push_str(&if is_first { self.read(place, own) } else { self.take(place, own, shared) });
                let names: Vec<String> = (0..radix).map(|k| place.name(own, k)).collect();
                text.push_str(&butterfly(&names, self.sign, &format!("b{stage}_{own}_")));
                if is_last {
                    text.push_str(&self.write(place, own));
                }
                text.push_str("  }\n");
            }
            if !is_last {
                // The memory is written over when everybody has read it.
                text.push_str(if is_first { "" } else { "  workgroupBarrier();\n" });
                for own in 0..self.own(radix) {
                    text.push_str(&self.open(place, own));
                    text.push_str(&self.keep(place, own, shared));
                    text.push_str("  }\n");
                }
                text.push_str("  workgroupBarrier();\n");
            }
            done *= radix;
        }
        text
    }

    /// Butterflies of an item.
    fn butterflies(&self, radix: u64) -> u64 {
        self.length / radix
    }

    /// Butterflies of an invocation.
    fn own(&self, radix: u64) -> u64 {
        (self.butterflies(radix) * self.group_items).div_ceil(LANES.into())
    }

    fn declare(&self, text: &mut String, place: Place) {
        for own in 0..self.own(place.radix) {
            for k in 0..place.radix {
                let _ = writeln!(text, "  var {} = {};", place.name(own, k), Elements::Complex.zero());
            }
        }
    }

    /// The start of a block for one butterfly of an invocation: `b` of the item `own_item` of the workgroup.
    fn open(&self, place: Place, own: u64) -> String {
        let (count, items) = (self.butterflies(place.radix), self.group_items);
        let (b, item) = match self.items_first() {
            true => (format!("index / {items}u"), format!("index % {items}u")),
            false => (format!("index % {count}u"), format!("index / {count}u")),
        };
        let index = format!("lane + {}u", own * u64::from(LANES));
        format!(
            "  if ({index} < {}u && first_item + ({}) < items) {{\n    let index = {index};\n    let b = {b};\n    \
             let own_item = {item};\n",
            count * items,
            item.replace("index", &format!("({index})")),
        )
    }

    /// The place of a number of an item in shared memory.
    fn at(&self, number: &str) -> String {
        match self.items_first() {
            true => format!("({number}) * {}u + own_item", self.group_items),
            false => format!("own_item * {}u + {number}", self.length),
        }
    }

    /// Where the line of an item lies.
    fn line(&self) -> String {
        let apart = self.total / self.length;
        let mut text = format!(
            "    let item = first_item + own_item;\n    let line = item % {stride}u;\n    \
             let i = item / {stride}u % {apart}u;\n    let block = item / {}u;\n",
            apart * self.stride,
            stride = self.stride,
        );
        if self.before > 1 {
            let _ = writeln!(text, "    let done = i % {}u;", self.before);
        }
        text
    }

    /// Reads the numbers of a butterfly from the buffer.
    fn read(&self, place: Place, own: u64) -> String {
        let LineSource { block, blocks, .. } = self.load;
        let apart = self.total / self.length;
        let source = match blocks {
            None => format!("block * {block}u"),
            // The block of the result decides which block is read.
            Some(Picks { first, step, length, count }) => format!(
                "(block / {count}u * {length}u + (block % {count}u * {step}u + {first}u) % {length}u) * {block}u"
            ),
        };
        let mut text = self.line();
        let _ = writeln!(text, "    let source = left_at + {source} + line;");
        for k in 0..place.radix {
            let (name, number) = (place.name(own, k), k * self.butterflies(place.radix));
            let _ = writeln!(text, "    let e{k} = b + {number}u;\n    let j{k} = i + e{k} * {apart}u;");
            text.push_str(&self.number(&name, &format!("j{k}")));
            if self.before > 1 {
                let _ = writeln!(text, "    let w{k} = done * e{k};");
                let root = root(self.turns, &format!("w{k}"));
                let _ = writeln!(text, "    {name} = mul({name}, {root});");
            }
        }
        text
    }

    /// Reads number `j` of the line into a variable, which is zero.
    fn number(&self, name: &str, j: &str) -> String {
        let LineSource { elements, given, order, factors, .. } = self.load;
        let buffer = named("left", elements);
        let element = |j: &str| {
            let value = format!("{buffer}[source + ({j}) * {}u]", self.stride);
            if elements == Elements::Real { format!("C({value}, T(0.0))") } else { value }
        };
        let limit = factors.map_or(self.total, |(_, count)| count);
        let is_given = |j: &str| format!("{j} < {}u", given.min(limit));
        let mut text = match order {
            NumberOrder::Plain => format!("    if ({}) {{ {name} = {}; }}\n", is_given(j), element(j)),
            NumberOrder::Reversed => {
                format!("    if ({}) {{ {name} = {}; }}\n", is_given(j), element(&format!("{}u - {j}", given - 1)))
            }
            NumberOrder::Half(length) => {
                let mirrored = format!("{length}u - {j}");
                format!(
                    "    if ({j} <= {}u) {{\n      if ({}) {{ {name} = {}; }}\n      \
                     if ({j} == 0u || {j} * 2u == {length}u) {{ {name} = C({name}.x, T(0.0)); }}\n    }} else {{\n      \
                     if ({j} < {length}u) {{ if ({mirrored} < {given}u) {{ {name} = conjugate({}); }} }}\n    }}\n",
                    length / 2,
                    is_given(j),
                    element(j),
                    element(&mirrored),
                )
            }
        };
        if let Some((start, count)) = factors {
            let factor = format!("right_C[right_at + {start}u + {j}]");
            let _ = writeln!(text, "    if ({j} < {count}u) {{ {name} = mul({name}, {factor}); }}");
        }
        text
    }

    /// Takes the numbers of a butterfly from shared memory and turns them.
    fn take(&self, place: Place, own: u64, shared: &str) -> String {
        let Place { radix, done, .. } = place;
        let mut text = format!("    let turn = b % {done}u * {}u;\n", self.length / (done * radix));
        for k in 0..radix {
            let (name, number) = (place.name(own, k), k * self.butterflies(radix));
            let _ = writeln!(text, "    {name} = {shared}[{}];", self.at(&format!("(b + {number}u)")));
            if k > 0 {
                let root = root(self.roots, &format!("(turn * {k}u)"));
                let _ = writeln!(text, "    {name} = mul({name}, {root});");
            }
        }
        text
    }

    /// Puts the results of a butterfly into shared memory.
    fn keep(&self, place: Place, own: u64, shared: &str) -> String {
        let Place { radix, done, .. } = place;
        let mut text = format!("    let start = b / {done}u * {}u + b % {done}u;\n", done * radix);
        for k in 0..radix {
            let _ = writeln!(
                text,
                "    {shared}[{}] = {};",
                self.at(&format!("(start + {}u)", k * done)),
                place.name(own, k)
            );
        }
        text
    }

    /// Writes the results of the last butterflies to the buffer.
    fn write(&self, place: Place, own: u64) -> String {
        let LineTarget { elements, block, kept, picks, scale, factors } = self.store;
        let (radix, before) = (place.radix, self.before);
        let target = named("output", elements);
        let mut text = if place.stage == 0 { String::new() } else { self.line() };
        let first = match before {
            1 => format!("i * {}u + b", self.length),
            _ => format!("(i - done) * {}u + done + b * {before}u", self.length),
        };
        let _ = writeln!(text, "    let target_start = output_at + block * {block}u + line;\n    let first = {first};");
        let scale = f64::from_bits(scale);
        for k in 0..radix {
            let mut value = place.name(own, k);
            let number = k * self.butterflies(radix) * before;
            let _ = writeln!(text, "    let o{k} = first + {number}u;");
            if let Some(start) = factors {
                value = format!("mul({value}, right_C[right_at + {start}u + o{k}])");
            }
            if scale != 1.0 {
                value = format!("scaled({value}, T({scale:?}))");
            }
            if elements == Elements::Real {
                value = format!("({value}).x");
            }
            let (condition, to) = match picks {
                None => (format!("o{k} < {kept}u"), format!("o{k}")),
                Some(Picks { first, step, length, count }) => {
                    let turned = length - first;
                    let _ = writeln!(text, "    let t{k} = (o{k} + {turned}u) % {length}u;");
                    (format!("t{k} % {step}u == 0u && t{k} / {step}u < {count}u"), format!("t{k} / {step}u"))
                }
            };
            let _ = writeln!(
                text,
                "    if ({condition}) {{ {target}[target_start + ({to}) * {}u] = {value}; }}",
                self.stride
            );
        }
        text
    }
}

/// One of the butterflies of a pass.
#[derive(Clone, Copy)]
struct Place {
    stage: usize,
    radix: u64,
    /// The product of earlier radices.
    done: u64,
}

impl Place {
    fn name(self, own: u64, k: u64) -> String {
        format!("v{}_{own}_{k}", self.stage)
    }
}

/// A root of unity of this power.
fn root(roots: RootTables, power: &str) -> String {
    match roots {
        RootTables::One(start) => format!("right_C[right_at + {start}u + {power}]"),
        RootTables::Two { fine, coarse, bits } => format!(
            "mul(right_C[right_at + {fine}u + ({power} & {}u)], right_C[right_at + {coarse}u + ({power} >> {bits}u)])",
            (1u64 << bits) - 1
        ),
    }
}
