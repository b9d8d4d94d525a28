//! The places to which a path can lead from a folder that can be any: `../../etc/shadow` in an unknown directory.

use std::rc::Rc;

use crate::certainty::Match;
use crate::judge::components::{Component, PathWord};
use crate::judge::folders::Roots;
use crate::judge::path::{Files, matches_components};
use crate::rules::{PlacePattern, Root, RuleSet, is_plain_name, pattern};

impl PathWord {
    /// Returns whether names follow a folder that can be any.
    pub(crate) fn has_tail(&self) -> bool {
        self.tail.is_some_and(|length| length > 0)
    }

    /// Adds the places that contain the path if its tail follows the right folder. A place counts only if the tail has the name by which
    /// its files are known: `../notes` can be in `~/.ssh`, but only `../.ssh/notes` says so.
    pub(super) fn add_places_of_tail(&self, rules: &RuleSet<'_>, roots: &Roots, places: &mut Vec<(usize, Match)>) {
        let Some(length) = self.tail.filter(|length| *length > 0) else { return };
        let tail = &self.components[self.components.len() - length..];
        let mut add = |wanted: &PlacePattern<'_>| {
            let is_new = places.iter().all(|(place, _)| *place != wanted.place);
            if is_new && self.can_lead_to(wanted, tail, rules, roots) {
                places.push((wanted.place, Match::Maybe));
            }
        };
        let patterns = rules.place_patterns();
        if tail.iter().all(|component| matches!(component, Component::Name(_))) {
            for component in tail {
                let Component::Name(name) = component else { continue };
                patterns.with_name(name).iter().for_each(&mut add);
            }
        } else {
            patterns.all().for_each(add);
        }
    }

    /// Returns whether a tail can be the end of a path in a place, with the last name of its pattern that has no wildcards.
    fn can_lead_to(&self, wanted: &PlacePattern<'_>, tail: &[Component], rules: &RuleSet<'_>, roots: &Roots) -> bool {
        let folder: &[Rc<str>] = match wanted.root {
            Root::System => &[],
            Root::Home => &roots.home,
            Root::Own => roots.own.as_deref().unwrap_or_default(),
            // The working directory is not a place to which a path leads from elsewhere.
            Root::Start | Root::AboveOwn => return false,
        };
        let below = wanted.rest.split('/').filter(|name| !name.is_empty());
        let names = folder.iter().map(|name| &**name).chain(below);
        let is_said = |name: &str| is_plain_name(name) && tail.iter().any(|component| says(component, name));
        // Most tails say nothing, and the rest is then not needed.
        if !names.clone().any(is_said) {
            return false;
        }
        let names: Vec<&str> = names.collect();
        let Some(last) = names.iter().rposition(|name| is_plain_name(name)) else { return false };
        (0..=last).any(|start| {
            let (before, after) = names.split_at(start);
            after.iter().any(|name| is_said(name))
                && matches_components(&after.join("/"), tail, Files::Some) != Match::No
                && !self.after(before, tail).is_excepted_from(wanted.place, rules, roots)
        })
    }

    /// Returns the path of a tail after the names of a folder.
    fn after(&self, folder: &[&str], tail: &[Component]) -> Self {
        let component = |name: &&str| {
            if is_plain_name(name) { Component::Name(Rc::from(*name)) } else { Component::Glob((*name).to_owned()) }
        };
        let names = folder.iter().filter(|name| **name != "**").map(component);
        Self { components: names.chain(tail.iter().cloned()).collect(), depends_on_cd: self.depends_on_cd, tail: None }
    }
}

/// The minimum number of letters of a pattern of the shell that says which name it stands for.
const MIN_LETTERS: usize = 2;

/// Returns whether a component says that it is this name. `*` and `*.json` stand for too many.
fn says(component: &Component, name: &str) -> bool {
    match component {
        Component::Name(own) => **own == *name,
        Component::Glob(glob) => {
            let letters = glob.chars().filter(|letter| letter.is_alphanumeric()).count();
            letters >= MIN_LETTERS && !glob.starts_with("*.") && pattern::matches(glob, name)
        }
        Component::Part(_) | Component::Unknown => false,
    }
}
