//! A kernel as a target's device gets it, for people to read: in goes a kernel, out comes text, or nothing where the

//! device refuses the kernel.

use super::listing::listing;
use crate::wgsl_text::{Language, metal_text, module};
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::{Guarded, guard};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::render::wgsl::{self, Form};
use pointsman_ir::render::{cuda, x86};

/// Parts of CUDA texts that are files of the renderer. Goldens name them, so that a change of one shows once.
const CUDA_FILES: [(&str, &str); 5] = [
    ("scalar.cu", include_str!("../../../src/render/cuda/scalar.cu")),
    ("rows.cu", include_str!("../../../src/render/cuda/rows.cu")),
    ("nodes.cu", include_str!("../../../src/render/cuda/nodes.cu")),
    ("reduce.cu", include_str!("../../../src/render/cuda/reduce.cu")),
    ("stream.cu", include_str!("../../../src/render/cuda/stream.cu")),
];

/// The most characters that a golden has of one text; the lines behind them are counted and have a checksum.
const TEXT_MAX: usize = 18 << 10;

/// What kernels are rendered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// NVIDIA's compiler.
    Cuda,
    /// The portable GPU, with doubles.
    Wgsl,
    /// The portable GPU on Metal, which has no doubles, as naga writes it.
    Msl,
    /// AVX-512 and AVX2.
    X86,
}

impl Target {
    pub(super) const ALL: [Target; 4] = [Target::Cuda, Target::Wgsl, Target::Msl, Target::X86];

    /// Its name in `targets.txt`, and of its folder.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Target::Cuda => "cuda",
            Target::Wgsl => "wgsl",
            Target::Msl => "msl",
            Target::X86 => "x86",
        }
    }

    pub(super) fn from_name(name: &str) -> Target {
        let found = Target::ALL.into_iter().find(|target| target.name() == name);
        found.unwrap_or_else(|| panic!("targets.txt: there is no target `{name}`"))
    }

    /// The extension of its files.
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Target::Cuda => "cu",
            Target::Wgsl => "wgsl",
            Target::Msl => "metal",
            Target::X86 => "asm",
        }
    }

    /// A kernel as the device gets it: elementary functions written out, with guards.
    pub(super) fn render(self, kernel: &Kernel) -> Option<String> {
        let guarded = guard(&decompose(kernel));
        match self {
            Target::Cuda => cuda_text(kernel, &guarded),
            Target::Wgsl => wgsl_text(&guarded),
            Target::Msl => msl_text(&guarded),
            Target::X86 => x86_text(&guarded),
        }
    }
}

fn cuda_text(kernel: &Kernel, guarded: &Guarded) -> Option<String> {
    cuda::supports(kernel).ok()?;
    let source = cuda::render(guarded).ok()?;
    let short = |text: String, (name, file): &(&str, &str)| text.replace(file, &format!("// … {name} …\n"));
    Some(format!("// {:?}\n{}", source.needs, shorten(&CUDA_FILES.iter().fold(source.text, short), "//")))
}

/// The text of every launch, and those of the launches that need another one.
fn wgsl_text(guarded: &Guarded) -> Option<String> {
    let target = Language::SpirV.target();
    let whole = wgsl::render(guarded, Form::Whole, target).ok()?;
    let mut text = format!("// {:?}\n// {:?}\n{}", whole.entries, whole.bindings, shorten(&whole.text, "//"));
    match guarded.kernel.sink {
        Sink::Compact { .. } => {
            let passes = wgsl::render(guarded, Form::Whole, wgsl::Target { single_pass: false, ..target }).ok()?;
            text.push_str(&format!("\n// In three passes: {:?}\n{}", passes.entries, shorten(&passes.text, "//")));
        }
        Sink::Scan { .. } => {
            let partial = wgsl::render(guarded, Form::Partial, target).ok()?;
            text.push_str(&format!("\n// The partial form: {:?}\n{}", partial.entries, shorten(&partial.text, "//")));
        }
        Sink::Store { .. } | Sink::Reduce { .. } | Sink::Sort { .. } | Sink::Group { .. } => {}
        Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => {}
    }
    Some(text)
}

fn msl_text(guarded: &Guarded) -> Option<String> {
    let source = wgsl::render(guarded, Form::Whole, Language::Metal.target()).ok()?;
    let (module, info) = module(&source.text, Language::Metal);
    Some(shorten(&metal_text(&module, &info).unwrap(), "//"))
}

fn x86_text(guarded: &Guarded) -> Option<String> {
    let wide = x86::render(guarded, x86::Target::Avx512).ok();
    let narrow = x86::render(guarded, x86::Target::Avx2).ok();
    assert_eq!(wide.is_some(), narrow.is_some(), "both or neither:\n{}", guarded.kernel.print());
    let [wide, narrow] = [wide?, narrow?].map(|code| shorten(&listing(&code), ";"));
    Some(format!("; AVX-512\n{wide}\n; AVX2\n{narrow}"))
}

/// The beginning of a long text, and a comment that changes with the rest of it.
fn shorten(text: &str, comment: &str) -> String {
    if text.len() <= TEXT_MAX {
        return text.to_string();
    }
    let end = text[..text.floor_char_boundary(TEXT_MAX)].rfind('\n').map_or(0, |at| at + 1);
    let (shown, rest) = text.split_at(end);
    // FNV-1a.
    let checksum = rest
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{shown}{comment} … {} more lines with the checksum {checksum:016x}\n", rest.lines().count())
}
