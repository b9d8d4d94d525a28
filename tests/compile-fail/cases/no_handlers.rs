//! A provider of a type that handles nothing.

struct Nothing;

fn main() {
    toolc_catalog::todo::provider(Nothing);
}
