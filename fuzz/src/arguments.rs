//! Properties of the argument reader that hold for any arguments, with the table that gen writes and with the one made from the
//! JSON Schema at run time.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use toolc::__gen::pack::{Pack as _, unpack};
use toolc::__gen::table::{Additional, Literal, Node, NodeId, SlotKind};
use toolc::ErrorKind;
use toolc::args;
use toolc::args::{FromSlot, Heap, Limits, Slot, SlotBuffer, Slots};
use toolc::schema::Table;
use toolc_codegen::compile_with;
use toolc_codegen::diagnostic::{Code, Level, Renderer};
use toolc_codegen::lint::Options;
use toolc_codegen::lower::lower;
use toolc_codegen::source::Sources;

/// The arguments of one tool in one turn.
#[derive(Debug)]
pub struct Subject {
    /// The JSON Schema that a model is shown.
    pub schema: Value,
    /// The table that gen lowers, after it has been packed and unpacked.
    pub lowered: Table,
    /// The table made from the schema at run time.
    pub dynamic: Table,
}

impl Subject {
    /// Every tool of a project, in each turn that affects it; in some of them, if there are many.
    ///
    /// # Panics
    /// If the project has an error.
    pub fn all(files: Vec<(String, String)>) -> Vec<Self> {
        let sources = Sources::from_memory(files);
        // Lint would report schemas without values; these are made on purpose.
        let compilation = compile_with(&sources, &Options::only(Code::SYNTAX));
        let Some(catalog) = compilation.catalog else {
            let renderer = Renderer::new(&sources, false);
            let errors = compilation.diagnostics.iter().filter(|found| found.level == Level::Error);
            panic!("{}", errors.map(|found| renderer.render(found)).collect::<String>())
        };
        let lowered = lower(&catalog);
        let mut all = Vec::new();
        for (id, tool) in catalog.tools() {
            let mut text = String::new();
            lowered.tool(id).pack(&mut text);
            let tools: Vec<toolc::Tool> = unpack(&[text.leak()]);
            let parameters = tool.manifest.parameters();
            let turns = 1_u16 << tool.atoms.len().min(3);
            for turn in 0..turns {
                // Atoms after the third are equal to the first.
                let atoms = turn | if turn & 1 == 1 { !7 } else { 0 };
                let table = &tools[0].arguments;
                let lowered = table.in_turn(atoms).unwrap_or_else(|| Table::clone(table));
                let schema = parameters.value(atoms, &[]);
                let dynamic = Table::from_schema(&schema).expect("the schema is not too large");
                all.push(Self { schema, lowered, dynamic });
            }
        }
        all
    }
}

/// Asserts that arguments are refused with a reason, or yield a valid value that is equal for both tables and that repair does
/// not change again. Returns what the handler gets.
pub fn hold(subject: &Subject, text: &str) -> Option<Value> {
    let [lowered, dynamic] = [&subject.lowered, &subject.dynamic].map(|table| read(table, text));
    let agree = match (&lowered, &dynamic) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one == other,
    };
    assert!(agree, "{text} is {lowered:?} by the table of the manifest, {dynamic:?} by that of {}", subject.schema);
    lowered
}

/// What the handler gets, or `None` if the arguments are refused.
fn read(table: &Table, text: &str) -> Option<Value> {
    let mut buffer = SlotBuffer::default();
    let read = args::read(text, table, Limits::default(), &mut buffer);
    let Ok(sent) = serde_json::from_str::<Value>(text) else {
        let error = read.expect_err("this is not JSON");
        assert_eq!(error.kind(), ErrorKind::MalformedArguments, "{text}");
        return None;
    };
    let mut mended = sent.clone();
    args::repair(&mut mended, table);
    let problems = args::validate(&mended, table);
    match read {
        Ok(slots) => {
            assert_eq!(problems, [], "{text} is read, but {mended} is not valid");
            let got = Arguments(table).value(slots);
            assert!(is_within(&got, &mended), "{text} is repaired to {mended}, but read as {got}");
            let mut again = mended.clone();
            args::repair(&mut again, table);
            assert_eq!(again, mended, "{text} is repaired again");
            Some(got)
        }
        Err(error) if error.kind() == ErrorKind::MalformedArguments => {
            let why = error.message();
            assert!(why.contains("occurs twice") || why.contains("nested too deep"), "{text} is JSON, but {why}");
            None
        }
        Err(error) => {
            assert!(!error.problems().is_empty(), "{text}");
            assert_eq!(error.problems(), problems, "{text} as it is read, and as it is repaired: {mended}");
            None
        }
    }
}

/// Whether two values are equal. Numbers are compared by value, and as floats if one of them is a float.
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

/// Whether `got` contains everything of `sent` except nulls, which may mean absence.
fn is_within(got: &Value, sent: &Value) -> bool {
    match (got, sent) {
        (Value::Array(got), Value::Array(sent)) => {
            got.len() == sent.len() && got.iter().zip(sent).all(|(got, sent)| is_within(got, sent))
        }
        (Value::Object(got), Value::Object(sent)) => {
            let known = got.keys().all(|key| sent.contains_key(key));
            known && sent.iter().all(|(key, sent)| got.get(key).map_or(sent.is_null(), |got| is_within(got, sent)))
        }
        _ => same(got, sent),
    }
}

/// The value that slots hold.
struct Arguments<'t>(&'t Table);

/// The value of a slot.
struct Taken(Slot<'static>);

impl FromSlot for Taken {
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
                Heap::Array(items) => Heap::Array(all(items)),
                Heap::Object(slots) => Heap::Object(all(slots)),
                Heap::Map(entries) => Heap::Map(entries.into_iter().map(entry).collect()),
                Heap::Variant(index, mut slot) => Heap::Variant(index, Self::from_slot(&mut slot).0),
                Heap::Value(value) => Heap::Value(value),
            }
            .into(),
        })
    }
}

fn all(slots: Vec<Slot<'_>>) -> Vec<Slot<'static>> {
    slots.into_iter().map(|mut slot| Taken::from_slot(&mut slot).0).collect()
}

fn entry<'s>((key, mut slot): (Cow<'s, str>, Slot<'s>)) -> (Cow<'static, str>, Slot<'static>) {
    (key.into_owned().into(), Taken::from_slot(&mut slot).0)
}

impl Arguments<'_> {
    fn value(&self, mut slots: Slots<'_, '_>) -> Value {
        let root = &self.0.nodes[0];
        let mut taken = |index| slots.value::<Taken>(index).0;
        if root.form == SlotKind::Value {
            return self.node(0, taken(0)).unwrap_or_default();
        }
        let count = usize::from(root.properties.len) + usize::from(root.additional != Additional::Deny);
        self.object(root, (0..count).map(&mut taken).collect())
    }

    /// The value, or `None` if it is absent.
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
            Slot::Choice(index) => match &node.literals.of(&table.literals)[usize::from(index)] {
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
                    return self.node(node.any_of.of(&table.branches)[usize::from(index)], slot);
                }
                Heap::Value(value) => value,
            },
        })
    }

    /// `None` for any value.
    fn item(&self, id: Option<NodeId>, slot: Slot<'_>) -> Option<Value> {
        self.node(id.unwrap_or(NodeId::MAX), slot)
    }

    fn object(&self, node: &Node, slots: Vec<Slot<'_>>) -> Value {
        let (mut slots, mut map) = (slots.into_iter(), Map::new());
        for property in node.properties.of(&self.0.properties) {
            if let Some(value) = slots.next().and_then(|slot| self.node(property.node, slot)) {
                map.insert(property.name.to_string(), value);
            }
        }
        if let Some(Slot::Heap(heap)) = slots.next()
            && let Heap::Map(entries) = *heap
        {
            map.extend(self.entries(node, entries));
        }
        assert!(slots.next().is_none(), "there are more slots than properties");
        map.into()
    }

    fn entries<'s>(&self, node: &Node, entries: Vec<(Cow<'s, str>, Slot<'s>)>) -> Map<String, Value> {
        let id = if let Additional::Node(id) = node.additional { Some(id) } else { None };
        entries.into_iter().filter_map(|(key, slot)| Some((key.into_owned(), self.item(id, slot)?))).collect()
    }
}
