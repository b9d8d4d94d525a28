//! Commands of a shell as plain texts, with what feeds them.

use std::collections::BTreeMap;

use toolc_commands::{CommandId, Input, Part, Reading, Word};

/// A command with its words as texts. What is known only at run time is written as a variable or a substitution.
pub(crate) struct Plain {
    /// The name of the program in lower case, without its folder. Empty if it is not known.
    pub(crate) name: String,
    /// The program as it is written.
    pub(crate) program: String,
    /// The words after the program.
    pub(crate) arguments: Vec<String>,
    /// The files that redirections read and write.
    pub(crate) reads: Vec<String>,
    pub(crate) writes: Vec<String>,
    /// The text of a here-document or a here-string.
    pub(crate) here: Option<String>,
    /// The words that its variables can stand for.
    pub(crate) behind: Vec<String>,
    /// The place in the text.
    pub(crate) at: std::ops::Range<usize>,
    /// The commands whose output gets into the arguments or the input, with those that feed them in turn.
    pub(crate) fed_by: Vec<CommandId>,
}

/// The maximum number of commands that feed one.
const MAX_FEEDING: usize = 64;

/// Returns the commands of a reading. The index is the id.
pub(crate) fn commands(reading: &Reading) -> Vec<Plain> {
    let variables = variables(reading);
    reading.ids().map(|id| plain(reading, id, &variables)).collect()
}

/// Returns the words that are assigned to each variable.
fn variables(reading: &Reading) -> BTreeMap<String, Vec<Word>> {
    let mut variables: BTreeMap<String, Vec<Word>> = BTreeMap::new();
    for id in reading.ids() {
        for assignment in reading.variables(id) {
            let words = variables.entry(assignment.name).or_default();
            if words.len() < 4 {
                words.push(assignment.value);
                words.extend(assignment.each);
            }
        }
    }
    variables
}

fn plain(reading: &Reading, id: CommandId, variables: &BTreeMap<String, Vec<Word>>) -> Plain {
    let command = reading.command(id);
    let program = command.words.first().map(text).unwrap_or_default();
    let name = command.program.name().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name).to_owned();
    let (mut reads, mut writes, mut here) = (Vec::new(), Vec::new(), None);
    for redirect in &command.redirects {
        use toolc_commands::syntax::RedirectKind as Kind;
        match redirect.kind {
            Kind::HereDocument | Kind::HereString => here = Some(text(&redirect.target)),
            kind if kind.writes() => writes.push(text(&redirect.target)),
            _ => reads.push(text(&redirect.target)),
        }
    }
    if let Input::Redirect(redirect) = reading.input(id) {
        reads.push(text(&redirect.target));
    }
    Plain {
        name,
        program,
        arguments: command.arguments().iter().map(text).collect(),
        reads,
        writes,
        here,
        behind: behind(command.words.iter(), variables),
        at: command.span.range(),
        fed_by: feeding(reading, id, variables),
    }
}

/// Returns the text of a word, with variables and substitutions as they would be written.
pub(crate) fn text(word: &Word) -> String {
    word.parts.iter().map(part_text).collect()
}

fn part_text(part: &Part) -> String {
    match part {
        Part::Literal { text, .. } => text.clone(),
        Part::Tilde { user } => format!("~{user}"),
        Part::Glob(_) => "*".to_owned(),
        Part::Variable { name, operation, .. } => {
            let default =
                operation.as_ref().map(|operation| operation.operand.iter().map(part_text).collect::<String>());
            format!("${name}{}", default.map(|text| format!(" {text}")).unwrap_or_default())
        }
        Part::Substitution { .. } | Part::ProcessSubstitution { .. } => "$()".to_owned(),
        Part::Arithmetic { .. } | Part::Unknown { .. } => "$_".to_owned(),
    }
}

/// Returns the words that the variables in words can stand for.
fn behind<'w>(words: impl Iterator<Item = &'w Word>, variables: &'w BTreeMap<String, Vec<Word>>) -> Vec<String> {
    let (mut found, mut seen) = (Vec::new(), Vec::<&str>::new());
    let mut open: Vec<&Word> = words.collect();
    while let Some(word) = open.pop() {
        for part in &word.parts {
            let Part::Variable { name, .. } = part else { continue };
            if seen.contains(&name.as_str()) || seen.len() >= MAX_FEEDING {
                continue;
            }
            let Some((name, values)) = variables.get_key_value(name) else { continue };
            seen.push(name);
            found.extend(values.iter().map(text));
            open.extend(values);
        }
    }
    found
}

/// Returns the commands whose output gets into a command.
fn feeding(reading: &Reading, id: CommandId, variables: &BTreeMap<String, Vec<Word>>) -> Vec<CommandId> {
    let mut found: Vec<CommandId> = Vec::new();
    let mut seen_variables: Vec<&str> = Vec::new();
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        let command = reading.command(next);
        let targets = command.redirects.iter().map(|redirect| &redirect.target);
        let mut words: Vec<&Word> = command.words.iter().chain(targets).collect();
        let mut more: Vec<CommandId> = Vec::new();
        if let Input::Commands(input) = reading.input(next) {
            more.extend(input);
        }
        while let Some(word) = words.pop() {
            for part in &word.parts {
                match part {
                    Part::Substitution { commands, .. } | Part::ProcessSubstitution { commands, .. } => {
                        more.extend(commands.clone());
                    }
                    Part::Variable { name, .. }
                        if !seen_variables.contains(&name.as_str()) && seen_variables.len() < MAX_FEEDING =>
                    {
                        if let Some((name, values)) = variables.get_key_value(name) {
                            seen_variables.push(name);
                            words.extend(values);
                        }
                    }
                    _ => {}
                }
            }
        }
        for command in more {
            if command != id && !found.contains(&command) && found.len() < MAX_FEEDING {
                found.push(command);
                open.push(command);
            }
        }
    }
    found
}
