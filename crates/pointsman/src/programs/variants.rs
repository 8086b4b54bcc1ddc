//! [`StageVariants`]: programs of a stage that only a run can choose, kept with the stage's own program: the kernels
//! for tables whose keys repeat, and the kernel that merges partial results.

use crate::error::Result;
use crate::programs::program::CompiledStage;
use crate::sync::Mutex;
use pointsman_ir::body::KeyUniqueness;
use std::sync::{Arc, OnceLock};

/// A stage keeps the kernels for at most this many combinations of unique and repeated keys.
const COMBINATIONS_MAX: usize = 8;

/// The stage for tables whose keys are unique or not; `None` if that is the stage itself.
type ForKeys = Option<Arc<CompiledStage>>;

/// Programs of a stage that only a run can choose.
#[derive(Default)]
pub(crate) struct StageVariants {
    by_keys: Mutex<Vec<(Vec<KeyUniqueness>, ForKeys)>>,
    merge: OnceLock<Arc<CompiledStage>>,
}

impl StageVariants {
    /// The stage for these keys; loaded now if no run needed it before.
    pub(crate) fn for_keys(
        &self,
        keys: &[KeyUniqueness],
        load: impl FnOnce() -> Result<Option<CompiledStage>>,
    ) -> Result<ForKeys> {
        let find = || self.by_keys.lock().iter().find(|(known, _)| known == keys).map(|(_, stage)| stage.clone());
        if let Some(known) = find() {
            return Ok(known);
        }
        let loaded = load()?.map(Arc::new);
        let mut all = self.by_keys.lock();
        if all.len() < COMBINATIONS_MAX {
            all.push((keys.to_vec(), loaded.clone()));
        }
        Ok(loaded)
    }

    /// The stage that merges partial results; loaded now if no run needed it before.
    pub(crate) fn merge(&self, load: impl FnOnce() -> Result<CompiledStage>) -> Result<Arc<CompiledStage>> {
        match self.merge.get() {
            Some(merge) => Ok(merge.clone()),
            None => {
                let loaded = Arc::new(load()?);
                Ok(self.merge.get_or_init(|| loaded).clone())
            }
        }
    }
}
