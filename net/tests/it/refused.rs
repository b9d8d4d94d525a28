//! What must not be reached is not connected to.

use std::net::IpAddr;

use toolc_net::{AddressPolicy, Client, Fetch, FetchFault, Limits, Policy, Ports};

use crate::server::{Server, answer};
use crate::spellings::public_client;

#[test]
fn the_message_says_what_an_address_is_for() {
    let client = public_client(80);
    let message = |host: &str| {
        let target = client.target(&format!("http://{host}/")).expect("a valid address");
        client.fetch(Fetch::get(target), &Limits::default()).expect_err(host).to_string()
    };
    assert_eq!(
        message("10.0.0.1"),
        "http://10.0.0.1/: 10.0.0.1 is an address of a private network; it is fetched only if `web.networks` of the configuration allows it"
    );
    assert_eq!(
        message("169.254.169.254"),
        "http://169.254.169.254/: 169.254.169.254 is an address of a service with credentials of a cloud, which is never fetched"
    );
}

#[test]
fn a_policy_allows_one_address_and_no_other() {
    let server = Server::start(|_| answer("200 OK", "", b"x"));
    let only: IpAddr = "127.0.0.1".parse().expect("an address");
    let networks = vec![only.to_string().parse().expect("a range")];
    let client =
        Client::new(Policy { addresses: AddressPolicy::new(networks), ports: Ports::Only(vec![server.port]) }, "test");
    let fetch = |host: &str| {
        let target = client.target(&format!("http://{host}:{}/", server.port)).expect("a valid address");
        client.fetch(Fetch::get(target), &Limits::default())
    };
    assert!(fetch("127.0.0.1").is_ok());
    assert!(matches!(fetch("127.0.0.2").expect_err("another address").fault, FetchFault::Refused(_)));
    assert_eq!(server.requests().len(), 1);
}
