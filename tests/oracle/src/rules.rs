//! Known disagreements: in go what differs and what was noticed of the plan, out comes the rule that covers it, or none.
//! A rule is looked for only where the answers differ; what no rule covers is a failure.

use crate::compare::{Difference, Rounding};
use crate::notes::Notes;
use pointsman_ir::interpret::{FaultKind, PlanFault};

/// A known disagreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// Sums of decimals beyond 38 digits.
    DecimalSumOverflow,
    /// Float sums whose magnitudes are beyond the type.
    FloatSumOverflow,
    /// Arithmetic on float sums.
    RoundedArithmetic,
    /// Decisions by float sums.
    RoundedDecides,
    /// Rows chosen by an order that the plan leaves open.
    OpenOrder,
    /// Cross joins beyond their limit.
    PairLimit,
    /// Faults in the input of a join whose other input is empty.
    FaultNotReached,
}

impl Rule {
    /// Every rule.
    pub(crate) const ALL: [Rule; 7] = [
        Rule::DecimalSumOverflow,
        Rule::FloatSumOverflow,
        Rule::RoundedArithmetic,
        Rule::RoundedDecides,
        Rule::OpenOrder,
        Rule::PairLimit,
        Rule::FaultNotReached,
    ];

    /// What the engines disagree about.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Rule::DecimalSumOverflow => "a decimal sum beyond 38 digits faults here and wraps or widens there",
            Rule::FloatSumOverflow => {
                "a float sum, mean or quantile of infinities, or whose magnitudes overflow: overflow depends on the order"
            }
            Rule::RoundedArithmetic => "arithmetic on a float sum may cancel, so that no bound holds",
            Rule::RoundedDecides => "a filter, key, order or branch depends on a float sum's last bits",
            Rule::PairLimit => "a cross join of more pairs than it may have is an error here",
            Rule::FaultNotReached => {
                "a join there does not read one input if the other is empty, so a fault in it is not met"
            }
            Rule::OpenOrder => "a limit, scan or tie goes by an order that the plan leaves open",
        }
    }

    /// The rule that covers a difference.
    pub(crate) fn of_difference(difference: &Difference, notes: &Notes) -> Option<Rule> {
        if notes.rounded_decides {
            return Some(Rule::RoundedDecides);
        }
        if notes.open_order && !matches!(difference, Difference::ColumnCount) {
            return Some(Rule::OpenOrder);
        }
        match difference {
            Difference::Row { rounding: Rounding::RoundedDiffers, .. } => Some(Rule::RoundedArithmetic),
            Difference::Row { rounding: Rounding::SumOverflows, .. } => Some(Rule::FloatSumOverflow),
            Difference::Row { rounding: Rounding::ExactDiffers, .. } => None,
            Difference::RowCount | Difference::ColumnCount => None,
        }
    }

    /// The rule that covers a fault of ours where DataFusion has none.
    pub(crate) fn of_fault(fault: &PlanFault, notes: &Notes) -> Option<Rule> {
        let decimal_sum = match fault {
            PlanFault::PairLimit { .. } => return Some(Rule::PairLimit),
            PlanFault::ScalarRows { .. } | PlanFault::Call(_) => false,
            PlanFault::Row(fault) => fault.kind == FaultKind::SumOutOfRange && fault.message.contains("decimal"),
        };
        if decimal_sum {
            return Some(Rule::DecimalSumOverflow);
        }
        if notes.rounded_decides {
            return Some(Rule::RoundedDecides);
        }
        notes.open_order.then_some(Rule::OpenOrder)
    }
}
