//! Runs a corpus: `corpus KIND FILE`. FILE has one JSON object per line.
//!
//! Prints each failing row, and a last line `N passed, M failed`. Exit status: 1 if a row failed, 2 if the command line, the file or a
//! row is invalid.

use std::borrow::Cow;
use std::process::ExitCode;

use serde_json::{Value, json};
use toolc::commands::{Surroundings, judge, rules};
use toolc::schema::Table;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kind, file] = args.as_slice() else {
        eprintln!("usage: corpus KIND FILE, where KIND is: coercion, commands, injections");
        return ExitCode::from(2);
    };
    run(kind, file).unwrap_or_else(|error| {
        eprintln!("corpus: {error}");
        ExitCode::from(2)
    })
}

fn run(kind: &str, file: &str) -> Result<ExitCode, String> {
    let check = match kind {
        "coercion" => coercion,
        "commands" => commands,
        "injections" => injections,
        _ => return Err(format!("unknown kind of corpus `{kind}`: the kinds are coercion, commands, injections")),
    };
    let text = std::fs::read_to_string(file).map_err(|error| format!("failed to read {file}: {error}"))?;
    let (mut passed, mut failed) = (0, 0);
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |error: String| format!("{file}:{}: {error}", index + 1);
        let row: Value = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        match check(&row).map_err(at)? {
            Ok(()) => passed += 1,
            Err(got) => {
                failed += 1;
                println!("{file}:{}: got {got} for {row}", index + 1);
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// `Ok`, or the actual result of a failing row.
type Verdict = Result<(), Value>;

/// Checks argument repair, without validation. A row has `schema`, `args` and `want`.
fn coercion(row: &Value) -> Result<Verdict, String> {
    let field = |name: &str| row.get(name).ok_or_else(|| format!("the row has no `{name}`"));
    // A value that is not a schema accepts anything.
    let table = Table::from_schema(field("schema")?).unwrap_or_default();
    let mut args = field("args")?.clone();
    toolc::args::repair(&mut args, &table);
    Ok(if same(&args, field("want")?) { Ok(()) } else { Err(args) })
}

/// Checks the verdict of the shipped rules about a command. A row has `command`, and `want`: `allow`, `ask` or `block`. It can have
/// `sets`: the optional sets of rules that are active.
fn commands(row: &Value) -> Result<Verdict, String> {
    let field = |name: &str| {
        row.get(name).and_then(Value::as_str).ok_or_else(|| format!("the row has no `{name}`, or it is not a string"))
    };
    let (command, want) = (field("command")?, field("want")?);
    let sets: Vec<&str> =
        row.get("sets").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let rules = toolc_catalog::commands::rules();
    let rules = if sets.is_empty() { Cow::Borrowed(rules) } else { Cow::Owned(rules.with_optional(&sets)) };
    let judgement = judge(command, &rules, &Surroundings::default());
    let got = match judgement.verdict {
        rules::Verdict::Deny => "block",
        verdict => verdict.word(),
    };
    let causes: Vec<&str> = judgement.findings.iter().map(|finding| finding.cause.name()).collect();
    Ok(if got == want { Ok(()) } else { Err(json!({ "verdict": got, "causes": causes })) })
}

/// Checks what the scan finds in a text. A row has `text`, and `want`: `found`, `clean`, or `missed` for an attack that has no form by which
/// the scan could know it.
fn injections(row: &Value) -> Result<Verdict, String> {
    let field = |name: &str| {
        row.get(name).and_then(Value::as_str).ok_or_else(|| format!("the row has no `{name}`, or it is not a string"))
    };
    let problem = toolc_scan::problem(field("text")?);
    let got = if problem.is_some() { "found" } else { "clean" };
    let want = field("want")?.replace("missed", "clean");
    Ok(if got == want { Ok(()) } else { Err(json!({ "scan": got, "problem": problem })) })
}

/// Returns whether two values are equal, with numbers compared by value: 3 equals 3.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || ((x.is_f64() || y.is_f64()) && x.as_f64() == y.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
