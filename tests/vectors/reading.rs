//! Vectors of the reader of arguments. A row has a compiled table, the turn, and cases: a text that a model sent, and what the tool gets,
//! or the error that the model gets.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use toolc::__gen::segment::{Atom, Atoms};
use toolc::args::read_value;
use toolc::schema::Table;
use toolc_codegen::docs::repair::{self, Subject};
use toolc_codegen::emit::compiled;
use toolc_codegen::lint::codes;
use toolc_codegen::lower::lower;
use toolc_codegen::source::Sources;
use toolc_codegen::{Options, compile_with};
use toolc_tests::arguments::{doubled, misspell, mutate, unrelated_arguments, valid_arguments};
use toolc_tests::random::Random;
use toolc_tests::schemas;

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
        Some(row(compiled::table(&table, &[], &BTreeMap::new()), &[], &table, sent))
    });
    rows.collect()
}

/// Returns rows of `count` random tools, in up to four turns each.
pub(crate) fn random(count: usize, seed: u64) -> Vec<Value> {
    let mut random = Random(seed);
    let sources = Sources::from_memory(schemas::project(count, &mut random));
    let compilation = compile_with(&sources, &Options::only(codes::SYNTAX));
    let catalog = compilation.catalog.expect("random tools have no errors");
    let lowered = lower(&catalog);
    let document = compiled::compiled(&lowered, &[]);
    let mut rows = Vec::new();
    for ((id, tool), written) in catalog.tools().zip(document["tools"].as_array().expect("it is a list")) {
        let compiled = lowered.tool(id);
        let parameters = tool.manifest.parameters();
        for turn in 0..1_u16 << compiled.atoms.len().min(2) {
            let table = compiled.arguments.in_turn(turn).unwrap_or_else(|| Table::clone(&compiled.arguments));
            let schema = parameters.value(turn, &[]);
            let sent = (0..ARGUMENTS).flat_map(|number| texts(number, &schema, &mut random));
            let facts = facts(&compiled.atoms, turn);
            rows.push(row(written["arguments"].clone(), &facts, &table, sent.collect()));
        }
    }
    rows
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
    let mut texts: Vec<String> = doubled(&value, random).filter(|_| number % 5 == 0).into_iter().collect();
    match random.below(12) {
        0 => texts.push(format!("```json\n{text}\n```")),
        1 => texts.push(text.replace("true", "True").replace("null", "None").replace('}', ",}")),
        2 => texts.push(json!(text).to_string()),
        3 => texts.push(format!("{text}{text}")),
        4 => {
            texts.extend(text.char_indices().nth(random.below(text.len().max(1))).map(|(at, _)| text[..at].to_owned()))
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
fn facts(all: &[Atom], atoms: Atoms) -> Vec<(String, bool)> {
    let facts = all.iter().enumerate().map(|(bit, atom)| match atom {
        Atom::Fact(name) => (name.to_string(), atoms >> bit & 1 == 1),
        other => panic!("a random tool has only conditions on flags, and not {other:?}"),
    });
    facts.collect()
}

fn row(compiled: Value, facts: &[(String, bool)], table: &Table, sent: Vec<String>) -> Value {
    let facts: Map<String, Value> = facts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
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
