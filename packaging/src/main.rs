//! Writes the packages of programs that have been built: `cargo xtask package` builds them and runs this.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use toolc_packaging::{PROGRAMS, write};

/// Writes wheels and packages of npm.
#[derive(Debug, Parser)]
struct Cli {
    /// The folder with the programs.
    #[arg(long, value_name = "DIR")]
    programs: PathBuf,
    /// The folder for the packages.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(Cli { programs, out }: &Cli) -> Result<(), Box<dyn Error>> {
    for program in PROGRAMS {
        let binary = programs.join(format!("{}{}", program.name, std::env::consts::EXE_SUFFIX));
        let packages = write(program, &binary, out)?;
        println!("{}: {}", program.name, packages.platform);
        for path in [packages.wheel, packages.launcher, packages.npm] {
            #[expect(clippy::cast_precision_loss, reason = "sizes of files are far smaller")]
            let megabytes = fs::metadata(&path)?.len() as f64 / 1e6;
            println!("{megabytes:>8.2} MB  {}", path.display());
        }
    }
    Ok(())
}
