//! The hub: finds, installs and updates skills of strangers.

mod bundle;
mod fault;
pub mod identifier;
mod secret;
mod source;
mod taps;
mod trust;
mod web;

pub use bundle::*;
pub use fault::{SourceError, SourceFault};
pub use identifier::*;
pub use secret::Secret;
pub use source::*;
pub use taps::*;
pub use trust::Trust;
