//! Reads the schemas of the arguments and of the result of a tool.

use std::borrow::Cow;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::__gen::table::Type;

use super::Reader;
use super::json::{json, written_as_json};
use crate::diagnostic::{At, Code, Diagnostic, Place};
use crate::manifest::keys::schema as keyword;
use crate::manifest::keys::{CHOICE, Key, KeyType, PROPERTY, SCHEMA};
use crate::manifest::standard::{self, PatternError};
use crate::schema::{Additional, Bounds, Choice, Def, DefId, Defs, Property, REF_PREFIX, Reference, Schema};
use crate::text::atoms::Template;
use crate::text::template::Piece;

/// The tables of a tool that declare the schema of its arguments.
const PARAMS: &str = "params";
const ROOT: &str = "schema";

impl<'t> Reader<'t> {
    /// Returns the definitions of a tool's manifest, as written.
    pub(super) fn defs(&self) -> Option<&'t DeTable<'t>> {
        self.value(ROOT)?.get_ref().as_table()?.get(keyword::DEFS.key.name)?.get_ref().as_table()
    }

    /// Returns whether definitions are in a place from which they are not read, which is reported there.
    fn has_unread_definitions(&self) -> bool {
        const NAMES: [&str; 5] = ["$defs", "definitions", "defs", "components", "$definitions"];
        let root = self.document.table;
        let schema = root.get(ROOT).map(Spanned::get_ref);
        let is_table = |table: &DeTable<'_>, name| table.get(name).is_some_and(|value| value.get_ref().is_table());
        let is_in = |table: &DeTable<'_>, names: &[&str]| names.iter().any(|name| table.contains_key(*name));
        is_in(root, &NAMES)
            || schema.is_some_and(|schema| match schema.as_table() {
                Some(schema) => {
                    is_in(schema, &NAMES[1..]) || schema.contains_key(NAMES[0]) && !is_table(schema, NAMES[0])
                }
                None => true,
            })
    }

    /// Reads the schema of a tool's arguments, and its definitions.
    pub(in crate::manifest) fn arguments(&self) -> (Schema, Defs) {
        let params = self.properties(PARAMS);
        let root = self.table(ROOT);
        let (mut schema, defs) = match &root {
            Some(root) => (root.schema(), root.definitions()),
            None => (Schema::new(self.name_place()), Defs::default()),
        };
        schema.types = vec![Type::Object];
        let position = |key| self.table.keys().position(|name| name.get_ref() == key);
        let others =
            if position(ROOT) < position(PARAMS) { params } else { std::mem::replace(&mut schema.properties, params) };
        for property in others {
            let known = schema.properties.iter().find(|known| known.name.value == property.name.value);
            let Some(known) = known else {
                schema.properties.push(property);
                continue;
            };
            let message = format!("the parameter `{}` is declared twice", property.name.value);
            self.sink.push(
                Diagnostic::new(Code::DUPLICATE_PARAMETER, property.name.place, message)
                    .label("declared again here")
                    .related(known.name.place, "first declared here")
                    .help("`params` are the `properties` of `[schema]`: keep one of them"),
            );
        }
        (schema, defs)
    }

    /// Returns the definitions of the schema of the arguments.
    fn definitions(&self) -> Defs {
        let def = |(name, value): (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>)| {
            let At { value: name, place } = At::new(name.get_ref().to_string(), Place::new(self.source, name.span()));
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) {
                self.sink.push(
                    Diagnostic::new(Code::INVALID_NAME, place, format!("`{name}` cannot be the name of a definition"))
                        .label("expected letters, digits, `_`, `-` or `.`")
                        .help("`$ref`s use this name, and so does the Rust type"),
                );
            }
            let table = value.get_ref().as_table();
            let reader =
                table.and_then(|table| self.nested(table, place, &[SCHEMA], format_args!("the definition `{name}`")));
            // An invalid definition keeps its index, so that a `$ref` to it is not reported.
            let schema = reader.map_or_else(|| Schema::new(place), |reader| reader.schema());
            Def { name: At::new(name, place), schema }
        };
        let mut defs = Defs::new(self.defs.into_iter().flatten().map(def).collect());
        while let Some(cycle) = defs.cycle() {
            let names: Vec<&str> =
                cycle.last().into_iter().chain(&cycle).map(|reference| reference.name.as_str()).collect();
            let message = match names.as_slice() {
                [_, only] => format!("the definition `{only}` refers only to itself"),
                names => format!("definitions that refer only to each other: {}", names.join(" → ")),
            };
            let (last, others) = cycle.split_last().expect("a cycle is not empty");
            let found = Diagnostic::new(Code::REF_CYCLE, last.place, message)
                .help("give one of them a type; an object or array can contain itself");
            self.sink
                .push(others.iter().fold(found, |found, link| found.related(link.place, "refers to the next one")));
            defs.remove_reference(last.place);
        }
        defs
    }

    /// Reads the target of a `$ref`. A misspelt name is read as the nearest one.
    pub(super) fn reference(&self, key: &str) -> Option<Reference> {
        let At { value, place } = self.text(key)?;
        let names = || self.defs.into_iter().flatten().map(|(name, _)| &**name.get_ref());
        let link = |name: &str| {
            let to = names().position(|known| known == name)?;
            Some(Reference { to: DefId(to), name: name.to_owned(), place })
        };
        let last = value.rsplit('/').next().unwrap_or_default();
        if value.strip_prefix(REF_PREFIX) == Some(last)
            && let Some(reference) = link(last)
        {
            return Some(reference);
        }
        if self.has_unread_definitions() {
            return None;
        }
        self.sink.push(if value.strip_prefix(REF_PREFIX) == Some(last) {
            let found = Diagnostic::new(Code::UNRESOLVED_REF, place, format!("unknown definition `{last}`"));
            match names().next() {
                Some(_) => found.help_nearest(last, names(), "the definitions are"),
                None => found.help(format!("declare it: `[schema.\"$defs\".{last}]`")),
            }
        } else {
            let (code, problem, help) = if value.starts_with('#') {
                (
                    Code::UNRESOLVED_REF,
                    "does not point to a definition",
                    "move the schema to `$defs`, in `[schema]`, and refer to it by its name",
                )
            } else {
                (
                    Code::EXTERNAL_REF,
                    "points outside the manifest",
                    "copy the schema to `$defs`, in `[schema]`: toolc does not fetch schemas",
                )
            };
            let found = Diagnostic::new(code, place, format!("`{value}` {problem}"))
                .label(format!("expected `{REF_PREFIX}NAME`"));
            match link(last) {
                Some(intended) => found.help(format!("did you mean `{}`?", intended.uri())),
                None => found.help(help),
            }
        });
        link(toolc::__gen::nearest(last, names()).into_iter().next()?)
    }

    /// Reads a table of properties, in the author's order.
    pub(super) fn properties(&self, key: &str) -> Vec<Property> {
        let table = self.value(key).and_then(|value| value.get_ref().as_table());
        table.into_iter().flatten().filter_map(|(name, value)| self.property(name, value)).collect()
    }

    fn property(&self, name: &'t Spanned<Cow<'t, str>>, value: &'t Spanned<DeValue<'t>>) -> Option<Property> {
        let table = value.get_ref().as_table()?;
        let place = Place::new(self.source, name.span());
        let what = name.get_ref();
        let reader = self.nested(table, place, &[SCHEMA, PROPERTY], format_args!("the property `{what}`"))?;
        Some(Property {
            name: At::new(name.get_ref().to_string(), place),
            required: reader.get(&keyword::REQUIRED),
            secret: reader.get(&keyword::SECRET),
            when: reader.get(&keyword::WHEN),
            mcp_header: reader.get(&keyword::MCP_HEADER),
            schema: reader.schema(),
        })
    }

    fn schema(&self) -> Schema {
        let schema = self.read_keywords();
        let is_unread = |key: &Key, is_read: bool| !is_read && self.value(key.name).is_some();
        let has_errors = self.refused.is_any()
            || !self.unknown.is_empty()
            || is_unread(&keyword::TYPE.key, !schema.types.is_empty())
            || is_unread(&keyword::REF.key, schema.reference.is_some())
            || is_unread(&keyword::ENUM.key, !schema.choices.is_empty())
            || is_unread(&keyword::ITEMS.key, schema.items.is_some())
            || is_unread(&keyword::PROPERTIES.key, !schema.properties.is_empty());
        Schema { has_errors, ..schema }
    }

    fn read_keywords(&self) -> Schema {
        Schema {
            place: self.place,
            reference: self.get(&keyword::REF),
            types: self.get(&keyword::TYPE),
            title: self.get(&keyword::TITLE),
            description: self
                .get(&keyword::DESCRIPTION)
                .or_else(|| self.unknown_template(keyword::DESCRIPTION.key.name)),
            deprecated: self.get(&keyword::DEPRECATED),
            choices: self.get(&keyword::ENUM),
            constant: self.get(&keyword::CONST),
            default: self.get(&keyword::DEFAULT),
            examples: self.get(&keyword::EXAMPLES),
            bounds: Bounds {
                minimum: self.get(&keyword::MINIMUM),
                maximum: self.get(&keyword::MAXIMUM),
                exclusive_minimum: self.get(&keyword::EXCLUSIVE_MINIMUM),
                exclusive_maximum: self.get(&keyword::EXCLUSIVE_MAXIMUM),
                multiple_of: self.get(&keyword::MULTIPLE_OF),
                min_length: self.get(&keyword::MIN_LENGTH),
                max_length: self.get(&keyword::MAX_LENGTH),
                min_items: self.get(&keyword::MIN_ITEMS),
                max_items: self.get(&keyword::MAX_ITEMS),
                unique_items: self.get(&keyword::UNIQUE_ITEMS),
                min_properties: self.get(&keyword::MIN_PROPERTIES),
                max_properties: self.get(&keyword::MAX_PROPERTIES),
            }
            .into(),
            pattern: self.get(&keyword::PATTERN),
            format: self.get(&keyword::FORMAT),
            any_of: self.get(&keyword::ANY_OF),
            one_of: self.get(&keyword::ONE_OF),
            all_of: self.get(&keyword::ALL_OF),
            items: self.get(&keyword::ITEMS).map(Box::new),
            properties: self.get(&keyword::PROPERTIES),
            additional: self.get(&keyword::ADDITIONAL_PROPERTIES),
            has_errors: false,
        }
    }

    /// Reads a boolean or the schema of further properties.
    pub(super) fn additional(&self, key: &str) -> Additional {
        match (self.flag(key), self.subschema(key)) {
            (Some(true), _) => Additional::Allow,
            (_, Some(schema)) => Additional::Schema(Box::new(schema)),
            _ => Additional::Deny,
        }
    }

    /// Returns a placeholder for a template that may exist: its key is misspelt, or a definition that may have it cannot be read. Its
    /// absence is not reported.
    fn unknown_template(&self, key: &str) -> Option<At<Template>> {
        let names = self.table.keys().map(|name| &**name.get_ref());
        let is_misspelt = !toolc::__gen::nearest(key, names).is_empty();
        let has_unread_reference = || self.value(keyword::REF.key.name).is_some() && self.has_unread_definitions();
        (is_misspelt || has_unread_reference()).then(|| At::new(vec![Piece::Text(key.to_owned())], self.place))
    }

    /// Reads a schema.
    pub(super) fn subschema(&self, key: &str) -> Option<Schema> {
        let value = self.value(key)?;
        let table = value.get_ref().as_table()?;
        Some(self.nested(table, self.at(value), &[SCHEMA], format_args!("the schema `{key}`"))?.schema())
    }

    /// Reads an array of schemas.
    pub(super) fn subschemas(&self, key: &str) -> Vec<Schema> {
        let schema = |item: &'t Spanned<DeValue<'t>>| {
            let table = item.get_ref().as_table()?;
            Some(self.nested(table, self.at(item), &[SCHEMA], format_args!("a schema of `{key}`"))?.schema())
        };
        self.items(key).filter_map(schema).collect()
    }

    /// Reads a regular expression.
    pub(super) fn pattern(&self, key: &str) -> Option<At<String>> {
        let pattern = self.text(key)?;
        let Some(PatternError { why, at }) = standard::pattern_error(&pattern.value) else { return Some(pattern) };
        let value = self.value(key)?;
        let place = at.map_or(pattern.place, |span| self.within(value, &pattern.value, span));
        let message = match &why {
            Some(why) => format!("invalid regular expression: {why}"),
            None => "invalid regular expression".to_owned(),
        };
        let found = Diagnostic::new(Code::INVALID_PATTERN, place, message);
        self.sink.push(found.help("use the syntax of ECMAScript, and close every group and class"));
        self.refuse(value, Code::INVALID_PATTERN);
        None
    }

    /// Reads the name of a type, or an array of them.
    pub(super) fn types(&self, key: &str) -> Vec<Type> {
        // The meta-schema rejects repeated types and empty lists. Unknown types were reported.
        if let Some(list) = self.json(key).filter(|list| list.value.is_array())
            && let Some(why) = standard::keyword_error(key, &list.value)
            && !self.items(key).any(|word| word.get_ref().as_str().and_then(Type::from_name).is_none())
        {
            let is_empty = self.items(key).next().is_none();
            let message = if is_empty {
                format!("`{key}` is an empty list")
            } else {
                format!("`{key}` is not valid in JSON Schema 2020-12")
            };
            let found = Diagnostic::new(Code::NOT_2020_12, list.place, message);
            self.sink.push(if is_empty {
                found.help(format!("name at least one type: `{key} = [\"string\"]`"))
            } else if let Some(twice) = self.twice(key) {
                found.label(format!("`{twice}` is listed twice")).help("remove one of them")
            } else {
                found.label(why)
            });
            if let Some(value) = self.value(key) {
                self.refuse(value, Code::NOT_2020_12);
            }
        }
        let one = self.value(key).filter(|value| value.get_ref().is_str());
        let words = one.into_iter().chain(self.items(key));
        let mut types = Vec::new();
        for named in words.filter_map(|word| Type::from_name(word.get_ref().as_str()?)) {
            if !types.contains(&named) {
                types.push(named);
            }
        }
        types
    }

    /// Returns the first string that an array contains twice.
    fn twice(&self, key: &str) -> Option<&'t str> {
        let texts: Vec<&str> = self.items(key).filter_map(|item| item.get_ref().as_str()).collect();
        (1..texts.len()).find(|&index| texts[..index].contains(&texts[index])).map(|index| texts[index])
    }

    /// Reads the value of a keyword, if JSON Schema's own schema accepts it.
    pub(super) fn bound(&self, key: &str) -> Option<At<Value>> {
        // A value of another type has been reported.
        let bound = self.json(key).filter(|bound| match self.key_type(key) {
            Some(KeyType::Integer) => bound.value.is_i64(),
            known => known.is_some() && (bound.value.is_number() || bound.value.is_boolean()),
        })?;
        let Some(why) = standard::keyword_error(key, &bound.value) else { return Some(bound) };
        let message = format!("`{key}` is not valid in JSON Schema 2020-12");
        let found = Diagnostic::new(Code::NOT_2020_12, bound.place, message).label(why);
        let is_factor = key == keyword::MULTIPLE_OF.key.name;
        self.sink.push(match bound.value.as_f64() {
            Some(number) if is_factor && number <= 0.0 => found.help("write a number above 0, or remove the keyword"),
            Some(number) if number < 0.0 => found.help("write 0 or more, or remove the keyword"),
            _ => found,
        });
        if let Some(value) = self.value(key) {
            self.refuse(value, Code::NOT_2020_12);
        }
        None
    }

    /// Reads an array of JSON values.
    pub(super) fn jsons(&self, key: &str) -> Vec<At<Value>> {
        self.items(key).filter_map(|item| Some(At::new(json(item).ok()?, self.at(item)))).collect()
    }

    /// Reads the values of an enum.
    pub(super) fn choices(&self, key: &str) -> Vec<Choice> {
        let choice = |item: &'t Spanned<DeValue<'t>>| match item.get_ref() {
            DeValue::Table(table) if written_as_json(table).is_none() => {
                let reader = self.nested(table, self.at(item), &[CHOICE], format_args!("a conditional value"))?;
                Some(Choice { value: reader.get(&keyword::VALUE)?, when: Some(reader.get(&keyword::VALUE_WHEN)?) })
            }
            _ => Some(Choice { value: At::new(json(item).ok()?, self.at(item)), when: None }),
        };
        self.items(key).filter_map(choice).collect()
    }
}
