//! Whatever answers for a list of tools: a generated catalog with its handlers, later an MCP server or a plugin.

use std::fmt;
use std::pin::Pin;

use crate::{Call, Fact, Output, Slots, Tool, ToolError, Toolset};

/// Whatever answers for a list of tools. `cargo xtask gen` writes one around a type that implements the
/// catalog's handler traits.
pub trait Provider: Send + Sync {
    /// Its tools. A tool's position is its index in [`call`](Self::call).
    fn tools(&self) -> &[Tool];

    /// The toolsets that it knows of.
    fn toolsets(&self) -> &[Toolset];

    /// The facts that its tools' conditions and texts ask for.
    fn facts(&self) -> &[Fact] {
        &[]
    }

    /// Runs the tool at `index`. The slots are those of the tool's table, read and valid; whatever is needed
    /// of them is taken before this returns.
    fn call<'a>(&'a self, index: usize, args: Slots<'_>, call: &'a Call<'a>) -> Reply<'a>;
}

/// An answer, now or later.
pub enum Reply<'a> {
    /// A synchronous handler's.
    Ready(Result<Output, ToolError>),
    /// An asynchronous handler's.
    Later(Pin<Box<dyn Future<Output = Result<Output, ToolError>> + Send + 'a>>),
}

impl Reply<'_> {
    /// The answer to an index that the provider does not have: a fault of the caller, never of the model.
    pub fn no_such_tool(index: usize) -> Self {
        Reply::Ready(Err(ToolError::new(format!("this provider has no tool number {index}"))))
    }
}

impl fmt::Debug for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Ready(result) => f.debug_tuple("Ready").field(result).finish(),
            Reply::Later(_) => f.write_str("Later"),
        }
    }
}
