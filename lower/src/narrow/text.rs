//! Values for which a dialect has no schema are sent as strings with their JSON text. The runtime parses the text when it repairs
//! the arguments, unless the schema of the manifest allows strings too.

use toolc::__gen::table::Type;

use super::{Fallback, NarrowSchema, Narrower};
use crate::prose::json_prose;
use crate::schema::{Additional, Schema};
use crate::text::atoms::Template;
use crate::text::template::Piece;

const SCALARS: [Type; 4] = [Type::String, Type::Number, Type::Boolean, Type::Null];

impl Narrower<'_> {
    /// Replaces a schema by that of a string with the JSON text of the value. `keyword` is the one that the dialect does not support.
    pub(super) fn narrow_to_json_text(&mut self, given: &Schema, keyword: &'static str) -> NarrowSchema {
        let fallback = if self.is_repaired { Fallback::JsonText } else { Fallback::Dropped };
        self.record_loss(given.keyword_place(keyword), keyword, fallback);
        let mut schema = Schema::new(given.place);
        schema.types = vec![Type::String];
        let is_nullable = self.accepts_null() && self.allows_type(given, Type::Null);
        if is_nullable && self.lists_null() {
            schema.types.push(Type::Null);
        }
        schema.title.clone_from(&given.title);
        schema.description.clone_from(&given.description);
        (schema.deprecated, schema.default, schema.examples) =
            (given.deprecated, given.default.clone(), given.examples.clone());
        let description = self.json_text_description(given);
        schema.add_description(description);
        self.narrow_annotations(&mut schema, true);
        if is_nullable && !self.lists_null() {
            let mut null = Schema::new(given.place);
            null.types = vec![Type::Null];
            let text = NarrowSchema { schema, is_json_text: true };
            return self.combine_alternatives(Schema::new(given.place), vec![text, null.into()]);
        }
        NarrowSchema { schema, is_json_text: true }
    }

    /// Returns the sentence that asks for JSON text, with the schema of the value if it has one.
    fn json_text_description(&mut self, given: &Schema) -> Template {
        let types: Vec<Type> = Type::ALL.into_iter().filter(|ty| self.allows_type(given, *ty)).collect();
        let noun = match types.as_slice() {
            [Type::Object] | [Type::Null, Type::Object] => "object",
            [Type::Array] | [Type::Null, Type::Array] => "array",
            _ => "value",
        };
        let lead = format!("Write a JSON {noun}, as text");
        let is_any = given.reference.is_none()
            && given.in_place().next().is_none()
            && given.properties.is_empty()
            && given.bounds.iter().next().is_none()
            && matches!(given.additional, Additional::Allow | Additional::Unstated);
        if is_any {
            return vec![Piece::Text(format!("{lead}."))];
        }
        let without_annotations = Schema {
            title: None,
            description: None,
            default: None,
            examples: Vec::new(),
            deprecated: false,
            ..given.clone()
        };
        if self.take_budget_for(&without_annotations) {
            return json_prose(
                &format!("{lead}, that matches this JSON Schema"),
                self.defs.document(&without_annotations).json(),
            );
        }
        self.record_dropped(given, "properties");
        vec![Piece::Text(format!("{lead}."))]
    }

    /// Narrows a schema that is nested too deeply, or contains itself: to JSON text if the value cannot be another string, else to
    /// its scalar types.
    pub(super) fn narrow_too_deep(&mut self, given: &Schema) -> NarrowSchema {
        let is_recursive = given.reference.as_ref().is_some_and(|reference| self.recursive[reference.to.0]);
        let keyword = if is_recursive { "$ref" } else { "additionalProperties" };
        if !self.allows_type(given, Type::String) {
            return self.narrow_to_json_text(given, keyword);
        }
        self.record_dropped(given, keyword);
        let mut schema = Schema::new(given.place);
        schema.types = SCALARS.into_iter().filter(|ty| self.allows_type(given, *ty)).collect();
        schema.title.clone_from(&given.title);
        schema.description.clone_from(&given.description);
        self.narrow_plain(schema)
    }

    /// Returns `lead` followed by the schema as JSON; empty if the budget is too small.
    pub(super) fn describe_schema(&mut self, schema: &Schema, lead: &str) -> Template {
        if self.take_budget_for(schema) { json_prose(lead, self.defs.document(schema).json()) } else { Template::new() }
    }

    /// Returns whether a schema may allow values of a type: see [`Defs::allows_type`](crate::schema::Defs::allows_type).
    pub(super) fn allows_type(&self, schema: &Schema, ty: Type) -> bool {
        self.defs.allows_type(schema, ty)
    }
}
