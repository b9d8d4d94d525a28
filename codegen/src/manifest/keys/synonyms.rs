//! Names that other formats and other authors use for the keys of manifests.

use crate::source::Kind;

/// The keys of a table, and other names for each.
pub(in crate::manifest) type Synonyms = &'static [(&'static str, &'static [&'static str])];

/// Other names for the keywords of schemas.
pub(in crate::manifest) const SCHEMA: Synonyms = &[
    ("minimum", &["min", "min_value", "minValue", "gte", "ge", "at_least"]),
    ("maximum", &["max", "max_value", "maxValue", "lte", "le", "at_most"]),
    ("exclusiveMinimum", &["gt", "greater_than", "min_exclusive"]),
    ("exclusiveMaximum", &["lt", "less_than", "max_exclusive"]),
    ("multipleOf", &["step", "divisible_by", "divisibleBy"]),
    ("minLength", &["min_len", "minlen", "min_chars"]),
    ("maxLength", &["max_len", "maxlen", "max_chars", "length"]),
    ("minItems", &["min_count", "min_size"]),
    ("maxItems", &["max_count", "max_size"]),
    ("uniqueItems", &["unique", "distinct"]),
    ("enum", &["choices", "values", "options", "allowed", "allowed_values", "one_of_values", "variants", "literal"]),
    ("const", &["constant", "value", "equals"]),
    ("description", &["desc", "doc", "docs", "help", "summary", "comment", "text"]),
    ("title", &["label", "display_name", "displayName", "caption"]),
    ("pattern", &["regex", "regexp", "match", "matches"]),
    ("examples", &["sample", "samples"]),
    ("default", &["default_value", "defaultValue", "initial", "fallback"]),
    ("type", &["kind", "types", "ty", "data_type", "dataType"]),
    ("items", &["item", "element", "elements", "item_type"]),
    ("properties", &["fields", "props", "params", "parameters", "keys", "attributes"]),
    ("additionalProperties", &["additional", "extra", "extra_properties"]),
    ("anyOf", &["union", "alternatives"]),
    ("allOf", &["extends"]),
    ("$ref", &["ref", "reference", "use"]),
    ("required", &["mandatory", "need", "needed"]),
    ("secret", &["sensitive", "password", "private", "is_secret", "isSecret"]),
    ("when", &["depends_on", "available_when", "condition", "only_if"]),
    ("aliases", &["also", "other_names", "names", "known_as", "aka"]),
    ("clamp", &["clip", "saturate", "limit_to_bounds"]),
];

/// Returns other names for the keys at the root of a manifest.
pub(in crate::manifest) fn of_root(kind: Kind) -> Synonyms {
    match kind {
        Kind::Tool => &[
            ("title", &["label", "display_name", "displayName", "caption"]),
            ("description", &["desc", "doc", "docs", "help", "summary", "prompt"]),
            ("toolset", &["home", "group", "category", "set", "module", "namespace"]),
            ("emoji", &["icon", "symbol"]),
            ("aliases", &["also", "other_names", "names", "known_as", "aka"]),
            ("execution", &["async", "mode", "runs", "runtime"]),
            ("timeout", &["timeout_ms", "timeout_seconds", "timeout_secs", "max_duration", "deadline"]),
            ("max_result_chars", &["max_chars", "max_result", "max_output", "max_result_size", "limit"]),
            ("parallel", &["concurrent", "concurrency", "parallel_safe"]),
            ("annotations", &["hints", "effects"]),
            ("requires", &["needs", "requirements", "dependencies", "depends_on"]),
            ("approval", &["confirm", "confirmation", "approve", "permission"]),
            ("deprecated", &["obsolete"]),
            ("dialect", &["vendor", "vendors", "providers"]),
            ("returns", &["result", "results", "return", "output", "response"]),
        ],
        Kind::Toolset => &[
            ("description", &["desc", "doc", "docs", "help", "summary"]),
            ("includes", &["toolsets", "sets", "bundles", "imports", "include_toolsets", "includes_toolsets"]),
            ("base", &["extends", "parent", "inherits"]),
            ("excludes", &["without", "except", "remove", "omit"]),
            ("tools", &["members", "include_tools", "includes_tools", "tool_names"]),
            ("aliases", &["also", "other_names", "names"]),
            ("tags", &["labels", "keywords", "categories"]),
            ("token_budget", &["max_tokens", "tokens", "budget"]),
            ("language", &["lang", "runtime", "handlers", "handler_language"]),
            ("program", &["command", "run", "executable", "process", "interpreter"]),
            ("requires", &["needs", "requirements"]),
        ],
        Kind::Distribution => &[
            ("description", &["desc", "doc", "docs", "help", "summary"]),
            ("toolsets", &["weights", "probabilities", "sets"]),
        ],
        Kind::Commands => &[
            ("description", &["desc", "doc", "docs", "help", "summary"]),
            ("rules", &["commands", "patterns", "entries"]),
            ("groups", &["sets", "families"]),
            ("places", &["paths", "locations"]),
            ("programs", &["wrappers"]),
        ],
        Kind::Facts => &[("facts", &["fact", "flags", "variables"])],
        Kind::Env => &[("env", &["environment", "variables", "vars"])],
        Kind::Settings => SETTINGS,
        Kind::Plugin => &[
            ("executable", &["command", "program", "run", "bin", "binary", "exec", "path"]),
            ("description", &["desc", "doc", "docs", "help", "summary"]),
            ("max_output_bytes", &["max_output", "max_bytes"]),
            ("resident", &["daemon", "persistent", "stays_running", "keep_alive", "lifetime"]),
            ("idle_timeout", &["idle", "idle_limit", "keep_alive_timeout"]),
            ("memory", &["notes", "memory_backend", "storage"]),
            ("hooks", &["hook", "events"]),
        ],
    }
}

/// Other names for keys of the settings.
const SETTINGS: Synonyms = &[
    ("dialects", &["targets", "vendors", "providers", "formats"]),
    ("lint", &["lints", "rules", "levels"]),
    ("rust", &["out", "output", "out_dir", "module"]),
    ("python", &["py"]),
    ("typescript", &["ts", "javascript", "js", "node"]),
    ("budgets", &["limits"]),
];

/// Other names for keys of nested tables. Each table is recognised by one of its keys.
pub(in crate::manifest) const NESTED: &[(&str, Synonyms)] = &[
    (
        "read_only",
        &[
            ("read_only", &["readOnly", "readOnlyHint", "safe", "pure", "readonly_hint"]),
            ("destructive", &["destructiveHint", "dangerous", "destroys"]),
            ("idempotent", &["idempotentHint"]),
            ("open_world", &["openWorldHint", "openWorld", "external", "network"]),
        ],
    ),
    (
        "any_env",
        &[
            ("env", &["environment", "variables", "vars", "env_vars", "keys"]),
            ("programs", &["commands", "binaries", "bins", "executables", "program"]),
            ("os", &["platform", "platforms", "systems", "operating_systems"]),
            ("when", &["facts", "condition", "if"]),
        ],
    ),
    (
        "transform",
        &[
            ("before", &["before_call", "pre_tool_call", "pre"]),
            ("transform", &["transform_result", "transform_tool_result", "rewrite"]),
            ("after", &["after_call", "post_tool_call", "post"]),
        ],
    ),
    ("shell", &[("always", &["ask", "mode", "every"]), ("shell", &["command", "parameter", "param"])]),
    (
        "replacement",
        &[("replacement", &["use", "instead", "replaced_by", "by"]), ("note", &["reason", "message", "why", "text"])],
    ),
    (
        "verdict",
        &[
            ("verdict", &["action", "decision", "approval", "level", "effect"]),
            ("programs", &["program", "commands", "command", "bin"]),
            ("arguments", &["args", "argument", "params"]),
            ("subcommands", &["subcommand"]),
            ("writes", &["output_to", "writes_to", "output"]),
            ("matches", &["examples", "tests", "match"]),
            ("ignores", &["not", "counterexamples", "except"]),
        ],
    ),
    ("value_flags", &[("value_flags", &["value_options", "options_with_value"]), ("aliases", &["names", "also"])]),
    ("except", &[("paths", &["path", "patterns", "files"]), ("except", &["excludes", "without", "unless"])]),
    ("prompt", &[("url", &["link", "docs", "href", "address"]), ("secret", &["sensitive", "is_secret", "private"])]),
];

/// Returns the key that another name stands for, if the table has it. `keys` are the keys of the table.
pub(in crate::manifest) fn meant(name: &str, keys: &[&'static str], root: Option<Kind>) -> Option<&'static str> {
    let has = |key: &str| keys.contains(&key);
    let tables = match root {
        Some(kind) => vec![of_root(kind)],
        None if has("anyOf") => vec![SCHEMA],
        None => NESTED.iter().filter(|(mark, _)| has(mark)).map(|(_, synonyms)| *synonyms).collect(),
    };
    let mut all = tables.into_iter().flatten();
    all.find(|(key, others)| has(key) && others.contains(&name)).map(|(key, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::keys::{PROPERTY, SCHEMA as KEYWORDS};

    /// Every key that a name stands for exists, and no name is a key of its own table.
    #[test]
    fn synonyms_stand_for_keys() {
        let keywords: Vec<&str> = KEYWORDS.iter().chain(PROPERTY).map(|key| key.name).collect();
        let mut tables = vec![(SCHEMA, keywords)];
        for kind in Kind::ALL {
            tables.push((of_root(kind), kind.keys().iter().copied().flatten().map(|key| key.name).collect()));
        }
        for (synonyms, keys) in tables {
            for (key, others) in synonyms {
                assert!(keys.contains(key), "{key}");
                assert!(others.iter().all(|other| !keys.contains(other)), "{key}: {others:?}");
            }
        }
    }
}
