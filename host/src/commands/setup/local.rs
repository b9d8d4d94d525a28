//! Finds servers of models on this machine, for the menu of providers.

use std::time::Duration;

use futures_util::future::join_all;
use toolc::Env;
use toolc_model::{Client, ListedModel};

use super::providers::{PROVIDERS, Place, Provider, local_url};
use crate::ground::error::Result;

/// The time limit of the search.
const LIMIT: Duration = Duration::from_millis(700);

/// A server that lists its models.
#[derive(Debug)]
pub(super) struct LocalServer {
    pub(super) provider: &'static Provider,
    pub(super) base_url: String,
    /// The models. Empty if it wants a key for the list.
    pub(super) models: Vec<ListedModel>,
}

/// Asks the usual ports of this machine at the same time for their models.
pub(super) fn find(env: &Env) -> Result<Vec<LocalServer>> {
    find_at(PROVIDERS.iter().filter_map(|provider| Some((provider, address(provider, env)?))).collect())
}

fn find_at(places: Vec<(&'static Provider, String)>) -> Result<Vec<LocalServer>> {
    let ask = |(provider, base_url): (&'static Provider, String)| async move {
        let client = Client::new(provider.model(Some(base_url.clone()), None, false), None);
        let models = match client.models(LIMIT).await {
            Ok(models) => models,
            Err(error) if error.kind() == toolc_model::ErrorKind::Unauthorized => Vec::new(),
            Err(_) => return None,
        };
        Some(LocalServer { provider, base_url, models })
    };
    let found = crate::ground::executor()?.block_on(join_all(places.into_iter().map(ask)));
    Ok(found.into_iter().flatten().collect())
}

/// Returns the address at which a provider would be on this machine.
pub(super) fn address(provider: &Provider, env: &Env) -> Option<String> {
    let Place::ThisMachine(port) = provider.place else { return None };
    let named =
        if provider.word == "ollama" { env.var("OLLAMA_HOST").and_then(|host| ollama_port(&host)) } else { None };
    Some(local_url(named.unwrap_or(port)))
}

/// Returns the port in `OLLAMA_HOST`, such as `127.0.0.1:11500`, `:11500` or `http://0.0.0.0:11500`, if the host is this machine.
fn ollama_port(host: &str) -> Option<u16> {
    let host = host.trim();
    let host = host.strip_prefix("http://").unwrap_or(host).trim_end_matches('/');
    let (name, port) = host.rsplit_once(':')?;
    let is_this_machine = ["", "127.0.0.1", "localhost", "0.0.0.0", "[::]", "[::1]"].contains(&name);
    port.parse().ok().filter(|_| is_this_machine)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;
    use std::time::Instant;

    use super::super::providers;
    use super::*;

    /// Starts a server that answers one request with these bytes, or never. Returns its address.
    fn server(answer: Option<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
        let url = format!("http://{}/v1", listener.local_addr().expect("it has an address"));
        thread::spawn(move || {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let _ = stream.read(&mut [0; 2_000]);
            match answer {
                Some(answer) => drop(stream.write_all(answer.as_bytes())),
                None => drop(stream.read(&mut [0])),
            }
        });
        url
    }

    #[test]
    fn local_servers_are_searched_in_parallel_within_the_limit() {
        let list = "HTTP/1.1 200 OK\r\ncontent-length: 25\r\nconnection: close\r\n\r\n{\"data\":[{\"id\":\"llama\"}]}";
        let other = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
        let locked = "HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        let provider = |word| providers::find(word).expect("it is known");
        let closed = {
            let listener = TcpListener::bind("127.0.0.1:0").expect("failed to listen");
            format!("http://{}/v1", listener.local_addr().expect("it has an address"))
        };
        let places = vec![
            (provider("ollama"), server(Some(list))),
            (provider("lmstudio"), server(Some(other))),
            (provider("vllm"), server(Some(locked))),
            (provider("llamacpp"), server(None)),
            (provider("other"), server(None)),
            (provider("openai"), closed),
        ];
        let start = Instant::now();
        let found = find_at(places).expect("the search works");
        let names: Vec<_> = found.iter().map(|server| (server.provider.word, server.models.len())).collect();
        assert_eq!(names, [("ollama", 1), ("vllm", 0)]);
        assert!(start.elapsed() < LIMIT * 3, "{:?}", start.elapsed());
    }

    #[test]
    fn the_address_of_ollama_is_that_of_its_variable_if_it_is_on_this_machine() {
        for (host, port) in [
            ("127.0.0.1:11500", Some(11_500)),
            (":11500", Some(11_500)),
            ("http://0.0.0.0:11500/", Some(11_500)),
            ("0.0.0.0", None),
            ("gpu.example:11500", None),
            ("127.0.0.1:x", None),
            ("", None),
        ] {
            assert_eq!(ollama_port(host), port, "{host:?}");
        }
    }
}
