//! A plan as text, for people. In: a verified plan. Out: a line a node, the result first, inputs indented below it, with
//! the expressions written out. A value that is long and used twice, or that lies deep, is written once, behind `let`
//! below its node, and goes by its name. Equal plans give equal text. Nothing recurses, however deep expressions are.

use super::{Aggregate, Aggregation, Composite, Join, JoinKind, NodeId, NodeKind, Plan};
use super::{PlanColumn, ROW_NUMBER, RowOrder};
use crate::body::{Body, ColumnId, Inst, ValueId};
use crate::kernel::print::{nulls_name, order_name};
use crate::kernel::{Fold, FoldMode, Frame, Running, SortKey};
use crate::op::Op;
use crate::rewrite::node::scalars_of;
use crate::types::Type;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// How many operations, one on top of the other, are written out in one line.
const INLINE_DEPTH_MAX: usize = 6;
/// A value that is used twice is written out twice up to this many bytes.
const SHARED_BYTES_MAX: usize = 24;
/// A value is written out up to this many bytes.
const INLINE_BYTES_MAX: usize = 100;

/// Operations that are written between their operands.
const INFIX: [(Op, &str); 18] = [
    (Op::Add, "+"),
    (Op::Sub, "-"),
    (Op::Mul, "*"),
    (Op::Div, "/"),
    (Op::Rem, "%"),
    (Op::Eq, "="),
    (Op::Ne, "<>"),
    (Op::Lt, "<"),
    (Op::Le, "<="),
    (Op::Gt, ">"),
    (Op::Ge, ">="),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::BitAnd, "&"),
    (Op::BitOr, "|"),
    (Op::BitXor, "^"),
    (Op::Shl, "<<"),
    (Op::Shr, ">>"),
];

/// The text of a plan.
pub fn print(plan: &Plan) -> String {
    let mut text = String::new();
    let mut printed = vec![false; plan.nodes.len()];
    let mut todo = if plan.nodes.is_empty() { Vec::new() } else { vec![(plan.root(), 0)] };
    while let Some((id, depth)) = todo.pop() {
        let indent = "  ".repeat(depth);
        let again = std::mem::replace(&mut printed[id.index()], true);
        if again {
            text.push_str(&format!("{indent}{id} again\n"));
            continue;
        }
        let expressions = Expressions::of(plan, id);
        text.push_str(&format!("{indent}{id} {}\n", node(plan, id, &expressions)));
        for (v, value) in &expressions.lets {
            text.push_str(&format!("{indent}    let {v} = {value}\n"));
        }
        let scalars = expressions.scalars.iter().map(|column| column.node);
        let below: Vec<NodeId> = plan.node(id).kind.inputs().into_iter().chain(scalars).collect();
        todo.extend(below.into_iter().rev().map(|input| (input, depth + 1)));
    }
    text
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// A node's line, without its id.
fn node(plan: &Plan, id: NodeId, text: &Expressions) -> String {
    let node = plan.node(id);
    let name = node.kind.name();
    let names: Vec<String> = node.schema.fields.iter().map(|field| identifier(&field.name)).collect();
    let added = |width: usize| &names[names.len().saturating_sub(width)..];
    match &node.kind {
        NodeKind::Source(source) => {
            let fields = names.iter().zip(&node.schema.fields).map(|(name, field)| format!("{name}: {}", field.ty));
            format!("{name} {} ({})", source.0, fields.collect::<Vec<_>>().join(", "))
        }
        NodeKind::Project { columns, .. } => format!("{name} {}", text.named(&text.all(columns), &names)),
        NodeKind::Filter { predicate, .. } => format!("{name} {}", text.of_value(*predicate)),
        NodeKind::Reduce { folds, .. } => format!("{name} {}", text.named(&text.folds(folds), &names)),
        NodeKind::Scan { columns, running, segment, .. } => {
            let all = [text.all(columns), text.running(running)].concat();
            let segment = segment.map_or_else(String::new, |v| format!(" segment {}", text.of_value(v)));
            format!("{name} {}{segment}", text.named(&all, &names))
        }
        NodeKind::Sort { keys, .. } => format!("{name} by {}", text.keys(keys)),
        NodeKind::TopK { keys, count, .. } => format!("{name} {count} by {}", text.keys(keys)),
        NodeKind::Group { keys, folds, order, .. } => {
            let (of_keys, of_folds) = names.split_at(keys.len().min(names.len()));
            let keys = text.named(&text.all(keys), of_keys);
            format!("{name} by {keys}{}: {}", order_text(*order), text.named(&text.folds(folds), of_folds))
        }
        NodeKind::EquiJoin { left_keys, right_keys, kind, pairs_max, .. } => {
            let pairs = text.all(left_keys).into_iter().zip(text.all(right_keys)).map(|(l, r)| format!("{l} = {r}"));
            let most = pairs_max.map_or_else(String::new, |pairs| format!(" at most {pairs} pairs"));
            format!("{name} {} on {}{most}", kind.name(), pairs.collect::<Vec<_>>().join(", "))
        }
        NodeKind::Composite(Composite::Join(join)) => format!("{name} {}", join_text(join, text)),
        NodeKind::Composite(Composite::Aggregate(aggregation)) => {
            format!("{name}{}", aggregation_text(aggregation, &names, text))
        }
        NodeKind::Window { partition, order, running, .. } => {
            let folds = text.named(&text.running(running), added(running.len()));
            format!("{name} partition ({}) order ({}): {folds}", text.all(partition).join(", "), text.keys(order))
        }
        NodeKind::Call { value, call, table, .. } => {
            let table = table.map_or_else(String::new, |table| format!(" with {table}"));
            format!("{name} {call} of {}{table}", text.named(&[text.of_value(*value)], &names))
        }
        NodeKind::Union { .. } | NodeKind::Distinct { .. } => name.to_string(),
        NodeKind::Limit { skip, fetch, .. } => {
            let fetch = fetch.map_or_else(String::new, |fetch| format!(" {fetch}"));
            let skip = if *skip == 0 { String::new() } else { format!(" skip {skip}") };
            format!("{name}{fetch}{skip}")
        }
    }
}

const fn order_text(order: RowOrder) -> &'static str {
    match order {
        RowOrder::FirstRow => "",
        RowOrder::Any => " in any order",
    }
}

fn join_text(join: &Join, text: &Expressions) -> String {
    let key = |key: &super::JoinKey| {
        let sign = if key.null_safe { "is not distinct from" } else { "=" };
        format!("{} {sign} {}", text.of_value(key.left), text.of_value(key.right))
    };
    let keys: Vec<String> = join.keys.iter().map(key).collect();
    let on = if keys.is_empty() { String::new() } else { format!(" on {}", keys.join(", ")) };
    let residual = join.residual.map_or_else(String::new, |v| format!(" where {}", text.of_value(v)));
    let most = match join.kind {
        JoinKind::Cross { pairs_max } => format!(" at most {pairs_max} pairs"),
        JoinKind::Inner | JoinKind::Left | JoinKind::Right | JoinKind::Full => String::new(),
        JoinKind::Semi | JoinKind::Anti | JoinKind::Mark => String::new(),
    };
    format!("{}{on}{residual}{most}", join.kind.name())
}

fn aggregation_text(aggregation: &Aggregation, names: &[String], text: &Expressions) -> String {
    let one = |one: &Aggregate| {
        let mut operands: Vec<String> = one.value.into_iter().chain(one.second).map(|v| text.of_value(v)).collect();
        if let super::AggregateOp::Quantile(fraction) = one.op {
            operands.push(fraction.value().to_string());
        }
        let operands = operands.join(", ");
        let filter = one.filter.map_or_else(String::new, |v| format!(" where {}", text.of_value(v)));
        format!("{}({operands}){}{filter}", one.op.name(), mode_text(one.mode))
    };
    let aggregates: Vec<String> = aggregation.aggregates.iter().map(one).collect();
    let (of_keys, of_aggregates) = names.split_at(aggregation.keys.len().min(names.len()));
    let aggregates = text.named(&aggregates, of_aggregates);
    if aggregation.keys.is_empty() {
        return format!(" {aggregates}");
    }
    let keys = text.named(&text.all(&aggregation.keys), of_keys);
    format!(" by {keys}{}: {aggregates}", order_text(aggregation.order))
}

const fn mode_text(mode: FoldMode) -> &'static str {
    match mode {
        FoldMode::Reproducible => "",
        FoldMode::Fast => " fast",
    }
}

/// A user's name as it is, or in quotes where it could be taken for something else.
fn identifier(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    if plain { name.to_string() } else { format!("{name:?}") }
}

/// The text of the values that a node uses.
struct Expressions {
    /// What stands where a value is used.
    inline: BTreeMap<ValueId, String>,
    /// The values written once, below the node.
    lets: BTreeMap<ValueId, String>,
    /// The columns whose only value is a scalar here.
    scalars: Vec<PlanColumn>,
}

impl Expressions {
    fn of(plan: &Plan, id: NodeId) -> Expressions {
        let operands = plan.node(id).kind.operands();
        let uses = uses(&plan.body, &operands);
        let scalars = scalars_of(plan, &operands).iter().map(|param| plan.scalars[param]).collect();
        let mut text = Expressions { inline: BTreeMap::new(), lets: BTreeMap::new(), scalars };
        let mut depths: BTreeMap<ValueId, usize> = BTreeMap::new();
        for (&v, &count) in &uses {
            let inst = plan.body.inst(v);
            let is_loop = matches!(inst, Inst::Loop { .. });
            let operands = inst.operands();
            let depth = 1 + operands.iter().filter_map(|u| depths.get(u)).max().copied().unwrap_or(0);
            let written = if is_loop { String::new() } else { text.value(plan, id, inst, plan.body.ty(v)) };
            let shared = count > 1 && written.len() > SHARED_BYTES_MAX;
            let long = depth >= INLINE_DEPTH_MAX || written.len() > INLINE_BYTES_MAX;
            if !operands.is_empty() && (is_loop || shared || long) {
                text.inline.insert(v, v.to_string());
                text.lets.insert(v, written);
                depths.insert(v, 0);
            } else {
                text.inline.insert(v, written);
                depths.insert(v, if operands.is_empty() { 0 } else { depth });
            }
        }
        for (&v, _) in uses.iter().filter(|(v, _)| matches!(plan.body.inst(**v), Inst::Loop { .. })) {
            let written = text.loop_(plan.body.inst(v));
            text.lets.insert(v, written);
        }
        text
    }

    fn of_value(&self, v: ValueId) -> String {
        self.inline.get(&v).cloned().unwrap_or_else(|| v.to_string())
    }

    fn all(&self, values: &[ValueId]) -> Vec<String> {
        values.iter().map(|&v| self.of_value(v)).collect()
    }

    fn folds(&self, folds: &[Fold]) -> Vec<String> {
        folds.iter().map(|fold| self.fold(fold)).collect()
    }

    fn fold(&self, fold: &Fold) -> String {
        let mode = mode_text(fold.mode);
        format!("{}({}){mode}", fold.op.name(), fold.value().map_or_else(String::new, |v| self.of_value(v)))
    }

    fn running(&self, running: &[Running]) -> Vec<String> {
        let one = |running: &Running| match running.frame {
            Frame::Unbounded => format!("running {}", self.fold(&running.fold)),
            Frame::Preceding(rows) => format!("running {} preceding {rows}", self.fold(&running.fold)),
        };
        running.iter().map(one).collect()
    }

    fn keys(&self, keys: &[SortKey]) -> String {
        let one =
            |key: &SortKey| format!("{} {} {}", self.of_value(key.value), order_name(key.order), nulls_name(key.nulls));
        keys.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Columns with the names they get, where those say more.
    fn named(&self, columns: &[String], names: &[String]) -> String {
        let mut text = String::new();
        for (i, column) in columns.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            let name = names.get(i).filter(|name| *name != column);
            let name = name.map_or_else(String::new, |name| format!(" as {name}"));
            let _ = write!(text, "{separator}{column}{name}");
        }
        text
    }

    /// A value in terms of its operands.
    fn value(&self, plan: &Plan, user: NodeId, inst: &Inst, ty: Type) -> String {
        match inst {
            Inst::Column(column) => column_name(plan, user, *column),
            Inst::Param(param) => match plan.scalars.get(param) {
                Some(PlanColumn { node, index }) => format!("scalar({node}[{index}])"),
                None => param.to_string(),
            },
            Inst::Const(None) => "null".to_string(),
            Inst::Const(Some(value)) => match ty.dtype.is_decimal() {
                true => format!("{ty}[{value}]"),
                false => value.to_string(),
            },
            Inst::RowIndex => "row_index()".to_string(),
            Inst::Call { op, args } => self.call(*op, &self.all(args), ty),
            Inst::Lookup { list, index } => format!("{list}[{}]", self.of_value(*index)),
            Inst::Gather { table, column, row } => format!("{table}.{column}[{}]", self.of_value(*row)),
            Inst::Probe { table, keys, when, kind } => {
                let when = when.map_or_else(String::new, |v| format!(" when {}", self.of_value(v)));
                format!("probe {} {table}({}){when}", kind.name(), self.all(keys).join(", "))
            }
            Inst::Loop { .. } => self.loop_(inst),
            Inst::LoopIndex(of) => format!("{of}.index"),
            Inst::LoopCarried { of, slot } => format!("{of}.carried.{slot}"),
            Inst::LoopResult { of, slot } => format!("{of}.result.{slot}"),
        }
    }

    fn call(&self, op: Op, args: &[String], ty: Type) -> String {
        if let (Some((_, symbol)), [left, right]) = (INFIX.iter().find(|(infix, _)| *infix == op), args) {
            return format!("({left} {symbol} {right})");
        }
        let target = if op.is_cast() { format!(" as {}", ty.dtype) } else { String::new() };
        format!("{}({}{target})", op.name(), args.join(", "))
    }

    fn loop_(&self, inst: &Inst) -> String {
        let Inst::Loop { bound, init, while_, next, .. } = inst else { return String::new() };
        let while_ = while_.map_or_else(String::new, |v| format!(" while {}", self.of_value(v)));
        format!("loop {bound} from ({}){while_} next ({})", self.all(init).join(", "), self.all(next).join(", "))
    }
}

/// The values that these ones need, with how often each is used.
fn uses(body: &Body, roots: &[ValueId]) -> BTreeMap<ValueId, usize> {
    let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
    let mut todo = roots.to_vec();
    while let Some(v) = todo.pop() {
        let count = uses.entry(v).or_default();
        *count += 1;
        if *count == 1 {
            todo.extend(body.inst(v).operands());
        }
    }
    uses
}

/// A column by its name; with its node where a join has the name on both sides, and its place where one side has it twice.
fn column_name(plan: &Plan, user: NodeId, id: ColumnId) -> String {
    let Some(column) = plan.columns.get(id.index()) else { return id.to_string() };
    if column.index == ROW_NUMBER {
        return "row_number".to_string();
    }
    let field = plan.nodes.get(column.node.index()).and_then(|node| node.schema.fields.get(column.index as usize));
    let Some(field) = field else { return id.to_string() };
    let name = identifier(&field.name);
    let same = |node: &NodeId| plan.node(*node).schema.fields.iter().filter(|other| other.name == field.name).count();
    if same(&column.node) > 1 {
        return format!("{}.{name}[{}]", column.node, column.index);
    }
    let ambiguous = plan.node(user).kind.inputs().iter().map(same).sum::<usize>() > 1;
    if ambiguous { format!("{}.{name}", column.node) } else { name }
}
