//! Argument tables: JSON Schemas in a flat form, by which one reader parses the arguments of every tool.
//!
//! Generated code contains packed tables. A tool that is made at run time builds its table from a schema. Nodes refer to each
//! other by their index in [`Table::nodes`]. Node 0 is the root, which describes the arguments object. Nodes are not nested,
//! because schemas can be recursive.

mod from_schema;
mod further;
mod lookup;
mod name;

use crate::args::further::Keywords;
use crate::data::segment::{Atoms, Condition};
use crate::data::text_rule::TextRule;
pub use from_schema::SchemaError;
pub use name::Name;
use std::borrow::Cow;
use std::sync::Arc;

/// Index of a [`Node`] in its table.
pub type NodeId = u16;

/// A run of entries in one of a table's lists: first index and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Index of the first entry.
    pub start: u16,
    /// The number of entries.
    pub len: u16,
}

impl Span {
    /// No entries.
    pub const NONE: Span = Span { start: 0, len: 0 };

    /// Returns a span of `len` entries from `start`.
    pub const fn new(start: u16, len: u16) -> Self {
        Self { start, len }
    }

    /// Returns the entries of `list` in this span, or an empty slice if the span is out of range.
    pub fn slice<T>(self, list: &[T]) -> &[T] {
        let start = usize::from(self.start);
        list.get(start..start + usize::from(self.len)).unwrap_or_default()
    }
}

/// The schema of one tool's arguments.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The schemas. Node 0 describes the arguments object.
    pub nodes: Vec<Node>,
    /// The properties of all nodes. Those of one node are adjacent, in declared order.
    pub properties: Vec<Property>,
    /// The values of `enum` and `const`.
    pub literals: Vec<Literal>,
    /// The branches of `anyOf`, `oneOf` and `allOf`.
    pub branches: Vec<NodeId>,
    /// The bounds of the nodes that have any.
    pub bounds: Vec<Bounds>,
    /// The properties and literals that are only shown in some turns, each with its condition.
    pub conditions: Vec<(Part, Condition)>,
    /// Other names by which models know properties, each with the index of its property in `properties`. No definition shows them.
    pub aliases: Vec<(u16, Cow<'static, str>)>,
    /// The indices of the properties whose numbers become the nearest bound if they are beyond it.
    pub clamped: Vec<u16>,
    /// The keywords of nodes that have no field for them. Only tables that are built at run time have any.
    pub(crate) further: Vec<Arc<dyn Keywords>>,
}

/// A part of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Index into the [table](Table)'s `properties`.
    Property(u16),
    /// Index into the [table](Table)'s `literals`.
    Literal(u16),
}

impl Table {
    /// Returns the table for a handler without Rust types, which gets all arguments as one JSON value.
    #[must_use]
    pub fn untyped(mut self) -> Self {
        for node in &mut self.nodes {
            node.form = SlotKind::Value;
        }
        self
    }

    /// Returns whether the table has secret properties, in any turn.
    pub(crate) fn has_secrets(&self) -> bool {
        self.properties.iter().any(|property| property.secret)
    }

    /// Returns a copy for a turn in which `atoms` are true, with hidden parts marked, or `None` if nothing is hidden.
    pub fn in_turn(&self, atoms: Atoms) -> Option<Table> {
        let mut hidden = self.conditions.iter().filter(|(_, condition)| !condition.holds(atoms)).peekable();
        hidden.peek()?;
        let mut table = self.clone();
        for (part, _) in hidden {
            match *part {
                Part::Property(index) => {
                    if let Some(property) = table.properties.get_mut(usize::from(index)) {
                        property.hidden = true;
                    }
                }
                Part::Literal(index) => {
                    if let Some(literal) = table.literals.get_mut(usize::from(index)) {
                        *literal = Literal::Hidden;
                    }
                }
            }
        }
        Some(table)
    }
}

/// One schema or subschema.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The JSON types in `type`, in order. Empty for any type.
    pub types: Types,
    /// The kind of slot in which its value is passed to typed code.
    pub form: SlotKind,
    /// `enum` (or `const`, as one value), in the [table](Table)'s `literals`. Empty for any value.
    pub literals: Span,
    /// `properties`, in the [table](Table)'s `properties`.
    pub properties: Span,
    /// `additionalProperties`.
    pub additional: Additional,
    /// `items`.
    pub items: Option<NodeId>,
    /// `anyOf` (also `oneOf`), in [`Table::branches`].
    pub any_of: Span,
    /// `oneOf`: exactly one of [`Node::any_of`] may hold.
    pub exactly_one: bool,
    /// `allOf`, in [`Table::branches`].
    pub all_of: Span,
    /// Index into the [table](Table)'s `bounds`.
    pub bounds: Option<u16>,
    /// Index of its further keywords in the [table](Table), plus 1; 0 without any.
    pub further: u16,
}

impl Node {
    /// A node that allows every value.
    pub const ANY: Node = Node {
        types: Types::ANY,
        form: SlotKind::Value,
        literals: Span::NONE,
        properties: Span::NONE,
        additional: Additional::Allow,
        items: None,
        any_of: Span::NONE,
        exactly_one: false,
        all_of: Span::NONE,
        bounds: None,
        further: 0,
    };
}

/// One property of an object.
#[derive(Debug, Clone)]
pub struct Property {
    /// The key, as the model writes it.
    pub name: Name,
    /// Whether it is required.
    pub required: bool,
    /// The schema of the property.
    pub node: NodeId,
    /// Whether the property is hidden in this turn. If a model sends it anyway, it counts as an unknown key.
    pub hidden: bool,
    /// Whether the value is secret: it is redacted in errors and logs, and for hooks and the approver.
    pub secret: bool,
}

/// The additional properties of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Additional {
    /// Not allowed: an unknown key is an error.
    Deny,
    /// Allowed, with any value: unknown keys are kept.
    Allow,
    /// Allowed, with values of this node.
    Node(NodeId),
}

/// The form in which a valid value of a node is stored in its slot.
///
/// A node with the types `[X, "null"]` has the kind of X; null is always stored as [`Slot::Null`](crate::args::Slot::Null).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// `bool`.
    Boolean,
    /// `i64`.
    Integer,
    /// `f64`.
    Number,
    /// A string.
    String,
    /// The index of a string in the node's literals: a generated enum without values.
    Choice,
    /// An array of items, of the kind of the node's `items`.
    Array,
    /// One slot for each declared property, in order: a generated struct. If additional properties are allowed, another
    /// slot holds them, as for a map.
    Object,
    /// A map with string keys and values of the kind of [`Additional::Node`].
    Map,
    /// The index of the node's alternative, and the value in the kind of this alternative: a generated enum with values.
    /// Alternatives must be distinguishable by their types, or by the values of required properties.
    Union,
    /// Any JSON value.
    Value,
}

/// A JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Type {
    /// `null`
    Null = 1,
    /// `boolean`
    Boolean = 2,
    /// `integer`: a number without a fractional part.
    Integer = 3,
    /// `number`
    Number = 4,
    /// `string`
    String = 5,
    /// `array`
    Array = 6,
    /// `object`
    Object = 7,
}

impl Type {
    /// All types, in the order of their numbers.
    pub const ALL: [Type; 7] =
        [Type::Null, Type::Boolean, Type::Integer, Type::Number, Type::String, Type::Array, Type::Object];

    /// Returns the name of the type in JSON Schema.
    pub const fn name(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::String => "string",
            Type::Array => "array",
            Type::Object => "object",
        }
    }

    /// Returns the type with this name in JSON Schema.
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|t| t.name() == name)
    }
}

/// An ordered list of JSON types without repetition. It is packed with three bits for each type, the first one in the lowest
/// bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Types(pub(crate) u32);

impl Types {
    /// No types: any value is accepted.
    pub const ANY: Types = Types(0);

    /// Returns a list of these types, in order, without duplicates.
    pub const fn new(types: &[Type]) -> Types {
        let mut list = Types(0);
        let mut i = 0;
        while i < types.len() {
            list = list.with(types[i]);
            i += 1;
        }
        list
    }

    /// Returns the list with `next` appended, unless the list already contains it.
    #[must_use]
    pub const fn with(self, next: Type) -> Types {
        let mut shift = 0;
        while shift < 21 && (self.0 >> shift) & 7 != 0 {
            if (self.0 >> shift) & 7 == next as u32 {
                return self;
            }
            shift += 3;
        }
        Types(self.0 | ((next as u32) << shift))
    }

    /// The bit of a list whose integers may have any size.
    const WIDE: u32 = 1 << 31;

    /// Returns the list, in which an integer may have any size. Otherwise, it has at most 64 bits with a sign, like the integer of a typed
    /// handler.
    pub(crate) fn with_wide_integers(self) -> Types {
        if self.contains(Type::Integer) { Types(self.0 | Self::WIDE) } else { self }
    }

    /// Returns whether an integer may have any size.
    pub(crate) const fn has_wide_integers(self) -> bool {
        self.0 & Self::WIDE != 0
    }

    /// Returns whether no type is listed, so that any value is accepted.
    pub const fn is_any(self) -> bool {
        self.0 == 0
    }

    /// Returns whether `wanted` is listed.
    pub fn contains(self, wanted: Type) -> bool {
        // Compares all seven 3-bit fields at once. XOR turns a field that equals `wanted` into zero. Subtracting 1 from
        // each field sets the high bit of a zero field (`& !rest` excludes fields whose high bit was already set). A
        // borrow only starts at a zero field, so the result is nonzero only if there is one.
        const ONES: u32 = 0o1_111_111;
        let rest = self.0 ^ (ONES * wanted as u32);
        rest.wrapping_sub(ONES) & !rest & (ONES << 2) != 0
    }

    /// Returns the listed types, in order.
    pub fn iter(self) -> impl Iterator<Item = Type> {
        (0..7).map_while(move |i| {
            let bits = (self.0 >> (i * 3)) & 7;
            Type::ALL.into_iter().find(|t| *t as u32 == bits)
        })
    }
}

/// A value of `enum` or `const`.
#[derive(Debug, Clone)]
pub enum Literal {
    /// `null`
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    String(Cow<'static, str>),
    /// An array or object, as JSON text.
    Json(Cow<'static, str>),
    /// A value that is hidden in this turn. No value equals it.
    Hidden,
}

/// JSON Schema's bounds, `pattern` and `format`. Numbers are compared as `f64`, or exactly where both sides are integers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bounds {
    /// `minimum`
    pub minimum: Option<Bound>,
    /// `maximum`
    pub maximum: Option<Bound>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: Option<Bound>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: Option<Bound>,
    /// `multipleOf`
    pub multiple_of: Option<Bound>,
    /// `minLength`, in code points.
    pub min_length: Option<u64>,
    /// `maxLength`, in code points.
    pub max_length: Option<u64>,
    /// `minItems`
    pub min_items: Option<u64>,
    /// `maxItems`
    pub max_items: Option<u64>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `minProperties`
    pub min_properties: Option<u64>,
    /// `maxProperties`
    pub max_properties: Option<u64>,
    /// `pattern` and `format`, shared by the tables of all turns, so that a pattern is compiled once.
    pub text: Option<Arc<TextRule>>,
}

impl Bounds {
    /// No bound.
    pub const NONE: Bounds = Bounds {
        minimum: None,
        maximum: None,
        exclusive_minimum: None,
        exclusive_maximum: None,
        multiple_of: None,
        min_length: None,
        max_length: None,
        min_items: None,
        max_items: None,
        unique_items: false,
        min_properties: None,
        max_properties: None,
        text: None,
    };

    /// Returns the rule of texts, if this crate enforces it.
    #[inline]
    pub(crate) fn enforced(&self) -> Option<&TextRule> {
        if cfg!(feature = "patterns") { self.text.as_deref() } else { None }
    }
}

/// A numeric bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// Written without a fractional part.
    Integer(i64),
    /// Written without a fractional part, and larger than an `i64`.
    Unsigned(u64),
    /// Any other number.
    Number(f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_keep_their_order_and_drop_repetitions() {
        let types = Types::new(&[Type::String, Type::Null, Type::String, Type::Integer]);
        assert_eq!(types.iter().collect::<Vec<_>>(), [Type::String, Type::Null, Type::Integer]);
        assert!(types.contains(Type::Null) && !types.contains(Type::Array));
        assert!(Types::new(&Type::ALL).iter().eq(Type::ALL));
        assert!(Types::ANY.is_any() && Types::ANY.iter().next().is_none());
    }

    #[test]
    fn a_span_outside_its_list_is_empty() {
        assert_eq!(Span::new(1, 2).slice(&[1, 2, 3]), [2, 3]);
        assert!(Span::new(2, 2).slice(&[1, 2, 3]).is_empty());
    }
}
