//! What a command sees of what is hidden from others: the home of toolc, and the places that the user protects.
//!
//! A line whose programs need [more rights](crate::privileges) runs where nothing is hidden. If other parts of the line could use that, or
//! if the home cannot be hidden from this command, a person decides.

use std::ops::Range;
use std::path::Path;

use toolc::approval::Exposure;
use toolc::{Call, ToolError};
use toolc_environment::{Environment, Sees};

use crate::place::{CommandStart, Variables};
use crate::privileges::Rights;
use crate::reads::Reads;
use crate::rules;

/// The parameter that holds the command.
const PARAMETER: &str = "command";

/// What a command sees.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    pub(crate) sees: Sees,
    /// A note for the model, if a program of the line lacks rights.
    pub(crate) note: Option<String>,
    /// A note for the model, if the line fails: what a program of the line may have needed.
    pub(crate) note_on_failure: Option<String>,
}

impl Sight {
    /// Determines what a command sees. Asks if that is more than commands usually see, and not only for programs that may.
    ///
    /// # Errors
    /// Returns the error for the model if the command must not run.
    pub(crate) fn of_command(
        line: &str,
        place: &CommandStart,
        environment: &dyn Environment,
        variables: &Variables,
        call: &Call<'_>,
    ) -> Result<Self, ToolError> {
        if !environment.hides() {
            return Ok(Self::default());
        }
        let question = Question { line, directory: &place.directory, call };
        let mut sight = Self::default();
        match Rights::new(line, &place.state, rules(call), environment, variables) {
            Rights::Usual => {}
            Rights::More => sight.sees = Sees::Everything,
            Rights::Mixed { program, part } => {
                if question.about_rights(&program, part)? {
                    sight.sees = Sees::Everything;
                } else {
                    let text =
                        format!("`{program}` may fail in this line, because it lacks rights here. {}", alone(&program));
                    sight.note = Some(text);
                }
            }
        }
        if sight.sees == Sees::Nothing {
            let reads = Reads::new(line, &place.state, rules(call), environment, variables);
            if !reads.places.is_empty() {
                sight.sees = Sees::Places(reads.places);
            }
            sight.note_on_failure = reads.lacking.map(|(program, place)| {
                let place = place.display();
                format!("`{place}` is hidden from this line, and `{program}` may have needed it. {}", alone(&program))
            });
        }
        if let Err(error) = environment.check_hiding(&sight.sees)
            && question.about_home(&error)?
        {
            sight.sees = Sees::Everything;
        }
        Ok(sight)
    }
}

/// Returns how a program gets what it needs.
fn alone(program: &str) -> String {
    format!(
        "Run `{program}` in a line of its own, or with plain programs only, such as `cd`, `echo` and `tail`, and without setting variables"
    )
}

/// A question about what a command sees.
struct Question<'q> {
    line: &'q str,
    directory: &'q Path,
    call: &'q Call<'q>,
}

impl Question<'_> {
    fn about_rights(&self, program: &str, part: Range<usize>) -> Result<bool, ToolError> {
        let description = format!(
            "`{program}` needs rights that it has only where the home of toolc is not hidden. Every part of the line would run there, and could \
             read the keys and the approvals in it."
        );
        self.ask("needs-rights", &description, part, &alone(program))
    }

    fn about_home(&self, error: &std::io::Error) -> Result<bool, ToolError> {
        let description = format!(
            "The home of toolc is visible to this command, with its keys and approvals, because it cannot be hidden now: {error}."
        );
        self.ask("visible-home", &description, 0..self.line.len(), "Try again later")
    }

    fn ask(&self, name: &str, description: &str, part: Range<usize>, instead: &str) -> Result<bool, ToolError> {
        self.call.approve_exposure_blocking(&Exposure {
            name,
            description,
            check: "Does any program of the line read other files than it should?",
            instead,
            line: self.line,
            part,
            directory: Some(self.directory),
            parameter: PARAMETER,
        })
    }
}
