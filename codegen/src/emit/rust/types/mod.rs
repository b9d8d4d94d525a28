//! A tool's arguments and its result as Rust types: a struct for every object, an enum for every choice of words and for
//! every union whose alternatives can be told apart. A definition is one type, whatever leads to it.

mod items;
mod recursion;
mod values;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use serde_json::Value;
use toolc::__gen::table::SlotKind;

use crate::catalog::{Setting, Tool};
use crate::lower;
use crate::names::{Meaning, Scope, pascal, path_word, plain, snake, variants};
use crate::schema::{Additional, Alternative, Defs, Property, Schema};

/// `Args`, `Returns` where the tool has one, and every type that they need.
pub(super) fn emit(tool: &Tool, setting: &Setting) -> TokenStream {
    let manifest = &tool.manifest;
    let defs = &manifest.defs;
    // Names that the generated code itself uses in this scope.
    let scope = Scope::with(&["Box", "From", "None", "Option", "Self", "Some", "String", "Vec"]);
    let mut types = Types { setting, defs, scope, items: Vec::new(), of_def: vec![None; defs.len()] };

    let args = types.reserve(pascal(&["args"]), format!("Arguments of `{}`.", tool.name()));
    let returns = manifest.returns.as_ref().map(|schema| {
        let about = format!("What `{}` returns.", tool.name());
        (types.reserve(pascal(&["returns"]), about), schema)
    });
    let needed = defs.reachable_from([&manifest.params].into_iter().chain(&manifest.returns));
    for (id, def) in defs.iter().filter(|(id, _)| needed[id.0]) {
        types.of_def[id.0] = Some(types.reserve(pascal(&[&def.name.value]), String::new()));
    }
    let root = types.structure(&manifest.params, &[], None);
    types.items[args].kind = Kind::Struct(root);
    if let Some((id, schema)) = returns {
        types.name(id, schema, &["returns"]);
    }
    for (id, def) in defs.iter().filter(|(id, _)| needed[id.0]) {
        types.name(types.of_def[id.0].unwrap_or_default(), &def.schema, &[&def.name.value]);
    }

    types.end_recursion();
    types.mark(args, |item| &mut item.is_read);
    if let Some((id, _)) = returns {
        types.mark(id, |item| &mut item.is_written);
    }
    let (arguments, others) = (types.arguments(args), types.items.iter().skip(1).map(|item| types.definition(item)));
    quote!(#arguments #(#others)*)
}

struct Types<'s> {
    setting: &'s Setting,
    defs: &'s Defs,
    scope: Scope,
    items: Vec<Item<'s>>,
    /// The item of each definition that is needed, without null.
    of_def: Vec<Option<ItemId>>,
}

/// Index of an [`Item`].
type ItemId = usize;

/// A type with a name of its own.
struct Item<'s> {
    name: Ident,
    about: String,
    kind: Kind<'s>,
    /// Whether arguments hold it.
    is_read: bool,
    /// Whether the result holds it.
    is_written: bool,
}

enum Kind<'s> {
    /// A word of these, each with its variant.
    Choice(Vec<(String, Ident)>),
    Struct(Struct),
    Union(Vec<Variant<'s>>),
    /// Another name for a type.
    Alias(Rust),
    /// A type that would be another name for itself.
    Wrapper(Rust),
}

struct Struct {
    fields: Vec<Field>,
    /// The tag, which is not a field because the enclosing variant determines its value.
    tag: Option<Tag>,
    /// The field for undeclared properties.
    rest: Option<(Ident, Rust)>,
}

/// A property that tells which alternative of a union an object is.
struct Tag {
    /// Where it stands among the properties.
    index: usize,
    name: String,
    value: Value,
}

/// A field of a struct.
struct Field {
    /// Where its property stands among the properties.
    index: usize,
    name: Ident,
    json: String,
    about: String,
    rust: Rust,
    presence: Presence,
    /// Whether it must not be shown by accident.
    secret: bool,
}

/// The value of a field if nothing was sent.
enum Presence {
    /// Something always is.
    Required,
    /// This.
    Default(Value),
    /// `None`.
    Optional,
}

/// A variant of an enum with values.
struct Variant<'s> {
    name: Ident,
    about: String,
    /// None where the variant says it all.
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
    /// Any of these, or null.
    Nullable(Box<Rust>),
    /// One with a name; in a box, where it would be infinitely large otherwise.
    Item {
        id: ItemId,
        boxed: bool,
    },
}

impl<'s> Types<'s> {
    /// An item that is still to be filled.
    fn reserve(&mut self, name: Ident, about: String) -> ItemId {
        let name = self.scope.claim(name);
        self.items.push(Item { name, about, kind: Kind::Alias(Rust::Json), is_read: false, is_written: false });
        self.items.len() - 1
    }

    /// Fills a reserved item with the type of `schema`, without null if it is a definition.
    fn name(&mut self, id: ItemId, schema: &'s Schema, path: &[&str]) {
        let about = self.about(schema);
        if !about.is_empty() {
            self.items[id].about = about;
        }
        let is_def = self.of_def.contains(&Some(id));
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

    /// The type of a schema. If that is an item of its own, it is `reserved`, or a new one.
    fn rust(&mut self, schema: &'s Schema, path: &[&str], reserved: Option<ItemId>) -> Rust {
        let form = self.defs.slot_kind(schema);
        let bare = self.defs.resolve(schema);
        let rust = match bare.via.and_then(|def| self.of_def[def.0]) {
            Some(id) => Rust::Item { id, boxed: false },
            None => self.sort(bare.schema, form, path, reserved),
        };
        if form != SlotKind::Value && self.defs.is_nullable(schema) { Rust::Nullable(Box::new(rust)) } else { rust }
    }

    fn sort(&mut self, schema: &'s Schema, form: SlotKind, path: &[&str], reserved: Option<ItemId>) -> Rust {
        let within = |types: &mut Self, schema: Option<&'s Schema>, word: &str| {
            Box::new(schema.map_or(Rust::Json, |schema| types.rust(schema, &[path, &[word]].concat(), None)))
        };
        match form {
            SlotKind::Boolean => Rust::Bool,
            SlotKind::Integer => Rust::Integer,
            SlotKind::Number => Rust::Number,
            SlotKind::String => Rust::Text,
            SlotKind::Value => Rust::Json,
            SlotKind::Array => Rust::List(within(self, schema.items.as_deref(), "item")),
            SlotKind::Map => Rust::Map(within(self, others(schema), "value")),
            SlotKind::Choice => self.item(schema, path, reserved, |_| Kind::Choice(choices(schema))),
            SlotKind::Union => self.item(schema, path, reserved, |types| Kind::Union(types.variants(schema, path))),
            SlotKind::Object => {
                self.item(schema, path, reserved, |types| Kind::Struct(types.structure(schema, path, None)))
            }
        }
    }

    /// An item, whose name is claimed before those of what is in it.
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
        schema.description.as_ref().map(|text| self.setting.text(&text.value)).unwrap_or_default()
    }

    /// `tag`: the property whose value the enclosing variant determines.
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
            let values = others(schema).map(|values| self.rust(values, &[path, &["rest"]].concat(), None));
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

    /// What an alternative's variant is named by: its tag, its definition or its type.
    fn meaning(&self, alternative: Alternative<'_>) -> Meaning {
        match (alternative.tag, self.defs.resolve(alternative.schema).via) {
            (Some((_, Value::String(word))), _) => Meaning::of(word),
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
        let own = path_word(word, &name);
        let path = [path, &[own.as_str()]].concat();
        let rust = self.rust_of(alternative, &path).map(|rust| match rust {
            Rust::Nullable(inner) => *inner,
            rust => rust,
        });
        let about = match alternative.tag {
            Some(_) => format!("`{word}`"),
            None => format!("Of type {}.", alternative.ty.name()),
        };
        Variant { name, about, rust, alternative }
    }

    /// The type of an alternative: without its tag, unless others lead to it, too.
    fn rust_of(&mut self, alternative: Alternative<'s>, path: &[&str]) -> Option<Rust> {
        let bare = self.defs.resolve(alternative.schema);
        let Some(tag) = alternative.tag.filter(|_| bare.via.is_none()) else {
            return Some(self.rust(alternative.schema, path, None));
        };
        let is_all = bare.schema.properties.len() == 1 && matches!(bare.schema.additional, Additional::Deny);
        (!is_all).then(|| {
            self.item(alternative.schema, path, None, |types| {
                Kind::Struct(types.structure(bare.schema, path, Some(tag)))
            })
        })
    }

    /// Marks an item and all that are in it.
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
    /// The types that it is made of.
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
    /// Appends the items in it.
    fn items(&self, out: &mut Vec<ItemId>) {
        match self {
            Rust::Item { id, .. } => out.push(*id),
            Rust::List(inner) | Rust::Map(inner) | Rust::Nullable(inner) => inner.items(out),
            Rust::Bool | Rust::Integer | Rust::Number | Rust::Text | Rust::Json => {}
        }
    }
}

/// The words of a schema, each with its variant.
fn choices(schema: &Schema) -> Vec<(String, Ident)> {
    let words: Vec<&str> = lower::enum_values(schema).into_iter().filter_map(|(value, _)| value.as_str()).collect();
    let names = variants(&words.iter().map(|word| Meaning::of(word)).collect::<Vec<_>>());
    words.into_iter().map(str::to_owned).zip(names).collect()
}

/// The schema of undeclared properties of an object.
fn others(schema: &Schema) -> Option<&Schema> {
    match &schema.additional {
        Additional::Schema(schema) => Some(schema),
        Additional::Deny | Additional::Allow => None,
    }
}
