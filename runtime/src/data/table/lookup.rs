//! Lookups in a table. Indices out of range yield defaults and do not panic.

use super::{Additional, Bounds, Literal, Node, NodeId, Property, Table, Type, Types};
use crate::args::further::Keywords;
#[cfg(feature = "patterns")]
use crate::data::text_rule::problem;
use crate::text::names::same_name;

impl Table {
    /// Returns the node `id`, or one that allows everything if the table has none.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(usize::from(id)).unwrap_or(&Node::ANY)
    }

    /// Returns all declared properties, by position, including hidden ones.
    pub(crate) fn properties(&self, node: &Node) -> &[Property] {
        node.properties.slice(&self.properties)
    }

    /// Returns the declared properties that are not hidden in this turn.
    pub(crate) fn visible_properties(&self, node: &Node) -> impl Iterator<Item = &Property> + Clone {
        self.properties(node).iter().filter(|property| !property.hidden)
    }

    /// Returns the other names of a property of `node`, by its position in [`Self::properties`].
    pub(crate) fn aliases(&self, node: &Node, position: usize) -> impl Iterator<Item = &str> {
        let index = usize::from(node.properties.start) + position;
        self.aliases.iter().filter(move |(of, _)| usize::from(*of) == index).map(|(_, alias)| &**alias)
    }

    /// Adds another name of a parameter.
    ///
    /// # Errors
    /// Returns why the alias cannot be used: it would have no effect, or already stands for another parameter.
    pub(crate) fn add_alias(&mut self, parameter: &str, alias: &str) -> Result<(), String> {
        let root = self.node(0);
        let properties = self.properties(root);
        let Some(position) = properties.iter().position(|property| *property.name == *parameter) else {
            return Err(format!("the tool has no parameter `{parameter}`"));
        };
        if root.additional != Additional::Deny {
            return Err("the schema of the arguments must have `\"additionalProperties\": false`".to_owned());
        }
        let means = |at: usize, property: &Property| {
            same_name(&property.name, alias) || self.aliases(root, at).any(|other| same_name(other, alias))
        };
        let other = properties.iter().enumerate().find(|(at, property)| *at != position && means(*at, property));
        if let Some((_, other)) = other {
            return Err(format!("it already stands for the parameter `{}`", &*other.name));
        }
        let index = u16::try_from(usize::from(root.properties.start) + position);
        self.aliases.push((index.map_err(|error| error.to_string())?, alias.to_owned().into()));
        Ok(())
    }

    /// Returns whether a number beyond a bound becomes the bound, for a property of `node` by its position in [`Self::properties`].
    pub(crate) fn is_clamped(&self, node: &Node, position: usize) -> bool {
        self.clamped.iter().any(|index| usize::from(*index) == usize::from(node.properties.start) + position)
    }

    /// Returns whether `key` is another name of a property that is called `name`.
    pub(crate) fn has_alias(&self, name: &str, key: &str) -> bool {
        let is_of =
            |index: u16| self.properties.get(usize::from(index)).is_some_and(|property| *property.name == *name);
        self.aliases.iter().any(|(index, alias)| same_name(alias, key) && is_of(*index))
    }

    pub(crate) fn literals(&self, node: &Node) -> &[Literal] {
        node.literals.slice(&self.literals)
    }

    /// Returns the alternatives of `anyOf` or `oneOf`.
    pub(crate) fn any_of(&self, node: &Node) -> &[NodeId] {
        node.any_of.slice(&self.branches)
    }

    pub(crate) fn all_of(&self, node: &Node) -> &[NodeId] {
        node.all_of.slice(&self.branches)
    }

    pub(crate) fn bounds(&self, node: &Node) -> Option<&Bounds> {
        self.bounds.get(usize::from(node.bounds?))
    }

    /// Returns the keywords of `node` that it has no field for.
    pub(crate) fn further(&self, node: &Node) -> Option<&dyn Keywords> {
        self.further.get(usize::from(node.further).checked_sub(1)?).map(|keywords| &**keywords)
    }

    /// Returns the types of `node`, or those of its `enum` if it has no types.
    pub(crate) fn types(&self, node: &Node) -> Types {
        if !node.types.is_any() {
            return node.types;
        }
        self.literals(node).iter().filter_map(Literal::json_type).fold(Types::ANY, Types::with)
    }
}

#[cfg(feature = "patterns")]
impl Table {
    /// Returns the patterns that the reader of arguments cannot enforce, each with what it has: a look-around, for example.
    pub fn unenforced_patterns(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let patterns = self.bounds.iter().filter_map(|bounds| bounds.text.as_ref()?.pattern.as_ref());
        patterns.filter_map(|pattern| Some((pattern.as_str(), problem(pattern.as_str())?.cause.what())))
    }
}

impl Node {
    /// Returns whether the schema refers to schemas of other values, or to other schemas of the same value.
    pub(crate) const fn holds_others(&self) -> bool {
        self.properties.len > 0
            || self.items.is_some()
            || matches!(self.additional, Additional::Node(_))
            || self.any_of.len + self.all_of.len > 0
            || self.further != 0
    }

    /// Returns whether the node has exactly one type, and no `anyOf`, `oneOf` or `allOf`.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        (1..8).contains(&self.types.0) && (self.any_of.len | self.all_of.len) == 0
    }
}

impl Literal {
    fn json_type(&self) -> Option<Type> {
        Some(match self {
            Literal::Null => Type::Null,
            Literal::Boolean(_) => Type::Boolean,
            Literal::Integer(_) => Type::Integer,
            Literal::Number(_) => Type::Number,
            Literal::String(_) => Type::String,
            Literal::Json(text) if text.starts_with('[') => Type::Array,
            Literal::Json(_) => Type::Object,
            Literal::Hidden => return None,
        })
    }
}
