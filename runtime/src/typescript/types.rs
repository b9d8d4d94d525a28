//! Types for JSON Schemas. The type of a schema has every value that the schema allows. It also has values that the schema refuses
//! where TypeScript has no words for a constraint; the comment says the constraint then.
//!
//! Schemas for one value (`anyOf`, `oneOf`, `allOf`, a `$ref` and the keywords next to them) become an intersection. Each is read
//! in the [`Context`] of the others. TypeScript accepts a property that any part of an intersection accepts, so that an index
//! signature is written only if all parts allow further properties.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::json::Json;
use super::kinds::{Kinds, is_nullable, literals};
use super::print::{Property, Type};
use super::refs::{Refs, Rest, rest};
use super::words::{add, words};
use crate::text::identifier::identifier;

/// The maximum depth of schemas in schemas. A deeper one is `unknown`.
const MAX_DEPTH: usize = 64;

/// The maximum number of schemas in a declaration. Further ones are `unknown`.
const MAX_SCHEMAS: usize = 1 << 14;

/// The members of every object of JavaScript. If such a property is optional and absent, TypeScript takes the inherited member for
/// it, which no precise type would accept.
const INHERITED: &[&str] = &[
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// The types of a tool. The first root is the schema of the arguments, the second that of the result.
pub(super) struct Types<'s> {
    refs: [Refs<'s>; 2],
    /// The tool's name, with which the names of its types begin.
    tool: String,
    /// The names of the targets of `$ref`s, by root and pointer.
    names: BTreeMap<(usize, String), String>,
    taken: BTreeSet<String>,
    /// The targets of `$ref`s that have a name, but were not returned yet.
    pending: VecDeque<(usize, String)>,
    /// Whether a definition of the result means the same as the one of the same name of the arguments.
    shares_definitions: bool,
    schemas: usize,
    /// How many bytes of types can be copied. TypeScript requires copies next to an index signature, and each level of nested
    /// objects would double them.
    copies: usize,
}

/// What other schemas say about a value.
#[derive(Clone, Copy)]
struct Context {
    /// The index of the root.
    root: usize,
    /// The kinds that the value can have.
    kinds: Kinds,
    /// Whether another part of the intersection says which further properties an object has.
    closed: bool,
    depth: usize,
}

/// Returns whether a part of definitions refers to anything that is not a definition. Equal definitions of two documents can then mean
/// different schemas.
fn refers_outside(definitions: &Json) -> bool {
    let mut pending = vec![definitions];
    while let Some(next) = pending.pop() {
        let reference = next.get("$ref").and_then(Json::as_str);
        if reference.is_some_and(|reference| !reference.starts_with("#/$defs/")) {
            return true;
        }
        pending.extend(next.items());
        pending.extend(next.entries().iter().map(|(_, value)| value));
    }
    false
}

impl<'s> Types<'s> {
    /// `copies` is the maximum length of all types that are written in several places, in bytes. Further ones are `unknown` there.
    pub(super) fn new(tool: &str, parameters: Option<&'s Json>, returns: Option<&'s Json>, copies: usize) -> Self {
        let definitions = |root: Option<&'s Json>| root?.get("$defs");
        let shares_definitions = match (definitions(parameters), definitions(returns)) {
            (Some(first), Some(second)) => {
                let is_same = |(name, target): &(String, Json)| first.get(name).is_none_or(|other| other == target);
                second.entries().iter().all(is_same) && !refers_outside(first) && !refers_outside(second)
            }
            _ => false,
        };
        Self {
            refs: [Refs::new(parameters), Refs::new(returns)],
            tool: tool.to_owned(),
            names: BTreeMap::new(),
            taken: BTreeSet::new(),
            pending: VecDeque::new(),
            shares_definitions,
            schemas: 0,
            copies,
        }
    }

    /// Returns the type of the arguments (0) or of the result (1), with a comment.
    pub(super) fn document(&mut self, root: usize) -> Type {
        let Some(schema) = self.refs[root].root else { return Type::Unknown };
        let (ty, comment) = self.described(schema, Context { root, kinds: Kinds::ALL, closed: false, depth: 0 });
        ty.commented(comment)
    }

    /// Returns the name, type and comment of a type that others refer to, until all were returned.
    pub(super) fn next_named(&mut self) -> Option<(String, Type, String)> {
        let (root, pointer) = self.pending.pop_front()?;
        let name = self.names.get(&(root, pointer.clone())).cloned().unwrap_or_default();
        let target = self.refs[root].at(&pointer).unwrap_or(&Json::Null);
        let (ty, comment) = self.described(target, Context { root, kinds: Kinds::ALL, closed: false, depth: 0 });
        Some((name, ty, comment))
    }

    /// Returns the type of a schema, and its comment. The type is `Unknown` if the schema adds nothing to the context.
    fn described(&mut self, schema: &'s Json, context: Context) -> (Type, String) {
        self.schemas += 1;
        if context.depth >= MAX_DEPTH || self.schemas > MAX_SCHEMAS {
            return (Type::Unknown, words(schema));
        }
        match schema {
            Json::Boolean(false) => (Type::Never, String::new()),
            Json::Object(_) => {
                let (ty, comment) = self.of_object(schema, context);
                let is_root = self.refs[context.root].root.is_some_and(|root| std::ptr::eq(root, schema));
                if is_nullable(schema) && !is_root && context.kinds.contains(Kinds::NULL) && ty != Type::Unknown {
                    return (Type::union([ty, Type::word("null")]), comment);
                }
                (ty, comment)
            }
            _ => (Type::Unknown, String::new()),
        }
    }

    /// Returns the type of a value that no other schema describes, with a comment.
    fn whole(&mut self, schema: &'s Json, context: Context) -> Type {
        let inner = Context { kinds: Kinds::ALL, closed: false, depth: context.depth + 1, ..context };
        let (ty, comment) = self.described(schema, inner);
        ty.commented(comment)
    }

    fn of_object(&mut self, schema: &'s Json, context: Context) -> (Type, String) {
        let mut comment = words(schema);
        let of_type = self.refs[context.root].kinds_besides_nullable(schema).and(context.kinds);
        let values = literals(schema, of_type);
        let kinds = match &values {
            Some(values) => values.iter().map(|value| Kinds::of_value(value)).fold(Kinds::NONE, Kinds::or),
            None => of_type,
        };
        if kinds == Kinds::NONE {
            return (Type::Never, comment);
        }
        let target = self.refs[context.root].target(schema);
        let all_of = schema.get("allOf").map_or(&[][..], Json::items);
        let closed = context.closed || self.refs[context.root].is_closed(schema);
        let inner = Context { kinds, closed, depth: context.depth + 1, ..context };

        let mut parts = Vec::new();
        for list in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)) {
            let alternatives: Vec<_> = list.items().iter().map(|one| self.described(one, inner)).collect();
            if alternatives.iter().any(|(ty, _)| *ty == Type::Unknown) {
                // The types say nothing, but the constraints do.
                let said = alternatives.iter().map(|(_, said)| said).filter(|said| !said.is_empty());
                for (at, said) in said.enumerate() {
                    add(&mut comment, if at == 0 { "Alternatives:" } else { "|" });
                    add(&mut comment, said);
                }
            } else if !alternatives.is_empty() {
                parts.push(Type::union(alternatives.into_iter().map(|(ty, comment)| ty.commented(comment))));
            }
        }
        let has_unions = !parts.is_empty();
        let own_properties =
            ["properties", "required", "additionalProperties"].iter().any(|key| schema.get(key).is_some());
        for part in all_of {
            let closed = closed || has_unions || own_properties;
            let (ty, said) = self.described(part, Context { closed, ..inner });
            if ty == Type::Unknown {
                add(&mut comment, &said);
            } else {
                parts.push(ty.commented(said));
            }
        }
        let mut is_within = !parts.is_empty();
        if let Some((pointer, target)) = target {
            is_within |= kinds.contains(self.refs[context.root].kinds(target));
            parts.insert(0, Type::Word(self.name(context.root, pointer)));
        }
        let base = if let Some(values) = values {
            Type::union(values.into_iter().map(Type::literal))
        } else {
            let is_typed = matches!(rest(schema), Rest::Of(_));
            let says_rest = !closed && (!has_unions || is_typed);
            let own_items = ["items", "prefixItems"].iter().any(|key| schema.get(key).is_some());
            let has_structure =
                (own_properties && kinds.contains(Kinds::OBJECT)) || (own_items && kinds.contains(Kinds::ARRAY));
            let narrows = kinds != context.kinds || !parts.is_empty();
            if has_structure || (narrows && !is_within) {
                self.base(schema, Context { kinds, closed: !says_rest, ..context })
            } else {
                Type::Unknown
            }
        };
        (Type::intersection(std::iter::once(base).chain(parts)), comment)
    }

    /// Returns the type of the keywords next to `anyOf`, `oneOf`, `allOf` and `$ref`.
    fn base(&mut self, schema: &'s Json, context: Context) -> Type {
        let Context { kinds, .. } = context;
        let mut types = Vec::new();
        for (kind, word) in [(Kinds::STRING, "string"), (Kinds::NUMBER, "number"), (Kinds::BOOLEAN, "boolean")] {
            if kinds.contains(kind) {
                types.push(Type::word(word));
            }
        }
        if kinds.contains(Kinds::ARRAY) {
            types.push(self.array(schema, context));
        }
        if kinds.contains(Kinds::OBJECT) {
            types.push(self.object(schema, context));
        }
        if kinds.contains(Kinds::NULL) {
            types.push(Type::word("null"));
        }
        Type::union(types)
    }

    fn array(&mut self, schema: &'s Json, context: Context) -> Type {
        // Until draft 2019-09, a list in `items` was what `prefixItems` is now.
        let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Json::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Json::Array(first))) => (first.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        let of_rest = rest.map_or(Type::Unknown, |rest| self.whole(rest, context));
        if first.is_empty() {
            return Type::Array(Box::new(of_rest));
        }
        let min = schema.get("minItems").and_then(|min| min.to_string().parse().ok()).unwrap_or(0);
        let rest = (of_rest != Type::Never).then(|| Box::new(of_rest));
        let items: Vec<Type> = first.iter().map(|item| self.whole(item, context)).collect();
        let required = items.len().min(min);
        Type::Tuple { items, required, rest }
    }

    fn object(&mut self, schema: &'s Json, context: Context) -> Type {
        let rest = rest(schema);
        let required: Vec<&str> =
            schema.get("required").map_or(&[][..], Json::items).iter().filter_map(Json::as_str).collect();
        let is_required: BTreeSet<&str> = required.iter().copied().collect();
        let declared = schema.get("properties").map_or(&[][..], Json::entries);
        let mut properties: Vec<Property> = Vec::new();
        for (name, of_property) in declared {
            let inner = Context { kinds: Kinds::ALL, closed: false, depth: context.depth + 1, ..context };
            let (mut ty, mut comment) = self.described(of_property, inner);
            let optional = !is_required.contains(name.as_str());
            if optional && INHERITED.contains(&name.as_str()) && ty != Type::Unknown {
                let mut text = String::new();
                ty.clone().without_comments().write(0, &mut text);
                add(&mut comment, &format!("Its type is {text}."));
                ty = Type::Unknown;
            }
            properties.push(Property { name: name.clone(), optional, ty, comment });
        }
        let known: BTreeSet<&str> = declared.iter().map(|(name, _)| name.as_str()).collect();
        let of_rest = match rest {
            Rest::None => Type::Never,
            Rest::Any => Type::Unknown,
            Rest::Of(values) => self.whole(values, context),
        };
        let undeclared: Vec<&&str> = is_required.difference(&known).collect();
        let of_undeclared = self.copied(of_rest.clone(), undeclared.len());
        for name in undeclared {
            let (name, comment) = ((*name).to_owned(), String::new());
            properties.push(Property { name, optional: false, ty: of_undeclared.clone(), comment });
        }
        match rest {
            Rest::None => Type::object(properties, None),
            // Another part of the intersection has the index signature, or must not have one.
            _ if context.closed && properties.is_empty() => Type::word("object"),
            _ if context.closed => Type::object(properties, None),
            Rest::Any => Type::object(properties, Some(Type::Unknown)),
            Rest::Of(_) => {
                // TypeScript wants the declared properties to be of the type of the others.
                let absent = properties.iter().any(|property| property.optional).then(|| Type::word("undefined"));
                let declared = properties.iter().map(|property| property.ty.clone().without_comments());
                let declared = Type::union(declared.chain(absent));
                let declared = self.copied(declared, 1);
                Type::object(properties, Some(Type::union([of_rest, declared])))
            }
        }
    }

    /// Returns a type that is written this many times more, or `Unknown` if that would be too long.
    fn copied(&mut self, ty: Type, times: usize) -> Type {
        let mut text = String::new();
        ty.write(0, &mut text);
        match self.copies.checked_sub(text.len().saturating_mul(times)) {
            Some(left) => {
                self.copies = left;
                ty
            }
            None => Type::Unknown,
        }
    }

    /// Returns the name of the target of a `$ref`. `$` separates it from the name of the tool, so that two tools never have the
    /// same: no other part of it contains a `$`.
    fn name(&mut self, root: usize, pointer: String) -> String {
        let is_shared =
            self.shares_definitions && pointer.starts_with("/$defs/") && self.refs[0].at(&pointer).is_some();
        let key = (if is_shared { 0 } else { root }, pointer);
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let last = key.1.rsplit('/').next().filter(|last| !last.is_empty());
        let last = last.unwrap_or(if root == 0 { "Args" } else { "Result" }).replace("~1", "_").replace("~0", "_");
        let wanted = format!("{}${}", self.tool, identifier(&last).replace('$', "_"));
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let name = std::iter::once(wanted.clone()).chain(numbered).find(|name| !self.taken.contains(name));
        let name = name.unwrap_or(wanted.clone());
        self.taken.insert(name.clone());
        self.names.insert(key.clone(), name.clone());
        self.pending.push_back(key);
        name
    }
}
