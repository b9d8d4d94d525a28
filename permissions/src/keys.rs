//! The keys of files of permissions.

use toolc_tables::diagnostic::{At, Place};
use toolc_tables::kinds::{Flag, HasName, Json, Jsons, List, Named, Names, Prose, Required, Table, Text, Word};
use toolc_tables::{Reader, table, words};

table! {
    /// A file of permissions.
    #[derive(Debug, Clone)]
    pub struct PermissionsTable {
        /// The rules, with a table for each.
        permissions: List<PermissionTable>,
    }
}

words! {
    /// The verdict about a call.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// The call needs no approval that its tool requires, and no rule in `exempts` asks about it.
        Allow = "allow",
        /// A person decides.
        Ask = "ask",
        /// The call never runs. A person cannot approve it.
        Deny = "deny",
    }
}

table! {
    /// A rule about calls of tools. It matches a call if each of its conditions is met.
    #[derive(Debug, Clone)]
    pub struct PermissionTable {
        /// The name. Must be unique in all files.
        name: Required<Text>,
        /// What such a call does, for the person who is asked and for the model.
        description: Required<Prose>,
        /// The verdict about such a call.
        verdict: Required<Word<Verdict>>,
        /// The rules with `verdict = "ask"` to which this one is an exception. Requires `verdict = "allow"`.
        exempts: Names,
        /// Patterns for names of tools, one of which must match.
        tools: Names,
        /// Patterns for names of tools to which the rule does not apply.
        without_tools: Names,
        /// Patterns for names of toolsets. The tool must belong to one of them.
        toolsets: Names,
        /// Patterns for names of MCP servers. The tool must be one of theirs.
        servers: Names,
        /// Kinds of environments, such as `local` and `docker`. The call must act in one of them.
        environments: Names,
        /// Declared effects of the tool. Each must be as given. A tool of an MCP server has MCP's defaults unless the server is trusted.
        annotations: Table<AnnotationsTable>,
        /// Conditions on arguments, by the name of the parameter. `a.b` is the parameter `b` in the object `a`.
        parameters: Named<ParameterTable>,
        /// Whether the call must have no arguments other than `parameters`. Default: `false`.
        no_other_parameters: Flag,
        /// Examples of calls that the rule must match. They are tried when the file is read.
        matches: List<ExampleTable>,
        /// Examples of similar calls that the rule must not match.
        ignores: List<ExampleTable>,
    }
}

table! {
    /// Declared effects of a tool.
    #[derive(Debug, Clone)]
    pub struct AnnotationsTable {
        /// Whether the tool only reads.
        read_only: Flag,
        /// Whether the tool can destroy data.
        destructive: Flag,
        /// Whether a second call with the same arguments has no further effect.
        idempotent: Flag,
        /// Whether the tool reaches outside of the host: the network, other people.
        open_world: Flag,
    } with {
        /// The beginning of the table.
        place: Place = Reader::place,
    }
}

table! {
    /// Conditions on an argument. Without a condition, the table only names a parameter for `no_other_parameters`.
    #[derive(Debug, Clone)]
    pub struct ParameterTable {
        /// JSON values, one of which the argument must equal.
        is: Jsons,
        /// Patterns, one of which the text must match. `*` stands for any text, `?` for one character, `[...]` for one of several.
        matches: Names,
        /// Patterns, none of which the text may match.
        without: Names,
        /// Patterns of paths. The path must be one of these files, or in one of these folders. `*`, `?` and `[...]` stand for text within a name, `**` for any number of folders, a leading `~` for the home folder. Other paths begin in the working directory.
        within: Names,
        /// Patterns of paths. The path must be outside of all of them.
        outside: Names,
        /// Hosts, one of which the URL must have. `*.example.com` stands for every host below `example.com`.
        hosts: Names,
        /// Hosts, none of which the URL may have.
        without_hosts: Names,
        /// The smallest number.
        minimum: Json,
        /// The largest number.
        maximum: Json,
        /// The number must be larger than this.
        exclusive_minimum: Json,
        /// The number must be smaller than this.
        exclusive_maximum: Json,
    } with {
        /// The name of the parameter.
        name: At<String> = Reader::table_name,
    }
}

impl HasName for ParameterTable {
    fn name(&self) -> &str {
        &self.name.value
    }
}

table! {
    /// An example of a call.
    #[derive(Debug, Clone)]
    pub struct ExampleTable {
        /// The name of the tool.
        tool: Required<Text>,
        /// The arguments. Paths are compared as they are written, in the directory `/work` with the home folder `/home/user`.
        arguments: Json,
        /// The toolset of the tool. Default: that of the shipped tool, or of the server in a name such as `mcp__SERVER__TOOL`.
        toolset: Text,
        /// The kind of environment. Default: `local`.
        environment: Text,
        /// The effects that the tool declares. Default: MCP's.
        annotations: Table<AnnotationsTable>,
    } with {
        /// The beginning of the example.
        place: Place = Reader::place,
    }
}
