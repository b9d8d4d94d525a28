//! Calls through the whole pipeline in a test, from the JSON of the arguments to the JSON of the response.

use std::fmt::Display;

use super::{ProgressLog, TestResponse};
use crate::call::ToolCall;
use crate::data::dialect::Dialect;
use crate::env::Env;
use crate::provider::ToolProvider;
use crate::registry::Registry;
use crate::session::turn::Turn;
use crate::session::{Session, SessionBuilder};
use crate::text::json;
use serde_json::value::RawValue;

/// A session with the tools of one tool provider, for tests. Calls go through the whole pipeline, like those of a model.
///
/// ```
/// use toolc::testing::{Harness, assert_reply, json};
/// # use toolc::schema::Table;
/// # use toolc::args::Slots;
/// # use toolc::catalog::Definition;
/// # use toolc::{Call, Dialect, HandlerReply, Tool, ToolOutput, ToolProvider, Toolset};
/// # struct Shout([Tool; 1], [Option<Definition>; 1]);
/// # impl Shout {
/// #     fn new() -> Self {
/// #         let arguments = Table::from_schema(&json!({
/// #             "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]
/// #         }));
/// #         let arguments = arguments.unwrap();
/// #         let tool = Tool::new("shout", "voice").with_arguments(arguments);
/// #         Shout([tool], [Some(std::borrow::Cow::Borrowed(r#"{"name":"shout"}"#).into())])
/// #     }
/// # }
/// # impl ToolProvider for Shout {
/// #     fn tools(&self) -> &[Tool] { &self.0 }
/// #     fn definitions(&self, _: Dialect) -> &[Option<Definition>] { &self.1 }
/// #     fn toolsets(&self) -> &[Toolset] { &[] }
/// #     fn call<'a>(&'a self, _: usize, mut args: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
/// #         let args: toolc::Value = args.value(0);
/// #         HandlerReply::Ready(Ok(ToolOutput::text(args["text"].as_str().unwrap().to_uppercase())))
/// #     }
/// # }
///
/// // For example, a generated catalog's `provider(Handlers { .. })`.
/// let harness = Harness::new(Box::new(Shout::new()));
/// assert_reply!(harness.call("shout", json!({ "text": "hello" })), "HELLO");
/// assert_reply!(harness.call("shout", r#"{"text": "#), Err(MalformedArguments, "cut off"));
/// assert_reply!(harness.call("whisper", "{}"), Err(UnknownTool));
/// ```
#[derive(Debug)]
pub struct Harness {
    session: Session,
    dialect: Dialect,
    progress: ProgressLog,
}

impl Harness {
    /// Returns a harness with all tools of `provider`. The environment has no variables and programs, so that a test does
    /// not depend on the machine; [`with_session`](Self::with_session) can add those that a tool requires.
    ///
    /// # Panics
    /// Panics if the provider cannot be registered.
    #[track_caller]
    pub fn new(provider: Box<dyn ToolProvider>) -> Self {
        Self::with_session(provider, |session| session)
    }

    /// Returns a harness whose session `configure` sets up: environment, facts, toolsets, hooks, an approver.
    ///
    /// ```
    /// # use toolc::testing::Harness;
    /// use toolc::{Env, ToolProvider};
    ///
    /// fn harness(provider: Box<dyn ToolProvider>) -> Harness {
    ///     let env = Env::empty().with_var("BROWSER_KEY", "for a test").with_program("chromium");
    ///     Harness::with_session(provider, |session| session.enable(["browser"]).env(env))
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics if the provider cannot be registered, or a toolset or fact is unknown.
    #[track_caller]
    pub fn with_session(
        provider: Box<dyn ToolProvider>,
        configure: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Self {
        let has_any = |dialect: &Dialect| provider.definitions(*dialect).iter().any(Option::is_some);
        let dialect = Dialect::ALL.iter().copied().find(has_any).unwrap_or(Dialect::OpenAi);
        let (registry, progress) = (Registry::new(), ProgressLog::default());
        if let Err(error) = registry.add(provider) {
            panic!("cannot register the tool provider of the test: {error}");
        }
        let log = progress.clone();
        let session = registry.session().env(Env::empty()).on_progress(move |event| log.record(event));
        match configure(session).build() {
            Ok(session) => Self { session, dialect, progress },
            Err(error) => panic!("cannot create the session of the test: {error}"),
        }
    }

    /// Calls `tool` with `arguments`: a JSON text, or a [`json!`](super::json) value. The call has the id `call_1`, and belongs
    /// to the session's task.
    pub fn call(&self, tool: &str, arguments: impl Display) -> TestResponse {
        self.send(&ToolCall::new(tool, &arguments.to_string()).with_id("call_1"))
    }

    /// Makes a call that may have its own task, id or cancel handle.
    pub fn send(&self, request: &ToolCall<'_>) -> TestResponse {
        TestResponse::new(request, self.turn().call_blocking(request))
    }

    /// Returns the current turn, in the first dialect in which the provider defines its tools.
    pub fn turn(&self) -> Turn {
        self.session.turn_blocking(self.dialect)
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the progress that calls have reported, in order, like [`Caller::progress`](super::Caller::progress).
    /// Empty if the test has set its own `on_progress`.
    pub fn progress(&self) -> Vec<String> {
        self.progress.all()
    }

    /// Returns the definition of `tool` in the current turn, with one line for each value, for snapshot tests. Keys are in
    /// the order of the definition.
    ///
    /// # Panics
    /// Panics if the tool is not shown. The message has the reason.
    #[track_caller]
    pub fn definition(&self, tool: &str, dialect: Dialect) -> String {
        let turn = self.session.turn_blocking(dialect);
        let Some(position) = turn.tools().position(|shown| shown == tool) else {
            panic!("{}", turn.unknown_tool(tool));
        };
        if !dialect.is_json() {
            return turn.state().find(tool).map(|id| turn.definition(id)).unwrap_or_default();
        }
        match serde_json::from_str::<Vec<&RawValue>>(turn.definitions()) {
            Ok(all) => json::indented(all[position].get(), 0),
            Err(error) => panic!("the definitions are not a JSON array: {error}"),
        }
    }
}
