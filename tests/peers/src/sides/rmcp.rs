//! rmcp: methods of a server in two routers. The list has MCP's form; the transport to and from a client is not measured.

use std::hint::black_box;
use std::sync::OnceLock;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};

use super::Side;
use crate::tools::{DONE, tools};
use server::{Host, Server};

#[path = "../../smallest/rmcp/src/server.rs"]
mod server;
#[path = "../../smallest/rmcp/src/trivial.rs"]
mod trivial;

macro_rules! methods {
    ($($doc:tt $name:ident $tool:ident { $($about:tt $field:ident: [$($type:tt)*],)* })*) => {
        $(
            #[derive(serde::Deserialize, schemars::JsonSchema)]
            struct $tool { $(#[doc = $about] $field: $($type)*),* }
        )*

        #[tool_router(router = others_router)]
        impl Server {
            $(
                #[doc = $doc]
                #[tool]
                fn $name(&self, Parameters(arguments): Parameters<$tool>) -> Result<String, String> {
                    let $tool { $($field),* } = arguments;
                    black_box(($($field,)*));
                    Ok(DONE.to_owned())
                }
            )*
        }
    };
}

tools!(methods);

pub(crate) struct Rmcp {
    router: ToolRouter<Server>,
    /// Needed only for calls.
    host: OnceLock<Host>,
}

impl Rmcp {
    pub(crate) fn new() -> Self {
        Self { router: Server::trivial_router() + Server::others_router(), host: OnceLock::new() }
    }
}

impl Side for Rmcp {
    fn list(&self, show: &mut dyn FnMut(&str)) {
        show(&serde_json::to_string(&self.router.list_all()).expect("tools are JSON"));
    }

    fn call(&self, arguments: &str) -> String {
        let host = self.host.get_or_init(Host::new);
        host.call(&self.router, "trivial", arguments).expect("right arguments")
    }
}
