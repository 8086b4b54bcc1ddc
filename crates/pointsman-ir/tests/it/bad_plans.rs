//! Bad plans: valid ones with something changed at random. Each is refused with an error that names what is wrong, or is a
//! plan that can be written out, optimised and fused; nothing panics, and nothing blames this crate.

use pointsman_ir::body::{ColumnId, Inst, ListId, ParamId, ProbeKind, TableId, ValueId};
use pointsman_ir::expand;
use pointsman_ir::fuse::fuse;
use pointsman_ir::kernel::{Fold, FoldInput, FoldMode, FoldOp};
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::{
    Aggregate, AggregateOp, Composite, EquiJoinKind, Fraction, JoinKind, NodeId, NodeKind, Plan, PlanColumn, PlanError,
    PlanErrorKind,
};
use pointsman_ir::random::Rng;
use pointsman_ir::random::tables::{profile, table_case};
use pointsman_ir::types::{DType, Field, Type};
use pointsman_ir::verify;

const PLANS: u64 = 20_000;

/// Every step that a plan goes through before it runs.
fn compile(plan: &Plan) -> Result<(), PlanError> {
    verify::plan(plan)?;
    let plan = passes::run(expand::run(plan)?, &PassOptions::default(), &mut ())?;
    fuse(&plan).map(|_| ())
}

fn any_type(rng: &mut Rng) -> Type {
    let decimal = DType::Decimal { precision: rng.below(50) as u8, scale: rng.below(50) as u8 };
    let dtypes = [DType::Bool, DType::I8, DType::U64, DType::F32, DType::F64, DType::Dict(3), DType::Opaque, decimal];
    Type { dtype: rng.pick(&dtypes), nullable: rng.chance(50) }
}

/// A number near those that exist.
fn near(rng: &mut Rng, count: usize) -> u32 {
    if rng.chance(5) { rng.bits() as u32 } else { rng.below(count + 3) as u32 }
}

fn inputs(kind: &mut NodeKind) -> Vec<&mut NodeId> {
    match kind {
        NodeKind::Source(_) => Vec::new(),
        NodeKind::Project { input, .. } | NodeKind::Filter { input, .. } | NodeKind::Reduce { input, .. } => {
            vec![input]
        }
        NodeKind::Scan { input, .. } | NodeKind::Sort { input, .. } | NodeKind::TopK { input, .. } => vec![input],
        NodeKind::Group { input, .. } | NodeKind::Window { input, .. } | NodeKind::Limit { input, .. } => vec![input],
        NodeKind::Distinct { input } | NodeKind::Call { input, .. } => vec![input],
        NodeKind::EquiJoin { left, right, .. } => vec![left, right],
        NodeKind::Union { inputs } => inputs.iter_mut().collect(),
        NodeKind::Composite(Composite::Join(join)) => vec![&mut join.left, &mut join.right],
        NodeKind::Composite(Composite::Aggregate(aggregation)) => vec![&mut aggregation.input],
    }
}

fn values(kind: &mut NodeKind) -> Vec<&mut ValueId> {
    fn of_fold(fold: &mut Fold) -> Option<&mut ValueId> {
        if let FoldInput::Value(value) = &mut fold.input { Some(value) } else { None }
    }
    match kind {
        NodeKind::Source(_) | NodeKind::Union { .. } | NodeKind::Limit { .. } | NodeKind::Distinct { .. } => Vec::new(),
        NodeKind::Project { columns, .. } => columns.iter_mut().collect(),
        NodeKind::Filter { predicate, .. } => vec![predicate],
        NodeKind::Call { value, .. } => vec![value],
        NodeKind::Reduce { folds, .. } => folds.iter_mut().filter_map(of_fold).collect(),
        NodeKind::Scan { columns, running, segment, .. } => {
            let folds = running.iter_mut().filter_map(|one| of_fold(&mut one.fold));
            columns.iter_mut().chain(folds).chain(segment).collect()
        }
        NodeKind::Sort { keys, .. } | NodeKind::TopK { keys, .. } => {
            keys.iter_mut().map(|key| &mut key.value).collect()
        }
        NodeKind::Group { keys, folds, .. } => keys.iter_mut().chain(folds.iter_mut().filter_map(of_fold)).collect(),
        NodeKind::EquiJoin { left_keys, right_keys, .. } => left_keys.iter_mut().chain(right_keys).collect(),
        NodeKind::Window { partition, .. } => partition.iter_mut().collect(),
        NodeKind::Composite(Composite::Join(join)) => {
            let keys = join.keys.iter_mut().flat_map(|key| [&mut key.left, &mut key.right]);
            keys.chain(&mut join.residual).collect()
        }
        NodeKind::Composite(Composite::Aggregate(aggregation)) => {
            let aggregates = aggregation.aggregates.iter_mut();
            aggregation
                .keys
                .iter_mut()
                .chain(aggregates.flat_map(|one| one.value.iter_mut().chain(&mut one.filter)))
                .collect()
        }
    }
}

/// Changes what an operation says besides its inputs and values.
fn change_settings(kind: &mut NodeKind, rng: &mut Rng) {
    match kind {
        NodeKind::TopK { count, .. } => *count = u64::MAX,
        NodeKind::Call { table, .. } => *table = Some(ListId(rng.below(3) as u32)),
        NodeKind::Limit { skip, fetch, .. } => (*skip, *fetch) = (u64::MAX, Some(u64::MAX)),
        NodeKind::Reduce { folds, .. } | NodeKind::Group { folds, .. } => {
            let op = rng.pick(&FoldOp::ALL);
            for fold in folds {
                fold.op = op;
                fold.mode = FoldMode::Fast;
            }
        }
        NodeKind::EquiJoin { kind, pairs_max, .. } => (*kind, *pairs_max) = (EquiJoinKind::Semi, Some(0)),
        NodeKind::Composite(Composite::Join(join)) => {
            let kinds = [JoinKind::Cross { pairs_max: 0 }, JoinKind::Full, JoinKind::Mark, JoinKind::Semi];
            join.kind = rng.pick(&kinds);
            if rng.chance(30) {
                join.keys.clear();
            }
        }
        NodeKind::Composite(Composite::Aggregate(aggregation)) => {
            for one in &mut aggregation.aggregates {
                let fractions = [f64::NAN, -0.5, 1.5, f64::INFINITY, 0.5];
                one.op = AggregateOp::Quantile(Fraction::new(rng.pick(&fractions)));
                if rng.chance(20) {
                    one.value = None;
                }
            }
        }
        NodeKind::Source(_) | NodeKind::Project { .. } | NodeKind::Filter { .. } | NodeKind::Scan { .. } => {}
        NodeKind::Sort { .. } | NodeKind::Window { .. } | NodeKind::Union { .. } | NodeKind::Distinct { .. } => {}
    }
}

fn change(plan: &mut Plan, rng: &mut Rng) {
    let (nodes, values_there) = (plan.nodes.len(), plan.body.len());
    let at = rng.below(nodes);
    match rng.below(14) {
        0 | 1 => {
            let new = NodeId(near(rng, nodes));
            let inputs = inputs(&mut plan.nodes[at].kind);
            if let Some(input) = inputs.into_iter().next_back() {
                *input = new;
            }
        }
        2 | 3 => {
            let new = ValueId(near(rng, values_there));
            let values = values(&mut plan.nodes[at].kind);
            let which = rng.below(values.len());
            if let Some(value) = values.into_iter().nth(which) {
                *value = new;
            }
        }
        4 => {
            let ty = any_type(rng);
            let fields = &mut plan.nodes[at].schema.fields;
            let which = rng.below(fields.len());
            match fields.get_mut(which) {
                Some(field) if rng.chance(60) => field.ty = ty,
                Some(_) => {
                    fields.remove(which);
                }
                None => fields.push(Field { name: String::new(), ty }),
            }
        }
        5 => {
            let which = rng.below(plan.columns.len());
            let column = PlanColumn { node: NodeId(near(rng, nodes)), index: near(rng, 6) };
            if let Some(old) = plan.columns.get_mut(which) {
                *old = column;
            }
        }
        6 => {
            let column = PlanColumn { node: NodeId(near(rng, nodes)), index: near(rng, 6) };
            plan.scalars.insert(ParamId(near(rng, plan.params.len())), column);
        }
        7 => {
            plan.params.pop();
        }
        8 => {
            plan.nodes.remove(at);
        }
        9 => {
            let other = rng.below(nodes);
            plan.nodes.swap(at, other);
        }
        10 => {
            let v = ValueId(near(rng, values_there));
            let table = TableId(0);
            let insts = [
                Inst::RowIndex,
                Inst::Gather { table, column: 0, row: v },
                Inst::Probe { table, keys: vec![v], when: None, kind: ProbeKind::Inner },
                Inst::Column(ColumnId(near(rng, plan.columns.len()))),
                Inst::Param(ParamId(near(rng, plan.params.len()))),
                Inst::Lookup { list: ListId(near(rng, plan.lists.len())), index: v },
                Inst::LoopIndex(v),
                Inst::Loop {
                    bound: 3,
                    slots: vec![],
                    init: vec![],
                    end: near(rng, values_there),
                    while_: None,
                    next: vec![],
                },
            ];
            let ty = any_type(rng);
            let inst = rng.pick(&insts);
            let v = plan.body.push(inst, ty);
            plan.push(NodeKind::Project { input: NodeId(nodes as u32 - 1), columns: vec![v] }, &[]);
        }
        11 => {
            plan.lists.pop();
        }
        12 => change_settings(&mut plan.nodes[at].kind, rng),
        _ => {
            let kind = plan.nodes[at].kind.clone();
            plan.push(kind, &[]);
        }
    }
}

#[test]
fn bad_plans_are_refused_by_name() {
    let profile = profile();
    let (mut refused, mut compiled) = (0, 0);
    for seed in 0..PLANS {
        let mut rng = Rng::new(seed);
        let mut plan = table_case(seed, &profile).plan;
        for _ in 0..1 + rng.below(3) {
            if !plan.nodes.is_empty() {
                change(&mut plan, &mut rng);
            }
        }
        match compile(&plan) {
            Ok(()) => compiled += 1,
            Err(error) => {
                refused += 1;
                assert_ne!(error.kind, PlanErrorKind::Internal, "seed {seed}: {error}\n{plan:?}");
                let names = |letter: char| {
                    let words = error.message.split(|c: char| !c.is_alphanumeric());
                    words
                        .into_iter()
                        .any(|word| word.strip_prefix(letter).is_some_and(|rest| rest.parse::<u32>().is_ok()))
                };
                let named = "nvcpl".chars().any(names) || error.message.contains("the plan");
                assert!(named && error.message.contains(": "), "seed {seed}: {error}");
            }
        }
    }
    assert!(refused > PLANS / 3 && compiled > PLANS / 20, "{refused} refused, {compiled} compiled");
}

/// A plan as long as it may be, one longer, and one that becomes too long when its joins are written out.
#[test]
fn plans_of_ten_thousand_nodes_are_refused() {
    let nodes = |count: usize| {
        let mut plan = Plan::default();
        let schema = pointsman_ir::types::Schema::new([("x", DType::I64.required())]);
        let source = plan.source(pointsman_ir::plan::SourceId(0), schema);
        for _ in 1..count {
            plan.push(NodeKind::Distinct { input: source }, &[]);
        }
        compile(&plan)
    };
    nodes(10_000).unwrap();
    let error = nodes(10_001).unwrap_err();
    assert!(error.message.starts_with("the plan has 10001 nodes and expressions"), "{error}");
    let mut plan = Plan::default();
    let schema = pointsman_ir::types::Schema::new([("x", DType::I64.nullable())]);
    let mut node = plan.source(pointsman_ir::plan::SourceId(0), schema);
    for _ in 0..60 {
        let x = plan.column(node, 0);
        let aggregates = vec![Aggregate::of(AggregateOp::Median, x)];
        let keys = vec![x];
        let order = pointsman_ir::plan::RowOrder::Any;
        node = plan.push(pointsman_ir::plan::Aggregation { input: node, keys, aggregates, order }, &[]);
        let x = plan.column(node, 0);
        node = plan.push(NodeKind::Project { input: node, columns: vec![x] }, &[]);
    }
    let error = compile(&plan).unwrap_err();
    assert!(error.message.starts_with("with joins and aggregations written out"), "{error}");
}
