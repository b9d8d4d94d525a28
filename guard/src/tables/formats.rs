//! Formats of files, by their first bytes and by their names.

use crate::report::Kind;

/// A format of binary files.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    /// The bytes by which it is recognized, and their place.
    pub(crate) magic: &'static [u8],
    pub(crate) at: usize,
    /// Further bytes with their place.
    pub(crate) and: Option<(usize, &'static [u8])>,
    pub(crate) kind: Kind,
    pub(crate) ends: &'static [&'static str],
}

const fn format(name: &'static str, magic: &'static [u8], kind: Kind, ends: &'static [&'static str]) -> Format {
    Format { name, magic, at: 0, and: None, kind, ends }
}

/// The formats that are recognized.
pub(crate) const FORMATS: &[Format] = &[
    format("png", b"\x89PNG\r\n\x1a\n", Kind::Media, &["png"]),
    format("jpeg", b"\xff\xd8\xff", Kind::Media, &["jpg", "jpeg"]),
    format("gif", b"GIF8", Kind::Media, &["gif"]),
    Format { and: Some((8, b"WEBP")), ..format("webp", b"RIFF", Kind::Media, &["webp"]) },
    Format { and: Some((8, b"WAVE")), ..format("wave", b"RIFF", Kind::Media, &["wav"]) },
    Format { and: Some((8, b"AVI ")), ..format("avi", b"RIFF", Kind::Media, &["avi"]) },
    Format { and: Some((6, b"\0\0")), ..format("bmp", b"BM", Kind::Media, &["bmp"]) },
    format("icon", b"\0\0\x01\0", Kind::Media, &["ico", "cur"]),
    format("icons", b"icns", Kind::Media, &["icns"]),
    format("tiff", b"II*\0", Kind::Media, &["tif", "tiff"]),
    format("tiff", b"MM\0*", Kind::Media, &["tif", "tiff"]),
    Format { at: 4, ..format("film", b"ftyp", Kind::Media, &["mp4", "m4a", "m4v", "mov", "avif", "heic"]) },
    format("film", b"\x1aE\xdf\xa3", Kind::Media, &["mkv", "webm"]),
    format("sound", b"ID3", Kind::Media, &["mp3"]),
    format("sound", b"\xff\xfb", Kind::Media, &["mp3"]),
    format("sound", b"\xff\xf3", Kind::Media, &["mp3"]),
    format("sound", b"OggS", Kind::Media, &["ogg", "oga", "opus", "ogv"]),
    format("sound", b"fLaC", Kind::Media, &["flac"]),
    format("sound", b"MThd", Kind::Media, &["mid", "midi"]),
    format("font", b"\0\x01\0\0\0", Kind::Media, &["ttf", "otf"]),
    format("font", b"OTTO", Kind::Media, &["otf", "ttf"]),
    format("font", b"true", Kind::Media, &["ttf"]),
    format("font", b"ttcf", Kind::Media, &["ttc"]),
    format("font", b"wOFF", Kind::Media, &["woff"]),
    format("font", b"wOF2", Kind::Media, &["woff2"]),
    format("pdf", b"%PDF-", Kind::Document, &["pdf"]),
    format("ole", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind::Document, &["doc", "xls", "ppt"]),
    format("zip", b"PK\x03\x04", Kind::Archive, &["zip"]),
    format("zip", b"PK\x05\x06", Kind::Archive, &["zip"]),
    format("gzip", b"\x1f\x8b", Kind::Archive, &["gz", "tgz"]),
    format("bzip2", b"BZh", Kind::Archive, &["bz2"]),
    format("xz", b"\xfd7zXZ\0", Kind::Archive, &["xz"]),
    format("zstd", b"\x28\xb5\x2f\xfd", Kind::Archive, &["zst"]),
    format("7z", b"7z\xbc\xaf\x27\x1c", Kind::Archive, &["7z"]),
    format("rar", b"Rar!\x1a\x07", Kind::Archive, &["rar"]),
    format("cab", b"MSCF", Kind::Archive, &["cab"]),
    format("ar", b"!<arch>\n", Kind::Archive, &["a", "deb"]),
    format("rpm", b"\xed\xab\xee\xdb", Kind::Archive, &["rpm"]),
    Format { at: 257, ..format("tar", b"ustar", Kind::Archive, &["tar"]) },
    format("ELF", b"\x7fELF", Kind::Program, &["", "so", "o"]),
    format("Windows", b"MZ", Kind::Program, &["exe", "dll"]),
    format("Mach-O", b"\xcf\xfa\xed\xfe", Kind::Program, &["", "dylib"]),
    format("Mach-O", b"\xce\xfa\xed\xfe", Kind::Program, &["", "dylib"]),
    format("class", b"\xca\xfe\xba\xbe", Kind::Program, &["class", ""]),
    format("wasm", b"\0asm", Kind::Program, &["wasm"]),
    format("dex", b"dex\n", Kind::Program, &["dex"]),
    Format { at: 2, and: Some((0, b"")), ..format("bytecode of Python", b"\r\n\0\0\0\0", Kind::Program, &["pyc"]) },
    format("Lua bytecode", b"\x1bLua", Kind::Program, &["luac"]),
    format("database", b"SQLite format 3\0", Kind::Unknown, &["db", "sqlite", "sqlite3"]),
    format("shortcut", b"L\0\0\0\x01\x14\x02\0", Kind::Program, &["lnk"]),
];

/// Ends of names of images, fonts, sounds, films and documents.
pub(crate) const MEDIA_ENDS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "icns", "tif", "tiff", "avif", "heic", "mp4", "m4a", "m4v",
    "mov", "avi", "mkv", "webm", "mp3", "wav", "ogg", "oga", "opus", "flac", "ttf", "otf", "ttc", "woff", "woff2",
    "pdf", "docx", "xlsx", "pptx",
];

/// Ends of names of programs and archives.
pub(crate) const RUNNING_ENDS: &[&str] =
    &["exe", "dll", "so", "dylib", "pyc", "class", "jar", "wasm", "zip", "gz", "tgz", "tar", "7z", "rar", "bz2", "xz"];

/// Ends of names of scripts of a shell.
pub(crate) const SHELL_ENDS: &[&str] = &["sh", "bash", "zsh", "ksh", "fish", "command", "bats", "envrc", "profile"];

/// Ends of names of texts that say nothing about the content.
pub(crate) const PLAIN_ENDS: &[&str] = &[
    "", "txt", "text", "dat", "data", "bin", "cfg", "conf", "ini", "env", "log", "tmp", "bak", "old", "orig", "in",
    "inc", "rc", "tmpl", "template", "def", "lock", "run", "out", "png", "jpg", "jpeg", "gif", "pdf", "b64", "enc",
    "hex",
];

/// Names of files without an end that name commands, and of manifests.
pub(crate) const NAMED_MANIFESTS: &[&str] = &[
    "makefile",
    "gnumakefile",
    "justfile",
    "dockerfile",
    "containerfile",
    "procfile",
    "vagrantfile",
    "jenkinsfile",
    "package.json",
    "package-lock.json",
    "composer.json",
    "deno.json",
    "pyproject.toml",
    "setup.cfg",
    "pipfile",
    "requirements.txt",
    "tox.ini",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    "pip.conf",
    ".pypirc",
    "bunfig.toml",
    ".mcp.json",
    "mcp.json",
    "settings.json",
    "settings.local.json",
    "hooks.json",
    "tasks.json",
    "launch.json",
    "devcontainer.json",
    ".envrc",
    ".gitmodules",
    ".gitattributes",
    ".pre-commit-config.yaml",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "taskfile.yml",
    "plugin.json",
    "cargo.toml",
    "lefthook.yml",
];

/// Ends of names of the parts of office documents and books.
pub(crate) const DOCUMENT_PARTS: &[&str] = &[
    ".xml",
    ".rels",
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".emf",
    ".wmf",
    ".svg",
    ".tiff",
    ".bmp",
    ".fntdata",
    ".odttf",
    ".ttf",
    ".otf",
    ".vml",
    ".xhtml",
    ".html",
    ".css",
    ".ncx",
    ".opf",
    ".rdf",
    "mimetype",
    ".psmdcp",
    ".wdp",
    ".mp4",
    ".mp3",
    ".wav",
    "_rels/.rels",
    ".data",
    ".thmx",
    ".jfif",
    ".webp",
];

/// Texts that only code has, and that are looked for in images, fonts, sounds and films.
pub(crate) const CODE_IN_DATA: &[&str] = &[
    "#!/bin/",
    "#!/usr/bin/",
    "<?php ",
    "import os\n",
    "import subprocess",
    "/bin/bash",
    "/bin/sh -",
    "powershell",
    "curl http",
    "curl -",
    "wget http",
    "base64.b64",
    "os.system(",
    "child_process",
    "<script>",
    "exec(\"",
    "eval(atob",
    "This program cannot be run in DOS mode",
];
