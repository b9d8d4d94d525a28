//! Judges a command line by rules, and applies the exceptions among them.

mod components;
mod conditions;
mod data;
mod effects;
mod exception;
mod file;
mod file_words;
mod flow;
mod folder_operands;
mod folders;
mod followed;
mod functions;
mod line;
mod links;
mod lookups;
mod options;
mod origins;
mod path;
mod path_builder;
mod place_matcher;
mod processes;
mod reach;
mod real;
mod repository;
mod script;
mod searches;
mod set_variables;
mod signature;
mod sources;
mod sql;
mod subject;
mod tail;
mod text;
mod texts;
mod variable;
mod variants;
mod visited;
mod writes;

use crate::certainty::Match;
use crate::doubt::{Doubt, DoubtKind};
use crate::reading::{Program, Reading, Surroundings};
use crate::rules::{Rule, RuleSet, Verdict};
use crate::span::Span;
use crate::syntax::CommandId;
use crate::unfold::unfold;
use line::{Line, MAX_COMMANDS};
use lookups::Lookups;
pub use place_matcher::PlaceMatcher;
pub use reach::reach;
use subject::Subject;

/// The judgement about a line.
#[derive(Debug, Clone)]
pub struct Judgement<'r> {
    /// The strictest verdict of the findings, or [`Verdict::Allow`] if there are none.
    pub verdict: Verdict,
    /// The reasons, the strictest first, and then in the order of the text.
    pub findings: Vec<Finding<'r>>,
    /// The exceptions that apply, in the order of the commands.
    pub exceptions: Vec<Exception<'r>>,
    /// The commands that would run.
    pub reading: Reading,
}

/// A rule that exempts a command from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception<'r> {
    /// The exception: a rule with [`Verdict::Allow`].
    pub rule: &'r Rule<'r>,
    /// The command.
    pub command: CommandId,
    /// The causes of the findings that the exception removed.
    pub exempted: Vec<Cause<'r>>,
}

/// A reason why a person has to decide, or why nothing may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'r> {
    /// The verdict.
    pub verdict: Verdict,
    /// What was found.
    pub cause: Cause<'r>,
    /// The command, or `None` if the finding is about the whole line.
    pub command: Option<CommandId>,
    /// The part of the line that the finding is about.
    pub span: Span,
    /// The file or folder that the finding is about, as an absolute path, if it is certain.
    pub path: Option<String>,
    /// Whether the rule certainly matches. Otherwise, that depends on values that are known only at run time.
    pub is_certain: bool,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause<'r> {
    /// A rule matches.
    Rule(&'r Rule<'r>),
    /// The reader is not certain.
    Doubt(DoubtKind),
    /// The name of a program is known only at run time.
    BuiltName,
}

impl Cause<'_> {
    /// The name of [`Cause::BuiltName`].
    pub const BUILT_NAME: &'static str = "built-name";

    /// Returns the name of the rule or of the doubt, as `exempts` of a rule uses it.
    pub fn name(&self) -> &str {
        match self {
            Self::Rule(rule) => rule.name,
            Self::Doubt(kind) => kind.name(),
            Self::BuiltName => Self::BUILT_NAME,
        }
    }

    /// Returns what the command does. The text of a doubt is a sentence without a capital and a full stop.
    pub fn description(&self) -> &str {
        match self {
            Self::Rule(rule) => rule.description,
            Self::Doubt(kind) => kind.reason(),
            Self::BuiltName => "The name of the program is known only at run time.",
        }
    }
}

/// The maximum number of words, redirections and assignments that are judged, over all commands.
const MAX_WORDS: usize = 1_000;

/// The maximum number of doubts of each kind that are reported. A person needs no more to decide.
const MAX_DOUBTS: usize = 16;

/// Judges a line.
///
/// The verdict is that of the strictest rule that matches. A rule whose match is not certain asks, even if its verdict is to deny.
/// A doubt of the reader also asks.
pub fn judge<'r>(line: &str, rules: &'r RuleSet<'_>, surroundings: &Surroundings<'_>) -> Judgement<'r> {
    let reading = unfold(line, rules.programs(), surroundings);
    let (mut findings, mut exceptions) = (Vec::new(), Vec::new());
    let whole = Span::new(0, line.len());
    {
        let line = Line::new(&reading, rules, surroundings);
        let mut doubts = reading.doubts.clone();
        let mut words = 0;
        for id in reading.ids() {
            let command = reading.command(id);
            words += command.words.len() + command.redirects.len() + command.assignments.len();
            if id >= MAX_COMMANDS || words > MAX_WORDS {
                doubts.push(Doubt { kind: DoubtKind::TooMuchWork, span: command.span });
                break;
            }
            let forms = variants::forms(&line, command);
            words += (forms.len() - 1) * command.words.len();
            let mut found = Vec::new();
            for form in &forms {
                let subject = Subject::with_form(&line, id, form);
                let (mut of_form, exempting) = judge_command(&subject, rules);
                // An exception for one form is not one for the others.
                for rule in exempting {
                    let doubts = if forms.len() == 1 { &mut doubts } else { &mut Vec::new() };
                    let exempted = apply_exception(rule, &subject, &mut of_form, doubts);
                    add_exception(&mut exceptions, Exception { rule, command: id, exempted });
                }
                add_new(&mut found, of_form);
                if let Some(form) = repository::form(&line, form) {
                    add_new(&mut found, judge_command(&Subject::with_form(&line, id, &form), rules).0);
                }
                if let Some(form) = variants::without_environment(&line, form) {
                    words += form.words.len();
                    let of_form = findings_of_form(&Subject::with_form(&line, id, &form), rules);
                    let uncertain = |finding| Finding { verdict: Verdict::Ask, is_certain: false, ..finding };
                    add_new(&mut found, of_form.into_iter().map(uncertain));
                }
            }
            keep_exempted(&mut exceptions, id, &found);
            findings.append(&mut found);
        }
        if line.lookups.as_ref().is_some_and(Lookups::are_exhausted) {
            doubts.push(Doubt { kind: DoubtKind::TooMuchWork, span: whole });
        }
        for kind in DoubtKind::ALL {
            findings.extend(doubts.iter().filter(|doubt| doubt.kind == *kind).take(MAX_DOUBTS).map(finding_of));
        }
    }
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.verdict), !finding.is_certain, finding.span.start));
    let verdict = findings.first().map_or(Verdict::Allow, |finding| finding.verdict);
    Judgement { verdict, findings, exceptions, reading }
}

/// Adds findings whose cause is new, or more certain than before.
fn add_new<'r>(findings: &mut Vec<Finding<'r>>, new: impl IntoIterator<Item = Finding<'r>>) {
    for finding in new {
        match findings.iter_mut().find(|other| other.cause == finding.cause) {
            Some(other) if other.is_certain || !finding.is_certain => {}
            Some(other) => *other = finding,
            None => findings.push(finding),
        }
    }
}

/// Returns the findings about a form of a command that its exceptions leave.
fn findings_of_form<'r>(subject: &Subject<'_>, rules: &'r RuleSet<'_>) -> Vec<Finding<'r>> {
    let (mut findings, exempting) = judge_command(subject, rules);
    for rule in exempting {
        apply_exception(rule, subject, &mut findings, &mut Vec::new());
    }
    findings
}

/// Removes from the exceptions for a command what another of its forms still needs approval for.
fn keep_exempted(exceptions: &mut Vec<Exception<'_>>, command: CommandId, found: &[Finding<'_>]) {
    let is_found = |cause: &Cause<'_>| found.iter().any(|finding| finding.cause == *cause);
    exceptions.iter_mut().filter(|exception| exception.command == command).for_each(|exception| {
        exception.exempted.retain(|cause| !is_found(cause));
    });
    exceptions.retain(|exception| !exception.exempted.is_empty());
}

/// Adds an exception, or what it exempts to the same exception for another form of the command.
fn add_exception<'r>(exceptions: &mut Vec<Exception<'r>>, new: Exception<'r>) {
    match exceptions.iter_mut().find(|known| known.command == new.command && known.rule.name == new.rule.name) {
        Some(known) => {
            let more = new.exempted.into_iter().filter(|cause| !known.exempted.contains(cause));
            known.exempted.extend(more.collect::<Vec<_>>());
        }
        None => exceptions.push(new),
    }
}

/// Returns the findings about one command, and the exceptions whose conditions it certainly meets.
fn judge_command<'r>(subject: &Subject<'_>, rules: &'r RuleSet<'_>) -> (Vec<Finding<'r>>, Vec<&'r Rule<'r>>) {
    let (mut findings, mut exceptions) = (Vec::new(), Vec::new());
    if matches!(subject.command.program, Program::Unknown | Program::Known { built: true, .. }) {
        findings.push(Finding {
            verdict: Verdict::Ask,
            cause: Cause::BuiltName,
            command: Some(subject.id),
            span: subject.command.words.first().map_or(subject.command.span, |word| word.span),
            path: None,
            is_certain: true,
        });
    }
    let is_help = subject.is_help();
    let own_name = subject.name.and(subject.command.program.name());
    for rule in rules.of_program([own_name, subject.name], subject.has(), subject.signature()) {
        // `rm --help` is harmless, but rules without programs still judge what `rm --help > FILE` writes, and an unknown program
        // may ignore the option.
        let is_about_some = !rule.conditions.programs.is_empty() && !rule.conditions.is_about_every_program();
        if is_help && is_about_some && rule.verdict != Verdict::Allow {
            continue;
        }
        let Some(matched) = conditions::check(rule, rules, subject) else { continue };
        // What is read may be something else.
        let is_certain = matched.certainty == Match::Yes && !subject.command.listed;
        if rule.verdict == Verdict::Allow {
            exceptions.extend(is_certain.then_some(rule));
            continue;
        }
        findings.push(Finding {
            verdict: if is_certain { rule.verdict } else { Verdict::Ask },
            cause: Cause::Rule(rule),
            command: Some(subject.id),
            span: matched.span.unwrap_or(subject.command.span),
            path: matched.path,
            is_certain,
        });
    }
    (findings, exceptions)
}

/// Removes the findings and the doubts to which a rule is an exception, as far as they are about its command. Returns their causes.
fn apply_exception<'r>(
    rule: &Rule<'_>,
    subject: &Subject<'_>,
    findings: &mut Vec<Finding<'r>>,
    doubts: &mut Vec<Doubt>,
) -> Vec<Cause<'r>> {
    let mut exempted: Vec<Cause<'r>> = Vec::new();
    let own = subject.command.span;
    let is_inside = |span: Span| own.start <= span.start && span.end <= own.end;
    let mut is_exempt = |cause: Cause<'r>| {
        let is_exempt = rule.exempts.contains(&cause.name()) && can_exempt(rule, cause);
        if is_exempt && !exempted.contains(&cause) {
            exempted.push(cause);
        }
        is_exempt
    };
    findings.retain(|finding| !is_exempt(finding.cause));
    doubts.retain(|doubt| !(is_inside(doubt.span) && is_exempt(Cause::Doubt(doubt.kind))));
    exempted
}

/// Returns whether an exception is about the kinds of files by which the rule was met. One that says nothing of the files that
/// a command writes must not lift what was found about a redirection.
fn can_exempt(exception: &Rule<'_>, cause: Cause<'_>) -> bool {
    let Cause::Rule(rule) = cause else { return true };
    let (own, found) = (&exception.conditions, &rule.conditions);
    (found.writes.is_empty() || !own.writes.is_empty())
        && (found.reads.is_empty() || !own.reads.is_empty())
        && (found.input_in.is_empty() || !own.input_in.is_empty())
}

fn finding_of<'r>(doubt: &Doubt) -> Finding<'r> {
    Finding {
        verdict: Verdict::Ask,
        cause: Cause::Doubt(doubt.kind),
        command: None,
        span: doubt.span,
        path: None,
        is_certain: true,
    }
}
