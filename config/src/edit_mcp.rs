//! Changes to the MCP servers of `config.toml` by commands.

use toml_edit::{Array, InlineTable, Item, Table, TableLike, Value, value};

use crate::edit::{Edited, edit, implicit_table};
use crate::error::{ConfigError, ConfigErrorKind};
use crate::home::Home;
use crate::keys::{McpOauth, McpServer};

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
/// If no server has this name, and in the cases in which [`edit_list`](crate::edit_list) fails.
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

/// Inserts a text, if there is one.
fn insert_text(table: &mut dyn TableLike, key: &str, text: Option<&String>) {
    if let Some(text) = text {
        table.insert(key, value(text));
    }
}

/// Inserts an array of texts, if there are any.
fn insert_texts(table: &mut dyn TableLike, key: &str, texts: &[String]) {
    if !texts.is_empty() {
        table.insert(key, value(texts.iter().map(String::as_str).collect::<Array>()));
    }
}

/// Returns the table of a server, with the keys that differ from their defaults.
fn table(server: &McpServer) -> Table {
    let mut table = Table::new();
    for (key, text) in [("command", &server.command), ("url", &server.url)] {
        insert_text(&mut table, key, text.as_ref());
    }
    for (key, list) in [("args", &server.args), ("env", &server.env)] {
        insert_texts(&mut table, key, list);
    }
    if !server.headers.is_empty() {
        let headers = server.headers.iter().map(|(name, variable)| (name.as_str(), Value::from(variable)));
        table.insert("headers", value(headers.collect::<InlineTable>()));
    }
    for (key, text) in [("directory", &server.directory), ("bearer_variable", &server.bearer_variable)] {
        insert_text(&mut table, key, text.as_ref());
    }
    let McpOauth { client_id, client_secret_variable, client_metadata_url, scopes } = &server.oauth;
    let texts = [
        ("client_id", client_id),
        ("client_secret_variable", client_secret_variable),
        ("client_metadata_url", client_metadata_url),
    ];
    let mut oauth = InlineTable::new();
    for (key, text) in texts {
        insert_text(&mut oauth, key, text.as_ref());
    }
    insert_texts(&mut oauth, "scopes", scopes);
    if !oauth.is_empty() {
        table.insert("oauth", value(oauth));
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
        let servers = [
            McpServer {
                command: Some("npx".to_owned()),
                args: vec!["-y".to_owned(), "a \"b\"".to_owned()],
                env: vec!["A".to_owned(), "B=C".to_owned()],
                directory: Some("~/w".to_owned()),
                ..McpServer::new("fs".to_owned())
            },
            McpServer {
                url: Some("https://example.com/mcp".to_owned()),
                headers: vec![("X-Key".to_owned(), "KEY".to_owned())],
                bearer_variable: Some("TOKEN".to_owned()),
                enabled: false,
                ..McpServer::new("web".to_owned())
            },
            McpServer {
                url: Some("https://example.com/mcp".to_owned()),
                oauth: McpOauth {
                    client_id: Some("me".to_owned()),
                    client_secret_variable: Some("SECRET".to_owned()),
                    client_metadata_url: Some("https://example.com/me.json".to_owned()),
                    scopes: vec!["read".to_owned()],
                },
                ..McpServer::new("login".to_owned())
            },
        ];
        for server in &servers {
            assert_eq!(add_server(&home, server), Ok(Edited::Changed));
            assert!(add_server(&home, server).is_err_and(|error| error.to_string().contains("already")));
        }
        assert_eq!(ConfigFile::read(&home).expect("it is valid").config().mcp.servers, servers);
        let text = std::fs::read_to_string(home.config()).expect("it exists");
        assert!(text.starts_with(before), "{text}");
        for enabled in [false, true] {
            assert_eq!(enable_server(&home, "fs", enabled), Ok(Edited::Changed));
            assert_eq!(enable_server(&home, "fs", enabled), Ok(Edited::Unchanged));
            let file = ConfigFile::read(&home).expect("it is valid");
            assert_eq!(file.config().mcp.servers[0].enabled, enabled);
        }
        assert!(enable_server(&home, "missing", true).is_err());
        let pinned = ["-y".to_owned(), "a@1.0.0".to_owned()];
        assert_eq!(set_server_args(&home, "fs", &pinned), Ok(Edited::Changed));
        let file = ConfigFile::read(&home).expect("it is valid");
        assert_eq!(file.config().mcp.servers[0].args, pinned);
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
