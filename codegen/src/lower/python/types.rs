//! The types of Python for schemas. An object with declared keys is a `TypedDict`.

use serde_json::Value;
use toolc::__gen::table::{SlotKind, Type};
use toolc_lower::schema::{Additional, DefId, Defs, Property, Schema};

use super::names::{Scope, is_identifier, pascal};

/// A `TypedDict`.
pub(super) struct Class<'s> {
    pub(super) name: String,
    /// The keys with their types.
    pub(super) keys: Vec<(&'s Property, String)>,
}

/// The types of a tool.
pub(super) struct Types<'s> {
    defs: &'s Defs,
    scope: Scope,
    pub(super) classes: Vec<Class<'s>>,
    /// The class of each definition that has one.
    of_defs: Vec<Option<String>>,
    /// The definitions that are being described, from the outermost to the innermost.
    within: Vec<DefId>,
}

impl<'s> Types<'s> {
    pub(super) fn new(defs: &'s Defs) -> Self {
        let scope = Scope::with(&["Any", "Literal", "NotRequired", "ToolError", "TypedDict"]);
        Self { defs, scope, classes: Vec::new(), of_defs: vec![None; defs.len()], within: Vec::new() }
    }

    /// Returns the annotation for a schema. `path` is the name of a class that it needs.
    pub(super) fn of(&mut self, schema: &'s Schema, path: &[&str]) -> String {
        let kind = self.defs.slot_kind(schema);
        let resolved = self.defs.resolve(schema);
        let is_nullable = kind != SlotKind::Value && self.defs.is_nullable(schema);
        let ty = match resolved.via {
            None => self.of_resolved(resolved.schema, kind, None, path),
            Some(id) => self.of_def(id, resolved.schema, kind, path),
        };
        if is_nullable && ty != "Any" && !ty.ends_with("| None") { format!("{ty} | None") } else { ty }
    }

    /// Returns the annotation for a definition. One that contains itself without a class between is not described.
    fn of_def(&mut self, id: DefId, schema: &'s Schema, kind: SlotKind, path: &[&str]) -> String {
        if let Some(class) = &self.of_defs[id.0] {
            return class.clone();
        }
        if self.within.contains(&id) {
            return "Any".to_owned();
        }
        self.within.push(id);
        let ty = self.of_resolved(schema, kind, Some(id), path);
        self.within.pop();
        ty
    }

    fn of_resolved(&mut self, schema: &'s Schema, kind: SlotKind, via: Option<DefId>, path: &[&str]) -> String {
        if let Some(literals) = literals(schema) {
            return literals;
        }
        match kind {
            SlotKind::Boolean => "bool".to_owned(),
            SlotKind::Integer => "int".to_owned(),
            SlotKind::Number => "float".to_owned(),
            SlotKind::String | SlotKind::Choice => "str".to_owned(),
            SlotKind::Array => {
                let item = schema.items.as_deref().map(|items| self.of(items, &[path, &["item"]].concat()));
                format!("list[{}]", item.as_deref().unwrap_or("Any"))
            }
            SlotKind::Map => {
                let Additional::Schema(additional) = &schema.additional else { return "dict[str, Any]".to_owned() };
                format!("dict[str, {}]", self.of(additional, &[path, &["value"]].concat()))
            }
            SlotKind::Object => self.class(schema, via, path),
            SlotKind::Union => self.union(schema.in_place(), path),
            SlotKind::Value if !schema.any_of.is_empty() => self.union(schema.any_of.iter(), path),
            SlotKind::Value if !schema.one_of.is_empty() => self.union(schema.one_of.iter(), path),
            SlotKind::Value => of_types(&schema.types),
        }
    }

    fn union(&mut self, alternatives: impl Iterator<Item = &'s Schema>, path: &[&str]) -> String {
        let mut types: Vec<String> = Vec::new();
        for (index, alternative) in alternatives.enumerate() {
            let ty = self.of(alternative, &[path, &[&(index + 1).to_string()]].concat());
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
        if types.iter().any(|ty| ty == "Any") { "Any".to_owned() } else { types.join(" | ") }
    }

    fn class(&mut self, schema: &'s Schema, via: Option<DefId>, path: &[&str]) -> String {
        let keys = &schema.properties;
        if keys.is_empty() || !keys.iter().all(|key| is_identifier(&key.name.value)) {
            return "dict[str, Any]".to_owned();
        }
        let name = self.scope.claim(pascal(path));
        if let Some(id) = via {
            self.of_defs[id.0] = Some(name.clone());
        }
        let position = self.classes.len();
        self.classes.push(Class { name: name.clone(), keys: Vec::new() });
        let types = keys.iter().map(|key| (key, self.of(&key.schema, &[path, &[&key.name.value]].concat())));
        let types = types.collect();
        self.classes[position].keys = types;
        name
    }
}

/// Returns the type of the only values that a schema allows, or `None` if it allows others.
fn literals(schema: &Schema) -> Option<String> {
    let constant = schema.constant.iter().map(|constant| &constant.value);
    let values: Vec<&Value> = schema.choices.iter().map(|choice| &choice.value.value).chain(constant).collect();
    let literal = |value: &&Value| match value {
        Value::Null => Some("None".to_owned()),
        Value::Bool(flag) => Some(if *flag { "True" } else { "False" }.to_owned()),
        Value::Number(number) if number.is_i64() => Some(number.to_string()),
        Value::String(_) => Some(value.to_string()),
        _ => None,
    };
    let literals: Vec<String> = values.iter().map(literal).collect::<Option<_>>()?;
    (!literals.is_empty()).then(|| format!("Literal[{}]", literals.join(", ")))
}

fn of_types(types: &[Type]) -> String {
    let of_type = |ty: &Type| match ty {
        Type::Null => "None",
        Type::Boolean => "bool",
        Type::Integer => "int",
        Type::Number => "float",
        Type::String => "str",
        Type::Array => "list[Any]",
        Type::Object => "dict[str, Any]",
    };
    if types.is_empty() { "Any".to_owned() } else { types.iter().map(of_type).collect::<Vec<_>>().join(" | ") }
}
