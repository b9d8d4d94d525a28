//! A person's home directory, such as `/home/NAME`, `/Users/NAME` or `C:\Users\NAME`, in a text or value that a model
//! reads. In texts and examples, placeholder names such as `user` or `alice` are allowed. In a `default`, a `const` and the
//! values of an `enum` they are not.
//!
//! ## Why is this bad
//! The directory exists on one machine. A model uses it literally, and the calls fail everywhere else. It also
//! reveals a name.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file, from the project's root."
//! default = "/home/mkowalski/project/notes.txt"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file, from the project's root."
//! default = "~/project/notes.txt"
//! ```

use std::sync::LazyLock;

use regex::Regex;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M020", "hard-coded-home", Some(Level::Warning), Check::Tool(check));

/// A home directory that is not part of a longer path or URL. Group 1 is the directory, and group 2 is the name of its user.
///
/// The pattern consists of: the start of the text, a character that cannot be part of a path, or the `://` of a URL such as
/// `file:///home/NAME`; then the folder of all home directories; then the name.
static HOME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[^\w.~%}\])/-]|://)((?:/home/|/Users/|\b[A-Za-z]:[\\/]+Users[\\/]+)([A-Za-z_](?:[\w.-]*\w)?))")
        .expect("the pattern is valid")
});

/// Names that stand for any user, in upper or lower case.
const PLACEHOLDERS: &[&str] = &[
    "Public",
    "Shared",
    "admin",
    "alice",
    "app",
    "bob",
    "data",
    "default",
    "dev",
    "developer",
    "example",
    "foo",
    "jane",
    "jdoe",
    "john",
    "johndoe",
    "me",
    "my-user",
    "myname",
    "myuser",
    "name",
    "node",
    "project",
    "projects",
    "public",
    "root",
    "runner",
    "somebody",
    "someone",
    "test",
    "ubuntu",
    "user",
    "user1",
    "user_name",
    "username",
    "vscode",
    "work",
    "workspace",
    "xxx",
    "you",
    "your-name",
    "your-username",
    "your_name",
    "your_username",
    "yourname",
    "yourself",
    "yourusername",
];

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let values = tool.manifest.schemas().flat_map(|schema| {
        schema.default.iter().chain(&schema.constant).chain(schema.choices.iter().map(|choice| &choice.value))
    });
    let value_places: Vec<_> = values.map(|value| value.place).collect();
    // Most texts have no path: skip them without running the pattern.
    let may_contain_path = |text: &str| ["/home/", "/Users/", "Users\\"].iter().any(|part| text.contains(part));
    for literal in lint.strings(tool).filter(|literal| may_contain_path(literal.value())) {
        let is_value = value_places.contains(&literal.at);
        for found in HOME.captures_iter(literal.value()) {
            let (Some(home), Some(name)) = (found.get(1), found.get(2)) else { continue };
            let name = name.as_str();
            let is_listed = PLACEHOLDERS.iter().any(|placeholder| placeholder.eq_ignore_ascii_case(name));
            // Such as `YOUR_NAME`.
            let is_upper_case = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            if (is_listed || is_upper_case) && !is_value {
                continue;
            }
            let message = format!("`{}` is the home directory of one user", home.as_str());
            sink.push(
                Diagnostic::new(codes::HARD_CODED_HOME, literal.place(home.range()), message)
                    .help("use a path below `~`, or one relative to a folder that the host chooses"),
            );
        }
    }
}
