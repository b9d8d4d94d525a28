//! Addresses at which clouds give credentials to whatever runs in a machine, in any spelling that a program would connect to.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// The addresses of version 4, with whose they are.
const V4: [(Ipv4Addr, &str); 7] = [
    (Ipv4Addr::new(169, 254, 169, 254), "most clouds"),
    (Ipv4Addr::new(169, 254, 169, 253), "Amazon"),
    (Ipv4Addr::new(169, 254, 170, 2), "Amazon's containers"),
    (Ipv4Addr::new(169, 254, 170, 23), "Amazon's Kubernetes"),
    (Ipv4Addr::new(100, 100, 100, 200), "Alibaba"),
    (Ipv4Addr::new(168, 63, 129, 16), "Azure"),
    (Ipv4Addr::new(192, 0, 0, 192), "Oracle"),
];

/// The addresses of version 6.
const V6: [(Ipv6Addr, &str); 4] = [
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), "Amazon"),
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23), "Amazon's Kubernetes"),
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), "Google"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe), "most clouds"),
];

/// The names.
const NAMES: [(&str, &str); 10] = [
    ("metadata.google.internal", "Google"),
    ("metadata.goog", "Google"),
    ("metadata.azure.internal", "Azure"),
    ("metadata.azure.com", "Azure"),
    ("metadata.tencentyun.com", "Tencent"),
    ("metadata.packet.net", "Equinix"),
    ("metadata.platformequinix.com", "Equinix"),
    ("metadata.oraclecloud.com", "Oracle"),
    ("instance-data", "Amazon"),
    ("instance-data.ec2.internal", "Amazon"),
];

/// The paths below which the metadata are.
const PATHS: [(&str, &str); 4] = [
    ("/computeMetadata/v1", "Google"),
    ("/latest/meta-data", "Amazon"),
    ("/metadata/identity/oauth2", "Azure"),
    ("/opc/v2/instance", "Oracle"),
];

/// The addresses that embed one of version 4 in their last 32 bits: mapped, compatible and translated ones.
const EMBEDDING: [[u16; 6]; 4] =
    [[0, 0, 0, 0, 0, 0xffff], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0xffff, 0], [0x64, 0xff9b, 0, 0, 0, 0]];

/// Services that resolve a name to the address in it, such as `169.254.169.254.nip.io`.
const RESOLVERS: [&str; 4] = ["nip.io", "sslip.io", "xip.io", "traefik.me"];

/// An address of a cloud's metadata in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetadataAddress {
    /// The place in the text.
    pub span: Range<usize>,
    /// The address or name in its usual spelling.
    pub address: String,
    /// Whose it is, such as "Amazon".
    pub whose: &'static str,
}

/// Returns the first address of a cloud's metadata in a value, such as a URL. Decimal, octal and hexadecimal spellings, addresses of
/// version 6 that stand for one of version 4, and escapes are understood.
pub fn metadata_address(text: &str) -> Option<MetadataAddress> {
    let host = hosts(text).find_map(|span| {
        let host = plain(&text[span.clone()]);
        let (address, whose) = known(&host)?;
        let is_host = !may_be_number(&host) || is_place_of_host(text, &span);
        is_host.then_some(MetadataAddress { span, address, whose })
    });
    // A short name or a proxy leads there as well.
    let path = || {
        PATHS.iter().find_map(|(path, whose)| {
            let start = text.find(path)?;
            Some(MetadataAddress { span: start..start + path.len(), address: (*path).to_owned(), whose })
        })
    };
    host.or_else(path)
}

/// Returns whether a host is also the spelling of a number: `2852039166`, `0xa9fea9fe`, `169.16689662`.
fn may_be_number(host: &str) -> bool {
    let is_decimal = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match host.split_once('.') {
        Some((whole, fraction)) => is_decimal(whole) && is_decimal(fraction),
        None => is_decimal(host) || host.starts_with("0x"),
    }
}

/// Words before a host: programs that connect to it, and words for it.
const BEFORE_HOSTS: [&str; 45] = [
    "addr",
    "address",
    "base",
    "callback",
    "connect",
    "curl",
    "dig",
    "domain",
    "download",
    "endpoint",
    "fetch",
    "forward",
    "from",
    "get",
    "gateway",
    "host",
    "hostname",
    "hosts",
    "http",
    "https",
    "ip",
    "ipv4",
    "link",
    "nc",
    "ncat",
    "netcat",
    "nmap",
    "open",
    "origin",
    "peer",
    "ping",
    "post",
    "proxy",
    "request",
    "server",
    "socket",
    "ssh",
    "target",
    "telnet",
    "traceroute",
    "uri",
    "url",
    "visit",
    "webhook",
    "wget",
];

/// Returns whether a number is where a host can be: alone, in an address of a page, before a port or a path, or after a word for a
/// host or a program that connects to one.
fn is_place_of_host(text: &str, span: &Range<usize>) -> bool {
    let (before, after) = (text[..span.start].trim_end(), &text[span.end..]);
    let ends_value =
        |text: &str| text.trim().is_empty() || text.starts_with(['"', '\'', '`', ']', '}', ',', ';', '&', '?', '#']);
    let is_path = after.starts_with('/') && after[1..].starts_with(|letter: char| letter.is_alphabetic());
    let is_alone = text[..span.start].trim().is_empty() && ends_value(after);
    let is_quoted = text[..span.start].ends_with(['"', '\'', '`']) && after.starts_with(['"', '\'', '`']);
    if is_alone || is_quoted || is_path || before.ends_with("//") || before.ends_with(['@', '\\']) {
        return true;
    }
    let is_separator = |letter: char| !letter.is_alphanumeric();
    let words = before.rsplit(is_separator).filter(|word| !word.is_empty());
    // Options and articles can come before it.
    let mut near =
        words.filter(|word| word.len() > 2 || ["ip", "nc"].contains(&word.to_ascii_lowercase().as_str())).take(2);
    near.any(|word| BEFORE_HOSTS.contains(&word.to_ascii_lowercase().as_str())) && !has_unit(after)
}

/// Returns whether a word for what is counted follows a number.
fn has_unit(after: &str) -> bool {
    let word = after.trim_start().split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_plural = word.len() > 3 && word.ends_with('s');
    is_plural
        || ["b", "kb", "mb", "gb", "kib", "mib", "byte", "ms", "s", "m", "km", "px", "percent"]
            .contains(&word.to_ascii_lowercase().as_str())
}

/// Returns the parts of a text that can be hosts.
fn hosts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | ':' | '%' | '-' | '_' | '。' | '．' | '：');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_part)?;
        at = text[start..].find(|letter| !is_part(letter)).map_or(text.len(), |end| start + end);
        Some(start..at)
    })
}

/// Returns a host as a program reads it: without escapes, in small letters of ASCII, and without a period at its end.
fn plain(host: &str) -> String {
    let unescaped = if host.contains('%') { unescaped(host) } else { host.to_owned() };
    let ascii = |letter: char| match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        '。' | '｡' => '.',
        '①'..='⑨' => char::from_u32(u32::from(letter) - 0x2460 + u32::from('1')).unwrap_or(letter),
        '⓪' | '⁰' | '₀' => '0',
        other => other.to_ascii_lowercase(),
    };
    unescaped.chars().map(ascii).collect::<String>().trim_matches('.').to_owned()
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn known(host: &str) -> Option<(String, &'static str)> {
    // The zone of an address of version 6 follows `%`.
    let bare = host.split('%').next().unwrap_or(host);
    if let Some(found) = bare.parse().ok().and_then(of_v6) {
        return Some(found);
    }
    // A port follows the address, or a name precedes it, as in `address:169.254.169.254`.
    let ends = [host.split(':').next(), host.rsplit(':').next()];
    ends.into_iter().flatten().find_map(|name| of_name(name.trim_end_matches('.')))
}

fn of_name(name: &str) -> Option<(String, &'static str)> {
    if let Some((name, whose)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(((*name).to_owned(), whose));
    }
    let own = RESOLVERS.iter().find_map(|resolver| name.strip_suffix(resolver)?.strip_suffix('.'));
    let address = own.map_or_else(|| name.to_owned(), |own| own.replace('-', "."));
    let parts: Vec<&str> = address.split('.').collect();
    // A name can have parts before the address.
    let last = if own.is_some() { &parts[parts.len().saturating_sub(4)..] } else { &parts[..] };
    of_v4(v4(last)?)
}

fn of_v4(address: Ipv4Addr) -> Option<(String, &'static str)> {
    V4.iter().find(|(known, _)| *known == address).map(|(address, whose)| (address.to_string(), *whose))
}

fn of_v6(address: Ipv6Addr) -> Option<(String, &'static str)> {
    if let Some((address, whose)) = V6.iter().find(|(known, _)| *known == address) {
        return Some((address.to_string(), whose));
    }
    let parts = address.segments();
    let embedded = |high: u16, low: u16| of_v4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    if EMBEDDING.iter().any(|start| parts.starts_with(start)) {
        return embedded(parts[6], parts[7]);
    }
    // 6to4.
    if parts[0] == 0x2002 { embedded(parts[1], parts[2]) } else { None }
}

/// Reads an address of version 4 as `inet_aton` does: one to four numbers, in decimal, octal or hexadecimal digits, of which the last
/// one fills the rest.
fn v4(parts: &[&str]) -> Option<Ipv4Addr> {
    let number = |part: &&str| match part.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u64::from_str_radix(part, 8).ok(),
        None if part.bytes().all(|byte| byte.is_ascii_digit()) => part.parse().ok(),
        None => None,
    };
    let numbers: Vec<u64> = parts.iter().map(number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    // Large numbers overflow in some programs, and the rest of them is the address.
    let rest_bits = 32 - 8 * u32::try_from(first.len()).ok().filter(|count| *count < 4)?;
    let last = if first.is_empty() { last & 0xffff_ffff } else { *last };
    if first.iter().any(|number| *number > 255) || last >= 1 << rest_bits {
        return None;
    }
    let high = first.iter().fold(0, |address, number| address << 8 | number);
    u32::try_from(high << rest_bits | last).ok().map(Ipv4Addr::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_addresses_are_found_in_any_spelling() {
        for text in [
            "169.254.169.254",
            "http://169.254.169.254/latest/meta-data/",
            "http://169.254.169.254:80/",
            "http://user@169.254.169.254/",
            "http://example.com@169.254.169.254/",
            "http://169.254.169.254./",
            "2852039166",
            "http://2852039166/",
            "http://0xA9FEA9FE/",
            "http://0xa9.0xfe.0xa9.0xfe/",
            "http://0251.0376.0251.0376/",
            "http://025177524776/",
            "http://169.254.43518/",
            "http://169.16689662/",
            "http://0xa9.254.0251.254/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[0:0:0:0:0:ffff:a9fe:a9fe]:80/",
            "http://[::169.254.169.254]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:a9fe:a9fe::]/",
            "http://[fd00:ec2::254]/latest",
            "fd00:0ec2:0:0:0:0:0:0254",
            "http://[fe80::a9fe:a9fe%25eth0]/",
            "http://metadata.google.internal/computeMetadata/v1/",
            "METADATA.GOOGLE.INTERNAL.",
            "http://100.100.100.200/latest/meta-data/",
            "http://0x64.0x64.0x64.0xc8/",
            "http://169.254.170.2/v2/credentials",
            "http://instance-data/latest",
            "http://169.254.169.254.nip.io/",
            "http://a9-x.169-254-169-254.sslip.io/",
            "http://%31%36%39.254.169.254/",
            "http://１６９.254.169.254/",
            "http://169。254。169。254/",
            "http://①⑥⑨.254.169.254/",
            "[\"https://example.com\", \"http://169.254.169.254\"]",
            "curl -s 169.254.169.254/latest",
            "address:169.254.169.254",
            "::ffff:169.254.169.254",
            "http://metadata/computeMetadata/v1/",
            " 2852039166 ",
            "2852039166:80",
            "2852039166/latest",
            "0xA9FEA9FE",
            "http://169.16689662/latest",
            "169.16689662",
            "[\"2852039166\"]",
            "{\"host\": \"2852039166\"}",
            "{\"host\": 2852039166}",
            "host=2852039166",
            "host: 2852039166",
            "address:2852039166",
            "curl -s 2852039166",
            "curl -s -H 'X: y' http://2852039166",
            "wget -q 0xa9fea9fe",
            "ping -c 1 2852039166",
            "ssh root@2852039166",
            "nc -v 2852039166 80",
            "--proxy=2852039166",
            "--url 2852039166",
            "//2852039166/x",
            "https://example.com/?url=2852039166",
            "Connect to 2852039166.",
            "The server is at the address 2852039166",
            "2852039166,127.0.0.1",
            "\\\\2852039166\\share",
            "http://proxy.example/latest/meta-data/iam/",
        ] {
            assert!(metadata_address(text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_addresses_are_not_found() {
        for text in [
            "",
            "169.254.169.25",
            "169.254.1.254",
            "http://1169.254.169.254/",
            "http://169.254.169.254.example.com/",
            "http://169.254.169.256/",
            "2852039164",
            "0xA9FEA9FC",
            "127.0.0.1",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fd00:ec2::253]/",
            "https://metadata.example.com/",
            "https://google.com/metadata.google.internal.html",
            "https://docs.example/metadata",
            "metadata",
            "100.100.100.201",
            "http://0251.0376.0251.0377/",
            "192.0.2.192",
            "1.2.3",
            "v169.254.169.254",
            "10:30:45",
            "a.b.nip.io",
            "2852039166 bytes",
            "2852039166 B",
            "A file of 2852039166 bytes",
            "size=2852039166",
            "size: 2852039166",
            "{\"size\": 2852039166}",
            "{\"size\": 2852039166, \"name\": \"a.iso\"}",
            "There are 2852039166 rows.",
            "Order 2852039166",
            "id 2852039166",
            "#2852039166",
            "Download 2852039166 bytes",
            "Fetch 2852039166 rows",
            "from 2852039166 bytes on",
            "+49 2852039166",
            "Phone: 2852039166",
            "0xA9FEA9FE is the magic number of the format",
            "crc32 0xa9fea9fe",
            "colour 0xA9FEA9FE",
            "169.16689662 degrees east",
            "-43.5, 169.16689662",
            "longitude 169.16689662",
            "1 + 2852039166 = 2852039167",
            "2852039166/2852039170 done",
            "1700000000-2852039166",
            "50% of 2852039166",
            "timestamp 2852039166",
            "2852039166 ms",
        ] {
            assert_eq!(metadata_address(text), None, "{text}");
        }
    }
}
