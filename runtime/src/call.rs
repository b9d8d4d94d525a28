//! One call: what the model asked for, and what a handler may know of it.

/// A model's request to run a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    name: &'a str,
    arguments: &'a str,
    id: &'a str,
    task: &'a str,
}

impl<'a> ToolCall<'a> {
    /// A call of the tool `name` with `arguments`, the JSON text of an object, as the model wrote it.
    pub const fn new(name: &'a str, arguments: &'a str) -> Self {
        Self { name, arguments, id: "", task: "default" }
    }

    /// The id by which the provider's API knows this call. Empty by default.
    #[must_use]
    pub const fn with_id(self, id: &'a str) -> Self {
        Self { id, ..self }
    }

    /// The task to which this call's state belongs. `default` by default.
    #[must_use]
    pub const fn with_task(self, task: &'a str) -> Self {
        Self { task, ..self }
    }

    /// The tool's name, as the model wrote it.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// The id by which the provider's API knows this call; may be empty.
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// The task to which this call's state belongs.
    pub const fn task(&self) -> &'a str {
        self.task
    }

    /// The arguments' JSON text, as the model wrote it.
    pub const fn arguments(&self) -> &'a str {
        self.arguments
    }
}

/// What a handler may know of the call that it answers.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    tool: &'a str,
    request: ToolCall<'a>,
}

impl<'a> Call<'a> {
    /// The context of `request`. The runtime makes one for each call; a handler's test makes its own.
    pub const fn new(request: ToolCall<'a>) -> Self {
        Self { tool: request.name, request }
    }

    /// The context of `request`, which is for the tool that is really called `tool`.
    pub(crate) const fn of(tool: &'a str, request: ToolCall<'a>) -> Self {
        Self { tool, request }
    }

    /// The tool's own name, whatever the model's dialect calls it.
    pub const fn tool(&self) -> &'a str {
        self.tool
    }

    /// The id by which the provider's API knows this call; may be empty.
    pub const fn id(&self) -> &'a str {
        self.request.id
    }

    /// The task to which state that a handler keeps belongs.
    pub const fn task(&self) -> &'a str {
        self.request.task
    }

    /// This, to be taken to another thread.
    pub(crate) fn to_owned_call(self) -> OwnedCall {
        OwnedCall { tool: self.tool.into(), id: self.id().into(), task: self.task().into() }
    }
}

/// A [`Call`] that borrows nothing.
pub(crate) struct OwnedCall {
    tool: String,
    id: String,
    task: String,
}

impl OwnedCall {
    pub(crate) fn borrow(&self) -> Call<'_> {
        Call::new(self.request())
    }

    /// The request for it, by the tool's own name.
    pub(crate) fn request(&self) -> ToolCall<'_> {
        ToolCall::new(&self.tool, "").with_id(&self.id).with_task(&self.task)
    }
}
