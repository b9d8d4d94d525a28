//! Follows programs that the line copies or links, so that a known program is recognised under a new name: `cp /bin/sh x; ./x`.

use super::Unfolder;
use crate::flags::{self, Argument};
use crate::reading::How;
use crate::syntax::Word;

/// The maximum number of copies that are followed.
const MAX_COPIES: usize = 16;

impl Unfolder<'_> {
    /// Records that a command gives a file another name.
    pub(super) fn record_copy(&mut self, index: usize, name: &str) {
        if !matches!(name, "cp" | "gcp" | "ginstall" | "gln" | "gmv" | "install" | "link" | "ln" | "mv")
            || self.copies.len() >= MAX_COPIES
        {
            return;
        }
        let arguments = self.reading.commands[index].arguments();
        let value_options = self.programs.get(name).map_or(&[][..], |program| program.value_options);
        let operand = |argument| match argument {
            Argument::Operand { word, .. } | Argument::Either { word, .. } => Some(word),
            Argument::Option { .. } => None,
        };
        let operands: Vec<&Word> = flags::arguments(arguments, value_options).filter_map(operand).collect();
        if let [from, to] = operands.as_slice()
            && let (Some(from), Some(to)) = (from.text(), to.text())
        {
            let original = self.original(&from).map_or_else(|| from.into_owned(), str::to_owned);
            self.copies.push((plain(&to).to_owned(), original));
        }
    }

    /// Adds the command that runs if the program is a copy of another one.
    pub(super) fn open_copy(&mut self, index: usize) {
        let words = &self.reading.commands[index].words;
        let Some(path) = words[0].text().filter(|path| path.contains('/')) else { return };
        // While a shell has not replaced itself, this is the shell.
        let original = if is_own_program(&path) { Some("/bin/sh") } else { self.original(&path) };
        let Some(original) = original else { return };
        let original = Word::plain(original, words[0].span);
        let words = [original].into_iter().chain(words[1..].iter().cloned()).collect();
        self.add_command(index, words, How::Name);
    }

    /// Adds the command with the name of its program in lower case, if that is the same file: `RM`, `/bin/Git`.
    pub(super) fn open_other_case(&mut self, index: usize, name: &str) {
        let words = &self.reading.commands[index].words;
        let has_case = name.bytes().any(|byte| byte.is_ascii_uppercase());
        if !has_case || !self.surroundings.ignores_case || self.variables.functions.contains(name) {
            return;
        }
        let lower = Word::plain(&name.to_ascii_lowercase(), words[0].span);
        let words = [lower].into_iter().chain(words[1..].iter().cloned()).collect();
        self.add_command(index, words, How::Name);
    }

    /// Returns the path of the file of which another one is a copy.
    fn original(&self, path: &str) -> Option<&str> {
        let is_copy = |(copy, _): &&(String, String)| copy == plain(path);
        self.copies.iter().rev().find(is_copy).map(|(_, original)| original.as_str())
    }
}

/// Returns whether a path is the program of a process: `/proc/self/exe`.
fn is_own_program(path: &str) -> bool {
    path.starts_with('/') && path.ends_with("/exe") && path.split('/').find(|name| !name.is_empty()) == Some("proc")
}

/// Returns a path without `./` at its beginning.
pub(super) fn plain(mut path: &str) -> &str {
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path
}
