//! A tool, ready to be written in the shape of a dialect.

use serde_json::Value;
use toolc::behaviour::Annotations;
use toolc_tables::words;

use crate::conditional_json::CondJson;
use crate::schema::{Defs, Schema, Spelling};
use crate::text::atoms::{Template, When};

/// A tool as one dialect names and describes it, with schemas that the dialect accepts.
#[derive(Debug)]
pub struct ToolDefinition<'c> {
    /// The name of the tool in the dialect.
    pub name: &'c str,
    /// The title of the tool, if it has one.
    pub title: Option<&'c str>,
    /// The addresses of its pictures.
    pub icons: Vec<&'c str>,
    /// The description of the tool in the dialect.
    pub description: Template,
    /// The schema of its arguments.
    pub parameters: SchemaDocument<'c>,
    /// In which turns it has parameters, or `None` if in all.
    pub has_parameters: Option<When>,
    /// The schema of its results, if it can be expressed.
    pub returns: Option<SchemaDocument<'c>>,
    /// What it does to the world.
    pub annotations: Annotations,
    /// The fields of the dialect's [extensions](super::Extensions), in order.
    pub extensions: Vec<(Option<When>, String, CondJson)>,
    /// The format of its input, if that is plain text and the dialect has such tools.
    pub text_input: Option<TextInput<'c>>,
}

words! {
    /// What describes a text.
    pub enum Syntax {
        /// No language: any text.
        Text = "text",
        /// A grammar of the parser generator Lark.
        Lark = "lark",
        /// A regular expression in the syntax of the Rust crate `regex`, which must match the whole text.
        Regex = "regex",
    }
}

/// The format of a plain text.
#[derive(Debug, Clone, Copy)]
pub struct TextInput<'c> {
    /// What describes the text.
    pub syntax: Syntax,
    /// The grammar or the regular expression; empty for any text.
    pub definition: &'c str,
}

/// A schema with the definitions that it refers to.
#[derive(Debug)]
pub struct SchemaDocument<'c> {
    /// The schema.
    pub schema: std::borrow::Cow<'c, Schema>,
    /// The definitions.
    pub defs: std::borrow::Cow<'c, Defs>,
    /// How the dialect spells schemas.
    pub spelling: Spelling,
}

impl SchemaDocument<'_> {
    /// Returns the schema as JSON.
    pub fn json(&self) -> CondJson {
        self.defs.document_in(&self.schema, self.spelling)
    }
}

/// Returns an entry of a JSON object that is always present.
pub(super) fn entry(key: &str, value: CondJson) -> (Option<When>, String, CondJson) {
    (None, key.to_owned(), value)
}

/// Returns a JSON string.
pub(super) fn string(text: &str) -> CondJson {
    Value::from(text).into()
}
