//! The names of a state's tools in a dialect. In most dialects, a tool has its own name unless its declaration sets another one. In some
//! dialects, names must be identifiers, so two tools could get the same name, and a model that means one tool would call the other. Only
//! one of them then has the name, and the dialect omits the others.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::registration::ids::ToolId;
use crate::vec_map::VecMap;

/// What the tools of a state are called in a dialect.
#[derive(Default)]
pub(crate) struct DialectNames {
    /// The tools that are not called by their own names.
    renamed: VecMap<ToolId, Cow<'static, str>>,
    /// The tools without a name.
    unavailable: VecMap<ToolId, UnavailableName>,
}

/// Why a tool has no name in a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnavailableName {
    /// The name that it would have.
    pub(crate) name: Cow<'static, str>,
    /// The tool that has this name, or `None` if the name is reserved.
    pub(crate) taken_by: Option<ToolId>,
}

impl DialectNames {
    /// Names the tools, which are sorted by their own names. Names in declarations come first, then own names that need no change,
    /// then the others, each in the order of the own names.
    pub(crate) fn new(dialect: Dialect, tools: &[&Tool]) -> Self {
        let mut names = Self::default();
        let declared = |tool: &&Tool| tool.name_in(dialect).cloned();
        if dialect.is_json() {
            let renamed = tools.iter().enumerate().filter_map(|(id, tool)| Some((ToolId(id), declared(tool)?)));
            names.renamed = renamed.collect();
            return names;
        }
        let mut ranked: Vec<(u8, ToolId, Cow<'static, str>, bool)> = Vec::with_capacity(tools.len());
        for (id, tool) in tools.iter().enumerate() {
            let wanted = declared(tool).unwrap_or_else(|| tool.name.clone());
            let (name, is_reserved) = match dialect.name_of(&wanted) {
                Some(name) => (Cow::Owned(name.into_owned()), false),
                None => (wanted, true),
            };
            let rank = if declared(tool).is_some() { 0 } else { 1 + u8::from(name != tool.name) };
            ranked.push((rank, ToolId(id), name, is_reserved));
        }
        ranked.sort_by_key(|(rank, id, ..)| (*rank, *id));
        let mut owners: HashMap<Cow<'static, str>, ToolId> = HashMap::with_capacity(tools.len());
        for (_, id, name, is_reserved) in ranked {
            let taken_by = owners.get(&name).copied();
            if is_reserved || taken_by.is_some() {
                names.unavailable.insert(id, UnavailableName { name, taken_by });
                continue;
            }
            if name != tools[id.0].name {
                names.renamed.insert(id, name.clone());
            }
            owners.insert(name, id);
        }
        names
    }

    /// Returns the name of a tool, or `None` if it is the own name.
    pub(crate) fn renamed(&self, id: ToolId) -> Option<&Cow<'static, str>> {
        self.renamed.get(&id)
    }

    /// Returns why a tool has no name.
    pub(crate) fn unavailable(&self, id: ToolId) -> Option<&UnavailableName> {
        self.unavailable.get(&id)
    }
}
