//! One record per dialect: everything that the compiler knows about the shape in which a vendor or a protocol expects
//! tool definitions. Lowering, the rules of the linter, `docs/dialects.md` and the tests read these records, and nothing
//! else states a vendor's limit.
//!
//! To add a dialect, add its line to `dialects!` in `runtime/src/data/dialect.rs`. rustc then asks for the file of its record
//! here, which has the name of the dialect, and for a Cargo feature of the runtime.

mod definition;
mod extensions;
mod limits;
mod own_tools;
mod schema_subset;

pub use definition::{SchemaDocument, Syntax, TextInput, ToolDefinition};
pub use extensions::Extensions;
pub use limits::{
    Confidence, HeaderRules, Limit, NameGrammar, Refused, RequestLimits, Size, StatedLimit, ToolLimits, Total,
};
pub use own_tools::{CodeLimits, ListSize, SearchLimits, Vendor};
pub use schema_subset::{Enums, KEYWORDS, Refs, SchemaSubset};

use std::borrow::Cow;

use crate::conditional_json::CondJson;
use crate::schema::Spelling;

/// Everything about one dialect.
///
/// A dialect may need what none of these does:
/// - A list that holds groups of definitions, such as namespaces: a second envelope here, from a toolset and the
///   definitions of its tools to an item of the list, which `emit` and the runtime call where a toolset begins.
/// - Limits on a whole request: fields of [`RequestLimits`].
#[derive(Debug)]
pub struct Dialect {
    /// The name of the dialect in `toolc.toml`, and of the folder with its definitions.
    pub name: &'static str,
    /// The Cargo feature of the runtime that adds it, or `None` if it is always present.
    pub feature: Option<&'static str>,
    /// The name of its variant in the runtime.
    pub variant: &'static str,
    /// What it is, for `docs/dialects.md`.
    pub about: &'static str,
    /// Writes the definition of a tool.
    pub envelope: fn(&ToolDefinition<'_>) -> CondJson,
    /// Whether the definition of a tool without parameters has no schema of them.
    pub omits_empty_parameters: bool,
    /// The language of its definitions.
    pub language: Language,
    /// The schemas that it accepts.
    pub schema: SchemaSubset,
    /// How it spells what all schemas have in common.
    pub spelling: Spelling,
    /// What else it accepts of one tool.
    pub tool: ToolLimits,
    /// What else it can say about one tool.
    pub extensions: Extensions,
    /// What it demands of tools that code may call.
    pub code: CodeLimits,
    /// What it accepts of all tools of a request together.
    pub request: RequestLimits,
    /// What the vendor advises about its tool search.
    pub search: SearchLimits,
    /// The vendor whose own tools the dialect's requests can contain.
    pub vendor: Option<Vendor>,
    /// The dialect without strict mode, if this one is strict. A tool whose manifest says `strict = false` has its form.
    pub lenient: Option<&'static Dialect>,
}

/// The language of definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// JSON, as the envelope returns it.
    Json,
    /// TypeScript declarations, which the runtime writes from the JSON that the envelope returns.
    TypeScript,
}

impl Language {
    /// Returns the extension of files with definitions.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::TypeScript => "d.ts",
        }
    }
}

/// Declares the module of each record, and the list of the records.
macro_rules! records {
    ($($module:ident)*) => {
        $(mod $module;)*

        /// Every dialect, in the order of the runtime's.
        pub static DIALECTS: &[Dialect] = &[$($module::DIALECT),*];
    };
}

toolc::__gen::for_each_dialect!(records);

/// Returns the dialect of that name.
pub fn find(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

impl Dialect {
    /// Returns it as the runtime knows it, or `None` if the runtime was built without its feature. What emits Rust is built
    /// with all of them.
    pub fn in_runtime(&self) -> Option<toolc::Dialect> {
        toolc::Dialect::ALL.iter().copied().find(|dialect| dialect.name() == self.name)
    }

    /// Returns a definition as it is sent. `json` is the rendered definition. Without the dialect's feature of the runtime, it stays
    /// as it is.
    pub fn written(&self, json: String) -> String {
        match (self.language, self.in_runtime()) {
            (Language::TypeScript, Some(dialect)) => toolc::__gen::written(dialect, json),
            _ => json,
        }
    }

    /// Returns definitions as they are sent together: as one JSON array, or one after the other.
    pub fn list(&self, definitions: &[String]) -> String {
        match self.language {
            Language::Json => format!("[{}]", definitions.join(",")),
            Language::TypeScript => definitions.join("\n"),
        }
    }

    /// Returns text of the dialect for a file: JSON with one line for each value.
    pub fn file(&self, text: &str) -> String {
        match self.language {
            Language::Json => toolc::__gen::indented(text, 0) + "\n",
            Language::TypeScript => text.to_owned(),
        }
    }

    /// Returns the name in the dialect of a tool with this name.
    pub fn name_of<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match self.language {
            Language::Json => Cow::Borrowed(name),
            Language::TypeScript => toolc::__gen::identifier(name),
        }
    }

    /// Returns its stated limits, for people to read.
    pub fn limits(&self) -> Vec<StatedLimit> {
        let Self { tool, extensions, code, request, search, schema, .. } = self;
        let all =
            [tool.stated(), extensions.stated(), code.stated(), request.stated(), search.stated(), schema.stated()];
        all.concat()
    }

    /// Returns whether the dialect accepts every schema that an author can write.
    pub fn accepts_any_schema(&self) -> bool {
        self.schema.stated().is_empty()
    }
}
