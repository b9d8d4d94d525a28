//! The forms in which a tally is printed. Values of calls are shown without what seems to be secret.

use std::path::PathBuf;

use serde_json::{Value, json};
use toolc_redact::{REDACTED, without_secrets};

use crate::advice::Advice;
use crate::tally::{Break, Example, Kind, OfTool, Tally, Why};
use crate::version::{Problem, Repair};

/// The rows of a list for people.
const MAX_ROWS: usize = 20;

pub(crate) struct Report<'r> {
    pub tally: &'r Tally,
    pub files: &'r [PathBuf],
    pub against: Option<&'r str>,
    pub advice: &'r [Advice],
}

/// A list of the report: a title, and rows of cells.
struct Table {
    title: String,
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// How many rows are left out.
    more: usize,
}

impl Report<'_> {
    pub(crate) fn text(&self) -> String {
        let mut text = self.summary();
        for table in self.tables() {
            text += &format!("\n{}\n", table.title);
            let all: Vec<Vec<String>> =
                std::iter::once(table.head.iter().map(|cell| (*cell).to_owned()).collect()).chain(table.rows).collect();
            text += &aligned(&all);
            if table.more > 0 {
                text += &format!("... and {} more\n", table.more);
            }
        }
        for advice in self.advice {
            text += &format!("\n{}\n{}", advice.reason, advice.diff);
        }
        text
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = self.summary();
        for table in self.tables() {
            let row = |cells: &[String]| {
                let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
                format!("| {} |\n", cells.join(" | "))
            };
            let head: Vec<String> = table.head.iter().map(|cell| (*cell).to_owned()).collect();
            text += &format!("\n### {}\n\n{}|{}\n", table.title, row(&head), "---|".repeat(head.len()));
            text.extend(table.rows.iter().map(|cells| row(cells)));
            if table.more > 0 {
                text += &format!("\n... and {} more\n", table.more);
            }
        }
        for advice in self.advice {
            text += &format!("\n{}\n\n```diff\n{}```\n", advice.reason, advice.diff);
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let tally = self.tally;
        let kind = |kind: &Kind| json!({ "calls": kind.count, "first": self.place(&kind.first), "arguments": shown(&kind.first) });
        let with = |mut value: Value, more: Value| {
            if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
                value.extend(more);
            }
            value
        };
        let problem = |problem: &Problem| json!({ "path": problem.path, "expected": problem.expected, "got": shown_value(problem) });
        let tools = tally.tools.iter().map(|(name, tool)| {
            json!({
                "name": name,
                "calls": tool.calls,
                "accepted": tool.accepted,
                "repaired": tool.repaired,
                "refused": tool.calls - tool.accepted,
                "repairs": tool.repairs.by_count().into_iter()
                    .map(|(repair, count)| with(json!({ "path": repair.path, "rule": repair.rule }), kind(count)))
                    .collect::<Value>(),
                "problems": tool.problems.by_count().into_iter()
                    .map(|(one, count)| with(problem(one), kind(count)))
                    .collect::<Value>(),
            })
        });
        let breaks = tally.breaks.by_count().into_iter().map(|(one, count)| {
            let why = match &one.why {
                Why::NoTool => json!({ "break": "unknown_tool" }),
                Why::Refused(one) => with(json!({ "break": "refused" }), problem(one)),
                Why::Read(parameters) => json!({ "break": "read_differently", "parameters": parameters }),
                Why::OtherTool(tool) => json!({ "break": "other_tool", "called": tool }),
            };
            with(with(json!({ "tool": one.tool }), why), kind(count))
        });
        json!({
            "lines": tally.lines,
            "broken_lines": tally.broken.total(),
            "calls": tally.calls,
            "unknown_tools": tally.unknown.by_count().into_iter()
                .map(|(name, count)| with(json!({ "name": name }), kind(count)))
                .collect::<Value>(),
            "tools": tools.collect::<Value>(),
            "against": self.against,
            "breaks": breaks.collect::<Value>(),
            "mended": tally.mended,
            "advice": self.advice.iter().map(|one| json!({ "reason": one.reason, "diff": one.diff })).collect::<Value>(),
        })
    }

    fn summary(&self) -> String {
        let tally = self.tally;
        let sum = |of: &dyn Fn(&OfTool) -> u64| tally.tools.values().map(of).sum::<u64>();
        let (accepted, repaired) = (sum(&|tool| tool.accepted), sum(&|tool| tool.repaired));
        let mut text = format!(
            "{} calls in {} lines: {} accepted ({} of them repaired), {} refused, {} of unknown tools.\n",
            grouped(tally.calls),
            grouped(tally.lines),
            grouped(accepted),
            grouped(repaired),
            grouped(sum(&|tool| tool.calls - tool.accepted)),
            grouped(tally.unknown.total()),
        );
        for (why, kind) in tally.broken.by_count() {
            let lines = if kind.count == 1 { "line is" } else { "lines are" };
            let (count, first) = (grouped(kind.count), self.place(&kind.first));
            text += &format!("{count} {lines} left out: {why}, first at {first}.\n");
        }
        if let Some(against) = self.against {
            text += &format!(
                "Calls that break against {against}: {}. Calls that it refuses and the project accepts: {}.\n",
                grouped(tally.breaks.total()),
                grouped(tally.mended),
            );
        }
        text
    }

    fn tables(&self) -> Vec<Table> {
        let tally = self.tally;
        let mut tools: Vec<(&String, &OfTool)> = tally.tools.iter().collect();
        tools.sort_by_key(|(_, tool)| std::cmp::Reverse(tool.calls));
        let mut repairs: Vec<(&str, &Repair, &Kind)> = tally
            .tools
            .iter()
            .flat_map(|(name, tool)| tool.repairs.kinds.iter().map(move |(repair, kind)| (name.as_str(), repair, kind)))
            .collect();
        repairs.sort_by_key(|(.., kind)| std::cmp::Reverse(kind.count));
        let mut problems: Vec<(&str, &Problem, &Kind)> = tally
            .tools
            .iter()
            .flat_map(|(name, tool)| {
                tool.problems.kinds.iter().map(move |(problem, kind)| (name.as_str(), problem, kind))
            })
            .collect();
        problems.sort_by_key(|(.., kind)| std::cmp::Reverse(kind.count));
        let row_of_break = |(one, kind): (&Break, &Kind)| {
            vec![grouped(kind.count), one.tool.clone(), why(&one.why), self.place(&kind.first), shown(&kind.first)]
        };
        let row_of_tool = |(name, tool): (&String, &OfTool)| {
            let counts = [tool.calls, tool.accepted, tool.repaired, tool.calls - tool.accepted].map(grouped);
            std::iter::once(name.clone()).chain(counts).collect()
        };
        let row_of_problem = |(tool, one, kind): (&str, &Problem, &Kind)| {
            vec![grouped(kind.count), tool.to_owned(), problem_text(one), self.place(&kind.first)]
        };
        let row_of_repair = |(tool, one, kind): (&str, &Repair, &Kind)| {
            let path = if one.path.is_empty() { "the arguments" } else { &one.path };
            vec![grouped(kind.count), tool.to_owned(), path.to_owned(), one.rule.clone(), self.place(&kind.first)]
        };
        let row_of_name =
            |(name, kind): (&String, &Kind)| vec![grouped(kind.count), one_line(name), self.place(&kind.first)];
        let tables = [
            table(
                "Calls that break",
                &["calls", "tool", "why", "first", "arguments"],
                tally.breaks.by_count(),
                row_of_break,
            ),
            table("Tools", &["tool", "calls", "accepted", "repaired", "refused"], tools, row_of_tool),
            table("Why calls are refused", &["calls", "tool", "problem", "first"], problems, row_of_problem),
            table("What is repaired", &["calls", "tool", "place", "rule", "first"], repairs, row_of_repair),
            table("Unknown tools", &["calls", "name", "first"], tally.unknown.by_count(), row_of_name),
        ];
        tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }

    /// Returns where a call was recorded.
    fn place(&self, example: &Example) -> String {
        let (file, line) = example.place;
        format!("{}:{line}", self.files[file].display())
    }
}

fn table<T>(title: &str, head: &[&'static str], items: Vec<T>, row: impl FnMut(T) -> Vec<String>) -> Table {
    let more = items.len().saturating_sub(MAX_ROWS);
    Table {
        title: title.to_owned(),
        head: head.to_vec(),
        rows: items.into_iter().take(MAX_ROWS).map(row).collect(),
        more,
    }
}

fn why(why: &Why) -> String {
    match why {
        Why::NoTool => "no tool has this name".to_owned(),
        Why::Refused(problem) => problem_text(problem),
        Why::Read(parameters) => format!("read differently: {parameters}"),
        Why::OtherTool(tool) => format!("now calls `{tool}`"),
    }
}

fn problem_text(problem: &Problem) -> String {
    let Problem { path, expected, .. } = problem;
    let path = if path.is_empty() { "the arguments" } else { path };
    one_line(&format!("{path}: expected {expected}, got {}", shown_value(problem)))
}

/// Returns the value of a problem, without what seems to be secret by its name or its form.
fn shown_value(problem: &Problem) -> String {
    let name = problem.path.rsplit('/').find(|part| *part != "*").unwrap_or_default();
    let named = without_secrets(&format!("{name}={}", problem.got), &[]);
    named.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).unwrap_or(REDACTED).to_owned()
}

/// Returns the arguments of an example without secrets, in one line.
fn shown(example: &Example) -> String {
    one_line(&without_secrets(&example.arguments, &[]))
}

/// Returns a text without control characters.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Returns rows with columns of equal width.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Returns a number with a comma between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}
