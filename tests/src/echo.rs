//! Handlers of the golden project that tell what they were given, so that a test sees what a handler sees.

use std::fmt::Debug;
use std::task::Poll;

use toolc::{Availability, Call, Env, ErrorKind, Output, ToolError};

use crate::golden::{GuardsTools, LaterTools, LibTools, ShapesTools, ShutTools, guards, later, lib_, shapes, shut};

/// Answers every call with its arguments, unless those ask for another outcome.
#[derive(Debug, Clone, Copy)]
pub struct Echo;

type Answer = Result<Output, ToolError>;

impl ShapesTools for Echo {
    fn every_union(&self, args: shapes::every_union::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn depends(&self, args: shapes::depends::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn every_bound(&self, args: shapes::every_bound::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn every_choice(&self, args: shapes::every_choice::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn every_default(&self, args: shapes::every_default::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn every_object(&self, args: shapes::every_object::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn every_type(&self, args: shapes::every_type::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }
}

impl LibTools for Echo {
    fn odd_names(&self, args: lib_::odd_names::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn no_parameters(&self, args: lib_::no_parameters::Args, call: &Call<'_>) -> Answer {
        echo(&(args, call.tool(), call.id(), call.task()))
    }

    fn run_now(&self, args: lib_::run_now::Args, _: &Call<'_>) -> Answer {
        end(args.outcome.as_str(), &args)
    }
}

impl LaterTools for Echo {
    async fn run_later(&self, args: later::run_later::Args, _: &Call<'_>) -> Answer {
        for _ in 0..args.pauses {
            pause().await;
        }
        end(args.outcome.as_str(), &args)
    }

    async fn wait(&self, args: later::wait::Args, call: &Call<'_>) -> Answer {
        pause().await;
        echo(&(args, call.tool(), call.id(), call.task()))
    }
}

impl GuardsTools for Echo {
    fn guarded(&self, args: guards::guarded::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn in_chat(&self, args: guards::in_chat::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    fn available(&self, check: guards::Check, env: &Env) -> Availability {
        let closed = env.var("GOLDEN_CLOSED");
        let about = match check {
            guards::Check::Toolset => "guards",
            guards::Check::Guarded => "guarded",
            guards::Check::InChat => panic!("asked about `in_chat`"),
        };
        Availability::when(closed.as_deref() != Some(about), format!("`{about}` is closed"))
    }
}

impl ShutTools for Echo {
    fn crunch(&self, args: shut::crunch::Args, call: &Call<'_>) -> Answer {
        let thread = std::thread::current();
        end(args.outcome.as_str(), &(args, call.tool(), call.id(), call.task(), thread.name() == Some("main")))
    }

    fn erase(&self, args: shut::erase::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }

    async fn fetch_all(&self, args: shut::fetch_all::Args, call: &Call<'_>) -> Answer {
        pause().await;
        echo(&(args, call.tool()))
    }

    fn shell(&self, args: shut::shell::Args, _: &Call<'_>) -> Answer {
        echo(&args)
    }
}

#[allow(clippy::unnecessary_wraps, reason = "every handler ends in it")]
fn echo(args: &impl Debug) -> Answer {
    Ok(Output::text(format!("{args:?}")))
}

fn end(outcome: &str, args: &impl Debug) -> Answer {
    match outcome {
        "fail" => Err(ToolError::new("asked to fail")),
        "refuse" => Err(ToolError::of(ErrorKind::Refused, "asked to \"refuse\"")),
        "panic" => panic!("asked to panic"),
        _ => echo(args),
    }
}

/// Pending once.
async fn pause() {
    let mut paused = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut paused, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
