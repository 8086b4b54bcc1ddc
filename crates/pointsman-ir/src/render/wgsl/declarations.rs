//! The bindings of a program, for a kernel and the form of its result: their WGSL declarations, and their meaning for
//! the host.

use super::memory::{Reads, element, moved_element};
use super::row::Writer;
use super::staged::Tile;
use super::{ArgumentMemory, Binding, Form, reduce, store};
use crate::body::Inst;
use crate::kernel::StreamingSink;
use crate::types::{Repr, Type};
use std::collections::BTreeSet;

/// The declarations, what is bound after the arguments and the status words, and which of it is joined by atomics.
pub(super) fn declare(
    writer: &Writer<'_>,
    sink: StreamingSink<'_>,
    form: Form,
) -> (String, Vec<Binding>, Vec<Binding>) {
    let vectors = writer.arguments.words() / 4;
    let space = match writer.target.arguments {
        ArgumentMemory::Uniform => "uniform",
        ArgumentMemory::Storage => "storage, read",
    };
    let mut out = Declared {
        text: format!(
            "@group(0) @binding(0) var<{space}> args: array<vec4<u32>, {vectors}>;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;\n"
        ),
        bindings: Vec::new(),
        joined: Vec::new(),
    };
    out.inputs(writer, sink);
    out.outputs(writer, sink, form);
    if !matches!(sink, StreamingSink::Store { .. }) {
        let single_pass = writer.target.single_pass && matches!(sink, StreamingSink::Compact { .. });
        out.add(Binding::Nodes, "nodes", if single_pass { "atomic<u32>" } else { "u32" });
    }
    (out.text, out.bindings, out.joined)
}

struct Declared {
    text: String,
    bindings: Vec<Binding>,
    joined: Vec<Binding>,
}

impl Declared {
    fn add(&mut self, binding: Binding, name: &str, element: &str) {
        let access = if binding.is_written() { "read_write" } else { "read" };
        let number = self.bindings.len() + 2;
        self.text += &format!("@group(0) @binding({number}) var<storage, {access}> {name}: array<{element}>;\n");
        self.bindings.push(binding);
    }

    fn inputs(&mut self, writer: &Writer<'_>, sink: StreamingSink<'_>) {
        let kernel = writer.kernel();
        let reads = match sink {
            StreamingSink::Store { .. } => Reads::Quads,
            StreamingSink::Reduce { folds } => reduce::reads(writer, folds),
            StreamingSink::Compact { .. } if Tile::of(writer).is_some() => Reads::Quads,
            StreamingSink::Compact { .. } | StreamingSink::Scan { .. } => Reads::Rows,
        };
        for column in writer.columns() {
            let i = column.number;
            self.add(Binding::Column(i), &format!("in{i}"), element(column.ty.dtype.repr(), reads));
            if column.ty.nullable {
                self.add(Binding::ColumnValidity(i), &format!("inv{i}"), "u32");
            }
        }
        let list = |inst: &Inst| if let Inst::Lookup { list, .. } = inst { Some(list.index()) } else { None };
        let lists: BTreeSet<usize> = kernel.body.iter().filter_map(|(_, inst, _)| list(inst)).collect();
        for i in lists {
            self.add(Binding::List(i), &format!("list{i}"), element(kernel.lists[i].repr(), Reads::Rows));
        }
        let gathered = |inst: &Inst| {
            if let Inst::Gather { table, column, .. } = inst { Some((table.index(), *column as usize)) } else { None }
        };
        let gathered: BTreeSet<_> = kernel.body.iter().filter_map(|(_, inst, _)| gathered(inst)).collect();
        for (t, c) in gathered {
            let ty = kernel.tables[t].columns[c];
            self.add(Binding::TableColumn(t, c), &format!("table{t}_{c}"), element(ty.dtype.repr(), Reads::Rows));
            if ty.nullable {
                self.add(Binding::TableValidity(t, c), &format!("tablev{t}_{c}"), "u32");
            }
        }
    }

    fn outputs(&mut self, writer: &Writer<'_>, sink: StreamingSink<'_>, form: Form) {
        let kernel = writer.kernel();
        let types = if form == Form::Whole { kernel.output() } else { kernel.partial().rows };
        match sink {
            StreamingSink::Store { .. } => {
                for (k, ty) in types.into_iter().enumerate() {
                    self.add(Binding::Output(k), &format!("out{k}"), store::output_element(ty.dtype.repr()));
                    if ty.nullable {
                        self.add(Binding::OutputValidity(k), &format!("outv{k}"), "u32");
                    }
                }
            }
            StreamingSink::Compact { .. } | StreamingSink::Scan { .. } => {
                types.into_iter().enumerate().for_each(|(k, ty)| self.moved(k, ty))
            }
            // A fold's result is finished by the host.
            StreamingSink::Reduce { .. } => {}
        }
    }

    fn moved(&mut self, k: usize, ty: Type) {
        let parts = [(Binding::Output(k), format!("out{k}"), ty.dtype.repr())];
        let validity = ty.nullable.then(|| (Binding::OutputValidity(k), format!("outv{k}"), Repr::Bool));
        for (binding, name, repr) in parts.into_iter().chain(validity) {
            let (element, joined) = moved_element(repr);
            self.add(binding, &name, element);
            self.joined.extend(joined.then_some(binding));
        }
    }
}
