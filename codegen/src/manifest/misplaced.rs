//! Reports files in `manifests/` that are not read as manifests: they would be ignored silently.

use std::sync::Arc;

use toml::de::DeTable;

use crate::diagnostic::codes;
use crate::diagnostic::{Diagnostic, Place, Sink, SourceId, ticked};
use crate::source::{Fault, Kind, OTHER_FORMATS, Source, Sources, likely_manifest};

/// Returns every file that is a manifest, and reports the others.
pub(super) fn manifests<'s>(sources: &'s Sources, sink: &Sink) -> Vec<(SourceId, Kind, &'s Arc<Source>)> {
    let mut manifests = Vec::new();
    for (id, source) in sources.iter_shared() {
        if let Some(Fault::File { message, help }) = &source.fault {
            let name = source.path.rsplit('/').next().unwrap_or_default();
            let found = Diagnostic::new(codes::MISPLACED_FILE, Place::new(id, 0..0), format!("`{name}` {message}"));
            sink.push(found.label("no manifest is read here").help(*help));
        }
        match source.kind {
            None if source.fault.is_some() => {}
            Some(kind) => manifests.push((id, kind, source)),
            None => sink.push(misplaced(id, source)),
        }
    }
    manifests
}

fn misplaced(id: SourceId, source: &Source) -> Diagnostic {
    let (folder, name) = source.path.rsplit_once('/').unwrap_or_default();
    let found = |message| {
        let found = Diagnostic::new(codes::MISPLACED_FILE, Place::new(id, 0..0), message);
        found.label("this file would be ignored")
    };
    if let Some(toml) = likely_manifest(&source.path) {
        let found = found(format!("no manifest is read from `{name}`"));
        // Only the name is wrong if the text is TOML already, which is not read here.
        let is_other_format = OTHER_FORMATS.iter().any(|format| name.to_ascii_lowercase().ends_with(format));
        return found.help(if is_other_format {
            format!("manifests are TOML files: convert it to `{toml}`")
        } else {
            format!("rename it to `{toml}`")
        });
    }
    let to = ticked(&places_for(folder, &source.stem, &source.text), " or ");
    found(format!("no manifest is read in `{folder}`")).help(format!("move `{}` to {to}", source.path))
}

/// Returns the folders or files where a manifest may belong, judging by its keys, and by the name of its folder or file if the keys are
/// ambiguous.
fn places_for(folder: &str, stem: &str, text: &str) -> Vec<&'static str> {
    let document = DeTable::parse_recoverable(text).0;
    let known = |kind: Kind| {
        let is_known = |name: &str| kind.keys().iter().copied().flatten().any(|key| key.name == name);
        document.get_ref().keys().filter(|name| is_known(name.get_ref())).count()
    };
    let max_known = Kind::ALL.into_iter().map(known).max().unwrap_or_default();
    let fits = |kind: Kind| if max_known > 0 { known(kind) == max_known } else { kind.place().ends_with('/') };
    let (fitting, others): (Vec<Kind>, Vec<Kind>) = Kind::ALL.into_iter().partition(|kind| fits(*kind));
    let [fitting, others] = [fitting, others].map(|kinds| kinds.into_iter().map(Kind::place).collect::<Vec<_>>());
    let nearest_place = |places: &[&'static str]| {
        let base_name = |place: &'static str| place.trim_end_matches('/').trim_end_matches(".toml").rsplit('/').next();
        let written = [folder.rsplit('/').next().unwrap_or_default(), stem];
        let near = written
            .iter()
            .flat_map(|name| toolc::suggest::nearest(name, places.iter().filter_map(|place| base_name(place))))
            .next()?;
        places.iter().copied().find(|place| base_name(place) == Some(near))
    };
    match nearest_place(&fitting).or_else(|| nearest_place(&others).filter(|_| fitting.len() > 1)) {
        Some(place) => vec![place],
        None => fitting,
    }
}
