//! The images of calls: the kernel's text, the image of the program that stores its rows, and the code around the library.

use super::Provider;
use crate::{DeviceError, DeviceErrorKind, DeviceResult, ProgramImage};
use pointsman_ir::kernel::{Kernel, parse};
use pointsman_ir::verify;

/// Words before the parts of an image: the provider, then the lengths of the kernel's text and of the stored image, whose
/// length is 0 if there is none.
const HEAD_WORDS: usize = 3;

fn refuse(message: impl Into<String>) -> DeviceError {
    DeviceError::new(DeviceErrorKind::Compile, message)
}

/// The error of an image whose kernel is no call, or another one than its code.
pub(super) fn no_call() -> DeviceError {
    refuse("an image of a call without its parts")
}

/// The error of an image for another library than the one that is there now.
pub(super) fn other_provider() -> DeviceError {
    refuse("an image of a call for a library that was there, or was missing, when it was made")
}

/// The format of images of calls, for a card with this format of images.
pub(super) fn format_of_calls(format: &str) -> String {
    format!("{format} call")
}

fn provider_word(provider: Provider) -> u64 {
    match provider {
        Provider::Blas => 0,
        Provider::Fft => 1,
        Provider::Own => 2,
    }
}

/// Creates the image of a call.
pub(super) fn image(
    format: &str,
    kernel: &Kernel,
    provider: Provider,
    stored: Option<&ProgramImage>,
    code: &[u8],
) -> ProgramImage {
    let text = kernel.print();
    let stored = stored.map_or(&[][..], |image| &image.bytes);
    let head = [provider_word(provider), text.len() as u64, stored.len() as u64];
    let mut bytes: Vec<u8> = head.into_iter().flat_map(u64::to_le_bytes).collect();
    bytes.extend(text.as_bytes());
    bytes.extend(stored);
    bytes.extend(code);
    ProgramImage::new(&format_of_calls(format), &bytes)
}

/// The parts of an image.
pub(super) struct OpenedCall<'a> {
    pub(super) kernel: Kernel,
    pub(super) provider: Provider,
    pub(super) stored: Option<ProgramImage>,
    pub(super) code: &'a [u8],
}

/// Opens an image. Every part is checked except for the machine code, which the checksum covers.
pub(super) fn open<'a>(format: &str, image: &'a ProgramImage) -> DeviceResult<OpenedCall<'a>> {
    let short = || refuse("an image that ends early");
    let program = image.program(&format_of_calls(format))?;
    let (head, rest) = program.split_at_checked(HEAD_WORDS * 8).ok_or_else(short)?;
    let (words, _) = head.as_chunks::<8>();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().ok_or_else(short);
    let (provider, text_bytes, stored_bytes) = (next()?, next()?, next()?);
    let provider = [Provider::Blas, Provider::Fft, Provider::Own]
        .into_iter()
        .find(|one| provider_word(*one) == provider)
        .ok_or_else(|| refuse("an image of an unknown library"))?;
    let length = |bytes: u64| usize::try_from(bytes).map_err(|_| short());
    let (text, rest) = rest.split_at_checked(length(text_bytes)?).ok_or_else(short)?;
    let (stored, code) = rest.split_at_checked(length(stored_bytes)?).ok_or_else(short)?;
    let text = std::str::from_utf8(text).map_err(|error| refuse(error.to_string()))?;
    let kernel = parse::parse(text).map_err(|error| refuse(error.to_string()))?;
    verify::kernel(&kernel).map_err(|error| refuse(error.to_string()))?;
    let stored = (!stored.is_empty()).then(|| ProgramImage::stored(format.to_string(), stored.to_vec()));
    Ok(OpenedCall { kernel, provider, stored, code })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = "kernel\ncolumns c0: f32\nlists l0: f32\n  v0: f32 = column c0\nsink call matmul real 2 3 4 left rows right rows shared of v0 l0\n";

    #[test]
    fn intact_images_open_and_damaged_images_do_not() {
        let kernel = parse::parse(TEXT).unwrap();
        let stored = ProgramImage::new("cuda sm_90", b"stored");
        for (provider, stored) in
            [(Provider::Blas, None), (Provider::Fft, Some(&stored)), (Provider::Own, Some(&stored))]
        {
            let made = image("cuda sm_90", &kernel, provider, stored, b"code");
            let opened = open("cuda sm_90", &made).unwrap();
            assert_eq!((opened.kernel, opened.provider, opened.code), (kernel.clone(), provider, &b"code"[..]));
            assert_eq!(opened.stored.as_ref(), stored);
            assert!(open("cuda sm_80", &made).is_err());
        }
        for bytes in [vec![], vec![0; 8], vec![7; 24], 9u64.to_le_bytes().repeat(3), vec![0; 24]] {
            let damaged = ProgramImage::new("cuda sm_90 call", &bytes);
            assert_eq!(open("cuda sm_90", &damaged).err().unwrap().kind, DeviceErrorKind::Compile, "{bytes:?}");
        }
    }
}
