//! From the schema that an author wrote to the one that a language takes: typed both, so that a parameter may be called
//! as any word is. What the language cannot say is said in words, and noted as a loss.
//!
//! Whatever the narrower schema allows, the reader of the arguments takes; where that is not so, there is a loss.

mod merge;
mod object;
mod pattern;
mod plain;
mod refs;
mod root;
mod text;
mod union;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::Value;
use toolc::__gen::table::Type;

use crate::diagnostic::{At, Place};
use crate::dialects::Dialect;
use crate::schema::{Choice, Def, DefId, Defs, Schema};
use crate::text::atoms::Template;

/// The most schemas that resolved `$ref`s may add to one tool.
const SPARE: usize = 1_000;

/// What a dialect does not say as the author did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Its place in the manifest.
    pub place: Place,
    /// Which value it is about: names of properties with a dot before each, `[]` for items.
    pub path: String,
    /// The word of JSON Schema that is concerned.
    pub keyword: &'static str,
    /// What became of it.
    pub fallback: Fallback,
}

/// What became of something that a language cannot say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// It is said in words, in the description.
    Description,
    /// The value is sent as a string that holds its JSON text, and repair reads it back.
    JsonText,
    /// It is not said, or some values cannot be sent.
    Dropped,
}

/// A schema in a language.
#[derive(Debug, Clone)]
pub struct Narrowed<'s> {
    /// The schema.
    pub schema: Cow<'s, Schema>,
    /// The definitions that it leads to.
    pub defs: Cow<'s, Defs>,
    /// The description of the whole schema.
    pub about: Template,
    /// What it does not say as the author did.
    pub losses: Vec<Loss>,
}

impl Narrowed<'_> {
    /// Every schema that is sent, definitions included.
    pub fn schemas(&self) -> Vec<&Schema> {
        let needed = self.defs.needed_by([&*self.schema]);
        let defs = self.defs.iter().filter(|(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
        [&*self.schema].into_iter().chain(defs).flat_map(Schema::walk).collect()
    }
}

/// Rewrites the schema of a tool's arguments into what a dialect accepts.
pub fn narrow<'s>(schema: &'s Schema, defs: &'s Defs, dialect: &'static Dialect) -> Narrowed<'s> {
    let has_plain_root = schema.in_place().next().is_none() || dialect.tool.root_keywords().is_none();
    let accepts = |name: &str| dialect.tool.parameter_name().is_none_or(|names| names.value.accepts(name));
    let has_accepted_names = schema.properties.iter().all(|property| accepts(&property.name.value));
    if dialect.accepts_any_schema() && has_accepted_names && has_plain_root {
        return as_written(schema, defs);
    }
    let mut narrower = Narrower::new(schema, defs, dialect);
    let (root, about) = narrower.root(schema.clone());
    narrower.finish(root, about)
}

/// Rewrites the schema of a tool's result into what a dialect accepts.
pub fn narrow_result<'s>(schema: &'s Schema, defs: &'s Defs, dialect: &'static Dialect) -> Narrowed<'s> {
    if dialect.accepts_any_schema() {
        return as_written(schema, defs);
    }
    let mut narrower = Narrower::new(schema, defs, dialect);
    let root = narrower.schema(schema.clone()).schema;
    narrower.finish(root, Template::new())
}

fn as_written<'s>(schema: &'s Schema, defs: &'s Defs) -> Narrowed<'s> {
    Narrowed { schema: Cow::Borrowed(schema), defs: Cow::Borrowed(defs), about: Template::new(), losses: Vec::new() }
}

struct Narrower<'s> {
    dialect: &'static Dialect,
    defs: &'s Defs,
    /// Whether each definition is recursive.
    recursive: Vec<bool>,
    /// The definitions that are being written in place of a `$ref`.
    inlined: Vec<DefId>,
    /// Whether the runtime's reader repairs values here: not below `allOf`.
    reads_texts: bool,
    depth: usize,
    /// How many schemas there may still be.
    left: usize,
    path: String,
    losses: Vec<Loss>,
}

/// A schema, and whether it is one of strings that hold JSON text.
struct Narrow {
    schema: Schema,
    is_text: bool,
}

impl From<Schema> for Narrow {
    fn from(schema: Schema) -> Self {
        Self { schema, is_text: false }
    }
}

impl<'s> Narrower<'s> {
    fn new(schema: &Schema, defs: &'s Defs, dialect: &'static Dialect) -> Self {
        let own = schema.walk().len() + defs.iter().map(|(_, def)| def.schema.walk().len()).sum::<usize>();
        Self {
            dialect,
            defs,
            recursive: defs.iter().map(|(id, def)| defs.needed_by([&def.schema])[id.0]).collect(),
            inlined: Vec::new(),
            reads_texts: true,
            depth: 0,
            left: 2 * own + SPARE,
            path: String::new(),
            losses: Vec::new(),
        }
    }

    /// With the definitions that it leads to in the same language.
    fn finish(mut self, root: Schema, about: Template) -> Narrowed<'s> {
        if self.dialect.accepts_any_schema() {
            let (schema, defs) = (Cow::Owned(root), Cow::Borrowed(self.defs));
            return Narrowed { schema, defs, about, losses: self.losses };
        }
        let mut defs: Vec<Option<Def>> = vec![None; self.defs.len()];
        let mut pending = references(&root);
        while let Some(id) = pending.pop() {
            if defs[id.0].is_none() {
                let def = self.defs.get(id);
                self.path = format!("$defs.{}", def.name.value);
                let schema = self.schema(def.schema.clone()).schema;
                pending.extend(references(&schema));
                defs[id.0] = Some(Def { name: def.name.clone(), schema });
            }
        }
        let defs = defs.into_iter().zip(self.defs.iter()).map(|(narrow, (_, def))| {
            narrow.unwrap_or_else(|| Def { name: def.name.clone(), schema: Schema::new(def.schema.place) })
        });
        Narrowed { schema: Cow::Owned(root), defs: Cow::Owned(Defs::new(defs.collect())), about, losses: self.losses }
    }

    /// Any schema in the language.
    fn schema(&mut self, given: Schema) -> Narrow {
        let mut narrow = self.scoped(|narrower| narrower.part(given));
        if !self.accepts_null() && narrow.schema.types == [Type::Null] {
            // The string `null` is read as null if only null is allowed.
            self.leave(&narrow.schema, "null");
            narrow.schema.types = vec![Type::String];
            let word = At::new(Value::from("null"), narrow.schema.place);
            narrow.schema.choices = vec![Choice { value: word, when: None }];
        }
        narrow
    }

    /// The same for an alternative of a union, which may be null in any language.
    fn part(&mut self, given: Schema) -> Narrow {
        match self.flat(given) {
            Ok(flat) => self.shaped(flat),
            Err(given) => self.cut(&given),
        }
    }

    /// Runs `narrow` and restores the context afterwards.
    fn scoped<T>(&mut self, narrow: impl FnOnce(&mut Self) -> T) -> T {
        let (inlined, reads_texts) = (self.inlined.len(), self.reads_texts);
        self.depth += 1;
        let narrowed = narrow(self);
        self.depth -= 1;
        self.inlined.truncate(inlined);
        self.reads_texts = reads_texts;
        narrowed
    }

    /// What is below a value: `step` leads there.
    fn below<T>(&mut self, step: &str, narrow: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(step);
        let narrowed = narrow(self);
        self.path.truncate(length);
        narrowed
    }

    /// A schema that is not put together of others: a `$ref` alone, a union, or words.
    fn shaped(&mut self, mut schema: Schema) -> Narrow {
        if schema.reference.is_some() {
            let is_text = schema.reference.as_ref().is_some_and(|to| self.is_open(&self.defs.get(to.to).schema, 0));
            return Narrow { schema, is_text };
        }
        if !schema.one_of.is_empty() && !self.accepts("oneOf") {
            self.one_of(&mut schema);
        }
        if schema.any_of.is_empty() { self.plain(schema) } else { self.union(schema) }
    }

    /// Whether schemas may contain a keyword.
    fn accepts(&self, keyword: &str) -> bool {
        self.dialect.schema.keywords().is_none_or(|keywords| keywords.value.contains(&keyword))
    }

    /// Whether a schema may allow null.
    fn accepts_null(&self) -> bool {
        self.dialect.schema.null().is_none()
    }

    /// Whether `type` may be a list.
    fn accepts_type_lists(&self) -> bool {
        self.dialect.schema.type_lists().is_none()
    }

    /// Whether null may be one of the types of a schema. If not, it is an alternative of a union.
    fn lists_null(&self) -> bool {
        self.accepts_type_lists() || self.dialect.spelling.openapi
    }

    /// Notes a loss.
    fn lose(&mut self, place: Place, keyword: &'static str, fallback: Fallback) {
        self.losses.push(Loss { place, path: self.path.clone(), keyword, fallback });
    }

    /// Whether a schema may be written out within words, of which there may only be so many.
    fn room_for(&mut self, schema: &Schema) -> bool {
        let needed = self.defs.needed_by([schema]);
        let defs = self.defs.iter().filter(|(id, _)| needed[id.0]);
        let size = schema.walk().len() + defs.map(|(_, def)| def.schema.walk().len()).sum::<usize>();
        let left = self.left.checked_sub(size);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// The definitions to which a schema leads by itself.
fn references(schema: &Schema) -> Vec<DefId> {
    schema.walk().into_iter().filter_map(|schema| Some(schema.reference.as_ref()?.to)).collect()
}
