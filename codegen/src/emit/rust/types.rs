//! A tool's arguments as Rust types: a struct for every object, an enum for every choice of words.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use serde_json::Value;
use toolc::table::{Form, Type};

use super::{doc, table};
use crate::catalog::{Setting, Tool};
use crate::names::{Scope, pascal, snake};
use crate::schema::{Property, Schema};

/// `Args` and every type that it needs.
pub(super) fn of(tool: &Tool, setting: &Setting) -> TokenStream {
    let params = &tool.manifest.params;
    // Names that the generated code itself uses in this scope.
    let mut types = Types {
        setting,
        scope: Scope::with(&["From", "None", "Option", "Self", "Some", "String", "Vec"]),
        items: Vec::new(),
    };
    let name = types.scope.claim(pascal(&["args"]));
    let fields = types.fields(params, &[]);
    let args = Types::structure(&name, &fields, &format!("Arguments of `{}`.", tool.name()));
    let takes = fields.iter().enumerate().map(|(index, field)| field.take(index));
    let slots = if fields.is_empty() { quote!(_) } else { quote!(mut slots) };
    let items = types.items;
    quote! {
        #args

        impl From<::toolc::Slots<'_>> for #name {
            fn from(#slots: ::toolc::Slots<'_>) -> Self {
                Self { #(#takes),* }
            }
        }

        #(#items)*
    }
}

struct Types<'s> {
    setting: &'s Setting,
    scope: Scope,
    items: Vec<TokenStream>,
}

/// A Rust type, and what is needed to write a value of it.
enum Rust {
    Bool,
    Integer,
    Number,
    Text,
    Choice {
        name: Ident,
        variants: Vec<(Value, Ident)>,
    },
    List(Box<Rust>),
    Struct {
        name: Ident,
        fields: Vec<Field>,
    },
    Map(Box<Rust>),
    Json,
    /// Any of these, or null.
    Nullable(Box<Rust>),
}

/// A field of a struct.
struct Field {
    name: Ident,
    json: String,
    about: String,
    rust: Rust,
    presence: Presence,
}

/// What stands in a field when nothing was sent.
enum Presence {
    /// Something always is.
    Required,
    /// This.
    Default(Value),
    /// `None`.
    Optional,
}

impl Types<'_> {
    fn fields(&mut self, schema: &Schema, path: &[&str]) -> Vec<Field> {
        schema.properties.iter().map(|property| self.field(property, path)).collect()
    }

    fn field(&mut self, property: &Property, path: &[&str]) -> Field {
        let schema = &property.schema;
        let path = [path, &[property.name.value.as_str()]].concat();
        Field {
            name: snake(&property.name.value),
            json: property.name.value.clone(),
            about: self.about(schema),
            rust: self.rust(schema, &path),
            presence: match &schema.default {
                _ if property.required => Presence::Required,
                Some(default) => Presence::Default(default.value.clone()),
                None => Presence::Optional,
            },
        }
    }

    fn rust(&mut self, schema: &Schema, path: &[&str]) -> Rust {
        if let Some(other) = schema.nullable() {
            return match self.rust(other, path) {
                nullable @ (Rust::Nullable(_) | Rust::Json) => nullable,
                other => Rust::Nullable(Box::new(other)),
            };
        }
        let inner = match table::form(schema) {
            Form::Boolean => Rust::Bool,
            Form::Integer => Rust::Integer,
            Form::Number => Rust::Number,
            Form::String => Rust::Text,
            Form::Choice => self.choice(schema, path),
            Form::Array => Rust::List(Box::new(match &schema.items {
                Some(items) => self.rust(items, &[path, &["item"]].concat()),
                None => Rust::Json,
            })),
            Form::Object => self.object(schema, path),
            Form::Map => Rust::Map(Box::new(match &schema.additional {
                crate::schema::Additional::Schema(values) => self.rust(values, &[path, &["value"]].concat()),
                _ => Rust::Json,
            })),
            Form::Value => return Rust::Json,
        };
        if schema.effective_types().contains(&Type::Null) { Rust::Nullable(Box::new(inner)) } else { inner }
    }

    fn about(&self, schema: &Schema) -> String {
        schema.description.as_ref().map(|text| self.setting.text(&text.value)).unwrap_or_default()
    }

    fn choice(&mut self, schema: &Schema, path: &[&str]) -> Rust {
        let name = self.scope.claim(pascal(path));
        let mut scope = Scope::with(&["Self"]);
        let values = table::values(schema);
        let values: Vec<&str> = values.iter().filter_map(|(value, _)| value.as_str()).collect();
        let idents: Vec<Ident> = values.iter().map(|value| scope.claim(pascal(&[value]))).collect();
        let about = doc(&self.about(schema));
        let docs = values.iter().map(|value| doc(&format!("`{value}`")));
        self.items.push(quote! {
            #about
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum #name { #(#docs #idents),* }

            impl #name {
                /// The word that the model uses.
                pub const fn as_str(self) -> &'static str {
                    match self { #(Self::#idents => #values),* }
                }
            }

            impl ::toolc::FromSlot for #name {
                fn from_slot(slot: ::toolc::args::Slot<'_>) -> Self {
                    ::toolc::args::choice(&slot, &[#(Self::#idents),*])
                }
            }
        });
        Rust::Choice { variants: values.into_iter().map(Value::from).zip(idents).collect(), name }
    }

    fn object(&mut self, schema: &Schema, path: &[&str]) -> Rust {
        let name = self.scope.claim(pascal(path));
        let fields = self.fields(schema, path);
        let structure = Self::structure(&name, &fields, &self.about(schema));
        let takes = fields.iter().enumerate().map(|(index, field)| field.take(index));
        let slots = if fields.is_empty() { quote!(_) } else { quote!(mut slots) };
        self.items.push(quote! {
            #structure

            impl ::toolc::FromSlot for #name {
                fn from_slot(slot: ::toolc::args::Slot<'_>) -> Self {
                    let #slots = ::toolc::args::object(slot);
                    Self { #(#takes),* }
                }
            }
        });
        Rust::Struct { name, fields }
    }

    fn structure(name: &Ident, fields: &[Field], about: &str) -> TokenStream {
        let about = doc(about);
        let names = fields.iter().map(|field| &field.name);
        let types = fields.iter().map(Field::ty);
        let docs = fields.iter().map(|field| doc(&field.about));
        quote! {
            #about
            #[derive(Debug)]
            pub struct #name { #(#docs pub #names: #types),* }
        }
    }
}

impl Field {
    fn ty(&self) -> TokenStream {
        let rust = self.rust.ty();
        match (&self.presence, &self.rust) {
            (Presence::Optional, Rust::Nullable(_)) | (Presence::Required | Presence::Default(_), _) => rust,
            (Presence::Optional, _) => quote!(Option<#rust>),
        }
    }

    /// Its initialiser, from slot `index`.
    fn take(&self, index: usize) -> TokenStream {
        let (name, index) = (&self.name, Literal::usize_unsuffixed(index));
        match &self.presence {
            Presence::Default(default) => {
                let value = self.rust.value(default);
                quote!(#name: slots.take_or(#index, || #value))
            }
            Presence::Required | Presence::Optional => quote!(#name: slots.take(#index)),
        }
    }

    /// Its initialiser within a default of the struct around it.
    fn value(&self, given: Option<&Value>) -> TokenStream {
        let name = &self.name;
        let value = match (given, &self.presence) {
            (Some(value), Presence::Optional) if !matches!(self.rust, Rust::Nullable(_)) => {
                let value = self.rust.value(value);
                quote!(Some(#value))
            }
            (Some(value), _) | (None, Presence::Default(value)) => self.rust.value(value),
            (None, _) => quote!(None),
        };
        quote!(#name: #value)
    }
}

impl Rust {
    fn ty(&self) -> TokenStream {
        match self {
            Rust::Bool => quote!(bool),
            Rust::Integer => quote!(i64),
            Rust::Number => quote!(f64),
            Rust::Text => quote!(String),
            Rust::Choice { name, .. } | Rust::Struct { name, .. } => quote!(#name),
            Rust::List(items) => {
                let items = items.ty();
                quote!(Vec<#items>)
            }
            Rust::Map(values) => {
                let values = values.ty();
                quote!(::std::collections::BTreeMap<String, #values>)
            }
            Rust::Json => quote!(::toolc::Value),
            Rust::Nullable(inner) => {
                let inner = inner.ty();
                quote!(Option<#inner>)
            }
        }
    }

    /// A value of this type. The checks have held it against the schema that the type comes from.
    fn value(&self, value: &Value) -> TokenStream {
        match (self, value) {
            (Rust::Nullable(_), Value::Null) => quote!(None),
            (Rust::Nullable(inner), value) => {
                let value = inner.value(value);
                quote!(Some(#value))
            }
            (Rust::Bool, Value::Bool(flag)) => quote!(#flag),
            (Rust::Integer, Value::Number(number)) => {
                #[allow(clippy::cast_possible_truncation, reason = "a float that is an integer by the schema")]
                let integer = number.as_i64().unwrap_or_else(|| number.as_f64().unwrap_or_default() as i64);
                let integer = Literal::i64_unsuffixed(integer);
                quote!(#integer)
            }
            (Rust::Number, Value::Number(number)) => table::float(number.as_f64().unwrap_or_default()),
            (Rust::Text, Value::String(text)) => quote!(String::from(#text)),
            (Rust::Choice { name, variants }, value) => {
                let variant = variants.iter().find(|(word, _)| word == value).map(|(_, variant)| variant);
                quote!(#name::#variant)
            }
            (Rust::List(items), Value::Array(values)) => {
                let values = values.iter().map(|value| items.value(value));
                quote!(Vec::from([#(#values),*]))
            }
            (Rust::Map(of), Value::Object(entries)) => {
                let (keys, values): (Vec<_>, Vec<_>) =
                    entries.iter().map(|(key, value)| (key, of.value(value))).unzip();
                quote!(::std::collections::BTreeMap::from([#((String::from(#keys), #values)),*]))
            }
            (Rust::Struct { name, fields }, Value::Object(entries)) => {
                let fields = fields.iter().map(|field| field.value(entries.get(&field.json)));
                quote!(#name { #(#fields),* })
            }
            (_, value) => {
                let text = value.to_string();
                quote!(::toolc::args::json(#text))
            }
        }
    }
}
