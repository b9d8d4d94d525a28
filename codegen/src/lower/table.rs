//! The argument table of a tool: its schema as flat lists, which the runtime reads arguments with. Each definition is written once,
//! whatever the number of `$ref`s to it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;
use toolc::__gen::table;
use toolc::__gen::table::{Bounds, Literal, Node, Part, SlotKind, Span, Type, Types};
use toolc::__gen::text_rule::TextRule;
use toolc::schema::Table;
use toolc_lower::conditional_json::compile;
use toolc_lower::schema::{Additional, Choice, Defs, Property, ResolvedSchema, Schema};
use toolc_lower::text::atoms::When;

use super::text;
use crate::diagnostic::At;

/// A schema as a table.
#[derive(Debug)]
pub(crate) struct LoweredSchema {
    pub(crate) table: Table,
    /// The defaults of optional properties, by their indices in the table.
    pub(crate) defaults: BTreeMap<usize, Value>,
}

pub(crate) fn lower_schema(schema: &Schema, defs: &Defs) -> LoweredSchema {
    let lowered = LoweredSchema { table: Table::default(), defaults: BTreeMap::new() };
    let mut layout = Layout { defs, ids: HashMap::new(), pending: VecDeque::new(), lowered };
    let root = layout.push(Node::ANY);
    layout.write(root, schema, SlotKind::Object, false);
    while let Some((id, schema, nullable)) = layout.pending.pop_front() {
        layout.write(id, schema, defs.slot_kind(schema), nullable);
    }
    layout.lowered
}

/// Returns the table of an object with one required property, which is the result of a tool. It is called `result`.
pub(crate) fn lower_returns(returns: &Schema, defs: &Defs) -> Table {
    let property = Property {
        name: At::new("result".to_owned(), returns.place),
        required: true,
        secret: false,
        aliases: Vec::new(),
        clamp: false,
        when: None,
        mcp_header: None,
        schema: returns.clone(),
    };
    let object = Schema { types: vec![Type::Object], properties: vec![property], ..Schema::new(returns.place) };
    lower_schema(&object, defs).table
}

struct Layout<'s> {
    defs: &'s Defs,
    /// The nodes of the targets of `$ref`s, by address and whether null is also allowed.
    ids: HashMap<(*const Schema, bool), u16>,
    /// The targets of `$ref`s that are not written yet. Writing them at once would not end if they are recursive.
    pending: VecDeque<(u16, &'s Schema, bool)>,
    lowered: LoweredSchema,
}

impl<'s> Layout<'s> {
    /// Adds a node, and returns its index.
    fn push(&mut self, node: Node) -> u16 {
        self.lowered.table.nodes.push(node);
        count(&self.lowered.table.nodes) - 1
    }

    /// Adds the node of a schema and of its subschemas, and returns its index.
    fn node(&mut self, schema: &'s Schema) -> u16 {
        let resolved = self.defs.resolve(schema);
        if resolved.via.is_some() {
            return self.definition_node(resolved);
        }
        let id = self.push(Node::ANY);
        self.write(id, resolved.schema, self.defs.slot_kind(resolved.schema), resolved.nullable);
        id
    }

    /// Returns the index of the node of a definition. All `$ref`s to it share the node, which is written later.
    fn definition_node(&mut self, ResolvedSchema { schema, nullable, .. }: ResolvedSchema<'s>) -> u16 {
        let key = (std::ptr::from_ref(schema), nullable);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.push(Node::ANY);
        self.ids.insert(key, id);
        self.pending.push_back((id, schema, nullable));
        id
    }

    /// Writes a schema to the node `id`. `nullable`: null is allowed in addition.
    fn write(&mut self, id: u16, schema: &'s Schema, form: SlotKind, nullable: bool) {
        // If the types follow from an enum with conditional values, they depend on the turn: the runtime infers them.
        let varies = schema.choices.iter().any(|choice| choice.when.is_some());
        let mut types = if varies { schema.types.clone() } else { schema.effective_types() };
        if nullable && !types.is_empty() && !types.contains(&Type::Null) {
            types.push(Type::Null);
        }
        let mut node = Node { types: Types::new(&types), form, ..Node::ANY };
        let values = enum_values(schema);
        if !values.is_empty() {
            let start = count(&self.lowered.table.literals);
            for (value, when) in values {
                self.condition(Part::Literal(count(&self.lowered.table.literals)), when);
                self.lowered.table.literals.push(literal(value));
            }
            if nullable {
                self.lowered.table.literals.push(Literal::Null);
            }
            node.literals = span(start, &self.lowered.table.literals);
        }
        if schema.is_object() {
            // All nodes first, since writing one may add properties of nested objects.
            let nodes: Vec<u16> = schema.properties.iter().map(|property| self.node(&property.schema)).collect();
            let start = count(&self.lowered.table.properties);
            for (property, node) in schema.properties.iter().zip(nodes) {
                self.condition(Part::Property(count(&self.lowered.table.properties)), property.when.as_ref());
                let index = count(&self.lowered.table.properties);
                self.lowered.table.aliases.extend(property.aliases.iter().map(|alias| (index, text(&alias.value))));
                self.lowered.table.clamped.extend(property.clamp.then_some(index));
                if let Some(default) = property.schema.default.as_ref().filter(|_| !property.required) {
                    self.lowered.defaults.insert(index.into(), default.value.clone());
                }
                self.lowered.table.properties.push(table::Property {
                    name: property.name.value.as_str().into(),
                    required: property.required,
                    node,
                    hidden: false,
                    secret: property.secret,
                });
            }
            node.properties = span(start, &self.lowered.table.properties);
            node.additional = match &schema.additional {
                Additional::Deny => table::Additional::Deny,
                Additional::Allow | Additional::Unstated => table::Additional::Allow,
                Additional::Schema(schema) => table::Additional::Node(self.node(schema)),
            };
        }
        self.compose(&mut node, schema, nullable);
        node.items = schema.items.as_ref().map(|items| self.node(items));
        let (pattern, format) = (schema.pattern.as_ref(), schema.format.as_ref());
        let rule = TextRule::new(pattern.map(|at| &*at.value), format.map(|at| &*at.value));
        let bounds = Bounds { text: rule.map(Arc::new), ..schema.bounds.for_table() };
        if bounds != Bounds::NONE {
            self.lowered.table.bounds.push(bounds);
            node.bounds = Some(count(&self.lowered.table.bounds) - 1);
        }
        self.lowered.table.nodes[usize::from(id)] = node;
    }

    /// Adds schemas for the same value. A node has one list of alternatives; further lists get nodes of their own. A `$ref` with
    /// sibling keywords is a list of one alternative, so that values are repaired toward it.
    fn compose(&mut self, node: &mut Node, schema: &'s Schema, nullable: bool) {
        let mut all_of: Vec<u16> = schema.all_of.iter().map(|subschema| self.node(subschema)).collect();
        let defs = self.defs;
        let target = schema.reference.as_ref().map(|reference| defs.resolve(&defs.get(reference.to).schema));
        let target: Vec<u16> = target.into_iter().map(|resolved| self.definition_node(resolved)).collect();
        let mut unions = Vec::new();
        for (alternatives, exactly_one) in [(&schema.any_of, false), (&schema.one_of, true)] {
            if alternatives.is_empty() {
                continue;
            }
            // The alternatives of a union are the variants of the Rust enum; null is not one of them.
            let is_null = |schema: &&Schema| node.form == SlotKind::Union && schema.is_null();
            let (nulls, others): (Vec<&Schema>, Vec<&Schema>) = alternatives.iter().partition(is_null);
            let mut nodes: Vec<u16> = others.iter().chain(&nulls).map(|schema| self.node(schema)).collect();
            if node.form == SlotKind::Union && nullable && !defs.is_nullable(schema) {
                nodes.push(self.push(Node { types: Types::new(&[Type::Null]), ..Node::ANY }));
            }
            unions.push((nodes, exactly_one));
        }
        if !target.is_empty() {
            unions.push((target, false));
        }
        for (index, (nodes, exactly_one)) in unions.into_iter().enumerate() {
            let any_of = self.branches(nodes);
            if index == 0 {
                (node.any_of, node.exactly_one) = (any_of, exactly_one);
            } else {
                all_of.push(self.push(Node { any_of, exactly_one, ..Node::ANY }));
            }
        }
        if !all_of.is_empty() {
            node.all_of = self.branches(all_of);
        }
    }

    fn branches(&mut self, nodes: Vec<u16>) -> Span {
        let start = count(&self.lowered.table.branches);
        self.lowered.table.branches.extend(nodes);
        span(start, &self.lowered.table.branches)
    }

    fn condition(&mut self, part: Part, when: Option<&At<When>>) {
        if let Some(when) = when {
            self.lowered.table.conditions.push((part, compile(&when.value)));
        }
    }
}

/// Returns the values of `enum` or `const` with their conditions, in the order of the table and of the Rust enum. Null is the last
/// one, since the Rust enum does not have it.
pub(crate) fn enum_values(schema: &Schema) -> Vec<(&Value, Option<&At<When>>)> {
    if let Some(constant) = &schema.constant {
        return vec![(&constant.value, None)];
    }
    let (nulls, others): (Vec<&Choice>, Vec<&Choice>) =
        schema.choices.iter().partition(|choice| choice.value.value.is_null());
    others.into_iter().chain(nulls).map(|choice| (&choice.value.value, choice.when.as_ref())).collect()
}

/// Returns the length of a list. The size of schemas was checked before: see [`check::size`](crate::check).
fn count<T>(list: &[T]) -> u16 {
    u16::try_from(list.len()).unwrap_or_else(|_| unreachable!("a schema larger than the checks let pass"))
}

/// Returns the span of the items that were added to `list` since its length was `start`.
fn span<T>(start: u16, list: &[T]) -> Span {
    Span::new(start, count(list) - start)
}

fn literal(value: &Value) -> Literal {
    match value {
        Value::Null => Literal::Null,
        Value::Bool(flag) => Literal::Boolean(*flag),
        Value::String(string) => Literal::String(text(string)),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Literal::Integer(integer),
            None => Literal::Number(number.as_f64().unwrap_or_default()),
        },
        Value::Array(_) | Value::Object(_) => Literal::Json(value.to_string().into()),
    }
}
