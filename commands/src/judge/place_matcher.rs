//! Finds files in places by their paths, for those who compare many.

use std::path::Path;
use std::rc::Rc;

use crate::certainty::Match;
use crate::judge::components::{Component, PathWord};
use crate::judge::folders::{Roots, names};
use crate::judge::path::{Files, matches_components, split_pattern};
use crate::reading::Surroundings;
use crate::rules::{Place, pattern};

impl Place<'_> {
    /// Returns what finds files in the place. Build it once for many paths.
    pub fn matcher(&self, surroundings: &Surroundings<'_>) -> PlaceMatcher {
        let lower = |names: &[Rc<str>]| names.iter().map(|name| Rc::from(name.to_lowercase())).collect();
        let Roots { home, start, own } = Roots::new(surroundings);
        let roots = Roots { home: lower(&home), start: lower(&start), own: own.as_deref().map(lower) };
        let pattern = |pattern: &&str| {
            let pattern = pattern.to_lowercase();
            let (folder, below) = split_pattern(&pattern, &roots)?;
            let last = below.rsplit('/').next().filter(|last| !last.is_empty() && *last != "**");
            Some(LowerPattern {
                folder: folder.iter().map(ToString::to_string).collect(),
                below: below.to_owned(),
                last: last.map(ToOwned::to_owned),
            })
        };
        PlaceMatcher {
            paths: self.paths.iter().filter_map(pattern).collect(),
            except: self.except.iter().filter_map(pattern).collect(),
        }
    }
}

/// Finds files in a [`Place`]. Upper and lower case are the same, because they are in some file systems.
#[derive(Debug, Clone)]
pub struct PlaceMatcher {
    paths: Vec<LowerPattern>,
    except: Vec<LowerPattern>,
}

/// A pattern of a place, in lower case.
#[derive(Debug, Clone)]
struct LowerPattern {
    /// The names of the folder with which it begins.
    folder: Vec<String>,
    /// The rest.
    below: String,
    /// Its last name, if the last name of a path must match it: most patterns are ruled out by it.
    last: Option<String>,
}

impl PlaceMatcher {
    /// Returns whether a file is in the place. `path` is absolute, without `.` and `..`.
    pub fn contains(&self, path: &Path) -> bool {
        let names = lower_names(path);
        let name = names.last().cloned();
        let components = names.into_iter().map(Component::Name).collect();
        let path = PathWord { components, depends_on_cd: false, tail: None };
        let matches = |pattern: &LowerPattern| {
            if let (Some(last), Some(name)) = (&pattern.last, &name)
                && !pattern::matches(last, name)
            {
                return false;
            }
            let below = path.inside(&pattern.folder);
            below.is_some_and(|below| matches_components(&pattern.below, below, Files::Some) == Match::Yes)
        };
        self.paths.iter().any(matches) && !self.except.iter().any(matches)
    }
}

fn lower_names(path: &Path) -> Vec<Rc<str>> {
    names(&path.to_string_lossy().to_lowercase())
}
