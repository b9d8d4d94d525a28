//! Findings about definitions that several tools have a copy of. The first copy is reported, and the finding lists the others.

use std::collections::BTreeMap;

use toolc_lower::schema::{Def, DefId, Schema};

use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink};

/// How many other copies a finding shows.
const MAX_SHOWN: usize = 4;

/// Identifies equal findings about equal definitions.
pub(super) type Key = (String, String);

/// Returns the key of a finding about a definition.
pub(super) fn key(message: &str, def: &Def, tool: &Tool) -> Key {
    let json = tool.manifest.defs.full_schema(&def.schema);
    (message.to_owned(), format!("{} {json}", def.name.value))
}

/// Returns every root of a tool's schemas, with the definition whose schema it is.
pub(super) fn roots(tool: &Tool) -> impl Iterator<Item = (Option<(DefId, &Def)>, &Schema)> {
    let manifest = &tool.manifest;
    let others = [&manifest.params].into_iter().chain(&manifest.returns).map(|schema| (None, schema));
    others.chain(manifest.defs.iter().map(|(id, def)| (Some((id, def)), &def.schema)))
}

/// Reports findings, those with equal keys as one.
pub(super) fn report(findings: Vec<(Option<Key>, Diagnostic)>, sink: &Sink) {
    let mut groups: BTreeMap<Key, Vec<Diagnostic>> = BTreeMap::new();
    for (key, found) in findings {
        match key {
            Some(key) => groups.entry(key).or_default().push(found),
            None => sink.push(found),
        }
    }
    for mut group in groups.into_values() {
        group.sort_by_key(|found| found.at.0);
        let mut copies = group.into_iter();
        let Some(mut first) = copies.next() else { continue };
        let count = copies.len();
        for (index, copy) in copies.enumerate() {
            if index < MAX_SHOWN {
                first = first.related(copy.at.0, "the same in this copy");
            }
            first.fix.extend(copy.fix);
        }
        sink.push(if count > MAX_SHOWN {
            first.help(format!("{count} other tools have a copy of this definition"))
        } else {
            first
        });
    }
}
