//! Vectors of turns of the golden project. A row has the choices of a turn, which tools it shows and why it hides others, its definitions,
//! and names that a model may write, each with the tool that is called or the error that the model gets.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use toolc::{Dialect, Env, FactValue, Registry, ToolCall, Turn};
use toolc_codegen::dialects::DIALECTS;
use toolc_codegen::emit::compiled;
use toolc_codegen::lower::lower;
use toolc_codegen::source::Sources;
use toolc_tests::echo::Echo;
use toolc_tests::golden;
use toolc_tests::random::Random;

/// The turns in each dialect.
const TURNS: usize = 6;
/// The names in each turn.
const NAMES: usize = 12;

/// Returns the compiled catalog of the golden project, in all its dialects.
pub(crate) fn catalog() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/golden");
    let compilation = toolc_codegen::compile(&Sources::scan(&root).expect("the project can be read"));
    let catalog = compilation.catalog.expect("the project has no errors");
    let dialects: Vec<_> = DIALECTS.iter().collect();
    compiled::compiled(&lower(&catalog), &dialects)
}

/// Returns the rows.
pub(crate) fn rows(seed: u64) -> Vec<Value> {
    let mut random = Random(seed);
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("the names are unique");
    let names = names(&catalog());
    let mut rows = Vec::new();
    for &dialect in Dialect::ALL {
        for number in 0..TURNS {
            let choice = if number == 0 { Choice::default() } else { Choice::random(&names, &mut random) };
            let mut session = registry.session().enable(choice.enabled.clone()).disable(choice.disabled.clone());
            session = session.enable_tools(choice.enabled_tools.clone()).disable_tools(choice.disabled_tools.clone());
            let facts = choice.facts.iter().map(|(name, value)| (name.to_string().into(), value.clone()));
            let session = session.facts(facts).env(choice.env()).build().expect("the names are known");
            let turn = session.turn_blocking(dialect);
            rows.push(row(&turn, dialect, &choice, &names, &mut random));
        }
    }
    rows
}

/// The names that a catalog declares.
struct Names {
    tools: Vec<String>,
    toolsets: Vec<String>,
    /// The names of tools, their names in dialects, and their aliases.
    known: Vec<String>,
}

fn names(catalog: &Value) -> Names {
    let items = |key: &str| catalog[key].as_array().expect("it is a list").iter();
    let texts = |value: &Value| -> Vec<String> {
        let list = value.as_array().into_iter().flatten().chain(value.as_object().into_iter().flat_map(Map::values));
        list.filter_map(|one| Some(one.as_str()?.to_owned())).collect()
    };
    let tools: Vec<String> = items("tools").filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect();
    let mut toolsets: Vec<String> =
        items("toolsets").filter_map(|toolset| Some(toolset["name"].as_str()?.to_owned())).collect();
    toolsets.extend(items("toolsets").flat_map(|toolset| texts(&toolset["aliases"])));
    toolsets.push("all".to_owned());
    let others = items("tools").flat_map(|tool| [texts(&tool["names"]), texts(&tool["aliases"])].concat());
    Names { known: tools.iter().cloned().chain(others).collect(), tools, toolsets }
}

/// What is chosen for a turn.
#[derive(Default)]
struct Choice {
    enabled: Vec<String>,
    disabled: Vec<String>,
    enabled_tools: Vec<String>,
    disabled_tools: Vec<String>,
    facts: BTreeMap<&'static str, FactValue>,
    variables: Vec<&'static str>,
    programs: Vec<&'static str>,
}

impl Choice {
    fn random(names: &Names, random: &mut Random) -> Self {
        let some = |all: &[String], most: usize, random: &mut Random| -> Vec<String> {
            (0..random.below(most + 1)).map(|_| random.pick(all).clone()).collect()
        };
        let enabled = some(&names.toolsets, 3, random);
        let disabled = some(&names.toolsets, 1, random);
        let enabled_tools = some(&names.tools, 1, random);
        let disabled_tools = some(&names.tools, 1, random);
        let facts = [
            ("platform", FactValue::from(*random.pick(&["cli", "chat", "a \"b\"\n\u{e9}"]))),
            ("vision", FactValue::from(random.one_in(2))),
            ("depth", FactValue::from(i64::try_from(random.below(5)).unwrap_or_default() - 1)),
        ];
        let facts: BTreeMap<_, _> = facts.into_iter().filter(|_| random.one_in(2)).collect();
        // With this variable, the check of a tool for chats is asked, which panics.
        let is_chat = facts.get("platform") == Some(&FactValue::from("chat"));
        let variables = ["GOLDEN_KEY", "GOLDEN_BROWSER"]
            .into_iter()
            .filter(|name| !(random.one_in(4) || (is_chat && *name == "GOLDEN_KEY")))
            .collect();
        let programs = ["golden-program"].into_iter().filter(|_| !random.one_in(4)).collect();
        Self { enabled, disabled, enabled_tools, disabled_tools, facts, variables, programs }
    }

    fn env(&self) -> Env {
        let env = self.variables.iter().fold(Env::empty(), |env, name| env.with_var(name, "value"));
        self.programs.iter().fold(env, |env, name| env.with_program(*name))
    }

    fn to_json(&self) -> Value {
        let fact = |value: &FactValue| match value {
            FactValue::Text(text) => json!(text),
            FactValue::Boolean(flag) => json!(flag),
            FactValue::Integer(integer) => json!(integer),
        };
        let facts: Map<String, Value> =
            self.facts.iter().map(|(name, value)| ((*name).to_owned(), fact(value))).collect();
        json!({
            "enabled": self.enabled, "disabled": self.disabled,
            "enabled_tools": self.enabled_tools, "disabled_tools": self.disabled_tools,
            "facts": facts, "variables": self.variables, "programs": self.programs,
        })
    }
}

fn row(turn: &Turn, dialect: Dialect, choice: &Choice, names: &Names, random: &mut Random) -> Value {
    let hidden: Map<String, Value> =
        turn.hidden().map(|hidden| (hidden.tool.to_owned(), json!(hidden.reason.to_string()))).collect();
    let sent: Vec<String> = (0..NAMES).map(|_| misspelt(random.pick::<String>(&names.known), random)).collect();
    let reached: Vec<Value> = sent.iter().map(|sent| named(turn, sent)).collect();
    json!({
        "dialect": dialect.name(),
        "choice": choice.to_json(),
        "tools": turn.tools().collect::<Vec<_>>(),
        "hidden": hidden,
        "definitions": turn.definitions(),
        "names": reached,
    })
}

/// Returns what a call by a name reaches: `[name, tool]`, or `[name, error]`.
fn named(turn: &Turn, sent: &str) -> Value {
    if let Some(tool) = turn.tool_called(sent) {
        return json!([sent, tool.name]);
    }
    let response = pollster::block_on(turn.call(&ToolCall::new(sent, "{}")));
    json!([sent, serde_json::from_str::<Value>(&response.json).expect("an error is JSON")])
}

/// Returns a name as a model may write it.
fn misspelt(name: &str, random: &mut Random) -> String {
    match random.below(14) {
        0 => name.to_uppercase(),
        1 => name.replace('_', "-"),
        2 => format!("functions.{name}"),
        3 => format!("mcp__server__{name}"),
        4 => format!("{name}()"),
        5 => name.replace('_', ""),
        6 => format!(" {name} "),
        7 => format!("default_api.{name}"),
        8 => format!("{name}_tool"),
        9 => name.chars().skip(1).collect(),
        10 => format!("`{name}`"),
        11 => format!("{name}s<b>\u{202e}"),
        12 => camel_case(name),
        _ => name.to_owned(),
    }
}

/// Returns a name as `CamelCase`.
fn camel_case(name: &str) -> String {
    let mut out = String::new();
    for word in name.split('_') {
        let (first, rest) = word.split_at(word.len().min(1));
        out.push_str(&first.to_uppercase());
        out.push_str(rest);
    }
    out
}
