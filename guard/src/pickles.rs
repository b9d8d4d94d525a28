//! What a pickle of Python calls when it is loaded. Only its opcodes are read.

/// The first part of modules whose functions run code or programs, or connect with the network.
const DANGEROUS: &[&str] = &[
    "os",
    "posix",
    "nt",
    "subprocess",
    "sys",
    "socket",
    "shutil",
    "runpy",
    "pty",
    "importlib",
    "code",
    "ctypes",
    "webbrowser",
    "operator",
    "functools",
    "requests",
    "urllib",
    "http",
    "asyncio",
    "multiprocessing",
    "pip",
    "timeit",
    "pdb",
    "bdb",
    "cProfile",
    "profile",
    "marshal",
    "types",
    "imp",
    "commands",
];

/// Modules whose types only hold data.
const HARMLESS: &[&str] = &["collections", "datetime", "decimal", "fractions", "uuid", "pathlib", "enum", "zoneinfo"];

/// Functions of Python itself that only make data.
const BUILTINS: &[&str] = &[
    "set",
    "frozenset",
    "list",
    "dict",
    "tuple",
    "int",
    "float",
    "str",
    "bytes",
    "bytearray",
    "complex",
    "bool",
    "range",
    "slice",
    "object",
];

/// What a pickle does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pickle {
    /// It only makes data.
    Data,
    /// It calls this function, which can do anything.
    Calls(String),
    /// It calls a function that is not known.
    Unknown(String),
}

/// Reads a pickle. `None` if the bytes are something else.
pub(crate) fn read(bytes: &[u8]) -> Option<Pickle> {
    let is_binary = matches!(bytes, [0x80, 2..=5, ..]);
    let is_text = matches!(bytes, [b'(' | b'c' | b']' | b'}', ..]) && bytes.trim_ascii_end().ends_with(b".");
    if !is_binary && !is_text {
        return None;
    }
    let names = names(bytes);
    if !is_binary && names.is_empty() {
        return None;
    }
    let judged = names.into_iter().map(|(module, name)| judge(&module, &name));
    let worst = judged.max_by_key(|found| match found {
        Pickle::Data => 0,
        Pickle::Unknown(_) => 1,
        Pickle::Calls(_) => 2,
    });
    Some(worst.unwrap_or(Pickle::Data))
}

fn judge(module: &str, name: &str) -> Pickle {
    let whole = format!("{module}.{name}");
    let first = module.split('.').next().unwrap_or_default();
    match first {
        "builtins" | "__builtin__" if BUILTINS.contains(&name) => Pickle::Data,
        "builtins" | "__builtin__" => Pickle::Calls(whole),
        first if DANGEROUS.contains(&first) => Pickle::Calls(whole),
        first if HARMLESS.contains(&first) => Pickle::Data,
        _ => Pickle::Unknown(whole),
    }
}

/// Returns the modules and names that a pickle loads: `GLOBAL` with its two lines, and `STACK_GLOBAL` with the two texts before it.
fn names(bytes: &[u8]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < 1000 {
        let rest = &bytes[at + 1..];
        let text = |length: usize, from: usize| {
            rest.get(from..from + length).and_then(|text| std::str::from_utf8(text).ok()).map(str::to_owned)
        };
        let mut step = 1;
        match bytes[at] {
            b'c' | b'i' => {
                if let Some((module, name, length)) = two_lines(rest) {
                    found.push((module, name));
                    step = 1 + length;
                }
            }
            // SHORT_BINUNICODE, and BINUNICODE.
            0x8c => {
                let length = usize::from(rest.first().copied().unwrap_or_default());
                if let Some(text) = text(length, 1) {
                    texts.push(text);
                    step = 2 + length;
                }
            }
            b'X' => {
                let length = rest.get(..4).map_or(0, |four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                if let Some(text) = (length < rest.len()).then(|| text(length, 4)).flatten() {
                    texts.push(text);
                    step = 5 + length;
                }
            }
            0x93 => {
                if let [.., module, name] = texts.as_slice() {
                    found.push((module.clone(), name.clone()));
                }
            }
            _ => {}
        }
        at += step;
    }
    found
}

/// Returns two lines that are a module and a name, and their length.
fn two_lines(rest: &[u8]) -> Option<(String, String, usize)> {
    let is_name = |line: &[u8]| {
        !line.is_empty() && line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    };
    let mut lines = rest.splitn(3, |byte| *byte == b'\n');
    let (module, name, _) = (lines.next()?, lines.next()?, lines.next()?);
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    (is_name(module) && is_name(name)).then(|| (text(module), text(name), module.len() + name.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pickles_are_judged_by_what_they_call() {
        let calls = |name: &str| Some(Pickle::Calls(name.to_owned()));
        assert_eq!(read(b"cposix\nsystem\np0\n(Vid\np1\ntp2\nRp3\n."), calls("posix.system"));
        assert_eq!(read(b"\x80\x02cbuiltins\nexec\nq\x00X\x01\x00\x00\x00aq\x01\x85q\x02R."), calls("builtins.exec"));
        assert_eq!(
            read(b"\x80\x04\x95\x1d\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."),
            calls("posix.system")
        );
        assert_eq!(read(b"\x80\x04\x95\x0a\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s."), Some(Pickle::Data));
        let dated = b"\x80\x04\x95\0\0\0\0\0\0\0\0\x8c\x08datetime\x94\x8c\x04date\x94\x93\x94.";
        assert_eq!(read(dated), Some(Pickle::Data));
        let own = b"\x80\x04\x95\0\0\0\0\0\0\0\0\x8c\x04rows\x94\x8c\x03Row\x94\x93\x94.";
        assert_eq!(read(own), Some(Pickle::Unknown("rows.Row".to_owned())));
        assert_eq!(read(b"collected.\n"), None);
        assert_eq!(read(b"\x80\x02"), Some(Pickle::Data));
        assert_eq!(read(b""), None);
    }
}
