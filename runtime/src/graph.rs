//! The algebra of toolsets, on plain indices: what a toolset resolves to, and what a choice of toolsets comes to.
//!
//! Used at build time, to write what each toolset holds, and at run time, to grant it: one meaning for both.

/// One toolset. Indices of tools and of sets are the caller's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    /// Its own tools: those whose home it is, and those it lists.
    pub tools: Vec<usize>,
    /// Sets whose tools it brings along.
    pub includes: Vec<usize>,
    /// The set that it builds on.
    pub base: Option<usize>,
}

/// A choice: everything, or one set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// Every tool that there is.
    All,
    /// What this set resolves to.
    Set(usize),
}

/// All toolsets over tools `0..tools`.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// How many tools there are.
    pub tools: usize,
    /// The sets; a set's index is its position.
    pub sets: Vec<Set>,
}

/// For each tool, whether it is in.
pub type Members = Vec<bool>;

impl Graph {
    /// What `set` resolves to: its own tools, its base's, and those of everything that it includes, however
    /// deep. A set that is reached twice, or that reaches itself, counts once.
    pub fn resolve(&self, set: usize) -> Members {
        let mut members = vec![false; self.tools];
        let mut seen = vec![false; self.sets.len()];
        let mut open = vec![set];
        while let Some(next) = open.pop() {
            let Some(set) = self.sets.get(next) else { continue };
            if std::mem::replace(&mut seen[next], true) {
                continue;
            }
            for &tool in &set.tools {
                if let Some(member) = members.get_mut(tool) {
                    *member = true;
                }
            }
            open.extend(&set.includes);
            open.extend(set.base);
        }
        members
    }

    /// What enabling and disabling these comes to. Nothing enabled means everything; disabling wins.
    ///
    /// Disabling a set leaves alone what its base resolves to: without `telegram` (base `core`) the Telegram
    /// tools are gone and the core is still there.
    pub fn select(&self, enabled: &[Pick], disabled: &[Pick]) -> Members {
        let enabled = if enabled.is_empty() { &[Pick::All] } else { enabled };
        let mut members = vec![false; self.tools];
        for &pick in enabled {
            for (member, granted) in members.iter_mut().zip(self.picked(pick)) {
                *member |= granted;
            }
        }
        for &pick in disabled {
            let kept = match pick {
                Pick::Set(set) => self.sets.get(set).and_then(|s| s.base).map(|base| self.resolve(base)),
                Pick::All => None,
            };
            for (tool, denied) in self.picked(pick).into_iter().enumerate() {
                let keep = kept.as_ref().is_some_and(|kept| kept[tool]);
                members[tool] &= !denied || keep;
            }
        }
        members
    }

    fn picked(&self, pick: Pick) -> Members {
        match pick {
            Pick::All => vec![true; self.tools],
            Pick::Set(set) => self.resolve(set),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORE: usize = 0;
    const WEB: usize = 1;
    const CHAT: usize = 2;
    const LOOP: usize = 3;

    fn graph() -> Graph {
        let set = |tools: &[usize], includes: &[usize], base| Set {
            tools: tools.to_vec(),
            includes: includes.to_vec(),
            base,
        };
        Graph {
            tools: 5,
            sets: vec![
                set(&[0, 1], &[], None),
                set(&[1, 2], &[], None),
                set(&[3], &[WEB], Some(CORE)),
                set(&[4], &[LOOP, CORE, CORE], None),
            ],
        }
    }

    fn ids(members: &Members) -> Vec<usize> {
        (0..members.len()).filter(|&tool| members[tool]).collect()
    }

    #[test]
    fn a_set_brings_its_base_and_what_it_includes_once() {
        assert_eq!(ids(&graph().resolve(CHAT)), [0, 1, 2, 3]);
        assert_eq!(ids(&graph().resolve(LOOP)), [0, 1, 4]);
        assert_eq!(ids(&graph().resolve(99)), [] as [usize; 0]);
    }

    #[test]
    fn nothing_enabled_is_everything_and_disabling_wins() {
        let graph = graph();
        assert_eq!(ids(&graph.select(&[], &[])), [0, 1, 2, 3, 4]);
        assert_eq!(ids(&graph.select(&[Pick::Set(CORE), Pick::Set(WEB)], &[Pick::Set(WEB)])), [0]);
        assert_eq!(ids(&graph.select(&[], &[Pick::All])), [] as [usize; 0]);
    }

    #[test]
    fn disabling_a_set_leaves_its_base() {
        assert_eq!(ids(&graph().select(&[], &[Pick::Set(CHAT)])), [0, 1, 4]);
    }
}
