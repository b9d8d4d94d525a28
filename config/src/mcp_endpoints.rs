//! The endpoints of `[mcp.endpoints]`: what follows from their values, and what the table of keys cannot express.

use std::net::SocketAddr;
use std::path::Path;

use toolc_tables::checks::report;
use toolc_tables::default_values;
use toolc_tables::diagnostic::{At, Sink};

use crate::env_file::is_name;
use crate::keys::{McpEndpoint, McpEndpointTable, McpListScope, McpTable};
use crate::mcp::is_server_name;

/// The toolset that is served if none is named.
const DEFAULT_TOOLSET: &str = "safe";

impl McpEndpoint {
    /// The name of the endpoint that is served if none is named.
    pub const DEFAULT: &str = "default";

    /// Returns an endpoint with the defaults of all keys.
    pub fn new(name: String) -> Self {
        Self { name, ..default_values::<McpEndpointTable>() }
    }

    /// Returns the toolsets that are served.
    pub fn served_toolsets(&self) -> Vec<String> {
        let is_named = !(self.toolsets.is_empty() && self.tools.is_empty());
        if is_named { self.toolsets.clone() } else { vec![DEFAULT_TOOLSET.to_owned()] }
    }

    /// Returns the address for HTTP, or `None` for the standard streams.
    pub fn address(&self) -> Option<SocketAddr> {
        self.http.as_ref()?.parse().ok()
    }
}

/// Reports the mistakes of endpoints.
pub(crate) fn check(table: &McpTable, sink: &Sink) {
    for endpoint in &table.endpoints {
        check_endpoint(endpoint, sink);
    }
}

fn check_endpoint(endpoint: &McpEndpointTable, sink: &Sink) {
    if !is_server_name(&endpoint.name.value) {
        let message = format!("`{}` is not the name of an endpoint", endpoint.name.value.escape_debug());
        let label = "expected at most 32 letters, digits, `-` and single `_`";
        report(sink, &endpoint.name, &message, label, "`toolc mcp serve NAME` serves it");
    }
    for variable in endpoint.token_variables.iter().filter(|variable| !is_name(&variable.value)) {
        let help = "write the token into `.env`, as `NAME=...`, and the name here";
        report(sink, variable, "not the name of a variable", "expected letters, digits and `_`", help);
    }
    if let Some(file) = &endpoint.token_file
        && !(file.value.starts_with("~/") || Path::new(&file.value).is_absolute())
    {
        report(sink, file, "the path of the file is relative", "expected `/...` or `~/...`", "write the whole path");
    }
    for origin in &endpoint.origins {
        let rest = origin.value.strip_prefix("https://").or_else(|| origin.value.strip_prefix("http://"));
        if rest.is_none_or(|rest| rest.is_empty() || rest.contains(['/', '?', '#', '@'])) {
            let help = "write the scheme, the host, and the port if it is not the usual one: `https://app.example.com`";
            report(sink, origin, "not the origin of a web page", "expected `https://HOST`", help);
        }
    }
    for host in endpoint.hosts.iter().filter(|host| host.value.is_empty() || host.value.contains(['/', '@', '*'])) {
        let help = "write what clients send in the header `Host`: `example.com` or `example.com:8931`";
        report(sink, host, "not the name of a host", "expected `HOST` or `HOST:PORT`", help);
    }
    check_scope(endpoint, sink);
    match &endpoint.http {
        Some(address) => check_address(endpoint, address, sink),
        None if endpoint.refused.has("http", true) => {}
        None => {
            let lists = [
                ("token_variables", &endpoint.token_variables),
                ("hosts", &endpoint.hosts),
                ("origins", &endpoint.origins),
            ];
            let set = lists.into_iter().filter_map(|(key, values)| Some((key, values.first()?)));
            for (key, place) in set.chain(endpoint.token_file.iter().map(|file| ("token_file", file))) {
                let message = format!("`{key}` of the endpoint `{}` has no effect", endpoint.name.value);
                report(
                    sink,
                    place,
                    &message,
                    "it needs `http`",
                    "remove it, or write an address: `http = \"127.0.0.1:8931\"`",
                );
            }
        }
    }
}

/// Reports that a list may be shared that clients do not keep.
fn check_scope(endpoint: &McpEndpointTable, sink: &Sink) {
    let is_kept = endpoint.list_ttl.is_some() || endpoint.refused.has("list_ttl", true);
    if let Some(scope) = endpoint.list_scope.written().filter(|scope| scope.value == McpListScope::Public)
        && !is_kept
    {
        let message = format!("`list_scope` of the endpoint `{}` has no effect", endpoint.name.value);
        let help = "remove it, or write how long clients may keep the list: `list_ttl = \"5m\"`";
        report(sink, &scope, &message, "it needs `list_ttl`", help);
    }
}

fn check_address(endpoint: &McpEndpointTable, address: &At<String>, sink: &Sink) {
    let Ok(parsed) = address.value.parse::<SocketAddr>() else {
        let help = "write an IP address and a port: `127.0.0.1:8931`, or `[::1]:8931`";
        report(sink, address, "`http` is not an address", "expected `IP:PORT`", help);
        return;
    };
    if !parsed.ip().is_loopback() && endpoint.token_variables.is_empty() && endpoint.token_file.is_none() {
        let help = "write a token into `.env`, and its name into `token_variables`; or use `127.0.0.1`";
        let label = "other machines can connect";
        report(sink, address, "anyone could run the tools, because there is no token", label, help);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{ConfigFile, Home};

    fn read(text: &str) -> Result<Vec<McpEndpoint>, String> {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        std::fs::write(home.config(), text).expect("failed to write");
        ConfigFile::read(&home).map(|file| file.config().mcp.endpoints.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_endpoint_serves_what_it_names_and_otherwise_safe() {
        let endpoints = read(
            "[mcp.endpoints.default]\n[mcp.endpoints.work]\ntoolsets = ['coding']\nhttp = '0.0.0.0:8931'\n\
             token_variables = ['WORK_TOKEN']\ntoken_file = '~/tokens'\nhosts = ['a.example']\norigins = ['https://a.example']\n\
             instructions = 'Be brief.'\nbackground_after = '2s'\nlist_ttl = '5m'\nlist_scope = 'public'\n[mcp.endpoints.one]\ntools = ['read_file']\nskills = ['deploy']\n",
        );
        let endpoints = endpoints.expect("it is valid");
        let [default, work, one] = endpoints.as_slice() else { panic!("three endpoints: {endpoints:?}") };
        assert_eq!(*default, McpEndpoint::new("default".to_owned()));
        assert_eq!((default.served_toolsets(), default.address()), (vec!["safe".to_owned()], None));
        assert_eq!((work.served_toolsets(), work.address()), (vec!["coding".to_owned()], "0.0.0.0:8931".parse().ok()));
        assert_eq!((work.background_after, work.instructions.as_deref()), (Duration::from_secs(2), Some("Be brief.")));
        assert_eq!((work.list_ttl, work.list_scope), (Some(Duration::from_mins(5)), McpListScope::Public));
        assert!(one.served_toolsets().is_empty() && one.tools == ["read_file"] && one.skills == ["deploy"], "{one:?}");
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, part) in [
            ("[mcp.endpoints.a__b]\n", "is not the name of an endpoint"),
            ("[mcp.endpoints.a]\nhttp = 'localhost:80'", "`http` is not an address"),
            ("[mcp.endpoints.a]\nhttp = '0.0.0.0:80'", "anyone could run the tools"),
            ("[mcp.endpoints.a]\nhttp = '127.0.0.1:80'\ntoken_variables = ['A-B']", "not the name of a variable"),
            ("[mcp.endpoints.a]\nhttp = '127.0.0.1:80'\ntoken_file = 'tokens'", "the path of the file is relative"),
            ("[mcp.endpoints.a]\nhttp = '127.0.0.1:80'\norigins = ['a.example']", "not the origin of a web page"),
            ("[mcp.endpoints.a]\nhttp = '127.0.0.1:80'\norigins = ['https://a/b']", "not the origin of a web page"),
            ("[mcp.endpoints.a]\nhttp = '127.0.0.1:80'\nhosts = ['http://a']", "not the name of a host"),
            ("[mcp.endpoints.a]\ntoken_variables = ['T']", "`token_variables` of the endpoint `a` has no effect"),
            ("[mcp.endpoints.a]\nlist_ttl = '25h'", "must be at most a day"),
            ("[mcp.endpoints.a]\nlist_ttl = 5", "list_ttl"),
            ("[mcp.endpoints.a]\nlist_ttl = '5m'\nlist_scope = 'shared'", "list_scope"),
            ("[mcp.endpoints.a]\nlist_scope = 'public'", "`list_scope` of the endpoint `a` has no effect"),
            ("[mcp.endpoints.a]\ntoolset = ['safe']", "toolset"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
