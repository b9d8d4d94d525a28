//! The check of layers finds what it should in small crates.

use super::crates::Crate;
use super::violations;

const NONE: [&str; 0] = [];

/// Returns the violations of a crate with these sources, whose layers are `low`, `middle`, `lib` and `high`.
fn found<const N: usize>(sources: [(&str, &str); N]) -> Vec<String> {
    let sources = sources.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let layers = ["low", "middle", "lib", "high"].map(str::to_owned);
    violations(&Crate::new(sources), &layers).into_keys().collect()
}

/// Returns the violations if `middle/part.rs` has this text.
fn found_in_part(text: &str) -> Vec<String> {
    found([
        ("lib.rs", "mod low; mod middle; pub mod high; pub use high::High; use middle::f; pub fn compile() {}"),
        ("low.rs", "pub struct Value;"),
        ("middle/mod.rs", "mod part; pub(crate) use crate::low::Value as Renamed;"),
        ("middle/part.rs", text),
        ("high.rs", ""),
    ])
}

#[test]
fn uses_of_lower_layers_and_of_other_crates_are_right() {
    for text in [
        "use crate::low::Value;",
        "use super::other;\nuse crate::{low::{self, Value}, middle};",
        "use super::Renamed;",
        "/// See [`high`](crate::high).\nfn f() { \"crate::high\"; } // crate::high",
        "#[cfg(test)]\nmod tests {\n    use crate::high;\n}\n",
        "#[cfg(test)]\nuse crate::{high::High, compile};\n#[cfg(all(test, unix))]\nfn f() -> crate::high::High { crate::high::f() }",
        "use high::Value;\nuse ::high::Other;\nfn f() { high::f() }",
        "mod high { pub fn f() {} }\nfn f() { high::f(); self::high::f() }",
    ] {
        assert_eq!(found_in_part(text), NONE, "{text}");
    }
}

#[test]
fn a_use_of_a_higher_layer_is_found() {
    for text in [
        "use crate::high::Value;",
        "use crate::{\n    low,\n    high::Value,\n};",
        "fn f() -> crate::high::Value {}",
        "use super::super::high;",
        "pub(crate) use super::super::high::{self as h, *};",
        "macro_rules! m { () => { $crate::high::f() } }",
        "mod inner { use super::super::super::high; }",
        "fn f() { println!(\"{}\", crate::high::f()); }",
        // What the root re-exports is what the module has.
        "use crate::High;",
    ] {
        assert_eq!(found_in_part(text), ["middle uses high"], "{text}");
    }
    assert_eq!(found_in_part("use crate::compile;"), ["middle uses lib"]);
}

#[test]
fn a_use_of_a_child_by_the_root_is_found_and_a_reexport_is_not() {
    let found_in_root = |text: &str| found([("lib.rs", text), ("low.rs", ""), ("middle.rs", ""), ("high.rs", "")]);
    for text in ["mod high; use high::f;", "mod high; fn g() { high::f() }", "mod high; use self::high::{f as g};"] {
        assert_eq!(found_in_root(text), ["lib uses high"], "{text}");
    }
    for text in ["mod high; pub use high::f;", "mod high; pub(crate) use self::high::{f as g};", "mod low; use low::f;"]
    {
        assert_eq!(found_in_root(text), NONE, "{text}");
    }
}

#[test]
fn every_module_is_listed_and_every_listed_module_exists() {
    let files = [("lib.rs", ""), ("low.rs", ""), ("middle.rs", ""), ("other.rs", "")];
    assert_eq!(found(files), ["high is listed", "other is not listed"]);
}

#[test]
fn a_file_that_an_attribute_names_belongs_to_its_module() {
    let root = "#[cfg_attr(not(unix), path = \"middle/other.rs\")]\nmod low;";
    let files =
        |other| [("lib.rs", root), ("low.rs", ""), ("middle/mod.rs", ""), ("middle/other.rs", other), ("high.rs", "")];
    assert_eq!(found(files("use super::middle;")), ["low uses middle"]);
    assert_eq!(found(files("")), NONE);
}

#[test]
fn a_circle_among_the_children_of_a_module_is_found() {
    let found_in_parts = |own: &str, one: &str, two: &str| {
        found([
            ("lib.rs", ""),
            ("low.rs", ""),
            ("high.rs", ""),
            ("middle/mod.rs", own),
            ("middle/one.rs", one),
            ("middle/two/mod.rs", "mod deep;"),
            ("middle/two/deep.rs", two),
        ])
    };
    assert_eq!(found_in_parts("mod one; mod two;", "use super::two::Two;", "use crate::middle::Part;"), NONE);
    // A module and its children count as one.
    assert_eq!(found_in_parts("mod one; use one::f;", "use super::Part;", ""), NONE);
    let circle = ["middle: one, two use each other"];
    let one = "use super::two::{self, Two};";
    assert_eq!(found_in_parts("", one, "fn f() {}\nuse crate::{middle::one::{A, B as C}};"), circle);
    // What a parent re-exports is what the child has.
    assert_eq!(found_in_parts("mod one; mod two; pub use one::One;", one, "use super::super::One;"), circle);
}
