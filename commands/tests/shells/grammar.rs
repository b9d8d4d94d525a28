//! Random command lines. Every program in them has a name of its own, `c0` to `c199`, so that a record says which one ran.

use crate::random::Random;

/// The number of names.
pub(crate) const NAMES: usize = 200;

/// Characters that a mutation inserts.
const SIGNS: &[&str] = &[
    "'", "\"", "`", "$", "(", ")", "{", "}", "[", "]", ";", "&", "|", "<", ">", "\n", " ", "\\", "\\\n", "#", "!", "~",
    "*", "=", "$(", "${", "$((", "((", "))", "[[ ", " ]]", "<<E\n", "\nE\n", "$'", "&>", "<(", " do ", " done ",
    "; fi", " then ", ";;", " esac", "@(", "1", "a", "\t", "&&", "||", "<<<", ">&", "2>", "-", ",", "..", "%", "+=",
    "$[", "|&",
];

/// Lines that are hard to read, separated by `%%`.
const HARD: &str = include_str!("lines.txt");

/// Returns the lines that are known to be hard.
pub(crate) fn hard_lines() -> Vec<&'static str> {
    HARD.split("%%\n").filter(|line| !line.is_empty()).collect()
}

/// The absolute paths of the grammar.
const DEVICES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/fd/0", "/dev/fd/3"];

/// Returns whether all absolute paths in a line are those of the grammar, and no path leads upwards except to the programs.
fn is_inside(line: &str) -> bool {
    let mut rest = line.replace("../bin/", "");
    for device in DEVICES {
        // The path must end here, also in the eyes of a shell.
        for end in [" ", "\n", ";", ")", "'", "\""] {
            rest = rest.replace(&format!("{device}{end}"), end);
        }
    }
    !rest.contains("..")
        && !rest.trim_end().ends_with('/')
        && rest.match_indices('/').all(|(at, _)| {
            let before = rest[..at].chars().next_back();
            before.is_some_and(|c| {
                c.is_ascii_alphanumeric() || c == '.' || c == '}' || c == '/' && !rest[..at].ends_with(" /")
            })
        })
}

pub(crate) struct Grammar {
    random: Random,
    next: usize,
    /// Lines that follow the current one: the bodies of here-documents.
    after: String,
    budget: usize,
}

impl Grammar {
    /// Returns the line with this number.
    pub(crate) fn line(seed: u64) -> String {
        let mut random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let next = random.below(10) * 10;
        let mut grammar = Self { random, next, after: String::new(), budget: 24 };
        let mut text = String::new();
        if grammar.random.one_in(3) {
            // A variation of lines that are known to be hard.
            let hard = hard_lines();
            for _ in 0..=grammar.random.below(2) {
                text.push_str(grammar.random.pick(&hard).trim_end_matches('\n'));
                text.push_str(grammar.random.pick(&["\n", "\n", "; ", " && ", " | ", " & ", " || "]));
            }
            return grammar.mutated(text);
        }
        for _ in 0..=grammar.random.below(3) {
            text.push_str(&grammar.list(0));
            grammar.end_line(&mut text);
        }
        if grammar.random.one_in(3) { grammar.mutated(text) } else { text }
    }

    /// Mutates a text, but not into one that names other files outside of the sandbox.
    fn mutated(&mut self, text: String) -> String {
        let mut changed = text.clone();
        self.mutate(&mut changed);
        if is_inside(&changed) { changed } else { text }
    }

    fn mutate(&mut self, text: &mut String) {
        for _ in 0..=self.random.below(3) {
            let at = text.floor_char_boundary(self.random.below(text.len() + 1));
            match self.random.below(4) {
                0 if at < text.len() => {
                    text.remove(at);
                }
                1 => text.truncate(at.max(4).min(text.len())),
                2 => {
                    let from = text.floor_char_boundary(self.random.below(text.len() + 1));
                    let to = text.floor_char_boundary((from + self.random.below(12)).min(text.len()));
                    let piece = text[from.min(to)..to].to_owned();
                    text.insert_str(at, &piece);
                }
                _ => text.insert_str(at, self.random.pick(SIGNS)),
            }
        }
    }

    fn end_line(&mut self, text: &mut String) {
        if self.random.one_in(12) {
            text.push_str(" # it's a comment $(c198");
        }
        text.push('\n');
        text.push_str(&std::mem::take(&mut self.after));
    }

    fn name(&mut self) -> String {
        self.next = (self.next + 1) % (NAMES - 5);
        format!("c{}", self.next)
    }

    /// A name whose program fails.
    fn failing(&mut self) -> String {
        self.next |= 1;
        format!("c{}", self.next)
    }

    /// A name as a shell word that is, or becomes, this name.
    fn spelled(&mut self) -> String {
        let name = self.name();
        let (first, rest) = name.split_at(1);
        match self.random.below(60) {
            0 => format!("'{name}'"),
            1 => format!("\"{name}\""),
            2 => format!("\\{name}"),
            3 => format!("{first}\"{rest}\""),
            4 => format!("{first}\\\n{rest}"),
            5 => format!("$'{name}'"),
            6 => format!("$'\\x63'{rest}"),
            7 => format!("{first}''{rest}"),
            8 => format!("{{{name},x}}"),
            9 => format!("\"\"{name}"),
            10 => format!("${{u:-{name}}}"),
            11 => format!("\"${{u:-{name}}}\""),
            12 => format!("$(echo {name})"),
            13 => format!("`echo {name}`"),
            14 => format!("$u{name}"),
            15 => format!("{first}${{u}}{rest}"),
            16 => format!("$\"{name}\""),
            17 => format!("{{,{name}}}"),
            18 => format!("\"$(echo '{name}')\""),
            19 => format!("{name}$IFS\"a\""),
            _ => name,
        }
    }

    fn word(&mut self, depth: usize) -> String {
        if depth > 3 {
            return "w".to_owned();
        }
        match self.random.below(56) {
            0 => format!("$({})", self.list(depth + 1)),
            1 => format!("\"$({})\"", self.list(depth + 1)),
            2 => format!("`{}`", self.simple(depth + 2).replace('\\', "\\\\").replace('`', "\\`")),
            3 => format!("\"a `{}` b\"", self.name()),
            4 => format!("\"${{u:-$({})}}\"", self.list(depth + 1)),
            5 => format!("${{u:+$({})}}", self.name()),
            6 => format!("${{v#$({})}}", self.name()),
            7 => format!("$(( 1 + $({}) 0 ))", self.name()),
            8 => format!("<({})", self.list(depth + 1)),
            9 => format!("${{a[$({} >&2)0]}}", self.name()),
            10 => "'it; is &'".to_owned(),
            11 => "\"x; y ' z\"".to_owned(),
            12 => "$'a\\'b; c197'".to_owned(),
            13 => "a\\;b".to_owned(),
            14 => "${v}".to_owned(),
            15 => "\"$@\"".to_owned(),
            16 => "{a,b{c,d}}".to_owned(),
            17 => "*".to_owned(),
            18 => "a#b".to_owned(),
            19 => format!("\"${{u-'}}; {}; '}}\"", self.name()),
            20 => format!("${{u:-'}} ; {} ; '}}", self.name()),
            21 => "$((2 > 1 ? 3 : 4))".to_owned(),
            22 => format!("$( ({}) )", self.list(depth + 1)),
            23 => format!("$(({}); {})", self.name(), self.name()),
            24 => format!("$[1;{}]", self.name()),
            25 => format!(">({})", self.name()),
            26 => format!("\"\\$({}) \\`{}\\`\"", self.name(), self.name()),
            27 => format!("'$({})'", self.name()),
            28 => format!("$(\\\n{})", self.name()),
            29 => format!("$({}\n{}\n)", self.name(), self.name()),
            30 => "a=b".to_owned(),
            31 => "~".to_owned(),
            32 => "[x]".to_owned(),
            33 => format!("$(case x in x) {} ;; esac)", self.name()),
            34 => format!("$({} # )\n)", self.name()),
            35 => "@(a|b)".to_owned(),
            36 => "}".to_owned(),
            _ => "w".to_owned(),
        }
    }

    fn redirect(&mut self, depth: usize) -> String {
        match self.random.below(20) {
            0 => " >f1".to_owned(),
            1 => " 2>/dev/null".to_owned(),
            2 => " 2>&1".to_owned(),
            3 => " >f2 2>&1".to_owned(),
            4 => format!(" &>f3{}", if self.random.one_in(2) { format!(" {}", self.name()) } else { String::new() }),
            5 => " </dev/null".to_owned(),
            6 => {
                let body = self.body(depth);
                self.after.push_str(&body);
                self.after.push_str("E\n");
                " <<E".to_owned()
            }
            7 => {
                let text = format!("$({})\n'\n", self.name());
                self.after.push_str(&text);
                self.after.push_str("E F\n");
                " <<'E F'".to_owned()
            }
            8 => {
                let body = format!("\t$({})\n\tx\n", self.name());
                self.after.push_str(&body);
                self.after.push_str("\tE\n");
                " <<-E".to_owned()
            }
            9 => format!(" <<<\"{}\"", self.word(depth + 2).replace('"', "")),
            10 => " >&2".to_owned(),
            11 => format!(" {{fd}}>f4 {}", self.word(depth + 2)),
            12 => " >>f5".to_owned(),
            13 => " &>>f6".to_owned(),
            14 => format!(" < <({})", self.name()),
            15 => format!(" >f$({} >&2)", self.name()),
            16 => " <>f7".to_owned(),
            17 => " >|f8".to_owned(),
            _ => String::new(),
        }
    }

    fn body(&mut self, depth: usize) -> String {
        match self.random.below(6) {
            0 => format!("$({})\n", self.list(depth + 2).replace('\n', " ")),
            1 => format!("`{}`\n", self.name()),
            2 => "it's \"text\n".to_owned(),
            3 => format!("\\$({}) ${{u:-$({})}}\n", self.name(), self.name()),
            4 => format!("{}\n", self.name()),
            _ => "text\n".to_owned(),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut text = String::new();
        match self.random.below(14) {
            0 => text.push_str("v=1 "),
            1 => text.push_str(&format!("v=$({}) ", self.name())),
            2 => text.push_str(">f9 "),
            3 => text.push_str("v=\"a b\" w= "),
            4 => text.push_str("v+=x "),
            _ => {}
        }
        text.push_str(&self.spelled());
        for _ in 0..self.random.below(3) {
            text.push(' ');
            text.push_str(&self.word(depth + 1));
        }
        if self.random.one_in(3) {
            text.push_str(&self.redirect(depth));
        }
        text
    }

    /// A command that runs another one.
    fn wrapper(&mut self, depth: usize) -> String {
        let command = self.simple(depth + 2);
        let name = self.name();
        let code = self.list(depth + 2).replace('\'', "").replace('\n', ";");
        match self.random.below(48) {
            0 => format!("command {command}"),
            1 => format!("env v=1 {name} w"),
            2 => format!("env -i -u v {name}"),
            3 => format!("nohup {name}"),
            4 => format!("nice -n 1 {name}"),
            5 => format!("timeout -k 1 2 {name} w"),
            6 => format!("echo a b | xargs -n1 {name}"),
            7 => format!("echo {name} | xargs -I{{}} {} {{}}", self.name()),
            8 => format!("find . -name f1 -exec {name} {{}} \\;"),
            9 => format!("find . -type d -exec {name} {{}} +"),
            10 => format!("sh -c '{code}'"),
            11 => format!("bash -c '{code}'"),
            12 => format!("dash -c '{code}'"),
            13 => format!("eval '{code}'"),
            14 => format!("eval {command}"),
            15 => format!("(exec {name} w)"),
            16 => format!("trap '{name}' EXIT"),
            17 => format!("builtin command {name}"),
            18 => format!("time {command}"),
            19 => format!("time -p {command}"),
            20 => format!("echo '{name}' | sh"),
            21 => {
                let body = format!("{name}\n{}\n", self.name());
                self.after.push_str(&body);
                self.after.push_str("E\n");
                "sh <<E".to_owned()
            }
            22 => format!("bash <<<'{name}'"),
            23 => format!("busybox sh -c '{code}'"),
            24 => format!("p={name}; $p"),
            25 => format!("p='{name} w'; $p w"),
            26 => format!("p={name}; eval \"$p\""),
            27 => format!("set -- {name} w; \"$@\""),
            28 => format!("read p <<E\n{name}\nE\n$p"),
            29 => format!("alias al='{name}'\nal w"),
            30 => format!("alias al='{name};'\nal {}", self.name()),
            31 => format!("shopt -s expand_aliases\nalias al='{name} w'\nal w"),
            32 => format!("fn() {{ {name}; }}; fn"),
            33 => format!("fn() {{ \"$@\"; }}; fn {name}"),
            34 => format!("fn() ( {command}\n)\nfn"),
            35 => format!("function fn {{ {name}; }}\nfn"),
            36 => format!("fn() {name}\nfn"),
            37 => format!("source /dev/stdin <<<'{name}'"),
            38 => format!(". <({name} {})", self.name()),
            39 => format!("coproc {name}"),
            40 => format!("sh -ec '{name}' w"),
            41 => format!("bash -o pipefail -c '{name}'"),
            42 => format!("env -S '{name} w'"),
            43 => format!("exec -a other {name}"),
            44 => format!("setsid -w {name}"),
            45 => format!("IFS=x; p={name}xw; $p"),
            46 => format!("sh -c '\"$@\"' - {name}"),
            _ => format!("{command} | while read l; do {name} $l; done"),
        }
    }

    /// Text that runs although it is quoted, in some shell.
    fn hidden(&mut self) -> String {
        let name = self.name();
        match self.random.below(17) {
            0 => format!("[[ -v 'a[$({name} >&2)]' ]]"),
            1 => format!("test -v 'a[$({name} >&2)]'"),
            2 => format!("let 'a[$({name} >&2)]=1'"),
            3 => format!("x='a[$({name} >&2)]'; echo $((x))"),
            4 => format!("printf -v 'a[$({name} >&2)0]' x"),
            5 => format!("x='$({name} >&2)'; echo \"${{x@P}}\""),
            6 => format!("PS4='$({name} >&2)'; set -x; :"),
            7 => format!("declare 'a[$({name} >&2)0]=1'"),
            8 => format!("a[$({name} >&2)0]=1"),
            9 => format!("x='a[$({name} >&2)0]'; ((x))"),
            10 => format!("x='a[$({name} >&2)0]'; [[ x -eq 1 ]]"),
            11 => format!("unset 'a[$({name} >&2)0]'"),
            12 => format!("read 'a[$({name} >&2)0]' <<<w"),
            13 => format!("x='a[$({name} >&2)0]'; echo ${{v:x}}"),
            14 => format!("mapfile -C {name} -c 1 m <<<w"),
            15 => "hash -p ./c190 ls; ls".to_owned(),
            _ => format!("x='a[$({name} >&2)0]'; echo ${{!x}}"),
        }
    }

    fn compound(&mut self, depth: usize) -> String {
        let inner = self.list(depth + 1);
        let name = self.name();
        let failing = self.failing();
        match self.random.below(30) {
            0 => format!("( {inner} )"),
            1 => format!("({inner})"),
            2 => format!("{{ {inner}; }}"),
            3 => format!("{{ {inner}\n}}{}", self.redirect(depth)),
            4 => format!("if {name}; then {inner}; fi"),
            5 => format!("if {failing}\nthen {name}\nelif {inner}; then :; else {}; fi", self.name()),
            6 => format!("while {failing}; do {inner}; done"),
            7 => format!("until {failing}; do {inner}; break; done"),
            8 => format!("for i in {} b; do {inner}; done", self.word(depth + 1)),
            9 => format!("for i in a\ndo {inner}\ndone"),
            10 => format!("case {} in a) {name};; w) {inner} ;; *) {} ;; esac", self.word(depth + 1), self.name()),
            11 => format!("case w in (w|x) {inner}\n;;\nesac"),
            12 => format!("[[ -n w && w == w ]] && {inner}"),
            13 => format!("[[ a || {name} ]]"),
            14 => format!("[[ $v =~ ^(a|b).*$ ]] || {inner}"),
            15 => format!("((1 + 1)) && {inner}"),
            16 => format!("(({name}); {})", self.name()),
            17 => format!("(( {name} ))"),
            18 => format!("for ((i = 0; i < 2; i++)); do {inner}; done"),
            19 => format!("! {name}"),
            20 => format!("{{ {name}; }} 2>&1 | {{ {inner}; }}"),
            21 => format!("a=({} $({name}))", self.word(depth + 1)),
            22 => format!("select i in a; do {name}; break; done </dev/null"),
            23 => format!("! ({inner})"),
            24 => format!("for i in a; {{ {name}; }}"),
            25 => format!("while {failing}; do :; done <<E | {name}\n$({})\nE\n:", self.name()),
            26 => format!("case x in x) {name} ;& y) {} ;; esac", self.name()),
            27 => format!("echo $(cat <<E\n$({name})\nE\n)"),
            28 => format!("{name} {{ {}\n}}", self.name()),
            _ => format!("if ! {name}; then {inner}; else {}; fi", self.name()),
        }
    }

    fn command(&mut self, depth: usize) -> String {
        self.budget = self.budget.saturating_sub(1);
        if depth > 4 || self.budget == 0 {
            return self.name();
        }
        match self.random.below(16) {
            0..=2 => self.compound(depth),
            3..=5 => self.wrapper(depth),
            6 if self.random.one_in(3) => self.hidden(),
            7 => format!("{} \\\n {}", self.simple(depth), self.word(depth + 1)),
            _ => self.simple(depth),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.command(depth);
        for _ in 0..self.random.below(3) {
            let separator = self
                .random
                .pick(&["; ", " && ", " || ", " | ", " & ", "\n", ";", "&&", " |& ", "|", " &&\n", " |\n", " ;\n"]);
            if separator.ends_with('\n') && !separator.contains(['|', '&']) {
                text.push_str(&separator[..separator.len() - 1]);
                self.end_line(&mut text);
            } else {
                text.push_str(separator);
                if separator.ends_with('\n') && !self.after.is_empty() {
                    text.push_str(&std::mem::take(&mut self.after));
                }
            }
            text.push_str(&self.command(depth));
        }
        text
    }
}
