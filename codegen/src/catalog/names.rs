//! Translates names to ids, and reports unknown names.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

use toolc::__gen::segment::Comparison;
use toolc::FactValue;
use toolc_lower::dialects::DIALECTS;
use toolc_lower::text::condition::AtomExpr;

use super::{Atom, ExternalId, FactId, ToolId, ToolsetId, VariableId};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Place, Sink};
use crate::manifest::{ANY, FactManifest};
use crate::source::Kind;

/// All declared names.
pub(super) struct Names<'s> {
    pub(super) tools: BTreeMap<String, ToolId>,
    pub(super) toolsets: BTreeMap<String, ToolsetId>,
    pub(super) facts: BTreeMap<String, FactId>,
    /// Toolsets with a manifest.
    pub(super) declared: BTreeSet<String>,
    /// Aliases of toolsets, each with the toolset's name.
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) variables: BTreeMap<String, VariableId>,
    /// Run-time tools.
    pub(super) external: BTreeMap<String, ExternalId>,
    pub(super) broken: Vec<(Kind, String)>,
    pub(super) sink: &'s Sink,
}

impl Names<'_> {
    pub(super) fn atom(&self, atom: &At<AtomExpr>, facts: &BTreeMap<String, FactManifest>) -> Option<Atom> {
        let place = atom.place;
        match &atom.value {
            AtomExpr::Tool(name) => match self.external.get(name) {
                Some(id) => Some(Atom::External(*id)),
                None => self.tool(&At::new(name.clone(), place)).map(Atom::Tool),
            },
            AtomExpr::Fact(name, compared) => {
                let id = self.fact(&At::new(name.clone(), place))?;
                let fact = &facts[name];
                let expected = compared.as_ref().map_or(&FactValue::Boolean(true), |(_, with)| with);
                if discriminant(expected) != discriminant(&fact.default) {
                    let message = if compared.is_some() {
                        format!("the fact `{name}` is {}, not {}", fact.default.noun(), expected.noun())
                    } else {
                        format!("a condition must be true or false, but the fact `{name}` is {}", fact.default.noun())
                    };
                    let sign = compared.as_ref().map_or("==", |(comparison, _)| comparison.sign());
                    let value = of_type_of(&fact.default, expected);
                    self.sink.push(
                        Diagnostic::new(codes::FACT_TYPE, place, message)
                            .related(fact.name.place, "declared here")
                            .help(match (&fact.default, sign) {
                                (FactValue::Boolean(_), sign) if (value == "true") != (sign == "!=") => {
                                    format!("write `facts.{name}`")
                                }
                                (FactValue::Boolean(_), _) => format!("write `not facts.{name}`"),
                                (_, "<" | "<=" | ">" | ">=") if !matches!(fact.default, FactValue::Integer(_)) => {
                                    format!("compare it with `==` or `!=`, such as `facts.{name} == {value}`")
                                }
                                _ => format!("compare it with a value of its own type: `facts.{name} {sign} {value}`"),
                            }),
                    );
                    return None;
                }
                match compared {
                    None => Some(Atom::Fact(id)),
                    Some((Comparison::Equal | Comparison::NotEqual, _) | (_, FactValue::Integer(_))) => {
                        let (comparison, with) = compared.clone()?;
                        Some(Atom::Compared(id, comparison, with))
                    }
                    Some(_) => {
                        let message = format!("the fact `{name}` is {}, which has no order", fact.default.noun());
                        self.sink.push(Diagnostic::new(codes::FACT_TYPE, place, message).help("use `==` or `!=`"));
                        None
                    }
                }
            }
        }
    }

    pub(super) fn fact(&self, name: &At<String>) -> Option<FactId> {
        let found = self.facts.get(&name.value).copied();
        let is_broken = self.is_broken(Kind::Facts, &name.value) || self.is_broken(Kind::Facts, "facts");
        if found.is_none() && !is_broken {
            self.sink.push(
                Diagnostic::new(codes::UNKNOWN_FACT, name.place, format!("unknown fact `{}`", name.value))
                    .help_nearest(&name.value, self.facts.keys().map(String::as_str), "the facts are")
                    .help(format!("or declare it in `manifests/facts.toml`: `[facts.{}]`", name.value)),
            );
        }
        found
    }

    pub(super) fn tool(&self, name: &At<String>) -> Option<ToolId> {
        let found = self.tools.get(&name.value).copied();
        // Run-time tools are in the settings.
        let is_broken = self.is_broken(Kind::Tool, &name.value) || self.is_broken(Kind::Settings, "toolc");
        if found.is_none() && !is_broken {
            let found = Diagnostic::new(codes::UNKNOWN_TOOL, name.place, format!("unknown tool `{}`", name.value));
            self.sink.push(if self.declared.contains(&name.value) {
                found.help(format!("`{}` is a toolset: name it in `includes`", name.value))
            } else {
                let tools = self.tools.keys().chain(self.external.keys()).map(String::as_str);
                found
                    .help_nearest(&name.value, tools, "the tools are")
                    .help("list a tool that is added at run time in `[external]` in `toolc.toml`")
            });
        }
        found
    }

    /// Splits a list into tools and run-time tools.
    pub(super) fn listed(&self, names: &[At<String>]) -> (Vec<(ToolId, Place)>, Vec<ExternalId>) {
        let (external, own): (Vec<_>, Vec<_>) = names.iter().partition(|name| self.external.contains_key(&name.value));
        let own = own.into_iter().filter_map(|name| Some((self.tool(name)?, name.place)));
        (own.collect(), external.into_iter().map(|name| self.external[&name.value]).collect())
    }

    pub(super) fn toolset(&self, name: &At<String>) -> Option<ToolsetId> {
        if self.declared.contains(&name.value) {
            return self.toolsets.get(&name.value).copied();
        }
        if !self.is_broken(Kind::Toolset, &name.value) {
            let found = unknown_toolset(name, "toolset");
            self.sink.push(if let Some(toolset) = self.aliases.get(&name.value) {
                found.help(format!("`{}` is an alias: write `{toolset}`", name.value))
            } else if name.value == "all" || name.value == "*" {
                found.help("it means all tools, and only hosts can enable it; name toolsets instead")
            } else if self.tools.contains_key(&name.value) {
                found.help(format!("`{}` is a tool: name it in `tools`", name.value))
            } else {
                self.nearest_toolset(found, name)
            });
        }
        None
    }

    pub(super) fn check_home(&self, name: &At<String>) {
        if !self.declared.contains(&name.value) && !self.is_broken(Kind::Toolset, &name.value) {
            let found = unknown_toolset(name, "home toolset");
            self.sink.push(
                self.nearest_toolset(found, name)
                    .help(format!("or declare it in `manifests/toolsets/{}.toml`", name.value)),
            );
        }
    }

    /// Looks up a variable of `env.toml`.
    pub(super) fn variable(&self, name: &At<String>) -> Option<VariableId> {
        let found = self.variables.get(&name.value).copied();
        if found.is_none() && !self.is_broken(Kind::Env, "env") {
            let or = if self.variables.is_empty() { "" } else { "or " };
            let entry = format!("`[env.{}]`, with a `description`", name.value);
            self.sink.push(
                Diagnostic::new(codes::UNKNOWN_VARIABLE, name.place, format!("unknown variable `{}`", name.value))
                    .help_nearest(&name.value, self.variables.keys().map(String::as_str), "the variables are")
                    .help(format!("{or}describe it in `manifests/env.toml`: {entry}")),
            );
        }
        found
    }

    /// Looks up a dialect.
    pub(super) fn dialect(&self, name: &At<String>) -> Option<&'static str> {
        let all = || DIALECTS.iter().map(|dialect| dialect.name);
        let found = all().find(|dialect| *dialect == name.value);
        if found.is_none() {
            self.sink.push(
                Diagnostic::new(codes::UNKNOWN_DIALECT, name.place, format!("unknown dialect `{}`", name.value))
                    .help_nearest(&name.value, all(), "the dialects are"),
            );
        }
        found
    }

    fn nearest_toolset(&self, found: Diagnostic, name: &At<String>) -> Diagnostic {
        found.help_nearest(&name.value, self.declared.iter().map(String::as_str), "the toolsets are")
    }

    pub(super) fn is_broken(&self, kind: Kind, name: &str) -> bool {
        self.broken.iter().any(|(of, broken)| *of == kind && (broken == name || broken == ANY))
    }
}

/// Writes a value of the type of a fact: the value that was compared if it reads as one, or the default of the fact.
fn of_type_of(default: &FactValue, compared: &FactValue) -> String {
    let text = match compared {
        FactValue::Text(text) => text.to_string(),
        FactValue::Integer(integer) => integer.to_string(),
        FactValue::Boolean(_) => String::new(),
    };
    match default {
        FactValue::Text(_) if !text.is_empty() => format!("'{text}'"),
        FactValue::Text(default) => format!("'{default}'"),
        FactValue::Integer(_) if text.parse::<i64>().is_ok() => text,
        FactValue::Integer(default) => default.to_string(),
        FactValue::Boolean(_) => (!matches!(text.to_lowercase().as_str(), "false" | "no" | "0" | "off")).to_string(),
    }
}

fn unknown_toolset(name: &At<String>, what: &str) -> Diagnostic {
    Diagnostic::new(codes::UNKNOWN_TOOLSET, name.place, format!("unknown {what} `{}`", name.value))
}
