//! `catalog.json`: the catalog for programs in any language. Everything that the manifests declare, with names resolved
//! and with what every toolset holds. Keys are those of the manifests; what was not said is left out.

use serde_json::{Map, Value, json};
use toolc::behaviour::Annotations;
use toolc::segment::FactValue;

use super::{Draft, Inputs, Part, pretty};
use crate::catalog::{Atom, ExternalId, Requires, Tool, ToolId, Toolset, ToolsetId, VariableId};
use crate::conditional_json::CondJson;
use crate::diagnostic::{At, Place};
use crate::lower::Lowered;
use crate::manifest::{CommandsManifest, RequiresManifest, RuleManifest};
use crate::project::MARK;
use crate::schema::Schema;
use crate::text::atoms::When;
use crate::text::condition::Condition;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let mut draft =
        Draft::new("catalog.json", Inputs::Common, || format!("{{\n  \"$comment\": \"{MARK}\",\n  \"tools\": ["));
    draft.parts.extend(catalog.tools().map(|(id, one)| {
        let before = if id.0 == 0 { "\n    " } else { ",\n    " };
        Part::new(Inputs::Tools(vec![id]), move || before.to_owned() + &pretty::inner(&tool(catalog, one), 2))
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
        end.to_owned() + pretty::lines(&rest.to_string()).trim_start_matches('{')
    }));
    vec![draft]
}

/// As JSON.
fn tool(catalog: &Lowered<'_>, tool: &Tool) -> String {
    let (setting, manifest) = (catalog.full_setting(tool), &tool.manifest);
    let Annotations { read_only, destructive, idempotent, open_world } = manifest.annotations.value();
    let parallel = manifest.parallel.as_ref().map_or("never", |word| &word.value);
    let dialects = manifest.dialects.iter().map(|dialect| {
        let description = dialect.description.as_ref().map(|text| setting.text(&text.value));
        let name = dialect.name.as_ref().map(|name| &name.value);
        (dialect.dialect.value.clone(), said([("name", json!(name)), ("description", json!(description))]))
    });
    let deprecated = manifest.deprecated.as_ref().map(|deprecated| {
        let replacement = tool.replacement.map(|id| catalog[id].name());
        said([("replacement", json!(replacement)), ("note", json!(deprecated.note))])
    });
    let said = said([
        ("name", json!(tool.name())),
        ("toolset", json!(catalog[tool.home].name())),
        ("title", json!(manifest.title)),
        ("description", json!(setting.text(&manifest.description.value))),
        ("emoji", json!(manifest.emoji)),
        ("execution", json!(manifest.execution.value.word())),
        ("timeout_ms", json!(manifest.timeout.as_ref().map(|timeout| timeout.value.as_millis()))),
        ("max_result_chars", json!(manifest.max_result_chars)),
        ("parallel", json!(parallel)),
        ("parallel_key", json!(text(manifest.parallel_key.as_ref()))),
        ("parallel_space", json!(text(manifest.parallel_space.as_ref()))),
        ("defer", json!(manifest.defer)),
        (
            "annotations",
            json!({
                "read_only": read_only, "destructive": destructive, "idempotent": idempotent, "open_world": open_world,
            }),
        ),
        ("requires", requires(catalog, &tool.requires, &manifest.requires, &tool.atoms)),
        (
            "approval",
            said([
                ("always", json!(manifest.approval.always.then_some("ask"))),
                ("shell", json!(text(manifest.approval.shell.as_ref()))),
            ]),
        ),
        ("deprecated", json!(deprecated)),
        ("dialect", dialects.collect::<Map<_, _>>().into()),
        ("secret", json!(secrets(&manifest.params, ""))),
    ]);
    let json = |doc: &CondJson| setting.render(&doc.segments());
    let returns = manifest.returns.as_ref().map(|returns| json(&manifest.defs.document(returns)));
    let returns = returns.map(|returns| format!(",\"returns\":{returns}")).unwrap_or_default();
    let mut out = said.to_string();
    out.pop();
    out + ",\"parameters\":" + &json(&manifest.parameters()) + &returns + "}"
}

/// JSON pointers to the arguments that must not be shown; none where there are none.
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
    said([
        ("name", json!(toolset.name())),
        ("description", json!(manifest.description)),
        ("kind", json!(if manifest.preset { "preset" } else { "bundle" })),
        ("direct", names(&direct)),
        ("includes", toolset.includes.iter().map(|(id, _)| catalog[*id].name()).collect()),
        ("base", json!(toolset.base.map(|(id, _)| catalog[id].name()))),
        ("excludes", own_and(&toolset.excludes, &toolset.excludes_external)),
        ("external", if toolset.external.is_empty() { Value::Null } else { own_and(&[], &toolset.external) }),
        ("closed", json!(manifest.closed)),
        ("aliases", manifest.aliases.iter().map(|alias| alias.value.as_str()).collect()),
        ("tags", manifest.tags.iter().map(|tag| tag.value.as_str()).collect()),
        ("token_budget", json!(manifest.token_budget)),
        ("requires", requires(catalog, &toolset.requires, &manifest.requires, &toolset.atoms)),
        ("resolved", names(&catalog.resolve(id))),
    ])
}

fn requires(catalog: &Lowered<'_>, linked: &Requires, manifest: &RequiresManifest, atoms: &[Atom]) -> Value {
    let some = |names: Vec<&str>| if names.is_empty() { Value::Null } else { json!(names) };
    let texts = |texts: &[At<String>]| some(texts.iter().map(|text| text.value.as_str()).collect());
    let variables = |ids: &[VariableId]| some(ids.iter().map(|&id| catalog[id].name.value.as_str()).collect());
    let tools = |ids: &[(ToolId, Place)], external: &[ExternalId]| {
        let own = ids.iter().map(|&(id, _)| catalog[id].name());
        some(own.chain(external.iter().map(|&id| catalog[id].as_str())).collect())
    };
    said([
        ("env", variables(&linked.env)),
        ("any_env", variables(&linked.any_env)),
        ("programs", texts(&manifest.programs)),
        ("os", texts(&manifest.os)),
        ("tools", tools(&linked.tools, &linked.external)),
        ("any_tools", tools(&linked.any_tools, &linked.any_external)),
        ("when", json!(manifest.when.as_ref().map(|when| written(&when.value, atoms, catalog)))),
        ("check", json!(manifest.check.map(|_| true))),
    ])
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
        json!({
            "name": distribution.manifest.name.value,
            "description": distribution.manifest.description,
            "toolsets": toolsets.collect::<Map<_, _>>(),
        })
    };
    catalog.distributions().iter().map(one).collect()
}

fn commands(manifest: &CommandsManifest) -> Value {
    let list = |texts: &[At<String>]| texts.iter().map(|text| text.value.as_str()).collect::<Value>();
    let rule = |rule: &RuleManifest| {
        let conditions = rule.conditions.iter().filter(|(_, texts)| !texts.is_empty());
        let mut out = json!({ "name": rule.name.value, "description": rule.description, "verdict": rule.verdict });
        conditions.for_each(|(key, texts)| out[*key] = list(texts));
        out["matches"] = list(&rule.matches);
        if !rule.ignores.is_empty() {
            out["ignores"] = list(&rule.ignores);
        }
        out
    };
    json!({
        "name": manifest.name.value,
        "description": manifest.description,
        "rules": manifest.rules.iter().map(rule).collect::<Value>(),
    })
}

fn facts(catalog: &Lowered<'_>) -> Value {
    let facts = catalog.facts().iter().map(|fact| {
        let default = match &fact.default {
            FactValue::Text(text) => json!(text),
            FactValue::Boolean(flag) => json!(flag),
            FactValue::Integer(integer) => json!(integer),
        };
        json!({ "name": fact.name.value, "default": default, "description": fact.description })
    });
    facts.collect()
}

fn variables(catalog: &Lowered<'_>) -> Value {
    let variables = catalog.variables().iter().map(|one| {
        json!({
            "name": one.name.value,
            "description": one.description,
            "prompt": one.prompt,
            "url": one.url,
            "secret": one.secret,
        })
    });
    variables.collect()
}

fn text(at: Option<&At<String>>) -> Option<&str> {
    at.map(|at| at.value.as_str())
}

/// An object of what was said: nulls and empty objects are left out.
fn said<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let is_said = |value: &Value| !value.is_null() && !value.as_object().is_some_and(Map::is_empty);
    let said = entries.into_iter().filter(|(_, value)| is_said(value));
    said.map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
}
