//! The devices of a session: how they are found, and each one's streams, memory, transfers and health.

pub(crate) mod download;
pub(crate) mod handle;
pub(crate) mod registry;
mod report;
pub(crate) mod residency;
pub(crate) mod transfer;
