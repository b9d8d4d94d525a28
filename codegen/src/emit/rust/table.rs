//! A tool's argument table: the schema laid out flat, as the runtime's reader wants it.

use proc_macro2::{Literal as Number, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use serde_json::Value;
use toolc::table::{Form, Type};

use super::segments::condition;
use super::text;
use crate::diagnostic::At;
use crate::doc::compile;
use crate::schema::{Additional, Choice, Schema};
use crate::text::questions::When;

/// The constants of which the table is made.
pub(super) fn of(schema: &Schema) -> TokenStream {
    let mut table = Table::default();
    table.node(schema, false);
    let Table { nodes, properties, literals, branches, bounds, conditions } = table;
    quote! {
        const NODES: &[Node] = &[#(#nodes),*];
        const PROPERTIES: &[Property] = &[#(#properties),*];
        const LITERALS: &[Literal] = &[#(#literals),*];
        const BRANCHES: &[NodeId] = &[#(#branches),*];
        const BOUNDS: &[Bounds] = &[#(#bounds),*];
        const CONDITIONS: &[(Part, Condition)] = &[#(#conditions),*];
    }
}

/// How the value of a schema is handed to typed code.
pub(super) fn form(schema: &Schema) -> Form {
    if let Some(other) = schema.nullable() {
        return form(other);
    }
    if !schema.any_of.is_empty() || !schema.one_of.is_empty() {
        return Form::Value;
    }
    let mut types = schema.effective_types();
    types.retain(|t| *t != Type::Null);
    let [one] = types.as_slice() else { return Form::Value };
    match one {
        Type::Boolean => Form::Boolean,
        Type::Integer => Form::Integer,
        Type::Number => Form::Number,
        Type::String if schema.choices.is_empty() && schema.constant.is_none() => Form::String,
        Type::String => Form::Choice,
        Type::Array => Form::Array,
        Type::Object => match (schema.properties.is_empty(), &schema.additional) {
            (_, Additional::Deny) => Form::Object,
            (true, Additional::Schema(_)) => Form::Map,
            _ => Form::Value,
        },
        Type::Null => Form::Value,
    }
}

#[derive(Default)]
struct Table {
    nodes: Vec<TokenStream>,
    properties: Vec<TokenStream>,
    literals: Vec<TokenStream>,
    branches: Vec<TokenStream>,
    bounds: Vec<TokenStream>,
    conditions: Vec<TokenStream>,
}

impl Table {
    /// Lays out a schema and all below it. The first one gets id 0. `nullable`: null is allowed, too.
    fn node(&mut self, schema: &Schema, nullable: bool) -> u16 {
        if let Some(other) = schema.nullable() {
            return self.node(other, true);
        }
        let id = count(&self.nodes);
        self.nodes.push(TokenStream::new());
        let mut words = Vec::new();
        let mut types = schema.effective_types();
        if nullable && !types.is_empty() && !types.contains(&Type::Null) {
            types.push(Type::Null);
        }
        if !types.is_empty() {
            let types = types.iter().map(|t| format_ident!("{t:?}"));
            words.push(quote!(types: Types::of(&[#(Type::#types),*])));
        }
        let form = form(schema);
        if form != Form::Value {
            let form = format_ident!("{form:?}");
            words.push(quote!(form: Form::#form));
        }
        let values = values(schema);
        if !values.is_empty() {
            let start = count(&self.literals);
            for (value, when) in values {
                self.condition("Literal", count(&self.literals), when);
                self.literals.push(literal(value));
            }
            if nullable {
                self.literals.push(literal(&Value::Null));
            }
            words.push(span("literals", start, count(&self.literals)));
        }
        if schema.is_object() {
            let below: Vec<TokenStream> = (schema.properties.iter())
                .map(|property| {
                    let (name, required) = (&property.name.value, property.required);
                    let node = number(self.node(&property.schema, false));
                    quote!(Property::new(#name, #required, #node))
                })
                .collect();
            if !below.is_empty() {
                let start = count(&self.properties);
                for (property, data) in schema.properties.iter().zip(below) {
                    self.condition("Property", count(&self.properties), property.when.as_ref());
                    self.properties.push(data);
                }
                words.push(span("properties", start, count(&self.properties)));
            }
            match &schema.additional {
                Additional::Deny => words.push(quote!(additional: Additional::Deny)),
                Additional::Allow => {}
                Additional::Schema(below) => {
                    let node = number(self.node(below, false));
                    words.push(quote!(additional: Additional::Node(#node)));
                }
            }
        }
        if !schema.any_of.is_empty() {
            words.push(self.branches("any_of", &schema.any_of));
        }
        if !schema.one_of.is_empty() {
            let alternatives = self.branches("any_of", &schema.one_of);
            let exactly_one = quote!(#alternatives, exactly_one: true);
            if schema.any_of.is_empty() {
                words.push(exactly_one);
            } else {
                // A node has one list of alternatives: the other one gets a node of its own.
                let node = count(&self.nodes);
                self.nodes.push(quote!(Node { #exactly_one, ..Node::ANY }));
                let start = count(&self.branches);
                self.branches.push(number(node).to_token_stream());
                words.push(span("all_of", start, start + 1));
            }
        }
        if let Some(items) = &schema.items {
            let node = number(self.node(items, false));
            words.push(quote!(items: Some(#node)));
        }
        let limits: Vec<TokenStream> =
            schema.bounds.iter().filter_map(|(name, bound)| limit(name, &bound.value)).collect();
        if !limits.is_empty() {
            let index = count(&self.bounds);
            self.bounds.push(quote!(Bounds { #(#limits,)* ..Bounds::NONE }));
            let index = number(index);
            words.push(quote!(bounds: Some(#index)));
        }
        self.nodes[usize::from(id)] = quote!(Node { #(#words,)* ..Node::ANY });
        id
    }
}

impl Table {
    fn branches(&mut self, word: &str, alternatives: &[Schema]) -> TokenStream {
        let nodes: Vec<u16> = alternatives.iter().map(|one| self.node(one, false)).collect();
        let start = count(&self.branches);
        self.branches.extend(nodes.into_iter().map(|node| number(node).to_token_stream()));
        span(word, start, count(&self.branches))
    }

    fn condition(&mut self, part: &str, index: u16, when: Option<&At<When>>) {
        if let Some(when) = when {
            let (part, index) = (format_ident!("{part}"), number(index));
            let condition = condition(&compile(&when.value));
            self.conditions.push(quote!((Part::#part(#index), #condition)));
        }
    }
}

/// The values that a schema names, in the order in which the table and the Rust enum hold them: a null comes last, since
/// it is none of the Rust enum's.
pub(super) fn values(schema: &Schema) -> Vec<(&Value, Option<&At<When>>)> {
    if let Some(constant) = &schema.constant {
        return vec![(&constant.value, None)];
    }
    let (nulls, others): (Vec<&Choice>, Vec<&Choice>) =
        schema.choices.iter().partition(|choice| choice.value.value.is_null());
    others.into_iter().chain(nulls).map(|choice| (&choice.value.value, choice.when.as_ref())).collect()
}

/// Schemas that reach this stage have been counted: see [`check::size`](crate::check).
fn count<T>(list: &[T]) -> u16 {
    u16::try_from(list.len()).unwrap_or_else(|_| unreachable!("a schema larger than the checks let pass"))
}

fn span(name: &str, start: u16, end: u16) -> TokenStream {
    let (name, start, len) = (format_ident!("{name}"), number(start), number(end - start));
    quote!(#name: Span::new(#start, #len))
}

fn literal(value: &Value) -> TokenStream {
    match value {
        Value::Null => quote!(Literal::Null),
        Value::Bool(flag) => quote!(Literal::Boolean(#flag)),
        Value::String(string) => {
            let text = text(string);
            quote!(Literal::String(#text))
        }
        Value::Number(number) => {
            if let Some(integer) = number.as_i64() {
                let integer = Number::i64_unsuffixed(integer);
                quote!(Literal::Integer(#integer))
            } else {
                let float = float(number.as_f64().unwrap_or_default());
                quote!(Literal::Number(#float))
            }
        }
        Value::Array(_) | Value::Object(_) => {
            let text = text(&value.to_string());
            quote!(Literal::Json(#text))
        }
    }
}

fn limit(name: &str, value: &Value) -> Option<TokenStream> {
    let field = crate::names::snake(name);
    if name == "uniqueItems" {
        let flag = value.as_bool()?;
        return flag.then(|| quote!(#field: true));
    }
    if let "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" = name {
        let bound = if let Some(integer) = value.as_i64() {
            let integer = Number::i64_unsuffixed(integer);
            quote!(Bound::Integer(#integer))
        } else {
            let float = float(value.as_f64()?);
            quote!(Bound::Number(#float))
        };
        return Some(quote!(#field: Some(#bound)));
    }
    let count = Number::u64_unsuffixed(value.as_u64()?);
    Some(quote!(#field: Some(#count)))
}

fn number(index: u16) -> Number {
    Number::u16_unsuffixed(index)
}

/// A float's literal; a negative one is an expression, which quote alone would not write.
pub(super) fn float(number: f64) -> TokenStream {
    let magnitude = Number::f64_unsuffixed(number.abs());
    if number.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
}
