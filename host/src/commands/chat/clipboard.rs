//! Reads a picture from the clipboard, with a program of the system: a terminal passes only text on.

use std::ffi::OsStr;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use toolc::Image;

/// How long a program may take. The owner of the clipboard can be another program that does not answer.
const TIME: Duration = Duration::from_secs(5);

/// A program that writes a picture of the clipboard to standard output.
struct Reader {
    program: &'static str,
    args: &'static [&'static str],
    /// Whether it writes the bytes as hexadecimal digits, with other characters around them.
    is_hex: bool,
}

const fn reader(program: &'static str, args: &'static [&'static str]) -> Reader {
    Reader { program, args, is_hex: false }
}

/// The programs, in the order in which they are tried. A program that is not installed, or that finds no picture, is followed by the next.
const READERS: [Reader; 5] = [
    reader("wl-paste", &["--no-newline", "--type", "image/png"]),
    reader("xclip", &["-selection", "clipboard", "-target", "image/png", "-out"]),
    reader("pngpaste", &["-"]),
    Reader { program: "osascript", args: &["-e", "get the clipboard as «class PNGf»"], is_hex: true },
    Reader {
        program: "powershell.exe",
        args: &["-NoProfile", "-NonInteractive", "-STA", "-Command", POWERSHELL],
        is_hex: true,
    },
];

const POWERSHELL: &str = "\
Add-Type -AssemblyName System.Windows.Forms, System.Drawing; \
$image = [Windows.Forms.Clipboard]::GetImage(); \
if ($image) { $bytes = New-Object IO.MemoryStream; $image.Save($bytes, [Drawing.Imaging.ImageFormat]::Png); \
[BitConverter]::ToString($bytes.ToArray()) }";

/// Returns the bytes of the picture in the clipboard, at most one byte more than [`Image::MAX_BYTES`]. `path` replaces the variable `PATH`.
///
/// # Errors
/// Returns why there is none.
pub(super) fn read(path: Option<&OsStr>) -> Result<Vec<u8>, String> {
    let mut problem = None;
    for reader in &READERS {
        match reader.read(path, TIME) {
            Ok(Some(bytes)) if Image::type_of(&bytes).is_some() => return Ok(bytes),
            Ok(Some(_)) => problem = Some("the clipboard contains no picture".to_owned()),
            Ok(None) => {}
            Err(error) => return Err(error),
        }
    }
    Err(problem.unwrap_or_else(|| {
        "no program that reads the clipboard was found: install wl-clipboard (Wayland), xclip (X11) or pngpaste (macOS), or name the \
         file of the picture, as in `@picture.png`"
            .to_owned()
    }))
}

impl Reader {
    /// Returns what the program writes, or `None` if it is not installed.
    fn read(&self, path: Option<&OsStr>, time: Duration) -> Result<Option<Vec<u8>>, String> {
        let mut command = Command::new(self.program);
        command.args(self.args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let Ok(mut child) = command.spawn() else { return Ok(None) };
        let Some(output) = child.stdout.take() else { return Ok(None) };
        let most = Image::MAX_BYTES as u64 + 1;
        // Two digits and a hyphen for each byte, and what is around them.
        let most = if self.is_hex { 3 * most + 100 } else { most };
        let (sender, receiver) = mpsc::channel();
        let read = move || {
            let mut bytes = Vec::new();
            let _ = output.take(most).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        };
        let thread = thread::Builder::new().name("clipboard".to_owned()).spawn(read);
        let bytes = thread.ok().and_then(|_| receiver.recv_timeout(time).ok());
        // A program that has written everything ends by itself; another one would wait forever.
        let _ = child.kill();
        let _ = child.wait();
        let Some(bytes) = bytes else {
            return Err(format!("`{}` did not return the clipboard within {} s", self.program, time.as_secs()));
        };
        Ok(Some(if self.is_hex { from_hex(&bytes) } else { bytes }))
    }
}

/// Returns the bytes of the longest run of hexadecimal digits, with or without hyphens between them.
fn from_hex(text: &[u8]) -> Vec<u8> {
    /// What `osascript` writes before the digits. Its last letter is also a digit.
    const TYPE: &[u8] = b"PNGf";
    let begin = text.windows(TYPE.len()).position(|part| part == TYPE).map_or(0, |at| at + TYPE.len());
    let text = &text[begin..];
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    let runs = text.split(|byte| !is_digit(byte));
    let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
    let digits: Vec<u32> = longest.iter().filter_map(|byte| char::from(*byte).to_digit(16)).collect();
    digits.chunks_exact(2).filter_map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    /// Makes a program that runs a line of shell.
    fn program(folder: &Path, name: &str, line: &str) {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{line}\n")).expect("failed to write");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("failed to make it a program");
    }

    fn read_in(folder: &Path) -> Result<Vec<u8>, String> {
        read(Some(folder.as_os_str()))
    }

    #[test]
    fn the_first_program_with_a_picture_is_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let nothing = read_in(here).expect_err("no program is installed");
        assert!(nothing.contains("install wl-clipboard (Wayland), xclip (X11) or pngpaste"), "{nothing}");
        program(here, "wl-paste", "echo 'No suitable type' >&2; exit 1");
        assert_eq!(read_in(here).expect_err("it has no picture"), "the clipboard contains no picture");
        fs::write(here.join("picture"), PNG).expect("failed to write");
        program(here, "xclip", &format!("[ \"$4\" = image/png ] && cat '{}'", here.join("picture").display()));
        assert_eq!(read_in(here).as_deref(), Ok(PNG));
    }

    #[test]
    fn pictures_are_read_from_hexadecimal_digits_and_text_is_no_picture() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        program(here, "osascript", "echo '«data PNGf89504E470D0A1A0A72657374»'");
        assert_eq!(read_in(here).as_deref(), Ok(PNG));
        program(here, "osascript", "echo 'some text'");
        program(here, "powershell.exe", "echo 89-50-4E-47-0D-0A-1A-0A-72-65-73-74");
        assert_eq!(read_in(here).as_deref(), Ok(PNG));
        program(here, "powershell.exe", "echo");
        assert_eq!(read_in(here).expect_err("it is text"), "the clipboard contains no picture");
    }

    #[test]
    fn a_program_is_limited_in_time_and_output() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        program(here, "wl-paste", "exec sleep 60");
        let slow = READERS[0].read(Some(here.as_os_str()), Duration::from_millis(200)).expect_err("it does not answer");
        assert!(slow.contains("`wl-paste` did not return the clipboard"), "{slow}");
        fs::write(here.join("picture"), PNG).expect("failed to write");
        program(here, "wl-paste", &format!("cat '{}'; exec yes", here.join("picture").display()));
        assert_eq!(read_in(here).map(|bytes| bytes.len()), Ok(Image::MAX_BYTES + 1));
    }
}
