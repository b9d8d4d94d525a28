//! The languages whose code is judged, as data for one tokenizer.

/// How a language writes comments, strings and statements.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of a language")]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// The beginnings of comments up to the end of the line.
    pub(crate) line_comments: &'static [&'static str],
    /// The beginnings and ends of other comments.
    pub(crate) block_comments: &'static [(&'static str, &'static str)],
    /// The quotes of strings on one line. A string of the second list can go on over lines.
    pub(crate) quotes: &'static [char],
    pub(crate) long_quotes: &'static [&'static str],
    /// How code is embedded in a string, with the quotes of such strings. In Python, only after the prefix `f`.
    pub(crate) interpolation: Option<(&'static str, &'static str)>,
    pub(crate) has_prefixes: bool,
    /// Whether a backquote begins a command of a shell.
    pub(crate) has_commands: bool,
    /// Whether `/` can begin a regular expression.
    pub(crate) has_patterns: bool,
    /// Whether the end of a line ends a statement.
    pub(crate) lines_end: bool,
    /// Whether names are compared without regard to case, and may have `-` and `::` in them.
    pub(crate) is_command_like: bool,
}

const C_LIKE: Language = Language {
    name: "",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    quotes: &['"', '\''],
    long_quotes: &[],
    interpolation: None,
    has_prefixes: false,
    has_commands: false,
    has_patterns: false,
    lines_end: false,
    is_command_like: false,
};

const HASH_LIKE: Language = Language { line_comments: &["#"], block_comments: &[], lines_end: true, ..C_LIKE };

/// Python.
pub(crate) static PYTHON: Language = Language {
    name: "python",
    long_quotes: &["\"\"\"", "'''"],
    interpolation: Some(("{", "}")),
    has_prefixes: true,
    ..HASH_LIKE
};

/// JavaScript and TypeScript.
pub(crate) static JAVASCRIPT: Language = Language {
    name: "javascript",
    long_quotes: &["`"],
    interpolation: Some(("${", "}")),
    has_patterns: true,
    lines_end: true,
    ..C_LIKE
};

/// The languages, with the ends of names and the words after a fence that stand for them.
pub(crate) static LANGUAGES: &[(&[&str], &Language)] = &[
    (&["py", "pyw", "python", "python3", "pyi", "ipython"], &PYTHON),
    (
        &[
            "js",
            "mjs",
            "cjs",
            "jsx",
            "ts",
            "mts",
            "cts",
            "tsx",
            "javascript",
            "typescript",
            "node",
            "vue",
            "svelte",
            "gs",
            "jxa",
        ],
        &JAVASCRIPT,
    ),
    (
        &["rb", "ruby", "gemspec", "rake"],
        &Language {
            name: "ruby",
            interpolation: Some(("#{", "}")),
            has_commands: true,
            block_comments: &[("=begin", "=end")],
            ..HASH_LIKE
        },
    ),
    (&["pl", "pm", "perl"], &Language { name: "perl", has_commands: true, ..HASH_LIKE }),
    (&["php"], &Language { name: "php", line_comments: &["//", "#"], has_commands: true, ..C_LIKE }),
    (
        &["lua"],
        &Language { name: "lua", line_comments: &["--"], block_comments: &[("--[[", "]]")], lines_end: true, ..C_LIKE },
    ),
    (&["awk", "gawk", "mawk"], &Language { name: "awk", quotes: &['"'], ..HASH_LIKE }),
    (&["r", "jl", "julia", "elixir", "ex", "exs", "nim", "cr", "tcl"], &Language { name: "r", ..HASH_LIKE }),
    (&["go", "golang"], &Language { name: "go", long_quotes: &["`"], lines_end: true, ..C_LIKE }),
    (&["rs", "rust"], &Language { name: "rust", quotes: &['"'], ..C_LIKE }),
    (
        &["java", "kt", "kts", "scala", "groovy", "cs", "csharp", "swift", "dart", "c", "cpp", "cc", "h"],
        &Language { name: "c", ..C_LIKE },
    ),
    (
        &["ps1", "psm1", "powershell", "pwsh", "bat", "cmd", "vbs"],
        &Language { name: "powershell", block_comments: &[("<#", "#>")], is_command_like: true, ..HASH_LIKE },
    ),
    (
        &["applescript", "scpt", "osascript"],
        &Language {
            name: "applescript",
            line_comments: &["--", "#"],
            quotes: &['"'],
            is_command_like: true,
            lines_end: true,
            ..C_LIKE
        },
    ),
];

/// Returns the language with a name or an end of file names.
pub(crate) fn language(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|(names, _)| names.contains(&name)).map(|(_, language)| *language)
}
