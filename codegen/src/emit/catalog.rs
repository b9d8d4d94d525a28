//! `catalog.json`: the catalog for programs in any language. It contains all declarations, with resolved names, and the tools of
//! every toolset. The keys are those of the manifests. Missing values are omitted.

use serde_json::{Map, Value, json};
use toolc::__gen::indented;
use toolc::FactValue;
use toolc::behaviour::Annotations;
use toolc_lower::conditional_json::CondJson;
use toolc_lower::schema::{Property, Schema};
use toolc_lower::text::atoms::When;
use toolc_lower::text::condition::Condition;
use toolc_tables::{HasKeys as _, fact_to_json};

use super::conditional::{condition_json, conditional};
use super::{Draft, Inputs, Part, Turn, turn};
use crate::catalog::{Atom, Distribution, ExternalId, Requires, Tool, ToolId, Toolset, ToolsetId};
use crate::diagnostic::Place;
use crate::lower::Lowered;
use crate::manifest::{AlternativeManifest, Caller, CommandsManifest, Overlap, RequiresManifest, ToolsetKind};
use crate::project::MARK;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    in_turn(catalog, &turn::DEFAULT)
}

/// Returns the catalog with the descriptions and schemas of a turn.
pub(super) fn in_turn<'c>(catalog: &'c Lowered<'c>, turn: &'c Turn) -> Vec<Draft<'c>> {
    let mut draft =
        Draft::new("catalog.json", Inputs::Common, || format!("{{\n  \"$comment\": \"{MARK}\",\n  \"tools\": ["));
    draft.parts.extend(catalog.tools().map(|(id, tool)| {
        let before = if id.0 == 0 { "\n    " } else { ",\n    " };
        Part::new(Inputs::Tools(vec![id]), move || {
            before.to_owned() + &indented(&tool_json(catalog, turn, id, tool), 2)
        })
    }));
    draft.parts.push(Part::new(Inputs::Common, || {
        let mut rest = json!({
            "toolsets": catalog.toolsets().map(|(id, toolset)| toolset_json(catalog, id, toolset)).collect::<Value>(),
            "distributions": distributions(catalog),
            "commands": catalog.commands().iter().map(commands).collect::<Value>(),
            "facts": facts(catalog),
            "env": variables(catalog),
        });
        if !catalog.external().is_empty() {
            rest["external"] = json!({ "tools": catalog.external() });
        }
        let end = if catalog.tools().next().is_some() { "\n  ]," } else { "]," };
        end.to_owned() + format!("{rest:#}\n").trim_start_matches('{')
    }));
    vec![draft]
}

/// Returns a tool as JSON text: its manifest with resolved names and with defaults.
fn tool_json(catalog: &Lowered<'_>, turn: &Turn, id: ToolId, tool: &Tool) -> String {
    let (values, manifest) = (turn.values_of(catalog, id, catalog.everything()), &tool.manifest);
    let Annotations { read_only, destructive, idempotent, open_world, .. } = manifest.annotations.value();
    let dialects = manifest.dialect.iter().map(|dialect| {
        let mut json = dialect.to_json();
        json["description"] = json!(dialect.description.as_ref().map(|text| values.text(&text.value)));
        (dialect.dialect.value.clone(), without_missing(json))
    });
    let mut json = manifest.to_json();
    json["description"] = json!(values.text(&manifest.description.value));
    json["annotations"] = json!({
        "read_only": read_only, "destructive": destructive, "idempotent": idempotent, "open_world": open_world,
    });
    json["requires"] = requires(catalog, &tool.requires, &manifest.requires, &tool.atoms);
    json["approval"] = without_missing(manifest.approval.to_json());
    json["deprecated"] =
        manifest.deprecated.as_ref().map_or(Value::Null, |deprecated| without_missing(deprecated.to_json()));
    json["text_input"] = manifest.text_input.as_ref().map_or(Value::Null, |text| without_missing(text.to_json()));
    if manifest.callers.is_empty() {
        json["callers"] = json!([Caller::Model.word()]);
    }
    json["dialect"] = dialects.collect::<Map<_, _>>().into();
    if json["parallel"].is_null() {
        json["parallel"] = json!(Overlap::Never.word());
    }
    if manifest.aliases.is_empty() {
        json.shift_remove("aliases");
    }
    json.insert("secret".to_owned(), json!(pointers(&manifest.params, "", &|property| property.secret)));
    json.insert("clamped".to_owned(), json!(pointers(&manifest.params, "", &|property| property.clamp)));
    json.insert("parameter_aliases".to_owned(), parameter_aliases(&manifest.params, "").into());
    let schema = |doc: &CondJson| values.render(&doc.segments());
    let returns = manifest.returns.as_ref().map(|returns| schema(&manifest.defs.document(returns)));
    let returns = returns.map(|returns| format!(",\"returns\":{returns}")).unwrap_or_default();
    let conditional = conditional(catalog, tool).map(|json| format!(",\"conditional\":{json}")).unwrap_or_default();
    let mut out = without_missing(json).to_string();
    out.pop();
    out + ",\"parameters\":" + &schema(&manifest.parameters()) + &returns + &conditional + "}"
}

/// Returns the JSON pointers of these arguments, or `None` if there are none. `parent` is the pointer of `schema`.
fn pointers(schema: &Schema, parent: &str, is_wanted: &dyn Fn(&Property) -> bool) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for property in &schema.properties {
        let pointer = pointer(parent, property);
        let nested = pointers(&property.schema, &pointer, is_wanted).unwrap_or_default();
        if is_wanted(property) {
            all.push(pointer);
        }
        all.extend(nested);
    }
    if all.is_empty() { None } else { Some(all) }
}

/// Returns the aliases of arguments by their JSON pointers. `parent` is the pointer of `schema`.
fn parameter_aliases(schema: &Schema, parent: &str) -> Map<String, Value> {
    let mut aliases = Map::new();
    for property in &schema.properties {
        let pointer = pointer(parent, property);
        let nested = parameter_aliases(&property.schema, &pointer);
        if !property.aliases.is_empty() {
            aliases.insert(pointer, property.aliases.iter().map(|alias| alias.value.as_str()).collect());
        }
        aliases.extend(nested);
    }
    aliases
}

fn pointer(parent: &str, property: &Property) -> String {
    format!("{parent}/{}", property.name.value.replace('~', "~0").replace('/', "~1"))
}

/// Returns a toolset as JSON: its manifest with resolved names, and the tools that it resolves to.
fn toolset_json(catalog: &Lowered<'_>, id: ToolsetId, toolset: &Toolset) -> Value {
    let manifest = &toolset.manifest;
    let names = |ids: &[ToolId]| ids.iter().map(|&id| catalog[id].name()).collect::<Value>();
    let with_external = |ids: &[ToolId], external: &[ExternalId]| {
        let declared = ids.iter().map(|&id| catalog[id].name());
        declared.chain(external.iter().map(|&id| catalog[id].as_str())).collect::<Value>()
    };
    let mut direct: Vec<ToolId> = toolset.direct().collect();
    direct.sort_unstable();
    direct.dedup();
    let mut json = manifest.to_json();
    json["kind"] = json!(manifest.kind.as_ref().map_or(ToolsetKind::Bundle, |kind| kind.value).word());
    json["excludes"] = with_external(&toolset.excludes, &toolset.excludes_external);
    json["requires"] = requires(catalog, &toolset.requires, &manifest.requires, &toolset.atoms);
    // `direct` replaces `tools`: it also contains the home tools.
    json.shift_remove("tools");
    json.insert("direct".to_owned(), names(&direct));
    if !toolset.external.is_empty() {
        json.insert("external".to_owned(), with_external(&[], &toolset.external));
    }
    json.insert("resolved".to_owned(), names(catalog.resolve(id)));
    without_missing(json)
}

pub(super) fn requires(
    catalog: &Lowered<'_>,
    resolved: &Requires,
    manifest: &RequiresManifest,
    atoms: &[Atom],
) -> Value {
    let tools = |ids: &[(ToolId, Place)], external: &[ExternalId]| {
        let declared = ids.iter().map(|&(id, _)| catalog[id].name());
        declared.chain(external.iter().map(|&id| catalog[id].as_str())).collect::<Value>()
    };
    let mut json = manifest.to_json();
    json["tools"] = tools(&resolved.tools, &resolved.external);
    json["any_tools"] = tools(&resolved.any_tools, &resolved.any_external);
    json["when"] = json!(manifest.when.as_ref().map(|when| condition_text(&when.value, atoms, catalog)));
    let condition = manifest.when.as_ref().map(|when| condition_json(&when.value, atoms, catalog));
    json.insert("condition".to_owned(), json!(condition));
    let alternative = |one: &AlternativeManifest| {
        let mut json = one.to_json();
        json["when"] = json!(one.when.as_ref().map(|when| condition_text(&when.value, atoms, catalog)));
        json.insert(
            "condition".to_owned(),
            json!(one.when.as_ref().map(|when| condition_json(&when.value, atoms, catalog))),
        );
        json.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        without_missing(json)
    };
    json["any"] = manifest.any.iter().map(alternative).collect();
    json["check"] = json!(manifest.checked().map(|_| true));
    json.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    without_missing(json)
}

/// Returns a condition in the syntax of manifests.
fn condition_text(when: &When, atoms: &[Atom], catalog: &Lowered<'_>) -> String {
    let joined = |parts: &[When], word: &str| {
        let parts: Vec<String> = parts.iter().map(|part| condition_text(part, atoms, catalog)).collect();
        format!("({})", parts.join(word))
    };
    match when {
        Condition::Not(inner) => format!("not {}", condition_text(inner, atoms, catalog)),
        Condition::And(parts) => joined(parts, " and "),
        Condition::Or(parts) => joined(parts, " or "),
        Condition::Atom(atom) => match &atoms[atom.0] {
            Atom::Tool(id) => format!("tools.{}", catalog[*id].name()),
            Atom::External(id) => format!("tools.{}", catalog[*id]),
            Atom::Fact(id) => format!("facts.{}", catalog[*id].name.value),
            Atom::Compared(id, comparison, literal) => {
                let literal = match literal {
                    FactValue::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
                    FactValue::Boolean(flag) => flag.to_string(),
                    FactValue::Integer(integer) => integer.to_string(),
                };
                format!("facts.{} {} {literal}", catalog[*id].name.value, comparison.sign())
            }
        },
    }
}

fn distributions(catalog: &Lowered<'_>) -> Value {
    let to_json = |distribution: &Distribution| {
        let toolsets =
            distribution.toolsets.iter().map(|(id, percent)| (catalog[*id].name().to_owned(), json!(percent)));
        let mut json = distribution.manifest.to_json();
        json["toolsets"] = toolsets.collect::<Map<_, _>>().into();
        Value::Object(json)
    };
    catalog.distributions().iter().map(to_json).collect()
}

/// Returns programs, places and rules as JSON: their manifests, without what is missing.
fn commands(manifest: &CommandsManifest) -> Value {
    fn given(value: &mut Value) {
        match value {
            Value::Object(object) => {
                object.values_mut().for_each(given);
                object.retain(|_, value| {
                    !value.is_null() && *value != json!("") && value.as_array().is_none_or(|list| !list.is_empty())
                });
            }
            Value::Array(items) => items.iter_mut().for_each(given),
            _ => {}
        }
    }
    let mut json = manifest.to_json().into();
    given(&mut json);
    json
}

fn facts(catalog: &Lowered<'_>) -> Value {
    let facts = catalog.facts().iter().map(|fact| {
        let values: Vec<&str> = fact.values.iter().map(|value| value.value.as_str()).collect();
        let mut json = json!({
            "name": fact.name.value,
            "default": fact_to_json(&fact.default),
            "description": fact.description,
            "per_session": fact.per_session,
        });
        if !values.is_empty() {
            json["values"] = json!(values);
        }
        json
    });
    facts.collect()
}

fn variables(catalog: &Lowered<'_>) -> Value {
    let variables = catalog.variables().iter().map(|variable| {
        let name = ("name".to_owned(), json!(variable.name.value));
        std::iter::once(name).chain(variable.to_json()).collect::<Map<_, _>>()
    });
    variables.map(Value::Object).collect()
}

/// Removes nulls and empty objects.
pub(super) fn without_missing(mut object: Map<String, Value>) -> Value {
    object.retain(|_, value| !value.is_null() && !value.as_object().is_some_and(Map::is_empty));
    object.into()
}
