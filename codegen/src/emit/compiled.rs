//! The compiled catalog: one JSON document from which the runtimes of other languages define tools and read arguments. It has what the
//! generated Rust code has, in a form that needs no compiler: argument tables instead of schemas, and definitions as texts with pieces.
//!
//! `docs/languages.md` describes the format.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolc::__gen::segment::{Atom, Condition, Op, Segment};
use toolc::__gen::table::{Additional, Bound, Bounds, Literal, Node, Part, SlotKind, Span, Table, Type};
use toolc::__gen::text_rule::{Format, Pattern};
use toolc_lower::dialects::{Dialect, Language};
use toolc_tables::fact_to_json;

use super::catalog::{requires, without_missing};
use super::declarations::declaration_with_parts;
use crate::catalog::{Tool, ToolId, Toolset, ToolsetId};
use crate::lower::{Lowered, accepts, definition, lower_schema};

/// The version of the format. A runtime refuses a catalog of another version.
pub const FORMAT: u32 = 1;

/// Returns the compiled catalog with the definitions in these dialects.
pub fn compiled(catalog: &Lowered<'_>, dialects: &[&'static Dialect]) -> Value {
    let facts =
        catalog.facts().iter().map(|fact| json!({ "name": fact.name.value, "default": fact_to_json(&fact.default) }));
    json!({
        "format": FORMAT,
        "dialects": dialects.iter().map(|dialect| dialect.name).collect::<Value>(),
        "facts": facts.collect::<Value>(),
        "toolsets": catalog.toolsets().map(|(id, toolset)| toolset_json(catalog, id, toolset)).collect::<Value>(),
        "tools": catalog.tools().map(|(id, tool)| tool_json(catalog, dialects, id, tool)).collect::<Value>(),
    })
}

fn toolset_json(catalog: &Lowered<'_>, id: ToolsetId, toolset: &Toolset) -> Value {
    let lowered = catalog.toolset(id);
    let mut json = Map::from_iter([("name".to_owned(), json!(lowered.name))]);
    let lists = [
        ("aliases", &lowered.aliases),
        ("tools", &lowered.tools),
        ("includes", &lowered.includes),
        ("excludes", &lowered.excludes),
    ];
    for (key, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        json.insert(key.to_owned(), json!(names));
    }
    if let Some(base) = lowered.base {
        json.insert("extends".to_owned(), json!(base));
    }
    if lowered.closed {
        json.insert("closed".to_owned(), json!(true));
    }
    let requires = requires(catalog, &toolset.requires, &toolset.manifest.requires, &toolset.atoms);
    insert_requires(&mut json, requires);
    json.into()
}

fn tool_json(catalog: &Lowered<'_>, dialects: &[&'static Dialect], id: ToolId, tool: &Tool) -> Value {
    let lowered = catalog.tool(id);
    let accepting = || dialects.iter().filter(|dialect| accepts(dialect, tool));
    let names = accepting().filter(|dialect| tool.name_in(dialect.name) != tool.name());
    let names: Map<String, Value> =
        names.map(|dialect| (dialect.name.to_owned(), json!(tool.name_in(dialect.name)))).collect();
    let mut json = json!({
        "name": lowered.name,
        "toolset": lowered.toolset,
        "description": lowered.description,
        "title": (!lowered.title.is_empty()).then_some(&lowered.title),
        "aliases": (!lowered.aliases.is_empty()).then_some(&lowered.aliases),
        "names": (!names.is_empty()).then_some(names),
    });
    let json_map = json.as_object_mut().expect("it was written as an object");
    let requires = requires(catalog, &tool.requires, &tool.manifest.requires, &tool.atoms);
    insert_requires(json_map, requires);
    let schema = lower_schema(&tool.manifest.params, &tool.manifest.defs);
    json_map.insert("arguments".to_owned(), table(&schema.table, &lowered.atoms, &schema.defaults));
    let definitions: Map<String, Value> = accepting()
        .filter_map(|dialect| Some((dialect.name.to_owned(), definition_json(catalog, dialect, id, tool)?)))
        .collect();
    json_map.insert("definitions".to_owned(), definitions.into());
    without_missing(std::mem::take(json_map))
}

/// Adds requirements, unless there are none. The condition as text is left out: `condition` has it as JSON.
fn insert_requires(json: &mut Map<String, Value>, mut requires: Value) {
    fn drop_texts(requires: &mut Value) {
        let Value::Object(map) = requires else { return };
        map.shift_remove("when");
        if let Some(Value::Array(alternatives)) = map.get_mut("any") {
            alternatives.iter_mut().for_each(drop_texts);
        }
    }
    drop_texts(&mut requires);
    if requires.as_object().is_some_and(|map| !map.is_empty()) {
        json.insert("requires".to_owned(), requires);
    }
}

/// Returns the pieces of a definition's text.
fn definition_json(catalog: &Lowered<'_>, dialect: &'static Dialect, id: ToolId, tool: &Tool) -> Option<Value> {
    match dialect.language {
        Language::Json => {
            let position = catalog.settings().dialects.iter().position(|other| other.name == dialect.name)?;
            let definition = catalog.definitions(id)[position].as_ref()?;
            let lowered = catalog.tool(id);
            Some(pieces(&definition.segments, &Pieces { atoms: &lowered.atoms, facts: &lowered.facts }))
        }
        Language::TypeScript => {
            let json = definition(dialect, catalog, tool).definition?;
            Some(match declaration_with_parts(catalog, dialect, tool, &json) {
                Some(parts) => parts["parts"][0]["text"].clone(),
                None => json!([dialect.written(json.full_value().to_string())]),
            })
        }
    }
}

/// What the numbers in segments refer to.
struct Pieces<'t> {
    atoms: &'t [Atom],
    facts: &'t [std::borrow::Cow<'static, str>],
}

fn pieces(mut segments: &[Segment], names: &Pieces<'_>) -> Value {
    let mut all = Vec::new();
    while let Some((segment, rest)) = segments.split_first() {
        segments = rest;
        all.push(match segment {
            Segment::Text(text) => json!(text),
            Segment::When { condition, segments: count } => {
                let inner;
                (inner, segments) = rest.split_at(usize::from(*count).min(rest.len()));
                json!({ "when": condition_json(condition, names.atoms), "text": pieces(inner, names) })
            }
            Segment::Fact(fact) => json!({ "fact": names.facts[usize::from(*fact)] }),
            Segment::Available { tools, join } => {
                let tools = tools
                    .iter()
                    .map(|(atom, name)| json!({ "when": atom_json(&names.atoms[usize::from(*atom)]), "text": name }));
                json!({ "join": tools.collect::<Value>(), "with": join })
            }
        });
    }
    all.into()
}

/// Returns a condition in reverse Polish notation as nested JSON.
fn condition_json(condition: &Condition, atoms: &[Atom]) -> Value {
    let mut stack: Vec<Value> = Vec::new();
    for op in &condition.0 {
        let one = match op {
            Op::Atom(atom) => atom_json(&atoms[usize::from(*atom)]),
            Op::Not => json!({ "not": stack.pop() }),
            Op::And | Op::Or => {
                let (second, first) = (stack.pop(), stack.pop());
                json!({ if *op == Op::And { "all" } else { "any" }: [first, second] })
            }
        };
        stack.push(one);
    }
    stack.pop().unwrap_or_else(|| json!({ "all": [] }))
}

fn atom_json(atom: &Atom) -> Value {
    match atom {
        Atom::Tool(name) => json!({ "tool": name }),
        Atom::Fact(name) => json!({ "fact": name, "is": "==", "value": true }),
        Atom::Compared(name, comparison, value) => {
            json!({ "fact": name, "is": comparison.sign(), "value": fact_to_json(value) })
        }
    }
}

/// Returns an argument table. `atoms` are what its conditions refer to, and `defaults` the defaults of properties by their indices in
/// the table.
pub fn table(table: &Table, atoms: &[Atom], defaults: &BTreeMap<usize, Value>) -> Value {
    let writer = TableWriter { table, atoms, defaults };
    table.nodes.iter().map(|node| writer.node(node)).collect()
}

struct TableWriter<'t> {
    table: &'t Table,
    atoms: &'t [Atom],
    defaults: &'t BTreeMap<usize, Value>,
}

impl TableWriter<'_> {
    fn node(&self, node: &Node) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        if !node.types.is_any() {
            put("types", node.types.iter().map(Type::name).collect());
        }
        if node.form == SlotKind::Value {
            put("untyped", json!(true));
        }
        if node.literals.len > 0 {
            put("enum", node.literals.slice(&self.table.literals).iter().map(literal).collect());
            let whens =
                self.conditions(node.literals, |part| if let Part::Literal(at) = part { Some(at) } else { None });
            if !whens.is_empty() {
                put("enum_when", whens.into());
            }
        }
        if node.properties.len > 0 {
            let range = usize::from(node.properties.start)..;
            let properties = range.zip(node.properties.slice(&self.table.properties));
            put("properties", properties.map(|(index, property)| self.property(index, property)).collect());
        }
        match node.additional {
            Additional::Deny => drop(put("additional", json!(false))),
            Additional::Node(id) => drop(put("additional", json!(id))),
            Additional::Allow => {}
        }
        if let Some(items) = node.items {
            put("items", json!(items));
        }
        let unions = [(if node.exactly_one { "one_of" } else { "any_of" }, node.any_of), ("all_of", node.all_of)];
        for (key, span) in unions.into_iter().filter(|(_, span)| span.len > 0) {
            put(key, json!(span.slice(&self.table.branches)));
        }
        if let Some(bounds) = node.bounds.and_then(|index| self.table.bounds.get(usize::from(index))) {
            put("bounds", bounds_json(bounds));
        }
        json.into()
    }

    /// Returns the conditions of the parts in `span`, each with its position in it.
    fn conditions(&self, span: Span, index_of: fn(Part) -> Option<u16>) -> Vec<Value> {
        let range = span.start..span.start + span.len;
        let within = |part: Part| index_of(part).filter(|index| range.contains(index)).map(|index| index - span.start);
        let conditions = self.table.conditions.iter().filter_map(|(part, condition)| Some((within(*part)?, condition)));
        conditions.map(|(at, condition)| json!([at, condition_json(condition, self.atoms)])).collect()
    }

    fn property(&self, index: usize, property: &toolc::__gen::table::Property) -> Value {
        let table = self.table;
        let is_this = |other: u16| usize::from(other) == index;
        let mut json = json!({ "name": &*property.name, "node": property.node });
        for (key, is_set) in [
            ("required", property.required),
            ("secret", property.secret),
            ("clamp", table.clamped.iter().copied().any(is_this)),
        ] {
            if is_set {
                json[key] = json!(true);
            }
        }
        let aliases: Vec<&str> =
            table.aliases.iter().filter(|(of, _)| is_this(*of)).map(|(_, alias)| &**alias).collect();
        if !aliases.is_empty() {
            json["aliases"] = json!(aliases);
        }
        if let Some(default) = self.defaults.get(&index) {
            json["default"] = default.clone();
        }
        let is_condition = |part: Part| matches!(part, Part::Property(of) if is_this(of));
        if let Some((_, condition)) = table.conditions.iter().find(|(part, _)| is_condition(*part)) {
            json["when"] = condition_json(condition, self.atoms);
        }
        json
    }
}

fn literal(literal: &Literal) -> Value {
    match literal {
        Literal::Null | Literal::Hidden => Value::Null,
        Literal::Boolean(flag) => json!(flag),
        Literal::Integer(integer) => json!(integer),
        Literal::Number(number) => json!(number),
        Literal::String(text) => json!(text),
        Literal::Json(text) => serde_json::from_str(text).unwrap_or_default(),
    }
}

fn bounds_json(bounds: &Bounds) -> Value {
    let number = |bound: Option<Bound>| match bound {
        None => Value::Null,
        Some(Bound::Integer(integer)) => json!(integer),
        Some(Bound::Unsigned(integer)) => json!(integer),
        Some(Bound::Number(number)) => json!(number),
    };
    let rule = bounds.text.as_deref();
    without_missing(Map::from_iter(
        [
            ("minimum", number(bounds.minimum)),
            ("maximum", number(bounds.maximum)),
            ("exclusiveMinimum", number(bounds.exclusive_minimum)),
            ("exclusiveMaximum", number(bounds.exclusive_maximum)),
            ("multipleOf", number(bounds.multiple_of)),
            ("minLength", json!(bounds.min_length)),
            ("maxLength", json!(bounds.max_length)),
            ("minItems", json!(bounds.min_items)),
            ("maxItems", json!(bounds.max_items)),
            ("uniqueItems", json!(bounds.unique_items.then_some(true))),
            ("minProperties", json!(bounds.min_properties)),
            ("maxProperties", json!(bounds.max_properties)),
            ("pattern", json!(rule.and_then(|rule| rule.pattern.as_ref()).map(Pattern::as_str))),
            ("format", json!(rule.and_then(|rule| rule.format).map(Format::name))),
        ]
        .map(|(key, value)| (key.to_owned(), value)),
    ))
}
