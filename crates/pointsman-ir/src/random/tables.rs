//! Random plans over tables: every operation, several sources, shared nodes, scalar subqueries. In: a seed. Out: a plan
//! and what it runs over. A schedule by seed sees to it that over 5,000 seeds in a row every operation meets keys of
//! every kind of type, with and without nulls; [`TableCoverage`] counts them.
//!
//! Keys come from a pool of values for each type, so that they meet: a few again and again, or each once, or mostly
//! one. A float sum whose bits depend on the plan is only made where nothing computes with it: at the end of a plan.

mod coverage;
mod operators;
mod shrink;

pub use coverage::{TableCoverage, TableOperator};
pub use shrink::smaller;

use super::plans::{PlanCase, Plans, work};
use super::profile::Profile;
use super::rng::Rng;
use super::values::{self, Spread};
use super::{DTypeClass, SideTables};
use crate::body::ValueId;
use crate::data::{ColumnData, TableData};
use crate::plan::{NodeId, NodeKind, SourceId};
use crate::types::{DType, Scalar, Schema, Type};
use coverage::Requirement;
use std::collections::BTreeMap;

/// The operations that a plan must hold.
const REQUIREMENTS: u64 = 3;
/// The most further operations.
const MORE_MAX: usize = 4;
/// A node that may have more rows gets a limit.
const ROWS_MAX: usize = 150;
/// Rows of sources.
const ROWS: [usize; 10] = [0, 1, 2, 5, 5, 9, 9, 16, 16, 30];

/// The parts of table plans.
pub fn profile() -> Profile {
    let mut profile = Profile::everything();
    profile.side_tables = SideTables::None;
    profile.unguarded_percent = 6;
    profile
}

/// The plan case with this seed.
pub fn table_case(seed: u64, profile: &Profile) -> PlanCase {
    let rng = Rng::new(seed ^ 0x7ab1e5);
    let mut tables = Tables { plans: Plans::new(rng, profile, 0), pools: BTreeMap::new(), rows: BTreeMap::new() };
    tables.grow(seed);
    tables.plans.finish(seed)
}

/// A plan under construction.
struct Tables<'a> {
    plans: Plans<'a>,
    /// Values that keys are made of.
    pools: BTreeMap<DType, Vec<Scalar>>,
    /// The maximum number of rows of each node.
    rows: BTreeMap<NodeId, usize>,
}

impl Tables<'_> {
    fn grow(&mut self, seed: u64) {
        let all = Requirement::all();
        let first = seed.wrapping_mul(REQUIREMENTS);
        let requirement = |i: u64| all[(first.wrapping_add(i) % all.len() as u64) as usize];
        let requirements: Vec<Requirement> = (0..REQUIREMENTS).map(requirement).collect();
        let types: Vec<Type> = requirements.iter().map(|one| self.type_of(*one)).collect();
        let mut node = self.source(&types);
        for (requirement, ty) in requirements.iter().zip(types) {
            let column = self.bring(&mut node, ty);
            node = self.required(node, *requirement, column);
            node = self.bounded(node);
        }
        for _ in 0..self.rng().below(MORE_MAX + 1) {
            node = self.another(node);
            node = self.bounded(node);
        }
        self.last(node);
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.plans.exprs.rng
    }

    fn type_of(&mut self, requirement: Requirement) -> Type {
        Type { dtype: self.rng().pick(requirement.class.samples()), nullable: requirement.nullable }
    }

    fn types(&self, node: NodeId) -> Vec<Type> {
        self.plans.plan.node(node).schema.types()
    }

    fn push(&mut self, kind: impl Into<NodeKind>, rows: usize) -> NodeId {
        let node = self.plans.plan.push(kind, &[]);
        self.rows.insert(node, rows);
        node
    }

    fn rows_of(&self, node: NodeId) -> usize {
        self.rows.get(&node).copied().unwrap_or(0)
    }

    /// A source with columns of these types, and some others.
    fn source(&mut self, types: &[Type]) -> NodeId {
        let rows = self.rng().pick(&ROWS);
        let mut types = types.to_vec();
        for _ in 0..1 + self.rng().below(3) {
            let usual = [DTypeClass::I32, DTypeClass::I64, DTypeClass::F64, DTypeClass::F32, DTypeClass::Decimal64];
            let class = if self.rng().chance(60) { self.rng().pick(&usual) } else { self.rng().pick(&DTypeClass::ALL) };
            types.push(Type { dtype: self.rng().pick(class.samples()), nullable: self.rng().chance(45) });
        }
        let columns = types.iter().map(|&ty| self.column(ty, rows)).collect();
        self.plans.sources.push(TableData { columns, rows });
        let number = self.plans.sources.len() as u32 - 1;
        let fields = types.into_iter().enumerate().map(|(i, ty)| (format!("s{i}"), ty));
        let node = self.plans.plan.source(SourceId(number), Schema::new(fields));
        self.rows.insert(node, rows);
        node
    }

    /// A column of values from the type's pool, or of any values.
    fn column(&mut self, ty: Type, rows: usize) -> ColumnData {
        let rng = &mut self.plans.exprs.rng;
        if ty.dtype == DType::Opaque || rng.chance(15) {
            return values::column(rng, ty, rows);
        }
        let pool = self.pools.entry(ty.dtype).or_insert_with(|| {
            let spread = rng.pick(&[Spread::Edges, Spread::Repeated, Spread::Repeated, Spread::Small]);
            (0..7).map(|_| values::scalar(rng, ty.dtype, spread)).collect()
        });
        let first = rng.below(pool.len());
        let style = rng.below(3);
        let nulls = if ty.nullable { rng.pick(&[0, 10, 30, 30, 90]) } else { 0 };
        let value = |row: usize| {
            if rng.chance(nulls) {
                return None;
            }
            Some(match style {
                // Most are one value; each once, as long as there are enough; any.
                0 if rng.chance(70) => pool[first],
                1 if row < pool.len() => pool[(first + row) % pool.len()],
                _ => rng.pick(pool),
            })
        };
        ColumnData::from_scalars(ty, (0..rows).map(value))
    }

    /// A column of this type in the node; if it has none, the node is joined with a source that has.
    fn bring(&mut self, node: &mut NodeId, ty: Type) -> u32 {
        let position = |types: &[Type]| types.iter().position(|found| *found == ty).map(|index| index as u32);
        if let Some(index) = position(&self.types(*node)) {
            return index;
        }
        let comparable: Vec<u32> = self.columns_where(*node, |ty| ty.dtype != DType::Opaque);
        if comparable.is_empty() {
            *node = self.source(&[ty]);
            return 0;
        }
        let key = self.rng().pick(&comparable);
        let key_type = self.types(*node)[key as usize];
        let right = self.source(&[ty, key_type]);
        let width = self.types(*node).len() as u32;
        *node = self.simple_join(*node, key, right, 1);
        *node = self.bounded(*node);
        width
    }

    fn columns_where(&self, node: NodeId, likes: impl Fn(Type) -> bool) -> Vec<u32> {
        let types = self.types(node);
        (0..types.len() as u32).filter(|&index| likes(types[index as usize])).collect()
    }

    /// The node, or its first rows if there may be many.
    fn bounded(&mut self, node: NodeId) -> NodeId {
        if self.rows_of(node) <= ROWS_MAX {
            return node;
        }
        let (skip, fetch) = (self.rng().pick(&[0, 0, 1, 7]), 40 + self.rng().below(60));
        self.push(NodeKind::Limit { input: node, skip, fetch: Some(fetch as u64) }, fetch)
    }

    /// All columns, and some computed ones.
    fn project(&mut self, input: NodeId) -> NodeId {
        let mut columns: Vec<ValueId> = self.all(input);
        let computed = self.plans.over(input, |exprs| {
            work(exprs, 4);
            exprs.unused()
        });
        columns.extend(computed.into_iter().filter(|v| !columns.contains(v)).take(2).collect::<Vec<_>>());
        let rows = self.rows_of(input);
        self.push(NodeKind::Project { input, columns }, rows)
    }

    fn filter(&mut self, input: NodeId) -> NodeId {
        let node = self.plans.filter(input);
        let rows = self.rows_of(input);
        self.rows.insert(node, rows);
        node
    }

    fn all(&mut self, node: NodeId) -> Vec<ValueId> {
        (0..self.types(node).len() as u32).map(|index| self.plans.plan.column(node, index)).collect()
    }
}
