//! The stamp: a hash of everything on which generated code and this crate must agree: the layout of the packed data, and the
//! structs and functions that generated code uses. Generated code contains the stamp of the compiler that wrote it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::args::slot::{self, Slot, Slots};
use crate::data::catalog::{Fact, Toolset, Variable};
use crate::data::dialect::{Dialect, NUMBERS};
use crate::data::pack::{ENCODING, ENUMS, INDEX, Packed, STRUCTS};
use crate::data::to_json;
use crate::provider::compiled::{CatalogData, CompiledCatalog, CompiledToolset};

/// The stamp of this version of the crate.
pub const STAMP: u32 = hash(&[STRUCTS, ENUMS, ENCODING, NUMBERS, INDEX, FIELDS, FUNCTIONS]);

/// Fails the build of generated code that was written for another version of this crate.
///
/// # Panics
/// Panics if `stamp` is not [`STAMP`]. Generated code calls it in a constant, so that this is a compile error.
pub const fn assert_stamp(stamp: u32) {
    assert!(stamp == STAMP, "this generated code does not fit the linked `toolc` crate: run `cargo xtask gen`");
}

/// Declares the fields of structs that generated code fills in. The compiler checks them.
macro_rules! fields {
    (const $text:ident = { $($tokens:tt)* }) => {
        const $text: &str = stringify!($($tokens)*);

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
        const $text: &str = stringify!($($tokens)*);

        functions! { $($tokens)* }
    };
    ($($path:path = $type:ty;)*) => {
        $(
            #[allow(clippy::type_complexity, reason = "the signature is spelled out to be checked")]
            const _: $type = $path;
        )*
    };
}

functions! {
    const FUNCTIONS = {
        CompiledCatalog::new = fn(&'static [&'static CompiledToolset], &'static CatalogData) -> CompiledCatalog;
        Packed::<Toolset>::new = fn(&'static [&'static str]) -> Packed<Toolset>;
        slot::choice = fn(&Slot<'_>, usize) -> usize;
        slot::variant = fn(&mut Slot<'_>, &[fn(&mut Slot<'_>) -> u8]) -> u8;
        slot::json = fn(&str) -> Value;
        slot::object = for<'s, 'a> fn(&'s mut Slot<'a>) -> Slots<'s, 'a>;
        to_json::object = fn(&mut String, &[to_json::Field<'_>]);
        to_json::open_object = fn(&mut String, &[to_json::Field<'_>], &BTreeMap<String, Value>);
    }
}

/// Returns the FNV-1a hash of these texts without white space, because the white space of `stringify!` is not specified.
///
/// Every crate with generated code evaluates it anew, so it calls no functions: the evaluation of constants is slow.
#[allow(clippy::cast_possible_truncation, reason = "the hash has 32 bits")]
const fn hash(texts: &[&str]) -> u32 {
    let mut hash: u64 = 0x811c_9dc5;
    let mut texts = texts;
    while let [text, others @ ..] = texts {
        let mut bytes = text.as_bytes();
        while let [byte, rest @ ..] = bytes {
            // Spaces and line breaks.
            if *byte > b' ' {
                hash = ((hash ^ *byte as u64) * 0x0100_0193) & 0xffff_ffff;
            }
            bytes = rest;
        }
        texts = others;
    }
    hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_layout_counts() {
        let layout = "Tool { name: Str, emoji: Str }";
        let others =
            ["Tool { emoji: Str, name: Str }", "Tool { name: Str, icon: Str }", "Tool { name: Str, emoji: u8 }"];
        assert!(others.iter().all(|other| hash(&[other]) != hash(&[layout])));
        assert_eq!(hash(&["Tool{name : Str , emoji: Str}"]), hash(&[layout]));
    }
}
