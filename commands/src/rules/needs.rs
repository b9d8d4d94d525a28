//! What a command must have so that a rule can match it. Most commands have little of it, so most rules are left out without a look
//! at their conditions.

use super::Conditions;

/// A set of things that a command has, or that the conditions of a rule are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Needs(u16);

impl Needs {
    /// Options.
    pub(crate) const OPTIONS: Self = Self(1);
    /// Operands.
    pub(crate) const OPERANDS: Self = Self(1 << 1);
    /// Variables that it sets.
    pub(crate) const VARIABLES: Self = Self(1 << 2);
    /// Files that it writes.
    pub(crate) const WRITTEN_FILES: Self = Self(1 << 3);
    /// Standard input from a file or from other commands.
    pub(crate) const INPUT: Self = Self(1 << 4);
    /// Other commands in the line.
    pub(crate) const OTHER_COMMANDS: Self = Self(1 << 5);
    /// A function in the line.
    pub(crate) const FUNCTIONS: Self = Self(1 << 6);
    /// A program that is named as a file in a folder.
    pub(crate) const FOLDER_OF_PROGRAM: Self = Self(1 << 7);
    /// Another command that runs it.
    pub(crate) const WRAPPERS: Self = Self(1 << 8);
    /// Arguments or redirections.
    pub(crate) const WORDS: Self = Self(1 << 9);

    /// Returns what a command must have to meet conditions.
    pub(crate) fn of(wanted: &Conditions<'_>) -> Self {
        let is_operand = |words: &&[&str]| words.iter().any(|word| !word.starts_with('-'));
        let is_needed = [
            (Self::OPTIONS, !wanted.flags.is_empty()),
            (Self::OPERANDS, !wanted.subcommands.is_empty() && wanted.subcommands.iter().all(is_operand)),
            (Self::OPERANDS, !wanted.operands_in.is_empty() || !wanted.operands_outside.is_empty()),
            (Self::VARIABLES, !wanted.variables.is_empty()),
            (Self::WRITTEN_FILES, !wanted.writes.is_empty()),
            (Self::WORDS, !wanted.unpacks_into.is_empty()),
            (Self::INPUT, !wanted.input.is_empty()),
            (Self::OTHER_COMMANDS, !wanted.input_from.is_empty() || !wanted.file_from.is_empty()),
            (Self::OTHER_COMMANDS, !wanted.program_from.is_empty() || !wanted.input_only_from.is_empty()),
            (Self::OPERANDS, !wanted.folders_after.is_empty()),
            (Self::OTHER_COMMANDS, !wanted.data_in.is_empty() || !wanted.data_from.is_empty()),
            (Self::WORDS, wanted.own_processes),
            (Self::FUNCTIONS, wanted.forks_itself),
            (Self::FOLDER_OF_PROGRAM, !wanted.program_in.is_empty()),
            (Self::WRAPPERS, !wanted.run_by.is_empty()),
            (Self::WORDS, !wanted.mentions.is_empty() || !wanted.reads.is_empty() || !wanted.arguments.is_empty()),
        ];
        Self::all(is_needed)
    }

    /// Returns the set of those that are there.
    pub(crate) fn all(list: impl IntoIterator<Item = (Self, bool)>) -> Self {
        list.into_iter().filter(|(_, is_there)| *is_there).fold(Self::default(), |all, (one, _)| Self(all.0 | one.0))
    }

    /// Returns the things in this set, each as a set of its own.
    pub(crate) fn each(self) -> impl Iterator<Item = Self> {
        (0..u16::BITS).map(|bit| Self(1 << bit)).filter(move |one| one.are_in(self))
    }

    /// Returns whether all of these are among `others`.
    pub(crate) fn are_in(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }
}
