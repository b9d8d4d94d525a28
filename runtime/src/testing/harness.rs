//! The whole way of a call, from the JSON text of its arguments to the JSON text of its answer.

use std::fmt::Display;

use super::{Heard, TestResponse};
use crate::call::ToolCall;
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::provider::ToolProvider;
use crate::registry::Registry;
use crate::session::turn::Turn;
use crate::session::{Session, SessionBuilder};
use crate::text::json;
use serde_json::value::RawValue;

/// The tools of one provider in a session of their own: calls take the whole way, as a model's do.
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
/// #         let arguments = arguments.unwrap().into();
/// #         let tool = Tool { name: "shout".into(), toolset: "voice".into(), arguments, ..Tool::default() };
/// #         Shout([tool], [Some(Text::from(r#"{"name":"shout"}"#).into())])
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
/// // A generated catalog's `provider(Handlers::new())`, for example.
/// let harness = Harness::new(Box::new(Shout::new()));
/// assert_reply!(harness.call("shout", json!({ "text": "hello" })), "HELLO");
/// assert_reply!(harness.call("shout", r#"{"text": "#), Err(MalformedArguments, "cut off"));
/// assert_reply!(harness.call("whisper", "{}"), Err(UnknownTool));
/// ```
#[derive(Debug)]
pub struct Harness {
    session: Session,
    dialect: Dialect,
    heard: Heard,
}

impl Harness {
    /// All tools of `provider`, in an environment without variables and programs: what a tool needs is to be put there
    /// with [`with`](Self::with), so that a test does not depend on the machine.
    #[track_caller]
    pub fn new(provider: Box<dyn ToolProvider>) -> Self {
        Self::with(provider, |session| session)
    }

    /// The same, in a session with what `set` sets: its environment, facts, toolsets, hooks, an approver.
    ///
    /// ```
    /// # use toolc::testing::Harness;
    /// use toolc::{Env, ToolProvider};
    ///
    /// fn harness(provider: Box<dyn ToolProvider>) -> Harness {
    ///     let env = Env::empty().with_var("BROWSER_KEY", "for a test").with_program("chromium");
    ///     Harness::with(provider, |session| session.enable(["browser"]).env(env))
    /// }
    /// ```
    ///
    /// # Panics
    /// When the provider cannot be registered, or the session knows no such toolset or fact.
    #[track_caller]
    pub fn with(provider: Box<dyn ToolProvider>, set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Self {
        let has_any = |dialect: &Dialect| provider.definitions(*dialect).iter().any(Option::is_some);
        let dialect = Dialect::ALL.iter().copied().find(has_any).unwrap_or(Dialect::OpenAi);
        let (registry, heard) = (Registry::new(), Heard::default());
        if let Err(collision) = registry.add(provider) {
            panic!("the provider cannot be tested: {collision}");
        }
        let hearing = heard.clone();
        let session = registry.session().env(Env::empty()).on_progress(move |event| hearing.note(event));
        match set(session).build() {
            Ok(session) => Self { session, dialect, heard },
            Err(error) => panic!("the session of the test cannot begin: {error}"),
        }
    }

    /// Calls `tool` with `arguments`: a JSON text, or a [`json!`](super::json). Calls belong to one task, that of the
    /// session.
    pub fn call(&self, tool: &str, arguments: impl Display) -> TestResponse {
        self.send(&ToolCall::new(tool, &arguments.to_string()).with_id("call_1"))
    }

    /// The same, for a call with a task, an id or a switch of its own.
    pub fn send(&self, request: &ToolCall<'_>) -> TestResponse {
        TestResponse::to(request, self.turn().call_blocking(request))
    }

    /// What the model is shown now, in the first dialect in which the provider defines its tools.
    pub fn turn(&self) -> Turn {
        self.session.turn(self.dialect)
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What calls have told of how far they are, in order: as [`Caller::progress`](super::Caller::progress). Nothing
    /// where the test has set an `on_progress` of its own.
    pub fn progress(&self) -> Vec<String> {
        self.heard.all()
    }

    /// The definition of `tool` as a model sees it now, with a line for each value: a text for a snapshot. Keys stand in
    /// the order of the definition, and equal definitions have equal texts.
    ///
    /// # Panics
    /// When the tool is not shown; the message says why.
    #[track_caller]
    pub fn definition(&self, tool: &str, dialect: Dialect) -> String {
        let turn = self.session.turn(dialect);
        let Some(position) = turn.tools().position(|shown| shown == tool) else {
            panic!("{}", turn.unknown(tool));
        };
        match serde_json::from_str::<Vec<&RawValue>>(turn.definitions()) {
            Ok(all) => json::indented(all[position].get()),
            Err(error) => panic!("the definitions are no list of JSON values: {error}"),
        }
    }
}
