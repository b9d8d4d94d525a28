//! The packed text in which generated code contains the data of a catalog.
//!
//! For rustc, a string is one token, while the same data as Rust constants would be thousands of expressions and take most of
//! the build time of a large catalog. The text is unpacked once, when the provider is first used. Strings borrow from it.
//!
//! Numbers are decimal and end with a space. A string is its length in bytes and its content, a list its length and its
//! items, an enum the number of its variant and its fields. There are no names or types in the text, so every change to the
//! layouts below changes the [stamp](crate::stamp).

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::Deref;
use std::panic::Location;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::data::behaviour::{
    Annotations, Approval, Behaviour, Callers, Deprecated, Execution, MaxResultChars, Parallel,
};
use crate::data::catalog::{Definition, Distribution, Fact, Tool, Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::layout_text::layout_text;
use crate::data::requirement::Requirement;
use crate::data::segment::{Atom, Comparison, Condition, FactValue, Op, Segment};
use crate::data::table::{
    Additional, Bound, Bounds, Literal, Name, Node, NodeId, Part, Property, SlotKind, Span, Table, Types,
};
use crate::data::text_rule::{Format, Pattern, TextRule};

/// A type that can be packed. Unpacking runs once, at the start of a program, so little of it is inlined, which keeps
/// programs small.
pub trait Pack: Sized {
    /// Appends the packed value.
    fn pack(&self, out: &mut String);

    /// Unpacks a value from the beginning of the text. Returns `None` if the text does not contain such a value: it was changed after
    /// gen had written it.
    fn unpack(from: &mut &'static str) -> Option<Self>;
}

/// A list that is unpacked on first use.
pub struct Packed<T: 'static> {
    texts: &'static [&'static str],
    place: &'static Location<'static>,
    items: OnceLock<Option<Vec<T>>>,
}

impl<T> Packed<T> {
    /// Returns a list of the items in all of these texts.
    #[track_caller]
    pub const fn new(texts: &'static [&'static str]) -> Self {
        Self { texts, place: Location::caller(), items: OnceLock::new() }
    }
}

impl<T: Pack> Packed<T> {
    /// Returns the items.
    ///
    /// # Errors
    /// If the texts are not what gen has written.
    pub(crate) fn items(&self) -> Result<&[T], Damaged> {
        self.items.get_or_init(|| unpack(self.texts)).as_deref().ok_or(Damaged(self.place))
    }
}

/// # Panics
/// Panics if the texts are not what gen has written.
impl<T: Pack> Deref for Packed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.items().unwrap_or_else(Damaged::panic)
    }
}

/// Generated code whose data cannot be unpacked. It has the place of the data, or of what refers to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Damaged(pub(crate) &'static Location<'static>);

impl Damaged {
    /// Panics, for a caller that cannot report it.
    #[cold]
    pub(crate) fn panic<T>(self) -> T {
        panic!("{self}")
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.0.file();
        let folder = file.rfind(['/', '\\']).map_or(".", |end| &file[..end]);
        write!(
            f,
            "the generated code in {folder} was edited or merged by hand, and cannot be read: run `cargo xtask gen` or `cargo toolc gen`, \
             which restores it"
        )
    }
}

impl<T: Pack + fmt::Debug> fmt::Debug for Packed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

/// Unpacks all items in these texts, or returns `None` if they are not what gen has written.
pub fn unpack<T: Pack>(texts: &[&'static str]) -> Option<Vec<T>> {
    let mut all = Vec::new();
    for mut text in texts.iter().copied() {
        while !text.is_empty() {
            all.push(T::unpack(&mut text)?);
        }
    }
    Some(all)
}

/// Takes the text up to the next space, and the space.
#[inline(never)]
fn word(from: &mut &'static str) -> Option<&'static str> {
    let (word, rest) = from.split_once(' ')?;
    *from = rest;
    Some(word)
}

/// Appends an integer. Most have one digit, which `write!` takes several times as long for.
fn push_number<N: Copy + TryInto<u8> + fmt::Display>(number: N, out: &mut String) {
    match number.try_into() {
        Ok(digit @ 0..=9) => out.extend([char::from(b'0' + digit), ' ']),
        _ => {
            let _ = write!(out, "{number} ");
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => { $(
        impl Pack for $number {
            fn pack(&self, out: &mut String) {
                push_number(*self, out);
            }

            #[inline(never)]
            fn unpack(from: &mut &'static str) -> Option<Self> {
                word(from)?.parse().ok()
            }
        }
    )* };
}

numbers!(u8, u16, u32, u64, usize, i64);

impl Pack for f64 {
    fn pack(&self, out: &mut String) {
        let _ = write!(out, "{self:?} ");
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        serde_json::from_str(word(from)?).ok()
    }
}

impl Pack for bool {
    fn pack(&self, out: &mut String) {
        u8::from(*self).pack(out);
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        Some(u8::unpack(from)? == 1)
    }
}

impl Pack for Cow<'static, str> {
    fn pack(&self, out: &mut String) {
        self.len().pack(out);
        out.push_str(self);
    }

    #[inline(never)]
    fn unpack(from: &mut &'static str) -> Option<Self> {
        let length = usize::unpack(from)?;
        let (text, rest) = from.split_at_checked(length)?;
        *from = rest;
        Some(Cow::Borrowed(text))
    }
}

impl Pack for Name {
    fn pack(&self, out: &mut String) {
        self.quoted().len().pack(out);
        out.push_str(self.quoted());
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        Name::from_json(Cow::unpack(from)?)
    }
}

impl Pack for Pattern {
    fn pack(&self, out: &mut String) {
        Str::from(self.as_str().to_owned()).pack(out);
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        Some(Pattern::new(Str::unpack(from)?))
    }
}

impl Pack for Duration {
    fn pack(&self, out: &mut String) {
        u64::try_from(self.as_millis()).unwrap_or(u64::MAX).pack(out);
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        Some(Duration::from_millis(u64::unpack(from)?))
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, out: &mut String) {
        self.len().pack(out);
        for item in self {
            item.pack(out);
        }
    }

    #[inline(never)]
    fn unpack(from: &mut &'static str) -> Option<Self> {
        // Every item takes at least one byte. The check prevents a huge allocation for a damaged length.
        let length = usize::unpack(from).filter(|length| *length <= from.len())?;
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(T::unpack(from)?);
        }
        Some(items)
    }
}

impl<T: Pack> Pack for Arc<T> {
    fn pack(&self, out: &mut String) {
        (**self).pack(out);
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        Some(Arc::new(T::unpack(from)?))
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, out: &mut String) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        Some(if bool::unpack(from)? { Some(T::unpack(from)?) } else { None })
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, out: &mut String) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

/// Entries have the dialect's number. Those of dialects without their feature are skipped.
impl<T: Pack> Pack for Vec<(Dialect, T)> {
    fn pack(&self, out: &mut String) {
        self.len().pack(out);
        for (dialect, item) in self {
            (*dialect as u8).pack(out);
            item.pack(out);
        }
    }

    fn unpack(from: &mut &'static str) -> Option<Self> {
        let all = Vec::<(u8, T)>::unpack(from)?.into_iter();
        Some(all.filter_map(|(number, item)| Some((Dialect::from_number(number)?, item))).collect())
    }
}

/// Implements [`Pack`] for structs, and defines their layout as a constant text, which is part of the
/// [stamp](crate::stamp).
macro_rules! packed_structs {
    ($(#[$meta:meta])* $visible:vis const $layout:ident = { $($tokens:tt)* }) => {
        $(#[$meta])*
        $visible const $layout: &str = $crate::data::layout_text::layout_text!($($tokens)*);

        $crate::data::pack::packed_structs! { $($tokens)* }
    };
    ($($name:ident { $($field:tt: $type:ty),* })*) => { $(
        impl $crate::data::pack::Pack for $name {
            fn pack(&self, out: &mut String) {
                $(<$type as $crate::data::pack::Pack>::pack(&self.$field, out);)*
            }

            fn unpack(from: &mut &'static str) -> Option<Self> {
                Some($crate::data::pack::unpacked!($name { $($field: <$type as $crate::data::pack::Pack>::unpack(from)?),* }))
            }
        }
    )* };
}
pub(crate) use packed_structs;

/// Makes a struct of its packed fields. A table that was built by the generator has only keywords of manifests.
macro_rules! unpacked {
    (Table { $($field:tt: $value:expr),* }) => { Table { $($field: $value,)* further: Vec::new() } };
    (Node { $($field:tt: $value:expr),* }) => { Node { $($field: $value,)* further: 0 } };
    ($name:ident { $($field:tt: $value:expr),* }) => { $name { $($field: $value),* } };
}
pub(crate) use unpacked;

/// Implements [`Pack`] for enums, and defines their layout. Each variant has a number.
macro_rules! packed_enums {
    ($(#[$meta:meta])* $visible:vis const $layout:ident = { $($tokens:tt)* }) => {
        $(#[$meta])*
        $visible const $layout: &str = $crate::data::layout_text::layout_text!($($tokens)*);

        packed_enums! { $($tokens)* }
    };
    ($($name:ident {
        $($number:literal $variant:ident $(($($item:ident: $item_type:ty),*))? $({ $($field:ident: $type:ty),* })?),*
    })*) => { $(
        impl Pack for $name {
            fn pack(&self, out: &mut String) {
                match self {
                    $($name::$variant $(($($item),*))? $({ $($field),* })? => {
                        u8::pack(&$number, out);
                        $($(<$item_type as Pack>::pack($item, out);)*)?
                        $($(<$type as Pack>::pack($field, out);)*)?
                    })*
                }
            }

            fn unpack(from: &mut &'static str) -> Option<Self> {
                Some(match u8::unpack(from)? {
                    $($number => {
                        $($(let $item = <$item_type as Pack>::unpack(from)?;)*)?
                        $($(let $field = <$type as Pack>::unpack(from)?;)*)?
                        $name::$variant $(($($item),*))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    )* };
}

/// A string, in the layouts.
type Str = Cow<'static, str>;

packed_structs! {
    /// The layout of the packed structs.
    pub(crate) const STRUCTS = {
        Tool {
            name: Str, aliases: Vec<Str>, title: Str, description: Str, toolset: Str, emoji: Str, arguments: Arc<Table>,
            atoms: Vec<Atom>, facts: Vec<Str>,
            names: Vec<(Dialect, Str)>, requires: Vec<Requirement>, behaviour: Behaviour,
            python: Option<Str>
        }
        Definition { segments: Vec<Segment> }
        Toolset {
            name: Str, description: Str, tools: Vec<Str>, includes: Vec<Str>, base: Option<Str>, excludes: Vec<Str>,
            aliases: Vec<Str>, tags: Vec<Str>, closed: bool, requires: Vec<Requirement>
        }
        Fact { name: Str, default: FactValue }
        Variable { name: Str, description: Str, prompt: Str, url: Str, secret: bool }
        Distribution { name: Str, description: Str, toolsets: Vec<(Str, f64)> }
        Behaviour {
            execution: Execution, annotations: Annotations, max_result_chars: Option<MaxResultChars>, timeout: Option<Duration>,
            parallel: Parallel, approval: Approval, defer: bool, callers: Callers, background: bool, deprecated: Option<Deprecated>
        }
        Callers { model: bool, code: bool }
        Annotations { read_only: bool, destructive: bool, idempotent: bool, open_world: bool }
        Approval { always: bool, shell: Option<Str> }
        Deprecated { replacement: Option<Str>, note: Str }
        Condition { 0: Vec<Op> }
        Table {
            nodes: Vec<Node>, properties: Vec<Property>, literals: Vec<Literal>, branches: Vec<NodeId>,
            bounds: Vec<Bounds>, conditions: Vec<(Part, Condition)>, aliases: Vec<(u16, Str)>,
            clamped: Vec<u16>
        }
        Node {
            types: Types, form: SlotKind, literals: Span, properties: Span, additional: Additional,
            items: Option<NodeId>, any_of: Span, exactly_one: bool, all_of: Span, bounds: Option<u16>
        }
        Property { name: Name, required: bool, node: NodeId, hidden: bool, secret: bool }
        Types { 0: u32 }
        Span { start: u16, len: u16 }
        Bounds {
            minimum: Option<Bound>, maximum: Option<Bound>, exclusive_minimum: Option<Bound>,
            exclusive_maximum: Option<Bound>, multiple_of: Option<Bound>, min_length: Option<u64>,
            max_length: Option<u64>, min_items: Option<u64>, max_items: Option<u64>, unique_items: bool,
            min_properties: Option<u64>, max_properties: Option<u64>, text: Option<Arc<TextRule>>
        }
        TextRule { pattern: Option<Pattern>, format: Option<Format>, is_lenient: bool }
    }
}

packed_enums! {
    /// The layout of the packed enums.
    pub(crate) const ENUMS = {
        MaxResultChars { 0 Chars(chars: u32), 1 Unlimited }
        Execution { 0 Sync, 1 Blocking, 2 Async, 3 Agent }
        Parallel { 0 Always, 1 Never, 2 Keyed { key: Str, space: Str } }
        Requirement {
            0 Env(names: Vec<Str>), 1 AnyEnv(names: Vec<Str>), 2 Programs(names: Vec<Str>), 3 Os(names: Vec<Str>),
            4 Tools(names: Vec<Str>), 5 AnyTools(names: Vec<Str>), 6 When { condition: Condition, atoms: Vec<Atom> },
            7 Check, 8 Any(alternatives: Vec<Requirement>)
        }
        Atom { 0 Tool(name: Str), 1 Fact(name: Str), 2 Compared(name: Str, comparison: Comparison, value: FactValue) }
        Comparison { 0 Equal, 1 NotEqual, 2 Less, 3 LessOrEqual, 4 Greater, 5 GreaterOrEqual }
        FactValue { 0 Text(text: Str), 1 Boolean(flag: bool), 2 Integer(integer: i64) }
        Op { 0 Atom(atom: u8), 1 Not, 2 And, 3 Or }
        Segment {
            0 Text(text: Str), 1 When { condition: Condition, segments: u16 }, 2 Fact(fact: u16),
            3 Available { tools: Vec<(u8, Str)>, join: Str }
        }
        Part { 0 Property(index: u16), 1 Literal(index: u16) }
        Additional { 0 Deny, 1 Allow, 2 Node(node: NodeId) }
        SlotKind {
            0 Boolean, 1 Integer, 2 Number, 3 String, 4 Choice, 5 Array, 6 Object, 7 Map, 8 Union, 9 Value
        }
        Literal {
            0 Null, 1 Boolean(flag: bool), 2 Integer(integer: i64), 3 Number(number: f64), 4 String(text: Str),
            5 Json(text: Str), 6 Hidden
        }
        Bound { 0 Integer(integer: i64), 1 Number(number: f64), 2 Unsigned(integer: u64) }
        Format {
            0 DateTime, 1 Date, 2 Time, 3 Duration, 4 Uri, 5 Email, 6 Uuid, 7 Ipv4, 8 Ipv6, 9 Hostname, 10 Regex
        }
    }
}

/// Passes the layout of the packed search index to a macro. The stamp has it with and without the feature `search`.
macro_rules! index_layout {
    ($pass_to:ident) => {
        $pass_to! {
            Posting { tool: u32, times: u32 }
            Index { lengths: Vec<u32>, terms: Vec<(Cow<'static, str>, Vec<Posting>)> }
        }
    };
}
#[cfg(feature = "search")]
pub(crate) use index_layout;

/// The layout of the packed search index.
pub(crate) const INDEX: &str = index_layout!(layout_text);

/// An example of the encoding of each basic type: a number, a float, two booleans, a string, a name, a duration, a list, an
/// option and a pair. A test compares it with the code, so that a change of the encoding changes the [stamp](crate::stamp).
pub(crate) const ENCODING: &str = "7 -0.5 1 0 6 n\u{e9} \"x1 4 \"ok\"1500 2 1 2 1 3 1 0 ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_matches_the_stamp() {
        let mut text = String::new();
        7_u16.pack(&mut text);
        (-0.5_f64).pack(&mut text);
        (true, false).pack(&mut text);
        Str::from("n\u{e9} \"x").pack(&mut text);
        (1_u8, Name::from("ok")).pack(&mut text);
        Duration::from_millis(1500).pack(&mut text);
        (vec![1_u8, 2], Some(3_u8)).pack(&mut text);
        (1_u8, None::<u8>).pack(&mut text);
        assert_eq!(text, ENCODING, "generated code is unpacked differently now: set ENCODING to this");
    }

    #[test]
    fn packed_values_are_unpacked() {
        let mut tool = crate::fakes::tool("t", "home", &[]);
        tool.names = [(Dialect::Mcp, "other".into()), (Dialect::OpenAi, "one".into())].into();
        tool.emoji = "🦀 \"1 2\"\n".into();
        tool.requires = vec![
            Requirement::AnyEnv(vec!["A".into(), String::new().into()]),
            Requirement::Any(vec![Requirement::Env(vec!["B".into()]), Requirement::Programs(vec!["c".into()])]),
            Requirement::When {
                condition: Condition(vec![Op::Atom(11), Op::Not]),
                atoms: vec![Atom::Compared("f".into(), Comparison::GreaterOrEqual, FactValue::Integer(-3))],
            },
        ];
        tool.behaviour.timeout = Some(Duration::from_millis(1));
        tool.behaviour.deprecated = Some(Deprecated { replacement: None, note: "no".into() });
        let literals = vec![Literal::Number(-1e300), Literal::Number(0.1), Literal::Hidden];
        tool.arguments = Arc::new(Table { literals, ..Table::default() });
        let mut text = String::new();
        for one in [&tool, &Tool::default(), &tool] {
            one.pack(&mut text);
        }
        let text: &'static str = text.leak();
        let tools: Vec<Tool> = unpack(&[text, "", text]).unwrap();
        assert_eq!(tools.len(), 6);
        assert_eq!(format!("{:?}", tools[5]), format!("{tool:?}"));
        assert_eq!(format!("{:?}", tools[1]), format!("{:?}", Tool::default()));
    }

    #[test]
    fn entries_of_unknown_dialects_are_skipped() {
        let mut text: &'static str = "3 0 3 one200 3 far7 3 mcp5 ";
        let names: Vec<(Dialect, Cow<'static, str>)> = Pack::unpack(&mut text).unwrap();
        assert_eq!((names, text), ([(Dialect::OpenAi, "one".into()), (Dialect::Mcp, "mcp".into())].into(), "5 "));
    }

    #[test]
    fn damaged_data_is_an_error_with_a_hint() {
        for text in ["1", "x ", "9 abc", "-1 ", "1 é", "99999999999999999999 "] {
            let packed: Packed<Fact> = Packed::new(vec![text].leak());
            let why = packed.items().expect_err("the text is not a fact").to_string();
            let folder = std::path::Path::new(file!()).parent().unwrap().display().to_string();
            assert!(why.starts_with(&format!("the generated code in {folder} was edited")), "{why}");
            assert!(why.contains("run `cargo xtask gen`"), "{why}");
        }
    }
}
