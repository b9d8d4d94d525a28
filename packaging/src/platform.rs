//! The platform on which a program runs, read from its file: never guessed from the machine that packages it.

use std::fmt;

use object::elf::{DT_NEEDED, EM_AARCH64, EM_X86_64, FileHeader64, PT_INTERP};
use object::endian::LittleEndian;
use object::macho::{CPU_TYPE_ARM64, CPU_TYPE_X86_64, LC_BUILD_VERSION, LC_VERSION_MIN_MACOSX, MachHeader64};
use object::pe::{IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, ImageNtHeaders64};
use object::read::elf::{Dyn as _, FileHeader as _, ProgramHeader as _};
use object::read::macho::MachHeader as _;
use object::read::pe::ImageNtHeaders as _;
use object::{Endianness, FileKind};

use crate::error::Error;

/// The platform of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    system: System,
    processor: Processor,
}

/// An operating system, with the oldest version on which the program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum System {
    /// Linux with glibc: the second number of the version, 34 for glibc 2.34.
    Glibc(u32),
    /// Any Linux: the program uses no library.
    AnyLinux,
    /// macOS: the two numbers of the version.
    MacOs(u32, u32),
    Windows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Processor {
    X86,
    Arm,
}

/// The oldest glibc that the tags of wheels for these processors name.
const OLDEST_GLIBC: u32 = 17;

/// The libraries that each Linux with glibc has, by PEP 600, as far as programs in Rust and C use them.
const USUAL_LIBRARIES: &[&str] = &[
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
];

/// The newest version of `libgcc_s` that each Linux with such a glibc has.
const USUAL_GCC: [u32; 3] = [4, 8, 0];

impl Platform {
    /// Reads the platform from the file of a program.
    ///
    /// # Errors
    /// If the file is not a program for a platform of toolc, or if it needs a library that other machines may lack.
    pub fn read(program: &[u8]) -> Result<Self, Error> {
        match FileKind::parse(program) {
            Ok(FileKind::Elf64) => elf(program),
            Ok(FileKind::MachO64) => mach_o(program),
            Ok(FileKind::Pe64) => portable_executable(program),
            Ok(other) => Err(Error::new(format!("expected a program for Linux, macOS or Windows, got {other:?}"))),
            Err(error) => Err(Error::new(format!("not a program: {error}"))),
        }
    }

    /// Returns the platform tags of a wheel, joined by `.`.
    pub fn wheel_tags(&self) -> String {
        let linux = if self.processor == Processor::X86 { "x86_64" } else { "aarch64" };
        let oldest = format!("manylinux_2_{OLDEST_GLIBC}_{linux}.manylinux2014_{linux}");
        match (&self.system, self.processor) {
            (System::Glibc(OLDEST_GLIBC), _) => oldest,
            (System::Glibc(minor), _) => format!("manylinux_2_{minor}_{linux}"),
            (System::AnyLinux, _) => format!("{oldest}.musllinux_1_1_{linux}"),
            (System::MacOs(major, minor), Processor::X86) => format!("macosx_{major}_{minor}_x86_64"),
            (System::MacOs(major, minor), Processor::Arm) => format!("macosx_{major}_{minor}_arm64"),
            (System::Windows, Processor::X86) => "win_amd64".to_owned(),
            (System::Windows, Processor::Arm) => "win_arm64".to_owned(),
        }
    }

    /// Returns the keys `os`, `cpu` and, if the program needs glibc, `libc` of package.json.
    pub(crate) fn npm(&self) -> (&'static str, &'static str, Option<&'static str>) {
        let (system, libc) = match self.system {
            System::Glibc(_) => ("linux", Some("glibc")),
            System::AnyLinux => ("linux", None),
            System::MacOs(..) => ("darwin", None),
            System::Windows => ("win32", None),
        };
        (system, if self.processor == Processor::X86 { "x64" } else { "arm64" }, libc)
    }

    /// Returns the target for which cargo has built the program.
    pub(crate) fn target(&self) -> &'static str {
        match (&self.system, self.processor) {
            (System::Glibc(_), Processor::X86) => "x86_64-unknown-linux-gnu",
            (System::Glibc(_), Processor::Arm) => "aarch64-unknown-linux-gnu",
            (System::AnyLinux, Processor::X86) => "x86_64-unknown-linux-musl",
            (System::AnyLinux, Processor::Arm) => "aarch64-unknown-linux-musl",
            (System::MacOs(..), Processor::X86) => "x86_64-apple-darwin",
            (System::MacOs(..), Processor::Arm) => "aarch64-apple-darwin",
            (System::Windows, Processor::X86) => "x86_64-pc-windows-msvc",
            (System::Windows, Processor::Arm) => "aarch64-pc-windows-msvc",
        }
    }

    /// Returns how the name of a program ends.
    pub(crate) fn suffix(&self) -> &'static str {
        if self.system == System::Windows { ".exe" } else { "" }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processor = if self.processor == Processor::X86 { "x86-64" } else { "64-bit ARM" };
        match self.system {
            System::Glibc(minor) => write!(f, "Linux with glibc 2.{minor} or later, {processor}"),
            System::AnyLinux => write!(f, "Linux, {processor}"),
            System::MacOs(major, minor) => write!(f, "macOS {major}.{minor} or later, {processor}"),
            System::Windows => write!(f, "Windows, {processor}"),
        }
    }
}

fn unreadable(error: impl fmt::Display) -> Error {
    Error::new(format!("not a complete program: {error}"))
}

fn unknown_processor(number: impl fmt::LowerHex) -> Error {
    Error::new(format!("expected a program for x86-64 or 64-bit ARM, got the processor {number:#x}"))
}

fn elf(program: &[u8]) -> Result<Platform, Error> {
    let header = FileHeader64::<LittleEndian>::parse(program).map_err(unreadable)?;
    let endian = header.endian().map_err(unreadable)?;
    let processor = match header.e_machine(endian) {
        EM_X86_64 => Processor::X86,
        EM_AARCH64 => Processor::Arm,
        other => return Err(unknown_processor(other.0)),
    };
    let segments = header.program_headers(endian, program).map_err(unreadable)?;
    let has_loader = segments.iter().any(|segment| segment.p_type(endian) == PT_INTERP);
    let sections = header.sections(endian, program).map_err(unreadable)?;
    let mut libraries = Vec::new();
    if let Some((entries, link)) = sections.dynamic(endian, program).map_err(unreadable)? {
        let strings = sections.strings(endian, program, link).map_err(unreadable)?;
        for entry in entries.iter().filter(|entry| entry.tag(endian) == DT_NEEDED) {
            libraries.push(text(entry.string(endian, strings).map_err(unreadable)?));
        }
    }
    if libraries.is_empty() && !has_loader {
        return Ok(Platform { system: System::AnyLinux, processor });
    }
    if let Some(library) = libraries.iter().find(|library| !USUAL_LIBRARIES.contains(&library.as_str())) {
        return Err(Error::new(format!(
            "the program needs the library `{library}`, which other machines may lack: link it statically"
        )));
    }
    let mut versions = Vec::new();
    if let Some((mut needs, link)) = sections.gnu_verneed(endian, program).map_err(unreadable)? {
        let strings = sections.strings(endian, program, link).map_err(unreadable)?;
        while let Some((_, mut names)) = needs.next().map_err(unreadable)? {
            while let Some(name) = names.next().map_err(unreadable)? {
                versions.push(text(name.name(endian, strings).map_err(unreadable)?));
            }
        }
    }
    Ok(Platform { system: System::Glibc(glibc(&versions)?), processor })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the second number of the oldest glibc that has all versions of symbols, such as `GLIBC_2.34` and `GCC_3.0`.
fn glibc(versions: &[String]) -> Result<u32, Error> {
    let mut newest = None;
    for version in versions {
        let numbers = |text: &str| text.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<u32>>>();
        let known = match version.split_once('_') {
            Some(("GLIBC", number)) => numbers(number).filter(|number| number[0] == 2),
            Some(("GCC", number)) => numbers(number).filter(|number| number.as_slice() <= &USUAL_GCC[..]),
            _ => None,
        };
        let known = known.ok_or_else(|| {
            Error::new(format!("the program needs symbols of version `{version}`, which other machines may lack"))
        })?;
        if version.starts_with("GLIBC_") {
            newest = newest.max(known.get(1).copied());
        }
    }
    let newest =
        newest.ok_or_else(|| Error::new("the program needs a C library that has no versions, such as musl"))?;
    Ok(newest.max(OLDEST_GLIBC))
}

fn mach_o(program: &[u8]) -> Result<Platform, Error> {
    let header = MachHeader64::<Endianness>::parse(program, 0).map_err(unreadable)?;
    let endian = header.endian().map_err(unreadable)?;
    let processor = match header.cputype(endian) {
        CPU_TYPE_X86_64 => Processor::X86,
        CPU_TYPE_ARM64 => Processor::Arm,
        other => return Err(unknown_processor(other.0)),
    };
    let mut commands = header.load_commands(endian, program, 0).map_err(unreadable)?;
    while let Some(command) = commands.next().map_err(unreadable)? {
        // Both have the version in their third word: `X.Y.Z` in 16, 8 and 8 bits. A build version has the platform before it.
        let word = match command.cmd() {
            LC_BUILD_VERSION => 12,
            LC_VERSION_MIN_MACOSX => 8,
            _ => continue,
        };
        let bytes = command.raw_data().get(word..word + 4).and_then(|bytes| bytes.try_into().ok());
        let version = u32::from_le_bytes(bytes.ok_or_else(|| unreadable("a load command is too short"))?);
        let (major, minor) = (version >> 16, (version >> 8) & 0xff);
        // Tags name only major versions since macOS 11.
        let minor = if major >= 11 { 0 } else { minor };
        return Ok(Platform { system: System::MacOs(major, minor), processor });
    }
    Err(Error::new("the program does not say which version of macOS it needs"))
}

fn portable_executable(program: &[u8]) -> Result<Platform, Error> {
    let dos = object::pe::ImageDosHeader::parse(program).map_err(unreadable)?;
    let mut offset = dos.nt_headers_offset().into();
    let (header, _) = ImageNtHeaders64::parse(program, &mut offset).map_err(unreadable)?;
    let processor = match header.file_header().machine.get(LittleEndian) {
        IMAGE_FILE_MACHINE_AMD64 => Processor::X86,
        IMAGE_FILE_MACHINE_ARM64 => Processor::Arm,
        other => return Err(unknown_processor(other.0)),
    };
    Ok(Platform { system: System::Windows, processor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(names: &[&str]) -> Result<u32, String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        glibc(&names).map_err(|error| error.to_string())
    }

    /// Writes numbers of 32 bits.
    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Returns the header of a program for macOS with one load command.
    fn mach_o_of(processor: u32, command: &[u32]) -> Vec<u8> {
        let size = u32::try_from(command.len() * 4).unwrap();
        words(&[&[0xfeed_facf, processor, 0, 2, 1, size, 0, 0], command].concat())
    }

    /// Returns the headers of a program for Windows.
    fn portable_executable_of(machine: u16) -> Vec<u8> {
        let mut bytes = vec![0; 0x40 + 24 + 112];
        bytes[..2].copy_from_slice(b"MZ");
        bytes[0x3c] = 0x40;
        bytes[0x40..0x44].copy_from_slice(b"PE\0\0");
        bytes[0x44..0x46].copy_from_slice(&machine.to_le_bytes());
        bytes[0x54] = 112; // the size of the optional header
        bytes[0x58..0x5a].copy_from_slice(&0x20b_u16.to_le_bytes());
        bytes
    }

    #[test]
    fn the_oldest_glibc_has_all_versions_that_a_program_needs() {
        assert_eq!(versions(&["GLIBC_2.2.5", "GLIBC_2.34", "GCC_3.0", "GLIBC_2.4"]), Ok(34));
        assert_eq!(versions(&["GLIBC_2.2.5", "GCC_4.2.0"]), Ok(17));
        for (names, expected) in [
            (
                &["GLIBC_2.17", "GCC_12.0.0"][..],
                "the program needs symbols of version `GCC_12.0.0`, which other machines may lack",
            ),
            (&["GLIBC_PRIVATE"], "the program needs symbols of version `GLIBC_PRIVATE`, which other machines may lack"),
            (&["GLIBC_3.0"], "the program needs symbols of version `GLIBC_3.0`, which other machines may lack"),
            (&["OPENSSL_3.0.0"], "the program needs symbols of version `OPENSSL_3.0.0`, which other machines may lack"),
            (&[], "the program needs a C library that has no versions, such as musl"),
        ] {
            assert_eq!(versions(names), Err(expected.to_owned()));
        }
    }

    #[test]
    fn a_program_for_macos_says_its_oldest_version() {
        let tags = |program: &[u8]| Platform::read(program).unwrap().wheel_tags();
        let (arm, x86) = (0x0100_000c, 0x0100_0007);
        assert_eq!(tags(&mach_o_of(arm, &[0x32, 24, 1, 0x000b_0000, 0x000e_0200, 0])), "macosx_11_0_arm64");
        assert_eq!(tags(&mach_o_of(x86, &[0x32, 24, 1, 0x000d_0300, 0, 0])), "macosx_13_0_x86_64");
        assert_eq!(tags(&mach_o_of(x86, &[0x24, 16, 0x000a_0c00, 0])), "macosx_10_12_x86_64");
        let error = Platform::read(&mach_o_of(x86, &[0x1b, 24, 0, 0, 0, 0])).unwrap_err().to_string();
        assert_eq!(error, "the program does not say which version of macOS it needs");
    }

    #[test]
    fn a_program_for_windows_has_the_tag_of_its_processor() {
        for (machine, tag, place) in [(0x8664, "win_amd64", "x64"), (0xaa64, "win_arm64", "arm64")] {
            let platform = Platform::read(&portable_executable_of(machine)).unwrap();
            assert_eq!(platform.wheel_tags(), tag);
            assert_eq!((platform.npm(), platform.suffix()), (("win32", place, None), ".exe"));
        }
    }

    #[test]
    fn a_static_program_runs_on_any_linux() {
        let platform = Platform { system: System::AnyLinux, processor: Processor::X86 };
        assert_eq!(platform.wheel_tags(), "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64");
        assert_eq!(platform.npm(), ("linux", "x64", None));
    }

    #[test]
    fn other_files_are_refused() {
        for (file, expected) in [
            (&b"#!/bin/sh\n"[..], "not a program: "),
            (b"", "not a program: "),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "not a complete program: "),
            (
                &mach_o_of(7, &[0x32, 24, 1, 0, 0, 0]),
                "expected a program for x86-64 or 64-bit ARM, got the processor 0x7",
            ),
            (&portable_executable_of(0x014c), "expected a program for x86-64 or 64-bit ARM, got the processor 0x14c"),
        ] {
            let error = Platform::read(file).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
