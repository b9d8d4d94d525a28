//! A file of permissions.

use toolc::behaviour::Annotations;
use toolc_tables::Document;
use toolc_tables::diagnostic::InvalidFile;

use crate::check::compile;
use crate::keys::PermissionsTable;
use crate::rule::{Origin, Permission, Trust};

/// How messages refer to the file.
pub(crate) const NOUN: &str = "a file of permissions";

/// A file of permissions that has been read and checked.
#[derive(Debug)]
pub struct PermissionFile {
    path: String,
    pub(crate) document: Document<PermissionsTable>,
    pub(crate) rules: Vec<Permission>,
}

impl PermissionFile {
    /// Reads a file, and tries its examples. `path` is only shown in messages.
    ///
    /// ```
    /// use toolc_permissions::{PermissionFile, Trust};
    ///
    /// let text = r#"
    ///     [[permissions]]
    ///     name = "secrets"
    ///     description = "Writes into the folder of secrets."
    ///     verdict = "deny"
    ///     tools = ["write_file"]
    ///     parameters.path.within = ["secrets"]
    ///     matches = [{ tool = "write_file", arguments = { path = "secrets/a" } }]
    ///     ignores = [{ tool = "write_file", arguments = { path = "src/a" } }]
    /// "#;
    /// assert_eq!(PermissionFile::read("permissions.toml", text, Trust::Project).unwrap().rules().len(), 1);
    ///
    /// let wrong = text.replace("within", "witin").replace("deny", "allow");
    /// let error = PermissionFile::read("permissions.toml", &wrong, Trust::Project).unwrap_err().to_string();
    /// assert!(error.contains("did you mean `within`?") && error.contains("cannot allow anything"), "{error}");
    /// ```
    ///
    /// # Errors
    /// Returns all findings. None of the rules may be used then.
    pub fn read(path: &str, text: &str, trust: Trust) -> Result<Self, InvalidFile> {
        Self::read_with(path, text, trust, |_| None)
    }

    /// Does the same as [`read`](Self::read). `find` returns the toolset and the effects of tools that examples name.
    ///
    /// # Errors
    /// Like [`read`](Self::read).
    pub fn read_with(
        path: &str,
        text: &str,
        trust: Trust,
        find: impl Fn(&str) -> Option<(String, Annotations)>,
    ) -> Result<Self, InvalidFile> {
        let mut rules = Vec::new();
        let document = Document::<PermissionsTable>::read(NOUN, path, text, |table, sink| {
            rules = compile(table, trust, sink, &find);
        })?;
        for (rule, table) in rules.iter_mut().zip(&document.table.permissions) {
            let start = table.name.as_ref().map_or(0, |name| name.place.span().start);
            let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
            rule.origin = Origin::File { path: path.to_owned(), line };
        }
        Ok(Self { path: path.to_owned(), document, rules })
    }

    /// Returns whether this is the path that messages show.
    pub fn is_at(&self, path: &str) -> bool {
        self.path == path
    }

    /// Returns the rules.
    pub fn rules(&self) -> &[Permission] {
        &self.rules
    }
}
