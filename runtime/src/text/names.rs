//! Spellings of names.

/// Returns whether two names are equal without regard to ASCII case, `_`, `-` and spaces: `filePath`, `FILE_PATH` and
/// `file-path`.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    significant(a).eq(significant(b)) && significant(a).next().is_some()
}

fn significant(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' ')).map(|byte| byte.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::same_name;

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
}
