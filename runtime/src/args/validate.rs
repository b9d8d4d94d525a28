//! Validation: finds all paths at which a value does not satisfy its schema.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::origin::{Step, push_key};
use super::reader::Reader;
use super::{expectation_text, json_type};
use crate::data::bounds;
use crate::data::table::{Additional, Bounds, Node, NodeId, Table, Type, Types};
use crate::result::error::Problem;
use crate::sorted;

/// The maximum number of reported problems; the rest is counted.
const MAX_LISTED: usize = 20;
/// The maximum depth of values and alternatives. A schema may be its own alternative.
const MAX_DEPTH: usize = 256;

/// Replaces the description of a secret value.
const SECRET: &str = "a secret value";

/// The problems of the arguments.
#[derive(Debug, Default)]
pub(super) struct Problems {
    pub(super) listed: Vec<Problem>,
    /// The number of problems that are not listed.
    pub(super) more: usize,
}

impl Reader<'_> {
    /// Returns all problems of the arguments, with their places in what was `sent`, or in `value` if that is unknown.
    pub(super) fn problems(&self, value: &Value, sent: Option<&Value>) -> Problems {
        let redacted = self.table.has_secrets().then(|| self.redacted(value));
        let report = Some(Report { problems: Problems::default(), redacted, arguments: value, sent });
        let mut check = Validator { reader: self, report, nulls: false, ok: true };
        if value.is_object() {
            check.node(value, 0, &JsonPath::ROOT);
        } else {
            let (table, root) = (self.table, self.table.node(0));
            check.fail(&JsonPath::ROOT, &|| ("object".to_owned(), Validator::got(table, value, root)));
        }
        check.report.map(|report| report.problems).unwrap_or_default()
    }

    /// Returns whether the arguments satisfy the table.
    pub(super) fn are_valid(&self, arguments: &Value) -> bool {
        arguments.is_object() && self.is_valid(arguments, 0)
    }

    /// Returns whether `value` satisfies a node.
    pub(crate) fn is_valid(&self, value: &Value, id: NodeId) -> bool {
        self.satisfies(value, id, &JsonPath::ROOT, false)
    }

    /// Like `is_valid`, but null may represent an absent property.
    pub(super) fn is_valid_with_nulls(&self, value: &Value, id: NodeId) -> bool {
        self.satisfies(value, id, &JsonPath::ROOT, true)
    }

    fn satisfies(&self, value: &Value, id: NodeId, path: &JsonPath<'_>, nulls: bool) -> bool {
        let mut check = Validator { reader: self, report: None, nulls, ok: true };
        check.node(value, id, path);
        check.ok
    }

    /// Returns whether null, sent for this property, represents its absence.
    pub(super) fn is_absence(&self, value: &Value, required: bool, id: NodeId) -> bool {
        value.is_null() && !required && !self.is_valid(value, id)
    }

    /// Returns the names of the declared properties of `node`, sorted.
    pub(super) fn declared(&self, node: &Node) -> Vec<&str> {
        let mut names = Vec::new();
        for property in self.table.visible_properties(node) {
            sorted::insert(&mut names, &*property.name);
        }
        names
    }
}

pub(super) struct Validator<'r, 't> {
    pub(super) reader: &'r Reader<'t>,
    /// The problems, or `None` if only the verdict is needed. Then the first problem ends the validation.
    report: Option<Report<'r>>,
    /// Whether null may represent an absent property.
    nulls: bool,
    ok: bool,
}

struct Report<'r> {
    problems: Problems,
    /// The redacted arguments, if the table has secrets.
    redacted: Option<Value>,
    /// The arguments that are validated.
    arguments: &'r Value,
    /// The arguments before repair, if they are known.
    sent: Option<&'r Value>,
}

impl<'t> Validator<'_, 't> {
    pub(super) fn fail(&mut self, path: &JsonPath<'_>, describe: &dyn Fn() -> (String, String)) {
        self.ok = false;
        let reader = self.reader;
        if let Some(report) = &mut self.report {
            if report.problems.listed.len() < MAX_LISTED {
                report.problems.listed.push(report.problem(reader, path, describe));
            } else {
                report.problems.more += 1;
            }
        }
    }

    /// Returns whether the next problem is described, and not only counted.
    fn has_room_for_problem(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.problems.listed.len() < MAX_LISTED)
    }

    pub(super) fn is_over(&self) -> bool {
        !self.ok && self.report.is_none()
    }

    /// Describes `value`, unless it may contain a secret, such as a string in place of an object.
    fn got(table: &Table, value: &Value, node: &Node) -> String {
        if !node.holds_others() || value.is_object() || value.is_array() || !table.has_secrets() {
            return expectation_text::got(value);
        }
        SECRET.to_owned()
    }

    pub(super) fn node(&mut self, value: &Value, id: NodeId, path: &JsonPath<'_>) {
        let table = self.reader.table;
        if path.depth > MAX_DEPTH || !self.reader.spend(1) {
            return self.fail(path, &|| ("something simpler".to_owned(), "too much to check".to_owned()));
        }
        let node = table.node(id);
        let literals = table.literals(node);
        if !json_type::fits(node.types, value) {
            let whole = matches!(value, Value::Number(n) if node.types.contains(Type::Integer) && n.as_f64().is_some_and(|f| f.fract() == 0.0));
            // An integer within the bounds has too many bits.
            let fits = |bounds| matches!(value, Value::Number(number) if bounds::within(number, bounds));
            let whole = whole && table.bounds(node).is_none_or(fits);
            let expected =
                || if whole { expectation_text::integer_range() } else { expectation_text::expected(table, node) };
            return self.fail(path, &|| (expected(), Self::got(table, value, node)));
        }
        if !literals.is_empty() && !literals.iter().any(|literal| json_type::equals(literal, value)) {
            return self.fail(path, &|| (expectation_text::expected(table, node), Self::got(table, value, node)));
        }
        if let Some(bounds) = table.bounds(node)
            && let Some(got) = self.reader.out_of_bounds(value, bounds)
        {
            self.fail(path, &|| (expectation_text::expected(table, node), got.clone()));
        }
        match value {
            Value::Array(items) => {
                if let Some(id) = node.items {
                    for (index, item) in items.iter().enumerate() {
                        if self.is_over() {
                            return;
                        }
                        self.node(item, id, &path.then(Step::Index(index), id));
                    }
                }
            }
            Value::Object(map) => self.object(map, node, path),
            _ => {}
        }
        for branch in table.all_of(node) {
            if !self.is_over() {
                self.node(value, *branch, &path.same(*branch));
            }
        }
        if node.further != 0 && !self.is_over() {
            self.further(value, node, path);
        }
        if node.any_of.len > 0 && !self.is_over() {
            self.alternatives(value, node, path);
        }
    }

    fn object(&mut self, map: &Map<String, Value>, node: &Node, path: &JsonPath<'_>) {
        let table = self.reader.table;
        if !self.reader.spend(table.properties(node).len()) {
            self.ok = false;
        }
        let (mut known, mut absent) = (0, 0);
        for property in table.visible_properties(node) {
            if self.is_over() {
                return;
            }
            match map.get(&*property.name) {
                None if property.required => {
                    let expected = || expectation_text::expected(table, table.node(property.node)) + " (required)";
                    self.fail(&path.then(Step::Key(&property.name), property.node), &|| {
                        (expected(), "nothing".to_owned())
                    });
                }
                None => {}
                Some(value) if self.nulls && self.reader.is_absence(value, property.required, property.node) => {
                    absent += 1;
                }
                Some(value) => {
                    known += 1;
                    self.node(value, property.node, &path.then(Step::Key(&property.name), property.node));
                }
            }
        }
        let count = map.len() - absent;
        if let Some(bounds) = table.bounds(node)
            && !in_range(count, bounds.min_properties, bounds.max_properties)
        {
            self.fail(path, &|| (expectation_text::expected(table, node), expectation_text::counted(count, "key")));
        }
        if node.additional == Additional::Allow || count == known || self.is_over() {
            return;
        }
        let declared = self.reader.declared(node);
        for (key, value) in map.iter().filter(|(key, _)| declared.binary_search(&key.as_str()).is_err()) {
            if self.is_over() {
                return;
            }
            let id = if let Additional::Node(id) = node.additional { id } else { 0 };
            let path = path.then(Step::Key(key), id);
            match node.additional {
                Additional::Node(id) => self.node(value, id, &path),
                _ => self
                    .fail(&path, &|| (expectation_text::unknown_key(key, table, node), expectation_text::got(value))),
            }
        }
    }

    /// Returns whether the properties of `value` that distinguish alternatives (those with an `enum` or `const`) match this
    /// alternative. Missing properties match.
    fn matches_tag(&self, value: &Value, node: &Node) -> bool {
        let table = self.reader.table;
        table.visible_properties(node).all(|property| {
            let literals = table.literals(table.node(property.node));
            let sent = value.get(&*property.name);
            literals.is_empty()
                || sent.is_none_or(|sent| literals.iter().any(|literal| json_type::equals(literal, sent)))
        })
    }

    /// Returns the property that distinguishes the objects among alternatives, and its node in each of them.
    fn tag(&self, value: &Value, branches: &[NodeId]) -> Option<(&'t str, Vec<&'t Node>)> {
        let table = self.reader.table;
        let objects =
            || branches.iter().map(|id| table.node(*id)).filter(|one| json_type::fits(table.types(one), value));
        let tag = |object: &'t Node, name: &str| {
            let mut required = table.visible_properties(object).filter(|property| property.required);
            let tag = table.node(required.find(|property| *property.name == *name)?.node);
            (tag.literals.len > 0).then_some(tag)
        };
        let first = objects().next().filter(|_| value.is_object())?;
        table.visible_properties(first).find_map(|property| {
            let name: &str = &property.name;
            Some((name, objects().map(|object| tag(object, name)).collect::<Option<_>>()?))
        })
    }

    fn alternatives(&mut self, value: &Value, node: &Node, path: &JsonPath<'_>) {
        let table = self.reader.table;
        let inner = path.same(path.id);
        let branches = table.any_of(node);
        // The other keywords of `node` are satisfied, or have been reported.
        let expected = || expectation_text::expected(table, &Node { any_of: node.any_of, ..Node::ANY });
        let wanted = if node.exactly_one { 2 } else { 1 };
        let hits =
            branches.iter().filter(|id| self.reader.satisfies(value, **id, &inner, self.nulls)).take(wanted).count();
        if hits > 1 {
            let expected = || format!("exactly one of these: {}", expected());
            return self.fail(path, &|| (expected(), "more than one".to_owned()));
        }
        if hits == 1 {
            return;
        }
        if self.report.is_some() {
            let mut near = branches.iter().filter(|id| {
                let branch = table.node(**id);
                json_type::fits(table.types(branch), value) && self.matches_tag(value, branch)
            });
            // The problems of the only alternative of this type say what to correct, while a text or number may belong to any.
            if let (Some(only), None) = (near.next(), near.next())
                && (value.is_object() || value.is_array() || branches.len() == 1)
            {
                let others: Vec<NodeId> = branches.iter().copied().filter(|id| id != only).collect();
                return self.naming(&others, path, |check| check.node(value, *only, &path.same(*only)));
            }
            if self.has_room_for_problem()
                && let Some((name, tags)) = self.tag(value, branches)
            {
                let sent = value.get(name);
                let fits = |tag: &&Node| {
                    sent.is_some_and(|sent| table.literals(tag).iter().any(|l| json_type::equals(l, sent)))
                };
                if !tags.iter().any(fits) {
                    let missing = || (expectation_text::one_of(table, &tags) + " (required)", "nothing".to_owned());
                    let other = |sent| (expectation_text::one_of(table, &tags), expectation_text::got(sent));
                    let is_other = |id: &NodeId| !json_type::fits(table.types(table.node(*id)), value);
                    let others: Vec<NodeId> = branches.iter().copied().filter(is_other).collect();
                    return self.naming(&others, path, |check| {
                        check.fail(&path.then(Step::Key(name), 0), &|| sent.map_or_else(missing, other));
                    });
                }
            }
        }
        self.fail(path, &|| (expected(), Self::got(table, value, node)));
    }
}

impl Validator<'_, '_> {
    /// Reports problems of one alternative at `path`. The first of them also names the others.
    fn naming(&mut self, others: &[NodeId], path: &JsonPath<'_>, report: impl FnOnce(&mut Self)) {
        let listed = |check: &Self| check.report.as_ref().map_or(0, |report| report.problems.listed.len());
        let before = listed(self);
        report(self);
        let (reader, table) = (self.reader, self.reader.table);
        let is_null = |id: &NodeId| table.node(*id).types == Types::new(&[Type::Null]);
        let others: Vec<NodeId> = others.iter().copied().filter(|id| !is_null(id)).collect();
        let Some(report) = self.report.as_mut().filter(|_| !others.is_empty()) else { return };
        let place = report.sent.map(|sent| reader.place(&path.steps(), sent, report.arguments));
        // The problem of an array that the model did not send names all alternatives.
        if let Some(problem) = report.problems.listed.get_mut(before)
            && place.as_ref().is_none_or(|place| place.wrapped_at.is_none())
        {
            let pointer = place.map_or_else(|| path.pointer(), |place| place.pointer);
            let place = if pointer.is_empty() { "the arguments" } else { &pointer };
            let _ = write!(problem.expected, " (or {place}: {})", expectation_text::alternatives(table, &others));
        }
    }
}

impl Report<'_> {
    fn problem(&self, reader: &Reader<'_>, path: &JsonPath<'_>, describe: &dyn Fn() -> (String, String)) -> Problem {
        // The keys inside a secret are not shown either.
        let secret = self.redacted.as_ref().and_then(|redacted| path.to_secret(redacted));
        let path = secret.unwrap_or(path);
        let (expected, got) = describe();
        let got = if secret.is_some() { SECRET.to_owned() } else { got };
        let Some(sent) = self.sent else { return Problem { path: path.pointer(), expected, got } };
        let place = reader.place(&path.steps(), sent, self.arguments);
        match (place.wrapped_at, place.sent) {
            // The model did not send this array, so the problem names the array as what was expected.
            (Some(steps), Some(sent)) => {
                let node = reader.table.node(path.after(steps).id);
                let expected = expectation_text::expected(reader.table, node);
                let got = if secret.is_some() { got } else { Validator::got(reader.table, &sent, node) };
                Problem { path: place.pointer, expected, got }
            }
            _ => Problem { path: place.pointer, expected, got },
        }
    }
}

impl Reader<'_> {
    /// Describes a value that is out of bounds.
    fn out_of_bounds(&self, value: &Value, bounds: &Bounds) -> Option<String> {
        match value {
            Value::Number(number) => (!bounds::within(number, bounds)).then(|| expectation_text::got(value)),
            Value::String(text) if !fits_length(text, bounds) => {
                Some(expectation_text::counted(text.chars().count(), "character"))
            }
            Value::String(text) => (!self.holds(text, bounds)).then(|| expectation_text::got(value)),
            Value::Array(items) => {
                if !in_range(items.len(), bounds.min_items, bounds.max_items) {
                    return Some(expectation_text::counted(items.len(), "item"));
                }
                (bounds.unique_items && !are_unique(items)).then(|| "duplicate items".to_owned())
            }
            _ => None,
        }
    }

    /// Returns whether `text` satisfies the bounds: its length, `pattern` and `format`.
    #[inline]
    pub(super) fn fits_text(&self, text: &str, bounds: &Bounds) -> bool {
        fits_length(text, bounds) && self.holds(text, bounds)
    }

    /// Returns whether `text` satisfies `pattern` and `format`, and can be compared with them within the budget.
    #[cfg(feature = "patterns")]
    fn holds(&self, text: &str, bounds: &Bounds) -> bool {
        bounds.enforced().is_none_or(|rule| self.spend(rule.steps(text)) && rule.holds(text))
    }

    /// Returns true: `pattern` and `format` are not enforced.
    #[cfg(not(feature = "patterns"))]
    #[expect(clippy::unused_self, reason = "the reader is needed with the feature")]
    const fn holds(&self, _text: &str, _bounds: &Bounds) -> bool {
        true
    }
}

/// Returns whether the length of `text`, in code points, is within bounds.
#[inline]
fn fits_length(text: &str, bounds: &Bounds) -> bool {
    // A code point has one to four bytes, so most texts need not be counted.
    let (least, most) = ((text.len() as u64).div_ceil(4), text.len() as u64);
    (bounds.min_length.is_none_or(|min| min <= least) && bounds.max_length.is_none_or(|max| most <= max))
        || in_range(text.chars().count(), bounds.min_length, bounds.max_length)
}

/// Returns whether `count` is within bounds.
pub(super) fn in_range(count: usize, least: Option<u64>, most: Option<u64>) -> bool {
    let count = count as u64;
    least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most)
}

fn are_unique(items: &[Value]) -> bool {
    let mut texts = vec![String::new(); items.len()];
    for (item, text) in items.iter().zip(&mut texts) {
        json_type::canonical(item, text);
    }
    let sorted = sorted::positions(texts.len(), &|a, b| texts[a].cmp(&texts[b]));
    sorted.windows(2).all(|pair| texts[pair[0]] != texts[pair[1]])
}

/// The path of the current value in the arguments. It is formatted only for a problem.
pub(super) struct JsonPath<'p> {
    parent: Option<&'p JsonPath<'p>>,
    /// The step from the parent, or `None` for another schema of the same value.
    step: Option<Step<'p>>,
    /// The node of the value.
    pub(super) id: NodeId,
    depth: usize,
}

impl JsonPath<'_> {
    const ROOT: JsonPath<'static> = JsonPath { parent: None, step: None, id: 0, depth: 0 };

    fn then<'p>(&'p self, step: Step<'p>, id: NodeId) -> JsonPath<'p> {
        JsonPath { parent: Some(self), step: Some(step), id, depth: self.depth + 1 }
    }

    /// Returns the path for a schema of a part of the value, or of the value itself.
    pub(super) fn to<'p>(&'p self, step: Option<Step<'p>>, id: NodeId) -> JsonPath<'p> {
        JsonPath { parent: Some(self), step, id, depth: self.depth + 1 }
    }

    /// Returns the path for another schema of the same value.
    fn same(&self, id: NodeId) -> JsonPath<'_> {
        JsonPath { parent: Some(self), step: None, id, depth: self.depth + 1 }
    }

    /// Returns the value at this path in `arguments`.
    fn value_in<'v>(&self, arguments: &'v Value) -> Option<&'v Value> {
        let Some(parent) = self.parent else { return Some(arguments) };
        let parent = parent.value_in(arguments)?;
        match self.step {
            Some(Step::Key(key)) => parent.get(key),
            Some(Step::Index(index)) => parent.get(index),
            None => Some(parent),
        }
    }

    /// Returns the shortest prefix of this path whose value is redacted in `redacted`.
    fn to_secret(&self, redacted: &Value) -> Option<&Self> {
        let before = self.parent.and_then(|parent| parent.to_secret(redacted));
        before.or_else(|| self.value_in(redacted).is_some_and(|value| value == toolc_redact::REDACTED).then_some(self))
    }

    fn steps(&self) -> Vec<Step<'_>> {
        let mut steps = self.parent.map(JsonPath::steps).unwrap_or_default();
        steps.extend(self.step);
        steps
    }

    /// Returns the shortest prefix of this path with this number of steps.
    fn after(&self, steps: usize) -> &Self {
        match self.parent {
            Some(parent) if parent.steps().len() >= steps => parent.after(steps),
            _ => self,
        }
    }

    fn pointer(&self) -> String {
        let mut out = String::new();
        for step in self.steps() {
            match step {
                Step::Key(key) => push_key(&mut out, key),
                Step::Index(index) => {
                    let _ = write!(out, "/{index}");
                }
            }
        }
        out
    }
}
