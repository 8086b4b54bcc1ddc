//! Plans through `Session::plan` on the CPU, as users run them. In go a case, out come the rows, or a fault; nothing where a
//! session takes no such plan.

use crate::arrow_data;
use crate::case::Case;
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Field, Schema};
use pointsman::{Error, ErrorKind, Session, SessionOptions};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::{Fault, FaultKind, PlanFault};
use pointsman_ir::plan::NodeKind;
use pointsman_ir::types::{self, DType};
use std::sync::Arc;

/// A session whose only device is the CPU.
pub(crate) struct CpuSession(Session);

/// What a session gives.
pub(crate) enum Given {
    /// Rows or a fault.
    Result(Result<TableData, PlanFault>),
    /// An error that no plan should end in.
    Broken(String),
    /// Record batches cannot hold the sources, or the session refuses the plan.
    Refused,
}

impl CpuSession {
    /// A session with two threads.
    pub(crate) fn open() -> Result<CpuSession, Error> {
        Ok(CpuSession(SessionOptions::new().devices(["cpu"]).threads(2).open()?))
    }

    /// Runs a case.
    pub(crate) fn run(&self, case: &Case) -> Given {
        if !case.lists.is_empty() {
            // A session takes no captured lists.
            return Given::Refused;
        }
        let Some(batches) = batches(case) else { return Given::Refused };
        let run = self.0.plan(case.plan.clone(), batches, &case.params).run();
        match run.and_then(|answer| answer.into_value().into_batch()) {
            Ok(batch) => {
                let types = case.plan.node(case.plan.root()).schema.types();
                let columns = batch.columns().iter().zip(&types);
                let columns = columns.map(|(array, &ty)| arrow_data::column(array, ty)).collect();
                Given::Result(Ok(TableData { columns, rows: batch.num_rows() }))
            }
            Err(error) => of_error(&error),
        }
    }
}

fn of_error(error: &Error) -> Given {
    let text = error.to_string();
    match error.kind() {
        // A scalar of several rows, and a cross join beyond its limit, are mistakes of the query.
        ErrorKind::Arithmetic | ErrorKind::InvalidQuery => {
            Given::Result(Err(PlanFault::Row(Fault { kind: FaultKind::Overflow, row: None, message: text })))
        }
        ErrorKind::Unsupported => Given::Refused,
        ErrorKind::OutOfMemory
        | ErrorKind::Busy
        | ErrorKind::Unavailable
        | ErrorKind::DeviceLost
        | ErrorKind::Mismatch
        | ErrorKind::Timeout
        | ErrorKind::Cancelled
        | ErrorKind::Io
        | ErrorKind::Internal
        | _ => Given::Broken(format!("Session::plan: {text}")),
    }
}

/// The sources as record batches, columns called as the plan calls them; `None` if one holds codes or opaque values.
fn batches(case: &Case) -> Option<Vec<RecordBatch>> {
    let mut schemas: Vec<Option<&types::Schema>> = vec![None; case.sources.len()];
    for node in &case.plan.nodes {
        if let NodeKind::Source(source) = node.kind {
            schemas[source.0 as usize] = Some(&node.schema);
        }
    }
    let batch = |(table, schema): (&TableData, &Option<&types::Schema>)| {
        let fields = schema.map(|schema| schema.fields.as_slice()).unwrap_or_default();
        if fields.iter().any(|field| matches!(field.ty.dtype, DType::Dict(_) | DType::Opaque)) {
            return None;
        }
        let arrow =
            |field: &types::Field| Field::new(&field.name, arrow_data::data_type(field.ty.dtype), field.ty.nullable);
        let schema = Arc::new(Schema::new(fields.iter().map(arrow).collect::<Vec<_>>()));
        let arrays = table.columns.iter().take(fields.len()).map(arrow_data::array).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(table.rows));
        RecordBatch::try_new_with_options(schema, arrays, &options).ok()
    };
    case.sources.iter().zip(&schemas).map(batch).collect()
}
