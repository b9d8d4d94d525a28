//! Changes to the MCP servers of `config.toml` by commands.

use toml_edit::{Array, InlineTable, Item, Table, Value, value};

use crate::edit::{Edited, edit, implicit_table};
use crate::error::{ConfigError, ConfigErrorKind};
use crate::home::Home;
use crate::mcp::{McpOauth, McpServer, McpTransport};

/// Adds a server.
///
/// # Errors
/// If a server already has this name, and in the cases in which [`edit_list`](crate::edit_list) fails.
pub fn add_server(home: &Home, server: &McpServer) -> Result<Edited, ConfigError> {
    edit(home, |document| {
        let mcp = document.entry("mcp").or_insert_with(implicit_table);
        let mcp = mcp.as_table_like_mut().ok_or_else(|| ConfigError::mistake("`mcp` is not a table"))?;
        let servers = mcp.entry("servers").or_insert_with(implicit_table);
        let servers =
            servers.as_table_like_mut().ok_or_else(|| ConfigError::mistake("`mcp.servers` is not a table"))?;
        if servers.contains_key(&server.name) {
            let message =
                format!("a server is called `{}` already: remove it first, or choose another name", server.name);
            return Err(ConfigError::new(ConfigErrorKind::AlreadyExists, message));
        }
        servers.insert(&server.name, Item::Table(table(server)));
        Ok(())
    })
}

/// Removes a server.
///
/// # Errors
/// If no server has this name, or like [`edit_list`](crate::edit_list).
pub fn remove_server(home: &Home, name: &str) -> Result<Edited, ConfigError> {
    edit(home, |document| {
        let servers = document.get_mut("mcp").and_then(|mcp| mcp.get_mut("servers")).and_then(Item::as_table_like_mut);
        let removed = servers.and_then(|servers| servers.remove(name));
        removed.map(drop).ok_or_else(|| unknown(name))
    })
}

/// Enables or disables a server.
///
/// # Errors
/// Like [`remove_server`].
pub fn enable_server(home: &Home, name: &str, enabled: bool) -> Result<Edited, ConfigError> {
    edit(home, |document| {
        let servers = document.get_mut("mcp").and_then(|mcp| mcp.get_mut("servers")).and_then(Item::as_table_like_mut);
        let server = servers.and_then(|servers| servers.get_mut(name)).and_then(Item::as_table_like_mut);
        let server = server.ok_or_else(|| unknown(name))?;
        if enabled {
            server.remove("enabled");
        } else {
            server.insert("enabled", value(false));
        }
        Ok(())
    })
}

/// Replaces the arguments of a server's program.
///
/// # Errors
/// Like [`remove_server`].
pub fn set_server_args(home: &Home, name: &str, args: &[String]) -> Result<Edited, ConfigError> {
    edit(home, |document| {
        let servers = document.get_mut("mcp").and_then(|mcp| mcp.get_mut("servers")).and_then(Item::as_table_like_mut);
        let server = servers.and_then(|servers| servers.get_mut(name)).and_then(Item::as_table_like_mut);
        let server = server.ok_or_else(|| unknown(name))?;
        server.insert("args", value(args.iter().map(String::as_str).collect::<Array>()));
        Ok(())
    })
}

fn unknown(name: &str) -> ConfigError {
    ConfigError::new(ConfigErrorKind::NotFound, format!("no MCP server is called `{}`", name.escape_debug()))
}

/// Returns the table of a server, with the keys that differ from their defaults.
fn table(server: &McpServer) -> Table {
    let mut table = Table::new();
    let texts = |texts: &[String]| value(texts.iter().map(String::as_str).collect::<Array>());
    match &server.transport {
        McpTransport::Stdio { command, args, env, directory } => {
            table.insert("command", value(command));
            if !args.is_empty() {
                table.insert("args", texts(args));
            }
            if !env.is_empty() {
                let entry = |(name, source): &(String, String)| {
                    if name == source { name.clone() } else { format!("{name}={source}") }
                };
                table.insert("env", texts(&env.iter().map(entry).collect::<Vec<_>>()));
            }
            if let Some(directory) = directory {
                table.insert("directory", value(directory));
            }
        }
        McpTransport::Http { url, headers, bearer_variable, oauth } => {
            table.insert("url", value(url));
            if !headers.is_empty() {
                let headers = headers.iter().map(|(name, variable)| (name.as_str(), Value::from(variable)));
                table.insert("headers", value(headers.collect::<InlineTable>()));
            }
            if let Some(variable) = bearer_variable {
                table.insert("bearer_variable", value(variable));
            }
            let mut keys = InlineTable::new();
            let McpOauth { client_id, client_secret_variable, client_metadata_url, scopes } = oauth;
            let texts = [
                ("client_id", client_id),
                ("client_secret_variable", client_secret_variable),
                ("client_metadata_url", client_metadata_url),
            ];
            for (key, text) in texts.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?))) {
                keys.insert(key, Value::from(text));
            }
            if !scopes.is_empty() {
                keys.insert("scopes", scopes.iter().map(String::as_str).collect::<Array>().into());
            }
            if !keys.is_empty() {
                table.insert("oauth", value(keys));
            }
        }
    }
    if !server.enabled {
        table.insert("enabled", value(false));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConfigFile;

    #[test]
    fn an_added_server_is_read_back_equal_and_its_removal_restores_the_file() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let before = "# mine\n[tools]\nenable = [\"cli\"] # why\n";
        std::fs::write(home.config(), before).expect("failed to write");
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let program = McpTransport::Stdio {
            command: "npx".to_owned(),
            args: vec!["-y".to_owned(), "a \"b\"".to_owned()],
            env: vec![pair("A", "A"), pair("B", "C")],
            directory: Some("~/w".to_owned()),
        };
        let address = McpTransport::Http {
            url: "https://example.com/mcp".to_owned(),
            headers: vec![pair("X-Key", "KEY")],
            bearer_variable: Some("TOKEN".to_owned()),
            oauth: McpOauth::default(),
        };
        let login = McpTransport::Http {
            url: "https://example.com/mcp".to_owned(),
            headers: Vec::new(),
            bearer_variable: None,
            oauth: McpOauth {
                client_id: Some("me".to_owned()),
                client_secret_variable: Some("SECRET".to_owned()),
                client_metadata_url: Some("https://example.com/me.json".to_owned()),
                scopes: vec!["read".to_owned()],
            },
        };
        let servers = [
            McpServer::new("fs".to_owned(), program),
            McpServer { enabled: false, ..McpServer::new("web".to_owned(), address) },
            McpServer::new("login".to_owned(), login),
        ];
        for server in &servers {
            assert_eq!(add_server(&home, server), Ok(Edited::Changed));
            assert!(add_server(&home, server).is_err_and(|error| error.to_string().contains("already")));
        }
        assert_eq!(ConfigFile::read(&home).expect("it is valid").config().mcp_servers, servers);
        let text = std::fs::read_to_string(home.config()).expect("it exists");
        assert!(text.starts_with(before), "{text}");
        for enabled in [false, true] {
            assert_eq!(enable_server(&home, "fs", enabled), Ok(Edited::Changed));
            assert_eq!(enable_server(&home, "fs", enabled), Ok(Edited::Unchanged));
            let file = ConfigFile::read(&home).expect("it is valid");
            assert_eq!(file.config().mcp_servers[0].enabled, enabled);
        }
        assert!(enable_server(&home, "missing", true).is_err());
        let pinned = ["-y".to_owned(), "a@1.0.0".to_owned()];
        assert_eq!(set_server_args(&home, "fs", &pinned), Ok(Edited::Changed));
        let file = ConfigFile::read(&home).expect("it is valid");
        assert!(matches!(&file.config().mcp_servers[0].transport, McpTransport::Stdio { args, .. } if *args == pinned));
        for server in &servers {
            assert_eq!(remove_server(&home, &server.name), Ok(Edited::Changed));
        }
        assert_eq!(std::fs::read_to_string(home.config()).expect("it exists"), before);
        assert!(
            remove_server(&home, "fs").is_err_and(|error| error.to_string().contains("no MCP server is called `fs`"))
        );
        let invalid = McpServer { name: "a__b".to_owned(), ..servers[0].clone() };
        assert!(
            add_server(&home, &invalid).is_err_and(|error| error.to_string().contains("is not the name of a server"))
        );
        assert_eq!(std::fs::read_to_string(home.config()).expect("it exists"), before);
    }
}
