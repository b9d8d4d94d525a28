//! Checks keys of a tool that contradict or require each other, and keys that name a parameter or another tool.

use std::collections::{BTreeMap, BTreeSet};

use toolc::__gen::name::PORTABLE;
use toolc::__gen::table::Type;
use toolc::__gen::{Side, outermost};
use toolc::behaviour::Execution;
use toolc::client_fields::{MAX_ICON, MAX_ICONS, MAX_META, is_meta_key, is_picture_address};
use toolc_lower::dialects::Syntax;
use toolc_lower::dialects::{DIALECTS, Dialect};
use toolc_lower::schema::{Additional, Defs, Property, Schema};

use crate::catalog::{Catalog, Tool};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Place, Sink, ticked};
use crate::manifest::{Overlap, TextInputManifest, is_reserved, text_pattern_error};
use crate::source::Kind;

pub(super) fn check_tool(catalog: &Catalog, tool: &Tool, sink: &Sink) {
    check_timeout(tool, sink);
    check_parallel(tool, sink);
    check_scripts(tool, sink);
    check_deprecated(catalog, tool, sink);
    check_returns(tool, sink);
    check_strict(tool, sink);
    check_icons(tool, sink);
    check_background(tool, sink);
    check_text_input(tool, sink);
    check_meta(tool, sink);
    check_examples(tool, sink);
    check_approval(tool, sink);
    check_clamps(tool, sink);
}

fn incompatible(place: Place, message: impl Into<String>, help: &str, sink: &Sink) {
    sink.push(Diagnostic::new(codes::INCOMPATIBLE_KEYS, place, message).help(help));
}

/// Returns the place of a flag that is set.
fn flag_place(tool: &Tool, key: &str) -> Place {
    tool.manifest.flag_places.of(key).unwrap_or(tool.manifest.name.place)
}

fn check_approval(tool: &Tool, sink: &Sink) {
    let approval = &tool.manifest.approval;
    if let Some(shell) = &approval.shell {
        check_parameter(tool, shell, "shell", &[Type::String], sink);
    }
    let Some(At { value: true, place }) = approval.start_directory else { return };
    if approval.shell.is_none() && !approval.refused.has("shell", true) {
        let help = "add `shell`, the parameter with the command, or remove this key";
        incompatible(place, "`start_directory` requires `shell`", help, sink);
    }
    if tool.manifest.execution.value == Execution::Agent {
        let message = "`start_directory` is not supported with `execution = \"agent\"`";
        incompatible(place, message, "remove this key: the tool has no handlers", sink);
    }
}

fn check_icons(tool: &Tool, sink: &Sink) {
    let icons = &tool.manifest.icons;
    for icon in icons {
        if !is_picture_address(&icon.value) {
            let found = Diagnostic::new(codes::INVALID_VALUE, icon.place, "not the address of a picture");
            sink.push(found.label("expected `https://...` or `data:image/...`"));
        } else if icon.value.len() > MAX_ICON {
            let message =
                format!("the address of a picture has {} bytes: at most {MAX_ICON} are allowed", icon.value.len());
            sink.push(
                Diagnostic::new(codes::INVALID_VALUE, icon.place, message)
                    .help("use `https://...`, or a smaller picture"),
            );
        }
    }
    if let Some(icon) = icons.get(MAX_ICONS) {
        let message = format!("a tool has at most {MAX_ICONS} pictures");
        sink.push(Diagnostic::new(codes::INVALID_VALUE, icon.place, message).help("remove the others"));
    }
}

fn check_timeout(tool: &Tool, sink: &Sink) {
    let At { value: execution, place } = &tool.manifest.execution;
    if let (Some(timeout), Execution::Sync | Execution::Agent) = (&tool.manifest.timeout, execution) {
        let message = format!("`timeout` is not supported with `execution = \"{}\"`", execution.word());
        let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, timeout.place, message);
        let found = if *place == tool.manifest.name.place { found } else { found.related(*place, "set here") };
        sink.push(found.help("remove `timeout`, or use `execution = \"blocking\"` or `\"async\"`"));
    }
}

fn check_parallel(tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let is_unknown = |key, is_missing| manifest.refused.has(key, is_missing);
    let keyed = manifest.parallel.as_ref().filter(|word| word.value == Overlap::Keyed);
    let parts = [("parallel_key", &manifest.parallel_key), ("parallel_space", &manifest.parallel_space)];
    let missing: Vec<&str> =
        parts.iter().filter(|(key, value)| value.is_none() && !is_unknown(key, true)).map(|(key, _)| *key).collect();
    if let Some(keyed) = keyed
        && !missing.is_empty()
    {
        let message = format!("`parallel = \"keyed\"` requires {}", ticked(&missing, " and "));
        incompatible(
            keyed.place,
            message,
            "add the parameter that is the key, and the kind of thing that it names",
            sink,
        );
    }
    for (key, value) in parts {
        if let Some(value) = value
            && keyed.is_none()
            && !is_unknown("parallel", manifest.parallel.is_none())
        {
            let message = format!("`{key}` requires `parallel = \"keyed\"`");
            incompatible(value.place, message, "add `parallel = \"keyed\"`, or remove this key", sink);
        }
    }
    if let Some(key) = &manifest.parallel_key {
        check_parameter(tool, key, "parallel_key", &[Type::String, Type::Integer], sink);
    }
}

/// Reports `clamp` where there is no bound, or no allowed value at a bound.
fn check_clamps(tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.roots().flat_map(Schema::walk) {
        for property in schema.properties.iter().filter(|property| property.clamp && !property.schema.has_errors) {
            check_clamp(&tool.manifest.defs, property, sink);
        }
    }
}

fn check_clamp(defs: &Defs, property: &Property, sink: &Sink) {
    let At { value: name, place } = &property.name;
    let mut types = defs.types(&property.schema);
    types.retain(|ty| *ty != Type::Null);
    let [ty @ (Type::Integer | Type::Number)] = types.as_slice() else {
        let words: Vec<&str> = types.iter().map(|ty| ty.name()).collect();
        let found = if words.is_empty() { "no type".to_owned() } else { ticked(&words, " and ") };
        let message = format!("`clamp` requires the type `integer` or `number`: `{name}` has {found}");
        return incompatible(*place, message, "remove `clamp`, or change the type", sink);
    };
    let schema = defs.resolve(&property.schema).schema;
    let sides = [
        (Side::Lower, &schema.bounds.minimum, ("exclusiveMinimum", &schema.bounds.exclusive_minimum)),
        (Side::Upper, &schema.bounds.maximum, ("exclusiveMaximum", &schema.bounds.exclusive_maximum)),
    ];
    if sides.iter().all(|(_, bound, (_, exclusive))| bound.is_none() && exclusive.is_none()) {
        let message = format!("`clamp` requires a bound, and `{name}` has none");
        return incompatible(*place, message, "add a bound, or remove `clamp`", sink);
    }
    let bounds = schema.bounds.for_table();
    for (side, bound, (keyword, exclusive)) in sides {
        if let Some(exclusive) = exclusive
            && outermost(&bounds, side, *ty == Type::Integer).is_none()
        {
            let message = format!(
                "`clamp` cannot correct values of `{name}` beyond `{keyword}`: no allowed number is nearest to it"
            );
            let help = match bound {
                Some(_) => format!("remove `{keyword}`, or remove `clamp`"),
                None => format!("use `{}`, or remove `clamp`", keyword.replacen("exclusiveM", "m", 1)),
            };
            incompatible(exclusive.place, message, &help, sink);
        }
    }
}

/// Reports `background` for tools whose calls cannot run while the model continues.
fn check_background(tool: &Tool, sink: &Sink) {
    let execution = tool.manifest.execution.value;
    if tool.manifest.background && matches!(execution, Execution::Sync | Execution::Agent) {
        let message = format!("`background` is not supported with `execution = \"{}\"`", execution.word());
        let help = "remove `background`, or use `execution = \"blocking\"` or `\"async\"`";
        incompatible(flag_place(tool, "background"), message, help, sink);
    }
}

/// The maximum number of bytes of a grammar, which is a part of every request.
const MAX_GRAMMAR: usize = 64 << 10;

/// Checks the input of a tool that takes plain text: its only parameter is the text.
fn check_text_input(tool: &Tool, sink: &Sink) {
    let Some(text) = &tool.manifest.text_input else { return };
    let params = &tool.manifest.params;
    let is_text = |property: &Property| {
        let types = tool.manifest.defs.types(&property.schema);
        property.required && property.when.is_none() && types.as_slice() == [Type::String]
    };
    let fits = matches!(params.properties.as_slice(), [only] if is_text(only))
        && matches!(params.additional, Additional::Deny)
        && params.in_place().next().is_none();
    if !fits && !tool.manifest.refused.has("params", params.properties.is_empty()) && !params.has_errors {
        let (message, help) = match params.properties.len() {
            1 => ("`text_input` does not fit the parameter", "change the parameter, or remove `text_input`"),
            _ => ("`text_input` needs exactly one parameter", "keep only the text, or remove `text_input`"),
        };
        let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, text.place, message);
        sink.push(found.label("expected one required parameter of the type `string`, in every turn").help(help));
    }
    let syntax = text.syntax();
    match &text.definition {
        None if syntax != Syntax::Text && !text.refused.has("definition", true) => {
            let message = format!("`syntax = \"{}\"` requires `definition`", syntax.word());
            incompatible(text.place, message, "add the grammar or the regular expression", sink);
        }
        Some(definition) if syntax == Syntax::Text && !text.refused.has("syntax", text.syntax.is_none()) => {
            let message = "`definition` requires a `syntax` other than `text`";
            incompatible(definition.place, message, "write `syntax = \"lark\"` or `syntax = \"regex\"`", sink);
        }
        Some(definition) if definition.value.trim().is_empty() => {
            let found = Diagnostic::new(codes::INVALID_VALUE, definition.place, "`definition` is empty");
            sink.push(found.label("expected a grammar or a regular expression"));
        }
        Some(definition) if definition.value.len() > MAX_GRAMMAR => {
            let length = definition.value.len();
            let message = format!("`definition` has {length} bytes: at most {MAX_GRAMMAR} are allowed");
            sink.push(Diagnostic::new(codes::INVALID_VALUE, definition.place, message).help("write a shorter grammar"));
        }
        Some(definition) if syntax == Syntax::Regex => {
            check_regex(text, definition, sink);
        }
        _ => {}
    }
    let own = params.properties.iter().filter_map(|property| property.schema.pattern.as_ref());
    for pattern in own.filter(|pattern| {
        syntax == Syntax::Regex && text.definition.as_ref().is_some_and(|text| text.place != pattern.place)
    }) {
        let message = "`pattern` is not supported next to a regular expression in `text_input`";
        incompatible(pattern.place, message, "write one expression, in `definition`", sink);
    }
}

/// Checks the regular expression of the text that a tool takes.
fn check_regex(text: &TextInputManifest, definition: &At<String>, sink: &Sink) {
    let invalid = |message: String| Diagnostic::new(codes::INVALID_PATTERN, definition.place, message);
    let is_whole = || text.pattern().is_some_and(|pattern| text_pattern_error(&pattern.value).is_none());
    if let Some(why) = text_pattern_error(&definition.value) {
        let help = "use the syntax of the Rust crate `regex`, which has no look-around and no backreferences";
        sink.push(invalid(format!("invalid regular expression: {why}")).help(help));
    } else if !is_whole() {
        let message = "the regular expression is invalid within `^(?:...)$`, which dialects without text tools send";
        sink.push(invalid(message.to_owned()).help("remove the comment at its end, or end it with a line break"));
    }
}

fn check_meta(tool: &Tool, sink: &Sink) {
    let Some(At { value: meta, place }) = &tool.manifest.meta else { return };
    if !meta.is_object() {
        let found = Diagnostic::new(codes::WRONG_TYPE, *place, "`meta` must be a table");
        sink.push(found.label(format!("expected a table, found {}", toolc_lower::schema::type_of(meta).name())));
        return;
    }
    let keys = meta.as_object().into_iter().flat_map(|meta| meta.keys());
    for key in keys.filter(|key| !is_meta_key(key)) {
        let found = Diagnostic::new(codes::INVALID_VALUE, *place, format!("`{key}` is not a key of `_meta` in MCP"));
        sink.push(found.label("expected a name, perhaps after a prefix").help("write it as in `com.example/kind`"));
    }
    let length = meta.to_string().len();
    if length > MAX_META {
        let message = format!("`meta` has {length} bytes as JSON: at most {MAX_META} are allowed");
        sink.push(Diagnostic::new(codes::INVALID_VALUE, *place, message).help("every list of tools has all of it"));
    }
}

/// Reports `example_in_words` without an example.
fn check_examples(tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    if manifest.example_in_words && manifest.params.examples.is_empty() && !manifest.refused.has("schema", true) {
        let message = "`example_in_words` requires an example";
        incompatible(
            flag_place(tool, "example_in_words"),
            message,
            "add `examples` to `[schema]`, or remove `example_in_words`",
            sink,
        );
    }
}

/// Reports tools that scripts could call only while the agent's own loop waits for the script.
fn check_scripts(tool: &Tool, sink: &Sink) {
    if tool.manifest.scripts && tool.manifest.execution.value == Execution::Agent {
        let message = "`scripts` is not supported with `execution = \"agent\"`";
        incompatible(
            flag_place(tool, "scripts"),
            message,
            "remove `scripts`: the agent's own loop runs the tool, and not a handler",
            sink,
        );
    }
}

fn check_deprecated(catalog: &Catalog, tool: &Tool, sink: &Sink) {
    let replacement = tool.manifest.deprecated.as_ref().and_then(|deprecated| deprecated.replacement.as_ref());
    if let (Some(id), Some(replacement)) = (tool.replacement, replacement)
        && catalog[id].name() == tool.name()
    {
        incompatible(replacement.place, "a tool cannot replace itself", "name another tool, or remove this key", sink);
    }
}

/// Reports conditions in `returns`, which is the same in every turn.
fn check_returns(tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.returns.iter().flat_map(Schema::walk) {
        let properties = schema.properties.iter().filter_map(|property| property.when.as_ref());
        let choices = schema.choices.iter().filter_map(|choice| choice.when.as_ref());
        for header in schema.properties.iter().filter_map(|property| property.mcp_header.as_ref()) {
            let message = "`x-mcp-header` is not supported in `returns`";
            incompatible(header.place, message, "remove it: only arguments are repeated in headers", sink);
        }
        for when in properties.chain(choices) {
            let message = "`returns` cannot depend on the turn";
            incompatible(when.place, message, "remove `when`: an optional property may be omitted", sink);
        }
    }
}

/// Reports `strict` where it has no effect.
fn check_strict(tool: &Tool, sink: &Sink) {
    for overrides in &tool.manifest.dialect {
        let Some(strict) = &overrides.strict else { continue };
        let is_known = |dialect: &&Dialect| dialect.name == overrides.dialect.value;
        if DIALECTS.iter().find(is_known).is_some_and(|dialect| dialect.lenient.is_none()) {
            let with_strict_mode = DIALECTS.iter().filter(|dialect| dialect.lenient.is_some());
            let names: Vec<&str> = with_strict_mode.map(|dialect| dialect.name).collect();
            let message = format!("`{}` has no strict mode", overrides.dialect.value);
            incompatible(strict.place, message, &format!("it belongs to {}", ticked(&names, " and ")), sink);
        }
    }
}

/// Checks a parameter that a key names: it must exist and have one of these types.
fn check_parameter(tool: &Tool, name: &At<String>, key: &str, types: &[Type], sink: &Sink) {
    let properties = &tool.manifest.params.properties;
    let found = Diagnostic::new(
        codes::UNKNOWN_PARAMETER,
        name.place,
        format!("`{key}` of `{}` names an unsuitable parameter: `{}`", tool.name(), name.value),
    );
    match properties.iter().find(|property| property.name.value == name.value) {
        // The parameters are in a key that could not be read.
        None if tool.manifest.refused.has("params", properties.is_empty()) => {}
        None => {
            let names = properties.iter().map(|property| property.name.value.as_str());
            let found = found.help_nearest(&name.value, names, "the parameters are");
            sink.push(if properties.is_empty() { found.help("the tool has no parameters") } else { found });
        }
        Some(property) => {
            let actual = tool.manifest.defs.types(&property.schema);
            let has_errors = tool.manifest.defs.resolve(&property.schema).schema.has_errors;
            if !has_errors && !matches!(actual.as_slice(), [only] if types.contains(only)) {
                let words: Vec<&str> = types.iter().map(|t| t.name()).collect();
                let found = found.related(property.name.place, "this parameter has another type");
                sink.push(found.help(format!("it must be of type {}", words.join(" or "))));
            }
        }
    }
}

/// Checks the names of tools in dialects: they must be valid and unique.
pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for dialect in DIALECTS {
        let new_name = |tool: &'_ Tool| tool.overrides(dialect.name).and_then(|overrides| overrides.name.clone());
        let renamed: Vec<(&Tool, At<String>)> =
            catalog.tools().filter_map(|(_, tool)| Some((tool, new_name(tool)?))).collect();
        if renamed.is_empty() {
            continue;
        }
        let mut names_in_use: BTreeMap<&str, Vec<&Tool>> = BTreeMap::new();
        for (_, tool) in catalog.tools() {
            // A tool's own name stays reserved in all dialects, because logs and approvals use it.
            for name in BTreeSet::from([tool.name(), tool.name_in(dialect.name)]) {
                names_in_use.entry(name).or_default().push(tool);
            }
        }
        for (tool, name) in &renamed {
            if is_reserved(Kind::Tool, &name.value) {
                let message = format!("the tool name `{}` is reserved", name.value);
                let found = Diagnostic::new(codes::RESERVED_NAME, name.place, message);
                sink.push(found.label("toolc uses this name itself").help("choose another name"));
            } else if !PORTABLE.accepts(&name.value) {
                let message = format!("`{}` is not a valid tool name in {}", name.value, dialect.name);
                sink.push(
                    Diagnostic::new(codes::INVALID_NAME, name.place, message)
                        .label(format!("expected {}", PORTABLE.expected())),
                );
            }
            let same = names_in_use[tool.name_in(dialect.name)].iter().find(|other| other.name() != tool.name());
            if let Some(other) = same {
                let name_in = tool.name_in(dialect.name);
                let message = format!("the name `{name_in}` is taken by another tool in {}", dialect.name);
                sink.push(
                    Diagnostic::new(codes::DUPLICATE_NAME, name.place, message)
                        .related(other.manifest.name.place, "the other tool")
                        .help("rename one of them"),
                );
            }
        }
    }
}
