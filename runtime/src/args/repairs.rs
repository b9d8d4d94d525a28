//! What has been repaired in the arguments of a call: found on demand, by comparing what the model sent with what the handler
//! got. A call whose repairs are not read costs nothing for them, and no change can be missing from the list.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde_json::{Number, Value};

use super::Limits;
use super::open;
use super::origin::{Origin, is_renamed, push_key, sent_key};
use super::reader::Reader;
use super::rules::RepairRule;
use crate::data::name::may_be_alias;
use crate::data::table::Table;
use crate::data::to_json;
use crate::number;
use toolc_redact::REDACTED;

/// The maximum number of repairs that are listed for one call.
const MAX_REPAIRS: usize = 100;
/// The maximum length of a value in a repair, in bytes.
const MAX_VALUE_BYTES: usize = 200;

/// A change that the runtime made to the arguments of a call, or to the name of its tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The place in what the model sent, as a JSON pointer; empty for the arguments as a whole. It continues inside a string
    /// that contains JSON. Also empty for the name of the tool.
    pub path: String,
    /// The rule of the repair.
    pub rule: RepairRule,
    /// What was sent, as JSON. A long value is cut, and a value with a secret is [`REDACTED`](crate::hooks::REDACTED).
    pub from: String,
    /// What it became, as JSON, like `from`. Values inside of it may have been repaired as well.
    pub to: String,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, rule, from, to } = self;
        let place = match (rule, &**path) {
            (RepairRule::ToolName, _) => "the name of the tool",
            (_, "") => "the arguments",
            (_, path) => path,
        };
        write!(f, "{place}: {from} became {to} ({rule})")
    }
}

/// The repairs of a call. The list is made when it is first read, and has at most 100 entries.
///
/// A call that failed because its arguments are invalid has no repairs.
#[derive(Clone, Default)]
pub struct Repairs(Option<Arc<dyn FindRepairs>>);

/// A call whose arguments have been repaired.
pub(crate) trait FindRepairs: Send + Sync {
    /// Returns the repairs, which the first call finds.
    fn repairs(&self) -> &[Repair];
}

impl Repairs {
    pub(crate) const NONE: Repairs = Repairs(None);

    pub(crate) fn of(call: Arc<dyn FindRepairs>) -> Self {
        Self(Some(call))
    }

    /// Returns whether nothing was repaired. This does not make the list.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl Deref for Repairs {
    type Target = [Repair];

    fn deref(&self) -> &[Repair] {
        self.0.as_ref().map_or(&[], |call| call.repairs())
    }
}

impl<'r> IntoIterator for &'r Repairs {
    type Item = &'r Repair;
    type IntoIter = std::slice::Iter<'r, Repair>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Repairs {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Repairs {}

impl fmt::Debug for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Returns the repairs of the arguments in `text`, which have been accepted.
pub(crate) fn find(text: &str, table: &Table, limits: Limits) -> Vec<Repair> {
    let reader = Reader::new(table, limits);
    let Ok((sent, rule)) = open::parse_arguments(text, reader.limits) else { return Vec::new() };
    let mut repaired = sent.clone();
    // Null that represents absence is not dropped, because that is not a repair: some dialects demand it.
    let _ = reader.repair_arguments(&mut repaired);
    if reader.has_spelled.get() {
        super::digits::restore_strings(text, &mut repaired, table);
    }
    let redacted = reader.redacted(&repaired);
    let mut comparison = Comparison { reader: Reader::new(table, limits), repairs: Vec::new() };
    let shown = Shown::new(&repaired, &redacted);
    if let Some(rule) = rule {
        let is_json = rule == RepairRule::EmptyArguments && !text.trim().is_empty();
        let from = || if is_json { shortened(text.trim()) } else { quoted(text) };
        comparison.add("", rule, shown.or_secret(from), shown.text());
    }
    comparison.compare("", &sent, &repaired, &redacted);
    comparison.repairs
}

/// Returns the repair of the name of a tool.
pub(crate) fn of_name(sent: &str, name: &str) -> Repair {
    Repair { path: String::new(), rule: RepairRule::ToolName, from: quoted(sent), to: quoted(name) }
}

/// Returns what the model sent, as JSON with secrets redacted, or as it is if it is not JSON.
pub(crate) fn sent(text: &str, table: &Table, limits: Limits) -> String {
    let reader = Reader::new(table, limits);
    if !table.has_secrets() {
        return text.to_owned();
    }
    match open::parse_arguments(text, reader.limits) {
        Ok((sent, _)) => to_json::text(&reader.redacted_as_sent(&sent)),
        Err(_) => REDACTED.to_owned(),
    }
}

/// Compares the arguments that were sent with the repaired ones.
struct Comparison<'t> {
    reader: Reader<'t>,
    repairs: Vec<Repair>,
}

/// A repaired value, without its secrets.
struct Shown<'v> {
    redacted: &'v Value,
    has_secret: bool,
}

impl<'v> Shown<'v> {
    fn new(repaired: &Value, redacted: &'v Value) -> Self {
        Self { redacted, has_secret: repaired != redacted }
    }

    fn text(&self) -> String {
        text_of(self.redacted)
    }

    /// Returns the text of what was sent in the place of the value.
    fn or_secret(&self, sent: impl FnOnce() -> String) -> String {
        if self.has_secret { quoted(REDACTED) } else { sent() }
    }
}

impl Comparison<'_> {
    fn add(&mut self, path: &str, rule: RepairRule, from: String, to: String) {
        if self.repairs.len() < MAX_REPAIRS {
            self.repairs.push(Repair { path: path.to_owned(), rule, from, to });
        }
    }

    /// Adds the repair of a key in the object at `path`.
    fn add_name(&mut self, path: &str, sent: &str, key: &str, in_secret: bool) {
        let mut path = path.to_owned();
        if !in_secret {
            push_key(&mut path, sent);
        }
        let [from, to] = [sent, key].map(|name| if in_secret { quoted(REDACTED) } else { quoted(name) });
        self.add(&path, RepairRule::ParameterName, from, to);
    }

    /// Adds the repairs of a value.
    fn compare(&mut self, path: &str, sent: &Value, repaired: &Value, redacted: &Value) {
        if is_same(sent, repaired) || self.repairs.len() == MAX_REPAIRS {
            return;
        }
        let shown = Shown::new(repaired, redacted);
        let rule = match (sent, repaired) {
            (Value::String(_), Value::Null) => Some(RepairRule::NullWord),
            (Value::String(_), Value::String(_)) => Some(RepairRule::EnumWord),
            (Value::String(text), Value::Number(number)) => return self.compare_number(path, text, number, &shown),
            (Value::Number(_), Value::Number(_)) => Some(RepairRule::Bound),
            (Value::String(_), Value::Bool(_)) => Some(RepairRule::Boolean),
            // The string has the digits that were sent.
            (Value::Number(_), Value::String(digits)) => {
                let from = shown.or_secret(|| shortened(digits));
                return self.add(path, RepairRule::String, from, shown.text());
            }
            (Value::Bool(_), Value::String(_)) => Some(RepairRule::String),
            _ => None,
        };
        if let Some(rule) = rule {
            return self.add(path, rule, shown.or_secret(|| text_of(sent)), shown.text());
        }
        match self.reader.origin(sent, repaired) {
            Origin::Wrapped => {
                self.add(path, RepairRule::SingleItem, shown.or_secret(|| text_of(sent)), shown.text());
                self.compare(path, sent, &repaired[0], child(redacted, |value| value.get(0)));
            }
            Origin::Opened(content, rule) => {
                self.add(path, rule, shown.or_secret(|| text_of(sent)), shown.text());
                self.compare(path, &content, repaired, redacted);
            }
            Origin::Same => self.compare_children(path, sent, repaired, redacted),
        }
    }

    /// Adds the repairs of a number that was sent as a string: that it became a number, and that the number was beyond a bound.
    fn compare_number(&mut self, path: &str, text: &str, number: &Number, shown: &Shown<'_>) {
        let from = shown.or_secret(|| quoted(text));
        let read = number::integer_from(text).map(Number::from).or_else(|| number::number_from(text));
        match read {
            Some(read) if !self.reader.table.clamped.is_empty() && !number::equal(&read, number) => {
                let read = shown.or_secret(|| text_of(&Value::Number(read)));
                self.add(path, RepairRule::Number, from, read.clone());
                self.add(path, RepairRule::Bound, read, shown.text());
            }
            Some(_) => self.add(path, RepairRule::Number, from, shown.text()),
            // No JSON number is as large.
            None => self.add(path, RepairRule::Bound, from, shown.text()),
        }
    }

    /// Adds the repairs of the items of an array, or of the keys and values of an object.
    fn compare_children(&mut self, path: &str, sent: &Value, repaired: &Value, redacted: &Value) {
        // The keys inside a secret are not shown either.
        let in_secret = redacted == REDACTED;
        match (sent, repaired) {
            (Value::Array(sent), Value::Array(repaired)) => {
                for (index, (sent, repaired)) in sent.iter().zip(repaired).enumerate() {
                    let path = if in_secret { path.to_owned() } else { format!("{path}/{index}") };
                    self.compare(&path, sent, repaired, child(redacted, |value| value.get(index)));
                }
            }
            (Value::Object(sent), Value::Object(repaired)) => {
                let table = self.reader.table;
                // Found once, because an object can have many keys.
                let lost: Vec<&String> = sent.keys().filter(|key| !repaired.contains_key(*key)).collect();
                for (key, value) in repaired {
                    if self.repairs.len() == MAX_REPAIRS {
                        return;
                    }
                    let Some(sent_key) = sent_key(table, key, sent, repaired) else { continue };
                    // A key that the definition has is not a repair.
                    let is_repair =
                        |other: &&&String| is_renamed(table, other, key, repaired) && !may_be_alias(other, key);
                    for other in lost.iter().filter(is_repair) {
                        self.add_name(path, other, key, in_secret);
                    }
                    let mut path = path.to_owned();
                    if !in_secret {
                        push_key(&mut path, sent_key);
                    }
                    self.compare(&path, &sent[sent_key], value, child(redacted, |value| value.get(key)));
                }
            }
            _ => {}
        }
    }
}

/// Returns whether a value is what was sent. A number in another spelling is.
fn is_same(sent: &Value, repaired: &Value) -> bool {
    match (sent, repaired) {
        (Value::Number(sent), Value::Number(repaired)) => number::equal(sent, repaired),
        _ => sent == repaired,
    }
}

/// Returns a part of a redacted value, or the value itself if it is redacted as a whole.
fn child<'v>(redacted: &'v Value, get: impl FnOnce(&'v Value) -> Option<&'v Value>) -> &'v Value {
    get(redacted).unwrap_or(redacted)
}

fn text_of(value: &Value) -> String {
    shortened(&to_json::text(value))
}

fn quoted(text: &str) -> String {
    text_of(&Value::from(&text[..text.floor_char_boundary(2 * MAX_VALUE_BYTES)]))
}

/// Returns `text`, or its beginning with an ellipsis if it is long.
fn shortened(text: &str) -> String {
    let shown = &text[..text.floor_char_boundary(MAX_VALUE_BYTES)];
    if shown.len() < text.len() { format!("{shown}…") } else { text.to_owned() }
}
