//! Schemas: what a tool's manifest says of its arguments and of what it returns.

use std::borrow::Cow;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::table::Type;

use super::Reader;
use super::json::{json, written_as_json};
use crate::diagnostic::{At, Code, Diagnostic, Place};
use crate::manifest::keys::{CHOICE, KeyType, PROPERTY, SCHEMA};
use crate::manifest::standard;
use crate::schema::{Additional, Bounds, Choice, Def, DefId, Defs, LEAD, Property, Reference, Schema};
use crate::text::atoms::Template;
use crate::text::template::Piece;

impl<'t> Reader<'t> {
    /// The definitions of this table, which is a tool's manifest, as they are written.
    pub(super) fn defs(&self) -> Option<&'t DeTable<'t>> {
        self.get("schema")?.get_ref().as_table()?.get("$defs")?.get_ref().as_table()
    }

    /// The schema of a tool's arguments, which are an object, and the definitions that stand beside it. Where the tool
    /// says nothing, that is at `place`.
    pub(in crate::manifest) fn arguments(&self, place: Place) -> (Schema, Defs) {
        let params = self.properties("params");
        let root = self.table("schema");
        let (mut schema, defs) = match &root {
            Some(root) => (root.schema(), root.definitions()),
            None => (Schema::new(place), Defs::default()),
        };
        schema.types = vec![Type::Object];
        let position = |key| self.table.keys().position(|name| name.get_ref() == key);
        let others = if position("schema") < position("params") {
            params
        } else {
            std::mem::replace(&mut schema.properties, params)
        };
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

    /// The definitions in this table, which is the schema of the arguments.
    fn definitions(&self) -> Defs {
        let def = |(name, value): (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>)| {
            let At { value: name, place } = At::new(name.get_ref().to_string(), Place::new(self.source, name.span()));
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) {
                self.sink.push(
                    Diagnostic::new(Code::INVALID_NAME, place, format!("`{name}` cannot be the name of a definition"))
                        .label("expected letters, digits, `_`, `-` or `.`")
                        .help("a `$ref` leads to it by this name, and it names the Rust type"),
                );
            }
            let table = value.get_ref().as_table();
            let reader =
                table.and_then(|table| self.nested(table, place, &[SCHEMA], format_args!("the definition `{name}`")));
            // One that cannot be read keeps its place: a `$ref` to it is right.
            let schema = reader.map_or_else(|| Schema::new(place), |reader| reader.schema());
            Def { name: At::new(name, place), schema }
        };
        let mut defs = Defs::new(self.defs.into_iter().flatten().map(def).collect());
        while let Some(ring) = defs.ring() {
            let names: Vec<&str> =
                ring.last().into_iter().chain(&ring).map(|reference| reference.name.as_str()).collect();
            let message = match names.as_slice() {
                [_, only] => format!("the definition `{only}` is nothing but itself"),
                names => format!("definitions that are nothing but one another: {}", names.join(" → ")),
            };
            let (last, others) = ring.split_last().expect("a ring has a link");
            let found = Diagnostic::new(Code::REF_RING, last.place, message)
                .help("let one of them say what its values are; an object or array may hold itself again");
            self.sink.push(others.iter().fold(found, |found, link| found.related(link.place, "leads on")));
            defs.cut(last.place);
        }
        defs
    }

    /// What `$ref` leads to. A name that is misspelt stands for the nearest one.
    fn reference(&self) -> Option<Reference> {
        let At { value, place } = self.text("$ref")?;
        let names = || self.defs.into_iter().flatten().map(|(name, _)| &**name.get_ref());
        let link = |name: &str| {
            let to = names().position(|known| known == name)?;
            Some(Reference { to: DefId(to), name: name.to_owned(), place })
        };
        let last = value.rsplit('/').next().unwrap_or_default();
        if value.strip_prefix(LEAD) == Some(last)
            && let Some(reference) = link(last)
        {
            return Some(reference);
        }
        self.sink.push(if value.strip_prefix(LEAD) == Some(last) {
            let found = Diagnostic::new(Code::UNRESOLVED_REF, place, format!("unknown definition `{last}`"));
            match names().next() {
                Some(_) => found.help_nearest(last, names(), "the definitions are"),
                None => found.help(format!("declare it: `[schema.\"$defs\".{last}]`")),
            }
        } else {
            let (code, leads, help) = if value.starts_with('#') {
                (
                    Code::UNRESOLVED_REF,
                    "leads to no definition",
                    "give the schema a name in `$defs`, in `[schema]`, and lead to it from everywhere",
                )
            } else {
                (
                    Code::EXTERNAL_REF,
                    "leads out of the manifest",
                    "copy what it leads to into `$defs`, in `[schema]`: nothing is fetched",
                )
            };
            let found =
                Diagnostic::new(code, place, format!("`{value}` {leads}")).label(format!("expected `{LEAD}NAME`"));
            match link(last) {
                Some(meant) => found.help(format!("did you mean `{}`?", meant.written())),
                None => found.help(help),
            }
        });
        link(toolc::nearest(last, names()).into_iter().next()?)
    }

    /// A table of properties, in the author's order.
    fn properties(&self, key: &str) -> Vec<Property> {
        let table = self.get(key).and_then(|value| value.get_ref().as_table());
        table.into_iter().flatten().filter_map(|(name, value)| self.property(name, value)).collect()
    }

    fn property(&self, name: &'t Spanned<Cow<'t, str>>, value: &'t Spanned<DeValue<'t>>) -> Option<Property> {
        let table = value.get_ref().as_table()?;
        let place = Place::new(self.source, name.span());
        let what = name.get_ref();
        let reader = self.nested(table, place, &[SCHEMA, PROPERTY], format_args!("the property `{what}`"))?;
        Some(Property {
            name: At::new(name.get_ref().to_string(), place),
            required: reader.flag("required").unwrap_or(false),
            secret: reader.flag("secret").unwrap_or(false),
            when: reader.condition("when"),
            schema: reader.schema(),
        })
    }

    fn schema(&self) -> Schema {
        let schema = self.readable();
        let is_unread = |key, is_read: bool| !is_read && self.get(key).is_some();
        let has_errors = !self.unknown.is_empty()
            || is_unread("type", !schema.types.is_empty())
            || is_unread("$ref", schema.reference.is_some())
            || is_unread("enum", !schema.choices.is_empty())
            || is_unread("items", schema.items.is_some())
            || is_unread("properties", !schema.properties.is_empty());
        Schema { has_errors, ..schema }
    }

    fn readable(&self) -> Schema {
        Schema {
            place: self.place,
            reference: self.reference(),
            types: self.types(),
            title: self.text("title").map(|text| text.value),
            description: self.template("description").or_else(|| self.excuse("description")),
            deprecated: self.flag("deprecated").unwrap_or(false),
            choices: self.choices("enum"),
            constant: self.json("const"),
            default: self.json("default"),
            examples: self.jsons("examples"),
            bounds: Bounds {
                minimum: self.bound("minimum"),
                maximum: self.bound("maximum"),
                exclusive_minimum: self.bound("exclusiveMinimum"),
                exclusive_maximum: self.bound("exclusiveMaximum"),
                multiple_of: self.bound("multipleOf"),
                min_length: self.bound("minLength"),
                max_length: self.bound("maxLength"),
                min_items: self.bound("minItems"),
                max_items: self.bound("maxItems"),
                unique_items: self.bound("uniqueItems"),
                min_properties: self.bound("minProperties"),
                max_properties: self.bound("maxProperties"),
            }
            .into(),
            pattern: self.pattern(),
            format: self.text("format").map(|text| text.value),
            any_of: self.subschemas("anyOf"),
            one_of: self.subschemas("oneOf"),
            all_of: self.subschemas("allOf"),
            items: self.subschema("items").map(Box::new),
            properties: self.properties("properties"),
            additional: match (self.flag("additionalProperties"), self.subschema("additionalProperties")) {
                (Some(true), _) => Additional::Allow,
                (_, Some(schema)) => Additional::Schema(Box::new(schema)),
                _ => Additional::Deny,
            },
            has_errors: false,
        }
    }

    /// Stands for a text that is there but for a mistake, which has been reported and is not to be reported as a lack.
    fn excuse(&self, key: &str) -> Option<At<Template>> {
        let names = self.table.keys().map(|name| &**name.get_ref());
        (!toolc::nearest(key, names).is_empty()).then(|| At::new(vec![Piece::Text(key.to_owned())], self.place))
    }

    /// A schema; none where there is none.
    pub(in crate::manifest) fn subschema(&self, key: &str) -> Option<Schema> {
        let value = self.get(key)?;
        let table = value.get_ref().as_table()?;
        Some(self.nested(table, self.at(value), &[SCHEMA], format_args!("the schema `{key}`"))?.schema())
    }

    fn subschemas(&self, key: &str) -> Vec<Schema> {
        let schema = |item: &'t Spanned<DeValue<'t>>| {
            let table = item.get_ref().as_table()?;
            Some(self.nested(table, self.at(item), &[SCHEMA], format_args!("a schema of `{key}`"))?.schema())
        };
        self.items(key).filter_map(schema).collect()
    }

    fn pattern(&self) -> Option<At<String>> {
        let pattern = self.text("pattern")?;
        let Some(why) = standard::refuses_pattern(&pattern.value) else { return Some(pattern) };
        let message = "`pattern` is not a regular expression";
        let found = Diagnostic::new(Code::INVALID_PATTERN, pattern.place, message).label(why);
        self.sink.push(found.help("write it as ECMAScript does, with every group and class closed"));
        None
    }

    fn types(&self) -> Vec<Type> {
        // Repetitions and empty lists: names that are no types have been reported.
        if let Some(list) = self.json("type").filter(|list| list.value.is_array())
            && let Some(why) = standard::refuses("type", &list.value)
            && !self.items("type").any(|word| word.get_ref().as_str().and_then(Type::from_name).is_none())
        {
            let message = "`type` is not what JSON Schema 2020-12 takes";
            self.sink.push(Diagnostic::new(Code::NOT_2020_12, list.place, message).label(why));
        }
        let one = self.get("type").filter(|value| value.get_ref().is_str());
        let words = one.into_iter().chain(self.items("type"));
        let mut types = Vec::new();
        for named in words.filter_map(|word| Type::from_name(word.get_ref().as_str()?)) {
            if !types.contains(&named) {
                types.push(named);
            }
        }
        types
    }

    /// A word's value, unless the standard refuses it: then the schema has to do without.
    fn bound(&self, key: &str) -> Option<At<Value>> {
        // What is of another type has been reported as that.
        let bound = self.json(key).filter(|bound| match self.key_type(key) {
            Some(KeyType::Integer) => bound.value.is_i64(),
            known => known.is_some() && (bound.value.is_number() || bound.value.is_boolean()),
        })?;
        let Some(why) = standard::refuses(key, &bound.value) else { return Some(bound) };
        let message = format!("`{key}` is not what JSON Schema 2020-12 takes");
        self.sink.push(Diagnostic::new(Code::NOT_2020_12, bound.place, message).label(why));
        None
    }

    fn jsons(&self, key: &str) -> Vec<At<Value>> {
        self.items(key).filter_map(|item| Some(At::new(json(item).ok()?, self.at(item)))).collect()
    }

    fn choices(&self, key: &str) -> Vec<Choice> {
        let choice = |item: &'t Spanned<DeValue<'t>>| match item.get_ref() {
            DeValue::Table(table) if written_as_json(table).is_none() => {
                let reader = self.nested(table, self.at(item), &[CHOICE], format_args!("a conditional value"))?;
                Some(Choice { value: reader.json("value")?, when: Some(reader.condition("when")?) })
            }
            _ => Some(Choice { value: At::new(json(item).ok()?, self.at(item)), when: None }),
        };
        self.items(key).filter_map(choice).collect()
    }
}
