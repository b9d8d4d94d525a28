//! Rewrites: how a program turns arguments that match the definition of a dialect into arguments that match the manifest's own schema.
//!
//! Narrowing changes the form of some values: a map becomes JSON text, and null stands for an absent property. [`rewrites`] walks the
//! schema of the manifest and the narrowed one together, and records at each value what to undo. A value is described by all schemas of
//! the manifest that apply to it, and by every schema that the dialect sends for it. The latter may be several alternatives: the
//! schemas of the manifest decide which of them a value matched.
//!
//! Which alternative of a union a value matches depends on the value. If the alternatives differ in what to undo, the node lists all:
//! the right one makes the value valid.

use std::collections::HashMap;

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_lower::dialects::Dialect;
use toolc_lower::schema::{Additional, Defs, Property, Schema};
use toolc_lower::text::atoms::When;
use toolc_lower::text::condition::Condition;

use super::form::{form, parameters};
use crate::catalog::Tool;

/// The maximum number of alternatives of unions that are visited for a tool. Rewrites in further ones are not undone.
const MAX_ALTERNATIVES: usize = 10_000;

/// What to undo in the arguments of a tool.
#[derive(Debug)]
pub struct Rewrites {
    /// The nodes. The first one is that of the arguments as a whole.
    pub nodes: Vec<Node>,
    /// The parameters that the dialect leaves out because of their names.
    pub omitted: Vec<String>,
    /// The parameter whose value is the whole input, if the dialect asks for plain text.
    pub text: Option<String>,
}

/// What to undo in a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// Whether a string is the JSON text of the value.
    pub json_text: bool,
    /// The properties of an object.
    pub properties: Vec<(String, Entry)>,
    /// The node of all other properties.
    pub additional: Option<usize>,
    /// The node of the items of an array.
    pub items: Option<usize>,
    /// Alternatives. The first one that makes the value valid is the right one.
    pub any_of: Vec<usize>,
    /// The JSON pointers, in the schema of the arguments, of the schemas for which the value must be valid.
    pub valid: Vec<String>,
}

/// What to undo in a property.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The node of its value.
    pub node: usize,
    /// Whether null means that the property is absent.
    pub null_is_absent: bool,
    /// The value of the property if it is absent.
    pub default: Option<Value>,
    /// The turns in which the property exists, or `None` for all.
    pub when: Option<When>,
}

/// Returns what to undo in the arguments of a tool in a dialect that accepts the tool.
pub fn rewrites(dialect: &'static Dialect, tool: &Tool) -> Rewrites {
    let (root, defs) = (&tool.manifest.params, &tool.manifest.defs);
    let narrowed = parameters(dialect, tool);
    let mut pointers = HashMap::new();
    add_pointers(root, String::new(), &mut pointers);
    for (_, def) in defs.iter() {
        add_pointers(&def.schema, format!("/$defs/{}", escaped(&def.name.value)), &mut pointers);
    }
    let mut walk = Walk {
        defs,
        sent_defs: &narrowed.defs,
        pointers,
        known: HashMap::new(),
        nodes: Vec::new(),
        budget: MAX_ALTERNATIVES,
    };
    // A dialect that accepts any schema does not change the form of values.
    let sent = if dialect.accepts_any_schema() { Vec::new() } else { vec![&*narrowed.schema] };
    walk.node(&[root], &sent);
    let nodes = walk.nodes;
    let is_omitted = |name: &str| dialect.tool.parameter_name().is_some_and(|names| !names.value.accepts(name));
    let names = nodes[0].properties.iter().map(|(name, _)| name);
    let declared = root.properties.iter().map(|property| &property.name.value);
    let mut omitted: Vec<String> = Vec::new();
    for name in declared.chain(names).filter(|name| is_omitted(name)) {
        if !omitted.contains(name) {
            omitted.push(name.clone());
        }
    }
    let is_text = tool.manifest.text_input.is_some() && form(dialect, tool).extensions.text_input().is_some();
    let text = root.properties.first().filter(|_| is_text).map(|property| property.name.value.clone());
    Rewrites { nodes, omitted, text }
}

/// Adds the JSON pointer of each schema in the document of the arguments.
fn add_pointers(schema: &Schema, pointer: String, pointers: &mut HashMap<*const Schema, String>) {
    let mut add = |schema: &Schema, step: &str| add_pointers(schema, format!("{pointer}/{step}"), pointers);
    for property in &schema.properties {
        add(&property.schema, &format!("properties/{}", escaped(&property.name.value)));
    }
    if let Additional::Schema(values) = &schema.additional {
        add(values, "additionalProperties");
    }
    if let Some(items) = &schema.items {
        add(items, "items");
    }
    for (keyword, schemas) in [("anyOf", &schema.any_of), ("oneOf", &schema.one_of), ("allOf", &schema.all_of)] {
        for (index, schema) in schemas.iter().enumerate() {
            add(schema, &format!("{keyword}/{index}"));
        }
    }
    pointers.insert(schema, pointer);
}

/// Returns a key as a step of a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

type Address = *const Schema;

struct Walk<'s> {
    defs: &'s Defs,
    /// The definitions of the narrowed schema.
    sent_defs: &'s Defs,
    /// The JSON pointers of the schemas of the manifest.
    pointers: HashMap<Address, String>,
    /// The node of a value, by the schemas of the manifest and of the dialect that apply to it.
    known: HashMap<(Vec<Address>, Vec<Address>), usize>,
    nodes: Vec<Node>,
    /// The number of alternatives that may still be visited.
    budget: usize,
}

impl<'s> Walk<'s> {
    /// Returns the node of a value that all schemas of `declared` apply to, and that is sent as one of `sent` allows.
    fn node(&mut self, declared: &[&'s Schema], sent: &[&'s Schema]) -> usize {
        // Without aliases, so that all uses of a definition have one node.
        let declared: Vec<_> = declared.iter().map(|schema| without_alias(schema, self.defs)).collect();
        let sent: Vec<_> = sent.iter().map(|schema| without_alias(schema, self.sent_defs)).collect();
        let key = (addresses(&declared), addresses(&sent));
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes.push(Node::default());
        self.known.insert(key, id);
        let sent = expand(&sent, self.sent_defs, |schema| schema.in_place().collect());
        let allowed = |ty: Type| declared.iter().all(|schema| self.defs.allows_type(schema, ty));
        let json_text = sends(&sent, Type::String) && !allowed(Type::String);
        let all = expand(&declared, self.defs, |schema| schema.all_of.iter().collect());
        let mut node = self.split(&declared, &all, 0, &sent);
        node.json_text = json_text;
        self.nodes[id] = node;
        id
    }

    /// Returns the node of a value that all schemas of `all` apply to. The unions of the first `done` schemas have been resolved.
    fn split(&mut self, declared: &[&'s Schema], all: &[&'s Schema], done: usize, sent: &[&'s Schema]) -> Node {
        let unions = |schema: &'s Schema| [&schema.any_of, &schema.one_of].map(Vec::as_slice);
        let mut pending = all[done / 2..].iter().flat_map(|schema| unions(schema)).enumerate().skip(done % 2);
        let Some((skipped, union)) = pending.find(|(_, union)| !union.is_empty()) else {
            return self.parts(all, sent);
        };
        let done = (done / 2) * 2 + skipped + 1;
        let mut nodes: Vec<Node> = Vec::new();
        for alternative in union {
            let has_parts = |ty: &Type| self.defs.allows_type(alternative, *ty);
            if ![Type::Array, Type::Object].iter().any(has_parts) {
                continue;
            }
            let Some(budget) = self.budget.checked_sub(1) else { return self.parts(all, sent) };
            self.budget = budget;
            let mut with_alternative = all.to_vec();
            for schema in expand(&[alternative], self.defs, |schema| schema.all_of.iter().collect()) {
                if !with_alternative.iter().any(|other| std::ptr::eq(*other, schema)) {
                    with_alternative.push(schema);
                }
            }
            let node = self.split(declared, &with_alternative, done, sent);
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        if nodes.len() <= 1 {
            return nodes.pop().unwrap_or_default();
        }
        let mut any_of = Vec::new();
        for node in nodes {
            if node.any_of.is_empty() {
                self.nodes.push(node);
                any_of.push(self.nodes.len() - 1);
            } else {
                any_of.extend(node.any_of);
            }
        }
        let valid = declared.iter().map(|schema| self.pointers[&std::ptr::from_ref(*schema)].clone()).collect();
        Node { any_of, valid, ..Node::default() }
    }

    /// Returns the node of a value that all these schemas apply to, without regard to unions.
    fn parts(&mut self, all: &[&'s Schema], sent: &[&'s Schema]) -> Node {
        let mut node = Node::default();
        let items = |schemas: &[&'s Schema]| schemas.iter().filter_map(|schema| schema.items.as_deref()).collect();
        let (declared, sent_items): (Vec<&'s Schema>, Vec<&'s Schema>) = (items(all), items(sent));
        if !declared.is_empty() {
            node.items = Some(self.node(&declared, &sent_items));
        }
        let additional = |schemas: &[&'s Schema]| schemas.iter().filter_map(|schema| additional(schema)).collect();
        let (declared, sent_values): (Vec<&'s Schema>, Vec<&'s Schema>) = (additional(all), additional(sent));
        if !declared.is_empty() {
            node.additional = Some(self.node(&declared, &sent_values));
        }
        let mut names: Vec<&'s str> = Vec::new();
        for property in all.iter().chain(sent).flat_map(|schema| &schema.properties) {
            if !names.contains(&property.name.value.as_str()) {
                names.push(&property.name.value);
            }
        }
        for name in names {
            let entry = self.entry(name, all, sent);
            node.properties.push((name.to_owned(), entry));
        }
        node
    }

    /// Returns what to undo in a property of a value that all these schemas apply to.
    fn entry(&mut self, name: &str, all: &[&'s Schema], sent: &[&'s Schema]) -> Entry {
        let declarations: Vec<&'s Property> = all.iter().filter_map(|schema| property(schema, name)).collect();
        let values = |schemas: &[&'s Schema]| -> Vec<&'s Schema> {
            let value = |schema: &&'s Schema| match property(schema, name) {
                Some(property) => Some(&property.schema),
                None => additional(schema),
            };
            schemas.iter().filter_map(value).collect()
        };
        let (declared, sent) = (values(all), values(sent));
        let is_required = declarations.iter().any(|property| property.required);
        let refuses_null = declared.is_empty() || !declared.iter().all(|schema| self.defs.accepts_null(schema));
        let sent_forms = expand(&sent, self.sent_defs, |schema| schema.in_place().collect());
        let default = declarations.iter().find_map(|property| property.schema.default.as_ref());
        let whens: Option<Vec<When>> =
            declarations.iter().map(|property| Some(property.when.as_ref()?.value.clone())).collect();
        let when = whens.and_then(|mut whens| if whens.len() > 1 { Some(Condition::Or(whens)) } else { whens.pop() });
        Entry {
            null_is_absent: !is_required && refuses_null && sends(&sent_forms, Type::Null),
            default: default.filter(|_| !is_required).map(|default| default.value.clone()),
            when,
            node: self.node(&declared, &sent),
        }
    }
}

/// Returns the target of a `$ref` without other constraints, or else the schema.
fn without_alias<'s>(mut schema: &'s Schema, defs: &'s Defs) -> &'s Schema {
    while let Some(reference) = schema.alias() {
        schema = &defs.get(reference.to).schema;
    }
    schema
}

/// Returns these schemas, the targets of their `$ref`s, and the schemas for the same value that `inner` returns, each once.
pub(super) fn expand<'s>(
    schemas: &[&'s Schema],
    defs: &'s Defs,
    inner: impl Fn(&'s Schema) -> Vec<&'s Schema>,
) -> Vec<&'s Schema> {
    let mut all: Vec<&'s Schema> = Vec::new();
    let mut pending: Vec<&'s Schema> = schemas.iter().rev().copied().collect();
    while let Some(schema) = pending.pop() {
        if all.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        all.push(schema);
        pending.extend(inner(schema).into_iter().rev());
        pending.extend(schema.reference.as_ref().map(|reference| &defs.get(reference.to).schema));
    }
    all
}

/// Returns whether one of these schemas, which have no further ones for the same value, allows a type.
fn sends(schemas: &[&Schema], ty: Type) -> bool {
    schemas.iter().any(|schema| schema.effective_types().contains(&ty))
}

fn property<'s>(schema: &'s Schema, name: &str) -> Option<&'s Property> {
    schema.properties.iter().find(|property| property.name.value == name)
}

/// Returns the schema of the undeclared properties of an object, if it has one.
fn additional(schema: &Schema) -> Option<&Schema> {
    if let Additional::Schema(values) = &schema.additional { Some(values) } else { None }
}

fn addresses(schemas: &[&Schema]) -> Vec<Address> {
    let mut addresses: Vec<Address> = schemas.iter().map(|schema| std::ptr::from_ref(*schema)).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}
