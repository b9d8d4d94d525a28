//! Archives that are damaged, too large, or lead elsewhere.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use toolc_hub::{Bundle, BundleError, BundleFile, Limits, PathFault, unpack, zip};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const SKILL: &str = "---\nname: a\ndescription: b\n---\n";

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(*name, options).expect("failed to write");
        zip.write_all(content).expect("failed to write");
    }
    zip.finish().expect("failed to write").into_inner()
}

/// Returns a tar.gz. Names are written as they are, which `tar::Builder` refuses for some of them.
fn tar_of(files: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (name, kind, content) in files {
        let mut header = tar::Header::new_gnu();
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(if name.ends_with("run.sh") { 0o755 } else { 0o644 });
        header.set_size(content.len() as u64);
        if !kind.is_file() && !kind.is_dir() {
            header.set_link_name_literal("/etc/passwd").expect("it is short");
        }
        header.set_cksum();
        tar.append(&header, *content).expect("failed to write");
    }
    tar.into_inner().and_then(GzEncoder::finish).expect("failed to write")
}

fn unpacked(archive: &[u8]) -> Result<Vec<String>, BundleError> {
    Ok(unpack(archive, &Limits::default())?.into_iter().map(|file| file.path).collect())
}

#[test]
fn archives_are_unpacked() {
    use tar::EntryType::{Directory, Regular, XGlobalHeader};
    let skill = SKILL.as_bytes();
    let zip = zip_of(&[("a/SKILL.md", skill), ("a/x.bin", &[0; 1000])]);
    assert_eq!(unpacked(&zip), Ok(vec!["a/SKILL.md".to_owned(), "a/x.bin".to_owned()]));
    let tar = tar_of(&[
        ("pax_global_header", XGlobalHeader, b"52 comment=0123456789012345678901234567890123456789\n"),
        ("./", Directory, b""),
        ("./a/", Directory, b""),
        ("./a/run.sh", Regular, b"#!/bin/sh\n"),
        ("a/SKILL.md", Regular, skill),
    ]);
    let files = unpack(&tar, &Limits::default()).expect("it is an archive");
    let found: Vec<(&str, bool)> = files.iter().map(|file| (file.path.as_str(), file.is_executable)).collect();
    assert_eq!(found, [("a/SKILL.md", false), ("a/run.sh", true)]);
}

#[test]
fn a_skill_is_packed_and_unpacked_without_a_difference() {
    let file = |path: &str, text: &str, is_executable| BundleFile {
        path: path.to_owned(),
        bytes: text.as_bytes().to_vec(),
        is_executable,
    };
    let files = vec![file("SKILL.md", SKILL, false), file("scripts/run.sh", "x", true)];
    let bundle = Bundle::new(files, &Limits::default()).expect("it is a skill");
    let archive = zip(&bundle).expect("failed to write");
    let files = unpack(&archive, &Limits::default()).expect("it is an archive");
    assert_eq!(Bundle::new(files, &Limits::default()), Ok(bundle.clone()));
    assert_eq!(zip(&bundle).expect("failed to write"), archive);
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let regular = tar::EntryType::Regular;
    for (name, fault) in [
        ("../SKILL.md", PathFault::Dots),
        ("a/../../SKILL.md", PathFault::Dots),
        ("/etc/SKILL.md", PathFault::Absolute),
        ("C:/SKILL.md", PathFault::Absolute),
        ("a\\..\\SKILL.md", PathFault::Character('\\')),
        ("a/con.txt", PathFault::Device),
        ("a/b.", PathFault::End),
        (".git/hooks/post-checkout", PathFault::Git),
    ] {
        let expected = Err(fault);
        let fault = |archive: &[u8]| match unpacked(archive) {
            Err(BundleError::Path(_, fault)) => Err(fault),
            other => Ok(other),
        };
        assert_eq!(fault(&zip_of(&[(name, b"")])), expected, "zip {name}");
        assert_eq!(fault(&tar_of(&[(name, regular, b"")])), expected, "tar {name}");
    }
    // The path of a folder counts, too.
    let folder = tar_of(&[("../x/", tar::EntryType::Directory, b"")]);
    assert!(matches!(unpacked(&folder), Err(BundleError::Path(_, PathFault::Dots))));
}

#[test]
fn links_and_devices_are_refused() {
    use tar::EntryType::{Block, Char, Fifo, Link, Symlink};
    for kind in [Symlink, Link, Char, Block, Fifo] {
        let found = unpacked(&tar_of(&[("a", kind, b"")]));
        let is_link = matches!(kind, Symlink | Link);
        assert_eq!(matches!(found, Err(BundleError::Link(_))), is_link, "{kind:?}");
        assert_eq!(matches!(found, Err(BundleError::Special(_))), !is_link, "{kind:?}");
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("a", "/etc/passwd", SimpleFileOptions::default()).expect("failed to write");
    let zip = zip.finish().expect("failed to write").into_inner();
    assert_eq!(unpacked(&zip), Err(BundleError::Link("a".to_owned())));
}

#[test]
fn names_that_collide_are_refused() {
    for names in [["a", "A"], ["a", "a/b"], ["a/x", "A/y"]] {
        let archive = zip_of(&names.map(|name| (name, &b""[..])));
        assert!(matches!(unpacked(&archive), Err(BundleError::Collision(..))), "{names:?}");
    }
    let twice = tar_of(&[("a", tar::EntryType::Regular, b"1"), ("a", tar::EntryType::Regular, b"2")]);
    assert!(matches!(unpacked(&twice), Err(BundleError::Collision(..))));
}

#[test]
fn a_small_archive_with_huge_content_is_refused_early() {
    let regular = tar::EntryType::Regular;
    let zeros = vec![0; 9 << 20];
    for archive in [zip_of(&[("a", &zeros)]), tar_of(&[("a", regular, &zeros)])] {
        assert!(archive.len() < 20_000);
        assert_eq!(unpacked(&archive), Err(BundleError::Bomb(200)));
    }
    // Many names instead of content.
    let names: Vec<String> = (0..2_001).map(|index| format!("{index}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(unpacked(&zip_of(&many)), Err(BundleError::TooManyFiles(1_000)));
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), regular, &b""[..])).collect();
    assert_eq!(unpacked(&tar_of(&many)), Err(BundleError::TooManyFiles(1_000)));
    // Content that cannot be compressed is only too large.
    let mut seed = 1_u32;
    let mut noise = vec![0; (10 << 20) + 1];
    for byte in &mut noise {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = (seed >> 24) as u8;
    }
    assert_eq!(unpacked(&zip_of(&[("a", &noise)])), Err(BundleError::FileTooLarge("a".to_owned(), 10 << 20)));
}

/// A size in a header that is not the size of the content does not count.
#[test]
fn a_size_that_lies_is_not_believed() {
    let zeros = vec![0; 9 << 20];
    let mut archive = zip_of(&[("a", &zeros)]);
    let size = u32::try_from(zeros.len()).expect("it fits").to_le_bytes();
    let places: Vec<usize> =
        archive.windows(4).enumerate().filter(|(_, four)| *four == size).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        archive[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    assert!(unpacked(&archive).is_err());
}

#[test]
fn damaged_archives_are_refused_without_a_panic() {
    let skill = SKILL.repeat(20);
    let archives = [
        zip_of(&[("a/SKILL.md", skill.as_bytes())]),
        tar_of(&[("a/SKILL.md", tar::EntryType::Regular, skill.as_bytes())]),
    ];
    for archive in archives {
        for end in 0..archive.len() - 8 {
            assert!(unpacked(&archive[..end]).is_err() || end > archive.len() / 2, "{end} of {}", archive.len());
        }
        for at in 0..archive.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = archive.clone();
                changed[at] ^= change;
                if let Ok(paths) = unpacked(&changed) {
                    assert!(paths.len() <= 1, "{paths:?}");
                }
            }
        }
    }
    for archive in [&b""[..], b"PK", b"PK\x03\x04", b"\x1f\x8b", b"Rar!", b"<html>"] {
        assert!(matches!(unpacked(archive), Err(BundleError::Archive(_))), "{archive:?}");
    }
}
