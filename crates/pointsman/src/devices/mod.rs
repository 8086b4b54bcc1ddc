//! The devices of a session: handles with their streams, memory, transfers and health. Opening a session never loads a
//! driver: discovery runs when a query names a device, when the user asks for the list, or in the background.
//!
//! | file | contains |
//! | --- | --- |
//! | `registry` | discovery, and the devices that a session may use; why others are missing |
//! | `report` | how the list of devices is printed |
//! | `handle` | one device in one session: its gate, streams, memory and health |
//! | `residency/` | reservations of device memory, and the columns that stay on the device between queries |
//! | `transfer` | uploads, and columns in device memory |
//! | `download` | downloads of results |

pub(crate) mod download;
pub(crate) mod handle;
pub(crate) mod registry;
mod report;
pub(crate) mod residency;
pub(crate) mod transfer;
