//! Expressions that DataFusion has no equal for, as a function that DataFusion calls and the interpreter computes: the
//! operators above them are still compared. Nothing is learnt about the expressions themselves.

use crate::arrow_data;
use crate::expression::FaultMode;
use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::{self, Inputs};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::types::{Scalar, Type};
use std::hash::{Hash, Hasher};

/// A kernel that stores one value, over columns that DataFusion hands in.
#[derive(Debug)]
pub(crate) struct Borrowed {
    name: String,
    kernel: Kernel,
    params: Vec<Option<Scalar>>,
    lists: Vec<ColumnData>,
    faults: FaultMode,
    signature: Signature,
}

impl Borrowed {
    /// The kernel must have a `Store` sink of one column.
    pub(crate) fn new(kernel: Kernel, params: &[Option<Scalar>], lists: &[ColumnData], faults: FaultMode) -> Borrowed {
        let types: Vec<DataType> = kernel.columns.iter().map(|ty| arrow_data::data_type(ty.dtype)).collect();
        let signature = match types.is_empty() {
            true => Signature::nullary(Volatility::Immutable),
            false => Signature::exact(types, Volatility::Immutable),
        };
        let name = format!("interpreted_{:016x}", text_hash(&kernel));
        Borrowed { name, kernel, params: params.to_vec(), lists: lists.to_vec(), faults, signature }
    }

    fn output(&self) -> Type {
        let Sink::Store { columns } = &self.kernel.sink else { unreachable!("a borrowed kernel stores one value") };
        self.kernel.body.ty(columns[0])
    }

    /// The value in each row, one row at a time, so that a row that faults can be null.
    fn run(&self, columns: &[ColumnData], rows: usize) -> Result<ColumnData> {
        let mut output = ColumnData::empty(self.output().dtype.nullable(), rows);
        for row in 0..rows {
            match self.run_row(columns, row) {
                Ok(value) => output.push(value),
                Err(_) if self.faults == FaultMode::Null => output.push(None),
                Err(fault) => return Err(DataFusionError::Execution(fault.to_string())),
            }
        }
        Ok(output)
    }

    fn run_row(&self, columns: &[ColumnData], row: usize) -> Result<Option<Scalar>, interpret::Fault> {
        let columns: Vec<ColumnData> = columns.iter().map(|column| column.slice(row..row + 1)).collect();
        let missing = |(column, ty): (&ColumnData, &Type)| !ty.nullable && column.get(0).is_none();
        // Such a null stands for a fault below.
        if columns.iter().zip(&self.kernel.columns).any(missing) {
            return Ok(None);
        }
        let Borrowed { params, lists, .. } = self;
        let inputs = Inputs { columns: &columns, params, lists, tables: &[], first_row: 0, rows: 1 };
        Ok(interpret::run(&self.kernel, &inputs)?.columns[0].get(0))
    }
}

fn text_hash(kernel: &Kernel) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    kernel.hash(&mut hasher);
    hasher.finish()
}

impl ScalarUDFImpl for Borrowed {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(arrow_data::data_type(self.output().dtype))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
        // Nulls where the plan has none come from rows that fault and are not needed.
        let column = |(array, ty): (&ArrayRef, &Type)| arrow_data::column(array, ty.dtype.nullable());
        let columns: Vec<ColumnData> = arrays.iter().zip(&self.kernel.columns).map(column).collect();
        Ok(ColumnarValue::Array(arrow_data::array(&self.run(&columns, rows)?)))
    }
}

impl PartialEq for Borrowed {
    fn eq(&self, other: &Borrowed) -> bool {
        let same_kernel = self.kernel == other.kernel && self.faults == other.faults;
        same_kernel && self.params == other.params && self.lists == other.lists
    }
}

impl Eq for Borrowed {}

impl Hash for Borrowed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kernel.hash(state);
        self.faults.hash(state);
    }
}
