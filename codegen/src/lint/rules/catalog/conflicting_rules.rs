//! Two command rules of which one has no effect: both match the same commands, with different verdicts or the same one; a rule that
//! asks matches only commands that another one denies; or an exception allows everything that the rule matches. Only lists are
//! compared: patterns that mean the same in other words are not found.
//!
//! ## Why is this bad
//! The strictest verdict wins, so the other rule never decides anything. An author who relaxes it believes that more is allowed.
//!
//! ## Example
//! ```toml
//! # manifests/commands/services.toml
//! [[rules]]
//! name = "stops-a-service"
//! description = "Stops a service."
//! verdict = "ask"
//! programs = ["systemctl"]
//! subcommands = ["stop", "kill"]
//! matches = ["systemctl stop nginx"]
//!
//! [[rules]]
//! name = "ends-a-service"
//! description = "Ends a service."
//! verdict = "deny"
//! programs = ["systemctl"]
//! subcommands = ["kill", "stop"]
//! matches = ["systemctl kill nginx"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/commands/services.toml
//! [[rules]]
//! name = "stops-a-service"
//! description = "Stops a service."
//! verdict = "ask"
//! programs = ["systemctl"]
//! subcommands = ["stop"]
//! matches = ["systemctl stop nginx"]
//!
//! [[rules]]
//! name = "ends-a-service"
//! description = "Ends a service."
//! verdict = "deny"
//! programs = ["systemctl"]
//! subcommands = ["kill"]
//! matches = ["systemctl kill nginx"]
//! ```

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use toolc_commands::rules::Verdict;

use crate::commands::PLACE;
use crate::diagnostic::{At, Diagnostic, InvalidFile, Level, Sink};
use crate::lint::codes;
use crate::lint::{Check, Lint, Rule};
use crate::manifest::{self, CommandsManifest, RuleManifest};
use crate::source::Sources;

pub(super) const RULE: Rule = Rule::new("C070", "conflicting-rules", Some(Level::Warning), Check::Catalog(check));

/// The patterns for programs in each group.
type Groups<'c> = BTreeMap<&'c str, &'c [At<String>]>;

/// A rule, and what its lists contain.
struct Listed<'c> {
    rule: &'c RuleManifest,
    /// Each list by its key, with the entries of a group instead of its name.
    lists: Vec<(&'static str, Vec<&'c str>)>,
}

fn check(lint: &Lint<'_>, sink: &Sink) {
    check_manifests(lint.commands(), sink);
}

/// Checks the rules of a user's own files, which are given by path and text. Other mistakes in them are not reported.
///
/// # Errors
/// Returns the findings.
pub fn check_user_rules<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Result<(), InvalidFile> {
    let (sources, sink) = (Sources::files_at(PLACE, files), Sink::default());
    let manifests = manifest::user_rules(&sources, &Sink::default());
    check_manifests(&manifests, &sink);
    sink.into_result(&sources)
}

fn check_manifests(manifests: &[CommandsManifest], sink: &Sink) {
    let groups = manifests.iter().flat_map(|manifest| &manifest.groups);
    let groups: Groups<'_> = groups.map(|group| (group.name.value.as_str(), group.programs.as_slice())).collect();
    let rules: Vec<&RuleManifest> = manifests.iter().flat_map(|manifest| &manifest.rules).collect();
    let is_known = |rule: &&RuleManifest| rule.is_narrow() && rule.verdict.is_some() && !rule.refused.is_any();
    let rules: Vec<Listed<'_>> = rules.into_iter().filter(is_known).map(|rule| Listed::new(rule, &groups)).collect();
    let by_program = ByProgram::new(&rules);
    rules.par_iter().enumerate().for_each(|(index, listed)| {
        // The rule that comes first is reported as the one in force, unless the other is stricter.
        let mut others = by_program.that_can_cover(listed).into_iter().filter(|other| *other != index);
        let found = others.find_map(|other| Some((vain(listed, &rules[other], index > other)?, rules[other].rule)));
        if let Some((why, other)) = found {
            let name = &listed.rule.name;
            let message = format!("the rule `{}` has no effect: {why}", name.value);
            let found = Diagnostic::new(codes::CONFLICTING_RULES, name.place, message);
            let found = found.related(other.name.place, "the rule that decides");
            sink.push(found.help("remove one of the rules, or change what it matches"));
        }
    });
}

impl<'c> Listed<'c> {
    fn new(rule: &'c RuleManifest, groups: &Groups<'c>) -> Self {
        let lists = rule.lists().into_iter().map(|(key, _, list)| (key, members(list, groups)));
        Self { rule, lists: lists.collect() }
    }

    /// Returns the programs to which the rule applies, or an empty list for all.
    fn programs(&self) -> &[&'c str] {
        self.lists.iter().find(|(key, _)| *key == "programs").map_or(&[], |(_, programs)| programs)
    }
}

/// The indices of rules by the programs to which they apply: most rules can cover only those of the same program.
struct ByProgram<'c> {
    /// Those that apply to all programs, or to a pattern.
    of_many: BTreeSet<usize>,
    of_one: BTreeMap<&'c str, BTreeSet<usize>>,
}

impl<'c> ByProgram<'c> {
    fn new(rules: &[Listed<'c>]) -> Self {
        let (mut of_many, mut of_one) = (BTreeSet::new(), BTreeMap::<_, BTreeSet<_>>::new());
        for (index, rule) in rules.iter().enumerate() {
            if rule.programs().is_empty() || rule.programs().iter().any(|program| program.ends_with('*')) {
                of_many.insert(index);
            }
            for program in rule.programs() {
                of_one.entry(*program).or_default().insert(index);
            }
        }
        Self { of_many, of_one }
    }

    /// Returns the rules that apply to the first program of a rule, in order.
    fn that_can_cover(&self, rule: &Listed<'_>) -> BTreeSet<usize> {
        let of_one = rule.programs().first().and_then(|program| self.of_one.get(program));
        of_one.into_iter().flatten().chain(&self.of_many).copied().collect()
    }
}

/// Returns why a rule has no effect next to another one, or `None` if it has.
fn vain(listed: &Listed<'_>, by_listed: &Listed<'_>, is_later: bool) -> Option<String> {
    let (rule, by) = (listed.rule, by_listed.rule);
    let verdict = |rule: &RuleManifest| rule.verdict.as_ref().map(|verdict| verdict.value.0);
    let (own, others) = (verdict(rule)?, verdict(by)?);
    let name = &by.name.value;
    let set = |rule: &RuleManifest| rule.optional.as_ref().map(|set| set.value.clone());
    // The other rule may not be active.
    if own == Verdict::Allow || set(by).is_some_and(|set_of_by| set(rule) != Some(set_of_by)) {
        return None;
    }
    if others == Verdict::Allow {
        let exempts = by.exempts.iter().any(|exempted| exempted.value == rule.name.value);
        return (exempts && is_of_whole_commands(by) && covers(by_listed, listed))
            .then(|| format!("its exception `{name}` allows every command that it matches"));
    }
    if others < own || !covers(by_listed, listed) {
        return None;
    }
    if covers(listed, by_listed) {
        if own < others {
            return Some(format!("`{name}` matches the same commands, and its verdict `{}` wins", others.word()));
        }
        let is_in_vain = is_later || set(rule).is_some() && set(by).is_none();
        return is_in_vain.then(|| format!("`{name}` matches the same commands, with the same verdict"));
    }
    // A command that a user exempts from the other rule is still asked about.
    let can_be_exempted = by.can_be_exempted.as_ref().is_some_and(|flag| flag.value);
    (own < others && !can_be_exempted).then(|| format!("`{name}` denies every command that it matches"))
}

/// Returns whether the conditions of an exception are only about programs and subcommands. Of operands and the like, every one must
/// meet the condition of an exception, but only one that of a rule.
fn is_of_whole_commands(rule: &RuleManifest) -> bool {
    rule.lists().into_iter().all(|(key, _, list)| list.is_empty() || matches!(key, "programs" | "subcommands"))
}

/// Returns whether a rule matches every command that another one matches, as far as their lists show.
fn covers(wide_listed: &Listed<'_>, narrow_listed: &Listed<'_>) -> bool {
    let (wide, narrow) = (wide_listed.rule, narrow_listed.rule);
    let is_set = |flag: &Option<At<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
    let conditions = |rule: &RuleManifest| {
        [&rule.certain_only, &rule.no_operands, &rule.own_processes, &rule.forks_itself].map(is_set)
    };
    let has_flags = conditions(wide).into_iter().zip(conditions(narrow)).all(|(wide, narrow)| narrow || !wide);
    let folds_case = is_set(&wide.ignore_case) || !is_set(&narrow.ignore_case);
    // These lists say what the options are for.
    let gives_flags_a_meaning =
        [wide, narrow].into_iter().any(|rule| !rule.values_in.is_empty() || !rule.file_from.is_empty());
    has_flags
        && folds_case
        && wide_listed.lists.iter().zip(&narrow_listed.lists).all(|((key, wide), (_, narrow))| {
            let within =
                |some: &[&str], all: &[&str]| some.iter().all(|one| all.iter().any(|other| is_wider(key, other, one)));
            match *key {
                // The more entries, the fewer commands match.
                _ if key.starts_with("without_") || *key == "operands_outside" => within(wide, narrow),
                "implicit_files" | "flags" if *key != "flags" || gives_flags_a_meaning => {
                    within(wide, narrow) && within(narrow, wide)
                }
                _ => wide.is_empty() || !narrow.is_empty() && within(narrow, wide),
            }
        })
}

/// Returns the entries of a list, with those of a group instead of its name. The name of an empty group remains.
fn members<'c>(list: &'c [At<String>], groups: &Groups<'c>) -> Vec<&'c str> {
    let of_group = |name: &str| groups.get(name.strip_prefix('@')?).filter(|group| !group.is_empty());
    let members = list.iter().map(|entry| match of_group(&entry.value) {
        Some(group) => group.iter().map(|entry| entry.value.as_str()).collect(),
        None => vec![entry.value.as_str()],
    });
    members.collect::<Vec<_>>().concat()
}

/// Returns whether an entry matches everything that another one does.
fn is_wider(key: &str, wide: &str, narrow: &str) -> bool {
    if wide == narrow {
        return true;
    }
    if matches!(key, "subcommands" | "folders_after") {
        // `push` also matches `push --force` and `push origin`.
        let (wide, narrow): (Vec<&str>, Vec<&str>) = (wide.split(' ').collect(), narrow.split(' ').collect());
        let operands = |words: &[&str]| words.iter().filter(|word| !word.starts_with('-')).map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let options = wide.iter().filter(|word| word.starts_with('-'));
        return key == "subcommands"
            && operands(&narrow).starts_with(&operands(&wide))
            && options.into_iter().all(|option| narrow.contains(option));
    }
    // Only the plainest pattern: what begins with a text.
    let is_pattern = |text: &str| text.contains(['*', '?', '[', '{', '\\']);
    matches!(key, "programs" | "arguments" | "variables" | "input_lines")
        && wide.strip_suffix('*').is_some_and(|start| !is_pattern(start) && narrow.starts_with(start))
}

#[cfg(test)]
mod tests {
    use crate::lint::codes;
    use crate::{Options, Sources};

    /// Returns the names of the rules without effect. `a` and `b` are the keys of two rules of these names.
    fn without_effect(a: &str, b: &str) -> Vec<String> {
        let rule = |name: &str, keys: &str| {
            let matches = if keys.contains("matches") { "" } else { "matches = ['x']\n" };
            format!("[[rules]]\nname = '{name}'\ndescription = 'Does it.'\n{}\n{matches}", keys.replace("; ", "\n"))
        };
        let groups = "[[groups]]\nname = 'clients'\ndescription = 'Clients.'\nprograms = ['curl', 'wget']\n[[places]]\nname = 'keys'\ndescription = 'Keys.'\npaths = ['~/.ssh/**']\n[[places]]\nname = 'etc'\ndescription = 'Settings.'\npaths = ['/etc/**']\n";
        let text = format!("name = 'x'\ndescription = 'Rules.'\n{groups}{}{}", rule("a", a), rule("b", b));
        let sources = Sources::from_memory([("manifests/commands/x.toml".to_owned(), text)]);
        let options = Options { only: vec![codes::CONFLICTING_RULES], ..Options::default() };
        let found = crate::compile_with(&sources, &options).diagnostics;
        let is_named = |name: &&str| found.iter().any(|found| found.code == codes::CONFLICTING_RULES && found.message.contains(&format!("the rule `{name}`")));
        ["a", "b"].into_iter().filter(is_named).map(str::to_owned).collect()
    }

    #[test]
    fn rules_that_another_one_decides_for_are_found() {
        for (a, b, expected) in [
            ("verdict = 'ask'; programs = ['dd']", "verdict = 'deny'; programs = ['dd']", "a"),
            ("verdict = 'deny'; programs = ['dd']", "verdict = 'ask'; programs = ['dd']", "b"),
            ("verdict = 'ask'; programs = ['dd']", "verdict = 'ask'; programs = ['dd']", "b"),
            ("verdict = 'deny'; programs = ['dd']", "verdict = 'deny'; programs = ['dd']", "b"),
            ("verdict = 'ask'; programs = ['a', 'b']", "verdict = 'deny'; programs = ['b', 'a']", "a"),
            ("verdict = 'ask'; programs = ['@clients']", "verdict = 'deny'; programs = ['wget', 'curl']", "a"),
            ("verdict = 'ask'; programs = ['curl']", "verdict = 'deny'; programs = ['@clients']", "a"),
            ("verdict = 'deny'; programs = ['mkfs*']", "verdict = 'ask'; programs = ['mkfs.ext4']", "b"),
            ("verdict = 'deny'; programs = ['git']; subcommands = ['push']", "verdict = 'ask'; programs = ['git']; subcommands = ['push --force']", "b"),
            ("verdict = 'deny'; programs = ['git']", "verdict = 'ask'; programs = ['git']; subcommands = ['push']", "b"),
            ("verdict = 'deny'; programs = ['rm']; flags = ['-r', '-f']", "verdict = 'ask'; programs = ['rm']; flags = ['-f']", "b"),
            ("verdict = 'deny'; reads = ['keys', 'etc']", "verdict = 'ask'; reads = ['keys']", "b"),
            ("verdict = 'deny'; reads = ['keys']", "verdict = 'ask'; reads = ['keys']; programs = ['cat']", "b"),
            ("verdict = 'deny'; programs = ['rm']; without_flags = ['-i']", "verdict = 'ask'; programs = ['rm']; without_flags = ['-i', '-I']", "b"),
            ("verdict = 'deny'; programs = ['rm']; ignore_case = true", "verdict = 'ask'; programs = ['rm']", "b"),
            ("verdict = 'deny'; programs = ['sh']", "verdict = 'ask'; programs = ['sh']; no_operands = true", "b"),
            ("verdict = 'deny'; programs = ['sh']; no_operands = true", "verdict = 'ask'; programs = ['sh']; no_operands = true", "b"),
            ("verdict = 'deny'; programs = ['rm']; operands_outside = ['etc']", "verdict = 'ask'; programs = ['rm']; operands_outside = ['etc', 'keys']", "b"),
            ("verdict = 'ask'; programs = ['dd']", "verdict = 'allow'; exempts = ['a']; programs = ['dd']", "a"),
            ("verdict = 'ask'; programs = ['git']; subcommands = ['push --force']", "verdict = 'allow'; exempts = ['a']; programs = ['git']", "a"),
            ("verdict = 'ask'; variables = ['LD_PRELOAD']", "verdict = 'deny'; variables = ['LD_*']", "a"),
            ("verdict = 'ask'; programs = ['dd']; can_be_exempted = true", "verdict = 'deny'; programs = ['dd']", "a"),
            ("verdict = 'ask'; optional = 's'; programs = ['dd']", "verdict = 'ask'; programs = ['dd']", "a"),
            ("verdict = 'ask'; optional = 's'; programs = ['dd']", "verdict = 'ask'; optional = 's'; programs = ['dd']", "b"),
            ("verdict = 'deny'; programs = ['ls']; only_flags = ['-l', '-a']", "verdict = 'ask'; programs = ['ls']; only_flags = ['-l']", "b"),
        ] {
            assert_eq!(without_effect(a, b), [expected], "{a} / {b}");
        }
    }

    #[test]
    fn rules_that_decide_something_are_not_found() {
        for (a, b) in [
            ("verdict = 'ask'; programs = ['dd']", "verdict = 'deny'; programs = ['df']"),
            ("verdict = 'ask'; programs = ['dd']", "verdict = 'deny'; programs = ['dd']; flags = ['-x']"),
            ("verdict = 'ask'; programs = ['rm']", "verdict = 'ask'; programs = ['rm']; flags = ['-r']"),
            ("verdict = 'ask'; programs = ['rm', 'mv']", "verdict = 'deny'; programs = ['rm']"),
            ("verdict = 'ask'; programs = ['mkfs*']", "verdict = 'deny'; programs = ['mkfs.ext4']"),
            ("verdict = 'ask'; programs = ['git']; subcommands = ['push']", "verdict = 'deny'; programs = ['git']; subcommands = ['push --force']"),
            ("verdict = 'ask'; programs = ['@clients']", "verdict = 'deny'; programs = ['curl']"),
            ("verdict = 'ask'; reads = ['keys']", "verdict = 'deny'; writes = ['keys']"),
            ("verdict = 'ask'; reads = ['keys']", "verdict = 'deny'; reads = ['etc']"),
            ("verdict = 'ask'; programs = ['rm']", "verdict = 'deny'; programs = ['rm']; without_flags = ['-i']"),
            ("verdict = 'ask'; programs = ['rm']; ignore_case = true", "verdict = 'deny'; programs = ['rm']"),
            ("verdict = 'ask'; programs = ['sh']", "verdict = 'deny'; programs = ['sh']; no_operands = true"),
            ("verdict = 'ask'; programs = ['sh']", "verdict = 'deny'; programs = ['sh']; certain_only = true"),
            ("verdict = 'ask'; programs = ['rm']; operands_outside = ['etc']", "verdict = 'deny'; programs = ['rm']; operands_outside = ['etc', 'keys']"),
            ("verdict = 'ask'; programs = ['dd']; flags = ['-x']", "verdict = 'allow'; exempts = ['a']; programs = ['dd']; flags = ['-x']; arguments = ['y']"),
            ("verdict = 'ask'; programs = ['dd']; operands_in = ['etc']", "verdict = 'allow'; exempts = ['a']; programs = ['dd']; operands_in = ['etc']"),
            ("verdict = 'ask'; programs = ['git']", "verdict = 'allow'; exempts = ['a']; programs = ['git']; subcommands = ['status']"),
            ("verdict = 'ask'; programs = ['git']; subcommands = ['push']", "verdict = 'deny'; programs = ['git']; can_be_exempted = true"),
            ("verdict = 'ask'; variables = ['LD_*']", "verdict = 'deny'; variables = ['LD_PRELOAD']"),
            ("verdict = 'ask'; programs = ['a*c']", "verdict = 'deny'; programs = ['a?c']"),
            ("verdict = 'ask'; programs = ['cp']; flags = ['-t']; values_in = ['etc']", "verdict = 'deny'; programs = ['cp']; flags = ['-t', '-x']; values_in = ['etc']"),
            ("verdict = 'ask'; programs = ['dd']", "verdict = 'deny'; optional = 's'; programs = ['dd']"),
            ("verdict = 'ask'; optional = 's'; programs = ['dd']", "verdict = 'deny'; optional = 't'; programs = ['dd']"),
            ("verdict = 'ask'; programs = ['ls']; only_flags = ['-l', '-a']", "verdict = 'deny'; programs = ['ls']; only_flags = ['-l']"),
            ("verdict = 'ask'; programs = ['cat']; data_in = ['keys']", "verdict = 'deny'; programs = ['cat']; data_in = ['keys']; without_data = ['ls']"),
        ] {
            assert_eq!(without_effect(a, b), [""; 0], "{a} / {b}");
        }
    }
}
