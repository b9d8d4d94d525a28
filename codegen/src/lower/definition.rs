//! The definition of a tool in a dialect.

use super::narrow::{Fallback, Loss, Narrowed, narrow, narrow_result};
use super::prose::append_sentence;
use crate::catalog::{Atom, Catalog, Tool};
use crate::conditional_json::CondJson;
use crate::dialects::{Dialect, SchemaDocument, ToolDefinition};
use crate::schema::{Additional, Property, Schema};
use crate::text::atoms::{AtomId, When};
use crate::text::condition::Condition;

/// A tool in one dialect.
#[derive(Debug)]
pub struct Lowering {
    /// The definition, or `None` if the dialect does not accept the name of the tool or of a required parameter.
    pub definition: Option<CondJson>,
    /// What the definition does not express as the author wrote it.
    pub losses: Vec<Loss>,
}

/// Returns whether a dialect accepts the names of a tool and of its required parameters.
pub fn accepts(dialect: &Dialect, tool: &Tool) -> bool {
    let accepts_name = dialect.tool.tool_name().is_none_or(|names| names.value.accepts(tool.name_in(dialect.name)));
    let is_reserved =
        dialect.tool.reserved_names().is_some_and(|names| names.value.contains(&tool.name_in(dialect.name)));
    accepts_name && !is_reserved && refused_parameter(dialect, tool).is_none()
}

/// Returns the first required parameter whose name a dialect does not accept.
fn refused_parameter<'c>(dialect: &Dialect, tool: &'c Tool) -> Option<&'c Property> {
    let names = dialect.tool.parameter_name()?.value;
    let mut required = tool.manifest.params.properties.iter().filter(|property| property.required);
    required.find(|property| !names.accepts(&property.name.value))
}

/// Returns the schema of a tool's arguments in a dialect.
pub fn parameters<'t>(dialect: &'static Dialect, tool: &'t Tool) -> Narrowed<'t> {
    narrow(&tool.manifest.params, &tool.manifest.defs, form(dialect, tool))
}

/// Returns the dialect whose form a tool has: the one without strict mode if the tool is not strict.
pub fn form(dialect: &'static Dialect, tool: &Tool) -> &'static Dialect {
    let strict = tool.overrides(dialect.name).and_then(|overrides| overrides.strict.as_ref());
    let is_strict = strict.is_none_or(|strict| strict.value);
    dialect.lenient.filter(|_| !is_strict).unwrap_or(dialect)
}

/// Returns the definition of a tool in a dialect.
pub fn definition(dialect: &'static Dialect, catalog: &Catalog, tool: &Tool) -> Lowering {
    let manifest = &tool.manifest;
    if !accepts(dialect, tool) {
        let (place, path) = refused_parameter(dialect, tool).map_or((manifest.name.place, String::new()), |property| {
            (property.name.place, format!(".{}", property.name.value))
        });
        let losses = vec![Loss { place, path, keyword: "name", fallback: Fallback::Dropped }];
        return Lowering { definition: None, losses };
    }
    let Narrowed { schema, defs, about, mut losses } = parameters(dialect, tool);
    let form = form(dialect, tool);
    let dialect_description = tool.overrides(dialect.name).and_then(|overrides| overrides.description.as_ref());
    let mut description = dialect_description.unwrap_or(&manifest.description).value.clone();
    append_sentence(&mut description, about);
    let definition = ToolDefinition {
        name: tool.name_in(dialect.name),
        title: manifest.title.as_ref().map(|title| title.value.as_str()),
        icons: manifest.icons.iter().map(|icon| icon.value.as_str()).collect(),
        description,
        has_parameters: has_properties(&schema),
        parameters: SchemaDocument { schema, defs, spelling: form.spelling },
        returns: returns(form, tool, &mut losses),
        annotations: manifest.annotations.value(),
    };
    let mut json = (form.envelope)(&definition);
    // Texts that list other tools use their names in the dialect.
    json.rename(&|AtomId(atom)| match tool.atoms.get(atom) {
        Some(Atom::Tool(id)) => Some(catalog[*id].name_in(dialect.name)),
        _ => None,
    });
    Lowering { definition: Some(json), losses }
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
