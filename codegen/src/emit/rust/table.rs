//! A tool's argument table: the schema laid out flat, as the runtime's reader wants it. A definition is laid out once,
//! whatever leads to it.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;
use toolc::table::{Form, Type};

use super::data::{borrowed, list};
use super::print::inline;
use super::segments::condition;
use crate::diagnostic::At;
use crate::doc::compile;
use crate::schema::{Additional, Bare, Choice, Defs, Schema};
use crate::text::questions::When;

/// The constants of which the table is made, a line for each node: nobody reads them.
pub(super) fn of(schema: &Schema, defs: &Defs) -> String {
    let mut table = Table::new(defs);
    let root = table.reserve();
    table.write(root, schema, Form::Object, false);
    while let Some((id, schema, nullable)) = table.pending.pop_front() {
        table.write(id, schema, defs.form(schema), nullable);
    }
    let Table { nodes, properties, literals, branches, bounds, conditions, .. } = table;
    [
        list("NODES", "Node", &nodes),
        list("PROPERTIES", "Property", &properties),
        list("LITERALS", "Literal", &literals),
        list("BRANCHES", "NodeId", &branches),
        list("BOUNDS", "Bounds", &bounds),
        list("CONDITIONS", "(Part, Condition)", &conditions),
    ]
    .concat()
}

struct Table<'s> {
    defs: &'s Defs,
    /// The nodes of what `$ref`s lead to, by its address; and with null allowed beside it.
    ids: HashMap<(*const Schema, bool), u16>,
    /// What `$ref`s lead to, and is still to be laid out: it may lead back.
    pending: VecDeque<(u16, &'s Schema, bool)>,
    nodes: Vec<String>,
    properties: Vec<String>,
    literals: Vec<String>,
    branches: Vec<String>,
    bounds: Vec<String>,
    conditions: Vec<String>,
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
        self.nodes.push(String::new());
        count(&self.nodes) - 1
    }

    fn push(&mut self, words: &str) -> u16 {
        self.nodes.push(format!("Node {{ {words}, ..Node::ANY }}"));
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
            let types: Vec<String> = types.iter().map(|t| format!("Type::{t:?}")).collect();
            words.push(format!("types: Types::of(&[{}])", types.join(", ")));
        }
        if form != Form::Value {
            words.push(format!("form: Form::{form:?}"));
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
            let below: Vec<String> = (schema.properties.iter())
                .map(|property| {
                    let (name, required) = (&property.name.value, property.required);
                    let node = self.node(&property.schema);
                    let secret = if property.secret { ".secret()" } else { "" };
                    format!("Property::new({name:?}, {required}, {node}){secret}")
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
                Additional::Deny => words.push("additional: Additional::Deny".to_owned()),
                Additional::Allow => {}
                Additional::Schema(below) => {
                    let node = self.node(below);
                    words.push(format!("additional: Additional::Node({node})"));
                }
            }
        }
        words.extend(self.composed(schema, form, nullable));
        if let Some(items) = &schema.items {
            let node = self.node(items);
            words.push(format!("items: Some({node})"));
        }
        let limits: Vec<String> = schema.bounds.iter().filter_map(|(name, bound)| limit(name, &bound.value)).collect();
        if !limits.is_empty() {
            let index = count(&self.bounds);
            self.bounds.push(format!("Bounds {{ {}, ..Bounds::NONE }}", limits.join(", ")));
            words.push(format!("bounds: Some({index})"));
        }
        words.push("..Node::ANY".to_owned());
        self.nodes[usize::from(id)] = format!("Node {{ {} }}", words.join(", "));
    }

    /// The words for the schemas that are about the same value. A node has one list of alternatives: further ones get
    /// nodes of their own. A `$ref` among other words is a choice of one, toward which there is repair.
    fn composed(&mut self, schema: &'s Schema, form: Form, nullable: bool) -> Vec<String> {
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
                nodes.push(self.push("types: Types::of(&[Type::Null])"));
            }
            unions.push((nodes, exactly_one));
        }
        unions.extend((!referred.is_empty()).then_some((referred, false)));
        for (nodes, exactly_one) in unions {
            let mut union = self.branches("any_of", nodes);
            if exactly_one {
                union += ", exactly_one: true";
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

    fn branches(&mut self, word: &str, nodes: Vec<u16>) -> String {
        let start = count(&self.branches);
        self.branches.extend(nodes.into_iter().map(|node| node.to_string()));
        span(word, start, count(&self.branches))
    }

    fn condition(&mut self, part: &str, index: u16, when: Option<&At<When>>) {
        if let Some(when) = when {
            let condition = inline(condition(&compile(&when.value)));
            self.conditions.push(format!("(Part::{part}({index}), {condition})"));
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

fn span(name: &str, start: u16, end: u16) -> String {
    format!("{name}: Span::new({start}, {})", end - start)
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "Literal::Null".to_owned(),
        Value::Bool(flag) => format!("Literal::Boolean({flag})"),
        Value::String(string) => format!("Literal::String({})", borrowed(string)),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => format!("Literal::Integer({integer})"),
            None => format!("Literal::Number({:?})", number.as_f64().unwrap_or_default()),
        },
        Value::Array(_) | Value::Object(_) => format!("Literal::Json({})", borrowed(&value.to_string())),
    }
}

fn limit(name: &str, value: &Value) -> Option<String> {
    let field = crate::names::snake(name);
    if name == "uniqueItems" {
        return value.as_bool()?.then(|| format!("{field}: true"));
    }
    if let "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" = name {
        let bound = match value.as_i64() {
            Some(integer) => format!("Bound::Integer({integer})"),
            None => format!("Bound::Number({:?})", value.as_f64()?),
        };
        return Some(format!("{field}: Some({bound})"));
    }
    Some(format!("{field}: Some({})", value.as_u64()?))
}
