//! Which IP addresses a fetch may reach.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::network::Network;

/// What an address is for, if it is not an address of the public Internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressKind {
    /// This machine.
    Loopback,
    /// This machine or network, without a name for it: `0.0.0.0`, `::`.
    Unspecified,
    /// A private network.
    Private,
    /// A network between a provider and its customers.
    Shared,
    /// The link of a network interface.
    LinkLocal,
    /// A service of a cloud that gives credentials to its machines.
    Metadata,
    /// Many machines.
    Multicast,
    /// Examples in texts.
    Documentation,
    /// Measurements of networks.
    Benchmark,
    /// Protocols between machines, and addresses that are not assigned.
    Reserved,
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "this machine",
            Self::Unspecified => "this machine or network",
            Self::Private => "a private network",
            Self::Shared => "the network of a provider",
            Self::LinkLocal => "the local link",
            Self::Metadata => "a service with credentials of a cloud",
            Self::Multicast => "many machines",
            Self::Documentation => "examples only",
            Self::Benchmark => "measurements only",
            Self::Reserved => "no machine of the public Internet",
        })
    }
}

use AddressKind::{
    Benchmark, Documentation, LinkLocal, Loopback, Metadata, Multicast, Private, Reserved, Shared, Unspecified,
};

/// The addresses of services that give credentials or settings to the machines of a cloud, for AWS, Azure, Google, Oracle and most others
/// (169.254.169.254), for time and DNS of AWS (.123, .253), for its tasks and pods (169.254.170.2, .23), for Alibaba, and the IPv6 addresses of
/// AWS. No setting allows them.
const METADATA: &[Network] = &[
    Network::v4(169, 254, 169, 254, 32),
    Network::v4(169, 254, 169, 253, 32),
    Network::v4(169, 254, 169, 123, 32),
    Network::v4(169, 254, 170, 2, 32),
    Network::v4(169, 254, 170, 23, 32),
    Network::v4(100, 100, 100, 200, 32),
    // The WireServer of Azure, which gives the settings of a machine, and is in a public range (documentation of Azure).
    Network::v4(168, 63, 129, 16, 32),
    // Scaleway (cloud-init, the data source Scaleway).
    Network::v4(169, 254, 42, 42, 32),
    Network::one(IpAddr::V6(Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42))),
    // Tencent Cloud (the source of the Datadog agent).
    Network::v4(169, 254, 0, 23, 32),
    // The IPv6 address of Google's metadata server.
    Network::one(IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254))),
    Network::one(IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23))),
    Network::one(IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x123))),
    Network::one(IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x253))),
    Network::one(IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254))),
];

/// The ranges that are not a part of the public Internet, from the registries of special-purpose addresses of IANA and from RFC 3879
/// (`fec0::/10`). The first range that contains an address says what it is for.
const RANGES: &[(Network, AddressKind)] = &[
    (Network::v4(0, 0, 0, 0, 8), Unspecified),
    (Network::v4(10, 0, 0, 0, 8), Private),
    (Network::v4(100, 64, 0, 0, 10), Shared),
    (Network::v4(127, 0, 0, 0, 8), Loopback),
    (Network::v4(169, 254, 0, 0, 16), LinkLocal),
    (Network::v4(172, 16, 0, 0, 12), Private),
    (Network::v4(192, 0, 0, 0, 24), Reserved),
    (Network::v4(192, 0, 2, 0, 24), Documentation),
    (Network::v4(192, 31, 196, 0, 24), Reserved),
    (Network::v4(192, 52, 193, 0, 24), Reserved),
    (Network::v4(192, 88, 99, 0, 24), Reserved),
    (Network::v4(192, 168, 0, 0, 16), Private),
    (Network::v4(192, 175, 48, 0, 24), Reserved),
    (Network::v4(198, 18, 0, 0, 15), Benchmark),
    (Network::v4(198, 51, 100, 0, 24), Documentation),
    (Network::v4(203, 0, 113, 0, 24), Documentation),
    (Network::v4(224, 0, 0, 0, 4), Multicast),
    (Network::v4(240, 0, 0, 0, 4), Reserved),
    (Network::one(IpAddr::V6(Ipv6Addr::UNSPECIFIED)), Unspecified),
    (Network::one(IpAddr::V6(Ipv6Addr::LOCALHOST)), Loopback),
    // Translation to IPv4 inside of a network.
    (Network::v6([0x64, 0xff9b, 1, 0], 48), Private),
    (Network::v6([0x100, 0, 0, 0], 64), Reserved),
    (Network::v6([0x2001, 0, 0, 0], 23), Reserved),
    (Network::v6([0x2001, 0xdb8, 0, 0], 32), Documentation),
    (Network::v6([0x2620, 0x4f, 0x8000, 0], 48), Reserved),
    (Network::v6([0x3fff, 0, 0, 0], 20), Documentation),
    (Network::v6([0x5f00, 0, 0, 0], 16), Reserved),
    (Network::v6([0xfc00, 0, 0, 0], 7), Private),
    (Network::v6([0xfe80, 0, 0, 0], 10), LinkLocal),
    (Network::v6([0xfec0, 0, 0, 0], 10), Private),
    (Network::v6([0xff00, 0, 0, 0], 8), Multicast),
];

/// The IPv6 addresses of the public Internet.
const GLOBAL: Network = Network::v6([0x2000, 0, 0, 0], 3);
/// Translation to IPv4 at the border of a network (RFC 6052).
const NAT64: Network = Network::v6([0x64, 0xff9b, 0, 0], 96);
const TEREDO: Network = Network::v6([0x2001, 0, 0, 0], 32);
const SIX_TO_FOUR: Network = Network::v6([0x2002, 0, 0, 0], 16);

/// Which IP addresses a fetch may reach: those of the public Internet, and those of the networks that the user has named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    allowed: Vec<Network>,
}

/// An address that a fetch must not reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedAddress {
    /// The address.
    pub address: IpAddr,
    /// What it is for. An IPv6 address that stands for an IPv4 address is for what that one is for.
    pub kind: AddressKind,
}

impl RefusedAddress {
    /// Returns whether a setting of the user can allow the address.
    pub fn can_be_allowed(&self) -> bool {
        self.kind != Metadata
    }
}

impl fmt::Display for RefusedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is an address of {}", self.address, self.kind)
    }
}

impl Error for RefusedAddress {}

impl AddressPolicy {
    /// Returns a policy that allows the public Internet and these networks.
    pub fn new(allowed: Vec<Network>) -> Self {
        Self { allowed }
    }

    /// Checks an address.
    ///
    /// # Errors
    /// If it is not one of the public Internet, and in no network that the user has named. Services with credentials are always refused.
    pub fn check(&self, address: IpAddr) -> Result<(), RefusedAddress> {
        let refused = |kind| Err(RefusedAddress { address, kind });
        if let IpAddr::V6(v6) = address {
            for inner in hidden_v4(v6) {
                if let Err(RefusedAddress { kind, .. }) = self.check(IpAddr::V4(inner)) {
                    return refused(kind);
                }
            }
        }
        if METADATA.iter().any(|range| range.contains(address)) {
            return refused(Metadata);
        }
        if self.allowed.iter().any(|range| range.contains(address)) {
            return Ok(());
        }
        match kind(address) {
            Some(kind) => refused(kind),
            None => Ok(()),
        }
    }
}

/// Returns what an address is for, or `None` for the public Internet. An address that only stands for an IPv4 address is public.
fn kind(address: IpAddr) -> Option<AddressKind> {
    let is_other_form = matches!(address, IpAddr::V6(v6) if stands_for_v4(v6));
    let found = RANGES.iter().find(|(range, _)| range.contains(address)).map(|(_, kind)| *kind);
    match (address, found) {
        _ if is_other_form => None,
        (IpAddr::V6(_), None) if !GLOBAL.contains(address) => Some(Reserved),
        (_, found) => found,
    }
}

/// Returns whether packets to an address go to an IPv4 address, so that the judgement about that one counts.
fn stands_for_v4(address: Ipv6Addr) -> bool {
    let v6 = IpAddr::V6(address);
    address.to_ipv4_mapped().is_some() || NAT64.contains(v6) || TEREDO.contains(v6)
}

/// Returns the IPv4 addresses to which packets to an IPv6 address can go.
fn hidden_v4(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let bytes = address.octets();
    let at = |index: usize| Ipv4Addr::new(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3]);
    let v6 = IpAddr::V6(address);
    let mut found = Vec::new();
    // Mapped (`::ffff:0:0/96`), translated (`::ffff:0:0:0/96`) and compatible (`::/96`) addresses.
    let is_short =
        bytes[..8] == [0; 8] && matches!(bytes[8..12], [0, 0, 0xff, 0xff] | [0xff, 0xff, 0, 0] | [0, 0, 0, 0]);
    let is_plain = address.is_unspecified() || address.is_loopback();
    if is_short && !is_plain || NAT64.contains(v6) {
        found.push(at(12));
    }
    if SIX_TO_FOUR.contains(v6) {
        found.push(at(2));
    }
    if TEREDO.contains(v6) {
        // The server, and the client, whose bits are inverted.
        found.push(at(4));
        found.push(Ipv4Addr::from_bits(!at(12).to_bits()));
    }
    // ISATAP: the identifier of the interface has the address.
    if matches!(bytes[8..12], [0 | 2, 0, 0x5e, 0xfe]) {
        found.push(at(12));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn kind_of(text: &str) -> Option<AddressKind> {
        AddressPolicy::default().check(address(text)).err().map(|refused| refused.kind)
    }

    #[test]
    fn addresses_that_are_not_public_are_refused() {
        for (text, kind) in [
            ("0.0.0.0", Unspecified),
            ("0.1.2.3", Unspecified),
            ("10.0.0.1", Private),
            ("100.64.0.1", Shared),
            ("100.127.255.255", Shared),
            ("100.100.100.200", Metadata),
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("169.254.0.1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("169.254.169.253", Metadata),
            ("169.254.170.2", Metadata),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.0.0.1", Reserved),
            ("192.0.2.1", Documentation),
            ("192.88.99.1", Reserved),
            ("192.168.0.1", Private),
            ("198.18.0.1", Benchmark),
            ("198.19.255.255", Benchmark),
            ("198.51.100.1", Documentation),
            ("203.0.113.1", Documentation),
            ("224.0.0.1", Multicast),
            ("239.255.255.255", Multicast),
            ("240.0.0.1", Reserved),
            ("255.255.255.255", Reserved),
            ("::", Unspecified),
            ("::1", Loopback),
            ("::2", Unspecified),
            ("fc00::1", Private),
            ("fdff::1", Private),
            ("fd00:ec2::254", Metadata),
            ("fe80::1", LinkLocal),
            ("fec0::1", Private),
            ("ff02::1", Multicast),
            ("2001:db8::1", Documentation),
            ("3fff::1", Documentation),
            ("2001:2::1", Reserved),
            ("100::1", Reserved),
            ("4000::1", Reserved),
            ("5f00::1", Reserved),
        ] {
            assert_eq!(kind_of(text), Some(kind), "{text}");
        }
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "2001:4860:4860::8888",
        ] {
            assert_eq!(kind_of(text), None, "{text}");
        }
    }

    #[test]
    fn an_ipv4_address_in_an_ipv6_address_is_judged() {
        for (text, kind) in [
            ("::ffff:127.0.0.1", Some(Loopback)),
            ("::ffff:10.0.0.1", Some(Private)),
            ("::ffff:169.254.169.254", Some(Metadata)),
            ("::ffff:8.8.8.8", None),
            ("::ffff:0:127.0.0.1", Some(Loopback)),
            ("::ffff:0:8.8.8.8", Some(Reserved)),
            ("::127.0.0.1", Some(Loopback)),
            ("::8.8.8.8", Some(Reserved)),
            ("64:ff9b::10.0.0.1", Some(Private)),
            ("64:ff9b::169.254.169.254", Some(Metadata)),
            ("64:ff9b::8.8.8.8", None),
            ("64:ff9b:1::8.8.8.8", Some(Private)),
            ("2002:7f00:1::", Some(Loopback)),
            ("2002:a9fe:a9fe::1", Some(Metadata)),
            ("2002:808:808::1", None),
            // The client of this Teredo address is 127.0.0.1, and then its server.
            ("2001:0:808:808:0:0:80ff:fffe", Some(Loopback)),
            ("2001:0:7f00:1:0:0:f7f7:f7f7", Some(Loopback)),
            ("2001:0:808:808:0:0:f7f7:f7f7", None),
            ("2a00::5efe:127.0.0.1", Some(Loopback)),
            ("2a00::200:5efe:192.168.0.1", Some(Private)),
        ] {
            assert_eq!(kind_of(text), kind, "{text}");
        }
    }

    #[test]
    fn a_user_allows_networks_but_no_service_with_credentials() {
        let networks = ["10.1.0.0/16", "127.0.0.1", "169.254.0.0/16", "fd00::/8", "::1"];
        let policy = AddressPolicy::new(networks.map(|text| text.parse().expect("a range")).to_vec());
        for text in ["10.1.2.3", "127.0.0.1", "169.254.1.1", "fd00::1", "::1", "::ffff:10.1.0.1", "8.8.8.8"] {
            assert_eq!(policy.check(address(text)), Ok(()), "{text}");
        }
        for (text, kind) in [
            ("10.2.0.1", Private),
            ("127.0.0.2", Loopback),
            ("169.254.169.254", Metadata),
            ("fd00:ec2::254", Metadata),
            ("fd00:42::42", Metadata),
            ("fd20:ce::254", Metadata),
            ("169.254.42.42", Metadata),
            ("169.254.0.23", Metadata),
            ("168.63.129.16", Metadata),
            ("::ffff:168.63.129.16", Metadata),
            ("::ffff:169.254.169.254", Metadata),
            ("64:ff9b::a9fe:a9fe", Metadata),
        ] {
            let refused = policy.check(address(text)).expect_err(text);
            assert_eq!((refused.kind, refused.can_be_allowed()), (kind, kind != Metadata), "{text}");
        }
    }
}
