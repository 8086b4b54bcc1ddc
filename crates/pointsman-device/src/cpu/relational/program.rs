//! A relational kernel as programs: in goes a verified kernel, out come the programs of its parts and what its sink does.

use super::accumulators::{FoldPlan, FoldSource};
use super::keys::KeyLayout;
use crate::cpu::compile;
use crate::cpu::isa::Level;
use crate::cpu::program::Program;
use crate::{DeviceError, DeviceResult};
use pointsman_ir::body::{Body, Inst, ProbeKind, ValueId};
use pointsman_ir::kernel::{Fold, FoldInput, GroupOrder, Kernel, PartialSchema, PartitionBy, Sink, SortKey};
use pointsman_ir::split::{SplitColumn, SplitError, SplitStep, split};
use pointsman_ir::types::Type;
use std::sync::Arc;

/// A loaded relational kernel.
pub(in crate::cpu) struct RelationalProgram {
    /// The kernel.
    pub(in crate::cpu) kernel: Arc<Kernel>,
    /// The types of the finished result.
    pub(super) output: Vec<Type>,
    /// The types of a partial result.
    pub(super) partial: PartialSchema,
    /// Its probes.
    pub(super) steps: Vec<StepProgram>,
    /// The program behind the last probe. Its first column is the row's position, except for a streaming sink.
    pub(super) last: PartProgram,
    /// What happens to what the last program yields.
    pub(super) sink: RelationalSink,
    /// How it runs, for people.
    pub(in crate::cpu) description: String,
}

/// The program of a part.
pub(super) struct PartProgram {
    /// The program.
    pub(super) program: Program,
    /// Where its columns come from.
    pub(super) columns: Vec<SplitColumn>,
}

/// A probe.
pub(super) struct StepProgram {
    /// Gives the position and the keys of each row that searches.
    pub(super) part: PartProgram,
    /// The table that is searched.
    pub(super) table: usize,
    /// What the probe yields.
    pub(super) kind: ProbeKind,
    /// How its keys lie in words.
    pub(super) keys: KeyLayout,
}

/// What happens to the rows behind the last probe. Columns are numbered among those of the last program.
pub(super) enum RelationalSink {
    /// The last program writes the result.
    Streaming,
    /// The rows are appended to the output.
    Append,
    /// The rows are folded without an order.
    Reduce { folds: Vec<FoldPlan> },
    /// The rows are grouped.
    Group { keys: KeyLayout, folds: Vec<FoldPlan>, least: Option<usize> },
    /// The rows are sorted.
    Sort { keys: Vec<(SortKey, usize)>, limit: Option<usize> },
    /// The rows are split into partitions.
    Partition { by: PartitionKeys, bits: u8, columns: usize },
}

/// How a row is placed. The columns of a partition come first, then its keys.
pub(super) enum PartitionKeys {
    /// By the hash of the keys.
    Hash(KeyLayout),
    /// By bounds in a captured table.
    Range { list: usize },
}

/// Whether this device runs a kernel as a relational one.
pub(in crate::cpu) fn is_relational(kernel: &Kernel) -> bool {
    let probes = kernel.body.iter().any(|(_, inst, _)| matches!(inst, Inst::Probe { .. }));
    let is_call = matches!(kernel.sink, Sink::Call { .. });
    probes || kernel.sink.streaming().is_none() && !is_call
}

/// Checks that a kernel can be split.
pub(in crate::cpu) fn check(kernel: &Kernel) -> DeviceResult<()> {
    if let Sink::Call { call, .. } = &kernel.sink {
        return Err(DeviceError::unsupported(format!("{call} behind a probe")));
    }
    split(kernel).map(drop).map_err(unsplit)
}

fn unsplit(error: SplitError) -> DeviceError {
    DeviceError::unsupported(error.message)
}

impl RelationalProgram {
    /// Compiles a verified kernel.
    pub(in crate::cpu) fn new(kernel: Arc<Kernel>, level: Level, jit: bool) -> DeviceResult<RelationalProgram> {
        let parts = split(&kernel).map_err(unsplit)?;
        let step = |step: SplitStep| {
            let side = &kernel.tables[step.table.index()];
            let nullable = step.kernel.output()[1..].to_vec();
            let types: Vec<Type> =
                side.keys.iter().zip(nullable).map(|(&dtype, ty)| Type { dtype, nullable: ty.nullable }).collect();
            Ok(StepProgram {
                part: part(step.kernel, step.columns, level, jit)?,
                table: step.table.index(),
                kind: step.kind,
                keys: KeyLayout::new(&types),
            })
        };
        let multiplies = kernel.body.multiplies_rows();
        let (fed, sink) = fed(parts.last, multiplies)?;
        let steps = parts.steps.into_iter().map(step).collect::<DeviceResult<Vec<StepProgram>>>()?;
        let last = part(fed, parts.last_columns, level, jit)?;
        let description = describe(&kernel, &steps, &last);
        let (output, partial) = (kernel.output(), kernel.partial());
        Ok(RelationalProgram { output, partial, steps, last, sink, description, kernel })
    }
}

fn describe(kernel: &Kernel, steps: &[StepProgram], last: &PartProgram) -> String {
    let parts = steps.iter().map(|step| &step.part).chain([last]);
    let parts: Vec<&str> = parts.map(|part| &part.program.description[..]).collect();
    let probes = match steps.len() {
        0 => String::new(),
        1 => "a probe, ".to_string(),
        count => format!("{count} probes, "),
    };
    format!("{probes}{} behind {}", kernel.sink.name(), parts.join(", then "))
}

fn part(kernel: Kernel, columns: Vec<SplitColumn>, level: Level, jit: bool) -> DeviceResult<PartProgram> {
    debug_assert_eq!(pointsman_ir::verify::kernel(&kernel), Ok(()), "parts are verified kernels:\n{}", kernel.print());
    Ok(PartProgram { program: compile::compile(Arc::new(kernel), level, jit)?, columns })
}

/// The kernel that yields what a sink takes, with the row's position first, and what the sink does with it.
fn fed(mut last: Kernel, multiplies: bool) -> DeviceResult<(Kernel, RelationalSink)> {
    let mut feed = SinkColumns { body: last.body.clone(), columns: Vec::new() };
    let sink = match last.sink.clone() {
        Sink::Store { .. } | Sink::Scan { .. } => return Ok((last, RelationalSink::Streaming)),
        Sink::Compact { .. } if !multiplies => return Ok((last, RelationalSink::Streaming)),
        Sink::Reduce { .. } if !multiplies => return Ok((last, RelationalSink::Streaming)),
        Sink::Build { .. } => {
            let ill = |error| compile::internal(format!("a key cannot be built: {error:?}"));
            return Ok((last.compacted().map_err(ill)?, RelationalSink::Streaming));
        }
        // `supports` refuses calls behind probes.
        Sink::Call { call, .. } => return Err(DeviceError::unsupported(format!("{call} behind a probe"))),
        Sink::Compact { columns } => {
            feed.position();
            feed.columns.extend(columns);
            RelationalSink::Append
        }
        Sink::Reduce { folds } => {
            feed.position();
            RelationalSink::Reduce { folds: feed.folds(&last, &folds) }
        }
        Sink::Group { keys, folds, order } => {
            feed.position();
            feed.columns.extend(&keys);
            let types = last.body.types_of(&keys);
            let folds = feed.folds(&last, &folds);
            let least = match order {
                GroupOrder::Least(value) => Some(feed.column(value)),
                GroupOrder::Hash => None,
            };
            RelationalSink::Group { keys: KeyLayout::new(&types), folds, least }
        }
        Sink::Sort { keys, columns, limit } => {
            feed.columns.extend(columns);
            let place = |key: &SortKey| {
                let known = feed.columns.iter().position(|v| *v == key.value);
                (*key, known.unwrap_or_else(|| feed.column(key.value)))
            };
            let keys = keys.iter().map(place).collect();
            RelationalSink::Sort { keys, limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)) }
        }
        Sink::Partition { by, bits, columns } => {
            let count = columns.len();
            feed.columns.extend(columns);
            let by = match by {
                PartitionBy::Hash(keys) => {
                    feed.columns.extend(&keys);
                    PartitionKeys::Hash(KeyLayout::new(&last.body.types_of(&keys)))
                }
                PartitionBy::Range { key, bounds } => {
                    feed.columns.push(key);
                    PartitionKeys::Range { list: bounds.index() }
                }
            };
            RelationalSink::Partition { by, bits, columns: count }
        }
    };
    last.body = feed.body;
    last.sink = Sink::Compact { columns: feed.columns };
    Ok((last, sink))
}

/// The columns that a sink takes, under way.
struct SinkColumns {
    body: Body,
    columns: Vec<ValueId>,
}

impl SinkColumns {
    fn position(&mut self) {
        let position = self.body.row_index();
        self.columns.push(position);
    }

    fn column(&mut self, value: ValueId) -> usize {
        self.columns.push(value);
        self.columns.len() - 1
    }

    fn folds(&mut self, kernel: &Kernel, folds: &[Fold]) -> Vec<FoldPlan> {
        let mut plans = Vec::with_capacity(folds.len());
        for fold in folds {
            let source = match fold.input {
                FoldInput::Rows => FoldSource::Rows,
                FoldInput::Value(value) => FoldSource::Value(self.column(value)),
                FoldInput::State { first, .. } => {
                    let start = self.columns.len();
                    for number in 0..fold.order_free_accumulator(&kernel.body).len() {
                        let column = pointsman_ir::body::ColumnId(first.0 + number as u32);
                        let value = self.body.column(column, kernel.columns[column.index()]);
                        self.columns.push(value);
                    }
                    FoldSource::State(start)
                }
            };
            plans.push(FoldPlan::new(*fold, &kernel.body, source));
        }
        plans
    }
}
