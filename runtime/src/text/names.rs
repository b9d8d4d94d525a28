//! Spellings of names.

/// Returns whether two names are equal without regard to ASCII case, `_`, `-` and spaces: `filePath`, `FILE_PATH` and
/// `file-path`.
pub fn same_name(a: &str, b: &str) -> bool {
    significant(a).eq(significant(b)) && significant(a).next().is_some()
}

/// Returns whether two names are equal without regard to ASCII case, and if `-` and `_` are the same: `read-file` and `Read_File`, but
/// not `readfile`.
pub fn same_spelling(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().map(fold).eq(b.bytes().map(fold))
}

const fn fold(byte: u8) -> u8 {
    if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() }
}

fn significant(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' ')).map(|byte| byte.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{same_name, same_spelling};

    #[test]
    fn case_and_separators_do_not_matter() {
        for name in ["filePath", "FILE_PATH", "file-path", " File Path", "filepath"] {
            assert!(same_name(name, "file_path"), "{name}");
        }
        for name in ["file_paths", "file.path", "", "_", "fileÄpath"] {
            assert!(!same_name(name, "file_path"), "{name}");
        }
        assert!(!same_name("_", "-"));
        assert!(!same_name("größE", "GRÖSSE"));
    }

    #[test]
    fn a_spelling_differs_in_case_hyphens_and_underscores_only() {
        for name in ["read_file", "read-file", "Read-File", "READ_FILE"] {
            assert!(same_spelling(name, "read_file"), "{name}");
        }
        for name in ["readfile", "read file", "read.file", "read__file", "", "reäd_file"] {
            assert!(!same_spelling(name, "read_file"), "{name}");
        }
    }
}
