//! The stamp: a hash of everything on which generated code and this crate must agree: the layout of the packed data, and the
//! structs and functions that generated code uses. Generated code contains the stamp of the compiler that wrote it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::args::slot::{self, Slot, Slots};
use crate::data::catalog::{Fact, Toolset, Variable};
use crate::data::dialect::{Dialect, NUMBERS};
use crate::data::layout_text::layout_text;
use crate::data::pack::{ENCODING, ENUMS, INDEX, Packed, STRUCTS};
use crate::data::to_json;
use crate::provider::ToolProvider;
use crate::provider::compiled::{
    CallHandler, CatalogData, CheckHandler, CompiledCatalog, CompiledToolset, DirectoryHandler,
};

/// The stamp of this version of the crate.
pub const STAMP: u32 = hash(&[STRUCTS, ENUMS, ENCODING, NUMBERS, INDEX, FIELDS, FUNCTIONS]);

/// Fails the build of generated code that was written for another version of this crate.
///
/// # Panics
/// Panics if `stamp` is not [`STAMP`]. Generated code calls it in a constant, so that this is a compile error.
pub const fn assert_stamp(stamp: u32) {
    assert!(stamp == STAMP, "this generated code does not fit the linked `toolc` crate: run `cargo xtask gen`");
}

/// Fails the build of generated code whose `pattern` or `format` would not be enforced.
///
/// # Panics
/// Panics without the feature `patterns`. Generated code calls it in a constant, so that this is a compile error.
#[expect(clippy::assertions_on_constants, reason = "it depends on the features")]
pub const fn assert_patterns() {
    assert!(
        cfg!(feature = "patterns"),
        "a parameter of these tools has `pattern` or `format`: add the feature `patterns` to the dependency `toolc` in Cargo.toml"
    );
}

/// Declares the fields of structs that generated code fills in. The compiler checks them.
macro_rules! fields {
    (const $text:ident = { $($tokens:tt)* }) => {
        const $text: &str = layout_text!($($tokens)*);

        fields! { $($tokens)* }
    };
    ($($name:ident { $($field:ident: $type:ty),* })*) => {
        $(const _: fn(&$name) = |it| {
            let $name { $($field),* } = it;
            $(let _: &$type = $field;)*
        };)*
    };
}

fields! {
    const FIELDS = {
        CompiledToolset {
            tools: &'static [&'static str],
            definitions: fn(Dialect) -> &'static [&'static str],
            index: &'static [&'static str]
        }
        CatalogData {
            toolsets: &'static Packed<Toolset>,
            facts: &'static Packed<Fact>,
            variables: &'static Packed<Variable>
        }
    }
}

/// Declares the signatures of functions that generated code calls. The compiler checks them.
macro_rules! functions {
    (const $text:ident = { $($tokens:tt)* }) => {
        const $text: &str = layout_text!($($tokens)*);

        functions! { $($tokens)* }
    };
    ($($path:path = $type:ty;)*) => {
        #[expect(clippy::type_complexity, reason = "the signatures are spelled out to be checked")]
        const _: () = {
            $(const _: $type = $path;)*
        };
    };
}

functions! {
    const FUNCTIONS = {
        CompiledCatalog::new = fn(&'static [&'static CompiledToolset], &'static CatalogData) -> CompiledCatalog;
        CompiledCatalog::provider::<()> = fn(
            &'static CompiledCatalog,
            (),
            CallHandler<()>,
            Option<CheckHandler<()>>,
            Option<DirectoryHandler<()>>
        ) -> Box<dyn ToolProvider>;
        Packed::<Toolset>::new = fn(&'static [&'static str]) -> Packed<Toolset>;
        slot::read_choice = fn(&Slot<'_>, usize) -> usize;
        slot::read_variant = fn(&mut Slot<'_>, &[fn(&mut Slot<'_>) -> u8]) -> u8;
        slot::json_default = fn(&str) -> Value;
        slot::read_object = for<'s, 'a> fn(&'s mut Slot<'a>) -> Slots<'s, 'a>;
        to_json::object = fn(&mut String, &[to_json::Field<'_>]);
        to_json::open_object = fn(&mut String, &[to_json::Field<'_>], &BTreeMap<String, Value>);
    }
}

/// Returns a hash of these texts: FNV-1a over pieces of up to 16 bytes.
///
/// Every crate with generated code evaluates it anew, and the evaluation of constants is slow, so it has few steps.
#[expect(clippy::cast_possible_truncation, reason = "the stamp has 32 bits")]
const fn hash(texts: &[&str]) -> u32 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = OFFSET;
    let mut texts = texts;
    while let [text, others @ ..] = texts {
        let (mut chunks, mut rest) = text.as_bytes().as_chunks::<16>();
        while let [chunk, others @ ..] = chunks {
            hash = (hash ^ hash >> 64 ^ u128::from_le_bytes(*chunk)).wrapping_mul(PRIME);
            chunks = others;
        }
        while let [byte, others @ ..] = rest {
            hash = (hash ^ hash >> 64 ^ *byte as u128).wrapping_mul(PRIME);
            rest = others;
        }
        texts = others;
    }
    (hash ^ hash >> 32 ^ hash >> 64 ^ hash >> 96) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_layout_counts() {
        let layout = "Tool{name:Str,emoji:Str}Definition{segments:Vec<Segment>}";
        for at in 0..layout.len() {
            let other = [&layout[..at], "x", &layout[at + 1..]].concat();
            assert_ne!(hash(&[&other]), hash(&[layout]), "{other}");
        }
        assert_ne!(hash(&[layout, "x"]), hash(&[layout]));
    }
}
