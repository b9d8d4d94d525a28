//! `toolc permissions add`.

use std::fmt;

use clap::Args;
use serde_json::Value;
use toolc_config::{Words as _, edit_permissions};
use toolc_permissions::{
    EditError, InvalidFile, NewParameter, NewRule, PermissionFile, Trust, Verdict, hints, mistakes,
};

use super::Loaded;
use crate::ground::ask::print;
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;

/// The arguments of `permissions add`. Those with `PARAMETER=` are conditions on an argument, and can be repeated.
#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The name of the rule: lower-case letters, digits and `-`.
    name: String,
    /// The verdict: allow, ask or deny.
    #[arg(long, value_parser = verdict)]
    verdict: Verdict,
    /// What such a call does, for the person who is asked and for the model.
    #[arg(long)]
    description: String,
    /// A rule with the verdict `ask` to which this one is an exception. Can be repeated.
    #[arg(long, value_name = "RULE")]
    exempts: Vec<String>,
    /// A pattern for the names of tools. Can be repeated.
    #[arg(long = "tool", value_name = "PATTERN")]
    tools: Vec<String>,
    /// A pattern for the names of tools to which the rule does not apply. Can be repeated.
    #[arg(long = "without-tool", value_name = "PATTERN")]
    without_tools: Vec<String>,
    /// A pattern for the names of toolsets. Can be repeated.
    #[arg(long = "toolset", value_name = "PATTERN")]
    toolsets: Vec<String>,
    /// A pattern for the names of MCP servers. Can be repeated.
    #[arg(long = "server", value_name = "PATTERN")]
    servers: Vec<String>,
    /// A kind of environment. Can be repeated.
    #[arg(long = "in-environment", value_name = "KIND")]
    environments: Vec<String>,
    /// A declared effect of the tool: `read_only`, `destructive`, `idempotent` or `open_world`, with `=true` or `=false`. Can be repeated.
    #[arg(long = "annotation", value_name = "NAME=BOOLEAN", value_parser = annotation)]
    annotations: Vec<(String, bool)>,
    /// A file, or a folder in which the path must be.
    #[arg(long, value_name = "PARAMETER=PATH", value_parser = pair)]
    within: Vec<(String, String)>,
    /// A file, or a folder outside of which the path must be.
    #[arg(long, value_name = "PARAMETER=PATH", value_parser = pair)]
    outside: Vec<(String, String)>,
    /// A host that the URL must have.
    #[arg(long = "host", value_name = "PARAMETER=HOST", value_parser = pair)]
    hosts: Vec<(String, String)>,
    /// A host that the URL must not have.
    #[arg(long = "without-host", value_name = "PARAMETER=HOST", value_parser = pair)]
    without_hosts: Vec<(String, String)>,
    /// A pattern that the text must match.
    #[arg(long, value_name = "PARAMETER=PATTERN", value_parser = pair)]
    matches: Vec<(String, String)>,
    /// A pattern that the text must not match.
    #[arg(long, value_name = "PARAMETER=PATTERN", value_parser = pair)]
    without: Vec<(String, String)>,
    /// A JSON value that the argument must equal.
    #[arg(long, value_name = "PARAMETER=JSON", value_parser = pair)]
    is: Vec<(String, String)>,
    /// The smallest number.
    #[arg(long, value_name = "PARAMETER=NUMBER", value_parser = pair)]
    minimum: Vec<(String, String)>,
    /// The largest number.
    #[arg(long, value_name = "PARAMETER=NUMBER", value_parser = pair)]
    maximum: Vec<(String, String)>,
    /// The call must have no other arguments.
    #[arg(long)]
    no_other_parameters: bool,
}

fn verdict(text: &str) -> std::result::Result<Verdict, String> {
    Verdict::from_word(text).ok_or_else(|| "expected allow, ask or deny".to_owned())
}

fn pair(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected `PARAMETER=VALUE`")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn annotation(text: &str) -> std::result::Result<(String, bool), String> {
    let (name, value) = pair(text).map_err(|_| "expected `NAME=true` or `NAME=false`".to_owned())?;
    Ok((name, value.parse().map_err(|_| "expected `true` or `false`".to_owned())?))
}

/// Returns a list of the conditions on a parameter.
type List = fn(&mut NewParameter) -> &mut Vec<String>;

impl AddArgs {
    /// Adds the rule to the file of the user, unless it has mistakes.
    pub(super) fn run(&self, loaded: &Loaded) -> Result<u8> {
        let (rule, shown) = (self.rule()?, loaded.home.permissions().display().to_string());
        let files = change_rules(loaded, |old| rule.added_to(old))?;
        print(&format!("added {} to {shown}\n", self.name))?;
        let added = files.iter().flat_map(PermissionFile::rules).find(|rule| rule.name() == self.name);
        for hint in added.map(|rule| hints(rule, &loaded.tools)).unwrap_or_default() {
            tell!("note: {hint}");
        }
        Ok(0)
    }

    fn rule(&self) -> Result<NewRule> {
        let mut rule = NewRule {
            exempts: self.exempts.clone(),
            tools: self.tools.clone(),
            without_tools: self.without_tools.clone(),
            toolsets: self.toolsets.clone(),
            servers: self.servers.clone(),
            environments: self.environments.clone(),
            annotations: self.annotations.clone(),
            no_other_parameters: self.no_other_parameters,
            ..NewRule::new(&self.name, &self.description, self.verdict)
        };
        let texts: [(&[(String, String)], List); 6] = [
            (&self.within, |parameter| &mut parameter.within),
            (&self.outside, |parameter| &mut parameter.outside),
            (&self.hosts, |parameter| &mut parameter.hosts),
            (&self.without_hosts, |parameter| &mut parameter.without_hosts),
            (&self.matches, |parameter| &mut parameter.matches),
            (&self.without, |parameter| &mut parameter.without),
        ];
        for (pairs, list) in texts {
            for (name, text) in pairs {
                list(parameter(&mut rule, name)).push(text.clone());
            }
        }
        for (name, text) in &self.is {
            parameter(&mut rule, name).is.push(json(text)?);
        }
        for (key, pairs) in [("minimum", &self.minimum), ("maximum", &self.maximum)] {
            for (name, text) in pairs {
                parameter(&mut rule, name).bounds.push((key.to_owned(), json(text)?));
            }
        }
        Ok(rule)
    }
}

/// Changes the text of the user's file, unless the rules would then have mistakes. Returns all files with rules.
pub(super) fn change_rules(
    loaded: &Loaded,
    change: impl FnOnce(&str) -> std::result::Result<String, EditError>,
) -> Result<Vec<PermissionFile>> {
    let shown = loaded.home.permissions().display().to_string();
    let mut files = loaded.files(&loaded.directory)?;
    files.retain(|file| !file.is_at(&shown));
    edit_permissions(&loaded.home, |old| {
        let new = change(old).map_err(Refused::Text)?;
        let read = PermissionFile::read_with(&shown, &new, Trust::Home, |name| loaded.tools.find(name));
        files.insert(0, read.map_err(Refused::File)?);
        let mistakes = mistakes(&files, &loaded.tools);
        if mistakes.is_empty() { Ok(new) } else { Err(Refused::Mistakes(mistakes)) }
    })?;
    Ok(files)
}

/// Why rules are not changed.
#[derive(Debug)]
enum Refused {
    /// The text of the file cannot be changed so.
    Text(EditError),
    /// The rules of the file have mistakes.
    File(InvalidFile),
    /// The rules do not fit the tools, or those of other files.
    Mistakes(Vec<String>),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => fmt::Display::fmt(error, f),
            Self::File(error) => fmt::Display::fmt(error, f),
            Self::Mistakes(mistakes) => f.write_str(&mistakes.join("\n\n")),
        }
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Text(error) => Some(error),
            Self::File(error) => Some(error),
            Self::Mistakes(_) => None,
        }
    }
}

/// Returns the conditions on a parameter, which are added if there are none.
fn parameter<'r>(rule: &'r mut NewRule, name: &str) -> &'r mut NewParameter {
    let known = rule.parameters.iter().position(|parameter| parameter.name == name);
    let at = known.unwrap_or_else(|| {
        rule.parameters.push(NewParameter::new(name));
        rule.parameters.len() - 1
    });
    &mut rule.parameters[at]
}

fn json(text: &str) -> Result<Value> {
    let failed = |error| {
        Error::Invalid(format!("`{}` is not JSON: {error}. Write a text in double quotes", text.escape_debug()))
    };
    serde_json::from_str(text).map_err(failed)
}
