//! Finds conditions that are always true or never true. All possible turns are enumerated, given that a fact has one value,
//! that a tool is available wherever its texts appear, and what it and every tool that it refers to require.

use std::collections::BTreeSet;

use toolc::__gen::segment::Atoms;

use super::Lint;
use super::literal::StringLiteral;
use crate::catalog::{Atom, Tool, ToolId, Toolset};
use crate::diagnostic::{At, Place};
use crate::schema::Schema;
use crate::text::atoms::{AtomId, AtomTable, Template, When};
use crate::text::condition::{self, AtomExpr, Condition};
use crate::text::template::{self, ParsedFact, Piece};
use crate::text::turns::turns;

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
}

/// The maximum number of findings per tool. A template can repeat one condition thousands of times.
const MAX_FINDINGS: usize = 100;

/// Returns the constant conditions of the catalog.
pub(super) fn constant_conditions(lint: &Lint<'_>) -> Vec<ConstantCondition> {
    let asks = |(_, tool): &(ToolId, &Tool)| !tool.atoms.is_empty();
    let of_tools =
        lint.tools().filter(asks).flat_map(|(id, tool)| of_tool(lint, id, tool).into_iter().take(MAX_FINDINGS));
    let of_toolsets = lint.toolsets().filter_map(|(_, toolset)| of_toolset(toolset));
    of_tools.chain(of_toolsets).collect()
}

type Linked = Condition<usize>;

/// A condition that is true in every turn, or in every turn with a certain tool.
struct KnownCondition {
    /// The atom of that tool.
    given: Option<usize>,
    /// The condition.
    holds: Linked,
    /// The place that says so, with a description.
    said: (Place, String),
}

struct ConditionChecker<'l> {
    lint: &'l Lint<'l>,
    tool: &'l Tool,
    asked: Vec<AtomExpr>,
    needs: Vec<KnownCondition>,
    /// All turns.
    all: Vec<Atoms>,
    found: Vec<ConstantCondition>,
}

fn of_tool(lint: &Lint<'_>, id: ToolId, tool: &Tool) -> Vec<ConstantCondition> {
    let asked = tool.manifest.atom_table.atoms.iter().map(|asks| asks.value.clone()).collect();
    let mut checker = ConditionChecker { lint, tool, asked, needs: Vec::new(), all: Vec::new(), found: Vec::new() };
    let own = checker.asked.len();
    checker.require(id, None);
    for (index, atom) in tool.atoms.iter().enumerate() {
        if let Atom::Tool(other) = atom
            && *other != id
        {
            checker.require(*other, Some(index));
        }
    }
    let most = usize::try_from(Atoms::BITS).unwrap_or(usize::MAX);
    if checker.asked.len() > most {
        checker.asked.truncate(own);
        checker.needs.retain(|need| need.holds.atoms().iter().all(|&&atom| atom < own));
    }
    if own > most {
        return Vec::new();
    }
    checker.all = turns(&checker.asked);
    // A tool that is never available is reported at its own declaration.
    for given in (0..own).map(Some) {
        let is_there = |atoms| given.is_some_and(|index| bit(index, atoms));
        let met = |atoms| checker.needs.iter().filter(|need| need.given == given).all(|need| holds(&need.holds, atoms));
        if !checker.all.iter().any(|&atoms| is_there(atoms) && met(atoms)) {
            checker.needs.retain(|need| need.given != given);
        }
    }
    let shown = checker.shown();
    let is_shown = !shown.is_empty();
    if let Some(when) = &tool.manifest.requires.when {
        let linked = link(&when.value, &tool.manifest.atom_table, &mut checker.asked);
        let mut found = checker.judged(&linked, when.place, &checker.all, &checker.all);
        if found.is_none() && !is_shown {
            let why = format!("it contradicts the other requirements of `{}`", tool.name());
            found = Some(ConstantCondition {
                never: true,
                place: when.place,
                why,
                related: checker.said(&linked),
                is_key: false,
            });
        }
        checker.found.extend(found);
    }
    if is_shown {
        checker.texts(&shown);
    }
    checker.found
}

fn of_toolset(toolset: &Toolset) -> Option<ConstantCondition> {
    let when = toolset.manifest.requires.when.as_ref().filter(|_| !toolset.atoms.is_empty())?;
    let mut asked = toolset.manifest.atom_table.atoms.iter().map(|asks| asks.value.clone()).collect();
    let linked = link(&when.value, &toolset.manifest.atom_table, &mut asked);
    if asked.len() > usize::try_from(Atoms::BITS).unwrap_or(usize::MAX) {
        return None;
    }
    let all = turns(&asked);
    let never = verdict(&linked, &all, &all)?;
    Some(ConstantCondition { never, place: when.place, why: by_itself(never), related: Vec::new(), is_key: false })
}

impl ConditionChecker<'_> {
    /// Adds what is true whenever a tool is available. `given` is its atom, or `None` for the tool itself.
    fn require(&mut self, id: ToolId, given: Option<usize>) {
        let mut seen = BTreeSet::from([id]);
        let mut pending = vec![(id, (self.lint[id].manifest.name.place, "this tool itself".to_owned()))];
        while let Some((id, said)) = pending.pop() {
            let tool = &self.lint[id];
            let home = &self.lint[tool.home];
            let own = AtomExpr::Tool(tool.name().to_owned());
            if let Some(index) = self.asked.iter().position(|asks| *asks == own)
                && Some(index) != given
            {
                self.needs.push(KnownCondition { given, holds: Condition::Atom(index), said });
            }
            for (requires, name) in [(&tool.requires, tool.name()), (&home.requires, home.name())] {
                let only = if let [only] = requires.any_tools.as_slice() { Some(only) } else { None };
                for &(other, place) in requires.tools.iter().chain(only) {
                    if seen.insert(other) {
                        pending.push((other, (place, format!("`{name}` requires it"))));
                    }
                }
                let index = |(other, _): &(ToolId, Place)| {
                    let asks = AtomExpr::Tool(self.lint[*other].name().to_owned());
                    Some(Condition::Atom(self.asked.iter().position(|asked| *asked == asks)?))
                };
                let any: Option<Vec<Linked>> = requires.any_tools.iter().map(index).collect();
                if let (Some(any), [(_, place), _, ..]) = (any, requires.any_tools.as_slice()) {
                    let said = (*place, format!("`{name}` requires one of these"));
                    self.needs.push(KnownCondition { given, holds: Condition::Or(any), said });
                }
            }
            let conditions = [
                (&tool.manifest.requires.when, &tool.manifest.atom_table, tool.atoms.is_empty(), tool.name()),
                (&home.manifest.requires.when, &home.manifest.atom_table, home.atoms.is_empty(), home.name()),
            ];
            for (when, atom_table, is_unknown, name) in conditions {
                if let (Some(when), false) = (when, is_unknown) {
                    let holds = link(&when.value, atom_table, &mut self.asked);
                    // A requirement that refers to a tool is reported as an error.
                    if holds.atoms().iter().any(|atom| matches!(self.asked[**atom], AtomExpr::Tool(_))) {
                        continue;
                    }
                    self.needs.push(KnownCondition {
                        given,
                        holds,
                        said: (when.place, format!("`{name}` requires this")),
                    });
                }
            }
        }
    }

    /// Returns the turns that show the tool.
    fn shown(&self) -> Vec<Atoms> {
        let met = |need: &KnownCondition, atoms| {
            need.given.is_some_and(|given| !bit(given, atoms)) || holds(&need.holds, atoms)
        };
        self.all.iter().copied().filter(|&atoms| self.needs.iter().all(|need| met(need, atoms))).collect()
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

    /// `within` are the turns in which the schema appears.
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
                    let there = self.when(when, within, true);
                    if !there.is_empty() {
                        self.schema(&property.schema, &there);
                    }
                }
            }
        }
        for below in schema.subschemas() {
            self.schema(below, within);
        }
    }

    /// Checks the condition of a key, and returns the turns in which it is true.
    fn when(&mut self, when: &At<When>, within: &[Atoms], is_key: bool) -> Vec<Atoms> {
        let linked = link(&when.value, &self.tool.manifest.atom_table, &mut self.asked);
        let found = self.judged(&linked, when.place, within, within);
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
            let mut left = within.to_vec();
            for (condition, inner) in branches {
                let spans = condition.atoms();
                let start = spans.iter().map(|atom| atom.span.start).min().unwrap_or_default();
                let end = spans.iter().map(|atom| atom.span.end).max().unwrap_or_default();
                let place = written.place(start..end);
                if left.is_empty() {
                    let why = "the branches before it cover every turn".to_owned();
                    self.found.push(ConstantCondition { never: true, place, why, related: Vec::new(), is_key: false });
                    break;
                }
                let linked = condition.clone().map(&mut |atom| position(&mut self.asked, atom.atom));
                // The last branch may be written with `elif` instead of `else`.
                let found = self.judged(&linked, place, &left, within);
                let is_all = found.as_ref().is_some_and(|found| !found.never);
                self.found.extend(found);
                let (there, others) = left.into_iter().partition::<Vec<_>, _>(|&atoms| holds(&linked, atoms));
                if !there.is_empty() {
                    self.pieces(inner, written, &there);
                }
                left = others;
                if is_all {
                    break;
                }
            }
            if !left.is_empty() {
                self.pieces(otherwise, written, &left);
            }
        }
    }

    /// Returns a finding if the condition is never true in the turns `left`, or always true in the turns `within`.
    fn judged(&self, condition: &Linked, place: Place, left: &[Atoms], within: &[Atoms]) -> Option<ConstantCondition> {
        let never = verdict(condition, left, within)?;
        let (why, related) = if verdict(condition, &self.all, &self.all) == Some(never) {
            (by_itself(never), Vec::new())
        } else if verdict(condition, &self.shown(), &self.shown()) == Some(never) {
            (format!("whenever `{}` is shown, the result is the same", self.tool.name()), self.said(condition))
        } else {
            ("the enclosing conditions determine it".to_owned(), Vec::new())
        };
        Some(ConstantCondition { never, place, why, related, is_key: false })
    }

    /// Returns the places of the known conditions that refer to the same tools or facts.
    fn said(&self, condition: &Linked) -> Vec<(Place, String)> {
        let same = |asks: usize, other: usize| match (&self.asked[asks], &self.asked[other]) {
            (AtomExpr::Fact(one, _), AtomExpr::Fact(other, _)) => one == other,
            (one, other) => one == other,
        };
        let atoms = condition.atoms();
        let concerns = |need: &&KnownCondition| {
            need.holds.atoms().iter().any(|needed| atoms.iter().any(|asked| same(**needed, **asked)))
        };
        let said = self.needs.iter().filter(concerns).map(|need| need.said.clone());
        said.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Returns `Some(true)` if the condition is never true in the turns `left`, and `Some(false)` if it is always true in the turns
/// `within`.
fn verdict(condition: &Linked, left: &[Atoms], within: &[Atoms]) -> Option<bool> {
    if left.iter().all(|&atoms| !holds(condition, atoms)) {
        return Some(true);
    }
    within.iter().all(|&atoms| holds(condition, atoms)).then_some(false)
}

fn by_itself(never: bool) -> String {
    let said = if never { "it contradicts itself" } else { "it covers every case" };
    said.to_owned()
}

/// Translates a condition of a manifest to the atoms of the tool being checked.
fn link(when: &When, atom_table: &AtomTable, asked: &mut Vec<AtomExpr>) -> Linked {
    when.clone().map(&mut |AtomId(atom)| position(asked, atom_table.atoms[atom].value.clone()))
}

fn position(asked: &mut Vec<AtomExpr>, asks: AtomExpr) -> usize {
    asked.iter().position(|known| *known == asks).unwrap_or_else(|| {
        asked.push(asks);
        asked.len() - 1
    })
}

fn holds(condition: &Linked, atoms: Atoms) -> bool {
    condition.holds(&|index| bit(*index, atoms))
}

fn bit(index: usize, atoms: Atoms) -> bool {
    atoms >> index & 1 == 1
}
