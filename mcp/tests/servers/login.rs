//! Logins at servers with an address, with a scripted authorization server.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolc::Env;
use toolc_mcp::{
    Answer, AnswerFuture, Answering, Asker, ErrorKind, McpError, Oauth, Question, QuestionKind, Server, ServerState,
    Transport,
};

use crate::fixture::{Fixture, error, has_python, server};

/// A scripted server that requires a login, which is killed at the end.
struct OauthServer {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl OauthServer {
    fn start(behaviours: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/fixture/oauth_server.py");
        let mut command = Command::new("python3");
        command.arg(script).args(behaviours).env("NOTE", folder.path().join("note")).stdout(Stdio::piped());
        let mut child = command.spawn().expect("failed to start the server");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is a pipe");
        BufReader::new(output).read_line(&mut line).expect("it prints its port");
        Self { child, port: line.trim().parse().expect("it is a port"), folder }
    }

    fn settings(&self) -> Server {
        let oauth = Oauth { tokens: self.folder.path().join("tokens.json"), ..Oauth::default() };
        let url = format!("http://127.0.0.1:{}/mcp", self.port);
        let transport = Transport::Http { url, headers: Vec::new(), bearer_variable: None, oauth };
        Server { transport, ..server("s", &[]) }
    }

    fn log_in(&self, browser: &Arc<Browser>) -> Result<(), McpError> {
        toolc_mcp::log_in(&self.settings(), &Env::process(), Arc::clone(browser) as Arc<dyn Asker>, &[])
    }

    /// Returns the requests that the server has got, of this kind.
    fn requests(&self, kind: &str) -> Vec<String> {
        let all = std::fs::read_to_string(self.folder.path().join("note")).unwrap_or_default();
        all.lines().filter(|line| line.starts_with(kind)).map(str::to_owned).collect()
    }

    fn tokens(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("tokens.json")).unwrap_or_default()
    }
}

impl Drop for OauthServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A person with a browser, who logs in wherever they are sent.
#[derive(Debug, Default)]
struct Browser {
    asked: Mutex<Vec<Question>>,
    /// Whether the browser is on another machine, so that the person copies the address.
    is_remote: bool,
    /// Whether the person says no.
    is_unwilling: bool,
}

impl Browser {
    fn answering(self: &Arc<Self>) -> Answering {
        Answering { asker: Some(Arc::clone(self) as Arc<dyn Asker>), sampler: None }
    }

    fn logins(&self) -> Vec<(String, Vec<String>)> {
        let asked = self.asked.lock().expect("no test panics here");
        let login = |question: &Question| match &question.kind {
            QuestionKind::Login { address, scopes } => (address.domain.clone(), scopes.clone()),
            other => panic!("not a login: {other:?}"),
        };
        asked.iter().map(login).collect()
    }
}

impl Asker for Browser {
    fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        self.asked.lock().expect("no test panics here").push(question.clone());
        Box::pin(async move {
            if self.is_unwilling {
                return Answer::Decline;
            }
            let QuestionKind::Login { address, .. } = &question.kind else { return Answer::Cancel };
            let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build();
            let client = client.expect("a client can be made");
            let page = client.get(&address.url).send().await.expect("the page answers");
            let back = page.headers()["location"].to_str().expect("it is text").to_owned();
            if self.is_remote {
                let pasted = json!({ "redirect": back });
                return Answer::Accept(pasted.as_object().cloned().expect("an object"));
            }
            let _ = client.get(back).send().await;
            // The person does nothing more: that the browser is back is enough.
            std::future::pending().await
        })
    }
}

#[test]
fn a_login_gives_tokens_that_requests_carry_and_only_this_user_can_read() {
    if !has_python() {
        return;
    }
    for behaviours in [&[][..], &["openid"], &["confidential"]] {
        let (oauth, browser) = (OauthServer::start(behaviours), Arc::new(Browser::default()));
        let fixture = Fixture::new([oauth.settings()]);
        let report = fixture.report("s");
        assert_eq!(report.state, ServerState::Failed, "{report}");
        assert!(report.problem.is_some_and(|problem| problem.contains("run `toolc mcp login s`")));
        drop(fixture);
        oauth.log_in(&browser).expect("the login works");
        let domain = format!("127.0.0.1:{}", oauth.port);
        assert_eq!(browser.logins(), [(domain, vec!["read".to_owned()])]);
        let registered = oauth.requests("POST /register");
        assert!(registered[0].contains("http://127.0.0.1:") && registered[0].contains("native"), "{registered:?}");
        let exchanged = oauth.requests("POST /token");
        assert!(
            exchanged[0].contains("code_verifier") && exchanged[0].contains(&format!("{}/mcp", oauth.port)),
            "{exchanged:?}"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let file = std::fs::metadata(oauth.folder.path().join("tokens.json")).expect("it exists");
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
        }
        let fixture = Fixture::new([oauth.settings()]);
        assert_eq!(fixture.call("mcp__s__read", &json!({})), json!("read"), "{}", fixture.report("s"));
        assert_eq!(fixture.call("mcp__s__leak", &json!({})), json!("the token is [secret]"));
        drop(fixture);
        assert!(toolc_mcp::log_out(&oauth.settings()).expect("it can be removed"));
        assert_eq!(oauth.tokens(), "");
        assert!(!toolc_mcp::log_out(&oauth.settings()).expect("nothing is left"));
    }
}

#[test]
fn a_browser_on_another_machine_is_answered_by_a_copied_address() {
    if !has_python() {
        return;
    }
    let (oauth, browser) = (OauthServer::start(&[]), Arc::new(Browser { is_remote: true, ..Browser::default() }));
    oauth.log_in(&browser).expect("the login works");
    assert!(oauth.tokens().contains("access-token-1"));
}

#[test]
fn an_expired_token_is_refreshed_and_the_new_one_kept() {
    if !has_python() {
        return;
    }
    for behaviours in [&["short"][..], &["short", "confidential"]] {
        let oauth = OauthServer::start(behaviours);
        oauth.log_in(&Arc::default()).expect("the login works");
        std::thread::sleep(std::time::Duration::from_millis(1200));
        let fixture = Fixture::new([oauth.settings()]);
        assert_eq!(fixture.report("s").state, ServerState::Connected, "{}", fixture.report("s"));
        assert_eq!(fixture.call("mcp__s__read", &json!({})), json!("read"));
        let refreshed = oauth.requests("POST /token");
        assert!(refreshed[1].contains("refresh-token-1") && refreshed[1].contains("resource"), "{refreshed:?}");
        assert!(!oauth.tokens().contains("\"access-token-1\""), "{}", oauth.tokens());
    }
}

#[test]
fn a_call_that_lacks_rights_asks_for_them_and_is_made_again() {
    if !has_python() {
        return;
    }
    let (oauth, browser) = (OauthServer::start(&[]), Arc::new(Browser::default()));
    oauth.log_in(&browser).expect("the login works");
    let fixture = Fixture::answering([oauth.settings()], &browser.answering());
    assert_eq!(fixture.call("mcp__s__write", &json!({})), json!("read write"));
    let scopes: Vec<Vec<String>> = browser.logins().into_iter().map(|(_, scopes)| scopes).collect();
    assert_eq!(scopes, [vec!["read".to_owned()], vec!["read".to_owned(), "write".to_owned()]]);
    assert_eq!(fixture.call("mcp__s__write", &json!({})), json!("read write"), "without another login");
    assert_eq!(fixture.call("mcp__s__leak", &json!({})), json!("the token is [secret]"), "the new token, too");
    let refused = fixture.call("mcp__s__never", &json!({}));
    assert!(error(&refused).contains("requires further rights (never)"), "{refused}");
    assert_eq!(browser.logins().len(), 4, "a call asks at most twice");
    assert_eq!(fixture.call("mcp__s__revoke", &json!({})), json!("read write never"));
    assert_eq!(
        fixture.call("mcp__s__read", &json!({})),
        json!("read"),
        "the person logs in again, for what the server asks"
    );
    let exhausted = fixture.call("mcp__s__never", &json!({}));
    assert!(error(&exhausted).contains("rights") || error(&exhausted).contains("logins already"), "{exhausted}");
    assert!(browser.logins().len() <= 6, "{:?}", browser.logins());
}

#[test]
fn without_a_person_a_call_that_lacks_rights_says_what_to_do() {
    if !has_python() {
        return;
    }
    let oauth = OauthServer::start(&[]);
    oauth.log_in(&Arc::default()).expect("the login works");
    let fixture = Fixture::new([oauth.settings()]);
    let refused = fixture.call("mcp__s__write", &json!({}));
    assert!(error(&refused).contains("requires further rights (write): run `toolc mcp login s`"), "{refused}");
    assert_eq!(fixture.call("mcp__s__revoke", &json!({})), json!("read"));
    let revoked = fixture.call("mcp__s__read", &json!({}));
    assert!(error(&revoked).contains("requires a login: run `toolc mcp login s`"), "{revoked}");
}

#[test]
fn calls_that_lack_rights_at_once_ask_once() {
    if !has_python() {
        return;
    }
    let (oauth, browser) = (OauthServer::start(&[]), Arc::new(Browser::default()));
    oauth.log_in(&browser).expect("the login works");
    let fixture = Fixture::answering([oauth.settings()], &browser.answering());
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8).map(|_| scope.spawn(|| fixture.call("mcp__s__write", &json!({})))).collect();
        for call in calls {
            assert_eq!(call.join().expect("no panic"), json!("read write"));
        }
    });
    assert_eq!(browser.logins().len(), 2);
}

#[test]
fn a_login_that_is_not_safe_is_refused_with_the_reason() {
    if !has_python() {
        return;
    }
    for (behaviour, reason) in [
        ("no-pkce", "PKCE"),
        ("wrong-issuer", "issuer mismatch"),
        ("refuse", "refuses the login: access_denied: not \\u{1b}[2J today"),
        ("no-registration", "set `oauth.client_id`"),
        ("private-issuer", "was not found"),
        ("redirected-metadata", "was not found"),
        ("plain-token-endpoint", "the login has failed"),
    ] {
        let (oauth, browser) = (OauthServer::start(&[behaviour]), Arc::new(Browser::default()));
        let refused = oauth.log_in(&browser).expect_err(behaviour).to_string();
        assert!(refused.contains(reason), "{behaviour}: {refused}");
        assert!(!refused.contains("code-0") && !refused.contains('\u{1b}'), "{refused}");
        assert!(!oauth.tokens().contains("access-token"), "{behaviour}");
        let is_asked = !["no-pkce", "no-registration", "private-issuer", "redirected-metadata"].contains(&behaviour);
        assert_eq!(!browser.logins().is_empty(), is_asked, "{behaviour}");
    }
}

#[test]
fn a_person_can_refuse_a_login_and_an_answer_with_another_state_is_none() {
    if !has_python() {
        return;
    }
    let (oauth, unwilling) = (OauthServer::start(&[]), Arc::new(Browser { is_unwilling: true, ..Browser::default() }));
    let refused = oauth.log_in(&unwilling).expect_err("the person declines");
    assert_eq!((refused.kind(), &*refused.to_string()), (ErrorKind::Declined, "the user refused it"));
    let (oauth, remote) =
        (OauthServer::start(&["wrong-state"]), Arc::new(Browser { is_remote: true, ..Browser::default() }));
    assert!(oauth.log_in(&remote).is_err_and(|refused| refused.to_string().contains("not the answer to this login")));
    assert!(oauth.requests("POST /token").is_empty());
}

#[test]
fn tokens_are_not_sent_to_another_address_and_a_broken_file_is_reported() {
    if !has_python() {
        return;
    }
    let (oauth, other) = (OauthServer::start(&[]), OauthServer::start(&[]));
    oauth.log_in(&Arc::default()).expect("the login works");
    let mut moved = other.settings();
    let Transport::Http { oauth: settings, .. } = &mut moved.transport else { panic!("it has an address") };
    settings.tokens = oauth.folder.path().join("tokens.json");
    let fixture = Fixture::new([moved]);
    assert_eq!(fixture.report("s").state, ServerState::Failed);
    assert!(
        other.requests("POST /mcp").iter().all(|line| !line.contains("access-token")),
        "{:?}",
        other.requests("POST")
    );
    drop(fixture);
    std::fs::write(oauth.folder.path().join("tokens.json"), "{\"access_token\": \"hunter2hunter2")
        .expect("failed to write");
    let report = Fixture::new([oauth.settings()]).report("s");
    let problem = report.problem.unwrap_or_default();
    assert!(problem.contains("log in again") && !problem.contains("hunter2"), "{problem}");
}

#[test]
fn a_registered_client_and_chosen_rights_come_from_the_settings() {
    if !has_python() {
        return;
    }
    let oauth = OauthServer::start(&["no-registration"]);
    let mut settings = oauth.settings();
    let Transport::Http { oauth: login, .. } = &mut settings.transport else { panic!("it has an address") };
    (login.client_id, login.scopes) = (Some("mine".to_owned()), vec!["read".to_owned(), "list".to_owned()]);
    let unwilling = Arc::new(Browser { is_unwilling: true, ..Browser::default() });
    let refused =
        toolc_mcp::log_in(&settings, &Env::process(), Arc::clone(&unwilling) as Arc<dyn Asker>, &["more".to_owned()]);
    assert_eq!(refused.map_err(|error| error.kind()), Err(ErrorKind::Declined));
    let asked = unwilling.asked.lock().expect("no test panics here")[0].clone();
    let QuestionKind::Login { address, scopes } = asked.kind else { panic!("a login") };
    assert!(address.url.contains("client_id=mine"), "{}", address.url);
    assert_eq!(scopes, ["read", "list", "more"]);
    assert!(oauth.requests("POST /register").is_empty());
}
