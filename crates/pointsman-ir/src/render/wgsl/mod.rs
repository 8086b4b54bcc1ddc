//! Renders a guarded kernel as WGSL, for GPUs through Vulkan, Metal and DirectX 12. The form of the result and the
//! features of the device determine the text, and what the host must bind and dispatch.
//!
//! **Shape.** A workgroup of [`LANES`] invocations takes one leaf of rows ([`LEAF_ROWS`]), a compaction in one pass a
//! larger tile (`staged`). `row` computes one row from its columns' values; the sink's entry points load, call it and
//! write. An output's words belong to one invocation each, or are joined by atomic operations where rows move
//! (`compact`, `scan`); nothing relies on another workgroup going on. **Tree.** `leaves` folds each leaf into a node of
//! words; `join` makes the levels above; `carry` walks them to what lies before each leaf; `write` writes the rows.
//! Nodes outside the rows count as nothing, which changes no bits. **Bindings** (group 0): 0 the dispatch's arguments,
//! 1 the status words, then [`WgslSource::bindings`].
//!
//! [`LEAF_ROWS`]: crate::kernel::LEAF_ROWS

mod arguments;
mod casts;
mod declarations;
mod folds;
mod layout;
mod library;
mod limits;
mod look_back;
mod memory;
mod ops;
mod positional;
mod reduce;
mod reduce_quads;
mod row;
mod scan;
mod single_pass;
mod staged;
mod store;
mod tree;
mod types;

pub use arguments::{ARGS_HEAD_WORDS, Arguments};
pub use folds::FINISHED_WORDS;
pub use layout::{Binding, NodeWords, WgslSource};
pub use library::Fma;
pub use look_back::COUNT_BITS;

use crate::guard::Guarded;
use crate::kernel::{Frame, Kernel, StreamingSink};
use crate::render::NotRendered;
use library::Library;
use row::Writer;
use scan::Scan;

/// Invocations of a workgroup.
pub const LANES: u32 = 128;
/// Nodes of a level that one workgroup of `join` takes, and by how many levels it rises: `JOIN_NODES = 2^JOIN_LEVELS`.
pub const JOIN_NODES: u32 = 256;
/// See [`JOIN_NODES`].
pub const JOIN_LEVELS: u32 = 8;

/// The features of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whether it has doubles.
    pub f64: bool,
    /// Whether it has 64-bit integers.
    pub i64: bool,
    /// How its driver computes `fma`.
    pub fma: Fma,
    /// The maximum number of storage buffers of a program.
    pub storage_buffers: u32,
    /// The location of arguments.
    pub arguments: ArgumentMemory,
    /// Whether compactions take one pass over memory, which asks for more of the device's scheduling, or three.
    pub single_pass: bool,
    /// The order in which workgroups of one pass take rows.
    pub order: TileOrder,
    /// Bytes of memory that a workgroup may share.
    pub workgroup_bytes: u32,
    /// The maximum total iterations of an invocation's loops, if the driver stops longer ones.
    pub iterations: Option<u64>,
}

/// The order in which workgroups take rows, where one needs what those before it counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileOrder {
    /// In the order in which most devices start workgroups.
    Forward,
    /// The reverse order, which is the worst case. A test uses it to check that correctness does not depend on the
    /// order.
    Backward,
}

/// The location of a dispatch's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentMemory {
    /// In a uniform buffer.
    Uniform,
    /// In a storage buffer, for a driver that takes exponential time over values made of uniforms alone (Mesa's
    /// software driver, which looks for conditions to compile for the uniforms' values).
    Storage,
}

/// Which result a program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The finished one.
    Whole,
    /// The partial one.
    Partial,
}

/// The kernel that is rendered in place of another one: a `Compact` for a `Build`.
pub fn lowered(kernel: &Kernel) -> Result<Kernel, NotRendered> {
    kernel.clone().compacted().map_err(|error| NotRendered::new(format!("a key that is no key ({error:?})")))
}

/// Renders a kernel. What it cannot express it names.
pub fn render(guarded: &Guarded, form: Form, target: Target) -> Result<WgslSource, NotRendered> {
    let kernel = &guarded.kernel;
    check(kernel, target)?;
    let writer = Writer { guarded, target, arguments: Arguments::of(kernel), library: Library::new(target.fma) };
    let sink = kernel.sink.streaming();
    let sink = sink.ok_or_else(|| NotRendered::new(format!("the sink `{}`", kernel.sink.name())))?;
    let (functions, node) = match sink {
        StreamingSink::Store { columns } => (store::functions(&writer, columns)?, None),
        StreamingSink::Compact { columns } if target.single_pass => {
            let mut node = positional::node();
            node.0.tagged = true;
            let functions = match staged::Tile::of(&writer) {
                Some(tile) => staged::functions(&writer, columns, tile)?,
                None => single_pass::functions(&writer, columns)?,
            };
            (functions, Some(node))
        }
        StreamingSink::Compact { columns } => (positional::functions(&writer, columns)?, Some(positional::node())),
        StreamingSink::Reduce { folds } => (reduce::functions(&writer, folds)?, Some(reduce::node(&writer, folds))),
        StreamingSink::Scan { columns, running, segment } => {
            let scan = Scan { columns, running, segment };
            (scan.functions(&writer, form)?, Some(scan.node(&writer)))
        }
    };
    let (declared, bindings, joined) = declarations::declare(&writer, sink, form);
    if bindings.len() as u32 + 2 > target.storage_buffers {
        let message =
            format!("more buffers at once than can be bound, {} of {}", bindings.len() + 2, target.storage_buffers);
        return Err(NotRendered::new(message));
    }
    let library = writer.library.needed(&functions);
    let text = format!("{declared}{functions}{library}");
    let group_rows = layout::group_rows(&writer, sink);
    let uses_status = text.contains("&status[");
    let (entries, arguments) = (layout::entries(sink, target.single_pass), writer.arguments);
    Ok(WgslSource {
        text,
        entries,
        bindings,
        arguments,
        node: node.map(|node| node.0),
        uses_status,
        joined,
        group_rows,
    })
}

/// Checks that WGSL on this device can express a kernel; the error names the unsupported part.
fn check(kernel: &Kernel, target: Target) -> Result<(), NotRendered> {
    row::check_types(kernel, target)?;
    if let Some(StreamingSink::Scan { running, .. }) = kernel.sink.streaming() {
        if running.iter().any(|one| one.frame != Frame::Unbounded) {
            return Err(NotRendered::new("folds over frames of preceding rows"));
        }
        if !target.i64 {
            return Err(NotRendered::new("64-bit integers (running folds)"));
        }
    }
    let (iterations, most) = (limits::iterations(kernel), target.iterations.unwrap_or(u64::MAX));
    if iterations > most {
        return Err(NotRendered::new(format!(
            "loops of many iterations, {iterations} where the driver stops at {most}"
        )));
    }
    Ok(())
}
