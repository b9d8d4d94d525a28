//! The fields of a form: what a server may ask for, how a typed text is read, and which values are right.

use rmcp::model::{
    ElicitationSchema, EnumSchema, MultiSelectEnumSchema, PrimitiveSchemaDefinition, SingleSelectEnumSchema,
    StringFormat,
};
use serde_json::{Map, Value, json};
use toolc::approval::is_credential;

use crate::error::{ErrorKind, McpError};

/// The maximum number of fields of a form.
const MAX_FIELDS: usize = 30;
/// The maximum number of choices of a field.
const MAX_CHOICES: usize = 200;
/// The maximum number of characters of a typed text.
const MAX_TEXT: usize = 10_000;

/// A field of a form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name of the value.
    pub name: String,
    /// The title for people. May be empty.
    pub title: String,
    /// What the value means. May be empty.
    pub description: String,
    /// Whether a value must be given.
    pub is_required: bool,
    /// What a value is.
    pub kind: FieldKind,
    /// The value that is proposed.
    pub default: Option<Value>,
    /// Whether the field seems to ask for a password or a key, which a server must not do.
    pub is_secret: bool,
}

/// The type of the value of a field, with its limits.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FieldKind {
    /// A text.
    Text {
        /// The minimum number of characters.
        min: usize,
        /// The maximum number of characters.
        max: usize,
        /// Its form.
        format: Option<TextFormat>,
    },
    /// A number.
    Number {
        /// The minimum.
        min: Option<f64>,
        /// The maximum.
        max: Option<f64>,
    },
    /// An integer.
    Integer {
        /// The minimum.
        min: Option<i64>,
        /// The maximum.
        max: Option<i64>,
    },
    /// Yes or no.
    Boolean,
    /// One of several choices.
    One(Vec<Choice>),
    /// Some of several choices.
    Many {
        /// The choices.
        choices: Vec<Choice>,
        /// The minimum number.
        min: usize,
        /// The maximum number.
        max: usize,
    },
}

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// An email address.
    Email,
    /// A URI.
    Uri,
    /// A date: `2026-03-01`.
    Date,
    /// A date with a time: `2026-03-01T12:00:00Z`.
    DateTime,
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The value.
    pub value: String,
    /// The title for people. May be empty.
    pub title: String,
}

/// Returns the fields of a form in the order in which the server wrote them.
///
/// # Errors
/// Returns why the form cannot be shown.
pub(super) fn fields(schema: &ElicitationSchema) -> Result<Vec<Field>, String> {
    if schema.properties.len() > MAX_FIELDS {
        return Err(format!("a form has at most {MAX_FIELDS} fields, and this form has {}", schema.properties.len()));
    }
    let required = schema.required.as_deref().unwrap_or_default();
    if let Some(missing) = required.iter().find(|name| !schema.properties.contains_key(*name)) {
        return Err(format!("the form requires the field `{}`, which it does not have", missing.escape_debug()));
    }
    let names: Vec<&String> = match &schema.property_order {
        Some(order) => order.iter().collect(),
        None => schema.properties.keys().collect(),
    };
    let field = |name: &String| {
        let definition = schema.properties.get(name)?;
        Some(field(name, definition, required.contains(name)))
    };
    names.into_iter().filter_map(field).collect()
}

fn field(name: &str, definition: &PrimitiveSchemaDefinition, is_required: bool) -> Result<Field, String> {
    let text = |text: &Option<std::borrow::Cow<'static, str>>| text.as_deref().unwrap_or_default().to_owned();
    let (title, description, kind, default) = match definition {
        PrimitiveSchemaDefinition::String(string) => {
            let format = string.format.as_ref().and_then(|format| match format {
                StringFormat::Email => Some(TextFormat::Email),
                StringFormat::Uri => Some(TextFormat::Uri),
                StringFormat::Date => Some(TextFormat::Date),
                StringFormat::DateTime => Some(TextFormat::DateTime),
                _ => None,
            });
            let bound = |bound: Option<u32>, default| bound.map_or(default, |bound| bound as usize).min(MAX_TEXT);
            let kind =
                FieldKind::Text { min: bound(string.min_length, 0), max: bound(string.max_length, MAX_TEXT), format };
            (text(&string.title), text(&string.description), kind, string.default.clone().map(Value::from))
        }
        PrimitiveSchemaDefinition::Number(number) => {
            let kind = FieldKind::Number { min: number.minimum, max: number.maximum };
            (text(&number.title), text(&number.description), kind, number.default.map(Value::from))
        }
        PrimitiveSchemaDefinition::Integer(integer) => {
            let kind = FieldKind::Integer { min: integer.minimum, max: integer.maximum };
            (text(&integer.title), text(&integer.description), kind, integer.default.map(Value::from))
        }
        PrimitiveSchemaDefinition::Boolean(boolean) => {
            let default = boolean.default.map(Value::from);
            (text(&boolean.title), text(&boolean.description), FieldKind::Boolean, default)
        }
        PrimitiveSchemaDefinition::Enum(choices) => selection(choices)?,
        _ => return Err(format!("the field `{}` has a type that is not known", name.escape_debug())),
    };
    let is_secret = [name, &title, &description].iter().any(|text| asks_for_secret(text));
    let mut field = Field { name: name.to_owned(), title, description, is_required, kind, default, is_secret };
    // A proposed value must match its field.
    field.default = field.default.filter(|default| field.kind.check(default).is_ok());
    Ok(field)
}

type Selection = (String, String, FieldKind, Option<Value>);

fn selection(schema: &EnumSchema) -> Result<Selection, String> {
    let text = |text: &Option<std::borrow::Cow<'static, str>>| text.as_deref().unwrap_or_default().to_owned();
    let plain = |values: &[String]| {
        values.iter().map(|value| Choice { value: value.clone(), title: String::new() }).collect::<Vec<_>>()
    };
    let titled = |choices: &[rmcp::model::ConstTitle]| {
        let choice =
            |choice: &rmcp::model::ConstTitle| Choice { value: choice.const_.clone(), title: choice.title.clone() };
        choices.iter().map(choice).collect::<Vec<_>>()
    };
    let many = |choices: Vec<Choice>, min: Option<u64>, max: Option<u64>| {
        let bound = |bound: Option<u64>, default: usize| {
            bound.map_or(default, |bound| usize::try_from(bound).unwrap_or(usize::MAX))
        };
        let max = bound(max, choices.len());
        FieldKind::Many { choices, min: bound(min, 0), max }
    };
    let found = match schema {
        EnumSchema::Single(SingleSelectEnumSchema::Untitled(one)) => (
            text(&one.title),
            text(&one.description),
            FieldKind::One(plain(&one.enum_)),
            one.default.clone().map(Value::from),
        ),
        EnumSchema::Single(SingleSelectEnumSchema::Titled(one)) => (
            text(&one.title),
            text(&one.description),
            FieldKind::One(titled(&one.one_of)),
            one.default.clone().map(Value::from),
        ),
        EnumSchema::Multi(MultiSelectEnumSchema::Untitled(some)) => {
            let kind = many(plain(&some.items.enum_), some.min_items, some.max_items);
            (text(&some.title), text(&some.description), kind, some.default.clone().map(Value::from))
        }
        EnumSchema::Multi(MultiSelectEnumSchema::Titled(some)) => {
            let kind = many(titled(&some.items.any_of), some.min_items, some.max_items);
            (text(&some.title), text(&some.description), kind, some.default.clone().map(Value::from))
        }
        EnumSchema::Legacy(one) => {
            let names = one.enum_names.as_deref().unwrap_or_default();
            let choice = |(at, value): (usize, &String)| Choice {
                value: value.clone(),
                title: names.get(at).cloned().unwrap_or_default(),
            };
            let choices = one.enum_.iter().enumerate().map(choice).collect();
            (text(&one.title), text(&one.description), FieldKind::One(choices), one.default.clone().map(Value::from))
        }
        _ => return Err("the form has a choice of a kind that is not known".to_owned()),
    };
    let (FieldKind::One(choices) | FieldKind::Many { choices, .. }) = &found.2 else { return Ok(found) };
    if choices.is_empty() || choices.len() > MAX_CHOICES {
        return Err(format!("a field has 1 to {MAX_CHOICES} choices, and a field of this form has {}", choices.len()));
    }
    Ok(found)
}

/// Returns whether a text of a field names what must stay secret.
fn asks_for_secret(text: &str) -> bool {
    let is_boundary = |c: char| !c.is_alphanumeric() && c != '_' && c != '-';
    let words: Vec<&str> = text.split(is_boundary).filter(|word| !word.is_empty()).collect();
    let joined = |pair: &[&str]| pair.join("_");
    words
        .iter()
        .any(|word| is_credential(word, "") || ["pin", "cvv", "passcode"].contains(&word.to_lowercase().as_str()))
        || words.windows(2).any(|pair| is_credential(&joined(pair), ""))
}

impl Field {
    /// Returns the value of a typed text. An empty text means the proposed value, or no value.
    ///
    /// # Errors
    /// Returns what is expected.
    pub fn read(&self, typed: &str) -> Result<Option<Value>, McpError> {
        let typed = typed.trim();
        if typed.is_empty() {
            return match (&self.default, self.is_required) {
                (Some(default), _) => Ok(Some(default.clone())),
                (None, false) => Ok(None),
                (None, true) => match &self.kind {
                    // An empty text is an empty list, if the list may be empty.
                    FieldKind::Many { min: 0, .. } => Ok(Some(json!([]))),
                    _ => Err(wrong(format!("a value is required: {}", self.kind.expected()))),
                },
            };
        }
        let value = self.kind.read(typed).ok_or_else(|| self.kind.unexpected())?;
        self.kind.check(&value)?;
        Ok(Some(value))
    }
}

/// Checks the answer to a form: each value must belong to a field, and match it.
///
/// # Errors
/// Returns the first mistake.
pub(super) fn check(fields: &[Field], values: &Map<String, Value>) -> Result<(), McpError> {
    if let Some(unknown) = values.keys().find(|name| !fields.iter().any(|field| field.name == **name)) {
        return Err(wrong(format!("the form has no field `{unknown}`")));
    }
    for field in fields {
        match values.get(&field.name) {
            Some(value) => field.kind.check(value).map_err(|error| wrong(format!("`{}`: {error}", field.name)))?,
            None if field.is_required => return Err(wrong(format!("`{}`: a value is required", field.name))),
            None => {}
        }
    }
    Ok(())
}

fn wrong(message: String) -> McpError {
    McpError::new(ErrorKind::Value, message)
}

impl FieldKind {
    fn read(&self, typed: &str) -> Option<Value> {
        match self {
            Self::Text { .. } => Some(typed.into()),
            Self::Number { .. } => typed.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::from),
            Self::Integer { .. } => typed.parse::<i64>().ok().map(Value::from),
            Self::Boolean => match typed.to_lowercase().as_str() {
                "y" | "yes" | "true" => Some(true.into()),
                "n" | "no" | "false" => Some(false.into()),
                _ => None,
            },
            Self::One(choices) => choice(choices, typed).map(Value::from),
            Self::Many { choices, .. } => {
                let values: Option<Vec<&str>> = typed.split(',').map(|part| choice(choices, part.trim())).collect();
                values.map(Value::from)
            }
        }
    }

    /// Checks a value.
    ///
    /// # Errors
    /// Returns what is expected.
    pub fn check(&self, value: &Value) -> Result<(), McpError> {
        let is_right = match self {
            Self::Text { min, max, format } => value.as_str().is_some_and(|text| {
                (*min..=*max).contains(&text.chars().count()) && format.is_none_or(|format| format.fits(text))
            }),
            Self::Number { min, max } => value
                .as_f64()
                .is_some_and(|number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)),
            Self::Integer { min, max } => value
                .as_i64()
                .is_some_and(|number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)),
            Self::Boolean => value.is_boolean(),
            Self::One(choices) => value.as_str().is_some_and(|value| is_choice(choices, value)),
            Self::Many { choices, min, max } => value.as_array().is_some_and(|values| {
                let all = values.iter().all(|value| value.as_str().is_some_and(|value| is_choice(choices, value)));
                let distinct: std::collections::BTreeSet<_> = values.iter().filter_map(Value::as_str).collect();
                all && distinct.len() == values.len() && (*min..=*max).contains(&values.len())
            }),
        };
        if is_right { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> McpError {
        wrong(format!("expected {}", self.expected()))
    }

    /// Returns what is expected, in a few words.
    pub fn expected(&self) -> String {
        let range = |min: Option<String>, max: Option<String>| match (min, max) {
            (Some(min), Some(max)) => format!(" from {min} to {max}"),
            (Some(min), None) => format!(" of at least {min}"),
            (None, Some(max)) => format!(" of at most {max}"),
            (None, None) => String::new(),
        };
        let text = |number: &Option<f64>| number.as_ref().map(ToString::to_string);
        match self {
            Self::Text { min, max, format } => {
                let what = format.map_or("a text", TextFormat::words);
                let max = (*max < MAX_TEXT).then(|| format!("{max} characters"));
                let letters = if *min == 1 { "character" } else { "characters" };
                let min = (*min > 0).then(|| if max.is_some() { min.to_string() } else { format!("{min} {letters}") });
                format!("{what}{}", range(min, max))
            }
            Self::Number { min, max } => format!("a number{}", range(text(min), text(max))),
            Self::Integer { min, max } => {
                let text = |number: &Option<i64>| number.as_ref().map(ToString::to_string);
                format!("an integer{}", range(text(min), text(max)))
            }
            Self::Boolean => "`yes` or `no`".to_owned(),
            Self::One(choices) => format!("one of the {} choices, or its number", choices.len()),
            Self::Many { min, max, .. } => {
                format!("{min} to {max} of the choices, or their numbers, separated by commas")
            }
        }
    }
}

/// Returns the value of the choice that was typed: the value itself, its title, or its number.
fn choice<'c>(choices: &'c [Choice], typed: &str) -> Option<&'c str> {
    let is_it = |choice: &&Choice| choice.value == typed;
    let is_titled = |choice: &&Choice| !choice.title.is_empty() && choice.title.eq_ignore_ascii_case(typed);
    let number = || typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
    choices.iter().find(is_it).or_else(|| choices.iter().find(is_titled)).or_else(number).map(|choice| &*choice.value)
}

fn is_choice(choices: &[Choice], value: &str) -> bool {
    choices.iter().any(|choice| choice.value == value)
}

impl TextFormat {
    fn words(self) -> &'static str {
        match self {
            Self::Email => "an email address",
            Self::Uri => "a URI",
            Self::Date => "a date such as 2026-03-01",
            Self::DateTime => "a time such as 2026-03-01T12:00:00Z",
        }
    }

    fn fits(self, text: &str) -> bool {
        let has_no_space = !text.contains(char::is_whitespace);
        match self {
            Self::Email => {
                let parts = text.rsplit_once('@');
                has_no_space
                    && parts.is_some_and(|(name, domain)| {
                        !name.is_empty() && domain.contains('.') && !domain.starts_with('.')
                    })
            }
            Self::Uri => has_no_space && reqwest::Url::parse(text).is_ok(),
            Self::Date => is_date(text),
            Self::DateTime => {
                text.split_once(['T', 't', ' ']).is_some_and(|(date, time)| is_date(date) && is_time(time))
            }
        }
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, length: usize| {
        (part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// Returns whether a text is a time with its offset, as RFC 3339 writes it.
fn is_time(text: &str) -> bool {
    let is_pair = |pair: &str, max: u32| pair.len() == 2 && pair.parse::<u32>().is_ok_and(|number| number <= max);
    let (time, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => text.split_at(at),
        None => return false,
    };
    let clock = |text: &str| {
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            [hours, minutes] => is_pair(hours, 23) && is_pair(minutes, 59),
            [hours, minutes, seconds] => {
                let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
                let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
                is_pair(hours, 23) && is_pair(minutes, 59) && is_pair(whole, 60) && is_fraction
            }
            _ => false,
        }
    };
    let is_offset =
        offset.eq_ignore_ascii_case("z") || offset.get(1..).is_some_and(|offset| offset.len() == 5 && clock(offset));
    time.len() >= 8 && clock(time) && is_offset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(schema: Value) -> Result<Vec<Field>, String> {
        fields(&serde_json::from_value(schema).expect("it is a schema"))
    }

    /// Returns the fields of properties that are all required.
    fn form(properties: &Value) -> Vec<Field> {
        let required: Vec<String> = properties.as_object().expect("an object").keys().cloned().collect();
        read(json!({ "type": "object", "properties": properties, "required": required })).expect("it can be shown")
    }

    #[test]
    fn typed_texts_become_values_of_the_requested_types() {
        let choices = json!([{ "const": "r", "title": "Red" }, { "const": "g", "title": "Green" }]);
        for (definition, typed, value) in [
            (json!({ "type": "string" }), " hé ", json!("hé")),
            (json!({ "type": "number", "minimum": 0 }), "1.5", json!(1.5)),
            (json!({ "type": "integer", "maximum": 7 }), "7", json!(7)),
            (json!({ "type": "boolean" }), "YES", json!(true)),
            (json!({ "type": "string", "enum": ["a", "b"] }), "2", json!("b")),
            (json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["One", "Two"] }), "one", json!("a")),
            (json!({ "type": "string", "oneOf": choices }), "green", json!("g")),
            (
                json!({ "type": "array", "items": { "type": "string", "enum": ["a", "b", "c"] } }),
                "c, 1",
                json!(["c", "a"]),
            ),
            (json!({ "type": "array", "items": { "anyOf": choices } }), "Red", json!(["r"])),
            (json!({ "type": "string", "format": "email" }), "me@example.com", json!("me@example.com")),
            (json!({ "type": "string", "format": "date" }), "2028-02-29", json!("2028-02-29")),
            (
                json!({ "type": "string", "format": "date-time" }),
                "2026-03-01T12:00:00.5+01:00",
                json!("2026-03-01T12:00:00.5+01:00"),
            ),
            (json!({ "type": "string", "format": "uri" }), "urn:x", json!("urn:x")),
        ] {
            let fields = form(&json!({ "x": definition }));
            assert_eq!(fields[0].read(typed).expect("it fits"), Some(value.clone()), "{definition}");
            assert!(check(&fields, &Map::from_iter([("x".to_owned(), value)])).is_ok());
        }
    }

    #[test]
    fn a_text_that_does_not_fit_is_refused_with_what_is_expected() {
        for (definition, typed, expected) in [
            (json!({ "type": "string", "minLength": 3, "maxLength": 5 }), "ab", "a text from 3 to 5 characters"),
            (json!({ "type": "number", "minimum": 1.5 }), "1", "a number of at least 1.5"),
            (json!({ "type": "number" }), "NaN", "a number"),
            (json!({ "type": "integer", "minimum": 1, "maximum": 9 }), "10", "an integer from 1 to 9"),
            (json!({ "type": "integer" }), "1.5", "an integer"),
            (json!({ "type": "boolean" }), "maybe", "`yes` or `no`"),
            (json!({ "type": "string", "enum": ["a", "b"] }), "c", "one of the 2 choices"),
            (
                json!({ "type": "array", "minItems": 1, "maxItems": 1, "items": { "type": "string", "enum": ["a", "b"] } }),
                "a,b",
                "1 to 1 of",
            ),
            (json!({ "type": "array", "items": { "type": "string", "enum": ["a", "b"] } }), "a,a", "0 to 2 of"),
            (json!({ "type": "string", "format": "email" }), "me", "an email address"),
            (json!({ "type": "string", "format": "date" }), "2026-02-29", "a date"),
            (json!({ "type": "string", "format": "date-time" }), "2026-02-28T25:00:00Z", "a time"),
            (json!({ "type": "string", "format": "date-time" }), "2026-02-28T12:00:00", "a time"),
            (json!({ "type": "string" }), "", "a value is required"),
        ] {
            let problem = form(&json!({ "x": definition }))[0].read(typed).expect_err(typed).to_string();
            assert!(problem.contains(expected), "{definition}: {problem}");
        }
    }

    #[test]
    fn an_invalid_default_is_dropped_and_fields_keep_the_order_of_the_server() {
        let schema = r#"{"type":"object","properties":{"z":{"type":"integer","default":7},"a":{"type":"string","enum":["x"],"default":"y"}}}"#;
        let fields = fields(&serde_json::from_str(schema).expect("it is a schema")).expect("it can be shown");
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["z", "a"]);
        assert_eq!(fields[0].read("").expect("it has a default"), Some(json!(7)));
        assert_eq!(fields[1].read("").expect("it is not required"), None);
    }

    #[test]
    fn an_answer_has_only_fields_of_the_form() {
        let fields = form(&json!({ "x": { "type": "integer" } }));
        for (answer, problem) in [
            (json!({}), "a value is required"),
            (json!({ "x": "7" }), "expected an integer"),
            (json!({ "x": 7, "y": 1 }), "no field `y`"),
        ] {
            let answer = answer.as_object().expect("an object");
            assert!(check(&fields, answer).is_err_and(|found| found.to_string().contains(problem)), "{answer:?}");
        }
    }

    #[test]
    fn a_field_that_asks_for_a_secret_is_marked() {
        let is_marked =
            |name: &str, title: &str| form(&json!({ name: { "type": "string", "title": title } }))[0].is_secret;
        for (name, title) in [
            ("password", ""),
            ("x", "Your API key"),
            ("github_token", ""),
            ("x", "Enter the PIN"),
            ("client_secret", ""),
        ] {
            assert!(is_marked(name, title), "{name} {title}");
        }
        for (name, title) in
            [("name", "Your name"), ("email", ""), ("keyboard", "Which keyboard?"), ("count", "How many")]
        {
            assert!(!is_marked(name, title), "{name} {title}");
        }
    }

    #[test]
    fn forms_are_bounded() {
        let many: Map<String, Value> = (0..100).map(|at| (at.to_string(), json!({ "type": "string" }))).collect();
        assert!(
            read(json!({ "type": "object", "properties": many })).is_err_and(|problem| problem.contains("at most 30"))
        );
        let choices: Vec<String> = (0..1000).map(|at| at.to_string()).collect();
        let schema = json!({ "type": "object", "properties": { "x": { "type": "string", "enum": choices } } });
        assert!(read(schema).is_err_and(|problem| problem.contains("1 to 200 choices")));
        let schema = json!({ "type": "object", "properties": {}, "required": ["x"] });
        assert!(read(schema).is_err_and(|problem| problem.contains("does not have")));
    }
}
