//! Keys of a tool that mean nothing together, or nothing without another, and keys that name a parameter or another name.

use std::collections::{BTreeMap, BTreeSet};

use toolc::__gen::table::Type;
use toolc::behaviour::Execution;

use crate::catalog::{Catalog, Tool};
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink, ticked};
use crate::dialects::DIALECTS;
use crate::manifest::{Overlap, is_portable, is_reserved};
use crate::schema::Schema;
use crate::source::Kind;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for (_, tool) in catalog.tools() {
        check_timeout(tool, sink);
        check_parallel(tool, sink);
        check_deprecated(catalog, tool, sink);
        check_returns(tool, sink);
        if let Some(shell) = &tool.manifest.approval.shell {
            check_parameter(tool, shell, "shell", &[Type::String], sink);
        }
    }
    check_dialects(catalog, sink);
}

fn incompatible(place: Place, message: impl Into<String>, help: &str, sink: &Sink) {
    sink.push(Diagnostic::new(Code::INCOMPATIBLE_KEYS, place, message).help(help));
}

fn check_timeout(tool: &Tool, sink: &Sink) {
    let At { value: execution, place } = &tool.manifest.execution;
    if let (Some(timeout), Execution::Sync | Execution::Agent) = (&tool.manifest.timeout, execution) {
        let message = format!("a tool whose execution is `{}` cannot be stopped after a time", execution.word());
        let found = Diagnostic::new(Code::INCOMPATIBLE_KEYS, timeout.place, message);
        let said = if *place == tool.manifest.name.place { found } else { found.related(*place, "said here") };
        sink.push(said.help("take `timeout` out, or make it `execution = \"blocking\"` or `\"async\"`"));
    }
}

fn check_parallel(tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let keyed = manifest.parallel.as_ref().filter(|word| word.value == Overlap::Keyed);
    let parts = [("parallel_key", &manifest.parallel_key), ("parallel_space", &manifest.parallel_space)];
    let missing: Vec<&str> = parts.iter().filter(|(_, value)| value.is_none()).map(|(key, _)| *key).collect();
    if let (Some(keyed), false) = (keyed, missing.is_empty()) {
        let message = format!("keyed calls need {}", ticked(&missing, " and "));
        incompatible(keyed.place, message, "say which parameter is the key, and what it names", sink);
    }
    for (key, value) in parts.into_iter().filter(|_| keyed.is_none()) {
        if let Some(value) = value {
            let message = format!("`{key}` is of keyed calls only");
            incompatible(value.place, message, "add `parallel = \"keyed\"`, or take this out", sink);
        }
    }
    if let Some(key) = &manifest.parallel_key {
        check_parameter(tool, key, "parallel_key", &[Type::String, Type::Integer], sink);
    }
}

fn check_deprecated(catalog: &Catalog, tool: &Tool, sink: &Sink) {
    let written = tool.manifest.deprecated.as_ref().and_then(|deprecated| deprecated.replacement.as_ref());
    if let (Some(id), Some(written)) = (tool.replacement, written)
        && catalog[id].name() == tool.name()
    {
        incompatible(written.place, "a tool does not replace itself", "name another, or take this out", sink);
    }
}

/// What a tool returns is one and the same in every turn.
fn check_returns(tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.returns.iter().flat_map(Schema::walk) {
        let properties = schema.properties.iter().filter_map(|property| property.when.as_ref());
        let choices = schema.choices.iter().filter_map(|choice| choice.when.as_ref());
        for when in properties.chain(choices) {
            let message = "what a tool returns does not depend on the turn";
            incompatible(when.place, message, "take `when` out: an optional property may be left out", sink);
        }
    }
}

/// A parameter that a key names: it is there, it is of one of these types, and a call always has it or may leave it out.
fn check_parameter(tool: &Tool, name: &At<String>, key: &str, types: &[Type], sink: &Sink) {
    let properties = &tool.manifest.params.properties;
    let found = Diagnostic::new(
        Code::UNKNOWN_PARAMETER,
        name.place,
        format!("`{key}` names no parameter of `{}` that it can use: `{}`", tool.name(), name.value),
    );
    match properties.iter().find(|property| property.name.value == name.value) {
        None => {
            let names = properties.iter().map(|property| property.name.value.as_str());
            let found = found.help_nearest(&name.value, names, "the parameters are");
            sink.push(if properties.is_empty() { found.help("the tool has no parameters") } else { found });
        }
        Some(property) => {
            let of = tool.manifest.defs.types(&property.schema);
            let has_errors = tool.manifest.defs.resolve(&property.schema).schema.has_errors;
            if !has_errors && !matches!(of.as_slice(), [one] if types.contains(one)) {
                let words: Vec<&str> = types.iter().map(|t| t.name()).collect();
                let found = found.related(property.name.place, "this is of another type");
                sink.push(found.help(format!("it must be of type {}", words.join(" or "))));
            }
        }
    }
}

/// Names in a dialect: every provider takes them, and no two tools have one.
fn check_dialects(catalog: &Catalog, sink: &Sink) {
    for dialect in DIALECTS {
        let own = |tool: &'_ Tool| tool.otherwise(dialect.name).and_then(|otherwise| otherwise.name.clone());
        let renamed: Vec<(&Tool, At<String>)> =
            catalog.tools().filter_map(|(_, tool)| Some((tool, own(tool)?))).collect();
        if renamed.is_empty() {
            continue;
        }
        let mut shown: BTreeMap<&str, Vec<&Tool>> = BTreeMap::new();
        for (_, tool) in catalog.tools() {
            // Its own name stays its own, also where it is not called by it: calls are logged and approved by that.
            for name in BTreeSet::from([tool.name(), tool.name_in(dialect.name)]) {
                shown.entry(name).or_default().push(tool);
            }
        }
        for (tool, name) in &renamed {
            if is_reserved(Kind::Tool, &name.value) {
                let message = format!("`{}` is a tool of toolc's own", name.value);
                let found = Diagnostic::new(Code::RESERVED_NAME, name.place, message);
                sink.push(found.help("choose another name"));
            } else if !is_portable(&name.value) {
                let message = format!("`{}` is not a name that {} takes", name.value, dialect.name);
                sink.push(
                    Diagnostic::new(Code::INVALID_NAME, name.place, message)
                        .label("expected a letter or `_`, then letters, digits, `_` or `-`; at most 64 in all"),
                );
            }
            let same = shown[name.value.as_str()].iter().find(|other| other.name() != tool.name());
            if let Some(other) = same {
                let message = format!("the name `{}` is another tool's, in {} or everywhere", name.value, dialect.name);
                sink.push(
                    Diagnostic::new(Code::DUPLICATE_NAME, name.place, message)
                        .related(other.manifest.name.place, "the other one")
                        .help("rename one of them"),
                );
            }
        }
    }
}
