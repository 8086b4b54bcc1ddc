//! Random programs: in go a stream of random numbers and the types of the source's columns, out comes a [`Program`] that
//! every type rule allows. Whether it faults depends on the rows.

use crate::method::{METHODS, Method};
use crate::program::{
    Binary, FUNCTIONS, Fold, Loop, Node, NodeId, Operation, Overflow, Program, Running, Step, StepKind, Table, Unary,
};
use crate::query::{fold_shapes, has_prepared_shape, row_shapes};
use crate::random::Random;
use crate::typed::{FoldSlot, WIDE_PLACES};
use crate::value::{TYPES, Type, Value};

const LOOP_DEPTH_MAX: usize = 2;
const TABLES_MAX: usize = 3;

/// How many operations that can fault a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Faults {
    Never,
    /// At most this many.
    AtMost(usize),
}

/// What limits a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Nodes of a step, not counting its columns and what its outputs need.
    pub(crate) nodes: usize,
    /// Iterations of a loop.
    pub(crate) iterations: usize,
    /// One map behind at most one filter, for prepared queries.
    pub(crate) is_prepared: bool,
}

/// A random program over columns of these types.
pub(crate) fn program(columns: &[Type], budget: Budget, random: &mut Random) -> Program {
    let faults = match random.below(10) {
        0..=3 => Faults::Never,
        4..=6 => Faults::AtMost(2),
        7.. => Faults::AtMost(8),
    };
    let mut generator =
        Generator { random, budget, faults, tables: Vec::new(), row: Row::source(columns), step: Nodes::default() };
    let mut steps = Vec::new();
    if budget.is_prepared {
        if generator.random.percent(50) {
            steps.push(generator.filter());
        }
        steps.push(generator.last_map());
    } else {
        generator.steps(&mut steps);
    }
    Program { columns: columns.to_vec(), tables: generator.tables, steps }
}

/// The row that a step gets.
struct Row {
    types: Vec<Type>,
    /// Whether computing a column can fault.
    faulty: Vec<bool>,
    /// Whether a column depends on a loop.
    looped: Vec<bool>,
    /// Whether the row is one that a query can return.
    has_shape: bool,
}

impl Row {
    fn source(types: &[Type]) -> Row {
        Row {
            types: types.to_vec(),
            faulty: vec![false; types.len()],
            looped: vec![false; types.len()],
            has_shape: true,
        }
    }
}

/// The nodes of the step that is being made.
#[derive(Default)]
struct Nodes {
    nodes: Vec<Node>,
    /// Whether computing a node can fault.
    faulty: Vec<bool>,
    /// Whether a node depends on a loop.
    looped: Vec<bool>,
    /// The nodes that the next one can use.
    visible: Vec<NodeId>,
    loop_depth: usize,
}

struct Generator<'r> {
    random: &'r mut Random,
    budget: Budget,
    faults: Faults,
    tables: Vec<Table>,
    row: Row,
    step: Nodes,
}

impl Generator<'_> {
    fn steps(&mut self, steps: &mut Vec<Step>) {
        let mut has_scan = false;
        for _ in 0..*self.random.pick(&[0, 0, 0, 1, 1, 2, 3]) {
            let step = match self.random.below(10) {
                0..=4 => self.filter(),
                5 | 6 if !has_scan => {
                    has_scan = true;
                    self.scan(false)
                }
                5.. => self.wide_map(),
            };
            steps.push(step);
        }
        let is_filtered = self.random.percent(12);
        let last = match self.random.below(20) {
            0..=8 => self.last_map(),
            9..=13 => self.fold(),
            14..=17 => self.scan(!is_filtered),
            18.. if self.row.has_shape => self.filter(),
            18.. => self.last_map(),
        };
        let gives_rows = !matches!(last.kind, StepKind::Fold { .. });
        let has_elementary = last.nodes.iter().any(|node| matches!(node.operation, Operation::Elementary(..)));
        steps.push(last);
        if gives_rows && !has_elementary && is_filtered {
            steps.push(self.filter());
        }
    }

    /// Starts a step: its first nodes are the columns of the row.
    fn start(&mut self) {
        self.step = Nodes::default();
        for column in 0..self.row.types.len() {
            self.push(Operation::Column(column), self.row.types[column]);
        }
        for _ in 0..self.random.between(1, self.budget.nodes) {
            self.operation();
        }
    }

    fn finish(&mut self, kind: StepKind) -> Step {
        let step = Step { nodes: std::mem::take(&mut self.step.nodes), kind };
        if let Some(types) = step.row() {
            let faulty = step.outputs().iter().map(|&node| self.step.faulty[node]).collect();
            let looped = step.outputs().iter().map(|&node| self.step.looped[node]).collect();
            self.row = Row { types, faulty, looped, has_shape: true };
        }
        step
    }

    fn filter(&mut self) -> Step {
        self.start();
        let condition = self.want(Type::Bool);
        self.finish(StepKind::Filter(condition))
    }

    /// A row for the next step.
    fn wide_map(&mut self) -> Step {
        self.start();
        let mut outputs: Vec<NodeId> = Vec::new();
        for _ in 0..self.random.between(1, 6) {
            let node = *self.random.pick(&self.step.visible);
            let ty = self.step.nodes[node].ty;
            if outputs.iter().filter(|&&other| self.step.nodes[other].ty == ty).count() < WIDE_PLACES {
                outputs.push(node);
            }
        }
        let step = self.finish(StepKind::Map { shape: 0, outputs });
        self.row.has_shape = false;
        step
    }

    /// The row of the result.
    fn last_map(&mut self) -> Step {
        self.start();
        let shapes = row_shapes();
        let mut shape = self.random.below(shapes.len());
        while self.budget.is_prepared && !has_prepared_shape(shape) {
            shape = self.random.below(shapes.len());
        }
        let outputs = shapes[shape].iter().map(|&ty| match ty.is_float() && self.random.percent(15) {
            true => self.elementary(ty),
            false => self.want(ty),
        });
        let outputs = outputs.collect();
        self.finish(StepKind::Map { shape, outputs })
    }

    fn elementary(&mut self, ty: Type) -> NodeId {
        let function = *self.random.pick(FUNCTIONS);
        let (x, y) = (self.operand(ty), self.operand(ty));
        let node = self.push(Operation::Elementary(function, x, y), ty);
        self.step.visible.pop();
        node
    }

    fn fold(&mut self) -> Step {
        self.start();
        let shapes = fold_shapes();
        let shape = self.random.below(shapes.len());
        let parts = shapes[shape].iter().map(|slot| match *slot {
            FoldSlot::Sum(ty) => (Fold::Sum, self.want(ty)),
            FoldSlot::MinMax(ty) => (*self.random.pick(&[Fold::Min, Fold::Max]), self.want(ty)),
            FoldSlot::Mean => {
                let ty = self.some_type(Type::is_number);
                (Fold::Mean, self.want(ty))
            }
            FoldSlot::Count => {
                let ty = self.some_type(|_| true);
                (*self.random.pick(&[Fold::Count, Fold::Count, Fold::CountRows]), self.want(ty))
            }
        });
        let parts = parts.collect();
        self.finish(StepKind::Fold { shape, parts })
    }

    /// Running folds. Where steps follow, none of them faults: whether a running fold is needed whose only reader is a
    /// branch that no row takes is not written down.
    fn scan(&mut self, is_last: bool) -> Step {
        self.start();
        let shapes = row_shapes();
        let shape = self.random.below(shapes.len());
        let parts = shapes[shape].iter().map(|&ty| {
            let kinds: &[Running] = match ty {
                Type::Bool | Type::Date | Type::Timestamp => &[Running::Min, Running::Max, Running::Kept],
                Type::F32 | Type::F64 => &[Running::Sum, Running::Sum, Running::Min, Running::Max, Running::Kept],
                Type::U64 => &[Running::Count, Running::Count, Running::Min, Running::Max, Running::Kept],
                _ if is_last => &[Running::Sum, Running::Min, Running::Max, Running::Kept],
                _ => &[Running::Min, Running::Max, Running::Kept],
            };
            let kind = *self.random.pick(kinds);
            let of = if kind == Running::Count { self.some_type(|_| true) } else { ty };
            let node = self.want(of);
            // A pass may remove a column that nothing reads later, and its faults with it.
            match !is_last && self.step.faulty[node] {
                true => (kind, self.leaf(of)),
                false => (kind, node),
            }
        });
        let parts = parts.collect();
        self.finish(StepKind::Scan { shape, parts })
    }

    fn push(&mut self, operation: Operation, ty: Type) -> NodeId {
        let own = self.own_fault(&operation, ty);
        let faulty = own || operation.operands().iter().any(|&node| self.step.faulty[node]);
        let faulty = faulty || matches!(operation, Operation::Column(column) if self.row.faulty[column]);
        let looped = operation.operands().iter().any(|&node| self.step.looped[node])
            || matches!(operation, Operation::LoopResult(..))
            || matches!(operation, Operation::Column(column) if self.row.looped[column]);
        self.step.looped.push(looped);
        self.step.nodes.push(Node { operation, ty });
        self.step.faulty.push(faulty);
        self.step.visible.push(self.step.nodes.len() - 1);
        self.step.nodes.len() - 1
    }

    /// Whether the operation itself can fault.
    fn own_fault(&self, operation: &Operation, ty: Type) -> bool {
        match operation {
            Operation::Binary(Binary::Div | Binary::Rem, ..) => ty.is_integer(),
            Operation::Binary(Binary::CheckedAdd | Binary::CheckedSub | Binary::CheckedMul, ..) => true,
            Operation::Cast(Overflow::Faults, _) | Operation::Lookup { .. } => true,
            _ => false,
        }
    }

    /// Whether another operation that can fault is allowed.
    fn may_fault(&mut self) -> bool {
        match &mut self.faults {
            Faults::Never | Faults::AtMost(0) => false,
            Faults::AtMost(left) => {
                *left -= 1;
                true
            }
        }
    }

    fn leaf(&mut self, ty: Type) -> NodeId {
        let value = ty.random(self.random);
        let operation = match self.random.below(20) {
            0..=8 => Operation::Literal(value),
            9..=17 => Operation::Parameter(value),
            18.. => Operation::Null,
        };
        self.push(operation, ty)
    }

    /// A node of this type: mostly one that is there, and mostly a late one.
    fn operand(&mut self, ty: Type) -> NodeId {
        let found: Vec<NodeId> =
            self.step.visible.iter().copied().filter(|&node| self.step.nodes[node].ty == ty).collect();
        if found.is_empty() || self.random.percent(15) {
            return self.leaf(ty);
        }
        let faulty: Vec<NodeId> = found.iter().copied().filter(|&node| self.step.faulty[node]).collect();
        if !faulty.is_empty() && self.random.percent(30) {
            return *self.random.pick(&faulty);
        }
        found[self.random.below(found.len()).max(self.random.below(found.len()))]
    }

    /// A node of this type that is not just a constant, if that is possible.
    fn want(&mut self, ty: Type) -> NodeId {
        let is_there = self.step.visible.iter().any(|&node| self.step.nodes[node].ty == ty);
        if !is_there || self.random.percent(30) {
            self.make(ty);
        }
        self.operand(ty)
    }

    /// A type of a visible node that passes the test, or any type that does.
    fn some_type(&mut self, test: impl Fn(Type) -> bool) -> Type {
        let visible = self.step.visible.iter().map(|&node| self.step.nodes[node].ty);
        let seen: Vec<Type> = visible.filter(|&ty| test(ty)).collect();
        if !seen.is_empty() && self.random.percent(85) {
            return *self.random.pick(&seen);
        }
        let all: Vec<Type> = TYPES.into_iter().filter(|&ty| test(ty)).collect();
        *self.random.pick(&all)
    }

    /// Adds an operation whose result has this type.
    fn make(&mut self, ty: Type) {
        match ty {
            Type::Bool => self.comparison(),
            Type::Date | Type::Timestamp => {
                let from = *self.random.pick(if ty == Type::Date {
                    &[Type::Timestamp, Type::I32, Type::Date]
                } else {
                    &[Type::Date, Type::I64, Type::Timestamp]
                });
                self.cast(from, ty);
            }
            ty => match self.random.below(3) {
                0 => self.arithmetic(ty),
                1.. => {
                    let from = self.some_type(|from| cast_exists(from, ty));
                    self.cast(from, ty);
                }
            },
        }
    }

    /// Adds one random operation.
    fn operation(&mut self) {
        match self.random.below(46) {
            40.. => self.method(),
            0..=7 => {
                let ty = self.some_type(Type::is_number);
                self.arithmetic(ty);
            }
            8..=10 => self.comparison(),
            11..=13 => self.logic(),
            14..=16 => {
                let ty = self.some_type(|_| true);
                let (condition, x, y) = (self.operand(Type::Bool), self.operand(ty), self.operand(ty));
                self.push(Operation::Select(condition, x, y), ty);
            }
            17 | 18 => {
                let ty = self.some_type(|_| true);
                let (x, y) = (self.operand(ty), self.operand(ty));
                self.push(Operation::Binary(Binary::Coalesce, x, y), ty);
            }
            19 | 20 => {
                let ty = self.some_type(|_| true);
                let mut x = self.operand(ty);
                // Whether this needs the loop depends on what the loop reads that is null, which the reference does not
                // follow.
                if self.step.faulty[x] && self.step.looped[x] {
                    x = self.leaf(ty);
                }
                self.push(Operation::Unary(Unary::IsNull, x), Type::Bool);
            }
            21..=24 => {
                let from = self.some_type(|_| true);
                let targets: Vec<Type> = TYPES.into_iter().filter(|&to| cast_exists(from, to)).collect();
                if !targets.is_empty() {
                    let to = *self.random.pick(&targets);
                    self.cast(from, to);
                }
            }
            25..=27 => self.ordered(),
            28..=30 => self.number_unary(),
            31..=33 => self.bits(),
            34 => {
                let ty = self.some_type(Type::is_float);
                let (x, y, z) = (self.operand(ty), self.operand(ty), self.operand(ty));
                self.push(Operation::Fma(x, y, z), ty);
            }
            35 | 36 => self.table(),
            37..=39 => self.add_loop(),
        }
    }

    fn arithmetic(&mut self, ty: Type) {
        let mut op = *self.random.pick(&[
            Binary::Add,
            Binary::Sub,
            Binary::Mul,
            Binary::Div,
            Binary::Rem,
            Binary::CheckedAdd,
            Binary::CheckedSub,
            Binary::CheckedMul,
        ]);
        let is_checked = matches!(op, Binary::CheckedAdd | Binary::CheckedSub | Binary::CheckedMul);
        if is_checked && !(ty.is_integer() && self.may_fault()) {
            op = *self.random.pick(&[Binary::Add, Binary::Sub, Binary::Mul]);
        }
        let x = self.operand(ty);
        let is_division = ty.is_integer() && matches!(op, Binary::Div | Binary::Rem);
        let y = if is_division && !self.may_fault() { self.divisor(ty) } else { self.operand(ty) };
        let node = self.push(Operation::Binary(op, x, y), ty);
        if is_division && self.is_safe_divisor(y) {
            self.step.faulty[node] = self.step.faulty[x];
        }
    }

    /// A divisor by which every division has a value.
    fn divisor(&mut self, ty: Type) -> NodeId {
        let value = loop {
            let value = ty.random(self.random);
            if !matches!(value, Value::Int(0 | -1)) {
                break value;
            }
        };
        let operation = if self.random.percent(50) { Operation::Literal(value) } else { Operation::Parameter(value) };
        self.push(operation, ty)
    }

    fn is_safe_divisor(&self, node: NodeId) -> bool {
        matches!(
            self.step.nodes[node].operation,
            Operation::Literal(Value::Int(value)) | Operation::Parameter(Value::Int(value)) if value != 0 && value != -1
        )
    }

    fn comparison(&mut self) {
        let op =
            *self.random.pick(&[Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge, Binary::Lt]);
        let ty = self.some_type(|_| true);
        let (x, y) = (self.operand(ty), self.operand(ty));
        self.push(Operation::Binary(op, x, y), Type::Bool);
    }

    fn logic(&mut self) {
        let (x, y) = (self.operand(Type::Bool), self.operand(Type::Bool));
        let operation = match self.random.below(5) {
            0 | 1 => Operation::Binary(Binary::And, x, y),
            2 | 3 => Operation::Binary(Binary::Or, x, y),
            4.. => Operation::Unary(Unary::Not, x),
        };
        self.push(operation, Type::Bool);
    }

    fn ordered(&mut self) {
        let ty = self.some_type(|_| true);
        let (x, y) = (self.operand(ty), self.operand(ty));
        let operation = match self.random.below(3) {
            0 => Operation::Binary(Binary::Least, x, y),
            1 => Operation::Binary(Binary::Greatest, x, y),
            2.. => Operation::Clamp(x, y, self.operand(ty)),
        };
        self.push(operation, ty);
    }

    fn number_unary(&mut self) {
        let ty = self.some_type(Type::is_number);
        let x = self.operand(ty);
        let op = match ty {
            Type::F32 | Type::F64 => *self.random.pick(&[
                Unary::Neg,
                Unary::Abs,
                Unary::Sign,
                Unary::Sqrt,
                Unary::Floor,
                Unary::Ceil,
                Unary::Round,
                Unary::Trunc,
                Unary::IsNan,
            ]),
            ty if ty.is_signed_integer() => *self.random.pick(&[Unary::Neg, Unary::Abs, Unary::Sign]),
            _ => *self.random.pick(&[Unary::Abs, Unary::Sign]),
        };
        self.push(Operation::Unary(op, x), if op == Unary::IsNan { Type::Bool } else { ty });
    }

    fn bits(&mut self) {
        let ty = self.some_type(Type::is_integer);
        let (x, y) = (self.operand(ty), self.operand(ty));
        let operation = match self.random.below(6) {
            0 => Operation::Unary(Unary::BitNot, x),
            1 => Operation::Binary(Binary::BitAnd, x, y),
            2 => Operation::Binary(Binary::BitOr, x, y),
            3 => Operation::Binary(Binary::BitXor, x, y),
            4 => Operation::Binary(Binary::Shl, x, y),
            5.. => Operation::Binary(Binary::Shr, x, y),
        };
        self.push(operation, ty);
    }

    fn method(&mut self) {
        let method = *self.random.pick(METHODS);
        let ty = self.some_type(|ty| method.takes(ty));
        let mut operands = vec![self.operand(ty)];
        // A divisor that is a scalar and not zero never faults; −1 is the one that wraps.
        match method {
            Method::WrappingDiv if self.random.percent(50) => {
                operands.push(self.push(Operation::Literal(ty.wrap(-1)), ty));
            }
            Method::WrappingDiv => operands.push(self.divisor(ty)),
            _ => operands.extend(method.second(ty).map(|ty| self.operand(ty))),
        }
        let count = if method == Method::IsIn { *self.random.pick(&[0, 1, 3, 8, 64, 80]) } else { 0 };
        let values = (0..count).map(|_| ty.random(self.random)).collect();
        let is_faulty = operands.iter().any(|&node| self.step.faulty[node]);
        let node = self.push(Operation::Method(method, operands, values), method.result(ty));
        self.step.faulty[node] = is_faulty;
    }

    fn cast(&mut self, from: Type, to: Type) {
        let x = self.operand(from);
        let overflow = match self.random.percent(60) && self.may_fault() {
            true => Overflow::Faults,
            false => Overflow::Saturates,
        };
        self.push(Operation::Cast(overflow, x), to);
    }

    fn table(&mut self) {
        if self.tables.len() < TABLES_MAX && (self.tables.is_empty() || self.random.percent(50)) {
            let ty = self.some_type(|_| true);
            let rows = *self.random.pick(&[1, 2, 7, 16, 100]);
            let values = (0..rows).map(|_| ty.random(self.random)).collect();
            self.tables.push(Table { ty, values });
        }
        let table = self.random.below(self.tables.len());
        let index_type = *self.random.pick(&[Type::U32, Type::U64]);
        let ty = self.tables[table].ty;
        let mut index = self.operand(index_type);
        let is_safe = !self.may_fault();
        if is_safe {
            let len = self.push(Operation::Literal(Value::Int(self.tables[table].values.len() as i128)), index_type);
            let faulty = self.step.faulty[index];
            index = self.push(Operation::Binary(Binary::Rem, index, len), index_type);
            self.step.faulty[index] = faulty;
        }
        let node = self.push(Operation::Lookup { table, index }, ty);
        self.step.faulty[node] = !is_safe || self.step.faulty[index];
    }

    fn add_loop(&mut self) {
        if self.step.loop_depth == LOOP_DEPTH_MAX {
            return;
        }
        let shapes = row_shapes();
        let shape = self.random.below(shapes.len());
        let init: Vec<NodeId> = shapes[shape].iter().map(|&ty| self.operand(ty)).collect();
        let bound = match self.random.below(12) {
            0 => 1,
            1 => self.budget.iterations * 8,
            2.. => self.random.between(1, self.budget.iterations),
        };
        let before = self.step.visible.len();
        let at = self.push(Operation::Null, Type::Bool);
        self.step.visible.pop();
        self.step.loop_depth += 1;
        for (slot, &ty) in shapes[shape].iter().enumerate() {
            self.push(Operation::LoopState(at, slot), ty);
        }
        let is_counted = self.random.percent(40);
        if is_counted {
            self.push(Operation::LoopIndex(at), Type::U32);
        }
        for _ in 0..self.random.between(1, 5) {
            self.operation();
        }
        let condition = if is_counted { None } else { Some(self.want(Type::Bool)) };
        let next = shapes[shape].iter().map(|&ty| self.want(ty)).collect();
        let end = self.step.nodes.len();
        self.step.nodes[at].operation =
            Operation::Loop(Loop { shape, bound: bound as u32, init: init.clone(), condition, next, end });
        let inside = self.step.faulty[at + 1..end].iter().any(|&faulty| faulty);
        self.step.faulty[at] = inside || init.iter().any(|&node| self.step.faulty[node]);
        self.step.visible.truncate(before);
        self.step.loop_depth -= 1;
        for (slot, &ty) in shapes[shape].iter().enumerate() {
            self.push(Operation::LoopResult(at, slot), ty);
        }
    }
}

/// Whether the interface converts one type to the other.
fn cast_exists(from: Type, to: Type) -> bool {
    let is_plain = from.is_number() || from == Type::Bool;
    match to {
        Type::Bool => false,
        Type::Date => matches!(from, Type::Date | Type::I32 | Type::Timestamp),
        Type::Timestamp => matches!(from, Type::Timestamp | Type::I64 | Type::Date),
        Type::I32 => is_plain || from == Type::Date,
        Type::I64 => is_plain || matches!(from, Type::Date | Type::Timestamp),
        _ => is_plain,
    }
}
