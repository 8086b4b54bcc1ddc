//! Expressions of a plan as DataFusion expressions of the same meaning. In go a value and the names of the columns it may
//! use; out comes an expression. Operations without an equal are [`Borrowed`]; counts say which.

use crate::borrowed::Borrowed;
use crate::case::Case;
use crate::operation::{canonical_key, constant, native, one_nan};
use crate::skip::Skip;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, ScalarUDF};
use pointsman_ir::body::{Body, ColumnId, Inst, ValueId};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::rewrite::{self, Renamed, Rewrite, Writer};
use pointsman_ir::types::{Scalar, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an operation that cannot give a value does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FaultMode {
    /// It ends the query, also where the value is not needed: to see that a fault of ours is an error there.
    Raise,
    /// It is null: to compare rows, where every value that ours needs exists.
    Null,
}

/// Nodes that an expression may have: values are shared in a plan, and repeated in an expression.
const NODES_MAX: usize = 4_000;

/// A column that an expression may use.
#[derive(Clone, Debug)]
pub(crate) struct NamedColumn {
    /// Its name in DataFusion's plan.
    pub(crate) name: String,
    /// How its values are compared.
    pub(crate) precision: Precision,
}

/// How the values of a column are compared with the other engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Bit by bit.
    Exact,
    /// A float sum: by a share of the sum of magnitudes, which this hidden column holds.
    Sum {
        /// The hidden column.
        magnitude: String,
        /// Which share.
        share: Share,
    },
    /// Computed from a float sum.
    Rounded,
}

/// What a float aggregate may be off by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// What the order of additions changes.
    Sum,
    /// What DataFusion's rounding of a quantile's position to six digits changes.
    Quantile,
}

/// A scalar of the plan.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ParamValue {
    /// Its value: handed in, or DataFusion's of a scalar that the plan computes.
    pub(crate) value: Option<Scalar>,
    /// Whether two engines may round it differently.
    pub(crate) rounded: bool,
}

/// Translates expressions over one node's inputs.
pub(crate) struct Expressions<'a> {
    case: &'a Case,
    faults: FaultMode,
    columns: &'a BTreeMap<ColumnId, NamedColumn>,
    params: &'a [ParamValue],
    memo: BTreeMap<ValueId, Expr>,
    nodes: usize,
    /// How often each operation was translated, and how often it was borrowed.
    pub(crate) operations: BTreeMap<String, [usize; 2]>,
    /// Whether a value that two engines round differently decided something.
    pub(crate) rounded_decides: bool,
}

impl<'a> Expressions<'a> {
    pub(crate) fn new(
        case: &'a Case,
        faults: FaultMode,
        columns: &'a BTreeMap<ColumnId, NamedColumn>,
        params: &'a [ParamValue],
    ) -> Expressions<'a> {
        let (memo, operations) = (BTreeMap::new(), BTreeMap::new());
        Expressions { case, faults, columns, params, memo, nodes: 0, operations, rounded_decides: false }
    }

    fn body(&self) -> &'a Body {
        &self.case.plan.body
    }

    fn ty(&self, v: ValueId) -> Type {
        self.body().ty(v)
    }

    /// The value's type.
    pub(crate) fn type_of(&self, v: ValueId) -> Type {
        self.ty(v)
    }

    /// How the value is compared.
    pub(crate) fn precision(&self, v: ValueId) -> Precision {
        if let Inst::Column(column) = self.body().inst(v) {
            return self.columns.get(column).map_or(Precision::Exact, |column| column.precision.clone());
        }
        let needed = rewrite::needed(self.body(), &[v], &Renamed::new());
        let rounded = |v: &ValueId| match self.body().inst(*v) {
            Inst::Column(column) => self.columns.get(column).is_some_and(|c| c.precision != Precision::Exact),
            Inst::Param(param) => self.params[param.index()].rounded,
            Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } | Inst::Lookup { .. } => false,
            Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. } => false,
            Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => false,
        };
        if needed.iter().any(rounded) { Precision::Rounded } else { Precision::Exact }
    }

    /// The value as it is.
    pub(crate) fn value(&mut self, v: ValueId) -> Result<Expr, Skip> {
        if let Some(known) = self.memo.get(&v) {
            let known = known.clone();
            self.count_nodes(&known)?;
            return Ok(known);
        }
        let made = match self.body().inst(v) {
            Inst::Column(column) => {
                let column = self.columns.get(column).ok_or_else(|| Skip::internal("a column of no input"))?;
                Expr::Column(datafusion::common::Column::from_name(column.name.clone()))
            }
            Inst::Param(param) => constant(self.params[param.index()].value, self.ty(v).dtype)?,
            Inst::Const(value) => constant(*value, self.ty(v).dtype)?,
            Inst::Call { op, args } => self.call(v, *op, args)?,
            Inst::Lookup { list, index } => {
                let rule = |body: &mut Body, columns: &[ValueId]| {
                    body.push(Inst::Lookup { list: *list, index: columns[0] }, self.ty(v).dtype.nullable())
                };
                let kernel = self.kernel_of(&[*index], rule);
                self.borrow("lookup", kernel, &[*index])?
            }
            Inst::LoopResult { .. } => self.loop_result(v)?,
            Inst::RowIndex | Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. } => {
                return Err(Skip::internal("an instruction of kernels"));
            }
            Inst::LoopIndex(_) | Inst::LoopCarried { .. } => return Err(Skip::internal("the inside of a loop")),
        };
        self.count_nodes(&made)?;
        self.memo.insert(v, made.clone());
        Ok(made)
    }

    /// The value in the form in which keys are equal: one NaN, and +0 for −0.
    pub(crate) fn key(&mut self, v: ValueId) -> Result<Expr, Skip> {
        self.decides(v);
        let value = self.value(v)?;
        Ok(canonical_key(value, self.ty(v).dtype))
    }

    /// The value in the form in which sorts, min and max order it: one NaN.
    pub(crate) fn ordered(&mut self, v: ValueId) -> Result<Expr, Skip> {
        let value = self.value(v)?;
        Ok(one_nan(value, self.ty(v).dtype))
    }

    /// Notes that rows are chosen, ordered or matched by the value.
    pub(crate) fn decides(&mut self, v: ValueId) {
        self.rounded_decides |= self.precision(v) != Precision::Exact;
    }

    fn count_nodes(&mut self, made: &Expr) -> Result<(), Skip> {
        self.nodes += size(made);
        if self.nodes > NODES_MAX { Err(Skip::TooLarge) } else { Ok(()) }
    }

    fn count(&mut self, name: &str, borrowed: bool) {
        self.operations.entry(name.to_string()).or_default()[usize::from(borrowed)] += 1;
    }

    fn call(&mut self, v: ValueId, op: Op, args: &[ValueId]) -> Result<Expr, Skip> {
        // What follows a jump of a rounded value is arbitrary.
        let compares = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Select | Op::IsNan)
            || matches!(op, Op::IeeeEq | Op::IeeeLt | Op::IeeeLe);
        if compares || op.jumps() || op.is_cast() {
            self.decides(args[0]);
            args[1..].iter().filter(|_| compares && op != Op::Select).for_each(|&arg| self.decides(arg));
        }
        let exprs = args.iter().map(|&arg| self.value(arg)).collect::<Result<Vec<_>, Skip>>()?;
        let types = self.body().types_of(args);
        if let Some(native) = native(op, exprs, &types, self.ty(v), self.faults)? {
            self.count(op.name(), false);
            return Ok(native);
        }
        let dtype = self.ty(v).dtype;
        let kernel = self
            .kernel_of(args, |body, columns| body.push(Inst::Call { op, args: columns.to_vec() }, dtype.nullable()));
        self.borrow(op.name(), kernel, args)
    }

    /// A kernel over columns of these values' types, all nullable, that stores what `rule` makes of them.
    fn kernel_of(&self, args: &[ValueId], rule: impl FnOnce(&mut Body, &[ValueId]) -> ValueId) -> Kernel {
        let columns: Vec<Type> = args.iter().map(|&arg| self.ty(arg).dtype.nullable()).collect();
        let mut body = Body::new();
        let values: Vec<ValueId> =
            columns.iter().enumerate().map(|(i, &ty)| body.column(ColumnId(i as u32), ty)).collect();
        let result = rule(&mut body, &values);
        self.kernel(columns, body, result)
    }

    fn kernel(&self, columns: Vec<Type>, body: Body, result: ValueId) -> Kernel {
        let (params, lists) = (self.case.plan.params.clone(), self.case.plan.lists.clone());
        Kernel {
            columns,
            params,
            lists,
            tables: Vec::new(),
            body,
            mask: None,
            sink: Sink::Store { columns: vec![result] },
        }
    }

    /// A loop, with everything that it is computed from.
    fn loop_result(&mut self, v: ValueId) -> Result<Expr, Skip> {
        let mut rule = KernelColumns { columns: Vec::new(), types: Vec::new() };
        let (mut writer, mut names) = (Writer::new(), Renamed::new());
        rewrite::copy(self.body(), &[v], &mut writer, &mut names, &mut rule);
        let kernel = self.kernel(rule.types, writer.finish(), names.get(v));
        let exprs = rule.columns.iter().map(|column| {
            let column = self.columns.get(column).ok_or_else(|| Skip::internal("a column of no input"))?;
            Ok(Expr::Column(datafusion::common::Column::from_name(column.name.clone())))
        });
        let exprs = exprs.collect::<Result<Vec<_>, Skip>>()?;
        self.rounded_decides |= self.precision(v) != Precision::Exact;
        self.count("loop", true);
        Ok(self.function(kernel, exprs))
    }

    fn borrow(&mut self, name: &str, kernel: Kernel, args: &[ValueId]) -> Result<Expr, Skip> {
        let exprs = args.iter().map(|&arg| self.value(arg)).collect::<Result<Vec<_>, Skip>>()?;
        self.count(name, true);
        Ok(self.function(kernel, exprs))
    }

    fn function(&self, kernel: Kernel, args: Vec<Expr>) -> Expr {
        let params: Vec<Option<Scalar>> = self.params.iter().map(|param| param.value).collect();
        let borrowed = Borrowed::new(kernel, &params, &self.case.lists, self.faults);
        Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::from(borrowed)), args))
    }
}

/// Gives the columns of a copied expression new numbers.
struct KernelColumns {
    columns: Vec<ColumnId>,
    types: Vec<Type>,
}

impl Rewrite for KernelColumns {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let Inst::Column(column) = inst else { return out.append(inst, ty) };
        let known = self.columns.iter().position(|known| *known == column);
        let at = known.unwrap_or_else(|| {
            self.columns.push(column);
            self.types.push(ty);
            self.columns.len() - 1
        });
        out.append(Inst::Column(ColumnId(at as u32)), ty)
    }
}

fn size(expr: &Expr) -> usize {
    use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
    let mut nodes = 0;
    let counted = expr.apply(|_| {
        nodes += 1;
        Ok(TreeNodeRecursion::Continue)
    });
    counted.map_or(NODES_MAX, |_| nodes)
}
