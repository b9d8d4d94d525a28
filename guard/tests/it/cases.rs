//! Reads the tables of examples in `tests/data`.

use std::path::Path;
use std::sync::LazyLock;

use toolc_commands::Surroundings;
use toolc_commands::rules::RuleSet;
use toolc_guard::{Content, Files, Report, inspect};

/// A skill of a table.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The code that one of the findings must have, or an empty text.
    pub(crate) code: String,
    pub(crate) files: Vec<(String, Content)>,
}

static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| toolc_catalog::commands::rules().with_optional(&[]));

/// Judges files.
pub(crate) fn judge(files: &[(String, Content)]) -> Report {
    judge_files(&Files::new(files.iter().cloned()))
}

/// Judges the files of a skill.
pub(crate) fn judge_files(files: &Files) -> Report {
    let surroundings = Surroundings {
        directory: Some(Path::new("/home/ada/project")),
        home: Some(Path::new("/home/user")),
        ..Surroundings::default()
    };
    inspect(files, &RULES, &surroundings)
}

/// Judges one SKILL.md.
pub(crate) fn judge_text(text: &str) -> Report {
    judge(&[("SKILL.md".to_owned(), Content::Bytes(text.as_bytes().to_vec()))])
}

/// Reads a table.
pub(crate) fn cases(table: &str) -> Vec<Case> {
    let parts = table.split("\n=== ").skip(1);
    parts.map(case).collect()
}

fn case(text: &str) -> Case {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut fields = head.split('|').map(str::trim);
    let (name, description) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let code = fields.next().unwrap_or_default();
    let mut parts = format!("\n{rest}\n");
    parts.truncate(parts.trim_end().len() + 1);
    let mut parts = parts.split("\n--- ").map(str::to_owned).collect::<Vec<_>>().into_iter();
    let body = parts.next().unwrap_or_default();
    // The name is neutral: the name of the case would declare what the skill does.
    let skill = format!("---\nname: helper\ndescription: {description}\n---\n{body}\n");
    let mut files = vec![("SKILL.md".to_owned(), Content::Bytes(expanded(&skill).into_bytes()))];
    for part in parts {
        let (head, content) = part.split_once('\n').unwrap_or((&part, ""));
        let (path, form) = head.split_once(' ').unwrap_or((head, ""));
        let content = match form {
            "link" => Content::Link(content.trim().to_owned()),
            "hex" => Content::Bytes(bytes(content.trim())),
            _ => Content::Bytes(expanded(content).into_bytes()),
        };
        files.retain(|(known, _)| known != path);
        files.push((path.to_owned(), content));
    }
    Case { name: name.to_owned(), code: code.to_owned(), files }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| {
        char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok()).expect("a hexadecimal digit")
    };
    hex.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) * 16 + digit(pair[1])).collect()
}

/// Replaces `⟦200B⟧` and `⟦300×20⟧` by characters.
fn expanded(text: &str) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟦') {
        let (inside, next) = after.split_once('⟧').expect("the bracket is closed");
        let (count, code) =
            inside.split_once('×').map_or((1, inside), |(count, code)| (count.parse().expect("a number"), code));
        let letter = u32::from_str_radix(code, 16).ok().and_then(char::from_u32).expect("a character");
        expanded.push_str(before);
        expanded.extend(std::iter::repeat_n(letter, count));
        rest = next;
    }
    expanded + rest
}

/// Returns the findings that block, one on a line.
pub(crate) fn blocking(report: &Report) -> String {
    let blocking = report.findings.iter().filter(|finding| finding.severity == toolc_guard::Severity::Block);
    let lines = blocking.map(|finding| {
        let (code, path, line) = (finding.code.name(), &finding.path, finding.line);
        format!("  {code} {path}:{line} {} [{}]", finding.message, finding.excerpt)
    });
    lines.collect::<Vec<_>>().join("\n")
}
