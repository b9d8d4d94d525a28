//! Versions of real servers, from a folder that `TOOLC_COMPARE_LISTS` names: each file `SERVER@VERSION.json` is a list of tools as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use jsonschema::Validator;
use serde_json::Value;
use toolc_compare::{Witness, compare, load};
use toolc_test_support::instances::{Random, mutated, value};

/// A tool of two versions of a server.
struct Pair<'v> {
    before: &'v Value,
    after: &'v Value,
    /// The validators of the arguments, by another implementation of JSON Schema.
    validators: [Validator; 2],
}

#[derive(Debug, Default)]
struct Counts {
    pairs: usize,
    common: usize,
    edited: usize,
    proved: usize,
    refused: usize,
    undecided_or_repaired: usize,
    values: usize,
}

#[test]
#[ignore = "needs versions of lists of real servers in TOOLC_COMPARE_LISTS"]
fn changes_of_real_servers_break_what_the_report_says() {
    let mut counts = Counts::default();
    let mut codes = BTreeMap::<String, usize>::new();
    let mut wrong = Vec::new();
    for (label, before, after) in versions() {
        let snapshot = |list: &Value| load::of_listed_tools(label.clone(), list).unwrap_or_else(|why| panic!("{why}"));
        let comparison = compare(&snapshot(&before), &snapshot(&after)).unwrap_or_else(|why| panic!("{label}: {why}"));
        counts.pairs += 1;
        for finding in &comparison.findings {
            *codes.entry(format!("{} {}", finding.code.id, finding.code.name)).or_default() += 1;
        }
        for (name, pair) in pairs(&before, &after) {
            counts.common += 1;
            counts.edited += usize::from(pair.before["inputSchema"] != pair.after["inputSchema"]);
            let of_tool = |id: &str| {
                let mut all = comparison.findings.iter().filter(|found| found.list == "tools" && found.name == name);
                all.find(|found| found.code.id == id)
            };
            let place = format!("{label}: {name}");
            // The reader repairs arguments before it refuses them, which a validator does not: `"a"` becomes `["a"]`.
            match (of_tool("W002"), of_tool("W004").or(of_tool("B009"))) {
                (Some(found), _) => {
                    counts.refused += 1;
                    wrong.extend(check_witness(&pair, &found.witness).map(|why| format!("{place}: {why}")));
                }
                (None, Some(_)) => counts.undecided_or_repaired += 1,
                (None, None) => {
                    counts.proved += usize::from(pair.before["inputSchema"] != pair.after["inputSchema"]);
                    let missed = search(&pair, &mut counts.values);
                    wrong.extend(missed.map(|missed| format!("{place}: no break was reported, but {missed} is one")));
                }
            }
        }
    }
    println!("{counts:?}");
    for (code, count) in &codes {
        println!("{count:6} {code}");
    }
    for line in &wrong {
        println!("{}", line.chars().take(600).collect::<String>());
    }
    assert!(wrong.is_empty(), "{} reports are wrong", wrong.len());
}

/// Returns each two versions that follow each other, with a label.
fn versions() -> Vec<(String, Value, Value)> {
    let folder = std::env::var("TOOLC_COMPARE_LISTS").expect("TOOLC_COMPARE_LISTS names a folder");
    let mut servers = BTreeMap::<String, Vec<(Vec<u64>, String, Value)>>::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let Some((server, version)) = path.file_stem().and_then(|stem| stem.to_str()?.rsplit_once('@')) else {
            continue;
        };
        let list = serde_json::from_str(&fs::read_to_string(&path).expect("it is text")).expect("it is JSON");
        let numbers = version.split('.').map(|part| part.parse().unwrap_or(0)).collect();
        servers.entry(server.to_owned()).or_default().push((numbers, version.to_owned(), list));
    }
    let mut all = Vec::new();
    for (server, mut lists) in servers {
        lists.sort_by(|one, other| one.0.cmp(&other.0));
        for two in lists.windows(2) {
            let label = format!("{server} {} to {}", two[0].1, two[1].1);
            all.push((label, two[0].2.clone(), two[1].2.clone()));
        }
    }
    all
}

/// Returns the tools that both versions have.
fn pairs<'v>(before: &'v Value, after: &'v Value) -> Vec<(&'v str, Pair<'v>)> {
    let tools = |list: &'v Value| {
        let tools = list.as_array().into_iter().flatten();
        tools.filter_map(|tool| Some((tool["name"].as_str()?, tool))).collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (tools(before), tools(after));
    let names: BTreeSet<&str> = before.keys().filter(|name| after.contains_key(*name)).copied().collect();
    // Whether formats are enforced depends on the version of JSON Schema, and the comparison enforces them.
    let validator = |tool: &Value| jsonschema::options().should_validate_formats(true).build(&tool["inputSchema"]).ok();
    let pair = |name| {
        let (before, after) = (before[name], after[name]);
        Some((name, Pair { before, after, validators: [validator(before)?, validator(after)?] }))
    };
    names.into_iter().filter_map(pair).collect()
}

/// Returns what is wrong about the arguments that are said to break.
fn check_witness(pair: &Pair<'_>, witness: &Witness) -> Option<String> {
    let Witness::Value(arguments) = witness else { return Some(format!("no arguments: {witness:?}")) };
    match pair.validators.each_ref().map(|validator| validator.is_valid(arguments)) {
        [true, false] => None,
        [before, after] => Some(format!("{arguments} is valid before: {before}, after: {after}")),
    }
}

/// Looks for arguments that break, among generated ones.
fn search(pair: &Pair<'_>, values: &mut usize) -> Option<Value> {
    let mut random = Random(0x9e37_79b9);
    for number in 0..200 {
        let schema = &[pair.before, pair.after][number % 2]["inputSchema"];
        let mut arguments = value(schema, schema, &mut random, 0);
        if number % 4 > 1 {
            arguments = mutated(&arguments, &mut random);
        }
        *values += 1;
        let [before, after] = pair.validators.each_ref().map(|validator| validator.is_valid(&arguments));
        if before && !after {
            return Some(arguments);
        }
    }
    None
}
