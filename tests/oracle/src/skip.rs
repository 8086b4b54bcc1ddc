//! Why a plan is not compared.

use datafusion::error::DataFusionError;
use std::fmt;

/// Why a plan is not compared. `DataFusion` and `Internal` are failures: the translation is wrong.
#[derive(Debug)]
pub(crate) enum Skip {
    /// An expression repeats shared values too often.
    TooLarge,
    /// Rows depend on an order that the plan leaves open.
    OpenOrder,
    /// A node that the interpreter or this translation does not know.
    Node(&'static str),
    /// DataFusion fails in a scalar that the plan computes.
    Run(DataFusionError),
    /// DataFusion refuses the translated plan.
    DataFusion(DataFusionError),
    /// The plan is not what plans are.
    Internal(&'static str),
}

impl Skip {
    /// A defect of the plan or of the translation.
    pub(crate) fn internal(what: &'static str) -> Skip {
        Skip::Internal(what)
    }

    /// Whether it is a failure, not only a plan less.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, Skip::DataFusion(_) | Skip::Internal(_))
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skip::TooLarge => f.write_str("an expression is too large"),
            Skip::OpenOrder => f.write_str("rows depend on an order that the plan leaves open"),
            Skip::Node(name) => write!(f, "{name} is not translated"),
            Skip::Run(error) => write!(f, "DataFusion fails: {error}"),
            Skip::DataFusion(error) => write!(f, "DataFusion refuses the plan: {error}"),
            Skip::Internal(what) => write!(f, "the plan has {what}"),
        }
    }
}

impl From<DataFusionError> for Skip {
    fn from(error: DataFusionError) -> Skip {
        Skip::DataFusion(error)
    }
}
