//! `cargo xtask ...`: the compiler's command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolc_codegen::cli::main()
}
