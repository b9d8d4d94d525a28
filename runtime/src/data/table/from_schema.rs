//! Tables that are built at run time from the JSON Schema of a tool without a manifest, such as a tool of an MCP server.
//!
//! Supports draft 2020-12, and the differences of draft-07 and `OpenAPI` (`definitions`, `nullable`, tuples in `items`). A table may
//! allow more than its schema, but not less:
//!
//! - An unknown keyword is ignored, and a `$ref` to another document or to an unknown target allows everything.
//! - `pattern`, `format` and `patternProperties` need the feature `patterns`, and a pattern that its engine can hold.
//! - `not`, `if`, `contains` and the second match of `oneOf` forbid what a schema allows. They are enforced if the table allows exactly
//!   what that schema allows, so nothing above applies to it, nor does it contain itself.
//! - `unevaluatedProperties` is enforced for keys that no schema of the same object names, unless one of these schemas also applies to
//!   keys that it does not name. `unevaluatedItems` is enforced where it means the same as `items`.
//!
//! Where a keyword is not enforced, the numbers below it still get the spelling of integers that it asks for.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::data::name::parameter_aliases;
use crate::data::text_rule::TextRule;
use crate::vec_map::VecMap;

mod exact;
mod keywords;

use crate::args::further::Keywords;

use super::{Additional, Bound, Bounds, Literal, Node, NodeId, Property, Span, Table, Type, Types};

impl Table {
    /// Builds the table of a tool's arguments from their JSON Schema.
    ///
    /// All its nodes have [`SlotKind::Value`](super::SlotKind::Value), so that the arguments of a call are one JSON
    /// object. The root is an object, whatever its `type`. Unlike in a manifest, `additionalProperties` defaults to
    /// true. Keywords without a field in [`Node`] and [`Bounds`] are not enforced, nor are `pattern` and `format` without
    /// the feature `patterns`. For a `type` that is not a JSON type, values are neither repaired nor checked.
    ///
    /// # Errors
    /// Returns an error if `schema` is neither an object nor a boolean, or needs more than 65,535 entries in one of
    /// the table's lists.
    pub fn from_schema(schema: &Value) -> Result<Table, SchemaError> {
        if !schema.is_object() && !schema.is_boolean() {
            return Err(SchemaError::NotASchema);
        }
        let mut builder = Builder {
            root: schema,
            table: Lists::default(),
            ids: HashMap::new(),
            pending: Vec::new(),
            exact_steps: Cell::new(EXACT_STEPS),
        };
        builder.root()?;
        while let Some((id, schema)) = builder.pending.pop() {
            builder.write(id, schema)?;
        }
        let Lists { nodes, properties, literals, branches, bounds, further } = builder.table;
        Ok(Table { nodes, properties, literals, branches, bounds, further, ..Table::default() })
    }

    /// Returns another name for each parameter whose name a vendor refuses, by its own name. No other parameter of the tool has it.
    pub fn parameter_aliases(&self) -> BTreeMap<&str, String> {
        self.other_names().into_iter().collect()
    }

    /// Returns the same as [`parameter_aliases`](Self::parameter_aliases).
    pub(crate) fn other_names(&self) -> VecMap<&str, String> {
        // In the order of the nodes, alternatives come in the order of the schema.
        parameter_aliases(self.nodes.iter().flat_map(|node| self.properties(node)).map(|property| &*property.name))
    }

    /// Returns the table, in which integers may have any size: no typed handler reads them.
    pub(crate) fn with_wide_integers(mut self) -> Table {
        for node in &mut self.nodes {
            node.types = node.types.with_wide_integers();
        }
        self
    }

    /// Returns the table, in which a `format` refuses only what certainly does not have it: the program that declares it judges the rest.
    pub(crate) fn with_lenient_formats(mut self) -> Table {
        for rule in self.bounds.iter_mut().filter_map(|bounds| bounds.text.as_mut()) {
            Arc::make_mut(rule).is_lenient = true;
        }
        self
    }
}

/// Why [`Table::from_schema`] cannot build a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaError {
    /// The value is neither an object nor a boolean.
    NotASchema,
    /// The table would need more than 65,535 entries in one of its lists.
    TooLarge,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotASchema => "a schema must be a JSON object or a boolean",
            Self::TooLarge => "the schema is too large: more than 65,535 entries of one kind. Split the tool",
        })
    }
}

impl std::error::Error for SchemaError {}

/// The supported keywords. A `$ref` without any of them next to it is equivalent to its target.
const KEYWORDS: &[&str] = &[
    "type",
    "nullable",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "prefixItems",
    "unevaluatedItems",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "if",
    "not",
    "contains",
    #[cfg(feature = "patterns")]
    "pattern",
    #[cfg(feature = "patterns")]
    "format",
];

/// The maximum number of schemas that are visited to find out which ones the table states exactly.
const EXACT_STEPS: usize = 100_000;

type Schema = Map<String, Value>;

#[derive(Default)]
struct Lists {
    nodes: Vec<Node>,
    properties: Vec<Property>,
    literals: Vec<Literal>,
    branches: Vec<NodeId>,
    bounds: Vec<Bounds>,
    further: Vec<Arc<dyn Keywords>>,
}

struct Builder<'s> {
    root: &'s Value,
    table: Lists,
    /// The nodes of schemas, by address, so that the target of several `$ref`s is one node.
    ids: HashMap<*const Value, NodeId>,
    /// The nodes to build. A queue instead of recursion, because schemas form cycles and may be deep.
    pending: Vec<(NodeId, &'s Value)>,
    /// The steps that are left to find out which schemas the table states exactly.
    exact_steps: Cell<usize>,
}

impl<'s> Builder<'s> {
    fn root(&mut self) -> Result<(), SchemaError> {
        let id = self.add(Node::ANY)?;
        let target = self.resolve(self.root).unwrap_or(&Value::Bool(true));
        // Arguments are an object. The target of a `$ref` need not be one, unless the schema itself says so.
        if target.get("type").is_some_and(|name| name == "object") {
            self.ids.insert(self.root, id);
            self.ids.insert(target, id);
        }
        self.pending.push((id, target));
        Ok(())
    }

    /// Returns the node of `schema`.
    fn node(&mut self, schema: &'s Value) -> Result<NodeId, SchemaError> {
        let Some(target) = self.resolve(schema) else { return self.add(Node::ANY) };
        if let Some(id) = self.ids.get(&std::ptr::from_ref(target)) {
            return Ok(*id);
        }
        let id = self.add(Node::ANY)?;
        self.ids.insert(target, id);
        self.pending.push((id, target));
        Ok(id)
    }

    fn nodes(&mut self, schemas: Option<&'s Value>) -> Result<Vec<NodeId>, SchemaError> {
        schemas.and_then(Value::as_array).into_iter().flatten().map(|schema| self.node(schema)).collect()
    }

    /// Follows the `$ref` of a schema without other keywords. Returns `None` if it has no target.
    fn resolve(&self, mut schema: &'s Value) -> Option<&'s Value> {
        const MAX_HOPS: usize = 64;
        for _ in 0..MAX_HOPS {
            match schema.get("$ref").and_then(Value::as_str) {
                Some(pointer) if !KEYWORDS.iter().any(|keyword| schema.get(keyword).is_some()) => {
                    schema = self.target(pointer)?;
                }
                _ => return Some(schema),
            }
        }
        None
    }

    fn target(&self, reference: &str) -> Option<&'s Value> {
        let pointer = percent_decoded(reference.strip_prefix('#')?)?;
        self.root.pointer(&pointer)
    }

    fn write(&mut self, id: NodeId, schema: &'s Value) -> Result<(), SchemaError> {
        let node = match schema {
            Value::Object(map) => self.read(map, id == 0)?,
            Value::Bool(false) => self.nothing()?,
            _ => Node::ANY,
        };
        self.table.nodes[usize::from(id)] = node;
        if id == 0 {
            self.table.nodes[0].types = Types::new(&[Type::Object]);
        }
        Ok(())
    }

    fn read(&mut self, map: &'s Schema, is_root: bool) -> Result<Node, SchemaError> {
        let alternative = if is_root { None } else { self.nullable_alternative(map) };
        let (map, is_nullable) = (alternative.unwrap_or(map), alternative.is_some());
        let types = if is_root { Some(Types::ANY) } else { types(map) };
        let mut literals = literals(map);
        let nullable = !is_root && types.is_some() && (is_nullable || allows_null(map));
        let mut all_of = self.nodes(map.get("allOf"))?;
        let any_of = self.unions(map, &mut all_of)?;
        let composed = any_of.is_some() || !all_of.is_empty();
        let mut types_named = types.unwrap_or(Types::ANY);
        if nullable && !composed {
            if !literals.is_empty() {
                literals.push(Literal::Null);
            }
            types_named = match types_named {
                any if any.is_any() && literals.is_empty() => Types::new(&Type::ALL),
                any if any.is_any() => any,
                named => named.with(Type::Null),
            };
        }
        let (any_of, exactly_one) = any_of.unwrap_or_default();
        let node = Node {
            types: types_named,
            literals: span(&mut self.table.literals, literals)?,
            properties: self.properties(map)?,
            additional: self.additional(map)?,
            items: self.items(map)?,
            any_of: span(&mut self.table.branches, any_of)?,
            exactly_one,
            all_of: span(&mut self.table.branches, all_of)?,
            bounds: self.bounds(map)?,
            further: self.further(map)?,
            ..Node::ANY
        };
        if types.is_none() {
            // Inside an `allOf`, so that values are not repaired.
            let inner = self.add(node)?;
            let all_of = span(&mut self.table.branches, vec![inner])?;
            return Ok(Node { all_of, ..Node::ANY });
        }
        if nullable && composed {
            let null = self.add(Node { types: Types::new(&[Type::Null]), ..Node::ANY })?;
            let either = vec![self.add(node)?, null];
            return Ok(Node { any_of: span(&mut self.table.branches, either)?, ..Node::ANY });
        }
        Ok(node)
    }

    /// If the schema is an `anyOf` or `oneOf` of null and a simple schema, without other keywords, returns that simple schema.
    /// The node then gets its type and null, as in generated tables.
    fn nullable_alternative(&self, map: &'s Schema) -> Option<&'s Schema> {
        let is_null = |schema: &&Value| schema.get("type").is_some_and(|name| name == "null");
        let mut keywords = KEYWORDS.iter().filter(|keyword| map.contains_key(**keyword));
        let word = keywords.next().filter(|word| ["anyOf", "oneOf"].contains(word) && !map.contains_key("$ref"))?;
        let (Some([a, b]), None) = (map[*word].as_array().map(Vec::as_slice), keywords.next()) else { return None };
        let other = match (is_null(&a), is_null(&b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        let other = self.resolve(other)?.as_object()?;
        let is_plain = !["anyOf", "oneOf", "allOf", "$ref", "not", "if"].iter().any(|word| other.contains_key(*word));
        let is_typed = other.contains_key("enum") || other.contains_key("const") || other.contains_key("type");
        // If both alternatives allow null, `oneOf` refuses it.
        let may_be_null = *word == "anyOf" || !(allows_null(other) || names_null(other));
        (is_plain && is_typed && types(other).is_some() && may_be_null).then_some(other)
    }

    /// Reads `anyOf`, `oneOf`, and a `$ref` among other keywords, which is a part of `allOf`. A node can only store one of the first two;
    /// the other is appended to `all_of`.
    fn unions(
        &mut self,
        map: &'s Schema,
        all_of: &mut Vec<NodeId>,
    ) -> Result<Option<(Vec<NodeId>, bool)>, SchemaError> {
        if let Some(target) = map.get("$ref").and_then(Value::as_str).and_then(|pointer| self.target(pointer)) {
            all_of.push(self.node(target)?);
        }
        let any_of = self.nodes(map.get("anyOf"))?;
        let one_of = self.nodes(map.get("oneOf"))?;
        let is_exact = self.are_exact(map.get("oneOf"));
        let mut all = [(any_of, false), (one_of, is_exact)].into_iter().filter(|u| !u.0.is_empty());
        let first = all.next();
        for (branches, exactly_one) in all {
            let any_of = span(&mut self.table.branches, branches)?;
            all_of.push(self.add(Node { any_of, exactly_one, ..Node::ANY })?);
        }
        Ok(first)
    }

    /// Returns a node that allows no value, for the schema `false`: a `oneOf` of which two alternatives always match.
    fn nothing(&mut self) -> Result<Node, SchemaError> {
        let any = self.add(Node::ANY)?;
        let any_of = span(&mut self.table.branches, vec![any, any])?;
        Ok(Node { any_of, exactly_one: true, ..Node::ANY })
    }

    fn properties(&mut self, map: &'s Schema) -> Result<Span, SchemaError> {
        let required: Vec<&str> =
            map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let declared = map.get("properties").and_then(Value::as_object);
        let mut properties = Vec::new();
        for (name, schema) in declared.into_iter().flatten() {
            let required = required.contains(&&**name);
            properties.push(Property {
                name: name.as_str().into(),
                required,
                node: self.node(schema)?,
                hidden: false,
                secret: false,
            });
        }
        for name in required {
            if properties.iter().any(|property| *property.name == *name) {
                continue;
            }
            let node = match map.get("additionalProperties") {
                Some(schema @ Value::Object(_)) => self.node(schema)?,
                _ => self.add(Node::ANY)?,
            };
            properties.push(Property { name: name.into(), required: true, node, hidden: false, secret: false });
        }
        span(&mut self.table.properties, properties)
    }

    fn additional(&mut self, map: &'s Schema) -> Result<Additional, SchemaError> {
        // Which keys it applies to depends on the patterns: see `Self::further`.
        let patterns = map.get("patternProperties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
        Ok(match map.get("additionalProperties") {
            Some(Value::Bool(false)) if !patterns => Additional::Deny,
            Some(schema @ Value::Object(object)) if !patterns && !object.is_empty() => {
                Additional::Node(self.node(schema)?)
            }
            _ => Additional::Allow,
        })
    }

    fn items(&mut self, map: &'s Schema) -> Result<Option<NodeId>, SchemaError> {
        match map.get("items") {
            // After `prefixItems`, it does not apply to every item: see `Self::further`.
            Some(schema @ (Value::Object(_) | Value::Bool(_))) if !map.contains_key("prefixItems") => {
                self.node(schema).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn bounds(&mut self, map: &Schema) -> Result<Option<u16>, SchemaError> {
        let number = |key| map.get(key).and_then(bound);
        let count = |key| map.get(key).and_then(bound).and_then(count);
        let bounds = Bounds {
            minimum: number("minimum"),
            maximum: number("maximum"),
            exclusive_minimum: number("exclusiveMinimum"),
            exclusive_maximum: number("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            min_items: count("minItems"),
            max_items: count("maxItems").into_iter().chain(tuple_length(map)).min(),
            unique_items: map.get("uniqueItems") == Some(&Value::Bool(true)),
            min_properties: count("minProperties"),
            max_properties: count("maxProperties"),
            text: text_rule(map),
        };
        if bounds == Bounds::NONE {
            return Ok(None);
        }
        span(&mut self.table.bounds, vec![bounds]).map(|span| Some(span.start))
    }

    fn add(&mut self, node: Node) -> Result<NodeId, SchemaError> {
        span(&mut self.table.nodes, vec![node]).map(|span| span.start)
    }
}

/// Appends `entries` to `list`, and returns their span.
fn span<T>(list: &mut Vec<T>, entries: Vec<T>) -> Result<Span, SchemaError> {
    if entries.is_empty() {
        return Ok(Span::NONE);
    }
    let index = |number: usize| u16::try_from(number).map_err(|_| SchemaError::TooLarge);
    let (start, len) = (index(list.len())?, index(entries.len())?);
    list.extend(entries);
    Ok(Span::new(start, len))
}

/// Returns the number of items of a tuple that has no others.
fn tuple_length(map: &Schema) -> Option<u64> {
    let (prefix, rest) = keywords::tuple(map);
    let length = prefix.filter(|_| rest == Some(&Value::Bool(false)))?.len();
    u64::try_from(length).ok()
}

/// Returns what `pattern` and `format` require.
fn text_rule(map: &Schema) -> Option<Arc<TextRule>> {
    let text = |keyword| map.get(keyword).and_then(Value::as_str);
    TextRule::new(text("pattern"), text("format")).map(Arc::new)
}

/// Returns the types in `type`, or `None` if any of them is not a JSON type.
fn types(map: &Schema) -> Option<Types> {
    let one = |name: &Value| name.as_str().and_then(Type::from_name);
    match map.get("type") {
        None => Some(Types::ANY),
        Some(Value::Array(names)) => {
            names.iter().try_fold(Types::ANY, |types, name| one(name).map(|name| types.with(name)))
        }
        Some(name) => one(name).map(|name| Types::new(&[name])),
    }
}

/// Returns whether the schema has `OpenAPI`'s `nullable`.
fn allows_null(map: &Schema) -> bool {
    map.get("nullable") == Some(&Value::Bool(true))
}

/// Returns whether null is among the types and values.
fn names_null(map: &Schema) -> bool {
    let is_typed = types(map).is_none_or(|types| types.contains(Type::Null));
    let values = literals(map);
    is_typed || values.iter().any(|value| matches!(value, Literal::Null))
}

fn literals(map: &Schema) -> Vec<Literal> {
    match (map.get("const"), map.get("enum")) {
        (Some(value), _) => vec![literal(value)],
        (None, Some(Value::Array(values))) => values.iter().map(literal).collect(),
        _ => Vec::new(),
    }
}

fn literal(value: &Value) -> Literal {
    match value {
        Value::Null => Literal::Null,
        Value::Bool(value) => Literal::Boolean(*value),
        // The spelling matters: 5.0 is a number, not an integer.
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Literal::Integer(integer),
            None => Literal::Number(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Literal::String(Cow::Owned(text.clone())),
        Value::Array(_) | Value::Object(_) => Literal::Json(Cow::Owned(value.to_string())),
    }
}

fn bound(value: &Value) -> Option<Bound> {
    let number = value.as_number()?;
    let integer = crate::number::integer(number).map(Bound::Integer);
    integer.or_else(|| number.as_u64().map(Bound::Unsigned)).or_else(|| number.as_f64().map(Bound::Number))
}

fn count(bound: Bound) -> Option<u64> {
    match bound {
        Bound::Integer(integer) => u64::try_from(integer).ok(),
        Bound::Unsigned(integer) => Some(integer),
        Bound::Number(_) => None,
    }
}

/// Returns `text` without URI escapes, or `None` if one is invalid.
fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let code = std::str::from_utf8(rest.get(..2)?).ok()?;
            out.push(u8::from_str_radix(code, 16).ok()?);
            rest = &rest[2..];
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}
