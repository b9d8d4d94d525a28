//! `new`: adds a manifest to a project and, for a tool, a handler and its test.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use heck::ToSnakeCase as _;
use toolc::FactValue;

use super::{CatalogCommand, Command, GenArgs, Project, Streams, attempt, find_root, print, unknown};
use crate::catalog::Tool;
use crate::check::Checked;
use crate::compile;
use crate::failure::Failure;
use crate::report::Shown;
use crate::scaffold::handler::{Added, NewHandler};
use crate::scaffold::program::NewMethod;
use crate::scaffold::{FileChanges, manifests};
use crate::source::{Kind, Sources};

/// What to add.
#[derive(Debug, Subcommand)]
pub enum New {
    /// Add a tool: a manifest, a handler that returns an error, and a test.
    Tool {
        /// The name of the tool.
        name: String,
        /// The home toolset [default: the only toolset].
        #[arg(long)]
        toolset: Option<String>,
        /// How the handler runs.
        #[arg(long, value_enum, default_value = "sync")]
        execution: ExecutionArg,
        /// What the tool does, when to use it, and what it returns. The model reads this.
        #[arg(long)]
        description: Option<String>,
    },
    /// Add a toolset.
    Toolset {
        /// The name of the toolset.
        name: String,
        /// What the tools of the toolset are for.
        #[arg(long, default_value = "TODO")]
        description: String,
        /// The toolsets to include.
        #[arg(long, value_name = "TOOLSET", value_delimiter = ',')]
        includes: Vec<String>,
    },
    /// Add a distribution: toolsets to draw at random, with their probabilities.
    Distribution {
        /// The name of the distribution.
        name: String,
        /// What the distribution is for.
        #[arg(long, default_value = "TODO")]
        description: String,
        /// The toolsets to draw [default: every toolset with tools of its own].
        #[arg(long, value_name = "TOOLSET", value_delimiter = ',')]
        toolsets: Vec<String>,
    },
    /// Add a fact: a value that the host supplies, for conditions and texts.
    Fact {
        /// The name of the fact.
        name: String,
        /// The default, which determines the type: true or false, an integer, or else a string.
        #[arg(long, value_name = "VALUE", default_value = "false", allow_hyphen_values = true)]
        default: String,
        /// What the fact means.
        #[arg(long, default_value = "TODO")]
        description: String,
    },
}

/// How a handler runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExecutionArg {
    /// On the caller's thread, for work that is done in moments.
    Sync,
    /// On a thread of a pool, for work that computes or waits for long.
    Blocking,
    /// As a future.
    Async,
    /// In the agent's own loop, without a handler.
    Agent,
}

impl New {
    /// Adds the manifest and the handler, and runs gen. Writes nothing if the project has errors or would get errors.
    pub(super) fn run(&self, project: Project, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let root = find_root(project.root)?;
        let sources = Sources::scan(&root)?;
        let Some(catalog) = compiled(&sources, streams)? else { return Ok(false) };
        let (path, before, text) = self.manifest(&root, &catalog)?;
        let Some(catalog) = compiled(&sources.with_file(&path, &text), streams)? else { return Ok(false) };
        let mut changes = FileChanges::default();
        match before {
            None => changes.create(root.join(&path), text),
            Some(before) => changes.replace(root.join(&path), before, text),
        }
        let in_program = self.tool(&catalog).and_then(|tool| NewMethod::new(&catalog, tool));
        let added = self.handler(&catalog).filter(|_| in_program.is_none()).map(|handler| {
            let generated: Vec<PathBuf> = catalog.generated_folders().map(|name| root.join(name)).collect();
            handler.add(&root, &generated, &mut changes)
        });
        let of_program = in_program.map(|method| method.add(&root, &streams.program, &mut changes));
        changes.apply()?;
        let mut text = String::new();
        for path in changes.paths() {
            text += &format!("written: {}\n", path.strip_prefix(&root).unwrap_or(path).display());
        }
        print(streams.out, &text)?;
        let gen_command = Command::Catalog(CatalogCommand::Gen(GenArgs::default()));
        let success = attempt(Project { root: Some(root.clone()) }, gen_command, streams)?;
        let next = of_program.unwrap_or_else(|| self.next_step(&path, added.as_ref(), &streams.program));
        print(streams.out, &next)?;
        Ok(success)
    }

    fn kind_and_name(&self) -> (Kind, &str) {
        match self {
            New::Tool { name, .. } => (Kind::Tool, name),
            New::Toolset { name, .. } => (Kind::Toolset, name),
            New::Distribution { name, .. } => (Kind::Distribution, name),
            New::Fact { name, .. } => (Kind::Facts, name),
        }
    }

    /// Returns the path of the manifest, its current text, and its new text.
    fn manifest(&self, root: &Path, catalog: &Checked) -> Result<(String, Option<String>, String), Failure> {
        let (kind, name) = self.kind_and_name();
        check_name(kind, name)?;
        let is_folder = kind.place().ends_with('/');
        let path = if is_folder { format!("{}{name}.toml", kind.place()) } else { kind.place().to_owned() };
        let before = match fs::read_to_string(root.join(&path)) {
            Ok(_) if is_folder => return Err(Failure::new(format!("{path} exists: choose another name"))),
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::new(format!("failed to read {path}: {error}"))),
        };
        let toolsets = || catalog.toolsets().map(|(_, toolset)| toolset.name());
        let text = match self {
            New::Tool { name, toolset, execution, description } => {
                let names: Vec<&str> = toolsets().collect();
                let toolset = match (toolset, &names[..]) {
                    (Some(toolset), _) => toolset,
                    (None, [only]) => *only,
                    (None, []) => return Err(Failure::new("the project has no toolset: run `new toolset NAME` first")),
                    (None, names) => {
                        return Err(Failure::new(format!(
                            "pass --toolset NAME; the toolsets are: {}",
                            names.join(", ")
                        )));
                    }
                };
                if !names.contains(&toolset) {
                    return Err(unknown("toolset", toolset, names.into_iter()));
                }
                let is_run_by_program = catalog
                    .toolsets()
                    .any(|(_, known)| known.name() == toolset && known.manifest.program_language().is_some());
                if is_run_by_program && matches!(execution, ExecutionArg::Async | ExecutionArg::Agent) {
                    let message =
                        format!("a program runs the tools of `{toolset}`, which are `blocking`: omit --execution");
                    return Err(Failure::new(message));
                }
                let word = (*execution != ExecutionArg::Sync).then(|| execution.word());
                manifests::tool(name, toolset, word.as_deref(), description.as_deref())
            }
            New::Toolset { name, description, includes } => manifests::toolset(name, description, includes),
            New::Distribution { name, description, toolsets: given } => {
                let homes = catalog.toolsets().filter(|(_, toolset)| !toolset.home_tools.is_empty());
                let homes: Vec<String> = homes.map(|(_, toolset)| toolset.name().to_owned()).collect();
                manifests::distribution(name, description, if given.is_empty() { &homes } else { given })
            }
            New::Fact { name, default, description } => {
                manifests::with_fact(before.as_deref(), name, &fact_value(default), description)
            }
        };
        Ok((path, before, text))
    }

    /// Returns the new tool.
    fn tool<'a>(&self, catalog: &'a Checked) -> Option<&'a Tool> {
        let New::Tool { name, .. } = self else { return None };
        catalog.tools().map(|(_, tool)| tool).find(|tool| tool.name() == name)
    }

    /// Returns the handler in Rust that a new tool needs.
    fn handler<'a>(&'a self, catalog: &'a Checked) -> Option<NewHandler<'a>> {
        let New::Tool { name, execution, .. } = self else { return None };
        if *execution == ExecutionArg::Agent {
            return None;
        }
        let tool = self.tool(catalog)?;
        let toolset = catalog[tool.home].name();
        Some(NewHandler { tool: name, toolset, is_async: *execution == ExecutionArg::Async })
    }

    /// Returns what the user has to do.
    fn next_step(&self, path: &str, added: Option<&Added>, program: &str) -> String {
        match (self, added) {
            (New::Tool { name, .. }, Some(Added::To { .. })) => {
                format!(
                    "next: describe `{name}` and its parameters in {path}, run `{program} gen`, and replace the method and its test\n"
                )
            }
            (New::Tool { .. }, Some(Added::Nowhere { reason, method })) => {
                format!("add this method to the handlers ({reason}):\n\n{method}")
            }
            (New::Tool { name, .. }, None) => {
                format!("next: describe `{name}` in {path}; the agent's own loop runs it\n")
            }
            (New::Toolset { name, .. }, _) => {
                format!(
                    "next: describe `{name}` in {path}, and add tools with `{program} new tool NAME --toolset {name}`\n"
                )
            }
            (New::Distribution { name, .. } | New::Fact { name, .. }, _) => {
                format!("next: describe `{name}` in {path}\n")
            }
        }
    }
}

impl ExecutionArg {
    /// Returns the word in a manifest.
    fn word(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Checks a name before anything is written. It becomes a part of a path, and models see the name of a tool.
fn check_name(kind: Kind, name: &str) -> Result<(), Failure> {
    let is_plain = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let usual = name.to_snake_case();
    let problem = if !is_plain(name) {
        "cannot be a name: a name consists of letters, digits, `-` and `_`, and begins with a letter"
    } else if kind == Kind::Tool && usual != name {
        "is not in snake_case, which models and vendors expect of the name of a tool"
    } else {
        return Ok(());
    };
    let advice = if is_plain(&usual) { format!("; pass `{usual}`") } else { String::new() };
    Err(Failure::new(format!("`{name}` {problem}{advice}")))
}

/// Compiles the sources, and reports the errors.
fn compiled(sources: &Sources, streams: &mut Streams<'_>) -> Result<Option<Checked>, Failure> {
    let compilation = compile(sources);
    let mut errors = compilation.diagnostics;
    errors.retain(|found| found.level == crate::diagnostic::Level::Error);
    streams.report(sources, &errors, Shown::Errors)?;
    if compilation.catalog.is_none() {
        print(streams.err, "nothing was written: fix these errors first\n")?;
    }
    Ok(compilation.catalog)
}

/// Parses the default of a fact.
fn fact_value(text: &str) -> FactValue {
    match text {
        "true" => FactValue::Boolean(true),
        "false" => FactValue::Boolean(false),
        _ => FactValue::Integer(0).parse_same_type(text).unwrap_or_else(|| text.to_owned().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_models_do_not_expect_is_refused_with_the_usual_one() {
        for (kind, name) in [(Kind::Tool, "read_file"), (Kind::Tool, "sha256"), (Kind::Toolset, "api-server")] {
            assert!(check_name(kind, name).is_ok(), "{name}");
        }
        let snake = "is not in snake_case, which models and vendors expect of the name of a tool; pass";
        let plain = "cannot be a name: a name consists of letters, digits, `-` and `_`, and begins with a letter";
        for (kind, name, expected) in [
            (Kind::Tool, "Bad-Name", format!("{snake} `bad_name`")),
            (Kind::Tool, "readFile", format!("{snake} `read_file`")),
            (Kind::Toolset, "my tools", format!("{plain}; pass `my_tools`")),
            (Kind::Tool, "1", plain.to_owned()),
        ] {
            let error = check_name(kind, name).expect_err(name).to_string();
            assert_eq!(error, format!("`{name}` {expected}"));
        }
    }
}
