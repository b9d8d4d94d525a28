//! The page and the schemas about configuration in `docs/` are those that `cargo xtask docs` writes.

use std::fs;

#[path = "../examples/pages.rs"]
#[expect(dead_code, reason = "the program writes the files")]
mod pages;

#[test]
fn the_page_and_the_schemas_of_the_configuration_are_up_to_date() {
    for (path, text) in pages::files().expect("the page has a place for the keys") {
        let found = fs::read_to_string(&path).expect("the file exists");
        assert!(found == text, "stale: {}: run `cargo xtask docs`", path.display());
    }
}
