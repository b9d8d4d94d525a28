//! `cargo xtask picture`: writes the picture of the chat in `docs/host/`. A conversation with a script runs in tmux, and what tmux
//! shows becomes an SVG.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

const COLUMNS: usize = 92;
const ROWS: usize = 26;
/// The width of a character in the picture, in tenths.
const WIDTH: usize = 84;
const HEIGHT: usize = 18;
/// The longest time to wait for a text.
const LIMIT: Duration = Duration::from_mins(1);

/// What the model answers.
const SCRIPT: &str = r#"{"text": "I will look at the project first.", "calls": [{"name": "search_files", "arguments": {"pattern": "TODO", "path": "src"}}, {"name": "read_file", "arguments": {"path": "src/main.rs"}}], "usage": {"input": 4100, "output": 60}}
{"text": "One test is missing. I remove the old build before I run the tests.", "calls": [{"name": "terminal", "arguments": {"command": "rm -rf target && echo rebuilt"}}], "usage": {"input": 4400, "cached": 4096, "output": 40}}
{"text": "Done: the build is new, and `src/main.rs` has one TODO, in line 2.", "usage": {"input": 4600, "cached": 4352, "output": 30}}
"#;

/// Writes the picture to a file below `root`.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    let root = &root.canonicalize().map_err(|error| format!("failed to find the repository: {error}"))?;
    let folder = std::env::temp_dir().join(format!("toolc-picture-{}", std::process::id()));
    let result = draw(root, &folder);
    let _ = tmux(&folder, &["kill-server"]);
    let _ = fs::remove_dir_all(&folder);
    let svg = result?;
    let path = root.join("docs/host/chat.svg");
    fs::create_dir_all(root.join("docs/host"))
        .and_then(|()| fs::write(&path, svg))
        .map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    println!("written: docs/host/chat.svg");
    Ok(())
}

fn draw(root: &Path, folder: &Path) -> Result<String, String> {
    let project = folder.join("project");
    fs::create_dir_all(project.join("src")).map_err(failed("make a folder"))?;
    fs::create_dir_all(project.join("target")).map_err(failed("make a folder"))?;
    let main = "fn main() {\n    // TODO: test this\n    println!(\"hello\");\n}\n";
    fs::write(project.join("src/main.rs"), main).map_err(failed("write"))?;
    fs::write(folder.join("script"), SCRIPT).map_err(failed("write"))?;
    let built =
        Command::new(env!("CARGO")).args(["build", "--quiet", "--package", "toolc-host"]).current_dir(root).status();
    if !built.map_err(failed("start cargo"))?.success() {
        return Err("failed to build toolc-host".to_owned());
    }
    let line = format!(
        "cd '{}' && PS1= TOOLC_HOME='{}' '{}' --model 'script:{}'; sleep 60",
        project.display(),
        folder.join("home").display(),
        root.join("target/debug/toolc").display(),
        folder.join("script").display()
    );
    let (columns, rows) = (COLUMNS.to_string(), ROWS.to_string());
    let started = tmux(folder, &["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, &line]);
    if !started.map_err(failed("start tmux"))?.status.success() {
        return Err("failed to start tmux".to_owned());
    }
    let type_text = |text: &str| tmux(folder, &["send-keys", "-l", text]).map(drop).map_err(failed("type"));
    wait_for(folder, "\n>")?;
    type_text("What is left to do here? Then rebuild.")?;
    tmux(folder, &["send-keys", "Enter"]).map_err(failed("type"))?;
    wait_for(folder, "[y] once")?;
    // What is typed while the question is written is thrown away.
    thread::sleep(Duration::from_millis(500));
    type_text("y")?;
    wait_for(folder, "tokens in")?;
    let screen = tmux(folder, &["capture-pane", "-p", "-e"]).map_err(failed("read the screen"))?;
    let shown = String::from_utf8_lossy(&screen.stdout).replace(&folder.display().to_string(), "/home/ada");
    Ok(svg(&shown))
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
fn svg(screen: &str) -> String {
    let lines: Vec<&str> = screen.trim_end().lines().collect();
    let (width, height) = (COLUMNS * WIDTH / 10 + 24, lines.len() * HEIGHT + 24);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1e1e2e\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"14\" fill=\"#cdd6f4\" xml:space=\"preserve\">\n"
    );
    let mut style = String::new();
    for (row, line) in lines.iter().enumerate() {
        let y = 12 + HEIGHT * row + HEIGHT * 3 / 4;
        let _ = write!(svg, "<text x=\"12\" y=\"{y}\">");
        let mut parts = line.split('\u{1b}');
        span(&mut svg, &style, parts.next().unwrap_or_default());
        for part in parts {
            let (code, text) = part.strip_prefix('[').and_then(|part| part.split_once('m')).unwrap_or(("", part));
            for code in code.split(';') {
                match code {
                    "0" | "" => style.clear(),
                    "1" => style += " font-weight=\"bold\"",
                    "4" => style += " text-decoration=\"underline\"",
                    "31" => style += " fill=\"#f38ba8\"",
                    "7" => style += " fill=\"#f9e2af\"",
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
        let _ = write!(svg, "<tspan{style}>{text}</tspan>");
    }
}
