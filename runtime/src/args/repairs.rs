//! What has been repaired in the arguments of a call: found on demand, by comparing what the model sent with what the handler
//! got. A call whose repairs are not read costs nothing for them, and no change can be missing from the list.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value;

use super::Limits;
use super::open;
use super::origin::{Origin, push_key, sent_key};
use super::reader::Reader;
use super::rules::RepairRule;
use crate::data::name::may_be_alias;
use crate::data::table::Table;
use crate::data::to_json;
use toolc_redact::REDACTED;

/// The maximum number of repairs that are listed for one call.
const MAX_REPAIRS: usize = 100;
/// The maximum length of a value in a repair, in bytes.
const MAX_VALUE_BYTES: usize = 200;

/// A change that the runtime made to the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The place in what the model sent, as a JSON pointer; empty for the arguments as a whole. It continues inside a string
    /// that contains JSON.
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
        let place = if path.is_empty() { "the arguments" } else { path };
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
        super::digits::restore_strings(text, &mut repaired);
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

    /// Adds the repairs of a value.
    fn compare(&mut self, path: &str, sent: &Value, repaired: &Value, redacted: &Value) {
        if is_same(sent, repaired) || self.repairs.len() == MAX_REPAIRS {
            return;
        }
        let shown = Shown::new(repaired, redacted);
        // The keys inside a secret are not shown either.
        let in_secret = redacted == REDACTED;
        let mut add = |rule| self.add(path, rule, shown.or_secret(|| text_of(sent)), shown.text());
        match (sent, repaired) {
            (Value::String(_), Value::Null) => return add(RepairRule::NullWord),
            (Value::String(_), Value::String(_)) => return add(RepairRule::EnumWord),
            (Value::String(_), Value::Number(_)) => return add(RepairRule::Number),
            (Value::String(_), Value::Bool(_)) => return add(RepairRule::Boolean),
            // The string has the digits that were sent.
            (Value::Number(_), Value::String(digits)) => {
                let from = shown.or_secret(|| shortened(digits));
                return self.add(path, RepairRule::String, from, shown.text());
            }
            (Value::Bool(_), Value::String(_)) => return add(RepairRule::String),
            _ => {}
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
            Origin::Same => match (sent, repaired) {
                (Value::Array(sent), Value::Array(repaired)) => {
                    for (index, (sent, repaired)) in sent.iter().zip(repaired).enumerate() {
                        let path = if in_secret { path.to_owned() } else { format!("{path}/{index}") };
                        self.compare(&path, sent, repaired, child(redacted, |value| value.get(index)));
                    }
                }
                (Value::Object(sent), Value::Object(repaired)) => {
                    for (key, value) in repaired {
                        let Some(sent_key) = sent_key(key, sent, repaired) else { continue };
                        let mut path = path.to_owned();
                        if !in_secret {
                            push_key(&mut path, sent_key);
                        }
                        // A key that the definition has is not a repair.
                        if sent_key != key && !may_be_alias(sent_key, key) {
                            let [from, to] =
                                [sent_key, key].map(|name| if in_secret { quoted(REDACTED) } else { quoted(name) });
                            self.add(&path, RepairRule::ParameterName, from, to);
                        }
                        self.compare(&path, &sent[sent_key], value, child(redacted, |value| value.get(key)));
                    }
                }
                _ => {}
            },
        }
    }
}

/// Returns whether a value is what was sent. A number in another spelling is.
fn is_same(sent: &Value, repaired: &Value) -> bool {
    match (sent, repaired) {
        (Value::Number(sent), Value::Number(repaired)) => crate::number::equal(sent, repaired),
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
