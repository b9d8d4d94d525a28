//! Reads the schemas of the arguments and of the result of a tool.

use std::borrow::Cow;
use std::fmt::Arguments;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::__gen::table::Type;
use toolc::suggest::nearest;
use toolc_lower::schema::{Additional, Bounds, Choice, Def, DefId, Defs, Property, REF_PREFIX, Reference, Schema};
use toolc_lower::text::atoms::Template;
use toolc_lower::text::template::Piece;
use toolc_tables::{Key, KeyType, json, written_as_json};

use super::{ManifestReader, name_place};
use crate::diagnostic::{At, Diagnostic, Place, codes};
use crate::manifest::keys::schema as keyword;
use crate::manifest::keys::{CHOICE, PROPERTY, SCHEMA};
use crate::manifest::standard::{self, PatternError};

/// The maximum nesting of schemas.
const MAX_DEPTH: usize = 64;

/// The tables of a tool that declare the schema of its arguments.
const PARAMS: &str = "params";
const ROOT: &str = "schema";

/// Returns the reader of a schema or a part of it, or `None` if the nesting is too deep.
fn nested<'t>(
    reader: &ManifestReader<'t>,
    table: &'t DeTable<'t>,
    place: Place,
    keys: &'static [&'static [Key]],
    what: Arguments<'_>,
) -> Option<ManifestReader<'t>> {
    if reader.depth() >= MAX_DEPTH {
        let message = format!("a schema nested more than {MAX_DEPTH} deep");
        reader.sink().push(Diagnostic::new(codes::SCHEMA_TOO_LARGE, place, message).help("flatten it"));
        return None;
    }
    Some(reader.nested(table, place, keys, what))
}

/// Returns the definitions of a tool's manifest, as written.
pub(in crate::manifest) fn defs<'t>(reader: &ManifestReader<'t>) -> Option<&'t DeTable<'t>> {
    reader.value(ROOT)?.get_ref().as_table()?.get(keyword::DEFS.key.name)?.get_ref().as_table()
}

/// Returns whether definitions are in a place from which they are not read, which is reported there.
fn has_unread_definitions(reader: &ManifestReader<'_>) -> bool {
    const NAMES: [&str; 5] = ["$defs", "definitions", "defs", "components", "$definitions"];
    let root = reader.root();
    let schema = root.get(ROOT).map(Spanned::get_ref);
    let is_table = |table: &DeTable<'_>, name| table.get(name).is_some_and(|value| value.get_ref().is_table());
    let is_in = |table: &DeTable<'_>, names: &[&str]| names.iter().any(|name| table.contains_key(*name));
    is_in(root, &NAMES)
        || schema.is_some_and(|schema| match schema.as_table() {
            Some(schema) => is_in(schema, &NAMES[1..]) || schema.contains_key(NAMES[0]) && !is_table(schema, NAMES[0]),
            None => true,
        })
}

/// Reads the schema of a tool's arguments, and its definitions.
pub(in crate::manifest) fn arguments(reader: &ManifestReader<'_>) -> (Schema, Defs) {
    let params = properties(reader, PARAMS);
    let root = reader.table(ROOT);
    let (mut schema, defs) = match &root {
        Some(root) => (self::schema(root), definitions(root)),
        None => (Schema::new(name_place(reader)), Defs::default()),
    };
    schema.types = vec![Type::Object];
    let position = |key| reader.toml().keys().position(|name| name.get_ref() == key);
    let others =
        if position(ROOT) < position(PARAMS) { params } else { std::mem::replace(&mut schema.properties, params) };
    for property in others {
        let known = schema.properties.iter().find(|known| known.name.value == property.name.value);
        let Some(known) = known else {
            schema.properties.push(property);
            continue;
        };
        let message = format!("the parameter `{}` is declared twice", property.name.value);
        reader.sink().push(
            Diagnostic::new(codes::DUPLICATE_PARAMETER, property.name.place, message)
                .label("declared again here")
                .related(known.name.place, "first declared here")
                .help("`params` are the `properties` of `[schema]`: keep one of them"),
        );
    }
    (schema, defs)
}

/// Returns the definitions of the schema of the arguments.
fn definitions<'t>(reader: &ManifestReader<'t>) -> Defs {
    let def = |(name, value): (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>)| {
        let At { value: name, place } =
            At::new(name.get_ref().to_string(), Place::new(reader.place().source, name.span()));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) {
            reader.sink().push(
                Diagnostic::new(codes::INVALID_NAME, place, format!("`{name}` cannot be the name of a definition"))
                    .label("expected letters, digits, `_`, `-` or `.`")
                    .help("`$ref`s use this name, and so does the Rust type"),
            );
        }
        let table = value.get_ref().as_table();
        let reader =
            table.and_then(|table| nested(reader, table, place, &[SCHEMA], format_args!("the definition `{name}`")));
        // An invalid definition keeps its index, so that a `$ref` to it is not reported.
        let schema = reader.map_or_else(|| Schema::new(place), |reader| schema(&reader));
        Def { name: At::new(name, place), schema }
    };
    let mut defs = Defs::new(reader.language.defs.into_iter().flatten().map(def).collect());
    while let Some(cycle) = defs.cycle() {
        let names: Vec<&str> =
            cycle.last().into_iter().chain(&cycle).map(|reference| reference.name.as_str()).collect();
        let message = match names.as_slice() {
            [_, only] => format!("the definition `{only}` refers only to itself"),
            names => format!("definitions that refer only to each other: {}", names.join(" → ")),
        };
        let (last, others) = cycle.split_last().expect("a cycle is not empty");
        let found = Diagnostic::new(codes::REF_CYCLE, last.place, message)
            .help("give one of them a type; an object or array can contain itself");
        reader
            .sink()
            .push(others.iter().fold(found, |found, link| found.related(link.place, "refers to the next one")));
        defs.remove_reference(last.place);
    }
    defs
}

/// Reads the target of a `$ref`. A misspelt name is read as the nearest one.
pub(in crate::manifest) fn reference(reader: &ManifestReader<'_>, key: &str) -> Option<Reference> {
    let At { value, place } = reader.text(key)?;
    let names = || reader.language.defs.into_iter().flatten().map(|(name, _)| &**name.get_ref());
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
    if has_unread_definitions(reader) {
        return None;
    }
    reader.sink().push(if value.strip_prefix(REF_PREFIX) == Some(last) {
        let found = Diagnostic::new(codes::UNRESOLVED_REF, place, format!("unknown definition `{last}`"));
        match names().next() {
            Some(_) => found.help_nearest(last, names(), "the definitions are"),
            None => found.help(format!("declare it: `[schema.\"$defs\".{last}]`")),
        }
    } else {
        let (code, problem, help) = if value.starts_with('#') {
            (
                codes::UNRESOLVED_REF,
                "does not point to a definition",
                "move the schema to `$defs`, in `[schema]`, and refer to it by its name",
            )
        } else {
            (
                codes::EXTERNAL_REF,
                "points outside the manifest",
                "copy the schema to `$defs`, in `[schema]`: toolc does not fetch schemas",
            )
        };
        let found =
            Diagnostic::new(code, place, format!("`{value}` {problem}")).label(format!("expected `{REF_PREFIX}NAME`"));
        match link(last) {
            Some(intended) => found.help(format!("did you mean `{}`?", intended.uri())),
            None => found.help(help),
        }
    });
    link(nearest(last, names()).into_iter().next()?)
}

/// Reads a table of properties, in the author's order.
pub(in crate::manifest) fn properties(reader: &ManifestReader<'_>, key: &str) -> Vec<Property> {
    let table = reader.value(key).and_then(|value| value.get_ref().as_table());
    table.into_iter().flatten().filter_map(|(name, value)| property(reader, name, value)).collect()
}

fn property<'t>(
    reader: &ManifestReader<'t>,
    name: &'t Spanned<Cow<'t, str>>,
    value: &'t Spanned<DeValue<'t>>,
) -> Option<Property> {
    let table = value.get_ref().as_table()?;
    let place = Place::new(reader.place().source, name.span());
    let what = name.get_ref();
    let reader = nested(reader, table, place, &[SCHEMA, PROPERTY], format_args!("the property `{what}`"))?;
    Some(Property {
        name: At::new(name.get_ref().to_string(), place),
        required: reader.get(&keyword::REQUIRED),
        secret: reader.get(&keyword::SECRET),
        aliases: reader.get(&keyword::ALIASES),
        clamp: reader.get(&keyword::CLAMP),
        when: reader.get(&keyword::WHEN),
        mcp_header: reader.get(&keyword::MCP_HEADER),
        schema: schema(&reader),
    })
}

fn schema(reader: &ManifestReader<'_>) -> Schema {
    let schema = read_keywords(reader);
    let is_unread = |key: &Key, is_read: bool| !is_read && reader.value(key.name).is_some();
    let has_errors = reader.refused().is_any()
        || reader.has_unknown_keys()
        || is_unread(&keyword::TYPE.key, !schema.types.is_empty())
        || is_unread(&keyword::REF.key, schema.reference.is_some())
        || is_unread(&keyword::ENUM.key, !schema.choices.is_empty())
        || is_unread(&keyword::ITEMS.key, schema.items.is_some())
        || is_unread(&keyword::PROPERTIES.key, !schema.properties.is_empty());
    Schema { has_errors, ..schema }
}

fn read_keywords(reader: &ManifestReader<'_>) -> Schema {
    Schema {
        place: reader.place(),
        reference: reader.get(&keyword::REF),
        types: reader.get(&keyword::TYPE),
        title: reader.get(&keyword::TITLE),
        description: reader
            .get(&keyword::DESCRIPTION)
            .or_else(|| unknown_template(reader, keyword::DESCRIPTION.key.name)),
        deprecated: reader.get(&keyword::DEPRECATED),
        choices: reader.get(&keyword::ENUM),
        constant: reader.get(&keyword::CONST),
        default: reader.get(&keyword::DEFAULT),
        examples: reader.get(&keyword::EXAMPLES),
        bounds: Bounds {
            minimum: reader.get(&keyword::MINIMUM),
            maximum: reader.get(&keyword::MAXIMUM),
            exclusive_minimum: reader.get(&keyword::EXCLUSIVE_MINIMUM),
            exclusive_maximum: reader.get(&keyword::EXCLUSIVE_MAXIMUM),
            multiple_of: reader.get(&keyword::MULTIPLE_OF),
            min_length: reader.get(&keyword::MIN_LENGTH),
            max_length: reader.get(&keyword::MAX_LENGTH),
            min_items: reader.get(&keyword::MIN_ITEMS),
            max_items: reader.get(&keyword::MAX_ITEMS),
            unique_items: reader.get(&keyword::UNIQUE_ITEMS),
            min_properties: reader.get(&keyword::MIN_PROPERTIES),
            max_properties: reader.get(&keyword::MAX_PROPERTIES),
        }
        .into(),
        pattern: reader.get(&keyword::PATTERN),
        format: reader.get(&keyword::FORMAT),
        any_of: reader.get(&keyword::ANY_OF),
        one_of: reader.get(&keyword::ONE_OF),
        all_of: reader.get(&keyword::ALL_OF),
        items: reader.get(&keyword::ITEMS).map(Box::new),
        properties: reader.get(&keyword::PROPERTIES),
        additional: reader.get(&keyword::ADDITIONAL_PROPERTIES),
        others: Vec::new(),
        has_errors: false,
    }
}

/// Reads a boolean or the schema of further properties.
pub(in crate::manifest) fn additional(reader: &ManifestReader<'_>, key: &str) -> Additional {
    match (reader.flag(key), subschema(reader, key)) {
        (Some(true), _) => Additional::Allow,
        (_, Some(schema)) => Additional::Schema(Box::new(schema)),
        _ => Additional::Deny,
    }
}

/// Returns a placeholder for a template that may exist: its key is misspelt, or a definition that may have it cannot be read. Its
/// absence is not reported.
fn unknown_template(reader: &ManifestReader<'_>, key: &str) -> Option<At<Template>> {
    let names = reader.toml().keys().map(|name| &**name.get_ref());
    let is_misspelt = !nearest(key, names).is_empty();
    let has_unread_reference = || reader.value(keyword::REF.key.name).is_some() && has_unread_definitions(reader);
    (is_misspelt || has_unread_reference()).then(|| At::new(vec![Piece::Text(key.to_owned())], reader.place()))
}

/// Reads a schema.
pub(in crate::manifest) fn subschema(reader: &ManifestReader<'_>, key: &str) -> Option<Schema> {
    let value = reader.value(key)?;
    let table = value.get_ref().as_table()?;
    Some(self::schema(&nested(reader, table, reader.at(value), &[SCHEMA], format_args!("the schema `{key}`"))?))
}

/// Reads an array of schemas.
pub(in crate::manifest) fn subschemas<'t>(reader: &ManifestReader<'t>, key: &str) -> Vec<Schema> {
    let schema = |item: &'t Spanned<DeValue<'t>>| {
        let table = item.get_ref().as_table()?;
        Some(self::schema(&nested(reader, table, reader.at(item), &[SCHEMA], format_args!("a schema of `{key}`"))?))
    };
    reader.items(key).filter_map(schema).collect()
}

/// Reads a regular expression.
pub(in crate::manifest) fn pattern(reader: &ManifestReader<'_>, key: &str) -> Option<At<String>> {
    let pattern = reader.text(key)?;
    let Some(PatternError { why, at }) = standard::pattern_error(&pattern.value) else { return Some(pattern) };
    let value = reader.value(key)?;
    let place = at.map_or(pattern.place, |span| reader.within(value, &pattern.value, span));
    let message = match &why {
        Some(why) => format!("invalid regular expression: {why}"),
        None => "invalid regular expression".to_owned(),
    };
    let found = Diagnostic::new(codes::INVALID_PATTERN, place, message);
    reader.sink().push(found.help("use the syntax of ECMAScript, and close every group and class"));
    reader.refuse(value, codes::INVALID_PATTERN);
    None
}

/// Reads the name of a type, or an array of them.
pub(in crate::manifest) fn types(reader: &ManifestReader<'_>, key: &str) -> Vec<Type> {
    // The meta-schema rejects repeated types and empty lists. Unknown types were reported.
    if let Some(list) = reader.json(key).filter(|list| list.value.is_array())
        && let Some(why) = standard::keyword_error(key, &list.value)
        && !reader.items(key).any(|word| word.get_ref().as_str().and_then(Type::from_name).is_none())
    {
        let is_empty = reader.items(key).next().is_none();
        let message = if is_empty {
            format!("`{key}` is an empty list")
        } else {
            format!("`{key}` is not valid in JSON Schema 2020-12")
        };
        let found = Diagnostic::new(codes::NOT_2020_12, list.place, message);
        reader.sink().push(if is_empty {
            found.help(format!("name at least one type: `{key} = [\"string\"]`"))
        } else if let Some(twice) = twice(reader, key) {
            found.label(format!("`{twice}` is listed twice")).help("remove one of them")
        } else {
            found.label(why)
        });
        if let Some(value) = reader.value(key) {
            reader.refuse(value, codes::NOT_2020_12);
        }
    }
    let one = reader.value(key).filter(|value| value.get_ref().is_str());
    let words = one.into_iter().chain(reader.items(key));
    let mut types = Vec::new();
    for named in words.filter_map(|word| Type::from_name(word.get_ref().as_str()?)) {
        if !types.contains(&named) {
            types.push(named);
        }
    }
    types
}

/// Returns the first string that an array contains twice.
fn twice<'t>(reader: &ManifestReader<'t>, key: &str) -> Option<&'t str> {
    let texts: Vec<&str> = reader.items(key).filter_map(|item| item.get_ref().as_str()).collect();
    (1..texts.len()).find(|&index| texts[..index].contains(&texts[index])).map(|index| texts[index])
}

/// Reads the value of a keyword, if JSON Schema's own schema accepts it.
pub(in crate::manifest) fn bound(reader: &ManifestReader<'_>, key: &str) -> Option<At<Value>> {
    // A value of another type has been reported.
    let bound = reader.json(key).filter(|bound| match reader.key_type(key) {
        Some(KeyType::Integer) => bound.value.is_i64(),
        known => known.is_some() && (bound.value.is_number() || bound.value.is_boolean()),
    })?;
    let Some(why) = standard::keyword_error(key, &bound.value) else { return Some(bound) };
    let message = format!("`{key}` is not valid in JSON Schema 2020-12");
    let found = Diagnostic::new(codes::NOT_2020_12, bound.place, message).label(why);
    let is_factor = key == keyword::MULTIPLE_OF.key.name;
    reader.sink().push(match bound.value.as_f64() {
        Some(number) if is_factor && number <= 0.0 => found.help("write a number above 0, or remove the keyword"),
        Some(number) if number < 0.0 => found.help("write 0 or more, or remove the keyword"),
        _ => found,
    });
    if let Some(value) = reader.value(key) {
        reader.refuse(value, codes::NOT_2020_12);
    }
    None
}

/// Reads the values of an enum.
pub(in crate::manifest) fn choices<'t>(reader: &ManifestReader<'t>, key: &str) -> Vec<Choice> {
    let choice = |item: &'t Spanned<DeValue<'t>>| match item.get_ref() {
        DeValue::Table(table) if written_as_json(table).is_none() => {
            let reader = nested(reader, table, reader.at(item), &[CHOICE], format_args!("a conditional value"))?;
            Some(Choice { value: reader.get(&keyword::VALUE)?, when: Some(reader.get(&keyword::VALUE_WHEN)?) })
        }
        _ => Some(Choice { value: At::new(json(item).ok()?, reader.at(item)), when: None }),
    };
    reader.items(key).filter_map(choice).collect()
}
