//! `cargo xtask picture`: writes the pictures of the chat in `docs/host/`. A conversation with a script runs in tmux, and what tmux
//! shows becomes an SVG.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

/// The terminals, each of which becomes a picture in every scheme of colours.
const PICTURES: [Picture; 3] = [
    Picture { name: "chat-narrow", columns: 60, rows: 76 },
    Picture { name: "chat", columns: 100, rows: 62 },
    Picture { name: "chat-wide", columns: 200, rows: 64 },
];
/// The schemes of colours, with the end of the names of their files.
const SCHEMES: [(&str, &Colours); 2] = [("", &DARK), ("-light", &LIGHT)];

/// A terminal whose content becomes a picture.
struct Picture {
    /// The name of the file, without its end.
    name: &'static str,
    columns: usize,
    rows: usize,
}

/// The colours of a terminal.
struct Colours {
    background: &'static str,
    text: &'static str,
    /// Red, green, yellow, blue, magenta and cyan: the codes 31 to 36.
    codes: [&'static str; 6],
}

const DARK: Colours = Colours {
    background: "#1e1e2e",
    text: "#cdd6f4",
    codes: ["#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#cba6f7", "#94e2d5"],
};
const LIGHT: Colours = Colours {
    background: "#eff1f5",
    text: "#4c4f69",
    codes: ["#d20f39", "#40a02b", "#df8e1d", "#1e66f5", "#8839ef", "#179299"],
};

/// The width of a character in the picture, in tenths.
const WIDTH: usize = 84;
const HEIGHT: usize = 18;
/// The longest time to wait for a text.
const LIMIT: Duration = Duration::from_mins(1);

/// What the model answers.
const SCRIPT: &str = r###"{"text": "I will look at the project first.", "calls": [{"name": "search_files", "arguments": {"pattern": "TODO", "path": "src"}}, {"name": "read_file", "arguments": {"path": "src/main.rs"}}], "usage": {"input": 4100, "output": 60}}
{"calls": [{"name": "patch", "arguments": {"path": "src/main.rs", "old_string": "    // TODO: greet by name\n    println!(\"hello\");", "new_string": "    let name = std::env::args().nth(1);\n    println!(\"hello {}\", name.as_deref().unwrap_or(\"world\"));"}}], "usage": {"input": 4300, "output": 60}}
{"text": "The old build goes before the tests run.", "calls": [{"name": "terminal", "arguments": {"command": "rm -rf target && seq -f 'test %g ... ok' 12"}}], "usage": {"input": 4400, "cached": 4096, "output": 40}}
{"text": "## Done\n\nThe program now **greets by name**; all *12 tests* pass.\n\n| file | change | lines |\n|---|---|--:|\n| `src/main.rs` | reads its first argument | +2 -2 |\n| `target/` | deleted, it is built again | |\n\nTry it:\n\n```sh\ncargo run -- Ada   # hello Ada\n```\n\n1. Names with blanks need quotes.\n2. See [the guide](https://doc.rust-lang.org/book/ch12-01-accepting-command-line-arguments.html).\n", "usage": {"input": 4600, "cached": 4352, "output": 130}}
"###;

/// Writes the pictures to files below `root`.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    let root = &root.canonicalize().map_err(|error| format!("failed to find the repository: {error}"))?;
    let built =
        Command::new(env!("CARGO")).args(["build", "--quiet", "--package", "toolc-host"]).current_dir(root).status();
    if !built.map_err(failed("start cargo"))?.success() {
        return Err("failed to build toolc-host".to_owned());
    }
    fs::create_dir_all(root.join("docs/host")).map_err(failed("make a folder"))?;
    for picture in &PICTURES {
        // The pictures show this name.
        let folder = std::env::temp_dir().join("ada");
        fs::create_dir(&folder).map_err(failed("make the folder of the conversation"))?;
        let result = draw(picture, root, &folder);
        let _ = tmux(&folder, &["kill-server"]);
        let _ = fs::remove_dir_all(&folder);
        let screen = result?;
        for (end, colours) in SCHEMES {
            let path = format!("docs/host/{}{end}.svg", picture.name);
            fs::write(root.join(&path), svg(picture, colours, &screen)).map_err(failed("write a picture"))?;
            println!("written: {path}");
        }
    }
    Ok(())
}

/// Returns the screen of a conversation, with the escape sequences of tmux.
fn draw(picture: &Picture, root: &Path, folder: &Path) -> Result<String, String> {
    let project = folder.join("project");
    fs::create_dir_all(project.join("src")).map_err(failed("make a folder"))?;
    fs::create_dir_all(project.join("target")).map_err(failed("make a folder"))?;
    let main = "fn main() {\n    // TODO: greet by name\n    println!(\"hello\");\n}\n";
    fs::write(project.join("src/main.rs"), main).map_err(failed("write"))?;
    fs::write(folder.join("script"), SCRIPT).map_err(failed("write"))?;
    let line = format!(
        "cd '{}' && PS1= TOOLC_HOME='{}' '{}' --model 'script:{}'; sleep 60",
        project.display(),
        folder.join("home").display(),
        root.join("target/debug/toolc").display(),
        folder.join("script").display()
    );
    let (columns, rows) = (picture.columns.to_string(), picture.rows.to_string());
    let started = tmux(folder, &["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, &line]);
    if !started.map_err(failed("start tmux"))?.status.success() {
        return Err("failed to start tmux".to_owned());
    }
    let type_text = |text: &str| tmux(folder, &["send-keys", "-l", text]).map(drop).map_err(failed("type"));
    wait_for(folder, "\n>")?;
    type_text("Do what is left to do here, then test.")?;
    tmux(folder, &["send-keys", "Enter"]).map_err(failed("type"))?;
    wait_for(folder, "[y] once")?;
    // What is typed while the question is written is thrown away.
    thread::sleep(Duration::from_millis(500));
    type_text("y")?;
    wait_for(folder, "tokens in")?;
    let screen = tmux(folder, &["capture-pane", "-p", "-e"]).map_err(failed("read the screen"))?;
    Ok(String::from_utf8_lossy(&screen.stdout).into_owned())
}

fn tmux(folder: &Path, args: &[&str]) -> std::io::Result<Output> {
    Command::new("tmux")
        .arg("-S")
        .arg(folder.join("tmux"))
        .args(args)
        .env_remove("TMUX")
        .env("LC_ALL", "C.UTF-8")
        .output()
}

fn wait_for(folder: &Path, text: &str) -> Result<(), String> {
    let started = Instant::now();
    loop {
        let screen = tmux(folder, &["capture-pane", "-p"]).map_err(|error| error.to_string())?;
        let screen = String::from_utf8_lossy(&screen.stdout).into_owned();
        if screen.contains(text) {
            return Ok(());
        }
        if started.elapsed() > LIMIT {
            return Err(format!("the chat does not show {text:?}:\n{screen}"));
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Returns a function that makes a message of an error.
fn failed(what: &'static str) -> impl FnOnce(std::io::Error) -> String {
    move |error| format!("failed to {what}: {error}")
}

/// Returns a screen with the escape sequences of tmux as a picture.
fn svg(picture: &Picture, colours: &Colours, screen: &str) -> String {
    let Colours { background, text, codes } = colours;
    let lines: Vec<&str> = screen.trim_end().lines().collect();
    let (width, height) = (picture.columns * WIDTH / 10 + 24, lines.len() * HEIGHT + 24);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{background}\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"14\" fill=\"{text}\" xml:space=\"preserve\">\n"
    );
    let mut style = String::new();
    for (row, line) in lines.iter().enumerate() {
        let y = 12 + HEIGHT * row + HEIGHT * 3 / 4;
        let _ = write!(svg, "<text x=\"12\" y=\"{y}\">");
        let mut parts = line.split('\u{1b}');
        span(&mut svg, &style, parts.next().unwrap_or_default());
        for part in parts {
            let (changes, text) = part.strip_prefix('[').and_then(|part| part.split_once('m')).unwrap_or(("", part));
            for change in changes.split(';') {
                // The last of several values counts.
                match change.parse().unwrap_or_default() {
                    0 => style.clear(),
                    1 => style += "font-weight:bold;",
                    2 => style += "opacity:0.6;",
                    3 => style += "font-style:italic;",
                    4 => style += "text-decoration:underline;",
                    7 => style += &format!("fill:{};", codes[2]),
                    22 => style += "font-weight:normal;opacity:1;",
                    23 => style += "font-style:normal;",
                    24 => style += "text-decoration:none;",
                    27 | 39 => style += &format!("fill:{};", colours.text),
                    code @ 31..=36 => style += &format!("fill:{};", codes[code - 31]),
                    _ => {}
                }
            }
            span(&mut svg, &style, text);
        }
        svg += "</text>\n";
    }
    svg + "</g>\n</svg>\n"
}

fn span(svg: &mut String, style: &str, text: &str) {
    if !text.is_empty() {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = write!(svg, "<tspan style=\"{style}\">{text}</tspan>");
    }
}
