//! Reads scripts of sed.

use super::name::name_of;
use super::{Effects, Text, is_unknown};

/// Reads a script.
pub(super) fn read(script: &str, has_brackets: bool) -> Effects {
    let mut text = Text::new(script, has_brackets);
    let mut effects = Effects::default();
    loop {
        text.take_while(|letter| letter.is_whitespace() || matches!(letter, ';' | '{' | '}'));
        if text.peek().is_none() {
            return effects;
        }
        command(&mut text, &mut effects);
    }
}

/// Reads a command with its addresses.
fn command(text: &mut Text<'_>, effects: &mut Effects) {
    let mut is_unknown = address(text);
    skip_spaces(text);
    if text.skip(',') {
        skip_spaces(text);
        is_unknown |= address(text);
    }
    text.take_while(|letter| letter == '!' || is_space(letter));
    let Some(name) = text.peek().filter(|letter| !matches!(letter, '\n' | ';' | '{' | '}')) else {
        // The unknown text can be more than an address. Before a `{`, it is one.
        effects.unknown |= is_unknown && text.peek() != Some('{');
        return;
    };
    text.next();
    match name {
        'a' | 'i' | 'c' => skip_text(text),
        'b' | 't' | 'T' | ':' => {
            skip_spaces(text);
            text.take_while(|letter| !letter.is_whitespace() && !matches!(letter, ';' | '}'));
        }
        'e' => {
            effects.runs = true;
            line(text);
        }
        'l' | 'L' | 'q' | 'Q' => {
            skip_spaces(text);
            text.take_while(|letter| letter.is_ascii_digit());
        }
        'r' | 'R' => {
            let name = line(text).trim();
            if !name.is_empty() {
                effects.reads.push(name_of(name));
            }
        }
        'v' | '#' => {
            line(text);
        }
        'w' | 'W' => file(text, effects),
        's' => {
            if let Some(end) = text.next().filter(|end| !matches!(end, '\n' | '\\'))
                && text.skip_to(end, true)
                && text.skip_to(end, false)
            {
                flags(text, effects);
            }
        }
        'y' => {
            if let Some(end) = text.next() {
                let _ = text.skip_to(end, false) && text.skip_to(end, false);
            }
        }
        // The others have no arguments.
        _ => effects.unknown |= super::is_unknown(name),
    }
}

/// Skips an address. Returns whether it is unknown.
fn address(text: &mut Text<'_>) -> bool {
    match text.peek() {
        Some('/') => {
            text.next();
            text.skip_to('/', true);
        }
        Some('\\') => {
            text.next();
            if let Some(end) = text.next() {
                text.skip_to(end, true);
            }
        }
        Some('$') => {
            text.next();
        }
        Some(letter) if letter.is_ascii_digit() || is_unknown(letter) || matches!(letter, '+' | '~') => {
            let number =
                text.take_while(|letter| letter.is_ascii_digit() || is_unknown(letter) || matches!(letter, '+' | '~'));
            return number.contains(is_unknown);
        }
        _ => return false,
    }
    text.take_while(|letter| matches!(letter, 'I' | 'M'));
    false
}

/// Reads the flags of `s`.
fn flags(text: &mut Text<'_>, effects: &mut Effects) {
    while let Some(flag) = text.peek() {
        match flag {
            'g' | 'p' | 'i' | 'I' | 'm' | 'M' => {}
            _ if flag.is_ascii_digit() => {}
            'e' => effects.runs = true,
            'w' => {
                text.next();
                return file(text, effects);
            }
            _ if is_unknown(flag) => effects.unknown = true,
            _ => return,
        }
        text.next();
    }
}

/// Reads the name of a file to write, which ends with the line.
fn file(text: &mut Text<'_>, effects: &mut Effects) {
    let name = line(text).trim();
    if !name.is_empty() {
        effects.writes.push(name_of(name));
    }
}

/// Reads the rest of the line.
fn line<'t>(text: &mut Text<'t>) -> &'t str {
    text.take_while(|letter| letter != '\n')
}

/// Skips the text of `a`, `i` or `c`. A line that ends with a backslash continues.
fn skip_text(text: &mut Text<'_>) {
    while let Some(letter) = text.next() {
        match letter {
            '\\' => {
                text.next();
            }
            '\n' => return,
            _ => {}
        }
    }
}

fn skip_spaces(text: &mut Text<'_>) {
    text.take_while(is_space);
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace() && letter != '\n'
}

#[cfg(test)]
mod tests {
    use crate::scripts::name::shown;
    use crate::scripts::{Effects, Piece, ScriptLanguage, placeholder};

    fn effects(script: &str) -> Effects {
        ScriptLanguage::Sed.read(&script.replace('@', &placeholder(0).to_string()))
    }

    #[test]
    fn scripts_that_run_commands() {
        for script in [
            "e id",
            "1e id",
            "1eid",
            "e",
            "/x/e id",
            "$!e id",
            "/[/]/e id",
            "\\,x,e id",
            "1,/x/I{e id\n}",
            "s/a/b/e",
            "s/x/id/2ge",
            "s/.*/id/e;p",
            "s|a|b|ge",
            "s#[#]#b#e",
            "s/[/]/x/e",
            "s/\\//x/e",
            "p;s,a,b,e",
            "a\\\ntext\ne id",
            "y/abc/xyz/;e id",
            ":a;ba;e id",
            "# x\ne id",
            "@e id",
            "/@/,/x/e id",
        ] {
            assert!(effects(script).runs, "{script}");
        }
    }

    #[test]
    fn scripts_that_do_not() {
        for script in [
            "s/a/e/",
            "s/a/b/;s/e id/x/",
            "a e id",
            "a\\\ne id",
            "i\\\nx\\\ne id",
            "/e id/d",
            "y/e/x/",
            "1~2d",
            "s/[^/]*e$/x/g",
            "s/[[:alpha:]]/e/",
            ":e;be",
            "2q",
            "#e id",
            "s/a/@/g",
            "s/@/e/",
            "@,@p",
            "@q;d",
            "/x/{s/e/f/;p;}",
            "s~e ~x~",
        ] {
            assert_eq!(effects(script), Effects::default(), "{script}");
        }
    }

    #[test]
    fn files_that_a_script_writes_and_reads() {
        for (script, file) in [
            ("w /etc/passwd", "/etc/passwd"),
            ("s/a/b/w out;txt", "out;txt"),
            ("/x/W a b", "a b"),
            ("s/a/b/gpw x", "x"),
        ] {
            assert_eq!(effects(script).writes, [[Piece::Text(file.to_owned())]], "{script}");
        }
        for script in ["r /etc/x", "R/etc/x", "1r /etc/x "] {
            let expected = Effects { reads: vec![vec![Piece::Text("/etc/x".to_owned())]], ..Effects::default() };
            assert_eq!(effects(script), expected, "{script}");
        }
        let written: Vec<String> = effects("w @/x.txt\nw a@").writes.iter().map(shown).collect();
        assert_eq!(written, ["a@", "@/x.txt"]);
    }

    #[test]
    fn scripts_with_unknown_commands() {
        for script in ["@", "p;@", "/x/@", "s/a/b/@", "{@}"] {
            assert!(effects(script).unknown, "{script}");
        }
        assert!(!effects("/x/,@{p}").unknown);
    }
}
