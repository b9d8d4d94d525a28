//! Names of parameters that hold code, for the linter and for tools of run time.

/// Names of parameters for shell commands.
pub const COMMANDS: &[&str] = &[
    "bash",
    "bash_command",
    "cli_command",
    "cmd",
    "cmdline",
    "command",
    "command_line",
    "command_string",
    "commands",
    "shell",
    "shell_cmd",
    "shell_command",
    "terminal_command",
];

/// Names of parameters for programs.
pub const PROGRAMS: &[&str] = &[
    "code",
    "code_snippet",
    "javascript",
    "js",
    "js_code",
    "powershell",
    "python",
    "python_code",
    "script",
    "source_code",
    "typescript",
];

/// Names of parameters that may also hold something harmless, so that the description must say that code is run.
pub const AMBIGUOUS: &[&str] = &[
    "args",
    "arguments",
    "argv",
    "body",
    "eval",
    "expr",
    "expression",
    "func",
    "function",
    "input",
    "lambda",
    "program",
    "query",
    "queries",
    "snippet",
    "source",
    "sql",
    "sql_query",
    "statement",
    "statements",
];
