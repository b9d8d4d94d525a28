//! Properties of the argument reader that hold for any arguments, with the table that gen writes and with the one made from the
//! JSON Schema at run time.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use toolc::__gen::pack::{Pack as _, unpack};
use toolc::__gen::table::{Additional, Literal, Node, NodeId, SlotKind};
use toolc::args;
use toolc::args::{FromSlot, Heap, Limits, Slot, SlotBuffer, Slots};
use toolc::schema::Table;
use toolc::{Dialect, DynamicTool, ErrorKind, Registry, ToolCall, ToolError, ToolOutput};
use toolc_codegen::compile_with;
use toolc_codegen::diagnostic::codes;
use toolc_codegen::diagnostic::{Level, Renderer};
use toolc_codegen::lint::Options;
use toolc_codegen::lower::lower;
use toolc_codegen::source::Sources;

/// The schema of the arguments of one tool in one turn, in three forms.
#[derive(Debug)]
pub struct Subject {
    /// The JSON Schema in the definition.
    pub schema: Value,
    /// The table that gen lowers, after it has been packed and unpacked.
    pub lowered: Table,
    /// The table made from the schema at run time.
    pub dynamic: Table,
}

impl Subject {
    /// Returns the subjects of a project: each tool, in up to eight turns that differ for it.
    ///
    /// # Panics
    /// If the project has an error.
    pub fn all(files: Vec<(String, String)>) -> Vec<Self> {
        let sources = Sources::from_memory(files);
        // Without lint, which would report schemas that no value satisfies: some subjects have them on purpose.
        let compilation = compile_with(&sources, &Options::only(codes::SYNTAX));
        let Some(catalog) = compilation.catalog else {
            let renderer = Renderer::new(&sources, false);
            let errors = compilation.diagnostics.iter().filter(|found| found.level == Level::Error);
            panic!("{}", errors.map(|found| renderer.render(found)).collect::<String>())
        };
        let lowered = lower(&catalog);
        let mut subjects = Vec::new();
        for (id, tool) in catalog.tools() {
            let mut text = String::new();
            lowered.tool(id).pack(&mut text);
            let tools: Vec<toolc::Tool> = unpack(&[text.leak()]).expect("the text was packed");
            let parameters = tool.manifest.parameters();
            let turns = 1_u16 << tool.atoms.len().min(3);
            for turn in 0..turns {
                // Atoms after the third are equal to the first.
                let atoms = turn | if turn & 1 == 1 { !7 } else { 0 };
                let table = &tools[0].arguments;
                let lowered = table.in_turn(atoms).unwrap_or_else(|| Table::clone(table));
                let schema = parameters.value(atoms, &[]);
                let dynamic = Table::from_schema(&schema).expect("the schema is not too large");
                subjects.push(Self { schema, lowered, dynamic });
            }
        }
        subjects
    }
}

/// Asserts that arguments are refused with a reason, or yield a valid value that is equal for both tables and that a second repair does
/// not change. Returns the value that the handler gets.
pub fn check_arguments(subject: &Subject, text: &str) -> Option<Value> {
    let [lowered, dynamic] = [&subject.lowered, &subject.dynamic].map(|table| read(table, text));
    let agree = match (&lowered, &dynamic) {
        (Some(lowered), Some(dynamic)) => same(lowered, dynamic),
        (lowered, dynamic) => lowered == dynamic,
    };
    assert!(agree, "{text} is {lowered:?} by the lowered table, and {dynamic:?} by the table of {}", subject.schema);
    lowered
}

/// Returns the value that the handler gets, or `None` if the arguments are refused.
fn read(table: &Table, text: &str) -> Option<Value> {
    let mut buffer = SlotBuffer::default();
    let read = args::read(text, table, Limits::default(), &mut buffer);
    let Ok(sent) = serde_json::from_str::<Value>(text) else {
        return read_almost_json(table, text, read);
    };
    if is_rounded(&sent) {
        return read.ok().map(|slots| SlotReader(table).value(slots));
    }
    let mut repaired = sent.clone();
    args::repair(&mut repaired, table);
    let problems = args::validate(&repaired, table);
    match read {
        Ok(slots) => {
            assert_eq!(problems, [], "{text} is read, but {repaired} is not valid");
            let value = SlotReader(table).value(slots);
            assert!(is_within(&value, &repaired), "{text} is repaired to {repaired}, but read as {value}");
            let mut repaired_twice = repaired.clone();
            args::repair(&mut repaired_twice, table);
            assert_eq!(repaired_twice, repaired, "a second repair changes {text}");
            Some(value)
        }
        Err(error) if error.kind() == ErrorKind::MalformedArguments => {
            let message = error.message();
            let is_expected = message.contains("occurs twice") || message.contains("nested too deep");
            assert!(is_expected, "{text} is JSON, but {message}");
            None
        }
        Err(error) => {
            assert!(!error.problems().is_empty(), "{text}");
            assert_eq!(error.problems().len(), problems.len(), "{text} as read, and as repaired: {repaired}");
            for problem in error.problems() {
                let is_sent = problem.got == "nothing" || has_place(&sent, &problem.path);
                assert!(is_sent, "{problem:?} is not in {text}");
            }
            None
        }
    }
}

/// Returns whether `serde_json` may have rounded an integer of 64 bits in a value, such as `9007199254740993.0`, which the reader reads
/// exactly.
pub fn is_rounded(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.is_f64() && number.as_f64().is_some_and(|float| (9e15..2e19).contains(&float.abs()))
        }
        Value::Array(items) => items.iter().any(is_rounded),
        Value::Object(map) => map.values().any(is_rounded),
        _ => false,
    }
}

/// Checks arguments that are not JSON: either they are refused, or the JSON of what is read from them is read in the same way.
fn read_almost_json(table: &Table, text: &str, read: Result<Slots<'_, '_>, ToolError>) -> Option<Value> {
    match read {
        Ok(slots) => {
            let value = SlotReader(table).value(slots);
            let (json, mut buffer) = (value.to_string(), SlotBuffer::default());
            let again = args::read(&json, table, Limits::default(), &mut buffer);
            let again = SlotReader(table).value(again.expect("the value has been accepted"));
            assert!(same(&value, &again), "{text} is read as {value}, and that as {again}");
            Some(value)
        }
        Err(error) => {
            let kinds = [ErrorKind::MalformedArguments, ErrorKind::InvalidArguments];
            assert!(kinds.contains(&error.kind()), "{text}: {error}");
            None
        }
    }
}

/// Asserts that the repairs of a call account for every difference between what was sent and what the handler gets.
pub fn check_repairs(subject: &Subject, text: &str) {
    let echo =
        DynamicTool::sync("echo", "Returns its arguments.", subject.schema.clone(), |args, _| ToolOutput::json(&args));
    let Ok(echo) = echo.build() else { return };
    let registry = Registry::new();
    registry.add(echo).expect("the name is free");
    let turn = registry.session().build().expect("all tools are granted").turn_blocking(Dialect::ALL[0]);
    let response = turn.call_blocking(&ToolCall::new("echo", text));
    if response.is_error() {
        return assert!(response.repairs.is_empty(), "{text} is refused with repairs: {:?}", response.repairs);
    }
    assert_eq!(response.repairs.is_empty(), response.repairs.iter().next().is_none(), "{text}: {}", response.json);
    let got: Value = serde_json::from_str(&response.json).expect("the response is JSON");
    let sent = serde_json::from_str::<Value>(text);
    match &sent {
        Ok(sent) if response.repairs.is_empty() => {
            assert!(is_within_defaults(&got, sent), "{text} became {got} without a repair");
        }
        Ok(sent) => {
            for repair in &response.repairs {
                assert!(has_place(sent, &repair.path), "{repair} is not in {text}");
                assert_ne!(repair.from, repair.to, "{repair} in {text}");
            }
        }
        Err(_) => {
            let whole = response.repairs.iter().next().is_some_and(|first| first.path.is_empty());
            assert!(whole, "{text} is not JSON, but only {:?} was repaired", response.repairs);
        }
    }
}

/// Returns whether `got` equals `sent`, except for nulls that `got` lacks, and defaults that it has in addition.
fn is_within_defaults(got: &Value, sent: &Value) -> bool {
    match (got, sent) {
        (Value::Array(got), Value::Array(sent)) => {
            got.len() == sent.len() && got.iter().zip(sent).all(|(got, sent)| is_within_defaults(got, sent))
        }
        (Value::Object(got), Value::Object(sent)) => sent.iter().all(|(key, sent)| {
            got.get(key).map_or(sent.is_null(), |got| sent.is_null() || is_within_defaults(got, sent))
        }),
        _ => same(got, sent),
    }
}

/// Returns whether `sent` has a value at this JSON pointer, which may lead into a string.
fn has_place(sent: &Value, pointer: &str) -> bool {
    let mut place = sent;
    for step in pointer.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        let next = match place {
            // A long key is cut.
            Value::Object(map) => {
                map.get(&key).or_else(|| map.iter().find(|(other, _)| other.starts_with(&key)).map(|(_, value)| value))
            }
            Value::Array(items) => key.parse().ok().and_then(|index: usize| items.get(index)),
            Value::String(text) => return text.contains(['{', '[']),
            _ => None,
        };
        match next {
            Some(value) => place = value,
            None => return false,
        }
    }
    true
}

/// Returns whether two values are equal. Numbers are compared by value, and as floats if one of them is a float.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || ((x.is_f64() || y.is_f64()) && x.as_f64() == y.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Returns whether `got` equals `sent`, except that it may lack nulls, which can mean absence.
fn is_within(got: &Value, sent: &Value) -> bool {
    match (got, sent) {
        (Value::Array(got), Value::Array(sent)) => {
            got.len() == sent.len() && got.iter().zip(sent).all(|(got, sent)| is_within(got, sent))
        }
        (Value::Object(got), Value::Object(sent)) => {
            let known = got.keys().all(|key| sent.contains_key(key));
            known && sent.iter().all(|(key, sent)| got.get(key).map_or(sent.is_null(), |got| is_within(got, sent)))
        }
        // A number beyond 64 bits keeps its digits as text, which a `Value` has lost.
        (Value::String(got), Value::String(sent)) if got != sent => {
            got.parse::<f64>().is_ok_and(|got| sent.parse() == Ok(got))
        }
        _ => same(got, sent),
    }
}

/// Turns slots back into a JSON value.
struct SlotReader<'t>(&'t Table);

/// An owned copy of a slot.
struct OwnedSlot(Slot<'static>);

impl FromSlot for OwnedSlot {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        Self(match std::mem::take(slot) {
            Slot::Absent => Slot::Absent,
            Slot::Null => Slot::Null,
            Slot::Boolean(flag) => Slot::Boolean(flag),
            Slot::Integer(integer) => Slot::Integer(integer),
            Slot::Number(number) => Slot::Number(number),
            Slot::Text(text) => Heap::String(text.to_owned()).into(),
            Slot::Choice(index) => Slot::Choice(index),
            Slot::Strings(items) => Slot::Strings(items),
            Slot::Heap(heap) => match *heap {
                Heap::String(text) => Heap::String(text),
                Heap::Array(items) => Heap::Array(own_all(items)),
                Heap::Object(slots) => Heap::Object(own_all(slots)),
                Heap::Map(entries) => Heap::Map(entries.into_iter().map(own_entry).collect()),
                Heap::Variant(index, mut slot) => Heap::Variant(index, Self::from_slot(&mut slot).0),
                Heap::Value(value) => Heap::Value(value),
            }
            .into(),
        })
    }
}

fn own_all(slots: Vec<Slot<'_>>) -> Vec<Slot<'static>> {
    slots.into_iter().map(|mut slot| OwnedSlot::from_slot(&mut slot).0).collect()
}

fn own_entry<'s>((key, mut slot): (Cow<'s, str>, Slot<'s>)) -> (Cow<'static, str>, Slot<'static>) {
    (key.into_owned().into(), OwnedSlot::from_slot(&mut slot).0)
}

impl SlotReader<'_> {
    fn value(&self, mut slots: Slots<'_, '_>) -> Value {
        let root = &self.0.nodes[0];
        let mut slot = |index| slots.value::<OwnedSlot>(index).0;
        if root.form == SlotKind::Value {
            return self.node(0, slot(0)).unwrap_or_default();
        }
        let count = usize::from(root.properties.len) + usize::from(root.additional != Additional::Deny);
        self.object(root, (0..count).map(&mut slot).collect())
    }

    /// Returns the value of a slot, or `None` if it is absent.
    fn node(&self, id: NodeId, slot: Slot<'_>) -> Option<Value> {
        let table = self.0;
        let node = table.nodes.get(usize::from(id)).unwrap_or(&Node::ANY);
        Some(match slot {
            Slot::Absent => return None,
            Slot::Null => Value::Null,
            Slot::Boolean(flag) => flag.into(),
            Slot::Integer(integer) => integer.into(),
            Slot::Number(number) => number.into(),
            Slot::Text(text) => text.into(),
            Slot::Choice(index) => match &node.literals.slice(&table.literals)[usize::from(index)] {
                Literal::String(text) => json!(text),
                other => panic!("{other:?} is not an enum value"),
            },
            Slot::Strings(items) => items.into(),
            Slot::Heap(heap) => match *heap {
                Heap::String(text) => text.into(),
                Heap::Array(items) => items.into_iter().filter_map(|item| self.item(node.items, item)).collect(),
                Heap::Object(slots) => self.object(node, slots),
                Heap::Map(entries) => self.entries(node, entries).into(),
                Heap::Variant(index, slot) => {
                    return self.node(node.any_of.slice(&table.branches)[usize::from(index)], slot);
                }
                Heap::Value(value) => value,
            },
        })
    }

    /// Returns the value of an item. If `id` is `None`, the item may have any value.
    fn item(&self, id: Option<NodeId>, slot: Slot<'_>) -> Option<Value> {
        self.node(id.unwrap_or(NodeId::MAX), slot)
    }

    fn object(&self, node: &Node, slots: Vec<Slot<'_>>) -> Value {
        let (mut slots, mut map) = (slots.into_iter(), Map::new());
        for property in node.properties.slice(&self.0.properties) {
            if let Some(value) = slots.next().and_then(|slot| self.node(property.node, slot)) {
                map.insert(property.name.to_string(), value);
            }
        }
        if let Some(Slot::Heap(heap)) = slots.next()
            && let Heap::Map(entries) = *heap
        {
            map.extend(self.entries(node, entries));
        }
        assert!(slots.next().is_none(), "more slots than properties");
        map.into()
    }

    fn entries<'s>(&self, node: &Node, entries: Vec<(Cow<'s, str>, Slot<'s>)>) -> Map<String, Value> {
        let id = if let Additional::Node(id) = node.additional { Some(id) } else { None };
        entries.into_iter().filter_map(|(key, slot)| Some((key.into_owned(), self.item(id, slot)?))).collect()
    }
}
