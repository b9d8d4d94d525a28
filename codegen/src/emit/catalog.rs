//! `catalog.json`: the catalog for programs in any language. Everything that the manifests declare, with names resolved
//! and with what every toolset holds. Keys are those of the manifests; what was not said is left out.

use serde_json::{Map, Value, json};
use toolc::__gen::indented;
use toolc::FactValue;
use toolc::behaviour::Annotations;

use super::{Draft, Inputs, Part};
use crate::catalog::{Atom, ExternalId, Requires, Tool, ToolId, Toolset, ToolsetId};
use crate::conditional_json::CondJson;
use crate::diagnostic::Place;
use crate::lower::Lowered;
use crate::manifest::{CommandsManifest, Overlap, ReadTable as _, RequiresManifest, ToolsetKind, fact_to_json};
use crate::project::MARK;
use crate::schema::Schema;
use crate::text::atoms::When;
use crate::text::condition::Condition;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let mut draft =
        Draft::new("catalog.json", Inputs::Common, || format!("{{\n  \"$comment\": \"{MARK}\",\n  \"tools\": ["));
    draft.parts.extend(catalog.tools().map(|(id, one)| {
        let before = if id.0 == 0 { "\n    " } else { ",\n    " };
        Part::new(Inputs::Tools(vec![id]), move || before.to_owned() + &indented(&tool(catalog, one), 2))
    }));
    draft.parts.push(Part::new(Inputs::Common, || {
        let mut rest = json!({
            "toolsets": catalog.toolsets().map(|(id, one)| toolset(catalog, id, one)).collect::<Value>(),
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

/// Returns a tool as JSON: what its manifest says, with names resolved and defaults added.
fn tool(catalog: &Lowered<'_>, tool: &Tool) -> String {
    let (setting, manifest) = (catalog.full_setting(tool), &tool.manifest);
    let Annotations { read_only, destructive, idempotent, open_world, .. } = manifest.annotations.value();
    let dialects = manifest.dialect.iter().map(|dialect| {
        let mut json = dialect.to_json();
        json["description"] = json!(dialect.description.as_ref().map(|text| setting.text(&text.value)));
        (dialect.dialect.value.clone(), without_missing(json))
    });
    let mut json = manifest.to_json();
    json["description"] = json!(setting.text(&manifest.description.value));
    json["annotations"] = json!({
        "read_only": read_only, "destructive": destructive, "idempotent": idempotent, "open_world": open_world,
    });
    json["requires"] = requires(catalog, &tool.requires, &manifest.requires, &tool.atoms);
    json["approval"] = without_missing(manifest.approval.to_json());
    json["deprecated"] = manifest.deprecated.as_ref().map_or(Value::Null, |it| without_missing(it.to_json()));
    json["dialect"] = dialects.collect::<Map<_, _>>().into();
    if json["parallel"].is_null() {
        json["parallel"] = json!(Overlap::Never.word());
    }
    json.insert("secret".to_owned(), json!(secrets(&manifest.params, "")));
    let schema = |doc: &CondJson| setting.render(&doc.segments());
    let returns = manifest.returns.as_ref().map(|returns| schema(&manifest.defs.document(returns)));
    let returns = returns.map(|returns| format!(",\"returns\":{returns}")).unwrap_or_default();
    let mut out = without_missing(json).to_string();
    out.pop();
    out + ",\"parameters\":" + &schema(&manifest.parameters()) + &returns + "}"
}

/// JSON pointers to the arguments that must not be shown, or `None` if all may be shown.
fn secrets(schema: &Schema, at: &str) -> Option<Vec<String>> {
    let below = schema.properties.iter().flat_map(|property| {
        let pointer = format!("{at}/{}", property.name.value.replace('~', "~0").replace('/', "~1"));
        let within = secrets(&property.schema, &pointer).unwrap_or_default();
        property.secret.then_some(pointer).into_iter().chain(within)
    });
    let all: Vec<String> = below.collect();
    (!all.is_empty()).then_some(all)
}

fn toolset(catalog: &Lowered<'_>, id: ToolsetId, toolset: &Toolset) -> Value {
    let manifest = &toolset.manifest;
    let names = |ids: &[ToolId]| ids.iter().map(|&id| catalog[id].name()).collect::<Value>();
    let own_and = |ids: &[ToolId], external: &[ExternalId]| {
        let own = ids.iter().map(|&id| catalog[id].name());
        own.chain(external.iter().map(|&id| catalog[id].as_str())).collect::<Value>()
    };
    let mut direct: Vec<ToolId> = toolset.direct().collect();
    direct.sort_unstable();
    direct.dedup();
    let mut json = manifest.to_json();
    json["kind"] = json!(manifest.kind.as_ref().map_or(ToolsetKind::Bundle, |kind| kind.value).word());
    json["excludes"] = own_and(&toolset.excludes, &toolset.excludes_external);
    json["requires"] = requires(catalog, &toolset.requires, &manifest.requires, &toolset.atoms);
    // Its tools are those that it lists and those that are at home in it.
    json.shift_remove("tools");
    json.insert("direct".to_owned(), names(&direct));
    if !toolset.external.is_empty() {
        json.insert("external".to_owned(), own_and(&[], &toolset.external));
    }
    json.insert("resolved".to_owned(), names(&catalog.resolve(id)));
    without_missing(json)
}

fn requires(catalog: &Lowered<'_>, linked: &Requires, manifest: &RequiresManifest, atoms: &[Atom]) -> Value {
    let tools = |ids: &[(ToolId, Place)], external: &[ExternalId]| {
        let own = ids.iter().map(|&(id, _)| catalog[id].name());
        own.chain(external.iter().map(|&id| catalog[id].as_str())).collect::<Value>()
    };
    let mut json = manifest.to_json();
    json["tools"] = tools(&linked.tools, &linked.external);
    json["any_tools"] = tools(&linked.any_tools, &linked.any_external);
    json["when"] = json!(manifest.when.as_ref().map(|when| written(&when.value, atoms, catalog)));
    json["check"] = json!(manifest.checked().map(|_| true));
    json.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    without_missing(json)
}

/// A condition as an author writes it.
fn written(when: &When, atoms: &[Atom], catalog: &Lowered<'_>) -> String {
    let joined = |parts: &[When], word: &str| {
        let parts: Vec<String> = parts.iter().map(|part| written(part, atoms, catalog)).collect();
        format!("({})", parts.join(word))
    };
    match when {
        Condition::Not(inner) => format!("not {}", written(inner, atoms, catalog)),
        Condition::And(parts) => joined(parts, " and "),
        Condition::Or(parts) => joined(parts, " or "),
        Condition::Atom(atom) => match &atoms[atom.0] {
            Atom::Tool(id) => format!("tools.{}", catalog[*id].name()),
            Atom::External(id) => format!("tools.{}", catalog[*id]),
            Atom::Fact(id) => format!("facts.{}", catalog[*id].name.value),
            Atom::Compared(id, comparison, with) => {
                let with = match with {
                    FactValue::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
                    FactValue::Boolean(flag) => flag.to_string(),
                    FactValue::Integer(integer) => integer.to_string(),
                };
                format!("facts.{} {} {with}", catalog[*id].name.value, comparison.sign())
            }
        },
    }
}

fn distributions(catalog: &Lowered<'_>) -> Value {
    let one = |distribution: &crate::catalog::Distribution| {
        let toolsets =
            distribution.toolsets.iter().map(|(id, percent)| (catalog[*id].name().to_owned(), json!(percent)));
        let mut json = distribution.manifest.to_json();
        json["toolsets"] = toolsets.collect::<Map<_, _>>().into();
        Value::Object(json)
    };
    catalog.distributions().iter().map(one).collect()
}

fn commands(manifest: &CommandsManifest) -> Value {
    let rules = manifest.rules.iter().map(|rule| {
        let mut json = rule.to_json();
        json.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        Value::Object(json)
    });
    let mut json = manifest.to_json();
    json["rules"] = rules.collect();
    json.into()
}

fn facts(catalog: &Lowered<'_>) -> Value {
    let facts = catalog.facts().iter().map(|fact| {
        json!({ "name": fact.name.value, "default": fact_to_json(&fact.default), "description": fact.description })
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

/// Returns the object without its nulls and empty objects.
fn without_missing(mut object: Map<String, Value>) -> Value {
    object.retain(|_, value| !value.is_null() && !value.as_object().is_some_and(Map::is_empty));
    object.into()
}
