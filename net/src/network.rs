//! Ranges of IP addresses.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A range of IP addresses, written as `10.0.0.0/8` or `fd00::/8`. A single address is a range of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    /// The number of bits that all addresses of the range have in common.
    prefix: u8,
}

impl Network {
    pub(crate) const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    /// Returns the range of the addresses whose first groups are these.
    pub(crate) const fn v6(first: [u16; 4], prefix: u8) -> Self {
        let [a, b, c, d] = first;
        Self { address: IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)), prefix }
    }

    pub(crate) const fn one(address: IpAddr) -> Self {
        Self { address, prefix: bits(address) }
    }

    /// Returns whether an address is in the range. An IPv4 address is in no range of IPv6 addresses, and the other way round.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0);
                first.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix)).unwrap_or(0);
                first.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

/// Returns the number of bits of an address.
const fn bits(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

/// Why a text is not a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidNetwork {
    /// The part before the slash is not an IP address.
    Address(String),
    /// The part after the slash is not a number of bits of the address.
    Prefix(u8),
    /// The address has bits after its prefix: the range that was probably meant.
    Inside(Network),
}

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(text) => {
                write!(f, "expected a range of IP addresses, such as `10.0.0.0/8` or `fd00::/8`, but got `{text}`")
            }
            Self::Prefix(bits) => write!(f, "expected a number from 0 to {bits} after the `/`"),
            Self::Inside(network) => {
                write!(f, "the address is inside of a range: write `{network}` for the whole range")
            }
        }
    }
}

impl Error for InvalidNetwork {}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr =
            address.parse().map_err(|_| InvalidNetwork::Address(text.chars().take(64).collect::<String>()))?;
        let most = bits(address);
        let Some(prefix) = prefix else { return Ok(Self::one(address)) };
        let is_plain = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|prefix| is_plain && *prefix <= most);
        let prefix: u8 = prefix.ok_or(InvalidNetwork::Prefix(most))?;
        let first = match address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        };
        let network = Self { address: first, prefix };
        if first == address { Ok(network) } else { Err(InvalidNetwork::Inside(network)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_range_has_the_addresses_with_its_prefix() {
        for (range, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
            ("192.168.1.7", "192.168.1.7", "192.168.1.6"),
            ("172.16.0.0/12", "172.31.255.255", "172.32.0.0"),
            ("fd00::/8", "fdff::1", "fc00::1"),
            ("::1", "::1", "::2"),
            ("0.0.0.0/0", "8.8.8.8", "::ffff:8.8.8.8"),
            ("::/0", "2001:db8::", "8.8.8.8"),
        ] {
            let parsed = network(range);
            assert!(parsed.contains(inside.parse().expect("an address")), "{range} has {inside}");
            assert!(!parsed.contains(outside.parse().expect("an address")), "{range} lacks {outside}");
            assert!(parsed.to_string().starts_with(range));
        }
    }

    #[test]
    fn a_mistake_in_a_range_is_explained() {
        for (text, part) in [
            ("10.0.0.1/8", "write `10.0.0.0/8`"),
            ("fd00::1/64", "write `fd00::/64`"),
            ("10.0.0.0/33", "from 0 to 32"),
            ("10.0.0.0/+8", "from 0 to 32"),
            ("10.0.0.0/", "from 0 to 32"),
            ("::/129", "from 0 to 128"),
            ("example.com", "but got `example.com`"),
            ("010.0.0.0/8", "but got"),
            ("", "but got ``"),
        ] {
            let error = text.parse::<Network>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
