//! `cargo xtask gen`, `lint`, `new` and so on: the compiler of the manifests.

fn main() -> std::process::ExitCode {
    toolc_codegen::cli::main()
}
