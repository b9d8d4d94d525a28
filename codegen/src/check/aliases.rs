//! Checks the aliases of tools and parameters: each must be a name that vendors accept, and mean nothing else.

use std::fmt::Display;

use toolc::__gen::name::{NameGrammar, PARAMETER, PORTABLE};
use toolc::__gen::names::{same_name, same_spelling};
use toolc_lower::schema::{Additional, Property, Schema};

use crate::catalog::{Catalog, Tool};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Place, Sink};
use crate::manifest::is_reserved;
use crate::source::Kind;

/// Checks the aliases of parameters.
pub(super) fn check_tool(_: &Catalog, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.argument_roots().flat_map(Schema::walk) {
        check_object(schema, sink);
    }
    let results = tool.manifest.returns.iter().flat_map(Schema::walk).flat_map(|schema| &schema.properties);
    for alias in results.flat_map(|property| &property.aliases) {
        let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, alias.place, "`aliases` is not supported in `returns`");
        sink.push(found.help("remove it: a result has the names that the handler writes"));
    }
}

/// Checks the aliases of tools. The runtime corrects case and `-`, so names that differ only in them are the same.
pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let aliases = || catalog.tools().flat_map(|(_, tool)| tool.manifest.aliases.iter().map(move |alias| (tool, alias)));
    if aliases().next().is_none() {
        return;
    }
    let names: Vec<(&Tool, &str, Place)> = catalog.tools().flat_map(|(_, tool)| names(tool)).collect();
    for (at, (tool, alias)) in aliases().enumerate() {
        let other_name =
            names.iter().find(|(of, name, _)| of.name() != tool.name() && same_spelling(name, &alias.value));
        let external = catalog.external().iter().find(|name| same_spelling(name, &alias.value));
        let other_alias = aliases().take(at).find(|(_, other)| same_spelling(&other.value, &alias.value));
        if is_reserved(Kind::Tool, &alias.value) {
            let message = format!("the tool name `{}` is reserved", alias.value);
            let found = Diagnostic::new(codes::RESERVED_NAME, alias.place, message);
            sink.push(found.label("toolc uses this name itself").help("choose another alias, or remove it"));
        } else if let Some((of, _, place)) = other_name {
            sink.push(taken(alias, format_args!("the name of the tool `{}`", of.name()), Some(*place)));
        } else if external.is_some() {
            sink.push(taken(alias, "the name of a tool that is added at run time", None));
        } else if let Some((of, other)) = other_alias {
            sink.push(taken(alias, format_args!("an alias of the tool `{}`", of.name()), Some(other.place)));
        } else {
            check_grammar(alias, "a tool", PORTABLE, sink);
        }
    }
}

/// Returns the names of a tool, in all dialects.
fn names(tool: &Tool) -> impl Iterator<Item = (&Tool, &str, Place)> {
    let own = &tool.manifest.name;
    let renamed = tool.manifest.dialect.iter().filter_map(|dialect| dialect.name.as_ref());
    std::iter::once(own).chain(renamed).map(move |name| (tool, name.value.as_str(), name.place))
}

/// Checks the aliases of the properties of an object. The runtime corrects case, `_`, `-` and spaces.
fn check_object(schema: &Schema, sink: &Sink) {
    let aliases = || schema.properties.iter().flat_map(|of| of.aliases.iter().map(move |alias| (of, alias)));
    for (at, (property, alias)) in aliases().enumerate() {
        let is_other = |other: &&Property| other.name.value != property.name.value;
        let mut others = schema.properties.iter().filter(is_other);
        let other_alias = aliases().take(at).find(|(_, other)| same_name(&other.value, &alias.value));
        if !matches!(schema.additional, Additional::Deny) {
            let message = "`aliases` needs an object without further properties";
            let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, alias.place, message);
            sink.push(found.help("remove `additionalProperties`, or the alias: the key may be a property of its own"));
        } else if let Some(other) = others.find(|other| same_name(&other.name.value, &alias.value)) {
            let what = format!("the name of the parameter `{}`", other.name.value);
            sink.push(taken(alias, what, Some(other.name.place)));
        } else if let Some((of, other)) = other_alias {
            sink.push(taken(alias, format_args!("an alias of the parameter `{}`", of.name.value), Some(other.place)));
        } else {
            check_grammar(alias, "a parameter", PARAMETER, sink);
        }
    }
}

fn taken(alias: &At<String>, what: impl Display, first: Option<Place>) -> Diagnostic {
    let message = format!("the alias `{}` is already {what}", alias.value);
    let found = Diagnostic::new(codes::ALIAS_SHADOWS_NAME, alias.place, message);
    let found = match first {
        Some(first) => found.related(first, "used here"),
        None => found,
    };
    found.help("choose another alias, or remove it")
}

fn check_grammar(alias: &At<String>, what: &str, grammar: NameGrammar, sink: &Sink) {
    // An empty name has been reported.
    if !alias.value.is_empty() && !grammar.accepts(&alias.value) {
        let message = format!("`{}` is not a name of {what} that every vendor accepts", alias.value);
        let found = Diagnostic::new(codes::INVALID_NAME, alias.place, message);
        sink.push(
            found.label(format!("expected {}", grammar.expected())).help("no model writes such a name: remove it"),
        );
    }
}
