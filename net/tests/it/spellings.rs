//! Addresses that must not be reached, in every spelling.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolc_net::{
    AddressKind, AddressPolicy, Client, Fetch, FetchError, FetchFault, Limits, Policy, Ports, TargetFault,
};

/// Returns the addresses, with what refuses each.
pub(crate) fn spellings(port: u16) -> Vec<(&'static str, String)> {
    let lines = include_str!("spellings.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| (line[..14].trim(), unescaped(&line[14..]).replace("PORT", &port.to_string()))).collect()
}

fn unescaped(text: &str) -> String {
    let (mut found, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('\\') {
        found += before;
        let (character, length) = match &after[..1] {
            "t" => ('\t', 1),
            "n" => ('\n', 1),
            "r" => ('\r', 1),
            "x" => (u8::from_str_radix(&after[1..3], 16).expect("two digits").into(), 3),
            "\\" => ('\\', 1),
            other => panic!("an unknown escape: {other}"),
        };
        found.push(character);
        rest = &after[length..];
    }
    found + rest
}

/// Returns a client for the public Internet, and for the port of a listener.
pub(crate) fn public_client(port: u16) -> Client {
    Client::new(Policy { addresses: AddressPolicy::default(), ports: Ports::Only(vec![port, 80, 443]) }, "test")
}

/// Fetches an address, and returns what has refused it.
pub(crate) fn refusal(client: &Client, address: &str) -> Result<Vec<u8>, String> {
    let target = client.target(address).map_err(|invalid| word_for_form(&invalid.fault).to_owned())?;
    let found = client.fetch(Fetch::get(target), &Limits::default());
    found.map(|answer| answer.body).map_err(|error| word_for(&error))
}

fn word_for_form(fault: &TargetFault) -> &'static str {
    match fault {
        TargetFault::Syntax(_) => "syntax",
        TargetFault::Scheme(_) => "scheme",
        TargetFault::Credentials => "credentials",
        TargetFault::Port(..) => "port",
        TargetFault::Metadata => "metadata-host",
        _ => "another form",
    }
}

fn word_for(error: &FetchError) -> String {
    match &error.fault {
        FetchFault::Target(invalid) => word_for_form(&invalid.fault).to_owned(),
        FetchFault::Refused(refused) => match refused.kind {
            AddressKind::Loopback => "loopback".to_owned(),
            AddressKind::Unspecified => "unspecified".to_owned(),
            AddressKind::Private => "private".to_owned(),
            AddressKind::Shared => "shared".to_owned(),
            AddressKind::LinkLocal => "link-local".to_owned(),
            AddressKind::Metadata => "metadata".to_owned(),
            AddressKind::Multicast => "multicast".to_owned(),
            AddressKind::Documentation | AddressKind::Benchmark => "documentation".to_owned(),
            AddressKind::Reserved => "reserved".to_owned(),
            other => format!("{other:?}"),
        },
        FetchFault::NoSuchHost => "lookup".to_owned(),
        other => format!("not refused: {other}"),
    }
}

/// Returns whether a refusal is the one that is expected. Names may or may not be known on this machine.
pub(crate) fn is_expected(expected: &str, found: &str) -> bool {
    expected == found || expected == "lookup" && ["loopback", "private", "metadata"].contains(&found)
}

#[test]
fn no_spelling_of_a_refused_address_reaches_this_machine() {
    let connections = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("0.0.0.0:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    // The same port, where this machine has IPv6.
    let others = TcpListener::bind(("::1", port)).ok();
    for listener in others.into_iter().chain([listener]) {
        let connections = Arc::clone(&connections);
        std::thread::spawn(move || listener.incoming().for_each(|_| _ = connections.fetch_add(1, Ordering::SeqCst)));
    }
    let (client, spellings) = (public_client(port), spellings(port));
    assert!(spellings.len() > 300, "{}", spellings.len());
    let mut wrong = Vec::new();
    for (expected, address) in spellings {
        let found = refusal(&client, &address);
        if !found.as_ref().is_err_and(|found| is_expected(expected, found)) {
            wrong.push(format!("{expected}: {address:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}
