//! The configuration of the web tools.

use std::env;
use std::path::{Path, PathBuf};

use toolc_config::{Config, Home, SearchService, expanded};
use toolc_net::{Certificates, ClientCertificate};
use toolc_web::{PdfProgram, WebSettings, search};

use crate::ground::error::Result;
use crate::profile::Profile;

/// The fact that says whether the configuration names a search service that can be asked.
pub(crate) const SEARCH_SERVICE: &str = "web_search_service";

/// The command of this program that reads a PDF file.
pub(crate) const READ_PDF: &str = "read-pdf";

/// Returns the settings of the web tools.
///
/// # Errors
/// If a file with certificates cannot be read.
pub(crate) fn settings(config: &Config, home: &Home) -> Result<WebSettings> {
    let web = &config.web;
    let client = web.client_certificate.as_deref().zip(web.client_key.as_deref());
    let client = client.map(|(certificate, key)| ClientCertificate {
        certificate: expanded(certificate),
        key: expanded(key),
        hosts: web.client_hosts.clone(),
    });
    let authorities: Vec<_> = web.ca_files.iter().map(|file| expanded(file)).collect();
    let has_certificates = client.is_some() || !authorities.is_empty();
    let certificates = has_certificates.then(|| Certificates::read(&authorities, client.as_ref())).transpose()?;
    let cache_bytes = u64::from(web.cache_mib) << 20;
    Ok(WebSettings {
        search: web.search.iter().map(|service| service.word().to_owned()).collect(),
        readers: web.readers.iter().map(|reader| reader.word().to_owned()).collect(),
        variables: web.searxng.iter().map(|address| ("SEARXNG_URL".to_owned(), address.clone())).collect(),
        networks: web.networks(),
        ports: web.ports(),
        certificates,
        cache: (cache_bytes > 0).then(|| (cache(home.path()), cache_bytes)),
        pdf: pdf_program(),
        results: Some(home.results()),
        crawl_pause: web.crawl_pause,
        ..WebSettings::default()
    })
}

/// Returns the command of this program that reads PDF files.
fn pdf_program() -> Option<PdfProgram> {
    // The file of this program may have been replaced since it was started.
    let own = Path::new("/proc/self/exe");
    let program = if own.exists() { own.to_owned() } else { env::current_exe().ok()? };
    Some(PdfProgram::new([program.into_os_string(), READ_PDF.into()]))
}

fn cache(home: &Path) -> PathBuf {
    home.join("cache").join("web")
}

/// Returns whether the configuration names a search service that can be asked: it has what the service needs.
pub(crate) fn has_search_service(profile: &Profile) -> bool {
    let (web, env) = (&profile.config().web, profile.env());
    let has_all = |service: &&SearchService| {
        let service = search::service(service.word());
        service.is_some_and(|service| service.configure(&|name: &str| env.var(name)).is_ok())
    };
    web.searxng.is_some() || web.search.iter().any(|service| has_all(&service))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use toolc_config::{PageReader, SearchService, Words as _};
    use toolc_web::{readers::READERS, search::SERVICES};

    #[test]
    fn the_configuration_knows_every_service() {
        let words = |words: &[(&'static str, &str)]| words.iter().map(|(word, _)| *word).collect::<BTreeSet<_>>();
        let services = SERVICES.iter().map(|service| service.account.name).collect();
        assert_eq!(words(SearchService::WORDS), services);
        let readers = READERS.iter().map(|reader| reader.account.name).collect();
        assert_eq!(words(PageReader::WORDS), readers);
    }
}
