//! Certificates that a person has configured: those of private certificate authorities, and one that shows a server who asks.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, RootCertStore, crypto, sign};
use sha2::{Digest as _, Sha256};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};
use url::Host;

/// The maximum size of a file, in bytes. The certificates of all public authorities have about 230 kB.
const MAX_FILE: u64 = 4 << 20;

/// The files of a client certificate and its private key, for servers that ask for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The file with the certificate and the intermediate ones after it, in PEM.
    pub certificate: PathBuf,
    /// The file with its private key, in PEM, without a password. It may be the same file.
    pub key: PathBuf,
    /// The hosts that are shown the certificate, as names or IP addresses. A name such as `corp.example` stands for the names below it too.
    /// Other servers that ask for a certificate get none, because it names its owner.
    pub hosts: Vec<String>,
}

/// The certificates of a client, in addition to those of the public authorities.
#[derive(Debug, Clone, Default)]
pub struct Certificates {
    ca_files: Vec<PathBuf>,
    /// The certificates in these files, in DER.
    authorities: Vec<Certificate<'static>>,
    shown: Option<(ClientCert, Vec<Host>)>,
}

/// Why a file with certificates is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub fault: CertificateFault,
}

/// What is wrong with a file with certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateFault {
    /// The file cannot be read, for this reason.
    Unreadable(String),
    /// The file has more than 4 MiB.
    TooLarge,
    /// The file is not PEM, but perhaps DER.
    NotPem {
        /// Whether it begins as a file in DER does.
        is_der: bool,
    },
    /// The PEM is damaged.
    Damaged(String),
    /// The file has no certificate.
    NoCertificate,
    /// A certificate, counted from 1, is not valid, for this reason.
    Certificate(usize, String),
    /// The file has no private key.
    NoKey,
    /// The private key has a password.
    EncryptedKey,
    /// The private key is not valid, for this reason.
    Key(String),
    /// The private key belongs to another certificate than the one in this file.
    OtherKey(PathBuf),
    /// No host is listed that is shown the certificate.
    NoHost,
    /// A listed host is not a name or an IP address.
    Host(String),
}

impl fmt::Display for CertificateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            Self::TooLarge => write!(f, "has more than {} MiB, which is too large for a file of certificates", MAX_FILE >> 20),
            Self::NotPem { is_der: true } => f.write_str(
                "is DER, but PEM is expected; convert it with `openssl x509 -inform der -in FILE -out FILE.pem`",
            ),
            Self::NotPem { is_der: false } => {
                f.write_str("is not PEM, a text with lines such as `-----BEGIN CERTIFICATE-----`")
            }
            Self::Damaged(reason) => write!(f, "is not valid PEM: {reason}"),
            Self::NoCertificate => f.write_str("contains no certificate; expected `-----BEGIN CERTIFICATE-----`"),
            Self::Certificate(number, reason) => write!(f, "certificate {number} in it is not valid: {reason}"),
            Self::NoKey => f.write_str("contains no private key; expected `-----BEGIN PRIVATE KEY-----`"),
            Self::EncryptedKey => f.write_str(
                "contains a private key with a password; write it without one, with `openssl pkey -in FILE -out FILE.pem`",
            ),
            Self::Key(reason) => write!(f, "the private key in it cannot be used: {reason}"),
            Self::OtherKey(certificate) => {
                write!(f, "the private key in it does not belong to the certificate in {}", certificate.display())
            }
            Self::NoHost => f.write_str("is not shown to any host: list the hosts that may see it in `client_hosts`"),
            Self::Host(host) => write!(
                f,
                "expected a host that is shown it, a name such as `corp.example` or an IP address, but got `{host}`"
            ),
        }
    }
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.fault)
    }
}

impl Error for CertificateError {}

impl Certificates {
    /// Reads the certificates of private authorities, and a certificate for servers that ask for one. All files are PEM, of at most 4 MiB.
    ///
    /// # Errors
    /// If a file is missing, is not PEM, lacks what it is read for, the key does not belong to the certificate, or no host is shown it.
    pub fn read(ca_files: &[PathBuf], client: Option<&ClientCertificate>) -> Result<Self, CertificateError> {
        let mut authorities = Vec::new();
        for file in ca_files {
            let found = certificates(file)?;
            let mut store = RootCertStore::empty();
            for (index, certificate) in found.iter().enumerate() {
                store.add(certificate.clone()).map_err(|error| CertificateError {
                    file: file.clone(),
                    fault: CertificateFault::Certificate(index + 1, error.to_string()),
                })?;
            }
            authorities.extend(found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()));
        }
        let shown = client.map(|client| Ok((client_certificate(client)?, hosts(client)?))).transpose()?;
        Ok(Self { ca_files: ca_files.to_vec(), authorities, shown })
    }

    /// Returns the files with the certificates of private authorities.
    pub fn ca_files(&self) -> &[PathBuf] {
        &self.ca_files
    }

    /// Returns whether there is a client certificate.
    pub(crate) fn has_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Returns whether a host is shown the client certificate.
    pub(crate) fn are_shown_to(&self, host: &Host<&str>) -> bool {
        self.shown.as_ref().is_some_and(|(_, hosts)| hosts.iter().any(|listed| is_or_is_below(host, listed)))
    }

    /// Returns the settings for connections to hosts that are shown the client certificate, or to the other ones.
    pub(crate) fn tls(&self, is_shown: bool) -> TlsConfig {
        let roots = if self.authorities.is_empty() {
            RootCerts::WebPki
        } else {
            let public = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|root| Certificate::from_der(root));
            RootCerts::from(public.chain(self.authorities.iter().cloned()))
        };
        let shown = self.shown.as_ref().filter(|_| is_shown).map(|(certificate, _)| certificate.clone());
        TlsConfig::builder().root_certs(roots).client_cert(shown).build()
    }

    /// Returns what differs if other authorities are trusted.
    pub(crate) fn digest(&self) -> Vec<u8> {
        let mut digest = Sha256::new();
        for authority in &self.authorities {
            digest.update(Sha256::digest(authority.der()));
        }
        digest.finalize().to_vec()
    }
}

/// Returns the hosts that are shown a certificate, in the form that addresses have.
fn hosts(client: &ClientCertificate) -> Result<Vec<Host>, CertificateError> {
    let fault = |fault| CertificateError { file: client.certificate.clone(), fault };
    if client.hosts.is_empty() {
        return Err(fault(CertificateFault::NoHost));
    }
    let read = |text: &String| match text.parse() {
        Ok(address) => Ok(Host::Ipv6(address)),
        Err(_) => Host::parse(text.trim_matches('.')).map_err(|_| fault(CertificateFault::Host(text.clone()))),
    };
    client.hosts.iter().map(read).collect()
}

fn is_or_is_below(host: &Host<&str>, listed: &Host) -> bool {
    match (host, listed) {
        (Host::Domain(host), Host::Domain(listed)) => {
            let start = host.trim_end_matches('.').strip_suffix(listed.as_str());
            start.is_some_and(|start| start.is_empty() || start.ends_with('.'))
        }
        (Host::Ipv4(host), Host::Ipv4(listed)) => host == listed,
        (Host::Ipv6(host), Host::Ipv6(listed)) => host == listed,
        _ => false,
    }
}

fn client_certificate(client: &ClientCertificate) -> Result<ClientCert, CertificateError> {
    let ClientCertificate { certificate, key, .. } = client;
    let chain = certificates(certificate)?;
    let fault = |fault| CertificateError { file: key.clone(), fault };
    let text = read_pem(key)?;
    let found = PrivateKeyDer::from_pem_slice(&text).map_err(|error| fault(unreadable_key(&text, &error)))?;
    // The client would panic on first use if this failed.
    sign::CertifiedKey::from_der(chain.clone(), found, &crypto::ring::default_provider()).map_err(
        |error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                fault(CertificateFault::OtherKey(certificate.clone()))
            }
            rustls::Error::InvalidCertificate(error) => CertificateError {
                file: certificate.clone(),
                fault: CertificateFault::Certificate(1, error.to_string()),
            },
            error => fault(CertificateFault::Key(error.to_string())),
        },
    )?;
    let chain: Vec<_> = chain.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    let key = PrivateKey::from_pem(&text).map_err(|error| fault(CertificateFault::Damaged(error.to_string())))?;
    Ok(ClientCert::new_with_certs(&chain, key))
}

/// Returns why a file has no private key that can be read. Encrypted keys are written in two ways, and both have this word.
fn unreadable_key(text: &[u8], error: &pem::Error) -> CertificateFault {
    match error {
        _ if text.windows(b"ENCRYPTED".len()).any(|word| word == b"ENCRYPTED") => CertificateFault::EncryptedKey,
        pem::Error::NoItemsFound => CertificateFault::NoKey,
        error => CertificateFault::Damaged(error.to_string()),
    }
}

/// Returns the certificates in a file. A file without one is an error.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let fault = |fault| CertificateError { file: file.to_owned(), fault };
    let text = read_pem(file)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| fault(CertificateFault::Damaged(error.to_string())))?;
    if found.is_empty() { Err(fault(CertificateFault::NoCertificate)) } else { Ok(found) }
}

/// Reads a file that may be PEM.
fn read_pem(path: &Path) -> Result<Vec<u8>, CertificateError> {
    let fault = |fault| CertificateError { file: path.to_owned(), fault };
    let unreadable = |error: std::io::Error| fault(CertificateFault::Unreadable(error.to_string()));
    let is_file = std::fs::metadata(path).map_err(unreadable)?.is_file();
    if !is_file {
        // To open a pipe could take forever.
        return Err(fault(CertificateFault::Unreadable("it is not a file".to_owned())));
    }
    let mut text = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut text)).map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        return Err(fault(CertificateFault::TooLarge));
    }
    if !text.windows(b"-----BEGIN ".len()).any(|word| word == b"-----BEGIN ") {
        return Err(fault(CertificateFault::NotPem { is_der: text.starts_with(&[0x30, 0x82]) }));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_the_listed_one_or_below_it() {
        for (listed, inside, outside) in [
            (
                "corp.example",
                &["corp.example", "a.corp.example", "A.B.Corp.Example.", "corp.example."][..],
                &["example", "notcorp.example", "corp.example.com", "corp-example"][..],
            ),
            (".corp.example.", &["corp.example", "a.corp.example"], &["b.example"]),
            ("Bücher.example", &["xn--bcher-kva.example", "bücher.example"], &["bucher.example"]),
            ("10.0.0.1", &["10.0.0.1", "0x0a.0.0.1"], &["10.0.0.2", "a.10.0.0.1.example"]),
            ("::1", &["[::1]"], &["[::2]", "127.0.0.1"]),
            ("[::1]", &["[0:0::1]"], &["[::2]"]),
        ] {
            let client =
                ClientCertificate { certificate: PathBuf::new(), key: PathBuf::new(), hosts: vec![listed.to_owned()] };
            let listed = hosts(&client).expect("they are hosts").remove(0);
            let is_shown = |host: &str| {
                let url = url::Url::parse(&format!("https://{host}/")).expect("an address");
                is_or_is_below(&url.host().expect("it has a host"), &listed)
            };
            for host in inside {
                assert!(is_shown(host), "{listed} has {host}");
            }
            for host in outside {
                assert!(!is_shown(host), "{listed} lacks {host}");
            }
        }
    }
}
