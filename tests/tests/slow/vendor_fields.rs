//! The types of the vendors' SDKs accept every field that vendors have gained, in every combination that a manifest can declare: in
//! Python, whose script refuses unknown keys, and in TypeScript, whose compiler does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolc::behaviour::Callers;
use toolc::search::ToolSearch;
use toolc::wire::{Api, ToolUpdate};
use toolc::{Dialect, DynamicTool, DynamicTools, Registry, ToolOutput, Turn};
use toolc_codegen::compile;
use toolc_codegen::dialects::DIALECTS;
use toolc_codegen::lower::definition;
use toolc_codegen::source::Sources;

use crate::packages;
use crate::python::run_script;

const PACKAGES: &str = "typescript@5.9.3\nopenai@7.59.0\n@anthropic-ai/sdk@1.14.0\n@google/genai@3.3.0\n";

/// Definitions and messages, by dialect.
type Written = BTreeMap<&'static str, Vec<Value>>;

/// Returns the keys of each dimension, all of which are combined.
fn dimensions() -> Vec<Vec<&'static str>> {
    let grammar = "[text_input]\nsyntax = 'lark'\ndefinition = 'start: \"a\"'\n";
    vec![
        vec!["", "callers = ['code']\n", "callers = ['model', 'code']\n"],
        vec!["", "execution = 'async'\nbackground = true\n"],
        vec!["", "example_in_words = true\n"],
        vec!["", "defer = false\n"],
        vec!["", "meta = { ui = { resourceUri = 'ui://a' } }\nicons = ['https://example.org/a.png']\n"],
        vec!["", "[dialect.anthropic-strict]\nstrict = false\n"],
        vec!["", "[text_input]\n", grammar, "[text_input]\nsyntax = 'regex'\ndefinition = 'a+'\n"],
        vec!["", "[returns]\ntype = 'object'\nproperties.n = { type = 'integer', required = true }\n"],
    ]
}

/// Returns the definitions of a tool for each combination, in each dialect whose definitions are JSON.
fn definitions() -> Written {
    let mut manifests = vec![String::new()];
    for values in dimensions() {
        manifests =
            values.iter().flat_map(|keys| manifests.iter().map(move |begun| format!("{begun}{keys}"))).collect();
    }
    let tool = |(at, keys): (usize, String)| {
        // Tables follow the other keys.
        let tables = keys.find('[').filter(|at| keys[..*at].ends_with('\n') || *at == 0);
        let at_line = keys.match_indices("\n[").next().map(|(at, _)| at + 1).or(tables.filter(|at| *at == 0));
        let (first, tables) = keys.split_at(at_line.unwrap_or(keys.len()));
        let text = format!(
            "name = 't{at}'\ntoolset = 's'\ndescription = 'Does it, and says so. Use it often.'\n{first}\
             [params.text]\ntype = 'string'\ndescription = 'What.'\nrequired = true\nx-mcp-header = 'What'\n\
             [schema]\nexamples = [{{ text = 'a' }}, {{ text = 'aa' }}]\n{tables}"
        );
        (format!("manifests/tools/t{at}.toml"), text)
    };
    let toolset = ("manifests/toolsets/s.toml".to_owned(), "name = 's'\ndescription = 'Tools.'\n".to_owned());
    let compiled = compile(&Sources::from_memory(manifests.into_iter().enumerate().map(tool).chain([toolset])));
    let errors: Vec<_> = compiled.diagnostics.iter().map(|one| format!("{}: {}", one.code.name, one.message)).collect();
    let catalog = compiled.catalog.unwrap_or_else(|| panic!("{errors:?}"));
    let mut written = Written::new();
    for dialect in DIALECTS.iter().filter(|dialect| dialect.name != "typescript") {
        let of_tools = catalog.tools().filter_map(|(_, tool)| {
            let definition = definition(dialect, &catalog, tool).definition?;
            Some(catalog.full_turn_values(tool).value(&definition))
        });
        written.insert(dialect.name, of_tools.collect());
    }
    written
}

/// Returns the turn of a session with these tools, in which the vendor searches.
fn turn(names: &[&'static str], dialect: Dialect) -> Turn {
    let tool = |name: &'static str| {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let tool = DynamicTool::blocking(name, "Does it. In detail.", schema, |_, _| Ok(ToolOutput::text("")));
        let callers = if name.starts_with('c') { Callers::BOTH } else { Callers::MODEL };
        tool.callers(callers).background(name.starts_with('b')).defer(!name.ends_with('0')).toolset(&name[..1])
    };
    let registry = Registry::new();
    let tools = DynamicTools::new().tools(names.iter().copied().map(tool));
    registry.add(tools.build().expect("the tools are valid")).expect("the names are free");
    let search = ToolSearch::with_threshold(0).by_vendor();
    let session = registry.session().tool_search(search).build().expect("the session is valid");
    session.turn_blocking(dialect)
}

/// Adds the tools of requests in which the vendor searches, and the messages that tell a conversation of other tools.
fn add_requests(written: &mut Written) {
    let [before, after] = [&["a0", "a1", "b0", "b1", "c0", "c1"][..], &["a0", "b1", "c1", "d0", "d1"]];
    for (dialect, api) in [
        (Dialect::Anthropic, Some(Api::Anthropic)),
        (Dialect::AnthropicStrict, Some(Api::Anthropic)),
        (Dialect::OpenAiResponses, Some(Api::Responses)),
        (Dialect::GeminiInteractions, None),
    ] {
        let name = DIALECTS.iter().find(|record| record.in_runtime() == Some(dialect)).expect("it has a record").name;
        let list = written.get_mut(name).expect("the dialect has definitions");
        let [earlier, later] = [before, after].map(|names| turn(names, dialect));
        list.extend(serde_json::from_str::<Vec<Value>>(&later.request_tools()).expect("a list"));
        for update in api.into_iter().flat_map(|api| {
            [api.tool_update(&earlier, &later), api.tool_update(&earlier, &turn(&[before, &["d0"]].concat(), dialect))]
        }) {
            if let ToolUpdate::Append(appended) = update {
                let messages = appended.messages.iter().chain(&appended.tool_choice);
                list.extend(messages.map(|message| serde_json::from_str::<Value>(message.get()).expect("it is JSON")));
            }
        }
    }
}

fn all() -> Written {
    let mut written = definitions();
    add_requests(&mut written);
    written
}

/// Writes a folder with a list for each dialect, and returns what the script for Python says.
fn in_python(written: &Written) -> Option<Result<String, String>> {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    for (dialect, list) in written {
        let dialect = folder.path().join(dialect);
        fs::create_dir(&dialect).expect("the folder is writable");
        fs::write(dialect.join("all.json"), json!(list).to_string()).expect("the folder is writable");
    }
    run_script("check.py", |command| command.arg(folder.path()))
}

/// Returns the type of the SDK for TypeScript that a value has in a dialect. `None` if its SDK for TypeScript has none.
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
        ("gemini-interactions", "function") if value.get("defer_loading").is_none() => "Interactions.Function",
        _ => return None,
    })
}

/// Returns what the compiler of TypeScript says about values of the SDKs' types.
fn in_typescript(written: &Written) -> Option<Result<String, String>> {
    let folder = match packages::npm("vendor-sdks", PACKAGES) {
        Ok(folder) => folder,
        Err(why) => {
            packages::skipped(&format!("no TypeScript with the vendors' SDKs: {why}"));
            return None;
        }
    };
    let mut by_type = BTreeMap::<&str, Vec<&Value>>::new();
    for (dialect, list) in written {
        for value in list {
            if let Some(kind) = type_of(dialect, value) {
                by_type.entry(kind).or_default().push(value);
            }
        }
    }
    let mut text = String::from(
        "import OpenAI from \"openai\";\nimport Anthropic from \"@anthropic-ai/sdk\";\n\
         import type { Interactions } from \"@google/genai\";\n",
    );
    for (at, (kind, values)) in by_type.iter().enumerate() {
        let _ = writeln!(text, "export const list{at}: {kind}[] = {};", json!(values));
    }
    let file = tempfile::Builder::new().suffix(".ts").tempfile_in(&folder).expect("the folder is writable");
    fs::write(file.path(), text).expect("the file is writable");
    let tsc: &Path = "node_modules/typescript/bin/tsc".as_ref();
    let options = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
    let mut command = Command::new("node");
    command.current_dir(&folder).arg(tsc).args(options).arg(file.path());
    Some(packages::run(&mut command))
}

#[test]
fn python_sdks_accept_every_combination_of_fields() {
    let written = all();
    assert!(written.values().map(Vec::len).sum::<usize>() > 5_000, "all combinations");
    if let Some(said) = in_python(&written) {
        assert!(said.as_ref().is_ok_and(|said| said.ends_with(", 0 refused")), "{said:?}");
    }
}

#[test]
fn typescript_sdks_accept_every_combination_of_fields() {
    if let Some(said) = in_typescript(&all()) {
        assert_eq!(said, Ok(String::new()));
    }
}

/// A check that accepts anything would prove nothing.
#[test]
fn sdks_refuse_a_field_with_another_name_or_value() {
    let tool = |more: Value| {
        let mut tool = json!({"name": "a", "description": "b", "input_schema": {"type": "object"}});
        tool.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        Written::from([("anthropic", vec![tool])])
    };
    let function = |more: Value| {
        let mut tool = json!({"type": "function", "name": "a", "parameters": {}, "strict": false});
        tool.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        Written::from([("openai-responses", vec![tool])])
    };
    for written in [
        tool(json!({"input_exmples": [{}]})),
        tool(json!({"allowed_callers": ["programmatic"]})),
        tool(json!({"defer_loading": "yes"})),
        function(json!({"background": true})),
        function(json!({"allowed_callers": ["code"]})),
        Written::from([("openai-responses", vec![json!({"type": "namespace", "name": "a", "tools": []})])]),
    ] {
        for said in [in_python(&written), in_typescript(&written)].into_iter().flatten() {
            assert!(said.is_err(), "{written:?} is accepted: {said:?}");
        }
    }
}
