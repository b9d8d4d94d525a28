//! The keywords that become [`Further`] rules of a node.

use std::sync::Arc;

use serde_json::Value;

use super::super::further::{Condition, Contains, Further, OtherKeys, Test};
use super::{Builder, Schema, SchemaError};
use crate::data::text_rule::TextRule;
use crate::sorted;

/// The maximum number of characters of a schema in a message.
const MAX_SHOWN: usize = 200;
/// The maximum number of nested schemas of the same object in which names are looked up.
const MAX_NESTED: usize = 16;

/// The keywords with schemas for the same value.
const IN_PLACE: &[&str] = &["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/// Returns the schemas of the first items and of the others, as draft 2020-12 and as draft-07 write them.
pub(super) fn tuple(map: &Schema) -> (Option<&Vec<Value>>, Option<&Value>) {
    match (map.get("prefixItems").and_then(Value::as_array), map.get("items")) {
        (Some(prefix), rest) => (Some(prefix).filter(|prefix| !prefix.is_empty()), rest.or_else(|| unevaluated(map))),
        (None, Some(Value::Array(prefix))) if !prefix.is_empty() => (Some(prefix), map.get("additionalItems")),
        _ => (None, None),
    }
}

/// Returns `unevaluatedItems` where nothing else in the schema could apply to these items.
fn unevaluated(map: &Schema) -> Option<&Value> {
    let rest = map.get("unevaluatedItems")?;
    let may_apply = |keyword: &&str| map.contains_key(*keyword);
    (!IN_PLACE.iter().chain(&["$ref", "contains"]).any(may_apply)).then_some(rest)
}

impl<'s> Builder<'s> {
    /// Returns what a node says about the keywords that it has no field for.
    pub(super) fn further(&mut self, map: &'s Schema) -> Result<u16, SchemaError> {
        let (prefix, rest) = tuple(map);
        let rest = match rest {
            // The bound of the length says it.
            None | Some(Value::Bool(_)) => None,
            Some(schema) => Some(self.node(schema)?),
        };
        let further = Further {
            prefix: prefix.into_iter().flatten().map(|schema| self.node(schema)).collect::<Result<_, _>>()?,
            rest: rest.filter(|_| prefix.is_some()),
            patterns: self.patterns(map)?,
            others: self.other_keys(map)?,
            names: map.get("propertyNames").map(|schema| self.node(schema)).transpose()?,
            required: required_together(map),
            dependent: self.dependent(map)?,
            condition: self.condition(map)?,
            not: self.test(map.get("not").filter(|schema| self.is_exact(schema)))?,
            contains: self.contains(map)?,
        };
        if further.is_empty() {
            return Ok(0);
        }
        self.table.further.push(Arc::new(further));
        u16::try_from(self.table.further.len()).map_err(|_| SchemaError::TooLarge)
    }

    fn patterns(&mut self, map: &'s Schema) -> Result<Vec<(Option<TextRule>, u16)>, SchemaError> {
        let all = map.get("patternProperties").and_then(Value::as_object);
        all.into_iter().flatten().map(|(pattern, schema)| Ok((pattern_rule(pattern), self.node(schema)?))).collect()
    }

    fn other_keys(&mut self, map: &'s Schema) -> Result<Option<OtherKeys>, SchemaError> {
        let patterns = map.get("patternProperties").and_then(Value::as_object);
        let has_patterns = patterns.is_some_and(|patterns| !patterns.is_empty());
        let is_known = patterns.into_iter().flatten().all(|(pattern, _)| pattern_rule(pattern).is_some());
        let (mut declared, mut is_closed) = (Vec::new(), true);
        let (schema, is_certain) = match (map.get("additionalProperties"), map.get("unevaluatedProperties")) {
            (Some(schema), _) if has_patterns => {
                add_names(map, &mut declared);
                (schema, is_known)
            }
            (None, Some(schema)) => {
                self.names(map, 0, &mut declared, &mut is_closed);
                (schema, is_known && is_closed)
            }
            _ => return Ok(None),
        };
        let schema = match schema {
            Value::Bool(false) => None,
            Value::Object(object) if !object.is_empty() => Some(self.node(schema)?),
            _ => return Ok(None),
        };
        Ok(Some(OtherKeys { declared, schema, is_certain }))
    }

    /// Collects the names that the schemas of an object declare, and whether none of them applies to other keys.
    fn names(&self, map: &Schema, depth: usize, names: &mut Vec<String>, is_closed: &mut bool) {
        add_names(map, names);
        let applies_to_others = ["additionalProperties", "patternProperties", "unevaluatedProperties"];
        if depth == MAX_NESTED || (depth > 0 && applies_to_others.iter().any(|keyword| map.contains_key(*keyword))) {
            *is_closed = false;
            return;
        }
        for keyword in ["$recursiveRef", "$dynamicRef"] {
            *is_closed &= !map.contains_key(keyword);
        }
        if let Some(reference) = map.get("$ref") {
            match reference.as_str().and_then(|pointer| self.target(pointer)) {
                Some(Value::Object(target)) => self.names(target, depth + 1, names, is_closed),
                Some(Value::Bool(_)) => {}
                _ => *is_closed = false,
            }
        }
        for value in IN_PLACE.iter().filter_map(|keyword| Some((*keyword, map.get(*keyword)?))) {
            let schemas: Vec<&Value> = match value {
                (_, Value::Array(schemas)) => schemas.iter().collect(),
                ("dependentSchemas", Value::Object(schemas)) => schemas.values().collect(),
                (_, schema) => vec![schema],
            };
            for schema in schemas.into_iter().filter_map(Value::as_object) {
                self.names(schema, depth + 1, names, is_closed);
            }
        }
    }

    fn dependent(&mut self, map: &'s Schema) -> Result<Vec<(String, u16)>, SchemaError> {
        let old = map.get("dependencies").and_then(Value::as_object).into_iter().flatten();
        let old = old.filter(|(_, schema)| schema.is_object() || schema.is_boolean());
        let new = map.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten();
        new.chain(old).map(|(name, schema)| Ok((name.clone(), self.node(schema)?))).collect()
    }

    fn condition(&mut self, map: &'s Schema) -> Result<Option<Condition>, SchemaError> {
        let Some(test) = map.get("if") else { return Ok(None) };
        let mut branch = |keyword| map.get(keyword).map(|schema| self.node(schema)).transpose();
        let (then, otherwise) = (branch("then")?, branch("else")?);
        if then.is_none() && otherwise.is_none() {
            return Ok(None);
        }
        let test = if self.is_exact(test) { Some(self.node(test)?) } else { None };
        Ok(Some(Condition { test, then, otherwise }))
    }

    fn contains(&mut self, map: &'s Schema) -> Result<Option<Contains>, SchemaError> {
        let Some(schema) = map.get("contains") else { return Ok(None) };
        let count = |keyword| map.get(keyword).and_then(super::bound).and_then(super::count);
        let (is_certain, item) = (self.is_exact(schema), self.test(Some(schema))?);
        let (least, most) = (count("minContains").unwrap_or(1), count("maxContains"));
        Ok(item.map(|item| Contains { item, least, most, is_certain }))
    }

    fn test(&mut self, schema: Option<&'s Value>) -> Result<Option<Test>, SchemaError> {
        let Some(schema) = schema else { return Ok(None) };
        let mut text = schema.to_string();
        if let Some((end, _)) = text.char_indices().nth(MAX_SHOWN) {
            text.truncate(end);
            text.push('…');
        }
        Ok(Some(Test { schema: self.node(schema)?, text }))
    }
}

fn add_names(map: &Schema, names: &mut Vec<String>) {
    for name in map.get("properties").and_then(Value::as_object).into_iter().flat_map(|declared| declared.keys()) {
        sorted::insert(names, name.clone());
    }
}

/// Returns the rule for texts that match a pattern, or `None` if texts cannot be compared with it.
#[cfg(feature = "patterns")]
pub(super) fn pattern_rule(pattern: &str) -> Option<TextRule> {
    let is_enforced = |pattern: &crate::data::text_rule::Pattern| pattern.matches("").is_some();
    TextRule::new(Some(pattern), None).filter(|rule| rule.pattern.as_ref().is_some_and(is_enforced))
}

/// Returns `None`: without the feature `patterns`, no text can be compared with a pattern.
#[cfg(not(feature = "patterns"))]
pub(super) const fn pattern_rule(_pattern: &str) -> Option<TextRule> {
    None
}

fn required_together(map: &Schema) -> Vec<(String, Vec<String>)> {
    let old = map.get("dependencies").and_then(Value::as_object).into_iter().flatten();
    let new = map.get("dependentRequired").and_then(Value::as_object).into_iter().flatten();
    let names = |value: &Value| match value {
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(name) => vec![name.clone()],
        _ => Vec::new(),
    };
    new.chain(old).map(|(name, others)| (name.clone(), names(others))).filter(|(_, all)| !all.is_empty()).collect()
}
