//! Where the code comes from that a command downloads and runs.

use crate::codes::Code;
use crate::hosts::{self, Address, Standing};
use crate::tables::names::interpreter;
use crate::unit::{Found, Unit};

/// Programs and functions that download.
const DOWNLOADERS: &[&str] = &[
    "curl",
    "wget",
    "wget2",
    "aria2c",
    "axel",
    "fetch",
    "iwr",
    "irm",
    "invoke-webrequest",
    "invoke-restmethod",
    "http",
    "https",
    "lynx",
    "lwp-request",
    "ftp",
    "curl.exe",
    "xh",
];

/// How many variables can lie between an address and the command that uses it.
const MAX_STEPS: usize = 4;

/// Returns a finding about code that is downloaded and run: a note for a well-known installer, and nothing on this machine.
///
/// Code from an address that only the run will show counts as foreign. In a document, `curl URL | sh` is a form that a reader fills in.
pub(crate) fn fetched(found: Found, unit: &Unit, text: &str, span: &std::ops::Range<usize>) -> Option<Found> {
    let lines = logical_lines(text);
    let at = text.floor_char_boundary(span.start);
    let own =
        lines.iter().find(|(start, line)| (*start..start + line.len()).contains(&at)).map_or("", |(_, line)| line);
    let addresses = Some(hosts::addresses(own)).filter(|found| !found.is_empty());
    let Some(addresses) = addresses.or_else(|| of_downloads(own, text, &lines)) else {
        let is_form = passes_download(own) || !unit.is_file && !lines.iter().any(|(_, line)| takes_from_outside(line));
        return Some(if is_form { found.into_note() } else { found });
    };
    if addresses.iter().all(|address| address.standing() == Standing::Local) {
        return None;
    }
    let is_known =
        addresses.iter().all(|address| address.is_known_installer() || address.standing() == Standing::Local);
    if is_known {
        return Some(Found {
            code: Code::KnownInstaller,
            message: Code::KnownInstaller.explanation().to_owned(),
            ..found.into_note()
        });
    }
    Some(found)
}

/// Returns the addresses from which the line downloads, or all lines if this one does not, or `None` if one is known only at run time.
fn of_downloads(own: &str, text: &str, lines: &[(usize, &str)]) -> Option<Vec<Address>> {
    let all: Vec<&str> = if downloads(own) {
        vec![own]
    } else {
        lines.iter().map(|(_, line)| *line).filter(|line| downloads(line)).collect()
    };
    if all.is_empty() {
        return Some(hosts::addresses(text)).filter(|found| !found.is_empty());
    }
    let each: Option<Vec<Vec<Address>>> = all.iter().map(|line| resolved(line, lines, MAX_STEPS)).collect();
    each.map(|all| all.into_iter().flatten().collect())
}

fn downloads(line: &str) -> bool {
    let is_sign = |letter: char| letter.is_whitespace() || matches!(letter, '(' | '`' | '|' | ';' | '&' | '"' | '\'');
    line.split(is_sign).any(|word| {
        let word = word.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        DOWNLOADERS.contains(&word.as_str())
    })
}

/// Returns whether a line runs a script of the skill, and what was downloaded is only an argument: `python3 show.py "$FILE"`.
fn passes_download(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_interpreter = words.next().is_some_and(|name| interpreter(name).is_some());
    let first = words.find(|word| !word.starts_with('-')).unwrap_or_default();
    is_interpreter && !line.contains("-c ") && first.contains('.') && !first.contains(['$', '`', '(', '<', '|'])
}

/// Returns whether a line gives a variable a value that the text does not show.
fn takes_from_outside(line: &str) -> bool {
    let line = line.trim_start();
    ["read ", "source ", ". ", "mapfile ", "readarray "].iter().any(|word| line.starts_with(word))
        || line.contains("; read ")
        || line.contains("=$(") && !line.contains("mktemp")
        || line.contains("=`")
}

/// Returns the addresses in a line and in the values of its variables, or `None` if there are none.
fn resolved(line: &str, lines: &[(usize, &str)], steps: usize) -> Option<Vec<Address>> {
    let own = hosts::addresses(line);
    if !own.is_empty() || steps == 0 {
        return Some(own).filter(|own| !own.is_empty());
    }
    let names = line.split('$').skip(1).map(|rest| {
        let rest = rest.trim_start_matches('{');
        &rest[..rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(rest.len())]
    });
    let mut all = Vec::new();
    for name in names.filter(|name| !name.is_empty()).take(8) {
        let assigned = lines.iter().filter_map(|(_, line)| assigned(line, name));
        all.extend(assigned.filter_map(|value| resolved(value, lines, steps - 1)).flatten());
    }
    Some(all).filter(|all| !all.is_empty())
}

/// Returns the value that a line assigns to a variable.
fn assigned<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let line = line.trim_start();
    let words = ["export ", "local ", "readonly ", "declare ", "set ", "env "];
    let line = words.iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line).trim_start();
    // `for u in …`
    let of_loop = line.strip_prefix("for ").and_then(|rest| rest.trim_start().strip_prefix(name)?.strip_prefix(" in "));
    of_loop.or_else(|| line.strip_prefix(name)?.strip_prefix('='))
}

/// Returns the lines with their starts. A line that ends with `\` or within a pipe goes on in the next one.
fn logical_lines(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        let body = line.trim_end();
        let goes_on = body.ends_with('\\') || body.ends_with('|') || body.ends_with("&&");
        if !goes_on {
            found.push((start, &text[start..at]));
            start = at;
        }
    }
    if start < text.len() {
        found.push((start, &text[start..]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> Vec<String> {
        let lines = logical_lines(text);
        let line = lines.iter().find(|(_, line)| downloads(line)).expect("a download");
        let found = resolved(line.1, &lines, MAX_STEPS).unwrap_or_default();
        found.into_iter().map(|address| address.host).collect()
    }

    #[test]
    fn addresses_are_found_behind_variables() {
        assert_eq!(
            addresses("A=https://a.example.com\nexport B=\"$A/x\"\ncurl -s \\\n  \"${B}\" |\n  sh"),
            ["a.example.com"]
        );
        assert_eq!(addresses("for u in https://a.example.com/x; do\ncurl $u | sh\ndone"), ["a.example.com"]);
        assert!(addresses("# https://a.example.com\ncurl -s \"$1\" | sh").is_empty());
        assert!(addresses("read U < u.txt\ncurl $U | sh").is_empty());
        assert!(addresses("A=$B\nB=$A\ncurl $A | sh").is_empty());
    }
}
