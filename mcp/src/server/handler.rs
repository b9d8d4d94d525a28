//! Answers requests: lists tools, runs calls, asks the client, reads stored results.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CreateTaskResult, CustomRequest, CustomResult,
    DetailedTask, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, GetTaskParams, GetTaskResult, Implementation, InitializeRequestParams, InitializeResult,
    InputRequest, InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, ServerRequest, Tool, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, Peer, PeerRequestOptions, RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use toolc::CallResponse;

use super::cache::{Cache, Cacheable};
use super::calls::{Limits, Next, RunningCall, Start};
use super::conversation::{Conversation, Sessions};
use super::parked::ParkedCalls;
use super::principal::Principal;
use super::questions::{Kind, NotAnswered, Question};
use super::results;
use super::rewritten;
use super::skills::Shelf;
use super::tasks::Tasks;
use super::tools::{LatestList, ListSize};

/// What all connections share.
pub(super) struct Shared {
    pub(super) info: ServerConfig,
    pub(super) sessions: Sessions,
    pub(super) limits: Limits,
    pub(super) background_after: Duration,
    pub(super) list: LatestList,
    pub(super) cache: Cache,
    /// The skills, if the server serves any.
    pub(super) shelf: Option<Shelf>,
    pub(super) parked: ParkedCalls,
    pub(super) tasks: Tasks,
    /// The conversations of clients whose protocol version has no sessions: one for each principal.
    pub(super) conversations: Mutex<HashMap<Principal, Arc<Conversation>>>,
}

/// Answers the requests of a connection.
#[derive(Clone)]
pub(super) struct Handler {
    shared: Arc<Shared>,
    /// The conversation of a client that has sent `initialize`.
    initialized_conversation: Arc<OnceLock<Arc<Conversation>>>,
}

/// Returns what a server says about itself.
pub(super) fn info(name: &str, version: &str, instructions: &str, has_skills: bool) -> ServerConfig {
    let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().enable_tasks();
    let capabilities =
        if has_skills { capabilities.enable_skills_with_directory_read().build() } else { capabilities.build() };
    let info = ServerConfig::new(capabilities).with_server_info(Implementation::new(name, version));
    let info = info.with_protocol_version(ProtocolVersion::V_2025_11_25);
    if instructions.is_empty() { info } else { info.with_instructions(instructions) }
}

fn internal(message: impl Into<Cow<'static, str>>) -> ErrorData {
    ErrorData::internal_error(message, None)
}

/// Returns the sender of a request: the principal that the HTTP server has found for its token, or the process at the other end of the
/// standard streams.
fn principal(context: &RequestContext<RoleServer>) -> Result<Principal, ErrorData> {
    match context.extensions.get::<Parts>() {
        None => Ok(Principal::parent()),
        Some(parts) => {
            parts.extensions.get::<Principal>().cloned().ok_or_else(|| internal("the sender of a request is unknown"))
        }
    }
}

/// Returns whether the protocol version of a request has no sessions.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl Handler {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, initialized_conversation: Arc::default() }
    }

    /// Returns the conversation to which a request belongs: after `initialize` it is the connection's, and otherwise the principal's.
    fn conversation(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Conversation>, ErrorData> {
        let principal = principal(context)?;
        if !is_stateless(context)
            && let Some(own) = self.initialized_conversation.get()
        {
            // The HTTP server has checked it, too.
            let is_owner = own.principal == principal;
            return if is_owner { Ok(Arc::clone(own)) } else { Err(internal("this session belongs to someone else")) };
        }
        self.shared.conversation(principal)
    }

    /// Adds caching hints to an answer that is the same for all clients. Protocol versions with sessions have no such hints.
    fn cached<T: Cacheable>(&self, answer: T, context: &RequestContext<RoleServer>) -> T {
        if is_stateless(context) { self.shared.cache.apply(answer) } else { answer }
    }

    fn shelf(&self) -> Result<Shelf, ErrorData> {
        self.shared
            .shelf
            .clone()
            .ok_or_else(|| ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no skills are served", None))
    }

    async fn list(&self, conversation: &Conversation) -> Result<Arc<ListSize>, ErrorData> {
        self.shared.list.for_turn(&conversation.turn().await)
    }

    /// Starts a call, or continues one that has waited for answers.
    fn begin(
        &self,
        params: &mut CallToolRequestParams,
        conversation: &Conversation,
        context: &RequestContext<RoleServer>,
    ) -> Result<RunningCall, ErrorData> {
        let arguments = rewritten::arguments(params.arguments.take().unwrap_or_default());
        let answers = params.input_responses.take().unwrap_or_default();
        let Some(state) = params.request_state.take() else {
            let (session, task) = (Arc::clone(&conversation.session), Arc::clone(&conversation.task));
            let capabilities = context.client_capabilities();
            let tool = &*params.name;
            let start = Start { session, task, tool, arguments, early_answers: answers, capabilities };
            return conversation.calls.start(&self.shared.limits, start).ok_or_else(busy);
        };
        let parked = self.shared.parked.take(&state, &conversation.principal, &params.name, &arguments);
        let mut call = parked.ok_or_else(|| {
            let text = "invalid `requestState`: it was used before, is too old, or belongs to another call";
            ErrorData::invalid_params(text, None)
        })?;
        // With a wrong answer, the question stays.
        if let Some(Ok(answers)) = call.question.as_ref().map(|question| question.read(&answers)) {
            call.answer(Ok(answers));
        }
        Ok(call)
    }

    /// Runs a call until there is a response for the client.
    async fn drive(
        &self,
        mut call: RunningCall,
        conversation: &Arc<Conversation>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut progress = Progress::new(context);
        let can_have_task = context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks());
        let mut background = std::pin::pin!(tokio::time::sleep(self.shared.background_after));
        // The time limit of an approval can have passed since the question was asked.
        if call.question.as_ref().is_some_and(Question::is_withdrawn) {
            call.question = None;
        }
        let mut has_nothing_to_ask = call.question.is_none();
        loop {
            let next = if has_nothing_to_ask {
                tokio::select! {
                    biased;
                    next = call.next() => next,
                    // Dropping the call cancels it. The client does not wait for the answer.
                    () = context.ct.cancelled() => return Err(internal("the call was cancelled")),
                    () = &mut background, if can_have_task && self.shared.tasks.has_room(&conversation.principal) => {
                        return Ok(self.background(call, conversation));
                    }
                }
            } else {
                has_nothing_to_ask = true;
                Next::Question
            };
            match next {
                Next::Progress { done, total, message } => progress.send(done, total, message).await,
                Next::Question => {
                    if let Some(missing) = missing(&call, context) {
                        let is_handler = call.question.as_ref().is_some_and(|question| question.kind == Kind::Handler);
                        if is_handler && is_stateless(context) {
                            return Err(ErrorData::missing_required_client_capability(missing));
                        }
                        call.answer(Err(NotAnswered::ClientCannotAsk));
                    } else if is_stateless(context) {
                        match self.park(call, conversation) {
                            Ok(result) => return Ok(result.into()),
                            Err(returned) => call = *returned,
                        }
                        call.answer(Err(NotAnswered::Invalid("too many calls wait for answers".to_owned())));
                    } else {
                        ask(&mut call, context).await;
                    }
                }
                Next::Done(response) => return self.finish(&call.tool, conversation, &response).await.map(Into::into),
            }
        }
    }

    async fn finish(
        &self,
        tool: &str,
        conversation: &Conversation,
        response: &CallResponse,
    ) -> Result<rmcp::model::CallToolResult, ErrorData> {
        let list = self.list(conversation).await?;
        results::result(response, list.tool(tool), &conversation.stored)
    }

    fn park(&self, call: RunningCall, conversation: &Conversation) -> Result<InputRequiredResult, Box<RunningCall>> {
        let requests = call.question.as_ref().map(Question::requests);
        let state = self.shared.parked.park(&conversation.principal, call)?;
        Ok(InputRequiredResult::new(requests, Some(state)))
    }

    /// Continues a call as a task.
    fn background(&self, call: RunningCall, conversation: &Arc<Conversation>) -> CallToolResponse {
        let finish = {
            let (shared, tool, conversation) = (Arc::clone(&self.shared), call.tool.clone(), Arc::clone(conversation));
            move |response: &CallResponse| {
                results::result(response, shared.list.tool(&tool).as_ref(), &conversation.stored)
            }
        };
        CreateTaskResult::new(self.shared.tasks.spawn(&conversation.principal, call, Box::new(finish))).into()
    }
}

fn busy() -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, "too many calls are running: try again later", None)
}

impl Shared {
    /// Returns the conversation of a principal whose client has no sessions.
    fn conversation(&self, principal: Principal) -> Result<Arc<Conversation>, ErrorData> {
        let mut conversations = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(conversation) = conversations.get(&principal) {
            return Ok(Arc::clone(conversation));
        }
        let conversation =
            Arc::new(self.sessions.begin(principal.clone(), false).map_err(|error| internal(error.to_string()))?);
        conversations.insert(principal, Arc::clone(&conversation));
        Ok(conversation)
    }
}

/// Returns the capabilities that the client needs for the question of a call and does not have.
fn missing(call: &RunningCall, context: &RequestContext<RoleServer>) -> Option<rmcp::model::ClientCapabilities> {
    call.question.as_ref()?.missing(context.client_capabilities().as_ref())
}

/// Asks a client that has a session, and passes its answers on to the call.
async fn ask(call: &mut RunningCall, context: &RequestContext<RoleServer>) {
    let Some(question) = call.question.as_ref() else { return };
    let mut responses = BTreeMap::new();
    for (key, request) in question.requests() {
        let request = match request {
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            _ => return call.answer(Err(NotAnswered::ClientCannotAsk)),
        };
        let sent = context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let answer = match sent {
            Ok(mut handle) => tokio::select! {
                answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
                () = call.ended() => {
                    let _ = handle.cancel(Some("the call does not wait for the answer any more".to_owned())).await;
                    return;
                }
                () = context.ct.cancelled() => {
                    let _ = handle.cancel(Some("the call was cancelled".to_owned())).await;
                    return;
                }
            },
            Err(error) => Err(error),
        };
        match answer.map(serde_json::to_value) {
            Ok(Ok(answer)) => drop(responses.insert(key, answer)),
            Ok(Err(error)) => return call.answer(Err(NotAnswered::Invalid(error.to_string()))),
            Err(error) => {
                return call.answer(Err(NotAnswered::Invalid(format!("the MCP client did not answer: {error}"))));
            }
        }
    }
    let answers = call.question.as_ref().map(|question| question.read(&responses));
    if let Some(answers) = answers {
        call.answer(answers.map_err(NotAnswered::Invalid));
    }
}

/// The methods that the server answers.
const METHODS: &[&str] = &[
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// The methods that the server answers if it serves skills.
const SKILL_METHODS: &[&str] = &["skills/list", "skills/get", "resources/directory/read"];

/// Returns what is wrong with the parameters of a request, if it is known.
fn reason(request: &CustomRequest) -> String {
    let params = request.params.clone().unwrap_or_default();
    let error = match &*request.method {
        "tools/call" => serde_json::from_value::<CallToolRequestParams>(params).err(),
        "resources/read" => serde_json::from_value::<ReadResourceRequestParams>(params).err(),
        "resources/directory/read" => serde_json::from_value::<ReadResourceDirectoryRequestParams>(params).err(),
        "skills/get" => serde_json::from_value::<GetSkillRequestParams>(params).err(),
        _ => None,
    };
    error.map_or_else(String::new, |error| format!(": {error}"))
}

/// The maximum time that a call waits until a progress notification is sent. Without waiting, its result could overtake the notification.
const PROGRESS_LIMIT: Duration = Duration::from_secs(1);

/// The progress notifications of a request.
struct Progress<'c> {
    peer: &'c Peer<RoleServer>,
    token: Option<rmcp::model::ProgressToken>,
    latest: f64,
}

impl<'c> Progress<'c> {
    fn new(context: &'c RequestContext<RoleServer>) -> Self {
        Self { peer: &context.peer, token: context.meta.get_progress_token(), latest: f64::NEG_INFINITY }
    }

    /// Sends a report, if the client wants them. The protocol requires that progress increases.
    async fn send(&mut self, done: f64, total: Option<f64>, message: String) {
        let Some(token) = &self.token else { return };
        if !done.is_finite() || done <= self.latest {
            return;
        }
        self.latest = done;
        let mut params = ProgressNotificationParam::new(token.clone(), done);
        params.total = total.filter(|total| total.is_finite());
        params.message = Some(message).filter(|message| !message.is_empty());
        // When the client's input has ended, rmcp may never report that it has sent a notification. The call continues and is answered.
        let _ = tokio::time::timeout(PROGRESS_LIMIT, self.peer.notify_progress(params)).await;
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.shared.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let conversation =
            self.shared.sessions.begin(principal(&context)?, true).map_err(|error| internal(error.to_string()))?;
        // A second `initialize` does not replace the conversation.
        let _ = self.initialized_conversation.set(Arc::new(conversation));
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(self.shared.cache.apply(DiscoverResult::from_server_info(versions, self.get_info())))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = self.list(&*self.conversation(&context)?).await?;
        let page = list.page(request.and_then(|request| request.cursor).as_deref())?;
        Ok(self.cached(page, &context))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.list.tool(name)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let conversation = self.conversation(&context)?;
        let call = self.begin(&mut request, &conversation, &context)?;
        self.drive(call, &conversation, &context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        // Clients get links to stored results in the results of calls. A list of them would differ from client to client.
        let resources = match self.shared.shelf.clone() {
            Some(skills) => skills.resources(request.and_then(|request| request.cursor)).await?,
            None => ListResourcesResult::default(),
        };
        Ok(self.cached(resources, &context))
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let page = self.shelf()?.list(request.and_then(|request| request.cursor)).await?;
        Ok(self.cached(page, &context))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        Ok(self.cached(self.shelf()?.get(request.uri).await?, &context))
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(self.cached(self.shelf()?.folder(request.uri, request.cursor).await?, &context))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(self.cached(ListResourceTemplatesResult::default(), &context))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        // The server has no templates. Many clients ask without looking at the capabilities, and report an error as a broken server.
        Ok(self.cached(ListPromptsResult::default(), &context))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name: String = request.name.chars().take(100).collect();
        Err(ErrorData::invalid_params(format!("unknown prompt `{name}`: this server has none"), None))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let conversation = self.conversation(&context)?;
        if let Some(shelf) = self.shared.shelf.clone().filter(|_| Shelf::has_scheme(&request.uri)) {
            return shelf.read(request.uri).await.map(Into::into);
        }
        let read = tokio::task::spawn_blocking(move || conversation.stored.read(&request.uri)).await;
        read.map_err(|error| internal(error.to_string()))?.map(Into::into)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task: DetailedTask = self.shared.tasks.get(&request.task_id, &principal(&context)?)?;
        Ok(GetTaskResult::new(task))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.update(&request.task_id, &principal(&context)?, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.cancel(&request.task_id, &principal(&context)?)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp treats a request with invalid parameters as an unknown request.
        let has_skills = self.shared.shelf.is_some();
        if METHODS.contains(&&*request.method) || has_skills && SKILL_METHODS.contains(&&*request.method) {
            let text = format!("the parameters of `{}` are not valid{}", request.method, reason(&request));
            return Err(ErrorData::invalid_params(text, None));
        }
        let method: String = request.method.chars().take(100).collect();
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`"), None))
    }

    async fn on_initialized(&self, _: NotificationContext<RoleServer>) {}
}
