//! A user's own rules: a file of rules that comes on top of those of the host.

use std::error::Error;
use std::fmt;

use toolc_commands::rules::RuleSet;

use super::{Arena, Checked, check, compile};
use crate::diagnostic::{Diagnostic, Renderer, Sink};
use crate::manifest::{self, CommandsManifest};
use crate::source::Sources;

/// Whose rules a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user's. They can be exceptions to the rules of the host that allow this.
    Home,
    /// Those of a project, which others may have written. They can only be stricter than the rules of the host.
    Project,
}

/// Adds the rules and places of a user's file to those of the host. The result lives as long as the arena.
///
/// The file is a manifest of command rules, without programs, and `name` and `description` may be missing. `path` is shown in
/// messages. The examples of the rules are tried, as in a project.
///
/// ```
/// use toolc_codegen::commands::{Arena, Trust, with_user_rules};
/// use toolc_commands::ProgramTable;
/// use toolc_commands::rules::RuleSet;
///
/// let host = RuleSet::new(&[], &[], ProgramTable::EMPTY);
/// let arena = Arena::new();
/// let error = with_user_rules(&host, "rules.toml", "[[rule]]\nname = 'x'\n", Trust::Home, &arena).unwrap_err();
/// assert!(error.to_string().contains("write `rules`") || error.to_string().contains("did you mean `rules`"), "{error}");
/// ```
///
/// # Errors
/// The findings about the file, if it has errors. None of its rules is used then.
pub fn with_user_rules<'b>(
    base: &RuleSet<'b>,
    path: &str,
    text: &str,
    trust: Trust,
    arena: &'b Arena,
) -> Result<RuleSet<'b>, InvalidRules> {
    let sources = Sources::rules(path, text);
    let sink = Sink::default();
    let manifests: Vec<CommandsManifest> = manifest::user_rules(&sources, &sink).into_iter().collect();
    check(&Checked { manifests: &manifests, user: Some((base, trust)), is_incomplete: manifests.is_empty() }, &sink);
    sink.drop_consequences(|_| false);
    let diagnostics = sink.finish(|found| Some(found.level));
    if diagnostics.is_empty() {
        return Ok(added(base, &manifests, arena));
    }
    let renderer = Renderer::new(&sources, false);
    let rendered: Vec<String> = diagnostics.iter().map(|found| renderer.render(found)).collect();
    Err(InvalidRules { text: rendered.join("\n\n"), diagnostics })
}

/// Returns the rules of the host with those of a user.
pub(super) fn added<'b>(base: &RuleSet<'b>, manifests: &[CommandsManifest], arena: &'b Arena) -> RuleSet<'b> {
    let mut rules = base.clone();
    rules.add_places(&compile::places(manifests, arena));
    rules.add(&compile::rules(manifests, arena));
    rules
}

/// The error about a user's rules: what is wrong with them, with excerpts of the file.
#[derive(Debug)]
pub struct InvalidRules {
    diagnostics: Vec<Diagnostic>,
    text: String,
}

impl InvalidRules {
    /// Returns the findings.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for InvalidRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for InvalidRules {}
