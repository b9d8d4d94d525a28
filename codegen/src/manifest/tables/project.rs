//! The manifests that exist once in a project.

use toolc::FactValue;
use toolc_tables::Reader;
use toolc_tables::{table, words};

use crate::diagnostic::{At, Place};
use crate::manifest::keys::kinds::{
    Count, Duration, FactValue as FactValueKey, Flag, FlagOr, Names, Prose, Required, Table, TableOrDefault, Tables,
    Text, Url, WordList, WordsByName,
};

table! {
    /// The facts: `manifests/facts.toml`.
    #[derive(Debug, Clone)]
    pub struct FactsManifest {
        /// Facts that the host supplies, with a table for each.
        facts: Required<Tables<FactTable>>,
    }
}

table! {
    /// A fact as it is declared.
    #[derive(Debug, Clone)]
    pub struct FactTable {
        /// The value that is used if the host supplies none. It also determines the type of the fact.
        default: Required<FactValueKey>,
        /// The values that hosts supply, for a text. Conditions that compare the fact with others are reported. Default: any text.
        values: Names,
        /// The description for people who write hosts.
        description: Required<Prose>,
        /// Whether the sessions of one process may have different values. Default: `false`.
        per_session: FlagOr<false>,
    } with {
        /// The name of the fact.
        name: At<String> = Reader::table_name,
    }
}

/// A fact with a default.
#[derive(Debug, Clone)]
pub struct FactManifest {
    /// The name of the fact.
    pub name: At<String>,
    /// The value that is used if the host supplies none.
    pub default: FactValue,
    /// The values that hosts supply. Empty if they are unknown.
    pub values: Vec<At<String>>,
    /// The description for people who write hosts.
    pub description: String,
    /// Whether the sessions of one process may have different values.
    pub per_session: bool,
}

table! {
    /// The environment variables: `manifests/env.toml`.
    #[derive(Debug, Clone)]
    pub struct EnvManifest {
        /// Environment variables that tools require, with a table for each.
        env: Required<Tables<VariableManifest>>,
    }
}

table! {
    /// An environment variable.
    #[derive(Debug, Clone)]
    pub struct VariableManifest {
        /// The description for people who set up a host.
        description: Required<Prose>,
        /// The text with which to ask for the value.
        prompt: Prose,
        /// The address of a page that says where to get the value.
        url: Url,
        /// Whether the value must not be shown. Default: `true`.
        secret: FlagOr<true>,
    } with {
        /// The name of the variable.
        name: At<String> = Reader::table_name,
    }
}

table! {
    /// The settings of the project: `toolc.toml`.
    #[derive(Debug, Clone, Default)]
    pub struct SettingsManifest {
        /// The dialects of the definitions, in Rust and in `generated/schemas/`. Default: all.
        dialects: Names,
        /// The folder of the generated Rust as a module, such as `src/generated`. Default: a crate in `generated/rust`.
        rust: Text,
        /// The folder of a package in Python with the types of the tools. Default: `python/tools` if a toolset has handlers in Python, or
        /// else none.
        python: Text,
        /// The folder of a module in TypeScript with the types of the tools. Default: `typescript/tools` if a toolset has handlers in
        /// TypeScript, or else none.
        typescript: Text,
        /// Levels of rules, by code, name or the letter of a category. The last level that applies wins.
        lint: WordsByName<RuleLevel>,
        /// The file of known findings, which are not reported. Written by `cargo xtask lint --write-baseline FILE`.
        baseline: Text,
        /// Limits whose violation is reported.
        budgets: TableOrDefault<BudgetsManifest>,
        /// Which definitions gen writes to `generated/schemas/`. `export` always writes all.
        schemas: TableOrDefault<SchemasManifest>,
        /// The vendors' own tools that requests contain besides those of the project. Default: none.
        vendor_tools: TableOrDefault<VendorToolsManifest>,
        /// Names that are supplied at run time and that no manifest declares.
        external: TableOrDefault<ExternalManifest>,
    }
}

words! {
    /// The level of a rule.
    pub enum RuleLevel {
        /// Disabled.
        Allow = "allow",
        /// Reported as a warning.
        Warn = "warn",
        /// Reported as an error, and gen writes nothing.
        Deny = "deny",
    }
}

table! {
    /// Limits whose violation is reported.
    #[derive(Debug, Clone, Default)]
    pub struct BudgetsManifest {
        /// The maximum number of tools in a toolset.
        tools: Count,
        /// The maximum number of tokens of the definitions of a toolset that has no `token_budget`.
        tokens: Count,
        /// The maximum number of characters of a tool's description. Default: 1,024.
        description: Count,
        /// The maximum number of parameters of a tool, not counting nested ones. Default: 24.
        parameters: Count,
    }
}

table! {
    /// Which definitions gen writes to `generated/schemas/`.
    #[derive(Debug, Clone, Default)]
    pub struct SchemasManifest {
        /// Whether a file for each tool is written. Default: `true`.
        tools: Flag,
        /// Whether a file for each toolset is written, with the definitions of all its tools. Default: `false`.
        toolsets: Flag,
        /// Dialects of the files, all of which must be dialects of the project. Default: `dialects`.
        dialects: Names,
    }
}

table! {
    /// The vendors' own tools that requests contain.
    #[derive(Debug, Clone, Default)]
    pub struct VendorToolsManifest {
        /// The tools of Anthropic's Messages.
        anthropic: WordList<AnthropicTool>,
        /// The tools of OpenAI's Responses.
        openai: WordList<OpenAiTool>,
        /// The tools of Gemini's Interactions.
        gemini: WordList<GeminiTool>,
    }
}

words! {
    /// A tool of Anthropic's.
    pub enum AnthropicTool {
        /// Code that the model writes, and that can call tools.
        CodeExecution = "code_execution",
        /// Tool search, by BM25 or regular expressions.
        ToolSearch = "tool_search",
        /// Searches of the web.
        WebSearch = "web_search",
        /// Pages of the web.
        WebFetch = "web_fetch",
        /// Notes.
        Memory = "memory",
        /// Shell commands.
        Bash = "bash",
        /// Changes of files.
        TextEditor = "text_editor",
        /// A computer's screen and keyboard.
        Computer = "computer",
        /// Advice by another model.
        Advisor = "advisor",
    }
}

words! {
    /// A tool of OpenAI's.
    pub enum OpenAiTool {
        /// Code that the model writes, and that can call tools.
        ProgrammaticToolCalling = "programmatic_tool_calling",
        /// Tool search.
        ToolSearch = "tool_search",
    }
}

words! {
    /// A tool of Google's.
    pub enum GeminiTool {
        /// Tool search.
        ToolSearch = "tool_search",
    }
}

impl AnthropicTool {
    /// Returns the names that its definitions have, which no other tool of a request may have.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::CodeExecution => &["code_execution"],
            Self::ToolSearch => &["tool_search_tool_regex", "tool_search_tool_bm25"],
            Self::WebSearch => &["web_search"],
            Self::WebFetch => &["web_fetch"],
            Self::Memory => &["memory"],
            Self::Bash => &["bash"],
            Self::TextEditor => &["str_replace_based_edit_tool"],
            Self::Computer => &["computer"],
            Self::Advisor => &["advisor"],
        }
    }
}

table! {
    /// Names that are supplied at run time.
    #[derive(Debug, Clone, Default)]
    pub struct ExternalManifest {
        /// Tools of other providers, which conditions, requirements and toolsets may name.
        tools: Names,
    }
}

table! {
    /// The manifest of a plugin: `plugin.toml`.
    #[derive(Debug, Clone)]
    pub struct PluginManifest {
        /// The program that runs the tools and the hooks, a file in the plugin's folder.
        executable: Required<Text>,
        /// The description for people who choose among plugins.
        description: Prose,
        /// Environment variables that the program receives, in addition to `PATH`, `HOME`, `LANG`, `LC_*`, `TMPDIR` and
        /// `TZ`.
        env: Names,
        /// The maximum number of bytes that the program may print for one call. Default: 4 MiB.
        max_output_bytes: Count,
        /// Whether the program stays running between calls. Default: `false`.
        resident: FlagOr<false>,
        /// The time without calls after which a program that stays running is ended, such as `90s` or `10m`. Default: `5m`.
        idle_timeout: Duration,
        /// Whether the program can keep the notes of the tool `memory`, for hosts whose user chooses it. Default: `false`.
        memory: FlagOr<false>,
        /// The hooks, with which the program sees calls of any tools, and can change or refuse them.
        hooks: TableOrDefault<HooksManifest>,
    } with {
        /// The beginning of the manifest.
        place: Place = Reader::place,
    }
}

table! {
    /// The hooks of a plugin.
    #[derive(Debug, Clone, Default)]
    pub struct HooksManifest {
        /// The hook that sees calls before they run. It can refuse them, or change their arguments.
        before: Table<HookManifest>,
        /// The hook that sees results, and can replace them.
        transform: Table<HookManifest>,
        /// The hook that sees calls that have ended, with what the model gets.
        after: Table<ObserverManifest>,
    }
}

table! {
    /// A hook that decides on something.
    #[derive(Debug, Clone)]
    pub struct HookManifest {
        /// The tools whose calls the hook sees, of any provider.
        tools: Names,
        /// The toolsets whose tools' calls the hook sees. `all` stands for all calls.
        toolsets: Names,
        /// The maximum duration of the hook, such as `500ms` or `10s`. Default: `5s`.
        timeout: Duration,
        /// Whether a failure of the hook also fails the call. Otherwise, it is reported to the user and ignored. Default: `false`.
        required: FlagOr<false>,
    } with {
        /// The table.
        place: Place = Reader::place,
    }
}

table! {
    /// A hook that only observes.
    #[derive(Debug, Clone)]
    pub struct ObserverManifest {
        /// The tools whose calls the hook sees, of any provider.
        tools: Names,
        /// The toolsets whose tools' calls the hook sees. `all` stands for all calls.
        toolsets: Names,
        /// The maximum duration of the hook, such as `500ms` or `10s`. Default: `5s`.
        timeout: Duration,
    } with {
        /// The table.
        place: Place = Reader::place,
    }
}
