//! The last lines of the output of a program, which it may write again: progress bars leave their last state, as on the screen of a
//! terminal.

use std::collections::VecDeque;
use std::mem;

use super::escapes::Token;

/// The maximum number of lines that can be written again, as many as a large terminal shows.
const MAX_LINES: usize = 100;
/// The maximum number of characters in them.
const MAX_CHARS: usize = 64_000;
/// The rightmost column to which the cursor moves.
const MAX_COLUMN: usize = 1_000;

/// The last lines, and the cursor.
#[derive(Debug)]
pub(super) struct Canvas {
    lines: VecDeque<Line>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    /// The number of characters of all lines.
    chars: usize,
    /// Whether the program has cleared the screen. What it clears later was drawn after that.
    has_cleared: bool,
    /// Whether the program has just moved the cursor to the top left corner of the screen.
    is_home: bool,
    /// Whether the program shows a screen of its own, which it takes away when it leaves it.
    has_screen: bool,
}

#[derive(Debug, Default)]
struct Line {
    text: Vec<char>,
    /// Whether the program has written the line more than once. It then ends without the spaces that cover older text.
    is_rewritten: bool,
}

impl Default for Canvas {
    fn default() -> Self {
        Self {
            lines: VecDeque::from([Line::default()]),
            row: 0,
            column: 0,
            saved: (0, 0),
            chars: 0,
            has_cleared: false,
            is_home: false,
            has_screen: false,
        }
    }
}

impl Canvas {
    /// Processes a part of the output. Lines that cannot change any more are passed to `push`.
    pub(super) fn write(&mut self, token: Token<'_>, push: &mut impl FnMut(char)) {
        match token {
            Token::Text('\n') => {
                self.down(1, push);
                self.column = 0;
            }
            Token::Text(c) => self.put(c, push),
            Token::Return => self.column = 0,
            Token::Backspace => self.column = self.column.saturating_sub(1),
            Token::Escape('7') => self.saved = (self.row, self.column),
            Token::Escape('8') => self.restore(),
            Token::Escape('M') => self.row = self.row.saturating_sub(1),
            Token::Escape(_) => {}
            Token::Sequence(parameters, last) => {
                self.control(parameters, last, push);
                self.is_home = matches!((parameters, last), ("" | "1;1", 'H' | 'f'));
                return;
            }
        }
        self.is_home = false;
    }

    /// Passes all lines to `push`.
    pub(super) fn finish(&mut self, push: &mut impl FnMut(char)) {
        // Erased lines below the cursor are not a part of the text.
        while self.lines.len() > self.row + 1
            && self.lines.back().is_some_and(|line| line.is_rewritten && line.text.is_empty())
        {
            self.lines.pop_back();
        }
        let last = self.lines.len() - 1;
        for (at, line) in mem::take(&mut self.lines).into_iter().enumerate() {
            line.end(push);
            if at < last {
                push('\n');
            }
        }
        *self = Self { has_cleared: self.has_cleared, has_screen: self.has_screen, ..Self::default() };
    }

    fn control(&mut self, parameters: &str, last: char, push: &mut impl FnMut(char)) {
        let mut numbers = parameters.split(';').map(|number| number.parse::<usize>().unwrap_or_default());
        let (first, second) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        let count = first.clamp(1, MAX_COLUMN);
        match last {
            'A' => self.row = self.row.saturating_sub(count),
            'B' => self.down(count, push),
            'C' => self.column = (self.column + count).min(MAX_COLUMN),
            'D' => self.column = self.column.saturating_sub(count),
            'E' => {
                self.down(count, push);
                self.column = 0;
            }
            'F' => (self.row, self.column) = (self.row.saturating_sub(count), 0),
            'G' | '`' => self.column = count - 1,
            'H' | 'f' => {
                (self.row, self.column) = (0, second.clamp(1, MAX_COLUMN) - 1);
                self.down(count - 1, push);
            }
            'J' => self.erase_lines(first, push),
            'K' => self.erase_line(first),
            's' => self.saved = (self.row, self.column),
            'u' => self.restore(),
            'h' | 'l' if ["?1049", "?1047", "?47"].contains(&parameters) => self.change_screen(last == 'h', push),
            _ => {}
        }
    }

    fn restore(&mut self) {
        let (row, column) = self.saved;
        (self.row, self.column) = (row.min(self.lines.len() - 1), column);
    }

    fn change_screen(&mut self, is_own: bool, push: &mut impl FnMut(char)) {
        if is_own && !self.has_screen {
            self.finish(push);
        } else if self.has_screen {
            *self = Self { has_cleared: self.has_cleared, ..Self::default() };
        }
        self.has_screen = is_own;
    }

    fn down(&mut self, count: usize, push: &mut impl FnMut(char)) {
        for _ in 0..count.min(MAX_LINES) {
            self.row += 1;
            if self.row == self.lines.len() {
                self.lines.push_back(Line::default());
            }
            if self.lines.len() > MAX_LINES
                && let Some(line) = self.lines.pop_front()
            {
                self.chars -= line.text.len();
                line.end(push);
                push('\n');
                self.row -= 1;
                self.saved.0 = self.saved.0.saturating_sub(1);
            }
        }
    }

    fn put(&mut self, c: char, push: &mut impl FnMut(char)) {
        if self.chars >= MAX_CHARS {
            self.finish(push);
        }
        let column = self.column;
        let Some(line) = self.lines.get_mut(self.row) else { return };
        let before = line.text.len();
        if let Some(old) = line.text.get_mut(column) {
            *old = c;
            line.is_rewritten = true;
        } else {
            line.text.resize(column, ' ');
            line.text.push(c);
        }
        self.chars += line.text.len() - before;
        self.column += 1;
    }

    /// Erases the line after the cursor (0), before it (1), or all of it (2).
    fn erase_line(&mut self, what: usize) {
        let column = self.column;
        let Some(line) = self.lines.get_mut(self.row) else { return };
        let before = line.text.len();
        line.is_rewritten = true;
        match what {
            0 => line.text.truncate(column),
            1 => line.text.iter_mut().take(column + 1).for_each(|c| *c = ' '),
            2 => line.text.clear(),
            _ => {}
        }
        self.chars -= before - line.text.len();
    }

    /// Erases the lines after the cursor (0), before it (1), or all of them (2).
    fn erase_lines(&mut self, what: usize, push: &mut impl FnMut(char)) {
        let is_all = what == 2 || (what == 0 && self.is_home);
        if is_all && !mem::replace(&mut self.has_cleared, true) {
            // The lines of the time before are not a part of what the program draws.
            let is_open = self.lines.back().is_some_and(|line| !line.text.is_empty());
            self.finish(push);
            if is_open {
                push('\n');
            }
            return;
        }
        let rows = match what {
            0 => self.row + 1..self.lines.len(),
            1 => 0..self.row,
            2 => 0..self.lines.len(),
            _ => return,
        };
        for line in self.lines.range_mut(rows) {
            self.chars -= line.text.len();
            *line = Line { text: Vec::new(), is_rewritten: true };
        }
        if what < 2 {
            self.erase_line(what);
        }
    }
}

impl Line {
    fn end(mut self, push: &mut impl FnMut(char)) {
        if self.is_rewritten {
            let end = self.text.iter().rposition(|c| *c != ' ').map_or(0, |last| last + 1);
            self.text.truncate(end);
        }
        self.text.into_iter().for_each(push);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escapes::EscapeFilter;

    fn shown(output: &str) -> String {
        let (mut filter, mut canvas, mut text) = (EscapeFilter::default(), Canvas::default(), String::new());
        for c in output.chars() {
            if let Some(token) = filter.read(c) {
                canvas.write(token, &mut |c| text.push(c));
            }
        }
        canvas.finish(&mut |c| text.push(c));
        text
    }

    #[test]
    fn progress_leaves_its_last_state() {
        for (program, output, expected) in [
            ("a plain text", "a\nb  \n\n  c", "a\nb  \n\n  c"),
            ("CR LF", "a\r\nb\r\n", "a\nb\n"),
            ("tqdm", "\r  0%|          | 0/9\r 50%|#####     | 5/9\r100%|##########| 9/9\n", "100%|##########| 9/9\n"),
            ("wget", "\rf   0%[    ]\rf 100%[====]\n\nsaved\n", "f 100%[====]\n\nsaved\n"),
            ("curl", "  % Total\n\r  0     0\r 50    50\r100   100\n", "  % Total\n100   100\n"),
            (
                "pip",
                "\r   \u{1b}[38;5;197m━━\u{1b}[0m 1/2 MB\r\u{1b}[2K   \u{1b}[32m━━━━\u{1b}[0m 2/2 MB\nInstalled x\n",
                "   ━━━━ 2/2 MB\nInstalled x\n",
            ),
            (
                "apt",
                "\rReading lists... 0%\r\rReading lists... 50%\r\rReading lists... Done\r\nBuilding\r\n",
                "Reading lists... Done\nBuilding\n",
            ),
            (
                "git",
                "Receiving objects:  50% (1/2)\rReceiving objects: 100% (2/2)\rReceiving objects: 100% (2/2), done.\n",
                "Receiving objects: 100% (2/2), done.\n",
            ),
            ("npm", "\u{1b}[1G\u{1b}[0K⠋\u{1b}[1G\u{1b}[0K⠙\u{1b}[1G\u{1b}[0Kadded 5 packages\n", "added 5 packages\n"),
            (
                "cargo",
                "   Compiling a\n    Building [=> ] 1/2: a\r\u{1b}[K   Compiling b\n    Building [==>] 2/2\r\u{1b}[K    Finished\n",
                "   Compiling a\n   Compiling b\n    Finished\n",
            ),
            (
                "docker",
                "a: Pulling\nb: Pulling\n\u{1b}[2A\u{1b}[2K\ra: 50%\u{1b}[2B\r\u{1b}[1A\u{1b}[2K\rb: done\u{1b}[1B\r\u{1b}[2A\u{1b}[2K\ra: done\u{1b}[2B\r",
                "a: done\nb: done\n",
            ),
            (
                "compose",
                "[+] 0/2\n x Wait\n y Wait\n\u{1b}[3A\u{1b}[0G[+] 2/2\n x Up  \n y Up  \n",
                "[+] 2/2\n x Up\n y Up\n",
            ),
            ("yarn", "[1/2] a\u{1b}[1G\u{1b}[2K[2/2] b\u{1b}[1G\u{1b}[2Kdone\n", "done\n"),
            ("a spinner", "working -\u{8}\\\u{8}|\u{8}/\u{8} done\n", "working  done\n"),
            ("systemd", "[    ] Starting\r[ OK ]\n", "[ OK ] Starting\n"),
            ("spaces over older text", "long text\r         \rok\n", "ok\n"),
            (
                "several bars",
                "\n\n\u{1b}[2Fa 0%\u{1b}[1Eb 0%\u{1b}[1E\u{1b}[2Fa 100%\u{1b}[1Eb 100%\u{1b}[1E",
                "a 100%\nb 100%\n",
            ),
            ("a saved place", "x\n\u{1b}7step 1\u{1b}8\u{1b}7step 22\u{1b}8\u{1b}[Kdone\n", "x\ndone\n"),
            ("a cut-off bar", "\r10%\r20%", "20%"),
            ("a watch", "start\n\u{1b}[H\u{1b}[2J1\n2\n\u{1b}[H\u{1b}[2J3\n", "start\n3\n"),
            ("a watch that goes home later", "\u{1b}[2J\u{1b}[H1\n2\n\u{1b}[2J\u{1b}[H3\n", "3\n"),
            ("a watch that erases below", "start\n\u{1b}[H\u{1b}[J1\n2\n\u{1b}[H\u{1b}[J3\n", "start\n3\n"),
            ("a screen of its own", "before\n\u{1b}[?1049h\u{1b}[Hmenu\u{1b}[?1049lafter\n", "before\nafter\n"),
            ("an editor that does not end", "\u{1b}[?1049h\u{1b}[Hmenu", "menu"),
            ("wide characters", "\r下载 10%\r下载 100%\n", "下载 100%\n"),
            ("erased below", "a\nb\nc\n\u{1b}[2A\u{1b}[Jd\n", "a\nd\n"),
            ("too far up", "a\n\u{1b}[99Ab\n", "b\n"),
            ("nothing to erase", "\u{1b}[K\u{1b}[1K\u{1b}[J\u{1b}[1J\u{1b}[9J", ""),
        ] {
            assert_eq!(shown(output), expected, "{program}");
        }
    }

    #[test]
    fn what_is_kept_is_limited_whatever_a_program_writes() {
        let lines = (0..1000).map(|n| n.to_string() + "\n").collect::<String>();
        assert_eq!(shown(&(lines.clone() + "\u{1b}[500Ax")), lines.replacen("901\n", "x01\n", 1));
        let long = "x".repeat(300_000);
        assert!(shown(&long) == long);
        let far = "\u{1b}[999999Cx\u{1b}[999999Bx\u{1b}[999999;999999Hx\n".repeat(2000);
        assert!(shown(&far).len() < 100_000_000);
        // All bytes, in an order that a program would not choose.
        let mut seed = 1_u32;
        let noise: String = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let letters =
                ['\u{1b}', '[', '2', ';', '9', 'A', 'B', 'J', 'K', 'H', '\r', '\n', '\u{8}', 'x', '7', '8', 'é'];
            letters[(seed >> 16) as usize % letters.len()]
        })
        .take(300_000)
        .collect();
        assert!(shown(&noise).len() <= noise.len() * 1000);
    }
}
