//! The manifest of a tool.

use toolc::behaviour::{Annotations, Callers};
use toolc_lower::conditional_json::CondJson;
use toolc_lower::dialects::Syntax;
use toolc_lower::schema::{Defs, Schema};
use toolc_lower::text::atoms::{AtomTable, When};
use toolc_tables::{Language, Reader};
use toolc_tables::{table, words};

use crate::diagnostic::{At, Place};
use crate::manifest::keys::kinds::{
    Condition, Description, Duration, Execution, Flag, FlagOr, Json, List, MaxResultChars, Name, Names, Params, Prose,
    Required, Schema as SchemaKey, Table, TableOrDefault, Tables, Template, Text, Texts, Word, WordList,
};
use crate::manifest::keys::schema::ArgumentsRoot;

table! {
    /// A tool: `manifests/tools/NAME.toml`.
    #[derive(Debug, Clone)]
    pub struct ToolManifest {
        /// The name that models call. Must equal the file's stem and be unique in the project.
        name: Required<Name>,
        /// The home toolset, which owns the tool.
        toolset: Required<Text>,
        /// The description for the model. Says what the tool does, when to use it and when not, and what it returns.
        description: Required<Description>,
        /// Other names by which models know the tool. A call by one of them runs the tool. They are never sent to the model.
        aliases: Names,
        /// The display name, for protocols that have one.
        title: Text,
        /// The pictures of the tool that MCP clients show. Each is an address that begins with `https://` or `data:image/`; at most 8. They
        /// are never sent to the model.
        icons: Texts,
        /// An emoji that hosts show next to the name. Never sent to the model.
        emoji: Prose,
        /// How the handler runs. Default: `sync`.
        execution: Execution,
        /// The maximum duration of a call, such as `500ms`, `90s` or `5m`. Requires `execution` to be `blocking` or `async`.
        /// Default: the host's limit.
        timeout: Duration,
        /// The maximum number of characters of a result that the model receives, or `unlimited`. The rest is kept in a file
        /// or cut off. Default: the host's limit.
        max_result_chars: MaxResultChars,
        /// Which calls of one batch may run at the same time. Default: `never`.
        parallel: Word<Overlap>,
        /// The parameter whose value is the key of keyed calls.
        parallel_key: Text,
        /// The kind of thing that the key names, such as `files`. Tools that work on the same things share it.
        parallel_space: Text,
        /// Whether the definition may be deferred if there are many tools, so that tool search finds it. Default: `true`.
        defer: FlagOr<true>,
        /// Who may call the tool. `code` is code that the model writes and the vendor runs. Default: `["model"]`.
        callers: WordList<Caller>,
        /// Whether the model may continue while a call runs. The result follows later, if the vendor supports that. Default: `false`.
        background: FlagOr<false>,
        /// The language of the tool's only parameter, a text. Vendors with text tools ask the model for the text alone.
        text_input: Table<TextInputManifest>,
        /// Whether the description ends with the first of `schema.examples`, for vendors without a field for examples.
        /// Default: `false`.
        example_in_words: FlagOr<false>,
        /// The further information that MCP clients receive as `_meta`. It is a table of at most 16 KiB as JSON.
        meta: Json,
        /// Whether scripts of other tools, such as `execute_code`, can call the tool. gen then writes a Python function for it.
        /// Default: `false`.
        scripts: FlagOr<false>,
        /// Hints about the effects of the tool, as in MCP.
        annotations: TableOrDefault<AnnotationsManifest>,
        /// Requirements, all of which must be met for the model to see the tool.
        requires: TableOrDefault<RequiresManifest>,
        /// Rules about which calls must be approved. Default: none.
        approval: TableOrDefault<ApprovalManifest>,
        /// The reason why the tool should no longer be used.
        deprecated: Table<DeprecatedManifest>,
        /// Changes for single dialects, with a table for each.
        dialect: Tables<DialectManifest>,
        /// The parameters, with a table for each, in the keywords of JSON Schema.
        params: Params,
        /// Further keywords of the schema of the arguments. Its `properties` are the same as `params`.
        schema: ArgumentsRoot,
        /// The schema of the result, which becomes the type that the handler returns. Default: any result.
        returns: SchemaKey,
    } with {
        /// The definitions that the schemas refer to.
        defs: Defs = |_: &Reader<'_, _>| Defs::default(),
        /// The atoms of its conditions and texts.
        atom_table: AtomTable = |_: &Reader<'_, _>| AtomTable::default(),
        /// The places of the values of keys that other keys can contradict.
        flag_places: FlagPlaces = FlagPlaces::read,
    }
}

words! {
    /// Who may call a tool.
    #[derive(PartialOrd, Ord)]
    pub enum Caller {
        /// The model itself.
        Model = "model",
        /// Code that the model writes, and that runs in the vendor's sandbox.
        Code = "code",
    }
}

table! {
    /// The input of a tool that takes plain text instead of arguments.
    #[derive(Debug, Clone)]
    pub struct TextInputManifest {
        /// The language of `definition`. Default: `text`.
        syntax: Word<Syntax>,
        /// The grammar or the regular expression, as the vendor expects it.
        definition: Text,
    } with {
        /// The table.
        place: Place = Reader::place,
    }
}

words! {
    /// Which calls of one batch may run at the same time.
    pub enum Overlap {
        /// May run at the same time as any other call.
        Always = "always",
        /// Never runs at the same time as another call. It waits for the calls before it, and those after it wait for it.
        Never = "never",
        /// May run at the same time as calls with another key or space, and as any call if both are read-only.
        Keyed = "keyed",
    }
}

table! {
    /// The effects of a tool, as far as its author states them.
    #[derive(Debug, Clone, Default)]
    pub struct AnnotationsManifest {
        /// Whether the tool leaves everything as it is. Default: `false`.
        read_only: Flag,
        /// Whether a change may lose data. Default: `true`, or `false` if the tool is read-only.
        destructive: Flag,
        /// Whether a second call with the same arguments has no further effect. Default: `false`.
        idempotent: Flag,
        /// Whether the tool reaches beyond what the host controls, such as the network or people. Default: `true`.
        open_world: Flag,
    } with {
        /// The table, or `None` if it is missing.
        place: Option<Place> = |reader: &Reader<'_, _>| Some(reader.place()),
    }
}

table! {
    /// What a tool, or every home tool of a toolset, requires to be shown.
    #[derive(Debug, Clone, Default)]
    pub struct RequiresManifest {
        /// Environment variables, all of which must be set. Each is described in `env.toml`.
        env: Names,
        /// Environment variables, at least one of which must be set.
        any_env: Names,
        /// Programs, all of which must be in `PATH`.
        programs: Names,
        /// Operating systems on which the tool works.
        os: WordList<System>,
        /// Tools, all of which must be in the turn.
        tools: Names,
        /// Tools, at least one of which must be in the turn.
        any_tools: Names,
        /// Alternatives, at least one of which must be met. Each is a table with `env`, `programs` or `when`.
        any: List<AlternativeManifest>,
        /// A condition over facts that must hold.
        when: Condition,
        /// Whether the handlers decide as well. Adds a method `available` to their trait. Default: `false`.
        check: Flag,
    }
}

table! {
    /// One of several alternatives, with exactly one key.
    #[derive(Debug, Clone)]
    pub struct AlternativeManifest {
        /// Environment variables, all of which must be set. Each is described in `env.toml`.
        env: Names,
        /// Programs, all of which must be in `PATH`.
        programs: Names,
        /// A condition over facts that must hold.
        when: Condition,
    } with {
        /// The table.
        place: Place = Reader::place,
    }
}

impl RequiresManifest {
    /// Returns the required variables, those of alternatives included.
    pub fn variables(&self) -> impl Iterator<Item = &At<String>> {
        let of_alternatives = self.any.iter().flat_map(|one| &one.env);
        self.env.iter().chain(&self.any_env).chain(of_alternatives)
    }

    /// Returns the required programs, those of alternatives included.
    pub fn all_programs(&self) -> impl Iterator<Item = &At<String>> {
        self.programs.iter().chain(self.any.iter().flat_map(|one| &one.programs))
    }

    /// Returns the conditions of alternatives.
    pub fn alternative_conditions(&self) -> impl Iterator<Item = &At<When>> {
        self.any.iter().filter_map(|one| one.when.as_ref())
    }

    /// Returns the place of `check = true`, or `None` if the handlers do not decide.
    pub fn checked(&self) -> Option<Place> {
        self.check.as_ref().filter(|check| check.value).map(|check| check.place)
    }
}

words! {
    /// Operating systems, named as in `std::env::consts::OS`.
    pub enum System {
        /// Linux.
        Linux = "linux",
        /// macOS.
        MacOs = "macos",
        /// Windows.
        Windows = "windows",
        /// FreeBSD.
        FreeBsd = "freebsd",
        /// OpenBSD.
        OpenBsd = "openbsd",
        /// NetBSD.
        NetBsd = "netbsd",
        /// Android.
        Android = "android",
        /// iOS.
        Ios = "ios",
    }
}

table! {
    /// Which calls must be approved.
    #[derive(Debug, Clone, Default)]
    pub struct ApprovalManifest {
        /// The approval that every call needs.
        always: Word<Approval>,
        /// The parameter with a shell command, or with its words. Sessions that judge commands do so before each call.
        shell: Text,
        /// Whether the handlers find the directory in which the command starts. The trait of the handlers then has a method for it, and
        /// the command is judged in the directory that it returns. Otherwise, the runtime reads an argument such as `workdir` as a plain
        /// path. Requires `shell`. Default: `false`.
        start_directory: Flag,
    }
}

words! {
    /// The approval that every call needs.
    pub enum Approval {
        /// Every call is shown to the user, who approves or denies it.
        Ask = "ask",
    }
}

table! {
    /// Why a tool should no longer be used.
    #[derive(Debug, Clone)]
    pub struct DeprecatedManifest {
        /// The tool to use instead.
        replacement: Text,
        /// The reason, and what to do instead.
        note: Required<Text>,
    }
}

table! {
    /// The changes of a tool in one dialect.
    #[derive(Debug, Clone)]
    pub struct DialectManifest {
        /// The name of the tool in this dialect.
        name: Text,
        /// The description for the model in this dialect.
        description: Template,
        /// Whether the vendor enforces the schema, in a dialect with strict mode. Default: `true`.
        strict: Flag,
    } with {
        /// The name of the dialect.
        dialect: At<String> = Reader::table_name,
    }
}

/// The places of the flags that are written.
#[derive(Debug, Clone, Default)]
pub struct FlagPlaces(Vec<(&'static str, Place)>);

impl FlagPlaces {
    fn read<L: Language>(reader: &Reader<'_, L>) -> Self {
        let places = ["background", "example_in_words", "scripts"].map(|key| Some((key, reader.place_of(key)?)));
        Self(places.into_iter().flatten().collect())
    }

    /// Returns the place of the value of a key.
    pub fn of(&self, key: &str) -> Option<Place> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, place)| *place)
    }
}

impl ApprovalManifest {
    /// Returns whether the handlers find the directory in which the command starts.
    pub fn finds_directory(&self) -> bool {
        self.start_directory.as_ref().is_some_and(|flag| flag.value)
    }
}

impl ToolManifest {
    /// Returns who may call the tool.
    pub fn callers(&self) -> Callers {
        let has = |caller: Caller| self.callers.iter().any(|word| word.value == caller.word());
        if self.callers.is_empty() { Callers::MODEL } else { Callers::new(has(Caller::Model), has(Caller::Code)) }
    }

    /// Returns the schema of the arguments, including its definitions.
    pub fn parameters(&self) -> CondJson {
        self.defs.document(&self.params)
    }

    /// Returns the schemas that are not part of another one.
    pub fn roots(&self) -> impl Iterator<Item = &Schema> {
        let defs = self.defs.iter().map(|(_, def)| &def.schema);
        [&self.params].into_iter().chain(&self.returns).chain(defs)
    }

    /// Returns the roots that describe arguments.
    pub fn argument_roots(&self) -> impl Iterator<Item = &Schema> {
        let needed = self.defs.reachable_from([&self.params]);
        let defs = self.defs.iter().filter(move |(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
        [&self.params].into_iter().chain(defs)
    }

    /// Returns every schema.
    pub fn schemas(&self) -> impl Iterator<Item = &Schema> {
        self.roots().flat_map(Schema::walk)
    }

    /// Returns every `pattern` as it is written.
    pub fn patterns(&self) -> impl Iterator<Item = &At<String>> {
        let definition = self.text_input.as_ref().and_then(|text| text.definition.as_ref());
        let is_written = move |pattern: &&At<String>| definition.is_none_or(|text| text.place != pattern.place);
        self.schemas().filter_map(|schema| schema.pattern.as_ref()).filter(is_written)
    }

    /// Returns every regular expression as it is written: the patterns, and the definition of a text.
    pub fn regular_expressions(&self) -> impl Iterator<Item = &At<String>> {
        let text = self.text_input.iter().filter(|text| text.syntax() == Syntax::Regex);
        self.patterns().chain(text.filter_map(|text| text.definition.as_ref()))
    }
}

impl TextInputManifest {
    /// Returns what describes the text.
    pub fn syntax(&self) -> Syntax {
        self.syntax.as_ref().map_or(Syntax::Text, |syntax| syntax.value)
    }

    /// Returns the pattern of JSON Schema that matches the same texts as the regular expression, which must match the whole text.
    pub fn pattern(&self) -> Option<At<String>> {
        let definition = self.definition.as_ref().filter(|_| self.syntax() == Syntax::Regex)?;
        Some(At::new(format!("^(?:{})$", definition.value), definition.place))
    }

    /// Returns whether the text has a grammar.
    pub fn is_lark(&self) -> bool {
        self.syntax() == Syntax::Lark
    }
}

impl AnnotationsManifest {
    /// Returns the annotations, with the default of each that is missing.
    pub fn value(&self) -> Annotations {
        let or = |flag: &Option<At<bool>>, default| flag.as_ref().map_or(default, |flag| flag.value);
        let read_only = or(&self.read_only, Annotations::DEFAULT.read_only);
        Annotations::DEFAULT
            .with_read_only(read_only)
            .with_destructive(or(&self.destructive, !read_only))
            .with_idempotent(or(&self.idempotent, Annotations::DEFAULT.idempotent))
            .with_open_world(or(&self.open_world, Annotations::DEFAULT.open_world))
    }
}
