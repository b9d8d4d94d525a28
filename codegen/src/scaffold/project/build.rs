//! Fails the build if a manifest was edited and gen has not run since.

fn main() {
    toolc_build::check();
}
