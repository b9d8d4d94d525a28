//! The definition of a tool in a dialect.

use serde_json::Value;
use toolc_lower::conditional_json::{CondJson, conditional};
use toolc_lower::dialects::{Dialect, SchemaDocument, TextInput, ToolDefinition};
use toolc_lower::narrow::{Fallback, Loss, Narrowed, narrow_result, text_constraints};
use toolc_lower::prose::{append_sentence, enum_prose, keyword_prose};
use toolc_lower::schema::{Additional, Schema};
use toolc_lower::text::atoms::{AtomId, Template, When};
use toolc_lower::text::condition::Condition;
use toolc_lower::text::template::Piece;

use super::examples::{Example, examples, is_always_possible};
use super::form::{accepts, accepts_callers, form, parameters, refused_parameter};
use crate::catalog::{Atom, Catalog, Tool};
use crate::diagnostic::At;

/// A tool in one dialect.
#[derive(Debug)]
pub struct Lowering {
    /// The definition, or `None` if the dialect does not [accept](accepts) the tool.
    pub definition: Option<CondJson>,
    /// What the definition does not express as the author wrote it.
    pub losses: Vec<Loss>,
}

/// Returns the definition of a tool in a dialect.
pub fn definition(dialect: &'static Dialect, catalog: &Catalog, tool: &Tool) -> Lowering {
    let manifest = &tool.manifest;
    if !accepts(dialect, tool) {
        let (place, path) = refused_parameter(dialect, tool).map_or((manifest.name.place, String::new()), |property| {
            (property.name.place, format!(".{}", property.name.value))
        });
        let keyword = if accepts_callers(dialect, tool) { "name" } else { "callers" };
        let losses = vec![Loss { place, path, keyword, fallback: Fallback::Dropped }];
        return Lowering { definition: None, losses };
    }
    let mut narrowed = parameters(dialect, tool);
    let form = form(dialect, tool);
    let dialect_description = tool.overrides(dialect.name).and_then(|overrides| overrides.description.as_ref());
    let mut description = dialect_description.unwrap_or(&manifest.description).value.clone();
    append_sentence(&mut description, std::mem::take(&mut narrowed.about));
    let text_input = text_input(form, tool);
    describe_text(tool, text_input.is_some(), &mut narrowed, &mut description);
    let examples = place_examples(form, tool, &mut narrowed, &mut description);
    let mut losses = std::mem::take(&mut narrowed.losses);
    let returns = returns(form, tool, &mut losses);
    let definition = ToolDefinition {
        name: tool.name_in(dialect.name),
        title: manifest.title.as_ref().map(|title| title.value.as_str()),
        icons: manifest.icons.iter().map(|icon| icon.value.as_str()).collect(),
        description,
        has_parameters: has_properties(&narrowed.schema),
        extensions: extensions(form, tool, examples, returns.as_ref().filter(|_| text_input.is_none())),
        parameters: SchemaDocument { schema: narrowed.schema, defs: narrowed.defs, spelling: form.spelling },
        returns,
        annotations: manifest.annotations.value(),
        text_input,
    };
    let mut json = (form.envelope)(&definition);
    // Texts that list other tools use their names in the dialect.
    json.rename(&|AtomId(atom)| match tool.atoms.get(atom) {
        Some(Atom::Tool(id)) => Some(catalog[*id].name_in(dialect.name)),
        _ => None,
    });
    Lowering { definition: Some(json), losses }
}

/// Returns the examples of whole calls for the dialect's field. In a dialect without it, they stay in the schema, or the first one is
/// appended to the description.
fn place_examples(
    form: &'static Dialect,
    tool: &Tool,
    narrowed: &mut Narrowed<'_>,
    description: &mut Template,
) -> Vec<Example> {
    let manifest = &tool.manifest;
    let Some(first) = manifest.params.examples.first() else { return Vec::new() };
    let examples = examples(form, tool, narrowed);
    let has_field = form.extensions.examples().is_some();
    let is_elsewhere = has_field || manifest.example_in_words;
    if !narrowed.schema.examples.is_empty() {
        let stays = |at: &At<Value>| !is_elsewhere && is_always_possible(tool, &at.value);
        narrowed.schema.to_mut().examples.retain(stays);
    }
    if !has_field && manifest.example_in_words {
        let is_plain_text = text_input(form, tool).is_some();
        append_sentence(description, example_in_words(&examples, is_plain_text));
    }
    let is_dropped = !is_elsewhere && !form.accepts_any_schema();
    if is_dropped || examples.len() < manifest.params.examples.len() {
        let (path, keyword) = (String::new(), "examples");
        narrowed.losses.push(Loss { place: first.place, path, keyword, fallback: Fallback::Dropped });
    }
    examples
}

/// Says what the text of a tool with plain text is: in the description of the tool, which is all that a vendor shows about plain text, or
/// with its grammar in that of the parameter.
fn describe_text(tool: &Tool, is_plain_text: bool, narrowed: &mut Narrowed<'_>, description: &mut Template) {
    let [parameter] = tool.manifest.params.properties.as_slice() else { return };
    let Some(text) = &tool.manifest.text_input else { return };
    if is_plain_text {
        let Schema { description: about_text, choices, .. } = &parameter.schema;
        append_sentence(description, about_text.as_ref().map(|about| about.value.clone()).unwrap_or_default());
        if !choices.is_empty() {
            append_sentence(description, enum_prose(choices));
        }
        for sentence in text_constraints(&parameter.schema, text.definition.as_ref().map(|text| text.place)) {
            append_sentence(description, vec![Piece::Text(sentence)]);
        }
    } else if let Some(grammar) = text.definition.as_ref().filter(|_| text.is_lark()) {
        // The line break at its end separates it from further sentences.
        let grammar = grammar.value.trim_end();
        let sentence = format!("The text must match this grammar, which is written for Lark:\n{grammar}\n");
        for parameter in &mut narrowed.schema.to_mut().properties {
            parameter.schema.add_description(vec![Piece::Text(sentence.clone())]);
        }
    }
}

/// Returns the sentence with the first example: the arguments, or the text of a tool with plain text.
fn example_in_words(examples: &[Example], is_plain_text: bool) -> Template {
    let Some(Example { when, arguments }) = examples.first() else { return Template::new() };
    let text =
        arguments.as_object().and_then(|arguments| arguments.values().next()?.as_str()).filter(|_| is_plain_text);
    let sentence = match text {
        Some(text) => format!("Example: {text}"),
        None => keyword_prose("examples", &Value::from(vec![arguments.clone()])).unwrap_or_default(),
    };
    let sentence = vec![Piece::Text(sentence)];
    match when {
        Some(when) => vec![conditional(when.clone(), sentence)],
        None => sentence,
    }
}

/// Returns the format of a tool's input, if it is plain text and the dialect has such tools.
fn text_input<'t>(form: &Dialect, tool: &'t Tool) -> Option<TextInput<'t>> {
    form.extensions.text_input()?;
    let text = tool.manifest.text_input.as_ref()?;
    let definition = text.definition.as_ref().map_or("", |definition| &definition.value);
    Some(TextInput { syntax: text.syntax(), definition })
}

/// Returns the fields that the dialect has besides the usual ones.
fn extensions(
    form: &Dialect,
    tool: &Tool,
    examples: Vec<Example>,
    returns: Option<&SchemaDocument<'_>>,
) -> Vec<(Option<When>, String, CondJson)> {
    let (manifest, extensions) = (&tool.manifest, &form.extensions);
    let callers = manifest.callers();
    let mut fields = Vec::new();
    if let Some(field) = extensions.examples().filter(|_| !examples.is_empty()) {
        // The field is absent in turns in which no example is possible.
        let whens: Option<Vec<When>> = examples.iter().map(|example| example.when.clone()).collect();
        let when = whens.and_then(|mut whens| if whens.len() > 1 { Some(Condition::Or(whens)) } else { whens.pop() });
        let item = |example: Example| (example.when, CondJson::Json(example.arguments));
        fields.push((when, field.value.to_owned(), CondJson::Array(examples.into_iter().map(item).collect())));
    }
    let mut put = |field: &str, value: CondJson| fields.push((None, field.to_owned(), value));
    if let Some(words) = extensions.callers().map(|limit| limit.value).filter(|_| callers.code) {
        let names = [(callers.model, words.model), (callers.code, words.code)];
        let names: Vec<&str> = names.into_iter().filter(|(may_call, _)| *may_call).map(|(_, name)| name).collect();
        put(words.field, Value::from(names).into());
        if let (Some(field), Some(returns)) = (extensions.code_result(), returns) {
            put(field.value, returns.json());
        }
    }
    // A call by code cannot be answered later.
    if let Some(field) = extensions.background().filter(|_| manifest.background && !callers.code) {
        put(field.value, Value::Bool(true).into());
    }
    if let (Some(field), Some(meta)) = (extensions.meta(), &manifest.meta) {
        put(field.value, meta.value.clone().into());
    }
    fields
}

/// Returns the schema of a tool's result, or `None` if narrowing would change the form of the values: a handler returns its values
/// as the manifest declares them.
fn returns<'t>(dialect: &'static Dialect, tool: &'t Tool, losses: &mut Vec<Loss>) -> Option<SchemaDocument<'t>> {
    let returns = tool.manifest.returns.as_ref()?;
    let Narrowed { schema, defs, losses: result_losses, .. } = narrow_result(returns, &tool.manifest.defs, dialect);
    if result_losses.iter().any(|loss| loss.fallback != Fallback::Description) {
        let (path, keyword) = (String::new(), "returns");
        losses.push(Loss { place: returns.place, path, keyword, fallback: Fallback::Dropped });
        return None;
    }
    Some(SchemaDocument { schema, defs, spelling: dialect.spelling })
}

/// Returns the condition under which an object can have properties, or `None` if it always can.
fn has_properties(schema: &Schema) -> Option<When> {
    if !matches!(schema.additional, Additional::Deny) || schema.in_place().next().is_some() {
        return None;
    }
    let whens = schema.properties.iter().map(|property| Some(property.when.as_ref()?.value.clone()));
    whens.collect::<Option<Vec<When>>>().map(Condition::Or)
}
