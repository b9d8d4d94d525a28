//! The changes of one tool.

use std::sync::Arc;

use serde_json::{Value, json};
use toolc::args::{read_value, validate};
use toolc::schema::Table;
use toolc_codegen::Failure;

use crate::codes;
use crate::contain::{Found, witnesses};
use crate::finding::Finding;
use crate::search::Search;
use crate::shape::{TEXTS, differences, opened, types};
use crate::snapshot::{Readers, schema};

/// A tool that both sides have.
pub(crate) struct Pair<'v> {
    pub(crate) name: &'v str,
    pub(crate) before: &'v Value,
    pub(crate) after: &'v Value,
    pub(crate) findings: Vec<Finding>,
}

const TOOLS: &str = "tools";

/// What becomes of arguments that one side accepts as they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Refused: the parameter, and why.
    Refused(String, String),
    /// Accepted after a repair of this parameter.
    Repaired(String, String),
}

impl Pair<'_> {
    /// Compares the schemas of the arguments, and reads arguments with the readers of both sides.
    pub(crate) fn arguments(&mut self, readers: [&Readers<'_>; 2]) -> Result<(), Failure> {
        let [before, after] = [self.before, self.after].map(|entry| schema(entry, "parameters"));
        self.aliases(readers)?;
        if before == after {
            return Ok(());
        }
        let tables = [readers[0].table_of_call(self.name)?, readers[1].table_of_call(self.name)?];
        let found = witnesses(before, after, |value| outcome(value, &tables[0], &tables[1]));
        let is_undecided = !found.is_proved && found.witnesses.is_empty();
        for (outcome, value) in one_for_each_parameter(found) {
            let (code, parameter, reason) = match outcome {
                Outcome::Refused(parameter, reason) => (codes::ARGUMENT_REFUSED, parameter, reason),
                Outcome::Repaired(parameter, reason) => (codes::ARGUMENT_REPAIRED, parameter, reason),
            };
            self.push(Finding::new(code, TOOLS, self.name, reason).at(format!("/params{parameter}")).value(value));
        }
        let back = witnesses(after, before, |value| {
            outcome(value, &tables[1], &tables[0]).filter(|outcome| matches!(outcome, Outcome::Refused(..)))
        });
        for (outcome, value) in one_for_each_parameter(back) {
            if let Outcome::Refused(parameter, reason) = outcome {
                let reason = format!("accepted now; before: {reason}");
                let finding = Finding::new(codes::ARGUMENT_ACCEPTED, TOOLS, self.name, reason);
                self.push(finding.at(format!("/params{parameter}")).value(value));
            }
        }
        if is_undecided {
            let reason = "no proof that the new schema accepts all arguments of the old one, and no arguments that it refuses were found";
            self.push(Finding::new(codes::UNDECIDED, TOOLS, self.name, reason).at("/params").change(before, after));
        }
        self.types(before, after, "/params");
        self.texts(before, after, "/params");
        Ok(())
    }

    /// Compares the schemas of the results. Who reads a result expects a value of the old schema, and ignores further keys.
    pub(crate) fn results(&mut self) -> Result<(), Failure> {
        let [before, after] = [self.before, self.after].map(|entry| schema(entry, "returns"));
        if before == after {
            return Ok(());
        }
        let open = opened(before);
        let validator = |schema: &Value| {
            jsonschema::options().should_validate_formats(true).build(schema).map_err(|error| {
                Failure::new(format!("failed to read the schema of the result of `{}`: {error}", self.name))
            })
        };
        let (old, strict, new) = (validator(&open)?, validator(before)?, validator(after)?);
        let why = |value: &Value, side: &jsonschema::Validator| {
            let error = side.iter_errors(value).next()?;
            Some((without_indices(error.instance_path().as_str()), error.to_string()))
        };
        let found = witnesses(after, &open, |value| {
            (new.is_valid(value) && !old.is_valid(value)).then(|| why(value, &old)).flatten()
        });
        let is_undecided = !found.is_proved && found.witnesses.is_empty();
        let mut seen = Vec::new();
        for ((place, error), value) in found.witnesses {
            if seen.contains(&place) {
                continue;
            }
            let reason = format!("a result can now be one that was never returned: {error}");
            self.push(
                Finding::new(codes::RESULT_CHANGED, TOOLS, self.name, reason)
                    .at(format!("/returns{place}"))
                    .value(value),
            );
            seen.push(place);
        }
        if is_undecided {
            let reason = "no proof that every result is one of the old schema, and no other result was found";
            self.push(Finding::new(codes::UNDECIDED, TOOLS, self.name, reason).at("/returns").change(before, after));
        }
        let narrowed = [
            witnesses(before, after, |value| (strict.is_valid(value) && !new.is_valid(value)).then_some(())),
            witnesses(after, before, |value| {
                (new.is_valid(value) && old.is_valid(value) && !strict.is_valid(value)).then_some(())
            }),
        ];
        if let Some(value) = narrowed.into_iter().find_map(|found| found.witnesses.into_values().next()) {
            let reason = "a result has other keys or values than before, all of which the old schema allows or ignores";
            self.push(Finding::new(codes::RESULT_NARROWED, TOOLS, self.name, reason).at("/returns").value(value));
        }
        self.types(before, after, "/returns");
        self.texts(before, after, "/returns");
        Ok(())
    }

    /// Compares the other names of parameters.
    fn aliases(&mut self, readers: [&Readers<'_>; 2]) -> Result<(), Failure> {
        let [before, after] = [self.before, self.after].map(|entry| &entry["parameter_aliases"]);
        if before == after {
            return Ok(());
        }
        let parameters = schema(self.before, "parameters");
        let empty = serde_json::Map::new();
        let [before, after] = [before, after].map(|aliases| aliases.as_object().unwrap_or(&empty));
        for (pointer, names) in before {
            let kept = after.get(pointer).map(crate::snapshot::text_set).unwrap_or_default();
            for alias in crate::snapshot::texts(names).filter(|alias| !kept.contains(alias)) {
                let tables = [readers[0].table_of_call(self.name)?, readers[1].table_of_call(self.name)?];
                let reason = format!("the alias `{alias}` of the parameter is gone");
                let finding =
                    Finding::new(codes::NAME_REMOVED, TOOLS, self.name, reason).at(format!("/params{pointer}"));
                match with_alias(parameters, pointer, alias, &tables) {
                    Tried::Refused(witness) => self.push(finding.value(witness)),
                    Tried::Accepted => {}
                    Tried::Nothing => self.push(finding.change(&json!(alias), &Value::Null)),
                }
            }
        }
        for (pointer, names) in after {
            let known = before.get(pointer).map(crate::snapshot::text_set).unwrap_or_default();
            for alias in crate::snapshot::texts(names).filter(|alias| !known.contains(alias)) {
                let reason = format!("the parameter has the further alias `{alias}`");
                self.push(Finding::new(codes::NAME_ADDED, TOOLS, self.name, reason).at(format!("/params{pointer}")));
            }
        }
        Ok(())
    }

    fn types(&mut self, before: &Value, after: &Value, at: &str) {
        let is_result = at == "/returns";
        let code = if is_result { codes::RESULT_TYPE } else { codes::ARGUMENT_TYPE };
        let (old, new) = (types(before), types(after));
        let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            let [before, after] = [&old, &new].map(|types| types.get(name).unwrap_or(&Value::Null));
            // A handler need not read a new parameter, but it must return a new part of the result.
            if before == after || (before.is_null() && !is_result) {
                continue;
            }
            let what = match name.as_str() {
                "" => "the type of the whole".to_owned(),
                "$defs" => "the type of a definition".to_owned(),
                name => format!("the type of `{name}`"),
            };
            let reason = match (before, after) {
                (_, Value::Null) => format!("`{name}` is gone from the generated type"),
                (Value::Null, _) => format!("handlers must return `{name}`"),
                _ => format!("{what} in generated code has changed"),
            };
            let at = if name.is_empty() { at.to_owned() } else { format!("{at}/{name}") };
            self.push(Finding::new(code, TOOLS, self.name, reason).at(at).change(before, after));
        }
    }

    fn texts(&mut self, before: &Value, after: &Value, root: &str) {
        for difference in differences(before, after) {
            let (code, what) = match difference.keyword {
                "default" => (codes::DEFAULT, "the default"),
                "deprecated" => (codes::DEPRECATED, "whether it is deprecated"),
                keyword if TEXTS.contains(&keyword) => (codes::PARAMETER_TEXT, keyword),
                _ => continue,
            };
            let finding = Finding::new(code, TOOLS, self.name, format!("{what} has changed"));
            let at = format!("{root}{}", difference.at);
            self.push(finding.at(at).change(difference.before, difference.after));
        }
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// Says what the reader of `new` does with arguments that are right for `old`. `None` if it accepts them as they are, or if they are not
/// right.
fn outcome(value: &Value, old: &Arc<Table>, new: &Arc<Table>) -> Option<Outcome> {
    if !validate(value, old).is_empty() {
        return None;
    }
    let text = value.to_string();
    let describe = |problem: &toolc::Problem| {
        let path = without_indices(&problem.path);
        let reason = format!("`{}`: expected {}, got {}", shown(&problem.path), problem.expected, problem.got);
        (path, reason)
    };
    if let Err(error) = read_value(&text, new) {
        let (path, reason) = error.problems().first().map_or((String::new(), error.message().to_owned()), describe);
        return Some(Outcome::Refused(path, reason));
    }
    let problems = validate(value, new);
    let (path, reason) = describe(problems.first()?);
    Some(Outcome::Repaired(path, format!("accepted after a repair; {reason}")))
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "the arguments" } else { path.trim_start_matches('/') }
}

/// Returns a pointer with `*` for the positions in arrays.
fn without_indices(pointer: &str) -> String {
    let step = |step: &str| {
        let is_index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        format!("/{}", if is_index { "*" } else { step })
    };
    pointer.split('/').skip(1).map(step).collect()
}

/// Keeps the smallest witness for each parameter and kind of outcome.
fn one_for_each_parameter(found: Found<Outcome>) -> Vec<(Outcome, Value)> {
    let mut kept: Vec<(Outcome, Value)> = Vec::new();
    for (outcome, value) in found.witnesses {
        let is_same = |other: &Outcome| match (other, &outcome) {
            (Outcome::Refused(one, _), Outcome::Refused(two, _))
            | (Outcome::Repaired(one, _), Outcome::Repaired(two, _)) => one == two,
            _ => false,
        };
        match kept.iter_mut().find(|(other, _)| is_same(other)) {
            Some(known) if value.to_string().len() < known.1.to_string().len() => *known = (outcome, value),
            Some(_) => {}
            None => kept.push((outcome, value)),
        }
    }
    kept
}

/// What became of arguments with an alias.
enum Tried {
    /// The old reader accepts these, and the new one refuses them.
    Refused(Value),
    /// The new reader accepts all that were tried.
    Accepted,
    /// None could be made.
    Nothing,
}

/// Reads arguments with an alias of the parameter that a pointer names.
fn with_alias(parameters: &Value, pointer: &str, alias: &str, tables: &[Arc<Table>; 2]) -> Tried {
    let Some(name) = pointer.strip_prefix('/').filter(|name| !name.contains('/')) else { return Tried::Nothing };
    let name = name.replace("~1", "/").replace("~0", "~");
    let mut tried = Tried::Nothing;
    for value in Search::new(parameters, parameters, 1).values() {
        let Value::Object(mut map) = value else { continue };
        let Some(argument) = map.remove(&name) else { continue };
        map.insert(alias.to_owned(), argument);
        let value = Value::Object(map);
        let text = value.to_string();
        if read_value(&text, &tables[0]).is_ok() {
            if read_value(&text, &tables[1]).is_err() {
                return Tried::Refused(value);
            }
            tried = Tried::Accepted;
        }
    }
    tried
}
