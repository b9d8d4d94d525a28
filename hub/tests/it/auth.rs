//! Who asks GitHub, and where credentials are sent.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};
use toolc_hub::{GitHubAuth, Secret};

use super::github::{files, skill};
use super::home::{Home, id};
use super::server::Reply;

/// A key that was made for this test and opens nothing. `ring` signs with RSA keys, but cannot make one, and no other crate of this
/// project can.
const KEY: &str = include_str!("app-key.pem");
const PUBLIC_KEY: &[u8] = include_bytes!("app-key.public.der");

fn home() -> Home {
    let home = Home::new();
    home.repositories.commit("o/r", files(&[("a/SKILL.md", &skill("a", "Is a", "text"))]));
    home
}

fn variables(list: &'static [(&str, &str)], program: Option<&'static str>) -> Result<GitHubAuth, String> {
    let variable = |name: &str| list.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
    GitHubAuth::from_variables(&variable, move || program.and_then(Secret::new))
}

/// Returns the authorization of each request for a skill.
fn sent(home: &Home, auth: GitHubAuth) -> Vec<(String, String)> {
    let before = home.server.requests().len();
    home.hub_with(auth).preview(&id("o/r/a")).expect("it exists");
    let requests = home.server.requests().split_off(before);
    requests.into_iter().map(|request| (request.path.clone(), request.header("authorization").to_owned())).collect()
}

#[test]
fn a_token_is_sent_to_the_api_only() {
    let home = home();
    let anonymous = sent(&home, GitHubAuth::Anonymous);
    assert!(anonymous.iter().any(|(path, _)| path.starts_with("/raw/")), "{anonymous:?}");
    assert!(anonymous.iter().all(|(_, value)| value.is_empty()), "{anonymous:?}");
    let auth = variables(&[("GITHUB_TOKEN", " abc\n"), ("GH_TOKEN", "other")], None).expect("it is a token");
    assert!(!format!("{auth:?}").contains("abc"));
    let token = sent(&home, auth);
    assert!(token.iter().all(|(path, value)| path.starts_with("/api/v3/") && value == "Bearer abc"), "{token:?}");
}

#[test]
fn a_token_comes_from_a_variable_or_a_program() {
    let home = home();
    let value = |auth: Result<GitHubAuth, String>| sent(&home, auth.expect("it is complete")).remove(0).1;
    assert_eq!(value(variables(&[("GH_TOKEN", "gh")], Some("program"))), "Bearer gh");
    assert_eq!(value(variables(&[("GITHUB_TOKEN", "")], Some("program"))), "Bearer program");
    assert_eq!(value(variables(&[], None)), "");
    let error = variables(&[("GITHUB_TOKEN", "a secret\u{7f}")], None).expect_err("it has a space");
    assert!(error.contains("GITHUB_TOKEN") && !error.contains("a secret"), "{error}");
    let error = variables(&[("GITHUB_APP_ID", "1")], None).expect_err("it is not complete");
    assert!(error.contains("GITHUB_APP_PRIVATE_KEY"), "{error}");
    let wrong = &[("GITHUB_APP_ID", "1"), ("GITHUB_APP_INSTALLATION_ID", "2"), ("GITHUB_APP_PRIVATE_KEY", "secret")];
    let error = variables(wrong, None).expect_err("it is not a key");
    assert!(error.contains("GITHUB_APP_PRIVATE_KEY: expected") && !error.contains("secret"), "{error}");
}

#[test]
fn a_redirect_to_another_server_does_not_get_the_token() {
    let (home, other) = (home(), Home::new());
    other.repositories.commit("o/r", files(&[("a/SKILL.md", &skill("a", "Is a", "text"))]));
    let path = "/api/v3/repos/o/r/commits/HEAD";
    home.server.fix(path, Reply::redirect(other.server.url(path).as_str()));
    sent(&home, variables(&[("GITHUB_TOKEN", "abc")], None).expect("it is a token"));
    let requests = other.server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].header("authorization"), "");
}

/// Checks the signature of a claim, and returns its content.
fn claims(header: &str) -> Value {
    let token = header.strip_prefix("Bearer ").expect("it is a bearer token");
    let (text, signature) = token.rsplit_once('.').expect("it is signed");
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).expect("it is base64");
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, PUBLIC_KEY);
    key.verify(text.as_bytes(), &decode(signature)).expect("the signature is wrong");
    let parts: Vec<Value> =
        text.split('.').map(|part| serde_json::from_slice(&decode(part)).expect("it is JSON")).collect();
    assert_eq!(parts[0], json!({ "alg": "RS256", "typ": "JWT" }));
    parts[1].clone()
}

#[test]
fn an_app_asks_for_a_token_of_its_installation_once() {
    let home = home();
    let path = "/api/v3/app/installations/34/access_tokens";
    let token = |minutes: i64| {
        let end = Timestamp::now() + SignedDuration::from_mins(minutes);
        Reply::json(&json!({ "token": "ghs_1", "expires_at": end.to_string(), "permissions": {} }))
    };
    home.server.fix(path, token(60));
    let variables = |name: &str| match name {
        "GITHUB_APP_ID" => Some("12".to_owned()),
        "GITHUB_APP_INSTALLATION_ID" => Some("34".to_owned()),
        "GITHUB_APP_PRIVATE_KEY" => Some(KEY.replace('\n', "\\n")),
        _ => None,
    };
    let auth = GitHubAuth::from_variables(&variables, || None).expect("it is complete");
    let requests = sent(&home, auth.clone());
    let asked: Vec<&(String, String)> = requests.iter().filter(|(other, _)| other == path).collect();
    let [(_, header)] = asked[..] else { panic!("{requests:?}") };
    let claims = claims(header);
    assert_eq!(claims["iss"], "12");
    let (from, to) = (claims["iat"].as_i64().expect("a time"), claims["exp"].as_i64().expect("a time"));
    let now = Timestamp::now().as_second();
    assert!(from < now && to > now && to - from <= 600, "{from} {now} {to}");
    assert!(
        requests.iter().filter(|(other, _)| other != path).all(|(_, value)| value == "Bearer ghs_1"),
        "{requests:?}"
    );
    // The token is still valid.
    assert!(sent(&home, auth).iter().all(|(other, _)| other != path));
    // One that ends soon is asked for again.
    home.server.fix(path, token(0));
    let auth = GitHubAuth::from_variables(&variables, || None).expect("it is complete");
    assert!(sent(&home, auth).iter().filter(|(other, _)| other == path).count() > 1);
}
