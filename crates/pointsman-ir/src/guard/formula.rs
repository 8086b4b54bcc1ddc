//! Conditions as a small shared graph: built and simplified first, written into a body last, so that only those that
//! guard something cost anything.
//!
//! In: tests of a body's values, joined by and/or. Out: truth values without nulls, or nothing where a condition always
//! holds. Simplification looks one step deep: it takes away what select, and, or and coalesce leave behind.

use crate::body::{Inst, ValueId};
use crate::op::Op;
use crate::rewrite::{Renamed, Writer};
use crate::types::DType;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A condition: a position in [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Formula(u32);

impl Formula {
    /// In no row.
    pub(crate) const NEVER: Formula = Formula(0);
    /// In every row.
    pub(crate) const ALWAYS: Formula = Formula(1);
}

/// The property of a value that a formula tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Test {
    /// Whether it is true.
    True,
    /// Whether it is false or null.
    NotTrue,
    /// Whether it is true or null.
    NotFalse,
    /// Whether it is null.
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Never,
    Always,
    Test(ValueId, Test),
    And(Formula, Formula),
    Or(Formula, Formula),
}

/// All conditions; parts come before the whole, equal ones are one.
#[derive(Debug)]
pub(super) struct Formulas {
    nodes: Vec<Node>,
    seen: HashMap<Node, Formula>,
}

impl Formulas {
    pub(super) fn new() -> Formulas {
        let mut formulas = Formulas { nodes: Vec::new(), seen: HashMap::new() };
        formulas.add(Node::Never);
        formulas.add(Node::Always);
        formulas
    }

    /// A test of a value.
    pub(super) fn test(&mut self, v: ValueId, test: Test, nullable: bool) -> Formula {
        match test {
            Test::Null if !nullable => Formula::NEVER,
            Test::NotFalse if !nullable => self.add(Node::Test(v, Test::True)),
            Test::True | Test::NotTrue | Test::NotFalse | Test::Null => self.add(Node::Test(v, test)),
        }
    }

    /// Both.
    pub(super) fn and(&mut self, a: Formula, b: Formula) -> Formula {
        if a == Formula::NEVER || b == Formula::NEVER || self.opposite(a, b) {
            return Formula::NEVER;
        }
        if a == Formula::ALWAYS || a == b {
            return b;
        }
        if b == Formula::ALWAYS {
            return a;
        }
        match self.node(a) {
            Node::And(_, last) if last == b => a,
            Node::And(_, last) if self.opposite(last, b) => Formula::NEVER,
            Node::Or(x, y) if x == b || y == b => b,
            Node::Never | Node::Always | Node::Test(..) | Node::And(..) | Node::Or(..) => self.add(Node::And(a, b)),
        }
    }

    /// At least one.
    pub(super) fn or(&mut self, a: Formula, b: Formula) -> Formula {
        if a == Formula::ALWAYS || b == Formula::ALWAYS || self.opposite(a, b) {
            return Formula::ALWAYS;
        }
        if a == Formula::NEVER || a == b || self.implies(a, b) {
            return b;
        }
        if b == Formula::NEVER || self.implies(b, a) {
            return a;
        }
        if let (Node::And(x, c), Node::And(y, d)) = (self.node(a), self.node(b))
            && x == y
            && self.opposite(c, d)
        {
            return x;
        }
        self.add(Node::Or(a, b))
    }

    /// Writes the conditions at the writer's place; `None` for one that always holds.
    pub(super) fn write(
        &self,
        wanted: impl Iterator<Item = Formula> + Clone,
        out: &mut Writer,
        names: &Renamed,
    ) -> Vec<Option<ValueId>> {
        let mut written: BTreeMap<Formula, ValueId> = BTreeMap::new();
        for formula in self.parts(wanted.clone()) {
            let value = match self.node(formula) {
                Node::Never => out.truth(false),
                Node::Always => continue,
                Node::Test(v, test) => write_test(out, names.get(v), test),
                Node::And(a, b) => bool_call(out, Op::And, &[written[&a], written[&b]]),
                Node::Or(a, b) => bool_call(out, Op::Or, &[written[&a], written[&b]]),
            };
            written.insert(formula, value);
        }
        wanted.map(|formula| written.get(&formula).copied()).collect()
    }

    /// The values that a condition looks at.
    pub(super) fn tested(&self, condition: Formula) -> Vec<ValueId> {
        let value = |formula: &Formula| match self.node(*formula) {
            Node::Test(v, _) => Some(v),
            Node::Never | Node::Always | Node::And(..) | Node::Or(..) => None,
        };
        self.parts(std::iter::once(condition)).iter().filter_map(value).collect()
    }

    /// The wanted conditions and their parts, parts first.
    fn parts(&self, wanted: impl Iterator<Item = Formula>) -> BTreeSet<Formula> {
        let mut parts = BTreeSet::new();
        let mut left: Vec<Formula> = wanted.collect();
        while let Some(formula) = left.pop() {
            if parts.insert(formula)
                && let Node::And(a, b) | Node::Or(a, b) = self.node(formula)
            {
                left.extend([a, b]);
            }
        }
        parts
    }

    fn node(&self, formula: Formula) -> Node {
        self.nodes[formula.0 as usize]
    }

    fn add(&mut self, node: Node) -> Formula {
        *self.seen.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            Formula(self.nodes.len() as u32 - 1)
        })
    }

    /// Whether exactly one of the two holds, as far as one look tells.
    fn opposite(&self, a: Formula, b: Formula) -> bool {
        let (Node::Test(v, s), Node::Test(w, t)) = (self.node(a), self.node(b)) else { return false };
        v == w && matches!((s, t), (Test::True, Test::NotTrue) | (Test::NotTrue, Test::True))
    }

    /// Whether `b` holds wherever `a` does, as far as one look tells.
    fn implies(&self, a: Formula, b: Formula) -> bool {
        let part = matches!(self.node(a), Node::And(x, y) if x == b || y == b);
        let whole = matches!(self.node(b), Node::Or(x, y) if x == a || y == a);
        let weaker = match (self.node(a), self.node(b)) {
            (Node::Test(v, s), Node::Test(w, t)) => {
                v == w && matches!((s, t), (Test::True | Test::Null, Test::NotFalse) | (Test::Null, Test::NotTrue))
            }
            _ => false,
        };
        part || whole || weaker
    }
}

fn write_test(out: &mut Writer, v: ValueId, test: Test) -> ValueId {
    match test {
        Test::True => not_null(out, v, false),
        Test::NotTrue => {
            let holds = not_null(out, v, false);
            bool_call(out, Op::Not, &[holds])
        }
        Test::NotFalse => not_null(out, v, true),
        Test::Null => bool_call(out, Op::IsNull, &[v]),
    }
}

/// The truth value, with nulls taken as `null`.
fn not_null(out: &mut Writer, v: ValueId, null: bool) -> ValueId {
    if !out.body().ty(v).nullable {
        return v;
    }
    let null = out.truth(null);
    bool_call(out, Op::Coalesce, &[v, null])
}

fn bool_call(out: &mut Writer, op: Op, args: &[ValueId]) -> ValueId {
    out.push(Inst::Call { op, args: args.to_vec() }, DType::Bool.required())
}
