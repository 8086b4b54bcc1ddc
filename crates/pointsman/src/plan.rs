//! Plans that a program builds at run time: the language that every query compiles from, and what
//! [`Session::plan`](crate::Session::plan) takes.
//!
//! A [`Plan`] is an arena of nodes. [`Plan::source`] appends a table with its schema, [`Plan::push`] an operation over
//! nodes before it; the last node is the result. Expressions live in [`Plan::body`]: [`Plan::column`] reads a node's
//! column, [`Body::call`] applies an operation, [`Plan::param`] is a scalar whose value is passed when the plan runs. A
//! plan that makes no sense is an error of the run that names the node.
//!
//! ```
//! use arrow_array::{ArrayRef, Int64Array, RecordBatch, UInt64Array, cast::AsArray, types::Int64Type};
//! use pointsman::plan::{DType, Field, Fold, FoldOp, NodeKind, Plan, RowOrder, Schema, SourceId};
//! use std::sync::Arc;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let s = pointsman::Session::open()?;
//! let store: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 7]));
//! let sold: ArrayRef = Arc::new(Int64Array::from(vec![3, 4, 5]));
//! let sales = RecordBatch::try_from_iter([("store", store), ("sold", sold)])?;
//!
//! let mut plan = Plan::default();
//! let field = |name: &str| Field { name: name.to_string(), ty: DType::I64.required() };
//! let input = plan.source(SourceId(0), Schema { fields: vec![field("store"), field("sold")] });
//! let (store, sold) = (plan.column(input, 0), plan.column(input, 1));
//! let folds = vec![Fold::of(FoldOp::Sum, sold)];
//! plan.push(NodeKind::Group { input, keys: vec![store], folds, order: RowOrder::FirstRow }, &["store", "sold"]);
//!
//! let answer = s.plan(plan, [&sales], &[]).run()?;
//! let totals = answer.into_value().into_batch()?;
//! assert_eq!(totals["sold"].as_primitive::<Int64Type>().values()[..], [8, 4]);
//! # Ok(())
//! # }
//! ```

pub use crate::query::plan_query::PlanQuery;
pub use crate::query::plan_rows::{PlanBatches, PlanRows};
pub use crate::query::plan_sources::TableSource;
pub use pointsman_ir::body::{Body, ColumnId, Inst, ListId, ParamId, ProbeKind, ValueId};
pub use pointsman_ir::kernel::call::{
    Call, Convolve, Direction, Fft, Matmul, Method, Numbers, RightOperand, Storage, Transform,
};
pub use pointsman_ir::kernel::{Fold, FoldInput, FoldMode, FoldOp, Frame, NullOrder, Running, SortKey, SortOrder};
pub use pointsman_ir::op::{Op, TypeError};
pub use pointsman_ir::plan::print::print;
pub use pointsman_ir::plan::{
    Aggregate, AggregateOp, Aggregation, Composite, EquiJoinKind, Estimator, Fraction, Join, JoinKey, JoinKind, Node,
    NodeId, NodeKind, PLAN_DEPTH_MAX, PLAN_NODES_MAX, Plan, PlanColumn, PlanError, PlanErrorKind, ROW_NUMBER, RowOrder,
    SourceId,
};
pub use pointsman_ir::types::{DType, Field, Repr, Scalar, Schema, Type};
