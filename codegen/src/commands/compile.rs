//! Compiles the manifests of rules, places and programs into the types of the judge.

use std::collections::BTreeMap;

use bumpalo::Bump;
use toolc_commands::ProgramTable;
use toolc_commands::programs::{CodeShell, Program, Rest, Runs, Session, Writes};
use toolc_commands::rules::{Access, Conditions, Place, Rule, RuleSet, Verdict};

use super::form::GROUP;
use crate::diagnostic::At;
use crate::manifest::keys::kinds::{OfCommands, Words};
use crate::manifest::{
    AccessManifest, CommandsManifest, PlaceManifest, ProgramManifest, RuleManifest, RunsKind, RunsManifest,
    WrittenOperands,
};

/// The groups of a project: the names of their programs, by the name of the group.
type Groups<'m> = BTreeMap<&'m str, &'m [At<String>]>;

/// The memory that compiled rules borrow from.
#[derive(Debug, Default)]
pub struct Arena(Bump);

impl Arena {
    /// Creates an arena without content.
    pub fn new() -> Self {
        Self::default()
    }

    fn text(&self, text: &str) -> &str {
        self.0.alloc_str(text)
    }

    fn list<T: Copy>(&self, items: &[T]) -> &[T] {
        self.0.alloc_slice_copy(items)
    }

    fn texts<'t>(&self, texts: impl IntoIterator<Item = &'t At<String>>) -> &[&str] {
        let texts: Vec<&str> = texts.into_iter().map(|text| self.text(&text.value)).collect();
        self.list(&texts)
    }

    fn subcommands(&self, subcommands: &[At<String>]) -> &[&[&str]] {
        let of_text = |subcommand: &At<String>| {
            let words: Vec<&str> = subcommand.value.split_whitespace().map(|word| self.text(word)).collect();
            self.list(&words)
        };
        let subcommands: Vec<&[&str]> = subcommands.iter().map(of_text).collect();
        self.list(&subcommands)
    }

    fn words<W: Copy>(&self, words: &[At<String>]) -> &[W]
    where
        OfCommands<W>: Words,
    {
        let words = words.iter().filter_map(|word| OfCommands::from_word(&word.value));
        let words: Vec<W> = words.map(|OfCommands(word)| word).collect();
        self.list(&words)
    }
}

/// Compiles the rules of manifests that have no errors.
pub fn compile<'b>(manifests: &[CommandsManifest], arena: &'b Arena) -> RuleSet<'b> {
    let programs = programs(&ProgramTable::EMPTY, manifests, arena);
    let mut set = RuleSet::new(&rules(manifests, arena), &places(manifests, arena), programs);
    set.add_access(&access(manifests, arena));
    set
}

/// Adds what a user's manifests declare to what a host has.
pub(super) fn added<'b>(base: &RuleSet<'b>, manifests: &[CommandsManifest], arena: &'b Arena) -> RuleSet<'b> {
    let mut rules = base.clone().with_programs(programs(base.programs(), manifests, arena));
    rules.add_access(&access(manifests, arena));
    rules.add_places(&places(manifests, arena));
    rules.add(&self::rules(manifests, arena));
    rules
}

/// Returns the names in a list of programs, with the members of a group in the place of its name.
fn members<'n>(names: &'n [At<String>], groups: &Groups<'n>) -> impl Iterator<Item = &'n At<String>> {
    names.iter().flat_map(|name| match name.value.strip_prefix(GROUP) {
        Some(group) => groups.get(group).copied().unwrap_or_default(),
        None => std::slice::from_ref(name),
    })
}

/// Compiles the rules, in the author's order.
fn rules<'b>(manifests: &[CommandsManifest], arena: &'b Arena) -> Vec<Rule<'b>> {
    let groups = manifests.iter().flat_map(|manifest| &manifest.groups);
    let groups = groups.map(|group| (group.name.value.as_str(), group.programs.as_slice())).collect();
    manifests.iter().flat_map(|manifest| &manifest.rules).map(|manifest| rule(manifest, &groups, arena)).collect()
}

/// Compiles the places, in the author's order.
fn places<'b>(manifests: &[CommandsManifest], arena: &'b Arena) -> Vec<Place<'b>> {
    let place = |manifest: &PlaceManifest| Place {
        name: arena.text(&manifest.name.value),
        description: arena.text(&manifest.description),
        paths: arena.texts(&manifest.paths),
        except: arena.texts(&manifest.except),
    };
    manifests.iter().flat_map(|manifest| &manifest.places).map(place).collect()
}

/// Compiles what programs need, in the author's order.
fn access<'b>(manifests: &[CommandsManifest], arena: &'b Arena) -> Vec<Access<'b>> {
    let access = |manifest: &AccessManifest| Access {
        programs: arena.texts(&manifest.programs),
        rights: manifest.rights.as_ref().map(|rights| rights.value.0),
        runs_apart: is_set(manifest.runs_apart.as_ref()),
        reads: arena.texts(&manifest.reads),
    };
    manifests.iter().flat_map(|manifest| &manifest.access).map(access).collect()
}

/// Compiles the programs, and adds them to those of a host.
fn programs<'b>(base: &ProgramTable<'b>, manifests: &[CommandsManifest], arena: &'b Arena) -> ProgramTable<'b> {
    if manifests.iter().all(|manifest| manifest.programs.is_empty()) {
        return *base;
    }
    let mut by_name: BTreeMap<&'b str, &'b Program<'b>> = base.entries().iter().copied().collect();
    for manifest in manifests.iter().flat_map(|manifest| &manifest.programs) {
        let program: &'b Program<'b> = arena.0.alloc(program(manifest, arena));
        for name in [&manifest.name].into_iter().chain(&manifest.aliases) {
            by_name.insert(arena.text(&name.value), program);
        }
    }
    let entries: Vec<(&str, &Program<'_>)> = by_name.into_iter().collect();
    ProgramTable::try_new(arena.list(&entries)).expect("the keys of a map are sorted and unique")
}

fn program<'b>(manifest: &ProgramManifest, arena: &'b Arena) -> Program<'b> {
    let mut writes: Vec<Writes<'b>> = Vec::new();
    let (folder, unless) = (arena.texts(&manifest.folder_flags), arena.texts(&manifest.unpacks_unless));
    for word in &manifest.writes {
        writes.extend(WrittenOperands::from_word(&word.value).map(|operands| match operands {
            WrittenOperands::Operands if manifest.writes_unless.is_empty() => Writes::Operands,
            WrittenOperands::Operands => Writes::OperandsUnless(arena.texts(&manifest.writes_unless)),
            WrittenOperands::FirstOperand => Writes::FirstOperand,
            WrittenOperands::LastOperand if manifest.writes_unless.is_empty() => Writes::LastOperand,
            WrittenOperands::LastOperand => Writes::LastOperandUnless(arena.texts(&manifest.writes_unless)),
            WrittenOperands::UrlNames => Writes::UrlNames { with: arena.texts(&manifest.url_names_with), folder },
            WrittenOperands::Unpacked => Writes::Unpacked { with: &[], unless, folder, to_operand: false },
        }));
    }
    if !manifest.writes_with.is_empty() {
        writes.push(Writes::OperandsWith(arena.texts(&manifest.writes_with)));
    }
    for (subcommands, to_operand) in [(&manifest.unpacks_to, true), (&manifest.unpacks_with, false)] {
        if !subcommands.is_empty() {
            writes.push(Writes::Unpacked { with: arena.subcommands(subcommands), unless, folder, to_operand });
        }
    }
    if !manifest.writes_subcommands.is_empty() {
        writes.push(Writes::LastOperandOf(arena.subcommands(&manifest.writes_subcommands)));
    }
    if !manifest.writes_to.is_empty() {
        writes.push(Writes::Values(arena.texts(&manifest.writes_to)));
    }
    writes.extend(manifest.writes_after.iter().map(|text| Writes::After(arena.text(&text.value))));
    let runs: Vec<Runs<'b>> = manifest.runs.iter().filter_map(|manifest| runs(manifest, arena)).collect();
    Program {
        // The name in the table is enough for a program that has only one.
        name: if manifest.aliases.is_empty() { "" } else { arena.text(&manifest.name.value) },
        value_options: arena.texts(&manifest.value_flags),
        options_first: is_set(manifest.options_first.as_ref()),
        last_options: arena.texts(&manifest.last_flags),
        dashless: is_set(manifest.dashless_flags.as_ref()),
        directory_options: arena.texts(&manifest.directory_flags),
        elsewhere: arena.texts(&manifest.elsewhere),
        runs: arena.list(&runs),
        writes: arena.list(&writes),
        script_language: manifest.script_language.as_ref().map(|language| language.value.0),
    }
}

/// Compiles a way to run others. Returns `None` if it has no kind, which was reported before.
fn runs<'b>(manifest: &RunsManifest, arena: &'b Arena) -> Option<Runs<'b>> {
    let skip = manifest.skip.as_ref().map_or(0, |skip| skip.value as usize);
    let shell = manifest.shell.as_ref().map_or(CodeShell::Foreign, |shell| shell.value.0);
    Some(match manifest.kind.as_ref()?.value {
        RunsKind::Operands => Runs::Rest(Rest {
            after: arena.texts(&manifest.after),
            options: arena.texts(&manifest.flags),
            known: is_set(manifest.known.as_ref()),
            except: arena.texts(&manifest.except),
            separator: is_set(manifest.separator.as_ref()),
            skip,
            assignments: is_set(manifest.assignments.as_ref()),
            prefixed: is_set(manifest.prefixed.as_ref()),
            appends: is_set(manifest.appends.as_ref()),
            placeholder: arena.texts(&manifest.placeholder_flags),
            unless: arena.texts(&manifest.unless),
            split: arena.texts(&manifest.split_flags),
        }),
        RunsKind::Code => Runs::Code {
            after: arena.texts(&manifest.after),
            options: arena.texts(&manifest.flags),
            shell,
            first_operand: is_set(manifest.first_operand.as_ref()),
        },
        RunsKind::Joined => {
            Runs::Joined { after: arena.texts(&manifest.after), skip, shell, unless: arena.texts(&manifest.unless) }
        }
        RunsKind::Operand => Runs::Operand { skip, shell },
        RunsKind::Between => Runs::Between {
            starts: arena.texts(&manifest.flags),
            ends: arena.texts(&manifest.ends),
            placeholder: manifest.placeholder.as_ref().map_or("", |text| arena.text(&text.value)),
        },
        RunsKind::Input => Runs::Input { shell },
        RunsKind::Session => Runs::Session(Session {
            after: arena.texts(&manifest.after),
            skip,
            with: arena.texts(&manifest.flags),
            unless: arena.texts(&manifest.unless),
            shell,
        }),
        RunsKind::File => Runs::File {
            after: arena.texts(&manifest.after),
            options: arena.texts(&manifest.flags),
            unless: arena.texts(&manifest.unless),
        },
    })
}

fn rule<'b>(manifest: &RuleManifest, groups: &Groups<'_>, arena: &'b Arena) -> Rule<'b> {
    let programs_of = |names: &[At<String>]| arena.texts(members(names, groups));
    Rule {
        name: arena.text(&manifest.name.value),
        description: arena.text(&manifest.description),
        check: arena.text(&manifest.check),
        verdict: manifest.verdict.as_ref().map_or(Verdict::Ask, |verdict| verdict.value.0),
        can_be_exempted: is_set(manifest.can_be_exempted.as_ref()),
        low_risk: is_set(manifest.low_risk.as_ref()),
        optional: manifest.optional.as_ref().map(|set| arena.text(&set.value)),
        exempts: arena.texts(&manifest.exempts),
        conditions: Conditions {
            programs: programs_of(&manifest.programs),
            program_in: arena.texts(&manifest.program_in),
            without_programs: programs_of(&manifest.without_programs),
            subcommands: arena.subcommands(&manifest.subcommands),
            flags: arena.texts(&manifest.flags),
            only_flags: arena.texts(&manifest.only_flags),
            without_flags: arena.texts(&manifest.without_flags),
            arguments: arena.texts(&manifest.arguments),
            ignore_case: is_set(manifest.ignore_case.as_ref()),
            certain_only: is_set(manifest.certain_only.as_ref()),
            no_operands: is_set(manifest.no_operands.as_ref()),
            operands_in: arena.texts(&manifest.operands_in),
            sources_in: arena.texts(&manifest.sources_in),
            values_in: arena.texts(&manifest.values_in),
            directory_in: arena.texts(&manifest.directory_in),
            operands_outside: arena.texts(&manifest.operands_outside),
            mentions: arena.texts(&manifest.mentions),
            reads: arena.texts(&manifest.reads),
            input_in: arena.texts(&manifest.input_in),
            writes: arena.texts(&manifest.writes),
            unpacks_into: arena.texts(&manifest.unpacks_into),
            input: arena.words(&manifest.input),
            input_from: programs_of(&manifest.input_from),
            file_from: programs_of(&manifest.file_from),
            input_only_from: programs_of(&manifest.input_only_from),
            program_from: programs_of(&manifest.program_from),
            implicit_files: arena.texts(&manifest.implicit_files),
            run_by: programs_of(&manifest.run_by),
            expansions: arena.words(&manifest.expansions),
            variables: arena.texts(&manifest.variables),
            without_variables: arena.texts(&manifest.without_variables),
            statements: arena.words(&manifest.statements),
            script: arena.words(&manifest.script),
            input_lines: arena.texts(&manifest.input_lines),
            folders_after: arena.subcommands(&manifest.folders_after),
            data_in: arena.texts(&manifest.data_in),
            data_from: programs_of(&manifest.data_from),
            without_data: programs_of(&manifest.without_data),
            own_processes: is_set(manifest.own_processes.as_ref()),
            forks_itself: is_set(manifest.forks_itself.as_ref()),
        },
    }
}

fn is_set(flag: Option<&At<bool>>) -> bool {
    flag.is_some_and(|flag| flag.value)
}
