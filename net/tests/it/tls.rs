//! Certificates: of servers, of private authorities, and of clients.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::CertificateDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use toolc_net::{
    Certificates, Client, ClientCertificate, Fetch, FetchError, FetchFault, HeaderValue, Limits, Policy, Ports, Target,
};

use crate::server::{Server, answer};
use crate::this_machine;

/// A private authority.
struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its key.
struct Issued {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = key();
        Self { certificate: params.self_signed(&key).expect("it is signed"), issuer: Issuer::new(params, key) }
    }

    fn issue(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Issued {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("the names are valid");
        change(&mut params);
        let key = key();
        Issued { certificate: params.signed_by(&key, &self.issuer).expect("it is signed"), key }
    }

    fn store(&self) -> RootCertStore {
        let mut store = RootCertStore::empty();
        store.add(self.certificate.der().clone()).expect("it is valid");
        store
    }
}

fn key() -> KeyPair {
    KeyPair::generate().expect("the machine has random numbers")
}

/// A request with the certificate of its client.
type Seen = (String, Option<CertificateDer<'static>>);

/// A server with TLS, which answers each request with the same bytes.
struct TlsServer {
    port: u16,
    requests: Arc<Mutex<Vec<Seen>>>,
}

impl TlsServer {
    /// Starts a server. With an authority, it asks for certificates from that one, and may require one.
    fn start(shown: &Issued, clients: Option<(&Authority, bool)>, answer: Vec<u8>) -> Self {
        let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().expect("all are known");
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some((authority, is_required)) => {
                let provider = Arc::new(rustls::crypto::ring::default_provider());
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(authority.store()), provider);
                let verifier = if is_required { verifier } else { verifier.allow_unauthenticated() };
                builder.with_client_cert_verifier(verifier.build().expect("it has an authority"))
            }
        };
        let key = shown.key.serialize_der().try_into().expect("it is PKCS 8");
        let config = builder.with_single_cert(vec![shown.certificate.der().clone()], key).expect("it is valid");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let (config, requests) = (Arc::new(config), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let connection = ServerConnection::new(Arc::clone(&config)).expect("the settings are valid");
                let mut stream = StreamOwned::new(connection, stream);
                let mut request = Vec::new();
                let mut byte = [0];
                while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                    request.push(byte[0]);
                }
                if !request.is_empty() {
                    let shown = stream.conn.peer_certificates().map(|chain| chain[0].clone().into_owned());
                    let request = String::from_utf8_lossy(&request).into_owned();
                    kept.lock().expect("no test panics with it").push((request, shown));
                    let _ = stream.write_all(&answer);
                }
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> Vec<Seen> {
        self.requests.lock().expect("no test panics with it").clone()
    }
}

/// A folder with files in PEM.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("failed to make a folder"))
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).expect("failed to write");
        path
    }
}

fn client(certificates: Certificates) -> Client {
    let policy = Policy { addresses: this_machine(), ports: Ports::Any };
    Client::new(policy, "toolc-net tests").with_certificates(certificates)
}

fn trusting(authorities: &[&Authority]) -> Certificates {
    let files = Files::new();
    let text: String = authorities.iter().map(|authority| authority.certificate.pem()).collect();
    Certificates::read(&[files.write("ca.pem", text)], None).expect("they are valid")
}

fn get(client: &Client, host: &str, port: u16) -> Result<Vec<u8>, FetchError> {
    let target = client.target(&format!("https://{host}:{port}/")).expect("a valid address");
    client.fetch(Fetch::get(target), &Limits::default()).map(|found| found.body)
}

#[test]
fn a_file_makes_a_private_authority_trusted() {
    let (authority, other) = (Authority::new("one"), Authority::new("two"));
    let server =
        TlsServer::start(&authority.issue(&["localhost", "127.0.0.1"], |_| ()), None, answer("200 OK", "", b"x"));
    assert_eq!(get(&client(trusting(&[&authority])), "127.0.0.1", server.port).expect("an answer"), b"x");
    assert_eq!(get(&client(trusting(&[&other, &authority])), "localhost", server.port).expect("an answer"), b"x");
    let configured = Client::configured("test").with_certificates(trusting(&[&authority]));
    assert_eq!(get(&configured, "127.0.0.1", server.port).expect("an answer"), b"x");
    let error = get(&client(Certificates::default()), "127.0.0.1", server.port).expect_err("it is not trusted");
    assert_eq!(error.fault, FetchFault::UnknownAuthority(Vec::new()));
    assert!(error.to_string().contains("add to `ca_files` of `[web]` in the configuration"), "{error}");
    let certificates = trusting(&[&other]);
    let file = certificates.ca_files()[0].display().to_string();
    let error = get(&client(certificates), "127.0.0.1", server.port).expect_err("it is not trusted");
    assert!(error.to_string().ends_with(&format!("in the files of `ca_files`: {file}")), "{error}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_certificate_that_is_not_valid_is_explained() {
    let authority = Authority::new("one");
    let past = |params: &mut CertificateParams| params.not_after = date_time_ymd(2001, 2, 3);
    let future = |params: &mut CertificateParams| params.not_before = date_time_ymd(3001, 2, 3);
    let of_authority = |params: &mut CertificateParams| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    for (issued, part) in [
        (authority.issue(&["127.0.0.1"], past), "has expired: it was valid until Sat, 03 Feb 2001"),
        (authority.issue(&["127.0.0.1"], future), "is not valid before Tue, 03 Feb 3001"),
        (
            authority.issue(&["a.example", "*.b.example"], |_| ()),
            "is for other names (a.example, *.b.example), not for 127.0.0.1",
        ),
        (authority.issue(&["127.0.0.1"], of_authority), "is the one of an authority"),
    ] {
        let server = TlsServer::start(&issued, None, answer("200 OK", "", b"secret"));
        let error = get(&client(trusting(&[&authority])), "127.0.0.1", server.port).expect_err(part);
        assert!(matches!(error.fault, FetchFault::Tls(_)) && error.to_string().contains(part), "{part}: {error}");
        assert!(server.requests().is_empty(), "{part}");
    }
}

#[test]
fn a_server_that_does_not_speak_tls_is_explained() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the client connects");
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let error = get(&client(Certificates::default()), "127.0.0.1", port).expect_err("it is not TLS");
    assert!(error.to_string().contains("does not answer with TLS"), "{error}");
}

#[test]
fn a_client_certificate_is_shown_to_its_hosts_only() {
    let (authority, clients) = (Authority::new("one"), Authority::new("two"));
    let (issued, own) = (authority.issue(&["localhost", "127.0.0.1"], |_| ()), clients.issue(&["me"], |_| ()));
    let requiring = TlsServer::start(&issued, Some((&clients, true)), answer("200 OK", "", b"x"));
    let asking = TlsServer::start(&issued, Some((&clients, false)), answer("200 OK", "", b"x"));
    let files = Files::new();
    let ca = files.write("ca.pem", authority.certificate.pem());
    let shown = |own: &Issued| {
        let certificate = files.write("own.pem", own.certificate.pem());
        let key = files.write("own.key", own.key.serialize_pem());
        let shown = ClientCertificate { certificate, key, hosts: vec!["localhost".to_owned()] };
        client(Certificates::read(std::slice::from_ref(&ca), Some(&shown)).expect("it is valid"))
    };
    let own_client = shown(&own);
    for server in [&requiring, &asking] {
        assert_eq!(get(&own_client, "localhost", server.port).expect("an answer"), b"x");
    }
    assert_eq!(get(&own_client, "127.0.0.1", asking.port).expect("an answer"), b"x");
    let seen: Vec<_> = asking.requests().into_iter().map(|(_, certificate)| certificate).collect();
    assert_eq!(seen, [Some(own.certificate.der().clone()), None]);
    let error = get(&own_client, "127.0.0.1", requiring.port).expect_err("it requires one");
    assert!(error.to_string().contains("asks for a client certificate"), "{error}");
    let error =
        get(&shown(&authority.issue(&["me"], |_| ())), "localhost", requiring.port).expect_err("another authority");
    assert!(error.to_string().contains("does not accept the client certificate"), "{error}");
}

#[test]
fn a_redirect_to_less_security_is_not_followed() {
    let authority = Authority::new("one");
    let plain = Server::start(|_| answer("200 OK", "", b"secret"));
    let issued = authority.issue(&["127.0.0.1"], |_| ());
    for status in ["301 x", "302 x", "303 x", "307 x", "308 x"] {
        let location = format!("Location: {}\r\n", plain.url("/"));
        let server = TlsServer::start(&issued, None, answer(status, &location, b""));
        let error = get(&client(trusting(&[&authority])), "127.0.0.1", server.port).expect_err(status);
        assert_eq!(error.fault, FetchFault::Downgrade, "{status}");
    }
    assert_eq!(plain.requests(), Vec::<String>::new());
}

#[test]
fn a_key_is_not_sent_to_a_server_with_a_wrong_certificate() {
    let authority = Authority::new("one");
    let server = TlsServer::start(&authority.issue(&["127.0.0.1"], |_| ()), None, answer("200 OK", "", b"x"));
    let client = client(Certificates::default());
    let target = client.target(&format!("https://127.0.0.1:{}/", server.port)).expect("a valid address");
    let fetch = Fetch::get(target).with_header(toolc_net::header::AUTHORIZATION, HeaderValue::from_static("Bearer x"));
    client.fetch(fetch, &Limits::default()).expect_err("it is not trusted");
    assert_eq!(server.requests(), []);
}

#[test]
fn a_mistake_in_a_file_of_certificates_is_explained() {
    let (authority, files) = (Authority::new("one"), Files::new());
    let (one, two) = (authority.issue(&["a"], |_| ()), authority.issue(&["b"], |_| ()));
    let certificate = files.write("a.pem", one.certificate.pem());
    let key = files.write("a.key", one.key.serialize_pem());
    let message =
        |ca: &PathBuf| Certificates::read(std::slice::from_ref(ca), None).expect_err("it is wrong").to_string();
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned();
    let der = files.write("a.der", one.certificate.der());
    for (file, part) in [
        (files.0.path().join("missing.pem"), "missing.pem: cannot be read: No such file"),
        (files.0.path().to_owned(), "it is not a file"),
        (files.write("empty", ""), "empty: is not PEM"),
        (files.write("page", "<html>"), "is not PEM"),
        (der.clone(), "is DER, but PEM is expected; convert it with `openssl"),
        (key.clone(), "contains no certificate"),
        (files.write("base64", "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n"), "is not valid PEM"),
        (files.write("end", "-----BEGIN CERTIFICATE-----\nAAAA\n"), "is not valid PEM"),
        (files.write("broken", one.certificate.pem() + &broken), "certificate 2 in it is not valid"),
        (files.write("large", vec![b'x'; (4 << 20) + 1]), "more than 4 MiB"),
    ] {
        let found = message(&file);
        assert!(found.contains(part) && found.starts_with(&file.display().to_string()), "{part}: {found}");
    }
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let old = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n";
    let no_key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    for (certificate, key, part) in [
        (&certificate, files.write("b.key", two.key.serialize_pem()), "does not belong to the certificate in"),
        (&certificate, certificate.clone(), "a.pem: contains no private key"),
        (&certificate, files.write("encrypted", encrypted), "with a password"),
        (&certificate, files.write("old", old), "with a password"),
        (&certificate, files.write("no.key", no_key), "cannot be used"),
        (&files.write("broken", broken), key.clone(), "broken: certificate 1 in it is not valid"),
        (&key, key.clone(), "a.key: contains no certificate"),
    ] {
        let shown = ClientCertificate { certificate: certificate.clone(), key, hosts: vec!["a".to_owned()] };
        let error = Certificates::read(&[], Some(&shown)).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
    let both = files.write("both.pem", one.certificate.pem() + &one.key.serialize_pem());
    let read = |hosts: &[&str]| {
        let hosts = hosts.iter().map(|&host| host.to_owned()).collect();
        let shown = ClientCertificate { certificate: both.clone(), key: both.clone(), hosts };
        Certificates::read(&[], Some(&shown)).map_err(|error| error.to_string())
    };
    read(&["a"]).expect("one file has both");
    // The address of a host that is shown the certificate is not for a third party.
    let internal = Client::new(Policy::default(), "test").with_certificates(read(&["8.8.8.8"]).expect("valid"));
    let is_public = |host: &str| {
        internal.is_public(&Target::parse(&format!("https://{host}/"), &Ports::Usual).expect("a valid address"))
    };
    assert!(is_public("8.8.4.4") && !is_public("8.8.8.8"));
    for (hosts, part) in
        [(&[][..], "list the hosts"), (&["a", "https://b"], "but got `https://b`"), (&[""], "but got ``")]
    {
        let error = read(hosts).expect_err(part);
        assert!(error.contains(part), "{part}: {error}");
    }
}
