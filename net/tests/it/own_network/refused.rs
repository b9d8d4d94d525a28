//! Refused addresses in a network in which each of them would answer.

use std::collections::BTreeSet;
use std::net::IpAddr;

use toolc_net::{Fetch, FetchFault, Limits};

use super::{Everywhere, NameServer, in_own_network, page};
use crate::server::answer;
use crate::spellings::{is_expected, public_client, refusal, spellings};

const PORT: u16 = 8080;

/// Answers names such as `10.0.0.1.nip.test` as a public service does.
fn names() -> NameServer {
    NameServer::start(|name, _| {
        let labels: Vec<&str> = name.split('.').take(4).collect();
        Some(vec![labels.join(".").parse().unwrap_or(IpAddr::from([127, 0, 0, 1]))])
    })
}

#[test]
fn no_spelling_of_a_refused_address_reaches_any_machine() {
    in_own_network(|| {
        let (_names, server) = (names(), Everywhere::start(PORT, |_| page()));
        let client = public_client(PORT);
        // The server is everywhere.
        for address in ["8.8.8.8", "1.1.1.1", "[2606:4700::1111]"] {
            assert_eq!(refusal(&client, &format!("http://{address}:{PORT}/")).expect(address), b"page");
        }
        assert_eq!(server.reached().len(), 3);
        for (expected, address) in spellings(PORT) {
            let found = refusal(&client, &address).expect_err(&address);
            assert!(is_expected(expected, &found), "{expected}: {address:?}: {found:?}");
        }
        assert_eq!(server.reached(), Vec::<IpAddr>::new());
    });
}

#[test]
fn no_redirect_reaches_a_refused_address() {
    in_own_network(|| {
        let all = spellings(PORT);
        let (_names, places) = (names(), all.clone());
        // A path has the status, and the number of a spelling.
        let server = Everywhere::start(PORT, move |path| {
            let parts = path.strip_prefix("/redirect/").and_then(|path| path.split_once('/'));
            let found = parts.and_then(|(status, number)| Some((status, places.get(number.parse::<usize>().ok()?)?)));
            let Some((status, (_, place))) = found else { return page() };
            // A header has one line.
            let place: String = place.chars().filter(|character| !character.is_control()).collect();
            answer(&format!("{status} x"), &format!("Location: {place}\r\n"), b"")
        });
        let client = public_client(PORT);
        let (limits, mut relative) = (Limits { redirects: 1, ..Limits::default() }, 0);
        let mut kinds = BTreeSet::new();
        for (number, (kind, address)) in all.iter().enumerate() {
            // Every status for the first address of a kind, and one of them for each other address.
            let statuses = [301, 302, 303, 307, 308];
            let one = &statuses[number % 5..][..1];
            for status in if kinds.insert(kind) { &statuses[..] } else { one } {
                let first = format!("http://8.8.8.8:{PORT}/redirect/{status}/{number}");
                let first = client.target(&first).expect("a valid address");
                match client.fetch(Fetch::get(first), &limits) {
                    Err(error) => assert!(
                        matches!(error.fault, FetchFault::Target(_) | FetchFault::Refused(_) | FetchFault::NoSuchHost),
                        "{status} {address:?}: {error}"
                    ),
                    // In a page, `http:/a` and `a` are paths.
                    Ok(_) => relative += 1,
                }
            }
        }
        assert!(relative < 20, "{relative}");
        let reached = server.reached();
        assert!(reached.iter().all(|address| *address == IpAddr::from([8, 8, 8, 8])), "{reached:?}");
        assert!(reached.len() >= all.len(), "{}", reached.len());
    });
}
