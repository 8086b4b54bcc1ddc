//! [`Language`] and [`Source`]: the differences between the languages of kernels. In: entry points whose statements are
//! written in what WGSL and C++ have in common. Out: one text of a language. Knows nothing of what the kernels compute.
//!
//! The common part: `let` and `var` declare, `T` is a real number and `C` a complex one with the fields `x` and `y` and the
//! operators `+` and `-`; `mul`, `mad` and `conjugate` are functions of complex numbers, `fused` is `a · b + c` of real
//! ones. C++ gets `let` and `var` as macros.

use super::{LANES, WORDS};
use pointsman_ir::render::wgsl::ArgumentMemory;
use pointsman_ir::types::DType;
use std::fmt::Write;

/// A language of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    /// WGSL, for the portable GPU.
    Wgsl(ArgumentMemory),
    /// C++ without headers, for NVIDIA's run-time compiler.
    Cuda,
}

/// The numbers of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Elements {
    /// Real ones: `T`.
    Real,
    /// Complex ones: `C`.
    Complex,
}

/// Memory that the invocations of a workgroup share.
#[derive(Clone, Debug)]
pub(super) struct SharedArray {
    pub(super) name: String,
    pub(super) elements: Elements,
    pub(super) count: u32,
}

/// One entry point.
#[derive(Clone, Debug)]
pub(super) struct EntryPoint {
    pub(super) name: String,
    /// What `left`, `right` and `output` hold; `None` if it does not use them.
    pub(super) buffers: [Option<Elements>; 3],
    pub(super) shared: Vec<SharedArray>,
    /// Its statements. `group` is the number of the workgroup, `lane` that of the invocation; `left_at`, `right_at` and
    /// `output_at` are where the buffers start, in their elements.
    pub(super) body: String,
}

/// The text of a call's kernels.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) text: String,
    pub(super) entries: Vec<String>,
}

/// The names of the buffers, in the order of the bindings after the arguments.
const BUFFERS: [&str; 3] = ["left", "right", "output"];

const CUDA_PRELUDE: &str = "\
typedef unsigned int u32;
typedef int i32;
#define let const auto
#define var auto
struct C {
  T x, y;
  C() = default;
  __device__ C(T real, T imaginary) : x(real), y(imaginary) {}
};
__device__ inline C operator+(C a, C b) { return C(a.x + b.x, a.y + b.y); }
__device__ inline C operator-(C a, C b) { return C(a.x - b.x, a.y - b.y); }
__device__ inline C scaled(C a, T b) { return C(a.x * b, a.y * b); }
__device__ inline C conjugate(C a) { return C(a.x, -a.y); }
__device__ inline C mul(C a, C b) { return C(fused(a.x, b.x, -(a.y * b.y)), fused(a.x, b.y, a.y * b.x)); }
__device__ inline C mad(C a, C b, C c) {
  return C(fused(-a.y, b.y, fused(a.x, b.x, c.x)), fused(a.y, b.x, fused(a.x, b.y, c.y)));
}
__device__ inline void workgroupBarrier() { __syncthreads(); }
";

const WGSL_PRELUDE: &str = "\
fn fused(a: T, b: T, c: T) -> T { return a * b + c; }
fn scaled(a: C, b: T) -> C { return C(a.x * b, a.y * b); }
fn conjugate(a: C) -> C { return C(a.x, -a.y); }
fn mul(a: C, b: C) -> C { return C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
fn mad(a: C, b: C, c: C) -> C {
  return C(c.x + a.x * b.x - a.y * b.y, c.y + a.x * b.y + a.y * b.x);
}
";

impl Elements {
    /// The type's name in kernels.
    pub(super) fn name(self) -> &'static str {
        match self {
            Elements::Real => "T",
            Elements::Complex => "C",
        }
    }

    /// The number 0.
    pub(super) fn zero(self) -> String {
        match self {
            Elements::Real => "T(0.0)".to_string(),
            Elements::Complex => "C(T(0.0), T(0.0))".to_string(),
        }
    }

    /// How many real numbers an element has.
    pub(super) fn reals(self) -> u32 {
        match self {
            Elements::Real => 1,
            Elements::Complex => 2,
        }
    }
}

impl Language {
    /// The text of these entry points.
    pub(super) fn source(self, dtype: DType, entries: &[EntryPoint]) -> Source {
        let mut text = self.prelude(dtype);
        if let Language::Wgsl(_) = self {
            text.push_str(&declared_buffers(entries));
        }
        for entry in entries {
            text.push_str(&self.entry(entry));
        }
        Source { text, entries: entries.iter().map(|entry| entry.name.clone()).collect() }
    }

    /// An argument word.
    pub(super) fn word(self, number: usize) -> String {
        match self {
            Language::Wgsl(_) => format!("arguments.words[{}].{}", number / 4, ["x", "y", "z", "w"][number % 4]),
            Language::Cuda => format!("arguments.words[{number}]"),
        }
    }

    /// A line before a loop that should be unrolled.
    pub(super) fn unrolled(self) -> &'static str {
        match self {
            Language::Wgsl(_) => "",
            Language::Cuda => "#pragma unroll\n",
        }
    }

    fn prelude(self, dtype: DType) -> String {
        let is_f32 = dtype == DType::F32;
        match self {
            Language::Wgsl(arguments) => {
                let float = if is_f32 { "f32" } else { "f64" };
                let space = match arguments {
                    ArgumentMemory::Uniform => "uniform",
                    ArgumentMemory::Storage => "storage, read",
                };
                format!(
                    "alias T = {float};\nalias C = vec2<{float}>;\nstruct Arguments {{ words: array<vec4<u32>, {}> }}\n\
                     @group(0) @binding(0) var<{space}> arguments: Arguments;\n{WGSL_PRELUDE}",
                    WORDS / 4
                )
            }
            Language::Cuda => {
                let (float, fused) = if is_f32 { ("float", "__fmaf_rn") } else { ("double", "__fma_rn") };
                format!(
                    "typedef {float} T;\n__device__ inline T fused(T a, T b, T c) {{ return {fused}(a, b, c); }}\n\
                     {CUDA_PRELUDE}struct Arguments {{ u32 words[{WORDS}]; }};\n"
                )
            }
        }
    }

    fn entry(self, entry: &EntryPoint) -> String {
        let mut text = String::new();
        let EntryPoint { name, buffers, shared, body } = entry;
        let head = match self {
            Language::Wgsl(_) => {
                for SharedArray { name, elements, count } in shared {
                    let _ = writeln!(text, "var<workgroup> {name}: array<{}, {count}>;", elements.name());
                }
                format!(
                    "@compute @workgroup_size({LANES})\nfn {name}(@builtin(local_invocation_index) lane: u32, \
                     @builtin(workgroup_id) place: vec3<u32>) {{\n  let block = place.y * {} + place.x;\n",
                    self.word(1)
                )
            }
            Language::Cuda => format!(
                "extern \"C\" __global__ void __launch_bounds__({LANES}) {name}(const Arguments arguments, \
                 const T* __restrict__ left_memory, const T* __restrict__ right_memory, T* output_memory) {{\n  \
                 let lane = threadIdx.x;\n  let block = blockIdx.y * {} + blockIdx.x;\n",
                self.word(1)
            ),
        };
        text.push_str(&head);
        if self == Language::Cuda {
            for SharedArray { name, elements, count } in shared {
                let _ = writeln!(text, "  __shared__ __align__(16) {} {name}[{count}];", elements.name());
            }
            for (buffer, elements) in used(buffers) {
                let (ty, constant) = (elements.name(), if buffer == "output" { "" } else { "const " });
                let _ =
                    writeln!(text, "  {constant}{ty}* {} = ({constant}{ty}*){buffer}_memory;", named(buffer, elements));
            }
        }
        let _ = writeln!(text, "  if (block >= {}) {{ return; }}", self.word(2));
        let _ = writeln!(text, "  let group = {} + block;", self.word(0));
        for (number, (buffer, elements)) in BUFFERS.iter().zip(buffers).enumerate() {
            if let Some(elements) = elements {
                let (at, reals) = (self.word(3 + number), elements.reals());
                let _ = writeln!(text, "  let {buffer}_at = {at} / {reals}u;");
            }
        }
        text.push_str(body);
        text.push_str("}\n");
        text
    }
}

/// The buffers that an entry point uses.
fn used(buffers: &[Option<Elements>; 3]) -> impl Iterator<Item = (&'static str, Elements)> {
    BUFFERS.into_iter().zip(*buffers).filter_map(|(name, elements)| elements.map(|elements| (name, elements)))
}

/// The name of a buffer in the statements of entry points.
pub(super) fn named(buffer: &str, elements: Elements) -> String {
    format!("{buffer}_{}", elements.name())
}

/// The declarations of all buffers in WGSL: one for each kind of elements.
fn declared_buffers(entries: &[EntryPoint]) -> String {
    let mut declared: Vec<_> = entries.iter().flat_map(|entry| used(&entry.buffers)).collect();
    declared.sort();
    declared.dedup();
    let mut text = String::new();
    for (buffer, elements) in declared {
        let binding = 1 + BUFFERS.iter().position(|name| *name == buffer).unwrap_or(0);
        let access = if buffer == "output" { "read_write" } else { "read" };
        let (name, ty) = (named(buffer, elements), elements.name());
        let _ = writeln!(text, "@group(0) @binding({binding}) var<storage, {access}> {name}: array<{ty}>;");
    }
    text
}
