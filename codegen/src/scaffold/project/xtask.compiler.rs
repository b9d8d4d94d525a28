//! The compiler of the manifests, in the version of this project's toolc.

fn main() -> std::process::ExitCode {
    toolc_codegen::cli::main()
}
