//! The keys of `config.toml`. Each is declared here once: the reader, the suggestions, the published JSON Schema and
//! `docs/configuration.md` follow from it, and so do the structs with their values: [`Config`] and its parts.

use toolc_environment::EnvironmentTable;
use toolc_model::ModelTable;
use toolc_tables::Reader;
use toolc_tables::kinds::{
    Amount, Count, Duration, FactValues, Flag, HasName, Named, Names, Section, Text, Texts, TextsByName, WholeNumber,
    Word, WordList,
};
use toolc_tables::{table, words};

table! {
    /// The file `config.toml`.
    pub struct ConfigTable as Config {
        /// The version of the format. Default: the current one, 1.
        version: WholeNumber,
        /// Language models, by name: letters, digits, `-`, `_` and `.`. `main` works on the user's task. `auxiliary` is for summaries and for
        /// the second opinion on commands; by default, `main` is. `--model NAME` selects another one.
        models: Named<ModelTable>,
        /// Toolsets and tools that sessions are granted.
        tools: Section<ToolsTable>,
        /// The values of facts, by name. A fact that is missing has the default that its manifest declares.
        facts: FactValues,
        /// How calls that need approval are decided.
        approval: Section<ApprovalTable>,
        /// Files and folders that are hidden from commands.
        protect: Section<ProtectTable>,
        /// Where tools act.
        environment: Section<EnvironmentTable>,
        /// Limits of the loop.
        agent: Section<AgentTable>,
        /// What requests to models may cost.
        budget: Section<BudgetTable>,
        /// Standing instructions for the model.
        instructions: Section<InstructionsTable>,
        /// What is done with results.
        results: Section<ResultsTable>,
        /// Where plugins are.
        plugins: Section<PluginsTable>,
        /// Where notes are kept.
        memory: Section<MemoryTable>,
        /// MCP servers, whose tools the program uses.
        mcp: Section<McpTable>,
        /// Search of the web, and what may be fetched.
        web: Section<WebTable>,
        /// Where skills of others are found.
        hub: Section<HubTable>,
        /// What is kept of conversations.
        sessions: Section<SessionsTable>,
    }
}

table! {
    /// Toolsets and tools.
    pub struct ToolsTable as Tools {
        /// The toolsets to enable, in addition to those of plugins and MCP servers. Default: `cli`, unless `enable_tools` names tools.
        enable: Names,
        /// The toolsets to disable. Takes precedence over enabling.
        disable: Texts,
        /// The tools to enable in addition to the toolsets.
        enable_tools: Texts,
        /// The tools to disable. Takes precedence over enabling.
        disable_tools: Texts,
        /// How the model finds tools if their definitions take more than a tenth of its context, or more than 20,000 tokens if its size is
        /// unknown. Tools that most conversations need are always shown.
        search: Word<SearchBy> = SearchBy::Toolc,
        /// How the model learns that tools were added, removed or changed during a conversation.
        changes: Word<ToolChanges> = ToolChanges::Resend,
    }
}

words! {
    /// How the model learns that its tools have changed.
    pub enum ToolChanges {
        /// Requests have the new definitions, and the vendor's prompt cache is lost.
        Resend = "resend",
        /// A message at the end of the conversation describes the change, if the API accepts one; otherwise, as `resend`. OpenAI's
        /// Responses accepts added and removed tools; Anthropic accepts all changes, as a beta feature of newer models.
        Append = "append",
    }
}

words! {
    /// How the model finds tools if there are many.
    pub enum SearchBy {
        /// With the three tools of toolc: one finds tools, one describes them, one calls them.
        Toolc = "toolc",
        /// With the search of the vendor, if its API has one; otherwise, as `toolc`.
        Vendor = "vendor",
        /// No search: each request has the definitions of all tools.
        Off = "off",
    }
}

table! {
    /// How calls that need approval are decided.
    pub struct ApprovalTable as Approval {
        /// What happens to a call that needs approval. Default: `ask`, and `deny` where no person can be asked.
        mode: Word<ApprovalMode>,
        /// The sets of rules to switch on, in every mode. Default: none.
        sets: WordList<ApprovalSet>,
        /// The time limit for an answer, after which the call is denied.
        timeout: Duration = "1m",
        /// Whether the auxiliary model can approve commands that only rules with a low risk ask about.
        second_opinion: Flag = false,
    }
}

words! {
    /// What happens to a call that needs approval.
    pub enum ApprovalMode {
        /// A person at the terminal decides about commands that rules know to be dangerous. Without a terminal, the call is denied.
        Ask = "ask",
        /// A person also decides about every command that is not known to be harmless.
        Strict = "strict",
        /// The call is denied, unless it was approved permanently before.
        Deny = "deny",
        /// The call runs, unless a rule denies it. Only for sandboxes in which no command can do damage.
        Off = "off",
    }
}

words! {
    /// A set of rules that the user can switch on.
    pub enum ApprovalSet {
        /// The project's own builds and tests need no approval in the mode `strict`.
        Builds = "builds",
        /// Changes of what runs elsewhere need approval, such as `kubectl apply` and `terraform apply`.
        Deploy = "deploy",
        /// What is sent to other machines needs approval, such as `curl -d` and `scp`.
        Post = "post",
        /// Pushes to other repositories need approval, such as `git push`.
        Push = "push",
        /// Changes of this machine need approval, such as `apt install` and `systemctl restart`.
        System = "system",
    }
}

table! {
    /// Files and folders that are hidden from commands, scripts, background processes and plugins on this machine, where the system allows it
    /// (Linux).
    pub struct ProtectTable as Protect {
        /// The files and folders, such as `~/.ssh`: absolute, or beginning with `~/`. Default: none.
        places: Texts,
        /// Programs that may read some of them, in addition to those that the command rules know, by their names.
        readers: Named<ProtectReaderTable>,
    }
}

table! {
    /// A program that may read places that are hidden from others.
    pub struct ProtectReaderTable as ProtectReader {
        /// The files and folders, with everything in them: absolute, or beginning with `~/`.
        reads: Names,
    } with {
        /// The name of the program.
        name: At<String> = Reader::table_name,
    }
}

table! {
    /// Limits of the loop.
    pub struct AgentTable as Agent {
        /// The maximum number of requests to the model for one task.
        max_iterations: Count = 90,
        /// The percentage of the context at which the conversation is summarised.
        compact_at_percent: Count = 80,
        /// The number of the last messages that a summary leaves as they are.
        keep_messages: Count = 20,
        /// The time that the user has to answer the questions of a call of `clarify`, at most ten minutes.
        question_timeout: Duration = "10m",
        /// Helpers, to which the tool `delegate_task` hands parts of a task.
        helpers: Section<HelpersTable>,
    }
}

table! {
    /// Helpers of a conversation.
    pub struct HelpersTable as Helpers {
        /// The maximum number of helpers of a conversation that work at the same time, at most 10. The others wait.
        at_once: Count = 3,
        /// How many levels of helpers can be below a conversation: with 0 it has none, with 1 helpers cannot have helpers. At most 2.
        levels: WholeNumber = 1,
        /// The maximum number of requests to the model of a helper. They also count for `agent.max_iterations`.
        max_iterations: Count = 50,
        /// The model of helpers.
        model: Word<HelperModel> = HelperModel::Main,
    }
}

words! {
    /// The model of helpers.
    pub enum HelperModel {
        /// The model of the conversation.
        Main = "main",
        /// The auxiliary model.
        Auxiliary = "auxiliary",
    }
}

table! {
    /// What requests to models may cost. The chat asks before a limit is passed; other runs end. Costs follow from the prices of a model, in
    /// their currency: a model without prices counts as free, and a note says so. Limits of tokens count every model.
    pub struct BudgetTable as Budget {
        /// The maximum cost of a conversation. Default: no limit.
        session: Amount,
        /// The maximum cost of a day, of all conversations of the profile together. Default: no limit.
        day: Amount,
        /// The maximum number of tokens of a conversation: of requests and of answers. Default: no limit.
        session_tokens: Count,
        /// The maximum number of tokens of a day, of all conversations of the profile together. Default: no limit.
        day_tokens: Count,
    }
}

table! {
    /// Standing instructions for the model: files in the home folder, and in trusted projects.
    pub struct InstructionsTable as Instructions {
        /// Whether the files are read.
        enabled: Flag = true,
        /// The names of the files. In each folder, the first one that exists is read. Default: `AGENTS.md` and `CLAUDE.md`.
        files: Names,
    }
}

table! {
    /// What is done with results.
    pub struct ResultsTable as Results {
        /// The maximum number of characters of a result that the model receives, for tools that declare no limit, at least 1,000. Default:
        /// 50,000.
        max_chars: Count,
        /// The time for which the whole text of a longer result is kept in `cache/results`.
        keep: Duration = "24h",
    }
}

table! {
    /// Where plugins are.
    pub struct PluginsTable as Plugins {
        /// Folders of plugins, in addition to `plugins` in the home folder. Absolute, or beginning with `~/`.
        folders: Texts,
        /// The names of plugins that are not loaded.
        disable: Texts,
        /// Whether the plugins of a project are loaded, after the project was trusted.
        from_projects: Flag = true,
        /// Whether the plugins of packages are loaded, each after it was trusted.
        from_packages: Flag = true,
    }
}

table! {
    /// Where notes are kept.
    pub struct MemoryTable as Memory {
        /// The plugin that keeps the notes of the tool `memory`. Default: files in `memories` of the home folder.
        plugin: Text,
    }
}

table! {
    /// Search of the web, and what may be fetched. Addresses of this machine, of private networks and of services of a cloud are refused, apart
    /// from `networks`.
    pub struct WebTable as Web {
        /// The search services, in the order in which they are asked until one has results. Default: those that have a key or an address, in
        /// the order `searxng`, `brave`, `tavily`, `exa`, `serper`, `serpapi`, `firecrawl`, `parallel`.
        search: WordList<SearchService>,
        /// The services that read pages which cannot be fetched, in order. They get the address of the page, unless it holds a secret.
        /// Default: `firecrawl`, `tavily` and `exa`, each if it has a key or an address of its own.
        readers: WordList<PageReader>,
        /// The address of a SearXNG server, such as `http://localhost:8888`. Its settings must allow the format `json`. The variable
        /// `SEARXNG_URL` takes precedence.
        searxng: Text,
        /// Private networks whose addresses may be fetched, such as `10.1.0.0/16` or `127.0.0.1`. Default: none.
        networks: Texts,
        /// The further ports of servers that may be asked, such as `"3000"`. The ports 80, 443, 8080 and 8443 are always allowed. Default: none.
        ports: Texts,
        /// Files with certificates of private authorities in PEM, in addition to the public ones. Absolute, or beginning with `~/`.
        ca_files: Texts,
        /// The file with the certificate of this client in PEM, for servers that ask for one. Absolute, or beginning with `~/`.
        client_certificate: Text,
        /// The file with the private key of this certificate, in PEM. It may be the same file.
        client_key: Text,
        /// The hosts that get this certificate, such as `wiki.corp.example`; `corp.example` stands for the names below it, too.
        client_hosts: Texts,
        /// The size of the cache of pages in MiB. With 0, nothing is kept.
        cache_mib: WholeNumber = 128,
        /// The pause between two pages of a host that a crawl reads. A site can demand a longer one, up to 30 seconds.
        crawl_pause: Duration = "250ms",
    }
}

words! {
    /// A search service.
    pub enum SearchService {
        /// Brave Search, with `BRAVE_API_KEY`.
        Brave = "brave",
        /// Exa, with `EXA_API_KEY`.
        Exa = "exa",
        /// Firecrawl, with `FIRECRAWL_API_KEY`, or a server of your own at `FIRECRAWL_API_URL`.
        Firecrawl = "firecrawl",
        /// Parallel, with `PARALLEL_API_KEY`.
        Parallel = "parallel",
        /// `SearXNG`, at `searxng` or `SEARXNG_URL`.
        Searxng = "searxng",
        /// `SerpApi`, with `SERP_API_KEY`.
        Serpapi = "serpapi",
        /// Serper, with `SERPER_API_KEY`.
        Serper = "serper",
        /// Tavily, with `TAVILY_API_KEY`.
        Tavily = "tavily",
        /// A model of xAI that searches, with `XAI_API_KEY`. Each search costs a request to the model.
        Xai = "xai",
    }
}

words! {
    /// A service that reads a page.
    pub enum PageReader {
        /// Exa, with `EXA_API_KEY`.
        Exa = "exa",
        /// Firecrawl, with `FIRECRAWL_API_KEY`, or a server of your own at `FIRECRAWL_API_URL`.
        Firecrawl = "firecrawl",
        /// Jina, with `JINA_API_KEY`, or without a key for fewer pages.
        Jina = "jina",
        /// Tavily, with `TAVILY_API_KEY`.
        Tavily = "tavily",
    }
}

table! {
    /// Where `toolc skills search`, `install` and `update` find skills. What they fetch follows `[web]`: its networks, ports and certificates.
    pub struct HubTable as Hub {
        /// The address of a GitHub Enterprise Server, such as `https://github.example.com`, whose repositories are meant in place of those of
        /// github.com. Its token is in `GH_ENTERPRISE_TOKEN`. Default: github.com.
        github: Text,
        /// The address of the API of ClawHub, or of a registry that speaks it. Default: `https://clawhub.ai/api/v1`.
        clawhub: Text,
        /// The address of the agents of LobeHub, or of a mirror. Default: `https://chat-agents.lobehub.com`.
        lobehub: Text,
        /// The address of skills.sh, which is only searched, or of a mirror. Default: `https://skills.sh`.
        skills_sh: Text,
    }
}

table! {
    /// What is kept of conversations.
    pub struct SessionsTable as Sessions {
        /// Whether conversations are recorded in `state.db`.
        record: Flag = true,
    }
}

table! {
    /// MCP servers.
    pub struct McpTable as Mcp {
        /// The servers, by name: at most 32 letters, digits, `-` and single `_`. A tool of the server `NAME` is called
        /// `mcp__NAME__TOOL`, and the toolset with all of them `mcp-NAME`.
        servers: Named<McpServerTable>,
        /// The address of the registry of npm, which names the version of a package that `npx` runs.
        npm_registry: Text = "https://registry.npmjs.org",
        /// The address of `PyPI`, which names the version of a package that `uvx` runs.
        pypi: Text = "https://pypi.org",
        /// The address of OSV, which knows vulnerable and malicious packages.
        osv: Text = "https://api.osv.dev",
        /// The time for which a session waits at its start until the servers have listed their tools. The tools of slower servers are added
        /// when they are listed.
        start_wait: Duration = "5s",
        /// What `toolc mcp serve NAME` serves to MCP clients, by name: at most 32 letters, digits, `-` and single `_`. `toolc mcp serve`
        /// serves the endpoint `default`.
        endpoints: Named<McpEndpointTable>,
    }
}

table! {
    /// What is served to MCP clients, and to whom.
    pub struct McpEndpointTable as McpEndpoint {
        /// The toolsets that are served. Default: `safe`, unless `tools` names some.
        toolsets: Names,
        /// Tools that are served in addition to the toolsets.
        tools: Names,
        /// The skills of the home folder that are served, by name; `["*"]` serves all. Default: none. Clients get their files as they are.
        skills: Names,
        /// The address for streamable HTTP, such as `127.0.0.1:8931`. Default: the client starts the program, and uses its standard streams.
        http: Text,
        /// The names of variables that hold tokens, usually in `.env`. Each request over HTTP must have one of the tokens. Without any, the
        /// address must be one of this machine.
        token_variables: Texts,
        /// A file with a token on each line: absolute, or beginning with `~/`.
        token_file: Text,
        /// The values of the header `Host` that are accepted besides the addresses of this machine: `example.com` or `example.com:8931`.
        hosts: Texts,
        /// The origins of web pages that can send requests, such as `https://app.example.com`.
        origins: Texts,
        /// The text that clients may show to their models.
        instructions: Text,
        /// The time after which a call continues in the background, if the client knows tasks.
        background_after: Duration = "10s",
        /// The time for which clients may use the list of tools without asking again, at most a day. Default: none, because the tools can
        /// change at any time.
        list_ttl: Duration,
        /// Who may use a list that was kept.
        list_scope: Word<McpListScope> = McpListScope::Private,
    } with {
        /// The name of the endpoint.
        name: At<String> = Reader::table_name,
    }
}

words! {
    /// Who may use a list of tools that was kept.
    pub enum McpListScope {
        /// The client that asked.
        Private = "private",
        /// Everyone who shares a cache with that client, even without a token. It needs `list_ttl`.
        Public = "public",
    }
}

table! {
    /// An MCP server. Either `command` or `url` is required.
    pub struct McpServerTable as McpServer {
        /// The program that is the server: a name that is found in `PATH`, an absolute path, or one that begins with `~/`.
        command: Text,
        /// The arguments of the program. Nothing is expanded in them.
        args: Texts,
        /// The names of the variables that the program gets, in addition to `PATH` and others that most programs need. Their values
        /// are usually in `.env`. `NAME=OTHER` passes the value of the variable `OTHER` under the name `NAME`.
        env: Texts,
        /// Whether the values of variables in `env` are secret, by the names of the variables there. Without an entry, a value is secret if its
        /// name or its form says so.
        variables: Named<McpVariableTable>,
        /// The working directory of the program: absolute, or beginning with `~/`. Default: that of `toolc`.
        directory: Text,
        /// The address of a server with streamable HTTP, such as `https://example.com/mcp`. Redirects are not followed.
        url: Text,
        /// The names of variables that hold the values of HTTP headers, by the names of the headers.
        headers: TextsByName,
        /// The name of the variable that holds a bearer token for the header `Authorization`.
        bearer_variable: Text,
        /// How `toolc mcp login` logs in, if the server requires it and there is no bearer token.
        oauth: Section<McpOauthTable>,
        /// Whether the server is started.
        enabled: Flag = true,
        /// Whether to trust the hints of the server about its tools, such as that a tool only reads, to pass on icons and `_meta` to MCP
        /// clients, and to read its skills without a question, unless the guard finds something in them.
        trusted: Flag = false,
        /// The time limit for a start, until the server has listed its tools.
        start_timeout: Duration = "30s",
        /// The time limit of a call.
        call_timeout: Duration = "2m",
        /// The time limit for your answer to a question of the server. It does not count for `call_timeout`.
        question_timeout: Duration = "5m",
        /// Whether the server may ask the auxiliary model for answers, each of which you approve. Only servers with a protocol version
        /// before 2026-07-28 do.
        sampling: Flag = false,
        /// The tools that are used, by the names that the server gives them. Default: all.
        include: Names,
        /// Tools that are not used, by the names that the server gives them.
        exclude: Texts,
        /// Which changes of the server's definitions are held back until you accept them.
        pinning: Word<McpPinning> = McpPinning::Strict,
        /// Settings of single tools, by the names that the server gives them.
        tools: Named<McpToolTable>,
    } with {
        /// The name of the server.
        name: At<String> = Reader::table_name,
    }
}

table! {
    /// How to log in at an MCP server. Without any key, this program registers itself at the authorization server.
    pub struct McpOauthTable as McpOauth {
        /// The id of a client that you have registered at the authorization server.
        client_id: Text,
        /// The name of the variable that holds the secret of that client.
        client_secret_variable: Text,
        /// The address of a document that describes a client, for authorization servers that know such documents.
        client_metadata_url: Text,
        /// The rights to ask for, instead of those that the server names.
        scopes: Texts,
    }
}

words! {
    /// Which changes of a server's definitions are held back.
    pub enum McpPinning {
        /// Every change.
        Strict = "strict",
        /// Every change except new tools and new optional parameters.
        Additive = "additive",
        /// No change. Suspicious texts are held back nevertheless.
        Off = "off",
    }
}

table! {
    /// Settings of a variable of an MCP server's program.
    pub struct McpVariableTable as McpVariable {
        /// Whether the value is secret: `[secret]` replaces it in results, errors and reports.
        secret: Flag = true,
    } with {
        /// The name of the variable.
        name: At<String> = Reader::table_name,
    }
}

table! {
    /// Settings of a tool of an MCP server.
    pub struct McpToolTable as McpTool {
        /// The parameters that hold a shell command. It is judged by the command rules before each call.
        shell: Names,
        /// Whether parameters that look like shell commands or code, by their names and descriptions, are judged.
        judge: Flag = true,
    } with {
        /// The name of the tool.
        name: At<String> = Reader::table_name,
    }
}

impl HasName for ProtectReaderTable {
    fn name(&self) -> &str {
        &self.name.value
    }
}

impl HasName for McpServerTable {
    fn name(&self) -> &str {
        &self.name.value
    }
}

impl HasName for McpEndpointTable {
    fn name(&self) -> &str {
        &self.name.value
    }
}

impl HasName for McpVariableTable {
    fn name(&self) -> &str {
        &self.name.value
    }
}

impl HasName for McpToolTable {
    fn name(&self) -> &str {
        &self.name.value
    }
}
