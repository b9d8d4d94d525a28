//! The manifest of a foreign tool, as a table.

use serde_json::{Value, json};
use toolc::client_fields::{MAX_ICON, MAX_ICONS, is_picture_address};

use crate::report::{Effect, Report};
use crate::schema::{Converter, Style, Table, template};
use crate::tool::ForeignTool;

/// The hints of MCP, with their keys in manifests.
const HINTS: [(&str, &str); 4] = [
    ("readOnlyHint", "read_only"),
    ("destructiveHint", "destructive"),
    ("idempotentHint", "idempotent"),
    ("openWorldHint", "open_world"),
];

/// Returns the manifest of a tool under a name, and reports what is not as in the source.
///
/// # Errors
/// If the tool cannot be imported.
pub fn tool(tool: &ForeignTool, name: &str, toolset: &str, style: Style, report: &mut Report) -> Result<Table, String> {
    let mut table = Table::new();
    table.insert("name".to_owned(), name.into());
    table.insert("toolset".to_owned(), toolset.into());
    table.insert("description".to_owned(), description(tool, report).into());
    let title = tool.title.as_deref().or_else(|| tool.annotations.get("title").and_then(Value::as_str));
    if let Some(title) = title.filter(|title| !title.trim().is_empty()) {
        table.insert("title".to_owned(), title.into());
    }
    for (pointer, found, done) in &tool.left_out {
        report.add(&tool.name, pointer, found.clone(), done.clone(), Effect::Same);
    }
    icons(tool, &mut table, report);
    annotations(tool, &mut table, report);
    if let Some(meta) = tool.meta.as_ref().filter(|meta| **meta != json!({})) {
        table.insert("meta".to_owned(), json!({ "json": meta.to_string() }));
    }
    if !tool.env.is_empty() {
        table.insert("requires".to_owned(), json!({ "env": tool.env }));
    }
    table.extend(tool.keys.clone());
    if tool.asks {
        table.insert("approval".to_owned(), json!({ "always": "ask" }));
    }
    schemas(tool, style, &mut table, report)?;
    Ok(table)
}

/// Adds the schemas of the arguments and of the result.
fn schemas(tool: &ForeignTool, style: Style, table: &mut Table, report: &mut Report) -> Result<(), String> {
    let mut converter = Converter::new(style, tool.arguments_at);
    let mut arguments = converter.arguments(&tool.arguments)?;
    for (pointer, found, done, effect) in converter.notes {
        report.add(&tool.name, &pointer, found, done, effect);
    }
    let mut returns = None;
    if let Some(schema) = &tool.returns {
        // Results are as the tool makes them: a closed object would refuse what is new.
        let mut converter = Converter::new(Style { closed: false }, "/outputSchema");
        match converter.result(schema) {
            Ok((mut result, definitions)) => {
                share_definitions(&mut arguments.root, &mut result, definitions);
                returns = Some(result);
                for (pointer, found, done, effect) in converter.notes {
                    report.add(&tool.name, &pointer, found, done, effect);
                }
            }
            Err(why) => {
                report.add(&tool.name, "/outputSchema", schema.to_string(), format!("left out: {why}"), Effect::Wider);
            }
        }
    }
    if !arguments.params.is_empty() {
        table.insert("params".to_owned(), Value::Object(arguments.params));
    }
    if !arguments.root.is_empty() {
        table.insert("schema".to_owned(), Value::Object(arguments.root));
    }
    if let Some(returns) = returns.filter(|returns| !returns.is_empty()) {
        table.insert("returns".to_owned(), Value::Object(returns));
    }
    Ok(())
}

fn description(tool: &ForeignTool, report: &mut Report) -> String {
    if let Some(text) = tool.description.as_deref().filter(|text| !text.trim().is_empty()) {
        return template(text.trim_end());
    }
    let text = tool.title.clone().unwrap_or_else(|| tool.name.clone());
    report.add(&tool.name, "/description", "", format!("missing: written as `{text}`"), Effect::Same);
    template(&text)
}

fn icons(tool: &ForeignTool, table: &mut Table, report: &mut Report) {
    let is_usable = |icon: &&String| is_picture_address(icon) && icon.len() <= MAX_ICON;
    let icons: Vec<&String> = tool.icons.iter().filter(is_usable).take(MAX_ICONS).collect();
    if icons.len() < tool.icons.len() {
        let done =
            format!("{} left out: a manifest has at most {MAX_ICONS}, `https` or data", tool.icons.len() - icons.len());
        report.add(&tool.name, "/icons", tool.icons.join(" "), done, Effect::Same);
    }
    if !icons.is_empty() {
        table.insert("icons".to_owned(), json!(icons));
    }
}

fn annotations(tool: &ForeignTool, table: &mut Table, report: &mut Report) {
    let mut hints = Table::new();
    for (key, value) in &tool.annotations {
        match HINTS.iter().find(|(hint, ours)| hint == key || ours == key) {
            Some((_, ours)) if value.is_boolean() => drop(hints.insert((*ours).to_owned(), value.clone())),
            None if key == "title" => {}
            _ => {
                let pointer = format!("/annotations/{key}");
                report.add(
                    &tool.name,
                    &pointer,
                    value.to_string(),
                    "left out: manifests do not have this hint",
                    Effect::Same,
                );
            }
        }
    }
    if hints.get("read_only") == Some(&json!(true)) && hints.get("destructive") == Some(&json!(true)) {
        hints.shift_remove("destructive");
        let done = "left out: a tool that only reads is not destructive";
        report.add(&tool.name, "/annotations/destructiveHint", "true", done, Effect::Same);
    }
    if !hints.is_empty() {
        table.insert("annotations".to_owned(), Value::Object(hints));
    }
}

/// Puts the definitions of a result next to those of the arguments. A name that both have for different schemas changes in the result.
fn share_definitions(root: &mut Table, result: &mut Table, definitions: Table) {
    if definitions.is_empty() {
        return;
    }
    let all = root.entry("$defs").or_insert_with(|| json!({}));
    let Some(all) = all.as_object_mut() else { return };
    let mut definitions = Value::Object(definitions);
    let names: Vec<String> = definitions.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let mut renamed = Vec::new();
    for name in &names {
        if all.get(name).is_some_and(|known| *known != definitions[name]) {
            let mut new = format!("result_{name}");
            while all.contains_key(&new) || names.contains(&new) {
                new.push('_');
            }
            renamed.push((name.clone(), new));
        }
    }
    let new_name = |name: &str| renamed.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new).to_owned();
    rename(&mut definitions, &new_name);
    result.values_mut().for_each(|value| rename(value, &new_name));
    if let Some(Value::String(target)) = result.get_mut("$ref") {
        *target = renamed_target(target, &new_name);
    }
    for (name, schema) in definitions.as_object_mut().into_iter().flatten() {
        all.insert(new_name(name), schema.take());
    }
}

fn renamed_target(target: &str, new_name: &dyn Fn(&str) -> String) -> String {
    target.strip_prefix("#/$defs/").map_or_else(|| target.to_owned(), |name| format!("#/$defs/{}", new_name(name)))
}

/// Changes the `$ref`s in a value.
fn rename(value: &mut Value, new_name: &dyn Fn(&str) -> String) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(target)) = map.get_mut("$ref") {
                *target = renamed_target(target, new_name);
            }
            map.values_mut().for_each(|value| rename(value, new_name));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| rename(value, new_name)),
        _ => {}
    }
}
