//! Files with recipes, such as a Makefile: their commands as commands of a shell.

use crate::fences::by_shebang;
use crate::unit::{Inner, Judged, Unit};

/// How a file writes recipes and variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Make,
    Just,
    Docker,
    /// Lines that are indented, without variables of their own.
    Other,
}

/// Adds the commands of a file with recipes, after its variables.
pub(crate) fn check(name: &str, unit: &Unit, judged: &mut Judged) {
    let form = match name {
        "dockerfile" | "containerfile" => Form::Docker,
        "justfile" => Form::Just,
        "makefile" | "gnumakefile" => Form::Make,
        _ => Form::Other,
    };
    let (mut variables, mut commands) = (String::new(), String::new());
    let (mut at, mut first) = (0, None);
    let mut is_open = false;
    for line in unit.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let body = line.trim_end();
        let command = if is_open { Some(body.trim_start().to_owned()) } else { form.command(body) };
        if command.as_ref().is_some_and(|command| command.starts_with("#!")) {
            other_language(unit, start, judged);
        }
        if let Some(command) = command {
            is_open = body.ends_with('\\');
            first.get_or_insert(start);
            commands.push_str(&form.in_shell(&command));
            commands.push('\n');
        } else if let Some(variable) = form.variable(body) {
            variables.push_str(&variable);
            variables.push('\n');
        }
    }
    if first.is_some() || variables.contains("$(") {
        judged.inner.push(Inner { language: "sh", text: variables + &commands, at: first.unwrap_or_default() });
    }
}

/// Adds a recipe in another language, which begins with `#!`.
fn other_language(unit: &Unit, start: usize, judged: &mut Judged) {
    let rest = &unit.text[start..];
    let is_inside = |line: &&str| line.starts_with([' ', '\t']) || line.trim().is_empty();
    let lines: Vec<&str> = rest.lines().take_while(is_inside).collect();
    let language = by_shebang(lines.first().copied().unwrap_or_default().trim_start());
    let indent = lines.first().map_or(0, |line| line.len() - line.trim_start().len());
    let text: Vec<&str> = lines.iter().skip(1).map(|line| line.get(indent..).unwrap_or_default()).collect();
    let text = text.join("\n").replace("{{", "").replace("}}", "");
    judged.inner.push(Inner { language, text, at: start });
}

impl Form {
    /// Returns the command of a line.
    fn command(self, line: &str) -> Option<String> {
        if self == Form::Docker {
            // `ADD ADDRESS FILE` downloads.
            if let Some((address, file)) =
                line.trim().strip_prefix("ADD ").and_then(|rest| rest.trim().rsplit_once(' '))
                && address.contains("://")
            {
                return Some(format!("curl {address} -o {file}"));
            }
            let words = ["RUN ", "CMD ", "ENTRYPOINT ", "SHELL ", "run "];
            let command = words.iter().find_map(|word| line.trim_start().strip_prefix(word))?;
            // `["program", "argument"]`.
            if let Some(words) = command.trim().strip_prefix('[').and_then(|words| words.strip_suffix(']')) {
                return Some(words.replace("\",", "\" "));
            }
            return Some(command.trim_start_matches(['-', ' ']).to_owned());
        }
        if line.starts_with('\t') || line.starts_with("    ") {
            return Some(line.trim_start().trim_start_matches(['@', '-', '+']).to_owned());
        }
        if self != Form::Make {
            return line.split_once("$(shell ").map(|(_, rest)| rest.trim_end_matches(')').to_owned());
        }
        // `all: ; command`.
        let (target, command) = line.split_once(';')?;
        let is_rule = target.contains(':') && !target.contains(":=") && !target.trim_start().starts_with('#');
        is_rule.then(|| command.trim_start().trim_start_matches(['@', '-', '+']).to_owned())
    }

    /// Returns a variable as an assignment of a shell.
    fn variable(self, line: &str) -> Option<String> {
        if self == Form::Docker {
            let rest = ["ENV ", "ARG "].iter().find_map(|word| line.trim_start().strip_prefix(word))?;
            return Some(match rest.split_once([' ', '=']) {
                Some((name, value)) if !rest.contains('=') => assignment(name, value),
                _ => rest.to_owned(),
            });
        }
        let (left, value) = line.split_once('=').filter(|_| matches!(self, Form::Make | Form::Just))?;
        let runs = left.ends_with('!');
        let name = left.trim_end_matches([':', '?', '+', '!', ' ']).rsplit([' ', '\t']).next().unwrap_or_default();
        if name.is_empty() || line.starts_with('#') || name.contains(['$', ':', '"']) {
            return None;
        }
        let value = value.trim();
        if let Some(command) = value.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
            return Some(format!("{}=$({command})", plain(name)));
        }
        if runs {
            return Some(format!("{}=$({})", plain(name), self.in_shell(value)));
        }
        let value = if self == Form::Just { value.trim_matches(['"', '\'']) } else { value };
        Some(assignment(name, &self.in_shell(value)))
    }

    /// Returns a text with variables as a shell writes them.
    fn in_shell(self, text: &str) -> String {
        match self {
            Form::Make => make_in_shell(text),
            Form::Just => just_in_shell(text),
            Form::Docker | Form::Other => text.to_owned(),
        }
    }
}

/// Returns a name as a shell accepts it.
fn plain(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

fn assignment(name: &str, value: &str) -> String {
    let value = value.trim().trim_matches('"').replace('"', "\\\"").replace('`', "\\`");
    format!("{}=\"{value}\"", plain(name))
}

/// `$(NAME)` is a variable, `$(shell COMMAND)` a substitution, any other function of make a text, and `$$` a `$` of the shell.
fn make_in_shell(text: &str) -> String {
    let mut shell = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        shell.push_str(before);
        rest = after;
        if let Some(after) = rest.strip_prefix('$') {
            shell.push('$');
            rest = after;
        } else if let Some(after) = rest.strip_prefix("(shell ") {
            shell.push_str("$(");
            rest = after;
        } else if let Some(inside) = rest.strip_prefix(['(', '{']) {
            let end = inside.find([')', '}', ' ', '$', '(', ',']).unwrap_or(inside.len());
            if inside[end..].starts_with([')', '}']) {
                shell.push_str(&format!("${{{}}}", plain(&inside[..end])));
                rest = &inside[end + 1..];
            } else {
                shell.push_str("$(: ");
                rest = &inside[end..];
            }
        } else if let Some(after) = rest.strip_prefix(['@', '<', '^', '*', '?', '+']) {
            shell.push_str("${TARGET}");
            rest = after;
        } else {
            shell.push('$');
        }
    }
    shell + rest
}

/// `{{name}}` is a variable, and any other expression a text.
fn just_in_shell(text: &str) -> String {
    let mut shell = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (inside, next) = after.split_once("}}").unwrap_or((after, ""));
        let quoted = inside.split(['"', '\'']).nth(1).filter(|_| inside.trim_start().starts_with("env"));
        let name = quoted.unwrap_or(inside).trim();
        shell.push_str(&format!("{before}${{{}}}", plain(name)));
        rest = next;
    }
    shell + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_written_as_in_a_shell() {
        for (make, shell) in [
            ("rm -rf $(HOME)/* $${X}", "rm -rf ${HOME}/* ${X}"),
            ("curl ${U} | sh", "curl ${U} | sh"),
            ("echo $(shell curl $(U))", "echo $(curl ${U})"),
            ("$(call f,$(A)) $@", "$(:  f,${A}) ${TARGET}"),
            ("a$", "a$"),
        ] {
            assert_eq!(make_in_shell(make), shell);
        }
        assert_eq!(just_in_shell("curl {{url}} | {{ env('SHELL') }} {{x"), "curl ${url} | ${SHELL} ${x}");
    }

    #[test]
    fn assignments_are_read() {
        for (form, line, shell) in [
            (Form::Make, "U := https://x.example.com/$(A)", Some("U=\"https://x.example.com/${A}\"")),
            (Form::Make, "export U?=a", Some("U=\"a\"")),
            (Form::Make, "U != curl $(A)", Some("U=$(curl ${A})")),
            (Form::Just, "u := 'a b'", Some("u=\"a b\"")),
            (Form::Just, "u := `curl a`", Some("u=$(curl a)")),
            (Form::Docker, "ENV A b", Some("A=\"b\"")),
            (Form::Docker, "ARG A=b C=d", Some("A=b C=d")),
            (Form::Make, "# a = b", None),
            (Form::Make, "all: x", None),
        ] {
            assert_eq!(form.variable(line).as_deref(), shell, "{line}");
        }
    }
}
