//! Defaults: converts JSON values to Rust expressions of the generated types.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::{Field, ItemId, Kind, Presence, Rust, Struct, Types};

impl Types<'_> {
    /// Returns the expression of a value. It is valid for the schema of the type: the check stage validated it.
    pub(super) fn value(&self, rust: &Rust, value: &Value) -> TokenStream {
        match (rust, value) {
            (Rust::Nullable(_), Value::Null) => quote!(None),
            (Rust::Nullable(inner), value) => {
                let value = self.value(inner, value);
                quote!(Some(#value))
            }
            (Rust::Bool, Value::Bool(flag)) => quote!(#flag),
            (Rust::Integer, Value::Number(number)) => {
                #[expect(clippy::cast_possible_truncation, reason = "a float that is an integer by the schema")]
                let integer = number.as_i64().unwrap_or_else(|| number.as_f64().unwrap_or_default() as i64);
                let integer = Literal::i64_unsuffixed(integer);
                quote!(#integer)
            }
            (Rust::Number, Value::Number(number)) => float(number.as_f64().unwrap_or_default()),
            (Rust::Text, Value::String(text)) => quote!(String::from(#text)),
            (Rust::List(items), Value::Array(values)) => {
                let values = values.iter().map(|value| self.value(items, value));
                quote!(Vec::from([#(#values),*]))
            }
            (Rust::Map(ty), Value::Object(entries)) => self.map(ty, entries.iter()),
            (Rust::Item { id, boxed }, value) => {
                let value = self.item_value(*id, value);
                if *boxed { quote!(Box::new(#value)) } else { value }
            }
            (_, value) => {
                let text = value.to_string();
                quote!(::toolc::__gen::json_default(#text))
            }
        }
    }

    /// Returns whether the expression of a value is cheap, so that it need not be in a closure.
    pub(super) fn is_constant(&self, rust: &Rust, value: &Value) -> bool {
        match rust {
            Rust::Bool | Rust::Integer | Rust::Number => true,
            Rust::Nullable(inner) => value.is_null() || self.is_constant(inner, value),
            Rust::Item { id, boxed } => !boxed && matches!(self.items[*id].kind, Kind::Choice(_)),
            Rust::Text | Rust::List(_) | Rust::Map(_) | Rust::Json => false,
        }
    }

    fn map<'v>(&self, ty: &Rust, entries: impl Iterator<Item = (&'v String, &'v Value)>) -> TokenStream {
        let (keys, values): (Vec<_>, Vec<_>) = entries.map(|(key, value)| (key, self.value(ty, value))).unzip();
        quote!(::std::collections::BTreeMap::from([#((String::from(#keys), #values)),*]))
    }

    fn item_value(&self, id: ItemId, value: &Value) -> TokenStream {
        let name = &self.items[id].name;
        match (&self.items[id].kind, value) {
            (Kind::Choice(words), value) => {
                let variant = words.iter().find(|(word, _)| word == value).map(|(_, variant)| variant);
                quote!(#name::#variant)
            }
            (Kind::Struct(Struct { fields, tag, rest }), Value::Object(entries)) => {
                let values = fields.iter().map(|field| self.field_value(field, entries.get(&field.json)));
                let rest = rest.iter().map(|(ident, ty)| {
                    let is_declared = |key: &String| {
                        fields.iter().any(|field| field.json == *key)
                            || tag.as_ref().is_some_and(|tag| tag.name == *key)
                    };
                    let map = self.map(ty, entries.iter().filter(|(key, _)| !is_declared(key)));
                    quote!(#ident: #map)
                });
                let all = values.chain(rest);
                quote!(#name { #(#all),* })
            }
            (Kind::Union(variants), value) => {
                let variant = variants.iter().find(|variant| variant.alternative.matches(value)).map(|variant| {
                    let (variant, rust) = (&variant.name, variant.rust.iter());
                    let value = rust.map(|rust| self.value(rust, value));
                    quote!(#variant #((#value))*)
                });
                quote!(#name::#variant)
            }
            (Kind::Alias(rust), value) => self.value(rust, value),
            (Kind::Wrapper(rust), value) => {
                let value = self.value(rust, value);
                quote!(#name(#value))
            }
            (Kind::Struct(_), value) => self.value(&Rust::Json, value),
        }
    }

    /// Returns the initialiser of a field in the default of its struct.
    fn field_value(&self, field: &Field, given: Option<&Value>) -> TokenStream {
        let name = &field.name;
        let value = match (given, &field.presence) {
            (Some(value), Presence::Optional) if !matches!(field.rust, Rust::Nullable(_)) => {
                let value = self.value(&field.rust, value);
                quote!(Some(#value))
            }
            (Some(value), _) | (None, Presence::Default(value)) => self.value(&field.rust, value),
            (None, _) => quote!(None),
        };
        let value = field.wrap_secret(value);
        quote!(#name: #value)
    }
}

/// Returns the expression of a float. `Literal` does not support negative ones.
fn float(number: f64) -> TokenStream {
    let magnitude = Literal::f64_unsuffixed(number.abs());
    if number.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
}
