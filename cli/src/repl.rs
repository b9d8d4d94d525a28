//! `repl`: calls of one session, line by line. Facts can be changed between calls.

use std::io::ErrorKind;

use toolc::suggest::{did_you_mean, nearest};
use toolc::{Dialect, Session, ToolCall, Turn};

use crate::app::App;
use crate::failure::Failure;
use crate::selection::{View, parse_fact};
use crate::streams::Streams;
use crate::{arguments, call, definitions, report};

const HELP: &str = "\
TOOL ARGUMENTS       call a tool; ARGUMENTS are a JSON object, or NAME=VALUE pairs with quotes as in a shell
.tools               list the tools of this turn
.definitions         print the definitions that a model sees
.hidden              list the hidden tools, with the reasons
.why TOOL            explain why a tool is shown or hidden
.doctor              report what each tool lacks
.fact FACT=VALUE     set a fact for the next turns
.help                print this list
.quit                quit; the end of the input does the same";

/// Reads lines until the input ends. Returns true: a failed call does not make the command fail.
pub(crate) fn run(app: &App, view: &View, yes: bool, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let session = call::session(view.selection.session(app)?, app, yes, streams.input_is_terminal);
    let (session, dialect) = view.session_and_dialect(session)?;
    let repl = Repl { app, session, dialect };
    if streams.input_is_terminal {
        let tools = repl.turn().tools().count();
        let noun = if tools == 1 { "tool" } else { "tools" };
        writeln!(streams.err, "{tools} {noun} in the dialect `{}`; `.help` lists the commands", dialect.name())?;
    }
    loop {
        if streams.input_is_terminal {
            write!(streams.err, "> ")?;
            streams.err.flush()?;
        }
        let line = match streams.input.line() {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                writeln!(streams.err, "error: failed to read the line: {error}")?;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        match repl.execute(line.trim(), streams) {
            Ok(true) => {}
            Ok(false) => return Ok(true),
            Err(Failure::Usage(message)) => writeln!(streams.err, "error: {message}")?,
            Err(failure @ Failure::Io(_)) => return Err(failure),
        }
    }
}

struct Repl<'a> {
    app: &'a App,
    session: Session,
    dialect: Dialect,
}

impl Repl<'_> {
    fn turn(&self) -> Turn {
        self.session.turn_blocking(self.dialect)
    }

    fn has_tool(&self, name: &str) -> bool {
        self.turn().tools().any(|tool| tool == name)
    }

    /// Executes one line. Returns false if the line ends the session.
    fn execute(&self, line: &str, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" => {}
            ".quit" | ".exit" => return Ok(false),
            ".help" => writeln!(streams.out, "{HELP}")?,
            ".tools" => {
                for tool in self.turn().tools() {
                    writeln!(streams.out, "{tool}")?;
                }
            }
            ".hidden" => {
                for hidden in self.turn().hidden() {
                    writeln!(streams.out, "{hidden}")?;
                }
            }
            ".definitions" => definitions::print(&self.turn(), false, &self.app.optional, streams)?,
            ".why" if rest.is_empty() => return Err("expected `.why TOOL`".to_owned().into()),
            ".why" => drop(report::why(&self.turn(), &self.app.info(), rest, false, streams)?),
            ".doctor" => drop(report::doctor(&self.turn(), &self.app.info(), false, streams.out)?),
            ".fact" => {
                let fact = parse_fact(rest, &self.app.registry.facts())?;
                self.session.set_facts([fact]).map_err(|error| error.to_string())?;
            }
            unknown if unknown.starts_with('.') => {
                let commands =
                    HELP.lines().filter_map(|line| line.split([' ', ',']).next()).filter(|word| word.starts_with('.'));
                let hint = did_you_mean(&nearest(unknown, commands));
                let hint = hint.unwrap_or_else(|| "`.help` lists the commands".to_owned());
                return Err(format!("unknown command `{unknown}`: {hint}").into());
            }
            "help" | "quit" | "exit" if rest.is_empty() && !self.has_tool(word) => {
                return Err(format!("unknown tool `{word}`: the command is `.{word}`").into());
            }
            "call" if !rest.is_empty() && !self.has_tool("call") => {
                return Err(
                    format!("unknown tool `call`: a line begins with the name of the tool, as in `{rest}`").into()
                );
            }
            tool => {
                let arguments = arguments::from_line(rest)?;
                let turn = self.turn();
                call::print(&turn.call_blocking(&ToolCall::new(tool, &arguments)), streams)?;
                report::note_if_off(&turn, &self.app.info(), tool, streams)?;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;
    use toolc::{DynamicTool, Registry, ToolOutput};

    use super::*;
    use crate::streams::tests::Typed;

    /// Runs these lines. Returns what is printed to stdout and stderr.
    fn type_lines(lines: impl AsRef<[u8]>) -> (String, String) {
        let schema = json!({"type": "object", "properties": {"limit": {"type": "integer"}}, "required": ["limit"]});
        let count = DynamicTool::sync("count", "Counts to a limit.", schema, |args, _| {
            Ok(ToolOutput::text(format!("counted to {}", args["limit"])))
        });
        let registry = Registry::new();
        registry.add(count.build().expect("the tool is valid")).expect("its name is free");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut streams = Streams {
            input: &mut Typed(Cursor::new(lines.as_ref().to_vec())),
            out: &mut out,
            err: &mut err,
            input_is_terminal: false,
            out_is_terminal: false,
        };
        let view = <View as clap::FromArgMatches>::from_arg_matches(
            &<View as clap::Args>::augment_args(clap::Command::new("repl")).get_matches_from(["repl"]),
        );
        let status = App::new("repl-of-a-test", registry)
            .run_on(crate::Command::Repl { view: view.expect("no argument is required"), yes: false }, &mut streams);
        assert_eq!(status, 0);
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        (text(out), text(err))
    }

    #[test]
    fn each_line_is_a_call_or_a_command() {
        let (out, err) = type_lines("count limit=3\n\n count {\"limit\": 4} \n.tools\n.quit\ncount limit=5\n");
        assert_eq!((&*out, &*err), ("\"counted to 3\"\n\"counted to 4\"\ncount\n", ""));
    }

    #[test]
    fn quotes_in_a_line_are_those_of_a_shell() {
        let (out, err) = type_lines("count limit=\"3\"\ncount 'limit=4'\ncount limit=\"5\n");
        assert_eq!(out, "\"counted to 3\"\n\"counted to 4\"\n");
        assert_eq!(err, "error: a quote is not closed\n");
    }

    #[test]
    fn a_misspelt_command_gets_a_suggestion() {
        let (_, err) = type_lines(".hlep\nhelp\n.nonsense\ncall count limit=3\n");
        assert_eq!(
            err,
            "error: unknown command `.hlep`: did you mean `.help`?\nerror: unknown tool `help`: the command is `.help`\n\
             error: unknown command `.nonsense`: `.help` lists the commands\n\
             error: unknown tool `call`: a line begins with the name of the tool, as in `count limit=3`\n"
        );
    }

    #[test]
    fn a_mistake_is_reported_and_the_next_line_runs() {
        let (out, err) = type_lines(".nonsense\n.why\n.fact x\n.fact x=1\ncount limit\ncount a=1 b\ncount limit=1");
        assert_eq!(out, "\"counted to 1\"\n");
        let errors: Vec<&str> = err.lines().collect();
        assert_eq!(errors.len(), 6, "{err}");
        assert!(errors[3].contains("unknown fact `x`"), "{err}");
    }

    #[test]
    fn a_line_that_is_not_text_is_reported_and_the_next_line_runs() {
        let (out, err) = type_lines(b"count limit=\xff\ncount limit=1\n");
        assert_eq!(out, "\"counted to 1\"\n");
        assert!(err.starts_with("error: failed to read the line: invalid utf-8"), "{err}");
    }
}
