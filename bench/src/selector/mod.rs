//! The proof of the selector: simulated machines with costs of their own, six baselines and the selector itself on the
//! same calls, figures of what the choices lost, and the same figures on real devices.
//!
//! The simulation knows nothing of the selector's model. Its costs come from tables of measured points and from shapes
//! that "launch + bytes / bandwidth + operations / rate" cannot express: cliffs of caches, waves of tiles, a second
//! thread that starts at some size, loops that end early, look-ups in a table, frames that cost more the more rows there
//! are, and a factor for each kernel on each kind of device, and one for each size, that nobody knows beforehand. What a selector may know is [`works::Work`] (what a kernel's text
//! says) and [`probes::Probes`] (what a calibration would measure on such a machine).

pub mod arguments;
pub mod curve;
pub mod figures;
pub mod grid;
pub mod hardware;
pub mod live;
pub mod machine;
pub mod ours;
pub mod picture;
pub mod policies;
pub mod probes;
pub mod queries;
pub mod random;
pub mod record;
pub mod report;
pub mod scenarios;
pub mod works;
