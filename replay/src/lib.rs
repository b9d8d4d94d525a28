//! `cargo toolc replay`: reads recorded calls of models by the tools of today, and by those of another version.

mod advice;
mod input;
mod record;
mod report;
mod tally;
mod version;

use std::path::PathBuf;

use clap::ValueEnum;
use rayon::prelude::*;
use serde_json::Value;
use toolc_codegen::cli::{self, Project};
use toolc_codegen::{Failure, Sources, compile};

use input::Line;
use report::Report;
use tally::Tally;
use version::Version;

/// The arguments of `replay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files with a line of JSON for each call, message, response or span; `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also read the calls by another version, and report those that it accepts and the project does not, or reads differently: a git ref or the folder
    /// of a project.
    #[arg(long, value_name = "VERSION")]
    against: Option<String>,
    /// The form of the output.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    /// Tables for a pull request.
    Markdown,
    /// An object with all numbers.
    Json,
}

/// Reads recorded calls, and prints what becomes of them. Returns the exit status: 1 if `--against` accepts a call that the project does not, or
/// reads differently, or if the manifests have errors; 2 if the command failed.
pub fn run(project: Project, args: &Args) -> u8 {
    match args.attempt(project) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(failure) => {
            eprintln!("error: {failure}");
            2
        }
    }
}

impl Args {
    /// Returns whether no call breaks.
    fn attempt(&self, project: Project) -> Result<bool, Failure> {
        let root = cli::find_root(project.root)?;
        let sources = Sources::scan(&root)?;
        let Some(catalog) = compile(&sources).catalog else {
            eprintln!("error: the manifests have errors: run `{} lint`", cli::run_as());
            return Ok(false);
        };
        let new = Version::new(&catalog)?;
        let old = self.against.as_ref().map(|against| {
            let loaded = toolc_compare::load::load(&root, against)?;
            Version::new(loaded.catalog()?)
        });
        let old = old.transpose()?;
        let mut tally = Tally::default();
        input::each_batch(&self.files, |lines| {
            let batch = lines.par_iter().fold(Tally::default, |mut tally, line| {
                add(&mut tally, line, &new, old.as_ref());
                tally
            });
            tally = std::mem::take(&mut tally).merge(batch.reduce(Tally::default, Tally::merge));
        })?;
        let advice = advice::advice(&sources, &catalog, &tally);
        let report = Report { tally: &tally, files: &self.files, against: self.against.as_deref(), advice: &advice };
        let text = match self.format {
            Format::Text => report.text(),
            Format::Markdown => report.markdown(),
            Format::Json => format!("{:#}\n", report.json()),
        };
        cli::print(&mut std::io::stdout(), &text)?;
        Ok(tally.breaks.total() == 0)
    }
}

/// Adds the calls of a line.
fn add(tally: &mut Tally, line: &Line, new: &Version, old: Option<&Version>) {
    let place = (line.file, line.number);
    let Some(text) = &line.text else {
        return tally.add_broken(&format!("longer than {} MiB", input::MAX_LINE >> 20), place);
    };
    match serde_json::from_slice::<Value>(text) {
        Ok(value) => {
            tally.lines += 1;
            for call in record::calls(&value) {
                tally.add(&call, place, new, old);
            }
        }
        Err(error) if error.is_eof() => tally.add_broken("JSON that ends too early", place),
        Err(_) => tally.add_broken("not JSON", place),
    }
}
