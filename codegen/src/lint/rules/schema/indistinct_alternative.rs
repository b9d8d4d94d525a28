//! An object in an `anyOf` or `oneOf` that cannot be distinguished from the other objects by the `const` of their
//! common property: its value is the same as another one's, or the property is missing or optional. Equal definitions of
//! several tools are reported once.
//!
//! ## Why is this bad
//! One such object turns the whole union into a `toolc::Value` instead of an enum, so the handler must find out which
//! alternative was sent. If two objects have the same `const`, the model cannot express which one it means either.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.part]
//! description = "Which part to read: some lines, or a section."
//!
//! [[params.part.oneOf]]
//! type = "object"
//! properties.kind = { const = "lines", description = "The kind of part.", required = true }
//! properties.first = { type = "integer", description = "The first line." }
//!
//! [[params.part.oneOf]]
//! type = "object"
//! properties.kind = { const = "section", description = "The kind of part." }
//! properties.heading = { type = "string", description = "Its heading.", required = true }
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.part]
//! description = "Which part to read: some lines, or a section."
//!
//! [[params.part.oneOf]]
//! type = "object"
//! properties.kind = { const = "lines", description = "The kind of part.", required = true }
//! properties.first = { type = "integer", description = "The first line." }
//!
//! [[params.part.oneOf]]
//! type = "object"
//! properties.kind = { const = "section", description = "The kind of part.", required = true }
//! properties.heading = { type = "string", description = "Its heading.", required = true }
//! ```

use toolc_lower::schema::{Alternative, Defs, Property, Schema, TagDefect};
use rayon::prelude::*;
use serde_json::Value;
use toolc::__gen::table::Type;

use crate::lint::codes;
use super::duplicate_alternative::without_annotations;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule, copies};

pub(super) const RULE: Rule = Rule::new("S064", "indistinct-alternative", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    // A plugin's program receives JSON in any case.
    if lint.plugin().is_some() {
        return;
    }
    // Plain manifests have no alternatives.
    let tools: Vec<&Tool> = lint.tools().map(|(_, tool)| tool).filter(|tool| !tool.manifest.is_plain()).collect();
    copies::report(tools.par_iter().flat_map_iter(|tool| indistinct(tool)).collect(), sink);
}

fn indistinct(tool: &Tool) -> Vec<(Option<copies::Key>, Diagnostic)> {
    let defs = &tool.manifest.defs;
    let mut found = Vec::new();
    for (def, root) in copies::roots(tool) {
        for (parents, schema) in root.walk_with_parents() {
            // A part of a larger schema has no type of its own, unless only null is added to it.
            let is_whole = parents.iter().all(|outer| outer.non_null_alternative().is_some());
            let Some(alternatives) = defs.union_without_tag(schema).filter(|_| is_whole) else { continue };
            let objects: Vec<Object<'_>> = alternatives.iter().filter_map(|one| Object::new(one, defs)).collect();
            if let Some(name) = intended_tag(&objects, alternatives.len(), defs) {
                let key = |found: &Diagnostic| def.map(|(_, def)| copies::key(&found.message, def, tool));
                found.extend(report(name, &objects, defs).into_iter().map(|found| (key(&found), found)));
            }
        }
    }
    found
}

/// An alternative that is an object.
struct Object<'s> {
    /// The alternative as written.
    schema: &'s Schema,
    properties: &'s [Property],
    /// Whether it is a reference to a definition.
    is_def: bool,
}

impl<'s> Object<'s> {
    fn new(alternative: &Alternative<'s>, defs: &'s Defs) -> Option<Self> {
        let bare = defs.resolve(alternative.schema);
        let is_object = alternative.ty == Type::Object && !bare.schema.has_errors;
        let (schema, properties) = (alternative.schema, bare.schema.properties.as_slice());
        is_object.then_some(Self { schema, properties, is_def: bare.via.is_some() })
    }

    fn property(&self, name: &str) -> Option<&'s Property> {
        self.properties.iter().find(|property| property.name.value == name)
    }
}

/// Returns the property that is meant to distinguish these objects, which are some of `count` alternatives: most alternatives have
/// it with a single value, or half of them do and the others have it with another kind of value.
fn intended_tag<'s>(objects: &[Object<'s>], count: usize, defs: &'s Defs) -> Option<&'s str> {
    let mut best: Option<(&str, (usize, usize))> = None;
    for name in objects.iter().flat_map(|object| object.properties).map(|property| property.name.value.as_str()) {
        let having: Vec<&Property> = objects.iter().filter_map(|object| object.property(name)).collect();
        let values: Vec<&Value> = having.iter().filter_map(|property| defs.only_value(&property.schema)).collect();
        let differing =
            values.iter().enumerate().filter(|(index, value)| !values[..*index].contains(value)).count();
        let is_in_most = 2 * values.len() > count || (2 * values.len() == count && having.len() == count);
        // A value that all objects share does not distinguish them.
        let differs = differing > 1 || count == 2;
        let rank = (differing, values.len());
        if is_in_most && differs && best.is_none_or(|(_, other)| rank > other) {
            best = Some((name, rank));
        }
    }
    best.map(|(name, _)| name)
}

fn report(name: &str, objects: &[Object<'_>], defs: &Defs) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut seen: Vec<(&Value, &Object<'_>, Place)> = Vec::new();
    for object in objects {
        let Some(property) = object.property(name) else {
            let message = format!("alternatives are distinguished by `{name}`, which this one lacks");
            let found = Diagnostic::new(codes::INDISTINCT_ALTERNATIVE, object.schema.place, message);
            let help = format!("add it: `properties.{name} = {{ const = \"...\", required = true }}`");
            findings.push(with_help(found, &help));
            continue;
        };
        let place = property.name.place;
        let (what, help) = match defs.tag(property) {
            Ok(value) => {
                let same = seen.iter().find(|(other, ..)| *other == value).copied();
                seen.push((value, object, place));
                let Some((_, other, first)) = same else { continue };
                // Equal alternatives are reported by `duplicate-alternative`.
                if without_annotations(object.schema, defs) != without_annotations(other.schema, defs) {
                    let what = format!("is also {value} in another alternative");
                    let found = finding(name, &what, object, place).related(first, "the other alternative");
                    findings.push(with_help(found, "give each alternative a different `const`"));
                }
                continue;
            }
            Err(TagDefect::NotConstant) => {
                ("has no single value here", "give it a `const`, with one alternative per value")
            }
            Err(TagDefect::NotSimple) => {
                ("has a value here that cannot distinguish alternatives", "give it a `const` that is a string, an integer or a boolean")
            }
            Err(TagDefect::Conditional) => {
                ("is not available in every turn", "remove its `when`, or that of its value")
            }
            Err(TagDefect::Nullable) => ("may be null here", "remove `null` from its types"),
            Err(TagDefect::Optional) => ("is optional here", "add `required = true` next to its `const`"),
        };
        findings.push(with_help(finding(name, what, object, place), help));
    }
    findings
}

/// Creates a finding at the property, or at the reference to a definition, which other references may share.
fn finding(name: &str, what: &str, object: &Object<'_>, place: Place) -> Diagnostic {
    let message = format!("alternatives are distinguished by `{name}`, which {what}");
    if object.is_def {
        Diagnostic::new(codes::INDISTINCT_ALTERNATIVE, object.schema.place, message).related(place, "this property")
    } else {
        Diagnostic::new(codes::INDISTINCT_ALTERNATIVE, place, message)
    }
}

fn with_help(found: Diagnostic, help: &str) -> Diagnostic {
    found.help(help).help("until then, the handler receives a `toolc::Value` instead of an enum")
}
