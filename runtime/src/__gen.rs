//! Support for generated code and the compiler: argument slots, packed data, JSON writing. It may change with every
//! version of this crate; [`STAMP`] says whether generated code matches. Paths that each tool needs are short, because rustc
//! resolves every segment.

pub use crate::__search_index as search_index;
pub use crate::args::slot::{
    FromSlot, Heap, Slot, SlotBuffer, Slots, json_default, read_choice, read_object, read_variant,
};
pub use crate::data::bounds::{Side, outermost};
pub use crate::data::dialect::{CallersField, FeatureOfToolcIsMissing, PerDialect, VendorFields, macros::*, written};
pub use crate::data::fields::{MAX_FIELDS, debug_fields, debug_variant};
pub use crate::data::{name, pack, requirement, segment, table, text_rule, to_json};
#[cfg(feature = "search")]
pub use crate::index::{Index, document::document};
pub use crate::provider::{StartDirectory, compiled, start_directory};
pub use crate::stamp::{STAMP, assert_patterns, assert_stamp};
pub use crate::text::identifier::{RESERVED as RESERVED_IDENTIFIERS, identifier};
pub use crate::text::json::indented;
pub use crate::text::prose::keyword_prose;
pub use crate::text::{code_names, names};
pub use toolc_redact::words;

pub mod graph {
    //! The graph of toolsets, which the compiler resolves, too.

    pub use crate::graph::*;
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
