//! The Berkeley Function Calling Leaderboard: thousands of definitions that others wrote, and calls with the values that they accept.
//! `TOOLC_BFCL=all` takes all of them, and otherwise a sample.

mod calls;
mod data;
mod import;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolc::schema::FunctionDefinition;
use toolc::{Dialect, Registry, ToolCall, ToolOutput, Turn};
use toolc_codegen::catalog::Tool;
use toolc_codegen::diagnostic::Level;
use toolc_codegen::dialects::{self, DIALECTS};
use toolc_codegen::lower::definition;
use toolc_codegen::source::Sources;
use toolc_codegen::{Checked, Compilation, compile};
use toolc_tests::random::Random;

use crate::compiled::Compiled;
use calls::{Form, difference};
use data::Data;
use import::{Imported, Repair, import};

/// The number of definitions, and of calls, in a sample.
const SAMPLE: usize = 200;

/// Returns some items of a list, the same in every run, or all.
fn drawn<T>(mut items: Vec<T>) -> Vec<T> {
    if std::env::var("TOOLC_BFCL").is_ok_and(|all| all == "all") {
        return items;
    }
    Random(7).shuffle(&mut items);
    items.truncate(SAMPLE);
    items
}

/// Compiles a manifest as the only tool of a project, in all dialects.
fn compiled(imported: &Imported) -> Compilation {
    let dialects: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    let toolset = "name = 'imported'\ndescription = 'Tools of others.'\n".to_owned();
    compile(&Sources::from_memory([
        (format!("manifests/tools/{}.toml", imported.name), imported.manifest.clone()),
        ("manifests/toolsets/imported.toml".to_owned(), toolset),
        ("toolc.toml".to_owned(), format!("[schemas]\ndialects = {dialects:?}\n")),
    ]))
}

/// How often something was found, and where first.
#[derive(Debug, Default)]
struct Counts(BTreeMap<String, (usize, String)>);

impl Counts {
    fn add(&mut self, kind: impl Into<String>, count: usize, example: impl FnOnce() -> String) {
        let entry = self.0.entry(kind.into()).or_insert_with(|| (0, example()));
        entry.0 += count;
    }

    fn print(&self, title: &str) {
        eprintln!("{title}:");
        for (kind, (count, example)) in &self.0 {
            eprintln!("{count:>7} {kind}: {}", example.chars().take(160).collect::<String>());
        }
    }
}

/// The rules that refuse a definition of which only the words for types were replaced.
const REFUSING: &[&str] =
    &["default-violates-schema", "enum-type-mismatch", "invalid-name", "reserved-name", "unknown-key"];

/// The keywords that some dialect does not express.
const LOST: &[&str] = &["default", "enum", "additionalProperties", "type", "null", "format", "maximum", "properties"];

#[test]
fn definitions_of_others_compile_in_every_dialect() {
    let Some(data) = Data::download() else { return };
    let mut occurrences = BTreeMap::<String, usize>::new();
    for definition in data.definitions() {
        *occurrences.entry(definition.to_string()).or_default() += 1;
    }
    let all: usize = occurrences.values().sum();
    eprintln!("{} questions with {all} definitions, {} of them different", data.questions.len(), occurrences.len());
    let [mut refused, mut changes, mut losses] = [(); 3].map(|()| Counts::default());
    let (mut total, mut as_written, mut accepted) = (0, 0, 0);
    for (text, count) in drawn(occurrences.into_iter().collect()) {
        total += count;
        let of_others: Value = serde_json::from_str(&text).expect("it is JSON");
        let compilation = compiled(&import(&of_others, Repair::Types));
        as_written += if compilation.catalog.is_some() { count } else { 0 };
        let errors = compilation.diagnostics.iter().filter(|found| found.level == Level::Error);
        for (rule, message) in errors.map(|found| (found.code.name, &found.message)).collect::<BTreeMap<_, _>>() {
            assert!(REFUSING.contains(&rule), "{rule}: {message}: {text}");
            refused.add(rule, count, || message.clone());
        }
        let imported = import(&of_others, Repair::All);
        for (change, times) in &imported.changes {
            changes.add(*change, times * count, || imported.name.clone());
        }
        let compilation = compiled(&imported);
        let Some(catalog) = compilation.catalog else {
            // A name of toolc's own tools.
            assert_eq!(imported.name, "tool_search", "{:?}", compilation.diagnostics);
            continue;
        };
        accepted += count;
        let (_, tool) = catalog.tools().next().expect("it has one tool");
        let read = FunctionDefinition::from_openai(&function(&catalog, tool));
        let tool_at_run_time = read.and_then(|read| read.sync(|_, _| Ok(ToolOutput::text(""))).build());
        assert!(tool_at_run_time.is_ok(), "{:?}: {text}", tool_at_run_time.err());
        for dialect in DIALECTS {
            let lowering = definition(dialect, &catalog, tool);
            assert!(lowering.definition.is_some(), "{}: {text}", dialect.name);
            let kinds: BTreeSet<_> =
                lowering.losses.iter().map(|loss| (loss.keyword, format!("{:?}", loss.fallback))).collect();
            if kinds.is_empty() {
                losses.add(format!("{}: nothing", dialect.name), count, String::new);
            }
            for (keyword, fallback) in kinds {
                assert!(LOST.contains(&keyword), "{}: {keyword}: {text}", dialect.name);
                losses.add(format!("{}: {keyword}, {fallback}", dialect.name), count, || imported.name.clone());
            }
        }
    }
    eprintln!("{total} definitions: {as_written} compile as they are, {accepted} after these changes");
    changes.print("changes");
    refused.print("definitions that a rule refuses as they are");
    losses.print("definitions of which a dialect does not express something");
    assert!(accepted + 1 >= total && as_written * 2 > total);
}

/// Returns the definition of a tool for Chat Completions.
fn function(catalog: &Checked, tool: &Tool) -> Value {
    let record = dialects::find("openai").expect("there is such a dialect");
    let json = definition(record, catalog, tool).definition.expect("it accepts the tool");
    catalog.full_turn_values(tool).value(&json)
}

/// The tool of a definition.
struct Callable {
    name: String,
    turn: Turn,
    /// The JSON Schema of its arguments.
    schema: Value,
}

impl Callable {
    fn new(of_others: &Value) -> Self {
        let imported = import(of_others, Repair::All);
        let compilation = compiled(&imported);
        let catalog = compilation.catalog.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
        let (_, tool) = catalog.tools().next().expect("it has one tool");
        let schema = function(&catalog, tool)["function"]["parameters"].clone();
        let registry = Registry::new();
        registry.add(Box::new(Compiled::new(&catalog))).expect("the registry is empty");
        let session = registry.session().build().expect("all tools are granted");
        Self { name: imported.name, turn: session.turn_blocking(Dialect::OpenAi), schema }
    }

    /// Returns the arguments that the handler gets and whether they were repaired, or what is wrong.
    fn call(&self, arguments: &Value) -> Result<(Value, bool), String> {
        let response = self.turn.call_blocking(&ToolCall::new(&self.name, &arguments.to_string()));
        if response.is_error() {
            return Err(response.json);
        }
        Ok((serde_json::from_str(&response.json).expect("it is JSON"), !response.repairs.is_empty()))
    }
}

/// Returns the calls of a sample: the project with the function, and the arguments as JSON texts in all forms. `None` without the data.
pub(crate) fn calls_of_others() -> Option<Vec<(Compilation, Vec<String>)>> {
    let data = Data::download()?;
    let answered = data.questions.iter().filter_map(|question| Some((question, data.answers.get(&question.id)?)));
    let calls = answered.flat_map(|(question, calls)| calls.iter().map(move |call| (question, call)));
    let of_call = |(question, call): (&data::Entry, &Value)| {
        let (name, accepted) = call.as_object().and_then(|call| call.iter().next()).expect("it names a function");
        let definitions = data::definitions(&question.content);
        let of_others = definitions.iter().find(|one| one["name"] == **name).expect("the function is defined");
        let sent = (0..calls::choices(accepted)).flat_map(|choice| {
            let sent = calls::arguments(of_others, accepted, choice);
            [Form::JsonTexts.of(&sent).to_string(), Form::TextScalars.of(&sent).to_string(), sent.to_string()]
        });
        (compiled(&import(of_others, Repair::All)), sent.collect())
    };
    Some(drawn(calls.collect()).into_iter().map(of_call).collect())
}

#[test]
fn calls_of_others_are_accepted_and_repaired() {
    let Some(data) = Data::download() else { return };
    let answered = data.questions.iter().filter_map(|question| Some((question, data.answers.get(&question.id)?)));
    let calls = answered.flat_map(|(question, calls)| calls.iter().map(move |call| (question, call)));
    let calls = drawn(calls.collect());
    let [mut unchanged, mut changed] = [(); 2].map(|()| Counts::default());
    for (question, call) in &calls {
        let (name, accepted) = call.as_object().and_then(|call| call.iter().next()).expect("it names a function");
        let definitions = data::definitions(&question.content);
        let of_others = definitions.iter().find(|one| one["name"] == **name).expect("the function is defined");
        let tool = Callable::new(of_others);
        let validator = jsonschema::draft202012::new(&tool.schema).expect("it is a schema");
        for choice in 0..calls::choices(accepted) {
            let sent = calls::arguments(of_others, accepted, choice);
            let example = || format!("{}: {sent}", question.id);
            let is_valid = validator.is_valid(&sent);
            let read = match tool.call(&sent) {
                Err(why) => {
                    assert!(!is_valid, "{} is refused: {why}", example());
                    unchanged.add("refused, and not valid by its schema", 1, || format!("{}: {why}", question.id));
                    continue;
                }
                Ok((read, _)) if is_valid => {
                    assert_eq!(difference(&tool.schema, &sent, &read), None, "{}", example());
                    unchanged.add("valid, and the handler gets the same", 1, String::new);
                    read
                }
                Ok((read, is_repaired)) => {
                    assert!(validator.is_valid(&read), "{}: {read}", example());
                    let kind = if is_repaired { "repaired" } else { "null for an absent parameter" };
                    unchanged.add(format!("not valid, but accepted: {kind}"), 1, example);
                    read
                }
            };
            for form in [Form::JsonTexts, Form::TextScalars] {
                let text = form.of(&sent);
                let kind = match tool.call(&text) {
                    _ if text == sent => "has only texts",
                    Ok((got, _)) => match difference(&tool.schema, &read, &got) {
                        None => "comes back",
                        Some(kind) => kind,
                    },
                    Err(why) => {
                        let has_null = sent.as_object().is_some_and(|all| all.values().any(Value::is_null));
                        assert!(has_null, "{}: {text}: {why}", question.id);
                        "is refused: the text `null` for a parameter that cannot be null"
                    }
                };
                changed.add(format!("{form:?}: {kind}"), 1, || format!("{}: {text}", question.id));
            }
        }
    }
    eprintln!("{} calls", calls.len());
    unchanged.print("as they are");
    changed.print("with values as texts");
    let count = |counts: &Counts, kind: &str| counts.0.get(kind).map_or(0, |(count, _)| *count);
    let all: usize = unchanged.0.values().map(|(count, _)| count).sum();
    assert!(count(&unchanged, "valid, and the handler gets the same") * 10 > all * 9);
    assert!(count(&changed, "JsonTexts: comes back") * 2 > all);
}
