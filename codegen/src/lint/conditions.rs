//! Which conditions say nothing: those that never hold, and those that always do. Decided by all the answers that there
//! can be to what one tool asks, knowing that a fact has one value, that the tool itself is there wherever its texts are,
//! and what it and every tool that it asks for require.

use std::collections::BTreeSet;

use toolc::__gen::segment::Atoms;

use super::Lint;
use super::literal::StringLiteral;
use crate::catalog::{Atom, Tool, ToolId, Toolset};
use crate::diagnostic::{At, Place};
use crate::schema::Schema;
use crate::text::atoms::{AtomId, AtomTable, Template, When};
use crate::text::condition::{self, AtomExpr, Condition};
use crate::text::template::{self, Piece, WrittenFact};
use crate::text::turns::turns;

/// A condition that says nothing.
pub(super) struct Idle {
    /// Whether it never holds; if not, it always does.
    pub never: bool,
    /// Where it stands.
    pub place: Place,
    /// Why that is so.
    pub why: String,
    /// What has part in it.
    pub related: Vec<(Place, String)>,
    /// Whether it is all that a key of a property says.
    pub is_key: bool,
}

/// So many of one tool are told: a text that repeats one thousands of times would come to as many findings.
const MOST: usize = 100;

/// Such conditions of the catalog.
pub(super) fn idle(lint: &Lint<'_>) -> Vec<Idle> {
    let asks = |(_, tool): &(ToolId, &Tool)| !tool.atoms.is_empty();
    let of_tools = lint.tools().filter(asks).flat_map(|(id, tool)| of_tool(lint, id, tool).into_iter().take(MOST));
    let of_toolsets = lint.toolsets().filter_map(|(_, toolset)| of_toolset(toolset));
    of_tools.chain(of_toolsets).collect()
}

type Linked = Condition<usize>;

/// What has to hold in every turn, or in every turn with some tool.
struct Need {
    /// The question whether that tool is there.
    given: Option<usize>,
    /// What has to hold.
    holds: Linked,
    /// Where that is said, and in words.
    said: (Place, String),
}

struct Judge<'l> {
    lint: &'l Lint<'l>,
    tool: &'l Tool,
    asked: Vec<AtomExpr>,
    needs: Vec<Need>,
    /// All combinations of answers.
    all: Vec<Atoms>,
    found: Vec<Idle>,
}

fn of_tool(lint: &Lint<'_>, id: ToolId, tool: &Tool) -> Vec<Idle> {
    let asked = tool.manifest.atom_table.atoms.iter().map(|asks| asks.value.clone()).collect();
    let mut judge = Judge { lint, tool, asked, needs: Vec::new(), all: Vec::new(), found: Vec::new() };
    let own = judge.asked.len();
    judge.require(id, None);
    for (index, atom) in tool.atoms.iter().enumerate() {
        if let Atom::Tool(other) = atom
            && *other != id
        {
            judge.require(*other, Some(index));
        }
    }
    let most = usize::try_from(Atoms::BITS).unwrap_or(usize::MAX);
    if judge.asked.len() > most {
        judge.asked.truncate(own);
        judge.needs.retain(|need| need.holds.atoms().iter().all(|&&atom| atom < own));
    }
    if own > most {
        return Vec::new();
    }
    judge.all = turns(&judge.asked);
    // What can never be there is told where it is declared.
    for given in (0..own).map(Some) {
        let is_there = |atoms| given.is_some_and(|index| bit(index, atoms));
        let met = |atoms| judge.needs.iter().filter(|need| need.given == given).all(|need| holds(&need.holds, atoms));
        if !judge.all.iter().any(|&atoms| is_there(atoms) && met(atoms)) {
            judge.needs.retain(|need| need.given != given);
        }
    }
    let shown = judge.shown();
    let is_shown = !shown.is_empty();
    if let Some(when) = &tool.manifest.requires.when {
        let linked = link(&when.value, &tool.manifest.atom_table, &mut judge.asked);
        let mut found = judge.judged(&linked, when.place, &judge.all, &judge.all);
        if found.is_none() && !is_shown {
            let why = format!("not together with what else `{}` requires", tool.name());
            found = Some(Idle { never: true, place: when.place, why, related: judge.said(&linked), is_key: false });
        }
        judge.found.extend(found);
    }
    if is_shown {
        judge.texts(&shown);
    }
    judge.found
}

fn of_toolset(toolset: &Toolset) -> Option<Idle> {
    let when = toolset.manifest.requires.when.as_ref().filter(|_| !toolset.atoms.is_empty())?;
    let mut asked = toolset.manifest.atom_table.atoms.iter().map(|asks| asks.value.clone()).collect();
    let linked = link(&when.value, &toolset.manifest.atom_table, &mut asked);
    if asked.len() > usize::try_from(Atoms::BITS).unwrap_or(usize::MAX) {
        return None;
    }
    let all = turns(&asked);
    let never = verdict(&linked, &all, &all)?;
    Some(Idle { never, place: when.place, why: by_itself(never), related: Vec::new(), is_key: false })
}

impl Judge<'_> {
    /// Takes in what holds wherever a tool is: `given` is the question whether it is there, none for the tool itself.
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
                self.needs.push(Need { given, holds: Condition::Atom(index), said });
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
                    self.needs.push(Need { given, holds: Condition::Or(any), said });
                }
            }
            let conditions = [
                (&tool.manifest.requires.when, &tool.manifest.atom_table, tool.atoms.is_empty(), tool.name()),
                (&home.manifest.requires.when, &home.manifest.atom_table, home.atoms.is_empty(), home.name()),
            ];
            for (when, atom_table, is_unknown, name) in conditions {
                if let (Some(when), false) = (when, is_unknown) {
                    let holds = link(&when.value, atom_table, &mut self.asked);
                    // A requirement that asks for a tool is an error of its own.
                    if holds.atoms().iter().any(|atom| matches!(self.asked[**atom], AtomExpr::Tool(_))) {
                        continue;
                    }
                    self.needs.push(Need { given, holds, said: (when.place, format!("`{name}` requires this")) });
                }
            }
        }
    }

    /// The combinations of answers in turns that show the tool.
    fn shown(&self) -> Vec<Atoms> {
        let met = |need: &Need, atoms| need.given.is_some_and(|given| !bit(given, atoms)) || holds(&need.holds, atoms);
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

    /// `within`: the turns in which the schema is there at all.
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
        for below in schema.below() {
            self.schema(below, within);
        }
    }

    /// The turns in which a key's condition holds.
    fn when(&mut self, when: &At<When>, within: &[Atoms], is_key: bool) -> Vec<Atoms> {
        let linked = link(&when.value, &self.tool.manifest.atom_table, &mut self.asked);
        let found = self.judged(&linked, when.place, within, within);
        self.found.extend(found.map(|found| Idle { is_key, ..found }));
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
        pieces: &[Piece<condition::Written, WrittenFact>],
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
                    let why = "what is asked before it takes every turn".to_owned();
                    self.found.push(Idle { never: true, place, why, related: Vec::new(), is_key: false });
                    break;
                }
                let linked = condition.clone().map(&mut |atom| position(&mut self.asked, atom.asks));
                // The last of several cases may be spelt out instead of being left to `else`.
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

    /// What is to be said of a condition, if it never holds in the turns `left` or always does `within` these.
    fn judged(&self, condition: &Linked, place: Place, left: &[Atoms], within: &[Atoms]) -> Option<Idle> {
        let never = verdict(condition, left, within)?;
        let (why, related) = if verdict(condition, &self.all, &self.all) == Some(never) {
            (by_itself(never), Vec::new())
        } else if verdict(condition, &self.shown(), &self.shown()) == Some(never) {
            (format!("where `{}` is shown, the condition is always true", self.tool.name()), self.said(condition))
        } else {
            ("by what is asked around it, it cannot be otherwise".to_owned(), Vec::new())
        };
        Some(Idle { never, place, why, related, is_key: false })
    }

    /// Where it is said what has to hold beside a condition, as far as both ask for the same.
    fn said(&self, condition: &Linked) -> Vec<(Place, String)> {
        let same = |asks: usize, other: usize| match (&self.asked[asks], &self.asked[other]) {
            (AtomExpr::Fact(one, _), AtomExpr::Fact(other, _)) => one == other,
            (one, other) => one == other,
        };
        let atoms = condition.atoms();
        let concerns =
            |need: &&Need| need.holds.atoms().iter().any(|needed| atoms.iter().any(|asked| same(**needed, **asked)));
        let said = self.needs.iter().filter(concerns).map(|need| need.said.clone());
        said.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Some(true): it never holds in the turns `left`. Some(false): it always does `within` these.
fn verdict(condition: &Linked, left: &[Atoms], within: &[Atoms]) -> Option<bool> {
    if left.iter().all(|&atoms| !holds(condition, atoms)) {
        return Some(true);
    }
    within.iter().all(|&atoms| holds(condition, atoms)).then_some(false)
}

fn by_itself(never: bool) -> String {
    let said = if never { "it contradicts itself" } else { "there is no case in which it does not hold" };
    said.to_owned()
}

/// A condition of some manifest, over the atoms of the tool that is judged.
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
