//! The pictures that a message names: `@picture.png`, or a path that was dragged into the terminal.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use toolc::Image;
use toolc_model::Api;

/// The maximum number of pictures of a message.
const MAX_PICTURES: usize = 10;
/// The endings of the names of pictures.
const ENDINGS: [&str; 9] = ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic"];

/// The pictures of a message.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// The pictures, by their names.
    pub(super) found: Vec<(String, Image)>,
    /// Why others are not sent.
    pub(super) problems: Vec<String>,
}

/// Reads the pictures that a message names. Relative names are those of files in `directory`.
pub(super) fn find(message: &str, directory: &Path, api: Api) -> Pictures {
    let mut pictures = Pictures::default();
    let mut paths: Vec<PathBuf> = Vec::new();
    for word in words(message) {
        let Some(path) = path(&word, directory).filter(|path| is_picture_name(path)) else { continue };
        if paths.contains(&path) || !path.is_file() {
            continue;
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let image = if paths.len() < MAX_PICTURES {
            read(&path, api)
        } else {
            Err(format!("a message has at most {MAX_PICTURES}"))
        };
        paths.push(path);
        match image {
            Ok(image) => pictures.found.push((name, image)),
            Err(problem) => pictures.problems.push(format!("the picture {name} is not sent: {problem}")),
        }
    }
    pictures
}

/// Returns the words of a message. A word can have quotes around it, and a backslash before a blank: so terminals write dragged paths.
fn words(message: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut letters = message.chars().peekable();
    while let Some(first) = letters.next() {
        if first.is_whitespace() {
            continue;
        }
        let (mut word, mut quote) = (String::new(), None);
        let mut next = Some(first);
        while let Some(letter) = next.filter(|letter| quote.is_some() || !letter.is_whitespace()) {
            match (letter, quote) {
                (letter, Some(open)) if letter == open => quote = None,
                // An apostrophe within a word does not quote.
                ('"' | '\'', None) if word.is_empty() || word == "@" => quote = Some(letter),
                ('\\', None) if letters.peek().is_some_and(|after| !after.is_alphanumeric()) => {
                    word.extend(letters.next());
                }
                _ => word.push(letter),
            }
            next = letters.next();
        }
        words.push(word);
    }
    words
}

/// Returns the path that a word names. The marks after it belong to the sentence.
fn path(word: &str, directory: &Path) -> Option<PathBuf> {
    let word = word.trim_end_matches(['.', ',', ';', ':', '?', '!', ')']);
    if let Some(name) = word.strip_prefix('@').filter(|name| !name.is_empty()) {
        return Some(directory.join(expanded(name)));
    }
    let word = word.strip_prefix("file://").unwrap_or(word);
    let path = expanded(word);
    path.is_absolute().then_some(path)
}

fn expanded(name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(name),
    }
}

fn is_picture_name(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
}

/// Reads a picture. Its content decides about its type, and not its name.
fn read(path: &Path, api: Api) -> Result<Image, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(Image::MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    image(bytes, api)
}

/// Returns a picture for an API.
///
/// # Errors
/// Returns why the API does not take it.
pub(super) fn image(bytes: Vec<u8>, api: Api) -> Result<Image, String> {
    let most = Image::MAX_BYTES as u64;
    let kind = Image::type_of(&bytes).ok_or("models take PNG, JPEG, GIF and WebP, and it is another file")?;
    if bytes.len() as u64 > most {
        return Err(format!("it is larger than {} KiB, the most that models take", most / 1024));
    }
    if !api.takes_image(kind) {
        return Err(format!("the API `{}` takes no {kind}", api.word()));
    }
    Image::new(kind, bytes).map_err(|error| error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

    fn names(message: &str, directory: &Path) -> Vec<String> {
        find(message, directory, Api::Anthropic).found.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn pictures_are_named_after_an_at_sign_or_by_an_absolute_path_as_terminals_write_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        for name in ["a.png", "two words.PNG", "it's.png", "b.png"] {
            fs::write(here.join(name), PNG).expect("a file");
        }
        let shown = here.display();
        for (message, found) in [
            ("look at @a.png, and (see) @b.png. @a.png?".to_owned(), vec!["a.png", "b.png"]),
            (format!("what's this: '{shown}/two words.PNG'?"), vec!["two words.PNG"]),
            (format!("what's this: '{shown}/two words.PNG' ?"), vec!["two words.PNG"]),
            (format!("{shown}/two\\ words.PNG"), vec!["two words.PNG"]),
            (format!("file://{shown}/a.png"), vec!["a.png"]),
            (format!("{shown}/it\\'s.png"), vec!["it's.png"]),
            ("@\"two words.PNG\" please".to_owned(), vec!["two words.PNG"]),
            ("a.png is a name, and me@b.png is not".to_owned(), vec![]),
            ("@missing.png".to_owned(), vec![]),
        ] {
            assert_eq!(names(&message, here), found, "{message}");
        }
    }

    #[test]
    fn unsupported_pictures_are_reported_and_not_sent() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let write = |name: &str, bytes: &[u8]| fs::write(here.join(name), bytes).expect("a file");
        write("text.png", b"not a picture");
        write("large.png", &[PNG, &vec![0; Image::MAX_BYTES]].concat());
        write("jpeg.png", b"\xff\xd8\xff\xe0");
        write("a.gif", b"GIF89a");
        let found = find("@text.png @large.png @jpeg.png @a.gif", here, Api::Gemini);
        assert_eq!(found.found.len(), 1);
        assert_eq!(found.found[0].1.media_type(), "image/jpeg");
        assert_eq!(
            found.problems,
            [
                "the picture text.png is not sent: models take PNG, JPEG, GIF and WebP, and it is another file",
                "the picture large.png is not sent: it is larger than 3840 KiB, the most that models take",
                "the picture a.gif is not sent: the API `gemini` takes no image/gif",
            ]
        );
        for number in 0..=MAX_PICTURES {
            write(&format!("{number}.png"), PNG);
        }
        let all: Vec<String> = (0..=MAX_PICTURES).map(|number| format!("@{number}.png")).collect();
        let many = find(&all.join(" "), here, Api::Anthropic);
        assert_eq!((many.found.len(), many.problems.len()), (MAX_PICTURES, 1));
    }
}
