//! Findings as the protocol has them, with their fixes.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentChanges,
    Location, NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier, Range, TextDocumentEdit, TextEdit, Url,
    WorkspaceEdit,
};
use toolc_codegen::Sources;
use toolc_codegen::diagnostic::{Diagnostic, Level, Place, Places};
use toolc_codegen::fix::replacements;

use crate::text::{self, Encoding};

/// The maximum number of findings of a file that are shown.
const MAX_SHOWN: usize = 500;

/// A finding that the client shows.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) shown: lsp_types::Diagnostic,
    /// The code of the rule or error.
    pub(crate) code: &'static str,
    /// The edits that fix it: the path of each file, and its edits.
    fix: Vec<(String, TextEdit)>,
}

/// Returns the address of a file of the project.
pub(crate) fn address(root: &Path, path: &str) -> Option<Url> {
    Url::from_file_path(root.join(path)).ok()
}

/// Returns the findings by the path of their file.
pub(crate) fn by_file(
    sources: &Sources,
    findings: &[Diagnostic],
    root: &Path,
    encoding: Encoding,
) -> BTreeMap<String, Vec<Found>> {
    let places = Places::new(sources);
    let mut files: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for finding in findings {
        let file = files.entry(sources.get(finding.at.0.source).path.clone()).or_default();
        if file.len() < MAX_SHOWN {
            file.push(found(&places, finding, root, encoding));
        }
    }
    files
}

fn found(places: &Places<'_>, finding: &Diagnostic, root: &Path, encoding: Encoding) -> Found {
    let sources = places.sources;
    let range = |place: Place| text::range(&sources.get(place.source).text, &place.span(), encoding);
    let (place, label) = &finding.at;
    let mut message = finding.message.clone();
    if !label.is_empty() {
        message += &format!(": {label}");
    }
    for help in &finding.help {
        message += &format!("\nhelp: {help}");
    }
    let related = finding.related.iter().filter_map(|(place, label)| {
        let location = Location::new(address(root, &sources.get(place.source).path)?, range(*place));
        Some(DiagnosticRelatedInformation { location, message: label.clone() })
    });
    let related: Vec<_> = related.collect();
    let fix = if finding.fix.is_empty() { Vec::new() } else { replacements(places, finding) };
    let fix =
        fix.into_iter().map(|(place, new)| (sources.get(place.source).path.clone(), TextEdit::new(range(place), new)));
    Found {
        shown: lsp_types::Diagnostic {
            range: range(*place),
            severity: Some(match finding.level {
                Level::Error => DiagnosticSeverity::ERROR,
                Level::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(finding.code.to_string())),
            source: Some("toolc".to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..lsp_types::Diagnostic::default()
        },
        code: finding.code.id,
        fix: fix.collect(),
    }
}

/// Returns the fixes of the findings in a range of a file, and one action with all fixes of the file.
pub(crate) fn actions(
    found: &[Found],
    range: Range,
    address: impl Fn(&str) -> Option<(Url, Option<i32>)>,
) -> Vec<CodeActionOrCommand> {
    let overlaps = |found: &&Found| found.shown.range.start <= range.end && range.start <= found.shown.range.end;
    let fixable = || found.iter().filter(|found| !found.fix.is_empty());
    let mut actions: Vec<CodeActionOrCommand> = fixable()
        .filter(overlaps)
        .filter_map(|found| {
            let action = CodeAction {
                title: title(found),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![found.shown.clone()]),
                edit: Some(workspace_edit(found.fix.iter().cloned(), &address)?),
                is_preferred: Some(true),
                ..CodeAction::default()
            };
            Some(CodeActionOrCommand::CodeAction(action))
        })
        .collect();
    let all = compatible(fixable());
    if let Some(edit) = workspace_edit(all.into_iter(), &address).filter(|_| fixable().next().is_some()) {
        actions.push(CodeActionOrCommand::CodeAction(CodeAction {
            title: "Fix all findings of this file that have a fix".to_owned(),
            kind: Some(CodeActionKind::SOURCE_FIX_ALL),
            edit: Some(edit),
            ..CodeAction::default()
        }));
    }
    actions
}

fn title(found: &Found) -> String {
    let message = found.shown.message.lines().next().unwrap_or_default();
    format!("Fix: {message}")
}

/// Returns the edits of the findings that do not touch the edits of earlier ones. Edits of one finding belong together.
fn compatible<'f>(found: impl Iterator<Item = &'f Found>) -> Vec<(String, TextEdit)> {
    let mut chosen: Vec<(String, TextEdit)> = Vec::new();
    for found in found {
        let touches = |(path, edit): &(String, TextEdit)| {
            chosen.iter().any(|(other, before)| {
                other == path && before.range.start <= edit.range.end && edit.range.start <= before.range.end
            })
        };
        if !found.fix.iter().any(touches) {
            chosen.extend(found.fix.iter().cloned());
        }
    }
    chosen
}

/// Returns the edits of files with the versions that they are for.
pub(crate) fn workspace_edit(
    edits: impl Iterator<Item = (String, TextEdit)>,
    address: impl Fn(&str) -> Option<(Url, Option<i32>)>,
) -> Option<WorkspaceEdit> {
    let mut files: HashMap<String, Vec<TextEdit>> = HashMap::new();
    for (path, edit) in edits {
        files.entry(path).or_default().push(edit);
    }
    let edit = |(path, edits): (String, Vec<TextEdit>)| {
        let (uri, version) = address(&path)?;
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version };
        Some(TextDocumentEdit { text_document, edits: edits.into_iter().map(OneOf::Left).collect() })
    };
    let edits: Option<Vec<TextDocumentEdit>> = files.into_iter().map(edit).collect();
    Some(WorkspaceEdit { document_changes: Some(DocumentChanges::Edits(edits?)), ..WorkspaceEdit::default() })
}
