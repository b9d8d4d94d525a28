//! The manifests of toolsets and distributions.

use toolc_lower::text::atoms::AtomTable;
use toolc_tables::{Reader, Refused};
use toolc_tables::{table, words};

use super::RequiresManifest;
use crate::diagnostic::{At, Place};
use crate::manifest::keys::kinds::{
    Count, Duration, FlagOr, Name, Names, Percents, Prose, Required, Table, TableOrDefault, Text, Texts, Word,
};

table! {
    /// A toolset: `manifests/toolsets/NAME.toml`.
    #[derive(Debug, Clone)]
    pub struct ToolsetManifest {
        /// The name by which hosts enable and disable the toolset. Must equal the file's stem and be unique in the project.
        name: Required<Name>,
        /// The description for people who choose among toolsets.
        description: Required<Prose>,
        /// The kind of toolset. Default: `bundle`.
        kind: Word<ToolsetKind>,
        /// Tools whose home is another toolset. Home tools are always included.
        tools: Texts,
        /// Toolsets whose tools are included.
        includes: Texts,
        /// The toolset that this one extends. Enabled with it, and kept when it is disabled.
        base: Text,
        /// Tools that are left out, even if an included toolset has them.
        excludes: Names,
        /// Whether the toolset consists only of `tools`, without its home tools. Default: `false`.
        closed: FlagOr<false>,
        /// Legacy names that may be used to enable and disable the toolset.
        aliases: Names,
        /// Tags by which hosts select toolsets.
        tags: Names,
        /// The maximum number of tokens of the definitions of its tools. Default: `budgets.tokens` in `toolc.toml`.
        token_budget: Count,
        /// The language of the handlers of its home tools. A program runs those in Python or TypeScript. Default: `rust`.
        language: Word<HandlerLanguage>,
        /// The program that runs its home tools, if `language` is not `rust`.
        program: Table<HandlerProgramManifest>,
        /// Requirements, all of which must be met for the model to see its home tools.
        requires: TableOrDefault<RequiresManifest>,
    } with {
        /// The atoms of its conditions.
        atom_table: AtomTable = |_: &Reader<'_, _>| AtomTable::default(),
    }
}

words! {
    /// A kind of toolset.
    pub enum ToolsetKind {
        /// Tools that serve one purpose.
        Bundle = "bundle",
        /// The toolset of a platform, which mostly includes other toolsets.
        Preset = "preset",
    }
}

words! {
    /// The language of handlers.
    pub enum HandlerLanguage {
        /// The host is compiled with the handlers.
        Rust = "rust",
        /// A program in Python, which stays running.
        Python = "python",
        /// A program in TypeScript, which stays running.
        TypeScript = "typescript",
    }
}

table! {
    /// The program of a toolset.
    #[derive(Debug, Clone)]
    pub struct HandlerProgramManifest {
        /// The program and its arguments. Words that begin with `./` are files of the project. Default:
        /// `["python3", "./python/NAME.py"]` or `["node", "./typescript/dist/NAME.js"]`, with the name of the toolset.
        command: Names,
        /// Environment variables that the program receives, in addition to those that its tools require, and to `PATH`, `HOME`, `LANG`,
        /// `LC_*`, `TMPDIR` and `TZ`.
        env: Names,
        /// The maximum number of bytes of a reply. Default: 4 MiB.
        max_output_bytes: Count,
        /// The time without calls after which the program is ended, such as `90s` or `10m`. Default: `5m`.
        idle_timeout: Duration,
    } with {
        /// The table.
        place: Place = Reader::place,
    }
}

impl HandlerLanguage {
    /// Returns the folder of the generated module, if the settings name none. Programs are next to it.
    pub const fn default_folder(self) -> Option<&'static str> {
        match self {
            Self::Rust => None,
            Self::Python => Some("python/tools"),
            Self::TypeScript => Some("typescript/tools"),
        }
    }

    /// Returns the command of the program of a toolset whose manifest names none.
    fn default_command(self, toolset: &str) -> Vec<String> {
        let words = match self {
            Self::Rust => return Vec::new(),
            Self::Python => ["python3".to_owned(), format!("./python/{toolset}.py")],
            Self::TypeScript => ["node".to_owned(), format!("./typescript/dist/{toolset}.js")],
        };
        words.into()
    }
}

impl ToolsetManifest {
    /// Returns the language of the handlers.
    pub fn handler_language(&self) -> HandlerLanguage {
        self.language.as_ref().map_or(HandlerLanguage::Rust, |language| language.value)
    }

    /// Returns the place of `language`, if a program runs the home tools.
    pub fn program_language(&self) -> Option<&At<HandlerLanguage>> {
        self.language.as_ref().filter(|language| language.value != HandlerLanguage::Rust)
    }

    /// Returns the command of the program.
    pub fn command(&self) -> Vec<String> {
        match self.program.as_ref().map(|program| &program.command) {
            Some(command) if !command.is_empty() => command.iter().map(|word| word.value.clone()).collect(),
            _ => self.handler_language().default_command(&self.name.value),
        }
    }

    /// Returns a toolset that a tool names and no manifest declares.
    pub fn assumed(name: At<String>) -> Self {
        Self {
            name,
            description: String::new(),
            kind: None,
            tools: Vec::new(),
            includes: Vec::new(),
            base: None,
            excludes: Vec::new(),
            closed: false,
            aliases: Vec::new(),
            tags: Vec::new(),
            token_budget: None,
            language: None,
            program: None,
            requires: RequiresManifest::default(),
            atom_table: AtomTable::default(),
            refused: Refused::default(),
        }
    }

    /// Returns whether it is the toolset of a platform.
    pub fn is_preset(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| kind.value == ToolsetKind::Preset)
    }
}

table! {
    /// Toolsets that are drawn at random: `manifests/distributions/NAME.toml`.
    #[derive(Debug, Clone)]
    pub struct DistributionManifest {
        /// The name by which hosts draw from it. Must equal the file's stem.
        name: Required<Name>,
        /// The description for people who choose among distributions.
        description: Required<Prose>,
        /// Toolsets, each with the probability in percent that it is drawn. They are drawn independently; if none is drawn,
        /// the most probable one is used.
        toolsets: Required<Percents>,
    }
}
