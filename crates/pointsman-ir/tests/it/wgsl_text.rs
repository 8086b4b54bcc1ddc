//! Kernels as WGSL, and through naga as what each driver takes: SPIR-V, Metal's language and DirectX's. That they are valid

//! to naga is what is shown; no Metal or DirectX compiler runs here.

use naga::back::{hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Profile, SideTables, case};
use pointsman_ir::render::wgsl::{ArgumentMemory, Fma, Form, Target, TileOrder, render};

/// Kernels of each sink.
const GOLDENS: [&str; 6] = [
    "kernel
columns c0: f32
  v0: f32 = column c0
  v1: f32 = mul v0 v0
  v2: f32 = exp v1
sink store v2
",
    "kernel
columns c0: i32?, c1: u8, c2: bool
params p0: i32
  v0: i32? = column c0
  v1: u8 = column c1
  v2: bool = column c2
  v3: i32 = param p0
  v4: i32? = div v0 v3
  v5: u8 = add v1 v1
mask v2
sink store v4, v5, v2
",
    "kernel
columns c0: f32, c1: u16?
  v0: f32 = column c0
  v1: f32 = const 0x3f800000
  v2: bool = gt v0 v1
  v3: u16? = column c1
mask v2
sink compact v0, v3, v2
",
    "kernel
columns c0: f32, c1: i32?
  v0: f32 = column c0
  v1: i32? = column c1
sink reduce sum(v0), min(v1), max(v0), count(v1), count()
",
    "kernel
columns c0: f64, c1: i64
  v0: f64 = column c0
  v1: i64 = column c1
  v2: f64 = mul v0 v0
  v3: i64 = checked_add v1 v1
sink store v2, v3
",
    "kernel
columns c0: f32, c1: i32, c2: bool
  v0: f32 = column c0
  v1: i32 = column c1
  v2: bool = column c2
sink scan columns(v1) running(sum(v0), sum(v1), max(v1)) segment v2
",
];

/// A language that naga writes for a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Vulkan's.
    SpirV,
    /// Metal's.
    Metal,
    /// DirectX's.
    DirectX,
}

impl Language {
    const ALL: [Language; 3] = [Language::SpirV, Language::Metal, Language::DirectX];

    fn capabilities(self) -> Capabilities {
        match self {
            Language::SpirV => spv::supported_capabilities(),
            Language::Metal => msl::supported_capabilities(),
            Language::DirectX => hlsl::supported_capabilities(),
        }
    }

    /// What a device that takes this language can do.
    pub(crate) fn target(self) -> Target {
        Target {
            // Its interface for DirectX offers no doubles.
            f64: self == Language::SpirV && self.capabilities().contains(Capabilities::FLOAT64),
            i64: self.capabilities().contains(Capabilities::SHADER_INT64),
            fma: Fma::Fused,
            storage_buffers: 31,
            arguments: ArgumentMemory::Uniform,
            single_pass: true,
            order: TileOrder::Forward,
            workgroup_bytes: if self == Language::Metal { 32 << 10 } else { 48 << 10 },
            iterations: None,
        }
    }

    fn write(self, module: &naga::Module, info: &ModuleInfo) -> Result<usize, String> {
        match self {
            Language::SpirV => {
                let words = spv::write_vec(module, info, &spv::Options::default(), None);
                words.map(|words| words.len()).map_err(|error| error.to_string())
            }
            Language::Metal => metal_text(module, info).map(|text| text.len()),
            Language::DirectX => {
                let options = hlsl::Options {
                    shader_model: hlsl::ShaderModel::V6_0,
                    fake_missing_bindings: true,
                    ..Default::default()
                };
                let mut text = String::new();
                let pipeline = hlsl::PipelineOptions::default();
                let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
                written.map(|_| ()).map_err(|error| error.to_string())?;
                Ok(text.len())
            }
        }
    }
}

/// A module in Metal's language, written with the options that `wgpu` uses for the device's kernels: accesses to memory
/// are checked, loops and divisions are not.
pub(crate) fn metal_text(module: &naga::Module, info: &ModuleInfo) -> Result<String, String> {
    let checked = BoundsCheckPolicy::Restrict;
    let options = msl::Options {
        lang_version: (2, 4),
        fake_missing_bindings: true,
        bounds_check_policies: BoundsCheckPolicies {
            index: checked,
            buffer: checked,
            image_load: checked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..msl::Options::default()
    };
    let written = msl::write_string(module, info, &options, &msl::PipelineOptions::default());
    written.map(|(text, _)| text).map_err(|error| error.to_string())
}

/// Parses and validates WGSL for a language.
pub(crate) fn module(text: &str, language: Language) -> (naga::Module, ModuleInfo) {
    let module =
        naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    let mut validator = Validator::new(ValidationFlags::all(), language.capabilities());
    let info = validator.validate(&module).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    (module, info)
}

/// Renders a kernel for a language; `None` if the renderer refuses it.
fn check(kernel: &Kernel, form: Form, language: Language, single_pass: bool) -> Option<usize> {
    let target = Target { single_pass, ..language.target() };
    let source = render(&guard(&decompose(kernel)), form, target).ok()?;
    let (module, info) = module(&source.text, language);
    let written = language.write(&module, &info);
    Some(written.unwrap_or_else(|error| panic!("{language:?}: {error}\n{}\n{}", kernel.print(), source.text)))
}

#[test]
fn goldens_are_valid_in_every_language() {
    for text in GOLDENS {
        let kernel = parse(text).expect("the text of a kernel");
        for language in Language::ALL {
            for form in [Form::Whole, Form::Partial] {
                let refused = text.contains("f64") && language != Language::SpirV;
                for single_pass in [true, false] {
                    let written = check(&kernel, form, language, single_pass);
                    assert_eq!(written.is_none(), refused, "{language:?}\n{text}");
                }
            }
        }
    }
}

#[test]
fn a_kernel_with_doubles_is_refused_for_metal_by_name() {
    let kernel = parse(GOLDENS[4]).expect("the text of a kernel");
    let refused = render(&guard(&kernel), Form::Whole, Language::Metal.target()).expect_err("Metal has no doubles");
    assert!(refused.message.starts_with("f64"), "{refused}");
}

#[test]
fn random_kernels_are_valid_in_every_language() {
    let mut profile = Profile::streaming();
    profile.side_tables = SideTables::Gather;
    let mut written = [0; 3];
    for seed in 0..400 {
        let kernel = case(seed, &profile).kernel;
        for (language, count) in Language::ALL.into_iter().zip(&mut written) {
            *count += usize::from(check(&kernel, Form::Whole, language, true).is_some());
        }
    }
    assert!(written.iter().all(|&count| count > 40), "{written:?} were not refused");
}
