//! What a vendor's API says about a call besides its name and arguments.

/// What a vendor's API says about a call besides its name, arguments and id. The API needs it with the result: a host that stores a call
/// must store its origin, too, and restore it with [`ToolCall::with_origin`](crate::ToolCall::with_origin).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct CallOrigin {
    /// The kind of the call.
    pub kind: CallKind,
    /// The id of the program that made the call, if the model wrote a program that the vendor runs: `caller_id` of OpenAI,
    /// `tool_id` of Anthropic. `None` if the model made the call itself.
    pub program: Option<String>,
    /// The namespace of the tool: `namespace` of OpenAI, `toolset_name` of Anthropic. Empty if the API sends none. The name of the
    /// call does not contain it.
    pub namespace: String,
    /// Whether the model continues without the result, which may follow in a later request: `async` of OpenAI.
    pub is_async: bool,
}

/// The kinds of calls, which differ in their arguments and in the form of their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CallKind {
    /// A function, with an object as arguments.
    #[default]
    Function,
    /// A text tool (`custom` of OpenAI), with a text instead of arguments: see [`ToolCall::text`](crate::ToolCall::text).
    Text,
    /// A tool search that the host runs, and whose result adds tools to the conversation. OpenAI's Responses call it `tool_search`. The
    /// other APIs send a function call, whose kind the host sets to this one. The result of the call then becomes references for Anthropic,
    /// and definitions for Gemini's Interactions.
    ToolSearch,
}

/// Who makes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Caller<'a> {
    /// The model.
    Model,
    /// A program of the model that the vendor runs.
    Program {
        /// The id of the program.
        id: &'a str,
    },
    /// A script of the model that a handler of this process runs.
    Script,
}

impl CallOrigin {
    /// A function call of the model itself.
    pub(crate) const MODEL: &'static Self = &Self::of(CallKind::Function);
    /// A call of the model itself with a text.
    pub(crate) const TEXT: &'static Self = &Self::of(CallKind::Text);

    /// Returns the origin of a call of this kind that the model itself makes, without a namespace.
    pub const fn of(kind: CallKind) -> Self {
        Self { kind, program: None, namespace: String::new(), is_async: false }
    }
}
