//! Shows the questions of the model to the person at the terminal, and reads the answers.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolc_agent::{Clarifier, ClarifyOutcome, ClarifyQuestion};

use super::dialog::{Dialog, Stop, TerminalAsker, quote};
use crate::ground::show::{self, Style};

/// Asks the person at the terminal. The person has `time` to answer all questions of a call.
pub(crate) struct TerminalClarifier {
    pub(crate) terminal: Arc<TerminalAsker>,
    pub(crate) time: Duration,
}

/// The maximum time, which is less than the time limit of the tool.
const MAX_TIME: Duration = Duration::from_mins(10);

impl Clarifier for TerminalClarifier {
    fn ask<'a>(
        &'a self,
        questions: &'a [ClarifyQuestion],
    ) -> Pin<Box<dyn Future<Output = ClarifyOutcome> + Send + 'a>> {
        let questions = questions.to_vec();
        Box::pin(async move {
            let clarified = self
                .terminal
                .run(Some(Instant::now() + self.time.min(MAX_TIME)), move |dialog| ask(dialog, &questions))
                .await;
            // The dialog returns `None` without a terminal, or after an interrupt, which cancels the call.
            clarified.unwrap_or(ClarifyOutcome::Absent)
        })
    }
}

fn ask(dialog: &mut Dialog<'_>, questions: &[ClarifyQuestion]) -> Result<ClarifyOutcome, Stop> {
    let title = match questions.len() {
        1 => "The model has a question.".to_owned(),
        count => format!("The model has {count} questions."),
    };
    let title = dialog.look.paint(Style::Strong, &title);
    let mut answers = Vec::new();
    dialog.begin(&format!("\n{title} [Esc] no answer\n"))?;
    for question in questions {
        match ask_one(dialog, question) {
            Ok(answer) => answers.push(answer),
            Err(Stop::Cancelled) => {
                dialog.show("no answer was given\n")?;
                return Ok(ClarifyOutcome::Declined(answers));
            }
            Err(Stop::TimedOut) => {
                dialog.show("\nthe time to answer is over\n")?;
                return Ok(ClarifyOutcome::TimedOut(answers));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(ClarifyOutcome::Answered(answers))
}

fn ask_one(dialog: &mut Dialog<'_>, question: &ClarifyQuestion) -> Result<Vec<String>, Stop> {
    dialog.show_lines(&question_text(question))?;
    loop {
        let typed = dialog.read_line("> ", false)?;
        match parse_answer(question, &typed) {
            Ok(answer) => return Ok(answer),
            Err(problem) => dialog.show_lines(&format!("{problem}\n"))?,
        }
    }
}

fn question_text(question: &ClarifyQuestion) -> String {
    let mut text = format!("\n{}", quote(&question.question));
    for (number, choice) in (1..).zip(&question.choices) {
        text += &format!("  {number}. {}\n", show::one_line(choice));
    }
    text += match (question.choices.is_empty(), question.multi_select) {
        (true, _) => "",
        (false, false) => "Type a number, or another answer.\n",
        (false, true) => "Type numbers with commas between them, or another answer.\n",
    };
    text
}

/// Returns the choices whose numbers were typed, or the typed text.
fn parse_answer(question: &ClarifyQuestion, typed: &str) -> Result<Vec<String>, String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err("type an answer, or press Esc to give no answer".to_owned());
    }
    let choices = &question.choices;
    let numbers: Option<Vec<usize>> =
        typed.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect();
    let Some(mut numbers) = numbers.filter(|numbers| !choices.is_empty() && !numbers.is_empty()) else {
        return Ok(vec![typed.to_owned()]);
    };
    if let Some(number) = numbers.iter().find(|number| !(1..=choices.len()).contains(number)) {
        return Err(format!(
            "there is no choice {number}: type a number from 1 to {}, or an answer in words",
            choices.len()
        ));
    }
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() > 1 && !question.multi_select {
        return Err("only one choice is allowed: type one number".to_owned());
    }
    Ok(numbers.into_iter().map(|number| choices[number - 1].clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(choices: &[&str], multi_select: bool) -> ClarifyQuestion {
        let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
        ClarifyQuestion { question: "Which?".to_owned(), choices, multi_select }
    }

    #[test]
    fn a_number_selects_a_choice_and_other_text_is_a_free_answer() {
        let (one, many, open) = (question(&["a", "b"], false), question(&["a", "b", "c"], true), question(&[], false));
        for (question, typed, answer) in [
            (&one, " 2 ", Ok(vec!["b"])),
            (&one, "2 days", Ok(vec!["2 days"])),
            (&one, "1,2", Err("only one choice")),
            (&one, "3", Err("there is no choice 3: type a number from 1 to 2")),
            (&one, "0", Err("there is no choice 0")),
            (&one, " ", Err("press Esc")),
            (&many, "3, 1 3", Ok(vec!["a", "c"])),
            (&many, "none of them", Ok(vec!["none of them"])),
            (&open, "12", Ok(vec!["12"])),
            (&open, ",", Ok(vec![","])),
        ] {
            match (parse_answer(question, typed), answer) {
                (Ok(read), Ok(answer)) => assert_eq!(read, answer, "{typed}"),
                (Err(read), Err(answer)) => assert!(read.contains(answer), "{read}"),
                (read, answer) => panic!("{typed}: {read:?}, not {answer:?}"),
            }
        }
    }

    #[test]
    fn a_question_cannot_imitate_the_output_of_this_program() {
        let mut hostile = question(&["a\u{1b}[2J", "b"], false);
        hostile.question = "Sure?\nAllowed once\u{202e}".to_owned();
        assert_eq!(
            question_text(&hostile),
            "\n  | Sure?\n  | Allowed once<U+202E>\n  1. a<U+001B>[2J\n  2. b\nType a number, or another answer.\n"
        );
    }
}
