//! Checks manifests of command rules: names, the form of values, keys that contradict each other, and the examples.

use std::cell::Cell;
use std::collections::BTreeMap;

use toolc_commands::rules::{RuleSet, Verdict};
use toolc_commands::{Cause, DoubtKind};
use toolc_tables::Words as _;

use super::compile::{Arena, added, compile};
use super::examples;
use super::form::{self, Fault};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink, ticked};
use crate::manifest::{
    AccessManifest, CommandsManifest, ProgramManifest, RuleManifest, RuleWords, RunsKind, RunsManifest, WrittenOperands,
};

/// The owner of a file of rules, which decides what its rules may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user. The rules can be exceptions to those rules of the host that allow exceptions.
    Home,
    /// A project, whose rules others may have written. They can only be stricter than those of the host.
    Project,
}

/// The manifests to check, and what they are checked against.
pub(crate) struct Scope<'c> {
    /// The manifests.
    pub(crate) manifests: &'c [CommandsManifest],
    /// For a file that is added at run time: the rules of the host, and the owner of the file. `None` for the manifests of a project.
    pub(crate) user: Option<(&'c RuleSet<'c>, Trust)>,
    /// Whether a manifest could not be read, so that what it declares is unknown.
    pub(crate) is_incomplete: bool,
}

/// Reports the mistakes. The examples are only tried if there are no others.
pub(crate) fn check(scope: &Scope<'_>, sink: &Sink) {
    let manifests = scope.manifests;
    let checker = Checker { sink, scope, has_failed: Cell::new(false) };
    for manifest in manifests {
        checker.manifest(manifest);
    }
    checker.names();
    for program in manifests.iter().flat_map(|manifest| &manifest.programs) {
        checker.program(program);
    }
    for group in manifests.iter().flat_map(|manifest| &manifest.groups) {
        checker.form(&group.name, "a group", codes::INVALID_NAME, form::name);
        for program in &group.programs {
            checker.text("programs", program, form::program_pattern);
        }
    }
    for place in manifests.iter().flat_map(|manifest| &manifest.places) {
        checker.form(&place.name, "a place", codes::INVALID_NAME, form::name);
        for path in &place.paths {
            checker.text("paths", path, form::path);
        }
        for path in &place.except {
            checker.text("except", path, form::path);
        }
    }
    for access in manifests.iter().flat_map(|manifest| &manifest.access) {
        checker.access(access);
    }
    for rule in manifests.iter().flat_map(|manifest| &manifest.rules) {
        checker.rule(rule);
    }
    let is_refused = manifests.iter().any(is_refused);
    if !checker.has_failed.get() && !scope.is_incomplete && !is_refused {
        let arena = Arena::new();
        let rules = match scope.user {
            None => compile(manifests, &arena),
            Some((base, _)) => added(base, manifests, &arena),
        };
        examples::check(manifests, &rules, sink);
    }
}

/// Returns whether a part of a manifest could not be read.
fn is_refused(manifest: &CommandsManifest) -> bool {
    let of_program = |program: &ProgramManifest| {
        program.refused.is_any() || program.runs.iter().any(|runs| runs.refused.is_any() || runs.kind.is_none())
    };
    manifest.refused.is_any()
        || manifest.programs.iter().any(of_program)
        || manifest.groups.iter().any(|group| group.refused.is_any())
        || manifest.places.iter().any(|place| place.refused.is_any())
        || manifest.access.iter().any(|access| access.refused.is_any())
        || manifest.rules.iter().any(|rule| rule.refused.is_any() || rule.verdict.is_none())
}

struct Checker<'c> {
    sink: &'c Sink,
    scope: &'c Scope<'c>,
    has_failed: Cell<bool>,
}

impl Checker<'_> {
    fn push(&self, found: Diagnostic) {
        self.has_failed.set(true);
        self.sink.push(found);
    }

    fn manifest(&self, manifest: &CommandsManifest) {
        let is_empty = manifest.programs.is_empty()
            && manifest.groups.is_empty()
            && manifest.places.is_empty()
            && manifest.access.is_empty()
            && manifest.rules.is_empty();
        if is_empty && !manifest.refused.is_any() {
            let found = Diagnostic::new(codes::MISSING_KEY, manifest.place, "the file declares nothing");
            let found = found.label("expected rules, places, groups, programs or access");
            self.push(
                found.help("add a table: `[[rules]]`, `[[places]]`, `[[groups]]`, `[[programs]]` or `[[access]]`"),
            );
        }
        if !matches!(self.scope.user, Some((_, Trust::Project))) {
            return;
        }
        // The judge would read a line as the project wants, and the project would choose what runs with more rights.
        if let Some(program) = manifest.programs.first() {
            let message = "the rules of a project cannot describe programs";
            let found = Diagnostic::new(codes::INVALID_VALUE, program.name.place, message);
            let found = found.label("only the rules of the host and of the user do");
            self.push(found.help("remove `[[programs]]`"));
        }
        if let Some(access) = manifest.access.first() {
            let message = "the rules of a project cannot say what programs need";
            let found = Diagnostic::new(codes::INVALID_VALUE, access.place, message);
            let found = found.label("only the rules of the host and of the user do");
            self.push(found.help("remove `[[access]]`"));
        }
    }

    /// Checks that names are unique.
    fn names(&self) {
        let manifests = || self.scope.manifests.iter();
        let base = self.scope.user.map(|(base, _)| base);
        let of_host = |known: bool| known.then_some("the host already uses this name");
        self.unique("rule", manifests().flat_map(|manifest| &manifest.rules).map(|rule| &rule.name), |name| {
            let is_doubt = doubts().any(|doubt| doubt == name);
            of_host(base.is_some_and(|base| base.rule(name).is_some()))
                .or_else(|| is_doubt.then_some("a doubt has this name, and `exempts` can refer to it"))
        });
        self.unique("place", manifests().flat_map(|manifest| &manifest.places).map(|place| &place.name), |name| {
            of_host(base.is_some_and(|base| base.place(name).is_some()))
        });
        let groups = manifests().flat_map(|manifest| &manifest.groups);
        self.unique("group", groups.map(|group| &group.name), |_| None);
        let programs = manifests().flat_map(|manifest| &manifest.programs);
        self.unique(
            "program",
            programs.flat_map(|program| [&program.name].into_iter().chain(&program.aliases)),
            |name| of_host(base.is_some_and(|base| base.programs().entries().iter().any(|(known, _)| *known == name))),
        );
        let with_rights = manifests().flat_map(|manifest| &manifest.access).filter(|access| access.rights.is_some());
        self.unique("program with rights", with_rights.flat_map(|access| &access.programs), |name| {
            of_host(base.is_some_and(|base| base.rights_of(name).is_some()))
        });
    }

    fn unique<'n>(
        &self,
        what: &str,
        names: impl Iterator<Item = &'n At<String>>,
        taken: impl Fn(&str) -> Option<&'static str>,
    ) {
        let mut firsts: BTreeMap<&str, &At<String>> = BTreeMap::new();
        for name in names {
            let found = |why: &str| {
                Diagnostic::new(codes::DUPLICATE_NAME, name.place, format!("the {what} `{}` {why}", name.value))
            };
            if let Some(first) = firsts.get(name.value.as_str()) {
                let found = found("is declared twice").related(first.place, "first declared here");
                self.push(found.help(if what.starts_with("program") {
                    "combine them, or remove one of the names"
                } else {
                    "rename one of them"
                }));
            } else if let Some(why) = taken(&name.value) {
                let help = if what.starts_with("program") { "remove it" } else { "rename it" };
                self.push(found("needs another name").label(why).help(help));
            }
            firsts.entry(&name.value).or_insert(name);
        }
    }

    /// Checks the form of a name.
    fn form(&self, name: &At<String>, what: &str, code: Code, form: fn(&str) -> Option<Fault>) {
        // An empty name was reported.
        if !name.value.is_empty()
            && let Some(fault) = form(&name.value)
        {
            let message = format!("`{}` cannot be the name of {what}", name.value);
            let found = Diagnostic::new(code, name.place, message).label(format!("expected {}", fault.expected));
            self.push(found.help_if(fault.help));
        }
    }

    /// Checks the form of a value in a list.
    fn text(&self, key: &str, text: &At<String>, form: fn(&str) -> Option<Fault>) {
        if let Some(fault) = form(&text.value) {
            let message = format!("`{key}` cannot contain `{}`", text.value);
            let found = Diagnostic::new(codes::INVALID_VALUE, text.place, message);
            self.push(found.label(format!("expected {}", fault.expected)).help_if(fault.help));
        }
    }

    fn program(&self, program: &ProgramManifest) {
        self.form(&program.name, "a program", codes::INVALID_NAME, form::program);
        for alias in &program.aliases {
            self.form(alias, "a program", codes::INVALID_NAME, form::program);
        }
        let lists = [
            ("value_flags", &program.value_flags),
            ("directory_flags", &program.directory_flags),
            ("last_flags", &program.last_flags),
            ("writes_with", &program.writes_with),
            ("writes_unless", &program.writes_unless),
            ("url_names_with", &program.url_names_with),
            ("unpacks_unless", &program.unpacks_unless),
            ("folder_flags", &program.folder_flags),
        ];
        for (key, list) in lists {
            for text in list {
                self.text(key, text, form::option);
            }
        }
        program.writes_to.iter().for_each(|text| self.text("writes_to", text, form::options));
        self.url_names(program);
        let subcommands = [
            ("writes_subcommands", &program.writes_subcommands),
            ("unpacks_with", &program.unpacks_with),
            ("unpacks_to", &program.unpacks_to),
        ];
        for (key, list) in subcommands {
            for text in list {
                self.text(key, text, form::subcommand);
            }
        }
        let has_exception = |word: &At<String>| {
            [WrittenOperands::Operands, WrittenOperands::LastOperand]
                .iter()
                .any(|operands| operands.word() == word.value)
        };
        if let Some(option) = program.writes_unless.first()
            && !program.writes.iter().any(has_exception)
            && !program.refused.has("writes", true)
        {
            let message = "`writes_unless` requires `operands` or `last-operand` in `writes`";
            let found = Diagnostic::new(codes::MISSING_KEY, option.place, message);
            self.push(found.help("add one of them to `writes`, or remove `writes_unless`"));
        }
        for runs in &program.runs {
            self.runs(runs);
        }
        if let Some(option) = program.directory_flags.first()
            && program.runs.is_empty()
            && !program.refused.has("runs", true)
        {
            let message = "`directory_flags` has no meaning without `runs`";
            let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, option.place, message);
            self.push(
                found.help("add `runs` with the way in which the program runs others, or remove `directory_flags`"),
            );
        }
    }

    fn access(&self, access: &AccessManifest) {
        let is_about_rights = access.rights.is_some() || access.reads.is_empty();
        for program in &access.programs {
            self.text("programs", program, if is_about_rights { form::program } else { form::command });
        }
        for path in &access.reads {
            self.text("reads", path, form::file);
        }
        let is_read = |key| !access.refused.has(key, true);
        if access.rights.is_none() && access.reads.is_empty() && is_read("rights") && is_read("reads") {
            let message = "the table does not say what the programs need";
            self.push(Diagnostic::new(codes::MISSING_KEY, access.place, message).help("add `rights` or `reads`"));
        }
    }

    /// Checks that keys about names in URLs come with `url-names` in `writes`.
    fn url_names(&self, program: &ProgramManifest) {
        let has = |wanted: WrittenOperands| {
            program.writes.iter().any(|word| WrittenOperands::from_word(&word.value) == Some(wanted))
        };
        if !has(WrittenOperands::UrlNames) && !program.refused.has("writes", true) {
            let unpacks = has(WrittenOperands::Unpacked) || !program.unpacks_with.is_empty();
            let keys = [("url_names_with", &program.url_names_with), ("folder_flags", &program.folder_flags)];
            let is_of_names = |key: &str| key != "folder_flags" || !unpacks;
            let keys = keys.iter().filter(|(key, _)| is_of_names(key));
            for (key, first) in keys.filter_map(|(key, list)| Some((key, list.first()?))) {
                let message = format!("`{key}` has no meaning without `url-names` in `writes`");
                let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, first.place, message);
                self.push(found.help(format!("add `\"url-names\"` to `writes`, or remove `{key}`")));
            }
        }
    }

    /// Checks that a way to run others has the keys of its kind, and no other keys.
    fn runs(&self, runs: &RunsManifest) {
        let lists = [
            ("placeholder_flags", &runs.placeholder_flags),
            ("unless", &runs.unless),
            ("split_flags", &runs.split_flags),
            ("flags", &runs.flags),
        ];
        for (key, list) in lists {
            for text in list {
                self.text(key, text, form::option);
            }
        }
        for text in &runs.after {
            self.text("after", text, form::words);
        }
        for text in &runs.except {
            self.text("except", text, form::word);
        }
        if let Some(text) = runs.placeholder.as_ref().filter(|text| text.value.is_empty()) {
            let found = Diagnostic::new(codes::INVALID_VALUE, text.place, "`placeholder` cannot be empty");
            self.push(found.label("expected the text that the program replaces, such as `{}`"));
        }
        let Some(kind) = &runs.kind else { return };
        let given = keys_given(runs);
        let (required, optional) = keys_of(kind.value);
        for (key, place) in given {
            if let Some(place) = place
                && !required.contains(&key)
                && !optional.contains(&key)
            {
                let message = format!("`{key}` has no meaning with `kind = \"{}\"`", kind.value.word());
                let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, place, message).related(kind.place, "set here");
                let keys: Vec<&str> = required.iter().chain(optional).copied().collect();
                self.push(found.help(format!("remove it: the keys of this kind are {}", ticked(&keys, ", "))));
            }
        }
        let is_missing = |key: &str| given.iter().any(|(given, place)| *given == key && place.is_none());
        let missing: Vec<&str> =
            required.iter().copied().filter(|key| is_missing(key) && !runs.refused.has(key, true)).collect();
        if !missing.is_empty() {
            let keys = ticked(&missing, " and ");
            let message = format!("`kind = \"{}\"` requires {keys}", kind.value.word());
            self.push(Diagnostic::new(codes::MISSING_KEY, kind.place, message).help(format!("add {keys}")));
        }
    }

    fn rule(&self, rule: &RuleManifest) {
        self.form(&rule.name, "a rule", codes::INVALID_NAME, form::name);
        if !rule.is_narrow() && !rule.refused.is_any() {
            let keys: Vec<&str> = RuleManifest::narrowing().collect();
            let message = format!("`{}` would match every command", rule.name.value);
            let found = Diagnostic::new(codes::MISSING_KEY, rule.name.place, message);
            self.push(found.help(format!("add a condition: {}", ticked(&keys, ", "))));
        }
        for (key, words, list) in rule.lists() {
            for text in list {
                match words {
                    RuleWords::Programs | RuleWords::Commands if text.value.starts_with(form::GROUP) => {
                        self.group(text);
                    }
                    RuleWords::Subcommands | RuleWords::Patterns if self.is_group(&text.value) => {
                        self.misplaced_group(key, text);
                    }
                    RuleWords::Commands => self.text(key, text, form::command),
                    RuleWords::Programs => self.text(key, text, form::program_pattern),
                    RuleWords::Subcommands => self.text(key, text, form::subcommand),
                    RuleWords::Flags => self.text(key, text, form::option_pattern),
                    RuleWords::Patterns => self.text(key, text, form::pattern),
                    RuleWords::Places => self.place(text),
                    RuleWords::Words => {}
                }
            }
        }
        if let Some(place) = rule.values_in.first()
            && rule.flags.is_empty()
            && !rule.refused.has("flags", true)
        {
            let found = Diagnostic::new(codes::MISSING_KEY, place.place, "`values_in` requires `flags`");
            self.push(found.help("add `flags` with the options whose values are meant"));
        }
        if let Some(file) = rule.implicit_files.first()
            && rule.program_from.is_empty()
            && !rule.refused.has("program_from", true)
        {
            let found = Diagnostic::new(codes::MISSING_KEY, file.place, "`implicit_files` requires `program_from`");
            self.push(found.help("add `program_from` with the programs that write such a file"));
        }
        self.optional(rule);
        self.exemptions(rule);
        for example in rule.ignores.iter().filter(|ignored| rule.matches.iter().any(|m| m.value == ignored.value)) {
            let message = "this command is both in `matches` and in `ignores`";
            let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, example.place, message);
            self.push(found.help("remove it from one of the lists"));
        }
    }

    /// Returns whether a text is `@` and the name of a group.
    fn is_group(&self, text: &str) -> bool {
        let mut groups = self.scope.manifests.iter().flat_map(|manifest| &manifest.groups);
        text.strip_prefix(form::GROUP).is_some_and(|name| groups.any(|group| group.name.value == name))
    }

    /// Reports a group in a list that does not contain programs.
    fn misplaced_group(&self, key: &str, text: &At<String>) {
        let message = format!("`{key}` cannot contain the group `{}`", text.value);
        let found = Diagnostic::new(codes::INVALID_VALUE, text.place, message).label("a group stands for programs");
        self.push(found.help(format!(
            "name the group in a list of programs, such as `input_from`, or write `[{}]{}` for this text",
            form::GROUP,
            &text.value[form::GROUP.len_utf8()..]
        )));
    }

    /// Checks the name of a group, which `@` introduces.
    fn group(&self, text: &At<String>) {
        let name = &text.value[form::GROUP.len_utf8()..];
        let groups = || self.scope.manifests.iter().flat_map(|manifest| &manifest.groups);
        if let Some((group, _)) = text.value.split_once(char::is_whitespace)
            && self.is_group(group)
        {
            let message = format!("`{}` has words after the name of a group", text.value);
            let found = Diagnostic::new(codes::INVALID_VALUE, text.place, message);
            let found = found.label("expected only the group: subcommands cannot follow it");
            self.push(found.help(format!("write `{group}`, or each program of the group with its subcommand")));
            return;
        }
        let may_exist = self.scope.is_incomplete || self.scope.manifests.iter().any(|m| m.refused.has("groups", true));
        if groups().all(|group| group.name.value != name) && !may_exist {
            let found = Diagnostic::new(codes::UNKNOWN_GROUP, text.place, format!("unknown group `{}`", text.value));
            let names: Vec<String> = groups().map(|group| format!("{}{}", form::GROUP, group.name.value)).collect();
            let or = if names.is_empty() { "" } else { "or " };
            let found = found.help_nearest(&text.value, names.iter().map(String::as_str), "the groups are");
            self.push(found.help(format!("{or}declare it in `[[groups]]`: `name = \"{name}\"`, with its `programs`")));
        }
    }

    /// Checks the name of a place.
    fn place(&self, name: &At<String>) {
        let own = self.scope.manifests.iter().flat_map(|manifest| &manifest.places);
        let of_host = self.scope.user.into_iter().flat_map(|(base, _)| base.places());
        let mut names: Vec<&str> = own.map(|place| place.name.value.as_str()).collect();
        names.extend(of_host.map(|place| place.name));
        let may_exist = self.scope.is_incomplete || self.scope.manifests.iter().any(|m| m.refused.has("places", true));
        if !names.contains(&name.value.as_str()) && !may_exist {
            let message = format!("unknown place `{}`", name.value);
            let found = Diagnostic::new(codes::UNKNOWN_PLACE, name.place, message);
            if name.value.starts_with(form::GROUP) {
                let found = found.label("expected a place: `@` introduces a group of programs");
                self.push(found.help_nearest(&name.value[form::GROUP.len_utf8()..], names, "the places are"));
                return;
            }
            let or = if names.is_empty() { "" } else { "or " };
            let found = found.help_nearest(&name.value, names, "the places are");
            self.push(
                found.help(format!("{or}declare it in `[[places]]`: `name = \"{}\"`, with its `paths`", name.value)),
            );
        }
    }

    /// Checks the name of the optional set. The rules of a user are active while they are in the file.
    fn optional(&self, rule: &RuleManifest) {
        let Some(set) = &rule.optional else { return };
        if self.scope.user.is_some() {
            let found = Diagnostic::new(codes::INVALID_VALUE, set.place, "a user's rules cannot be optional");
            self.push(found.label("only the rules of a host have optional sets").help("remove `optional`"));
        } else {
            self.form(set, "an optional set", codes::INVALID_NAME, form::name);
        }
    }

    /// Checks the keys about exceptions.
    fn exemptions(&self, rule: &RuleManifest) {
        let Some(verdict) = &rule.verdict else { return };
        if let Some(flag) = &rule.low_risk
            && verdict.value.0 != Verdict::Ask
        {
            let message = format!("`low_risk` has no meaning with `verdict = \"{}\"`", verdict.value.word());
            let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, flag.place, message);
            self.push(found.related(verdict.place, "set here").help("remove it, or write `verdict = \"ask\"`"));
        }
        if !rule.is_exception() {
            if let Some(first) = rule.exempts.first() {
                let message = format!("`exempts` has no meaning with `verdict = \"{}\"`", verdict.value.word());
                let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, first.place, message);
                let found = found.related(verdict.place, "set here");
                self.push(found.help("write `verdict = \"allow\"` for an exception, or remove `exempts`"));
            }
            return;
        }
        if let Some((_, Trust::Project)) = self.scope.user {
            let message = "the rules of a project cannot allow anything";
            let found = Diagnostic::new(codes::INVALID_VALUE, verdict.place, message).label("expected `ask` or `deny`");
            self.push(found.help("move the rule to the rules in your home"));
            return;
        }
        if rule.exempts.is_empty() && !rule.refused.has("exempts", true) {
            let message =
                format!("`{}` allows nothing: a command is allowed unless a rule matches it", rule.name.value);
            let found = Diagnostic::new(codes::MISSING_KEY, verdict.place, message).label("no rule is exempted");
            self.push(found.help("add `exempts` with the rules to which this one is an exception"));
        }
        if let Some(flag) = &rule.can_be_exempted {
            let message = "`can_be_exempted` has no meaning with `verdict = \"allow\"`";
            let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, flag.place, message);
            self.push(found.related(verdict.place, "set here").help("remove it"));
        }
        for name in &rule.exempts {
            self.exempted(name);
        }
    }

    /// Checks the name of a rule to which another one is an exception.
    fn exempted(&self, name: &At<String>) {
        let own = || self.scope.manifests.iter().flat_map(|manifest| &manifest.rules);
        let base = self.scope.user.map(|(base, _)| base);
        let of_host = base.and_then(|base| base.rule(&name.value));
        let of_own = own().find(|rule| rule.name.value == name.value);
        let is_doubt = doubts().any(|doubt| doubt == name.value);
        let is_exception = of_own.is_some_and(RuleManifest::is_exception)
            || of_host.is_some_and(|rule| rule.verdict == Verdict::Allow);
        let found = |message: String| Diagnostic::new(codes::INVALID_VALUE, name.place, message);
        if is_exception {
            let message = format!("`{}` is itself an exception", name.value);
            self.push(found(message).label("expected a rule that asks or denies").help("remove it"));
        } else if of_own.is_some() || base.is_none() && is_doubt {
        } else if let Some(base) = base
            && (of_host.is_some() || is_doubt)
        {
            if of_host.is_some_and(|rule| rule.can_be_exempted) {
                return;
            }
            let message = format!("an exception to `{}` is not possible", name.value);
            let allowed: Vec<&str> =
                base.rules().iter().filter(|rule| rule.can_be_exempted).map(|rule| rule.name).collect();
            let found = found(message).label("expected a rule that can be exempted");
            self.push(if allowed.is_empty() {
                found.help("remove it: the rules of the host allow no exceptions")
            } else {
                found.help(format!("remove it: exceptions are possible to {}", ticked(&allowed, ", ")))
            });
        } else if !self.scope.is_incomplete && !self.scope.manifests.iter().any(|m| m.refused.has("rules", true)) {
            let mut names: Vec<&str> =
                own().filter(|rule| !rule.is_exception()).map(|rule| rule.name.value.as_str()).collect();
            match base {
                Some(base) => {
                    names.extend(base.rules().iter().filter(|rule| rule.can_be_exempted).map(|rule| rule.name));
                }
                None => {
                    for doubt in doubts() {
                        names.push(doubt);
                    }
                }
            }
            let message = format!("unknown rule `{}`", name.value);
            let found = Diagnostic::new(codes::UNKNOWN_RULE, name.place, message);
            self.push(found.help_nearest(&name.value, names, "exceptions are possible to"));
        }
    }
}

/// Returns the names of the doubts that exceptions can name.
fn doubts() -> impl Iterator<Item = &'static str> {
    DoubtKind::ALL.iter().map(|kind| kind.name()).chain([Cause::BUILT_NAME])
}

/// Returns the keys of a way to run others, each with its place if it is given.
fn keys_given(runs: &RunsManifest) -> [(&'static str, Option<Place>); 16] {
    let first = |list: &[At<String>]| list.first().map(|text| text.place);
    let flag = |flag: &Option<At<bool>>| flag.as_ref().map(|flag| flag.place);
    [
        ("after", first(&runs.after)),
        ("known", flag(&runs.known)),
        ("except", first(&runs.except)),
        ("separator", flag(&runs.separator)),
        ("skip", runs.skip.as_ref().map(|skip| skip.place)),
        ("assignments", flag(&runs.assignments)),
        ("prefixed", flag(&runs.prefixed)),
        ("appends", flag(&runs.appends)),
        ("placeholder_flags", first(&runs.placeholder_flags)),
        ("unless", first(&runs.unless)),
        ("split_flags", first(&runs.split_flags)),
        ("flags", first(&runs.flags)),
        ("shell", runs.shell.as_ref().map(|shell| shell.place)),
        ("first_operand", flag(&runs.first_operand)),
        ("ends", first(&runs.ends)),
        ("placeholder", runs.placeholder.as_ref().map(|text| text.place)),
    ]
}

/// Returns the required keys of a way to run others, and the optional ones.
fn keys_of(kind: RunsKind) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        RunsKind::Operands => (
            &[],
            &[
                "after",
                "skip",
                "flags",
                "known",
                "except",
                "separator",
                "assignments",
                "prefixed",
                "appends",
                "placeholder_flags",
                "unless",
                "split_flags",
            ],
        ),
        RunsKind::Code => (&["flags", "shell"], &["after", "first_operand"]),
        RunsKind::Joined => (&["shell"], &["after", "skip", "unless"]),
        RunsKind::Operand => (&["shell"], &["skip"]),
        RunsKind::Between => (&["flags"], &["ends", "placeholder"]),
        RunsKind::Input => (&["shell"], &[]),
        RunsKind::Session => (&["shell"], &["after", "skip", "flags", "unless"]),
        RunsKind::File => (&[], &["after", "flags", "unless"]),
    }
}
