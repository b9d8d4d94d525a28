//! What tests of several crates share. The crate depends on as little as possible, because the tests of most crates wait for it.

#[cfg(unix)]
pub mod apptainer;
#[cfg(all(unix, feature = "servers"))]
pub mod daytona;
mod folder;
pub mod instances;
pub mod modal;
pub mod packages;
pub mod programs;
#[cfg(unix)]
mod signal;
mod skip;
#[cfg(all(unix, feature = "servers"))]
pub mod ssh;
mod wait;

pub use folder::target_folder;
#[cfg(unix)]
pub use signal::send_signal;
pub use skip::{Missing, SANDBOX, SKIPS, Skipped, skip};
pub use wait::{LIMIT, wait_until, wait_until_within};
