//! Handlers of the golden project that return their arguments, so that a test sees what a handler sees.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::task::Poll;

use toolc::availability::Availability;
use toolc::{Call, Env, ErrorKind, ToolError, ToolOutput, ToolResult};

use crate::golden::returns::{
    return_all, return_bare, return_def, return_list, return_maybe, return_sort, return_word,
};
use crate::golden::{
    ByCodeTools, GuardsTools, LaterTools, LibTools, PlainTextTools, ReturnsTools, ShapesTools, ShutTools, by_code,
    guards, later, lib_, plain_text, shapes, shut,
};

/// Returns the arguments of every call, unless they request another outcome.
#[derive(Debug, Clone, Copy)]
pub struct Echo;

impl ShapesTools for Echo {
    fn every_union(&self, args: shapes::every_union::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn every_ref(&self, args: shapes::every_ref::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn every_sort(&self, args: shapes::every_sort::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn exclusive(&self, args: shapes::exclusive::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn depends(&self, args: shapes::depends::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn every_bound(&self, args: shapes::every_bound::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn every_choice(&self, args: shapes::every_choice::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn every_default(&self, args: shapes::every_default::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn every_object(&self, args: shapes::every_object::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn every_type(&self, args: shapes::every_type::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }
}

impl LibTools for Echo {
    fn odd_names(&self, args: lib_::odd_names::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn no_parameters(&self, args: lib_::no_parameters::Args, call: &Call<'_>) -> ToolResult {
        echo(&(args, call.tool(), call.id(), call.task()))
    }

    fn run_now(&self, args: lib_::run_now::Args, _: &Call<'_>) -> ToolResult {
        end(args.outcome.as_str(), &args)
    }
}

impl LaterTools for Echo {
    async fn run_later(&self, args: later::run_later::Args, _: &Call<'_>) -> ToolResult {
        for _ in 0..args.pauses {
            pause().await;
        }
        end(args.outcome.as_str(), &args)
    }

    async fn wait(&self, args: later::wait::Args, call: &Call<'_>) -> ToolResult {
        pause().await;
        echo(&(args, call.tool(), call.id(), call.task()))
    }
}

impl ReturnsTools for Echo {
    fn return_all(&self, args: return_all::Args, _: &Call<'_>) -> Result<return_all::Returns, ToolError> {
        use return_all::{Nest, Returns, ReturnsMode, ReturnsShapesItem, ReturnsShapesItemCircle};
        Ok(Returns {
            tree: args.tree,
            node: args.node,
            nest: Some(Nest(vec![Nest(Vec::new()), Nest(vec![Nest(Vec::new())])])),
            maybe: None,
            left_out: None,
            count: 7,
            ratio: Some(0.5),
            mode: ReturnsMode::Slow,
            words: Some(vec!["a \"b\"".to_owned()]),
            by_name: Some(BTreeMap::from([("x".to_owned(), true)])),
            any: Some(toolc::Value::Null),
            shapes: Some(vec![
                ReturnsShapesItem::Circle(ReturnsShapesItemCircle { radius: 1.5 }),
                ReturnsShapesItem::Point,
                ReturnsShapesItem::Square(return_all::ReturnsShapesItemSquare {
                    rest: BTreeMap::from([("side".to_owned(), 2), ("kind".to_owned(), 3)]),
                }),
            ]),
            rest: BTreeMap::from([("more".to_owned(), true.into()), ("count".to_owned(), false.into())]),
        })
    }

    fn return_bare(&self, _: return_bare::Args, _: &Call<'_>) -> Result<return_bare::Returns, ToolError> {
        Ok([1, 2].into_iter().collect())
    }

    async fn return_def(&self, _: return_def::Args, _: &Call<'_>) -> Result<return_def::Returns, ToolError> {
        pause().await;
        let more = return_def::Found { path: "b".to_owned(), more: None };
        Ok(return_def::Returns { path: "a".to_owned(), more: Some(Box::new(more)) })
    }

    fn return_list(&self, _: return_list::Args, _: &Call<'_>) -> Result<return_list::Returns, ToolError> {
        Ok(vec![return_list::ReturnsItem { id: 1 }, return_list::ReturnsItem { id: 2 }])
    }

    async fn return_maybe(&self, args: return_maybe::Args, _: &Call<'_>) -> Result<return_maybe::Returns, ToolError> {
        Ok(args.found.then_some(return_maybe::ReturnsValue { id: 1 }))
    }

    fn return_sort(&self, args: return_sort::Args, _: &Call<'_>) -> Result<return_sort::Returns, ToolError> {
        match args.r#as {
            return_sort::As::Integer(integer) => Ok(return_sort::Returns::Integer(integer)),
            return_sort::As::String(text) if text.is_empty() => Err(ToolError::new("asked to fail")),
            return_sort::As::String(text) => Ok(return_sort::Returns::String(text)),
        }
    }

    fn return_word(&self, _: return_word::Args, _: &Call<'_>) -> Result<return_word::Returns, ToolError> {
        Ok(return_word::Returns::No)
    }
}

impl ByCodeTools for Echo {
    fn count_words(
        &self,
        args: by_code::count_words::Args,
        _: &Call<'_>,
    ) -> Result<by_code::count_words::Returns, ToolError> {
        let count = |text: &String| text.split_whitespace().count().try_into().unwrap_or(i64::MAX);
        Ok(args.texts.iter().map(|(name, text)| (name.clone(), count(text))).collect())
    }

    fn only_code(
        &self,
        args: by_code::only_code::Args,
        _: &Call<'_>,
    ) -> Result<by_code::only_code::Returns, ToolError> {
        Ok((1..=args.count).collect())
    }
}

impl PlainTextTools for Echo {
    fn any_text(&self, args: plain_text::any_text::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn lark_text(&self, args: plain_text::lark_text::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn regex_text(&self, args: plain_text::regex_text::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }
}

impl GuardsTools for Echo {
    fn guarded(&self, args: guards::guarded::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn in_chat(&self, args: guards::in_chat::Args, _: &Call<'_>) -> ToolResult {
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
    fn crunch(&self, args: shut::crunch::Args, call: &Call<'_>) -> ToolResult {
        let thread = std::thread::current();
        end(args.outcome.as_str(), &(args, call.tool(), call.id(), call.task(), thread.name() == Some("main")))
    }

    fn erase(&self, args: shut::erase::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    async fn fetch_all(&self, args: shut::fetch_all::Args, call: &Call<'_>) -> ToolResult {
        pause().await;
        echo(&(args, call.tool()))
    }

    fn shell(&self, args: shut::shell::Args, _: &Call<'_>) -> ToolResult {
        echo(&args)
    }

    fn shell_directory(
        &self,
        _: &shut::shell::Args,
        _: &Call<'_>,
    ) -> Result<toolc::directory::FoundDirectory, ToolError> {
        Ok("/projects/app".into())
    }
}

#[expect(clippy::unnecessary_wraps, reason = "handlers return it")]
fn echo(args: &impl Debug) -> ToolResult {
    Ok(ToolOutput::text(format!("{args:?}")))
}

fn end(outcome: &str, args: &impl Debug) -> ToolResult {
    match outcome {
        "fail" => Err(ToolError::new("asked to fail")),
        "refuse" => Err(ToolError::with_kind(ErrorKind::Refused, "asked to \"refuse\"")),
        "panic" => panic!("asked to panic"),
        _ => echo(args),
    }
}

/// Waits once.
async fn pause() {
    let mut paused = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut paused, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
