//! Narrowing: rewrites the schema of a manifest into the subset of JSON Schema that a dialect accepts.
//!
//! [`narrow`] begins at the root, which has rules of its own ([`root`]). Every other schema passes these steps:
//!
//! 1. `flatten` ([`refs`]) merges the `allOf` schemas and inlines `$ref`s, unless the dialect accepts the `$ref`. It fails for a
//!    schema that is nested too deeply or contains itself: `narrow_too_deep` ([`text`]) replaces that one by JSON text.
//! 2. `narrow_flat` turns `oneOf` into `anyOf` if the dialect has no `oneOf`. It then calls step 3 or 4.
//! 3. `narrow_union` ([`union`]), for a schema with `anyOf`, merges the sibling keywords into each alternative ([`merge`]), takes
//!    the alternative through all steps, and combines the results.
//! 4. `narrow_plain` ([`plain`]), for any other schema, gives it explicit types. A schema with several types that the dialect cannot
//!    list becomes a union with a schema for each type.
//! 5. `narrow_single` ([`plain`]) handles a schema of one type: an unsupported open object becomes JSON text ([`text`]), then the
//!    enum, the items and properties (from step 1), the bounds and the annotations are narrowed.
//!
//! A dialect that accepts every keyword may still refuse details, which [`details`] replaces.
//!
//! The definitions that the result still refers to are narrowed last. A keyword that the dialect does not support is moved to the
//! description, or dropped; either is recorded as a [`Loss`]. The runtime accepts every value that a narrowed schema allows, unless
//! a loss is recorded.

mod details;
mod ignored;
mod merge;
mod object;
mod pattern;
mod plain;
mod refs;
mod root;
mod text;
mod union;

pub use details::refuses_json;
pub use ignored::text_constraints;

use std::borrow::Cow;

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_tables::diagnostic::{At, Place};

use crate::dialects::Dialect;
use crate::schema::{Choice, Def, DefId, Defs, Schema};
use crate::text::atoms::Template;

/// The number of schemas that inlined `$ref`s may add to a tool, besides one copy of each of its schemas.
const EXTRA_SCHEMAS: usize = 1_000;

/// A keyword that a dialect does not express as the author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The place in the manifest.
    pub place: Place,
    /// The path of the value: a dot and the name for a property, `[]` for the items of an array, such as `.files[].path`.
    pub path: String,
    /// The keyword of JSON Schema.
    pub keyword: &'static str,
    /// What replaces the keyword.
    pub fallback: Fallback,
}

/// What replaces a keyword that a dialect does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// A sentence in the description.
    Description,
    /// The value is sent as a string with its JSON text, which the runtime parses when it repairs the arguments.
    JsonText,
    /// Nothing: the keyword is dropped, or some values cannot be sent.
    Dropped,
}

/// A schema in the subset of a dialect.
#[derive(Debug, Clone)]
pub struct Narrowed<'s> {
    /// The schema.
    pub schema: Cow<'s, Schema>,
    /// The definitions of the tool. Those that the schema reaches are narrowed.
    pub defs: Cow<'s, Defs>,
    /// Sentences about all arguments together, for the description of the tool.
    pub about: Template,
    /// What the schema does not express as the author wrote it.
    pub losses: Vec<Loss>,
}

impl Narrowed<'_> {
    /// Returns every schema that is sent, including those of definitions.
    pub fn schemas(&self) -> Vec<&Schema> {
        let needed = self.defs.reachable_from([&*self.schema]);
        let defs = self.defs.iter().filter(|(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
        [&*self.schema].into_iter().chain(defs).flat_map(Schema::walk).collect()
    }
}

/// Narrows the schema of a tool's arguments to the subset of a dialect.
pub fn narrow<'s>(schema: &'s Schema, defs: &'s Defs, dialect: &'static Dialect) -> Narrowed<'s> {
    let is_plain = schema.in_place().next().is_none() && schema.reference.is_none() && schema.others.is_empty();
    let has_plain_root =
        (is_plain && schema.choices.is_empty() && schema.constant.is_none()) || dialect.tool.root_keywords().is_none();
    let accepts = |name: &str| dialect.tool.parameter_name().is_none_or(|names| names.value.accepts(name));
    let has_accepted_names = schema.properties.iter().all(|property| accepts(&property.name.value));
    let has_refused_details =
        details::refuses(dialect, schema) || defs.iter().any(|(_, def)| details::refuses(dialect, &def.schema));
    if dialect.accepts_any_schema() && has_accepted_names && has_plain_root && !has_refused_details {
        return unchanged(schema, defs);
    }
    let mut narrower = Narrower::new(schema, defs, dialect);
    let (root, about) = narrower.narrow_root(schema.clone());
    narrower.finish(root, about)
}

/// Narrows the schema of a tool's result to the subset of a dialect.
pub fn narrow_result<'s>(schema: &'s Schema, defs: &'s Defs, dialect: &'static Dialect) -> Narrowed<'s> {
    if dialect.accepts_any_schema() {
        return unchanged(schema, defs);
    }
    let mut narrower = Narrower::new(schema, defs, dialect);
    let root = narrower.narrow_schema(schema.clone()).schema;
    narrower.finish(root, Template::new())
}

fn unchanged<'s>(schema: &'s Schema, defs: &'s Defs) -> Narrowed<'s> {
    Narrowed { schema: Cow::Borrowed(schema), defs: Cow::Borrowed(defs), about: Template::new(), losses: Vec::new() }
}

/// The state of narrowing one tool for one dialect.
struct Narrower<'s> {
    dialect: &'static Dialect,
    /// The definitions of the tool, as written.
    defs: &'s Defs,
    /// Whether each definition contains itself.
    recursive: Vec<bool>,
    /// The definitions that are inlined around the current schema.
    inlined: Vec<DefId>,
    /// Whether the runtime repairs the current value: not below `allOf`.
    is_repaired: bool,
    /// The nesting depth of the current schema.
    depth: usize,
    /// The number of schemas that may still be written, inlined or quoted in descriptions.
    budget: usize,
    /// The path of the current value: see [`Loss::path`].
    path: String,
    /// The number of values that contain the current one, the arguments included.
    level: usize,
    losses: Vec<Loss>,
}

/// A narrowed schema.
struct NarrowSchema {
    schema: Schema,
    /// Whether the value is a string with JSON text.
    is_json_text: bool,
}

impl From<Schema> for NarrowSchema {
    fn from(schema: Schema) -> Self {
        Self { schema, is_json_text: false }
    }
}

impl<'s> Narrower<'s> {
    fn new(schema: &Schema, defs: &'s Defs, dialect: &'static Dialect) -> Self {
        let count = schema.walk().len() + defs.iter().map(|(_, def)| def.schema.walk().len()).sum::<usize>();
        Self {
            dialect,
            defs,
            recursive: defs.iter().map(|(id, def)| defs.reachable_from([&def.schema])[id.0]).collect(),
            inlined: Vec::new(),
            is_repaired: true,
            depth: 0,
            budget: 2 * count + EXTRA_SCHEMAS,
            path: String::new(),
            level: 0,
            losses: Vec::new(),
        }
    }

    /// Narrows the definitions that `root` refers to, and returns the result.
    fn finish(mut self, root: Schema, about: Template) -> Narrowed<'s> {
        if self.dialect.accepts_any_schema() {
            let (root, defs) = self.accept_document(root);
            let defs = defs.map_or(Cow::Borrowed(self.defs), Cow::Owned);
            return Narrowed { schema: Cow::Owned(root), defs, about, losses: self.losses };
        }
        let mut defs: Vec<Option<Def>> = vec![None; self.defs.len()];
        let mut pending = references(&root);
        while let Some(id) = pending.pop() {
            if defs[id.0].is_none() {
                let def = self.defs.get(id);
                self.path = format!("$defs.{}", def.name.value);
                let schema = self.narrow_schema(def.schema.clone()).schema;
                pending.extend(references(&schema));
                defs[id.0] = Some(Def { name: def.name.clone(), schema });
            }
        }
        let defs = defs.into_iter().zip(self.defs.iter()).map(|(narrow, (_, def))| {
            narrow.unwrap_or_else(|| Def { name: def.name.clone(), schema: Schema::new(def.schema.place) })
        });
        Narrowed { schema: Cow::Owned(root), defs: Cow::Owned(Defs::new(defs.collect())), about, losses: self.losses }
    }

    /// Narrows a schema other than the root or an alternative of a union.
    fn narrow_schema(&mut self, schema: Schema) -> NarrowSchema {
        let mut narrow = self.scoped(|narrower| narrower.narrow_alternative(schema));
        if !self.accepts_null() && narrow.schema.types == [Type::Null] {
            // The string `null` is read as null if only null is allowed.
            self.record_dropped(&narrow.schema, "null");
            narrow.schema.types = vec![Type::String];
            let null = At::new(Value::from("null"), narrow.schema.place);
            narrow.schema.choices = vec![Choice { value: null, when: None }];
        }
        narrow
    }

    /// Narrows an alternative of a union. It may be null in every dialect: `combine_nulls` decides about it.
    fn narrow_alternative(&mut self, schema: Schema) -> NarrowSchema {
        match self.flatten(schema) {
            Ok(flat) => self.narrow_flat(flat),
            Err(schema) => self.narrow_too_deep(&schema),
        }
    }

    /// Runs `narrow` and restores the context afterwards.
    fn scoped<T>(&mut self, narrow: impl FnOnce(&mut Self) -> T) -> T {
        let (inlined, is_repaired) = (self.inlined.len(), self.is_repaired);
        self.depth += 1;
        let narrowed = narrow(self);
        self.depth -= 1;
        self.inlined.truncate(inlined);
        self.is_repaired = is_repaired;
        narrowed
    }

    /// Runs `narrow` for a value inside the current one; `step` is appended to the path.
    fn at_path<T>(&mut self, step: &str, narrow: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(step);
        self.level += 1;
        let narrowed = narrow(self);
        self.level -= 1;
        self.path.truncate(length);
        narrowed
    }

    /// Narrows a schema that has no `allOf`, and no `$ref` unless the dialect accepts it.
    fn narrow_flat(&mut self, mut schema: Schema) -> NarrowSchema {
        if schema.reference.is_some() {
            let is_json_text =
                schema.reference.as_ref().is_some_and(|to| self.is_open(&self.defs.get(to.to).schema, 0));
            return NarrowSchema { schema, is_json_text };
        }
        if !schema.one_of.is_empty() && !self.accepts("oneOf") {
            self.replace_one_of(&mut schema);
        }
        if schema.any_of.is_empty() { self.narrow_plain(schema) } else { self.narrow_union(schema) }
    }

    /// Returns whether schemas may contain a keyword.
    fn accepts(&self, keyword: &str) -> bool {
        self.dialect.schema.keywords().is_none_or(|keywords| keywords.value.contains(&keyword))
    }

    /// Returns whether a schema may allow null.
    fn accepts_null(&self) -> bool {
        self.dialect.schema.null().is_none()
    }

    /// Returns whether `type` may be a list.
    fn accepts_type_lists(&self) -> bool {
        self.dialect.schema.type_lists().is_none()
    }

    /// Returns whether null may be one of the types of a schema. If not, it is an alternative of a union.
    fn lists_null(&self) -> bool {
        self.accepts_type_lists() || self.dialect.spelling.openapi
    }

    /// Records a loss at the current path.
    fn record_loss(&mut self, place: Place, keyword: &'static str, fallback: Fallback) {
        self.losses.push(Loss { place, path: self.path.clone(), keyword, fallback });
    }

    /// Takes the schema and the definitions that it reaches from the budget. Returns false, and takes nothing, if the budget is too
    /// small.
    fn take_budget_for(&mut self, schema: &Schema) -> bool {
        let needed = self.defs.reachable_from([schema]);
        let defs = self.defs.iter().filter(|(id, _)| needed[id.0]);
        let size = schema.walk().len() + defs.map(|(_, def)| def.schema.walk().len()).sum::<usize>();
        let Some(budget) = self.budget.checked_sub(size) else { return false };
        self.budget = budget;
        true
    }
}

/// Returns the definitions to which a schema refers directly.
fn references(schema: &Schema) -> Vec<DefId> {
    schema.walk().into_iter().filter_map(|schema| Some(schema.reference.as_ref()?.to)).collect()
}
