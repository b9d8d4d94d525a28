//! Documents of `OpenAPI`, versions 2.0, 3.0 and 3.1: each chosen operation is a tool.

mod operation;
mod references;
mod schema;
mod security;

use std::path::Path;

use globset::GlobSet;
use serde_json::Value;
use toolc_codegen::Failure;

use crate::report::escaped;
use crate::tool::Source;
use operation::Operation;
use references::Documents;

/// The methods of operations.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/// The maximum number of operations.
const MAX_OPERATIONS: usize = 10_000;

/// Which operations of a document are chosen.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The methods, or `all`; none: only `get`.
    pub methods: Vec<String>,
    /// The tags; none: all.
    pub tags: Vec<String>,
    /// The paths; none: all.
    pub paths: Option<GlobSet>,
    /// The beginning of the names of variables.
    pub variables: String,
}

impl Choice {
    fn has(&self, method: &str, path: &str, operation: &Value) -> bool {
        let tags = operation["tags"].as_array();
        let has_tag = |tag: &String| tags.is_some_and(|tags| tags.iter().any(|other| other == tag.as_str()));
        self.has_method(method)
            && (self.tags.is_empty() || self.tags.iter().any(has_tag))
            && self.paths.as_ref().is_none_or(|paths| paths.is_match(path))
    }

    fn has_method(&self, method: &str) -> bool {
        match self.methods.as_slice() {
            [] => method == "get",
            methods => methods.iter().any(|other| other.eq_ignore_ascii_case(method) || other == "all"),
        }
    }
}

/// Returns whether a document is one of `OpenAPI`.
pub fn is_document(document: &Value) -> bool {
    document["openapi"].is_string() || document["swagger"].is_string() || document["swagger"].is_number()
}

/// Reads the chosen operations of a document.
///
/// # Errors
/// If its version is unknown, it has no paths, or no operation is chosen.
pub fn read(document: Value, path: &Path, choice: &Choice, label: &str) -> Result<Source, Failure> {
    let version = document["openapi"].as_str().unwrap_or("2.0").to_owned();
    if !["2.0", "3.0", "3.1", "3.2"].iter().any(|known| version.starts_with(known)) {
        return Err(Failure::new(format!("{label} has the version `{version}` of OpenAPI: expected 2.0, 3.0 or 3.1")));
    }
    if !document["paths"].is_object() {
        return Err(Failure::new(format!("{label} has no `paths`: there are no operations to import")));
    }
    let mut source = Source { label: label.to_owned(), ..Source::default() };
    let documents = Documents::new(document, path);
    let root = documents.root();
    let mut others = 0;
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        let (at, item) = match documents.resolve(&root, item) {
            Ok(found) => found,
            Err(why) => {
                source.broken.push((format!("/paths/{}", escaped(path)), why));
                continue;
            }
        };
        for method in METHODS {
            let Some(operation) = item.get(method).filter(|operation| operation.is_object()) else { continue };
            if !choice.has(method, path, operation) {
                others += usize::from(!choice.has_method(method));
                continue;
            }
            if source.tools.len() >= MAX_OPERATIONS {
                source.broken.push(("/paths".to_owned(), format!("at most {MAX_OPERATIONS} operations are read")));
                return Ok(source);
            }
            let operation =
                Operation { documents: &documents, at: at.clone(), method, path, item: &item, value: operation };
            match operation.tool(choice, &mut source.env) {
                Ok(tool) => source.tools.push(tool),
                Err(why) => source.broken.push((format!("/paths/{}/{method}", escaped(path)), why)),
            }
        }
    }
    if source.tools.is_empty() && source.broken.is_empty() {
        let hint = if others > 0 { format!("; {others} have another method: --method all") } else { String::new() };
        return Err(Failure::new(format!("{label} has no operation that is chosen{hint}")));
    }
    source
        .notes
        .extend((others > 0).then(|| format!("{others} operations with other methods are not chosen: --method all")));
    source.env.sort();
    source.env.dedup_by(|one, other| one.0 == other.0);
    Ok(source)
}
