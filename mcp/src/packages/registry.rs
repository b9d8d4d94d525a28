//! Asks registries and OSV about a package: its newest version, and whether a version is malicious or vulnerable.

use reqwest::Url;
use serde_json::{Value, json};

use super::Ecosystem;
use crate::error::{ErrorKind, McpError};
use crate::settings::Packages;
use crate::web::Web;

/// The maximum number of bytes of an answer of a registry: it can list all versions.
const MAX_ANSWER: usize = 48 << 20;
/// The maximum number of advisories that are shown.
const MAX_ADVISORIES: usize = 20;

/// What OSV says about a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Advice {
    /// The id of the entry that says that the version is malicious.
    pub(super) malware: Option<String>,
    /// The ids of other entries.
    pub(super) advisories: Vec<String>,
}

/// Returns the version of a tag of npm, or the newest version.
pub(super) async fn resolve(
    packages: &Packages,
    ecosystem: Ecosystem,
    name: &str,
    tag: Option<&str>,
) -> Result<String, McpError> {
    let (base, path) = match ecosystem {
        Ecosystem::Npm => (&packages.npm, vec![name, tag.unwrap_or("latest")]),
        Ecosystem::PyPi => (&packages.pypi, vec!["pypi", name, "json"]),
    };
    let url = address(base, &path)?;
    let web = Web::for_server(&url)?;
    let request = built(web.client().get(url))?;
    let answer = answer(&web, request).await?;
    let version = match ecosystem {
        Ecosystem::Npm => answer["version"].as_str(),
        Ecosystem::PyPi => answer["info"]["version"].as_str(),
    };
    let is_version_char = |c: char| c.is_ascii_alphanumeric() || "-._+!".contains(c);
    let is_version =
        |version: &&str| !version.is_empty() && version.len() <= 100 && version.chars().all(is_version_char);
    let version = version.filter(is_version).map(str::to_owned);
    version.ok_or_else(|| failed(format!("the registry names no version of `{name}`")))
}

/// Asks OSV about a version.
pub(super) async fn advice(
    packages: &Packages,
    ecosystem: Ecosystem,
    name: &str,
    version: &str,
) -> Result<Advice, McpError> {
    let url = address(&packages.osv, &["v1", "query"])?;
    let web = Web::for_server(&url)?;
    let package = json!({ "name": name, "ecosystem": ecosystem.word() });
    let body = json!({ "version": version, "package": package }).to_string();
    let request = web.client().post(url).header("Content-Type", "application/json").body(body);
    let answer = answer(&web, built(request)?).await?;
    read(&answer)
}

fn read(answer: &Value) -> Result<Advice, McpError> {
    let entries = match answer {
        Value::Object(map) => match map.get("vulns") {
            None | Some(Value::Null) => &[],
            Some(Value::Array(entries)) => entries.as_slice(),
            Some(_) => return Err(failed("OSV gave an answer of an unknown form")),
        },
        _ => return Err(failed("OSV gave an answer of an unknown form")),
    };
    let entries = entries.iter().filter(|entry| entry["withdrawn"].is_null());
    let (mut malware, mut advisories) = (None, Vec::new());
    for entry in entries {
        let shown = |id: &str| id.chars().take(60).collect::<String>().escape_debug().to_string();
        let aliases = entry["aliases"].as_array().into_iter().flatten();
        let is_malware = |id: &&Value| id.as_str().is_some_and(|id| id.starts_with("MAL-"));
        match std::iter::once(&entry["id"]).chain(aliases).find(is_malware).and_then(Value::as_str) {
            Some(id) if malware.is_none() => malware = Some(shown(id)),
            None if advisories.len() < MAX_ADVISORIES => {
                advisories.push(shown(entry["id"].as_str().unwrap_or("unnamed")));
            }
            _ => {}
        }
    }
    // A further page could have the entry that matters.
    if malware.is_none() && answer["next_page_token"].as_str().is_some_and(|token| !token.is_empty()) {
        return Err(failed("OSV has more entries about this version than fit in one answer"));
    }
    Ok(Advice { malware, advisories })
}

fn built(request: reqwest::RequestBuilder) -> Result<reqwest::Request, McpError> {
    request.build().map_err(|error| failed(error.to_string()).caused_by(error))
}

fn failed(message: impl Into<String>) -> McpError {
    McpError::new(ErrorKind::Package, message)
}

fn address(base: &str, path: &[&str]) -> Result<Url, McpError> {
    let invalid = || failed(format!("`{}` is not the address of a registry", base.escape_debug()));
    let mut url = Url::parse(base).map_err(|_| invalid())?;
    // Each part is escaped, so that a name cannot lead elsewhere.
    url.path_segments_mut().map_err(|()| invalid())?.pop_if_empty().extend(path);
    Ok(url)
}

async fn answer(web: &Web, request: reqwest::Request) -> Result<Value, McpError> {
    let host = request.url().host_str().unwrap_or_default().to_owned();
    let (response, body) = web.send(request, MAX_ANSWER).await?;
    if response.status() == reqwest::StatusCode::NOT_FOUND {
        return Err(failed(format!("{host} does not know this package or version")));
    }
    if !response.status().is_success() {
        return Err(failed(format!("{host} answered with the status {}", response.status().as_u16())));
    }
    serde_json::from_slice(&body).map_err(|error| failed(format!("{host} did not answer with JSON")).caused_by(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_about_malware_is_found_by_its_id_and_its_aliases() {
        let advice = |answer: Value| read(&answer).expect("it has the form of an answer");
        assert_eq!(advice(json!({})), Advice { malware: None, advisories: Vec::new() });
        let found = advice(
            json!({ "vulns": [{ "id": "GHSA-1" }, { "id": "MAL-2026-1" }, { "id": "GHSA-2", "aliases": ["MAL-2026-2"] }] }),
        );
        assert_eq!(found, Advice { malware: Some("MAL-2026-1".to_owned()), advisories: vec!["GHSA-1".to_owned()] });
        let withdrawn = advice(json!({ "vulns": [{ "id": "MAL-2026-1", "withdrawn": "2026-01-01T00:00:00Z" }] }));
        assert_eq!(withdrawn.malware, None);
        for unknown in [
            json!([]),
            json!("x"),
            json!({ "vulns": 7 }),
            json!({ "vulns": [{ "id": "GHSA-1" }], "next_page_token": "x" }),
        ] {
            assert!(read(&unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn a_name_is_one_part_of_the_address() {
        let url = address("https://registry.example.com/npm/", &["@a/b", "latest"]).expect("it is valid");
        assert_eq!(url.as_str(), "https://registry.example.com/npm/@a%2Fb/latest");
        assert!(address("npm", &[]).is_err() && address("mailto:x", &["a"]).is_err());
    }
}
