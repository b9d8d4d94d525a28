//! Assignments, and builtins that define names or run code that is not an operand.

use super::Unfolder;
use super::hidden::has_code;
use crate::doubt::DoubtKind;
use crate::flags::{self, Argument};
use crate::reading::declared;
use crate::syntax::{Assignment, Word};

/// Variables whose value a shell runs.
const CODE_VARIABLES: &[&str] = &["PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "BASH_ENV", "ENV"];
/// Variables that replace commands.
const TABLES: &[&str] = &["BASH_ALIASES", "BASH_CMDS", "aliases", "functions", "commands"];

impl Unfolder<'_> {
    /// Records the values that a command assigns.
    pub(super) fn record_assignments(&mut self, index: usize) {
        let info = self.infos[index];
        let command = &self.reading.commands[index];
        let scope = command.scope;
        let declared = declared(&command.words);
        let is_export = command.program.name() == Some("export");
        let position = (info.root, index);
        let mut suspects = Vec::new();
        for Assignment { name, array, append, value, each, span, .. } in &command.assignments {
            if !each.is_empty() {
                self.variables.set_list(name, each);
            }
            if command.words.is_empty() && !array && !append {
                for dialect in info.dialects.iter() {
                    self.variables.set(name, dialect, value, scope, position);
                }
            }
            suspects.push((name.clone(), value.clone(), *span));
        }
        let is_plain = !command.arguments().iter().any(|word| {
            // An attribute such as `-i` changes the value.
            let option = word.certain_start();
            word.starts_with_expansion() || option.starts_with(['-', '+']) && !matches!(&*option, "-x" | "-r" | "-g")
        });
        for Assignment { name, value, span, append, array, .. } in declared {
            for dialect in info.dialects.iter().filter(|_| is_plain && !append && !array) {
                self.variables.set_as(&name, dialect, &value, (scope, position), is_export);
            }
            suspects.push((name, value, span));
        }
        if self.reading.commands[index].program.name() == Some("unset") {
            self.record_unset(index, position);
        }
        for (name, value, span) in suspects {
            let is_code = CODE_VARIABLES.contains(&name.as_str()) && runs(&name, &value);
            if TABLES.contains(&name.as_str()) {
                self.doubt(DoubtKind::Redefined, span);
            } else if is_code || name.starts_with("BASH_FUNC_") {
                self.doubt(DoubtKind::HiddenCode, span);
            }
        }
    }

    /// Records that `unset NAME` makes the value empty.
    fn record_unset(&mut self, index: usize, position: (usize, usize)) {
        let command = &self.reading.commands[index];
        let scope = command.scope;
        let name = |word: &Word| word.literal().map(std::borrow::Cow::into_owned).filter(|name| !name.starts_with('-'));
        // `-f` is about functions, and `-n` about references.
        let names: Option<Vec<String>> = command.arguments().iter().map(name).collect();
        let empty = Word::plain("", command.span);
        for name in names.unwrap_or_default() {
            for dialect in self.infos[index].dialects.iter() {
                self.variables.set(&name, dialect, &empty, scope, position);
            }
        }
    }

    /// Adds doubts about builtins that are not wrappers, but run or replace code.
    pub(super) fn inspect_builtin(&mut self, index: usize, name: &str) {
        let options: &[&str] = match name {
            "alias" => return self.define_aliases(index),
            // `hash -p PATH NAME` runs PATH for NAME; `enable -f FILE` loads a builtin.
            "hash" => &["-p"],
            "enable" => &["-f"],
            "bind" | "jobs" => &["-x"],
            "mapfile" | "readarray" => &["-C"],
            "complete" | "compgen" => &["-C", "-F", "-W"],
            "fc" => &["-e", "-s"],
            _ => return,
        };
        let command = &self.reading.commands[index];
        let span = command.span;
        let takes = ["-p", "-C", "-F", "-W", "-e"];
        let is_given = |argument: Argument<'_>| match argument {
            Argument::Option { name, .. } => options.contains(&&*name),
            Argument::Either { .. } => name == "hash",
            Argument::Operand { .. } => false,
        };
        let kind = if name == "hash" { DoubtKind::Redefined } else { DoubtKind::HiddenCode };
        if flags::arguments(command.arguments(), &takes).any(is_given) {
            self.doubt(kind, span);
        }
    }
}

/// Returns whether the value of a variable that shells run may contain code.
fn runs(name: &str, value: &Word) -> bool {
    match value.text() {
        None => true,
        Some(text) if name.starts_with("PS") => has_code(&text),
        Some(text) => !text.is_empty(),
    }
}
