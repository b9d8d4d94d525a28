//! The last lines of the output of a program, which it may write again: progress bars leave their last state, as on the screen of a
//! terminal.
//!
//! The cost of an output is linear in its length, whatever it contains: a program can jump and erase as often as it writes.

mod line;
mod work;

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

use super::escapes::Token;
use line::Line;

/// The maximum number of lines that can be written again, as many as a large terminal shows.
const MAX_LINES: usize = 100;
const _: () = assert!(MAX_LINES <= u128::BITS as usize, "a bit for each line");
/// The maximum number of characters in them.
const MAX_CHARS: usize = 64_000;
/// The rightmost column to which the cursor jumps.
const MAX_COLUMN: usize = 1_000;

/// The last lines, and the cursor.
#[derive(Debug)]
pub(super) struct Canvas {
    lines: VecDeque<Line>,
    /// The lines that are not erased, as bits, so that erasing the screen again costs nothing.
    drawn: u128,
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

impl Default for Canvas {
    fn default() -> Self {
        Self {
            lines: VecDeque::from([Line::default()]),
            drawn: 1,
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
    /// Processes a part of the output. Lines that cannot change any more are passed to `push`, each character with whether it is new:
    /// the reader has not seen it with [`mark_as_seen`](Self::mark_as_seen).
    pub(super) fn write(&mut self, token: Token<'_>, push: &mut impl FnMut(char, bool)) {
        work::add(1);
        match token {
            Token::Text('\n') => self.next_line(push),
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

    /// Passes all lines to `push`, and begins with an empty one.
    pub(super) fn finish(&mut self, push: &mut impl FnMut(char, bool)) {
        self.show(push);
        *self = Self { has_cleared: self.has_cleared, has_screen: self.has_screen, ..Self::default() };
    }

    /// Passes all lines to `push` as they are now.
    pub(super) fn show(&self, push: &mut impl FnMut(char, bool)) {
        let last = self.last_shown();
        work::add(last + 1);
        self.lines.range(..last).for_each(|line| line.show_with_end(push));
        self.lines.range(last..=last).for_each(|line| line.show(push));
    }

    /// Notes that the reader has seen all lines.
    pub(super) fn mark_as_seen(&mut self) {
        let last = self.last_shown();
        self.lines.range_mut(..=last).enumerate().for_each(|(row, line)| line.mark_as_seen(row < last));
    }

    /// Returns the row of the last line that is shown: erased lines below the cursor are not a part of the text.
    fn last_shown(&self) -> usize {
        let is_shown = |row: &usize| self.lines.get(*row).is_some_and(|line| !line.is_erased());
        (self.row + 1..self.lines.len()).rev().find(is_shown).unwrap_or(self.row)
    }

    fn control(&mut self, parameters: &str, last: char, push: &mut impl FnMut(char, bool)) {
        let mut numbers = parameters.split(';').map(|number| number.parse::<usize>().unwrap_or_default());
        let (first, second) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        let count = first.clamp(1, MAX_COLUMN);
        match last {
            'A' => self.row = self.row.saturating_sub(count),
            'B' => self.jump_to(self.row + count),
            'C' => self.column = (self.column + count).min(MAX_COLUMN),
            'D' => self.column = self.column.saturating_sub(count),
            'E' => {
                self.jump_to(self.row + count);
                self.column = 0;
            }
            'F' => (self.row, self.column) = (self.row.saturating_sub(count), 0),
            'G' | '`' => self.column = count - 1,
            'H' | 'f' => {
                self.jump_to(count - 1);
                self.column = second.clamp(1, MAX_COLUMN) - 1;
            }
            'J' => self.erase_lines(first, push),
            'K' => self.erase_line(first),
            's' => self.saved = (self.row, self.column),
            'u' => self.restore(),
            'h' | 'l' if ["?1049", "?1047", "?47"].contains(&parameters) => self.change_screen(last == 'h', push),
            _ => {}
        }
    }

    /// Returns to the saved place. Like any jump, it ends at the rightmost column, even if the saved place is beyond it.
    fn restore(&mut self) {
        let (row, column) = self.saved;
        (self.row, self.column) = (row.min(self.lines.len() - 1), column.min(MAX_COLUMN));
    }

    fn change_screen(&mut self, is_own: bool, push: &mut impl FnMut(char, bool)) {
        if is_own && !self.has_screen {
            self.finish(push);
        } else if self.has_screen {
            *self = Self { has_cleared: self.has_cleared, ..Self::default() };
        }
        self.has_screen = is_own;
    }

    /// Moves the cursor to a row, or to the last one of the screen: only a newline scrolls.
    fn jump_to(&mut self, row: usize) {
        self.row = row.min(MAX_LINES - 1);
        while self.lines.len() <= self.row {
            self.add_line();
        }
    }

    fn add_line(&mut self) {
        work::add(1);
        self.drawn |= 1 << self.lines.len();
        self.lines.push_back(Line::default());
    }

    fn next_line(&mut self, push: &mut impl FnMut(char, bool)) {
        self.column = 0;
        if self.row + 1 == MAX_LINES
            && let Some(line) = self.lines.pop_front()
        {
            self.drawn >>= 1;
            self.chars -= line.columns();
            line.show_with_end(push);
            self.row -= 1;
            self.saved.0 = self.saved.0.saturating_sub(1);
        }
        self.jump_to(self.row + 1);
    }

    fn put(&mut self, c: char, push: &mut impl FnMut(char, bool)) {
        if self.chars >= MAX_CHARS {
            self.finish(push);
        }
        let column = self.column;
        self.change_line(|line| line.put(column, c));
        self.column += 1;
    }

    /// Changes the line of the cursor.
    fn change_line(&mut self, change: impl FnOnce(&mut Line)) {
        let Some(line) = self.lines.get_mut(self.row) else { return };
        self.chars -= line.columns();
        change(line);
        self.chars += line.columns();
        self.drawn |= 1 << self.row;
    }

    /// Erases the line after the cursor (0), before it (1), or all of it (2).
    fn erase_line(&mut self, what: usize) {
        let column = self.column;
        match what {
            0 => self.change_line(|line| line.erase_from(column)),
            1 => self.change_line(|line| line.erase_before(column + 1)),
            2 => self.change_line(|line| line.erase_from(0)),
            _ => {}
        }
    }

    /// Erases the lines after the cursor (0), before it (1), or all of them (2).
    fn erase_lines(&mut self, what: usize, push: &mut impl FnMut(char, bool)) {
        let is_all = what == 2 || (what == 0 && self.is_home);
        if is_all && !mem::replace(&mut self.has_cleared, true) {
            // The lines of the time before are not a part of what the program draws.
            let is_open = self.lines.back().is_some_and(|line| line.columns() > 0);
            self.finish(push);
            if is_open {
                push('\n', true);
            }
            return;
        }
        match what {
            0 => self.erase_rows(self.row + 1..MAX_LINES),
            1 => self.erase_rows(0..self.row),
            2 => return self.erase_rows(0..MAX_LINES),
            _ => return,
        }
        self.erase_line(what);
    }

    fn erase_rows(&mut self, rows: Range<usize>) {
        let mut drawn = self.drawn & ((1 << rows.end) - (1 << rows.start));
        self.drawn &= !drawn;
        while drawn != 0 {
            work::add(1);
            if let Some(line) = self.lines.get_mut(drawn.trailing_zeros() as usize) {
                self.chars -= line.columns();
                line.erase_from(0);
            }
            drawn &= drawn - 1;
        }
    }
}

#[cfg(test)]
mod grid;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escapes::EscapeFilter;

    fn shown(output: &str) -> String {
        let (mut filter, mut canvas, mut text) = (EscapeFilter::default(), Canvas::default(), String::new());
        for c in output.chars() {
            if let Some(token) = filter.read(c) {
                canvas.write(token, &mut |c, _| text.push(c));
            }
        }
        canvas.finish(&mut |c, _| text.push(c));
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
            (
                "below the last line of a terminal",
                &("\n".repeat(200) + "\u{1b}[99Bx\u{1b}[999B\u{1b}[2Dy"),
                &("\n".repeat(200) + "y"),
            ),
            ("nothing to erase", "\u{1b}[K\u{1b}[1K\u{1b}[J\u{1b}[1J\u{1b}[9J", ""),
        ] {
            assert_eq!(shown(output), expected, "{program}");
        }
    }

    /// What programs write, and what they do not, apart from long lines.
    const PARTS: &[&str] = &[
        "x",
        "ab ",
        "  ",
        "é",
        "\t",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\u{8}",
        "\u{1b}[A",
        "\u{1b}[3A",
        "\u{1b}[B",
        "\u{1b}[100B",
        "\u{1b}[9C",
        "\u{1b}[2D",
        "\u{1b}[E",
        "\u{1b}[2F",
        "\u{1b}[12G",
        "\u{1b}[999`",
        "\u{1b}[H",
        "\u{1b}[3;7H",
        "\u{1b}[99;2f",
        "\u{1b}[J",
        "\u{1b}[1J",
        "\u{1b}[2J",
        "\u{1b}[K",
        "\u{1b}[1K",
        "\u{1b}[2K",
        "\u{1b}[9K",
        "\u{1b}[s",
        "\u{1b}[u",
        "\u{1b}7",
        "\u{1b}8",
        "\u{1b}M",
        "\u{1b}[?1049h",
        "\u{1b}[?1049l",
        "\u{1b}[31m",
        "\u{1b}[5L",
        "\u{1b}[2;9r",
    ];

    /// Returns numbers below `limit`, the same ones in each run.
    fn random(mut seed: u64) -> impl FnMut(usize) -> usize {
        move |limit| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % limit
        }
    }

    #[test]
    fn a_canvas_shows_what_a_plain_grid_of_characters_shows() {
        for seed in 0..3_000 {
            let mut random = random(seed);
            // Fewer kinds of parts, so that each meets the others often.
            let kinds: Vec<&str> = (0..2 + random(12)).map(|_| PARTS[random(PARTS.len())]).collect();
            let output: String = (0..random(400)).map(|_| kinds[random(kinds.len())]).collect();
            assert_eq!(shown(&output), grid::shown(&output), "{seed}: {output:?}");
        }
    }

    #[track_caller]
    fn check_work(before: &str, part: &str, bytes: usize) {
        let output = before.to_owned() + &part.repeat(bytes / part.len());
        work::take();
        let (chars, steps) = (shown(&output).chars().count(), work::take());
        let at_most = 16 * (output.len() + chars);
        assert!(steps <= at_most, "{steps} steps, at most {at_most}: {part:?} after {} bytes", before.len());
        // A jump leaves blanks, which are characters of the text.
        assert!(chars <= output.len() * MAX_COLUMN / 8, "{chars} characters of {} bytes: {part:?}", output.len());
    }

    #[test]
    fn the_work_of_a_canvas_is_linear_in_the_output_whatever_it_contains() {
        for (one, other) in PARTS.iter().flat_map(|one| PARTS.iter().map(move |other| (one, other))) {
            for before in ["", &"\n".repeat(200)] {
                check_work(before, &format!("{one}{other}"), 2_000);
                check_work(before, &format!("{one}{other}x"), 2_000);
            }
        }
        let long = "x".repeat(8_000);
        let far = long.clone() + "\u{1b}[s\u{1b}[2K";
        for part in
            PARTS.iter().flat_map(|part| ["", "x", "\u{1b}[2Kx", "\u{1b}[1K\u{1b}[u"].map(|end| part.to_string() + end))
        {
            check_work(&long, &part, 4_000);
            check_work(&far, &part, 4_000);
        }
        check_work(&far, "\u{1b}[ux\u{1b}[99B\n", 20_000);
        check_work(&far, "\u{1b}[Gx\u{1b}[3D\u{1b}[u", 20_000);
        for seed in 0..300 {
            let mut random = random(seed);
            check_work("", &(0..3 + random(6)).map(|_| PARTS[random(PARTS.len())]).collect::<String>(), 5_000);
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
