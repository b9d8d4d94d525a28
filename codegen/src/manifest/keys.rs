//! The manifest language as data: every key of every kind of manifest, once. The reader, the suggestions and the
//! published JSON Schemas all come from these tables.

mod schema;

use crate::source::Kind;
pub use schema::{CHOICE, FOREIGN, FOREIGN_TO_TOOLS, PROPERTY, ROOT, SCHEMA};

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What it takes.
    pub key_type: KeyType,
    /// Whether it must be there.
    pub required: bool,
    /// For the author: what it means.
    pub doc: &'static str,
}

/// What a key takes.
#[derive(Debug, Clone, Copy)]
pub enum KeyType {
    /// A string.
    Text,
    /// A string with conditions and facts in it: see [`text`](crate::text).
    Template,
    /// A condition.
    Condition,
    /// One of these words; each with what it means.
    Word(&'static [(&'static str, &'static str)]),
    /// `true` or `false`.
    Flag,
    /// An integer.
    Integer,
    /// An integer or a float.
    Number,
    /// An array of strings.
    Texts,
    /// An array of at least one string.
    Names,
    /// An array of at least one of these words.
    Words(&'static [(&'static str, &'static str)]),
    /// An integer of at least 1, and at most what 32 bits hold.
    Count,
    /// A length of time: a number and its unit, as a string.
    Duration,
    /// A table of these keys.
    Table(&'static [Key]),
    /// Tables of these keys, by name.
    Tables(&'static [Key]),
    /// An array of tables of these keys.
    List(&'static [Key]),
    /// One of these words, by name.
    WordsByName(&'static [(&'static str, &'static str)]),
    /// Numbers above 0 and up to 100, by name.
    Percents,
    /// Any value that JSON has, too.
    Json,
    /// An array of such values.
    Jsons,
    /// A JSON type's name, or an array of them.
    Types,
    /// An array of values that JSON has, each by itself or as `{ value = ..., when = ... }`.
    Choices,
    /// A string, a boolean or an integer within ±2^53.
    FactValue,
    /// A schema: a table of [`SCHEMA`]'s keys.
    Schema,
    /// `#/$defs/NAME`
    Reference,
    /// An array of schemas.
    Schemas,
    /// A table of schemas by property name, each of [`PROPERTY`]'s keys.
    Properties,
    /// `true`, `false`, or a schema.
    FlagOrSchema,
}

impl KeyType {
    /// In words, for a message: what was expected.
    pub fn expected(self) -> &'static str {
        match self {
            KeyType::Text | KeyType::Word(_) | KeyType::Template => "a string",
            KeyType::Condition => "a string: a condition",
            KeyType::Names | KeyType::Words(_) => "an array of at least one string",
            KeyType::Count => "an integer of at least 1",
            KeyType::Duration => "a string: a number and its unit, such as `90s`",
            KeyType::Table(_) => "a table",
            KeyType::Tables(_) => "a table of tables",
            KeyType::List(_) => "an array of tables",
            KeyType::WordsByName(_) => "a table of words",
            KeyType::Percents => "a table of numbers",
            KeyType::FactValue => "a string, a boolean or an integer",
            KeyType::Flag => "`true` or `false`",
            KeyType::Integer => "an integer",
            KeyType::Number => "a number",
            KeyType::Texts => "an array of strings",
            KeyType::Json => "a value that JSON has, too",
            KeyType::Jsons | KeyType::Choices => "an array",
            KeyType::Types => "a type's name, or an array of them",
            KeyType::Schema => "a table: a schema",
            KeyType::Reference => "a string: `#/$defs/NAME`",
            KeyType::Schemas => "an array of schemas",
            KeyType::Properties => "a table of properties",
            KeyType::FlagOrSchema => "`true`, `false` or a schema",
        }
    }
}

impl KeyType {
    /// How such a value is written: what it must have, or else what it may have first.
    pub fn sample(self) -> String {
        let word = |words: &[(&str, &str)]| words.first().map(|(word, _)| format!("\"{word}\"")).unwrap_or_default();
        let table = |keys: &[Key]| {
            let count = keys.iter().filter(|key| key.required).count();
            let shown = keys.iter().filter(|key| key.required || count == 0).take(count.max(1));
            let shown: Vec<String> = shown.map(|key| format!("{} = {}", key.name, key.key_type.sample())).collect();
            format!("{{ {} }}", shown.join(", "))
        };
        match self {
            KeyType::Text | KeyType::Template | KeyType::FactValue | KeyType::Json => "\"...\"".to_owned(),
            KeyType::Condition => "\"facts.NAME\"".to_owned(),
            KeyType::Duration => "\"90s\"".to_owned(),
            KeyType::Types => "\"string\"".to_owned(),
            KeyType::Reference => "\"#/$defs/NAME\"".to_owned(),
            KeyType::Word(words) => word(words),
            KeyType::Flag | KeyType::FlagOrSchema => "true".to_owned(),
            KeyType::Integer | KeyType::Number | KeyType::Count => "1".to_owned(),
            KeyType::Texts | KeyType::Names | KeyType::Jsons | KeyType::Choices => "[\"...\"]".to_owned(),
            KeyType::Words(words) => format!("[{}]", word(words)),
            KeyType::Table(keys) => table(keys),
            KeyType::Tables(keys) => format!("{{ NAME = {} }}", table(keys)),
            KeyType::List(keys) => format!("[{}]", table(keys)),
            KeyType::WordsByName(words) => format!("{{ NAME = {} }}", word(words)),
            KeyType::Percents => "{ NAME = 50 }".to_owned(),
            KeyType::Schema => table(SCHEMA),
            KeyType::Schemas => format!("[{}]", table(SCHEMA)),
            KeyType::Properties => format!("{{ NAME = {} }}", table(SCHEMA)),
        }
    }
}

const fn key(name: &'static str, key_type: KeyType, doc: &'static str) -> Key {
    Key { name, key_type, required: false, doc }
}

const fn required(name: &'static str, key_type: KeyType, doc: &'static str) -> Key {
    Key { name, key_type, required: true, doc }
}

/// `manifests/tools/NAME.toml`
pub const TOOL: &[Key] = &[
    required("name", KeyType::Text, "What the model calls it. Equals the file's stem, and is unique in the project."),
    required("toolset", KeyType::Text, "Its home: the one toolset that owns it."),
    required(
        "description",
        KeyType::Template,
        "What the model is told: what the tool does, when to use it and when not, what it returns.",
    ),
    key("title", KeyType::Text, "Its name for people, where a protocol has a place for one."),
    key("emoji", KeyType::Text, "For a person's eyes, beside the tool's name. The model never sees it."),
    key("execution", KeyType::Word(EXECUTIONS), "How its handler runs. `sync` unless said otherwise."),
    key(
        "timeout",
        KeyType::Duration,
        "How long a call may take: `500ms`, `90s`, `5m`. Of `blocking` and `async` tools.",
    ),
    key("max_result_chars", KeyType::Count, "Characters of a result that the model gets at most."),
    key("parallel", KeyType::Word(PARALLELS), "Which calls of one batch may overlap. `never` unless said otherwise."),
    key("parallel_key", KeyType::Text, "The parameter whose value tells keyed calls apart."),
    key("parallel_space", KeyType::Text, "What the key names, shared by all tools that work on the same: `files`."),
    key(
        "defer",
        KeyType::Flag,
        "Whether tool search may stand for it where there are many. `true` unless said otherwise.",
    ),
    key("annotations", KeyType::Table(ANNOTATIONS), "What it does to the world, in MCP's terms."),
    key("requires", KeyType::Table(REQUIRES), "What has to be there for the model to see it. All of it has to hold."),
    key("approval", KeyType::Table(APPROVAL), "Which calls somebody has to approve."),
    key("deprecated", KeyType::Table(DEPRECATED), "That it should no longer be used."),
    key("dialect", KeyType::Tables(DIALECT), "What one dialect shows otherwise: a table for each."),
    key("params", KeyType::Properties, "Its parameters: a table for each, with JSON Schema's own words."),
    key(
        "schema",
        KeyType::Table(ROOT),
        "What else there is to say of its arguments as a whole; `params` are its `properties`.",
    ),
    key("returns", KeyType::Schema, "What it returns: the schema that becomes the type of its handler's result."),
];

/// Values of `execution`.
pub const EXECUTIONS: &[(&str, &str)] = &[
    ("sync", "Inline, on the caller's thread: for work that is done in moments."),
    ("blocking", "On a thread of its own: for work that computes or waits for long."),
    ("async", "As a future, on the caller's executor."),
    ("agent", "The agent's own loop runs it: it has no handler."),
];

/// Values of `parallel`.
pub const PARALLELS: &[(&str, &str)] = &[
    ("always", "Any others may run beside it."),
    ("never", "None may: those before it are awaited, those behind it wait."),
    ("keyed", "Others may, but for those of the same space and key, unless both are read-only."),
];

/// `annotations`
pub const ANNOTATIONS: &[Key] = &[
    key("read_only", KeyType::Flag, "It changes nothing. `false` unless said otherwise."),
    key(
        "destructive",
        KeyType::Flag,
        "What it changes may be lost. `true` unless said otherwise, or if it is read-only.",
    ),
    key("idempotent", KeyType::Flag, "A second call with the same arguments changes nothing more. `false` by default."),
    key("open_world", KeyType::Flag, "It reaches beyond what the host knows: the network, people. `true` by default."),
];

/// `requires`, of tools and of toolsets.
pub const REQUIRES: &[Key] = &[
    key("env", KeyType::Names, "Environment variables, all of which must be set. Each is described in `env.toml`."),
    key("any_env", KeyType::Names, "Environment variables, one of which must be set."),
    key("programs", KeyType::Names, "Programs, all of which must be found."),
    key("os", KeyType::Words(SYSTEMS), "The systems on which it works."),
    key("tools", KeyType::Names, "Tools, all of which must be there."),
    key("any_tools", KeyType::Names, "Tools, one of which must be there."),
    key("when", KeyType::Condition, "A condition over facts."),
    key("check", KeyType::Flag, "Whether the handlers are asked, too: their trait gets a method `available`."),
];

/// Values of `os`, as Rust's `std::env::consts::OS` has them.
pub const SYSTEMS: &[(&str, &str)] = &[
    ("linux", "Linux."),
    ("macos", "macOS."),
    ("windows", "Windows."),
    ("freebsd", "FreeBSD."),
    ("openbsd", "OpenBSD."),
    ("netbsd", "NetBSD."),
    ("android", "Android."),
    ("ios", "iOS."),
];

/// `approval`
pub const APPROVAL: &[Key] = &[
    key("always", KeyType::Word(APPROVALS), "Every call is to be approved."),
    key("shell", KeyType::Text, "The parameter that holds a shell command: a dangerous one is to be approved."),
];

/// Values of `always`.
pub const APPROVALS: &[(&str, &str)] = &[("ask", "Somebody is asked, each time.")];

/// `deprecated`
pub const DEPRECATED: &[Key] = &[
    key("replacement", KeyType::Text, "The tool to use instead."),
    required("note", KeyType::Text, "Why, and what to do."),
];

/// `dialect.NAME`
pub const DIALECT: &[Key] = &[
    key("name", KeyType::Text, "What the tool is called there."),
    key("description", KeyType::Template, "What the model is told there."),
];

/// `manifests/toolsets/NAME.toml`
pub const TOOLSET: &[Key] = &[
    required(
        "name",
        KeyType::Text,
        "What hosts enable and disable. Equals the file's stem, and is unique in the project.",
    ),
    required("description", KeyType::Text, "For a person who chooses toolsets: what it is for."),
    key("kind", KeyType::Word(TOOLSET_KINDS), "`bundle` unless said otherwise."),
    key("tools", KeyType::Texts, "Tools that have another home. A toolset holds its home tools by itself."),
    key("includes", KeyType::Texts, "Toolsets whose tools it brings along."),
    key("base", KeyType::Text, "The toolset that it builds on: enabled with it, and left alone when it is disabled."),
    key("excludes", KeyType::Names, "Tools that it does not hold, whatever brings them along."),
    key("closed", KeyType::Flag, "Whether it holds only what `tools` lists: not even its home tools by themselves."),
    key("aliases", KeyType::Names, "Legacy names, under which it may be enabled and disabled."),
    key("tags", KeyType::Names, "Words by which hosts may choose among toolsets."),
    key("token_budget", KeyType::Count, "How many tokens the definitions that it resolves to should take at most."),
    key("requires", KeyType::Table(REQUIRES), "What has to be there for the model to see any of its home tools."),
];

/// Values of a toolset's `kind`.
pub const TOOLSET_KINDS: &[(&str, &str)] =
    &[("bundle", "Tools that serve one purpose."), ("preset", "Stands for a platform: mostly includes, on a base.")];

/// `manifests/facts.toml`
pub const FACTS: &[Key] =
    &[required("facts", KeyType::Tables(FACT), "What the host tells about its world: a table for each fact.")];

/// What a fact has.
pub const FACT: &[Key] = &[
    required(
        "default",
        KeyType::FactValue,
        "What is assumed where the host says nothing. It also gives the fact its type.",
    ),
    required("description", KeyType::Text, "For whoever writes a host: what it means."),
];

/// `manifests/env.toml`
pub const ENV: &[Key] =
    &[required("env", KeyType::Tables(VARIABLE), "Environment variables that tools require: a table for each.")];

/// What an environment variable has.
pub const VARIABLE: &[Key] = &[
    required("description", KeyType::Text, "For whoever sets the host up: what it is for."),
    key("prompt", KeyType::Text, "What to ask a person for it."),
    key("url", KeyType::Text, "Where to get it."),
    key("secret", KeyType::Flag, "Whether its value must not be shown. `true` unless said otherwise."),
];

/// `manifests/distributions/NAME.toml`
pub const DISTRIBUTION: &[Key] = &[
    required("name", KeyType::Text, "What hosts ask for. Equals the file's stem."),
    required("description", KeyType::Text, "For a person who chooses: what it is for."),
    required(
        "toolsets",
        KeyType::Percents,
        "For each toolset, how likely it is to be drawn, in percent. Each is drawn by itself; if none is, the likeliest.",
    ),
];

/// `manifests/commands/NAME.toml`
pub const COMMANDS: &[Key] = &[
    required("name", KeyType::Text, "What the rules are about. Equals the file's stem."),
    required("description", KeyType::Text, "For whoever maintains them."),
    required("rules", KeyType::List(RULE), "The rules: a table for each."),
];

/// A rule about shell commands. A command falls under it where all that is said of it holds.
pub const RULE: &[Key] = &[
    required("name", KeyType::Text, "Its own name, unique in the project."),
    required("description", KeyType::Text, "For the person who is asked: what such a command does."),
    required("verdict", KeyType::Word(VERDICTS), "What becomes of such a command."),
    key("programs", KeyType::Names, "The command runs one of these programs, whatever it is run through."),
    key("subcommands", KeyType::Names, "The program's first words that are no flags begin with one of these."),
    key("flags", KeyType::Names, "One of these flags is given, in its short or long form."),
    key("arguments", KeyType::Names, "One of the other arguments matches one of these globs."),
    key("input_from", KeyType::Names, "Its input comes from one of these programs."),
    key("output_to", KeyType::Names, "Its output is written to a path that matches one of these globs."),
    required("matches", KeyType::Names, "Commands that fall under it: its examples, and its tests."),
    key("ignores", KeyType::Names, "Commands that look alike and do not fall under it."),
];

/// Values of `verdict`.
pub const VERDICTS: &[(&str, &str)] = &[("ask", "Somebody has to approve it."), ("deny", "It is never run.")];

/// `toolc.toml`
pub const SETTINGS: &[Key] = &[
    key("dialects", KeyType::Names, "The dialects that schemas are written in. All, unless said otherwise."),
    key(
        "rust",
        KeyType::Text,
        "The folder for the generated Rust, as a module: `src/generated`. A crate in `generated/rust` unless said otherwise.",
    ),
    key(
        "lint",
        KeyType::WordsByName(LEVELS),
        "Levels of rules, by code or name; a category's letter stands for all of its rules. The last one that fits wins.",
    ),
    key(
        "baseline",
        KeyType::Text,
        "The file of known findings, which do not count: `cargo xtask lint --write-baseline FILE`.",
    ),
    key("budgets", KeyType::Table(BUDGETS), "What a toolset should come to at most."),
    key("external", KeyType::Table(EXTERNAL), "What no manifest declares, because it comes at run time."),
];

/// `plugin.toml`
pub const PLUGIN: &[Key] = &[
    required(
        "executable",
        KeyType::Text,
        "The program that runs the tools: a file in the plugin's folder, such as `run`.",
    ),
    key("description", KeyType::Text, "For a person who chooses plugins: what it is for."),
    key(
        "environment",
        KeyType::Names,
        "Environment variables that the program gets, beside `PATH`, `HOME`, `LANG`, `LC_*`, `TMPDIR` and `TZ`.",
    ),
    key(
        "max_output_bytes",
        KeyType::Count,
        "Bytes that the program may print for one call. 4 MiB unless said otherwise.",
    ),
];

/// Values in `lint`.
pub const LEVELS: &[(&str, &str)] =
    &[("allow", "Not told."), ("warn", "Told."), ("deny", "An error: nothing is written.")];

/// `external`
pub const EXTERNAL: &[Key] = &[key(
    "tools",
    KeyType::Names,
    "Tools of other providers: conditions, requirements and toolsets may name them, too.",
)];

/// `budgets`
pub const BUDGETS: &[Key] = &[
    key("tools", KeyType::Count, "Tools that one toolset resolves to."),
    key("tokens", KeyType::Count, "Tokens of their definitions, where the toolset has no `token_budget` of its own."),
    key("description", KeyType::Count, "Characters of one tool's description. 1,024 unless said otherwise."),
    key(
        "parameters",
        KeyType::Count,
        "Parameters of one tool, those within others not counted. 24 unless said otherwise.",
    ),
];

impl Kind {
    /// The keys of this kind of manifest.
    pub const fn keys(self) -> &'static [&'static [Key]] {
        match self {
            Kind::Tool => &[TOOL],
            Kind::Toolset => &[TOOLSET],
            Kind::Distribution => &[DISTRIBUTION],
            Kind::Commands => &[COMMANDS],
            Kind::Facts => &[FACTS],
            Kind::Env => &[ENV],
            Kind::Settings => &[SETTINGS],
            Kind::Plugin => &[PLUGIN],
        }
    }
}
