//! Writes a synthetic project: `synth COUNT DIR [--seed N]` writes COUNT tools with their toolsets to DIR/manifests.
//!
//! Refuses a DIR that is not empty. Exit status 2 if the command line or the folder is invalid.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use toolc_tests::synth;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        [count, dir] => write(count, Path::new(dir), "0"),
        [count, dir, "--seed", seed] | ["--seed", seed, count, dir] => write(count, Path::new(dir), seed),
        _ => Err("usage: synth COUNT DIR [--seed N]".to_owned()),
    };
    match done {
        Ok(files) => {
            println!("{files} files written");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("synth: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes the project and returns the number of files.
fn write(count: &str, dir: &Path, seed: &str) -> Result<usize, String> {
    let count =
        count.parse::<usize>().map_err(|error| format!("COUNT is a number of tools, not `{count}`: {error}"))?;
    let seed = seed.parse::<u64>().map_err(|error| format!("a seed is an integer from 0, not `{seed}`: {error}"))?;
    let empty = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => return Err(format!("failed to read {}: {error}", dir.display())),
    };
    if !empty {
        return Err(format!("{} is not empty: name a folder that is, or that does not exist", dir.display()));
    }
    let files = synth::project(count, seed);
    for (path, text) in &files {
        let path = dir.join(path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    }
    Ok(files.len())
}
