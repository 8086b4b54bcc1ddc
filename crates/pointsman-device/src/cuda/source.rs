//! stand-in
use pointsman_ir::guard::Guarded;
#[derive(Clone, Debug)]
pub(super) struct CudaSource {
    pub text: String,
    pub threads: u32,
    pub tile_rows: u32,
    pub shared_bytes: u32,
    pub block_scratch: u64,
    pub node_words: u32,
    pub leaf_bytes: u64,
    pub can_fault: bool,
    pub counts_rows: bool,
}
#[derive(Debug)]
pub(super) struct NotRendered(pub String);
impl std::fmt::Display for NotRendered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
pub(super) const REFUSES: &[&str] = &["not rendered"];
pub(super) fn render(_: &Guarded) -> Result<CudaSource, NotRendered> {
    Err(NotRendered("not rendered".into()))
}
