//! One tool as each dialect shows it to a model. A dialect is a line in [`DIALECTS`].

use serde_json::{Value, json};
use toolc::behaviour::Annotations;

use super::narrow::{Fallback, Loss, Narrowed, narrow, narrow_result};
use super::prose::say;
use crate::catalog::{Atom, Catalog, Tool};
use crate::conditional_json::CondJson;
use crate::dialects::schema_subset::SchemaSubset;
use crate::dialects::{NameGrammar, provider};
use crate::text::atoms::{AtomId, Template, When};
use crate::text::condition::Condition;

/// A shape that one family of providers wants.
#[derive(Debug)]
pub struct Dialect {
    /// Its name: in `toolc.toml`, and of its folder of schemas.
    pub name: &'static str,
    /// Its variant of the runtime's `Dialect`.
    pub variant: toolc::Dialect,
    /// What its schemas may say.
    pub language: &'static SchemaSubset,
    /// Whether nothing but an object's words may stand at the root of the parameters: no `anyOf`, `oneOf`, `allOf`.
    pub plain_root: bool,
    /// The definition of a tool, but for its schemas.
    envelope: fn(&Shown<'_>) -> CondJson,
}

/// Every dialect.
pub const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "openai",
        variant: toolc::Dialect::OpenAi,
        language: &SchemaSubset::WHOLE,
        plain_root: true,
        envelope: |tool| chat(tool, None),
    },
    Dialect {
        name: "openai-strict",
        variant: toolc::Dialect::OpenAiStrict,
        language: &SchemaSubset::OPENAI_STRICT,
        plain_root: true,
        envelope: |tool| chat(tool, Some(true)),
    },
    Dialect {
        name: "openai-responses",
        variant: toolc::Dialect::OpenAiResponses,
        language: &SchemaSubset::WHOLE,
        plain_root: true,
        envelope: responses,
    },
    Dialect {
        name: "anthropic",
        variant: toolc::Dialect::Anthropic,
        language: &SchemaSubset::WHOLE,
        plain_root: true,
        envelope: |tool| messages(tool, None),
    },
    Dialect {
        name: "anthropic-strict",
        variant: toolc::Dialect::AnthropicStrict,
        language: &SchemaSubset::ANTHROPIC_STRICT,
        plain_root: true,
        envelope: |tool| messages(tool, Some(true)),
    },
    Dialect {
        name: "gemini",
        variant: toolc::Dialect::Gemini,
        language: &SchemaSubset::WHOLE,
        plain_root: false,
        envelope: |tool| declaration(tool, "parametersJsonSchema", "responseJsonSchema"),
    },
    Dialect {
        name: "gemini-openapi",
        variant: toolc::Dialect::GeminiOpenApi,
        language: &SchemaSubset::OPENAPI,
        plain_root: true,
        envelope: |tool| declaration(tool, "parameters", "response"),
    },
    Dialect {
        name: "mcp",
        variant: toolc::Dialect::Mcp,
        language: &SchemaSubset::WHOLE,
        plain_root: false,
        envelope: listed,
    },
    Dialect {
        name: "portable",
        variant: toolc::Dialect::Portable,
        language: &SchemaSubset::PORTABLE,
        plain_root: true,
        envelope: |tool| chat(tool, None),
    },
];

/// A tool in one dialect.
#[derive(Debug)]
pub struct Lowering {
    /// Its definition. None: the dialect does not take its name, or that of a parameter that has to be sent.
    pub definition: Option<CondJson>,
    /// What the definition does not say as the author did.
    pub losses: Vec<Loss>,
}

/// A tool, as it is called and described in one dialect.
struct Shown<'c> {
    name: &'c str,
    title: Option<&'c str>,
    description: Template,
    params: CondJson,
    /// In which turns it has parameters. None: in all.
    has_params: Option<When>,
    returns: Option<CondJson>,
    annotations: Annotations,
}

impl Dialect {
    /// Names that its provider takes of tools. None: any.
    pub fn names(&self) -> Option<NameGrammar> {
        Some(provider(self.name)?.tool_name?.value)
    }

    /// Names that its provider takes of parameters. None: any.
    pub fn keys(&self) -> Option<NameGrammar> {
        Some(provider(self.name)?.parameter_name?.value)
    }

    /// Whether it takes a tool: its name, and those of the parameters that have to be sent.
    pub fn takes(&self, tool: &Tool) -> bool {
        self.names().is_none_or(|names| names.takes(tool.name_in(self.name))) && self.refused_key(tool).is_none()
    }

    /// The first parameter that has to be sent and whose name it does not take.
    fn refused_key<'c>(&self, tool: &'c Tool) -> Option<&'c crate::schema::Property> {
        let required = tool.manifest.params.properties.iter().filter(|property| property.required);
        let keys = self.keys()?;
        required.into_iter().find(|property| !keys.takes(&property.name.value))
    }

    /// The schema of a tool's arguments.
    pub fn narrow<'t>(&self, tool: &'t Tool) -> Narrowed<'t> {
        narrow(&tool.manifest.params, &tool.manifest.defs, self.language, self.plain_root, self.keys())
    }

    /// What a tool comes to.
    pub fn lower(&self, catalog: &Catalog, tool: &Tool) -> Lowering {
        let manifest = &tool.manifest;
        if !self.takes(tool) {
            let (place, path) = self.refused_key(tool).map_or((manifest.name.place, String::new()), |property| {
                (property.name.place, format!(".{}", property.name.value))
            });
            let losses = vec![Loss { place, path, keyword: "name", fallback: Fallback::Dropped }];
            return Lowering { definition: None, losses };
        }
        let Narrowed { schema, defs, about, mut losses } = self.narrow(tool);
        let own = tool.otherwise(self.name).and_then(|otherwise| otherwise.description.as_ref());
        let mut description = own.unwrap_or(&manifest.description).value.clone();
        say(&mut description, about);
        let shown = Shown {
            name: tool.name_in(self.name),
            title: manifest.title.as_deref(),
            description,
            params: defs.document_in(&schema, self.language.spelling),
            has_params: has_properties(&schema),
            returns: self.returns(tool, &mut losses),
            annotations: manifest.annotations.value(),
        };
        let mut doc = (self.envelope)(&shown);
        // Texts that list other tools list them by their names there.
        doc.rename(&|AtomId(atom)| match tool.atoms.get(atom) {
            Some(Atom::Tool(id)) => Some(catalog[*id].name_in(self.name)),
            _ => None,
        });
        Lowering { definition: Some(doc), losses }
    }

    /// What a tool returns, where that can be said: a handler writes no JSON texts.
    fn returns(&self, tool: &Tool, losses: &mut Vec<Loss>) -> Option<CondJson> {
        let returns = tool.manifest.returns.as_ref()?;
        let narrowed = narrow_result(returns, &tool.manifest.defs, self.language);
        if narrowed.losses.iter().any(|loss| loss.fallback != Fallback::Description) {
            losses.push(Loss {
                place: returns.place,
                path: String::new(),
                keyword: "returns",
                fallback: Fallback::Dropped,
            });
            return None;
        }
        Some(narrowed.defs.document_in(&narrowed.schema, self.language.spelling))
    }
}

/// In which turns an object has properties. None: in all.
fn has_properties(schema: &crate::schema::Schema) -> Option<When> {
    let whens = schema.properties.iter().map(|property| Some(property.when.as_ref()?.value.clone()));
    whens.collect::<Option<Vec<When>>>().map(Condition::Or)
}

fn text(text: &str) -> CondJson {
    Value::from(text).into()
}

/// OpenAI's Chat Completions.
fn chat(tool: &Shown<'_>, strict: Option<bool>) -> CondJson {
    let mut function = vec![
        (None, "name".to_owned(), text(tool.name)),
        (None, "description".to_owned(), CondJson::Text(tool.description.clone())),
        (None, "parameters".to_owned(), tool.params.clone()),
    ];
    function.extend(strict.map(|strict| (None, "strict".to_owned(), Value::from(strict).into())));
    CondJson::object([("type", text("function")), ("function", CondJson::Object(function))])
}

/// OpenAI's Responses, which would be strict if it were not told otherwise.
fn responses(tool: &Shown<'_>) -> CondJson {
    CondJson::object([
        ("type", text("function")),
        ("name", text(tool.name)),
        ("description", CondJson::Text(tool.description.clone())),
        ("parameters", tool.params.clone()),
        ("strict", Value::from(false).into()),
    ])
}

/// Anthropic's Messages.
fn messages(tool: &Shown<'_>, strict: Option<bool>) -> CondJson {
    let mut entries = vec![
        (None, "name".to_owned(), text(tool.name)),
        (None, "description".to_owned(), CondJson::Text(tool.description.clone())),
        (None, "input_schema".to_owned(), tool.params.clone()),
    ];
    entries.extend(strict.map(|strict| (None, "strict".to_owned(), Value::from(strict).into())));
    CondJson::Object(entries)
}

/// Gemini's function declarations. One without parameters has no place for them: an empty object is refused.
fn declaration(tool: &Shown<'_>, parameters: &str, response: &str) -> CondJson {
    let mut entries = vec![
        (None, "name".to_owned(), text(tool.name)),
        (None, "description".to_owned(), CondJson::Text(tool.description.clone())),
    ];
    if tool.has_params != Some(Condition::Or(Vec::new())) {
        entries.push((tool.has_params.clone(), parameters.to_owned(), tool.params.clone()));
    }
    entries.extend(tool.returns.clone().map(|returns| (None, response.to_owned(), returns)));
    CondJson::Object(entries)
}

/// MCP's `tools/list`.
fn listed(tool: &Shown<'_>) -> CondJson {
    let Annotations { read_only, destructive, idempotent, open_world } = tool.annotations;
    let hints = json!({
        "readOnlyHint": read_only, "destructiveHint": destructive, "idempotentHint": idempotent,
        "openWorldHint": open_world,
    });
    let mut entries = vec![(None, "name".to_owned(), text(tool.name))];
    entries.extend(tool.title.map(|title| (None, "title".to_owned(), text(title))));
    entries.push((None, "description".to_owned(), CondJson::Text(tool.description.clone())));
    entries.push((None, "inputSchema".to_owned(), tool.params.clone()));
    entries.extend(tool.returns.clone().map(|returns| (None, "outputSchema".to_owned(), returns)));
    entries.push((None, "annotations".to_owned(), hints.into()));
    CondJson::Object(entries)
}
