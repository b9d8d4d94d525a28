//! Fields that MCP clients get and no model sees: the icons of a tool, and `_meta` of tools and results. The limits are the same for
//! manifests, for run-time tools, and for the tools and results of MCP servers.

use serde_json::Value;

/// The maximum number of icons of a tool. Each list of tools contains all icons.
pub const MAX_ICONS: usize = 8;
/// The maximum length of the address of an icon, in bytes.
pub const MAX_ICON: usize = 16 << 10;
/// The maximum length of an icon's JSON in addition to its address, in bytes.
const MAX_ICON_MEMBERS: usize = 1 << 10;
/// The maximum length of the JSON of `_meta`, in bytes.
pub const MAX_META: usize = 16 << 10;

/// Returns whether an address is one of a picture, which a client can show without running a script. Does not check its length.
pub fn is_picture_address(address: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_graphic() && !"<>\"\\^`{|}".contains(letter);
    let is_subtype = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(&byte))
    };
    let is_picture = match (address.strip_prefix("https://"), address.strip_prefix("data:image/")) {
        (Some(rest), _) => !rest.is_empty(),
        (_, Some(rest)) => rest.find([';', ',']).is_some_and(|end| is_subtype(&rest[..end])),
        _ => false,
    };
    is_picture && address.chars().all(is_allowed)
}

/// Returns whether a value is an icon: an object with the address of a picture in `src`, within the limits.
pub fn is_icon(icon: &Value) -> bool {
    let Some(address) = icon.get("src").and_then(Value::as_str) else { return false };
    address.len() <= MAX_ICON
        && is_picture_address(address)
        && icon.to_string().len() <= address.len() + MAX_ICON_MEMBERS
}

/// Returns whether a key of `_meta` has the form that MCP requires: a name, perhaps after a prefix of labels and `/`.
pub fn is_meta_key(key: &str) -> bool {
    let Some((prefix, name)) = key.split_once('/') else { return is_meta_name(key) };
    prefix.split('.').all(is_meta_label) && (name.is_empty() || is_meta_name(name))
}

/// Returns whether a text is a label of a prefix.
fn is_meta_label(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns whether a text is the name in a key, which is not empty.
fn is_meta_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Returns whether a value can be `_meta`: an object within the limit.
pub fn is_meta(meta: &Value) -> bool {
    meta.is_object() && meta.to_string().len() <= MAX_META
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_icon_has_the_address_of_a_picture_and_is_limited() {
        let of_length = |length: usize| format!("data:image/png,{}", "A".repeat(length - "data:image/png,".len()));
        for icon in [
            json!({"src": "https://a.example/i.png", "sizes": ["48x48"], "theme": "dark"}),
            json!({"src": of_length(MAX_ICON), "mimeType": "image/png"}),
        ] {
            assert!(is_icon(&icon), "{icon}");
        }
        for icon in [
            json!("https://a.example/i.png"),
            json!({}),
            json!({"src": 7}),
            json!({"src": "https://"}),
            json!({"src": "http://a.example/i.png"}),
            json!({"src": "javascript:alert(1)"}),
            json!({"src": "file:///etc/passwd"}),
            json!({"src": "data:text/html,<script>"}),
            json!({"src": "data:image/../x,"}),
            json!({"src": "data:image/png"}),
            json!({"src": "https://a.example/\u{1b}[2J"}),
            json!({"src": of_length(MAX_ICON + 1)}),
            json!({"src": "https://a.example/i.png", "sizes": vec!["48x48"; 200]}),
        ] {
            assert!(!is_icon(&icon), "{icon}");
        }
    }
}
