//! DataFusion, as it stands without rules that rewrite plans: what is compared is its operators, and a filter stands where
//! the plan has it.

use crate::arrow_data;
use crate::expression::{Precision, Share};
use crate::relation::{Relation, project};
use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{col, lit};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::ensure_requirements::EnsureRequirements;
use datafusion::physical_optimizer::output_requirements::OutputRequirements;
use datafusion::prelude::SessionConfig;
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::types::{DType, Type};
use std::sync::Arc;

/// What DataFusion gives, in the order that the plan states.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The rows.
    pub(crate) rows: TableData,
    /// How each column is compared; for a float sum, by these magnitudes.
    pub(crate) precisions: Vec<AnswerPrecision>,
    /// Where each row stands, ascending; rows with one number may come in any order.
    pub(crate) places: Vec<u64>,
}

/// How a column is compared.
#[derive(Clone, Debug)]
pub(crate) enum AnswerPrecision {
    /// Bit by bit.
    Exact,
    /// By a share of these.
    Sum {
        /// The magnitudes.
        magnitudes: ColumnData,
        /// Which share.
        share: Share,
    },
    /// Loosely.
    Rounded,
}

/// A DataFusion session on one thread.
pub(crate) struct Engine {
    context: SessionContext,
    runtime: tokio::runtime::Runtime,
}

impl Engine {
    /// A session with one partition and no rewriting of plans.
    pub(crate) fn new() -> Result<Engine> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let mut config = SessionConfig::new().with_target_partitions(1);
        // Its two planners disagree about which CASE may be null.
        config.options_mut().execution.skip_physical_aggregate_schema_check = true;
        let builder = SessionStateBuilder::new().with_default_features().with_config(config);
        let state = builder.with_optimizer_rules(Vec::new()).with_physical_optimizer_rules(required_rules()).build();
        Ok(Engine { context: SessionContext::new_with_state(state), runtime })
    }

    /// Runs a relation whose columns have these types.
    pub(crate) fn run(&self, relation: &Relation, types: &[Type]) -> Result<Answer> {
        let mut names: Vec<String> = relation.columns.iter().map(|column| column.name.clone()).collect();
        let magnitudes = relation.columns.iter().filter_map(|column| match &column.precision {
            Precision::Sum { magnitude, .. } => Some(magnitude.clone()),
            Precision::Exact | Precision::Rounded => None,
        });
        names.extend(magnitudes);
        let exprs = names.iter().enumerate().map(|(i, name)| col(name.as_str()).alias(format!("out{i}")));
        let place = relation.order.as_ref().map_or(lit(0u64), |order| col(order.name.as_str()));
        let exprs = exprs.chain([place.alias("place")]).collect();
        let plan = project(relation.plan.clone(), exprs)
            .map_err(|skip| datafusion::error::DataFusionError::Internal(skip.to_string()))?;
        let schema = Arc::new(plan.schema().as_arrow().clone());
        let batches = self.runtime.block_on(async {
            let physical = self.context.state().create_physical_plan(&plan).await?;
            datafusion::physical_plan::collect(physical, self.context.task_ctx()).await
        })?;
        let schema = batches.first().map_or(schema, RecordBatch::schema);
        Ok(answer(types, relation, &concat_batches(&schema, &batches)?))
    }
}

/// The rules without which physical plans do not run: they sort the inputs of windows, for example. Others would remove a
/// value that nothing uses, and with it an error that we look for.
fn required_rules() -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    vec![
        Arc::new(OutputRequirements::new_add_mode()),
        Arc::new(EnsureRequirements::new()),
        Arc::new(OutputRequirements::new_remove_mode()),
    ]
}

fn answer(types: &[Type], relation: &Relation, batch: &RecordBatch) -> Answer {
    let width = types.len();
    let places = arrow_data::column(batch.column(batch.num_columns() - 1), DType::U64.required());
    let mut order: Vec<usize> = (0..batch.num_rows()).collect();
    let place = |row: usize| places.get(row).map_or(0, |value| value.bits() as u64);
    order.sort_by_key(|&row| place(row));
    let sorted = |array: &dyn Array, ty| {
        let column = arrow_data::column(array, ty);
        ColumnData::from_scalars(column.ty(), order.iter().map(|&row| column.get(row)))
    };
    let columns = types.iter().enumerate().map(|(i, &ty)| sorted(batch.column(i), ty)).collect();
    let mut magnitude = width;
    let precisions = relation.columns.iter().map(|column| match column.precision {
        Precision::Exact => AnswerPrecision::Exact,
        Precision::Rounded => AnswerPrecision::Rounded,
        Precision::Sum { share, .. } => {
            magnitude += 1;
            AnswerPrecision::Sum { magnitudes: sorted(batch.column(magnitude - 1), DType::F64.nullable()), share }
        }
    });
    let precisions = precisions.collect();
    let rows = TableData { columns, rows: batch.num_rows() };
    Answer { rows, precisions, places: order.iter().map(|&row| place(row)).collect() }
}
