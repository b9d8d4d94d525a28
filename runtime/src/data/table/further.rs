//! The keywords of a schema that a [`Node`](super::Node) has no field for: which parts of a value they are about, and what is wrong with it.

use serde_json::{Map, Value};

use super::NodeId;
use crate::args::further::{Applied, Keywords, Mistake, Part};
use crate::args::reader::Reader;
use crate::args::{counted, described, described_key};
use crate::data::text_rule::TextRule;

/// The further keywords of one schema.
#[derive(Debug, Default)]
pub(super) struct Further {
    /// `prefixItems`.
    pub(super) prefix: Vec<NodeId>,
    /// The items after them.
    pub(super) rest: Option<NodeId>,
    /// `patternProperties`. A pattern that cannot be compared with keys is `None`.
    pub(super) patterns: Vec<(Option<TextRule>, NodeId)>,
    /// The keys to which neither `properties` nor a pattern applies.
    pub(super) others: Option<OtherKeys>,
    /// `propertyNames`.
    pub(super) names: Option<NodeId>,
    /// `dependentRequired`.
    pub(super) required: Vec<(String, Vec<String>)>,
    /// `dependentSchemas`.
    pub(super) dependent: Vec<(String, NodeId)>,
    /// `if`, `then` and `else`.
    pub(super) condition: Option<Condition>,
    /// `not`, if the table can tell which values it forbids.
    pub(super) not: Option<Test>,
    /// `contains`, `minContains` and `maxContains`.
    pub(super) contains: Option<Contains>,
}

/// `additionalProperties` next to `patternProperties`, or `unevaluatedProperties`.
#[derive(Debug)]
pub(super) struct OtherKeys {
    /// The names that are not among these keys, sorted.
    pub(super) declared: Vec<String>,
    /// The schema of their values, or `None` if there must be no such key.
    pub(super) schema: Option<NodeId>,
    /// Whether the table can tell which keys these are.
    pub(super) is_certain: bool,
}

/// A schema of which only the verdict counts.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) schema: NodeId,
    /// The schema as JSON, shortened.
    pub(super) text: String,
}

/// `if` with what follows from it.
#[derive(Debug)]
pub(super) struct Condition {
    /// `if`, or `None` if the table cannot tell whether it holds.
    pub(super) test: Option<NodeId>,
    pub(super) then: Option<NodeId>,
    pub(super) otherwise: Option<NodeId>,
}

#[derive(Debug)]
pub(super) struct Contains {
    pub(super) item: Test,
    pub(super) least: u64,
    pub(super) most: Option<u64>,
    /// Whether the table can tell which items count.
    pub(super) is_certain: bool,
}

impl Further {
    /// Returns whether there is nothing to apply and nothing to check.
    pub(super) fn is_empty(&self) -> bool {
        let has_list = !self.prefix.is_empty()
            || !self.patterns.is_empty()
            || !self.required.is_empty()
            || !self.dependent.is_empty();
        let has_one = self.rest.is_some()
            || self.others.is_some()
            || self.names.is_some()
            || self.condition.is_some()
            || self.not.is_some()
            || self.contains.is_some();
        !has_list && !has_one
    }

    fn apply_to_items(&self, items: &[Value], out: &mut Vec<Applied>) {
        let certain = |(index, schema): (usize, NodeId)| Applied { part: Part::Item(index), schema, is_certain: true };
        let after = (self.prefix.len()..items.len()).filter_map(|index| Some((index, self.rest?)));
        out.extend(self.prefix.iter().copied().enumerate().take(items.len()).chain(after).map(certain));
        if let Some(Contains { item, .. }) = &self.contains {
            let spelled = |index| Applied { part: Part::Item(index), schema: item.schema, is_certain: false };
            out.extend((0..items.len()).map(spelled));
        }
    }

    fn apply_to_keys(&self, reader: &Reader<'_>, map: &Map<String, Value>, out: &mut Vec<Applied>) {
        if self.patterns.is_empty() && self.others.is_none() {
            return;
        }
        for key in map.keys() {
            let mut is_matched = false;
            for (pattern, schema) in &self.patterns {
                let matches = pattern.as_ref().map(|pattern| holds(reader, pattern, key));
                is_matched |= matches == Some(true);
                if matches != Some(false) {
                    let (part, is_certain) = (Part::Key(key.clone()), matches.is_some());
                    out.push(Applied { part, schema: *schema, is_certain });
                }
            }
            if let Some(OtherKeys { declared, schema: Some(schema), is_certain }) = &self.others
                && !is_matched
                && declared.binary_search(key).is_err()
            {
                out.push(Applied { part: Part::Key(key.clone()), schema: *schema, is_certain: *is_certain });
            }
        }
    }

    fn apply_to_whole(&self, reader: &Reader<'_>, value: &Value, out: &mut Vec<Applied>) {
        let mut add = |schema, is_certain| out.push(Applied { part: Part::Whole, schema, is_certain });
        let is_sent = |name: &String| value.as_object().is_some_and(|map| map.contains_key(name));
        for (_, schema) in self.dependent.iter().filter(|(name, _)| is_sent(name)) {
            add(*schema, true);
        }
        match &self.condition {
            Some(Condition { test: Some(test), then, otherwise }) => {
                let branch = if reader.is_valid(value, *test) { then } else { otherwise };
                if let Some(schema) = branch {
                    add(*schema, true);
                }
            }
            Some(Condition { test: None, then, otherwise }) => {
                for schema in then.iter().chain(otherwise) {
                    add(*schema, false);
                }
            }
            None => {}
        }
    }

    /// Returns the keys that must not be there.
    fn refused_keys(&self, reader: &Reader<'_>, map: &Map<String, Value>, out: &mut Vec<Mistake>) {
        let Some(OtherKeys { declared, schema: None, is_certain: true }) = &self.others else { return };
        let is_matched =
            |key: &str| self.patterns.iter().flat_map(|(rule, _)| rule).any(|rule| holds(reader, rule, key));
        for (key, value) in map {
            if declared.binary_search(key).is_ok() || is_matched(key) {
                continue;
            }
            let mut names: Vec<&str> = declared.iter().map(String::as_str).collect();
            names.truncate(20);
            let patterns = self.patterns.iter().flat_map(|(rule, _)| rule).filter_map(|rule| rule.pattern.as_ref());
            let patterns: Vec<String> = patterns.map(|pattern| format!("what matches {}", pattern.as_str())).collect();
            let known: Vec<String> = names.iter().map(|name| described_key(name)).chain(patterns).collect();
            let known = if known.is_empty() {
                "no arguments are known here".to_owned()
            } else {
                format!("the known ones are {}", known.join(", "))
            };
            let expected = format!("no argument of this name ({known})");
            out.push(Mistake { part: Part::Key(key.clone()), expected, got: described(value) });
        }
    }

    fn missing_keys(&self, map: &Map<String, Value>, out: &mut Vec<Mistake>) {
        for (name, required) in self.required.iter().filter(|(name, _)| map.contains_key(name)) {
            for missing in required.iter().filter(|missing| !map.contains_key(*missing)) {
                let expected = format!("a value (required together with {})", described_key(name));
                out.push(Mistake { part: Part::Key(missing.clone()), expected, got: "nothing".to_owned() });
            }
        }
    }
}

impl Keywords for Further {
    fn applied(&self, reader: &Reader<'_>, value: &Value) -> Vec<Applied> {
        let mut all = Vec::new();
        match value {
            Value::Array(items) => self.apply_to_items(items, &mut all),
            Value::Object(map) => self.apply_to_keys(reader, map, &mut all),
            _ => {}
        }
        self.apply_to_whole(reader, value, &mut all);
        if reader.spend(all.len()) { all } else { Vec::new() }
    }

    fn mistakes(&self, reader: &Reader<'_>, value: &Value) -> Vec<Mistake> {
        let mut all = Vec::new();
        if let Some(Test { schema, text }) = &self.not
            && reader.is_valid(value, *schema)
        {
            let expected = format!("a value for which this schema is not valid: {text}");
            all.push(Mistake { part: Part::Whole, expected, got: described(value) });
        }
        match value {
            Value::Object(map) => {
                self.refused_keys(reader, map, &mut all);
                self.missing_keys(map, &mut all);
                let is_named = |key: &&String, schema| reader.is_valid(&Value::String((*key).clone()), schema);
                for key in map.keys().filter(|key| self.names.is_some_and(|schema| !is_named(key, schema))) {
                    let node = self.names.map(|schema| crate::args::expected(reader.table, schema));
                    let expected = format!("a key that is {}", node.unwrap_or_default());
                    all.push(Mistake { part: Part::Key(key.clone()), expected, got: described_key(key) });
                }
            }
            Value::Array(items) => {
                let Some(Contains { item, least, most, is_certain: true }) = &self.contains else { return all };
                let count = items.iter().filter(|one| reader.is_valid(one, item.schema)).count();
                if (count as u64) < *least || most.is_some_and(|most| count as u64 > most) {
                    let text = &item.text;
                    let range = match most {
                        Some(most) if most == least => format!("exactly {least}"),
                        Some(most) => format!("{least} to {most}"),
                        None => format!("at least {least}"),
                    };
                    let expected = format!("an array in which this schema is valid for {range} of the items: {text}");
                    all.push(Mistake { part: Part::Whole, expected, got: counted(count, "such item") });
                }
            }
            _ => {}
        }
        all
    }
}

/// Returns whether a key matches, and can be compared with the pattern within the budget.
#[cfg(feature = "patterns")]
fn holds(reader: &Reader<'_>, pattern: &TextRule, key: &str) -> bool {
    reader.spend(pattern.steps(key)) && pattern.holds(key)
}

/// Returns false: without the feature `patterns`, no pattern can be compared.
#[cfg(not(feature = "patterns"))]
const fn holds(_reader: &Reader<'_>, _pattern: &TextRule, _key: &str) -> bool {
    false
}
