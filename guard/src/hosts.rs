//! Addresses in texts: where they are, their hosts, and what is known about those.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use crate::tables::hosts as table;

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) at: Range<usize>,
    /// The host in lower case, without user, port and trailing dot.
    pub(crate) host: String,
    /// The path with the query.
    pub(crate) path: String,
}

/// What is known about a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// An address on this machine or in a private network.
    Local,
    /// A bare address of the Internet.
    Number,
    /// A service that collects requests, opens tunnels, keeps pastes, or shortens addresses.
    Hiding(&'static str),
    /// Any other name.
    Named,
}

/// Returns the addresses of a text: what begins with a scheme.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    let mut found = Vec::new();
    for (sign, _) in text.match_indices("://") {
        let before = &text[..sign];
        let scheme_start = before
            .rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '+')
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let scheme = before[scheme_start..].to_ascii_lowercase();
        let is_known = ["http", "https", "ftp", "ws", "wss", "git+https", "git+http", "git", "ssh", "tcp"]
            .iter()
            .any(|known| scheme.ends_with(known));
        if !is_known {
            continue;
        }
        let rest = &text[sign + 3..];
        let end = rest
            .find(|letter: char| {
                letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '<' | '>' | ')' | '\\' | '|' | ']')
            })
            .unwrap_or(rest.len())
            .min(2048);
        let end = rest.floor_char_boundary(end);
        let whole = rest[..end].trim_end_matches(['.', ',', ';', ':', '*']);
        if let Some(mut address) = parse(whole) {
            address.at = scheme_start..sign + 3 + whole.len();
            found.push(address);
        }
    }
    found
}

/// Reads what comes after the scheme.
fn parse(rest: &str) -> Option<Address> {
    let split = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(split);
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then(|| Address { at: 0..0, host, path: path.to_owned() })
}

impl Address {
    /// Returns what is known about the host.
    pub(crate) fn standing(&self) -> Standing {
        standing(&self.host)
    }

    /// Returns whether the address belongs to a well-known installer or its files.
    pub(crate) fn is_known_installer(&self) -> bool {
        let path = self.path.trim_start_matches('/').to_lowercase();
        table::INSTALLERS.iter().any(|known| match known.split_once('/') {
            Some((host, start)) => self.host == host && path.starts_with(start),
            None => is_below(&self.host, known),
        })
    }

    /// Returns whether the host is one that serves repositories of anyone.
    pub(crate) fn is_forge(&self) -> bool {
        table::FORGES.iter().any(|forge| is_below(&self.host, forge))
    }

    /// Returns whether the host is a public registry of packages, or a mirror of one.
    pub(crate) fn is_registry(&self) -> bool {
        table::REGISTRIES.iter().any(|registry| is_below(&self.host, registry))
    }
}

/// Returns what is known about a host.
pub(crate) fn standing(host: &str) -> Standing {
    if let Some(is_local) = number(host) {
        return if is_local { Standing::Local } else { Standing::Number };
    }
    if table::LOCAL.iter().any(|local| is_below(host, local)) || !host.contains('.') {
        return Standing::Local;
    }
    let hiding = table::HIDING.iter().find(|(name, _)| is_below(host, name));
    hiding.map_or(Standing::Named, |(_, what)| Standing::Hiding(what))
}

/// Returns whether a host is a name, or is below it.
pub(crate) fn is_below(host: &str, name: &str) -> bool {
    host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Returns whether a host that is an address, in any spelling, is one of this machine or a private network. `None` for a name.
fn number(host: &str) -> Option<bool> {
    if let Ok(six) = host.parse::<Ipv6Addr>() {
        return Some(
            six.to_ipv4_mapped().map_or(six.is_loopback() || six.is_unspecified() || six.is_unique_local(), is_local),
        );
    }
    let parts: Vec<u64> = host.split('.').map(part).collect::<Option<_>>()?;
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() <= 3)?;
    // A plain number without dots is a host only in the spellings that stand for a whole address.
    if first.is_empty() && *last < 0x0100_0000 {
        return None;
    }
    let mut value: u64 = 0;
    for byte in first {
        value = (value << 8) | (byte & 0xff);
    }
    value = (value << (8 * (4 - first.len()))) | last;
    Some(is_local(Ipv4Addr::from(u32::try_from(value).ok()?)))
}

fn part(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

fn is_local(four: Ipv4Addr) -> bool {
    four.is_loopback() || four.is_private() || four.is_unspecified() || four.is_link_local() || four.is_broadcast()
}

/// Returns whether a host mixes scripts, such as Latin with Cyrillic letters, or is an encoded name of that kind.
pub(crate) fn looks_alike(host: &str) -> bool {
    host.split('.').any(|label| {
        let is_latin = label.chars().any(|letter| letter.is_ascii_alphabetic());
        let is_other = label.chars().any(
            |letter| matches!(letter, '\u{370}'..='\u{58f}' | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}'),
        );
        is_latin && is_other
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_any_spelling() {
        for (text, expected) in [
            ("curl http://91.92.242.30/x", Standing::Number),
            ("http://0x5b5cf21e/x", Standing::Number),
            ("http://1532817950/", Standing::Number),
            ("http://127.0.0.1:8080/", Standing::Local),
            ("http://localhost:3000", Standing::Local),
            ("https://box.local/a", Standing::Local),
            ("https://abc.ngrok-free.app/x", Standing::Hiding("opens tunnels")),
            ("https://user:pw@docs.rs/x", Standing::Named),
        ] {
            assert_eq!(addresses(text)[0].standing(), expected, "{text}");
        }
    }

    #[test]
    fn mixed_scripts_in_a_host_look_alike() {
        assert!(looks_alike("g\u{456}thub.com"));
        assert!(!looks_alike("github.com"));
        assert!(!looks_alike("пример.рф"));
    }
}
