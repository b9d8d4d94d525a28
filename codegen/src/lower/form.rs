//! The form of a tool in a dialect: whether the dialect accepts the tool, and the schema of its arguments.

use toolc_lower::dialects::Dialect;
use toolc_lower::narrow::{Narrowed, narrow};
use toolc_lower::schema::Property;

use crate::catalog::Tool;

/// Returns whether a dialect accepts the names of a tool and of its required parameters, and who may call it.
pub fn accepts(dialect: &'static Dialect, tool: &Tool) -> bool {
    let accepts_name = dialect.tool.tool_name().is_none_or(|names| names.value.accepts(tool.name_in(dialect.name)));
    let is_reserved =
        dialect.tool.reserved_names().is_some_and(|names| names.value.contains(&tool.name_in(dialect.name)));
    accepts_name && !is_reserved && refused_parameter(dialect, tool).is_none() && accepts_callers(dialect, tool)
}

/// Returns whether a dialect can say who may call a tool. A tool that only code may call must not be shown to a model that would call
/// it directly.
pub(super) fn accepts_callers(dialect: &'static Dialect, tool: &Tool) -> bool {
    tool.manifest.callers.is_empty()
        || tool.manifest.callers().model
        || form(dialect, tool).tool.code_only_tools().is_none()
}

/// Returns the first required parameter whose name a dialect does not accept.
pub(super) fn refused_parameter<'c>(dialect: &Dialect, tool: &'c Tool) -> Option<&'c Property> {
    let names = dialect.tool.parameter_name()?.value;
    if tool.manifest.required.iter().all(|name| names.accepts(name)) {
        return None;
    }
    let mut required = tool.manifest.params.properties.iter().filter(|property| property.required);
    required.find(|property| !names.accepts(&property.name.value))
}

/// Returns the schema of a tool's arguments in a dialect.
pub fn parameters<'t>(dialect: &'static Dialect, tool: &'t Tool) -> Narrowed<'t> {
    let form = form(dialect, tool);
    let mut narrowed = narrow(&tool.manifest.params, &tool.manifest.defs, form);
    if let Some(ignored) = form.tool.ignored_keywords() {
        narrowed.state_in_words(ignored.value);
    }
    narrowed
}

/// Returns the dialect whose form a tool has: the one without strict mode if the tool is not strict.
pub fn form(dialect: &'static Dialect, tool: &Tool) -> &'static Dialect {
    let strict = tool.overrides(dialect.name).and_then(|overrides| overrides.strict.as_ref());
    let is_strict = strict.is_none_or(|strict| strict.value);
    dialect.lenient.filter(|_| !is_strict).unwrap_or(dialect)
}
