//! MCP (Model Context Protocol), both ways. The tools of servers become tool providers in a registry, and [`server`] serves the tools of
//! sessions to clients.
//!
//! [`Servers`] starts the configured servers and keeps them running. It keeps a registry up to date with their tools. A server is an
//! address, or a program that speaks the protocol on its standard streams. rmcp implements the protocol. This crate decides which
//! statements of a server are believed, shown and passed on.
//!
//! The protocol has two forms. In the protocol with sessions, a connection begins with `initialize`. In the stateless protocol, since
//! version 2026-07-28, each request is independent.

// The modules, in the order of a server's life:
// - `settings` says what to start, and `packages` finds its package.
// - `stdio` and `http` carry messages, which `message` reads. `oauth` adds the tokens of a login. `connect` opens a connection. `probe`
//   ignores late answers while the form of the protocol that the server speaks is found out, and `era` remembers it. `failure` says why
//   a connection failed, and `error` why something else did. `seen` records the last connection and the last problem, and `obstacle` says
//   why a server could not start.
// - `listing`, `definition` and `names` read the tools; `lowered` says what each dialect shows of them. `pins` compares them with those that were accepted. `provider` offers them.
// - `call`, `content` and `output` make calls. `ask` answers what the server asks meanwhile.
// - `skill` says what an entry of a skill must be, and `skills` lists the skills of servers and reads their files.
// - `once` only lists the tools of a server.
// - `supervisor` restarts a server that ended. `servers` looks after all of them.
mod accounts;
mod ask;
mod call;
mod client;
mod connect;
mod content;
mod definition;
mod digits;
mod endpoint;
mod era;
mod error;
mod failure;
mod file;
mod http;
mod listing;
mod lowered;
mod message;
mod nameless;
mod names;
mod oauth;
mod obstacle;
mod once;
mod output;
mod packages;
mod passed_on;
mod pins;
mod probe;
mod provider;
mod report;
mod secrets;
mod seen;
pub mod server;
mod servers;
mod settings;
mod skill;
mod skills;
mod stdio;
mod supervisor;
mod visible;
mod web;

pub use accounts::{log_in, log_out, resolve_package};
pub use ask::{
    Address, Answer, AnswerFuture, Answering, Asker, Choice, Field, FieldKind, Question, QuestionKind, Sample,
    SampleFuture, SampleMessage, SampleRequest, Sampler, TextFormat,
};
pub use endpoint::Endpoint;
pub use error::{ErrorKind, McpError};
pub use names::{check_server_name, tool_name, toolset_name};
pub use once::{ListedTools, list_tools};
pub use output::CheckedSchema;
pub use packages::Package;
pub use pins::{Change, ChangeClass, HeldBack, TextFinding};
pub use report::{LeftOut, ListedTool, SchemaFinding, ServerReport, ServerState, SkillReport};
pub use seen::{LastSeen, SeenConnection, SeenProblem};
pub use servers::Servers;
pub use settings::{Oauth, Packages, PassedVariable, PinPolicy, Pinning, Server, ToolSettings, Transport};
pub use skills::{LeftOutSkill, ServerSkill, ServerSkills, SkillContent, SkillFile, SkillListing};
