//! The codes of changes, and the tiers to which they belong.

use std::fmt;

/// Whom a change concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// A call that was right is refused, a result has another shape, or a name is unknown.
    Wire,
    /// Code against the generated types does not compile: Rust, Python or TypeScript.
    Source,
    /// The same call does something else, or a turn has other tools.
    Behaviour,
    /// A model or a person reads something else.
    Wording,
    /// Something new can be used, and nothing that worked is affected.
    Additive,
}

impl Tier {
    /// Every tier, the most serious one first.
    pub const ALL: [Tier; 5] = [Tier::Wire, Tier::Source, Tier::Behaviour, Tier::Wording, Tier::Additive];

    /// Returns the word for the tier, in settings and reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Source => "source",
            Self::Behaviour => "behaviour",
            Self::Wording => "wording",
            Self::Additive => "additive",
        }
    }

    /// Returns the level of its changes, unless `breaking.toml` has another one.
    pub(crate) const fn level(self) -> Level {
        match self {
            Self::Wire | Self::Source => Level::Deny,
            Self::Behaviour => Level::Warn,
            Self::Wording | Self::Additive => Level::Allow,
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a change does to the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The report counts the change.
    Allow,
    /// The report shows the change.
    Warn,
    /// The report shows the change, and the exit status is 1.
    Deny,
}

/// A kind of change.
#[derive(Debug, Clone, Copy)]
pub struct Code {
    /// A letter and three digits, such as `W002`. Never reused.
    pub id: &'static str,
    /// The name, words with hyphens between them.
    pub name: &'static str,
    /// The tier.
    pub tier: Tier,
    /// What has changed, for people.
    pub about: &'static str,
}

macro_rules! codes {
    ($($constant:ident = $id:literal $name:literal $tier:ident $about:literal;)*) => {
        $(pub(crate) const $constant: Code = Code { id: $id, name: $name, tier: Tier::$tier, about: $about };)*

        /// Every code.
        pub const CODES: &[Code] = &[$($constant),*];
    };
}

codes! {
    TOOL_REMOVED = "W001" "tool-removed" Wire "A tool is gone, and no tool has its name as an alias.";
    ARGUMENT_REFUSED = "W002" "argument-refused" Wire "Arguments that were right are refused.";
    RESULT_CHANGED = "W003" "result-changed" Wire "A result can have a shape that it could not have before.";
    UNDECIDED = "W004" "undecided" Wire "A schema has changed, and neither a proof nor a witness says whether that breaks a call.";
    NAME_REMOVED = "W005" "name-removed" Wire "A name or an alias of a tool, a toolset or a parameter is gone.";
    NAME_IN_DIALECT = "W006" "name-in-dialect" Wire "A tool has another name in a dialect.";
    TOOL_RENAMED = "S001" "tool-renamed" Source "A tool has another name, and its old one is an alias.";
    ARGUMENT_TYPE = "S002" "argument-type" Source "The type of the arguments in generated code has changed.";
    RESULT_TYPE = "S003" "result-type" Source "The type of the result in generated code has changed.";
    HANDLER_SIGNATURE = "S004" "handler-signature" Source "The method that a handler implements has changed.";
    DEFAULT = "B001" "default" Behaviour "The default of a parameter has changed.";
    CONDITION = "B002" "condition" Behaviour "Another condition decides whether a tool, a parameter or a text is shown.";
    APPROVAL = "B003" "approval" Behaviour "Other calls need approval.";
    ANNOTATIONS = "B004" "annotations" Behaviour "A tool declares other effects.";
    LIMIT = "B005" "limit" Behaviour "A limit on the time or the result of a call has changed.";
    MEMBERS = "B006" "members" Behaviour "A toolset has other tools.";
    PARALLEL = "B007" "parallel" Behaviour "Other calls run at the same time.";
    CALLERS = "B008" "callers" Behaviour "A tool can be called from elsewhere, or is offered in another way.";
    ARGUMENT_REPAIRED = "B009" "argument-repaired" Behaviour "Arguments that were right are repaired before they are accepted.";
    SECRECY = "B010" "secrecy" Behaviour "Another parameter is secret or clamped.";
    FACT = "B011" "fact" Behaviour "A fact has changed or is gone.";
    VARIABLE = "B012" "variable" Behaviour "An environment variable has changed or is gone.";
    DISTRIBUTION = "B013" "distribution" Behaviour "A distribution has changed or is gone.";
    COMMANDS = "B014" "commands" Behaviour "Rules for the approval of commands have changed.";
    DEPRECATED = "B015" "deprecated" Behaviour "A tool or a parameter is deprecated, or no longer.";
    FORM = "B016" "form" Behaviour "A dialect shows a tool in another form.";
    SHOWN = "B017" "shown" Behaviour "A turn that the project declares shows other tools.";
    OTHER = "B018" "other" Behaviour "A key has changed for which no other code exists.";
    DESCRIPTION = "T001" "description" Wording "The description of a tool or a toolset has changed.";
    PARAMETER_TEXT = "T002" "parameter-text" Wording "A text within a schema has changed.";
    LOOKS = "T003" "looks" Wording "A title, a picture or other information for people has changed.";
    DEFINITION = "T004" "definition" Wording "The definition that a vendor gets has changed, so that a cached prompt is read again.";
    ADDED = "A001" "added" Additive "A tool, a toolset, a fact or the like is new.";
    ARGUMENT_ACCEPTED = "A002" "argument-accepted" Additive "Arguments that were refused are accepted.";
    RESULT_NARROWED = "A003" "result-narrowed" Additive "A result can have fewer shapes than before, or more keys.";
    NAME_ADDED = "A004" "name-added" Additive "A tool, a toolset or a parameter has a further name.";
}

/// Finds the codes that a word names: a tier, or a code by its id or name.
pub(crate) fn named(word: &str) -> Vec<Code> {
    let is_named = |code: &&Code| code.tier.word() == word || code.id.eq_ignore_ascii_case(word) || code.name == word;
    CODES.iter().filter(is_named).copied().collect()
}
