//! The narrowest rule that would have covered a call, which a question offers.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolc::Tool;

use crate::edit::{NewParameter, NewRule};
use crate::host_pattern::host_of;
use crate::keys::Verdict;
use crate::parameter::Parameter;
use crate::paths::{PathSource, escape};
use crate::rule::{CallFacts, Permission, Trust};

/// The maximum number of bytes of a rule that is offered.
const MAX_BYTES: usize = 4000;

/// A rule that would have covered a call, and its description.
pub(crate) struct Narrow {
    pub(crate) rule: NewRule,
    pub(crate) text: String,
}

/// Returns the narrowest rule that would have covered a call about which the rules `asked` ask: the folders of its paths, the hosts of its
/// URLs, and else the same values. `None` if the call has secrets, or is too long to be kept.
pub(crate) fn narrow(
    call: &CallFacts<'_>,
    tool: &Tool,
    source: Option<&dyn PathSource>,
    asked: &[&Permission],
) -> Option<Narrow> {
    if tool.arguments.properties.iter().any(|property| property.secret) {
        return None;
    }
    let conditions: Vec<&Parameter> = asked.iter().flat_map(|rule| &rule.parameters).collect();
    // A folder or a host leaves other arguments open. A project cannot say that a parameter is one.
    let of_user: Vec<&Parameter> =
        asked.iter().filter(|rule| rule.trust == Trust::Home).flat_map(|rule| &rule.parameters).collect();
    let has = |name: &str, is_kind: fn(&Parameter) -> bool| of_user.iter().any(|own| own.name == name && is_kind(own));
    let is_limited =
        |name: &str| conditions.iter().any(|own| own.name.split('.').next() == Some(name) || own.name == name);
    let is_path =
        |name: &str| source.is_some_and(|source| source.is_path(tool, name)) || has(name, Parameter::is_about_paths);
    let mut found = Found::default();
    let mut others: Vec<(&str, &Value)> = Vec::new();
    for (name, value) in call.arguments {
        let is_host = has(name, Parameter::is_about_hosts) || is_url(value);
        if is_path(name) {
            found.parameters.push(folders(call, name, texts(value)?)?);
            found.is_restricted = true;
        } else if is_host {
            let hosts: Option<Vec<String>> = texts(value)?.iter().map(|text| host_of(text)).collect();
            found.parameters.push(NewParameter { hosts: unique(hosts?), ..NewParameter::new(name) });
            found.is_restricted = true;
        } else {
            others.push((name, value));
        }
    }
    for property in &tool.arguments.properties {
        let name = &*property.name;
        let paths = (call.other_paths)(name);
        if paths.is_empty() || !is_path(name) || found.parameters.iter().any(|known| known.name == name) {
            continue;
        }
        found.parameters.push(folders(call, name, paths.iter().map(Option::as_deref).collect::<Option<_>>()?)?);
        found.is_restricted = true;
    }
    for (name, value) in others {
        let is_exact = !found.is_restricted || value.is_boolean() || is_choice(tool, name) || is_limited(name);
        let is = if is_exact { vec![value.clone()] } else { Vec::new() };
        found.parameters.push(NewParameter { is, ..NewParameter::new(name) });
    }
    let rule = NewRule {
        exempts: asked.iter().map(|rule| rule.name.clone()).collect(),
        tools: vec![escape(&tool.name)],
        environments: vec![call.environment.to_owned()],
        no_other_parameters: true,
        parameters: found.parameters,
        ..NewRule::new("answer", "A person has allowed this.", Verdict::Allow)
    };
    let text = description(&rule, call.arguments.is_empty());
    (rule.text().len() <= MAX_BYTES).then_some(Narrow { rule, text })
}

#[derive(Default)]
struct Found {
    parameters: Vec<NewParameter>,
    /// Whether a folder or a host limits the rule, so that other texts and numbers can be any.
    is_restricted: bool,
}

/// Returns the texts of a value, or `None` if it has anything else.
fn texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(text) => Some(vec![text]),
        Value::Array(items) if !items.is_empty() => items.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn is_url(value: &Value) -> bool {
    let is_web = |text: &&str| {
        let lower = text.trim_start().get(..8).unwrap_or_default().to_ascii_lowercase();
        lower.starts_with("http://") || lower.starts_with("https://")
    };
    texts(value).is_some_and(|texts| texts.iter().all(is_web))
}

/// Returns whether a parameter has one of a few words.
fn is_choice(tool: &Tool, name: &str) -> bool {
    let table = &tool.arguments;
    let property = table.properties.iter().find(|property| &*property.name == name);
    let node = property.and_then(|property| table.nodes.get(usize::from(property.node)));
    node.is_some_and(|node| !node.literals.slice(&table.literals).is_empty())
}

/// Returns a condition on paths: the folder of each.
fn folders(call: &CallFacts<'_>, name: &str, paths: Vec<&str>) -> Option<NewParameter> {
    let files = call.paths.get()?;
    let (directory, home) = (files.directory(), files.home());
    let is_wide = |folder: &Path| {
        let is_above = |place: &Option<PathBuf>| place.as_ref().is_some_and(|place| place.starts_with(folder));
        folder.parent().is_none() || is_above(&directory) || is_above(&home)
    };
    let pattern = |path: &str| {
        let path = call.paths.locate(path)?;
        let folder = path.parent().filter(|folder| !is_wide(folder)).map_or(path.clone(), Path::to_owned);
        Some(escape(folder.to_str()?))
    };
    let within: Option<Vec<String>> = paths.into_iter().map(pattern).collect();
    Some(NewParameter { within: unique(within?), ..NewParameter::new(name) })
}

fn unique(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// Returns a description of the calls that a rule covers.
fn description(rule: &NewRule, is_without_arguments: bool) -> String {
    let tool = rule.tools.join(", ");
    let limits: Vec<String> = rule.parameters.iter().filter_map(limit).collect();
    match limits.as_slice() {
        [] if is_without_arguments => format!("calls of `{tool}` without arguments"),
        [] => format!("calls of `{tool}`"),
        limits => format!("calls of `{tool}` with {}", limits.join(", ")),
    }
}

fn limit(parameter: &NewParameter) -> Option<String> {
    let name = &parameter.name;
    let list = |texts: &[String]| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" or ");
    if !parameter.within.is_empty() {
        return Some(format!("`{name}` in {}", list(&parameter.within)));
    }
    if !parameter.hosts.is_empty() {
        return Some(format!("`{name}` at {}", list(&parameter.hosts)));
    }
    let value = parameter.is.first()?.to_string();
    let shown: String = value.chars().take(120).collect();
    let end = if shown.len() < value.len() { "…" } else { "" };
    Some(format!("`{name}` = {shown}{end}"))
}
