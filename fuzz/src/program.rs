//! Random queries as data: in comes what the generator decided, and both the query builder and the reference read it.
//!
//! A step has a list of nodes; a node's operands come before it. A [`Loop`] at position `v` owns the nodes `v + 1 .. end`,
//! which nothing behind it uses; [`Operation::LoopResult`] reads its last state. What a step takes from the step before it
//! is a [`Operation::Column`].

use crate::method::Method;
use crate::value::{Type, Value};

/// The position of a node in its step.
pub(crate) type NodeId = usize;

/// A query: steps over the columns of a source. The last step decides what comes out.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) columns: Vec<Type>,
    pub(crate) tables: Vec<Table>,
    pub(crate) steps: Vec<Step>,
}

/// A captured table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) ty: Type,
    pub(crate) values: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) nodes: Vec<Node>,
    pub(crate) kind: StepKind,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// Keeps the rows where the node is true.
    Filter(NodeId),
    /// A new row of these nodes. Only the last one has the shape of a Rust type; the others are wide rows.
    Map { shape: usize, outputs: Vec<NodeId> },
    /// Running folds and kept columns.
    Scan { shape: usize, parts: Vec<(Running, NodeId)> },
    /// Folds; always the last step.
    Fold { shape: usize, parts: Vec<(Fold, NodeId)> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    Sum,
    Min,
    Max,
    Count,
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Sum,
    Min,
    Max,
    Mean,
    Count,
    /// The number of rows; its node is ignored.
    CountRows,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) operation: Operation,
    pub(crate) ty: Type,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A column of the row that the step gets.
    Column(usize),
    Literal(Value),
    /// A scalar that is a parameter of the run.
    Parameter(Value),
    Null,
    Unary(Unary, NodeId),
    Binary(Binary, NodeId, NodeId),
    Select(NodeId, NodeId, NodeId),
    Clamp(NodeId, NodeId, NodeId),
    Fma(NodeId, NodeId, NodeId),
    Cast(Overflow, NodeId),
    /// A method with all of its operands, and the values that are part of the query.
    Method(Method, Vec<NodeId>, Vec<Value>),
    Lookup {
        table: usize,
        index: NodeId,
    },
    /// An elementary function; the second operand is ignored by functions of one. Only outputs of the last step are such.
    Elementary(Function, NodeId, NodeId),
    Loop(Loop),
    LoopIndex(NodeId),
    LoopState(NodeId, usize),
    LoopResult(NodeId, usize),
}

/// What a cast does with a value that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    Faults,
    Saturates,
}

/// A loop. Without a condition it runs `bound` times.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) shape: usize,
    pub(crate) bound: u32,
    pub(crate) init: Vec<NodeId>,
    pub(crate) condition: Option<NodeId>,
    pub(crate) next: Vec<NodeId>,
    pub(crate) end: NodeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Neg,
    Abs,
    Sign,
    Sqrt,
    Floor,
    Ceil,
    Round,
    Trunc,
    Not,
    BitNot,
    IsNull,
    IsNan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    CheckedAdd,
    CheckedSub,
    CheckedMul,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Least,
    Greatest,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Coalesce,
}

macro_rules! functions {
    ($($name:ident)*) => {
        /// An elementary function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function { $($name),* }

        /// All elementary functions.
        pub(crate) const FUNCTIONS: &[Function] = &[$(Function::$name),*];
    };
}

functions! {
    Exp Exp2 ExpM1 Ln Log2 Log10 Ln1p Pow Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Tanh Erf Cbrt Hypot
}

impl Operation {
    /// The nodes that the operation reads, in order; of a loop those that it starts with.
    pub(crate) fn operands(&self) -> Vec<NodeId> {
        match self {
            Operation::Column(_) | Operation::Literal(_) | Operation::Parameter(_) | Operation::Null => Vec::new(),
            Operation::LoopIndex(_) | Operation::LoopState(..) => Vec::new(),
            Operation::Unary(_, x) | Operation::Cast(_, x) | Operation::Lookup { index: x, .. } => vec![*x],
            Operation::LoopResult(x, _) => vec![*x],
            Operation::Binary(_, x, y) | Operation::Elementary(_, x, y) => vec![*x, *y],
            Operation::Select(x, y, z) | Operation::Clamp(x, y, z) | Operation::Fma(x, y, z) => vec![*x, *y, *z],
            Operation::Method(_, operands, _) => operands.clone(),
            Operation::Loop(of) => of.init.clone(),
        }
    }

    /// Whether the operation rounds floats, which only exact devices do to the bit.
    fn is_float_arithmetic(&self, ty: Type, operand: Type) -> bool {
        match self {
            Operation::Unary(op, _) => ty.is_float() && !matches!(op, Unary::Neg | Unary::Abs),
            Operation::Binary(op, ..) => {
                ty.is_float() && !matches!(op, Binary::Least | Binary::Greatest | Binary::Coalesce)
            }
            Operation::Fma(..) | Operation::Elementary(..) => true,
            Operation::Method(method, ..) => method.rounds(operand),
            Operation::Cast(..) => ty.is_float() || operand.is_float(),
            Operation::Column(_) | Operation::Literal(_) | Operation::Parameter(_) | Operation::Null => false,
            Operation::Select(..) | Operation::Clamp(..) | Operation::Lookup { .. } => false,
            Operation::Loop(_) | Operation::LoopIndex(_) | Operation::LoopState(..) | Operation::LoopResult(..) => {
                false
            }
        }
    }
}

impl Step {
    /// The step that returns its row unchanged.
    pub(crate) fn identity(types: &[Type]) -> Step {
        let column = |(at, &ty): (usize, &Type)| Node { operation: Operation::Column(at), ty };
        let nodes = types.iter().enumerate().map(column).collect();
        Step { nodes, kind: StepKind::Map { shape: 0, outputs: (0..types.len()).collect() } }
    }

    /// Reads each column from another place of the row.
    pub(crate) fn move_columns(&mut self, place: impl Fn(usize) -> usize) {
        for node in &mut self.nodes {
            if let Operation::Column(column) = &mut node.operation {
                *column = place(*column);
            }
        }
    }

    /// The nodes whose values the loop at `at` takes from outside, as far as an iteration can depend on them. `is_null` does
    /// not take its operand's value.
    pub(crate) fn outer_values(&self, at: NodeId, of: &Loop) -> Vec<NodeId> {
        let (mut outer, mut seen) = (Vec::new(), vec![false; self.nodes.len()]);
        let mut open: Vec<NodeId> = of.next.iter().chain(&of.condition).copied().collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if node < at {
                outer.push(node);
                continue;
            }
            let operation = &self.nodes[node].operation;
            if !matches!(operation, Operation::Unary(Unary::IsNull, _)) {
                open.extend(operation.operands());
            }
            if let Operation::Loop(inner) = operation {
                open.extend(inner.next.iter().chain(&inner.condition));
            }
        }
        outer.retain(|&node| !matches!(self.nodes[node].operation, Operation::Loop(_)));
        outer
    }

    /// The nodes that the step gives to the next one, or to the result.
    pub(crate) fn outputs(&self) -> Vec<NodeId> {
        match &self.kind {
            StepKind::Filter(condition) => vec![*condition],
            StepKind::Map { outputs, .. } => outputs.clone(),
            StepKind::Scan { parts, .. } => parts.iter().map(|&(_, node)| node).collect(),
            StepKind::Fold { parts, .. } => parts.iter().map(|&(_, node)| node).collect(),
        }
    }

    /// The type of each column that the next step gets; none for steps that keep the row.
    pub(crate) fn row(&self) -> Option<Vec<Type>> {
        match &self.kind {
            StepKind::Filter(_) | StepKind::Fold { .. } => None,
            StepKind::Map { outputs, .. } => Some(outputs.iter().map(|&node| self.nodes[node].ty).collect()),
            StepKind::Scan { parts, .. } => {
                Some(parts.iter().map(|&(kind, node)| kind.result(self.nodes[node].ty)).collect())
            }
        }
    }
}

impl Running {
    /// The type of the running fold of values of a type.
    pub(crate) fn result(self, of: Type) -> Type {
        match self {
            Running::Sum | Running::Min | Running::Max | Running::Kept => of,
            Running::Count => Type::U64,
        }
    }
}

impl Program {
    /// Whether a fault may name no row of the source: that of a sum of integers, or one behind a filter and a scan.
    pub(crate) fn can_fault_without_row(&self) -> bool {
        let is_filter = |step: &Step| matches!(step.kind, StepKind::Filter(_));
        let is_scan = |step: &Step| matches!(step.kind, StepKind::Scan { .. });
        let filter = self.steps.iter().position(is_filter);
        let is_behind = filter.is_some_and(|filter| self.steps[filter..].iter().any(is_scan));
        is_behind || self.sums_integers()
    }

    fn sums_integers(&self) -> bool {
        let last = &self.steps[self.steps.len() - 1];
        let is_integer = |node: NodeId| last.nodes[node].ty.is_integer();
        match &last.kind {
            StepKind::Filter(_) | StepKind::Map { .. } => false,
            StepKind::Scan { parts, .. } => parts.iter().any(|&(kind, node)| kind == Running::Sum && is_integer(node)),
            StepKind::Fold { parts, .. } => parts.iter().any(|&(kind, node)| kind == Fold::Sum && is_integer(node)),
        }
    }

    /// Whether the query rounds floats somewhere, sums included.
    pub(crate) fn has_float_arithmetic(&self) -> bool {
        self.steps.iter().any(|step| {
            let rounds = |node: &Node| {
                let operand = node.operation.operands().first().map_or(node.ty, |&first| step.nodes[first].ty);
                node.operation.is_float_arithmetic(node.ty, operand)
            };
            let sums = match &step.kind {
                StepKind::Filter(_) | StepKind::Map { .. } => false,
                StepKind::Scan { parts, .. } => {
                    parts.iter().any(|&(kind, node)| kind == Running::Sum && step.nodes[node].ty.is_float())
                }
                StepKind::Fold { parts, .. } => parts
                    .iter()
                    .any(|&(fold, node)| fold == Fold::Mean || fold == Fold::Sum && step.nodes[node].ty.is_float()),
            };
            sums || step.nodes.iter().any(rounds)
        })
    }
}
