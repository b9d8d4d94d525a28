//! Recursive types: a field that would make its type infinitely large gets a `Box`, and an alias of itself becomes a struct.

use toolc::__gen::graph::cycles;

use super::{Item, ItemId, Kind, Rust, Struct, Types};

impl Types<'_> {
    /// Adds boxes and structs where recursion requires them, and only there.
    pub(super) fn end_recursion(&mut self) {
        let aliases = |types: &Self, id: ItemId| -> Vec<Option<ItemId>> {
            let Kind::Alias(rust) = &types.items[id].kind else { return Vec::new() };
            let mut found = Vec::new();
            rust.items(&mut found);
            found.into_iter().map(|id| Some(id).filter(|id| matches!(types.items[*id].kind, Kind::Alias(_)))).collect()
        };
        for (id, edge) in self.back_edges(aliases) {
            if let Some(to) = aliases(self, id)[edge]
                && let Kind::Alias(rust) = std::mem::replace(&mut self.items[to].kind, Kind::Alias(Rust::Json))
            {
                self.items[to].kind = Kind::Wrapper(rust);
            }
        }
        let inline = |types: &Self, id: ItemId| -> Vec<Option<ItemId>> {
            types.items[id].inline_types().into_iter().map(|rust| types.resolve_aliases(rust)).collect()
        };
        for (id, edge) in self.back_edges(inline) {
            if let Rust::Item { boxed, .. } = self.items[id].inline_types_mut().swap_remove(edge) {
                *boxed = true;
            }
        }
    }

    /// Returns edges of a graph of items without which it has no cycle. Each is an item and the index of one of its edges.
    fn back_edges(&self, edges: impl Fn(&Self, ItemId) -> Vec<Option<ItemId>>) -> Vec<(ItemId, usize)> {
        let numbered = |id| {
            let targets = edges(self, id).into_iter().enumerate();
            targets.filter_map(|(index, target)| Some((target?, index))).collect()
        };
        cycles(0..self.items.len(), numbered).into_iter().filter_map(|cycle| cycle.last().copied()).collect()
    }

    /// Follows aliases to the item of a type.
    fn resolve_aliases<'t>(&'t self, mut rust: &'t Rust) -> Option<ItemId> {
        loop {
            let Rust::Item { id, .. } = rust else { return None };
            match &self.items[*id].kind {
                Kind::Alias(other) => rust = other,
                _ => return Some(*id),
            }
        }
    }
}

impl Item<'_> {
    /// Returns the types that are stored inline, rather than in a list or map.
    fn inline_types(&self) -> Vec<&Rust> {
        let rusts: Vec<&Rust> = match &self.kind {
            Kind::Struct(Struct { fields, .. }) => fields.iter().map(|field| &field.rust).collect(),
            Kind::Union(variants) => variants.iter().filter_map(|variant| variant.rust.as_ref()).collect(),
            _ => Vec::new(),
        };
        rusts.into_iter().map(|rust| if let Rust::Nullable(inner) = rust { inner } else { rust }).collect()
    }

    fn inline_types_mut(&mut self) -> Vec<&mut Rust> {
        let rusts: Vec<&mut Rust> = match &mut self.kind {
            Kind::Struct(Struct { fields, .. }) => fields.iter_mut().map(|field| &mut field.rust).collect(),
            Kind::Union(variants) => variants.iter_mut().filter_map(|variant| variant.rust.as_mut()).collect(),
            _ => Vec::new(),
        };
        rusts.into_iter().map(|rust| if let Rust::Nullable(inner) = rust { inner } else { rust }).collect()
    }
}
