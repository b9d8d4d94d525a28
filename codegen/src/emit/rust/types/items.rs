//! The Rust code of items: definitions, reading from slots, and writing as JSON.
//!
//! The functions that read are `#[inline]`, so that they are only compiled in the crates that call them. Trait implementations that
//! rustc checks faster than derived ones are written out, since a catalog has many types.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use serde_json::Value;
use syn::ext::IdentExt as _;
use toolc::__gen::MAX_FIELDS;
use toolc::ToolOutput;

use super::super::doc;
use super::{Field, Item, ItemId, Kind, Presence, Rust, Struct, Tag, Types, Variant};

impl Types<'_> {
    /// Returns the item of the arguments, which are read from the slots of a call.
    pub(super) fn arguments(&self, id: ItemId) -> TokenStream {
        let item = &self.items[id];
        let name = &item.name;
        let (definition, slots, initialisers) = match &item.kind {
            Kind::Struct(structure) => {
                (self.struct_definition(item, structure), slots(structure), self.initialisers(structure))
            }
            _ => unreachable!("arguments are a struct"),
        };
        let written = item.is_written.then(|| write_impl(item));
        quote! {
            #definition

            impl #name {
                /// Reads the arguments of a valid call.
                #[inline]
                pub fn read(#slots: ::toolc::__gen::Slots<'_, '_>) -> Self {
                    Self { #(#initialisers),* }
                }
            }

            #written
        }
    }

    /// Returns any other item.
    pub(super) fn definition(&self, item: &Item<'_>) -> TokenStream {
        let Item { name, kind, .. } = item;
        let about = doc(&item.about);
        let definition = match kind {
            Kind::Choice(words) => choice_definition(name, &about, words),
            Kind::Struct(structure) => self.struct_definition(item, structure),
            Kind::Union(variants) => {
                let docs = variants.iter().map(|variant| doc(&variant.about));
                let variants = variants.iter().map(|Variant { name, rust, .. }| {
                    let ty = rust.iter().map(|rust| self.ty(rust));
                    quote!(#name #((#ty))*)
                });
                quote! {
                    #about
                    #[derive(Debug, Clone, PartialEq)]
                    pub enum #name { #(#docs #variants),* }
                }
            }
            Kind::Alias(rust) => {
                let ty = self.ty(rust);
                return quote!(#about pub type #name = #ty;);
            }
            Kind::Wrapper(rust) => {
                let ty = self.ty(rust);
                quote! {
                    #about
                    #[derive(Debug, Clone, PartialEq)]
                    pub struct #name(pub #ty);
                }
            }
        };
        let read = item.is_read.then(|| self.read_impl(item));
        let written = item.is_written.then(|| write_impl(item));
        quote!(#definition #read #written)
    }

    fn struct_definition(&self, item: &Item<'_>, structure: &Struct) -> TokenStream {
        let (name, about) = (&item.name, doc(&item.about));
        let fields = structure.fields.iter().map(|field| {
            let (name, about, ty) = (&field.name, doc(&field.about), self.field_ty(field));
            quote!(#about pub #name: #ty)
        });
        let rest = structure.rest.iter().map(|(name, rust)| {
            let ty = self.ty(rust);
            quote! {
                /// The undeclared properties, by name.
                pub #name: ::std::collections::BTreeMap<String, #ty>
            }
        });
        let fields = fields.chain(rest);
        let names = structure.fields.iter().map(|field| &field.name).chain(structure.rest.iter().map(|(name, _)| name));
        let (derive, debug) = derives(name, &names.collect::<Vec<_>>());
        quote! {
            #about
            #derive
            pub struct #name { #(#fields),* }

            #debug
        }
    }

    /// Returns the implementation of `FromSlot`.
    fn read_impl(&self, item: &Item<'_>) -> TokenStream {
        let name = &item.name;
        let body = match &item.kind {
            Kind::Choice(words) => {
                let count = Literal::usize_unsuffixed(words.len());
                let arms = words.iter().enumerate().map(|(number, (_, variant))| {
                    let is_last = number + 1 == words.len();
                    let number = Literal::usize_unsuffixed(number);
                    if is_last { quote!(_ => Self::#variant) } else { quote!(#number => Self::#variant) }
                });
                quote!(match ::toolc::__gen::read_choice(slot, #count) { #(#arms,)* })
            }
            Kind::Struct(structure) => {
                let (slots, initialisers) = (slots(structure), self.initialisers(structure));
                quote!(let #slots = ::toolc::__gen::read_object(slot); Self { #(#initialisers),* })
            }
            Kind::Union(variants) => {
                let read = variants.iter().map(|Variant { name, rust, .. }| {
                    if rust.is_some() {
                        quote!(|slot| Self::#name(::toolc::__gen::FromSlot::from_slot(slot)))
                    } else {
                        quote!(|_| Self::#name)
                    }
                });
                quote!(::toolc::__gen::read_variant(slot, &[#(#read),*]))
            }
            Kind::Alias(_) | Kind::Wrapper(_) => quote!(Self(::toolc::__gen::FromSlot::from_slot(slot))),
        };
        quote! {
            impl ::toolc::__gen::FromSlot for #name {
                #[inline]
                fn from_slot(slot: &mut ::toolc::__gen::Slot<'_>) -> Self {
                    #body
                }
            }
        }
    }

    /// Returns the initialisers of the fields of a struct, which read its slots.
    fn initialisers<'t>(&'t self, structure: &'t Struct) -> impl Iterator<Item = TokenStream> + 't {
        let fields = structure.fields.iter().map(|field| {
            let (name, index) = (&field.name, Literal::usize_unsuffixed(field.index));
            match &field.presence {
                Presence::Default(default) => {
                    let value = field.wrap_secret(self.value(&field.rust, default));
                    if self.is_constant(&field.rust, default) {
                        quote!(#name: slots.value_or(#index, #value))
                    } else {
                        quote!(#name: slots.value_or_else(#index, || #value))
                    }
                }
                Presence::Required | Presence::Optional => quote!(#name: slots.value(#index)),
            }
        });
        // The slot of undeclared properties is the last one.
        let last = Literal::usize_unsuffixed(structure.fields.len() + usize::from(structure.tag.is_some()));
        fields.chain(structure.rest.iter().map(move |(name, _)| quote!(#name: slots.value(#last))))
    }

    fn field_ty(&self, field: &Field) -> TokenStream {
        let rust = self.ty(&field.rust);
        let ty = match (&field.presence, &field.rust) {
            (Presence::Optional, Rust::Nullable(_)) | (Presence::Required | Presence::Default(_), _) => rust,
            (Presence::Optional, _) => quote!(Option<#rust>),
        };
        if field.secret { quote!(::toolc::Secret<#ty>) } else { ty }
    }

    fn ty(&self, rust: &Rust) -> TokenStream {
        match rust {
            Rust::Bool => quote!(bool),
            Rust::Integer => quote!(i64),
            Rust::Number => quote!(f64),
            Rust::Text => quote!(String),
            Rust::List(items) => {
                let items = self.ty(items);
                quote!(Vec<#items>)
            }
            Rust::Map(values) => {
                let values = self.ty(values);
                quote!(::std::collections::BTreeMap<String, #values>)
            }
            Rust::Json => quote!(::toolc::Value),
            Rust::Nullable(inner) => {
                let inner = self.ty(inner);
                quote!(Option<#inner>)
            }
            Rust::Item { id, boxed } => {
                let name = &self.items[*id].name;
                if *boxed { quote!(Box<#name>) } else { quote!(#name) }
            }
        }
    }
}

impl Field {
    /// Wraps a value in `Secret` if the field is secret.
    pub(super) fn wrap_secret(&self, value: TokenStream) -> TokenStream {
        if self.secret { quote!(::toolc::Secret::new(#value)) } else { value }
    }
}

/// Returns the derives of a struct, and its `Debug` if that is not one of them but an implementation that is one call: if the struct has at
/// most [`MAX_FIELDS`] fields.
fn derives(name: &Ident, fields: &[&Ident]) -> (TokenStream, Option<TokenStream>) {
    if fields.is_empty() || fields.len() > MAX_FIELDS {
        return (quote!(#[derive(Debug, Clone, PartialEq)]), None);
    }
    let names: Vec<String> = fields.iter().map(|field| field.unraw().to_string()).collect();
    let (title, names) = (name.unraw().to_string(), names.join(" "));
    let debug = quote! {
        impl ::std::fmt::Debug for #name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::toolc::__gen::debug_fields(f, #title, #names, (#(&self.#fields,)*))
            }
        }
    };
    (quote!(#[derive(Clone, PartialEq)]), Some(debug))
}

/// Returns the pattern for the slots of a struct.
fn slots(structure: &Struct) -> TokenStream {
    if structure.fields.is_empty() && structure.rest.is_none() { quote!(_) } else { quote!(mut slots) }
}

/// Returns an enum without fields.
fn choice_definition(name: &Ident, about: &TokenStream, words: &[(String, Ident)]) -> TokenStream {
    let (words, variants): (Vec<_>, Vec<_>) = words.iter().map(|(word, variant)| (word, variant)).unzip();
    let docs = words.iter().map(|word| doc(&format!("`{word}`")));
    let names: Vec<String> = variants.iter().map(|variant| variant.unraw().to_string()).collect();
    let names = names.join(" ");
    quote! {
        #about
        #[derive(Clone, Copy)]
        pub enum #name { #(#docs #variants),* }

        impl ::std::fmt::Debug for #name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::toolc::__gen::debug_variant(f, #names, *self as usize)
            }
        }

        impl #name {
            /// Returns the word that the model uses.
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #words),* }
            }
        }

        impl PartialEq for #name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                *self as usize == *other as usize
            }
        }
    }
}

/// Returns the implementation of `ToJson`.
fn write_impl(item: &Item<'_>) -> TokenStream {
    let name = &item.name;
    let body = match &item.kind {
        Kind::Choice(_) => quote!(::toolc::ToJson::to_json(self.as_str(), out)),
        Kind::Struct(structure) => properties(structure),
        Kind::Union(variants) => {
            let arms = variants.iter().map(|Variant { name, rust, alternative, .. }| {
                if rust.is_some() {
                    return quote!(Self::#name(value) => ::toolc::ToJson::to_json(value, out));
                }
                let tag = alternative.tag.map(|(name, value)| tag(name, value));
                quote!(Self::#name => ::toolc::__gen::to_json::object(out, &[#tag]))
            });
            quote! {
                use ::toolc::__gen::to_json::Presence::Always;
                match self { #(#arms),* }
            }
        }
        Kind::Alias(_) | Kind::Wrapper(_) => quote!(::toolc::ToJson::to_json(&self.0, out)),
    };
    quote! {
        impl ::toolc::ToJson for #name {
            fn to_json(&self, out: &mut String) {
                #body
            }
        }
    }
}

/// Returns the code that writes a struct as a JSON object.
fn properties(structure: &Struct) -> TokenStream {
    let mut all: Vec<TokenStream> = (structure.fields.iter())
        .map(|Field { name, json, presence, .. }| {
            let key = key(json);
            match presence {
                Presence::Optional => quote!((#key, Optional, &self.#name)),
                Presence::Required | Presence::Default(_) => quote!((#key, Always, &self.#name)),
            }
        })
        .collect();
    if let Some(Tag { index, name, value }) = &structure.tag {
        all.insert(*index, tag(name, value));
    }
    let write = match &structure.rest {
        None => quote!(::toolc::__gen::to_json::object(out, &[#(#all),*])),
        Some((rest, _)) => quote!(::toolc::__gen::to_json::open_object(out, &[#(#all),*], &self.#rest)),
    };
    quote! {
        use ::toolc::__gen::to_json::Presence::{Always, Optional};
        #write;
    }
}

/// Returns the property with the tag of a variant.
fn tag(name: &str, value: &Value) -> TokenStream {
    let value = match value {
        Value::String(word) => quote!(#word),
        Value::Bool(flag) => quote!(#flag),
        other => {
            let integer = Literal::i64_suffixed(other.as_i64().unwrap_or_default());
            quote!(#integer)
        }
    };
    let key = key(name);
    quote!((#key, Always, &#value))
}

/// Returns the JSON text between the value of the previous property and the value of this one.
fn key(name: &str) -> String {
    format!(",{}:", ToolOutput::text(name).as_json())
}
