//! Shows the questions of MCP servers to the person at the terminal, and reads the answers.
//!
//! The texts of a server are quoted, with every character visible. This program never opens a URL itself.

use serde_json::{Map, Value};
use toolc_mcp::{Answer, AnswerFuture, Asker, Field, FieldKind, Question, QuestionKind};

use super::dialog::{Dialog, Stop, TerminalAsker, quote};
use crate::ground::show::{self, Look, Style};

/// The choice to give no answer.
const NO_ANSWER: (&str, &str) = ("Esc", "no answer");

impl Asker for TerminalAsker {
    fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            let question = question.clone();
            self.run(None, move |dialog| dialog.ask(&question)).await.unwrap_or(Answer::Cancel)
        })
    }
}

impl TerminalAsker {
    /// Asks a question with `yes` or `no` as the answer. Without an answer, it is no.
    pub(super) async fn confirm(&self, question: &str) -> bool {
        let question = show::one_line(question);
        let ask = move |dialog: &mut Dialog<'_>| {
            dialog.begin(&format!("\n{}\n", dialog.look.paint(Style::Strong, &question)))?;
            dialog.choose(&[("y", "yes"), ("n", "no")])
        };
        self.run(None, ask).await == Some(Answer::yes())
    }
}

impl Dialog<'_> {
    fn ask(&mut self, question: &Question) -> Result<Answer, Stop> {
        self.begin(&question_text(question, self.look))?;
        match &question.kind {
            QuestionKind::Form(fields) if fields.is_empty() => self.choose(&[("y", "yes"), ("n", "no"), NO_ANSWER]),
            QuestionKind::Form(fields) => {
                if let answer @ (Answer::Decline | Answer::Cancel) =
                    self.choose(&[("y", "answer"), ("n", "decline"), NO_ANSWER])?
                {
                    return Ok(answer);
                }
                self.fill_form(fields)
            }
            QuestionKind::Login { .. } => loop {
                let typed = self.read_line("paste the address, or press Esc to cancel: ", false)?;
                if !typed.trim().is_empty() {
                    return Ok(Answer::Accept(Map::from_iter([("redirect".to_owned(), typed.into())])));
                }
            },
            QuestionKind::Address(_) => self.choose(&[("y", "I have opened it"), ("n", "decline"), NO_ANSWER]),
            _ => self.choose(&[("y", "yes"), ("n", "no")]),
        }
    }

    /// Asks for the value of each field, and whether to send the values.
    fn fill_form(&mut self, fields: &[Field]) -> Result<Answer, Stop> {
        let mut values = Map::new();
        for field in fields {
            self.show_lines(&field_text(field, self.look))?;
            loop {
                let typed = self.read_line("> ", field.is_secret)?;
                match field.read(&typed) {
                    Ok(Some(value)) => {
                        values.insert(field.name.clone(), value);
                        break;
                    }
                    Ok(None) => break,
                    Err(problem) => self.show_lines(&format!("{}\n", show::one_line(&problem.to_string())))?,
                }
            }
        }
        self.show_lines(&summary(fields, &values))?;
        match self.choose(&[("y", "send"), ("n", "decline"), NO_ANSWER])? {
            Answer::Accept(_) => Ok(Answer::Accept(values)),
            answer => Ok(answer),
        }
    }

    /// Waits for `y`, `n` or Escape.
    fn choose(&mut self, choices: &[(&str, &str)]) -> Result<Answer, Stop> {
        let choices = show::choices(choices.iter().copied(), Look { styled: false, ..self.look });
        self.show(&choices)?;
        loop {
            let typed = self.read_input()?;
            let answer = match typed.as_slice() {
                b"y" | b"Y" => Answer::yes(),
                b"n" | b"N" => Answer::Decline,
                [27 | 4] => return Err(Stop::Cancelled),
                _ => continue,
            };
            let shown = if answer == Answer::Decline { "no" } else { "yes" };
            self.show(&show::answer(&choices, shown, self.look))?;
            return Ok(answer);
        }
    }
}

/// Returns the text of a question.
fn question_text(question: &Question, look: Look) -> String {
    let server = show::one_line(&question.server);
    let tools: Vec<String> = question.tools.iter().take(3).map(|tool| format!("`{}`", show::one_line(tool))).collect();
    let during = if tools.is_empty() { String::new() } else { format!(", while it runs {}", tools.join(", ")) };
    let (action, rest) = match &question.kind {
        QuestionKind::Form(fields) => {
            let secret = fields.iter().any(|field| field.is_secret);
            let warning = if secret {
                "This form seems to ask for a secret, which a server must not do: decline if in doubt.\n"
            } else {
                ""
            };
            (
                "asks you".to_owned(),
                format!("Your answers are sent to the server. Do not type passwords or keys.\n{warning}"),
            )
        }
        QuestionKind::Secret(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{}`", show::one_line(name))).collect();
            let rest = format!("{} contains a secret of yours. Send it to the server anyway?\n", names.join(", "));
            ("would receive a secret".to_owned(), rest)
        }
        QuestionKind::Address(address) => {
            let (domain, url) =
                (look.paint(Style::Strong, &show::one_line(&address.domain)), show::one_line(&address.url));
            let rest =
                format!("Domain: {domain}\nAddress: {url}\nIf you trust the domain, open the address in a browser.\n");
            ("asks you to open an address".to_owned(), rest)
        }
        QuestionKind::Login { address, scopes } => {
            let (domain, url) =
                (look.paint(Style::Strong, &show::one_line(&address.domain)), show::one_line(&address.url));
            let scopes: Vec<String> = scopes.iter().map(|scope| show::one_line(scope)).collect();
            let rights = if scopes.is_empty() { "chosen by the server".to_owned() } else { scopes.join(", ") };
            let rest = format!(
                "Rights: {rights}\nDomain: {domain}\nOpen this address in a browser on this machine:\n\n{url}\n\n\
                 If the browser is on another machine, copy the address of the last page and paste it here.\n"
            );
            ("requires you to log in".to_owned(), rest)
        }
        QuestionKind::Sampling { system, messages, max_tokens } => {
            let system =
                if system.is_empty() { String::new() } else { format!("Its instructions:\n{}", quote(system)) };
            let rest = format!(
                "{system}Its messages:\n{}Send this to your model, for an answer of at most {max_tokens} tokens?\n",
                quote(messages)
            );
            ("asks your model".to_owned(), rest)
        }
        QuestionKind::SamplingAnswer(answer) => {
            ("would receive this answer of your model".to_owned(), format!("{}Send it to the server?\n", quote(answer)))
        }
        QuestionKind::Unchecked { package, reason } => {
            let (package, reason) = (show::one_line(package), show::one_line(reason));
            let rest = format!(
                "{package} could not be checked: {reason}\nMay it run with your rights, now and at later starts?\n"
            );
            ("is an unchecked package".to_owned(), rest)
        }
        _ => ("asks a question that this version does not support".to_owned(), String::new()),
    };
    let title = look.paint(Style::Strong, &format!("The MCP server `{server}` {action}{during}."));
    format!("\n{title}\n{}{rest}", quote(&question.message))
}

/// Returns the text about a field.
fn field_text(field: &Field, look: Look) -> String {
    let title = if field.title.is_empty() { &field.name } else { &field.title };
    let mut text = format!("\n{}", look.paint(Style::Strong, &show::one_line(title)));
    let requirement = if field.is_required { "required" } else { "may be left empty" };
    text += &format!(": {}, {requirement}\n", field.kind.expected());
    text += &quote(&field.description);
    if let FieldKind::One(choices) | FieldKind::Many { choices, .. } = &field.kind {
        for (number, choice) in (1..).zip(choices) {
            let title =
                if choice.title.is_empty() { String::new() } else { format!(" ({})", show::one_line(&choice.title)) };
            text += &format!("  {number}. {}{title}\n", show::one_line(&choice.value));
        }
    }
    if let Some(default) = &field.default {
        text += &format!("  default: {}\n", value_text(default));
    }
    text
}

/// Returns the values that will be sent.
fn summary(fields: &[Field], values: &Map<String, Value>) -> String {
    let mut text = "\nThese values are sent to the server:\n".to_owned();
    for field in fields {
        let value = match values.get(&field.name) {
            None => continue,
            Some(_) if field.is_secret => "(not shown)".to_owned(),
            Some(value) => value_text(value),
        };
        text += &format!("  {}: {value}\n", show::one_line(&field.name));
    }
    text
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => show::one_line(text),
        Value::Array(values) => values.iter().map(value_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
