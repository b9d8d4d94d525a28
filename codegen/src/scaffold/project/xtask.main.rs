//! `cargo xtask gen`, `lint`, `new` and so on: runs the compiler of the manifests, the installed one if its version is that of this
//! project's toolc. Otherwise cargo compiles the one of `compiler.rs`.

fn main() -> std::process::ExitCode {
    toolc_build::run_compiler(env!("CARGO_PKG_NAME"))
}
