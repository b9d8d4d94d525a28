//! The output of the parser: a flat list of simple commands, and the scopes that contain them.

use std::ops::Range;

use crate::doubt::Doubt;
use crate::span::Span;
use crate::syntax::ids::{CommandId, ScopeId};
use crate::syntax::word::{Part, Word};

/// A text as one shell reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The simple commands, in the order in which they begin.
    pub commands: Vec<SimpleCommand>,
    /// The scopes. The first one is the text itself.
    pub scopes: Vec<Scope>,
    /// What the parser is not certain about.
    pub doubts: Vec<Doubt>,
    /// The variables that expansions and arithmetic assign.
    pub assigned: Vec<String>,
    /// Whether an expansion assigns a variable whose name is the value of another one: `${!NAME:=VALUE}`.
    pub assigns_unknown: bool,
    /// Whether values of variables are evaluated as expressions, as in arithmetic.
    pub evaluates: bool,
}

impl Script {
    /// Adds another script, whose outermost scope is inside `parent`.
    pub(crate) fn append(&mut self, other: Self, parent: ScopeId) {
        let id = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let (commands, scopes) = (id(self.commands.len()), id(self.scopes.len()));
        self.commands.extend(other.commands.into_iter().map(|mut command| {
            command.shift(commands, scopes);
            command
        }));
        self.scopes.extend(other.scopes.into_iter().map(|mut scope| {
            scope.shift(commands, scopes);
            scope.parent = scope.parent.or(Some(parent));
            scope
        }));
        self.doubts.extend(other.doubts);
        self.assigned.extend(other.assigned);
        self.assigns_unknown |= other.assigns_unknown;
        self.evaluates |= other.evaluates;
    }
}

impl SimpleCommand {
    /// Adds offsets to the ids of commands and scopes.
    pub(crate) fn shift(&mut self, commands: CommandId, scopes: ScopeId) {
        self.scope += scopes;
        if commands == 0 {
            return;
        }
        let assigned = self.assignments.iter_mut().flat_map(|assignment| {
            let Assignment { value, each, .. } = assignment;
            each.iter_mut().chain([value])
        });
        let targets = self.redirects.iter_mut().map(|redirect| &mut redirect.target);
        for word in self.words.iter_mut().chain(assigned).chain(targets) {
            shift_parts(&mut word.parts, commands);
        }
    }
}

impl Scope {
    /// Adds offsets to the ids of commands and scopes.
    pub(crate) fn shift(&mut self, commands: CommandId, scopes: ScopeId) {
        self.parent = self.parent.map(|parent| parent + scopes);
        self.input = self.input.take().map(|input| input.start + commands..input.end + commands);
        self.redirects = self.redirects.map(|carrier| carrier + commands);
    }
}

fn shift_parts(parts: &mut [Part], offset: CommandId) {
    for part in parts {
        match part {
            Part::Substitution { commands, .. } | Part::ProcessSubstitution { commands, .. } => {
                *commands = commands.start + offset..commands.end + offset;
            }
            Part::Variable { operation: Some(operation), .. } => shift_parts(&mut operation.operand, offset),
            _ => {}
        }
    }
}

/// A command without other commands in it, except those of substitutions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program and its arguments, before expansion. Empty if the command only assigns or redirects.
    pub words: Vec<Word>,
    /// The assignments before the program.
    pub assignments: Vec<Assignment>,
    /// The redirections, here-documents included.
    pub redirects: Vec<Redirect>,
    /// The innermost scope.
    pub scope: ScopeId,
    /// The text of the command.
    pub span: Span,
}

/// A part of a script that contains commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The kind.
    pub kind: ScopeKind,
    /// The scope around it. `None` for the whole text.
    pub parent: Option<ScopeId>,
    /// The commands on the left side of the pipe, whose output is the standard input of this scope.
    pub input: Option<Range<CommandId>>,
    /// The redirections of this compound command: a command in the list that has only these, and no words.
    pub redirects: Option<CommandId>,
}

/// The kinds of scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeKind {
    /// The text that was passed to the reader.
    Line,
    /// Code that a command runs, such as the argument of `eval` or `sh -c`.
    Code {
        /// Whether the code runs in the same shell (`eval`, `.`), so that it can change variables and the directory.
        same_shell: bool,
    },
    /// `( ... )`
    Subshell,
    /// `{ ... }`, and other compound commands whose parts always run.
    Group,
    /// `$( ... )` or a backquoted command.
    Substitution,
    /// `<( ... )` or `>( ... )`
    ProcessSubstitution,
    /// One side of a pipe.
    PipelinePart,
    /// A list before `&`, or a coprocess.
    Background,
    /// The condition and the body of a loop, which may run any number of times.
    Loop,
    /// Commands that run only under a condition: after `&&`, `||`, `then`, `else`, or a pattern of `case`.
    Branch,
    /// The body of the function with this name.
    Function(String),
}

impl ScopeKind {
    /// Returns whether the commands run in a process of their own: assignments and `cd` have no effect outside.
    pub fn is_own_process(&self) -> bool {
        matches!(
            self,
            Self::Subshell
                | Self::Substitution
                | Self::ProcessSubstitution
                | Self::PipelinePart
                | Self::Background
                | Self::Code { same_shell: false }
        )
    }

    /// Returns whether the commands may not run, or may run more than once.
    pub fn is_conditional(&self) -> bool {
        matches!(self, Self::Loop | Self::Branch | Self::Function(_))
    }
}

/// `NAME=VALUE`, `NAME+=VALUE`, `NAME[SUBSCRIPT]=VALUE` or `NAME=(VALUES)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable. In the name that a wrapper sets (`env "$X=1"`), U+10FFFF stands for a part that is known only at run time.
    pub name: String,
    /// Whether this is the element of an array, or a whole array.
    pub array: bool,
    /// Whether the value is appended (`+=`).
    pub append: bool,
    /// The value. For an array, the parts of all elements, one after another.
    pub value: Word,
    /// The words that a `for` loop assigns, one after another. Empty for other assignments.
    pub each: Vec<Word>,
    /// The text of the assignment.
    pub span: Span,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The operator.
    pub kind: RedirectKind,
    /// The file descriptor before the operator.
    pub descriptor: Option<Descriptor>,
    /// The file, the descriptor, or the text of a here-document or here-string.
    pub target: Word,
    /// The text of the redirection, without the body of a here-document.
    pub span: Span,
}

/// The file descriptor that a redirection changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Descriptor {
    /// `2>`
    Number(u32),
    /// `{name}>`: a new one, whose number is assigned to the variable.
    Variable(String),
}

/// The operators of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Overwrite,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&` with a descriptor or `-`. With a file name, bash writes standard output and standard error to that file.
    DuplicateOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`: the target is the body.
    HereDocument,
    /// `<<<`
    HereString,
}

impl RedirectKind {
    /// Returns whether the redirection writes or creates its target, if that is a file.
    pub fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::DuplicateInput | Self::HereDocument | Self::HereString)
    }

    /// Returns whether the redirection replaces standard input unless it names another descriptor.
    pub fn is_input(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite | Self::DuplicateInput | Self::HereDocument | Self::HereString)
    }
}

impl Redirect {
    /// Returns whether this duplicates or closes a descriptor (`2>&1`, `>&-`), so that the target is not a file.
    pub(crate) fn targets_descriptor(&self) -> bool {
        let is_descriptor = |text: &str| text.trim_end_matches('-').chars().all(|letter| letter.is_ascii_digit());
        matches!(self.kind, RedirectKind::DuplicateInput | RedirectKind::DuplicateOutput)
            && self.target.text().is_some_and(|text| is_descriptor(&text))
    }

    /// Returns whether this replaces standard input.
    pub fn replaces_input(&self) -> bool {
        match self.descriptor {
            Some(Descriptor::Number(number)) => number == 0,
            Some(Descriptor::Variable(_)) => false,
            None => self.kind.is_input(),
        }
    }
}
