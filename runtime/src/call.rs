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

    /// The arguments' JSON text, as the model wrote it.
    pub const fn arguments(&self) -> &'a str {
        self.arguments
    }
}

/// What a handler may know of the call that it answers.
#[derive(Debug)]
pub struct Call<'a> {
    request: ToolCall<'a>,
}

impl<'a> Call<'a> {
    /// The context of `request`. The runtime makes one for each call; a handler's test makes its own.
    pub const fn new(request: ToolCall<'a>) -> Self {
        Self { request }
    }

    /// The tool's name.
    pub const fn tool(&self) -> &'a str {
        self.request.name
    }

    /// The id by which the provider's API knows this call; may be empty.
    pub const fn id(&self) -> &'a str {
        self.request.id
    }

    /// The task to which state that a handler keeps belongs.
    pub const fn task(&self) -> &'a str {
        self.request.task
    }
}
