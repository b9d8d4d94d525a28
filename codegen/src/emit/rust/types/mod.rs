//! The arguments and the result of a tool as Rust types: a struct for every object, an enum for every enum of strings and for every
//! union whose alternatives can be distinguished. A definition is one type, whatever the number of `$ref`s to it.

mod items;
mod recursion;
mod values;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use serde_json::Value;
use toolc::__gen::table::SlotKind;
use toolc_lower::schema::{Additional, Alternative, Defs, Property, Schema};

use crate::catalog::{Tool, TurnValues};
use crate::lower;
use crate::names::{Meaning, Scope, pascal, path_word, plain, snake, variants};

/// Returns `Args`, `Returns` if the tool has a typed result, and every type that they need. `is_sent`: the arguments are sent to a
/// program, from which the result is read.
pub(super) fn emit(tool: &Tool, values: &TurnValues, is_sent: bool) -> TokenStream {
    let manifest = &tool.manifest;
    let defs = &manifest.defs;
    // The names that the generated code uses in this scope.
    let scope = Scope::with(&["Box", "From", "None", "Option", "Self", "Some", "String", "Vec"]);
    let mut types = Types { values, defs, scope, items: Vec::new(), def_items: vec![None; defs.len()] };

    let args = types.reserve(pascal(&["args"]), format!("The arguments of `{}`.", tool.name()));
    let returns = manifest.returns.as_ref().map(|schema| {
        let about = format!("The result of `{}`.", tool.name());
        (types.reserve(pascal(&["returns"]), about), schema)
    });
    let reachable = defs.reachable_from([&manifest.params].into_iter().chain(&manifest.returns));
    for (id, def) in defs.iter().filter(|(id, _)| reachable[id.0]) {
        types.def_items[id.0] = Some(types.reserve(pascal(&[&def.name.value]), String::new()));
    }
    let root = types.structure(&manifest.params, &[], None);
    types.items[args].kind = Kind::Struct(root);
    if let Some((id, schema)) = returns {
        types.fill(id, schema, &["returns"]);
    }
    for (id, def) in defs.iter().filter(|(id, _)| reachable[id.0]) {
        types.fill(types.def_items[id.0].unwrap_or_default(), &def.schema, &[&def.name.value]);
    }

    types.end_recursion();
    types.mark(args, |item| &mut item.is_read);
    if let Some((id, _)) = returns {
        types.mark(id, |item| &mut item.is_written);
        if is_sent {
            types.mark(id, |item| &mut item.is_read);
        }
    }
    if is_sent {
        types.mark(args, |item| &mut item.is_written);
    }
    let (arguments, others) = (types.arguments(args), types.items.iter().skip(1).map(|item| types.definition(item)));
    quote!(#arguments #(#others)*)
}

/// The types of a tool.
struct Types<'s> {
    values: &'s TurnValues,
    defs: &'s Defs,
    scope: Scope,
    items: Vec<Item<'s>>,
    /// The item of each definition that is used, without null.
    def_items: Vec<Option<ItemId>>,
}

/// The index of an [`Item`].
type ItemId = usize;

/// A named type.
struct Item<'s> {
    name: Ident,
    about: String,
    kind: Kind<'s>,
    /// Whether the type is read from slots: whether the arguments contain it.
    is_read: bool,
    /// Whether the type is written as JSON: whether the result contains it.
    is_written: bool,
}

enum Kind<'s> {
    /// An enum of strings: each word with its variant.
    Choice(Vec<(String, Ident)>),
    Struct(Struct),
    /// An enum with values.
    Union(Vec<Variant<'s>>),
    /// A type alias.
    Alias(Rust),
    /// A struct with one field, which replaces an alias of itself.
    Wrapper(Rust),
}

struct Struct {
    fields: Vec<Field>,
    /// The tag, which is not a field because the enclosing variant determines its value.
    tag: Option<Tag>,
    /// The field for undeclared properties.
    rest: Option<(Ident, Rust)>,
}

/// The property that identifies the alternative of a union.
struct Tag {
    /// The index among the properties.
    index: usize,
    name: String,
    value: Value,
}

/// A field of a struct.
struct Field {
    /// The index of the property among the properties.
    index: usize,
    name: Ident,
    /// The name of the property in JSON.
    json: String,
    about: String,
    rust: Rust,
    presence: Presence,
    /// Whether the type is wrapped in `Secret`.
    secret: bool,
}

/// The value of a field if the property was not sent.
enum Presence {
    /// The property is always sent.
    Required,
    /// The field has this value.
    Default(Value),
    /// The field is `None`.
    Optional,
}

/// A variant of an enum with values.
struct Variant<'s> {
    name: Ident,
    about: String,
    /// The value, or `None` if the variant determines it.
    rust: Option<Rust>,
    alternative: Alternative<'s>,
}

/// A Rust type.
enum Rust {
    Bool,
    Integer,
    Number,
    Text,
    List(Box<Rust>),
    Map(Box<Rust>),
    Json,
    /// An `Option`, whose `None` is null.
    Nullable(Box<Rust>),
    /// A named type, in a `Box` if the type around it would otherwise be infinitely large.
    Item {
        id: ItemId,
        boxed: bool,
    },
}

impl<'s> Types<'s> {
    /// Adds an item whose kind is set later.
    fn reserve(&mut self, name: Ident, about: String) -> ItemId {
        let name = self.scope.claim(name);
        self.items.push(Item { name, about, kind: Kind::Alias(Rust::Json), is_read: false, is_written: false });
        self.items.len() - 1
    }

    /// Sets the kind of a reserved item to the type of `schema`, without null if the item is a definition.
    fn fill(&mut self, id: ItemId, schema: &'s Schema, path: &[&str]) {
        let about = self.about(schema);
        if !about.is_empty() {
            self.items[id].about = about;
        }
        let is_def = self.def_items.contains(&Some(id));
        let rust = if is_def || !self.defs.is_nullable(schema) {
            self.rust(schema, path, Some(id))
        } else {
            self.rust(schema, &[path, &["value"]].concat(), None)
        };
        let rust = match rust {
            Rust::Nullable(inner) if is_def => *inner,
            rust => rust,
        };
        if !matches!(rust, Rust::Item { id: same, .. } if same == id) {
            self.items[id].kind = Kind::Alias(rust);
        }
    }

    /// Returns the type of a schema. If it needs a named type, that is the item `reserved`, or a new one.
    fn rust(&mut self, schema: &'s Schema, path: &[&str], reserved: Option<ItemId>) -> Rust {
        let form = self.defs.slot_kind(schema);
        let resolved = self.defs.resolve(schema);
        let rust = match resolved.via.and_then(|def| self.def_items[def.0]) {
            Some(id) => Rust::Item { id, boxed: false },
            None => self.non_null_type(resolved.schema, form, path, reserved),
        };
        if form != SlotKind::Value && self.defs.is_nullable(schema) { Rust::Nullable(Box::new(rust)) } else { rust }
    }

    /// Returns the type of a resolved schema without null.
    fn non_null_type(&mut self, schema: &'s Schema, form: SlotKind, path: &[&str], reserved: Option<ItemId>) -> Rust {
        let inner_type = |types: &mut Self, schema: Option<&'s Schema>, word: &str| {
            Box::new(schema.map_or(Rust::Json, |schema| types.rust(schema, &[path, &[word]].concat(), None)))
        };
        match form {
            SlotKind::Boolean => Rust::Bool,
            SlotKind::Integer => Rust::Integer,
            SlotKind::Number => Rust::Number,
            SlotKind::String => Rust::Text,
            SlotKind::Value => Rust::Json,
            SlotKind::Array => Rust::List(inner_type(self, schema.items.as_deref(), "item")),
            SlotKind::Map => Rust::Map(inner_type(self, additional_schema(schema), "value")),
            SlotKind::Choice => self.item(schema, path, reserved, |_| Kind::Choice(choices(schema))),
            SlotKind::Union => self.item(schema, path, reserved, |types| Kind::Union(types.variants(schema, path))),
            SlotKind::Object => {
                self.item(schema, path, reserved, |types| Kind::Struct(types.structure(schema, path, None)))
            }
        }
    }

    /// Returns a named type. Its name is claimed before the names of nested types.
    fn item(
        &mut self,
        schema: &Schema,
        path: &[&str],
        reserved: Option<ItemId>,
        kind: impl FnOnce(&mut Self) -> Kind<'s>,
    ) -> Rust {
        let id = if let Some(id) = reserved {
            self.items[id].kind = kind(self);
            id
        } else {
            let (name, about) = (self.scope.claim(pascal(path)), self.about(schema));
            let kind = kind(self);
            self.items.push(Item { name, about, kind, is_read: false, is_written: false });
            self.items.len() - 1
        };
        Rust::Item { id, boxed: false }
    }

    fn about(&self, schema: &Schema) -> String {
        schema.description.as_ref().map(|text| self.values.text(&text.value)).unwrap_or_default()
    }

    /// Returns the struct of an object. `tag` is the property whose value the enclosing variant determines.
    fn structure(&mut self, schema: &'s Schema, path: &[&str], tag: Option<(&str, &Value)>) -> Struct {
        let mut fields = Vec::new();
        let mut found = None;
        for (index, property) in schema.properties.iter().enumerate() {
            match tag {
                Some((name, value)) if name == property.name.value => {
                    found = Some(Tag { index, name: name.to_owned(), value: value.clone() });
                }
                _ => fields.push(self.field(index, property, path)),
            }
        }
        let rest = matches!(schema.additional, Additional::Allow | Additional::Schema(_)).then(|| {
            let names: Vec<String> = fields.iter().map(|field| plain(&field.name)).collect();
            let mut scope = Scope::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
            let values = additional_schema(schema).map(|values| self.rust(values, &[path, &["rest"]].concat(), None));
            (scope.claim(snake("rest")), values.unwrap_or(Rust::Json))
        });
        Struct { fields, tag: found, rest }
    }

    fn field(&mut self, index: usize, property: &'s Property, path: &[&str]) -> Field {
        let schema = &property.schema;
        let path = [path, &[property.name.value.as_str()]].concat();
        Field {
            index,
            name: snake(&property.name.value),
            json: property.name.value.clone(),
            about: self.about(schema),
            rust: self.rust(schema, &path, None),
            secret: property.secret,
            presence: match &schema.default {
                _ if property.required => Presence::Required,
                Some(default) => Presence::Default(default.value.clone()),
                None => Presence::Optional,
            },
        }
    }

    fn variants(&mut self, schema: &'s Schema, path: &[&str]) -> Vec<Variant<'s>> {
        let union = self.defs.union(schema).unwrap_or_default();
        let meanings: Vec<Meaning> = union.iter().map(|alternative| self.meaning(*alternative)).collect();
        let names = variants(&meanings);
        let all = union.into_iter().zip(meanings.iter().zip(names));
        all.map(|(alternative, (meaning, name))| self.variant(alternative, &meaning.word, name, path)).collect()
    }

    /// Returns what an alternative's variant is named after: its tag, its definition or its type.
    fn meaning(&self, alternative: Alternative<'_>) -> Meaning {
        match (alternative.tag, self.defs.resolve(alternative.schema).via) {
            (Some((_, Value::String(word))), _) => Meaning::new(word),
            (Some((_, value)), _) => Meaning { word: value.to_string(), id: value.to_string() },
            (None, Some(def)) => {
                let word = self.defs.get(def).name.value.clone();
                Meaning { id: format!("#/$defs/{word}"), word }
            }
            (None, None) => {
                let word = alternative.ty.name().to_owned();
                Meaning { id: format!("of type {word}"), word }
            }
        }
    }

    fn variant(&mut self, alternative: Alternative<'s>, word: &str, name: Ident, path: &[&str]) -> Variant<'s> {
        let word_in_path = path_word(word, &name);
        let path = [path, &[word_in_path.as_str()]].concat();
        let rust = self.variant_type(alternative, &path).map(|rust| match rust {
            Rust::Nullable(inner) => *inner,
            rust => rust,
        });
        let about = match alternative.tag {
            Some(_) => format!("`{word}`"),
            None => format!("Of type {}.", alternative.ty.name()),
        };
        Variant { name, about, rust, alternative }
    }

    /// Returns the type of an alternative, or `None` if it has no properties besides its tag. The type omits the tag unless it is a
    /// definition, which other schemas can refer to.
    fn variant_type(&mut self, alternative: Alternative<'s>, path: &[&str]) -> Option<Rust> {
        let resolved = self.defs.resolve(alternative.schema);
        let Some(tag) = alternative.tag.filter(|_| resolved.via.is_none()) else {
            return Some(self.rust(alternative.schema, path, None));
        };
        if resolved.schema.properties.len() == 1 && matches!(resolved.schema.additional, Additional::Deny) {
            return None;
        }
        Some(self.item(alternative.schema, path, None, |types| {
            Kind::Struct(types.structure(resolved.schema, path, Some(tag)))
        }))
    }

    /// Sets a flag of an item and of all items that it contains.
    fn mark(&mut self, from: ItemId, flag: for<'i> fn(&'i mut Item<'s>) -> &'i mut bool) {
        let mut pending = vec![from];
        while let Some(id) = pending.pop() {
            if !std::mem::replace(flag(&mut self.items[id]), true) {
                self.items[id].parts().into_iter().for_each(|part| part.items(&mut pending));
            }
        }
    }
}

impl Item<'_> {
    /// Returns the types that the item contains.
    fn parts(&self) -> Vec<&Rust> {
        match &self.kind {
            Kind::Choice(_) => Vec::new(),
            Kind::Struct(Struct { fields, rest, .. }) => {
                fields.iter().map(|field| &field.rust).chain(rest.iter().map(|(_, rust)| rust)).collect()
            }
            Kind::Union(variants) => variants.iter().filter_map(|variant| variant.rust.as_ref()).collect(),
            Kind::Alias(rust) | Kind::Wrapper(rust) => vec![rust],
        }
    }
}

impl Rust {
    /// Appends the items that the type contains.
    fn items(&self, out: &mut Vec<ItemId>) {
        match self {
            Rust::Item { id, .. } => out.push(*id),
            Rust::List(inner) | Rust::Map(inner) | Rust::Nullable(inner) => inner.items(out),
            Rust::Bool | Rust::Integer | Rust::Number | Rust::Text | Rust::Json => {}
        }
    }
}

/// Returns the strings of an enum, each with its variant.
fn choices(schema: &Schema) -> Vec<(String, Ident)> {
    let words: Vec<&str> = lower::enum_values(schema).into_iter().filter_map(|(value, _)| value.as_str()).collect();
    let names = variants(&words.iter().map(|word| Meaning::new(word)).collect::<Vec<_>>());
    words.into_iter().map(str::to_owned).zip(names).collect()
}

/// Returns the schema of the undeclared properties of an object, if there is one.
fn additional_schema(schema: &Schema) -> Option<&Schema> {
    match &schema.additional {
        Additional::Schema(schema) => Some(schema),
        Additional::Deny | Additional::Allow | Additional::Unstated => None,
    }
}
