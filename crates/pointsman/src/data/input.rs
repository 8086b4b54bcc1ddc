//! The columns that a query reads, borrowed from the caller or owned by the query, and the small tables that its
//! expressions look into.

use crate::data::arrow::{ArrowElement, boolean_chunk, primitive_chunk};
use crate::data::column::{Column, chunk_of};
use crate::data::element::Element;
use crate::data::identity::ColumnIdentity;
use crate::data::memory::InlineVec;
use arrow_array::{BooleanArray, PrimitiveArray};
use pointsman_device::host::HostChunk;
use pointsman_ir::types::DType;
use std::sync::Arc;

/// Owned values of any type.
pub(crate) trait OwnedValues: Send + Sync {
    /// The values as a device reads them.
    fn chunk(&self) -> HostChunk<'_>;

    /// The identity by which devices recognise the values; `None` if no other query can refer to them.
    fn identity(&self) -> Option<&ColumnIdentity> {
        None
    }
}

impl<T: Element> OwnedValues for Column<T> {
    fn chunk(&self) -> HostChunk<'_> {
        Column::chunk(self)
    }

    fn identity(&self) -> Option<&ColumnIdentity> {
        Some(Column::identity(self))
    }
}

impl<T: Element> OwnedValues for Arc<[T]> {
    fn chunk(&self) -> HostChunk<'_> {
        chunk_of(self)
    }
}

impl<A: ArrowElement> OwnedValues for PrimitiveArray<A> {
    fn chunk(&self) -> HostChunk<'_> {
        primitive_chunk(self)
    }
}

impl OwnedValues for BooleanArray {
    fn chunk(&self) -> HostChunk<'_> {
        boolean_chunk(self)
    }
}

/// A small table that expressions of a query look up values in. Two uses of the same table have the same id.
#[derive(Clone)]
pub(crate) struct CapturedList {
    pub(crate) id: u64,
    pub(crate) dtype: DType,
    pub(crate) values: Arc<dyn OwnedValues>,
}

/// A column that a query reads.
pub(crate) enum Input<'a> {
    /// Borrowed, in one chunk.
    One(HostChunk<'a>),
    /// A borrowed column, which devices may keep a copy of.
    Column(HostChunk<'a>, &'a ColumnIdentity),
    /// Borrowed, in several chunks.
    Many(Vec<HostChunk<'a>>),
    /// Owned.
    Owned(Arc<dyn OwnedValues>),
}

/// A table that a query reads: columns of one length.
#[derive(Clone, Copy)]
pub(crate) struct SourceTable<'a> {
    pub(crate) columns: &'a [Input<'a>],
    pub(crate) rows: usize,
}

impl Input<'_> {
    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Input::One(chunk) | Input::Column(chunk, _) => chunk.rows,
            Input::Many(chunks) => chunks.iter().map(|chunk| chunk.rows).sum(),
            Input::Owned(values) => values.chunk().rows,
        }
    }

    /// The bytes of its values.
    pub(crate) fn bytes(&self) -> u64 {
        self.pieces().iter().map(|piece| piece.values.len() as u64).sum()
    }

    /// The only chunk, if the query owns it.
    pub(crate) fn owned_chunk(&self) -> Option<HostChunk<'_>> {
        match self {
            Input::One(_) | Input::Column(..) | Input::Many(_) => None,
            Input::Owned(values) => Some(values.chunk()),
        }
    }

    /// The identity by which devices recognise the column, if another query can refer to it.
    pub(crate) fn identity(&self) -> Option<&ColumnIdentity> {
        match self {
            Input::One(_) | Input::Many(_) => None,
            Input::Column(_, identity) => Some(identity),
            Input::Owned(values) => values.identity().filter(|identity| identity.known_id().is_some()),
        }
    }

    /// Whether another query can refer to the column itself, and not only to a column of which it is a part.
    pub(crate) fn may_stay(&self) -> bool {
        match self {
            Input::One(_) | Input::Many(_) => false,
            Input::Column(..) => true,
            Input::Owned(_) => self.identity().is_some_and(|identity| !identity.is_temporary_part()),
        }
    }

    /// All chunks.
    pub(crate) fn pieces(&self) -> InlineVec<HostChunk<'_>> {
        let lent = self.lent_pieces().unwrap_or(&[]).iter().copied();
        lent.chain(self.owned_chunk()).collect()
    }

    /// The chunks, if they are borrowed.
    pub(crate) fn lent_pieces(&self) -> Option<&[HostChunk<'_>]> {
        match self {
            Input::One(chunk) | Input::Column(chunk, _) => Some(std::slice::from_ref(chunk)),
            Input::Many(chunks) => Some(chunks),
            Input::Owned(_) => None,
        }
    }
}
