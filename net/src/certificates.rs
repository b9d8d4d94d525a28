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

/// The maximum size of a file, in bytes. The certificates of all public authorities have about 230 kB.
const MAX_FILE: u64 = 4 << 20;

/// A certificate that shows a server who asks, with its key, as files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The file with the certificate and the intermediate ones after it, in PEM.
    pub certificate: PathBuf,
    /// The file with its private key, in PEM, without a password. It may be the same file.
    pub key: PathBuf,
    /// The hosts that are shown the certificate, such as `build.example.com`. A name stands for the names below it too. Other servers that ask
    /// for a certificate get none: it names its owner.
    pub hosts: Vec<String>,
}

/// The certificates of a client, in addition to those of the public authorities.
#[derive(Debug, Clone, Default)]
pub struct Certificates {
    ca_files: Vec<PathBuf>,
    /// The certificates in these files, in DER.
    authorities: Vec<Certificate<'static>>,
    shown: Option<(ClientCert, Vec<String>)>,
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
}

impl fmt::Display for CertificateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            Self::TooLarge => write!(f, "has more than {} MiB, which is not a file of certificates", MAX_FILE >> 20),
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
    /// If a file is missing, is not PEM, lacks what it is read for, or the key does not belong to the certificate.
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
        let shown = client.map(|client| Ok((client_certificate(client)?, client.hosts.clone()))).transpose()?;
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
    pub(crate) fn are_shown_to(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        let is_or_is_below = |name: &String| {
            let name = name.trim_matches('.');
            let start = host.len().checked_sub(name.len()).filter(|_| !name.is_empty());
            let end = start.and_then(|start| host.get(start..));
            end.is_some_and(|end| end.eq_ignore_ascii_case(name))
                && start.is_some_and(|start| start == 0 || host.as_bytes()[start - 1] == b'.')
        };
        self.shown.as_ref().is_some_and(|(_, hosts)| hosts.iter().any(is_or_is_below))
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

/// Returns the certificates in a file, of which there is at least one.
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
