//! Support for generated code and the compiler: argument slots, packed data, JSON writing. It may change with every
//! version of this crate; [`STAMP`] says whether generated code matches.

pub use crate::__search_index as search_index;
pub use crate::data::dialect::{FeatureOfToolcIsMissing, PerDialect, macros::*};
pub use crate::data::{fields, graph, name, pack, requirement, segment, table, to_json};
#[cfg(feature = "search")]
pub use crate::index::{Index, document::document};
pub use crate::provider::compiled;
pub use crate::stamp::{STAMP, assert_stamp};
pub use crate::text::invisible::{changes_direction, is_invisible};
pub use crate::text::json::indented;
pub use crate::text::nearest::{did_you_mean, nearest};
pub use crate::text::words::words;

pub mod args {
    //! Argument slots, and how generated types are read from them.

    pub use crate::args::slot::{FromSlot, Heap, Slot, SlotBuffer, Slots, choice, json, object, variant};
}

/// The packed search index of a toolset, with the feature `search`.
#[cfg(feature = "search")]
#[doc(hidden)]
#[macro_export]
macro_rules! __search_index {
    ($packed:literal) => {
        &[$packed]
    };
}

/// Empty without the feature `search`.
#[cfg(not(feature = "search"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __search_index {
    ($packed:literal) => {
        &[]
    };
}
