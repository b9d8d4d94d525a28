//! Where GitHub is.

use toolc_net::{HeaderName, HeaderValue, header};
use url::Url;

use crate::identifier::Repository;
use crate::secret::Secret;
use crate::trust::Trust;
use crate::web::{Headers, join};

/// The addresses of an instance of GitHub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHubHost {
    /// The address of the API. Only it is sent a token.
    pub api: Url,
    /// The address of files without the API, which requests without a token use: it does not count them.
    pub raw: Option<Url>,
    /// The address of pages for people.
    pub pages: Url,
}

impl GitHubHost {
    /// Returns github.com.
    pub fn github_com() -> Self {
        let url = |text| Url::parse(text).expect("it is an address");
        Self {
            api: url("https://api.github.com"),
            raw: Some(url("https://raw.githubusercontent.com")),
            pages: url("https://github.com"),
        }
    }

    /// Returns an instance of GitHub Enterprise Server, such as `https://github.example.com`.
    pub fn enterprise(pages: Url) -> Self {
        Self { api: join(&pages, ["api", "v3"]), raw: None, pages }
    }

    /// Returns the trust in a repository. Only github.com has trusted ones.
    pub(super) fn trust(&self, repository: &Repository) -> Trust {
        if self.api == Self::github_com().api {
            Trust::of_repository(&repository.owner, &repository.name)
        } else {
            Trust::Community
        }
    }

    /// Returns an address of the API about a repository.
    pub(super) fn repository(&self, repository: &Repository, names: &[&str]) -> Url {
        let names = ["repos", &repository.owner, &repository.name].into_iter().chain(names.iter().copied());
        join(&self.api, names)
    }

    /// Returns the page of a folder.
    pub(super) fn page(&self, repository: &Repository, commit: &str, path: &str) -> String {
        let names = [repository.owner.as_str(), &repository.name, "tree", commit].into_iter();
        join(&self.pages, names.chain(path.split('/').filter(|name| !name.is_empty()))).to_string()
    }
}

/// Returns the headers of a request to the API.
pub(super) fn headers(token: Option<&Secret>) -> Headers {
    let version = (HeaderName::from_static("x-github-api-version"), HeaderValue::from_static("2022-11-28"));
    [version].into_iter().chain(token.and_then(bearer)).collect()
}

/// Returns the header with a token.
fn bearer(token: &Secret) -> Option<(HeaderName, HeaderValue)> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.reveal())).ok()?;
    value.set_sensitive(true);
    Some((header::AUTHORIZATION, value))
}

/// Returns the header that asks for a form of an answer.
pub(super) fn accept(form: &'static str) -> (HeaderName, HeaderValue) {
    (header::ACCEPT, HeaderValue::from_static(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_github_com_has_trusted_repositories() {
        let repository: Repository = "openai/skills".parse().expect("it is a repository");
        assert_eq!(GitHubHost::github_com().trust(&repository), Trust::Trusted);
        for pages in ["https://github.example.com", "https://api.github.com.example.com", "http://api.github.com"] {
            let mut host = GitHubHost::enterprise(Url::parse(pages).expect("it is an address"));
            assert_eq!(host.trust(&repository), Trust::Community, "{pages}");
            host.api = Url::parse(pages).expect("it is an address");
            assert_eq!(host.trust(&repository), Trust::Community, "{pages}");
        }
    }
}
