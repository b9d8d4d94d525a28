//! The types of the vendors' SDKs accept every field of a definition in every combination that a manifest can declare: in Python,
//! where a script makes them refuse unknown keys, and in TypeScript, whose compiler refuses such keys in literals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use toolc::search::ToolSearch;
use toolc::wire::ConversationTools;
use toolc::{Dialect, FactValue, Registry, Session, Turn};
use toolc_codegen::check::Checked;
use toolc_codegen::compile;
use toolc_codegen::diagnostic::Level;
use toolc_codegen::dialects::{DIALECTS, Dialect as Record, Language};
use toolc_codegen::lower::definition;
use toolc_codegen::source::Sources;
use toolc_test_support::packages;

use crate::compiled::Compiled;
use crate::python::run_script;

const PACKAGES: &str = "typescript@5.9.3\nopenai@7.59.0\n@anthropic-ai/sdk@1.14.0\n@google/genai@3.3.0\n\
                        @modelcontextprotocol/sdk@1.32.2\n";

/// Values of requests: definitions, tools of vendors and messages, without duplicates, by dialect.
type Written = BTreeMap<&'static str, BTreeSet<String>>;

/// A choice that a manifest makes: keys of the tool, and tables after them.
type Choice = (&'static str, &'static str);

/// The choices about each field. All are combined.
const FIELDS: &[&[Choice]] = &[
    &[("", ""), ("callers = ['code']\n", ""), ("callers = ['model', 'code']\n", "")],
    &[("", ""), ("background = true\n", "")],
    &[("", ""), ("meta = { ui = { resourceUri = 'ui://a' } }\nicons = ['https://example.org/a.png']\n", "")],
    &[("", ""), ("defer = false\n", "")],
    &[("", ""), ("", "[dialect.anthropic-strict]\nstrict = false\n[dialect.openai-strict]\nstrict = false\n")],
    &[
        ("", ""),
        ("", "[text_input]\n"),
        ("", "[text_input]\nsyntax = 'lark'\ndefinition = 'start: \"a\"+'\n"),
        ("", "[text_input]\nsyntax = 'regex'\ndefinition = 'a+'\n"),
    ],
    &[("", ""), ("", "[returns]\ntype = 'object'\nproperties.n = { type = 'integer', required = true }\n")],
    &[
        ("", ""),
        ("", "[schema]\nexamples = [{ text = 'a' }, { text = 'aa' }]\n"),
        ("example_in_words = true\n", "[schema]\nexamples = [{ text = 'a' }]\n"),
        (
            "",
            "[schema]\nexamples = [{ text = 'a' }, { text = 'aa', more = 1 }]\n[params.more]\ntype = 'integer'\n\
              description = 'How many.'\nwhen = 'facts.vision'\n",
        ),
        (
            "example_in_words = true\n",
            "[schema]\nexamples = [{ text = 'aa', more = 1 }]\n[params.more]\ntype = 'integer'\n\
              description = 'How many.'\nwhen = 'facts.vision'\n",
        ),
    ],
];

/// The number of toolsets over which the tools are spread.
const TOOLSETS: usize = 4;

/// Returns the manifest of a tool for each combination of choices.
fn manifests() -> Vec<(String, String)> {
    let mut combinations = vec![(String::new(), String::new())];
    for choices in FIELDS {
        combinations = (choices.iter())
            .flat_map(|(key, table)| {
                combinations.iter().map(move |(keys, tables)| (format!("{keys}{key}"), format!("{tables}{table}")))
            })
            .collect();
    }
    let manifest = |(at, (keys, tables)): (usize, (String, String))| {
        let toolset = at % TOOLSETS;
        let text = format!(
            "name = 't{at}'\ntoolset = 's{toolset}'\ndescription = 'Does it, and says so. Use it often.'\n\
             execution = 'async'\n{keys}[params.text]\ntype = 'string'\ndescription = 'What.'\nrequired = true\n\
             x-mcp-header = 'What'\n{tables}"
        );
        (format!("manifests/tools/t{at}.toml"), text)
    };
    combinations.into_iter().enumerate().map(manifest).collect()
}

/// Returns the tools of all combinations that the compiler accepts. Prints how often each rule refuses one.
fn catalog() -> Checked {
    let dialects: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    let toolset =
        |at: usize| (format!("manifests/toolsets/s{at}.toml"), format!("name = 's{at}'\ndescription = 'Tools.'\n"));
    let facts = "[facts.vision]\ndefault = false\ndescription = 'Whether the model sees images.'\n";
    let others: Vec<(String, String)> = (0..TOOLSETS)
        .map(toolset)
        .chain([("toolc.toml".to_owned(), format!("[schemas]\ndialects = {dialects:?}\n"))])
        .chain([("manifests/facts.toml".to_owned(), facts.to_owned())])
        .collect();
    let mut tools = manifests();
    let all = tools.len();
    let sources = Sources::from_memory(tools.iter().chain(&others).cloned());
    let mut refused = BTreeMap::<String, &'static str>::new();
    for found in compile(&sources).diagnostics.iter().filter(|found| found.level == Level::Error) {
        let path = &sources.get(found.at.0.source).path;
        assert!(path.starts_with("manifests/tools/"), "{path}: {}", found.message);
        refused.insert(path.clone(), found.code.name);
    }
    tools.retain(|(path, _)| !refused.contains_key(path));
    let mut rules = BTreeMap::<&str, usize>::new();
    for rule in refused.values() {
        *rules.entry(rule).or_default() += 1;
    }
    eprintln!("{all} combinations, of which rules refuse {rules:?}");
    assert!(tools.len() > all / 2, "most combinations are allowed");
    let compilation = compile(&Sources::from_memory(tools.into_iter().chain(others)));
    compilation.catalog.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
}

/// Returns the dialects whose definitions are JSON.
fn dialects() -> impl Iterator<Item = &'static Record> {
    DIALECTS.iter().filter(|dialect| dialect.language == Language::Json)
}

/// Returns all that requests with these tools can contain.
fn written(catalog: &Checked) -> Written {
    let mut written = Written::new();
    for dialect in dialects() {
        let list = written.entry(dialect.name).or_default();
        for (_, tool) in catalog.tools() {
            if let Some(definition) = definition(dialect, catalog, tool).definition {
                list.insert(with_one_name(catalog.full_turn_values(tool).value(&definition)));
            }
        }
    }
    let registry = Registry::new();
    registry.add(Box::new(Compiled::new(catalog))).expect("the names are unique");
    for dialect in dialects() {
        let list = written.get_mut(dialect.name).expect("it has definitions");
        add_requests(&registry, dialect.in_runtime().expect("the tests have every dialect"), list);
    }
    written
}

/// Adds the tools of requests, and the messages that tell a conversation of other tools.
fn add_requests(registry: &Registry, dialect: Dialect, list: &mut BTreeSet<String>) {
    let session = |toolsets: [&str; 2], by_vendor: bool| -> Session {
        let session = registry.session().enable(toolsets);
        let session = if by_vendor { session.tool_search(ToolSearch::with_threshold(0).by_vendor()) } else { session };
        session.build().expect("the toolsets exist")
    };
    let turn = |session: &Session, vision: bool| -> Turn {
        session.set_facts([("vision".into(), FactValue::Boolean(vision))]).expect("it is a fact");
        session.turn_blocking(dialect)
    };
    for by_vendor in [false, true] {
        let [earlier, later] = [["s0", "s1"], ["s1", "s2"]].map(|toolsets| session(toolsets, by_vendor));
        let fewer = registry.session().enable(["s1"]).build().expect("the toolset exists");
        for vision in [false, true] {
            let [earlier, later] = [&earlier, &later].map(|session| turn(session, vision));
            for tools in [&earlier, &later].map(Turn::request_tools) {
                let tools: Vec<Value> = serde_json::from_str(&tools).expect("a list");
                list.extend(tools.into_iter().map(with_one_name));
            }
            // Responses cannot remove a tool while others are deferred.
            let changes = [(&earlier, &later), (&turn(&fewer, vision), &later)];
            for (before, after) in changes {
                let tools = ConversationTools::new(before).next(after, 1);
                let messages = tools.messages().iter().map(|(_, message)| &**message).chain(tools.tool_choice());
                list.extend(messages.map(|message| message.get().to_owned()));
            }
        }
    }
}

/// Returns a definition as text, with the same name as all others: most are then equal to another one.
fn with_one_name(mut definition: Value) -> String {
    for path in ["", "/function", "/custom"] {
        if let Some(name) = definition.pointer_mut(path).and_then(|object| object.get_mut("name"))
            && name.as_str().is_some_and(|name| name.starts_with('t') && name[1..].parse::<u32>().is_ok())
        {
            *name = json!("t");
        }
    }
    definition.to_string()
}

/// Returns which values the types of the SDKs for Python refuse: the number of each in its list, and why.
fn refused_in_python(values: &[(&str, Value)]) -> Option<BTreeMap<usize, String>> {
    let list: Vec<Value> = values.iter().map(|(dialect, value)| json!([dialect, value])).collect();
    let file = tempfile::NamedTempFile::new().expect("there is a folder for temporary files");
    fs::write(file.path(), json!(list).to_string()).expect("the file is writable");
    let out = run_script("check.py", |command| command.arg("--list").arg(file.path()))?;
    let refused: Vec<(usize, String)> =
        serde_json::from_str(&out.unwrap_or_else(|why| panic!("{why}"))).expect("a list");
    Some(refused.into_iter().collect())
}

/// Returns the type of the SDKs for TypeScript that a value has in a dialect. `None` if they have none.
fn type_of(dialect: &str, value: &Value) -> Option<&'static str> {
    let kind = value["type"].as_str().unwrap_or_default();
    Some(match (dialect, kind) {
        ("openai" | "openai-strict" | "portable", "custom") => "OpenAI.Chat.Completions.ChatCompletionCustomTool",
        ("openai" | "openai-strict" | "portable", _) => "OpenAI.Chat.Completions.ChatCompletionFunctionTool",
        ("openai-responses", "custom") => "OpenAI.Responses.CustomTool",
        ("openai-responses", "function") => "OpenAI.Responses.FunctionTool",
        ("openai-responses", "namespace") => "OpenAI.Responses.NamespaceTool",
        ("openai-responses", "tool_search") => "OpenAI.Responses.ToolSearchTool",
        ("openai-responses", "programmatic_tool_calling") => "OpenAI.Responses.Tool.ProgrammaticToolCalling",
        ("openai-responses", "additional_tools") => "OpenAI.Responses.ResponseInputItem.AdditionalTools",
        ("openai-responses", "allowed_tools") => "OpenAI.Responses.ToolChoiceAllowed",
        ("anthropic" | "anthropic-strict", _) if value.get("role").is_some() => "Anthropic.Beta.BetaMessageParam",
        ("anthropic" | "anthropic-strict", "") => "Anthropic.Tool",
        ("anthropic" | "anthropic-strict", _) => "Anthropic.ToolUnion",
        // Version 3.3.0 has neither deferred functions nor the search.
        ("gemini-interactions", "function") if value.get("defer_loading").is_none() => "Interactions.Function",
        ("gemini-interactions", _) => return None,
        ("gemini" | "gemini-openapi", _) => "Words<FunctionDeclaration>",
        ("mcp", _) => "McpTool",
        _ => panic!("{dialect} has no type for {value}"),
    })
}

/// The beginning of a program in TypeScript. `Words` has the words of enums in place of their members, as JSON does.
const IMPORTS: &str = r#"import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import type { FunctionDeclaration, Interactions } from "@google/genai";
import type { Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
type Words<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Words<T[K]> } : T;
"#;

/// Returns which values the types of the SDKs for TypeScript refuse: the number of each in its list, and why. A value is judged by
/// the type of the value next to it.
fn refused_in_typescript(values: &[(&'static str, &Value, Value)]) -> Option<BTreeMap<usize, String>> {
    let folder = match packages::npm("vendor-sdks", PACKAGES) {
        Ok(folder) => folder,
        Err(why) => {
            packages::missing("no TypeScript with the vendors' SDKs", &why);
            return None;
        }
    };
    let mut text = String::from(IMPORTS);
    let first = text.lines().count();
    for (at, (dialect, like, value)) in values.iter().enumerate() {
        match type_of(dialect, like) {
            Some(kind) => writeln!(text, "export const a{at}: {kind} = {value};"),
            None => writeln!(text),
        }
        .expect("a string is writable");
    }
    let file = tempfile::Builder::new().suffix(".ts").tempfile_in(&folder).expect("the folder is writable");
    fs::write(file.path(), text).expect("the file is writable");
    let tsc: &Path = "node_modules/typescript/bin/tsc".as_ref();
    let options =
        ["--strict", "--noEmit", "--skipLibCheck", "--pretty", "false", "--target", "es2022", "--module", "nodenext"];
    let mut command = Command::new("node");
    command.current_dir(&folder).arg(tsc).args(options).arg(file.path());
    let Err(errors) = packages::run(&mut command) else { return Some(BTreeMap::new()) };
    let mut refused = BTreeMap::new();
    // `FILE(LINE,COLUMN): error TS2353: ...`, and lines with a space at their begin that belong to the one before.
    for line in errors.lines().filter(|line| !line.starts_with(' ')) {
        let number = line.split_once('(').and_then(|(_, rest)| rest.split_once(',')?.0.parse::<usize>().ok());
        let at = number.and_then(|number| number.checked_sub(first + 1));
        refused.insert(at.unwrap_or_else(|| panic!("not about a value: {line}")), line.to_owned());
    }
    Some(refused)
}

/// All values of requests with the tools of all combinations, each with its dialect.
static VALUES: LazyLock<Vec<(&str, Value)>> = LazyLock::new(|| {
    let parsed = |text: &String| serde_json::from_str(text).expect("it is JSON");
    let written = written(&catalog());
    written.iter().flat_map(|(dialect, list)| list.iter().map(|text| (*dialect, parsed(text)))).collect()
});

#[test]
fn sdks_accept_every_combination_of_fields() {
    let mut counts = BTreeMap::<_, usize>::new();
    for (dialect, value) in &*VALUES {
        *counts
            .entry(format!("{dialect}: {}", type_of(dialect, value).unwrap_or("none in TypeScript")))
            .or_default() += 1;
    }
    eprintln!("{} different values: {counts:#?}", VALUES.len());
    for (dialect, part) in [
        ("openai-responses", r#""async":true"#),
        ("openai-responses", r#""output_schema":{"#),
        ("openai-responses", r#""allowed_callers":["programmatic"]"#),
        ("openai-responses", r#""defer_loading":true"#),
        ("openai-responses", r#""syntax":"lark""#),
        ("openai-responses", r#""type":"additional_tools""#),
        ("anthropic", r#""input_examples":["#),
        ("anthropic", r#""type":"tool_addition""#),
        ("anthropic", r#""type":"tool_removal""#),
        ("gemini-interactions", r#""short_description":"#),
        ("mcp", r#""_meta":{"#),
        ("mcp", r#""x-mcp-header":"#),
    ] {
        let has_part = |(of, value): &(&str, Value)| *of == dialect && value.to_string().contains(part);
        assert!(VALUES.iter().any(has_part), "no value of {dialect} has {part}");
    }
    if let Some(refused) = refused_in_python(&VALUES) {
        assert!(refused.is_empty(), "Python: {} refused, such as {:?}", refused.len(), refused.iter().next());
    }
    let triples: Vec<_> = VALUES.iter().map(|(dialect, value)| (*dialect, value, value.clone())).collect();
    if let Some(refused) = refused_in_typescript(&triples) {
        let first = refused.iter().next().map(|(at, why)| (why, &VALUES[*at]));
        assert!(refused.is_empty(), "TypeScript: {} refused, such as {first:?}", refused.len());
    }
}

/// Keys whose values are free: schemas, arguments and information for other programs.
const FREE: &[&str] = &[
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "inputSchema",
    "outputSchema",
    "output_schema",
    "input_examples",
    "_meta",
    "response",
    "responseJsonSchema",
];

/// Adds mutants of a value: one key has another name, or one word or flag another value. `put` returns the whole with a part replaced.
fn add_mutants(part: &Value, put: &dyn Fn(Value) -> Value, out: &mut Vec<Value>) {
    match part {
        Value::Object(entries) => {
            for (key, value) in entries {
                let renamed: Map<String, Value> = entries
                    .iter()
                    .map(|(name, value)| (if name == key { format!("{name}X") } else { name.clone() }, value.clone()))
                    .collect();
                out.push(put(renamed.into()));
                let replaced = |value: Value| {
                    let mut entries = entries.clone();
                    entries.insert(key.clone(), value);
                    put(entries.into())
                };
                match value {
                    Value::String(word) if ["type", "syntax", "role", "mode"].contains(&&**key) => {
                        out.push(replaced(json!(format!("{word}X"))));
                    }
                    Value::Bool(_) => out.push(replaced(json!("yes"))),
                    // The types allow any tools in this list.
                    Value::Array(_) if key == "tools" && entries.get("type") == Some(&json!("allowed_tools")) => {}
                    Value::Array(_) | Value::Object(_) if !FREE.contains(&&**key) => add_mutants(value, &replaced, out),
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate().take(1) {
                let replaced = |value: Value| {
                    let mut items = items.clone();
                    items[at] = value;
                    put(items.into())
                };
                match item {
                    Value::String(word) if !word.contains("://") => out.push(replaced(json!(format!("{word}X")))),
                    _ => add_mutants(item, &replaced, out),
                }
            }
        }
        _ => {}
    }
}

/// Returns the keys of a value that are not within a free one, as a text that is equal for values of the same shape.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| match value {
                _ if FREE.contains(&&**key) => key.clone(),
                Value::String(word) if key == "type" => format!("{key}={word}"),
                value => format!("{key}:{}", shape(value)),
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.first().map(shape).unwrap_or_default()),
        _ => String::new(),
    }
}

/// A check that accepts anything would prove nothing.
#[test]
fn sdks_refuse_every_field_with_another_name_or_word() {
    let mut seen = BTreeSet::new();
    let mut mutants: Vec<(&'static str, &Value, Value)> = Vec::new();
    for (dialect, value) in VALUES.iter().filter(|(dialect, value)| seen.insert((*dialect, shape(value)))) {
        let mut of_value = Vec::new();
        add_mutants(value, &|value| value, &mut of_value);
        mutants.extend(of_value.into_iter().map(|mutant| (*dialect, value, mutant)));
    }
    eprintln!("{} mutants of {} shapes", mutants.len(), seen.len());
    assert!(mutants.len() > 200, "{}", mutants.len());
    let listed: Vec<(&str, Value)> = mutants.iter().map(|(dialect, _, mutant)| (*dialect, mutant.clone())).collect();
    for (language, refused) in [("Python", refused_in_python(&listed)), ("TypeScript", refused_in_typescript(&mutants))]
    {
        let Some(refused) = refused else { continue };
        let is_judged = |at: usize| language == "Python" || type_of(mutants[at].0, mutants[at].1).is_some();
        let accepted: Vec<_> =
            (0..mutants.len()).filter(|at| is_judged(*at) && !refused.contains_key(at)).map(|at| &listed[at]).collect();
        let texts: BTreeSet<String> = accepted.iter().map(|(dialect, value)| format!("{dialect}: {value}")).collect();
        assert!(
            texts.is_empty(),
            "{language} accepts {}:\n{}",
            texts.len(),
            texts.into_iter().take(12).collect::<Vec<_>>().join("\n")
        );
    }
}
