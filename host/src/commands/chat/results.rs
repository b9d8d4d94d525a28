//! What the chat shows of the result of a call: the reason of a failure, the difference of changed files, the ends of an output.

use std::borrow::Cow;

use serde_json::Value;
use toolc::text::beginning;
use toolc_markdown::{highlighted, wrapped};

use crate::ground::show::{self, Look, Style};

/// The members of results that hold an output.
const OUTPUTS: [&str; 3] = ["output", "stdout", "stderr"];
/// The number of lines of an output that are shown without folding.
const OUTPUT_LINES: usize = 8;
/// The first and the last lines that are shown of a longer output.
const FIRST_LINES: usize = 3;
const LAST_LINES: usize = 4;
/// The number of lines that are shown of a difference, and of a new file.
const DIFFERENCE_LINES: usize = 40;
const NEW_FILE_LINES: usize = 8;
/// The longest reason that is shown, in characters.
const REASON: usize = 600;
/// What rows begin with.
const MARGIN: &str = "    ";

/// Returns the rows below a call that has ended. The texts of the arguments and of the result are untrusted.
/// `is_own`: the call is a shell command of the person.
pub(super) fn rows(arguments: &Value, result: &Value, is_own: bool, look: Look) -> Vec<String> {
    let width = look.width.saturating_sub(MARGIN.len() + 1);
    let cut = |line: &str| beginning(&plain(line), width).into_owned();
    let mut rows = Vec::new();
    if let Some(reason) = reason(result) {
        let reason = if is_own { Cow::Owned(for_person(reason)) } else { Cow::Borrowed(reason) };
        rows.extend(wrapped(&beginning(&show::one_line(&reason), REASON), width));
    }
    for file in result["files"].as_array().into_iter().flatten() {
        if let Some(difference) = file["diff"].as_str() {
            rows.extend(folded_end(coloured(&plain_lines(difference), look), DIFFERENCE_LINES));
        }
    }
    if let (Some(content), Some("created" | "overwritten")) = (arguments["content"].as_str(), result["action"].as_str())
    {
        let added: String = content.lines().flat_map(|line| ["+".to_owned(), cut(line), "\n".to_owned()]).collect();
        rows.extend(folded_end(coloured(&added, look), NEW_FILE_LINES));
    }
    rows.extend(result["todos"].as_array().into_iter().flatten().map(|step| cut(&step_of_plan(step))));
    for output in OUTPUTS {
        let text = result[output].as_str().unwrap_or_default().trim_end();
        let lines: Vec<&str> = text.lines().filter(|_| !text.is_empty()).collect();
        rows.extend(folded(&lines).iter().map(|line| look.paint(Style::Faint, &cut(line))));
    }
    if let Some(status) = result["exit_code"].as_i64().filter(|status| *status != 0) {
        rows.push(look.paint(Style::Marked, &format!("exit status {status}")));
    }
    rows.into_iter().map(|row| format!("{MARGIN}{row}")).collect()
}

/// Returns a step of the list of `todo`, with a mark for its status.
fn step_of_plan(step: &Value) -> String {
    let mark = match step["status"].as_str() {
        Some("completed") => "x",
        Some("in_progress") => ">",
        Some("cancelled") => "-",
        _ => " ",
    };
    format!("[{mark}] {}", show::one_line(step["content"].as_str().unwrap_or_default()))
}

/// Returns all of a result, for a person.
pub(super) fn whole(result: &Value) -> String {
    let texts: Vec<&str> =
        OUTPUTS.iter().filter_map(|name| result[name].as_str()).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() {
        return show::visible(&serde_json::to_string_pretty(result).unwrap_or_default()).into_owned();
    }
    plain_lines(&texts.join("\n"))
}

/// Returns whether the time limit has ended the command of a call. A process that still runs after the time of a `wait` has not ended.
pub(super) fn is_over_time(result: &Value) -> bool {
    result["timed_out"] == true && result["process"].is_null()
}

/// Returns why a call failed.
fn reason(result: &Value) -> Option<&str> {
    let error = &result["error"];
    error.as_str().or_else(|| error["message"].as_str())
}

/// Returns why a command of the person did not run, without what is said to a model.
fn for_person(reason: &str) -> String {
    let to_model = [". Do not retry it", ". Do not repeat it", ". Do without this tool"];
    let end = to_model.iter().filter_map(|advice| reason.find(advice)).min().unwrap_or(reason.len());
    reason[..end].replace("the user said no", "you said no").replace("the user interrupted", "you interrupted")
}

/// Returns a line of an output without tabs and control characters.
fn plain(line: &str) -> String {
    show::visible(&line.replace('\t', "    ")).into_owned()
}

fn plain_lines(text: &str) -> String {
    text.lines().map(|line| plain(line) + "\n").collect()
}

/// Returns a difference in colours.
fn coloured(difference: &str, look: Look) -> Vec<String> {
    let cut: String = difference
        .lines()
        .map(|line| beginning(line, look.width.saturating_sub(MARGIN.len() + 1)).into_owned() + "\n")
        .collect();
    highlighted(&cut, "diff", toolc_markdown::Look { width: look.width, styled: look.styled })
}

/// Returns the first and last lines of a long output, with a line about the others.
fn folded(lines: &[&str]) -> Vec<String> {
    let own = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    if lines.len() <= OUTPUT_LINES {
        return own(lines);
    }
    let left_out = lines.len() - FIRST_LINES - LAST_LINES;
    let mut shown = own(&lines[..FIRST_LINES]);
    shown.push(format!("… {} more, `/output` shows all", show::counted(left_out, "line")));
    shown.extend(own(&lines[lines.len() - LAST_LINES..]));
    shown
}

/// Returns the first rows, with a row about the others.
fn folded_end(mut rows: Vec<String>, most: usize) -> Vec<String> {
    if rows.len() > most + 1 {
        let left_out = rows.len() - most;
        rows.truncate(most);
        rows.push(format!("… {} more", show::counted(left_out, "line")));
    }
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LOOK: Look = Look { width: 60, styled: false };

    fn shown(arguments: &Value, result: &Value) -> String {
        rows(arguments, result, false, LOOK).join("\n")
    }

    #[test]
    fn the_reason_of_a_failure_is_shown() {
        let error =
            json!({ "error": "the file has changed since this task last read it; read it again", "kind": "refused" });
        assert_eq!(
            shown(&Value::Null, &error),
            "    the file has changed since this task last read it; read\n    it again"
        );
        assert_eq!(shown(&Value::Null, &json!({ "output": "", "exit_code": 2 })), "    exit status 2");
    }

    #[test]
    fn a_command_that_its_time_limit_has_ended_is_told_from_one_that_still_runs() {
        assert!(is_over_time(&json!({ "output": "", "timed_out": true, "duration_ms": 2000 })));
        assert!(!is_over_time(&json!({ "output": "", "timed_out": false })));
        assert!(!is_over_time(&json!({ "timed_out": true, "process": { "status": "running" } })));
        assert!(!is_over_time(&json!({ "error": "no" })));
    }

    #[test]
    fn a_long_output_is_folded_and_cannot_control_the_terminal() {
        let output = "line\t1\u{1b}[2J\n".repeat(20);
        let text = shown(&Value::Null, &json!({ "output": output, "exit_code": 0 }));
        assert_eq!(text.lines().count(), FIRST_LINES + 1 + LAST_LINES);
        assert!(text.starts_with("    line    1\\u001b[2J\n") && text.contains("… 13 lines more"), "{text}");
        assert!(whole(&json!({ "output": output })).lines().count() == 20);
    }

    #[test]
    fn a_plan_is_a_list_with_marks() {
        let step = |content: &str, status: &str| json!({ "id": content, "content": content, "status": status });
        let plan = json!({ "todos": [step("Read it.", "completed"), step("Mend\nit.", "in_progress"), step("Test it.", "pending")] });
        assert_eq!(shown(&Value::Null, &plan), "    [x] Read it.\n    [>] Mend⏎it.\n    [ ] Test it.");
    }

    #[test]
    fn differences_and_new_files_are_shown() {
        let patch = json!({ "files": [{ "path": "a", "diff": "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+two\n" }] });
        assert_eq!(shown(&Value::Null, &patch), "    --- a\n    +++ a\n    @@ -1 +1 @@\n    -one\n    +two");
        let styled = rows(&Value::Null, &patch, false, Look { styled: true, ..LOOK }).join("\n");
        assert!(styled.contains("\u{1b}[31m-one") && styled.contains("\u{1b}[32m+two"), "{styled:?}");
        let content = "1\n".repeat(20);
        let text = shown(&json!({ "path": "a", "content": content }), &json!({ "path": "a", "action": "created" }));
        assert!(text.starts_with("    +1\n    +1\n") && text.ends_with("    … 12 lines more"), "{text}");
    }
}
