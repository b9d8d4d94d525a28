//! Vectors of the reader of arguments. A row has a compiled table, the turn, and cases: a text that a model sent, and the arguments and
//! their repairs, or the error that the model gets. `filled` has the arguments with their defaults, if they differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value, json};
use toolc::__gen::segment::{Atom, Atoms};
use toolc::FactValue;
use toolc::args::read_value;
use toolc::schema::Table;
use toolc_codegen::dialects;
use toolc_codegen::docs::repair::{self, Subject};
use toolc_codegen::emit::{self, compiled};
use toolc_codegen::lint::codes;
use toolc_codegen::lower::lower;
use toolc_codegen::source::Sources;
use toolc_codegen::{Checked, Options, compile_with};
use toolc_tests::arguments::{doubled, misspell, mutate, unrelated_arguments, valid_arguments};
use toolc_tests::random::Random;
use toolc_tests::schemas;

use super::reference::{self, Tool};

/// The arguments for each tool in each turn.
const ARGUMENTS: usize = 10;

/// Returns rows of the examples in `docs/repair.md`, and of the corpus of conversions.
pub(crate) fn documented() -> Vec<Value> {
    let rules = repair::RULES.iter().flat_map(|rule| rule.examples);
    let others = repair::KEPT.iter().chain(repair::REFUSED).flat_map(|one| one.examples);
    let examples = rules.chain(others).map(|example| {
        let schema: Value = serde_json::from_str(example.schema).expect("the schema of an example is JSON");
        let (properties, sent) = match example.subject {
            Subject::Arguments => (schema, example.sent.to_owned()),
            Subject::Parameter => (json!({ "x": schema }), format!("{{\"x\":{}}}", example.sent)),
        };
        let mut arguments = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if properties.get("properties").is_some() {
            arguments["properties"] = properties["properties"].clone();
            arguments["required"] = properties["required"].clone();
        }
        (arguments, sent)
    });
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/coercion.jsonl");
    let corpus = std::fs::read_to_string(corpus).expect("the corpus exists");
    let rows = corpus.lines().map(|row| {
        let row: Value = serde_json::from_str(row).expect("a row of the corpus is JSON");
        (row["schema"].clone(), row["args"].to_string())
    });
    let mut cases: Vec<(Value, Vec<String>)> = Vec::new();
    for (schema, sent) in examples.chain(rows) {
        match cases.iter_mut().find(|(other, _)| *other == schema) {
            Some((_, all)) => all.push(sent),
            None => cases.push((schema, vec![sent])),
        }
    }
    let rows = cases.into_iter().filter_map(|(schema, sent)| {
        let table = Table::from_schema(&schema).ok().filter(|table| !has_keywords_of_run_time(table))?;
        Some(row(&compiled::table(&table, &[], &BTreeMap::new()), &Map::new(), &table, sent))
    });
    rows.collect()
}

/// Returns rows of `count` random tools, in up to four turns each.
pub(crate) fn random(count: usize, seed: u64) -> Vec<Value> {
    let mut random = Random(seed);
    let sources = Sources::from_memory(schemas::project(count, &mut random));
    rows(&sources, &mut random, |tool| {
        let turns = 0..1_u16 << tool.atoms.len().min(2);
        turns.map(|atoms| (atoms, facts(&tool.atoms, atoms))).collect()
    })
}

/// Returns rows of the tools of the golden project, in the turn with all tools and the defaults of all facts. Many have defaults.
pub(crate) fn golden(seed: u64) -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/golden");
    let sources = Sources::scan(&root).expect("the project can be read");
    let facts = [("platform", FactValue::from("cli")), ("vision", false.into()), ("depth", 2.into())];
    let value = |name: &str| facts.iter().find(|(fact, _)| *fact == name).map(|(_, value)| value).expect("a fact");
    let holds = |atom: &Atom| match atom {
        Atom::Tool(_) => true,
        Atom::Fact(name) => *value(name) == FactValue::from(true),
        Atom::Compared(name, comparison, with) => comparison.holds(value(name), with),
    };
    rows(&sources, &mut Random(seed), |tool| {
        let atoms = tool.atoms.iter().enumerate().fold(0, |all, (bit, atom)| all | Atoms::from(holds(atom)) << bit);
        let facts = json!({ "platform": "cli", "vision": false, "depth": 2 });
        vec![(atoms, facts.as_object().cloned().unwrap_or_default())]
    })
}

/// The atoms of a tool that hold in a turn, and the facts of the turn.
type TurnOfTool = (Atoms, Map<String, Value>);

/// Returns rows of all tools of a project, each in these turns.
fn rows(sources: &Sources, random: &mut Random, turns: impl Fn(&toolc::Tool) -> Vec<TurnOfTool>) -> Vec<Value> {
    // Without lint, which would report schemas that no value satisfies: some tools have them on purpose.
    let compilation = compile_with(sources, &Options::only(codes::SYNTAX));
    let catalog = compilation.catalog.expect("the tools have no errors");
    let lowered = lower(&catalog);
    let document = compiled::compiled(&lowered, &[]);
    let openai = dialects::find("openai").expect("it is a dialect");
    let rewrites = emit::rewrites(&lowered, openai, |_| true);
    let tools: BTreeSet<String> = catalog.tools().map(|(_, tool)| tool.name().to_owned()).collect();
    let mut rows = Vec::new();
    for ((id, tool), written) in catalog.tools().zip(document["tools"].as_array().expect("it is a list")) {
        let compiled = lowered.tool(id);
        let parameters = tool.manifest.parameters();
        let all_parameters = parameters.full_value();
        let name = tool.name_in("openai");
        let mut reference = Tool::new(&rewrites["tools"][name], &all_parameters);
        for (atoms, facts) in turns(compiled) {
            let table = compiled.arguments.in_turn(atoms).unwrap_or_else(|| Table::clone(&compiled.arguments));
            let schema = parameters.value(atoms, &vec![FactValue::from("fact"); compiled.facts.len()]);
            let sent = (0..ARGUMENTS).flat_map(|number| texts(number, &schema, random)).collect();
            let mut row = row(&written["arguments"], &facts, &table, sent);
            let turn = reference::Turn { tools: tools.clone(), facts: row["facts"].clone() };
            for case in row["cases"].as_array_mut().expect("it is a list") {
                let Some(arguments) = case.get("arguments") else { continue };
                let filled = reference.fill(arguments, &turn);
                if filled != *arguments {
                    case["filled"] = filled;
                }
            }
            if compiled.atoms.iter().any(|atom| matches!(atom, Atom::Tool(_))) {
                row["tools"] = json!(tools);
            }
            rows.push(row);
        }
    }
    rows
}

/// Returns a row of the only tool of a project.
#[allow(dead_code, reason = "only tests have calls of others")]
pub(crate) fn of_only_tool(catalog: &Checked, sent: Vec<String>) -> Value {
    let lowered = lower(catalog);
    let (id, _) = catalog.tools().next().expect("it has one tool");
    let tool = lowered.tool(id);
    let written = compiled::table(&tool.arguments, &tool.atoms, &BTreeMap::new());
    row(&written, &Map::new(), &tool.arguments, sent)
}

/// Returns random texts that a model may send.
fn texts(number: usize, schema: &Value, random: &mut Random) -> Vec<String> {
    let mut value = valid_arguments(schema, random);
    match number % 5 {
        0 | 1 => {}
        2 => misspell(&mut value, random),
        3 => mutate(&mut value, random),
        _ => value = unrelated_arguments(schema, random),
    }
    let text = value.to_string();
    let mut texts: Vec<String> = doubled(&value, random).filter(|_| number.is_multiple_of(5)).into_iter().collect();
    match random.below(12) {
        0 => texts.push(format!("```json\n{text}\n```")),
        1 => texts.push(text.replace("true", "True").replace("null", "None").replace('}', ",}")),
        2 => texts.push(json!(text).to_string()),
        3 => texts.push(format!("{text}{text}")),
        4 => {
            texts.extend(text.char_indices().nth(random.below(text.len().max(1))).map(|(at, _)| text[..at].to_owned()));
        }
        5 => texts.push(text.replace('"', "'")),
        _ => {}
    }
    texts.push(text);
    texts
}

/// Returns whether a table has keywords that only tables of run time have.
fn has_keywords_of_run_time(table: &Table) -> bool {
    table.nodes.iter().any(|node| node.further != 0)
}

/// Returns the facts with which these atoms are true, and the others false.
fn facts(all: &[Atom], atoms: Atoms) -> Map<String, Value> {
    let facts = all.iter().enumerate().map(|(bit, atom)| match atom {
        Atom::Fact(name) => (name.to_string(), json!(atoms >> bit & 1 == 1)),
        other => panic!("a random tool has only conditions on flags, and not {other:?}"),
    });
    facts.collect()
}

fn row(compiled: &Value, facts: &Map<String, Value>, table: &Table, sent: Vec<String>) -> Value {
    let cases: Vec<Value> = sent.into_iter().map(|sent| case(table, &sent)).collect();
    json!({ "table": compiled, "facts": facts, "cases": cases })
}

/// Returns what the reader makes of a text.
fn case(table: &Table, sent: &str) -> Value {
    match read_value(sent, table) {
        Ok((arguments, repairs)) => {
            let repairs: Vec<Value> = repairs
                .iter()
                .map(|repair| json!([repair.path, repair.rule.to_string(), repair.from, repair.to]))
                .collect();
            json!({ "sent": sent, "arguments": arguments, "repairs": repairs })
        }
        Err(error) => {
            let error: Value = serde_json::from_str(&error.to_json()).expect("an error is JSON");
            json!({ "sent": sent, "error": error })
        }
    }
}
