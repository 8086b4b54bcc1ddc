//! The driver's pipeline cache, stored in a program's image so that loading it again is fast. Only the adapter and
//! driver that made it use it; damaged, foreign or refused data is ignored and never an error.

use super::gpu::Gpu;
use crate::ProgramImage;

/// The size of the length field before the text.
const LENGTH_BYTES: usize = 4;

/// A pipeline cache of the driver.
#[derive(Clone, Default)]
pub(super) struct CodeCache {
    cache: Option<wgpu::PipelineCache>,
    /// Whether the cache was restored from an image.
    pub(super) is_restored: bool,
}

impl CodeCache {
    /// Creates a cache from stored data, if there is any; empty if the driver has no pipeline caches.
    pub(super) fn new(gpu: &Gpu, old: Option<&[u8]>) -> CodeCache {
        if !gpu.device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return CodeCache::default();
        }
        let make = |data: Option<&[u8]>| {
            let described = wgpu::PipelineCacheDescriptor { label: None, data, fallback: false };
            // SAFETY: `PipelineCache::get_data` returned the data on this adapter and driver, which the checksum under
            // their name shows (`unpack`); the interface checks its own header too.
            gpu.scoped("kept code", || unsafe { gpu.device.create_pipeline_cache(&described) }).ok()
        };
        match old.and_then(|old| make(Some(old))) {
            Some(cache) => CodeCache { cache: Some(cache), is_restored: true },
            None => CodeCache { cache: make(None), is_restored: false },
        }
    }

    /// The cache, for the creation of pipelines.
    pub(super) fn cache(&self) -> Option<&wgpu::PipelineCache> {
        self.cache.as_ref()
    }

    /// The data to be stored.
    pub(super) fn data(&self) -> Option<Vec<u8>> {
        self.cache.as_ref().and_then(wgpu::PipelineCache::get_data)
    }
}

/// The bytes of a program: its text, and the cache data of the driver `owner`.
pub(super) fn pack(text: &str, owner: &str, data: Option<&[u8]>) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("the text of a kernel is short");
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.extend(data.map(|data| ProgramImage::new(owner, data).bytes).unwrap_or_default());
    bytes
}

/// The text of a program and this driver's cache data; `None` if the bytes have another format.
pub(super) fn unpack(bytes: &[u8], owner: &str) -> Option<(String, Option<Vec<u8>>)> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    let (text, kept) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let kept = ProgramImage::stored(owner.to_string(), kept.to_vec());
    // Data of another driver has another checksum.
    let kept = kept.program(owner).ok().map(<[u8]>::to_vec);
    Some((String::from_utf8(text.to_vec()).ok()?, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_another_driver_and_damaged_code_are_ignored() {
        let packed = pack("kernel", "one", Some(b"code"));
        assert_eq!(unpack(&packed, "one"), Some(("kernel".to_string(), Some(b"code".to_vec()))));
        assert_eq!(unpack(&packed, "two"), Some(("kernel".to_string(), None)));
        for at in LENGTH_BYTES + "kernel".len()..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 1;
            assert_eq!(unpack(&damaged, "one"), Some(("kernel".to_string(), None)), "byte {at}");
        }
        assert_eq!(unpack(&pack("kernel", "one", None), "one"), Some(("kernel".to_string(), None)));
        assert_eq!(unpack(&packed[..8], "one"), None);
        assert_eq!(unpack(&[1, 0], "one"), None);
    }
}
