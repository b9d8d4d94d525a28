//! The vectors for the runtimes of other languages are what the Rust runtime does.

#[path = "../../vectors/mod.rs"]
mod vectors;

#[test]
fn the_vectors_of_other_languages_are_up_to_date() {
    for (name, text) in vectors::files() {
        let written = std::fs::read_to_string(vectors::folder().join(name)).unwrap_or_default();
        let line = text.lines().zip(written.lines()).position(|(now, before)| now != before);
        assert!(
            text == written,
            "tests/vectors/{name} differs in line {}: run `cargo run -p toolc-tests --example vectors`",
            line.unwrap_or_else(|| text.lines().count().min(written.lines().count())) + 1
        );
    }
}
