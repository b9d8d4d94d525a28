//! Finds conditions that are always true or never true. All possible turns are enumerated, given that a fact has one value,
//! that a tool is available wherever its texts appear, and what it and every tool that it refers to require.

use std::collections::BTreeSet;

use toolc::__gen::segment::Atoms;
use toolc::FactValue;
use toolc_lower::schema::Schema;
use toolc_lower::text::atoms::{AtomId, AtomTable, Template, When};
use toolc_lower::text::condition::{self, AtomExpr, Condition};
use toolc_lower::text::template::{self, ParsedFact, Piece};
use toolc_lower::text::turns::turns_with_values;

use super::Lint;
use super::literal::StringLiteral;
use crate::catalog::{Atom, Tool, ToolId, Toolset};
use crate::diagnostic::{At, Place};

/// A condition that is the same in every turn.
pub(super) struct ConstantCondition {
    /// Whether it is never true. If not, it is always true.
    pub never: bool,
    /// The place of the condition.
    pub place: Place,
    /// The reason.
    pub why: String,
    /// The places that explain the reason.
    pub related: Vec<(Place, String)>,
    /// Whether it is the whole value of a property's `when`.
    pub is_key: bool,
    /// Whether only a part of the condition is the same in every turn.
    pub is_part: bool,
}

impl ConstantCondition {
    /// Returns the message about it. `how_often` is "never" or "always".
    pub(super) fn message(&self, how_often: &str) -> String {
        let subject = if self.is_part { "a part of this condition" } else { "this condition" };
        format!("{subject} is {how_often} true")
    }
}

/// The maximum number of findings per tool. A template can repeat one condition thousands of times.
const MAX_FINDINGS: usize = 100;

/// Returns the constant conditions of the catalog.
pub(super) fn constant_conditions(lint: &Lint<'_>) -> Vec<ConstantCondition> {
    let has_conditions = |(_, tool): &(ToolId, &Tool)| !tool.atoms.is_empty();
    let of_tools = lint
        .tools()
        .filter(has_conditions)
        .flat_map(|(id, tool)| check_tool(lint, id, tool).into_iter().take(MAX_FINDINGS));
    let of_toolsets = lint.toolsets().filter_map(|(_, toolset)| check_toolset(lint, toolset));
    of_tools.chain(of_toolsets).collect()
}

type Linked = Condition<usize>;

/// A condition that is true in every turn, or in every turn with a certain tool.
struct KnownCondition {
    /// The atom of that tool.
    given: Option<usize>,
    /// The condition.
    holds: Linked,
    /// The place that declares the condition, with a description.
    origin: (Place, String),
}

struct ConditionChecker<'l> {
    lint: &'l Lint<'l>,
    tool: &'l Tool,
    exprs: Vec<AtomExpr>,
    known: Vec<KnownCondition>,
    /// All turns.
    all: Vec<Atoms>,
    found: Vec<ConstantCondition>,
}

fn check_tool(lint: &Lint<'_>, id: ToolId, tool: &Tool) -> Vec<ConstantCondition> {
    let exprs = tool.manifest.atom_table.atoms.iter().map(|expr| expr.value.clone()).collect();
    let mut checker = ConditionChecker { lint, tool, exprs, known: Vec::new(), all: Vec::new(), found: Vec::new() };
    let own_count = checker.exprs.len();
    checker.require(id, None);
    for (index, atom) in tool.atoms.iter().enumerate() {
        if let Atom::Tool(other) = atom
            && *other != id
        {
            checker.require(*other, Some(index));
        }
    }
    let max_atoms = usize::try_from(Atoms::BITS).unwrap_or(usize::MAX);
    if checker.exprs.len() > max_atoms {
        checker.exprs.truncate(own_count);
        checker.known.retain(|condition| condition.holds.atoms().iter().all(|&&atom| atom < own_count));
    }
    if own_count > max_atoms {
        return Vec::new();
    }
    checker.all = turns(lint, &checker.exprs);
    // A tool that is never available is reported at its own declaration.
    for given in (0..own_count).map(Some) {
        let is_given = |atoms| given.is_some_and(|index| bit(index, atoms));
        let met = |atoms| {
            checker
                .known
                .iter()
                .filter(|condition| condition.given == given)
                .all(|condition| holds(&condition.holds, atoms))
        };
        if !checker.all.iter().any(|&atoms| is_given(atoms) && met(atoms)) {
            checker.known.retain(|condition| condition.given != given);
        }
    }
    let shown = checker.shown();
    let is_shown = !shown.is_empty();
    if let Some(when) = &tool.manifest.requires.when {
        let linked = link(&when.value, &tool.manifest.atom_table, &mut checker.exprs);
        let mut found = checker.evaluate(&linked, when.place, &checker.all, &checker.all);
        if found.is_none() && !is_shown {
            let why = format!("it contradicts the other requirements of `{}`", tool.name());
            found = Some(ConstantCondition {
                never: true,
                place: when.place,
                why,
                related: checker.origins(&linked),
                is_key: false,
                is_part: false,
            });
        }
        checker.found.extend(found);
    }
    checker.alternatives(tool);
    if is_shown {
        checker.texts(&shown);
    }
    checker.found
}

fn check_toolset(lint: &Lint<'_>, toolset: &Toolset) -> Option<ConstantCondition> {
    let when = toolset.manifest.requires.when.as_ref().filter(|_| !toolset.atoms.is_empty())?;
    let mut exprs = toolset.manifest.atom_table.atoms.iter().map(|expr| expr.value.clone()).collect();
    let linked = link(&when.value, &toolset.manifest.atom_table, &mut exprs);
    if exprs.len() > usize::try_from(Atoms::BITS).unwrap_or(usize::MAX) {
        return None;
    }
    let all = turns(lint, &exprs);
    let condition = |never, why, is_part| ConstantCondition {
        never,
        place: when.place,
        why,
        related: Vec::new(),
        is_key: false,
        is_part,
    };
    match verdict(&linked, &all, &all) {
        Some(never) => Some(condition(never, by_itself(never), false)),
        None => constant_part(&linked, &exprs, &all).map(|(never, why)| condition(never, why, true)),
    }
}

/// Returns all turns, given that a fact has one of its declared values.
fn turns(lint: &Lint<'_>, exprs: &[AtomExpr]) -> Vec<Atoms> {
    turns_with_values(exprs, |name| {
        let fact = lint.facts().iter().find(|fact| fact.name.value == name);
        let values = fact.into_iter().flat_map(|fact| &fact.values);
        values.map(|value| FactValue::Text(value.value.clone().into())).collect()
    })
}

/// Finds a part of a condition, of several comparisons, that is the same in every turn. Returns whether it is never true, and why.
fn constant_part(condition: &Linked, exprs: &[AtomExpr], all: &[Atoms]) -> Option<(bool, String)> {
    let parts: &[Linked] = match condition {
        Condition::Atom(_) => return None,
        Condition::Not(inner) => return constant_part(inner, exprs, all),
        Condition::And(parts) | Condition::Or(parts) => parts,
    };
    parts.iter().find_map(|part| {
        if matches!(part, Condition::Atom(_)) {
            return None;
        }
        match verdict(part, all, all) {
            Some(never) => {
                let always = if never { "never" } else { "always" };
                Some((never, format!("its part `{}` is {always} true", shown(part, exprs))))
            }
            None => constant_part(part, exprs, all),
        }
    })
}

fn shown_atom(atom: &AtomExpr) -> String {
    match atom {
        AtomExpr::Tool(name) => format!("tools.{name}"),
        AtomExpr::Fact(name, None) => format!("facts.{name}"),
        AtomExpr::Fact(name, Some((comparison, FactValue::Text(text)))) => {
            format!("facts.{name} {} '{text}'", comparison.sign())
        }
        AtomExpr::Fact(name, Some((comparison, FactValue::Integer(value)))) => {
            format!("facts.{name} {} {value}", comparison.sign())
        }
        AtomExpr::Fact(name, Some((comparison, FactValue::Boolean(value)))) => {
            format!("facts.{name} {} {value}", comparison.sign())
        }
    }
}

/// Returns a condition as a manifest has it.
fn shown(condition: &Linked, exprs: &[AtomExpr]) -> String {
    let joined = |parts: &[Linked], word: &str| {
        let parts = parts.iter().map(|part| match part {
            Condition::Or(_) if word == " and " => format!("({})", shown(part, exprs)),
            _ => shown(part, exprs),
        });
        parts.collect::<Vec<_>>().join(word)
    };
    match condition {
        Condition::Atom(index) => shown_atom(&exprs[*index]),
        Condition::Not(inner) if matches!(**inner, Condition::Atom(_)) => format!("not {}", shown(inner, exprs)),
        Condition::Not(inner) => format!("not ({})", shown(inner, exprs)),
        Condition::And(parts) => joined(parts, " and "),
        Condition::Or(parts) => joined(parts, " or "),
    }
}

impl ConditionChecker<'_> {
    /// Evaluates the conditions of alternatives.
    fn alternatives(&mut self, tool: &Tool) {
        for when in tool.manifest.requires.alternative_conditions() {
            let linked = link(&when.value, &tool.manifest.atom_table, &mut self.exprs);
            let found = self.evaluate(&linked, when.place, &self.all, &self.all);
            self.found.extend(found);
        }
    }

    /// Adds the conditions that are true whenever a tool is available. `given` is its atom, or `None` for the tool itself.
    fn require(&mut self, id: ToolId, given: Option<usize>) {
        let mut seen = BTreeSet::from([id]);
        let mut pending = vec![(id, (self.lint[id].manifest.name.place, "this tool itself".to_owned()))];
        while let Some((id, origin)) = pending.pop() {
            let tool = &self.lint[id];
            let home = &self.lint[tool.home];
            let own_expr = AtomExpr::Tool(tool.name().to_owned());
            if let Some(index) = self.exprs.iter().position(|expr| *expr == own_expr)
                && Some(index) != given
            {
                self.known.push(KnownCondition { given, holds: Condition::Atom(index), origin });
            }
            for (requires, name) in [(&tool.requires, tool.name()), (&home.requires, home.name())] {
                let only = if let [only] = requires.any_tools.as_slice() { Some(only) } else { None };
                for &(other, place) in requires.tools.iter().chain(only) {
                    if seen.insert(other) {
                        pending.push((other, (place, format!("`{name}` requires it"))));
                    }
                }
                let index = |(other, _): &(ToolId, Place)| {
                    let expr = AtomExpr::Tool(self.lint[*other].name().to_owned());
                    Some(Condition::Atom(self.exprs.iter().position(|known| *known == expr)?))
                };
                let any: Option<Vec<Linked>> = requires.any_tools.iter().map(index).collect();
                if let (Some(any), [(_, place), _, ..]) = (any, requires.any_tools.as_slice()) {
                    let origin = (*place, format!("`{name}` requires one of these"));
                    self.known.push(KnownCondition { given, holds: Condition::Or(any), origin });
                }
            }
            let conditions = [
                (&tool.manifest.requires.when, &tool.manifest.atom_table, tool.atoms.is_empty(), tool.name()),
                (&home.manifest.requires.when, &home.manifest.atom_table, home.atoms.is_empty(), home.name()),
            ];
            for (when, atom_table, is_unknown, name) in conditions {
                if let Some(when) = when
                    && !is_unknown
                {
                    let holds = link(&when.value, atom_table, &mut self.exprs);
                    // A requirement that refers to a tool is reported as an error.
                    if holds.atoms().iter().any(|atom| matches!(self.exprs[**atom], AtomExpr::Tool(_))) {
                        continue;
                    }
                    self.known.push(KnownCondition {
                        given,
                        holds,
                        origin: (when.place, format!("`{name}` requires this")),
                    });
                }
            }
        }
    }

    /// Returns the turns that show the tool.
    fn shown(&self) -> Vec<Atoms> {
        let met = |condition: &KnownCondition, atoms| {
            condition.given.is_some_and(|given| !bit(given, atoms)) || holds(&condition.holds, atoms)
        };
        self.all.iter().copied().filter(|&atoms| self.known.iter().all(|condition| met(condition, atoms))).collect()
    }

    fn texts(&mut self, shown: &[Atoms]) {
        let manifest = &self.tool.manifest;
        let of_dialects = manifest.dialect.iter().filter_map(|dialect| dialect.description.as_ref());
        for text in [&manifest.description].into_iter().chain(of_dialects) {
            self.text(text, shown);
        }
        for schema in manifest.roots() {
            self.schema(schema, shown);
        }
    }

    /// Checks the conditions of a schema. `within` are the turns in which the schema appears.
    fn schema(&mut self, schema: &Schema, within: &[Atoms]) {
        if let Some(description) = &schema.description {
            self.text(description, within);
        }
        for when in schema.choices.iter().filter_map(|choice| choice.when.as_ref()) {
            self.when(when, within, false);
        }
        for property in &schema.properties {
            match &property.when {
                None => self.schema(&property.schema, within),
                Some(when) => {
                    let true_turns = self.when(when, within, true);
                    if !true_turns.is_empty() {
                        self.schema(&property.schema, &true_turns);
                    }
                }
            }
        }
        for subschema in schema.subschemas() {
            self.schema(subschema, within);
        }
    }

    /// Checks the condition of a key, and returns the turns in which it is true.
    fn when(&mut self, when: &At<When>, within: &[Atoms], is_key: bool) -> Vec<Atoms> {
        let linked = link(&when.value, &self.tool.manifest.atom_table, &mut self.exprs);
        let found = self.evaluate(&linked, when.place, within, within);
        self.found.extend(found.map(|found| ConstantCondition { is_key, ..found }));
        within.iter().copied().filter(|&atoms| holds(&linked, atoms)).collect()
    }

    fn text(&mut self, text: &At<Template>, within: &[Atoms]) {
        if text.value.iter().any(|piece| matches!(piece, Piece::Choice { .. }))
            && let Some(written) = self.lint.string(text.place)
            && let Ok(pieces) = template::parse(written.value())
        {
            self.pieces(&pieces, &written, within);
        }
    }

    fn pieces(
        &mut self,
        pieces: &[Piece<condition::ParsedAtom, ParsedFact>],
        written: &StringLiteral<'_>,
        within: &[Atoms],
    ) {
        for piece in pieces {
            let Piece::Choice { branches, otherwise } = piece else { continue };
            let mut remaining = within.to_vec();
            for (condition, inner) in branches {
                let spans = condition.atoms();
                let start = spans.iter().map(|atom| atom.span.start).min().unwrap_or_default();
                let end = spans.iter().map(|atom| atom.span.end).max().unwrap_or_default();
                let place = written.place(start..end);
                if remaining.is_empty() {
                    let why = "the branches before it cover every turn".to_owned();
                    self.found.push(ConstantCondition {
                        never: true,
                        place,
                        why,
                        related: Vec::new(),
                        is_key: false,
                        is_part: false,
                    });
                    break;
                }
                let linked = condition.clone().map(&mut |atom| position(&mut self.exprs, atom.atom));
                // The last branch may be written with `elif` instead of `else`.
                let found = self.evaluate(&linked, place, &remaining, within);
                let is_all = found.as_ref().is_some_and(|found| !found.never && !found.is_part);
                self.found.extend(found);
                let (true_turns, others) = remaining.into_iter().partition::<Vec<_>, _>(|&atoms| holds(&linked, atoms));
                if !true_turns.is_empty() {
                    self.pieces(inner, written, &true_turns);
                }
                remaining = others;
                if is_all {
                    break;
                }
            }
            if !remaining.is_empty() {
                self.pieces(otherwise, written, &remaining);
            }
        }
    }

    /// Returns a finding if the condition is never true in the turns `remaining`, or always true in the turns `within`.
    fn evaluate(
        &self,
        condition: &Linked,
        place: Place,
        remaining: &[Atoms],
        within: &[Atoms],
    ) -> Option<ConstantCondition> {
        let Some(never) = verdict(condition, remaining, within) else {
            let (never, why) = constant_part(condition, &self.exprs, &self.all)?;
            return Some(ConstantCondition { never, place, why, related: Vec::new(), is_key: false, is_part: true });
        };
        let (why, related) = if verdict(condition, &self.all, &self.all) == Some(never) {
            (by_itself(never), Vec::new())
        } else if verdict(condition, &self.shown(), &self.shown()) == Some(never) {
            (format!("whenever `{}` is shown, the result is the same", self.tool.name()), self.origins(condition))
        } else {
            ("the enclosing conditions determine it".to_owned(), Vec::new())
        };
        Some(ConstantCondition { never, place, why, related, is_key: false, is_part: false })
    }

    /// Returns the places of the known conditions that refer to the same tools or facts.
    fn origins(&self, condition: &Linked) -> Vec<(Place, String)> {
        let same = |expr: usize, other: usize| match (&self.exprs[expr], &self.exprs[other]) {
            (AtomExpr::Fact(one, _), AtomExpr::Fact(other, _)) => one == other,
            (one, other) => one == other,
        };
        let atoms = condition.atoms();
        let concerns = |condition: &&KnownCondition| {
            condition.holds.atoms().iter().any(|needed| atoms.iter().any(|atom| same(**needed, **atom)))
        };
        let origins = self.known.iter().filter(concerns).map(|condition| condition.origin.clone());
        origins.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Returns `Some(true)` if the condition is never true in the turns `remaining`, and `Some(false)` if it is always true in the turns
/// `within`.
fn verdict(condition: &Linked, remaining: &[Atoms], within: &[Atoms]) -> Option<bool> {
    if remaining.iter().all(|&atoms| !holds(condition, atoms)) {
        return Some(true);
    }
    within.iter().all(|&atoms| holds(condition, atoms)).then_some(false)
}

fn by_itself(never: bool) -> String {
    let reason = if never { "it contradicts itself" } else { "it covers every case" };
    reason.to_owned()
}

/// Translates a condition of a manifest to the atoms of the tool being checked.
fn link(when: &When, atom_table: &AtomTable, exprs: &mut Vec<AtomExpr>) -> Linked {
    when.clone().map(&mut |AtomId(atom)| position(exprs, atom_table.atoms[atom].value.clone()))
}

fn position(exprs: &mut Vec<AtomExpr>, expr: AtomExpr) -> usize {
    exprs.iter().position(|known| *known == expr).unwrap_or_else(|| {
        exprs.push(expr);
        exprs.len() - 1
    })
}

fn holds(condition: &Linked, atoms: Atoms) -> bool {
    condition.holds(&|index| bit(*index, atoms))
}

fn bit(index: usize, atoms: Atoms) -> bool {
    atoms >> index & 1 == 1
}
