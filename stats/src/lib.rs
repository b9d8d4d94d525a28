//! `cargo toolc stats`: the tokens that the definitions of a project's tools cost in every request.

mod encoding;
mod measure;
mod show;

use clap::ValueEnum;
use toolc_codegen::cli::{self, Project};
use toolc_codegen::dialects::Dialect;
use toolc_codegen::{Catalog, Failure, Sources, compile};

pub use encoding::Encoding;
use measure::{Selection, measure};
use show::{Before, Shown};

/// The arguments of `stats`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this toolset and its tools (repeatable) [default: all declared toolsets, and all tools].
    #[arg(long, value_name = "TOOLSET")]
    toolset: Vec<String>,
    /// Only this dialect of the project (repeatable) [default: all of them].
    #[arg(long, value_name = "DIALECT")]
    dialect: Vec<String>,
    /// The vocabulary in which tokens are counted.
    #[arg(long, value_enum, value_name = "NAME", default_value = "o200k")]
    encoding: Encoding,
    /// Show what changed since another version: a git ref or the folder of a project.
    #[arg(long, value_name = "VERSION")]
    against: Option<String>,
    /// The form of the output.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Fail with status 1 if a toolset needs more tokens in the first dialect than its `token_budget`. The linter compares an estimate.
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    /// Tables for a pull request.
    Markdown,
    /// An object with the keys `encoding`, `dialects`, `toolsets` and `tools`. With `--against`, also `before`, with the last two of them.
    Json,
}

/// Prints the tokens of a project's definitions. Returns the exit status, as of every command of the compiler.
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
    /// Returns whether the manifests have no error and, with `--check`, whether all toolsets are within their budgets.
    fn attempt(&self, project: Project) -> Result<bool, Failure> {
        let root = cli::find_root(project.root)?;
        let sources = Sources::scan(&root)?;
        let Some(catalog) = compile(&sources).catalog else {
            eprintln!("error: the manifests have errors: run `{} lint`", cli::run_as());
            return Ok(false);
        };
        self.check_names(&catalog)?;
        let is_chosen =
            |dialect: &&Dialect| self.dialect.is_empty() || self.dialect.iter().any(|name| name == dialect.name);
        let dialects = catalog.settings().dialects.iter().copied().filter(is_chosen).collect();
        let selection = Selection { dialects, toolsets: self.toolset.clone() };
        let sizes = measure(&catalog, &selection, self.encoding);
        let before = self.against.as_ref().map(|against| {
            let loaded = toolc_compare::load::load(&root, against)?;
            Ok::<_, Failure>((against.as_str(), measure(loaded.catalog()?, &selection, self.encoding)))
        });
        let before = before.transpose()?;
        let before = before.as_ref().map(|(against, sizes)| Before { against, sizes });
        let shown = Shown { sizes: &sizes, before, encoding: self.encoding };
        let text = match self.format {
            Format::Text => shown.text(),
            Format::Markdown => shown.markdown(),
            Format::Json => format!("{:#}\n", shown.json()),
        };
        cli::print(&mut std::io::stdout(), &text)?;
        Ok(!self.check || self.report_budgets(&sizes))
    }

    /// Returns an error for a name that the project does not have.
    fn check_names(&self, catalog: &Catalog) -> Result<(), Failure> {
        for name in &self.toolset {
            if !catalog.toolsets().any(|(_, toolset)| toolset.is_called(name)) {
                return Err(cli::unknown("toolset", name, catalog.toolsets().map(|(_, toolset)| toolset.name())));
            }
        }
        let dialects = || catalog.settings().dialects.iter().map(|dialect| dialect.name);
        match self.dialect.iter().find(|name| !dialects().any(|dialect| dialect == **name)) {
            Some(name) => Err(cli::unknown("dialect", name, dialects())),
            None => Ok(()),
        }
    }

    /// Reports the toolsets beyond their budgets. Returns whether there are none.
    fn report_budgets(&self, sizes: &measure::Sizes) -> bool {
        let mut is_within = true;
        for (name, toolset) in &sizes.toolsets {
            let (Some(budget), Some(Some(tokens))) = (toolset.budget, toolset.tokens.first()) else { continue };
            if *tokens > budget as usize {
                eprintln!(
                    "error: the definitions of `{name}` need {tokens} tokens of {}, but the budget is {budget}",
                    self.encoding.name()
                );
                is_within = false;
            }
        }
        is_within
    }
}
