//! The expression language: one row's values in static single assignment, flat in an arena, loops as nested ranges.
//!
//! A [`Body`] is a list of instructions; [`ValueId`] `v` names the value that instruction `v` defines. Operands come
//! before their users, except that a loop instruction refers to the values that end an iteration, which are inside the
//! loop.
//!
//! **Loops.** A [`Inst::Loop`] at `v` owns the instructions `v + 1 .. end`: its region. Inside, [`Inst::LoopIndex`] is
//! the number of the iteration and [`Inst::LoopCarried`] the state; `while_` (if any) is evaluated before every
//! iteration, `next` is the state after it; at most `bound` iterations run. Outside, [`Inst::LoopResult`] reads the
//! final state. A value of a region is used only in that region or one nested in it. The loop itself has no value; its
//! type is a plain bool.
//!
//! **Meaning is lazy.** A value is computed only where it is needed: outputs are needed in selected rows, operands as
//! [`Op::need`] says, and a needed loop needs all of its state and every outer value that its region uses. So an error
//! (a division by zero, a cast out of range) is raised only in rows whose result depends on it.
//!
//! Plans and kernels share this language. In a plan a [`ColumnId`] is a position in `Plan::columns`; in a kernel it is
//! an input column.

use crate::op::{Op, TypeError};
use crate::types::{DType, Scalar, Type};
use std::fmt;

/// The maximum number of iterations a loop may be bounded by.
pub const LOOP_BOUND_MAX: u32 = 1 << 24;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident $letter:literal;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as a position.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A value of a body: the instruction that defines it.
    ValueId "v";
    /// An input column.
    ColumnId "c";
    /// A scalar that is handed in at run time.
    ParamId "p";
    /// A small captured table, passed at run time and read by [`Inst::Lookup`].
    ListId "l";
    /// Another table, handed in at run time, read by [`Inst::Gather`] and searched by [`Inst::Probe`].
    TableId "t";
}

/// The kinds of probe, by their result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProbeKind {
    /// The number of each matching row; the rest of the body runs once per match, and not at all without one.
    Inner,
    /// As [`ProbeKind::Inner`], but a row without a match is kept once, with a null row number.
    Left,
    /// The number of the matching row of a table whose keys are unique: [`ProbeKind::Inner`] that keeps each row's
    /// place.
    UniqueInner,
    /// As [`ProbeKind::Left`], for a table whose keys are unique.
    UniqueLeft,
    /// Whether there is a match; never multiplies rows.
    Exists,
}

impl ProbeKind {
    /// Every kind.
    pub const ALL: [ProbeKind; 5] =
        [ProbeKind::Inner, ProbeKind::Left, ProbeKind::UniqueInner, ProbeKind::UniqueLeft, ProbeKind::Exists];

    /// The name that `print` writes and `parse` reads.
    pub const fn name(self) -> &'static str {
        match self {
            ProbeKind::Inner => "inner",
            ProbeKind::Left => "left",
            ProbeKind::UniqueInner => "unique_inner",
            ProbeKind::UniqueLeft => "unique_left",
            ProbeKind::Exists => "exists",
        }
    }

    /// The type of what it yields.
    pub const fn output(self) -> Type {
        match self {
            ProbeKind::Inner | ProbeKind::UniqueInner => DType::U64.required(),
            ProbeKind::Left | ProbeKind::UniqueLeft => DType::U64.nullable(),
            ProbeKind::Exists => DType::Bool.required(),
        }
    }

    /// Whether one row can become several.
    pub const fn multiplies(self) -> bool {
        match self {
            ProbeKind::Inner | ProbeKind::Left => true,
            ProbeKind::UniqueInner | ProbeKind::UniqueLeft | ProbeKind::Exists => false,
        }
    }

    /// Whether it yields a row of the table, and drops rows (those whose `when` is not true, or without a match).
    pub const fn finds_rows(self) -> bool {
        match self {
            ProbeKind::Inner | ProbeKind::Left | ProbeKind::UniqueInner | ProbeKind::UniqueLeft => true,
            ProbeKind::Exists => false,
        }
    }

    /// Whether a row without a match goes on.
    pub const fn keeps_unmatched(self) -> bool {
        match self {
            ProbeKind::Left | ProbeKind::UniqueLeft | ProbeKind::Exists => true,
            ProbeKind::Inner | ProbeKind::UniqueInner => false,
        }
    }

    /// This kind of probe, for a table whose keys are unique or repeated.
    pub const fn for_keys(self, keys: KeyUniqueness) -> ProbeKind {
        match (self, keys) {
            (ProbeKind::Inner | ProbeKind::UniqueInner, KeyUniqueness::Unique) => ProbeKind::UniqueInner,
            (ProbeKind::Inner | ProbeKind::UniqueInner, KeyUniqueness::Repeated) => ProbeKind::Inner,
            (ProbeKind::Left | ProbeKind::UniqueLeft, KeyUniqueness::Unique) => ProbeKind::UniqueLeft,
            (ProbeKind::Left | ProbeKind::UniqueLeft, KeyUniqueness::Repeated) => ProbeKind::Left,
            (ProbeKind::Exists, KeyUniqueness::Unique | KeyUniqueness::Repeated) => ProbeKind::Exists,
        }
    }
}

/// Whether two rows of a built table may have the same keys; known once the table is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyUniqueness {
    /// No two rows have the same keys.
    Unique,
    /// Some rows have the same keys.
    Repeated,
}

/// One instruction, which defines a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// The row's value in a column.
    Column(ColumnId),
    /// A scalar handed in at run time: changing it never recompiles.
    Param(ParamId),
    /// A value baked into the kernel; `None` is null.
    Const(Option<Scalar>),
    /// The number of the row in its source, counting from 0, as `u64`.
    RowIndex,
    /// An operation; the result's type is the value's.
    Call {
        /// Which one.
        op: Op,
        /// Its operands.
        args: Vec<ValueId>,
    },
    /// An element of a captured table; an index outside it faults. The index is a `u32` or `u64`.
    Lookup {
        /// The captured table.
        list: ListId,
        /// The position.
        index: ValueId,
    },
    /// A value of another table's column by row number (`u64`); null for a null row; a row outside the table faults.
    Gather {
        /// The other table.
        table: TableId,
        /// Which of its columns.
        column: u32,
        /// The row.
        row: ValueId,
    },
    /// For each row of a built table whose keys equal these: its row number (`u64`). A null key matches nothing. The
    /// index of a built table may hold row numbers of another table; columns are then gathered from that one. Only at
    /// the top level of a kernel's body, never in a loop.
    Probe {
        /// The built table.
        table: TableId,
        /// The keys to search for, one value for each key of the table.
        keys: Vec<ValueId>,
        /// Rows where this is not true are dropped before the search; `Exists` drops none and is false there.
        when: Option<ValueId>,
        /// The kind of the probe.
        kind: ProbeKind,
    },
    /// A bounded loop over a tuple of state.
    Loop {
        /// The maximum number of iterations, 1 to [`LOOP_BOUND_MAX`].
        bound: u32,
        /// The type of each slot of the state: the initial value's, nullable where `init` or `next` is.
        slots: Vec<Type>,
        /// The state before the first iteration.
        init: Vec<ValueId>,
        /// One past the last instruction of the region.
        end: u32,
        /// Evaluated before every iteration: the loop continues while this is true (null ends it).
        while_: Option<ValueId>,
        /// The state after an iteration, in the region or outside it.
        next: Vec<ValueId>,
    },
    /// The number of the iteration of the loop, from 0, as `u32`.
    LoopIndex(ValueId),
    /// One slot of the loop's state at the start of the iteration.
    LoopCarried {
        /// The loop.
        of: ValueId,
        /// Which slot.
        slot: u32,
    },
    /// One slot of the loop's final state.
    LoopResult {
        /// The loop.
        of: ValueId,
        /// Which slot.
        slot: u32,
    },
}

impl Inst {
    /// The values it uses, in order. A loop uses `init`, then `while_`, then `next`.
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => Vec::new(),
            Inst::Call { args, .. } => args.clone(),
            Inst::Lookup { index, .. } => vec![*index],
            Inst::Gather { row, .. } => vec![*row],
            Inst::Probe { keys, when, .. } => keys.iter().chain(when).copied().collect(),
            Inst::Loop { init, while_, next, .. } => init.iter().chain(while_).chain(next).copied().collect(),
            Inst::LoopIndex(of) | Inst::LoopCarried { of, .. } | Inst::LoopResult { of, .. } => vec![*of],
        }
    }

    /// This instruction with every operand replaced. The `end` of a loop's region is unchanged.
    pub fn map_operands(&self, mut f: impl FnMut(ValueId) -> ValueId) -> Inst {
        match self {
            Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => self.clone(),
            Inst::Call { op, args } => Inst::Call { op: *op, args: args.iter().map(|&v| f(v)).collect() },
            Inst::Lookup { list, index } => Inst::Lookup { list: *list, index: f(*index) },
            Inst::Gather { table, column, row } => Inst::Gather { table: *table, column: *column, row: f(*row) },
            Inst::Probe { table, keys, when, kind } => Inst::Probe {
                table: *table,
                keys: keys.iter().map(|&v| f(v)).collect(),
                when: when.map(&mut f),
                kind: *kind,
            },
            Inst::Loop { bound, slots, init, end, while_, next } => Inst::Loop {
                bound: *bound,
                slots: slots.clone(),
                init: init.iter().map(|&v| f(v)).collect(),
                end: *end,
                while_: while_.map(&mut f),
                next: next.iter().map(|&v| f(v)).collect(),
            },
            Inst::LoopIndex(of) => Inst::LoopIndex(f(*of)),
            Inst::LoopCarried { of, slot } => Inst::LoopCarried { of: f(*of), slot: *slot },
            Inst::LoopResult { of, slot } => Inst::LoopResult { of: f(*of), slot: *slot },
        }
    }
}

/// A list of instructions with their types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Body {
    insts: Vec<Inst>,
    types: Vec<Type>,
}

impl Body {
    /// An empty body.
    pub fn new() -> Body {
        Body::default()
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.insts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// The instruction that defines a value.
    pub fn inst(&self, v: ValueId) -> &Inst {
        &self.insts[v.index()]
    }

    /// The type of a value.
    pub fn ty(&self, v: ValueId) -> Type {
        self.types[v.index()]
    }

    /// Whether the id names a value of this body.
    pub fn contains(&self, v: ValueId) -> bool {
        v.index() < self.insts.len()
    }

    /// Every value with its instruction and type, in order, the insides of loops included.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ValueId, &Inst, Type)> + '_ {
        (self.insts.iter().zip(&self.types).enumerate()).map(|(i, (inst, ty))| (ValueId(i as u32), inst, *ty))
    }

    /// Appends an instruction whose type the caller knows (a column's, a parameter's, a constant's, a gathered
    /// column's). Nothing is checked here: `verify` checks the whole.
    pub fn push(&mut self, inst: Inst, ty: Type) -> ValueId {
        self.insts.push(inst);
        self.types.push(ty);
        ValueId(self.insts.len() as u32 - 1)
    }

    /// Appends a column's value.
    pub fn column(&mut self, column: ColumnId, ty: Type) -> ValueId {
        self.push(Inst::Column(column), ty)
    }

    /// Appends a run-time scalar.
    pub fn param(&mut self, param: ParamId, ty: Type) -> ValueId {
        self.push(Inst::Param(param), ty)
    }

    /// Appends a baked value.
    pub fn constant(&mut self, value: Scalar, dtype: DType) -> ValueId {
        self.push(Inst::Const(Some(value)), dtype.required())
    }

    /// Appends a baked null.
    pub fn null(&mut self, dtype: DType) -> ValueId {
        self.push(Inst::Const(None), dtype.nullable())
    }

    /// Appends the row's number.
    pub fn row_index(&mut self) -> ValueId {
        self.push(Inst::RowIndex, DType::U64.required())
    }

    /// Appends an operation, its type by the operation's rule.
    pub fn call(&mut self, op: Op, args: &[ValueId]) -> Result<ValueId, TypeError> {
        let ty = op.result_type(&self.types_of(args), None)?;
        Ok(self.push(Inst::Call { op, args: args.to_vec() }, ty))
    }

    /// Appends a conversion (`Op::Cast`, `Op::CastSaturating` or `Op::Reinterpret`).
    pub fn cast(&mut self, op: Op, arg: ValueId, to: DType) -> Result<ValueId, TypeError> {
        let ty = op.result_type(&[self.ty(arg)], Some(to))?;
        Ok(self.push(Inst::Call { op, args: vec![arg] }, ty))
    }

    /// Appends a look-up into a captured table of this element type.
    pub fn lookup(&mut self, list: ListId, element: DType, index: ValueId) -> ValueId {
        let ty = Type { dtype: element, nullable: self.ty(index).nullable };
        self.push(Inst::Lookup { list, index }, ty)
    }

    /// Appends a read of another table's column of this type.
    pub fn gather(&mut self, table: TableId, column: u32, of: Type, row: ValueId) -> ValueId {
        let ty = Type { dtype: of.dtype, nullable: of.nullable || self.ty(row).nullable };
        self.push(Inst::Gather { table, column, row }, ty)
    }

    /// Appends a search in a built table.
    pub fn probe(&mut self, table: TableId, keys: &[ValueId], when: Option<ValueId>, kind: ProbeKind) -> ValueId {
        self.push(Inst::Probe { table, keys: keys.to_vec(), when, kind }, kind.output())
    }

    /// Opens a loop: what is appended until [`Body::close_loop`] is its region.
    pub fn open_loop(&mut self, bound: u32, init: &[ValueId]) -> ValueId {
        let slots = self.types_of(init);
        let open = Inst::Loop { bound, slots, init: init.to_vec(), end: 0, while_: None, next: Vec::new() };
        self.push(open, DType::Bool.required())
    }

    /// Appends the iteration's number.
    pub fn loop_index(&mut self, of: ValueId) -> ValueId {
        self.push(Inst::LoopIndex(of), DType::U32.required())
    }

    /// The types of a loop's state; empty for anything but a loop.
    pub fn loop_slots(&self, of: ValueId) -> &[Type] {
        match self.insts.get(of.index()) {
            Some(Inst::Loop { slots, .. }) => slots,
            _ => &[],
        }
    }

    /// Appends a slot of the state at the start of an iteration.
    pub fn loop_carried(&mut self, of: ValueId, slot: u32) -> ValueId {
        let ty = self.loop_slots(of)[slot as usize];
        self.push(Inst::LoopCarried { of, slot }, ty)
    }

    /// Closes the loop: its region ends here. A slot that was opened without nulls becomes nullable where an iteration
    /// may yield one, and the types inside the region follow.
    pub fn close_loop(&mut self, of: ValueId, condition: Option<ValueId>, state: &[ValueId]) -> Result<(), TypeError> {
        let here = self.insts.len() as u32;
        if let Inst::Loop { end, while_, next, .. } = &mut self.insts[of.index()] {
            *end = here;
            *while_ = condition;
            *next = state.to_vec();
        }
        let mut changed = self.widen_slots(of, state);
        while changed {
            // A loop inside comes before the values that widen its own slots: go round until nothing changes.
            changed = self.retype(of.0 + 1..here)?;
            changed |= self.widen_slots(of, state);
        }
        Ok(())
    }

    /// Makes slots nullable whose next value is; returns whether any changed.
    fn widen_slots(&mut self, of: ValueId, state: &[ValueId]) -> bool {
        let next = self.types_of(state);
        let mut changed = false;
        if let Inst::Loop { slots, .. } = &mut self.insts[of.index()] {
            for (slot, next) in slots.iter_mut().zip(next) {
                changed |= next.nullable && !slot.nullable;
                slot.nullable |= next.nullable;
            }
        }
        changed
    }

    /// Derives the types of a range again after the types of values before it became nullable; returns whether any
    /// changed.
    fn retype(&mut self, range: std::ops::Range<u32>) -> Result<bool, TypeError> {
        let mut changed = false;
        for i in range {
            let v = ValueId(i);
            let old = self.ty(v);
            let ty = match self.inst(v) {
                Inst::Call { op, args } => op.result_type(&self.types_of(args), op.is_cast().then_some(old.dtype))?,
                Inst::Lookup { index, .. } => Type { nullable: self.ty(*index).nullable, ..old },
                Inst::Gather { row, .. } => Type { nullable: old.nullable || self.ty(*row).nullable, ..old },
                Inst::LoopCarried { of, slot } | Inst::LoopResult { of, slot } => self.loop_slots(*of)[*slot as usize],
                Inst::Loop { init, next, .. } => {
                    let (init, next) = (init.clone(), next.clone());
                    changed |= self.widen_slots(v, &init);
                    changed |= self.widen_slots(v, &next);
                    old
                }
                Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => old,
                Inst::Probe { .. } | Inst::LoopIndex(_) => old,
            };
            changed |= ty != old;
            self.types[i as usize] = ty;
        }
        Ok(changed)
    }

    /// Appends a slot of the final state.
    pub fn loop_result(&mut self, of: ValueId, slot: u32) -> ValueId {
        let ty = self.loop_slots(of)[slot as usize];
        self.push(Inst::LoopResult { of, slot }, ty)
    }

    /// The types of several values.
    pub fn types_of(&self, values: &[ValueId]) -> Vec<Type> {
        values.iter().map(|&v| self.ty(v)).collect()
    }

    /// Whether instruction `v` can fault.
    pub fn can_fault(&self, v: ValueId) -> bool {
        match self.inst(v) {
            Inst::Call { op, args } => op.can_fault(&self.types_of(args), self.ty(v)),
            Inst::Lookup { .. } | Inst::Gather { .. } => true,
            Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Probe { .. } => false,
            Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => false,
        }
    }

    /// Whether a probe can turn one row into several: then the rows that reach the sink have no places in the source.
    pub fn multiplies_rows(&self) -> bool {
        self.insts.iter().any(|inst| matches!(inst, Inst::Probe { kind, .. } if kind.multiplies()))
    }

    /// Whether a probe can drop a row before it reaches the mask.
    pub fn drops_rows(&self) -> bool {
        let drops = |inst: &Inst| {
            matches!(inst, Inst::Probe { kind, when, .. }
                if kind.finds_rows() && (when.is_some() || !kind.keeps_unmatched()))
        };
        self.insts.iter().any(drops)
    }

    /// This body for tables whose keys are unique or repeated, as `keys` returns for each table.
    pub fn for_keys(&self, keys: impl Fn(TableId) -> KeyUniqueness) -> Body {
        let mut body = self.clone();
        for inst in &mut body.insts {
            if let Inst::Probe { table, kind, .. } = inst {
                *kind = kind.for_keys(keys(*table));
            }
        }
        body
    }

    /// For every value the loop whose region it lies in, innermost first; `None` at the top level.
    pub fn enclosing_loops(&self) -> Vec<Option<ValueId>> {
        let mut open: Vec<(ValueId, u32)> = Vec::new();
        let mut enclosing = Vec::with_capacity(self.insts.len());
        for (v, inst, _) in self.iter() {
            while open.last().is_some_and(|&(_, end)| end <= v.0) {
                open.pop();
            }
            enclosing.push(open.last().map(|&(of, _)| of));
            if let Inst::Loop { end, .. } = inst {
                open.push((v, *end));
            }
        }
        enclosing
    }
}
