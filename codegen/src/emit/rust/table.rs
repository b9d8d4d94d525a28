//! A tool's argument table: the schema laid out flat, as the runtime's reader wants it. A definition is laid out once,
//! whatever leads to it.

use std::collections::{HashMap, VecDeque};

use proc_macro2::{Literal as Number, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use serde_json::Value;
use toolc::table::{Form, Type};

use super::segments::condition;
use super::text;
use crate::diagnostic::At;
use crate::doc::compile;
use crate::schema::{Additional, Bare, Choice, Defs, Schema};
use crate::text::questions::When;

/// The constants of which the table is made.
pub(super) fn of(schema: &Schema, defs: &Defs) -> TokenStream {
    let mut table = Table::new(defs);
    let root = table.reserve();
    table.write(root, schema, Form::Object, false);
    while let Some((id, schema, nullable)) = table.pending.pop_front() {
        table.write(id, schema, defs.form(schema), nullable);
    }
    let Table { nodes, properties, literals, branches, bounds, conditions, .. } = table;
    quote! {
        const NODES: &[Node] = &[#(#nodes),*];
        const PROPERTIES: &[Property] = &[#(#properties),*];
        const LITERALS: &[Literal] = &[#(#literals),*];
        const BRANCHES: &[NodeId] = &[#(#branches),*];
        const BOUNDS: &[Bounds] = &[#(#bounds),*];
        const CONDITIONS: &[(Part, Condition)] = &[#(#conditions),*];
    }
}

struct Table<'s> {
    defs: &'s Defs,
    /// The nodes of what `$ref`s lead to, by its address; and with null allowed beside it.
    ids: HashMap<(*const Schema, bool), u16>,
    /// What `$ref`s lead to, and is still to be laid out: it may lead back.
    pending: VecDeque<(u16, &'s Schema, bool)>,
    nodes: Vec<TokenStream>,
    properties: Vec<TokenStream>,
    literals: Vec<TokenStream>,
    branches: Vec<TokenStream>,
    bounds: Vec<TokenStream>,
    conditions: Vec<TokenStream>,
}

impl<'s> Table<'s> {
    fn new(defs: &'s Defs) -> Self {
        Self {
            defs,
            ids: HashMap::new(),
            pending: VecDeque::new(),
            nodes: Vec::new(),
            properties: Vec::new(),
            literals: Vec::new(),
            branches: Vec::new(),
            bounds: Vec::new(),
            conditions: Vec::new(),
        }
    }

    fn reserve(&mut self) -> u16 {
        self.nodes.push(TokenStream::new());
        count(&self.nodes) - 1
    }

    fn push(&mut self, words: &TokenStream) -> u16 {
        self.nodes.push(quote!(Node { #words, ..Node::ANY }));
        count(&self.nodes) - 1
    }

    /// The node of a schema, with all below it.
    fn node(&mut self, schema: &'s Schema) -> u16 {
        let bare = self.defs.bare(schema);
        if bare.via.is_some() {
            return self.shared(bare);
        }
        let id = self.reserve();
        self.write(id, bare.schema, self.defs.form(bare.schema), bare.nullable);
        id
    }

    /// The node of what a `$ref` leads to: one for all that lead there, and laid out later, since it may lead back.
    fn shared(&mut self, Bare { schema, nullable, .. }: Bare<'s>) -> u16 {
        let key = (std::ptr::from_ref(schema), nullable);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.reserve();
        self.ids.insert(key, id);
        self.pending.push_back((id, schema, nullable));
        id
    }

    /// Lays out a schema. `nullable`: null is allowed, too.
    fn write(&mut self, id: u16, schema: &'s Schema, form: Form, nullable: bool) {
        let mut words = Vec::new();
        let mut types = schema.effective_types();
        if nullable && !types.is_empty() && !types.contains(&Type::Null) {
            types.push(Type::Null);
        }
        if !types.is_empty() {
            let types = types.iter().map(|t| format_ident!("{t:?}"));
            words.push(quote!(types: Types::of(&[#(Type::#types),*])));
        }
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
                    let node = number(self.node(&property.schema));
                    let secret = property.secret.then(|| quote!(.secret()));
                    quote!(Property::new(#name, #required, #node) #secret)
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
                    let node = number(self.node(below));
                    words.push(quote!(additional: Additional::Node(#node)));
                }
            }
        }
        words.extend(self.composed(schema, form, nullable));
        if let Some(items) = &schema.items {
            let node = number(self.node(items));
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
    }

    /// The words for the schemas that are about the same value. A node has one list of alternatives: further ones get
    /// nodes of their own. A `$ref` among other words is a choice of one, toward which there is repair.
    fn composed(&mut self, schema: &'s Schema, form: Form, nullable: bool) -> Vec<TokenStream> {
        let mut words = Vec::new();
        let mut all_of: Vec<u16> = schema.all_of.iter().map(|one| self.node(one)).collect();
        let defs = self.defs;
        let referred = schema.reference.as_ref().map(|reference| defs.bare(&defs.get(reference.to).schema));
        let referred: Vec<u16> = referred.into_iter().map(|bare| self.shared(bare)).collect();
        let mut unions = Vec::new();
        for (alternatives, exactly_one) in [(&schema.any_of, false), (&schema.one_of, true)] {
            if alternatives.is_empty() {
                continue;
            }
            // The alternatives of a union are the variants of the Rust enum; null is none of those.
            let is_null = |one: &&Schema| form == Form::Union && one.is_null();
            let (nulls, others): (Vec<&Schema>, Vec<&Schema>) = alternatives.iter().partition(is_null);
            let mut nodes: Vec<u16> = others.iter().chain(&nulls).map(|one| self.node(one)).collect();
            if form == Form::Union && nullable && !defs.is_nullable(schema) {
                nodes.push(self.push(&quote!(types: Types::of(&[Type::Null]))));
            }
            unions.push((nodes, exactly_one));
        }
        unions.extend((!referred.is_empty()).then_some((referred, false)));
        for (nodes, exactly_one) in unions {
            let mut union = self.branches("any_of", nodes);
            if exactly_one {
                union = quote!(#union, exactly_one: true);
            }
            if words.is_empty() {
                words.push(union);
            } else {
                all_of.push(self.push(&union));
            }
        }
        if !all_of.is_empty() {
            words.push(self.branches("all_of", all_of));
        }
        words
    }

    fn branches(&mut self, word: &str, nodes: Vec<u16>) -> TokenStream {
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
